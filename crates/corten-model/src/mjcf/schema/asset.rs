//! Assets and skins.

use super::attributes::{ID, MATERIAL, NAME};
use super::{Names, PLUGIN, Rule, inner, leaf, names, refused};

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

pub(super) static DEFORMABLE: Rule =
    inner("deformable", &[], &[&refused("flex", "flex"), &inner("skin", &[SKIN], &[&BONE])]);
