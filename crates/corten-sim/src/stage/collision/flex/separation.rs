//! Axes that prove elements apart, which takes less time than a search for their distance.
//!
//! A gap along any axis is a proof; the axes tried here are normals of the faces and the line between
//! centres, along which most neighbours of a cloth or a solid that do not touch are apart.

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

/// Whether two elements, radii included, are apart.
pub(super) fn simplices_apart(a: &Shape<'_>, b: &Shape<'_>) -> bool {
    let ((corners_a, radius_a), (corners_b, radius_b)) = (simplex(a), simplex(b));
    let reach = radius_a + radius_b + GAP;
    let separates = |axis: Vec3| {
        let ((low_a, high_a), (low_b, high_b)) = (extent(corners_a, axis), extent(corners_b, axis));
        let gap = (low_b - high_a).max(low_a - high_b);
        gap > 0.0 && gap * gap > axis.norm_squared() * reach * reach
    };
    separates(b.pose.pos - a.pose.pos)
        || normals(corners_a).into_iter().any(separates)
        || normals(corners_b).into_iter().any(separates)
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
