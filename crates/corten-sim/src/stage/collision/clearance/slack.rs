//! How far bodies may move whose geoms are far apart.

use corten_math::memory;
use corten_math::{Four, Mask, Quat, Vec3, Wide, wide};
use corten_model::enums::GeomType;

use super::super::collidable::Collidable;
use super::super::filter::{Candidate, Rules, Source};
use super::super::method::Method;
use super::super::parameters;
use super::plane::Plane;
use super::{Frames, SAFETY_GAP, WORLDS};

use crate::Model;

/// Distances between spheres below which a pair must have a plane, in parts of the radii.
const NEAREST: f64 = 0.05;

/// What may touch, in any world of a model.
#[derive(Clone, Debug, Default)]
pub(super) struct Bounds {
    /// Bodies that move and have geoms that may touch something.
    pub moving: Vec<MovingBody>,
    pub spheres: Vec<Sphere>,
    pub pairs: Vec<Pair>,
}

/// A body, and the farthest of its points from its origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct MovingBody {
    body: u32,
    pub reach: f64,
}

/// A geom's bounds, with the centre in the frame of its body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sphere {
    body: u32,
    center: Vec3,
}

/// Bounds of a pair of geoms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub first: Bound,
    /// The sphere of the other one.
    second: u32,
    /// Distance of the centres, or of the centre from a plane, at which bounds touch.
    pub radii: f64,
    pub margin: f64,
    /// Distance from which on the shapes have no contacts.
    pub apart: f64,
    moving: [Option<u32>; 2],
}

/// Bounds of the first geom of a pair: one of the spheres, or all that is below a plane, given in the
/// frame of its body.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bound {
    Sphere(u32),
    HalfSpace { body: u32, point: Vec3, normal: Vec3 },
}

/// Where a moving body was, and how far it may move from there.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReferencePose {
    pos: Vec3<Four>,
    quat: Quat<Four>,
    /// Square of the distance; infinite in worlds of which nothing is known.
    pub slack: Four,
}

impl ReferencePose {
    pub const UNSET: ReferencePose = {
        let zero = Four([0.0; WORLDS]);
        ReferencePose { pos: Vec3([zero; 3]), quat: Quat([zero; 4]), slack: zero }
    };

    /// Where a body has not moved farther than it may.
    ///
    /// A point at the distance `r` from the origin moves at most `|Δx| + r |ΔR|`. The norm of `ΔR` is
    /// `2 sin(θ/2)` for a rotation by `θ`, that of the difference of its quaternions `2 sin(θ/4)` or
    /// more, so that `|ΔR| ≤ 2 |Δq|`. The square of a sum is at most twice the sum of the squares.
    #[inline(always)]
    fn holds<S: Wide>(&self, body: &MovingBody, frames: Frames<'_>) -> S::Mask {
        let frame = frames.of::<S>(body.body);
        let shift = *frame.pos - *bytemuck::cast_ref(&self.pos);
        let [a, b, c, d] = frame.quat.0;
        let [e, f, g, h]: [S; 4] = bytemuck::cast(self.quat);
        let [a, b, c, d] = [a - e, b - f, c - g, d - h];
        let turn = (a * a + b * b) + (c * c + d * d);
        let weight = S::splat(8.0 * body.reach * body.reach);
        (S::splat(2.0) * shift.dot(shift) + weight * turn).lt(S::load(self.slack.0))
    }
}

impl Bounds {
    pub fn new(m: &Model, pairs: &[Candidate], rules: &Rules) -> Bounds {
        let mut moves = memory::filled(false, m.nbody);
        for b in 1..m.nbody {
            let parent = usize::try_from(m.body_parentid[b]).unwrap_or(0).min(b);
            moves[b] = moves[parent] || m.body_jntnum[b] > 0 || m.body_mocapid[b] >= 0;
        }
        let mut collidables: Vec<Collidable> =
            pairs.iter().flat_map(|c| [c.first, c.second]).collect();
        collidables.sort_unstable();
        collidables.dedup();
        let mut reach = memory::filled(None, m.nbody);
        for &c in &collidables {
            let body = rules.body(c) as usize;
            let far = m.geom_pos[c.index()].norm() + radius(m, c);
            reach[body] = Some(far.max(reach[body].unwrap_or(0.0)));
        }
        let moving_body = |(body, reach): (usize, &Option<f64>)| {
            Some(MovingBody { body: body as u32, reach: reach.filter(|_| moves[body])? })
        };
        let moving: Vec<MovingBody> = reach.iter().enumerate().filter_map(moving_body).collect();
        let sphere =
            |&c: &Collidable| Sphere { body: rules.body(c), center: m.geom_pos[c.index()] };
        let sphere_of = |c: Collidable| collidables.binary_search(&c).unwrap_or(0) as u32;
        let of_body = |c: Collidable| {
            let body = rules.body(c);
            moving.binary_search_by_key(&body, |m| m.body).ok().map(|k| k as u32)
        };
        let pair = |c: &Candidate| {
            let first = c.first.index();
            let is_plane = m.geom_type[first] == GeomType::Plane.raw();
            let own = if is_plane { 0.0 } else { radius(m, c.first) };
            Pair {
                first: match is_plane {
                    true => Bound::HalfSpace {
                        body: rules.body(c.first),
                        point: m.geom_pos[first],
                        normal: m.geom_quat[first].to_mat().col(2),
                    },
                    false => Bound::Sphere(sphere_of(c.first)),
                },
                second: sphere_of(c.second),
                radii: own + radius(m, c.second),
                margin: margin(m, c),
                // Detection looks at boxes along the axes of faces and edges alone, where they may
                // seem to be at 1/√3 of their distance.
                apart: margin(m, c) * if c.method == Method::BoxBox { 2.0 } else { 1.0 },
                moving: [of_body(c.first), of_body(c.second)],
            }
        };
        Bounds {
            pairs: pairs.iter().map(pair).collect(),
            spheres: collidables.iter().map(sphere).collect(),
            moving,
        }
    }
}

/// The radius around a collidable's centre; without bounds it reaches everywhere.
pub(super) fn radius(m: &Model, c: Collidable) -> f64 {
    let radius = m.geom_rbound[c.index()];
    if radius > 0.0 { radius } else { f64::INFINITY }
}

fn margin(m: &Model, c: &Candidate) -> f64 {
    let pair = match c.source {
        Source::Pair(pair) => Some(pair as usize),
        _ => None,
    };
    parameters::margin(m, c.first, c.second, pair).max(0.0)
}

wide! {
    /// Whether no body has moved farther than it may.
    pub(super) fn within_slack(moving: &[MovingBody], references: &[ReferencePose], frames: Frames<'_>) -> bool {
        let mut holds = Simd::splat(0.0).lt(Simd::splat(1.0));
        for (body, reference) in moving.iter().zip(references) {
            holds = holds.and(reference.holds::<Simd>(body, frames));
        }
        holds.all()
    }

    /// [`Clearance::measure`]; tells in which worlds a pair without plane is near.
    pub(super) fn measure(
        bounds: &Bounds,
        planes: &[Plane],
        frames: Frames<'_>,
        references: &mut [ReferencePose],
        centers: &mut [Vec3<Four>],
    ) -> [bool; WORLDS] {
        let centers: &mut [Vec3<Simd>] = bytemuck::cast_slice_mut(centers);
        for (center, sphere) in centers.iter_mut().zip(&bounds.spheres) {
            *center = frames.of(sphere.body).point(sphere.center);
        }
        for (reference, moving) in references.iter_mut().zip(&bounds.moving) {
            let body = moving.body as usize;
            let slack = Four([f64::INFINITY; WORLDS]);
            *reference = ReferencePose { pos: frames.xpos[body], quat: frames.xquat[body], slack };
        }
        let mut near = Simd::splat(0.0).lt(Simd::splat(0.0));
        let mut next = 0;
        let (zero, infinite) = (Simd::splat(0.0), Simd::splat(f64::INFINITY));
        for (number, pair) in bounds.pairs.iter().enumerate() {
            let center = centers[pair.second as usize];
            let apart = match pair.first {
                Bound::Sphere(first) => {
                    let between = center - centers[first as usize];
                    between.dot(between).sqrt()
                }
                Bound::HalfSpace { body, point, normal } => {
                    let frame = frames.of(body);
                    let normal = *frame.mat * Vec3::of(normal);
                    normal.dot(center - frame.point(point))
                }
            };
            let mut distance = apart - Simd::splat(pair.radii + pair.margin);
            if let Some(plane) = planes.get(next)
                && plane.pair as usize == number
            {
                next += 1;
                distance = Simd::select(plane.unset::<Simd>(), distance, infinite);
            }
            // NaN counts as near.
            let far = Simd::splat(NEAREST * pair.radii + SAFETY_GAP).lt(distance);
            near = near.or(zero.le(zero).and_not(far));
            let share = if pair.moving.contains(&None) { 1.0 } else { 0.5 };
            let slack = Simd::splat(share) * (distance - Simd::splat(SAFETY_GAP));
            let slack = slack * slack;
            for body in pair.moving.into_iter().flatten() {
                let known: &mut Simd = bytemuck::cast_mut(&mut references[body as usize].slack);
                *known = Simd::select(slack.lt(*known), slack, *known);
            }
        }
        [near.lane(0), near.lane(1), near.lane(2), near.lane(3)]
    }
}
