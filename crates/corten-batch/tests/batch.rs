//! Batches against single simulations: the same bits, whatever the number of threads, the
//! neighbours and the parameters.

use std::path::PathBuf;
use std::sync::Arc;

use corten_batch::{BatchError, BatchSim, Cause, Dump, OnFailure};
use corten_sim::extend::Outcome;
use corten_sim::{CancelToken, Data, Hook, Hooks, Model, StepError};

const WORLDS: usize = 13;
const STEPS: usize = 60;
const SCENES: [&str; 7] = [
    "humanoid.xml",
    "quadruped.xml",
    "arm_gripper.xml",
    "muscle_arm.xml",
    "sensors.xml",
    "mixed_pile.xml",
    "linkage.xml",
];

fn scene(name: &str) -> Model {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name);
    corten_sim::load_model(path).unwrap()
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|x| x.to_bits()).collect()
}

fn control(step: usize, world: usize, i: usize) -> f64 {
    0.4 * ((step * 7 + world * 5 + i * 13) % 11) as f64 / 11.0 - 0.2
}

fn start(d: &mut Data, world: usize) {
    for (i, v) in d.qvel.iter_mut().enumerate() {
        *v = 0.1 * ((world * 3 + i) % 5) as f64 - 0.2;
    }
}

/// Positions, velocities, sensors of a world that is simulated alone.
fn alone(m: &Model, world: usize) -> [Vec<u64>; 3] {
    let mut d = Data::new(m);
    start(&mut d, world);
    for step in 0..STEPS {
        for (i, u) in d.ctrl.iter_mut().enumerate() {
            *u = control(step, world, i);
        }
        corten_sim::step(m, &mut d).unwrap();
    }
    [bits(&d.qpos), bits(&d.qvel), bits(&d.sensordata)]
}

fn run(batch: &mut BatchSim) {
    let nu = batch.model().nu;
    for step in 0..STEPS {
        for (k, u) in batch.f64_mut("ctrl").unwrap().iter_mut().enumerate() {
            *u = control(step, k / nu, k % nu);
        }
        let result = batch.step_all();
        assert!(result.errors.iter().all(Option::is_none));
    }
}

fn world_bits(batch: &BatchSim, name: &str, world: usize) -> Vec<u64> {
    let all = batch.f64(name).unwrap();
    let n = all.len() / batch.len();
    bits(&all[world * n..(world + 1) * n])
}

#[test]
fn any_number_of_threads_gives_the_bits_of_single_simulations() {
    for name in SCENES {
        let m = Arc::new(scene(name));
        let expected: Vec<_> = (0..WORLDS).map(|w| alone(&m, w)).collect();
        for threads in [1, 2, 8] {
            let mut batch = BatchSim::new(m.clone(), WORLDS)
                .with_threads(threads)
                .with_reset(|_: &Model, d: &mut Data, w: usize| start(d, w));
            run(&mut batch);
            for (w, expected) in expected.iter().enumerate() {
                for (field, expected) in ["qpos", "qvel", "sensordata"].iter().zip(expected) {
                    let found = world_bits(&batch, field, w);
                    assert_eq!(&found, expected, "{name}, {threads} threads, world {w}, {field}");
                }
            }
            let n = m.nq + m.nv;
            let row = &batch.result().states[3 * n..4 * n];
            assert_eq!(bits(&row[..m.nq]), expected[3][0]);
            assert_eq!(bits(&row[m.nq..]), expected[3][1]);
        }
    }
}

#[test]
fn trees_that_sleep_do_so_in_a_batch() {
    let mut m = scene("free_bodies.xml");
    m.opt.enableflags |= corten_model::enums::EnableBit::Sleep.raw();
    m.opt.sleep_tolerance = 0.5;
    let m = Arc::new(m);
    let expected: Vec<_> = (0..3).map(|w| alone(&m, w)).collect();
    let mut batch = BatchSim::new(m.clone(), 3)
        .with_threads(2)
        .with_output("tree_awake")
        .unwrap()
        .with_reset(|_: &Model, d: &mut Data, w: usize| start(d, w));
    if m.nu > 0 {
        run(&mut batch);
    } else {
        (0..STEPS).for_each(|_| drop(batch.step_all().errors.to_vec()));
    }
    for (w, expected) in expected.iter().enumerate() {
        assert_eq!(world_bits(&batch, "qpos", w), expected[0]);
    }
    // Some sleep in the end, in every world.
    assert!(asleep_by_world(&batch, m.ntree).iter().all(|&n| n > 0));
}

fn asleep_by_world(batch: &BatchSim, trees: usize) -> Vec<usize> {
    let awake = batch.i32("tree_awake").unwrap();
    awake.chunks(trees).map(|world| world.iter().filter(|&&a| a == 0).count()).collect()
}

/// A world that is pushed stays awake while its neighbours sleep.
#[test]
fn worlds_of_a_batch_sleep_on_their_own() {
    let mut m = scene("free_bodies.xml");
    m.opt.enableflags |= corten_model::enums::EnableBit::Sleep.raw();
    m.opt.sleep_tolerance = 0.5;
    let m = Arc::new(m);
    let mut batch = BatchSim::new(m.clone(), 3).with_output("tree_awake").unwrap();
    for _ in 0..4 * STEPS {
        batch.f64_mut("xfrc_applied").unwrap()[6 * m.nbody + 6 + 2] = 1e-3;
        batch.step_all();
    }
    let asleep = asleep_by_world(&batch, m.ntree);
    assert!(asleep[0] == asleep[2] && asleep[0] > asleep[1], "{asleep:?}");
}

#[test]
fn several_steps_per_call_and_control_hooks() {
    let m = Arc::new(scene("humanoid.xml"));
    let mut batch = BatchSim::new(m.clone(), 4)
        .with_steps(5)
        .with_control(|_: &Model, d: &mut Data, w: usize| d.ctrl.fill(0.1 * w as f64));
    batch.step_all();
    batch.step_all();
    for w in 0..4 {
        let mut d = Data::new(&m);
        d.ctrl.fill(0.1 * w as f64);
        (0..10).for_each(|_| corten_sim::step(&m, &mut d).unwrap());
        assert_eq!(world_bits(&batch, "qpos", w), bits(&d.qpos));
        assert_eq!(world_bits(&batch, "ctrl", w), bits(&d.ctrl));
    }
}

#[test]
fn inputs_that_user_code_changes_show() {
    struct Push;
    impl Hook for Push {
        fn control(&self, _: &Model, d: &mut Data) -> Outcome {
            d.ctrl[0] = 0.25 + d.qpos[0];
            Ok(())
        }
    }
    let m = scene("cartpole.xml");
    let mut batch = BatchSim::new(Arc::new(m), 6).with_threads(1).with_hooks(Hooks::new(Push));
    for (world, qpos) in batch.f64_mut("qpos").unwrap().chunks_mut(2).enumerate() {
        qpos[0] = 0.1 * world as f64;
    }
    batch.f64_mut("ctrl").unwrap().fill(9.0);
    batch.step_all();
    for (world, u) in batch.f64("ctrl").unwrap().iter().enumerate() {
        assert_eq!(*u, 0.25 + 0.1 * world as f64);
    }
}

#[test]
fn rewards_and_ends_of_episodes() {
    let m = Arc::new(scene("cartpole.xml"));
    let h = m.opt.timestep;
    let mut batch = BatchSim::new(m, 3)
        .with_reward(|_: &Model, d: &Data| d.qpos[0])
        .with_termination(|_: &Model, d: &Data| d.qpos[0] > 1.0)
        .with_truncation(move |_: &Model, d: &Data| d.time > 1.5 * h);
    let n = batch.f64("qpos").unwrap().len() / 3;
    batch.f64_mut("qpos").unwrap()[n] = 1.5;
    let first = batch.step_all();
    assert_eq!(first.terminated, [false, true, false]);
    assert_eq!(first.truncated, [false; 3]);
    assert!(first.rewards[1] > 1.0);
    assert_eq!(batch.step_all().truncated, [true; 3]);
}

#[test]
fn reset_where_touches_flagged_worlds_only() {
    let m = Arc::new(scene("quadruped.xml"));
    let mut batch = BatchSim::new(m.clone(), 5).with_threads(2);
    (0..20).for_each(|_| drop(batch.step_all().errors.to_vec()));
    let before: Vec<_> = (0..5).map(|w| world_bits(&batch, "qpos", w)).collect();
    batch.reset_where(&[false, true, false, false, true]).unwrap();
    for w in 0..5 {
        let expected = if w == 1 || w == 4 { bits(&m.qpos0) } else { before[w].clone() };
        assert_eq!(world_bits(&batch, "qpos", w), expected);
    }
    assert!(batch.reset_where(&[true]).is_err());
    batch.reset(0);
    assert_eq!(world_bits(&batch, "qpos", 0), bits(&m.qpos0));
    assert_eq!(batch.f64("time").unwrap()[0], 0.0);
    assert!(batch.f64("time").unwrap()[2] > 0.0);
}

#[test]
fn a_failing_world_stops_alone_and_can_be_replayed() {
    let m = Arc::new(scene("quadruped.xml"));
    assert_eq!(OnFailure::default(), OnFailure::Reset);
    for policy in [OnFailure::Stop, OnFailure::Reset] {
        let mut batch = BatchSim::new(m.clone(), 6).with_threads(2).with_failure_policy(policy);
        let mut healthy = BatchSim::new(m.clone(), 6).with_threads(1);
        for _ in 0..10 {
            batch.step_all();
            healthy.step_all();
        }
        batch.f64_mut("qvel").unwrap()[2 * m.nv + 7] = 1e12;
        healthy.step_all();
        let result = batch.step_all();
        assert_eq!(result.terminated, [false, false, true, false, false, false]);
        let failure = result.errors[2].clone().unwrap();
        let Cause::Step(StepError::BadVelocity { index: 7, .. }) = &failure.cause else {
            panic!("{failure}");
        };

        let dump = batch.dump(2).unwrap();
        let read = Dump::from_bytes(&dump.to_bytes()).unwrap();
        assert!(read.to_bytes() == dump.to_bytes());
        assert_eq!(Cause::Step(read.replay().unwrap().unwrap_err()), failure.cause);
        assert!(batch.dump(1).is_none());

        let next = batch.step_all();
        healthy.step_all();
        match policy {
            OnFailure::Stop => assert!(next.errors[2].is_some()),
            OnFailure::Reset => {
                assert!(next.errors[2].is_none() && !next.terminated[2]);
                assert_eq!(world_bits(&batch, "qpos", 2), bits(&m.qpos0));
            }
        }
        for w in [0, 1, 3, 4, 5] {
            assert_eq!(world_bits(&batch, "qpos", w), world_bits(&healthy, "qpos", w));
        }
    }
}

#[test]
fn a_panic_stops_its_world_only() {
    let m = Arc::new(scene("pendulum.xml"));
    let mut batch = BatchSim::new(m.clone(), 4)
        .with_threads(2)
        .with_failure_policy(OnFailure::Stop)
        .with_control(|_: &Model, d: &mut Data, w: usize| {
            assert!(w != 1 || d.time < 0.01, "no more of this");
        });
    for _ in 0..20 {
        batch.step_all();
    }
    let result = batch.result();
    assert!(
        matches!(&result.errors[1].as_ref().unwrap().cause, Cause::Panic(text) if text == "no more of this")
    );
    assert!([0, 2, 3].iter().all(|&w| result.errors[w].is_none()));
    assert_eq!(world_bits(&batch, "qpos", 0), world_bits(&batch, "qpos", 3));
}

#[test]
fn parameters_of_a_world_are_those_of_a_model() {
    for name in ["humanoid.xml", "arm_gripper.xml"] {
        let m = Arc::new(scene(name));
        let mut batch = BatchSim::new(m.clone(), 4)
            .with_threads(2)
            .with_reset(|_: &Model, d: &mut Data, w: usize| start(d, w));
        let names = [
            "body_mass",
            "body_inertia",
            "geom_friction",
            "geom_size",
            "geom_rbound",
            "dof_damping",
            "actuator_gainprm",
            "opt.gravity",
            "opt.timestep",
        ];
        for name in names {
            let rows = batch.parameter(name).unwrap();
            let n = rows.len() / 4;
            for (k, x) in rows.iter_mut().enumerate() {
                *x *= 1.0 + 0.05 * (k / n) as f64;
            }
        }
        batch.derive_constants().unwrap();
        assert!(batch.parameters().any(|p| p == "body_subtreemass"));
        run(&mut batch);
        for w in 0..4 {
            let mut own = batch.world_model(w);
            assert_eq!(own.opt.gravity[2], m.opt.gravity[2] * (1.0 + 0.05 * w as f64));
            let derived = own.clone();
            corten_sim::constants::set_const(&mut own, &mut Data::new(&m)).unwrap();
            assert_eq!(own.body_subtreemass, derived.body_subtreemass);
            assert_eq!(own.dof_invweight0, derived.dof_invweight0);
            assert_eq!(world_bits(&batch, "qpos", w), alone(&derived, w)[0], "{name} {w}");
        }
        assert!(batch.parameter("body_masses").is_err());
        assert!(batch.parameter("geom_bodyid").is_err());
        assert!(batch.set_parameter(4, "body_mass", &[]).is_err());
        assert!(batch.set_parameter(0, "body_mass", &[1.0]).is_err());
    }
}

#[test]
fn outputs_are_the_results_of_the_last_step() {
    let m = Arc::new(scene("humanoid.xml"));
    let mut batch = BatchSim::new(m.clone(), 3).with_output("xpos").unwrap();
    assert!(BatchSim::new(m.clone(), 3).with_output("efc_pos").is_err());
    batch.step_all();
    let mut d = Data::new(&m);
    corten_sim::step(&m, &mut d).unwrap();
    let expected: Vec<f64> = d.xpos.iter().flat_map(|p| p.0).collect();
    assert_eq!(world_bits(&batch, "xpos", 2), bits(&expected));
}

#[test]
fn no_worlds_are_fine() {
    let mut batch = BatchSim::new(Arc::new(scene("pendulum.xml")), 0);
    assert!(batch.step_all().states.is_empty());
    batch.reset_all();
    batch.derive_constants().unwrap();
}

/// Worlds and threads that no machine has.
#[test]
fn requests_beyond_the_machine_are_errors() {
    let m = Arc::new(scene("pendulum.xml"));
    for worlds in [1_000_000_000_000, 1 << 62, usize::MAX] {
        let error = BatchSim::try_new(m.clone(), worlds).err();
        assert!(matches!(error, Some(BatchError::Worlds { limit: 16_777_216, .. })), "{error:?}");
    }
    let mut free = (*m).clone();
    free.limits = corten_model::Limits::NONE;
    let free = Arc::new(free);
    for worlds in [1 << 50, 1 << 62, usize::MAX] {
        let error = BatchSim::try_new(free.clone(), worlds).err();
        assert!(matches!(error, Some(BatchError::Memory { .. })), "{error:?}");
    }
    assert_eq!(BatchSim::new(m.clone(), 2).with_threads(1_000_000).threads(), 2);
    let mut few = (*m).clone();
    few.limits.threads = 3;
    assert_eq!(BatchSim::new(Arc::new(few), 100).with_threads(50).threads(), 3);
}

/// A world whose contacts take more than its budget fails alone, in its last state.
#[test]
fn a_world_beyond_its_budget_fails_alone() {
    let text = "<mujoco><worldbody><replicate count='40'><body><joint type='slide' axis='1 0 0'/>\
                <geom size='.1'/></body></replicate></worldbody></mujoco>";
    let mut m = corten_sim::load_model_str(text, &Default::default()).unwrap();
    m.limits.data_bytes = 100_000;
    let (m, worlds) = (Arc::new(m), 6);
    let mut batch = BatchSim::new(m.clone(), worlds).with_threads(2);
    for (k, x) in batch.f64_mut("qpos").unwrap().iter_mut().enumerate() {
        // Apart from each other, but in the third world.
        *x = if k / m.nq == 2 { 0.0 } else { (k % m.nq) as f64 };
    }
    let result = batch.step_all();
    for (world, error) in result.errors.iter().enumerate() {
        assert_eq!(error.is_some(), world == 2);
    }
    let cause = result.errors[2].as_ref().unwrap().cause.to_string();
    assert!(cause.contains("100000 bytes"), "{cause}");
    assert!(result.states[2 * (m.nq + m.nv)..][..m.nq + m.nv].iter().all(|&x| x == 0.0));
}

/// A call that would never end is ended from another thread; worlds are where their last whole steps
/// left them, and go on afterwards.
#[test]
fn a_long_call_is_cancelled() {
    for (threads, name) in [(1, "mixed_pile"), (2, "mixed_pile"), (1, "pendulum"), (2, "pendulum")]
    {
        let m = Arc::new(scene(&format!("{name}.xml")));
        let token = CancelToken::new();
        let batch = BatchSim::new(m.clone(), 9).with_threads(threads).with_steps(usize::MAX);
        let mut batch = batch.with_cancel(token.clone());
        let other = token.clone();
        let caller = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(50));
            other.cancel();
        });
        let start = std::time::Instant::now();
        assert!(batch.step_all().errors.iter().all(Option::is_none));
        assert!(start.elapsed() < std::time::Duration::from_secs(5));
        caller.join().unwrap();
        token.withdraw();
        let times = batch.f64("time").unwrap().to_vec();
        batch.set_steps(1);
        batch.step_all();
        for (before, after) in times.iter().zip(batch.f64("time").unwrap()) {
            // Rounding adds up over many steps.
            let steps = before / m.opt.timestep;
            assert!((steps - steps.round()).abs() < 1e-3, "{steps}");
            assert!(after > before, "{before} {after}");
        }
    }
}
