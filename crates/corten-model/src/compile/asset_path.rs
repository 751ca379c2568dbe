//! Where the files of assets are.

use std::sync::Arc;

use super::context::Context;
use crate::assets::{file_name, join};
use crate::spec::Element;

/// File name without directories and extension.
pub(super) fn stem(file: &str) -> &str {
    let name = file_name(file);
    name.rfind('.').map_or(name, |at| &name[..at])
}

/// Which directory of the compiler settings an asset lives in.
#[derive(Clone, Copy)]
pub(super) enum AssetDir {
    Mesh,
    Texture,
}

/// Reads the file of an asset, reporting failure.
pub(super) fn read(
    cx: &mut Context,
    kind: &str,
    element: &impl Element,
    file: &str,
    dir: AssetDir,
) -> Option<Arc<Vec<u8>>> {
    let (modeldir, path) = locate(cx, element, file, dir);
    match cx.assets.read(&modeldir, &path, &cx.spec.limits) {
        Ok(bytes) => Some(bytes),
        Err(error) => {
            cx.error(kind, element, error.to_string());
            None
        }
    }
}

/// Directory of the model, and the path of the file relative to it.
pub(super) fn locate(
    cx: &Context,
    element: &impl Element,
    file: &str,
    dir: AssetDir,
) -> (String, String) {
    let compiler = cx.spec.compiler_of(element);
    let file = if cx.spec.strippath_of(element) { file_name(file) } else { file };
    let dir = match dir {
        AssetDir::Mesh => &compiler.meshdir,
        AssetDir::Texture => &compiler.texturedir,
    };
    (cx.spec.modelfiledir_of(element).to_owned(), join(dir, file))
}
