//! Bounding volumes of bodies, flexes and meshes, at the depth that the options ask for.
//!
//! MuJoCo marks the volumes that its collision detection has visited, and shows of meshes only those
//! if the model says so (`visual/global/bvactive`). The engine here searches other structures, so none
//! is marked.

use std::ops::Range;

use corten_math::{Mat3, Vec3};
use corten_model::enums::{GeomType, ObjType};

use super::{At, Painter};
use crate::enums::VisFlag;
use crate::geom::Connector;
use crate::option::group_shown;

/// Adds the wires of a box given by centre and half sizes.
fn wires(p: &mut Painter<'_>, id: usize, bounds: &[f64; 6], pos: Vec3, mat: Mat3) {
    let (centre, size) = (Vec3::from_slice(bounds), Vec3::from_slice(&bounds[3..]));
    let place = (mat * centre + pos, mat);
    let rgba = p.m.vis.rgba.bv;
    p.push_shape(p.decor(ObjType::Unknown, id), GeomType::LineBox, size, place, rgba);
}

fn is_leaf(p: &Painter<'_>, node: usize) -> bool {
    p.m.bvh_child[node] == [-1; 2]
}

/// Whether a node is shown: it has the depth asked for, or is a leaf above.
fn is_shown(p: &Painter<'_>, node: usize) -> bool {
    let (depth, wanted) = (p.m.bvh_depth[node], p.opt.bvh_depth);
    depth == wanted || (is_leaf(p, node) && depth < wanted)
}

fn nodes(p: &Painter<'_>, adr: i32, num: i32) -> Range<usize> {
    let first = usize::try_from(adr).unwrap_or(0).min(p.m.nbvh);
    let count = usize::try_from(num).unwrap_or(0);
    first..first.saturating_add(count).min(p.m.nbvh)
}

pub fn of_bodies(p: &mut Painter<'_>) {
    if !p.has(VisFlag::BodyBvh) {
        return;
    }
    for body in 0..p.m.nbody {
        for i in nodes(p, p.m.body_bvhadr[body], p.m.body_bvhnum[body]) {
            if i >= p.m.bvh_aabb.len() || !is_shown(p, i) {
                continue;
            }
            let geom = p.m.bvh_nodeid[i];
            if is_leaf(p, i)
                && let (Some(bounds), Some(pos), Some(mat)) =
                    (p.m.geom_aabb.at(geom), p.d.geom_xpos.at(geom), p.d.geom_xmat.at(geom))
            {
                wires(p, i, &{ *bounds }, *pos, *mat);
            } else {
                wires(p, i, &{ p.m.bvh_aabb[i] }, p.d.xipos[body], p.d.ximat[body]);
            }
        }
    }
}

pub fn of_flexes(p: &mut Painter<'_>) {
    if !p.has(VisFlag::MeshBvh) {
        return;
    }
    for f in 0..p.m.nflex {
        if group_shown(&p.opt.flexgroup, p.m.flex_group[f]) {
            for i in nodes(p, p.m.flex_bvhadr[f], p.m.flex_bvhnum[f]) {
                let dynamic = i.checked_sub(p.m.nbvhstatic).and_then(|k| p.d.bvh_aabb_dyn.get(k));
                if let Some(bounds) = dynamic.copied().filter(|_| is_shown(p, i)) {
                    wires(p, i, &bounds, Vec3::ZERO, Mat3::IDENTITY);
                }
            }
        }
        if p.m.flex_interp[f] > 0 {
            control_points(p, f);
        }
    }
}

/// Lines between the nodes of an interpolated flex, which form a grid.
fn control_points(p: &mut Painter<'_>, f: usize) {
    let n = p.m.flex_interp[f] as usize + 1;
    let (adr, num) = (p.m.flex_nodeadr[f], p.m.flex_nodenum[f]);
    let bodies = p.m.flex_nodebodyid.span(adr, num);
    let offsets = p.m.flex_node.span(adr, num);
    let place = |(body, offset): (&i32, &Vec3)| {
        let (pos, mat) = (*p.d.xpos.at(*body)?, *p.d.xmat.at(*body)?);
        Some(if p.m.flex_centered[f] != 0 { pos } else { mat * *offset + pos })
    };
    let points: Option<Vec<Vec3>> = bodies.iter().zip(offsets).map(place).collect();
    let Some(points) = points.filter(|points| points.len() == n * n * n) else { return };
    let strides = [n * n, n, 1];
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                let here = i * n * n + j * n + k;
                for (stride, index) in strides.iter().zip([i, j, k]) {
                    if index + 1 < n {
                        let ends = [points[here], points[here + stride]];
                        let geom = p.decor(ObjType::Unknown, i);
                        p.push_connector(geom, Connector::Line, 3.0, ends, geom.rgba);
                    }
                }
            }
        }
    }
}

pub fn of_meshes(p: &mut Painter<'_>) {
    if !p.has(VisFlag::MeshBvh) || p.m.vis.global.bvactive != 0 {
        return;
    }
    for geom in 0..p.m.ngeom {
        let mesh = p.m.geom_dataid[geom];
        let is_mesh = p.m.geom_type[geom] == GeomType::Mesh.raw();
        if !is_mesh || p.m.mesh_octadr.at(mesh).is_none_or(|adr| *adr >= 0) {
            continue;
        }
        let (Some(&adr), Some(&num)) = (p.m.mesh_bvhadr.at(mesh), p.m.mesh_bvhnum.at(mesh)) else {
            continue;
        };
        for i in nodes(p, adr, num) {
            if i < p.m.bvh_aabb.len() && is_shown(p, i) {
                wires(p, i, &{ p.m.bvh_aabb[i] }, p.d.geom_xpos[geom], p.d.geom_xmat[geom]);
            }
        }
    }
}

pub fn of_octrees(p: &mut Painter<'_>) {
    if !p.has(VisFlag::MeshBvh) {
        return;
    }
    for geom in 0..p.m.ngeom {
        let mesh = p.m.geom_dataid[geom];
        let kind = GeomType::from_raw(p.m.geom_type[geom]);
        if !matches!(kind, Some(GeomType::Mesh | GeomType::Sdf)) {
            continue;
        }
        let (Some(&adr), Some(&num)) = (p.m.mesh_octadr.at(mesh), p.m.mesh_octnum.at(mesh)) else {
            continue;
        };
        let boxes = p.m.oct_aabb.span(adr, num);
        for (k, bounds) in boxes.iter().enumerate() {
            let i = adr as usize + k;
            if p.m.oct_depth[i] == p.opt.bvh_depth {
                wires(p, i, bounds, p.d.geom_xpos[geom], p.d.geom_xmat[geom]);
            }
        }
    }
}
