//! Cameras of the model: a box with a lens, and the pyramid that those with a sensor see.

use corten_math::Vec3;
use corten_model::enums::{GeomType, ObjType};

use super::{Painter, frame, label};
use crate::enums::{Frame, Label, VisFlag};
use crate::geom::{Connector, Geom, float3, float9};
use crate::view::intrinsic_frustum;

pub fn add(p: &mut Painter<'_>) {
    if !p.has(VisFlag::Camera) {
        return;
    }
    for i in 0..p.m.ncam {
        let mut rgba = p.m.vis.rgba.camera;
        if p.m.cam_sensorsize[i][1] > 0.0 {
            rgba[3] = 0.3;
            frustum(p, i);
        }
        housing(p, i, rgba);
        if p.opt.frames(Frame::Camera) {
            frame::push(p, i, p.d.cam_xpos[i], p.d.cam_xmat[i], 1.0);
        }
    }
}

fn housing(p: &mut Painter<'_>, i: usize, rgba: [f32; 4]) {
    let unit = p.unit * f64::from(p.m.vis.scale.camera);
    let (pos, mat) = (p.d.cam_xpos[i], p.d.cam_xmat[i]);
    let place = |geom: Geom, kind: GeomType, pos: Vec3, size: [f64; 3]| Geom {
        kind: kind.raw(),
        size: size.map(|x| (x * unit) as f32),
        pos: float3(pos),
        mat: float9(mat),
        ..geom
    };
    let mut body = place(p.decor(ObjType::Camera, i), GeomType::Box, pos, [1.0, 0.8, 0.4]);
    body.rgba = rgba;
    label::put(p, &mut body, Label::Camera, ObjType::Camera, i);
    p.push(body);

    let front = pos - mat.col(2) * (0.6 * unit);
    let mut lens = place(p.decor(ObjType::Camera, i), GeomType::Cylinder, front, [0.4, 0.4, 0.3]);
    let [r, g, b, a] = rgba;
    lens.rgba = [0.5 * r, 0.5 * g, 0.5 * b, a];
    p.push(lens);
}

/// Sides as triangles, edges as lines, from the near plane on.
fn frustum(p: &mut Painter<'_>, i: usize) {
    let near = f64::from(p.m.vis.map.znear) * p.m.stat.extent;
    let far = f64::from(p.m.vis.scale.frustum) * p.unit;
    let (ver, hor) = intrinsic_frustum(near as f32, p.m.cam_intrinsic[i], p.m.cam_sensorsize[i]);
    let (pos, mat) = (p.d.cam_xpos[i], p.d.cam_xmat[i]);
    let corners = |distance: f64| {
        let corner = |x: f32, y: f32| {
            let [x, y] = [x, y].map(|edge| f64::from(edge) * distance / near);
            pos - mat.col(2) * distance + mat.col(0) * x + mat.col(1) * y
        };
        [
            corner(-hor[0], -ver[0]),
            corner(hor[1], -ver[0]),
            corner(hor[1], ver[1]),
            corner(-hor[0], ver[1]),
        ]
    };
    let (front, back) = (corners(near), corners(far));
    let rgba = p.m.vis.rgba.frustum;
    for e in 0..4 {
        let next = (e + 1) % 4;
        for side in [[front[e], back[e], front[next]], [back[e], back[next], front[next]]] {
            let mut geom = p.decor(ObjType::Camera, i);
            geom.triangle(side, rgba);
            p.push(geom);
        }
        for ends in [[front[e], front[next]], [back[e], back[next]], [front[e], back[e]]] {
            p.push_connector(p.decor(ObjType::Camera, i), Connector::Line, 3.0, ends, rgba);
        }
    }
}
