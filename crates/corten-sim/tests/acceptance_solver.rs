//! What the solvers must do, as physics: closed forms, one solver against another, and scenes whose
//! outcome is known. `docs/acceptance.md` says which requirement each test answers.

use std::path::PathBuf;

use corten_math::real;
use corten_model::Assets;
use corten_model::enums::{
    Cone, ConstraintState, ConstraintType, DisableBit, EnableBit, Integrator, Solver,
};
use corten_sim::{
    Data, Model, SolverStat, StepError, forward, load_model_str, solve, stage::constraint, step,
};

fn model(body: &str) -> Model {
    load_model_str(&format!("<mujoco>{body}</mujoco>"), &Assets::default()).unwrap()
}

fn scene(name: &str) -> Model {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name);
    corten_sim::load_model(path).unwrap()
}

fn run(m: &Model, d: &mut Data, steps: usize) {
    for _ in 0..steps {
        step(m, d).unwrap();
    }
}

fn after(m: &Model, steps: usize) -> Data {
    let mut d = Data::new(m);
    run(m, &mut d, steps);
    d
}

fn converge(m: &mut Model, solver: Solver) {
    m.opt.solver = solver;
    m.opt.tolerance = 1e-16;
    m.opt.iterations = if solver == Solver::Pgs { 5000 } else { 300 };
}

/// `max |a − b| / max(1, max |a|)`.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let scale = a.iter().fold(1.0f64, |s, x| s.max(x.abs()));
    a.iter().zip(b).fold(0.0f64, |e, (a, b)| e.max((a - b).abs())) / scale
}

const FLOOR: &str = r#"<geom type="plane" size="5 5 .1"/>"#;

/// Five scenes of contacts of different kinds.
fn contact_scenes() -> Vec<Model> {
    [
        r#"<body pos="0 0 .099"><freejoint/><geom size=".1"/></body>"#,
        r#"<body pos="0 0 .099" euler="2 1 0"><freejoint/><geom type="box" size=".1 .1 .1" condim="4"/></body>"#,
        r#"<body pos="0 0 .099" euler="90 0 0"><freejoint/><geom type="capsule" size=".1 .2" condim="6"/></body>"#,
        r#"<body pos="0 0 .1"><freejoint/><geom size=".1" condim="1"/></body>
           <body pos=".05 0 .27"><freejoint/><geom size=".1"/></body>"#,
        r#"<body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
           <body pos=".02 .01 .298"><freejoint/><geom type="box" size=".1 .1 .1"/></body>"#,
    ]
    .iter()
    .map(|bodies| model(&format!("<worldbody>{FLOOR}{bodies}</worldbody>")))
    .collect()
}

#[test]
fn all_solvers_find_the_same_acceleration() {
    for (k, mut m) in contact_scenes().into_iter().enumerate() {
        for cone in [Cone::Pyramidal, Cone::Elliptic] {
            m.opt.cone = cone;
            (m.opt.tolerance, m.opt.solver) = (1e-8, Solver::Newton);
            let mut d = after(&m, 20);
            d.qvel[0] += 0.3;
            converge(&mut m, Solver::Newton);
            forward(&m, &mut d).unwrap();
            assert!(d.nefc > 0, "scene {k}");
            let newton = d.qacc.clone();
            for solver in [Solver::Cg, Solver::Pgs] {
                converge(&mut m, solver);
                forward(&m, &mut d).unwrap();
                let error = apart(&newton, &d.qacc);
                assert!(error < 1e-6, "scene {k} {cone:?} {solver:?}: {error:.1e}");
            }
        }
    }
}

#[test]
fn newton_needs_a_handful_of_iterations_where_gauss_seidel_needs_many() {
    let mut m = scene("box_stack.xml");
    let settled = after(&m, 200);
    m.geom_solref.iter_mut().for_each(|s| *s = [0.002, 1.0]);
    m.opt.disableflags |= DisableBit::WarmStart.raw();
    m.opt.iterations = 1000;
    let mut count = [0; 2];
    for (n, solver) in count.iter_mut().zip([Solver::Newton, Solver::Pgs]) {
        m.opt.solver = solver;
        let mut d = Data::new(&m);
        (d.qpos, d.qvel) = (settled.qpos.clone(), settled.qvel.clone());
        forward(&m, &mut d).unwrap();
        *n = d.solver_niter[0];
    }
    assert!(count[0] <= 5 && count[1] >= 20, "Newton {}, PGS {}", count[0], count[1]);
}

#[test]
fn statistics_describe_every_iteration() {
    let mut m = scene("mixed_pile.xml");
    m.opt.disableflags |= DisableBit::Island.raw();
    let d = after(&m, 150);
    let n = d.solver_niter[0] as usize;
    assert!(n > 0);
    let stats = &d.solver.island(0)[..n];
    for (i, stat) in stats.iter().enumerate() {
        // The line search lowers the cost and is done where its slope is small against the gradient.
        assert!(stat.improvement >= 0.0 && stat.neval > 0, "{i}: {stat:?}");
        assert!(stat.nactive > 0 && stat.nactive <= d.nefc as i32);
        assert!(stat.lineslope.abs() < 1.0, "{stat:?}");
    }
    // The last one met the tolerance, the others did not; and beyond them nothing is recorded.
    let met = |s: &SolverStat| s.improvement < m.opt.tolerance || s.gradient < m.opt.tolerance;
    assert!(met(&stats[n - 1]) && !stats[..n - 1].iter().any(met), "{stats:?}");
    assert_eq!(d.solver.island(1), []);
    // The last of them has found the active rows.
    let active = d.efc_state.iter().filter(|s| **s != ConstraintState::Satisfied.raw()).count();
    assert_eq!(stats[n - 1].nactive as usize, active);
}

#[test]
fn stiff_contacts_settle() {
    let m = model(&format!(
        r#"<worldbody>{FLOOR}<body pos="0 0 .15"><freejoint/><geom size=".1" solref=".002 1"/></body></worldbody>"#
    ));
    let d = after(&m, 2000);
    assert!(d.qvel.iter().all(|v| v.abs() < 1e-6), "{:?}", d.qvel);
    assert!((d.qpos[2] - 0.1).abs() < 1e-3);
}

#[test]
fn elliptic_forces_stay_in_the_cone_and_slide_on_its_edge() {
    for condim in [3, 4, 6] {
        let mut m = model(&format!(
            r#"<option cone="elliptic" gravity="3 0 -9.81"/><worldbody>{FLOOR}
               <body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" mass="2" condim="{condim}"
                 friction=".25 .01 .001" priority="1"/></body></worldbody>"#
        ));
        // 3 m/s² against 0.25·9.81: it slides, with the rest of the force accelerating it. On its
        // soft contacts the box also hops a little, so that means count.
        let mut d = after(&m, 200);
        let (start, mut normal) = (d.qvel[0], 0.0);
        for _ in 0..400 {
            step(&m, &mut d).unwrap();
            for c in 0..d.ncon {
                let f = solve::contact_force(&m, &d, c);
                let friction = f[1..].iter().zip(d.contact[c].friction);
                let scaled: f64 = friction.map(|(f, mu)| (f / mu).powi(2)).sum();
                assert!(f[0] >= 0.0 && scaled.sqrt() <= f[0] * (1.0 + 1e-6), "{condim}: {f:?}");
                normal += f[0] / 400.0;
            }
        }
        let gained = (d.qvel[0] - start) / (400.0 * m.opt.timestep);
        assert!((gained - (3.0 - 0.25 * 9.81)).abs() < 0.02, "{condim}: {gained}");
        assert!((normal - 2.0 * 9.81).abs() < 0.2, "{condim}: {normal}");
        // Friction near zero gives no bad numbers.
        m.geom_friction.iter_mut().for_each(|f| *f = corten_math::Vec3([1e-12; 3]));
        run(&m, &mut d, 50);
    }
}

#[test]
fn torsional_and_rolling_friction_brake() {
    // condim 4 brakes spin about the normal, condim 6 also rolling; condim 3 does neither.
    let spin = |condim: i32, dof: usize| {
        let m = model(&format!(
            r#"<worldbody>{FLOOR}<body pos="0 0 .1"><freejoint/><geom size=".1" condim="{condim}"
               friction="1 .05 .05"/></body></worldbody>"#
        ));
        let mut d = after(&m, 100);
        let speed = if dof == 5 { 5.0 } else { 1.0 };
        d.qvel[dof] = speed;
        if dof == 4 {
            d.qvel[0] = 0.1 * speed;
        }
        run(&m, &mut d, 500);
        d.qvel[dof] / speed
    };
    assert!(spin(3, 5) > 0.99 && spin(4, 5) < 0.1, "{} {}", spin(3, 5), spin(4, 5));
    assert!(spin(3, 4) > 0.9 && spin(6, 4) < 0.1, "{} {}", spin(3, 4), spin(6, 4));
}

/// A model with every kind of row at once.
fn everything() -> Model {
    model(&format!(
        r#"<worldbody>{FLOOR}
             <body name="arm" pos="0 0 1"><joint name="a" axis="0 1 0" limited="true" range="-20 20" frictionloss=".2"/>
               <geom type="capsule" fromto="0 0 0 .5 0 0" size=".05"/><site name="tip" pos=".5 0 0"/>
               <body name="hand" pos=".5 0 0"><joint name="b" axis="0 1 0"/><geom size=".08"/></body></body>
             <body name="base" pos="1.5 0 .095"><freejoint/><geom type="box" size=".1 .1 .1"/><site name="top" pos="0 0 .1"/></body>
             <body name="load" pos="1.5 0 .4"><freejoint/><geom size=".1"/></body></worldbody>
           <equality><weld body1="base" body2="load"/><joint joint1="a" joint2="b"/></equality>
           <tendon><spatial name="rope" limited="true" range="0 1.2" margin=".4" frictionloss=".1"><site site="tip"/><site site="top"/></spatial></tendon>"#
    ))
}

#[test]
fn all_kinds_of_rows_work_together() {
    let mut m = everything();
    for solver in [Solver::Newton, Solver::Cg, Solver::Pgs] {
        converge(&mut m, solver);
        let (mut d, mut seen) = (Data::new(&m), Vec::new());
        for _ in 0..150 {
            step(&m, &mut d).unwrap();
            seen.extend_from_slice(&d.efc_type);
        }
        for kind in [
            ConstraintType::Equality,
            ConstraintType::FrictionDof,
            ConstraintType::FrictionTendon,
            ConstraintType::LimitTendon,
            ConstraintType::ContactPyramidal,
        ] {
            assert!(seen.contains(&kind.raw()), "{kind:?}");
        }
        forward(&m, &mut d).unwrap();
        // Newton's law with the constraint forces: M a = f + Jᵀ λ.
        let mut force = vec![0.0; m.nv];
        corten_sim::stage::inertia::mul(&d, &d.qacc, &mut force);
        let total: Vec<f64> =
            d.qfrc_smooth.iter().zip(&d.qfrc_constraint).map(|(a, b)| a + b).collect();
        assert!(apart(&total, &force) < 1e-6, "{solver:?}");
        let mut pushed = vec![0.0; m.nv];
        solve::mul_jacobian_transposed(&d, &d.efc_force, &mut pushed);
        assert!(apart(&d.qfrc_constraint, &pushed) < 1e-9, "{solver:?}");
    }
}

#[test]
fn a_solver_out_of_iterations_stops_with_finite_numbers() {
    let mut m = scene("mixed_pile.xml");
    for solver in [Solver::Newton, Solver::Cg, Solver::Pgs] {
        for iterations in [0, 1] {
            (m.opt.solver, m.opt.iterations, m.opt.tolerance) = (solver, iterations, 1e-16);
            let mut d = Data::new(&m);
            for _ in 0..30 {
                step(&m, &mut d).unwrap();
                assert!(d.solver_niter.iter().all(|&n| n <= iterations));
            }
        }
    }
}

#[test]
fn conjugate_gradients_that_do_not_converge_are_counted_and_told_once() {
    let mut m = scene("mixed_pile.xml");
    m.opt.solver = Solver::Cg;
    let mut converged = after(&m, 100);
    assert_eq!((converged.solver.unconverged, converged.solver.take_message()), (0, None));

    // Islands, one problem for all, and no iteration at all.
    for (flags, iterations) in [(0, 3), (DisableBit::Island.raw(), 3), (0, 0)] {
        (m.opt.disableflags, m.opt.iterations) = (flags, iterations);
        let mut d = converged.clone();
        step(&m, &mut d).unwrap();
        let first = d.solver.unconverged;
        assert!(if flags != 0 { first == 1 } else { first > 1 }, "{first}");
        step(&m, &mut d).unwrap();
        assert!(d.solver.unconverged > first);
        assert!(d.solver.take_message().unwrap().contains("iterations"));
        step(&m, &mut d).unwrap();
        assert_eq!(d.solver.take_message(), None);
        d.reset(&m).unwrap();
        assert_eq!(d.solver.unconverged, 0);
    }
    // A tolerance that the first iterations meet.
    (m.opt.disableflags, m.opt.tolerance) = (0, 1e9);
    m.opt.iterations = 3;
    step(&m, &mut converged).unwrap();
    assert_eq!(converged.solver.unconverged, 0);
}

#[test]
fn the_strict_solver_fails_where_the_other_goes_on() {
    let mut m = scene("mixed_pile.xml");
    m.opt.solver = Solver::Cg;
    let start = after(&m, 100);
    let mut plain = start.clone();
    step(&m, &mut plain).unwrap();

    m.opt.solver = Solver::CgStrict;
    let mut strict = start.clone();
    step(&m, &mut strict).unwrap();
    assert_eq!(strict.qpos, plain.qpos, "where it converges, it is the same solver");

    m.opt.iterations = 3;
    for integrator in [Integrator::Euler, Integrator::Rk4] {
        m.opt.integrator = integrator;
        let mut d = start.clone();
        let error = step(&m, &mut d).unwrap_err();
        let StepError::SolverFailed { iterations: 3, ref place, .. } = error else {
            panic!("{error}")
        };
        assert!(place.contains("contact"), "{error}");
        assert_eq!((&d.qpos, d.time), (&start.qpos, start.time), "the state has not advanced");
        assert!(matches!(forward(&m, &mut d), Err(StepError::SolverFailed { .. })));
    }
    m.opt.solver = Solver::Newton;
    step(&m, &mut start.clone()).unwrap();
}

#[test]
fn the_strict_solver_has_an_attribute_of_its_own() {
    for attributes in [
        r#"cortenforge:solver="cgstrict""#,
        r#"solver="CG" cortenforge:solver="cgstrict""#,
        r#"cortenforge:solver="cgstrict" solver="CG""#,
    ] {
        assert_eq!(model(&format!("<option {attributes}/>")).opt.solver, Solver::CgStrict);
    }
    let refused = load_model_str(
        r#"<mujoco><option cortenforge:solver="strict"/></mujoco>"#,
        &Assets::default(),
    );
    assert!(refused.unwrap_err().to_string().contains("cgstrict"));
}

/// Without a bound that can be met, solvers go on until the cost no longer falls or iterations run
/// out; the solution is that of a tolerance below rounding.
#[test]
fn a_tolerance_of_zero_or_nan_asks_for_all_that_can_be_had() {
    let mut m = scene("mixed_pile.xml");
    let start = after(&m, 100);
    for solver in [Solver::Newton, Solver::Cg, Solver::Pgs] {
        converge(&mut m, solver);
        let mut solve = |tolerance: f64| {
            m.opt.tolerance = tolerance;
            let mut d = start.clone();
            forward(&m, &mut d).unwrap();
            assert!(d.nefc > 0 && d.solver_niter.iter().all(|&n| n <= m.opt.iterations));
            d.qacc
        };
        let [tight, zero, negative, nan] = [1e-16, 0.0, -1.0, f64::NAN].map(&mut solve);
        assert!(apart(&tight, &zero) < 1e-6, "{solver:?}");
        assert_eq!(zero, negative, "{solver:?}");
        assert_eq!(zero, nan, "{solver:?}");
    }
}

#[test]
fn newton_is_the_default() {
    for attribute in ["", r#"solver="Newton""#] {
        let m = model(&format!("<option {attribute}/>"));
        assert_eq!(m.opt.solver, Solver::Newton);
    }
}

#[test]
fn bouncing_gains_no_energy() {
    let mut m = model(&format!(
        r#"<worldbody>{FLOOR}<body pos="0 0 1"><freejoint/><geom size=".1" solref="-2000 -2"/></body></worldbody>"#
    ));
    m.opt.enableflags |= EnableBit::Energy.raw();
    let mut d = Data::new(&m);
    forward(&m, &mut d).unwrap();
    let first = d.energy[0] + d.energy[1];
    // Between bounces the energy is constant, and from one flight to the next it falls.
    let (mut flight, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    for _ in 0..(10.0 / m.opt.timestep) as usize {
        step(&m, &mut d).unwrap();
        let energy = d.energy[0] + d.energy[1];
        assert!(energy <= first * (1.0 + 1e-9));
        if d.ncon == 0 {
            highest = highest.max(energy);
        } else if highest.is_finite() {
            assert!(highest <= flight * (1.0 + 1e-9), "{highest} after {flight}");
            (flight, highest) = (highest, f64::NEG_INFINITY);
        }
    }
}

#[test]
fn a_damped_pendulum_loses_energy_in_every_step() {
    let mut m = model(
        r#"<option timestep=".001"/><worldbody><body><joint axis="0 1 0" damping=".1" limited="true" range="-170 170"/>
           <geom pos=".5 0 0" size=".1"/></body></worldbody>"#,
    );
    m.opt.enableflags |= EnableBit::Energy.raw();
    let mut d = Data::new(&m);
    run(&m, &mut d, 50);
    let mut last = f64::INFINITY;
    for _ in 0..100 {
        step(&m, &mut d).unwrap();
        let energy = d.energy[0] + d.energy[1];
        assert!(energy < last);
        last = energy;
    }
}

#[test]
fn warm_starts_save_iterations() {
    let mean = |flags| {
        let mut m = scene("quadruped.xml");
        m.opt.disableflags |= flags;
        let mut d = Data::new(&m);
        let mut total = 0;
        for _ in 0..400 {
            step(&m, &mut d).unwrap();
            total += d.solver_niter.iter().sum::<i32>();
        }
        f64::from(total) / 400.0
    };
    let (warm, cold) = (mean(0), mean(DisableBit::WarmStart.raw()));
    assert!(warm <= 0.8 * cold, "{warm} iterations warm, {cold} cold");
}

#[test]
fn without_rows_there_is_nothing_to_solve() {
    let m =
        model(r#"<worldbody><body pos="0 0 5"><freejoint/><geom size=".1"/></body></worldbody>"#);
    let mut d = Data::new(&m);
    forward(&m, &mut d).unwrap();
    assert_eq!((d.nefc, d.solver_niter[0]), (0, 0));
    assert_eq!(d.qacc, d.qacc_smooth);
    assert!((d.qacc[2] + 9.81).abs() < 1e-12);
}

#[test]
fn direct_stiffness_equals_its_standard_form() {
    // −s₀ = 1/(tc²ζ²) and −s₁ = 2/tc: tc = 0.2, ζ = 1/(0.2·√500).
    let (tc, damping) = (0.2, 1.0 / (0.2 * 500f64.sqrt()));
    let mut ends = Vec::new();
    for solref in [[-500.0, -10.0], [tc, damping]] {
        let mut m = contact_scenes().remove(1);
        m.geom_solref.iter_mut().for_each(|s| *s = solref);
        let d = after(&m, 100);
        ends.push([d.qpos, d.qvel].concat());
    }
    assert!(apart(&ends[0], &ends[1]) < 1e-6);
}

#[test]
fn friction_loss_holds_up_to_its_limit() {
    let m = model(
        r#"<option gravity="0 0 0"/><worldbody><body><joint name="j" axis="0 0 1" frictionloss="2"/>
           <geom pos=".5 0 0" size=".1" mass="1"/></body></worldbody>"#,
    );
    for (applied, want) in [(0.5, -0.5), (-1.5, 1.5), (5.0, -2.0), (-30.0, 2.0)] {
        let mut d = Data::new(&m);
        d.qfrc_applied[0] = applied;
        run(&m, &mut d, 200);
        forward(&m, &mut d).unwrap();
        assert_eq!((d.nf, d.nefc), (1, 1));
        assert!((d.efc_force[0] - want).abs() < 1e-2, "{applied}: {}", d.efc_force[0]);
        assert!(d.efc_force[0].abs() <= 2.0 + 1e-12);
    }
}

#[test]
fn condim_one_slides_without_friction() {
    // On a slope of 30 degrees, with friction in the geoms but none in the contact.
    let m = model(
        r#"<worldbody><geom type="plane" size="50 50 .1" euler="0 30 0" condim="1"/>
           <body pos="0 0 .1155"><freejoint/><geom type="box" size=".1 .1 .1" euler="0 30 0" condim="1"/></body></worldbody>"#,
    );
    let mut d = after(&m, 300);
    forward(&m, &mut d).unwrap();
    let (sin, cos) = real::sin_cos(30f64.to_radians());
    let along = d.qacc[0] * cos - d.qacc[2] * sin;
    assert!((along - 9.81 * sin).abs() < 1e-3, "{along}");
    assert!(d.efc_type.iter().all(|&t| t == ConstraintType::ContactFrictionless.raw()));
}

#[test]
fn a_weld_of_six_rows_holds() {
    let m = model(
        r#"<worldbody><body name="load" pos="0 0 1"><freejoint/><geom size=".1" pos=".2 0 0"/></body></worldbody>
           <equality><weld body1="load" solref=".004 1"/></equality>"#,
    );
    let mut d = after(&m, 1500);
    assert_eq!((d.ne, d.nefc), (6, 6));
    assert!((d.qpos[2] - 1.0).abs() < 1e-3, "{}", d.qpos[2]);
    assert!(d.qvel.iter().all(|v| v.abs() < 1e-6));
    constraint::materialize_jacobian(&m, &mut d);
    assert_eq!(d.efc_J.len(), 36);
}

/// Boxes that lean on each other in a pile, from a pyramid of three to one of twenty-one: iterations
/// of conjugate gradients grow far slower than contacts, and stay below those of Gauss-Seidel.
#[test]
fn conjugate_gradients_do_not_slow_down_with_the_number_of_contacts() {
    let iterations = |rows: usize, solver: Solver| {
        let mut bodies = String::new();
        for row in 0..rows {
            for i in 0..rows - row {
                bodies += &format!(
                    r#"<body pos="{} 0 {}"><freejoint/><geom type="box" size=".1 .1 .1"/></body>"#,
                    0.201 * i as f64 + 0.1005 * row as f64,
                    0.1 + 0.1999 * row as f64
                );
            }
        }
        let mut m = model(&format!("<worldbody>{FLOOR}{bodies}</worldbody>"));
        m.opt.solver = solver;
        m.opt.iterations = 5000;
        m.opt.disableflags = DisableBit::WarmStart.raw() | DisableBit::Island.raw();
        let mut d = Data::new(&m);
        forward(&m, &mut d).unwrap();
        (d.ncon, d.solver_niter[0])
    };
    let (few, many) = (iterations(2, Solver::Cg), iterations(6, Solver::Cg));
    let gauss_seidel = iterations(6, Solver::Pgs).1;
    let (contacts, growth) = (many.0 as f64 / few.0 as f64, many.1 as f64 / few.1 as f64);
    assert!(contacts > 5.0 && growth < 0.6 * contacts, "{few:?} {many:?}");
    assert!(many.1 < gauss_seidel, "{many:?} {gauss_seidel}");
}

fn ball(range: f64, degrees: f64, extra: &str) -> (Model, Data) {
    let m = model(&format!(
        r#"<option timestep=".001" {extra}/><worldbody><body><joint type="ball" limited="true" range="0 {range}"/>
           <geom size=".1" pos="0 0 .3"/></body></worldbody>"#
    ));
    let mut d = Data::new(&m);
    turn(&mut d.qpos, [1.0, 0.0, 0.0], degrees);
    (m, d)
}

fn turn(q: &mut [f64], axis: [f64; 3], degrees: f64) {
    let (s, c) = real::sin_cos(0.5 * degrees.to_radians());
    q.copy_from_slice(&[c, s * axis[0], s * axis[1], s * axis[2]]);
}

#[test]
fn a_quaternion_and_its_opposite_are_the_same_rotation() {
    let (m, mut d) = ball(45.0, 50.0, "");
    d.qvel.copy_from_slice(&[1.0, 2.0, 0.5]);
    forward(&m, &mut d).unwrap();
    let (pos, vel, qacc) = (d.efc_pos[0], d.efc_vel[0], d.qacc.clone());
    assert!(vel < 0.0, "moving in");
    d.qpos.iter_mut().for_each(|q| *q = -*q);
    forward(&m, &mut d).unwrap();
    assert!((d.efc_pos[0] - pos).abs() < 1e-10 && apart(&qacc, &d.qacc) < 1e-10);
    d.qvel.iter_mut().for_each(|v| *v = -*v);
    forward(&m, &mut d).unwrap();
    assert!(d.efc_vel[0] > 0.0, "moving out");
}

#[test]
fn limits_of_several_joints_come_in_order() {
    let m = model(
        r#"<worldbody>
             <body pos="0 0 0"><joint type="ball" limited="true" range="0 45"/><geom size=".1"/></body>
             <body pos="1 0 0"><joint axis="0 1 0" limited="true" range="-10 10"/><geom size=".1" pos=".2 0 0"/></body>
             <body pos="2 0 0"><joint type="ball" limited="true" range="0 45"/><geom size=".1"/></body>
             <body pos="3 0 0"><joint type="ball"/><geom size=".1"/></body>
             <body pos="4 0 0"><freejoint/><geom size=".1"/></body></worldbody>"#,
    );
    let mut d = Data::new(&m);
    forward(&m, &mut d).unwrap();
    assert_eq!(d.nefc, 0, "in range, unlimited, or free");
    turn(&mut d.qpos[5..9], [0.0, 1.0, 0.0], 50.0);
    forward(&m, &mut d).unwrap();
    assert_eq!((d.nl, &d.efc_id[..]), (1, &[2][..]));
    turn(&mut d.qpos[0..4], [1.0, 0.0, 0.0], 60.0);
    turn(&mut d.qpos[9..13], [1.0, 0.0, 0.0], 170.0);
    d.qpos[4] = 0.3;
    forward(&m, &mut d).unwrap();
    assert_eq!((d.nl, &d.efc_id[..]), (3, &[0, 1, 2][..]));
    assert!(d.efc_type.iter().all(|&t| t == ConstraintType::LimitJoint.raw()));
    constraint::materialize_jacobian(&m, &mut d);
    let row = |r: usize| &d.efc_J[r * m.nv..(r + 1) * m.nv];
    assert_eq!(row(1)[3], -1.0);
    assert!((row(0)[0] + 1.0).abs() < 1e-12 && (row(2)[5] + 1.0).abs() < 1e-12);
}

#[test]
fn a_stack_of_ten_boxes_rests_for_a_minute() {
    let m = scene("box_stack.xml");
    assert_eq!(m.nbody, 11);
    let second = (1.0 / m.opt.timestep) as usize;
    let mut d = after(&m, second);
    let rest = d.xpos.clone();
    let mut worst = 0f64;
    for _ in 0..60 {
        run(&m, &mut d, second);
        for (a, b) in rest.iter().zip(&d.xpos) {
            worst = worst.max((*a - *b).norm());
        }
    }
    assert!(worst < 1e-3, "moved by {worst}");
}

#[test]
fn a_dropped_humanoid_settles_without_gaining_energy() {
    let mut m = scene("humanoid.xml");
    m.opt.enableflags |= EnableBit::Energy.raw();
    let mut d = Data::new(&m);
    d.qpos[2] = 2.0;
    forward(&m, &mut d).unwrap();
    let first = d.energy[0] + d.energy[1];
    // Soft contacts store energy that the sum does not show: within a window it may come back, from
    // one window to the next the highest value falls.
    let window = (0.5 / m.opt.timestep) as usize;
    let mut last = first * (1.0 + 1e-3);
    for k in 0..20 {
        let mut highest = f64::NEG_INFINITY;
        for _ in 0..window {
            step(&m, &mut d).unwrap();
            highest = highest.max(d.energy[0] + d.energy[1]);
        }
        assert!(highest <= last + 1e-6 * first.abs(), "window {k}: {highest} after {last}");
        last = highest;
    }
    assert!(d.energy[1] < 1e-2, "still moving: {}", d.energy[1]);
}

#[test]
fn rows_vanish_without_a_trace() {
    let m = model(
        r#"<worldbody><geom type="plane" size="1 1 1"/>
        <body pos="0 0 0.09"><freejoint/><geom size="0.1"/></body></worldbody>"#,
    );
    let mut d = Data::new(&m);
    step(&m, &mut d).unwrap();
    assert!(d.nefc > 0 && d.efc_force.len() == d.nefc);
    constraint::materialize_jacobian(&m, &mut d);
    d.qpos[2] = 1.0;
    corten_sim::inverse::inverse(&m, &mut d).unwrap();
    assert_eq!(d.nefc, 0);
    let lengths = [&d.efc_force, &d.efc_vel, &d.efc_aref, &d.efc_b, &d.efc_J].map(Vec::len);
    assert_eq!((lengths, d.efc_state.len()), ([0; 5], 0));
}
