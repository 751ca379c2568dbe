//! Actuator dynamics and forces.
//!
//! Reads actuator lengths, velocities and moments, `ctrl`, `act` and `qfrc_gravcomp`; writes
//! `act_dot`, `actuator_force` and `qfrc_actuator`. Answers to MuJoCo's `mj_fwdActuation`.
//!
//! Each actuator gives the scalar force `gain · (ctrl or act) + bias`, and its moment carries
//! that to joint space.

pub mod hill;
mod kinds;
pub mod muscle;
mod muscles;

use corten_math::memory::Grow;
use std::ops::Range;

use corten_math::hint::rarely;
use corten_math::real::exp;
use corten_math::{MIN_VAL, Number, wide};
use corten_model::enums::{
    Bias, DisableBit, Dynamics, JointType, ObjType, SleepState, Transmission, Warning,
};

pub(crate) use self::kinds::Kinds;
use self::muscle::Muscle;
use crate::awake::Selection;
use crate::chain::index;
use crate::check::MAX_VAL;
use crate::data::smooth::{Lanes, SmoothState};
use crate::extend::{ActuatorGainModel, DefaultGain, GainInput, Hook, Outcome, Point};
use crate::sleepers::unsettled_dofs;
use crate::stage::passive::has_gravity_compensation;
use crate::stage::transmission::joint_length;
use crate::{Data, Model, sleep, support};

/// Working memory of this stage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Controls after clamping.
    ctrl: Vec<f64>,
    /// Total actuator force per tendon.
    tendon_force: Vec<f64>,
    /// The first control that was not a sane number.
    bad: Option<usize>,
}

/// Actuator forces in joint space, activation derivatives.
pub fn actuation(m: &Model, d: &mut Data) {
    if m.nu == 0 || m.opt.disabled(DisableBit::Actuation) {
        d.actuator_force.fill(0.0);
        d.scratch.actuation.bad = None;
        // Without actuators, what sleeps has no force already.
        let dofs = if m.nu == 0 { unsettled_dofs!(m, d) } else { Selection::all(m.nv) };
        for dofs in dofs.ranges() {
            d.qfrc_actuator[dofs].fill(0.0);
        }
        return;
    }
    effective_controls(m, d);
    // As in MuJoCo, an actuator between two static sites counts as asleep even if no tree is. Those of
    // joints and tendons are awake then.
    let filter = sleep::filters(m, d)
        || sleep::enabled(m) && m.actuator_trntype.iter().any(|&kind| !is_of_trees(kind));
    if filter || m.opt.disableactuator != 0 {
        if m.na > 0 {
            activation_derivatives(m, d, 0..m.nu, filter);
        }
        forces(m, d, 0..m.nu, filter);
    } else {
        forces_by_kind(m, d);
    }
    if rarely(!m.extensions().is_empty()) {
        plugin_forces(m, d);
    }
    if support::any_set(&m.tendon_actfrclimited) {
        limit_tendon_forces(m, d);
    }
    if support::any_set(&m.actuator_forcelimited) {
        let limits = m.actuator_forcelimited.iter().zip(&m.actuator_forcerange);
        for (force, (&limited, &range)) in d.actuator_force.iter_mut().zip(limits) {
            *force = clip_if(limited, *force, range);
        }
    }
    joint_forces(m, d);
}

/// Activation derivatives and forces where every actuator acts.
#[inline(always)]
fn forces_by_kind(m: &Model, d: &mut Data) {
    let [muscles, direct, others] = d.prepared.actuators.count();
    for k in 0..muscles {
        muscles::run(m, d, d.prepared.actuators.muscles(k));
    }
    if m.na > 0 {
        for k in 0..others {
            activation_derivatives(m, d, d.prepared.actuators.others(k), false);
        }
    }
    for k in 0..direct {
        direct_forces(m, d, d.prepared.actuators.direct(k));
    }
    for k in 0..others {
        forces(m, d, d.prepared.actuators.others(k), false);
    }
}

/// Activation derivatives and forces of plugins.
#[cold]
#[inline(never)]
fn plugin_forces(m: &Model, d: &mut Data) {
    m.extensions().call(m, d, Point::Rates);
    m.extensions().call(m, d, Point::Forces);
}

/// Notes that all controls have been found sane.
pub(crate) fn controls_are_sane(d: &mut Data) {
    d.scratch.actuation.bad = None;
}

/// The value, or the nearest end of the range; a range in the wrong order is harmless.
#[inline(always)]
pub(crate) fn clip<T: Number>(x: T, [low, high]: [f64; 2]) -> T {
    let [low, high] = [T::splat(low), T::splat(high)];
    T::select(x.lt(low), low, T::select(high.lt(x), high, x))
}

/// The value, within its range if it is limited.
#[inline(always)]
fn clip_if<T: Number>(limited: u8, x: T, range: [f64; 2]) -> T {
    if limited != 0 { clip(x, range) } else { x }
}

/// Whether the options switch off an actuator's group.
#[inline]
pub fn is_disabled(m: &Model, actuator: usize) -> bool {
    if m.opt.disableactuator == 0 {
        return false;
    }
    let group = m.actuator_group[actuator];
    (0..=30).contains(&group) && m.opt.disableactuator & (1 << group) != 0
}

/// The activation after one time step at the rate `act_dot`, within its limits.
#[inline(always)]
pub(crate) fn next_activation(m: &Model, actuator: usize, act: f64, act_dot: f64) -> f64 {
    let next = act + activation_step(m, actuator, act_dot);
    clip_if(m.actuator_actlimited[actuator], next, m.actuator_actrange[actuator])
}

/// Change of an activation over a time step at the rate `act_dot`.
#[inline(always)]
pub(crate) fn activation_step(m: &Model, actuator: usize, act_dot: f64) -> f64 {
    if m.actuator_dyntype[actuator] == Dynamics::FilterExact.raw() {
        filtered_step(m, actuator, act_dot)
    } else {
        act_dot * m.opt.timestep
    }
}

/// Solution of the linear filter over the step.
#[inline(never)]
fn filtered_step(m: &Model, actuator: usize, act_dot: f64) -> f64 {
    let tau = m.actuator_dynprm[actuator][0].max(MIN_VAL);
    act_dot * tau * (1.0 - exp(-m.opt.timestep / tau))
}

impl Scratch {
    /// The control that made the last evaluation count all of them as zero.
    pub fn bad_control(&self) -> Option<usize> {
        self.bad
    }
}

/// Controls within their limits; all zero if one of them is not a sane number.
#[inline(always)]
fn effective_controls(m: &Model, d: &mut Data) {
    let n = m.nu.min(d.ctrl.len());
    let Scratch { ctrl, bad, .. } = &mut d.scratch.actuation;
    if ctrl.len() != n {
        ctrl.grow_resize(n, 0.0);
    }
    let clamp = !m.opt.disabled(DisableBit::ClampCtrl);
    let (limited, range) = (&m.actuator_ctrllimited[..n], &m.actuator_ctrlrange[..n]);
    let (given, to) = (&d.ctrl[..n], &mut ctrl[..n]);
    // As large as the largest: a sane sum is one of sane numbers.
    let mut magnitudes = 0.0;
    for i in 0..n {
        let u = if clamp { clip_if(limited[i], given[i], range[i]) } else { given[i] };
        magnitudes += u.abs();
        to[i] = u;
    }
    *bad = None;
    if rarely(!(magnitudes <= MAX_VAL)) {
        *bad = ctrl.iter().position(|u| !(u.abs() <= MAX_VAL));
        if let Some(bad) = *bad {
            ctrl.fill(0.0);
            d.warning_mut(Warning::BadCtrl).raise(bad);
        }
    }
}

/// Whether what an actuator of some kind acts on belongs to trees, whatever it is.
fn is_of_trees(kind: i32) -> bool {
    use Transmission::{Joint, JointInParent, Tendon};
    matches!(Transmission::from_raw(kind), Some(Joint | JointInParent | Tendon))
}

/// Whether an actuator sleeps, if some may.
fn is_asleep(m: &Model, d: &Data, actuator: usize, filter: bool) -> bool {
    filter && sleep::state(m, d, ObjType::Actuator, actuator) == SleepState::Asleep
}

/// `act_dot` of some actuators.
#[inline(never)]
fn activation_derivatives(m: &Model, d: &mut Data, actuators: Range<usize>, filter: bool) {
    for i in actuators {
        if !is_asleep(m, d, i, filter) {
            activation_derivative(m, d, i, d.scratch.actuation.ctrl[i]);
        }
    }
}

/// Forces of some actuators, of any kind.
#[inline(never)]
fn forces(m: &Model, d: &mut Data, actuators: Range<usize>, filter: bool) {
    for i in actuators {
        let off = is_asleep(m, d, i, filter) || is_disabled(m, i) || m.actuator_plugin[i] >= 0;
        let ctrl = d.scratch.actuation.ctrl[i];
        d.actuator_force[i] = if off { 0.0 } else { force(m, d, i, ctrl) };
    }
}

/// Index range of an actuator's activations; the last one is the built-in state.
#[inline]
fn activations(m: &Model, actuator: usize) -> Option<Range<usize>> {
    let start = index(m.actuator_actadr[actuator], m.na)?;
    let count = usize::try_from(m.actuator_actnum[actuator]).ok()?;
    (count > 0 && start + count <= m.na).then(|| start..start + count)
}

fn activation_derivative(m: &Model, d: &mut Data, i: usize, ctrl: f64) {
    let Some(range) = activations(m, i) else { return };
    d.act_dot[range.clone()].fill(0.0);
    if rarely(m.extensions().gain(i).is_some()) {
        gain_rates(m, d, i, ctrl, range.clone());
        if m.actuator_dyntype[i] == Dynamics::None.raw() {
            return;
        }
    }
    let last = range.end - 1;
    let (act, prm) = (d.act[last], &m.actuator_dynprm[i]);
    d.act_dot[last] = match Dynamics::from_raw(m.actuator_dyntype[i]) {
        Some(Dynamics::Integrator) => ctrl,
        Some(Dynamics::Filter | Dynamics::FilterExact) => (ctrl - act) / prm[0].max(MIN_VAL),
        Some(Dynamics::Muscle) => muscle::activation_rate(ctrl, act, prm),
        _ => return user_activation_rate(m, d, i, range),
    };
}

/// What the hook answers, if there is one that does.
fn ask_hook(
    d: &mut Data,
    ask: impl FnOnce(&dyn Hook, &mut Data) -> Outcome<Option<f64>>,
) -> Option<f64> {
    let hook = d.hooks.get()?;
    let answer = ask(&*hook, d);
    d.heed(|| hook.name().into(), answer).flatten()
}

/// User dynamics: one activation takes the rate that is returned, several are written in place.
fn user_activation_rate(m: &Model, d: &mut Data, i: usize, range: Range<usize>) {
    let rate = ask_hook(d, |hook, d| hook.activation_rate(m, d, i));
    if range.len() == 1
        && let (Some(rate), Some(act_dot)) = (rate, d.act_dot.get_mut(range.start))
    {
        *act_dot = rate;
    }
}

/// Forces of actuators that controls drive directly, with a fixed gain and a bias that is linear or
/// absent: motors and servos, by far the most frequent.
fn direct_forces(m: &Model, d: &mut Data, actuators: Range<usize>) {
    let n = actuators.end;
    let ctrl = &d.scratch.actuation.ctrl[..n];
    let bias = &m.actuator_biastype[..n];
    let (gainprm, biasprm) = (&m.actuator_gainprm[..n], &m.actuator_biasprm[..n]);
    let (length, velocity) = (&d.actuator_length[..n], &d.actuator_velocity[..n]);
    let force = &mut d.actuator_force[..n];
    for i in actuators {
        let bias = direct_bias(bias[i], &biasprm[i], length[i], velocity[i]);
        force[i] = gainprm[i][0] * ctrl[i] + bias;
    }
}

/// A bias that is linear or absent.
#[inline(always)]
fn direct_bias<T: Number>(kind: i32, prm: &[f64; 10], length: T, velocity: T) -> T {
    if kind == Bias::Affine.raw() { affine(prm, length, velocity) } else { T::splat(0.0) }
}

/// Gain or bias that is linear in length and velocity.
#[inline(always)]
pub(crate) fn affine<T: Number>(prm: &[f64; 10], length: T, velocity: T) -> T {
    T::splat(prm[0]) + T::splat(prm[1]) * length + T::splat(prm[2]) * velocity
}

wide! {
    /// `qfrc_actuator` of worlds in lanes, of a model whose actuators are direct, all on hinges and
    /// slides, and whose controls are sane.
    pub(crate) fn direct_joint_forces_kernel(m: &Model, l: &mut Lanes) {
        let v = l.smooth::<Simd>(m);
        let total = v.qfrc_actuator;
        total.fill(Simd::splat(0.0));
        for (i, joint) in v.prepared.transmissions.joints(0..m.nu).iter().enumerate() {
            let (q, dof) = (joint.qpos as usize, joint.dof as usize);
            let gear = Simd::splat(m.actuator_gear[i][0]);
            let (length, velocity) = (joint_length(v.qpos[q], gear), gear * v.qvel[dof]);
            let u = clip_if(m.actuator_ctrllimited[i], v.ctrl[i], m.actuator_ctrlrange[i]);
            let bias =
                direct_bias(m.actuator_biastype[i], &m.actuator_biasprm[i], length, velocity);
            let force = Simd::splat(m.actuator_gainprm[i][0]) * u + bias;
            let (limited, range) = (m.actuator_forcelimited[i], m.actuator_forcerange[i]);
            total[dof] += gear * clip_if(limited, force, range);
        }
        limit_joint_forces(m, total);
    }
}

#[inline(never)]
fn force(m: &Model, d: &mut Data, i: usize, ctrl: f64) -> f64 {
    let (length, velocity) = (d.actuator_length[i], d.actuator_velocity[i]);
    let active = match DefaultGain::of(m, i) {
        Some(gain) => {
            let (drive, time, timestep) = (drive(m, d, i, ctrl), d.time, m.opt.timestep);
            gain.force(&GainInput { length, velocity, drive, act: &[], time, timestep })
        }
        None => user_force(m, d, i, ctrl),
    };
    let (range, acc0) = (m.actuator_lengthrange[i], m.actuator_acc0[i]);
    let prm = &m.actuator_biasprm[i];
    let bias = match Bias::from_raw(m.actuator_biastype[i]) {
        Some(Bias::Affine) => affine(prm, length, velocity),
        Some(Bias::Muscle) => Muscle::<f64>::new(prm).bias(length, range, acc0),
        Some(Bias::None) => 0.0,
        _ => ask_hook(d, |hook, d| hook.bias(m, d, i)).unwrap_or(0.0),
    };
    active + bias
}

/// What drives an actuator: the control, or its last activation.
#[inline(always)]
fn drive(m: &Model, d: &Data, i: usize, ctrl: f64) -> f64 {
    match activations(m, i) {
        None => ctrl,
        Some(act) if m.actuator_actearly[i] != 0 => {
            next_activation(m, i, d.act[act.end - 1], d.act_dot[act.end - 1])
        }
        Some(act) => d.act[act.end - 1],
    }
}

/// The force of a gain model, or with a gain that the hook tells.
#[inline(never)]
fn user_force(m: &Model, d: &mut Data, i: usize, ctrl: f64) -> f64 {
    match m.extensions().gain(i) {
        Some(gain) => {
            let force = gain.force(&gain_input(m, d, i, ctrl, gain.activations()));
            if !force.is_finite() {
                d.heed(
                    || gain_name(m, i),
                    Outcome::<()>::Err(format!("the force is {force}").into()),
                );
            }
            force
        }
        None => {
            let gain = ask_hook(d, |hook, d| hook.gain(m, d, i)).unwrap_or(1.0);
            gain * drive(m, d, i, ctrl)
        }
    }
}

/// What messages call the gain model of an actuator.
fn gain_name(m: &Model, i: usize) -> String {
    match m.object_names.name(ObjType::Actuator, i) {
        Some(name) => format!("gain model of actuator '{name}'"),
        None => format!("gain model of actuator {i}"),
    }
}

/// What the gain model of an actuator sees, with so many activations of its own.
pub(crate) fn gain_input<'a>(
    m: &Model,
    d: &'a Data,
    i: usize,
    ctrl: f64,
    own: usize,
) -> GainInput<'a> {
    let states = activations(m, i);
    let driven = states.as_ref().is_some_and(|states| states.len() > own);
    GainInput {
        length: d.actuator_length[i],
        velocity: d.actuator_velocity[i],
        drive: if driven { drive(m, d, i, ctrl) } else { ctrl },
        act: states
            .map_or(&[], |states| &d.act[states.start..(states.start + own).min(states.end)]),
        time: d.time,
        timestep: m.opt.timestep,
    }
}

/// The force of the gain model of an actuator by its velocity.
pub(crate) fn gain_by_velocity(m: &Model, d: &Data, i: usize) -> Option<f64> {
    let gain = m.extensions().gain(i)?;
    let limited = m.actuator_ctrllimited[i] != 0 && !m.opt.disabled(DisableBit::ClampCtrl);
    let ctrl = clip_if(limited.into(), d.ctrl[i], m.actuator_ctrlrange[i]);
    Some(gain.force_by_velocity(&gain_input(m, d, i, ctrl, gain.activations())))
}

/// Rates of the activations that a gain model has of its own.
#[inline(never)]
fn gain_rates(m: &Model, d: &mut Data, i: usize, ctrl: f64, states: Range<usize>) {
    let Some(gain) = m.extensions().gain(i) else { return };
    let count = gain.activations().min(states.len());
    let own = states.start..states.start + count;
    let GainInput { length, velocity, drive, time, timestep, .. } =
        gain_input(m, d, i, ctrl, count);
    let Data { act, act_dot, .. } = d;
    let at = GainInput { length, velocity, drive, act: &act[own.clone()], time, timestep };
    gain.rates(&at, &mut act_dot[own]);
}

/// Scales the forces on each tendon so that their sum stays within the tendon's limits.
#[inline(never)]
fn limit_tendon_forces(m: &Model, d: &mut Data) {
    let limited = |i: usize| {
        (m.actuator_trntype[i] == Transmission::Tendon.raw())
            .then(|| index(m.actuator_trnid[i][0], m.ntendon))
            .flatten()
            .filter(|&t| m.tendon_actfrclimited[t] != 0)
    };
    let total = &mut d.scratch.actuation.tendon_force;
    total.clear();
    total.resize(m.ntendon, 0.0);
    for i in 0..m.nu {
        if let Some(tendon) = limited(i) {
            total[tendon] += d.actuator_force[i];
        }
    }
    for i in 0..m.nu {
        let Some(tendon) = limited(i) else { continue };
        let sum = total[tendon];
        let bound = clip(sum, m.tendon_actfrcrange[tendon]);
        if sum != 0.0 && sum != bound {
            d.actuator_force[i] *= bound / sum;
        }
    }
}

/// `qfrc_actuator = momentᵀ · force`, gravity compensation by actuators, limits per joint.
fn joint_forces(m: &Model, d: &mut Data) {
    let total = &mut d.qfrc_actuator[..];
    total.fill(0.0);
    let rows = d.moment_rowadr[..m.nu].iter().zip(&d.moment_rownnz[..m.nu]);
    let (colind, moments) = (&d.moment_colind[..], &d.actuator_moment[..]);
    for (&force, (&start, &count)) in d.actuator_force[..m.nu].iter().zip(rows) {
        if force == 0.0 {
            continue;
        }
        let (start, count) = (start as usize, count as usize);
        if count == 1 {
            total[colind[start] as usize] += moments[start] * force;
            continue;
        }
        let row = start..start + count;
        let (columns, moments) = (&colind[row.clone()], &moments[row]);
        if let Some((first, moments)) = support::free_joint_row(columns, moments)
            && let Some(total) = total[first..].first_chunk_mut::<6>()
        {
            let mut sums = *total;
            for k in 0..6 {
                sums[k] += moments[k] * force;
            }
            *total = sums;
            continue;
        }
        for (&dof, moment) in columns.iter().zip(moments) {
            total[dof as usize] += moment * force;
        }
    }
    if has_gravity_compensation(m) {
        add_gravity_compensation(m, d);
    }
    if support::any_set(&m.jnt_actfrclimited) {
        limit_joint_forces(m, &mut d.qfrc_actuator);
    }
}

/// Adds what joints leave to their actuators.
#[inline(never)]
fn add_gravity_compensation(m: &Model, d: &mut Data) {
    for j in (0..m.njnt).filter(|&j| m.jnt_actgravcomp[j] != 0) {
        let width = match JointType::from_raw(m.jnt_type[j]) {
            Some(JointType::Free) => 6,
            Some(JointType::Ball) => 3,
            _ => 1,
        };
        if let Some(start) = index(m.jnt_dofadr[j], m.nv) {
            for dof in start..(start + width).min(m.nv) {
                d.qfrc_actuator[dof] += d.qfrc_gravcomp[dof];
            }
        }
    }
}

/// Keeps the forces of joints within their limits.
#[inline(always)]
fn limit_joint_forces<T: Number>(m: &Model, force: &mut [T]) {
    for (j, &limited) in m.jnt_actfrclimited.iter().enumerate() {
        if limited != 0
            && let Some(dof) = index(m.jnt_dofadr[j], m.nv)
        {
            force[dof] = clip(force[dof], m.jnt_actfrcrange[j]);
        }
    }
}
