//! The documents of a model: its file and all it includes, read as one tree.
//!
//! Answers to MuJoCo's `IncludeXML`. An `include` stands for the children of the root of the
//! file it names. File names are tried relative to the main file, then relative to the file that
//! contains the `include`.

use corten_math::memory::{self, Gather, Grow};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::read::{Reading, too_many_files};
use crate::assets::{dir_name, is_absolute, join, normalize};
use crate::diagnostic::{Diagnostic, Diagnostics, Subject};
use crate::spec::{FileId, Source, SourceMap};
use crate::xml::{AttrRef, Document, NodeRef, Position, parse};

/// Deepest nesting of included files.
const MAX_INCLUDE_DEPTH: usize = 100;

struct Tree {
    document: Document,
    file: FileId,
    /// Directory of the file, with its separator.
    dir: String,
}

/// All documents of a model; the first is the main file.
pub struct Forest {
    trees: Vec<Tree>,
    /// The document that an `include` element stands for.
    includes: HashMap<(u32, u32), u32>,
}

/// An element somewhere in the forest.
#[derive(Clone, Copy)]
pub struct Elem<'a> {
    forest: &'a Forest,
    tree: u32,
    node: NodeRef<'a>,
}

/// Text of a file; bytes that are not UTF-8 are replaced, with a warning.
pub fn decode(bytes: &[u8], name: &str, diags: &mut Diagnostics) -> Arc<String> {
    match String::from_utf8(memory::copy_of(bytes)) {
        Ok(text) => text.into(),
        Err(error) => {
            let offset = error.utf8_error().valid_up_to();
            diags.push(
                Diagnostic::warning(format!("'{name}' is not valid UTF-8 at byte {offset}"))
                    .hint("save the file as UTF-8"),
            );
            String::from_utf8_lossy(bytes).into_owned().into()
        }
    }
}

impl Forest {
    /// Parses a main text and everything it includes.
    pub fn load(
        name: &str,
        text: Arc<String>,
        modelfiledir: &str,
        context: Reading<'_>,
        sources: &mut SourceMap,
        diags: &mut Diagnostics,
    ) -> Option<Forest> {
        let mut forest = Forest { trees: Vec::new(), includes: HashMap::new() };
        forest.plant(name, text, String::new(), None, sources, diags)?;
        let mut included = BTreeSet::from([name.to_owned()]);
        let mut loader = Loader { modelfiledir, context, sources, diags, included: &mut included };
        loader.expand(&mut forest, 0, "", 0);
        Some(forest)
    }

    /// Adds one document.
    fn plant(
        &mut self,
        name: &str,
        text: Arc<String>,
        dir: String,
        from: Option<Source>,
        sources: &mut SourceMap,
        diags: &mut Diagnostics,
    ) -> Option<u32> {
        let file = sources.add(name, text.clone(), from);
        match parse(text) {
            Ok(document) => {
                if let Some(at) = document.trailing {
                    let message = "content after the root element is ignored";
                    diags.push(Diagnostic::warning(message).at(place(file, at)));
                }
                self.trees.push(Tree { document, file, dir });
                Some(self.trees.len() as u32 - 1)
            }
            Err(error) => {
                let mut item = Diagnostic::error(error.message)
                    .at(place(file, error.position))
                    .about(Subject::Missing);
                if let Some(hint) = error.hint {
                    item = item.hint(hint);
                }
                diags.push(item);
                None
            }
        }
    }

    pub fn root(&self) -> Elem<'_> {
        Elem { forest: self, tree: 0, node: self.trees[0].document.root() }
    }

    /// The comment that opens the main file.
    pub fn comment(&self) -> Option<&str> {
        self.trees[0].document.comment()
    }
}

fn place(file: FileId, at: Position) -> Source {
    Source::new(file, at.line, at.column)
}

struct Loader<'a> {
    modelfiledir: &'a str,
    context: Reading<'a>,
    sources: &'a mut SourceMap,
    diags: &'a mut Diagnostics,
    included: &'a mut BTreeSet<String>,
}

impl Loader<'_> {
    /// Loads the files that document `tree` includes, and theirs.
    fn expand(&mut self, forest: &mut Forest, tree: u32, dir: &str, depth: usize) {
        let document = &forest.trees[tree as usize].document;
        let found: Vec<u32> = (0..document.len() as u32)
            .filter(|&i| document.node(i).name().eq_ignore_ascii_case("include"))
            .collect();
        for node in found {
            if let Some(child) = self.include(forest, tree, node, dir, depth) {
                forest.includes.insert((tree, node), child);
                let dir = forest.trees[child as usize].dir.clone();
                self.expand(forest, child, &dir, depth + 1);
            }
        }
    }

    fn include(
        &mut self,
        forest: &mut Forest,
        tree: u32,
        node: u32,
        dir: &str,
        depth: usize,
    ) -> Option<u32> {
        let Tree { document, file, .. } = &forest.trees[tree as usize];
        let elem = document.node(node);
        let source = place(*file, elem.position());
        let fail = |message: String| {
            Diagnostic::error(message).at(source).element("include").about(Subject::Missing)
        };
        if elem.children().next().is_some() {
            self.diags.push(fail("an include cannot have children".into()));
            return None;
        }
        let Some(name) = elem.attr("file").map(|attr| attr.value().into_owned()) else {
            let item = fail("required attribute 'file' is missing".into());
            self.diags.push(item.hint("write <include file=\"part.xml\"/>"));
            return None;
        };
        if depth >= MAX_INCLUDE_DEPTH {
            let item = fail(format!("files included more than {MAX_INCLUDE_DEPTH} deep"));
            self.diags.push(item.hint("check whether a file includes itself"));
            return None;
        }
        let assets = self.context.assets;
        // Beside the main file if it exists there, else beside the including file.
        let filename = if is_absolute(&name) || assets.exists("", &join(self.modelfiledir, &name)) {
            normalize(&name)
        } else {
            join(dir, &name)
        };
        if self.included.contains(&filename) {
            let item = fail(format!("file '{filename}' is included already"));
            self.diags.push(item.hint("a file can be included only once, and not from itself"));
            return None;
        }
        let mut path = join(self.modelfiledir, &filename);
        if !self.context.take_file() {
            let item = too_many_files(self.context.limits());
            self.diags.push(item.at(source).element("include"));
            return None;
        }
        let limits = self.context.limits();
        let mut bytes = assets.read(self.modelfiledir, &filename, limits);
        if bytes.is_err() && !is_absolute(&filename) {
            path = join(self.modelfiledir, &join(dir, &filename));
            bytes = assets.read("", &path, limits).or(bytes);
        }
        self.included.insert(join(dir, &filename));
        let bytes = match bytes {
            Ok(bytes) if bytes.is_empty() => {
                self.diags.push(fail(format!("included file '{name}' is empty")));
                return None;
            }
            Ok(bytes) => bytes,
            Err(error) => {
                self.diags.push(fail(error.to_string()));
                return None;
            }
        };
        let text = decode(&bytes, &path, self.diags);
        let dir = dir_name(&path).to_owned();
        let child = forest.plant(&path, text, dir, Some(source), self.sources, self.diags)?;
        if forest.trees[child as usize].document.root().children().next().is_none() {
            self.diags.push(
                Diagnostic::error(format!("included file '{name}' has no elements"))
                    .at(source)
                    .element("include"),
            );
        }
        Some(child)
    }
}

impl<'a> Elem<'a> {
    pub fn name(self) -> &'a str {
        self.node.name()
    }

    fn tree(self) -> &'a Tree {
        &self.forest.trees[self.tree as usize]
    }

    pub fn source(self) -> Source {
        place(self.tree().file, self.node.position())
    }

    pub fn attrs(self) -> impl Iterator<Item = AttrRef<'a>> {
        self.node.attrs()
    }

    pub fn attr(self, name: &str) -> Option<AttrRef<'a>> {
        self.node.attr(name)
    }

    pub fn attr_source(self, attr: AttrRef<'_>) -> Source {
        place(self.tree().file, attr.position())
    }

    /// Where character data stands among the children, if anywhere.
    pub fn text_source(self) -> Option<Source> {
        self.node.text().map(|at| place(self.tree().file, at))
    }

    /// Directory of the included file this element stands in; `None` in the main file.
    pub fn include_dir(self) -> Option<&'a str> {
        (self.tree != 0).then_some(self.tree().dir.as_str())
    }

    /// Child elements, with includes replaced by what they stand for.
    pub fn children(self) -> Vec<Elem<'a>> {
        let mut out = Vec::new();
        // Pending elements in reverse order, so that includes expand in place.
        let mut pending = self.direct();
        pending.reverse();
        while let Some(child) = pending.pop() {
            if !child.name().eq_ignore_ascii_case("include") {
                out.grow_push(child);
                continue;
            }
            let key = (child.tree, child.node.index());
            if let Some(&tree) = self.forest.includes.get(&key) {
                let root = self.forest.trees[tree as usize].document.root();
                let mut inner = Elem { tree, node: root, ..child }.direct();
                inner.reverse();
                pending.extend(inner);
            }
        }
        out
    }

    fn direct(self) -> Vec<Elem<'a>> {
        self.node.children().map(|node| Elem { node, ..self }).gather()
    }
}
