//! Shadows: depths as seen from a light.

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
    pub(crate) fn lit(&self, world: &[[f32; LANES]; 3], count: usize) -> [f32; LANES] {
        let m = &self.rows;
        let mut place = [[0.0; LANES]; 4];
        for r in 0..4 {
            for l in 0..LANES {
                place[r][l] =
                    m[r][0] * world[0][l] + m[r][1] * world[1][l] + m[r][2] * world[2][l] + m[r][3];
            }
        }
        for l in 0..LANES {
            let inverse = 1.0 / place[3][l];
            place[0][l] = place[0][l] * inverse - 0.5;
            place[1][l] = place[1][l] * inverse - 0.5;
            place[2][l] *= inverse;
        }
        let mut lit = [1.0; LANES];
        for l in 0..count.min(LANES) {
            lit[l] = self.share_lit(place[0][l], place[1][l], place[2][l]);
        }
        lit
    }

    #[inline(always)]
    fn share_lit(&self, x: f32, y: f32, depth: f32) -> f32 {
        let last = self.size as f32 - 2.0;
        // What the light does not see is lit; so is a NaN.
        if !(x >= 0.0 && y >= 0.0 && x < last && y < last) {
            return 1.0;
        }
        let (column, row) = (x as usize, y as usize);
        let (px, py) = (x - column as f32, y - row as f32);
        let start = row * self.size + column;
        let (Some(low), Some(high)) = (
            self.depth.get(start..start + 2),
            self.depth.get(start + self.size..start + self.size + 2),
        ) else {
            return 1.0;
        };
        let mut answers = [1.0f32; 4];
        for (answer, &nearest) in answers.iter_mut().zip([low[0], low[1], high[0], high[1]].iter())
        {
            *answer = if depth < nearest { 0.0 } else { 1.0 };
        }
        let low = answers[0] + (answers[1] - answers[0]) * px;
        let high = answers[2] + (answers[3] - answers[2]) * px;
        low + (high - low) * py
    }
}
