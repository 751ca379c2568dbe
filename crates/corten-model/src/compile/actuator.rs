//! Actuators: transmission target, ranges, number of activations.

use super::context::{Context, id};
use super::joint::{check_limited, is_limited};
use super::name::UserSizes;
use super::plugin::Plugins;
use super::tendon::TendonPlan;
use super::tree::Tree;
use crate::ModelArrays;
use crate::arrays::GainChoice;
use crate::diagnostic::{Diagnostic, closest};
use crate::enums::{Bias, Dynamics, Gain, JointType, ObjType, Transmission};
use crate::names::Names;
use crate::plugin::Capabilities;
use crate::spec::Actuator;
use corten_math::memory::Grow;

pub(super) struct ActuatorPlan<'a> {
    source: &'a Actuator,
    trnid: [i32; 2],
    pub actnum: usize,
    ctrlrange: [f64; 2],
    actrange: [f64; 2],
    plugin: Option<usize>,
}

pub(super) fn compile<'a>(
    cx: &mut Context<'a>,
    names: &Names,
    tree: &Tree,
    tendons: &[TendonPlan],
    plugins: &Plugins,
) -> Vec<ActuatorPlan<'a>> {
    let spec = cx.spec;
    let mut plans = Vec::new();
    for actuator in spec.actuators.values() {
        let trnid = transmission(cx, actuator, names);
        let mut plan = ActuatorPlan {
            source: actuator,
            trnid,
            actnum: 0,
            ctrlrange: actuator.ctrlrange,
            actrange: actuator.actrange,
            plugin: plugins.resolve(
                cx,
                &actuator.plugin,
                Capabilities::ACTUATOR,
                "actuator",
                actuator,
            ),
        };
        inherit_range(cx, &mut plan, tree, tendons);
        check(cx, &plan);
        let stateful = actuator.dyntype != Dynamics::None;
        plan.actnum = match gain_activations(cx, actuator) {
            Some(own) => own + usize::from(stateful),
            None => usize::try_from(actuator.actdim).unwrap_or(stateful.into()),
        };
        if !actuator.gain_model.is_empty()
            && actuator.actdim >= 0
            && actuator.actdim as usize != plan.actnum
        {
            let message = format!("'actdim' is {}, but must be {}", actuator.actdim, plan.actnum);
            cx.error("actuator", actuator, message);
        }
        plans.grow_push(plan);
    }
    plans
}

/// How many activations the gain model of an actuator has, if it has one.
fn gain_activations(cx: &mut Context, a: &Actuator) -> Option<usize> {
    if a.gain_model.is_empty() {
        if !a.gain_params.is_empty() {
            let message = "'cortenforge:gain_params' needs a 'cortenforge:gain_model'";
            cx.error("actuator", a, message);
        }
        return None;
    }
    if a.gaintype != Gain::User {
        let message = "a 'cortenforge:gain_model' needs the gain type 'custom'";
        cx.error("actuator", a, message);
    }
    let item = match cx.catalog.gain_activations(&a.gain_model, &a.gain_params) {
        Some(Ok(count)) => return Some(count),
        Some(Err(why)) => Diagnostic::error(format!("gain model '{}': {why}", a.gain_model)),
        None => {
            let known = cx.catalog.gain_names();
            Diagnostic::error(format!("there is no gain model '{}'", a.gain_model))
                .did_you_mean(closest(&a.gain_model, known.iter().copied()))
                .hint("gain models of your own have to be in the registry of the loader")
        }
    };
    cx.diagnostics.push(item.on("actuator", a));
    None
}

fn transmission(cx: &mut Context, a: &Actuator, names: &Names) -> [i32; 2] {
    let Some(target) = a.trntype.target() else {
        let message = "a transmission target is missing: joint, tendon, site or body";
        cx.error("actuator", a, message);
        return [-1, -1];
    };
    let other = match a.trntype {
        Transmission::SliderCrank => {
            if a.cranklength <= 0.0 {
                cx.error("actuator", a, "'cranklength' must be positive");
            }
            cx.resolve(names, ObjType::Site, &a.slidersite, "actuator", a)
        }
        Transmission::Site if !a.refsite.is_empty() => {
            cx.resolve(names, ObjType::Site, &a.refsite, "actuator", a)
        }
        Transmission::Site
        | Transmission::Joint
        | Transmission::JointInParent
        | Transmission::Tendon
        | Transmission::Body
        | Transmission::Undefined => None,
    };
    [id(cx.resolve(names, target.objtype, &a.target, "actuator", a)), id(other)]
}

/// Position and integrated-velocity servos can take the range of what they move.
fn inherit_range(cx: &mut Context, plan: &mut ActuatorPlan, tree: &Tree, tendons: &[TendonPlan]) {
    let a = plan.source;
    let is_servo = a.gaintype == Gain::Fixed
        && a.biastype == Bias::Affine
        && a.gainprm[0] == -a.biasprm[1]
        && a.inheritrange > 0.0;
    let Ok(target) = usize::try_from(plan.trnid[0]) else { return };
    if !is_servo {
        return;
    }
    let range = match a.trntype {
        Transmission::Joint => {
            let joint = &tree.joints[target];
            let kind = cx.spec.joints[joint.key].type_;
            if !matches!(kind, JointType::Hinge | JointType::Slide) {
                cx.error("actuator", a, "'inheritrange' needs a hinge or slide joint");
            }
            joint.range
        }
        Transmission::Tendon => tendons[target].range,
        _ => {
            cx.error("actuator", a, "'inheritrange' needs a joint or tendon as target");
            return;
        }
    };
    if range[0] == range[1] {
        let message = format!("'inheritrange' is given, but '{}' has no range", a.target);
        cx.error("actuator", a, message);
    }
    let (mean, radius) =
        (0.5 * (range[1] + range[0]), 0.5 * (range[1] - range[0]) * a.inheritrange);
    let range = [mean - radius, mean + radius];
    match a.dyntype {
        Dynamics::None | Dynamics::FilterExact => plan.ctrlrange = range,
        Dynamics::Integrator => plan.actrange = range,
        _ => cx.error("actuator", a, "'inheritrange' is for position and intvelocity actuators"),
    }
}

fn check(cx: &mut Context, plan: &ActuatorPlan) {
    let a = plan.source;
    for (attribute, limited, range) in [
        ("force", a.forcelimited, a.forcerange),
        ("ctrl", a.ctrllimited, plan.ctrlrange),
        ("act", a.actlimited, plan.actrange),
    ] {
        check_limited(cx, "actuator", a, attribute, limited, range);
        if range[0] >= range[1] && is_limited(limited, range) {
            let message = format!("{attribute}range[0] must be smaller than {attribute}range[1]");
            cx.error("actuator", a, message);
        }
    }
    if is_limited(a.actlimited, plan.actrange) && a.dyntype == Dynamics::None {
        cx.error("actuator", a, "'actrange' needs an actuator with activation dynamics");
    }
    match (a.actdim, a.dyntype) {
        // It counts its activations itself.
        _ if a.plugin.active || !a.gain_model.is_empty() => {}
        (2.., kind) if kind != Dynamics::User => {
            cx.error("actuator", a, "'actdim' above 1 is only allowed for dyntype 'user'");
        }
        (1, Dynamics::None) => cx.error("actuator", a, "'actdim' is 1, but there are no dynamics"),
        (0, kind) if kind != Dynamics::None => {
            cx.error("actuator", a, "'actdim' is 0, but the dynamics have a state");
        }
        _ => {}
    }
    for (is_muscle, p) in
        [(a.gaintype == Gain::Muscle, &a.gainprm), (a.biastype == Bias::Muscle, &a.biasprm)]
    {
        if !is_muscle {
            continue;
        }
        if p[0] >= p[1] {
            cx.error("actuator", a, "muscle: range[0] must be smaller than range[1]");
        }
        if p[4] >= 1.0 || p[5] <= 1.0 {
            cx.error("actuator", a, "muscle: lmin < 1 < lmax is required");
        }
        if p[3] <= 0.0 || p[6] <= 0.0 || p[7] <= 0.0 || p[8] <= 0.0 {
            cx.error("actuator", a, "muscle: scale, vmax, fpmax and fvmax must be positive");
        }
    }
}

pub(super) fn write(m: &mut ModelArrays, actuators: &[ActuatorPlan], users: &UserSizes) {
    m.nu = actuators.len();
    m.na = actuators.iter().map(|a| a.actnum).sum();
    m.nuser_actuator = users.actuator;
    m.resize();
    let mut address = 0;
    for (i, plan) in actuators.iter().enumerate() {
        let s = plan.source;
        m.actuator_trntype[i] = s.trntype.raw();
        m.actuator_dyntype[i] = s.dyntype.raw();
        m.actuator_gaintype[i] = s.gaintype.raw();
        m.actuator_biastype[i] = s.biastype.raw();
        m.actuator_trnid[i] = plan.trnid;
        m.actuator_actnum[i] = plan.actnum as i32;
        m.actuator_actadr[i] = if plan.actnum > 0 { address as i32 } else { -1 };
        address += plan.actnum;
        m.actuator_group[i] = s.group;
        m.actuator_ctrllimited[i] = is_limited(s.ctrllimited, plan.ctrlrange).into();
        m.actuator_forcelimited[i] = is_limited(s.forcelimited, s.forcerange).into();
        m.actuator_actlimited[i] = is_limited(s.actlimited, plan.actrange).into();
        m.actuator_actearly[i] = s.actearly.into();
        m.actuator_cranklength[i] = s.cranklength;
        m.actuator_gear[i] = s.gear;
        m.actuator_dynprm[i] = s.dynprm;
        m.actuator_gainprm[i] = s.gainprm;
        m.actuator_biasprm[i] = s.biasprm;
        m.actuator_ctrlrange[i] = plan.ctrlrange;
        m.actuator_forcerange[i] = s.forcerange;
        m.actuator_actrange[i] = plan.actrange;
        m.actuator_lengthrange[i] = s.lengthrange;
        m.actuator_plugin[i] = id(plan.plugin);
        m.extension_names
            .gains
            .grow_push(GainChoice { model: s.gain_model.clone(), params: s.gain_params.clone() });
        m.actuator_user[users.actuator * i..][..s.userdata.len()].copy_from_slice(&s.userdata);
        // Most entries that the row of the moment matrix can have.
        m.nJmom += match s.trntype {
            Transmission::Joint | Transmission::JointInParent => {
                let kind = JointType::from_raw(m.jnt_type[plan.trnid[0] as usize]);
                kind.map_or(0, super::joint::dofs)
            }
            _ => m.nv,
        };
    }
    if m.extension_names.gains.iter().all(|gain| gain.model.is_empty()) {
        m.extension_names.gains.clear();
    }
}
