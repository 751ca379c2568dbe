//! Contact pairs and exclusions, equality constraints, and tendons.

use super::Source;
use super::element::{SOLIMP, SOLREF, element};
use crate::enums::{EqualityType, Limited, ObjType};

element! {
    pub struct Pair {
        geomname1: String = String::new(),
        geomname2: String = String::new(),
        condim: i32 = 3,
        solref: [f64; 2] = SOLREF,
        /// All zero: the frictional directions take `solref`.
        solreffriction: [f64; 2] = [0.0; 2],
        solimp: [f64; 5] = SOLIMP,
        margin: f64 = 0.0,
        gap: f64 = 0.0,
        /// Stiffness of contacts in N/m; zero: by `solref` and `solimp`. Not in MuJoCo.
        stiffness: f64 = 0.0,
        /// Dissipation of contacts in s/m, with a stiffness. Not in MuJoCo.
        dissipation: f64 = 0.0,
        friction: [f64; 5] = [1.0, 1.0, 0.005, 0.0001, 0.0001],
    }
}

element! {
    pub struct Exclude {
        bodyname1: String = String::new(),
        bodyname2: String = String::new(),
    }
}

/// Number of type-dependent parameters of an equality constraint.
pub const NEQDATA: usize = 11;

/// Values of [`Equality::data`] before any attribute: a unit linear coefficient, and a unit
/// ratio of torque to force.
const EQUALITY_DATA: [f64; NEQDATA] = [0., 1., 0., 0., 0., 0., 0., 0., 0., 0., 1.];

element! {
    /// An equality constraint. `data` holds the anchor (0–2), the relative pose (3–9, position
    /// then quaternion, all zero: from the reference configuration) and the torque scale (10)
    /// of a weld; the anchor of a connect; the polynomial coefficients (0–4) of a joint or
    /// tendon coupling.
    pub struct Equality {
        type_: EqualityType = EqualityType::Connect,
        data: [f64; NEQDATA] = EQUALITY_DATA,
        active: bool = true,
        name1: String = String::new(),
        name2: String = String::new(),
        /// `Body` or `Site` for connect and weld.
        objtype: ObjType = ObjType::Unknown,
        solref: [f64; 2] = SOLREF,
        solimp: [f64; 5] = SOLIMP,
    }
}

element! {
    /// A tendon: spatial if its path has sites, fixed if it has joints.
    pub struct Tendon {
        stiffness: f64 = 0.0,
        /// Resting length, or dead band; −1: the length at `qpos_spring`.
        springlength: [f64; 2] = [-1.0; 2],
        damping: f64 = 0.0,
        frictionloss: f64 = 0.0,
        solref_friction: [f64; 2] = SOLREF,
        solimp_friction: [f64; 5] = SOLIMP,
        armature: f64 = 0.0,
        limited: Limited = Limited::Auto,
        actfrclimited: Limited = Limited::False,
        range: [f64; 2] = [0.0; 2],
        actfrcrange: [f64; 2] = [0.0; 2],
        margin: f64 = 0.0,
        solref_limit: [f64; 2] = SOLREF,
        solimp_limit: [f64; 5] = SOLIMP,
        material: String = String::new(),
        width: f64 = 0.003,
        rgba: [f32; 4] = [0.5, 0.5, 0.5, 1.0],
        group: i32 = 0,
        userdata: Vec<f64> = Vec::new(),
        path: Vec<Wrap> = Vec::new(),
    }
}

/// One station of a tendon's path.
#[derive(Clone, Debug, PartialEq)]
pub struct Wrap {
    pub target: WrapTarget,
    pub source: Source,
}

#[derive(Clone, Debug, PartialEq)]
pub enum WrapTarget {
    Site {
        site: String,
    },
    /// Sphere or cylinder; `sidesite` may be empty.
    Geom {
        geom: String,
        sidesite: String,
    },
    Joint {
        joint: String,
        coef: f64,
    },
    Pulley {
        divisor: f64,
    },
}
