//! One pass over the image: geometry by chunks of draws, then tile by tile what is opaque, then what is
//! translucent, in order.

use std::ops::Range;

use corten_math::array::MapInline;
use corten_math::{F32x8, I32x8, wide};

use crate::draw::{Draw, View};
use crate::geometry::{Chunk, TILE_H, TILE_W};
use crate::parallel::share;
use crate::raster::{LANES, NONE, Scan, TILE, cover};
use crate::shade::{Setup, Shader, Slopes, colours};

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
    pub bases: Vec<i32>,
    /// Chunks of what is translucent, and the order in which to draw them.
    pub translucent: &'a [Chunk],
    pub order: &'a [(usize, Blend)],
    /// What mirrors show: of each row all reds, then greens, then blues.
    pub mirrored: Option<&'a [f32]>,
}

/// Numbers of the first triangles of chunks.
pub(crate) fn bases(chunks: &[Chunk]) -> Vec<i32> {
    let mut sum = 0;
    chunks
        .iter()
        .map(|chunk| {
            let base = sum;
            sum += chunk.triangles.len() as i32;
            base
        })
        .collect()
}

/// Working memory of a thread.
#[derive(Debug, Default)]
pub(crate) struct Tile {
    depth: Vec<f32>,
    ids: Vec<i32>,
    /// Reds, greens and blues of pixels, or of all samples where something is translucent.
    colour: [Vec<f32>; 3],
    setups: Vec<(i32, Setup)>,
    slopes: Vec<Slopes>,
    table: Vec<u32>,
}

/// Entries of the table that finds triangles again.
const TABLE: usize = 256;

/// Room for eight lanes that begin in the last pixels of a tile.
const PLANE: usize = TILE + LANES;

impl Tile {
    /// The ids of eight pixels are one: a bit for each of them.
    #[inline(always)]
    fn same(&self, place: usize, id: i32, samples: usize) -> u32 {
        let lanes = |s: usize| {
            let ids = self.ids[s * TILE + place..].first_chunk::<LANES>();
            ids.map_or(0, |ids| I32x8::load(ids).equal(I32x8::splat(id)).lanes())
        };
        (1..samples).fold(lanes(0), |same, s| same & lanes(s))
    }

    /// Sets colours of eight pixels; those beyond a run are set again by the runs that follow.
    #[inline(always)]
    fn set(&mut self, place: usize, colours: &[[f32; LANES]; 3]) {
        for (plane, colours) in self.colour.iter_mut().zip(colours) {
            if let Some(plane) = plane[place..].first_chunk_mut::<LANES>() {
                *plane = *colours;
            }
        }
    }
}

impl Pass<'_> {
    /// Draws every tile; `write` receives rows of pixels: band of rows, row within it, first
    /// column, reds, greens and blues, depths.
    pub(crate) fn run<O: Send>(
        &self,
        threads: usize,
        bands: impl ExactSizeIterator<Item = (usize, O)> + Send,
        write: impl Fn(&mut O, usize, usize, [&[f32]; 3], &[f32]) + Sync,
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
                    let row = y * TILE_W..y * TILE_W + width;
                    let colours = tile.colour.each_ref().map(|plane| &plane[row.clone()]);
                    write(&mut out, y, origin[0], colours, &tile.depth[row.clone()]);
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
        tile.ids.resize(samples * TILE + LANES, NONE);
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
        let planes = if blends { samples } else { 1 };
        for plane in &mut tile.colour {
            plane.clear();
            plane.resize(planes * PLANE, 0.0);
        }
        for y in 0..TILE_H.min(view.height - origin[1]) {
            self.resolve_row(tile, y, origin, planes);
        }
        if blends {
            for &(number, blend) in self.order {
                self.blend(tile, &self.translucent[number], blend, index, origin);
            }
            tile.colour.iter_mut().for_each(|plane| mean(plane, samples));
        }
    }

    /// Colours of a row of pixels from the triangles that are seen there.
    fn resolve_row(&self, tile: &mut Tile, y: usize, origin: [usize; 2], planes: usize) {
        let samples = self.shader.view.samples.len();
        let width = TILE_W.min(self.shader.view.width - origin[0]);
        let mut x = 0;
        while x < width {
            let place = y * TILE_W + x;
            let id = tile.ids[place];
            let run = tile.same(place, id, samples).trailing_ones() as usize;
            if run == 0 {
                self.resolve_mixed(tile, x, y, origin, planes);
                x += 1;
                continue;
            }
            let count = run.min(width - x);
            let colours = if id == NONE {
                [[0.0; LANES]; 3]
            } else {
                self.shaded(tile, id, x, y, count, origin)
            };
            for s in 0..planes {
                tile.set(s * PLANE + place, &colours);
            }
            x += count;
        }
    }

    /// A pixel at an edge: each triangle once, with the samples that it has.
    fn resolve_mixed(
        &self,
        tile: &mut Tile,
        x: usize,
        y: usize,
        origin: [usize; 2],
        planes: usize,
    ) {
        let samples = self.shader.view.samples.len();
        let place = y * TILE_W + x;
        let weight = 1.0 / samples as f32;
        let mut sum = [0.0; 3];
        for s in 0..samples {
            let id = tile.ids[s * TILE + place];
            let known = (0..s).any(|k| tile.ids[k * TILE + place] == id);
            if known {
                continue;
            }
            let colour = if id == NONE {
                [0.0; 3]
            } else {
                self.shaded(tile, id, x, y, 1, origin).map_inline(|plane| plane[0])
            };
            for k in s..samples {
                if tile.ids[k * TILE + place] == id {
                    for i in 0..3 {
                        sum[i] += colour[i] * weight;
                        if planes > 1 {
                            tile.colour[i][k * PLANE + place] = colour[i];
                        }
                    }
                }
            }
        }
        if planes == 1 {
            (0..3).for_each(|i| tile.colour[i][place] = sum[i]);
        }
    }

    /// Final colours of `count` pixels that show a triangle.
    fn shaded(
        &self,
        tile: &mut Tile,
        id: i32,
        x: usize,
        y: usize,
        count: usize,
        origin: [usize; 2],
    ) -> [[f32; LANES]; 3] {
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
        let mut rgb = colours(&self.shader, &setup, &tile.slopes, x, y, count).rgb;
        let mirror = self.mirrored.filter(|_| self.shader.draws[setup.draw as usize].mirror);
        if let Some(mirror) = mirror {
            let width = self.shader.view.width;
            let row = 3 * (origin[1] + y) * width + origin[0] + x;
            for k in 0..3 {
                let mut behind = [0.0; LANES];
                let start = row + k * width;
                behind[..count].copy_from_slice(&mirror[start..start + count]);
                rgb[k] = rgb[k] + F32x8::load(&behind);
            }
        }
        rgb.map_inline(|plane| plane.unit().store())
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
                let mut over = None;
                for (s, &sample) in shader.view.samples.iter().enumerate() {
                    let Some(depth) = tile.depth[s * TILE + place..].first_chunk::<LANES>() else {
                        break;
                    };
                    let (z, inside) = scan.test(&scan.at(sample), x, y);
                    let passed = inside & z.ge(F32x8::load(depth));
                    if passed.lanes() == 0 {
                        continue;
                    }
                    let over = over.get_or_insert_with(|| {
                        colours(shader, setup, &tile.slopes, x, y, LANES)
                    });
                    let one = F32x8::splat(1.0);
                    let alpha = over.alpha.unit();
                    let rest = if blend == Blend::Add { one } else { one - alpha };
                    for k in 0..3 {
                        let plane = &mut tile.colour[k][s * PLANE + place..];
                        let Some(under) = plane.first_chunk_mut::<LANES>() else { break };
                        let below = F32x8::load(under);
                        let mixed = (over.rgb[k].unit() * alpha + below * rest).min(one);
                        *under = passed.choose(mixed, below).store();
                    }
                }
                x += LANES;
            }
        }
    }
}

/// Colours of pixels as means of their samples'.
fn mean(plane: &mut [f32], samples: usize) {
    let weight = 1.0 / samples as f32;
    for i in 0..TILE {
        let sum: f32 = (0..samples).map(|s| plane[s * PLANE + i]).sum();
        plane[i] = sum * weight;
    }
}
