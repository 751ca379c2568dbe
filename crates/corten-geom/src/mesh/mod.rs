//! Triangle meshes: reading files, built-in shapes, and what a compiled model needs of them.
//!
//! [`Source`] is a mesh as its author gave it; [`process`] turns it into a [`Mesh`] centred at its
//! centre of mass with axes along its principal axes, with normals, hull and bounding boxes.

mod builtin;
mod inertia;
mod load;
mod marching;
mod normal;
mod obj;
mod octree;
mod polygon;
mod process;
mod triangles;

pub use builtin::Builtin;
pub use load::{Format, LoadError, load};
pub use marching::{SurfaceError, surface};
pub use octree::DistanceTree;
pub use polygon::Lists;
pub use process::{Mesh, MeshError, Settings, process};

/// How the mass of a mesh is distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MassDistribution {
    /// Homogeneous over the convex hull.
    Convex,
    /// Homogeneous over the enclosed volume; needs consistent orientation.
    Exact,
    /// Sum of unsigned tetrahedra, which overestimates concave meshes.
    Legacy,
    /// On the surface.
    Shell,
}

/// A mesh as given: single-precision coordinates, in file order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    pub vert: Vec<[f32; 3]>,
    /// Three scalars per normal.
    pub normal: Vec<f32>,
    /// Two scalars per texture coordinate.
    pub texcoord: Vec<f32>,
    pub face: Vec<[i32; 3]>,
    pub facenormal: Vec<[i32; 3]>,
    pub facetexcoord: Vec<[i32; 3]>,
}
