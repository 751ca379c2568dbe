//! Actuators, in the general form that all shortcuts reduce to, and sensors.

use super::element::element;
use crate::enums::{
    Bias, ContactDataField, Dynamics, Gain, Limited, ObjType, SensorDataType, SensorType, Stage,
    Transmission,
};

/// Number of gain, bias and dynamics parameters.
pub const NPRM: usize = 10;
/// Number of integer parameters of a sensor.
pub const NSENS: usize = 3;

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
    }
}

element! {
    pub struct Sensor {
        type_: SensorType = SensorType::Touch,
        objtype: ObjType = ObjType::Unknown,
        objname: String = String::new(),
        reftype: ObjType = ObjType::Unknown,
        refname: String = String::new(),
        /// Contact sensor: data fields as bits, reduction, number of slots.
        intprm: [i32; NSENS] = [0; NSENS],
        datatype: SensorDataType = SensorDataType::Real,
        needstage: Stage = Stage::Acc,
        /// Outputs of a user sensor.
        dim: i32 = 0,
        cutoff: f64 = 0.0,
        noise: f64 = 0.0,
        userdata: Vec<f64> = Vec::new(),
    }
}

impl Sensor {
    /// Number of values that the sensor gives; `None` for a tactile sensor, which gives three for
    /// each vertex of its mesh.
    pub fn data_size(&self) -> Option<usize> {
        use SensorType as S;
        Some(match self.type_ {
            S::CamProjection => 2,
            S::GeomFromTo => 6,
            S::BallQuat | S::FrameQuat => 4,
            S::Accelerometer
            | S::Velocimeter
            | S::Gyro
            | S::Force
            | S::Torque
            | S::Magnetometer
            | S::BallAngVel
            | S::FramePos
            | S::FrameXAxis
            | S::FrameYAxis
            | S::FrameZAxis
            | S::FrameLinVel
            | S::FrameAngVel
            | S::FrameLinAcc
            | S::FrameAngAcc
            | S::SubtreeCom
            | S::SubtreeLinVel
            | S::SubtreeAngMom
            | S::GeomNormal => 3,
            S::Contact => {
                let chosen = |field: &&ContactDataField| self.intprm[0] >> field.raw() & 1 == 1;
                let size: usize = ContactDataField::ALL.iter().filter(chosen).map(width).sum();
                size.saturating_mul(usize::try_from(self.intprm[2]).unwrap_or(0))
            }
            S::Tactile => return None,
            S::User => usize::try_from(self.dim).unwrap_or(0),
            S::Plugin => 0,
            _ => 1,
        })
    }
}

/// Numbers that a field of a contact sensor gives.
fn width(field: &ContactDataField) -> usize {
    match field {
        ContactDataField::Found | ContactDataField::Dist => 1,
        _ => 3,
    }
}
