//! What a perturbation does to a simulation.

use corten_math::{MIN_VAL, Quat, Spatial, Vec3};
use corten_model::enums::{JointType, ObjType};
use corten_sim::stage::inertia::solve_half;
use corten_sim::{Data, Model, support};

use super::motion::ORTHOGRAPHIC_SCALE;
use super::room::{camera_in_model, frustum_height};
use crate::decor::At;
use crate::enums::PerturbBit;
use crate::error::SceneError;
use crate::perturb::Perturb;
use crate::scene::Scene;
use crate::update::check_data;

/// The selected body, unless it is the world or does not exist.
fn selected(m: &Model, pert: &Perturb) -> Option<usize> {
    usize::try_from(pert.select).ok().filter(|body| (1..m.nbody).contains(body))
}

/// Starts a perturbation: the goal is where the selected body is (MuJoCo's `mjv_initPerturb`).
pub fn init_perturb(
    m: &Model,
    d: &Data,
    scene: &Scene,
    pert: &mut Perturb,
) -> Result<(), SceneError> {
    check_data(m, d)?;
    let Some(body) = selected(m, pert) else { return Ok(()) };
    let point = d.xmat[body] * pert.localpos + d.xpos[body];
    pert.localmass = inertia_at(d, body, point);
    // Edges of a flex carry the force on.
    if let Some(flex) = usize::try_from(pert.flexselect).ok().filter(|f| *f < m.nflex)
        && m.flex_rigid[flex] == 0
    {
        let vertices = f64::from(m.flex_vertnum[flex].max(1));
        pert.localmass *= 2.0 * f64::from(m.flex_edgenum[flex]) / vertices;
    }
    pert.refpos = d.xipos[body];
    pert.refquat = d.xquat[body] * m.body_iquat[body];
    pert.refselpos = point;
    let head = camera_in_model(scene)?;
    let depth = (point - head.headpos).dot(head.forward);
    let factor = if scene.camera[0].orthographic != 0 { ORTHOGRAPHIC_SCALE } else { 1.0 };
    pert.scale = frustum_height(scene)? * depth * factor;
    Ok(())
}

/// The mean over directions of the inertia that a force at a point meets: 3 over the trace of J M⁻¹ Jᵀ.
fn inertia_at(d: &Data, body: usize, point: Vec3) -> f64 {
    let nv = d.qvel.len();
    let mut rows = vec![0.0; 3 * nv];
    support::jac(d, Some(&mut rows), None, point, body);
    let roots: Vec<f64> = d.qLDiagInv.iter().map(|x| x.sqrt()).collect();
    solve_half(d, &roots, &mut rows);
    let trace: f64 = rows.iter().map(|x| x * x).sum();
    if trace == 0.0 { 1.0 } else { 3.0 / trace.max(MIN_VAL) }
}

/// Puts a body where the perturbation wants it (MuJoCo's `mjv_applyPerturbPose`): a mocap body at any
/// time, a body in a tree with a free joint while the simulation is paused.
pub fn apply_perturb_pose(
    m: &Model,
    d: &mut Data,
    pert: &Perturb,
    paused: bool,
) -> Result<(), SceneError> {
    check_data(m, d)?;
    let Some(body) = selected(m, pert) else { return Ok(()) };
    if pert.active | pert.active2 == 0 {
        return Ok(());
    }
    // From the inertial frame to that of the body.
    let quat = pert.refquat * m.body_iquat[body].conjugate();
    let goal = (pert.refpos - quat.rotate(m.body_ipos[body]), quat);
    if let Some(mocap) = usize::try_from(m.body_mocapid[body]).ok().filter(|i| *i < m.nmocap) {
        (d.mocap_pos[mocap], d.mocap_quat[mocap]) = goal;
    } else if paused {
        move_tree(m, d, body, goal);
    }
    Ok(())
}

/// Address of a body's free joint in `qpos`, if that is its only one.
fn free_joint(m: &Model, body: usize) -> Option<usize> {
    let joint = m.body_jntadr[body];
    let alone = m.body_jntnum[body] == 1;
    let free = alone && m.jnt_type.at(joint) == Some(&JointType::Free.raw());
    let adr = usize::try_from(*m.jnt_qposadr.at(joint)?).ok()?;
    (free && adr.saturating_add(7) <= m.nq).then_some(adr)
}

/// Moves the free joint of a body, or of the tree that it is in, so that the body comes to a pose.
fn move_tree(m: &Model, d: &mut Data, body: usize, goal: (Vec3, Quat)) {
    let set = |d: &mut Data, adr: usize, (pos, quat): (Vec3, Quat)| {
        d.qpos[adr..adr + 3].copy_from_slice(&pos.0);
        d.qpos[adr + 3..adr + 7].copy_from_slice(&quat.0);
    };
    if let Some(adr) = free_joint(m, body) {
        return set(d, adr, goal);
    }
    let root = usize::try_from(m.body_rootid[body]).unwrap_or(0).min(m.nbody - 1);
    let Some(adr) = free_joint(m, root) else { return };
    let own = (Vec3::from_slice(&d.qpos[adr..]), Quat::from_slice(&d.qpos[adr + 3..]));
    let from_child = compose(inverse((d.xpos[body], d.xquat[body])), own);
    set(d, adr, compose(goal, from_child));
}

fn inverse((pos, quat): (Vec3, Quat)) -> (Vec3, Quat) {
    let back = quat.conjugate();
    (-back.rotate(pos), back)
}

fn compose(a: (Vec3, Quat), b: (Vec3, Quat)) -> (Vec3, Quat) {
    (a.0 + a.1.rotate(b.0), (a.1 * b.1).normalized())
}

/// Pulls and turns the selected body with springs that are critically damped, by `xfrc_applied`
/// (MuJoCo's `mjv_applyPerturbForce`).
pub fn apply_perturb_force(m: &Model, d: &mut Data, pert: &Perturb) -> Result<(), SceneError> {
    check_data(m, d)?;
    let active = pert.active | pert.active2;
    let Some(body) = usize::try_from(pert.select).ok().filter(|b| *b < m.nbody) else {
        return Ok(());
    };
    if active == 0 {
        return Ok(());
    }
    let velocity =
        support::object_velocity(m, d, ObjType::Body, body, false).unwrap_or(Spatial::ZERO);
    let inverse_weight = m.body_invweight0[body][1];
    let inertia = if inverse_weight == 0.0 { 1.0 } else { 1.0 / inverse_weight.max(MIN_VAL) };
    let mut applied = d.xfrc_applied[body].0;
    let set = |part: &mut [f64], value: Vec3| part.copy_from_slice(&value.0);

    let turning = f64::from(m.vis.map.stiffnessrot);
    if active & PerturbBit::Translate.raw() != 0 {
        let pulling = f64::from(m.vis.map.stiffness);
        let point = d.xmat[body] * pert.localpos + d.xpos[body];
        let away = point - pert.refselpos;
        let arm = point - d.xipos[body];
        let speed = velocity.rot().cross(arm) + velocity.lin();
        let force = (away * -pulling + speed * -pulling.sqrt()) * pert.localmass;
        // Spin about the rope is damped too.
        let rope = away.normalized().0;
        let spin = rope * (turning.sqrt() * inertia * rope.dot(velocity.rot()));
        set(&mut applied[..3], force);
        set(&mut applied[3..], arm.cross(force) - spin);
    }
    if active & PerturbBit::Rotate.raw() != 0 {
        let own = d.xquat[body] * m.body_iquat[body];
        let error = (pert.refquat * own.conjugate()).to_velocity(1.0 / (turning * inertia));
        set(&mut applied[3..], error - velocity.rot() * (turning.sqrt() * inertia));
    }
    d.xfrc_applied[body].0 = applied;
    Ok(())
}
