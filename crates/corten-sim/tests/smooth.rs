//! Smooth dynamics against second algorithms: mass matrix against Newton-Euler, derivatives against
//! differences, integrators against their order.

use std::path::PathBuf;

use corten_math::{Quat, Vec3};
use corten_model::enums::{DisableBit, EnableBit, Integrator, ObjType};
use corten_sim::derivative::{self, DerivativeConfig};
use corten_sim::stage::{actuation, inertia, kinematics, velocity};
use corten_sim::{Data, Model, inverse, step, support};

const SCENES: [&str; 9] = [
    "pendulum.xml",
    "double_pendulum.xml",
    "ball_chain.xml",
    "free_bodies.xml",
    "humanoid.xml",
    "quadruped.xml",
    "swimmer.xml",
    "tendon_finger.xml",
    "muscle_arm.xml",
];

/// A scene without constraints.
fn scene(name: &str) -> Model {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name);
    let mut m = corten_sim::load_model(path).unwrap();
    m.opt.disableflags |= DisableBit::Constraint.raw();
    m
}

fn wave(k: usize, phase: f64) -> f64 {
    (1.7 * k as f64 + phase).sin()
}

/// A state away from the reference pose, in motion.
fn moving(m: &Model) -> Data {
    let mut d = Data::new(m);
    let direction: Vec<f64> = (0..m.nv).map(|k| wave(k, 0.3)).collect();
    support::integrate_pos(m, &mut d.qpos, &direction, 0.3);
    d.qvel = (0..m.nv).map(|k| 0.7 * wave(k, 1.1)).collect();
    d.ctrl = (0..m.nu).map(|k| 0.2 * wave(k, 0.7)).collect();
    d.act = (0..m.na).map(|k| 0.5 + 0.3 * wave(k, 0.9)).collect();
    corten_sim::forward(m, &mut d).unwrap();
    d
}

fn worst(a: &[f64], b: &[f64]) -> f64 {
    let scale = a.iter().fold(1.0, |s: f64, x| s.max(x.abs()));
    a.iter().zip(b).fold(0.0, |w: f64, (a, b)| w.max((a - b).abs())) / scale
}

/// One by one or four at a time, as the model said when the data was made or has been told since.
#[test]
fn attachments_follow_their_bodies() {
    for name in SCENES {
        let mut m = scene(name);
        let arrays = &mut *m;
        for same in
            [&mut arrays.body_sameframe, &mut arrays.geom_sameframe, &mut arrays.site_sameframe]
        {
            same.fill(0);
        }
        let mut d = moving(&m);
        for late in [false, true] {
            if late {
                m.geom_sameframe.iter_mut().step_by(3).for_each(|same| *same = 1);
                if m.nsite > 0 {
                    m.site_bodyid[0] = m.nbody as i32 - 1;
                }
                d.bind(&m).unwrap();
                kinematics::kinematics(&m, &mut d);
            }
            let pose = |body: usize, pos: Vec3, quat: Quat| {
                (d.xmat[body] * pos + d.xpos[body], (d.xquat[body] * quat).to_mat())
            };
            for b in 1..m.nbody {
                assert_eq!(pose(b, m.body_ipos[b], m.body_iquat[b]), (d.xipos[b], d.ximat[b]));
            }
            for g in 0..m.ngeom {
                let b = m.geom_bodyid[g] as usize;
                let expected = match m.geom_sameframe[g] {
                    0 => pose(b, m.geom_pos[g], m.geom_quat[g]),
                    _ => (d.xpos[b], d.xmat[b]),
                };
                assert_eq!(expected, (d.geom_xpos[g], d.geom_xmat[g]), "{name}: geom {g}");
            }
            for s in 0..m.nsite {
                let expected = pose(m.site_bodyid[s] as usize, m.site_pos[s], m.site_quat[s]);
                assert_eq!(expected, (d.site_xpos[s], d.site_xmat[s]), "{name}: site {s}");
            }
        }
    }
}

#[test]
fn a_site_gets_its_body_late() {
    for name in ["tendon_finger.xml", "muscle_arm.xml"] {
        let mut m = scene(name);
        m.site_sameframe.fill(0);
        m.geom_sameframe.fill(0);
        let body = std::mem::replace(&mut m.site_bodyid[0], -1);
        let mut d = moving(&m);
        m.site_bodyid[0] = body;
        kinematics::kinematics(&m, &mut d);
        let body = body as usize;
        assert_eq!(d.site_xpos[0], d.xmat[body] * m.site_pos[0] + d.xpos[body]);
    }
}

#[test]
fn columns_of_the_mass_matrix_are_forces_of_unit_accelerations() {
    for name in SCENES {
        let mut m = scene(name);
        // Newton-Euler knows no armature of joints or tendons.
        m.dof_armature.fill(0.0);
        m.tendon_armature.fill(0.0);
        m.dof_simplenum.fill(0);
        let mut d = moving(&m);
        let mut mass = vec![0.0; m.nv * m.nv];
        inertia::dense(&d, &mut mass);
        let mut bias = vec![0.0; m.nv];
        velocity::newton_euler(&m, &mut d, false, &mut bias);
        for k in 0..m.nv {
            d.qacc.fill(0.0);
            d.qacc[k] = 1.0;
            let mut force = vec![0.0; m.nv];
            velocity::newton_euler(&m, &mut d, true, &mut force);
            let column: Vec<f64> = force.iter().zip(&bias).map(|(f, b)| f - b).collect();
            assert!(worst(&mass[k * m.nv..(k + 1) * m.nv], &column) < 1e-12, "{name}, dof {k}");
        }
    }
}

#[test]
fn smooth_acceleration_solves_the_equation_of_motion() {
    for name in SCENES {
        let m = scene(name);
        let d = moving(&m);
        let mut force = vec![0.0; m.nv];
        inertia::mul(&d, &d.qacc_smooth, &mut force);
        assert!(worst(&d.qfrc_smooth, &force) < 1e-11, "{name}");
    }
}

#[test]
fn inverse_dynamics_returns_the_applied_forces() {
    for name in SCENES {
        let m = scene(name);
        let mut d = moving(&m);
        let applied: Vec<f64> = (0..m.nv).map(|k| wave(k, 2.0)).collect();
        d.qfrc_applied.copy_from_slice(&applied);
        corten_sim::forward(&m, &mut d).unwrap();
        inverse::inverse(&m, &mut d).unwrap();
        let expected: Vec<f64> = applied.iter().zip(&d.qfrc_actuator).map(|(a, b)| a + b).collect();
        assert!(worst(&expected, &d.qfrc_inverse) < 1e-10, "{name}");
    }
}

/// In discrete mode the inverse takes the change of velocity over a step.
#[test]
fn discrete_inverse_dynamics_undoes_a_step() {
    for name in ["double_pendulum.xml", "humanoid.xml", "swimmer.xml"] {
        for integrator in [Integrator::Euler, Integrator::Implicit, Integrator::ImplicitFast] {
            let mut m = scene(name);
            m.opt.integrator = integrator;
            m.opt.enableflags |= EnableBit::InvDiscrete.raw();
            let start = moving(&m);
            let mut next = start.clone();
            step(&m, &mut next).unwrap();
            let mut d = start.clone();
            for ((a, v1), v0) in d.qacc.iter_mut().zip(&next.qvel).zip(&start.qvel) {
                *a = (v1 - v0) / m.opt.timestep;
            }
            inverse::inverse(&m, &mut d).unwrap();
            assert!(worst(&start.qfrc_actuator, &d.qfrc_inverse) < 1e-8, "{name} {integrator:?}");
        }
    }
}

#[test]
fn velocity_derivative_agrees_with_differences() {
    for name in SCENES {
        let mut m = scene(name);
        // The analytic derivative knows no saturation.
        m.actuator_forcelimited.fill(0);
        m.jnt_actfrclimited.fill(0);
        // The fast implicit integrator asks for symmetric fluid derivatives.
        m.opt.integrator = Integrator::Euler;
        let mut d = moving(&m);
        derivative::smooth_velocity(&m, &mut d, true);
        let analytic = d.qDeriv.clone();
        let h = 1e-6;
        let forces = |d: &Data, k: usize, e: f64| {
            let mut d = d.clone();
            d.qvel[k] += e;
            step::velocity(&m, &mut d).unwrap();
            actuation::actuation(&m, &mut d);
            let passive = d.qfrc_passive.iter().zip(&d.qfrc_bias).zip(&d.qfrc_actuator);
            passive.map(|((p, b), a)| p - b + a).collect::<Vec<f64>>()
        };
        for k in 0..m.nv {
            let (plus, minus) = (forces(&d, k, h), forces(&d, k, -h));
            for i in 0..m.nv {
                let row = m.D_rowadr[i] as usize..(m.D_rowadr[i] + m.D_rownnz[i]) as usize;
                let Some(at) = row.clone().find(|&a| m.D_colind[a] == k as i32) else { continue };
                let difference = (plus[i] - minus[i]) / (2.0 * h);
                let error = (analytic[at] - difference).abs() / difference.abs().max(1.0);
                assert!(error < 1e-7, "{name} ({i}, {k}): {} {difference}", analytic[at]);
            }
        }
    }
}

const INTEGRATORS: [Integrator; 4] = [
    Integrator::Euler,
    Integrator::Implicit,
    Integrator::ImplicitFast,
    Integrator::ImplicitSpringDamper,
];

/// Asserts that hybrid transition matrices agree with differences; returns how many columns of
/// velocities, activations and controls are other than those in bits, which analytic ones are.
fn analytic_columns(label: &str, m: &Model, d: &mut Data, tolerance: f64) -> [usize; 3] {
    let mut config = DerivativeConfig::default();
    let hybrid = d.transition_derivatives(m, &config).unwrap();
    config.use_analytical = false;
    let differences = d.transition_derivatives(m, &config).unwrap();
    let a_error = derivative::max_relative_error(&hybrid.a, &differences.a);
    let b_error = derivative::max_relative_error(&hybrid.b, &differences.b);
    assert!(a_error.max(b_error) < tolerance, "{label}: {a_error} {b_error}");
    let nx = 2 * m.nv + m.na;
    let differ = |x: &[f64], y: &[f64], width: usize, columns: std::ops::Range<usize>| {
        columns.filter(|&k| (0..nx).any(|i| x[i * width + k] != y[i * width + k])).count()
    };
    [
        differ(&hybrid.a, &differences.a, nx, m.nv..2 * m.nv),
        differ(&hybrid.a, &differences.a, nx, 2 * m.nv..nx),
        differ(&hybrid.b, &differences.b, m.nu, 0..m.nu),
    ]
}

#[test]
fn analytic_transition_agrees_with_differences() {
    for name in SCENES {
        for integrator in INTEGRATORS {
            let mut m = scene(name);
            m.opt.integrator = integrator;
            let label = format!("{name} {integrator:?}");
            let [velocities, ..] = analytic_columns(&label, &m, &mut moving(&m), 1e-6);
            let fluid = m.opt.density > 0.0 || m.opt.viscosity > 0.0;
            let expected = if fluid && integrator == Integrator::ImplicitFast { 0 } else { m.nv };
            assert_eq!(velocities, expected, "{label}");
        }
    }
}

fn model(text: &str) -> Model {
    corten_sim::load_model_str(text, &Default::default()).unwrap()
}

/// Two arms on one trunk, pulled by a tendon over both; gains that depend on velocity, limits of
/// inputs, forces and joints, and activations.
const ARMS: &str = r#"<mujoco><option timestep=".01"/><worldbody>
  <body><joint name="t" axis="0 1 0" stiffness="3"/><geom size=".1" pos="0 0 -.5"/>
    <body pos="0 .2 -.5"><joint name="a" axis="1 0 0" armature=".1"/><geom size=".05" pos="0 0 -.4"/></body>
    <body pos="0 -.2 -.5"><joint name="b" axis="1 1 0" damping=".2" actuatorfrcrange="-.4 .4" armature=".1"/><geom size=".05" pos="0 0 -.4"/></body>
  </body></worldbody>
  <tendon><fixed name="c" damping="2" stiffness="1"><joint joint="a" coef="1"/><joint joint="b" coef="-1.5"/></fixed></tendon>
  <actuator>
    <general joint="a" gaintype="affine" gainprm="2 1 -.7" biastype="affine" biasprm="0 -1 -.3"/>
    <general joint="t" gainprm="3" ctrllimited="true" ctrlrange="-.5 .5"/>
    <general joint="t" dyntype="filter" dynprm=".1" gaintype="affine" gainprm="2 0 -1" actearly="true"/>
    <general joint="a" dyntype="filterexact" dynprm=".1" gainprm="2" actlimited="true" actrange="-3 3"/>
    <general joint="a" dyntype="integrator" gaintype="affine" gainprm="2 0 -.4" forcelimited="true" forcerange="-.1 .1"/>
    <general joint="b" gainprm="20" biastype="affine" biasprm="0 0 -2"/>
    <general tendon="c" gainprm="1" biastype="affine" biasprm="0 -2 -1"/>
  </actuator></mujoco>"#;

#[test]
fn analytic_columns_of_actuators_and_tendons_agree_with_differences() {
    let mut m = model(ARMS);
    for integrator in INTEGRATORS {
        m.opt.integrator = integrator;
        let mut d = moving(&m);
        d.act.copy_from_slice(&[0.4, 0.3, 0.6]);
        d.ctrl.copy_from_slice(&[0.3, 0.2, 0.1, -0.2, 0.3, 0.5, 0.2]);
        corten_sim::forward(&m, &mut d).unwrap();
        assert_eq!(d.actuator_force[4], 0.1, "at its limit");
        assert_eq!(d.qfrc_actuator[2], 0.4, "the joint is at its limit");
        let columns = analytic_columns(&format!("{integrator:?}"), &m, &mut d, 1e-6);
        assert_eq!(columns[0], 3, "{integrator:?}");
        // Controls of actuators with activations are differences, one held by its joint is zero.
        assert!(columns[1] >= 2 && columns[2] >= 3, "{integrator:?}: {columns:?}");

        // At the limit of its range, a control has a difference to one side.
        d.ctrl[1] = 0.5;
        analytic_columns(&format!("{integrator:?}, at the limit"), &m, &mut d, 1e-6);
    }
}

/// Limits, equalities, friction that sticks and slips, and contacts, with pyramids; cones fall back.
#[test]
fn analytic_columns_with_constraints_agree_with_differences() {
    let text = r#"<mujoco><option timestep=".005" iterations="200" tolerance="1e-15" CONE/><worldbody>
      <geom type="plane" size="5 5 .1"/>
      <body pos="0 0 .098" euler="1 2 0"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
      <body pos="1 0 1"><joint name="s" axis="0 1 0" limited="true" range="-10 10" damping=".3"/><geom size=".1" pos=".4 0 0"/>
        <body pos=".5 0 0"><joint name="f" axis="0 1 0" frictionloss=".2"/><geom size=".05" pos=".2 0 0"/>
          <body pos=".4 0 0"><joint name="g" axis="1 0 0" frictionloss="9" armature=".1"/><geom size=".05" pos=".2 .1 0"/></body></body></body>
      <body pos="3 0 1"><joint name="e" type="slide"/><geom size=".1"/></body></worldbody>
      <equality><joint joint1="e" joint2="f" polycoef="0 .5"/></equality>
      <actuator><motor joint="s"/></actuator></mujoco>"#;
    for integrator in INTEGRATORS {
        let mut m = model(&text.replace("CONE", ""));
        m.opt.integrator = integrator;
        let mut d = Data::new(&m);
        d.qpos[7] = 0.3;
        d.qvel = (0..m.nv).map(|k| 0.3 * wave(k, 0.5)).collect();
        corten_sim::forward(&m, &mut d).unwrap();
        assert!(d.ncon > 0 && d.ne == 1 && d.nf == 2 && d.nl == 1, "{} {}", d.ncon, d.nl);
        let label = format!("{integrator:?}");
        assert_eq!(analytic_columns(&label, &m, &mut d, 1e-5), [m.nv, 0, 1], "{label}");
        m.opt.cone = corten_model::enums::Cone::Elliptic;
        assert_eq!(analytic_columns(&label, &m, &mut d, 1e-5), [0, 0, 0], "{label}");
    }
}

/// Differences converge where the dynamics are smooth, and do not across a contact that opens.
#[test]
fn differences_converge_where_dynamics_are_smooth() {
    for name in SCENES {
        let m = scene(name);
        let change = derivative::fd_convergence_check(&m, &mut moving(&m), 1e-5).unwrap();
        assert!(change > 0.0 && change < 1e-4, "{name}: {change}");
    }
    // A ball that just touches the floor: a step of 1e-5 upwards leaves it, one of 1e-6 does not.
    let m = model(
        r#"<mujoco><worldbody><geom type="plane" size="1 1 .1"/>
           <body pos="0 0 .099997"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"#,
    );
    let change = derivative::fd_convergence_check(&m, &mut Data::new(&m), 1e-5).unwrap();
    assert!(change > 1e-2, "{change}");
}

#[test]
fn relative_errors_are_those_of_the_worst_entry() {
    use derivative::max_relative_error;
    assert_eq!(max_relative_error(&[1.0, 2.0], &[1.0, 2.0]), 0.0);
    assert_eq!(max_relative_error(&[0.5, 100.0], &[0.25, 99.0]), 0.25);
    assert_eq!(max_relative_error(&[100.0], &[-100.0]), 2.0);
    assert_eq!(max_relative_error(&[1.0], &[1.0, 2.0]), f64::INFINITY);
    assert_eq!(max_relative_error(&[1.0], &[f64::NAN]), f64::INFINITY);
}

#[test]
fn differences_keep_the_state() {
    let m = scene("humanoid.xml");
    let mut d = moving(&m);
    let before = (d.qpos.clone(), d.qvel.clone(), d.ctrl.clone(), d.time);
    d.transition_derivatives(&m, &DerivativeConfig::default()).unwrap();
    assert_eq!(before, (d.qpos, d.qvel, d.ctrl, d.time));
}

/// State after a fixed time, with the step divided by `fraction`.
fn simulate(m: &Model, fraction: usize) -> Vec<f64> {
    let mut m = m.clone();
    let steps = 8 * fraction;
    m.opt.timestep = 0.04 / fraction as f64;
    let mut d = moving(&m);
    for _ in 0..steps {
        step(&m, &mut d).unwrap();
    }
    d.qpos.iter().chain(&d.qvel).copied().collect()
}

/// Halving the step divides the error by 16 for Runge-Kutta and by 2 for Euler.
#[test]
fn integrators_have_their_order() {
    for (integrator, order) in [(Integrator::Rk4, 4.0), (Integrator::Euler, 1.0)] {
        let mut m = scene("double_pendulum.xml");
        m.opt.integrator = integrator;
        let exact = {
            let mut m = m.clone();
            m.opt.integrator = Integrator::Rk4;
            simulate(&m, 64)
        };
        let errors = [2, 4].map(|f| worst(&exact, &simulate(&m, f)));
        let measured = (errors[0] / errors[1]).log2();
        assert!((measured - order).abs() < 0.35, "{integrator:?}: order {measured}");
    }
}

/// A pendulum without friction, from 90 degrees: after a quarter of its period, which follows from
/// the arithmetic-geometric mean, it passes the bottom with the velocity of its fall.
fn quarter_swing(integrator: Integrator, steps: usize) -> f64 {
    let text = r#"<mujoco><worldbody><body><joint axis="0 1 0" armature="0.35"/>
      <geom size="0.05" mass="2" pos="0.5 0 0"/></body></worldbody></mujoco>"#;
    let mut m = corten_sim::load_model_str(text, &corten_model::Assets::memory_only()).unwrap();
    let mut d = Data::new(&m);
    corten_sim::forward(&m, &mut d).unwrap();
    let (torque, inertia) = (2.0 * 9.81 * 0.5, d.M[0]);
    let (mut a, mut g) = (1.0, std::f64::consts::FRAC_1_SQRT_2);
    for _ in 0..20 {
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
    }
    let quarter = std::f64::consts::FRAC_PI_2 / a * (inertia / torque).sqrt();
    m.opt.integrator = integrator;
    m.opt.timestep = quarter / steps as f64;
    let mut d = Data::new(&m);
    for _ in 0..steps {
        step(&m, &mut d).unwrap();
    }
    let angle = d.qpos[0] - std::f64::consts::FRAC_PI_2;
    let speed = d.qvel[0] - (2.0 * torque / inertia).sqrt();
    angle.abs().max(speed.abs())
}

#[test]
fn runge_kutta_is_of_fourth_order_on_a_pendulum() {
    let errors = [20, 40, 80].map(|n| quarter_swing(Integrator::Rk4, n));
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((order - 4.0).abs() < 0.2, "order {order}, errors {errors:?}");
    }
    assert!(errors[2] < 1e-7);
    // With four times the step it is still better than Euler, at the same cost.
    assert!(quarter_swing(Integrator::Rk4, 20) < quarter_swing(Integrator::Euler, 80));
    // Both go to the same solution.
    assert!(quarter_swing(Integrator::Euler, 4000) < 5e-3);
}

/// Without damping and actuation, Runge-Kutta keeps the energy to the fifth power of the step.
#[test]
fn a_free_pendulum_keeps_its_energy() {
    let mut m = scene("double_pendulum.xml");
    m.opt.integrator = Integrator::Rk4;
    m.opt.timestep = 0.001;
    m.opt.enableflags |= EnableBit::Energy.raw();
    m.opt.disableflags |= DisableBit::Actuation.raw();
    m.dof_damping.fill(0.0);
    let mut d = moving(&m);
    let start = d.energy[0] + d.energy[1];
    for _ in 0..2000 {
        step(&m, &mut d).unwrap();
    }
    corten_sim::forward(&m, &mut d).unwrap();
    assert!((d.energy[0] + d.energy[1] - start).abs() < 1e-9);
}

/// Jacobians times velocity are velocities, and their time derivatives are differences.
#[test]
fn jacobians_agree_with_motion() {
    for name in SCENES {
        let m = scene(name);
        let d = moving(&m);
        let body = m.nbody - 1;
        let jacobian = |d: &Data| {
            let (mut jacp, mut jacr) = (vec![0.0; 3 * m.nv], vec![0.0; 3 * m.nv]);
            support::jac_body(d, Some(&mut jacp), Some(&mut jacr), body);
            jacp.extend(jacr);
            jacp
        };
        let here = jacobian(&d);
        let velocity = support::object_velocity(&m, &d, ObjType::Xbody, body, false).unwrap();
        for r in 0..3 {
            let dot = |row: usize| -> f64 {
                here[row * m.nv..(row + 1) * m.nv].iter().zip(&d.qvel).map(|(j, v)| j * v).sum()
            };
            assert!((dot(r) - velocity.lin()[r]).abs() < 1e-12, "{name}");
            assert!((dot(r + 3) - velocity.rot()[r]).abs() < 1e-12, "{name}");
        }

        let (mut jacp, mut jacr) = (vec![0.0; 3 * m.nv], vec![0.0; 3 * m.nv]);
        support::jac_dot(&m, &d, Some(&mut jacp), Some(&mut jacr), d.xpos[body], body);
        jacp.extend(jacr);
        let h = 1e-6;
        let at = |t: f64| {
            let mut d = d.clone();
            let qvel = d.qvel.clone();
            support::integrate_pos(&m, &mut d.qpos, &qvel, t);
            step::position(&m, &mut d).unwrap();
            jacobian(&d)
        };
        let difference: Vec<f64> =
            at(h).iter().zip(&at(-h)).map(|(a, b)| (a - b) / (2.0 * h)).collect();
        assert!(worst(&jacp, &difference) < 1e-8, "{name}");
    }
}

/// Angular momentum of a subtree from its matrix, and from the recursion over bodies.
#[test]
fn momentum_matrices_agree_with_the_recursion() {
    for name in SCENES {
        let m = scene(name);
        let mut d = moving(&m);
        support::subtree_velocities(&m, &mut d);
        for body in 1..m.nbody {
            let (mut angular, mut linear) = (vec![0.0; 3 * m.nv], vec![0.0; 3 * m.nv]);
            support::angular_momentum_matrix(&m, &d, &mut angular, body);
            support::jac_subtree_com(&m, &d, &mut linear, body);
            for r in 0..3 {
                let dot = |mat: &[f64]| -> f64 {
                    mat[r * m.nv..(r + 1) * m.nv].iter().zip(&d.qvel).map(|(a, b)| a * b).sum()
                };
                assert!((dot(&angular) - d.subtree_angmom[body][r]).abs() < 1e-11, "{name}");
                assert!((dot(&linear) - d.subtree_linvel[body][r]).abs() < 1e-11, "{name}");
            }
        }
    }
}
