//! Planes through facets, and the bounds on rounding that all decisions use.

use corten_math::Vec3;
use corten_math::array::MapInline;

use super::store::Builder;
use super::{HullError, Step};

/// What rounding can do to distances, for coordinates of a given size.
///
/// `round` bounds the error of one distance of a point from a plane. All other bounds are
/// multiples of it: a facet is merged if it is within twice that of its neighbour's plane, a
/// point is outside if it is clearly above what may be merged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tolerance {
    pub round: f64,
    /// Distance from which a facet is seen, and up to which a point counts as coplanar.
    pub visible: f64,
    /// Distance from which a point is outside a facet.
    pub outside: f64,
    /// Distance of a centroid from a neighbouring plane up to which a ridge is not convex.
    pub centrum: f64,
    /// Largest displacement by the merge of two triangles.
    pub one_merge: f64,
    /// Depth down to which interior points are kept for later tests.
    pub near_inside: f64,
    /// Displacement from which a merged facet keeps its centroid.
    pub wide: f64,
    /// Pivots of the three columns that are zero up to rounding.
    pub near_zero: [f64; 3],
    /// Denominators too small to divide by: of a normal, and of a pivot.
    min_norm: f64,
    min_pivot: f64,
    pub width: f64,
}

impl Tolerance {
    /// The bounds, and the extreme points: lowest and highest along each axis.
    pub fn of(points: &[Vec3]) -> (Tolerance, [u32; 6]) {
        let mut extreme = [0; 6];
        let (mut largest, mut width, mut sum) = (0.0f64, f64::MIN, 0.0);
        let mut near_zero = [0.0; 3];
        for k in 0..3 {
            let (mut low, mut high) = (0, 0);
            for (i, p) in points.iter().enumerate() {
                if points[high][k] < p[k] {
                    high = i;
                } else if points[low][k] > p[k] {
                    low = i;
                }
            }
            let (minimum, maximum) = (points[low][k], points[high][k]);
            let coordinate = maximum.max(-minimum);
            width = width.max(maximum - minimum);
            largest = largest.max(coordinate);
            sum += coordinate;
            near_zero[k] = 80.0 * sum * f64::EPSILON;
            extreme[2 * k] = low as u32;
            extreme[2 * k + 1] = high as u32;
        }
        let norm = (3f64.sqrt() * largest).min(sum);
        let round = f64::EPSILON * (3.0 * norm * 1.01 + largest);
        let centrum = 2.0 * round;
        let one_merge = 3.0 * centrum + round;
        let outside = 2.0 * centrum;
        let tolerance = Tolerance {
            round,
            visible: centrum,
            outside,
            centrum,
            one_merge,
            near_inside: one_merge * 5.0,
            wide: outside.max(6.0 * centrum),
            near_zero,
            min_norm: f64::MIN_POSITIVE * largest,
            min_pivot: (f64::MIN_POSITIVE * 3.0).sqrt() * largest,
            width,
        };
        (tolerance, extreme)
    }

    fn min_pivot_unit() -> f64 {
        (f64::MIN_POSITIVE * 3.0).sqrt()
    }

    /// Scales to unit length, with the sign of `outward`.
    fn normalize(&self, n: &mut Vec3, outward: bool) {
        let mut norm = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
        if norm == 0.0 {
            *n = Vec3::splat((1.0f64 / 3.0).sqrt());
            return;
        }
        let tiny = norm <= self.min_norm;
        if !outward {
            norm = -norm;
        }
        for k in 0..3 {
            if !tiny {
                n[k] /= norm;
            } else if let Some(x) = divide(n[k], norm, f64::MIN_POSITIVE) {
                n[k] = x;
            } else {
                // Too short to normalise: the axis of the largest component.
                let axis = (1..3).fold(0, |a, k| if n[k].abs() > n[a].abs() { k } else { a });
                let sign = if n[axis] * norm >= 0.0 { 1.0 } else { -1.0 };
                *n = Vec3::ZERO;
                n[axis] = sign;
                return;
            }
        }
    }
}

/// The quotient, unless it would overflow.
fn divide(numerator: f64, denominator: f64, smallest: f64) -> Option<f64> {
    let fits = if numerator < smallest && numerator > -smallest {
        numerator.abs() < denominator.abs()
    } else {
        let ratio = denominator / numerator;
        ratio > smallest || ratio < -smallest
    };
    fits.then(|| numerator / denominator)
}

impl Builder<'_> {
    #[inline]
    pub fn distance(&self, point: u32, f: u32) -> f64 {
        self.facets[f].distance(self.points[point as usize])
    }

    #[inline]
    pub fn vertex_distance(&self, v: u32, f: u32) -> f64 {
        self.facets[f].distance(self.position(v))
    }

    /// Computes the plane of a triangle from its vertices in their order.
    pub fn set_plane(&mut self, f: u32) -> Step {
        let &[a, b, c, ..] = &self.facets[f].vertices[..] else {
            return Err(HullError::Rounding);
        };
        let [p, q, r] = [a, b, c].map_inline(|v| self.position(v));
        let top = self.facets[f].top;
        let t = &self.tolerance;
        let (u, v) = (q - p, r - p);
        let mut normal =
            Vec3([v[1] * u[2] - v[2] * u[1], u[0] * v[2] - u[2] * v[0], v[0] * u[1] - v[1] * u[0]]);
        t.normalize(&mut normal, top);
        let mut offset = -(p[0] * normal[0] + p[1] * normal[1] + p[2] * normal[2]);
        let lies = |x: Vec3| {
            let d = offset + (x[0] * normal[0] + x[1] * normal[1] + x[2] * normal[2]);
            !(d > t.round || d < -t.round)
        };
        let mut turn = false;
        if !(lies(r) && lies(q)) {
            // Sliver: elimination with pivoting is more accurate than determinants.
            (normal, turn) = self.plane_by_elimination(u, v, top);
            offset = -(p[0] * normal[0]);
            offset -= p[1] * normal[1];
            offset -= p[2] * normal[2];
        }
        let facet = &mut self.facets[f];
        facet.normal = normal;
        facet.offset = offset;
        facet.has_plane = true;
        if turn {
            self.orient_outside(f);
        }
        self.check_flipped(f);
        Ok(())
    }

    /// Normal of the plane spanned by two vectors by elimination and back substitution, and
    /// whether a pivot was zero up to rounding, so that the sign means nothing.
    fn plane_by_elimination(&self, u: Vec3, v: Vec3, top: bool) -> (Vec3, bool) {
        let t = &self.tolerance;
        let (mut rows, mut sign, mut near_zero) = ([u, v], top, false);
        if rows[1][0].abs() > rows[0][0].abs() {
            rows.swap(0, 1);
            sign = !sign;
        }
        if rows[0][0].abs() <= t.near_zero[0] {
            near_zero = true;
        }
        if rows[0][0] != 0.0 {
            let n = rows[1][0] / rows[0][0];
            for k in 1..3 {
                rows[1][k] -= n * rows[0][k];
            }
        }
        near_zero |= rows[1][1].abs() <= t.near_zero[1];
        for k in [1, 0] {
            if rows[k][k] < 0.0 {
                sign = !sign;
            }
        }
        let last = if sign { -1.0 } else { 1.0 };
        let mut normal = Vec3([0.0, 0.0, last]);
        for i in [1, 0] {
            let mut x = 0.0;
            for j in i + 1..3 {
                x -= rows[i][j] * normal[j];
            }
            let pivot = rows[i][i];
            if pivot.abs() > t.min_pivot {
                normal[i] = x / pivot;
            } else if let Some(x) = divide(x, pivot, Tolerance::min_pivot_unit()) {
                normal[i] = x;
            } else {
                near_zero = true;
                normal[i] = last;
                for j in i + 1..3 {
                    normal[j] = 0.0;
                }
            }
        }
        t.normalize(&mut normal, true);
        (normal, near_zero)
    }

    /// Turns the plane so that the interior point is below; whether it had to.
    pub fn orient_outside(&mut self, f: u32) {
        let interior = self.interior;
        let facet = &mut self.facets[f];
        if facet.distance(interior) > 0.0 {
            facet.normal = -facet.normal;
            facet.offset = -facet.offset;
        }
    }

    /// Marks the facet if the interior point is not clearly below.
    pub fn check_flipped(&mut self, f: u32) -> bool {
        let (interior, round) = (self.interior, self.tolerance.round);
        let facet = &mut self.facets[f];
        facet.flipped |= facet.distance(interior) >= -round;
        facet.flipped
    }

    /// Mean of the vertices, projected into the plane.
    pub fn center(&mut self, f: u32) -> Vec3 {
        if let Some(center) = self.facets[f].center {
            return center;
        }
        let facet = &self.facets[f];
        let mean = self.mean(&facet.vertices);
        let d = facet.distance(mean);
        let n = facet.normal;
        let center = Vec3([mean[0] - d * n[0], mean[1] - d * n[1], mean[2] - d * n[2]]);
        self.facets[f].center = Some(center);
        center
    }

    pub fn mean(&self, vertices: &[u32]) -> Vec3 {
        let count = vertices.len() as f64;
        let mut mean = Vec3::ZERO;
        for k in 0..3 {
            for &v in vertices {
                mean[k] += self.position(v)[k];
            }
            mean[k] /= count;
        }
        mean
    }

    /// Lowest and highest distance from the plane of `neighbor` among the vertices of `f` that are
    /// not its own; both are 0 at least.
    pub fn spread(&mut self, f: u32, neighbor: u32) -> Spread {
        for i in 0..self.facets[f].vertices.len() {
            let v = self.facets[f].vertices[i];
            self.vertices[v].seen = false;
        }
        for i in 0..self.facets[neighbor].vertices.len() {
            let v = self.facets[neighbor].vertices[i];
            self.vertices[v].seen = true;
        }
        let mut spread = Spread { low: 0.0, high: 0.0 };
        for &v in &self.facets[f].vertices {
            if !self.vertices[v].seen {
                let d = self.vertex_distance(v, neighbor);
                if d < spread.low {
                    spread.low = d;
                } else if d > spread.high {
                    spread.high = d;
                }
            }
        }
        spread
    }
}

/// Range of distances from a plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    pub low: f64,
    pub high: f64,
}

impl Spread {
    /// The larger displacement.
    pub fn width(&self) -> f64 {
        if self.high > -self.low { self.high } else { -self.low }
    }
}
