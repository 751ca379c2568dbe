//! Actuator lengths, moments and velocities.
//!
//! Reads poses, tendons and contacts; writes `actuator_length`, `actuator_velocity`,
//! `actuator_moment` and its sparsity. Answers to MuJoCo's `mj_transmission`.
//!
//! The moment of an actuator is the derivative of its length by the joint positions or, where no
//! length exists, the wrench that a unit force exerts. Rows hold only nonzero entries.

mod sites;

use std::ops::Range;

use corten_math::{Mat3, Quat, Spatial, Vec3, wide};
use corten_model::enums::{DisableBit, JointType, ObjType, SleepState, Transmission};

use self::sites::Thrusters;
use crate::chain::{self, BodyPoint, index};
use crate::data::structure::Structure;
use crate::{Data, Model, sleep, support};

/// The poses of sites in data; other parts of it may be written to at the same time.
macro_rules! poses {
    ($d:expr) => {
        Poses {
            structure: &$d.scratch.structure,
            site_xpos: &$d.site_xpos,
            site_xmat: &$d.site_xmat,
            subtree_com: &$d.subtree_com,
            cdof: &$d.cdof,
        }
    };
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
    let is = |actuator: usize, kinds: &[Transmission]| {
        let kind = m.actuator_trntype.get(actuator);
        kind.is_some_and(|&kind| kinds.iter().any(|k| k.raw() == kind))
    };
    let (mut next, mut start) = (0, 0);
    if is(0, &[Transmission::Joint, Transmission::JointInParent]) {
        next = scalar_joints(m, d);
        start = next;
    }
    if is(next, &[Transmission::Tendon]) {
        (next, start) = tendons(m, d, next);
    }
    if next < m.nu {
        others(m, d, next, start);
    }
}

/// The actuators from `first` on, whose row begins at entry `start`, of any kind.
#[inline(never)]
fn others(m: &Model, d: &mut Data, first: usize, start: usize) {
    let (mut next, mut start) = (first, start);
    while next < m.nu {
        let first = next;
        if is_slider_crank(m, next) {
            (next, start) = slider_cranks(m, d, next, start);
        } else if let Some(thrusters) = Thrusters::find(m, next)
            && let Some(end) = sites::rows(m, d, thrusters, start)
        {
            (next, start) = (next + 4, end);
        }
        if next == first {
            let alike = |&i: &usize| is_slider_crank(m, i) || Thrusters::find(m, i).is_some();
            next = (first + 1..m.nu).find(alike).unwrap_or(m.nu);
            start = rows(m, d, first..next, start, false);
        }
    }
}

fn is_slider_crank(m: &Model, actuator: usize) -> bool {
    m.actuator_trntype[actuator] == Transmission::SliderCrank.raw()
}

wide! {
    /// The rows of some actuators, of which the first begins at entry `start`. Returns where the row
    /// after them begins.
    fn rows(m: &Model, d: &mut Data, actuators: Range<usize>, start: usize, filter: bool) -> usize {
        let mut colind = std::mem::take(&mut d.moment_colind);
        let mut value = std::mem::take(&mut d.actuator_moment);
        let mut start = start;
        for i in actuators {
            d.moment_rowadr[i] = start as i32;
            d.moment_rownnz[i] = 0;
            if filter && sleep::state(m, d, ObjType::Actuator, i) == SleepState::Asleep {
                continue;
            }
            let mut row = Row { colind: &mut colind[start..], value: &mut value[start..], len: 0 };
            if let Some(length) = length_and_moment(m, d, i, &mut row) {
                d.actuator_length[i] = length;
            }
            d.moment_rownnz[i] = row.len as i32;
            start += row.len;
        }
        d.moment_colind = colind;
        d.actuator_moment = value;
        start
    }
}

/// The actuators before the first that is not on a hinge or slide: on most robots all of them, with
/// one entry each. Returns how many.
#[inline(never)]
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
#[inline(never)]
fn tendons(m: &Model, d: &mut Data, first: usize) -> (usize, usize) {
    let (n, count) = (m.nu, m.ntendon);
    let (kinds, gears) = (&m.actuator_trntype[..n], &m.actuator_gear[..n]);
    let targets = &m.actuator_trnid[..n];
    let (rowadr, rownnz) = (&mut d.moment_rowadr[..n], &mut d.moment_rownnz[..n]);
    let lengths = &mut d.actuator_length[..n];
    let (from, nonzero) = (&d.ten_J_rowadr[..count], &d.ten_J_rownnz[..count]);
    let tendon_lengths = &d.ten_length[..count];
    let (from_colind, from_value) = (&d.ten_J_colind[..], &d.ten_J[..]);
    let (colind, value) = (&mut d.moment_colind[..], &mut d.actuator_moment[..]);
    let mut next = first;
    for i in first..n {
        let tendon = targets[i][0] as usize;
        if kinds[i] != Transmission::Tendon.raw() || tendon >= count {
            return (i, next);
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
    (n, next)
}

wide! {
    /// The actuators from `first` on, whose row begins at entry `start`, before one that is not on a
    /// slider and a crank. Returns which it is, and where its row begins.
    fn slider_cranks(m: &Model, d: &mut Data, first: usize, start: usize) -> (usize, usize) {
        let n = m.nu;
        let (kinds, gears) = (&m.actuator_trntype[..n], &m.actuator_gear[..n]);
        let (targets, rods) = (&m.actuator_trnid[..n], &m.actuator_cranklength[..n]);
        let (rowadr, rownnz) = (&mut d.moment_rowadr[..n], &mut d.moment_rownnz[..n]);
        let lengths = &mut d.actuator_length[..n];
        let poses = poses!(d);
        let mut row =
            Row { colind: &mut d.moment_colind, value: &mut d.actuator_moment, len: start };
        for i in first..n {
            let begin = row.len;
            let [crank, slider] = targets[i];
            let (Some(crank), Some(slider)) = (index(crank, m.nsite), index(slider, m.nsite))
            else {
                return (i, begin);
            };
            if kinds[i] != Transmission::SliderCrank.raw() {
                return (i, begin);
            }
            let (sites, gear) = ([crank, slider], gears[i][0]);
            let Some(length) = slider_crank(m, &poses, sites, rods[i], gear, &mut row) else {
                return (i, begin);
            };
            lengths[i] = length;
            (rowadr[i], rownnz[i]) = (begin as i32, (row.len - begin) as i32);
        }
        (n, row.len)
    }
}

/// Fills the row of one actuator and returns its length; `None` if its target does not exist.
#[inline(always)]
fn length_and_moment(m: &Model, d: &mut Data, actuator: usize, row: &mut Row<'_>) -> Option<f64> {
    let [target, other] = m.actuator_trnid[actuator];
    let gear = &m.actuator_gear[actuator];
    let kind = Transmission::from_raw(m.actuator_trntype[actuator])?;
    match kind {
        Transmission::Joint => joint(m, d, index(target, m.njnt)?, gear, false, row),
        Transmission::JointInParent => joint(m, d, index(target, m.njnt)?, gear, true, row),
        Transmission::SliderCrank => {
            let sites = [index(target, m.nsite)?, index(other, m.nsite)?];
            let rod = m.actuator_cranklength[actuator];
            slider_crank(m, &poses!(d), sites, rod, gear[0], row)
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
            adhesion(m, d, target, row);
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

/// Poses of sites, and how they move.
#[derive(Clone, Copy)]
struct Poses<'a> {
    structure: &'a Structure,
    site_xpos: &'a [Vec3],
    site_xmat: &'a [Mat3],
    subtree_com: &'a [Vec3],
    cdof: &'a [Spatial],
}

impl Poses<'_> {
    /// Where a site is relative to what the motion of its body refers to.
    #[inline(always)]
    fn offset(&self, site: usize, body: usize) -> Vec3 {
        let root = self.structure.bodies[body].root as usize;
        self.site_xpos[site] - self.subtree_com[root]
    }

    /// Calls `visit(dof, motion)` for dofs that move a site's body: `motion` is the velocity of the
    /// site under a unit dof velocity.
    #[inline(always)]
    fn for_each_motion(
        &self,
        dofs: &[u32],
        (site, body): (usize, usize),
        mut visit: impl FnMut(u32, Vec3),
    ) {
        if dofs.is_empty() {
            return;
        }
        let offset = self.offset(site, body);
        for &dof in dofs {
            visit(dof, chain::point_motion(&self.cdof[dof as usize], offset));
        }
    }

    /// The degrees of freedom that move both of two bodies, the first alone, the second alone.
    #[inline(always)]
    fn branches(&self, bodies: [usize; 2]) -> [&[u32]; 3] {
        let [first, second] = [self.structure.chain(bodies[0]), self.structure.chain(bodies[1])];
        if first.is_empty() || second.is_empty() {
            return [&[], first, second];
        }
        self.structure.branches(bodies)
    }
}

/// The bodies of two sites.
#[inline(always)]
fn bodies_of(m: &Model, [a, b]: [usize; 2]) -> Option<[usize; 2]> {
    Some([index(m.site_bodyid[a], m.nbody)?, index(m.site_bodyid[b], m.nbody)?])
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
    poses: &Poses<'_>,
    [crank, slider]: [usize; 2],
    rod: f64,
    gear: f64,
    row: &mut Row<'_>,
) -> Option<f64> {
    let axis = poses.site_xmat[slider].col(2);
    let gap = poses.site_xpos[crank] - poses.site_xpos[slider];
    let along = gap.dot(axis);
    let det = along * along + rod * rod - gap.dot(gap);
    let (length, by_gap, by_axis) = if det <= 0.0 {
        (along, axis, gap)
    } else {
        let root = det.sqrt();
        let share = 1.0 - along / root;
        (along - root, axis * share + gap * (1.0 / root), gap * share)
    };
    let bodies = bodies_of(m, [slider, crank])?;
    let mut push = |dof: u32, gap_rate: Vec3, axis_rate: Vec3| {
        let mut rate = 0.0;
        for k in 0..3 {
            rate += by_axis[k] * axis_rate[k] + by_gap[k] * gap_rate[k];
        }
        row.push_nonzero(dof as usize, rate * gear);
    };
    let (slider, crank) = ((slider, bodies[0]), (crank, bodies[1]));
    let [both, first, second] = poses.branches(bodies);
    if !both.is_empty() {
        let from = poses.offset(slider.0, slider.1);
        poses.for_each_motion(both, crank, |dof, motion| {
            let cdof = &poses.cdof[dof as usize];
            push(dof, motion - chain::point_motion(cdof, from), cdof.rot().cross(axis));
        });
    }
    // Branches of a tree do not interleave.
    let [before, after] =
        if first.first() < second.first() { [&[][..], second] } else { [second, &[]] };
    poses.for_each_motion(before, crank, |dof, motion| push(dof, motion, Vec3::ZERO));
    poses.for_each_motion(first, slider, |dof, motion| {
        push(dof, -motion, poses.cdof[dof as usize].rot().cross(axis));
    });
    poses.for_each_motion(after, crank, |dof, motion| push(dof, motion, Vec3::ZERO));
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
    let bodies = bodies_of(m, sites)?;
    let poses = poses!(d);
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
    let [_, first, second] = poses.branches(bodies);
    for (side, dofs) in alone(first, second) {
        let sign = if side == 0 { -1.0 } else { 1.0 };
        poses.for_each_motion(dofs, (sites[side], bodies[side]), |dof, motion| {
            let turn = d.cdof[dof as usize].rot();
            row.push_nonzero(dof as usize, sign * (motion.dot(force) + turn.dot(torque)));
        });
    }
    Some(length)
}

/// Adhesion of a body: the mean of its contact normals' Jacobians, negated so that a positive
/// force pulls together. Contacts that produce constraint forces count, and those in the gap.
fn adhesion(m: &Model, d: &mut Data, body: i32, row: &mut Row<'_>) {
    const ACTIVE: i32 = 0;
    const IN_GAP: i32 = 1;
    let mut dense = std::mem::take(&mut d.scratch.transmission);
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
    d.scratch.transmission = dense;
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
