//! Pictures as PNG files.

use std::io::BufWriter;
use std::path::Path;

use corten_render::Image;

use crate::error::RecordError;

/// A picture as a PNG file.
pub fn to_png(image: &Image) -> Result<Vec<u8>, RecordError> {
    let mut bytes = Vec::new();
    let bad = |error: png::EncodingError| RecordError::Format(error.to_string());
    let mut encoder = png::Encoder::new(&mut bytes, image.width as u32, image.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(bad)?;
    writer.write_image_data(&image.rgb).map_err(bad)?;
    writer.finish().map_err(bad)?;
    Ok(bytes)
}

/// Writes a picture as a PNG file.
pub fn write_png(path: &Path, image: &Image) -> Result<(), RecordError> {
    std::fs::write(path, to_png(image)?).map_err(RecordError::file(path))
}

/// Frames of an animated PNG, each shown for so many milliseconds.
pub(crate) fn write_apng(
    path: &Path,
    frames: &[Image],
    milliseconds: u16,
) -> Result<(), RecordError> {
    let Some(first) = frames.first() else { return Ok(()) };
    let file = std::fs::File::create(path).map_err(RecordError::file(path))?;
    let bad = |error: png::EncodingError| RecordError::Format(error.to_string());
    let (width, height) = (first.width as u32, first.height as u32);
    let mut encoder = png::Encoder::new(BufWriter::new(file), width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_animated(frames.len() as u32, 0).map_err(bad)?;
    encoder.set_frame_delay(milliseconds, 1000).map_err(bad)?;
    let mut writer = encoder.write_header().map_err(bad)?;
    for frame in frames {
        writer.write_image_data(&frame.rgb).map_err(bad)?;
    }
    writer.finish().map_err(bad)
}
