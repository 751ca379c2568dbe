//! What one pass draws: meshes in their places, and the view that they are seen in.

use crate::light::{Lights, Material};
use crate::linear::{Mat4, V3, V4};
use crate::mesh::Mesh;
use crate::raster::LANES;
use crate::texture::Texture;

/// Which faces are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cull {
    None,
    Back,
    Front,
}

/// How texture coordinates follow from a vertex.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mapping {
    /// The mesh has them.
    Given,
    /// From x and y in the mesh's frame, with repetitions.
    Flat([f32; 2]),
    /// Directions, with a factor per axis.
    Cube(V3),
    /// Directions, with the sky's own axes.
    Sky,
}

/// A texture and how it is put on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint<'a> {
    pub texture: &'a Texture,
    pub mapping: Mapping,
}

impl Paint<'_> {
    /// Texture coordinates of a vertex.
    #[inline(always)]
    pub(crate) fn coordinates(&self, p: V3, uv: Option<&[f32; 2]>) -> V3 {
        match self.mapping {
            Mapping::Given => uv.map_or([0.0; 3], |uv| [uv[0], uv[1], 0.0]),
            Mapping::Flat([s, t]) => [0.5 * s * p[0] - 0.5, -0.5 * t * p[1] - 0.5, 0.0],
            Mapping::Cube(s) => [s[0] * p[0], s[1] * p[1], s[2] * p[2]],
            Mapping::Sky => [p[0], p[2], -p[1]],
        }
    }
}

/// One mesh to draw.
#[derive(Clone, Debug)]
pub(crate) struct Draw<'a> {
    pub mesh: &'a Mesh,
    /// From the mesh's frame to the world's.
    pub model: Mat4,
    pub material: Material,
    pub alpha: f32,
    /// Whether lights matter.
    pub lit: bool,
    pub paint: Option<Paint<'a>>,
    pub cull: Cull,
    /// Draw wires of this width in place of faces.
    pub wires: Option<f32>,
    /// Whether it shows the mirrored scene.
    pub mirror: bool,
}

/// What a pass sees, and from where.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// From the world to the eye.
    pub eye: Mat4,
    /// From the eye to the image.
    pub projection: Mat4,
    pub width: usize,
    pub height: usize,
    /// Positions of samples within a pixel, in 256ths.
    pub samples: &'static [[i32; 2]],
    /// Whether the image is mirrored, so that faces turn.
    pub mirrored: bool,
    /// Plane in the world, `a x + b y + c z + d ≥ 0` is drawn.
    pub clip: Option<V4>,
    pub lights: Lights,
    /// Whether colours matter, or depth only.
    pub shaded: bool,
}

/// Samples at the centre of pixels.
pub(crate) const CENTER: &[[i32; 2]] = &[[128, 128]];

/// Usual positions of samples, in 256ths of a pixel, by how many there are.
pub(crate) fn sample_positions(count: i32) -> &'static [[i32; 2]] {
    const TWO: &[[i32; 2]] = &[[192, 192], [64, 64]];
    const FOUR: &[[i32; 2]] = &[[96, 32], [224, 96], [32, 160], [160, 224]];
    const EIGHT: &[[i32; 2]] =
        &[[144, 80], [112, 176], [208, 144], [80, 48], [48, 208], [16, 112], [176, 240], [240, 16]];
    match count {
        ..=1 => CENTER,
        2..=3 => TWO,
        4..=7 => FOUR,
        _ => EIGHT,
    }
}

impl View {
    /// Numbers that a vertex carries to the pixels: colour and opacity, colours by lights with
    /// shadows, texture coordinates, position in the world; and zeros up to a multiple of the lanes.
    pub(crate) fn stride(&self) -> usize {
        if self.shaded { (10 + 3 * self.lights.shadows).next_multiple_of(LANES) } else { 0 }
    }

    pub(crate) fn texture_at(&self) -> usize {
        4 + 3 * self.lights.shadows
    }

    pub(crate) fn world_at(&self) -> usize {
        7 + 3 * self.lights.shadows
    }
}
