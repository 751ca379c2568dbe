//! Closed-form contacts between pairs of primitive shapes.
//!
//! Every function takes two posed shapes, the first of the type named first, and a margin, and
//! appends the contact points closer than the margin. Points, counts and tie-breaks are those of
//! MuJoCo's `engine_collision_primitive.c` and `engine_collision_box.c`; pairs that are missing
//! here go through the general convex algorithm.

mod box_box;
mod capsule_box;
mod capsule_capsule;
mod plane;
mod sphere;

use corten_math::{Mat3, Vec3};

pub use box_box::box_box;
pub use capsule_box::capsule_box;
pub use capsule_capsule::capsule_capsule;
pub use plane::{plane_box, plane_capsule, plane_cylinder, plane_sphere};
pub use sphere::{sphere_box, sphere_capsule, sphere_cylinder, sphere_sphere, sphere_triangle};

/// A primitive shape in the world. Points to its vectors: copies of them would be read as soon as
/// written, for which the processor waits.
#[derive(Clone, Copy, Debug)]
pub struct Posed<'a> {
    pub pos: &'a Vec3,
    /// `world_from_local`.
    pub mat: &'a Mat3,
    /// Radius and half length, or half sizes, as in `geom_size`.
    pub size: &'a Vec3,
}

impl Posed<'_> {
    #[inline(always)]
    fn pos(&self) -> Vec3 {
        *self.pos
    }

    #[inline(always)]
    fn size(&self) -> Vec3 {
        *self.size
    }

    /// The local z axis: normal of a plane, axis of a capsule or cylinder.
    #[inline]
    fn axis(&self) -> Vec3 {
        self.mat.col(2)
    }
}

/// Restriction to an interval that tolerates any bounds, NaN included.
#[inline]
fn clip(x: f64, min: f64, max: f64) -> f64 {
    if x < min {
        min
    } else if x > max {
        max
    } else {
        x
    }
}
