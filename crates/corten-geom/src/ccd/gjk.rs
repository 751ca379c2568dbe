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

use corten_math::array::MapInline;
use corten_math::{MIN_VAL, Mat3, Vec3, Wide};

use super::simplex::nearest;
use super::support_cache::{SupportCache, SupportHints};
use super::tetrahedron::{Planes, Tetrahedron};
use crate::shape::{MIN_VAL_SQUARED, Shape};

/// A vertex of the Minkowski difference with the points that produced it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Vertex {
    /// `p1 − p2`.
    pub diff: Vec3,
    pub p1: Vec3,
    pub p2: Vec3,
    /// Corner numbers in the shapes, −1 for shapes without corners.
    pub corners: [i32; 2],
}

/// The two shapes of a query. `HULLS` says that both are meshes, for which the search is compiled
/// apart.
pub(super) struct Pair<'q, 'a, const HULLS: bool> {
    pub a: &'q mut Shape<'a>,
    pub b: &'q mut Shape<'a>,
    pub supports: &'q mut SupportCache,
    /// Columns of the matrices, which vertices of meshes are placed by.
    columns: [Mat3; 2],
}

impl<'q, 'a, const HULLS: bool> Pair<'q, 'a, HULLS> {
    #[inline(always)]
    pub fn new(a: &'q mut Shape<'a>, b: &'q mut Shape<'a>, supports: &'q mut SupportCache) -> Self {
        let columns = [a.pose.mat.transpose(), b.pose.mat.transpose()];
        Pair { a, b, supports, columns }
    }

    /// Support point of the difference along the unit vector `dir`.
    #[inline(always)]
    pub fn support(&mut self, dir: Vec3) -> Vertex {
        let (p1, p2) = if HULLS {
            let [hint1, hint2] = self.supports.next().split();
            let (p1, hint1) = self.a.hull_support(&self.columns[0], dir, hint1);
            let (p2, hint2) = self.b.hull_support(&self.columns[1], -dir, hint2);
            self.supports.keep(SupportHints::join([hint1, hint2]));
            (p1, p2)
        } else {
            (self.a.support(dir), self.b.support(-dir))
        };
        Vertex { diff: p1 - p2, p1, p2, corners: [self.a.vertex, self.b.vertex] }
    }

    pub fn is_polyhedral(&self) -> bool {
        self.a.is_polyhedral() && self.b.is_polyhedral()
    }
}

/// Places of a search's own simplex: four, one for the next vertex, and some that make it a power of
/// two.
const PLACES: usize = 8;

/// Working memory and result of a distance query.
#[derive(Clone, Debug)]
pub(super) struct Search {
    /// Distance; `f64::MAX` if separated by more than was asked for, zero if a tetrahedron holds
    /// the origin.
    pub dist: f64,
    /// Nearest points, if computed.
    pub witness: Option<(Vec3, Vec3)>,
    /// The last approximation of the nearest point of the difference: where the shapes are
    /// separated, a separating axis.
    pub axis: Vec3,
    /// Vertices in no order: those of the search, then those that replace them in a tetrahedron that
    /// may hold the origin.
    store: [Vertex; 2 * PLACES],
    /// Where the vertices of the simplex are that carries the nearest point.
    simplex: [usize; 4],
    count: usize,
}

impl Default for Search {
    fn default() -> Search {
        Search {
            dist: f64::MAX,
            witness: None,
            axis: Vec3::ZERO,
            store: [Vertex::default(); 2 * PLACES],
            simplex: [0; 4],
            count: 0,
        }
    }
}

impl Search {
    /// The number of vertices of the simplex that carries the nearest point.
    pub fn count(&self) -> usize {
        self.count
    }

    /// A vertex of that simplex.
    pub fn vertex(&self, i: usize) -> &Vertex {
        &self.store[self.simplex[i & 3] % (2 * PLACES)]
    }

    fn separated(&mut self, axis: Vec3) {
        (self.dist, self.axis, self.count) = (f64::MAX, axis, 0);
    }

    /// Runs GJK. With `cutoff == 0` only contact matters; otherwise distances up to `cutoff` are
    /// exact.
    #[inline(always)]
    pub fn run<S: Wide, const HULLS: bool>(
        &mut self,
        pair: &mut Pair<'_, '_, HULLS>,
        max_iterations: usize,
        tolerance: f64,
        cutoff: f64,
    ) {
        let wants_distance = cutoff > 0.0;
        let mut try_containment = !wants_distance;
        let cutoff_squared = cutoff * cutoff;
        let epsilon = if pair.is_polyhedral() { 0.0 } else { 0.5 * tolerance * tolerance };

        let centers = (pair.a.center(), pair.b.center());
        (self.witness, self.count) = (None, 0);
        let mut count = 0;
        // Points of the difference, and where in the store their vertices are.
        let mut diffs = [Vec3::ZERO; 4];
        let mut places = [0; 4];
        let mut lambda = [1.0, 0.0, 0.0, 0.0];
        let mut x = centers.0 - centers.1;
        let mut norm = f64::MAX;

        let mut k = 0;
        while k < max_iterations {
            norm = x.norm_squared();
            if norm < MIN_VAL_SQUARED {
                break;
            }
            if !norm.is_finite() {
                return self.separated(x);
            }
            norm = norm.sqrt();
            let s = pair.support(-(x * (1.0 / norm)));
            let used = places[..count].iter().fold(0u32, |used, &place| used | 1 << place);
            let place = used.trailing_ones() as usize % PLACES;
            self.store[place] = s;
            (places[count], diffs[count]) = (place, s.diff);
            if x.dot(x - s.diff) < epsilon {
                count = count.max(usize::from(k == 0));
                break;
            }

            let along = x.dot(s.diff);
            let beyond = if !wants_distance {
                along > 0.0
            } else {
                cutoff < f64::MAX && along > 0.0 && along * along / x.dot(x) >= cutoff_squared
            };
            if beyond {
                return self.separated(x);
            }

            if count == 3 && try_containment {
                match self.contains_origin::<S, HULLS>(pair, places, &mut k, max_iterations) {
                    Containment::Inside => return (self.dist, self.axis) = (0.0, x),
                    Containment::Outside(axis) => return self.separated(axis),
                    Containment::Unknown => try_containment = false,
                }
            }

            lambda = nearest(&diffs, count + 1);
            count = 0;
            for i in 0..4 {
                if lambda[i] != 0.0 {
                    (places[count], diffs[count]) = (places[i], diffs[i]);
                    lambda[count] = lambda[i];
                    count += 1;
                }
            }
            if count == 0 {
                return self.separated(x);
            }

            let next = combine(&lambda, &diffs[..count]);
            if (next - x).0.iter().all(|d| d.abs() < MIN_VAL) {
                break;
            }
            x = next;
            if count == 4 {
                norm = 0.0;
                break;
            }
            k += 1;
        }

        (self.dist, self.axis, self.simplex, self.count) = (norm, x, places, count);
        self.witness = Some(if count == 0 {
            centers
        } else {
            let used = places.map_inline(|place| &self.store[place % PLACES]);
            let blend = |p: [Vec3; 4]| combine(&lambda, &p[..count]);
            (blend(used.map_inline(|v| v.p1)), blend(used.map_inline(|v| v.p2)))
        });
    }

    /// Moves a tetrahedron until it holds the origin or a face shows that nothing can: each step
    /// replaces the vertex opposite the face that most excludes the origin. One that holds it
    /// becomes the simplex; the given one stays in the store.
    #[inline(always)]
    fn contains_origin<S: Wide, const HULLS: bool>(
        &mut self,
        pair: &mut Pair<'_, '_, HULLS>,
        given: [usize; 4],
        k: &mut usize,
        max_iterations: usize,
    ) -> Containment {
        let mut v = given;
        while *k < max_iterations {
            let [a, b, c, d] = v.map_inline(|i| &self.store[i % (2 * PLACES)]);
            let Planes { normals, offsets } = Tetrahedron::new([a, b, c, d]).planes::<S>();
            if offsets.contains(&0.0) {
                return Containment::Unknown;
            }
            let lower = |i: usize, j: usize| if offsets[i] < offsets[j] { i } else { j };
            let worst = lower(lower(0, 1), lower(2, 3));
            if offsets[worst] > 0.0 {
                (self.simplex, self.count) = (v, 4);
                return Containment::Inside;
            }
            let normal = Vec3(normals.map_inline(|lanes| lanes[worst]));
            let new = pair.support(normal);
            v[worst] = v[worst] % PLACES + PLACES;
            self.store[v[worst]] = new;
            if normal.dot(new.diff) < 0.0 {
                return Containment::Outside(-normal);
            }
            // Keeps the orientation of the tetrahedron.
            v.swap((worst + 1) & 3, (worst + 2) & 3);
            *k += 1;
        }
        Containment::Unknown
    }
}

/// `Σ λᵢ pᵢ`, first to last.
#[inline(always)]
fn combine(lambda: &[f64; 4], points: &[Vec3]) -> Vec3 {
    let mut terms = points.iter().zip(lambda).map(|(&p, &l)| p * l);
    let first = terms.next().unwrap_or_default();
    terms.fold(first, |sum, t| sum + t)
}

enum Containment {
    Inside,
    /// With the axis, from the origin, along which nothing of the difference reaches.
    Outside(Vec3),
    Unknown,
}
