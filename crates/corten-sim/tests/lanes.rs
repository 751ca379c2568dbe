//! Four worlds side by side have the same bits as four worlds one after the other.

use std::path::PathBuf;

use corten_model::arrays::ArrayRef;
use corten_sim::lanes::{self, LaneGroup};
use corten_sim::{Data, Model, load_model, load_model_str};

fn scenes() -> Vec<(String, Model)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    files
        .into_iter()
        .filter(|f| f.extension().is_some_and(|e| e == "xml"))
        .map(|f| (f.file_name().unwrap().to_string_lossy().into_owned(), load_model(&f).unwrap()))
        .collect()
}

/// Joints of all kinds, mocap, tendons with armature, equalities, activations, and all integrators
/// that lanes know.
fn special() -> Vec<(String, Model)> {
    ["Euler", "implicitfast", "implicit"]
        .into_iter()
        .flat_map(|integrator| [0.0, 0.3].map(|armature| (integrator, armature)))
        .map(|(integrator, armature)| {
            let text = format!(
                "<mujoco>
                <option integrator='{integrator}'><flag energy='enable'/></option>
                <worldbody>
                <geom type='plane' size='3 3 .1'/><camera name='c' pos='0 -3 1'/>
                <body name='m' mocap='true' pos='0 0 1'><geom size='.05' contype='0' conaffinity='0'/></body>
                <body pos='0 0 .3'><freejoint/><geom type='box' size='.1 .2 .1'/>
                  <body pos='.3 0 0'><joint name='b' type='ball' stiffness='1' damping='.1'/>
                    <geom type='capsule' size='.05 .1'/><site name='s'/>
                    <body pos='0 0 .2'><joint name='h' axis='0 1 0' pos='0 .1 0' damping='.2'/>
                      <joint name='l' type='slide' axis='1 0 0' stiffness='3' armature='.1'/>
                      <geom size='.06' quat='1 .2 .3 .1'/><camera mode='targetbody' target='m'/></body></body></body>
                <body pos='1 0 1' gravcomp='.5'><joint name='p' axis='0 1 0' limited='true' range='-1 1'/>
                  <geom type='capsule' size='.04' fromto='0 0 0 .4 0 -.3'/><site name='e' pos='.4 0 0'/></body>
                </worldbody>
                <equality><weld body1='m' body2='world' active='false'/>
                  <joint joint1='h' joint2='l'/></equality>
                <tendon><spatial name='t' armature='{armature}' stiffness='2'><site site='s'/><site site='e'/></spatial>
                  <fixed name='f' armature='{armature}'><joint joint='h' coef='1'/><joint joint='p' coef='-1'/></fixed></tendon>
                <actuator><position joint='p' kp='20'/><motor joint='h' gear='2'/>
                  <general tendon='t' dyntype='filter' dynprm='.1' gainprm='3'/>
                  <intvelocity joint='l' kp='4' actrange='-1 1'/></actuator>
                <sensor><accelerometer site='s'/><jointpos joint='p'/><framelinvel objtype='site' objname='e'/></sensor>
                </mujoco>"
            );
            let m = load_model_str(&text, &Default::default()).unwrap();
            (format!("{integrator} {armature}"), m)
        })
        .collect()
}

/// Arms whose forces lanes compute: springs, dampers, and actuators with limits of all kinds.
fn linear() -> Vec<(String, Model)> {
    ["Euler", "implicitfast"]
        .into_iter()
        .map(|integrator| {
            let text = format!(
                "<mujoco>
                <option integrator='{integrator}'/>
                <worldbody>
                <geom type='plane' size='3 3 .1'/>
                <body pos='0 0 .5'><freejoint/><geom type='box' size='.1 .2 .1'/>
                  <body pos='.3 0 0'><joint name='a' axis='0 1 0' stiffness='4' springref='20' damping='.3'/>
                    <geom type='capsule' size='.05 .1'/>
                    <body pos='0 0 .3'><joint name='b' axis='1 0 0' range='-1 1' actuatorfrcrange='-.4 .3'/>
                      <joint name='c' type='slide' axis='0 0 1' damping='2' range='-.1 .1'/>
                      <geom size='.06'/></body></body></body>
                <body pos='1 0 1'><joint name='d' type='ball' damping='.1'/><geom size='.1' pos='.2 0 0'/></body>
                </worldbody>
                <actuator><position joint='a' kp='20' kv='1.5' ctrlrange='-.3 .3'/>
                  <motor joint='b' gear='3' forcerange='-.2 .25'/><velocity jointinparent='c' kv='5' gear='-2'/>
                  <motor joint='a' gear='.5'/></actuator>
                </mujoco>"
            );
            let m = load_model_str(&text, &Default::default()).unwrap();
            (format!("linear forces, {integrator}"), m)
        })
        .collect()
}

/// Arms that move freely until they reach the floor, themselves or a limit.
fn free() -> Vec<(String, Model)> {
    [("Euler", ".1"), ("Euler", "0"), ("implicitfast", ".1")]
        .into_iter()
        .map(|(integrator, damping)| {
            let text = format!(
                "<mujoco>
                <option integrator='{integrator}'/>
                <default><joint damping='{damping}'/><geom density='300'/></default>
                <worldbody>
                <geom type='plane' size='3 3 .1'/>
                <body pos='0 0 .5'><joint name='a' axis='0 0 1'/><geom type='cylinder' size='.06 .1'/>
                  <body pos='.1 0 0'><joint name='b' axis='0 1 0' range='-200 60'/>
                    <geom type='capsule' size='.04' fromto='0 0 0 .4 0 0'/>
                    <body pos='.4 0 0'><joint name='c' axis='0 1 0'/>
                      <geom type='box' size='.15 .04 .03' pos='.15 0 0'/>
                      <body pos='.35 0 0'><joint name='d' axis='1 0 0'/><geom size='.05' pos='0 .03 0'/>
                    </body></body></body></body>
                </worldbody>
                <actuator><motor joint='a'/><position joint='b' kp='4'/><motor joint='c' gear='.5'/></actuator>
                </mujoco>"
            );
            let m = load_model_str(&text, &Default::default()).unwrap();
            (format!("free arm, {integrator}, damping {damping}"), m)
        })
        .collect()
}

fn start(m: &Model, world: usize) -> Data {
    let mut d = Data::new(m);
    for (i, v) in d.qvel.iter_mut().enumerate() {
        *v = 0.4 * ((3 * i + 7 * world) as f64).sin();
    }
    for p in &mut d.mocap_pos {
        p.0[0] += 0.1 * world as f64;
    }
    d
}

fn control(d: &mut Data, world: usize, t: usize) {
    for (i, u) in d.ctrl.iter_mut().enumerate() {
        *u = 0.5 * ((i + 3 * world) as f64 + 0.05 * t as f64).sin();
    }
}

fn bits_of(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

fn bits(d: &Data, i: usize) -> Vec<u64> {
    match d.array(i) {
        Some(ArrayRef::F64(v)) => bits_of(v),
        Some(ArrayRef::F32(v)) => v.iter().map(|x| x.to_bits().into()).collect(),
        Some(ArrayRef::I32(v)) => v.iter().map(|&x| x as u64).collect(),
        Some(ArrayRef::U8(v)) => v.iter().map(|&x| x.into()).collect(),
        None => Vec::new(),
    }
}

fn assert_same(name: &str, a: &Data, b: &Data) {
    assert_eq!(a.time.to_bits(), b.time.to_bits(), "{name}: time");
    assert_eq!(a.energy.map(f64::to_bits), b.energy.map(f64::to_bits), "{name}: energy");
    assert_eq!(a.ncon, b.ncon, "{name}: ncon");
    for i in 0..Data::ARRAYS.len() {
        assert_eq!(bits(a, i), bits(b, i), "{name}: {}", Data::ARRAYS[i].name);
    }
}

#[test]
fn every_field_is_that_of_single_steps() {
    let mut grouped = 0;
    for (name, m) in scenes().into_iter().chain(special()).chain(linear()).chain(free()) {
        let mut first = start(&m, 0);
        if !lanes::supported(&m, &first) {
            continue;
        }
        grouped += 1;
        let mut group = LaneGroup::take_or_make(&m, &mut first).unwrap();
        for (k, d) in group.others.iter_mut().enumerate() {
            *d = start(&m, k + 1);
        }
        let mut singles: Vec<Data> = (0..lanes::WORLDS).map(|k| start(&m, k)).collect();
        let LaneGroup { others: [b, c, d], lanes } = &mut *group;
        let mut worlds = [&mut first, b, c, d];
        for t in 0..60 {
            for (k, d) in worlds.iter_mut().enumerate() {
                control(d, k, t);
            }
            let all = t % 10 == 9;
            let results = lanes::step(&m, lanes, &mut worlds, all);
            for (k, (single, result)) in singles.iter_mut().zip(results).enumerate() {
                control(single, k, t);
                assert_eq!(corten_sim::step(&m, single), result, "{name}");
                if all {
                    assert_same(&name, single, worlds[k]);
                } else {
                    assert_eq!(single.qpos, worlds[k].qpos, "{name} at step {t}");
                    assert_eq!(single.qvel, worlds[k].qvel, "{name} at step {t}");
                }
            }
        }
    }
    assert!(grouped > 15 || grouped == 0, "{grouped} scenes");
}

/// A step that nothing interrupts leaves no accelerations in the data but those for a warm start.
fn stayed_in_lanes(d: &Data) -> bool {
    bits_of(&d.qacc) != bits_of(&d.qacc_warmstart)
}

#[test]
fn free_arms_stay_in_lanes() {
    for (name, m) in free() {
        let mut first = start(&m, 0);
        if !lanes::supported(&m, &first) {
            return;
        }
        let mut group = LaneGroup::take_or_make(&m, &mut first).unwrap();
        for (k, d) in group.others.iter_mut().enumerate() {
            *d = start(&m, k + 1);
        }
        let mut singles: Vec<Data> = (0..lanes::WORLDS).map(|k| start(&m, k)).collect();
        let LaneGroup { others: [b, c, d], lanes } = &mut *group;
        let mut worlds = [&mut first, b, c, d];
        let (mut uninterrupted, mut rows) = (0, 0);
        for t in 0..1500 {
            for (k, d) in worlds.iter_mut().enumerate() {
                control(d, k, t);
            }
            let results = lanes::step(&m, lanes, &mut worlds, false);
            uninterrupted += usize::from(stayed_in_lanes(worlds[0]));
            for (k, (single, result)) in singles.iter_mut().zip(results).enumerate() {
                control(single, k, t);
                assert_eq!(corten_sim::step(&m, single), result, "{name}");
                rows += usize::from(single.nefc > 0);
                let state = |d: &Data| {
                    [&d.qpos, &d.qvel, &d.qacc_warmstart, &vec![d.time]].map(|x| bits_of(x))
                };
                assert_eq!(state(single), state(worlds[k]), "{name}: world {k} at {t}");
            }
        }
        assert!(
            uninterrupted > 100 && rows > 100,
            "{name}: {uninterrupted} steps, {rows} with rows"
        );
    }
}

#[test]
fn a_world_that_goes_bad_leaves_the_others_alone() {
    for (name, m) in special().into_iter().chain(linear()).chain(free()) {
        go_bad(&name, &m, 1);
        go_bad(&name, &m, 5);
    }
}

/// All fields are asked for, and compared, in one of `period` steps.
fn go_bad(name: &str, m: &Model, period: usize) {
    let mut first = start(m, 0);
    if !lanes::supported(m, &first) {
        return;
    }
    let mut group = LaneGroup::take_or_make(m, &mut first).unwrap();
    for (k, d) in group.others.iter_mut().enumerate() {
        *d = start(m, k + 1);
    }
    let mut singles: Vec<Data> = (0..lanes::WORLDS).map(|k| start(m, k)).collect();
    let LaneGroup { others: [b, c, d], lanes } = &mut *group;
    let mut worlds = [&mut first, b, c, d];
    let spoil = |d: &mut Data, world: usize, t: usize| match (world, t) {
        (1, 3) => d.qvel[2] = f64::NAN,
        (2, 5) => d.ctrl[1] = f64::INFINITY,
        (3, 7) => d.qfrc_applied[0] = 1e300,
        (3, 8) => d.qfrc_applied[0] = 0.0,
        (0, 9) => d.xfrc_applied[2].0[1] = 3.0,
        (0, 12) => d.qpos[0] = f64::NAN,
        _ => {}
    };
    let mut failures = 0;
    for t in 0..20 {
        for (k, d) in worlds.iter_mut().enumerate() {
            control(d, k, t);
            spoil(d, k, t);
        }
        let all = t % period == 0;
        let results = lanes::step(m, lanes, &mut worlds, all);
        for (k, (single, result)) in singles.iter_mut().zip(results).enumerate() {
            control(single, k, t);
            spoil(single, k, t);
            failures += usize::from(result.is_err());
            assert_eq!(corten_sim::step(m, single), result, "{name}");
            let name = format!("{name}: world {k} at {t}");
            if all {
                assert_same(&name, single, worlds[k]);
            } else {
                let state = |d: &Data| (bits_of(&d.qpos), bits_of(&d.qvel), d.time);
                assert_eq!(state(single), state(worlds[k]), "{name}");
            }
        }
    }
    assert!(failures >= 4, "{name}: {failures}");
}

/// A group that a world keeps takes up what has been written to the model in between.
#[test]
fn parameters_may_change_between_steps() {
    for (name, mut m) in free() {
        let mut first = start(&m, 0);
        if !lanes::supported(&m, &first) {
            return;
        }
        let mut singles: Vec<Data> = (0..lanes::WORLDS).map(|k| start(&m, k)).collect();
        for round in 0..3 {
            m.dof_damping.iter_mut().for_each(|b| *b += 0.2);
            m.actuator_biasprm.iter_mut().for_each(|prm| prm[2] -= 0.1);
            let mut group = LaneGroup::take_or_make(&m, &mut first).unwrap();
            let LaneGroup { others: [b, c, d], lanes } = &mut *group;
            let mut worlds = [&mut first, b, c, d];
            for t in 0..10 {
                for (k, (d, single)) in worlds.iter_mut().zip(&mut singles).enumerate() {
                    if round == 0 && t == 0 {
                        **d = start(&m, k);
                    }
                    control(d, k, t);
                    control(single, k, t);
                    corten_sim::step(&m, single).unwrap();
                }
                assert_eq!(lanes::step(&m, lanes, &mut worlds, false), [const { Ok(()) }; 4]);
                for (k, (d, single)) in worlds.iter().zip(&singles).enumerate() {
                    assert_eq!(bits_of(&d.qpos), bits_of(&single.qpos), "{name}: {k} at {t}");
                }
            }
            group.give_back(&mut first);
        }
    }
}

/// Without automatic reset, a world that has gone bad in one body goes on in the others.
#[test]
fn bad_numbers_stay_where_they_are() {
    for reset in ["enable", "disable"] {
        let text = format!(
            "<mujoco><option integrator='implicitfast'><flag autoreset='{reset}'/></option><worldbody>
            <body><joint/><geom size='.1' pos='.2 0 0'/></body>
            <body pos='2 0 0'><joint name='b'/><geom size='.1' pos='.2 0 0'/></body></worldbody>
            <actuator><position joint='b' kp='10' kv='2'/></actuator></mujoco>"
        );
        let m = load_model_str(&text, &Default::default()).unwrap();
        let mut first = Data::new(&m);
        if !lanes::supported(&m, &first) {
            return;
        }
        let mut group = LaneGroup::take_or_make(&m, &mut first).unwrap();
        let mut singles: Vec<Data> = (0..lanes::WORLDS).map(|_| Data::new(&m)).collect();
        let LaneGroup { others: [b, c, d], lanes } = &mut *group;
        let mut worlds = [&mut first, b, c, d];
        for t in 0..10 {
            let prepare = |d: &mut Data, world: usize| {
                d.ctrl[0] = 1.0;
                if (world, t) == (1, 3) {
                    d.qvel[0] = f64::NAN;
                }
            };
            worlds.iter_mut().enumerate().for_each(|(k, d)| prepare(d, k));
            let results = lanes::step(&m, lanes, &mut worlds, false);
            for (k, (single, result)) in singles.iter_mut().zip(results).enumerate() {
                prepare(single, k);
                assert_eq!(corten_sim::step(&m, single), result);
                // The sign of NaN has no meaning.
                let state = |d: &Data| {
                    let numbers =
                        d.qpos.iter().chain(&d.qvel).map(|&x| (x.is_nan(), x.max(-1e300)));
                    numbers.map(|(nan, x)| (nan, x.to_bits())).collect::<Vec<_>>()
                };
                assert_eq!(state(single), state(worlds[k]), "autoreset {reset}: world {k} at {t}");
            }
        }
        assert_eq!(singles[1].qvel[0].is_nan(), reset == "disable");
    }
}
