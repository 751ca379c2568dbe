//! Four worlds of one model, side by side on one core.
//!
//! The smooth stages (poses, inertia, velocities, bias forces, the acceleration without
//! constraints, integration) do the same for every state: for four worlds they run once, each
//! number a register with one lane per world. What depends on contacts runs world by world in
//! between, on the [`Data`] of each: collision, constraint rows, their solver, sensors, and the
//! stages that few models have. [`step`] gives the same bits as [`crate::step`] does for each of
//! the worlds.
//!
//! Kernels are those of the stages themselves, compiled once more for [`Four`] (see
//! `data/smooth.rs`). Each `Data` remains the owner of its world: a step gathers states from the
//! four, and scatters results to them.

mod forces;

use corten_math::{Four, Number, transpose, wide};
use corten_model::Model;
use corten_model::enums::{EnableBit, Integrator, Transmission};

use crate::data::smooth::{Lanes, Worlds};
use crate::stage::passive::fluid;
use crate::stage::{
    acceleration, actuation, constraint, inertia, kinematics, passive, tendon, transmission,
    velocity,
};
use crate::step as stages;
use crate::{Data, StepError, check, integrate, support};

/// How many worlds go side by side.
pub const WORLDS: usize = Four::LANES;

/// Longest path of degrees of freedom; beyond it, the solution of a triangular system skips zeros.
const DEEPEST: usize = 64;

/// Degrees of freedom beyond which the data of four worlds no longer stay in the cache of a core: 22
/// humanoids, 594 of them, took a tenth longer.
const LARGEST: usize = 128;

/// Working memory of a group of worlds, and all of its worlds but the first.
#[derive(Clone, Debug)]
pub struct Companions {
    pub others: [Data; WORLDS - 1],
    pub lanes: Group,
}

/// Working memory of a group of worlds.
#[derive(Clone, Debug)]
pub struct Group(Lanes);

/// The companions that a [`Data`] keeps between calls; copies start without.
#[derive(Debug, Default)]
pub(crate) struct Kept(Option<Box<Companions>>);

impl Clone for Kept {
    fn clone(&self) -> Kept {
        Kept(None)
    }
}

/// Whether worlds of this model can go side by side here, and gain from it.
pub fn supported(m: &Model, d: &Data) -> bool {
    let integrator = Integrator::from_raw(m.opt.integrator);
    Four::available()
        && (1..=LARGEST).contains(&m.nv)
        && m.nflex == 0
        && m.opt.tolerance > 0.0
        && !m.opt.enabled(EnableBit::Sleep)
        && !m.opt.enabled(EnableBit::FwdInv)
        && integrator.is_some_and(|i| i != Integrator::Rk4)
        && d.scratch.structure.mass.width() <= DEEPEST
        && d.scratch.structure.mass.size() == m.nv
        && d.hooks.get().is_none()
}

impl Companions {
    /// Company for a world; `d` keeps it, once it is given back.
    pub fn of(m: &Model, d: &mut Data) -> Box<Companions> {
        match d.scratch.companions.0.take() {
            Some(companions) => companions,
            None => Box::new(Companions {
                others: std::array::from_fn(|_| d.clone()),
                lanes: Group(Lanes::new(m, d)),
            }),
        }
    }

    /// Leaves the companions to the world they were made for.
    pub fn keep(self: Box<Companions>, d: &mut Data) {
        d.scratch.companions.0 = Some(self);
    }
}

/// Fields of the four worlds to lanes.
macro_rules! gather {
    ($lanes:expr, $worlds:expr; $($name:ident)*) => {$(
        transpose::gather(
            $worlds.each_ref().map(|d| bytemuck::cast_slice(&d.$name)),
            bytemuck::cast_slice_mut(&mut $lanes.$name),
        );
    )*};
}

/// Lanes to the fields of the four worlds.
macro_rules! scatter {
    ($lanes:expr, $worlds:expr; $($name:ident)*) => {$(
        transpose::scatter(
            bytemuck::cast_slice(&$lanes.$name),
            $worlds.each_mut().map(|d| bytemuck::cast_slice_mut(&mut d.$name)),
        );
    )*};
}

/// Advances four worlds by one time step; the model must be one that is [`supported`].
///
/// With `all`, every field of each `Data` is then what [`crate::step`] leaves there. Without, those
/// that neither the next step nor a later stage of this one needs may still be of an earlier step.
pub fn step(
    m: &Model,
    group: &mut Group,
    worlds: &mut [&mut Data; WORLDS],
    all: bool,
) -> [Result<(), StepError>; WORLDS] {
    let l = &mut group.0;
    let all = all || reads_all(m);
    let joint_inertia = !m.tendon_armature.iter().any(|&a| a != 0.0);

    let state = worlds.each_mut().map(|d| check::state(m, d));
    gather!(l, worlds; qpos qvel mocap_pos mocap_quat);
    smooth_position(m, l);
    if joint_inertia {
        factor(l);
    }
    velocity::motion(m, l);
    scatter!(l, worlds;
        xipos ximat geom_xpos geom_xmat site_xpos site_xmat
        subtree_com cdof M qfrc_bias);
    if joint_inertia {
        scatter!(l, worlds; qLD qLDiagInv);
    }
    if all || reads_frames(m) {
        scatter!(l, worlds; xpos xquat xmat);
    }
    if all {
        scatter!(l, worlds; xanchor xaxis cinert crb cvel cdof_dot);
    }

    let with_forces =
        !all && forces::cover(m, &l.structure) && worlds.iter().all(|d| forces::accept(d));
    if with_forces {
        gather!(l, worlds; ctrl qfrc_applied);
        forces::smooth_acceleration(m, l);
        scatter!(l, worlds; qfrc_smooth qacc_smooth);
    }

    // One world after the other, each as far as it goes: its rows stay in the cache.
    let mut results = [const { [Ok(()), Ok(())] }; WORLDS];
    for (k, d) in worlds.iter_mut().enumerate() {
        if all {
            kinematics::cameras_and_lights(m, d);
        }
        tendon::tendon(m, d);
        if !joint_inertia {
            inertia::tendon_armature(m, d);
            inertia::factor(m, d);
        }
        stages::rows(m, d);
        if with_forces {
            tendon::velocity(m, d);
            constraint::reference(m, d);
            actuation::controls_are_sane(d);
        } else {
            transmission::transmission(m, d);
            stages::position_outputs(m, d, true);
            tendon::velocity(m, d);
            transmission::velocity(m, d);
            passive::passive(m, d);
            constraint::reference(m, d);
            tendon::bias(m, d);
            stages::velocity_outputs(m, d, true);
            actuation::actuation(m, d);
            acceleration::acceleration(m, d);
        }
        results[k] = stages::constrained(m, d);
    }

    // A world whose numbers went bad has had its forward pass repeated: it goes on by itself.
    let alone = results.each_ref().map(|[_, acceleration]| acceleration.is_err());
    match Integrator::from_raw(m.opt.integrator) {
        Some(Integrator::Euler) | None if joint_inertia => {
            if integrate::damped(m, worlds[0]) {
                damped(m, l);
                implicit_acceleration(l, worlds);
                if all {
                    scatter!(l, worlds; qH qHDiagInv);
                }
            } else {
                gather!(l, worlds; qacc);
            }
            advance(m, l, worlds, alone);
        }
        Some(Integrator::ImplicitFast) if with_forces => {
            l.qH.copy_from_slice(&l.M);
            forces::subtract_velocity_derivative(m, l);
            implicit_acceleration(l, worlds);
            advance(m, l, worlds, alone);
        }
        _ => worlds.iter_mut().for_each(|d| integrate::advance(m, d)),
    }

    let mut state = state.into_iter();
    let mut worlds = worlds.iter();
    results.map(|[control, acceleration]| {
        let (state, world) = (state.next().unwrap_or(Ok(())), worlds.next());
        let integrated = |()| world.map_or(Ok(()), |d| check::integrated(m, d));
        state.and(control).and(acceleration).and_then(integrated)
    })
}

/// Whether something in the middle of a step reads what is otherwise left for its end.
fn reads_all(m: &Model) -> bool {
    m.nsensor > 0
        || m.opt.enabled(EnableBit::Energy)
        || m.ngravcomp > 0
        || fluid::present(m)
        || m.tendon_armature.iter().any(|&a| a != 0.0)
        || !matches!(
            Integrator::from_raw(m.opt.integrator),
            Some(Integrator::Euler | Integrator::ImplicitFast)
        )
}

/// Whether constraints, tendons or actuators refer to frames of bodies.
fn reads_frames(m: &Model) -> bool {
    m.neq + m.ntendon > 0 || m.actuator_trntype.iter().any(|&t| t != Transmission::Joint.raw())
}

/// Poses, centres of mass, spatial inertias, the mass matrix.
fn smooth_position(m: &Model, l: &mut Lanes) {
    kinematics::poses(m, l);
    inertia::about_centers(m, l);
    inertia::joint_inertia(m, l);
}

/// The factor of `M`.
fn factor(l: &mut Lanes) {
    l.qLD.copy_from_slice(&l.M);
    l.structure.mass.factor(&mut l.qLD, &mut l.qLDiagInv);
}

/// The acceleration over the step, implicit in velocity; `qH` is factored.
fn implicit_acceleration(l: &mut Lanes, worlds: &mut [&mut Data; WORLDS]) {
    gather!(l, worlds; qfrc_smooth qfrc_constraint);
    let pattern = &l.structure.mass;
    pattern.factor(&mut l.qH, &mut l.qHDiagInv);
    let forces = l.qfrc_smooth.iter().zip(&l.qfrc_constraint);
    for (a, (smooth, constraint)) in l.qacc.iter_mut().zip(forces) {
        for k in 0..WORLDS {
            a.0[k] = smooth.0[k] + constraint.0[k];
        }
    }
    pattern.solve(&l.qH, &l.qHDiagInv, &mut l.qacc);
}

/// Advances all but the worlds that go alone.
fn advance(m: &Model, l: &mut Lanes, worlds: &mut [&mut Data; WORLDS], alone: [bool; WORLDS]) {
    move_joints(m, l);
    if alone.contains(&true) {
        for (lane, d) in worlds.iter_mut().enumerate() {
            if !alone[lane] {
                transpose::scatter_one(&l.qvel, lane, &mut d.qvel);
                transpose::scatter_one(&l.qpos, lane, &mut d.qpos);
            }
        }
    } else {
        scatter!(l, worlds; qvel qpos);
    }
    for (d, alone) in worlds.iter_mut().zip(alone) {
        if alone {
            integrate::advance(m, d);
        } else {
            integrate::advance_rest(m, d);
        }
    }
}

wide! {
    /// `qH`: the mass matrix, with the damping of joints over a time step.
    fn damped(m: &Model, l: &mut Lanes) {
        let pattern = &l.structure.mass;
        l.qH.copy_from_slice(&l.M);
        for (i, b) in m.dof_damping.iter().enumerate().take(pattern.size()) {
            l.qH[pattern.diagonal_entry(i)] += Four::of(m.opt.timestep * b);
        }
    }

    /// Velocities and positions at the end of the step.
    fn move_joints(m: &Model, l: &mut Lanes) {
        let v = l.smooth(m);
        let h = m.opt.timestep;
        for (vel, a) in v.qvel.iter_mut().zip(v.qacc.iter()) {
            *vel += *a * Four::of(h);
        }
        support::integrate_all_joints(v.structure, v.qpos, v.qvel, h);
    }
}
