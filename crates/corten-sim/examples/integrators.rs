//! Cost and energy drift of every integrator, as a table.
//!
//!     cargo run --release -p corten-sim --example integrators
//!
//! Energy: a double pendulum without friction, released from rest at 90 degrees, for 10 s. The drift
//! is the largest deviation from the initial energy, relative to the range of potential energy.
//! Cost: time per step on scenes without contacts, relative to Euler.

use std::time::Instant;

use corten_model::enums::{DisableBit, EnableBit, Integrator};
use corten_sim::{Data, Model, load_model, load_model_str, step};

const PENDULUM: &str = r#"<mujoco>
  <worldbody>
    <body><joint axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 .5 0 0" mass="1"/>
      <body pos=".5 0 0"><joint axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 .5 0 0" mass="1"/></body>
    </body>
  </worldbody>
</mujoco>"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("relative energy drift over 10 s");
    println!("{:22} {:>10} {:>10} {:>10}", "integrator", "h = 0.01", "0.002", "0.0005");
    for &integrator in Integrator::ALL {
        let drift = [0.01, 0.002, 0.0005].map(|h| energy_drift(integrator, h));
        let [a, b, c] = drift;
        println!("{:22} {a:10.1e} {b:10.1e} {c:10.1e}", format!("{integrator:?}"));
    }
    println!("\ntime per step in µs, and relative to Euler");
    for scene in ["double_pendulum.xml", "humanoid.xml", "swimmer.xml", "muscle_arm.xml"] {
        let path = format!("{}/../../scenes/{scene}", env!("CARGO_MANIFEST_DIR"));
        let mut m = load_model(path)?;
        m.opt.disableflags |= DisableBit::Constraint.raw();
        let times = times_per_step(&m);
        print!("{scene:22}");
        for (integrator, time) in Integrator::ALL.iter().zip(&times) {
            print!("  {integrator:?} {:.2} ({:.2})", time * 1e6, time / times[0]);
        }
        println!();
    }
    Ok(())
}

fn energy_drift(integrator: Integrator, h: f64) -> f64 {
    let mut m = load_model_str(PENDULUM, &corten_model::Assets::memory_only()).expect("valid");
    m.opt.integrator = integrator;
    m.opt.timestep = h;
    m.opt.enableflags |= EnableBit::Energy.raw();
    let mut d = Data::new(&m);
    let mut energies = Vec::new();
    for _ in 0..(10.0 / h) as usize {
        if step(&m, &mut d).is_err() {
            return f64::INFINITY;
        }
        energies.push(d.energy[0] + d.energy[1]);
    }
    // Centres of mass at 0.25 m and 0.75 m, from straight down to straight up.
    let range = 2.0 * 9.81 * (0.25 + 0.75);
    energies.iter().fold(0.0, |w: f64, e| w.max((e - energies[0]).abs())) / range
}

/// Seconds per step of each integrator: the best of many short runs, taken in turns.
fn times_per_step(m: &Model) -> Vec<f64> {
    const STEPS: usize = 100;
    let models: Vec<Model> = Integrator::ALL
        .iter()
        .map(|integrator| {
            let mut m = m.clone();
            m.opt.integrator = *integrator;
            m
        })
        .collect();
    let mut best = vec![f64::INFINITY; models.len()];
    for _ in 0..100 {
        for (m, best) in models.iter().zip(&mut best) {
            let mut d = Data::new(m);
            let start = Instant::now();
            for _ in 0..STEPS {
                // Speed is measured, not validity.
                let _ = step(m, &mut d);
            }
            *best = best.min(start.elapsed().as_secs_f64() / STEPS as f64);
        }
    }
    best
}
