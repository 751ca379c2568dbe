//! The range of lengths that an actuator can reach, found by simulation.
//!
//! A force along the actuator's moment pulls the model towards one end, then the other, strong
//! enough for a given acceleration, while velocities decay. The length at the end of the
//! simulation, once settled, is the limit. Answers to MuJoCo's `mj_setLengthRange`.

use corten_math::MIN_VAL;
use corten_math::memory;
use corten_math::real::exp;
use corten_model::enums::{Bias, Gain, LengthRangeMode, Transmission};
use corten_model::in_parallel;
pub use corten_model::spec::LengthRangeOptions;

use crate::chain::index;
use crate::stage::inertia;
use crate::{Data, Model, StepError, step};

/// Most steps that a simulation may take; a thousand are usual.
const MAX_STEPS: f64 = 1e6;

/// Why a length range could not be found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
// The messages say what the fields are.
#[allow(missing_docs)]
pub enum LengthRangeError {
    #[error("there is no actuator {0}")]
    NoSuchActuator(usize),
    #[error("lengthrange simulation of {duration} s in steps of {timestep} s takes too long")]
    TooLong { duration: f64, timestep: f64 },
    #[error("unstable lengthrange simulation in actuator {0}")]
    Unstable(usize),
    #[error("invalid lengthrange ({}, {}) in actuator {actuator}", .range[0], .range[1])]
    Empty { actuator: usize, range: [f64; 2] },
    #[error(
        "lengthrange computation did not converge in actuator {actuator}: \
         settled between {} and {}, range ({}, {})",
        .settled[0], .settled[1], .range[0], .range[1]
    )]
    NotConverged { actuator: usize, settled: [f64; 2], range: [f64; 2] },
    /// The data was made for a model of other sizes.
    #[error(transparent)]
    Data(#[from] StepError),
}

/// Sets `actuator_lengthrange` of one actuator, if the options ask for it. Other forces should be
/// disabled in `m.opt`; `d` serves as working memory.
pub fn set(
    m: &mut Model,
    d: &mut Data,
    actuator: usize,
    options: &LengthRangeOptions,
) -> Result<(), LengthRangeError> {
    if actuator >= m.nu {
        return Err(LengthRangeError::NoSuchActuator(actuator));
    }
    if let Some(range) = find(m, d, actuator, options)? {
        m.actuator_lengthrange[actuator] = range;
    }
    Ok(())
}

/// The same for all actuators, each simulated on its own, several at a time; an error comes with
/// its actuator.
pub(super) fn set_all(
    m: &mut Model,
    options: &LengthRangeOptions,
) -> Result<(), (usize, LengthRangeError)> {
    let concerned: Vec<usize> = (0..m.nu).filter(|&i| concerns(m, i, options.mode)).collect();
    let ranges =
        in_parallel(concerned.len(), |i| find(m, &mut Data::new(m), concerned[i], options));
    for (actuator, range) in concerned.into_iter().zip(ranges) {
        if let Some(range) = range.transpose().map_err(|e| (actuator, e))?.flatten() {
            m.actuator_lengthrange[actuator] = range;
        }
    }
    Ok(())
}

/// The range of an actuator; `None` if what it has should stay.
fn find(
    m: &Model,
    d: &mut Data,
    actuator: usize,
    options: &LengthRangeOptions,
) -> Result<Option<[f64; 2]>, LengthRangeError> {
    let [low, high] = m.actuator_lengthrange[actuator];
    if !concerns(m, actuator, options.mode) || (options.useexisting && low < high) {
        return Ok(None);
    }
    if options.uselimit
        && let Some(range) = limits(m, actuator)
    {
        return Ok(Some(range));
    }
    let mut settled = [[0.0; 2]; 2];
    for (settled, direction) in settled.iter_mut().zip([-1.0, 1.0]) {
        *settled = settle(m, d, actuator, direction, options)?;
    }
    let range = [settled[0][0], settled[1][1]];
    let width = range[1] - range[0];
    if width <= 0.0 {
        return Err(LengthRangeError::Empty { actuator, range });
    }
    match settled.iter().find(|s| s[1] - s[0] > options.tolrange * width) {
        Some(&settled) => Err(LengthRangeError::NotConverged { actuator, settled, range }),
        None => Ok(Some(range)),
    }
}

/// Whether a mode asks for the range of an actuator of this type.
pub(super) fn concerns(m: &Model, actuator: usize, mode: LengthRangeMode) -> bool {
    let (gain, bias) = (m.actuator_gaintype[actuator], m.actuator_biastype[actuator]);
    let muscle = gain == Gain::Muscle.raw() || bias == Bias::Muscle.raw();
    let user = gain == Gain::User.raw() || bias == Bias::User.raw();
    match mode {
        LengthRangeMode::None => false,
        LengthRangeMode::Muscle => muscle,
        LengthRangeMode::MuscleUser => muscle || user,
        LengthRangeMode::All => true,
    }
}

/// The limits of the joint or tendon that an actuator moves.
fn limits(m: &Model, actuator: usize) -> Option<[f64; 2]> {
    // MuJoCo reads the flat array of target pairs at the actuator's own index here, and results
    // should agree.
    let target = *m.actuator_trnid.as_flattened().get(actuator)?;
    match Transmission::from_raw(m.actuator_trntype[actuator])? {
        Transmission::Joint | Transmission::JointInParent => {
            let joint = index(target, m.njnt)?;
            (m.jnt_limited[joint] != 0).then(|| m.jnt_range[joint])
        }
        Transmission::Tendon => {
            let tendon = index(target, m.ntendon)?;
            (m.tendon_limited[tendon] != 0).then(|| m.tendon_range[tendon])
        }
        _ => None,
    }
}

/// Pulls an actuator towards one end; smallest and largest length in the final interval.
fn settle(
    m: &Model,
    d: &mut Data,
    actuator: usize,
    direction: f64,
    options: &LengthRangeOptions,
) -> Result<[f64; 2], LengthRangeError> {
    let (duration, timestep) = (options.inttotal, m.opt.timestep);
    if duration / timestep > MAX_STEPS {
        return Err(LengthRangeError::TooLong { duration, timestep });
    }
    d.reset(m)?;
    let decay = exp(-m.opt.timestep / options.timeconst.max(0.01));
    let mut settled: Option<[f64; 2]> = None;
    let mut force = memory::zeroed(m.nv);
    while d.time < options.inttotal {
        let before = d.time;
        let length = pull(m, d, actuator, direction, decay, options, &mut force);
        // Time going nowhere, or back to a reset, would never end.
        if d.time == 0.0 || d.time <= before {
            return Err(LengthRangeError::Unstable(actuator));
        }
        if d.time > options.inttotal - options.interval {
            settled = Some(settled.map_or([length; 2], |[a, b]| [a.min(length), b.max(length)]));
        }
    }
    Ok(settled.unwrap_or([0.0; 2]))
}

/// One step under a force that accelerates along the actuator's moment; the length reached.
fn pull(
    m: &Model,
    d: &mut Data,
    actuator: usize,
    direction: f64,
    decay: f64,
    options: &LengthRangeOptions,
    force: &mut [f64],
) -> f64 {
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    d.qvel.iter_mut().for_each(|v| *v *= decay);
    // A failed check resets the data, which the caller notices by its time.
    let _ = step::step1(m, d);
    d.qfrc_applied.fill(0.0);
    let start = d.moment_rowadr[actuator] as usize;
    for k in start..start + d.moment_rownnz[actuator] as usize {
        d.qfrc_applied[d.moment_colind[k] as usize] = d.actuator_moment[k];
    }
    force.copy_from_slice(&d.qfrc_applied);
    inertia::solve(d, force);
    let scale = direction * options.accel / norm(force).max(MIN_VAL);
    d.qfrc_applied.iter_mut().for_each(|f| *f *= scale);
    let size = norm(&d.qfrc_applied);
    if options.maxforce > 0.0 && size > options.maxforce {
        let scale = options.maxforce / size.max(MIN_VAL);
        d.qfrc_applied.iter_mut().for_each(|f| *f *= scale);
    }
    let _ = step::step2(m, d);
    d.actuator_length[actuator]
}
