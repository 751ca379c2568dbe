//! Normals of contacts from the surfaces of round shapes, in place of those of portals, which are as
//! coarse as the portal. Answers to `mjc_fixNormal` in MuJoCo's `engine_collision_convex.c`.

use corten_math::{MIN_VAL, Vec3, real};

use crate::shape::{Geometry, Shape};

const MAX_ITERATIONS: usize = 30;
const TOLERANCE: f64 = 1e-6;
/// A contact farther along a cylinder than this part of its half length may belong to the flat end, and
/// so may one that is nearer to the end than this part of its distance from the round wall.
const NEAR_END: f64 = 0.95;
const NEARER_TO_END: f64 = 0.25;

/// The normal from the first shape to the second at a contact: the mean of those of the shapes that
/// are round there, or the given one if none is.
pub fn refine(a: &Shape<'_>, b: &Shape<'_>, pos: Vec3, normal: Vec3) -> Vec3 {
    match (surface_normal(a, pos, normal), surface_normal(b, pos, -normal)) {
        (Some(first), Some(second)) => (first - second).normalized().0,
        (Some(first), None) => first,
        (None, Some(second)) => -second,
        (None, None) => normal,
    }
}

/// Outward normal of a round shape near a point, in the world; `None` where it is flat.
fn surface_normal(shape: &Shape<'_>, pos: Vec3, guess: Vec3) -> Option<Vec3> {
    let mat = &shape.pose.mat;
    let p = mat.tmul(pos - shape.pose.pos);
    let normal = match shape.geometry {
        Geometry::Sphere { .. } => p,
        Geometry::Capsule { half_length, .. } => {
            Vec3::new(p[0], p[1], p[2] - p[2].clamp(-half_length, half_length))
        }
        Geometry::Ellipsoid { size } => ellipsoid(p, mat.tmul(guess), size)?,
        Geometry::Cylinder { radius, half_length } => {
            let to_end = (half_length - p[2].abs()).abs();
            let to_wall = (radius - (p[0] * p[0] + p[1] * p[1]).sqrt()).abs();
            if p[2].abs() > NEAR_END * half_length || to_end < NEARER_TO_END * to_wall {
                return None;
            }
            Vec3::new(p[0], p[1], 0.0)
        }
        _ => return None,
    };
    Some(*mat * normal.normalized().0)
}

/// Normal of an ellipsoid at the point of its surface that is nearest to `p`.
fn ellipsoid(p: Vec3, guess: Vec3, size: Vec3) -> Option<Vec3> {
    if size.0.iter().any(|&s| s < MIN_VAL) {
        return None;
    }
    let squares = size.component_mul(size);
    let inverse = Vec3::new(1.0 / squares[0], 1.0 / squares[1], 1.0 / squares[2]);
    let excess = p.component_mul(p).dot(inverse) - 1.0;
    if excess <= 0.0 {
        from_inside(p, guess.normalized().0, inverse, excess)
    } else {
        Some(from_outside(p, squares))
    }
}

/// From inside: the normal points to the surface along itself, found by going there and taking the
/// normal of where one arrives.
fn from_inside(p: Vec3, mut normal: Vec3, inverse: Vec3, excess: f64) -> Option<Vec3> {
    for iteration in 0..MAX_ITERATIONS {
        let scaled = normal.component_mul(inverse);
        let (a, b) = (normal.dot(scaled), p.dot(scaled));
        let discriminant = b * b - a * excess;
        if discriminant < MIN_VAL || a < MIN_VAL {
            return (iteration > 0).then_some(normal);
        }
        let distance = (discriminant.sqrt() - b) / a;
        if distance < 0.0 {
            return (iteration > 0).then_some(normal);
        }
        let next = (p + normal * distance).component_mul(inverse).normalized().0;
        let change = next.distance(normal);
        normal = next;
        if change < TOLERANCE {
            break;
        }
    }
    Some(normal)
}

/// From outside: `p` minus its nearest point is a multiple of the normal there, found by Newton's method
/// for that multiple.
fn from_outside(p: Vec3, squares: Vec3) -> Vec3 {
    let weights = p.component_mul(p).component_mul(squares);
    let mut multiple = 0.0;
    for _ in 0..MAX_ITERATIONS {
        let r = squares.0.map(|s| 1.0 / (s + multiple));
        let sum = |power: i32| (0..3).map(|i| weights[i] * real::powi(r[i], power)).sum::<f64>();
        let (value, slope) = (sum(2) - 1.0, -2.0 * sum(3));
        if value < TOLERANCE || slope > -MIN_VAL {
            break;
        }
        let step = -value / slope;
        if step < TOLERANCE {
            break;
        }
        multiple += step;
    }
    Vec3::new(
        p[0] / (squares[0] + multiple),
        p[1] / (squares[1] + multiple),
        p[2] / (squares[2] + multiple),
    )
}
