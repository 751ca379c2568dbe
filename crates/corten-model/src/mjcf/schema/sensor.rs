//! Sensors, from their table.

use super::attributes::{NAME, OBJECT};
use super::{BASE, CONFIG, Groups, Names, Rule, inner, leaf, names};
use crate::enums::SensorType;
use crate::sensor::{Attachment, Target};

const SENSOR: Names = names![name cutoff noise user];

const TWO_GEOMS: Names = names![geom1 geom2 body1 body2];

/// The attributes of a sensor, by what it is attached to.
const fn attributes(attachment: Attachment) -> Groups {
    match attachment {
        Attachment::Nothing => &[SENSOR],
        Attachment::Plugin => {
            &[names![name plugin instance cutoff objtype objname reftype refname user]]
        }
        Attachment::One(Target::Site) => &[SENSOR, names![site]],
        Attachment::One(Target::ScalarJoint | Target::BallJoint | Target::LimitedJoint) => {
            &[SENSOR, names![joint]]
        }
        Attachment::One(Target::Tendon | Target::LimitedTendon) => &[SENSOR, names![tendon]],
        Attachment::One(Target::Actuator) => &[SENSOR, names![actuator]],
        Attachment::One(Target::Subtree) => &[SENSOR, names![body]],
        Attachment::Frame { relative: true } => &[SENSOR, OBJECT, names![reftype refname]],
        Attachment::Frame { relative: false } => &[SENSOR, OBJECT],
        Attachment::CamProjection => &[SENSOR, names![site camera]],
        Attachment::InsideSite => &[SENSOR, OBJECT, names![site]],
        Attachment::Distance => &[SENSOR, TWO_GEOMS],
        Attachment::Contact => &[SENSOR, TWO_GEOMS, names![subtree1 subtree2 site num data reduce]],
        Attachment::Tactile => &[NAME, names![geom mesh user]],
        Attachment::User => &[SENSOR, OBJECT, names![datatype needstage dim]],
    }
}

const COUNT: usize = SensorType::ALL.len();

static RULES: [Rule; COUNT] = {
    let mut rules = [const { BASE }; COUNT];
    let mut i = 0;
    while i < COUNT {
        let sensor = SensorType::ALL[i].info();
        rules[i] = leaf(sensor.xml_name, attributes(sensor.attachment));
        if matches!(sensor.attachment, Attachment::Plugin) {
            rules[i].children = &[&CONFIG];
        }
        i += 1;
    }
    rules
};

static CHILDREN: [&Rule; COUNT] = {
    let mut children = [&RULES[0]; COUNT];
    let mut i = 0;
    while i < COUNT {
        children[i] = &RULES[i];
        i += 1;
    }
    children
};

pub(super) static SENSORS: Rule = inner("sensor", &[], &CHILDREN);
