//! Scalar parameters of a model: physics options, statistics, and viewing parameters.

use corten_math::Vec3;

use crate::enums::{Cone, DisableBit, EnableBit, Integrator, JacobianType, Solver};
use crate::record;

record! {
    /// Physics options, with MuJoCo's names and defaults.
    pub struct Options {
        /// Simulation step in seconds.
        timestep: f64 = 0.002,
        /// Ratio of friction to normal contact impedance.
        impratio: f64 = 1.0,
        tolerance: f64 = 1e-8,
        ls_tolerance: f64 = 0.01,
        noslip_tolerance: f64 = 1e-6,
        ccd_tolerance: f64 = 1e-6,
        sleep_tolerance: f64 = 1e-4,
        gravity: Vec3 = Vec3([0.0, 0.0, -9.81]),
        wind: Vec3 = Vec3::ZERO,
        magnetic: Vec3 = Vec3([0.0, -0.5, 0.0]),
        /// Density of the medium.
        density: f64 = 0.0,
        /// Viscosity of the medium.
        viscosity: f64 = 0.0,
        o_margin: f64 = 0.0,
        o_solref: [f64; 2] = [0.02, 1.0],
        o_solimp: [f64; 5] = [0.9, 0.95, 0.001, 0.5, 2.0],
        o_friction: [f64; 5] = [1.0, 1.0, 0.005, 0.0001, 0.0001],
        integrator: Integrator = Integrator::Euler,
        cone: Cone = Cone::Pyramidal,
        jacobian: JacobianType = JacobianType::Auto,
        solver: Solver = Solver::Newton,
        iterations: i32 = 100,
        ls_iterations: i32 = 50,
        noslip_iterations: i32 = 0,
        ccd_iterations: i32 = 35,
        /// Bits of [`DisableBit`].
        disableflags: i32 = 0,
        /// Bits of [`EnableBit`].
        enableflags: i32 = 0,
        /// Bit `g` disables the actuators of group `g`.
        disableactuator: i32 = 0,
        sdf_initpoints: i32 = 40,
        sdf_iterations: i32 = 10,
        /// Parts of a step that the solver by positions works with, from 1 to [`Options::MOST_XPBD_SUBSTEPS`]; not MuJoCo's.
        xpbd_substeps: i32 = 1,
        /// How often a step goes over bodies of particles, from 1 to [`Options::MOST_COUPLING_ITERATIONS`]; not MuJoCo's.
        coupling_iterations: i32 = 1,
    }
}

impl Options {
    /// Beyond this, a shorter time step is what is meant.
    pub const MOST_XPBD_SUBSTEPS: i32 = 10_000;
    /// Further iterations find nothing to change.
    pub const MOST_COUPLING_ITERATIONS: i32 = 4;

    #[inline]
    pub fn disabled(&self, bit: DisableBit) -> bool {
        self.disableflags & bit.raw() != 0
    }

    #[inline]
    pub fn enabled(&self, bit: EnableBit) -> bool {
        self.enableflags & bit.raw() != 0
    }
}

record! {
    /// Summary of a model in its reference pose.
    pub struct Statistic {
        /// Mean diagonal entry of the mass matrix.
        meaninertia: f64 = 1.0,
        meanmass: f64 = 1.0,
        /// Mean body size.
        meansize: f64 = 0.2,
        /// Half the side of a box that encloses the model.
        extent: f64 = 2.0,
        center: Vec3 = Vec3::ZERO,
    }
}

/// Viewing parameters, in MuJoCo's sections.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Visual {
    pub global: VisualGlobal,
    pub quality: VisualQuality,
    pub headlight: VisualHeadlight,
    pub map: VisualMap,
    pub scale: VisualScale,
    pub rgba: VisualRgba,
}

record! {
    /// Global viewing parameters.
    pub struct VisualGlobal {
        azimuth: f32 = 90.0,
        bvactive: i32 = 1,
        cameraid: i32 = -1,
        elevation: f32 = -45.0,
        ellipsoidinertia: i32 = 0,
        fovy: f32 = 45.0,
        glow: f32 = 0.3,
        ipd: f32 = 0.068,
        linewidth: f32 = 1.0,
        offheight: i32 = 480,
        offwidth: i32 = 640,
        orthographic: i32 = 0,
        realtime: f32 = 1.0,
    }
}
record! {
    /// Rendering quality.
    pub struct VisualQuality {
        numquads: i32 = 4,
        numslices: i32 = 28,
        numstacks: i32 = 16,
        offsamples: i32 = 4,
        shadowsize: i32 = 4096,
    }
}
record! {
    /// The light attached to the camera.
    pub struct VisualHeadlight {
        active: i32 = 1,
        ambient: [f32; 3] = [0.1, 0.1, 0.1],
        diffuse: [f32; 3] = [0.4, 0.4, 0.4],
        specular: [f32; 3] = [0.5, 0.5, 0.5],
    }
}
record! {
    /// Mapping from simulation quantities to drawing.
    pub struct VisualMap {
        actuatortendon: f32 = 2.0,
        alpha: f32 = 0.3,
        fogend: f32 = 10.0,
        fogstart: f32 = 3.0,
        force: f32 = 0.005,
        haze: f32 = 0.3,
        shadowclip: f32 = 1.0,
        shadowscale: f32 = 0.6,
        stiffness: f32 = 100.0,
        stiffnessrot: f32 = 500.0,
        torque: f32 = 0.1,
        zfar: f32 = 50.0,
        znear: f32 = 0.01,
    }
}
record! {
    /// Sizes of decorative elements relative to the mean body size.
    pub struct VisualScale {
        actuatorlength: f32 = 0.7,
        actuatorwidth: f32 = 0.2,
        camera: f32 = 0.3,
        com: f32 = 0.4,
        connect: f32 = 0.2,
        constraint: f32 = 0.1,
        contactheight: f32 = 0.1,
        contactwidth: f32 = 0.3,
        forcewidth: f32 = 0.1,
        framelength: f32 = 1.0,
        framewidth: f32 = 0.1,
        frustum: f32 = 10.0,
        jointlength: f32 = 1.0,
        jointwidth: f32 = 0.1,
        light: f32 = 0.3,
        selectpoint: f32 = 0.2,
        slidercrank: f32 = 0.2,
    }
}
record! {
    /// Colours of decorative elements.
    pub struct VisualRgba {
        actuator: [f32; 4] = [0.2, 0.25, 0.2, 1.0],
        actuatornegative: [f32; 4] = [0.2, 0.6, 0.9, 1.0],
        actuatorpositive: [f32; 4] = [0.9, 0.4, 0.2, 1.0],
        bv: [f32; 4] = [0.0, 1.0, 0.0, 0.5],
        bvactive: [f32; 4] = [1.0, 0.0, 0.0, 0.5],
        camera: [f32; 4] = [0.6, 0.9, 0.6, 1.0],
        com: [f32; 4] = [0.9, 0.9, 0.9, 1.0],
        connect: [f32; 4] = [0.2, 0.2, 0.8, 1.0],
        constraint: [f32; 4] = [0.9, 0.0, 0.0, 1.0],
        contactforce: [f32; 4] = [0.7, 0.9, 0.9, 1.0],
        contactfriction: [f32; 4] = [0.9, 0.8, 0.4, 1.0],
        contactgap: [f32; 4] = [0.5, 0.8, 0.9, 1.0],
        contactpoint: [f32; 4] = [0.9, 0.6, 0.2, 1.0],
        contacttorque: [f32; 4] = [0.9, 0.7, 0.9, 1.0],
        crankbroken: [f32; 4] = [0.9, 0.0, 0.0, 1.0],
        fog: [f32; 4] = [0.0, 0.0, 0.0, 1.0],
        force: [f32; 4] = [1.0, 0.5, 0.5, 1.0],
        frustum: [f32; 4] = [1.0, 1.0, 0.0, 0.2],
        haze: [f32; 4] = [1.0, 1.0, 1.0, 1.0],
        inertia: [f32; 4] = [0.8, 0.2, 0.2, 0.6],
        joint: [f32; 4] = [0.2, 0.6, 0.8, 1.0],
        light: [f32; 4] = [0.6, 0.6, 0.9, 1.0],
        rangefinder: [f32; 4] = [1.0, 1.0, 0.1, 1.0],
        selectpoint: [f32; 4] = [0.9, 0.9, 0.1, 1.0],
        slidercrank: [f32; 4] = [0.5, 0.3, 0.8, 1.0],
    }
}
