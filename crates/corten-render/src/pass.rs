//! One pass over the image: geometry by chunks of draws, then tile by tile what is opaque, then what is
//! translucent, in order.

use std::ops::Range;

use corten_math::wide;

use crate::draw::{Draw, View};
use crate::geometry::{Chunk, TILE_H, TILE_W};
use crate::linear::V3;
use crate::parallel::share;
use crate::raster::{LANES, NONE, Scan, TILE, cover};
use crate::shade::{Setup, Shader, Slope};

/// Draws with about as many faces each, to be worked on by one thread each. More of them than
/// threads, since some draws are out of sight.
pub(crate) fn divide(draws: &[Draw], threads: usize) -> Vec<Range<usize>> {
    let faces = |draw: &Draw| 16 + draw.mesh.faces.len();
    let total: usize = draws.iter().map(faces).sum();
    let share = if threads > 1 { (total / (8 * threads)).max(2000) } else { usize::MAX };
    let mut ranges = Vec::new();
    let (mut start, mut sum) = (0, 0);
    for (i, draw) in draws.iter().enumerate() {
        sum += faces(draw);
        if sum >= share || i + 1 == draws.len() {
            ranges.push(start..i + 1);
            (start, sum) = (i + 1, 0);
        }
    }
    ranges
}

/// Brings the draws of each range to a chunk.
pub(crate) fn fill_chunks(
    chunks: &mut Vec<Chunk>,
    ranges: &[Range<usize>],
    draws: &[Draw],
    view: &View,
    threads: usize,
) {
    if chunks.len() < ranges.len() {
        chunks.resize_with(ranges.len(), Chunk::default);
    }
    let jobs = chunks[..ranges.len()].iter_mut().zip(ranges);
    share(
        threads,
        jobs,
        || (),
        |(), (chunk, range)| {
            chunk.fill(&draws[range.clone()], range.start, view);
        },
    );
}

/// How translucent colours join what is behind them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blend {
    Over,
    Add,
}

/// All that is drawn in a pass.
pub(crate) struct Pass<'a> {
    pub shader: Shader<'a>,
    /// Chunks of what is opaque, and the number of the first triangle of each.
    pub opaque: &'a [Chunk],
    pub bases: Vec<u32>,
    /// Chunks of what is translucent, and the order in which to draw them.
    pub translucent: &'a [Chunk],
    pub order: &'a [(usize, Blend)],
    /// What mirrors show, per pixel.
    pub mirrored: Option<&'a [V3]>,
}

/// Numbers of the first triangles of chunks.
pub(crate) fn bases(chunks: &[Chunk]) -> Vec<u32> {
    let mut sum = 0;
    chunks
        .iter()
        .map(|chunk| {
            let base = sum;
            sum += chunk.triangles.len() as u32;
            base
        })
        .collect()
}

/// Working memory of a thread.
#[derive(Debug, Default)]
pub(crate) struct Tile {
    depth: Vec<f32>,
    ids: Vec<u32>,
    /// Colours of pixels, or of all samples where something is translucent.
    colour: Vec<V3>,
    setups: Vec<(u32, Setup)>,
    slopes: Vec<Slope>,
    table: Vec<u32>,
}

/// Entries of the table that finds triangles again.
const TABLE: usize = 256;

impl Pass<'_> {
    /// Draws every tile; `write` receives rows of pixels: band of rows, row within it, first
    /// column, colours, depths.
    pub(crate) fn run<O: Send>(
        &self,
        threads: usize,
        bands: impl ExactSizeIterator<Item = (usize, O)> + Send,
        write: impl Fn(&mut O, usize, usize, &[V3], &[f32]) + Sync,
    ) {
        let view = self.shader.view;
        let columns = view.width.div_ceil(TILE_W);
        share(threads, bands, Tile::default, |tile, (band, mut out)| {
            for column in 0..columns {
                let origin = [column * TILE_W, band * TILE_H];
                self.tile(tile, band * columns + column, origin);
                let width = TILE_W.min(view.width - origin[0]);
                let height = TILE_H.min(view.height - origin[1]);
                for y in 0..height {
                    let start = y * TILE_W;
                    let (colour, depth) = (&tile.colour[start..], &tile.depth[start..]);
                    write(&mut out, y, origin[0], &colour[..width], &depth[..width]);
                }
            }
        });
    }

    fn tile(&self, tile: &mut Tile, index: usize, origin: [usize; 2]) {
        let view = self.shader.view;
        let samples = view.samples.len();
        tile.depth.clear();
        tile.depth.resize(samples * TILE, 0.0);
        tile.ids.clear();
        tile.ids.resize(samples * TILE, NONE);
        tile.setups.clear();
        tile.slopes.clear();
        tile.table.clear();
        tile.table.resize(TABLE, u32::MAX);
        for (chunk, &base) in self.opaque.iter().zip(&self.bases) {
            if !chunk.bins[index].is_empty() {
                cover(chunk, base, index, origin, view, &mut tile.depth, &mut tile.ids);
            }
        }
        let blends = self.translucent.iter().any(|chunk| !chunk.bins[index].is_empty());
        tile.colour.clear();
        tile.colour.resize(if blends { samples * TILE } else { TILE }, [0.0; 3]);
        for y in 0..TILE_H.min(view.height - origin[1]) {
            self.resolve_row(tile, y, origin, blends);
        }
        if blends {
            for &(number, blend) in self.order {
                self.blend(tile, &self.translucent[number], blend, index, origin);
            }
            mean(&mut tile.colour, samples);
        }
    }

    /// Colours of a row of pixels from the triangles that are seen there.
    fn resolve_row(&self, tile: &mut Tile, y: usize, origin: [usize; 2], blends: bool) {
        let samples = self.shader.view.samples.len();
        let width = TILE_W.min(self.shader.view.width - origin[0]);
        let start = y * TILE_W;
        let mut x = 0;
        while x < width {
            let id = tile.ids[start + x];
            let ids = &tile.ids;
            let same = |x: usize| {
                ids[start + x] == id && (1..samples).all(|s| ids[s * TILE + start + x] == id)
            };
            if !same(x) {
                self.resolve_mixed(tile, x, y, origin, blends);
                x += 1;
                continue;
            }
            let mut end = x + 1;
            while end < width && end < x + LANES && same(end) {
                end += 1;
            }
            if id != NONE {
                let colours = self.shaded(tile, id, x, y, end - x, origin);
                for l in 0..end - x {
                    for s in 0..if blends { samples } else { 1 } {
                        tile.colour[s * TILE + start + x + l] = colours[l];
                    }
                }
            }
            x = end;
        }
    }

    /// A pixel at an edge: each triangle once, with the samples that it has.
    fn resolve_mixed(&self, tile: &mut Tile, x: usize, y: usize, origin: [usize; 2], blends: bool) {
        let samples = self.shader.view.samples.len();
        let place = y * TILE_W + x;
        let weight = 1.0 / samples as f32;
        let mut sum = [0.0; 3];
        for s in 0..samples {
            let id = tile.ids[s * TILE + place];
            if id == NONE || (0..s).any(|k| tile.ids[k * TILE + place] == id) {
                continue;
            }
            let colour = self.shaded(tile, id, x, y, 1, origin)[0];
            for k in s..samples {
                if tile.ids[k * TILE + place] == id {
                    (0..3).for_each(|i| sum[i] += colour[i] * weight);
                    if blends {
                        tile.colour[k * TILE + place] = colour;
                    }
                }
            }
        }
        if !blends {
            tile.colour[place] = sum;
        }
    }

    /// Final colours of `count` pixels that show a triangle.
    fn shaded(
        &self,
        tile: &mut Tile,
        id: u32,
        x: usize,
        y: usize,
        count: usize,
        origin: [usize; 2],
    ) -> [V3; LANES] {
        let slot = id as usize % TABLE;
        let known = tile.setups.get(tile.table[slot] as usize).filter(|(own, _)| *own == id);
        let setup = match known {
            Some((_, setup)) => *setup,
            None => {
                let number = self.bases.partition_point(|&base| base <= id) - 1;
                let chunk = &self.opaque[number];
                let triangle = &chunk.triangles[(id - self.bases[number]) as usize];
                let setup = self.shader.prepare(chunk, triangle, origin, &mut tile.slopes);
                tile.table[slot] = tile.setups.len() as u32;
                tile.setups.push((id, setup));
                setup
            }
        };
        let colours = self.shader.colours(&setup, &tile.slopes, x, y, count);
        let mirror = self.mirrored.filter(|_| self.shader.draws[setup.draw as usize].mirror);
        let row = (origin[1] + y) * self.shader.view.width + origin[0] + x;
        let mut out = [[0.0; 3]; LANES];
        for (l, out) in out.iter_mut().enumerate().take(count) {
            let behind = mirror.and_then(|mirror| mirror.get(row + l)).copied().unwrap_or([0.0; 3]);
            for k in 0..3 {
                out[k] = (colours.rgb[k][l] + behind[k]).clamp(0.0, 1.0);
            }
        }
        out
    }

    /// Lays the triangles of a chunk over what is there.
    fn blend(
        &self,
        tile: &mut Tile,
        chunk: &Chunk,
        blend: Blend,
        index: usize,
        origin: [usize; 2],
    ) {
        for &triangle in &chunk.bins[index] {
            let triangle = &chunk.triangles[triangle as usize];
            let Some(scan) = Scan::new(triangle, self.shader.view, origin) else { continue };
            tile.slopes.clear();
            let setup = self.shader.prepare(chunk, triangle, origin, &mut tile.slopes);
            lay(&self.shader, &scan, &setup, blend, tile);
        }
        // Prepared triangles of what is opaque are gone.
        tile.setups.clear();
    }
}

wide! {
    /// Lays one triangle over what is there.
    fn lay(shader: &Shader<'_>, scan: &Scan, setup: &Setup, blend: Blend, tile: &mut Tile) {
        for y in scan.y[0]..scan.y[1] {
            let mut x = scan.x[0];
            while x < scan.x[1] {
                let place = y * TILE_W + x;
                let mut colours = None;
                for (s, &sample) in shader.view.samples.iter().enumerate() {
                    let start = s * TILE + place;
                    let Some(depth) = tile.depth[start..].first_chunk::<LANES>() else { break };
                    let (_, passed) = scan.test(&scan.at(sample), x, y, depth);
                    if passed == [false; LANES] {
                        continue;
                    }
                    let colours = colours.get_or_insert_with(|| {
                        shader.colours(setup, &tile.slopes, x, y, LANES)
                    });
                    for l in (0..LANES).filter(|&l| passed[l]) {
                        let under = &mut tile.colour[start + l];
                        let alpha = colours.alpha[l].clamp(0.0, 1.0);
                        let rest = if blend == Blend::Add { 1.0 } else { 1.0 - alpha };
                        for k in 0..3 {
                            let colour = colours.rgb[k][l].clamp(0.0, 1.0);
                            under[k] = (colour * alpha + under[k] * rest).min(1.0);
                        }
                    }
                }
                x += LANES;
            }
        }
    }
}

/// Colours of pixels as means of their samples'.
fn mean(colour: &mut [V3], samples: usize) {
    let weight = 1.0 / samples as f32;
    for i in 0..TILE {
        let sum = (0..samples)
            .fold([0.0; 3], |sum: V3, s| [0, 1, 2].map(|k| sum[k] + colour[s * TILE + i][k]));
        colour[i] = sum.map(|x| x * weight);
    }
}
