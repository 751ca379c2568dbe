//! The room that a scene is seen in, and the model that may be moved, turned and scaled in it.

use corten_math::{MIN_VAL, Mat3, Quat, Vec3};

use crate::error::SceneError;
use crate::geom::double3;
use crate::scene::Scene;

/// Where the user's head is: between the two cameras of a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Head {
    /// Position.
    pub headpos: Vec3,
    /// Direction of view.
    pub forward: Vec3,
    /// Upwards in the image.
    pub up: Vec3,
}

/// The transformation of a scene's model.
fn placement(scene: &Scene) -> Result<Option<(Vec3, Quat, f64)>, SceneError> {
    let scale = f64::from(scene.scale);
    if scale < MIN_VAL {
        return Err(SceneError::Scale);
    }
    let rotate = Quat(scene.rotate.map(f64::from));
    Ok((scene.enabletransform != 0).then(|| (double3(scene.translate), rotate, scale)))
}

/// A pose in the room as one in the model (MuJoCo's `mjv_room2model`).
pub fn room_to_model(scene: &Scene, pos: Vec3, quat: Quat) -> Result<(Vec3, Quat), SceneError> {
    let Some((translate, rotate, scale)) = placement(scene)? else { return Ok((pos, quat)) };
    let back = rotate.conjugate();
    Ok(((back.rotate(pos) - back.rotate(translate)) * (1.0 / scale), (back * quat).normalized()))
}

/// A pose in the model as one in the room (MuJoCo's `mjv_model2room`).
pub fn model_to_room(scene: &Scene, pos: Vec3, quat: Quat) -> Result<(Vec3, Quat), SceneError> {
    let Some((translate, rotate, scale)) = placement(scene)? else { return Ok((pos, quat)) };
    Ok(((translate + rotate.rotate(pos)) * scale, (rotate * quat).normalized()))
}

fn check_near(scene: &Scene) -> Result<(), SceneError> {
    let close = scene.camera.iter().any(|c| !(f64::from(c.frustum_near) >= MIN_VAL));
    if close { Err(SceneError::Near) } else { Ok(()) }
}

/// The head in the frame of the model (MuJoCo's `mjv_cameraInModel`).
pub fn camera_in_model(scene: &Scene) -> Result<Head, SceneError> {
    check_near(scene)?;
    let mut head = Head { headpos: Vec3::ZERO, forward: Vec3::ZERO, up: Vec3::ZERO };
    for camera in &scene.camera {
        let forward = double3(camera.forward).normalized().0;
        let up = double3(camera.up).normalized().0;
        let left = up.cross(forward).normalized().0;
        let turn = Mat3::from_columns(left, up, forward).to_quat();
        let (pos, quat) = room_to_model(scene, double3(camera.pos), turn)?;
        let mat = quat.to_mat();
        head.headpos += pos * 0.5;
        head.forward += mat.col(2) * 0.5;
        head.up += mat.col(1) * 0.5;
    }
    Ok(Head { forward: head.forward.normalized().0, up: head.up.normalized().0, ..head })
}

/// The head in the room (MuJoCo's `mjv_cameraInRoom`).
pub fn camera_in_room(scene: &Scene) -> Result<Head, SceneError> {
    check_near(scene)?;
    let [a, b] = &scene.camera;
    let mean = |x: [f32; 3], y: [f32; 3]| double3(x) * 0.5 + double3(y) * 0.5;
    Ok(Head {
        headpos: mean(a.pos, b.pos),
        forward: mean(a.forward, b.forward).normalized().0,
        up: mean(a.up, b.up).normalized().0,
    })
}

/// Height that the cameras see at unit distance, or anywhere if they are orthographic (MuJoCo's
/// `mjv_frustumHeight`).
pub fn frustum_height(scene: &Scene) -> Result<f64, SceneError> {
    let [a, b] = &scene.camera;
    if a.orthographic != b.orthographic {
        return Err(SceneError::MixedCameras);
    }
    let heights = [a, b].map(|c| c.frustum_top - c.frustum_bottom);
    if a.orthographic != 0 {
        return Ok(0.5 * f64::from(heights[0] + heights[1]));
    }
    check_near(scene)?;
    Ok(0.5 * f64::from(heights[0] / a.frustum_near + heights[1] / b.frustum_near))
}
