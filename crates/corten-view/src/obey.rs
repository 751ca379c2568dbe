//! What a page asks a simulation for.

use corten_model::enums::JointType;
use corten_sim::{Data, Model, sleep};

use crate::command::Command;

/// Does to a simulation what a page asked for; commands that concern the picture or the pace do nothing.
/// Says whether positions were changed, so that all that follows from them is to be computed.
pub fn obey(m: &mut Model, d: &mut Data, command: &Command) -> bool {
    match *command {
        Command::Reset => drop(d.reset(m)),
        Command::Key { id } => drop(d.reset_to_keyframe(m, id)),
        Command::Ctrl { id, value } if value.is_finite() => {
            if let Some(ctrl) = d.ctrl.get_mut(id) {
                *ctrl = value;
            }
            return false;
        }
        Command::ClearCtrl => {
            d.ctrl.fill(0.0);
            return false;
        }
        Command::Joint { id, value } if value.is_finite() => put_joint(m, d, id, value),
        Command::Equality { id, on } => {
            if let Some(active) = d.eq_active.get_mut(id) {
                *active = on.into();
            }
            return false;
        }
        Command::Disable { bit, on } => toggle(&mut m.opt.disableflags, bit, on),
        Command::Enable { bit, on } => toggle(&mut m.opt.enableflags, bit, on),
        Command::Actuators { group, on } => {
            if (0..31).contains(&group) {
                toggle(&mut m.opt.disableactuator, 1 << group, !on);
            }
        }
        _ => return false,
    }
    true
}

/// Puts a hinge or slide joint somewhere, at rest; what was asleep wakes.
fn put_joint(m: &Model, d: &mut Data, id: usize, value: f64) {
    let kind = m.jnt_type.get(id).and_then(|raw| JointType::from_raw(*raw));
    let (Some(JointType::Hinge | JointType::Slide), Ok(adr), Ok(dof)) = (
        kind,
        usize::try_from(m.jnt_qposadr.get(id).copied().unwrap_or(-1)),
        usize::try_from(m.jnt_dofadr.get(id).copied().unwrap_or(-1)),
    ) else {
        return;
    };
    let (Some(position), Some(velocity)) = (d.qpos.get_mut(adr), d.qvel.get_mut(dof)) else {
        return;
    };
    (*position, *velocity) = (value, 0.0);
    // A number that is not negative is the next tree in a cycle of sleepers.
    for tree in d.tree_asleep.iter_mut().filter(|tree| **tree >= 0) {
        *tree = -1;
    }
    sleep::update(m, d);
}

fn toggle(flags: &mut i32, bit: i32, on: bool) {
    if on { *flags |= bit } else { *flags &= !bit }
}
