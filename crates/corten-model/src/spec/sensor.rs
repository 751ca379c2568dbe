//! Sensors.

use super::PluginUse;
use super::element::element;
use crate::enums::{ContactDataField, ObjType, SensorDataType, SensorType, Stage};
use crate::sensor::SensorSize;

/// Number of integer parameters of a sensor.
pub const NSENS: usize = 3;

element! {
    /// A sensor.
    pub struct Sensor {
        type_: SensorType = SensorType::Touch,
        objtype: ObjType = ObjType::Unknown,
        objname: String = String::new(),
        reftype: ObjType = ObjType::Unknown,
        refname: String = String::new(),
        /// Contact sensor: data fields as bits, reduction, number of slots.
        intprm: [i32; NSENS] = [0; NSENS],
        /// What the outputs of a user sensor are.
        datatype: SensorDataType = SensorDataType::Real,
        /// When a user sensor is read.
        needstage: Stage = Stage::Acc,
        /// Outputs of a user sensor.
        dim: i32 = 0,
        cutoff: f64 = 0.0,
        noise: f64 = 0.0,
        userdata: Vec<f64> = Vec::new(),
        plugin: PluginUse = PluginUse::default(),
    }
}

impl Sensor {
    /// Number of values that the sensor gives; `None` for a tactile sensor, which gives three for
    /// each vertex of its mesh.
    pub fn data_size(&self) -> Option<usize> {
        match self.type_.info().size {
            SensorSize::Fixed(size) => Some(size),
            SensorSize::ContactFields => {
                let [fields, _, slots] = self.intprm;
                let size: usize = ContactDataField::chosen(fields).map(|f| f.width()).sum();
                Some(size.saturating_mul(usize::try_from(slots).unwrap_or(0)))
            }
            SensorSize::MeshVertices => None,
            SensorSize::Given => Some(usize::try_from(self.dim).unwrap_or(0)),
        }
    }
}
