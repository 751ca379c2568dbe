//! Contacts, equality constraints and tendons.

use super::attributes::{COMPLIANCE, EQUALITY, ID, NAME, PAIR, TENDON, TENDON_FORCE, TENDON_LOOK};
use super::{BASE, Names, Rule, inner, leaf, names, refused};
use crate::enums::EqualityType;
use crate::equality::EqualityForm;

pub(super) static CONTACT: Rule = inner(
    "contact",
    &[],
    &[
        &leaf("pair", &[ID, PAIR, COMPLIANCE, names![geom1 geom2]]),
        &leaf("exclude", &[NAME, names![body1 body2]]),
    ],
);

const COUNT: usize = EqualityType::ALL.len();

/// Attributes of each equality constraint.
static ATTRIBUTES: [[Names; 3]; COUNT] = {
    let mut attributes: [[Names; 3]; COUNT] = [[ID, EQUALITY, &[]]; COUNT];
    let mut i = 0;
    while i < COUNT {
        attributes[i][2] = EqualityType::ALL[i].info().attributes;
        i += 1;
    }
    attributes
};

static RULES: [Rule; COUNT] = {
    let mut rules = [const { BASE }; COUNT];
    let mut i = 0;
    while i < COUNT {
        let equality = EqualityType::ALL[i].info();
        rules[i] = match equality.form {
            EqualityForm::Removed => refused(
                equality.xml_name,
                "distance equality constraints, which MuJoCo 2.2.2 removed",
            ),
            _ => leaf(equality.xml_name, &ATTRIBUTES[i]),
        };
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

pub(super) static EQUALITIES: Rule = inner("equality", &[], &CHILDREN);

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
