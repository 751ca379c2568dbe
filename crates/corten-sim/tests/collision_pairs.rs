//! Contacts of random poses of every pair of geom types, against MuJoCo.
//!
//! Reference data comes from `tools/golden_pairs.py`; a larger file can be given as
//! `GOLDEN_PAIRS=file.cfa`.

mod support;

use std::collections::BTreeMap;
use std::path::PathBuf;

use corten_math::{Quat, Vec3};
use corten_model::enums::GeomType;
use corten_sim::Data;
use corten_sim::stage::{collision, kinematics};
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

#[test]
fn contacts_of_all_pairs_of_types() {
    let path = std::env::var_os("GOLDEN_PAIRS").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/pairs.cfa")),
        PathBuf::from,
    );
    let golden = Golden::read(&path);
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
        d.mocap_pos.clone_from(&home.mocap_pos);
        d.mocap_quat.clone_from(&home.mocap_quat);
        for (&g, x) in geoms.iter().zip(pose.chunks(7)) {
            let mocap = m.body_mocapid[m.geom_bodyid[g] as usize] as usize;
            d.mocap_pos[mocap] = Vec3::from_slice(x);
            d.mocap_quat[mocap] = Quat([x[3], x[4], x[5], x[6]]);
        }
        kinematics::kinematics(&m, &mut d);
        collision::collision(&m, &mut d);

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
        let name = |raw: i32| format!("{:?}", GeomType::from_raw(raw).unwrap());
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
