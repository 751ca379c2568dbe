//! Sections that hold settings and user data.

use super::attributes::{NAME, OBJECT};
use super::{Rule, inner, leaf, names, single};

pub(super) static COMPILER: Rule = inner(
    "compiler",
    &[names![
        autolimits boundmass boundinertia settotalmass balanceinertia strippath
        coordinate angle fitaabb eulerseq meshdir texturedir discardvisual usethread
        fusestatic inertiafromgeom inertiagrouprange saveinertial assetdir alignfree
    ]],
    &[&single(
        "lengthrange",
        &[names![
            mode useexisting uselimit accel maxforce timeconst timestep inttotal
            interval tolrange
        ]],
    )],
);

pub(super) static OPTION: Rule = inner(
    "option",
    &[
        names![
            timestep impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance
            sleep_tolerance gravity wind magnetic density viscosity o_margin o_solref
            o_solimp o_friction integrator cone jacobian solver iterations ls_iterations
            noslip_iterations ccd_iterations sdf_iterations sdf_initpoints
            actuatorgroupdisable
        ],
        &[
            "cortenforge:solver",
            "cortenforge:xpbd_substeps",
            "cortenforge:coupling_iterations",
            "cortenforge:flex",
        ],
    ],
    &[&single(
        "flag",
        &[names![
            constraint equality frictionloss limit contact spring damper gravity
            clampctrl warmstart filterparent actuation refsafe sensor midphase eulerdamp
            autoreset nativeccd island override energy fwdinv invdiscrete multiccd sleep
        ]],
    )],
);

pub(super) static SIZE: Rule = leaf(
    "size",
    &[names![
        memory njmax nconmax nstack nuserdata nkey nuser_body nuser_jnt nuser_geom
        nuser_site nuser_cam nuser_tendon nuser_actuator nuser_sensor
    ]],
);

pub(super) static VISUAL: Rule = inner(
    "visual",
    &[],
    &[
        &single(
            "global",
            &[names![
                cameraid orthographic fovy ipd azimuth elevation linewidth glow offwidth
                offheight realtime ellipsoidinertia bvactive
            ]],
        ),
        &single("quality", &[names![shadowsize offsamples numslices numstacks numquads]]),
        &single("headlight", &[names![ambient diffuse specular active]]),
        &single(
            "map",
            &[names![
                stiffness stiffnessrot force torque alpha fogstart fogend znear zfar haze
                shadowclip shadowscale actuatortendon
            ]],
        ),
        &single(
            "scale",
            &[names![
                forcewidth contactwidth contactheight connect com camera light selectpoint
                jointlength jointwidth actuatorlength actuatorwidth framelength framewidth
                constraint slidercrank frustum
            ]],
        ),
        &single(
            "rgba",
            &[names![
                fog haze force inertia joint actuator actuatornegative actuatorpositive com
                camera light selectpoint connect contactpoint contactforce contactfriction
                contacttorque contactgap rangefinder constraint slidercrank crankbroken frustum
                bv bvactive
            ]],
        ),
    ],
);

pub(super) static STATISTIC: Rule =
    leaf("statistic", &[names![meaninertia meanmass meansize extent center]]);

pub(super) static CUSTOM: Rule = inner(
    "custom",
    &[],
    &[
        &leaf("numeric", &[NAME, names![size data]]),
        &leaf("text", &[NAME, names![data]]),
        &inner("tuple", &[NAME], &[&leaf("element", &[OBJECT, names![prm]])]),
    ],
);

pub(super) static KEYFRAME: Rule =
    inner("keyframe", &[], &[&leaf("key", &[NAME, names![time qpos qvel act mpos mquat ctrl]])]);
