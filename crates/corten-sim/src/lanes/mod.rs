//! Four worlds of one model, side by side on one core.
//!
//! The smooth stages (poses, inertia, velocities, bias forces, the acceleration without
//! constraints, integration) do the same for every state: for four worlds they run once, each
//! number a register with one lane per world. What depends on contacts runs world by world in
//! between, on the [`Data`] of each: collision, constraint rows, their solver, sensors, and the
//! stages that few models have. Where nothing can touch and no joint is at its limit, there is
//! nothing in between, and a step stays in lanes from one state to the next. [`step`] gives the same
//! bits as [`fn@crate::step`] does for each of the worlds.
//!
//! Kernels are those of the stages themselves, compiled once more for [`Four`] (see
//! `data/smooth.rs`). Each `Data` remains the owner of its world: a step gathers states from the
//! four, and scatters results to them.

mod integrate;
mod plan;

use bytemuck::{cast_slice, cast_slice_mut};
use corten_math::array;
use corten_math::array::MapInline;
use corten_math::{Four, Mask, Number, transpose, wide};
use corten_model::enums::{DisableBit, EnableBit, Integrator, JointType};

use crate::data::smooth::Lanes;
use crate::model::Revision;
use crate::prepared::structure::Structure;
use crate::stage::collision::{self, Clearance, Frames};
use crate::stage::{
    acceleration, actuation, constraint, inertia, kinematics, passive, sensor, tendon, velocity,
};
use crate::step as stages;
use crate::{Data, Model, StepError, check};
use plan::Plan;

/// How many worlds go side by side.
pub const WORLDS: usize = Four::LANES;

/// What comes of a step of each world.
type Results = [Result<(), StepError>; WORLDS];

/// Longest path of degrees of freedom; beyond it, the solution of a triangular system skips zeros.
const DEEPEST: usize = 64;

/// Degrees of freedom beyond which the data of four worlds no longer stay in the cache of a core: 22
/// humanoids, 594 of them, took a tenth longer.
const LARGEST: usize = 128;

/// All worlds of a group but the first, and its working memory.
#[derive(Clone, Debug)]
pub struct LaneGroup {
    pub others: [Data; WORLDS - 1],
    pub lanes: LaneScratch,
}

/// Working memory of a group of worlds.
#[derive(Clone, Debug)]
pub struct LaneScratch {
    lanes: Lanes,
    plan: Plan,
    clearance: Clearance,
    /// Of the model that plan and clearance are of; `None` if it may have been written to unnoticed.
    revision: Option<Revision>,
}

impl LaneScratch {
    fn new(m: &Model, d: &Data) -> LaneScratch {
        let lanes = Lanes::new(m, d);
        let plan = Plan::new(m, &lanes.prepared);
        let revision = Some(m.revision().clone());
        LaneScratch { lanes, plan, clearance: Clearance::default(), revision }
    }

    /// Takes up a model, which may be another one than the last, of the same layout.
    fn take_model(&mut self, m: &Model) {
        if self.revision.as_ref() == Some(m.revision()) {
            return;
        }
        self.lanes.prepared.clone_from(m.prepared());
        self.plan = Plan::new(m, &self.lanes.prepared);
        self.clearance.reset();
        self.revision = Some(m.revision().clone());
    }

    /// Swaps what is known about the room between bodies: for groups of one model that share working
    /// memory.
    pub fn swap_clearance(&mut self, other: &mut Clearance) {
        self.clearance.swap(other);
    }
}

/// The group that a [`Data`] keeps between calls; copies start without.
#[derive(Debug, Default)]
pub(crate) struct KeptGroup(Option<Box<LaneGroup>>);

impl Clone for KeptGroup {
    fn clone(&self) -> KeptGroup {
        KeptGroup(None)
    }
}

/// Whether worlds of this model can go side by side here, and gain from it.
pub fn supported(m: &Model, d: &Data) -> bool {
    (1..=LARGEST).contains(&m.nv)
        && m.nflex == 0
        && !m.opt.enabled(EnableBit::Sleep)
        && !m.opt.enabled(EnableBit::FwdInv)
        && m.opt.integrator != Integrator::Rk4
        && d.prepared.structure.mass.width() <= DEEPEST
        && d.prepared.structure.mass.size() == m.nv
        && d.hooks.get().is_none()
        && m.extensions().is_empty()
        && !is_pile(m)
}

/// Whether a model is of loose bodies, enough of them that four of one world go side by side: four
/// worlds took a tenth longer than one after the other.
fn is_pile(m: &Model) -> bool {
    m.ntree >= WORLDS && m.body_treeid.iter().filter(|&&tree| tree >= 0).count() == m.ntree
}

impl LaneGroup {
    /// The group that `d` keeps, or a new one; [`Self::give_back`] returns it. Fails only if the
    /// data was made for a model of other sizes.
    pub fn take_or_make(m: &Model, d: &mut Data) -> Result<Box<LaneGroup>, StepError> {
        d.bind(m)?;
        let Some(mut group) = d.scratch.lane_group.0.take() else {
            let others = array::from_fn(|_| d.clone());
            return Ok(Box::new(LaneGroup { others, lanes: LaneScratch::new(m, d) }));
        };
        for other in &mut group.others {
            other.bind(m)?;
            other.budget = d.budget;
            other.cancel.clone_from(&d.cancel);
        }
        group.lanes.take_model(m);
        Ok(group)
    }

    /// Makes the group that `d` keeps forget what it knows about the model, whose parameters
    /// somebody may have written to through pointers.
    pub fn forget_model(d: &mut Data) {
        if let Some(group) = &mut d.scratch.lane_group.0 {
            group.lanes.revision = None;
        }
    }

    /// Returns the group to the world that it was made for.
    pub fn give_back(self: Box<LaneGroup>, d: &mut Data) {
        d.scratch.lane_group.0 = Some(self);
    }
}

/// Fields of the four worlds to lanes.
macro_rules! gather {
    ($lanes:expr, $worlds:expr; $($name:ident)*) => {$(
        transpose::gather(
            $worlds.each_ref().map_inline(|d| bytemuck::cast_slice(&d.$name)),
            bytemuck::cast_slice_mut(&mut $lanes.$name),
        );
    )*};
}

/// Lanes to the fields of the four worlds.
macro_rules! scatter {
    ($lanes:expr, $worlds:expr; $($name:ident)*) => {$(
        transpose::scatter(
            bytemuck::cast_slice(&$lanes.$name),
            $worlds.each_mut().map_inline(|d| bytemuck::cast_slice_mut(&mut d.$name)),
        );
    )*};
}

use {gather, scatter};

/// Advances four worlds by one time step; the model must be one that is [`supported`].
///
/// With `all`, every field of each `Data` is then what [`fn@crate::step`] leaves there. Without, those
/// that neither the next step nor a later stage of this one needs may still be of an earlier step.
/// Numbers have the same bits; the sign of NaN may differ.
pub fn step(
    m: &Model,
    scratch: &mut LaneScratch,
    worlds: &mut [&mut Data; WORLDS],
    all: bool,
) -> Results {
    let LaneScratch { lanes: l, plan, clearance, .. } = scratch;
    let all = all || plan.reads_all;

    for d in worlds.iter_mut() {
        if let Err(cancelled) = d.look_for_cancellation(100 * m.nv) {
            return [const { Ok(()) }; WORLDS]
                .map_inline(|_: Result<(), StepError>| Err(cancelled.clone()));
        }
    }
    let mut results = begin(m, l, worlds);
    smooth_position(m, l, plan);
    velocity::velocities_and_bias_kernel(m, l);
    let with_forces = !all && plan.forces && worlds.iter().all(|d| are_inputs_known(d));
    if with_forces {
        gather!(l, worlds; ctrl qfrc_applied);
        smooth_dynamics(m, l);
    }
    let (mut clear, mut placed) = ([true; WORLDS], false);
    if plan.contacts {
        clear = clearance.holds(frames(l));
        placed = search_clearances(m, l, worlds, clearance, &mut clear);
    }
    if with_forces && plan.loose && clear == [true; WORLDS] && is_free(m, l, plan) {
        integrate::advance_freely(m, l, worlds, plan, &mut results);
        return results;
    }
    let reads_frames = plan.reads_frames || !with_forces || clear != [true; WORLDS];
    if reads_frames && !placed {
        kinematics::geoms_and_sites_kernel(m, l);
    }
    let outputs = Outputs { all, with_forces, reads_frames };
    outputs.scatter(l, worlds, plan);

    // One world after the other, each as far as it goes: its rows stay in the cache. One whose numbers
    // went bad has been reset, and its forward pass repeated: it goes on by itself. Where automatic
    // reset is disabled, it stays with the others.
    let reset = !m.opt.disabled(DisableBit::AutoReset);
    let mut alone = [false; WORLDS];
    for (k, d) in worlds.iter_mut().enumerate() {
        outputs.finish_forward(m, d, plan, clearance, clear[k]);
        if d.is_stopped() {
            alone[k] = true;
            note(&mut results[k], d.check_stop());
            continue;
        }
        note(&mut results[k], check::control(m, d));
        let acceleration = check::acceleration(m, d);
        alone[k] = reset && acceleration.is_err();
        note(&mut results[k], acceleration);
    }
    integrate::advance(m, l, worlds, plan, [all, with_forces], alone);
    note_integrated(m, worlds, &mut results);
    results
}

/// Which results of lanes the worlds need.
#[derive(Clone, Copy)]
struct Outputs {
    /// Those that only users read.
    all: bool,
    /// The acceleration without constraints, instead of what it is computed from.
    with_forces: bool,
    /// Frames of geoms, sites and bodies' inertia.
    reads_frames: bool,
}

impl Outputs {
    fn scatter(self, l: &Lanes, worlds: &mut [&mut Data; WORLDS], plan: &Plan) {
        scatter!(l, worlds; M);
        if plan.joint_inertia {
            scatter!(l, worlds; qLD qLDiagInv);
        }
        if self.with_forces {
            scatter!(l, worlds; qfrc_smooth qacc_smooth);
        } else {
            scatter!(l, worlds; qfrc_bias);
        }
        if self.reads_frames {
            scatter!(l, worlds;
                xipos ximat geom_xpos geom_xmat site_xpos site_xmat subtree_com cdof);
        }
        if self.all || plan.reads_frames {
            scatter!(l, worlds; xpos xquat xmat);
        }
        if self.all {
            scatter!(l, worlds; xanchor xaxis cinert crb cvel cdof_dot);
        }
    }

    /// The rest of the forward pass of one world, which is `clear` if nothing can touch there.
    fn finish_forward(
        self,
        m: &Model,
        d: &mut Data,
        plan: &Plan,
        clearance: &mut Clearance,
        clear: bool,
    ) {
        if self.all {
            kinematics::cameras_and_lights(m, d);
        }
        tendon::tendon(m, d);
        if !plan.joint_inertia {
            inertia::tendon_armature(m, d);
            inertia::factor(m, d);
        }
        if clear {
            collision::clear(d);
            stages::rows_of_contacts(m, d);
        } else {
            stages::rows(m, d);
            if d.is_stopped() {
                return;
            }
            collision::set_clearance_pairs(m, d, clearance);
        }
        if self.with_forces {
            tendon::velocity(m, d);
            constraint::reference(m, d);
            actuation::controls_are_sane(d);
        } else {
            stages::transmissions(m, d);
            stages::position_outputs(m, d, true);
            stages::velocity_effects(m, d);
            stages::velocity_outputs(m, d, true);
            stages::smooth_dynamics(m, d);
        }
        stages::constraint_forces(m, d);
        sensor::acceleration(m, d);
    }
}

/// Looks for clearances of worlds that have none; tells whether geoms and sites had to be placed.
fn search_clearances(
    m: &Model,
    l: &mut Lanes,
    worlds: &mut [&mut Data; WORLDS],
    clearance: &mut Clearance,
    clear: &mut [bool; WORLDS],
) -> bool {
    let mut placed = false;
    for (lane, (clear, d)) in clear.iter_mut().zip(worlds).enumerate() {
        if !*clear && clearance.is_due(lane) {
            if !placed {
                kinematics::geoms_and_sites_kernel(m, l);
                placed = true;
            }
            let (xpos, xmat) = (&mut d.geom_xpos, &mut d.geom_xmat);
            transpose::scatter_one(cast_slice(&l.geom_xpos), lane, cast_slice_mut(xpos));
            transpose::scatter_one(cast_slice(&l.geom_xmat), lane, cast_slice_mut(xmat));
            *clear = collision::search_clearance(m, d, clearance, frames(l), lane);
        }
    }
    placed
}

/// Puts the states of worlds into lanes, after a look at their numbers.
fn begin(m: &Model, l: &mut Lanes, worlds: &mut [&mut Data; WORLDS]) -> Results {
    gather!(l, worlds; qpos qvel mocap_pos mocap_quat);
    if is_sane(&[&l.qpos, &l.qvel]) {
        return [const { Ok(()) }; WORLDS];
    }
    let state = worlds.each_mut().map_inline(|d| check::state(m, d));
    gather!(l, worlds; qpos qvel mocap_pos mocap_quat);
    state
}

/// Keeps the first error.
fn note(result: &mut Result<(), StepError>, next: Result<(), StepError>) {
    if result.is_ok() {
        *result = next;
    }
}

/// Notes what integration made of the velocities.
fn note_integrated(m: &Model, worlds: &[&mut Data; WORLDS], results: &mut Results) {
    for (result, d) in results.iter_mut().zip(worlds) {
        note(result, check::integrated(m, d));
    }
}

/// Poses, centres of mass, spatial inertias, the mass matrix and its factor.
fn smooth_position(m: &Model, l: &mut Lanes, plan: &Plan) {
    kinematics::body_frames_kernel(m, l);
    inertia::centers_of_mass_kernel(m, l);
    inertia::mass_matrix_kernel(m, l);
    if plan.joint_inertia {
        inertia::factor_of(m, l);
    }
}

/// Whether the inputs of a world are those that lanes know: sane controls, no forces on bodies.
fn are_inputs_known(d: &Data) -> bool {
    !d.ctrl.iter().any(|&u| check::is_bad(u)) && !acceleration::has_applied_forces(d)
}

/// Forces of a model whose forces lanes know, and the acceleration without constraints.
fn smooth_dynamics(m: &Model, l: &mut Lanes) {
    passive::joint_forces_kernel(m, l);
    actuation::direct_joint_forces_kernel(m, l);
    acceleration::joint_forces_kernel(m, l);
    acceleration::without_constraints(m, l);
}

/// The frames of bodies.
fn frames(l: &Lanes) -> Frames<'_> {
    Frames { xpos: &l.xpos, xquat: &l.xquat, xmat: &l.xmat }
}

/// Whether no joint is at its limit in any world, and all accelerations are sane.
fn is_free(m: &Model, l: &Lanes, plan: &Plan) -> bool {
    !(plan.limits && at_limits(m, &l.prepared.structure, &l.qpos)) && is_sane(&[&l.qacc_smooth])
}

wide! {
    /// Whether a hinge or a slide is at its limit.
    fn at_limits(m: &Model, s: &Structure, qpos: &[Four]) -> bool {
        let joints = s.joints.iter().zip(&m.jnt_limited);
        let limits = m.jnt_range.iter().zip(&m.jnt_margin);
        let qpos: &[Simd] = cast_slice(qpos);
        let mut far = Simd::splat(0.0).le(Simd::splat(0.0));
        for ((joint, &limited), (&[low, high], &margin)) in joints.zip(limits) {
            if limited != 0 && matches!(joint.kind, JointType::Hinge | JointType::Slide) {
                let (q, margin) = (qpos[joint.qpos()], Simd::splat(margin));
                far = far.and(margin.le(q - Simd::splat(low)));
                far = far.and(margin.le(Simd::splat(high) - q));
            }
        }
        !far.all()
    }

    /// Whether all numbers are sane, by the sum of their magnitudes.
    fn is_sane(numbers: &[&[Four]]) -> bool {
        let mut sum = Simd::splat(0.0);
        for numbers in numbers {
            for x in cast_slice::<Four, Simd>(numbers) {
                sum += x.abs();
            }
        }
        sum.le(Simd::splat(check::MAX_VAL)).all()
    }
}
