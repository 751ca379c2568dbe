//! Abstract geoms: everything that a scene shows is one of them.

use bytemuck::{Pod, Zeroable};

/// Longest label, with its final zero.
pub const MAX_LABEL: usize = 100;

/// Something to draw (MuJoCo's `mjvGeom`).
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Geom {
    /// [`GeomType`](corten_model::enums::GeomType); MuJoCo's `type`.
    pub kind: i32,
    /// Mesh (2 × id, and 1 more for its convex hull), height field or number of the plane; −1: none.
    pub dataid: i32,
    /// [`ObjType`](corten_model::enums::ObjType) of what is shown; unknown for most decoration.
    pub objtype: i32,
    /// Its id; −1: none.
    pub objid: i32,
    /// [`Category`](crate::Category).
    pub category: i32,
    /// Material to take textures from; −1: none.
    pub matid: i32,
    /// Whether a mesh, skin or flex has texture coordinates.
    pub texcoord: i32,
    /// Number in a segmentation image; −1: not shown there.
    pub segid: i32,
    /// Sizes, as factors of the type's unit shape: a sphere has its radius three times, a capsule or
    /// cylinder its radius twice and half its length, an arrow its radius twice and its length.
    pub size: [f32; 3],
    /// Position.
    pub pos: [f32; 3],
    /// Orientation, row-major.
    pub mat: [f32; 9],
    /// Colour and opacity.
    pub rgba: [f32; 4],
    /// Emission coefficient.
    pub emission: f32,
    /// Specular coefficient.
    pub specular: f32,
    /// Shininess coefficient.
    pub shininess: f32,
    /// Reflectance coefficient.
    pub reflectance: f32,
    /// Text next to it, ended by a zero.
    pub label: [u8; MAX_LABEL],
    /// Distance to the camera; the renderer sets and sorts by it.
    pub camdist: f32,
    /// Radius of the bounding sphere in the model; zero if it is no geom of the model.
    pub modelrbound: f32,
    /// Whether to treat it as transparent; the renderer sets it.
    pub transparent: u8,
    #[doc(hidden)]
    pub pad: [u8; 3],
}

impl Geom {
    /// The text of the label.
    pub fn label_text(&self) -> &str {
        let end = self.label.iter().position(|&c| c == 0).unwrap_or(MAX_LABEL);
        match std::str::from_utf8(&self.label[..end]) {
            Ok(text) => text,
            // A long name may have been cut within a character.
            Err(error) => std::str::from_utf8(&self.label[..error.valid_up_to()]).unwrap_or(""),
        }
    }

    /// Sets the label, cut to what fits.
    pub fn set_label(&mut self, text: &str) {
        self.label = [0; MAX_LABEL];
        let count = text.len().min(MAX_LABEL - 1);
        self.label[..count].copy_from_slice(&text.as_bytes()[..count]);
    }
}
