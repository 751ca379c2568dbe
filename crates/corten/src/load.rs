//! Models from text, files and specs.

use std::path::Path;

use crate::{Assets, Diagnostic, Diagnostics, Loaded, Model, ReadOptions, Spec};

/// Loads a model from the text of an MJCF or URDF file. Files that it names are read relative to
/// the working directory.
///
/// The error lists everything that is wrong with the text, each with its place.
///
/// ```
/// let errors = corten::load_model("<mujoco><worldbody><geom sise='1'/></worldbody></mujoco>");
/// assert!(errors.unwrap_err().to_string().contains("did you mean: size"));
/// ```
pub fn load_model(text: &str) -> Result<Model, Diagnostics> {
    load_model_with(text, &Assets::new())
}

/// [`load_model`], with files in memory.
pub fn load_model_with(text: &str, assets: &Assets) -> Result<Model, Diagnostics> {
    if !text.contains('<') && !text.trim().is_empty() {
        let shown: String = text.trim().chars().take(80).collect();
        let error = Diagnostic::error(format!("'{shown}' is not the text of a model"));
        return Err(error.hint("to load a file, call load_file").into());
    }
    corten_sim::load_model_str(text, assets)
}

/// Loads a model from an MJCF or URDF file, or from the binary form of a model (`.cfa`, `.mjb`).
///
/// The error lists everything that is wrong with the file, each with its place.
pub fn load_file(path: impl AsRef<Path>) -> Result<Model, Diagnostics> {
    corten_sim::load_model(path)
}

/// [`load_file`], with files in memory that stand before those on disk, choices of reading, and the
/// warnings that loading gave.
pub fn load_file_with(
    path: impl AsRef<Path>,
    assets: &Assets,
    options: ReadOptions,
) -> Result<Loaded, Diagnostics> {
    corten_sim::load_file(path, assets, options)
}

/// Compiles a spec.
///
/// ```
/// use corten::prelude::*;
///
/// let model = compile(&Spec::new())?;
/// assert_eq!(model.nbody, 1);
/// # Ok::<(), Diagnostics>(())
/// ```
pub fn compile(spec: &Spec) -> Result<Model, Diagnostics> {
    corten_sim::compile_spec(spec, &Assets::new())
}

/// [`compile`], with files in memory. The warnings that reading the spec gave come back with those
/// of compiling, or with the errors, whose cause they may be.
pub fn compile_with(
    spec: &Spec,
    assets: &Assets,
    warnings: Diagnostics,
) -> Result<Loaded, Diagnostics> {
    corten_sim::build(spec, assets, warnings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_not_a_text() {
        let error = load_model("scenes/humanoid.xml").unwrap_err().to_string();
        assert!(error.contains("scenes/humanoid.xml") && error.contains("load_file"), "{error}");
        let error = load_model("").unwrap_err().to_string();
        assert!(!error.contains("load_file"), "{error}");
    }
}
