//! Inertia and rows island by island in MuJoCo's public form, for those who look at them.

use crate::stage::constraint::{is_sparse, materialize_jacobian};
use crate::{Data, Model};

/// Fills `iM*`, `iLD*`, `ifrc_*`, `iacc*` and `iefc_*` but for the states, which the solver has
/// filled. Without islands all are empty.
pub fn materialize_islands(m: &Model, d: &mut Data) {
    inertia(d);
    let dofs = &d.map_idof2dof[..d.nidof];
    for (to, from) in [
        (&mut d.ifrc_smooth, &d.qfrc_smooth),
        (&mut d.iacc_smooth, &d.qacc_smooth),
        (&mut d.iacc, &d.qacc),
        (&mut d.ifrc_constraint, &d.qfrc_constraint),
    ] {
        gather(to, from, dofs, d.nisland);
    }
    gather(&mut d.iefc_type, &d.efc_type, &d.map_iefc2efc, d.nisland);
    gather(&mut d.iefc_id, &d.efc_id, &d.map_iefc2efc, d.nisland);
    for (to, from) in [
        (&mut d.iefc_frictionloss, &d.efc_frictionloss),
        (&mut d.iefc_D, &d.efc_D),
        (&mut d.iefc_R, &d.efc_R),
        (&mut d.iefc_aref, &d.efc_aref),
        (&mut d.iefc_force, &d.efc_force),
    ] {
        gather(to, from, &d.map_iefc2efc, d.nisland);
    }
    d.iefc_state.truncate(if d.nisland > 0 { d.nefc } else { 0 });
    materialize_jacobian(m, d);
    for v in
        [&mut d.iefc_J_rownnz, &mut d.iefc_J_rowadr, &mut d.iefc_J_rowsuper, &mut d.iefc_J_colind]
    {
        v.clear();
    }
    d.iefc_J.clear();
    if d.nisland > 0 {
        if is_sparse(m) { sparse_jacobian(d) } else { dense_jacobian(m, d) }
    }
}

fn gather<T: Copy>(to: &mut Vec<T>, from: &[T], index: &[i32], nisland: usize) {
    to.clear();
    if nisland > 0 {
        to.extend(index.iter().map(|&i| from[i as usize]));
    }
}

/// Rows of the mass matrix and of its factor, with columns counted from the start of the island.
fn inertia(d: &mut Data) {
    d.iM_rownnz.clear();
    d.iM_rowadr.clear();
    d.iM_colind.clear();
    d.iM.clear();
    d.iLD.clear();
    gather(&mut d.iLDiagInv, &d.qLDiagInv, &d.map_idof2dof[..d.nidof], d.nisland);
    let prepared = d.prepared.clone();
    let structure = &prepared.structure;
    for i in 0..d.nidof {
        let dof = d.map_idof2dof[i] as usize;
        let first = d.island_idofadr[d.dof_island[dof] as usize];
        let range = structure.mass.row(dof);
        d.iM_rowadr.push(d.iM.len() as i32);
        d.iM_rownnz.push(range.len() as i32);
        for &c in structure.mass.columns(dof) {
            d.iM_colind.push(d.map_dof2idof[c as usize] - first);
        }
        d.iM.extend_from_slice(&d.M[range.clone()]);
        d.iLD.extend_from_slice(&d.qLD[range]);
    }
}

fn sparse_jacobian(d: &mut Data) {
    for &row in &d.map_iefc2efc {
        let row = row as usize;
        let first = d.island_idofadr[d.efc_island[row] as usize];
        let start = d.efc_J_rowadr[row] as usize;
        let range = start..start + d.efc_J_rownnz[row] as usize;
        d.iefc_J_rowadr.push(d.iefc_J.len() as i32);
        d.iefc_J_rownnz.push(range.len() as i32);
        for &c in &d.efc_J_colind[range.clone()] {
            d.iefc_J_colind.push(d.map_dof2idof[c as usize] - first);
        }
        d.iefc_J.extend_from_slice(&d.efc_J[range]);
    }
    // Rows of one island that repeat the pattern of the row before.
    d.iefc_J_rowsuper.resize(d.nefc, 0);
    for i in (0..d.nefc.saturating_sub(1)).rev() {
        let pattern = |i: usize| {
            let start = d.iefc_J_rowadr[i] as usize;
            &d.iefc_J_colind[start..start + d.iefc_J_rownnz[i] as usize]
        };
        let island = |i: usize| d.efc_island[d.map_iefc2efc[i] as usize];
        if island(i) == island(i + 1) && pattern(i) == pattern(i + 1) {
            d.iefc_J_rowsuper[i] = d.iefc_J_rowsuper[i + 1] + 1;
        }
    }
}

/// The blocks of the islands one after another, each over its own degrees of freedom; a block
/// starts where the full rows before it would end.
fn dense_jacobian(m: &Model, d: &mut Data) {
    d.iefc_J.resize(d.nJ, 0.0);
    for island in 0..d.nisland {
        let rows = d.island_iefcadr[island] as usize;
        let (first, nv) = (d.island_idofadr[island] as usize, d.island_nv[island] as usize);
        for k in 0..d.island_nefc[island] as usize {
            let row = d.map_iefc2efc[rows + k] as usize;
            for c in 0..nv {
                let dof = d.map_idof2dof[first + c] as usize;
                d.iefc_J[d.nidof * rows + k * nv + c] = d.efc_J[row * m.nv + dof];
            }
        }
    }
}
