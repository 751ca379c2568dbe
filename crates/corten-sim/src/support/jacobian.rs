//! Jacobians of points fixed to bodies.
//!
//! Column `k` of the Jacobian of a point at offset `r` from the reference point of its tree is
//! `lin_k + rot_k × r` (translation) and `rot_k` (rotation), with `cdof_k = (rot_k, lin_k)`, for the
//! degrees of freedom that move the body; all others are zero. Dense Jacobians are row-major
//! `3 × nv`.

use corten_math::{Spatial, Vec3};
use corten_model::enums::JointType;

use super::Chains;
use crate::{Data, Model};

/// The degrees of freedom that move a body, ascending.
#[inline]
pub fn chain(d: &Data, body: usize) -> &[u32] {
    let s = &d.prepared.structure;
    if body < s.bodies.len() { s.chain(body) } else { &[] }
}

impl Chains<'_> {
    /// From the reference point of a body's tree to a world point.
    #[inline]
    pub fn offset(self, body: usize, point: Vec3) -> Vec3 {
        point - self.subtree_com[self.structure.bodies[body].root as usize]
    }

    /// See [`for_each_dof`].
    #[inline]
    pub fn for_each_dof(self, point: Vec3, body: usize, mut visit: impl FnMut(usize, Vec3, Vec3)) {
        if body >= self.structure.bodies.len() {
            return;
        }
        let offset = self.offset(body, point);
        for &k in self.structure.chain(body) {
            let axis = &self.cdof[k as usize];
            visit(k as usize, axis.velocity_at(offset), axis.rot());
        }
    }
}

/// Calls `visit(dof, translation, rotation)` with the Jacobian columns of a world point fixed to a
/// body, for every degree of freedom that moves it, ascending.
#[inline]
pub fn for_each_dof(d: &Data, point: Vec3, body: usize, visit: impl FnMut(usize, Vec3, Vec3)) {
    Chains::of(d).for_each_dof(point, body, visit);
}

fn set_column(jac: &mut [f64], nv: usize, k: usize, column: Vec3) {
    for r in 0..3 {
        jac[r * nv + k] = column[r];
    }
}

/// Translational and rotational Jacobians of a world point fixed to a body (`mj_jac`).
pub fn jac(
    d: &Data,
    mut jacp: Option<&mut [f64]>,
    mut jacr: Option<&mut [f64]>,
    point: Vec3,
    body: usize,
) {
    let nv = d.qvel.len();
    for jac in [jacp.as_deref_mut(), jacr.as_deref_mut()].into_iter().flatten() {
        jac.fill(0.0);
    }
    for_each_dof(d, point, body, |k, translation, rotation| {
        if let Some(jacp) = &mut jacp {
            set_column(jacp, nv, k, translation);
        }
        if let Some(jacr) = &mut jacr {
            set_column(jacr, nv, k, rotation);
        }
    });
}

/// [`jac`] of a body's frame (`mj_jacBody`).
pub fn jac_body(d: &Data, jacp: Option<&mut [f64]>, jacr: Option<&mut [f64]>, body: usize) {
    jac(d, jacp, jacr, d.xpos[body], body);
}

/// [`jac`] of a body's centre of mass (`mj_jacBodyCom`).
pub fn jac_body_com(d: &Data, jacp: Option<&mut [f64]>, jacr: Option<&mut [f64]>, body: usize) {
    jac(d, jacp, jacr, d.xipos[body], body);
}

/// [`jac`] of a geom (`mj_jacGeom`).
pub fn jac_geom(
    m: &Model,
    d: &Data,
    jacp: Option<&mut [f64]>,
    jacr: Option<&mut [f64]>,
    geom: usize,
) {
    jac(d, jacp, jacr, d.geom_xpos[geom], m.geom_bodyid[geom] as usize);
}

/// [`jac`] of a site (`mj_jacSite`).
pub fn jac_site(
    m: &Model,
    d: &Data,
    jacp: Option<&mut [f64]>,
    jacr: Option<&mut [f64]>,
    site: usize,
) {
    jac(d, jacp, jacr, d.site_xpos[site], m.site_bodyid[site] as usize);
}

/// Bodies of the subtree that starts at `body`, which are numbered consecutively.
fn subtree(d: &Data, body: usize) -> impl Iterator<Item = usize> + '_ {
    let bodies = &d.prepared.structure.bodies;
    (body..bodies.len()).take_while(move |&b| b == body || bodies[b].parent as usize >= body)
}

/// Jacobian of the centre of mass of a subtree (`mj_jacSubtreeCom`).
pub fn jac_subtree_com(m: &Model, d: &Data, jacp: &mut [f64], body: usize) {
    let nv = m.nv;
    jacp.fill(0.0);
    for b in subtree(d, body) {
        for_each_dof(d, d.xipos[b], b, |k, translation, _| {
            for r in 0..3 {
                jacp[r * nv + k] += m.body_mass[b] * translation[r];
            }
        });
    }
    let scale = 1.0 / m.body_subtreemass[body];
    jacp.iter_mut().for_each(|x| *x *= scale);
}

/// Translational Jacobian of a point, and Jacobian of an axis, both fixed to a body
/// (`mj_jacPointAxis`).
pub fn jac_point_axis(
    d: &Data,
    mut jac_point: Option<&mut [f64]>,
    mut jac_axis: Option<&mut [f64]>,
    point: Vec3,
    axis: Vec3,
    body: usize,
) {
    let nv = d.qvel.len();
    for jac in [jac_point.as_deref_mut(), jac_axis.as_deref_mut()].into_iter().flatten() {
        jac.fill(0.0);
    }
    for_each_dof(d, point, body, |k, translation, rotation| {
        if let Some(jac) = &mut jac_point {
            set_column(jac, nv, k, translation);
        }
        if let Some(jac) = &mut jac_axis {
            set_column(jac, nv, k, rotation.cross(axis));
        }
    });
}

/// Time derivative of [`jac`] along the current velocity (`mj_jacDot`).
pub fn jac_dot(
    m: &Model,
    d: &Data,
    mut jacp: Option<&mut [f64]>,
    mut jacr: Option<&mut [f64]>,
    point: Vec3,
    body: usize,
) {
    let nv = m.nv;
    for jac in [jacp.as_deref_mut(), jacr.as_deref_mut()].into_iter().flatten() {
        jac.fill(0.0);
    }
    let s = &d.prepared.structure;
    let Some(node) = s.bodies.get(body) else { return };
    let com = d.subtree_com[node.root as usize];
    let offset = point - com;
    let velocity = d.cvel[body].motion_at(point, com).lin();
    for &k in s.chain(body) {
        let k = k as usize;
        let rate = axis_rate(m, d, k);
        if let Some(jacp) = &mut jacp {
            // The axis moves, and so does the point.
            let column = rate.velocity_at(offset) + d.cdof[k].rot().cross(velocity);
            set_column(jacp, nv, k, column);
        }
        if let Some(jacr) = &mut jacr {
            set_column(jacr, nv, k, rate.rot());
        }
    }
}

/// Time derivative of `cdof[k]`. The axes of spherical joints are fixed to the child, so that they
/// move with its velocity; `cdof_dot` holds their motion with the parent, as the recursive
/// algorithms need it.
fn axis_rate(m: &Model, d: &Data, k: usize) -> Spatial {
    let joint =
        usize::try_from(m.dof_jntid[k]).ok().and_then(|j| d.prepared.structure.joints.get(j));
    let spherical = joint.is_some_and(|joint| match joint.kind {
        JointType::Ball => true,
        JointType::Free => k >= joint.dof() + 3,
        JointType::Hinge | JointType::Slide => false,
    });
    if spherical {
        d.cvel[d.prepared.structure.dof_body[k] as usize].cross_motion(&d.cdof[k])
    } else {
        d.cdof_dot[k]
    }
}

/// Matrix that maps joint velocities to the angular momentum of a subtree about its centre of
/// mass (`mj_angmomMat`).
pub fn angular_momentum_matrix(m: &Model, d: &Data, mat: &mut [f64], body: usize) {
    let nv = m.nv;
    mat.fill(0.0);
    for b in subtree(d, body) {
        let frame = d.ximat[b];
        let lever = d.xipos[b] - d.subtree_com[body];
        for_each_dof(d, d.xipos[b], b, |k, translation, rotation| {
            let spin = frame * m.body_inertia[b].component_mul(frame.tmul(rotation));
            let momentum = spin + lever.cross(translation * m.body_mass[b]);
            for r in 0..3 {
                mat[r * nv + k] += momentum[r];
            }
        });
    }
}
