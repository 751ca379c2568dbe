//! Attributes that several elements share: in the tree, in default classes, in sections.

use super::{Names, names};

pub(super) const ID: Names = names![name class];

pub(super) const NAME: Names = names![name];

pub(super) const POSE: Names = names![pos quat axisangle xyaxes zaxis euler];

pub(super) const JOINT: Names = names![
    type group pos axis springdamper limited actuatorfrclimited solreflimit solimplimit
    solreffriction solimpfriction stiffness range actuatorfrcrange actuatorgravcomp margin ref
    springref armature damping frictionloss user
];

pub(super) const GEOM: Names = names![
    type contype conaffinity condim group priority size material friction mass density
    shellinertia solmix solref solimp margin gap fromto hfield mesh fitscale rgba fluidshape
    fluidcoef user
];

pub(super) const SITE: Names = names![type group material size fromto rgba user];

pub(super) const CAMERA: Names = names![
    orthographic fovy ipd resolution mode focal focalpixel principal principalpixel sensorsize
    user
];

pub(super) const LIGHT: Names = names![
    pos dir bulbradius intensity range directional type castshadow active attenuation cutoff
    exponent ambient diffuse specular mode
];

pub(super) const FLEX_CONTACT: Names = names![
    contype conaffinity condim priority friction solmix solref solimp margin gap internal
    selfcollide activelayers vertcollide passive
];

pub(super) const FLEX_ELASTICITY: Names = names![young poisson damping thickness elastic2d];

pub(super) const MATERIAL: Names = names![
    texture emission specular shininess reflectance metallic roughness rgba texrepeat texuniform
];

pub(super) const PAIR: Names = names![condim friction solref solreffriction solimp gap margin];

pub(super) const EQUALITY: Names = names![active solref solimp];

pub(super) const TENDON: Names = names![
    group limited range solreflimit solimplimit solreffriction solimpfriction frictionloss
    springlength margin stiffness damping user
];

pub(super) const TENDON_LOOK: Names = names![width material rgba];

pub(super) const TENDON_FORCE: Names = names![actuatorfrclimited actuatorfrcrange armature];

pub(super) const ACTUATOR: Names = names![forcelimited ctrlrange forcerange user group];

pub(super) const DRIVE: Names = names![gear cranklength];

pub(super) const CTRL_LIMITED: Names = names![ctrllimited];

pub(super) const TARGET: Names =
    names![joint jointinparent tendon slidersite cranksite lengthrange];

pub(super) const SITE_TARGET: Names = names![site refsite];

pub(super) const BODY_TARGET: Names = names![body];

pub(super) const GENERAL: Names = names![
    actlimited actrange actdim dyntype gaintype biastype dynprm gainprm biasprm actearly
];

/// Of general actuators, with forces that MuJoCo does not have.
pub(super) const GAIN_MODEL: Names = &["cortenforge:gain_model", "cortenforge:gain_params"];

pub(super) const POSITION: Names = names![inheritrange kp kv dampratio timeconst];

pub(super) const VELOCITY: Names = names![kv];

pub(super) const INTVELOCITY: Names = names![actrange inheritrange kp kv dampratio];

pub(super) const CYLINDER: Names = names![timeconst area diameter bias];

pub(super) const MUSCLE: Names = names![timeconst range force scale lmin lmax vmax fpmax fvmax];

pub(super) const ADHESION: Names = names![gain];

pub(super) const OBJECT: Names = names![objtype objname];

/// The law of contacts.
pub(super) const COMPLIANCE: Names = &["cortenforge:stiffness", "cortenforge:dissipation"];

/// Laws of bending and elasticity.
pub(super) const FLEX_LAWS: Names = &["cortenforge:bending_model", "cortenforge:elasticity_model"];
