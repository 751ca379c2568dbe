//! Bounding tests, and the table of pair functions.
//!
//! Answers to `mj_collideGeoms`, `mj_filterSphere`, `mj_collideOBB` and `mjCOLLISIONFUNC`.

use corten_geom::pair::{self, Posed};
use corten_geom::{HitBuffer, Pose, Separation, Shape, Workspace, ccd, convex, field, hfield};
use corten_math::{Mat3, Vec3};
use corten_model::Model;
use corten_model::enums::{EnableBit, GeomType, SleepState};

use super::filter::{Candidate, Rules, Source};
use super::hulls::Hulls;
use super::memory::{Key, Note, Notes};
use super::parameters::{self, Parameters};
use super::shape;
use super::tie::{self, Poses, Ties};
use crate::Contact;

/// Half sizes from here on are infinite.
const INFINITE: f64 = 1e10;

/// Gap between boxes below which the shapes are looked at all the same: far above rounding.
const BOX_SLACK: f64 = 1e-9;

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
}

/// Working memory of the pair functions.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    pub hits: HitBuffer,
    pub convex: Workspace,
    pub notes: Notes,
    pub ties: Ties,
}

impl<'a> Narrow<'a> {
    pub fn new(
        m: &'a Model,
        poses: Poses<'a>,
        hulls: &'a Hulls,
        awake: Option<&'a [i32]>,
    ) -> Narrow<'a> {
        let options =
            ccd::Options { iterations: m.opt.ccd_iterations, tolerance: m.opt.ccd_tolerance };
        let Poses { geom_xpos: xpos, geom_xmat: xmat, .. } = poses;
        Narrow { m, xpos, xmat, poses, hulls, awake, options }
    }

    /// Tests one candidate and appends its contacts.
    #[inline]
    pub fn collide(&self, c: &Candidate, rules: &Rules, work: &mut Memory, out: &mut Vec<Contact>) {
        let (first, second) = (c.first as usize, c.second as usize);
        let pair = match c.source {
            Source::Pair(pair) => Some(pair as usize),
            _ => None,
        };
        let margin = parameters::margin(self.m, first, second, pair);
        if self.apart(first, second, margin) || self.at_rest(first, second, rules, pair.is_some()) {
            return;
        }
        // MuJoCo tests the boxes of such pairs first. Where shapes are quickly tested, that is
        // better done afterwards, for those that touch.
        let boxes_apart = || c.source == Source::Crowd && self.boxes_apart(first, second, margin);
        let is_quick = self.is_quick(first, second);
        if !is_quick && boxes_apart() {
            return;
        }
        work.hits.clear();
        let mut by_search = false;
        let key = || {
            by_search = true;
            Some(rules.order(c))
        };
        self.touch(first, second, margin, key, work);
        if work.hits.is_empty() || is_quick && boxes_apart() {
            return;
        }
        // Depths of the convex search are not to be trusted where shapes merely touch.
        let sure = !by_search && work.hits.iter().any(|h| h.dist < margin - tie::BOX_ROUNDING);
        if !work.ties.reaches_shapes(self.m, &self.poses, rules, c, margin, sure) {
            return;
        }
        let parameters = match pair {
            Some(pair) => Parameters::of_pair(self.m, pair),
            None => Parameters::of_geoms(self.m, first, second),
        };
        let geom = [first as i32, second as i32];
        let includemargin = margin - parameters.gap;
        // What the contacts share is copied, the rest is written where it stays.
        let shared = Contact {
            includemargin,
            friction: parameters.friction,
            solref: parameters.solref,
            solreffriction: parameters.solreffriction,
            solimp: parameters.solimp,
            dim: parameters.dim,
            geom,
            ..Contact::default()
        };
        for hit in work.hits.iter() {
            out.push(shared);
            if let Some(contact) = out.last_mut() {
                contact.dist = hit.dist;
                contact.pos = hit.pos;
                contact.frame = frame(hit.normal, hit.tangent);
                contact.exclude = (hit.dist >= includemargin) as i32;
            }
        }
    }

    /// Whether a pair has a closed form.
    #[inline]
    fn is_quick(&self, first: usize, second: usize) -> bool {
        const PLANE: i32 = GeomType::Plane.raw();
        const SPHERE: i32 = GeomType::Sphere.raw();
        const CAPSULE: i32 = GeomType::Capsule.raw();
        const CYLINDER: i32 = GeomType::Cylinder.raw();
        const BOX: i32 = GeomType::Box.raw();
        matches!(
            (self.m.geom_type[first], self.m.geom_type[second]),
            (PLANE | SPHERE, SPHERE | CAPSULE | CYLINDER | BOX)
                | (CAPSULE, CAPSULE | BOX)
                | (BOX, BOX)
        )
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
    fn at_rest(&self, first: usize, second: usize, rules: &Rules, listed: bool) -> bool {
        let Some(awake) = self.awake else { return false };
        let state = |g: usize| {
            let body = rules.body(g as u32) as usize;
            awake.get(body).copied().unwrap_or(SleepState::Static.raw())
        };
        let idle = |g: usize| {
            if listed {
                state(g) != SleepState::Awake.raw()
            } else {
                state(g) == SleepState::Asleep.raw() || rules.is_static(g)
            }
        };
        idle(first) && idle(second)
    }

    /// Whether the face normals of one of the oriented bounding boxes separate the two, as in
    /// S. Gottschalk et al., "OBBTree" (1996), without the products of edges.
    fn boxes_apart(&self, first: usize, second: usize, margin: f64) -> bool {
        let unbounded =
            |aabb: &[f64; 6]| -> [bool; 3] { std::array::from_fn(|k| aabb[3 + k] >= INFINITE) };
        let (box1, box2) = (&self.m.geom_aabb[first], &self.m.geom_aabb[second]);
        let (inf1, inf2) = (unbounded(box1), unbounded(box2));
        if inf1 == [true; 3] || inf2 == [true; 3] {
            return false;
        }
        let (mat1, mat2) = (&self.xmat[first], &self.xmat[second]);
        let center =
            |aabb: &[f64; 6], g: usize| self.xmat[g] * Vec3::from_slice(aabb) + self.xpos[g];
        let between = center(box2, second) - center(box1, first);
        let size = |aabb: &[f64; 6]| Vec3::from_slice(&aabb[3..]);
        let (size1, size2) = (size(box1), size(box2));
        let separates = |axis: Vec3, own: f64, mat: &Mat3, other: Vec3| {
            let reach = mat.tmul(axis).component_mul(other).abs();
            own + (reach[0] + reach[1] + reach[2]) + margin + BOX_SLACK < axis.dot(between).abs()
        };
        (!inf2.contains(&true) && (0..3).any(|k| separates(mat1.col(k), size1[k], mat2, size2)))
            || (!inf1.contains(&true)
                && (0..3).any(|k| separates(mat2.col(k), size2[k], mat1, size1)))
    }

    fn posed(&self, g: usize) -> Posed<'a> {
        Posed { pos: self.xpos[g], mat: &self.xmat[g], size: self.m.geom_size[g] }
    }

    /// Contact points of two geoms, ordered by type. With a key, what separates them is recalled
    /// and kept.
    pub fn touch(
        &self,
        first: usize,
        second: usize,
        margin: f64,
        key: impl FnOnce() -> Option<Key>,
        work: &mut Memory,
    ) {
        use GeomType::{Box, Capsule, Cylinder, HField, Plane, Sdf, Sphere};
        let kind = |g: usize| GeomType::from_raw(self.m.geom_type[g]);
        let (Some(kind1), Some(kind2)) = (kind(first), kind(second)) else { return };
        let closed_form = match (kind1, kind2) {
            (Plane, Sphere) => pair::plane_sphere,
            (Plane, Capsule) => pair::plane_capsule,
            (Plane, Cylinder) => pair::plane_cylinder,
            (Plane, Box) => pair::plane_box,
            (Plane, _) => return self.touch_plane(first, second, margin, work),
            (HField, Sdf) => return,
            (HField, _) => return self.touch_height_field(first, second, margin, work),
            (Sphere, Sphere) => pair::sphere_sphere,
            (Sphere, Capsule) => pair::sphere_capsule,
            (Sphere, Cylinder) => pair::sphere_cylinder,
            (Sphere, Box) => pair::sphere_box,
            (Capsule, Capsule) => pair::capsule_capsule,
            (Capsule, Box) => pair::capsule_box,
            (Box, Box) => pair::box_box,
            (_, Sdf) => return self.touch_field(first, second, work),
            _ => return self.touch_convex(first, second, margin, key(), work),
        };
        closed_form(&self.posed(first), &self.posed(second), margin, &mut work.hits);
    }

    fn convex(&self, g: usize, margin: f64) -> Option<Shape<'a>> {
        shape::convex(self.m, Some(self.hulls), g, self.xpos[g], self.xmat[g], margin)
    }

    fn pose(&self, g: usize) -> Pose {
        Pose::new(self.xpos[g], self.xmat[g])
    }

    fn touch_plane(&self, plane: usize, other: usize, margin: f64, work: &mut Memory) {
        if let Some(shape) = self.convex(other, 0.0) {
            convex::plane_convex(&self.pose(plane), &shape, margin, &mut work.hits);
        }
    }

    fn touch_height_field(&self, field: usize, other: usize, margin: f64, work: &mut Memory) {
        let Memory { hits, convex, .. } = work;
        if let Some(heights) = shape::height_field(self.m, field)
            && let Some(shape) = self.convex(other, margin)
        {
            let frame = self.pose(field);
            hfield::collide(&heights, &frame, &shape, margin, &self.options, hits, convex);
        }
    }

    fn touch_field(&self, first: usize, second: usize, work: &mut Memory) {
        let field = |g: usize| shape::field(self.m, g, self.pose(g));
        if let (Some(a), Some(b)) = (field(first), field(second)) {
            let opt = &self.m.opt;
            field::collide(&a, &b, opt.sdf_initpoints, opt.sdf_iterations, &mut work.hits);
        }
    }

    /// How far a geom reaches along a direction at most: by the box of a mesh, by the sphere of
    /// any other shape, whose box may be out of date.
    fn bound(&self, g: usize, dir: Vec3) -> f64 {
        if self.m.geom_type[g] != GeomType::Mesh.raw() {
            return self.m.geom_rbound[g];
        }
        let aabb = &self.m.geom_aabb[g];
        let local = self.xmat[g].tmul(dir);
        local.dot(Vec3::from_slice(aabb)) + local.abs().dot(Vec3::from_slice(&aabb[3..]))
    }

    /// The general case. Pairs that are still apart along the axis of the last time are done with
    /// two support values.
    fn touch_convex(
        &self,
        first: usize,
        second: usize,
        margin: f64,
        key: Option<Key>,
        work: &mut Memory,
    ) {
        let Memory { hits, convex, notes, .. } = work;
        let Note { mut separation, stretch } = key.map(|key| notes.recall(key)).unwrap_or_default();
        let apart = separation.holds_for_bounds(
            self.xpos[first] - self.xpos[second],
            |dir| self.bound(first, dir) + margin,
            |dir| self.bound(second, dir),
        );
        if let Some(key) = key
            && apart
        {
            notes.keep(key, Note { separation, ..Note::default() });
            return;
        }
        let (Some(mut a), Some(mut b)) = (self.convex(first, margin), self.convex(second, margin))
        else {
            return;
        };
        if let Some(key) = key
            && separation.holds(&a, &b)
        {
            notes.keep(key, Note { separation, ..Note::default() });
            return;
        }
        let multiccd = self.m.opt.enabled(EnableBit::MultiCcd);
        convex.trail.recall(stretch);
        convex::collide(&mut a, &mut b, margin, &self.options, multiccd, hits, convex);
        if let Some(key) = key {
            let note = if hits.is_empty() {
                Note { separation: Separation::new(convex.axis), ..Note::default() }
            } else {
                Note { stretch: convex.trail.keep_stretch(), ..Note::default() }
            };
            notes.keep(key, note);
        }
    }
}

/// A right-handed frame, as rows, whose first axis is the normal. The second follows `tangent`,
/// or else world y or z, whichever is farther from the normal.
#[inline(always)]
fn frame(normal: Vec3, tangent: Option<Vec3>) -> Mat3 {
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
