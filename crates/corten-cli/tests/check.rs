//! `corten check` as a user sees it: text, JSON, exit codes, many files.

use std::path::PathBuf;
use std::process::{Command, Output};

fn corten(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_corten")).args(args).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A directory with these files, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let dir = std::env::temp_dir().join(format!("corten-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        for (file, content) in files {
            std::fs::write(dir.join(file), content).unwrap();
        }
        Folder(dir)
    }

    fn path(&self, file: &str) -> String {
        self.0.join(file).to_string_lossy().into_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const GOOD: &str = r#"<mujoco><worldbody><body name="b"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"#;
const SUSPICIOUS: &str = r#"<mujoco>
  <option timestep="0.1"/>
  <default><default class="spare"/></default>
  <asset><material name="paint"/></asset>
  <worldbody>
    <body name="arm"><joint name="elbow" range="-1.57 1.57"/><geom size=".1"/>
      <inertial pos="0 0 0" mass="1" diaginertia="9 9 9"/></body>
    <body name="one"><freejoint/><geom size=".1"/></body>
    <body name="two" pos=".1 0 0"><freejoint/><geom size=".1"/></body>
  </worldbody>
  <actuator><muscle joint="elbow"/></actuator>
</mujoco>"#;

#[test]
fn exit_codes_tell_errors_from_warnings() {
    let dir = Folder::new(
        "codes",
        &[("good.xml", GOOD), ("odd.xml", SUSPICIOUS), ("bad.xml", "<mujoco><bdy/></mujoco>")],
    );
    let code = |args: &[&str]| corten(args).status.code();
    assert_eq!(code(&["check", &dir.path("good.xml")]), Some(0));
    assert_eq!(code(&["check", &dir.path("odd.xml")]), Some(0));
    assert_eq!(code(&["check", "-W", &dir.path("odd.xml")]), Some(1));
    assert_eq!(code(&["check", &dir.path("good.xml"), &dir.path("bad.xml")]), Some(1));
    assert_eq!(code(&["check", &dir.path("absent.xml")]), Some(1));
    assert_eq!(code(&["check"]), Some(2));
}

#[test]
fn advice_covers_what_is_legal_but_suspicious() {
    let dir = Folder::new("advice", &[("odd.xml", SUSPICIOUS)]);
    let shown = text(&corten(&["check", &dir.path("odd.xml")]));
    for part in [
        "a timestep of 0.1 s is long",
        "material 'paint' is not used",
        "default class 'spare' is not used",
        "are these radians?",
        "control of this muscle is not limited",
        "inertia is too large for the shapes",
        "'one' and 'two' overlap by 100.0 mm",
    ] {
        assert!(shown.contains(part), "missing: {part}\n{shown}");
    }
    assert!(shown.contains("odd.xml:6:22"), "{shown}");
}

#[test]
fn directories_are_searched_and_parts_recognized() {
    let dir = Folder::new(
        "parts",
        &[
            (
                "part.xml",
                r#"<mujoco><worldbody><geom class="shared" size="1"/></worldbody></mujoco>"#,
            ),
            (
                "whole.xml",
                r#"<mujoco><default><default class="shared"/></default><include file="part.xml"/></mujoco>"#,
            ),
            ("readme.txt", "not a model"),
        ],
    );
    let output = corten(&["check", &dir.0.to_string_lossy()]);
    let shown = text(&output);
    assert_eq!(output.status.code(), Some(0), "{shown}");
    assert!(shown.contains("part.xml: part of") && shown.contains("2 files checked"), "{shown}");
}

#[test]
fn json_is_one_object() {
    let dir = Folder::new(
        "json",
        &[
            ("bad.xml", "<mujoco>\n<worldbody>\n<geom sise='1'/></worldbody></mujoco>"),
            ("main.xml", "<mujoco>\n <include file='bad.xml'/></mujoco>"),
        ],
    );
    let shown = text(&corten(&["check", "--json", &dir.path("bad.xml"), &dir.path("main.xml")]));
    let value: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!((&value["errors"], &value["warnings"]), (&2.into(), &0.into()), "{shown}");
    assert_eq!(value["files"][0]["ok"], false);
    let finding = &value["files"][0]["findings"][0];
    assert_eq!(finding["severity"], "error");
    assert_eq!(finding["did_you_mean"], "size");
    assert_eq!(finding["file"], dir.path("bad.xml"));
    assert_eq!((&finding["line"], &finding["column"]), (&3.into(), &7.into()), "{shown}");
    assert_eq!(finding.get("include_chain"), None);
    let chain = &value["files"][1]["findings"][0]["include_chain"];
    assert_eq!((&chain[0]["file"], &chain[0]["line"]), (&dir.path("main.xml").into(), &2.into()));
}

#[test]
fn models_are_converted_and_described() {
    let dir = Folder::new("convert", &[("good.xml", GOOD)]);
    for target in ["again.xml", "again.cfa"] {
        let output = corten(&["convert", &dir.path("good.xml"), &dir.path(target)]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let shown = text(&corten(&["info", &dir.path(target)]));
        assert!(shown.contains("total mass 4.1888 kg"));
        assert!(shown.contains("nbody            2"), "{shown}");
    }
}

#[test]
fn extensions_are_left_out_for_mujoco_and_told() {
    let model = r#"<mujoco><option cortenforge:solver="xpbd" cortenforge:flex="implicit"/><worldbody>
      <geom type="plane" size="1 1 1" cortenforge:stiffness="5000"/>
      <body name="b" pos="0 0 1"><joint name="j"/><geom size=".1"/></body>
      <cortenforge:deformable name="rope" type="chain" preset="rope" count="4" pos="1 0 1" end="1.3 0 1"/>
      </worldbody><actuator><general joint="j" gaintype="custom" cortenforge:gain_model="dc_motor"
        cortenforge:gain_params="1 1 .01"/></actuator></mujoco>"#;
    let dir = Folder::new("mujoco", &[("own.xml", model)]);
    let output = corten(&["convert", "--mujoco", &dir.path("own.xml"), &dir.path("plain.xml")]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{told}");
    for lost in ["'xpbd'", "explicit", "stiffness", "'rope'", "'dc_motor'"] {
        assert!(told.contains(lost), "{lost}: {told}");
    }
    let plain = std::fs::read_to_string(dir.path("plain.xml")).unwrap();
    assert!(!plain.contains("cortenforge"), "{plain}");
    let again = corten(&["convert", "--mujoco", &dir.path("plain.xml"), &dir.path("again.xml")]);
    assert!(again.status.success() && again.stderr.is_empty());
    let cfa = corten(&["convert", "--mujoco", &dir.path("own.xml"), &dir.path("own.cfa")]);
    assert!(!cfa.status.success());
}
