//! Shortest path of a string over or through a round obstacle (MuJoCo's `mju_wrap`).
//!
//! Both obstacles reduce to a circle in a plane: for a sphere the plane through its centre and
//! the two ends, for a cylinder the plane across its axis, with the height along the axis
//! distributed over the flattened path afterwards. Outside, the string runs along a tangent to
//! the circle, around an arc, and along a tangent to the other end. Inside a ring, it is bent by
//! the ring in one point, where both straight pieces meet the ring at equal angles.

use std::f64::consts::PI;

use corten_math::real::{asin, sin_cos};
use corten_math::{MIN_VAL, Mask, Mat3, Number, Vec3, acos};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum WrapShape {
    Sphere,
    /// Along the z axis of its frame, of unlimited length.
    Cylinder,
}

/// A round obstacle in the world; several side by side, if `T` has lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Obstacle<T: Number> {
    pub shape: WrapShape,
    pub center: Vec3<T>,
    /// `world_from_local`.
    pub frame: Mat3<T>,
    pub radius: T,
}

/// Where the string touches the obstacle, and its length between the two points. Numbers of lanes
/// whose string is straight mean nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch<T: Number> {
    pub touches: T::Mask,
    pub points: [Vec3<T>; 2],
    pub length: T,
}

/// Squares below this are those whose roots, rounded, are below [`MIN_VAL`].
const MIN_VAL_SQUARED: f64 = MIN_VAL * MIN_VAL;

/// A point in a plane.
type Point<T = f64> = [T; 2];

// Closures that take or give several numbers side by side are not inlined everywhere, and would
// pass them through memory: what computes with them are functions.
impl<T: Number> Obstacle<T> {
    /// The part of the string between two `ends` that touches the obstacle; `None` if the string
    /// is straight, in all lanes. A `side` point inside the obstacle makes it a ring, outside it
    /// tells on which side the string runs.
    #[inline(always)]
    pub fn touch(&self, ends: [Vec3<T>; 2], side: Option<Vec3<T>>) -> Option<Touch<T>> {
        let [start, end] = [self.local(ends[0]), self.local(ends[1])];
        let tiny = T::splat(MIN_VAL_SQUARED);
        let central = start.dot(start).lt(tiny).or(end.dot(end).lt(tiny));
        let plane = match self.shape {
            WrapShape::Sphere => Plane::Through(plane_through([start, end])),
            WrapShape::Cylinder => Plane::Across,
        };
        let flat_ends = [plane.flat(start), plane.flat(end)];

        let mut arc;
        if let Some(point) = side {
            let point = self.local(point);
            let beside = scale(unit(plane.flat(point)), self.radius);
            arc = around(flat_ends, Some(beside), self.radius);
            let ring = norm(point).lt(self.radius);
            arc.touches = arc.touches.and_not(central.or(ring));
            let ring = ring.and_not(central);
            if ring.any() {
                arc.bend(flat_ends, self.radius, ring);
            }
        } else {
            arc = around(flat_ends, None, self.radius);
            arc.touches = arc.touches.and_not(central);
        }
        if !arc.touches.any() {
            return None;
        }

        let [mut reach, mut leave] = [plane.solid(arc.points[0]), plane.solid(arc.points[1])];
        let mut length = arc.length;
        if self.shape == WrapShape::Cylinder {
            let (zero, rise) = (T::splat(0.0), end[2] - start[2]);
            let level = rise.abs().le(zero);
            if zero.le(zero).and_not(level).any() {
                // A straight line on the unrolled path: height grows in proportion to length.
                let gaps = [sub(flat_ends[0], arc.points[0]), sub(flat_ends[1], arc.points[1])];
                let (before, after) = (dot(gaps[0], gaps[0]).sqrt(), dot(gaps[1], gaps[1]).sqrt());
                let total = before + length + after;
                let long = zero.lt(total);
                reach[2] = start[2] + T::select(long, rise * before / total, zero);
                leave[2] = start[2] + T::select(long, rise * (before + length) / total, zero);
                let height = leave[2] - reach[2];
                length = (length * length + height * height).sqrt();
            } else {
                // The same numbers: √(l²) rounds to l.
                reach[2] = start[2] + rise;
                leave[2] = reach[2];
            }
        }
        let points = [self.frame * reach + self.center, self.frame * leave + self.center];
        Some(Touch { touches: arc.touches, points, length })
    }

    #[inline(always)]
    fn local(&self, point: Vec3<T>) -> Vec3<T> {
        self.frame.tmul(point - self.center)
    }
}

/// The plane of the circle, in the frame of the obstacle.
#[derive(Clone, Copy)]
enum Plane<T: Number> {
    /// Through the origin, along two orthogonal axes.
    Through([Vec3<T>; 2]),
    /// Across the z axis.
    Across,
}

impl<T: Number> Plane<T> {
    #[inline(always)]
    fn flat(&self, p: Vec3<T>) -> Point<T> {
        match self {
            Plane::Through([x, y]) => [p.dot(*x), p.dot(*y)],
            Plane::Across => [p[0], p[1]],
        }
    }

    #[inline(always)]
    fn solid(&self, p: Point<T>) -> Vec3<T> {
        match self {
            Plane::Through([x, y]) => *x * p[0] + *y * p[1],
            Plane::Across => Vec3([p[0], p[1], T::splat(0.0)]),
        }
    }
}

/// Orthogonal axes of a plane that contains the origin and both points.
#[inline(always)]
fn plane_through<T: Number>(ends: [Vec3<T>; 2]) -> [Vec3<T>; 2] {
    let (first, _) = normalized(ends[0]);
    let (mut normal, sin) = normalized(ends[0].cross(ends[1]));
    let in_line = sin.lt(T::splat(MIN_VAL));
    if in_line.any() {
        // The points are in line with the origin: any plane through them will do.
        for k in 0..T::LANES {
            if in_line.lane(k) {
                let line = Vec3([first[0].lane(k), first[1].lane(k), first[2].lane(k)]);
                for (x, any) in normal.0.iter_mut().zip(across(line).0) {
                    x.set_lane(k, any);
                }
            }
        }
    }
    [first, normalized(normal.cross(first)).0]
}

/// A unit vector across a line: its cross product with a vector that lacks the line's largest
/// component.
fn across(line: Vec3) -> Vec3 {
    let a = line.abs();
    let largest = if a[1] > a[0] && a[1] > a[2] {
        1
    } else if a[2] > a[0] && a[2] > a[1] {
        2
    } else {
        0
    };
    let mut other = Vec3::splat(1.0);
    other[largest] = 0.0;
    line.cross(other).normalized().0
}

/// A path around a circle, in the plane.
struct Arc<T: Number> {
    touches: T::Mask,
    points: [Point<T>; 2],
    length: T,
}

impl<T: Number> Arc<T> {
    /// Makes it the path through a ring, in some lanes.
    fn bend(&mut self, ends: [Point<T>; 2], radius: T, lanes: T::Mask) {
        let mut bent = T::splat(0.0);
        for k in 0..T::LANES {
            if !lanes.lane(k) {
                continue;
            }
            let [a, b] = ends;
            let ends = [[a[0].lane(k), a[1].lane(k)], [b[0].lane(k), b[1].lane(k)]];
            let Some([x, y]) = inside(ends, radius.lane(k)) else { continue };
            for point in &mut self.points {
                point[0].set_lane(k, x);
                point[1].set_lane(k, y);
            }
            self.length.set_lane(k, 0.0);
            bent.set_lane(k, 1.0);
        }
        self.touches = self.touches.or(T::splat(0.0).lt(bent));
    }
}

/// The path around the outside of a circle at the origin: tangent points and arc length. Beside
/// the circle there may be a point, on it, that tells the side to run on.
#[inline(always)]
fn around<T: Number>(ends: [Point<T>; 2], side: Option<Point<T>>, radius: T) -> Arc<T> {
    let (zero, smallest) = (T::splat(0.0), T::splat(MIN_VAL));
    let radius2 = radius * radius;
    let distance2 = [dot(ends[0], ends[0]), dot(ends[1], ends[1])];
    let along = sub(ends[1], ends[0]);
    let length2 = dot(along, along);
    let enclosed = distance2[0].lt(radius2).or(distance2[1].lt(radius2));
    let tiny = radius.lt(smallest).or(length2.lt(smallest));
    // Nearest point of the straight segment: clear of the circle, and on the right side of it?
    let t = (-dot(along, ends[0]) / length2).clamp_unit();
    let nearest = [t * along[0] + ends[0][0], t * along[1] + ends[0][1]];
    let clear = radius2.lt(dot(nearest, nearest));
    let all = zero.le(zero);
    let mut straight = clear;
    if let Some(side) = side {
        straight = clear.and(zero.le(dot(side, nearest)));
    }
    let straight = enclosed.or(tiny).or(straight);
    if !all.and_not(straight).any() {
        return Arc { touches: straight.and_not(straight), points: ends, length: zero };
    }

    let [a, b] = tangent_points(ends[0], distance2[0], radius, radius2);
    let [c, d] = tangent_points(ends[1], distance2[1], radius, radius2);
    let qualities = [quality([a, d], ends, side), quality([b, c], ends, side)];
    let is_first = qualities[1].lt(qualities[0]);
    let p = [T::select(is_first, a[0], b[0]), T::select(is_first, a[1], b[1])];
    let q = [T::select(is_first, d[0], c[0]), T::select(is_first, d[1], c[1])];
    let quality = T::select(is_first, qualities[0], qualities[1]);
    let crossed = T::splat(CROSSED);
    let useless = quality.le(crossed).and(crossed.le(quality));
    let touches = all.and_not(straight.or(useless));

    // Angle swept from the first to the second point; the two candidates go around in opposite
    // directions.
    let (cos, one) = (dot(unit(p), unit(q)), T::splat(1.0));
    let cos = T::select(one.lt(cos), one, T::select(cos.lt(-one), -one, cos));
    let angle = acos(cos);
    let turn = p[1] * q[0] - p[0] * q[1];
    let reflex = turn.lt(zero).and(is_first).or(zero.lt(turn).and_not(is_first));
    let angle = T::select(reflex, T::splat(2.0 * PI) - angle, angle);
    Arc { touches, points: [p, q], length: radius * angle }
}

/// How good a path with two tangent points is: close to the side point, or short. Paths whose
/// straight pieces cross are useless.
#[inline(always)]
fn quality<T: Number>(tangents: [Point<T>; 2], ends: [Point<T>; 2], side: Option<Point<T>>) -> T {
    let [a, b] = tangents;
    let quality = if let Some(side) = side {
        dot(unit([a[0] + b[0], a[1] + b[1]]), side)
    } else {
        let chord = sub(a, b);
        -dot(chord, chord)
    };
    T::select(segments_cross(ends[0], a, ends[1], b), T::splat(CROSSED), quality)
}

/// Quality of a path whose two straight pieces cross: worse than any other.
const CROSSED: f64 = -10000.0;

/// Where the two tangents from `end`, at squared distance l², touch a circle of radius r: the sum
/// of r²/l² along `end` and ± r √(l² − r²)/l² across it.
#[inline(always)]
fn tangent_points<T: Number>(end: Point<T>, distance2: T, radius: T, radius2: T) -> [Point<T>; 2] {
    let [x, y] = end;
    let root = (distance2 - radius2).sqrt();
    let along = [x * radius2, y * radius2];
    let across = [radius * y * root, radius * x * root];
    [
        [(along[0] + across[0]) / distance2, (along[1] - across[1]) / distance2],
        [(along[0] - across[0]) / distance2, (along[1] + across[1]) / distance2],
    ]
}

/// Whether the segments a0–a1 and b0–b1 have a common point; parallel ones count as apart.
#[inline(always)]
fn segments_cross<T: Number>(a0: Point<T>, a1: Point<T>, b0: Point<T>, b1: Point<T>) -> T::Mask {
    let zero = T::splat(0.0);
    let (u, v, w) = (sub(a1, a0), sub(b1, b0), sub(a0, b0));
    let det = v[1] * u[0] - v[0] * u[1];
    // Both numerators over det are from 0 to 1. A quotient that is above one by less than half a
    // unit in the last place has equal parts: no division is needed to tell.
    let negative = det.lt(zero);
    let (size, s, t) = (det.abs(), v[0] * w[1] - v[1] * w[0], u[0] * w[1] - u[1] * w[0]);
    let (s, t) = (T::select(negative, -s, s), T::select(negative, -t, t));
    let on_first = zero.le(s).and(s.le(size));
    let on_second = zero.le(t).and(t.le(size));
    on_first.and(on_second).and_not(size.lt(T::splat(MIN_VAL)))
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

#[inline(always)]
fn dot<T: Number>(a: Point<T>, b: Point<T>) -> T {
    a[0] * b[0] + a[1] * b[1]
}

#[inline(always)]
fn sub<T: Number>(a: Point<T>, b: Point<T>) -> Point<T> {
    [a[0] - b[0], a[1] - b[1]]
}

#[inline(always)]
fn scale<T: Number>(a: Point<T>, s: T) -> Point<T> {
    [a[0] * s, a[1] * s]
}

/// Unit vector; the first axis if too short to normalise.
#[inline(always)]
fn unit<T: Number>(a: Point<T>) -> Point<T> {
    let norm = dot(a, a).sqrt();
    let short = norm.lt(T::splat(MIN_VAL));
    let [x, y] = scale(a, T::splat(1.0) / norm);
    [T::select(short, T::splat(1.0), x), T::select(short, T::splat(0.0), y)]
}

#[inline(always)]
fn norm<T: Number>(v: Vec3<T>) -> T {
    v.dot(v).sqrt()
}

/// Unit vector and original length; what is too short to normalise becomes the x axis.
#[inline(always)]
pub(super) fn normalized<T: Number>(v: Vec3<T>) -> (Vec3<T>, T) {
    let norm = norm(v);
    let short = norm.lt(T::splat(MIN_VAL));
    let [x, y, z] = (v * (T::splat(1.0) / norm)).0;
    let (one, zero) = (T::splat(1.0), T::splat(0.0));
    let unit =
        Vec3([T::select(short, one, x), T::select(short, zero, y), T::select(short, zero, z)]);
    (unit, norm)
}

#[cfg(test)]
mod tests {
    use corten_math::Four;

    use super::*;

    const RADIUS: f64 = 0.15;

    fn obstacle(shape: WrapShape) -> Obstacle<f64> {
        Obstacle { shape, center: Vec3::ZERO, frame: Mat3::IDENTITY, radius: RADIUS }
    }

    fn touch(o: Obstacle<f64>, a: Vec3, b: Vec3, side: Option<Vec3>) -> Option<Touch<f64>> {
        o.touch([a, b], side).filter(|t| t.touches)
    }

    fn path(o: Obstacle<f64>, a: Vec3, b: Vec3, side: Option<Vec3>) -> f64 {
        match touch(o, a, b, side) {
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
        for shape in [WrapShape::Sphere, WrapShape::Cylinder] {
            let found = path(obstacle(shape), a, b, None);
            assert!((found - (2.0 * tangent + arc)).abs() < 1e-14);
        }
    }

    #[test]
    fn side_point_chooses_the_long_way() {
        let (a, b) = (Vec3::new(-0.3, 0.1, 0.0), Vec3::new(0.3, 0.1, 0.0));
        let below = path(obstacle(WrapShape::Sphere), a, b, Some(Vec3::new(0.0, -0.3, 0.0)));
        let above = path(obstacle(WrapShape::Sphere), a, b, Some(Vec3::new(0.0, 0.3, 0.0)));
        assert!(below > above);
    }

    #[test]
    fn squares_tell_whether_a_root_is_too_small() {
        let near = |k: i64| f64::from_bits((MIN_VAL_SQUARED.to_bits() as i64 + k) as u64);
        for square in (-9..9).map(near).chain([0.0, 1.0, f64::NAN]) {
            assert_eq!(square < MIN_VAL_SQUARED, square.sqrt() < MIN_VAL);
        }
    }

    #[test]
    fn straight_when_clear() {
        let o = obstacle(WrapShape::Sphere);
        assert!(touch(o, Vec3::new(-1.0, 0.2, 0.0), Vec3::new(1.0, 0.2, 0.0), None).is_none());
        assert!(touch(o, Vec3::new(0.1, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0), None).is_none());
        assert!(touch(o, Vec3::ZERO, Vec3::X, None).is_none());
    }

    /// The unrolled cylinder path is straight: the length is the hypotenuse of flat length and
    /// height.
    #[test]
    fn cylinder_path_rises_evenly() {
        let o = obstacle(WrapShape::Cylinder);
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
    }

    /// Both ends nearly on the ring and so near each other that the segment stays outside: Newton's
    /// method has no room, and the middle of the directions stands in.
    #[test]
    fn ring_with_ends_next_to_it() {
        for (gap, angle) in [(1e-9, 1e-5), (1e-7, 1e-4), (1e-5, 1e-3), (1e-3, 0.05)] {
            let r: f64 = 1.0 + gap;
            let (sin, cos) = sin_cos(angle);
            let ends = [[r, 0.0], [r * cos, r * sin]];
            let t = inside(ends, 1.0).expect("the segment does not cross the ring");
            assert!((dot(t, t).sqrt() - 1.0).abs() < 1e-10, "{t:?}");
            let (sin, cos) = sin_cos(0.5 * angle);
            let middle = [cos, sin];
            assert!((0..2).all(|i| (t[i] - middle[i]).abs() < 1e-6), "{t:?} {middle:?}");
        }
    }

    /// Lengths and points measured in MuJoCo 3.4.0.
    #[test]
    fn reference_paths() {
        let ring = |shape, a, b| path(obstacle(shape), a, b, Some(Vec3::ZERO));
        let a = Vec3::new(0.3, 0.15, 0.0);
        let b = Vec3::new(0.3, -0.15, 0.0);
        assert!((ring(WrapShape::Sphere, a, b) - 0.424264068711929).abs() < 1e-12);
        let t = touch(obstacle(WrapShape::Sphere), a, b, Some(Vec3::ZERO)).unwrap();
        assert!(t.points[0].distance(Vec3::new(0.15, 0.0, 0.0)) < 1e-6);
        assert_eq!(t.points[0], t.points[1]);
    }

    /// Four obstacles side by side, of all kinds of touch and without, give the bits of each.
    #[test]
    fn lanes_touch_as_one_does() {
        let ends = [
            [Vec3::new(-0.3, 0.1, 0.0), Vec3::new(0.3, 0.1, 0.2)],
            [Vec3::new(-0.3, 0.1, 0.0), Vec3::new(0.3, 0.12, 0.2)],
            [Vec3::new(-0.3, 0.3, 0.0), Vec3::new(0.3, 0.1, 0.2)],
            [Vec3::new(0.3, 0.15, 0.1), Vec3::new(0.3, -0.15, 0.0)],
        ];
        let level = ends.map(|ends| ends.map(|end| Vec3::new(end[0], end[1], 0.1)));
        let beside = [
            Vec3::new(0.1, 0.3, 0.0),
            Vec3::new(0.0, -0.3, 0.0),
            Vec3::new(-0.1, 0.4, 0.0),
            Vec3::new(0.01, 0.0, 0.0),
        ];
        let mut touching = 0;
        for shape in [WrapShape::Sphere, WrapShape::Cylinder] {
            let one = obstacle(shape);
            let four = Obstacle::<Four> {
                shape,
                center: Vec3::of(one.center),
                frame: Mat3::of(one.frame),
                radius: Four::splat(RADIUS),
            };
            for (ends, has_side) in [(ends, false), (ends, true), (level, false), (level, true)] {
                let side = has_side.then_some(beside);
                let both = [0, 1].map(|i| Vec3::<Four>::from_lanes(|k| ends[k][i]));
                let sides = side.map(|side| Vec3::<Four>::from_lanes(|k| side[k]));
                let all = four.touch(both, sides).unwrap();
                for k in 0..4 {
                    let alone = touch(one, ends[k][0], ends[k][1], side.map(|side| side[k]));
                    assert_eq!(alone.is_some(), all.touches.lane(k));
                    let Some(alone) = alone else { continue };
                    touching += 1;
                    assert_eq!(alone.length, all.length.lane(k));
                    for i in 0..2 {
                        assert_eq!(alone.points[i].0, all.points[i].0.map(|x| x.lane(k)));
                    }
                }
            }
        }
        assert!(touching > 12 && touching < 32, "{touching}");
    }

    /// What goes without heights where there are none is what comes of them.
    #[test]
    fn level_paths_are_those_next_to_them() {
        let o = obstacle(WrapShape::Cylinder);
        let ends = |rise: f64| [Vec3::new(-0.3, 0.1, 0.2), Vec3::new(0.3, 0.1, 0.2 + rise)];
        let [level, sloped] = [0.0, 1e-14].map(|rise| o.touch(ends(rise), None).unwrap());
        assert_eq!(level.length, sloped.length);
        for i in 0..2 {
            assert_eq!(level.points[i].0[..2], sloped.points[i].0[..2]);
            assert!((level.points[i][2] - sloped.points[i][2]).abs() < 1e-13);
        }
    }
}
