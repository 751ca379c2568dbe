//! Which samples of a tile a triangle covers, and how deep they are.
//!
//! Edges are evaluated in integers, so that triangles with a common edge cover every sample on it
//! exactly once. With `E(x, y) = a x + b y + c` in 256ths of pixels, and the sample of pixel
//! `(i, j)` at `x = 256 i + s`, the sign of `E` is that of `a i + b j + ⌊(a s + b t + c) / 256⌋`, and
//! the latter fits 32 bits within a tile.

use corten_math::array::MapInline;
use corten_math::{F32x8, I32x8, Mask32x8, Wide, wide};

use crate::draw::View;
use crate::geometry::{Chunk, SUBPIXEL, TILE_H, TILE_W, Triangle, pixels};

/// Pixels of a tile.
pub(crate) const TILE: usize = TILE_W * TILE_H;

/// Pixels that are looked at together.
pub(crate) const LANES: usize = F32x8::LANES;

/// No triangle.
pub(crate) const NONE: i32 = -1;

/// A triangle within a tile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scan {
    a: [i32; 3],
    b: [i32; 3],
    /// Edges at the tile's origin, in 256ths of pixels squared.
    c: [i64; 3],
    /// Depth at the tile's origin, and its slopes per pixel.
    z: f64,
    zx: f32,
    zy: f32,
    /// First pixel and the one after the last, within the tile; columns are multiples of the lanes.
    pub x: [usize; 2],
    pub y: [usize; 2],
}

/// A triangle at one sample of the pixels of a tile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampled<S: Wide> {
    c: [i32; 3],
    z: f32,
    /// How edges change along eight pixels of a row.
    steps: [I32x8<S>; 3],
}

impl Scan {
    /// `None` where the triangle does not reach the tile that begins at a pixel.
    #[inline(always)]
    pub(crate) fn new(t: &Triangle, view: &View, origin: [usize; 2]) -> Option<Scan> {
        let ([x0, x1], [y0, y1]) = pixels(&t.x, &t.y, view);
        let (left, bottom) = (origin[0] as i32, origin[1] as i32);
        let x = [(x0 - left).max(0), (x1 - left + 1).min(TILE_W as i32)];
        let y = [(y0 - bottom).max(0), (y1 - bottom + 1).min(TILE_H as i32)];
        if x[0] >= x[1] || y[0] >= y[1] {
            return None;
        }
        let (x, y) = ([x[0] as usize, x[1] as usize], [y[0] as usize, y[1] as usize]);
        let (ox, oy) = (256 * origin[0] as i64, 256 * origin[1] as i64);
        let (mut a, mut b, mut c) = ([0; 3], [0; 3], [0; 3]);
        for i in 0..3 {
            let j = (i + 1) % 3;
            (a[i], b[i]) = (t.y[i] - t.y[j], t.x[j] - t.x[i]);
            // Samples on an edge belong to the triangle to the right of it, or above.
            let owned = a[i] > 0 || (a[i] == 0 && b[i] > 0);
            c[i] = a[i] as i64 * (ox - t.x[i] as i64) + b[i] as i64 * (oy - t.y[i] as i64)
                - i64::from(!owned);
        }
        let area = b[0] as f64 * (t.y[2] - t.y[0]) as f64 + a[0] as f64 * (t.x[2] - t.x[0]) as f64;
        let (z1, z2) = (t.z[1] as f64 - t.z[0] as f64, t.z[2] as f64 - t.z[0] as f64);
        let (x1, x2) = ((t.x[1] - t.x[0]) as f64, (t.x[2] - t.x[0]) as f64);
        let (y1, y2) = ((t.y[1] - t.y[0]) as f64, (t.y[2] - t.y[0]) as f64);
        let scale = 1.0 / area;
        let zx = (z1 * y2 - z2 * y1) * scale;
        let zy = (z2 * x1 - z1 * x2) * scale;
        let z = t.z[0] as f64 + zx * (ox - t.x[0] as i64) as f64 + zy * (oy - t.y[0] as i64) as f64;
        let (zx, zy) = ((zx * SUBPIXEL as f64) as f32, (zy * SUBPIXEL as f64) as f32);
        let x = [x[0] & !(LANES - 1), x[1]];
        Some(Scan { a, b, c, z, zx, zy, x, y })
    }

    /// At the sample at this place in the pixels.
    #[inline(always)]
    pub(crate) fn at<S: Wide>(&self, sample: [i32; 2]) -> Sampled<S> {
        const MOST: i64 = 1 << 30;
        let mut c = [0; 3];
        for i in 0..3 {
            let place = self.a[i] as i64 * sample[0] as i64 + self.b[i] as i64 * sample[1] as i64;
            c[i] = ((self.c[i] + place) >> 8).clamp(-MOST, MOST) as i32;
        }
        let (sx, sy) = (sample[0] as f32 / SUBPIXEL, sample[1] as f32 / SUBPIXEL);
        Sampled {
            c,
            z: (self.z + (self.zx * sx + self.zy * sy) as f64) as f32,
            steps: self
                .a
                .map_inline(|a| I32x8::load(&[0, a, 2 * a, 3 * a, 4 * a, 5 * a, 6 * a, 7 * a])),
        }
    }

    /// Slope of the depth, the larger one.
    fn slope(&self) -> f32 {
        self.zx.abs().max(self.zy.abs())
    }

    /// Depths of eight pixels of a row, and which of them are covered.
    #[inline(always)]
    pub(crate) fn test<S: Wide>(
        &self,
        sampled: &Sampled<S>,
        x: usize,
        y: usize,
    ) -> (F32x8<S>, Mask32x8<S>) {
        let mut edges = I32x8::splat(0);
        for i in 0..3 {
            let start = sampled.c[i] + self.a[i] * x as i32 + self.b[i] * y as i32;
            edges = edges | (I32x8::splat(start) + sampled.steps[i]);
        }
        let inside = edges.natural();
        let column = F32x8::splat(x as f32) + F32x8::count();
        let z = F32x8::splat(sampled.z + self.zy * y as f32) + F32x8::splat(self.zx) * column;
        (z, inside)
    }

    /// Draws the triangle: what is not behind `depth` replaces it, and `write` learns where.
    #[inline(always)]
    fn fill<S: Wide>(
        &self,
        sampled: &Sampled<S>,
        depth: &mut [f32],
        mut write: impl FnMut(usize, Mask32x8<S>),
    ) {
        for y in self.y[0]..self.y[1] {
            let mut x = self.x[0];
            while x < self.x[1] {
                let start = y * TILE_W + x;
                let Some(depth) = depth[start..].first_chunk_mut::<LANES>() else { break };
                let (z, inside) = self.test(sampled, x, y);
                let before = F32x8::load(depth);
                let passed = inside & z.ge(before);
                if passed.lanes() != 0 {
                    *depth = passed.choose(z, before).store();
                    write(start, passed);
                }
                x += LANES;
            }
        }
    }
}

wide! {
    /// Draws the triangles of a chunk that a tile sees: the nearest of each sample stays, of equal
    /// ones the last. Triangles are numbered from `base`.
    pub(crate) fn cover(
        chunk: &Chunk,
        base: i32,
        tile: usize,
        origin: [usize; 2],
        view: &View,
        depth: &mut [f32],
        ids: &mut [i32],
    ) {
        for &index in &chunk.bins[tile] {
            let triangle = &chunk.triangles[index as usize];
            let Some(scan) = Scan::new(triangle, view, origin) else { continue };
            let planes = depth.chunks_exact_mut(TILE).zip(ids.chunks_exact_mut(TILE));
            for (&sample, (depth, ids)) in view.samples.iter().zip(planes) {
                let id = I32x8::splat(base + index as i32);
                scan.fill(&scan.at::<Simd>(sample), depth, |start, passed| {
                    if let Some(ids) = ids[start..].first_chunk_mut::<LANES>() {
                        *ids = passed.choose_int(id, I32x8::load(ids)).store();
                    }
                });
            }
        }
    }

    /// Depths as seen from a light, pushed away from it by as much as neighbouring pixels differ, so
    /// that a surface casts no shadow on itself.
    pub(crate) fn cover_shadow(
        chunk: &Chunk,
        tile: usize,
        origin: [usize; 2],
        view: &View,
        depth: &mut [f32],
    ) {
        // MuJoCo's offset: 1.5 times the slope, and four units of a depth of 24 bits.
        const FACTOR: f32 = 1.5;
        const UNITS: f32 = 4.0 / (1 << 24) as f32;
        for &index in &chunk.bins[tile] {
            let triangle = &chunk.triangles[index as usize];
            let Some(scan) = Scan::new(triangle, view, origin) else { continue };
            let mut sampled = scan.at::<Simd>(view.samples[0]);
            sampled.z -= FACTOR * scan.slope() + UNITS;
            scan.fill(&sampled, depth, |_, _| ());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use corten_math::Four;

    use crate::draw::{CENTER, sample_positions};
    use crate::light::Lights;
    use crate::linear::Mat4;

    fn view(samples: &'static [[i32; 2]]) -> View {
        View {
            eye: Mat4::IDENTITY,
            projection: Mat4::IDENTITY,
            width: TILE_W,
            height: TILE_H,
            samples,
            mirrored: false,
            clip: None,
            lights: Lights::default(),
            shaded: false,
        }
    }

    /// How often each sample is covered by triangles.
    fn counts(triangles: &[[[i32; 2]; 3]], samples: &'static [[i32; 2]]) -> Vec<u32> {
        let view = view(samples);
        let mut counts = vec![0; samples.len() * TILE];
        for corners in triangles {
            let t = Triangle {
                v: [0; 3],
                draw: 0,
                x: corners.map(|c| c[0]),
                y: corners.map(|c| c[1]),
                z: [0.5; 3],
            };
            let Some(scan) = Scan::new(&t, &view, [0, 0]) else { continue };
            for (s, &sample) in samples.iter().enumerate() {
                let counts = &mut counts[s * TILE..];
                scan.fill(&scan.at::<Four>(sample), &mut [0.0; TILE], |start, passed| {
                    (0..LANES).for_each(|l| counts[start + l] += passed.lanes() >> l & 1);
                });
            }
        }
        counts
    }

    #[test]
    fn a_fan_covers_every_sample_once() {
        // A square of whole pixels around a point in its middle: edges through many centres.
        let (w, h) = (256 * TILE_W as i32, 256 * TILE_H as i32);
        for center in [[w / 2, h / 2], [5000, 2001], [128, 128], [w - 128, 128]] {
            let ring = [[0, 0], [w / 2, 0], [w, 0], [w, h], [0, h], [0, h / 2]];
            let fan: Vec<_> =
                (0..ring.len()).map(|i| [center, ring[i], ring[(i + 1) % ring.len()]]).collect();
            for samples in [CENTER, sample_positions(4), sample_positions(8)] {
                assert!(counts(&fan, samples).iter().all(|&n| n == 1), "{center:?}");
            }
        }
    }

    #[test]
    fn depth_is_a_plane() {
        let view = view(CENTER);
        let t = Triangle {
            v: [0; 3],
            draw: 0,
            x: [0, 16_384, 0],
            y: [0, 0, 8_192],
            z: [0.1, 0.9, 0.5],
        };
        let scan = Scan::new(&t, &view, [0, 0]).unwrap();
        let mut depth = [0.0; TILE];
        scan.fill(&scan.at::<Four>(CENTER[0]), &mut depth, |_, _| ());
        for (x, y) in [(3, 4), (20, 10), (40, 2)] {
            let (px, py) = ((x as f32 + 0.5) / 64.0, (y as f32 + 0.5) / 32.0);
            assert!((depth[y * TILE_W + x] - (0.1 + 0.8 * px + 0.4 * py)).abs() < 1e-6);
        }
    }
}
