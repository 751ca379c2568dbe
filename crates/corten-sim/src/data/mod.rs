//! The changing part of a simulation.

mod bind;
pub(crate) mod budget;
mod contact;
mod fields;
pub(crate) mod growth;
mod heap_array;
mod reset;
mod scratch;
pub(crate) mod smooth;
mod stats;

pub use budget::{Budget, OnExcess};
pub use contact::Contact;
pub use fields::Data;
pub use heap_array::HeapArray;
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
