//! Textures: generated patterns, images, and cubes of images.

use std::hash::Hash;
use std::sync::{Arc, OnceLock};

use super::asset_path::{AssetDir, locate};
use super::context::Context;
use super::parallel::{Cache, ContentKey, in_parallel};
use super::png::{self, Channels};
use crate::assets::extension;
use crate::enums::{ColorSpace, TextureBuiltin, TextureMark, TextureType};
use crate::spec::Texture;

#[derive(Clone, Debug, Default)]
pub(super) struct TexturePlan {
    pub kind: i32,
    pub colorspace: i32,
    pub width: usize,
    pub height: usize,
    pub nchannel: usize,
    pub data: Arc<Vec<u8>>,
}

/// Bytes that a texture may take.
const MAX_BYTES: usize = i32::MAX as usize;
const CUBE_FACES: usize = 6;

pub(super) fn compile(cx: &mut Context) -> Vec<TexturePlan> {
    let textures: Vec<&Texture> = cx.spec.textures.values().collect();
    let results = in_parallel(textures.len(), |i| one(cx, textures[i]));
    let mut plans = Vec::with_capacity(textures.len());
    for (texture, result) in textures.into_iter().zip(results) {
        plans.push(match result {
            Some(Ok(plan)) => plan,
            Some(Err(message)) => {
                cx.error("texture", texture, message);
                TexturePlan::default()
            }
            None => TexturePlan::default(),
        });
    }
    plans
}

/// Pixels of one texture.
fn one(cx: &Context, t: &Texture) -> Result<TexturePlan, String> {
    let nchannel = match t.nchannel {
        1..=4 => t.nchannel as usize,
        n => return Err(format!("nchannel is {n}, but must be between 1 and 4")),
    };
    let mut plan = TexturePlan {
        kind: t.type_.raw(),
        colorspace: t.colorspace.raw(),
        nchannel,
        ..TexturePlan::default()
    };
    if !t.data.is_empty() {
        let size = |n: i32| usize::try_from(n).map_err(|_| "negative size".to_owned());
        (plan.width, plan.height) = (size(t.width)?, size(t.height)?);
        let expected = plan.width.saturating_mul(plan.height).saturating_mul(nchannel);
        if t.data.len() != expected {
            return Err(format!("the buffer has {} bytes instead of {expected}", t.data.len()));
        }
        let mut data = t.data.clone();
        flip(t, &mut data, plan.width, plan.height, nchannel);
        plan.data = Arc::new(data);
    } else if t.builtin != TextureBuiltin::None {
        generate(t, &mut plan)?;
    } else if !t.file.is_empty() {
        let image = load(cx, t, &t.file)?;
        set_colorspace(&mut plan, image.srgb);
        match t.type_ {
            TextureType::Flat => {
                (plan.width, plan.height) = (image.width, image.height);
                plan.data = image.data.clone();
            }
            _ => cube_from_grid(t, &mut plan, &image)?,
        }
    } else if t.type_ == TextureType::Flat {
        return Err("a 2d texture needs a file or a builtin pattern".into());
    } else {
        cube_from_files(cx, t, &mut plan)?;
    }
    Ok(plan)
}

fn set_colorspace(plan: &mut TexturePlan, srgb: bool) {
    if plan.colorspace == ColorSpace::Auto.raw() {
        plan.colorspace = if srgb { ColorSpace::Srgb.raw() } else { ColorSpace::Linear.raw() };
    }
}

struct Image {
    width: usize,
    height: usize,
    data: Arc<Vec<u8>>,
    srgb: bool,
}

/// Decoded images of this process.
fn cache() -> &'static Cache<Image> {
    const LIMIT: usize = 500 << 20;
    static CACHE: OnceLock<Cache<Image>> = OnceLock::new();
    CACHE.get_or_init(|| Cache::new(LIMIT))
}

/// Reads PNG, KTX (kept as it is) or MuJoCo's raw RGB format.
fn load(cx: &Context, t: &Texture, file: &str) -> Result<Arc<Image>, String> {
    #[derive(Clone, Copy, Hash)]
    enum Format {
        Png,
        Ktx,
        Raw,
    }
    let format = match t.content_type.as_str() {
        "image/png" => Format::Png,
        "image/ktx" => Format::Ktx,
        "image/vnd.mujoco.texture" => Format::Raw,
        "" => match extension(file).to_ascii_lowercase().as_str() {
            ".png" => Format::Png,
            ".ktx" => Format::Ktx,
            _ => Format::Raw,
        },
        other => return Err(format!("unsupported content type '{other}'")),
    };
    let (dir, path) = locate(cx, t, file, AssetDir::Texture);
    let bytes = cx.assets.read(&dir, &path).map_err(|e| e.to_string())?;
    let key = ContentKey::new(&bytes, |h| {
        (format, t.nchannel, t.hflip, t.vflip).hash(h);
    });
    if let Some(found) = cache().get(&key) {
        return Ok(found);
    }
    let fail = |what: &str| format!("cannot read '{file}': {what}");
    let nchannel = t.nchannel as usize;
    let (width, height, mut data, srgb) = match format {
        Format::Png => {
            let channels = match nchannel {
                1 => Channels::Gray,
                3 => Channels::Rgb,
                4 => Channels::Rgba,
                n => return Err(format!("images with {n} channels are not supported")),
            };
            let decoded = png::decode(&bytes, channels).map_err(|e| fail(&e))?;
            (decoded.width, decoded.height, decoded.data, decoded.srgb)
        }
        Format::Ktx => {
            if t.hflip || t.vflip {
                return Err("KTX textures cannot be flipped".into());
            }
            let mut data = bytes.to_vec();
            data.resize(bytes.len() * nchannel, 0);
            return Ok(Arc::new(Image {
                width: bytes.len(),
                height: 1,
                data: Arc::new(data),
                srgb: false,
            }));
        }
        Format::Raw => {
            let word = |at: usize| {
                let b = bytes.get(at..at + 4)?.try_into().ok()?;
                usize::try_from(i32::from_le_bytes(b)).ok().filter(|&n| n > 0)
            };
            let (Some(width), Some(height)) = (word(0), word(4)) else {
                return Err(fail("it is not a PNG file, and has no positive dimensions"));
            };
            if width.checked_mul(height).and_then(|n| n.checked_mul(3)).map(|n| n + 8)
                != Some(bytes.len())
            {
                return Err(fail("it is not a PNG file, and its size does not fit its dimensions"));
            }
            let mut data = bytes[8..].to_vec();
            data.resize(width * height * nchannel.max(3), 0);
            (width, height, data, false)
        }
    };
    flip(t, &mut data, width, height, nchannel);
    let size = data.len();
    let image = Arc::new(Image { width, height, data: Arc::new(data), srgb });
    cache().insert(key, image.clone(), size);
    Ok(image)
}

fn flip(t: &Texture, data: &mut [u8], width: usize, height: usize, nchannel: usize) {
    let row = width * nchannel;
    if row == 0 {
        return;
    }
    if t.hflip {
        for line in data.chunks_exact_mut(row) {
            for c in 0..width / 2 {
                for k in 0..nchannel {
                    line.swap(c * nchannel + k, (width - 1 - c) * nchannel + k);
                }
            }
        }
    }
    if t.vflip {
        for r in 0..height / 2 {
            for c in 0..row {
                data.swap(r * row + c, (height - 1 - r) * row + c);
            }
        }
    }
}

fn byte(x: f64) -> u8 {
    wrap(255.0 * x)
}

/// A level of brightness as a byte. Colours beyond 1 wrap around, as a conversion in C does.
fn wrap(level: f64) -> u8 {
    level as i64 as u8
}

/// Six faces below each other, all of one colour.
fn plain_cube(t: &Texture, plan: &mut TexturePlan, width: usize) -> Result<(), String> {
    let bytes = width.checked_mul(width).and_then(|n| n.checked_mul(3 * CUBE_FACES));
    if width == 0 || bytes.is_none_or(|n| n > MAX_BYTES) {
        return Err("the cube texture is empty or too large".into());
    }
    (plan.width, plan.height) = (width, CUBE_FACES * width);
    plan.data = Arc::new(t.rgb1.map(byte).repeat(width * width * CUBE_FACES));
    Ok(())
}

/// One image repeated on all faces, or cut from a grid.
fn cube_from_grid(t: &Texture, plan: &mut TexturePlan, image: &Image) -> Result<(), String> {
    let [rows, columns] = t.gridsize.map(|n| n.max(0) as usize);
    if rows < 1 || columns < 1 || rows * columns > t.gridlayout.len() {
        return Err("'gridsize' must have between 1 and 12 cells".into());
    }
    let width = image.width / columns;
    if width != image.height / rows
        || !image.width.is_multiple_of(columns)
        || !image.height.is_multiple_of(rows)
    {
        return Err(format!(
            "an image of {}x{} pixels cannot be cut into {columns}x{rows} squares",
            image.width, image.height
        ));
    }
    if rows * columns == 1 {
        (plan.width, plan.height) = (width, width);
        plan.data = Arc::new(image.data.get(..3 * width * width).unwrap_or_default().to_vec());
        return Ok(());
    }
    plain_cube(t, plan, width)?;
    let data = Arc::make_mut(&mut plan.data);
    for (cell, symbol) in t.gridlayout[..rows * columns].iter().enumerate() {
        let face = match symbol {
            b'R' => 0,
            b'L' => 1,
            b'U' => 2,
            b'D' => 3,
            b'F' => 4,
            b'B' => 5,
            b'.' => continue,
            _ => return Err("'gridlayout' may hold only . R L U D F B".into()),
        };
        let (top, left) = (width * (cell / columns), width * (cell % columns));
        for r in 0..width {
            let from = 3 * ((top + r) * image.width + left);
            let to = 3 * width * (face * width + r);
            if let Some(line) = image.data.get(from..from + 3 * width) {
                data[to..to + 3 * width].copy_from_slice(line);
            }
        }
    }
    Ok(())
}

fn cube_from_files(cx: &Context, t: &Texture, plan: &mut TexturePlan) -> Result<(), String> {
    for (face, file) in t.cubefiles.iter().enumerate().filter(|(_, f)| !f.is_empty()) {
        let image = load(cx, t, file)?;
        set_colorspace(plan, image.srgb);
        if image.width != image.height {
            return Err(format!("'{file}' is not square"));
        }
        if plan.data.is_empty() {
            plain_cube(t, plan, image.width)?;
        } else if plan.width != image.width {
            return Err(format!("'{file}' has another size than the other faces"));
        }
        let bytes = 3 * plan.width * plan.width;
        if let Some(pixels) = image.data.get(..bytes) {
            let data = Arc::make_mut(&mut plan.data);
            data[face * bytes..(face + 1) * bytes].copy_from_slice(pixels);
        }
    }
    if plan.data.is_empty() {
        return Err("a cube or skybox needs a file, face files or a builtin pattern".into());
    }
    Ok(())
}

fn generate(t: &Texture, plan: &mut TexturePlan) -> Result<(), String> {
    let positive = |n: i32| usize::try_from(n).ok().filter(|&n| n > 0);
    let width = positive(t.width).ok_or("'width' must be positive")?;
    let is_cube = t.type_ != TextureType::Flat;
    let height = match is_cube {
        true => width.checked_mul(CUBE_FACES),
        false => positive(t.height),
    };
    let height = height.ok_or("'height' must be positive")?;
    let bytes = width.checked_mul(height).and_then(|n| n.checked_mul(plan.nchannel));
    if bytes.is_none_or(|n| n >= MAX_BYTES) {
        return Err("the texture is too large".into());
    }
    (plan.width, plan.height) = (width, height);
    // Patterns have three channels; further ones stay zero at the end.
    let mut data = vec![0; bytes.unwrap_or(0)];
    if plan.nchannel < 3 {
        return Err("builtin textures need three channels".into());
    }
    let pixels = &mut data.as_chunks_mut().0[..width * height];
    if is_cube {
        paint_cube(t, pixels, width);
    } else {
        paint_flat(t, pixels, width, height);
    }
    if t.mark == TextureMark::Random && t.random > 0.0 {
        random_dots(t, pixels);
    }
    plan.data = Arc::new(data);
    Ok(())
}

/// Weight of the first of two colours at a position in [−1, 1] between them.
fn sigmoid(position: f64) -> f64 {
    let slope = position / (1.0 + position * position).sqrt() / (1.0 / 2f64.sqrt());
    (0.5 * (1.0 + slope)).clamp(0.0, 1.0)
}

type Rgb = [u8; 3];

/// Two colours, mixed by weight.
#[derive(Clone, Copy)]
struct Blend {
    first: [f64; 3],
    second: [f64; 3],
}

impl Blend {
    fn levels(&self, weight: f64) -> [f64; 3] {
        std::array::from_fn(|k| 255.0 * (weight * self.first[k] + (1.0 - weight) * self.second[k]))
    }

    fn color(&self, weight: f64) -> Rgb {
        self.levels(weight).map(wrap)
    }

    /// The colour of all weights between two: none if they have several, or if one of them is so
    /// close to the next that rounding decides.
    fn color_between(&self, weights: [f64; 2]) -> Option<Rgb> {
        /// Far above what rounding does to a level, far below what the eye or a table resolves.
        const MARGIN: f64 = 1e-9;
        let [one, other] = weights.map(|w| self.levels(w));
        let low: [i64; 3] = std::array::from_fn(|k| (one[k].min(other[k]) - MARGIN) as i64);
        let high: [i64; 3] = std::array::from_fn(|k| (one[k].max(other[k]) + MARGIN) as i64);
        (low == high).then_some(low.map(|level| level as u8))
    }
}

/// Colours along a coordinate in which the weight is monotone, one for each cell of an interval.
/// A few hundred steps of colour leave most cells with one colour; in the others the weight itself
/// has to be computed.
struct Palette {
    cells: Vec<Option<Rgb>>,
    start: f64,
    per_unit: f64,
}

impl Palette {
    fn new(cells: usize, [start, end]: [f64; 2], blend: Blend, w: impl Fn(f64) -> f64) -> Palette {
        let step = (end - start) / cells as f64;
        let mut left = w(start);
        let mut cell = |i| {
            let right = w(start + step * (i + 1) as f64);
            let color = blend.color_between([left, right]);
            left = right;
            color
        };
        Palette { cells: (0..cells).map(&mut cell).collect(), start, per_unit: 1.0 / step }
    }

    fn at(&self, x: f64) -> Option<Rgb> {
        let place = (x - self.start) * self.per_unit;
        // A texture of one pixel has no coordinates.
        if place >= 0.0 { *self.cells.get(place as usize)? } else { None }
    }
}

/// Coordinate in [−1, 1] of each of `n` pixels.
fn centered(n: usize) -> impl Iterator<Item = f64> {
    (0..n).map(move |i| (2 * i) as f64 / (n as f64 - 1.0) - 1.0)
}

/// The same from the other end: rows count downwards, y upwards.
fn centered_down(n: usize) -> impl Iterator<Item = f64> {
    (0..n).map(move |i| 1.0 - (2 * i) as f64 / (n as f64 - 1.0))
}

fn paint_flat(t: &Texture, pixels: &mut [Rgb], width: usize, height: usize) {
    let (rgb1, rgb2) = (t.rgb1.map(byte), t.rgb2.map(byte));
    if t.builtin == TextureBuiltin::Gradient {
        let blend = Blend { first: t.rgb2, second: t.rgb1 };
        for (line, y) in pixels.chunks_exact_mut(width).zip(centered_down(height)) {
            for (pixel, x) in line.iter_mut().zip(centered(width)) {
                *pixel = blend.color(sigmoid(2.0 * (x * x + y * y).sqrt() - 1.0));
            }
        }
    } else {
        paint(pixels, width, height, |r, c| match t.builtin {
            TextureBuiltin::Checker if (r < height / 2) != (c < width / 2) => rgb2,
            _ => rgb1,
        });
    }
    mark(t, pixels, width, height);
}

/// Faces: right, left, up, down, front, back.
fn paint_cube(t: &Texture, pixels: &mut [Rgb], width: usize) {
    const DOWN: usize = 3;
    let face = width * width;
    if t.builtin == TextureBuiltin::Gradient {
        paint_sky(t, pixels, width);
    } else {
        let (rgb1, rgb2) = (t.rgb1.map(byte), t.rgb2.map(byte));
        for (face, pixels) in pixels.chunks_exact_mut(face).enumerate() {
            paint(pixels, width, width, |r, c| match t.builtin {
                TextureBuiltin::Checker => {
                    let other = (r < width / 2) != (c < width / 2);
                    if other != (face >= 4) { rgb2 } else { rgb1 }
                }
                _ if face == DOWN => rgb2,
                _ => rgb1,
            });
        }
    }
    for pixels in pixels.chunks_exact_mut(face) {
        mark(t, pixels, width, width);
    }
}

/// All faces of a gradient by elevation: 1 at the zenith, 0 at the horizon.
fn paint_sky(t: &Texture, pixels: &mut [Rgb], width: usize) {
    use corten_math::real::{acos, asin};
    use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, SQRT_2};
    let blend = Blend { first: t.rgb1, second: t.rgb2 };
    let side = |sine: f64| sigmoid(asin(sine) / FRAC_PI_2);
    let up = |cosine: f64| 1.0 - acos(cosine) / FRAC_PI_2;
    // By the sine of the elevation, and by the distance from the centre of the upper face.
    let cells = (16 * width).clamp(64, 8192);
    let sides = Palette::new(cells, [-FRAC_1_SQRT_2, FRAC_1_SQRT_2], blend, side);
    let above = |radius: f64| up(1.0 / (1.0 + radius * radius).sqrt());
    let ups = Palette::new(cells, [0.0, SQRT_2], blend, |radius| sigmoid(above(radius)));
    let downs = Palette::new(cells, [0.0, SQRT_2], blend, |radius| sigmoid(-above(radius)));

    let columns: Vec<f64> = centered(width).collect();
    let (right, rest) = pixels.split_at_mut(width * width);
    let (left, rest) = rest.split_at_mut(width * width);
    let (upper, rest) = rest.split_at_mut(width * width);
    let (lower, rest) = rest.split_at_mut(width * width);
    let (front, back) = rest.split_at_mut(width * width);
    for (r, y) in centered_down(width).enumerate() {
        let row = r * width..(r + 1) * width;
        let line = &mut right[row.clone()];
        let (upper, lower) = (&mut upper[row.clone()], &mut lower[row.clone()]);
        for (c, x) in columns[..width.div_ceil(2)].iter().enumerate() {
            let distance = |x: f64| (1.0 + x * x + y * y).sqrt();
            let (sine, radius) = (y / distance(*x), (x * x + y * y).sqrt());
            // The columns at equal distances from the middle one differ by rounding.
            let pair = [c, width - 1 - c];
            let paint = |line: &mut [Rgb], found: Option<Rgb>, weight: &dyn Fn(f64) -> f64| {
                for c in pair {
                    line[c] = found.unwrap_or_else(|| blend.color(weight(distance(columns[c]))));
                }
            };
            paint(line, sides.at(sine), &|distance| side(y / distance));
            paint(upper, ups.at(radius), &|distance| sigmoid(up(1.0 / distance)));
            paint(lower, downs.at(radius), &|distance| sigmoid(-up(1.0 / distance)));
        }
        for face in [&mut *left, &mut *front, &mut *back] {
            face[row.clone()].copy_from_slice(line);
        }
    }
}

fn paint(pixels: &mut [Rgb], width: usize, height: usize, color: impl Fn(usize, usize) -> Rgb) {
    for (r, line) in pixels.chunks_exact_mut(width).take(height).enumerate() {
        for (c, pixel) in line.iter_mut().enumerate() {
            *pixel = color(r, c);
        }
    }
}

fn mark(t: &Texture, pixels: &mut [Rgb], width: usize, height: usize) {
    let color = t.markrgb.map(byte);
    let lines = match t.mark {
        TextureMark::Edge => [[0, height - 1], [0, width - 1]],
        TextureMark::Cross => [[height / 2; 2], [width / 2; 2]],
        _ => return,
    };
    let mut set = |r: usize, c: usize| pixels[r * width + c] = color;
    let [rows, columns] = lines;
    for r in rows {
        (0..width).for_each(|c| set(r, c));
    }
    for c in columns {
        (0..height).for_each(|r| set(r, c));
    }
}

/// Dots at the places that the 64-bit Mersenne Twister, seeded with 42, selects.
fn random_dots(t: &Texture, pixels: &mut [Rgb]) {
    let color = t.markrgb.map(byte);
    let mut random = Mt64::new(42);
    for pixel in pixels {
        if random.unit() < t.random {
            *pixel = color;
        }
    }
}

/// Nishimura and Matsumoto's 64-bit Mersenne Twister (2004).
struct Mt64 {
    state: [u64; 312],
    at: usize,
}

impl Mt64 {
    fn new(seed: u64) -> Mt64 {
        let mut state = [seed; 312];
        for i in 1..312 {
            let previous = state[i - 1];
            state[i] = (previous ^ (previous >> 62))
                .wrapping_mul(6364136223846793005)
                .wrapping_add(i as u64);
        }
        Mt64 { state, at: 312 }
    }

    fn next(&mut self) -> u64 {
        if self.at == 312 {
            for i in 0..312 {
                let x = (self.state[i] & 0xffff_ffff_8000_0000)
                    | (self.state[(i + 1) % 312] & 0x7fff_ffff);
                let twist = if x & 1 == 1 { 0xb502_6f5a_a966_19e9 } else { 0 };
                self.state[i] = self.state[(i + 156) % 312] ^ (x >> 1) ^ twist;
            }
            self.at = 0;
        }
        let mut x = self.state[self.at];
        self.at += 1;
        x ^= (x >> 29) & 0x5555_5555_5555_5555;
        x ^= (x << 17) & 0x71d6_7fff_eda6_0000;
        x ^= (x << 37) & 0xfff7_eee0_0000_0000;
        x ^ (x >> 43)
    }

    /// Uniform in [0, 1).
    fn unit(&mut self) -> f64 {
        let x = self.next() as f64 / 18446744073709551616.0;
        if x >= 1.0 { 1.0 - f64::EPSILON / 2.0 } else { x }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The 10000th output for the default seed, as the C++ standard (26.6.5) gives it.
    #[test]
    fn mersenne_twister_is_the_standard_one() {
        let mut random = Mt64::new(5489);
        let last = (0..10000).map(|_| random.next()).last();
        assert_eq!(last, Some(9981545732273789042));
    }

    #[test]
    fn tabulated_sky_has_the_bytes_of_the_formula() {
        let (dark, light) = ([0.1, 0.3, 0.2], [0.9, 0.3, 0.4]);
        let t = Texture {
            builtin: TextureBuiltin::Gradient,
            rgb1: light,
            rgb2: dark,
            ..Texture::default()
        };
        let width = 65;
        let mut pixels = vec![[0; 3]; width * width * CUBE_FACES];
        paint_cube(&t, &mut pixels, width);
        let blend = Blend { first: light, second: dark };
        for (r, y) in centered_down(width).enumerate() {
            for (c, x) in centered(width).enumerate() {
                let distance = (1.0 + x * x + y * y).sqrt();
                let half = std::f64::consts::FRAC_PI_2;
                let side = sigmoid((y / distance).asin() / half);
                let up = 1.0 - (1.0 / distance).acos() / half;
                let faces = [side, side, sigmoid(up), sigmoid(-up), side, side];
                for (index, weight) in faces.into_iter().enumerate() {
                    let found = pixels[(index * width + r) * width + c];
                    assert_eq!(found, blend.color(weight), "{r} {c}");
                }
            }
        }
    }

    #[test]
    fn checker_has_equal_diagonals() {
        let t = Texture { builtin: TextureBuiltin::Checker, ..Texture::default() };
        let mut pixels = vec![[0; 3]; 16];
        paint_flat(&t, &mut pixels, 4, 4);
        assert_eq!([0, 3, 15].map(|i| pixels[i][0]), [0.8, 0.5, 0.8].map(byte));
    }
}
