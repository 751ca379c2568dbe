//! Textures with their mipmaps: on planes with repetition, and on the six faces of a cube.

use crate::linear::V3;

/// One image of a pyramid.
#[derive(Debug)]
struct Level {
    width: usize,
    height: usize,
    texels: Vec<[u8; 4]>,
}

/// An image and its reductions, each half as wide and high.
#[derive(Debug)]
struct Pyramid {
    levels: Vec<Level>,
}

/// What a texture is stretched over.
#[derive(Debug)]
enum Layout {
    Flat(Pyramid),
    Cube(Box<[Pyramid; 6]>),
}

/// A texture of the model.
#[derive(Debug)]
pub(crate) struct Texture {
    layout: Layout,
    /// Brightness of stored values, where they are not proportional to light.
    decode: Option<Box<[f32; 256]>>,
}

/// Image of a texture, as the model has it.
#[derive(Clone, Copy)]
pub(crate) struct Image<'a> {
    pub width: usize,
    pub height: usize,
    pub channels: usize,
    pub data: &'a [u8],
}

impl Image<'_> {
    /// Texels of `height` rows, beginning with the given one; what is missing is black.
    fn texels(&self, row: usize, height: usize) -> Level {
        let at = |i: usize, c: usize| {
            let index = (row * self.width + i) * self.channels + c;
            let absent = if c == 3 { 255 } else { 0 };
            if c < self.channels { self.data.get(index).copied().unwrap_or(0) } else { absent }
        };
        let texels = (0..self.width * height).map(|i| [at(i, 0), at(i, 1), at(i, 2), at(i, 3)]);
        Level { width: self.width, height, texels: texels.collect() }
    }
}

/// The sRGB transfer function: from stored values to light.
fn srgb(value: usize) -> f32 {
    let x = value as f64 / 255.0;
    (if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }) as f32
}

impl Texture {
    /// A texture that repeats in the plane.
    pub(crate) fn flat(image: Image, is_srgb: bool) -> Texture {
        let decode = is_srgb.then(|| Box::new(std::array::from_fn(srgb)));
        let pyramid = Pyramid::new(image.texels(0, image.height), decode.as_deref());
        Texture { layout: Layout::Flat(pyramid), decode }
    }

    /// A cube with six images below each other, or with the same square on each side.
    pub(crate) fn cube(image: Image) -> Texture {
        let size = image.width;
        let repeated = image.width == image.height;
        let face =
            |i: usize| Pyramid::new(image.texels(if repeated { 0 } else { i * size }, size), None);
        Texture { layout: Layout::Cube(Box::new(std::array::from_fn(face))), decode: None }
    }

    pub(crate) fn is_cube(&self) -> bool {
        matches!(self.layout, Layout::Cube(_))
    }

    /// Colour at a place of a flat texture whose neighbouring pixels are so far away.
    #[inline]
    pub(crate) fn sample(&self, s: f32, t: f32, dx: [f32; 2], dy: [f32; 2]) -> [f32; 4] {
        let Layout::Flat(pyramid) = &self.layout else { return [1.0; 4] };
        let Some(base) = pyramid.levels.first() else { return [1.0; 4] };
        let (w, h) = (base.width as f32, base.height as f32);
        let along_x = (dx[0] * w) * (dx[0] * w) + (dx[1] * h) * (dx[1] * h);
        let along_y = (dy[0] * w) * (dy[0] * w) + (dy[1] * h) * (dy[1] * h);
        let lod = 0.5 * log2(if along_x > along_y { along_x } else { along_y });
        self.filtered(pyramid, s - floor(s), t - floor(t), lod, true)
    }

    /// Colour in a direction; neighbouring pixels look into directions so far away.
    #[inline]
    pub(crate) fn look(&self, d: V3, dx: V3, dy: V3) -> [f32; 4] {
        let Layout::Cube(faces) = &self.layout else { return [1.0; 4] };
        let (face, s, t, major) = cube_face(d);
        let Some(pyramid) = faces.get(face) else { return [1.0; 4] };
        let Some(base) = pyramid.levels.first() else { return [1.0; 4] };
        // Derivatives of the coordinates on the face, for the face as the plane at distance one.
        let mut steepest = 0.0;
        for e in [dx, dy] {
            let (s1, t1) = on_face(face, [d[0] + e[0], d[1] + e[1], d[2] + e[2]], major);
            let (ds, dt) = ((s1 - s) * base.width as f32, (t1 - t) * base.height as f32);
            let slope = ds * ds + dt * dt;
            steepest = if slope > steepest { slope } else { steepest };
        }
        let lod = 0.5 * log2(steepest);
        self.filtered(pyramid, s, t, lod, false)
    }

    /// Linear within two levels and between them.
    #[inline]
    fn filtered(&self, pyramid: &Pyramid, s: f32, t: f32, lod: f32, wrap: bool) -> [f32; 4] {
        let most = (pyramid.levels.len() - 1) as f32;
        // NaN takes the base.
        let lod = if lod > 0.0 { lod.min(most) } else { 0.0 };
        let level = lod as usize;
        let part = lod - level as f32;
        let fine = self.bilinear(&pyramid.levels[level], s, t, wrap);
        if part < 1.0 / 256.0 {
            return fine;
        }
        let coarse = self.bilinear(&pyramid.levels[level + 1], s, t, wrap);
        let mut out = fine;
        for i in 0..4 {
            out[i] += (coarse[i] - fine[i]) * part;
        }
        out
    }

    #[inline]
    fn bilinear(&self, level: &Level, s: f32, t: f32, wrap: bool) -> [f32; 4] {
        let (w, h) = (level.width, level.height);
        let (x, y) = (s * w as f32 - 0.5, t * h as f32 - 0.5);
        let (fx, fy) = (floor(x), floor(y));
        let (px, py) = (x - fx, y - fy);
        let ([x0, x1], [y0, y1]) = (neighbours(fx, w, wrap), neighbours(fy, h, wrap));
        let (low, high) = (y0 * w, y1 * w);
        let corners = [low + x0, low + x1, high + x0, high + x1];
        let weights = [(1.0 - px) * (1.0 - py), px * (1.0 - py), (1.0 - px) * py, px * py];
        let mut out = [0.0f32; 4];
        for k in 0..4 {
            let texel = level.texels.get(corners[k]).copied().unwrap_or([0; 4]);
            match &self.decode {
                None => {
                    for i in 0..4 {
                        out[i] += texel[i] as f32 * (weights[k] * (1.0 / 255.0));
                    }
                }
                Some(table) => {
                    for i in 0..3 {
                        out[i] += table[texel[i] as usize] * weights[k];
                    }
                    out[3] += texel[3] as f32 * (weights[k] * (1.0 / 255.0));
                }
            }
        }
        out
    }
}

/// The largest whole number that is no larger, for numbers of moderate size.
#[inline(always)]
fn floor(x: f32) -> f32 {
    let cut = x as i32 as f32;
    if cut > x { cut - 1.0 } else { cut }
}

/// The texels on both sides of a place.
#[inline(always)]
fn neighbours(place: f32, count: usize, wrap: bool) -> [usize; 2] {
    let (i, last) = (place as i32, count as i32 - 1);
    let (mut low, mut high) = (i, i + 1);
    if wrap {
        low += if low < 0 { count as i32 } else { 0 };
        high -= if high > last { count as i32 } else { 0 };
    }
    [low.clamp(0, last) as usize, high.clamp(0, last) as usize]
}

impl Pyramid {
    fn new(base: Level, decode: Option<&[f32; 256]>) -> Pyramid {
        let mut levels = vec![base];
        while let Some(last) = levels.last().filter(|l| l.width > 1 || l.height > 1) {
            levels.push(last.half(decode));
        }
        levels.retain(|level| level.width > 0 && level.height > 0);
        Pyramid { levels }
    }
}

impl Level {
    /// Means of two by two texels.
    fn half(&self, decode: Option<&[f32; 256]>) -> Level {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let mut texels = Vec::with_capacity(width * height);
        for y in 0..height {
            for x in 0..width {
                let column = |k: usize| (2 * x + k).min(self.width - 1);
                let row = |k: usize| (2 * y + k).min(self.height - 1);
                let four = [(0, 0), (1, 0), (0, 1), (1, 1)]
                    .map(|(i, j)| self.texels[row(j) * self.width + column(i)]);
                texels.push(std::array::from_fn(|c| match decode {
                    Some(table) if c < 3 => {
                        let light = four.iter().map(|t| table[t[c] as usize]).sum::<f32>() / 4.0;
                        table.partition_point(|&x| x < light).min(255) as u8
                    }
                    _ => ((four.iter().map(|t| t[c] as u32).sum::<u32>() + 2) / 4) as u8,
                }));
            }
        }
        Level { width, height, texels }
    }
}

/// Logarithm to base two, to a hundredth: enough to choose a level of detail.
#[inline(always)]
fn log2(x: f32) -> f32 {
    let bits = x.to_bits();
    let exponent = (bits >> 23) as f32 - 127.0;
    let mantissa = f32::from_bits((bits & 0x007f_ffff) | 0x3f80_0000);
    exponent + (mantissa - 1.0) * (1.0 + 0.345 * (2.0 - mantissa))
}

/// Face in a direction, its number in the order x, −x, y, −y, z, −z, and the place on it.
#[inline(always)]
fn cube_face(d: V3) -> (usize, f32, f32, f32) {
    let a = [d[0].abs(), d[1].abs(), d[2].abs()];
    let axis = if a[0] >= a[1] && a[0] >= a[2] {
        0
    } else if a[1] >= a[2] {
        1
    } else {
        2
    };
    let face = 2 * axis + usize::from(d[axis] < 0.0);
    let major = a[axis].max(f32::MIN_POSITIVE);
    let (s, t) = on_face(face, d, major);
    (face, s, t, major)
}

/// Coordinates on a face, each from zero to one.
#[inline(always)]
fn on_face(face: usize, d: V3, major: f32) -> (f32, f32) {
    let (s, t) = match face {
        0 => (-d[2], -d[1]),
        1 => (d[2], -d[1]),
        2 => (d[0], d[2]),
        3 => (d[0], -d[2]),
        4 => (d[0], -d[1]),
        _ => (-d[0], -d[1]),
    };
    (0.5 * (s / major + 1.0), 0.5 * (t / major + 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_texels_is_their_mean() {
        let data = [0, 0, 0, 200, 100, 50];
        let image = Image { width: 2, height: 1, channels: 3, data: &data };
        let texture = Texture::flat(image, false);
        let none = [0.0; 2];
        let at = |s: f32| texture.sample(s, 0.5, none, none).map(|x| (x * 255.0).round());
        assert_eq!(at(0.25), [0.0, 0.0, 0.0, 255.0]);
        assert_eq!(at(0.5), [100.0, 50.0, 25.0, 255.0]);
        assert_eq!(at(1.75), [200.0, 100.0, 50.0, 255.0]);
        // Far away the whole texture is one texel.
        assert_eq!(
            texture.sample(0.3, 0.5, [4.0, 0.0], none).map(|x| (x * 255.0).round()),
            [100.0, 50.0, 25.0, 255.0]
        );
    }

    #[test]
    fn each_direction_has_its_face() {
        let data: Vec<u8> = (0..6u8).flat_map(|face| [face * 40; 3]).collect();
        let texture = Texture::cube(Image { width: 1, height: 6, channels: 3, data: &data });
        let axes = [
            [1.0, 0.1, 0.2],
            [-1.0, 0.1, 0.2],
            [0.1, 1.0, 0.2],
            [0.1, -1.0, 0.2],
            [0.1, 0.2, 1.0],
            [0.1, 0.2, -1.0],
        ];
        for (face, axis) in axes.into_iter().enumerate() {
            let colour = texture.look(axis, [0.0; 3], [0.0; 3]);
            assert_eq!((colour[0] * 255.0).round() as usize, face * 40);
        }
    }

    #[test]
    fn logarithm_is_good_enough() {
        for i in 1..1000 {
            let x = i as f32 * 0.37;
            assert!((log2(x) - x.log2()).abs() < 0.01, "{x}");
        }
    }
}
