//! Bodies that are points ([`Structure::points`]), such as the vertices of cloth and soft solids.
//!
//! The smooth stages leave them out of their recursions and call these functions instead: positions
//! are copies, velocities too, orientations, axes and their rates are constants, the bias is the
//! weight. Results are those of the general way.
//!
//! [`Structure::points`]: crate::prepared::structure::Structure::points

use corten_math::{Inertia, Mat3, Number, Quat, Spatial, Vec3};

use super::velocity::world_acceleration;
use crate::Model;
use crate::data::smooth::Smooth;
use crate::prepared::structure::{POINT, PointRun};

const AXES: [Vec3; POINT] = [Vec3::X, Vec3::Y, Vec3::Z];

/// Poses of points, their anchors and axes.
#[inline(always)]
pub(super) fn poses<T: Number>(m: &Model, v: &mut Smooth<'_, T>) {
    for run in v.points {
        let q = v.qpos[run.qpos()].as_chunks::<POINT>().0;
        let q0 = m.qpos0[run.qpos()].as_chunks::<POINT>().0;
        let local_anchor = m.jnt_pos[run.joints()].as_chunks::<POINT>().0;
        let anchors = v.xanchor[run.joints()].as_chunks_mut::<POINT>().0;
        for (k, b) in run.bodies.clone().enumerate() {
            let parent = v.structure.bodies[b].parent as usize;
            let mut pos = Vec3::of(m.body_pos[b]);
            if parent != 0 {
                pos += v.xpos[parent];
            }
            for axis in 0..POINT {
                anchors[k][axis] = pos + Vec3::of(local_anchor[k][axis]);
                pos.0[axis] += q[k][axis] - T::splat(q0[k][axis]);
            }
            v.xpos[b] = pos;
        }
        v.xquat[run.bodies.clone()].fill(Quat::of(Quat::IDENTITY));
        v.xmat[run.bodies.clone()].fill(Mat3::of(Mat3::IDENTITY));
        let [x, y, z] = AXES;
        let axes = [Vec3::of(x), Vec3::of(y), Vec3::of(z)];
        v.xaxis[run.joints()].as_chunks_mut::<POINT>().0.fill(axes);
    }
}

/// `cinert` and `cdof` of points.
#[inline(always)]
pub(super) fn inertias<T: Number>(m: &Model, v: &mut Smooth<'_, T>) {
    let zero = Vec3::of(Vec3::ZERO);
    let [x, y, z] = AXES;
    let axes = [
        Spatial::new(zero, Vec3::of(x)),
        Spatial::new(zero, Vec3::of(y)),
        Spatial::new(zero, Vec3::of(z)),
    ];
    for run in v.points {
        for b in run.bodies.clone() {
            let root = v.structure.bodies[b].root as usize;
            let offset = v.xipos[b] - v.subtree_com[root];
            let (diagonal, mass) = (Vec3::of(m.body_inertia[b]), T::splat(m.body_mass[b]));
            v.cinert[b] = Inertia::of_upright_body(diagonal, offset, mass);
        }
        v.cdof[run.dofs()].as_chunks_mut::<POINT>().0.fill(axes);
    }
}

/// `cvel` and `cdof_dot` of points.
#[inline(always)]
pub(super) fn velocities<T: Number>(v: &mut Smooth<'_, T>) {
    let zero = T::splat(0.0);
    for run in v.points {
        let qvel = v.qvel[run.dofs()].as_chunks::<POINT>().0;
        for (cvel, &[x, y, z]) in v.cvel[run.bodies.clone()].iter_mut().zip(qvel) {
            *cvel = Spatial([zero, zero, zero, x, y, z]);
        }
        v.cdof_dot[run.dofs()].fill(Spatial::of(Spatial::ZERO));
    }
}

/// Forces that give points their acceleration and carry their weight.
#[inline(always)]
pub(super) fn forces<T: Number>(
    m: &Model,
    points: &[PointRun],
    qacc: Option<&[T]>,
    force: &mut [T],
) {
    // The sum with zero has no negative zeros, as the general way.
    let up = Vec3::of(world_acceleration(m).lin() + Vec3::ZERO);
    for run in points {
        let force = force[run.dofs()].as_chunks_mut::<POINT>().0;
        let mass = &m.body_mass[run.bodies.clone()];
        match qacc {
            None => {
                for (force, &mass) in force.iter_mut().zip(mass) {
                    *force = (up * T::splat(mass)).0;
                }
            }
            Some(qacc) => {
                let qacc = qacc[run.dofs()].as_chunks::<POINT>().0;
                for ((force, &mass), &acc) in force.iter_mut().zip(mass).zip(qacc) {
                    *force = ((up + Vec3(acc)) * T::splat(mass)).0;
                }
            }
        }
    }
}
