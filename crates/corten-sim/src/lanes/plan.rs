//! What all steps of a model have in common.

use corten_model::enums::{DisableBit, EnableBit, Integrator, JointType, Transmission};

use super::forces;
use crate::Model;
use crate::prepared::structure::Structure;
use crate::stage::collision;
use crate::stage::passive::fluid;
use crate::support::{any_nonzero, any_set};

/// What depends on the model alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// Whether something in the middle of a step reads what is otherwise left for its end.
    pub reads_all: bool,
    /// Whether constraints, tendons or actuators refer to frames of bodies.
    pub reads_frames: bool,
    /// Whether all inertia is that of bodies and joints.
    pub joint_inertia: bool,
    /// Whether lanes know all smooth forces.
    pub forces: bool,
    /// Whether there may be contacts.
    pub contacts: bool,
    /// Whether there are no constraints but contacts and limits of hinges and slides.
    pub loose: bool,
    /// Whether limits count.
    pub limits: bool,
}

impl Plan {
    pub fn new(m: &Model, s: &Structure) -> Plan {
        Plan {
            reads_all: reads_all(m),
            reads_frames: m.neq + m.ntendon > 0
                || m.actuator_trntype.iter().any(|&t| t != Transmission::Joint.raw()),
            joint_inertia: !any_nonzero(&m.tendon_armature),
            forces: forces::cover(m, s),
            contacts: !collision::is_disabled(m),
            loose: m.opt.disabled(DisableBit::Constraint) || is_loose(m, s),
            limits: ![DisableBit::Constraint, DisableBit::Limit].iter().any(|&f| m.opt.disabled(f)),
        }
    }
}

fn reads_all(m: &Model) -> bool {
    m.nsensor > 0
        || m.opt.enabled(EnableBit::Energy)
        || m.ngravcomp > 0
        || fluid::present(m)
        || any_nonzero(&m.tendon_armature)
        || !matches!(m.opt.integrator, Integrator::Euler | Integrator::ImplicitFast)
}

fn is_loose(m: &Model, s: &Structure) -> bool {
    let turns = |kind: JointType| kind == JointType::Ball;
    m.neq == 0
        && !any_nonzero(&m.dof_frictionloss)
        && !any_nonzero(&m.tendon_frictionloss)
        && !any_set(&m.tendon_limited)
        && !s.joints.iter().zip(&m.jnt_limited).any(|(j, &limited)| limited != 0 && turns(j.kind))
}
