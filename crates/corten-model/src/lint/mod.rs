//! What is legal but probably not meant: advice to the author of a model.
//!
//! [`spec`] looks at the model as written, [`model`] at the compiled one. Nothing here changes
//! how a model behaves.

mod inertia;
mod unit;
mod unused;

use crate::ModelArrays;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::enums::{Dynamics, Limited};
use crate::spec::Spec;

/// Steps beyond this length rarely hold contacts, whatever the integrator [s].
const LONG_TIMESTEP: f64 = 0.02;

/// Advice about a model as written.
pub fn spec(spec: &Spec) -> Diagnostics {
    let mut found = Diagnostics::new();
    unused::assets(spec, &mut found);
    unused::classes(spec, &mut found);
    unit::angles(spec, &mut found);
    muscles(spec, &mut found);
    timestep(spec, &mut found);
    found.locate(&spec.sources);
    found
}

/// Advice about a compiled model; `spec` is what it was compiled from.
pub fn model(model: &ModelArrays, spec: &Spec) -> Diagnostics {
    let mut found = Diagnostics::new();
    inertia::sizes(model, spec, &mut found);
    inertia::counted_twice(spec, &mut found);
    found.locate(&spec.sources);
    found
}

/// Activation of a muscle is meant to stay between 0 and 1.
fn muscles(spec: &Spec, found: &mut Diagnostics) {
    let muscles = spec.actuators.values().filter(|a| a.dyntype == Dynamics::Muscle);
    for muscle in muscles {
        let limited = match muscle.ctrllimited {
            Limited::True => true,
            Limited::False => false,
            Limited::Auto => {
                spec.compiler_of(muscle).autolimits && muscle.ctrlrange[0] < muscle.ctrlrange[1]
            }
        };
        let sane = limited && muscle.ctrlrange[0] >= 0.0 && muscle.ctrlrange[1] <= 1.0;
        if !sane {
            let item = Diagnostic::warning("the control of this muscle is not limited to 0…1");
            found.push(item.on("muscle", muscle).hint("add ctrlrange=\"0 1\""));
        }
    }
}

fn timestep(spec: &Spec, found: &mut Diagnostics) {
    let step = spec.option.timestep;
    if step > LONG_TIMESTEP {
        let message = format!("a timestep of {step} s is long: contacts may not hold");
        let hint = format!("{LONG_TIMESTEP} s and less are usual");
        let world = &spec.bodies[Spec::WORLD];
        found.push(Diagnostic::warning(message).at(world.source).element("option").hint(hint));
    }
}
