//! What a page asks for.

use corten_scene::GlCamera;
use serde::{Deserialize, Serialize};

/// Where a page looks from; commands about places in its image carry it.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct View {
    /// Position.
    pub pos: [f32; 3],
    /// Direction of view.
    pub forward: [f32; 3],
    /// Upwards in the image.
    pub up: [f32; 3],
    /// Half the image's height at unit distance; half its height at all if orthographic.
    pub half: f32,
    /// Whether it is orthographic.
    #[serde(default)]
    pub orthographic: bool,
    /// Width of the image over its height.
    pub aspect: f64,
}

impl View {
    /// As a camera of a scene.
    pub fn camera(&self) -> GlCamera {
        let near = 0.01;
        let edge = if self.orthographic { self.half } else { self.half * near };
        GlCamera {
            pos: self.pos,
            forward: self.forward,
            up: self.up,
            frustum_bottom: -edge,
            frustum_top: edge,
            frustum_near: near,
            frustum_far: 1e4,
            orthographic: self.orthographic.into(),
            ..GlCamera::default()
        }
    }
}

/// A command, as JSON with its name as `do`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Command {
    /// Starts or stops.
    Play {
        /// Whether to run.
        on: bool,
    },
    /// Advances by some steps, or goes back in what was shown.
    Step {
        /// How many; back if negative.
        count: i32,
    },
    /// Shows a state of a recording.
    Seek {
        /// Which.
        index: usize,
    },
    /// Loads the model once more.
    Reload,
    /// To the initial state.
    Reset,
    /// To a keyframe.
    Key {
        /// Which.
        id: usize,
    },
    /// Simulated time per time.
    Speed {
        /// The factor.
        factor: f64,
    },
    /// Sets a control.
    Ctrl {
        /// Of which actuator.
        id: usize,
        /// To what.
        value: f64,
    },
    /// Sets all controls to zero.
    ClearCtrl,
    /// Puts a hinge or slide joint somewhere.
    Joint {
        /// Which joint.
        id: usize,
        /// Where.
        value: f64,
    },
    /// Switches an equality constraint on or off.
    Equality {
        /// Which.
        id: usize,
        /// On or off.
        on: bool,
    },
    /// Switches a group of actuators on or off.
    Actuators {
        /// Which group.
        group: i32,
        /// On or off.
        on: bool,
    },
    /// Turns a switch of [`VisFlag`](corten_scene::VisFlag).
    Vis {
        /// Which.
        id: usize,
        /// On or off.
        on: bool,
    },
    /// Turns a switch of [`RenderFlag`](corten_scene::RenderFlag).
    Render {
        /// Which.
        id: usize,
        /// On or off.
        on: bool,
    },
    /// Shows or hides a group.
    Group {
        /// `geom`, `site`, `joint`, `tendon`, `actuator`, `flex` or `skin`.
        kind: String,
        /// Which group.
        id: usize,
        /// Shown or hidden.
        on: bool,
    },
    /// Chooses labels.
    Label {
        /// [`Label`](corten_scene::Label).
        id: i32,
    },
    /// Chooses frames.
    Frame {
        /// [`Frame`](corten_scene::Frame).
        id: i32,
    },
    /// Switches a part of the physics off or on.
    Disable {
        /// A bit of [`DisableBit`](corten_model::enums::DisableBit).
        bit: i32,
        /// Whether it is off.
        on: bool,
    },
    /// Switches an addition to the physics on or off.
    Enable {
        /// A bit of [`EnableBit`](corten_model::enums::EnableBit).
        bit: i32,
        /// Whether it is on.
        on: bool,
    },
    /// Selects what is at a place of the image, from 0 to 1 from the left and from below.
    Select {
        /// Where the page looks from.
        view: View,
        /// From the left.
        x: f64,
        /// From below.
        y: f64,
    },
    /// Selects a body.
    SelectBody {
        /// Which; nothing if not positive.
        id: i32,
    },
    /// Begins to pull or turn the selected body.
    Pull {
        /// Where the page looks from.
        view: View,
        /// Bits of [`PerturbBit`](corten_scene::PerturbBit).
        bits: i32,
    },
    /// Moves what is pulled.
    Move {
        /// Where the page looks from.
        view: View,
        /// [`Mouse`](corten_scene::Mouse).
        action: i32,
        /// Motion in units of the image's height.
        dx: f64,
        /// Likewise, downwards.
        dy: f64,
    },
    /// Lets go.
    Release,
    /// A key was pressed, by MuJoCo's (GLFW's) number of it.
    Pressed {
        /// The number.
        code: i32,
    },
    /// Size of the page's picture.
    Viewport {
        /// In pixels.
        width: u32,
        /// Likewise.
        height: u32,
    },
    /// Ends what the owner of the simulation does, as closing a window would.
    Quit,
    /// Where the page's camera is, as an abstract camera.
    Camera {
        /// [`CameraType`](corten_scene::CameraType).
        #[serde(rename = "type")]
        kind: i32,
        /// Camera of the model.
        fixed: i32,
        /// Body that it follows.
        tracked: i32,
        /// Point that it looks at.
        lookat: [f64; 3],
        /// Distance from there.
        distance: f64,
        /// Direction in degrees.
        azimuth: f64,
        /// Height in degrees.
        elevation: f64,
    },
}

impl Command {
    /// As a page sends it.
    pub fn to_json(&self) -> String {
        // Names are plain text: nothing can fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}
