//! Plugins as text.

use super::text::{Tag, Writer};
use crate::spec::{Plugin, PluginUse, Spec};

impl Spec {
    /// Kinds of plugins, each with its instances that have a name.
    pub(super) fn write_extensions(&self, w: &mut Writer) {
        // Instances keep their order, which numbers them; other kinds follow.
        let named: Vec<&Plugin> = self.plugins.values().filter(|p| !p.name.is_empty()).collect();
        let runs = named.chunk_by(|a, b| a.plugin_name == b.plugin_name);
        w.element(&Tag::new("extension"), |w| {
            for run in runs {
                w.element(Tag::new("plugin").set("plugin", &run[0].plugin_name), |w| {
                    for plugin in run {
                        w.element(Tag::new("instance").set("name", &plugin.name), |w| {
                            config(w, plugin);
                        });
                    }
                });
            }
            for active in &self.active_plugins {
                if !named.iter().any(|plugin| plugin.plugin_name == active.name) {
                    w.leaf(Tag::new("plugin").set("plugin", &active.name));
                }
            }
        });
    }

    /// The plugin that an element asks for, as a child element.
    pub(super) fn write_plugin(&self, w: &mut Writer, used: &PluginUse) {
        if used.active {
            let mut tag = Tag::new("plugin");
            self.set_plugin(&mut tag, used);
            w.always(&tag, |w| self.write_config(w, used));
        }
    }

    /// The plugin that an element asks for, as attributes.
    pub(super) fn set_plugin(&self, tag: &mut Tag, used: &PluginUse) {
        if used.active && !used.name.is_empty() {
            tag.set("instance", &used.name);
        } else if used.active {
            let own = used.instance.and_then(|key| self.plugins.get(key));
            let kind = own.map_or("", |plugin| &plugin.plugin_name);
            tag.set("plugin", if kind.is_empty() { &used.plugin_name } else { kind });
        }
    }

    /// The configuration of an instance of an element's own.
    pub(super) fn write_config(&self, w: &mut Writer, used: &PluginUse) {
        if used.active
            && used.name.is_empty()
            && let Some(plugin) = used.instance.and_then(|key| self.plugins.get(key))
        {
            config(w, plugin);
        }
    }
}

fn config(w: &mut Writer, plugin: &Plugin) {
    for (key, value) in &plugin.config.0 {
        w.leaf(Tag::new("config").set("key", key).set("value", value));
    }
}
