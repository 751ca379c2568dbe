//! Contacts, equality constraints and tendons.

use super::attributes::{EQUALITY, ID, NAME, PAIR, TENDON, TENDON_FORCE, TENDON_LOOK};
use super::{Names, Rule, inner, leaf, names, refused};
use crate::enums::EqualityType;

pub(super) static CONTACT: Rule = inner(
    "contact",
    &[],
    &[
        &leaf("pair", &[ID, PAIR, names![geom1 geom2]]),
        &leaf("exclude", &[NAME, names![body1 body2]]),
    ],
);

const FRAMES: Names = names![body1 body2 anchor site1 site2];

pub(super) static EQUALITIES: Rule = inner(
    "equality",
    &[],
    &[
        &const { equality(EqualityType::Connect) },
        &const { equality(EqualityType::Weld) },
        &const { equality(EqualityType::Joint) },
        &const { equality(EqualityType::Tendon) },
        &const { equality(EqualityType::Flex) },
        &const { equality(EqualityType::Distance) },
    ],
);

const fn equality(kind: EqualityType) -> Rule {
    let name = kind.info().xml_name;
    match kind {
        EqualityType::Connect => leaf(name, &[ID, EQUALITY, FRAMES]),
        EqualityType::Weld => leaf(name, &[ID, EQUALITY, FRAMES, names![relpose torquescale]]),
        EqualityType::Joint => leaf(name, &[ID, EQUALITY, names![joint1 joint2 polycoef]]),
        EqualityType::Tendon => leaf(name, &[ID, EQUALITY, names![tendon1 tendon2 polycoef]]),
        EqualityType::Flex => leaf(name, &[ID, EQUALITY, names![flex]]),
        EqualityType::Distance => {
            refused(name, "distance equality constraints, which MuJoCo 2.2.2 removed")
        }
    }
}

pub(super) static TENDONS: Rule = inner(
    "tendon",
    &[],
    &[
        &inner(
            "spatial",
            &[ID, TENDON, TENDON_LOOK, TENDON_FORCE],
            &[
                &leaf("site", &[names![site]]),
                &leaf("geom", &[names![geom sidesite]]),
                &leaf("pulley", &[names![divisor]]),
            ],
        ),
        &inner("fixed", &[ID, TENDON, TENDON_FORCE], &[&leaf("joint", &[names![joint coef]])]),
    ],
);
