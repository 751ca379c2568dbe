//! Shadows: depths as seen from a light.

use corten_math::F32x8;
use corten_math::array::MapInline;

use crate::draw::{CENTER, Draw, View};
use crate::geometry::{Chunk, TILE_H, TILE_W};
use crate::light::Lights;
use crate::linear::Mat4;
use crate::parallel::share;
use crate::pass::{divide, fill_chunks};
use crate::raster::{LANES, TILE, cover_shadow};

/// Depths of what a light sees.
#[derive(Debug, Default)]
pub(crate) struct ShadowMap {
    size: usize,
    /// From the world to texels and depth.
    rows: [[f32; 4]; 4],
    depth: Vec<f32>,
    chunks: Vec<Chunk>,
}

impl ShadowMap {
    /// Looks at `draws` from a light.
    pub(crate) fn update(
        &mut self,
        draws: &[Draw],
        eye: Mat4,
        projection: Mat4,
        size: usize,
        threads: usize,
    ) {
        let view = View {
            eye,
            projection,
            width: size,
            height: size,
            samples: CENTER,
            mirrored: false,
            clip: None,
            lights: Lights::default(),
            shaded: false,
        };
        let ranges = divide(draws, threads);
        fill_chunks(&mut self.chunks, &ranges, draws, &view, threads);
        self.size = size;
        let half = 0.5 * size as f64;
        let to_texels = Mat4([
            [half, 0.0, 0.0, half],
            [0.0, half, 0.0, half],
            [0.0, 0.0, 1.0, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ]);
        self.rows = to_texels.times(&projection).times(&eye).rows();
        self.depth.resize(size * size, 0.0);
        let chunks = &self.chunks[..ranges.len()];
        let columns = size.div_ceil(TILE_W);
        let bands = self.depth.chunks_mut(TILE_H * size).enumerate();
        share(
            threads,
            bands,
            || vec![0.0; TILE],
            |tile, (band, out)| {
                for column in 0..columns {
                    let index = band * columns + column;
                    let left = column * TILE_W;
                    let width = TILE_W.min(size - left);
                    tile.fill(0.0);
                    for chunk in chunks.iter().filter(|chunk| !chunk.bins[index].is_empty()) {
                        cover_shadow(chunk, index, [left, band * TILE_H], &view, tile);
                    }
                    for (row, from) in out.chunks_mut(size).zip(tile.chunks(TILE_W)) {
                        row[left..left + width].copy_from_slice(&from[..width]);
                    }
                }
            },
        );
    }

    /// How much of the light reaches points of the world: the mean of the four nearest texels'
    /// answers, weighted by distance.
    #[inline(always)]
    pub(crate) fn lit(&self, world: &[F32x8; 3], count: usize) -> F32x8 {
        let (zero, one, half) = (F32x8::splat(0.0), F32x8::splat(1.0), F32x8::splat(0.5));
        let [x, y, z, w] = self.rows.map_inline(|row| {
            let [a, b, c, d] = row.map_inline(F32x8::splat);
            a * world[0] + b * world[1] + c * world[2] + d
        });
        let inverse = one / w;
        let (x, y, depth) = (x * inverse - half, y * inverse - half, z * inverse);
        let last = F32x8::splat(self.size as f32 - 2.0);
        // What the light does not see is lit; so is a NaN.
        let seen = x.ge(zero) & y.ge(zero) & x.lt(last) & y.lt(last);
        if seen.lanes() == 0 {
            return one;
        }
        let (column, row) = (x.only(seen).truncated(), y.only(seen).truncated());
        let (px, py) = (x - column.numbers(), y - row.numbers());
        let (column, row) = (column.store(), row.store());
        let mut nearest = [[0.0; LANES]; 4];
        for l in 0..count.min(LANES) {
            let start = row[l] as usize * self.size + column[l] as usize;
            let (Some(low), Some(high)) = (
                self.depth.get(start..start + 2),
                self.depth.get(start + self.size..start + self.size + 2),
            ) else {
                continue;
            };
            for (k, depth) in [low[0], low[1], high[0], high[1]].into_iter().enumerate() {
                nearest[k][l] = depth;
            }
        }
        let dark = nearest.map_inline(|nearest| one.only(depth.lt(F32x8::load(&nearest))));
        let (low, high) = (dark[0] + (dark[1] - dark[0]) * px, dark[2] + (dark[3] - dark[2]) * px);
        one - (low + (high - low) * py).only(seen)
    }
}
