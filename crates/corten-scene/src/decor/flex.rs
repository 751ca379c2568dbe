//! Flexes: one geom each, and their edges and faces in the scene.

use corten_math::Vec3;
use corten_model::enums::{GeomType, ObjType};
use corten_sim::{Data, Model};

use super::{At, Painter, label, material};
use crate::enums::{Category, Label, VisFlag};
use crate::geom::float3;
use crate::option::{VisOption, group_shown};
use crate::scene::{FlexSurfaces, Scene};

pub fn add(p: &mut Painter<'_>) {
    if !p.wants(Category::Dynamic) || !p.opt.shows_flexes() {
        return;
    }
    for i in 0..p.m.nflex {
        if !group_shown(&p.opt.flexgroup, p.m.flex_group[i]) {
            continue;
        }
        let mut geom = p.of(ObjType::Flex, i, Category::Dynamic);
        let first = p.d.flexvert_xpos.at(p.m.flex_vertadr[i]).copied();
        geom.init(GeomType::Flex.raw(), None, first, None, None);
        geom.size[0] = p.m.flex_radius[i] as f32;
        material::apply(p, &mut geom, p.m.flex_matid[i], p.m.flex_rgba[i]);
        if p.m.flex_texcoordadr[i] >= 0 {
            geom.texcoord = 1;
        } else {
            geom.matid = -1;
        }
        if p.pert.flexselect == i as i32 {
            material::glow(p, &mut geom);
        }
        if geom.rgba[3] == 0.0 {
            continue;
        }
        label::put(p, &mut geom, Label::Flex, ObjType::Flex, i);
        p.push(geom);
    }
}

/// Brings the flexes of a scene to the present state (MuJoCo's `mjv_updateActiveFlex`).
pub fn surfaces(m: &Model, d: &Data, opt: &VisOption, scene: &mut Scene) {
    let flag = |flag: VisFlag| opt.flags[flag as usize];
    let out = &mut scene.flex;
    out.vertopt = flag(VisFlag::FlexVert);
    out.edgeopt = flag(VisFlag::FlexEdge);
    out.faceopt = flag(VisFlag::FlexFace);
    out.skinopt = flag(VisFlag::FlexSkin);
    for (to, from) in out.vert.iter_mut().zip(&d.flexvert_xpos) {
        *to = float3(*from);
    }
    for f in 0..m.nflex {
        let faces = Faces::new(m, d, f, out);
        let used = match m.flex_dim[f] {
            2 | 3 if opt.has(VisFlag::FlexSkin) => faces.skin(),
            2 | 3 if opt.has(VisFlag::FlexFace) => faces.elements(opt.flex_layer),
            _ => 0,
        };
        out.faceused[f] = used as i32;
    }
}

/// A flex, and room for its faces.
struct Faces<'a> {
    vertices: &'a [Vec3],
    dim: usize,
    radius: f64,
    flat: bool,
    /// Vertices of the elements, `dim + 1` each.
    elements: &'a [i32],
    layers: &'a [i32],
    /// Vertices of the shell's fragments, `dim` each.
    shell: &'a [i32],
    element_texture: &'a [i32],
    /// Empty if it has no texture coordinates.
    texcoord: &'a [[f32; 2]],
    face: &'a mut [[[f32; 3]; 3]],
    normal: &'a mut [[[f32; 3]; 3]],
    texture: &'a mut [[[f32; 2]; 3]],
    used: usize,
}

impl<'a> Faces<'a> {
    fn new(m: &'a Model, d: &'a Data, f: usize, out: &'a mut FlexSurfaces) -> Faces<'a> {
        let dim = m.flex_dim[f].clamp(1, 3);
        let count = m.flex_elemnum[f].saturating_mul(dim + 1);
        let start = (out.faceadr[f] as usize).min(out.face.len());
        let end = (start + out.facenum[f] as usize).min(out.face.len());
        let texcoord = m.flex_texcoordadr[f];
        Faces {
            vertices: d.flexvert_xpos.span(m.flex_vertadr[f], m.flex_vertnum[f]),
            dim: dim as usize,
            radius: m.flex_radius[f],
            flat: m.flex_flatskin[f] != 0,
            elements: m.flex_elem.span(m.flex_elemdataadr[f], count),
            layers: m.flex_elemlayer.span(m.flex_elemadr[f], m.flex_elemnum[f]),
            shell: m
                .flex_shell
                .span(m.flex_shelldataadr[f], m.flex_shellnum[f].saturating_mul(dim)),
            element_texture: m.flex_elemtexcoord.span(m.flex_elemdataadr[f], count),
            texcoord: usize::try_from(texcoord)
                .ok()
                .and_then(|adr| m.flex_texcoord.get(adr..))
                .unwrap_or(&[]),
            face: &mut out.face[start..end],
            normal: &mut out.normal[start..end],
            texture: &mut out.texcoord[start..end],
            used: 0,
        }
    }

    fn corners(&self, ids: [i32; 3]) -> Option<[Vec3; 3]> {
        let [a, b, c] = ids.map(|v| self.vertices.at(v).copied());
        Some([a?, b?, c?])
    }

    fn push(&mut self, face: [Vec3; 3], normal: [Vec3; 3], texture: [i32; 3]) {
        let k = self.used;
        if k >= self.face.len() {
            return;
        }
        self.face[k] = face.map(float3);
        self.normal[k] = normal.map(float3);
        if !self.texcoord.is_empty() {
            self.texture[k] = texture.map(|i| self.texcoord.at(i).copied().unwrap_or_default());
        }
        self.used += 1;
    }

    /// Flat faces of all elements of a sheet, or of one layer of a solid, moved outwards by the radius.
    fn elements(mut self, layer: i32) -> usize {
        /// Faces of an element, seen from outside.
        const SHEET: &[[usize; 3]] = &[[0, 1, 2], [0, 2, 1]];
        const SOLID: &[[usize; 3]] = &[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]];
        let sides = if self.dim == 2 { SHEET } else { SOLID };
        let width = self.dim + 1;
        let elements = self.elements.chunks_exact(width);
        let all = elements.zip(self.element_texture.chunks_exact(width)).zip(self.layers);
        for ((vertices, texture), own) in all {
            if self.dim == 3 && *own != layer {
                continue;
            }
            for side in sides {
                if let Some(corners) = self.corners(side.map(|k| vertices[k])) {
                    let normal = normal_of(corners);
                    let face = corners.map(|x| x + normal * self.radius);
                    self.push(face, [normal; 3], side.map(|k| texture[k]));
                }
            }
        }
        self.used
    }

    /// The surface, moved outwards along smoothed normals: both sides and the rim of a sheet, the shell
    /// of a solid.
    fn skin(mut self) -> usize {
        let width = self.dim + 1;
        let (elements, shell, textures) = (self.elements, self.shell, self.element_texture);
        let triangles: Vec<[i32; 3]> = match self.dim {
            2 => elements.chunks_exact(width).map(|e| [e[0], e[1], e[2]]).collect(),
            _ => shell.chunks_exact(self.dim).map(|s| [s[0], s[1], s[2]]).collect(),
        };
        let normals = self.smoothed(&triangles);
        if self.dim == 3 {
            for ids in triangles {
                self.smooth(ids, self.radius, &normals, ids);
            }
            return self.used;
        }
        for (ids, texture) in triangles.into_iter().zip(textures.chunks_exact(width)) {
            let [a, b, c] = ids;
            let [s, t, u] = [texture[0], texture[1], texture[2]];
            self.smooth([a, b, c], self.radius, &normals, [s, t, u]);
            self.smooth([a, c, b], -self.radius, &normals, [s, u, t]);
        }
        for fragment in shell.chunks_exact(2) {
            let (a, b) = (fragment[0], fragment[1]);
            self.rim([a, b], self.radius, &normals);
            self.rim([b, a], -self.radius, &normals);
        }
        self.used
    }

    /// Mean normals of the faces around each vertex.
    fn smoothed(&self, triangles: &[[i32; 3]]) -> Vec<Vec3> {
        let mut normals = vec![Vec3::ZERO; self.vertices.len()];
        for ids in triangles {
            if let Some(corners) = self.corners(*ids) {
                let normal = normal_of(corners);
                for id in ids {
                    normals[*id as usize] += normal;
                }
            }
        }
        normals.into_iter().map(|n| n.normalized().0).collect()
    }

    fn smooth(&mut self, ids: [i32; 3], radius: f64, normals: &[Vec3], texture: [i32; 3]) {
        let Some(corners) = self.corners(ids) else { return };
        let sign = if radius > 0.0 { 1.0 } else { -1.0 };
        let around = ids.map(|v| normals[v as usize]);
        let shading =
            if self.flat { [normal_of(corners) * sign; 3] } else { around.map(|n| n * sign) };
        let face = std::array::from_fn(|k| corners[k] + around[k] * radius);
        self.push(face, shading, texture);
    }

    /// Half of the strip that closes the rim of a sheet along one edge.
    fn rim(&mut self, [a, b]: [i32; 2], radius: f64, normals: &[Vec3]) {
        let Some([from, to, _]) = self.corners([a, b, b]) else { return };
        let (at_from, at_to) = (normals[a as usize] * radius, normals[b as usize] * radius);
        let across = (to - from).cross(normals[b as usize]);
        let normal = (if radius < 0.0 { -across } else { across }).normalized().0;
        self.push([from + at_from, to - at_to, to + at_to], [normal; 3], [a, b, b]);
    }
}

fn normal_of([a, b, c]: [Vec3; 3]) -> Vec3 {
    (b - a).cross(c - a).normalized().0
}
