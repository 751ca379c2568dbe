//! Equality constraints: objects resolved, data as given. Poses that the author left open are
//! filled in from the reference pose later.

use super::context::{Context, id};
use super::flex::FlexPlan;
use super::tree::Tree;
use crate::ModelArrays;
use crate::enums::{EqualityType, JointType, ObjType};
use crate::equality::EqualityForm;
use crate::names::Names;
use crate::spec::Equality;

pub(super) struct EqualityPlan<'a> {
    source: &'a Equality,
    obj: [i32; 2],
}

pub(super) fn compile<'a>(
    cx: &mut Context<'a>,
    names: &Names,
    tree: &Tree,
    flexes: &[FlexPlan],
) -> Vec<EqualityPlan<'a>> {
    let spec = cx.spec;
    let mut plans = Vec::new();
    for eq in spec.equalities.values() {
        let form = eq.type_.info().form;
        let target = match (form, eq.type_.objects(eq.objtype)) {
            (
                EqualityForm::Frames | EqualityForm::Coupling(_) | EqualityForm::Flex,
                Some(target),
            ) => target,
            (EqualityForm::Frames | EqualityForm::Coupling(_) | EqualityForm::Flex, None) => {
                cx.error("equality", eq, "only bodies or sites can be connected or welded");
                continue;
            }
            (EqualityForm::Removed, _) => {
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
        if target == ObjType::Flex && first.and_then(|f| flexes.get(f)).is_some_and(|f| f.rigid) {
            cx.error("equality", eq, format!("flex '{}' is rigid already", eq.name1));
        }
        if target == ObjType::Joint {
            for j in [first, second].into_iter().flatten() {
                let joint = &spec.joints[tree.joints[j].key];
                if !matches!(joint.type_, JointType::Hinge | JointType::Slide) {
                    cx.error("equality", eq, "only hinge and slide joints can be coupled");
                }
            }
        }
        plans.push(EqualityPlan { source: eq, obj: [id(first), id(second)] });
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
        m.eq_objtype[i] = s.objtype.raw();
        m.eq_active0[i] = s.active.into();
        m.eq_solref[i] = s.solref;
        m.eq_solimp[i] = s.solimp;
        m.eq_data[i] = s.data;
        m.nemax += s.type_.info().max_rows;
        if s.type_ == EqualityType::Flex
            && let Ok(flex) = usize::try_from(plan.obj[0])
        {
            m.flex_edgeequality[flex] = 1;
        }
    }
}
