//! The surface of a distance field as a mesh, by marching cubes.
//!
//! Distances are sampled on a grid over the bounds of the field; a vertex lies on every edge of the
//! grid where their sign changes, and the triangles of a cell follow from the signs at its corners
//! (Lorensen and Cline, "Marching cubes", 1987). Answers to `mjCMesh::LoadSDF`.

use corten_math::Vec3;
use corten_math::memory::{self, Gather, Grow};

use super::Source;
use super::triangles::TRIANGLES;
use crate::DistanceField;

/// Samples along the three axes together.
const SAMPLES: f64 = 300.0;

/// The corners of each edge of a cell. Corners are numbered by bits, x first; edges along x come
/// before those along y and z.
const EDGES: [[usize; 2]; 12] = [
    [0, 1],
    [2, 3],
    [4, 5],
    [6, 7],
    [0, 2],
    [1, 3],
    [4, 6],
    [5, 7],
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7],
];

/// Why a distance field has no mesh.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SurfaceError {
    #[error("the bounds of the distance field are not finite and positive")]
    Bounds,
    #[error("the bounds of the distance field are too flat to be sampled")]
    Flat,
    #[error("the distance field is not a number at {0}")]
    NotANumber(String),
}

/// Samples of a distance field.
struct Grid {
    size: [usize; 3],
    values: Vec<f32>,
}

impl Grid {
    fn sample(field: &dyn DistanceField) -> Result<Grid, SurfaceError> {
        let b = field.bounds();
        if !b.iter().all(|x| x.is_finite()) || b[3..].iter().any(|&half| half <= 0.0) {
            return Err(SurfaceError::Bounds);
        }
        let total = b[3] + b[4] + b[5];
        let size = [0, 1, 2].map(|k| (SAMPLES / total * b[3 + k]).floor() as usize + 1);
        if size.contains(&1) {
            return Err(SurfaceError::Flat);
        }
        let along =
            |k: usize, i: usize| b[k] - b[3 + k] + 2.0 * b[3 + k] * i as f64 / (size[k] - 1) as f64;
        let mut values = memory::with_room(size[0] * size[1] * size[2]);
        for z in 0..size[2] {
            for y in 0..size[1] {
                for x in 0..size[0] {
                    let p = Vec3::new(along(0, x), along(1, y), along(2, z));
                    let value = field.distance(p);
                    if value.is_nan() {
                        return Err(SurfaceError::NotANumber(format!("{:?}", p.0)));
                    }
                    values.push(value as f32);
                }
            }
        }
        Ok(Grid { size, values })
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.size[1] + y) * self.size[0] + x
    }
}

/// A point of the grid, moved by the bits of a corner.
fn corner([x, y, z]: [usize; 3], corner: usize) -> [usize; 3] {
    [x + (corner & 1), y + (corner >> 1 & 1), z + (corner >> 2)]
}

/// The surface where a field is zero.
pub fn surface(field: &dyn DistanceField) -> Result<Source, SurfaceError> {
    let grid = Grid::sample(field)?;
    let [nx, ny, nz] = grid.size;
    let mut vert: Vec<[f32; 3]> = Vec::new();
    let mut face: Vec<[i32; 3]> = Vec::new();
    // Vertices on the edges that start at each point of two layers of the grid.
    let mut known = memory::filled([-1i32; 3], 2 * nx * ny);
    let slot = |[x, y, z]: [usize; 3]| (z % 2 * ny + y) * nx + x;
    for z in 0..nz - 1 {
        // The upper layer is new.
        let upper = slot([0, 0, z + 1]);
        known[upper..upper + nx * ny].fill([-1; 3]);
        for y in 0..ny - 1 {
            for x in 0..nx - 1 {
                let values = std::array::from_fn::<f32, 8, _>(|c| {
                    grid.values[grid.index(corner([x, y, z], c))]
                });
                let inside = (0..8).fold(0, |bits, c| bits | usize::from(values[c] < 0.0) << c);
                if inside == 0 || inside == 255 {
                    continue;
                }
                let mut own = [-1i32; 12];
                for (edge, &[a, b]) in EDGES.iter().enumerate() {
                    if (values[a] < 0.0) == (values[b] < 0.0) {
                        continue;
                    }
                    let (start, axis) = (corner([x, y, z], a), edge / 4);
                    let vertex = &mut known[slot(start)][axis];
                    if *vertex < 0 {
                        *vertex = vert.len() as i32;
                        let mut at = start.map(|i| i as f32);
                        at[axis] += values[a] / (values[a] - values[b]);
                        vert.grow_push(at);
                    }
                    own[edge] = *vertex;
                }
                let corners = TRIANGLES[inside].bytes().map(|digit| own[hex(digit)]);
                face.grow_extend_from_slice(corners.collect::<Vec<i32>>().as_chunks::<3>().0);
            }
        }
    }
    let normal = normals(&vert, &face);
    let b = field.bounds();
    for v in &mut vert {
        for k in 0..3 {
            let cells = (grid.size[k] - 1) as f64;
            v[k] = (2.0 * b[3 + k] * f64::from(v[k]) / cells + b[k] - b[3 + k]) as f32;
        }
    }
    Ok(Source { vert, normal, face, ..Source::default() })
}

fn hex(digit: u8) -> usize {
    usize::from(if digit.is_ascii_digit() { digit - b'0' } else { digit - b'a' + 10 })
}

/// Sums of the normals of the faces around each vertex, weighted by area, of unit length; on the
/// grid, before it is stretched.
fn normals(vert: &[[f32; 3]], face: &[[i32; 3]]) -> Vec<f32> {
    let mut sums = memory::filled([0f32; 3], vert.len());
    let minus = |a: [f32; 3], b: [f32; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    for f in face {
        let [a, b, c] = f.map(|v| vert[v as usize]);
        let (u, v) = (minus(c, b), minus(a, b));
        let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        for &i in f {
            for k in 0..3 {
                sums[i as usize][k] += n[k];
            }
        }
    }
    let unit = |n: [f32; 3]| {
        let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
        n.map(|x| x / length)
    };
    sums.into_iter().flat_map(unit).gather()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::implicit::{Bowl, Torus};

    /// Every edge belongs to two faces that run along it in opposite directions: the surface is
    /// closed, and its volume is that of the solid.
    #[test]
    fn surfaces_are_closed_and_enclose_the_solid() {
        let torus = Torus { radius: 0.35, tube: 0.15 };
        let thin = Bowl { height: 0.5, radius: 1.0, thickness: 0.004 };
        for (field, volume) in [
            (&torus as &dyn DistanceField, Some(2.0 * 9.869_604_401_089_358 * 0.35 * 0.15 * 0.15)),
            (&thin, None),
        ] {
            let mesh = surface(field).unwrap();
            let mut open = std::collections::HashMap::new();
            for f in &mesh.face {
                for k in 0..3 {
                    let (a, b) = (f[k], f[(k + 1) % 3]);
                    *open.entry((a.min(b), a.max(b))).or_insert(0) += if a < b { 1 } else { -1 };
                }
            }
            assert!(open.values().all(|&sum| sum == 0), "{field:?}");
            let six: f64 = mesh
                .face
                .iter()
                .map(|f| {
                    let [a, b, c] = f.map(|v| Vec3(mesh.vert[v as usize].map(f64::from)));
                    a.dot(b.cross(c))
                })
                .sum();
            if let Some(volume) = volume {
                assert!((six / 6.0 / volume - 1.0).abs() < 1e-3, "{}", six / 6.0);
            }
        }
    }

    #[test]
    fn fields_without_a_sensible_box_are_refused() {
        #[derive(Debug)]
        struct Odd([f64; 6]);
        impl DistanceField for Odd {
            fn distance(&self, _: Vec3) -> f64 {
                f64::NAN
            }
            fn bounds(&self) -> [f64; 6] {
                self.0
            }
        }
        let refused = |bounds| surface(&Odd(bounds)).unwrap_err();
        assert_eq!(refused([0.0, 0.0, 0.0, 1.0, 1.0, 0.0]), SurfaceError::Bounds);
        assert_eq!(refused([0.0, 0.0, 0.0, 1.0, f64::INFINITY, 1.0]), SurfaceError::Bounds);
        assert_eq!(refused([0.0, 0.0, 0.0, 1.0, 1.0, 1e-9]), SurfaceError::Flat);
        assert!(matches!(refused([0.0, 0.0, 0.0, 1.0, 1.0, 1.0]), SurfaceError::NotANumber(_)));
    }
}
