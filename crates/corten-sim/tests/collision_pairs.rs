//! Contacts of random poses of every pair of geom types, against MuJoCo.
//!
//! Reference data comes from `tools/golden_pairs.py`; a larger file can be given as
//! `GOLDEN_PAIRS=file.cfa`.

mod support;

use std::collections::BTreeMap;
use std::path::PathBuf;

use corten_math::{Quat, Vec3};
use corten_model::enums::GeomType;
use corten_sim::stage::{collision, kinematics};
use corten_sim::{Data, Model};
use support::Golden;

/// Agreement on one pair of types.
#[derive(Default)]
struct Tally {
    samples: usize,
    touching: usize,
    /// Samples with as many contacts as expected.
    equal: usize,
    /// Largest deviation among those.
    dist: f64,
    pos: f64,
    normal: f64,
}

fn golden() -> Golden {
    let path = std::env::var_os("GOLDEN_PAIRS").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/pairs.cfa")),
        PathBuf::from,
    );
    Golden::read(&path)
}

fn name(raw: i32) -> String {
    format!("{:?}", GeomType::from_raw(raw).unwrap())
}

/// Brings two geoms to a pose of seven numbers each, all others to their places, and detects.
fn place(m: &Model, home: &Data, d: &mut Data, geoms: [usize; 2], pose: [[f64; 7]; 2]) {
    d.mocap_pos.clone_from(&home.mocap_pos);
    d.mocap_quat.clone_from(&home.mocap_quat);
    for (g, x) in geoms.into_iter().zip(pose) {
        let mocap = m.body_mocapid[m.geom_bodyid[g] as usize] as usize;
        d.mocap_pos[mocap] = Vec3::from_slice(&x);
        d.mocap_quat[mocap] = Quat([x[3], x[4], x[5], x[6]]);
    }
    kinematics::kinematics(m, d);
    collision::collision(m, d);
}

#[test]
fn contacts_of_all_pairs_of_types() {
    let golden = golden();
    let m = golden.model();
    let home = Data::new(&m);
    let field = |name: &str| golden.get(&format!("sample.{name}")).unwrap();
    let (pairs, poses, counts) = (field("pair"), field("pose"), field("count"));
    let (dist, pos, normal) = (field("dist"), field("pos"), field("normal"));

    let mut tallies: BTreeMap<(i32, i32), Tally> = BTreeMap::new();
    let mut next = 0;
    let mut d = home.clone();
    for (k, pose) in poses.chunks(14).enumerate() {
        let pair = pairs[k] as usize;
        let mut geoms = [m.pair_geom1[pair] as usize, m.pair_geom2[pair] as usize];
        geoms.sort_by_key(|&g| m.geom_type[g]);
        let half = |k: usize| std::array::from_fn(|i| pose[7 * k + i]);
        place(&m, &home, &mut d, geoms, [half(0), half(1)]);

        let expected = next..next + counts[k] as usize;
        next = expected.end;
        let found: Vec<_> =
            d.contact.iter().filter(|c| c.geom == geoms.map(|g| g as i32)).collect();
        let tally = tallies.entry((m.geom_type[geoms[0]], m.geom_type[geoms[1]])).or_default();
        tally.samples += 1;
        tally.touching += usize::from(!expected.is_empty());
        if found.len() != expected.len() {
            if std::env::var_os("GOLDEN_PAIRS_VERBOSE").is_some() {
                println!("sample {k} pair {pair}: {} for {}", found.len(), expected.len());
            }
            continue;
        }
        tally.equal += 1;
        for (c, i) in found.into_iter().zip(expected) {
            let errors = (
                (c.dist - dist[i]).abs(),
                c.pos.distance(Vec3::from_slice(&pos[3 * i..])),
                c.frame.row(0).distance(Vec3::from_slice(&normal[3 * i..])),
            );
            if errors.0 > 1e-7 && std::env::var_os("GOLDEN_PAIRS_VERBOSE").is_some() {
                println!("sample {k} pair {pair}: {errors:?}");
            }
            tally.dist = tally.dist.max(errors.0);
            tally.pos = tally.pos.max(errors.1);
            tally.normal = tally.normal.max(errors.2);
        }
    }
    assert_eq!(next, dist.len());

    println!("{:22} samples touching  equal     dist      pos   normal", "pair");
    for ((a, b), t) in &tallies {
        println!(
            "{:22} {:7} {:8} {:5.1}% {:8.1e} {:8.1e} {:8.1e}",
            format!("{}-{}", name(*a), name(*b)),
            t.samples,
            t.touching,
            100.0 * t.equal as f64 / t.samples as f64,
            t.dist,
            t.pos,
            t.normal
        );
    }
    for t in tallies.values() {
        assert!(t.equal as f64 >= 0.995 * t.samples as f64);
        assert!(t.dist < 1e-7);
    }
}

/// Unit of the stored depths.
const DEPTH_UNIT: f64 = 1.0 / (1u64 << 26) as f64;

/// 10^4 poses per pair of types, drawn as `tools/golden_pairs.py` draws them, of which it keeps the
/// number of contacts and the sum of their depths.
#[test]
fn many_poses_of_all_pairs_of_types() {
    let golden = golden();
    let m = golden.model();
    let home = Data::new(&m);
    let (counts, depths) = (golden.get("many.count").unwrap(), golden.get("many.depth").unwrap());
    let mut by_kinds: BTreeMap<(i32, i32), Vec<[usize; 2]>> = BTreeMap::new();
    for (&g1, &g2) in m.pair_geom1.iter().zip(&m.pair_geom2) {
        let mut geoms = [g1 as usize, g2 as usize];
        geoms.sort_by_key(|&g| m.geom_type[g]);
        let kinds = (m.geom_type[geoms[0]], m.geom_type[geoms[1]]);
        by_kinds.entry(kinds).or_default().push(geoms);
    }
    let poses = counts.len() / by_kinds.len();
    assert!(poses >= 10_000, "{poses}");

    let mut depths = depths.iter().map(|&depth| depth * DEPTH_UNIT);
    let mut d = home.clone();
    let mut good = [0, 0];
    println!("{:22} poses touching    equal    depth", "pair");
    for (t, (kinds, pairs)) in by_kinds.iter().enumerate() {
        let (mut equal, mut touching, mut worst) = (0, 0, 0.0f64);
        for k in 0..poses {
            let geoms = pairs[k % pairs.len()];
            let turned = k / pairs.len() % 2 == 1;
            place(&m, &home, &mut d, geoms, drawn_pose(&m, geoms, t, k, turned));
            let mine = |c: &&corten_sim::Contact| c.geom == geoms.map(|g| g as i32);
            let (mut found, mut depth) = (0, 0.0);
            for c in d.contact.iter().filter(mine) {
                (found, depth) = (found + 1, depth + c.dist);
            }
            let expected = counts[t * poses + k] as usize;
            let expected_depth = if expected > 0 { depths.next().unwrap() } else { 0.0 };
            touching += usize::from(expected > 0);
            if found == expected {
                equal += 1;
                worst = worst.max((depth - expected_depth).abs() - 0.5 * DEPTH_UNIT);
            } else if std::env::var_os("GOLDEN_PAIRS_VERBOSE").is_some() {
                println!("{kinds:?} pose {k}: {found} for {expected}");
            }
        }
        println!(
            "{:22} {poses:5} {touching:8} {:7.2}% {worst:8.1e}",
            format!("{}-{}", name(kinds.0), name(kinds.1)),
            100.0 * equal as f64 / poses as f64,
        );
        assert!(touching > poses / 5);
        assert!(equal as f64 >= 0.995 * poses as f64);
        assert!(worst < 1e-7);
        good = [good[0] + equal, good[1] + poses];
    }
    assert_eq!(depths.next(), None);
    println!("equal numbers of contacts: {:.3}%", 100.0 * good[0] as f64 / good[1] as f64);
}

/// Numbers in [0, 1) from a seed: SplitMix64.
fn uniform(seed: u64) -> [f64; 20] {
    std::array::from_fn(|k| {
        let mut x = seed.wrapping_add(0x9E37_79B9_7F4A_7C15u64.wrapping_mul(k as u64 + 1));
        x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((x ^ x >> 31) >> 11) as f64 / (1u64 << 53) as f64
    })
}

/// The pose of sample `k` of pair of types `t`: `drawn_poses` in `tools/golden_pairs.py`, operation by
/// operation.
fn drawn_pose(m: &Model, geoms: [usize; 2], t: usize, k: usize, turned: bool) -> [[f64; 7]; 2] {
    let u = uniform(((t << 32) as u64 + k as u64).wrapping_mul(0xD134_2543_DE82_EF95));
    let centered = u.map(|x| 2.0 * x - 1.0);
    let is_kind = |kind: GeomType| m.geom_type[geoms[0]] == kind.raw();
    let [r1, r2] = geoms.map(|g| m.geom_rbound[g]);
    let tenths = |x: f64| (10.0 * x + 0.5).floor() / 10.0;

    let quat = |from: usize| -> [f64; 4] {
        if turned {
            return turn((10.0 * u[from]) as usize);
        }
        let mut q: [f64; 4] = std::array::from_fn(|i| centered[from + i]);
        if from == 0 && is_kind(GeomType::HField) {
            q = [1.0, 0.4 * q[1], 0.4 * q[2], 0.4 * q[3]];
        }
        let norm = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
        q.map(|x| x / norm)
    };
    let (q1, q2) = (quat(0), quat(4));
    let p1: [f64; 3] =
        std::array::from_fn(|i| if turned { tenths(centered[8 + i]) } else { centered[8 + i] });
    let mut offset = if is_kind(GeomType::Plane) {
        [6.0 * u[11] - 3.0, 6.0 * u[12] - 3.0, (1.35 * u[13] - 0.3) * r2]
    } else if is_kind(GeomType::HField) {
        [4.2 * u[11] - 2.1, 4.2 * u[12] - 2.1, 0.8 * u[13] - 0.2]
    } else {
        let mut v = [centered[11], centered[12], centered[13]];
        if turned && u[14] < 0.5 {
            v[(3.0 * u[15]) as usize] = 0.0;
        }
        let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
        let scale = (0.9 * u[16] + 0.1) * (r1 + r2) / length;
        v.map(|x| x * scale)
    };
    if turned {
        offset = offset.map(tenths);
    }
    let axis = Vec3::new(q1[1], q1[2], q1[3]);
    let twice = axis.cross(Vec3(offset)) * 2.0;
    let world = Vec3(offset) + twice * q1[0] + axis.cross(twice);
    let p2: [f64; 3] = std::array::from_fn(|i| p1[i] + world[i]);
    let pose = |p: [f64; 3], q: [f64; 4]| {
        [p[0], p[1], p[2], q[0], q[1], q[2], q[3]].map(|x| f64::from(x as f32))
    };
    [pose(p1, q1), pose(p2, q2)]
}

/// The quaternions of rotations that keep the axes: by half turns, then by quarter turns.
fn turn(k: usize) -> [f64; 4] {
    let mut q = [0.0; 4];
    if k < 4 {
        q[k] = 1.0;
    } else {
        let half = 0.5f64.sqrt();
        q[0] = half;
        q[1 + (k - 4) / 2] = if k.is_multiple_of(2) { half } else { -half };
    }
    q
}
