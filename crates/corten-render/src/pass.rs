//! One pass over the image: geometry by chunks of draws, then tile by tile what is opaque, then what is
//! translucent, in order.

use std::ops::Range;

use corten_math::array::MapInline;
use corten_math::{F32x8, Four, I32x8, Mask32x8, Wide, wide};

use crate::draw::{Draw, View};
use crate::geometry::{Chunk, TILE_H, TILE_W};
use crate::parallel::Job;
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

/// Jobs that bring the draws of each range to a chunk; there are as many chunks then.
pub(crate) fn fill_chunks<'a>(
    chunks: &'a mut Vec<Chunk>,
    ranges: Vec<Range<usize>>,
    draws: &'a [Draw<'a>],
    view: &'a View,
) -> impl Iterator<Item = Job<'a, Tile>> {
    chunks.resize_with(ranges.len(), Chunk::default);
    chunks.iter_mut().zip(ranges).map(move |(chunk, range)| -> Job<Tile> {
        Box::new(move |_| chunk.fill(&draws[range.clone()], range.start, view))
    })
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
    pub depth: Vec<f32>,
    ids: Vec<i32>,
    /// Reds, greens and blues of pixels, or of all samples where something is translucent.
    colour: [Vec<f32>; 3],
    setups: Vec<(i32, Setup)>,
    slopes: Vec<Slopes>,
    table: Vec<u32>,
}

/// Entries of the table that finds triangles again.
const TABLE: usize = 256;

/// Most samples of a pixel.
const SAMPLES: usize = 8;

/// Triangles, with several samples, that a run of pixels goes on with.
const MIXED: usize = 4;

/// Room for eight lanes that begin in the last pixels of a tile.
const PLANE: usize = TILE + LANES;

impl Tile {
    /// Which of eight pixels show a triangle at a sample.
    #[inline(always)]
    fn shows<S: Wide>(&self, id: i32, sample: usize, place: usize) -> Mask32x8<S> {
        let ids = self.ids[sample * TILE + place..].first_chunk();
        ids.map_or(I32x8::splat(NONE), I32x8::load).equal(I32x8::splat(id))
    }

    /// Colours of eight pixels at a sample.
    #[inline(always)]
    fn eight(&mut self, k: usize, sample: usize, place: usize) -> Option<&mut [f32; LANES]> {
        self.colour[k][sample * PLANE + place..].first_chunk_mut()
    }
}

impl Pass<'_> {
    /// Draws the tiles of a band; `write` receives rows of pixels: row within the band, first column,
    /// reds, greens and blues, depths.
    pub(crate) fn band(
        &self,
        tile: &mut Tile,
        band: usize,
        mut write: impl FnMut(usize, usize, [&[f32]; 3], &[f32]),
    ) {
        let view = self.shader.view;
        let columns = view.width.div_ceil(TILE_W);
        for column in 0..columns {
            let (index, origin) = (band * columns + column, [column * TILE_W, band * TILE_H]);
            let width = TILE_W.min(view.width - origin[0]);
            let height = TILE_H.min(view.height - origin[1]);
            if self.is_empty(index) {
                let nothing = &[0.0; TILE_W][..width];
                (0..height).for_each(|y| write(y, origin[0], [nothing; 3], nothing));
                continue;
            }
            self.tile(tile, index, origin);
            for y in 0..height {
                let row = y * TILE_W..y * TILE_W + width;
                let colours = tile.colour.each_ref().map(|plane| &plane[row.clone()]);
                write(y, origin[0], colours, &tile.depth[row.clone()]);
            }
        }
    }

    /// Whether nothing is seen in a tile.
    fn is_empty(&self, tile: usize) -> bool {
        self.opaque.iter().chain(self.translucent).all(|chunk| chunk.bins[tile].is_empty())
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
        // What was there before is overwritten.
        tile.colour.iter_mut().for_each(|plane| plane.resize(planes * PLANE, 0.0));
        resolve(self, tile, origin, planes);
        if blends {
            for &(number, blend) in self.order {
                self.blend(tile, &self.translucent[number], blend, index, origin);
            }
            tile.colour.iter_mut().for_each(|plane| mean(plane, samples));
        }
    }

    /// Colours of a pixel, and of those after it, up to eight, that show the same triangles or a few
    /// more; gives their number. Each triangle is shaded once, and counts by the samples that it has.
    #[inline(always)]
    fn resolve_run<S: Wide>(
        &self,
        tile: &mut Tile,
        [x, y]: [usize; 2],
        origin: [usize; 2],
        planes: usize,
    ) -> usize {
        let view = self.shader.view;
        let (samples, place) = (view.samples.len().min(SAMPLES), y * TILE_W + x);
        let width = TILE_W.min(view.width - origin[0]);
        // Triangles; bits of pixels whose triangle at a sample is among those; pixels from the first on
        // that show no others. With one sample, a run ends where its triangle does.
        let (mut ids, mut count) = ([NONE; SAMPLES], 0);
        let mut known = [0u32; SAMPLES];
        let mut run = 0;
        while count < if run > 0 { samples.min(MIXED) } else { SAMPLES }
            && run < LANES.min(width - x)
        {
            let s = known.iter().take(samples).position(|known| known >> run & 1 == 0);
            let id = tile.ids[s.unwrap_or(0) * TILE + place + run];
            (0..samples).for_each(|k| known[k] |= tile.shows::<S>(id, k, place).lanes());
            ids[count] = id;
            count += 1;
            let all = known[..samples].iter().fold(u32::MAX, |all, known| all & known);
            run = (all.trailing_ones() as usize).min(width - x);
        }
        let zero = F32x8::<S>::splat(0.0);
        let weight = F32x8::splat(1.0 / samples as f32);
        let mut sum = [zero; 3];
        for &id in &ids[..count] {
            let colours = match id {
                NONE => [zero; 3],
                _ => self.shaded(tile, id, x, y, run, origin),
            };
            let mut share = zero;
            for s in 0..samples {
                let shows = tile.shows(id, s, place);
                share = share + weight.only(shows);
                for k in 0..if planes > 1 { 3 } else { 0 } {
                    if let Some(eight) = tile.eight(k, s, place) {
                        *eight = shows.choose(colours[k], F32x8::load(eight)).store();
                    }
                }
            }
            (0..3).for_each(|k| sum[k] = sum[k] + colours[k] * share);
        }
        if planes == 1 {
            // What is beyond the run is set again by those that follow.
            for (k, sum) in sum.into_iter().enumerate() {
                if let Some(eight) = tile.eight(k, 0, place) {
                    *eight = sum.store();
                }
            }
        }
        run
    }

    /// Final colours of `count` pixels that show a triangle.
    #[inline(always)]
    fn shaded<S: Wide>(
        &self,
        tile: &mut Tile,
        id: i32,
        x: usize,
        y: usize,
        count: usize,
        origin: [usize; 2],
    ) -> [F32x8<S>; 3] {
        let slot = id as usize % TABLE;
        let known = tile.setups.get(tile.table[slot] as usize).filter(|(own, _)| *own == id);
        let setup = match known {
            Some((_, setup)) => *setup,
            None => {
                let number = self.bases.partition_point(|&base| base <= id) - 1;
                let chunk = &self.opaque[number];
                let triangle = &chunk.triangles[(id - self.bases[number]) as usize];
                let setup = self.shader.prepare::<S>(chunk, triangle, origin, &mut tile.slopes);
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
                let rest = &mirror[row + k * width..];
                let behind = rest.first_chunk().copied().unwrap_or_else(|| {
                    // The last pixels of the image.
                    let mut behind = [0.0; LANES];
                    behind.iter_mut().zip(rest).for_each(|(behind, x)| *behind = *x);
                    behind
                });
                rgb[k] = rgb[k] + F32x8::load(&behind);
            }
        }
        rgb.map_inline(F32x8::unit)
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
            let setup = self.shader.prepare::<Four>(chunk, triangle, origin, &mut tile.slopes);
            lay(&self.shader, &scan, &setup, blend, tile);
        }
        // Prepared triangles of what is opaque are gone.
        tile.setups.clear();
    }
}

wide! {
    /// Colours of the pixels of a tile from what is opaque.
    fn resolve(pass: &Pass<'_>, tile: &mut Tile, origin: [usize; 2], planes: usize) {
        let view = pass.shader.view;
        for y in 0..TILE_H.min(view.height - origin[1]) {
            let mut x = 0;
            while x < TILE_W.min(view.width - origin[0]) {
                x += pass.resolve_run::<Simd>(tile, [x, y], origin, planes);
            }
        }
    }

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
                        colours::<Simd>(shader, setup, &tile.slopes, x, y, LANES)
                    });
                    let one = F32x8::splat(1.0);
                    let alpha = over.alpha.unit();
                    let rest = if blend == Blend::Add { one } else { one - alpha };
                    for k in 0..3 {
                        let Some(under) = tile.eight(k, s, place) else { break };
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
