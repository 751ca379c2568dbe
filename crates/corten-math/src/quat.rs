use std::ops::Mul;

use crate::array::MapInline;
use bytemuck::{Pod, Zeroable};

use crate::real::{atan2, sin_cos};
use crate::{MIN_VAL, Mask, Mat3, Number, Vec3};

/// A rotation as a quaternion `w x y z`.
///
/// The zeroed value is not a rotation; `Default` is the identity.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(transparent)]
pub struct Quat<T = f64>(pub [T; 4]);

impl Default for Quat {
    fn default() -> Quat {
        Quat::IDENTITY
    }
}

impl<T: Number> Quat<T> {
    /// The same rotation in every lane.
    #[inline(always)]
    pub fn of(q: Quat) -> Quat<T> {
        let [w, x, y, z] = q.0;
        Quat([T::splat(w), T::splat(x), T::splat(y), T::splat(z)])
    }

    /// The first four numbers of a slice.
    #[inline(always)]
    pub fn from_slice(s: &[T]) -> Quat<T> {
        Quat([s[0], s[1], s[2], s[3]])
    }

    /// The length of the four numbers.
    #[inline(always)]
    pub fn norm(self) -> T {
        let [w, x, y, z] = self.0;
        (w * w + x * x + y * y + z * z).sqrt()
    }

    /// Unit length; the identity if too short to normalise, untouched if already unit.
    #[inline(always)]
    pub fn normalized(self) -> Quat<T> {
        let norm = self.norm();
        let (one, least) = (T::splat(1.0), T::splat(MIN_VAL));
        let mut unit = self;
        let off = least.lt((norm - one).abs());
        if off.any() {
            let scale = one / norm;
            let [w, x, y, z] = self.0;
            let scaled = |x: T| T::select(off, x * scale, x);
            unit = Quat([scaled(w), scaled(x), scaled(y), scaled(z)]);
        }
        let short = norm.lt(least);
        if short.any() {
            let [w, x, y, z] = unit.0;
            let zero = T::splat(0.0);
            let none = |x: T| T::select(short, zero, x);
            unit = Quat([T::select(short, one, w), none(x), none(y), none(z)]);
        }
        unit
    }

    /// Rotates a vector: `v + 2 q × (w v + q × v)`, exact for the identity and for zero.
    #[inline(always)]
    pub fn rotate(self, v: Vec3<T>) -> Vec3<T> {
        let [w, x, y, z] = self.0;
        // Summed in MuJoCo's order, so that poses agree to the last bit.
        let t = Vec3([
            w * v[0] + y * v[2] - z * v[1],
            w * v[1] + z * v[0] - x * v[2],
            w * v[2] + x * v[1] - y * v[0],
        ]);
        v + Vec3([x, y, z]).cross(t) * T::splat(2.0)
    }

    /// The rotation as a matrix.
    #[inline(always)]
    pub fn to_mat(self) -> Mat3<T> {
        let [w, x, y, z] = self.0;
        let two = T::splat(2.0);
        let (ww, wx, wy, wz) = (w * w, w * x, w * y, w * z);
        let (xx, xy, xz) = (x * x, x * y, x * z);
        let (yy, yz, zz) = (y * y, y * z, z * z);
        Mat3([
            ww + xx - yy - zz,
            two * (xy - wz),
            two * (xz + wy),
            two * (xy + wz),
            ww - xx + yy - zz,
            two * (yz - wx),
            two * (xz - wy),
            two * (yz + wx),
            ww - xx - yy + zz,
        ])
    }

    /// Advances by the angular velocity `vel`, given in the rotated frame, over `dt`.
    #[inline(always)]
    pub fn integrated(self, vel: Vec3<T>, dt: f64) -> Quat<T> {
        let mut turned = self;
        for k in 0..T::LANES {
            let ([w, x, y, z], [p, q, r]) = (self.0, vel.0);
            let quat = Quat([w.lane(k), x.lane(k), y.lane(k), z.lane(k)]);
            let quat = quat.turned(Vec3([p.lane(k), q.lane(k), r.lane(k)]), dt);
            for c in 0..4 {
                turned.0[c].set_lane(k, quat.0[c]);
            }
        }
        turned
    }
}

impl Quat {
    /// No rotation.
    pub const IDENTITY: Quat = Quat([1.0, 0.0, 0.0, 0.0]);

    /// Rotation by `angle` about a unit `axis`; exactly the identity for a zero angle.
    #[inline]
    pub fn from_axis_angle(axis: Vec3, angle: f64) -> Quat {
        if angle == 0.0 {
            return Quat::IDENTITY;
        }
        let (s, c) = sin_cos(0.5 * angle);
        Quat([c, axis[0] * s, axis[1] * s, axis[2] * s])
    }

    /// The shortest rotation that takes the z axis to `v`; half a turn about x for `-z`.
    pub fn from_z_to(v: Vec3) -> Quat {
        let (v, norm) = v.normalized();
        if norm < MIN_VAL {
            return Quat::IDENTITY;
        }
        let (axis, sin) = Vec3::Z.cross(v).normalized();
        if sin < MIN_VAL {
            return if v[2] < 0.0 { Quat([0.0, 1.0, 0.0, 0.0]) } else { Quat::IDENTITY };
        }
        Quat::from_axis_angle(axis, atan2(sin, v[2]))
    }

    /// The opposite rotation.
    #[inline]
    pub fn conjugate(self) -> Quat {
        let [w, x, y, z] = self.0;
        Quat([w, -x, -y, -z])
    }

    /// Whether it is exactly no rotation.
    #[inline]
    pub fn is_identity(self) -> bool {
        self.0 == [1.0, 0.0, 0.0, 0.0]
    }

    /// Product with the pure quaternion `(0, v)`.
    #[inline]
    pub fn mul_axis(self, v: Vec3) -> Quat {
        self * Quat([0.0, v[0], v[1], v[2]])
    }

    /// The angular velocity, in the rotated frame, that produces this rotation in `dt`.
    pub fn to_velocity(self, dt: f64) -> Vec3 {
        let [w, x, y, z] = self.0;
        let (axis, sin_half) = Vec3([x, y, z]).normalized();
        let mut angle = 2.0 * atan2(sin_half, w);
        if angle > std::f64::consts::PI {
            angle -= 2.0 * std::f64::consts::PI;
        }
        axis * (angle / dt)
    }

    /// The rotation vector, in the frame of `from`, with `from ⊕ result = self`.
    pub fn difference(self, from: Quat) -> Vec3 {
        (from.conjugate() * self).to_velocity(1.0)
    }

    fn turned(self, vel: Vec3, dt: f64) -> Quat {
        let (axis, speed) = vel.normalized();
        self.normalized() * Quat::from_axis_angle(axis, dt * speed)
    }

    /// Time derivative under the angular velocity `vel`, given in the rotated frame.
    pub fn derivative(self, vel: Vec3) -> Quat {
        Quat(self.mul_axis(vel).0.map_inline(|x| 0.5 * x))
    }
}

impl<T: Number> Mul for Quat<T> {
    type Output = Quat<T>;
    #[inline(always)]
    fn mul(self, b: Quat<T>) -> Quat<T> {
        let ([aw, ax, ay, az], [bw, bx, by, bz]) = (self.0, b.0);
        Quat([
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: Vec3, b: Vec3) -> bool {
        (a - b).norm() < 1e-14
    }

    #[test]
    fn rotation_agrees_with_its_matrix() {
        let q = Quat([0.3, -0.5, 0.7, 0.2]).normalized();
        let v = Vec3::new(1.0, -2.0, 0.5);
        assert!(close(q.rotate(v), q.to_mat() * v));
        assert!(close(q.conjugate().rotate(v), q.to_mat().tmul(v)));
    }

    #[test]
    fn matrix_round_trip_covers_every_branch() {
        for q in
            [[0.9, 0.1, 0.2, 0.3], [0.1, 0.9, 0.2, 0.3], [0.1, 0.2, 0.9, 0.3], [0.1, 0.2, 0.3, 0.9]]
        {
            let q = Quat(q).normalized();
            let r = q.to_mat().to_quat();
            for i in 0..4 {
                assert!((q.0[i] - r.0[i]).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn integration_inverts_difference() {
        let a = Quat([0.9, 0.1, -0.3, 0.2]).normalized();
        let b = Quat([0.2, 0.8, 0.1, -0.5]).normalized();
        let c = a.integrated(b.difference(a), 1.0);
        let sign = if c.0[0] * b.0[0] < 0.0 { -1.0 } else { 1.0 };
        for i in 0..4 {
            assert!((sign * c.0[i] - b.0[i]).abs() < 1e-14);
        }
    }

    #[test]
    fn z_axis_reaches_any_direction() {
        for v in [Vec3::X, -Vec3::Z, Vec3::Z, Vec3::new(0.3, -0.4, 2.0)] {
            let (u, _) = v.normalized();
            assert!(close(Quat::from_z_to(v).rotate(Vec3::Z), u));
        }
    }
}
