//! Projection of a point onto the image of a camera.

use std::f64::consts::PI;

use corten_math::real::tan;
use corten_math::{MIN_VAL, Vec3};

use crate::{Data, Model};

/// Pixel coordinates of a world point: pinhole camera looking along −z, y up, origin of the
/// image at its top left.
pub(super) fn project(m: &Model, d: &Data, camera: usize, point: Vec3) -> [f64; 2] {
    let p = d.cam_xmat[camera].tmul(point - d.cam_xpos[camera]);
    let [width, height] = m.cam_resolution[camera];
    let (sensor, intrinsic) = (m.cam_sensorsize[camera], m.cam_intrinsic[camera]);
    // Focal lengths in pixels: from the lens if the sensor has a size, else from the field of
    // view. The lens parameters are single precision, and so is MuJoCo's ratio of them.
    let [fx, fy] = if sensor[0] != 0.0 && sensor[1] != 0.0 {
        [
            f64::from(intrinsic[0] / sensor[0] * width as f32),
            f64::from(intrinsic[1] / sensor[1] * height as f32),
        ]
    } else {
        [0.5 / tan(m.cam_fovy[camera] * PI / 360.0) * f64::from(height); 2]
    };
    let depth = if p[2].abs() >= MIN_VAL {
        p[2]
    } else if p[2] < 0.0 {
        -MIN_VAL
    } else {
        MIN_VAL
    };
    [
        (-fx * p[0] + 0.5 * f64::from(width) * p[2]) / depth,
        (fy * p[1] + 0.5 * f64::from(height) * p[2]) / depth,
    ]
}
