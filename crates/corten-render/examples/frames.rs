//! How fast pictures are made.
//!
//!     cargo run --release -p corten-render --example frames -- MODEL [WIDTH HEIGHT SAMPLES COUNT]
//!
//! Without a size: 640 x 480, the same with four samples per pixel, and 84 x 84. Under
//! `valgrind --tool=callgrind`, counts that differ by one tell the instructions of a picture.

use std::time::Instant;

use corten::{Data, Model};
use corten_render::Renderer;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let file = args.first().ok_or("a model, please")?;
    let model = corten::load_file(file)?;
    let mut data = model.make_data();
    data.forward(&model)?;
    if args.len() == 1 {
        for [width, height, samples, count] in
            [[640, 480, 1, 100], [640, 480, 4, 50], [84, 84, 1, 500]]
        {
            measure(&model, &data, [width, height], samples, count)?;
        }
        return Ok(());
    }
    let number = |i: usize, default: usize| args.get(i).map_or(Ok(default), |text| text.parse());
    let size = [number(1, 640)?, number(2, 480)?];
    measure(&model, &data, size, number(3, 1)?, number(4, 100)?)
}

fn measure(
    model: &Model,
    data: &Data,
    [width, height]: [usize; 2],
    samples: usize,
    count: usize,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut renderer = Renderer::new(model, width, height)?;
    renderer.context().settings_mut().samples = i32::try_from(samples)?;
    let mut best = f64::INFINITY;
    let start = Instant::now();
    for _ in 0..count {
        let begin = Instant::now();
        renderer.update(model, data, None)?;
        renderer.rgb()?;
        best = best.min(begin.elapsed().as_secs_f64());
    }
    let mean = start.elapsed().as_secs_f64() / count.max(1) as f64;
    println!(
        "{width} x {height}, {samples} samples: {:.0} per second, {:.0} at best",
        1.0 / mean,
        1.0 / best
    );
    Ok(())
}
