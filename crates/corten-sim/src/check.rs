//! Bad numbers in the state: MuJoCo's counters and automatic reset, and a typed cause.

use std::ops::Range;

use corten_math::hint::rarely;
use corten_math::wide;
use corten_model::enums::{DisableBit, Integrator, ObjType, Solver, Stage, Warning};

use crate::stage::flex;
use crate::{Data, Model, StepError, awake, solve, step};

/// Largest magnitude of a position, velocity, acceleration or control that counts as sane.
pub(crate) const MAX_VAL: f64 = 1e10;

#[inline]
pub(crate) fn is_bad(x: f64) -> bool {
    // NaN fails every comparison.
    !(x.abs() <= MAX_VAL)
}

/// The first bad number. Looks for it only if there may be one: most passes need no branches.
#[inline]
fn first_bad(x: &[f64]) -> Option<usize> {
    if rarely(!(magnitude(x) <= MAX_VAL)) { x.iter().position(|&x| is_bad(x)) } else { None }
}

/// The sum of magnitudes. It is as large as the largest: if it is sane, so are all.
#[inline]
fn magnitude(x: &[f64]) -> f64 {
    let (blocks, rest) = x.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for block in blocks {
        for k in 0..4 {
            sums[k] += block[k].abs();
        }
    }
    let [a, b, c, d] = sums;
    rest.iter().fold((a + b) + (c + d), |sum, x| sum + x.abs())
}

/// Numbers whose sum is worth wide registers.
const MANY: usize = 256;

wide! {
    /// [`magnitude`] in wider blocks.
    fn magnitude_of_many(x: &[f64]) -> f64 {
        let (fours, rest) = x.as_chunks::<4>();
        let (blocks, fours) = fours.as_chunks::<4>();
        let mut sums = [Simd::splat(0.0); 4];
        for block in blocks {
            for k in 0..4 {
                sums[k] += Simd::load(block[k]).abs();
            }
        }
        let [a, b, c, d] = sums;
        ((a + b) + (c + d)).sum() + magnitude(fours.as_flattened()) + magnitude(rest)
    }
}

/// Positions and velocities, before a step; reports the first that is bad.
pub(crate) fn state(m: &Model, d: &mut Data) -> Result<(), StepError> {
    let sum = if d.qpos.len() < MANY { magnitude } else { magnitude_of_many };
    let sane = sum(&d.qpos) + sum(&d.qvel) <= MAX_VAL;
    if rarely(!sane) { check_each(m, d) } else { Ok(()) }
}

#[cold]
#[inline(never)]
fn check_each(m: &Model, d: &mut Data) -> Result<(), StepError> {
    let positions = position(m, d);
    let velocities = velocity(m, d);
    positions.and(velocities)
}

/// Positions (`mj_checkPos`).
pub fn position(m: &Model, d: &mut Data) -> Result<(), StepError> {
    let Some(index) = first_bad(&d.qpos) else { return Ok(()) };
    let (joint, place) = (position_joint(m, index), position_owner(m, index));
    let bad = flex_blow_up(m, d, joint, "position", index).unwrap_or(StepError::BadPosition {
        time: d.time,
        index,
        place,
    });
    recover(m, d, Warning::BadQpos, index);
    Err(bad)
}

/// Velocities (`mj_checkVel`).
pub fn velocity(m: &Model, d: &mut Data) -> Result<(), StepError> {
    let Some(index) = first_bad(&d.qvel) else { return Ok(()) };
    let bad = flex_blow_up(m, d, dof_joint(m, index), "velocity", index).unwrap_or_else(|| {
        StepError::BadVelocity { time: d.time, index, place: dof_owner(m, index) }
    });
    recover(m, d, Warning::BadQvel, index);
    Err(bad)
}

/// Accelerations, after the forward pass. After an automatic reset the forward pass is repeated,
/// so that the step can go on from the reset state (`mj_checkAcc`). The error goes to the root of
/// the matter: a singular mass matrix, a flex that blew up before constraints act on it, a constraint
/// whose row is not finite, else the acceleration itself with the constraint that pushes most.
pub fn acceleration(m: &Model, d: &mut Data) -> Result<(), StepError> {
    let bad = |dofs: Range<usize>| Some(dofs.start + first_bad(&d.qacc[dofs])?);
    match awake::dofs!(m, d).ranges().find_map(bad) {
        Some(index) => bad_acceleration(m, d, index),
        None => Ok(()),
    }
}

#[cold]
#[inline(never)]
fn bad_acceleration(m: &Model, d: &mut Data, index: usize) -> Result<(), StepError> {
    let time = d.time;
    // Elimination starts at the last dof: that is where a bad pivot comes from.
    let error = if let Some(index) = d.qLDiagInv.iter().rposition(|x| !x.is_finite()) {
        StepError::SingularInertia { time, index, place: dof_owner(m, index) }
    } else if let Some(error) = first_bad(&d.qacc_smooth)
        .and_then(|index| flex_blow_up(m, d, dof_joint(m, index), "acceleration", index))
    {
        error
    } else if let Some(row) = solve::bad_row(d) {
        StepError::BadConstraint { time, index: row, place: solve::row_place(m, d, row) }
    } else if let Some(error) = flex_blow_up(m, d, dof_joint(m, index), "acceleration", index) {
        error
    } else {
        let mut place = dof_owner(m, index);
        if let Some(row) = solve::strongest_row(d, index) {
            place = format!("{place}, through {}", solve::row_place(m, d, row));
        }
        StepError::BadAcceleration { time, index, place }
    };
    recover(m, d, Warning::BadQacc, index);
    if !m.opt.disabled(DisableBit::AutoReset) {
        step::forward_bound(m, d, Stage::None, step::Outputs::All);
    }
    Err(error)
}

/// Velocities that an implicit integrator made of good accelerations. The next step's check of
/// velocities counts the warning and resets.
pub(crate) fn integrated(m: &Model, d: &Data) -> Result<(), StepError> {
    if !matches!(m.opt.integrator, Integrator::Implicit | Integrator::ImplicitFast) {
        return Ok(());
    }
    let Some(index) = d.qvel.iter().position(|x| !x.is_finite()) else { return Ok(()) };
    let (time, place) = (d.time, dof_owner(m, index));
    Err(match m.opt.integrator {
        Integrator::Implicit => StepError::LuSingular { time, index, place },
        _ => StepError::CholeskyFailed { time, index, place },
    })
}

/// Under `CgStrict`, whether conjugate gradients have solved all problems since `unconverged` of
/// them were not.
#[inline]
pub(crate) fn solved(m: &Model, d: &Data, unconverged: u64) -> Result<(), StepError> {
    let strict = rarely(m.opt.solver == Solver::CgStrict);
    if strict && d.solver.unconverged > unconverged { not_solved(m, d) } else { Ok(()) }
}

#[cold]
#[inline(never)]
fn not_solved(m: &Model, d: &Data) -> Result<(), StepError> {
    let index = d.scratch.solver.unsolved_row;
    let place = if index < d.nefc { solve::row_place(m, d, index) } else { String::new() };
    Err(StepError::SolverFailed { time: d.time, iterations: m.opt.iterations, index, place })
}

/// Controls, after the forward pass; reports what the actuation stage found (`mj_fwdActuation`).
pub(crate) fn control(m: &Model, d: &Data) -> Result<(), StepError> {
    match d.scratch.actuation.bad_control() {
        Some(index) => bad_control(m, d, index),
        None => Ok(()),
    }
}

#[cold]
#[inline(never)]
fn bad_control(m: &Model, d: &Data, index: usize) -> Result<(), StepError> {
    let place = format!("actuator {}", name(m, ObjType::Actuator, index));
    Err(StepError::BadControl { time: d.time, index, place })
}

fn recover(m: &Model, d: &mut Data, warning: Warning, index: usize) {
    d.warning_mut(warning).raise(index);
    if !m.opt.disabled(DisableBit::AutoReset) {
        d.restart(m);
    }
    // The counter survives the reset, as the only trace of it.
    d.warning_mut(warning).raise(index);
}

/// The error of a bad number, if it belongs to a joint of a flex.
fn flex_blow_up(
    m: &Model,
    d: &Data,
    joint: Option<usize>,
    quantity: &'static str,
    index: usize,
) -> Option<StepError> {
    let joint = joint?;
    let body = usize::try_from(*m.jnt_bodyid.get(joint)?).ok()?;
    let (flex, element) = flex::worst_element(m, d, body)?;
    let (name, place) = (name(m, ObjType::Flex, flex), joint_place(m, joint));
    let step = (d.time / m.opt.timestep).round() as u64;
    Some(StepError::FlexBlowUp { time: d.time, step, flex, name, element, quantity, index, place })
}

fn position_joint(m: &Model, index: usize) -> Option<usize> {
    m.jnt_qposadr.iter().rposition(|&adr| adr as usize <= index)
}

fn dof_joint(m: &Model, index: usize) -> Option<usize> {
    m.dof_jntid.get(index).and_then(|&joint| usize::try_from(joint).ok())
}

fn position_owner(m: &Model, index: usize) -> String {
    position_joint(m, index).map_or_else(String::new, |j| joint_place(m, j))
}

fn dof_owner(m: &Model, index: usize) -> String {
    dof_joint(m, index).map_or_else(String::new, |j| joint_place(m, j))
}

fn joint_place(m: &Model, joint: usize) -> String {
    let body = m.jnt_bodyid.get(joint).map_or(0, |&b| b.max(0) as usize);
    format!("joint {} of body {}", name(m, ObjType::Joint, joint), name(m, ObjType::Body, body))
}

/// An object's name in quotes, or its index.
pub(crate) fn name(m: &Model, kind: ObjType, index: usize) -> String {
    match m.object_names.name(kind, index) {
        Some(name) => format!("'{name}'"),
        None => format!("{index}"),
    }
}
