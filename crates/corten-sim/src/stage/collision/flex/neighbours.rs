//! Elements of a flex that may meet others of it, kept from step to step.
//!
//! Of the boxes that overlap in a sheet, most belong to neighbours in its mesh, which are not tested, and
//! which stay neighbours. A list has the other pairs whose boxes are closer than a slack. With the lower
//! end `l` and the higher end `h` of a box along an axis, a pair that is not listed had
//! `l_b − h_a > slack` for an order of the two and an axis. It cannot overlap as long as
//! `max Δh − min Δl`, over all boxes and since the list was made, is at most the slack along every
//! axis: a common translation does not count.

use super::order::Sweep;
use super::tree::Aabb;
use corten_math::memory::Grow;

/// Lists of pairs that are no longer than this times the elements; longer ones save nothing.
const MOST_PER_ELEMENT: usize = 16;
/// Steps that a list has to last: to make it takes about twice as long as to do without.
const WORTHWHILE: u32 = 4;
/// Steps after which a list is tried again, if it did not last: doubled up to the second number.
const PAUSES: [u32; 2] = [8, 256];
/// What the sweep may overlook, relative to coordinates: it sorts ends of boxes in single precision.
const COARSENESS: f64 = 1e-6;

/// Lists of all flexes.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbours {
    lists: Vec<List>,
    /// Boxes that are larger by half the slack.
    inflated: Vec<Aabb>,
}

#[derive(Clone, Debug, Default)]
struct List {
    pairs: Vec<[u32; 2]>,
    /// Boxes when the list was made; empty if there is no list.
    boxes: Vec<Aabb>,
    slack: f64,
    age: u32,
    /// Steps to go until the next try, and how many there were after the last failure.
    wait: u32,
    pause: u32,
}

impl Neighbours {
    /// Pairs of elements of a flex among which are all that overlap and `may_touch`; `None` where a list
    /// would not pay.
    pub fn near(
        &mut self,
        flex: usize,
        boxes: &[Aabb],
        sweep: &mut Sweep,
        may_touch: impl Fn(usize, usize) -> bool,
    ) -> Option<&[[u32; 2]]> {
        if self.lists.len() <= flex {
            self.lists.resize_with(flex + 1, List::default);
        }
        let list = &mut self.lists[flex];
        if list.wait > 0 {
            list.wait -= 1;
            return None;
        }
        if !list.holds(boxes) {
            let was_short = !list.boxes.is_empty() && list.age < WORTHWHILE;
            if was_short || !list.make(boxes, &mut self.inflated, sweep, may_touch) {
                list.boxes.clear();
                list.pause = (2 * list.pause).clamp(PAUSES[0], PAUSES[1]);
                list.wait = list.pause;
                return None;
            }
        }
        list.age = list.age.saturating_add(1);
        if list.age == WORTHWHILE {
            list.pause = 0;
        }
        Some(&list.pairs)
    }
}

impl List {
    /// Whether no two boxes have come closer by more than the slack.
    fn holds(&self, boxes: &[Aabb]) -> bool {
        if self.boxes.is_empty() || self.boxes.len() != boxes.len() {
            return false;
        }
        let (mut raised, mut lowered) = ([f64::NEG_INFINITY; 3], [f64::INFINITY; 3]);
        for (now, then) in boxes.iter().zip(&self.boxes) {
            for k in 0..3 {
                let high = (now[k] + now[k + 3]) - (then[k] + then[k + 3]);
                let low = (now[k] - now[k + 3]) - (then[k] - then[k + 3]);
                // Boxes that are nowhere overlap nothing.
                raised[k] = if high > raised[k] { high } else { raised[k] };
                lowered[k] = if low < lowered[k] { low } else { lowered[k] };
            }
        }
        (0..3).all(|k| raised[k] - lowered[k] <= self.slack)
    }

    /// Lists the pairs; `false` if there are too many, or boxes without end.
    fn make(
        &mut self,
        boxes: &[Aabb],
        inflated: &mut Vec<Aabb>,
        sweep: &mut Sweep,
        may_touch: impl Fn(usize, usize) -> bool,
    ) -> bool {
        let (mut sum, mut farthest, mut is_finite) = (0.0, 0.0_f64, !boxes.is_empty());
        let mut extent = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
        for b in boxes {
            sum += b[3].max(b[4]).max(b[5]);
            is_finite &= b.iter().all(|x| x.is_finite());
            for k in 0..3 {
                farthest = farthest.max(b[k].abs() + b[k + 3]);
                extent[k] = [extent[k][0].min(b[k]), extent[k][1].max(b[k])];
            }
        }
        // Half the size of an element: what it takes to get from one row of neighbours to the next.
        let reach = sum / boxes.len() as f64;
        self.slack = reach - COARSENESS * farthest;
        if !is_finite || !(self.slack > 0.0) {
            return false;
        }
        let most = MOST_PER_ELEMENT * boxes.len();
        self.pairs.clear();
        self.pairs.grow_reserve(most);
        inflated.clear();
        inflated.grow_extend(boxes.iter().map(|b| {
            let more = 0.5 * reach;
            [b[0], b[1], b[2], b[3] + more, b[4] + more, b[5] + more]
        }));
        let longest = |a: &usize, b: &usize| {
            let [a, b] = [a, b].map(|&k| extent[k][1] - extent[k][0]);
            a.total_cmp(&b)
        };
        let axis = (0..3).max_by(longest).unwrap_or(0);
        let pairs = &mut self.pairs;
        let mut count = 0;
        sweep.pairs(inflated, 0..boxes.len() as u32, axis, |a, b| {
            if may_touch(a, b) {
                count += 1;
                if count <= most {
                    pairs.push([a as u32, b as u32]);
                }
            }
        });
        self.boxes.clear();
        self.boxes.grow_extend_from_slice(boxes);
        self.age = 0;
        count <= most
    }
}

#[cfg(test)]
mod tests {
    use super::super::order;
    use super::super::tree::overlap;
    use super::*;

    /// A sheet of `n` by `n` boxes, folded, that moves and is shaken.
    fn sheet(n: usize, time: f64) -> Vec<Aabb> {
        let at = |i: usize, j: usize| {
            let (u, v) = (i as f64, j as f64);
            let fold = if i < n / 2 { u } else { (n - i) as f64 + 0.3 * (0.7 * v).sin() };
            let wave = 0.4 * (0.5 * u + 3.0 * time).sin() * (0.3 * v - 2.0 * time).cos();
            let height = if i < n / 2 { 0.0 } else { 0.5 } + wave;
            let size = 0.55 + 0.1 * (u + v + 5.0 * time).sin();
            [fold + 20.0 * time, v, height - 40.0 * time, size, size, 0.1]
        };
        (0..n * n).map(|e| at(e / n, e % n)).collect()
    }

    #[test]
    fn the_pairs_and_the_order_are_those_of_a_sweep() {
        let n = 12;
        // Next to each other in the sheet.
        let may_touch = |a: usize, b: usize| {
            let away = |a: usize, b: usize| a.abs_diff(b) > 1;
            away(a / n, b / n) || away(a % n, b % n)
        };
        let (mut neighbours, mut sweep) = (Neighbours::default(), Sweep::default());
        let (mut by_list, mut tested, mut longest) = (0, 0, 0);
        for step in 0..400 {
            let boxes = sheet(n, 0.005 * f64::from(step));
            let mut want = Vec::new();
            sweep.pairs(&boxes, 0..boxes.len() as u32, 1, |a, b| {
                if may_touch(a, b) && overlap(&boxes[a], &boxes[b]) {
                    want.push([a as u32, b as u32]);
                }
            });
            if let Some(near) = neighbours.near(0, &boxes, &mut sweep, may_touch) {
                longest = longest.max(near.len());
                let meets = |p: &&[u32; 2]| overlap(&boxes[p[0] as usize], &boxes[p[1] as usize]);
                let mut found: Vec<_> = near.iter().filter(meets).copied().collect();
                order::arrange(&boxes, 1, &mut found);
                assert_eq!(found, want, "step {step}");
                by_list += 1;
                tested += found.len();
            }
        }
        assert!(by_list > 200 && tested > 1000, "{by_list} {tested}");
        assert!(longest < MOST_PER_ELEMENT * n * n);
    }

    /// Lists that never last, are too long or nowhere: the way without them.
    #[test]
    fn lists_that_do_not_pay_are_given_up() {
        let (mut neighbours, mut sweep) = (Neighbours::default(), Sweep::default());
        let tried =
            |neighbours: &mut Neighbours, sweep: &mut Sweep, boxes: &dyn Fn(i32) -> Vec<Aabb>| {
                (0..300)
                    .filter(|&k| neighbours.near(0, &boxes(k), sweep, |_, _| true).is_some())
                    .count()
            };
        let apart =
            |k: i32| (0..50).map(|e| [f64::from(e * (1 + k % 7)), 0., 0., 1., 1., 1.]).collect();
        assert!(tried(&mut neighbours, &mut sweep, &apart) < 20);
        let heap = |_: i32| vec![[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]; 50];
        assert_eq!(tried(&mut Neighbours::default(), &mut sweep, &heap), 0);
        let nowhere = |_: i32| vec![[f64::NAN; 6]; 50];
        assert_eq!(tried(&mut Neighbours::default(), &mut sweep, &nowhere), 0);
    }
}
