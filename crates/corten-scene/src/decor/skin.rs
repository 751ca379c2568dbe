//! Skins: one geom each, and their vertices in the scene.

use corten_math::{MIN_VAL, Quat, Vec3};
use corten_model::enums::{GeomType, ObjType};
use corten_sim::{Data, Model};

use super::{At, Painter, label, material};
use crate::enums::{Category, Label, VisFlag};
use crate::geom::{double3, float3};
use crate::option::{VisOption, group_shown};
use crate::scene::Scene;

pub fn add(p: &mut Painter<'_>) {
    if !p.wants(Category::Dynamic) || !p.has(VisFlag::Skin) {
        return;
    }
    for i in 0..p.m.nskin {
        if !group_shown(&p.opt.skingroup, p.m.skin_group[i]) {
            continue;
        }
        let mut geom = p.of(ObjType::Skin, i, Category::Dynamic);
        let bone = p.m.skin_bonebodyid.at(p.m.skin_boneadr[i]).copied().unwrap_or(-1);
        geom.init(GeomType::Skin.raw(), None, p.d.xpos.at(bone).copied(), None, None);
        material::apply(p, &mut geom, p.m.skin_matid[i], p.m.skin_rgba[i]);
        if p.pert.skinselect == i as i32 {
            material::glow(p, &mut geom);
        }
        geom.texcoord = (p.m.skin_texcoordadr[i] >= 0).into();
        if geom.rgba[3] == 0.0 {
            continue;
        }
        label::put(p, &mut geom, Label::Skin, ObjType::Skin, i);
        p.push(geom);
    }
}

/// Brings the skins of a scene to the present state (MuJoCo's `mjv_updateActiveSkin`): each vertex is
/// the weighted mean of where its bones carry it.
pub fn surfaces(m: &Model, d: &Data, opt: &VisOption, scene: &mut Scene) {
    for i in 0..m.nskin {
        let (adr, num) = (m.skin_vertadr[i], m.skin_vertnum[i]);
        let rest = m.skin_vert.span(adr, num);
        let first = usize::try_from(adr).unwrap_or(0);
        let Some(vert) = scene.skin.vert.get_mut(first..first + rest.len()) else { continue };
        let Some(normal) = scene.skin.normal.get_mut(first..first + rest.len()) else { continue };
        vert.fill([0.0; 3]);
        normal.fill([0.0; 3]);
        if group_shown(&opt.skingroup, m.skin_group[i]) {
            carry(m, d, i, rest, vert);
            shade(m.skin_face.span(m.skin_faceadr[i], m.skin_facenum[i]), vert, normal);
            let inflate = m.skin_inflate[i];
            if inflate != 0.0 {
                for (x, n) in vert.iter_mut().zip(normal) {
                    *x = std::array::from_fn(|k| x[k] + inflate * n[k]);
                }
            }
        }
    }
}

/// Sums up what the bones of a skin do to its vertices.
fn carry(m: &Model, d: &Data, skin: usize, rest: &[[f32; 3]], vert: &mut [[f32; 3]]) {
    let bones = (0..m.nskinbone).skip(m.skin_boneadr[skin].max(0) as usize);
    for j in bones.take(m.skin_bonenum[skin].max(0) as usize) {
        let body = m.skin_bonebodyid[j];
        let (Some(xquat), Some(xpos)) = (d.xquat.at(body), d.xpos.at(body)) else { continue };
        let bind = Quat(m.skin_bonebindquat[j].map(f64::from));
        let rotate = (*xquat * bind.conjugate()).to_mat();
        let translate = *xpos - rotate * double3(m.skin_bonebindpos[j]);
        let (adr, num) = (m.skin_bonevertadr[j], m.skin_bonevertnum[j]);
        let ids = m.skin_bonevertid.span(adr, num);
        for (id, weight) in ids.iter().zip(m.skin_bonevertweight.span(adr, num)) {
            let Some(id) = usize::try_from(*id).ok().filter(|id| *id < vert.len()) else {
                continue;
            };
            let moved = float3(rotate * double3(rest[id]) + translate);
            vert[id] = std::array::from_fn(|k| vert[id][k] + weight * moved[k]);
        }
    }
}

/// Normals of vertices: the mean over the faces around, weighted by area.
fn shade(faces: &[[i32; 3]], vert: &[[f32; 3]], normal: &mut [[f32; 3]]) {
    for face in faces {
        let [Some(a), Some(b), Some(c)] = face.map(|v| vert.at(v).copied()) else { continue };
        let edge = |from: [f32; 3], to: [f32; 3]| {
            Vec3(std::array::from_fn(|k| f64::from(to[k] - from[k])))
        };
        let area = edge(a, b).cross(edge(a, c));
        for v in face {
            let n = &mut normal[*v as usize];
            *n = std::array::from_fn(|k| (f64::from(n[k]) + area[k]) as f32);
        }
    }
    for n in normal {
        let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
        let scale = (1.0 / f64::from(length).max(MIN_VAL)) as f32;
        *n = n.map(|x| x * scale);
    }
}
