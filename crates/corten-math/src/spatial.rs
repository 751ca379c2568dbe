use std::ops::{Add, AddAssign, Index, IndexMut, Mul, Neg, Sub, SubAssign};

use crate::array::MapInline;
use bytemuck::{Pod, Zeroable};

use crate::{Mat3, Number, Vec3};

/// A spatial motion or force: rotational part first, linear part last.
///
/// The engine refers all spatial quantities of a kinematic tree to the centre of mass of that
/// tree, with axes parallel to the world ("com-based" in MuJoCo's field descriptions).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(transparent)]
pub struct Spatial<T = f64>(pub [T; 6]);

impl Spatial {
    /// No motion, no force.
    pub const ZERO: Spatial = Spatial([0.0; 6]);
}

impl<T: Number> Spatial<T> {
    /// The same vector in every lane.
    #[inline(always)]
    pub fn of(v: Spatial) -> Spatial<T> {
        let mut all = Spatial([T::splat(0.0); 6]);
        for k in 0..6 {
            all.0[k] = T::splat(v.0[k]);
        }
        all
    }

    /// From the rotational and the linear part.
    #[inline(always)]
    pub const fn new(rot: Vec3<T>, lin: Vec3<T>) -> Spatial<T> {
        let (r, l) = (rot.0, lin.0);
        Spatial([r[0], r[1], r[2], l[0], l[1], l[2]])
    }

    /// The rotational part: angular velocity, or torque.
    #[inline(always)]
    pub const fn rot(&self) -> Vec3<T> {
        Vec3([self.0[0], self.0[1], self.0[2]])
    }

    /// The linear part: velocity, or force.
    #[inline(always)]
    pub const fn lin(&self) -> Vec3<T> {
        Vec3([self.0[3], self.0[4], self.0[5]])
    }

    /// The product of all six numbers.
    #[inline(always)]
    pub fn dot(&self, b: &Spatial<T>) -> T {
        let (a, b) = (&self.0, &b.0);
        // MuJoCo's order: four running sums, then the rest.
        let (even, odd) = (a[0] * b[0] + a[2] * b[2], a[1] * b[1] + a[3] * b[3]);
        (even + odd) + (a[4] * b[4] + a[5] * b[5])
    }

    /// Rate of change of the motion `v` carried by a frame that moves with `self`.
    #[inline(always)]
    pub fn cross_motion(&self, v: &Spatial<T>) -> Spatial<T> {
        let (w, u) = (self.rot(), self.lin());
        Spatial::new(w.cross(v.rot()), w.cross(v.lin()) + u.cross(v.rot()))
    }

    /// Rate of change of the force `f` carried by a frame that moves with `self`.
    #[inline(always)]
    pub fn cross_force(&self, f: &Spatial<T>) -> Spatial<T> {
        let (w, u) = (self.rot(), self.lin());
        Spatial::new(w.cross(f.rot()) + u.cross(f.lin()), w.cross(f.lin()))
    }

    /// Velocity of the point at `offset` from where the motion is measured.
    #[inline(always)]
    pub fn velocity_at(&self, offset: Vec3<T>) -> Vec3<T> {
        self.lin() + self.rot().cross(offset)
    }

    /// A motion measured at `to` instead of `from`.
    #[inline(always)]
    pub fn motion_at(&self, to: Vec3<T>, from: Vec3<T>) -> Spatial<T> {
        Spatial::new(self.rot(), self.lin() - (to - from).cross(self.rot()))
    }

    /// A force measured at `to` instead of `from`.
    #[inline(always)]
    pub fn force_at(&self, to: Vec3<T>, from: Vec3<T>) -> Spatial<T> {
        Spatial::new(self.rot() - (to - from).cross(self.lin()), self.lin())
    }

    /// Both parts in the local axes of `world_from_local`.
    #[inline(always)]
    pub fn in_frame(&self, world_from_local: &Mat3<T>) -> Spatial<T> {
        Spatial::new(world_from_local.tmul(self.rot()), world_from_local.tmul(self.lin()))
    }
}

impl<T> Index<usize> for Spatial<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, i: usize) -> &T {
        &self.0[i]
    }
}

impl<T> IndexMut<usize> for Spatial<T> {
    #[inline(always)]
    fn index_mut(&mut self, i: usize) -> &mut T {
        &mut self.0[i]
    }
}

impl<T: Number> Add for Spatial<T> {
    type Output = Spatial<T>;
    #[inline(always)]
    fn add(self, b: Spatial<T>) -> Spatial<T> {
        let (a, b) = (&self.0, &b.0);
        Spatial([a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]])
    }
}

impl<T: Number> Sub for Spatial<T> {
    type Output = Spatial<T>;
    #[inline(always)]
    fn sub(self, b: Spatial<T>) -> Spatial<T> {
        let (a, b) = (&self.0, &b.0);
        Spatial([a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5]])
    }
}

impl<T: Number> Neg for Spatial<T> {
    type Output = Spatial<T>;
    #[inline(always)]
    fn neg(self) -> Spatial<T> {
        Spatial(self.0.map_inline(|x| -x))
    }
}

impl<T: Number> Mul<T> for Spatial<T> {
    type Output = Spatial<T>;
    #[inline(always)]
    fn mul(self, s: T) -> Spatial<T> {
        let [a, b, c, d, e, f] = self.0;
        Spatial([a * s, b * s, c * s, d * s, e * s, f * s])
    }
}

impl<T: Number> AddAssign for Spatial<T> {
    #[inline(always)]
    fn add_assign(&mut self, b: Spatial<T>) {
        for i in 0..6 {
            self.0[i] += b.0[i];
        }
    }
}

impl<T: Number> SubAssign for Spatial<T> {
    #[inline(always)]
    fn sub_assign(&mut self, b: Spatial<T>) {
        for i in 0..6 {
            self.0[i] -= b.0[i];
        }
    }
}

/// A spatial inertia about a reference point, in world axes.
///
/// Ten numbers: the rotational inertia `xx yy zz xy xz yz`, the first moment `m·(com − ref)`,
/// and the mass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(transparent)]
pub struct Inertia<T = f64>(pub [T; 10]);

impl Inertia {
    /// No inertia.
    pub const ZERO: Inertia = Inertia([0.0; 10]);
}

impl<T: Number> Inertia<T> {
    /// The same inertia in every lane.
    #[inline(always)]
    pub fn of(inertia: Inertia) -> Inertia<T> {
        let mut all = Inertia([T::splat(0.0); 10]);
        for k in 0..10 {
            all.0[k] = T::splat(inertia.0[k]);
        }
        all
    }

    /// The inertia of a body with principal moments `diag` along the columns of `frame`, whose
    /// centre of mass lies at `offset` from the reference point.
    #[inline(always)]
    pub fn of_body(diag: Vec3<T>, frame: &Mat3<T>, offset: Vec3<T>, mass: T) -> Inertia<T> {
        let (r, d) = (&frame.0, offset.0);
        // R·diag·Rᵀ, upper triangle, plus the parallel-axis term m(|d|²1 − d dᵀ).
        let quad = |i: usize, j: usize| {
            r[3 * i] * (r[3 * j] * diag[0])
                + r[3 * i + 1] * (r[3 * j + 1] * diag[1])
                + r[3 * i + 2] * (r[3 * j + 2] * diag[2])
        };
        Inertia([
            quad(0, 0) + mass * (d[1] * d[1] + d[2] * d[2]),
            quad(1, 1) + mass * (d[0] * d[0] + d[2] * d[2]),
            quad(2, 2) + mass * (d[0] * d[0] + d[1] * d[1]),
            quad(0, 1) - mass * d[0] * d[1],
            quad(0, 2) - mass * d[0] * d[2],
            quad(1, 2) - mass * d[1] * d[2],
            mass * d[0],
            mass * d[1],
            mass * d[2],
            mass,
        ])
    }

    /// [`Self::of_body`] with the axes of the reference frame.
    #[inline(always)]
    pub fn of_upright_body(diag: Vec3<T>, offset: Vec3<T>, mass: T) -> Inertia<T> {
        let [x, y, z] = offset.0;
        let [mx, my, mz] = [mass * x, mass * y, mass * z];
        let zero = T::splat(0.0);
        Inertia([
            diag[0] + mass * (y * y + z * z),
            diag[1] + mass * (x * x + z * z),
            diag[2] + mass * (x * x + y * y),
            zero - mx * y,
            zero - mx * z,
            zero - my * z,
            mx,
            my,
            mz,
            mass,
        ])
    }

    /// Momentum of the motion `v`.
    #[inline(always)]
    pub fn mul(&self, v: &Spatial<T>) -> Spatial<T> {
        let (i, v) = (&self.0, &v.0);
        Spatial([
            i[0] * v[0] + i[3] * v[1] + i[4] * v[2] - i[8] * v[4] + i[7] * v[5],
            i[3] * v[0] + i[1] * v[1] + i[5] * v[2] + i[8] * v[3] - i[6] * v[5],
            i[4] * v[0] + i[5] * v[1] + i[2] * v[2] - i[7] * v[3] + i[6] * v[4],
            i[8] * v[1] - i[7] * v[2] + i[9] * v[3],
            i[6] * v[2] - i[8] * v[0] + i[9] * v[4],
            i[7] * v[0] - i[6] * v[1] + i[9] * v[5],
        ])
    }
}

impl<T: Number> AddAssign for Inertia<T> {
    #[inline(always)]
    fn add_assign(&mut self, b: Inertia<T>) {
        for i in 0..10 {
            self.0[i] += b.0[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Quat;

    /// Momentum from first principles: rotate into the body, scale, rotate back, shift.
    #[test]
    fn inertia_gives_the_momentum_of_a_rigid_body() {
        let frame = Quat([0.7, 0.2, -0.3, 0.5]).normalized().to_mat();
        let (diag, offset, mass) = (Vec3::new(1.0, 2.0, 2.5), Vec3::new(0.3, -0.2, 0.9), 3.0);
        let v = Spatial::new(Vec3::new(0.4, -1.0, 2.0), Vec3::new(-0.3, 0.8, 0.1));
        let com_velocity = v.velocity_at(offset);
        let spin = frame * diag.component_mul(frame.tmul(v.rot()));
        let linear = com_velocity * mass;
        let expected = Spatial::new(spin + offset.cross(linear), linear);
        let got = Inertia::of_body(diag, &frame, offset, mass).mul(&v);
        for i in 0..6 {
            assert!((got[i] - expected[i]).abs() < 1e-13);
        }
    }

    #[test]
    fn power_is_independent_of_the_reference_point() {
        let v = Spatial([0.1, 0.2, -0.3, 1.0, 2.0, 3.0]);
        let f = Spatial([1.5, -0.2, 0.7, -1.0, 0.4, 2.0]);
        let (a, b) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(-0.5, 0.1, 0.8));
        assert!((v.dot(&f) - v.motion_at(b, a).dot(&f.force_at(b, a))).abs() < 1e-13);
    }

    #[test]
    fn cross_products_are_dual() {
        let v = Spatial([0.1, 0.2, -0.3, 1.0, 2.0, 3.0]);
        let w = Spatial([-0.7, 0.5, 0.3, 0.1, -2.0, 1.0]);
        let f = Spatial([1.5, -0.2, 0.7, -1.0, 0.4, 2.0]);
        assert!((v.cross_motion(&w).dot(&f) + w.dot(&v.cross_force(&f))).abs() < 1e-13);
    }
}
