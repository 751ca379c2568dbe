//! Actuators by the way in which their forces are computed.

use std::ops::Range;

use corten_model::ModelArrays;
use corten_model::enums::{Bias, Gain};

use super::muscles;

/// Consecutive actuators of each kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Kinds {
    /// Plain muscles.
    muscles: Vec<Range<usize>>,
    /// Without activation, with a fixed gain, and a bias that is linear or absent.
    direct: Vec<Range<usize>>,
    others: Vec<Range<usize>>,
}

impl Kinds {
    pub fn new(m: &ModelArrays) -> Kinds {
        let mut kinds = Kinds::default();
        for i in 0..m.nu {
            let list = if muscles::is_plain(m, i) {
                &mut kinds.muscles
            } else if is_direct(m, i) {
                &mut kinds.direct
            } else {
                &mut kinds.others
            };
            match list.last_mut() {
                Some(run) if run.end == i => run.end += 1,
                _ => list.push(i..i + 1),
            }
        }
        kinds
    }

    /// Whether all of them are direct.
    pub fn are_direct(&self) -> bool {
        self.muscles.is_empty() && self.others.is_empty()
    }

    /// How many runs there are of muscles, of direct actuators, and of others.
    #[inline]
    pub fn count(&self) -> [usize; 3] {
        [self.muscles.len(), self.direct.len(), self.others.len()]
    }

    #[inline]
    pub fn muscles(&self, run: usize) -> Range<usize> {
        self.muscles[run].clone()
    }

    #[inline]
    pub fn direct(&self, run: usize) -> Range<usize> {
        self.direct[run].clone()
    }

    #[inline]
    pub fn others(&self, run: usize) -> Range<usize> {
        self.others[run].clone()
    }
}

fn is_direct(m: &ModelArrays, i: usize) -> bool {
    const BIASES: [i32; 2] = [Bias::None.raw(), Bias::Affine.raw()];
    m.actuator_gaintype[i] == Gain::Fixed.raw()
        && BIASES.contains(&m.actuator_biastype[i])
        && m.actuator_actadr[i] < 0
        && m.actuator_plugin[i] < 0
}
