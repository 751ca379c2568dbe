//! Many worlds of one model, stepped together, each with its own state and controls.

use std::sync::Arc;

use corten::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/cartpole.xml");
    let model = Arc::new(load_file(scene)?);
    let worlds = 64;
    // All threads; their number changes no bit of the results.
    let mut batch = BatchSim::new(model.clone(), worlds).with_threads(0);

    // Arrays have a row per world.
    let qpos = batch.f64_mut("qpos").ok_or("a batch has positions")?;
    for (world, row) in qpos.chunks_mut(model.nq).enumerate() {
        row[1] = 0.01 * world as f64;
    }
    for _ in 0..100 {
        batch.step_all();
    }
    let qpos = batch.f64("qpos").ok_or("a batch has positions")?;
    println!("first world {:.4?}", &qpos[..model.nq]);
    println!("last world  {:.4?}", &qpos[(worlds - 1) * model.nq..]);
    assert_ne!(qpos[..model.nq], qpos[(worlds - 1) * model.nq..]);
    Ok(())
}
