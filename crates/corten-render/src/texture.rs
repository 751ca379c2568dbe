//! Textures with their mipmaps: on planes with repetition, and on the six faces of a cube.

use corten_math::array::MapInline;
use corten_math::{F32x8, I32x8, Mask32x8};

use crate::raster::LANES;

/// One image of a pyramid; on a cube, six of them in a row.
#[derive(Clone, Copy, Debug)]
struct Level {
    width: usize,
    height: usize,
    /// Its first texel.
    start: usize,
}

/// A texture of the model: an image, or one per face of a cube, and reductions, each half as wide and
/// high.
#[derive(Debug)]
pub(crate) struct Texture {
    levels: Vec<Level>,
    /// Each texel, four bytes with red lowest, beside its neighbour to the right; beyond the border
    /// that is the first one again, or on a cube the last.
    texels: Vec<[u32; 2]>,
    cube: bool,
    /// Whether no texel is translucent.
    opaque: bool,
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
    fn texels(&self, row: usize, height: usize) -> Vec<u32> {
        let at = |i: usize, c: usize| {
            let index = (row * self.width + i) * self.channels + c;
            let absent = if c == 3 { 255 } else { 0 };
            if c < self.channels { self.data.get(index).copied().unwrap_or(0) } else { absent }
        };
        let texel = |i: usize| u32::from_le_bytes([at(i, 0), at(i, 1), at(i, 2), at(i, 3)]);
        (0..self.width * height).map(texel).collect()
    }
}

/// The sRGB transfer function: from stored values to light.
fn srgb(value: usize) -> f32 {
    let x = value as f64 / 255.0;
    (if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }) as f32
}

/// Where eight pixels look at a texture.
struct Places {
    s: F32x8,
    t: F32x8,
    /// Level of detail: zero for the image itself, one more for each reduction.
    lod: F32x8,
    face: [i32; LANES],
}

impl Texture {
    /// A texture that repeats in the plane.
    pub(crate) fn flat(image: Image, is_srgb: bool) -> Texture {
        let decode = is_srgb.then(|| Box::new(std::array::from_fn(srgb)));
        let size = [image.width, image.height];
        Texture::reduced(vec![image.texels(0, image.height)], size, false, decode)
    }

    /// A cube with six images below each other, or with the same square on each side.
    pub(crate) fn cube(image: Image) -> Texture {
        let size = image.width;
        let repeated = image.width == image.height;
        let face = |i: usize| image.texels(if repeated { 0 } else { i * size }, size);
        Texture::reduced((0..6).map(face).collect(), [size; 2], true, None)
    }

    /// Adds the reductions of images.
    fn reduced(
        mut faces: Vec<Vec<u32>>,
        [mut width, mut height]: [usize; 2],
        cube: bool,
        decode: Option<Box<[f32; 256]>>,
    ) -> Texture {
        let (mut levels, mut texels) = (Vec::new(), Vec::new());
        while width > 0 && height > 0 {
            levels.push(Level { width, height, start: texels.len() });
            for row in faces.iter().flat_map(|face| face.chunks_exact(width)) {
                let beyond = if cube { row[width - 1] } else { row[0] };
                let right = row[1..].iter().chain([&beyond]);
                texels.extend(row.iter().zip(right).map(|(&texel, &right)| [texel, right]));
            }
            if width == 1 && height == 1 {
                break;
            }
            for face in &mut faces {
                *face = half(face, width, height, decode.as_deref());
            }
            (width, height) = ((width / 2).max(1), (height / 2).max(1));
        }
        let opaque = texels.iter().all(|[texel, _]| texel >> 24 == 255);
        Texture { levels, texels, cube, opaque, decode }
    }

    pub(crate) fn is_cube(&self) -> bool {
        self.cube
    }

    /// Colours and opacities at eight places, of which the first `count` matter, given how fast the
    /// coordinates change along the rows and columns of the picture.
    #[inline(always)]
    pub(crate) fn look(
        &self,
        place: [F32x8; 3],
        dx: [F32x8; 3],
        dy: [F32x8; 3],
        count: usize,
    ) -> [F32x8; 4] {
        let Some(base) = self.levels.first() else { return [F32x8::splat(1.0); 4] };
        let (w, h) = (F32x8::splat(base.width as f32), F32x8::splat(base.height as f32));
        let steepness = |[s, t]: [F32x8; 2]| (s * w) * (s * w) + (t * h) * (t * h);
        let places = if self.cube {
            let face = CubeFace::new(place);
            let onto = |x: F32x8| ((x + F32x8::splat(1.0)) * F32x8::splat(0.5)).unit();
            let [s, t] = face.coordinates(place).map_inline(onto);
            // Coordinates on the plane of a face are linear in the direction.
            let slope = |d: [F32x8; 3]| {
                steepness(face.coordinates(d).map_inline(|x| x * F32x8::splat(0.5)))
            };
            Places { s, t, lod: level_of_detail(slope(dx).max(slope(dy))), face: face.number() }
        } else {
            let [s, t, _] = place;
            let slope = |[s, t, _]: [F32x8; 3]| steepness([s, t]);
            let lod = level_of_detail(slope(dx).max(slope(dy)));
            Places { s: (s - s.floor()).unit(), t: (t - t.floor()).unit(), lod, face: [0; LANES] }
        };
        self.filtered(&places, count)
    }

    /// Linear within two levels and between them.
    #[inline(always)]
    fn filtered(&self, places: &Places, count: usize) -> [F32x8; 4] {
        let most = F32x8::splat((self.levels.len() - 1) as f32);
        let lod = places.lod.max(F32x8::splat(0.0)).min(most);
        let level = lod.truncated();
        let part = lod - level.numbers();
        let numbers = level.store();
        let mut out = [F32x8::splat(1.0); 4];
        // Pixels side by side mostly have the same level.
        let mut left: u32 = (1 << count) - 1;
        while left != 0 {
            let number = numbers[left.trailing_zeros() as usize % LANES];
            let here = level.equal(I32x8::splat(number));
            let lanes = here.lanes() & left;
            left &= !lanes;
            let mut colours = self.bilinear(number, places, count);
            if part.ge(F32x8::splat(1.0 / 256.0)).lanes() & lanes != 0 {
                let coarse = self.bilinear(number + 1, places, count);
                for c in 0..4 {
                    colours[c] = colours[c] + (coarse[c] - colours[c]) * part;
                }
            }
            for c in 0..4 {
                out[c] = here.choose(colours[c], out[c]);
            }
        }
        out
    }

    /// Linear between the four texels around each place.
    #[inline(always)]
    fn bilinear(&self, level: i32, places: &Places, count: usize) -> [F32x8; 4] {
        let level = self.levels.get(level as usize).or(self.levels.last());
        let Some(&Level { width, height, start }) = level else { return [F32x8::splat(1.0); 4] };
        let (w, h) = (I32x8::splat(width as i32), I32x8::splat(height as i32));
        let half = F32x8::splat(0.5);
        let (mut x, y) = (places.s * w.numbers() - half, places.t * h.numbers() - half);
        if self.cube {
            // Left of the first texel is the first texel.
            x = x.max(F32x8::splat(0.0));
        }
        let (fx, fy) = (x.floor(), y.floor());
        let (px, py) = (x - fx, y - fy);
        let low = fx.truncated();
        let column = I32x8::splat(0).gt(low).choose_int(w - I32x8::splat(1), low).store();
        let [y0, y1] = neighbours(fy.truncated(), h, !self.cube).map_inline(I32x8::store);
        let texels = &self.texels[start..];
        let mut corners = [[0i32; LANES]; 4];
        for l in 0..count.min(LANES) {
            let first = places.face[l] as usize * height;
            let at = |row: i32| {
                let index = (first + row as usize) * width + column[l] as usize;
                texels.get(index).copied().unwrap_or_default().map_inline(|texel| texel as i32)
            };
            [corners[0][l], corners[1][l]] = at(y0[l]);
            [corners[2][l], corners[3][l]] = at(y1[l]);
        }
        let packed = corners.map_inline(|corner| I32x8::load(&corner));
        let alpha = if self.opaque {
            F32x8::splat(1.0)
        } else {
            mix(packed, px, py, |texel| texel.shifted::<24>().numbers()) * F32x8::splat(1.0 / 255.0)
        };
        if let Some(table) = &self.decode {
            let light = |texel: I32x8, c: usize| {
                let texel = texel.store().map_inline(|texel| texel.to_le_bytes()[c]);
                F32x8::load(&texel.map_inline(|value| table[usize::from(value)]))
            };
            let channel = |c: usize| mix(packed, px, py, |texel| light(texel, c));
            return [channel(0), channel(1), channel(2), alpha];
        }
        let byte = I32x8::splat(255);
        let red = mix(packed, px, py, |texel| (texel & byte).numbers());
        let green = mix(packed, px, py, |texel| (texel.shifted::<8>() & byte).numbers());
        let blue = mix(packed, px, py, |texel| (texel.shifted::<16>() & byte).numbers());
        let scale = F32x8::splat(1.0 / 255.0);
        [red * scale, green * scale, blue * scale, alpha]
    }
}

/// Between a channel of the four texels around places.
#[inline(always)]
fn mix(texels: [I32x8; 4], px: F32x8, py: F32x8, channel: impl Fn(I32x8) -> F32x8) -> F32x8 {
    let [a, b, c, d] = texels.map_inline(channel);
    let (low, high) = (a + (b - a) * px, c + (d - c) * px);
    low + (high - low) * py
}

/// The texels on both sides of a place.
#[inline(always)]
fn neighbours(low: I32x8, count: I32x8, wrap: bool) -> [I32x8; 2] {
    let (zero, one) = (I32x8::splat(0), I32x8::splat(1));
    let (high, last) = (low + one, count - one);
    let (below, beyond) = (zero.gt(low), high.gt(last));
    if wrap {
        [below.choose_int(last, low), beyond.choose_int(zero, high)]
    } else {
        [below.choose_int(zero, low), beyond.choose_int(last, high)]
    }
}

/// Means of two by two texels.
fn half(texels: &[u32], width: usize, height: usize, decode: Option<&[f32; 256]>) -> Vec<u32> {
    let (w, h) = ((width / 2).max(1), (height / 2).max(1));
    let mut out = Vec::with_capacity(w * h);
    for y in 0..h {
        for x in 0..w {
            let column = |k: usize| (2 * x + k).min(width - 1);
            let row = |k: usize| (2 * y + k).min(height - 1);
            let four = [(0, 0), (1, 0), (0, 1), (1, 1)]
                .map(|(i, j)| texels[row(j) * width + column(i)].to_le_bytes());
            out.push(u32::from_le_bytes(std::array::from_fn(|c| match decode {
                Some(table) if c < 3 => {
                    let light = four.iter().map(|t| table[t[c] as usize]).sum::<f32>() / 4.0;
                    table.partition_point(|&x| x < light).min(255) as u8
                }
                _ => ((four.iter().map(|t| t[c] as u32).sum::<u32>() + 2) / 4) as u8,
            })));
        }
    }
    out
}

/// Half the logarithm to base two, to a hundredth: enough to choose a level of detail. Of what is
/// zero or NaN, something below all levels.
#[inline(always)]
fn level_of_detail(square: F32x8) -> F32x8 {
    let bits = square.bits();
    let exponent = bits.shifted::<23>().numbers() - F32x8::splat(127.0);
    let mantissa = ((bits & I32x8::splat(0x007f_ffff)) | I32x8::splat(0x3f80_0000)).as_bits();
    let (one, two) = (F32x8::splat(1.0), F32x8::splat(2.0));
    let fraction = (mantissa - one) * (one + F32x8::splat(0.345) * (two - mantissa));
    (F32x8::splat(0.5) * (exponent + fraction)).only(square.ge(one))
}

/// Faces of a cube in eight directions.
struct CubeFace {
    is_x: Mask32x8,
    is_y: Mask32x8,
    /// One over the largest component.
    inverse: F32x8,
    /// Its sign.
    sign: F32x8,
}

impl CubeFace {
    #[inline(always)]
    fn new(d: [F32x8; 3]) -> CubeFace {
        let [ax, ay, az] = d.map_inline(F32x8::abs);
        let is_x = ax.ge(ay) & ax.ge(az);
        let is_y = ay.ge(az);
        let own = |x: F32x8, y: F32x8, z: F32x8| is_x.choose(x, is_y.choose(y, z));
        let largest = own(ax, ay, az).max(F32x8::splat(f32::MIN_POSITIVE));
        let (zero, one) = (F32x8::splat(0.0), F32x8::splat(1.0));
        let sign = own(d[0], d[1], d[2]).lt(zero).choose(F32x8::splat(-1.0), one);
        CubeFace { is_x, is_y, inverse: one / largest, sign }
    }

    /// Coordinates on the face, each from −1 to 1.
    #[inline(always)]
    fn coordinates(&self, [x, y, z]: [F32x8; 3]) -> [F32x8; 2] {
        let (zero, signed) = (F32x8::splat(0.0), self.sign * self.inverse);
        let (down, out) = (zero - y * self.inverse, zero - z * signed);
        let s = self.is_x.choose(out, self.is_y.choose(x * self.inverse, x * signed));
        let t = self.is_x.choose(down, self.is_y.choose(z * signed, down));
        [s, t]
    }

    /// Numbers in the order x, −x, y, −y, z, −z.
    #[inline(always)]
    fn number(&self) -> [i32; LANES] {
        let axis = self
            .is_x
            .choose_int(I32x8::splat(0), self.is_y.choose_int(I32x8::splat(2), I32x8::splat(4)));
        let turned = I32x8::splat(1).only(self.sign.lt(F32x8::splat(0.0)));
        (axis + turned).store()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(texture: &Texture, place: [f32; 3], dx: [f32; 3]) -> [f32; 4] {
        let zero = [F32x8::splat(0.0); 3];
        texture.look(place.map(F32x8::splat), dx.map(F32x8::splat), zero, 1).map(|c| c.store()[0])
    }

    #[test]
    fn between_texels_is_their_mean() {
        let data = [0, 0, 0, 200, 100, 50];
        let image = Image { width: 2, height: 1, channels: 3, data: &data };
        let texture = Texture::flat(image, false);
        let at = |s: f32| look(&texture, [s, 0.5, 0.0], [0.0; 3]).map(|x| (x * 255.0).round());
        assert_eq!(at(0.25), [0.0, 0.0, 0.0, 255.0]);
        assert_eq!(at(0.5), [100.0, 50.0, 25.0, 255.0]);
        assert_eq!(at(1.75), [200.0, 100.0, 50.0, 255.0]);
        // Across the border it goes on at the other side.
        assert_eq!(at(-0.0), [100.0, 50.0, 25.0, 255.0]);
        // Far away the whole texture is one texel.
        let far = look(&texture, [0.3, 0.5, 0.0], [4.0, 0.0, 0.0]);
        assert_eq!(far.map(|x| (x * 255.0).round()), [100.0, 50.0, 25.0, 255.0]);
    }

    #[test]
    fn no_place_is_beyond_a_texture() {
        let data = [255; 12];
        let flat = Texture::flat(Image { width: 2, height: 2, channels: 3, data: &data }, true);
        let cube = Texture::cube(Image { width: 2, height: 2, channels: 3, data: &data });
        for x in [f32::NAN, f32::INFINITY, -f32::INFINITY, 1e30, -1e30, 0.0, f32::MIN_POSITIVE] {
            for slope in [f32::NAN, f32::INFINITY, 1e30, 0.0] {
                for texture in [&flat, &cube] {
                    let texel = look(texture, [x, 0.5, -x], [slope, 0.0, 1.0]);
                    assert!(
                        texel.iter().all(|c| c.is_nan() || (c - 1.0).abs() < 1e-6),
                        "{texel:?}"
                    );
                }
            }
        }
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
            let colour = look(&texture, axis, [0.0; 3]);
            assert_eq!((colour[0] * 255.0).round() as usize, face * 40);
        }
    }

    #[test]
    fn level_is_half_the_logarithm() {
        for i in 3..1000 {
            let x = i as f32 * 0.37;
            let lod = level_of_detail(F32x8::splat(x)).store()[0];
            assert!((lod - 0.5 * x.log2()).abs() < 0.01, "{x}");
        }
        assert_eq!(level_of_detail(F32x8::splat(f32::NAN)).store()[0], 0.0);
    }
}
