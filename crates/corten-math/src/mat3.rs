use std::ops::{Add, Index, IndexMut, Mul, Sub};

use crate::array;
use crate::array::MapInline;
use bytemuck::{Pod, Zeroable};

use crate::{Number, Quat, Vec3};

/// A 3×3 matrix, row-major; as a rotation, `world_from_local`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(transparent)]
pub struct Mat3<T = f64>(pub [T; 9]);

impl<T: Number> Mat3<T> {
    /// The same matrix in every lane.
    #[inline(always)]
    pub fn of(m: Mat3) -> Mat3<T> {
        let mut all = Mat3([T::splat(0.0); 9]);
        for k in 0..9 {
            all.0[k] = T::splat(m.0[k]);
        }
        all
    }

    /// What `matrix` tells for each lane.
    #[inline(always)]
    pub fn from_lanes<'a>(matrix: impl Fn(usize) -> &'a Mat3) -> Mat3<T> {
        let records = |k: usize| matrix(k).0.as_chunks::<4>().0;
        let [a, b, c, d] = T::from_records(|k| records(k)[0]);
        let [e, f, g, h] = T::from_records(|k| records(k)[1]);
        Mat3([a, b, c, d, e, f, g, h, T::from_lanes(|k| matrix(k).0[8])])
    }

    /// The matrix with these columns.
    #[inline(always)]
    pub const fn from_columns(x: Vec3<T>, y: Vec3<T>, z: Vec3<T>) -> Mat3<T> {
        let (x, y, z) = (x.0, y.0, z.0);
        Mat3([x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]])
    }

    /// The matrix with these rows.
    #[inline(always)]
    pub const fn from_rows(x: Vec3<T>, y: Vec3<T>, z: Vec3<T>) -> Mat3<T> {
        let (x, y, z) = (x.0, y.0, z.0);
        Mat3([x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]])
    }

    /// A row.
    #[inline(always)]
    pub const fn row(&self, i: usize) -> Vec3<T> {
        Vec3([self.0[3 * i], self.0[3 * i + 1], self.0[3 * i + 2]])
    }

    /// A column.
    #[inline(always)]
    pub const fn col(&self, j: usize) -> Vec3<T> {
        Vec3([self.0[j], self.0[3 + j], self.0[6 + j]])
    }

    /// The transposed matrix.
    #[inline(always)]
    pub const fn transpose(&self) -> Mat3<T> {
        let m = &self.0;
        Mat3([m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]])
    }

    /// `selfᵀ v`: for a rotation, the vector in the local frame.
    #[inline(always)]
    pub fn tmul(&self, v: Vec3<T>) -> Vec3<T> {
        let m = &self.0;
        Vec3([
            m[0] * v[0] + m[3] * v[1] + m[6] * v[2],
            m[1] * v[0] + m[4] * v[1] + m[7] * v[2],
            m[2] * v[0] + m[5] * v[1] + m[8] * v[2],
        ])
    }
}

impl Mat3 {
    /// All entries zero.
    pub const ZERO: Mat3 = Mat3([0.0; 9]);
    /// The identity.
    pub const IDENTITY: Mat3 = Mat3([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);

    /// A diagonal matrix.
    #[inline]
    pub const fn diag(d: Vec3) -> Mat3 {
        Mat3([d.0[0], 0.0, 0.0, 0.0, d.0[1], 0.0, 0.0, 0.0, d.0[2]])
    }

    /// `selfᵀ b`.
    #[inline]
    pub fn tmul_mat(&self, b: &Mat3) -> Mat3 {
        self.transpose() * *b
    }

    /// The determinant.
    pub fn determinant(&self) -> f64 {
        self.row(0).dot(self.row(1).cross(self.row(2)))
    }

    /// The sum of the diagonal.
    pub fn trace(&self) -> f64 {
        self.0[0] + self.0[4] + self.0[8]
    }

    /// The quaternion of a rotation matrix, chosen by its largest component.
    pub fn to_quat(&self) -> Quat {
        let m = &self.0;
        // Each branch extracts the component of largest magnitude first, so that the square
        // root never loses digits to cancellation.
        let q = if m[0] + m[4] + m[8] > 0.0 {
            let w = 0.5 * (1.0 + m[0] + m[4] + m[8]).sqrt();
            let part = |x: f64| 0.25 * x / w;
            [w, part(m[7] - m[5]), part(m[2] - m[6]), part(m[3] - m[1])]
        } else if m[0] > m[4] && m[0] > m[8] {
            let x = 0.5 * (1.0 + m[0] - m[4] - m[8]).sqrt();
            let part = |y: f64| 0.25 * y / x;
            [part(m[7] - m[5]), x, part(m[1] + m[3]), part(m[2] + m[6])]
        } else if m[4] > m[8] {
            let y = 0.5 * (1.0 - m[0] + m[4] - m[8]).sqrt();
            let part = |x: f64| 0.25 * x / y;
            [part(m[2] - m[6]), part(m[1] + m[3]), y, part(m[5] + m[7])]
        } else {
            let z = 0.5 * (1.0 - m[0] - m[4] + m[8]).sqrt();
            let part = |x: f64| 0.25 * x / z;
            [part(m[3] - m[1]), part(m[2] + m[6]), part(m[5] + m[7]), z]
        };
        Quat(q).normalized()
    }
}

impl Index<(usize, usize)> for Mat3 {
    type Output = f64;
    #[inline]
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.0[3 * i + j]
    }
}

impl IndexMut<(usize, usize)> for Mat3 {
    #[inline]
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.0[3 * i + j]
    }
}

impl<T: Number> Mul<Vec3<T>> for Mat3<T> {
    type Output = Vec3<T>;
    #[inline(always)]
    fn mul(self, v: Vec3<T>) -> Vec3<T> {
        let m = &self.0;
        Vec3([
            m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
            m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
            m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
        ])
    }
}

impl Mul for Mat3 {
    type Output = Mat3;
    #[inline]
    fn mul(self, b: Mat3) -> Mat3 {
        let (a, b) = (&self.0, &b.0);
        let mut r = [0.0; 9];
        for i in 0..3 {
            for j in 0..3 {
                r[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
            }
        }
        Mat3(r)
    }
}

impl Mul<f64> for Mat3 {
    type Output = Mat3;
    #[inline]
    fn mul(self, s: f64) -> Mat3 {
        Mat3(self.0.map_inline(|x| x * s))
    }
}

impl Add for Mat3 {
    type Output = Mat3;
    #[inline]
    fn add(self, b: Mat3) -> Mat3 {
        Mat3(array::from_fn(|i| self.0[i] + b.0[i]))
    }
}

impl Sub for Mat3 {
    type Output = Mat3;
    #[inline]
    fn sub(self, b: Mat3) -> Mat3 {
        Mat3(array::from_fn(|i| self.0[i] - b.0[i]))
    }
}
