//! Spheres against spheres, capsules, cylinders, boxes and triangles.

use corten_math::array;
use corten_math::{MIN_VAL, Mat3, Vec3};

use super::plane::half_space_sphere;
use super::{Posed, clip};
use crate::{Hit, HitBuffer};

/// A ball at a point of some shape; the shape's orientation breaks the tie of coincident centres.
#[derive(Clone, Copy)]
pub(super) struct Ball<'a> {
    pub center: Vec3,
    pub radius: f64,
    pub mat: &'a Mat3,
}

impl<'a> Ball<'a> {
    pub fn of(shape: &Posed<'a>) -> Ball<'a> {
        Ball { center: shape.pos(), radius: shape.size()[0], mat: shape.mat }
    }
}

/// Contact of two balls. With coincident centres the normal is the cross product of the local z
/// axes, or world x if these are parallel.
#[inline]
pub(super) fn balls(a: Ball, b: Ball, margin: f64) -> Option<Hit> {
    let between = b.center - a.center;
    let center_dist_sqr = between.norm_squared();
    let reach = margin + a.radius + b.radius;
    if center_dist_sqr > reach * reach {
        return None;
    }
    let length = center_dist_sqr.sqrt();
    let dist = length - a.radius - b.radius;
    let normal = if length < MIN_VAL {
        a.mat.col(2).cross(b.mat.col(2)).normalized().0
    } else {
        between * (1.0 / length)
    };
    Some(Hit::new(dist, normal * (a.radius + dist / 2.0) + a.center, normal))
}

#[inline]
pub fn sphere_sphere(a: &Posed, b: &Posed, margin: f64, out: &mut HitBuffer) {
    if let Some(hit) = balls(Ball::of(a), Ball::of(b), margin) {
        out.push(hit);
    }
}

/// The capsule acts through the ball at the point of its segment nearest to the sphere.
#[inline]
pub fn sphere_capsule(sphere: &Posed, capsule: &Posed, margin: f64, out: &mut HitBuffer) {
    let half_length = capsule.size()[1];
    let axis = capsule.axis();
    let x = clip(axis.dot(sphere.pos() - capsule.pos()), -half_length, half_length);
    let nearest = Ball { center: axis * x + capsule.pos(), ..Ball::of(capsule) };
    if let Some(hit) = balls(Ball::of(sphere), nearest, margin) {
        out.push(hit);
    }
}

/// By the nearest feature of the cylinder: its side acts as a ball on the axis, a cap as a plane,
/// the rim as a point. A centre inside the cylinder goes to the nearer of side and cap.
pub fn sphere_cylinder(sphere: &Posed, cylinder: &Posed, margin: f64, out: &mut HitBuffer) {
    let [radius, half_length, _] = cylinder.size().0;
    let axis = cylinder.axis();
    let offset = sphere.pos() - cylinder.pos();
    let x = axis.dot(offset);
    let along = axis * x;
    let radial = offset - along;
    let radial_sqr = radial.norm_squared();

    let mut side = x.abs() < half_length;
    let mut cap = radial_sqr < radius * radius;
    if side && cap {
        let to_cap = half_length - x.abs();
        let to_side = radius - radial_sqr.sqrt();
        if to_cap < to_side {
            side = false;
        } else {
            cap = false;
        }
    }

    let ball = Ball::of(sphere);
    let hit = if side {
        balls(ball, Ball { center: along + cylinder.pos(), ..Ball::of(cylinder) }, margin)
    } else if cap {
        let (outward, height) = if x > 0.0 { (axis, half_length) } else { (-axis, -half_length) };
        let center = cylinder.pos() + axis * height;
        half_space_sphere(center, outward, sphere.pos(), ball.radius, margin)
            .map(|hit| Hit { normal: -hit.normal, ..hit })
    } else {
        let rim = radial * (radius / radial_sqr.sqrt());
        let corner =
            axis * (if x > 0.0 { half_length } else { -half_length }) + rim + cylinder.pos();
        balls(ball, Ball { center: corner, radius: 0.0, mat: cylinder.mat }, margin)
    };
    if let Some(hit) = hit {
        out.push(hit);
    }
}

#[inline]
pub fn sphere_box(sphere: &Posed, cuboid: &Posed, margin: f64, out: &mut HitBuffer) {
    if let Some(hit) = ball_box(sphere.pos(), sphere.size()[0], cuboid, margin) {
        out.push(hit);
    }
}

/// Contact of a ball with a box: the nearest point of the box, or, for a centre inside, the
/// nearest face.
pub(super) fn ball_box(center: Vec3, radius: f64, cuboid: &Posed, margin: f64) -> Option<Hit> {
    let size = cuboid.size();
    let local = cuboid.mat.tmul(center - cuboid.pos());
    let nearest = Vec3(array::from_fn(|i| {
        // A size of zero or less leaves the axis unbounded.
        if size[i] > 0.0 { clip(local[i], -size[i], size[i]) } else { local[i] }
    }));
    let (inward, dist) = (nearest - local).normalized();
    if dist - radius > margin {
        return None;
    }

    let (dist, pos, normal) = if dist <= MIN_VAL {
        let mut closest = (size[0] + size[1] + size[2]) * 2.0;
        let mut inward = Vec3::X;
        for axis in 0..3 {
            for sign in [-1.0, 1.0] {
                let depth = (sign * size[axis] - local[axis]).abs();
                if closest > depth {
                    closest = depth;
                    inward = Vec3::ZERO;
                    inward[axis] = -sign;
                }
            }
        }
        (-closest, local + inward * ((radius - closest) / 2.0), inward)
    } else {
        let deepest = local + inward * radius;
        (dist, nearest * 0.5 + deepest * 0.5, inward)
    };
    Some(Hit::new(dist - radius, *cuboid.mat * pos + cuboid.pos(), *cuboid.mat * normal))
}

/// A ball against a triangle thickened by `thickness`.
pub fn sphere_triangle(
    center: Vec3,
    radius: f64,
    triangle: [Vec3; 3],
    thickness: f64,
    margin: f64,
    out: &mut HitBuffer,
) {
    let reach = margin + radius + thickness;
    let [origin, a, b] = triangle;
    let (s, a, b) = (center - origin, a - origin, b - origin);
    let (plane_normal, _) = a.cross(b).normalized();
    let height = plane_normal.dot(s);
    if height.abs() > reach {
        return;
    }
    let foot = s + plane_normal * -height;

    // In the triangle's plane, with the first edge along u.
    let (u, a_len) = a.normalized();
    let (v, _) = plane_normal.cross(a).normalized();
    let corners = [[0.0, 0.0], [a_len, 0.0], [u.dot(b), v.dot(b)]];
    let p = [u.dot(foot), v.dot(foot)];
    let turn = |i: usize| {
        let (c, n) = (corners[i], corners[(i + 1) % 3]);
        let area = (p[0] - n[0]) * (c[1] - n[1]) - (c[0] - n[0]) * (p[1] - n[1]);
        (area > 0.0) as i32 - (area < 0.0) as i32
    };
    let nearest = if turn(0) == turn(1) && turn(1) == turn(2) {
        foot
    } else {
        let edges: [_; 3] =
            array::from_fn(|i| nearest_on_segment(p, corners[i], corners[(i + 1) % 3]));
        let [d0, d1, d2] = edges.map(|e| e.1);
        let best = if d0 < d1 && d0 < d2 {
            0
        } else if d1 < d2 {
            1
        } else {
            2
        };
        u * edges[best].0[0] + v * edges[best].0[1]
    };

    let (normal, distance) = (nearest - s).normalized();
    if distance > reach {
        return;
    }
    let dist = distance - radius - thickness;
    out.push(Hit::new(dist, center + normal * (radius + dist / 2.0), normal));
}

/// The point of a planar segment nearest to `p`, and its distance.
fn nearest_on_segment(p: [f64; 2], from: [f64; 2], to: [f64; 2]) -> ([f64; 2], f64) {
    let edge = [to[0] - from[0], to[1] - from[1]];
    let offset = [p[0] - from[0], p[1] - from[1]];
    let length_sqr = edge[0] * edge[0] + edge[1] * edge[1];
    let t = (edge[0] * offset[0] + edge[1] * offset[1]) / MIN_VAL.max(length_sqr);
    let point = if t <= 0.0 {
        from
    } else if t >= 1.0 {
        to
    } else {
        [from[0] + edge[0] * t, from[1] + edge[1] * t]
    };
    let d = [point[0] - p[0], point[1] - p[1]];
    (point, (d[0] * d[0] + d[1] * d[1]).sqrt())
}
