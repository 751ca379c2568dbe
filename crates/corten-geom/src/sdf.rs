//! Signed distances to the surfaces of shapes, negative inside.
//!
//! Exact outside spheres, capsules, cylinders and boxes; bounds elsewhere, such that they vanish on
//! the surface with unit slope across it (Quilez, "Distance functions"). A mesh is represented by
//! an octree of sampled distances.

use corten_math::Vec3;
use corten_math::array;

/// The side of a plane through the origin, normal to z.
pub fn plane(p: Vec3) -> f64 {
    p[2]
}

pub fn sphere(p: Vec3, radius: f64) -> f64 {
    p.norm() - radius
}

pub fn capsule(p: Vec3, radius: f64, half_length: f64) -> f64 {
    // Beyond the end of the axis, if at all; a negative length counts as its upper end.
    let beyond = if p[2] < -half_length {
        p[2] + half_length
    } else if p[2] > half_length {
        p[2] - half_length
    } else {
        0.0
    };
    Vec3::new(p[0], p[1], beyond).norm() - radius
}

pub fn ellipsoid(p: Vec3, size: Vec3) -> f64 {
    let scaled = Vec3::new(p[0] / size[0], p[1] / size[1], p[2] / size[2]);
    let gradient = Vec3::new(scaled[0] / size[0], scaled[1] / size[1], scaled[2] / size[2]);
    let level = scaled.norm();
    level * (level - 1.0) / gradient.norm()
}

pub fn cylinder(p: Vec3, radius: f64, half_length: f64) -> f64 {
    let side = (p[0] * p[0] + p[1] * p[1]).sqrt() - radius;
    let end = p[2].abs() - half_length;
    let (a, b) = (side.max(0.0), end.max(0.0));
    side.max(end).min(0.0) + (a * a + b * b).sqrt()
}

/// Inside, distance is measured along a direction that turns from radial at the centre to the
/// normal at a face.
pub fn cuboid(p: Vec3, size: Vec3) -> f64 {
    let over = p.abs() - size;
    if (0..3).any(|i| over[i] >= 0.0) {
        let outside = over.max(Vec3::ZERO);
        return outside.norm() + over[0].max(over[1].max(over[2])).min(0.0);
    }
    let radial = Vec3::new(-size[0] / over[0], -size[1] / over[1], -size[2] / over[2]);
    let (direction, _) = radial.normalized();
    let reach = |i: usize| -over[i] / direction[i].abs();
    -reach(0).min(reach(1).min(reach(2))) * direction.norm()
}

/// Distances sampled at the corners of the leaves of an octree.
#[derive(Clone, Copy, Debug)]
pub struct Octree<'a> {
    /// Centre and half-lengths of each node.
    pub aabb: &'a [[f64; 6]],
    /// Children by octant, x fastest; −1 eight times for a leaf.
    pub child: &'a [[i32; 8]],
    /// Distance at each corner, x fastest.
    pub coeff: &'a [[f64; 8]],
}

impl Octree<'_> {
    /// Distance at a point: interpolated inside the root box, outside it the distance to the box
    /// plus that of the nearest point in it.
    pub fn distance(&self, p: Vec3) -> Option<f64> {
        let (inside, gap) = into_box(p, self.aabb.first()?);
        let (leaf, at) = self.leaf(inside)?;
        let corner = |j: usize| {
            let weight = |axis: usize| if j & (1 << axis) != 0 { at[axis] } else { 1.0 - at[axis] };
            weight(0) * weight(1) * weight(2)
        };
        let coeff = self.coeff.get(leaf)?;
        let sampled: f64 = (0..8).map(|j| corner(j) * coeff[j]).sum();
        Some(if gap > 0.0 { sampled + gap } else { sampled })
    }

    /// Slope of the distance: inside the root box, of the interpolation with respect to the
    /// coordinates of the leaf, not scaled to its size; outside, of [`Octree::distance`].
    pub fn gradient(&self, p: Vec3) -> Option<Vec3> {
        /// Step of the difference quotient.
        const STEP: f64 = 1e-8;
        let (inside, gap) = into_box(p, self.aabb.first()?);
        if gap <= 0.0 {
            let (leaf, at) = self.leaf(inside)?;
            let coeff = self.coeff.get(leaf)?;
            let mut gradient = Vec3::ZERO;
            for j in 0..8usize {
                let upper = |axis: usize| j & (1 << axis) != 0;
                let weight = |axis: usize| if upper(axis) { at[axis] } else { 1.0 - at[axis] };
                let slope = |axis: usize| if upper(axis) { 1.0 } else { -1.0 };
                gradient[0] += slope(0) * weight(1) * weight(2) * coeff[j];
                gradient[1] += weight(0) * slope(1) * weight(2) * coeff[j];
                gradient[2] += weight(0) * weight(1) * slope(2) * coeff[j];
            }
            return Some(gradient);
        }
        let here = self.distance(p)?;
        let mut gradient = Vec3::ZERO;
        for axis in 0..3 {
            let mut moved = p;
            moved[axis] += STEP;
            gradient[axis] = (self.distance(moved)? - here) / STEP;
        }
        Some(gradient)
    }

    /// The leaf that holds a point, and the point's coordinates in it, from 0 to 1.
    fn leaf(&self, p: Vec3) -> Option<(usize, Vec3)> {
        const DEEPEST: usize = 100;
        let mut node = 0usize;
        for _ in 0..DEEPEST {
            let (aabb, child) = (self.aabb.get(node)?, self.child.get(node)?);
            let at = Vec3(array::from_fn(|i| {
                let low = aabb[i] - aabb[3 + i];
                (p[i] - low) / (aabb[i] + aabb[3 + i] - low)
            }));
            if *child == [-1; 8] {
                return Some((node, at));
            }
            let half = |axis: usize| usize::from(at[axis] >= 0.5);
            node = usize::try_from(child[4 * half(2) + 2 * half(1) + half(0)]).ok()?;
        }
        None
    }
}

/// A point moved just inside a box, and its distance to the box, negative inside.
fn into_box(p: Vec3, aabb: &[f64; 6]) -> (Vec3, f64) {
    /// Keeps the moved point clear of the boundary.
    const INSET: f64 = 1e-6;
    let offset = p - Vec3::from_slice(&aabb[..3]);
    let over = offset.abs() - Vec3::from_slice(&aabb[3..]);
    if (0..3).all(|i| over[i] <= 0.0) {
        return (p, over[0].max(over[1].max(over[2])));
    }
    let (mut moved, mut squared) = (p, 0.0);
    for i in 0..3 {
        if over[i] >= 0.0 {
            squared += over[i] * over[i];
            moved[i] -= if offset[i] > 0.0 { over[i] + INSET } else { -(over[i] + INSET) };
        }
    }
    (moved, squared.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_along_an_axis() {
        let p = Vec3::new(0.0, 0.0, 2.0);
        assert_eq!(sphere(p, 0.5), 1.5);
        assert_eq!(capsule(p, 0.5, 1.0), 0.5);
        assert_eq!(cylinder(p, 0.5, 1.0), 1.0);
        assert_eq!(cuboid(p, Vec3::splat(0.5)), 1.5);
        assert!(
            (ellipsoid(Vec3::new(0.0, 0.0, 1.0 + 1e-9), Vec3::new(2.0, 3.0, 1.0)) - 1e-9).abs()
                < 1e-15
        );
    }

    #[test]
    fn surfaces_have_distance_zero() {
        assert!(cuboid(Vec3::new(0.1, 0.2, 0.5), Vec3::splat(0.5)).abs() < 1e-15);
        assert!(cuboid(Vec3::new(0.1, 0.2, 0.5 - 1e-9), Vec3::splat(0.5)) < 0.0);
        assert!(cylinder(Vec3::new(0.3, 0.4, 0.1), 0.5, 1.0).abs() < 1e-15);
    }

    /// A linear function is interpolated exactly, and continued by the distance to the box.
    #[test]
    fn octree_interpolates() {
        let coeff = [std::array::from_fn(|j| if j & 4 != 0 { 1.0 } else { -1.0 })];
        let tree =
            Octree { aabb: &[[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]], child: &[[-1; 8]], coeff: &coeff };
        assert!((tree.distance(Vec3::new(0.2, -0.3, 0.4)).unwrap() - 0.4).abs() < 1e-15);
        assert!((tree.distance(Vec3::new(0.2, -0.3, 1.5)).unwrap() - 1.5).abs() < 2e-6);
    }
}
