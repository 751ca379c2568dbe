//! Sparsity patterns of the mass matrix M, its symmetric extension D, and the body-dof matrix B.
//!
//! Rows of M hold the ancestors of a degree of freedom and itself; simple ones, whose inertia is
//! diagonal, themselves only. D has all ancestors and descendants. Answers to MuJoCo's
//! `mj_makeDofDofSparse`, `mj_makeBSparse`, `mj_makeDofDofMaps`.

use corten_math::memory::{self, Gather, Grow};

use crate::ModelArrays;
use crate::arrays::InvalidReference;
use crate::diagnostic::{Diagnostic, Diagnostics};

pub(super) fn build(m: &mut ModelArrays) {
    let nv = m.nv;
    let parent = |i: usize| usize::try_from(m.dof_parentid[i]).ok();
    let ancestors = |i: usize| std::iter::successors(parent(i), |&j| parent(j));

    let mut full: Vec<Vec<i32>> = memory::filled(Vec::new(), nv);
    let mut reduced: Vec<Vec<i32>> = memory::filled(Vec::new(), nv);
    for i in 0..nv {
        let mut row: Vec<i32> = ancestors(i).map(|j| j as i32).collect();
        row.reverse();
        for &j in &row {
            full[j as usize].grow_push(i as i32);
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
        (0..nv).map(|i| full[i].iter().position(|&j| j == i as i32).unwrap_or(0) as i32).gather();

    // Row of B: dofs of the subtree of a body, and those of its ancestors.
    let dofs = |b: usize| {
        let start = m.body_dofadr[b];
        start..start + m.body_dofnum[b]
    };
    let mut bodies: Vec<Vec<i32>> = memory::filled(Vec::new(), m.nbody);
    for b in 1..m.nbody {
        bodies[b].extend(dofs(b));
        let mut ancestor = m.body_parentid[b] as usize;
        while ancestor > 0 {
            bodies[ancestor].grow_extend(dofs(b));
            bodies[b].extend(dofs(ancestor));
            ancestor = m.body_parentid[ancestor] as usize;
        }
        bodies[0].grow_extend(dofs(b));
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

/// Whether the patterns of a model are those that follow from its tree, which has been checked.
pub(crate) fn check(m: &ModelArrays) -> Result<(), InvalidReference> {
    let fail = |field, value: usize, expected: usize| InvalidReference {
        field,
        index: 0,
        value: value as i64,
        what: format!("the tree asks for {expected}"),
    };
    // Sizes first: they bound the work and the memory of the rest.
    let Sizes { full, reduced, bodies } = Sizes::of(m);
    for (field, found, expected) in [
        ("nD", m.nD, full),
        ("nC", m.nC, reduced),
        ("nM", m.nM, full.midpoint(m.nv)),
        ("nB", m.nB, bodies),
    ] {
        if found != expected {
            return Err(fail(field, found, expected));
        }
    }
    let mut fresh = ModelArrays {
        nv: m.nv,
        nbody: m.nbody,
        dof_parentid: m.dof_parentid.clone(),
        dof_simplenum: m.dof_simplenum.clone(),
        dof_Madr: m.dof_Madr.clone(),
        body_parentid: m.body_parentid.clone(),
        body_dofadr: m.body_dofadr.clone(),
        body_dofnum: m.body_dofnum.clone(),
        ..ModelArrays::default()
    };
    build(&mut fresh);
    for (field, found, expected) in [
        ("B_rownnz", &m.B_rownnz, &fresh.B_rownnz),
        ("B_rowadr", &m.B_rowadr, &fresh.B_rowadr),
        ("B_colind", &m.B_colind, &fresh.B_colind),
        ("M_rownnz", &m.M_rownnz, &fresh.M_rownnz),
        ("M_rowadr", &m.M_rowadr, &fresh.M_rowadr),
        ("M_colind", &m.M_colind, &fresh.M_colind),
        ("mapM2M", &m.mapM2M, &fresh.mapM2M),
        ("D_rownnz", &m.D_rownnz, &fresh.D_rownnz),
        ("D_rowadr", &m.D_rowadr, &fresh.D_rowadr),
        ("D_diag", &m.D_diag, &fresh.D_diag),
        ("D_colind", &m.D_colind, &fresh.D_colind),
        ("mapM2D", &m.mapM2D, &fresh.mapM2D),
        ("mapD2M", &m.mapD2M, &fresh.mapD2M),
    ] {
        if let Some(i) = (0..found.len()).find(|&i| found.get(i) != expected.get(i)) {
            let what = format!("the tree asks for {:?}", expected.get(i));
            return Err(InvalidReference { field, index: i, value: found[i].into(), what });
        }
    }
    Ok(())
}

/// Entries of the patterns, which grow with the square of the length of chains.
struct Sizes {
    full: usize,
    reduced: usize,
    bodies: usize,
}

impl Sizes {
    /// In linear time.
    fn of(m: &ModelArrays) -> Sizes {
        let mut depth = memory::filled(0usize, m.nv);
        let (mut full, mut reduced) = (0usize, 0usize);
        for i in 0..m.nv {
            depth[i] = usize::try_from(m.dof_parentid[i]).map_or(1, |parent| depth[parent] + 1);
            full += 2 * depth[i] - 1;
            reduced += if m.dof_simplenum[i] == 0 { depth[i] } else { 1 };
        }
        let mut above = memory::filled(0usize, m.nbody);
        let mut bodies = 0usize;
        for b in 1..m.nbody {
            let own = m.body_dofnum[b] as usize;
            let parent = m.body_parentid[b] as usize;
            above[b] = above[parent] + usize::from(parent > 0) * m.body_dofnum[parent] as usize;
            bodies += own + above[b];
        }
        // Each dof also stands in the rows of all bodies above its own, the world included.
        let mut level = memory::filled(0usize, m.nbody);
        for b in 1..m.nbody {
            level[b] = level[m.body_parentid[b] as usize] + 1;
            bodies += level[b] * m.body_dofnum[b] as usize;
        }
        Sizes { full, reduced, bodies }
    }
}

/// Checks that the matrices of a model, and those of a simulation of it, keep to a number of bytes.
pub(super) fn check_bytes(m: &ModelArrays, limit: usize) -> Result<(), Diagnostics> {
    let Sizes { full, reduced, bodies } = Sizes::of(m);
    // Columns and maps in the model, and as lists while it is made; two matrices in the data.
    let (index, number) = (size_of::<i32>(), size_of::<f64>());
    let bytes = [
        full.saturating_mul(4 * index + 2 * number),
        reduced.saturating_mul(4 * index + 3 * number),
        bodies.saturating_mul(2 * index),
    ];
    let bytes = bytes.into_iter().fold(0, usize::saturating_add);
    if bytes > limit || full > i32::MAX as usize || bodies > i32::MAX as usize {
        let message = format!(
            "chains of joints are too long: matrices over {} degrees of freedom would take {bytes} \
             bytes, more than {limit}",
            m.nv
        );
        return Err(Diagnostic::error(message).beyond("model_bytes").into());
    }
    Ok(memory::probe(bytes)?)
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

/// Where entries of one matrix are in another. Rows start with the ancestors, so that a column
/// stands at the place that its own depth gives, which is that of the diagonal in its row of D.
fn maps(m: &mut ModelArrays) {
    let depth = &m.D_diag;
    for i in 0..m.nv {
        for at in entries(m.D_rowadr[i], m.D_rownnz[i]) {
            let j = m.D_colind[at] as usize;
            // The lower triangle holds both.
            let (row, column) = (i.max(j), i.min(j));
            m.mapM2D[at] = if m.M_rownnz[row] == depth[row] + 1 {
                m.M_rowadr[row] + depth[column]
            } else if row == column {
                m.M_rowadr[row]
            } else {
                -1
            };
        }
        let row = entries(m.M_rowadr[i], m.M_rownnz[i]);
        for (k, at) in row.rev().enumerate() {
            m.mapD2M[at] = m.D_rowadr[i] + depth[m.M_colind[at] as usize];
            // The older format lists each row from the diagonal towards the root.
            m.mapM2M[at] = m.dof_Madr[i] + k as i32;
        }
    }
}

fn entries(address: i32, count: i32) -> std::ops::Range<usize> {
    address as usize..(address + count) as usize
}
