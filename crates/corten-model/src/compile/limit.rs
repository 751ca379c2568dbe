//! Memory that a few characters can ask for: refused before it is allocated.

use super::actuator::ActuatorPlan;
use super::context::Context;
use super::name::UserSizes;
use super::sensor::SensorPlan;
use super::texture::TexturePlan;
use super::tree::Tree;
use crate::Options;
use crate::arrays::MAX_VALUES;
use crate::diagnostic::Diagnostic;
use crate::enums::JointType;

/// Addresses of pixels are 32-bit integers.
const MAX_PIXEL_BYTES: usize = i32::MAX as usize;

/// Checks options that decide how long a step takes.
pub(super) fn check_options(cx: &mut Context) {
    let option = &cx.spec.option;
    for (name, count, most) in [
        ("xpbd_substeps", option.xpbd_substeps, Options::MOST_XPBD_SUBSTEPS),
        ("coupling_iterations", option.coupling_iterations, Options::MOST_COUPLING_ITERATIONS),
    ] {
        if !(1..=most).contains(&count) {
            let item = Diagnostic::error(format!("'cortenforge:{name}' is {count}"));
            let expected = format!("a whole number from 1 to {most}");
            cx.diagnostics.push(item.expected(expected).element("option"));
        }
    }
}

/// Checks the sizes that are numbers in the text.
pub(super) fn check(
    cx: &mut Context,
    users: &UserSizes,
    tree: &Tree,
    actuators: &[ActuatorPlan],
    sensors: &[SensorPlan],
    textures: &[TexturePlan],
) {
    let spec = cx.spec;
    let bodies = tree.bodies.len();
    let coordinates = tree.joints.iter().map(|j| match spec.joints[j.key].type_ {
        JointType::Free => 13,
        JointType::Ball => 7,
        JointType::Slide | JointType::Hinge => 2,
    });
    let activations = total(actuators.iter().map(|a| a.actnum));
    let state = total(coordinates.chain([activations, actuators.len(), 7 * bodies, 1]));
    let stored = spec.limits.model_bytes / size_of::<f64>();
    let size = |n: i32| usize::try_from(n).unwrap_or(0);
    let sizes = [
        ("nuser_body", users.body, bodies, stored),
        ("nuser_jnt", users.jnt, tree.joints.len(), stored),
        ("nuser_geom", users.geom, tree.geoms.len(), stored),
        ("nuser_site", users.site, tree.sites.len(), stored),
        ("nuser_cam", users.cam, tree.cameras.len(), stored),
        ("nuser_tendon", users.tendon, spec.tendons.len(), stored),
        ("nuser_actuator", users.actuator, actuators.len(), stored),
        ("nuser_sensor", users.sensor, sensors.len(), stored),
        ("nkey", size(spec.sizes.nkey).max(spec.keys.len()), state, stored),
        ("nuserdata", size(spec.sizes.nuserdata), 1, MAX_VALUES),
        ("dimensions of sensors", total(sensors.iter().map(|s| s.dim)), 1, MAX_VALUES),
        ("activations of actuators", activations, 1, MAX_VALUES),
    ];
    let pixels = total(textures.iter().map(|t| t.data.len()));
    if pixels > MAX_PIXEL_BYTES {
        let message = format!("textures have {pixels} bytes, more than {MAX_PIXEL_BYTES}");
        cx.diagnostics.push(Diagnostic::error(message));
    }
    if spec.sizes.nuserdata < 0 {
        cx.diagnostics.push(Diagnostic::error("'nuserdata' cannot be negative"));
    }
    let (mut together, mut refused) = (0usize, false);
    for (what, each, count, limit) in sizes {
        let values = each.saturating_mul(count);
        together = together.saturating_add(values);
        // One finding is enough for what is too much only together.
        if values > limit || (together > stored && !refused) {
            refused = true;
            let message = format!("{what}: the model would hold {values} numbers");
            let limit = limit.min(stored);
            let item = Diagnostic::error(message).expected(format!("at most {limit}"));
            cx.diagnostics.push(if limit == stored { item.beyond("model_bytes") } else { item });
        }
    }
}

fn total(sizes: impl Iterator<Item = usize>) -> usize {
    sizes.fold(0, usize::saturating_add)
}
