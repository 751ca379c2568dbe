//! Custom data and keyframes.

use super::element::element;
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
