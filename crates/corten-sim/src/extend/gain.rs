//! Actuators whose force the model's user defines.
//!
//! An actuator gives the force `gain(…) + bias`. MuJoCo's gains multiply the control or the
//! activation by a number that is fixed, linear in length and velocity, or that of a muscle; here
//! they are [`FixedGain`], [`AffineGain`] and [`MuscleGain`], and [`DefaultGain`] is whichever of
//! them an actuator has. A custom model may compute any force from the actuator's state, and have
//! activations of its own.

mod dc_motor;
mod series_elastic;

use std::fmt::Debug;
use std::sync::Arc;

use corten_model::enums::Gain;

pub use self::dc_motor::DcMotorGain;
pub use self::series_elastic::SeriesElasticGain;
use crate::Model;
use crate::stage::actuation::affine;
use crate::stage::actuation::muscle::Muscle;

/// The state of an actuator, as a gain model sees it.
#[derive(Clone, Copy, Debug)]
pub struct GainInput<'a> {
    /// Length of the transmission: the joint's position times the gear, for instance.
    pub length: f64,
    /// Its rate.
    pub velocity: f64,
    /// What drives the actuator: the control within its limits, or the activation of built-in
    /// dynamics.
    pub drive: f64,
    /// The model's own activations.
    pub act: &'a [f64],
    /// Simulation time.
    pub time: f64,
    /// Length of a step.
    pub timestep: f64,
}

/// How an actuator turns what drives it into a force.
///
/// ```
/// use corten_sim::extend::{ActuatorGainModel, GainInput};
///
/// /// A motor whose torque falls with the square of its speed.
/// #[derive(Debug)]
/// struct Fan { torque: f64, drag: f64 }
///
/// impl ActuatorGainModel for Fan {
///     fn force(&self, at: &GainInput<'_>) -> f64 {
///         self.torque * at.drive - self.drag * at.velocity * at.velocity.abs()
///     }
///
///     fn force_by_velocity(&self, at: &GainInput<'_>) -> f64 {
///         -2.0 * self.drag * at.velocity.abs()
///     }
/// }
/// ```
pub trait ActuatorGainModel: Debug + Send + Sync {
    /// The force, before bias and limits.
    fn force(&self, at: &GainInput<'_>) -> f64;

    /// The derivative of [`Self::force`] by velocity, which implicit integrators use.
    fn force_by_velocity(&self, at: &GainInput<'_>) -> f64;

    /// How many activations of its own the model has. In `act` they stand before that of built-in
    /// dynamics.
    fn activations(&self) -> usize {
        0
    }

    /// Rates of the model's own activations. Explicit integrators add the rate times the step.
    fn rates(&self, at: &GainInput<'_>, rates: &mut [f64]) {
        let _ = (at, rates);
    }
}

/// A force proportional to what drives the actuator (`mjGAIN_FIXED`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedGain {
    /// The factor.
    pub gain: f64,
}

impl ActuatorGainModel for FixedGain {
    #[inline(always)]
    fn force(&self, at: &GainInput<'_>) -> f64 {
        self.gain * at.drive
    }

    #[inline(always)]
    fn force_by_velocity(&self, _: &GainInput<'_>) -> f64 {
        0.0
    }
}

/// A factor that is linear in length and velocity (`mjGAIN_AFFINE`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AffineGain {
    /// Constant, and factors of length and velocity, in the first three numbers.
    pub prm: [f64; 10],
}

impl ActuatorGainModel for AffineGain {
    #[inline(always)]
    fn force(&self, at: &GainInput<'_>) -> f64 {
        affine(&self.prm, at.length, at.velocity) * at.drive
    }

    #[inline(always)]
    fn force_by_velocity(&self, at: &GainInput<'_>) -> f64 {
        self.prm[2] * at.drive
    }
}

/// The active force of a muscle (`mjGAIN_MUSCLE`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MuscleGain {
    /// Parameters of its curves, as in `actuator_gainprm`.
    pub prm: [f64; 10],
    /// Shortest and longest lengths, as in `actuator_lengthrange`.
    pub lengthrange: [f64; 2],
    /// Acceleration by a unit force in the reference pose, as in `actuator_acc0`.
    pub acc0: f64,
}

impl ActuatorGainModel for MuscleGain {
    #[inline(always)]
    fn force(&self, at: &GainInput<'_>) -> f64 {
        let muscle = Muscle::<f64>::new(&self.prm);
        muscle.gain(at.length, at.velocity, self.lengthrange, self.acc0) * at.drive
    }

    fn force_by_velocity(&self, at: &GainInput<'_>) -> f64 {
        let muscle = Muscle::<f64>::new(&self.prm);
        muscle.gain_by_velocity(at.length, at.velocity, self.lengthrange, self.acc0) * at.drive
    }
}

/// The built-in gain of an actuator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DefaultGain {
    /// A constant factor.
    Fixed(FixedGain),
    /// A linear factor.
    Affine(AffineGain),
    /// A muscle.
    Muscle(MuscleGain),
}

impl DefaultGain {
    /// That of an actuator, unless its type is the user's.
    #[inline(always)]
    pub fn of(m: &Model, actuator: usize) -> Option<DefaultGain> {
        let prm = &m.actuator_gainprm[actuator];
        Some(match Gain::from_raw(m.actuator_gaintype[actuator]) {
            Some(Gain::Fixed) => DefaultGain::Fixed(FixedGain { gain: prm[0] }),
            Some(Gain::Affine) => DefaultGain::Affine(AffineGain { prm: *prm }),
            Some(Gain::Muscle) => DefaultGain::Muscle(MuscleGain {
                prm: *prm,
                lengthrange: m.actuator_lengthrange[actuator],
                acc0: m.actuator_acc0[actuator],
            }),
            _ => return None,
        })
    }
}

impl ActuatorGainModel for DefaultGain {
    #[inline(always)]
    fn force(&self, at: &GainInput<'_>) -> f64 {
        match self {
            DefaultGain::Fixed(gain) => gain.force(at),
            DefaultGain::Affine(gain) => gain.force(at),
            DefaultGain::Muscle(gain) => gain.force(at),
        }
    }

    #[inline(always)]
    fn force_by_velocity(&self, at: &GainInput<'_>) -> f64 {
        match self {
            DefaultGain::Fixed(gain) => gain.force_by_velocity(at),
            DefaultGain::Affine(gain) => gain.force_by_velocity(at),
            DefaultGain::Muscle(gain) => gain.force_by_velocity(at),
        }
    }
}

/// Which gain an actuator has.
#[derive(Clone, Debug)]
pub enum GainDispatch {
    /// A built-in type, with the parameters in the model's arrays; no indirect call.
    Builtin(Gain),
    /// A model of the user's choice.
    Custom(Arc<dyn ActuatorGainModel>),
}

impl From<Gain> for GainDispatch {
    fn from(gain: Gain) -> GainDispatch {
        GainDispatch::Builtin(gain)
    }
}

impl<G: ActuatorGainModel + 'static> From<G> for GainDispatch {
    fn from(gain: G) -> GainDispatch {
        GainDispatch::Custom(Arc::new(gain))
    }
}

impl From<Arc<dyn ActuatorGainModel>> for GainDispatch {
    fn from(gain: Arc<dyn ActuatorGainModel>) -> GainDispatch {
        GainDispatch::Custom(gain)
    }
}

/// Why an actuator cannot have a gain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
// The messages say what the fields are.
#[allow(missing_docs)]
pub enum GainError {
    #[error("there is no actuator {actuator}: the model has {count}")]
    Actuator { actuator: usize, count: usize },
    #[error("actuator {0} belongs to a plugin, which computes its force")]
    Plugin(usize),
    #[error(
        "actuator {actuator} has {found} activations of its own, the gain model needs {needed}: choose \
         the model before compiling, with 'cortenforge:gain_model'"
    )]
    Activations { actuator: usize, found: usize, needed: usize },
}
