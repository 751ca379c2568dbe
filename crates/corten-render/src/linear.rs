//! Vectors and matrices of the renderer, in single precision as a graphics card has them.

use corten_math::array::MapInline;
use corten_math::{F32x8, Wide};

/// A vector of three numbers.
pub(crate) type V3 = [f32; 3];

/// A vector of four numbers.
pub(crate) type V4 = [f32; 4];

#[inline(always)]
pub(crate) fn sub(a: V3, b: V3) -> V3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(crate) fn add(a: V3, b: V3) -> V3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(crate) fn scale(a: V3, s: f32) -> V3 {
    [a[0] * s, a[1] * s, a[2] * s]
}

#[inline(always)]
pub(crate) fn dot(a: V3, b: V3) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn cross(a: V3, b: V3) -> V3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The unit vector of the same direction; that of z where there is none.
#[inline(always)]
pub(crate) fn unit(a: V3) -> V3 {
    let length = dot(a, a).sqrt();
    if length < 1e-10 { [0.0, 0.0, 1.0] } else { scale(a, 1.0 / length) }
}

/// Normal of a triangle.
pub(crate) fn normal(a: V3, b: V3, c: V3) -> V3 {
    unit(cross(sub(b, a), sub(c, a)))
}

/// A unit vector that is orthogonal to `v`, as MuJoCo picks the upward direction of a light.
pub(crate) fn orthogonal(v: V3) -> V3 {
    let first = cross(v, [-1.0, 0.0, 0.0]);
    if dot(first, first) > 0.01 { unit(first) } else { unit(cross(v, [0.0, 1.0, 0.0])) }
}

/// A matrix of four rows; products are in double precision, since they are few.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mat4(pub [[f64; 4]; 4]);

impl Mat4 {
    pub(crate) const IDENTITY: Mat4 = Mat4([
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]);

    /// Rotation, row-major, and position.
    pub(crate) fn pose(mat: [f32; 9], pos: V3) -> Mat4 {
        let mut m = Mat4::IDENTITY;
        for r in 0..3 {
            for c in 0..3 {
                m.0[r][c] = mat[3 * r + c].into();
            }
            m.0[r][3] = pos[r].into();
        }
        m
    }

    pub(crate) fn translation(t: V3) -> Mat4 {
        Mat4::pose([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], t)
    }

    pub(crate) fn scaling(s: V3) -> Mat4 {
        Mat4::pose([s[0], 0.0, 0.0, 0.0, s[1], 0.0, 0.0, 0.0, s[2]], [0.0; 3])
    }

    /// The product `self other`.
    pub(crate) fn times(&self, other: &Mat4) -> Mat4 {
        let mut product = [[0.0; 4]; 4];
        for (r, row) in product.iter_mut().enumerate() {
            for (c, x) in row.iter_mut().enumerate() {
                *x = (0..4).map(|k| self.0[r][k] * other.0[k][c]).sum();
            }
        }
        Mat4(product)
    }

    /// `self`, after a translation in its own frame.
    pub(crate) fn moved(&self, t: V3) -> Mat4 {
        self.times(&Mat4::translation(t))
    }

    /// `self`, after a scaling in its own frame.
    pub(crate) fn scaled(&self, s: V3) -> Mat4 {
        self.times(&Mat4::scaling(s))
    }

    /// The rows in single precision.
    pub(crate) fn rows(&self) -> [V4; 4] {
        self.0.map(|row| row.map(|x| x as f32))
    }

    /// Camera at `eye` that looks along `forward`.
    pub(crate) fn look(eye: V3, forward: V3, up: V3) -> Mat4 {
        let f = unit(forward);
        let s = unit(cross(f, up));
        let u = unit(cross(s, f));
        let row = |v: V3| {
            [
                v[0] as f64,
                v[1] as f64,
                v[2] as f64,
                -(0..3).map(|i| v[i] as f64 * eye[i] as f64).sum::<f64>(),
            ]
        };
        Mat4([row(s), row(u), row(scale(f, -1.0)), [0.0, 0.0, 0.0, 1.0]])
    }

    /// Projection of a frustum, with depth one at the near plane and zero at the far plane, where
    /// floating-point numbers are dense.
    pub(crate) fn frustum(x: [f64; 2], y: [f64; 2], near: f64, far: f64) -> Mat4 {
        let (w, h, d) = (x[1] - x[0], y[1] - y[0], far - near);
        Mat4([
            [2.0 * near / w, 0.0, (x[1] + x[0]) / w, 0.0],
            [0.0, 2.0 * near / h, (y[1] + y[0]) / h, 0.0],
            [0.0, 0.0, near / d, far * near / d],
            [0.0, 0.0, -1.0, 0.0],
        ])
    }

    /// Parallel projection with the same depths.
    pub(crate) fn parallel(x: [f64; 2], y: [f64; 2], near: f64, far: f64) -> Mat4 {
        let (w, h, d) = (x[1] - x[0], y[1] - y[0], far - near);
        Mat4([
            [2.0 / w, 0.0, 0.0, -(x[1] + x[0]) / w],
            [0.0, 2.0 / h, 0.0, -(y[1] + y[0]) / h],
            [0.0, 0.0, 1.0 / d, far / d],
            [0.0, 0.0, 0.0, 1.0],
        ])
    }

    /// Reflection at the plane through `pos` with unit normal `axis`.
    pub(crate) fn reflection(pos: V3, axis: V3) -> Mat4 {
        let mut m = Mat4::IDENTITY;
        for r in 0..3 {
            for c in 0..3 {
                m.0[r][c] -= 2.0 * axis[r] as f64 * axis[c] as f64;
                m.0[r][3] += 2.0 * axis[r] as f64 * axis[c] as f64 * pos[c] as f64;
            }
        }
        m
    }

    /// Matrix for normals: inverse and transposed, up to a positive factor.
    pub(crate) fn normals(&self) -> [V3; 3] {
        let m = &self.0;
        let cofactor = |r: usize, c: usize| {
            let (r1, r2, c1, c2) = ((r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3);
            m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]
        };
        let determinant: f64 = (0..3).map(|c| m[0][c] * cofactor(0, c)).sum();
        let sign = if determinant < 0.0 { -1.0 } else { 1.0 };
        let largest =
            m.iter().take(3).flat_map(|row| &row[..3]).fold(0.0, |a: f64, b| a.max(b.abs()));
        // Cofactors of very small or large geoms stay representable in single precision.
        let factor = if largest > 0.0 { sign / (largest * largest) } else { sign };
        std::array::from_fn(|r| std::array::from_fn(|c| (cofactor(r, c) * factor) as f32))
    }
}

/// Point through a matrix.
#[inline(always)]
pub(crate) fn transform(m: &[V4; 4], p: V3) -> V4 {
    let mut out = [0.0; 4];
    for r in 0..4 {
        out[r] = m[r][0] * p[0] + m[r][1] * p[1] + m[r][2] * p[2] + m[r][3];
    }
    out
}

/// Point through the first three rows.
#[inline(always)]
pub(crate) fn transform3(m: &[V4; 4], p: V3) -> V3 {
    let mut out = [0.0; 3];
    for r in 0..3 {
        out[r] = m[r][0] * p[0] + m[r][1] * p[1] + m[r][2] * p[2] + m[r][3];
    }
    out
}

/// Eight points through one row of a matrix.
#[inline(always)]
pub(crate) fn along<S: Wide>(row: &V4, [x, y, z]: &[F32x8<S>; 3]) -> F32x8<S> {
    let [a, b, c, d] = row.map_inline(F32x8::splat);
    a * *x + b * *y + c * *z + d
}

/// Vector through a matrix of three rows.
#[inline(always)]
pub(crate) fn rotate(m: &[V3; 3], v: V3) -> V3 {
    [dot(m[0], v), dot(m[1], v), dot(m[2], v)]
}
