//! Lights of the model, as cylinders behind them.

use corten_math::Quat;
use corten_model::enums::{GeomType, ObjType};

use super::{Painter, frame, label};
use crate::enums::{Frame, Label, VisFlag};
use crate::geom::{float3, float9};

pub fn add(p: &mut Painter<'_>) {
    if !p.has(VisFlag::Light) {
        return;
    }
    let unit = p.unit * f64::from(p.m.vis.scale.light);
    for i in 0..p.m.nlight {
        let (pos, dir) = (p.d.light_xpos[i], p.d.light_xdir[i]);
        let mat = Quat::from_z_to(dir).to_mat();
        let mut geom = p.decor(ObjType::Light, i);
        geom.kind = GeomType::Cylinder.raw();
        geom.size = [0.8, 0.8, 1.0].map(|x| (x * unit) as f32);
        // So far back that it casts no shadow of its own.
        geom.pos = float3(pos - dir * (unit + 0.0001));
        geom.mat = float9(mat);
        geom.rgba = p.m.vis.rgba.light;
        label::put(p, &mut geom, Label::Light, ObjType::Light, i);
        p.push(geom);
        if p.opt.frames(Frame::Light) {
            frame::push(p, i, pos, mat, 1.0);
        }
    }
}
