//! Actuator lengths, moments and velocities.
//!
//! Reads poses, tendons and contacts; writes `actuator_length`, `actuator_velocity`,
//! `actuator_moment` and its sparsity. Answers to MuJoCo's `mj_transmission`.
//!
//! The moment of an actuator is the derivative of its length by the joint positions or, where no
//! length exists, the wrench that a unit force exerts. Rows hold only nonzero entries.

use corten_math::{Quat, Vec3, wide};
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
    let filter = sleep::filters(m, d);
    let plain = if filter { 0 } else { scalar_joints(m, d) };
    let (next, start) =
        if filter || m.ntendon == 0 { (plain, plain) } else { tendons(m, d, plain) };
    if next < m.nu {
        rows(m, d, next, start, filter);
    }
}

wide! {
    /// The rows from that of actuator `first` on, which begins at entry `start`.
    fn rows(m: &Model, d: &mut Data, first: usize, start: usize, filter: bool) {
        let mut colind = std::mem::take(&mut d.moment_colind);
        let mut value = std::mem::take(&mut d.actuator_moment);
        let mut dense = std::mem::take(&mut d.scratch.transmission);
        let mut start = start;
        for i in first..m.nu {
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
}

/// The actuators before the first that is not on a hinge or slide: on most robots all of them, with
/// one entry each. Returns how many.
fn scalar_joints(m: &Model, d: &mut Data) -> usize {
    const KINDS: [i32; 2] = [Transmission::Joint.raw(), Transmission::JointInParent.raw()];
    let (joints, qpos) = (&d.scratch.structure.joints[..], &d.qpos[..]);
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
        *length = qpos[joint.qpos()] * gear[0];
    }
    n
}

/// The actuators from `first` on, whose row begins at that entry, before one that is not on a
/// tendon. Returns which it is, and where its row begins.
fn tendons(m: &Model, d: &mut Data, first: usize) -> (usize, usize) {
    let (n, count) = (m.nu, m.ntendon);
    let (kinds, gears) = (&m.actuator_trntype[..n], &m.actuator_gear[..n]);
    let targets = &m.actuator_trnid[..n];
    let (rowadr, rownnz) = (&mut d.moment_rowadr[..n], &mut d.moment_rownnz[..n]);
    let lengths = &mut d.actuator_length[..n];
    let (from, nonzero) = (&d.ten_J_rowadr[..count], &d.ten_J_rownnz[..count]);
    let tendon_lengths = &d.ten_length[..count];
    let mut next = first;
    for i in first..n {
        let tendon = targets[i][0] as usize;
        if kinds[i] != Transmission::Tendon.raw() || tendon >= count {
            return (i, next);
        }
        let row = from[tendon] as usize..from[tendon] as usize + nonzero[tendon] as usize;
        let (start, gear) = (next, gears[i][0]);
        for (&dof, j) in d.ten_J_colind[row.clone()].iter().zip(&d.ten_J[row]) {
            if let (Some(c), Some(v)) =
                (d.moment_colind.get_mut(next), d.actuator_moment.get_mut(next))
            {
                (*c, *v) = (dof, j * gear);
                next += 1;
            }
        }
        (rowadr[i], rownnz[i]) = (start as i32, (next - start) as i32);
        lengths[i] = tendon_lengths[tendon] * gear;
    }
    (n, next)
}

/// Fills the row of one actuator and returns its length; `None` if its target does not exist.
#[inline(always)]
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
            slider_crank(m, d, sites, m.actuator_cranklength[actuator], gear[0], row)
        }
        Transmission::Tendon => Some(tendon(d, index(target, m.ntendon)?, gear[0], row)),
        Transmission::Site => {
            let site = index(target, m.nsite)?;
            match index(other, m.nsite) {
                None => site_wrench(m, d, site, gear, row),
                Some(reference) => site_relative(m, d, [reference, site], gear, row),
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
#[inline(always)]
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

/// The bodies of two sites, and where the sites are relative to what the motion of their bodies
/// refers to.
#[inline(always)]
fn bodies_and_offsets(m: &Model, d: &Data, sites: [usize; 2]) -> Option<([usize; 2], [Vec3; 2])> {
    let [Some(a), Some(b)] = sites.map(|s| index(m.site_bodyid[s], m.nbody)) else { return None };
    let nodes = &d.scratch.structure.bodies;
    let offset =
        |s: usize, body: usize| d.site_xpos[sites[s]] - d.subtree_com[nodes[body].root as usize];
    Some(([a, b], [offset(0, a), offset(1, b)]))
}

/// The dofs that move one of two bodies alone, in ascending order, each with the place of the body.
#[inline(always)]
fn alone<'a>(first: &'a [u32], second: &'a [u32]) -> [(usize, &'a [u32]); 2] {
    // Branches of a tree do not interleave.
    let sides = [(0, first), (1, second)];
    if second.first() < first.first() { [sides[1], sides[0]] } else { sides }
}

/// Position of a slider driven through a rod of length r by a crank pin.
///
/// With a the slider's axis and v the vector from slider to pin, the slider's displacement is
/// l = a·v − √D, D = (a·v)² + r² − v·v, so that ∂l/∂v = (1 − a·v/√D) a + v/√D and
/// ∂l/∂a = (1 − a·v/√D) v. A rod too short for the gap (D ≤ 0) stays in line with the axis.
#[inline(always)]
fn slider_crank(
    m: &Model,
    d: &Data,
    [crank, slider]: [usize; 2],
    rod: f64,
    gear: f64,
    row: &mut Row<'_>,
) -> Option<f64> {
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
    let (bodies, offset) = bodies_and_offsets(m, d, [slider, crank])?;
    let mut push = |dof: u32, gap_rate: Vec3, axis_rate: Vec3| {
        let mut rate = 0.0;
        for k in 0..3 {
            rate += by_axis[k] * axis_rate[k] + by_gap[k] * gap_rate[k];
        }
        row.push_nonzero(dof as usize, rate * gear);
    };
    let [both, first, second] = d.scratch.structure.branches(bodies);
    for &dof in both {
        let cdof = &d.cdof[dof as usize];
        let gap_rate = chain::point_motion(cdof, offset[1]) - chain::point_motion(cdof, offset[0]);
        push(dof, gap_rate, cdof.rot().cross(axis));
    }
    for (side, dofs) in alone(first, second) {
        for &dof in dofs {
            let cdof = &d.cdof[dof as usize];
            let motion = chain::point_motion(cdof, offset[side]);
            if side == 0 {
                push(dof, -motion, cdof.rot().cross(axis));
            } else {
                push(dof, motion, Vec3::ZERO);
            }
        }
    }
    Some(length * gear)
}

#[inline(always)]
fn tendon(d: &Data, tendon: usize, gear: f64, row: &mut Row<'_>) -> f64 {
    let from = support::tendon_row(d, tendon);
    for (&dof, j) in d.ten_J_colind[from.clone()].iter().zip(&d.ten_J[from]) {
        row.push(dof as usize, j * gear);
    }
    d.ten_length[tendon] * gear
}

/// A wrench that turns with the site; it has no length.
#[inline(always)]
fn site_wrench(
    m: &Model,
    d: &Data,
    site: usize,
    gear: &[f64; 6],
    row: &mut Row<'_>,
) -> Option<f64> {
    let s = &*d.scratch.structure;
    let body = index(m.site_bodyid[site], m.nbody)?;
    let root = s.bodies[body].root as usize;
    let [force, torque] = halves(gear).map(|g| d.site_xmat[site] * g);
    let offset = d.site_xpos[site] - d.subtree_com[root];
    let mut dofs = s.chain(body);
    if s.bodies[root].free
        && let Some((&[x, y, z], turns)) = dofs.split_first_chunk()
    {
        // Along the axes of the world, all together.
        for (dof, force) in [x, y, z].into_iter().zip(force.0) {
            row.push_nonzero(dof as usize, force);
        }
        dofs = turns;
    }
    for &dof in dofs {
        let cdof = &d.cdof[dof as usize];
        let moment = chain::point_motion(cdof, offset).dot(force) + cdof.rot().dot(torque);
        row.push_nonzero(dof as usize, moment);
    }
    Some(0.0)
}

/// Pose of a site relative to a reference site, projected on the gear. Dofs that move both
/// together have no effect on it.
#[inline(always)]
fn site_relative(
    m: &Model,
    d: &Data,
    sites: [usize; 2],
    gear: &[f64; 6],
    row: &mut Row<'_>,
) -> Option<f64> {
    let [reference, site] = sites;
    let [translation, rotation] = halves(gear);
    let frame = &d.site_xmat[reference];
    let (bodies, offset) = bodies_and_offsets(m, d, sites)?;
    let mut length = 0.0;
    if translation != Vec3::ZERO {
        let gap = frame.tmul(d.site_xpos[site] - d.site_xpos[reference]);
        length += gap.dot(translation);
    }
    if rotation != Vec3::ZERO {
        // The order of factors is MuJoCo's.
        let [reference_quat, quat] = [0, 1].map(|k| m.site_quat[sites[k]] * d.xquat[bodies[k]]);
        length += quat.difference(reference_quat).dot(rotation);
    }

    let (force, torque) = (*frame * translation, *frame * rotation);
    let [_, first, second] = d.scratch.structure.branches(bodies);
    for (side, dofs) in alone(first, second) {
        let sign = if side == 0 { -1.0 } else { 1.0 };
        for &dof in dofs {
            let cdof = &d.cdof[dof as usize];
            let motion = chain::point_motion(cdof, offset[side]);
            row.push_nonzero(dof as usize, sign * (motion.dot(force) + cdof.rot().dot(torque)));
        }
    }
    Some(length)
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
    let rows = d.moment_rowadr[..m.nu].iter().zip(&d.moment_rownnz[..m.nu]);
    let (colind, moments, qvel) = (&d.moment_colind[..], &d.actuator_moment[..], &d.qvel[..]);
    for (velocity, (&start, &count)) in d.actuator_velocity[..m.nu].iter_mut().zip(rows) {
        let row = start as usize..start as usize + count as usize;
        *velocity = support::times_row(colind, moments, row, qvel);
    }
}
