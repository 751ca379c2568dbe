//! The scanner: one pass over the bytes, an explicit stack of open elements.

use corten_math::memory::Grow;
use std::collections::HashSet;
use std::sync::Arc;

use super::{Document, MAX_DEPTH, Malformed, NIL, Node, Position, RawAttr, Span};

/// Parses a text into a document.
pub fn parse(text: Arc<String>) -> Result<Document, Malformed> {
    if text.len() >= u32::MAX as usize {
        let position = Position { line: 1, column: 1 };
        return Err(Malformed { message: "file larger than 4 GB".into(), position, hint: None });
    }
    let mut scanner = Scanner::new(text.clone());
    let run = scanner.document();
    let Scanner { nodes, attrs, comment, trailing, .. } = scanner;
    run.map(|()| Document { text, nodes, attrs, comment, trailing })
}

struct Open {
    node: u32,
    last_child: u32,
}

struct Scanner {
    text: Arc<String>,
    at: usize,
    /// Position is counted forward from here, so that the whole stays linear.
    counted: usize,
    position: Position,
    nodes: Vec<Node>,
    attrs: Vec<RawAttr>,
    stack: Vec<Open>,
    comment: Option<Span>,
    trailing: Option<Position>,
}

impl Scanner {
    fn new(text: Arc<String>) -> Scanner {
        let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Scanner {
            text,
            at: start,
            counted: start,
            position: Position { line: 1, column: 1 },
            nodes: Vec::new(),
            attrs: Vec::new(),
            stack: Vec::new(),
            comment: None,
            trailing: None,
        }
    }

    fn document(&mut self) -> Result<(), Malformed> {
        let mut beginning = true;
        while self.at < self.text.len() {
            if self.byte() != Some(b'<') {
                self.characters();
                continue;
            }
            if self.starts("<!--") {
                self.comment()?;
            } else if self.starts("<![CDATA[") {
                self.note_text();
                self.skip_past("]]>", "CDATA section")?;
            } else if self.starts("<?") {
                if !beginning {
                    let hint = Some("put it at the beginning, or remove it");
                    return Err(
                        self.fail("a processing instruction stands after other content", hint)
                    );
                }
                self.skip_past("?>", "processing instruction")?;
                continue;
            } else if self.starts("<!") {
                self.declaration()?;
            } else if self.starts("</") {
                self.close()?;
            } else if self.stack.is_empty() && !self.nodes.is_empty() {
                self.trailing = Some(self.here());
                return Ok(());
            } else {
                self.open()?;
            }
            beginning = false;
        }
        if let Some(open) = self.stack.last() {
            let node = &self.nodes[open.node as usize];
            let (name, position) = (self.slice(node.name).to_owned(), node.position);
            let message = format!("element '{name}' is never closed");
            let hint = Some("add the closing tag, or close with '/>'");
            return Err(Malformed { message, position, hint });
        }
        if self.nodes.is_empty() {
            return Err(self.fail("no root element", None));
        }
        Ok(())
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn starts(&self, what: &str) -> bool {
        self.text.as_bytes()[self.at..].starts_with(what.as_bytes())
    }

    fn slice(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// Line and column of the current byte.
    fn here(&mut self) -> Position {
        let passed = &self.text.as_bytes()[self.counted..self.at];
        for &byte in passed {
            if byte == b'\n' {
                self.position.line += 1;
                self.position.column = 1;
            } else if byte & 0xC0 != 0x80 {
                // Not a continuation byte of UTF-8: one more character.
                self.position.column += 1;
            }
        }
        self.counted = self.at;
        self.position
    }

    fn fail(&mut self, message: impl Into<String>, hint: Option<&'static str>) -> Malformed {
        Malformed { message: message.into(), position: self.here(), hint }
    }

    fn skip_space(&mut self) {
        while self.byte().is_some_and(|b| b.is_ascii_whitespace() || b == 0x0B) {
            self.at += 1;
        }
    }

    /// Character data: of no meaning here, but worth a warning where there is any.
    fn characters(&mut self) {
        self.skip_space();
        if self.byte().is_some_and(|b| b != b'<') {
            self.note_text();
            let rest = &self.text.as_bytes()[self.at..];
            self.at += rest.iter().position(|&b| b == b'<').unwrap_or(rest.len());
        }
    }

    fn note_text(&mut self) {
        let position = self.here();
        if let Some(open) = self.stack.last() {
            self.nodes[open.node as usize].text.get_or_insert(position);
        } else if !self.nodes.is_empty() {
            self.trailing.get_or_insert(position);
        }
    }

    fn skip_past(&mut self, end: &str, what: &str) -> Result<Span, Malformed> {
        let start = self.at;
        match self.text[self.at..].find(end) {
            Some(offset) => {
                self.at += offset + end.len();
                Ok(Span { start: start as u32, end: (start + offset) as u32 })
            }
            None => Err(self.fail(format!("{what} is never closed"), None)),
        }
    }

    fn comment(&mut self) -> Result<(), Malformed> {
        let first = matches!(self.stack.as_slice(), [root] if root.last_child == NIL)
            && self.comment.is_none()
            && self.nodes[0].text.is_none();
        let span = self.skip_past("-->", "comment")?;
        if first {
            self.comment = Some(Span { start: span.start + 4, end: span.end.max(span.start + 4) });
        }
        Ok(())
    }

    /// A document type declaration, with or without an internal subset.
    fn declaration(&mut self) -> Result<(), Malformed> {
        let mut depth = 0usize;
        let bytes = self.text.as_bytes();
        let mut i = self.at;
        while let Some(&byte) = bytes.get(i) {
            match byte {
                b'[' => depth += 1,
                b']' => depth = depth.saturating_sub(1),
                b'>' if depth == 0 => {
                    self.at = i + 1;
                    return Ok(());
                }
                _ => {}
            }
            i += 1;
        }
        Err(self.fail("declaration is never closed", None))
    }

    fn name(&mut self, what: &str) -> Result<Span, Malformed> {
        let bytes = self.text.as_bytes();
        let is_start = |b: u8| b.is_ascii_alphabetic() || b == b'_' || b == b':' || b >= 128;
        let is_part = |b: u8| is_start(b) || b.is_ascii_digit() || b == b'-' || b == b'.';
        let start = self.at;
        if !bytes.get(start).is_some_and(|&b| is_start(b)) {
            return Err(self.fail(format!("expected {what}"), None));
        }
        let length = bytes[start..].iter().position(|&b| !is_part(b));
        self.at = length.map_or(bytes.len(), |length| start + length);
        Ok(Span { start: start as u32, end: self.at as u32 })
    }

    fn open(&mut self) -> Result<(), Malformed> {
        let position = self.here();
        self.at += 1;
        let name = self.name("an element name after '<'")?;
        if self.stack.len() >= MAX_DEPTH {
            return Err(self.fail(format!("elements nested more than {MAX_DEPTH} deep"), None));
        }
        let first_attr = self.attrs.len() as u32;
        let index = self.nodes.len() as u32;
        let closed = self.attributes(name)?;
        let attrs = (first_attr, self.attrs.len() as u32);
        self.reject_duplicates(attrs)?;
        self.nodes.grow_push(Node {
            name,
            position,
            attrs,
            first_child: NIL,
            next_sibling: NIL,
            text: None,
        });
        if let Some(parent) = self.stack.last_mut() {
            match parent.last_child {
                NIL => self.nodes[parent.node as usize].first_child = index,
                last => self.nodes[last as usize].next_sibling = index,
            }
            parent.last_child = index;
        }
        if !closed {
            self.stack.push(Open { node: index, last_child: NIL });
        }
        Ok(())
    }

    /// Attributes up to the end of the tag; whether the tag closes itself.
    fn attributes(&mut self, element: Span) -> Result<bool, Malformed> {
        loop {
            self.skip_space();
            match self.byte() {
                Some(b'>') => {
                    self.at += 1;
                    return Ok(false);
                }
                Some(b'/') if self.starts("/>") => {
                    self.at += 2;
                    return Ok(true);
                }
                Some(_) => self.attribute()?,
                None => {
                    let name = self.slice(element).to_owned();
                    return Err(self.fail(format!("tag '{name}' is never closed"), None));
                }
            }
        }
    }

    fn attribute(&mut self) -> Result<(), Malformed> {
        let position = self.here();
        let name = self.name("an attribute name, '>' or '/>'")?;
        self.skip_space();
        if self.byte() != Some(b'=') {
            let name = self.slice(name).to_owned();
            return Err(self.fail(format!("expected '=' after attribute '{name}'"), None));
        }
        self.at += 1;
        self.skip_space();
        let quote = match self.byte() {
            Some(quote @ (b'"' | b'\'')) => quote,
            _ => {
                let name = self.slice(name).to_owned();
                let message = format!("value of attribute '{name}' is not in quotes");
                return Err(self.fail(message, Some("write the value in double quotes")));
            }
        };
        let start = self.at + 1;
        let rest = &self.text.as_bytes()[start..];
        let Some(length) = rest.iter().position(|&b| b == quote) else {
            let name = self.slice(name).to_owned();
            return Err(self.fail(format!("value of attribute '{name}' is never closed"), None));
        };
        self.at = start + length + 1;
        let value = Span { start: start as u32, end: (start + length) as u32 };
        self.attrs.grow_push(RawAttr { name, value, position });
        Ok(())
    }

    fn reject_duplicates(&mut self, (start, end): (u32, u32)) -> Result<(), Malformed> {
        let attrs = &self.attrs[start as usize..end as usize];
        let repeated = if attrs.len() <= 16 {
            let name = |a: &RawAttr| self.slice(a.name);
            (1..attrs.len()).find(|&i| attrs[..i].iter().any(|a| name(a) == name(&attrs[i])))
        } else {
            let mut seen = HashSet::with_capacity(attrs.len());
            attrs.iter().position(|a| !seen.insert(self.slice(a.name)))
        };
        match repeated {
            None => Ok(()),
            Some(i) => {
                let attr = attrs[i];
                let message = format!("attribute '{}' is given twice", self.slice(attr.name));
                Err(Malformed { message, position: attr.position, hint: Some("remove one") })
            }
        }
    }

    fn close(&mut self) -> Result<(), Malformed> {
        let position = self.here();
        self.at += 2;
        let name = self.name("an element name after '</'")?;
        self.skip_space();
        if self.byte() != Some(b'>') {
            return Err(self.fail("expected '>' at the end of a closing tag", None));
        }
        self.at += 1;
        let closing = self.slice(name).to_owned();
        match self.stack.pop() {
            None => {
                let message = format!("closing tag '{closing}' without an opening tag");
                Err(Malformed { message, position, hint: None })
            }
            Some(open) => {
                let node = &self.nodes[open.node as usize];
                let opening = self.slice(node.name);
                if opening == closing {
                    return Ok(());
                }
                let message = format!(
                    "closing tag '{closing}' does not match '{opening}' opened in line {}",
                    node.position.line
                );
                Err(Malformed { message, position, hint: None })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::NodeRef;
    use super::*;

    fn parse(text: &str) -> Result<Document, Malformed> {
        super::parse(Arc::new(text.to_owned()))
    }

    fn names(node: NodeRef<'_>) -> String {
        let children: Vec<String> = node.children().map(names).collect();
        format!("{}[{}]", node.name(), children.join(" "))
    }

    fn fails(text: &str) -> Malformed {
        parse(text).expect_err(text)
    }

    /// As tinyxml2 has it: at the beginning, as many as there are.
    #[test]
    fn processing_instructions_come_first() {
        assert!(parse("<?xml version='1.0'?> <?a b?><a/>").is_ok());
        for text in ["<!-- c --><?b?><a/>", "<a><?b?></a>", "<a/><?b?>", "<!DOCTYPE a><?b?><a/>"] {
            assert!(fails(text).message.contains("processing instruction"), "{text}");
        }
    }

    /// A text ends at a null character.
    #[test]
    fn null_characters_end_values() {
        let doc = parse("<a x='1 2&#0; 3' y='&#x0;' z='&#0'/>").unwrap();
        let values: Vec<_> = doc.root().attrs().map(|a| a.value().into_owned()).collect();
        assert_eq!(values, ["1 2", "", "&#0"]);
    }

    #[test]
    fn tree_attributes_and_positions() {
        let doc =
            parse("<?xml version='1.0'?>\n<a><!-- c --><b x='1'y=\"<&#65;&lt;\"/>\n  <é:c><d/></é:c>é<e/></a>")
                .unwrap();
        assert_eq!(names(doc.root()), "a[b[] é:c[d[]] e[]]");
        assert_eq!(doc.comment(), Some(" c "));
        let b = doc.root().children().next().unwrap();
        assert_eq!(b.attr("y").unwrap().value(), "<A<");
        assert_eq!(b.attr("x").unwrap().position(), Position { line: 2, column: 17 });
        let e = doc.root().children().nth(2).unwrap();
        assert_eq!(e.position(), Position { line: 3, column: 19 });
        assert_eq!(doc.root().text(), Some(Position { line: 3, column: 18 }));
    }

    #[test]
    fn malformed_texts_are_refused_where_they_break() {
        assert_eq!(fails("").message, "no root element");
        assert_eq!(fails("<a>\n <b></a>").position, Position { line: 2, column: 5 });
        assert!(fails("<a><b>").message.contains("'b' is never closed"));
        assert!(fails("<a x=1/>").message.contains("quotes"));
        assert!(fails("<a x='1' x='2'/>").message.contains("twice"));
        assert!(fails("<a x='1").message.contains("never closed"));
        assert!(fails("<a><!-- ").message.contains("comment"));
        assert!(fails("<a></a></a>").message.contains("without"));
        assert!(fails("<a 3='x'/>").message.contains("attribute name"));
        assert!(fails(&"<a>".repeat(MAX_DEPTH + 1)).message.contains("deep"));
    }

    #[test]
    fn content_after_the_root_is_noticed() {
        assert!(parse("<a/><b/>").unwrap().trailing.is_some());
        assert!(parse("<a/> x ").unwrap().trailing.is_some());
        assert!(parse("<a/> <!-- x -->\n").unwrap().trailing.is_none());
    }
}
