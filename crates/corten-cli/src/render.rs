//! `corten render`: a picture of a model, or a video of a simulation.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use corten::{Data, Model};
use corten_record::{Recording, Video, write_png};
use corten_render::{Image, Renderer};
use corten_scene::Camera;
use serde_json::json;

use crate::progress::Bar;
use crate::start::{self, Start};

#[derive(clap::Args)]
pub struct Args {
    /// MJCF or URDF file, compiled model (.cfa, .mjb), or recording (.npz).
    file: PathBuf,
    /// Where to write: `.png` for a picture; for a video `.gif`, `.apng`, `.mp4`, `.webm` (the last two
    /// need ffmpeg), or a directory for numbered pictures. By default a picture next to nothing else, in
    /// the system's directory for temporary files.
    #[arg(long, short)]
    out: Option<PathBuf>,
    #[command(flatten)]
    start: Start,
    #[command(flatten)]
    look: Look,
    /// Simulated seconds before the picture is taken, or length of the video.
    #[arg(long, default_value_t = 0.0)]
    time: f64,
    /// Pictures per second of a video.
    #[arg(long, default_value_t = 30.0)]
    fps: f64,
    /// What to show: colours, distances (white is near), or objects in colours of their own.
    #[arg(long, value_enum, default_value_t = Show::Rgb)]
    show: Show,
    /// Print what was written as JSON.
    #[arg(long)]
    json: bool,
}

/// How pictures look.
#[derive(clap::Args)]
pub struct Look {
    /// Camera of the model, by name or number; the free camera otherwise.
    #[arg(long)]
    camera: Option<String>,
    /// Width in pixels.
    #[arg(long, default_value_t = 640)]
    width: usize,
    /// Height in pixels.
    #[arg(long, default_value_t = 480)]
    height: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Show {
    Rgb,
    Depth,
    Segmentation,
}

impl Look {
    pub fn camera(&self, m: &Model) -> anyhow::Result<Option<Camera>> {
        let Some(camera) = &self.camera else { return Ok(None) };
        let by_number = || camera.parse::<usize>().ok().filter(|&id| id < m.ncam);
        let id = m.camera(camera).ok().map(|id| id.index()).or_else(by_number);
        let Some(id) = id else {
            let names: Vec<&str> = m.cameras().filter_map(|id| m.camera_name(id)).collect();
            bail!("no camera '{camera}'; the model has {}: {}", m.ncam, names.join(", "));
        };
        Ok(Some(Camera::fixed(id)))
    }

    pub fn renderer(&self, m: &Model) -> anyhow::Result<Renderer> {
        Ok(Renderer::new(m, self.width, self.height)?)
    }
}

/// Where pictures go unless told otherwise.
pub fn default_path(file: &Path) -> PathBuf {
    let stem = file.file_stem().map_or_else(|| "model".into(), |s| s.to_string_lossy());
    std::env::temp_dir().join(format!("corten-{stem}.png"))
}

/// A picture of a state.
pub fn picture(m: &Model, d: &Data) -> anyhow::Result<Image> {
    let mut renderer = Renderer::new(m, 640, 480)?;
    renderer.update(m, d, None)?;
    Ok(renderer.rgb()?)
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    crate::watch_interrupts();
    let out = args.out.clone().unwrap_or_else(|| default_path(&args.file));
    let extension = out.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let frames = if extension == "png" { still(args, &out)? } else { film(args, &out)? };
    if args.json {
        let value = json!({
            "file": out, "width": args.look.width, "height": args.look.height, "frames": frames,
        });
        println!("{value}");
    } else if frames == 1 {
        println!("{}", out.display());
    } else {
        println!("{} ({frames} pictures)", out.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// One picture; the state is that of the end of the simulated time, or the last of a recording.
fn still(args: &Args, out: &Path) -> anyhow::Result<usize> {
    let (m, d) = if is_recording(&args.file) {
        let recording = Recording::load(&args.file)?;
        let mut d = recording.model.make_data();
        let last = recording.time.len().checked_sub(1).context("the recording is empty")?;
        recording.restore(&mut d, last)?;
        d.forward(&recording.model)?;
        (recording.model, d)
    } else {
        let (m, mut d) = start::load(&args.file, &args.start)?;
        while d.time < args.time - 0.5 * m.opt.timestep {
            d.step(&m)?;
        }
        d.forward(&m)?;
        (m, d)
    };
    let mut renderer = args.look.renderer(&m)?;
    renderer.update(&m, &d, args.look.camera(&m)?)?;
    write_png(out, &view(&mut renderer, args.show)?)?;
    Ok(1)
}

fn is_recording(file: &Path) -> bool {
    file.extension().is_some_and(|e| e.eq_ignore_ascii_case("npz"))
}

/// A video of a recording, or of a simulation.
fn film(args: &Args, out: &Path) -> anyhow::Result<usize> {
    if !(args.fps > 0.0) {
        bail!("--fps must be positive");
    }
    let mut video = Video::create(out, args.fps)?;
    let mut frames = 0;
    if is_recording(&args.file) {
        let recording = Recording::load(&args.file)?;
        let m = &recording.model;
        let mut d = m.make_data();
        let mut renderer = args.look.renderer(m)?;
        let mut bar = Bar::new(recording.time.len());
        let mut next = f64::NEG_INFINITY;
        for (i, &time) in recording.time.iter().enumerate() {
            bar.advance();
            if crate::interrupted() {
                break;
            }
            if time + 1e-9 < next {
                continue;
            }
            next = time.max(next) + 1.0 / args.fps;
            recording.restore(&mut d, i)?;
            d.forward(m)?;
            renderer.update(m, &d, args.look.camera(m)?)?;
            video.push(view(&mut renderer, args.show)?)?;
            frames += 1;
        }
        bar.clear();
    } else {
        let (m, mut d) = start::load(&args.file, &args.start)?;
        let length = if args.time > 0.0 { args.time } else { 2.0 };
        let count = (length * args.fps).round().max(1.0) as usize;
        let mut renderer = args.look.renderer(&m)?;
        let mut bar = Bar::new(count);
        for i in 0..count {
            while d.time < i as f64 / args.fps - 0.5 * m.opt.timestep {
                d.step(&m)?;
            }
            d.forward(&m)?;
            renderer.update(&m, &d, args.look.camera(&m)?)?;
            video.push(view(&mut renderer, args.show)?)?;
            frames += 1;
            bar.advance();
            if crate::interrupted() {
                break;
            }
        }
        bar.clear();
    }
    video.finish()?;
    Ok(frames)
}

/// The scene in the way that was asked for.
fn view(renderer: &mut Renderer, show: Show) -> anyhow::Result<Image> {
    if show == Show::Rgb {
        return Ok(renderer.rgb()?);
    }
    let mut image = renderer.rgb()?;
    if show == Show::Depth {
        let depth = renderer.depth()?;
        let finite = || depth.iter().copied().filter(|z| z.is_finite());
        let (near, far) = (finite().fold(f32::INFINITY, f32::min), finite().fold(0.0, f32::max));
        for (pixel, z) in image.rgb.chunks_exact_mut(3).zip(&depth) {
            let share = if z.is_finite() { (far - z) / (far - near).max(1e-6) } else { 0.0 };
            pixel.fill((255.0 * share) as u8);
        }
        return Ok(image);
    }
    for (pixel, [id, kind]) in image.rgb.chunks_exact_mut(3).zip(renderer.segmentation()?) {
        // Neighbouring numbers get colours far apart.
        let mixed =
            (id.wrapping_mul(97).wrapping_add(kind.wrapping_mul(31))).wrapping_add(1) as u32;
        let hue = mixed.wrapping_mul(2_654_435_761);
        let colour = [hue >> 24, hue >> 16 & 0xff, hue >> 8 & 0xff].map(|x| 64 + (x * 3 / 4) as u8);
        pixel.copy_from_slice(if id < 0 { &[0; 3] } else { &colour });
    }
    Ok(image)
}
