//! A solver of constraints of your own: projected gradients with momentum, on the rows of a step.

use corten::extend::contact::{ContactProblem, ContactSolver, RowBound};
use corten::prelude::*;
use corten::sim::SimBuilder;

const SCENE: &str = r#"
<mujoco>
  <worldbody>
    <geom type="plane" size="2 2 .1"/>
    <body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" mass="2"/></body>
    <body pos="0 0 .3"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body>
  </worldbody>
</mujoco>"#;

/// Minimises `½ fᵀ(J M⁻¹ Jᵀ + R) f + fᵀ(J a₀ − aref)` over the forces that rows may have
/// (Y. Nesterov, 1983).
#[derive(Clone, Debug)]
struct Gradients {
    iterations: usize,
}

impl ContactSolver for Gradients {
    fn solve(&self, m: &Model, d: &mut Data) -> Outcome {
        let problem = ContactProblem::new(d);
        let (rows, mut elliptic) = (problem.rows(), false);
        let (mut constant, mut softness, mut bound) =
            (vec![0.0; rows], vec![0.0; rows], Vec::new());
        problem.mul(problem.smooth_acceleration(), &mut constant);
        problem.for_each_row(|row, info| {
            constant[row] -= info.reference;
            softness[row] = info.regularization;
            elliptic |= matches!(info.bound, RowBound::Normal { .. } | RowBound::Tangent);
            bound.push(info.bound);
        });
        if elliptic {
            return Err("elliptic cones are not supported".into());
        }
        let mut joint = vec![0.0; m.nv];
        let mut multiply = |force: &[f64], result: &mut [f64]| {
            problem.mul_transposed(force, &mut joint);
            problem.solve_inertia(&mut joint);
            problem.mul(&joint, result);
            for i in 0..rows {
                result[i] += softness[i] * force[i];
            }
        };
        // The largest eigenvalue, by powers of the matrix; what starts without symmetry misses none.
        let mut ahead: Vec<f64> = (0..rows).map(|i| 1.0 + 0.5 * (i as f64).sin()).collect();
        let mut slope = vec![0.0; rows];
        let mut largest: f64 = 1.0;
        for _ in 0..30 {
            multiply(&ahead, &mut slope);
            largest = slope.iter().map(|x| x * x).sum::<f64>().sqrt();
            (0..rows).for_each(|i| ahead[i] = slope[i] / largest);
        }
        let (mut force, mut before) = (vec![0.0; rows], vec![0.0; rows]);
        ahead.fill(0.0);
        for k in 0..self.iterations {
            multiply(&ahead, &mut slope);
            for i in 0..rows {
                let wanted = ahead[i] - (slope[i] + constant[i]) / (1.1 * largest);
                force[i] = match bound[i] {
                    RowBound::Pushing => wanted.max(0.0),
                    RowBound::Within(limit) => wanted.clamp(-limit, limit),
                    _ => wanted,
                };
                ahead[i] = force[i] + k as f64 / (k as f64 + 3.0) * (force[i] - before[i]);
            }
            before.copy_from_slice(&force);
        }
        problem.finish(&force)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = load_model(SCENE)?;
    let mut newton = SimBuilder::new().build(model.clone())?;
    let mut own = SimBuilder::new().contact_solver(Gradients { iterations: 2000 }).build(model)?;
    for _ in 0..100 {
        newton.step()?;
        own.step()?;
    }
    let (a, b) = (newton.data(), own.data());
    let apart = a.qpos.iter().zip(&b.qpos).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!("after 100 steps the boxes are within {apart:.1e} m of those of Newton's method");
    assert!(b.ncon == 8 && apart < 1e-5);
    Ok(())
}
