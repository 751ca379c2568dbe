//! What the user has selected and pulls.

use bytemuck::{Pod, Zeroable};
use corten_math::{Quat, Vec3};

/// Selection and perturbation (MuJoCo's `mjvPerturb`).
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Perturb {
    /// Selected body; none if not positive.
    pub select: i32,
    /// Selected flex; −1: none.
    pub flexselect: i32,
    /// Selected skin; −1: none.
    pub skinselect: i32,
    /// Bits of [`PerturbBit`](crate::PerturbBit).
    pub active: i32,
    /// The same, of a second device.
    pub active2: i32,
    #[doc(hidden)]
    pub pad: i32,
    /// Where the selected body's centre of mass shall go.
    pub refpos: Vec3,
    /// Where its principal axes shall turn.
    pub refquat: Quat,
    /// Where the selected point shall go.
    pub refselpos: Vec3,
    /// The selected point in the body's frame.
    pub localpos: Vec3,
    /// Inertia that resists at the selected point.
    pub localmass: f64,
    /// Distance in space per motion of the mouse over the whole height of the image.
    pub scale: f64,
}

/// MuJoCo's `mjv_defaultPerturb`.
impl Default for Perturb {
    fn default() -> Perturb {
        Perturb {
            select: 0,
            flexselect: -1,
            skinselect: -1,
            active: 0,
            active2: 0,
            pad: 0,
            refpos: Vec3::ZERO,
            refquat: Quat::IDENTITY,
            refselpos: Vec3::ZERO,
            localpos: Vec3::ZERO,
            localmass: 0.0,
            scale: 1.0,
        }
    }
}
