//! What MuJoCo does not have: implicit joint springs, pennate muscles.

use corten_model::Assets;
use corten_model::enums::{DisableBit, EnableBit, Integrator};
use corten_sim::stage::actuation::hill::{HillMuscle, HillMuscles};
use corten_sim::stage::inertia;
use corten_sim::{Data, Hooks, Model, forward, inverse, load_model_str, step};

fn load(text: &str) -> Model {
    load_model_str(text, &Assets::memory_only()).unwrap_or_else(|e| panic!("{e}"))
}

fn springs(stiffness: f64) -> Model {
    load(&format!(
        r#"<mujoco>
          <option timestep="0.01" integrator="implicitspringdamper"><flag constraint="disable"/></option>
          <worldbody>
            <body><joint axis="0 1 0" stiffness="{stiffness}" damping="0.3" springref="20"/>
              <geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
              <body pos=".4 0 0"><joint axis="0 1 0" stiffness="{stiffness}" damping="0.1"/>
                <geom type="capsule" size=".04" fromto="0 0 0 .3 0 0"/>
                <body pos=".3 0 0"><joint type="ball" stiffness="3" damping="0.2"/><geom size=".05" pos="0 0 .1"/></body>
              </body>
            </body>
          </worldbody>
        </mujoco>"#
    ))
}

fn moving(m: &Model) -> Data {
    let mut d = Data::new(m);
    d.qpos[..2].copy_from_slice(&[0.4, -0.3]);
    d.qvel.copy_from_slice(&[0.5, -0.2, 0.3, 0.1, -0.4]);
    forward(m, &mut d).unwrap();
    d
}

#[test]
fn the_integrator_has_a_word_of_its_own() {
    assert_eq!(springs(1.0).opt.integrator, Integrator::ImplicitSpringDamper);
}

/// `(M + hB + h²K) v⁺ = M v + h fₑ − h K (q − q₀)`, written out.
#[test]
fn velocities_solve_the_implicit_equation() {
    let m = springs(20.0);
    let h = m.opt.timestep;
    let start = moving(&m);
    let mut d = start.clone();
    step(&m, &mut d).unwrap();
    let mut mass = vec![0.0; m.nv * m.nv];
    inertia::dense(&start, &mut mass);
    for i in 0..m.nv {
        let row = |v: &[f64]| (0..m.nv).map(|j| mass[i * m.nv + j] * v[j]).sum::<f64>();
        let (stiffness, damping) = (m.jnt_stiffness[m.dof_jntid[i] as usize], m.dof_damping[i]);
        // All forces but the joint's spring and damper; the spring's force is −K (q − q₀).
        let other = start.qfrc_smooth[i] - start.qfrc_spring[i] - start.qfrc_damper[i];
        let left = row(&d.qvel) + h * (damping + h * stiffness) * d.qvel[i];
        let right = row(&start.qvel) + h * other + h * start.qfrc_spring[i];
        assert!((left - right).abs() < 1e-12, "dof {i}: {left} {right}");
    }
}

/// Explicit springs of this stiffness blow up at once; implicit ones lose energy.
#[test]
fn stiff_springs_are_stable() {
    let mut m = springs(1e6);
    m.opt.enableflags |= EnableBit::Energy.raw();
    let mut d = moving(&m);
    let start: f64 = d.energy.iter().sum();
    for _ in 0..1000 {
        step(&m, &mut d).unwrap();
        assert!(d.energy.iter().sum::<f64>() <= start);
    }
    m.opt.integrator = Integrator::Euler;
    let mut d = moving(&m);
    assert!((0..1000).any(|_| step(&m, &mut d).is_err()));
}

/// As the step shrinks it agrees with Euler; with springs and dampers disabled it is Euler.
#[test]
fn small_steps_agree_with_euler() {
    let run = |integrator: Integrator, h: f64, flags: i32| {
        let mut m = springs(5.0);
        m.opt.integrator = integrator;
        m.opt.timestep = h;
        m.opt.disableflags |= flags;
        let mut d = moving(&m);
        for _ in 0..(0.05 / h).round() as usize {
            step(&m, &mut d).unwrap();
        }
        d.qpos
    };
    let distance = |h: f64| {
        let (a, b) = (run(Integrator::ImplicitSpringDamper, h, 0), run(Integrator::Rk4, h, 0));
        a.iter().zip(&b).fold(0.0, |w: f64, (a, b)| w.max((a - b).abs()))
    };
    let (coarse, fine) = (distance(1e-3), distance(1e-4));
    assert!(fine < 0.15 * coarse && coarse < 1e-2, "{coarse} {fine}");
    let off = DisableBit::Spring.raw() | DisableBit::Damper.raw();
    let euler = run(Integrator::Euler, 1e-3, off);
    let own = run(Integrator::ImplicitSpringDamper, 1e-3, off);
    assert!(euler.iter().zip(&own).all(|(a, b)| (a - b).abs() < 1e-14));
}

#[test]
fn discrete_inverse_undoes_the_step() {
    let mut m = springs(50.0);
    m.opt.enableflags |= EnableBit::InvDiscrete.raw();
    let mut start = moving(&m);
    start.qfrc_applied.copy_from_slice(&[0.3, -0.1, 0.2, 0.0, 0.1]);
    forward(&m, &mut start).unwrap();
    let mut next = start.clone();
    step(&m, &mut next).unwrap();
    let mut d = start.clone();
    for k in 0..m.nv {
        d.qacc[k] = (next.qvel[k] - start.qvel[k]) / m.opt.timestep;
    }
    inverse::inverse(&m, &mut d).unwrap();
    for (f, want) in d.qfrc_inverse.iter().zip(&start.qfrc_applied) {
        assert!((f - want).abs() < 1e-10, "{f} {want}");
    }
}

const MUSCLE: HillMuscle = HillMuscle {
    max_force: 300.0,
    optimal_length: 0.1,
    slack_length: 0.35,
    pennation: 0.35,
    lengths: [0.5, 1.6],
    max_velocity: 10.0,
    passive: 1.3,
    eccentric: 1.4,
};

/// A forearm with one pennate muscle on a spatial tendon, and a plain motor.
fn forearm() -> Model {
    load(
        r#"<mujoco>
          <option timestep="0.001"/>
          <worldbody>
            <site name="shoulder" pos="0 0 .45"/>
            <body><joint axis="0 1 0" damping=".2" armature=".01"/><geom type="capsule" size=".03" fromto="0 0 0 .3 0 0" mass="1"/>
              <site name="insertion" pos=".05 0 0"/></body>
            <body pos="0 1 0"><joint name="free" axis="0 1 0"/><geom size=".05" pos="0 0 -.2"/></body>
          </worldbody>
          <tendon><spatial name="path"><site site="shoulder"/><site site="insertion"/></spatial></tendon>
          <actuator>
            <general tendon="path" dyntype="muscle" dynprm="0.01 0.04 0" gaintype="user" biastype="user" ctrlrange="0 1"/>
            <general joint="free" gaintype="user" biastype="user"/>
            <motor joint="free"/>
          </actuator>
        </mujoco>"#,
    )
}

fn with_muscle(m: &Model) -> Data {
    let mut d = Data::new(m);
    d.hooks = Hooks::new(HillMuscles::new([(0, MUSCLE)]));
    d
}

#[test]
fn muscle_force_follows_the_model() {
    let m = forearm();
    let mut d = with_muscle(&m);
    let mut forces = Vec::new();
    for k in 0..=10 {
        d.act[0] = f64::from(k) / 10.0;
        forward(&m, &mut d).unwrap();
        forces.push(d.actuator_force[0]);
    }
    let (length, velocity) = (d.actuator_length[0], d.actuator_velocity[0]);
    let passive = MUSCLE.bias(length);
    assert!((forces[0] - passive).abs() < 1e-12);
    assert!((forces[10] - passive - MUSCLE.gain(length, velocity)).abs() < 1e-10);
    // Muscles pull harder, the more they are activated.
    assert!(forces.windows(2).all(|f| f[1] < f[0]));
    // The force acts along the tendon.
    let expected = d.ten_J[0] * forces[10];
    assert!((d.qfrc_actuator[0] - expected).abs() < 1e-10);
}

#[test]
fn full_activation_at_optimal_length_gives_the_peak_along_the_tendon() {
    let m = forearm();
    let peak = -MUSCLE.max_force * MUSCLE.pennation.cos();
    assert!((MUSCLE.gain(MUSCLE.rest_length(), 0.0) - peak).abs() < 1e-10);
    // The same through the pipeline, in the pose where the path has that length.
    let length = |q: f64| {
        let mut d = with_muscle(&m);
        d.qpos[0] = q;
        d.act[0] = 1.0;
        forward(&m, &mut d).unwrap();
        (d.actuator_length[0], d.actuator_force[0])
    };
    let (mut low, mut high) = (-1.5, 1.5);
    let rising = length(high).0 > length(low).0;
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let beyond = length(middle).0 > MUSCLE.rest_length();
        if beyond == rising { high = middle } else { low = middle }
    }
    let (found, force) = length(low);
    assert!((found - MUSCLE.rest_length()).abs() < 1e-9);
    assert!((force - peak).abs() < 1e-4, "{force} {peak}");
}

/// Activation rises faster than it falls; other actuators are as without the muscle.
#[test]
fn activation_is_asymmetric_and_others_are_unaffected() {
    let m = forearm();
    let mut d = with_muscle(&m);
    d.ctrl.copy_from_slice(&[1.0, 0.4, 0.2]);
    let mut rise = 0;
    while d.act[0] < 0.9 {
        step(&m, &mut d).unwrap();
        rise += 1;
    }
    let mut plain = Data::new(&m);
    plain.ctrl.copy_from_slice(&d.ctrl);
    for _ in 0..rise {
        step(&m, &mut plain).unwrap();
    }
    assert_eq!(d.actuator_force[1..], plain.actuator_force[1..]);
    assert_eq!(d.actuator_force[1..], [0.4, 0.2]);
    assert!((d.qpos[1] - plain.qpos[1]).abs() < 1e-14);
    d.ctrl[0] = 0.0;
    let mut fall = 0;
    while d.act[0] > 0.1 {
        step(&m, &mut d).unwrap();
        fall += 1;
    }
    assert!(fall > rise, "{rise} {fall}");
}

/// Implicit integrators see the muscle's damping.
#[test]
fn implicit_integration_uses_the_muscle_slope() {
    let mut m = forearm();
    m.opt.integrator = Integrator::Implicit;
    let mut d = with_muscle(&m);
    (d.act[0], d.qvel[0]) = (0.8, 0.5);
    forward(&m, &mut d).unwrap();
    let slope = 0.8 * MUSCLE.gain_by_velocity(d.actuator_length[0], d.actuator_velocity[0]);
    let moment = d.ten_J[0];
    corten_sim::derivative::smooth_velocity(&m, &mut d, false);
    let expected = -0.2 + moment * moment * slope;
    assert!((d.qDeriv[m.D_rowadr[0] as usize] - expected).abs() < 1e-12);
}
