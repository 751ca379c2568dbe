//! Abstract geoms: everything that a scene shows is one of them.

use bytemuck::{Pod, Zeroable};
use corten_math::{Mat3, Quat, Vec3};
use corten_model::enums::{GeomType, ObjType};

/// Longest label, with its final zero.
pub const MAX_LABEL: usize = 100;

/// Something to draw (MuJoCo's `mjvGeom`).
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Geom {
    /// [`GeomType`]; MuJoCo's `type`.
    pub kind: i32,
    /// Mesh (2 × id, and 1 more for its convex hull), height field or number of the plane; −1: none.
    pub dataid: i32,
    /// [`ObjType`] of what is shown; unknown for most decoration.
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

/// Types of geoms that lead from one point to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connector {
    /// Round at both ends.
    Capsule,
    /// Flat at both ends.
    Cylinder,
    /// An arrow.
    Arrow,
    /// An arrow without the wedge.
    Arrow1,
    /// An arrow with two heads.
    Arrow2,
    /// A line; its width is in pixels.
    Line,
}

impl Connector {
    /// The type of the geom.
    pub const fn geom_type(self) -> GeomType {
        match self {
            Connector::Capsule => GeomType::Capsule,
            Connector::Cylinder => GeomType::Cylinder,
            Connector::Arrow => GeomType::Arrow,
            Connector::Arrow1 => GeomType::Arrow1,
            Connector::Arrow2 => GeomType::Arrow2,
            Connector::Line => GeomType::Line,
        }
    }

    /// Of a type of geom that can lead from one point to another.
    pub fn from_geom_type(kind: GeomType) -> Option<Connector> {
        use Connector::{Arrow, Arrow1, Arrow2, Capsule, Cylinder, Line};
        [Capsule, Cylinder, Arrow, Arrow1, Arrow2, Line].into_iter().find(|c| c.geom_type() == kind)
    }
}

impl Default for Geom {
    fn default() -> Geom {
        let mut geom = Geom::zeroed();
        geom.init(GeomType::None.raw(), None, None, None, None);
        geom
    }
}

impl Geom {
    /// Sets what is given, and all other properties of shape and material to their defaults
    /// (MuJoCo's `mjv_initGeom`).
    pub fn init(
        &mut self,
        kind: i32,
        size: Option<Vec3>,
        pos: Option<Vec3>,
        mat: Option<Mat3>,
        rgba: Option<[f32; 4]>,
    ) {
        self.kind = kind;
        self.size = size.map_or([0.1; 3], |size| {
            let [x, y, z] = float3(size);
            match GeomType::from_raw(kind) {
                Some(GeomType::Sphere) => [x; 3],
                Some(GeomType::Capsule | GeomType::Cylinder) => [x, x, y],
                _ => [x, y, z],
            }
        });
        self.pos = float3(pos.unwrap_or(Vec3::ZERO));
        self.mat = float9(mat.unwrap_or(Mat3::IDENTITY));
        self.rgba = rgba.unwrap_or([0.5, 0.5, 0.5, 1.0]);
        self.dataid = -1;
        self.matid = -1;
        self.texcoord = 0;
        self.emission = 0.0;
        self.specular = 0.5;
        self.shininess = 0.5;
        self.reflectance = 0.0;
        self.label[0] = 0;
        self.modelrbound = 0.0;
    }

    /// Makes it lead from one point to another (MuJoCo's `mjv_connector`); colour and so on stay.
    pub fn connect(&mut self, kind: Connector, width: f64, from: Vec3, to: Vec3) {
        let along = to - from;
        let width = width as f32;
        self.kind = kind.geom_type().raw();
        self.size = [width, width, along.norm() as f32];
        self.pos = float3(from);
        // Capsules and cylinders have their frame in the middle, and half the length as their size.
        if matches!(kind, Connector::Capsule | Connector::Cylinder) {
            self.pos = float3((from + to) * 0.5);
            self.size[2] *= 0.5;
        }
        self.mat = float9(Quat::from_z_to(along).to_mat());
    }

    /// Makes it the triangle between three points.
    pub(crate) fn triangle(&mut self, [a, b, c]: [Vec3; 3], rgba: [f32; 4]) {
        let normal = (b - a).cross(c - a);
        let [x, y, z] = [b - a, c - a, normal].map(Vec3::normalized);
        let lengths = Vec3([x.1, y.1, z.1]);
        let mat = Mat3::from_columns(x.0, y.0, z.0);
        self.init(GeomType::Triangle.raw(), Some(lengths), Some(a), Some(mat), Some(rgba));
    }

    /// Radius of a sphere around it (MuJoCo's `mjv_rbound`); too small for arrows.
    pub fn bounding_radius(&self) -> f32 {
        let [x, y, z] = self.size;
        if self.objtype == ObjType::Geom.raw() {
            return self.modelrbound;
        }
        match GeomType::from_raw(self.kind) {
            Some(GeomType::Sphere) => x,
            Some(GeomType::Capsule) => x + z,
            Some(GeomType::Cylinder) => (x * x + z * z).sqrt(),
            Some(GeomType::Box) => (x * x + y * y + z * z).sqrt(),
            _ => x.max(y).max(z),
        }
    }
}

/// In single precision.
pub(crate) fn float3(v: Vec3) -> [f32; 3] {
    v.0.map(|x| x as f32)
}

/// In single precision.
pub(crate) fn float9(m: Mat3) -> [f32; 9] {
    m.0.map(|x| x as f32)
}

/// In double precision.
pub(crate) fn double3(v: [f32; 3]) -> Vec3 {
    Vec3(v.map(f64::from))
}
