//! Poses at compile time, with the rounding and the thresholds of MuJoCo's compiler: vectors
//! within [`EPS`] of unit length are left alone, those of squared length below it are zero.

use corten_math::real::{atan2, sin_cos};
use corten_math::{Mat3, Quat, Vec3, principal_axes};

/// Smallest quantity that the compiler takes for non-zero (MuJoCo's `mjEPS`).
pub(super) const EPS: f64 = 1e-14;

/// A position and an orientation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pose {
    pub pos: Vec3,
    pub quat: Quat,
}

impl Pose {
    pub const IDENTITY: Pose = Pose { pos: Vec3::ZERO, quat: Quat::IDENTITY };

    /// `child`, given in this frame, in the frame that this pose is given in.
    pub fn then(&self, child: &Pose) -> Pose {
        Pose {
            pos: self.pos + self.quat.to_mat() * child.pos,
            quat: multiply(self.quat, child.quat),
        }
    }

    pub fn inverse(&self) -> Pose {
        let quat = self.quat.conjugate();
        Pose { pos: -(quat.to_mat() * self.pos), quat }
    }

    /// Componentwise closeness, with both signs of the quaternion.
    pub fn is_close(&self, other: &Pose) -> bool {
        close(self.pos, other.pos) && same_rotation(self.quat, other.quat)
    }
}

/// Differences below this make frames equal.
const FRAME_EPS: f64 = 1e-6;

pub(super) fn close(a: Vec3, b: Vec3) -> bool {
    (0..3).all(|k| (a[k] - b[k]).abs() < FRAME_EPS)
}

pub(super) fn same_rotation(a: Quat, b: Quat) -> bool {
    (0..4).all(|k| (a.0[k] - b.0[k]).abs() < FRAME_EPS)
        || (0..4).all(|k| (a.0[k] + b.0[k]).abs() < FRAME_EPS)
}

/// Unit vector and length; a vector too short keeps its value, with length zero.
pub(crate) fn unit<const N: usize>(v: [f64; N]) -> ([f64; N], f64) {
    let squared: f64 = v.iter().fold(0.0, |s, x| s + x * x);
    if squared < EPS {
        return (v, 0.0);
    }
    let norm = squared.sqrt();
    (if (norm - 1.0).abs() > EPS { v.map(|x| x / norm) } else { v }, norm)
}

pub(super) fn unit3(v: Vec3) -> (Vec3, f64) {
    let (v, norm) = unit(v.0);
    (Vec3(v), norm)
}

pub(super) fn unit_quat(q: Quat) -> Quat {
    Quat(unit(q.0).0)
}

/// Product of rotations, renormalised.
pub(super) fn multiply(a: Quat, b: Quat) -> Quat {
    unit_quat(a * b)
}

/// The shortest rotation from z to `v`, which need not be of unit length.
pub(super) fn rotation_to(v: Vec3) -> Quat {
    let (axis, sin) = unit3(Vec3::Z.cross(v));
    let axis = if sin < 1e-10 { Vec3::X } else { axis };
    let (s, c) = sin_cos(atan2(sin, v[2]) / 2.0);
    Quat([c, axis[0] * s, axis[1] * s, axis[2] * s])
}

/// The rotation whose columns are the given axes.
pub(super) fn rotation_of(x: Vec3, y: Vec3, z: Vec3) -> Quat {
    unit_quat(Mat3::from_columns(x, y, z).to_quat())
}

/// Rotates `diagonal` out of its principal axes: xx, yy, zz, xy, xz, yz.
pub(super) fn rotated_inertia(diagonal: Vec3, axes: Quat) -> [f64; 6] {
    let r = axes.to_mat();
    let entry = |i: usize, j: usize| {
        r[(i, 0)] * (r[(j, 0)] * diagonal[0])
            + r[(i, 1)] * (r[(j, 1)] * diagonal[1])
            + r[(i, 2)] * (r[(j, 2)] * diagonal[2])
    };
    [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)]
}

/// Inertia of a point mass at `offset`, in the same order.
pub(super) fn point_inertia(mass: f64, [x, y, z]: [f64; 3]) -> [f64; 6] {
    [
        mass * (y * y + z * z),
        mass * (x * x + z * z),
        mass * (x * x + y * y),
        -mass * x * y,
        -mass * x * z,
        -mass * y * z,
    ]
}

/// Principal moments and axes of an inertia; `None` unless all moments are positive.
pub(crate) fn principal([xx, yy, zz, xy, xz, yz]: [f64; 6]) -> Option<(Vec3, Quat)> {
    let e = principal_axes(&Mat3([xx, xy, xz, xy, yy, yz, xz, yz, zz]));
    (e.values[2] >= EPS).then_some((e.values, e.rotation))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_undoes_a_pose() {
        let p =
            Pose { pos: Vec3::new(1.0, -2.0, 0.5), quat: unit_quat(Quat([0.7, 0.1, -0.5, 0.2])) };
        assert!(p.then(&p.inverse()).is_close(&Pose::IDENTITY));
        assert!(p.inverse().then(&p).is_close(&Pose::IDENTITY));
    }

    #[test]
    fn principal_moments_survive_rotation() {
        let (diag, q) = (Vec3::new(3.0, 2.0, 1.5), unit_quat(Quat([0.9, 0.2, -0.1, 0.3])));
        let (moments, axes) = principal(rotated_inertia(diag, q)).unwrap();
        assert!((moments - diag).norm() < 1e-9);
        let again = rotated_inertia(moments, axes);
        for (a, b) in again.iter().zip(rotated_inertia(diag, q)) {
            assert!((a - b).abs() < 1e-5);
        }
        assert_eq!(principal([1.0, 1.0, -0.5, 0.0, 0.0, 0.0]), None);
    }
}
