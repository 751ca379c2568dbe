//! Spatial tendons on models written here: lengths and paths measured in MuJoCo 3.4.0, and
//! Jacobians against finite differences.

use corten_math::Vec3;
use corten_model::Assets;
use corten_sim::{Data, Model, forward, load_model_str};

/// A geom and the first site on a body, the second site on a child with one joint.
fn model(joint: &str, geom: &str, parent_sites: &str, child_sites: &str, path: &str) -> Model {
    let text = format!(
        r#"<mujoco>
          <worldbody>
            <body>
              <geom name="round" {geom}/>
              {parent_sites}
              <body>
                <joint {joint}/>
                <geom size="0.01" mass="0.1"/>
                {child_sites}
              </body>
            </body>
          </worldbody>
          <tendon><spatial>{path}</spatial></tendon>
        </mujoco>"#
    );
    load_model_str(&text, &Assets::memory_only()).unwrap_or_else(|e| panic!("{e}"))
}

const AROUND: &str = r#"<site site="a"/><geom geom="round" sidesite="side"/><site site="b"/>"#;

fn sphere(side: &str) -> Model {
    model(
        r#"axis="0 1 0""#,
        r#"type="sphere" size="0.15""#,
        &format!(r#"<site name="a" pos="0.3 0 0.15"/><site name="side" pos="{side}"/>"#),
        r#"<site name="b" pos="0.3 0 -0.15"/>"#,
        AROUND,
    )
}

fn cylinder(size: &str, a: &str, b: &str, side: &str) -> Model {
    model(
        r#"axis="0 0 1""#,
        &format!(r#"type="cylinder" size="{size}""#),
        &format!(r#"<site name="a" pos="{a}"/><site name="side" pos="{side}"/>"#),
        &format!(r#"<site name="b" pos="{b}"/>"#),
        AROUND,
    )
}

fn computed(m: &Model, qpos: f64) -> Data {
    let mut d = Data::new(m);
    d.qpos[0] = qpos;
    forward(m, &mut d).unwrap();
    d
}

/// Length and the point that a ring bends the tendon at.
fn assert_bent(m: &Model, length: f64, point: [f64; 3]) {
    let d = computed(m, 0.0);
    assert!((d.ten_length[0] - length).abs() < 1e-12, "{}", d.ten_length[0]);
    assert_eq!(d.ten_wrapnum[0], 4);
    assert_eq!(d.wrap_obj.as_flattened()[..4], [-1, 0, 0, -1]);
    let path = d.wrap_xpos.as_flattened();
    for k in [1, 2] {
        let found = Vec3::from_slice(&path[3 * k..]);
        assert!(found.distance(Vec3(point)) < 1e-9, "{found:?}");
    }
}

#[test]
fn ring_of_a_sphere() {
    assert_bent(&sphere("0.05 0 0"), 0.424264068711929, [0.15, 0.0, 0.0]);
    // The side site only says that the sphere is a ring.
    assert_bent(&sphere("0 0 0"), 0.424264068711929, [0.15, 0.0, 0.0]);
}

#[test]
fn ring_of_a_cylinder() {
    let m = cylinder("0.15 0.5", "0.3 0.1 0.2", "0.3 -0.1 -0.2", "0.05 0 0");
    assert_bent(&m, 0.538516480713450, [0.15, 0.0, 0.0]);
    let m = cylinder("0.15 0.5", "0.3 0.05 0.3", "0.3 -0.15 -0.1", "0.05 0 0");
    let point = [0.148607047563419, -0.020394739872909, 0.117656368532109];
    assert_bent(&m, 0.542346519424661, point);
}

/// Inside or outside is judged in three dimensions, also for a cylinder.
#[test]
fn side_site_far_along_the_axis_is_outside() {
    let m = cylinder("0.1 1", "0.3 0.05 0.2", "0.3 -0.05 -0.2", "0.05 0 5");
    let d = computed(&m, 0.0);
    assert!((d.ten_length[0] - 0.412310562561766).abs() < 1e-12);
    assert_eq!(d.ten_wrapnum[0], 2);
}

fn sweep() -> Model {
    model(
        r#"type="slide" axis="1 0 0" range="-0.05 0.05""#,
        r#"type="sphere" size="0.15""#,
        r#"<site name="a" pos="0.3 0 0.15"/>"#,
        r#"<site name="side" pos="0.16 0 0"/><site name="b" pos="0.3 0 -0.15"/>"#,
        AROUND,
    )
}

/// The length jumps where the side site enters the sphere.
#[test]
fn side_site_sweeps_through_the_surface() {
    let m = sweep();
    for (qpos, length) in [
        (-0.04, 0.397761312300161),
        (-0.02, 0.410539632911676),
        (-0.01, 0.300166620396073),
        (0.0, 0.3),
        (0.04, 0.302654919008431),
    ] {
        let found = computed(&m, qpos).ten_length[0];
        assert!((found - length).abs() < 1e-9, "{qpos}: {found}");
    }
    for k in 0..=100 {
        let length = computed(&m, -0.05 + 0.001 * f64::from(k)).ten_length[0];
        assert!(length.is_finite() && length > 0.0);
    }
}

#[test]
fn jacobian_is_the_derivative_of_the_length() {
    let bent = sphere("0.05 0 0");
    let ring = cylinder("0.15 0.5", "0.3 0.05 0.3", "0.3 -0.15 -0.1", "0.05 0 0");
    let around = cylinder("0.15 0.5", "-0.3 0.1 0.3", "0.3 0.05 -0.1", "0 0.4 0");
    for (m, tolerance) in [(bent, 1e-4), (ring, 1e-4), (around, 1e-6)] {
        for qpos in [-0.2, 0.05, 0.3] {
            const STEP: f64 = 1e-6;
            let d = computed(&m, qpos);
            let length = |q: f64| computed(&m, q).ten_length[0];
            let slope = (length(qpos + STEP) - length(qpos - STEP)) / (2.0 * STEP);
            let found = if d.ten_J_rownnz[0] > 0 { d.ten_J[0] } else { 0.0 };
            assert!((found - slope).abs() < tolerance * slope.abs().max(1.0), "{found} {slope}");
        }
    }
}

/// Points of the path: sites −1, geoms by number, a pulley −2.
#[test]
fn path_points() {
    let text = r#"<mujoco>
      <worldbody>
        <geom name="round" size="0.1"/>
        <site name="a" pos="-1 0 0.05"/><site name="b" pos="1 0 0.05"/><site name="c" pos="1 1 0"/>
        <body pos="3 0 0"><joint/><geom size="0.1"/><site name="d"/></body>
      </worldbody>
      <tendon>
        <spatial><site site="a"/><site site="b"/></spatial>
        <spatial><site site="a"/><site site="b"/><site site="d"/></spatial>
        <spatial><site site="a"/><geom geom="round"/><site site="b"/></spatial>
        <spatial>
          <site site="a"/><site site="b"/><pulley divisor="2"/><site site="c"/><site site="d"/>
        </spatial>
        <spatial><site site="b"/><geom geom="round"/><site site="c"/></spatial>
      </tendon>
    </mujoco>"#;
    let m = load_model_str(text, &Assets::memory_only()).unwrap();
    let d = computed(&m, 0.0);
    assert_eq!(d.ten_wrapnum, [2, 3, 4, 5, 2]);
    assert_eq!(d.ten_wrapadr, [0, 2, 5, 9, 14]);
    assert_eq!(d.wrap_obj.as_flattened()[5..9], [-1, 0, 0, -1]);
    assert_eq!(d.wrap_obj.as_flattened()[9..14], [-1, -1, -2, -1, -1]);
    let expected = 2.0 + Vec3::new(1.0, 1.0, 0.0).distance(Vec3::new(3.0, 0.0, 0.0)) / 2.0;
    assert!((d.ten_length[3] - expected).abs() < 1e-14);
}

#[test]
fn straight_segments_add_up() {
    let text = r#"<mujoco>
      <worldbody>
        <site name="a" pos="-1 0 0.3"/>
        <body pos="0 0.2 0"><joint axis="1 2 3"/><geom size="0.1"/><site name="b" pos="0.3 0.1 0"/>
          <body pos="0.5 0 0"><joint type="ball"/><geom size="0.1"/><site name="c" pos="0 0.2 0.1"/></body></body>
      </worldbody>
      <tendon>
        <spatial><site site="a"/><site site="b"/><site site="c"/></spatial>
        <fixed><joint joint="h" coef="2"/></fixed>
        <spatial><site site="c"/><site site="a"/></spatial>
      </tendon>
    </mujoco>"#
        .replace(r#"<joint axis="1 2 3"/>"#, r#"<joint name="h" axis="1 2 3"/>"#);
    let m = load_model_str(&text, &Assets::memory_only()).unwrap();
    for qpos in [-0.7, 0.0, 0.4] {
        let d = computed(&m, qpos);
        // A fixed tendon has no path, but an address.
        assert_eq!((d.ten_wrapnum[1], d.ten_wrapadr[1]), (0, 3));
        let points = d.wrap_xpos.as_flattened();
        for tendon in [0, 2] {
            let start = d.ten_wrapadr[tendon] as usize;
            let path: Vec<Vec3> = (start..start + d.ten_wrapnum[tendon] as usize)
                .map(|k| Vec3::from_slice(&points[3 * k..]))
                .collect();
            let sum: f64 = path.windows(2).map(|p| p[0].distance(p[1])).sum();
            assert!((sum - d.ten_length[tendon]).abs() < 1e-14);
        }
    }
}

/// A tendon that follows one joint acts like the joint.
#[test]
fn tendon_actuator_equals_joint_actuator() {
    let model = |target: &str| {
        let text = format!(
            r#"<mujoco>
              <worldbody><body><joint name="j" axis="0 1 0"/><geom size="0.1" pos="0 0 -1"/></body></worldbody>
              <tendon><fixed name="t"><joint joint="j" coef="1.5"/></fixed></tendon>
              <actuator><position {target} kp="3" kv="0.2"/></actuator>
            </mujoco>"#
        );
        load_model_str(&text, &Assets::memory_only()).unwrap()
    };
    let forces = [r#"tendon="t""#, r#"joint="j" gear="1.5""#].map(|target| {
        let m = model(target);
        let mut d = Data::new(&m);
        (d.qpos[0], d.qvel[0], d.ctrl[0]) = (0.3, -0.7, 0.2);
        forward(&m, &mut d).unwrap();
        d.qfrc_actuator[0]
    });
    assert!((forces[0] - forces[1]).abs() < 1e-14);
}

/// A string to the place where a joint is anchored does not turn it: no entry, hence no row of a limit
/// whose force would be a matter of rounding.
#[test]
fn an_anchored_end_does_not_move() {
    let text = r#"<mujoco><option jacobian="dense"/><worldbody><site name="a" pos="0.0796 0.176 0.0946"/>
      <body pos="-0.4566 0.2069 0.784" euler="20 30 40">
        <joint name="j" axis="0.3 -0.5 0.7"/>
        <geom type="box" size="0.03 0.04 0.05" pos="0.1 0.2 -0.1"/><site name="b"/>
        <body pos="0 0 .2"><joint type="slide" axis="1 1 0"/><geom size=".05"/></body>
      </body></worldbody>
      <tendon><spatial limited="true" range="0 0.1"><site site="a"/><site site="b"/></spatial></tendon></mujoco>"#;
    let m = load_model_str(text, &Assets::memory_only()).unwrap();
    for k in 0..50 {
        let mut d = Data::new(&m);
        d.qpos.copy_from_slice(&[0.1 * f64::from(k) - 2.5, 0.03 * f64::from(k)]);
        forward(&m, &mut d).unwrap();
        assert!(d.ten_length[0] > 0.5);
        assert_eq!((d.ten_J_rownnz[0], d.nefc), (0, 0), "{:?}", d.ten_J);
    }
}

/// A tendon parallel to the axis of a hinge does not depend on its angle, but ends on its body: in the sparse form,
/// MuJoCo's rows have an entry for it, zero, and islands join what a row has entries of.
#[test]
fn rows_connect_trees_that_a_tendon_ends_on() {
    let islands = |jacobian: &str, tendon: &str, equality: &str| {
        let text = format!(
            r#"<mujoco>
              <option jacobian="{jacobian}"/>
              <worldbody>
                <body><joint axis="0 0 1"/><geom size=".1"/><site name="a" pos="0 0 1"/></body>
                <body pos="3 0 0">
                  <joint type="slide" axis="1 0 0"/><geom size=".1"/><site name="b" pos="0 0 1"/>
                </body>
              </worldbody>
              <tendon>
                <spatial name="t" {tendon}><site site="a"/><site site="b"/></spatial>
              </tendon>
              <equality>{equality}</equality>
            </mujoco>"#
        );
        let m = load_model_str(&text, &Assets::memory_only()).unwrap();
        let d = computed(&m, 0.0);
        assert_eq!((d.nefc, d.nisland), (1, 1));
        d.dof_island.clone()
    };
    for (tendon, equality) in [
        (r#"frictionloss="1""#, ""),
        (r#"limited="true" range="0 2""#, ""),
        ("", r#"<tendon tendon1="t"/>"#),
    ] {
        assert_eq!(islands("sparse", tendon, equality), [0, 0], "{tendon}{equality}");
        assert_eq!(islands("dense", tendon, equality), [-1, 0], "{tendon}{equality}");
    }
}
