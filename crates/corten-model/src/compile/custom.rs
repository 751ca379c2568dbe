//! Custom data: numeric arrays, texts, tuples of objects.

use super::context::Context;
use crate::ModelArrays;
use crate::diagnostic::Diagnostic;
use crate::names::Names;
use crate::soft::SOFT_PREFIX;
use crate::spec::{Numeric, Text, Tuple};

#[derive(Default)]
pub(super) struct CustomPlan<'a> {
    numerics: Vec<(&'a Numeric, usize)>,
    texts: Vec<&'a Text>,
    tuples: Vec<(&'a Tuple, Vec<i32>)>,
}

pub(super) fn compile<'a>(cx: &mut Context<'a>, names: &Names) -> CustomPlan<'a> {
    let spec = cx.spec;
    let mut plan = CustomPlan::default();
    for numeric in spec.numerics.values() {
        let size = match usize::try_from(numeric.size) {
            Ok(0) => numeric.data.len(),
            Ok(size) => size,
            Err(_) => 0,
        };
        if size < numeric.data.len() {
            cx.error("numeric", numeric, "'size' is smaller than the number of values");
        } else if size == 0 {
            cx.error("numeric", numeric, "the array is empty: give 'size' or 'data'");
        }
        plan.numerics.push((numeric, size));
    }
    for text in spec.texts.values() {
        if text.data.is_empty() {
            cx.error("text", text, "the text is empty");
        }
        plan.texts.push(text);
    }
    for tuple in spec.tuples.values() {
        let count = tuple.objtype.len();
        if count == 0 {
            cx.error("tuple", tuple, "the tuple is empty");
        }
        if tuple.objname.len() != count || tuple.objprm.len() != count {
            cx.error("tuple", tuple, "types, names and parameters differ in number");
        }
        let ids = tuple
            .objtype
            .iter()
            .zip(&tuple.objname)
            .filter_map(|(&kind, name)| cx.resolve(names, kind, name, "tuple", tuple))
            .map(|i| i as i32)
            .collect();
        plan.tuples.push((tuple, ids));
    }
    plan
}

/// Refuses reserved numbers from which no body of particles follows.
pub(super) fn check_soft_bodies(cx: &mut Context, m: &ModelArrays) {
    for (i, numeric) in cx.spec.numerics.values().enumerate() {
        if numeric.name.contains(SOFT_PREFIX) && m.soft_body(i).is_none() {
            let message = format!(
                "numbers named '{SOFT_PREFIX}…' are those of a deformable body, which these do not describe"
            );
            let item = Diagnostic::error(message).on("numeric", numeric);
            cx.diagnostics
                .push(item.hint("write 'cortenforge:deformable', or choose another name"));
        }
    }
}

pub(super) fn write(m: &mut ModelArrays, custom: &CustomPlan) {
    m.nnumeric = custom.numerics.len();
    m.nnumericdata = custom.numerics.iter().map(|n| n.1).sum();
    m.ntext = custom.texts.len();
    m.ntextdata = custom.texts.iter().map(|t| t.data.len() + 1).sum();
    m.ntuple = custom.tuples.len();
    m.ntupledata = custom.tuples.iter().map(|t| t.1.len()).sum();
    m.resize();
    let mut address = 0;
    for (i, (numeric, size)) in custom.numerics.iter().enumerate() {
        m.numeric_adr[i] = address as i32;
        m.numeric_size[i] = *size as i32;
        m.numeric_data[address..][..numeric.data.len()].copy_from_slice(&numeric.data);
        address += size;
    }
    address = 0;
    for (i, text) in custom.texts.iter().enumerate() {
        let size = text.data.len() + 1;
        m.text_adr[i] = address as i32;
        m.text_size[i] = size as i32;
        m.text_data[address..][..size - 1].copy_from_slice(text.data.as_bytes());
        address += size;
    }
    address = 0;
    for (i, (tuple, ids)) in custom.tuples.iter().enumerate() {
        m.tuple_adr[i] = address as i32;
        m.tuple_size[i] = ids.len() as i32;
        for (k, &id) in ids.iter().enumerate() {
            m.tuple_objtype[address + k] = tuple.objtype[k].raw();
            m.tuple_objid[address + k] = id;
            m.tuple_objprm[address + k] = tuple.objprm[k];
        }
        address += ids.len();
    }
}
