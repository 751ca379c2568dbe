//! Sleeping and waking, in scenarios whose course is known.

use corten_model::enums::{DisableBit, Integrator, ObjType, SleepPolicy, SleepState};
use corten_model::{Assets, Spec};
use corten_sim::sleep::{self, SleepError};
use corten_sim::{Data, Model, build, load_model_str, step};

fn model(xml: &str) -> Model {
    load_model_str(xml, &Assets::default()).unwrap()
}

fn run(m: &Model, d: &mut Data, steps: usize) {
    for _ in 0..steps {
        step(m, d).unwrap();
    }
}

/// Ten spheres at rest on the ground; the last, `ball`, hangs above the first.
fn field(extra: &str) -> Model {
    let mut bodies = String::new();
    for i in 0..10 {
        bodies += &format!(
            r#"<body pos="{} 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>"#,
            i
        );
    }
    model(&format!(
        r#"<mujoco><option><flag sleep="enable"/></option><worldbody>
           <geom type="plane" size="20 20 .1"/>{bodies}{extra}</worldbody></mujoco>"#
    ))
}

#[test]
fn bodies_at_rest_fall_asleep_and_a_dropped_ball_wakes_its_partner_only() {
    let m = field(r#"<body pos="3 0 8"><freejoint/><geom size=".1"/></body>"#);
    let mut d = Data::new(&m);
    run(&m, &mut d, 500);
    for tree in 0..10 {
        assert_eq!(d.tree_asleep[tree], tree as i32, "alone in its cycle");
    }
    assert_eq!((d.ntree_awake, d.nv_awake), (1, 6));
    assert_eq!((d.ncon, d.nefc), (0, 0), "contacts with the ground are skipped");
    assert!(d.qvel[..60].iter().all(|&v| v == 0.0));
    assert_eq!(sleep::state(&m, &d, ObjType::Body, 1), SleepState::Asleep);
    assert_eq!(sleep::state(&m, &d, ObjType::Body, 0), SleepState::Static);

    let mut woken = [false; 10];
    for _ in 0..600 {
        step(&m, &mut d).unwrap();
        for tree in 0..10 {
            woken[tree] |= d.tree_awake[tree] != 0;
        }
    }
    let mut only = [false; 10];
    only[3] = true;
    assert_eq!(woken, only);
}

#[test]
fn the_countdown_takes_ten_quiet_steps() {
    let m = model(
        r#"<mujoco><option gravity="0 0 0"><flag sleep="enable"/></option><worldbody>
           <body><freejoint/><geom size=".1"/></body></worldbody></mujoco>"#,
    );
    let mut d = Data::new(&m);
    assert_eq!(d.tree_asleep, [-11]);
    for k in 1..10 {
        run(&m, &mut d, 1);
        assert_eq!(d.tree_asleep, [-11 + k]);
    }
    run(&m, &mut d, 1);
    assert_eq!(d.tree_asleep, [0]);
}

fn sleeping() -> (Model, Data) {
    let m = field("");
    let mut d = Data::new(&m);
    run(&m, &mut d, 300);
    assert_eq!(d.ntree_awake, 0);
    (m, d)
}

#[test]
fn users_wake_what_they_touch() {
    let (m, asleep) = sleeping();
    type Disturbance = (&'static str, fn(&mut Data));
    let disturbances: [Disturbance; 4] = [
        ("force", |d| d.qfrc_applied[13] = -0.0),
        ("body force", |d| d.xfrc_applied[3].0[2] = 1e-9),
        ("velocity", |d| d.qvel[12] = 1e-6),
        ("pose", |d| d.qpos[14] += 1e-9),
    ];
    for (name, disturb) in disturbances {
        let mut d = asleep.clone();
        run(&m, &mut d, 3);
        assert_eq!(d.ntree_awake, 0);
        disturb(&mut d);
        run(&m, &mut d, 1);
        let awake: Vec<usize> = (0..10).filter(|&t| d.tree_awake[t] != 0).collect();
        assert_eq!(awake, [2], "{name}");
    }
}

#[test]
fn disabling_sleep_wakes_everything() {
    let (mut m, mut d) = sleeping();
    m.opt.enableflags = 0;
    run(&m, &mut d, 1);
    assert_eq!(d.ntree_awake, 10);
    assert_eq!(d.nv_awake, m.nv);
}

#[test]
fn without_islands_nothing_in_contact_sleeps() {
    let mut m = field("");
    m.opt.disableflags |= DisableBit::Island.raw();
    let mut d = Data::new(&m);
    run(&m, &mut d, 300);
    assert_eq!(d.ntree_awake, 10);
}

#[test]
fn nothing_sleeps_under_runge_kutta() {
    let mut m = field("");
    m.opt.integrator = Integrator::Rk4;
    let mut d = Data::new(&m);
    run(&m, &mut d, 300);
    assert_eq!(d.ntree_awake, 10);
}

#[test]
fn sleep_under_runge_kutta_is_a_warning() {
    for (integrator, sleep, expected) in
        [("RK4", "enable", 1), ("RK4", "disable", 0), ("Euler", "enable", 0)]
    {
        let text = format!(
            "<mujoco><option integrator='{integrator}'><flag sleep='{sleep}'/></option>
             <worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
        );
        let (spec, _) = Spec::read_str(&text, &Assets::default(), Default::default()).unwrap();
        let warnings = build(&spec, &Assets::default(), Default::default()).unwrap().warnings;
        assert_eq!(warnings.iter().count(), expected, "{integrator} {sleep}: {warnings}");
        assert!(warnings.iter().all(|w| w.message.contains("nothing sleeps")), "{warnings}");
    }
}

const STACK: &str = r#"<mujoco><option><flag sleep="enable"/></option><worldbody>
  <geom type="plane" size="2 2 .1"/>
  <body name="low" pos="0 0 .1" sleep="init"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  <body name="high" pos="0 0 .29995"SLEEP><freejoint/><geom type="box" size=".1 .1 .1"/></body>
</worldbody></mujoco>"#;

#[test]
fn trees_can_start_asleep_as_a_whole_island_only() {
    let m = model(&STACK.replace("SLEEP", r#" sleep="init""#));
    let mut d = Data::new(&m);
    assert_eq!(d.sleep_error, None);
    assert_eq!(d.tree_asleep, [1, 0], "one cycle");
    let qpos = d.qpos.clone();
    run(&m, &mut d, 10);
    assert_eq!(d.qpos, qpos);

    // Loading such a model fails, and so does a reset if the policy changes.
    let error = load_model_str(&STACK.replace("SLEEP", ""), &Assets::default()).unwrap_err();
    assert!(error.to_string().contains("'low'"), "{error}");
    let mut m = m;
    m.tree_sleep_policy[1] = SleepPolicy::Allowed.raw();
    let error = m.try_make_data().unwrap_err();
    let (body, partner) = ("'low'".to_string(), "'high'".to_string());
    assert_eq!(error, SleepError::InitSleepMixedIsland { tree: 0, root: 1, body, partner });

    // With constraints but without islands, nothing can tell which trees may sleep.
    m.tree_sleep_policy[1] = SleepPolicy::Init.raw();
    m.opt.disableflags |= DisableBit::Island.raw();
    let error = m.try_make_data().unwrap_err();
    assert!(matches!(error, SleepError::InitSleepInvalidTree { tree: 0, root: 1, .. }), "{error}");
}

#[test]
fn sleep_does_not_change_what_is_awake() {
    let mut m = field(
        r#"<body pos="-2 0 1" euler="0 30 0"><joint axis="0 1 0"/><geom pos="1 0 0" size=".1"/></body>"#,
    );
    let mut with = Data::new(&m);
    run(&m, &mut with, 400);
    assert_eq!(with.ntree_awake, 1);
    m.opt.enableflags = 0;
    let mut without = Data::new(&m);
    run(&m, &mut without, 400);
    let (q, v) = (m.nq - 1, m.nv - 1);
    assert_eq!((with.qpos[q], with.qvel[v]), (without.qpos[q], without.qvel[v]));
}

/// With sleep enabled, MuJoCo takes an actuator between two static sites for asleep, also while every
/// tree is awake: its activation stays.
#[test]
fn actuators_between_static_sites_rest() {
    let text = |sleep: &str| {
        format!(
            r#"<mujoco><option><flag sleep="{sleep}"/></option>
              <worldbody>
                <site name="a"/><site name="b" pos="0.1 0 0.2"/>
                <body><freejoint/><geom size=".1"/></body>
              </worldbody>
              <actuator><general cranksite="a" slidersite="b" cranklength=".5" dyntype="integrator"/></actuator>
            </mujoco>"#
        )
    };
    for (sleep, rate) in [("enable", 0.0), ("disable", 0.5)] {
        let m = load_model_str(&text(sleep), &Assets::memory_only()).unwrap();
        let mut d = Data::new(&m);
        d.ctrl[0] = 0.5;
        corten_sim::forward(&m, &mut d).unwrap();
        assert_eq!(d.act_dot[0], rate, "sleep {sleep}");
    }
}
