//! Reading STL and MSH files, and the choice of reader.

use corten_math::memory::{self, Grow};
use std::collections::HashMap;

use super::{Source, obj};

/// A mesh file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Binary stereolithography.
    Stl,
    /// Wavefront OBJ.
    Obj,
    /// MuJoCo's binary vertices, normals, texture coordinates and faces.
    Msh,
}

impl Format {
    /// By media type if given, otherwise by file extension.
    pub fn detect(path: &str, content_type: &str) -> Option<Format> {
        let extension = path.rsplit(['/', '\\']).next()?.rsplit_once('.').map(|(_, e)| e);
        let key = if content_type.is_empty() {
            extension.unwrap_or("").to_ascii_lowercase()
        } else {
            content_type.to_ascii_lowercase()
        };
        match key.as_str() {
            "stl" | "model/stl" => Some(Format::Stl),
            "obj" | "model/obj" => Some(Format::Obj),
            "msh" | "model/vnd.mujoco.msh" => Some(Format::Msh),
            _ => None,
        }
    }
}

/// Why a file is not a mesh.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    #[error("the file is empty")]
    Empty,
    #[error("the STL file is shorter than its 84-byte header")]
    StlHeader,
    #[error(
        "the STL file announces {0} faces, which must be between 1 and 200000; \
         ASCII STL is not supported: convert it to binary STL or OBJ"
    )]
    StlFaceCount(i32),
    #[error(
        "the STL file has {found} bytes instead of {expected} for its number of faces; \
         ASCII STL is not supported: convert it to binary STL or OBJ"
    )]
    StlSize { found: usize, expected: usize },
    #[error("vertex {0} of the STL file is beyond 2^30")]
    StlRange(usize),
    #[error("the MSH file is shorter than its 16-byte header")]
    MshHeader,
    #[error(
        "the MSH file announces {vert} vertices, {normal} normals, {texcoord} texture coordinates \
         and {face} faces: at least 4 vertices are needed, and as many normals and texture \
         coordinates as vertices, or none"
    )]
    MshCounts { vert: i32, normal: i32, texcoord: i32, face: i32 },
    #[error("the MSH file has {found} bytes instead of the {expected} that its header announces")]
    MshSize { found: usize, expected: usize },
    #[error("line {line} of the OBJ file: {what}")]
    Obj { line: usize, what: &'static str },
    #[error("coordinate of vertex {0} is not finite")]
    NotFinite(usize),
}

/// Reads a mesh. `mirrored` (a scale with negative product) turns the triangles around.
pub fn load(bytes: &[u8], format: Format, mirrored: bool) -> Result<Source, LoadError> {
    if bytes.is_empty() {
        return Err(LoadError::Empty);
    }
    let mut source = match format {
        Format::Stl => stl(bytes)?,
        Format::Obj => obj::parse(bytes)?,
        Format::Msh => msh(bytes)?,
    };
    if mirrored {
        let lists: &mut [&mut Vec<[i32; 3]>] = match format {
            // Normal and texture indices of MSH files keep their order.
            Format::Msh => &mut [&mut source.face],
            _ => &mut [&mut source.face, &mut source.facenormal, &mut source.facetexcoord],
        };
        for face in lists.iter_mut().flat_map(|l| l.iter_mut()) {
            face.swap(1, 2);
        }
    }
    if let Some(i) = source.vert.iter().position(|v| !v.iter().all(|x| x.is_finite())) {
        return Err(LoadError::NotFinite(i));
    }
    Ok(source)
}

/// Little-endian words at fixed offsets; callers have checked the length.
fn word(bytes: &[u8], at: usize) -> [u8; 4] {
    bytes.get(at..at + 4).and_then(|s| s.try_into().ok()).unwrap_or_default()
}

fn int(bytes: &[u8], at: usize) -> i32 {
    i32::from_le_bytes(word(bytes, at))
}

fn float(bytes: &[u8], at: usize) -> f32 {
    f32::from_le_bytes(word(bytes, at))
}

/// Binary STL; equal vertices are joined, numbered by first appearance.
fn stl(bytes: &[u8]) -> Result<Source, LoadError> {
    const HEADER: usize = 84;
    const FACET: usize = 50;
    const LIMIT: f32 = (1u32 << 30) as f32;
    if bytes.len() < HEADER {
        return Err(LoadError::StlHeader);
    }
    let count = int(bytes, 80);
    if !(1..=200_000).contains(&count) {
        return Err(LoadError::StlFaceCount(count));
    }
    let expected = HEADER + FACET * count as usize;
    if bytes.len() != expected {
        return Err(LoadError::StlSize { found: bytes.len(), expected });
    }
    let mut source = Source::default();
    let mut seen: HashMap<[u32; 3], i32, BitHasher> = memory::map_with_room(count as usize);
    for facet in 0..count as usize {
        let mut face = [0; 3];
        for (corner, index) in face.iter_mut().enumerate() {
            let at = HEADER + FACET * facet + 12 * (corner + 1);
            let v: [f32; 3] = std::array::from_fn(|k| float(bytes, at + 4 * k));
            if v.iter().any(|x| x.abs() > LIMIT) {
                return Err(LoadError::StlRange(3 * facet + corner));
            }
            // Adding zero turns −0 into 0: both are the same place.
            let key = v.map(|x| (x + 0.0).to_bits());
            memory::reserve_entries(&mut seen, 1);
            *index = *seen.entry(key).or_insert_with(|| {
                source.vert.grow_push(v);
                source.vert.len() as i32 - 1
            });
        }
        source.face.grow_push(face);
    }
    Ok(source)
}

/// Multiplicative hashing of coordinates: several times faster than the default, and an author
/// who provokes collisions only slows down his own model.
#[derive(Clone, Copy, Default)]
struct BitHasher;

struct BitHash(u64);

impl std::hash::BuildHasher for BitHasher {
    type Hasher = BitHash;
    fn build_hasher(&self) -> BitHash {
        BitHash(0)
    }
}

impl std::hash::Hasher for BitHash {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(4) {
            let mut word = [0; 4];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u32(u32::from_le_bytes(word));
        }
    }
    fn write_u32(&mut self, x: u32) {
        self.0 = (self.0.rotate_left(23) ^ u64::from(x)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 29;
    }
    fn write_usize(&mut self, _: usize) {}
}

fn msh(bytes: &[u8]) -> Result<Source, LoadError> {
    const HEADER: usize = 16;
    if bytes.len() < HEADER {
        return Err(LoadError::MshHeader);
    }
    let [vert, normal, texcoord, face] = [0, 4, 8, 12].map(|at| int(bytes, at));
    if vert < 4
        || face < 0
        || normal < 0
        || texcoord < 0
        || (normal > 0 && normal != vert)
        || (texcoord > 0 && texcoord != vert)
    {
        return Err(LoadError::MshCounts { vert, normal, texcoord, face });
    }
    let [nv, nn, nt, nf] = [vert, normal, texcoord, face].map(|n| n as usize);
    let expected = HEADER + 12 * nv + 12 * nn + 8 * nt + 12 * nf;
    if bytes.len() != expected {
        return Err(LoadError::MshSize { found: bytes.len(), expected });
    }
    let normals_at = HEADER + 12 * nv;
    let texcoords_at = normals_at + 12 * nn;
    let faces_at = texcoords_at + 8 * nt;
    let floats = |at: usize, n: usize| (0..n).map(|i| float(bytes, at + 4 * i)).collect();
    let face: Vec<[i32; 3]> =
        (0..nf).map(|i| std::array::from_fn(|k| int(bytes, faces_at + 12 * i + 4 * k))).collect();
    Ok(Source {
        vert: (0..nv)
            .map(|i| std::array::from_fn(|k| float(bytes, HEADER + 12 * i + 4 * k)))
            .collect(),
        normal: floats(normals_at, 3 * nn),
        texcoord: floats(texcoords_at, 2 * nt),
        facenormal: face.clone(),
        facetexcoord: if nt > 0 { face.clone() } else { Vec::new() },
        face,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stl_bytes(triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut out = vec![0; 80];
        out.extend((triangles.len() as i32).to_le_bytes());
        for t in triangles {
            out.extend([0; 12]);
            out.extend(t.iter().flatten().flat_map(|x| x.to_le_bytes()));
            out.extend([0; 2]);
        }
        out
    }

    #[test]
    fn stl_joins_equal_vertices() {
        let (a, b, c, d) = ([0.0; 3], [1.0, -0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]);
        let bytes = stl_bytes(&[[a, b, c], [[1.0, 0.0, 0.0], d, c]]);
        let source = load(&bytes, Format::Stl, false).unwrap();
        assert_eq!(source.vert.len(), 4);
        assert_eq!(source.face, [[0, 1, 2], [1, 3, 2]]);
        assert_eq!(load(&bytes, Format::Stl, true).unwrap().face[0], [0, 2, 1]);
    }

    #[test]
    fn truncated_and_foreign_files_are_refused() {
        let bytes = stl_bytes(&[[[0.0; 3]; 3]]);
        for n in 0..bytes.len() {
            assert!(load(&bytes[..n], Format::Stl, false).is_err());
            assert!(load(&bytes[..n], Format::Msh, false).is_err());
        }
        assert!(matches!(load(&[b' '; 200], Format::Stl, false), Err(LoadError::StlFaceCount(_))));
    }

    #[test]
    fn msh_round_trip() {
        let mut bytes = Vec::new();
        for n in [4i32, 0, 4, 1] {
            bytes.extend(n.to_le_bytes());
        }
        for i in 0..12 + 8 {
            bytes.extend((i as f32).to_le_bytes());
        }
        for i in [0i32, 2, 1] {
            bytes.extend(i.to_le_bytes());
        }
        let source = load(&bytes, Format::Msh, false).unwrap();
        assert_eq!(source.vert[3], [9.0, 10.0, 11.0]);
        assert_eq!(source.texcoord[7], 19.0);
        assert_eq!((source.face.len(), source.facetexcoord.len()), (1, 1));
    }

    #[test]
    fn formats_by_name_and_media_type() {
        assert_eq!(Format::detect("a/b.STL", ""), Some(Format::Stl));
        assert_eq!(Format::detect("a.stl", "model/obj"), Some(Format::Obj));
        assert_eq!(Format::detect("a.stl/x", ""), None);
    }
}
