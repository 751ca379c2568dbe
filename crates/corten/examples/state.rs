//! State: saved, restored, and continued bit for bit.

use corten::enums::StateBit;
use corten::prelude::*;
use corten::state;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = load_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/humanoid.xml"))?;
    let mut data = model.make_data();
    for _ in 0..100 {
        data.step(&model)?;
    }
    // All that a step depends on, as one vector.
    let all = StateBit::Integration.raw() as u32;
    let mut saved = vec![0.0; state::size(&model, all)?];
    state::get(&model, &data, &mut saved, all)?;
    // A copy of the data is a saved state, too.
    let mut copy = data.clone();

    let mut restored = model.make_data();
    state::set(&model, &mut restored, &saved, all)?;
    for _ in 0..100 {
        data.step(&model)?;
        copy.step(&model)?;
        restored.step(&model)?;
    }
    assert!(data.qpos == copy.qpos && data.qpos == restored.qpos);
    println!("three simulations agree in every bit at {:.3} s", data.time);
    Ok(())
}
