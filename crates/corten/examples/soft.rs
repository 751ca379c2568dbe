//! Bodies of particles: a rope ladder of your own, stepped alone and then as a part of a model.

use corten::prelude::*;
use corten::soft::{Constraint, Deformable, DeformableBody, Material, SoftError, XpbdSolver};

/// Two ropes with rungs between them.
struct Ladder(Deformable);

impl Ladder {
    fn new(rungs: u32, spacing: f64) -> Result<Ladder, SoftError> {
        let (mut points, mut constraints) = (Vec::new(), Vec::new());
        for i in 0..rungs {
            let z = -spacing * f64::from(i);
            points.extend([Vec3::new(0.0, 0.0, z), Vec3::new(0.3, 0.0, z)]);
            // Rungs are rigid, ropes give way by a millimetre per hundred newtons.
            constraints.push(Constraint::distance([2 * i, 2 * i + 1], 0.3, 0.0));
            if i > 0 {
                for side in 0..2 {
                    let ends = [2 * i + side - 2, 2 * i + side];
                    constraints.push(Constraint::distance(ends, spacing, 1e-5));
                }
            }
        }
        let masses = vec![0.1; points.len()];
        let mut body = Deformable::new(points, &masses, constraints, Material::ROPE, 0.02)?;
        body.pin(0);
        body.pin(1);
        Ok(Ladder(body))
    }
}

impl DeformableBody for Ladder {
    fn deformable(&self) -> &Deformable {
        &self.0
    }

    fn deformable_mut(&mut self) -> &mut Deformable {
        &mut self.0
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut ladder = Ladder::new(6, 0.25)?;
    let (before, last) = (ladder.positions()[10][2], 11);
    ladder.deformable_mut().velocity[last] = Vec3::new(0.0, 2.0, 0.0);
    let mut solver = XpbdSolver::new(20).with_damping(1.0);
    for _ in 0..200 {
        solver.step(&mut ladder, Vec3::new(0.0, 0.0, -9.81), 0.01)?;
    }
    println!("alone, the ladder swings to y = {:.2} m", ladder.positions()[last][1]);
    assert!(ladder.positions()[10][2] > before - 0.05);

    let mut spec = Spec::new();
    spec.register_deformable(Spec::WORLD, "ladder", &Ladder::new(6, 0.25)?)?;
    let model = compile(&spec)?;
    let mut data = model.make_data();
    let foot = model.body("ladder_11")?;
    while data.time < 1.0 {
        data.step(&model)?;
    }
    let z = data.xpos(foot)[2];
    println!("in a model it hangs down to {z:.3} m");
    assert!((z + 1.25).abs() < 0.01 && model.nv == 30);
    Ok(())
}
