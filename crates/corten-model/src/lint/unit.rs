//! Angles in the wrong unit: the classic slip, since degrees are MJCF's default.

use std::f64::consts::TAU;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::enums::JointType;
use crate::spec::{Joint, Spec};

/// A joint that turns this often and still has a limit is likely meant in degrees.
const TURNS: f64 = 6.0;

pub(super) fn angles(spec: &Spec, found: &mut Diagnostics) {
    let hinges = || {
        let limited = |joint: &&Joint| joint.range[0] < joint.range[1];
        spec.joints.values().filter(|j| j.type_ == JointType::Hinge).filter(limited)
    };
    let reach = |joint: &Joint| joint.range[0].abs().max(joint.range[1].abs());
    // One narrow joint may be meant; all of them hardly.
    let mut degrees = hinges().filter(|joint| spec.compiler_of(*joint).degree).peekable();
    if let Some(first) = degrees.peek().copied()
        && degrees.all(|joint| reach(joint) <= TAU)
    {
        let range = first.range;
        let message = format!(
            "all hinges turn by a few degrees at most (here {} to {}): are these radians?",
            range[0], range[1]
        );
        let hint = "angles are in degrees unless <compiler angle=\"radian\"/> says otherwise";
        found.push(Diagnostic::warning(message).on("joint", first).hint(hint));
    }
    for joint in hinges().filter(|joint| !spec.compiler_of(*joint).degree) {
        if reach(joint) > TURNS * TAU {
            let message = format!(
                "a range of {} to {} radians: are these degrees?",
                joint.range[0], joint.range[1]
            );
            found.push(Diagnostic::warning(message).on("joint", joint));
        }
    }
}
