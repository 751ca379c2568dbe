//! Inverse dynamics: the forces behind a given acceleration.
//!
//! Reads `qpos qvel qacc`; writes `qfrc_inverse = M q̈ + bias − passive − constraint`, and all that the
//! forward pass would compute on the way. Answers to `mj_inverse`.
//!
//! Constraint forces follow from the acceleration in closed form, because the forward problem is
//! the minimum of a strictly convex cost (Todorov 2014, *Convex and analytically-invertible
//! dynamics with contacts and constraints*).

use corten_model::enums::{DisableBit, EnableBit, Integrator, Stage, Timer};

use crate::integrate::spring_damper;
use crate::stage::{acceleration, collision, constraint, energy, sensor};
use crate::support::Chains;
use crate::{Data, Model, StepError, awake, derivative, sleep, solve, step, timer};

/// Joint forces that produce `qacc`. Fails only if the data was made for a model of other sizes.
pub fn inverse(m: &Model, d: &mut Data) -> Result<(), StepError> {
    inverse_skip(m, d, Stage::None, true)
}

/// [`inverse`], reusing the results of all stages up to `done`; sensors on request.
pub fn inverse_skip(m: &Model, d: &mut Data, done: Stage, sensors: bool) -> Result<(), StepError> {
    d.bind(m)?;
    d.forget_failure();
    d.attempt(|d| inverse_bound(m, d, done, sensors));
    d.check_stop()
}

/// [`inverse_skip`] of data that is bound to the model.
pub(crate) fn inverse_bound(m: &Model, d: &mut Data, done: Stage, sensors: bool) {
    let timer = timer::start(d);
    let energies = m.opt.enabled(EnableBit::Energy);
    if done < Stage::Pos {
        position_bound(m, d);
        if d.is_stopped() {
            return;
        }
        if sensors {
            sensor::position(m, d);
        }
        if energies {
            energy::potential(m, d);
        }
    }
    if done < Stage::Vel {
        step::velocity_bound(m, d);
        if sensors {
            sensor::velocity(m, d);
        }
        if energies {
            energy::kinetic(m, d);
        }
    }

    let discrete = m.opt.enabled(EnableBit::InvDiscrete);
    if discrete {
        d.scratch.inverse.qacc.clone_from(&d.qacc);
        to_continuous(m, d);
    }

    let constraint_timer = timer::start(d);
    solve::inverse_constraint(m, d);
    constraint_timer.stop(d, Timer::Constraint);
    if sensors {
        sensor::acceleration(m, d);
    }

    if sleep::filters(m, d) {
        // Sleeping dofs are at rest: nothing has computed their bias.
        d.qfrc_inverse.fill(0.0);
        for k in awake::dofs!(m, d).iter() {
            d.qfrc_inverse[k] = d.qfrc_bias[k];
        }
    } else {
        d.qfrc_inverse.copy_from_slice(&d.qfrc_bias);
    }
    let momentum = &mut d.scratch.dof[0];
    d.prepared.structure.mass.mul(&d.M, &d.qacc, momentum);
    let known = d.qfrc_passive.iter().zip(&d.qfrc_constraint);
    for ((f, ma), (passive, constraint)) in d.qfrc_inverse.iter_mut().zip(momentum).zip(known) {
        *f += *ma - passive - constraint;
    }
    if discrete {
        d.qacc.copy_from_slice(&d.scratch.inverse.qacc);
    }
    timer.stop(d, Timer::Inverse);
}

/// All that depends on positions only; islands and dual problems are not needed here.
pub fn position(m: &Model, d: &mut Data) -> Result<(), StepError> {
    d.bind(m)?;
    position_bound(m, d);
    d.check_stop()
}

fn position_bound(m: &Model, d: &mut Data) {
    let timer = timer::start(d);
    step::poses(m, d, step::Outputs::NoSensors);
    step::inertias(m, d);
    collision::collision(m, d);
    let rows = timer::start(d);
    constraint::make(m, d);
    rows.stop(d, Timer::PosMake);
    step::transmissions(m, d);
    timer.stop(d, Timer::Position);
}

/// Turns `qacc`, taken as the change of velocity over a step, into the acceleration that the
/// integrator of the model would turn into that change: `M a = (M − hD) q̈` with the integrator's
/// matrix. Runge-Kutta has no such relation; its acceleration is taken as it is.
fn to_continuous(m: &Model, d: &mut Data) {
    let h = m.opt.timestep;
    let integrator = m.opt.integrator;
    if matches!(integrator, Integrator::Implicit | Integrator::ImplicitFast) {
        derivative::smooth_velocity(m, d, integrator == Integrator::Implicit);
    }
    let [force, product, ..] = &mut d.scratch.dof;
    let s = &d.prepared.structure;
    s.mass.mul(&d.M, &d.qacc, force);
    match integrator {
        Integrator::Rk4 => force.copy_from_slice(&d.qacc),
        Integrator::Implicit => {
            s.square.mul(&d.qDeriv, &d.qacc, product);
            force.iter_mut().zip(product).for_each(|(f, p)| *f -= h * *p);
        }
        Integrator::ImplicitFast => {
            // The lower triangle, as a symmetric matrix.
            for i in 0..s.square.size().min(s.mass.size()) {
                for &j in s.mass.columns(i) {
                    let j = j as usize;
                    let x = h * d.qDeriv[s.square.pair(i, j).0];
                    force[i] -= x * d.qacc[j];
                    if i != j {
                        force[j] -= x * d.qacc[i];
                    }
                }
            }
        }
        Integrator::ImplicitSpringDamper => {
            for (k, f) in force.iter_mut().enumerate() {
                let (b, stiffness) = (spring_damper::damping(m, k), spring_damper::stiffness(m, k));
                *f += h * (b * d.qacc[k] + stiffness * (d.qvel[k] + h * d.qacc[k]));
            }
        }
        Integrator::Euler if m.opt.disabled(DisableBit::EulerDamp) => {}
        Integrator::Euler => {
            for ((f, b), a) in force.iter_mut().zip(&m.dof_damping).zip(&d.qacc) {
                *f += h * b * a;
            }
        }
    }
    if integrator != Integrator::Rk4 {
        s.mass.solve(&d.qLD, &d.qLDiagInv, force);
    }
    d.qacc.copy_from_slice(force);
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// The acceleration given by the user, in discrete mode.
    qacc: Vec<f64>,
    /// Of the forward pass.
    qfrc_constraint: Vec<f64>,
    efc_force: Vec<f64>,
    applied: Vec<f64>,
}

/// `solver_fwdinv`: norms of the differences between forward and inverse dynamics, in constraint
/// forces and in applied forces; the results of the forward pass are kept (`mj_compareFwdInv`).
pub fn compare_forward(m: &Model, d: &mut Data) {
    d.solver_fwdinv.fill(0.0);
    if d.nefc == 0 {
        return;
    }
    let forward = &mut d.scratch.inverse;
    forward.applied.clear();
    forward.applied.extend(d.qfrc_applied.iter().zip(&d.qfrc_actuator).map(|(a, b)| a + b));
    let chains =
        Chains { structure: &d.prepared.structure, subtree_com: &d.subtree_com, cdof: &d.cdof };
    let (forces, places) = (&d.xfrc_applied, &d.xipos);
    acceleration::add_body_forces(m, chains, forces, places, &mut forward.applied);
    forward.qfrc_constraint.clone_from(&d.qfrc_constraint);
    forward.efc_force.clone_from(&d.efc_force);

    inverse_bound(m, d, Stage::Vel, false);

    let forward = &d.scratch.inverse;
    let distance =
        |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
    *d.solver_fwdinv = [
        distance(&forward.qfrc_constraint, &d.qfrc_constraint),
        distance(&forward.applied, &d.qfrc_inverse),
    ];
    d.qfrc_constraint.copy_from_slice(&forward.qfrc_constraint);
    d.efc_force.clone_from(&forward.efc_force);
}
