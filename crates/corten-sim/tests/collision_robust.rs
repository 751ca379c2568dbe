//! Poses and sizes that no model should have: contacts may be anything, but detection ends, and
//! healthy geoms keep their contacts.

mod support;

use std::path::Path;

use corten_math::{Mat3, Quat, Vec3};
use corten_sim::stage::collision::collision;
use corten_sim::{Data, Model};
use support::Golden;

/// Two or three geoms of every type, and every combination of types as explicit pair.
fn zoo() -> Model {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/pairs.cfa");
    Golden::read(Path::new(path)).model()
}

fn pose(m: &Model, d: &mut Data, pos: impl Fn(usize) -> Vec3, mat: Mat3) {
    for g in 0..m.ngeom {
        d.geom_xpos[g] = pos(g);
        d.geom_xmat[g] = mat;
    }
}

#[test]
fn any_pose_terminates() {
    let m = zoo();
    let mut d = Data::new(&m);
    let turned = Quat::from_axis_angle(Vec3::Y, 0.3).to_mat();
    for mat in [Mat3::IDENTITY, turned, Mat3::ZERO, Mat3([f64::NAN; 9]), Mat3([1e200; 9])] {
        for x in [0.0, 1e-300, 1e-9, 0.1, 1e9, 1e200, f64::INFINITY, f64::NAN] {
            pose(&m, &mut d, |_| Vec3::splat(x), mat);
            collision(&m, &mut d);
            pose(&m, &mut d, |g| Vec3::new(x * g as f64, 0.0, x), mat);
            collision(&m, &mut d);
        }
    }
}

#[test]
fn any_size_terminates() {
    let mut m = zoo();
    let mut d = Data::new(&m);
    for size in [0.0, 1e-300, 1e12, 1e300, f64::INFINITY, f64::NAN, -1.0] {
        m.geom_size.fill(Vec3::splat(size));
        m.geom_rbound.fill(size);
        m.pair_margin.fill(0.1);
        for offset in [0.0, 1e-8, 0.3] {
            pose(&m, &mut d, |g| Vec3::new(0.0, offset * g as f64, 0.0), Mat3::IDENTITY);
            collision(&m, &mut d);
        }
    }
}

#[test]
fn indices_out_of_range_are_ignored() {
    let mut m = zoo();
    for id in [-5, i32::MAX] {
        m.geom_dataid.fill(id);
        m.geom_bodyid.fill(id);
        m.body_weldid.fill(id);
        m.body_parentid.fill(id);
        m.pair_geom1.fill(id);
        m.mesh_graphadr.fill(id);
        let mut d = Data::new(&zoo());
        collision(&m, &mut d);
        assert_eq!(d.ncon, 0);
    }
}

#[test]
fn lost_geoms_leave_the_others_alone() {
    let m = zoo();
    let mut d = Data::new(&m);
    pose(&m, &mut d, |g| Vec3::new(0.1 * g as f64, 0.0, 0.0), Mat3::IDENTITY);
    collision(&m, &mut d);
    let lost = 5;
    let expected: Vec<_> = d.contact.iter().filter(|c| !c.geom.contains(&lost)).copied().collect();
    assert!(expected.len() > 20);
    d.geom_xpos[lost as usize] = Vec3::splat(f64::NAN);
    collision(&m, &mut d);
    assert_eq!(d.contact, expected);
}
