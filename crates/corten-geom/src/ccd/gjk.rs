//! Distance between two convex shapes: Gilbert–Johnson–Keerthi on their Minkowski difference.
//!
//! Each step asks for the support point of the difference towards the origin and keeps the
//! smallest sub-simplex that carries the nearest point so far. Steps end by the Frank–Wolfe
//! duality gap `<x, x − s>`, an upper bound on half the squared error of the distance.
//!
//! When only contact is asked for, a hyperplane that separates ends the search, and as soon as a
//! tetrahedron exists a cheaper test takes over that walks the tetrahedron towards the origin.
//! Answers to `gjk` and `gjkIntersect` in MuJoCo's `engine_collision_gjk.c`: iteration order,
//! tolerances and the order of simplex vertices are theirs, because EPA starts from this simplex.

use corten_math::{MIN_VAL, Vec3};

use super::simplex::nearest;
use crate::shape::{MIN_VAL_SQUARED, Shape};

/// Largest squared length of a face normal that is still trusted.
const MAX_NORMAL_SQUARED: f64 = 1e20;

/// A vertex of the Minkowski difference with the points that produced it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Vertex {
    /// `p1 − p2`.
    pub diff: Vec3,
    pub p1: Vec3,
    pub p2: Vec3,
    /// Corner numbers in the shapes, −1 for shapes without corners.
    pub i1: i32,
    pub i2: i32,
}

/// The two shapes of a query.
pub(super) struct Pair<'q, 'a> {
    pub a: &'q mut Shape<'a>,
    pub b: &'q mut Shape<'a>,
}

impl Pair<'_, '_> {
    /// Support point of the difference along the unit vector `dir`.
    #[inline]
    pub fn support(&mut self, dir: Vec3) -> Vertex {
        let p1 = self.a.support(dir);
        let p2 = self.b.support(-dir);
        Vertex { diff: p1 - p2, p1, p2, i1: self.a.vertex, i2: self.b.vertex }
    }

    pub fn is_polyhedral(&self) -> bool {
        self.a.is_polyhedral() && self.b.is_polyhedral()
    }
}

/// Result of a distance query.
#[derive(Clone, Debug)]
pub(super) struct Nearest {
    /// Distance; `f64::MAX` if separated by more than was asked for, zero if a tetrahedron holds
    /// the origin.
    pub dist: f64,
    /// Nearest points, if computed.
    pub witness: Option<(Vec3, Vec3)>,
    /// The simplex that carries the nearest point.
    pub simplex: [Vertex; 4],
    pub count: usize,
    /// The last approximation of the nearest point of the difference: where the shapes are
    /// separated, a separating axis.
    pub axis: Vec3,
}

/// Runs GJK. With `cutoff == 0` only contact matters; otherwise distances up to `cutoff` are exact.
pub(super) fn distance(
    pair: &mut Pair<'_, '_>,
    max_iterations: usize,
    tolerance: f64,
    cutoff: f64,
) -> Nearest {
    let wants_distance = cutoff > 0.0;
    let mut try_containment = !wants_distance;
    let cutoff_squared = cutoff * cutoff;
    let epsilon = if pair.is_polyhedral() { 0.0 } else { 0.5 * tolerance * tolerance };

    let centers = (pair.a.center(), pair.b.center());
    let mut found = Nearest {
        dist: f64::MAX,
        witness: None,
        simplex: [Vertex::default(); 4],
        count: 0,
        axis: centers.0 - centers.1,
    };
    let mut lambda = [1.0, 0.0, 0.0, 0.0];
    let mut x = found.axis;
    let mut norm = f64::MAX;
    let separated = |axis: Vec3, found: Nearest| Nearest { count: 0, axis, ..found };

    let mut k = 0;
    while k < max_iterations {
        norm = x.norm_squared();
        if norm < MIN_VAL_SQUARED {
            break;
        }
        if !norm.is_finite() {
            return separated(x, found);
        }
        norm = norm.sqrt();
        let s = pair.support(-(x * (1.0 / norm)));
        found.simplex[found.count] = s;
        if x.dot(x - s.diff) < epsilon {
            found.count = found.count.max(usize::from(k == 0));
            break;
        }

        let along = x.dot(s.diff);
        let beyond = if !wants_distance {
            along > 0.0
        } else {
            cutoff < f64::MAX && along > 0.0 && along * along / x.dot(x) >= cutoff_squared
        };
        if beyond {
            return separated(x, found);
        }

        if found.count == 3 && try_containment {
            let mut tetrahedron = found.simplex;
            match contains_origin(pair, &mut tetrahedron, &mut k, max_iterations) {
                Containment::Inside => {
                    let simplex = tetrahedron;
                    return Nearest { dist: 0.0, simplex, count: 4, axis: x, ..found };
                }
                Containment::Outside(axis) => return separated(axis, found),
                Containment::Unknown => try_containment = false,
            }
        }

        let all = found.simplex.map(|v| v.diff);
        lambda = nearest(&all, found.count + 1);
        found.count = 0;
        for i in 0..4 {
            if lambda[i] != 0.0 {
                found.simplex[found.count] = found.simplex[i];
                lambda[found.count] = lambda[i];
                found.count += 1;
            }
        }
        if found.count == 0 {
            return separated(x, found);
        }

        let next = combine(&lambda, &found.simplex[..found.count], |v| v.diff);
        if (next - x).0.iter().all(|d| d.abs() < MIN_VAL) {
            break;
        }
        x = next;
        if found.count == 4 {
            norm = 0.0;
            break;
        }
        k += 1;
    }

    let used = &found.simplex[..found.count];
    found.witness = Some(if used.is_empty() {
        centers
    } else {
        (combine(&lambda, used, |v| v.p1), combine(&lambda, used, |v| v.p2))
    });
    Nearest { dist: norm, axis: x, ..found }
}

/// `Σ λᵢ f(vᵢ)`, first to last.
#[inline]
fn combine(lambda: &[f64], vertices: &[Vertex], f: impl Fn(&Vertex) -> Vec3) -> Vec3 {
    let mut terms = vertices.iter().zip(lambda).map(|(v, &l)| f(v) * l);
    let first = terms.next().unwrap_or_default();
    terms.fold(first, |sum, t| sum + t)
}

enum Containment {
    Inside,
    /// With the axis, from the origin, along which nothing of the difference reaches.
    Outside(Vec3),
    Unknown,
}

/// Moves a tetrahedron until it holds the origin or a face shows that nothing can: each step
/// replaces the vertex opposite the face that most excludes the origin.
fn contains_origin(
    pair: &mut Pair<'_, '_>,
    v: &mut [Vertex; 4],
    k: &mut usize,
    max_iterations: usize,
) -> Containment {
    while *k < max_iterations {
        // Face i lacks vertex i; its normal points out of the tetrahedron towards the origin's side.
        let faces = [
            plane(&v[2], &v[1], &v[3]),
            plane(&v[0], &v[2], &v[3]),
            plane(&v[1], &v[0], &v[3]),
            plane(&v[0], &v[1], &v[2]),
        ];
        if faces.iter().any(|f| f.1 == 0.0) {
            return Containment::Unknown;
        }
        let lower = |i: usize, j: usize| if faces[i].1 < faces[j].1 { i } else { j };
        let worst = lower(lower(0, 1), lower(2, 3));
        if faces[worst].1 > 0.0 {
            return Containment::Inside;
        }
        let normal = faces[worst].0;
        v[worst] = pair.support(normal);
        if normal.dot(v[worst].diff) < 0.0 {
            return Containment::Outside(-normal);
        }
        // Keeps the orientation of the tetrahedron.
        v.swap((worst + 1) & 3, (worst + 2) & 3);
        *k += 1;
    }
    Containment::Unknown
}

/// Unit normal of the plane of three vertices and its signed distance from the origin; the
/// distance is `f64::MAX` if the normal cannot be trusted.
#[inline]
fn plane(a: &Vertex, b: &Vertex, c: &Vertex) -> (Vec3, f64) {
    let normal = (c.diff - a.diff).cross(b.diff - a.diff);
    let n2 = normal.norm_squared();
    if n2 > MIN_VAL_SQUARED && n2 < MAX_NORMAL_SQUARED {
        let unit = normal * (1.0 / n2.sqrt());
        (unit, unit.dot(a.diff))
    } else {
        (normal, f64::MAX)
    }
}
