//! Joints: arrows along their axes, boxes and spheres for those without one.

use corten_model::enums::{ConstraintType, GeomType, JointType, ObjType};

use super::tendon::limit_impedance;
use super::{At, Painter, color, label};
use crate::enums::{Label, VisFlag};
use crate::geom::{Connector, float3, float9};
use crate::option::group_shown;

pub fn add(p: &mut Painter<'_>) {
    if !p.has(VisFlag::Joint) {
        return;
    }
    let length = f64::from(p.m.vis.scale.jointlength) * p.unit;
    let width = f64::from(p.m.vis.scale.jointwidth) * p.unit;
    for i in 0..p.m.njnt {
        if !group_shown(&p.opt.jointgroup, p.m.jnt_group[i]) {
            continue;
        }
        let mut geom = p.decor(ObjType::Joint, i);
        let anchor = p.d.xanchor[i];
        let tip = anchor + p.d.xaxis[i] * length;
        match JointType::from_raw(p.m.jnt_type[i]) {
            Some(JointType::Slide) => geom.connect(Connector::Arrow, width, anchor, tip),
            Some(JointType::Hinge) => geom.connect(Connector::Arrow1, width, anchor, tip),
            Some(kind @ (JointType::Free | JointType::Ball)) => {
                let shape = if kind == JointType::Free { GeomType::Box } else { GeomType::Sphere };
                geom.kind = shape.raw();
                geom.size = [(0.3 * length) as f32; 3];
                geom.pos = float3(anchor);
                if let Some(mat) = p.d.xmat.at(p.m.jnt_bodyid[i]) {
                    geom.mat = float9(*mat);
                }
            }
            None => continue,
        }
        let share = limit_impedance(p, ConstraintType::LimitJoint, i);
        geom.rgba = color::mix(p.m.vis.rgba.joint, p.m.vis.rgba.constraint, share);
        geom.rgba[3] = 1.0;
        label::put(p, &mut geom, Label::Joint, ObjType::Joint, i);
        p.push(geom);
    }
}
