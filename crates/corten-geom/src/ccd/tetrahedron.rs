//! Tetrahedra of the Minkowski difference: what is asked of all four faces, at once.

use corten_math::{MIN_VAL, Mask, Number, Vec3, Wide};

use super::gjk::Vertex;
use crate::shape::MIN_VAL_SQUARED;

/// Largest squared length of a face normal that is still trusted.
const MAX_NORMAL_SQUARED: f64 = 1e20;

/// The faces as EPA starts from them.
pub(super) const FACES: [[u32; 3]; 4] = [[0, 1, 2], [0, 3, 1], [0, 2, 3], [3, 2, 1]];

/// The planes of the faces. Face `i` lacks corner `i`; its normal points out of the tetrahedron
/// towards the origin's side.
pub(super) struct Planes {
    /// Unit vectors, coordinate by coordinate, where the offset is not `f64::MAX`.
    pub normals: [[f64; 4]; 3],
    /// Signed distances from the origin; `f64::MAX` if the normal cannot be trusted.
    pub offsets: [f64; 4],
}

/// Four points, coordinate by coordinate.
pub(super) struct Tetrahedron([[f64; 4]; 3]);

impl Tetrahedron {
    #[inline(always)]
    pub fn new([a, b, c, d]: [&Vertex; 4]) -> Tetrahedron {
        let (a, b, c, d) = (&a.diff.0, &b.diff.0, &c.diff.0, &d.diff.0);
        Tetrahedron([[a[0], b[0], c[0], d[0]], [a[1], b[1], c[1], d[1]], [a[2], b[2], c[2], d[2]]])
    }

    /// Four corners in lanes.
    #[inline(always)]
    fn lanes<S: Wide>(&self, at: [usize; 4]) -> Vec3<S> {
        let [x, y, z] = &self.0;
        let [a, b, c, d] = at;
        Vec3([
            S::load([x[a], x[b], x[c], x[d]]),
            S::load([y[a], y[b], y[c], y[d]]),
            S::load([z[a], z[b], z[c], z[d]]),
        ])
    }

    #[inline(always)]
    pub fn planes<S: Wide>(&self) -> Planes {
        let (a, b) = (self.lanes::<S>([2, 0, 1, 0]), self.lanes([1, 2, 0, 1]));
        let (Vec3([x, y, z]), offsets) = plane(a, b, self.lanes([3, 3, 3, 2]));
        Planes { normals: [x.store(), y.store(), z.store()], offsets: offsets.store() }
    }

    /// The origin projected on the planes of [`FACES`], each with its squared length; `None` if one
    /// of them asks for more care.
    #[inline(always)]
    pub fn feet<S: Wide>(&self) -> Option<[[f64; 4]; 4]> {
        let (a, b) = (self.lanes::<S>([0, 0, 0, 3]), self.lanes([1, 3, 2, 2]));
        let c = self.lanes([2, 1, 3, 1]);
        let normal = (a - b).cross(b - c);
        let offset = normal.dot(b);
        let n2 = normal.dot(normal);
        let zero = S::splat(0.0);
        let through_origin = offset.le(zero).and(zero.le(offset));
        let sound = S::splat(MIN_VAL).lt(n2).and_not(through_origin);
        if zero.le(zero).and_not(sound).any() {
            return None;
        }
        let foot = normal * (offset / n2);
        let [a, b, c, d] = S::transposed([foot[0], foot[1], foot[2], foot.dot(foot)]);
        Some([a.store(), b.store(), c.store(), d.store()])
    }

    /// Whether the origin lies strictly inside: on each face's inner side.
    #[inline(always)]
    pub fn holds_origin<S: Wide>(&self) -> bool {
        let (p, q) = (self.lanes::<S>([0, 1, 2, 3]), self.lanes([1, 2, 3, 0]));
        let (r, opposite) = (self.lanes([2, 3, 0, 1]), self.lanes([3, 0, 1, 2]));
        !excludes_origin(p, q, r, opposite).any()
    }
}

/// Whether the origin is not on the same side of the plane `pqr` as `opposite`.
#[inline(always)]
fn excludes_origin<T: Number>(p: Vec3<T>, q: Vec3<T>, r: Vec3<T>, opposite: Vec3<T>) -> T::Mask {
    let n = (q - p).cross(r - p);
    let (inside, origin) = (n.dot(opposite - p), n.dot(-p));
    let zero = T::splat(0.0);
    let above = zero.lt(inside).and(zero.lt(origin));
    let below = inside.lt(zero).and(origin.lt(zero));
    zero.le(zero).and_not(above.or(below))
}

/// Unit normal of the plane of three points and its signed distance from the origin; the distance
/// is `f64::MAX` if the normal cannot be trusted.
#[inline(always)]
fn plane<T: Number>(a: Vec3<T>, b: Vec3<T>, c: Vec3<T>) -> (Vec3<T>, T) {
    let normal = (c - a).cross(b - a);
    let n2 = normal.dot(normal);
    let trusted = T::splat(MIN_VAL_SQUARED).lt(n2).and(n2.lt(T::splat(MAX_NORMAL_SQUARED)));
    let unit = normal * (T::splat(1.0) / n2.sqrt());
    (unit, T::select(trusted, unit.dot(a), T::splat(f64::MAX)))
}
