//! Custom data and keyframes.

use super::element::element;
use super::{Actuator, Body, Joint, Key};
use crate::enums::ObjType;

element! {
    pub struct Numeric {
        data: Vec<f64> = Vec::new(),
        /// Length of the array, at least that of `data`; 0: that of `data`.
        size: i32 = 0,
    }
}

element! {
    pub struct Text {
        data: String = String::new(),
    }
}

element! {
    pub struct Tuple {
        objtype: Vec<ObjType> = Vec::new(),
        objname: Vec<String> = Vec::new(),
        objprm: Vec<f64> = Vec::new(),
    }
}

element! {
    /// A keyframe; an empty list stands for the reference value.
    pub struct Keyframe {
        time: f64 = 0.0,
        qpos: Vec<f64> = Vec::new(),
        qvel: Vec<f64> = Vec::new(),
        act: Vec<f64> = Vec::new(),
        mpos: Vec<f64> = Vec::new(),
        mquat: Vec<f64> = Vec::new(),
        ctrl: Vec<f64> = Vec::new(),
    }
}

element! {
    /// A keyframe that came with an attached model. Its values are known per element, because
    /// their places in the state are only known once the whole model is. After the keyframes of
    /// the spec itself, the compiler appends one for each of these: what is `Some` here becomes
    /// a full vector, with the reference value (for mocap bodies their pose, else zero) wherever
    /// no value is listed.
    pub struct AttachedKeyframe {
        time: f64 = 0.0,
        qpos: Option<Vec<(Key<Joint>, Vec<f64>)>> = None,
        qvel: Option<Vec<(Key<Joint>, Vec<f64>)>> = None,
        act: Option<Vec<(Key<Actuator>, Vec<f64>)>> = None,
        ctrl: Option<Vec<(Key<Actuator>, f64)>> = None,
        mpos: Option<Vec<(Key<Body>, [f64; 3])>> = None,
        mquat: Option<Vec<(Key<Body>, [f64; 4])>> = None,
    }
}
