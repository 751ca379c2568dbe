//! Compiled flexes against MuJoCo 3.4.0, array by array (`tools/golden_flex.py`), and after saving and
//! loading again.

use std::path::PathBuf;

use corten_model::arrays::ArrayRef;
use corten_model::container;
use corten_model::{Assets, Spec, compile};
use corten_sim::{Model, constants};

const SCENES: [&str; 5] = ["lines", "sheets", "solids", "bricks", "shell"];
/// Relative to the largest number of an array.
const TOLERANCE: f64 = 1e-12;

fn path(scene: &str, extension: &str) -> PathBuf {
    let file = format!("tests/flex/{scene}.{extension}");
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file)
}

fn spec(scene: &str) -> Spec {
    let path = path(scene, "xml");
    Spec::from_file(&path.to_string_lossy(), &Assets::new()).unwrap_or_else(|e| panic!("{e}"))
}

fn model(spec: &Spec) -> Model {
    let draft = compile(spec, &Assets::new()).unwrap_or_else(|e| panic!("{e}"));
    constants::finish(draft).unwrap_or_else(|e| panic!("{e}"))
}

/// Numbers of an array; `None` for those that are none, which compare equal.
fn numbers(array: ArrayRef<'_>) -> Vec<Option<f64>> {
    let all: Vec<f64> = match array {
        ArrayRef::F64(x) => x.to_vec(),
        ArrayRef::F32(x) => x.iter().map(|&x| x.into()).collect(),
        ArrayRef::I32(x) => x.iter().map(|&x| x.into()).collect(),
        ArrayRef::U8(x) => x.iter().map(|&x| x.into()).collect(),
    };
    all.into_iter().map(|x| x.is_finite().then_some(x)).collect()
}

fn assert_close(scene: &str, name: &str, found: ArrayRef<'_>, expected: ArrayRef<'_>) {
    let (found, expected) = (numbers(found), numbers(expected));
    assert_eq!(found.len(), expected.len(), "{scene}: size of {name}");
    let scale = expected.iter().flatten().fold(0.0, |a: f64, x| a.max(x.abs()));
    for (i, (a, b)) in found.iter().zip(&expected).enumerate() {
        let same = match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= TOLERANCE * scale,
            (a, b) => a == b,
        };
        assert!(same, "{scene}: {name}[{i}] is {a:?} instead of {b:?}");
    }
}

#[test]
fn arrays_are_those_of_mujoco() {
    for scene in SCENES {
        let entries = model(&spec(scene)).pack();
        let bytes = std::fs::read(path(scene, "cfa")).expect("reference data");
        let expected = container::read(&bytes).expect("container");
        let mut compared = 0;
        for reference in &expected {
            let Some(own) = entries.iter().find(|entry| entry.name == reference.name) else {
                panic!("{scene}: there is no {}", reference.name);
            };
            if reference.name == "ntexdata" {
                continue;
            }
            assert_close(scene, &own.name, own.values.as_ref(), reference.values.as_ref());
            compared += 1;
        }
        assert!(compared > 300, "{scene}: {compared} arrays");
    }
}

/// A saved model gives the same bits, also where MuJoCo's files lack a word for something.
#[test]
fn saved_models_are_the_same() {
    for scene in SCENES {
        let spec = spec(scene);
        let text = spec.to_xml().expect("text");
        let again = Spec::from_xml_str(&text, &Assets::new()).unwrap_or_else(|e| panic!("{e}"));
        let (first, second) = (model(&spec).pack(), model(&again).pack());
        assert_eq!(first.len(), second.len());
        for (a, b) in first.iter().zip(&second) {
            let (found, expected) = (numbers(b.values.as_ref()), numbers(a.values.as_ref()));
            assert!(found == expected, "{scene}: {} changes by saving", a.name);
        }
    }
}
