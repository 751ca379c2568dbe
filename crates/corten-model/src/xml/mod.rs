//! Text to a small document tree with positions.
//!
//! A parser of our own because the files of this world were written against a lenient one
//! (tinyxml2): attributes may follow each other without space, a `<` may stand in a value, names
//! may carry undeclared prefixes. What it rejects is rejected here: duplicate attributes,
//! mismatched tags, nesting beyond [`MAX_DEPTH`]. Linear in the length of the text.

mod parse;

use std::borrow::Cow;
use std::sync::Arc;

pub use parse::parse;

/// Deepest nesting of elements.
pub const MAX_DEPTH: usize = 500;

/// Bytes `start..end` of the text.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u32,
    end: u32,
}

/// Line and column (in characters), both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

#[derive(Clone, Debug)]
struct Node {
    name: Span,
    position: Position,
    attrs: (u32, u32),
    first_child: u32,
    next_sibling: u32,
    /// Where character data stands among the children, if anywhere.
    text: Option<Position>,
}

#[derive(Clone, Copy, Debug)]
struct RawAttr {
    name: Span,
    value: Span,
    position: Position,
}

const NIL: u32 = u32::MAX;

/// A parsed document; the root is the first node.
#[derive(Clone, Debug)]
pub struct Document {
    text: Arc<String>,
    nodes: Vec<Node>,
    attrs: Vec<RawAttr>,
    comment: Option<Span>,
    /// Where content follows the root element, if anywhere.
    pub trailing: Option<Position>,
}

/// Why a text is not well formed.
#[derive(Clone, Debug)]
pub struct Malformed {
    pub message: String,
    pub position: Position,
    pub hint: Option<&'static str>,
}

impl Document {
    pub fn root(&self) -> NodeRef<'_> {
        NodeRef { doc: self, index: 0 }
    }

    pub fn node(&self, index: u32) -> NodeRef<'_> {
        NodeRef { doc: self, index }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The comment that opens the root element.
    pub fn comment(&self) -> Option<&str> {
        self.comment.map(|span| self.slice(span))
    }

    fn slice(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }
}

/// An element of a document.
#[derive(Clone, Copy)]
pub struct NodeRef<'a> {
    doc: &'a Document,
    index: u32,
}

impl<'a> NodeRef<'a> {
    fn node(self) -> &'a Node {
        &self.doc.nodes[self.index as usize]
    }

    pub fn index(self) -> u32 {
        self.index
    }

    pub fn name(self) -> &'a str {
        self.doc.slice(self.node().name)
    }

    pub fn position(self) -> Position {
        self.node().position
    }

    /// Where character data stands among the children, if anywhere.
    pub fn text(self) -> Option<Position> {
        self.node().text
    }

    pub fn attrs(self) -> impl Iterator<Item = AttrRef<'a>> {
        let (start, end) = self.node().attrs;
        let doc = self.doc;
        doc.attrs[start as usize..end as usize].iter().map(move |raw| AttrRef { doc, raw: *raw })
    }

    pub fn attr(self, name: &str) -> Option<AttrRef<'a>> {
        self.attrs().find(|attr| attr.name() == name)
    }

    pub fn children(self) -> impl Iterator<Item = NodeRef<'a>> {
        let doc = self.doc;
        let at = |index: u32| (index != NIL).then_some(NodeRef { doc, index });
        std::iter::successors(at(self.node().first_child), move |n| at(n.node().next_sibling))
    }
}

/// An attribute of an element.
#[derive(Clone, Copy)]
pub struct AttrRef<'a> {
    doc: &'a Document,
    raw: RawAttr,
}

impl<'a> AttrRef<'a> {
    pub fn name(self) -> &'a str {
        self.doc.slice(self.raw.name)
    }

    /// The value with entities replaced and line ends normalized; up to a null character, where a text
    /// ends for MuJoCo.
    pub fn value(self) -> Cow<'a, str> {
        decode(self.doc.slice(self.raw.value))
    }

    /// Position of the name.
    pub fn position(self) -> Position {
        self.raw.position
    }
}

/// Replaces character references and the five named entities; leaves others as they stand.
fn decode(raw: &str) -> Cow<'_, str> {
    if !raw.contains(['&', '\r']) {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find(['&', '\r']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix('\r') {
            out.push('\n');
            rest = after.strip_prefix('\n').unwrap_or(after);
        } else if let Some((c, length)) = entity(rest) {
            if c == '\0' {
                return Cow::Owned(out);
            }
            out.push(c);
            rest = &rest[length..];
        } else {
            out.push('&');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The character that an entity at the start of `text` stands for, and the entity's length.
fn entity(text: &str) -> Option<(char, usize)> {
    const NAMED: [(&str, char); 5] =
        [("&quot;", '"'), ("&amp;", '&'), ("&apos;", '\''), ("&lt;", '<'), ("&gt;", '>')];
    for (name, c) in NAMED {
        if text.starts_with(name) {
            return Some((c, name.len()));
        }
    }
    let digits = text.strip_prefix("&#")?;
    let end = digits.bytes().take(10).position(|b| b == b';')?;
    let code = match digits[..end].strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => digits[..end].parse().ok()?,
    };
    Some((char::from_u32(code)?, end + 3))
}
