//! Files that a model refers to: in memory first, then on disk.
//!
//! Answers to MuJoCo's virtual file system and resource lookup. A file in memory is found by
//! its base name in lower case, then by its whole path; directories of the disk are tried after.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use crate::limits::Limits;

/// Access to the files of a model.
#[derive(Clone, Debug, Default)]
pub struct Assets {
    files: BTreeMap<String, Arc<Vec<u8>>>,
    memory_only: bool,
    /// Directories in which `package://` is looked for, before those of the environment.
    packages: Vec<String>,
}

/// Environment variables with lists of directories that hold packages.
pub const PACKAGE_PATHS: [&str; 2] = ["CORTEN_PACKAGE_PATH", "ROS_PACKAGE_PATH"];
/// How far above a model its package may be.
const MAX_ANCESTORS: usize = 16;

/// Why a file could not be had.
#[derive(Clone, Debug, thiserror::Error)]
#[error("cannot read '{path}': {reason}")]
pub struct AssetError {
    pub path: String,
    pub reason: String,
}

impl Assets {
    /// No files in memory; the disk is read.
    pub fn new() -> Assets {
        Assets::default()
    }

    /// No files in memory, and the disk stays untouched.
    pub fn memory_only() -> Assets {
        Assets { memory_only: true, ..Assets::default() }
    }

    /// Adds a file; `false` if there is one of that name already.
    pub fn insert(&mut self, name: &str, bytes: impl Into<Vec<u8>>) -> bool {
        match self.files.entry(normalize(name)) {
            std::collections::btree_map::Entry::Occupied(_) => false,
            std::collections::btree_map::Entry::Vacant(slot) => {
                slot.insert(Arc::new(bytes.into()));
                true
            }
        }
    }

    /// Adds a file under its name without directories, in lower case: wherever a model says that it is,
    /// it is found. `false` if there is one of that name already.
    pub fn insert_stripped(&mut self, name: &str, bytes: impl Into<Vec<u8>>) -> bool {
        self.insert(&file_name(name).to_lowercase(), bytes)
    }

    /// A file in memory.
    pub fn in_memory(&self, name: &str) -> Option<&Arc<Vec<u8>>> {
        let path = normalize(name);
        self.files.get(&file_name(&path).to_lowercase()).or_else(|| self.files.get(&path))
    }

    /// The bytes of `name`, taken relative to `dir` on disk. No more is read than the file has when
    /// it is opened: files that the system makes up claim to be empty, and some wait for ever.
    pub fn read(&self, dir: &str, name: &str, limits: &Limits) -> Result<Arc<Vec<u8>>, AssetError> {
        if let Some(bytes) = self.in_memory(name) {
            return Ok(bytes.clone());
        }
        let path = join(dir, name);
        let fail = |reason: String| AssetError { path: path.clone(), reason };
        if self.memory_only {
            return Err(fail("no file of this name in memory".into()));
        }
        let meta = std::fs::metadata(&path).map_err(|error| fail(error.to_string()))?;
        if !meta.is_file() {
            return Err(fail("not a regular file".into()));
        }
        let size = usize::try_from(meta.len()).unwrap_or(usize::MAX);
        if size > limits.file_bytes {
            let limit = limits.file_bytes;
            return Err(fail(format!(
                "{size} bytes are more than the limit 'file_bytes', {limit}"
            )));
        }
        let mut bytes = Vec::new();
        if size > 0 {
            bytes.try_reserve_exact(size).map_err(|error| fail(error.to_string()))?;
            let file = File::open(&path).map_err(|error| fail(error.to_string()))?;
            let read = file.take(meta.len()).read_to_end(&mut bytes);
            read.map_err(|error| fail(error.to_string()))?;
        }
        Ok(bytes.into())
    }

    /// Adds a directory that holds packages, or is one.
    pub fn add_package_path(&mut self, dir: impl Into<String>) {
        self.packages.push(dir.into());
    }

    /// The file behind `package://name/rest`. Tried are the directories that were added, then those
    /// of the environment ([`PACKAGE_PATHS`]); each may hold the package or be it. The error lists
    /// what was tried.
    pub fn find_in_package(&self, rest: &str) -> Result<String, Vec<String>> {
        let variables = PACKAGE_PATHS.iter().filter_map(std::env::var_os);
        let listed: Vec<String> = variables
            .flat_map(|list| std::env::split_paths(&list).collect::<Vec<_>>())
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        let places = self.packages.iter().chain(&listed);
        let tried: Vec<String> = places.flat_map(|place| in_package(place, rest)).collect();
        match tried.iter().find(|path| self.exists("", path)) {
            Some(found) => Ok(found.clone()),
            None => Err(tried),
        }
    }

    /// A directory above `dir` that holds the file behind `package://rest`, or is its package.
    pub fn guess_package_path(&self, dir: &str, rest: &str) -> Option<String> {
        let start = std::path::absolute(if dir.is_empty() { "." } else { dir }).ok()?;
        let above = start.ancestors().take(MAX_ANCESTORS);
        above
            .map(|path| path.to_string_lossy().into_owned())
            .find(|place| in_package(place, rest).iter().any(|path| self.exists("", path)))
            .filter(|_| !self.memory_only)
    }

    /// Whether [`Assets::read`] would find a file.
    pub fn exists(&self, dir: &str, name: &str) -> bool {
        self.in_memory(name).is_some()
            || (!self.memory_only && Path::new(&join(dir, name)).is_file())
    }
}

/// Where a file of a package may be if `place` is the package, or holds it.
fn in_package(place: &str, rest: &str) -> Vec<String> {
    let (package, inside) = rest.split_once('/').unwrap_or((rest, ""));
    let is = (file_name(&normalize(place)) == package).then(|| join(place, inside));
    is.into_iter().chain([join(place, rest)]).collect()
}

/// `name` relative to `dir`; `name` itself if it is absolute.
pub fn join(dir: &str, name: &str) -> String {
    if dir.is_empty() || is_absolute(name) {
        normalize(name)
    } else {
        normalize(&format!("{dir}/{name}"))
    }
}

/// Directory part of a path, with its separator; empty if there is none.
pub fn dir_name(path: &str) -> &str {
    path.rfind(['/', '\\']).map_or("", |at| &path[..=at])
}

/// Path without its directories.
pub fn file_name(path: &str) -> &str {
    path.rfind(['/', '\\']).map_or(path, |at| &path[at + 1..])
}

/// Last part of a file name from its dot on; empty if there is none.
pub fn extension(path: &str) -> &str {
    let name = file_name(path);
    name.rfind('.').map_or("", |at| &name[at..])
}

/// Absolute for MuJoCo: rooted, with a drive letter, or with a resource prefix like `http:`.
pub fn is_absolute(path: &str) -> bool {
    let bytes = path.as_bytes();
    matches!(bytes.first(), Some(b'/' | b'\\')) || path.contains(":\\") || path.contains(":/")
}

/// Forward slashes; no `.`, no empty parts, `..` folded into what precedes it.
pub fn normalize(path: &str) -> String {
    let rooted = matches!(path.as_bytes().first(), Some(b'/' | b'\\'));
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if rooted && parts.is_empty() => {}
            _ => parts.push(part),
        }
    }
    let body = parts.join("/");
    if rooted { format!("/{body}") } else { body }
}

/// The way from one directory to another; `None` if there is none without knowing where the
/// process runs.
pub fn relative(from: &str, to: &str) -> Option<String> {
    let (from, to) = (normalize(from), normalize(to));
    if is_absolute(&from) != is_absolute(&to) {
        return None;
    }
    fn parts(path: &str) -> impl Iterator<Item = &str> {
        path.split('/').filter(|part| !part.is_empty())
    }
    let common = parts(&from).zip(parts(&to)).take_while(|(a, b)| a == b).count();
    let mut way = Vec::new();
    for part in parts(&from).skip(common) {
        if part == ".." {
            return None;
        }
        way.push("..");
    }
    way.extend(parts(&to).skip(common));
    Some(way.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalized() {
        assert_eq!(normalize("a/./b//c/../d"), "a/b/d");
        assert_eq!(normalize("../x\\y"), "../x/y");
        assert_eq!(normalize("/../x"), "/x");
        assert_eq!(join("models/", "../mesh/a.obj"), "mesh/a.obj");
        assert_eq!(join("models/", "/abs/a.obj"), "/abs/a.obj");
        assert_eq!(
            (dir_name("a/b.c"), file_name("a/b.c"), extension("a/b.c")),
            ("a/", "b.c", ".c")
        );
    }

    #[test]
    fn ways_between_directories() {
        let way = |from, to| relative(from, to);
        assert_eq!(way("", "a/b").as_deref(), Some("a/b"));
        assert_eq!(way("a/b/", "a/c").as_deref(), Some("../c"));
        assert_eq!(way("/x/y", "/x/y/").as_deref(), Some(""));
        assert_eq!(way("../a", "../b").as_deref(), Some("../b"));
        assert_eq!(way("..", "b"), None);
        assert_eq!(way("a", "/b"), None);
    }

    #[test]
    fn memory_is_found_by_base_name_and_by_path() {
        let (mut assets, limits) = (Assets::memory_only(), Limits::default());
        assert!(assets.insert("part.obj", *b"1"));
        assert!(assets.insert("sub/Other.obj", *b"2"));
        assert!(!assets.insert("part.obj", *b"3"));
        assert_eq!(&*assets.read("", "any/where/PART.obj", &limits).unwrap(), b"1");
        assert_eq!(&*assets.read("ignored/", "sub/Other.obj", &limits).unwrap(), b"2");
        assert!(assets.read("", "Other.obj", &limits).is_err());
        assert!(assets.insert_stripped("deep/Down/Third.OBJ", *b"4"));
        assert!(!assets.insert_stripped("elsewhere/third.obj", *b"5"));
        assert_eq!(&*assets.read("", "meshes/THIRD.obj", &limits).unwrap(), b"4");
    }
}
