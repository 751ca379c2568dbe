//! Assets and skins.

use super::attributes::{FLEX_CONTACT, FLEX_ELASTICITY, FLEX_LAWS, ID, MATERIAL, NAME};
use super::{Names, PLUGIN, Rule, inner, leaf, names, single};

pub(super) static LAYER: Rule = leaf("layer", &[names![texture role]]);

pub(super) const SKIN: Names = names![name file material rgba inflate vertex texcoord face group];

pub(super) static BONE: Rule = leaf("bone", &[names![body bindpos bindquat vertid vertweight]]);

pub(super) static ASSET: Rule = inner(
    "asset",
    &[],
    &[
        &inner(
            "mesh",
            &[
                ID,
                names![
                    content_type file vertex normal texcoord face refpos refquat scale
                    smoothnormal maxhullvert inertia builtin params material
                ],
            ],
            &[&PLUGIN],
        ),
        &leaf("hfield", &[NAME, names![content_type file nrow ncol size elevation]]),
        &inner("skin", &[SKIN], &[&BONE]),
        &leaf(
            "texture",
            &[
                NAME,
                names![
                    type colorspace content_type file gridsize gridlayout fileright fileleft
                    fileup filedown filefront fileback builtin rgb1 rgb2 mark markrgb random
                    width height hflip vflip nchannel
                ],
            ],
        ),
        &inner("material", &[ID, MATERIAL], &[&LAYER]),
        &leaf("model", &[NAME, names![file content_type]]),
    ],
);

pub(super) static FLEX: Rule = inner(
    "flex",
    &[
        names![
            name group dim radius material rgba flatskin body vertex element texcoord elemtexcoord
            node
        ],
        // Positions of nodes, which MuJoCo has in its specs but not in its files.
        &["cortenforge:nodepos"],
        FLEX_LAWS,
    ],
    &[
        &single("contact", &[FLEX_CONTACT]),
        &single("edge", &[names![stiffness damping]]),
        &single("elasticity", &[FLEX_ELASTICITY]),
    ],
);

pub(super) static DEFORMABLE: Rule =
    inner("deformable", &[], &[&FLEX, &inner("skin", &[SKIN], &[&BONE])]);
