use corten_math::memory;
use std::collections::HashMap;

use crate::enums::ObjType;

/// An object of a model: its type and its index among the objects of that type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ObjectId {
    pub kind: ObjType,
    pub index: usize,
}

/// Names of a model's objects, both ways.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    /// Indexed by [`ObjType`]; an empty string is an unnamed object.
    names: Vec<Vec<String>>,
    /// Indexed likewise; of equal names the first counts.
    ids: Vec<HashMap<String, usize>>,
}

impl Names {
    /// Records the names of all objects of one type, in id order.
    pub fn set(&mut self, kind: ObjType, names: Vec<String>) {
        let slot = kind.raw() as usize;
        if self.names.len() <= slot {
            self.names.resize(slot + 1, Vec::new());
            self.ids.resize(slot + 1, HashMap::new());
        }
        let mut ids = memory::map_with_room(names.len());
        for (i, name) in names.iter().enumerate() {
            if !name.is_empty() {
                ids.entry(name.clone()).or_insert(i);
            }
        }
        self.names[slot] = names;
        self.ids[slot] = ids;
    }

    /// Records names again, which are mostly what they were.
    pub(crate) fn update<'a>(
        &mut self,
        kind: ObjType,
        names: impl Iterator<Item = &'a str> + Clone,
    ) {
        if !names.clone().eq(self.all(kind).iter().map(String::as_str)) {
            self.set(kind, names.map(str::to_owned).collect());
        }
    }

    /// The index of the object with this name.
    pub fn id(&self, kind: ObjType, name: &str) -> Option<usize> {
        // xbody is another view of the same bodies.
        let kind = if kind == ObjType::Xbody { ObjType::Body } else { kind };
        self.ids.get(kind.raw() as usize)?.get(name).copied()
    }

    /// The name of an object; `None` if it has none or does not exist.
    pub fn name(&self, kind: ObjType, index: usize) -> Option<&str> {
        let kind = if kind == ObjType::Xbody { ObjType::Body } else { kind };
        let name = self.names.get(kind.raw() as usize)?.get(index)?;
        (!name.is_empty()).then_some(name)
    }

    /// All names of one type in id order, empty where unnamed.
    pub fn all(&self, kind: ObjType) -> &[String] {
        self.names.get(kind.raw() as usize).map_or(&[], Vec::as_slice)
    }
}
