//! Settings of the `compiler` element, and the sizes of the `size` element.

use crate::enums::{InertiaFromGeom, LengthRangeMode};

/// Settings that tell how a spec is compiled.
#[derive(Clone, Debug, PartialEq)]
pub struct Compiler {
    /// Infer `limited` from the presence of a range.
    pub autolimits: bool,
    pub boundmass: f64,
    pub boundinertia: f64,
    /// Total mass to scale to; not positive: leave masses alone.
    pub settotalmass: f64,
    pub balanceinertia: bool,
    /// Fit geoms to the bounding box of a mesh instead of its inertia box.
    pub fitaabb: bool,
    /// Angles are in degrees rather than radians.
    pub degree: bool,
    /// Axes of Euler angles; lower case rotates with the frame, upper case stays fixed.
    pub eulerseq: [u8; 3],
    pub discardvisual: bool,
    pub usethread: bool,
    pub fusestatic: bool,
    pub inertiafromgeom: InertiaFromGeom,
    pub inertiagrouprange: [i32; 2],
    pub saveinertial: bool,
    /// Align free joints with the inertial frame unless the joint says otherwise.
    pub alignfree: bool,
    pub lr_opt: LengthRangeOptions,
    /// Directory of meshes and height fields.
    pub meshdir: String,
    pub texturedir: String,
}

impl Default for Compiler {
    fn default() -> Compiler {
        Compiler {
            autolimits: true,
            boundmass: 0.0,
            boundinertia: 0.0,
            settotalmass: -1.0,
            balanceinertia: false,
            fitaabb: false,
            degree: true,
            eulerseq: *b"xyz",
            discardvisual: false,
            usethread: true,
            fusestatic: false,
            inertiafromgeom: InertiaFromGeom::Auto,
            inertiagrouprange: [0, 5],
            saveinertial: false,
            alignfree: false,
            lr_opt: LengthRangeOptions::default(),
            meshdir: String::new(),
            texturedir: String::new(),
        }
    }
}

/// How the length ranges of actuators are found by simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct LengthRangeOptions {
    pub mode: LengthRangeMode,
    /// Keep ranges that are already specified.
    pub useexisting: bool,
    /// Take joint and tendon limits where there are any.
    pub uselimit: bool,
    /// Acceleration that scales the applied force.
    pub accel: f64,
    /// Largest applied force; 0: no limit.
    pub maxforce: f64,
    /// Time constant of velocity reduction; at least 0.01.
    pub timeconst: f64,
    pub timestep: f64,
    /// Total simulated time.
    pub inttotal: f64,
    /// Time over which convergence is judged, at the end.
    pub interval: f64,
    /// Convergence tolerance relative to the range.
    pub tolrange: f64,
}

impl Default for LengthRangeOptions {
    fn default() -> LengthRangeOptions {
        LengthRangeOptions {
            mode: LengthRangeMode::Muscle,
            useexisting: true,
            uselimit: false,
            accel: 20.0,
            maxforce: 0.0,
            timeconst: 1.0,
            timestep: 0.01,
            inttotal: 10.0,
            interval: 2.0,
            tolrange: 0.05,
        }
    }
}

/// Sizes of the `size` element; −1 leaves the choice to the compiler.
#[derive(Clone, Debug, PartialEq)]
pub struct Sizes {
    /// Bytes of arena memory, as MuJoCo counts them.
    pub memory: i64,
    pub nuserdata: i32,
    pub nkey: i32,
    pub nuser_body: i32,
    pub nuser_jnt: i32,
    pub nuser_geom: i32,
    pub nuser_site: i32,
    pub nuser_cam: i32,
    pub nuser_tendon: i32,
    pub nuser_actuator: i32,
    pub nuser_sensor: i32,
    pub njmax: i32,
    pub nconmax: i32,
    pub nstack: i64,
}

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes {
            memory: -1,
            nuserdata: 0,
            nkey: 0,
            nuser_body: -1,
            nuser_jnt: -1,
            nuser_geom: -1,
            nuser_site: -1,
            nuser_cam: -1,
            nuser_tendon: -1,
            nuser_actuator: -1,
            nuser_sensor: -1,
            njmax: -1,
            nconmax: -1,
            nstack: -1,
        }
    }
}

/// Overrides of the `statistic` element; `None` is computed by the compiler.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatisticOverride {
    pub meaninertia: Option<f64>,
    pub meanmass: Option<f64>,
    pub meansize: Option<f64>,
    pub extent: Option<f64>,
    pub center: Option<corten_math::Vec3>,
}
