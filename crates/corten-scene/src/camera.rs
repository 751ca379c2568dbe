//! Cameras: the abstract one that a user moves, and the two that a renderer sees through.

use bytemuck::{Pod, Zeroable};
use corten_math::Vec3;
use corten_sim::Model;

use crate::enums::CameraType;

/// An abstract camera (MuJoCo's `mjvCamera`).
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Camera {
    /// [`CameraType`]; MuJoCo's `type`.
    pub kind: i32,
    /// Camera of the model, where the type is [`CameraType::Fixed`].
    pub fixedcamid: i32,
    /// Body to follow, where the type is [`CameraType::Tracking`].
    pub trackbodyid: i32,
    #[doc(hidden)]
    pub pad0: i32,
    /// Point to look at.
    pub lookat: Vec3,
    /// Distance from there.
    pub distance: f64,
    /// Direction of view, in degrees.
    pub azimuth: f64,
    /// Angle above the horizontal plane, in degrees.
    pub elevation: f64,
    /// 0: perspective, 1: orthographic.
    pub orthographic: i32,
    #[doc(hidden)]
    pub pad1: i32,
}

/// MuJoCo's `mjv_defaultCamera`.
impl Default for Camera {
    fn default() -> Camera {
        Camera {
            kind: CameraType::Free.raw(),
            fixedcamid: -1,
            trackbodyid: -1,
            pad0: 0,
            lookat: Vec3::ZERO,
            distance: 2.0,
            azimuth: 90.0,
            elevation: -45.0,
            orthographic: 0,
            pad1: 0,
        }
    }
}

impl Camera {
    /// A free camera that has the whole model in view (MuJoCo's `mjv_defaultFreeCamera`).
    pub fn free(m: &Model) -> Camera {
        Camera {
            lookat: m.stat.center,
            distance: 1.5 * m.stat.extent,
            azimuth: m.vis.global.azimuth.into(),
            elevation: m.vis.global.elevation.into(),
            orthographic: m.vis.global.orthographic,
            ..Camera::default()
        }
    }

    /// A camera of the model.
    pub fn fixed(id: usize) -> Camera {
        let fixedcamid = i32::try_from(id).unwrap_or(-1);
        Camera { kind: CameraType::Fixed.raw(), fixedcamid, ..Camera::default() }
    }
}

/// A camera of the scene: where it is and what it sees (MuJoCo's `mjvGLCamera`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct GlCamera {
    /// Position.
    pub pos: [f32; 3],
    /// Direction of view.
    pub forward: [f32; 3],
    /// Upwards in the image.
    pub up: [f32; 3],
    /// Horizontal centre of the frustum at the near plane; left and right follow from the image's
    /// aspect ratio.
    pub frustum_center: f32,
    /// Half the width of the frustum at the near plane; not used for rendering.
    pub frustum_width: f32,
    /// Lower edge at the near plane.
    pub frustum_bottom: f32,
    /// Upper edge at the near plane.
    pub frustum_top: f32,
    /// Distance of the near plane.
    pub frustum_near: f32,
    /// Distance of the far plane.
    pub frustum_far: f32,
    /// 0: perspective, 1: orthographic.
    pub orthographic: i32,
}
