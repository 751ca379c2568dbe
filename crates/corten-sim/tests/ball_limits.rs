//! Limits of ball joints: the angle of the rotation against a cone.

use corten_math::real;
use corten_model::Assets;
use corten_model::enums::ConstraintType;
use corten_sim::stage::constraint;
use corten_sim::{Data, Model, forward, load_model_str, step};

fn load(xml: &str) -> Model {
    load_model_str(xml, &Assets::memory_only()).unwrap_or_else(|e| panic!("{e}"))
}

/// Ball joints side by side, without gravity.
fn balls(ranges: &[&str]) -> Model {
    let bodies: String = ranges
        .iter()
        .enumerate()
        .map(|(k, range)| {
            format!(
                r#"<body pos="{k} 0 0"><joint type="ball" {range} damping="0.1"/><geom size=".05" pos="0 0 .1" contype="0" conaffinity="0"/></body>"#
            )
        })
        .collect();
    load(&format!(
        r#"<mujoco><option gravity="0 0 0" timestep="0.001"/><worldbody>{bodies}</worldbody></mujoco>"#
    ))
}

fn limited(degrees: f64) -> Model {
    balls(&[&format!(r#"limited="true" range="0 {degrees}""#)])
}

fn turn(d: &mut Data, joint: usize, axis: [f64; 3], degrees: f64) {
    let (s, c) = real::sin_cos(0.5 * degrees.to_radians());
    d.qpos[4 * joint..4 * joint + 4].copy_from_slice(&[c, s * axis[0], s * axis[1], s * axis[2]]);
}

fn turned(m: &Model, axis: [f64; 3], degrees: f64) -> Data {
    let mut d = Data::new(m);
    turn(&mut d, 0, axis, degrees);
    forward(m, &mut d).unwrap();
    d
}

fn angle(d: &Data) -> f64 {
    let v = d.qpos[1..4].iter().map(|x| x * x).sum::<f64>().sqrt();
    (2.0 * v.atan2(d.qpos[0].abs())).to_degrees()
}

const X: [f64; 3] = [1.0, 0.0, 0.0];
const Z: [f64; 3] = [0.0, 0.0, 1.0];

#[test]
fn no_rows_without_a_violation() {
    for (m, degrees) in [
        (limited(45.0), 0.0),
        (limited(45.0), 30.0),
        (limited(45.0), 44.5),
        // Exactly at the limit: no distance, no row.
        (limited(0.0), 0.0),
        (balls(&[r#"limited="false" range="0 45""#]), 170.0),
        (balls(&[""]), 170.0),
    ] {
        assert_eq!(turned(&m, X, degrees).nefc, 0, "{degrees}");
    }
    let free = load(
        r#"<mujoco><worldbody><body><joint type="free" limited="true" range="0 45"/><geom size=".1"/></body></worldbody></mujoco>"#,
    );
    let mut d = Data::new(&free);
    d.qpos[3..7].copy_from_slice(&[0.0, 1.0, 0.0, 0.0]);
    forward(&free, &mut d).unwrap();
    assert_eq!(d.nefc, 0);
}

#[test]
fn small_violations_are_measured_exactly() {
    let d = turned(&limited(45.0), X, 45.5);
    assert_eq!(d.nefc, 1);
    assert!((d.efc_pos[0] + 0.5f64.to_radians()).abs() < 1e-12);
}

/// In radians the range is taken as it is.
#[test]
fn radians() {
    let m = load(
        r#"<mujoco><compiler angle="radian"/><worldbody><body>
          <joint type="ball" limited="true" range="0 0.7853981633974483"/><geom size=".1"/></body></worldbody></mujoco>"#,
    );
    assert!((m.jnt_range[0][1] - std::f64::consts::FRAC_PI_4).abs() < 1e-15);
    let d = turned(&m, X, 50.0);
    assert!((d.efc_pos[0] + std::f64::consts::PI / 36.0).abs() < 1e-12);
}

/// A quaternion and its negative are one rotation.
#[test]
fn signs_of_the_quaternion_do_not_matter() {
    let m = limited(45.0);
    let mut rows = Vec::new();
    for sign in [1.0, -1.0] {
        let mut d = turned(&m, [0.6, 0.0, 0.8], 60.0);
        d.qpos.iter_mut().for_each(|q| *q *= sign);
        forward(&m, &mut d).unwrap();
        constraint::materialize_jacobian(&m, &mut d);
        rows.push((d.efc_pos[0], d.efc_J.clone()));
    }
    assert!((rows[0].0 - rows[1].0).abs() < 1e-10);
    assert!(rows[0].1.iter().zip(&rows[1].1).all(|(a, b)| (a - b).abs() < 1e-10));
}

/// Into the limit the row's velocity is negative, out of it positive.
#[test]
fn velocity_of_the_row() {
    let m = limited(45.0);
    for (rate, sign) in [(2.0, -1.0), (-2.0, 1.0)] {
        let mut d = turned(&m, X, 50.0);
        d.qvel[0] = rate;
        forward(&m, &mut d).unwrap();
        assert!((d.efc_vel[0] - sign * 2.0).abs() < 1e-12);
    }
}

#[test]
fn several_joints() {
    let range = r#"limited="true" range="0 45""#;
    let m = balls(&[range, range, range]);
    let rows = |angles: [f64; 3]| {
        let mut d = Data::new(&m);
        for (k, degrees) in angles.into_iter().enumerate() {
            turn(&mut d, k, X, degrees);
        }
        forward(&m, &mut d).unwrap();
        d
    };
    assert_eq!(rows([10.0, 50.0, 20.0]).efc_id, [1]);
    let mut d = rows([50.0, 10.0, 60.0]);
    assert_eq!(d.efc_id, [0, 2]);
    assert!((d.efc_pos[1] + 15f64.to_radians()).abs() < 1e-12);
    constraint::materialize_jacobian(&m, &mut d);
    let nv = m.nv;
    assert!((d.efc_J[0] + 1.0).abs() < 1e-12 && (d.efc_J[nv + 6] + 1.0).abs() < 1e-12);
}

#[test]
fn hinges_and_balls_together() {
    let m = load(
        r#"<mujoco><worldbody>
          <body><joint axis="0 1 0" limited="true" range="-30 30"/><geom size=".1" contype="0" conaffinity="0"/>
            <body pos="1 0 0"><joint type="ball" limited="true" range="0 45"/><geom size=".1" contype="0" conaffinity="0"/></body>
          </body></worldbody></mujoco>"#,
    );
    let mut d = Data::new(&m);
    d.qpos[0] = 35f64.to_radians();
    let (s, c) = real::sin_cos(25f64.to_radians());
    d.qpos[1..5].copy_from_slice(&[c, 0.0, 0.0, s]);
    forward(&m, &mut d).unwrap();
    assert_eq!(d.efc_id, [0, 1]);
    assert!(d.efc_type.iter().all(|&t| t == ConstraintType::LimitJoint.raw()));
    constraint::materialize_jacobian(&m, &mut d);
    for (found, want) in d.efc_J.iter().zip([-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0]) {
        assert!((found - want).abs() < 1e-12);
    }
}

#[test]
fn limits_hold_over_time() {
    // From 35 degrees with 2 rad/s against a limit of 30.
    let m = limited(30.0);
    let mut d = turned(&m, X, 35.0);
    d.qvel[0] = 2.0;
    for _ in 0..500 {
        step(&m, &mut d).unwrap();
    }
    assert!(angle(&d) < 32.0, "{}", angle(&d));

    // A range of zero locks the joint.
    let m = limited(0.0);
    let mut d = turned(&m, X, 20.0);
    for _ in 0..200 {
        step(&m, &mut d).unwrap();
    }
    assert!(angle(&d) < 5.0, "{}", angle(&d));

    // Close to half a turn.
    let m = limited(170.0);
    let mut d = turned(&m, Z, 175.0);
    for _ in 0..200 {
        step(&m, &mut d).unwrap();
    }
    assert!(angle(&d) < 173.0, "{}", angle(&d));
}

/// The force of the limit, read by a sensor of the joint, is that of its row.
#[test]
fn force_of_the_limit() {
    let m = load(
        r#"<mujoco><worldbody><body><joint name="b" type="ball" limited="true" range="0 30"/><geom size=".1" pos="0 0 .3"/></body></worldbody>
           <sensor><jointlimitfrc joint="b"/></sensor></mujoco>"#,
    );
    let mut d = turned(&m, X, 40.0);
    assert!(d.efc_force[0] > 1.0);
    assert_eq!(d.jnt_limit_frc, d.efc_force);
    assert_eq!(d.sensordata, d.efc_force);
    assert!((d.qfrc_constraint[0] + d.efc_force[0]).abs() < 1e-12);

    turn(&mut d, 0, X, 20.0);
    forward(&m, &mut d).unwrap();
    assert_eq!((d.jnt_limit_frc.as_slice(), d.sensordata.as_slice()), (&[0.0][..], &[0.0][..]));
}

/// Rows of hinges, balls and tendons, some of them at both limits, against what sensors read.
#[test]
fn forces_of_limits_by_joint_and_tendon() {
    let m = load(
        r#"<mujoco><worldbody>
             <body><joint name="a" limited="true" range="-20 20"/><geom size=".1" pos="0 .3 0"/>
               <body pos="0 .3 0"><joint name="b" type="ball" limited="true" range="0 10"/><geom size=".1"/>
                 <body pos="0 .3 0"><joint name="c" type="slide" limited="true" range="-.001 .001" margin=".1"/>
                   <geom size=".1"/></body></body></body></worldbody>
           <tendon><fixed name="s" limited="true" range="-1 .5"><joint joint="a" coef="2"/></fixed>
             <fixed name="t" limited="true" range="-9 9"><joint joint="c" coef="1"/></fixed></tendon>
           <sensor><jointlimitfrc joint="a"/><jointlimitfrc joint="b"/><jointlimitfrc joint="c"/>
             <tendonlimitfrc tendon="s"/><tendonlimitfrc tendon="t"/></sensor></mujoco>"#,
    );
    let mut d = Data::new(&m);
    d.qpos[0] = 0.5;
    let (s, c) = real::sin_cos(0.2);
    d.qpos[1..5].copy_from_slice(&[c, 0.0, s, 0.0]);
    forward(&m, &mut d).unwrap();
    assert_eq!(d.nl, 5, "both limits of the slide are within its margin");
    assert_eq!([&d.jnt_limit_frc[..], &d.ten_limit_frc[..]].concat(), d.sensordata);
    assert!(d.jnt_limit_frc[1] > 0.1 && d.ten_limit_frc[0] > 0.1, "{:?}", d.sensordata);
    assert_eq!(d.ten_limit_frc[1], 0.0);

    // Inverse dynamics finds the same forces from the acceleration.
    let forces = d.jnt_limit_frc.clone();
    d.inverse(&m).unwrap();
    for (inverse, forward) in d.jnt_limit_frc.iter().zip(&forces) {
        assert!((inverse - forward).abs() < 1e-6 * forward.abs().max(1.0));
    }
    d.reset(&m).unwrap();
    assert_eq!((&d.jnt_limit_frc, &d.ten_limit_frc), (&vec![0.0; 3], &vec![0.0; 2]));
}
