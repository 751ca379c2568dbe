//! The tree of bodies.

use super::attributes::{
    CAMERA, COMPLIANCE, FLEX_CONTACT, FLEX_ELASTICITY, FLEX_LAWS, GEOM, ID, JOINT, LIGHT, NAME,
    POSE, SITE,
};
use super::{PLUGIN, Rule, inner, leaf, names, single};

pub(super) static BODY: Rule =
    inner("body", &[NAME, POSE, names![childclass mocap gravcomp sleep user]], &BODY_CHILDREN);

pub(super) static FRAME: Rule =
    Rule { unchecked: true, ..inner("frame", &[NAME, POSE, names![childclass]], &BODY_CHILDREN) };

pub(super) static REPLICATE: Rule = Rule {
    unchecked: true,
    ..inner("replicate", &[names![count offset euler sep childclass]], &BODY_CHILDREN)
};

pub(super) static INERTIAL: Rule =
    single("inertial", &[POSE, names![mass diaginertia fullinertia]]);

pub(super) static BODY_JOINT: Rule = leaf("joint", &[ID, JOINT]);

pub(super) static FREEJOINT: Rule = leaf("freejoint", &[NAME, names![group align]]);

pub(super) static BODY_GEOM: Rule = inner("geom", &[ID, POSE, GEOM, COMPLIANCE], &[&PLUGIN]);

pub(super) static BODY_SITE: Rule = leaf("site", &[ID, POSE, SITE]);

pub(super) static BODY_CAMERA: Rule = leaf("camera", &[ID, POSE, CAMERA, names![target]]);

pub(super) static BODY_LIGHT: Rule = leaf("light", &[ID, LIGHT, names![target texture]]);

pub(super) static ATTACH: Rule = leaf("attach", &[names![model body prefix]]);

pub(super) static FLEXCOMP: Rule = inner(
    "flexcomp",
    &[
        NAME,
        POSE,
        names![
            type group dim dof count spacing radius rigid mass inertiabox scale file point element
            texcoord material rgba flatskin origin
        ],
        FLEX_LAWS,
    ],
    &[
        &single("edge", &[names![equality solref solimp stiffness damping]]),
        &single("elasticity", &[FLEX_ELASTICITY]),
        &single("contact", &[FLEX_CONTACT]),
        &leaf("pin", &[names![id range grid gridrange]]),
        &PLUGIN,
    ],
);

/// A body of particles.
pub(super) static DEFORMABLE_BODY: Rule = leaf(
    "cortenforge:deformable",
    &[names![name type preset count spacing pos end radius pin weave twist]],
);

pub(super) static BODY_CHILDREN: [&Rule; 15] = [
    &BODY,
    &FRAME,
    &REPLICATE,
    &INERTIAL,
    &BODY_JOINT,
    &FREEJOINT,
    &BODY_GEOM,
    &BODY_SITE,
    &BODY_CAMERA,
    &BODY_LIGHT,
    &ATTACH,
    &PLUGIN,
    &COMPOSITE,
    &FLEXCOMP,
    &DEFORMABLE_BODY,
];

pub(super) static COMPOSITE: Rule = inner(
    "composite",
    &[names![prefix type count offset vertex initial curve size quat]],
    &[
        &leaf(
            "joint",
            &[names![
                kind group stiffness damping armature solreffix solimpfix type axis limited
                range margin solreflimit solimplimit frictionloss solreffriction solimpfriction
            ]],
        ),
        &single("skin", &[names![texcoord material group rgba inflate subgrid]]),
        &single(
            "geom",
            &[names![
                type contype conaffinity condim group priority size material rgba friction mass
                density solmix solref solimp margin gap
            ]],
        ),
        &single("site", &[names![group size material rgba]]),
        &PLUGIN,
    ],
);
