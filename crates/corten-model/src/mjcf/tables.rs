//! The attribute tables.
//!
//! Attributes that need more than their own text (names and classes, alternative orientations,
//! shortcuts of actuators, objects of sensors) are handled by the reader.

use super::attr::{attributes, upto};
use super::keywords::{
    CouplingIterations, Elastic2d, Flag, FlexFormulas, FluidShape, OwnSolver, SolverName,
    XpbdSubsteps,
};
use crate::option::{
    Options, VisualGlobal, VisualHeadlight, VisualMap, VisualQuality, VisualRgba, VisualScale,
};
use crate::spec::*;

attributes! {
    Compiler {
        "autolimits" autolimits;
        "boundmass" boundmass;
        "boundinertia" boundinertia;
        "settotalmass" settotalmass;
        "balanceinertia" balanceinertia;
        "fitaabb" fitaabb;
        "meshdir" meshdir;
        "texturedir" texturedir;
        "discardvisual" discardvisual;
        "usethread" usethread;
        "fusestatic" fusestatic;
        "inertiafromgeom" inertiafromgeom;
        "inertiagrouprange" inertiagrouprange;
        "saveinertial" saveinertial;
        "alignfree" alignfree;
    }
    LengthRangeOptions {
        "mode" mode;
        "useexisting" useexisting;
        "uselimit" uselimit;
        "accel" accel;
        "maxforce" maxforce;
        "timeconst" timeconst;
        "timestep" timestep;
        "inttotal" inttotal;
        "interval" interval;
        "tolrange" tolrange;
    }
    Options {
        "timestep" timestep;
        "impratio" impratio;
        "tolerance" tolerance;
        "ls_tolerance" ls_tolerance;
        "noslip_tolerance" noslip_tolerance;
        "ccd_tolerance" ccd_tolerance;
        "sleep_tolerance" sleep_tolerance;
        "gravity" gravity;
        "wind" wind;
        "magnetic" magnetic;
        "density" density;
        "viscosity" viscosity;
        "o_margin" o_margin;
        "o_solref" o_solref upto;
        "o_solimp" o_solimp upto;
        "o_friction" o_friction upto;
        "integrator" integrator;
        "cone" cone;
        "jacobian" jacobian;
        "solver" solver SolverName;
        "cortenforge:solver" solver OwnSolver;
        "cortenforge:xpbd_substeps" xpbd_substeps XpbdSubsteps;
        "cortenforge:coupling_iterations" coupling_iterations CouplingIterations;
        "cortenforge:flex" enableflags FlexFormulas;
        "iterations" iterations;
        "ls_iterations" ls_iterations;
        "noslip_iterations" noslip_iterations;
        "ccd_iterations" ccd_iterations;
        "sdf_iterations" sdf_iterations;
        "sdf_initpoints" sdf_initpoints;
    }
    Sizes {
        "nuserdata" nuserdata;
        "nkey" nkey;
        "nconmax" nconmax;
        "njmax" njmax;
        "nuser_body" nuser_body;
        "nuser_jnt" nuser_jnt;
        "nuser_geom" nuser_geom;
        "nuser_site" nuser_site;
        "nuser_cam" nuser_cam;
        "nuser_tendon" nuser_tendon;
        "nuser_actuator" nuser_actuator;
        "nuser_sensor" nuser_sensor;
    }
    StatisticOverride {
        "meaninertia" meaninertia;
        "meanmass" meanmass;
        "meansize" meansize;
        "extent" extent;
        "center" center;
    }
    VisualGlobal {
        "cameraid" cameraid;
        "orthographic" orthographic Flag;
        "fovy" fovy;
        "ipd" ipd;
        "azimuth" azimuth;
        "elevation" elevation;
        "linewidth" linewidth;
        "glow" glow;
        "offwidth" offwidth;
        "offheight" offheight;
        "realtime" realtime;
        "ellipsoidinertia" ellipsoidinertia Flag;
        "bvactive" bvactive Flag;
    }
    VisualQuality {
        "shadowsize" shadowsize;
        "offsamples" offsamples;
        "numslices" numslices;
        "numstacks" numstacks;
        "numquads" numquads;
    }
    VisualHeadlight {
        "ambient" ambient;
        "diffuse" diffuse;
        "specular" specular;
        "active" active;
    }
    VisualMap {
        "stiffness" stiffness;
        "stiffnessrot" stiffnessrot;
        "force" force;
        "torque" torque;
        "alpha" alpha;
        "fogstart" fogstart;
        "fogend" fogend;
        "znear" znear;
        "zfar" zfar;
        "haze" haze;
        "shadowclip" shadowclip;
        "shadowscale" shadowscale;
        "actuatortendon" actuatortendon;
    }
    VisualScale {
        "forcewidth" forcewidth;
        "contactwidth" contactwidth;
        "contactheight" contactheight;
        "connect" connect;
        "com" com;
        "camera" camera;
        "light" light;
        "selectpoint" selectpoint;
        "jointlength" jointlength;
        "jointwidth" jointwidth;
        "actuatorlength" actuatorlength;
        "actuatorwidth" actuatorwidth;
        "framelength" framelength;
        "framewidth" framewidth;
        "constraint" constraint;
        "slidercrank" slidercrank;
        "frustum" frustum;
    }
    VisualRgba {
        "fog" fog;
        "haze" haze;
        "force" force;
        "inertia" inertia;
        "joint" joint;
        "actuator" actuator;
        "actuatornegative" actuatornegative;
        "actuatorpositive" actuatorpositive;
        "com" com;
        "camera" camera;
        "light" light;
        "selectpoint" selectpoint;
        "connect" connect;
        "contactpoint" contactpoint;
        "contactforce" contactforce;
        "contactfriction" contactfriction;
        "contacttorque" contacttorque;
        "contactgap" contactgap;
        "rangefinder" rangefinder;
        "constraint" constraint;
        "slidercrank" slidercrank;
        "crankbroken" crankbroken;
        "frustum" frustum;
        "bv" bv;
        "bvactive" bvactive;
    }
    Body {
        "name" name;
        "pos" pos;
        "quat" quat;
        "mocap" mocap;
        "gravcomp" gravcomp;
        "sleep" sleep;
        "user" userdata;
    }
    Frame {
        "name" name;
        "pos" pos;
        "quat" quat;
    }
    Joint {
        "name" name;
        "type" type_;
        "group" group;
        "align" align;
        "pos" pos;
        "axis" axis;
        "springdamper" springdamper;
        "limited" limited;
        "actuatorfrclimited" actfrclimited;
        "solreflimit" solref_limit upto;
        "solimplimit" solimp_limit upto;
        "solreffriction" solref_friction upto;
        "solimpfriction" solimp_friction upto;
        "stiffness" stiffness;
        "range" range;
        "actuatorfrcrange" actfrcrange;
        "actuatorgravcomp" actgravcomp;
        "margin" margin;
        "ref" ref_;
        "springref" springref;
        "armature" armature;
        "damping" damping;
        "frictionloss" frictionloss;
        "user" userdata;
    }
    Geom {
        "name" name;
        "type" type_;
        "contype" contype;
        "conaffinity" conaffinity;
        "condim" condim;
        "group" group;
        "priority" priority;
        "size" size upto;
        "material" material;
        "friction" friction upto;
        "mass" mass;
        "density" density;
        "shellinertia" typeinertia;
        "solmix" solmix;
        "solref" solref upto;
        "solimp" solimp upto;
        "cortenforge:stiffness" stiffness;
        "cortenforge:dissipation" dissipation;
        "margin" margin;
        "gap" gap;
        "fromto" fromto;
        "pos" pos;
        "quat" quat;
        "hfield" hfieldname;
        "mesh" meshname;
        "fitscale" fitscale;
        "rgba" rgba;
        "fluidshape" fluid_ellipsoid FluidShape;
        "fluidcoef" fluid_coefs upto;
        "user" userdata;
    }
    Site {
        "name" name;
        "type" type_;
        "group" group;
        "pos" pos;
        "quat" quat;
        "material" material;
        "size" size upto;
        "fromto" fromto;
        "rgba" rgba;
        "user" userdata;
    }
    Camera {
        "name" name;
        "orthographic" orthographic;
        "fovy" fovy;
        "ipd" ipd;
        "resolution" resolution;
        "pos" pos;
        "quat" quat;
        "mode" mode;
        "target" targetbody;
        "focal" focal_length;
        "focalpixel" focal_pixel;
        "principal" principal_length;
        "principalpixel" principal_pixel;
        "sensorsize" sensor_size;
        "user" userdata;
    }
    Light {
        "name" name;
        "type" type_;
        "castshadow" castshadow;
        "active" active;
        "pos" pos;
        "dir" dir;
        "bulbradius" bulbradius;
        "intensity" intensity;
        "range" range;
        "attenuation" attenuation;
        "cutoff" cutoff;
        "exponent" exponent;
        "ambient" ambient;
        "diffuse" diffuse;
        "specular" specular;
        "mode" mode;
        "target" targetbody;
        "texture" texture;
    }
    Mesh {
        "name" name;
        "content_type" content_type;
        "file" file;
        "vertex" uservert;
        "normal" usernormal;
        "texcoord" usertexcoord;
        "face" userface;
        "refpos" refpos;
        "refquat" refquat;
        "scale" scale;
        "smoothnormal" smoothnormal;
        "maxhullvert" maxhullvert;
        "inertia" inertia;
        "builtin" builtin;
        "params" params;
        "material" material;
    }
    HField {
        "name" name;
        "content_type" content_type;
        "file" file;
        "nrow" nrow;
        "ncol" ncol;
        "size" size;
    }
    Flex {
        "name" name;
        "group" group;
        "dim" dim;
        "radius" radius;
        "material" material;
        "rgba" rgba;
        "flatskin" flatskin;
        "body" vertbody;
        "vertex" vert;
        "element" elem;
        "texcoord" texcoord;
        "elemtexcoord" elemtexcoord;
        "node" nodebody;
        "cortenforge:nodepos" node;
        "cortenforge:bending_model" bending_model;
        "cortenforge:elasticity_model" elasticity_model;
        "contact/contype" contype;
        "contact/conaffinity" conaffinity;
        "contact/condim" condim;
        "contact/priority" priority;
        "contact/friction" friction upto;
        "contact/solmix" solmix;
        "contact/solref" solref upto;
        "contact/solimp" solimp upto;
        "contact/margin" margin;
        "contact/gap" gap;
        "contact/internal" internal;
        "contact/selfcollide" selfcollide;
        "contact/activelayers" activelayers;
        "contact/vertcollide" vertcollide;
        "contact/passive" passive;
        "edge/stiffness" edgestiffness;
        "edge/damping" edgedamping;
        "elasticity/young" young;
        "elasticity/poisson" poisson;
        "elasticity/damping" damping;
        "elasticity/thickness" thickness;
        "elasticity/elastic2d" elastic2d Elastic2d;
    }
    Skin {
        "name" name;
        "file" file;
        "material" material;
        "rgba" rgba;
        "inflate" inflate;
        "vertex" vert;
        "texcoord" texcoord;
        "face" face;
        "group" group;
    }
    Texture {
        "name" name;
        "type" type_;
        "colorspace" colorspace;
        "content_type" content_type;
        "file" file;
        "gridsize" gridsize;
        "builtin" builtin;
        "rgb1" rgb1;
        "rgb2" rgb2;
        "mark" mark;
        "markrgb" markrgb;
        "random" random;
        "width" width;
        "height" height;
        "hflip" hflip;
        "vflip" vflip;
        "nchannel" nchannel;
    }
    Material {
        "name" name;
        "texrepeat" texrepeat;
        "texuniform" texuniform;
        "emission" emission;
        "specular" specular;
        "shininess" shininess;
        "reflectance" reflectance;
        "metallic" metallic;
        "roughness" roughness;
        "rgba" rgba;
    }
    ModelAsset {
        "name" name;
        "content_type" content_type;
    }
    Pair {
        "name" name;
        "geom1" geomname1;
        "geom2" geomname2;
        "condim" condim;
        "friction" friction upto;
        "solref" solref upto;
        "solreffriction" solreffriction upto;
        "solimp" solimp upto;
        "cortenforge:stiffness" stiffness;
        "cortenforge:dissipation" dissipation;
        "gap" gap;
        "margin" margin;
    }
    Exclude {
        "name" name;
        "body1" bodyname1;
        "body2" bodyname2;
    }
    Equality {
        "name" name;
        "active" active;
        "solref" solref upto;
        "solimp" solimp upto;
    }
    Tendon {
        "name" name;
        "group" group;
        "limited" limited;
        "actuatorfrclimited" actfrclimited;
        "range" range;
        "actuatorfrcrange" actfrcrange;
        "solreflimit" solref_limit upto;
        "solimplimit" solimp_limit upto;
        "solreffriction" solref_friction upto;
        "solimpfriction" solimp_friction upto;
        "frictionloss" frictionloss;
        "width" width;
        "material" material;
        "margin" margin;
        "stiffness" stiffness;
        "damping" damping;
        "armature" armature;
        "rgba" rgba;
        "user" userdata;
    }
    Actuator {
        "name" name;
        "group" group;
        "ctrllimited" ctrllimited;
        "forcelimited" forcelimited;
        "actlimited" actlimited;
        "ctrlrange" ctrlrange;
        "forcerange" forcerange;
        "actrange" actrange;
        "lengthrange" lengthrange;
        "gear" gear upto;
        "cranklength" cranklength;
        "slidersite" slidersite;
        "refsite" refsite;
        "actdim" actdim;
        "dyntype" dyntype;
        "gaintype" gaintype;
        "biastype" biastype;
        "dynprm" dynprm upto;
        "gainprm" gainprm upto;
        "biasprm" biasprm upto;
        "actearly" actearly;
        "user" userdata;
        "cortenforge:gain_model" gain_model;
        "cortenforge:gain_params" gain_params;
    }
    Sensor {
        "name" name;
        "cutoff" cutoff;
        "noise" noise;
        "user" userdata;
    }
    Numeric {
        "name" name;
        "size" size;
    }
    Text {
        "name" name;
        "data" data;
    }
    Tuple {
        "name" name;
    }
    Keyframe {
        "name" name;
        "time" time;
        "qpos" qpos;
        "qvel" qvel;
        "act" act;
        "mpos" mpos;
        "mquat" mquat;
        "ctrl" ctrl;
    }
}
