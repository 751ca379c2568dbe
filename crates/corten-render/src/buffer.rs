//! Images to draw into.

use corten_math::{F32x8, I32x8, wide};

use crate::error::RenderError;
use crate::linear::V3;

/// Most pixels of a buffer in each direction.
pub const MAX_SIZE: i32 = 16_384;

/// A rectangle of pixels (MuJoCo's `mjrRect`); the origin is the lower left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rect {
    /// First column.
    pub left: i32,
    /// First row.
    pub bottom: i32,
    /// Columns.
    pub width: i32,
    /// Rows.
    pub height: i32,
}

impl Rect {
    /// A rectangle at the origin.
    pub fn of_size(width: i32, height: i32) -> Rect {
        Rect { left: 0, bottom: 0, width, height }
    }

    /// Whether it contains no pixels.
    pub fn is_empty(&self) -> bool {
        self.width <= 0 || self.height <= 0
    }

    /// Whether a pixel is inside.
    pub fn contains(&self, x: i32, y: i32) -> bool {
        let within = |p: i32, first: i32, size: i32| {
            p >= first && i64::from(p) < i64::from(first) + i64::from(size)
        };
        within(x, self.left, self.width) && within(y, self.bottom, self.height)
    }
}

/// Colours and depths of pixels, rows from the bottom upwards.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffer {
    pub width: usize,
    pub height: usize,
    pub rgb: Vec<u8>,
    /// One at the near plane, zero at the far plane.
    pub depth: Vec<f32>,
}

impl Buffer {
    pub(crate) fn new(width: i32, height: i32) -> Result<Buffer, RenderError> {
        if width.max(height) > MAX_SIZE {
            return Err(RenderError::TooLarge { width: width.into(), height: height.into() });
        }
        Ok(Buffer::of(Rect::of_size(width, height)))
    }

    /// A blank image of a rectangle's size, which the caller has checked.
    pub(crate) fn of(rect: Rect) -> Buffer {
        let (width, height) = (rect.width.max(0) as usize, rect.height.max(0) as usize);
        Buffer { width, height, rgb: vec![0; 3 * width * height], depth: vec![0.0; width * height] }
    }

    /// Takes on the size of a rectangle, which the caller has checked; pixels have any colour.
    pub(crate) fn fit(&mut self, rect: Rect) {
        (self.width, self.height) = (rect.width.max(0) as usize, rect.height.max(0) as usize);
        self.rgb.resize(3 * self.width * self.height, 0);
        self.depth.resize(self.width * self.height, 0.0);
    }

    /// The part of a rectangle that is inside: columns and rows.
    pub(crate) fn clip(&self, rect: Rect) -> ([usize; 2], [usize; 2]) {
        let range = |first: i32, size: i32, limit: usize| {
            let end = (first as i64 + size.max(0) as i64).clamp(0, limit as i64);
            [(first.max(0) as i64).min(end) as usize, end as usize]
        };
        (range(rect.left, rect.width, self.width), range(rect.bottom, rect.height, self.height))
    }

    /// Lays a colour over a rectangle.
    pub(crate) fn paint(&mut self, rect: Rect, rgb: V3, alpha: f32) {
        let ([x0, x1], [y0, y1]) = self.clip(rect);
        for y in y0..y1 {
            for x in x0..x1 {
                self.blend(x, y, rgb, alpha);
            }
        }
    }

    /// Lays a colour over a pixel.
    #[inline]
    pub(crate) fn blend(&mut self, x: usize, y: usize, rgb: V3, alpha: f32) {
        let alpha = alpha.clamp(0.0, 1.0);
        let start = 3 * (y * self.width + x);
        let Some(pixel) = self.rgb.get_mut(start..start + 3) else { return };
        for k in 0..3 {
            let under = pixel[k] as f32 / 255.0;
            pixel[k] = byte(rgb[k].clamp(0.0, 1.0) * alpha + under * (1.0 - alpha));
        }
    }

    /// Copies a rectangle's pixels out, rows from the bottom; what is outside of the buffer stays
    /// as it is.
    pub(crate) fn read(&self, rect: Rect, rgb: Option<&mut [u8]>, depth: Option<&mut [f32]>) {
        let ([x0, x1], [y0, y1]) = self.clip(rect);
        let place = |y: usize| {
            let row = (y as i64 - rect.bottom as i64) as usize;
            row * rect.width as usize + (x0 as i64 - rect.left as i64) as usize
        };
        let copy = x1.saturating_sub(x0);
        if let Some(rgb) = rgb {
            for y in y0..y1 {
                let (from, to) = (3 * (y * self.width + x0), 3 * place(y));
                rgb[to..to + 3 * copy].copy_from_slice(&self.rgb[from..from + 3 * copy]);
            }
        }
        if let Some(depth) = depth {
            for y in y0..y1 {
                let (from, to) = (y * self.width + x0, place(y));
                depth[to..to + copy].copy_from_slice(&self.depth[from..from + copy]);
            }
        }
    }

    /// Copies pixels into a rectangle.
    pub(crate) fn write(&mut self, rect: Rect, rgb: Option<&[u8]>, depth: Option<&[f32]>) {
        let ([x0, x1], [y0, y1]) = self.clip(rect);
        let place = |y: usize| {
            let row = (y as i64 - rect.bottom as i64) as usize;
            row * rect.width as usize + (x0 as i64 - rect.left as i64) as usize
        };
        let copy = x1.saturating_sub(x0);
        for y in y0..y1 {
            let (to, from) = (y * self.width + x0, place(y));
            if let Some(rgb) = rgb {
                self.rgb[3 * to..3 * (to + copy)]
                    .copy_from_slice(&rgb[3 * from..3 * (from + copy)]);
            }
            if let Some(depth) = depth {
                self.depth[to..to + copy].copy_from_slice(&depth[from..from + copy]);
            }
        }
    }

    /// Copies a rectangle of another image, stretched to one of this; pixels are those nearest.
    pub(crate) fn stretch(&mut self, other: &Buffer, from: Rect, to: Rect, rgb: bool, depth: bool) {
        let ([x0, x1], [y0, y1]) = self.clip(to);
        let source = |p: usize, to_first: i32, to_size: i32, from_first: i32, from_size: i32| {
            let place = (p as i64 - to_first as i64) * from_size as i64 / to_size as i64;
            usize::try_from(place + from_first as i64).ok()
        };
        for y in y0..y1 {
            for x in x0..x1 {
                let sx = source(x, to.left, to.width, from.left, from.width);
                let sy = source(y, to.bottom, to.height, from.bottom, from.height);
                let (Some(sx), Some(sy)) = (sx, sy) else { continue };
                if sx >= other.width || sy >= other.height {
                    continue;
                }
                let (source, target) = (sy * other.width + sx, y * self.width + x);
                if rgb {
                    let pixel = &other.rgb[3 * source..3 * source + 3];
                    self.rgb[3 * target..3 * target + 3].copy_from_slice(pixel);
                }
                if depth {
                    self.depth[target] = other.depth[source];
                }
            }
        }
    }
}

wide! {
    /// Reds, greens and blues from zero to one as pixels of three bytes.
    pub(crate) fn pack(colours: [&[f32]; 3], pixels: &mut [[u8; 3]]) {
        let (eights, rest) = pixels.as_chunks_mut::<{ F32x8::LANES }>();
        let whole = eights.len() * F32x8::LANES;
        for (i, eight) in eights.iter_mut().enumerate() {
            let mut packed = I32x8::<Simd>::splat(0);
            for plane in colours.iter().rev() {
                let plane = plane[i * F32x8::LANES..].first_chunk();
                let x = plane.map_or(F32x8::splat(0.0), F32x8::load);
                let bytes = (x.unit() * F32x8::splat(255.0) + F32x8::splat(0.5)).truncated();
                packed = packed.raised::<8>() | bytes;
            }
            for (pixel, packed) in eight.iter_mut().zip(packed.store()) {
                let [red, green, blue, _] = packed.to_le_bytes();
                *pixel = [red, green, blue];
            }
        }
        for (i, pixel) in rest.iter_mut().enumerate() {
            *pixel = [0, 1, 2].map(|k| byte(colours[k][whole + i]));
        }
    }
}

/// A number from zero to one as a byte.
#[inline(always)]
pub(crate) fn byte(x: f32) -> u8 {
    (x * 255.0 + 0.5) as u8
}
