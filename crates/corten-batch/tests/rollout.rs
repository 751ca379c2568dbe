//! Trajectories do not depend on threads and chunks.

use std::path::PathBuf;
use std::sync::Arc;

use corten_batch::rollout::{Inputs, Outputs, PHYSICS, rollout};
use corten_batch::{BatchSim, Cause, OnFailure, Pool};
use corten_model::enums::{EnableBit, StateBit};
use corten_sim::{Data, Model, state};

#[test]
fn threads_and_chunks_change_nothing() {
    same_on_any_threads(&scene("humanoid"), 9, 25);
}

#[test]
fn threads_change_nothing_for_those_asleep() {
    let mut m = scene("box_stack");
    m.opt.enableflags |= EnableBit::Sleep.raw();
    let d = same_on_any_threads(&m, 3, 300);
    assert!(d.ntree_awake < m.ntree);
}

fn scene(name: &str) -> Model {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    corten_sim::load_model(folder.join(format!("{name}.xml"))).unwrap()
}

/// Compares trajectories on several numbers of threads, and with the last of them by hand, which is
/// returned at its end.
fn same_on_any_threads(m: &Model, count: usize, steps: usize) -> Data {
    let nstate = state::size(m, PHYSICS).unwrap();
    let mut one = vec![0.0; nstate];
    let mut d = Data::new(m);
    state::get(m, &d, &mut one, PHYSICS).unwrap();
    let initial = one.repeat(count);
    let control: Vec<f64> =
        (0..count * steps * m.nu).map(|i| 0.3 * (i as f64 * 0.7).sin()).collect();
    let inputs = Inputs {
        steps,
        control_spec: StateBit::Ctrl.raw() as u32,
        initial: &initial,
        warmstart: None,
        control: Some(&control),
    };
    let mut results = Vec::new();
    for (threads, chunk) in [(1, 1), (2, 1), (3, 4), (8, 100)] {
        let pool = Pool::new(threads);
        let mut datas: Vec<Data> = (0..threads).map(|_| Data::new(m)).collect();
        let mut datas: Vec<&mut Data> = datas.iter_mut().collect();
        let mut states = vec![0.0; count * steps * nstate];
        let mut sensors = vec![0.0; count * steps * m.nsensordata];
        let outputs = Outputs { state: &mut states, sensordata: &mut sensors };
        assert!(rollout(&pool, |_| m, &mut datas, count, chunk, inputs, outputs));
        results.push((states, sensors));
    }
    assert!(results.iter().all(|r| *r == results[0]));

    // The last trajectory by hand.
    d.reset(m).unwrap();
    for t in 0..steps {
        let from = ((count - 1) * steps + t) * m.nu;
        d.ctrl.copy_from_slice(&control[from..from + m.nu]);
        corten_sim::step(m, &mut d).unwrap();
    }
    state::get(m, &d, &mut one, PHYSICS).unwrap();
    assert_eq!(one, results[0].0[results[0].0.len() - nstate..]);
    d
}

/// Every trajectory, and every world of a batch, by hand.
#[test]
fn groups_of_worlds_have_the_bits_of_single_ones() {
    for name in ["humanoid", "quadruped", "tendon_finger", "sensors", "muscle_arm", "free_bodies"] {
        let m = Arc::new(scene(name));
        let steps = 12;
        let nstate = state::size(&m, PHYSICS).unwrap();
        for count in 1..=9 {
            let mut d = Data::new(&m);
            let mut initial = vec![0.0; count * nstate];
            for (world, row) in initial.chunks_mut(nstate).enumerate() {
                d.qvel
                    .iter_mut()
                    .enumerate()
                    .for_each(|(i, v)| *v = 0.3 * ((i + world) as f64).sin());
                // One world among them blows up.
                if world == 2 {
                    d.qvel[0] = 1e9;
                }
                state::get(&m, &d, row, PHYSICS).unwrap();
            }
            let control: Vec<f64> =
                (0..count * steps * m.nu).map(|i| 0.3 * (i as f64 * 0.7).sin()).collect();

            let (mut states, mut sensors, mut failed) = (Vec::new(), Vec::new(), vec![None; count]);
            for world in 0..count {
                let mut d = Data::new(&m);
                state::set(&m, &mut d, &initial[world * nstate..(world + 1) * nstate], PHYSICS)
                    .unwrap();
                for t in 0..steps {
                    let from = (world * steps + t) * m.nu;
                    if d.warning.iter().all(|w| w.number == 0) {
                        d.ctrl.copy_from_slice(&control[from..from + m.nu]);
                        let result = corten_sim::step(&m, &mut d);
                        failed[world] = failed[world].take().or(result.err().map(|e| (t, e)));
                    }
                    let mut row = vec![0.0; nstate];
                    state::get(&m, &d, &mut row, PHYSICS).unwrap();
                    states.append(&mut row);
                    sensors.extend_from_slice(&d.sensordata);
                }
            }
            let inputs = Inputs {
                steps,
                control_spec: StateBit::Ctrl.raw() as u32,
                initial: &initial,
                warmstart: None,
                control: Some(&control),
            };
            for threads in 1..=3 {
                let pool = Pool::new(threads);
                let mut datas: Vec<Data> = (0..threads).map(|_| Data::new(&m)).collect();
                let mut datas: Vec<&mut Data> = datas.iter_mut().collect();
                let (mut found, mut sensed) = (vec![0.0; states.len()], vec![0.0; sensors.len()]);
                let outputs = Outputs { state: &mut found, sensordata: &mut sensed };
                assert!(rollout(&pool, |_| &m, &mut datas, count, 1, inputs, outputs));
                assert_eq!(bits(&found), bits(&states), "{name}: {count} on {threads}");
                assert_eq!(bits(&sensed), bits(&sensors), "{name}: {count} on {threads}");

                let mut batch = BatchSim::new(m.clone(), count)
                    .with_threads(threads)
                    .with_failure_policy(OnFailure::Stop);
                for (world, row) in initial.chunks(nstate).enumerate() {
                    let (qpos, rest) = row[1..].split_at(m.nq);
                    batch.f64_mut("qpos").unwrap()[world * m.nq..][..m.nq].copy_from_slice(qpos);
                    batch.f64_mut("qvel").unwrap()[world * m.nv..][..m.nv]
                        .copy_from_slice(&rest[..m.nv]);
                }
                for t in 0..steps {
                    for world in 0..count {
                        let from = (world * steps + t) * m.nu;
                        batch.f64_mut("ctrl").unwrap()[world * m.nu..][..m.nu]
                            .copy_from_slice(&control[from..from + m.nu]);
                    }
                    let errors = batch.step_all().errors.to_vec();
                    for world in 0..count {
                        let well = failed[world].as_ref().is_none_or(|&(when, _)| when > t);
                        assert_eq!(
                            errors[world].is_none(),
                            well,
                            "{name}: {world} of {count} at {t}"
                        );
                        let now = &states[(world * steps + t) * nstate + 1..][..m.nq];
                        let qpos = &batch.f64("qpos").unwrap()[world * m.nq..][..m.nq];
                        assert!(
                            !well || bits(now) == bits(qpos),
                            "{name}: {world} of {count} at {t}"
                        );
                    }
                }
                for (error, expected) in batch.result().errors.iter().zip(&failed) {
                    let expected = expected.as_ref().map(|(_, e)| Cause::Step(e.clone()));
                    assert_eq!(error.as_ref().map(|e| e.cause.clone()), expected);
                }
            }
        }
    }
}

/// Inputs that controls would hold stay as they are in the data, if there are no controls.
#[test]
fn inputs_stay_without_controls() {
    let text = "<mujoco><worldbody><body><joint name='j'/><geom size='.1' pos='.1 0 0'/></body></worldbody>
        <actuator><motor joint='j'/></actuator></mujoco>";
    let m = corten_sim::load_model_str(text, &Default::default()).unwrap();
    let (count, steps) = (13, 40);
    let nstate = state::size(&m, PHYSICS).unwrap();
    let initial = vec![0.0; nstate * count];
    for threads in [1, 2] {
        let pool = Pool::new(threads);
        let mut datas: Vec<Data> = (0..threads).map(|_| Data::new(&m)).collect();
        for torque in [1.0, 2.0] {
            datas.iter_mut().for_each(|d| d.ctrl[0] = torque);
            let control_spec = StateBit::Ctrl.raw() as u32;
            let inputs =
                Inputs { steps, control_spec, initial: &initial, warmstart: None, control: None };
            let mut states = vec![0.0; count * steps * nstate];
            let outputs = Outputs { state: &mut states, ..Outputs::default() };
            let mut datas: Vec<&mut Data> = datas.iter_mut().collect();
            assert!(rollout(&pool, |_| &m, &mut datas, count, 1, inputs, outputs));
            let mut d = Data::new(&m);
            d.ctrl[0] = torque;
            (0..steps).for_each(|_| corten_sim::step(&m, &mut d).unwrap());
            for trajectory in states.chunks(steps * nstate) {
                let end = &trajectory[(steps - 1) * nstate..];
                assert_eq!(bits(&end[1..3]), bits(&[d.qpos[0], d.qvel[0]]), "torque {torque}");
            }
        }
    }
}

/// What is known about the room between bodies is of the model at that time, and of no other model.
#[test]
fn a_model_may_change_between_calls() {
    let text = "<mujoco><option gravity='0 0 0'/><worldbody>
        <body><joint type='slide' axis='1 0 0'/><joint axis='0 0 1'/><geom type='box' size='.1 .1 .1'/></body>
        <body pos='1 0 0'><joint axis='0 0 1'/><geom name='other' type='capsule' size='.1 .1'/></body>
        </worldbody></mujoco>";
    let mut models = [0.1, 0.1].map(|radius| {
        let mut m = corten_sim::load_model_str(text, &Default::default()).unwrap();
        m.geom_size[1].0[0] = radius;
        m
    });
    let (count, steps) = (4, 300);
    let nstate = state::size(&models[0], PHYSICS).unwrap();
    // Time, positions, velocities.
    let initial = [0.0, 0.0, 0.0, 0.0, 1.5, 1.0, 0.0].repeat(count);
    let run = |m: &Model, d: &mut Data| {
        let inputs =
            Inputs { steps, control_spec: 0, initial: &initial, warmstart: None, control: None };
        let mut states = vec![0.0; count * steps * nstate];
        let outputs = Outputs { state: &mut states, ..Outputs::default() };
        assert!(rollout(&Pool::none(), |_| m, &mut [d], count, count, inputs, outputs));
        states
    };
    let mut kept = Data::new(&models[0]);
    let mut last = run(&models[0], &mut kept);
    for (model, radius) in [(0, 0.4), (1, 0.4), (1, 0.1), (0, 0.7)] {
        let m = &mut models[model];
        (m.geom_size[1].0[0], m.geom_rbound[1]) = (radius, radius + 0.1);
        let states = run(m, &mut kept);
        assert_eq!(bits(&states), bits(&run(m, &mut Data::new(m))));
        assert_eq!(states == last, (model, radius) == (1, 0.4), "radius {radius}");
        last = states;
    }
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|x| x.to_bits()).collect()
}
