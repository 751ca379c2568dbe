//! Rows of joint and tendon limits. Answers to `mj_instantiateLimit`.
//!
//! The distance to a limit is negative when violated; a row exists while it is below the margin.
//! A hinge, slide or tendon can be at both limits at once. A ball joint limits its rotation
//! angle: with `q = exp(angle · axis)`, the row is `−axis`.

use corten_math::Quat;
use corten_math::memory::Grow;
use corten_model::enums::{ConstraintType, DisableBit, JointType, ObjType};

use super::Given;
use super::assembly::Constraints;
use crate::prepared::structure::Joint;
use crate::solve::rows::Kind;
use crate::{Model, support};

pub(super) fn limit(
    m: &Model,
    given: &Given<'_>,
    tendon_efcadr: &mut [i32],
    rows: &mut Constraints,
) {
    if m.opt.disabled(DisableBit::Limit) {
        return;
    }
    let joints = given.chains.structure.joints.iter().zip(&m.jnt_limited);
    let ranges = m.jnt_range.iter().zip(&m.jnt_margin);
    let some = if support::any_set(&m.jnt_limited) { m.njnt } else { 0 };
    for (joint, ((at, &limited), (range, margin))) in joints.zip(ranges).enumerate().take(some) {
        if limited == 0 || given.asleep(m, ObjType::Joint, joint) {
            continue;
        }
        match at.kind {
            JointType::Hinge | JointType::Slide => {
                let sides = sides(*range, given.qpos[at.qpos()]);
                if sides.iter().any(|&(distance, _)| !(distance >= *margin)) {
                    scalar_joint(m, rows, joint, at, sides);
                }
            }
            JointType::Ball => ball_joint(m, given.qpos, rows, joint, at),
            JointType::Free => {}
        }
    }
    if !support::any_set(&m.tendon_limited) {
        return;
    }
    for (t, &limited) in m.tendon_limited.iter().enumerate() {
        if limited != 0 {
            tendon(m, given, tendon_efcadr, rows, t);
        }
    }
}

/// Distances to the lower and upper limit, with the sign of the row.
fn sides([low, high]: [f64; 2], value: f64) -> [(f64, f64); 2] {
    [(value - low, 1.0), (high - value, -1.0)]
}

#[inline(never)]
fn scalar_joint(
    m: &Model,
    rows: &mut Constraints,
    joint: usize,
    at: &Joint,
    sides: [(f64, f64); 2],
) {
    let margin = m.jnt_margin[joint];
    for (distance, sign) in sides {
        if distance < margin {
            rows.push_single(Kind::Inequality, at.dof(), sign);
            push_joint_row(m, rows, joint, at, distance, margin);
        }
    }
}

#[inline(never)]
fn ball_joint(m: &Model, qpos: &[f64], rows: &mut Constraints, joint: usize, at: &Joint) {
    let q = Quat::from_slice(&qpos[at.qpos()..]);
    let (axis, angle) = q.normalized().to_velocity(1.0).normalized();
    let [low, high] = m.jnt_range[joint];
    let (distance, margin) = (low.max(high) - angle, m.jnt_margin[joint]);
    if distance >= margin {
        return;
    }
    let (col, val) = (rows.columns.len(), rows.values.len());
    for i in 0..3 {
        rows.columns.push(at.dof + i as u32);
        rows.values.push(-axis[i]);
    }
    rows.push_block(Kind::Inequality, 1, col, val, 0);
    push_joint_row(m, rows, joint, at, distance, margin);
}

fn push_joint_row(
    m: &Model,
    rows: &mut Constraints,
    joint: usize,
    at: &Joint,
    distance: f64,
    margin: f64,
) {
    let softness = (&m.jnt_solref[joint], &m.jnt_solimp[joint]);
    let weight = m.dof_invweight0[at.dof()];
    let (kind, pos) = (ConstraintType::LimitJoint, [distance, margin]);
    rows.push_row(m, softness, kind, joint, pos, distance - margin, 0.0, weight);
}

fn tendon(
    m: &Model,
    given: &Given<'_>,
    tendon_efcadr: &mut [i32],
    rows: &mut Constraints,
    t: usize,
) {
    let margin = m.tendon_margin[t];
    for (distance, sign) in sides(m.tendon_range[t], given.ten_length[t]) {
        if distance >= margin {
            continue;
        }
        let row = rows.count();
        if tendon_row(m, given, rows, Kind::Inequality, t, sign) {
            let softness = (&m.tendon_solref_lim[t], &m.tendon_solimp_lim[t]);
            let (kind, weight) = (ConstraintType::LimitTendon, m.tendon_invweight0[t]);
            let pos = [distance, margin];
            rows.push_row(m, softness, kind, t, pos, distance - margin, 0.0, weight);
        }
        if tendon_efcadr[t] == -1 {
            tendon_efcadr[t] = row as i32;
        }
    }
}

/// A block with the Jacobian of a tendon's length, times `sign`; `false` if it is empty.
pub(super) fn tendon_row(
    m: &Model,
    given: &Given<'_>,
    rows: &mut Constraints,
    kind: Kind,
    t: usize,
    sign: f64,
) -> bool {
    let (col, val) = (rows.columns.len(), rows.values.len());
    let (columns, values) = given.ten_J.row(t);
    rows.columns.grow_extend(columns.iter().map(|&c| c as u32));
    rows.values.grow_extend(values.iter().map(|v| sign * v));
    rows.close(m, kind, 1, col, val)
}
