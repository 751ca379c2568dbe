//! What follows from the reference pose `qpos0`: inertias as seen by dofs, bodies, tendons and
//! actuators, lengths, and poses that the author gave implicitly.
//!
//! Inverse weights are diagonal entries of J M⁻¹ Jᵀ. With the factor M = LᵀDL they are
//! Σ (L⁻ᵀJᵀ)²/D, and L⁻ᵀ never leaves the ancestors of the dofs in J, so that a body costs the
//! square of its depth, not the size of the model.

use corten_math::memory::{self, Grow};
use std::ops::Range;

use corten_math::{MIN_VAL, Quat, TreePattern, Vec3};
use corten_model::ModelArrays;
use corten_model::enums::{EqualityType, JointType, ObjType};

use super::ConstantsError;
use crate::chain::{self, index};
use crate::stage::{inertia, kinematics, tendon, transmission};
use crate::support::tendon_row;
use crate::{Data, Model};

/// A body whose dofs are translations only, so that its mass is all that counts.
pub(super) const POINT_MASS: u8 = 2;

pub(super) fn set(m: &mut Model, d: &mut Data) -> Result<(), ConstantsError> {
    compute(m, d);
    m.tendon_length0.copy_from_slice(&d.ten_length);
    m.actuator_length0.copy_from_slice(&d.actuator_length);
    let mut row = memory::zeroed(m.nv);
    body_weights(m, d, &mut row)?;
    dof_weights(m, d, &mut row)?;
    tendon_weights(m, d, &mut row);
    actuator_accelerations(m, d, &mut row);
    super::flex::set(m, d, &mut row);
    equality_poses(m, d);
    camera_and_light_offsets(m, d);
    damping_ratios(m, d);
    Ok(())
}

/// Runs the position stages in `qpos0`, with cameras and lights as if fixed to their bodies.
fn compute(m: &mut Model, d: &mut Data) {
    let (cameras, lights) = (m.cam_mode.clone(), m.light_mode.clone());
    m.cam_mode.fill(0);
    m.light_mode.fill(0);
    d.qpos.copy_from_slice(&m.qpos0);
    kinematics::kinematics(m, d);
    inertia::centers_of_mass(m, d);
    kinematics::cameras_and_lights(m, d);
    m.cam_mode.copy_from_slice(&cameras);
    m.light_mode.copy_from_slice(&lights);

    dof_inertias(m, d);
    tendon::tendon(m, d);
    inertia::mass_matrix(m, d);
    inertia::factor(m, d);
    transmission::transmission(m, d);
}

/// Diagonal of the mass matrix, without the inertia of tendons.
fn dof_inertias(m: &mut Model, d: &mut Data) {
    d.crb.copy_from_slice(&d.cinert);
    for b in (1..m.nbody).rev() {
        if let Some(parent) = index(m.body_parentid[b], b).filter(|&p| p > 0) {
            let inertia = d.crb[b];
            d.crb[parent] += inertia;
        }
    }
    for dof in 0..m.nv {
        let Some(body) = index(m.dof_bodyid[dof], m.nbody) else { continue };
        let momentum = d.crb[body].mul(&d.cdof[dof]);
        m.dof_M0[dof] = m.dof_armature[dof] + d.cdof[dof].dot(&momentum);
    }
}

/// Product of stored entries with a vector: four running sums, then the rest one by one.
fn dot_stored(values: &[f64], columns: &[u32], x: &[f64]) -> f64 {
    let ((v, rest_v), (c, rest_c)) = (values.as_chunks::<4>(), columns.as_chunks::<4>());
    let mut sum = [0.0; 4];
    for (v, c) in v.iter().zip(c) {
        for k in 0..4 {
            sum[k] += v[k] * x[c[k] as usize];
        }
    }
    let mut total = (sum[0] + sum[2]) + (sum[1] + sum[3]);
    for (v, &c) in rest_v.iter().zip(rest_c) {
        total += v * x[c as usize];
    }
    total
}

/// The factored mass matrix, applied to vectors that are zero outside some dofs.
pub(super) struct Factor<'a> {
    pattern: &'a TreePattern,
    lower: &'a [f64],
    inverse_diagonal: &'a [f64],
    /// The dofs of a vector and their values.
    chain: Vec<(usize, f64)>,
}

impl<'a> Factor<'a> {
    pub(super) fn new(d: &'a Data) -> Factor<'a> {
        Factor {
            pattern: &d.prepared.structure.mass,
            lower: &d.qLD,
            inverse_diagonal: &d.qLDiagInv,
            chain: Vec::new(),
        }
    }

    /// Entries of row `i` of L, left of the diagonal.
    fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let columns = self.pattern.columns(i).iter().map(|&j| j as usize);
        columns.zip(self.lower[self.pattern.row(i)].iter().copied()).filter(move |&(j, _)| j != i)
    }

    /// `x M⁻¹ xᵀ` for an x that is zero except on `dofs`, which descend and hold every ancestor
    /// of their members; x becomes zero. The product has MuJoCo's order of sums, so that the
    /// constants have its bits.
    pub(super) fn weight(&mut self, dofs: impl Iterator<Item = usize>, x: &mut [f64]) -> f64 {
        self.chain.clear();
        self.chain.grow_extend(dofs.filter(|&i| i < self.pattern.size()).map(|i| (i, x[i])));
        for &(i, _) in &self.chain {
            let xi = x[i];
            if xi != 0.0 {
                self.row(i).for_each(|(j, l)| x[j] -= l * xi);
            }
        }
        let whole = x.len() - x.len() % 4;
        let (mut sum, mut rest) = ([0.0; 4], 0.0);
        for &(i, v) in self.chain.iter().rev() {
            x[i] *= self.inverse_diagonal[i];
            let range = self.pattern.row(i);
            let (columns, lower) = (self.pattern.columns(i), &self.lower[range]);
            let above = columns.len() - 1;
            if above > 0 {
                x[i] -= dot_stored(&lower[..above], &columns[..above], x);
            }
            if i < whole {
                sum[i % 4] += v * x[i];
            } else {
                rest += v * x[i];
            }
        }
        self.chain.iter().for_each(|&(i, _)| x[i] = 0.0);
        ((sum[0] + sum[2]) + (sum[1] + sum[3])) + rest
    }

    /// `x ← M⁻¹ x` within whole trees.
    fn solve(&self, trees: &[Range<usize>], x: &mut [f64]) {
        for dofs in trees {
            for i in dofs.clone().rev() {
                let xi = x[i];
                if xi != 0.0 {
                    self.row(i).for_each(|(j, l)| x[j] -= l * xi);
                }
            }
            for i in dofs.clone() {
                let above: f64 = self.row(i).map(|(j, l)| l * x[j]).sum();
                x[i] = x[i] * self.inverse_diagonal[i] - above;
            }
        }
    }
}

fn mean(x: [f64; 3]) -> f64 {
    (x[0] + x[1] + x[2]) / 3.0
}

fn point_mass_weight(m: &Model, body: usize) -> Result<f64, ConstantsError> {
    let mass = m.body_mass[body];
    if mass == 0.0 {
        let name = super::body_name(m, body as i32);
        return Err(ConstantsError::MasslessBody { body: name, index: body });
    }
    Ok(1.0 / mass.max(MIN_VAL))
}

/// Mean inverse weights of bodies against translation and rotation at their centres of mass.
fn body_weights(m: &mut Model, d: &Data, row: &mut [f64]) -> Result<(), ConstantsError> {
    let mut factor = Factor::new(d);
    for b in 0..m.nbody {
        m.body_invweight0[b] = if b == 0 || m.body_weldid[b] == 0 {
            [0.0; 2]
        } else if m.body_simple[b] == POINT_MASS {
            [point_mass_weight(m, b)?, 0.0]
        } else {
            let body = b as i32;
            let offset = d.xipos[b] - chain::reference(m, d, body);
            let mut weight = |axis: usize, rotation: bool| {
                for dof in chain::dofs(m, body) {
                    let cdof = &d.cdof[dof];
                    let motion = if rotation { cdof.rot() } else { cdof.velocity_at(offset) };
                    row[dof] = motion[axis];
                }
                factor.weight(chain::dofs(m, body), row)
            };
            let translation = [0, 1, 2].map(|axis| weight(axis, false));
            [mean(translation), mean([0, 1, 2].map(|axis| weight(axis, true)))]
        };
    }
    Ok(())
}

/// Inverse weights of dofs; those of a ball joint, and of each half of a free joint, share their
/// mean.
fn dof_weights(m: &mut Model, d: &Data, row: &mut [f64]) -> Result<(), ConstantsError> {
    let mut factor = Factor::new(d);
    for j in 0..m.njnt {
        let (Some(body), Some(first)) =
            (index(m.jnt_bodyid[j], m.nbody), index(m.jnt_dofadr[j], m.nv))
        else {
            continue;
        };
        if m.body_simple[body] == POINT_MASS {
            m.dof_invweight0[first] = point_mass_weight(m, body)?;
            continue;
        }
        let (groups, size) = match JointType::from_raw(m.jnt_type[j]) {
            Some(JointType::Free) => (2, 3),
            Some(JointType::Ball) => (1, 3),
            _ => (1, 1),
        };
        for start in (0..groups).map(|g| first + g * size) {
            let weight = |dof: usize| {
                if dof >= m.nv {
                    return 0.0;
                }
                row[dof] = 1.0;
                factor.weight(std::iter::successors(Some(dof), |&k| chain::parent_dof(m, k)), row)
            };
            let sum: f64 = (start..start + size).map(weight).sum();
            if let Some(group) = m.dof_invweight0.get_mut(start..start + size) {
                group.fill(sum / size as f64);
            }
        }
    }
    Ok(())
}

/// Dof ranges of the trees that some dofs belong to.
fn trees_of(m: &Model, dofs: &[i32], trees: &mut Vec<Range<usize>>) {
    trees.clear();
    for &dof in dofs {
        let Some(tree) = index(dof, m.nv).and_then(|k| index(m.dof_treeid[k], m.ntree)) else {
            continue;
        };
        let start = usize::try_from(m.tree_dofadr[tree]).unwrap_or(0).min(m.nv);
        let count = usize::try_from(m.tree_dofnum[tree]).unwrap_or(0).min(m.nv - start);
        if !trees.contains(&(start..start + count)) {
            trees.push(start..start + count);
        }
    }
}

fn tendon_weights(m: &mut Model, d: &Data, row: &mut [f64]) {
    let mut factor = Factor::new(d);
    let mut trees = Vec::new();
    for t in 0..m.ntendon {
        let entries = tendon_row(d, t);
        let columns = &d.ten_J_colind[entries.clone()];
        for (&dof, &value) in columns.iter().zip(&d.ten_J[entries]) {
            row[dof as usize] = value;
        }
        trees_of(m, columns, &mut trees);
        m.tendon_invweight0[t] =
            trees.iter().map(|dofs| factor.weight(dofs.clone().rev(), row)).sum();
    }
}

/// Norm of the joint acceleration that a unit force of each actuator produces.
fn actuator_accelerations(m: &mut Model, d: &Data, row: &mut [f64]) {
    let factor = Factor::new(d);
    let mut trees = Vec::new();
    for i in 0..m.nu {
        let start = d.moment_rowadr[i] as usize;
        let entries = start..start + d.moment_rownnz[i] as usize;
        let columns = &d.moment_colind[entries.clone()];
        for (&dof, &value) in columns.iter().zip(&d.actuator_moment[entries]) {
            row[dof as usize] = value;
        }
        trees_of(m, columns, &mut trees);
        factor.solve(&trees, row);
        let mut sum = 0.0;
        for dof in trees.iter().cloned().flatten() {
            let x = std::mem::take(&mut row[dof]);
            sum += x * x;
        }
        m.actuator_acc0[i] = sum.sqrt();
    }
}

/// Anchors and relative poses of equality constraints that the author left to the reference
/// pose.
fn equality_poses(m: &mut Model, d: &Data) {
    for i in 0..m.neq {
        let kind = EqualityType::from_raw(m.eq_type[i]);
        let objects = ObjType::from_raw(m.eq_objtype[i]);
        let bodies = [index(m.eq_obj1id[i], m.nbody), index(m.eq_obj2id[i], m.nbody)];
        let data = &mut m.eq_data[i];
        match (kind, objects, bodies) {
            (Some(EqualityType::Connect), Some(ObjType::Site), _) => data.fill(0.0),
            (Some(EqualityType::Connect), Some(ObjType::Body), [Some(a), Some(b)]) => {
                // The anchor of the first body is given.
                let anchor = d.xpos[a] + d.xmat[a] * Vec3::from_slice(&data[..3]);
                let local = d.xmat[b].tmul(anchor - d.xpos[b]);
                data[3..6].copy_from_slice(&local.0);
            }
            (Some(EqualityType::Weld), Some(ObjType::Body), [Some(a), Some(b)]) => {
                let relative = Quat::from_slice(&data[6..10]);
                if relative.0 != [0.0; 4] {
                    data[6..10].copy_from_slice(&relative.normalized().0);
                    continue;
                }
                // The anchor of the second body is given.
                let anchor = d.xpos[b] + d.xmat[b] * Vec3::from_slice(&data[..3]);
                let local = d.xmat[a].tmul(anchor - d.xpos[a]);
                data[3..6].copy_from_slice(&local.0);
                data[6..10].copy_from_slice(&(d.xquat[a].conjugate() * d.xquat[b]).0);
            }
            _ => {}
        }
    }
}

/// Offsets that tracking cameras and lights keep.
fn camera_and_light_offsets(m: &mut ModelArrays, d: &Data) {
    // Position relative to the body, and to the centre of mass of what is looked at.
    let offsets = |pos: Vec3, body: i32, target: i32| {
        let body = index(body, m.nbody).unwrap_or(0);
        let target = index(target, m.nbody).unwrap_or(body);
        (pos - d.xpos[body], pos - d.subtree_com[target])
    };
    for c in 0..m.ncam {
        let from = offsets(d.cam_xpos[c], m.cam_bodyid[c], m.cam_targetbodyid[c]);
        (m.cam_pos0[c], m.cam_poscom0[c]) = from;
        m.cam_mat0[c] = d.cam_xmat[c];
    }
    for l in 0..m.nlight {
        let from = offsets(d.light_xpos[l], m.light_bodyid[l], m.light_targetbodyid[l]);
        (m.light_pos0[l], m.light_poscom0[l]) = from;
        m.light_dir0[l] = d.light_xdir[l];
    }
}

/// Turns the damping ratio ζ of position actuators, marked by a positive `biasprm[2]`, into the
/// coefficient 2ζ√(k I), with the inertia I as seen through the transmission.
fn damping_ratios(m: &mut ModelArrays, d: &Data) {
    for i in 0..m.nu {
        let stiffness = m.actuator_gainprm[i][0];
        let prm = &mut m.actuator_biasprm[i];
        if stiffness != -prm[1] || prm[2] <= 0.0 {
            continue;
        }
        let start = d.moment_rowadr[i] as usize;
        let entries = start..start + d.moment_rownnz[i] as usize;
        let mut inertia = 0.0;
        for (&dof, moment) in
            d.moment_colind[entries.clone()].iter().zip(&d.actuator_moment[entries])
        {
            let ratio2 = moment * moment;
            if ratio2 > MIN_VAL {
                inertia += m.dof_M0[dof as usize] / ratio2;
            }
        }
        prm[2] = -(prm[2] * 2.0 * (stiffness * inertia).sqrt());
    }
}
