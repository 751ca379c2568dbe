//! The scene: everything that a renderer needs to know.

use corten_sim::Model;

use crate::camera::GlCamera;
use crate::enums::{RenderFlag, Stereo};
use crate::geom::Geom;
use crate::light::Light;

/// What a state looks like (MuJoCo's `mjvScene`).
///
/// Meshes, height fields and textures are those of the model; flexes and skins, which deform, have
/// their surfaces here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// Most geoms that it takes; further ones are left out, and [`status`](Self::status) says so.
    pub maxgeom: usize,
    /// What to draw, in the order in which it was added.
    pub geoms: Vec<Geom>,
    /// Indices of geoms in the order of drawing; the renderer sets it.
    pub geomorder: Vec<i32>,

    /// Edges and faces of flexes.
    pub flex: FlexSurfaces,
    /// Surfaces of skins.
    pub skin: SkinSurfaces,

    /// Lights, at most [`MAX_LIGHT`](crate::MAX_LIGHT).
    pub lights: Vec<Light>,
    /// Left and right camera.
    pub camera: [GlCamera; 2],

    /// Whether the model is moved, turned and scaled in the room by the following.
    pub enabletransform: u8,
    /// Translation of the model.
    pub translate: [f32; 3],
    /// Rotation of the model, a quaternion.
    pub rotate: [f32; 4],
    /// Scale of the model.
    pub scale: f32,

    /// [`Stereo`].
    pub stereo: i32,
    /// Switches, indexed by [`RenderFlag`].
    pub flags: [u8; RenderFlag::COUNT],
    /// Width of a frame around the image, in pixels; 0: none.
    pub framewidth: i32,
    /// Colour of that frame.
    pub framergb: [f32; 3],
    /// 0: complete; 1: there were more geoms than [`maxgeom`](Self::maxgeom).
    pub status: i32,
}

/// The flexes of a scene; fields are MuJoCo's `flexedgeadr` and so on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlexSurfaces {
    /// First edge of each flex.
    pub edgeadr: Vec<i32>,
    /// Edges of each flex.
    pub edgenum: Vec<i32>,
    /// First vertex of each flex.
    pub vertadr: Vec<i32>,
    /// Vertices of each flex.
    pub vertnum: Vec<i32>,
    /// First face of each flex.
    pub faceadr: Vec<i32>,
    /// Faces that each flex has room for.
    pub facenum: Vec<i32>,
    /// Faces that each flex has at present.
    pub faceused: Vec<i32>,
    /// Vertices of each edge, counted within the flex.
    pub edge: Vec<[i32; 2]>,
    /// Positions of vertices.
    pub vert: Vec<[f32; 3]>,
    /// Positions of each face's three vertices.
    pub face: Vec<[[f32; 3]; 3]>,
    /// Normals there.
    pub normal: Vec<[[f32; 3]; 3]>,
    /// Texture coordinates there.
    pub texcoord: Vec<[[f32; 2]; 3]>,
    /// Vertices are shown.
    pub vertopt: u8,
    /// Edges are shown.
    pub edgeopt: u8,
    /// Faces are shown.
    pub faceopt: u8,
    /// Smooth skins are shown.
    pub skinopt: u8,
}

/// The skins of a scene; fields are MuJoCo's `skinvertadr` and so on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkinSurfaces {
    /// Faces of each skin; the vertices of a face are in the model.
    pub facenum: Vec<i32>,
    /// First vertex of each skin.
    pub vertadr: Vec<i32>,
    /// Vertices of each skin.
    pub vertnum: Vec<i32>,
    /// Positions of vertices.
    pub vert: Vec<[f32; 3]>,
    /// Normals there.
    pub normal: Vec<[f32; 3]>,
}

impl Scene {
    /// A scene with room for `maxgeom` geoms of a model (MuJoCo's `mjv_makeScene`).
    pub fn new(m: &Model, maxgeom: usize) -> Scene {
        Scene {
            flex: FlexSurfaces::new(m),
            skin: SkinSurfaces::new(m),
            ..Scene::without_model(maxgeom)
        }
    }

    /// A scene that belongs to no model.
    pub fn without_model(maxgeom: usize) -> Scene {
        let mut flags = [0; RenderFlag::COUNT];
        for flag in RenderFlag::ALL {
            flags[*flag as usize] = flag.switch().1.into();
        }
        Scene {
            maxgeom,
            rotate: [1.0, 0.0, 0.0, 0.0],
            scale: 1.0,
            stereo: Stereo::None.raw(),
            flags,
            ..Scene::default()
        }
    }

    /// Whether a switch is on.
    #[inline]
    pub fn has(&self, flag: RenderFlag) -> bool {
        self.flags[flag as usize] != 0
    }
}

impl FlexSurfaces {
    fn new(m: &Model) -> FlexSurfaces {
        let facenum: Vec<i32> = (0..m.nflex).map(|f| face_room(m, f)).collect();
        let mut room = 0;
        let mut faceadr = Vec::with_capacity(m.nflex);
        for count in &facenum {
            faceadr.push(room as i32);
            room += *count as usize;
        }
        FlexSurfaces {
            edgeadr: m.flex_edgeadr.clone(),
            edgenum: m.flex_edgenum.clone(),
            vertadr: m.flex_vertadr.clone(),
            vertnum: m.flex_vertnum.clone(),
            faceadr,
            facenum,
            faceused: vec![0; m.nflex],
            edge: m.flex_edge.clone(),
            vert: vec![[0.0; 3]; m.nflexvert],
            face: vec![[[0.0; 3]; 3]; room],
            normal: vec![[[0.0; 3]; 3]; room],
            texcoord: vec![[[0.0; 2]; 3]; room],
            ..FlexSurfaces::default()
        }
    }
}

/// Most faces that a flex shows, whatever the options: both sides and the rim of a sheet; of a solid,
/// its shell or the elements of the largest layer.
fn face_room(m: &Model, flex: usize) -> i32 {
    let (shell, elements) = (m.flex_shellnum[flex], m.flex_elemnum[flex]);
    match m.flex_dim[flex] {
        2 => 2 * shell + 2 * elements,
        _ => {
            let first = m.flex_elemadr[flex] as usize;
            let mut layers = m.flex_elemlayer[first..first + elements as usize].to_vec();
            layers.sort_unstable();
            let largest = layers.chunk_by(|a, b| a == b).map(<[i32]>::len).max().unwrap_or(0);
            shell.max(4 * largest as i32)
        }
    }
}

impl SkinSurfaces {
    fn new(m: &Model) -> SkinSurfaces {
        SkinSurfaces {
            facenum: m.skin_facenum.clone(),
            vertadr: m.skin_vertadr.clone(),
            vertnum: m.skin_vertnum.clone(),
            vert: vec![[0.0; 3]; m.nskinvert],
            normal: vec![[0.0; 3]; m.nskinvert],
        }
    }
}
