//! Rows of contacts. Answers to `mj_instantiateContact`.
//!
//! With `v` the velocity of the second body relative to the first at the contact point, in the
//! contact frame, an elliptic contact has the rows `v` (and relative spin for `dim > 3`); a
//! pyramidal one the edges `v₀ ± μₖ vₖ`.
//!
//! One impedance serves the whole contact. The friction rows are regularised so that the cone is
//! the same for every direction: `R₁ = R₀/impratio`, `Rₖ μₖ² = R₁ μ₁²`, which makes
//! `μ = μ₁ √(R₁/R₀)` the friction of the regularised cone; pyramid edges share `2 μ² R₀`.

use corten_math::Vec3;
use corten_model::Model;
use corten_model::enums::{ConstraintType, DisableBit};

use super::assembly::{Constraints, Row, at_least_min, offset, point_velocity};
use super::impedance::{self, Impedance};
use super::is_pyramidal;
use crate::solve::rows::{Cone, Kind, MAX_RANK};
use crate::{Contact, Data};

/// Why a contact without moving bodies has no rows.
const EXCLUDE_NO_DOFS: i32 = 3;

pub(super) fn contact(m: &Model, d: &mut Data, rows: &mut Constraints) {
    if m.opt.disabled(DisableBit::Contact) {
        return;
    }
    let mut contacts = std::mem::take(&mut d.contact);
    for (id, contact) in contacts.iter_mut().enumerate().take(d.ncon) {
        if contact.exclude != 0 {
            continue;
        }
        // As unsigned numbers, negative indices are out of range too.
        let [g1, g2] = [contact.geom[0] as usize, contact.geom[1] as usize];
        if g1 >= m.ngeom || g2 >= m.ngeom {
            continue;
        }
        let bodies = [m.geom_bodyid[g1] as usize, m.geom_bodyid[g2] as usize];
        if bodies[0] >= m.nbody || bodies[1] >= m.nbody {
            continue;
        }
        if bodies.iter().all(|&b| d.scratch.structure.chain(b).is_empty()) {
            contact.efc_address = -1;
            contact.exclude = EXCLUDE_NO_DOFS;
            continue;
        }
        contact.efc_address = rows.count() as i32;
        let dim = (contact.dim.max(1) as usize).min(MAX_RANK);
        let (col, val) = relative_velocity(d, rows, contact, bodies, dim);
        let cone = rows.cones.len();
        let [w1, w2] = bodies.map(|b| m.body_invweight0[b]);
        let weight = [w1[0] + w2[0], w1[1] + w2[1]];
        let kind = match dim {
            1 => Kind::Inequality,
            _ if is_pyramidal(m) => Kind::Pyramid,
            _ => Kind::Elliptic,
        };
        rows.push_block(kind, dim, col, val, cone);
        parameters(m, rows, contact, id, kind, dim, weight);
        if dim > 1 {
            rows.cones.push(Cone { mu: contact.mu, friction: contact.friction });
        }
    }
    d.contact = contacts;
}

/// Appends columns and values of the relative velocity in the contact frame; returns where they
/// start.
fn relative_velocity(
    d: &Data,
    rows: &mut Constraints,
    contact: &Contact,
    bodies: [usize; 2],
    dim: usize,
) -> (usize, usize) {
    let (col, val) = (rows.columns.len(), rows.values.len());
    let [a, b] = [bodies[0], bodies[1]].map(|body| d.scratch.structure.chain(body));
    // What moves both bodies moves them equally at the point where they touch.
    let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[common..], &b[common..]);
    rows.values.resize(val + dim * (a.len() + b.len()), 0.0);
    let [of_a, of_b] = [(-1.0, bodies[0]), (1.0, bodies[1])]
        .map(|(sign, body)| Side { sign, offset: offset(d, body, contact.pos) });
    let Constraints { columns, values, .. } = rows;
    let mut put = |dofs: &[u32], side: &Side| {
        let first = columns.len() - col;
        columns.extend_from_slice(dofs);
        let values = &mut values[val..];
        match dim {
            1 => put_values::<1>(d, contact, dofs, side, first, values),
            3 => put_values::<3>(d, contact, dofs, side, first, values),
            4 => put_values::<4>(d, contact, dofs, side, first, values),
            _ => put_values::<MAX_RANK>(d, contact, dofs, side, first, values),
        }
    };
    // Columns ascend. The branches of two bodies can be numbered in turns.
    let (mut a, mut b) = (a, b);
    while let (Some(&first_a), Some(&first_b)) = (a.first(), b.first()) {
        if first_a < first_b {
            let (before, after) = a.split_at(a.partition_point(|&dof| dof < first_b));
            put(before, &of_a);
            a = after;
        } else {
            let (before, after) = b.split_at(b.partition_point(|&dof| dof <= first_a));
            put(before, &of_b);
            b = after;
        }
    }
    put(a, &of_a);
    put(b, &of_b);
    (col, val)
}

/// One of two bodies in contact: its sign in the relative velocity, and the point of contact from
/// the centre of mass of its tree.
struct Side {
    sign: f64,
    offset: Vec3,
}

/// Values of some columns, from column `first` of the block on; `values` are those of the block,
/// of up to `D` rows.
#[inline(always)]
fn put_values<const D: usize>(
    d: &Data,
    contact: &Contact,
    dofs: &[u32],
    side: &Side,
    first: usize,
    values: &mut [f64],
) {
    let dim = if D == MAX_RANK { contact.dim.clamp(1, MAX_RANK as i32) as usize } else { D };
    let n = values.len() / dim;
    let frame = &contact.frame;
    for (k, &dof) in dofs.iter().enumerate() {
        let k = first + k;
        let dof = dof as usize;
        let velocity = point_velocity(d, dof, side.offset) * side.sign;
        values[k] = frame.row(0).dot(velocity);
        if dim >= 3 {
            values[n + k] = frame.row(1).dot(velocity);
            values[2 * n + k] = frame.row(2).dot(velocity);
        }
        if dim > 3 {
            let spin = d.cdof[dof].rot() * side.sign;
            for i in 3..dim {
                values[i * n + k] = frame.row(i - 3).dot(spin);
            }
        }
    }
}

/// Appends the rows of one contact, with `weight` the inverse inertia of both bodies together in
/// translation and rotation.
fn parameters(
    m: &Model,
    rows: &mut Constraints,
    contact: &mut Contact,
    id: usize,
    kind: Kind,
    dim: usize,
    weight: [f64; 2],
) {
    let impedance = Impedance::new(contact.solimp);
    let reference = impedance::reference(m, contact.solref);
    let (pos, margin) = (contact.dist, contact.includemargin);
    let (imp, slope) = impedance.at(pos - margin);
    let (k, b) = impedance.gains(reference, false);
    let normal = Row {
        kind: ConstraintType::ContactFrictionless,
        id,
        pos,
        margin,
        frictionloss: 0.0,
        kbip: [k, b, imp, slope],
        r: impedance::regularization(imp, weight[0]),
    };
    let friction = &contact.friction;
    let cone_friction = |r0: f64, r1: f64| friction[0] * (r1 / r0).sqrt();
    match kind {
        Kind::Pyramid => {
            let edge_weight = weight[0] + friction[0] * friction[0] * weight[0];
            let r0 = impedance::regularization(imp, edge_weight);
            let mu = cone_friction(r0, r0 / at_least_min(m.opt.impratio));
            contact.mu = mu;
            let kind = ConstraintType::ContactPyramidal;
            for _ in 0..2 * (dim - 1) {
                rows.push(Row { kind, r: 2.0 * mu * mu * r0, ..normal });
            }
        }
        Kind::Elliptic => {
            let kind = ConstraintType::ContactElliptic;
            let r1 = normal.r / at_least_min(m.opt.impratio);
            contact.mu = cone_friction(normal.r, r1);
            rows.push(Row { kind, ..normal });
            let tangential = match contact.solreffriction {
                [0.0, 0.0] => reference,
                other => match impedance::safe_reference(m, other, [0.0, 0.0]) {
                    [0.0, 0.0] => reference,
                    safe => safe,
                },
            };
            let (k, b) = impedance.gains(tangential, true);
            for j in 0..dim - 1 {
                let r = r1 * friction[0] * friction[0] / (friction[j] * friction[j]);
                let r = if j == 0 { r1 } else { r };
                let kbip = [k, b, imp, slope];
                rows.push(Row { kind, pos: 0.0, margin: 0.0, kbip, r, ..normal });
            }
        }
        _ => rows.push(normal),
    }
}
