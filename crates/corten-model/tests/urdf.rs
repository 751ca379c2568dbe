//! URDF: what is taken over, what is refused, and what the author is told.

use corten_model::diagnostic::Severity;
use corten_model::enums::EqualityType;
use corten_model::{Assets, Diagnostics, ReadOptions, Spec, compile};

/// Two links, `inside` the second one, `joint` inside their joint, `more` at the end.
fn robot(inside: &str, joint: &str, more: &str) -> String {
    format!(
        r#"<robot name="r"><link name="base"/>
        <link name="arm"><inertial><mass value="1"/>
          <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>{inside}</link>
        <joint name="j" type="revolute"><parent link="base"/><child link="arm"/>{joint}</joint>
        {more}</robot>"#
    )
}

fn read(text: &str, options: ReadOptions) -> Result<(Spec, Diagnostics), Diagnostics> {
    Spec::read_str(text, &Assets::memory_only(), options)
}

const FINGER: &str = r#"<link name="finger"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
    <joint name="k" type="prismatic"><parent link="arm"/><child link="finger"/>
      <mimic joint="j" multiplier="-0.5" offset="0.1"/></joint>"#;

#[test]
fn mimic_joints_follow_by_an_equality_constraint() {
    let (spec, findings) = read(&robot("", "", FINGER), ReadOptions::default()).unwrap();
    let equality = spec.equalities.values().next().unwrap();
    assert_eq!(equality.type_, EqualityType::Joint);
    assert_eq!((equality.name1.as_str(), equality.name2.as_str()), ("k", "j"));
    // position of k = 0.1 − 0.5 · position of j
    assert_eq!(equality.data[..5], [0.1, -0.5, 0.0, 0.0, 0.0]);
    let note = findings.notes().next().unwrap();
    assert!(note.message.contains("'k' follows 'j'"), "{note}");
    let model = compile(&spec, &Assets::memory_only()).unwrap().into_model();
    assert_eq!((model.neq, model.eq_obj1id[0], model.eq_obj2id[0]), (1, 1, 0));
}

#[test]
fn mimic_joints_are_dropped_as_in_mujoco_when_asked() {
    let (spec, findings) = read(&robot("", "", FINGER), ReadOptions::MUJOCO).unwrap();
    assert!(spec.equalities.is_empty());
    let warning = findings.warnings().next().unwrap();
    assert!(warning.message.contains("'k' does not follow 'j'"), "{warning}");
    assert!(warning.place.as_ref().is_some_and(|place| place.line > 1));
}

#[test]
fn a_second_element_where_one_is_read_is_refused() {
    let two = robot("", r#"<axis xyz="1 0 0"/><axis xyz="0 1 0"/>"#, "");
    let errors = read(&two, ReadOptions::MUJOCO).unwrap_err();
    assert!(errors.to_string().contains("more than one 'axis' in 'joint'"), "{errors}");
    // What is discarded is not looked at.
    let shape = r#"<visual><geometry><box size="1 1 1"/></geometry><geometry/></visual>"#;
    read(&robot(shape, "", ""), ReadOptions::MUJOCO).unwrap();
    let kept = r#"<mujoco><compiler discardvisual="false"/></mujoco>"#;
    read(&robot(shape, "", kept), ReadOptions::MUJOCO).unwrap_err();
}

#[test]
fn settings_are_read_and_what_mujoco_ignores_is_a_warning() {
    let settings = r#"<mujoco><compiler balanceinertia="true" colour="red"/>
        <option timestep="0.005"/><visual/></mujoco>"#;
    let (spec, findings) = read(&robot("", "", settings), ReadOptions::MUJOCO).unwrap();
    assert!(spec.compiler.balanceinertia);
    assert_eq!(spec.option.timestep, 0.005);
    let messages: Vec<&str> = findings.warnings().map(|item| item.message.as_str()).collect();
    assert_eq!(
        messages,
        ["unknown attribute 'colour' is ignored", "'visual' has no effect in this format"]
    );
}

#[test]
fn parts_without_counterpart_are_named_once() {
    let joint = r#"<limit lower="-1" upper="1" velocity="3" effort="2"/><safety_controller/>"#;
    let (_, findings) =
        read(&robot("", joint, "<transmission/><transmission/>"), ReadOptions::MUJOCO).unwrap();
    let found: Vec<(Severity, &str)> =
        findings.iter().map(|item| (item.severity, item.message.as_str())).collect();
    assert_eq!(
        found,
        [
            (Severity::Note, "limits of velocity have no effect here"),
            (Severity::Note, "'safety_controller' of joints has no effect here"),
            (Severity::Warning, "element 'transmission' has no effect here"),
        ]
    );
}

const MESH: &str = r#"<collision><geometry>
    <mesh filename="package://parts/meshes/tetra.obj"/></geometry></collision>"#;

#[test]
fn packages_are_found_through_search_paths() {
    let root = std::env::temp_dir().join(format!("corten-urdf-{}", std::process::id()));
    let meshes = root.join("parts/meshes");
    std::fs::create_dir_all(&meshes).unwrap();
    let tetra = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(meshes.join("tetra.obj"), tetra).unwrap();

    // The directory that holds packages, and the package itself, both serve.
    for place in [root.clone(), root.join("parts")] {
        let mut assets = Assets::new();
        assets.add_package_path(place.to_string_lossy());
        let (spec, findings) =
            Spec::read_str(&robot(MESH, "", ""), &assets, ReadOptions::MUJOCO).unwrap();
        assert!(findings.is_empty(), "{findings}");
        assert_eq!(compile(&spec, &assets).unwrap().into_model().nmesh, 1);
    }
    // Inside the package, the author is told which directory to list.
    let urdf = root.join("parts/urdf");
    std::fs::create_dir_all(&urdf).unwrap();
    let file = urdf.join("robot.urdf");
    std::fs::write(&file, robot(MESH, "", "")).unwrap();
    let (_, findings) =
        Spec::from_file_with_warnings(&file.to_string_lossy(), &Assets::new()).unwrap();
    let advice = format!("set CORTEN_PACKAGE_PATH={}", root.join("parts").display());
    assert!(findings.to_string().contains(&advice), "{findings}");
    std::fs::remove_dir_all(&root).unwrap();
}

#[test]
fn a_missing_package_lists_what_was_tried() {
    let mut assets = Assets::memory_only();
    assets.add_package_path("/opt/robots");
    let (_, findings) = Spec::read_str(&robot(MESH, "", ""), &assets, ReadOptions::MUJOCO).unwrap();
    let shown = findings.to_string();
    assert!(shown.contains("/opt/robots/parts/meshes/tetra.obj"), "{shown}");
    assert!(shown.contains("CORTEN_PACKAGE_PATH"), "{shown}");

    // As in MuJoCo, a file of that name beside the model serves too.
    assets.insert("tetra.obj", *b"v 0 0 0\n");
    let (_, findings) = Spec::read_str(&robot(MESH, "", ""), &assets, ReadOptions::MUJOCO).unwrap();
    assert!(findings.is_empty(), "{findings}");
}

#[test]
fn formats_for_sight_only_are_named() {
    let mesh = MESH.replace("tetra.obj", "hand.dae");
    let mut assets = Assets::memory_only();
    assets.insert("hand.dae", *b"<COLLADA/>");
    let (spec, _) = Spec::read_str(&robot(&mesh, "", ""), &assets, ReadOptions::MUJOCO).unwrap();
    let errors = compile(&spec, &assets).unwrap_err().to_string();
    assert!(errors.contains("COLLADA") && errors.contains("convert"), "{errors}");
}
