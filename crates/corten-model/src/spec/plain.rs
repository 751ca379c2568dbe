//! A model without what MuJoCo 3.4.0 does not have, for those who want to go back.

use super::{Actuator, Key, PluginUse, Sensor, Spec, Tuple};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::enums::{Dynamics, EnableBit, Integrator, ObjType, Solver};
use crate::plugin::{Builtin, Catalog};
use crate::soft::SOFT_PREFIX;

/// Corners of the cube that stands where a plugin has made a mesh.
#[rustfmt::skip]
const STAND_IN: [f32; 24] = [
    -0.01, -0.01, -0.01,  0.01, -0.01, -0.01,  -0.01, 0.01, -0.01,  0.01, 0.01, -0.01,
    -0.01, -0.01,  0.01,  0.01, -0.01,  0.01,  -0.01, 0.01,  0.01,  0.01, 0.01,  0.01,
];

impl Spec {
    /// A copy that MuJoCo 3.4.0 loads, and a warning for each extension that it has lost.
    pub fn without_extensions(&self) -> (Spec, Diagnostics) {
        let mut plain = self.clone();
        let mut lost = Diagnostics::new();
        let mut option = |message: &str| {
            lost.push(Diagnostic::warning(message).element("option"));
        };
        if plain.option.integrator == Integrator::ImplicitSpringDamper {
            plain.option.integrator = Integrator::Implicit;
            option("the integrator 'implicitspringdamper' becomes 'implicit'");
        }
        if plain.option.solver == Solver::CgStrict {
            plain.option.solver = Solver::Cg;
            option("the solver 'cgstrict' becomes 'CG'");
        }
        if plain.option.solver == Solver::Xpbd {
            plain.option.solver = Solver::Newton;
            option("the solver 'xpbd' becomes 'Newton'");
        }
        let default = crate::Options::default();
        if plain.option.xpbd_substeps != default.xpbd_substeps {
            plain.option.xpbd_substeps = default.xpbd_substeps;
            option("'xpbd_substeps' is lost");
        }
        if plain.option.coupling_iterations != default.coupling_iterations {
            plain.option.coupling_iterations = default.coupling_iterations;
            option("'coupling_iterations' is lost");
        }
        for (bit, message) in [
            (EnableBit::TextbookFlex, "flexes take MuJoCo's elasticity instead of the textbook's"),
            (EnableBit::ImplicitFlex, "elastic forces of flexes become explicit"),
        ] {
            if plain.option.enabled(bit) {
                plain.option.enableflags &= !bit.raw();
                option(message);
            }
        }
        for flex in plain.flexes.values_mut().filter(|flex| !flex.node.is_empty()) {
            flex.node.clear();
            let message = "nodes move to the origins of their bodies";
            lost.push(Diagnostic::warning(message).on("flex", flex));
        }
        plain.drop_gains(&mut lost);
        plain.drop_laws(&mut lost);
        plain.drop_plugins(&mut lost);
        lost.locate(&self.sources);
        (plain, lost)
    }

    /// Drops gain models, with the activations that only they have.
    fn drop_gains(&mut self, lost: &mut Diagnostics) {
        let defaults = self.defaults.values_mut().map(|class| (&mut class.actuator, false));
        let actuators = self.actuators.values_mut().map(|actuator| (actuator, true));
        let mut any = false;
        for (actuator, acts) in actuators.chain(defaults) {
            if actuator.gain_model.is_empty() {
                continue;
            }
            let message =
                format!("the gain model '{}' is lost: the gain is a user's", actuator.gain_model);
            lost.push(Diagnostic::warning(message).on("actuator", actuator));
            actuator.gain_model.clear();
            actuator.gain_params.clear();
            if actuator.dyntype != Dynamics::User {
                actuator.actdim = Actuator::default().actdim;
            }
            any |= acts;
        }
        if any {
            self.drop_activations(lost);
        }
    }

    /// Lets keyframes forget activations, once those of the model are others.
    fn drop_activations(&mut self, lost: &mut Diagnostics) {
        let message = "activations are lost: those of the model are others without its extensions";
        for key in self.keys.values_mut().filter(|key| !key.act.is_empty()) {
            key.act.clear();
            lost.push(Diagnostic::warning(message).on("key", key));
        }
        for key in self.attached_keys.iter_mut().filter(|key| key.act.is_some()) {
            key.act = None;
            lost.push(Diagnostic::warning(message).on("key", key));
        }
    }

    /// Drops laws of flexes and contacts, and what holds particles together.
    fn drop_laws(&mut self, lost: &mut Diagnostics) {
        for flex in self.flexes.values_mut() {
            let laws =
                [("bending", &mut flex.bending_model), ("elasticity", &mut flex.elasticity_model)];
            let told: Vec<String> = laws
                .into_iter()
                .filter(|(_, law)| !law.is_empty())
                .map(|(kind, law)| {
                    format!("the {kind} model '{}' becomes MuJoCo's", std::mem::take(law))
                })
                .collect();
            for message in told {
                lost.push(Diagnostic::warning(message).on("flex", flex));
            }
        }
        macro_rules! soften {
            ($($elements:expr, $kind:literal);*) => {$(
                for element in $elements {
                    if element.stiffness != 0.0 || element.dissipation != 0.0 {
                        (element.stiffness, element.dissipation) = (0.0, 0.0);
                        let message = "stiffness and dissipation are lost: contacts take 'solref' and 'solimp'";
                        lost.push(Diagnostic::warning(message).on($kind, element));
                    }
                }
            )*};
        }
        soften!(self.geoms.values_mut(), "geom"; self.pairs.values_mut(), "pair");
        soften!(self.defaults.values_mut().map(|class| &mut class.geom), "default geom");
        soften!(self.defaults.values_mut().map(|class| &mut class.pair), "default pair");
        let reserved = |name: &str| name.contains(SOFT_PREFIX);
        let gone: Vec<_> =
            self.numerics.iter().filter(|(_, n)| reserved(&n.name)).map(|(key, _)| key).collect();
        for key in gone {
            if let Some(numeric) = self.numerics.remove(key) {
                let name = numeric.name.replace(SOFT_PREFIX, "");
                let message =
                    format!("nothing holds the particles of the deformable body '{name}' together");
                lost.push(
                    Diagnostic::warning(message)
                        .at(numeric.source)
                        .element("cortenforge:deformable"),
                );
            }
        }
        let gone: Vec<_> =
            self.tuples.iter().filter(|(_, t)| reserved(&t.name)).map(|(key, _)| key).collect();
        gone.into_iter().for_each(|key| drop(self.tuples.remove(key)));
    }

    /// Drops what plugins do that MuJoCo does not come with.
    fn drop_plugins(&mut self, lost: &mut Diagnostics) {
        let known = |kind: &str| Builtin.plugin(kind).is_some();
        let foreign: Vec<String> = self
            .active_plugins
            .iter()
            .map(|active| active.name.clone())
            .filter(|name| !known(name))
            .collect();
        if foreign.is_empty() {
            return;
        }
        self.active_plugins.retain(|active| known(&active.name));
        let instances: Vec<_> = self
            .plugins
            .iter()
            .filter(|(_, plugin)| foreign.contains(&plugin.plugin_name))
            .map(|(key, plugin)| (key, plugin.name.clone()))
            .collect();
        let is_foreign = |used: &PluginUse| {
            let named = |(_, name): &(_, String)| !name.is_empty() && *name == used.name;
            used.active && (foreign.contains(&used.plugin_name) || instances.iter().any(named))
        };
        macro_rules! strip {
            ($($arena:ident $kind:literal),*) => {$(
                for element in self.$arena.values_mut().filter(|e| is_foreign(&e.plugin)) {
                    element.plugin = PluginUse::default();
                    let message = format!("the {} loses its plugin, which MuJoCo does not have", $kind);
                    lost.push(Diagnostic::warning(message).on($kind, element));
                }
            )*};
        }
        strip!(bodies "body", geoms "geom");
        for mesh in self.meshes.values_mut().filter(|mesh| is_foreign(&mesh.plugin)) {
            mesh.plugin = PluginUse::default();
            mesh.uservert = STAND_IN.to_vec();
            let message = "the shape is lost with its plugin: a cube of 2 cm stands in its place";
            lost.push(Diagnostic::warning(message).on("mesh", mesh));
        }
        let actuators: Vec<_> = self
            .actuators
            .iter()
            .enumerate()
            .filter(|(_, (_, actuator))| is_foreign(&actuator.plugin))
            .map(|(index, (key, _))| (index, key))
            .collect();
        let sensors: Vec<_> = self
            .sensors
            .iter()
            .filter(|(_, sensor)| is_foreign(&sensor.plugin))
            .map(|(key, _)| key)
            .collect();
        for (key, _) in instances {
            self.plugins.remove(key);
        }
        self.drop_actuators(&actuators, lost);
        self.drop_sensors(sensors, "its plugin", lost);
    }

    /// Drops actuators, given by index and key, with what refers to them: sensors, entries of tuples and controls in keyframes.
    fn drop_actuators(&mut self, gone: &[(usize, Key<Actuator>)], lost: &mut Diagnostics) {
        if gone.is_empty() {
            return;
        }
        // From the last, so that indices stay what they are.
        for &(index, key) in gone.iter().rev() {
            for keyframe in self.keys.values_mut().filter(|keyframe| index < keyframe.ctrl.len()) {
                keyframe.ctrl.remove(index);
            }
            for keyframe in &mut self.attached_keys {
                keyframe.ctrl.iter_mut().for_each(|ctrl| ctrl.retain(|(of, _)| *of != key));
            }
        }
        for &(_, key) in gone {
            let Some(actuator) = self.actuators.remove(key) else { continue };
            let message = "the actuator is lost with its plugin";
            lost.push(Diagnostic::warning(message).on("actuator", &actuator));
            let of = |kind: ObjType, name: &str| {
                kind == ObjType::Actuator && !name.is_empty() && name == actuator.name
            };
            let readers = self.sensors.iter().filter(|(_, sensor)| {
                of(sensor.objtype, &sensor.objname) || of(sensor.reftype, &sensor.refname)
            });
            let readers = readers.map(|(key, _)| key).collect();
            self.drop_sensors(readers, "what it measures", lost);
            self.drop_from_tuples(ObjType::Actuator, &actuator.name, lost);
        }
        self.drop_activations(lost);
    }

    fn drop_sensors(&mut self, gone: Vec<Key<Sensor>>, with: &str, lost: &mut Diagnostics) {
        for key in gone {
            let Some(sensor) = self.sensors.remove(key) else { continue };
            let message = format!("the sensor is lost with {with}");
            lost.push(Diagnostic::warning(message).on("sensor", &sensor));
            self.drop_from_tuples(ObjType::Sensor, &sensor.name, lost);
        }
    }

    /// Takes an element out of tuples, and tuples of nothing else out of the model.
    fn drop_from_tuples(&mut self, kind: ObjType, name: &str, lost: &mut Diagnostics) {
        let is_gone = |(of, named): (&ObjType, &String)| *of == kind && named == name;
        let names_it = |tuple: &Tuple| tuple.objtype.iter().zip(&tuple.objname).any(is_gone);
        if name.is_empty() {
            return;
        }
        for tuple in self.tuples.values_mut().filter(|tuple| names_it(tuple)) {
            let gone: Vec<bool> = tuple.objtype.iter().zip(&tuple.objname).map(is_gone).collect();
            keep_others(&mut tuple.objtype, &gone);
            keep_others(&mut tuple.objname, &gone);
            keep_others(&mut tuple.objprm, &gone);
            let message = format!("'{name}' is not in the tuple any more");
            lost.push(Diagnostic::warning(message).on("tuple", tuple));
        }
        let empty: Vec<_> =
            self.tuples.iter().filter(|(_, t)| t.objname.is_empty()).map(|(key, _)| key).collect();
        for key in empty {
            let gone = self.tuples.remove(key).map_or_else(String::new, |tuple| tuple.name);
            self.drop_from_tuples(ObjType::Tuple, &gone, lost);
        }
    }
}

fn keep_others<T>(list: &mut Vec<T>, gone: &[bool]) {
    let mut gone = gone.iter();
    list.retain(|_| gone.next() != Some(&true));
}
