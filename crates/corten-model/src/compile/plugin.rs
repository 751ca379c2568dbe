//! Plugins: which instances there are, of which kind, and how much state they have.
//!
//! Answers to `mjCPlugin::Compile`, `mjCModel::ResolvePlugin` and `mjCModel::CopyPlugins`.

use corten_math::memory::Gather;
use std::collections::HashMap;

use corten_geom::DistanceField;
use corten_math::Vec3;

use super::context::{Context, id};
use super::name;
use super::tree::Tree;
use crate::ModelArrays;
use crate::diagnostic::{Diagnostic, Subject, closest};
use crate::enums::{MeshBuiltin, ObjType, Stage};
use crate::names::Names;
use crate::plugin::{Capabilities, Config, PluginKind};
use crate::spec::{Element, Key, Mesh, Plugin, PluginUse, Source, Spec};

/// Most numbers of state that an instance may ask for.
const MAX_STATE: usize = 1 << 24;

/// The instances of a model.
pub(super) struct Plugins<'a> {
    plans: Vec<PluginPlan<'a>>,
    by_key: HashMap<Key<Plugin>, usize>,
    by_name: HashMap<&'a str, usize>,
}

struct PluginPlan<'a> {
    source: &'a Plugin,
    slot: usize,
    kind: Option<&'a dyn PluginKind>,
    kind_name: &'a str,
    config: Config,
    state: usize,
}

/// What a sensor of a plugin gives, and when.
pub(super) struct Reading {
    pub dim: usize,
    pub stage: Stage,
}

/// Resolves kinds and configurations of all instances.
pub(super) fn compile<'a>(cx: &mut Context<'a>, names: &mut Names) -> Plugins<'a> {
    let spec = cx.spec;
    check_declared(cx);
    let owners = owners(spec);
    let mut plugins =
        Plugins { plans: Vec::new(), by_key: HashMap::new(), by_name: HashMap::new() };
    let mut listed = Vec::new();
    for (key, source) in spec.plugins.iter() {
        let owner = owners.get(&key).copied();
        if source.name.is_empty() && owner.is_none() {
            continue;
        }
        let kind_name =
            if source.plugin_name.is_empty() { owner.unwrap_or("") } else { &source.plugin_name };
        let found = find_kind(cx, kind_name, source);
        let config = Config::new(source.config.0.iter().cloned());
        let mut plan = PluginPlan { source, slot: 0, kind: None, kind_name, config, state: 0 };
        if let Some((slot, kind)) = found {
            (plan.slot, plan.kind) = (slot, Some(kind));
            check_keys(cx, &plan, kind);
            match kind.state_size(&plan.config) {
                Ok(size) if size <= MAX_STATE => plan.state = size,
                Ok(size) => {
                    let message =
                        format!("plugin '{kind_name}' asks for a state of {size} numbers");
                    cx.error("plugin", source, message);
                }
                Err(why) => cx.error("plugin", source, format!("plugin '{kind_name}': {why}")),
            }
        }
        plugins.by_key.insert(key, plugins.plans.len());
        if !source.name.is_empty() {
            plugins.by_name.entry(&source.name).or_insert(plugins.plans.len());
        }
        listed.push((source.name.clone(), source.source));
        plugins.plans.push(plan);
    }
    name::set(cx, names, ObjType::Plugin, listed);
    plugins
}

/// The instances that bodies and geoms use.
pub(super) struct Carried {
    bodies: Vec<Option<usize>>,
    geoms: Vec<Option<usize>>,
}

/// Resolves the plugins of bodies and geoms.
pub(super) fn tree(cx: &mut Context, tree: &Tree, plugins: &Plugins) -> Carried {
    let spec = cx.spec;
    let bodies = tree.bodies.iter().map(|plan| &spec.bodies[plan.key]);
    let bodies = bodies
        .map(|body| plugins.resolve(cx, &body.plugin, Capabilities::PASSIVE, "body", body))
        .gather();
    let geoms = tree.geoms.iter().map(|plan| &spec.geoms[plan.key]);
    let geoms = geoms
        .map(|geom| plugins.resolve(cx, &geom.plugin, Capabilities::SDF, "geom", geom))
        .gather();
    Carried { bodies, geoms }
}

impl Carried {
    pub fn write(&self, m: &mut ModelArrays) {
        m.body_plugin = self.bodies.iter().map(|&plugin| id(plugin)).gather();
        m.geom_plugin = self.geoms.iter().map(|&plugin| id(plugin)).gather();
    }
}

/// The kind of plugin that the owner of each instance without a name asks for.
fn owners(spec: &Spec) -> HashMap<Key<Plugin>, &str> {
    let mut owners: HashMap<Key<Plugin>, &str> = HashMap::new();
    for used in spec.plugin_uses().filter(|used| used.name.is_empty()) {
        if let Some(key) = used.instance {
            owners.entry(key).or_insert(&used.plugin_name);
        }
    }
    owners
}

fn unknown_kind(cx: &Context, name: &str) -> Diagnostic {
    let known = cx.catalog.plugin_names();
    Diagnostic::error(format!("there is no plugin '{name}'"))
        .did_you_mean(closest(name, known.iter().copied()))
        .hint("plugins of your own have to be in the registry of the loader")
}

/// The kinds that the model declares must exist.
fn check_declared(cx: &mut Context) {
    for active in &cx.spec.active_plugins {
        if cx.catalog.plugin(&active.name).is_none() {
            let item = unknown_kind(cx, &active.name).at(active.source).element("plugin");
            cx.diagnostics.push(item);
        }
    }
}

fn find_kind<'a>(
    cx: &mut Context<'a>,
    name: &str,
    source: &Plugin,
) -> Option<(usize, &'a dyn PluginKind)> {
    let declared = cx.spec.active_plugins.iter().any(|active| active.name == name);
    let found = cx.catalog.plugin(name);
    let item = match found {
        _ if name.is_empty() => Diagnostic::error("the plugin of this instance is not given"),
        // Reported where it is declared.
        None if declared => return None,
        None => unknown_kind(cx, name),
        Some(_) if !declared => Diagnostic::error(format!("plugin '{name}' is not declared"))
            .hint(format!("add <extension><plugin plugin=\"{name}\"/></extension> to the model")),
        Some(found) => return Some(found),
    };
    cx.diagnostics.push(item.on("plugin", source));
    None
}

fn check_keys(cx: &mut Context, plan: &PluginPlan, kind: &dyn PluginKind) {
    let attributes = kind.attributes();
    for (key, value) in plan.config.iter() {
        let item = if !attributes.contains(&key) {
            Diagnostic::error(format!("plugin '{}' has no attribute '{key}'", plan.kind_name))
                .did_you_mean(closest(key, attributes.iter().copied()))
                .expected(attributes.join(", "))
        } else if value.contains('\0') {
            Diagnostic::error(format!("the value of '{key}' contains a zero byte"))
        } else {
            continue;
        };
        cx.diagnostics.push(item.on("plugin", plan.source));
    }
}

impl<'a> Plugins<'a> {
    /// The number of the instance that an element asks for, if it does. The kind must be able to do
    /// what is asked of it.
    pub fn resolve(
        &self,
        cx: &mut Context,
        used: &PluginUse,
        needed: Capabilities,
        xml: &str,
        element: &impl Element,
    ) -> Option<usize> {
        if !used.active {
            return None;
        }
        let found = match (used.instance, used.name.as_str()) {
            (_, name) if !name.is_empty() => self.by_name.get(name).copied(),
            (Some(key), _) => self.by_key.get(&key).copied(),
            _ => None,
        };
        let Some(found) = found else {
            let item = if used.name.is_empty() {
                Diagnostic::error("neither 'plugin' nor 'instance' is given")
            } else {
                Diagnostic::error(format!("there is no instance '{}' of a plugin", used.name))
                    .about(Subject::Name)
                    .did_you_mean(closest(&used.name, self.by_name.keys().copied()))
            };
            cx.diagnostics.push(item.on(xml, element));
            return None;
        };
        let plan = &self.plans[found];
        if !used.plugin_name.is_empty() && used.plugin_name != plan.kind_name {
            let message = format!(
                "the instance '{}' is one of plugin '{}', not of '{}'",
                used.name, plan.kind_name, used.plugin_name
            );
            cx.error(xml, element, message);
            return None;
        }
        let kind = plan.kind?;
        if !kind.capabilities().contains(needed) {
            let what = match needed {
                Capabilities::ACTUATOR => "actuators",
                Capabilities::SENSOR => "sensors",
                Capabilities::PASSIVE => "passive forces",
                _ => "signed distance fields",
            };
            cx.error(xml, element, format!("plugin '{}' does not support {what}", plan.kind_name));
            return None;
        }
        Some(found)
    }

    /// The distance field that a mesh is made from, if a plugin makes it.
    pub fn mesh_field(&self, cx: &mut Context, mesh: &Mesh) -> Option<Box<dyn DistanceField>> {
        let instance = self.resolve(cx, &mesh.plugin, Capabilities::SDF, "mesh", mesh)?;
        if !mesh.file.is_empty() || mesh.builtin != MeshBuiltin::None || !mesh.uservert.is_empty() {
            cx.error("mesh", mesh, "a mesh is made from a plugin, or given, but not both");
            return None;
        }
        if mesh.scale != Vec3::splat(1.0) {
            cx.error("mesh", mesh, "'scale' does not apply to a mesh that a plugin makes");
            return None;
        }
        let plan = &self.plans[instance];
        match plan.kind?.field(&plan.config) {
            Ok(field) => Some(field),
            Err(why) => {
                cx.error("mesh", mesh, format!("plugin '{}': {why}", plan.kind_name));
                None
            }
        }
    }

    /// What a sensor of an instance gives.
    pub fn reading(&self, cx: &mut Context, instance: usize, sensor: &impl Element) -> Reading {
        let plan = &self.plans[instance];
        let mut reading = Reading { dim: 0, stage: Stage::Acc };
        if let Some(kind) = plan.kind {
            reading.stage = kind.stage();
            match kind.sensor_size(&plan.config) {
                Ok(size) => reading.dim = size,
                Err(why) => {
                    cx.error("sensor", sensor, format!("plugin '{}': {why}", plan.kind_name))
                }
            }
        }
        reading
    }

    /// Where the instances were written.
    pub fn places(&self) -> Vec<Source> {
        self.plans.iter().map(|plan| plan.source.source).collect()
    }

    pub fn write(&self, m: &mut ModelArrays) {
        m.nplugin = self.plans.len();
        m.npluginstate = self.plans.iter().map(|plan| plan.state).sum();
        let values: Vec<Vec<u8>> = self
            .plans
            .iter()
            .map(|plan| {
                let mut bytes =
                    plan.config.to_bytes(plan.kind.map_or(&[], |kind| kind.attributes()));
                if bytes.is_empty() {
                    bytes.push(0);
                }
                bytes
            })
            .collect();
        m.npluginattr = values.iter().map(Vec::len).sum();
        m.resize();
        let (mut attribute, mut state) = (0, 0);
        for (i, (plan, bytes)) in self.plans.iter().zip(&values).enumerate() {
            m.plugin[i] = plan.slot as i32;
            m.plugin_attradr[i] = attribute as i32;
            m.plugin_attr[attribute..attribute + bytes.len()].copy_from_slice(bytes);
            attribute += bytes.len();
            m.plugin_stateadr[i] = state as i32;
            m.plugin_statenum[i] = plan.state as i32;
            state += plan.state;
            m.extension_names.plugins.push(plan.kind_name.to_owned());
        }
    }
}
