//! Tetrahedra of the Minkowski difference: what is asked of all four faces, at once if the
//! processor can.

use corten_math::{Four, MIN_VAL, Mask, Number, Vec3};

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

    fn corner(&self, k: usize) -> Vec3 {
        Vec3(self.0.map(|lanes| lanes[k]))
    }

    /// Four corners in lanes.
    #[inline(always)]
    fn lanes<const A: usize, const B: usize, const C: usize, const D: usize>(&self) -> Vec3<Four> {
        let [x, y, z] = &self.0;
        Vec3([
            Four([x[A], x[B], x[C], x[D]]),
            Four([y[A], y[B], y[C], y[D]]),
            Four([z[A], z[B], z[C], z[D]]),
        ])
    }

    #[inline(always)]
    pub fn planes(&self) -> Planes {
        if Four::available() {
            let (a, b) = (self.lanes::<2, 0, 1, 0>(), self.lanes::<1, 2, 0, 1>());
            let (Vec3([x, y, z]), offsets) = plane(a, b, self.lanes::<3, 3, 3, 2>());
            return Planes { normals: [x.0, y.0, z.0], offsets: offsets.0 };
        }
        let planes = [[2, 1, 3], [0, 2, 3], [1, 0, 3], [0, 1, 2]].map(|face| {
            let [a, b, c] = face.map(|k| self.corner(k));
            plane(a, b, c)
        });
        Planes {
            normals: std::array::from_fn(|i| planes.map(|(normal, _)| normal[i])),
            offsets: planes.map(|(_, offset)| offset),
        }
    }

    /// The origin projected on the planes of [`FACES`], each with its squared length; `None` if one
    /// of them asks for more care, or the processor cannot do this at once.
    #[inline(always)]
    pub fn feet(&self) -> Option<[[f64; 4]; 4]> {
        if !Four::available() {
            return None;
        }
        let (a, b) = (self.lanes::<0, 0, 0, 3>(), self.lanes::<1, 3, 2, 2>());
        let c = self.lanes::<2, 1, 3, 1>();
        let normal = (a - b).cross(b - c);
        let offset = normal.dot(b);
        let n2 = normal.dot(normal);
        let zero = Four::of(0.0);
        let through_origin = offset.at_most(zero).and(zero.at_most(offset));
        let sound = Four::of(MIN_VAL).below(n2).and_not(through_origin);
        if zero.at_most(zero).and_not(sound).any() {
            return None;
        }
        let foot = normal * (offset / n2);
        let rows = [foot[0], foot[1], foot[2], foot.dot(foot)];
        let feet = Four::from_records(|k| rows[k].0);
        Some([feet[0].0, feet[1].0, feet[2].0, feet[3].0])
    }

    /// Whether the origin lies strictly inside: on each face's inner side.
    #[inline(always)]
    pub fn holds_origin(&self) -> bool {
        if Four::available() {
            let (p, q) = (self.lanes::<0, 1, 2, 3>(), self.lanes::<1, 2, 3, 0>());
            let outside =
                excludes_origin(p, q, self.lanes::<2, 3, 0, 1>(), self.lanes::<3, 0, 1, 2>());
            return !outside.any();
        }
        let corner = |k: usize| self.corner(k % 4);
        !(0..4).any(|i| excludes_origin(corner(i), corner(i + 1), corner(i + 2), corner(i + 3)))
    }
}

/// Whether the origin is not on the same side of the plane `pqr` as `opposite`.
#[inline(always)]
fn excludes_origin<T: Number>(p: Vec3<T>, q: Vec3<T>, r: Vec3<T>, opposite: Vec3<T>) -> T::Mask {
    let n = (q - p).cross(r - p);
    let (inside, origin) = (n.dot(opposite - p), n.dot(-p));
    let zero = T::of(0.0);
    let above = zero.below(inside).and(zero.below(origin));
    let below = inside.below(zero).and(origin.below(zero));
    zero.at_most(zero).and_not(above.or(below))
}

/// Unit normal of the plane of three points and its signed distance from the origin; the distance
/// is `f64::MAX` if the normal cannot be trusted.
#[inline(always)]
fn plane<T: Number>(a: Vec3<T>, b: Vec3<T>, c: Vec3<T>) -> (Vec3<T>, T) {
    let normal = (c - a).cross(b - a);
    let n2 = normal.dot(normal);
    let trusted = T::of(MIN_VAL_SQUARED).below(n2).and(n2.below(T::of(MAX_NORMAL_SQUARED)));
    let unit = normal * (T::of(1.0) / n2.sqrt());
    (unit, T::select(trusted, unit.dot(a), T::of(f64::MAX)))
}
