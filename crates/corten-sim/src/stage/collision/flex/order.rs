//! Pairs of overlapping boxes in the order of MuJoCo's sweep. Answers to `mj_SAP`.
//!
//! Ends of boxes along the sweep axis are sorted as numbers of single precision, equal ones by box,
//! the low end first. When the low end of a box comes, it meets the boxes whose low end has come and
//! whose high end has not, in the order in which they began.

use corten_math::array::MapInline;

use super::tree::Aabb;

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Sweep {
    /// Keys of the low ends.
    low_ends: Vec<u64>,
    /// Boxes that the sweep plane may cut, by when they began.
    active: Vec<Extent>,
}

/// A box: number, key of its high end, and bounds along the other two axes.
#[derive(Clone, Copy, Debug)]
struct Extent {
    id: u32,
    end: u64,
    low: [f64; 2],
    high: [f64; 2],
}

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
        let Sweep { low_ends, active } = self;
        low_ends.clear();
        for id in ids {
            let b = &boxes[id as usize];
            if b.iter().all(|x| x.is_finite()) {
                low_ends.push(key(b[axis] - b[axis + 3], id, false));
            }
        }
        low_ends.sort_unstable();
        let across = [(axis == 0) as usize, 2 - (axis == 2) as usize];
        active.clear();
        for &begin in low_ends.iter() {
            let id = begin as u32 >> 1;
            let b = &boxes[id as usize];
            let new = Extent {
                id,
                end: key(b[axis] + b[axis + 3], id, true),
                low: across.map_inline(|k| b[k] - b[k + 3]),
                high: across.map_inline(|k| b[k] + b[k + 3]),
            };
            // Boxes that have ended leave in passing.
            let mut kept = 0;
            for k in 0..active.len() {
                let old = active[k];
                if old.end < begin {
                    continue;
                }
                if kept < k {
                    active[kept] = old;
                }
                kept += 1;
                let apart = (old.low[0] > new.high[0])
                    | (new.low[0] > old.high[0])
                    | (old.low[1] > new.high[1])
                    | (new.low[1] > old.high[1]);
                if !apart {
                    found(old.id as usize, id as usize);
                }
            }
            active.truncate(kept);
            active.push(new);
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
