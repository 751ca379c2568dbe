//! The table of sensors: everything that distinguishes one from another outside the engine's
//! formulas. Reader, grammar, writer, compiler and engine take what they need from here.

use crate::enums::{ContactDataField, ObjType, SensorDataType, SensorType, Stage};

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct SensorInfo {
    /// Name of the element in MJCF.
    pub xml_name: &'static str,
    pub attachment: Attachment,
    /// The stage after which it can be read; `None` if each sensor says it.
    pub stage: Option<Stage>,
    /// What its numbers are; `None` if each sensor says it.
    pub datatype: Option<SensorDataType>,
    pub size: SensorSize,
    /// Depends on more than its objects: it is read even while they sleep.
    pub sees_world: bool,
    /// Measures what its body and the parent exert on each other: the two cannot be fused.
    pub keeps_body: bool,
}

/// What a sensor is attached to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attachment {
    Nothing,
    /// One object, named by the attribute of its type.
    One(Target),
    /// Any object with a frame, perhaps relative to another.
    Frame {
        relative: bool,
    },
    /// A site seen by a camera.
    CamProjection,
    /// An object inside the volume of a site.
    InsideSite,
    /// Two geoms or bodies.
    Distance,
    /// Contacts that meet up to two criteria.
    Contact,
    /// The vertices of a mesh on a geom.
    Tactile,
    /// Whatever the author says.
    User,
    /// Not supported.
    Plugin,
}

/// The one object of a sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Site,
    /// A slide or hinge joint.
    ScalarJoint,
    BallJoint,
    LimitedJoint,
    Tendon,
    LimitedTendon,
    Actuator,
    /// A body and all below it.
    Subtree,
}

impl Target {
    /// The type of the object, whose name in MJCF is also that of the attribute.
    pub const fn objtype(self) -> ObjType {
        match self {
            Target::Site => ObjType::Site,
            Target::ScalarJoint | Target::BallJoint | Target::LimitedJoint => ObjType::Joint,
            Target::Tendon | Target::LimitedTendon => ObjType::Tendon,
            Target::Actuator => ObjType::Actuator,
            Target::Subtree => ObjType::Body,
        }
    }
}

/// How many numbers a sensor gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SensorSize {
    Fixed(usize),
    /// The chosen fields of each slot.
    ContactFields,
    /// Three for each vertex.
    MeshVertices,
    /// As many as its author says.
    Given,
}

impl Attachment {
    /// Whether a sensor can do without an object.
    pub const fn may_lack_object(self) -> bool {
        use Attachment::{Contact, Nothing, Plugin, User};
        matches!(self, Nothing | Contact | User | Plugin)
    }
}

impl SensorInfo {
    /// Read while its objects sleep, too.
    const fn seeing_world(mut self) -> SensorInfo {
        self.sees_world = true;
        self
    }

    const fn keeping_body(mut self) -> SensorInfo {
        self.keeps_body = true;
        self
    }

    const fn giving(mut self, datatype: SensorDataType) -> SensorInfo {
        self.datatype = Some(datatype);
        self
    }

    const fn sized(mut self, size: SensorSize) -> SensorInfo {
        self.size = size;
        self
    }
}

/// A sensor of `size` real numbers.
const fn row(
    xml_name: &'static str,
    attachment: Attachment,
    stage: Stage,
    size: usize,
) -> SensorInfo {
    SensorInfo {
        xml_name,
        attachment,
        stage: Some(stage),
        datatype: Some(SensorDataType::Real),
        size: SensorSize::Fixed(size),
        sees_world: false,
        keeps_body: false,
    }
}

/// A sensor whose stage, kind and number of outputs are said by each.
const fn open(xml_name: &'static str, attachment: Attachment) -> SensorInfo {
    let base = row(xml_name, attachment, Stage::None, 0).seeing_world();
    SensorInfo { stage: None, datatype: None, size: SensorSize::Given, ..base }
}

impl SensorType {
    /// The row of this sensor.
    #[rustfmt::skip]
    pub const fn info(self) -> SensorInfo {
        use Attachment as A;
        use Target as T;
        use SensorDataType::{Axis, Positive, Quaternion};
        use Stage::{Acc, Pos, Vel};
        const FRAME: Attachment = Attachment::Frame { relative: true };
        const WORLD_FRAME: Attachment = Attachment::Frame { relative: false };
        match self {
            Self::Touch => row("touch", A::One(T::Site), Acc, 1).giving(Positive),
            Self::Accelerometer => row("accelerometer", A::One(T::Site), Acc, 3),
            Self::Velocimeter => row("velocimeter", A::One(T::Site), Vel, 3),
            Self::Gyro => row("gyro", A::One(T::Site), Vel, 3),
            Self::Force => row("force", A::One(T::Site), Acc, 3).keeping_body(),
            Self::Torque => row("torque", A::One(T::Site), Acc, 3).keeping_body(),
            Self::Magnetometer => row("magnetometer", A::One(T::Site), Pos, 3),
            Self::Rangefinder => row("rangefinder", A::One(T::Site), Pos, 1).giving(Positive).seeing_world(),
            Self::CamProjection => row("camprojection", A::CamProjection, Pos, 2),
            Self::JointPos => row("jointpos", A::One(T::ScalarJoint), Pos, 1),
            Self::JointVel => row("jointvel", A::One(T::ScalarJoint), Vel, 1),
            Self::TendonPos => row("tendonpos", A::One(T::Tendon), Pos, 1),
            Self::TendonVel => row("tendonvel", A::One(T::Tendon), Vel, 1),
            Self::ActuatorPos => row("actuatorpos", A::One(T::Actuator), Pos, 1),
            Self::ActuatorVel => row("actuatorvel", A::One(T::Actuator), Vel, 1),
            Self::ActuatorFrc => row("actuatorfrc", A::One(T::Actuator), Acc, 1),
            Self::JointActFrc => row("jointactuatorfrc", A::One(T::ScalarJoint), Acc, 1),
            Self::TendonActFrc => row("tendonactuatorfrc", A::One(T::Tendon), Acc, 1),
            Self::BallQuat => row("ballquat", A::One(T::BallJoint), Pos, 4).giving(Quaternion),
            Self::BallAngVel => row("ballangvel", A::One(T::BallJoint), Vel, 3),
            Self::JointLimitPos => row("jointlimitpos", A::One(T::LimitedJoint), Pos, 1),
            Self::JointLimitVel => row("jointlimitvel", A::One(T::LimitedJoint), Vel, 1),
            Self::JointLimitFrc => row("jointlimitfrc", A::One(T::LimitedJoint), Acc, 1),
            Self::TendonLimitPos => row("tendonlimitpos", A::One(T::LimitedTendon), Pos, 1),
            Self::TendonLimitVel => row("tendonlimitvel", A::One(T::LimitedTendon), Vel, 1),
            Self::TendonLimitFrc => row("tendonlimitfrc", A::One(T::LimitedTendon), Acc, 1),
            Self::FramePos => row("framepos", FRAME, Pos, 3),
            Self::FrameQuat => row("framequat", FRAME, Pos, 4).giving(Quaternion),
            Self::FrameXAxis => row("framexaxis", FRAME, Pos, 3).giving(Axis),
            Self::FrameYAxis => row("frameyaxis", FRAME, Pos, 3).giving(Axis),
            Self::FrameZAxis => row("framezaxis", FRAME, Pos, 3).giving(Axis),
            Self::FrameLinVel => row("framelinvel", FRAME, Vel, 3),
            Self::FrameAngVel => row("frameangvel", FRAME, Vel, 3),
            Self::FrameLinAcc => row("framelinacc", WORLD_FRAME, Acc, 3),
            Self::FrameAngAcc => row("frameangacc", WORLD_FRAME, Acc, 3),
            Self::SubtreeCom => row("subtreecom", A::One(T::Subtree), Pos, 3),
            Self::SubtreeLinVel => row("subtreelinvel", A::One(T::Subtree), Vel, 3),
            Self::SubtreeAngMom => row("subtreeangmom", A::One(T::Subtree), Vel, 3),
            Self::InsideSite => row("insidesite", A::InsideSite, Pos, 1).giving(Positive),
            Self::GeomDist => row("distance", A::Distance, Pos, 1),
            Self::GeomNormal => row("normal", A::Distance, Pos, 3).giving(Axis),
            Self::GeomFromTo => row("fromto", A::Distance, Pos, 6),
            Self::Contact => row("contact", A::Contact, Acc, 0).sized(SensorSize::ContactFields),
            Self::PotentialEnergy => row("e_potential", A::Nothing, Pos, 1),
            Self::KineticEnergy => row("e_kinetic", A::Nothing, Pos, 1),
            Self::Clock => row("clock", A::Nothing, Pos, 1),
            Self::Tactile => row("tactile", A::Tactile, Acc, 0).sized(SensorSize::MeshVertices),
            Self::Plugin => open("plugin", A::Plugin),
            Self::User => open("user", A::User),
        }
    }

    /// The sensor with this name in MJCF.
    pub fn from_xml_name(name: &str) -> Option<SensorType> {
        SensorType::ALL.iter().copied().find(|kind| kind.info().xml_name == name)
    }
}

/// How a contact sensor chooses among contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactReduction {
    /// The first ones.
    None = 0,
    /// Those of smallest distance.
    MinDist = 1,
    /// Those of largest force.
    MaxForce = 2,
    /// All of them, as one wrench.
    NetForce = 3,
}

impl ContactReduction {
    /// The reduction with this integer value.
    pub const fn from_raw(raw: i32) -> Option<ContactReduction> {
        match raw {
            0 => Some(ContactReduction::None),
            1 => Some(ContactReduction::MinDist),
            2 => Some(ContactReduction::MaxForce),
            3 => Some(ContactReduction::NetForce),
            _ => None,
        }
    }
}

impl ContactDataField {
    /// How many numbers the field has.
    pub const fn width(self) -> usize {
        match self {
            ContactDataField::Found | ContactDataField::Dist => 1,
            ContactDataField::Force
            | ContactDataField::Torque
            | ContactDataField::Pos
            | ContactDataField::Normal
            | ContactDataField::Tangent => 3,
        }
    }

    /// The fields whose bits are set, in order.
    pub fn chosen(bits: i32) -> impl Iterator<Item = ContactDataField> {
        ContactDataField::ALL.iter().copied().filter(move |field| bits >> field.raw() & 1 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ() {
        for &kind in SensorType::ALL {
            assert_eq!(SensorType::from_xml_name(kind.info().xml_name), Some(kind));
        }
    }

    #[test]
    fn sizes_suit_what_the_numbers_are() {
        for &kind in SensorType::ALL {
            let info = kind.info();
            match info.datatype {
                Some(SensorDataType::Axis) => assert_eq!(info.size, SensorSize::Fixed(3)),
                Some(SensorDataType::Quaternion) => assert_eq!(info.size, SensorSize::Fixed(4)),
                Some(SensorDataType::Real | SensorDataType::Positive) => {}
                None => assert_eq!(info.size, SensorSize::Given),
            }
        }
    }
}
