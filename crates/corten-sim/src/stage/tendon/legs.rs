//! Legs of tendons, four at a time: where they touch, and the directions of their straight pieces.
//!
//! Reads poses of sites and geoms; writes one [`Runs`] per four legs.

use std::mem::offset_of;

use bytemuck::{Pod, Zeroable};
use corten_math::array;
use corten_math::array::MapInline;
use corten_math::{Four, Mat3, Number, Vec3, Wide, wide};

use super::path::Leg;
use super::pattern::Pattern;
use super::wrap::{Obstacle, WrapShape, normalized};
use crate::Model;

/// How four legs run at present: numbers of each stand four apart from one another.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Runs {
    /// Where the string starts, reaches the obstacle, leaves it, and ends.
    pub points: [Vec3<Four>; 4],
    /// What the string pulls with, along its straight pieces before and after the obstacle: unit
    /// vectors over the divisor. If the obstacle is not touched, the former is all.
    pub forces: [Vec3<Four>; 2],
    /// Share of the tendon's length.
    pub shares: Four,
    /// One where the obstacle is touched, zero elsewhere.
    pub touches: Four,
}

/// Where the numbers of a leg are, among those of all runs: of its lane in the first field of a
/// [`Runs`], whose other fields follow at fixed distances.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct RunIndex(u32);

/// Distances, in numbers.
const fn numbers(bytes: usize) -> u32 {
    (bytes / size_of::<f64>()) as u32
}
const POINTS: u32 = numbers(offset_of!(Runs, points));
const FORCES: u32 = numbers(offset_of!(Runs, forces));
const SHARES: u32 = numbers(offset_of!(Runs, shares));
const TOUCHES: u32 = numbers(offset_of!(Runs, touches));
const VECTOR: u32 = numbers(size_of::<Vec3<Four>>());

impl RunIndex {
    fn new(batch: usize, lane: usize) -> RunIndex {
        RunIndex((batch * size_of::<Runs>() / size_of::<f64>() + lane) as u32)
    }

    /// Where one of its points is.
    pub fn of_point(self, point: u32) -> u32 {
        self.0 + POINTS + VECTOR * point
    }

    /// Where the force along one of its straight pieces is.
    pub fn of_force(self, piece: u32) -> u32 {
        self.0 + FORCES + VECTOR * piece
    }

    /// Where it tells whether the obstacle is touched.
    pub fn of_touch(self) -> u32 {
        self.0 + TOUCHES
    }

    /// The numbers of the leg.
    #[inline(always)]
    pub fn run(self, numbers: &[f64]) -> Run<'_> {
        let start = self.0 as usize;
        Run(&numbers[start..=start + TOUCHES as usize])
    }
}

/// How a leg runs at present.
pub(crate) struct Run<'a>(&'a [f64]);

impl Run<'_> {
    #[inline(always)]
    pub fn point(&self, k: u32) -> Vec3 {
        vector(self.0, POINTS + VECTOR * k)
    }

    #[inline(always)]
    pub fn share(&self) -> f64 {
        self.0[SHARES as usize]
    }

    #[inline(always)]
    pub fn touches(&self) -> bool {
        self.0[TOUCHES as usize] != 0.0
    }
}

/// The lane at an address of a vector of four legs.
#[inline(always)]
pub(super) fn vector(numbers: &[f64], at: u32) -> Vec3 {
    const LANES: usize = Four::LANES;
    let numbers = &numbers[at as usize..=at as usize + 2 * LANES];
    Vec3([numbers[0], numbers[LANES], numbers[2 * LANES]])
}

/// Where the ends of legs and the obstacles are.
pub(super) struct Poses<'a> {
    pub site_xpos: &'a [Vec3],
    pub geom_xpos: &'a [Vec3],
    pub geom_xmat: &'a [Mat3],
}

/// Four legs around obstacles of the same shape, all with a site beside it or all without, or around
/// none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Batch {
    shape: Option<WrapShape>,
    /// Of each; the last is repeated if there are fewer than four.
    tendons: [u32; 4],
    sites: [[u32; 4]; 2],
    geoms: [u32; 4],
    /// Whether there are sites beside the obstacles, and which.
    has_sides: bool,
    sides: [u32; 4],
    divisors: [f64; 4],
    /// One over each divisor.
    weights: [f64; 4],
    /// Whether all divisors are one.
    undivided: bool,
}

impl Batch {
    /// All legs of a pattern, which then know their places in the batches.
    pub fn all(pattern: &mut Pattern) -> Vec<Batch> {
        let mut batches = Vec::new();
        let kinds = [None, Some(WrapShape::Sphere), Some(WrapShape::Cylinder)]
            .map_inline(|shape| [(shape, false), (shape, true)]);
        for &kind in kinds.as_flattened() {
            let mut alike: Vec<(u32, &mut Leg)> =
                pattern.legs().filter(|(_, leg)| leg.kind() == kind).collect();
            for legs in alike.chunks_mut(4) {
                for (lane, (_, leg)) in legs.iter_mut().enumerate() {
                    leg.place = RunIndex::new(batches.len(), lane);
                }
                batches.push(Batch::new(kind.0, legs));
            }
        }
        batches
    }

    fn new(shape: Option<WrapShape>, legs: &[(u32, &mut Leg)]) -> Batch {
        let lanes: [(u32, &Leg); 4] = array::from_fn(|k| {
            let (tendon, leg) = &legs[k.min(legs.len() - 1)];
            (*tendon, &**leg)
        });
        let divisors = lanes.map_inline(|(_, leg)| leg.divisor);
        let side = |leg: &Leg| leg.around.as_ref().and_then(|a| a.side);
        Batch {
            shape,
            tendons: lanes.map_inline(|(tendon, _)| tendon),
            sites: [0, 1].map_inline(|end| lanes.map_inline(|(_, leg)| leg.sites[end] as u32)),
            geoms: lanes.map_inline(|(_, leg)| leg.around.as_ref().map_or(0, |a| a.geom as u32)),
            has_sides: lanes.iter().all(|(_, leg)| side(leg).is_some()),
            sides: lanes.map_inline(|(_, leg)| side(leg).unwrap_or(0) as u32),
            divisors,
            undivided: divisors == [1.0; 4],
            weights: divisors.map(|divisor| 1.0 / divisor),
        }
    }

    /// Whether all legs belong to sleeping tendons.
    #[inline(always)]
    fn sleeps(&self, asleep: &[bool]) -> bool {
        !asleep.is_empty() && self.tendons.iter().all(|&t| asleep[t as usize])
    }

    /// How the legs run.
    #[inline(always)]
    fn run<S: Wide>(&self, m: &Model, poses: &Poses<'_>, runs: &mut Runs) {
        let (zero, one) = (S::splat(0.0), S::splat(1.0));
        let [start, end] = &self.sites;
        let start = Vec3::<S>::from_lanes(|k| poses.site_xpos[start[k] as usize]);
        let end = Vec3::from_lanes(|k| poses.site_xpos[end[k] as usize]);
        let mut gap = end - start;
        let mut rest = None;
        if let Some(shape) = self.shape {
            let geom = |k: usize| self.geoms[k] as usize;
            let obstacle = Obstacle {
                shape,
                center: Vec3::from_lanes(|k| poses.geom_xpos[geom(k)]),
                frame: Mat3::from_lanes(|k| &poses.geom_xmat[geom(k)]),
                radius: S::from_lanes(|k| m.geom_size[geom(k)][0]),
            };
            let side = if self.has_sides {
                Some(Vec3::from_lanes(|k| poses.site_xpos[self.sides[k] as usize]))
            } else {
                None
            };
            let mut touches = zero;
            if let Some(touch) = obstacle.touch([start, end], side) {
                let [reach, leave] = touch.points;
                let before = reach - start;
                for k in 0..3 {
                    gap[k] = S::select(touch.touches, before[k], gap[k]);
                }
                let (after, after_length) = normalized(end - leave);
                *bytemuck::cast_mut(&mut runs.points[1]) = reach;
                *bytemuck::cast_mut(&mut runs.points[2]) = leave;
                *bytemuck::cast_mut(&mut runs.forces[1]) = self.weighted(after);
                touches = S::select(touch.touches, one, zero);
                rest = Some((touch.touches, touch.length, after_length));
            }
            *bytemuck::cast_mut(&mut runs.touches) = touches;
        }
        let (before, mut length) = normalized(gap);
        if let Some((touches, around, after)) = rest {
            length = S::select(touches, length + around + after, length);
        }
        *bytemuck::cast_mut(&mut runs.points[0]) = start;
        *bytemuck::cast_mut(&mut runs.points[3]) = end;
        *bytemuck::cast_mut(&mut runs.forces[0]) = self.weighted(before);
        if !self.undivided {
            length = length / S::load(self.divisors);
        }
        *bytemuck::cast_mut(&mut runs.shares) = length;
    }

    /// Vectors over the divisors.
    #[inline(always)]
    fn weighted<S: Wide>(&self, v: Vec3<S>) -> Vec3<S> {
        if self.undivided { v } else { v * S::load(self.weights) }
    }
}

wide! {
    /// How all legs run, but for those of sleeping tendons.
    pub(super) fn run(
        m: &Model,
        poses: Poses<'_>,
        batches: &[Batch],
        asleep: &[bool],
        runs: &mut [Runs],
    ) {
        for (batch, runs) in batches.iter().zip(runs).filter(|(batch, _)| !batch.sleeps(asleep)) {
            batch.run::<Simd>(m, &poses, runs);
        }
    }
}
