//! The pipeline and its stages, under MuJoCo's names.

use corten_model::enums::Stage;
use corten_sim::stage::{
    acceleration, actuation, body_force, collision, constraint, energy, flex, inertia, kinematics,
    passive, sensor, tendon, transmission, velocity,
};
use corten_sim::{Data, Model, OnExcess, check, integrate, inverse, solve, step};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::callbacks::warn;
use crate::data::PyData;
use crate::errors::{fatal, step_error};
use crate::model::PyModel;
use crate::run::run;
use crate::util::add_functions;

/// Declares functions of a model and its data that return nothing.
macro_rules! stages {
    ($($(#[$doc:meta])* $name:ident => $f:expr;)*) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            fn $name(py: Python<'_>, m: &PyModel, d: &PyData) -> PyResult<()> {
                run(py, m, d, |m, d| {
                    // A bad state is counted in `warning` and reset, as in MuJoCo.
                    let _ = ($f)(m, d);
                })
            }
        )*

        pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_function(wrap_pyfunction!($name, module)?)?;)*
            add_functions!(module;
                mj_step, mj_forward, step_checked, mj_forwardSkip, mj_inverseSkip, mj_resetDataKeyframe, mj_resetDataDebug, mj_RungeKutta,
            );
            Ok(())
        }
    };
}

stages! {
    /// Inverse dynamics: qacc must be set before calling.
    mj_inverse => inverse::inverse;
    /// The part of a step before controls are needed.
    mj_step1 => step::step1;
    /// The part of a step after controls are set.
    mj_step2 => step::step2;
    /// Everything that depends on positions.
    mj_fwdPosition => step::position;
    /// Everything that depends on velocities.
    mj_fwdVelocity => step::velocity;
    /// Actuator forces.
    mj_fwdActuation => actuation::actuation;
    /// Unconstrained acceleration.
    mj_fwdAcceleration => acceleration::acceleration;
    /// Constraint forces and constrained acceleration.
    mj_fwdConstraint => solve::constraint;
    /// Poses of bodies, joints, geoms and sites.
    mj_kinematics => kinematics::kinematics;
    /// Centres of mass, spatial inertias and motion axes.
    mj_comPos => inertia::centers_of_mass;
    /// Camera and light poses.
    mj_camlight => kinematics::cameras_and_lights;
    /// Vertices, bounds and edges of flexes.
    mj_flex => flex::flex;
    /// Tendon lengths and Jacobians.
    mj_tendon => tendon::tendon;
    /// Actuator lengths and moments.
    mj_transmission => transmission::transmission;
    /// Composite inertias and the mass matrix.
    mj_crb => inertia::mass_matrix;
    /// The mass matrix.
    mj_makeM => inertia::mass_matrix;
    /// The factor of the mass matrix.
    mj_factorM => inertia::factor;
    /// Spatial velocities.
    mj_comVel => velocity::body_velocities;
    /// Passive forces.
    mj_passive => passive::passive;
    /// Contacts.
    mj_collision => collision::collision;
    /// Constraint rows.
    mj_makeConstraint => constraint::make;
    /// Velocities and reference accelerations of the constraint rows.
    mj_referenceConstraint => constraint::reference;
    /// Islands of coupled trees.
    mj_island => solve::island::find;
    /// The dual problem, if the solver needs it.
    mj_projectConstraint => solve::project;
    /// Sensors of positions.
    mj_sensorPos => sensor::position;
    /// Sensors of velocities.
    mj_sensorVel => sensor::velocity;
    /// Sensors of accelerations and forces.
    mj_sensorAcc => sensor::acceleration;
    /// Potential energy.
    mj_energyPos => energy::potential;
    /// Kinetic energy.
    mj_energyVel => energy::kinetic;
    /// Resets if a position is bad.
    mj_checkPos => check::position;
    /// Resets if a velocity is bad.
    mj_checkVel => check::velocity;
    /// Resets and repeats the forward pass if an acceleration is bad.
    mj_checkAcc => check::acceleration;
    /// Semi-implicit Euler integration.
    mj_Euler => integrate::euler;
    /// Integration that is implicit in velocity.
    mj_implicit => integrate::implicit;
    /// Discrepancy between forward and inverse dynamics.
    mj_compareFwdInv => inverse::compare_forward;
    /// Constraint forces from accelerations.
    mj_invConstraint => solve::inverse_constraint;
    /// Momentum of subtrees.
    mj_subtreeVel => velocity::subtree_velocities;
    /// Accelerations and forces of bodies.
    mj_rnePostConstraint => body_force::body_forces;
    /// Everything that positions alone determine about poses.
    mj_fwdKinematics => |m: &Model, d: &mut Data| {
        kinematics::kinematics(m, d);
        inertia::centers_of_mass(m, d);
        kinematics::cameras_and_lights(m, d);
        tendon::tendon(m, d);
    };
    /// Everything that depends on positions, as inverse dynamics needs it.
    mj_invPosition => inverse::position;
    /// Everything that depends on velocities, as inverse dynamics needs it.
    mj_invVelocity => step::velocity;
    /// Back to the reference pose.
    mj_resetData => |m: &Model, d: &mut Data| d.reset(m);
}

/// Advances the simulation. Optionally, repeat nstep times. The first time that numbers go bad there is a warning
/// that names the place, as MuJoCo prints one; and one in the life of the data if conjugate gradients
/// do not converge, which the strict solver makes an exception.
#[pyfunction]
#[pyo3(signature = (m, d, nstep=1))]
fn mj_step(py: Python<'_>, m: &PyModel, d: &PyData, nstep: i32) -> PyResult<()> {
    let (first_bad, message) = run(py, m, d, |m, d| {
        let silent = d.warning.iter().any(|w| w.number > 0);
        let mut first_bad = None;
        for _ in 0..nstep {
            match step(m, d) {
                Err(
                    bad @ (corten_sim::StepError::SolverFailed { .. }
                    | corten_sim::StepError::Memory { .. }
                    | corten_sim::StepError::Extension { .. }),
                ) => return (Some(bad), None),
                Err(corten_sim::StepError::Cancelled { .. }) => break,
                Err(bad) => drop(first_bad.get_or_insert(bad)),
                Ok(()) => {}
            }
        }
        (first_bad.filter(|_| !silent), d.solver.take_message())
    })?;
    if let Some(message) = message {
        warn(py, &message)?;
    }
    match first_bad {
        None => Ok(()),
        Some(
            bad @ (corten_sim::StepError::SolverFailed { .. }
            | corten_sim::StepError::Memory { .. }
            | corten_sim::StepError::Extension { .. }),
        ) => Err(step_error(&bad)),
        Some(bad) => warn(py, &format!("{bad}; see the counters in MjData.warning")),
    }
}

/// Advances the simulation by `nstep` steps; an exception if numbers went bad on the way.
#[pyfunction]
fn step_checked(py: Python<'_>, m: &PyModel, d: &PyData, nstep: usize) -> PyResult<()> {
    run(py, m, d, |m, d| {
        d.budget.on_excess = OnExcess::Fail;
        let result = (0..nstep).try_for_each(|_| step(m, d));
        d.budget.on_excess = OnExcess::Keep;
        result
    })?
    .map_err(|e| step_error(&e))
}

/// How functions fail that do not step: the data is of a model of other sizes, the strict solver
/// does not converge, or memory is refused.
fn failure(error: corten_sim::StepError) -> PyErr {
    match error {
        corten_sim::StepError::SolverFailed { .. }
        | corten_sim::StepError::Memory { .. }
        | corten_sim::StepError::Extension { .. } => step_error(&error),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// Forward dynamics: everything that follows from state and controls.
#[pyfunction]
fn mj_forward(py: Python<'_>, m: &PyModel, d: &PyData) -> PyResult<()> {
    run(py, m, d, step::forward)?.map_err(failure)
}

/// Forward dynamics, reusing the results of all stages up to `skipstage`.
#[pyfunction]
fn mj_forwardSkip(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    skipstage: i32,
    skipsensor: i32,
) -> PyResult<()> {
    let done = Stage::from_raw(skipstage).unwrap_or(Stage::None);
    run(py, m, d, |m, d| step::forward_skip(m, d, done, skipsensor == 0))?.map_err(failure)
}

/// Inverse dynamics, reusing the results of all stages up to `skipstage`.
#[pyfunction]
fn mj_inverseSkip(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    skipstage: i32,
    skipsensor: i32,
) -> PyResult<()> {
    let done = Stage::from_raw(skipstage).unwrap_or(Stage::None);
    run(py, m, d, |m, d| inverse::inverse_skip(m, d, done, skipsensor == 0))?.map_err(failure)
}

/// Resets, then loads a keyframe if it exists.
#[pyfunction]
fn mj_resetDataKeyframe(py: Python<'_>, m: &PyModel, d: &PyData, key: i32) -> PyResult<()> {
    let key = usize::try_from(key).unwrap_or(usize::MAX);
    run(py, m, d, |m, d| d.reset_to_keyframe(m, key).map(drop))?.map_err(failure)
}

/// Resets; what MuJoCo fills with `debug_value` to find missing initialisation is zero here.
#[pyfunction]
fn mj_resetDataDebug(py: Python<'_>, m: &PyModel, d: &PyData, debug_value: u8) -> PyResult<()> {
    let _ = debug_value;
    run(py, m, d, |m, d| d.reset(m))?.map_err(failure)
}

/// Runge-Kutta integration of fourth order, the only one there is.
#[pyfunction]
fn mj_RungeKutta(py: Python<'_>, m: &PyModel, d: &PyData, N: i32) -> PyResult<()> {
    if N != 4 {
        return Err(fatal(format!("Runge-Kutta integration is of order 4, not {N}")));
    }
    run(py, m, d, integrate::runge_kutta)
}
