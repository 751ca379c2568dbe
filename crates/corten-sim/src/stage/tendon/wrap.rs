//! Shortest path of a string over or through a round obstacle (MuJoCo's `mju_wrap`).
//!
//! Both obstacles reduce to a circle in a plane: for a sphere the plane through its centre and
//! the two ends, for a cylinder the plane across its axis, with the height along the axis
//! distributed over the flattened path afterwards. Outside, the string runs along a tangent to
//! the circle, around an arc, and along a tangent to the other end. Inside a ring, it is bent by
//! the ring in one point, where both straight pieces meet the ring at equal angles.

use std::f64::consts::PI;

use corten_math::real::{acos, asin, sin_cos};
use corten_math::{MIN_VAL, Mat3, Vec3};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shape {
    Sphere,
    /// Along the z axis of its frame, of unlimited length.
    Cylinder,
}

/// A round obstacle in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Obstacle {
    pub shape: Shape,
    pub center: Vec3,
    /// `world_from_local`.
    pub frame: Mat3,
    pub radius: f64,
}

/// Where the string touches the obstacle, and its length between the two points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Touch {
    pub points: [Vec3; 2],
    pub length: f64,
}

type Point = [f64; 2];

impl Obstacle {
    /// The part of the string from `start` to `end` that touches the obstacle; `None` if the
    /// string is straight. A `side` point inside the obstacle makes it a ring, outside it tells
    /// on which side the string runs.
    pub fn touch(&self, start: Vec3, end: Vec3, side: Option<Vec3>) -> Option<Touch> {
        let local = |p: Vec3| self.frame.tmul(p - self.center);
        let ends = [local(start), local(end)];
        if ends[0].norm() < MIN_VAL || ends[1].norm() < MIN_VAL {
            return None;
        }
        let axes = match self.shape {
            Shape::Sphere => plane_through(ends),
            Shape::Cylinder => [Vec3::X, Vec3::Y],
        };
        let flat = |p: Vec3| -> Point { [p.dot(axes[0]), p.dot(axes[1])] };
        let flat_ends = [flat(ends[0]), flat(ends[1])];

        let (touched, mut length) = match side.map(local) {
            Some(s) if s.norm() < self.radius => {
                let point = inside(flat_ends, self.radius)?;
                ([point; 2], 0.0)
            }
            Some(s) => around(flat_ends, Some(scale(unit(flat(s)), self.radius)), self.radius)?,
            None => around(flat_ends, None, self.radius)?,
        };

        let solid = |p: Point| axes[0] * p[0] + axes[1] * p[1];
        let mut points = [solid(touched[0]), solid(touched[1])];
        if self.shape == Shape::Cylinder {
            // A straight line on the unrolled path: height grows in proportion to length.
            let flat_gap = |i: usize| {
                let gap = ends[i] - points[i];
                (gap[0] * gap[0] + gap[1] * gap[1]).sqrt()
            };
            let (before, after) = (flat_gap(0), flat_gap(1));
            let total = before + length + after;
            let rise = ends[1][2] - ends[0][2];
            let at = |run: f64| ends[0][2] + if total > 0.0 { rise * run / total } else { 0.0 };
            points[0][2] = at(before);
            points[1][2] = at(before + length);
            let height = points[1][2] - points[0][2];
            length = (length * length + height * height).sqrt();
        }
        let world = |p: Vec3| self.frame * p + self.center;
        Some(Touch { points: [world(points[0]), world(points[1])], length })
    }
}

/// Orthogonal axes of a plane that contains the origin and both points.
fn plane_through(ends: [Vec3; 2]) -> [Vec3; 2] {
    let (first, _) = ends[0].normalized();
    let (mut normal, sin) = ends[0].cross(ends[1]).normalized();
    if sin < MIN_VAL {
        // The points are in line with the origin: any plane through them will do. Cross with a
        // vector that lacks the largest component of the line.
        let a = first.abs();
        let largest = if a[1] > a[0] && a[1] > a[2] {
            1
        } else if a[2] > a[0] && a[2] > a[1] {
            2
        } else {
            0
        };
        let mut other = Vec3::splat(1.0);
        other[largest] = 0.0;
        normal = first.cross(other).normalized().0;
    }
    [first, normal.cross(first).normalized().0]
}

/// The path around the outside of a circle at the origin: tangent points and arc length.
fn around(ends: [Point; 2], side: Option<Point>, radius: f64) -> Option<([Point; 2], f64)> {
    let radius2 = radius * radius;
    let distance2 = [dot(ends[0], ends[0]), dot(ends[1], ends[1])];
    if distance2[0] < radius2 || distance2[1] < radius2 || radius < MIN_VAL {
        return None;
    }
    let along = sub(ends[1], ends[0]);
    let length2 = dot(along, along);
    if length2 < MIN_VAL {
        return None;
    }
    // Nearest point of the straight segment: clear of the circle, and on the right side of it?
    let t = (-dot(along, ends[0]) / length2).clamp(0.0, 1.0);
    let nearest = [t * along[0] + ends[0][0], t * along[1] + ends[0][1]];
    if dot(nearest, nearest) > radius2 && side.is_none_or(|s| dot(s, nearest) >= 0.0) {
        return None;
    }

    let root = [(distance2[0] - radius2).sqrt(), (distance2[1] - radius2).sqrt()];
    let candidate = |sign: f64| -> [Point; 2] {
        [
            tangent_point(ends[0], distance2[0], root[0], sign * radius, radius2),
            tangent_point(ends[1], distance2[1], root[1], -sign * radius, radius2),
        ]
    };
    // Closeness to the side point, or shortness; paths whose straight pieces cross are useless.
    let quality = |c: &[Point; 2]| {
        if segments_cross(ends[0], c[0], ends[1], c[1]) {
            return CROSSED;
        }
        match side {
            Some(s) => dot(unit([c[0][0] + c[1][0], c[0][1] + c[1][1]]), s),
            None => {
                let chord = sub(c[0], c[1]);
                -dot(chord, chord)
            }
        }
    };
    let (first, second) = (candidate(1.0), candidate(-1.0));
    let (first_quality, second_quality) = (quality(&first), quality(&second));
    let (chosen, quality, is_second) = if first_quality > second_quality {
        (first, first_quality, false)
    } else {
        (second, second_quality, true)
    };
    if quality == CROSSED {
        return None;
    }
    Some((chosen, radius * arc_angle(chosen, is_second)))
}

/// Quality of a path whose two straight pieces cross: worse than any other.
const CROSSED: f64 = -10000.0;

/// Where a tangent from `end`, at squared distance l², touches a circle of radius r: the sum of
/// r²/l² along `end` and ± r √(l² − r²)/l² across it, the latter's root and signed radius given.
#[inline]
fn tangent_point(end: Point, distance2: f64, root: f64, radius: f64, radius2: f64) -> Point {
    let [x, y] = end;
    [(x * radius2 + radius * y * root) / distance2, (y * radius2 - radius * x * root) / distance2]
}

/// Angle swept from the first to the second point; the two candidates go around in opposite
/// directions.
fn arc_angle(points: [Point; 2], second: bool) -> f64 {
    let [a, b] = points;
    let angle = acos(dot(unit(a), unit(b)).clamp(-1.0, 1.0));
    let turn = a[1] * b[0] - a[0] * b[1];
    if (turn > 0.0 && second) || (turn < 0.0 && !second) { 2.0 * PI - angle } else { angle }
}

/// Whether the segments a0–a1 and b0–b1 have a common point; parallel ones count as apart.
fn segments_cross(a0: Point, a1: Point, b0: Point, b1: Point) -> bool {
    let (u, v, w) = (sub(a1, a0), sub(b1, b0), sub(a0, b0));
    let det = v[1] * u[0] - v[0] * u[1];
    if det.abs() < MIN_VAL {
        return false;
    }
    let s = (v[0] * w[1] - v[1] * w[0]) / det;
    let t = (u[0] * w[1] - u[1] * w[0]) / det;
    (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t)
}

/// The point where a ring around the origin bends a string that passes through it.
///
/// With G the angle between the ends as seen from the centre, A and B the ratios of radius to end
/// distance, and z the sine of the angle between string and ring normal, equal angles on both
/// sides mean `asin(A z) + asin(B z) − 2 asin(z) + G = 0`. Newton's method descends from just
/// below z = 1, where the function is steepest and, if a solution exists, not positive. Where it
/// fails, the direction halfway between the ends is good enough.
fn inside(ends: [Point; 2], radius: f64) -> Option<Point> {
    const START: f64 = 1.0 - 1e-7;
    const MAX_ITERATIONS: usize = 20;
    const TOLERANCE: f64 = 1e-6;

    let distance = [dot(ends[0], ends[0]).sqrt(), dot(ends[1], ends[1]).sqrt()];
    if radius < MIN_VAL || distance.iter().any(|&l| l <= radius || l < MIN_VAL) {
        return None;
    }
    let along = sub(ends[1], ends[0]);
    let length2 = dot(along, along);
    if length2 > MIN_VAL {
        let t = -dot(along, ends[0]) / length2;
        if t > 0.0 && t < 1.0 {
            let nearest = [ends[0][0] + t * along[0], ends[0][1] + t * along[1]];
            if dot(nearest, nearest).sqrt() <= radius {
                return None;
            }
        }
    }

    let halfway =
        scale(unit([0.5 * (ends[0][0] + ends[1][0]), 0.5 * (ends[0][1] + ends[1][1])]), radius);
    let (a, b) = (radius / distance[0], radius / distance[1]);
    let cos_g = (distance[0] * distance[0] + distance[1] * distance[1] - length2)
        / (2.0 * distance[0] * distance[1]);
    if cos_g < -1.0 + MIN_VAL {
        return None;
    }
    if cos_g > 1.0 - MIN_VAL {
        return Some(halfway);
    }
    let g = acos(cos_g);
    let residual = |z: f64| asin(a * z) + asin(b * z) - 2.0 * asin(z) + g;
    let slope = |z: f64| {
        let d = |c: f64| c / (1.0 - z * z * c * c).sqrt().max(MIN_VAL);
        d(a) + d(b) - 2.0 * d(1.0)
    };

    let mut z = START;
    let mut f = residual(z);
    if f > 0.0 {
        return Some(halfway);
    }
    let mut iterations = 0;
    while f.abs() > TOLERANCE {
        if iterations == MAX_ITERATIONS {
            return Some(halfway);
        }
        iterations += 1;
        let df = slope(z);
        let next = z - f / df;
        if df > -MIN_VAL || next > z {
            return Some(halfway);
        }
        z = next;
        f = residual(z);
        if f > TOLERANCE {
            return Some(halfway);
        }
    }
    if iterations == MAX_ITERATIONS {
        return Some(halfway);
    }

    // From the end that precedes the other counter-clockwise, turn by the remaining angle.
    let (from, ratio) =
        if ends[0][0] * ends[1][1] - ends[0][1] * ends[1][0] > 0.0 { (0, a) } else { (1, b) };
    let direction = unit(ends[from]);
    let (sin, cos) = sin_cos(asin(z) - asin(ratio * z));
    Some([
        radius * (cos * direction[0] - sin * direction[1]),
        radius * (sin * direction[0] + cos * direction[1]),
    ])
}

#[inline]
fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

#[inline]
fn sub(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1]]
}

#[inline]
fn scale(a: Point, s: f64) -> Point {
    [a[0] * s, a[1] * s]
}

/// Unit vector; the first axis if too short to normalise.
#[inline]
fn unit(a: Point) -> Point {
    let norm = dot(a, a).sqrt();
    if norm < MIN_VAL { [1.0, 0.0] } else { scale(a, 1.0 / norm) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RADIUS: f64 = 0.15;

    fn obstacle(shape: Shape) -> Obstacle {
        Obstacle { shape, center: Vec3::ZERO, frame: Mat3::IDENTITY, radius: RADIUS }
    }

    fn path(o: Obstacle, a: Vec3, b: Vec3, side: Option<Vec3>) -> f64 {
        match o.touch(a, b, side) {
            Some(t) => a.distance(t.points[0]) + t.length + t.points[1].distance(b),
            None => a.distance(b),
        }
    }

    /// Distance, tangent and arc of a symmetric outside wrap in closed form.
    #[test]
    fn outside_path_is_tangents_and_arc() {
        let (a, b) = (Vec3::new(-0.3, 0.1, 0.0), Vec3::new(0.3, 0.1, 0.0));
        let l = a.norm();
        let tangent = (l * l - RADIUS * RADIUS).sqrt();
        let between = 2.0 * (0.3f64).atan2(0.1);
        let arc = RADIUS * (between - 2.0 * (RADIUS / l).acos());
        for shape in [Shape::Sphere, Shape::Cylinder] {
            let found = path(obstacle(shape), a, b, None);
            assert!((found - (2.0 * tangent + arc)).abs() < 1e-14);
        }
    }

    #[test]
    fn side_point_chooses_the_long_way() {
        let (a, b) = (Vec3::new(-0.3, 0.1, 0.0), Vec3::new(0.3, 0.1, 0.0));
        let below = path(obstacle(Shape::Sphere), a, b, Some(Vec3::new(0.0, -0.3, 0.0)));
        let above = path(obstacle(Shape::Sphere), a, b, Some(Vec3::new(0.0, 0.3, 0.0)));
        assert!(below > above);
    }

    #[test]
    fn straight_when_clear() {
        let o = obstacle(Shape::Sphere);
        assert!(o.touch(Vec3::new(-1.0, 0.2, 0.0), Vec3::new(1.0, 0.2, 0.0), None).is_none());
        assert!(o.touch(Vec3::new(0.1, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0), None).is_none());
        assert!(o.touch(Vec3::ZERO, Vec3::X, None).is_none());
    }

    /// The unrolled cylinder path is straight: the length is the hypotenuse of flat length and
    /// height.
    #[test]
    fn cylinder_path_rises_evenly() {
        let o = obstacle(Shape::Cylinder);
        let (a, b) = (Vec3::new(-0.3, 0.1, 0.0), Vec3::new(0.3, 0.1, 0.4));
        let flat = path(o, a, Vec3::new(0.3, 0.1, 0.0), None);
        assert!((path(o, a, b, None) - flat.hypot(0.4)).abs() < 1e-14);
    }

    /// Equal angles at the ring, on the circle: the path is stationary.
    #[test]
    fn ring_bends_at_equal_angles() {
        let ends = [[2.0, 0.0], [1.5, 1.5 * 3f64.sqrt()]];
        let t = inside(ends, 1.0).unwrap();
        assert!((dot(t, t).sqrt() - 1.0).abs() < 1e-10);
        let along = [-t[1], t[0]];
        let slope = dot(unit(sub(ends[0], t)), along) + dot(unit(sub(ends[1], t)), along);
        assert!(slope.abs() < 1e-8, "{slope}");
    }

    #[test]
    fn ring_without_bend() {
        // The segment passes through the ring.
        assert!(inside([[-2.0, 0.5], [2.0, 0.5]], 1.0).is_none());
        // An end on the ring.
        assert!(inside([[1.0, 0.0], [0.0, 2.0]], 1.0).is_none());
        // Both ends nearly on the ring, where Newton's method has no room.
        let t = inside([[1.0 + 1e-9, 0.0], [0.0, 1.0 + 1e-9]], 1.0);
        assert!(t.is_none_or(|t| (dot(t, t).sqrt() - 1.0).abs() < 1e-10));
    }

    /// Lengths and points measured in MuJoCo 3.4.0.
    #[test]
    fn reference_paths() {
        let ring = |shape, a, b| path(obstacle(shape), a, b, Some(Vec3::ZERO));
        let a = Vec3::new(0.3, 0.15, 0.0);
        let b = Vec3::new(0.3, -0.15, 0.0);
        assert!((ring(Shape::Sphere, a, b) - 0.424264068711929).abs() < 1e-12);
        let t = obstacle(Shape::Sphere).touch(a, b, Some(Vec3::ZERO)).unwrap();
        assert!(t.points[0].distance(Vec3::new(0.15, 0.0, 0.0)) < 1e-6);
        assert_eq!(t.points[0], t.points[1]);
    }
}
