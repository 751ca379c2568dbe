//! Mechanical energy.
//!
//! Writes `energy`: potential from gravity, springs of joints, tendons and ropes
//! (`mj_energyPos`), kinetic from
//! the mass matrix (`mj_energyVel`).

use corten_math::{Vec3, real};
use corten_model::enums::{DisableBit, JointType, ObjType, SleepState};

use crate::stage::flex;
use crate::stage::passive::{rotation_stretch, tendon_stretch};
use crate::{Data, Model, sleep};

/// Potential energy.
pub fn potential(m: &Model, d: &mut Data) {
    let mut energy = 0.0;
    if !m.opt.disabled(DisableBit::Gravity) {
        for i in 1..m.nbody {
            energy -= m.body_mass[i] * m.opt.gravity.dot(d.xipos[i]);
        }
    }
    if !m.opt.disabled(DisableBit::Spring) {
        energy += joint_springs(m, d) + tendon_springs(m, d);
        if m.nflex > 0 {
            energy += flex::spring_energy(m, d);
        }
    }
    d.energy[0] = energy;
}

fn joint_springs(m: &Model, d: &Data) -> f64 {
    let filter = sleep::filters(m, d);
    let s = &d.prepared.structure;
    let mut energy = 0.0;
    for i in 1..m.nbody {
        if filter && d.body_awake[i] != SleepState::Awake.raw() {
            continue;
        }
        for j in s.bodies[i].joints() {
            let stiffness = m.jnt_stiffness[j];
            if stiffness == 0.0 {
                continue;
            }
            let joint = s.joints[j];
            let q = joint.qpos();
            let stretch = |q: usize| d.qpos[q] - m.qpos_spring[q];
            let squared = match joint.kind {
                JointType::Slide | JointType::Hinge => stretch(q) * stretch(q),
                JointType::Ball => rotation_stretch(m, &d.qpos, q).norm_squared(),
                JointType::Free => {
                    Vec3([stretch(q), stretch(q + 1), stretch(q + 2)]).norm_squared()
                        + rotation_stretch(m, &d.qpos, q + 3).norm_squared()
                }
            };
            energy += 0.5 * stiffness * squared;
        }
    }
    energy
}

fn tendon_springs(m: &Model, d: &Data) -> f64 {
    let filter = sleep::filters(m, d);
    (0..m.ntendon)
        .filter(|&i| !(filter && sleep::state(m, d, ObjType::Tendon, i) != SleepState::Awake))
        .map(|i| 0.5 * m.tendon_stiffness[i] * real::powi(tendon_stretch(m, d, i), 2))
        .sum()
}

/// Kinetic energy.
pub fn kinetic(_m: &Model, d: &mut Data) {
    let momentum = &mut d.scratch.dof[0];
    d.prepared.structure.mass.mul(&d.M, &d.qvel, momentum);
    d.energy[1] = 0.5 * momentum.iter().zip(&d.qvel).map(|(p, v)| p * v).sum::<f64>();
}
