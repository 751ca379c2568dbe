//! Springs, dampers, gravity compensation, fluid forces.
//!
//! Reads positions, velocities, tendon lengths and Jacobians; writes `qfrc_spring qfrc_damper
//! qfrc_gravcomp qfrc_fluid qfrc_passive`. Answers to `mj_passive`.

pub(crate) mod fluid;

use corten_math::{Quat, Spatial, Vec3};
use corten_model::Model;
use corten_model::enums::{DisableBit, JointType, ObjType, SleepState};

use crate::data::structure::joint_width;
use crate::{Data, awake, sleep, support};

/// All passive forces.
pub fn passive(m: &Model, d: &mut Data) {
    let springs = !m.opt.disabled(DisableBit::Spring);
    let dampers = !m.opt.disabled(DisableBit::Damper);
    clear(m, d);
    // MuJoCo switches off every passive force with the last of the two flags.
    if !springs && !dampers {
        return;
    }
    if springs {
        joint_springs(m, d);
    }
    if dampers {
        match awake::dofs!(m, d).list() {
            None => {
                for ((f, b), v) in d.qfrc_damper.iter_mut().zip(&m.dof_damping).zip(&d.qvel) {
                    *f = -b * v;
                }
            }
            Some(list) => {
                for k in list.iter().map(|&k| k as usize) {
                    d.qfrc_damper[k] = -m.dof_damping[k] * d.qvel[k];
                }
            }
        }
    }
    tendons(m, d, springs, dampers);
    let compensated = gravity_compensation(m, d);
    if fluid::present(m) {
        fluid::fluid(m, d);
    }

    match awake::dofs!(m, d).list() {
        None => {
            let terms = d.qfrc_spring.iter().zip(&d.qfrc_damper).zip(&d.qfrc_fluid);
            for (f, ((spring, damper), fluid)) in d.qfrc_passive.iter_mut().zip(terms) {
                *f = spring + damper + fluid;
            }
        }
        Some(list) => {
            for k in list.iter().map(|&k| k as usize) {
                d.qfrc_passive[k] = d.qfrc_spring[k] + d.qfrc_damper[k] + d.qfrc_fluid[k];
            }
        }
    }
    if compensated {
        add_gravity_compensation(m, d);
    }
    if let Some(hook) = d.hooks.get() {
        hook.passive(m, d);
    }
}

fn clear(m: &Model, d: &mut Data) {
    let forces = [
        &mut d.qfrc_spring,
        &mut d.qfrc_damper,
        &mut d.qfrc_gravcomp,
        &mut d.qfrc_fluid,
        &mut d.qfrc_passive,
    ];
    let filter = d.ntree_awake < m.ntree && sleep::enabled(m);
    let selected = awake::select(filter, &d.dof_awake_ind, d.nv_awake, m.nv);
    for force in forces {
        match selected.list() {
            None => force.fill(0.0),
            Some(list) => list.iter().for_each(|&k| force[k as usize] = 0.0),
        }
    }
}

fn joint_springs(m: &Model, d: &mut Data) {
    let s = &*d.scratch.structure;
    for i in awake::bodies!(m, d).iter() {
        for j in s.bodies[i].joints() {
            let stiffness = m.jnt_stiffness[j];
            if stiffness == 0.0 {
                continue;
            }
            let joint = s.joints[j];
            let (q, k) = (joint.qpos(), joint.dof());
            let stretch = |q: usize| d.qpos[q] - m.qpos_spring[q];
            match joint.kind {
                JointType::Slide | JointType::Hinge => d.qfrc_spring[k] = -stiffness * stretch(q),
                JointType::Ball => {
                    let torque = rotation_stretch(m, &d.qpos, q) * -stiffness;
                    d.qfrc_spring[k..k + 3].copy_from_slice(&torque.0);
                }
                JointType::Free => {
                    let force = Vec3([stretch(q), stretch(q + 1), stretch(q + 2)]) * -stiffness;
                    let torque = rotation_stretch(m, &d.qpos, q + 3) * -stiffness;
                    d.qfrc_spring[k..k + 3].copy_from_slice(&force.0);
                    d.qfrc_spring[k + 3..k + 6].copy_from_slice(&torque.0);
                }
            }
        }
    }
}

/// Rotation vector from the spring's rest orientation to the current one.
pub(crate) fn rotation_stretch(m: &Model, qpos: &[f64], q: usize) -> Vec3 {
    let rest = Quat::from_slice(&m.qpos_spring[q..q + 4]);
    Quat::from_slice(&qpos[q..q + 4]).normalized().difference(rest)
}

/// How far a tendon is beyond its slack range; positive when too short.
pub(crate) fn tendon_stretch(m: &Model, d: &Data, tendon: usize) -> f64 {
    let [lower, upper] = m.tendon_lengthspring[tendon];
    let length = d.ten_length[tendon];
    if length > upper {
        upper - length
    } else if length < lower {
        lower - length
    } else {
        0.0
    }
}

fn tendons(m: &Model, d: &mut Data, springs: bool, dampers: bool) {
    let filter = sleep::filters(m, d);
    for i in 0..m.ntendon {
        let stiffness = if springs { m.tendon_stiffness[i] } else { 0.0 };
        let damping = if dampers { m.tendon_damping[i] } else { 0.0 };
        if stiffness == 0.0 && damping == 0.0
            || filter && sleep::state(m, d, ObjType::Tendon, i) != SleepState::Awake
        {
            continue;
        }
        let spring = stiffness * tendon_stretch(m, d, i);
        let damper = -damping * d.ten_velocity[i];
        if spring == 0.0 && damper == 0.0 {
            continue;
        }
        let row = support::tendon_row(d, i);
        for (j, &k) in d.ten_J[row.clone()].iter().zip(&d.ten_J_colind[row]) {
            d.qfrc_spring[k as usize] += j * spring;
            d.qfrc_damper[k as usize] += j * damper;
        }
    }
}

/// Whether there is gravity to compensate.
pub(crate) fn has_gravity_compensation(m: &Model) -> bool {
    m.ngravcomp > 0 && !m.opt.disabled(DisableBit::Gravity) && m.opt.gravity != Vec3::ZERO
}

/// `qfrc_gravcomp`: forces against gravity at the centres of mass, summed along the tree and then
/// projected, one product per degree of freedom.
fn gravity_compensation(m: &Model, d: &mut Data) -> bool {
    if !has_gravity_compensation(m) {
        return false;
    }
    let s = &*d.scratch.structure;
    let frc = &mut d.scratch.body_frc;
    let mut any = false;
    for i in awake::bodies!(m, d).iter() {
        let share = m.body_gravcomp[i];
        frc[i] = if share == 0.0 {
            Spatial::ZERO
        } else {
            any = true;
            let com = d.subtree_com[s.bodies[i].root as usize];
            let force = m.opt.gravity * -(m.body_mass[i] * share);
            support::wrench_at(com, d.xipos[i], force, Vec3::ZERO)
        };
    }
    if any {
        project_body_forces(m, d, |d| &mut d.qfrc_gravcomp);
    }
    any
}

/// Projects the spatial forces in `scratch.body_frc` onto the degrees of freedom; bodies hand
/// their force on to their parents on the way.
fn project_body_forces(m: &Model, d: &mut Data, target: impl Fn(&mut Data) -> &mut Vec<f64>) {
    let mut qfrc = std::mem::take(target(d));
    let s = &*d.scratch.structure;
    let frc = &mut d.scratch.body_frc;
    for i in awake::bodies!(m, d).iter().rev() {
        let f = frc[i];
        for k in s.bodies[i].dofs() {
            qfrc[k] = d.cdof[k].dot(&f);
        }
        let parent = s.bodies[i].parent as usize;
        if parent > 0 {
            frc[parent] += f;
        }
    }
    *target(d) = qfrc;
}

/// Compensation counts as passive unless the joint leaves it to its actuators. As in MuJoCo, it
/// is added for the joints of compensated bodies only, although it reaches their ancestors too.
fn add_gravity_compensation(m: &Model, d: &mut Data) {
    let s = &*d.scratch.structure;
    for i in awake::bodies!(m, d).iter() {
        if m.body_gravcomp[i] == 0.0 {
            continue;
        }
        for j in s.bodies[i].joints() {
            if m.jnt_actgravcomp[j] != 0 {
                continue;
            }
            let joint = s.joints[j];
            for k in joint.dof()..joint.dof() + joint_width(joint.kind).1 {
                d.qfrc_passive[k] += d.qfrc_gravcomp[k];
            }
        }
    }
}
