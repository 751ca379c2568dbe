//! Tessellation of the built-in shapes, as finely as `visual/quality` says: with the same facets as
//! MuJoCo's, silhouettes are the same.

use std::f32::consts::{FRAC_1_SQRT_2, PI};

use crate::linear::{V3, add, unit};
use crate::mesh::{Mesh, PATCH};

/// How finely shapes are divided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quality {
    pub slices: usize,
    pub stacks: usize,
    pub quads: usize,
}

/// The built-in shapes, of unit size.
#[derive(Debug)]
pub(crate) struct Shapes {
    pub plane: Mesh,
    pub sphere: Mesh,
    /// Upper half of a sphere around (0, 0, 1).
    pub sphere_top: Mesh,
    /// Lower half of a sphere around (0, 0, −1).
    pub sphere_bottom: Mesh,
    pub cylinder: Mesh,
    pub cylinder_open: Mesh,
    pub cube: Mesh,
    /// The face of the cube towards z, and the five others.
    pub cube_top: Mesh,
    pub cube_rest: Mesh,
    pub cone: Mesh,
    pub plain: Plain,
    pub haze: Mesh,
    /// A plane without a grid.
    pub quad: Mesh,
    pub line: Mesh,
    pub line_box: Mesh,
    pub triangle: Mesh,
}

/// Shapes whose flat faces are not divided: the same surfaces, where light does not matter.
#[derive(Debug)]
pub(crate) struct Plain {
    pub cylinder: Mesh,
    pub cylinder_open: Mesh,
    pub cube: Mesh,
    pub cone: Mesh,
}

impl Shapes {
    pub(crate) fn new(quality: Quality, haze_width: f32) -> Shapes {
        let Quality { slices, stacks, quads } = quality;
        let half = (stacks / 2).max(1);
        Shapes {
            plane: plane(&divisions(quads), &divisions(quads)),
            sphere: sphere(slices, half).bounded().closed(),
            sphere_top: half_sphere(1.0, slices, half).bounded().closed(),
            sphere_bottom: half_sphere(-1.0, slices, half).bounded().closed(),
            cylinder: cylinder(slices, stacks, Some(half)).bounded().closed(),
            cylinder_open: cylinder(slices, stacks, None).bounded().closed(),
            cube: cube(quads, &[0, 1, 2, 3, 4, 5]).bounded().closed(),
            cube_top: cube(quads, &[0]).bounded(),
            cube_rest: cube(quads, &[1, 2, 3, 4, 5]).bounded(),
            cone: cone(slices, stacks).bounded().closed(),
            plain: Plain {
                cylinder: cylinder(slices, 1, Some(1)).bounded().closed(),
                cylinder_open: cylinder(slices, 1, None).bounded().closed(),
                cube: cube(1, &[0, 1, 2, 3, 4, 5]).bounded().closed(),
                cone: cone(slices, 1).bounded().closed(),
            },
            haze: haze(slices, haze_width).bounded(),
            quad: plane(&[-1.0, 1.0], &[-1.0, 1.0]),
            line: lines(&[[0.0; 3], [0.0, 0.0, 1.0]], &[[0, 1]]),
            line_box: line_box(),
            triangle: triangle(),
        }
    }
}

/// Numbers from −1 to 1.
fn divisions(n: usize) -> Vec<f64> {
    (0..=n).map(|i| 2.0 / n as f64 * i as f64 - 1.0).collect()
}

/// Grid lines of a plane of the model along one of its directions. A finite plane ends at `size`
/// and has a line every two `spacing`, an infinite one reaches beyond the sky and has lines that
/// agree with its texture.
pub(crate) fn plane_lines(size: f64, spacing: f64, zfar: f64, repeat: Option<f64>) -> Vec<f64> {
    const MOST: usize = 200;
    if size > 0.0 {
        let spacing = spacing.max(size / (MOST - 2) as f64);
        let count = (size / spacing.max(1e-15)).floor() as usize;
        let count = (count - count % 2).min(MOST - 2);
        let pad = size - count as f64 * spacing;
        let mut lines = vec![-size];
        for x in 0..=count {
            lines.push((-size + pad + x as f64 * spacing * 2.0).max(lines[x]));
        }
        lines.push((lines[count + 1] + pad).max(lines[count + 1]));
        return lines;
    }
    let cell = match repeat {
        Some(repeat) if repeat > 0.0 => 2.0 / repeat,
        _ => 2.1 * zfar / (MOST - 2) as f64,
    };
    let step = (2.1 * zfar + 2.0 * cell) / MOST as f64;
    (0..=MOST).map(|x| step * x as f64 - step * (MOST / 2) as f64).collect()
}

/// A plane with grid lines at the given coordinates. Its cells are in blocks, whose faces are those of a
/// patch: what is out of sight is left out block by block.
pub(crate) fn plane(x: &[f64], y: &[f64]) -> Mesh {
    const { assert!(2 * BLOCK * BLOCK == PATCH) };
    let mut mesh = Mesh::default();
    for r0 in (0..y.len() - 1).step_by(BLOCK) {
        for c0 in (0..x.len() - 1).step_by(BLOCK) {
            let (rows, columns) = (BLOCK.min(y.len() - 1 - r0), BLOCK.min(x.len() - 1 - c0));
            mesh.grid(rows, columns, false, |r, c| {
                ([x[c0 + c] as f32, y[r0 + r] as f32, 0.0], [0.0, 0.0, 1.0])
            });
        }
    }
    mesh.bounded()
}

/// Cells of a plane in each direction that are a patch together.
const BLOCK: usize = 8;

/// Angle around the axis of the `j`-th of `n` slices.
fn azimuth(j: usize, n: usize) -> f32 {
    2.0 * PI * (j % n.max(1)) as f32 / n.max(1) as f32
}

fn on_sphere(az: f32, el: f32) -> V3 {
    [az.cos() * el.cos(), az.sin() * el.cos(), el.sin()]
}

/// Half of a unit sphere around (0, 0, `lift`), on the side of `sign`.
fn add_half(mesh: &mut Mesh, sign: f32, lift: f32, slices: usize, stacks: usize) {
    let elevation = |i: usize| PI / 2.0 * sign * i as f32 / stacks as f32;
    mesh.grid(stacks - 1, slices, sign < 0.0, |i, j| {
        let n = on_sphere(azimuth(j, slices), elevation(i));
        ([n[0], n[1], n[2] + lift], n)
    });
    let pole = mesh.vertex([0.0, 0.0, sign + lift], [0.0, 0.0, sign]);
    let last = pole - slices as u32 - 1;
    for j in 0..slices as u32 {
        if sign > 0.0 {
            mesh.triangle(last + j, last + j + 1, pole);
        } else {
            mesh.triangle(pole, last + j + 1, last + j);
        }
    }
}

fn half_sphere(sign: f32, slices: usize, stacks: usize) -> Mesh {
    let mut mesh = Mesh::default();
    add_half(&mut mesh, sign, sign, slices, stacks);
    mesh
}

fn sphere(slices: usize, half: usize) -> Mesh {
    let mut mesh = Mesh::default();
    add_half(&mut mesh, -1.0, 0.0, slices, half);
    add_half(&mut mesh, 1.0, 0.0, slices, half);
    mesh
}

/// A disk of radius one at height `z`, seen from above or, for `sign` −1, from below.
fn add_disk(mesh: &mut Mesh, z: f32, sign: f32, slices: usize, stacks: usize) {
    let normal = [0.0, 0.0, sign];
    let at = |j: usize, r: f32| [azimuth(j, slices).cos() * r, azimuth(j, slices).sin() * r, z];
    mesh.grid(stacks - 1, slices, sign > 0.0, |i, j| {
        (at(j, (i + 1) as f32 / stacks as f32), normal)
    });
    let first = (mesh.pos.len() - stacks * (slices + 1)) as u32;
    let center = mesh.vertex([0.0, 0.0, z], normal);
    for j in first..first + slices as u32 {
        if sign > 0.0 {
            mesh.triangle(j, j + 1, center);
        } else {
            mesh.triangle(center, j + 1, j);
        }
    }
}

/// A cylinder from z = −1 to 1, closed by disks of so many rings.
fn cylinder(slices: usize, stacks: usize, rings: Option<usize>) -> Mesh {
    let mut mesh = Mesh::default();
    let stacks = stacks.max(1);
    if let Some(rings) = rings {
        add_disk(&mut mesh, -1.0, -1.0, slices, rings);
    }
    mesh.grid(stacks, slices, false, |i, j| {
        let az = azimuth(j, slices);
        let n = [az.cos(), az.sin(), 0.0];
        ([n[0], n[1], (2 * i) as f32 / stacks as f32 - 1.0], n)
    });
    if let Some(rings) = rings {
        add_disk(&mut mesh, 1.0, 1.0, slices, rings);
    }
    mesh
}

/// Faces of the cube by number: z, −z, x, −x, −y, y.
fn cube(quads: usize, faces: &[usize]) -> Mesh {
    let mut mesh = Mesh::default();
    let at = |i: usize| 2.0 / quads as f32 * i as f32 - 1.0;
    for &face in faces {
        mesh.grid(quads, quads, matches!(face, 1 | 3 | 5), |r, c| {
            let (a, b) = (at(c), at(r));
            match face {
                0 => ([a, b, 1.0], [0.0, 0.0, 1.0]),
                1 => ([a, b, -1.0], [0.0, 0.0, -1.0]),
                2 => ([1.0, a, b], [1.0, 0.0, 0.0]),
                3 => ([-1.0, a, b], [-1.0, 0.0, 0.0]),
                4 => ([a, -1.0, b], [0.0, -1.0, 0.0]),
                _ => ([a, 1.0, b], [0.0, 1.0, 0.0]),
            }
        });
    }
    mesh
}

/// A cone over the unit disk at z = 0, with its tip at z = 1.
fn cone(slices: usize, stacks: usize) -> Mesh {
    let mut mesh = Mesh::default();
    let stacks = stacks.max(1);
    let side = |j: usize| {
        let az = azimuth(j, slices);
        [az.cos() * FRAC_1_SQRT_2, az.sin() * FRAC_1_SQRT_2, FRAC_1_SQRT_2]
    };
    // From the rim inwards: radii one to 1/stacks, then the tip.
    mesh.grid(stacks - 1, slices, false, |i, j| {
        let (az, r) = (azimuth(j, slices), (stacks - i) as f32 / stacks as f32);
        ([az.cos() * r, az.sin() * r, 1.0 - r], side(j))
    });
    let last = (mesh.pos.len() - slices - 1) as u32;
    for j in 0..slices {
        let tip = mesh.vertex([0.0, 0.0, 1.0], unit(add(side(j), side(j + 1))));
        mesh.triangle(last + j as u32, last + j as u32 + 1, tip);
    }
    add_disk(&mut mesh, 0.0, -1.0, slices, stacks);
    mesh
}

/// A truncated cone around the horizon, opaque at half height and clear at its edges.
fn haze(slices: usize, width: f32) -> Mesh {
    let mut mesh = Mesh::default();
    let alpha = 1f32.atan2(width);
    let beta = 0.75 * PI - alpha;
    let middle = 0.5f32.sqrt() * width * alpha.sin() / beta.sin();
    mesh.grid(2, slices, false, |i, j| {
        let h = [0.0, middle, 1.0][i];
        let (az, r) = (azimuth(j, slices), 1.0 - width * (1.0 - h));
        ([az.cos() * r, az.sin() * r, h], [0.0, 0.0, 1.0])
    });
    mesh.alpha =
        (0..3 * (slices + 1)).map(|i| f32::from(u8::from(i / (slices + 1) == 1))).collect();
    mesh
}

/// Lines between points.
fn lines(pos: &[V3], wires: &[[u32; 2]]) -> Mesh {
    Mesh { pos: pos.to_vec(), wires: wires.to_vec(), ..Mesh::default() }.bounded()
}

fn line_box() -> Mesh {
    let corner = |i: u32| [0, 1, 2].map(|k| if i >> k & 1 == 0 { -1.0 } else { 1.0 });
    let corners: Vec<V3> = (0..8).map(corner).collect();
    let edges: Vec<[u32; 2]> =
        (0..8u32).flat_map(|i| [1, 2, 4].map(|bit| [i, i | bit])).filter(|[a, b]| a != b).collect();
    lines(&corners, &edges)
}

fn triangle() -> Mesh {
    let mut mesh = Mesh::default();
    for pos in [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] {
        mesh.vertex(pos, [0.0, 0.0, 1.0]);
    }
    mesh.triangle(0, 1, 2);
    mesh.bounded()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::{cross, dot, sub};

    /// Volume inside of a surface, by the divergence theorem: positive if faces look outwards.
    fn volume(mesh: &Mesh) -> f32 {
        let corner = |i: u32| mesh.pos[i as usize];
        let six = |f: &[u32; 3]| dot(corner(f[0]), cross(corner(f[1]), corner(f[2])));
        mesh.faces.iter().map(six).sum::<f32>() / 6.0
    }

    fn shapes() -> Shapes {
        Shapes::new(Quality { slices: 64, stacks: 64, quads: 3 }, 0.3)
    }

    #[test]
    fn closed_shapes_look_outwards() {
        let shapes = shapes();
        let expected = [
            (&shapes.sphere, 4.0 / 3.0 * PI),
            (&shapes.cylinder, 2.0 * PI),
            (&shapes.cube, 8.0),
            (&shapes.cone, PI / 3.0),
            (&shapes.plain.cylinder, 2.0 * PI),
            (&shapes.plain.cube, 8.0),
            (&shapes.plain.cone, PI / 3.0),
        ];
        for (mesh, expected) in expected {
            let volume = volume(mesh);
            assert!((volume / expected - 1.0).abs() < 0.01, "{volume} {expected}");
        }
    }

    #[test]
    fn normals_agree_with_faces() {
        let shapes = shapes();
        for mesh in [&shapes.sphere_top, &shapes.sphere_bottom, &shapes.cone, &shapes.cube_rest] {
            for f in &mesh.faces {
                let [a, b, c] = f.map(|i| mesh.pos[i as usize]);
                let n = cross(sub(b, a), sub(c, a));
                for &i in f {
                    assert!(dot(n, mesh.normal[i as usize]) >= 0.0, "{f:?}");
                }
            }
        }
    }

    #[test]
    fn lines_of_a_finite_plane_reach_its_edges() {
        let lines = plane_lines(5.0, 0.3, 100.0, None);
        assert_eq!((lines[0], *lines.last().unwrap()), (-5.0, 5.0));
        assert!(lines.is_sorted());
        assert_eq!(plane_lines(0.0, 1.0, 100.0, Some(1.0)).len(), 201);
    }
}
