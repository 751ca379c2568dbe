//! Extreme vertices of a hull by direction.
//!
//! A climb along edges from a fixed or a previous vertex takes many steps if the direction has
//! turned. A table divides directions into cells and gives for each a vertex that is extreme for
//! its centre, a step or two away from the answer. Steps look at all edges of a vertex at once:
//! these are stored as differences, eight to a block, in single precision.
//!
//! Which vertex a climb finds depends on its start only where several are equally far, or so
//! nearly that the hull's own rounding matters. An answer is therefore given only if all
//! neighbours lie clearly lower: such a vertex is the one that every climb finds.

use corten_math::memory::{self, Gather};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use corten_math::array;
use corten_math::array::MapInline;
use corten_math::{F32x8, Mask, Number, Vec3, Wide, wide};

use crate::shape::{HullGraph, Mesh};

/// Cells along an edge of the square that directions are mapped to; a power of two.
const CELLS: usize = 32;

/// How far neighbours must lie below, relative to the vertex: above the rounding of vertices,
/// which are single precision.
const CLEAR: f64 = 1e-6;

/// What rounding may add to the height of a neighbour, relative to the edge: eight times the
/// spacing of single precision.
const EDGE_ROUNDING: f64 = 5e-7;

/// A search that has taken this many steps is left to the caller: tables end within a few.
const MAX_STEPS: usize = 256;

/// The extreme vertices of one hull, copied from its mesh. A mesh that has been changed since is
/// noticed when a vertex is found that has moved; that search is then left to the caller.
#[derive(Debug, Default)]
pub struct Extremes {
    /// Block of the vertex to start from, by cell.
    cells: Vec<u16>,
    blocks: Vec<Block>,
    /// For each block.
    positions: Vec<Positions>,
    /// First block of each vertex.
    first: Vec<u16>,
    corners: Vec<Corner>,
    changed: Arc<AtomicBool>,
}

/// A vertex of the hull, and its number in the mesh.
#[derive(Clone, Copy, Debug)]
struct Corner {
    position: Vec3,
    /// The position as it is in the mesh.
    single: [u32; 3],
    id: i32,
}

/// Up to eight edges of a vertex. Lanes without edge repeat the first one.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Block {
    /// Differences to the neighbours, coordinate by coordinate.
    edges: [[f32; F32x8::LANES]; 3],
    /// First blocks of the neighbours.
    to: [u16; F32x8::LANES],
    /// The vertex, numbered along the hull.
    vertex: u16,
    /// How many blocks of the same vertex follow.
    more: u16,
    /// How far a neighbour must lie above to be the higher vertex for sure, and where all of them
    /// lie below if this one is the highest for sure.
    clear: f32,
    lower: f32,
}

/// Where the neighbours of a block are, coordinate by coordinate.
type Positions = [[f32; F32x8::LANES]; 3];

/// A vertex that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Extreme {
    /// Number along the hull, and in the mesh.
    pub corner: usize,
    pub vertex: i32,
    pub hint: Hint,
    pub position: Vec3,
}

/// A block, and its vertex.
#[derive(Clone, Copy)]
struct Place {
    block: u16,
    vertex: u16,
}

/// Where a climb ended: at a vertex that clearly exceeds its neighbours, or at a block of another.
type Climb = Result<Place, u16>;

/// Where a search may start: at a vertex found earlier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hint(pub(crate) u16);

impl Default for Hint {
    fn default() -> Hint {
        Hint::NONE
    }
}

impl Hint {
    /// Nothing was found yet.
    pub const NONE: Hint = Hint(u16::MAX);
}

impl Extremes {
    /// `None` for hulls that are damaged, or too large for the format. `changed` is set by the
    /// first search that finds the mesh changed.
    pub fn new(
        vert: &[[f32; 3]],
        graph: &HullGraph<'_>,
        changed: &Arc<AtomicBool>,
    ) -> Option<Extremes> {
        let corner = |&id: &i32| {
            let position = vert.get(usize::try_from(id).ok()?)?;
            let corner =
                Corner { position: Vec3(position.map(f64::from)), single: bits(position), id };
            position.iter().all(|x| x.is_finite()).then_some(corner)
        };
        let corners: Vec<Corner> = graph.globalid.iter().map(corner).gather_some()?;

        let mut first = memory::with_room(corners.len());
        let mut count = 0;
        for vertex in 0..corners.len() {
            first.push(u16::try_from(count).ok()?);
            let degree = graph.neighbours(vertex).take(corners.len()).count();
            if degree == 0 {
                return None;
            }
            count += degree.div_ceil(F32x8::LANES);
        }
        // The largest number stands for none.
        u16::try_from(count).ok().filter(|&n| n < u16::MAX)?;
        let (mut blocks, mut positions) = (memory::with_room(count), memory::with_room(count));
        for vertex in 0..corners.len() {
            let neighbours: Vec<usize> = graph.neighbours(vertex).take(corners.len()).collect();
            let from = corners[vertex].position.0;
            let edge = |to: usize, k: usize| corners[to].position[k] - from[k];
            let length = |to: usize| (0..3).map(|k| edge(to, k).abs()).sum::<f64>();
            let longest = neighbours.iter().map(|&to| length(to)).fold(0.0, f64::max);
            let size: f64 = from.iter().map(|x| x.abs()).sum();
            let clear = CLEAR * size + EDGE_ROUNDING * longest;
            let chunks = neighbours.chunks(F32x8::LANES);
            let mut more = chunks.len() as u16;
            for chunk in chunks {
                more -= 1;
                let to = |lane: usize| *chunk.get(lane).unwrap_or(&chunk[0]);
                blocks.push(Block {
                    edges: array::from_fn(|k| array::from_fn(|lane| edge(to(lane), k) as f32)),
                    to: array::from_fn(|lane| first[to(lane)]),
                    vertex: vertex as u16,
                    more,
                    clear: clear as f32,
                    lower: -clear as f32,
                });
                positions.push(array::from_fn(|k| {
                    array::from_fn(|lane| corners[to(lane)].position[k] as f32)
                }));
            }
        }

        let changed = changed.clone();
        let mut extremes =
            Extremes { cells: Vec::new(), blocks, positions, first, corners, changed };
        let mut start = 0;
        let cells = (0..CELLS * CELLS).map(|cell| {
            start = match extremes.climb(middle(cell), start) {
                Ok(place) => place.block,
                Err(block) => block,
            };
            start
        });
        extremes.cells = cells.collect();
        Some(extremes)
    }

    /// Whether this is what [`Extremes::new`] would make of a mesh.
    pub fn describes(&self, vert: &[[f32; 3]], graph: &HullGraph<'_>) -> bool {
        let is_same = |vertex: usize, corner: &Corner| {
            let position = usize::try_from(corner.id).ok().and_then(|id| vert.get(id));
            let run = self.blocks.get(usize::from(self.first[vertex])..).unwrap_or_default();
            let run = &run[..run.len().min(1 + run.first().map_or(0, |b| usize::from(b.more)))];
            let mut lanes = run.iter().flat_map(|block| block.to);
            let mut degree = 0usize;
            graph.globalid[vertex] == corner.id
                && position.is_some_and(|now| bits(now) == corner.single)
                && graph.neighbours(vertex).take(self.corners.len()).all(|to| {
                    degree += 1;
                    lanes.next() == Some(self.first[to])
                })
                && degree.div_ceil(F32x8::LANES) == run.len()
        };
        graph.globalid.len() == self.corners.len()
            && self.corners.iter().enumerate().all(|(vertex, corner)| is_same(vertex, corner))
    }

    /// The vertex of the hull farthest along the unit vector `dir`, if it is clearly farther than
    /// its neighbours. `mesh` is the mesh as it is now; the search starts at `hint` if there is one.
    #[inline(always)]
    pub(crate) fn find(&self, mesh: &Mesh<'_>, dir: Vec3, hint: Hint) -> Option<Extreme> {
        let dir = [dir[0] as f32, dir[1] as f32, dir[2] as f32];
        let start = if hint == Hint::NONE { *self.cells.get(cell(dir))? } else { hint.0 };
        let place = self.climb(dir, start).ok()?;
        self.checked(mesh.vert, place)
    }

    /// The vertex of a block, unless it has moved.
    #[inline(always)]
    fn checked(&self, vert: &[[f32; 3]], place: Place) -> Option<Extreme> {
        let corner = usize::from(place.vertex);
        let Corner { position, single, id } = self.corners.get(corner)?;
        if bits(vert.get(*id as usize)?) != *single {
            self.changed.store(true, Ordering::Relaxed);
            return None;
        }
        Some(Extreme { corner, vertex: *id, hint: Hint(place.block), position: *position })
    }

    /// Steepest ascent from the vertex of a block to one that no neighbour clearly exceeds.
    #[inline(always)]
    fn climb(&self, dir: [f32; 3], start: u16) -> Climb {
        let mut at = start;
        for _ in 0..MAX_STEPS {
            let Some(block) = self.blocks.get(usize::from(at)) else { break };
            if block.more > 0 {
                let [x, y, z] = dir;
                return self.climb_among_many(x, y, z, at);
            }
            let heights = block.heights(dir);
            let rise = heights.largest();
            if rise < block.lower {
                return Ok(Place { block: at, vertex: block.vertex });
            }
            if !(rise > block.clear) {
                break;
            }
            at = block.highest(heights, rise);
        }
        Err(at)
    }

    /// [`Extremes::climb`] where vertices have several blocks. The direction comes by coordinates:
    /// in registers, where those who call this seldom keep it anyway.
    #[cold]
    #[inline(never)]
    fn climb_among_many(&self, x: f32, y: f32, z: f32, start: u16) -> Climb {
        let dir = [x, y, z];
        let mut at = start;
        for _ in 0..MAX_STEPS {
            let Some(first) = self.blocks.get(usize::from(at)) else { break };
            let (mut block, mut heights) = (first, first.heights(dir));
            let mut rise = heights.largest();
            let further = &self.blocks[usize::from(at) + 1..];
            for further in further.iter().take(first.more.into()) {
                let others = further.heights(dir);
                let other = others.largest();
                if other > rise {
                    (block, heights, rise) = (further, others, other);
                }
            }
            if rise < first.lower {
                return Ok(Place { block: at, vertex: first.vertex });
            }
            if !(rise > first.clear) {
                break;
            }
            at = block.highest(heights, rise);
        }
        Err(at)
    }

    /// The vertex that MuJoCo's climb arrives at from a hull vertex, with its number along the
    /// hull.
    ///
    /// The start itself is not a candidate: the first step goes to the best neighbour even if it
    /// is lower, and back only if that was strictly lower. Among equally far vertices (a face
    /// perpendicular to `dir`) this decides which one is found.
    pub(crate) fn follow(&self, vert: &[[f32; 3]], dir: Vec3, start: usize) -> Option<Extreme> {
        let at = usize::from(*self.first.get(start)?);
        let (block, _) = self.ascend(dir, at, -f64::from(f32::MAX));
        self.checked(vert, self.place(block)?)
    }

    /// How far the hull reaches along the unit vector `dir`; `None` if the mesh has changed. The
    /// search starts at the hint, and leaves there where it ended.
    #[inline]
    pub fn reach(&self, vert: &[[f32; 3]], dir: Vec3, hint: &mut Hint) -> Option<f64> {
        let single = dir.0.map_inline(|x| x as f32);
        let start = if *hint == Hint::NONE { *self.cells.get(cell(single))? } else { hint.0 };
        let found = match self.climb(single, start) {
            Ok(place) => self.checked(vert, place)?,
            Err(at) => {
                let at = usize::from(at);
                let height = dir.dot(self.corners.get(self.place(at)?.vertex as usize)?.position);
                let (block, height) = self.ascend(dir, at, height);
                *hint = self.checked(vert, self.place(block)?)?.hint;
                return Some(height);
            }
        };
        *hint = found.hint;
        Some(dir.dot(found.position))
    }

    /// Steepest ascent from the vertex of a block, among vertices higher than `max`, to one that no
    /// neighbour exceeds; its block, and its height or `max`.
    fn ascend(&self, dir: Vec3, start: usize, max: f64) -> (usize, f64) {
        ascend(&self.blocks, &self.positions, dir, start, max)
    }

    fn place(&self, block: usize) -> Option<Place> {
        Some(Place { block: block as u16, vertex: self.blocks.get(block)?.vertex })
    }
}

/// What positions are compared by.
#[inline(always)]
fn bits(position: &[f32; 3]) -> [u32; 3] {
    position.map(f32::to_bits)
}

wide! {
    /// [`Extremes::ascend`].
    fn ascend(
        blocks: &[Block],
        positions: &[Positions],
        dir: Vec3,
        start: usize,
        max: f64,
    ) -> (usize, f64) {
        let (mut at, mut max) = (start, max);
        // Every step goes to another vertex, of which there are no more than blocks.
        for _ in 0..=blocks.len() {
            let mut best = at;
            let end = at + 1 + usize::from(blocks[at].more);
            for (block, positions) in blocks[at..end].iter().zip(&positions[at..end]) {
                let [low, high] = [
                    heights_along::<Simd>(positions, 0, dir),
                    heights_along::<Simd>(positions, 4, dir),
                ];
                let four = greater(low, high).store();
                let top = greater(greater(four[0], four[2]), greater(four[1], four[3]));
                if top > max {
                    let first = (lanes_at(low, top) | lanes_at(high, top) << 4).trailing_zeros();
                    (best, max) = (block.to[first as usize % F32x8::LANES].into(), top);
                }
            }
            if best == at {
                break;
            }
            at = best;
        }
        (at, max)
    }
}

/// How far four of the eight vertices of a block lie along a direction.
#[inline(always)]
fn heights_along<S: Wide>([x, y, z]: &Positions, first: usize, dir: Vec3) -> S {
    Vec3::of(dir).dot(Vec3([widened(x, first), widened(y, first), widened(z, first)]))
}

#[inline(always)]
fn widened<S: Wide>(x: &[f32; F32x8::LANES], first: usize) -> S {
    S::load([x[first].into(), x[first + 1].into(), x[first + 2].into(), x[first + 3].into()])
}

/// The first of two numbers only if it is greater.
#[inline(always)]
fn greater<T: Number>(a: T, b: T) -> T {
    T::select(b.lt(a), a, b)
}

/// The lanes that are at a height, as bits.
#[inline(always)]
fn lanes_at<S: Wide>(heights: S, height: f64) -> u32 {
    let height = S::splat(height);
    heights.le(height).and(height.le(heights)).bits()
}

impl Block {
    /// How far the neighbours lie above the vertex.
    #[inline(always)]
    fn heights(&self, [x, y, z]: [f32; 3]) -> F32x8 {
        let [ex, ey, ez] = &self.edges;
        let xy = F32x8::load(ex) * F32x8::splat(x) + F32x8::load(ey) * F32x8::splat(y);
        xy + F32x8::load(ez) * F32x8::splat(z)
    }

    /// The first neighbour at a height.
    #[inline(always)]
    fn highest(&self, heights: F32x8, height: f32) -> u16 {
        let lanes = heights.equal(F32x8::splat(height)).lanes();
        self.to[lanes.trailing_zeros() as usize % F32x8::LANES]
    }
}

/// The number of a direction's cell: the octahedron |x| + |y| + |z| = 1, its lower half folded
/// outwards to a square. A direction on the rim may end up in a cell of another side, which costs
/// some steps; a NaN ends up in any.
#[inline(always)]
fn cell([x, y, z]: [f32; 3]) -> usize {
    let scale = 1.0 / (x.abs() + y.abs() + z.abs());
    let (u, v) = (x * scale, y * scale);
    let folded = ((1.0 - v.abs()).copysign(u), (1.0 - u.abs()).copysign(v));
    let (u, v) = if z < 0.0 { folded } else { (u, v) };
    // Numbers around 2^23 have a spacing of one: adding it rounds, and leaves the integer in the
    // low bits.
    const ROUNDING: f32 = (1 << 23) as f32;
    const HALF: f32 = 0.5 * CELLS as f32;
    let index = |t: f32| (t * HALF + (HALF - 0.5) + ROUNDING).to_bits() as usize % CELLS;
    index(u) * CELLS + index(v)
}

/// The direction at the middle of a cell.
fn middle(cell: usize) -> [f32; 3] {
    let at = |i: usize| (2 * i + 1) as f32 / CELLS as f32 - 1.0;
    let (u, v) = (at(cell / CELLS), at(cell % CELLS));
    let z = 1.0 - u.abs() - v.abs();
    let (x, y) =
        if z < 0.0 { ((1.0 - v.abs()).copysign(u), (1.0 - u.abs()).copysign(v)) } else { (u, v) };
    let norm = (x * x + y * y + z * z).sqrt();
    [x / norm, y / norm, z / norm]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::tests::octahedron;

    #[test]
    fn every_cell_holds_its_middle() {
        for k in 0..CELLS * CELLS {
            assert_eq!(cell(middle(k)), k);
        }
        for dir in [[0.0; 3], [f32::NAN; 3], [f32::INFINITY; 3], [0.0, 0.0, -1.0]] {
            assert!(cell(dir) < CELLS * CELLS);
        }
    }

    fn tabulate(vert: &[[f32; 3]], graph: &[i32]) -> Option<Extremes> {
        Extremes::new(vert, &HullGraph::parse(graph).unwrap(), &Arc::default())
    }

    /// Clear directions are answered, ties are left to the caller.
    #[test]
    fn ties_are_not_answered() {
        let (vert, graph) = octahedron([1.0; 3]);
        let extremes = tabulate(&vert, &graph).unwrap();
        for (k, v) in vert.iter().enumerate() {
            let position = Vec3(v.map(f64::from));
            let dir = position + Vec3::new(0.1, -0.2, 0.15);
            for hint in [Hint::NONE, Hint(0), Hint(5)] {
                let found = extremes.find(&Mesh::new(&vert), dir, hint).unwrap();
                let vertex = (found.corner, found.vertex, found.position);
                assert_eq!(vertex, (k, k as i32, position));
            }
        }
        assert_eq!(extremes.find(&Mesh::new(&vert), Vec3::new(1.0, 1.0, 0.0), Hint::NONE), None);
        assert_eq!(extremes.find(&Mesh::new(&vert), Vec3::splat(f64::NAN), Hint::NONE), None);
        assert_eq!(Extremes::default().find(&Mesh::new(&vert), Vec3::X, Hint::NONE), None);
    }

    /// A vertex with more neighbours than a block has lanes: the tips of a double cone.
    #[test]
    fn many_neighbours_are_all_seen() {
        const RIM: usize = 21;
        let mut vert = vec![[0.0, 0.0, 1.0], [0.0, 0.0, -1.0f32]];
        vert.extend((0..RIM).map(|k| {
            let (s, c) = (std::f32::consts::TAU * k as f32 / RIM as f32).sin_cos();
            [c, s, 0.0]
        }));
        let rim = |k: usize| (2 + k % RIM) as i32;
        let rings: Vec<Vec<i32>> = (0..2)
            .map(|_| (0..RIM).map(rim).collect())
            .chain((0..RIM).map(|k| vec![rim(k + 1), 0, 1, rim(k + RIM - 1)]))
            .collect();
        let mut graph = vec![vert.len() as i32, 0];
        let mut adr = 0;
        for ring in &rings {
            graph.push(adr);
            adr += ring.len() as i32 + 1;
        }
        graph.extend(0..vert.len() as i32);
        for ring in &rings {
            graph.extend(ring.iter().copied().chain([-1]));
        }
        let extremes = tabulate(&vert, &graph).unwrap();
        for (k, v) in vert.iter().enumerate() {
            let dir = Vec3(v.map(f64::from)) + Vec3::new(0.001, 0.002, 0.01);
            assert_eq!(
                extremes.find(&Mesh::new(&vert), dir, Hint::NONE).map(|e| e.corner),
                Some(k)
            );
        }
    }

    /// The reach is the largest height, along ties as well.
    #[test]
    fn reach_is_the_largest_height() {
        let (vert, graph) = octahedron([1.0, 1.5, 2.0]);
        let extremes = tabulate(&vert, &graph).unwrap();
        let dirs = [
            Vec3::X,
            Vec3::new(0.3, -0.2, -0.9),
            Vec3::new(1.5, 1.0, 0.0),
            Vec3::new(-6.0, 4.0, 3.0),
        ];
        for dir in dirs.map(|d| d.normalized().0) {
            let height = |v: &[f32; 3]| dir.dot(Vec3(v.map(f64::from)));
            let expected = vert.iter().map(height).fold(f64::MIN, f64::max);
            for mut hint in [Hint::NONE, Hint(0), Hint(5)] {
                for _ in 0..2 {
                    let reach = extremes.reach(&vert, dir, &mut hint).unwrap();
                    assert!((reach - expected).abs() < 1e-15);
                }
            }
        }
        assert_eq!(extremes.reach(&vert[..1], -Vec3::Z, &mut Hint(0)), None);
        assert_eq!(extremes.reach(&vert, Vec3::Z, &mut Hint(900)), None);
    }

    #[test]
    fn a_changed_mesh_is_noticed() {
        let (mut vert, graph) = octahedron([1.0; 3]);
        let extremes = tabulate(&vert, &graph).unwrap();
        assert!(extremes.find(&Mesh::new(&vert), Vec3::X, Hint::NONE).is_some());
        let hull = HullGraph::parse(&graph).unwrap();
        assert!(extremes.describes(&vert, &hull));
        assert!(!extremes.describes(&vert[..5], &hull));
        vert[0][0] = 2.0;
        assert!(!extremes.describes(&vert, &hull));
        assert_eq!(extremes.find(&Mesh::new(&vert), Vec3::X, Hint::NONE), None);
        assert_eq!(extremes.follow(&vert, Vec3::X, 0), None);
        assert!(extremes.changed.load(Ordering::Relaxed));
    }

    #[test]
    fn a_changed_graph_is_another_hull() {
        let (vert, graph) = octahedron([1.0; 3]);
        let extremes = tabulate(&vert, &graph).unwrap();
        for k in 14..graph.len() {
            let mut changed = graph.clone();
            changed[k] = if graph[k] < 0 { 0 } else { (graph[k] + 1) % 6 };
            let hull = HullGraph::parse(&changed).unwrap();
            let same = extremes.describes(&vert, &hull);
            // Repeating the first edge changes nothing that is stored.
            assert!(!same || graph[k] < 0 && changed[k] == graph[k - 4]);
        }
    }

    #[test]
    fn damaged_hulls_are_refused() {
        let (mut vert, graph) = octahedron([1.0; 3]);
        vert.pop();
        assert!(tabulate(&vert, &graph).is_none());
        vert.push([f32::NAN; 3]);
        assert!(tabulate(&vert, &graph).is_none());
        let alone = [1, 0, 0, 0, -1];
        assert!(tabulate(&vert, &alone).is_none());
    }
}
