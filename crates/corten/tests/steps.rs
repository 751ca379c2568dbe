//! The pieces of a step, by their names, give the bits of the whole.

use corten::prelude::*;

/// A free body, a ball joint and an activation, without damping.
fn model() -> Model {
    load_model(
        "<mujoco><worldbody>
           <body pos='0 0 3'><freejoint/><geom type='box' size='.1 .2 .3'/></body>
           <body><joint type='ball'/><geom size='.1' pos='1 0 0'/>
             <body pos='1 0 0'><joint name='j' axis='0 1 0'/><geom size='.1' pos='.5 0 0'/></body></body>
         </worldbody>
         <actuator><general joint='j' dyntype='filter' dynprm='.1' gainprm='3'/></actuator>
         <sensor><jointpos joint='j'/><clock/></sensor>
         <keyframe><key time='2' qpos='0 0 1 1 0 0 0 1 0 0 0 .5'/></keyframe></mujoco>",
    )
    .unwrap()
}

fn started(model: &Model) -> Data {
    let mut data = model.make_data();
    for (k, v) in data.qvel.iter_mut().enumerate() {
        *v = 0.3 * k as f64 - 1.0;
    }
    data.ctrl[0] = 0.7;
    data
}

#[test]
fn forward_and_integrate_are_a_step() {
    let model = model();
    let mut whole = started(&model);
    let (mut parts, mut by_hand) = (whole.clone(), whole.clone());
    for _ in 0..10 {
        whole.step(&model).unwrap();
        parts.forward(&model).unwrap();
        parts.integrate(&model).unwrap();
        by_hand.forward_skip_sensors(&model).unwrap();
        for (v, a) in by_hand.qvel.iter_mut().zip(&by_hand.qacc) {
            *v += a * model.opt.timestep;
        }
        by_hand.integrate_without_velocity(&model).unwrap();
    }
    for other in [&parts, &by_hand] {
        assert_eq!(whole.qpos, other.qpos);
        assert_eq!(whole.qvel, other.qvel);
        assert_eq!(whole.act, other.act);
        assert_eq!(whole.time, other.time);
        assert_eq!(whole.qacc_warmstart, other.qacc_warmstart);
    }
    assert_eq!(whole.sensordata, parts.sensordata);
    assert_eq!(by_hand.sensordata, [0.0, 0.0], "sensors were skipped");
    assert!(whole.act[0] > 0.01 && whole.sensordata[1] > 0.01);
}

#[test]
fn a_reset_starts_again_and_a_keyframe_elsewhere() {
    let model = model();
    let mut data = started(&model);
    let first = data.clone();
    data.step(&model).unwrap();
    let stepped = data.clone();
    data.reset(&model).unwrap();
    assert_eq!((data.time, data.qpos.clone()), (0.0, model.qpos0.clone()));
    data.qvel.clone_from(&first.qvel);
    data.ctrl.clone_from(&first.ctrl);
    data.step(&model).unwrap();
    assert_eq!(data.qpos, stepped.qpos);

    assert!(data.reset_to_keyframe(&model, 0).unwrap());
    assert_eq!((data.time, data.qpos[11], data.qvel[0]), (2.0, 0.5, 0.0));
    assert!(!data.reset_to_keyframe(&model, 1).unwrap());
    assert_eq!((data.time, data.qpos[11]), (0.0, 0.0), "without that keyframe: the reference pose");
}

#[test]
fn an_empty_model_is_the_world() {
    let model = Model::empty();
    assert_eq!((model.nbody, model.nv), (1, 0));
    let mut data = model.try_make_data().unwrap();
    data.step(&model).unwrap();
    assert_eq!(data.time, model.opt.timestep);
}
