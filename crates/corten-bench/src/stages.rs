//! Time per stage, in both engines, by calling the stages one by one.

use corten_model::enums::Integrator;
use corten_sim::stage::{
    acceleration, actuation, collision, constraint, inertia, kinematics, passive, sensor, tendon,
    transmission, velocity,
};
use corten_sim::{Data, Model, integrate, solve};

use crate::machine::cpu_seconds;
use crate::quantile;
use crate::reference::{Reference, ReferenceData};
use crate::regime::{BURST, Engine, Own};

/// Groups of stages, in the order in which they run.
pub const NAMES: [&str; 8] =
    ["position", "collision", "rows", "velocity", "actuation", "solve", "sensors", "advance"];

const OWN: [fn(&Model, &mut Data); 8] = [
    |m, d| {
        kinematics::kinematics(m, d);
        inertia::centers_of_mass(m, d);
        kinematics::cameras_and_lights(m, d);
        tendon::tendon(m, d);
        inertia::mass_matrix(m, d);
        inertia::factor(m, d);
    },
    collision::collision,
    |m, d| {
        constraint::make(m, d);
        solve::island::find(m, d);
        transmission::transmission(m, d);
        solve::project(m, d);
    },
    |m, d| {
        tendon::velocity(m, d);
        transmission::velocity(m, d);
        velocity::body_velocities(m, d);
        passive::passive(m, d);
        constraint::reference(m, d);
        velocity::bias_force(m, d);
        tendon::bias(m, d);
    },
    |m, d| {
        actuation::actuation(m, d);
        acceleration::acceleration(m, d);
    },
    solve::constraint,
    |m, d| {
        sensor::position(m, d);
        sensor::velocity(m, d);
        sensor::acceleration(m, d);
    },
    integrate::advance,
];

const THEIRS: [&[&str]; 7] = [
    &[
        "mj_kinematics",
        "mj_comPos",
        "mj_camlight",
        "mj_flex",
        "mj_tendon",
        "mj_makeM",
        "mj_factorM",
    ],
    &["mj_collision"],
    &["mj_makeConstraint", "mj_island", "mj_transmission", "mj_projectConstraint"],
    &["mj_fwdVelocity"],
    &["mj_fwdActuation", "mj_fwdAcceleration"],
    &["mj_fwdConstraint"],
    &["mj_sensorPos", "mj_sensorVel", "mj_sensorAcc"],
];

/// Microseconds per step and group of our engine.
pub fn own(engine: &mut Own<'_>, states: &[Vec<f64>], rounds: usize) -> Vec<f64> {
    measure(states, rounds, OWN.len(), |turn| match turn {
        Turn::Restore(state) => engine.restore(state),
        Turn::Group(group) => OWN[group](engine.model, &mut engine.data),
    })
}

/// Microseconds per step and group of MuJoCo.
pub fn theirs(
    library: &Reference,
    m: &Model,
    data: &mut ReferenceData<'_>,
    states: &[Vec<f64>],
    rounds: usize,
) -> Vec<f64> {
    let advance = match m.opt.integrator {
        Integrator::Implicit | Integrator::ImplicitFast => "mj_implicit",
        Integrator::Rk4 => "",
        Integrator::Euler | Integrator::ImplicitSpringDamper => "mj_Euler",
    };
    let mut groups: Vec<_> = THEIRS.iter().map(|names| library.stages(names)).collect();
    groups.push(library.stages(&[advance]));
    measure(states, rounds, groups.len(), |turn| match turn {
        Turn::Restore(state) => data.restore(state),
        Turn::Group(group) => groups[group].iter().for_each(|&stage| data.run(stage)),
    })
}

enum Turn<'a> {
    Restore(&'a [f64]),
    Group(usize),
}

/// Median over the rounds of the mean over all steps.
fn measure(
    states: &[Vec<f64>],
    rounds: usize,
    groups: usize,
    mut act: impl FnMut(Turn<'_>),
) -> Vec<f64> {
    let mut times = vec![Vec::with_capacity(rounds); groups];
    for _ in 0..rounds {
        let mut sums = vec![0.0; groups];
        for state in states {
            act(Turn::Restore(state));
            for _ in 0..BURST {
                let mut before = cpu_seconds();
                for (group, sum) in sums.iter_mut().enumerate() {
                    act(Turn::Group(group));
                    let now = cpu_seconds();
                    *sum += now - before;
                    before = now;
                }
            }
        }
        let scale = 1e6 / (states.len() * BURST).max(1) as f64;
        times.iter_mut().zip(sums).for_each(|(all, sum)| all.push(scale * sum));
    }
    // What reading the clock costs is part of every group.
    let clock = (0..1000).map(|_| cpu_seconds()).collect::<Vec<_>>();
    let overhead = 1e6 * (clock[999] - clock[0]) / 999.0;
    times.iter().map(|all| (quantile(all, 0.5) - overhead).max(0.0)).collect()
}
