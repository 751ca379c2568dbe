//! Centres of mass, spatial inertias, the mass matrix and its factor.
//!
//! All spatial quantities of a kinematic tree refer to the centre of mass of the tree, in world
//! axes: one common reference point makes the recursive passes free of transformations, and that
//! particular one keeps their numbers small.
//!
//! `centers_of_mass` reads poses, writes `subtree_com cinert cdof` (`mj_comPos`). `mass_matrix`
//! writes `crb M` with the composite rigid body algorithm (Featherstone, *Rigid Body Dynamics
//! Algorithms*, §6.2; `mj_makeM`). `factor` writes `qLD qLDiagInv` (`mj_factorM`).

use corten_math::{Inertia, MIN_VAL, Spatial, Vec3};
use corten_model::Model;
use corten_model::enums::{JointType, ObjType, SleepState};

use crate::{Data, awake, sleep, support};

/// Subtree centres of mass, `cinert`, `cdof`.
pub fn centers_of_mass(m: &Model, d: &mut Data) {
    if m.nbody == 0 {
        return;
    }
    subtree_com(m, d);
    let s = &*d.scratch.structure;
    d.cinert[0] = Inertia::ZERO;
    for i in awake::bodies!(m, d).iter() {
        let node = &s.bodies[i];
        let com = d.subtree_com[node.root as usize];
        let offset = d.xipos[i] - com;
        d.cinert[i] = Inertia::of_body(m.body_inertia[i], &d.ximat[i], offset, m.body_mass[i]);
        for j in node.joints() {
            let joint = s.joints[j];
            let dofs = &mut d.cdof[joint.dof()..];
            let offset = com - d.xanchor[j];
            let turn = |axis: Vec3| Spatial::new(axis, axis.cross(offset));
            match joint.kind {
                JointType::Slide => dofs[0] = Spatial::new(Vec3::ZERO, d.xaxis[j]),
                JointType::Hinge => dofs[0] = turn(d.xaxis[j]),
                JointType::Ball => {
                    for k in 0..3 {
                        dofs[k] = turn(d.xmat[i].col(k));
                    }
                }
                JointType::Free => {
                    for (k, axis) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
                        dofs[k] = Spatial::new(Vec3::ZERO, axis);
                        dofs[k + 3] = turn(d.xmat[i].col(k));
                    }
                }
            }
        }
    }
}

fn subtree_com(m: &Model, d: &mut Data) {
    let s = &*d.scratch.structure;
    let filter = sleep::filters(m, d);
    // First moments, summed from the leaves to the roots.
    d.subtree_com[0] = Vec3::ZERO;
    for i in awake::bodies!(m, d).iter() {
        d.subtree_com[i] = d.xipos[i] * m.body_mass[i];
    }
    for i in awake::children!(m, d).iter().rev() {
        let moment = if filter && d.body_awake[i] == SleepState::Asleep.raw() {
            d.subtree_com[i] * m.body_subtreemass[i]
        } else {
            d.subtree_com[i]
        };
        d.subtree_com[s.bodies[i].parent as usize] += moment;
    }
    let normalize = |i: usize, com: &mut Vec3, xipos: Vec3| {
        let mass = m.body_subtreemass[i];
        *com = if mass < MIN_VAL { xipos } else { *com * (1.0 / mass) };
    };
    normalize(0, &mut d.subtree_com[0], d.xipos[0]);
    for i in awake::bodies!(m, d).iter() {
        normalize(i, &mut d.subtree_com[i], d.xipos[i]);
    }
}

/// Composite inertias `crb` and the mass matrix `M`.
pub fn mass_matrix(m: &Model, d: &mut Data) {
    if m.nbody == 0 {
        return;
    }
    let s = &*d.scratch.structure;
    if sleep::filters(m, d) {
        d.crb[0] = d.cinert[0];
        for i in awake::bodies!(m, d).iter() {
            d.crb[i] = d.cinert[i];
        }
    } else {
        d.crb.copy_from_slice(&d.cinert);
    }
    for i in awake::children!(m, d).iter().rev() {
        let parent = s.bodies[i].parent as usize;
        if parent > 0 {
            let inertia = d.crb[i];
            d.crb[parent] += inertia;
        }
    }

    let dofs = awake::dofs!(m, d);
    // In depth-first order the ancestors of a dof are those entered last at smaller depths.
    let above = &mut d.scratch.ancestors;
    let (cdof, crb) = (&d.cdof[..m.nv], &d.crb[..]);
    for i in dofs.iter() {
        if i >= s.mass.size() {
            break;
        }
        let row = &mut d.M[s.mass.row(i)];
        if m.dof_simplenum[i] != 0 {
            row.fill(0.0);
            row[0] = m.dof_M0[i];
            continue;
        }
        // Force needed to accelerate, along dof i, all that it carries; its components along the
        // ancestors are the row.
        let force = crb[s.dof_body[i] as usize].mul(&cdof[i]);
        let depth = row.len() - 1;
        above.enter(depth, &cdof[i]);
        above.project(&force, row);
        row[depth] += m.dof_armature[i];
    }
    tendon_armature(m, d);
}

/// Adds `a JᵀJ` for every tendon with armature `a`.
fn tendon_armature(m: &Model, d: &mut Data) {
    let filter = sleep::filters(m, d);
    let s = &*d.scratch.structure;
    for k in 0..m.ntendon {
        let armature = m.tendon_armature[k];
        if armature == 0.0 || filter && sleep::state(m, d, ObjType::Tendon, k) == SleepState::Asleep
        {
            continue;
        }
        let row = support::tendon_row(d, k);
        let (values, columns) = (&d.ten_J[row.clone()], &d.ten_J_colind[row]);
        for (&ji, &i) in values.iter().zip(columns) {
            let i = i as usize;
            if ji == 0.0 || i >= s.mass.size() {
                continue;
            }
            // Columns of both rows ascend: walk them together.
            let mut entries = values.iter().zip(columns).peekable();
            for (x, &c) in d.M[s.mass.row(i)].iter_mut().zip(s.mass.columns(i)) {
                while entries.next_if(|&(_, &e)| e < c as i32).is_some() {}
                if let Some((jc, _)) = entries.next_if(|&(_, &e)| e == c as i32) {
                    *x += armature * ji * jc;
                }
            }
        }
    }
}

/// The tree-sparse factor of `M`.
pub fn factor(m: &Model, d: &mut Data) {
    let s = &*d.scratch.structure;
    match awake::dofs!(m, d).list() {
        None => {
            d.qLD.copy_from_slice(&d.M);
            s.mass.factor(&mut d.qLD, &mut d.qLDiagInv);
        }
        Some(rows) => {
            for &i in rows {
                let row = s.mass.row(i as usize);
                d.qLD[row.clone()].copy_from_slice(&d.M[row]);
            }
            s.mass.factor_rows(&mut d.qLD, &mut d.qLDiagInv, rows);
        }
    }
}

/// `x ← M⁻¹ x` for each of the `nv`-vectors in `x`, with the factor in `d` (`mj_solveM`).
pub fn solve(d: &Data, x: &mut [f64]) {
    let nv = d.qLDiagInv.len();
    for x in x.chunks_exact_mut(nv.max(1)) {
        d.scratch.structure.mass.solve(&d.qLD, &d.qLDiagInv, x);
    }
}

/// `x ← D^{-1/2} L^{-T} x`, half of a solution; `inverse_sqrt_diagonal` is the element-wise root
/// of `qLDiagInv` (`mj_solveM2`).
pub fn solve_half(d: &Data, inverse_sqrt_diagonal: &[f64], x: &mut [f64]) {
    let nv = d.qLDiagInv.len();
    for x in x.chunks_exact_mut(nv.max(1)) {
        d.scratch.structure.mass.solve_half(&d.qLD, inverse_sqrt_diagonal, x);
    }
}

/// `result ← M x` (`mj_mulM`).
pub fn mul(d: &Data, x: &[f64], result: &mut [f64]) {
    d.scratch.structure.mass.mul(&d.M, x, result);
}

/// `result ← √D L x`, a square root of `M` applied to `x` (`mj_mulM2`).
pub fn mul_half(d: &Data, x: &[f64], result: &mut [f64]) {
    d.scratch.structure.mass.mul_half(&d.qLD, x, result);
}

/// The mass matrix in full, row-major `nv × nv` (`mj_fullM`).
pub fn dense(d: &Data, full: &mut [f64]) {
    d.scratch.structure.mass.to_dense(&d.M, full);
}

/// Adds the mass matrix to a full symmetric matrix (`mj_addM`).
pub fn add_to_dense(d: &Data, full: &mut [f64]) {
    let pattern = &d.scratch.structure.mass;
    let n = pattern.size();
    for i in 0..n {
        for (x, &j) in d.M[pattern.row(i)].iter().zip(pattern.columns(i)) {
            let j = j as usize;
            full[i * n + j] += x;
            if i != j {
                full[j * n + i] += x;
            }
        }
    }
}

/// The mass matrix in MuJoCo's legacy form `qM` of length `nM`: each row from the diagonal up the
/// ancestors, zeros included.
pub fn legacy_mass_matrix(m: &Model, d: &Data, qm: &mut [f64]) {
    qm.fill(0.0);
    for (x, &adr) in d.M.iter().zip(&m.mapM2M) {
        if let Some(target) = qm.get_mut(adr as usize) {
            *target = *x;
        }
    }
}
