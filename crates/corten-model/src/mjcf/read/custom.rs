//! Custom data and keyframes.

use super::Reader;
use super::value::{apply, misread, read, require_text};
use crate::enums::ObjType;
use crate::mjcf::attr::{Keyword as _, read_list};
use crate::mjcf::forest::Elem;
use crate::soft::SOFT_PREFIX;
use crate::spec::{Keyframe, Numeric, Text, Tuple};

/// Longest custom array.
const MAX_NUMERIC: usize = 500;

impl Reader<'_> {
    pub(super) fn custom(&mut self, section: Elem<'_>) {
        for elem in section.children() {
            match elem.name() {
                "numeric" => self.numeric(elem),
                "text" => self.text(elem),
                "tuple" => self.tuple(elem),
                _ => {}
            }
        }
    }

    fn numeric(&mut self, elem: Elem<'_>) {
        let mut numeric = Numeric { source: elem.source(), ..Default::default() };
        require_text(&mut self.diags, elem, "name");
        apply(&mut self.diags, elem, &mut numeric);
        let sized = elem.attr("size").is_some();
        if let Some(attr) = elem.attr("data") {
            match read_list(&attr.value()) {
                Ok(data) => numeric.data = data,
                Err(why) => return misread(&mut self.diags, elem, attr, why),
            }
        }
        if !sized {
            numeric.size = numeric.data.len() as i32;
        }
        let size = usize::try_from(numeric.size).unwrap_or(0);
        // Constraints of a body of particles are a list of any length.
        let most = if numeric.name.contains(SOFT_PREFIX) { i32::MAX as usize } else { MAX_NUMERIC };
        if !(1..=most).contains(&size) || (most > MAX_NUMERIC && size != numeric.data.len()) {
            self.error(elem, format!("size of a custom field must be between 1 and {MAX_NUMERIC}"));
        } else if numeric.data.len() > size {
            let found = numeric.data.len();
            self.error(elem, format!("'data' has {found} values but 'size' is {size}"));
        } else {
            numeric.data.resize(size, 0.0);
            self.spec.numerics.insert(numeric);
        }
    }

    fn text(&mut self, elem: Elem<'_>) {
        let mut text = Text { source: elem.source(), ..Default::default() };
        require_text(&mut self.diags, elem, "name");
        require_text(&mut self.diags, elem, "data");
        apply(&mut self.diags, elem, &mut text);
        if text.data.is_empty() && elem.attr("data").is_some() {
            self.error(elem, "a text cannot be empty");
        }
        self.spec.texts.insert(text);
    }

    fn tuple(&mut self, elem: Elem<'_>) {
        let mut tuple = Tuple { source: elem.source(), ..Default::default() };
        require_text(&mut self.diags, elem, "name");
        apply(&mut self.diags, elem, &mut tuple);
        for item in elem.children() {
            if item.name() != "element" {
                continue;
            }
            let objtype = require_text(&mut self.diags, item, "objtype");
            match (ObjType::from_word(&objtype), item.attr("objtype")) {
                (Ok(objtype), _) => tuple.objtype.push(objtype),
                (Err(why), Some(attr)) => misread(&mut self.diags, item, attr, why),
                (Err(_), None) => {}
            }
            tuple.objname.push(require_text(&mut self.diags, item, "objname"));
            let mut prm = 0.0;
            read(&mut self.diags, item, "prm", &mut prm);
            tuple.objprm.push(prm);
        }
        self.spec.tuples.insert(tuple);
    }

    pub(super) fn keyframe(&mut self, section: Elem<'_>) {
        for elem in section.children() {
            if elem.name() != "key" {
                continue;
            }
            let mut key = Keyframe { source: elem.source(), ..Default::default() };
            apply(&mut self.diags, elem, &mut key);
            self.spec.keys.insert(key);
        }
    }
}
