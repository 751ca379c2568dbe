//! Materials, and the glow of what is selected.

use super::{At, Painter};
use crate::enums::{Category, VisFlag};
use crate::geom::Geom;

/// Colour of elements that have been given none.
pub const DEFAULT_RGBA: [f32; 4] = [0.5, 0.5, 0.5, 1.0];

/// Gives a geom the properties of a material, and the element's own colour if it has one.
pub fn apply(p: &Painter<'_>, geom: &mut Geom, matid: i32, rgba: [f32; 4]) {
    let m = p.m;
    let material = usize::try_from(matid).ok().filter(|i| *i < m.nmat);
    if let Some(i) = material {
        geom.rgba = m.mat_rgba[i];
        geom.emission = m.mat_emission[i];
        geom.specular = m.mat_specular[i];
        geom.shininess = m.mat_shininess[i];
        geom.reflectance = m.mat_reflectance[i];
        if p.has(VisFlag::Texture) {
            geom.matid = matid;
        }
    }
    if rgba != DEFAULT_RGBA || material.is_none() {
        geom.rgba = rgba;
    }
    if p.has(VisFlag::Transparent) && geom.category == Category::Dynamic.raw() {
        geom.rgba[3] *= m.vis.map.alpha;
    }
}

/// Lets a geom glow.
pub fn glow(p: &Painter<'_>, geom: &mut Geom) {
    geom.emission += p.m.vis.global.glow;
}

/// Opacity of an element as the model has it; decoration is not shown for what is invisible.
pub fn opacity(p: &Painter<'_>, matid: i32, rgba: [f32; 4]) -> f32 {
    p.m.mat_rgba.at(matid).map_or(rgba[3], |material| material[3])
}
