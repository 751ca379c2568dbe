//! What a `flexcomp` stands for: points, elements between them, and which points are pinned.
//!
//! Answers to MuJoCo's `mjCFlexcomp`, as far as it does not touch the model.

mod pin;
mod shape;

use corten_math::memory::{self, Grow};
use std::collections::HashMap;

use corten_geom::{gmsh, mesh};
use corten_math::{Quat, Vec3};

pub use pin::Pins;
pub use shape::ShapeSizes;

/// Where points and elements come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    #[default]
    Grid,
    Box,
    Cylinder,
    Ellipsoid,
    Square,
    Disc,
    Circle,
    Mesh,
    Gmsh,
    Direct,
}

impl Kind {
    /// Whether points come from the author instead of a formula.
    pub fn is_given(self) -> bool {
        matches!(self, Kind::Mesh | Kind::Gmsh | Kind::Direct)
    }
}

/// How points can move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dofs {
    /// In all directions.
    #[default]
    Full,
    /// To and from the origin of the parent.
    Radial,
    /// With the eight corners of a brick.
    Trilinear,
    /// With the corners, midpoints and centre of a brick.
    Quadratic,
}

impl Dofs {
    /// Degree of the interpolation between nodes; zero for none.
    pub fn order(self) -> usize {
        match self {
            Dofs::Full | Dofs::Radial => 0,
            Dofs::Trilinear => 1,
            Dofs::Quadratic => 2,
        }
    }
}

/// Points and elements.
#[derive(Clone, Debug, Default)]
pub struct Points {
    pub dim: usize,
    pub point: Vec<Vec3>,
    pub element: Vec<i32>,
    pub texcoord: Vec<f32>,
    pub elemtexcoord: Vec<i32>,
}

impl Points {
    /// Triangles of a mesh, or tetrahedra from `origin` to those that face away from it. Equal
    /// vertices are joined.
    pub fn from_mesh(source: &mesh::Source, dim: usize, origin: Vec3) -> Points {
        let mut out = Points { dim, ..Default::default() };
        if dim == 3 {
            out.point.push(origin);
        }
        let mut known: HashMap<[u32; 3], i32> = memory::map_with_room(source.vert.len());
        let mut index = memory::with_room(source.vert.len());
        for v in &source.vert {
            // Adding zero turns −0 into 0: both are the same place.
            let id = *known.entry(v.map(|x| (x + 0.0).to_bits())).or_insert_with(|| {
                out.point.grow_push(Vec3(v.map(f64::from)));
                out.point.len() as i32 - 1
            });
            index.push(id);
        }
        let at = |i: i32| usize::try_from(i).ok().and_then(|i| index.get(i)).copied().unwrap_or(-1);
        for face in &source.face {
            let face = face.map(at);
            if dim == 3 {
                let [a, b, c] =
                    face.map(|i| out.point.get(i as usize).map_or(Vec3::ZERO, |&x| x - origin));
                if a.cross(b).dot(c) < corten_math::MIN_VAL {
                    continue;
                }
                out.element.grow_push(0);
            }
            out.element.grow_extend(face);
        }
        if !source.texcoord.is_empty() {
            out.texcoord.grow_clone_from(&source.texcoord);
            out.elemtexcoord.grow_extend(source.facetexcoord.iter().flatten().copied());
        }
        out
    }

    pub fn from_gmsh(mesh: gmsh::Gmsh) -> Points {
        let point = mesh.point.into_iter().map(Vec3).collect();
        Points { dim: mesh.dim, point, element: mesh.element, ..Default::default() }
    }

    /// Moves all points. The quaternion counts as it is written, without being normalized.
    pub fn place(&mut self, pos: Vec3, quat: Quat) {
        let [w, x, y, z] = quat.0;
        let axis = Vec3::new(x, y, z);
        for point in &mut self.point {
            let turned = *point * w + axis.cross(*point);
            *point = pos + *point + axis.cross(turned) * 2.0;
        }
    }

    /// The box around all points.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        let start = (Vec3::splat(f64::MAX), Vec3::splat(-f64::MAX));
        self.point.iter().fold(start, |(low, high), &x| (low.min(x), high.max(x)))
    }

    /// Which points elements refer to.
    pub fn used(&self) -> Vec<bool> {
        let mut used = vec![false; self.point.len()];
        for &i in &self.element {
            used[i as usize] = true;
        }
        used
    }
}
