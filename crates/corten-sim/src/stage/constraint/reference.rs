//! Velocities and reference accelerations of the rows. Answers to `mj_referenceConstraint`.

use std::ops::Range;

use corten_math::array::MapInline;
use corten_math::hint::rarely;
use corten_math::{Number, for_each_four, wide};

use super::compliance;
use crate::solve::rows::Jacobian;
use crate::{Data, Model};

/// `efc_vel = J·qvel` and `efc_aref = −B·vel − K·imp·(pos − margin)`.
pub fn reference(m: &Model, d: &mut Data) {
    if d.nefc > 0 {
        d.scratch.constraint.jacobian().mul(&d.qvel, &mut d.efc_vel);
        set_accelerations(m, d);
    }
}

/// [`reference()`] where `flexedge_velocity` is that of `qvel`: rows of edges need no product of their own.
pub(crate) fn reference_with_edges(m: &Model, d: &mut Data) {
    let rows = &*d.scratch.constraint;
    if d.nefc == 0 || rows.all_edges.is_empty() {
        return reference(m, d);
    }
    let mut first = 0;
    let multiply = |blocks: Range<usize>, vel: &mut [f64]| {
        let some = Jacobian { blocks: &rows.blocks[blocks], ..rows.jacobian() };
        some.mul(&d.qvel, vel);
    };
    for all in &rows.all_edges {
        multiply(first..all.blocks.start, &mut d.efc_vel);
        first = all.blocks.end;
        let edges = all.edges(&d.prepared.flexes);
        let row = rows.blocks[all.blocks.start].row as usize;
        d.efc_vel[row..row + edges.len()].copy_from_slice(&d.flexedge_velocity[edges]);
    }
    multiply(first..rows.blocks.len(), &mut d.efc_vel);
    set_accelerations(m, d);
}

fn set_accelerations(m: &Model, d: &mut Data) {
    accelerations(&d.efc_KBIP, [&d.efc_vel, &d.efc_pos, &d.efc_margin], &mut d.efc_aref);
    if rarely(d.prepared.compliant.any) {
        compliance::apply(m, d);
    }
}

wide! {
    fn accelerations(kbip: &[[f64; 4]], given: [&[f64]; 3], aref: &mut [f64]) {
        for_each_four!(aref.len(), at => acceleration::<Simd>(
            &kbip[at..],
            given.map_inline(|v| &v[at..]),
            &mut aref[at..],
        ));
    }
}

/// As many rows as `T` has lanes, with velocity, position and margin.
#[inline(always)]
fn acceleration<T: Number>(kbip: &[[f64; 4]], [vel, pos, margin]: [&[f64]; 3], aref: &mut [f64]) {
    let [k, b, imp, _] = T::gather(&kbip[..T::LANES], |lane| lane);
    let off = T::from_slice(pos) - T::from_slice(margin);
    (-b * T::from_slice(vel) - k * imp * off).put(aref);
}
