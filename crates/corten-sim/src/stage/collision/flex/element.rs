//! Tests of elements and vertices of flexes: against geoms, and against each other.
//!
//! Answers to `mj_collidePlaneFlex`, `mj_collideGeomElem`, `mj_collideElems`, `mj_collideElemVert`
//! and the tetrahedra of `mj_collideFlexInternal`.

use corten_geom::ccd::Span;
use corten_geom::pair::{self, Posed};
use corten_geom::{Geometry, Hint, Hit, Pose, Shape, convex, hfield};
use corten_math::{Mat3, Quat, Vec3};
use corten_model::enums::GeomType;

use super::super::narrow::Scratch;
use super::super::parameters::Parameters;
use super::super::shape;
use super::tree::{apart, apart_from_ball, overlap};
use super::{Flexes, Found, Pair, separation};
use crate::Contact;
use crate::stage::flex::{Carrier, Flex};

/// What a contact touches.
#[derive(Clone, Copy)]
struct Touched {
    geom: [i32; 2],
    flex: [i32; 2],
    elem: [i32; 2],
    vert: [i32; 2],
}

const NOTHING: Touched = Touched { geom: [-1; 2], flex: [-1; 2], elem: [-1; 2], vert: [-1; 2] };

/// An element of a rope: a capsule.
struct Capsule {
    pos: Vec3,
    mat: Mat3,
    size: Vec3,
}

impl Capsule {
    fn posed(&self) -> Posed<'_> {
        Posed { pos: &self.pos, mat: &self.mat, size: &self.size }
    }
}

impl<'a> Flexes<'a> {
    /// Vertices of an element, by their numbers in the model.
    #[inline(always)]
    fn corners(&self, flex: &Flex, element: usize) -> &'a [u32] {
        let all = &self.plan.corners[flex.corners.range()];
        &all[element * (flex.dim + 1)..][..flex.dim + 1]
    }

    #[inline(always)]
    fn vertex(&self, vertex: u32) -> Vec3 {
        self.vertices[vertex as usize]
    }

    /// An element as a convex shape; `None` if its vertices are nowhere.
    fn simplex(&self, flex: &Flex, element: usize, margin: f64) -> Option<Shape<'static>> {
        let vertices = self.corners(flex, element);
        let mut corners = [self.vertex(vertices[0]); 4];
        for (corner, &vertex) in corners.iter_mut().zip(vertices) {
            *corner = self.vertex(vertex);
        }
        // The margin's half as part of the radius, as MuJoCo adds them: the search is sensitive to the
        // last digit.
        let radius = self.m.flex_radius[flex.id] + 0.5 * margin;
        let center = Vec3::from_slice(&self.boxes(flex)[element]);
        let is_somewhere = corners.iter().all(|c| c.is_finite()) && center.is_finite();
        let geometry = Geometry::Simplex { corners, count: vertices.len(), radius };
        is_somewhere.then(|| Shape::new(Pose::new(center, Mat3::IDENTITY), geometry, 0.0))
    }

    fn capsule(&self, flex: &Flex, element: usize) -> Capsule {
        let corners = self.corners(flex, element);
        let (a, b) = (self.vertex(corners[0]), self.vertex(corners[1]));
        let (axis, length) = (a - b).normalized();
        Capsule {
            pos: (a + b) * 0.5,
            mat: Quat::from_z_to(axis).to_mat(),
            size: Vec3::new(self.m.flex_radius[flex.id], 0.5 * length, 0.0),
        }
    }

    fn triangle(&self, flex: &Flex, element: usize) -> [Vec3; 3] {
        let corners = self.corners(flex, element);
        [self.vertex(corners[0]), self.vertex(corners[1]), self.vertex(corners[2])]
    }

    /// The bodies that carry the vertices of an element; none if they are interpolated.
    #[inline(always)]
    fn bodies(&self, flex: &Flex, element: usize) -> &'a [u32] {
        match flex.carrier {
            Carrier::Bodies => {
                let all = &self.plan.corner_body[flex.corners.range()];
                &all[element * (flex.dim + 1)..][..flex.dim + 1]
            }
            Carrier::Nodes(_) => &[],
        }
    }

    /// Every vertex of a flex against a plane.
    pub(super) fn plane(&self, geom: usize, flex: &Flex, pair: &Pair, out: &mut Found<'_>) {
        let plane = self.narrow.pose(geom);
        let (normal, radius) = (plane.mat.col(2), self.m.flex_radius[flex.id]);
        let mut contact = None;
        for (own, &vertex) in self.vertices[flex.vertices.range()].iter().enumerate() {
            let dist = (vertex - plane.pos).dot(normal);
            // What is nowhere touches nothing.
            if !(dist <= pair.margin + radius) {
                continue;
            }
            let dist = dist - radius;
            let touched = Touched {
                geom: [geom as i32, -1],
                flex: [-1, flex.id as i32],
                vert: [-1, own as i32],
                ..NOTHING
            };
            let parameters = pair.parameters(self.m);
            let contact = contact.get_or_insert_with(|| Contact {
                frame: super::super::narrow::frame(normal, None),
                ..contact_of(touched, &parameters, pair.margin)
            });
            let contact = Contact {
                dist,
                pos: vertex + normal * (-dist * 0.5 - radius),
                vert: touched.vert,
                exclude: (dist >= contact.includemargin) as i32,
                ..*contact
            };
            out.extend(self.narrow, std::iter::once(contact));
        }
    }

    /// A geom that is no plane against an element.
    pub(super) fn geom_element(
        &self,
        geom: usize,
        body: u32,
        flex: &Flex,
        element: usize,
        pair: &Pair,
        work: &mut Scratch,
        out: &mut Found<'_>,
    ) {
        let m = self.m;
        if out.is_full || self.bodies(flex, element).contains(&body) {
            return;
        }
        work.hits.clear();
        let margin = pair.margin;
        match (GeomType::from_raw(m.geom_type[geom]), flex.dim) {
            (Some(kind @ (GeomType::Sphere | GeomType::Capsule | GeomType::Box)), 1) => {
                let (posed, capsule) = (self.narrow.posed(geom), self.capsule(flex, element));
                let (capsule, hits) = (capsule.posed(), &mut work.hits);
                match kind {
                    GeomType::Sphere => pair::sphere_capsule(&posed, &capsule, margin, hits),
                    GeomType::Capsule => pair::capsule_capsule(&posed, &capsule, margin, hits),
                    _ => {
                        pair::capsule_box(&capsule, &posed, margin, hits);
                        for hit in hits.as_mut_slice() {
                            hit.normal = -hit.normal;
                        }
                    }
                }
            }
            (Some(GeomType::HField), _) => {
                if let Some(heights) = shape::height_field(m, geom)
                    && let Some(simplex) = self.simplex(flex, element, margin)
                {
                    let (frame, options) = (self.narrow.pose(geom), self.narrow.options());
                    let Scratch { hits, convex, .. } = work;
                    hfield::collide(&heights, &frame, &simplex, margin, &options, hits, convex);
                }
            }
            (Some(GeomType::Sphere), 2) => {
                let posed = self.narrow.posed(geom);
                let triangle = self.triangle(flex, element);
                let thickness = m.flex_radius[flex.id];
                let (center, radius) = (*posed.pos, posed.size[0]);
                pair::sphere_triangle(center, radius, triangle, thickness, margin, &mut work.hits);
            }
            _ => {
                if let Some(mut simplex) = self.simplex(flex, element, margin)
                    && !self.apart_from_geom(geom, &simplex, margin)
                    && let Some(mut shape) = self.narrow.convex(geom, margin)
                {
                    self.search(&mut shape, &mut simplex, margin, work);
                }
            }
        }
        let touched = Touched {
            geom: [geom as i32, -1],
            flex: [-1, flex.id as i32],
            elem: [-1, element as i32],
            ..NOTHING
        };
        self.report(touched, pair, margin, work, out);
    }

    /// Whether a body carries vertices of both elements: they are not tested.
    pub(super) fn are_joined(&self, flex: &Flex, [a, b]: [usize; 2]) -> bool {
        share_any(self.bodies(flex, a), self.bodies(flex, b))
    }

    /// Whether a test of two elements without a margin can find anything.
    pub(super) fn may_touch(&self, flex: &Flex, [a, b]: [usize; 2]) -> bool {
        let boxes = self.boxes(flex);
        overlap(&boxes[a], &boxes[b])
            && (flex.dim == 1
                || !separation::elements_apart(
                    self.vertices,
                    [self.corners(flex, a), self.corners(flex, b)],
                    2.0 * self.m.flex_radius[flex.id],
                ))
    }

    /// Two elements, which may be of one flex.
    pub(super) fn elements(
        &self,
        [first, second]: [&Flex; 2],
        [a, b]: [usize; 2],
        pair: &Pair,
        work: &mut Scratch,
        out: &mut Found<'_>,
    ) {
        let margin = pair.margin;
        let (Some(box_a), Some(box_b)) = (self.boxes(first).get(a), self.boxes(second).get(b))
        else {
            return;
        };
        if out.is_full
            || share_any(self.bodies(first, a), self.bodies(second, b))
            || apart(box_a, box_b, margin)
        {
            return;
        }
        work.hits.clear();
        if first.dim == 1 && second.dim == 1 {
            let (a, b) = (self.capsule(first, a), self.capsule(second, b));
            pair::capsule_capsule(&a.posed(), &b.posed(), margin, &mut work.hits);
        } else {
            let reach = self.m.flex_radius[first.id] + self.m.flex_radius[second.id] + margin;
            if separation::elements_apart(
                self.vertices,
                [self.corners(first, a), self.corners(second, b)],
                reach,
            ) {
                return;
            }
            if let Some(mut a) = self.simplex(first, a, margin)
                && let Some(mut b) = self.simplex(second, b, margin)
            {
                self.search(&mut a, &mut b, margin, work);
            }
        }
        let touched = Touched {
            flex: [first.id as i32, second.id as i32],
            elem: [a as i32, b as i32],
            ..NOTHING
        };
        self.report(touched, pair, margin, work, out);
    }

    /// An element against a vertex of the same flex, both without margin.
    pub(super) fn element_vertex(
        &self,
        flex: &Flex,
        element: usize,
        vertex: usize,
        pair: &Pair,
        work: &mut Scratch,
        out: &mut Found<'_>,
    ) {
        let Some(&center) = self.vertices[flex.vertices.range()].get(vertex) else { return };
        let Some(bounds) = self.boxes(flex).get(element) else { return };
        let radius = self.m.flex_radius[flex.id];
        if apart_from_ball(center, pair.margin + radius, bounds) || !center.is_finite() {
            return;
        }
        work.hits.clear();
        match flex.dim {
            1 => {
                let (capsule, size) = (self.capsule(flex, element), Vec3::splat(radius));
                let ball = Posed { pos: &center, mat: &Mat3::IDENTITY, size: &size };
                pair::sphere_capsule(&ball, &capsule.posed(), 0.0, &mut work.hits);
            }
            2 => {
                let triangle = self.triangle(flex, element);
                pair::sphere_triangle(center, radius, triangle, radius, 0.0, &mut work.hits);
            }
            _ => {
                let point = Geometry::Simplex { corners: [center; 4], count: 1, radius };
                let mut point = Shape::new(Pose::new(center, Mat3::IDENTITY), point, 0.0);
                if let Some(mut simplex) = self.simplex(flex, element, 0.0) {
                    self.search(&mut point, &mut simplex, 0.0, work);
                }
            }
        }
        let touched = Touched {
            flex: [flex.id as i32; 2],
            elem: [-1, element as i32],
            vert: [vertex as i32, -1],
            ..NOTHING
        };
        let without_margin = Pair { gap: Some(0.0), ..*pair };
        self.report(touched, &without_margin, 0.0, work, out);
    }

    /// Vertices of a tetrahedron against its faces: a vertex is to stay two radii behind the face
    /// opposite to it.
    pub(super) fn tetrahedron(
        &self,
        flex: &Flex,
        element: usize,
        pair: &Pair,
        work: &mut Scratch,
        out: &mut Found<'_>,
    ) {
        let corners = self.corners(flex, element);
        let first = flex.vertices.range().start;
        let thickness = 2.0 * self.m.flex_radius[flex.id];
        for [a, b, c, tip] in [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 3, 2, 0]] {
            let origin = self.vertex(corners[a]);
            let (e1, e2) = (self.vertex(corners[b]) - origin, self.vertex(corners[c]) - origin);
            let (normal, _) = e1.cross(e2).normalized();
            let vertex = self.vertex(corners[tip]);
            let height = (vertex - origin).dot(normal);
            if !(height > -thickness) {
                continue;
            }
            work.hits.clear();
            work.hits.push(Hit::new(
                -height - thickness,
                vertex + normal * (-0.5 * height),
                -normal,
            ));
            let touched = Touched {
                flex: [flex.id as i32; 2],
                elem: [element as i32, -1],
                vert: [-1, (corners[tip] as usize - first) as i32],
                ..NOTHING
            };
            self.report(touched, pair, 0.0, work, out);
        }
    }

    /// Whether an axis of an element proves that a geom is farther away than the margin.
    fn apart_from_geom(&self, geom: usize, simplex: &Shape<'_>, margin: f64) -> bool {
        let center = self.narrow.origin(geom);
        separation::any_axis(simplex, center - simplex.pose.pos, |axis, low, reach| {
            let mut hint = Hint::NONE;
            low - axis.dot(center) - self.narrow.bound(geom, axis, &mut hint) > reach + 0.5 * margin
        })
    }

    /// The general convex search: one point.
    fn search<'s>(&self, a: &mut Shape<'s>, b: &mut Shape<'s>, margin: f64, work: &mut Scratch) {
        let Scratch { hits, convex: memory, .. } = work;
        memory.supports.recall(Span::default());
        convex::collide(a, b, margin, &self.narrow.options(), false, hits, memory);
    }

    /// Appends the contacts that were hit.
    fn report(
        &self,
        touched: Touched,
        pair: &Pair,
        margin: f64,
        work: &mut Scratch,
        out: &mut Found<'_>,
    ) {
        let Scratch { hits, frames, .. } = work;
        if hits.is_empty() {
            return;
        }
        let contact = contact_of(touched, &pair.parameters(self.m), margin);
        let contacts = hits.iter().map(|hit| Contact {
            dist: hit.dist,
            pos: hit.pos,
            frame: frames.frame(hit.normal, hit.tangent),
            exclude: (hit.dist >= contact.includemargin) as i32,
            ..contact
        });
        out.extend(self.narrow, contacts);
    }
}

/// Whether two short lists have an entry in common.
#[inline(always)]
fn share_any(a: &[u32], b: &[u32]) -> bool {
    // All at once: few pairs end early.
    let mut shared = false;
    for x in a {
        for y in b {
            shared |= x == y;
        }
    }
    shared
}

/// What all contacts of a pair have in common.
fn contact_of(touched: Touched, parameters: &Parameters, margin: f64) -> Contact {
    let Touched { geom, flex, elem, vert } = touched;
    Contact {
        includemargin: margin - parameters.gap,
        friction: parameters.friction,
        solref: parameters.solref,
        solreffriction: parameters.solreffriction,
        solimp: parameters.solimp,
        dim: parameters.dim,
        geom,
        flex,
        elem,
        vert,
        ..Contact::default()
    }
}
