//! Derivatives: one step linearised, `dx⁺ = A dx + B du`.

use corten::derivative::{DerivativeConfig, transition};
use corten::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/cartpole.xml");
    let model = load_file(scene)?;
    let mut data = model.make_data();
    data.forward(&model)?;

    let linear = transition(&model, &mut data, &DerivativeConfig::default())?;
    let nx = 2 * model.nv + model.na;
    println!("A is {nx} x {nx}, B is {nx} x {}", model.nu);
    for (a, b) in linear.a.chunks(nx).zip(linear.b.chunks(model.nu)) {
        println!("{a:8.4?}  {b:8.4?}");
    }
    // Positions change by the timestep times velocities, less what damping takes within the step.
    let (gain, h) = (linear.a[model.nv], model.opt.timestep);
    assert!(gain < h && gain > 0.99 * h);
    Ok(())
}
