//! A model without what MuJoCo 3.4.0 does not have, for those who want to go back.

use super::{PluginUse, Spec};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::enums::{EnableBit, Integrator, Solver};
use crate::plugin::{Builtin, Catalog};
use crate::soft::SOFT_PREFIX;

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
        let defaults = plain.defaults.values_mut().map(|class| &mut class.actuator);
        for actuator in plain.actuators.values_mut().chain(defaults) {
            if actuator.gain_model.is_empty() {
                continue;
            }
            let message =
                format!("the gain model '{}' is lost: the gain is a user's", actuator.gain_model);
            lost.push(Diagnostic::warning(message).on("actuator", actuator));
            actuator.gain_model.clear();
            actuator.gain_params.clear();
        }
        plain.drop_laws(&mut lost);
        plain.drop_plugins(&mut lost);
        lost.locate(&self.sources);
        (plain, lost)
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
        strip!(bodies "body", geoms "geom", meshes "mesh");
        macro_rules! remove {
            ($($arena:ident $kind:literal),*) => {$(
                let gone: Vec<_> =
                    self.$arena.iter().filter(|(_, e)| is_foreign(&e.plugin)).map(|(k, _)| k).collect();
                for key in gone {
                    if let Some(element) = self.$arena.remove(key) {
                        let message = format!("the {} is lost with its plugin", $kind);
                        lost.push(Diagnostic::warning(message).on($kind, &element));
                    }
                }
            )*};
        }
        remove!(actuators "actuator", sensors "sensor");
        for (key, _) in instances {
            self.plugins.remove(key);
        }
    }
}
