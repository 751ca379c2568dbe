//! Domain randomisation over laws: every episode of a training loop drops a cloth that bends by one of two laws.
//!
//! `cargo run -p corten-sim --release --example randomised_bending`

use corten_math::Random;
use corten_sim::extend::flex::{BridsonBending, CotangentBending};
use corten_sim::sim::{Sim, SimBuilder};
use corten_sim::{Model, StepError, load_model_str};

const CLOTH: &str = r#"<mujoco><option timestep=".002"/><worldbody>
  <geom type="sphere" size=".15" pos=".2 .2 0"/>
  <flexcomp name="cloth" type="grid" count="9 9 1" spacing=".05 .05 .05" pos=".2 .2 .25" dim="2" mass=".1" radius=".008">
    <edge equality="true"/><contact selfcollide="none"/>
    <elasticity young="5e4" poisson=".2" thickness=".004" elastic2d="bend" damping=".01"/>
  </flexcomp></worldbody></mujoco>"#;

/// The height of the lowest vertex after a second.
fn episode<B, E, A, C>(mut sim: Sim<B, E, A, C>) -> Result<f64, StepError> {
    for _ in 0..500 {
        sim.step()?;
    }
    Ok(sim.data().flexvert_xpos.iter().map(|x| x[2]).fold(f64::MAX, f64::min))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: Model = load_model_str(CLOTH, &Default::default())?;
    let mut random = Random(1);
    for number in 0..6 {
        let (law, low) = if random.unit() < 0.5 {
            (
                "cotangent",
                episode(SimBuilder::new().bending(CotangentBending).build(model.clone())?)?,
            )
        } else {
            ("bridson", episode(SimBuilder::new().bending(BridsonBending).build(model.clone())?)?)
        };
        println!("episode {number}: {law:9} lowest vertex at {low:.6} m");
    }
    Ok(())
}
