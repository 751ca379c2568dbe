//! What the mouse does: moving cameras, the model and bodies, and selecting.

mod apply;
mod motion;
mod room;
mod select;

pub use apply::{apply_perturb_force, apply_perturb_pose, init_perturb};
pub use motion::{align_to_camera, move_camera, move_model, move_perturb};
pub use room::{
    Head, camera_in_model, camera_in_room, frustum_height, model_to_room, room_to_model,
};
pub use select::{Selection, select};
