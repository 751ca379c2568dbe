//! Default classes.

use super::asset::LAYER;
use super::attributes::{
    ACTUATOR, ADHESION, CAMERA, COMPLIANCE, CTRL_LIMITED, CYLINDER, DRIVE, EQUALITY, GAIN_MODEL,
    GENERAL, GEOM, INTVELOCITY, JOINT, LIGHT, MATERIAL, MUSCLE, PAIR, POSE, POSITION, SITE, TENDON,
    TENDON_LOOK, VELOCITY,
};
use super::{Rule, inner, names, single};

pub(super) static DEFAULT: Rule = inner(
    "default",
    &[names![class]],
    &[
        &DEFAULT,
        &single("mesh", &[names![scale maxhullvert inertia]]),
        &Rule { unique: true, ..inner("material", &[MATERIAL], &[&LAYER]) },
        &single("joint", &[JOINT]),
        &single("geom", &[POSE, GEOM, COMPLIANCE]),
        &single("site", &[POSE, SITE]),
        &single("camera", &[POSE, CAMERA]),
        &single("light", &[LIGHT]),
        &single("pair", &[PAIR, COMPLIANCE]),
        &single("equality", &[EQUALITY]),
        &single("tendon", &[TENDON, TENDON_LOOK]),
        &single("general", &[ACTUATOR, DRIVE, CTRL_LIMITED, GENERAL, GAIN_MODEL]),
        &single("motor", &[ACTUATOR, DRIVE, CTRL_LIMITED]),
        &single("position", &[ACTUATOR, DRIVE, CTRL_LIMITED, POSITION]),
        &single("velocity", &[ACTUATOR, DRIVE, CTRL_LIMITED, VELOCITY]),
        &single("intvelocity", &[ACTUATOR, DRIVE, CTRL_LIMITED, INTVELOCITY]),
        &single("damper", &[ACTUATOR, DRIVE, VELOCITY]),
        &single("cylinder", &[ACTUATOR, DRIVE, CTRL_LIMITED, CYLINDER]),
        &single("muscle", &[ACTUATOR, DRIVE, CTRL_LIMITED, MUSCLE]),
        &single("adhesion", &[ACTUATOR, ADHESION]),
    ],
);
