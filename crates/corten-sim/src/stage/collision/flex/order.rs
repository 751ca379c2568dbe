//! Pairs of overlapping boxes in the order of MuJoCo's sweep. Answers to `mj_SAP`.
//!
//! Ends of boxes along the sweep axis are sorted as numbers of single precision, equal ones by box,
//! the low end first. When the low end of a box comes, it meets the boxes whose low end has come and
//! whose high end has not, in the order in which they began.

use corten_math::memory::Grow;
use corten_math::{Mask, wide};

use super::tree::Aabb;

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Sweep {
    /// Keys of the low ends.
    low_ends: Vec<u64>,
    /// Boxes that the sweep plane may cut, by when they began; those that have ended leave now and then.
    active: Vec<Active>,
    /// Of each of them the bounds along the other two axes: low ends, and high ends with the sign changed.
    bounds: Vec<[f64; 4]>,
    /// Places in the list of those that the box at hand overlaps.
    hits: Vec<u32>,
}

/// Number of a box, and the key of its high end.
#[derive(Clone, Copy, Debug)]
struct Active {
    id: u32,
    end: u64,
}

/// Boxes that begin between two passes that remove those that have ended.
const PASS: usize = 8;

impl Sweep {
    /// Calls `found(first, second)` for boxes among `ids` that overlap, `second` the one that begins
    /// later along `axis`. Boxes that are not finite overlap nothing.
    pub fn pairs(
        &mut self,
        boxes: &[Aabb],
        ids: impl Iterator<Item = u32>,
        axis: usize,
        mut found: impl FnMut(usize, usize),
    ) {
        self.low_ends.clear();
        for id in ids {
            let b = &boxes[id as usize];
            if b.iter().all(|x| x.is_finite()) {
                self.low_ends.grow_push(key(b[axis] - b[axis + 3], id, false));
            }
        }
        self.low_ends.sort_unstable();
        let [p, q] = [(axis == 0) as usize, 2 - (axis == 2) as usize];
        self.active.clear();
        self.bounds.clear();
        for k in 0..self.low_ends.len() {
            let begin = self.low_ends[k];
            if k.is_multiple_of(PASS) {
                self.remove_ended(begin);
            }
            let id = begin as u32 >> 1;
            let b = &boxes[id as usize];
            let (low, high) =
                ([b[p] - b[p + 3], b[q] - b[q + 3]], [b[p] + b[p + 3], b[q] + b[q + 3]]);
            self.hits.clear();
            overlapping(&self.bounds, [high[0], high[1], -low[0], -low[1]], &mut self.hits);
            for &hit in &self.hits {
                let old = self.active[hit as usize];
                if old.end > begin {
                    found(old.id as usize, id as usize);
                }
            }
            self.active.push(Active { id, end: key(b[axis] + b[axis + 3], id, true) });
            self.bounds.push([low[0], low[1], -high[0], -high[1]]);
        }
    }

    fn remove_ended(&mut self, begin: u64) {
        let mut kept = 0;
        for k in 0..self.active.len() {
            if self.active[k].end > begin {
                self.active[kept] = self.active[k];
                self.bounds[kept] = self.bounds[k];
                kept += 1;
            }
        }
        self.active.truncate(kept);
        self.bounds.truncate(kept);
    }
}

/// Puts pairs in ascending order.
pub(super) fn ascend(pairs: &mut [[u32; 2]]) {
    pairs.iter_mut().for_each(|pair| pair.sort_unstable());
    pairs.sort_unstable();
}

/// Puts pairs of boxes that overlap in the order in which a sweep finds them, and drops those that it
/// does not find, because of its single precision.
pub(super) fn arrange(boxes: &[Aabb], axis: usize, pairs: &mut Vec<[u32; 2]>) {
    let bounds = |id: u32| &boxes[id as usize];
    let begin = |id: u32| key(bounds(id)[axis] - bounds(id)[axis + 3], id, false);
    let end = |id: u32| key(bounds(id)[axis] + bounds(id)[axis + 3], id, true);
    pairs.retain_mut(|pair| {
        if begin(pair[1]) < begin(pair[0]) {
            pair.swap(0, 1);
        }
        end(pair[0]) > begin(pair[1])
    });
    pairs.sort_unstable_by_key(|&[first, second]| (begin(second), begin(first)));
}

wide! {
    /// Appends the places of boxes that reach the limits: none of whose bounds is above them.
    fn overlapping(bounds: &[[f64; 4]], limits: [f64; 4], hits: &mut Vec<u32>) {
        let limits = Simd::load(limits);
        for (k, bounds) in bounds.iter().enumerate() {
            if !limits.lt(Simd::load(*bounds)).any() {
                hits.push(k as u32);
            }
        }
    }
}

/// A number that orders ends of boxes: by value, box, and side.
fn key(value: f64, id: u32, is_high: bool) -> u64 {
    // The sum makes zero of its negative, which is equal to it.
    let bits = (value as f32 + 0.0).to_bits();
    let ascending = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
    u64::from(ascending) << 32 | u64::from(id << 1 | u32::from(is_high))
}
