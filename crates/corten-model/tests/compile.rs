//! Compiling models: closed forms, transformations of the tree, and what authors are told.

use corten_model::enums::ObjType;
use corten_model::{Assets, Diagnostics, ModelArrays, Spec, compile};

fn load(xml: &str) -> Result<ModelArrays, Diagnostics> {
    let assets = Assets::memory_only();
    let spec = Spec::from_xml_str(xml, &assets)?;
    compile(&spec, &assets).map(|draft| draft.into_model())
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * b.abs().max(1.0)
}

const UNIT_TETRAHEDRON: &str = "0 0 0  1 0 0  0 1 0  0 0 1";

#[test]
fn a_tetrahedron_has_its_volume_and_center() {
    let m = load(&format!(
        r#"<mujoco>
            <asset><mesh name="t" vertex="{UNIT_TETRAHEDRON}" scale="2 2 2"/></asset>
            <worldbody><body><freejoint/><geom type="mesh" mesh="t" density="6"/></body></worldbody>
        </mujoco>"#
    ))
    .unwrap();
    assert!(close(m.body_mass[1], 8.0));
    for k in 0..3 {
        assert!(close(m.geom_pos[0][k], 0.5));
    }
    // A coordinate of a uniform unit tetrahedron has variance 3/80; the trace of the inertia about
    // the centre is twice the mass times the sum of the three variances.
    let trace: f64 = m.body_inertia[1].0.iter().sum();
    assert!(close(trace, 2.0 * 8.0 * 3.0 * (4.0 * 3.0 / 80.0)));
    assert_eq!((m.mesh_graph[0], m.mesh_graph[1]), (4, 4));
    assert_eq!(m.mesh_polynum[0], 4);
}

#[test]
fn static_bodies_fuse_unless_something_refers_to_them() {
    let xml = |sensor: &str| {
        format!(
            r#"<mujoco>
                <compiler fusestatic="true"/>
                <worldbody>
                  <body name="a"><joint/><geom size=".1" mass="1"/>
                    <body name="b" pos="1 0 0"><geom size=".1" mass="1"/><site name="s" pos="0 1 0"/>
                      <camera name="c" pos="0 0 1"/>
                    </body>
                  </body>
                </worldbody>
                <sensor>{sensor}</sensor>
            </mujoco>"#
        )
    };
    let m = load(&xml("")).unwrap();
    assert_eq!((m.nbody, m.ngeom, m.nsite, m.ncam), (2, 2, 1, 1));
    assert!(close(m.body_mass[1], 2.0) && close(m.body_ipos[1][0], 0.5));
    assert!(close(m.site_pos[0][0], 1.0) && close(m.cam_pos[0][0], 1.0));
    let kept = load(&xml(r#"<framepos objtype="body" objname="b"/>"#)).unwrap();
    assert_eq!(kept.nbody, 3);
}

/// As measured in MuJoCo 3.4.0, which compiles cameras and lights twice with `fusestatic`.
#[test]
fn cameras_and_lights_of_an_aligned_body_stay_where_they_are_with_fusestatic() {
    for (fusestatic, camera, light) in [("false", -1.0, 3.0), ("true", 0.0, 4.0)] {
        let m = load(&format!(
            r#"<mujoco>
                <compiler fusestatic="{fusestatic}"/>
                <worldbody>
                  <body><freejoint align="true"/>
                    <geom type="box" size=".1 .2 .3" pos="1 0 0"/>
                    <site pos="0 0 2"/><camera pos="0 3 0"/><light pos="4 0 0"/>
                  </body>
                </worldbody>
            </mujoco>"#
        ))
        .unwrap();
        let x = [m.body_pos[1][0], m.geom_pos[0][0], m.site_pos[0][0]];
        assert_eq!(x, [1.0, 0.0, -1.0], "fusestatic {fusestatic}");
        assert_eq!(
            [m.cam_pos[0][0], m.light_pos[0][0]],
            [camera, light],
            "fusestatic {fusestatic}"
        );
    }
}

#[test]
fn visual_elements_are_discarded_but_their_mass_stays() {
    let m = load(&format!(
        r#"<mujoco>
            <compiler discardvisual="true"/>
            <asset>
              <mesh name="seen" vertex="{UNIT_TETRAHEDRON}"/>
              <mesh name="felt" vertex="{UNIT_TETRAHEDRON}"/>
              <material name="red" rgba="1 0 0 1"/>
            </asset>
            <worldbody>
              <body><freejoint/>
                <geom type="mesh" mesh="seen" contype="0" conaffinity="0" mass="3" material="red"/>
                <geom type="mesh" mesh="felt" mass="1"/>
              </body>
            </worldbody>
        </mujoco>"#
    ))
    .unwrap();
    assert_eq!((m.ngeom, m.nmesh, m.nmat), (1, 1, 0));
    assert_eq!(m.object_names.name(ObjType::Mesh, 0), Some("felt"));
    assert!(close(m.body_mass[1], 4.0));
}

#[test]
fn names_are_packed_and_found() {
    let m = load(
        r#"<mujoco model="m"><worldbody><body name="first"><geom name="g" size="1"/></body>
           <body name="second"/></worldbody></mujoco>"#,
    )
    .unwrap();
    let text = |address: i32| {
        let rest = &m.names[address as usize..];
        String::from_utf8_lossy(&rest[..rest.iter().position(|&b| b == 0).unwrap()]).into_owned()
    };
    assert_eq!(text(0), "m");
    assert_eq!(text(m.name_bodyadr[2]), "second");
    assert_eq!(text(m.name_geomadr[0]), "g");
    assert_eq!(m.object_names.id(ObjType::Body, "second"), Some(2));
}

#[test]
fn total_mass_is_scaled() {
    let m = load(
        r#"<mujoco><compiler settotalmass="5"/><worldbody>
           <body><freejoint/><geom size="1" mass="1"/></body>
           <body><freejoint/><geom size="1" mass="3"/></body></worldbody></mujoco>"#,
    )
    .unwrap();
    assert!(close(m.body_mass[1], 1.25) && close(m.body_mass[2], 3.75));
}

/// One run reports every mistake, with the element and a similar name.
#[test]
fn all_mistakes_are_reported_at_once() {
    let errors = load(
        r#"<mujoco>
            <asset><mesh name="flat" vertex="0 0 0 1 0 0 0 1 0 1 1 0"/>
                   <mesh name="lost" file="lost.obj"/></asset>
            <worldbody>
              <body name="arm"><joint name="elbow" range="1 -1" limited="true"/>
                <geom name="a" size="0"/><geom name="a" type="mesh" mesh="flt"/>
                <geom type="plane" size="1 1 1"/>
              </body>
              <body name="ghost"><joint/></body>
            </worldbody>
            <actuator><motor joint="elbw"/></actuator>
            <sensor><ballquat joint="elbow"/></sensor>
            <contact><exclude body1="arm" body2="nobody"/></contact>
        </mujoco>"#,
    )
    .unwrap_err();
    let text = errors.to_string();
    for part in [
        "all points lie in one plane",
        "lost.obj",
        "range[0] must be smaller",
        "size 0 must be positive",
        "'a' is given to more than one geom",
        "no mesh named 'flt'",
        "planes are only allowed in static bodies",
        "no joint named 'elbw'",
        "did you mean: elbow",
        "ball joint",
        "no body named 'nobody'",
        "a moving body needs mass",
    ] {
        assert!(text.contains(part), "missing: {part}\n{text}");
    }
    assert!(errors.errors().all(|e| e.place.is_some()), "{text}");
}

/// Whatever is cut out of a model, compiling it ends with a model or with errors.
#[test]
fn mutilated_models_do_not_panic() {
    let xml = r#"<mujoco>
        <compiler fusestatic="true" eulerseq="zyx"/>
        <asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1" inertia="convex"/>
          <hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/>
          <texture name="x" type="2d" builtin="checker" width="4" height="4"/>
          <material name="m" texture="x"/></asset>
        <worldbody><geom type="hfield" hfield="h"/><light/><camera euler="1 2 3"/>
          <body name="b" pos="0 0 1"><freejoint align="true"/><geom type="mesh" mesh="t"/>
            <site name="s"/><site name="r" pos="1 0 0"/></body>
          <body name="c"><joint name="j" type="ball"/>
            <inertial pos="0 0 0" mass="1" fullinertia="1 1 1 0 0 0"/>
            <body name="d"><joint name="k"/>
              <geom name="g" type="capsule" fromto="0 0 0 1 0 0" size=".1"/></body>
          </body></worldbody>
        <tendon><spatial name="t"><site site="s"/><site site="r"/></spatial>
          <fixed name="f"><joint joint="k" coef="1"/></fixed></tendon>
        <equality><joint joint1="k"/><weld body1="b" body2="c"/></equality>
        <actuator><motor tendon="t"/><position joint="k" kp="1"/></actuator>
        <sensor><touch site="s"/><framequat objtype="geom" objname="g"/></sensor>
        <keyframe><key qpos="0 0 1 1 0 0 0 1 0 0 0 0"/></keyframe></mujoco>"#;
    if let Err(errors) = load(xml) {
        panic!("{errors}");
    }
    for at in (0..xml.len()).step_by(3) {
        for n in [1, 7] {
            if let (Some(head), Some(tail)) = (xml.get(..at), xml.get(at + n..)) {
                let _ = load(&format!("{head}{tail}"));
            }
        }
        if xml.as_bytes()[at].is_ascii_digit() {
            for digit in ["0", "-1", "9e99", "nan"] {
                let _ = load(&format!("{}{digit}{}", &xml[..at], &xml[at + 1..]));
            }
        }
    }
}
