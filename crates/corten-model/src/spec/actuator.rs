//! Actuators, in the general form that all shortcuts reduce to.

use super::PluginUse;
use super::element::element;
use crate::enums::{Bias, Dynamics, Gain, Limited, Transmission};

/// Number of gain, bias and dynamics parameters.
pub const NPRM: usize = 10;

const UNIT_PRM: [f64; NPRM] = [1., 0., 0., 0., 0., 0., 0., 0., 0., 0.];

element! {
    /// An actuator. Position servos with a damping ratio keep it as a positive `biasprm[2]`,
    /// which the compiler turns into a damping coefficient.
    pub struct Actuator {
        gaintype: Gain = Gain::Fixed,
        gainprm: [f64; NPRM] = UNIT_PRM,
        biastype: Bias = Bias::None,
        biasprm: [f64; NPRM] = [0.0; NPRM],
        dyntype: Dynamics = Dynamics::None,
        dynprm: [f64; NPRM] = UNIT_PRM,
        /// Number of activations; −1: 1 if the dynamics are stateful, else 0.
        actdim: i32 = -1,
        actearly: bool = false,
        trntype: Transmission = Transmission::Undefined,
        gear: [f64; 6] = [1., 0., 0., 0., 0., 0.],
        /// Name of the joint, tendon, crank site, site or body.
        target: String = String::new(),
        refsite: String = String::new(),
        slidersite: String = String::new(),
        cranklength: f64 = 0.0,
        lengthrange: [f64; 2] = [0.0; 2],
        /// Positive: take the range of the target, scaled by this factor.
        inheritrange: f64 = 0.0,
        ctrllimited: Limited = Limited::Auto,
        ctrlrange: [f64; 2] = [0.0; 2],
        forcelimited: Limited = Limited::Auto,
        forcerange: [f64; 2] = [0.0; 2],
        actlimited: Limited = Limited::Auto,
        actrange: [f64; 2] = [0.0; 2],
        group: i32 = 0,
        userdata: Vec<f64> = Vec::new(),
        plugin: PluginUse = PluginUse::default(),
        /// Name of a gain model, with `gaintype` user; not in MuJoCo.
        gain_model: String = String::new(),
        /// Parameters of the gain model; not in MuJoCo.
        gain_params: Vec<f64> = Vec::new(),
    }
}
