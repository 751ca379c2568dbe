//! The same bits on repetition, on a clone, after a reset, and after saving and restoring.

use std::path::PathBuf;

use corten_model::enums::StateBit;
use corten_sim::{Data, Model, state};

fn scene(name: &str) -> Model {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name);
    corten_sim::load_model(path).unwrap()
}

fn run(m: &Model, d: &mut Data, steps: usize) {
    for i in 0..steps {
        for (k, u) in d.ctrl.iter_mut().enumerate() {
            *u = 0.3 * ((i * 7 + k * 13) % 11) as f64 / 11.0 - 0.1;
        }
        corten_sim::step(m, d).unwrap();
    }
}

fn bits(d: &Data) -> Vec<u64> {
    let sensors = d.sensordata.iter();
    d.qpos
        .iter()
        .chain(&d.qvel)
        .chain(&d.act)
        .chain(&d.qacc)
        .chain(sensors)
        .map(|x| x.to_bits())
        .collect()
}

const SCENES: [&str; 6] = [
    "humanoid.xml",
    "quadruped.xml",
    "mixed_pile.xml",
    "muscle_arm.xml",
    "linkage.xml",
    "box_stack.xml",
];

#[test]
fn repetition_and_reset_give_the_same_bits() {
    for name in SCENES {
        let m = scene(name);
        let mut a = Data::new(&m);
        run(&m, &mut a, 150);
        let mut b = Data::new(&m);
        run(&m, &mut b, 150);
        assert_eq!(bits(&a), bits(&b), "{name}");
        b.reset(&m).unwrap();
        run(&m, &mut b, 150);
        assert_eq!(bits(&a), bits(&b), "{name} after reset");
    }
}

#[test]
fn a_clone_and_a_restored_state_continue_the_same_trajectory() {
    for name in SCENES {
        let m = scene(name);
        let mut a = Data::new(&m);
        run(&m, &mut a, 80);
        let whole = StateBit::Integration.raw() as u32;
        let mut saved = vec![0.0; state::size(&m, whole).unwrap()];
        state::get(&m, &a, &mut saved, whole).unwrap();
        let mut clone = a.clone();
        run(&m, &mut a, 80);
        run(&m, &mut clone, 80);
        assert_eq!(bits(&a), bits(&clone), "{name}, clone");

        // Another history first: nothing of it may survive the restored state.
        let mut b = Data::new(&m);
        run(&m, &mut b, 33);
        state::set(&m, &mut b, &saved, whole).unwrap();
        run(&m, &mut b, 80);
        assert_eq!(bits(&a), bits(&b), "{name}, restored");
    }
}
