use std::ops::{Add, AddAssign, Div, Index, IndexMut, Mul, MulAssign, Neg, Sub, SubAssign};

use bytemuck::{Pod, Zeroable};

use crate::hint::rarely;
use crate::{Four, MIN_VAL, Mat3, Number};

/// A vector in space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(transparent)]
pub struct Vec3<T = f64>(pub [T; 3]);

impl<T: Number> Vec3<T> {
    /// The same vector in every lane.
    #[inline(always)]
    pub fn of(v: Vec3) -> Vec3<T> {
        let [x, y, z] = v.0;
        Vec3([T::splat(x), T::splat(y), T::splat(z)])
    }

    /// What `vector` tells for each lane.
    #[inline(always)]
    pub fn from_lanes(vector: impl Fn(usize) -> Vec3) -> Vec3<T> {
        Vec3([
            T::from_lanes(|k| vector(k)[0]),
            T::from_lanes(|k| vector(k)[1]),
            T::from_lanes(|k| vector(k)[2]),
        ])
    }

    /// From its components.
    #[inline(always)]
    pub const fn new(x: T, y: T, z: T) -> Vec3<T> {
        Vec3([x, y, z])
    }

    /// One number in all components.
    #[inline(always)]
    pub const fn splat(x: T) -> Vec3<T> {
        Vec3([x; 3])
    }

    /// The first three entries of a slice.
    #[inline(always)]
    pub fn from_slice(s: &[T]) -> Vec3<T> {
        Vec3([s[0], s[1], s[2]])
    }

    /// The scalar product.
    #[inline(always)]
    pub fn dot(self, b: Vec3<T>) -> T {
        self[0] * b[0] + self[1] * b[1] + self[2] * b[2]
    }

    /// The vector product.
    #[inline(always)]
    pub fn cross(self, b: Vec3<T>) -> Vec3<T> {
        Vec3([
            self[1] * b[2] - self[2] * b[1],
            self[2] * b[0] - self[0] * b[2],
            self[0] * b[1] - self[1] * b[0],
        ])
    }
}

impl Vec3<Four> {
    /// One of the lanes.
    #[inline(always)]
    pub fn lane(&self, k: usize) -> Vec3 {
        let [x, y, z] = &self.0;
        Vec3([x.0[k], y.0[k], z.0[k]])
    }
}

impl Vec3 {
    /// The origin.
    pub const ZERO: Vec3 = Vec3([0.0; 3]);
    /// The first axis.
    pub const X: Vec3 = Vec3([1.0, 0.0, 0.0]);
    /// The second axis.
    pub const Y: Vec3 = Vec3([0.0, 1.0, 0.0]);
    /// The third axis.
    pub const Z: Vec3 = Vec3([0.0, 0.0, 1.0]);

    /// Whether all components are zero, of either sign.
    #[inline]
    pub fn is_zero(self) -> bool {
        // Shifted out: the sign.
        (self.0[0].to_bits() | self.0[1].to_bits() | self.0[2].to_bits()) << 1 == 0
    }

    /// The squared length.
    #[inline]
    pub fn norm_squared(self) -> f64 {
        self.dot(self)
    }

    /// The length.
    #[inline]
    pub fn norm(self) -> f64 {
        self.norm_squared().sqrt()
    }

    /// The distance between two points.
    #[inline]
    pub fn distance(self, b: Vec3) -> f64 {
        (self - b).norm()
    }

    /// Unit vector and original length; a vector shorter than [`MIN_VAL`] becomes the x axis.
    #[inline]
    pub fn normalized(self) -> (Vec3, f64) {
        let norm = self.norm();
        if rarely(norm < MIN_VAL) { (Vec3::X, norm) } else { (self * (1.0 / norm), norm) }
    }

    /// Products component by component.
    #[inline]
    pub fn component_mul(self, b: Vec3) -> Vec3 {
        Vec3([self[0] * b[0], self[1] * b[1], self[2] * b[2]])
    }

    /// The smaller of each component.
    #[inline]
    pub fn min(self, b: Vec3) -> Vec3 {
        Vec3([self[0].min(b[0]), self[1].min(b[1]), self[2].min(b[2])])
    }

    /// The larger of each component.
    #[inline]
    pub fn max(self, b: Vec3) -> Vec3 {
        Vec3([self[0].max(b[0]), self[1].max(b[1]), self[2].max(b[2])])
    }

    /// Magnitudes component by component.
    #[inline]
    pub fn abs(self) -> Vec3 {
        Vec3([self[0].abs(), self[1].abs(), self[2].abs()])
    }

    /// Whether all components are finite.
    #[inline]
    pub fn is_finite(self) -> bool {
        self.0.iter().all(|x| x.is_finite())
    }

    /// The matrix `[v]×` with `[v]× w = v × w`.
    #[inline]
    pub fn skew(self) -> Mat3 {
        let [x, y, z] = self.0;
        Mat3([0.0, -z, y, z, 0.0, -x, -y, x, 0.0])
    }
}

impl<T> Index<usize> for Vec3<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, i: usize) -> &T {
        &self.0[i]
    }
}

impl<T> IndexMut<usize> for Vec3<T> {
    #[inline(always)]
    fn index_mut(&mut self, i: usize) -> &mut T {
        &mut self.0[i]
    }
}

impl<T: Number> Add for Vec3<T> {
    type Output = Vec3<T>;
    #[inline(always)]
    fn add(self, b: Vec3<T>) -> Vec3<T> {
        Vec3([self[0] + b[0], self[1] + b[1], self[2] + b[2]])
    }
}

impl<T: Number> Sub for Vec3<T> {
    type Output = Vec3<T>;
    #[inline(always)]
    fn sub(self, b: Vec3<T>) -> Vec3<T> {
        Vec3([self[0] - b[0], self[1] - b[1], self[2] - b[2]])
    }
}

impl<T: Number> Neg for Vec3<T> {
    type Output = Vec3<T>;
    #[inline(always)]
    fn neg(self) -> Vec3<T> {
        Vec3([-self[0], -self[1], -self[2]])
    }
}

impl<T: Number> Mul<T> for Vec3<T> {
    type Output = Vec3<T>;
    #[inline(always)]
    fn mul(self, s: T) -> Vec3<T> {
        Vec3([self[0] * s, self[1] * s, self[2] * s])
    }
}

impl Mul<Vec3> for f64 {
    type Output = Vec3;
    #[inline]
    fn mul(self, v: Vec3) -> Vec3 {
        v * self
    }
}

impl Div<f64> for Vec3 {
    type Output = Vec3;
    #[inline]
    fn div(self, s: f64) -> Vec3 {
        Vec3([self[0] / s, self[1] / s, self[2] / s])
    }
}

impl<T: Number> AddAssign for Vec3<T> {
    #[inline(always)]
    fn add_assign(&mut self, b: Vec3<T>) {
        *self = *self + b;
    }
}

impl<T: Number> SubAssign for Vec3<T> {
    #[inline(always)]
    fn sub_assign(&mut self, b: Vec3<T>) {
        *self = *self - b;
    }
}

impl<T: Number> MulAssign<T> for Vec3<T> {
    #[inline(always)]
    fn mul_assign(&mut self, s: T) {
        *self = *self * s;
    }
}
