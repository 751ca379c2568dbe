//! The Jacobian in MuJoCo's public form, for those who look at it.

use super::assembly::chain;
use super::is_sparse;
use crate::solve::rows::{Block, Kind};
use crate::{Data, Model};
use corten_math::array::MapInline;

/// Fills `efc_J` and, in sparse form, `efc_J_{rownnz, rowadr, colind, rowsuper}`.
pub fn materialize_jacobian(m: &Model, d: &mut Data) {
    if d.efc_J.len() == d.nJ && d.nJ > 0 || d.nefc == 0 {
        return;
    }
    d.efc_J.clear();
    for v in [&mut d.efc_J_rownnz, &mut d.efc_J_rowadr, &mut d.efc_J_colind] {
        v.clear();
    }
    let jacobian = d.scratch.constraint.jacobian();
    if is_sparse(m) {
        let mut pattern = Vec::new();
        for b in jacobian.blocks {
            public_columns(m, d, b, jacobian.columns_of(b), &mut pattern);
            for i in 0..b.rows().len() {
                let start = d.efc_J.len();
                d.efc_J_rowadr.push(start as i32);
                d.efc_J_rownnz.push(pattern.len() as i32);
                d.efc_J_colind.extend(pattern.iter().map(|&c| c as i32));
                d.efc_J.resize(start + pattern.len(), 0.0);
                let mut at = 0;
                for (&c, v) in jacobian.columns_of(b).iter().zip(jacobian.row_values(b, i)) {
                    while pattern[at] != c {
                        at += 1;
                    }
                    d.efc_J[start + at] = v;
                }
            }
        }
        d.nJ = d.efc_J.len();
        supernodes(d);
    } else {
        d.nJ = d.nefc * m.nv;
        d.efc_J.resize(d.nJ, 0.0);
        for b in jacobian.blocks {
            for (i, row) in b.rows().enumerate() {
                for (&c, v) in jacobian.columns_of(b).iter().zip(jacobian.row_values(b, i)) {
                    d.efc_J[row * m.nv + c as usize] = v;
                }
            }
        }
    }
}

/// The columns that MuJoCo stores: for a contact, also the degrees of freedom that move both
/// bodies alike.
fn public_columns(m: &Model, d: &Data, b: &Block, stored: &[u32], out: &mut Vec<u32>) {
    out.clear();
    let row = b.rows().start;
    let contact = d.contact.get(d.efc_id[row] as usize).filter(|c| c.efc_address == row as i32);
    let bodies = contact.and_then(|c| {
        let [Ok(g1), Ok(g2)] = c.geom.map_inline(usize::try_from) else { return None };
        Some([g1, g2].map_inline(|g| m.geom_bodyid[g] as usize))
    });
    match bodies {
        Some(bodies) if is_contact(d, b) && bodies.iter().all(|&b| b < m.nbody) => {
            let mut links = Vec::new();
            chain(&d.prepared.structure, bodies, &mut links);
            out.extend(links.iter().map(|l| l.dof));
        }
        _ => out.extend_from_slice(stored),
    }
}

fn is_contact(d: &Data, b: &Block) -> bool {
    use corten_model::enums::ConstraintType::ContactFrictionless;
    b.kind != Kind::Equality && d.efc_type[b.rows().start] >= ContactFrictionless.raw()
}

/// `efc_J_rowsuper`: how many following rows repeat the pattern of this one.
fn supernodes(d: &mut Data) {
    let n = d.nefc;
    d.efc_J_rowsuper.clear();
    d.efc_J_rowsuper.resize(n, 0);
    let pattern = |d: &Data, r: usize| {
        let start = d.efc_J_rowadr[r] as usize;
        start..start + d.efc_J_rownnz[r] as usize
    };
    for r in (0..n.saturating_sub(1)).rev() {
        if d.efc_J_colind[pattern(d, r)] == d.efc_J_colind[pattern(d, r + 1)] {
            d.efc_J_rowsuper[r] = d.efc_J_rowsuper[r + 1] + 1;
        }
    }
}
