//! The changing part of a simulation.

pub(crate) mod attached;
mod contact;
mod fields;
pub(crate) mod lent;
mod reset;
pub(crate) mod room;
mod scratch;
pub(crate) mod shared;
pub(crate) mod smooth;
mod stats;
pub(crate) mod structure;

pub use contact::Contact;
pub use fields::Data;
pub use stats::{
    NISLAND, NSOLVER, NTIMER, NWARNING, SolverStat, SolverStats, TimerStat, WarningStat,
};

use corten_model::enums::Warning;

impl Data {
    /// The counter of one warning.
    pub fn warning_mut(&mut self, warning: Warning) -> &mut WarningStat {
        &mut self.warning[warning.raw() as usize]
    }
}
