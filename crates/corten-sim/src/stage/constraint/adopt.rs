//! What a caller wrote into public arrays whose working form lies elsewhere.
//!
//! Reads `efc_J` and the friction of contacts, writes the block form of the Jacobian
//! ([`crate::solve::rows`]). Most public arrays are the ones that the stages work on, so that
//! writing into them needs no help; the Jacobian is an exception, and so is the friction of
//! elliptic cones, which the rows hold a copy of.

use std::sync::Arc;

use super::{Constraints, is_sparse};
use crate::solve::island;
use crate::solve::rows::{Block, Kind, push_runs};
use crate::{Data, Model};

/// Brings the working form of the rows into agreement with `efc_J`, if that has been filled, and,
/// with `contacts`, with the friction of the contacts.
pub fn adopt(m: &Model, d: &mut Data, contacts: bool) {
    if contacts {
        adopt_friction(d);
    }
    if d.nJ > 0 && d.efc_J.len() >= d.nJ {
        adopt_jacobian(m, d);
    }
}

fn adopt_friction(d: &mut Data) {
    let Constraints { blocks, cones, .. } = Arc::make_mut(&mut d.scratch.constraint);
    for b in blocks.iter().filter(|b| b.kind == Kind::Elliptic) {
        let id = d.efc_id.get(b.row as usize).and_then(|&id| usize::try_from(id).ok());
        let contact = id.and_then(|id| d.contact.get(id));
        if let (Some(contact), Some(cone)) = (contact, cones.get_mut(b.cone as usize)) {
            cone.mu = contact.mu;
            cone.friction = contact.friction;
        }
    }
}

fn adopt_jacobian(m: &Model, d: &mut Data) {
    let rows = &d.scratch.constraint;
    if rows.blocks.iter().any(|b| differs(m, d, rows, b)) {
        d.scratch.constraint = Arc::new(rebuilt(m, d));
        if d.nisland > 0 {
            island::find(m, d);
        }
    }
}

/// The entries of a public row that make sense: columns and values.
fn public_row<'a>(
    m: &Model,
    d: &'a Data,
    row: usize,
) -> impl Iterator<Item = (usize, f64)> + Clone + 'a {
    let nv = m.nv;
    let (start, len, columns) = if is_sparse(m) {
        let index = |v: &[i32]| v.get(row).and_then(|&i| usize::try_from(i).ok()).unwrap_or(0);
        (index(&d.efc_J_rowadr), index(&d.efc_J_rownnz), Some(&d.efc_J_colind[..]))
    } else {
        (row * nv, nv, None)
    };
    let values = d.efc_J.get(start..).unwrap_or(&[]);
    values.iter().enumerate().take(len).filter_map(move |(k, &value)| {
        let column = match columns {
            Some(columns) => usize::try_from(*columns.get(start + k)?).ok()?,
            None => k,
        };
        (column < nv).then_some((column, value))
    })
}

/// Whether the public rows of a block say something else than the block. A changed number shows
/// as such; values of edges are computed anew in the same way and are equal otherwise.
fn differs(m: &Model, d: &Data, rows: &Constraints, b: &Block) -> bool {
    let jacobian = rows.jacobian();
    b.rows().enumerate().any(|(i, row)| {
        let mut stored = jacobian.columns_of(b).iter().zip(jacobian.row_values(b, i)).peekable();
        let foreign = public_row(m, d, row).any(|(column, value)| match stored.peek() {
            Some(&(&c, v)) if c as usize == column => {
                stored.next();
                v.to_bits() != value.to_bits()
            }
            _ => value != 0.0,
        });
        foreign || stored.next().is_some()
    })
}

/// All blocks made anew from the public rows. An edge of a pyramid becomes a row of its own, which
/// has the same cost.
fn rebuilt(m: &Model, d: &Data) -> Constraints {
    let old = &*d.scratch.constraint;
    let mut rows = Constraints::default();
    rows.cones.clone_from(&old.cones);
    for b in &old.blocks {
        if b.kind == Kind::Pyramid {
            for row in b.rows() {
                let single = Block { kind: Kind::Inequality, rank: 1, row: row as u32, ..*b };
                push(m, d, &mut rows, single);
            }
        } else {
            push(m, d, &mut rows, *b);
        }
    }
    rows
}

/// Appends a block with the columns in which any of its public rows has an entry.
fn push(m: &Model, d: &Data, rows: &mut Constraints, b: Block) {
    let (col, run, val) = (rows.columns.len(), rows.runs.len(), rows.values.len());
    // Full rows hold a place for every column: those without a number are not meant.
    let full = !is_sparse(m);
    let entries = b.rows().flat_map(|row| public_row(m, d, row));
    let mut columns: Vec<u32> =
        entries.filter(|&(_, v)| !full || v != 0.0).map(|(c, _)| c as u32).collect();
    columns.sort_unstable();
    columns.dedup();
    for row in b.rows() {
        let start = rows.values.len();
        rows.values.resize(start + columns.len(), 0.0);
        for (column, value) in public_row(m, d, row) {
            if let Ok(at) = columns.binary_search(&(column as u32)) {
                rows.values[start + at] = value;
            }
        }
    }
    push_runs(&columns, &mut rows.runs);
    rows.columns.extend_from_slice(&columns);
    rows.blocks.push(Block {
        col: col as u32,
        ncol: columns.len() as u32,
        run: run as u32,
        nrun: (rows.runs.len() - run) as u32,
        val: val as u32,
        ..b
    });
}
