use super::*;

/// Every point on or below every face, every edge shared by exactly two faces, Euler's formula,
/// and adjacency that equals the edges.
fn check(points: &[Vec3], hull: &Hull) {
    let mut edges = std::collections::HashSet::new();
    for &[a, b, c] in &hull.faces {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            assert!(edges.insert((from, to)));
        }
        let [pa, pb, pc] = [a, b, c].map(|i| points[i as usize]);
        let (n, _) = (pb - pa).cross(pc - pa).normalized();
        for p in points {
            assert!(n.dot(*p - pa) < 1e-9, "{p:?} above {:?}", [a, b, c]);
        }
    }
    assert!(edges.iter().all(|&(a, b)| edges.contains(&(b, a))));
    assert_eq!(hull.vertices.len() + hull.faces.len(), 2 + edges.len() / 2);
    let mut listed = std::collections::HashSet::new();
    let mut rest = hull.adjacent.iter();
    for (&v, &n) in hull.vertices.iter().zip(&hull.valence) {
        listed.extend(rest.by_ref().take(n as usize).map(|&w| (v, hull.vertices[w as usize])));
    }
    assert_eq!(listed, edges);
    assert_eq!(hull.graph().len(), 2 + 3 * hull.vertices.len() + 6 * hull.faces.len());
}

/// Deterministic single-precision points: a multiplicative congruential sequence.
fn scatter(n: usize) -> Vec<Vec3> {
    let mut state = 1u64;
    let mut next = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 40) as f32 / (1 << 24) as f32 - 0.5) as f64
    };
    (0..n).map(|_| Vec3::new(next(), next(), next())).collect()
}

fn grid(n: usize) -> Vec<Vec3> {
    let along = |i: usize, k: u32| (i / n.pow(2 - k) % n) as f64;
    (0..n.pow(3)).map(|i| Vec3::new(along(i, 0), along(i, 1), along(i, 2))).collect()
}

/// A rotation, rounded to single precision: what was flat is flat up to rounding only.
fn turned(points: Vec<Vec3>) -> Vec<Vec3> {
    let rows = [[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]];
    let turn =
        |p: Vec3| Vec3(rows.map(|r| f64::from((r[0] * p[0] + r[1] * p[1] + r[2] * p[2]) as f32)));
    points.into_iter().map(turn).collect()
}

/// Hash of a graph (FNV-1a over its bytes).
fn hash(graph: &[i32]) -> u64 {
    graph
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// Made by Qhull 2020.2 (8.1-alpha4) as MuJoCo 3.4.0 calls it.
#[test]
fn the_order_is_that_of_qhull() {
    let cube = convex_hull(&grid(2), None).unwrap();
    assert_eq!(cube.vertices, [6, 2, 0, 4, 5, 1, 7, 3]);
    let faces = [
        [2, 6, 0],
        [6, 4, 0],
        [4, 5, 0],
        [5, 1, 0],
        [6, 5, 4],
        [5, 6, 7],
        [3, 2, 0],
        [1, 3, 0],
        [3, 6, 2],
        [6, 3, 7],
        [5, 3, 1],
        [3, 5, 7],
    ];
    assert_eq!(cube.faces, faces);
    assert_eq!(hash(&cube.graph()), 0x72f5_081c_f18d_9de9);

    let octagon = [(3, 0), (2, 2), (0, 3), (-2, 2), (-3, 0), (-2, -2), (0, -3), (2, -2)];
    let prism = [0.0, 1.0]
        .iter()
        .flat_map(|&z| octagon.iter().map(move |&(x, y)| Vec3::new(f64::from(x), f64::from(y), z)));
    let plate = scatter(300).into_iter().map(|p| Vec3::new(p[0], p[1], p[2] / 4096.0)).collect();
    let cases = [
        (scatter(200), None, 0xd01d_93ad_0fa8_cd15),
        (scatter(200), Some(20), 0x3501_194a_c6fd_d382),
        (turned(grid(3)), None, 0x1b2a_e797_7a96_e5b6),
        (turned(grid(5)), None, 0xe78b_073b_3156_e7a0),
        (turned(prism.collect()), None, 0x77ce_b679_6c96_65df),
        (turned(plate), None, 0x3535_d484_d439_ced5),
    ];
    for (i, (points, bound, expected)) in cases.into_iter().enumerate() {
        let graph = convex_hull(&points, bound).unwrap().graph();
        assert_eq!(hash(&graph), expected, "case {i}");
    }
}

/// Second algorithm: a triangle is a face if all points are on one side of it.
#[test]
fn faces_are_those_with_all_points_below() {
    for n in 4..14 {
        let points = scatter(n);
        let hull = convex_hull(&points, None).unwrap();
        check(&points, &hull);
        let mut found: Vec<[u32; 3]> = hull
            .faces
            .iter()
            .map(|&[a, b, c]| {
                let first = a.min(b).min(c);
                if first == a {
                    [a, b, c]
                } else if first == b {
                    [b, c, a]
                } else {
                    [c, a, b]
                }
            })
            .collect();
        found.sort_unstable();
        let at = |i: u32| points[i as usize];
        let mut expected = Vec::new();
        for a in 0..n as u32 {
            for b in a + 1..n as u32 {
                for c in a + 1..n as u32 {
                    let normal = (at(b) - at(a)).cross(at(c) - at(a));
                    let below = |p: u32| [a, b, c].contains(&p) || normal.dot(at(p) - at(a)) < 0.0;
                    if b != c && (0..n as u32).all(below) {
                        expected.push([a, b, c]);
                    }
                }
            }
        }
        assert_eq!(found, expected, "{n} points");
    }
}

#[test]
fn cube_with_points_on_faces_edges_and_inside() {
    let points = grid(5);
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
    let points: Vec<Vec3> = scatter(2000).into_iter().map(|p| p.normalized().0).collect();
    let hull = convex_hull(&points, None).unwrap();
    check(&points, &hull);
    assert_eq!(hull.vertices.len(), points.len());
}

#[test]
fn thin_plates_have_a_hull_and_flat_ones_do_not() {
    let mut points: Vec<Vec3> =
        scatter(500).into_iter().map(|p| Vec3::new(p[0], p[1], p[2] * 1e-7)).collect();
    check(&points, &convex_hull(&points, None).unwrap());
    for p in &mut points {
        p[2] = 0.25;
    }
    assert_eq!(convex_hull(&points, None), Err(HullError::Flat));
    assert_eq!(convex_hull(&points[..3], None), Err(HullError::TooFew));
    assert_eq!(convex_hull(&[Vec3::ZERO; 9], None), Err(HullError::Flat));
    points[7][1] = f64::NAN;
    assert_eq!(convex_hull(&points, None), Err(HullError::NotFinite));
}

#[test]
fn the_number_of_corners_can_be_bounded() {
    let points = scatter(500);
    for bound in [4, 5, 12] {
        let hull = convex_hull(&points, Some(bound)).unwrap();
        assert_eq!(hull.vertices.len(), bound);
    }
}

#[test]
fn repeated_points_are_one_corner() {
    let points: Vec<Vec3> = scatter(50).into_iter().flat_map(|p| [p, p]).collect();
    let hull = convex_hull(&points, None).unwrap();
    check(&points, &hull);
}

/// Extreme magnitudes and nearly equal points end in a hull or in an error, never in a panic.
#[test]
fn hostile_points_terminate() {
    for scale in [1e-300, 1e-20, 1.0, 1e20, 1e150, 1e300] {
        for spread in [0.0, 1e-16, 1e-13, 1e-8, 1.0] {
            let points: Vec<Vec3> = scatter(60)
                .iter()
                .enumerate()
                .map(|(i, p)| (scatter(60)[i % 7] + *p * spread) * scale)
                .collect();
            let _ = convex_hull(&points, None);
        }
    }
}
