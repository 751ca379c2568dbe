//! Contacts by physical parameters: stiffness in N/m and dissipation in s/m.
//!
//! The law is that of K. H. Hunt and F. R. E. Crossley, "Coefficient of restitution interpreted as damping in vibroimpact", 1975:
//! with the depth `x` of penetration, a force `f = k x (1 + d ẋ)`, never pulling. Depth is taken at the end of the step, `x + h ẋ`, and the
//! factor of dissipation at its start, as in A. Castro et al., "Unconstrained formulation of contact with compliance", 2023 (the lagged
//! model): with `k̃ = k max(0, 1 + d ẋ₀)` the force is linear in the acceleration,
//!
//! ```text
//! f = −k̃ (C + h J v + h² J a)     ⇒     R = 1/(k̃ h²),   K·imp = 1/h²,   B = 1/h
//! ```
//!
//! a row like others, so that the problem stays convex and any solver has it. Friction keeps the regularisation that `solimp` gives it, so that
//! a soft surface does not creep; only edges of pyramids, which have no direction of their own for it, are as soft as the normal.
//!
//! Two surfaces are springs one behind the other: `1/k = 1/k₁ + 1/k₂`, `d = (k₂ d₁ + k₁ d₂)/(k₁ + k₂)`.

use std::sync::Arc;

use corten_math::MIN_VAL;
use corten_model::ModelArrays;

use super::impedance::{self, Impedance};
use super::is_pyramidal;
use crate::chain::index;
use crate::solve::rows::MAX_RANK;
use crate::{Contact, Data, Model};

/// Stiffness and dissipation.
type Law = [f64; 2];

/// Which contacts have the law.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Compliant {
    /// Whether any may.
    pub any: bool,
    /// Laws of listed pairs by their geoms, ascending; a stiffness of zero is none.
    pairs: Vec<([i32; 2], Law)>,
}

impl Compliant {
    pub fn new(m: &ModelArrays) -> Compliant {
        let soft = |law: &Law| law[0] > 0.0;
        let any = m.geom_compliance.iter().any(soft) || m.pair_compliance.iter().any(soft);
        if !any {
            return Compliant::default();
        }
        let ends = m.pair_geom1.iter().zip(&m.pair_geom2).map(|(&a, &b)| [a.min(b), a.max(b)]);
        let mut pairs: Vec<_> = ends.zip(m.pair_compliance.iter().copied()).collect();
        pairs.sort_by_key(|(geoms, _)| *geoms);
        Compliant { any, pairs }
    }

    /// The law of a contact.
    fn law(&self, m: &Model, contact: &Contact) -> Option<Law> {
        let [a, b] = contact.geom;
        let listed = self.pairs.binary_search_by_key(&[a.min(b), a.max(b)], |(geoms, _)| *geoms);
        let of = |geom: i32| index(geom, m.ngeom).map_or([0.0; 2], |g| m.geom_compliance[g]);
        let law = match listed {
            Ok(at) => self.pairs[at].1,
            Err(_) => in_series(of(a), of(b)),
        };
        (law[0] > 0.0).then_some(law)
    }
}

/// Two springs one behind the other; a stiffness of zero stands for a rigid surface.
fn in_series([k1, d1]: Law, [k2, d2]: Law) -> Law {
    if !(k1 > 0.0) {
        [k2, d2]
    } else if !(k2 > 0.0) {
        [k1, d1]
    } else {
        [k1 * k2 / (k1 + k2), (k2 * d1 + k1 * d2) / (k1 + k2)]
    }
}

/// Gives rows of contacts with the law their reference and regularisation. Needs `efc_vel`.
#[cold]
#[inline(never)]
pub(super) fn apply(m: &Model, d: &mut Data) {
    let h = m.opt.timestep;
    if !(h > 0.0) {
        return;
    }
    let pyramidal = is_pyramidal(m);
    let prepared = d.prepared.clone();
    let mut cone = 0;
    for id in 0..d.ncon.min(d.contact.len()) {
        let contact = &mut d.contact[id];
        let Some(first) = index(contact.efc_address, d.nefc) else { continue };
        let dim = (contact.dim.max(1) as usize).min(MAX_RANK);
        let own_cone = cone;
        cone += usize::from(dim > 1);
        let Some([k, dissipation]) = prepared.compliant.law(m, contact) else { continue };
        let edges = if dim == 1 { 1 } else { 2 * (dim - 1) };
        let count = if pyramidal || dim == 1 { edges } else { dim };
        if first + count > d.nefc {
            continue;
        }
        // Edges of a pyramid have the normal velocity in their mean.
        let normal_rows = if pyramidal { edges } else { 1 };
        let velocity =
            d.efc_vel[first..first + normal_rows].iter().sum::<f64>() / normal_rows as f64;
        let stiffness = k * (1.0 - dissipation * velocity).max(0.0);
        let r0 = (1.0 / (stiffness * h * h).max(MIN_VAL)).max(MIN_VAL);
        let weight = inverse_mass(m, contact);
        let (imp, slope) = Impedance::new(contact.solimp).at(contact.dist - contact.includemargin);
        let gains = [1.0 / (h * h * imp), 1.0 / h, imp, slope];
        for row in first..first + normal_rows {
            let r = r0 * normal_rows as f64;
            (d.efc_R[row], d.efc_D[row], d.efc_KBIP[row]) = (r, 1.0 / r, gains);
        }
        if !pyramidal && dim > 1 {
            let friction = contact.friction;
            let r1 = impedance::regularization(imp, weight) / m.opt.impratio.max(MIN_VAL);
            contact.mu = friction[0] * (r1 / r0).sqrt();
            let rows = Arc::make_mut(&mut d.scratch.constraint);
            if let Some(cone) = rows.cones.get_mut(own_cone) {
                cone.mu = contact.mu;
            }
            for j in 0..dim - 1 {
                let r = r1 * friction[0] * friction[0] / (friction[j] * friction[j]);
                let row = first + 1 + j;
                (d.efc_R[row], d.efc_D[row]) = (r, 1.0 / r);
            }
        }
        for row in first..first + count {
            let [k, b, imp, _] = d.efc_KBIP[row];
            let off = d.efc_pos[row] - d.efc_margin[row];
            d.efc_aref[row] = -b * d.efc_vel[row] - k * imp * off;
        }
    }
}

/// Inverse mass of both sides together.
fn inverse_mass(m: &Model, contact: &Contact) -> f64 {
    let of = |geom: i32| {
        let body = index(geom, m.ngeom).and_then(|g| index(m.geom_bodyid[g], m.nbody));
        body.map_or(0.0, |body| m.body_invweight0[body][0])
    };
    (of(contact.geom[0]) + of(contact.geom[1])).max(MIN_VAL)
}
