//! Decoding PNG images to eight bits per channel.

use std::io::Cursor;

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

pub(super) fn decode(bytes: &[u8], channels: Channels) -> Result<Image, String> {
    let mut decoder =
        png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: MAX_BYTES });
    // Palettes and low bit depths become full bytes; 16 bits lose the lower half.
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(|e| e.to_string())?;
    let size = reader.output_buffer_size().filter(|&n| n <= MAX_BYTES);
    let size = size.ok_or("the image is too large")?;
    let mut raw = vec![0; size];
    let frame = reader.next_frame(&mut raw).map_err(|e| e.to_string())?;
    raw.truncate(frame.buffer_size());
    let srgb = reader.info().srgb.is_some();
    let (width, height) = (frame.width as usize, frame.height as usize);
    if frame.color_type.samples() == channels as usize {
        return Ok(Image { width, height, data: raw, srgb });
    }
    let pixels = raw.chunks_exact(frame.color_type.samples());
    let mut data = Vec::with_capacity(width * height * channels as usize);
    for pixel in pixels {
        let [r, g, b, a] = match *pixel {
            [y] => [y, y, y, 255],
            [y, a] => [y, y, y, a],
            [r, g, b] => [r, g, b, 255],
            [r, g, b, a] => [r, g, b, a],
            _ => [0; 4],
        };
        match channels {
            Channels::Gray => data.push(r),
            Channels::Rgb => data.extend([r, g, b]),
            Channels::Rgba => data.extend([r, g, b, a]),
        }
    }
    Ok(Image { width, height, data, srgb })
}
