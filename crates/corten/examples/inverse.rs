//! Inverse dynamics: which forces cause a given motion?

use corten::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/double_pendulum.xml");
    let model = load_file(scene)?;
    let mut data = model.make_data();
    data.qpos.fill(0.4);

    // The joint torques that hold it still, whoever exerts them.
    data.qacc.fill(0.0);
    data.inverse(&model)?;
    let torques = data.qfrc_inverse.clone();
    println!("holding torques {torques:.4?} Nm");

    // Those that its motors do not exert are applied, and hold it.
    data.forward(&model)?;
    for (applied, (torque, motor)) in
        data.qfrc_applied.iter_mut().zip(torques.iter().zip(&data.qfrc_actuator))
    {
        *applied = torque - motor;
    }
    data.forward(&model)?;
    println!("accelerations {:.3?}", data.qacc);
    assert!(data.qacc.iter().all(|a| a.abs() < 1e-9));
    Ok(())
}
