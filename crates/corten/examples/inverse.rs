//! Inverse dynamics: which forces cause a given motion?

use corten::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/double_pendulum.xml");
    let model = load_file(scene)?;
    let mut data = model.make_data();
    data.qpos.fill(0.4);

    // The torques that hold it still.
    data.qacc.fill(0.0);
    data.inverse(&model);
    let torques = data.qfrc_inverse.clone();
    println!("holding torques {torques:.4?} Nm");

    // Applied, they hold it.
    data.qfrc_applied.copy_from_slice(&torques);
    data.forward(&model);
    println!("accelerations {:.3?}", data.qacc);
    assert!(data.qacc.iter().all(|a| a.abs() < 1e-9));
    Ok(())
}
