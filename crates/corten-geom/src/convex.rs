//! Contacts of general convex shapes: two shapes through GJK and EPA, and a plane with the hull
//! of a mesh or an ellipsoid.
//!
//! Answers to `mjc_Convex` and `mjc_PlaneConvex` in MuJoCo's `engine_collision_convex.c`.

use corten_math::{Mat3, Quat, Vec3};

use crate::ccd::{self, Options, Workspace, portal};
use crate::contact::{Hit, HitBuffer, tangents};
use crate::extremes::Hint;
use crate::round_normal;
use crate::shape::{Geometry, Mesh, Pose, Shape};

/// Angle (radians) by which shapes are rocked about a contact to find further ones.
const ROCKING_ANGLE: f64 = 1e-3;
/// Contacts nearer to each other than this part of the smaller bounding radius are one.
const DISTINCT: f64 = 1e-3;
/// Contacts of a plane with a mesh, and the part of the bounding radius that must separate
/// further ones from the first.
const PLANE_MESH_MAX: usize = 3;
const PLANE_MESH_DISTINCT: f64 = 0.3;

/// Contacts of two convex shapes that carry the margin already; appended to `out`.
///
/// With `multiccd`, flat faces of boxes and meshes yield up to four points, and other shapes are
/// rocked about the first contact to find more.
pub fn collide<'a>(
    a: &mut Shape<'a>,
    b: &mut Shape<'a>,
    margin: f64,
    options: &Options,
    multiccd: bool,
    out: &mut HitBuffer,
    ws: &mut Workspace,
) {
    let first = out.len();
    let max_contacts = if options.portals { 1 } else { max_contacts(a, b, multiccd) };
    penetrate(a, b, margin, options, max_contacts, out, ws);
    if max_contacts > 1 || !multiccd || out.len() != first + 1 {
        return;
    }
    let round =
        |s: &Shape<'_>| matches!(s.geometry, Geometry::Ellipsoid { .. } | Geometry::Sphere { .. });
    if !round(a) && !round(b) {
        rock(a, b, margin, options, first, out, ws);
    }
}

/// Points that one pass of EPA may recover.
fn max_contacts(a: &Shape<'_>, b: &Shape<'_>, multiccd: bool) -> usize {
    if a.margin > 0.0 || b.margin > 0.0 {
        return 1;
    }
    let is_box = |s: &Shape<'_>| matches!(s.geometry, Geometry::Box { .. });
    let is_flat =
        |s: &Shape<'_>| is_box(s) || matches!(s.geometry, Geometry::Mesh { faceted: true, .. });
    if is_box(a) && is_box(b) {
        8
    } else if is_flat(a) && is_flat(b) && multiccd {
        4
    } else {
        1
    }
}

/// One convex query; its points become contacts if the shapes overlap.
fn penetrate<'a>(
    a: &mut Shape<'a>,
    b: &mut Shape<'a>,
    margin: f64,
    options: &Options,
    max_contacts: usize,
    out: &mut HitBuffer,
    ws: &mut Workspace,
) {
    if options.portals {
        if let Some(hit) = overlap(a, b, margin, options, ws) {
            out.push(hit);
        }
        return;
    }
    let dist = ccd::query(a, b, options, max_contacts, 0.0, ws);
    if dist < 0.0 {
        for &(x1, x2) in &ws.points {
            out.push(hit(margin + dist, x1, x2));
        }
    }
}

/// The contact of shapes that overlap, by portals.
pub(crate) fn overlap<'a>(
    a: &mut Shape<'a>,
    b: &mut Shape<'a>,
    margin: f64,
    options: &Options,
    ws: &mut Workspace,
) -> Option<Hit> {
    // Portals leave no axis that separates.
    ws.axis = Vec3::ZERO;
    let found = portal::penetration(a, b, options, &mut ws.supports)?;
    let of_flex = |s: &Shape<'_>| matches!(s.geometry, Geometry::Simplex { .. });
    let normal = if of_flex(a) || of_flex(b) {
        found.normal
    } else {
        round_normal::refine(a, b, found.pos, found.normal)
    };
    Some(Hit::new(margin - found.depth, found.pos, normal))
}

/// The contact between deepest points: each lies inside the other shape, so the normal from the
/// first shape to the second runs from `x2` to `x1`.
pub(crate) fn hit(dist: f64, x1: Vec3, x2: Vec3) -> Hit {
    Hit::new(dist, (x1 + x2) * 0.5, (x1 - x2).normalized().0)
}

/// Rotates both shapes by a small angle in opposite senses about each tangent of the contact
/// `out[first]`, and keeps the contacts found there if they are new. They take the depth of the
/// first.
fn rock<'a>(
    a: &mut Shape<'a>,
    b: &mut Shape<'a>,
    margin: f64,
    options: &Options,
    first: usize,
    out: &mut HitBuffer,
    ws: &mut Workspace,
) {
    let contact = out[first];
    let kept = (a.pose, b.pose);
    let tolerance = DISTINCT * if a.rbound < b.rbound { a.rbound } else { b.rbound };
    for axis in tangents(contact.normal.normalized().0) {
        for angle in [-ROCKING_ANGLE, ROCKING_ANGLE] {
            let rotation = Quat::from_axis_angle(axis, angle).to_mat();
            a.pose = rotated(&kept.0, contact.pos, &rotation);
            b.pose = rotated(&kept.1, contact.pos, &rotation.transpose());
            let count = out.len();
            penetrate(a, b, margin, options, 1, out, ws);
            if let [earlier @ .., new] = &mut out.as_mut_slice()[first..]
                && earlier.len() == count - first
            {
                new.dist = contact.dist;
                if earlier.iter().any(|h| h.pos.distance(new.pos) <= tolerance) {
                    out.truncate(count);
                }
            }
        }
    }
    (a.pose, b.pose) = kept;
}

fn rotated(pose: &Pose, origin: Vec3, rotation: &Mat3) -> Pose {
    let rel = origin - pose.pos;
    Pose::new(pose.pos - (*rotation * rel - rel), *rotation * pose.mat)
}

/// Contacts of a plane (the half space below the xy plane of `plane`) with an ellipsoid or the
/// hull of a mesh; appended to `out`. The shape's own margin is ignored.
///
/// A mesh adds neighbours of its lowest vertex that lie within the margin and far from it.
pub fn plane_convex(plane: &Pose, shape: &Shape<'_>, margin: f64, out: &mut HitBuffer) {
    let normal = plane.mat.col(2);
    let down = shape.pose.mat.tmul(-normal);
    let (lowest, at) = match &shape.geometry {
        Geometry::Mesh { mesh, .. } => {
            let at = lowest_vertex(mesh, down);
            (at.map_or(Vec3::ZERO, |at| at.position), at)
        }
        Geometry::Ellipsoid { size } => {
            (down.component_mul(*size).normalized().0.component_mul(*size), None)
        }
        _ => return,
    };
    let point = shape.pose.point(lowest);
    let dist = normal.dot(point - plane.pos);
    if dist > margin {
        return;
    }
    let first = point + normal * (-0.5 * dist);
    out.push(Hit::new(dist, first, normal));

    let (Geometry::Mesh { mesh, .. }, Some(at)) = (&shape.geometry, at) else { return };
    let threshold = normal.dot(shape.pose.pos - plane.pos) - margin;
    let mut count = 1;
    let mut add = |local: Vec3| {
        if down.dot(local) > threshold {
            let point = shape.pose.point(local);
            if point.distance(first) >= PLANE_MESH_DISTINCT * shape.rbound {
                let dist = normal.dot(point - plane.pos);
                out.push(Hit::new(dist, point + normal * (-0.5 * dist), normal));
                count += 1;
            }
        }
        count < PLANE_MESH_MAX
    };
    match &mesh.graph {
        Some(graph) => {
            graph.neighbours(at.number).all(|i| add(mesh.vertex(graph.vertex(i))));
        }
        None => {
            (0..mesh.vert.len()).filter(|&i| i != at.number).all(|i| add(mesh.vertex(i as i32)));
        }
    }
}

/// A vertex of a mesh, numbered along the hull graph if there is one.
#[derive(Clone, Copy)]
struct Lowest {
    number: usize,
    position: Vec3,
}

/// The vertex farthest along `dir`, the first found among equals. Unlike the support function of
/// [`Shape`], the climb counts its start as a candidate.
fn lowest_vertex(mesh: &Mesh<'_>, dir: Vec3) -> Option<Lowest> {
    let Some(graph) = &mesh.graph else {
        let mut best = None;
        let mut max = -1e10;
        for number in 0..mesh.vert.len() {
            let position = mesh.vertex(number as i32);
            let reach = dir.dot(position);
            if reach > max {
                (best, max) = (Some(Lowest { number, position }), reach);
            }
        }
        return best;
    };
    if let Some(found) = mesh.extreme(dir, Hint::NONE) {
        return Some(Lowest { number: found.corner, position: found.position });
    }
    let at = |number| Lowest { number, position: mesh.vertex(graph.vertex(number)) };
    let mut best = at(0);
    let mut max = dir.dot(best.position);
    loop {
        let from = best.number;
        for i in graph.neighbours(from) {
            let candidate = at(i);
            let reach = dir.dot(candidate.position);
            if reach > max {
                (best, max) = (candidate, reach);
            }
        }
        if best.number == from {
            return Some(best);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64, y: f64, z: f64) -> Pose {
        Pose::new(Vec3::new(x, y, z), Mat3::IDENTITY)
    }

    fn run(a: Geometry<'_>, pa: Pose, b: Geometry<'_>, pb: Pose, multiccd: bool) -> HitBuffer {
        let mut out = HitBuffer::new();
        let mut ws = Workspace::default();
        let (mut a, mut b) = (Shape::new(pa, a, 0.0), Shape::new(pb, b, 0.0));
        collide(&mut a, &mut b, 0.0, &Options::default(), multiccd, &mut out, &mut ws);
        out
    }

    const CUBE: Geometry<'_> = Geometry::Box { size: Vec3::splat(1.0) };

    #[test]
    fn stacked_boxes_share_a_square() {
        let hits = run(CUBE, at(0.0, 0.0, 0.0), CUBE, at(0.5, 0.25, 1.9), false);
        assert_eq!(hits.len(), 4);
        for h in hits.iter() {
            assert!((h.dist + 0.1).abs() < 1e-12);
            assert!((h.normal - Vec3::Z).norm() < 1e-12);
            assert!((h.pos[2] - 0.95).abs() < 1e-12);
        }
        let area: Vec<f64> = (0..2)
            .map(|k| {
                let (lo, hi) = hits
                    .iter()
                    .fold((f64::MAX, f64::MIN), |(lo, hi), h| (lo.min(h.pos[k]), hi.max(h.pos[k])));
                hi - lo
            })
            .collect();
        assert!((area[0] - 1.5).abs() < 1e-12 && (area[1] - 1.75).abs() < 1e-12, "{area:?}");
    }

    #[test]
    fn a_cylinder_lying_on_a_box_gets_more_points_by_rocking() {
        let lying = Quat::from_axis_angle(Vec3::X, std::f64::consts::FRAC_PI_2).to_mat();
        let cylinder = Geometry::Cylinder { radius: 0.5, half_length: 0.8 };
        let pose = Pose::new(Vec3::new(0.0, 0.0, 1.49), lying);
        let one = run(cylinder, pose, CUBE, at(0.0, 0.0, 0.0), false);
        assert_eq!(one.len(), 1);
        let mut out = HitBuffer::new();
        let mut a = Shape::bounded(pose, cylinder, 0.0, 1.0);
        let mut b = Shape::bounded(at(0.0, 0.0, 0.0), CUBE, 0.0, 1.8);
        let mut ws = Workspace::default();
        collide(&mut a, &mut b, 0.0, &Options::default(), true, &mut out, &mut ws);
        assert!(out.len() >= 2, "{}", out.len());
        assert_eq!(a.pose, pose);
        for h in out.iter() {
            assert!((h.dist + 0.01).abs() < 1e-6);
        }
    }

    #[test]
    fn plane_with_ellipsoid_in_closed_form() {
        let size = Vec3::new(0.3, 0.5, 0.2);
        let mat = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.9).to_mat();
        let shape =
            Shape::new(Pose::new(Vec3::new(1.0, 2.0, 0.1), mat), Geometry::Ellipsoid { size }, 0.0);
        let mut out = HitBuffer::new();
        plane_convex(&Pose::IDENTITY, &shape, 0.0, &mut out);
        // Height of the lowest point: centre minus |S Rᵀ z|.
        let expected = 0.1 - mat.row(2).component_mul(size).norm();
        assert_eq!(out.len(), 1);
        assert!((out[0].dist - expected).abs() < 1e-15);
    }
}
