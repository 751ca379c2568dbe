//! Which files to check, and which of them are only parts of others.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use corten::Spec;

/// Extensions that are looked for in directories.
const EXTENSIONS: [&str; 3] = ["xml", "mjcf", "urdf"];

/// Files as they are, directories by what they contain, in a fixed order.
pub fn expand(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let before = files.len();
            walk(path, &mut files)?;
            if files.len() == before {
                anyhow::bail!("{}: no {} files", path.display(), EXTENSIONS.join(", "));
            }
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn walk(dir: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let fail = || format!("cannot list {}", dir.display());
    let mut entries: Vec<_> =
        std::fs::read_dir(dir).with_context(fail)?.collect::<Result<_, _>>().with_context(fail)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // Links to directories are not followed: they may lead in circles.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|e| EXTENSIONS.iter().any(|x| e == *x)) {
            files.push(path);
        }
    }
    Ok(())
}

/// Files that models include or attach.
#[derive(Default)]
pub struct Parts {
    owners: BTreeMap<PathBuf, PathBuf>,
}

impl Parts {
    pub fn add(&mut self, file: &Path, spec: &Spec) {
        for part in spec.sources.files().filter(|part| Path::new(&part.name) != file) {
            self.owners.entry(canonical(Path::new(&part.name))).or_insert(file.to_owned());
        }
    }

    /// A model that reads this file as a part of itself.
    pub fn owner(&self, file: &Path) -> Option<PathBuf> {
        self.owners.get(&canonical(file)).cloned()
    }
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
