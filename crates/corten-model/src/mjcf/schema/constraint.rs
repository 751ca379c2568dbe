//! Contacts, equality constraints and tendons.

use super::attributes::{EQUALITY, ID, NAME, PAIR, TENDON, TENDON_FORCE, TENDON_LOOK};
use super::{Rule, inner, leaf, names, refused};

pub(super) static CONTACT: Rule = inner(
    "contact",
    &[],
    &[
        &leaf("pair", &[ID, PAIR, names![geom1 geom2]]),
        &leaf("exclude", &[NAME, names![body1 body2]]),
    ],
);

pub(super) static EQUALITIES: Rule = inner(
    "equality",
    &[],
    &[
        &leaf("connect", &[ID, EQUALITY, names![body1 body2 anchor site1 site2]]),
        &leaf("weld", &[ID, EQUALITY, names![body1 body2 relpose anchor site1 site2 torquescale]]),
        &leaf("joint", &[ID, EQUALITY, names![joint1 joint2 polycoef]]),
        &leaf("tendon", &[ID, EQUALITY, names![tendon1 tendon2 polycoef]]),
        &refused("flex", "flex"),
        &refused("distance", "distance equality constraints, which MuJoCo 2.2.2 removed"),
    ],
);

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
