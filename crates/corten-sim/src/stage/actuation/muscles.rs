//! The muscles of a model, four at a time.
//!
//! Reads lengths and velocities of actuators, activations and controls; writes `act_dot` and
//! `actuator_force` of muscles whose dynamics, gain and bias are all those of [`Muscle`].

use corten_math::{Number, wide};
use corten_model::enums::{Bias, Dynamics, Gain};

use super::muscle::{self, Muscle};
use crate::{Data, Model};

/// How many of the first actuators are plain muscles: muscles in every respect, with one activation
/// that acts as it is.
#[inline]
pub(super) fn count(m: &Model) -> usize {
    const KINDS: [i32; 3] = [Dynamics::Muscle.raw(), Gain::Muscle.raw(), Bias::Muscle.raw()];
    let n = m.nu;
    let (dynamics, gain, bias) =
        (&m.actuator_dyntype[..n], &m.actuator_gaintype[..n], &m.actuator_biastype[..n]);
    let (actadr, actnum) = (&m.actuator_actadr[..n], &m.actuator_actnum[..n]);
    let (early, plugin) = (&m.actuator_actearly[..n], &m.actuator_plugin[..n]);
    let mut count = 0;
    while count < n {
        let i = count;
        // Bits in which the actuator differs, to be looked at once.
        let kinds = dynamics[i] ^ KINDS[0] | gain[i] ^ KINDS[1] | bias[i] ^ KINDS[2];
        let has_plugin = !plugin[i] >> 31;
        let differs = kinds | actnum[i] ^ 1 | i32::from(early[i]) | has_plugin;
        if differs != 0 || actadr[i] as usize >= m.na {
            break;
        }
        count += 1;
    }
    count
}

/// Activation rates and forces of the first actuators, as many as [`count`] tells.
pub(super) fn run(m: &Model, d: &mut Data, count: usize) {
    if count >= 4 {
        four(m, d, count);
    } else {
        for first in 0..count {
            lanes::<f64>(m, d, first);
        }
    }
}

wide! {
    fn four(m: &Model, d: &mut Data, count: usize) {
        for first in (0..count).step_by(4) {
            // The last four overlap with others if they have to.
            lanes::<Simd>(m, d, first.min(count - 4));
        }
    }
}

/// As many muscles as `T` has lanes, from `first` on.
#[inline(always)]
fn lanes<T: Number>(m: &Model, d: &mut Data, first: usize) {
    let these = first..first + T::LANES;
    let states = &m.actuator_actadr[these.clone()];
    let (length, velocity) =
        (&d.actuator_length[these.clone()], &d.actuator_velocity[these.clone()]);
    let (range, acc0) = (&m.actuator_lengthrange[these.clone()], &m.actuator_acc0[these.clone()]);
    let (gain, bias) = (&m.actuator_gainprm[these.clone()], &m.actuator_biasprm[these.clone()]);
    let (dynamics, ctrl) =
        (&m.actuator_dynprm[these.clone()], &d.scratch.actuation.ctrl[these.clone()]);

    let act = T::from_lanes(|k| d.act[states[k] as usize]);
    let [rise, fall, width, _] = T::from_records(|k| dynamics[k].as_chunks::<4>().0[0]);
    let rate = muscle::rate(T::from_lanes(|k| ctrl[k]), act, [rise, fall, width]);

    let (length, velocity) = (T::from_lanes(|k| length[k]), T::from_lanes(|k| velocity[k]));
    let range = [T::from_lanes(|k| range[k][0]), T::from_lanes(|k| range[k][1])];
    let acc0 = T::from_lanes(|k| acc0[k]);
    let active = Muscle::<T>::from_lanes(|k| &gain[k]);
    let at = active.measure(length, range, acc0);
    // Mostly the same parameters give both forces.
    let differ = gain.iter().zip(bias).fold(0, |any, (a, b)| any | scaling_differs(a, b)) != 0;
    let passive = if differ {
        Muscle::<T>::from_lanes(|k| &bias[k]).bias(length, range, acc0)
    } else if at.is_stretched() {
        Muscle::<T>::from_lanes(|k| &bias[k]).passive(at)
    } else {
        T::of(0.0)
    };
    let force = active.active(at, velocity) * act + passive;
    for (k, (&state, to)) in states.iter().zip(&mut d.actuator_force[these]).enumerate() {
        *to = force.lane(k);
        d.act_dot[state as usize] = rate.lane(k);
    }
}

/// Bits in which two sets of parameters differ that [`Muscle::measure`] reads.
#[inline(always)]
fn scaling_differs(a: &[f64; 10], b: &[f64; 10]) -> u64 {
    let mut differ = 0;
    for k in 0..4 {
        differ |= a[k].to_bits() ^ b[k].to_bits();
    }
    differ
}
