//! Sensors.

use super::attributes::{NAME, OBJECT};
use super::{Names, PLUGIN, Rule, inner, leaf, names};

pub(super) const SENSOR: Names = names![name cutoff noise user];

pub(super) const REFERENCE: Names = names![reftype refname];

pub(super) const TWO_GEOMS: Names = names![geom1 geom2 body1 body2];

pub(super) static SENSORS: Rule = inner(
    "sensor",
    &[],
    &[
        &leaf("touch", &[SENSOR, names![site]]),
        &leaf("accelerometer", &[SENSOR, names![site]]),
        &leaf("velocimeter", &[SENSOR, names![site]]),
        &leaf("gyro", &[SENSOR, names![site]]),
        &leaf("force", &[SENSOR, names![site]]),
        &leaf("torque", &[SENSOR, names![site]]),
        &leaf("magnetometer", &[SENSOR, names![site]]),
        &leaf("camprojection", &[SENSOR, names![site camera]]),
        &leaf("rangefinder", &[SENSOR, names![site]]),
        &leaf("jointpos", &[SENSOR, names![joint]]),
        &leaf("jointvel", &[SENSOR, names![joint]]),
        &leaf("tendonpos", &[SENSOR, names![tendon]]),
        &leaf("tendonvel", &[SENSOR, names![tendon]]),
        &leaf("actuatorpos", &[SENSOR, names![actuator]]),
        &leaf("actuatorvel", &[SENSOR, names![actuator]]),
        &leaf("actuatorfrc", &[SENSOR, names![actuator]]),
        &leaf("jointactuatorfrc", &[SENSOR, names![joint]]),
        &leaf("tendonactuatorfrc", &[SENSOR, names![tendon]]),
        &leaf("ballquat", &[SENSOR, names![joint]]),
        &leaf("ballangvel", &[SENSOR, names![joint]]),
        &leaf("jointlimitpos", &[SENSOR, names![joint]]),
        &leaf("jointlimitvel", &[SENSOR, names![joint]]),
        &leaf("jointlimitfrc", &[SENSOR, names![joint]]),
        &leaf("tendonlimitpos", &[SENSOR, names![tendon]]),
        &leaf("tendonlimitvel", &[SENSOR, names![tendon]]),
        &leaf("tendonlimitfrc", &[SENSOR, names![tendon]]),
        &leaf("framepos", &[SENSOR, OBJECT, REFERENCE]),
        &leaf("framequat", &[SENSOR, OBJECT, REFERENCE]),
        &leaf("framexaxis", &[SENSOR, OBJECT, REFERENCE]),
        &leaf("frameyaxis", &[SENSOR, OBJECT, REFERENCE]),
        &leaf("framezaxis", &[SENSOR, OBJECT, REFERENCE]),
        &leaf("framelinvel", &[SENSOR, OBJECT, REFERENCE]),
        &leaf("frameangvel", &[SENSOR, OBJECT, REFERENCE]),
        &leaf("framelinacc", &[SENSOR, OBJECT]),
        &leaf("frameangacc", &[SENSOR, OBJECT]),
        &leaf("subtreecom", &[SENSOR, names![body]]),
        &leaf("subtreelinvel", &[SENSOR, names![body]]),
        &leaf("subtreeangmom", &[SENSOR, names![body]]),
        &leaf("insidesite", &[SENSOR, OBJECT, names![site]]),
        &leaf("distance", &[SENSOR, TWO_GEOMS]),
        &leaf("normal", &[SENSOR, TWO_GEOMS]),
        &leaf("fromto", &[SENSOR, TWO_GEOMS]),
        &leaf("contact", &[SENSOR, TWO_GEOMS, names![subtree1 subtree2 site num data reduce]]),
        &leaf("e_potential", &[SENSOR]),
        &leaf("e_kinetic", &[SENSOR]),
        &leaf("clock", &[SENSOR]),
        &leaf("user", &[SENSOR, OBJECT, names![datatype needstage dim]]),
        &leaf("tactile", &[NAME, names![geom mesh user]]),
        &PLUGIN,
    ],
);
