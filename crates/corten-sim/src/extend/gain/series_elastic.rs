use corten_model::plugin::ConfigError;

use super::{ActuatorGainModel, GainInput};
use crate::extend::named_numbers;

/// A motor that moves a joint through a spring and a damper.
///
/// The motor follows what drives it: it stands at `x = gear_ratio · drive`, and pulls the joint at
/// `q` with `k (x − q) + d (ẋ − q̇)`. The drive of the step before is the activation, from which the
/// motor's velocity follows; it starts at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeriesElasticGain {
    /// Of the spring, per unit of the actuator's length.
    pub k_spring: f64,
    /// Of the damper.
    pub damping: f64,
    /// Motor position per unit of drive.
    pub gear_ratio: f64,
}

impl SeriesElasticGain {
    /// From spring constant, damping and gear ratio.
    pub fn from_params(params: &[f64]) -> Result<SeriesElasticGain, ConfigError> {
        let [k_spring, damping, gear_ratio] =
            named_numbers(params, ["k_spring", "damping", "gear_ratio"])?;
        if k_spring < 0.0 || damping < 0.0 {
            return Err("'k_spring' and 'damping' cannot be negative".into());
        }
        Ok(SeriesElasticGain { k_spring, damping, gear_ratio })
    }
}

impl ActuatorGainModel for SeriesElasticGain {
    fn force(&self, at: &GainInput<'_>) -> f64 {
        // The first step has no drive before it.
        let rate = match at.act {
            [last, ..] if at.time > 0.0 => (at.drive - last) / at.timestep,
            _ => 0.0,
        };
        let stretch = self.gear_ratio * at.drive - at.length;
        self.k_spring * stretch + self.damping * (self.gear_ratio * rate - at.velocity)
    }

    fn force_by_velocity(&self, _: &GainInput<'_>) -> f64 {
        -self.damping
    }

    fn activations(&self) -> usize {
        1
    }

    fn rates(&self, at: &GainInput<'_>, rates: &mut [f64]) {
        if let ([rate, ..], [last, ..]) = (rates, at.act) {
            *rate = (at.drive - last) / at.timestep;
        }
    }
}
