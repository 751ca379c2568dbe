//! Proof that two convex shapes are apart, from an axis that separated them a moment ago.
//!
//! Most pairs that come close stay apart, along nearly the same axis from step to step. Two
//! support values along the remembered axis then replace a run of GJK. A positive gap is a proof,
//! so what is remembered decides about time, never about contacts.

use corten_math::{MIN_VAL, Vec3};

use crate::shape::{Geometry, HullGraph, Shape};

/// Gap that counts as proof: far above rounding, so that the reference algorithm agrees.
const GAP: f64 = 1e-6;

/// What is remembered of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Separation {
    /// From the second shape towards the first, any length; zero if unknown.
    pub axis: Vec3,
    /// Hull vertices of meshes that were extreme along the axis.
    hints: [u32; 2],
}

impl Separation {
    pub fn new(axis: Vec3) -> Separation {
        Separation { axis, hints: [0; 2] }
    }

    /// Whether the axis separates the shapes, inflated by half their margins.
    pub fn holds(&mut self, a: &Shape<'_>, b: &Shape<'_>) -> bool {
        let Some(unit) = self.unit() else { return false };
        let [hint1, hint2] = &mut self.hints;
        let offset = reference(a) - reference(b);
        reach(a, -unit, hint1) + reach(b, unit, hint2) - unit.dot(offset) < -GAP
    }

    /// Whether the axis separates what two shapes are bounded by: `offset` runs from the second
    /// shape's origin to the first's, and the bounds tell how far each reaches along a direction,
    /// measured from its origin.
    pub fn holds_for_bounds(
        &self,
        offset: Vec3,
        first: impl FnOnce(Vec3) -> f64,
        second: impl FnOnce(Vec3) -> f64,
    ) -> bool {
        self.unit().is_some_and(|unit| first(-unit) + second(unit) - unit.dot(offset) < -GAP)
    }

    fn unit(&self) -> Option<Vec3> {
        let norm = self.axis.norm();
        (norm > MIN_VAL && norm < f64::INFINITY).then(|| self.axis * (1.0 / norm))
    }
}

/// The point from which [`reach`] measures.
fn reference(shape: &Shape<'_>) -> Vec3 {
    match &shape.geometry {
        Geometry::Prism { .. } | Geometry::Simplex { .. } => Vec3::ZERO,
        _ => shape.pose.pos,
    }
}

/// How far the inflated shape reaches along a unit vector.
fn reach(shape: &Shape<'_>, dir: Vec3, hint: &mut u32) -> f64 {
    let local = shape.pose.mat.tmul(dir);
    let farthest = |points: &[Vec3]| points.iter().fold(f64::MIN, |max, p| max.max(p.dot(dir)));
    let bare = match &shape.geometry {
        Geometry::Sphere { radius } => *radius,
        Geometry::Capsule { radius, half_length } => radius + half_length * local[2].abs(),
        Geometry::Ellipsoid { size } => local.component_mul(*size).norm(),
        Geometry::Cylinder { radius, half_length } => {
            let across = (local[0] * local[0] + local[1] * local[1]).sqrt();
            radius * across + half_length * local[2].abs()
        }
        Geometry::Box { size } => local.abs().dot(*size),
        Geometry::Mesh { mesh, .. } => match &mesh.graph {
            Some(graph) => climb(mesh.vert, graph, local, hint),
            None => mesh.vert.iter().fold(f64::MIN, |max, v| max.max(along(v, local))),
        },
        Geometry::Prism { corners } => farthest(corners),
        Geometry::Simplex { corners, count, radius } => {
            farthest(corners.get(..*count).unwrap_or(corners)) + radius
        }
        Geometry::Point => 0.0,
        Geometry::Segment { half_length } => half_length * local[2].abs(),
    };
    bare + 0.5 * shape.margin.max(0.0)
}

#[inline]
fn along(v: &[f32; 3], dir: Vec3) -> f64 {
    f64::from(v[0]) * dir[0] + f64::from(v[1]) * dir[1] + f64::from(v[2]) * dir[2]
}

/// Support value of a hull: ascent from the hint. On a convex hull a vertex that no neighbour
/// exceeds is extreme. Damaged graphs prove nothing.
fn climb(vert: &[[f32; 3]], graph: &HullGraph<'_>, dir: Vec3, hint: &mut u32) -> f64 {
    let value = |i: usize| {
        let v = graph.globalid.get(i).and_then(|&v| vert.get(v as usize));
        v.map_or(f64::INFINITY, |v| along(v, dir))
    };
    let mut best = *hint as usize;
    let mut max = value(best);
    loop {
        let current = best;
        for i in graph.neighbours(current) {
            let d = value(i);
            if d > max {
                (best, max) = (i, d);
            }
        }
        if best == current {
            *hint = best as u32;
            return max;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ccd::{Options, Workspace, query};
    use crate::shape::{Mesh, Pose};
    use corten_math::{Mat3, Quat};

    #[test]
    fn agrees_with_the_distance_of_boxes() {
        let size = Vec3::new(0.3, 0.2, 0.1);
        let turned = Quat::from_axis_angle(Vec3::Z, 0.4).to_mat();
        for gap in [-0.1, -1e-3, 1e-3, 0.1] {
            let at = |x: f64, mat: Mat3| Pose::new(Vec3::new(x, 0.0, 0.0), mat);
            let mut a = Shape::new(at(0.0, Mat3::IDENTITY), Geometry::Box { size }, 0.0);
            // Reach of the turned box along −x.
            let reach = 0.3 * 0.4f64.cos() + 0.2 * 0.4f64.sin();
            let mut b = Shape::new(at(0.3 + reach + gap, turned), Geometry::Box { size }, 0.0);
            let mut separation = Separation::new(Vec3::new(-2.0, 0.0, 0.0));
            assert_eq!(separation.holds(&a, &b), gap > 0.0);
            let mut ws = Workspace::default();
            let dist = query(&mut a, &mut b, &Options::default(), 1, 0.0, &mut ws);
            assert_eq!(dist < 0.0, gap < 0.0);
        }
    }

    #[test]
    fn unknown_and_non_finite_axes_prove_nothing() {
        let vert = [[0.0; 3]; 4];
        let geometry = Geometry::Mesh { mesh: Mesh::new(&vert), faceted: true };
        let far = Pose::new(Vec3::new(10.0, 0.0, 0.0), Mat3::IDENTITY);
        let a = Shape::new(Pose::IDENTITY, geometry, 0.0);
        let b = Shape::new(far, geometry, 0.0);
        for axis in [Vec3::ZERO, Vec3::splat(f64::NAN), Vec3::splat(f64::INFINITY), Vec3::X] {
            assert!(!Separation::new(axis).holds(&a, &b));
        }
        assert!(Separation::new(-Vec3::X).holds(&a, &b));
    }
}
