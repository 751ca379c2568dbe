//! Plugins: instances, and what elements ask of them.

use super::element::element;
use super::field::{Field, Value};
use super::{FieldError, Key, Source};

element! {
    /// An instance of a plugin. One without a name belongs to the element that holds its key.
    pub struct Plugin {
        /// The kind; empty for that of the element it belongs to.
        plugin_name: String = String::new(),
        active: bool = false,
        config: PluginConfig = PluginConfig::default(),
    }
}

/// Values of a plugin's attributes, by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PluginConfig(pub Vec<(String, String)>);

/// Keys and values in turn.
impl Field for PluginConfig {
    fn value(&self) -> Option<Value> {
        let both = self.0.iter().flat_map(|(key, value)| [key.clone(), value.clone()]);
        Some(Value::Texts(both.collect()))
    }

    fn assign(&mut self, value: Value) -> Result<(), FieldError> {
        let Value::Texts(both) = value else { return Err(FieldError::Type("keys and values")) };
        let (pairs, rest) = both.as_chunks::<2>();
        if !rest.is_empty() {
            return Err(FieldError::Type("a value for every key"));
        }
        self.0 = pairs.iter().map(|[key, value]| (key.clone(), value.clone())).collect();
        Ok(())
    }
}

/// What an element asks of plugins: nothing, an instance by its name, or one of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PluginUse {
    /// Whether it asks for something.
    pub active: bool,
    /// The kind of plugin; empty for that of the instance.
    pub plugin_name: String,
    /// The name of the instance; empty for one of its own.
    pub name: String,
    /// The instance of its own.
    pub instance: Option<Key<Plugin>>,
}

/// A link to another element, not a value.
impl Field for PluginUse {
    fn value(&self) -> Option<Value> {
        None
    }

    fn assign(&mut self, _: Value) -> Result<(), FieldError> {
        Err(FieldError::Fixed)
    }
}

/// A kind of plugin that a model declares.
#[derive(Clone, Debug, PartialEq)]
pub struct ActivePlugin {
    /// Its name.
    pub name: String,
    /// Where the file declares it.
    pub source: Source,
}
