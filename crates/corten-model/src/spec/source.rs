//! Where an element was written: file, line, column, and the chain of includes that led there.

use corten_math::memory::Grow;
use std::sync::Arc;

/// Position in one of the files of a [`SourceMap`]; line and column count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    file: u32,
    pub line: u32,
    pub column: u32,
}

impl Source {
    /// For elements made by a program rather than read from a file.
    pub const NONE: Source = Source { file: u32::MAX, line: 0, column: 0 };

    pub const fn new(file: FileId, line: u32, column: u32) -> Source {
        Source { file: file.0, line, column }
    }

    pub fn file(self) -> Option<FileId> {
        (self.file != u32::MAX).then_some(FileId(self.file))
    }

    pub(crate) fn shifted(self, files: u32) -> Source {
        match self.file {
            u32::MAX => self,
            file => Source { file: file + files, ..self },
        }
    }
}

impl Default for Source {
    fn default() -> Source {
        Source::NONE
    }
}

/// Handle to a file of a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId(u32);

#[derive(Clone, Debug, PartialEq)]
pub struct SourceFile {
    /// Path as the author would write it; `<string>` for text that came without a file.
    pub name: String,
    pub text: Arc<String>,
    /// The element that included this file.
    pub included_from: Option<Source>,
}

/// The files a spec was read from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    pub fn add(
        &mut self,
        name: impl Into<String>,
        text: Arc<String>,
        from: Option<Source>,
    ) -> FileId {
        let id = FileId(self.files.len() as u32);
        self.files.push(SourceFile { name: name.into(), text, included_from: from });
        id
    }

    pub fn get(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The file of a position, if it has one.
    pub fn file(&self, source: Source) -> Option<&SourceFile> {
        self.get(source.file()?)
    }

    /// The positions of the `include` elements that led to `source`, innermost first.
    pub fn include_chain(&self, source: Source) -> Vec<Source> {
        let mut chain = Vec::new();
        let mut at = source;
        while let Some(from) = self.file(at).and_then(|file| file.included_from) {
            chain.push(from);
            at = from;
            if chain.len() > self.files.len() {
                break;
            }
        }
        chain
    }

    pub fn files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter()
    }

    /// Appends the files of another map; positions into it move by [`Source::shifted`].
    pub(crate) fn append(&mut self, other: &SourceMap) -> u32 {
        let offset = self.files.len() as u32;
        self.files.extend(other.files.iter().cloned().map(|mut file| {
            file.included_from = file.included_from.map(|s| s.shifted(offset));
            file
        }));
        offset
    }
}

/// Lines by number, for many questions about the same files: each file is scanned once.
pub(crate) struct Lines<'a> {
    sources: &'a SourceMap,
    /// Byte offsets at which lines start, per file; empty until asked for.
    starts: Vec<Vec<usize>>,
}

impl<'a> Lines<'a> {
    pub fn new(sources: &'a SourceMap) -> Lines<'a> {
        Lines { sources, starts: vec![Vec::new(); sources.len()] }
    }

    /// The text of the line at `source`, without its end.
    pub fn get(&mut self, source: Source) -> Option<&'a str> {
        let text: &'a str = &self.sources.file(source)?.text;
        let starts = self.starts.get_mut(source.file as usize)?;
        if starts.is_empty() {
            starts.push(0);
            starts.grow_extend(text.match_indices('\n').map(|(at, _)| at + 1));
        }
        let line = (source.line as usize).checked_sub(1)?;
        let start = *starts.get(line)?;
        let end = starts.get(line + 1).map_or(text.len(), |next| next - 1);
        let line = &text[start..end];
        Some(line.strip_suffix('\r').unwrap_or(line))
    }
}
