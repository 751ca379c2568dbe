//! Contact pairs and exclusions, sorted by the signature of their bodies.

use super::context::Context;
use super::tree::Tree;
use crate::ModelArrays;
use crate::diagnostic::Diagnostic;
use crate::enums::ObjType;
use crate::names::Names;
use crate::spec::{Element, Pair};
use corten_math::memory::Grow;

pub(super) struct PairPlan<'a> {
    pub name: String,
    source: &'a Pair,
    geom: [usize; 2],
    signature: i32,
}

pub(super) struct ExcludePlan {
    pub name: String,
    signature: i32,
}

/// Identifies a pair of bodies, the smaller index first.
fn signature(a: usize, b: usize) -> i32 {
    ((a.min(b) << 16) + a.max(b)) as i32
}

pub(super) fn pairs<'a>(cx: &mut Context<'a>, names: &Names, tree: &Tree) -> Vec<PairPlan<'a>> {
    let spec = cx.spec;
    let mut plans = Vec::new();
    for pair in spec.pairs.values() {
        if !matches!(pair.condim, 1 | 3 | 4 | 6) {
            cx.error("pair", pair, format!("condim is {}, but must be 1, 3, 4 or 6", pair.condim));
        }
        check_compliance(cx, "pair", pair, [pair.stiffness, pair.dissipation]);
        let first = cx.resolve(names, ObjType::Geom, &pair.geomname1, "pair", pair);
        let second = cx.resolve(names, ObjType::Geom, &pair.geomname2, "pair", pair);
        let (Some(first), Some(second)) = (first, second) else { continue };
        let bodies = [tree.geoms[first].body, tree.geoms[second].body];
        let geom = if bodies[0] > bodies[1] { [second, first] } else { [first, second] };
        let signature = signature(bodies[0], bodies[1]);
        plans.push(PairPlan { name: pair.name.clone(), source: pair, geom, signature });
    }
    plans.sort_by_key(|p| p.signature);
    plans
}

/// Refuses numbers that are no stiffness or dissipation; dissipation alone has no effect.
pub(super) fn check_compliance(
    cx: &mut Context,
    kind: &'static str,
    of: &impl Element,
    [stiffness, dissipation]: [f64; 2],
) {
    for (name, x) in [("stiffness", stiffness), ("dissipation", dissipation)] {
        if !(x >= 0.0 && x.is_finite()) {
            let message =
                format!("'cortenforge:{name}' is {x}: it must be finite, and not negative");
            cx.error(kind, of, message);
        }
    }
    if stiffness == 0.0 && dissipation > 0.0 {
        let item =
            Diagnostic::warning("'cortenforge:dissipation' has no effect without a stiffness");
        cx.diagnostics.push(item.hint("give 'cortenforge:stiffness', in N/m").on(kind, of));
    }
}

pub(super) fn excludes(cx: &mut Context, names: &Names) -> Vec<ExcludePlan> {
    let spec = cx.spec;
    let mut plans = Vec::new();
    for exclude in spec.excludes.values() {
        let first = cx.resolve(names, ObjType::Body, &exclude.bodyname1, "exclude", exclude);
        let second = cx.resolve(names, ObjType::Body, &exclude.bodyname2, "exclude", exclude);
        if let (Some(first), Some(second)) = (first, second) {
            let signature = signature(first, second);
            plans.grow_push(ExcludePlan { name: exclude.name.clone(), signature });
        }
    }
    plans.sort_by_key(|e| e.signature);
    plans
}

pub(super) fn write(m: &mut ModelArrays, pairs: &[PairPlan], excludes: &[ExcludePlan]) {
    (m.npair, m.nexclude) = (pairs.len(), excludes.len());
    m.resize();
    for (i, plan) in pairs.iter().enumerate() {
        let s = plan.source;
        m.pair_dim[i] = s.condim;
        (m.pair_geom1[i], m.pair_geom2[i]) = (plan.geom[0] as i32, plan.geom[1] as i32);
        m.pair_signature[i] = plan.signature;
        m.pair_solref[i] = s.solref;
        m.pair_solreffriction[i] = s.solreffriction;
        m.pair_solimp[i] = s.solimp;
        m.pair_margin[i] = s.margin;
        m.pair_gap[i] = s.gap;
        m.pair_compliance[i] = [s.stiffness, s.dissipation];
        m.pair_friction[i] = s.friction;
    }
    for (i, plan) in excludes.iter().enumerate() {
        m.exclude_signature[i] = plan.signature;
    }
}
