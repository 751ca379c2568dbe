//! Equality constraints: objects resolved, data as given. Poses that the author left open are
//! filled in from the reference pose later.

use super::context::{Context, id};
use super::tree::Tree;
use crate::ModelArrays;
use crate::enums::{EqualityType, JointType, ObjType};
use crate::names::Names;
use crate::spec::Equality;

pub(super) struct EqualityPlan<'a> {
    source: &'a Equality,
    objtype: ObjType,
    obj: [i32; 2],
}

pub(super) fn compile<'a>(
    cx: &mut Context<'a>,
    names: &Names,
    tree: &Tree,
) -> Vec<EqualityPlan<'a>> {
    let spec = cx.spec;
    let mut plans = Vec::new();
    for eq in spec.equalities.values() {
        let target = match (eq.type_, eq.objtype) {
            (EqualityType::Connect | EqualityType::Weld, ObjType::Body | ObjType::Site) => {
                eq.objtype
            }
            (EqualityType::Joint, _) => ObjType::Joint,
            (EqualityType::Tendon, _) => ObjType::Tendon,
            (EqualityType::Connect | EqualityType::Weld, _) => {
                cx.error("equality", eq, "only bodies or sites can be connected or welded");
                continue;
            }
            (EqualityType::Flex | EqualityType::Distance, _) => {
                cx.error("equality", eq, "this type of equality constraint is not supported");
                continue;
            }
        };
        let first = cx.resolve(names, target, &eq.name1, "equality", eq);
        let second = match eq.name2.as_str() {
            // The world.
            "" if target == ObjType::Body => Some(0),
            "" => None,
            name => cx.resolve(names, target, name, "equality", eq),
        };
        if first.is_some() && first == second {
            cx.error("equality", eq, format!("'{}' is constrained to itself", eq.name1));
        }
        if target == ObjType::Joint {
            for j in [first, second].into_iter().flatten() {
                let joint = &spec.joints[tree.joints[j].key];
                if !matches!(joint.type_, JointType::Hinge | JointType::Slide) {
                    cx.error("equality", eq, "only hinge and slide joints can be coupled");
                }
            }
        }
        let objtype = match target {
            ObjType::Joint | ObjType::Tendon => eq.objtype,
            _ => target,
        };
        plans.push(EqualityPlan { source: eq, objtype, obj: [id(first), id(second)] });
    }
    plans
}

pub(super) fn write(m: &mut ModelArrays, equalities: &[EqualityPlan]) {
    m.neq = equalities.len();
    m.resize();
    for (i, plan) in equalities.iter().enumerate() {
        let s = plan.source;
        m.eq_type[i] = s.type_.raw();
        (m.eq_obj1id[i], m.eq_obj2id[i]) = (plan.obj[0], plan.obj[1]);
        m.eq_objtype[i] = plan.objtype.raw();
        m.eq_active0[i] = s.active.into();
        m.eq_solref[i] = s.solref;
        m.eq_solimp[i] = s.solimp;
        m.eq_data[i] = s.data;
        // Most rows that the constraint can have.
        m.nemax += match s.type_ {
            EqualityType::Connect => 3,
            EqualityType::Weld => 7,
            _ => 1,
        };
    }
}
