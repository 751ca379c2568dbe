//! Joints: axis and anchor in the body, limits in radians.

use corten_math::{Quat, Vec3};

use super::context::Context;
use super::pose::{EPS, Pose, unit3};
use crate::enums::{JointType, Limited};
use crate::spec::{Element, Joint, Key};

#[derive(Clone, Debug)]
pub(super) struct JointPlan {
    pub key: Key<Joint>,
    pub body: usize,
    pub pos: Vec3,
    pub axis: Vec3,
    pub range: [f64; 2],
    pub limited: bool,
    pub actfrclimited: bool,
    pub qpos0: f64,
    pub spring0: f64,
}

impl JointPlan {
    pub fn new(key: Key<Joint>, body: usize) -> JointPlan {
        JointPlan {
            key,
            body,
            pos: Vec3::ZERO,
            axis: Vec3::Z,
            range: [0.0; 2],
            limited: false,
            actfrclimited: false,
            qpos0: 0.0,
            spring0: 0.0,
        }
    }
}

/// Scalars of a joint in `qpos`.
pub(super) fn coordinates(kind: JointType) -> usize {
    match kind {
        JointType::Free => 7,
        JointType::Ball => 4,
        JointType::Slide | JointType::Hinge => 1,
    }
}

/// Degrees of freedom of a joint.
pub(super) fn dofs(kind: JointType) -> usize {
    match kind {
        JointType::Free => 6,
        JointType::Ball => 3,
        JointType::Slide | JointType::Hinge => 1,
    }
}

/// Whether a limit acts: as the author says, or if the range is not empty.
pub(super) fn is_limited(limited: Limited, range: [f64; 2]) -> bool {
    match limited {
        Limited::True => true,
        Limited::False => false,
        Limited::Auto => range[0] < range[1],
    }
}

/// Without `autolimits`, a range needs an explicit statement that it is a limit.
pub(super) fn check_limited(
    cx: &mut Context,
    kind: &str,
    element: &impl Element,
    attribute: &str,
    limited: Limited,
    range: [f64; 2],
) {
    if limited == Limited::Auto && range != [0.0; 2] && !cx.spec.compiler_of(element).autolimits {
        let message = format!(
            "'{attribute}range' is given, but not '{attribute}limited', which is needed because \
             autolimits is false"
        );
        cx.error(kind, element, message);
    }
}

pub(super) fn compile(cx: &mut Context, plan: &mut JointPlan, frame: Option<Pose>) {
    let joint = &cx.spec.joints[plan.key];
    let degree = cx.spec.compiler_of(joint).degree;
    let angular = matches!(joint.type_, JointType::Hinge | JointType::Ball);
    let radians = |x: f64| x * (std::f64::consts::PI / 180.0);

    if joint.springdamper != [0.0; 2] && joint.springdamper.iter().any(|&x| x <= 0.0) {
        cx.error("joint", joint, "both values of 'springdamper' must be positive");
    }

    plan.range = joint.range;
    if joint.type_ != JointType::Free {
        check_limited(cx, "joint", joint, "", joint.limited, joint.range);
        plan.limited = is_limited(joint.limited, joint.range);
    }
    if plan.limited {
        if joint.type_ == JointType::Ball {
            if joint.range[0] != 0.0 {
                cx.error("joint", joint, "the range of a ball joint must start at 0");
            }
        } else if joint.range[0] >= joint.range[1] {
            cx.error("joint", joint, "range[0] must be smaller than range[1]");
        }
        if degree && angular {
            plan.range = plan.range.map(radians);
        }
    }

    if matches!(joint.type_, JointType::Hinge | JointType::Slide) {
        check_limited(cx, "joint", joint, "actuatorfrc", joint.actfrclimited, joint.actfrcrange);
        plan.actfrclimited = is_limited(joint.actfrclimited, joint.actfrcrange);
    }
    if plan.actfrclimited && joint.actfrcrange[0] >= joint.actfrcrange[1] {
        cx.error("joint", joint, "actuatorfrcrange[0] must be smaller than actuatorfrcrange[1]");
    }

    let axis = match joint.type_ {
        JointType::Free | JointType::Ball => Vec3::Z,
        _ => frame.map_or(joint.axis, |f| f.quat.rotate(joint.axis)),
    };
    let (axis, norm) = unit3(axis);
    if norm < EPS {
        cx.error("joint", joint, "the axis is too short");
    }
    plan.axis = axis;
    plan.pos = match (joint.type_, frame) {
        (JointType::Free, _) => Vec3::ZERO,
        (_, Some(f)) => f.then(&Pose { pos: joint.pos, quat: Quat::IDENTITY }).pos,
        (_, None) => joint.pos,
    };

    (plan.qpos0, plan.spring0) = (joint.ref_, joint.springref);
    if joint.type_ == JointType::Hinge && degree {
        (plan.qpos0, plan.spring0) = (radians(joint.ref_), radians(joint.springref));
    }
}
