//! Contacts of shapes described by signed distance fields.
//!
//! Where two solids overlap, `max(A, B)` of their distances is negative. From points spread over
//! the common bounding box, gradient descent on a function of both distances looks for such
//! places; each one found becomes a contact, whose normal is that of the surface on which both
//! distances agree. Answers to `mjc_SDF` in MuJoCo's `engine_collision_sdf.c`.

use corten_math::array;
use corten_math::{Quat, Vec3, halton};

use crate::DistanceField;
use crate::contact::{Hit, HitBuffer, MAX_HITS};
use crate::ray::{self, Ray, TriangleMesh};
use crate::sdf::{self, Octree};
use crate::shape::Pose;

/// Distances and slopes beyond this are failures.
const MAX_VALUE: f64 = 1e10;
/// Points closer than this are the same contact.
const SAME_POINT: f64 = 1e-15;
/// Limit on start points and on steps from each, whatever the options say.
const MAX_EFFORT: i32 = 1 << 16;

/// A signed distance field around the origin of its own frame.
#[derive(Clone, Copy, Debug)]
pub enum Field<'a> {
    Plane,
    Sphere {
        radius: f64,
    },
    Capsule {
        radius: f64,
        half_length: f64,
    },
    Ellipsoid {
        size: Vec3,
    },
    Cylinder {
        radius: f64,
        half_length: f64,
    },
    Box {
        size: Vec3,
    },
    Octree(Octree<'a>),
    /// Whatever a plugin computes.
    Implicit(&'a dyn DistanceField),
    /// A mesh without samples: measured by a ray towards the world's origin.
    Mesh {
        pose: Pose,
        size: Vec3,
        mesh: TriangleMesh<'a>,
    },
}

impl Field<'_> {
    /// Signed distance, negative inside; a huge value where there is none.
    pub fn distance(&self, p: Vec3) -> f64 {
        match self {
            Field::Plane => sdf::plane(p),
            Field::Sphere { radius } => sdf::sphere(p, *radius),
            Field::Capsule { radius, half_length } => sdf::capsule(p, *radius, *half_length),
            Field::Ellipsoid { size } => sdf::ellipsoid(p, *size),
            Field::Cylinder { radius, half_length } => sdf::cylinder(p, *radius, *half_length),
            Field::Box { size } => sdf::cuboid(p, *size),
            Field::Octree(tree) => tree.distance(p).unwrap_or(MAX_VALUE),
            Field::Implicit(field) => field.distance(p),
            Field::Mesh { pose, size, mesh } => {
                let (to_origin, there) = self.toward_origin(p);
                if there > to_origin.dir.norm() {
                    let away = Ray::new(to_origin.origin, -to_origin.dir);
                    -ray::mesh(pose, *size, mesh, &away).unwrap_or(-1.0)
                } else {
                    there
                }
            }
        }
    }

    /// The ray from a point of a mesh's frame to the world's origin, and its hit, −1 if none.
    fn toward_origin(&self, p: Vec3) -> (Ray, f64) {
        let Field::Mesh { pose, size, mesh } = self else { return (Ray::new(p, -p), -1.0) };
        let world = pose.point(p);
        let ray = Ray::new(world, -world);
        (ray, ray::mesh(pose, *size, mesh, &ray).unwrap_or(-1.0))
    }

    /// Direction of growing distance, of about unit length.
    pub fn gradient(&self, p: Vec3) -> Vec3 {
        match self {
            Field::Plane => Vec3::Z,
            Field::Sphere { .. } => p * (1.0 / p.norm()),
            Field::Capsule { half_length, .. } => {
                let beyond = p[2] - p[2].max(-half_length).min(*half_length);
                let from_axis = Vec3::new(p[0], p[1], beyond);
                from_axis / from_axis.norm()
            }
            Field::Ellipsoid { size } => ellipsoid_gradient(p, *size),
            Field::Cylinder { radius, half_length } => cylinder_gradient(p, *radius, *half_length),
            Field::Box { size } => box_gradient(p, *size),
            Field::Octree(tree) => tree.gradient(p).unwrap_or(Vec3::splat(f64::NAN)),
            Field::Implicit(field) => field.gradient(p),
            Field::Mesh { .. } => {
                let (ray, there) = self.toward_origin(p);
                Vec3::splat(if there > ray.dir.norm() { 1.0 } else { -1.0 })
            }
        }
    }
}

/// Of `k₀ (k₀ − 1) / k₁` with `k₀ = |p/s|` and `k₁ = |p/s²|`.
fn ellipsoid_gradient(p: Vec3, size: Vec3) -> Vec3 {
    let a = Vec3(array::from_fn(|k| p[k] / size[k]));
    let b = Vec3(array::from_fn(|k| a[k] / size[k]));
    let (k0, k1) = (a.norm(), b.norm());
    let (inv0, inv1) = (1.0 / k0, 1.0 / k1);
    let by_k0 = (2.0 * k0 - 1.0) * inv1;
    let by_k1 = k0 * (k0 - 1.0) * inv1 * inv1;
    let gradient =
        Vec3(array::from_fn(|k| b[k] * inv0 * by_k0 - b[k] * inv1 / (size[k] * size[k]) * by_k1));
    gradient.normalized().0
}

fn cylinder_gradient(p: Vec3, radius: f64, half_length: f64) -> Vec3 {
    let least = 1.0 / MAX_VALUE;
    let across = (p[0] * p[0] + p[1] * p[1]).sqrt();
    let (side, end) = (across - radius, p[2].abs() - half_length);
    let radial = Vec3::new(p[0] / across.max(least), p[1] / across.max(least), 0.0);
    let axial = p[2] / p[2].abs().max(least);
    if side.max(end) < 0.0 {
        return if side > end { radial } else { Vec3::new(0.0, 0.0, axial) };
    }
    let (s, e) = (side.max(0.0), end.max(0.0));
    let norm = (s * s + e * e).sqrt().max(least);
    Vec3::new(radial[0] * s / norm, radial[1] * s / norm, axial * e / norm)
}

/// Inside, the direction turns from radial at the centre to the normal at a face.
fn box_gradient(p: Vec3, size: Vec3) -> Vec3 {
    let over = p.abs() - size;
    if over.0.iter().all(|&x| x < 0.0) {
        let radial = Vec3(array::from_fn(|k| -size[k] / over[k])).normalized().0;
        return Vec3(array::from_fn(|k| if p[k] < 0.0 { -radial[k] } else { radial[k] }));
    }
    let outside = over.max(Vec3::ZERO);
    let norm = outside.norm();
    Vec3(array::from_fn(
        |k| {
            if over[k] > 0.0 { outside[k] / norm * p[k] / p[k].abs() } else { 0.0 }
        },
    ))
}

/// The function of two distances that is descended on.
#[derive(Clone, Copy)]
enum Objective {
    /// `A + B + |max(A, B)|`: draws towards both solids.
    Approach,
    /// `max(A, B)`: the overlap itself.
    Overlap,
}

/// Two fields, and the pose of the first one's frame seen from the second's.
struct Fields<'f, 'a> {
    own: &'f Field<'a>,
    other: &'f Field<'a>,
    other_from_own: Pose,
}

impl Fields<'_, '_> {
    fn distances(&self, x: Vec3) -> (f64, f64) {
        (self.own.distance(x), self.other.distance(self.other_from_own.point(x)))
    }

    fn gradients(&self, x: Vec3) -> (Vec3, Vec3) {
        (self.own.gradient(x), self.other_gradient(x))
    }

    fn other_gradient(&self, x: Vec3) -> Vec3 {
        self.other_from_own.mat.tmul(self.other.gradient(self.other_from_own.point(x)))
    }

    fn value(&self, objective: Objective, x: Vec3) -> f64 {
        let (a, b) = self.distances(x);
        match objective {
            Objective::Approach => a + b + a.max(b).abs(),
            Objective::Overlap => a.max(b),
        }
    }

    fn slope(&self, objective: Objective, x: Vec3) -> Vec3 {
        let (a, b) = self.distances(x);
        match objective {
            Objective::Approach => {
                let (ga, gb) = self.gradients(x);
                let sign = if a.max(b) > 0.0 { 1.0 } else { -1.0 };
                ga + gb + if a > b { ga } else { gb } * sign
            }
            Objective::Overlap if a > b => self.own.gradient(x),
            Objective::Overlap => self.other_gradient(x),
        }
    }

    /// Normal of the surface where both distances agree, towards the second solid.
    fn normal(&self, x: Vec3) -> Vec3 {
        let (a, b) = self.gradients(x);
        -(a.normalized().0 - b.normalized().0).normalized().0
    }

    /// Gradient descent with backtracking (Armijo) line search; the value reached.
    fn descend(&self, objective: Objective, x: &mut Vec3, steps: i32) -> f64 {
        const DECREASE: f64 = 0.1;
        const SHORTEN: f64 = 0.5;
        const MIN_STEP: f64 = 1e-4;
        let mut value = MAX_VALUE;
        for _ in 0..steps {
            let slope = self.slope(objective, *x);
            if !slope.0.iter().all(|s| s.abs() <= MAX_VALUE) {
                return MAX_VALUE;
            }
            let start = *x;
            let before = self.value(objective, start);
            let mut step = 2.0;
            let mut target = -DECREASE * step * slope.dot(slope);
            loop {
                step *= SHORTEN;
                target *= SHORTEN;
                *x = start + slope * -step;
                value = self.value(objective, *x);
                if !(step > MIN_STEP && value - before > target) {
                    break;
                }
            }
            if before < value {
                return value;
            }
        }
        value
    }
}

/// A field in the world, with its bounding box (centre and half-lengths) in its own frame.
#[derive(Clone, Copy, Debug)]
pub struct PosedField<'a> {
    pub field: Field<'a>,
    pub pose: Pose,
    pub aabb: [f64; 6],
}

impl PosedField<'_> {
    fn corner(&self, i: usize) -> Vec3 {
        let aabb = &self.aabb;
        Vec3(array::from_fn(|k| {
            if i >> k & 1 == 1 { aabb[k] + aabb[3 + k] } else { aabb[k] - aabb[3 + k] }
        }))
    }

    fn quat(&self) -> Quat {
        self.pose.mat.to_quat()
    }
}

/// The pose of `from`'s frame seen from `to`.
fn relative(from: &PosedField<'_>, to: &PosedField<'_>) -> Pose {
    let back = to.quat().conjugate();
    let rotation = (back * from.quat()).normalized();
    Pose::new(back.rotate(from.pose.pos) + -back.rotate(to.pose.pos), rotation.to_mat())
}

/// Contacts of two fields; appended to `out`. `initpoints` and `iterations` are the options
/// `sdf_initpoints` and `sdf_iterations`.
pub fn collide(
    first: &PosedField<'_>,
    second: &PosedField<'_>,
    initpoints: i32,
    iterations: i32,
    out: &mut HitBuffer,
) {
    let first_from_second = relative(second, first);
    let second_from_first = relative(first, second);
    let unmoved = relative(first, first);

    // The part of space, in the first frame, that both bounding boxes cover.
    let bounds = |corner: &dyn Fn(usize) -> Vec3| {
        let start = (Vec3::splat(MAX_VALUE), Vec3::splat(-MAX_VALUE));
        (0..8).map(corner).fold(start, |(lo, hi), c| (lo.min(c), hi.max(c)))
    };
    let (lo1, hi1) = bounds(&|i| first.corner(i));
    let (lo2, hi2) = bounds(&|i| first_from_second.point(second.corner(i)));
    let (lo, hi) = (lo1.max(lo2), hi1.min(hi2));
    if (0..3).any(|k| hi[k] < lo[k]) {
        return;
    }

    let fields =
        Fields { own: &second.field, other: &first.field, other_from_own: first_from_second };
    let turn = second.quat();
    let mut known = [Vec3::ZERO; MAX_HITS];
    let mut count = 0;
    for j in 0..initpoints.clamp(0, MAX_EFFORT) {
        let spread = Vec3::new(halton(j, 2), halton(j, 3), halton(j, 5));
        let start = lo + (hi - lo).component_mul(spread);
        let mut x = second_from_first.point(unmoved.point(start));
        fields.descend(Objective::Approach, &mut x, iterations.min(MAX_EFFORT));
        // Inexact fields may lie about overlap: one step on the overlap itself decides.
        let dist = fields.descend(Objective::Overlap, &mut x, 1);
        if dist > 0.0 || known[..count].iter().any(|k| k.distance(x) < SAME_POINT) {
            continue;
        }
        let normal = turn.rotate(fields.normal(x)).normalized().0;
        let pos = turn.rotate(x) + second.pose.pos + normal * (-dist / 2.0);
        if count == MAX_HITS || !out.push(Hit::new(dist, pos, normal)) {
            return;
        }
        known[count] = x;
        count += 1;
    }
}

/// Distance along a ray to a field by marching, at most to its bounding box of half-lengths `size`;
/// in units of length.
pub fn march(field: &Field<'_>, pose: &Pose, size: Vec3, ray: &Ray) -> Option<f64> {
    const STEPS: usize = 40;
    const CLOSE: f64 = 1e-7;
    const LOST: f64 = 1e6;
    ray::cuboid(pose, size, ray)?;
    let origin = pose.mat.tmul(ray.origin - pose.pos);
    let dir = pose.mat.tmul(ray.dir).normalized().0;
    let mut travelled = 0.0;
    for _ in 0..STEPS {
        let distance = field.distance(origin + dir * travelled);
        travelled += distance;
        if distance.abs() < CLOSE {
            return Some(travelled).filter(|&t| t >= 0.0);
        }
        if distance > LOST {
            break;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Field<'_>; 5] = [
        Field::Sphere { radius: 0.4 },
        Field::Capsule { radius: 0.3, half_length: 0.4 },
        Field::Ellipsoid { size: Vec3::new(0.3, 0.4, 0.5) },
        Field::Cylinder { radius: 0.3, half_length: 0.5 },
        Field::Box { size: Vec3::new(0.3, 0.4, 0.5) },
    ];

    /// Outside, gradients are those of difference quotients (up to length for the ellipsoid).
    #[test]
    fn gradients_match_difference_quotients() {
        for field in KINDS {
            for p in [Vec3::new(0.7, 0.2, 0.3), Vec3::new(-0.5, 0.6, -0.9)] {
                let step = 1e-6;
                let quotient = Vec3(std::array::from_fn(|k| {
                    let (mut a, mut b) = (p, p);
                    a[k] -= step;
                    b[k] += step;
                    (field.distance(b) - field.distance(a)) / (2.0 * step)
                }));
                let error = (quotient.normalized().0 - field.gradient(p).normalized().0).norm();
                assert!(error < 1e-8, "{field:?} {error}");
            }
        }
    }

    #[test]
    fn overlapping_balls_touch_between_their_centres() {
        let ball = |x: f64| PosedField {
            field: Field::Sphere { radius: 0.5 },
            pose: Pose::new(Vec3::new(x, 0.0, 0.0), corten_math::Mat3::IDENTITY),
            aabb: [0.0, 0.0, 0.0, 0.5, 0.5, 0.5],
        };
        let mut out = HitBuffer::new();
        collide(&ball(0.0), &ball(0.9), 40, 10, &mut out);
        assert!(!out.is_empty());
        for hit in out.iter() {
            assert!(hit.dist <= 0.0 && hit.dist > -0.06);
            assert!(hit.normal[0] > 0.5, "{hit:?}");
        }
        out.clear();
        collide(&ball(0.0), &ball(1.1), 40, 10, &mut out);
        assert!(out.is_empty());
    }
}
