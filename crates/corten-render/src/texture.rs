//! Textures with their mipmaps: on planes with repetition, and on the six faces of a cube.

use corten_math::array::MapInline;
use corten_math::{F32x8, I32x8, Mask32x8, Wide};

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
    texels: Vec<[i32; 2]>,
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
struct Places<S: Wide> {
    s: F32x8<S>,
    t: F32x8<S>,
    /// Level of detail: zero for the image itself, one more for each reduction.
    lod: F32x8<S>,
    face: I32x8<S>,
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
                texels.extend(
                    row.iter().zip(right).map(|(&texel, &right)| [texel as i32, right as i32]),
                );
            }
            if width == 1 && height == 1 {
                break;
            }
            for face in &mut faces {
                *face = half(face, width, height, decode.as_deref());
            }
            (width, height) = ((width / 2).max(1), (height / 2).max(1));
        }
        let opaque = texels.iter().all(|[texel, _]| texel.to_le_bytes()[3] == 255);
        Texture { levels, texels, cube, opaque, decode }
    }

    pub(crate) fn is_cube(&self) -> bool {
        self.cube
    }

    /// Colours and opacities at eight places, of which the first `count` matter, given how fast the
    /// coordinates change along the rows and columns of the picture.
    #[inline(always)]
    pub(crate) fn look<S: Wide>(
        &self,
        place: [F32x8<S>; 3],
        dx: [F32x8<S>; 3],
        dy: [F32x8<S>; 3],
        count: usize,
    ) -> [F32x8<S>; 4] {
        let Some(base) = self.levels.first() else { return [F32x8::splat(1.0); 4] };
        let size = [F32x8::splat(base.width as f32), F32x8::splat(base.height as f32)];
        let places = if self.cube {
            let (one, half) = (F32x8::splat(1.0), F32x8::splat(0.5));
            let face = CubeFace::new(place);
            let [s, t] = face.coordinates(place);
            // Coordinates on the plane of a face are linear in the direction.
            let ([sx, tx], [sy, ty]) = (face.coordinates(dx), face.coordinates(dy));
            let along = steepness([sx * half, tx * half], size);
            let across = steepness([sy * half, ty * half], size);
            Places {
                s: ((s + one) * half).unit(),
                t: ((t + one) * half).unit(),
                lod: level_of_detail(along.max(across)),
                face: face.number(),
            }
        } else {
            let [s, t, _] = place;
            let (along, across) =
                (steepness([dx[0], dx[1]], size), steepness([dy[0], dy[1]], size));
            Places {
                s: (s - s.floor()).unit(),
                t: (t - t.floor()).unit(),
                lod: level_of_detail(along.max(across)),
                face: I32x8::splat(0),
            }
        };
        self.filtered(&places, count)
    }

    /// Linear within two levels and between them.
    #[inline(always)]
    fn filtered<S: Wide>(&self, places: &Places<S>, count: usize) -> [F32x8<S>; 4] {
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
            let mut colours = self.bilinear(number, places);
            if part.ge(F32x8::splat(1.0 / 256.0)).lanes() & lanes != 0 {
                let coarse = self.bilinear(number + 1, places);
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
    fn bilinear<S: Wide>(&self, level: i32, places: &Places<S>) -> [F32x8<S>; 4] {
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
        let column = I32x8::splat(0).gt(low).choose_int(w - I32x8::splat(1), low);
        let [below, above] = neighbours(fy.truncated(), h, !self.cube);
        let texels = self.texels[start..].as_flattened();
        let first = places.face * h;
        let (below, above) = ((first + below) * w + column, (first + above) * w + column);
        // Texels stand beside their right neighbours.
        let (below, above, one) = (below + below, above + above, I32x8::splat(1));
        let four = [
            I32x8::gather(texels, below),
            I32x8::gather(texels, below + one),
            I32x8::gather(texels, above),
            I32x8::gather(texels, above + one),
        ];
        let scale = F32x8::splat(1.0 / 255.0);
        let mut colours = [F32x8::splat(1.0); 4];
        if !self.opaque {
            colours[3] = mix(four.map_inline(channel::<24, S>), px, py) * scale;
        }
        if let Some(table) = &self.decode {
            for c in 0..3 {
                let light = four.map_inline(|texel| {
                    let bytes = texel.store().map_inline(|texel| texel.to_le_bytes()[c]);
                    F32x8::load(&bytes.map_inline(|value| table[usize::from(value)]))
                });
                colours[c] = mix(light, px, py);
            }
        } else {
            colours[0] = mix(four.map_inline(channel::<0, S>), px, py) * scale;
            colours[1] = mix(four.map_inline(channel::<8, S>), px, py) * scale;
            colours[2] = mix(four.map_inline(channel::<16, S>), px, py) * scale;
        }
        colours
    }
}

/// How fast coordinates change, in texels, squared.
#[inline(always)]
fn steepness<S: Wide>([s, t]: [F32x8<S>; 2], [w, h]: [F32x8<S>; 2]) -> F32x8<S> {
    (s * w) * (s * w) + (t * h) * (t * h)
}

/// The byte of texels that begins at a bit.
#[inline(always)]
fn channel<const BIT: i32, S: Wide>(texel: I32x8<S>) -> F32x8<S> {
    (texel.shifted::<BIT>() & I32x8::splat(255)).numbers()
}

/// Between the four texels around places.
#[inline(always)]
fn mix<S: Wide>([a, b, c, d]: [F32x8<S>; 4], px: F32x8<S>, py: F32x8<S>) -> F32x8<S> {
    let (low, high) = (a + (b - a) * px, c + (d - c) * px);
    low + (high - low) * py
}

/// The texels on both sides of a place.
#[inline(always)]
fn neighbours<S: Wide>(low: I32x8<S>, count: I32x8<S>, wrap: bool) -> [I32x8<S>; 2] {
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
fn level_of_detail<S: Wide>(square: F32x8<S>) -> F32x8<S> {
    let bits = square.bits();
    let exponent = bits.shifted::<23>().numbers() - F32x8::splat(127.0);
    let mantissa = ((bits & I32x8::splat(0x007f_ffff)) | I32x8::splat(0x3f80_0000)).as_bits();
    let (one, two) = (F32x8::splat(1.0), F32x8::splat(2.0));
    let fraction = (mantissa - one) * (one + F32x8::splat(0.345) * (two - mantissa));
    (F32x8::splat(0.5) * (exponent + fraction)).only(square.ge(one))
}

/// Faces of a cube in eight directions.
struct CubeFace<S: Wide> {
    is_x: Mask32x8<S>,
    is_y: Mask32x8<S>,
    /// One over the largest component.
    inverse: F32x8<S>,
    /// Its sign.
    sign: F32x8<S>,
}

impl<S: Wide> CubeFace<S> {
    #[inline(always)]
    fn new(d: [F32x8<S>; 3]) -> CubeFace<S> {
        let [ax, ay, az] = d.map_inline(F32x8::abs);
        let is_x = ax.ge(ay) & ax.ge(az);
        let is_y = ay.ge(az);
        let own = is_x.choose(d[0], is_y.choose(d[1], d[2]));
        let largest = own.abs().max(F32x8::splat(f32::MIN_POSITIVE));
        let (zero, one) = (F32x8::splat(0.0), F32x8::splat(1.0));
        let sign = own.lt(zero).choose(F32x8::splat(-1.0), one);
        CubeFace { is_x, is_y, inverse: one / largest, sign }
    }

    /// Coordinates on the face, each from −1 to 1.
    #[inline(always)]
    fn coordinates(&self, [x, y, z]: [F32x8<S>; 3]) -> [F32x8<S>; 2] {
        let (zero, signed) = (F32x8::splat(0.0), self.sign * self.inverse);
        let (down, out) = (zero - y * self.inverse, zero - z * signed);
        let s = self.is_x.choose(out, self.is_y.choose(x * self.inverse, x * signed));
        let t = self.is_x.choose(down, self.is_y.choose(z * signed, down));
        [s, t]
    }

    /// Numbers in the order x, −x, y, −y, z, −z.
    #[inline(always)]
    fn number(&self) -> I32x8<S> {
        let axis = self
            .is_x
            .choose_int(I32x8::splat(0), self.is_y.choose_int(I32x8::splat(2), I32x8::splat(4)));
        let turned = I32x8::splat(1).only(self.sign.lt(F32x8::splat(0.0)));
        axis + turned
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use corten_math::Four;

    fn look(texture: &Texture, place: [f32; 3], dx: [f32; 3]) -> [f32; 4] {
        let zero = [F32x8::<Four>::splat(0.0); 3];
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
            let lod = level_of_detail(F32x8::<Four>::splat(x)).store()[0];
            assert!((lod - 0.5 * x.log2()).abs() < 0.01, "{x}");
        }
        assert_eq!(level_of_detail(F32x8::<Four>::splat(f32::NAN)).store()[0], 0.0);
    }
}
