//! Centres of mass, spatial inertias, the mass matrix and its factor.
//!
//! All spatial quantities of a kinematic tree refer to the centre of mass of the tree, in world
//! axes: one common reference point makes the recursive passes free of transformations, and that
//! particular one keeps their numbers small.
//!
//! `centers_of_mass` reads poses, writes `subtree_com cinert cdof` (`mj_comPos`). `mass_matrix`
//! writes `crb M` with the composite rigid body algorithm (Featherstone, *Rigid Body Dynamics
//! Algorithms*, §6.2; `mj_makeM`). `factor` writes `qLD qLDiagInv` (`mj_factorM`).

use std::ops::Range;

use corten_math::transpose::{self, Chunk};
use corten_math::{Four, Inertia, MIN_VAL, Mat3, Number, Spatial, Vec3, Wide, wide};
use corten_model::enums::{JointType, ObjType, SleepState};

use super::point;
use crate::data::smooth::{Smooth, SmoothState, dispatch_sleep};
use crate::{Data, Model, sleep, support};

/// Subtree centres of mass, `cinert`, `cdof`.
pub fn centers_of_mass(m: &Model, d: &mut Data) {
    dispatch_sleep!(centers_of_mass_kernel(m, d));
}

wide! {
    /// [`centers_of_mass`] of any worlds.
    pub(crate) fn centers_of_mass_kernel[W: SmoothState](m: &Model, state: &mut W) {
        if m.nbody > 0 {
            let mut v = state.smooth::<Simd>(m);
            subtree_com(m, &mut v);
            spatial_inertias::<Simd, _>(m, &mut v);
        }
    }
}

/// `cinert` and `cdof` of the bodies that are awake.
#[inline(always)]
fn spatial_inertias<S: Wide, T: Number>(m: &Model, v: &mut Smooth<'_, T>) {
    let n = m.nbody;
    let s = v.structure;
    let (bodies, subtree_com) = (&s.bodies[..n], &v.subtree_com[..n]);
    let (xipos, ximat, xmat) = (&v.xipos[..n], &v.ximat[..n], &v.xmat[..n]);
    let (mass, diagonal) = (&m.body_mass[..n], &m.body_inertia[..n]);
    let (cinert, cdof) = (&mut v.cinert[..n], &mut v.cdof[..m.nv]);
    let njnt = s.joints.len();
    cinert[0] = Inertia::of(Inertia::ZERO);
    let (xanchor, xaxis) = (&v.xanchor[..njnt], &v.xaxis[..njnt]);
    for range in v.jointed.ranges() {
        for chunk in transpose::fours::<T>(range) {
            match chunk {
                Chunk::Four(at) => {
                    let [i, j, k, l] = at;
                    let root = |i: usize| bodies[i].root as usize;
                    let offset = Vec3::load(bytemuck::cast_slice(xipos), at)
                        - Vec3::load(
                            bytemuck::cast_slice(subtree_com),
                            [root(i), root(j), root(k), root(l)],
                        );
                    let frame = Mat3::load(bytemuck::cast_slice(ximat), at);
                    let mass = S::load([mass[i], mass[j], mass[k], mass[l]]);
                    Inertia::of_body(Vec3::load(diagonal, at), &frame, offset, mass)
                        .store(bytemuck::cast_slice_mut(cinert), at);
                }
                Chunk::One(i) => {
                    let offset = xipos[i] - subtree_com[bodies[i].root as usize];
                    let (diagonal, mass) = (Vec3::of(diagonal[i]), T::splat(mass[i]));
                    cinert[i] = Inertia::of_body(diagonal, &ximat[i], offset, mass);
                }
            }
        }
    }
    for i in v.jointed.iter() {
        let node = &bodies[i];
        let com = subtree_com[node.root as usize];
        for j in node.joints() {
            let joint = s.joints[j];
            let offset = com - xanchor[j];
            let turn = |axis: Vec3<T>| Spatial::new(axis, axis.cross(offset));
            let zero = Vec3::of(Vec3::ZERO);
            match joint.kind {
                JointType::Slide => cdof[joint.dof()] = Spatial::new(zero, xaxis[j]),
                JointType::Hinge => cdof[joint.dof()] = turn(xaxis[j]),
                JointType::Ball => {
                    if let Some(axes) = cdof[joint.dof()..].first_chunk_mut::<3>() {
                        *axes = [turn(xmat[i].col(0)), turn(xmat[i].col(1)), turn(xmat[i].col(2))];
                    }
                }
                JointType::Free => {
                    if let Some([a, b, c, turns @ ..]) = cdof[joint.dof()..].first_chunk_mut::<6>()
                    {
                        (*a, *b, *c) = (
                            Spatial::new(zero, Vec3::of(Vec3::X)),
                            Spatial::new(zero, Vec3::of(Vec3::Y)),
                            Spatial::new(zero, Vec3::of(Vec3::Z)),
                        );
                        *turns = [turn(xmat[i].col(0)), turn(xmat[i].col(1)), turn(xmat[i].col(2))];
                    }
                }
            }
        }
    }
    point::inertias(m, v);
}

/// First moments, summed from the leaves to the roots, over masses.
#[inline(always)]
fn subtree_com<T: Number>(m: &Model, v: &mut Smooth<'_, T>) {
    let n = m.nbody;
    let bodies = &v.structure.bodies[..n];
    let filter = v.bodies.list().is_some();
    let (xipos, com) = (&v.xipos[..n], &mut v.subtree_com[..n]);
    let (mass, subtree_mass) = (&m.body_mass[..n], &m.body_subtreemass[..n]);
    let points = v.points.iter().map(|run| run.bodies.clone());
    com[0] = Vec3::of(Vec3::ZERO);
    for range in v.jointed.ranges().chain(points.clone()) {
        for i in range {
            com[i] = xipos[i] * T::splat(mass[i]);
        }
    }
    for i in points.clone().rev().flat_map(Iterator::rev) {
        let moment = com[i];
        com[bodies[i].parent as usize] += moment;
    }
    for i in v.children.iter().rev() {
        let mut moment = com[i];
        if filter && v.body_awake[i] == SleepState::Asleep.raw() {
            moment *= T::splat(subtree_mass[i]);
        }
        com[bodies[i].parent as usize] += moment;
    }
    if let Some((lists, _)) = &v.sleepers {
        // What the world carries besides.
        for i in v.bodies.iter().rev().filter(|&i| bodies[i].parent == 0) {
            let moment = com[i];
            com[0] += moment;
        }
        for i in lists.roots.iter().rev().map(|&i| i as usize) {
            let moment = com[i] * T::splat(subtree_mass[i]);
            com[0] += moment;
        }
    }
    normalize(com, xipos, subtree_mass, 0..1);
    for range in v.jointed.ranges().chain(points) {
        normalize(com, xipos, subtree_mass, range);
    }
}

/// From first moments to centres.
#[inline(always)]
fn normalize<T: Number>(com: &mut [Vec3<T>], xipos: &[Vec3<T>], mass: &[f64], range: Range<usize>) {
    let n = com.len();
    let (xipos, mass) = (&xipos[..n], &mass[..n]);
    for i in range {
        com[i] = if mass[i] < MIN_VAL { xipos[i] } else { com[i] * T::splat(1.0 / mass[i]) };
    }
}

/// Composite inertias `crb` and the mass matrix `M`.
pub fn mass_matrix(m: &Model, d: &mut Data) {
    dispatch_sleep!(mass_matrix_kernel(m, d));
    if m.ntendon > 0 {
        tendon_armature(m, d);
    }
}

wide! {
    /// [`mass_matrix`] of any worlds, but for the armature of tendons.
    pub(crate) fn mass_matrix_kernel[W: SmoothState](m: &Model, state: &mut W) {
        if m.nbody > 0 {
            let mut v = state.smooth::<Simd>(m);
            composite_inertias(m, &mut v);
            mass_rows(m, &mut v);
        }
    }
}

/// `crb`: what each body carries, as one rigid body.
#[inline(always)]
fn composite_inertias<T: Number>(m: &Model, v: &mut Smooth<'_, T>) {
    let n = m.nbody;
    let bodies = &v.structure.bodies[..n];
    let (crb, cinert) = (&mut v.crb[..n], &v.cinert[..n]);
    crb[0] = cinert[0];
    for range in v.jointed.ranges() {
        crb[range.clone()].copy_from_slice(&cinert[range]);
    }
    for points in v.points.iter().rev().map(|run| run.bodies.clone()) {
        crb[points.clone()].copy_from_slice(&cinert[points.clone()]);
        for i in points.rev().filter(|&i| bodies[i].parent > 0) {
            crb[bodies[i].parent as usize] += cinert[i];
        }
    }
    for i in v.children.iter().rev() {
        let parent = bodies[i].parent as usize;
        if parent > 0 {
            let inertia = crb[i];
            crb[parent] += inertia;
        }
    }
}

/// The rows of `M`.
#[inline(always)]
fn mass_rows<T: Number>(m: &Model, v: &mut Smooth<'_, T>) {
    let s = v.structure;
    let n = s.mass.size().min(m.nv);
    let (cdof, dof_body, crb) = (&v.cdof[..n], &s.dof_body[..n], &v.crb[..m.nbody]);
    let (simple, armature) = (&m.dof_simplenum[..n], &m.dof_armature[..n]);
    let above = &mut v.ancestors;
    for range in v.dofs.ranges() {
        let (mut first, end) = (range.start, range.end.min(n));
        while first < end {
            if simple[first] != 0 {
                let row = &mut v.M[s.mass.row(first)];
                if row.len() > 1 {
                    row.fill(T::splat(0.0));
                }
                row[0] = T::splat(m.dof_M0[first]);
                first += 1;
                continue;
            }
            // All dofs of a run lie on one path: their axes are entered together. In
            // depth-first order the ancestors are those entered last at smaller depths.
            let run = first..s.mass.run_end(first).min(end);
            first = run.end;
            let depth = s.mass.row(run.start).len() - 1;
            let node = &s.bodies[dof_body[run.start] as usize];
            let free = node.free && depth == 0 && run.len() >= FREE;
            // A free body that carries nothing is nobody's ancestor.
            let alone = run.len() == FREE && (first >= n || s.mass.row(first).len() == 1);
            if !(free && alone) {
                for (k, axis) in cdof[run.clone()].iter().enumerate() {
                    above.enter(depth + k, axis);
                }
            }
            let mut run = run;
            if free {
                let inertia = &crb[dof_body[run.start] as usize];
                let rows = s.mass.row(run.start).start..s.mass.row(run.start + FREE - 1).end;
                free_rows(inertia, &cdof[run.clone()], &armature[run.clone()], &mut v.M[rows]);
                run.start += FREE;
            }
            for i in run {
                // Force needed to accelerate, along dof i, all that it carries; its
                // components along the ancestors are the row.
                let row = &mut v.M[s.mass.row(i)];
                let force = crb[dof_body[i] as usize].mul(&cdof[i]);
                above.project(&force, row);
                if let Some(diagonal) = row.last_mut() {
                    *diagonal += T::splat(armature[i]);
                }
            }
        }
    }
}

/// Degrees of freedom of a free joint.
const FREE: usize = 6;

/// The rows of a free joint: translation along the world's axes, where the composite body has the
/// same mass in every direction and the force of a rotation is also its moment, then rotation.
#[inline(always)]
fn free_rows<T: Number>(
    inertia: &Inertia<T>,
    axes: &[Spatial<T>],
    armature: &[f64],
    rows: &mut [T],
) {
    const ENTRIES: usize = FREE * (FREE + 1) / 2;
    let (Some(axes), Some(armature), Some(rows)) = (
        axes.first_chunk::<FREE>(),
        armature.first_chunk::<FREE>(),
        rows.first_chunk_mut::<ENTRIES>(),
    ) else {
        return;
    };
    let mass = inertia.0[9];
    let ([x, y, z, a, b, c], zero) = (
        [
            T::splat(armature[0]),
            T::splat(armature[1]),
            T::splat(armature[2]),
            T::splat(armature[3]),
            T::splat(armature[4]),
            T::splat(armature[5]),
        ],
        T::splat(0.0),
    );
    let [f, g, h] = [inertia.mul(&axes[3]), inertia.mul(&axes[4]), inertia.mul(&axes[5])];
    let ([f0, f1, f2], [g0, g1, g2], [h0, h1, h2]) = (f.lin().0, g.lin().0, h.lin().0);
    #[rustfmt::skip]
    let triangle = [
        mass + x,
        zero, mass + y,
        zero, zero, mass + z,
        f0, f1, f2, axes[3].dot(&f) + a,
        g0, g1, g2, axes[3].dot(&g), axes[4].dot(&g) + b,
        h0, h1, h2, axes[3].dot(&h), axes[4].dot(&h), axes[5].dot(&h) + c,
    ];
    *rows = triangle;
}

/// Adds `a JᵀJ` for every tendon with armature `a`.
pub(crate) fn tendon_armature(m: &Model, d: &mut Data) {
    if !support::any_nonzero(&m.tendon_armature) {
        return;
    }
    let filter = sleep::filters(m, d);
    let s = &d.prepared.structure;
    for (k, &armature) in m.tendon_armature.iter().enumerate() {
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
    dispatch_sleep!(factor_of(m, d));
}

/// [`factor`] of any worlds.
#[inline(always)]
pub(crate) fn factor_of<W: SmoothState>(m: &Model, state: &mut W) {
    let v = state.smooth::<Four>(m);
    let pattern = &v.structure.mass;
    for dofs in v.dofs.ranges() {
        let entries = pattern.entries_of(dofs.clone());
        v.qLD[entries.clone()].copy_from_slice(&v.M[entries]);
        pattern.factor_range(dofs, v.qLD, v.qLDiagInv);
    }
}

/// `x ← M⁻¹ x` for each of the `nv`-vectors in `x`, with the factor in `d` (`mj_solveM`).
pub fn solve(d: &Data, x: &mut [f64]) {
    let nv = d.qLDiagInv.len();
    for x in x.chunks_exact_mut(nv.max(1)) {
        d.prepared.structure.mass.solve(&d.qLD, &d.qLDiagInv, x);
    }
}

/// `x ← D^{-1/2} L^{-T} x`, half of a solution; `inverse_sqrt_diagonal` is the element-wise root
/// of `qLDiagInv` (`mj_solveM2`).
pub fn solve_half(d: &Data, inverse_sqrt_diagonal: &[f64], x: &mut [f64]) {
    let nv = d.qLDiagInv.len();
    for x in x.chunks_exact_mut(nv.max(1)) {
        d.prepared.structure.mass.solve_half(&d.qLD, inverse_sqrt_diagonal, x);
    }
}

/// `result ← M x` (`mj_mulM`).
pub fn mul(d: &Data, x: &[f64], result: &mut [f64]) {
    d.prepared.structure.mass.mul(&d.M, x, result);
}

/// `result ← √D L x`, a square root of `M` applied to `x` (`mj_mulM2`).
pub fn mul_half(d: &Data, x: &[f64], result: &mut [f64]) {
    d.prepared.structure.mass.mul_half(&d.qLD, x, result);
}

/// The mass matrix in full, row-major `nv × nv` (`mj_fullM`).
pub fn dense(d: &Data, full: &mut [f64]) {
    d.prepared.structure.mass.to_dense(&d.M, full);
}

/// Adds the mass matrix to a full symmetric matrix (`mj_addM`).
pub fn add_to_dense(d: &Data, full: &mut [f64]) {
    let pattern = &d.prepared.structure.mass;
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
