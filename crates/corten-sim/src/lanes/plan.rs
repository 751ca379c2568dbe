//! What all steps of a model have in common.

use corten_model::enums::{DisableBit, EnableBit, Integrator, JointType, Transmission};

use crate::awake::Selection;
use crate::prepared::Prepared;
use crate::prepared::structure::{Joint, Structure};
use crate::stage::collision;
use crate::stage::passive::fluid;
use crate::support::{any_nonzero, any_set};
use crate::{Model, derivative, integrate};

/// What depends on the model alone.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Whether something in the middle of a step reads what is otherwise left for its end.
    pub reads_all: bool,
    /// Whether constraints, tendons or actuators refer to frames of bodies.
    pub reads_frames: bool,
    /// Whether all inertia is that of bodies and joints.
    pub joint_inertia: bool,
    /// Whether lanes know all smooth forces.
    pub forces: bool,
    /// Damping that integration in lanes is implicit in; empty if there is none.
    pub damping: Vec<f64>,
    /// Whether there may be contacts.
    pub contacts: bool,
    /// Whether there are no constraints but contacts and limits of hinges and slides.
    pub loose: bool,
    /// Whether limits count.
    pub limits: bool,
}

impl Plan {
    pub fn new(m: &Model, prepared: &Prepared) -> Plan {
        let s = &prepared.structure;
        let forces = are_forces_known(m, prepared);
        let damping = match m.opt.integrator {
            Integrator::Euler if integrate::is_damped(m, Selection::all(m.nv)) => {
                m.dof_damping.clone()
            }
            Integrator::ImplicitFast if forces => {
                derivative::constant_damping(m, prepared.transmissions.joints(0..m.nu))
            }
            _ => Vec::new(),
        };
        Plan {
            reads_all: reads_all(m),
            reads_frames: m.neq + m.ntendon > 0
                || m.actuator_trntype.iter().any(|&t| t != Transmission::Joint.raw()),
            joint_inertia: !any_nonzero(&m.tendon_armature),
            forces,
            damping,
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

/// Whether all smooth forces are springs of hinges and slides, dampers of joints, and direct actuators
/// on hinges and slides.
fn are_forces_known(m: &Model, prepared: &Prepared) -> bool {
    use DisableBit::{Actuation, ClampCtrl, Damper, Spring};
    let scalar = |joint: &Joint| matches!(joint.kind, JointType::Hinge | JointType::Slide);
    let mut springs = prepared.structure.joints.iter().zip(&m.jnt_stiffness);
    ![Actuation, ClampCtrl, Damper, Spring].iter().any(|&flag| m.opt.disabled(flag))
        && m.opt.disableactuator == 0
        && m.na == 0
        && m.ngravcomp == 0
        && !fluid::present(m)
        && !any_nonzero(&m.tendon_stiffness)
        && !any_nonzero(&m.tendon_damping)
        && springs.all(|(joint, &stiffness)| stiffness == 0.0 || scalar(joint))
        && prepared.actuators.are_direct()
        && prepared.transmissions.are_on_scalar_joints()
}

fn is_loose(m: &Model, s: &Structure) -> bool {
    let turns = |kind: JointType| kind == JointType::Ball;
    m.neq == 0
        && !any_nonzero(&m.dof_frictionloss)
        && !any_nonzero(&m.tendon_frictionloss)
        && !any_set(&m.tendon_limited)
        && !s.joints.iter().zip(&m.jnt_limited).any(|(j, &limited)| limited != 0 && turns(j.kind))
}
