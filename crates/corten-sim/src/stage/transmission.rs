//! Actuator lengths, moments and velocities.
//!
//! Reads poses, tendons and contacts; writes `actuator_length`, `actuator_velocity`,
//! `actuator_moment` and its sparsity. Answers to MuJoCo's `mj_transmission`.
//!
//! The moment of an actuator is the derivative of its length by the joint positions or, where no
//! length exists, the wrench that a unit force exerts. Rows hold only nonzero entries.

use corten_math::{Quat, Vec3};
use corten_model::Model;
use corten_model::enums::{DisableBit, JointType, ObjType, SleepState, Transmission};

use crate::chain::{self, BodyPoint, index};
use crate::{Data, sleep, support};

/// The row under construction: appended to the moment matrix as long as there is room.
struct Row<'a> {
    colind: &'a mut [i32],
    value: &'a mut [f64],
    len: usize,
}

impl Row<'_> {
    #[inline]
    fn push(&mut self, dof: usize, value: f64) {
        if let (Some(c), Some(v)) = (self.colind.get_mut(self.len), self.value.get_mut(self.len)) {
            (*c, *v) = (dof as i32, value);
            self.len += 1;
        }
    }

    #[inline]
    fn push_nonzero(&mut self, dof: usize, value: f64) {
        if value != 0.0 {
            self.push(dof, value);
        }
    }

    /// Turns descending columns into ascending ones.
    fn reverse(&mut self) {
        self.colind[..self.len].reverse();
        self.value[..self.len].reverse();
    }
}

/// Lengths and moments.
pub fn transmission(m: &Model, d: &mut Data) {
    let filter = sleep::filters(m, d);
    let plain = if filter { 0 } else { scalar_joints(m, d) };
    if plain == m.nu {
        return;
    }
    let mut colind = std::mem::take(&mut d.moment_colind);
    let mut value = std::mem::take(&mut d.actuator_moment);
    let mut dense = std::mem::take(&mut d.scratch.transmission);
    let mut start = plain;
    for i in plain..m.nu {
        d.moment_rowadr[i] = start as i32;
        d.moment_rownnz[i] = 0;
        if filter && sleep::state(m, d, ObjType::Actuator, i) == SleepState::Asleep {
            continue;
        }
        let mut row = Row { colind: &mut colind[start..], value: &mut value[start..], len: 0 };
        if let Some(length) = length_and_moment(m, d, i, &mut row, &mut dense) {
            d.actuator_length[i] = length;
        }
        d.moment_rownnz[i] = row.len as i32;
        start += row.len;
    }
    d.moment_colind = colind;
    d.actuator_moment = value;
    d.scratch.transmission = dense;
}

/// The actuators before the first that is not on a hinge or slide: on most robots all of them, with
/// one entry each. Returns how many.
fn scalar_joints(m: &Model, d: &mut Data) -> usize {
    const KINDS: [i32; 2] = [Transmission::Joint.raw(), Transmission::JointInParent.raw()];
    let joints = &d.scratch.structure.joints[..];
    let n = m.nu.min(d.moment_colind.len()).min(d.actuator_moment.len());
    let given = m.actuator_trntype[..n].iter().zip(&m.actuator_trnid).zip(&m.actuator_gear);
    let entries = d.moment_colind[..n].iter_mut().zip(&mut d.actuator_moment[..n]);
    let rows = d.moment_rowadr[..n].iter_mut().zip(&mut d.moment_rownnz[..n]);
    let results = entries.zip(rows).zip(&mut d.actuator_length[..n]);
    for (i, (((kind, [target, _]), gear), (((colind, moment), (rowadr, rownnz)), length))) in
        given.zip(results).enumerate()
    {
        let Some(joint) = joints.get(*target as usize) else { return i };
        let scalar = matches!(joint.kind, JointType::Hinge | JointType::Slide);
        if !scalar || !KINDS.contains(kind) {
            return i;
        }
        (*rowadr, *rownnz) = (i as i32, 1);
        (*colind, *moment) = (joint.dof as i32, gear[0]);
        *length = d.qpos[joint.qpos()] * gear[0];
    }
    n
}

/// Fills the row of one actuator and returns its length; `None` if its target does not exist.
#[inline]
fn length_and_moment(
    m: &Model,
    d: &Data,
    actuator: usize,
    row: &mut Row<'_>,
    dense: &mut [f64],
) -> Option<f64> {
    let [target, other] = m.actuator_trnid[actuator];
    let gear = &m.actuator_gear[actuator];
    let kind = Transmission::from_raw(m.actuator_trntype[actuator])?;
    match kind {
        Transmission::Joint => joint(m, d, index(target, m.njnt)?, gear, false, row),
        Transmission::JointInParent => joint(m, d, index(target, m.njnt)?, gear, true, row),
        Transmission::SliderCrank => {
            let sites = [index(target, m.nsite)?, index(other, m.nsite)?];
            Some(slider_crank(m, d, sites, m.actuator_cranklength[actuator], gear[0], row))
        }
        Transmission::Tendon => Some(tendon(d, index(target, m.ntendon)?, gear[0], row)),
        Transmission::Site => {
            let site = index(target, m.nsite)?;
            match index(other, m.nsite) {
                None => {
                    site_wrench(m, d, site, gear, row);
                    Some(0.0)
                }
                Some(reference) => Some(site_relative(m, d, [reference, site], gear, row)),
            }
        }
        Transmission::Body => {
            adhesion(m, d, target, row, dense);
            Some(0.0)
        }
        Transmission::Undefined => None,
    }
}

/// Translational and rotational half of a gear.
fn halves(gear: &[f64; 6]) -> [Vec3; 2] {
    [Vec3::from_slice(&gear[..3]), Vec3::from_slice(&gear[3..])]
}

/// A joint's position times the gear; for ball and free joints the gear is a torque or wrench,
/// in the joint's frame or in that of its parent.
fn joint(
    m: &Model,
    d: &Data,
    joint: usize,
    gear: &[f64; 6],
    in_parent: bool,
    row: &mut Row<'_>,
) -> Option<f64> {
    let (q, dof) = (index(m.jnt_qposadr[joint], m.nq)?, index(m.jnt_dofadr[joint], m.nv)?);
    let quat = |at: usize| d.qpos.get(at..at + 4).map(|q| Quat::from_slice(q).normalized());
    let turned =
        |quat: Quat, axis: Vec3| if in_parent { quat.conjugate().rotate(axis) } else { axis };
    let [linear, angular] = halves(gear);
    match JointType::from_raw(m.jnt_type[joint])? {
        JointType::Slide | JointType::Hinge => {
            row.push(dof, gear[0]);
            Some(d.qpos[q] * gear[0])
        }
        JointType::Ball => {
            let quat = quat(q)?;
            let axis = turned(quat, linear);
            for k in 0..3 {
                row.push(dof + k, axis[k]);
            }
            Some(quat.to_velocity(1.0).dot(axis))
        }
        JointType::Free => {
            let axis = turned(quat(q + 3)?, angular);
            for k in 0..3 {
                row.push(dof + k, linear[k]);
            }
            for k in 0..3 {
                row.push(dof + 3 + k, axis[k]);
            }
            Some(0.0)
        }
    }
}

/// Position of a slider driven through a rod of length r by a crank pin.
///
/// With a the slider's axis and v the vector from slider to pin, the slider's displacement is
/// l = a·v − √D, D = (a·v)² + r² − v·v, so that ∂l/∂v = (1 − a·v/√D) a + v/√D and
/// ∂l/∂a = (1 − a·v/√D) v. A rod too short for the gap (D ≤ 0) stays in line with the axis.
fn slider_crank(
    m: &Model,
    d: &Data,
    [crank, slider]: [usize; 2],
    rod: f64,
    gear: f64,
    row: &mut Row<'_>,
) -> f64 {
    let axis = d.site_xmat[slider].col(2);
    let gap = d.site_xpos[crank] - d.site_xpos[slider];
    let along = gap.dot(axis);
    let det = along * along + rod * rod - gap.dot(gap);
    let (length, by_gap, by_axis) = if det <= 0.0 {
        (along, axis, gap)
    } else {
        let root = det.sqrt();
        let share = 1.0 - along / root;
        (along - root, axis * share + gap * (1.0 / root), gap * share)
    };
    let bodies = [m.site_bodyid[slider], m.site_bodyid[crank]];
    let offset = [
        d.site_xpos[slider] - chain::reference(m, d, bodies[0]),
        d.site_xpos[crank] - chain::reference(m, d, bodies[1]),
    ];
    chain::for_each_of_two(m, bodies[0], bodies[1], |dof, moves| {
        let cdof = &d.cdof[dof];
        let gap_rate = chain::motion_difference(cdof, offset, moves);
        let axis_rate = if moves[0] { cdof.rot().cross(axis) } else { Vec3::ZERO };
        let mut rate = 0.0;
        for k in 0..3 {
            rate += by_axis[k] * axis_rate[k] + by_gap[k] * gap_rate[k];
        }
        row.push_nonzero(dof, rate * gear);
    });
    row.reverse();
    length * gear
}

fn tendon(d: &Data, tendon: usize, gear: f64, row: &mut Row<'_>) -> f64 {
    let from = support::tendon_row(d, tendon);
    let entries = d.ten_J_colind[from.clone()].iter().zip(&d.ten_J[from]);
    let room = row.colind[row.len..].iter_mut().zip(&mut row.value[row.len..]);
    for ((&dof, j), (c, v)) in entries.zip(room) {
        (*c, *v) = (dof, j * gear);
        row.len += 1;
    }
    d.ten_length[tendon] * gear
}

/// A wrench that turns with the site; it has no length.
fn site_wrench(m: &Model, d: &Data, site: usize, gear: &[f64; 6], row: &mut Row<'_>) {
    let [force, torque] = halves(gear).map(|g| d.site_xmat[site] * g);
    let body = m.site_bodyid[site];
    let offset = d.site_xpos[site] - chain::reference(m, d, body);
    for dof in chain::dofs(m, body) {
        let cdof = &d.cdof[dof];
        let moment = chain::point_motion(cdof, offset).dot(force) + cdof.rot().dot(torque);
        row.push_nonzero(dof, moment);
    }
    row.reverse();
}

/// Pose of a site relative to a reference site, projected on the gear. Dofs that move both
/// together have no effect on it.
fn site_relative(
    m: &Model,
    d: &Data,
    sites: [usize; 2],
    gear: &[f64; 6],
    row: &mut Row<'_>,
) -> f64 {
    let [reference, site] = sites;
    let [translation, rotation] = halves(gear);
    let frame = &d.site_xmat[reference];
    let mut length = 0.0;
    if translation != Vec3::ZERO {
        let gap = frame.tmul(d.site_xpos[site] - d.site_xpos[reference]);
        length += gap.dot(translation);
    }
    if rotation != Vec3::ZERO {
        // The order of factors is MuJoCo's.
        let [reference_quat, quat] =
            sites.map(|s| m.site_quat[s] * d.xquat[index(m.site_bodyid[s], m.nbody).unwrap_or(0)]);
        length += quat.difference(reference_quat).dot(rotation);
    }

    let (force, torque) = (*frame * translation, *frame * rotation);
    let bodies = sites.map(|s| m.site_bodyid[s]);
    let offset = [0, 1].map(|k| d.site_xpos[sites[k]] - chain::reference(m, d, bodies[k]));
    chain::for_each_of_two(m, bodies[0], bodies[1], |dof, moves| {
        if moves == [true; 2] {
            return;
        }
        let cdof = &d.cdof[dof];
        let turn = if moves[1] { cdof.rot() } else { -cdof.rot() };
        let moment = chain::motion_difference(cdof, offset, moves).dot(force) + turn.dot(torque);
        row.push_nonzero(dof, moment);
    });
    row.reverse();
    length
}

/// Adhesion of a body: the mean of its contact normals' Jacobians, negated so that a positive
/// force pulls together. Contacts that produce constraint forces count, and those in the gap.
fn adhesion(m: &Model, d: &Data, body: i32, row: &mut Row<'_>, dense: &mut [f64]) {
    const ACTIVE: i32 = 0;
    const IN_GAP: i32 = 1;
    let mut count = 0;
    for contact in &d.contact[..d.ncon] {
        let [Some(a), Some(b)] = contact.geom.map(|g| index(g, m.ngeom)) else { continue };
        let bodies = [m.geom_bodyid[a], m.geom_bodyid[b]];
        if !bodies.contains(&body) || !matches!(contact.exclude, ACTIVE | IN_GAP) {
            continue;
        }
        count += 1;
        let normal = contact.frame.row(0);
        let ends = bodies.map(|body| BodyPoint { body, point: contact.pos });
        chain::for_each_difference(m, d, ends, |dof, motion| dense[dof] += normal.dot(motion));
    }
    if count > 0 {
        let scale = -1.0 / f64::from(count);
        for (dof, sum) in dense.iter_mut().enumerate() {
            row.push_nonzero(dof, std::mem::take(sum) * scale);
        }
    }
}

/// Actuator velocities.
pub fn velocity(m: &Model, d: &mut Data) {
    if m.opt.disabled(DisableBit::Actuation) {
        d.actuator_velocity.fill(0.0);
        return;
    }
    for i in 0..m.nu {
        let start = d.moment_rowadr[i] as usize;
        let row = start..start + d.moment_rownnz[i] as usize;
        let columns = d.moment_colind[row.clone()].iter();
        d.actuator_velocity[i] = columns
            .zip(&d.actuator_moment[row])
            .map(|(&dof, moment)| moment * d.qvel[dof as usize])
            .sum();
    }
}
