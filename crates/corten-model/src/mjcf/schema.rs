//! The grammar of MJCF: which elements and attributes may stand where, and how often.
//!
//! The grammar is closed: what it does not list is an error, with the nearest listed name as
//! advice. Elements of features that are not supported are known by name.

use super::forest::Elem;
use crate::diagnostic::{Diagnostic, Diagnostics, closest};
use crate::xml::MAX_DEPTH;

/// Prefix of attributes that only this engine knows.
const EXTENSION_PREFIX: &str = "cortenforge:";

/// What may stand in place of one element.
pub struct Rule {
    name: &'static str,
    /// At most one among its siblings.
    unique: bool,
    /// Allowed attributes, in groups.
    attrs: &'static [&'static [&'static str]],
    children: &'static [&'static Rule],
    /// The feature this element belongs to, if it is not supported.
    unsupported: Option<&'static str>,
    /// MuJoCo checks neither this element nor what is inside, so an unknown attribute is a
    /// warning rather than an error.
    unchecked: bool,
}

const BASE: Rule = Rule {
    name: "",
    unique: false,
    attrs: &[],
    children: &[],
    unsupported: None,
    unchecked: false,
};

type Groups = &'static [&'static [&'static str]];
type Children = &'static [&'static Rule];

/// Any number of times, without children.
const fn leaf(name: &'static str, attrs: Groups) -> Rule {
    Rule { name, attrs, ..BASE }
}
/// At most once, without children.
const fn single(name: &'static str, attrs: Groups) -> Rule {
    Rule { name, attrs, unique: true, ..BASE }
}
/// Any number of times, with children.
const fn inner(name: &'static str, attrs: Groups, children: Children) -> Rule {
    Rule { name, attrs, children, ..BASE }
}
const fn refused(name: &'static str, feature: &'static str) -> Rule {
    Rule { name, unsupported: Some(feature), ..BASE }
}

type Names = &'static [&'static str];
const ID: Names = &["name", "class"];
const NAME: Names = &["name"];
const POSE: Names = &["pos", "quat", "axisangle", "xyaxes", "zaxis", "euler"];

const JOINT: Names = &[
    "type",
    "group",
    "pos",
    "axis",
    "springdamper",
    "limited",
    "actuatorfrclimited",
    "solreflimit",
    "solimplimit",
    "solreffriction",
    "solimpfriction",
    "stiffness",
    "range",
    "actuatorfrcrange",
    "actuatorgravcomp",
    "margin",
    "ref",
    "springref",
    "armature",
    "damping",
    "frictionloss",
    "user",
];
const GEOM: Names = &[
    "type",
    "contype",
    "conaffinity",
    "condim",
    "group",
    "priority",
    "size",
    "material",
    "friction",
    "mass",
    "density",
    "shellinertia",
    "solmix",
    "solref",
    "solimp",
    "margin",
    "gap",
    "fromto",
    "hfield",
    "mesh",
    "fitscale",
    "rgba",
    "fluidshape",
    "fluidcoef",
    "user",
];
const SITE: Names = &["type", "group", "material", "size", "fromto", "rgba", "user"];
const CAMERA: Names = &[
    "orthographic",
    "fovy",
    "ipd",
    "resolution",
    "mode",
    "focal",
    "focalpixel",
    "principal",
    "principalpixel",
    "sensorsize",
    "user",
];
const LIGHT: Names = &[
    "pos",
    "dir",
    "bulbradius",
    "intensity",
    "range",
    "directional",
    "type",
    "castshadow",
    "active",
    "attenuation",
    "cutoff",
    "exponent",
    "ambient",
    "diffuse",
    "specular",
    "mode",
];
const MATERIAL: Names = &[
    "texture",
    "emission",
    "specular",
    "shininess",
    "reflectance",
    "metallic",
    "roughness",
    "rgba",
    "texrepeat",
    "texuniform",
];
const PAIR: Names = &["condim", "friction", "solref", "solreffriction", "solimp", "gap", "margin"];
const EQUALITY: Names = &["active", "solref", "solimp"];
const TENDON: Names = &[
    "group",
    "limited",
    "range",
    "solreflimit",
    "solimplimit",
    "solreffriction",
    "solimpfriction",
    "frictionloss",
    "springlength",
    "margin",
    "stiffness",
    "damping",
    "user",
];
const TENDON_LOOK: Names = &["width", "material", "rgba"];
const TENDON_FORCE: Names = &["actuatorfrclimited", "actuatorfrcrange", "armature"];

/// Attributes that every actuator has.
const ACTUATOR: Names = &["forcelimited", "ctrlrange", "forcerange", "user", "group"];
const DRIVE: Names = &["gear", "cranklength"];
const CTRL_LIMITED: Names = &["ctrllimited"];
const TARGET: Names =
    &["joint", "jointinparent", "tendon", "slidersite", "cranksite", "lengthrange"];
const SITE_TARGET: Names = &["site", "refsite"];
const BODY_TARGET: Names = &["body"];
const GENERAL: Names = &[
    "actlimited",
    "actrange",
    "actdim",
    "dyntype",
    "gaintype",
    "biastype",
    "dynprm",
    "gainprm",
    "biasprm",
    "actearly",
];
const POSITION: Names = &["inheritrange", "kp", "kv", "dampratio", "timeconst"];
const VELOCITY: Names = &["kv"];
const INTVELOCITY: Names = &["actrange", "inheritrange", "kp", "kv", "dampratio"];
const CYLINDER: Names = &["timeconst", "area", "diameter", "bias"];
const MUSCLE: Names =
    &["timeconst", "range", "force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"];
const ADHESION: Names = &["gain"];

const SENSOR: Names = &["name", "cutoff", "noise", "user"];
const OBJECT: Names = &["objtype", "objname"];
const REFERENCE: Names = &["reftype", "refname"];
const TWO_GEOMS: Names = &["geom1", "geom2", "body1", "body2"];
const SKIN: Names =
    &["name", "file", "material", "rgba", "inflate", "vertex", "texcoord", "face", "group"];

static LAYER: Rule = leaf("layer", &[&["texture", "role"]]);
static PLUGIN: Rule = refused("plugin", "plugin");
static BONE: Rule = leaf("bone", &[&["body", "bindpos", "bindquat", "vertid", "vertweight"]]);

static DEFAULT: Rule = inner(
    "default",
    &[&["class"]],
    &[
        &DEFAULT,
        &single("mesh", &[&["scale", "maxhullvert", "inertia"]]),
        &Rule { unique: true, ..inner("material", &[MATERIAL], &[&LAYER]) },
        &single("joint", &[JOINT]),
        &single("geom", &[POSE, GEOM]),
        &single("site", &[POSE, SITE]),
        &single("camera", &[POSE, CAMERA]),
        &single("light", &[LIGHT]),
        &single("pair", &[PAIR]),
        &single("equality", &[EQUALITY]),
        &single("tendon", &[TENDON, TENDON_LOOK]),
        &single("general", &[ACTUATOR, DRIVE, CTRL_LIMITED, GENERAL]),
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

static COMPOSITE: Rule = inner(
    "composite",
    &[&["prefix", "type", "count", "offset", "vertex", "initial", "curve", "size", "quat"]],
    &[
        &leaf(
            "joint",
            &[&[
                "kind",
                "group",
                "stiffness",
                "damping",
                "armature",
                "solreffix",
                "solimpfix",
                "type",
                "axis",
                "limited",
                "range",
                "margin",
                "solreflimit",
                "solimplimit",
                "frictionloss",
                "solreffriction",
                "solimpfriction",
            ]],
        ),
        &single("skin", &[&["texcoord", "material", "group", "rgba", "inflate", "subgrid"]]),
        &single(
            "geom",
            &[&[
                "type",
                "contype",
                "conaffinity",
                "condim",
                "group",
                "priority",
                "size",
                "material",
                "rgba",
                "friction",
                "mass",
                "density",
                "solmix",
                "solref",
                "solimp",
                "margin",
                "gap",
            ]],
        ),
        &single("site", &[&["group", "size", "material", "rgba"]]),
        &PLUGIN,
    ],
);

static BODY: Rule = inner(
    "body",
    &[NAME, POSE, &["childclass", "mocap", "gravcomp", "sleep", "user"]],
    &BODY_CHILDREN,
);
static FRAME: Rule =
    Rule { unchecked: true, ..inner("frame", &[NAME, POSE, &["childclass"]], &BODY_CHILDREN) };
static REPLICATE: Rule = Rule {
    unchecked: true,
    ..inner("replicate", &[&["count", "offset", "euler", "sep", "childclass"]], &BODY_CHILDREN)
};
static INERTIAL: Rule = single("inertial", &[POSE, &["mass", "diaginertia", "fullinertia"]]);
static BODY_JOINT: Rule = leaf("joint", &[ID, JOINT]);
static FREEJOINT: Rule = leaf("freejoint", &[NAME, &["group", "align"]]);
static BODY_GEOM: Rule = inner("geom", &[ID, POSE, GEOM], &[&PLUGIN]);
static BODY_SITE: Rule = leaf("site", &[ID, POSE, SITE]);
static BODY_CAMERA: Rule = leaf("camera", &[ID, POSE, CAMERA, &["target"]]);
static BODY_LIGHT: Rule = leaf("light", &[ID, LIGHT, &["target", "texture"]]);
static ATTACH: Rule = leaf("attach", &[&["model", "body", "prefix"]]);
static FLEXCOMP: Rule = refused("flexcomp", "flex");

static BODY_CHILDREN: [&Rule; 14] = [
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
];

static VISUAL: Rule = inner(
    "visual",
    &[],
    &[
        &single(
            "global",
            &[&[
                "cameraid",
                "orthographic",
                "fovy",
                "ipd",
                "azimuth",
                "elevation",
                "linewidth",
                "glow",
                "offwidth",
                "offheight",
                "realtime",
                "ellipsoidinertia",
                "bvactive",
            ]],
        ),
        &single("quality", &[&["shadowsize", "offsamples", "numslices", "numstacks", "numquads"]]),
        &single("headlight", &[&["ambient", "diffuse", "specular", "active"]]),
        &single(
            "map",
            &[&[
                "stiffness",
                "stiffnessrot",
                "force",
                "torque",
                "alpha",
                "fogstart",
                "fogend",
                "znear",
                "zfar",
                "haze",
                "shadowclip",
                "shadowscale",
                "actuatortendon",
            ]],
        ),
        &single(
            "scale",
            &[&[
                "forcewidth",
                "contactwidth",
                "contactheight",
                "connect",
                "com",
                "camera",
                "light",
                "selectpoint",
                "jointlength",
                "jointwidth",
                "actuatorlength",
                "actuatorwidth",
                "framelength",
                "framewidth",
                "constraint",
                "slidercrank",
                "frustum",
            ]],
        ),
        &single(
            "rgba",
            &[&[
                "fog",
                "haze",
                "force",
                "inertia",
                "joint",
                "actuator",
                "actuatornegative",
                "actuatorpositive",
                "com",
                "camera",
                "light",
                "selectpoint",
                "connect",
                "contactpoint",
                "contactforce",
                "contactfriction",
                "contacttorque",
                "contactgap",
                "rangefinder",
                "constraint",
                "slidercrank",
                "crankbroken",
                "frustum",
                "bv",
                "bvactive",
            ]],
        ),
    ],
);

static ASSET: Rule = inner(
    "asset",
    &[],
    &[
        &inner(
            "mesh",
            &[
                ID,
                &[
                    "content_type",
                    "file",
                    "vertex",
                    "normal",
                    "texcoord",
                    "face",
                    "refpos",
                    "refquat",
                    "scale",
                    "smoothnormal",
                    "maxhullvert",
                    "inertia",
                    "builtin",
                    "params",
                    "material",
                ],
            ],
            &[&PLUGIN],
        ),
        &leaf("hfield", &[NAME, &["content_type", "file", "nrow", "ncol", "size", "elevation"]]),
        &inner("skin", &[SKIN], &[&BONE]),
        &leaf(
            "texture",
            &[
                NAME,
                &[
                    "type",
                    "colorspace",
                    "content_type",
                    "file",
                    "gridsize",
                    "gridlayout",
                    "fileright",
                    "fileleft",
                    "fileup",
                    "filedown",
                    "filefront",
                    "fileback",
                    "builtin",
                    "rgb1",
                    "rgb2",
                    "mark",
                    "markrgb",
                    "random",
                    "width",
                    "height",
                    "hflip",
                    "vflip",
                    "nchannel",
                ],
            ],
        ),
        &inner("material", &[ID, MATERIAL], &[&LAYER]),
        &leaf("model", &[NAME, &["file", "content_type"]]),
    ],
);

static EQUALITIES: Rule = inner(
    "equality",
    &[],
    &[
        &leaf("connect", &[ID, EQUALITY, &["body1", "body2", "anchor", "site1", "site2"]]),
        &leaf(
            "weld",
            &[
                ID,
                EQUALITY,
                &["body1", "body2", "relpose", "anchor", "site1", "site2", "torquescale"],
            ],
        ),
        &leaf("joint", &[ID, EQUALITY, &["joint1", "joint2", "polycoef"]]),
        &leaf("tendon", &[ID, EQUALITY, &["tendon1", "tendon2", "polycoef"]]),
        &refused("flex", "flex"),
        &refused("distance", "distance equality constraints, which MuJoCo 2.2.2 removed"),
    ],
);

static TENDONS: Rule = inner(
    "tendon",
    &[],
    &[
        &inner(
            "spatial",
            &[ID, TENDON, TENDON_LOOK, TENDON_FORCE],
            &[
                &leaf("site", &[&["site"]]),
                &leaf("geom", &[&["geom", "sidesite"]]),
                &leaf("pulley", &[&["divisor"]]),
            ],
        ),
        &inner("fixed", &[ID, TENDON, TENDON_FORCE], &[&leaf("joint", &[&["joint", "coef"]])]),
    ],
);

static ACTUATORS: Rule = inner(
    "actuator",
    &[],
    &[
        &leaf(
            "general",
            &[ID, ACTUATOR, DRIVE, CTRL_LIMITED, TARGET, SITE_TARGET, BODY_TARGET, GENERAL],
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
        &leaf("muscle", &[ID, ACTUATOR, DRIVE, CTRL_LIMITED, TARGET, MUSCLE, &["tausmooth"]]),
        &leaf("adhesion", &[ID, ACTUATOR, BODY_TARGET, ADHESION]),
        &PLUGIN,
    ],
);

static SENSORS: Rule = inner(
    "sensor",
    &[],
    &[
        &leaf("touch", &[SENSOR, &["site"]]),
        &leaf("accelerometer", &[SENSOR, &["site"]]),
        &leaf("velocimeter", &[SENSOR, &["site"]]),
        &leaf("gyro", &[SENSOR, &["site"]]),
        &leaf("force", &[SENSOR, &["site"]]),
        &leaf("torque", &[SENSOR, &["site"]]),
        &leaf("magnetometer", &[SENSOR, &["site"]]),
        &leaf("camprojection", &[SENSOR, &["site", "camera"]]),
        &leaf("rangefinder", &[SENSOR, &["site"]]),
        &leaf("jointpos", &[SENSOR, &["joint"]]),
        &leaf("jointvel", &[SENSOR, &["joint"]]),
        &leaf("tendonpos", &[SENSOR, &["tendon"]]),
        &leaf("tendonvel", &[SENSOR, &["tendon"]]),
        &leaf("actuatorpos", &[SENSOR, &["actuator"]]),
        &leaf("actuatorvel", &[SENSOR, &["actuator"]]),
        &leaf("actuatorfrc", &[SENSOR, &["actuator"]]),
        &leaf("jointactuatorfrc", &[SENSOR, &["joint"]]),
        &leaf("tendonactuatorfrc", &[SENSOR, &["tendon"]]),
        &leaf("ballquat", &[SENSOR, &["joint"]]),
        &leaf("ballangvel", &[SENSOR, &["joint"]]),
        &leaf("jointlimitpos", &[SENSOR, &["joint"]]),
        &leaf("jointlimitvel", &[SENSOR, &["joint"]]),
        &leaf("jointlimitfrc", &[SENSOR, &["joint"]]),
        &leaf("tendonlimitpos", &[SENSOR, &["tendon"]]),
        &leaf("tendonlimitvel", &[SENSOR, &["tendon"]]),
        &leaf("tendonlimitfrc", &[SENSOR, &["tendon"]]),
        &leaf("framepos", &[SENSOR, OBJECT, REFERENCE]),
        &leaf("framequat", &[SENSOR, OBJECT, REFERENCE]),
        &leaf("framexaxis", &[SENSOR, OBJECT, REFERENCE]),
        &leaf("frameyaxis", &[SENSOR, OBJECT, REFERENCE]),
        &leaf("framezaxis", &[SENSOR, OBJECT, REFERENCE]),
        &leaf("framelinvel", &[SENSOR, OBJECT, REFERENCE]),
        &leaf("frameangvel", &[SENSOR, OBJECT, REFERENCE]),
        &leaf("framelinacc", &[SENSOR, OBJECT]),
        &leaf("frameangacc", &[SENSOR, OBJECT]),
        &leaf("subtreecom", &[SENSOR, &["body"]]),
        &leaf("subtreelinvel", &[SENSOR, &["body"]]),
        &leaf("subtreeangmom", &[SENSOR, &["body"]]),
        &leaf("insidesite", &[SENSOR, OBJECT, &["site"]]),
        &leaf("distance", &[SENSOR, TWO_GEOMS]),
        &leaf("normal", &[SENSOR, TWO_GEOMS]),
        &leaf("fromto", &[SENSOR, TWO_GEOMS]),
        &leaf(
            "contact",
            &[SENSOR, TWO_GEOMS, &["subtree1", "subtree2", "site", "num", "data", "reduce"]],
        ),
        &leaf("e_potential", &[SENSOR]),
        &leaf("e_kinetic", &[SENSOR]),
        &leaf("clock", &[SENSOR]),
        &leaf("user", &[SENSOR, OBJECT, &["datatype", "needstage", "dim"]]),
        &leaf("tactile", &[NAME, &["geom", "mesh", "user"]]),
        &PLUGIN,
    ],
);

static MUJOCO: Rule = inner(
    "mujoco",
    &[&["model"]],
    &[
        &inner(
            "compiler",
            &[&[
                "autolimits",
                "boundmass",
                "boundinertia",
                "settotalmass",
                "balanceinertia",
                "strippath",
                "coordinate",
                "angle",
                "fitaabb",
                "eulerseq",
                "meshdir",
                "texturedir",
                "discardvisual",
                "usethread",
                "fusestatic",
                "inertiafromgeom",
                "inertiagrouprange",
                "saveinertial",
                "assetdir",
                "alignfree",
            ]],
            &[&single(
                "lengthrange",
                &[&[
                    "mode",
                    "useexisting",
                    "uselimit",
                    "accel",
                    "maxforce",
                    "timeconst",
                    "timestep",
                    "inttotal",
                    "interval",
                    "tolrange",
                ]],
            )],
        ),
        &inner(
            "option",
            &[&[
                "timestep",
                "impratio",
                "tolerance",
                "ls_tolerance",
                "noslip_tolerance",
                "ccd_tolerance",
                "sleep_tolerance",
                "gravity",
                "wind",
                "magnetic",
                "density",
                "viscosity",
                "o_margin",
                "o_solref",
                "o_solimp",
                "o_friction",
                "integrator",
                "cone",
                "jacobian",
                "solver",
                "iterations",
                "ls_iterations",
                "noslip_iterations",
                "ccd_iterations",
                "sdf_iterations",
                "sdf_initpoints",
                "actuatorgroupdisable",
            ]],
            &[&single(
                "flag",
                &[&[
                    "constraint",
                    "equality",
                    "frictionloss",
                    "limit",
                    "contact",
                    "spring",
                    "damper",
                    "gravity",
                    "clampctrl",
                    "warmstart",
                    "filterparent",
                    "actuation",
                    "refsafe",
                    "sensor",
                    "midphase",
                    "eulerdamp",
                    "autoreset",
                    "nativeccd",
                    "island",
                    "override",
                    "energy",
                    "fwdinv",
                    "invdiscrete",
                    "multiccd",
                    "sleep",
                ]],
            )],
        ),
        &leaf(
            "size",
            &[&[
                "memory",
                "njmax",
                "nconmax",
                "nstack",
                "nuserdata",
                "nkey",
                "nuser_body",
                "nuser_jnt",
                "nuser_geom",
                "nuser_site",
                "nuser_cam",
                "nuser_tendon",
                "nuser_actuator",
                "nuser_sensor",
            ]],
        ),
        &VISUAL,
        &leaf("statistic", &[&["meaninertia", "meanmass", "meansize", "extent", "center"]]),
        &DEFAULT,
        &inner("extension", &[], &[&PLUGIN]),
        &inner(
            "custom",
            &[],
            &[
                &leaf("numeric", &[NAME, &["size", "data"]]),
                &leaf("text", &[NAME, &["data"]]),
                &inner("tuple", &[NAME], &[&leaf("element", &[OBJECT, &["prm"]])]),
            ],
        ),
        &ASSET,
        &inner("worldbody", &[], &BODY_CHILDREN),
        &inner("deformable", &[], &[&refused("flex", "flex"), &inner("skin", &[SKIN], &[&BONE])]),
        &inner(
            "contact",
            &[],
            &[
                &leaf("pair", &[ID, PAIR, &["geom1", "geom2"]]),
                &leaf("exclude", &[NAME, &["body1", "body2"]]),
            ],
        ),
        &EQUALITIES,
        &TENDONS,
        &ACTUATORS,
        &SENSORS,
        &inner(
            "keyframe",
            &[],
            &[&leaf("key", &[NAME, &["time", "qpos", "qvel", "act", "mpos", "mquat", "ctrl"]])],
        ),
    ],
);

impl Rule {
    fn allows(&self, attr: &str) -> bool {
        self.attrs.iter().any(|group| group.contains(&attr))
    }

    fn child(&self, name: &str) -> Option<&'static Rule> {
        self.children.iter().find(|rule| rule.name == name).copied()
    }
}

/// Reports everything in the tree that the grammar does not allow. Whether reading on makes
/// sense: not if the tree is too deep to walk.
pub fn check(root: Elem<'_>, diags: &mut Diagnostics) -> bool {
    Checker { diags, too_deep: false }.element(root, &MUJOCO, 0, false)
}

/// Like [`check`], for the settings that a model in another format carries along.
pub fn check_settings(elem: Elem<'_>, diags: &mut Diagnostics) -> bool {
    Checker { diags, too_deep: false }.element(elem, &MUJOCO, 0, false)
}

struct Checker<'d> {
    diags: &'d mut Diagnostics,
    too_deep: bool,
}

impl Checker<'_> {
    fn element(
        &mut self,
        elem: Elem<'_>,
        rule: &'static Rule,
        depth: usize,
        lenient: bool,
    ) -> bool {
        if depth > MAX_DEPTH {
            if !self.too_deep {
                let message = format!("elements nested more than {MAX_DEPTH} deep");
                self.diags.push(Diagnostic::error(message).at(elem.source()));
            }
            self.too_deep = true;
            return false;
        }
        let lenient = lenient || rule.unchecked;
        self.attributes(elem, rule, lenient);
        if let Some(source) = elem.text_source() {
            self.diags.push(
                Diagnostic::warning("text between elements is ignored")
                    .at(source)
                    .element(elem.name()),
            );
        }
        let mut seen: Vec<&'static str> = Vec::new();
        for child in elem.children() {
            let Some(child_rule) = rule.child(child.name()) else {
                self.unknown_element(child, elem.name(), rule);
                continue;
            };
            if let Some(feature) = child_rule.unsupported {
                self.refuse(child, feature);
                continue;
            }
            if child_rule.unique {
                if seen.contains(&child_rule.name) {
                    let message = format!("more than one '{}' in '{}'", child.name(), elem.name());
                    let item = if lenient {
                        Diagnostic::warning(message)
                    } else {
                        Diagnostic::error(message).hint("merge their attributes into one")
                    };
                    self.diags.push(item.at(child.source()).element(child.name()));
                }
                seen.push(child_rule.name);
            }
            self.element(child, child_rule, depth + 1, lenient);
        }
        !self.too_deep
    }

    fn attributes(&mut self, elem: Elem<'_>, rule: &Rule, lenient: bool) {
        for attr in elem.attrs() {
            let name = attr.name();
            if rule.allows(name) {
                continue;
            }
            let at = elem.attr_source(attr);
            let item = if name.starts_with(EXTENSION_PREFIX) {
                Diagnostic::warning(format!("extension attribute '{name}' has no effect here"))
            } else if lenient {
                Diagnostic::warning(format!("unknown attribute '{name}' is ignored"))
            } else {
                Diagnostic::error(format!("unknown attribute '{name}'"))
            };
            let known = || rule.attrs.iter().flat_map(|group| group.iter().copied());
            let mut item = item
                .at(at)
                .element(elem.name())
                .marking(name.chars().count())
                .did_you_mean(closest(name, known()));
            if rule.attrs.iter().all(|group| group.is_empty()) {
                item = item.expected("no attributes");
            } else if item.did_you_mean.is_none() {
                item = item.expected(known().collect::<Vec<_>>().join(", "));
            }
            self.diags.push(item);
        }
    }

    fn unknown_element(&mut self, elem: Elem<'_>, parent: &str, rule: &Rule) {
        let name = elem.name();
        let known = || rule.children.iter().map(|child| child.name);
        let mut item = Diagnostic::error(format!("unknown element '{name}' in '{parent}'"))
            .at(elem.source())
            .element(name)
            .marking(name.chars().count() + 1)
            .did_you_mean(closest(name, known()));
        if item.did_you_mean.is_none() {
            item = item.expected(match rule.children {
                [] => "no child elements".to_owned(),
                _ => known().collect::<Vec<_>>().join(", "),
            });
        }
        self.diags.push(item);
    }

    fn refuse(&mut self, elem: Elem<'_>, feature: &str) {
        let name = elem.name();
        let detail = match (feature, elem.attr("plugin")) {
            ("plugin", Some(attr)) => format!("plugin '{}'", attr.value()),
            _ => format!("feature '{feature}'"),
        };
        self.diags.push(
            Diagnostic::error(format!("element '{name}': {detail} is not supported"))
                .at(elem.source())
                .element(name)
                .marking(name.chars().count() + 1),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mjcf::attr::Attributes;
    use crate::spec::*;

    /// Attributes that the reader handles outside the tables.
    const SPECIAL: &[&str] = &[
        "class",
        "childclass",
        "axisangle",
        "xyaxes",
        "zaxis",
        "euler",
        "directional",
        "texture",
        "springlength",
        "joint",
        "jointinparent",
        "tendon",
        "cranksite",
        "site",
        "body",
        "inheritrange",
        "kp",
        "kv",
        "dampratio",
        "timeconst",
        "area",
        "diameter",
        "bias",
        "range",
        "force",
        "scale",
        "lmin",
        "lmax",
        "vmax",
        "fpmax",
        "fvmax",
        "tausmooth",
        "gain",
        "elevation",
        "gridlayout",
        "fileright",
        "fileleft",
        "fileup",
        "filedown",
        "filefront",
        "fileback",
        "body1",
        "body2",
        "anchor",
        "site1",
        "site2",
        "relpose",
        "torquescale",
        "joint1",
        "joint2",
        "tendon1",
        "tendon2",
        "polycoef",
        "angle",
        "strippath",
        "coordinate",
        "eulerseq",
        "assetdir",
        "memory",
        "nstack",
        "actuatorgroupdisable",
        "data",
        "camera",
        "objtype",
        "objname",
        "reftype",
        "refname",
        "actuator",
        "geom",
        "mesh",
        "geom1",
        "geom2",
        "subtree1",
        "subtree2",
        "num",
        "reduce",
        "dim",
        "needstage",
        "datatype",
    ];

    fn rule(path: &[&str]) -> &'static Rule {
        path.iter().fold(&MUJOCO, |rule, name| rule.child(name).expect(name))
    }

    /// Every attribute that the grammar allows is read by a table or by hand, and every entry
    /// of a table can occur.
    fn covered<T: Attributes>(rules: &[&'static Rule]) {
        for rule in rules {
            for attr in rule.attrs.iter().flat_map(|group| group.iter()) {
                let known = T::attr(attr).is_some() || SPECIAL.contains(attr);
                assert!(known, "'{attr}' of '{}' is not read", rule.name);
            }
        }
        for entry in T::ATTRS {
            let used = rules.iter().any(|rule| rule.allows(entry.name));
            assert!(
                used,
                "'{}' is in a table but not in the grammar of '{}'",
                entry.name, rules[0].name
            );
        }
    }

    #[test]
    fn grammar_and_tables_agree() {
        covered::<Compiler>(&[rule(&["compiler"])]);
        covered::<LengthRangeOptions>(&[rule(&["compiler", "lengthrange"])]);
        covered::<crate::Options>(&[rule(&["option"])]);
        covered::<Sizes>(&[rule(&["size"])]);
        covered::<StatisticOverride>(&[rule(&["statistic"])]);
        covered::<crate::VisualGlobal>(&[rule(&["visual", "global"])]);
        covered::<crate::VisualQuality>(&[rule(&["visual", "quality"])]);
        covered::<crate::VisualHeadlight>(&[rule(&["visual", "headlight"])]);
        covered::<crate::VisualMap>(&[rule(&["visual", "map"])]);
        covered::<crate::VisualScale>(&[rule(&["visual", "scale"])]);
        covered::<crate::VisualRgba>(&[rule(&["visual", "rgba"])]);
        covered::<Body>(&[&BODY]);
        covered::<Frame>(&[&FRAME]);
        covered::<Joint>(&[&BODY_JOINT, &FREEJOINT, rule(&["default", "joint"])]);
        covered::<Geom>(&[&BODY_GEOM, rule(&["default", "geom"])]);
        covered::<Site>(&[&BODY_SITE, rule(&["default", "site"])]);
        covered::<Camera>(&[&BODY_CAMERA, rule(&["default", "camera"])]);
        covered::<Light>(&[&BODY_LIGHT, rule(&["default", "light"])]);
        covered::<Mesh>(&[rule(&["asset", "mesh"]), rule(&["default", "mesh"])]);
        covered::<HField>(&[rule(&["asset", "hfield"])]);
        covered::<Skin>(&[rule(&["asset", "skin"]), rule(&["deformable", "skin"])]);
        covered::<Texture>(&[rule(&["asset", "texture"])]);
        covered::<Material>(&[rule(&["asset", "material"]), rule(&["default", "material"])]);
        covered::<Pair>(&[rule(&["contact", "pair"]), rule(&["default", "pair"])]);
        covered::<Exclude>(&[rule(&["contact", "exclude"])]);
        covered::<Keyframe>(&[rule(&["keyframe", "key"])]);
        covered::<Numeric>(&[rule(&["custom", "numeric"])]);
        let supported = |section: &'static Rule| {
            let all = section.children.iter().copied();
            all.filter(|rule| rule.unsupported.is_none()).collect::<Vec<_>>()
        };
        covered::<Equality>(&supported(&EQUALITIES));
        covered::<Tendon>(&supported(&TENDONS));
        covered::<Actuator>(&supported(&ACTUATORS));
        covered::<Sensor>(&supported(&SENSORS));
    }

    #[test]
    fn every_sensor_of_the_grammar_is_read() {
        let read = crate::mjcf::read::sensor::SENSORS;
        for sensor in SENSORS.children.iter().filter(|rule| rule.unsupported.is_none()) {
            assert!(read.iter().any(|(name, ..)| *name == sensor.name), "{}", sensor.name);
        }
        assert_eq!(read.len() + 1, SENSORS.children.len());
    }
}
