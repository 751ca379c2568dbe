//! From a file or text to a complete model.

use std::path::Path;

use corten_model::{Assets, Diagnostics, Model, Spec, compile};

use crate::constants;

/// A model and what its author should know although it loads.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub model: Model,
    pub warnings: Diagnostics,
}

/// Loads a model from a file.
///
/// The error lists everything that is wrong with the file, each with its place.
pub fn load_model(path: impl AsRef<Path>) -> Result<Model, Diagnostics> {
    load_file(path, &Assets::new()).map(|loaded| loaded.model)
}

/// Loads a model from text; files that it names are taken from `assets`.
pub fn load_model_str(text: &str, assets: &Assets) -> Result<Model, Diagnostics> {
    let (spec, warnings) = Spec::from_xml_str_with_warnings(text, assets)?;
    build(&spec, assets, warnings).map(|loaded| loaded.model)
}

/// Loads a model from a file; files in `assets` stand before those on disk.
pub fn load_file(path: impl AsRef<Path>, assets: &Assets) -> Result<Loaded, Diagnostics> {
    let path = path.as_ref().to_string_lossy();
    let (spec, warnings) = Spec::from_file_with_warnings(&path, assets)?;
    build(&spec, assets, warnings)
}

/// Compiles a spec into a complete model.
pub fn compile_spec(spec: &Spec, assets: &Assets) -> Result<Model, Diagnostics> {
    build(spec, assets, Diagnostics::new()).map(|loaded| loaded.model)
}

fn build(spec: &Spec, assets: &Assets, mut warnings: Diagnostics) -> Result<Loaded, Diagnostics> {
    let draft = compile(spec, assets)?;
    warnings.append(draft.warnings.clone());
    let model = constants::finish(draft)?;
    Ok(Loaded { model, warnings })
}
