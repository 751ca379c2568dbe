//! What a state looks like, as data: geoms, lights and cameras that any renderer can draw.
//!
//! It is MuJoCo's `mjv` layer: [`Scene`] is `mjvScene`, [`Geom`] is `mjvGeom`, and so on; fields have
//! MuJoCo's names and meaning (`type`, a keyword in Rust, is called `kind`). [`update_scene`] fills a
//! scene; the functions that answer to a mouse move cameras and bodies, and select what is under it.

#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod camera;
mod decor;
mod enums;
mod error;
mod figure;
mod geom;
mod interact;
mod light;
mod option;
mod perturb;
mod scene;
mod update;
mod view;

pub use camera::{Camera, GlCamera};
pub use decor::catenary;
pub use enums::{
    CameraType, Category, Frame, Label, Mouse, PerturbBit, RenderFlag, Stereo, Switch, VisFlag,
};
pub use error::SceneError;
pub use figure::{Figure, FigureLine, MAX_LINE, MAX_LINE_POINT, line_rgb};
pub use geom::{Connector, Geom, MAX_LABEL};
pub use interact::{
    Head, Selection, align_to_camera, apply_perturb_force, apply_perturb_pose, camera_in_model,
    camera_in_room, frustum_height, init_perturb, model_to_room, move_camera, move_model,
    move_perturb, room_to_model, select,
};
pub use light::{Light, MAX_LIGHT};
pub use option::{Groups, NGROUP, VisOption, group_shown};
pub use perturb::Perturb;
pub use scene::{FlexSurfaces, Scene, SkinSurfaces};
pub use update::{add_geoms, make_lights, update_flex, update_scene, update_skin};
pub use view::{
    CameraFrame, CameraFrustum, average_camera, camera_frame, camera_frustum, update_camera,
};
