//! Actuators.

use super::attributes::{
    ACTUATOR, ADHESION, BODY_TARGET, CTRL_LIMITED, CYLINDER, DRIVE, GAIN_MODEL, GENERAL, ID,
    INTVELOCITY, MUSCLE, POSITION, SITE_TARGET, TARGET, VELOCITY,
};
use super::{CONFIG, Rule, inner, leaf, names};

pub(super) static ACTUATORS: Rule = inner(
    "actuator",
    &[],
    &[
        &leaf(
            "general",
            &[
                ID,
                ACTUATOR,
                DRIVE,
                CTRL_LIMITED,
                TARGET,
                SITE_TARGET,
                BODY_TARGET,
                GENERAL,
                GAIN_MODEL,
            ],
        ),
        &leaf("motor", &[ID, ACTUATOR, DRIVE, CTRL_LIMITED, TARGET, SITE_TARGET]),
        &leaf("position", &[ID, ACTUATOR, DRIVE, CTRL_LIMITED, TARGET, SITE_TARGET, POSITION]),
        &leaf("velocity", &[ID, ACTUATOR, DRIVE, CTRL_LIMITED, TARGET, SITE_TARGET, VELOCITY]),
        &leaf(
            "intvelocity",
            &[ID, ACTUATOR, DRIVE, CTRL_LIMITED, TARGET, SITE_TARGET, INTVELOCITY],
        ),
        &leaf("damper", &[ID, ACTUATOR, DRIVE, TARGET, SITE_TARGET, VELOCITY]),
        &leaf("cylinder", &[ID, ACTUATOR, DRIVE, CTRL_LIMITED, TARGET, SITE_TARGET, CYLINDER]),
        &leaf("muscle", &[ID, ACTUATOR, DRIVE, CTRL_LIMITED, TARGET, MUSCLE, names![tausmooth]]),
        &leaf("adhesion", &[ID, ACTUATOR, BODY_TARGET, ADHESION]),
        &inner(
            "plugin",
            &[
                ID,
                names![
                    plugin instance group ctrllimited forcelimited actlimited ctrlrange forcerange
                    actrange lengthrange gear cranklength joint jointinparent site actdim dyntype
                    dynprm tendon cranksite slidersite user actearly
                ],
            ],
            &[&CONFIG],
        ),
    ],
);
