//! Legs of tendons, four at a time: where they touch, and the directions of their straight pieces.
//!
//! Reads poses of sites and geoms; writes one [`Run`] per leg.

use corten_math::{Four, Mat3, Number, Vec3, wide};
use corten_model::Model;

use super::path::{Leg, Piece};
use super::pattern::Pattern;
use super::wrap::{Obstacle, Shape, Side, normalized};
use crate::Data;

/// How a leg runs at present.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Run {
    /// Where the string reaches the obstacle, and its length along it.
    pub reach: [f64; 4],
    /// Where the string leaves the obstacle; the last number is not zero if it touches at all.
    pub leave: [f64; 4],
    /// Unit vectors and lengths of the straight pieces before and after the obstacle; if it is not
    /// touched, the former is all.
    pub before: [f64; 4],
    pub after: [f64; 4],
}

/// Four legs around obstacles of the same shape, or around none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Batch {
    shape: Option<Shape>,
    /// Their places among the pieces of all paths; some are repeated if there are fewer than four.
    pieces: [u32; 4],
    tendons: [u32; 4],
    sites: [[u32; 4]; 2],
    geoms: [u32; 4],
    /// Sites beside the obstacles; where there is none, another.
    sides: [u32; 4],
    /// One where there is a site beside the obstacle, zero elsewhere.
    has_side: [f64; 4],
}

/// A leg, its place among the pieces of all paths, and its tendon.
#[derive(Clone, Copy)]
struct Placed<'a> {
    leg: &'a Leg,
    place: u32,
    tendon: u32,
}

impl Batch {
    /// All legs of a pattern.
    pub fn all(pattern: &Pattern) -> Vec<Batch> {
        let mut legs = Vec::new();
        for tendon in 0..pattern.rowadr.len() {
            for place in pattern.path(tendon) {
                if let Piece::Leg(leg) = &pattern.pieces[place] {
                    legs.push(Placed { leg, place: place as u32, tendon: tendon as u32 });
                }
            }
        }
        let mut batches = Vec::new();
        for shape in [None, Some(Shape::Sphere), Some(Shape::Cylinder)] {
            let of_shape = |legs: &&Placed<'_>| legs.leg.around.map(|a| a.shape) == shape;
            let alike: Vec<Placed<'_>> = legs.iter().filter(of_shape).copied().collect();
            batches.extend(alike.chunks(4).map(|legs| Batch::new(shape, legs)));
        }
        batches
    }

    fn new(shape: Option<Shape>, legs: &[Placed<'_>]) -> Batch {
        let lanes: [Placed<'_>; 4] = std::array::from_fn(|k| legs[k.min(legs.len() - 1)]);
        let side = |leg: &Leg| leg.around.and_then(|a| a.side);
        Batch {
            shape,
            pieces: lanes.map(|at| at.place),
            tendons: lanes.map(|at| at.tendon),
            sites: [0, 1].map(|end| lanes.map(|at| at.leg.sites[end] as u32)),
            geoms: lanes.map(|at| at.leg.around.map_or(0, |a| a.geom as u32)),
            sides: lanes.map(|at| side(at.leg).unwrap_or(at.leg.sites[0]) as u32),
            has_side: lanes.map(|at| if side(at.leg).is_some() { 1.0 } else { 0.0 }),
        }
    }

    /// Whether all legs belong to sleeping tendons.
    #[inline(always)]
    fn sleeps(&self, asleep: &[bool]) -> bool {
        !asleep.is_empty() && self.tendons.iter().all(|&t| asleep[t as usize])
    }

    /// The runs of as many legs as `T` has lanes, from `first` on.
    #[inline(always)]
    fn run<T: Number>(&self, first: usize, m: &Model, d: &Data, runs: &mut [Run]) {
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
            if let Some(touch) = obstacle.touch([start, end], side) {
                let [reach, leave] = touch.points;
                let before = reach - start;
                for k in 0..3 {
                    gap[k] = T::select(touch.touches, before[k], gap[k]);
                }
                let touches = T::select(touch.touches, one, zero);
                let (after, after_length) = normalized(end - leave);
                self.write(first, runs, reach, touch.length, |run| &mut run.reach);
                self.write(first, runs, leave, touches, |run| &mut run.leave);
                self.write(first, runs, after, after_length, |run| &mut run.after);
            } else {
                self.write(first, runs, gap, zero, |run| &mut run.leave);
            }
        }
        let (before, length) = normalized(gap);
        self.write(first, runs, before, length, |run| &mut run.before);
    }

    /// Writes a vector and a number to the runs of the legs from `first` on.
    #[inline(always)]
    fn write<T: Number>(
        &self,
        first: usize,
        runs: &mut [Run],
        v: Vec3<T>,
        x: T,
        place: impl Fn(&mut Run) -> &mut [f64; 4],
    ) {
        let records = T::to_records([v[0], v[1], v[2], x]);
        for k in 0..T::LANES {
            if let Some(run) = runs.get_mut(self.pieces[first + k] as usize) {
                *place(run) = records[k];
            }
        }
    }
}

/// How all legs run, but for those of sleeping tendons.
#[inline]
pub(super) fn run(m: &Model, d: &Data, batches: &[Batch], asleep: &[bool], runs: &mut [Run]) {
    if Four::available() {
        four(m, d, batches, asleep, runs);
    } else {
        one(m, d, batches, asleep, runs);
    }
}

wide! {
    fn four(m: &Model, d: &Data, batches: &[Batch], asleep: &[bool], runs: &mut [Run]) {
        for batch in batches.iter().filter(|batch| !batch.sleeps(asleep)) {
            batch.run::<Four>(0, m, d, runs);
        }
    }
}

fn one(m: &Model, d: &Data, batches: &[Batch], asleep: &[bool], runs: &mut [Run]) {
    for batch in batches.iter().filter(|batch| !batch.sleeps(asleep)) {
        for k in 0..4 {
            batch.run::<f64>(k, m, d, runs);
        }
    }
}
