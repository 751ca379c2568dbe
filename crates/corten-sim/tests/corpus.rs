//! Files on disk: our scenes always, the corpus of public models where it is at hand.
//!
//! The corpus is looked for in `CORTEN_CORPUS`, then next to the repository; `MODELS.txt` lists
//! what MuJoCo loads, `REJECTED.txt` what it refuses.

use std::path::{Path, PathBuf};

use corten_model::arrays::ArrayRef;
use corten_model::{Assets, Diagnostics, Spec};
use corten_sim::{Model, compile_spec};

/// Equal up to the unit of angles, which may change when a model is written.
const TOLERANCE: f64 = 1e-12;

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn corpus() -> Option<PathBuf> {
    let dir = std::env::var_os("CORTEN_CORPUS")
        .map_or_else(|| repository().join("../shared/corpus"), PathBuf::from);
    let found = dir.join("MODELS.txt").is_file().then_some(dir);
    if found.is_none() {
        eprintln!("no corpus at hand: only our own scenes are checked");
    }
    found
}

fn scenes() -> Vec<PathBuf> {
    let dir = std::fs::read_dir(repository().join("scenes")).unwrap();
    let mut files: Vec<PathBuf> = dir.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "xml"));
    files.sort();
    files
}

/// Models of the corpus without deformables and plugins.
fn rigid_models(corpus: &Path) -> Vec<PathBuf> {
    let list = std::fs::read_to_string(corpus.join("MODELS.txt")).unwrap();
    let rigid = list.lines().filter(|l| l.contains("nflex=0") && l.contains("nplugin=0"));
    rigid.filter_map(|l| l.split_whitespace().next()).map(|path| corpus.join(path)).collect()
}

fn read(path: &Path) -> Result<Spec, Diagnostics> {
    Spec::from_file(&path.to_string_lossy(), &Assets::new())
}

/// The first array in which two models differ.
fn difference(a: &Model, b: &Model, paths: bool) -> Option<String> {
    fn apart<T: Copy + Into<f64>>(a: &[T], b: &[T], tolerance: f64) -> Option<String> {
        if a.len() != b.len() {
            return Some(format!("{} values against {}", a.len(), b.len()));
        }
        let scale = a.iter().map(|&x| x.into().abs()).filter(|x| x.is_finite()).fold(1.0, f64::max);
        let close = |x: f64, y: f64| x == y || (x - y).abs() <= tolerance * scale;
        let i = (0..a.len()).find(|&i| !close(a[i].into(), b[i].into()))?;
        Some(format!("[{i}] {} against {}", a[i].into(), b[i].into()))
    }
    for (x, y) in a.pack().iter().zip(b.pack()) {
        if !paths && (x.name.ends_with("paths") || x.name.ends_with("_pathadr")) {
            continue;
        }
        let found = match (x.values.as_ref(), y.values.as_ref()) {
            (ArrayRef::F64(x), ArrayRef::F64(y)) => apart(x, y, TOLERANCE),
            // One unit in the last place of single precision.
            (ArrayRef::F32(x), ArrayRef::F32(y)) => apart(x, y, f64::from(f32::EPSILON)),
            (ArrayRef::I32(x), ArrayRef::I32(y)) => apart(x, y, 0.0),
            (ArrayRef::U8(x), ArrayRef::U8(y)) => apart(x, y, 0.0),
            _ => Some("types".into()),
        };
        if let Some(found) = found {
            return Some(format!("{}{found}", x.name));
        }
    }
    None
}

/// What is lost when a model is written and read again.
fn loss(path: &Path) -> Option<String> {
    let spec = match read(path) {
        Ok(spec) => spec,
        Err(errors) => return Some(format!("does not load\n{errors}")),
    };
    let written = match spec.to_xml() {
        Ok(written) => written,
        Err(error) => return Some(format!("cannot be written: {error}")),
    };
    // Files are named relative to the model, so the text is read as if it stood in its place.
    let mut assets = Assets::new();
    let place = path.with_file_name("written-by-the-round-trip-test.xml");
    assets.insert(&place.file_name().unwrap().to_string_lossy(), written.as_bytes());
    let again = match Spec::from_file(&place.to_string_lossy(), &assets) {
        Ok(again) => again,
        Err(errors) => return Some(format!("the written text is refused\n{errors}")),
    };
    let (first, second) = match (compile_spec(&spec, &assets), compile_spec(&again, &assets)) {
        (Ok(first), Ok(second)) => (first, second),
        (Err(errors), _) => return Some(format!("does not compile\n{errors}")),
        (_, Err(errors)) => return Some(format!("the written text does not compile\n{errors}")),
    };
    // Files of attached models may have to be named by another path than before.
    difference(&first, &second, spec.origins.is_empty())
}

fn assert_lossless(paths: &[PathBuf]) {
    let lost: Vec<String> = paths
        .iter()
        .filter_map(|path| loss(path).map(|what| format!("{}: {what}", path.display())))
        .collect();
    assert!(lost.is_empty(), "{} of {}:\n{}", lost.len(), paths.len(), lost.join("\n"));
}

#[test]
fn scenes_survive_saving_and_loading() {
    assert_lossless(&scenes());
}

#[test]
fn corpus_models_survive_saving_and_loading() {
    let Some(corpus) = corpus() else { return };
    assert_lossless(&rigid_models(&corpus));
}

#[test]
fn scenes_survive_the_binary_form() {
    for path in scenes() {
        let model = corten_sim::load_model(&path).unwrap();
        let again = Model::from_bytes(&model.to_bytes()).unwrap();
        assert!(model.to_bytes() == again.to_bytes(), "{}", path.display());
    }
}

/// Files that MuJoCo refuses are refused with a place; the ones that merely run into bad numbers
/// while stepping load, as they do there.
#[test]
fn rejected_files_are_refused_with_their_place() {
    let Some(corpus) = corpus() else { return };
    let list = std::fs::read_to_string(corpus.join("REJECTED.txt")).unwrap();
    for (file, reason) in list.lines().filter_map(|line| line.split_once('\t')) {
        let loaded = corten_sim::load_model(corpus.join(file));
        match loaded {
            Ok(_) => assert_eq!(reason, "not finite", "{file} is accepted"),
            Err(errors) => {
                assert_ne!(reason, "not finite", "{file} is refused: {errors}");
                for item in errors.errors() {
                    let place = item.place.as_ref();
                    let line = place.map_or(0, |place| place.line);
                    assert!(line > 0, "{file}: no place in: {item}");
                }
            }
        }
    }
}
