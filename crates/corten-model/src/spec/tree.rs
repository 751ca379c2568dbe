//! The kinematic tree: bodies and frames, and what is attached to them.

use corten_math::{Quat, Vec3};

use super::element::{Orientation, SOLIMP, SOLREF, element};
use super::{DefaultClass, Key, PluginUse};
use crate::enums::{
    AlignFree, CamLightMode, GeomInertia, GeomType, JointType, LightType, Limited, SleepPolicy,
};

element! {
    /// A body. `parent` is `None` for the world alone, which is the first body of a spec.
    ///
    /// The lists hold all children in document order, also those inside frames: a frame is
    /// only a pose that its members refer to by `frame`.
    pub struct Body {
        parent: Option<Key<Body>> = None,
        frame: Option<Key<Frame>> = None,
        childclass: Option<Key<DefaultClass>> = None,
        bodies: Vec<Key<Body>> = Vec::new(),
        frames: Vec<Key<Frame>> = Vec::new(),
        joints: Vec<Key<Joint>> = Vec::new(),
        geoms: Vec<Key<Geom>> = Vec::new(),
        sites: Vec<Key<Site>> = Vec::new(),
        cameras: Vec<Key<Camera>> = Vec::new(),
        lights: Vec<Key<Light>> = Vec::new(),
        pos: Vec3 = Vec3::ZERO,
        quat: Quat = Quat::IDENTITY,
        alt: Orientation = Orientation::Quat,
        mass: f64 = 0.0,
        /// Position of the inertial frame; `None` unless there is an `inertial` element.
        ipos: Option<Vec3> = None,
        iquat: Quat = Quat::IDENTITY,
        ialt: Orientation = Orientation::Quat,
        /// Diagonal inertia in the inertial frame.
        inertia: Vec3 = Vec3::ZERO,
        /// Full inertia: xx, yy, zz, xy, xz, yz.
        fullinertia: Option<[f64; 6]> = None,
        /// Whether the author gave an `inertial` element (or asks for one to be saved).
        explicitinertial: bool = false,
        mocap: bool = false,
        gravcomp: f64 = 0.0,
        sleep: SleepPolicy = SleepPolicy::Auto,
        userdata: Vec<f64> = Vec::new(),
        plugin: PluginUse = PluginUse::default(),
    }
}

element! {
    /// A pose inside a body that its members are expressed in.
    pub struct Frame {
        body: Option<Key<Body>> = None,
        /// The enclosing frame.
        frame: Option<Key<Frame>> = None,
        childclass: Option<Key<DefaultClass>> = None,
        pos: Vec3 = Vec3::ZERO,
        quat: Quat = Quat::IDENTITY,
        alt: Orientation = Orientation::Quat,
    }
}

element! {
    pub struct Joint {
        body: Option<Key<Body>> = None,
        frame: Option<Key<Frame>> = None,
        type_: JointType = JointType::Hinge,
        pos: Vec3 = Vec3::ZERO,
        axis: Vec3 = Vec3::Z,
        /// Joint value in the reference configuration, in the author's angle unit.
        ref_: f64 = 0.0,
        align: AlignFree = AlignFree::Auto,
        stiffness: f64 = 0.0,
        springref: f64 = 0.0,
        /// Time constant and damping ratio that determine stiffness and damping.
        springdamper: [f64; 2] = [0.0; 2],
        limited: Limited = Limited::Auto,
        range: [f64; 2] = [0.0; 2],
        margin: f64 = 0.0,
        solref_limit: [f64; 2] = SOLREF,
        solimp_limit: [f64; 5] = SOLIMP,
        actfrclimited: Limited = Limited::Auto,
        actfrcrange: [f64; 2] = [0.0; 2],
        armature: f64 = 0.0,
        damping: f64 = 0.0,
        frictionloss: f64 = 0.0,
        solref_friction: [f64; 2] = SOLREF,
        solimp_friction: [f64; 5] = SOLIMP,
        group: i32 = 0,
        actgravcomp: bool = false,
        userdata: Vec<f64> = Vec::new(),
    }
}

element! {
    pub struct Geom {
        body: Option<Key<Body>> = None,
        frame: Option<Key<Frame>> = None,
        type_: GeomType = GeomType::Sphere,
        pos: Vec3 = Vec3::ZERO,
        quat: Quat = Quat::IDENTITY,
        alt: Orientation = Orientation::Quat,
        /// Two end points that determine position, orientation and length.
        fromto: Option<[f64; 6]> = None,
        size: Vec3 = Vec3::ZERO,
        contype: i32 = 1,
        conaffinity: i32 = 1,
        condim: i32 = 3,
        priority: i32 = 0,
        friction: Vec3 = Vec3([1.0, 0.005, 0.0001]),
        solmix: f64 = 1.0,
        solref: [f64; 2] = SOLREF,
        solimp: [f64; 5] = SOLIMP,
        margin: f64 = 0.0,
        gap: f64 = 0.0,
        /// Stiffness of contacts in N/m; zero: by `solref` and `solimp`. Not in MuJoCo.
        stiffness: f64 = 0.0,
        /// Dissipation of contacts in s/m, with a stiffness. Not in MuJoCo.
        dissipation: f64 = 0.0,
        /// Mass; `None` takes the density.
        mass: Option<f64> = None,
        density: f64 = 1000.0,
        typeinertia: GeomInertia = GeomInertia::Volume,
        /// The ellipsoid fluid model is active.
        fluid_ellipsoid: bool = false,
        /// Blunt drag, slender drag, angular drag, Kutta lift, Magnus lift.
        fluid_coefs: [f64; 5] = [0.5, 0.25, 1.5, 1.0, 1.0],
        material: String = String::new(),
        rgba: [f32; 4] = [0.5, 0.5, 0.5, 1.0],
        group: i32 = 0,
        hfieldname: String = String::new(),
        meshname: String = String::new(),
        fitscale: f64 = 1.0,
        userdata: Vec<f64> = Vec::new(),
        plugin: PluginUse = PluginUse::default(),
    }
}

element! {
    pub struct Site {
        body: Option<Key<Body>> = None,
        frame: Option<Key<Frame>> = None,
        type_: GeomType = GeomType::Sphere,
        pos: Vec3 = Vec3::ZERO,
        quat: Quat = Quat::IDENTITY,
        alt: Orientation = Orientation::Quat,
        fromto: Option<[f64; 6]> = None,
        size: Vec3 = Vec3([0.005; 3]),
        material: String = String::new(),
        group: i32 = 0,
        rgba: [f32; 4] = [0.5, 0.5, 0.5, 1.0],
        userdata: Vec<f64> = Vec::new(),
    }
}

element! {
    pub struct Camera {
        body: Option<Key<Body>> = None,
        frame: Option<Key<Frame>> = None,
        pos: Vec3 = Vec3::ZERO,
        quat: Quat = Quat::IDENTITY,
        alt: Orientation = Orientation::Quat,
        mode: CamLightMode = CamLightMode::Fixed,
        targetbody: String = String::new(),
        orthographic: bool = false,
        fovy: f64 = 45.0,
        ipd: f64 = 0.068,
        intrinsic: [f32; 4] = [0.0; 4],
        sensor_size: [f32; 2] = [0.0; 2],
        resolution: [f32; 2] = [1.0; 2],
        focal_length: [f32; 2] = [0.0; 2],
        focal_pixel: [f32; 2] = [0.0; 2],
        principal_length: [f32; 2] = [0.0; 2],
        principal_pixel: [f32; 2] = [0.0; 2],
        userdata: Vec<f64> = Vec::new(),
    }
}

element! {
    pub struct Light {
        body: Option<Key<Body>> = None,
        frame: Option<Key<Frame>> = None,
        pos: Vec3 = Vec3::ZERO,
        dir: Vec3 = Vec3([0.0, 0.0, -1.0]),
        mode: CamLightMode = CamLightMode::Fixed,
        targetbody: String = String::new(),
        active: bool = true,
        type_: LightType = LightType::Spot,
        texture: String = String::new(),
        castshadow: bool = true,
        bulbradius: f32 = 0.02,
        intensity: f32 = 0.0,
        range: f32 = 10.0,
        attenuation: [f32; 3] = [1.0, 0.0, 0.0],
        cutoff: f32 = 45.0,
        exponent: f32 = 10.0,
        ambient: [f32; 3] = [0.0; 3],
        diffuse: [f32; 3] = [0.7; 3],
        specular: [f32; 3] = [0.3; 3],
    }
}
