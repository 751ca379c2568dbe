//! How the elements of a flex hang together: edges, flaps, border, layers, neighbours.

use corten_math::memory::{self, Grow};
use std::collections::{HashMap, VecDeque};

/// Local edges of an element, by dimension.
const LOCAL_EDGES: [&[[usize; 2]]; 3] =
    [&[[0, 1]], &[[1, 2], [2, 0], [0, 1]], &[[0, 1], [1, 2], [2, 0], [2, 3], [0, 3], [1, 3]]];

/// Faces of an element: vertices of a segment, edges of a triangle, triangles of a tetrahedron. Those
/// of a tetrahedron look outward if 0, 1, 2 does.
const LOCAL_FACES: [&[&[usize]]; 3] = [
    &[&[0], &[1]],
    &[&[0, 1], &[2, 0], &[1, 2]],
    &[&[0, 1, 2], &[0, 3, 1], &[0, 2, 3], &[1, 3, 2]],
];

/// Local edges of an element of this dimension, from 1 to 3.
pub(super) fn local_edges(dim: usize) -> &'static [[usize; 2]] {
    LOCAL_EDGES[dim - 1]
}

/// Edges in order of first appearance, the smaller vertex first, and those of each element.
pub(super) struct Edges {
    pub edge: Vec<[i32; 2]>,
    pub of_element: Vec<i32>,
}

pub(super) fn edges(elem: &[i32], dim: usize) -> Edges {
    let mut out = Edges { edge: Vec::new(), of_element: Vec::new() };
    let mut known: HashMap<[i32; 2], i32> = memory::map_with_room(elem.len());
    for vertices in elem.chunks_exact(dim + 1) {
        for &[a, b] in local_edges(dim) {
            let (a, b) = (vertices[a], vertices[b]);
            let key = [a.min(b), a.max(b)];
            memory::reserve_entries(&mut known, 1);
            let id = *known.entry(key).or_insert_with(|| {
                out.edge.grow_push(key);
                out.edge.len() as i32 - 1
            });
            out.of_element.grow_push(id);
        }
    }
    out
}

/// An edge of a triangle mesh with the vertices opposite to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flap {
    /// In the order in which the first triangle lists them.
    pub ends: [i32; 2],
    /// In the first and in the last other triangle; −1 if there is none.
    pub opposite: [i32; 2],
}

/// The flap of every edge of a triangle mesh.
pub(super) fn flaps(elem: &[i32], edges: &Edges) -> Vec<Flap> {
    let unseen = Flap { ends: [-1; 2], opposite: [-1; 2] };
    let mut flaps = memory::filled(unseen, edges.edge.len());
    for (vertices, ids) in elem.chunks_exact(3).zip(edges.of_element.chunks_exact(3)) {
        for (&[a, b], &id) in local_edges(2).iter().zip(ids) {
            let third = vertices[3 - a - b];
            let flap = &mut flaps[id as usize];
            if flap.ends[0] < 0 {
                *flap = Flap { ends: [vertices[a], vertices[b]], opposite: [third, -1] };
            } else {
                flap.opposite[1] = third;
            }
        }
    }
    flaps
}

/// The border of a flex, and who is next to whom.
pub(super) struct Border {
    /// Vertices of the faces that belong to one element alone, `dim` each.
    pub shell: Vec<i32>,
    /// Steps from a tetrahedron to the nearest one at the border; zero for other elements.
    pub layer: Vec<i32>,
    /// Elements and vertices of neighbours that may come to collide, for dimensions 1 and 2.
    pub pairs: Vec<[i32; 2]>,
}

/// A face of an element. Derived order: by vertices, then by element.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Face {
    /// Ascending; unused ones are −1.
    sorted: [i32; 3],
    element: i32,
    vertices: [i32; 3],
}

fn faces(elem: &[i32], dim: usize) -> Vec<Face> {
    let mut faces = memory::with_room(elem.len());
    for (element, vertices) in elem.chunks_exact(dim + 1).enumerate() {
        for local in LOCAL_FACES[dim - 1] {
            let mut own = [-1; 3];
            for (slot, &k) in own.iter_mut().zip(*local) {
                *slot = vertices[k];
            }
            let mut sorted = own;
            sorted[..dim].sort_unstable();
            faces.push(Face { sorted, element: element as i32, vertices: own });
        }
    }
    faces.sort_unstable();
    faces
}

/// Elements are neighbours if their faces follow each other among those with the same vertices.
pub(super) fn border(elem: &[i32], dim: usize) -> Border {
    let count = elem.len() / (dim + 1);
    let faces = faces(elem, dim);
    let mut at_border = vec![false; count];
    let mut shell = Vec::new();
    let mut neighbours: Vec<(i32, i32, [i32; 3])> = Vec::new();
    for group in faces.chunk_by(|a, b| a.sorted == b.sorted) {
        if let [only] = group {
            at_border[only.element as usize] = true;
            shell.grow_extend_from_slice(&only.vertices[..dim]);
        }
        for pair in group.windows(2) {
            neighbours.grow_push((pair[0].element, pair[1].element, pair[0].sorted));
        }
    }
    let layer = if dim == 3 { layers(&at_border, &neighbours) } else { memory::zeroed(count) };
    let mut pairs = Vec::new();
    let beside = |&(a, b, _): &(i32, i32, [i32; 3])| at_border[a as usize] || at_border[b as usize];
    for (a, b, shared) in neighbours.into_iter().filter(|n| dim < 3 && beside(n)) {
        for (own, other) in [(a, b), (b, a)] {
            let first = own as usize * (dim + 1);
            let vertices = &elem[first..first + dim + 1];
            let apex = vertices.iter().find(|v| !shared[..dim].contains(v));
            pairs.extend(apex.map(|&v| [other, v]));
        }
    }
    Border { shell, layer, pairs }
}

/// Breadth first from the border. Tetrahedra that it does not reach are further than any.
fn layers(at_border: &[bool], neighbours: &[(i32, i32, [i32; 3])]) -> Vec<i32> {
    let count = at_border.len();
    let mut start = memory::filled(0usize, count + 1);
    for &(a, b, _) in neighbours {
        start[a as usize] += 1;
        start[b as usize] += 1;
    }
    let mut total = 0;
    for slot in &mut start {
        total += std::mem::replace(slot, total);
    }
    let mut next = memory::copy_of(&start);
    let mut list = memory::filled(0u32, total);
    for &(a, b, _) in neighbours {
        for (from, to) in [(a, b), (b, a)] {
            list[next[from as usize]] = to as u32;
            next[from as usize] += 1;
        }
    }
    let mut layer = memory::filled(count as i32 + 1, count);
    let mut queue = VecDeque::new();
    for (e, _) in at_border.iter().enumerate().filter(|(_, at_border)| **at_border) {
        layer[e] = 0;
        memory::push_back(&mut queue, e);
    }
    while let Some(e) = queue.pop_front() {
        for &other in &list[start[e]..start[e + 1]] {
            let other = other as usize;
            if layer[other] > layer[e] + 1 {
                layer[other] = layer[e] + 1;
                memory::push_back(&mut queue, other);
            }
        }
    }
    layer
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles that share the edge from 1 to 2.
    const SQUARE: [i32; 6] = [0, 1, 2, 1, 3, 2];

    #[test]
    fn edges_appear_once_in_order() {
        let edges = edges(&SQUARE, 2);
        assert_eq!(edges.edge, [[1, 2], [0, 2], [0, 1], [2, 3], [1, 3]]);
        assert_eq!(edges.of_element, [0, 1, 2, 3, 0, 4]);
        let flaps = flaps(&SQUARE, &edges);
        assert_eq!((flaps[0].ends, flaps[0].opposite), ([1, 2], [0, 3]));
        assert!(flaps[1..].iter().all(|flap| flap.opposite[1] == -1));
    }

    #[test]
    fn the_border_of_a_square_is_its_outline() {
        let border = border(&SQUARE, 2);
        assert_eq!(border.shell, [0, 1, 2, 0, 1, 3, 3, 2]);
        assert_eq!(border.pairs, [[1, 0], [0, 3]]);
        assert_eq!(border.layer, [0, 0]);
    }

    #[test]
    fn ends_of_a_chain_are_its_border() {
        let border = border(&[0, 1, 1, 2, 2, 3], 1);
        assert_eq!(border.shell, [0, 3]);
        assert_eq!(border.pairs, [[1, 0], [0, 2], [2, 1], [1, 3]]);
    }

    /// A ring of three segments has no border.
    #[test]
    fn a_ring_has_no_border() {
        let border = border(&[0, 1, 1, 2, 2, 0], 1);
        assert!(border.shell.is_empty() && border.pairs.is_empty());
    }

    /// A tetrahedron surrounded by four others is one layer below the border.
    #[test]
    fn layers_count_from_the_border() {
        let elem = [0, 1, 2, 3, 0, 1, 2, 4, 0, 1, 3, 5, 0, 2, 3, 6, 1, 2, 3, 7];
        let border = border(&elem, 3);
        assert_eq!(border.layer, [1, 0, 0, 0, 0]);
        assert_eq!(border.shell.len(), 3 * 12);
    }
}
