//! Rollouts: the same start under many control sequences, as sampling-based planners need it.

use corten::enums::StateBit;
use corten::prelude::*;
use corten::state;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/cartpole.xml");
    let model = load_file(scene)?;
    let (candidates, steps) = (8, 50);

    let physics = StateBit::FullPhysics.raw() as u32;
    let mut start = vec![0.0; state::size(&model, physics)?];
    state::get(&model, &model.make_data(), &mut start, physics)?;
    let initial = start.repeat(candidates);
    // Candidate k pushes with a constant force.
    let push = |k: usize| k as f64 / candidates as f64;
    let controls: Vec<f64> =
        (0..candidates).flat_map(|k| vec![push(k); steps * model.nu]).collect();

    let paths = rollout(&model, &initial, &controls, steps, 0)?;
    for k in 0..candidates {
        // A state is time, then positions, velocities, activations.
        let end = paths.state(k, steps - 1);
        println!("push {:.3}: cart ends at {:.4} m", push(k), end[1]);
    }
    assert!(paths.state(7, steps - 1)[1] > paths.state(1, steps - 1)[1]);
    Ok(())
}
