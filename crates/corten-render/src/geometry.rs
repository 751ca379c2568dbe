//! From meshes to triangles on the image: transformation, light, clipping, culling, and the list of
//! triangles that each tile of the image sees.

use std::ops::Range;

use corten_math::array::{self, MapInline};

use crate::corners::{
    BEHIND, CUT, Corner, Corners, FAR, NEAR, WIDE, candidates, corner_at, corners_of, guards,
};
use crate::draw::{Cull, Draw, View};
use crate::linear::{Mat4, V3, V4, dot, rotate, transform, transform3, unit};
use crate::mesh::Sphere;
use crate::raster::LANES;

/// Width of a tile in pixels.
pub(crate) const TILE_W: usize = 64;
/// Height of a tile in pixels.
pub(crate) const TILE_H: usize = 32;

/// Coordinates on the image are multiples of 1/256 pixel.
pub(crate) const SUBPIXEL: f32 = 256.0;

/// A triangle on the image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    /// Vertices of the chunk; counter-clockwise on the image.
    pub v: [u32; 3],
    /// Draw that it belongs to, within the pass.
    pub draw: u32,
    pub x: [i32; 3],
    pub y: [i32; 3],
    /// Depth: one at the near plane, zero at the far plane.
    pub z: [f32; 3],
}

/// Triangles of consecutive draws, made by one thread.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    /// Reciprocals of the distance from the eye, one per vertex.
    pub inverse: Vec<f32>,
    /// What vertices carry, [`View::stride`] numbers each.
    pub carried: Vec<f32>,
    pub triangles: Vec<Triangle>,
    /// Triangles per tile, row by row.
    pub bins: Vec<Vec<u32>>,
    scratch: Scratch,
}

/// Working memory for one draw.
#[derive(Debug, Default)]
struct Scratch {
    corners: Corners,
    /// Of eight faces each, those that may be seen.
    candidates: Vec<u32>,
    /// Vertex of the chunk per vertex of the mesh.
    emitted: Vec<u32>,
}

/// A draw in a view, ready to be multiplied.
struct Placed<'a> {
    draw: &'a Draw<'a>,
    number: u32,
    /// From the mesh to the image, the eye, the world; and for normals.
    clip: [V4; 4],
    eye: [V4; 4],
    world: [V4; 4],
    normals: [V3; 3],
    /// The clipping plane in the mesh's frame.
    plane: Option<V4>,
    /// Whether faces that are seen have a positive area on the image; `None`: all are seen.
    positive: Option<bool>,
}

impl Chunk {
    /// Takes draws in; `first` is the number of the first one within the pass.
    pub(crate) fn fill(&mut self, draws: &[Draw], first: usize, view: &View) {
        let columns = view.width.div_ceil(TILE_W);
        let tiles = columns * view.height.div_ceil(TILE_H);
        self.inverse.clear();
        self.carried.clear();
        self.triangles.clear();
        self.bins.iter_mut().for_each(Vec::clear);
        self.bins.resize_with(tiles, Vec::new);
        for (i, draw) in draws.iter().enumerate() {
            let eye = view.eye.times(&draw.model);
            let projected = view.projection.times(&eye);
            if is_outside(&projected, &draw.mesh.bound) {
                continue;
            }
            let placed = Placed {
                draw,
                number: (first + i) as u32,
                clip: projected.rows(),
                eye: eye.rows(),
                world: draw.model.rows(),
                normals: eye.normals(),
                plane: view.clip.map(|plane| local_plane(plane, &draw.model)),
                positive: match draw.cull {
                    Cull::None => None,
                    Cull::Back => Some(!view.mirrored),
                    Cull::Front => Some(view.mirrored),
                },
            };
            self.place(&placed, view, &projected);
        }
    }

    fn place(&mut self, placed: &Placed, view: &View, clip: &Mat4) {
        let mesh = placed.draw.mesh;
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.corners.fit(mesh.blocks.len());
        scratch.emitted.clear();
        scratch.emitted.resize(mesh.pos.len(), u32::MAX);
        if let Some(width) = placed.draw.wires {
            placed.corners(view, 0..mesh.pos.len(), &mut scratch.corners);
            for &wire in &mesh.wires {
                self.wire(placed, view, &mut scratch, wire, width);
            }
        } else if mesh.patches.is_empty() {
            self.part(placed, view, &mut scratch, 0..mesh.pos.len(), 0..mesh.faces.len());
        } else {
            for patch in mesh.patches.iter().filter(|patch| !is_outside(clip, &patch.bound)) {
                let (vertices, faces) = (patch.vertices.clone(), patch.faces.clone());
                self.part(placed, view, &mut scratch, vertices, faces);
            }
        }
        self.scratch = scratch;
    }

    /// Faces of the mesh, the first one at a multiple of eight, with the vertices that they have.
    fn part(
        &mut self,
        placed: &Placed,
        view: &View,
        scratch: &mut Scratch,
        vertices: Range<usize>,
        faces: Range<usize>,
    ) {
        let mesh = placed.draw.mesh;
        placed.corners(view, vertices, &mut scratch.corners);
        let blocks = &mesh.face_blocks[faces.start / LANES..faces.end.div_ceil(LANES)];
        candidates(&scratch.corners, blocks, view, placed.positive, &mut scratch.candidates);
        for block in 0..blocks.len() {
            let mut left = scratch.candidates[block];
            while left != 0 {
                let number = faces.start + LANES * block + left.trailing_zeros() as usize;
                left &= left - 1;
                self.face(placed, view, scratch, mesh.faces[number]);
            }
        }
    }

    /// A face of the mesh.
    #[inline(always)]
    fn face(&mut self, placed: &Placed, view: &View, scratch: &mut Scratch, face: [u32; 3]) {
        let [a, b, c] = face.map_inline(|i| scratch.corners.get(i));
        if a.outside & b.outside & c.outside & !WIDE != 0 {
            return;
        }
        let any = (a.outside | b.outside | c.outside) & CUT;
        if any != 0 {
            return self.cut(placed, view, scratch, face, any);
        }
        let Some(seen) = on_image([&a, &b, &c], view, placed.positive) else { return };
        // Depths alone need no vertices.
        let mut v = face;
        if view.shaded {
            for i in &mut v {
                *i = self.vertex(placed, view, scratch, *i);
            }
        }
        self.push(seen, v, placed.number, view);
    }

    /// The chunk's vertex for one of the mesh, with all that it carries.
    #[inline]
    fn vertex(&mut self, placed: &Placed, view: &View, scratch: &mut Scratch, i: u32) -> u32 {
        let known = scratch.emitted[i as usize];
        if known != u32::MAX {
            return known;
        }
        let index = self.inverse.len() as u32;
        scratch.emitted[i as usize] = index;
        self.inverse.push(scratch.corners.get(i).inverse);
        if view.shaded {
            carry(placed, view, i as usize, &mut self.carried);
        }
        index
    }

    fn push(&mut self, seen: Seen, v: [u32; 3], draw: u32, view: &View) {
        let Seen { mut triangle, turned, x, y } = seen;
        (triangle.v, triangle.draw) = (v, draw);
        if turned {
            triangle.v.swap(1, 2);
        }
        let index = self.triangles.len() as u32;
        self.triangles.push(triangle);
        let columns = view.width.div_ceil(TILE_W);
        for row in y[0] as usize / TILE_H..=y[1] as usize / TILE_H {
            for column in x[0] as usize / TILE_W..=x[1] as usize / TILE_W {
                self.bins[row * columns + column].push(index);
            }
        }
    }

    /// A face that reaches beyond the frustum: cut it, plane by plane, and draw what is left as a
    /// fan.
    #[cold]
    fn cut(
        &mut self,
        placed: &Placed,
        view: &View,
        scratch: &mut Scratch,
        face: [u32; 3],
        out: i32,
    ) {
        let stride = view.stride();
        let mut polygon: Vec<(V4, Vec<f32>)> = Vec::with_capacity(8);
        for i in face {
            let v = self.vertex(placed, view, scratch, i) as usize;
            let clip = placed.clip_of(i);
            polygon.push((clip, self.carried[v * stride..(v + 1) * stride].to_vec()));
        }
        let mut distances = face.map(|i| mirror_distance(placed, i)).to_vec();
        if out & BEHIND != 0 {
            cut_polygon(&mut polygon, &mut distances, |_, d| d);
        }
        let guard = guards(view);
        let (gx, gy) = (guard[0], guard[1]);
        let planes: [(i32, [f32; 4]); 6] = [
            (NEAR, [0.0, 0.0, -1.0, 1.0]),
            (FAR, [0.0, 0.0, 1.0, 0.0]),
            (WIDE, [1.0, 0.0, 0.0, gx]),
            (WIDE, [-1.0, 0.0, 0.0, gx]),
            (WIDE, [0.0, 1.0, 0.0, gy]),
            (WIDE, [0.0, -1.0, 0.0, gy]),
        ];
        // Cuts at the near plane can leave corners far to the side.
        let out = if out & NEAR != 0 { out | WIDE } else { out };
        for (bit, plane) in planes {
            if out & bit != 0 {
                cut_polygon(&mut polygon, &mut distances, |p, _| {
                    plane[0] * p[0] + plane[1] * p[1] + plane[2] * p[2] + plane[3] * p[3]
                });
            }
        }
        if polygon.len() < 3 {
            return;
        }
        let first = self.inverse.len() as u32;
        let corners: Vec<Corner> = polygon.iter().map(|(clip, _)| corner_at(*clip, view)).collect();
        for (corner, (_, carried)) in corners.iter().zip(&polygon) {
            self.inverse.push(corner.inverse);
            self.carried.extend(carried);
        }
        for k in 1..corners.len() - 1 {
            let three = [&corners[0], &corners[k], &corners[k + 1]];
            if let Some(seen) = on_image(three, view, placed.positive) {
                let v = [first, first + k as u32, first + k as u32 + 1];
                self.push(seen, v, placed.number, view);
            }
        }
    }

    /// A line of the mesh, as a thin rectangle on the image.
    fn wire(
        &mut self,
        placed: &Placed,
        view: &View,
        scratch: &mut Scratch,
        wire: [u32; 2],
        width: f32,
    ) {
        let corners = wire.map(|i| scratch.corners.get(i));
        if corners[0].outside & corners[1].outside & !WIDE != 0 {
            return;
        }
        let stride = view.stride();
        let mut ends: Vec<(V4, Vec<f32>)> = Vec::with_capacity(4);
        for i in wire {
            let v = self.vertex(placed, view, scratch, i) as usize;
            let clip = placed.clip_of(i);
            ends.push((clip, self.carried[v * stride..(v + 1) * stride].to_vec()));
        }
        let mut distances = wire.map(|i| mirror_distance(placed, i)).to_vec();
        let [gx, gy] = guards(view);
        let planes = [
            [0.0, 0.0, -1.0, 1.0],
            [0.0, 0.0, 1.0, 0.0],
            [1.0, 0.0, 0.0, gx],
            [-1.0, 0.0, 0.0, gx],
            [0.0, 1.0, 0.0, gy],
            [0.0, -1.0, 0.0, gy],
        ];
        if view.clip.is_some() {
            cut_line(&mut ends, &mut distances, |_, d| d);
        }
        for plane in planes {
            cut_line(&mut ends, &mut distances, |p, _| {
                plane[0] * p[0] + plane[1] * p[1] + plane[2] * p[2] + plane[3] * p[3]
            });
        }
        let [(a, carried_a), (b, carried_b)] = &ends[..] else { return };
        let offset = line_offset(*a, *b, view, width);
        let first = self.inverse.len() as u32;
        let shift = |p: &V4, sign: f32| {
            [p[0] + sign * offset[0] * p[3], p[1] + sign * offset[1] * p[3], p[2], p[3]]
        };
        let four = [
            (shift(a, -1.0), carried_a),
            (shift(b, -1.0), carried_b),
            (shift(b, 1.0), carried_b),
            (shift(a, 1.0), carried_a),
        ];
        let corners = four.each_ref().map(|(clip, _)| corner_at(*clip, view));
        for (corner, (_, carried)) in corners.iter().zip(four) {
            self.inverse.push(corner.inverse);
            self.carried.extend(carried);
        }
        for [i, j, k] in [[0, 1, 2], [0, 2, 3]] {
            let three = [&corners[i], &corners[j], &corners[k]];
            if let Some(seen) = on_image(three, view, None) {
                let v = [i, j, k].map(|n| first + n as u32);
                self.push(seen, v, placed.number, view);
            }
        }
    }
}

/// Half the width of a line, across it, in normalised coordinates: exactly across where there are
/// several samples per pixel; along the axis that it advances least in where there is one, so that
/// every column or row has the same number of pixels.
fn line_offset(a: V4, b: V4, view: &View, width: f32) -> [f32; 2] {
    let (w, h) = (view.width as f32, view.height as f32);
    let at = |p: V4| [p[0] / p[3] * 0.5 * w, p[1] / p[3] * 0.5 * h];
    let (p, q) = (at(a), at(b));
    let d = [q[0] - p[0], q[1] - p[1]];
    let length = (d[0] * d[0] + d[1] * d[1]).sqrt().max(1e-6);
    let across = if view.samples.len() > 1 {
        let half = 0.5 * width.max(1.0);
        [-d[1] / length * half, d[0] / length * half]
    } else {
        let half = 0.5 * width.round().max(1.0);
        if d[0].abs() >= d[1].abs() { [0.0, half] } else { [half, 0.0] }
    };
    [across[0] * 2.0 / w, across[1] * 2.0 / h]
}

/// Whether a sphere in the frame of a mesh is beyond one of the planes of the frustum.
fn is_outside(clip: &Mat4, bound: &Sphere) -> bool {
    let m = &clip.0;
    let [x, y, z] = bound.center.map_inline(f64::from);
    let beyond = |plane: [f64; 4]| {
        let distance = plane[0] * x + plane[1] * y + plane[2] * z + plane[3];
        let steepness = (plane[0] * plane[0] + plane[1] * plane[1] + plane[2] * plane[2]).sqrt();
        distance < -steepness * bound.radius as f64 * 1.0001 - 1e-6
    };
    let combined = |r: usize, sign: f64| array::from_fn(|c| m[3][c] + sign * m[r][c]);
    (0..2).any(|r| beyond(combined(r, 1.0)) || beyond(combined(r, -1.0)))
        || beyond(m[2])
        || beyond(combined(2, -1.0))
}

/// A plane of the world in the frame of a mesh.
fn local_plane(plane: V4, model: &Mat4) -> V4 {
    std::array::from_fn(|c| (0..4).map(|r| plane[r] as f64 * model.0[r][c]).sum::<f64>() as f32)
}

/// Signed distance of a vertex from the clipping plane.
fn mirror_distance(placed: &Placed, i: u32) -> f32 {
    let p = placed.draw.mesh.pos[i as usize];
    placed.plane.map_or(1.0, |plane| dot([plane[0], plane[1], plane[2]], p) + plane[3])
}

impl Placed<'_> {
    /// Where vertices of the mesh are on the image, and some beside them.
    fn corners(&self, view: &View, vertices: Range<usize>, corners: &mut Corners) {
        let blocks = vertices.start / LANES..vertices.end.div_ceil(LANES);
        let mesh = &self.draw.mesh.blocks[blocks.clone()];
        corners_of(&self.clip, self.plane, view, mesh, blocks.start, corners);
    }

    /// A vertex of the mesh in the frustum.
    fn clip_of(&self, i: u32) -> V4 {
        transform(&self.clip, self.draw.mesh.pos[i as usize])
    }
}

/// A triangle that may cover a sample, and the columns and rows of pixels that it may cover.
struct Seen {
    triangle: Triangle,
    /// Whether its second and third corner have changed places.
    turned: bool,
    x: [i32; 2],
    y: [i32; 2],
}

/// The triangle of three corners on the image, if it is seen from the right side and may cover a
/// sample.
#[inline(always)]
fn on_image([a, b, c]: [&Corner; 3], view: &View, positive: Option<bool>) -> Option<Seen> {
    let area = (b.x - a.x) as i64 * (c.y - a.y) as i64 - (c.x - a.x) as i64 * (b.y - a.y) as i64;
    let turned = area < 0;
    if area == 0 || positive == Some(turned) {
        return None;
    }
    let (x, y) = pixels(&[a.x, b.x, c.x], &[a.y, b.y, c.y], view);
    if x[0] > x[1] || y[0] > y[1] {
        return None;
    }
    let (b, c) = if turned { (c, b) } else { (b, c) };
    let triangle =
        Triangle { v: [0; 3], draw: 0, x: [a.x, b.x, c.x], y: [a.y, b.y, c.y], z: [a.z, b.z, c.z] };
    Some(Seen { triangle, turned, x, y })
}

/// First and last column and row of pixels that a triangle may cover a sample of.
#[inline(always)]
pub(crate) fn pixels(x: &[i32; 3], y: &[i32; 3], view: &View) -> ([i32; 2], [i32; 2]) {
    let [low, high] = margins(view);
    (reach(x, low, high, view.width), reach(y, low, high, view.height))
}

/// What is added to the lowest and the highest coordinate of a triangle to find the pixels that it may
/// cover a sample of: with one sample, in the centre, those whose centre is beyond are left out.
#[inline(always)]
pub(crate) fn margins(view: &View) -> [i32; 2] {
    if view.samples.len() == 1 { [127, -128] } else { [0, 0] }
}

#[inline(always)]
fn reach(c: &[i32; 3], low: i32, high: i32, size: usize) -> [i32; 2] {
    let first = (c[0].min(c[1]).min(c[2]) + low) >> 8;
    let last = (c[0].max(c[1]).max(c[2]) + high) >> 8;
    [first.max(0), last.min(size as i32 - 1)]
}

/// Appends what a vertex of the mesh carries to the pixels.
#[inline]
fn carry(placed: &Placed, view: &View, i: usize, out: &mut Vec<f32>) {
    let draw = placed.draw;
    let mesh = draw.mesh;
    let start = out.len();
    out.resize(start + view.stride(), 0.0);
    let values = &mut out[start..];
    let p = mesh.pos[i];
    let (base, rest) = values.split_at_mut(4);
    let (shadowed, rest) = rest.split_at_mut(3 * view.lights.shadows);
    if draw.lit {
        let normal = mesh.normal.get(i).copied().unwrap_or([0.0, 0.0, 1.0]);
        let normal = unit(rotate(&placed.normals, normal));
        let pos = transform3(&placed.eye, p);
        view.lights.shine(&draw.material, pos, normal, base, shadowed);
    } else {
        base[..3].copy_from_slice(&draw.material.rgb.map_inline(|x| x.clamp(0.0, 1.0)));
    }
    base[3] = mesh.alpha.get(i).map_or(draw.alpha, |&own| own).clamp(0.0, 1.0);
    if let Some(paint) = &draw.paint {
        rest[..3].copy_from_slice(&paint.coordinates(p, mesh.uv.get(i)));
    }
    rest[3..6].copy_from_slice(&transform3(&placed.world, p));
}

type Vertex = (V4, Vec<f32>);

fn between(a: &Vertex, b: &Vertex, t: f32) -> Vertex {
    let mix = |a: f32, b: f32| a + (b - a) * t;
    let clip = std::array::from_fn(|i| mix(a.0[i], b.0[i]));
    (clip, a.1.iter().zip(&b.1).map(|(&a, &b)| mix(a, b)).collect())
}

/// Leaves of a convex polygon what has a distance that is not negative; `own` are distances that
/// are known per vertex, and are interpolated too.
fn cut_polygon(polygon: &mut Vec<Vertex>, own: &mut Vec<f32>, distance: impl Fn(&V4, f32) -> f32) {
    let (mut kept, mut kept_own) = (Vec::with_capacity(8), Vec::with_capacity(8));
    for i in 0..polygon.len() {
        let j = (i + 1) % polygon.len();
        let (da, db) = (distance(&polygon[i].0, own[i]), distance(&polygon[j].0, own[j]));
        if da >= 0.0 {
            kept.push(polygon[i].clone());
            kept_own.push(own[i]);
        }
        if (da >= 0.0) != (db >= 0.0) {
            let t = da / (da - db);
            kept.push(between(&polygon[i], &polygon[j], t));
            kept_own.push(own[i] + (own[j] - own[i]) * t);
        }
    }
    *polygon = kept;
    *own = kept_own;
}

/// The same for a line; nothing is left where both ends are outside.
fn cut_line(ends: &mut Vec<Vertex>, own: &mut [f32], distance: impl Fn(&V4, f32) -> f32) {
    let [a, b] = &ends[..] else { return };
    let (da, db) = (distance(&a.0, own[0]), distance(&b.0, own[1]));
    match (da >= 0.0, db >= 0.0) {
        (true, true) => {}
        (false, false) => ends.clear(),
        (from_inside, _) => {
            let t = da / (da - db);
            let middle = between(a, b, t);
            let end = usize::from(from_inside);
            own[end] = own[0] + (own[1] - own[0]) * t;
            ends[end] = middle;
        }
    }
}
