//! Triangles to draw, with what their vertices carry.

use crate::linear::{V3, add, dot, scale, sub};

/// A surface of triangles, and the lines that stand for it where wires are drawn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mesh {
    pub pos: Vec<V3>,
    /// One per vertex, or empty where light does not matter.
    pub normal: Vec<V3>,
    /// One per vertex, or empty.
    pub uv: Vec<[f32; 2]>,
    /// Opacity of vertices; empty: that of the geom.
    pub alpha: Vec<f32>,
    /// Counter-clockwise from the outside.
    pub faces: Vec<[u32; 3]>,
    pub wires: Vec<[u32; 2]>,
    /// Whether it is closed, alone or together with others, so that faces turned away from a light
    /// cast no shadow of their own.
    pub closed: bool,
    /// Bounding sphere.
    pub center: V3,
    pub radius: f32,
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

    /// Computes the bounding sphere.
    pub(crate) fn bounded(mut self) -> Mesh {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for p in &self.pos {
            for i in 0..3 {
                low[i] = low[i].min(p[i]);
                high[i] = high[i].max(p[i]);
            }
        }
        if self.pos.is_empty() {
            return self;
        }
        self.center = scale(add(low, high), 0.5);
        self.radius = self
            .pos
            .iter()
            .map(|&p| dot(sub(p, self.center), sub(p, self.center)).sqrt())
            .fold(0.0, f32::max);
        self
    }

    /// Marks it as closed.
    pub(crate) fn closed(mut self) -> Mesh {
        self.closed = true;
        self
    }
}
