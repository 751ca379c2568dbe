//! What actuators act on.

use crate::enums::{ObjType, Transmission};

/// How a transmission names what it acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransmissionTarget {
    /// The attribute in MJCF.
    pub attribute: &'static str,
    pub objtype: ObjType,
}

impl Transmission {
    /// What a transmission acts on; `None` while it is not decided.
    pub const fn target(self) -> Option<TransmissionTarget> {
        let (attribute, objtype) = match self {
            Transmission::Joint => ("joint", ObjType::Joint),
            Transmission::JointInParent => ("jointinparent", ObjType::Joint),
            Transmission::SliderCrank => ("cranksite", ObjType::Site),
            Transmission::Tendon => ("tendon", ObjType::Tendon),
            Transmission::Site => ("site", ObjType::Site),
            Transmission::Body => ("body", ObjType::Body),
            Transmission::Undefined => return None,
        };
        Some(TransmissionTarget { attribute, objtype })
    }

    /// All transmissions that act on something, with how they name it.
    pub fn targets() -> impl Iterator<Item = (Transmission, TransmissionTarget)> {
        Transmission::ALL.iter().filter_map(|&kind| Some((kind, kind.target()?)))
    }
}
