//! From an abstract camera to the cameras of a scene.

use std::f64::consts::PI;

use corten_math::Vec3;
use corten_math::real::{sin_cos, tan};
use corten_sim::{Data, Model};

use crate::camera::{Camera, GlCamera};
use crate::decor::At;
use crate::enums::CameraType;
use crate::error::SceneError;
use crate::geom::{double3, float3};
use crate::scene::Scene;

/// Where a camera is and how it is turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraFrame {
    /// Position.
    pub headpos: Vec3,
    /// Direction of view.
    pub forward: Vec3,
    /// Upwards in the image.
    pub up: Vec3,
    /// To the right in the image.
    pub right: Vec3,
}

/// What a camera sees: distances of the edges of the image from its centre, on the near plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraFrustum {
    /// Downwards and upwards.
    pub zver: [f32; 2],
    /// To the left and to the right; zero where they follow from the image's aspect ratio.
    pub zhor: [f32; 2],
    /// Distances of the near and the far plane.
    pub zclip: [f32; 2],
}

fn fixed_id(m: &Model, camera: &Camera) -> Result<usize, SceneError> {
    let id = camera.fixedcamid;
    let found = usize::try_from(id).ok().filter(|i| *i < m.ncam);
    found.ok_or(SceneError::NoCamera { id, ncam: m.ncam })
}

/// Pose of a free, tracking or fixed camera (MuJoCo's `mjv_cameraFrame`).
pub fn camera_frame(d: &Data, camera: &Camera) -> Result<CameraFrame, SceneError> {
    match CameraType::from_raw(camera.kind) {
        Some(CameraType::Free | CameraType::Tracking) => {
            let (sa, ca) = sin_cos(camera.azimuth / 180.0 * PI);
            let (se, ce) = sin_cos(camera.elevation / 180.0 * PI);
            let forward = Vec3([ce * ca, ce * sa, se]);
            Ok(CameraFrame {
                headpos: camera.lookat - forward * camera.distance,
                forward,
                up: Vec3([-se * ca, -se * sa, ce]),
                right: Vec3([sa, -ca, 0.0]),
            })
        }
        Some(CameraType::Fixed) => {
            let id = camera.fixedcamid;
            let missing = SceneError::NoCamera { id, ncam: d.cam_xpos.len() };
            let (Some(pos), Some(mat)) = (d.cam_xpos.at(id), d.cam_xmat.at(id)) else {
                return Err(missing);
            };
            let (right, up, back) = (mat.col(0), mat.col(1), mat.col(2));
            Ok(CameraFrame { headpos: *pos, forward: -back, up, right })
        }
        _ => Err(SceneError::CameraType(camera.kind)),
    }
}

/// Frustum of a free, tracking or fixed camera (MuJoCo's `mjv_cameraFrustum`).
pub fn camera_frustum(m: &Model, camera: &Camera) -> Result<CameraFrustum, SceneError> {
    let (orthographic, fovy, intrinsic) = match CameraType::from_raw(camera.kind) {
        Some(CameraType::Free | CameraType::Tracking) => {
            (m.vis.global.orthographic, m.vis.global.fovy.into(), None)
        }
        Some(CameraType::Fixed) => {
            let id = fixed_id(m, camera)?;
            let sensor = m.cam_sensorsize[id];
            let intrinsic = (sensor[1] != 0.0).then_some((m.cam_intrinsic[id], sensor));
            (m.cam_orthographic[id], m.cam_fovy[id], intrinsic)
        }
        _ => return Err(SceneError::CameraType(camera.kind)),
    };
    let near = (f64::from(m.vis.map.znear) * m.stat.extent) as f32;
    let far = (f64::from(m.vis.map.zfar) * m.stat.extent) as f32;
    let (zver, zhor) = if orthographic != 0 {
        ([(fovy / 2.0) as f32; 2], [0.0; 2])
    } else if let Some((intrinsic, sensor)) = intrinsic {
        intrinsic_frustum(near, intrinsic, sensor)
    } else {
        ([(f64::from(near) * tan(fovy * PI / 360.0)) as f32; 2], [0.0; 2])
    };
    Ok(CameraFrustum { zver, zhor, zclip: [near, far] })
}

/// Vertical and horizontal extents on the near plane, from focal lengths, the principal point's offset
/// and the sensor's size.
pub(crate) fn intrinsic_frustum(
    near: f32,
    [focal_x, focal_y, offset_x, offset_y]: [f32; 4],
    [width, height]: [f32; 2],
) -> ([f32; 2], [f32; 2]) {
    let extent = |focal: f32, size: f32, offset: f32| {
        let scale = near / focal;
        [scale * (size / 2.0 - offset), scale * (size / 2.0 + offset)]
    };
    (extent(focal_y, height, offset_y), extent(focal_x, width, offset_x))
}

/// Sets the cameras of a scene (MuJoCo's `mjv_updateCamera`); a tracking camera follows its body, one of
/// type [`CameraType::User`] leaves the scene as it is.
pub fn update_camera(
    m: &Model,
    d: &Data,
    camera: &mut Camera,
    scene: &mut Scene,
) -> Result<(), SceneError> {
    let kind = CameraType::from_raw(camera.kind);
    if kind == Some(CameraType::User) {
        return Ok(());
    }
    if kind == Some(CameraType::Tracking) {
        let id = camera.trackbodyid;
        let com = d.subtree_com.at(id);
        camera.lookat = *com.ok_or(SceneError::NoBody { id, nbody: m.nbody })?;
    }
    let (ipd, orthographic) = if kind == Some(CameraType::Fixed) {
        let id = fixed_id(m, camera)?;
        (m.cam_ipd[id], m.cam_orthographic[id])
    } else {
        (m.vis.global.ipd.into(), m.vis.global.orthographic)
    };
    let frame = camera_frame(d, camera)?;
    let CameraFrustum { zver, zhor, zclip } = camera_frustum(m, camera)?;
    for (gl, side) in scene.camera.iter_mut().zip([-0.5, 0.5]) {
        *gl = GlCamera {
            pos: float3(frame.headpos + frame.right * (side * ipd)),
            forward: float3(frame.forward),
            up: float3(frame.up),
            frustum_center: (zhor[1] - zhor[0]) / 2.0,
            frustum_width: (zhor[1] + zhor[0]) / 2.0,
            frustum_bottom: -zver[0],
            frustum_top: zver[1],
            frustum_near: zclip[0],
            frustum_far: zclip[1],
            orthographic,
        };
    }
    scene.enabletransform = 0;
    Ok(())
}

/// The camera between two (MuJoCo's `mjv_averageCamera`).
pub fn average_camera([a, b]: &[GlCamera; 2]) -> Result<GlCamera, SceneError> {
    if a.orthographic != b.orthographic {
        return Err(SceneError::MixedCameras);
    }
    let mean = |x: f32, y: f32| 0.5 * (x + y);
    let forward = (double3(a.forward) + double3(b.forward)).normalized().0;
    let up = double3(a.up) + double3(b.up);
    let up = (up - forward * up.dot(forward)).normalized().0;
    Ok(GlCamera {
        pos: float3((double3(a.pos) + double3(b.pos)) * 0.5),
        forward: float3(forward),
        up: float3(up),
        frustum_center: mean(a.frustum_center, b.frustum_center),
        frustum_width: mean(a.frustum_width, b.frustum_width),
        frustum_bottom: mean(a.frustum_bottom, b.frustum_bottom),
        frustum_top: mean(a.frustum_top, b.frustum_top),
        frustum_near: mean(a.frustum_near, b.frustum_near),
        frustum_far: mean(a.frustum_far, b.frustum_far),
        orthographic: a.orthographic,
    })
}
