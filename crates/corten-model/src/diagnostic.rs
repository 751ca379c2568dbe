//! What is wrong with a model, told to its author: where, what was expected, what to do.

use std::fmt;

use corten_math::memory::OutOfMemory;

use crate::limits::MEMORY;
use crate::spec::{Element, Lines, Source, SourceMap};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing, nothing to do.
    Note,
    /// The model loads, but probably not as its author means it.
    Warning,
    /// The model cannot be used.
    Error,
}

impl Severity {
    pub fn word(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A place in a file, spelled out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// What a finding is about, as far as it decides what else can be said of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Something of an element that exists all the same.
    #[default]
    Detail,
    /// An element, or a whole file, that could not be read: others may refer to it.
    Missing,
    /// A name: given twice, or given to nothing.
    Name,
}

/// One finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub message: String,
    /// XML name of the element.
    pub element: Option<String>,
    pub source: Source,
    /// Where it is; filled in when the finding is [located](Diagnostic::locate).
    pub place: Option<Place>,
    /// The `include` elements that led there, innermost first.
    pub include_chain: Vec<Place>,
    pub expected: Option<String>,
    pub did_you_mean: Option<String>,
    pub hint: Option<String>,
    /// The field of [`Limits`](crate::Limits) that was exceeded; [`MEMORY`] where the machine had no more.
    pub limit: Option<&'static str>,
    /// Text of the line, and how many characters to mark from the column on.
    snippet: Option<(String, usize)>,
    mark: usize,
    subject: Subject,
}

impl Diagnostic {
    fn new(severity: Severity, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity,
            message: message.into(),
            element: None,
            source: Source::NONE,
            place: None,
            include_chain: Vec::new(),
            expected: None,
            did_you_mean: None,
            hint: None,
            limit: None,
            snippet: None,
            mark: 1,
            subject: Subject::default(),
        }
    }

    pub fn error(message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, message)
    }

    pub fn warning(message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, message)
    }

    pub fn note(message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Note, message)
    }

    /// At this position.
    pub fn at(mut self, source: Source) -> Diagnostic {
        self.source = source;
        self
    }

    /// At the element's position, with its name in the message's context.
    pub fn on(self, kind: &str, element: &impl Element) -> Diagnostic {
        let at = self.at(element.source());
        match element.name() {
            "" => at.element(kind),
            name => at.element(format!("{kind} '{name}'")),
        }
    }

    pub(crate) fn about(mut self, subject: Subject) -> Diagnostic {
        self.subject = subject;
        self
    }

    pub fn element(mut self, element: impl Into<String>) -> Diagnostic {
        self.element = Some(element.into());
        self
    }

    pub fn expected(mut self, expected: impl Into<String>) -> Diagnostic {
        self.expected = Some(expected.into());
        self
    }

    pub fn did_you_mean(mut self, candidate: Option<impl Into<String>>) -> Diagnostic {
        self.did_you_mean = candidate.map(Into::into);
        self
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = Some(hint.into());
        self
    }

    /// Beyond one of the [`Limits`](crate::Limits), by the name of its field. What asks for so much is
    /// not made.
    pub(crate) fn beyond(mut self, limit: &'static str) -> Diagnostic {
        self.limit = Some(limit);
        let item = self.about(Subject::Missing);
        if limit == MEMORY {
            return item;
        }
        item.hint(format!("if this is meant, raise the limit '{limit}'"))
    }

    /// Number of characters to underline.
    pub fn marking(mut self, characters: usize) -> Diagnostic {
        self.mark = characters.max(1);
        self
    }

    /// Spells out file, line, column, include chain and the text of the line.
    pub fn locate(&mut self, sources: &SourceMap) {
        self.locate_in(sources, &mut Lines::new(sources));
    }

    fn locate_in(&mut self, sources: &SourceMap, lines: &mut Lines<'_>) {
        let place = |source: Source| {
            let file = sources.file(source)?;
            Some(Place { file: file.name.clone(), line: source.line, column: source.column })
        };
        if self.place.is_none() {
            self.place = place(self.source);
            self.include_chain =
                sources.include_chain(self.source).into_iter().filter_map(place).collect();
            let line = lines.get(self.source).filter(|line| line.len() <= LONGEST_LINE);
            self.snippet = line.map(|line| (line.to_owned(), self.mark));
        }
    }
}

/// Longer lines are not shown: files of many megabytes may consist of one.
const LONGEST_LINE: usize = 1 << 16;
/// Widest excerpt of a source line that is shown.
const SNIPPET_WIDTH: usize = 160;

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = self.severity.word();
        write!(f, "{severity}: {}", self.message)?;
        if let Some(element) = &self.element {
            write!(f, " [{element}]")?;
        }
        if let Some(place) = &self.place {
            write!(f, "\n  --> {place}")?;
            for from in &self.include_chain {
                write!(f, "\n      included from {from}")?;
            }
            if let Some((line, mark)) = &self.snippet {
                // Shows the part of the line around the column; lines may be very long.
                let column = (place.column as usize).saturating_sub(1);
                let start = column.saturating_sub(SNIPPET_WIDTH / 2);
                let shown: String = line
                    .chars()
                    .skip(start)
                    .take(SNIPPET_WIDTH)
                    .map(|c| if c == '\t' { ' ' } else { c })
                    .collect();
                let number = place.line.to_string();
                let pad = " ".repeat(number.len());
                let offset = column - start;
                let room = shown.chars().count().saturating_sub(offset).max(1);
                write!(f, "\n {pad} |\n {number} | {shown}")?;
                let marks = "^".repeat((*mark).min(room));
                write!(f, "\n {pad} | {}{marks}", " ".repeat(offset))?;
            }
        }
        if let Some(expected) = &self.expected {
            write!(f, "\n  = expected: {expected}")?;
        }
        if let Some(candidate) = &self.did_you_mean {
            write!(f, "\n  = did you mean: {candidate}")?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\n  = help: {hint}")?;
        }
        Ok(())
    }
}

/// The findings about one model, in the order they were made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnostics {
    items: Vec<Diagnostic>,
    /// Findings beyond the limit, which are only counted.
    suppressed: usize,
}

/// Findings kept in full; a broken file of many megabytes should not produce gigabytes of text.
const MAX_ITEMS: usize = 1000;

impl Diagnostics {
    pub fn new() -> Diagnostics {
        Diagnostics::default()
    }

    pub fn push(&mut self, item: Diagnostic) {
        let first_error = item.severity == Severity::Error && !self.has_errors();
        if self.items.len() < MAX_ITEMS || first_error {
            self.items.push(item);
        } else {
            self.suppressed += 1;
        }
    }

    pub fn append(&mut self, other: Diagnostics) {
        self.suppressed += other.suppressed;
        for item in other.items {
            self.push(item);
        }
    }

    /// Appends the errors about one subject.
    pub(crate) fn append_about(&mut self, subject: Subject, other: Diagnostics) {
        other.items.into_iter().filter(|item| item.subject == subject).for_each(|i| self.push(i));
    }

    pub(crate) fn has_any_about(&self, subject: Subject) -> bool {
        self.items.iter().any(|item| item.subject == subject)
    }

    pub fn has_errors(&self) -> bool {
        self.items.iter().any(|item| item.severity == Severity::Error)
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.items.iter()
    }

    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.items.iter().filter(|item| item.severity == Severity::Error)
    }

    pub fn warnings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.items.iter().filter(|item| item.severity == Severity::Warning)
    }

    pub fn notes(&self) -> impl Iterator<Item = &Diagnostic> {
        self.items.iter().filter(|item| item.severity == Severity::Note)
    }

    /// Spells out the places of all findings.
    pub fn locate(&mut self, sources: &SourceMap) {
        let mut lines = Lines::new(sources);
        for item in &mut self.items {
            item.locate_in(sources, &mut lines);
        }
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, item) in self.items.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{item}")?;
        }
        if self.suppressed > 0 {
            write!(f, "\nand {} more", self.suppressed)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

impl From<OutOfMemory> for Diagnostic {
    fn from(refused: OutOfMemory) -> Diagnostic {
        Diagnostic::error(refused.to_string()).beyond(MEMORY)
    }
}

impl From<OutOfMemory> for Diagnostics {
    fn from(refused: OutOfMemory) -> Diagnostics {
        Diagnostic::from(refused).into()
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(item: Diagnostic) -> Diagnostics {
        Diagnostics { items: vec![item], suppressed: 0 }
    }
}

/// The candidate closest to `word`, if it is close enough to be a slip of the pen: by insertions,
/// deletions, replacements and swaps of neighbours, regardless of case.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Beginnings are compared; the cost grows with the product of the lengths.
    const COMPARED: usize = 64;
    let fold = |text: &str| -> String {
        text.chars().take(COMPARED).flat_map(char::to_lowercase).collect()
    };
    let limit = (word.chars().count() / 3).clamp(1, 3);
    let word = fold(word);
    let length = word.chars().count();
    let scored = candidates.into_iter().filter_map(|candidate| {
        let folded = fold(candidate);
        if folded.chars().count().abs_diff(length) > limit {
            return None;
        }
        let distance = strsim::osa_distance(&word, &folded);
        (distance <= limit).then_some((distance, candidate))
    });
    scored.min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closest_finds_slips_only() {
        let names = ["friction", "solref", "solimp", "margin"];
        assert_eq!(closest("fricton", names), Some("friction"));
        assert_eq!(closest("slorf", names), None);
        assert_eq!(closest("slofref", names), Some("solref"));
        assert_eq!(closest("Margin", names), Some("margin"));
        assert_eq!(closest("colour", names), None);
    }

    #[test]
    fn a_finding_shows_its_line_and_its_includes() {
        let mut sources = SourceMap::default();
        let main = sources.add("main.xml", "<a>\n  <include/>\n</a>".to_owned().into(), None);
        let from = Source::new(main, 2, 3);
        let part = sources.add(
            "part.xml",
            "<b>\n\t<geom sise=\"1\"/>\n</b>".to_owned().into(),
            Some(from),
        );
        let mut finding = Diagnostic::error("unknown attribute 'sise'")
            .at(Source::new(part, 2, 8))
            .element("geom")
            .did_you_mean(Some("size"))
            .marking(4);
        finding.locate(&sources);
        let text = finding.to_string();
        assert!(text.contains("--> part.xml:2:8"), "{text}");
        assert!(text.contains("included from main.xml:2:3"), "{text}");
        assert!(text.contains("\n   |        ^^^^"), "{text}");
    }
}
