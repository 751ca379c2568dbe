//! The two points or frames that connect and weld constraints hold together.

use corten_math::{Mat3, Vec3};
use corten_model::enums::{EqualityType, GeomType, ObjType};

use super::{At, Painter, label};
use crate::enums::{Label, VisFlag};

pub fn add(p: &mut Painter<'_>) {
    if !p.has(VisFlag::Constraint) {
        return;
    }
    for i in 0..p.m.neq {
        if p.d.eq_active[i] != 0
            && let Some(ends) = ends(p, i)
        {
            let rgba = [p.m.vis.rgba.connect, p.m.vis.rgba.constraint];
            for ((pos, mat), rgba) in ends.into_iter().zip(rgba) {
                let size = Vec3::splat(p.unit * f64::from(p.m.vis.scale.constraint));
                let mut geom = p.decor(ObjType::Equality, i);
                let kind = GeomType::Sphere.raw();
                geom.init(kind, Some(size), Some(pos), Some(mat), Some(rgba));
                label::put(p, &mut geom, Label::Constraint, ObjType::Equality, i);
                p.push(geom);
            }
        }
    }
}

fn ends(p: &Painter<'_>, i: usize) -> Option<[(Vec3, Mat3); 2]> {
    let (m, d) = (p.m, p.d);
    let weld = match EqualityType::from_raw(m.eq_type[i])? {
        EqualityType::Connect => false,
        EqualityType::Weld => true,
        _ => return None,
    };
    let objects = [m.eq_obj1id[i], m.eq_obj2id[i]];
    if m.eq_objtype[i] == ObjType::Site.raw() {
        let [a, b] = objects.map(|s| Some((*d.site_xpos.at(s)?, *d.site_xmat.at(s)?)));
        return Some([a?, b?]);
    }
    // Anchors in the two bodies: a weld has that of the second body first.
    let data = &m.eq_data[i];
    let anchors = [Vec3::from_slice(data), Vec3::from_slice(&data[3..])];
    let end = |body: i32, anchor: Vec3| {
        let mat = *d.xmat.at(body)?;
        Some((mat * anchor + *d.xpos.at(body)?, mat))
    };
    let [first, second] = if weld { [anchors[1], anchors[0]] } else { anchors };
    Some([end(objects[0], first)?, end(objects[1], second)?])
}
