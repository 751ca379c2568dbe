//! Spatial velocities and bias forces.
//!
//! `body_velocities` reads `cdof qvel`, writes `cvel cdof_dot` (`mj_comVel`). `bias_force` writes
//! `qfrc_bias`, the force that keeps accelerations zero: Coriolis, centrifugal, gravitational. It
//! is the recursive Newton-Euler algorithm (Featherstone, *Rigid Body Dynamics Algorithms*, §5.3)
//! with all quantities about one point per tree, so that parents and children add up directly
//! (`mj_rne`). Gravity enters as an upward acceleration of the world.

use corten_math::{MIN_VAL, Spatial, Vec3, wide};
use corten_model::Model;
use corten_model::enums::{DisableBit, JointType};

use crate::{Data, awake};

wide! {
    /// `cvel` and `cdof_dot`.
    pub fn body_velocities(m: &Model, d: &mut Data) {
        if m.nbody == 0 {
            return;
        }
        let s = &*d.scratch.structure;
        let (n, nv) = (m.nbody, m.nv);
        let (bodies, cvel) = (&s.bodies[..n], &mut d.cvel[..n]);
        let (cdof, cdof_dot, qvel) = (&d.cdof[..nv], &mut d.cdof_dot[..nv], &d.qvel[..nv]);
        cvel[0] = Spatial::ZERO;
        for i in awake::bodies!(m, d).iter() {
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
                        cdof_dot[k..k + 3].fill(Spatial::ZERO);
                        let linear = vel.lin() + Vec3::from_slice(&qvel[k..k + 3]);
                        vel = Spatial::new(vel.rot(), linear);
                        spherical(&mut vel, k + 3, cdof, cdof_dot, qvel);
                    }
                }
            }
            cvel[i] = vel;
        }
    }
}

/// The three axes of a spherical joint, from dof `k` on, turn with the parent, then move the body
/// together.
#[inline(always)]
fn spherical(
    vel: &mut Spatial,
    k: usize,
    cdof: &[Spatial],
    cdof_dot: &mut [Spatial],
    qvel: &[f64],
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
    let mut force = std::mem::take(&mut d.qfrc_bias);
    newton_euler(m, d, false, &mut force);
    d.qfrc_bias = force;
}

wide! {
    /// Generalised forces that produce the acceleration `qacc`, or zero acceleration (`mj_rne`).
    pub fn newton_euler(m: &Model, d: &mut Data, with_acceleration: bool, force: &mut [f64]) {
        if m.nbody == 0 {
            return;
        }
        let bodies = awake::bodies!(m, d);
        let children = awake::children!(m, d);
        let dofs = awake::dofs!(m, d);
        let s = &*d.scratch.structure;
        let (nbody, nv) = (m.nbody, m.nv);
        let nodes = &s.bodies[..nbody];
        let acc = &mut d.scratch.body_acc[..nbody];
        let frc = &mut d.scratch.body_frc[..nbody];
        let (cinert, cvel) = (&d.cinert[..nbody], &d.cvel[..nbody]);
        let (cdof, cdof_dot) = (&d.cdof[..nv], &d.cdof_dot[..nv]);
        let (qvel, qacc) = (&d.qvel[..nv], &d.qacc[..nv]);

        acc[0] = world_acceleration(m);
        frc[0] = Spatial::ZERO;
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
            let (inertia, v) = (&cinert[i], &cvel[i]);
            frc[i] = inertia.mul(&a) + v.cross_force(&inertia.mul(v));
        }
        let Some(dofs) = dofs.list() else {
            let force = &mut force[..nv];
            for i in (1..nbody).rev() {
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
}

/// Sum of vectors times numbers.
#[inline(always)]
fn combine(vectors: &[Spatial], numbers: &[f64]) -> Spatial {
    let mut pairs = vectors.iter().zip(numbers);
    let Some((first, &x)) = pairs.next() else { return Spatial::ZERO };
    pairs.fold(*first * x, |sum, (v, &x)| sum + *v * x)
}

/// Acceleration of the world that acts like gravity.
pub(crate) fn world_acceleration(m: &Model) -> Spatial {
    if m.opt.disabled(DisableBit::Gravity) {
        Spatial::ZERO
    } else {
        Spatial::new(Vec3::ZERO, -m.opt.gravity)
    }
}

/// `subtree_linvel`, the velocity of each subtree's centre of mass, and `subtree_angmom`, its
/// angular momentum about that point (`mj_subtreeVel`).
pub fn subtree_velocities(m: &Model, d: &mut Data) {
    if m.nbody == 0 {
        return;
    }
    let s = &*d.scratch.structure;
    let velocity = &mut d.scratch.body_acc;
    velocity[0] = Spatial::ZERO;
    d.subtree_linvel[0] = Vec3::ZERO;
    d.subtree_angmom[0] = Vec3::ZERO;
    for i in awake::bodies!(m, d).iter() {
        let com = d.subtree_com[s.bodies[i].root as usize];
        let vel = if m.body_weldid[i] == 0 {
            Spatial::ZERO
        } else {
            d.cvel[i].motion_at(d.xipos[i], com)
        };
        velocity[i] = vel;
        d.subtree_linvel[i] = vel.lin() * m.body_mass[i];
        let frame = d.ximat[i];
        d.subtree_angmom[i] = frame * m.body_inertia[i].component_mul(frame.tmul(vel.rot()));
    }

    let per_mass = |i: usize| 1.0 / m.body_subtreemass[i].max(MIN_VAL);
    for i in awake::bodies!(m, d).iter().rev() {
        let momentum = d.subtree_linvel[i];
        d.subtree_linvel[s.bodies[i].parent as usize] += momentum;
        d.subtree_linvel[i] = momentum * per_mass(i);
    }
    d.subtree_linvel[0] *= per_mass(0);

    for i in awake::bodies!(m, d).iter().rev() {
        let parent = s.bodies[i].parent as usize;
        // The body's own linear momentum about the centre of mass of its subtree.
        let lever = d.xipos[i] - d.subtree_com[i];
        let momentum = (velocity[i].lin() - d.subtree_linvel[i]) * m.body_mass[i];
        d.subtree_angmom[i] += lever.cross(momentum);
        // The subtree as a whole, about the centre of mass of the parent's.
        let lever = d.subtree_com[i] - d.subtree_com[parent];
        let relative = d.subtree_linvel[i] - d.subtree_linvel[parent];
        let momentum = relative * m.body_subtreemass[i];
        let total = d.subtree_angmom[i] + lever.cross(momentum);
        d.subtree_angmom[parent] += total;
    }
}
