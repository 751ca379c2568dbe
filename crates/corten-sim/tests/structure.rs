//! Data and the structure of models: one that changes between steps, several that take turns.
//!
//! Truth: data that was made for the model as it is now, and stepped from the same state.

use corten_model::Assets;
use corten_model::enums::{DisableBit, Stage, Transmission};
use corten_sim::constants::{ConstantsError, set_const};
use corten_sim::{Data, Model, StepError, forward, inverse, load_model_str, step};

const SCENE: &str = r#"<mujoco>
  <worldbody>
    <geom type="plane" size="2 2 1"/>
    <body name="arm" pos="0 0 .5">
      <joint name="shoulder" axis="0 1 0"/>
      <geom name="upper" type="capsule" fromto="0 0 0 .3 0 0" size=".04"/>
      <site name="elbow_site" pos=".3 0 .05"/>
      <body pos=".3 0 0">
        <joint name="elbow" axis="0 1 0"/>
        <geom name="lower" type="capsule" fromto="0 0 0 .3 0 0" size=".04"/>
        <site name="hand" pos=".3 0 0"/>
      </body>
    </body>
    <body pos=".2 0 .2"><freejoint/><geom name="ball" size=".06"/><site name="on_ball"/></body>
    <body pos=".5 .1 .4"><freejoint/><geom name="box" type="box" size=".05 .06 .07"/></body>
  </worldbody>
  <tendon>
    <spatial stiffness="5" springlength=".1"><site site="elbow_site"/><site site="on_ball"/></spatial>
    <fixed stiffness="2"><joint joint="shoulder" coef="1"/><joint joint="elbow" coef="-.5"/></fixed>
  </tendon>
  <actuator>
    <motor joint="shoulder" gear="2"/>
    <position joint="elbow" kp="3"/>
    <motor site="hand" gear="0 0 1 0 0 0"/>
  </actuator>
  <sensor><framepos objtype="site" objname="hand"/><jointpos joint="elbow"/></sensor>
</mujoco>"#;

fn model() -> Model {
    load_model_str(SCENE, &Assets::memory_only()).unwrap()
}

/// After some steps, with contacts.
fn moving(m: &Model) -> Data {
    let mut d = Data::new(m);
    d.ctrl.copy_from_slice(&[0.1, 0.2, 0.3]);
    for _ in 0..150 {
        step(m, &mut d).unwrap();
    }
    assert!(d.ncon > 0);
    d
}

/// New data in the same state.
fn copy_state(m: &Model, from: &Data) -> Data {
    let mut d = Data::new(m);
    d.time = from.time;
    for (to, from) in [
        (&mut d.qpos, &from.qpos),
        (&mut d.qvel, &from.qvel),
        (&mut d.ctrl, &from.ctrl),
        (&mut d.qacc_warmstart, &from.qacc_warmstart),
    ] {
        to.copy_from_slice(from);
    }
    d
}

/// Ten steps with `m` from where `d` is give the same as with data made for it.
fn agrees_with_new_data(what: &str, m: &Model, d: &mut Data) {
    let mut new = copy_state(m, d);
    for k in 0..10 {
        step(m, d).unwrap();
        step(m, &mut new).unwrap();
        assert_eq!(d.qpos, new.qpos, "{what}, step {k}");
        assert_eq!(d.sensordata, new.sensordata, "{what}, step {k}");
        assert_eq!(d.ncon, new.ncon, "{what}, step {k}");
    }
}

#[test]
fn what_is_written_to_a_model_counts_in_the_next_step() {
    type Write = fn(&mut Model);
    let writes: [(&str, Write); 9] = [
        ("masses", |m| m.body_mass.iter_mut().for_each(|mass| *mass *= 2.0)),
        ("masks", |m| {
            m.geom_contype.fill(0);
            m.geom_conaffinity.fill(0);
        }),
        ("geom types", |m| m.geom_type[3] = 6),
        ("frames", |m| m.geom_sameframe.fill(0)),
        ("bodies of sites", |m| m.site_bodyid.fill(1)),
        ("transmissions", |m| {
            m.actuator_trntype[0] = Transmission::JointInParent.raw();
            m.actuator_trnid[0] = [1, -1];
            m.actuator_trnid[1] = [0, -1];
        }),
        ("sensors", |m| m.sensor_objtype[0] = 0),
        ("joint types", |m| m.jnt_type[1] = 2),
        ("options", |m| m.opt.disableflags |= DisableBit::FilterParent.raw()),
    ];
    for (what, write) in writes {
        let mut m = model();
        let mut d = moving(&m);
        let mut unchanged = d.clone();
        let before = m.clone();
        write(&mut m);
        agrees_with_new_data(what, &m, &mut d);
        // The write matters, and its copy of before is not concerned.
        for _ in 0..10 {
            step(&before, &mut unchanged).unwrap();
        }
        let same = unchanged.qpos == d.qpos && unchanged.sensordata == d.sensordata;
        assert_eq!(same, ["frames", "options"].contains(&what), "{what}");
        // And back.
        agrees_with_new_data(what, &before, &mut d);
    }
}

#[test]
fn models_of_the_same_sizes_take_turns() {
    let a = model();
    let mut b = model();
    b.geom_contype.fill(0);
    b.body_mass[1] = 3.0;
    // A joint that slides, in a model that was compiled so.
    let c = SCENE.replace(r#"name="elbow" axis"#, r#"name="elbow" type="slide" axis"#);
    let c = load_model_str(&c, &Assets::memory_only()).unwrap();
    let mut d = moving(&a);
    for m in [&b, &c, &a, &c, &b] {
        agrees_with_new_data("turns", m, &mut d);
    }
}

#[test]
fn a_model_of_other_sizes_is_refused() {
    let m = model();
    let other = SCENE.replace(r#"<sensor>"#, r#"<sensor><jointvel joint="elbow"/>"#);
    let other = load_model_str(&other, &Assets::memory_only()).unwrap();
    let mut d = moving(&m);
    let before = d.clone();
    let expected = StepError::OtherSizes { size: "nsensor", data: 2, model: 3 };
    type Run = fn(&Model, &mut Data) -> Result<(), StepError>;
    let functions: [(&str, Run); 15] = [
        ("step", step),
        ("step1", step::step1),
        ("step2", step::step2),
        ("forward", forward),
        ("forward_skip", |m, d| step::forward_skip(m, d, Stage::Pos, false)),
        ("position", step::position),
        ("velocity", step::velocity),
        ("dynamics", step::dynamics),
        ("inverse", inverse::inverse),
        ("inverse_skip", |m, d| inverse::inverse_skip(m, d, Stage::Vel, false)),
        ("inverse::position", inverse::position),
        ("integrate", |m, d| d.integrate(m)),
        ("reset", |m, d| d.reset(m)),
        ("reset_to_keyframe", |m, d| d.reset_to_keyframe(m, 0).map(drop)),
        ("bind", |m, d| d.bind(m)),
    ];
    for (name, f) in functions {
        assert_eq!(f(&other, &mut d), Err(expected.clone()), "{name}");
    }
    let mut changed = other.clone();
    let refused = set_const(&mut changed, &mut d);
    assert_eq!(refused, Err(ConstantsError::Data(expected.clone())));
    assert_eq!(changed, other);
    let text = expected.to_string();
    assert!(text.contains("its nsensor is 2, the given model's is 3"), "{text}");
    // Nothing has happened to it.
    assert_eq!((d.qpos.clone(), d.time, d.nefc), (before.qpos, before.time, before.nefc));
    agrees_with_new_data("as before", &m, &mut d);
}

#[test]
fn rows_stay_where_the_kinematic_structure_does() {
    let mut m = model();
    let mut d = moving(&m);
    forward(&m, &mut d).unwrap();
    let rows = d.nefc;
    assert!(rows > 0);
    m.geom_contype.fill(0);
    m.geom_conaffinity.fill(0);
    d.bind(&m).unwrap();
    assert_eq!(d.nefc, rows);
    m.jnt_type[1] = 2;
    d.bind(&m).unwrap();
    assert_eq!((d.nefc, d.ncon), (0, 0));
}
