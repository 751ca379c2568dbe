//! What is remembered of trees that sleep, so that a step need not look at each of them.
//!
//! A tree wakes when somebody writes to its positions, velocities or applied forces. Whether anybody did
//! shows in the arrays as they lie in memory, a few numbers per body and instruction; only if so, bodies
//! and trees are looked at one by one. All else that a step computes leaves sleepers out.

use std::ops::Range;

use corten_math::memory::Grow;
use corten_math::wide;
use corten_model::enums::{JointType, SleepPolicy};

use crate::awake::Selection;
use crate::prepared::structure::Structure;
use crate::{Data, Model, awake};

/// Steps after which what sleeps has the accelerations and forces that it keeps: the first one computes
/// them, the second hands them on to the warm start.
const SETTLING: u8 = 2;

/// All that is remembered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sleepers {
    pub lists: Lists,
    pub memory: Memory,
}

/// Lists that change when a tree falls asleep or wakes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    /// Bodies on a parent that is neither the world nor asleep.
    pub inner: Vec<i32>,
    /// Bodies on the world that sleep.
    pub roots: Vec<i32>,
    /// Bodies whose poses have to be computed: all but those that sleep with a free joint, whose poses
    /// follow from their positions alone.
    posed: Vec<i32>,
    /// Positions of sleepers with a free joint.
    free: Vec<Range<usize>>,
}

/// What holds since then.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    /// Positions when all poses were last found to be theirs.
    qpos: Vec<f64>,
    is_known: bool,
    /// Whether a sleeper was found to have another pose.
    pub moved: bool,
    /// Steps, up to [`SETTLING`].
    steps: u8,
}

impl Sleepers {
    /// Makes room for all that may sleep, so that falling asleep takes no memory.
    pub fn reserve(&mut self, m: &Model) {
        let Lists { inner, roots, posed, free } = &mut self.lists;
        for list in [inner, roots, posed] {
            list.grow_reserve_exact(m.nbody.saturating_sub(list.len()));
        }
        let count = m.jnt_type.iter().filter(|&&kind| kind == JointType::Free.raw()).count();
        free.grow_reserve_exact(count.saturating_sub(free.len()));
        self.memory.qpos.grow_reserve_exact(m.nq.saturating_sub(self.memory.qpos.len()));
    }

    /// Takes up which bodies are asleep.
    pub fn update(&mut self, s: &Structure, asleep: impl Fn(usize) -> bool) {
        let Lists { inner, roots, posed, free } = &mut self.lists;
        for list in [&mut *inner, &mut *roots, &mut *posed] {
            list.clear();
        }
        free.clear();
        for (b, body) in s.bodies.iter().enumerate().skip(1) {
            let parent = body.parent as usize;
            if parent > 0 && !asleep(parent) {
                inner.grow_push(b as i32);
            }
            let sleeps = asleep(b);
            if sleeps && parent == 0 {
                roots.grow_push(b as i32);
            }
            let joint = s.joints.get(body.joints().start).filter(|_| sleeps && body.free);
            let Some(first) = joint.map(|joint| joint.qpos()) else {
                posed.grow_push(b as i32);
                continue;
            };
            match free.last_mut() {
                Some(last) if last.end == first => last.end += FREE,
                _ => free.grow_push(first..first + FREE),
            }
        }
        self.memory.forget();
    }
}

impl Lists {
    /// Bodies whose poses may have changed, without the world; `None` if all have to be looked at.
    #[inline]
    pub fn posed(&self, memory: &Memory, qpos: &[f64]) -> Option<Selection<'_>> {
        let same =
            |range: &Range<usize>| same_bits(&qpos[range.clone()], &memory.qpos[range.clone()]);
        let known = memory.is_known && self.free.iter().all(same);
        known.then(|| Selection::of(&self.posed))
    }
}

impl Memory {
    /// Nothing holds any more.
    pub fn forget(&mut self) {
        (self.is_known, self.steps) = (false, 0);
    }

    /// Accelerations and forces of what sleeps are no longer those that it keeps.
    pub fn unsettle(&mut self) {
        self.steps = 0;
    }

    /// To be called when all poses have been computed.
    pub fn remember(&mut self, qpos: &[f64]) {
        self.qpos.clear();
        self.qpos.grow_extend_from_slice(qpos);
        self.is_known = true;
    }

    /// To be called at the end of a step.
    pub fn end_step(&mut self) {
        self.steps = self.steps.saturating_add(1).min(SETTLING);
    }

    #[inline(always)]
    pub fn is_settled(&self) -> bool {
        self.steps >= SETTLING
    }
}

/// Positions of a free joint.
const FREE: usize = 7;

/// Degrees of freedom whose accelerations and forces are not what they were: those that are awake,
/// or all, for the first steps.
macro_rules! unsettled_dofs {
    ($m:expr, $d:expr) => {
        if $d.scratch.sleepers.memory.is_settled() {
            $crate::awake::dofs!($m, $d)
        } else {
            $crate::awake::Selection::all($m.nv)
        }
    };
}

pub(crate) use unsettled_dofs;

/// Whether something of what sleeps is no longer as it has to be, so that each tree must be looked at.
pub(crate) fn are_disturbed(m: &Model, d: &mut Data) -> bool {
    std::mem::take(&mut d.scratch.sleepers.memory.moved)
        || disagree(&d.tree_asleep, &d.tree_awake, &m.tree_sleep_policy)
        || awake::dofs!(m, d)
            .gaps(m.nv)
            .any(|dofs| has_bits(&d.qvel[dofs.clone()]) || has_bits(&d.qfrc_applied[dofs]))
        || awake::bodies!(m, d)
            .with_world()
            .gaps(m.nbody)
            .any(|bodies| has_bits(bytemuck::cast_slice(&d.xfrc_applied[bodies])))
}

wide! {
    /// Whether a number differs from positive zero.
    fn has_bits(x: &[f64]) -> bool {
        let (blocks, rest) = x.as_chunks::<16>();
        let mut bits = [0; 16];
        for block in blocks {
            for k in 0..16 {
                bits[k] |= block[k].to_bits();
            }
        }
        let blocks = bits.iter().fold(0, |any, bits| any | bits);
        rest.iter().fold(blocks, |any, x| any | x.to_bits()) != 0
    }

    /// Whether numbers have the same bits.
    fn same_bits(x: &[f64], y: &[f64]) -> bool {
        let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<16>(), y.as_chunks::<16>());
        let mut bits = [0; 16];
        for (x, y) in x.iter().zip(y) {
            for k in 0..16 {
                bits[k] |= x[k].to_bits() ^ y[k].to_bits();
            }
        }
        let blocks = bits.iter().fold(0, |any, bits| any | bits);
        let rest = x_rest.iter().zip(y_rest);
        rest.fold(blocks, |any, (x, y)| any | (x.to_bits() ^ y.to_bits())) == 0
    }

    /// Whether a tree that sleeps is marked as awake, or may not sleep.
    fn disagree(asleep: &[i32], awake: &[i32], policy: &[i32]) -> bool {
        let (never, auto_never) = (SleepPolicy::Never.raw(), SleepPolicy::AutoNever.raw());
        let trees = asleep.iter().zip(awake).zip(policy);
        let any = trees.fold(0, |any, ((&asleep, &awake), &policy)| {
            let may_not = i32::from(policy == never) | i32::from(policy == auto_never);
            any | (!(asleep >> 31) & (awake | may_not))
        });
        any != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_counts() {
        for n in 0..70 {
            let zeros = vec![0.0; n];
            assert!(!has_bits(&zeros) && same_bits(&zeros, &zeros));
            for k in 0..n {
                for x in [-0.0, f64::NAN, 1.0] {
                    let mut numbers = zeros.clone();
                    numbers[k] = x;
                    assert!(has_bits(&numbers) && !same_bits(&zeros, &numbers));
                }
            }
        }
    }

    #[test]
    fn trees_that_may_not_sleep_are_noticed() {
        let (never, allowed) = (SleepPolicy::Never.raw(), SleepPolicy::Allowed.raw());
        let [asleep, awake] = [[3, -1, 7], [0, 1, 0]];
        assert!(!disagree(&asleep, &awake, &[allowed, never, allowed]));
        assert!(disagree(&asleep, &awake, &[allowed, never, never]));
        assert!(disagree(&asleep, &[1, 1, 0], &[allowed; 3]));
    }
}
