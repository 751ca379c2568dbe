//! Triangles to draw, with what their vertices carry.

use std::ops::Range;

use crate::linear::{V3, add, dot, scale, sub};
use crate::raster::LANES;

/// Coordinates x, y and z of eight vertices.
pub(crate) type Block = [[f32; LANES]; 3];

/// First, second and third vertices of eight faces.
pub(crate) type FaceBlock = [[i32; LANES]; 3];

/// A surface of triangles, and the lines that stand for it where wires are drawn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mesh {
    pub pos: Vec<V3>,
    /// The same by eights, the last with zeros at its end.
    pub blocks: Vec<Block>,
    /// One per vertex, or empty where light does not matter.
    pub normal: Vec<V3>,
    /// One per vertex, or empty.
    pub uv: Vec<[f32; 2]>,
    /// Opacity of vertices; empty: that of the geom.
    pub alpha: Vec<f32>,
    /// Counter-clockwise from the outside.
    pub faces: Vec<[u32; 3]>,
    /// The same by eights, the last with faces of one vertex at its end.
    pub face_blocks: Vec<FaceBlock>,
    pub wires: Vec<[u32; 2]>,
    /// Whether it is closed, alone or together with others, so that faces turned away from a light
    /// cast no shadow of their own.
    pub closed: bool,
    pub bound: Sphere,
    /// Parts of a large mesh, each of which may be out of sight: its faces in order.
    pub patches: Vec<Patch>,
}

/// A sphere around points.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sphere {
    pub center: V3,
    pub radius: f32,
}

/// Consecutive faces of a mesh.
#[derive(Clone, Debug)]
pub(crate) struct Patch {
    pub faces: Range<usize>,
    /// Range that their vertices are in.
    pub vertices: Range<usize>,
    pub bound: Sphere,
}

/// Faces of a patch, of meshes that have several times as many; a multiple of the lanes.
pub(crate) const PATCH: usize = 128;

impl Sphere {
    /// Around the middle of the box of the points.
    fn around(points: impl Iterator<Item = V3> + Clone) -> Sphere {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for p in points.clone() {
            for i in 0..3 {
                low[i] = low[i].min(p[i]);
                high[i] = high[i].max(p[i]);
            }
        }
        if low[0] > high[0] {
            return Sphere::default();
        }
        let center = scale(add(low, high), 0.5);
        let distance = |p: V3| dot(sub(p, center), sub(p, center)).sqrt();
        Sphere { center, radius: points.map(distance).fold(0.0, f32::max) }
    }
}

impl Mesh {
    pub(crate) fn vertex(&mut self, pos: V3, normal: V3) -> u32 {
        self.pos.push(pos);
        self.normal.push(normal);
        (self.pos.len() - 1) as u32
    }

    pub(crate) fn triangle(&mut self, a: u32, b: u32, c: u32) {
        self.faces.push([a, b, c]);
        self.wires.extend([[a, b], [b, c], [c, a]]);
    }

    /// A quadrilateral; its diagonal is no wire.
    pub(crate) fn quad(&mut self, [a, b, c, d]: [u32; 4]) {
        self.faces.extend([[a, b, d], [b, c, d]]);
        self.wires.extend([[a, b], [b, c], [c, d], [d, a]]);
    }

    /// A grid of `rows` by `columns` cells; `turned`: seen from the other side.
    pub(crate) fn grid(
        &mut self,
        rows: usize,
        columns: usize,
        turned: bool,
        mut vertex: impl FnMut(usize, usize) -> (V3, V3),
    ) {
        let first = self.pos.len() as u32;
        for r in 0..=rows {
            for c in 0..=columns {
                let (pos, normal) = vertex(r, c);
                self.vertex(pos, normal);
            }
        }
        let at = |r: usize, c: usize| first + (r * (columns + 1) + c) as u32;
        for r in 0..rows {
            for c in 0..columns {
                let corners = [at(r, c), at(r, c + 1), at(r + 1, c + 1), at(r + 1, c)];
                let [a, b, c, d] = corners;
                self.quad(if turned { [d, c, b, a] } else { corners });
            }
        }
    }

    /// Completes a mesh that has all of its vertices and faces: eights, bounding spheres.
    pub(crate) fn bounded(mut self) -> Mesh {
        let block = |eight: &[V3]| {
            let mut block = Block::default();
            for (lane, p) in eight.iter().enumerate() {
                (0..3).for_each(|k| block[k][lane] = p[k]);
            }
            block
        };
        self.blocks = self.pos.chunks(LANES).map(block).collect();
        let face_block = |eight: &[[u32; 3]]| {
            let mut block = FaceBlock::default();
            for (lane, face) in eight.iter().enumerate() {
                (0..3).for_each(|k| block[k][lane] = face[k] as i32);
            }
            block
        };
        self.face_blocks = self.faces.chunks(LANES).map(face_block).collect();
        self.bound = Sphere::around(self.pos.iter().copied());
        if self.faces.len() >= 4 * PATCH {
            self.patches = (0..self.faces.len().div_ceil(PATCH)).map(|i| self.patch(i)).collect();
        }
        self
    }

    fn patch(&self, i: usize) -> Patch {
        let faces = i * PATCH..((i + 1) * PATCH).min(self.faces.len());
        let vertices = self.faces[faces.clone()].iter().flatten().map(|&v| v as usize);
        let first = vertices.clone().min().unwrap_or(0);
        let end = vertices.clone().max().map_or(first, |last| last + 1);
        let bound = Sphere::around(vertices.map(|v| self.pos[v]));
        Patch { faces, vertices: first..end, bound }
    }

    /// Marks it as closed.
    pub(crate) fn closed(mut self) -> Mesh {
        self.closed = true;
        self
    }
}
