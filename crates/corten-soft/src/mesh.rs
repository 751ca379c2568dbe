//! Edges of meshes.

use crate::SoftError;

/// Refuses elements with corners that do not exist.
pub fn check_corners<const N: usize>(
    what: &'static str,
    elements: &[[u32; N]],
    count: usize,
) -> Result<(), SoftError> {
    for (index, element) in elements.iter().enumerate() {
        if let Some(&corner) = element.iter().find(|&&c| c as usize >= count) {
            let particle = corner as usize;
            return Err(SoftError::NoSuchParticle { what, index, particle, count });
        }
    }
    Ok(())
}

/// An edge and one of the elements that have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Side {
    /// Its ends, the smaller first.
    pub ends: [u32; 2],
    /// The element.
    pub element: u32,
    /// Corner of the element that is not on the edge; of triangles only.
    pub opposite: u32,
}

/// Edges of all elements, sorted; an edge of several elements stands several times in a row.
pub fn sides<const N: usize>(elements: &[[u32; N]]) -> Vec<Side> {
    let mut sides = Vec::new();
    for (element, corners) in elements.iter().enumerate() {
        for i in 0..N {
            for j in i + 1..N {
                let (a, b) = (corners[i], corners[j]);
                let opposite = if N == 3 { corners[3 - i - j] } else { 0 };
                let ends = [a.min(b), a.max(b)];
                sides.push(Side { ends, element: element as u32, opposite });
            }
        }
    }
    sides.sort_unstable();
    sides
}

/// Triangles that belong to one tetrahedron only, facing out.
pub fn surface(tetrahedra: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let mut faces: Vec<([u32; 3], [u32; 3])> = Vec::new();
    for &[a, b, c, d] in tetrahedra {
        for face in [[a, c, b], [a, b, d], [a, d, c], [b, c, d]] {
            let mut key = face;
            key.sort_unstable();
            faces.push((key, face));
        }
    }
    faces.sort_unstable();
    let alone = faces.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() == 1);
    alone.map(|same| same[0].1).collect()
}
