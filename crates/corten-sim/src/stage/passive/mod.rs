//! Springs, dampers, elasticity of flexes, gravity compensation, fluid forces.
//!
//! Reads positions, velocities, tendon lengths and Jacobians; writes `qfrc_spring qfrc_damper
//! qfrc_gravcomp qfrc_fluid qfrc_passive`. Answers to `mj_passive`.

use corten_math::array::MapInline;
use corten_math::{Number, Quat, Spatial, Vec3, map_fours, wide};
use corten_model::enums::{DisableBit, JointType, ObjType, SleepState};

use crate::data::smooth::{Lanes, SmoothState};
use crate::extend::Point;
use crate::prepared::structure::{Joint, joint_width};
use crate::stage::{constraint, flex};
use crate::{Data, Model, awake, sleep, support};

/// Projects the spatial forces in `scratch.body_frc` onto the degrees of freedom, into a field of the
/// data; bodies hand their force on to their parents on the way.
macro_rules! project_body_forces {
    ($m:expr, $d:expr, $field:ident) => {{
        let s = &$d.prepared.structure;
        let (n, nv) = ($m.nbody, $m.nv);
        let (nodes, frc) = (&s.bodies[..n], &mut $d.scratch.body_frc[..n]);
        let (qfrc, cdof) = (&mut $d.$field[..nv], &$d.cdof[..nv]);
        for i in awake::bodies!($m, $d).iter().rev() {
            let (node, f) = (&nodes[i], frc[i]);
            let own = node.dofs();
            for (x, axis) in qfrc[own.clone()].iter_mut().zip(&cdof[own]) {
                *x = axis.dot(&f);
            }
            if node.parent > 0 {
                frc[node.parent as usize] += f;
            }
        }
    }};
}

pub(crate) mod fluid;

/// All passive forces.
pub fn passive(m: &Model, d: &mut Data) {
    let springs = !m.opt.disabled(DisableBit::Spring);
    let dampers = !m.opt.disabled(DisableBit::Damper);
    start(m, d, dampers);
    // MuJoCo switches off every passive force with the last of the two flags.
    if !springs && !dampers {
        return;
    }
    let mut more = springs && support::any_nonzero(&m.jnt_stiffness) && joint_springs(m, d);
    if m.nflex > 0 {
        more |= flex::passive(m, d, springs, dampers);
    }
    if m.ntendon > 0 {
        more |= tendons(m, d, springs, dampers);
    }
    let compensated = has_gravity_compensation(m) && gravity_compensation(m, d);
    if fluid::present(m) {
        fluid::fluid(m, d);
        more = true;
    }
    if m.nflex > 0 {
        constraint::passive(m, d);
    }
    if more {
        sum(m, d);
    }
    if compensated {
        add_gravity_compensation(m, d);
    }
    if let Some(hook) = d.hooks.get() {
        let answer = hook.passive(m, d);
        d.heed(|| hook.name().into(), answer);
    }
    m.extensions().call(m, d, Point::Passive);
}

wide! {
    /// The force of joint dampers, which is all there is in many models; other forces start at zero.
    fn start(m: &Model, d: &mut Data, dampers: bool) {
        for dofs in awake::dofs!(m, d).ranges() {
            let forces = [
                &mut d.qfrc_damper,
                &mut d.qfrc_passive,
                &mut d.qfrc_spring,
                &mut d.qfrc_gravcomp,
                &mut d.qfrc_fluid,
            ]
            .map_inline(|force| &mut force[dofs.clone()]);
            let zero = Simd::splat(0.0);
            if dampers {
                let given = [&m.dof_damping[dofs.clone()], &d.qvel[dofs]];
                map_fours::<Simd, 2, 5>(given, forces, |[damping, v]| {
                    let force = damper_force(damping, v);
                    [force, zero + force, zero, zero, zero]
                });
            } else {
                forces.into_iter().for_each(|force| force.fill(0.0));
            }
        }
    }

    /// `qfrc_passive`, but for gravity compensation.
    fn sum(m: &Model, d: &mut Data) {
        for dofs in awake::dofs!(m, d).ranges() {
            let terms = [&d.qfrc_spring, &d.qfrc_damper, &d.qfrc_fluid].map_inline(|f| &f[dofs.clone()]);
            let sum = [&mut d.qfrc_passive[dofs]];
            map_fours::<Simd, 3, 1>(terms, sum, |[spring, damper, fluid]| {
                [total_force(spring, damper, fluid)]
            });
        }
    }

    /// `qfrc_passive` of worlds in lanes, of a model whose passive forces are springs of hinges and
    /// slides and dampers of joints.
    pub(crate) fn joint_forces_kernel(m: &Model, l: &mut Lanes) {
        let v = l.smooth::<Simd>(m);
        let (force, zero) = (v.qfrc_passive, Simd::splat(0.0));
        force.fill(zero);
        for (joint, &stiffness) in v.structure.joints.iter().zip(&m.jnt_stiffness) {
            if stiffness != 0.0 {
                let q = joint.qpos();
                force[joint.dof()] = spring_force(stiffness, v.qpos[q], m.qpos_spring[q]);
            }
        }
        for (f, (v, &damping)) in force.iter_mut().zip(v.qvel.iter().zip(&m.dof_damping)) {
            *f = total_force(*f, damper_force(Simd::splat(damping), *v), zero);
        }
    }
}

#[inline(always)]
fn spring_force<T: Number>(stiffness: f64, position: T, rest: f64) -> T {
    T::splat(-stiffness) * (position - T::splat(rest))
}

#[inline(always)]
fn damper_force<T: Number>(damping: T, velocity: T) -> T {
    -damping * velocity
}

#[inline(always)]
fn total_force<T: Number>(spring: T, damper: T, fluid: T) -> T {
    spring + damper + fluid
}

/// Springs of joints; whether there are any.
#[inline(never)]
fn joint_springs(m: &Model, d: &mut Data) -> bool {
    let (s, filter) = (&d.prepared.structure, sleep::filters(m, d));
    let (qpos, force) = (&d.qpos[..], &mut d.qfrc_spring[..]);
    let mut any = false;
    for (joint, &stiffness) in s.joints.iter().zip(&m.jnt_stiffness) {
        let body = || s.dof_body[joint.dof()] as usize;
        if stiffness != 0.0 && !(filter && d.body_awake[body()] == SleepState::Asleep.raw()) {
            joint_spring(m, qpos, joint, stiffness, force);
            any = true;
        }
    }
    any
}

#[inline(always)]
fn joint_spring(m: &Model, qpos: &[f64], joint: &Joint, stiffness: f64, force: &mut [f64]) {
    let (q, k) = (joint.qpos(), joint.dof());
    let pull = |q: usize| spring_force(stiffness, qpos[q], m.qpos_spring[q]);
    match joint.kind {
        JointType::Slide | JointType::Hinge => force[k] = pull(q),
        JointType::Ball => {
            let torque = rotation_stretch(m, qpos, q) * -stiffness;
            force[k..k + 3].copy_from_slice(&torque.0);
        }
        JointType::Free => {
            let torque = rotation_stretch(m, qpos, q + 3) * -stiffness;
            force[k..k + 3].copy_from_slice(&[pull(q), pull(q + 1), pull(q + 2)]);
            force[k + 3..k + 6].copy_from_slice(&torque.0);
        }
    }
}

/// Rotation vector from the spring's rest orientation to the current one.
#[inline(never)]
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

/// Springs and dampers of tendons; whether one of them acts.
#[inline(never)]
fn tendons(m: &Model, d: &mut Data, springs: bool, dampers: bool) -> bool {
    if ![&m.tendon_stiffness, &m.tendon_damping].into_iter().any(|v| support::any_nonzero(v)) {
        return false;
    }
    let filter = sleep::filters(m, d);
    let mut any = false;
    let given = m.tendon_stiffness.iter().zip(&m.tendon_damping);
    for (i, (&stiffness, &damping)) in given.enumerate() {
        let stiffness = if springs { stiffness } else { 0.0 };
        let damping = if dampers { damping } else { 0.0 };
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
        any = true;
    }
    any
}

/// Whether there is gravity to compensate.
pub(crate) fn has_gravity_compensation(m: &Model) -> bool {
    m.ngravcomp > 0 && !m.opt.disabled(DisableBit::Gravity) && m.opt.gravity != Vec3::ZERO
}

/// `qfrc_gravcomp`: forces against gravity at the centres of mass, summed along the tree and then
/// projected, one product per degree of freedom.
#[inline(never)]
fn gravity_compensation(m: &Model, d: &mut Data) -> bool {
    let s = &d.prepared.structure;
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
        project_body_forces!(m, d, qfrc_gravcomp);
    }
    any
}

/// Compensation counts as passive unless the joint leaves it to its actuators. As in MuJoCo, it
/// is added for the joints of compensated bodies only, although it reaches their ancestors too.
#[inline(never)]
fn add_gravity_compensation(m: &Model, d: &mut Data) {
    let s = &d.prepared.structure;
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
