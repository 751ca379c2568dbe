//! Sizes and masses of the model at a glance; the size that each rotational dof moves.

use corten_math::Vec3;
use corten_math::memory;
use corten_model::enums::{GeomType, JointType};

use crate::chain::index;
use crate::{Data, Model};

/// Smallest size of anything.
const SMALLEST: f64 = 1e-5;
/// Part of an unbounded geom's size that counts as extent.
const UNBOUNDED_SHARE: f64 = 0.1;

/// Needs the position stages in the reference pose, and the mass matrix.
pub(super) fn set(m: &mut Model, d: &Data) {
    let (low, high) = bounds(m, d);
    m.stat.center = (low + high) * 0.5;
    if high[0] > low[0] {
        let size = high - low;
        m.stat.extent = size[0].max(size[1].max(size[2])).max(SMALLEST);
    }
    let mut size = body_sizes(m, d);
    let moving = m.nbody.saturating_sub(1);
    if moving > 0 {
        m.stat.meansize = 0.0;
        for s in &mut size[1..] {
            *s = s.max(SMALLEST);
            m.stat.meansize += *s / moving as f64;
        }
        m.stat.meanmass = m.body_mass[1..].iter().sum::<f64>() / moving as f64;
    }
    m.stat.extent = m.stat.extent.max(2.0 * m.stat.meansize);
    for dof in 0..m.nv {
        m.dof_length[dof] = if turns(m, dof) {
            index(m.dof_bodyid[dof], m.nbody).map_or(1.0, |b| size[b])
        } else {
            1.0
        };
    }
    if m.nv > 0 {
        let diagonal = |dof: usize| {
            let end = m.M_rowadr[dof] + m.M_rownnz[dof];
            index(end - 1, d.M.len()).map_or(0.0, |a| d.M[a])
        };
        m.stat.meaninertia = (0..m.nv).map(diagonal).sum::<f64>() / m.nv as f64;
    }
}

/// A box around bodies, joints, sites and geoms.
fn bounds(m: &Model, d: &Data) -> (Vec3, Vec3) {
    let (mut low, mut high) = (Vec3::splat(1e10), Vec3::splat(-1e10));
    let mut include = |center: Vec3, radius: f64| {
        low = low.min(center - Vec3::splat(radius));
        high = high.max(center + Vec3::splat(radius));
    };
    let points = d.xpos.iter().skip(1).chain(d.xipos.iter().skip(1));
    points.chain(&d.xanchor).chain(&d.site_xpos).for_each(|&p| include(p, 0.0));
    for g in 0..m.ngeom {
        let size = m.geom_size[g];
        let radius = match GeomType::from_raw(m.geom_type[g]) {
            _ if m.geom_rbound[g] > 0.0 => m.geom_rbound[g],
            Some(GeomType::Plane) if size[0] != 0.0 || size[1] != 0.0 => {
                size[0].max(size[1]) * UNBOUNDED_SHARE
            }
            Some(GeomType::Plane) => 1.0,
            Some(GeomType::HField) => {
                index(m.geom_dataid[g], m.nhfield)
                    .map_or(0.0, |h| m.hfield_size[h].iter().fold(0.0, |a: f64, &b| a.max(b)))
                    * UNBOUNDED_SHARE
            }
            _ => 0.0,
        };
        include(d.geom_xpos[g], radius);
    }
    (low, high)
}

/// The length associated with each body: how far its joints, its children's joints and its geoms
/// reach from its centre of mass, or the flex edges at it.
fn body_sizes(m: &Model, d: &Data) -> Vec<f64> {
    let mut size: Vec<f64> = memory::zeroed(m.nbody);
    for j in 0..m.njnt {
        let Some(body) = index(m.jnt_bodyid[j], m.nbody) else { continue };
        for b in [Some(body), index(m.body_parentid[body], m.nbody)].into_iter().flatten() {
            size[b] = size[b].max(d.xipos[b].distance(d.xanchor[j]));
        }
    }
    if let Some(world) = size.first_mut() {
        *world = 0.0;
    }
    for g in 0..m.ngeom {
        let Some(b) = index(m.geom_bodyid[g], m.nbody).filter(|&b| b > 0) else { continue };
        if m.geom_rbound[g] > 0.0 {
            size[b] = size[b].max(m.geom_rbound[g] + d.xipos[b].distance(d.geom_xpos[g]));
        }
    }
    flex_sizes(m, d, &mut size);
    size
}

fn flex_sizes(m: &Model, d: &Data, size: &mut [f64]) {
    let range = |start: i32, count: i32, len: usize| {
        let start = usize::try_from(start).unwrap_or(0).min(len);
        start..(start + usize::try_from(count).unwrap_or(0)).min(len)
    };
    for f in 0..m.nflex {
        if m.flex_interp[f] != 0 {
            let nodes = range(m.flex_nodeadr[f], m.flex_nodenum[f], m.nflexnode);
            let bodies: Vec<usize> =
                m.flex_nodebodyid[nodes].iter().filter_map(|&b| index(b, m.nbody)).collect();
            for &a in &bodies {
                for &b in &bodies {
                    size[a] = size[a].max(d.xpos[a].distance(d.xpos[b]));
                }
            }
            continue;
        }
        for e in range(m.flex_edgeadr[f], m.flex_edgenum[f], m.nflexedge) {
            for v in m.flex_edge[e] {
                let body = index(m.flex_vertadr[f] + v, m.nflexvert)
                    .and_then(|v| index(m.flex_vertbodyid[v], m.nbody));
                if let Some(b) = body {
                    size[b] = size[b].max(m.flexedge_length0[e]);
                }
            }
        }
    }
}

/// Whether a dof is a rotation.
fn turns(m: &Model, dof: usize) -> bool {
    let Some(joint) = index(m.dof_jntid[dof], m.njnt) else { return false };
    match JointType::from_raw(m.jnt_type[joint]) {
        Some(JointType::Ball | JointType::Hinge) => true,
        Some(JointType::Free) => dof as i32 >= m.jnt_dofadr[joint] + 3,
        _ => false,
    }
}
