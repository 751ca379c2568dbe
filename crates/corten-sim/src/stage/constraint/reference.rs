//! Velocities and reference accelerations of the rows. Answers to `mj_referenceConstraint`.

use corten_math::{Number, wide};

use crate::{Data, Model};

/// `efc_vel = J·qvel` and `efc_aref = −B·vel − K·imp·(pos − margin)`.
pub fn reference(_m: &Model, d: &mut Data) {
    if d.nefc == 0 {
        return;
    }
    d.scratch.constraint.jacobian().mul(&d.qvel, &mut d.efc_vel);
    accelerations(&d.efc_KBIP, [&d.efc_vel, &d.efc_pos, &d.efc_margin], &mut d.efc_aref);
}

wide! {
    fn accelerations(kbip: &[[f64; 4]], given: [&[f64]; 3], aref: &mut [f64]) {
        let n = aref.len();
        let (kbip, given) = (&kbip[..n], given.map(|v| &v[..n]));
        let (fours, whole) = (kbip.as_chunks::<4>().0, given.map(|v| v.as_chunks::<4>().0));
        for (i, aref) in aref.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let kbip = Simd::from_records(|k| fours[i][k]);
            *aref = acceleration(kbip, whole.map(|v| Simd::load(v[i]))).store();
        }
        for i in n / 4 * 4..n {
            aref[i] = acceleration(kbip[i], given.map(|v| v[i]));
        }
    }
}

/// With velocity, position and margin.
#[inline(always)]
fn acceleration<T: Number>([k, b, imp, _]: [T; 4], [vel, pos, margin]: [T; 3]) -> T {
    -b * vel - k * imp * (pos - margin)
}
