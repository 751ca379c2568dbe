//! Legs of tendons, four at a time: where they touch, and the directions of their straight pieces.
//!
//! Reads poses of sites and geoms; writes one [`Run`] per leg.

use corten_math::{Four, Mat3, Number, Vec3, wide};
use corten_model::Model;

use super::path::Leg;
use super::pattern::Pattern;
use super::wrap::{Obstacle, Shape, Side, normalized};
use crate::Data;

/// How four legs run at present.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Runs {
    /// Where the string starts, reaches the obstacle, leaves it, and ends.
    pub points: [Vec3<Four>; 4],
    /// Unit vectors along the straight pieces before and after the obstacle, and their lengths; if
    /// it is not touched, the former is all.
    pub directions: [Vec3<Four>; 2],
    pub distances: [Four; 2],
    /// Length along the obstacle.
    pub around: Four,
    /// One where the obstacle is touched, zero elsewhere.
    pub touches: Four,
}

/// Four legs around obstacles of the same shape, or around none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Batch {
    shape: Option<Shape>,
    /// Of each; the last is repeated if there are fewer than four.
    tendons: [u32; 4],
    sites: [[u32; 4]; 2],
    geoms: [u32; 4],
    /// Sites beside the obstacles; where there is none, another.
    sides: [u32; 4],
    /// One where there is a site beside the obstacle, zero elsewhere.
    has_side: [f64; 4],
}

impl Batch {
    /// All legs of a pattern, which then know their places in the batches.
    pub fn all(pattern: &mut Pattern) -> Vec<Batch> {
        let mut batches = Vec::new();
        for shape in [None, Some(Shape::Sphere), Some(Shape::Cylinder)] {
            let mut alike: Vec<(u32, &mut Leg)> = pattern
                .legs()
                .filter(|(_, leg)| leg.around.as_ref().map(|a| a.shape) == shape)
                .collect();
            for legs in alike.chunks_mut(4) {
                for (lane, (_, leg)) in legs.iter_mut().enumerate() {
                    leg.run = [batches.len() as u32, lane as u32];
                }
                batches.push(Batch::new(shape, legs));
            }
        }
        batches
    }

    fn new(shape: Option<Shape>, legs: &[(u32, &mut Leg)]) -> Batch {
        let lanes: [(u32, &Leg); 4] = std::array::from_fn(|k| {
            let (tendon, leg) = &legs[k.min(legs.len() - 1)];
            (*tendon, &**leg)
        });
        let side = |leg: &Leg| leg.around.as_ref().and_then(|a| a.side);
        Batch {
            shape,
            tendons: lanes.map(|(tendon, _)| tendon),
            sites: [0, 1].map(|end| lanes.map(|(_, leg)| leg.sites[end] as u32)),
            geoms: lanes.map(|(_, leg)| leg.around.as_ref().map_or(0, |a| a.geom as u32)),
            sides: lanes.map(|(_, leg)| side(leg).unwrap_or(leg.sites[0]) as u32),
            has_side: lanes.map(|(_, leg)| if side(leg).is_some() { 1.0 } else { 0.0 }),
        }
    }

    /// Whether all legs belong to sleeping tendons.
    #[inline(always)]
    fn sleeps(&self, asleep: &[bool]) -> bool {
        !asleep.is_empty() && self.tendons.iter().all(|&t| asleep[t as usize])
    }

    /// The runs of as many legs as `T` has lanes, from `first` on.
    #[inline(always)]
    fn run<T: Number>(&self, first: usize, m: &Model, d: &Data, runs: &mut Runs) {
        let (zero, one) = (T::of(0.0), T::of(1.0));
        let [start, end] = &self.sites;
        let start = Vec3::from_lanes(|k| d.site_xpos[start[first + k] as usize]);
        let end = Vec3::from_lanes(|k| d.site_xpos[end[first + k] as usize]);
        let mut gap = end - start;
        if let Some(shape) = self.shape {
            let geom = |k: usize| self.geoms[first + k] as usize;
            let obstacle = Obstacle {
                shape,
                center: Vec3::from_lanes(|k| d.geom_xpos[geom(k)]),
                frame: Mat3::from_lanes(|k| &d.geom_xmat[geom(k)]),
                radius: T::from_lanes(|k| m.geom_size[geom(k)][0]),
            };
            let side = Side {
                given: zero.below(T::from_lanes(|k| self.has_side[first + k])),
                point: Vec3::from_lanes(|k| d.site_xpos[self.sides[first + k] as usize]),
            };
            let mut touches = zero;
            if let Some(touch) = obstacle.touch([start, end], side) {
                let [reach, leave] = touch.points;
                let before = reach - start;
                for k in 0..3 {
                    gap[k] = T::select(touch.touches, before[k], gap[k]);
                }
                let (after, after_length) = normalized(end - leave);
                reach.put(&mut runs.points[1], first);
                leave.put(&mut runs.points[2], first);
                after.put(&mut runs.directions[1], first);
                after_length.put(&mut runs.distances[1], first);
                touch.length.put(&mut runs.around, first);
                touches = T::select(touch.touches, one, zero);
            }
            touches.put(&mut runs.touches, first);
        }
        let (before, length) = normalized(gap);
        start.put(&mut runs.points[0], first);
        end.put(&mut runs.points[3], first);
        before.put(&mut runs.directions[0], first);
        length.put(&mut runs.distances[0], first);
    }
}

/// How all legs run, but for those of sleeping tendons.
#[inline]
pub(super) fn run(m: &Model, d: &Data, batches: &[Batch], asleep: &[bool], runs: &mut [Runs]) {
    if Four::available() {
        four(m, d, batches, asleep, runs);
    } else {
        one(m, d, batches, asleep, runs);
    }
}

wide! {
    fn four(m: &Model, d: &Data, batches: &[Batch], asleep: &[bool], runs: &mut [Runs]) {
        for (batch, runs) in batches.iter().zip(runs).filter(|(batch, _)| !batch.sleeps(asleep)) {
            batch.run::<Four>(0, m, d, runs);
        }
    }
}

fn one(m: &Model, d: &Data, batches: &[Batch], asleep: &[bool], runs: &mut [Runs]) {
    for (batch, runs) in batches.iter().zip(runs).filter(|(batch, _)| !batch.sleeps(asleep)) {
        for k in 0..4 {
            batch.run::<f64>(k, m, d, runs);
        }
    }
}
