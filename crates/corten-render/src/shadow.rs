//! Shadows: depths as seen from a light.

use corten_math::{F32x8, I32x8, Wide};

use crate::draw::{CENTER, View};
use crate::geometry::{Chunk, TILE_H, TILE_W};
use crate::light::Lights;
use crate::linear::{Mat4, along};
use crate::parallel::Job;
use crate::pass::Tile;
use crate::raster::{TILE, cover_shadow};

/// Depths of what a light sees.
#[derive(Debug, Default)]
pub(crate) struct ShadowMap {
    size: usize,
    /// From the world to texels and depth.
    rows: [[f32; 4]; 4],
    depth: Vec<f32>,
}

/// A view from a light, with no colours.
pub(crate) fn view_of(eye: Mat4, projection: Mat4, size: usize) -> View {
    View {
        eye,
        projection,
        width: size,
        height: size,
        samples: CENTER,
        mirrored: false,
        clip: None,
        lights: Lights::default(),
        shaded: false,
    }
}

impl ShadowMap {
    /// Jobs that look at chunks from a light.
    pub(crate) fn update<'a>(
        &'a mut self,
        chunks: &'a [Chunk],
        view: &'a View,
    ) -> impl Iterator<Item = Job<'a, Tile>> {
        let size = view.width;
        self.size = size;
        let half = 0.5 * size as f64;
        let to_texels = Mat4([
            [half, 0.0, 0.0, half],
            [0.0, half, 0.0, half],
            [0.0, 0.0, 1.0, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ]);
        self.rows = to_texels.times(&view.projection).times(&view.eye).rows();
        self.depth.resize(size * size, 0.0);
        let bands = self.depth.chunks_mut(TILE_H * size).enumerate();
        bands.map(move |(band, out)| -> Job<Tile> {
            Box::new(move |tile| look(chunks, view, band, &mut tile.depth, out))
        })
    }

    /// How much of the light reaches points of the world: the mean of the four nearest texels'
    /// answers, weighted by distance.
    #[inline(always)]
    pub(crate) fn lit<S: Wide>(&self, world: &[F32x8<S>; 3]) -> F32x8<S> {
        let (zero, one, half) = (F32x8::splat(0.0), F32x8::splat(1.0), F32x8::splat(0.5));
        let [x, y, z, w] = &self.rows;
        let (x, y, z, w) = (along(x, world), along(y, world), along(z, world), along(w, world));
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
        let size = self.size as i32;
        let start = row * I32x8::splat(size) + column;
        let mut dark = [zero; 4];
        for (dark, further) in dark.iter_mut().zip([0, 1, size, size + 1]) {
            let nearest = F32x8::gather(&self.depth, start + I32x8::splat(further));
            *dark = one.only(depth.lt(nearest));
        }
        let (low, high) = (dark[0] + (dark[1] - dark[0]) * px, dark[2] + (dark[3] - dark[2]) * px);
        one - (low + (high - low) * py).only(seen)
    }
}

/// Depths of a band of tiles.
fn look(chunks: &[Chunk], view: &View, band: usize, tile: &mut Vec<f32>, out: &mut [f32]) {
    let size = view.width;
    let columns = size.div_ceil(TILE_W);
    for column in 0..columns {
        let index = band * columns + column;
        let left = column * TILE_W;
        let width = TILE_W.min(size - left);
        tile.clear();
        tile.resize(TILE, 0.0);
        for chunk in chunks.iter().filter(|chunk| !chunk.bins[index].is_empty()) {
            cover_shadow(chunk, index, [left, band * TILE_H], view, tile);
        }
        for (row, from) in out.chunks_mut(size).zip(tile.chunks(TILE_W)) {
            row[left..left + width].copy_from_slice(&from[..width]);
        }
    }
}
