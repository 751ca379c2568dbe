//! The muscles of a model, four at a time.
//!
//! Reads lengths and velocities of actuators, activations and controls; writes `act_dot` and
//! `actuator_force` of muscles whose dynamics, gain and bias are all those of [`Muscle`].

use std::ops::Range;

use corten_math::{Number, for_each_four, wide};
use corten_model::ModelArrays;
use corten_model::enums::{Bias, Dynamics, Gain};

use super::muscle::{self, Muscle};
use crate::chain::index;
use crate::{Data, Model};

/// Whether an actuator is a plain muscle: one in every respect, with one activation that acts as it
/// is.
pub(super) fn is_plain(m: &ModelArrays, i: usize) -> bool {
    m.actuator_dyntype[i] == Dynamics::Muscle.raw()
        && m.actuator_gaintype[i] == Gain::Muscle.raw()
        && m.actuator_biastype[i] == Bias::Muscle.raw()
        && m.actuator_actnum[i] == 1
        && m.actuator_actearly[i] == 0
        && m.actuator_plugin[i] < 0
        && index(m.actuator_actadr[i], m.na).is_some()
}

wide! {
    /// Activation rates and forces of consecutive plain muscles.
    pub(super) fn run(m: &Model, d: &mut Data, muscles: Range<usize>) {
        for_each_four!(muscles.len(), at => lanes::<Simd>(m, d, muscles.start + at));
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
        T::splat(0.0)
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
