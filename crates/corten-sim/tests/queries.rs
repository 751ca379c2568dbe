//! Rays and distances between geoms, against MuJoCo.
//!
//! Reference data comes from `tools/golden_queries.py`; a larger file can be given as
//! `GOLDEN_QUERIES=file.cfa`.

mod support;

use std::path::PathBuf;

use corten_math::{Mat3, Vec3};
use corten_sim::distance::geom_distance;
use corten_sim::ray::{self, FlexParts, Selection};
use corten_sim::{Data, Model};
use support::Golden;

/// Agreement of distances, which both engines compute in the same order of operations.
const TOLERANCE: f64 = 1e-12;

/// Fixed-size records, read one after the other.
struct Records {
    values: Vec<f64>,
    at: usize,
}

impl Records {
    fn next(&mut self, len: usize) -> Vec<f64> {
        self.at += len;
        self.values[self.at - len..self.at].to_vec()
    }
}

fn agree(what: &str, found: f64, expected: f64) {
    assert!((found - expected).abs() < TOLERANCE, "{what}: {found} for {expected}");
}

#[test]
fn rays_and_distances() {
    let path = std::env::var_os("GOLDEN_QUERIES").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/queries.cfa")),
        PathBuf::from,
    );
    let golden = Golden::read(&path);
    let m = golden.model();
    let field =
        |name: &str| Records { values: golden.get(&format!("query.{name}")).unwrap(), at: 0 };
    let counts: Vec<usize> = field("counts").values.iter().map(|&n| n as usize).collect();
    let [states, rays, bundle, flex_rays, distances] = counts[..] else { panic!("counts") };
    let mut d = Data::new(&m);
    let [mut xpos, mut xmat, mut xipos, mut flexvert] =
        ["geom_xpos", "geom_xmat", "xipos", "flexvert_xpos"].map(field);
    let [mut ray, mut bundles, mut flex, mut distance] =
        ["ray", "bundle", "flex", "distance"].map(field);
    for _ in 0..states {
        d.geom_xpos.iter_mut().for_each(|v| *v = Vec3::from_slice(&xpos.next(3)));
        d.geom_xmat.iter_mut().for_each(|v| *v = Mat3(xmat.next(9).try_into().unwrap()));
        d.xipos.iter_mut().for_each(|v| *v = Vec3::from_slice(&xipos.next(3)));
        d.flexvert_xpos.iter_mut().for_each(|v| *v = Vec3::from_slice(&flexvert.next(3)));
        (0..rays).for_each(|_| single(&m, &d, &ray.next(17)));
        several(&m, &d, &bundles.next(4 + 5 * bundle), bundle);
        (0..flex_rays).for_each(|_| at_flex(&m, &d, &flex.next(14)));
        (0..distances).for_each(|_| between(&m, &mut d, &distance.next(10)));
    }
}

fn single(m: &Model, d: &Data, r: &[f64]) {
    let groups: [u8; 6] = std::array::from_fn(|k| r[7 + k] as u8);
    let selection = Selection {
        geomgroup: (r[6] != 0.0).then_some(&groups),
        flg_static: r[13] != 0.0,
        bodyexclude: r[14] as i32,
    };
    let hit = ray::cast(m, d, Vec3::from_slice(r), Vec3::from_slice(&r[3..]), &selection);
    let (dist, geom) = hit.map_or((-1.0, -1), |h| (h.dist, h.geom as i32));
    assert_eq!(geom, r[16] as i32);
    agree("ray", dist, r[15]);
}

fn several(m: &Model, d: &Data, r: &[f64], count: usize) {
    let (vecs, rest) = r[4..].split_at(3 * count);
    let vecs: Vec<Vec3> = vecs.chunks(3).map(Vec3::from_slice).collect();
    let hits = ray::cast_many(m, d, Vec3::from_slice(r), &vecs, &Selection::default(), r[3]);
    for (k, hit) in hits.iter().enumerate() {
        let (dist, geom) = hit.map_or((-1.0, -1), |h| (h.dist, h.geom as i32));
        assert_eq!(geom, rest[count + k] as i32);
        agree("bundle", dist, rest[k]);
    }
}

fn at_flex(m: &Model, d: &Data, r: &[f64]) {
    let parts = FlexParts {
        layer: r[1] as i32,
        vertices: r[2] != 0.0,
        edges: r[3] != 0.0,
        faces: r[4] != 0.0,
        skin: r[5] != 0.0,
    };
    let (pnt, vec) = (Vec3::from_slice(&r[6..]), Vec3::from_slice(&r[9..]));
    let hit = ray::flex(m, d, r[0] as usize, &parts, pnt, vec);
    let (dist, vertex) = hit.map_or((-1.0, -1), |h| (h.dist, h.vertex));
    agree("flex", dist, r[12]);
    assert_eq!(vertex, r[13] as i32);
}

fn between(m: &Model, d: &mut Data, r: &[f64]) {
    let found = geom_distance(m, d, r[0] as usize, r[1] as usize, r[2]);
    agree("distance", found.dist, r[3]);
    for k in 0..6 {
        agree("fromto", found.fromto[k / 3][k % 3], r[4 + k]);
    }
}
