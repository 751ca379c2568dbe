//! Velocities and reference accelerations of the rows. Answers to `mj_referenceConstraint`.

use corten_math::array::MapInline;
use corten_math::hint::rarely;
use corten_math::{Number, for_each_four, wide};

use super::compliance;
use crate::{Data, Model};

/// `efc_vel = J·qvel` and `efc_aref = −B·vel − K·imp·(pos − margin)`.
pub fn reference(m: &Model, d: &mut Data) {
    if d.nefc == 0 {
        return;
    }
    d.scratch.constraint.jacobian().mul(&d.qvel, &mut d.efc_vel);
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
