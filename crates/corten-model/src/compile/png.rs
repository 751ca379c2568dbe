//! Decoding PNG images to eight bits per channel.

use std::io::Cursor;

use corten_math::memory::{guard, zeroed};

use super::context::Fault;

/// What pixels are converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channels {
    Gray = 1,
    Rgb = 3,
    Rgba = 4,
}

pub(super) struct Image {
    pub width: usize,
    pub height: usize,
    pub data: Vec<u8>,
    /// The file declares the sRGB colour space.
    pub srgb: bool,
}

/// Largest image; a damaged header must not exhaust memory.
const MAX_BYTES: usize = 1 << 30;

/// Decodes an image whose width and height `admit` accepts.
pub(super) fn decode(
    bytes: &[u8],
    channels: Channels,
    admit: impl FnOnce(usize, usize) -> Result<(), Fault>,
) -> Result<Image, Fault> {
    let mut decoder =
        png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: MAX_BYTES });
    // Palettes and low bit depths become full bytes; 16 bits lose the lower half.
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(|e| e.to_string())?;
    // Deflate expands by a factor of 1032 at most: a header that promises more lies, and nothing
    // is allocated for it.
    let raw = (reader.info().raw_row_length() as u64).saturating_mul(reader.info().height.into());
    if raw > 1032 * bytes.len() as u64 {
        return Err("the file is too short for the size in its header".into());
    }
    admit(reader.info().width as usize, reader.info().height as usize)?;
    let size = reader.output_buffer_size().filter(|&n| n <= MAX_BYTES);
    let size = size.ok_or("the image is too large")?;
    let mut raw = guard(|| zeroed(size))?;
    let frame = reader.next_frame(&mut raw).map_err(|e| e.to_string())?;
    raw.truncate(frame.buffer_size());
    let srgb = reader.info().srgb.is_some();
    let (width, height) = (frame.width as usize, frame.height as usize);
    if frame.color_type.samples() == channels as usize {
        return Ok(Image { width, height, data: raw, srgb });
    }
    let mut data = guard(|| zeroed(width * height * channels as usize))?;
    match frame.color_type.samples() {
        1 => convert(&raw, channels, &mut data, |[y]| [y, y, y, 255]),
        2 => convert(&raw, channels, &mut data, |[y, a]| [y, y, y, a]),
        3 => convert(&raw, channels, &mut data, |[r, g, b]| [r, g, b, 255]),
        _ => convert(&raw, channels, &mut data, |rgba| rgba),
    }
    Ok(Image { width, height, data, srgb })
}

/// Pixels of `N` samples, as colours with opacity, to the channels wanted.
fn convert<const N: usize>(
    raw: &[u8],
    channels: Channels,
    data: &mut [u8],
    rgba: impl Fn([u8; N]) -> [u8; 4],
) {
    let pixels = raw.as_chunks::<N>().0.iter().map(|&pixel| rgba(pixel));
    match channels {
        Channels::Gray => data.iter_mut().zip(pixels).for_each(|(to, [r, ..])| *to = r),
        Channels::Rgb => {
            let to = data.as_chunks_mut().0.iter_mut();
            to.zip(pixels).for_each(|(to, [r, g, b, _])| *to = [r, g, b]);
        }
        Channels::Rgba => {
            data.as_chunks_mut().0.iter_mut().zip(pixels).for_each(|(to, rgba)| *to = rgba);
        }
    }
}
