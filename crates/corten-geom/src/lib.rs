//! Posed shapes and queries on them. Knows nothing of models or simulation.

#![forbid(unsafe_code)]

pub mod bvh;
pub mod ccd;
pub mod contact;
pub mod convex;
mod distance_field;
pub mod extremes;
pub mod field;
pub mod gmsh;
pub mod hfield;
pub mod hull;
pub mod implicit;
pub mod mesh;
pub mod pair;
pub mod ray;
pub mod round_normal;
pub mod sdf;
mod separation;
pub mod shape;

pub use ccd::Workspace;
pub use contact::{Hit, HitBuffer, MAX_HITS};
pub use distance_field::DistanceField;
pub use extremes::{Extremes, Hint};
pub use field::Field;
pub use hfield::HeightField;
pub use ray::Ray;
pub use separation::Separation;
pub use shape::{Geometry, HullGraph, Mesh, Polygons, Pose, Shape};
