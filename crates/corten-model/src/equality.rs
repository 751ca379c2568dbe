//! The table of equality constraints. Reader, grammar, writer, compiler and engine take what they
//! need from here; what a constraint computes is the engine's.

use crate::enums::{EqualityType, ObjType};

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct EqualityInfo {
    /// Name of the element in MJCF.
    pub xml_name: &'static str,
    pub form: EqualityForm,
    /// Attributes of the element, beyond those that all constraints have.
    pub attributes: &'static [&'static str],
    /// Most rows that the constraint can have.
    pub max_rows: usize,
}

/// What a constraint relates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EqualityForm {
    /// Frames of two bodies, or two sites. The second body may be the world.
    Frames,
    /// The positions of two joints or tendons, by a polynomial. The second may be absent.
    Coupling(ObjType),
    /// The edges of a flex keep their lengths.
    Flex,
    /// Nothing: MuJoCo has removed it.
    Removed,
}

const fn row(
    xml_name: &'static str,
    form: EqualityForm,
    max_rows: usize,
    attributes: &'static [&'static str],
) -> EqualityInfo {
    EqualityInfo { xml_name, form, attributes, max_rows }
}

impl EqualityType {
    /// The row of this constraint.
    pub const fn info(self) -> EqualityInfo {
        use EqualityForm::{Coupling, Flex, Frames, Removed};
        match self {
            EqualityType::Connect => {
                row("connect", Frames, 3, &["body1", "body2", "anchor", "site1", "site2"])
            }
            EqualityType::Weld => row(
                "weld",
                Frames,
                7,
                &["body1", "body2", "anchor", "site1", "site2", "relpose", "torquescale"],
            ),
            EqualityType::Joint => {
                row("joint", Coupling(ObjType::Joint), 1, &["joint1", "joint2", "polycoef"])
            }
            EqualityType::Tendon => {
                row("tendon", Coupling(ObjType::Tendon), 1, &["tendon1", "tendon2", "polycoef"])
            }
            EqualityType::Flex => row("flex", Flex, 1, &["flex"]),
            EqualityType::Distance => row("distance", Removed, 1, &[]),
        }
    }

    /// The constraint with this name in MJCF.
    pub fn from_xml_name(name: &str) -> Option<EqualityType> {
        EqualityType::ALL.iter().copied().find(|kind| kind.info().xml_name == name)
    }

    /// The type of the related objects, of which `given` is what the constraint itself says;
    /// `None` if it cannot relate such objects.
    pub fn objects(self, given: ObjType) -> Option<ObjType> {
        match self.info().form {
            EqualityForm::Frames => {
                Some(given).filter(|kind| matches!(kind, ObjType::Body | ObjType::Site))
            }
            EqualityForm::Coupling(kind) => Some(kind),
            EqualityForm::Flex => Some(ObjType::Flex),
            EqualityForm::Removed => None,
        }
    }
}
