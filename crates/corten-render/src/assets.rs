//! What a model contributes to every picture: shapes, meshes, height fields, textures.

use corten_model::enums::{ColorSpace, GeomType, TextureRole, TextureType};
use corten_sim::Model;

use crate::error::RenderError;
use crate::linear::{V3, dot, normal};
use crate::mesh::Mesh;
use crate::shapes::{Quality, Shapes, plane, plane_lines};
use crate::texture::{Image, Texture};

/// Most facets along one direction: `visual/quality` beyond that is taken as that.
const FINEST: i32 = 1024;

/// How a material uses its texture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coating {
    pub texture: Option<usize>,
    pub uniform: bool,
    pub repeat: [f32; 2],
}

/// Faces and texture coordinates of a skin, whose vertices are in the scene.
#[derive(Clone, Debug, Default)]
pub(crate) struct SkinTopology {
    pub faces: Vec<[u32; 3]>,
    pub uv: Vec<[f32; 2]>,
}

/// Everything of a model that scenes refer to by number.
#[derive(Debug)]
pub(crate) struct Assets {
    pub shapes: Shapes,
    /// Planes with their grids, in the order of the model's planes.
    pub planes: Vec<Mesh>,
    /// Meshes, each followed by its convex hull.
    pub meshes: Vec<Mesh>,
    pub hfields: Vec<Mesh>,
    pub textures: Vec<Texture>,
    pub sky: Option<usize>,
    pub coatings: Vec<Coating>,
    pub skins: Vec<SkinTopology>,
    pub haze: V3,
    quads: usize,
}

impl Assets {
    pub(crate) fn new(m: &Model) -> Assets {
        let quality = Quality {
            slices: m.vis.quality.numslices.clamp(3, FINEST) as usize,
            stacks: m.vis.quality.numstacks.clamp(2, FINEST) as usize,
            quads: m.vis.quality.numquads.clamp(1, FINEST) as usize,
        };
        let [r, g, b, _] = m.vis.rgba.haze;
        let mut assets = Assets {
            shapes: Shapes::new(quality, m.vis.map.haze),
            planes: planes(m),
            meshes: Vec::new(),
            hfields: Vec::new(),
            textures: Vec::new(),
            sky: m.tex_type.iter().position(|&t| t == TextureType::Skybox.raw()),
            coatings: coatings(m),
            skins: (0..m.nskin).map(|i| skin(m, i)).collect(),
            haze: [r, g, b],
            quads: quality.quads,
        };
        assets.meshes = (0..m.nmesh).flat_map(|i| [mesh(m, i), hull(m, i)]).collect();
        assets.hfields = (0..m.nhfield).map(|i| hfield(m, i, assets.quads)).collect();
        assets.textures = (0..m.ntex).map(|i| texture(m, i)).collect();
        assets
    }

    /// Takes over a mesh that has changed.
    pub(crate) fn upload_mesh(&mut self, m: &Model, id: usize) -> Result<(), RenderError> {
        let range = 2 * id..2 * id + 2;
        let slots = self.meshes.get_mut(range).filter(|_| id < m.nmesh);
        let slots = slots.ok_or(RenderError::Index { kind: "mesh", id })?;
        (slots[0], slots[1]) = (mesh(m, id), hull(m, id));
        Ok(())
    }

    /// Takes over a height field that has changed.
    pub(crate) fn upload_hfield(&mut self, m: &Model, id: usize) -> Result<(), RenderError> {
        let slot = self.hfields.get_mut(id).filter(|_| id < m.nhfield);
        *slot.ok_or(RenderError::Index { kind: "height field", id })? = hfield(m, id, self.quads);
        Ok(())
    }

    /// Takes over a texture that has changed.
    pub(crate) fn upload_texture(&mut self, m: &Model, id: usize) -> Result<(), RenderError> {
        let slot = self.textures.get_mut(id).filter(|_| id < m.ntex);
        *slot.ok_or(RenderError::Index { kind: "texture", id })? = texture(m, id);
        Ok(())
    }
}

fn planes(m: &Model) -> Vec<Mesh> {
    let zfar = m.vis.map.zfar as f64 * m.stat.extent;
    let of = |i: usize| {
        let material = usize::try_from(m.geom_matid[i]).ok();
        let size = m.geom_size[i];
        let lines = [0, 1].map(|k| {
            let repeat = material.and_then(|id| m.mat_texrepeat.get(id)).map(|r| r[k] as f64);
            plane_lines(size[k], size[2], zfar, repeat)
        });
        plane(&lines[0], &lines[1])
    };
    (0..m.ngeom).filter(|&i| m.geom_type[i] == GeomType::Plane.raw()).map(of).collect()
}

fn coatings(m: &Model) -> Vec<Coating> {
    (0..m.nmat)
        .map(|i| Coating {
            texture: usize::try_from(m.mat_texid[i][TextureRole::Rgb as usize]).ok(),
            uniform: m.mat_texuniform[i] != 0,
            repeat: m.mat_texrepeat[i],
        })
        .collect()
}

fn texture(m: &Model, i: usize) -> Texture {
    let start = usize::try_from(m.tex_adr[i]).unwrap_or(0);
    let size = |n: i32| usize::try_from(n).unwrap_or(0);
    let image = Image {
        width: size(m.tex_width[i]),
        height: size(m.tex_height[i]),
        channels: size(m.tex_nchannel[i]),
        data: m.tex_data.get(start..).unwrap_or(&[]),
    };
    if m.tex_type[i] == TextureType::Flat.raw() {
        Texture::flat(image, m.tex_colorspace[i] == ColorSpace::Srgb.raw())
    } else {
        Texture::cube(image)
    }
}

/// Rows of an array that begin at an address; none where the address is negative.
fn rows<T>(array: &[T], adr: i32, count: i32) -> &[T] {
    let (Ok(adr), Ok(count)) = (usize::try_from(adr), usize::try_from(count)) else { return &[] };
    array.get(adr..).map_or(&[], |rest| &rest[..count.min(rest.len())])
}

fn at<T: Copy>(rows: &[T], i: i32) -> Option<T> {
    rows.get(usize::try_from(i).ok()?).copied()
}

/// A mesh as it is drawn: corners whose normal deviates much from that of the face have the face's,
/// unless there are texture coordinates.
fn mesh(m: &Model, i: usize) -> Mesh {
    let vertices = rows(&m.mesh_vert, m.mesh_vertadr[i], m.mesh_vertnum[i]);
    let normals = rows(&m.mesh_normal, m.mesh_normaladr[i], m.mesh_normalnum[i]);
    let texcoords = rows(&m.mesh_texcoord, m.mesh_texcoordadr[i], m.mesh_texcoordnum[i]);
    let faces = rows(&m.mesh_face, m.mesh_faceadr[i], m.mesh_facenum[i]);
    let face_normals = rows(&m.mesh_facenormal, m.mesh_faceadr[i], m.mesh_facenum[i]);
    let face_texcoords = rows(&m.mesh_facetexcoord, m.mesh_faceadr[i], m.mesh_facenum[i]);
    let textured = m.mesh_texcoordadr[i] >= 0;
    let mut out = Mesh::default();
    // The same vertex with the same normal and texture coordinates is kept once per neighbourhood.
    let mut known: Vec<(u32, V3, [f32; 2])> = vec![(u32::MAX, [0.0; 3], [0.0; 2]); vertices.len()];
    for (f, face) in faces.iter().enumerate() {
        let corners = face.map(|v| at(vertices, v));
        let [Some(a), Some(b), Some(c)] = corners else { continue };
        let flat = normal(a, b, c);
        let corner = |k: usize| {
            let own = face_normals.get(f).and_then(|n| at(normals, n[k])).unwrap_or(flat);
            let n = if !textured && dot(own, flat) < 0.8 { flat } else { own };
            let uv = face_texcoords.get(f).and_then(|t| at(texcoords, t[k])).unwrap_or_default();
            let (index, n0, uv0) = known[face[k] as usize];
            if index != u32::MAX && n0 == n && uv0 == uv {
                return index;
            }
            let index = out.vertex([a, b, c][k], n);
            if textured {
                out.uv.push(uv);
            }
            known[face[k] as usize] = (index, n, uv);
            index
        };
        let [a, b, c] = [0, 1, 2].map(corner);
        out.triangle(a, b, c);
    }
    out.bounded()
}

/// The convex hull of a mesh, if it has one: flat faces.
fn hull(m: &Model, i: usize) -> Mesh {
    let vertices = rows(&m.mesh_vert, m.mesh_vertadr[i], m.mesh_vertnum[i]);
    let texcoords = rows(&m.mesh_texcoord, m.mesh_texcoordadr[i], m.mesh_texcoordnum[i]);
    let graph = rows(&m.mesh_graph, m.mesh_graphadr[i], i32::MAX);
    let mut out = Mesh::default();
    let [count, faces, ..] = graph else { return out };
    let (count, faces) =
        (usize::try_from(*count).unwrap_or(0), usize::try_from(*faces).unwrap_or(0));
    let start = 2 + 3 * count + 3 * faces;
    let corners = graph.get(start..start + 3 * faces).unwrap_or(&[]);
    for face in corners.as_chunks::<3>().0 {
        let [Some(a), Some(b), Some(c)] = face.map(|v| at(vertices, v)) else { continue };
        let flat = normal(a, b, c);
        let [a, b, c] = [a, b, c].map(|p| out.vertex(p, flat));
        out.triangle(a, b, c);
        if !texcoords.is_empty() {
            out.uv.extend(face.map(|v| at(texcoords, v).unwrap_or_default()));
        }
    }
    out.bounded()
}

/// A height field: two triangles per cell, sides down to the base, and the base.
fn hfield(m: &Model, i: usize, quads: usize) -> Mesh {
    let mut out = Mesh::default();
    let (nr, nc) = (m.hfield_nrow[i].max(0) as usize, m.hfield_ncol[i].max(0) as usize);
    let data = rows(&m.hfield_data, m.hfield_adr[i], (nr * nc) as i32);
    if nr < 2 || nc < 2 || data.len() < nr * nc {
        return out;
    }
    let [sx, sy, sz, base] = m.hfield_size[i].map(|x| x as f32);
    let x = |c: usize| sx * (c as f32 / (0.5 * (nc - 1) as f32) - 1.0);
    let y = |r: usize| sy * (r as f32 / (0.5 * (nr - 1) as f32) - 1.0);
    let top = |r: usize, c: usize| [x(c), y(r), data[r * nc + c] * sz];
    let bottom = |r: usize, c: usize| [x(c), y(r), -base];
    for r in 0..nr - 1 {
        for c in 0..nc - 1 {
            let (a, b) = (top(r + 1, c), top(r, c));
            let (e, f) = (top(r + 1, c + 1), top(r, c + 1));
            for corners in [[a, b, e], [b, f, e]] {
                let n = normal(corners[0], corners[1], corners[2]);
                let [i, j, k] = corners.map(|p| out.vertex(p, n));
                out.triangle(i, j, k);
            }
        }
    }
    let mut side = |corners: [V3; 4], n: V3| {
        let corners = corners.map(|p| out.vertex(p, n));
        out.quad(corners);
    };
    for r in 0..nr - 1 {
        let e = nc - 1;
        side([bottom(r + 1, 0), bottom(r, 0), top(r, 0), top(r + 1, 0)], [-1.0, 0.0, 0.0]);
        side([bottom(r, e), bottom(r + 1, e), top(r + 1, e), top(r, e)], [1.0, 0.0, 0.0]);
    }
    for c in 0..nc - 1 {
        let e = nr - 1;
        side([bottom(0, c), bottom(0, c + 1), top(0, c + 1), top(0, c)], [0.0, -1.0, 0.0]);
        side([bottom(e, c + 1), bottom(e, c), top(e, c), top(e, c + 1)], [0.0, 1.0, 0.0]);
    }
    out.grid(quads, quads, true, |r, c| {
        let along = |k: usize| k as f32 / (0.5 * quads as f32) - 1.0;
        ([sx * along(c), sy * along(r), -base], [0.0, 0.0, -1.0])
    });
    out.bounded().closed()
}

fn skin(m: &Model, i: usize) -> SkinTopology {
    let count = m.skin_vertnum[i];
    let faces = rows(&m.skin_face, m.skin_faceadr[i], m.skin_facenum[i]);
    let valid = |f: &&[i32; 3]| f.iter().all(|&v| (0..count).contains(&v));
    SkinTopology {
        faces: faces.iter().filter(valid).map(|f| f.map(|v| v as u32)).collect(),
        uv: rows(&m.skin_texcoord, m.skin_texcoordadr[i], count).to_vec(),
    }
}
