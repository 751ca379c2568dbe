//! Planes between geoms that are near.

use corten_geom::{Hint, Separation, Workspace, ccd};
use corten_math::array::MapInline;
use corten_math::{Four, Mask, Mat3, Vec3, Wide, wide};
use corten_model::enums::GeomType;

use super::super::filter::{Candidate, Rules};
use super::super::method::Method;
use super::super::narrow::Narrow;
use super::super::shape;
use super::slack::{Bound, Pair, radius};
use super::{Frames, SAFETY_GAP, WORLDS};

/// Distances between spheres below which a pair gets a plane, in parts of the radii.
const NEAR: f64 = 0.25;

/// Distances between boxes that are as good as those between shapes, in parts of the radii.
const FAIR: f64 = 0.1;

/// Coarsest tolerance of convex searches that planes can do with.
const COARSEST: f64 = SAFETY_GAP / 4.0;

/// A plane that moves with the body `under` and has the geom of another body `over` it.
///
/// With its normal `n`, and `u` the same in the frame of the other body, no point of a geom with the
/// centre `c` and the radius `r` is lower than `c·u − h − r |u − u₀|` above the origin of its body, if
/// it reached no lower than `h` below its centre where the normal was `u₀`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    /// ReferencePose of the pair among all.
    pub pair: u32,
    /// Whether the first geom of the pair is the one under it.
    on_first: bool,
    under: u32,
    over: u32,
    center: Vec3,
    radius: f64,
    /// In the frame of the body under it, and of the one over it at that time.
    normal: Vec3<Four>,
    seen: Vec3<Four>,
    /// How far both geoms reach towards each other: one from the origin of its body, the other one
    /// from its centre. Below all numbers in worlds where the pair is far apart.
    pub reach: Four,
}

impl Plane {
    /// Where it separates the pair.
    #[inline(always)]
    fn holds<S: Wide>(&self, frames: Frames<'_>) -> S::Mask {
        let (under, over) = (frames.of::<S>(self.under), frames.of::<S>(self.over));
        let normal = *under.mat * *bytemuck::cast_ref(&self.normal);
        let seen = over.mat.tmul(normal);
        let turn = seen - *bytemuck::cast_ref(&self.seen);
        let height = normal.dot(*over.pos - *under.pos) + seen.dot(Vec3::of(self.center))
            - *bytemuck::cast_ref(&self.reach);
        let lost = S::splat(self.radius * self.radius) * turn.dot(turn);
        S::splat(0.0).lt(height).and(lost.lt(height * height))
    }

    /// Says nothing about a pair in a world, which is far apart there.
    pub fn clear(&mut self, lane: usize) {
        for k in 0..3 {
            self.normal.0[k].0[lane] = 0.0;
            self.seen.0[k].0[lane] = 0.0;
        }
        self.reach.0[lane] = f64::NEG_INFINITY;
    }

    pub fn is_set(&self, lane: usize) -> bool {
        self.reach.0[lane] != f64::NEG_INFINITY
    }

    /// Where it is not set.
    #[inline(always)]
    pub fn unset<S: Wide>(&self) -> S::Mask {
        S::load(self.reach.0).lt(S::splat(f64::MIN))
    }
}

wide! {
    /// In which worlds all planes hold.
    pub(super) fn separate(planes: &[Plane], frames: Frames<'_>) -> [bool; WORLDS] {
        let mut holds = Simd::splat(0.0).lt(Simd::splat(1.0));
        for plane in planes {
            holds = holds.and(plane.holds::<Simd>(frames));
        }
        [holds.lane(0), holds.lane(1), holds.lane(2), holds.lane(3)]
    }

    /// Clears the planes that do not hold in a world, or not for long.
    pub(super) fn clear_failing(planes: &mut [Plane], frames: Frames<'_>, lane: usize) {
        for plane in planes {
            let doubtful = Plane { radius: 2.0 * plane.radius, ..*plane };
            if !doubtful.holds::<Simd>(frames).lane(lane) {
                plane.clear(lane);
            }
        }
    }
}

impl Narrow<'_> {
    /// Whether the bounds of two geoms are far apart.
    pub(super) fn is_far(&self, c: &Candidate, pair: &Pair) -> bool {
        let offset = self.offset(c.first.index(), c.second.index());
        let far = (1.0 + NEAR) * pair.radii + pair.margin;
        match pair.first {
            Bound::Sphere(_) => offset.norm_squared() >= far * far,
            Bound::HalfSpace { .. } => -self.axes(c.first.index())[2].dot(offset) >= far,
        }
    }

    /// Unit vector from the second of two geoms towards the first that separates them; `None` if they
    /// are too near, or nothing but their bounds is known. Whatever axis is tried, what it shows is a
    /// proof.
    pub(super) fn separate(
        &self,
        c: &Candidate,
        pair: &Pair,
        convex: &mut Workspace,
    ) -> Option<Vec3> {
        let (first, second) = (c.first.index(), c.second.index());
        let offset = self.offset(first, second);
        let [hint1, hint2] = &mut [Hint::NONE; 2];
        if let Bound::HalfSpace { .. } = pair.first {
            let axis = -self.axes(first)[2];
            let distance = axis.dot(offset) - self.reach(second, axis, hint2) - pair.apart;
            return (distance > 2.0 * SAFETY_GAP).then_some(axis);
        }
        match c.method {
            Method::DistanceField | Method::HeightField => return None,
            // A search that ends early takes shapes for touching that do not.
            Method::Search if self.options().tolerance > COARSEST => return None,
            _ => {}
        }
        let (mut best, mut separating) = (0.0, None);
        for axis in self.axes(first).into_iter().chain(self.axes(second)) {
            let axis = if axis.dot(offset) < 0.0 { -axis } else { axis };
            let reach = self.bound(first, -axis, hint1) + self.bound(second, axis, hint2);
            let distance = axis.dot(offset) - reach - pair.apart;
            if distance > best {
                (best, separating) = (distance, Some(axis));
            }
        }
        if best < FAIR * pair.radii {
            let (mut a, mut b) = (self.convex(first, 0.0), self.convex(second, 0.0));
            ccd::query(a.as_mut()?, b.as_mut()?, &self.options(), 1, f64::MAX, convex);
            let axis = Separation::new(convex.axis).axis();
            let reach = self.reach(first, -axis, hint1) + self.reach(second, axis, hint2);
            let distance = axis.dot(offset) - reach - pair.apart;
            if distance > best {
                (best, separating) = (distance, Some(axis));
            }
        }
        separating.filter(|_| best > 2.0 * SAFETY_GAP)
    }

    /// The plane of a pair. It moves with the larger geom: the other one may turn more.
    pub(super) fn plane(&self, pair: u32, c: &Candidate, rules: &Rules) -> Plane {
        let m = self.model();
        let on_first = m.geom_type[c.first.index()] == GeomType::Plane.raw()
            || radius(m, c.first) >= radius(m, c.second);
        let (under, over) = if on_first { (c.first, c.second) } else { (c.second, c.first) };
        Plane {
            pair,
            on_first,
            under: rules.body(under),
            over: rules.body(over),
            center: m.geom_pos[over.index()],
            // A shape that has been changed may have outgrown its bounds.
            radius: radius(m, over).max(shape::radius(m, over.index())),
            normal: Vec3([Four::default(); 3]),
            seen: Vec3([Four::default(); 3]),
            reach: Four([f64::NEG_INFINITY; WORLDS]),
        }
    }

    /// Puts the plane of a pair between its geoms in one world, across an axis.
    pub(super) fn set_plane(
        &self,
        plane: &mut Plane,
        c: &Candidate,
        pair: &Pair,
        axis: Vec3,
        frames: Frames<'_>,
        lane: usize,
    ) {
        let (first, second) = (c.first.index(), c.second.index());
        let (normal, under, over) =
            if plane.on_first { (-axis, first, second) } else { (axis, second, first) };
        let frame = |body: u32| Mat3(frames.xmat[body as usize].0.map_inline(|x| x.0[lane]));
        let origin = Vec3(frames.xpos[plane.under as usize].0.map_inline(|x| x.0[lane]));
        let own = match pair.first {
            Bound::HalfSpace { .. } => 0.0,
            Bound::Sphere(_) => self.reach(under, normal, &mut Hint::NONE.clone()),
        };
        let below = own + normal.dot(self.origin(under) - origin);
        let above = self.reach(over, -normal, &mut Hint::NONE.clone());
        let (local, seen) = (frame(plane.under).tmul(normal), frame(plane.over).tmul(normal));
        for k in 0..3 {
            plane.normal.0[k].0[lane] = local[k];
            plane.seen.0[k].0[lane] = seen[k];
        }
        plane.reach.0[lane] = below + above + pair.apart + SAFETY_GAP;
    }
}
