//! Textures that are computed: plain, checkered and graded, with marks.

use std::sync::Arc;

use corten_math::memory::{Gather, guard, zeroed};

use super::{CUBE_FACES, Context, Fault, MAX_BYTES, TexturePlan, byte, wrap};
use crate::enums::{TextureBuiltin, TextureMark, TextureType};
use crate::spec::Texture;

pub(super) fn generate(cx: &Context, t: &Texture, plan: &mut TexturePlan) -> Result<(), Fault> {
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
    cx.take_image_bytes(width, height, plan.nchannel)?;
    (plan.width, plan.height) = (width, height);
    // Patterns have three channels; further ones stay zero at the end.
    let mut data = guard(|| zeroed(bytes.unwrap_or(0)))?;
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
        Palette { cells: (0..cells).map(&mut cell).gather(), start, per_unit: 1.0 / step }
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
