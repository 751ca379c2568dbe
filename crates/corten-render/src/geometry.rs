//! From meshes to triangles on the image: transformation, light, clipping, culling, and the list of
//! triangles that each tile of the image sees.

use std::ops::Range;

use corten_math::array::{self, MapInline};
use corten_math::wide;

use crate::draw::{Cull, Draw, View};
use crate::linear::{Mat4, V3, V4, dot, rotate, transform, transform3, unit};
use crate::mesh::Sphere;

/// Width of a tile in pixels.
pub(crate) const TILE_W: usize = 64;
/// Height of a tile in pixels.
pub(crate) const TILE_H: usize = 32;

/// Coordinates on the image are multiples of 1/256 pixel.
pub(crate) const SUBPIXEL: f32 = 256.0;

/// How far, in pixels, triangles may reach beyond the image before they are cut.
const GUARD: f32 = 8192.0;

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
    corners: Vec<Corner>,
    /// Vertex of the chunk per vertex of the mesh.
    emitted: Vec<u32>,
}

/// A vertex of a mesh on the image.
#[derive(Clone, Copy, Debug, Default)]
struct Corner {
    clip: V4,
    /// Bits of the planes of the frustum that it is beyond of.
    outside: u8,
    x: i32,
    y: i32,
    z: f32,
    inverse: f32,
}

/// Planes that need cutting, and planes that only tell that nothing is visible.
const CUT: u8 = 0b1000_0111;
const NEAR: u8 = 1;
const FAR: u8 = 2;
/// Beyond the guard band.
const WIDE: u8 = 4;
const SIDES: [u8; 4] = [8, 16, 32, 64];
/// Behind the clipping plane of a mirror.
const BEHIND: u8 = 128;

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
            };
            self.place(&placed, view, &projected);
        }
    }

    fn place(&mut self, placed: &Placed, view: &View, clip: &Mat4) {
        let mesh = placed.draw.mesh;
        let mut scratch = std::mem::take(&mut self.scratch);
        if scratch.corners.len() < mesh.pos.len() {
            scratch.corners.resize(mesh.pos.len(), Corner::default());
        }
        scratch.emitted.clear();
        scratch.emitted.resize(mesh.pos.len(), u32::MAX);
        if let Some(width) = placed.draw.wires {
            corners_of(placed, view, 0..mesh.pos.len(), &mut scratch.corners);
            for &wire in &mesh.wires {
                self.wire(placed, view, &mut scratch, wire, width);
            }
        } else if mesh.patches.is_empty() {
            corners_of(placed, view, 0..mesh.pos.len(), &mut scratch.corners);
            for &face in &mesh.faces {
                self.face(placed, view, &mut scratch, face);
            }
        } else {
            for patch in mesh.patches.iter().filter(|patch| !is_outside(clip, &patch.bound)) {
                corners_of(placed, view, patch.vertices.clone(), &mut scratch.corners);
                for &face in &mesh.faces[patch.faces.clone()] {
                    self.face(placed, view, &mut scratch, face);
                }
            }
        }
        self.scratch = scratch;
    }

    /// A face of the mesh.
    #[inline]
    fn face(&mut self, placed: &Placed, view: &View, scratch: &mut Scratch, face: [u32; 3]) {
        let corners = [
            &scratch.corners[face[0] as usize],
            &scratch.corners[face[1] as usize],
            &scratch.corners[face[2] as usize],
        ];
        let common = corners[0].outside & corners[1].outside & corners[2].outside;
        if common & !WIDE != 0 {
            return;
        }
        let any = corners[0].outside | corners[1].outside | corners[2].outside;
        if any & CUT != 0 {
            return self.cut(placed, view, scratch, face, any & CUT);
        }
        let cull = placed.draw.cull;
        let Some((triangle, turned)) = on_image(corners, view, cull) else { return };
        let mut v = face;
        for i in &mut v {
            *i = self.vertex(placed, view, scratch, *i);
        }
        self.push(triangle, turned, v, placed.number, view);
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
        self.inverse.push(scratch.corners[i as usize].inverse);
        if view.shaded {
            carry(placed, view, i as usize, &mut self.carried);
        }
        index
    }

    fn push(&mut self, mut t: Triangle, turned: bool, v: [u32; 3], draw: u32, view: &View) {
        (t.v, t.draw) = (v, draw);
        if turned {
            t.v.swap(1, 2);
        }
        let index = self.triangles.len() as u32;
        self.triangles.push(t);
        let ([x0, x1], [y0, y1]) = pixels(&t, view);
        let columns = view.width.div_ceil(TILE_W);
        for row in y0 as usize / TILE_H..=y1 as usize / TILE_H {
            for column in x0 as usize / TILE_W..=x1 as usize / TILE_W {
                self.bins[row * columns + column].push(index);
            }
        }
    }

    /// A face that reaches beyond the frustum: cut it, plane by plane, and draw what is left as a
    /// fan.
    fn cut(
        &mut self,
        placed: &Placed,
        view: &View,
        scratch: &mut Scratch,
        face: [u32; 3],
        out: u8,
    ) {
        let stride = view.stride();
        let mut polygon: Vec<(V4, Vec<f32>)> = Vec::with_capacity(8);
        for i in face {
            let v = self.vertex(placed, view, scratch, i) as usize;
            let clip = scratch.corners[i as usize].clip;
            polygon.push((clip, self.carried[v * stride..(v + 1) * stride].to_vec()));
        }
        let mut distances = face.map(|i| mirror_distance(placed, i)).to_vec();
        if out & BEHIND != 0 {
            cut_polygon(&mut polygon, &mut distances, |_, d| d);
        }
        let guard = guards(view);
        let (gx, gy) = (guard[0], guard[1]);
        let planes: [(u8, [f32; 4]); 6] = [
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
        let corners: Vec<Corner> =
            polygon.iter().map(|(clip, _)| project(*clip, view, 0)).collect();
        for (corner, (_, carried)) in corners.iter().zip(&polygon) {
            self.inverse.push(corner.inverse);
            self.carried.extend(carried);
        }
        for k in 1..corners.len() - 1 {
            let three = [&corners[0], &corners[k], &corners[k + 1]];
            if let Some((triangle, turned)) = on_image(three, view, placed.draw.cull) {
                let v = [first, first + k as u32, first + k as u32 + 1];
                self.push(triangle, turned, v, placed.number, view);
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
        let corners = wire.map(|i| scratch.corners[i as usize]);
        if corners[0].outside & corners[1].outside & !WIDE != 0 {
            return;
        }
        let stride = view.stride();
        let mut ends: Vec<(V4, Vec<f32>)> = Vec::with_capacity(4);
        for i in wire {
            let v = self.vertex(placed, view, scratch, i) as usize;
            let clip = scratch.corners[i as usize].clip;
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
        let corners = four.each_ref().map(|(clip, _)| project(*clip, view, 0));
        for (corner, (_, carried)) in corners.iter().zip(four) {
            self.inverse.push(corner.inverse);
            self.carried.extend(carried);
        }
        for [i, j, k] in [[0, 1, 2], [0, 2, 3]] {
            let three = [&corners[i], &corners[j], &corners[k]];
            if let Some((triangle, turned)) = on_image(three, view, Cull::None) {
                let v = [i, j, k].map(|n| first + n as u32);
                self.push(triangle, turned, v, placed.number, view);
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

/// The guard band in normalised coordinates.
fn guards(view: &View) -> [f32; 2] {
    [1.0 + 2.0 * GUARD / view.width as f32, 1.0 + 2.0 * GUARD / view.height as f32]
}

wide! {
    /// Where vertices of a mesh are on the image.
    fn corners_of(placed: &Placed<'_>, view: &View, range: Range<usize>, corners: &mut [Corner]) {
        let points = &placed.draw.mesh.pos[range.clone()];
        for (corner, &p) in corners[range].iter_mut().zip(points) {
            let behind = match placed.plane {
                Some(plane) => dot([plane[0], plane[1], plane[2]], p) + plane[3] < 0.0,
                None => false,
            };
            let outside = if behind { BEHIND } else { 0 };
            *corner = project(transform(&placed.clip, p), view, outside);
        }
    }
}

/// A number as a place on the image, rounded to the nearest; far beyond, as far as it goes.
#[inline(always)]
fn fixed(x: f32, size: usize) -> i32 {
    let place = (x + 1.0) * (0.5 * SUBPIXEL) * size as f32;
    // Adding and subtracting this rounds numbers of up to 22 bits to whole ones.
    const ROUND: f32 = 12_582_912.0;
    if place.abs() < 4_194_304.0 { ((place + ROUND) - ROUND) as i32 } else { place as i32 }
}

/// Where a point is on the image, and what it is beyond of.
#[inline(always)]
fn project([x, y, z, w]: V4, view: &View, mut outside: u8) -> Corner {
    let [gx, gy] = guards(view);
    // A NaN is beyond every plane.
    for (inside, bit) in [
        (z <= w, NEAR),
        (z >= 0.0, FAR),
        (x.abs() <= gx * w && y.abs() <= gy * w, WIDE),
        (x >= -w, SIDES[0]),
        (x <= w, SIDES[1]),
        (y >= -w, SIDES[2]),
        (y <= w, SIDES[3]),
    ] {
        outside |= if inside { 0 } else { bit };
    }
    let inverse = 1.0 / w;
    Corner {
        clip: [x, y, z, w],
        outside,
        x: fixed(x * inverse, view.width),
        y: fixed(y * inverse, view.height),
        z: z * inverse,
        inverse,
    }
}

/// The triangle of three corners on the image, if it is seen from the right side and may cover a
/// sample; and whether it had to be turned.
#[inline(always)]
fn on_image(corners: [&Corner; 3], view: &View, cull: Cull) -> Option<(Triangle, bool)> {
    let [a, b, c] = corners;
    let area = (b.x - a.x) as i64 * (c.y - a.y) as i64 - (c.x - a.x) as i64 * (b.y - a.y) as i64;
    let front = (area > 0) != view.mirrored;
    let culled = match cull {
        Cull::None => false,
        Cull::Back => !front,
        Cull::Front => front,
    };
    if area == 0 || culled {
        return None;
    }
    let (b, c) = if area < 0 { (c, b) } else { (b, c) };
    let triangle =
        Triangle { v: [0; 3], draw: 0, x: [a.x, b.x, c.x], y: [a.y, b.y, c.y], z: [a.z, b.z, c.z] };
    let ([x0, x1], [y0, y1]) = pixels(&triangle, view);
    (x0 <= x1 && y0 <= y1).then_some((triangle, area < 0))
}

/// First and last column and row of pixels that a triangle may cover a sample of.
#[inline(always)]
pub(crate) fn pixels(t: &Triangle, view: &View) -> ([i32; 2], [i32; 2]) {
    // With one sample, in the centre, pixels whose centre is beyond the bounding box are left out.
    let (low, high) = if view.samples.len() == 1 { (127, -128) } else { (0, 0) };
    (reach(&t.x, low, high, view.width), reach(&t.y, low, high, view.height))
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
