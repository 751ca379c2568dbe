//! How a cloth's loading time, memory and step time grow with its vertices.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use corten_sim::{Data, Model};

use crate::machine::{process_seconds, resident};
use crate::plot::{self, Line};
use crate::progress;
use crate::quantile;

/// Vertices along a side.
const SIDES: [usize; 5] = [30, 55, 100, 170, 300];
/// Steps before those that count, and of a measurement.
const WARM: usize = 3;
const STEPS: usize = 5;
const ROUNDS: usize = 5;
/// Iterations of a step with equalities, at every size: a step has costs of its own, and cloths differ in how many they
/// need.
const ITERATIONS: usize = 20;

/// What is measured, and in which unit.
const MEASURES: [&str; 4] =
    ["load, µs", "model and data, kB", "step, µs", "iteration of CG with equalities, µs"];

/// Prints a table, the slopes between sizes on logarithmic axes, and writes a plot.
pub fn run(folder: &Path) -> anyhow::Result<ExitCode> {
    std::fs::create_dir_all(folder)?;
    let bar = progress::bar(SIDES.len());
    let mut points = Vec::new();
    for side in SIDES {
        bar.set_message(format!("{side} x {side}"));
        points.push(((side * side) as f64, measure(side)?));
        bar.inc(1);
    }
    bar.finish_and_clear();
    println!("cloth of n x n vertices: {}", MEASURES.join("; "));
    for (n, values) in &points {
        println!("{:5.0} {:9.0} vertices {}", n.sqrt(), n, columns(values));
    }
    // Over the whole range: the slope of the straight line between its ends.
    let ((a, first), (b, last)) = (points[0], points[points.len() - 1]);
    let slopes: Vec<f64> =
        (0..MEASURES.len()).map(|k| (last[k] / first[k]).ln() / (b / a).ln()).collect();
    let slopes: Vec<String> = slopes.iter().map(|slope| format!("{slope:14.3}")).collect();
    println!("slope in logarithms      {}", slopes.join(" "));
    let lines: Vec<Line> = MEASURES
        .iter()
        .enumerate()
        .map(|(k, name)| Line {
            name: (*name).to_owned(),
            points: points.iter().map(|(n, values)| (*n, values[k])).collect(),
        })
        .collect();
    let file = folder.join("growth_cloth.svg");
    plot::svg(&file, "Cloth", "vertices", "µs or kB", &lines)?;
    Ok(ExitCode::SUCCESS)
}

fn columns(values: &[f64]) -> String {
    let values: Vec<String> = values.iter().map(|x| format!("{x:14.1}")).collect();
    values.join(" ")
}

/// The values of [`MEASURES`].
fn measure(side: usize) -> anyhow::Result<[f64; 4]> {
    let text = cloth(side, false);
    let (before, start) = (resident(), process_seconds());
    let model = load(&text)?;
    let load_time = process_seconds() - start;
    let mut data = Data::new(&model);
    advance(&model, &mut data, WARM)?;
    let memory = (resident() - before).max(0.0);
    let step_time = time(&model, &mut data)?;
    drop((model, data));

    let model = load(&cloth(side, true))?;
    let mut data = Data::new(&model);
    advance(&model, &mut data, WARM)?;
    let mut iterations = 0;
    let with_equalities = median(|| {
        let start = process_seconds();
        for _ in 0..STEPS {
            advance(&model, &mut data, 1)?;
            iterations += data.solver_niter.iter().sum::<i32>();
        }
        Ok((process_seconds() - start) / STEPS as f64)
    })?;
    let per_step = f64::from(iterations) / (ROUNDS * STEPS) as f64;
    Ok([1e6 * load_time, memory, 1e6 * step_time, 1e6 * with_equalities / per_step.max(1.0)])
}

fn time(model: &Model, data: &mut Data) -> anyhow::Result<f64> {
    median(|| {
        let start = process_seconds();
        advance(model, data, STEPS)?;
        Ok((process_seconds() - start) / STEPS as f64)
    })
}

fn median(mut once: impl FnMut() -> anyhow::Result<f64>) -> anyhow::Result<f64> {
    let times = (0..ROUNDS).map(|_| once()).collect::<Result<Vec<f64>, _>>()?;
    Ok(quantile(&times, 0.5))
}

fn advance(model: &Model, data: &mut Data, steps: usize) -> anyhow::Result<()> {
    for _ in 0..steps {
        corten_sim::step(model, data).context("cloth")?;
    }
    Ok(())
}

fn load(text: &str) -> anyhow::Result<Model> {
    corten_sim::load_model_str(text, &Default::default()).context("cloth")
}

/// A cloth that hangs from two corners.
fn cloth(side: usize, equality: bool) -> String {
    let last = side * (side - 1);
    let (elasticity, tolerance) = if equality {
        ("", 0.0)
    } else {
        ("<elasticity young='1e4' thickness='.001' elastic2d='stretch'/>", 1e-6)
    };
    format!(
        "<mujoco><option solver='CG' iterations='{ITERATIONS}' tolerance='{tolerance}' timestep='0.001'/><worldbody>
        <flexcomp name='cloth' type='grid' dim='2' count='{side} {side} 1' spacing='.02 .02 .02' mass='{mass}' radius='.001'>
          <pin id='0 {last}'/>
          <edge equality='{equality}' damping='.001'/>
          {elasticity}
          <contact contype='0' conaffinity='0' selfcollide='none' internal='false'/>
        </flexcomp></worldbody></mujoco>",
        mass = 1e-3 * (side * side) as f64,
    )
}
