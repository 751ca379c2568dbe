//! Rows of contacts. Answers to `mj_instantiateContact`.
//!
//! With `v` the velocity of the second body relative to the first at the contact point, in the
//! contact frame, an elliptic contact has the rows `v` (and relative spin for `dim > 3`); a
//! pyramidal one the edges `v₀ ± μₖ vₖ`.
//!
//! One impedance serves the whole contact. The friction rows are regularised so that the cone is
//! the same for every direction: `R₁ = R₀/impratio`, `Rₖ μₖ² = R₁ μ₁²`, which makes
//! `μ = μ₁ √(R₁/R₀)` the friction of the regularised cone; pyramid edges share `2 μ² R₀`.

use corten_math::array::MapInline;
use corten_math::memory::Grow;
use corten_math::{Number, Spatial, Vec3, Wide, for_each_four, wide};
use corten_model::enums::{ConstraintType, DisableBit};

use super::assembly::{Columns, Constraints, Row, at_least_min};
use super::impedance::{self, Impedance};
use super::is_pyramidal;
use super::side::{self, ContactSide, push_relative_velocity};
use crate::chain::index;
use crate::solve::rows::{Cone, Kind, MAX_RANK, push_runs};
use crate::support::Chains;
use crate::{Contact, Data, Model};

/// Why a contact without moving bodies has no rows.
const EXCLUDE_NO_DOFS: i32 = 3;

/// Why a contact of a flex with `passive` has no rows.
const EXCLUDE_PASSIVE: i32 = 4;

/// Stiffness of contacts of flexes with `passive`.
const PASSIVE_STIFFNESS: f64 = 1e4;

/// Takes contacts of flexes with `passive` from those that get rows. As in MuJoCo, this holds for
/// those within the gap, too.
pub(super) fn set_passive_apart(m: &Model, contacts: &mut [Contact]) {
    if m.flex_passive.iter().all(|&passive| passive == 0) {
        return;
    }
    let is_passive = |f: i32| index(f, m.nflex).is_some_and(|f| m.flex_passive[f] != 0);
    for contact in contacts.iter_mut().filter(|c| c.flex.into_iter().any(is_passive)) {
        contact.efc_address = -1;
        contact.exclude = EXCLUDE_PASSIVE;
    }
}

/// Adds the forces of contacts of flexes with `passive` to `qfrc_spring`: springs along the normal,
/// which pull where a margin lets things touch from afar. Answers to `mj_contactPassive`.
pub(crate) fn passive(m: &Model, d: &mut Data) {
    if m.opt.disabled(DisableBit::Contact) {
        return;
    }
    let chains =
        Chains { structure: &d.prepared.structure, subtree_com: &d.subtree_com, cdof: &d.cdof };
    let count = d.ncon.min(d.contact.len());
    for contact in d.contact[..count].iter().filter(|c| c.exclude == EXCLUDE_PASSIVE) {
        let (normal, force) = (contact.frame.row(0), -PASSIVE_STIFFNESS * contact.dist);
        for side in [0, 1] {
            let Some(side) = ContactSide::of(m, &d.flexvert_xpos, contact, side) else { continue };
            for &(body, share) in side.shares() {
                chains.for_each_dof(contact.pos, body, |dof, translation, _| {
                    d.qfrc_spring[dof] += share * normal.dot(translation) * force;
                });
            }
        }
    }
}

wide! {
    /// All contacts.
    pub(super) fn contact(
        m: &Model,
        chains: Chains<'_>,
        vertices: &[Vec3],
        contacts: &mut [Contact],
        rows: &mut Constraints,
    ) {
        let pyramidal = is_pyramidal(m);
        let (mut last, mut columns) = ([usize::MAX; 2], Columns::default());
        for (id, contact) in contacts.iter_mut().enumerate() {
            if contact.exclude != 0 {
                continue;
            }
            // As unsigned numbers, negative indices are out of range too.
            let [g1, g2] = [contact.geom[0] as usize, contact.geom[1] as usize];
            let bodies = if g1 >= m.ngeom || g2 >= m.ngeom {
                let Some(bodies) = two_bodies(m, contact) else {
                    last = [usize::MAX; 2];
                    of_several_bodies(m, chains, vertices, rows, contact, id);
                    continue;
                };
                bodies
            } else {
                [m.geom_bodyid[g1] as usize, m.geom_bodyid[g2] as usize]
            };
            if bodies[0] >= m.nbody || bodies[1] >= m.nbody {
                continue;
            }
            // Contacts of the same bodies, which often follow each other, share their columns.
            if bodies != last {
                let chains = bodies.map_inline(|body| chains.structure.chain(body));
                if chains[0].is_empty() && chains[1].is_empty() {
                    contact.efc_address = -1;
                    contact.exclude = EXCLUDE_NO_DOFS;
                    continue;
                }
                last = bodies;
                columns = push_columns(rows, chains);
            }
            contact.efc_address = rows.count() as i32;
            let dim = (contact.dim.max(1) as usize).min(MAX_RANK);
            let val = rows.values.len();
            match dim {
                1 => relative_velocity::<Simd, 1>(chains, rows, contact, bodies, columns, dim),
                3 => relative_velocity::<Simd, 3>(chains, rows, contact, bodies, columns, dim),
                _ => relative_velocity::<Simd, MAX_RANK>(chains, rows, contact, bodies, columns, dim),
            }
            let [w1, w2] = bodies.map_inline(|b| m.body_invweight0[b]);
            finish(m, rows, contact, id, pyramidal, dim, columns, val, w1[0] + w2[0]);
        }
    }
}

/// Closes the rows whose values have been appended since `val`, with `weight` the inverse mass of
/// both sides together.
#[inline(always)]
fn finish(
    m: &Model,
    rows: &mut Constraints,
    contact: &mut Contact,
    id: usize,
    pyramidal: bool,
    dim: usize,
    columns: Columns,
    val: usize,
    weight: f64,
) {
    let kind = match dim {
        1 => Kind::Inequality,
        _ if pyramidal => Kind::Pyramid,
        _ => Kind::Elliptic,
    };
    rows.push_columns_block(kind, dim, columns, val, rows.cones.len());
    parameters(m, rows, contact, id, kind, dim, weight);
    if dim > 1 {
        rows.cones.grow_push(Cone { mu: contact.mu, friction: contact.friction });
    }
}

/// The bodies of a contact with a side that is no geom, if each side has one.
#[inline(never)]
fn two_bodies(m: &Model, contact: &Contact) -> Option<[usize; 2]> {
    Some([side::body(m, contact, 0)?, side::body(m, contact, 1)?])
}

/// A contact with a side that several bodies carry.
#[inline(never)]
fn of_several_bodies(
    m: &Model,
    chains: Chains<'_>,
    vertices: &[Vec3],
    rows: &mut Constraints,
    contact: &mut Contact,
    id: usize,
) {
    let [Some(first), Some(second)] =
        [0, 1].map_inline(|side| ContactSide::of(m, vertices, contact, side))
    else {
        return;
    };
    let sides = [first, second];
    let dim = (contact.dim.max(1) as usize).min(MAX_RANK);
    let val = rows.values.len();
    contact.efc_address = rows.count() as i32;
    match push_relative_velocity(chains, rows, contact, &sides, dim) {
        Some(columns) => {
            let weight = sides[0].inverse_mass + sides[1].inverse_mass;
            finish(m, rows, contact, id, is_pyramidal(m), dim, columns, val, weight);
        }
        None => {
            contact.efc_address = -1;
            contact.exclude = EXCLUDE_NO_DOFS;
        }
    }
}

/// Appends the columns of what moves two bodies relative to each other, and notes whose they are.
/// What moves both moves them equally at the point where they touch.
#[inline(always)]
fn push_columns(rows: &mut Constraints, [mut a, mut b]: [&[u32]; 2]) -> Columns {
    if let (Some(first_a), Some(first_b)) = (a.first(), b.first())
        && first_a == first_b
    {
        let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        (a, b) = (&a[common..], &b[common..]);
    }
    let (col, run) = (rows.columns.len(), rows.runs.len());
    rows.sides.clear();
    // Columns ascend, and the branches of two bodies can be numbered in turns.
    while let (Some(&first_a), Some(&first_b)) = (a.first(), b.first()) {
        let (side, chain, stop) =
            if first_a < first_b { (0, &mut a, first_b) } else { (1, &mut b, first_a) };
        let count = match chain.last() {
            Some(&last) if last < stop => chain.len(),
            _ => chain.partition_point(|&dof| dof < stop).max(1),
        };
        push_dofs(rows, &chain[..count], side);
        *chain = &chain[count..];
    }
    push_dofs(rows, a, 0);
    push_dofs(rows, b, 1);
    Columns { col, ncol: rows.columns.len() - col, run, nrun: rows.runs.len() - run }
}

#[inline(always)]
fn push_dofs(rows: &mut Constraints, dofs: &[u32], side: u8) {
    if !dofs.is_empty() {
        rows.columns.grow_extend_from_slice(dofs);
        push_runs(dofs, &mut rows.runs);
        rows.sides.push((side, dofs.len() as u32));
    }
}

/// Appends values of the relative velocity in the contact frame, in `dim` rows; `D` equals `dim` or
/// the largest of all.
#[inline(always)]
fn relative_velocity<S: Wide, const D: usize>(
    chains: Chains<'_>,
    rows: &mut Constraints,
    contact: &Contact,
    bodies: [usize; 2],
    columns: Columns,
    dim: usize,
) {
    let dim = if D == MAX_RANK { dim } else { D };
    let (n, val) = (columns.ncol, rows.values.len());
    rows.values.grow_resize(val + dim * n, 0.0);
    let values = &mut rows.values[val..];
    let dofs = &rows.columns[columns.col..][..n];
    let mut first = 0;
    for &(side, len) in &rows.sides {
        let (body, sign) = if side == 0 { (bodies[0], -1.0) } else { (bodies[1], 1.0) };
        let side = Side {
            frame: [0, 1, 2].map_inline(|i| contact.frame.row(i) * sign),
            offset: chains.offset(body, contact.pos),
        };
        let end = first + len as usize;
        let dofs = &dofs[first..end];
        let rows = &mut RowsOfContact { values: &mut values[first..], n, dim };
        for_each_four!(dofs.len(), at => put::<S, D>(at, &side, chains.cdof, dofs, rows));
        first = end;
    }
}

/// One of two bodies in contact: the axes of the frame, with the body's sign in the relative velocity,
/// which costs no digit; and the point of contact from the centre of mass of its tree.
struct Side {
    frame: [Vec3; 3],
    offset: Vec3,
}

/// The rows of a contact from one of their columns on; they are `n` apart.
struct RowsOfContact<'a> {
    values: &'a mut [f64],
    n: usize,
    dim: usize,
}

/// Values of as many columns as `T` has lanes, from the one at `at` on: those of the velocity
/// `lin + rot × offset` along the axes of the frame, and of the spin about them.
#[inline(always)]
fn put<T: Number, const D: usize>(
    at: usize,
    side: &Side,
    axes: &[Spatial],
    dofs: &[u32],
    rows: &mut RowsOfContact<'_>,
) {
    let (dofs, RowsOfContact { values, n, dim }) = (&dofs[at..at + T::LANES], rows);
    let axis = Spatial::<T>::gather(axes, |k| dofs[k] as usize);
    let velocity = axis.velocity_at(Vec3::of(side.offset));
    let frame = &side.frame;
    put_row(frame[0], velocity, &mut values[at..]);
    if D == 1 || *dim < 3 {
        return;
    }
    put_row(frame[1], velocity, &mut values[*n + at..]);
    put_row(frame[2], velocity, &mut values[2 * *n + at..]);
    if D == MAX_RANK {
        for k in 3..*dim {
            put_row(frame[k - 3], axis.rot(), &mut values[k * *n + at..]);
        }
    }
}

/// The part of velocities along a direction. A function, because closures over registers are not
/// always inlined, and every operation on them is then a call.
#[inline(always)]
fn put_row<T: Number>(direction: Vec3, v: Vec3<T>, to: &mut [f64]) {
    Vec3::of(direction).dot(v).put(to);
}

/// Appends the rows of one contact, with `weight` the inverse mass of both sides together.
#[inline(always)]
fn parameters(
    m: &Model,
    rows: &mut Constraints,
    contact: &mut Contact,
    id: usize,
    kind: Kind,
    dim: usize,
    weight: f64,
) {
    let (pos, margin) = (contact.dist, contact.includemargin);
    let softness = rows.softness(m, &contact.solref, &contact.solimp);
    let (imp, slope) = softness.impedance.at(pos - margin);
    let (k, b) = softness.gains;
    let row = Row {
        kind: ConstraintType::ContactFrictionless,
        id,
        pos,
        margin,
        frictionloss: 0.0,
        kbip: [k, b, imp, slope],
        r: 0.0,
        count: 1,
    };
    let friction = &contact.friction;
    // Regularisation of a friction row, and friction of the regularised cone.
    let impratio = m.opt.impratio;
    let tangential = |r0: f64| match impratio {
        1.0 => (r0, friction[0]),
        _ => scaled(r0, friction[0], impratio),
    };
    match kind {
        Kind::Pyramid => {
            let edge_weight = weight + friction[0] * friction[0] * weight;
            let r0 = impedance::regularization(imp, edge_weight);
            let (_, mu) = tangential(r0);
            contact.mu = mu;
            let kind = ConstraintType::ContactPyramidal;
            rows.push(&Row { kind, r: 2.0 * mu * mu * r0, count: 2 * (dim - 1), ..row });
        }
        Kind::Elliptic => {
            let kind = ConstraintType::ContactElliptic;
            let r0 = impedance::regularization(imp, weight);
            let (r1, mu) = tangential(r0);
            contact.mu = mu;
            rows.push(&Row { kind, r: r0, ..row });
            let own = match contact.solreffriction {
                [0.0, 0.0] => None,
                other => Some(impedance::safe_reference(m, other, [0.0, 0.0])),
            };
            let b = match own {
                None | Some([0.0, 0.0]) => b,
                Some(safe) => Impedance::new(contact.solimp).gains(safe, true).1,
            };
            for j in 0..dim - 1 {
                let r = r1 * friction[0] * friction[0] / (friction[j] * friction[j]);
                let r = if j == 0 { r1 } else { r };
                let kbip = [0.0, b, imp, slope];
                rows.push(&Row { kind, pos: 0.0, margin: 0.0, kbip, r, ..row });
            }
        }
        _ => rows.push(&Row { r: impedance::regularization(imp, weight), ..row }),
    }
}

/// The regularisation of a friction row, and the friction of the regularised cone. Apart, since two
/// divisions and a root are slow even where nobody asks for them.
#[inline(never)]
fn scaled(r0: f64, friction: f64, impratio: f64) -> (f64, f64) {
    let r1 = r0 / at_least_min(impratio);
    (r1, friction * (r1 / r0).sqrt())
}
