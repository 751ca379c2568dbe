use std::ops::{Add, AddAssign, Sub};

use crate::array::{self, MapInline};
use crate::{Inertia, Mat3, Spatial, Vec3, Wide};

/// A 6×6 matrix that acts on spatial vectors, row-major.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mat6(pub [[f64; 6]; 6]);

impl Default for Mat6 {
    fn default() -> Mat6 {
        Mat6::ZERO
    }
}

impl Mat6 {
    /// All entries zero.
    pub const ZERO: Mat6 = Mat6([[0.0; 6]; 6]);

    /// The matrix of a linear map, from the images of the unit vectors.
    pub fn of(map: impl Fn(&Spatial) -> Spatial) -> Mat6 {
        let mut result = Mat6::ZERO;
        for j in 0..6 {
            let mut unit = Spatial::ZERO;
            unit[j] = 1.0;
            let image = map(&unit);
            for i in 0..6 {
                result.0[i][j] = image[i];
            }
        }
        result
    }

    /// [`Mat6::of`] a map that takes four vectors at once.
    #[inline(always)]
    pub fn of_fours<S: Wide>(map: impl Fn(&Spatial<S>) -> Spatial<S>) -> Mat6 {
        let mut result = Mat6::ZERO;
        for first in [0, 4] {
            let unit = |i: usize| S::from_lanes(|lane| f64::from(u8::from(first + lane == i)));
            let image = map(&Spatial([0, 1, 2, 3, 4, 5].map_inline(unit)));
            for (row, image) in result.0.iter_mut().zip(image.0) {
                let columns = &mut row[first..];
                let count = columns.len().min(4);
                columns[..count].copy_from_slice(&image.store()[..count]);
            }
        }
        result
    }

    /// Four 3×3 blocks: how the rotational and linear parts of the result depend on those of the
    /// argument.
    pub fn from_blocks(rot_rot: &Mat3, rot_lin: &Mat3, lin_rot: &Mat3, lin_lin: &Mat3) -> Mat6 {
        let mut result = Mat6::ZERO;
        for i in 0..3 {
            for j in 0..3 {
                result.0[i][j] = rot_rot[(i, j)];
                result.0[i][j + 3] = rot_lin[(i, j)];
                result.0[i + 3][j] = lin_rot[(i, j)];
                result.0[i + 3][j + 3] = lin_lin[(i, j)];
            }
        }
        result
    }

    /// Product with a vector.
    #[inline]
    pub fn mul(&self, v: &Spatial) -> Spatial {
        Spatial(array::from_fn(|i| Spatial(self.0[i]).dot(v)))
    }

    /// `selfᵀ v`.
    #[inline]
    pub fn tmul(&self, v: &Spatial) -> Spatial {
        let mut result = Spatial::ZERO;
        for i in 0..6 {
            result += Spatial(self.0[i]) * v[i];
        }
        result
    }

    /// The symmetric part.
    pub fn symmetrized(&self) -> Mat6 {
        Mat6(array::from_fn(|i| array::from_fn(|j| 0.5 * (self.0[i][j] + self.0[j][i]))))
    }

    /// A map from velocity to force given in a local frame at `offset` from the reference point,
    /// as the map between the same quantities about the reference point in world axes.
    pub fn to_world(&self, world_from_local: &Mat3, offset: Vec3) -> Mat6 {
        let local_motion = |v: &Spatial| v.motion_at(offset, Vec3::ZERO).in_frame(world_from_local);
        Mat6::of(|v| {
            let f = self.mul(&local_motion(v));
            let (torque, force) = (*world_from_local * f.rot(), *world_from_local * f.lin());
            Spatial::new(torque + offset.cross(force), force)
        })
    }
}

impl From<&Inertia> for Mat6 {
    fn from(inertia: &Inertia) -> Mat6 {
        Mat6::of(|v| inertia.mul(v))
    }
}

impl AddAssign for Mat6 {
    #[inline]
    fn add_assign(&mut self, b: Mat6) {
        for (row, other) in self.0.iter_mut().zip(&b.0) {
            for (x, y) in row.iter_mut().zip(other) {
                *x += y;
            }
        }
    }
}

impl Add for Mat6 {
    type Output = Mat6;
    fn add(mut self, b: Mat6) -> Mat6 {
        self += b;
        self
    }
}

impl Sub for Mat6 {
    type Output = Mat6;
    fn sub(self, b: Mat6) -> Mat6 {
        Mat6(array::from_fn(|i| array::from_fn(|j| self.0[i][j] - b.0[i][j])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Four, Quat};

    /// Four vectors at once give the bits of one after the other.
    #[test]
    fn a_map_of_fours_gives_the_matrix_of_the_map() {
        let inertia = Inertia([0.4, 0.5, 0.6, 0.1, -0.2, 0.05, 0.3, -0.7, 0.2, 1.7]);
        let v = Spatial([0.4, -1.0, 2.0, 0.3, 0.8, -0.1]);
        let one_by_one = Mat6::of(|x| v.cross_force(&inertia.mul(x)));
        let (inertia, v) = (Inertia::<Four>::of(inertia), Spatial::<Four>::of(v));
        let fours = Mat6::of_fours::<Four>(|x| v.cross_force(&inertia.mul(x)));
        assert_eq!(fours, one_by_one);
    }

    /// Power is the same wherever it is measured.
    #[test]
    fn change_of_frame_keeps_the_quadratic_form() {
        let local =
            Mat6(std::array::from_fn(|i| std::array::from_fn(|j| ((i * 7 + j * 3) as f64).sin())));
        let frame = Quat([0.3, -0.5, 0.7, 0.2]).normalized().to_mat();
        let offset = Vec3::new(0.3, -1.0, 0.8);
        let v = Spatial([0.4, -1.0, 2.0, 0.3, 0.8, -0.1]);
        let v_local = v.motion_at(offset, Vec3::ZERO).in_frame(&frame);
        let expected = v_local.dot(&local.mul(&v_local));
        assert!((v.dot(&local.to_world(&frame, offset).mul(&v)) - expected).abs() < 1e-13);
        assert!((v_local.dot(&local.tmul(&v_local)) - expected).abs() < 1e-13);
    }
}
