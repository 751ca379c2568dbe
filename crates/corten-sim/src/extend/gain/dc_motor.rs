use corten_math::real::exp;
use corten_model::plugin::ConfigError;

use super::{ActuatorGainModel, GainInput};
use crate::extend::named_numbers;

/// A direct-current motor, driven by its voltage.
///
/// With the torque constant `K`, which is that of the back-EMF too, the resistance `R` and the
/// electrical time constant `τ = L / R`, the current obeys `τ di/dt = (V − K ω) / R − i`, and the
/// torque is `K i`. The current is the activation. Over a step of constant velocity the equation is
/// solved exactly, and the torque is that of the current at the end of the step: however short the
/// time constant is, the current does not overshoot, and a time constant of zero is the motor
/// without inductance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DcMotorGain {
    /// Torque per current, and voltage per velocity.
    pub torque_constant: f64,
    /// Of the winding.
    pub resistance: f64,
    /// Inductance over resistance, in seconds.
    pub time_constant: f64,
}

impl DcMotorGain {
    /// From torque constant, resistance and electrical time constant.
    pub fn from_params(params: &[f64]) -> Result<DcMotorGain, ConfigError> {
        let [torque_constant, resistance, time_constant] =
            named_numbers(params, ["torque_constant", "resistance", "time_constant"])?;
        if resistance <= 0.0 || time_constant < 0.0 {
            return Err("'resistance' must be positive, 'time_constant' not negative".into());
        }
        Ok(DcMotorGain { torque_constant, resistance, time_constant })
    }

    /// The part of the way to its steady value that the current goes in a step.
    fn share(&self, timestep: f64) -> f64 {
        if self.time_constant > 0.0 { 1.0 - exp(-timestep / self.time_constant) } else { 1.0 }
    }

    /// Change of the current over a step.
    fn change(&self, at: &GainInput<'_>) -> f64 {
        let current = at.act.first().copied().unwrap_or(0.0);
        let steady = (at.drive - self.torque_constant * at.velocity) / self.resistance;
        (steady - current) * self.share(at.timestep)
    }
}

impl ActuatorGainModel for DcMotorGain {
    fn force(&self, at: &GainInput<'_>) -> f64 {
        let current = at.act.first().copied().unwrap_or(0.0);
        self.torque_constant * (current + self.change(at))
    }

    fn force_by_velocity(&self, at: &GainInput<'_>) -> f64 {
        let constant = self.torque_constant;
        -constant * constant / self.resistance * self.share(at.timestep)
    }

    fn activations(&self) -> usize {
        1
    }

    fn rates(&self, at: &GainInput<'_>, rates: &mut [f64]) {
        if let [rate, ..] = rates {
            *rate = self.change(at) / at.timestep;
        }
    }
}
