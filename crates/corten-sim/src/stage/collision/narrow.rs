//! Tests of one pair: bounds, then shapes.
//!
//! Answers to `mj_collideGeoms`, `mj_filterSphere` and `mj_collideOBB`.

use corten_geom::ccd::Span;
use corten_geom::pair::{self, Posed};
use corten_geom::{
    Hint, HitBuffer, Pose, Separation, Shape, Workspace, ccd, convex, field, hfield,
};
use corten_math::array::MapInline;
use corten_math::{Mask, Mat3, Number, Vec3, Wide, wide};
use corten_model::enums::{DisableBit, EnableBit, GeomType, SleepState};

use super::collidable::{Collidable, Surface};
use super::filter::{Candidate, Rules, Source};
use super::hulls::Hulls;
use super::method::Method;
use super::mujoco_bounds::{self, BoundsCheck, Poses};
use super::pair_cache::{Key, PairCache, PairEntry};
use super::parameters::{self, Parameters};
use super::shape;
use crate::data::budget::Costs;
use crate::{CancelToken, Contact, Model};

/// Half sizes from here on are infinite.
const INFINITE: f64 = 1e10;

/// Gap between boxes below which the shapes are looked at all the same: far above rounding.
const BOX_SLACK: f64 = 1e-9;

/// Pairs between two looks at whether to end.
const BATCH: usize = 256;

/// Everything that a test of two geoms reads.
pub(super) struct Narrow<'a> {
    m: &'a Model,
    xpos: &'a [Vec3],
    xmat: &'a [Mat3],
    poses: Poses<'a>,
    hulls: &'a Hulls,
    /// Sleep state per body, if sleeping is enabled.
    awake: Option<&'a [i32]>,
    options: ccd::Options,
    /// What bounds the number of contacts.
    costs: Option<Costs<'a>>,
    /// Whoever may end the detection.
    cancel: Option<&'a CancelToken>,
}

/// Working memory of the pair functions.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pub hits: HitBuffer,
    pub convex: Workspace,
    pub pairs: PairCache,
    pub bounds: BoundsCheck,
    pub frames: Frames,
}

/// The last contact frame: the contacts of a flat face, and all those of a plane, share one.
#[derive(Clone, Debug)]
pub(super) struct Frames {
    normal: [u64; 3],
    frame: Mat3,
}

impl Default for Frames {
    fn default() -> Frames {
        Frames { normal: Vec3::Z.0.map_inline(f64::to_bits), frame: frame(Vec3::Z, None) }
    }
}

impl Frames {
    #[inline(always)]
    pub fn frame(&mut self, normal: Vec3, tangent: Option<Vec3>) -> Mat3 {
        if tangent.is_some() {
            return frame(normal, tangent);
        }
        let bits = normal.0.map_inline(f64::to_bits);
        if bits != self.normal {
            *self = Frames { normal: bits, frame: frame(normal, None) };
        }
        self.frame
    }
}

impl<'a> Narrow<'a> {
    pub fn new(
        m: &'a Model,
        poses: Poses<'a>,
        hulls: &'a Hulls,
        awake: Option<&'a [i32]>,
    ) -> Narrow<'a> {
        let options = ccd::Options {
            iterations: m.opt.ccd_iterations,
            tolerance: m.opt.ccd_tolerance,
            portals: m.opt.disabled(DisableBit::NativeCcd),
        };
        let Poses { geom_xpos: xpos, geom_xmat: xmat, .. } = poses;
        Narrow { m, xpos, xmat, poses, hulls, awake, options, costs: None, cancel: None }
    }

    /// Finds no more contacts than a budget has room for, and ends when asked to.
    pub fn within(self, costs: Costs<'a>, cancel: Option<&'a CancelToken>) -> Narrow<'a> {
        Narrow { costs: Some(costs), cancel, ..self }
    }

    pub fn model(&self) -> &'a Model {
        self.m
    }

    pub fn options(&self) -> ccd::Options {
        self.options
    }

    /// From the origin of the second geom to that of the first.
    pub fn offset(&self, first: usize, second: usize) -> Vec3 {
        self.xpos[first] - self.xpos[second]
    }

    pub fn origin(&self, g: usize) -> Vec3 {
        self.xpos[g]
    }

    /// The axes of a geom's frame.
    pub fn axes(&self, g: usize) -> [Vec3; 3] {
        [0, 1, 2].map_inline(|k| self.xmat[g].col(k))
    }

    /// Tests candidates in order and appends their contacts; `false` if there is no room for all.
    #[inline]
    pub fn collide_all(
        &self,
        candidates: &[Candidate],
        rules: &Rules,
        work: &mut Scratch,
        out: &mut Vec<Contact>,
    ) -> bool {
        let n = self.m.ngeom;
        let (xpos, xmat, sizes) = (&self.xpos[..n], &self.xmat[..n], &self.m.geom_size[..n]);
        let posed = |g: usize| Posed { pos: &xpos[g], mat: &xmat[g], size: &sizes[g] };
        let margins = &self.m.geom_margin[..n];
        let given = self.m.opt.enabled(EnableBit::Override).then_some(self.m.opt.o_margin);
        for (number, c) in candidates.iter().enumerate() {
            if number % BATCH == BATCH - 1 && self.is_cancelled() {
                return false;
            }
            let (first, second) = (c.first.index(), c.second.index());
            // Most pairs by far: MuJoCo tests bounds first; where shapes are quickly tested, that is
            // better done afterwards, for those that touch.
            if c.method.is_closed_form()
                && !matches!(c.source, Source::Pair(_))
                && self.awake.is_none()
                && first < n
                && second < n
            {
                let margin = match given {
                    Some(margin) => margin,
                    None => parameters::maximum(margins[first], margins[second]),
                };
                work.hits.clear();
                closed_form(c.method, &posed(first), &posed(second), margin, &mut work.hits);
                if !work.hits.is_empty() && !self.report(c, rules, None, margin, work, out) {
                    return false;
                }
            } else if !self.collide(c, rules, work, out) {
                return false;
            }
        }
        true
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(|cancel| cancel.is_due(100 * BATCH))
    }

    /// Tests one candidate and appends its contacts; `false` if there is no room for them.
    fn collide(
        &self,
        c: &Candidate,
        rules: &Rules,
        work: &mut Scratch,
        out: &mut Vec<Contact>,
    ) -> bool {
        let (Some(first), Some(second)) = (c.first.as_geom(self.m), c.second.as_geom(self.m))
        else {
            return true;
        };
        let pair = match c.source {
            Source::Pair(pair) => Some(pair as usize),
            _ => None,
        };
        let margin = parameters::margin(self.m, c.first, c.second, pair);
        // Broad phase knows nothing of listed pairs.
        let is_quick = c.method.is_closed_form();
        if (!is_quick || pair.is_some()) && self.apart(first, second, margin)
            || self.at_rest(c, rules, pair.is_some())
        {
            return true;
        }
        let mut recalled = None;
        if c.method == Method::Search {
            let key = rules.order(c);
            let mut entry = work.pairs.recall(key);
            if self.still_apart(first, second, margin, &mut entry.separation) {
                work.pairs
                    .keep(key, PairEntry { separation: entry.separation, ..PairEntry::default() });
                return true;
            }
            recalled = Some((key, entry.support_span));
        }
        if !is_quick && self.crowd_apart(c, margin) {
            return true;
        }
        work.hits.clear();
        self.touch(c.method, first, second, margin, recalled, work);
        work.hits.is_empty() || self.report(c, rules, pair, margin, work, out)
    }

    /// Whether the boxes of two geoms are apart, which MuJoCo tests for bodies with several geoms.
    fn crowd_apart(&self, c: &Candidate, margin: f64) -> bool {
        c.source == Source::MultiGeom && self.boxes_apart(c.first.index(), c.second.index(), margin)
    }

    /// Appends the contacts of a candidate that touches, unless its bounds are apart; `false` if there
    /// is no room for them.
    fn report(
        &self,
        c: &Candidate,
        rules: &Rules,
        pair: Option<usize>,
        margin: f64,
        work: &mut Scratch,
        out: &mut Vec<Contact>,
    ) -> bool {
        let (first, second) = (c.first.index(), c.second.index());
        if c.method.is_closed_form()
            && (self.apart(first, second, margin) || self.crowd_apart(c, margin))
        {
            return true;
        }
        // Depths of the convex search are not to be trusted where shapes merely touch.
        let sure = c.method != Method::Search
            && work.hits.iter().any(|h| h.dist < margin - mujoco_bounds::BOX_ROUNDING);
        if !work.bounds.passes_mujoco_bounds(self.m, &self.poses, rules, c, margin, sure) {
            return true;
        }
        let parameters = match pair {
            Some(pair) => Parameters::of_pair(self.m, pair),
            None => Parameters::mixed(
                self.m,
                &Surface::of(self.m, c.first),
                &Surface::of(self.m, c.second),
            ),
        };
        let geom = [first as i32, second as i32];
        let includemargin = margin - parameters.gap;
        let Scratch { hits, frames, .. } = work;
        if !self.has_room(out, hits.len()) {
            return false;
        }
        out.extend(hits.iter().map(|hit| Contact {
            dist: hit.dist,
            pos: hit.pos,
            frame: frames.frame(hit.normal, hit.tangent),
            includemargin,
            friction: parameters.friction,
            solref: parameters.solref,
            solreffriction: parameters.solreffriction,
            solimp: parameters.solimp,
            dim: parameters.dim,
            geom,
            exclude: (hit.dist >= includemargin) as i32,
            ..Contact::default()
        }));
        true
    }

    /// Whether there is room for more contacts, which is made if need be.
    #[inline(always)]
    pub fn has_room(&self, out: &mut Vec<Contact>, more: usize) -> bool {
        out.capacity() - out.len() >= more
            || self.costs.as_ref().is_none_or(|costs| costs.make_room(out, more))
    }

    /// Whether bounding spheres, or a sphere and a plane, are farther apart than the margin. Poses
    /// that are not numbers touch nothing.
    #[inline]
    fn apart(&self, first: usize, second: usize, margin: f64) -> bool {
        let (r1, r2) = (self.m.geom_rbound[first], self.m.geom_rbound[second]);
        let between = self.xpos[second] - self.xpos[first];
        let (distance, reach) = if r1 > 0.0 && r2 > 0.0 {
            let reach = r1 + r2 + margin;
            (between.norm_squared(), reach * reach)
        } else if r2 > 0.0 && self.m.geom_type[first] == GeomType::Plane.raw() {
            (between.dot(self.xmat[first].col(2)), margin + r2)
        } else {
            return between.norm_squared().is_nan();
        };
        distance > reach || distance.is_nan()
    }

    /// Whether sleep makes the pair pointless. A listed pair needs one awake body. Of any other
    /// pair, one body must not be asleep and able to move: mocap bodies disturb no sleeper.
    #[inline]
    fn at_rest(&self, c: &Candidate, rules: &Rules, listed: bool) -> bool {
        let Some(awake) = self.awake else { return false };
        let state = |c: Collidable| {
            let body = rules.body(c) as usize;
            awake.get(body).copied().unwrap_or(SleepState::Static.raw())
        };
        let idle = |c: Collidable| {
            if listed {
                state(c) != SleepState::Awake.raw()
            } else {
                state(c) == SleepState::Asleep.raw() || rules.is_static(c)
            }
        };
        idle(c.first) && idle(c.second)
    }

    /// Whether the oriented bounding boxes of two geoms are apart.
    fn boxes_apart(&self, first: usize, second: usize, margin: f64) -> bool {
        let oriented = |g: usize| Oriented {
            aabb: &self.m.geom_aabb[g],
            pos: &self.xpos[g],
            mat: &self.xmat[g],
        };
        boxes_apart(oriented(first), oriented(second), margin)
    }

    pub fn posed(&self, g: usize) -> Posed<'a> {
        Posed { pos: &self.xpos[g], mat: &self.xmat[g], size: &self.m.geom_size[g] }
    }

    /// Contact points of two geoms, ordered by type. With what was recalled of the last search,
    /// that of this one is kept.
    #[inline]
    pub fn touch(
        &self,
        method: Method,
        first: usize,
        second: usize,
        margin: f64,
        recalled: Option<(Key, Span)>,
        work: &mut Scratch,
    ) {
        match method {
            Method::PlaneHull => return self.touch_plane(first, second, margin, work),
            Method::HeightField => return self.touch_height_field(first, second, margin, work),
            Method::DistanceField => return self.touch_field(first, second, work),
            Method::Search => return self.touch_convex(first, second, margin, recalled, work),
            Method::Nothing => return,
            _ => {}
        }
        closed_form(method, &self.posed(first), &self.posed(second), margin, &mut work.hits);
    }

    pub fn convex(&self, g: usize, margin: f64) -> Option<Shape<'a>> {
        shape::convex(self.m, Some(self.hulls), g, &self.xpos[g], &self.xmat[g], margin)
    }

    pub fn pose(&self, g: usize) -> Pose {
        Pose::new(self.xpos[g], self.xmat[g])
    }

    fn touch_plane(&self, plane: usize, other: usize, margin: f64, work: &mut Scratch) {
        if let Some(shape) = self.convex(other, 0.0) {
            convex::plane_convex(&self.pose(plane), &shape, margin, &mut work.hits);
        }
    }

    fn touch_height_field(&self, field: usize, other: usize, margin: f64, work: &mut Scratch) {
        let Scratch { hits, convex, .. } = work;
        if let Some(heights) = shape::height_field(self.m, field)
            && let Some(shape) = self.convex(other, margin)
        {
            let frame = self.pose(field);
            hfield::collide(&heights, &frame, &shape, margin, &self.options, hits, convex);
        }
    }

    fn touch_field(&self, first: usize, second: usize, work: &mut Scratch) {
        let field = |g: usize| shape::field(self.m, g, self.pose(g));
        if let (Some(a), Some(b)) = (field(first), field(second)) {
            let opt = &self.m.opt;
            field::collide(&a, &b, opt.sdf_initpoints, opt.sdf_iterations, &mut work.hits);
        }
    }

    /// How far a geom reaches along a direction at most: the box of a mesh, the shape of any other.
    #[inline]
    pub fn bound(&self, g: usize, dir: Vec3, hint: &mut Hint) -> f64 {
        let local = self.xmat[g].tmul(dir);
        if !self.is_mesh(g) {
            return shape::reach(self.m, self.hulls, g, local, hint);
        }
        let aabb = &self.m.geom_aabb[g];
        local.dot(Vec3::from_slice(aabb)) + local.abs().dot(Vec3::from_slice(&aabb[3..]))
    }

    /// How far a geom reaches along a direction.
    #[inline]
    pub fn reach(&self, g: usize, dir: Vec3, hint: &mut Hint) -> f64 {
        shape::reach(self.m, self.hulls, g, self.xmat[g].tmul(dir), hint)
    }

    fn is_mesh(&self, g: usize) -> bool {
        self.m.geom_type[g] == GeomType::Mesh.raw()
    }

    /// Whether what separated a pair still does.
    #[inline]
    fn still_apart(
        &self,
        first: usize,
        second: usize,
        margin: f64,
        separation: &mut Separation,
    ) -> bool {
        let offset = self.offset(first, second);
        let margin = margin.max(0.0);
        let bounds = |axis: Vec3, [hint1, hint2]: &mut [Hint; 2]| {
            self.bound(first, -axis, hint1) + margin + self.bound(second, axis, hint2)
        };
        let reaches = |axis: Vec3, [hint1, hint2]: &mut [Hint; 2]| {
            self.reach(first, -axis, hint1) + margin + self.reach(second, axis, hint2)
        };
        let is_exact = !self.is_mesh(first) && !self.is_mesh(second);
        separation.holds(offset, bounds, (!is_exact).then_some(reaches))
    }

    /// The general case.
    fn touch_convex(
        &self,
        first: usize,
        second: usize,
        margin: f64,
        recalled: Option<(Key, Span)>,
        work: &mut Scratch,
    ) {
        let Scratch { hits, convex, pairs, .. } = work;
        // Used where they are: shapes are too large to be moved about.
        let (mut a, mut b) = (self.convex(first, margin), self.convex(second, margin));
        let (Some(a), Some(b)) = (&mut a, &mut b) else { return };
        let multiccd = self.m.opt.enabled(EnableBit::MultiCcd);
        let (_, span) = recalled.unwrap_or_default();
        convex.supports.recall(span);
        convex::collide(a, b, margin, &self.options, multiccd, hits, convex);
        if let Some((key, _)) = recalled {
            let entry = if hits.is_empty() {
                PairEntry { separation: Separation::new(convex.axis), ..PairEntry::default() }
            } else {
                PairEntry { support_span: convex.supports.save_span(), ..PairEntry::default() }
            };
            pairs.keep(key, entry);
        }
    }
}

/// A bounding box in the world: centre and half sizes in the frame of its geom, and that frame.
#[derive(Clone, Copy)]
pub(super) struct Oriented<'a> {
    pub aabb: &'a [f64; 6],
    pub pos: &'a Vec3,
    pub mat: &'a Mat3,
}

impl Oriented<'_> {
    #[inline(always)]
    fn center(&self) -> Vec3 {
        *self.mat * Vec3::from_slice(self.aabb) + *self.pos
    }

    #[inline(always)]
    fn size(&self) -> Vec3 {
        Vec3::from_slice(&self.aabb[3..])
    }
}

wide! {
    /// Whether the face normals of one of two boxes separate them, as in S. Gottschalk et al.,
    /// "OBBTree" (1996), without the products of edges.
    pub(super) fn boxes_apart(a: Oriented<'_>, b: Oriented<'_>, margin: f64) -> bool {
        let infinite = [a.size().0.map_inline(|x| x >= INFINITE), b.size().0.map_inline(|x| x >= INFINITE)];
        if infinite.contains(&[true; 3]) {
            return false;
        }
        let between = b.center() - a.center();
        let [first, second] = infinite.map(|axes| axes.contains(&true));
        (!second && face_separates::<Simd>(&a, &b, between, margin))
            || (!first && face_separates::<Simd>(&b, &a, between, margin))
    }
}

/// Whether a face normal of the first of two boxes separates them.
#[inline(always)]
fn face_separates<S: Wide>(a: &Oriented<'_>, b: &Oriented<'_>, between: Vec3, margin: f64) -> bool {
    let m = &a.mat.0;
    // No axis in the last lane, along which all is near: numbers side by side are read at once.
    let axes = Vec3([
        S::load([m[0], m[1], m[2], m[3]]),
        S::load([m[3], m[4], m[5], m[6]]),
        S::load([m[6], m[7], m[8], m[8]]),
    ]);
    let [x, y, z] = a.size().0;
    separates(axes, S::load([x, y, z, f64::INFINITY]), b, between, margin).any()
}

/// Whether axes of a box, which reaches `own` along them, separate it from another one.
#[inline(always)]
fn separates<T: Number>(
    axis: Vec3<T>,
    own: T,
    other: &Oriented<'_>,
    between: Vec3,
    margin: f64,
) -> T::Mask {
    let (size, m) = (Vec3::<T>::of(other.size()), &other.mat.0);
    let [x, y, z] = axis.0;
    let along_x = T::splat(m[0]) * x + T::splat(m[3]) * y + T::splat(m[6]) * z;
    let along_y = T::splat(m[1]) * x + T::splat(m[4]) * y + T::splat(m[7]) * z;
    let along_z = T::splat(m[2]) * x + T::splat(m[5]) * y + T::splat(m[8]) * z;
    let reach = (along_x * size[0]).abs() + (along_y * size[1]).abs() + (along_z * size[2]).abs();
    let reach = own + reach + T::splat(margin) + T::splat(BOX_SLACK);
    reach.lt(axis.dot(Vec3::of(between)).abs())
}

/// Contact points of two shapes whose distance has a closed form.
#[inline(always)]
fn closed_form(method: Method, a: &Posed<'_>, b: &Posed<'_>, margin: f64, hits: &mut HitBuffer) {
    match method {
        Method::PlaneSphere => pair::plane_sphere(a, b, margin, hits),
        Method::PlaneCapsule => pair::plane_capsule(a, b, margin, hits),
        Method::PlaneCylinder => pair::plane_cylinder(a, b, margin, hits),
        Method::PlaneBox => pair::plane_box(a, b, margin, hits),
        Method::SphereSphere => pair::sphere_sphere(a, b, margin, hits),
        Method::SphereCapsule => pair::sphere_capsule(a, b, margin, hits),
        Method::SphereCylinder => pair::sphere_cylinder(a, b, margin, hits),
        Method::SphereBox => pair::sphere_box(a, b, margin, hits),
        Method::CapsuleCapsule => pair::capsule_capsule(a, b, margin, hits),
        Method::CapsuleBox => pair::capsule_box(a, b, margin, hits),
        Method::BoxBox => pair::box_box(a, b, margin, hits),
        _ => {}
    }
}

/// A right-handed frame, as rows, whose first axis is the normal. The second follows `tangent`,
/// or else world y or z, whichever is farther from the normal.
#[inline(always)]
pub(super) fn frame(normal: Vec3, tangent: Option<Vec3>) -> Mat3 {
    let (x, _) = normal.normalized();
    let y = match tangent {
        Some(tangent) if tangent.norm_squared() >= 0.25 => tangent,
        _ if x[1] < 0.5 && x[1] > -0.5 => Vec3::Y,
        _ => Vec3::Z,
    };
    let (y, _) = (y - x * x.dot(y)).normalized();
    Mat3::from_rows(x, y, x.cross(y))
}

#[cfg(test)]
mod tests {
    use corten_math::MIN_VAL;

    use super::*;

    #[test]
    fn a_remembered_frame_is_that_of_its_normal() {
        let mut frames = Frames::default();
        for normal in [Vec3::ZERO, Vec3::Z, Vec3::Z, -Vec3::Z, Vec3::Z, Vec3::splat(f64::NAN)] {
            for tangent in [None, Some(Vec3::X), None] {
                let (found, expected) = (frames.frame(normal, tangent), frame(normal, tangent));
                assert_eq!(found.0.map(f64::to_bits), expected.0.map(f64::to_bits));
            }
        }
    }

    #[test]
    fn frame_is_a_rotation_for_any_normal() {
        for normal in [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::Y, Vec3::new(0.3, -0.6, 0.2), Vec3::ZERO] {
            for tangent in [None, Some(Vec3::Z), Some(Vec3::ZERO)] {
                let f = frame(normal, tangent);
                if tangent == Some(normal) {
                    continue;
                }
                let identity = f * f.transpose() - Mat3::IDENTITY;
                assert!(identity.0.iter().all(|x| x.abs() < 1e3 * MIN_VAL));
                assert!((f.determinant() - 1.0).abs() < 1e3 * MIN_VAL);
            }
        }
    }
}
