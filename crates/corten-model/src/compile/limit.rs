//! Memory that a few characters can ask for: refused before it is allocated.

use super::actuator::ActuatorPlan;
use super::context::Context;
use super::name::UserSizes;
use super::sensor::SensorPlan;
use super::texture::TexturePlan;
use super::tree::Tree;
use crate::arrays::MAX_VALUES;
use crate::diagnostic::Diagnostic;
use crate::enums::JointType;

/// Numbers of one kind that a model may hold: a gigabyte.
const MAX_STORED: usize = 1 << 27;
/// Addresses of pixels are 32-bit integers.
const MAX_PIXEL_BYTES: usize = i32::MAX as usize;

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
    let size = |n: i32| usize::try_from(n).unwrap_or(0);
    let sizes = [
        ("nuser_body", users.body, bodies, MAX_STORED),
        ("nuser_jnt", users.jnt, tree.joints.len(), MAX_STORED),
        ("nuser_geom", users.geom, tree.geoms.len(), MAX_STORED),
        ("nuser_site", users.site, tree.sites.len(), MAX_STORED),
        ("nuser_cam", users.cam, tree.cameras.len(), MAX_STORED),
        ("nuser_tendon", users.tendon, spec.tendons.len(), MAX_STORED),
        ("nuser_actuator", users.actuator, actuators.len(), MAX_STORED),
        ("nuser_sensor", users.sensor, sensors.len(), MAX_STORED),
        ("nkey", size(spec.sizes.nkey).max(spec.keys.len()), state, MAX_STORED),
        ("nuserdata", size(spec.sizes.nuserdata), 1, MAX_VALUES),
        ("dimensions of sensors", total(sensors.iter().map(|s| s.dim)), 1, MAX_VALUES),
        ("activations of actuators", activations, 1, MAX_VALUES),
        ("pixels of textures", total(textures.iter().map(|t| t.data.len())), 1, MAX_PIXEL_BYTES),
    ];
    if spec.sizes.nuserdata < 0 {
        cx.diagnostics.push(Diagnostic::error("'nuserdata' cannot be negative"));
    }
    for (what, each, count, limit) in sizes {
        let values = each.saturating_mul(count);
        if values > limit {
            let message = format!("{what}: the model would hold {values} numbers");
            cx.diagnostics.push(Diagnostic::error(message).expected(format!("at most {limit}")));
        }
    }
}

fn total(sizes: impl Iterator<Item = usize>) -> usize {
    sizes.fold(0, usize::saturating_add)
}
