//! States that can be gone back to: those of a recording, and the latest of a running simulation.

use std::collections::VecDeque;

use corten_model::enums::StateBit;
use corten_sim::{Data, Model, state};

/// Most states, and most numbers in them.
const MOST: (usize, usize) = (2000, 8_000_000);

/// The way that a simulation has come.
#[derive(Debug, Default)]
pub struct History {
    states: VecDeque<Vec<f64>>,
    /// How many states ago the present one is.
    back: usize,
}

const STATE: u32 = StateBit::Integration.raw() as u32;

impl History {
    pub fn clear(&mut self) {
        self.states.clear();
        self.back = 0;
    }

    /// Adds the present state; what was after it when it was gone back to is forgotten.
    pub fn push(&mut self, m: &Model, d: &Data) {
        let Ok(size) = state::size(m, STATE) else { return };
        self.states.drain(..self.back.min(self.states.len()));
        self.back = 0;
        let most = MOST.0.min(MOST.1 / size.max(1)).max(1);
        let mut row = if self.states.len() >= most {
            self.states.pop_back().unwrap_or_default()
        } else {
            Vec::new()
        };
        row.resize(size, 0.0);
        if state::get(m, d, &mut row, STATE).is_ok() {
            self.states.push_front(row);
        }
    }

    /// Goes back, or forward again; `false` if there is no such state.
    pub fn go(&mut self, m: &Model, d: &mut Data, by: i32) -> bool {
        let Some(to) = self.back.checked_add_signed(by as isize) else { return false };
        let to = to.min(self.states.len().saturating_sub(1));
        let Some(row) = self.states.get(to).filter(|_| to != self.back) else { return false };
        self.back = to;
        state::set(m, d, row, STATE).is_ok()
    }

    /// Whether the present state is not the latest.
    pub fn is_back(&self) -> bool {
        self.back > 0
    }
}

/// Brings data to a state of a recording.
pub type Restore = dyn Fn(&mut Data, usize) -> Result<(), String> + Send;

/// A recording on show.
pub struct Film {
    /// Times of its states, in order.
    pub times: Vec<f64>,
    /// How to get them.
    pub restore: Box<Restore>,
    /// The one that is shown.
    pub at: usize,
}

impl Film {
    /// The last state that is not after a time.
    pub fn index_at(&self, time: f64) -> usize {
        self.times.partition_point(|t| *t <= time).saturating_sub(1)
    }

    pub fn last(&self) -> usize {
        self.times.len().saturating_sub(1)
    }
}
