//! Plugins: kinds that the model declares, instances, and elements that ask for them.

use super::Reader;
use super::value::{require_text, text};
use crate::diagnostic::Diagnostic;
use crate::mjcf::forest::Elem;
use crate::spec::{ActivePlugin, Plugin, PluginConfig, PluginUse};

impl Reader<'_> {
    pub(super) fn extension(&mut self, section: Elem<'_>) {
        for elem in section.children() {
            if elem.name() != "plugin" {
                continue;
            }
            let kind = require_text(&mut self.diags, elem, "plugin");
            if kind.is_empty() {
                continue;
            }
            if !self.spec.active_plugins.iter().any(|active| active.name == kind) {
                let active = ActivePlugin { name: kind.clone(), source: elem.source() };
                self.spec.active_plugins.push(active);
            }
            for child in elem.children() {
                if child.name() != "instance" {
                    continue;
                }
                let name = require_text(&mut self.diags, child, "name");
                if child.attr("name").is_some() && name.is_empty() {
                    self.error(child, "an instance of a plugin needs a name");
                }
                let config = self.plugin_config(child);
                self.spec.plugins.insert(Plugin {
                    name,
                    plugin_name: kind.clone(),
                    active: true,
                    config,
                    source: child.source(),
                    ..Default::default()
                });
            }
        }
    }

    fn plugin_config(&mut self, elem: Elem<'_>) -> PluginConfig {
        let mut config = PluginConfig::default();
        for child in elem.children() {
            if child.name() != "config" {
                continue;
            }
            let key = require_text(&mut self.diags, child, "key");
            let value = require_text(&mut self.diags, child, "value");
            if config.0.iter().any(|(given, _)| *given == key) {
                self.error(child, format!("the key '{key}' is given twice"));
            } else {
                config.0.push((key, value));
            }
        }
        config
    }

    /// The plugin that an element asks for, by attributes and configuration of `elem`.
    pub(super) fn plugin_use(&mut self, elem: Elem<'_>) -> PluginUse {
        let mut found = PluginUse {
            active: true,
            plugin_name: text(elem, "plugin").unwrap_or_default(),
            name: text(elem, "instance").unwrap_or_default(),
            instance: None,
        };
        let config = self.plugin_config(elem);
        if found.plugin_name.is_empty() && found.name.is_empty() {
            let item = Diagnostic::error("neither 'plugin' nor 'instance' is given");
            self.report(elem, item);
        }
        if found.name.is_empty() {
            found.instance = Some(self.spec.plugins.insert(Plugin {
                active: true,
                config,
                source: elem.source(),
                ..Default::default()
            }));
        } else if !config.0.is_empty() {
            let message = "an element that names an instance of a plugin cannot configure it";
            let item = Diagnostic::error(message);
            self.report(elem, item.hint("write the 'config' into the instance"));
        }
        found
    }

    /// The plugin of a child element `plugin`, if there is one.
    pub(super) fn plugin_child(&mut self, elem: Elem<'_>) -> Option<PluginUse> {
        let child = elem.children().into_iter().find(|child| child.name() == "plugin")?;
        Some(self.plugin_use(child))
    }

    /// [`Self::plugin_child`] of an element that makes many bodies, which share an instance. Unless
    /// the author names one, it has a name that follows from that of the element.
    pub(super) fn shared_plugin(&mut self, elem: Elem<'_>, name: String) -> Option<PluginUse> {
        let mut found = self.plugin_child(elem)?;
        if let Some(plugin) = found.instance.take().and_then(|key| self.spec.plugins.get_mut(key)) {
            plugin.plugin_name.clone_from(&found.plugin_name);
            plugin.name.clone_from(&name);
            found.name = name;
        }
        Some(found)
    }
}
