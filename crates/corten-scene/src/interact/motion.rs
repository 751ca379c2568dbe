//! Motions of the mouse: they turn, move and zoom cameras, the model, and what is selected.
//!
//! `reldx` and `reldy` are the motion in units of the image's height.

use std::f64::consts::{FRAC_PI_2, PI};

use corten_math::real::ln;
use corten_math::{Quat, Vec3};
use corten_sim::{Data, Model};

use super::room::{camera_in_model, camera_in_room, frustum_height};
use crate::camera::Camera;
use crate::decor::At;
use crate::enums::{CameraType, Mouse};
use crate::error::SceneError;
use crate::perturb::Perturb;
use crate::scene::Scene;

/// Orthographic cameras move by this factor less, as in MuJoCo.
pub(super) const ORTHOGRAPHIC_SCALE: f64 = 0.15;

/// Turns a vector about the vertical, so that its y axis points where the camera looks (MuJoCo's
/// `mjv_alignToCamera`).
pub fn align_to_camera(vec: Vec3, forward: Vec3) -> Vec3 {
    let length = (forward[0] * forward[0] + forward[1] * forward[1]).sqrt();
    let [x, y] = if length < corten_math::MIN_VAL {
        [1.0, 0.0]
    } else {
        [forward[0] / length, forward[1] / length]
    };
    Vec3([vec[0] * y + vec[1] * x, -vec[0] * x + vec[1] * y, vec[2]])
}

/// A motion of the mouse as a motion or an axis of rotation in space.
fn in_space(action: Mouse, dx: f64, dy: f64, forward: Vec3) -> Result<Vec3, SceneError> {
    let vec = match action {
        Mouse::RotateV => [dy, 0.0, dx],
        Mouse::RotateH => [dy, dx, 0.0],
        Mouse::MoveV | Mouse::MoveVRel => [dx, 0.0, -dy],
        Mouse::MoveH | Mouse::MoveHRel => [dx, -dy, 0.0],
        Mouse::Zoom => [0.0; 3],
        Mouse::None => return Err(SceneError::Mouse(action.raw())),
    };
    Ok(align_to_camera(Vec3(vec), forward))
}

/// Moves a camera (MuJoCo's `mjv_moveCamera`). Fixed cameras stay where they are.
pub fn move_camera(
    m: &Model,
    action: Mouse,
    reldx: f64,
    reldy: f64,
    scene: &Scene,
    camera: &mut Camera,
) -> Result<(), SceneError> {
    let tracking = camera.kind == CameraType::Tracking.raw();
    if camera.kind == CameraType::Fixed.raw() {
        return Ok(());
    }
    let extent = m.stat.extent;
    match action {
        Mouse::RotateV | Mouse::RotateH => {
            camera.azimuth -= reldx * 180.0;
            camera.elevation -= reldy * 180.0;
        }
        Mouse::MoveV | Mouse::MoveH | Mouse::MoveVRel | Mouse::MoveHRel if tracking => {
            return Ok(());
        }
        Mouse::MoveV | Mouse::MoveH => {
            let head = camera_in_model(scene)?;
            let vec = in_space(action, reldx, reldy, head.forward)?;
            let depth = (camera.lookat - head.headpos).dot(head.forward);
            let factor = if camera.orthographic != 0 { ORTHOGRAPHIC_SCALE } else { 1.0 };
            camera.lookat -= vec * (frustum_height(scene)? * depth * factor);
        }
        Mouse::MoveVRel | Mouse::MoveHRel => {
            let head = camera_in_model(scene)?;
            let along = if action == Mouse::MoveVRel { head.up } else { head.forward };
            camera.lookat += along * reldy + head.forward.cross(head.up) * reldx;
        }
        Mouse::Zoom => {
            camera.distance -= ln(1.0 + camera.distance / extent / 3.0) * reldy * 9.0 * extent;
        }
        Mouse::None => return Err(SceneError::Mouse(action.raw())),
    }
    if camera.azimuth > 180.0 {
        camera.azimuth -= 360.0;
    }
    if camera.azimuth < -180.0 {
        camera.azimuth += 360.0;
    }
    camera.elevation = camera.elevation.clamp(-89.0, 89.0);
    camera.distance = camera.distance.max(0.01 * extent).min(100.0 * extent);
    Ok(())
}

/// Moves or turns where the selected body shall go (MuJoCo's `mjv_movePerturb`); by at most a quarter
/// turn from where it is.
pub fn move_perturb(
    m: &Model,
    d: &Data,
    action: Mouse,
    reldx: f64,
    reldy: f64,
    scene: &Scene,
    pert: &mut Perturb,
) -> Result<(), SceneError> {
    crate::update::check_data(m, d)?;
    let head = camera_in_model(scene)?;
    let vec = in_space(action, reldx, reldy, head.forward)?;
    match action {
        Mouse::MoveV | Mouse::MoveH => shift(pert, vec * pert.scale),
        Mouse::MoveVRel | Mouse::MoveHRel => {
            let Some(axes) = d.xmat.at(pert.select) else { return Ok(()) };
            let along = if action == Mouse::MoveHRel { axes.col(0) } else { axes.col(2) };
            shift(pert, (along * reldy + axes.col(1) * reldx) * pert.scale);
        }
        Mouse::RotateV | Mouse::RotateH => {
            let (axis, amount) = vec.normalized();
            let turn = Quat::from_axis_angle(axis, amount * PI * 2.0);
            pert.refquat = (turn * pert.refquat).normalized();
            if pert.select > 0
                && let Some(xquat) = d.xquat.at(pert.select)
            {
                let own = *xquat * m.body_iquat[pert.select as usize];
                let (axis, angle) = (own.conjugate() * pert.refquat).to_velocity(1.0).normalized();
                if angle > FRAC_PI_2 {
                    pert.refquat = own * Quat::from_axis_angle(axis, FRAC_PI_2);
                }
            }
        }
        Mouse::Zoom | Mouse::None => {}
    }
    Ok(())
}

fn shift(pert: &mut Perturb, by: Vec3) {
    pert.refpos += by;
    pert.refselpos += by;
}

/// Moves, turns or scales the model in the room (MuJoCo's `mjv_moveModel`), if the scene allows for it.
pub fn move_model(
    m: &Model,
    action: Mouse,
    reldx: f64,
    reldy: f64,
    roomup: Vec3,
    scene: &mut Scene,
) -> Result<(), SceneError> {
    if scene.enabletransform == 0 {
        return Ok(());
    }
    let looking = camera_in_room(scene)?.forward;
    let forward = (looking - roomup * looking.dot(roomup)).normalized().0;
    let right = forward.cross(roomup).normalized().0;
    let mut translate = |by: Vec3| {
        for k in 0..3 {
            let moved = f64::from(by[k] as f32) * m.stat.extent;
            scene.translate[k] = (f64::from(scene.translate[k]) + moved) as f32;
        }
    };
    match action {
        Mouse::RotateV | Mouse::RotateH => {
            let about = if action == Mouse::RotateV { roomup } else { forward };
            let (axis, amount) = (about * reldx + right * reldy).normalized();
            let turn = Quat::from_axis_angle(axis, amount * PI);
            let turned = (turn * Quat(scene.rotate.map(f64::from))).normalized();
            scene.rotate = turned.0.map(|x| x as f32);
        }
        Mouse::MoveV | Mouse::MoveVRel => translate(right * reldx - roomup * reldy),
        Mouse::MoveH | Mouse::MoveHRel => translate(right * reldx - forward * reldy),
        Mouse::Zoom => {
            let grown = ln(1.0 + f64::from(scene.scale) / 3.0) * reldy * 3.0;
            scene.scale = (scene.scale + grown as f32).clamp(0.01, 100.0);
        }
        Mouse::None => return Err(SceneError::Mouse(action.raw())),
    }
    Ok(())
}
