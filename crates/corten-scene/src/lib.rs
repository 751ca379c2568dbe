//! What a state looks like, as data: geoms, lights and cameras that any renderer can draw.
//!
//! It is MuJoCo's `mjv` layer: [`Scene`] is `mjvScene`, [`Geom`] is `mjvGeom`, and so on; fields have
//! MuJoCo's names and meaning (`type`, a keyword in Rust, is called `kind`).

#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod camera;
mod enums;
mod figure;
mod geom;
mod light;
mod option;
mod perturb;
mod scene;

pub use camera::{Camera, GlCamera};
pub use enums::{
    CameraType, Category, Frame, Label, Mouse, PerturbBit, RenderFlag, Stereo, Switch, VisFlag,
};
pub use figure::{Figure, FigureLine, MAX_LINE, MAX_LINE_POINT, line_rgb};
pub use geom::{Geom, MAX_LABEL};
pub use light::{Light, MAX_LIGHT};
pub use option::{Groups, NGROUP, VisOption, group_shown};
pub use perturb::Perturb;
pub use scene::{FlexSurfaces, Scene, SkinSurfaces};
