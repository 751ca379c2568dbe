//! Sites.

use corten_model::enums::ObjType;

use super::{Painter, label, material};
use crate::enums::Label;
use crate::option::group_shown;

pub fn add(p: &mut Painter<'_>) {
    for i in 0..p.m.nsite {
        let body = p.m.site_bodyid[i];
        let category = p.category(body);
        if !p.wants(category) || !group_shown(&p.opt.sitegroup, p.m.site_group[i]) {
            continue;
        }
        let mut geom = p.of(ObjType::Site, i, category);
        let (pos, mat) = (p.d.site_xpos[i], p.d.site_xmat[i]);
        geom.init(p.m.site_type[i], Some(p.m.site_size[i]), Some(pos), Some(mat), None);
        material::apply(p, &mut geom, p.m.site_matid[i], p.m.site_rgba[i]);
        if geom.rgba[3] == 0.0 {
            continue;
        }
        if p.pert.select > 0 && p.pert.select == body {
            material::glow(p, &mut geom);
        }
        label::put(p, &mut geom, Label::Site, ObjType::Site, i);
        p.push(geom);
    }
}
