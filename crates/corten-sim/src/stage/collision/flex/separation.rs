//! Axes that prove elements apart, which takes less time than a search for their distance.
//!
//! A gap along any axis is a proof; the axes tried here are the line between centres, normals of the faces
//! and of the sides of triangles within their plane, along which most neighbours of a cloth or a solid that do not touch are apart.

use corten_geom::{Geometry, Shape};
use corten_math::Vec3;

/// Gap that counts as proof: far above rounding, so that the search agrees.
const GAP: f64 = 1e-6;

/// Corners and radius of an element.
fn simplex<'s>(shape: &'s Shape<'_>) -> (&'s [Vec3], f64) {
    match &shape.geometry {
        Geometry::Simplex { corners, count, radius } => (&corners[..(*count).min(4)], *radius),
        _ => (&[], f64::INFINITY),
    }
}

/// Normals of the faces of an element, of any length; zero where there are fewer.
#[inline(always)]
fn normals(corners: &[Vec3]) -> [Vec3; 4] {
    let face =
        |a: usize, b: usize, c: usize| (corners[b] - corners[a]).cross(corners[c] - corners[a]);
    match corners.len() {
        3 => [face(0, 1, 2), Vec3::ZERO, Vec3::ZERO, Vec3::ZERO],
        4 => [face(0, 1, 2), face(0, 1, 3), face(0, 2, 3), face(1, 2, 3)],
        _ => [Vec3::ZERO; 4],
    }
}

/// Lowest and highest corner along an axis.
#[inline(always)]
fn extent(corners: &[Vec3], axis: Vec3) -> (f64, f64) {
    let first = axis.dot(corners[0]);
    corners[1..].iter().fold((first, first), |(low, high), corner| {
        let x = axis.dot(*corner);
        (if x < low { x } else { low }, if x > high { x } else { high })
    })
}

/// The corners of an element, and how many there are.
struct Corners {
    at: [Vec3; 4],
    count: usize,
}

impl Corners {
    #[inline(always)]
    fn new(vertices: &[Vec3], ids: &[u32]) -> Corners {
        let mut at = [vertices[ids[0] as usize]; 4];
        for (at, &id) in at.iter_mut().zip(ids) {
            *at = vertices[id as usize];
        }
        Corners { at, count: ids.len().min(4) }
    }

    #[inline(always)]
    fn slice(&self) -> &[Vec3] {
        &self.at[..self.count]
    }

    #[inline(always)]
    fn centre(&self) -> Vec3 {
        let mut sum = self.at[0];
        for corner in &self.at[1..self.count] {
            sum += *corner;
        }
        sum * (1.0 / self.count as f64)
    }
}

/// Whether the elements of two lists of vertices are farther apart than `reach`.
pub(super) fn elements_apart(vertices: &[Vec3], [a, b]: [&[u32]; 2], reach: f64) -> bool {
    let (a, b) = (Corners::new(vertices, a), Corners::new(vertices, b));
    let reach = (reach + GAP) * (reach + GAP);
    separates(b.centre() - a.centre(), &a, &b, reach)
        || any_normal(&a, &a, &b, reach)
        || any_normal(&b, &a, &b, reach)
        || a.count == 3 && any_side(&a, &a, &b, reach)
        || b.count == 3 && any_side(&b, &a, &b, reach)
}

/// Whether the gap along an axis, of any length, is more than the root of `reach`.
#[inline(always)]
fn separates(axis: Vec3, a: &Corners, b: &Corners, reach: f64) -> bool {
    let ((low_a, high_a), (low_b, high_b)) = (extent(a.slice(), axis), extent(b.slice(), axis));
    let gap = (low_b - high_a).max(low_a - high_b);
    gap > 0.0 && gap * gap > axis.norm_squared() * reach
}

#[inline(always)]
fn any_normal(of: &Corners, a: &Corners, b: &Corners, reach: f64) -> bool {
    let normals = normals(of.slice());
    let count = if of.count == 4 { 4 } else { of.count / 3 };
    normals[..count].iter().any(|&normal| separates(normal, a, b, reach))
}

/// The directions in the plane of a triangle that are normal to its sides: they part what is next to each
/// other in a flat sheet.
#[inline(always)]
fn any_side(of: &Corners, a: &Corners, b: &Corners, reach: f64) -> bool {
    let [p, q, r, _] = of.at;
    let normal = (q - p).cross(r - p);
    [q - p, r - q, p - r].into_iter().any(|side| separates(side.cross(normal), a, b, reach))
}

/// Whether `proves(axis, low, reach)` for an axis of an element: a unit vector away from something, which
/// is in the direction `other` of the centre. `low` is where the element's lowest corner is along it,
/// `reach` how far beyond it reaches, and a gap.
pub(super) fn any_axis(
    element: &Shape<'_>,
    other: Vec3,
    proves: impl Fn(Vec3, f64, f64) -> bool,
) -> bool {
    let (corners, radius) = simplex(element);
    let [a, b, c, d] = normals(corners);
    [-other, a, b, c, d].into_iter().any(|axis| {
        if axis == Vec3::ZERO {
            return false;
        }
        let axis = if axis.dot(other) > 0.0 { -axis } else { axis };
        let (axis, _) = axis.normalized();
        proves(axis, extent(corners, axis).0, radius + GAP)
    })
}
