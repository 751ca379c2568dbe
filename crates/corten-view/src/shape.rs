//! Surfaces and textures of a model, as bytes that a browser can draw.

use corten_sim::Model;

/// Something of a model that a page loads once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asset {
    /// Triangles of a mesh: per corner position, normal and texture coordinate, 8 numbers.
    Mesh,
    /// Triangles of a mesh's convex hull, in the same form.
    Hull,
    /// Heights of a height field, row by row.
    Heights,
    /// Pixels of a texture.
    Texture,
    /// Vertices of a skin's triangles, then texture coordinates of its vertices, if any.
    Skin,
}

impl Asset {
    /// By its name in an address.
    pub fn parse(name: &str) -> Option<Asset> {
        Some(match name {
            "mesh" => Asset::Mesh,
            "hull" => Asset::Hull,
            "hfield" => Asset::Heights,
            "texture" => Asset::Texture,
            "skin" => Asset::Skin,
            _ => return None,
        })
    }

    /// The bytes; `None` if there is no such object.
    pub fn bytes(self, m: &Model, id: usize) -> Option<Vec<u8>> {
        match self {
            Asset::Mesh => mesh(m, id),
            Asset::Hull => hull(m, id),
            Asset::Heights => {
                let count = m.hfield_nrow.get(id)?.checked_mul(*m.hfield_ncol.get(id)?)?;
                Some(cast(span(&m.hfield_data, *m.hfield_adr.get(id)?, count)?))
            }
            Asset::Texture => {
                let pixels = m.tex_width.get(id)?.checked_mul(*m.tex_height.get(id)?)?;
                let count = pixels.checked_mul(*m.tex_nchannel.get(id)?)?;
                Some(span(&m.tex_data, *m.tex_adr.get(id)?, count)?.to_vec())
            }
            Asset::Skin => {
                let faces = span(&m.skin_face, *m.skin_faceadr.get(id)?, *m.skin_facenum.get(id)?)?;
                let mut bytes = cast(faces);
                if let Some(texcoord) =
                    span(&m.skin_texcoord, *m.skin_texcoordadr.get(id)?, *m.skin_vertnum.get(id)?)
                {
                    bytes.extend(cast(texcoord));
                }
                Some(bytes)
            }
        }
    }
}

fn cast<T: bytemuck::NoUninit>(values: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(values).to_vec()
}

fn span<T>(all: &[T], adr: i32, num: i32) -> Option<&[T]> {
    all.get(usize::try_from(adr).ok()?..)?.get(..usize::try_from(num).ok()?)
}

fn mesh(m: &Model, id: usize) -> Option<Vec<u8>> {
    let vertices = span(&m.mesh_vert, *m.mesh_vertadr.get(id)?, m.mesh_vertnum[id])?;
    let normals = span(&m.mesh_normal, m.mesh_normaladr[id], m.mesh_normalnum[id])?;
    let texcoord = span(&m.mesh_texcoord, m.mesh_texcoordadr[id], m.mesh_texcoordnum[id]);
    let (adr, num) = (m.mesh_faceadr[id], m.mesh_facenum[id]);
    let faces = span(&m.mesh_face, adr, num)?;
    let face_normals = span(&m.mesh_facenormal, adr, num)?;
    let face_texture = span(&m.mesh_facetexcoord, adr, num)?;
    let mut corners: Vec<[f32; 8]> = Vec::with_capacity(3 * faces.len());
    for ((face, normal), texture) in faces.iter().zip(face_normals).zip(face_texture) {
        for k in 0..3 {
            let [x, y, z] = *vertices.get(face[k] as usize)?;
            let [p, q, r] = normals.get(normal[k] as usize).copied().unwrap_or([0.0, 0.0, 1.0]);
            let [s, t] =
                texcoord.and_then(|all| all.get(texture[k] as usize)).copied().unwrap_or_default();
            corners.push([x, y, z, p, q, r, s, t]);
        }
    }
    Some(cast(&corners))
}

/// The hull's graph: numbers of vertices and faces, then, after the addresses, ids and edges of the
/// vertices, the faces by vertices of the mesh.
fn hull(m: &Model, id: usize) -> Option<Vec<u8>> {
    let graph = m.mesh_graph.get(usize::try_from(*m.mesh_graphadr.get(id)?).ok()?..)?;
    let (vertices, faces) =
        (usize::try_from(*graph.first()?).ok()?, usize::try_from(*graph.get(1)?).ok()?);
    // Edges: one per vertex and end mark, three per face.
    let start = 2 + 2 * vertices + (vertices + 3 * faces);
    let numbers = graph.get(start..start + 3 * faces)?;
    let points = span(&m.mesh_vert, m.mesh_vertadr[id], m.mesh_vertnum[id])?;
    let mut corners: Vec<[f32; 8]> = Vec::with_capacity(3 * faces);
    for face in numbers.chunks_exact(3) {
        let [Some(a), Some(b), Some(c)] = [0, 1, 2].map(|k| points.get(face[k] as usize).copied())
        else {
            return None;
        };
        let edge = |to: [f32; 3]| [to[0] - a[0], to[1] - a[1], to[2] - a[2]];
        let (u, v) = (edge(b), edge(c));
        let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt().max(f32::MIN_POSITIVE);
        for [x, y, z] in [a, b, c] {
            corners.push([x, y, z, n[0] / length, n[1] / length, n[2] / length, 0.0, 0.0]);
        }
    }
    Some(cast(&corners))
}
