//! Flat sides of a convex hull: triangles of nearly equal normal, joined to polygons.

use std::collections::HashMap;

use corten_math::Vec3;

/// Cosine above which neighbouring triangles belong to one side (about 0.09°).
const SAME_SIDE: f64 = 0.99999872;

/// Sides of a hull, each a counter-clockwise loop of vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polygons {
    pub loops: Vec<Vec<i32>>,
    pub normals: Vec<Vec3>,
    /// Per vertex, the sides that it belongs to.
    pub of_vertex: Vec<Vec<i32>>,
}

/// Unit normal of a triangle; x for degenerate ones.
pub(super) fn unit_normal(vert: &[Vec3], [a, b, c]: [i32; 3]) -> Vec3 {
    let [a, b, c] = [a, b, c].map(|i| vert[i as usize]);
    let n = (b - a).cross(c - a);
    let length = n.norm();
    if length < 1e-14 { Vec3::X } else { n / length }
}

/// Joins the triangles of a closed convex surface. Sides are ordered by decreasing normal.
pub(super) fn join(vert: &[Vec3], faces: &[[i32; 3]]) -> Polygons {
    let normals: Vec<Vec3> = faces.iter().map(|&f| unit_normal(vert, f)).collect();
    let mut across: HashMap<(i32, i32), usize> = HashMap::with_capacity(3 * faces.len());
    for (i, f) in faces.iter().enumerate() {
        for k in 0..3 {
            across.insert((f[k], f[(k + 1) % 3]), i);
        }
    }
    let mut side = vec![usize::MAX; faces.len()];
    let mut sides: Vec<(Vec3, Vec<i32>)> = Vec::new();
    for seed in 0..faces.len() {
        if side[seed] != usize::MAX {
            continue;
        }
        let id = seed;
        side[seed] = id;
        let mut region = vec![seed];
        let mut next = 0;
        // Where the boundary of the region goes from each vertex.
        let mut boundary: Vec<(i32, i32)> = Vec::new();
        while next < region.len() {
            let f = faces[region[next]];
            next += 1;
            for k in 0..3 {
                let (from, to) = (f[k], f[(k + 1) % 3]);
                match across.get(&(to, from)) {
                    Some(&g) if side[g] == id => {}
                    Some(&g)
                        if side[g] == usize::MAX && normals[seed].dot(normals[g]) > SAME_SIDE =>
                    {
                        side[g] = id;
                        region.push(g);
                    }
                    _ => boundary.push((from, to)),
                }
            }
        }
        // Edges found before the face beyond them joined the region are interior.
        boundary.retain(|&(from, to)| across.get(&(to, from)).is_none_or(|&g| side[g] != id));
        if let Some(path) = trace(&boundary) {
            sides.push((normals[seed], path));
        }
    }
    sides.sort_by(|(a, _), (b, _)| {
        (0..3)
            .map(|k| b[k].total_cmp(&a[k]))
            .find(|o| o.is_ne())
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let mut out = Polygons { of_vertex: vec![Vec::new(); vert.len()], ..Polygons::default() };
    for (i, (normal, path)) in sides.into_iter().enumerate() {
        for &v in &path {
            out.of_vertex[v as usize].push(i as i32);
        }
        out.loops.push(path);
        out.normals.push(normal);
    }
    out
}

/// The loop that edges form, from the start of the first; `None` if it has fewer than three.
fn trace(edges: &[(i32, i32)]) -> Option<Vec<i32>> {
    let (start, mut at) = *edges.first()?;
    let mut path = vec![start];
    while at != start && path.len() <= edges.len() {
        path.push(at);
        at = edges.iter().find(|e| e.0 == at)?.1;
    }
    (path.len() >= 3 && at == start).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hull::convex_hull;

    #[test]
    fn a_cube_has_six_square_sides() {
        let vert: Vec<Vec3> = (0..8)
            .map(|i| Vec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64))
            .collect();
        let hull = convex_hull(&vert, None).unwrap();
        let faces: Vec<[i32; 3]> = hull.faces.iter().map(|f| f.map(|v| v as i32)).collect();
        let sides = join(&vert, &faces);
        assert_eq!(sides.loops.len(), 6);
        assert!(sides.loops.iter().all(|l| l.len() == 4));
        assert!(sides.of_vertex.iter().all(|s| s.len() == 3));
        for (path, n) in sides.loops.iter().zip(&sides.normals) {
            assert!(unit_normal(&vert, [path[0], path[1], path[2]]).dot(*n) > 0.999);
        }
    }
}
