//! The table of pair functions: by which method two geoms are tested.
//!
//! Answers to `mjCOLLISIONFUNC`.

use corten_model::enums::GeomType;

/// How a pair of geoms is tested, the one of the lower type first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    PlaneSphere,
    PlaneCapsule,
    PlaneCylinder,
    PlaneBox,
    SphereSphere,
    SphereCapsule,
    SphereCylinder,
    SphereBox,
    CapsuleCapsule,
    CapsuleBox,
    BoxBox,
    /// A plane with the lowest points of any other shape.
    PlaneHull,
    HeightField,
    DistanceField,
    /// The general convex search.
    Search,
    /// Such pairs do not touch.
    Nothing,
}

impl Method {
    /// The method for types of geoms, as they are in a model.
    #[inline]
    pub fn of(first: i32, second: i32) -> Method {
        use GeomType::{Box, Capsule, Cylinder, HField, Plane, Sdf, Sphere};
        let (Some(first), Some(second)) = (GeomType::from_raw(first), GeomType::from_raw(second))
        else {
            return Method::Nothing;
        };
        match (first, second) {
            (Plane, Sphere) => Method::PlaneSphere,
            (Plane, Capsule) => Method::PlaneCapsule,
            (Plane, Cylinder) => Method::PlaneCylinder,
            (Plane, Box) => Method::PlaneBox,
            (Plane, _) => Method::PlaneHull,
            (HField, Sdf) => Method::Nothing,
            (HField, _) => Method::HeightField,
            (Sphere, Sphere) => Method::SphereSphere,
            (Sphere, Capsule) => Method::SphereCapsule,
            (Sphere, Cylinder) => Method::SphereCylinder,
            (Sphere, Box) => Method::SphereBox,
            (Capsule, Capsule) => Method::CapsuleCapsule,
            (Capsule, Box) => Method::CapsuleBox,
            (Box, Box) => Method::BoxBox,
            (_, Sdf) => Method::DistanceField,
            _ => Method::Search,
        }
    }

    /// Whether the test takes no longer than one of bounds.
    #[inline]
    pub fn is_closed_form(self) -> bool {
        !matches!(
            self,
            Method::PlaneHull
                | Method::HeightField
                | Method::DistanceField
                | Method::Search
                | Method::Nothing
        )
    }
}
