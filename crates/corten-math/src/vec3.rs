use std::ops::{Add, AddAssign, Div, Index, IndexMut, Mul, MulAssign, Neg, Sub, SubAssign};

use bytemuck::{Pod, Zeroable};

use crate::{MIN_VAL, Mat3};

/// A vector in space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(transparent)]
pub struct Vec3(pub [f64; 3]);

impl Vec3 {
    pub const ZERO: Vec3 = Vec3([0.0; 3]);
    pub const X: Vec3 = Vec3([1.0, 0.0, 0.0]);
    pub const Y: Vec3 = Vec3([0.0, 1.0, 0.0]);
    pub const Z: Vec3 = Vec3([0.0, 0.0, 1.0]);

    #[inline]
    pub const fn new(x: f64, y: f64, z: f64) -> Vec3 {
        Vec3([x, y, z])
    }

    #[inline]
    pub const fn splat(x: f64) -> Vec3 {
        Vec3([x; 3])
    }

    /// The first three entries of a slice.
    #[inline]
    pub fn from_slice(s: &[f64]) -> Vec3 {
        Vec3([s[0], s[1], s[2]])
    }

    /// Whether all components are zero, of either sign.
    #[inline]
    pub fn is_zero(self) -> bool {
        // Shifted out: the sign.
        (self.0[0].to_bits() | self.0[1].to_bits() | self.0[2].to_bits()) << 1 == 0
    }

    #[inline]
    pub fn dot(self, b: Vec3) -> f64 {
        self[0] * b[0] + self[1] * b[1] + self[2] * b[2]
    }

    #[inline]
    pub fn cross(self, b: Vec3) -> Vec3 {
        Vec3([
            self[1] * b[2] - self[2] * b[1],
            self[2] * b[0] - self[0] * b[2],
            self[0] * b[1] - self[1] * b[0],
        ])
    }

    #[inline]
    pub fn norm_squared(self) -> f64 {
        self.dot(self)
    }

    #[inline]
    pub fn norm(self) -> f64 {
        self.norm_squared().sqrt()
    }

    #[inline]
    pub fn distance(self, b: Vec3) -> f64 {
        (self - b).norm()
    }

    /// Unit vector and original length; a vector shorter than [`MIN_VAL`] becomes the x axis.
    #[inline]
    pub fn normalized(self) -> (Vec3, f64) {
        let norm = self.norm();
        if norm < MIN_VAL { (Vec3::X, norm) } else { (self * (1.0 / norm), norm) }
    }

    #[inline]
    pub fn component_mul(self, b: Vec3) -> Vec3 {
        Vec3([self[0] * b[0], self[1] * b[1], self[2] * b[2]])
    }

    #[inline]
    pub fn min(self, b: Vec3) -> Vec3 {
        Vec3([self[0].min(b[0]), self[1].min(b[1]), self[2].min(b[2])])
    }

    #[inline]
    pub fn max(self, b: Vec3) -> Vec3 {
        Vec3([self[0].max(b[0]), self[1].max(b[1]), self[2].max(b[2])])
    }

    #[inline]
    pub fn abs(self) -> Vec3 {
        Vec3([self[0].abs(), self[1].abs(), self[2].abs()])
    }

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

impl Index<usize> for Vec3 {
    type Output = f64;
    #[inline]
    fn index(&self, i: usize) -> &f64 {
        &self.0[i]
    }
}

impl IndexMut<usize> for Vec3 {
    #[inline]
    fn index_mut(&mut self, i: usize) -> &mut f64 {
        &mut self.0[i]
    }
}

impl Add for Vec3 {
    type Output = Vec3;
    #[inline]
    fn add(self, b: Vec3) -> Vec3 {
        Vec3([self[0] + b[0], self[1] + b[1], self[2] + b[2]])
    }
}

impl Sub for Vec3 {
    type Output = Vec3;
    #[inline]
    fn sub(self, b: Vec3) -> Vec3 {
        Vec3([self[0] - b[0], self[1] - b[1], self[2] - b[2]])
    }
}

impl Neg for Vec3 {
    type Output = Vec3;
    #[inline]
    fn neg(self) -> Vec3 {
        Vec3([-self[0], -self[1], -self[2]])
    }
}

impl Mul<f64> for Vec3 {
    type Output = Vec3;
    #[inline]
    fn mul(self, s: f64) -> Vec3 {
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

impl AddAssign for Vec3 {
    #[inline]
    fn add_assign(&mut self, b: Vec3) {
        *self = *self + b;
    }
}

impl SubAssign for Vec3 {
    #[inline]
    fn sub_assign(&mut self, b: Vec3) {
        *self = *self - b;
    }
}

impl MulAssign<f64> for Vec3 {
    #[inline]
    fn mul_assign(&mut self, s: f64) {
        *self = *self * s;
    }
}
