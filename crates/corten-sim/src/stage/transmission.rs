//! Actuator lengths, moments and velocities.
//!
//! Reads poses, tendons and contacts; writes `actuator_length`, `actuator_velocity`,
//! `actuator_moment` and its sparsity. Answers to MuJoCo's `mj_transmission`.
//!
//! The moment of an actuator is the derivative of its length by the joint positions or, where no
//! length exists, the wrench that a unit force exerts. Rows hold only nonzero entries, so where one
//! begins depends on all before it: actuators go in order, in `runs` of one kind.

mod runs;
mod sites;

use std::ops::Range;

use corten_math::array::MapInline;
use corten_math::{Number, Quat, Vec3, wide};
use corten_model::enums::{DisableBit, JointType, ObjType, SleepState, Transmission};

use self::runs::Kind;
pub(crate) use self::runs::{Runs, ScalarJoint};
use self::sites::Poses;
use crate::chain::{self, BodyPoint, index};
use crate::{Contact, Data, Model, sleep, support};

/// What rows are made from; other parts of the data may be written to at the same time.
macro_rules! sources {
    ($d:expr) => {
        Sources {
            poses: Poses {
                structure: &$d.prepared.structure,
                xquat: &$d.xquat,
                site_xpos: &$d.site_xpos,
                site_xmat: &$d.site_xmat,
                subtree_com: &$d.subtree_com,
                cdof: &$d.cdof,
            },
            qpos: &$d.qpos,
            tendons: Tendons {
                length: &$d.ten_length,
                rowadr: &$d.ten_J_rowadr,
                rownnz: &$d.ten_J_rownnz,
                colind: &$d.ten_J_colind,
                value: &$d.ten_J,
            },
            contacts: &$d.contact[..$d.ncon],
            dense: &mut $d.scratch.transmission,
        }
    };
}

struct Sources<'a> {
    poses: Poses<'a>,
    qpos: &'a [f64],
    tendons: Tendons<'a>,
    contacts: &'a [Contact],
    /// One number per dof, zero between uses.
    dense: &'a mut [f64],
}

/// Lengths of tendons, and the rows of their Jacobian.
#[derive(Clone, Copy)]
struct Tendons<'a> {
    length: &'a [f64],
    rowadr: &'a [i32],
    rownnz: &'a [i32],
    colind: &'a [i32],
    value: &'a [f64],
}

/// The row under construction: appended to the moment matrix as long as there is room.
struct Row<'a> {
    colind: &'a mut [i32],
    value: &'a mut [f64],
    len: usize,
}

impl Row<'_> {
    #[inline(always)]
    fn push(&mut self, dof: usize, value: f64) {
        if let (Some(c), Some(v)) = (self.colind.get_mut(self.len), self.value.get_mut(self.len)) {
            (*c, *v) = (dof as i32, value);
            self.len += 1;
        }
    }

    #[inline(always)]
    fn push_nonzero(&mut self, dof: usize, value: f64) {
        if let (Some(c), Some(v)) = (self.colind.get_mut(self.len), self.value.get_mut(self.len)) {
            (*c, *v) = (dof as i32, value);
            self.len += usize::from(value != 0.0);
        }
    }
}

/// Lengths and moments.
pub fn transmission(m: &Model, d: &mut Data) {
    if sleep::filters(m, d) {
        rows(m, d, 0..m.nu, 0, true);
        return;
    }
    let mut start = 0;
    for k in 0..d.prepared.transmissions.len() {
        let run = d.prepared.transmissions.get(k);
        start = match run.kind {
            Kind::ScalarJoint => scalar_joints(m, d, run.actuators, start),
            Kind::Tendon => tendons(m, d, run.actuators, start),
            Kind::SliderCrank => slider_cranks(m, d, run.actuators, start),
            Kind::Other => rows(m, d, run.actuators, start, false),
        };
    }
}

wide! {
    /// The rows of some actuators, of any kind, of which the first begins at entry `start`. Returns
    /// where the row after them begins.
    fn rows(m: &Model, d: &mut Data, actuators: Range<usize>, start: usize, filter: bool) -> usize {
        let mut start = start;
        for i in actuators {
            d.moment_rowadr[i] = start as i32;
            d.moment_rownnz[i] = 0;
            if filter && sleep::state(m, d, ObjType::Actuator, i) == SleepState::Asleep {
                continue;
            }
            let Data { moment_colind: colind, actuator_moment: value, .. } = d;
            let mut row = Row { colind: &mut colind[start..], value: &mut value[start..], len: 0 };
            if let Some(length) = length_and_moment(m, sources!(d), i, &mut row) {
                d.actuator_length[i] = length;
            }
            d.moment_rownnz[i] = row.len as i32;
            start += row.len;
        }
        start
    }
}

/// Actuators on hinges and slides, the most frequent: one entry each.
#[inline(never)]
fn scalar_joints(m: &Model, d: &mut Data, actuators: Range<usize>, start: usize) -> usize {
    let n = actuators.len();
    let Data { prepared, qpos, moment_colind, actuator_moment, .. } = d;
    let (Some(colind), Some(moments)) =
        (moment_colind.get_mut(start..start + n), actuator_moment.get_mut(start..start + n))
    else {
        return rows(m, d, actuators, start, false);
    };
    let joints = prepared.transmissions.joints(actuators.clone());
    let given = joints.iter().zip(&m.actuator_gear[actuators.clone()]);
    let rows =
        d.moment_rowadr[actuators.clone()].iter_mut().zip(&mut d.moment_rownnz[actuators.clone()]);
    let results = colind.iter_mut().zip(moments).zip(rows).zip(&mut d.actuator_length[actuators]);
    for (k, ((joint, gear), (((colind, moment), (rowadr, rownnz)), length))) in
        given.zip(results).enumerate()
    {
        let &ScalarJoint { qpos: q, dof } = joint;
        (*rowadr, *rownnz) = ((start + k) as i32, 1);
        (*colind, *moment) = (dof as i32, gear[0]);
        *length = joint_length(qpos[q as usize], gear[0]);
    }
    start + n
}

/// The length of an actuator on a hinge or a slide.
#[inline(always)]
pub(crate) fn joint_length<T: Number>(position: T, gear: T) -> T {
    position * gear
}

/// Actuators on tendons.
#[inline(never)]
fn tendons(m: &Model, d: &mut Data, actuators: Range<usize>, start: usize) -> usize {
    let (n, count) = (actuators.end, m.ntendon);
    let (gears, targets) = (&m.actuator_gear[..n], &m.actuator_trnid[..n]);
    let (rowadr, rownnz) = (&mut d.moment_rowadr[..n], &mut d.moment_rownnz[..n]);
    let lengths = &mut d.actuator_length[..n];
    let (from, nonzero) = (&d.ten_J_rowadr[..count], &d.ten_J_rownnz[..count]);
    let tendon_lengths = &d.ten_length[..count];
    let (from_colind, from_value) = (&d.ten_J_colind[..], &d.ten_J[..]);
    let (colind, value) = (&mut d.moment_colind[..], &mut d.actuator_moment[..]);
    let mut next = start;
    for i in actuators {
        let tendon = targets[i][0] as usize;
        if tendon >= count {
            // Written in the middle of a step.
            (rowadr[i], rownnz[i]) = (next as i32, 0);
            continue;
        }
        let (from, len, gear) = (from[tendon] as usize, nonzero[tendon] as usize, gears[i][0]);
        let start = next;
        let (columns, entries) = (&from_colind[from..from + len], &from_value[from..from + len]);
        if let Some(to_columns) = colind.get_mut(start..start + len)
            && let Some(to_entries) = value.get_mut(start..start + len)
        {
            match (&mut *to_entries, entries) {
                ([to], [a]) => {
                    *to = a * gear;
                    to_columns.copy_from_slice(columns);
                }
                // As a pair, as it will be read.
                ([to, to1], [a, b]) => {
                    [*to, *to1] = [a * gear, b * gear];
                    to_columns.copy_from_slice(columns);
                }
                _ => {
                    let entries = columns.iter().zip(entries);
                    for ((c, v), (&dof, j)) in to_columns.iter_mut().zip(to_entries).zip(entries) {
                        (*c, *v) = (dof, j * gear);
                    }
                }
            }
            next += len;
        }
        (rowadr[i], rownnz[i]) = (start as i32, (next - start) as i32);
        lengths[i] = tendon_lengths[tendon] * gear;
    }
    next
}

wide! {
    /// Actuators on sliders and cranks.
    fn slider_cranks(m: &Model, d: &mut Data, actuators: Range<usize>, start: usize) -> usize {
        let n = actuators.end;
        let (gears, rods) = (&m.actuator_gear[..n], &m.actuator_cranklength[..n]);
        let (rowadr, rownnz) = (&mut d.moment_rowadr[..n], &mut d.moment_rownnz[..n]);
        let lengths = &mut d.actuator_length[..n];
        let poses = sources!(d).poses;
        let mut row =
            Row { colind: &mut d.moment_colind, value: &mut d.actuator_moment, len: start };
        for i in actuators {
            let begin = row.len;
            let sites = m.actuator_trnid[i].map_inline(|site| index(site, m.nsite));
            if let [Some(crank), Some(slider)] = sites
                && let Some(length) =
                    poses.slider_crank(m, [crank, slider], rods[i], gears[i][0], &mut row)
            {
                lengths[i] = length;
            }
            (rowadr[i], rownnz[i]) = (begin as i32, (row.len - begin) as i32);
        }
        row.len
    }
}

/// Fills the row of one actuator and returns its length; `None` if its target does not exist.
#[inline(always)]
fn length_and_moment(
    m: &Model,
    from: Sources<'_>,
    actuator: usize,
    row: &mut Row<'_>,
) -> Option<f64> {
    let [target, other] = m.actuator_trnid[actuator];
    let gear = &m.actuator_gear[actuator];
    let kind = Transmission::from_raw(m.actuator_trntype[actuator])?;
    match kind {
        Transmission::Joint => joint(m, from.qpos, index(target, m.njnt)?, gear, false, row),
        Transmission::JointInParent => joint(m, from.qpos, index(target, m.njnt)?, gear, true, row),
        Transmission::SliderCrank => {
            let sites = [index(target, m.nsite)?, index(other, m.nsite)?];
            from.poses.slider_crank(m, sites, m.actuator_cranklength[actuator], gear[0], row)
        }
        Transmission::Tendon => Some(from.tendons.copy(index(target, m.ntendon)?, gear[0], row)),
        Transmission::Site => {
            let site = index(target, m.nsite)?;
            match index(other, m.nsite) {
                None => from.poses.wrench(m, site, gear, row),
                Some(reference) => from.poses.relative(m, [reference, site], gear, row),
            }
        }
        Transmission::Body => {
            adhesion(m, from, target, row);
            Some(0.0)
        }
        Transmission::Undefined => None,
    }
}

/// Translational and rotational half of a gear.
#[inline(always)]
fn halves(gear: &[f64; 6]) -> [Vec3; 2] {
    [Vec3::from_slice(&gear[..3]), Vec3::from_slice(&gear[3..])]
}

/// A joint's position times the gear; for ball and free joints the gear is a torque or wrench,
/// in the joint's frame or in that of its parent.
fn joint(
    m: &Model,
    qpos: &[f64],
    joint: usize,
    gear: &[f64; 6],
    in_parent: bool,
    row: &mut Row<'_>,
) -> Option<f64> {
    let (q, dof) = (index(m.jnt_qposadr[joint], m.nq)?, index(m.jnt_dofadr[joint], m.nv)?);
    let quat = |at: usize| qpos.get(at..at + 4).map(|q| Quat::from_slice(q).normalized());
    let turned =
        |quat: Quat, axis: Vec3| if in_parent { quat.conjugate().rotate(axis) } else { axis };
    let [linear, angular] = halves(gear);
    match JointType::from_raw(m.jnt_type[joint])? {
        JointType::Slide | JointType::Hinge => {
            row.push(dof, gear[0]);
            Some(joint_length(qpos[q], gear[0]))
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

impl Tendons<'_> {
    /// Copies a tendon's row, times the gear; returns the length of the actuator.
    #[inline(always)]
    fn copy(&self, tendon: usize, gear: f64, row: &mut Row<'_>) -> f64 {
        let start = self.rowadr[tendon] as usize;
        let from = start..start + self.rownnz[tendon] as usize;
        for (&dof, j) in self.colind[from.clone()].iter().zip(&self.value[from]) {
            row.push(dof as usize, j * gear);
        }
        self.length[tendon] * gear
    }
}

/// Adhesion of a body: the mean of its contact normals' Jacobians, negated so that a positive
/// force pulls together. Contacts that produce constraint forces count, and those in the gap.
fn adhesion(m: &Model, from: Sources<'_>, body: i32, row: &mut Row<'_>) {
    const ACTIVE: i32 = 0;
    const IN_GAP: i32 = 1;
    let Sources { poses: Poses { subtree_com, cdof, .. }, contacts, dense, .. } = from;
    let mut count = 0;
    for contact in contacts {
        let [Some(a), Some(b)] = contact.geom.map_inline(|g| index(g, m.ngeom)) else { continue };
        let bodies = [m.geom_bodyid[a], m.geom_bodyid[b]];
        if !bodies.contains(&body) || !matches!(contact.exclude, ACTIVE | IN_GAP) {
            continue;
        }
        count += 1;
        let normal = contact.frame.row(0);
        let ends = bodies.map_inline(|body| BodyPoint { body, point: contact.pos });
        chain::for_each_difference(m, subtree_com, cdof, ends, |dof, motion| {
            dense[dof] += normal.dot(motion);
        });
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
    let rows = d.moment_rowadr[..m.nu].iter().zip(&d.moment_rownnz[..m.nu]);
    let (colind, moments, qvel) = (&d.moment_colind[..], &d.actuator_moment[..], &d.qvel[..]);
    for (velocity, (&start, &count)) in d.actuator_velocity[..m.nu].iter_mut().zip(rows) {
        let row = start as usize..start as usize + count as usize;
        *velocity = support::times_row(colind, moments, row, qvel);
    }
}
