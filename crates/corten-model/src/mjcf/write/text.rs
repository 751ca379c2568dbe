//! Indented XML text.

use crate::mjcf::attr::Attributes;
use crate::mjcf::schema::EXTENSION_PREFIX;

/// An element under construction; written when dropped into a [`Writer`].
pub struct Tag {
    name: &'static str,
    attrs: Vec<(String, String)>,
}

impl Tag {
    pub fn new(name: &'static str) -> Tag {
        Tag { name, attrs: Vec::new() }
    }

    /// Adds an attribute.
    pub fn set(&mut self, name: &str, value: impl Into<String>) -> &mut Tag {
        self.attrs.push((name.to_owned(), value.into()));
        self
    }

    /// Adds an attribute unless its value is empty.
    pub fn set_text(&mut self, name: &str, value: &str) -> &mut Tag {
        if !value.is_empty() {
            self.set(name, value);
        }
        self
    }

    /// Adds the attributes in which an element differs from another.
    pub fn diff<T: Attributes>(&mut self, element: &T, base: &T) -> &mut Tag {
        self.diff_except(element, base, &[])
    }

    pub fn diff_except<T: Attributes>(
        &mut self,
        element: &T,
        base: &T,
        except: &[&str],
    ) -> &mut Tag {
        for attr in T::ATTRS {
            let part = attr.name.contains('/');
            if !part
                && !except.contains(&attr.name)
                && let Some(text) = (attr.write)(element, base)
                // An extension without text is not in use.
                && !(text.is_empty() && attr.name.starts_with(EXTENSION_PREFIX))
            {
                self.set(attr.name, text);
            }
        }
        self
    }

    /// Adds the attributes in which an element differs from another, of those that its table has
    /// as `name/attribute` with the name of this tag.
    pub fn diff_part<T: Attributes>(&mut self, element: &T, base: &T) -> &mut Tag {
        for attr in T::ATTRS {
            let own = attr.name.strip_prefix(self.name).and_then(|rest| rest.strip_prefix('/'));
            if let Some(name) = own
                && let Some(text) = (attr.write)(element, base)
            {
                self.set(name, text);
            }
        }
        self
    }

    pub fn is_empty(&self) -> bool {
        self.attrs.is_empty()
    }
}

/// Collects the text of a document.
#[derive(Default)]
pub struct Writer {
    out: String,
    open: Vec<&'static str>,
}

impl Writer {
    fn line(&mut self, tag: &Tag, end: &str) {
        self.indent();
        self.out.push('<');
        self.out.push_str(tag.name);
        for (name, value) in &tag.attrs {
            self.out.push(' ');
            self.out.push_str(name);
            self.out.push_str("=\"");
            escape(&mut self.out, value);
            self.out.push('"');
        }
        self.out.push_str(end);
        self.out.push('\n');
    }

    fn indent(&mut self) {
        for _ in 0..self.open.len() {
            self.out.push_str("  ");
        }
    }

    /// Writes an element without children.
    pub fn leaf(&mut self, tag: &Tag) {
        self.line(tag, "/>");
    }

    /// Writes an element without children, unless it has no attributes.
    pub fn leaf_unless_empty(&mut self, tag: &Tag) {
        if !tag.is_empty() {
            self.leaf(tag);
        }
    }

    /// Writes an element and, by `content`, its children; nothing if there are neither
    /// attributes nor children.
    pub fn element(&mut self, tag: &Tag, content: impl FnOnce(&mut Writer)) {
        let start = self.out.len();
        self.line(tag, ">");
        let inside = self.out.len();
        self.open.push(tag.name);
        content(self);
        self.open.pop();
        if self.out.len() > inside {
            self.indent();
            self.out.push_str("</");
            self.out.push_str(tag.name);
            self.out.push_str(">\n");
        } else {
            self.out.truncate(start);
            self.leaf_unless_empty(tag);
        }
    }

    /// [`Writer::element`] that is written even if it is empty.
    pub fn always(&mut self, tag: &Tag, content: impl FnOnce(&mut Writer)) {
        let start = self.out.len();
        self.element(tag, content);
        if self.out.len() == start {
            self.leaf(tag);
        }
    }

    pub fn comment(&mut self, text: &str) {
        if !text.is_empty() {
            self.indent();
            // Two dashes would end the comment.
            let text = text.replace("--", "- -");
            self.out.push_str(&format!("<!--{text}-->\n"));
        }
    }

    pub fn finish(self) -> String {
        self.out
    }
}

fn escape(out: &mut String, value: &str) {
    for c in value.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\t' => out.push_str("&#9;"),
            c => out.push(c),
        }
    }
}
