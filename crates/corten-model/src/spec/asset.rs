//! Assets: meshes, height fields, skins, textures, materials, and whole models to attach.

use corten_math::{Quat, Vec3};

use super::element::element;
use super::{PluginUse, Spec};
use crate::enums::{
    ColorSpace, MeshBuiltin, MeshInertia, TextureBuiltin, TextureMark, TextureRole, TextureType,
};

element! {
    /// A mesh from a file, from vertices given in place, or built in. An empty name stands for
    /// the file name without directory and extension.
    pub struct Mesh {
        content_type: String = String::new(),
        file: String = String::new(),
        refpos: Vec3 = Vec3::ZERO,
        refquat: Quat = Quat::IDENTITY,
        scale: Vec3 = Vec3([1.0; 3]),
        inertia: MeshInertia = MeshInertia::Legacy,
        smoothnormal: bool = false,
        /// Largest number of hull vertices; −1: no limit.
        maxhullvert: i32 = -1,
        uservert: Vec<f32> = Vec::new(),
        usernormal: Vec<f32> = Vec::new(),
        usertexcoord: Vec<f32> = Vec::new(),
        userface: Vec<i32> = Vec::new(),
        userfacenormal: Vec<i32> = Vec::new(),
        userfacetexcoord: Vec<i32> = Vec::new(),
        /// Shape to generate in place of file or vertices, with its parameters.
        builtin: MeshBuiltin = MeshBuiltin::None,
        params: Vec<f64> = Vec::new(),
        material: String = String::new(),
        plugin: PluginUse = PluginUse::default(),
    }
}

element! {
    pub struct HField {
        content_type: String = String::new(),
        file: String = String::new(),
        /// Half extents in x and y, scale of the elevation, depth of the base.
        size: [f64; 4] = [0.0; 4],
        nrow: i32 = 0,
        ncol: i32 = 0,
        /// Elevation row by row, the bottom of the map first (a file lists the top first).
        userdata: Vec<f32> = Vec::new(),
    }
}

element! {
    pub struct Skin {
        file: String = String::new(),
        material: String = String::new(),
        rgba: [f32; 4] = [0.5, 0.5, 0.5, 1.0],
        inflate: f32 = 0.0,
        group: i32 = 0,
        vert: Vec<f32> = Vec::new(),
        texcoord: Vec<f32> = Vec::new(),
        face: Vec<i32> = Vec::new(),
        bodyname: Vec<String> = Vec::new(),
        /// Three per bone.
        bindpos: Vec<f32> = Vec::new(),
        /// Four per bone.
        bindquat: Vec<f32> = Vec::new(),
        vertid: Vec<Vec<i32>> = Vec::new(),
        vertweight: Vec<Vec<f32>> = Vec::new(),
    }
}

element! {
    /// A texture: generated, from one file (possibly a grid of faces), or from six files.
    pub struct Texture {
        type_: TextureType = TextureType::Cube,
        colorspace: ColorSpace = ColorSpace::Auto,
        builtin: TextureBuiltin = TextureBuiltin::None,
        mark: TextureMark = TextureMark::None,
        rgb1: [f64; 3] = [0.8; 3],
        rgb2: [f64; 3] = [0.5; 3],
        markrgb: [f64; 3] = [0.0; 3],
        random: f64 = 0.01,
        height: i32 = 0,
        width: i32 = 0,
        nchannel: i32 = 3,
        content_type: String = String::new(),
        file: String = String::new(),
        gridsize: [i32; 2] = [1, 1],
        /// Faces in row-major order, `.` where there is none; padded with dots to 12.
        gridlayout: [u8; 12] = *b"............",
        /// Right, left, up, down, front, back; empty where not given.
        cubefiles: [String; 6] = Default::default(),
        /// Pixels given by a program.
        data: Vec<u8> = Vec::new(),
        hflip: bool = false,
        vflip: bool = false,
    }
}

/// Number of texture roles, and so of texture slots in a material.
pub const TEXTURE_ROLES: usize = TextureRole::ALL.len();

element! {
    pub struct Material {
        /// Texture name per [`TextureRole`], empty where there is none.
        textures: [String; TEXTURE_ROLES] = Default::default(),
        texuniform: bool = false,
        texrepeat: [f32; 2] = [1.0; 2],
        emission: f32 = 0.0,
        specular: f32 = 0.5,
        shininess: f32 = 0.5,
        reflectance: f32 = 0.0,
        metallic: f32 = -1.0,
        roughness: f32 = -1.0,
        rgba: [f32; 4] = [1.0; 4],
    }
}

element! {
    /// A model that `attach` elements draw bodies from.
    pub struct ModelAsset {
        file: String = String::new(),
        content_type: String = String::new(),
        spec: Box<Spec> = Box::new(Spec::empty()),
    }
}
