//! Convex hulls of point sets: quickhull with exact orientation tests.
//!
//! Source: Barber, Dobkin, Huhdanpaa, "The Quickhull Algorithm for Convex Hulls" (1996): points
//! wait in the outside set of a facet that sees them; the furthest point of the oldest facet with
//! a non-empty set is added, the facets that see it are replaced by a cone over their horizon.
//!
//! Where Qhull tolerates rounding and merges facets afterwards, we remove rounding: coordinates
//! are snapped once to a grid of 2⁴⁰ steps per largest coordinate (single-precision input with
//! less than 2¹⁶ between its magnitudes is not changed at all), on which the orientation of four
//! points is a 126-bit integer. A floating point filter decides nearly all tests. Coplanar points
//! are never strictly visible, so the visible region is always a disc, and flat or thin input
//! needs no special handling: it is either a solid or exactly flat. Flat sides are found exactly,
//! too, and triangulated from their corners.

use corten_math::Vec3;

/// A triangulated convex hull; indices refer to the input points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hull {
    /// Corners, each once.
    pub vertices: Vec<u32>,
    /// Triangles, counter-clockwise seen from outside.
    pub faces: Vec<[u32; 3]>,
}

/// Why points have no hull.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HullError {
    #[error("fewer than four points")]
    TooFew,
    #[error("a coordinate is not finite")]
    NotFinite,
    #[error("all points lie in one plane, so they enclose no volume")]
    Flat,
}

/// Steps of the grid per largest coordinate: 40 bits, so that differences take 41, products of
/// three 123, and the sum of six of them fits 126 of the 127 bits of an `i128`.
const GRID: f64 = (1u64 << 40) as f64;

/// The hull of `points`. With `max_vertices`, stops after that many corners (at least four): the
/// result is then the hull of the most important ones.
pub fn convex_hull(points: &[Vec3], max_vertices: Option<usize>) -> Result<Hull, HullError> {
    if points.len() < 4 {
        return Err(HullError::TooFew);
    }
    if !points.iter().all(|p| p.is_finite()) {
        return Err(HullError::NotFinite);
    }
    let largest =
        points.iter().fold(0.0f64, |m, p| m.max(p[0].abs().max(p[1].abs()).max(p[2].abs())));
    // Below this the grid step would vanish.
    if largest < 1e-200 {
        return Err(HullError::Flat);
    }
    // A power of two keeps single-precision coordinates exact.
    let step = power_of_two_at_least(largest) / GRID;
    let grid = points.iter().map(|p| (*p * (1.0 / step)).round_components()).collect();
    let mut builder = Builder { points: grid, facets: Vec::new(), first: 0, mark: Vec::new() };
    builder.start()?;
    let mut room = max_vertices.map_or(usize::MAX, |n| n.saturating_sub(4));
    while room > 0 {
        let Some(facet) = builder.next_with_outside() else { break };
        builder.add_furthest(facet);
        room -= 1;
    }
    Ok(builder.finish())
}

fn power_of_two_at_least(x: f64) -> f64 {
    let mut p = 1.0;
    while p < x {
        p *= 2.0;
    }
    while p * 0.5 >= x {
        p *= 0.5;
    }
    p
}

trait RoundComponents {
    fn round_components(self) -> Vec3;
}

impl RoundComponents for Vec3 {
    fn round_components(self) -> Vec3 {
        Vec3(self.0.map(f64::round))
    }
}

#[derive(Clone, Debug)]
struct Facet {
    vertex: [u32; 3],
    /// Facet across the edge from `vertex[i]` to `vertex[(i + 1) % 3]`.
    neighbor: [u32; 3],
    normal: Vec3,
    offset: f64,
    outside: Vec<u32>,
    /// Index into `outside` of the furthest point, and its distance.
    furthest: (usize, f64),
    alive: bool,
}

struct Builder {
    /// Integer-valued coordinates below 2⁴⁰.
    points: Vec<Vec3>,
    facets: Vec<Facet>,
    /// No living facet before this one has outside points.
    first: usize,
    /// Per facet, the last point for which it was found visible.
    mark: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Builder {
    /// Sign of the volume of the tetrahedron over `abc`: positive if `p` lies on the side from
    /// which `abc` is counter-clockwise.
    fn sees(&self, [a, b, c]: [u32; 3], p: u32) -> bool {
        let at = |i: u32| self.points[i as usize];
        orientation(at(a), at(b), at(c), at(p)) > 0
    }

    fn facet(&self, vertex: [u32; 3], neighbor: [u32; 3]) -> Facet {
        let [a, b, c] = vertex.map(|i| self.points[i as usize]);
        let (normal, _) = (b - a).cross(c - a).normalized();
        Facet {
            vertex,
            neighbor,
            normal,
            offset: normal.dot(a),
            outside: Vec::new(),
            furthest: (0, f64::NEG_INFINITY),
            alive: true,
        }
    }

    /// A first tetrahedron of distant points, and the outside sets of its facets.
    fn start(&mut self) -> Result<(), HullError> {
        let n = self.points.len() as u32;
        let key = |i: u32, f: &dyn Fn(Vec3) -> f64| f(self.points[i as usize]);
        // First of equals, so that the result does not depend on repeated points.
        let furthest = |f: &dyn Fn(Vec3) -> f64| {
            let mut best = (0, key(0, f));
            for i in 1..n {
                let k = key(i, f);
                if k > best.1 {
                    best = (i, k);
                }
            }
            best
        };
        // The widest of the three extents gives the first edge.
        let (mut a, mut b, mut width) = (0, 0, -1.0);
        for axis in 0..3 {
            let (low, minimum) = furthest(&|p| -p[axis]);
            let (high, maximum) = furthest(&|p| p[axis]);
            if maximum + minimum > width {
                (a, b, width) = (low, high, maximum + minimum);
            }
        }
        if width <= 0.0 {
            return Err(HullError::Flat);
        }
        let (pa, pb) = (self.points[a as usize], self.points[b as usize]);
        let (c, area) = furthest(&|p| (pb - pa).cross(p - pa).norm_squared());
        if area <= 0.0 {
            return Err(HullError::Flat);
        }
        let pc = self.points[c as usize];
        let normal = (pb - pa).cross(pc - pa);
        let (d, _) = furthest(&|p| normal.dot(p - pa).abs());
        // Rounding may hide that the furthest point is coplanar, or pick a coplanar one although
        // another is not.
        let pd = self.points[d as usize];
        let mut d = d;
        let mut side = orientation(pa, pb, pc, pd);
        if side == 0 {
            for i in 0..n {
                side = orientation(pa, pb, pc, self.points[i as usize]);
                if side != 0 {
                    d = i;
                    break;
                }
            }
        }
        let (a, b) = match side {
            0 => return Err(HullError::Flat),
            1 => (b, a),
            _ => (a, b),
        };
        self.facets = vec![
            self.facet([a, b, c], [1, 2, 3]),
            self.facet([b, a, d], [0, 3, 2]),
            self.facet([c, b, d], [0, 1, 3]),
            self.facet([a, c, d], [0, 2, 1]),
        ];
        self.mark = vec![NONE; 4];
        let corners = [a, b, c, d];
        let waiting: Vec<u32> = (0..n).filter(|i| !corners.contains(i)).collect();
        self.distribute(&waiting, 0..4);
        Ok(())
    }

    /// Gives each point to the facet of `range` that it is furthest above; drops points inside.
    fn distribute(&mut self, waiting: &[u32], range: std::ops::Range<usize>) {
        for &p in waiting {
            let x = self.points[p as usize];
            let mut best: Option<(usize, f64)> = None;
            for f in range.clone() {
                let facet = &self.facets[f];
                let distance = facet.normal.dot(x) - facet.offset;
                if best.is_none_or(|(_, d)| distance > d) {
                    best = Some((f, distance));
                }
            }
            let Some((f, distance)) = best else { continue };
            // Rounding of a distance on the grid is below a hundredth of a step.
            const CERTAIN: f64 = 0.01;
            let seen =
                distance > CERTAIN || (distance > -CERTAIN && self.sees(self.facets[f].vertex, p));
            let f = if seen {
                f
            } else if distance > -CERTAIN {
                // The nearest facet does not see it; a neighbour in the same plane up to rounding
                // may.
                let Some(f) = range.clone().find(|&f| self.sees(self.facets[f].vertex, p)) else {
                    continue;
                };
                f
            } else {
                continue;
            };
            let facet = &mut self.facets[f];
            if distance > facet.furthest.1 {
                facet.furthest = (facet.outside.len(), distance);
            }
            facet.outside.push(p);
        }
    }

    fn next_with_outside(&mut self) -> Option<usize> {
        while let Some(facet) = self.facets.get(self.first) {
            if facet.alive && !facet.outside.is_empty() {
                return Some(self.first);
            }
            self.first += 1;
        }
        None
    }

    /// Replaces the facets that see the furthest outside point of `seed` by a cone to that point.
    fn add_furthest(&mut self, seed: usize) {
        let p = self.facets[seed].outside[self.facets[seed].furthest.0];
        // Visible facets are connected: flood from the seed.
        let mut visible = vec![seed as u32];
        self.mark[seed] = p;
        let mut next = 0;
        // Horizon edges: start corner, end corner, facet beyond.
        let mut horizon: Vec<(u32, u32, u32)> = Vec::new();
        while next < visible.len() {
            let f = visible[next] as usize;
            next += 1;
            for i in 0..3 {
                let beyond = self.facets[f].neighbor[i];
                if self.mark[beyond as usize] == p {
                    continue;
                }
                if self.sees(self.facets[beyond as usize].vertex, p) {
                    self.mark[beyond as usize] = p;
                    visible.push(beyond);
                } else {
                    let v = &self.facets[f].vertex;
                    horizon.push((v[i], v[(i + 1) % 3], beyond));
                }
            }
        }

        let start = self.facets.len();
        // The horizon is one cycle: each corner starts exactly one edge.
        let mut by_start: Vec<(u32, u32)> =
            horizon.iter().enumerate().map(|(i, e)| (e.0, (start + i) as u32)).collect();
        by_start.sort_unstable();
        let starting_at = |v: u32, list: &[(u32, u32)]| {
            list.binary_search_by_key(&v, |e| e.0).map_or(NONE, |i| list[i].1)
        };
        let mut previous = vec![NONE; horizon.len()];
        for (i, &(_, to, _)) in horizon.iter().enumerate() {
            let next = starting_at(to, &by_start);
            if next != NONE {
                previous[next as usize - start] = (start + i) as u32;
            }
        }
        for (i, &(from, to, beyond)) in horizon.iter().enumerate() {
            let id = (start + i) as u32;
            let facet =
                self.facet([from, to, p], [beyond, starting_at(to, &by_start), previous[i]]);
            // Re-attach the facet beyond: its edge runs the other way.
            let other = &mut self.facets[beyond as usize];
            if let Some(j) =
                (0..3).find(|&j| other.vertex[j] == to && other.vertex[(j + 1) % 3] == from)
            {
                other.neighbor[j] = id;
            }
            self.facets.push(facet);
            self.mark.push(NONE);
        }

        let mut waiting = Vec::new();
        for f in visible {
            let facet = &mut self.facets[f as usize];
            facet.alive = false;
            waiting.append(&mut facet.outside);
        }
        waiting.retain(|&q| q != p);
        self.distribute(&waiting, start..self.facets.len());
    }

    /// The hull by its corners alone: points inside a flat side or inside an edge, which were
    /// added before the corners around them, are dropped.
    fn finish(self) -> Hull {
        let side = self.sides();
        // Sides around each vertex; few.
        let mut around: Vec<Vec<u32>> = vec![Vec::new(); self.points.len()];
        for (f, facet) in self.living() {
            for v in facet.vertex {
                if !around[v as usize].contains(&side[f]) {
                    around[v as usize].push(side[f]);
                }
            }
        }
        let is_corner = |v: u32| around[v as usize].len() >= 3;
        let mut regions: Vec<Vec<usize>> = vec![Vec::new(); self.facets.len()];
        for (f, _) in self.living() {
            regions[side[f] as usize].push(f);
        }

        let mut faces = Vec::new();
        for region in regions.iter().filter(|r| !r.is_empty()) {
            match region[..] {
                [only] if self.facets[only].vertex.iter().all(|&v| is_corner(v)) => {
                    faces.push(self.facets[only].vertex);
                }
                _ => {
                    let corners: Vec<u32> =
                        self.outline(region, &side).into_iter().filter(|&v| is_corner(v)).collect();
                    faces.extend(corners.windows(2).skip(1).map(|e| [corners[0], e[0], e[1]]));
                }
            }
        }
        let vertices = (0..around.len() as u32).filter(|&v| is_corner(v)).collect();
        Hull { vertices, faces }
    }

    fn living(&self) -> impl Iterator<Item = (usize, &Facet)> {
        self.facets.iter().enumerate().filter(|(_, f)| f.alive)
    }

    /// Per facet, the first facet of the flat side that it belongs to.
    fn sides(&self) -> Vec<u32> {
        let mut side = vec![NONE; self.facets.len()];
        for (seed, _) in self.living() {
            if side[seed] != NONE {
                continue;
            }
            side[seed] = seed as u32;
            let mut stack = vec![seed];
            while let Some(f) = stack.pop() {
                let facet = &self.facets[f];
                let [a, b, c] = facet.vertex.map(|v| self.points[v as usize]);
                for g in facet.neighbor {
                    let across = &self.facets[g as usize];
                    let coplanar = side[g as usize] == NONE
                        && across
                            .vertex
                            .iter()
                            .all(|&v| orientation(a, b, c, self.points[v as usize]) == 0);
                    if coplanar {
                        side[g as usize] = seed as u32;
                        stack.push(g as usize);
                    }
                }
            }
        }
        side
    }

    /// The boundary of a flat side, counter-clockwise.
    fn outline(&self, region: &[usize], side: &[u32]) -> Vec<u32> {
        let mut edges = Vec::with_capacity(region.len() + 2);
        for &f in region {
            let facet = &self.facets[f];
            for i in 0..3 {
                if side[facet.neighbor[i] as usize] != side[f] {
                    edges.push((facet.vertex[i], facet.vertex[(i + 1) % 3]));
                }
            }
        }
        let Some(&(start, _)) = edges.first() else { return Vec::new() };
        edges.sort_unstable();
        let mut path = vec![start];
        let mut at = start;
        while path.len() <= edges.len() {
            let Ok(i) = edges.binary_search_by_key(&at, |e| e.0) else { break };
            at = edges[i].1;
            if at == start {
                break;
            }
            path.push(at);
        }
        path
    }
}

/// Sign of `det(b − a, c − a, p − a)` for integer-valued coordinates below 2⁴⁰.
fn orientation(a: Vec3, b: Vec3, c: Vec3, p: Vec3) -> i32 {
    let (u, v, w) = (b - a, c - a, p - a);
    let n = u.cross(v);
    let volume = n.dot(w);
    // Differences are exact; each of the two products and two additions rounds once.
    let bound = (u[1] * v[2]).abs() + (u[2] * v[1]).abs();
    let bound1 = (u[2] * v[0]).abs() + (u[0] * v[2]).abs();
    let bound2 = (u[0] * v[1]).abs() + (u[1] * v[0]).abs();
    let permanent = bound * w[0].abs() + bound1 * w[1].abs() + bound2 * w[2].abs();
    if volume.abs() > 8.0 * f64::EPSILON * permanent {
        return if volume > 0.0 { 1 } else { -1 };
    }
    let [u, v, w] = [u, v, w].map(|x| x.0.map(|c| c as i128));
    let exact = (u[1] * v[2] - u[2] * v[1]) * w[0]
        + (u[2] * v[0] - u[0] * v[2]) * w[1]
        + (u[0] * v[1] - u[1] * v[0]) * w[2];
    exact.signum() as i32
}

impl Hull {
    /// The hull as MuJoCo stores it in `mesh_graph`: number of corners and faces, per corner the
    /// address of its neighbour list, per corner its point, the neighbour lists (corner numbers,
    /// each list closed by −1), and the faces as points.
    pub fn graph(&self) -> Vec<i32> {
        let (nv, nf) = (self.vertices.len(), self.faces.len());
        let local: std::collections::HashMap<u32, usize> =
            self.vertices.iter().enumerate().map(|(i, &v)| (v, i)).collect();
        let mut lists = vec![Vec::new(); nv];
        for face in &self.faces {
            for i in 0..3 {
                let from = local[&face[i]];
                for to in [local[&face[(i + 1) % 3]], local[&face[(i + 2) % 3]]] {
                    if !lists[from].contains(&(to as i32)) {
                        lists[from].push(to as i32);
                    }
                }
            }
        }
        let mut out = Vec::with_capacity(2 + 3 * nv + 6 * nf);
        out.extend([nv as i32, nf as i32]);
        let mut address = 0;
        for list in &lists {
            out.push(address);
            address += list.len() as i32 + 1;
        }
        out.extend(self.vertices.iter().map(|&v| v as i32));
        for list in &lists {
            out.extend_from_slice(list);
            out.push(-1);
        }
        out.extend(self.faces.iter().flatten().map(|&v| v as i32));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every point on or below every face, every edge shared by exactly two faces, Euler's
    /// formula.
    fn check(points: &[Vec3], hull: &Hull) {
        let mut edges = std::collections::HashMap::new();
        for &[a, b, c] in &hull.faces {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                assert!(edges.insert((from, to), ()).is_none());
            }
            let [pa, pb, pc] = [a, b, c].map(|i| points[i as usize]);
            let (n, _) = (pb - pa).cross(pc - pa).normalized();
            for p in points {
                assert!(n.dot(*p - pa) < 1e-9, "{p:?} above {:?}", [a, b, c]);
            }
        }
        assert!(edges.keys().all(|&(a, b)| edges.contains_key(&(b, a))));
        assert_eq!(hull.vertices.len() + hull.faces.len(), 2 + edges.len() / 2);
        assert_eq!(hull.graph().len(), 2 + 3 * hull.vertices.len() + 6 * hull.faces.len());
    }

    /// Deterministic points: a multiplicative congruential sequence.
    fn scatter(n: usize) -> impl Iterator<Item = Vec3> {
        let mut state = 1u64;
        let mut next = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 40) as f32 / (1 << 24) as f32 - 0.5) as f64
        };
        (0..n).map(move |_| Vec3::new(next(), next(), next()))
    }

    #[test]
    fn cube_with_points_on_faces_edges_and_inside() {
        let mut points = Vec::new();
        for x in 0..5 {
            for y in 0..5 {
                for z in 0..5 {
                    points.push(Vec3::new(x as f64, y as f64, z as f64));
                }
            }
        }
        let hull = convex_hull(&points, None).unwrap();
        check(&points, &hull);
        let volume: f64 = hull
            .faces
            .iter()
            .map(|f| {
                let [a, b, c] = f.map(|i| points[i as usize]);
                a.dot(b.cross(c)) / 6.0
            })
            .sum();
        assert!((volume - 64.0).abs() < 1e-9);
        assert_eq!((hull.vertices.len(), hull.faces.len()), (8, 12));
    }

    #[test]
    fn all_points_of_a_sphere_are_corners() {
        let points: Vec<Vec3> = scatter(2000).map(|p| p.normalized().0).collect();
        let hull = convex_hull(&points, None).unwrap();
        check(&points, &hull);
        assert_eq!(hull.vertices.len(), points.len());
    }

    #[test]
    fn thin_plates_have_a_hull_and_flat_ones_do_not() {
        let mut points: Vec<Vec3> =
            scatter(500).map(|p| Vec3::new(p[0], p[1], p[2] * 1e-7)).collect();
        check(&points, &convex_hull(&points, None).unwrap());
        for p in &mut points {
            p[2] = 0.25;
        }
        assert_eq!(convex_hull(&points, None), Err(HullError::Flat));
        assert_eq!(convex_hull(&points[..3], None), Err(HullError::TooFew));
    }

    #[test]
    fn the_number_of_corners_can_be_bounded() {
        let points: Vec<Vec3> = scatter(500).collect();
        let hull = convex_hull(&points, Some(12)).unwrap();
        assert!(hull.vertices.len() <= 12 && hull.vertices.len() > 4);
    }

    #[test]
    fn repeated_points_are_one_corner() {
        let points: Vec<Vec3> = scatter(50).flat_map(|p| [p, p]).collect();
        let hull = convex_hull(&points, None).unwrap();
        check(&points, &hull);
    }
}
