//! What sleeping must do: policies, lever arms, cycles, every way of waking, and that what is awake
//! computes the same bits as without sleep. `docs/acceptance.md` says which requirement each test
//! answers; `sleep.rs` holds the basic scenarios.

use corten_model::Assets;
use corten_model::enums::{DisableBit, EnableBit, ObjType, SleepPolicy, SleepState};
use corten_sim::{Data, Model, forward, load_model_str, sleep, stage::inertia, step};

fn model(body: &str) -> Model {
    let text = format!(r#"<mujoco><option><flag sleep="enable"/></option>{body}</mujoco>"#);
    load_model_str(&text, &Assets::default()).unwrap()
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

/// Steps until a tree is awake; how many that took.
fn steps_to_wake(m: &Model, d: &mut Data, tree: usize) -> usize {
    (1..2000)
        .find(|_| {
            step(m, d).unwrap();
            d.tree_awake[tree] != 0
        })
        .expect("it wakes")
}

const FLOOR: &str = r#"<geom type="plane" size="20 20 .1"/>"#;

fn cube(x: f64, z: f64, attributes: &str) -> String {
    format!(
        r#"<body name="c{x}{z}" pos="{x} 0 {z}" {attributes}><freejoint/><geom type="box" size=".1 .1 .1"/></body>"#
    )
}

#[test]
fn trees_are_what_joints_move() {
    // A fixed root with two jointed children is two trees; fixed bodies have none.
    let m = model(
        r#"<worldbody><body name="frame"><geom size=".1"/>
             <body><joint/><geom size=".1"/><body><joint/><geom size=".1"/></body></body>
             <body><joint type="ball"/><geom size=".1"/></body></body>
           <body><freejoint/><geom size=".1"/></body></worldbody>"#,
    );
    assert_eq!((m.ntree, &m.body_treeid[..]), (3, &[-1, -1, 0, 0, 1, 2][..]));
    assert_eq!((&m.tree_bodyadr[..], &m.tree_bodynum[..]), (&[2, 4, 5][..], &[2, 1, 1][..]));
    assert_eq!((&m.tree_dofadr[..], &m.tree_dofnum[..]), (&[0, 2, 5][..], &[2, 3, 6][..]));
    assert_eq!(m.dof_treeid, [0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 2]);
}

#[test]
fn policies_follow_actuators_tendons_and_the_author() {
    let m = model(
        r#"<worldbody>
             <body><joint name="motor"/><geom size=".1"/></body>
             <body pos="1 0 0" sleep="allowed"><joint name="chosen"/><geom size=".1"/></body>
             <body pos="2 0 0"><joint name="free"/><geom size=".1"/></body>
             <body pos="3 0 0" sleep="never"><joint name="restless"/><geom size=".1"/></body>
             <body pos="4 0 0"><joint name="loose"/><geom size=".1"/><site name="s1"/></body>
             <body pos="5 0 0"><joint name="looser"/><geom size=".1"/><site name="s2"/></body>
             <body pos="6 0 0"><joint name="sprung"/><geom size=".1"/><site name="s3"/></body>
             <body pos="7 0 0"><joint name="sprung2"/><geom size=".1"/><site name="s4"/></body>
             <body pos="8 0 0"><joint name="pulled"/><geom size=".1"/></body></worldbody>
           <tendon><spatial><site site="s1"/><site site="s2"/></spatial>
             <spatial stiffness="5"><site site="s3"/><site site="s4"/></spatial>
             <fixed name="cord"><joint joint="pulled" coef="1"/></fixed></tendon>
           <actuator><motor joint="motor"/><motor joint="chosen"/><motor tendon="cord"/></actuator>"#,
    );
    use SleepPolicy::{Allowed, AutoAllowed, AutoNever, Never};
    let want = [
        AutoNever,
        Allowed,
        AutoAllowed,
        Never,
        AutoAllowed,
        AutoAllowed,
        AutoNever,
        AutoNever,
        AutoNever,
    ];
    assert_eq!(m.tree_sleep_policy, want.map(|p| p.raw()));
    // Only what may sleep does.
    let mut quiet = m;
    quiet.opt.gravity = Default::default();
    let d = after(&quiet, 20);
    let asleep: Vec<bool> = d.tree_awake.iter().map(|&a| a == 0).collect();
    assert_eq!(asleep, want.map(|p| matches!(p, Allowed | AutoAllowed)));
}

#[test]
fn velocities_count_with_their_lever_arm() {
    let arm = |length: f64| {
        model(&format!(
            r#"<worldbody><body><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 {length} 0 0" size="{}"/></body>
               <body pos="0 5 0"><joint type="slide"/><geom size=".1"/></body></worldbody>"#,
            0.02 * length
        ))
    };
    let (long, short) = (arm(1.0), arm(0.1));
    // Half the length plus the radius, as MuJoCo measures it.
    assert!((long.dof_length[0] - 0.52).abs() < 1e-9 && (short.dof_length[0] - 0.052).abs() < 1e-9);
    assert_eq!(long.dof_length[1], 1.0);
    let free = model(r#"<worldbody><body><freejoint/><geom size=".3"/></body></worldbody>"#);
    assert_eq!(free.dof_length[..3], [1.0; 3]);
    assert!(free.dof_length[3..].iter().all(|&l| (l - 0.3).abs() < 1e-9));
    // The same angular velocity is rest for the short arm, motion for the long one.
    let still = |mut m: Model| {
        m.opt.gravity = Default::default();
        let mut d = Data::new(&m);
        d.qvel[0] = 3e-4;
        run(&m, &mut d, 15);
        d.tree_awake[0] == 0
    };
    assert!(!still(long) && still(short));
}

#[test]
fn a_smaller_tolerance_delays_sleep() {
    let steps = |tolerance: f64| {
        let mut m = model(
            r#"<worldbody><body><joint axis="0 1 0" damping="2"/><geom pos="0 0 -.5" size=".1"/></body></worldbody>"#,
        );
        m.opt.sleep_tolerance = tolerance;
        let mut d = Data::new(&m);
        d.qpos[0] = 0.3;
        (0..100_000).find(|_| {
            step(&m, &mut d).unwrap();
            d.tree_awake[0] == 0
        })
    };
    assert!(steps(5e-5).unwrap() > steps(1e-4).unwrap());
}

/// Three cubes in a row that touch, asleep as one cycle, and one apart.
fn row() -> (Model, Data) {
    let bodies =
        [cube(0.0, 0.1, ""), cube(0.1999, 0.1, ""), cube(0.3998, 0.1, ""), cube(3.0, 0.1, "")];
    let m = model(&format!("<worldbody>{FLOOR}{}</worldbody>", bodies.concat()));
    let d = after(&m, 600);
    assert_eq!(d.ntree_awake, 0, "{:?}", d.tree_asleep);
    (m, d)
}

#[test]
fn an_island_sleeps_as_a_cycle_and_wakes_as_one() {
    let (m, mut d) = row();
    assert_eq!(d.tree_asleep, [1, 2, 0, 3]);
    d.xfrc_applied[3].0[2] = 0.1;
    run(&m, &mut d, 1);
    assert_eq!(d.tree_awake, [1, 1, 1, 0]);
    assert_eq!(d.tree_asleep[3], 3);
}

#[test]
fn a_touch_wakes_the_whole_island_in_the_same_step() {
    let bodies = [cube(0.0, 0.1, ""), cube(0.0, 0.2999, ""), cube(3.0, 0.1, "")];
    let ball = r#"<body pos="0 0 9" sleep="never"><freejoint/><geom size=".1"/></body>"#;
    let m = model(&format!("<worldbody>{FLOOR}{}{ball}</worldbody>", bodies.concat()));
    let mut d = after(&m, 600);
    assert_eq!(d.tree_awake, [0, 0, 0, 1]);
    steps_to_wake(&m, &mut d, 0);
    assert_eq!(d.tree_awake, [1, 1, 0, 1]);
    assert!(d.ncon > 1, "contacts of the woken trees are found in the same step");
}

#[test]
fn resting_on_static_bodies_wakes_nothing() {
    let (m, mut d) = row();
    for _ in 0..50 {
        run(&m, &mut d, 1);
        assert_eq!((d.ntree_awake, d.ncon), (0, 0));
    }
}

#[test]
fn equalities_wake_what_they_couple() {
    let bodies = [cube(0.0, 0.1, ""), cube(1.0, 0.1, ""), cube(3.0, 0.1, r#"sleep="never""#)];
    let m = model(&format!(
        r#"<worldbody>{FLOOR}{}</worldbody><equality>
           <connect body1="c00.1" body2="c10.1" anchor=".5 0 0" active="false"/>
           <connect body1="c10.1" body2="c30.1" anchor="1 0 0" active="false"/></equality>"#,
        bodies.concat()
    ));
    let asleep = after(&m, 600);
    assert_eq!(asleep.tree_awake, [0, 0, 1]);
    // Two sleeping trees of different cycles wake each other.
    let mut d = asleep.clone();
    d.eq_active[0] = 1;
    run(&m, &mut d, 1);
    assert_eq!(d.tree_awake, [1, 1, 1]);
    // An awake tree wakes a sleeping one.
    let mut d = asleep;
    d.eq_active[1] = 1;
    run(&m, &mut d, 1);
    assert_eq!(d.tree_awake, [0, 1, 1]);
}

#[test]
fn a_taut_tendon_wakes_the_sleeping_end_only_for_an_awake_one() {
    let bodies = |policy: &str| {
        let site =
            |b: String, s: &str| b.replace("</body>", &format!(r#"<site name="{s}"/></body>"#));
        let a = site(cube(0.0, 0.1, ""), "s1");
        let b = site(cube(1.0, 0.1, policy), "s2");
        model(&format!(
            r#"<worldbody>{FLOOR}{a}{b}</worldbody><tendon><spatial limited="true" range="0 1.2">
               <site site="s1"/><site site="s2"/></spatial></tendon>"#
        ))
    };
    let mut m = bodies(r#"sleep="never""#);
    let mut d = after(&m, 600);
    assert_eq!(d.tree_awake, [0, 1]);
    m.tendon_range[0] = [0.0, 0.9];
    run(&m, &mut d, 1);
    assert_eq!(d.tree_awake, [1, 1]);
    // Both asleep: MuJoCo leaves them so.
    let mut m = bodies("");
    let mut d = after(&m, 600);
    assert_eq!(d.tree_awake, [0, 0]);
    m.tendon_range[0] = [0.0, 0.9];
    run(&m, &mut d, 1);
    assert_eq!(d.tree_awake, [0, 0]);
}

#[test]
fn sleeping_leaves_no_velocity_or_force_behind() {
    let m = model(&format!(
        r#"<worldbody>{FLOOR}{}<body pos="2 0 1" sleep="allowed"><joint name="j" damping="5" axis="0 1 0" stiffness="1"/>
             <geom size=".1"/></body></worldbody><actuator><motor joint="j"/></actuator>"#,
        cube(0.0, 0.1, "")
    ));
    let mut d = Data::new(&m);
    d.qvel[6] = 0.1;
    (0..4000).find(|_| {
        step(&m, &mut d).unwrap();
        d.ntree_awake == 0
    });
    assert_eq!(d.ntree_awake, 0, "{:?}", d.tree_asleep);
    let still = |d: &Data, all: &[(&str, &[f64])]| {
        for (name, values) in all {
            assert!(values.iter().all(|&x| x == 0.0), "{name}: {values:?}");
        }
        assert!(d.cvel.iter().all(|v| v.0 == [0.0; 6]));
    };
    still(&d, &[("qvel", &d.qvel), ("qfrc_damper", &d.qfrc_damper)]);

    // Forces of constraints and actuators are not computed for what sleeps; bias and springs stay what
    // they were at rest, as in MuJoCo, so that `qacc` shows the fall that nothing holds up.
    let [bias, spring] = [d.qfrc_bias.clone(), d.qfrc_spring.clone()];
    run(&m, &mut d, 1);
    still(
        &d,
        &[
            ("qvel", &d.qvel),
            ("qfrc_actuator", &d.qfrc_actuator),
            ("qfrc_constraint", &d.qfrc_constraint),
            ("actuator_force", &d.actuator_force),
            ("qfrc_damper", &d.qfrc_damper),
        ],
    );
    assert_eq!((&d.qfrc_bias, &d.qfrc_spring), (&bias, &spring));
    assert!((d.qfrc_bias[2] - m.body_mass[1] * 9.81).abs() < 1e-12, "{:?}", d.qfrc_bias);
    assert!((d.qacc[2] + 9.81).abs() < 1e-12, "{:?}", d.qacc);
}

#[test]
fn states_can_be_asked_for() {
    let (m, d) = row();
    assert_eq!(sleep::state(&m, &d, ObjType::Body, 0), SleepState::Static);
    for (kind, id) in
        [(ObjType::Body, 2), (ObjType::Joint, 1), (ObjType::Geom, 2), (ObjType::Dof, 7)]
    {
        assert_eq!(sleep::state(&m, &d, kind, id), SleepState::Asleep, "{kind:?}");
    }
    assert_eq!((d.nbody_awake, d.nv_awake, d.nisland), (1, 0, 0));
    let mut d = d;
    d.qvel[0] = 1.0;
    run(&m, &mut d, 1);
    assert_eq!(sleep::state(&m, &d, ObjType::Body, 1), SleepState::Awake);
    assert_eq!((d.nbody_awake, d.nv_awake, d.nisland), (4, 18, 1));
    assert_eq!(d.body_awake_ind[..4], [0, 1, 2, 3]);
}

#[test]
fn a_reset_starts_from_the_policies() {
    let m = model(&format!(
        "<worldbody>{FLOOR}{}{}</worldbody>",
        cube(0.0, 0.1, r#"sleep="init""#),
        cube(1.0, 0.1, "")
    ));
    let mut d = Data::new(&m);
    // The pass that puts the first to sleep counts the second down once, as in MuJoCo.
    assert_eq!(d.tree_asleep, [0, -10]);
    d.qvel[0] = 1.0;
    run(&m, &mut d, 5);
    assert_eq!(d.ntree_awake, 2);
    d.reset(&m).unwrap();
    assert_eq!((&d.tree_asleep[..], d.ntree_awake), (&[0, -10][..], 1));
}

/// Energy before and after a model's only tree falls asleep.
fn energies_around_sleep(m: &Model, start: impl Fn(&mut Data)) -> [[f64; 2]; 2] {
    let mut d = Data::new(m);
    start(&mut d);
    let mut before = None;
    for _ in 0..20_000 {
        let awake = d.ntree_awake;
        step(m, &mut d).unwrap();
        if awake == 1 && d.ntree_awake == 0 {
            run(m, &mut d, 1);
            return [before.expect("it did not start asleep"), *d.energy];
        }
        before = Some(*d.energy);
    }
    panic!("it never slept");
}

#[test]
fn energy_does_not_jump_when_something_falls_asleep() {
    let mut m = model(&format!("<worldbody>{FLOOR}{}</worldbody>", cube(0.0, 0.15, "")));
    m.opt.enableflags |= EnableBit::Energy.raw();
    let [before, after] = energies_around_sleep(&m, |_| {});
    assert!((after[0] - before[0]).abs() < 1e-4 && after[1] == 0.0, "{before:?} {after:?}");
    assert!(before[0] > 1.0);
}

/// MuJoCo leaves springs of sleeping trees out of the potential energy.
#[test]
fn energy_of_springs_sleeps_with_their_tree() {
    let mut m = model(
        r#"<worldbody><body><joint type="slide" axis="0 0 1" stiffness="100" damping="20"/>
             <geom size=".1" mass="2"/></body></worldbody>"#,
    );
    m.opt.enableflags |= EnableBit::Energy.raw();
    let [before, after] = energies_around_sleep(&m, |_| {});
    // At rest the spring holds the weight: k x = m g, with −m g x of gravity and k x²/2 of the spring.
    let x: f64 = 2.0 * 9.81 / 100.0;
    assert!((before[0] - (-2.0 * 9.81 * x + 50.0 * x * x)).abs() < 1e-3, "{before:?}");
    assert!((after[0] + 2.0 * 9.81 * x).abs() < 1e-3 && after[1] == 0.0, "{after:?}");
}

/// Deep chains and boxes; half of them rest.
fn mixed() -> Model {
    let mut bodies = String::new();
    for k in 0..3 {
        bodies += &format!(
            r#"<body pos="{} 4 3" sleep="{}">"#,
            6 * k,
            if k == 1 { "allowed" } else { "never" }
        );
        for _ in 0..10 {
            bodies += r#"<joint axis="0 1 0" armature=".01" damping=".5"/><geom type="capsule" fromto="0 0 0 0 0 -.2" size=".02"/>
                         <body pos="0 0 -.2">"#;
        }
        bodies += r#"<joint axis="0 1 0"/><geom size=".05"/>"#;
        bodies += &"</body>".repeat(11);
    }
    for i in 0..4 {
        bodies += &cube(i as f64, 0.1, "");
    }
    model(&format!("<worldbody>{FLOOR}{bodies}</worldbody>"))
}

#[test]
fn what_is_awake_is_that_of_a_world_without_sleep() {
    let mut m = mixed();
    let mut d = Data::new(&m);
    d.qvel[0] = 1.0;
    d.qvel[25] = 2.0;
    run(&m, &mut d, 400);
    let asleep: Vec<usize> = (0..m.ntree).filter(|&t| d.tree_awake[t] == 0).collect();
    assert_eq!(asleep, [1, 3, 4, 5, 6]);
    let sleeping: Vec<bool> =
        (0..m.nv).map(|i| d.tree_awake[m.dof_treeid[i] as usize] == 0).collect();

    // The same state without sleep: selective mass matrix and factor, velocities, forces.
    forward(&m, &mut d).unwrap();
    let frozen = (d.M.clone(), d.qLD.clone(), d.crb.clone());
    let mut whole = Data::new(&m);
    m.opt.enableflags = 0;
    (whole.qpos, whole.qvel) = (d.qpos.clone(), d.qvel.clone());
    whole.qacc_warmstart = d.qacc_warmstart.clone();
    forward(&m, &mut whole).unwrap();
    let mut awake = 0;
    for i in (0..m.nv).filter(|&i| !sleeping[i]) {
        awake += 1;
        let row = m.M_rowadr[i] as usize..(m.M_rowadr[i] + m.M_rownnz[i]) as usize;
        assert_eq!(d.M[row.clone()], whole.M[row.clone()]);
        assert_eq!(d.qLD[row.clone()], whole.qLD[row]);
        assert_eq!(d.qLDiagInv[i], whole.qLDiagInv[i]);
        assert_eq!(d.qfrc_bias[i], whole.qfrc_bias[i]);
        assert_eq!(d.qfrc_passive[i], whole.qfrc_passive[i]);
        // The solution of a part adds up in another order.
        assert!((d.qacc[i] - whole.qacc[i]).abs() < 1e-12 * whole.qacc[i].abs().max(1.0));
    }
    assert_eq!(awake, 22);
    assert!(d.qLDiagInv.iter().all(|&x| x > 0.0), "all factors stay positive");

    // Rows of what sleeps stay as they are, and have no part in a solution.
    m.opt.enableflags = EnableBit::Sleep.raw();
    run(&m, &mut d, 20);
    forward(&m, &mut d).unwrap();
    for i in (0..m.nv).filter(|&i| sleeping[i]) {
        let row = m.M_rowadr[i] as usize..(m.M_rowadr[i] + m.M_rownnz[i]) as usize;
        assert_eq!(d.M[row.clone()], frozen.0[row.clone()]);
        assert_eq!(d.qLD[row.clone()], frozen.1[row]);
    }
    let mut x: Vec<f64> = sleeping.iter().map(|&s| if s { 0.0 } else { 1.0 }).collect();
    inertia::solve(&d, &mut x);
    assert!((0..m.nv).all(|i| !sleeping[i] || x[i] == 0.0));

    // Awake again, the mass matrix is that of a world that never slept.
    let tree = 1;
    d.qpos[m.tree_dofadr[tree] as usize + 2] += 0.1;
    forward(&m, &mut d).unwrap();
    assert_eq!(d.tree_awake[tree], 1);
    (whole.qpos, whole.qvel) = (d.qpos.clone(), d.qvel.clone());
    m.opt.enableflags = 0;
    forward(&m, &mut whole).unwrap();
    for i in m.tree_dofadr[tree] as usize..(m.tree_dofadr[tree] + m.tree_dofnum[tree]) as usize {
        let row = m.M_rowadr[i] as usize..(m.M_rowadr[i] + m.M_rownnz[i]) as usize;
        assert_eq!(d.M[row.clone()], whole.M[row.clone()]);
        assert_eq!(d.qLD[row.clone()], whole.qLD[row]);
    }
}

#[test]
fn with_everything_awake_the_flag_changes_no_bit() {
    let mut m = mixed();
    m.tree_sleep_policy.fill(SleepPolicy::Never.raw());
    let on = after(&m, 200);
    assert_eq!(on.ntree_awake, m.ntree);
    m.opt.enableflags = 0;
    let off = after(&m, 200);
    let bits = |d: &Data| -> Vec<u64> {
        [&d.qpos, &d.qvel, &d.qacc, &d.qfrc_constraint, &d.M, &d.qLD, &d.qfrc_bias]
            .into_iter()
            .flatten()
            .map(|x| x.to_bits())
            .collect()
    };
    assert!(bits(&on) == bits(&off));
}

#[test]
fn islands_agree_with_the_whole() {
    // Decoupled bodies: the forces of the islands are those of the global solution.
    let mut m = model(&format!(
        "<worldbody>{FLOOR}{}{}</worldbody>",
        cube(0.0, 0.0995, r#"sleep="never""#),
        cube(2.0, 0.0995, r#"sleep="never""#)
    ));
    (m.opt.tolerance, m.opt.iterations) = (1e-16, 300);
    let mut d = Data::new(&m);
    forward(&m, &mut d).unwrap();
    assert_eq!(d.nisland, 2);
    let apart = (d.efc_force.clone(), d.qacc.clone());
    assert!(apart.0.iter().any(|&f| f > 0.0));
    m.opt.disableflags = DisableBit::Island.raw();
    let mut d = Data::new(&m);
    forward(&m, &mut d).unwrap();
    assert_eq!((d.nisland, d.nidof), (0, 0));
    for (a, b) in apart.0.iter().chain(&apart.1).zip(d.efc_force.iter().chain(&d.qacc)) {
        assert!((a - b).abs() < 1e-9 * a.abs().max(1.0), "{a} {b}");
    }
}

/// One island that has all degrees of freedom is solved as the whole: the same bits.
#[test]
fn one_island_of_everything_is_the_whole() {
    let mut m = model(&format!(
        "<worldbody>{FLOOR}{}{}</worldbody>",
        cube(0.0, 0.0995, r#"sleep="never""#),
        cube(0.05, 0.298, r#"sleep="never""#)
    ));
    let mut apart = Data::new(&m);
    let mut whole = Data::new(&m);
    // The scale of the tolerance is that of the island: at zero, both go on to the end.
    m.opt.tolerance = 0.0;
    for t in 0..200 {
        m.opt.disableflags = 0;
        step(&m, &mut apart).unwrap();
        assert_eq!((apart.nisland, apart.nidof), (1, m.nv), "{t}");
        m.opt.disableflags = DisableBit::Island.raw();
        step(&m, &mut whole).unwrap();
        assert_eq!(whole.nisland, 0);
        assert_eq!((&apart.qpos, &apart.qvel), (&whole.qpos, &whole.qvel), "{t}");
    }
}

#[test]
fn worlds_sleep_on_their_own() {
    let (m, asleep) = row();
    let mut woken = asleep.clone();
    woken.qvel[0] = 1.0;
    let mut other = asleep.clone();
    run(&m, &mut woken, 1);
    run(&m, &mut other, 1);
    assert_eq!((woken.ntree_awake, other.ntree_awake), (3, 0));
}
