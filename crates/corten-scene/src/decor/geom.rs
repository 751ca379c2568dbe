//! Geoms of the model.

use corten_math::Vec3;
use corten_model::enums::{EnableBit, GeomType, ObjType};
use corten_sim::sleep;

use super::label::{self, island_of};
use super::{At, Painter, color, material, plugin};
use crate::enums::{Label, VisFlag};
use crate::geom::{Geom, double3, float3};
use crate::option::group_shown;

/// Most divisions of a plane (MuJoCo's `mjMAXPLANEGRID`).
const MAX_PLANE_GRID: f64 = 200.0;

pub fn add(p: &mut Painter<'_>) {
    let mut planes = 0;
    let colors = plugin::colors(p);
    for i in 0..p.m.ngeom {
        let plane = planes;
        planes += i32::from(p.m.geom_type[i] == GeomType::Plane.raw());
        let category = p.category(p.m.geom_bodyid[i]);
        if !p.wants(category) || !group_shown(&p.opt.geomgroup, p.m.geom_group[i]) {
            continue;
        }
        let geom = p.of(ObjType::Geom, i, category);
        if let Some(geom) = complete(p, geom, i, plane, colors[i]) {
            p.push(geom);
        }
    }
}

/// The geom as it is shown; `None` if it is invisible.
fn complete(p: &Painter<'_>, mut geom: Geom, i: usize, plane: i32, rgba: [f32; 4]) -> Option<Geom> {
    let m = p.m;
    let (pos, mat) = (p.d.geom_xpos[i], p.d.geom_xmat[i]);
    geom.init(m.geom_type[i], Some(m.geom_size[i]), Some(pos), Some(mat), None);
    geom.modelrbound = m.geom_rbound[i] as f32;
    material::apply(p, &mut geom, m.geom_matid[i], rgba);
    if p.has(VisFlag::Island) {
        color_by_island(p, &mut geom, i);
    }
    if geom.rgba[3] == 0.0 {
        return None;
    }
    if p.pert.select > 0 && p.pert.select == m.geom_bodyid[i] {
        material::glow(p, &mut geom);
    }
    label::put(p, &mut geom, Label::Geom, ObjType::Geom, i);
    let data = m.geom_dataid[i];
    match GeomType::from_raw(m.geom_type[i]) {
        Some(GeomType::Mesh | GeomType::Sdf) => {
            geom.texcoord = m.mesh_texcoordadr.at(data).is_some_and(|adr| *adr >= 0).into();
            geom.dataid = 2 * data + i32::from(shows_hull(p, i));
        }
        Some(GeomType::Plane) => {
            geom.dataid = plane;
            geom.pos = float3(centre_of_plane(p, i));
        }
        _ => geom.dataid = data,
    }
    Some(geom)
}

/// Whether the convex hull stands for a mesh: it takes part in collisions with it.
fn shows_hull(p: &Painter<'_>, i: usize) -> bool {
    p.has(VisFlag::ConvexHull)
        && p.m.mesh_graphadr.at(p.m.geom_dataid[i]).is_some_and(|adr| *adr >= 0)
        && (p.m.geom_contype[i] != 0 || p.m.geom_conaffinity[i] != 0)
}

/// Replaces material and colour of what moves by the colour of its island; where sleep is enabled and
/// there is no island, of the trees that fall asleep together.
fn color_by_island(p: &Painter<'_>, geom: &mut Geom, i: usize) {
    let (m, d) = (p.m, p.d);
    let Some(body) = usize::try_from(m.geom_bodyid[i]).ok().filter(|b| *b < m.nbody) else {
        return;
    };
    let weld = m.body_weldid[body];
    if m.body_dofnum.at(weld).is_none_or(|n| *n == 0) {
        return;
    }
    geom.matid = -1;
    let awake = d.body_awake[body] != 0;
    let mut first_dof = None;
    if d.nisland > 0 {
        first_dof = island_of(p, body).and_then(|island| d.island_dofadr.at(island).copied());
    }
    if first_dof.is_none() && m.opt.enabled(EnableBit::Sleep) {
        let dof = m.body_dofadr.at(weld).copied().unwrap_or(-1);
        let mut tree = m.dof_treeid.at(dof).copied().unwrap_or(-1);
        if !awake && let Ok(own) = usize::try_from(tree) {
            tree = sleep::cycle(&d.tree_asleep, own).map_or(-1, |smallest| smallest as i32);
        }
        first_dof = m.tree_dofadr.at(tree).copied();
    }
    geom.rgba = color::island(first_dof, awake);
}

/// Where a plane is drawn: one that is infinite follows the camera, in steps of its grid.
fn centre_of_plane(p: &Painter<'_>, i: usize) -> Vec3 {
    let (m, size) = (p.m, p.m.geom_size[i]);
    let (pos, mat) = (p.d.geom_xpos[i], p.d.geom_xmat[i]);
    let [left, right] = p.scene.camera.map(|camera| double3(camera.pos));
    let to_head = (left + right) * 0.5 - pos;
    let mut centre = pos;
    for k in 0..2 {
        if size[k] > 0.0 {
            continue;
        }
        let repeat = m.mat_texrepeat.at(m.geom_matid[i]).map_or(0.0, |repeat| repeat[k]);
        let step = if repeat > 0.0 {
            f64::from(2.0 / repeat)
        } else {
            2.1 * f64::from(m.vis.map.zfar) * m.stat.extent / (MAX_PLANE_GRID - 2.0)
        };
        let axis = mat.col(k);
        let steps = (0.5 * to_head.dot(axis) / step).round();
        centre += axis * (2.0 * step * steps);
    }
    centre
}
