//! From the cameras of a scene to matrices.

use corten_math::{Quat, Vec3};
use corten_scene::{GlCamera, Scene};

use crate::buffer::Rect;
use crate::error::RenderError;
use crate::linear::{Mat4, V3};

fn double(v: V3) -> Vec3 {
    Vec3::new(v[0].into(), v[1].into(), v[2].into())
}

fn single(v: Vec3) -> V3 {
    [v[0] as f32, v[1] as f32, v[2] as f32]
}

/// The camera in the middle of two.
pub(crate) fn average(a: &GlCamera, b: &GlCamera) -> Result<GlCamera, RenderError> {
    if a.orthographic != b.orthographic {
        return Err(RenderError::MixedCameras);
    }
    let (forward, _) = (double(a.forward) + double(b.forward)).normalized();
    let up = double(a.up) + double(b.up);
    let (up, _) = (up - forward * up.dot(forward)).normalized();
    let mean = |x: f32, y: f32| 0.5 * (x + y);
    Ok(GlCamera {
        pos: single((double(a.pos) + double(b.pos)) * 0.5),
        forward: single(forward),
        up: single(up),
        frustum_center: mean(a.frustum_center, b.frustum_center),
        frustum_width: mean(a.frustum_width, b.frustum_width),
        frustum_bottom: mean(a.frustum_bottom, b.frustum_bottom),
        frustum_top: mean(a.frustum_top, b.frustum_top),
        frustum_near: mean(a.frustum_near, b.frustum_near),
        frustum_far: mean(a.frustum_far, b.frustum_far),
        orthographic: a.orthographic,
    })
}

/// From the room to the eye, for the model as the scene places it.
pub(crate) fn eye_of(camera: &GlCamera, scene: &Scene) -> Mat4 {
    let eye = Mat4::look(camera.pos, camera.forward, camera.up);
    if scene.enabletransform == 0 {
        return eye;
    }
    let turn = rotation(scene).to_mat();
    let mat: [f32; 9] = std::array::from_fn(|i| turn[(i / 3, i % 3)] as f32 * scene.scale);
    eye.times(&Mat4::pose(mat, scene.translate))
}

fn rotation(scene: &Scene) -> Quat {
    let [w, x, y, z] = scene.rotate.map(f64::from);
    Quat([w, x, y, z])
}

/// Projection onto an image of a rectangle's aspect ratio.
pub(crate) fn projection_of(camera: &GlCamera, rect: Rect) -> Mat4 {
    let half = if camera.frustum_width != 0.0 {
        camera.frustum_width
    } else {
        0.5 * rect.width as f32 / rect.height as f32 * (camera.frustum_top - camera.frustum_bottom)
    };
    let x = [(camera.frustum_center - half) as f64, (camera.frustum_center + half) as f64];
    let y = [camera.frustum_bottom as f64, camera.frustum_top as f64];
    let (near, far) = (camera.frustum_near as f64, camera.frustum_far as f64);
    if camera.orthographic != 0 {
        Mat4::parallel(x, y, near, far)
    } else {
        Mat4::frustum(x, y, near, far)
    }
}

/// Where the eye is in the model's space.
pub(crate) fn head_position(scene: &Scene) -> V3 {
    let [a, b] = &scene.camera;
    let pos = (double(a.pos) + double(b.pos)) * 0.5;
    if scene.enabletransform == 0 {
        return single(pos);
    }
    let local = rotation(scene).conjugate().rotate(pos - double(scene.translate));
    single(local * (1.0 / scene.scale as f64))
}
