//! Lights of a scene.

use bytemuck::{Pod, Zeroable};

/// Most lights in a scene (MuJoCo's `mjMAXLIGHT`).
pub const MAX_LIGHT: usize = 100;

/// A light (MuJoCo's `mjvLight`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Light {
    /// Light of the model; −1 for the headlight.
    pub id: i32,
    /// Position in the world.
    pub pos: [f32; 3],
    /// Direction in the world.
    pub dir: [f32; 3],
    /// [`LightType`](corten_model::enums::LightType); MuJoCo's `type`.
    pub kind: i32,
    /// Texture of an image light; −1: none.
    pub texid: i32,
    /// Constant, linear and quadratic attenuation; of spotlights only.
    pub attenuation: [f32; 3],
    /// Angle where a spotlight ends, in degrees.
    pub cutoff: f32,
    /// How fast a spotlight fades off its axis.
    pub exponent: f32,
    /// Ambient colour.
    pub ambient: [f32; 3],
    /// Diffuse colour.
    pub diffuse: [f32; 3],
    /// Specular colour.
    pub specular: [f32; 3],
    /// Whether it is the headlight.
    pub headlight: u8,
    /// Whether it casts shadows.
    pub castshadow: u8,
    #[doc(hidden)]
    pub pad: [u8; 2],
    /// Radius of the bulb, for soft shadows.
    pub bulbradius: f32,
    /// Intensity in candelas.
    pub intensity: f32,
    /// How far it reaches.
    pub range: f32,
}
