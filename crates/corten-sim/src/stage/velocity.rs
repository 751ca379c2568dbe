//! Spatial velocities and bias forces.
//!
//! `body_velocities` reads `cdof qvel`, writes `cvel cdof_dot` (`mj_comVel`). `bias_force` writes
//! `qfrc_bias`, the force that keeps accelerations zero: Coriolis, centrifugal, gravitational. It
//! is the recursive Newton-Euler algorithm (Featherstone, *Rigid Body Dynamics Algorithms*, §5.3)
//! with all quantities about one point per tree, so that parents and children add up directly
//! (`mj_rne`). Gravity enters as an upward acceleration of the world.

use std::ops::Range;

use corten_math::transpose::{self, Chunk};
use corten_math::{Inertia, MIN_VAL, Number, Spatial, Vec3, Wide, wide};
use corten_model::enums::{DisableBit, JointType};

use super::point;
use crate::data::smooth::{Smooth, SmoothState, dispatch_sleep};
use crate::{Data, Model, awake};

/// [`body_velocities`] and [`bias_force`] in one.
pub(crate) fn velocities_and_bias(m: &Model, d: &mut Data) {
    dispatch_sleep!(velocities_and_bias_kernel(m, d));
}

/// `cvel` and `cdof_dot`.
pub fn body_velocities(m: &Model, d: &mut Data) {
    dispatch_sleep!(body_velocities_kernel(m, d));
}

wide! {
    /// [`velocities_and_bias`] of any worlds.
    pub(crate) fn velocities_and_bias_kernel[W: SmoothState](m: &Model, state: &mut W) {
        if m.nbody > 0 {
            let mut v = state.smooth::<Simd>(m);
            tree_velocities(m, &mut v);
            recursive_forces::<Simd, _>(m, v, false, None);
        }
    }

    /// [`body_velocities`] of any worlds.
    fn body_velocities_kernel[W: SmoothState](m: &Model, state: &mut W) {
        if m.nbody > 0 {
            tree_velocities(m, &mut state.smooth::<Simd>(m));
        }
    }

    /// [`newton_euler`] of any worlds, or [`bias_force`].
    fn newton_euler_kernel[W: SmoothState](
        m: &Model,
        state: &mut W,
        with_acceleration: bool,
        force: Option<&mut [W::Stored]>,
    ) {
        if m.nbody > 0 {
            let force = force.map(bytemuck::cast_slice_mut);
            recursive_forces::<Simd, _>(m, state.smooth::<Simd>(m), with_acceleration, force);
        }
    }
}

/// Velocities of bodies, from the roots to the leaves, and rates of change of the axes on the way.
#[inline(always)]
fn tree_velocities<T: Number>(m: &Model, v: &mut Smooth<'_, T>) {
    let s = v.structure;
    let (n, nv) = (m.nbody, m.nv);
    let (bodies, cvel) = (&s.bodies[..n], &mut v.cvel[..n]);
    let (cdof, cdof_dot, qvel) = (&v.cdof[..nv], &mut v.cdof_dot[..nv], &v.qvel[..nv]);
    let zero = Spatial::of(Spatial::ZERO);
    cvel[0] = zero;
    for i in v.jointed.iter() {
        let node = &bodies[i];
        let mut vel = cvel[node.parent as usize];
        for joint in &s.joints[node.joints()] {
            let k = joint.dof();
            match joint.kind {
                // A dof of its own has no effect on its axis: the motion before it may be
                // used.
                JointType::Hinge | JointType::Slide => {
                    let axis = cdof[k];
                    cdof_dot[k] = vel.cross_motion(&axis);
                    vel += axis * qvel[k];
                }
                JointType::Ball => spherical(&mut vel, k, cdof, cdof_dot, qvel),
                JointType::Free => {
                    cdof_dot[k..k + 3].fill(zero);
                    let linear = vel.lin() + Vec3::from_slice(&qvel[k..k + 3]);
                    vel = Spatial::new(vel.rot(), linear);
                    spherical(&mut vel, k + 3, cdof, cdof_dot, qvel);
                }
            }
        }
        cvel[i] = vel;
    }
    point::velocities(v);
}

/// The three axes of a spherical joint, from dof `k` on, turn with the parent, then move the body
/// together.
#[inline(always)]
fn spherical<T: Number>(
    vel: &mut Spatial<T>,
    k: usize,
    cdof: &[Spatial<T>],
    cdof_dot: &mut [Spatial<T>],
    qvel: &[T],
) {
    let (Some(axes), Some(rates), Some(qvel)) = (
        cdof[k..].first_chunk::<3>(),
        cdof_dot[k..].first_chunk_mut::<3>(),
        qvel[k..].first_chunk::<3>(),
    ) else {
        return;
    };
    for (rate, axis) in rates.iter_mut().zip(axes) {
        *rate = vel.cross_motion(axis);
    }
    let ([x, y, z], [p, q, r]) = (axes, qvel);
    *vel += *x * *p + *y * *q + *z * *r;
}

/// Coriolis, centrifugal and gravitational forces.
pub fn bias_force(m: &Model, d: &mut Data) {
    dispatch_sleep!(newton_euler_kernel(m, d, false, None));
}

/// Generalised forces that produce the acceleration `qacc`, or zero acceleration (`mj_rne`).
pub fn newton_euler(m: &Model, d: &mut Data, with_acceleration: bool, force: &mut [f64]) {
    dispatch_sleep!(newton_euler_kernel(m, d, with_acceleration, Some(force)));
}

/// The forces of [`newton_euler`], into `force` or else into `qfrc_bias`.
#[inline(always)]
fn recursive_forces<S: Wide, T: Number>(
    m: &Model,
    v: Smooth<'_, T>,
    with_acceleration: bool,
    force: Option<&mut [T]>,
) {
    let (bodies, children, dofs) = (v.jointed, v.children, v.dofs);
    let force = force.unwrap_or(v.qfrc_bias);
    let s = v.structure;
    let (nbody, nv) = (m.nbody, m.nv);
    let nodes = &s.bodies[..nbody];
    let acc = &mut v.body_acc[..nbody];
    let frc = &mut v.body_frc[..nbody];
    let (cinert, cvel) = (&v.cinert[..nbody], &v.cvel[..nbody]);
    let (cdof, cdof_dot) = (&v.cdof[..nv], &v.cdof_dot[..nv]);
    let (qvel, qacc) = (&v.qvel[..nv], &v.qacc[..nv]);

    acc[0] = Spatial::of(world_acceleration(m));
    frc[0] = Spatial::of(Spatial::ZERO);
    for i in bodies.iter() {
        let node = &nodes[i];
        let mut own = node.dofs();
        if node.free && !with_acceleration {
            // The axes of translation stay as they are.
            own.start += 3;
        }
        let rates = combine(&cdof_dot[own.clone()], &qvel[own.clone()]);
        let mut a = acc[node.parent as usize] + rates;
        if with_acceleration {
            a += combine(&cdof[own.clone()], &qacc[own]);
        }
        acc[i] = a;
    }
    for range in bodies.ranges() {
        moving_forces::<S, T>(range, cinert, cvel, acc, frc);
    }
    let Some(dofs) = dofs.list() else {
        let force = &mut force[..nv];
        point::forces(m, v.points, with_acceleration.then_some(qacc), force);
        for i in bodies.iter().rev() {
            let (node, f) = (&nodes[i], frc[i]);
            let mut own = node.dofs();
            if node.free {
                force[own.start..own.start + 3].copy_from_slice(&f.lin().0);
                own.start += 3;
            }
            for (x, axis) in force[own.clone()].iter_mut().zip(&cdof[own]) {
                *x = axis.dot(&f);
            }
            if node.parent > 0 {
                frc[node.parent as usize] += f;
            }
        }
        return;
    };
    for i in children.iter().rev() {
        let parent = nodes[i].parent as usize;
        if parent > 0 {
            let f = frc[i];
            frc[parent] += f;
        }
    }
    for k in dofs.iter().map(|&k| k as usize) {
        force[k] = cdof[k].dot(&frc[s.dof_body[k] as usize]);
    }
}

/// The forces that give bodies their accelerations.
#[inline(always)]
pub(super) fn moving_forces<S: Wide, T: Number>(
    bodies: Range<usize>,
    cinert: &[Inertia<T>],
    cvel: &[Spatial<T>],
    acc: &[Spatial<T>],
    frc: &mut [Spatial<T>],
) {
    for chunk in transpose::fours::<T>(bodies) {
        match chunk {
            Chunk::Four(at) => {
                let inertia = Inertia::<S>::load(bytemuck::cast_slice(cinert), at);
                let vel = Spatial::load(bytemuck::cast_slice(cvel), at);
                let acc = Spatial::load(bytemuck::cast_slice(acc), at);
                moving_force(&inertia, &vel, &acc).store(bytemuck::cast_slice_mut(frc), at);
            }
            Chunk::One(i) => frc[i] = moving_force(&cinert[i], &cvel[i], &acc[i]),
        }
    }
}

/// Rate of change of the momentum of a rigid body.
#[inline(always)]
fn moving_force<T: Number>(inertia: &Inertia<T>, vel: &Spatial<T>, acc: &Spatial<T>) -> Spatial<T> {
    inertia.mul(acc) + vel.cross_force(&inertia.mul(vel))
}

/// Sum of vectors times numbers.
#[inline(always)]
fn combine<T: Number>(vectors: &[Spatial<T>], numbers: &[T]) -> Spatial<T> {
    let mut pairs = vectors.iter().zip(numbers);
    let Some((first, &x)) = pairs.next() else {
        return Spatial::of(Spatial::ZERO);
    };
    let mut sum = *first * x;
    for (v, &x) in pairs {
        sum += *v * x;
    }
    sum
}

/// Acceleration of the world that acts like gravity.
pub(crate) fn world_acceleration(m: &Model) -> Spatial {
    if m.opt.disabled(DisableBit::Gravity) {
        Spatial::ZERO
    } else {
        Spatial::new(Vec3::ZERO, -m.opt.gravity)
    }
}

wide! {
    /// `subtree_linvel`, the velocity of each subtree's centre of mass, and `subtree_angmom`, its
    /// angular momentum about that point (`mj_subtreeVel`).
    pub fn subtree_velocities(m: &Model, d: &mut Data) {
        let n = m.nbody;
        if n == 0 {
            return;
        }
        let bodies = awake::bodies!(m, d);
        let s = &d.prepared.structure;
        let (velocity, com) = (&mut d.scratch.body_acc[..n], &d.subtree_com[..n]);
        let (linvel, angmom) = (&mut d.subtree_linvel[..n], &mut d.subtree_angmom[..n]);
        let (cvel, xipos, ximat) = (&d.cvel[..n], &d.xipos[..n], &d.ximat[..n]);
        let (mass, inertia) = (&m.body_mass[..n], &m.body_inertia[..n]);
        let (weld, subtree_mass) = (&m.body_weldid[..n], &m.body_subtreemass[..n]);
        let of = &s.bodies[..n];
        velocity[0] = Spatial::ZERO;
        linvel[0] = Vec3::ZERO;
        angmom[0] = Vec3::ZERO;
        for i in bodies.iter() {
            let vel = if weld[i] == 0 {
                Spatial::ZERO
            } else {
                cvel[i].motion_at(xipos[i], com[of[i].root as usize])
            };
            velocity[i] = vel;
            linvel[i] = vel.lin() * mass[i];
            let frame = ximat[i];
            angmom[i] = frame * inertia[i].component_mul(frame.tmul(vel.rot()));
        }

        for i in bodies.iter().rev() {
            let momentum = linvel[i];
            linvel[of[i].parent as usize] += momentum;
            linvel[i] = momentum * (1.0 / subtree_mass[i].max(MIN_VAL));
        }
        linvel[0] *= 1.0 / subtree_mass[0].max(MIN_VAL);

        for i in bodies.iter().rev() {
            let parent = of[i].parent as usize;
            // The body's own linear momentum about the centre of mass of its subtree.
            let momentum = (velocity[i].lin() - linvel[i]) * mass[i];
            let own = angmom[i] + (xipos[i] - com[i]).cross(momentum);
            angmom[i] = own;
            // The subtree as a whole, about the centre of mass of the parent's.
            let momentum = (linvel[i] - linvel[parent]) * subtree_mass[i];
            angmom[parent] += own + (com[i] - com[parent]).cross(momentum);
        }
    }
}
