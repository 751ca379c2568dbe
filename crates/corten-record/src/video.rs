//! Pictures one after another.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use corten_render::Image;

use crate::error::RecordError;
use crate::gif::write_gif;
use crate::picture::{write_apng, write_png};

/// A video that is being written. What it becomes, the file's name says: `.gif`, `.png` or `.apng`
/// for an animated PNG, `.mp4` or `.webm` (which need the program ffmpeg), a directory for numbered
/// pictures.
#[derive(Debug)]
pub struct Video {
    path: PathBuf,
    rate: f64,
    size: Option<[usize; 2]>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// Kept until the end.
    Gif(Vec<Image>),
    Apng(Vec<Image>),
    /// Written as they come; this many.
    Sequence(usize),
    Encoder(Option<Child>),
}

impl Video {
    /// Begins a video of so many pictures per second.
    pub fn create(path: &Path, rate: f64) -> Result<Video, RecordError> {
        let extension =
            path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
        let kind = match extension.as_str() {
            "gif" => Kind::Gif(Vec::new()),
            "png" | "apng" => Kind::Apng(Vec::new()),
            "mp4" | "webm" => {
                if Command::new("ffmpeg").arg("-version").output().is_err() {
                    return Err(RecordError::NoEncoder { what: format!(".{extension}") });
                }
                Kind::Encoder(None)
            }
            "" => {
                std::fs::create_dir_all(path).map_err(RecordError::file(path))?;
                Kind::Sequence(0)
            }
            _ => {
                let expected = ".gif, .png, .apng, .mp4 or .webm, or a directory";
                return Err(RecordError::Extension { path: path.to_owned(), expected });
            }
        };
        let rate = if rate.is_finite() && rate > 0.0 { rate } else { 30.0 };
        Ok(Video { path: path.to_owned(), rate, size: None, kind })
    }

    /// Adds a picture.
    pub fn push(&mut self, image: Image) -> Result<(), RecordError> {
        let found = [image.width, image.height];
        let expected = *self.size.get_or_insert(found);
        if found != expected {
            return Err(RecordError::Size { expected, found });
        }
        match &mut self.kind {
            Kind::Gif(frames) | Kind::Apng(frames) => frames.push(image),
            Kind::Sequence(count) => {
                write_png(&self.path.join(format!("{count:06}.png")), &image)?;
                *count += 1;
            }
            Kind::Encoder(child) => {
                let child = match child {
                    Some(child) => child,
                    None => child.insert(encoder(&self.path, found, self.rate)?),
                };
                if let Some(pipe) = &mut child.stdin {
                    pipe.write_all(&image.rgb).map_err(RecordError::file(&self.path))?;
                }
            }
        }
        Ok(())
    }

    /// Writes what is left to write.
    pub fn finish(self) -> Result<(), RecordError> {
        match self.kind {
            Kind::Gif(frames) => {
                let file =
                    std::fs::File::create(&self.path).map_err(RecordError::file(&self.path))?;
                let delay = (100.0 / self.rate).round().clamp(2.0, 1000.0) as u16;
                let mut out = BufWriter::new(file);
                let written = write_gif(&mut out, &frames, delay).and_then(|()| out.flush());
                written.map_err(RecordError::file(&self.path))
            }
            Kind::Apng(frames) => {
                let delay = (1000.0 / self.rate).round().clamp(1.0, 60_000.0) as u16;
                write_apng(&self.path, &frames, delay)
            }
            Kind::Sequence(_) | Kind::Encoder(None) => Ok(()),
            Kind::Encoder(Some(mut child)) => {
                drop(child.stdin.take());
                let output = child.wait_with_output().map_err(RecordError::file(&self.path))?;
                if output.status.success() {
                    return Ok(());
                }
                let message = String::from_utf8_lossy(&output.stderr);
                let last = message.lines().last().unwrap_or("no message").to_owned();
                Err(RecordError::Encoder(last))
            }
        }
    }
}

/// The program that makes a film of what it is sent.
fn encoder(path: &Path, [width, height]: [usize; 2], rate: f64) -> Result<Child, RecordError> {
    Command::new("ffmpeg")
        .args(["-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"])
        .args(["-s", &format!("{width}x{height}"), "-r", &rate.to_string(), "-i", "-"])
        // Most players want an even number of pixels and this format.
        .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"])
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(RecordError::file(path))
}
