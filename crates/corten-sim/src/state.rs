//! Saving and restoring parts of the state as one vector.
//!
//! A signature is a sum of [`StateBit`]s; the vector holds the selected parts in the order of the
//! bits. Answers to `mj_stateSize`, `mj_getState`, `mj_setState`, `mj_extractState`,
//! `mj_copyState`.

use bytemuck::{cast_slice, cast_slice_mut};
use corten_model::enums::StateBit;

use crate::{Data, Model};

/// The single parts, in the order in which they are stored.
const PARTS: [StateBit; 13] = [
    StateBit::Time,
    StateBit::Qpos,
    StateBit::Qvel,
    StateBit::Act,
    StateBit::WarmStart,
    StateBit::Ctrl,
    StateBit::QfrcApplied,
    StateBit::XfrcApplied,
    StateBit::EqActive,
    StateBit::MocapPos,
    StateBit::MocapQuat,
    StateBit::Userdata,
    StateBit::Plugin,
];

/// What is wrong with a signature or a state vector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
// The messages say what the fields are.
#[allow(missing_docs)]
pub enum StateError {
    #[error("invalid state signature {0}: it has bits beyond the {count} known ones", count = PARTS.len())]
    Signature(u32),
    #[error("state vector has {found} elements, {expected} expected")]
    Length { expected: usize, found: usize },
    #[error("state signature {wanted} is not part of signature {given}")]
    NotContained { given: u32, wanted: u32 },
}

fn part_size(m: &Model, part: StateBit) -> usize {
    match part {
        StateBit::Time => 1,
        StateBit::Qpos => m.nq,
        StateBit::Qvel | StateBit::WarmStart | StateBit::QfrcApplied => m.nv,
        StateBit::Act => m.na,
        StateBit::Ctrl => m.nu,
        StateBit::XfrcApplied => 6 * m.nbody,
        StateBit::EqActive => m.neq,
        StateBit::MocapPos => 3 * m.nmocap,
        StateBit::MocapQuat => 4 * m.nmocap,
        StateBit::Userdata => m.nuserdata,
        StateBit::Plugin => m.npluginstate,
        _ => 0,
    }
}

/// The parts of a signature.
fn parts(signature: u32) -> Result<impl Iterator<Item = StateBit>, StateError> {
    if signature >= 1 << PARTS.len() {
        return Err(StateError::Signature(signature));
    }
    Ok(PARTS.into_iter().filter(move |part| signature & part.raw() as u32 != 0))
}

fn check_length(m: &Model, signature: u32, found: usize) -> Result<(), StateError> {
    let expected = size(m, signature)?;
    if expected == found { Ok(()) } else { Err(StateError::Length { expected, found }) }
}

/// Length of the vector of a signature.
pub fn size(m: &Model, signature: u32) -> Result<usize, StateError> {
    Ok(parts(signature)?.map(|part| part_size(m, part)).sum())
}

/// The numbers of one part; `None` for the activity of equality constraints, which are bytes.
fn part(d: &Data, part: StateBit) -> Option<&[f64]> {
    Some(match part {
        StateBit::Time => std::slice::from_ref(&d.time),
        StateBit::Qpos => &d.qpos,
        StateBit::Qvel => &d.qvel,
        StateBit::Act => &d.act,
        StateBit::WarmStart => &d.qacc_warmstart,
        StateBit::Ctrl => &d.ctrl,
        StateBit::QfrcApplied => &d.qfrc_applied,
        StateBit::XfrcApplied => cast_slice(&d.xfrc_applied),
        StateBit::MocapPos => cast_slice(&d.mocap_pos),
        StateBit::MocapQuat => cast_slice(&d.mocap_quat),
        StateBit::Userdata => &d.userdata,
        StateBit::Plugin => &d.plugin_state,
        _ => return None,
    })
}

fn part_mut(d: &mut Data, part: StateBit) -> Option<&mut [f64]> {
    Some(match part {
        StateBit::Time => std::slice::from_mut(&mut d.time),
        StateBit::Qpos => &mut d.qpos,
        StateBit::Qvel => &mut d.qvel,
        StateBit::Act => &mut d.act,
        StateBit::WarmStart => &mut d.qacc_warmstart,
        StateBit::Ctrl => &mut d.ctrl,
        StateBit::QfrcApplied => &mut d.qfrc_applied,
        StateBit::XfrcApplied => cast_slice_mut(&mut d.xfrc_applied),
        StateBit::MocapPos => cast_slice_mut(&mut d.mocap_pos),
        StateBit::MocapQuat => cast_slice_mut(&mut d.mocap_quat),
        StateBit::Userdata => &mut d.userdata,
        StateBit::Plugin => &mut d.plugin_state,
        _ => return None,
    })
}

/// Copies the selected parts of the state into a vector of length [`size`].
pub fn get(m: &Model, d: &Data, state: &mut [f64], signature: u32) -> Result<(), StateError> {
    check_length(m, signature, state.len())?;
    let mut rest = state;
    for kind in parts(signature)? {
        let (head, tail) = rest.split_at_mut(part_size(m, kind));
        match part(d, kind) {
            Some(values) => head.copy_from_slice(values),
            None => head.iter_mut().zip(&d.eq_active).for_each(|(x, &on)| *x = on.into()),
        }
        rest = tail;
    }
    Ok(())
}

/// Copies a vector of length [`size`] into the selected parts of the state.
pub fn set(m: &Model, d: &mut Data, state: &[f64], signature: u32) -> Result<(), StateError> {
    check_length(m, signature, state.len())?;
    d.scratch.sleepers.memory.unsettle();
    let mut rest = state;
    for kind in parts(signature)? {
        let (head, tail) = rest.split_at(part_size(m, kind));
        match part_mut(d, kind) {
            Some(values) => values.copy_from_slice(head),
            None => d.eq_active.iter_mut().zip(head).for_each(|(on, &x)| *on = x as u8),
        }
        rest = tail;
    }
    Ok(())
}

/// Picks the parts `wanted` out of a vector that holds the parts `given`.
pub fn extract(
    m: &Model,
    source: &[f64],
    given: u32,
    target: &mut [f64],
    wanted: u32,
) -> Result<(), StateError> {
    if given & wanted != wanted {
        return Err(StateError::NotContained { given, wanted });
    }
    check_length(m, given, source.len())?;
    check_length(m, wanted, target.len())?;
    let (mut source, mut target) = (source, target);
    for kind in parts(given)? {
        let (head, rest) = source.split_at(part_size(m, kind));
        source = rest;
        if wanted & kind.raw() as u32 != 0 {
            let (place, rest) = target.split_at_mut(head.len());
            place.copy_from_slice(head);
            target = rest;
        }
    }
    Ok(())
}

/// Copies the selected parts of the state from one data to another of the same model.
pub fn copy(m: &Model, source: &Data, target: &mut Data, signature: u32) -> Result<(), StateError> {
    for kind in parts(signature)? {
        match (part(source, kind), part_mut(target, kind)) {
            (Some(from), Some(to)) if from.len() == to.len() => to.copy_from_slice(from),
            (Some(from), Some(_)) => {
                let expected = part_size(m, kind);
                return Err(StateError::Length { expected, found: from.len() });
            }
            _ => target.eq_active.clone_from(&source.eq_active),
        }
    }
    Ok(())
}
