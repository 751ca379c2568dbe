//! Solvers behind their trait, XPBD on rows, and contacts by stiffness and dissipation.

use corten_math::{Random, Vec3};
use corten_model::enums::{Cone, Solver};
use corten_model::{Assets, Spec};
use corten_sim::extend::Outcome;
use corten_sim::extend::contact::{
    Compliance, ContactProblem, ContactSolver, ContactSolverType, LcpSolver, RowBound, XpbdSolver,
};
use corten_sim::{CancelToken, Data, Model, StepError, forward, load_model_str, solve, step};

const G: f64 = 9.81;

fn load(text: &str) -> Model {
    load_model_str(text, &Assets::new()).unwrap_or_else(|e| panic!("{e}"))
}

fn on_plane(option: &str, body: &str) -> Model {
    load(&format!(
        r#"<mujoco><option {option}/><worldbody><geom name="floor" type="plane" size="5 5 1"/>{body}</worldbody></mujoco>"#
    ))
}

const BOX: &str = r#"<body pos="0 0 .1"><freejoint/><geom name="box" type="box" size=".1 .1 .1" mass="2"/></body>"#;
const XPBD: &str = r#"cortenforge:solver="xpbd" cortenforge:xpbd_substeps="4""#;

fn run(m: &Model, d: &mut Data, seconds: f64) {
    for _ in 0..(seconds / m.opt.timestep).round() as usize {
        step(m, d).unwrap();
    }
}

fn normal_force(m: &Model, d: &Data) -> f64 {
    (0..d.ncon).map(|i| solve::contact_force(m, d, i)[0]).sum()
}

/// A box rests for ten seconds: it neither sinks nor drifts, and the plane carries its weight.
#[test]
fn a_box_rests_on_a_plane() {
    for cone in ["pyramidal", "elliptic"] {
        let m = on_plane(&format!(r#"{XPBD} cone="{cone}""#), BOX);
        assert_eq!((m.opt.solver, m.opt.xpbd_substeps), (Solver::Xpbd, 4));
        let mut d = Data::new(&m);
        run(&m, &mut d, 1.0);
        let settled = d.qpos.clone();
        run(&m, &mut d, 9.0);
        let drift = d.qpos.iter().zip(&settled).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(drift < 1e-3, "{cone}: {drift}");
        assert!((d.qpos[2] - 0.1).abs() < 2e-3, "{cone}: {}", d.qpos[2]);
        let force = normal_force(&m, &d);
        assert!((force / (2.0 * G) - 1.0).abs() < 1e-3, "{cone}: {force}");
        // What follows from forces is there.
        assert!(d.solver_niter[0] > 0 && d.efc_force.iter().any(|&f| f > 0.0));
        let pushed = d.qfrc_constraint[2];
        assert!((pushed / (2.0 * G) - 1.0).abs() < 1e-3, "{pushed}");
    }
}

/// Five centimetres deep: out again within the time constant, without being thrown.
#[test]
fn penetration_is_resolved() {
    let m = on_plane(XPBD, r#"<body pos="0 0 .05"><freejoint/><geom size=".1" mass="1"/></body>"#);
    let mut d = Data::new(&m);
    let mut highest: f64 = 0.0;
    run(&m, &mut d, 0.2);
    assert!(d.qpos[2] > 0.098, "{}", d.qpos[2]);
    for _ in 0..500 {
        step(&m, &mut d).unwrap();
        highest = highest.max(d.qpos[2]);
    }
    assert!(highest < 0.11, "thrown to {highest}");
    // Each solve meets its rows within the iterations that it is given.
    assert!(d.solver_niter[0] <= 4 * m.opt.iterations);
}

/// Rows have the stiffness of `solref` and `solimp` at rest: bodies sink as deep as with Newton's method.
#[test]
fn softness_is_that_of_the_rows() {
    for solref in [".02 1", ".05 .7", "-800 -30"] {
        let body = format!(
            r#"<body pos="0 0 .099"><freejoint/><geom size=".1" mass="3" solref="{solref}" priority="1"/></body>"#
        );
        let rest = |option: &str| {
            let m = on_plane(option, &body);
            let mut d = Data::new(&m);
            run(&m, &mut d, 4.0);
            0.1 - d.qpos[2]
        };
        let (newton, xpbd) = (rest(""), rest(XPBD));
        assert!((xpbd / newton - 1.0).abs() < 0.02, "{solref}: {xpbd} for {newton}");
    }
}

/// On a slope: rest below the angle of friction, `g (sin a − μ cos a)` above it.
#[test]
fn friction_holds_and_slides() {
    let a = 0.4_f64;
    for (mu, slides) in [(0.6, false), (0.2, true)] {
        let text = format!(
            r#"<mujoco><option {XPBD} cone="elliptic" gravity="{} 0 {}"/><worldbody><geom type="plane" size="50 50 1" friction="{mu}"/>
            <body pos="0 0 .05"><freejoint/><geom type="box" size=".2 .2 .05" mass="1" friction="{mu}"/></body></worldbody></mujoco>"#,
            G * a.sin(),
            -G * a.cos()
        );
        let m = load(&text);
        let mut d = Data::new(&m);
        run(&m, &mut d, 1.0);
        let expected = if slides { G * (a.sin() - mu * a.cos()) } else { 0.0 };
        assert!((d.qvel[0] - expected).abs() < 0.05, "{mu}: {} for {expected}", d.qvel[0]);
    }
}

/// Every kind of row, against Newton's method.
const EVERYTHING: &str = r#"<worldbody><geom type="plane" size="5 5 1"/>
    <body name="a" pos="0 0 1"><joint name="a" axis="0 1 0" frictionloss=".3" limited="true" range="-60 60"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".04"/>
      <body name="b" pos=".4 0 0"><joint name="b" axis="0 1 0" damping=".05"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".04"/></body></body>
    <body name="c" pos="1 0 .5"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body name="e" pos="1.3 0 .5"><freejoint/><geom size=".08" condim="4"/></body></worldbody>
    <tendon><fixed name="t" limited="true" range="-.5 .5"><joint joint="a" coef="1"/><joint joint="b" coef="1"/></fixed></tendon>
    <equality><connect body1="c" body2="e" anchor=".15 0 0"/></equality>"#;

#[test]
fn all_kinds_of_rows_come_to_rest_as_with_newton() {
    for cone in ["pyramidal", "elliptic"] {
        let rest = |solver: &str| {
            let m = load(&format!(
                "<mujoco><compiler angle='degree'/><option cone='{cone}' {solver}/>{EVERYTHING}</mujoco>"
            ));
            let mut d = Data::new(&m);
            run(&m, &mut d, 4.0);
            d
        };
        let (a, b) = (rest(""), rest(XPBD));
        assert!(b.ne > 0 && b.nl > 0 && b.nf > 0 && b.ncon > 0);
        assert!(b.qvel.iter().all(|v| v.abs() < 0.05), "{cone}: {:?}", b.qvel);
        // Angles of the chain, height of the box.
        for k in [0, 1, 4] {
            assert!((a.qpos[k] - b.qpos[k]).abs() < 0.02, "{cone}: {:?} {:?}", a.qpos, b.qpos);
        }
    }
}

#[test]
fn solvers_may_be_switched_between_steps() {
    let mut m = load(&format!("<mujoco><compiler angle='degree'/>{EVERYTHING}</mujoco>"));
    let kinds = [
        ContactSolverType::Xpbd,
        ContactSolverType::Lcp(Solver::Newton),
        ContactSolverType::Lcp(Solver::Pgs),
        ContactSolverType::Lcp(Solver::Cg),
    ];
    let mut d = Data::new(&m);
    for k in 0..2000 {
        kinds[k % 4].set(&mut m);
        assert_eq!(ContactSolverType::of(&m), kinds[k % 4]);
        step(&m, &mut d).unwrap();
    }
    assert!(d.qpos.iter().all(|q| q.is_finite()) && d.qvel.iter().all(|v| v.abs() < 0.2));
    // In the middle of a step, too.
    m.opt.solver = Solver::Newton;
    forward(&m, &mut d).unwrap();
    m.opt.solver = Solver::Xpbd;
    step::dynamics(&m, &mut d).unwrap();
    assert!(d.qacc.iter().all(|a| a.is_finite()));
}

/// The same bits through the trait, for all of MuJoCo's methods, and by option or by type.
#[test]
fn solvers_through_the_trait_are_what_they_are() {
    let text = format!("<mujoco><compiler angle='degree'/>{EVERYTHING}</mujoco>");
    for solver in [Solver::Newton, Solver::Cg, Solver::Pgs, Solver::Xpbd] {
        let mut m = load(&text);
        m.opt.solver = solver;
        let mut own = m.clone();
        match solver {
            Solver::Xpbd => own.set_contact_solver(XpbdSolver { substeps: 1, iterations: 100 }),
            _ => own.set_contact_solver(LcpSolver),
        }
        let (mut a, mut b) = (Data::new(&m), Data::new(&own));
        for _ in 0..300 {
            step(&m, &mut a).unwrap();
            step(&own, &mut b).unwrap();
        }
        assert_eq!(a.qpos, b.qpos, "{solver:?}");
        assert_eq!(a.efc_force, b.efc_force, "{solver:?}");
        own.clear_laws();
        step(&own, &mut b).unwrap();
    }
}

/// Projected gradients on the dual problem: slow, and a solver in thirty lines.
struct Descent;

impl ContactSolver for Descent {
    fn solve(&self, _: &Model, d: &mut Data) -> Outcome {
        let p = ContactProblem::new(d);
        let (n, free) = (p.rows(), p.smooth_acceleration().to_vec());
        let mut rows = Vec::new();
        p.for_each_row(|_, row| rows.push(row));
        let (mut f, mut ja, mut a) = (vec![0.0; n], vec![0.0; n], free.clone());
        for _ in 0..20000 {
            p.mul(&a, &mut ja);
            for i in 0..n {
                let residual = ja[i] - rows[i].reference + rows[i].regularization * f[i];
                let wanted = f[i] - 0.02 * residual;
                f[i] = match rows[i].bound {
                    RowBound::Free => wanted,
                    RowBound::Within(size) => wanted.clamp(-size, size),
                    _ => wanted.max(0.0),
                };
            }
            p.mul_transposed(&f, &mut a);
            p.solve_inertia(&mut a);
            a.iter_mut().zip(&free).for_each(|(a, free)| *a += free);
        }
        p.finish(&f)
    }
}

#[test]
fn a_solver_of_ones_own_finds_the_same_forces() {
    let mut m = on_plane(r#"cone="pyramidal" iterations="500" tolerance="1e-14""#, BOX);
    let mut d = Data::new(&m);
    run(&m, &mut d, 0.3);
    let mut own = d.clone();
    forward(&m, &mut d).unwrap();
    m.set_contact_solver(Descent);
    forward(&m, &mut own).unwrap();
    let apart = d.qacc.iter().zip(&own.qacc).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(d.nefc > 0 && apart < 1e-3, "{apart}");
}

/// What fails says so, by name.
#[test]
fn a_solver_that_fails_ends_the_step() {
    struct Fails;
    impl ContactSolver for Fails {
        fn solve(&self, _: &Model, _: &mut Data) -> Outcome {
            Err("out of luck".into())
        }
    }
    let mut m = on_plane("", BOX);
    m.set_contact_solver(Fails);
    let mut d = Data::new(&m);
    let before = d.qpos.clone();
    let error = step(&m, &mut d).unwrap_err();
    assert!(matches!(error, StepError::Extension { .. }), "{error}");
    assert!(
        error.to_string().contains("out of luck") && error.to_string().contains("contact solver")
    );
    assert_eq!(d.qpos, before);
}

fn ball(geom: &str, height: f64) -> String {
    format!(
        r#"<body pos="0 0 {height}"><freejoint/><geom name="ball" size=".1" mass="2" {geom}/></body>"#
    )
}

/// Depth at rest is load over stiffness, with every solver, cone and step.
#[test]
fn a_stiffness_is_newtons_per_metre() {
    for (cone, condim) in [("elliptic", 3), ("elliptic", 1), ("pyramidal", 3), ("elliptic", 6)] {
        for (solver, h) in [("Newton", 0.002), ("CG", 0.005), ("PGS", 0.001)] {
            let geom = format!(
                r#"cortenforge:stiffness="4000" cortenforge:dissipation="2" condim="{condim}""#
            );
            let option = format!(
                r#"cone="{cone}" solver="{solver}" timestep="{h}" iterations="300" tolerance="1e-14""#
            );
            let m = on_plane(&option, &ball(&geom, 0.099));
            let mut d = Data::new(&m);
            run(&m, &mut d, 3.0);
            let depth = 0.1 - d.qpos[2];
            assert!((depth * 4000.0 / (2.0 * G) - 1.0).abs() < 1e-4, "{cone} {solver}: {depth}");
        }
    }
}

#[test]
fn two_soft_surfaces_are_springs_one_behind_the_other_and_pairs_decide() {
    let depth = |floor: &str, geom: &str, pair: &str| {
        let m = load(&format!(
            r#"<mujoco><option cone="elliptic"/><worldbody><geom name="floor" type="plane" size="5 5 1" {floor}/>{}</worldbody><contact>{pair}</contact></mujoco>"#,
            ball(geom, 0.099)
        ));
        let mut d = Data::new(&m);
        run(&m, &mut d, 4.0);
        (0.1 - d.qpos[2]) / (2.0 * G)
    };
    let law = |k: f64| format!(r#"cortenforge:stiffness="{k}" cortenforge:dissipation="5""#);
    let one = depth(&law(3000.0), &law(6000.0), "");
    assert!((one - (1.0 / 3000.0 + 1.0 / 6000.0)).abs() < 1e-7, "{one}");
    let pair = format!(r#"<pair geom1="floor" geom2="ball" {}/>"#, law(5000.0));
    let two = depth(&law(3000.0), "", &pair);
    assert!((two - 1.0 / 5000.0).abs() < 1e-7, "{two}");
    // A pair without a law has that of MuJoCo.
    let three = depth(&law(3000.0), "", r#"<pair geom1="floor" geom2="ball"/>"#);
    assert!((three - 1.0 / 3000.0).abs() > 1e-5, "{three}");
}

/// A ball comes back with the speed that the law of Hunt and Crossley gives it, integrated with short steps.
#[test]
fn dissipation_decides_how_high_a_ball_bounces() {
    for dissipation in [0.0, 0.3, 1.0] {
        let geom = format!(
            r#"cortenforge:stiffness="20000" cortenforge:dissipation="{dissipation}" condim="1""#
        );
        let m = on_plane(r#"timestep="1e-4" gravity="0 0 0""#, &ball(&geom, 0.1));
        let mut d = Data::new(&m);
        d.qvel[2] = -1.0;
        for _ in 0..2000 {
            step(&m, &mut d).unwrap();
        }
        let (mut x, mut v, h) = (0.0_f64, 1.0_f64, 1e-6);
        while x >= 0.0 {
            v -= h * (20000.0 * x * (1.0 + dissipation * v)).max(0.0) / 2.0;
            x += h * v;
        }
        assert!((d.qvel[2] + v).abs() < 0.02, "{dissipation}: {} for {}", d.qvel[2], -v);
    }
}

/// A soft contact does not creep on a slope.
#[test]
fn friction_of_a_soft_contact_holds() {
    let geom = r#"cortenforge:stiffness="2000" cortenforge:dissipation="5""#;
    let m = on_plane(
        r#"cone="elliptic" impratio="10" gravity="3 0 -9""#,
        &format!(
            r#"<body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" mass="2" {geom}/></body>"#
        ),
    );
    let mut d = Data::new(&m);
    run(&m, &mut d, 1.0);
    let start = d.qpos[0];
    run(&m, &mut d, 1.0);
    assert!((d.qpos[0] - start).abs() < 2e-3, "{}", d.qpos[0] - start);
    assert_eq!(m.opt.cone, Cone::Elliptic);
}

/// MuJoCo's parameters that a helper fits: the same depth at the load, and a misfit that tells what is lost.
#[test]
fn fitted_parameters_carry_the_load_at_the_same_depth() {
    let mass = 2.0;
    let fit = Compliance { stiffness: 8000.0, dissipation: 1.0 }.fit(mass, mass * G, 0.1);
    let numbers = |x: &[f64]| x.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
    let geom = format!(
        r#"solref="{}" solimp="{}" priority="1" condim="1""#,
        numbers(&fit.solref),
        numbers(&fit.solimp)
    );
    let m = on_plane("", &ball(&geom, 0.099));
    let mut d = Data::new(&m);
    run(&m, &mut d, 8.0);
    let depth = 0.1 - d.qpos[2];
    assert!((depth * 8000.0 / (mass * G) - 1.0).abs() < 0.01, "{depth}");
    assert!(fit.misfit > 0.0 && fit.misfit < 0.2, "{}", fit.misfit);
    let slow = Compliance { stiffness: 8000.0, dissipation: 1.0 }.fit(mass, mass * G, 0.0);
    assert!(slow.misfit < 1e-12);
}

#[test]
fn attributes_are_saved_and_checked() {
    let text = format!(
        r#"<mujoco><option {XPBD}/><worldbody><geom name="floor" type="plane" size="5 5 1" cortenforge:stiffness="3000" cortenforge:dissipation=".5"/>{}</worldbody>
        <contact><pair geom1="floor" geom2="ball" cortenforge:stiffness="100"/></contact></mujoco>"#,
        ball("", 0.1)
    );
    let (spec, warnings) = Spec::from_xml_str_with_warnings(&text, &Assets::new()).unwrap();
    assert_eq!(warnings.iter().count(), 0, "{warnings}");
    let written = spec.to_xml().unwrap();
    let first = load(&text);
    for m in [&first, &load(&written), &Model::from_bytes(&first.to_bytes()).unwrap()] {
        assert_eq!((m.opt.solver, m.opt.xpbd_substeps), (Solver::Xpbd, 4));
        assert_eq!(m.geom_compliance, [[3000.0, 0.5], [0.0, 0.0]]);
        assert_eq!(m.pair_compliance, [[100.0, 0.0]]);
    }
    let refused = |attributes: &str| {
        let text = format!("<mujoco><worldbody>{}</worldbody></mujoco>", ball(attributes, 1.0));
        load_model_str(&text, &Assets::new()).unwrap_err().to_string()
    };
    assert!(refused(r#"cortenforge:stiffness="-1""#).contains("cortenforge:stiffness"));
    assert!(refused(r#"dissipation="1""#).contains("cortenforge:dissipation"));
    let solver =
        load_model_str(r#"<mujoco><option cortenforge:solver="pbd"/></mujoco>"#, &Assets::new());
    assert!(solver.unwrap_err().to_string().contains("xpbd"));
    for (option, told) in [
        (r#"solver="xpbd""#, "did you mean: cortenforge:solver"),
        (r#"cortenforge:xpbd_substeps="0""#, "from 1 to 10000"),
        (r#"cortenforge:xpbd_substeps="2147483647""#, "from 1 to 10000"),
    ] {
        let text = format!("<mujoco><option {option}/></mujoco>");
        let error = load_model_str(&text, &Assets::new()).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
    assert!(refused(r#"cortenforge:stiffness="inf""#).contains("must be finite"));
}

/// As many substeps as one likes: who asks a step to end does not wait for them.
#[test]
fn substeps_without_end_are_cancelled() {
    let mut m = on_plane("", &BOX.replace("0 0 .1", "0 0 .09"));
    m.set_contact_solver(XpbdSolver::new(usize::MAX >> 1));
    let mut d = Data::new(&m);
    let before = (d.qpos.clone(), d.time);
    let token = CancelToken::polling(|| true);
    d.cancel = Some(token.clone());
    assert_eq!(step(&m, &mut d), Err(StepError::Cancelled { time: 0.0 }));
    assert_eq!((d.qpos.clone(), d.time), before);
    token.withdraw();
    m.clear_laws();
    step(&m, &mut d).unwrap();
}

/// The same bits whoever shares the model, and from a copy.
#[test]
fn runs_repeat() {
    let m =
        load(&format!("<mujoco><compiler angle='degree'/><option {XPBD}/>{EVERYTHING}</mujoco>"));
    let mut random = Random(3);
    let mut d = Data::new(&m);
    d.qvel.iter_mut().for_each(|v| *v = random.between(-0.5, 0.5));
    run(&m, &mut d, 0.5);
    let mut copy = d.clone();
    run(&m, &mut d, 0.5);
    run(&m, &mut copy, 0.5);
    assert_eq!(d.qpos, copy.qpos);
    assert!(Vec3::from_slice(&d.qpos[2..5]).is_finite());
}
