//! What a model asks for by name, where MuJoCo's arrays have only a number.

use crate::container::Values;
use crate::plugin::{BUILTIN_KINDS, PluginKind};

/// Names of the extensions that a model uses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExtensionNames {
    /// The kind of each instance of a plugin.
    pub plugins: Vec<String>,
}

/// The entry of kinds of plugins.
pub(super) const PLUGINS: &str = "extensions.plugin";

impl ExtensionNames {
    /// The kind of an instance of a plugin.
    pub fn plugin_kind(&self, instance: usize) -> &str {
        self.plugins.get(instance).map_or("", String::as_str)
    }

    /// Kinds of plugins from the numbers that MuJoCo's package gives them.
    pub(super) fn plugins_of_slots(slots: &[i32]) -> Vec<String> {
        let name = |&slot: &i32| {
            let kind = usize::try_from(slot).ok().and_then(|slot| BUILTIN_KINDS.get(slot));
            kind.map_or_else(String::new, |kind| kind.name().to_owned())
        };
        slots.iter().map(name).collect()
    }

    /// Entries of what there is: none for most models.
    pub(super) fn pack(&self, mut push: impl FnMut(String, Values)) {
        if !self.plugins.is_empty() {
            push(PLUGINS.into(), Values::U8((self.plugins.join("\0") + "\0").into_bytes()));
        }
    }
}
