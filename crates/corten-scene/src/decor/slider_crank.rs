//! Slider-cranks: the slider as a cylinder, the rod as a capsule.

use corten_model::enums::{ObjType, Transmission};

use super::{At, Painter, label};
use crate::enums::{Category, Label};
use crate::geom::Connector;

pub fn add(p: &mut Painter<'_>) {
    if !p.wants(Category::Dynamic) {
        return;
    }
    for i in 0..p.m.nu {
        if p.m.actuator_trntype[i] == Transmission::SliderCrank.raw() {
            one(p, i);
        }
    }
}

fn one(p: &mut Painter<'_>, i: usize) -> Option<()> {
    let [crank, slider] = p.m.actuator_trnid[i];
    let rod = p.m.actuator_cranklength[i];
    let (crank, origin) = (*p.d.site_xpos.at(crank)?, *p.d.site_xpos.at(slider)?);
    let axis = p.d.site_xmat.at(slider)?.col(2);

    // The rod's other end is on the axis, at its length from the crank: a quadratic equation.
    let between = crank - origin;
    let along = between.dot(axis);
    let discriminant = along * along + rod * rod - between.dot(between);
    let end = origin + axis * (along - discriminant.max(0.0).sqrt());

    let width = p.unit * f64::from(p.m.vis.scale.slidercrank);
    let colors = &p.m.vis.rgba;
    let (whole, broken) = (colors.slidercrank, colors.crankbroken);
    let mut geom = p.of(ObjType::Actuator, i, Category::Dynamic);
    label::put(p, &mut geom, Label::Actuator, ObjType::Actuator, i);
    p.push_connector(geom, Connector::Cylinder, width, [origin, end], whole);
    let rgba = if discriminant < 0.0 { broken } else { whole };
    let geom = p.of(ObjType::Actuator, i, Category::Dynamic);
    p.push_connector(geom, Connector::Capsule, width / 2.0, [end, crank], rgba);
    Some(())
}
