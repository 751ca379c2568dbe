//! Materials of flexes of your own: a law of bending for cloth, and a law of elasticity for a cube.

use corten::extend::flex::{
    FlexBendingModel, FlexMaterial, HingeCoefficients, HingeState, Lame, StrainEnergy,
};
use corten::prelude::*;

const SCENE: &str = r#"
<mujoco>
  <option timestep=".001"/>
  <worldbody>
    <geom type="plane" size="2 2 .1"/>
    <geom type="box" size=".05 .5 .3" pos="-.05 0 .3"/>
    <flexcomp name="sheet" type="grid" count="6 3 1" spacing=".06 .06 .06" pos="0 0 .63" dim="2" mass=".05" radius=".01">
      <edge equality="true"/><contact selfcollide="none"/>
      <elasticity young="1e6" poisson=".3" thickness=".003" elastic2d="bend" damping=".01"/>
    </flexcomp>
    <flexcomp name="cube" type="grid" count="3 3 3" spacing=".06 .06 .06" pos="1 0 .2" dim="3" mass=".3" radius=".01">
      <contact selfcollide="none" internal="false"/><elasticity young="1e4" poisson=".3" damping=".005"/>
    </flexcomp>
  </worldbody>
</mujoco>"#;

/// Threads between the outer vertices of neighbouring triangles: `½ k (l − l₀)²`. A flat sheet yields
/// to small angles and stiffens as it folds.
#[derive(Clone)]
struct Threads {
    stiffness: f64,
}

impl Threads {
    /// Length and direction of a thread.
    fn thread(x: &[Vec3; 4]) -> (f64, Vec3) {
        let along = x[3] - x[2];
        let length = along.norm();
        (length, if length > 0.0 { along * (1.0 / length) } else { Vec3::ZERO })
    }

    fn pull(direction: Vec3, force: f64) -> [Vec3; 4] {
        [Vec3::ZERO, Vec3::ZERO, direction * -force, direction * force]
    }
}

impl FlexBendingModel for Threads {
    /// Coefficients are the stiffness and the length at rest.
    fn precompute(&self, rest: &[Vec3; 4], _: &FlexMaterial) -> HingeCoefficients {
        let mut c = [0.0; 17];
        (c[0], c[1]) = (self.stiffness, Threads::thread(rest).0);
        c
    }

    fn gradient(&self, c: &HingeCoefficients, hinge: &HingeState) -> [Vec3; 4] {
        let (length, direction) = Threads::thread(&hinge.position);
        Threads::pull(direction, c[0] * (length - c[1]))
    }

    fn damping(&self, c: &HingeCoefficients, hinge: &HingeState) -> [Vec3; 4] {
        let (_, direction) = Threads::thread(&hinge.position);
        let rate = direction.dot(hinge.velocity[3] - hinge.velocity[2]);
        Threads::pull(direction, c[0] * hinge.damping * rate)
    }

    fn energy(&self, c: &HingeCoefficients, position: &[Vec3; 4]) -> f64 {
        let stretch = Threads::thread(position).0 - c[1];
        0.5 * c[0] * stretch * stretch
    }
}

/// `μ E:E + λ/2 tr²E` of Green's strain `E = (FᵀF − 1)/2` (St Venant and Kirchhoff).
#[derive(Clone)]
struct StVenant;

impl StVenant {
    fn strain(f: &Mat3) -> Mat3 {
        (f.tmul_mat(f) - Mat3::IDENTITY) * 0.5
    }
}

impl StrainEnergy for StVenant {
    fn density(&self, f: &Mat3, k: &Lame) -> f64 {
        let e = StVenant::strain(f);
        let square: f64 = e.0.iter().map(|x| x * x).sum();
        k.mu * square + 0.5 * k.lambda * e.trace() * e.trace()
    }

    fn stress(&self, f: &Mat3, k: &Lame) -> Mat3 {
        let e = StVenant::strain(f);
        *f * (e * (2.0 * k.mu) + Mat3::IDENTITY * (k.lambda * e.trace()))
    }
}

/// Height of the sheet's far edge, and height of the cube, after a second.
fn heights(model: &Model) -> Result<[f64; 2], StepError> {
    let mut data = model.make_data();
    while data.time < 1.0 {
        data.step(model)?;
    }
    let lowest = |x: &[Vec3]| x.iter().map(|x| x[2]).fold(f64::MAX, f64::min);
    let highest = |x: &[Vec3]| x.iter().map(|x| x[2]).fold(f64::MIN, f64::max);
    let (sheet, cube) = data.flexvert_xpos.split_at(18);
    Ok([lowest(sheet), highest(cube)])
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let plain = load_model(SCENE)?;
    let mut own = plain.clone();
    own.set_flex_bending(0, Threads { stiffness: 200.0 })?;
    own.set_flex_elasticity(1, StVenant)?;
    let ([sheet, cube], [own_sheet, own_cube]) = (heights(&plain)?, heights(&own)?);
    println!(
        "MuJoCo's laws: the sheet hangs down to {sheet:.3} m, the cube stands {cube:.3} m high"
    );
    println!("laws of our own: {own_sheet:.3} m, {own_cube:.3} m");
    assert!((sheet - own_sheet).abs() > 1e-4 && (cube - own_cube).abs() > 1e-6);
    assert!(own_cube > 0.1, "the cube stands");
    Ok(())
}
