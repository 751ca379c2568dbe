//! Hull vertices by direction: where a search for the extreme vertex of a hull starts.
//!
//! A climb along edges from a fixed or a previous vertex takes many steps if the direction has
//! turned. The table divides directions into the cells of a cube around the origin and gives for
//! each a vertex that is extreme for its centre, a step or two away from the answer.
//!
//! Which vertex a climb finds depends on its start only where several are equally far, or so
//! nearly that the hull's own rounding matters. An answer is therefore given only if all
//! neighbours lie clearly lower: such a vertex is the one that every climb finds.

use corten_math::Vec3;

use crate::shape::HullGraph;

/// Cells along an edge of the cube.
const CELLS: usize = 8;

/// Entries of a table.
pub const LEN: usize = 6 * CELLS * CELLS;

/// How far neighbours must lie below, relative to the vertex: above the rounding of vertices,
/// which are single precision.
const CLEAR: f64 = 1e-6;

/// The table of one mesh: hull vertex per cell; empty if there is none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Starts<'a>(pub &'a [u16]);

/// The number of a direction's cell.
#[inline]
fn cell(dir: Vec3) -> usize {
    let [x, y, z] = dir.abs().0;
    let axis = if x >= y && x >= z {
        0
    } else if y >= z {
        1
    } else {
        2
    };
    let scale = 0.5 * CELLS as f64 / dir[axis].abs();
    // A NaN converts to zero.
    let index = |t: f64| ((t * scale + 0.5 * CELLS as f64) as usize).min(CELLS - 1);
    let side = 2 * axis + usize::from(dir[axis] < 0.0);
    (side * CELLS + index(dir[(axis + 1) % 3])) * CELLS + index(dir[(axis + 2) % 3])
}

/// The direction at the middle of a cell.
fn middle(cell: usize) -> Vec3 {
    let (side, u, v) = (cell / (CELLS * CELLS), cell / CELLS % CELLS, cell % CELLS);
    let at = |i: usize| (2 * i + 1) as f64 / CELLS as f64 - 1.0;
    let axis = side / 2;
    let mut dir = Vec3::ZERO;
    dir[axis] = if side % 2 == 0 { 1.0 } else { -1.0 };
    dir[(axis + 1) % 3] = at(u);
    dir[(axis + 2) % 3] = at(v);
    dir
}

/// The table of a hull; empty if its vertices are too many for the format.
pub fn build(vert: &[[f32; 3]], graph: &HullGraph<'_>) -> Vec<u16> {
    if graph.globalid.len() > usize::from(u16::MAX) {
        return Vec::new();
    }
    let mut start = 0;
    (0..LEN)
        .map(|cell| {
            start = ascend(vert, graph, middle(cell), start).0;
            start as u16
        })
        .collect()
}

impl Starts<'_> {
    /// The hull vertex farthest along `dir`, if it is clearly farther than its neighbours.
    #[inline]
    pub(crate) fn extreme(
        &self,
        vert: &[[f32; 3]],
        graph: &HullGraph<'_>,
        dir: Vec3,
    ) -> Option<usize> {
        let start = usize::from(*self.0.get(cell(dir))?);
        let (found, lead) = ascend(vert, graph, dir, start);
        let id = *graph.globalid.get(found)?;
        let [x, y, z] = *vert.get(id as usize)?;
        let size = f64::from(x.abs() + y.abs() + z.abs());
        (lead > CLEAR * size).then_some(found)
    }
}

/// Steepest ascent from hull vertex `start`: a vertex that no neighbour exceeds, and its lead over
/// them. Heights rise from step to step, so that it ends on damaged graphs too.
#[inline]
fn ascend(vert: &[[f32; 3]], graph: &HullGraph<'_>, dir: Vec3, start: usize) -> (usize, f64) {
    let height = |v: &[f32; 3]| {
        dir[0] * f64::from(v[0]) + dir[1] * f64::from(v[1]) + dir[2] * f64::from(v[2])
    };
    let mut best = start;
    let first = graph.globalid.get(start).and_then(|&id| vert.get(id as usize));
    let Some(mut max) = first.map(height) else { return (start, f64::NAN) };
    loop {
        let current = best;
        let mut next = f64::NEG_INFINITY;
        let adr = graph.edgeadr.get(current).map_or(usize::MAX, |&adr| adr as usize);
        for &i in graph.edge_localid.get(adr..).unwrap_or_default() {
            // A negative number ends the list, as any other outside the hull does.
            let Some(&id) = graph.globalid.get(i as usize) else { break };
            let Some(v) = vert.get(id as usize) else { continue };
            let d = height(v);
            if d > max {
                (best, max) = (i as usize, d);
            } else if !(d <= next) {
                next = d;
            }
        }
        if best == current {
            return (best, max - next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_holds_its_middle() {
        for k in 0..LEN {
            assert_eq!(cell(middle(k)), k);
        }
        for dir in [Vec3::ZERO, Vec3::splat(f64::NAN), Vec3::splat(f64::INFINITY), -Vec3::Z] {
            assert!(cell(dir) < LEN);
        }
    }

    /// On an octahedron: clear directions are answered, ties are left to the caller.
    #[test]
    fn ties_are_not_answered() {
        let vert: Vec<[f32; 3]> = (0..6)
            .map(|i| {
                std::array::from_fn(|k| if i / 2 == k { 1.0 - 2.0 * (i % 2) as f32 } else { 0.0 })
            })
            .collect();
        let mut graph = vec![6, 8];
        graph.extend((0..6).map(|i| 5 * i));
        graph.extend(0..6);
        for i in 0..6 {
            graph.extend((0..6).filter(|&j| j != i && j != (i ^ 1)));
            graph.push(-1);
        }
        let graph = HullGraph::parse(&graph).unwrap();
        let table = build(&vert, &graph);
        let starts = Starts(&table);
        for (k, v) in vert.iter().enumerate() {
            let dir = Vec3(v.map(f64::from)) + Vec3::new(0.1, -0.2, 0.15);
            assert_eq!(starts.extreme(&vert, &graph, dir), Some(k));
        }
        assert_eq!(starts.extreme(&vert, &graph, Vec3::new(1.0, 1.0, 0.0)), None);
        assert_eq!(starts.extreme(&vert, &graph, Vec3::splat(f64::NAN)), None);
        assert_eq!(Starts::default().extreme(&vert, &graph, Vec3::X), None);
    }
}
