//! Constants of a model that follow from its reference pose.
//!
//! Answers to MuJoCo's `mj_setConst` ([`set_const`]), `mj_setLengthRange` ([`length_range`]) and
//! the end of its compiler ([`finish`]).

mod finish;
mod fixed;
mod flex;
pub mod length_range;
mod reference;
mod statistics;

pub use finish::{finish, finish_with};

use corten_model::ModelArrays;
use corten_model::enums::ObjType;

use crate::stage::{inertia, kinematics, tendon};
use crate::{Data, Model, StepError};

/// Why the constants of a model cannot be found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
// The messages say what the fields are.
#[allow(missing_docs)]
pub enum ConstantsError {
    /// A tree that the author allows to sleep is held awake by a tendon.
    #[error(
        "the tree of body '{body}' may not sleep: tendon {tendon} {}",
        if *.trees > 2 { "spans more than two trees" } else { "has stiffness or damping" }
    )]
    SleeplessTendon { body: String, tendon: usize, trees: usize },
    /// A body that moves has no mass.
    #[error("body '{body}' moves but has no mass")]
    MasslessBody { body: String, index: usize },
    /// The data was made for a model of other sizes.
    #[error(transparent)]
    Data(#[from] StepError),
}

impl ConstantsError {
    /// The object to blame, if it is one of the model.
    pub fn subject(&self) -> Option<(ObjType, usize)> {
        match *self {
            ConstantsError::SleeplessTendon { tendon, .. } => Some((ObjType::Tendon, tendon)),
            ConstantsError::MasslessBody { index, .. } => Some((ObjType::Body, index)),
            ConstantsError::Data(_) => None,
        }
    }
}

/// Recomputes everything in a model that follows from its reference pose, after parameters have
/// changed. `d` serves as working memory and is left in the spring reference pose.
pub fn set_const(m: &mut Model, d: &mut Data) -> Result<(), ConstantsError> {
    d.bind(m)?;
    fixed::set(m)?;
    d.bind(m)?;
    reference::set(m, d)?;
    statistics::set(m, d);
    set_spring_lengths(m, d);
    Ok(())
}

/// Rest lengths of tendon springs that were left open: the lengths in `qpos_spring`.
fn set_spring_lengths(m: &mut Model, d: &mut Data) {
    d.qpos.copy_from_slice(&m.qpos_spring);
    kinematics::kinematics(m, d);
    inertia::centers_of_mass(m, d);
    tendon::tendon(m, d);
    for (spring, length) in m.tendon_lengthspring.iter_mut().zip(&d.ten_length) {
        if *spring == [-1.0; 2] {
            *spring = [*length; 2];
        }
    }
}

/// A body as error messages call it.
fn body_name(m: &ModelArrays, body: i32) -> String {
    let name = usize::try_from(body).ok().and_then(|b| m.object_names.name(ObjType::Body, b));
    name.map_or_else(|| format!("{body}"), str::to_owned)
}
