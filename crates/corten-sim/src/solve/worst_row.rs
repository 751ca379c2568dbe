//! The row behind bad numbers, and what it belongs to, in words.

use corten_math::array::MapInline;
use corten_math::memory;
use corten_model::enums::{ConstraintType, ObjType};

use crate::{Data, Model, check};

/// The first row that is not finite, or whose force is not though the acceleration that it
/// answers to was.
pub(crate) fn bad_row(d: &Data) -> Option<usize> {
    let finite = |i: usize| d.efc_aref[i].is_finite() && d.efc_D[i].is_finite();
    (0..d.nefc).find(|&i| !finite(i) || !d.efc_force[i].is_finite())
}

/// The row that pushes a degree of freedom most.
pub(crate) fn strongest_row(d: &Data, dof: usize) -> Option<usize> {
    if d.nefc == 0 {
        return None;
    }
    let jacobian = d.scratch.constraint.jacobian();
    let mut unit = memory::zeroed(d.qacc.len());
    *unit.get_mut(dof)? = 1.0;
    let mut column = memory::zeroed(d.nefc);
    jacobian.mul(&unit, &mut column);
    let push = |i: &usize| (column[*i] * d.efc_force[*i]).abs();
    (0..d.nefc).max_by(|a, b| push(a).total_cmp(&push(b))).filter(|i| push(i) > 0.0)
}

/// What a row belongs to, in words.
pub(crate) fn row_place(m: &Model, d: &Data, row: usize) -> String {
    let id = d.efc_id[row].max(0) as usize;
    let named = |kind| check::name(m, kind, id);
    match ConstraintType::from_raw(d.efc_type[row]) {
        Some(ConstraintType::Equality) => format!("equality {}", named(ObjType::Equality)),
        Some(ConstraintType::SoftBody) => {
            let name = d.prepared.softs.name(id).unwrap_or("");
            format!("constraint of the deformable body '{name}'")
        }
        Some(ConstraintType::FrictionDof) => format!("friction of degree of freedom {id}"),
        Some(ConstraintType::LimitJoint) => format!("limit of joint {}", named(ObjType::Joint)),
        Some(ConstraintType::FrictionTendon) => {
            format!("friction of tendon {}", named(ObjType::Tendon))
        }
        Some(ConstraintType::FlexStiffness) => {
            format!("stiffness of flex {}", named(ObjType::Flex))
        }
        Some(ConstraintType::LimitTendon) => format!("limit of tendon {}", named(ObjType::Tendon)),
        _ => {
            let geoms = d.contact.get(id).map_or([-1; 2], |c| c.geom);
            let [a, b] = geoms.map_inline(|g| {
                let geom = g.max(0) as usize;
                let body = m.geom_bodyid.get(geom).map_or(0, |&b| b.max(0) as usize);
                let (geom, body) =
                    (check::name(m, ObjType::Geom, geom), check::name(m, ObjType::Body, body));
                format!("geom {geom} of body {body}")
            });
            format!("contact of {a} and {b}")
        }
    }
}
