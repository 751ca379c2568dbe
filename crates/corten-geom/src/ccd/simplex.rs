//! The point of a simplex nearest to the origin, in barycentric coordinates.
//!
//! Signed volumes (Montanari, Petrinic, Barbieri: "Improving the GJK algorithm for faster and more
//! reliable distance queries between convex objects", ACM Trans. Graphics 36, 2017): the
//! barycentric coordinates of the projected origin are ratios of signed volumes, areas or
//! lengths; a coordinate whose sign differs from the whole says that the nearest point lies on
//! the face opposite that vertex. Areas are measured in the coordinate plane where the triangle
//! casts its largest shadow. Sums run in the order of MuJoCo's `subdistance`, so that both take
//! the same branch when a vertex lies within rounding of a boundary.

use corten_math::array::MapInline;
use corten_math::{MIN_VAL, Vec3};

/// Coordinates of the nearest point; a zero marks a vertex that does not contribute.
///
/// The last vertex must be the newest support point: where the projection leaves a segment, its
/// second end is taken to be the nearer one.
#[inline(always)]
pub(super) fn nearest(s: &[Vec3; 4], count: usize) -> [f64; 4] {
    match count {
        4 => tetrahedron(s),
        3 => {
            let [a, b, c] = triangle(s[0], s[1], s[2]);
            [a, b, c, 0.0]
        }
        2 => {
            let [a, b] = segment(s[0], s[1]);
            [a, b, 0.0, 0.0]
        }
        _ => [1.0, 0.0, 0.0, 0.0],
    }
}

/// The same strict sign; zero and NaN agree with nothing.
#[inline]
fn agree(a: f64, b: f64) -> bool {
    (a > 0.0 && b > 0.0) || (a < 0.0 && b < 0.0)
}

/// Determinant of the matrix with columns `a b c`.
#[inline]
fn det(a: Vec3, b: Vec3, c: Vec3) -> f64 {
    a.dot(b.cross(c))
}

#[inline(always)]
fn tetrahedron(s: &[Vec3; 4]) -> [f64; 4] {
    // Volume of the tetrahedron with vertex i replaced by the origin, times six.
    let volume = [
        -det(s[1], s[2], s[3]),
        det(s[0], s[2], s[3]),
        -det(s[0], s[1], s[3]),
        det(s[0], s[1], s[2]),
    ];
    let whole = volume[0] + volume[1] + volume[2] + volume[3];
    if volume.iter().all(|&v| agree(whole, v)) {
        return volume.map_inline(|v| v / whole);
    }
    // MuJoCo leaves the last coordinate as an earlier candidate set it when the last face wins. GJK
    // then takes the tetrahedron for one that holds the origin; where that happens, on slivers
    // near convergence, the penetration algorithm follows.
    let mut best = [0.0; 4];
    let mut least = f64::MAX;
    const OPPOSITE: [[usize; 3]; 4] = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]];
    for (i, face) in OPPOSITE.iter().enumerate() {
        if agree(whole, volume[i]) {
            continue;
        }
        let [a, b, c] = face.map_inline(|k| s[k]);
        let l = triangle(a, b, c);
        let distance = (a * l[0] + b * l[1] + c * l[2]).norm_squared();
        if i == 0 || distance < least {
            least = distance;
            if i < 3 {
                best[i] = 0.0;
            }
            for (&k, &l) in face.iter().zip(&l) {
                best[k] = l;
            }
        }
    }
    best
}

#[inline(always)]
fn triangle(a: Vec3, b: Vec3, c: Vec3) -> [f64; 3] {
    let Some(p) = project_on_plane(a, b, c) else {
        let [a, b] = segment(a, b);
        return [a, b, 0.0];
    };
    let (area, whole) = shadow_areas(a, b, c, p);
    if agree(whole, area[0]) && agree(whole, area[1]) && agree(whole, area[2]) {
        return [area[0] / whole, area[1] / whole, area[2] / whole];
    }
    nearest_edge(a, b, c, area, whole)
}

/// Coordinates on the nearest of the edges opposite vertices whose area has the other sign.
fn nearest_edge(a: Vec3, b: Vec3, c: Vec3, area: [f64; 3], whole: f64) -> [f64; 3] {
    let mut best = [0.0; 3];
    let mut least = f64::MAX;
    if !agree(whole, area[0]) {
        let [l, r] = segment(b, c);
        least = (b * l + c * r).norm_squared();
        best = [0.0, l, r];
    }
    if !agree(whole, area[1]) {
        let [l, r] = segment(a, c);
        let distance = (a * l + c * r).norm_squared();
        if distance < least {
            least = distance;
            best = [l, 0.0, r];
        }
    }
    if !agree(whole, area[2]) {
        let [l, r] = segment(a, b);
        if (a * l + b * r).norm_squared() < least {
            best = [l, r, 0.0];
        }
    }
    best
}

#[inline(always)]
fn segment(a: Vec3, b: Vec3) -> [f64; 2] {
    // Projection of the origin on the line, b − (b·d / d·d) d.
    let d = b - a;
    let p = b + d * -(b.dot(d) / d.dot(d));
    // Measured along the longest axis; the later axis wins a tie.
    let shadow = a - b;
    let (from_b, from_a) = (p - b, a - p);
    let along = |k: usize| (shadow[k], from_b[k], from_a[k]);
    let mut longest = along(0);
    for k in 1..3 {
        if shadow[k].abs() >= longest.0.abs() {
            longest = along(k);
        }
    }
    let (whole, from_b, from_a) = longest;
    if agree(whole, from_b) && agree(whole, from_a) {
        [from_b / whole, from_a / whole]
    } else {
        [0.0, 1.0]
    }
}

/// Signed areas of the triangles in which `p` replaces `a`, `b`, `c`, and of `abc` itself, in the
/// coordinate plane of the largest shadow.
#[inline(always)]
fn shadow_areas(a: Vec3, b: Vec3, c: Vec3, p: Vec3) -> ([f64; 3], f64) {
    let minor = |x: usize, y: usize| {
        b[x] * c[y] - b[y] * c[x] - a[x] * c[y] + a[y] * c[x] + a[x] * b[y] - a[y] * b[x]
    };
    let (yz, xz, xy) = (minor(1, 2), minor(0, 2), minor(0, 1));
    if yz.abs() >= xz.abs() && yz.abs() >= xy.abs() {
        (areas::<1, 2>(a, b, c, p), yz)
    } else if xz.abs() >= xy.abs() {
        (areas::<0, 2>(a, b, c, p), xz)
    } else {
        (areas::<0, 1>(a, b, c, p), xy)
    }
}

#[inline(always)]
fn areas<const X: usize, const Y: usize>(a: Vec3, b: Vec3, c: Vec3, p: Vec3) -> [f64; 3] {
    let area = |q: Vec3, r: Vec3| {
        p[X] * q[Y] + p[Y] * r[X] + q[X] * r[Y] - p[X] * r[Y] - p[Y] * q[X] - r[X] * q[Y]
    };
    [area(b, c), area(c, a), area(a, b)]
}

/// Affine coordinates of `p`, a point of the plane of `abc`.
#[inline(always)]
pub(super) fn affine_coordinates(a: Vec3, b: Vec3, c: Vec3, p: Vec3) -> [f64; 3] {
    let (area, whole) = shadow_areas(a, b, c, p);
    area.map_inline(|x| x / whole)
}

/// The origin projected on the plane of a triangle; `None` for a degenerate one.
///
/// The normal is taken at the vertex where it is not spoilt: at `b`, else at `a`, else at `c`.
#[inline(always)]
pub(super) fn project_on_plane(a: Vec3, b: Vec3, c: Vec3) -> Option<Vec3> {
    project_at_second(a, b, c).or_else(|| project_from_others(a, b, c))
}

/// [`project_on_plane`] with the normal at `b`; `None` if that is spoilt.
#[inline(always)]
pub(super) fn project_at_second(a: Vec3, b: Vec3, c: Vec3) -> Option<Vec3> {
    let normal = (c - b).cross(b - a);
    let offset = normal.dot(b);
    let n2 = normal.norm_squared();
    (offset != 0.0 && n2 > MIN_VAL).then(|| normal * (offset / n2))
}

#[cold]
fn project_from_others(a: Vec3, b: Vec3, c: Vec3) -> Option<Vec3> {
    let (ab, ac, bc) = (b - a, c - a, c - b);
    if bc.cross(ab).norm_squared() == 0.0 {
        return None;
    }
    let normal = ab.cross(ac);
    let offset = normal.dot(a);
    let n2 = normal.norm_squared();
    if n2 == 0.0 {
        return None;
    }
    if offset != 0.0 && n2 > MIN_VAL {
        return Some(normal * (offset / n2));
    }
    let normal = ac.cross(bc);
    Some(normal * (normal.dot(c) / normal.norm_squared()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    }

    /// Simplices placed so that the origin projects on a known inner point.
    #[test]
    fn known_coordinates_are_recovered() {
        let mut seed = 1;
        for _ in 0..500 {
            for count in 1..=4usize {
                let corners: [Vec3; 4] =
                    std::array::from_fn(|_| Vec3(std::array::from_fn(|_| random(&mut seed))));
                let mut expected = [0.0; 4];
                expected[..count].iter_mut().for_each(|l| *l = 0.1 + random(&mut seed).abs());
                let sum: f64 = expected.iter().sum();
                expected = expected.map(|l| l / sum);
                let foot = (0..4).fold(Vec3::ZERO, |p, i| p + corners[i] * expected[i]);
                let height = match count {
                    4 => Vec3::ZERO,
                    3 => (corners[1] - corners[0]).cross(corners[2] - corners[0]),
                    2 => (corners[1] - corners[0]).cross(Vec3::new(0.3, -0.2, 0.9)),
                    _ => Vec3::X,
                };
                let s = corners.map(|c| c - foot + height);
                let found = nearest(&s, count);
                for i in 0..4 {
                    assert!((found[i] - expected[i]).abs() < 1e-9, "{s:?} {count}");
                }
            }
        }
    }

    #[test]
    fn origin_inside_a_tetrahedron_is_recovered() {
        let s = [
            Vec3::new(1.0, 1.0, 1.0),
            Vec3::new(1.0, -1.0, -1.0),
            Vec3::new(-1.0, 1.0, -1.0),
            Vec3::new(-1.0, -1.0, 1.0),
        ];
        assert_eq!(nearest(&s, 4), [0.25; 4]);
    }

    #[test]
    fn degenerate_simplices_stay_bounded() {
        let p = Vec3::new(1.0, 2.0, 3.0);
        for s in [[p; 4], [p, p, p * 2.0, p * 3.0], [Vec3::splat(f64::NAN); 4], [Vec3::ZERO; 4]] {
            for count in 1..=4 {
                let _ = nearest(&s, count);
            }
        }
    }
}
