//! Every scene against MuJoCo 3.4.0: the compiled model, each field of the forward pass, and a
//! simulation.

mod support;

use std::path::PathBuf;

use corten_sim::Model;
use support::{Golden, Report};

/// Fields that both engines fill by their own choice of layout.
const OWN_LAYOUT: &[&str] = &[
    "names_map",
    "nnames_map",
    "paths",
    "npaths",
    "ntexdata",
    "tex_data",
    "tex_adr",
    "nbvh",
    "nbvhstatic",
    "nbvhdynamic",
    "bvh_aabb",
    "bvh_child",
    "bvh_depth",
    "bvh_nodeid",
    "body_bvhadr",
    "body_bvhnum",
    "mapM2D",
    "mapD2M",
    "mapM2M",
    "tex_pathadr",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn golden(scene: &str) -> Golden {
    Golden::read(&root().join(format!("crates/corten-sim/tests/golden/{scene}.cfa")))
}

fn load(scene: &str) -> Model {
    corten_sim::load_model(root().join(format!("scenes/{scene}.xml")))
        .unwrap_or_else(|e| panic!("{scene}: {e}"))
}

fn check(scene: &str, what: &str, report: &Report, tolerance: impl Fn(&str) -> f64) {
    let bad: Vec<String> = report
        .fields
        .iter()
        .filter(|(field, error)| !(*error <= tolerance(field)))
        .map(|(field, error)| format!("{field} {error:.1e}"))
        .collect();
    assert!(bad.is_empty(), "{scene}, {what}: {}", bad.join(", "));
}

/// Contacts and rows inherit the tolerance of iterative collision; forces that of the solver.
fn forward_tolerance(field: &str) -> f64 {
    match field {
        // A ratio to what is allowed.
        "excess_cost" => 1.0,
        "qacc" | "qfrc_constraint" | "efc_force" | "efc_b" | "sensordata" | "cacc" | "cfrc_int"
        | "cfrc_ext" | "qfrc_inverse" => 1e-6,
        _ if field.starts_with("efc_") || field.starts_with("contact.") => 1e-7,
        _ => 1e-9,
    }
}

fn compare(scene: &str) {
    let golden = golden(scene);
    let model = load(scene);
    let compiled = golden.compare_model(&model);
    check(
        scene,
        "compile",
        &compiled,
        |f| if OWN_LAYOUT.contains(&f) { f64::INFINITY } else { 1e-9 },
    );
    check(scene, "forward", &golden.compare_forward(&model), forward_tolerance);
    check(scene, "trajectory", &golden.compare_trajectory(&model), |_| 1e-8);
}

macro_rules! scenes {
    ($($name:ident),* $(,)?) => {$(
        #[test]
        fn $name() {
            compare(stringify!($name));
        }
    )*

    #[test]
    fn every_scene_is_compared() {
        let listed = [$(stringify!($name)),*];
        for entry in std::fs::read_dir(root().join("scenes")).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap();
            if path.extension().is_some_and(|e| e == "xml") {
                assert!(listed.contains(&stem), "{stem} has no comparison");
            }
        }
    }};
}

scenes!(
    arm_gripper,
    ball_chain,
    box_stack,
    cartpole,
    double_pendulum,
    free_bodies,
    humanoid,
    linkage,
    mixed_pile,
    muscle_arm,
    pendulum,
    quadruped,
    sensors,
    slider_crank,
    swimmer,
    tendon_finger,
    wrapping,
);
