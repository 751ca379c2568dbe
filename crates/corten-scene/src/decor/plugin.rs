//! What plugins show: boxes, and other colours of geoms.

use corten_model::enums::{GeomType, ObjType};
use corten_sim::extend::Mark;

use super::Painter;

/// Boxes of plugins.
pub fn boxes(p: &mut Painter<'_>) {
    for mark in marks(p) {
        if let Mark::Box { sensor, size, pos, mat, rgba } = mark {
            let geom = p.decor(ObjType::Unknown, sensor);
            p.push_shape(geom, GeomType::Box, size, (pos, mat), rgba);
        }
    }
}

/// Geoms' own colours, with those that plugins give them.
pub fn colors(p: &Painter<'_>) -> Vec<[f32; 4]> {
    let mut colors = p.m.geom_rgba.to_vec();
    for mark in marks(p) {
        if let Mark::Color { geom, rgb: [r, g, b] } = mark
            && let Some(rgba) = colors.get_mut(geom)
        {
            *rgba = [r, g, b, rgba[3]];
        }
    }
    colors
}

fn marks(p: &Painter<'_>) -> Vec<Mark> {
    if p.m.nplugin == 0 { Vec::new() } else { p.m.extensions().marks(p.m, p.d) }
}
