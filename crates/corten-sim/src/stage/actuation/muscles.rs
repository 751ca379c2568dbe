//! The muscles of a model, four at a time.
//!
//! Reads lengths and velocities of actuators, activations and controls; writes `act_dot` and
//! `actuator_force` of muscles whose dynamics, gain and bias are all those of [`Muscle`].

use corten_math::{Four, Number, wide};
use corten_model::Model;
use corten_model::enums::{Bias, Dynamics, Gain};

use super::muscle::{self, Muscle};
use crate::Data;

/// How many actuators from `first` on are plain muscles, one after the other: muscles in every
/// respect, with one activation that acts as it is.
#[inline]
pub(super) fn count(m: &Model, first: usize) -> usize {
    const KINDS: [i32; 3] = [Dynamics::Muscle.raw(), Gain::Muscle.raw(), Bias::Muscle.raw()];
    let kinds = m.actuator_gaintype[first..]
        .iter()
        .zip(&m.actuator_dyntype[first..])
        .zip(&m.actuator_biastype[first..]);
    let states = m.actuator_actadr[first..].iter().zip(&m.actuator_actnum[first..]);
    let rest = m.actuator_actearly[first..].iter().zip(&m.actuator_plugin[first..]);
    kinds
        .zip(states.zip(rest))
        .take_while(|(((gain, dynamics), bias), ((adr, num), (early, plugin)))| {
            [**dynamics, **gain, **bias] == KINDS
                && (**adr as usize) < m.na
                && **num == 1
                && **early == 0
                && **plugin < 0
        })
        .count()
}

/// Activation rates and forces of the plain muscles from `first` to `end`.
pub(super) fn run(m: &Model, d: &mut Data, ctrl: &[f64], first: usize, end: usize) {
    if Four::available() {
        four(m, d, ctrl, first, end);
    } else {
        for i in first..end {
            lanes::<f64>(m, d, ctrl, [i; 4]);
        }
    }
}

wide! {
    fn four(m: &Model, d: &mut Data, ctrl: &[f64], first: usize, end: usize) {
        let mut i = first;
        while i < end {
            // The last ones are computed more than once if there are fewer than four.
            let last = end - 1;
            lanes::<Four>(m, d, ctrl, [i, (i + 1).min(last), (i + 2).min(last), (i + 3).min(last)]);
            i += 4;
        }
    }
}

/// As many muscles as `T` has lanes.
#[inline(always)]
fn lanes<T: Number>(m: &Model, d: &mut Data, ctrl: &[f64], at: [usize; 4]) {
    let state = |k: usize| m.actuator_actadr[at[k]] as usize;
    let act = T::from_lanes(|k| d.act[state(k)]);
    let length = T::from_lanes(|k| d.actuator_length[at[k]]);
    let velocity = T::from_lanes(|k| d.actuator_velocity[at[k]]);
    let acc0 = T::from_lanes(|k| m.actuator_acc0[at[k]]);
    let range = [
        T::from_lanes(|k| m.actuator_lengthrange[at[k]][0]),
        T::from_lanes(|k| m.actuator_lengthrange[at[k]][1]),
    ];
    let [rise, fall, width, _] =
        T::from_records(|k| m.actuator_dynprm[at[k]].as_chunks::<4>().0[0]);
    let active = Muscle::<T>::from_lanes(|k| &m.actuator_gainprm[at[k]]);
    let passive = Muscle::<T>::from_lanes(|k| &m.actuator_biasprm[at[k]]);

    let rate = muscle::rate(T::from_lanes(|k| ctrl[at[k]]), act, [rise, fall, width]);
    let force =
        active.gain(length, velocity, range, acc0) * act + passive.bias(length, range, acc0);
    for k in 0..T::LANES {
        d.act_dot[state(k)] = rate.lane(k);
        d.actuator_force[at[k]] = force.lane(k);
    }
}
