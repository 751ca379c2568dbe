//! Shapes generated from parameters.

use corten_math::Vec3;
use corten_math::memory::{self, Gather, Grow};
use corten_math::real::{cos, powf, sin, sin_cos};
use std::f64::consts::PI;

use super::Source;

/// A generated shape with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Builtin {
    /// A subdivided icosahedron.
    Sphere { subdivision: i32 },
    /// A quad-projected hemisphere above the equator.
    Hemisphere { resolution: i32 },
    /// A cone or frustum over a regular polygon; its faces are those of its hull.
    Cone { edges: i32, radius: f64 },
    /// A superellipsoid.
    Supersphere { resolution: i32, e: f64, n: f64 },
    /// A supertoroid.
    Supertorus { resolution: i32, radius: f64, s: f64, t: f64 },
    /// A patch of the unit sphere, sampled at bin centres.
    Wedge { resolution: [i32; 2], fov: [f64; 2], gamma: f64 },
    /// A rectangular grid.
    Plate { resolution: [i32; 2] },
}

impl Builtin {
    /// Vertices, and faces where the shape is not convex.
    pub fn generate(&self) -> Source {
        match *self {
            Builtin::Sphere { subdivision } => sphere(subdivision),
            Builtin::Hemisphere { resolution } => hemisphere(resolution),
            Builtin::Cone { edges, radius } => cone(edges, radius),
            Builtin::Supersphere { resolution, e, n } => supersphere(resolution, e, n),
            Builtin::Supertorus { resolution, radius, s, t } => {
                supertorus(resolution, radius, s, t)
            }
            Builtin::Wedge { resolution, fov, gamma } => wedge(resolution, fov, gamma),
            Builtin::Plate { resolution } => plate(resolution),
        }
    }
}

fn single(v: [f64; 3]) -> [f32; 3] {
    v.map(|x| x as f32)
}

fn sphere(subdivision: i32) -> Source {
    let phi = ((1.0 + 5f64.sqrt()) / 2.0) as f32;
    let norm = (1.0 + f64::from(phi * phi)).sqrt();
    let mut vert: Vec<[f32; 3]> = [
        [-1.0, phi, 0.0],
        [1.0, phi, 0.0],
        [-1.0, -phi, 0.0],
        [1.0, -phi, 0.0],
        [0.0, -1.0, phi],
        [0.0, 1.0, phi],
        [0.0, -1.0, -phi],
        [0.0, 1.0, -phi],
        [phi, 0.0, -1.0],
        [phi, 0.0, 1.0],
        [-phi, 0.0, -1.0],
        [-phi, 0.0, 1.0],
    ]
    .map(|v: [f32; 3]| v.map(|x| (f64::from(x) / norm) as f32))
    .to_vec();
    #[rustfmt::skip]
    let mut face: Vec<[i32; 3]> = vec![
        [0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11],
        [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8],
        [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9],
        [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1],
    ];
    for _ in 0..subdivision {
        let mut middles = std::collections::HashMap::new();
        let mut middle = |a: i32, b: i32| {
            memory::reserve_entries(&mut middles, 1);
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                let (p, q) = (vert[a as usize], vert[b as usize]);
                let m: [f32; 3] = std::array::from_fn(|k| (p[k] + q[k]) / 2.0);
                let norm = (m[0] * m[0] + m[1] * m[1] + m[2] * m[2]).sqrt();
                vert.grow_push(m.map(|x| x / norm));
                vert.len() as i32 - 1
            })
        };
        face = face
            .iter()
            .flat_map(|&[a, b, c]| {
                let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
                [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
            })
            .gather();
    }
    Source { vert, face, ..Source::default() }
}

/// Rows of the four sides between pole and equator; the flat side is a fan about its centre.
fn hemisphere(resolution: i32) -> Source {
    const POLE: Vec3 = Vec3::Z;
    const EQUATOR: [Vec3; 4] =
        [Vec3::X, Vec3::Y, Vec3::new(-1.0, 0.0, 0.0), Vec3::new(0.0, -1.0, 0.0)];
    let mut vert = vec![[0.0, 0.0, 1.0]];
    for row in 0..=resolution {
        let factor = f64::from(row + 1) / f64::from(resolution + 1);
        for side in 0..4 {
            let along = |corner: Vec3| POLE + (corner - POLE) * factor;
            let (start, end) = (along(EQUATOR[side]), along(EQUATOR[(side + 1) % 4]));
            let step = (end - start) / f64::from(row + 1);
            for i in 0..=row {
                let p = start + step * f64::from(i);
                vert.push(single((p / p.norm()).0));
            }
        }
    }
    let mut face = vec![[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1]];
    for row in 0..resolution {
        let (start, count) = (2 * row * (row + 1) + 1, 4 * (row + 1));
        let (next, next_count) = (start + count, 4 * (row + 2));
        for side in 0..4 {
            for i in 0..row + 2 {
                let (v, w) = (i + (row + 1) * side, i + (row + 2) * side);
                let (a, b) = (start + v % count, next + w % next_count);
                let c = next + (w + 1) % next_count;
                face.push([a, b, c]);
                if i < row + 1 {
                    face.push([a, c, start + (v + 1) % count]);
                }
            }
        }
    }
    let center = vert.len() as i32;
    vert.push([0.0; 3]);
    let (start, count) = (2 * resolution * (resolution + 1) + 1, 4 * (resolution + 1));
    for i in 0..count {
        face.push([start + i, center, start + (i + 1) % count]);
    }
    Source { vert, face, ..Source::default() }
}

fn cone(edges: i32, radius: f64) -> Source {
    let ring = |range: std::ops::Range<i32>, radius: f64, z: f32| {
        range.map(move |i| {
            let angle = f64::from(2 * i) * PI / f64::from(edges);
            [(radius * cos(angle)) as f32, (radius * sin(angle)) as f32, z]
        })
    };
    let mut vert: Vec<[f32; 3]> = ring(0..edges, 1.0, -1.0).collect();
    if radius > 0.0 {
        vert.extend(ring(edges..2 * edges, radius, 1.0));
    } else {
        vert.push([0.0, 0.0, 1.0]);
    }
    Source { vert, ..Source::default() }
}

/// Powers of cosine and sine that keep their sign.
fn super_cos(angle: f64, exponent: f64) -> f64 {
    let c = cos(angle);
    powf(c.abs(), exponent).copysign(c)
}

fn super_sin(angle: f64, exponent: f64) -> f64 {
    let s = sin(angle);
    powf(s.abs(), exponent).copysign(s)
}

fn supersphere(res: i32, e: f64, n: f64) -> Source {
    let mut vert = vec![[0.0, 0.0, -1.0]];
    for i in 1..res {
        let v = -PI / 2.0 + f64::from(i) * PI / f64::from(res);
        for j in 0..res {
            let u = -PI + f64::from(j) * 2.0 * PI / f64::from(res);
            vert.grow_push(single([
                super_cos(v, n) * super_cos(u, e),
                super_cos(v, n) * super_sin(u, e),
                super_sin(v, n),
            ]));
        }
    }
    let north = vert.len() as i32;
    vert.push([0.0, 0.0, 1.0]);
    let mut face: Vec<[i32; 3]> = (0..res).map(|j| [0, 1 + (j + 1) % res, 1 + j]).collect();
    for i in 0..res - 2 {
        for j in 0..res {
            let (a, b) = (1 + i * res + j, 1 + i * res + (j + 1) % res);
            let (d, c) = (a + res, b + res);
            face.grow_extend([[a, b, d], [b, c, d]]);
        }
    }
    let last = 1 + (res - 2) * res;
    face.extend((0..res).map(|j| [last + j, last + (j + 1) % res, north]));
    Source { vert, face, ..Source::default() }
}

fn supertorus(res: i32, radius: f64, s: f64, t: f64) -> Source {
    let mut vert = Vec::new();
    for i in 0..res {
        for j in 0..res {
            let u = 2.0 * PI * f64::from(i) / f64::from(res);
            let v = 2.0 * PI * f64::from(j) / f64::from(res);
            let ring = 1.0 + radius * super_cos(v, s);
            vert.grow_push(single([
                ring * super_cos(u, t),
                ring * super_sin(u, t),
                radius * super_sin(v, s),
            ]));
        }
    }
    let mut face = Vec::new();
    for i in 0..res {
        for j in 0..res {
            let (next_i, next_j) = ((i + 1) % res, (j + 1) % res);
            let (a, b) = (i * res + j, next_i * res + j);
            let (c, d) = (next_i * res + next_j, i * res + next_j);
            face.grow_extend([[a, b, d], [b, c, d]]);
        }
    }
    Source { vert, face, ..Source::default() }
}

/// Edges of `n` bins over a field of view, denser in the middle for positive `gamma`.
fn bin_edges(n: i32, fov: f64, gamma: f64) -> Vec<f64> {
    let step = 2.0 / f64::from(n);
    let mut x = -1.0;
    (0..=n)
        .map(|_| {
            let bent = if gamma == 0.0 {
                x
            } else {
                let g = gamma.clamp(0.0, 1.0);
                g * powf(x, 5.0) + (1.0 - g) * x
            };
            x += step;
            fov * PI / 180.0 * bent
        })
        .collect()
}

/// Points at unit distance with three normals each: outwards, and along both angles.
fn wedge([nx, ny]: [i32; 2], fov: [f64; 2], gamma: f64) -> Source {
    let (x, y) = (bin_edges(nx, fov[0], gamma), bin_edges(ny, fov[1], gamma));
    let mut source = Source::default();
    for i in 0..nx as usize {
        for j in 0..ny as usize {
            let (sa, ca) = sin_cos(0.5 * (x[i + 1] + x[i]));
            let (se, ce) = sin_cos(0.5 * (y[j + 1] + y[j]));
            source.vert.grow_push(single([ce * sa, se, -ce * ca]));
            let (along_a, _) = Vec3::new(ce * ca, 0.0, ce * sa).normalized();
            let (along_e, _) = Vec3::new(-se * sa, ce, se * ca).normalized();
            for n in [along_e.cross(along_a), along_a, along_e] {
                source.normal.grow_extend(n.0.map(|x| x as f32));
            }
        }
    }
    source
}

fn plate([nx, ny]: [i32; 2]) -> Source {
    let mut source = Source::default();
    let (dx, dy) = (2.0 / f64::from(nx), 2.0 / f64::from(ny));
    for i in 0..nx {
        for j in 0..ny {
            source.vert.grow_push(single([
                -1.0 + (f64::from(i) + 0.5) * dx,
                -1.0 + (f64::from(j) + 0.5) * dy,
                -1.0,
            ]));
            source.normal.grow_extend([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
            if i > 0 && j > 0 {
                let at = |i: i32, j: i32| i * ny + j;
                source.face.grow_push([at(i - 1, j - 1), at(i, j - 1), at(i - 1, j)]);
                source.face.push([at(i, j), at(i - 1, j), at(i, j - 1)]);
            }
        }
    }
    source
}
