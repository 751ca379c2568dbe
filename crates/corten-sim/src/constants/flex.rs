//! Rest lengths and inverse weights of the edges of flexes.

use corten_math::Vec3;
use corten_model::enums::EnableBit;

use super::reference::{Factor, POINT_MASS};
use crate::chain::{self, BodyPoint, index};
use crate::stage::flex;
use crate::{Data, Model};

/// Needs the position stages in the reference pose. Interpolated flexes have no edges of their own;
/// those of rigid ones have a length, too.
pub(super) fn set(m: &mut Model, d: &Data, row: &mut [f64]) {
    m.flexedge_length0.fill(0.0);
    m.flexedge_invweight0.fill(0.0);
    let mut factor = Factor::new(d);
    let mut dofs = Vec::new();
    for f in (0..m.nflex).filter(|&f| m.flex_interp[f] == 0).collect::<Vec<_>>() {
        // MuJoCo has no Jacobian of edges that nothing acts upon, and so no weight.
        let acted_upon = flex::act(m, f) || m.opt.enabled(EnableBit::TextbookFlex);
        let start = usize::try_from(m.flex_edgeadr[f]).unwrap_or(0).min(m.nflexedge);
        let count = usize::try_from(m.flex_edgenum[f]).unwrap_or(0).min(m.nflexedge - start);
        for e in start..start + count {
            let [Some(a), Some(b)] = m.flex_edge[e].map(|v| vertex(m, d, f, v)) else { continue };
            let along = b.point - a.point;
            let length = along.norm();
            m.flexedge_length0[e] = length;
            let bodies = [a.body, b.body].map(|b| b as usize);
            if m.flexedge_rigid[e] != 0 || m.nv == 0 {
                continue;
            }
            if bodies.iter().all(|&b| m.body_simple[b] == POINT_MASS) {
                let [a, b] = bodies.map(|b| 1.0 / m.body_mass[b]);
                m.flexedge_invweight0[e] = (a + b) / 2.0;
            } else if acted_upon {
                let way = if length > 0.0 { along / length } else { Vec3::X };
                dofs.clear();
                chain::for_each_difference(m, &d.subtree_com, &d.cdof, [a, b], |dof, motion| {
                    row[dof] = motion.dot(way);
                    dofs.push(dof);
                });
                m.flexedge_invweight0[e] = factor.weight(dofs.iter().copied(), row);
            }
        }
    }
}

/// A vertex of a flex in space.
fn vertex(m: &Model, d: &Data, flex: usize, v: i32) -> Option<BodyPoint> {
    let v = index(m.flex_vertadr[flex].checked_add(v)?, m.nflexvert)?;
    let body = index(m.flex_vertbodyid[v], m.nbody)?;
    let point = d.xpos[body] + d.xmat[body] * m.flex_vert[v];
    Some(BodyPoint { body: body as i32, point })
}
