//! Sparsity patterns of the mass matrix M, its symmetric extension D, and the body-dof matrix B.
//!
//! Rows of M hold the ancestors of a degree of freedom and itself; simple ones, whose inertia is
//! diagonal, themselves only. D has all ancestors and descendants. Answers to MuJoCo's
//! `mj_makeDofDofSparse`, `mj_makeBSparse`, `mj_makeDofDofMaps`.

use crate::Model;

pub(super) fn build(m: &mut Model) {
    let nv = m.nv;
    let parent = |i: usize| usize::try_from(m.dof_parentid[i]).ok();
    let ancestors = |i: usize| std::iter::successors(parent(i), |&j| parent(j));

    let mut full: Vec<Vec<i32>> = vec![Vec::new(); nv];
    let mut reduced: Vec<Vec<i32>> = vec![Vec::new(); nv];
    for i in 0..nv {
        let mut row: Vec<i32> = ancestors(i).map(|j| j as i32).collect();
        row.reverse();
        for &j in &row {
            full[j as usize].push(i as i32);
        }
        // Descendants come later, with larger indices.
        if m.dof_simplenum[i] == 0 {
            reduced[i] = row.clone();
        }
        reduced[i].push(i as i32);
        row.push(i as i32);
        full[i] = row;
    }
    // Rows were extended by descendants after they were set: both parts are sorted.
    let diagonal: Vec<i32> =
        (0..nv).map(|i| full[i].iter().position(|&j| j == i as i32).unwrap_or(0) as i32).collect();

    // Row of B: dofs of the subtree of a body, and those of its ancestors.
    let dofs = |b: usize| {
        let start = m.body_dofadr[b];
        start..start + m.body_dofnum[b]
    };
    let mut bodies: Vec<Vec<i32>> = vec![Vec::new(); m.nbody];
    for b in 1..m.nbody {
        bodies[b].extend(dofs(b));
        let mut ancestor = m.body_parentid[b] as usize;
        while ancestor > 0 {
            bodies[ancestor].extend(dofs(b));
            bodies[b].extend(dofs(ancestor));
            ancestor = m.body_parentid[ancestor] as usize;
        }
        bodies[0].extend(dofs(b));
    }
    bodies.iter_mut().for_each(|row| row.sort_unstable());

    m.nB = bodies.iter().map(Vec::len).sum();
    m.nC = reduced.iter().map(Vec::len).sum();
    m.nD = full.iter().map(Vec::len).sum();
    m.nM = (m.nD + nv) / 2;
    m.resize();
    rows(&bodies, &mut m.B_rownnz, &mut m.B_rowadr, &mut m.B_colind);
    rows(&reduced, &mut m.M_rownnz, &mut m.M_rowadr, &mut m.M_colind);
    rows(&full, &mut m.D_rownnz, &mut m.D_rowadr, &mut m.D_colind);
    m.D_diag = diagonal;
    maps(m);
}

fn rows(lists: &[Vec<i32>], count: &mut [i32], address: &mut [i32], columns: &mut [i32]) {
    let mut at = 0;
    for (i, list) in lists.iter().enumerate() {
        count[i] = list.len() as i32;
        address[i] = at as i32;
        columns[at..at + list.len()].copy_from_slice(list);
        at += list.len();
    }
}

/// Where entries of one matrix are in another.
fn maps(m: &mut Model) {
    let position = |row: usize, column: i32, address: &[i32], count: &[i32], columns: &[i32]| {
        let start = address[row] as usize;
        let row = &columns[start..start + count[row] as usize];
        row.binary_search(&column).ok().map(|k| (start + k) as i32)
    };
    for i in 0..m.nv {
        for k in 0..m.D_rownnz[i] as usize {
            let at = m.D_rowadr[i] as usize + k;
            let j = m.D_colind[at];
            // The lower triangle holds both.
            let (row, column) = if j as usize > i { (j as usize, i as i32) } else { (i, j) };
            let found = position(row, column, &m.M_rowadr, &m.M_rownnz, &m.M_colind);
            m.mapM2D[at] = found.unwrap_or(-1);
        }
        let count = m.M_rownnz[i] as usize;
        for k in 0..count {
            let at = m.M_rowadr[i] as usize + k;
            let found = position(i, m.M_colind[at], &m.D_rowadr, &m.D_rownnz, &m.D_colind);
            m.mapD2M[at] = found.unwrap_or(-1);
            // The older format lists each row from the diagonal towards the root.
            m.mapM2M[at] = m.dof_Madr[i] + (count - 1 - k) as i32;
        }
    }
}
