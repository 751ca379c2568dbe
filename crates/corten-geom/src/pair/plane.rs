//! Planes: the half space below the local xy plane, whatever the plane's drawn size.

use corten_math::array;
use corten_math::{MIN_VAL, Vec3};

use super::Posed;
use crate::{Hit, HitBuffer};

/// Contact of a half space with a sphere at `center`.
#[inline]
pub(super) fn half_space_sphere(
    origin: Vec3,
    normal: Vec3,
    center: Vec3,
    radius: f64,
    margin: f64,
) -> Option<Hit> {
    let height = (center - origin).dot(normal);
    if height > margin + radius {
        return None;
    }
    let dist = height - radius;
    Some(Hit::new(dist, center + normal * (-dist / 2.0 - radius), normal))
}

#[inline]
pub fn plane_sphere(plane: &Posed, sphere: &Posed, margin: f64, out: &mut HitBuffer) {
    if let Some(hit) =
        half_space_sphere(plane.pos(), plane.axis(), sphere.pos(), sphere.size()[0], margin)
    {
        out.push(hit);
    }
}

/// One sphere contact per end; the first tangent follows the capsule, so that rolling and sliding
/// directions are those of the capsule.
#[inline]
pub fn plane_capsule(plane: &Posed, capsule: &Posed, margin: f64, out: &mut HitBuffer) {
    let axis = capsule.axis();
    let half = axis * capsule.size()[1];
    let normal = plane.axis();
    for end in [capsule.pos() + half, capsule.pos() - half] {
        if let Some(hit) = half_space_sphere(plane.pos(), normal, end, capsule.size()[0], margin) {
            out.push(Hit { tangent: Some(axis), ..hit });
        }
    }
}

/// Up to four points: the lowest point of the lower rim, its counterpart on the upper rim, and
/// two more that complete an equilateral triangle on the lower disk.
pub fn plane_cylinder(plane: &Posed, cylinder: &Posed, margin: f64, out: &mut HitBuffer) {
    let [radius, half_length, _] = cylinder.size().0;
    let normal = plane.axis();
    let mut axis = cylinder.axis();
    let mut axis_drop = normal.dot(axis);
    if axis_drop > 0.0 {
        axis = -axis;
        axis_drop = -axis_drop;
    }
    let center_height = (cylinder.pos() - plane.pos()).dot(normal);

    // Steepest descent within the disk; any direction if the disk is parallel to the plane.
    let descent = axis * axis_drop - normal;
    let len_sqr = descent.norm_squared();
    let rim = if len_sqr >= MIN_VAL * MIN_VAL {
        descent * (radius / len_sqr.sqrt())
    } else {
        cylinder.mat.col(0) * radius
    };
    let rim_drop = rim.dot(normal);
    let axis = axis * half_length;
    axis_drop *= half_length;

    let point = |dist: f64, at: Vec3| Hit::new(dist, at + normal * (-dist * 0.5), normal);

    let lowest = center_height + axis_drop + rim_drop;
    if lowest > margin || lowest.is_nan() {
        return;
    }
    out.push(point(lowest, cylinder.pos() + rim + axis));

    let upper = center_height - axis_drop + rim_drop;
    if upper <= margin {
        out.push(point(upper, cylinder.pos() + rim - axis));
    }

    let side = center_height + axis_drop + -rim_drop * 0.5;
    if side <= margin {
        let (sideways, _) = rim.cross(axis).normalized();
        let sideways = sideways * (radius * 3f64.sqrt() / 2.0);
        for start in [cylinder.pos() + sideways, cylinder.pos() - sideways] {
            out.push(point(side, start + axis + rim * -0.5));
        }
    }
}

/// The first four of the lower corners, in corner order.
pub fn plane_box(plane: &Posed, cuboid: &Posed, margin: f64, out: &mut HitBuffer) {
    let normal = plane.axis();
    let center_height = (cuboid.pos() - plane.pos()).dot(normal);
    let size = cuboid.size();
    let mut count = 0;
    for i in 0..8 {
        let local: [f64; 3] = array::from_fn(|k| if i >> k & 1 == 1 { size[k] } else { -size[k] });
        let corner = *cuboid.mat * Vec3(local);
        let rise = normal.dot(corner);
        let dist = center_height + rise;
        if dist > margin || rise > 0.0 {
            continue;
        }
        out.push(Hit::new(dist, corner + cuboid.pos() + normal * (-dist / 2.0), normal));
        count += 1;
        if count == 4 {
            return;
        }
    }
}
