//! Overlapping boxes among many, in near-linear time: sort and sweep within strips.
//!
//! The boxes are sorted along the axis of largest spread and distributed over strips along the
//! second axis, in sorted order, so that each strip is swept on its own; a pair that shares
//! several strips is reported by the first. A box across many strips is tested against all others
//! instead. Sweeping along a single axis alone would cost n^(5/3) for a cube full of bodies.

use corten_math::Vec3;
use corten_math::array::MapInline;
use corten_math::memory::Grow;

use super::collidable::Collidable;

/// A box that covers more strips than this is tested against all others.
const MAX_STRIPS: usize = 8;

/// Insertion sort gives up after this many moves per box: the order has changed too much since
/// the last time.
const MOVES_PER_BOX: usize = 16;

#[derive(Clone, Debug, Default)]
pub(super) struct Sweep {
    boxes: Vec<Aabb>,
    strips: Vec<Entry>,
    starts: Vec<u32>,
    wide: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Aabb {
    low: Vec3,
    high: Vec3,
    id: Collidable,
}

/// A box in a strip, coordinates permuted to sweep, strip and remaining axis.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    low: [f64; 3],
    high: [f64; 3],
    id: Collidable,
    first_strip: u32,
}

impl Entry {
    #[inline]
    fn overlaps(&self, other: &Entry) -> bool {
        self.low[1] <= other.high[1]
            && other.low[1] <= self.high[1]
            && self.low[2] <= other.high[2]
            && other.low[2] <= self.high[2]
    }
}

impl Sweep {
    pub fn clear(&mut self) {
        self.boxes.clear();
    }

    /// Makes room for so many boxes.
    pub fn reserve(&mut self, count: usize) {
        self.boxes.grow_reserve(count);
    }

    /// Adds the box around a ball; one that is not finite overlaps nothing.
    #[inline]
    pub fn add(&mut self, id: Collidable, center: Vec3, radius: f64) {
        let (low, high) = (center - Vec3::splat(radius), center + Vec3::splat(radius));
        if low.is_finite() && high.is_finite() {
            self.boxes.push(Aabb { low, high, id });
        }
    }

    /// Reports every pair of overlapping boxes once, in no particular order. The indices of the
    /// boxes along the sweep axis are left in `order`, which is a first guess if it has that from
    /// the last time. Stops when `found` says that this is enough.
    pub fn pairs(
        &mut self,
        order: &mut Vec<u32>,
        mut found: impl FnMut(Collidable, Collidable) -> bool,
    ) {
        if self.boxes.len() < 2 {
            return;
        }
        let axes = self.axes();
        self.sort(axes[0], order);
        let strips = self.distribute(axes, order);
        for s in 0..strips {
            let entries = &self.strips[self.starts[s] as usize..self.starts[s + 1] as usize];
            for (k, a) in entries.iter().enumerate() {
                for b in &entries[k + 1..] {
                    if b.low[0] > a.high[0] {
                        break;
                    }
                    if a.overlaps(b)
                        && a.first_strip.max(b.first_strip) == s as u32
                        && !found(a.id, b.id)
                    {
                        return;
                    }
                }
            }
        }
        self.sweep_wide(axes, order, &mut found);
    }

    /// Axes by decreasing variance of the box centres.
    fn axes(&self) -> [usize; 3] {
        let n = self.boxes.len() as f64;
        let center = |b: &Aabb| (b.low + b.high) * 0.5;
        let mut mean = Vec3::ZERO;
        for b in &self.boxes {
            mean += center(b);
        }
        mean *= 1.0 / n;
        let mut variance = Vec3::ZERO;
        for b in &self.boxes {
            let d = center(b) - mean;
            variance += d.component_mul(d);
        }
        let mut axes = [0, 1, 2];
        axes.sort_by(|&a, &b| variance[b].total_cmp(&variance[a]));
        axes
    }

    /// Sorts by lower bound; equal ones by index, so that the result does not depend on the
    /// first guess.
    fn sort(&self, axis: usize, order: &mut Vec<u32>) {
        let n = self.boxes.len();
        let boxes = &self.boxes;
        let key = |k: u32| (boxes[k as usize].low[axis], k);
        let less = |a: (f64, u32), b: (f64, u32)| a.0 < b.0 || a.0 == b.0 && a.1 < b.1;
        if order.len() == n {
            let mut moves = MOVES_PER_BOX * n;
            'insertion: {
                for i in 1..n {
                    let moving = order[i];
                    let moving_key = key(moving);
                    let mut k = i;
                    while k > 0 && less(moving_key, key(order[k - 1])) {
                        order[k] = order[k - 1];
                        k -= 1;
                    }
                    order[k] = moving;
                    if i - k > moves {
                        break 'insertion;
                    }
                    moves -= i - k;
                }
                return;
            }
        } else {
            order.clear();
            order.extend(0..n as u32);
        }
        order.sort_unstable_by(|&a, &b| {
            let (a, b) = (key(a), key(b));
            a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
        });
    }

    /// Fills the strips; returns their number.
    fn distribute(&mut self, axes: [usize; 3], order: &[u32]) -> usize {
        let n = self.boxes.len();
        let axis = axes[1];
        let (mut low, mut high, mut extent) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
        for b in &self.boxes {
            low = low.min(b.low[axis]);
            high = high.max(b.high[axis]);
            extent += b.high[axis] - b.low[axis];
        }
        let width = 2.0 * extent / n as f64;
        // Degenerate ranges and widths end up in the first strip: a NaN converts to zero.
        let strips = (((high - low) / width).clamp(1.0, n as f64) as usize).max(1);
        let scale = strips as f64 / (high - low);
        let strip_of = |x: f64| (((x - low) * scale) as usize).min(strips - 1);

        self.starts.clear();
        self.starts.resize(strips + 1, 0);
        self.wide.clear();
        for &k in order {
            let b = &self.boxes[k as usize];
            let (s0, s1) = (strip_of(b.low[axis]), strip_of(b.high[axis]));
            if s1 - s0 >= MAX_STRIPS {
                self.wide.push(k);
                continue;
            }
            for s in s0..=s1 {
                self.starts[s + 1] += 1;
            }
        }
        for s in 0..strips {
            self.starts[s + 1] += self.starts[s];
        }
        // Every entry is written below.
        self.strips.grow_resize(self.starts[strips] as usize, Entry::default());
        let wide = self.wide.len();
        let mut next_wide = 0;
        for &k in order {
            if next_wide < wide && self.wide[next_wide] == k {
                next_wide += 1;
                continue;
            }
            let b = &self.boxes[k as usize];
            let (s0, s1) = (strip_of(b.low[axis]), strip_of(b.high[axis]));
            let entry = entry(b, axes, s0 as u32);
            for s in s0..=s1 {
                let place = &mut self.starts[s];
                self.strips[*place as usize] = entry;
                *place += 1;
            }
        }
        // Each start has moved to the end of its strip.
        self.starts.copy_within(..strips, 1);
        self.starts[0] = 0;
        strips
    }

    /// Tests each wide box against all boxes that begin before its end; two wide ones meet once.
    fn sweep_wide(
        &self,
        axes: [usize; 3],
        order: &[u32],
        found: &mut impl FnMut(Collidable, Collidable) -> bool,
    ) {
        for (w, &wide) in self.wide.iter().enumerate() {
            let a = entry(&self.boxes[wide as usize], axes, 0);
            let mut next_wide = 0;
            for &k in order {
                let b = entry(&self.boxes[k as usize], axes, 0);
                if b.low[0] > a.high[0] {
                    break;
                }
                if next_wide < self.wide.len() && self.wide[next_wide] == k {
                    next_wide += 1;
                    if next_wide <= w + 1 {
                        continue;
                    }
                }
                if a.low[0] <= b.high[0] && a.overlaps(&b) && !found(a.id, b.id) {
                    return;
                }
            }
        }
    }
}

fn entry(b: &Aabb, axes: [usize; 3], first_strip: u32) -> Entry {
    Entry {
        low: axes.map_inline(|k| b.low[k]),
        high: axes.map_inline(|k| b.high[k]),
        id: b.id,
        first_strip,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*state >> 11) as f64 / (1u64 << 53) as f64
    }

    fn collect(sweep: &mut Sweep, order: &mut Vec<u32>) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        sweep.pairs(order, |a, b| {
            pairs.push((a.min(b).index(), a.max(b).index()));
            true
        });
        let reported = pairs.len();
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(pairs.len(), reported, "a pair was reported twice");
        pairs
    }

    #[test]
    fn agrees_with_all_pairs() {
        let mut state = 1;
        let (mut sweep, mut order) = (Sweep::default(), Vec::new());
        for round in 0..60 {
            let n = 2 + (random(&mut state) * 120.0) as usize;
            let spread = [Vec3::splat(1.0), Vec3::new(5.0, 0.0, 0.0), Vec3::new(3.0, 8.0, 0.1)];
            let balls: Vec<(Vec3, f64)> = (0..n)
                .map(|k| {
                    let unit = Vec3(std::array::from_fn(|_| random(&mut state)));
                    let big = if k % 17 == 3 { 20.0 } else { 1.0 };
                    (unit.component_mul(spread[round % 3]), 0.1 * random(&mut state) * big)
                })
                .collect();
            sweep.clear();
            for (k, &(center, radius)) in balls.iter().enumerate() {
                sweep.add(Collidable::geom(k), center, radius);
            }
            let mut expected = Vec::new();
            for i in 0..n {
                for j in i + 1..n {
                    let gap = (balls[i].0 - balls[j].0).abs();
                    if (0..3).all(|k| gap[k] <= balls[i].1 + balls[j].1) {
                        expected.push((i, j));
                    }
                }
            }
            assert_eq!(collect(&mut sweep, &mut order), expected);
        }
    }

    #[test]
    fn degenerate_boxes_are_harmless() {
        let mut sweep = Sweep::default();
        sweep.add(Collidable::geom(0), Vec3::splat(f64::NAN), 1.0);
        sweep.add(Collidable::geom(1), Vec3::ZERO, f64::INFINITY);
        sweep.add(Collidable::geom(2), Vec3::ZERO, 0.0);
        sweep.add(Collidable::geom(3), Vec3::ZERO, 0.0);
        sweep.add(Collidable::geom(4), Vec3::splat(1e308), 1e307);
        assert_eq!(collect(&mut sweep, &mut Vec::new()), [(2, 3)]);
    }
}
