//! Trajectories do not depend on threads and chunks.

use std::path::PathBuf;

use corten_batch::Pool;
use corten_batch::rollout::{Inputs, Outputs, PHYSICS, rollout};
use corten_model::enums::StateBit;
use corten_sim::{Data, state};

#[test]
fn threads_and_chunks_change_nothing() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes/humanoid.xml");
    let m = corten_sim::load_model(path).unwrap();
    let (count, steps) = (9, 25);
    let nstate = state::size(&m, PHYSICS).unwrap();
    let mut one = vec![0.0; nstate];
    let mut d = Data::new(&m);
    state::get(&m, &d, &mut one, PHYSICS).unwrap();
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
        let mut datas: Vec<Data> = (0..threads).map(|_| Data::new(&m)).collect();
        let mut datas: Vec<&mut Data> = datas.iter_mut().collect();
        let mut states = vec![0.0; count * steps * nstate];
        let mut sensors = vec![0.0; count * steps * m.nsensordata];
        let outputs = Outputs { state: &mut states, sensordata: &mut sensors };
        assert!(rollout(&pool, |_| &m, &mut datas, count, chunk, inputs, outputs));
        results.push((states, sensors));
    }
    assert!(results.iter().all(|r| *r == results[0]));

    // The last trajectory by hand.
    d.reset(&m);
    for t in 0..steps {
        let from = ((count - 1) * steps + t) * m.nu;
        d.ctrl.copy_from_slice(&control[from..from + m.nu]);
        corten_sim::step(&m, &mut d).unwrap();
    }
    state::get(&m, &d, &mut one, PHYSICS).unwrap();
    assert_eq!(one, results[0].0[results[0].0.len() - nstate..]);
}
