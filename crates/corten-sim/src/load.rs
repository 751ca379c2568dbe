//! From a file or text to a complete model.

use std::path::Path;

use corten_math::memory;
use corten_model::assets::extension;
use corten_model::enums::{EnableBit, Integrator};
use corten_model::{Assets, Diagnostic, Diagnostics, Draft, ReadOptions, Spec, compile_with};

use crate::{Model, Registry, constants};

/// How files of compiled models end: CortenForge's and MuJoCo's.
pub const BINARY: [&str; 2] = [".cfa", ".mjb"];

/// A model and what its author should know although it loads.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// What its author should know.
    pub warnings: Diagnostics,
}

/// Loads a model from a file, or from the binary form of one (`.cfa`, or MuJoCo's `.mjb`).
///
/// The error lists everything that is wrong with the file, each with its place.
pub fn load_model(path: impl AsRef<Path>) -> Result<Model, Diagnostics> {
    load_file(path, &Assets::new(), ReadOptions::default()).map(|loaded| loaded.model)
}

/// Loads a model from text; files that it names are taken from `assets`.
pub fn load_model_str(text: &str, assets: &Assets) -> Result<Model, Diagnostics> {
    let read = || Spec::read_str(text, assets, ReadOptions::default());
    let (spec, warnings) = memory::guard(read)??;
    build(&spec, assets, warnings).map(|loaded| loaded.model)
}

/// Loads a model from a file; files in `assets` stand before those on disk.
pub fn load_file(
    path: impl AsRef<Path>,
    assets: &Assets,
    options: ReadOptions,
) -> Result<Loaded, Diagnostics> {
    load_file_by(&Registry::new(), path.as_ref(), assets, options)
}

/// [`load_file`], with the extensions of a registry.
pub(crate) fn load_file_by(
    registry: &Registry,
    path: &Path,
    assets: &Assets,
    options: ReadOptions,
) -> Result<Loaded, Diagnostics> {
    memory::guard(|| read_and_build(registry, path, assets, options))?
}

fn read_and_build(
    registry: &Registry,
    path: &Path,
    assets: &Assets,
    options: ReadOptions,
) -> Result<Loaded, Diagnostics> {
    let path = path.to_string_lossy();
    if BINARY.iter().any(|ending| extension(&path).eq_ignore_ascii_case(ending)) {
        let error = |e: &dyn std::error::Error| Diagnostics::from(Diagnostic::error(e.to_string()));
        let bytes = assets.read("", &path, &options.limits).map_err(|e| error(&e))?;
        let mut model = registry.load_bytes(&bytes).map_err(|e| error(&e))?;
        model.limits = options.limits;
        return Ok(Loaded { model, warnings: Diagnostics::new() });
    }
    let (spec, warnings) = Spec::read_file(&path, assets, options)?;
    build_by(registry, &spec, assets, warnings)
}

/// Tells that nothing sleeps under Runge-Kutta, where a model asks for both.
fn sleepless_integrator(draft: &Draft) -> Diagnostics {
    let opt = &draft.model().opt;
    if !opt.enabled(EnableBit::Sleep) || opt.integrator != Integrator::Rk4 {
        return Diagnostics::new();
    }
    let warning =
        Diagnostic::warning("nothing sleeps under the integrator RK4: the flag 'sleep' is ignored");
    warning.element("option").hint("choose another integrator, or leave the flag out").into()
}

/// Compiles a spec into a complete model.
pub fn compile_spec(spec: &Spec, assets: &Assets) -> Result<Model, Diagnostics> {
    build(spec, assets, Diagnostics::new()).map(|loaded| loaded.model)
}

/// [`compile_spec`], with the warnings of reading and compiling.
pub fn build(spec: &Spec, assets: &Assets, warnings: Diagnostics) -> Result<Loaded, Diagnostics> {
    build_by(&Registry::new(), spec, assets, warnings)
}

/// [`build`], with the extensions of a registry.
pub(crate) fn build_by(
    registry: &Registry,
    spec: &Spec,
    assets: &Assets,
    mut warnings: Diagnostics,
) -> Result<Loaded, Diagnostics> {
    let compiled = memory::guard(|| {
        let draft = compile_with(spec, assets, registry)?;
        warnings.append(draft.warnings.clone());
        warnings.append(sleepless_integrator(&draft));
        constants::finish_with(draft, registry)
    });
    match compiled.unwrap_or_else(|refused| Err(refused.into())) {
        Ok(model) => Ok(Loaded { model, warnings }),
        Err(mut errors) => {
            // What the author was warned of may be the cause.
            errors.append(warnings);
            Err(errors)
        }
    }
}
