//! What pairs, contacts and rows of one simulation may take.
//!
//! Contacts are what a scene can have without bound: bodies in one place touch each other all. Where
//! their vector grows, and where their number times the most that one can cost passes the budget, their
//! true cost is summed up, rows included, and the list is cut. Otherwise nothing is counted.

use corten_math::memory::{self, OutOfMemory};
use corten_model::ModelArrays;
use corten_model::enums::Warning;

use super::{Contact, Data};
use crate::chain::index;
use crate::prepared::structure::Structure;
use crate::stage::constraint::is_pyramidal;
use crate::{CancelToken, Model, StepError, solve};

/// How many bytes the pairs, contacts and constraint rows of a simulation may take, and the matrix of
/// its solver, and what happens beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Bytes.
    pub bytes: usize,
    /// What happens beyond.
    pub on_excess: OnExcess,
}

/// What happens to a step that would exceed the [`Budget`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnExcess {
    /// It ends with [`StepError::Limit`] and leaves the state as it was.
    #[default]
    Fail,
    /// It goes on with the first contacts, or without constraint forces if rows are too many, and
    /// counts a warning, as MuJoCo does when its memory is full.
    Keep,
}

impl Default for Budget {
    fn default() -> Budget {
        let bytes = corten_model::Limits::DEFAULT.data_bytes;
        Budget { bytes, on_excess: OnExcess::default() }
    }
}

/// Why a step has to end before it is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Limit { what: &'static str, limit: usize },
    Memory(OutOfMemory),
    Cancelled,
    Extension { name: String, message: String },
}

impl Stop {
    #[cold]
    #[inline(never)]
    fn error(&self, time: f64) -> StepError {
        match self {
            &Stop::Limit { what, limit } => StepError::Limit { time, what, limit },
            &Stop::Memory(cause) => StepError::Memory { time, cause },
            Stop::Cancelled => StepError::Cancelled { time },
            Stop::Extension { name, message } => {
                StepError::Extension { time, name: name.clone(), message: message.clone() }
            }
        }
    }
}

/// The share of the budget that pairs whose bounds meet may take.
const PAIRS_SHARE: usize = 16;
/// Bytes of a row in `efc_*` arrays, in those by island, and in vectors of the solver.
const ROW: usize = 400;
/// Bytes of a row and a column: in the Jacobian, in that by island and in the solver's.
const ENTRY: usize = 3 * size_of::<f64>();
/// Memory that any machine has, in bytes: not asked for.
pub(crate) const SMALL: usize = 1 << 24;
/// Most rows of a contact, and most axes that they are made from.
const MAX_ROWS: usize = 10;
const MAX_AXES: usize = 6;

/// Bytes of a contact with its rows.
fn cost(rows: usize, axes: usize, columns: usize) -> usize {
    size_of::<Contact>() + rows * ROW + (axes * ENTRY + 2 * size_of::<u32>()) * columns
}

/// Most bodies that carry a side of a contact: the vertices of an element, or the nodes of a flex.
fn bodies_of_side(m: &ModelArrays) -> usize {
    let nodes = m.flex_nodenum.iter().map(|&n| usize::try_from(n).unwrap_or(0)).max();
    nodes.map_or(1, |nodes| nodes.clamp(4, 27))
}

/// The most that a contact can cost, in bytes.
pub(crate) fn largest_cost(m: &ModelArrays, s: &Structure) -> usize {
    let longest = (0..m.nbody).map(|body| s.chain(body).len()).max().unwrap_or(0);
    cost(MAX_ROWS, MAX_AXES, 2 * bodies_of_side(m) * longest)
}

/// What contacts cost.
pub(crate) struct Costs<'a> {
    pub m: &'a Model,
    pub structure: &'a Structure,
    pub bytes: usize,
}

impl Costs<'_> {
    fn of(&self, contact: &Contact) -> usize {
        let chain =
            |body: i32| index(body, self.m.nbody).map_or(0, |b| self.structure.chain(b).len());
        let columns = [0, 1].map(|side| {
            if let Some(&body) = self.m.geom_bodyid.get(contact.geom[side] as usize) {
                return chain(body);
            }
            // Vertices and nodes of a flex have similar chains.
            let Some(flex) = index(contact.flex[side], self.m.nflex) else { return 0 };
            let carriers = |adr: i32, of: &[i32]| index(adr, of.len()).map_or(0, |k| chain(of[k]));
            if self.m.flex_interp[flex] != 0 {
                let count = usize::try_from(self.m.flex_nodenum[flex]).unwrap_or(0);
                count * carriers(self.m.flex_nodeadr[flex], &self.m.flex_nodebodyid)
            } else {
                let count = if contact.vert[side] >= 0 { 1 } else { 4 };
                count * carriers(self.m.flex_vertadr[flex], &self.m.flex_vertbodyid)
            }
        });
        let axes = (contact.dim.max(1) as usize).min(MAX_AXES);
        let rows = if is_pyramidal(self.m) && axes > 1 { 2 * (axes - 1) } else { axes };
        cost(rows, axes, columns[0] + columns[1])
    }

    /// How many of the contacts keep to the budget.
    fn affordable(&self, contacts: &[Contact]) -> usize {
        let mut spent = 0usize;
        let over = contacts.iter().position(|contact| {
            spent = spent.saturating_add(self.of(contact));
            spent > self.bytes
        });
        over.unwrap_or(contacts.len())
    }

    /// Makes room for more contacts, where the vector has to grow; `false` if the budget or the
    /// machine has none.
    #[cold]
    #[inline(never)]
    pub fn make_room(&self, contacts: &mut Vec<Contact>, more: usize) -> bool {
        if self.affordable(contacts) < contacts.len() {
            return false;
        }
        let growth = contacts.len().max(more);
        contacts.try_reserve(growth).is_ok() || contacts.try_reserve_exact(more).is_ok()
    }
}

impl Data {
    /// Most pairs that may be looked at.
    pub(crate) fn max_pairs(&self, bytes_each: usize) -> usize {
        self.budget.bytes / PAIRS_SHARE / bytes_each
    }

    /// After contacts have been found: cuts their list if they and their rows would take more than
    /// the budget, or than the machine has.
    #[inline(always)]
    pub(crate) fn keep_to_budget(&mut self, m: &Model, cut_off: bool) {
        let most = self.contact.len().saturating_mul(self.prepared.contact_cost);
        if cut_off || most > self.scratch.proven_bytes.min(self.budget.bytes) {
            self.cut_contacts(m, most, cut_off);
        }
    }

    #[cold]
    #[inline(never)]
    fn cut_contacts(&mut self, m: &Model, most: usize, cut_off: bool) {
        let bytes = self.budget.bytes;
        let costs = Costs { m, structure: &self.prepared.structure, bytes };
        let count = costs.affordable(&self.contact);
        if cut_off || count < self.contact.len() {
            self.contact.truncate(count);
            self.ncon = count;
            self.exceed(Warning::ContactFull, "contacts and their rows", bytes);
        }
        // Grows in steps, so that a rising number of contacts asks now and then.
        let wanted = most.saturating_add(most / 4).min(bytes);
        let Some(more) = wanted.checked_sub(self.scratch.proven_bytes) else { return };
        match memory::probe(more) {
            Ok(()) => self.scratch.proven_bytes = wanted,
            Err(OutOfMemory(bytes)) => {
                self.contact.clear();
                self.ncon = 0;
                self.exceed(Warning::ContactFull, "contacts and their rows", bytes);
            }
        }
    }

    /// Notes that something is too much: as a warning, or as the end of the step.
    pub(crate) fn exceed(&mut self, warning: Warning, what: &'static str, limit: usize) {
        match self.budget.on_excess {
            OnExcess::Fail => self.scratch.stop = Some(Stop::Limit { what, limit }),
            OnExcess::Keep => {
                let contacts = self.ncon;
                self.warning_mut(warning).raise(contacts);
            }
        }
    }

    /// Begins a step, unless its end has been asked for; so much work is ahead.
    #[inline(always)]
    pub(crate) fn look_for_cancellation(&mut self, work: usize) -> Result<(), StepError> {
        // What ended the last step, which collision may not have been reached to forget.
        self.scratch.stop = None;
        match &self.cancel {
            Some(cancel) if cancel.is_due(work) => {
                self.scratch.stop = Some(Stop::Cancelled);
                self.check_stop()
            }
            _ => Ok(()),
        }
    }

    /// Does a part of a step; the step ends where the machine refuses memory to it.
    #[inline(always)]
    pub(crate) fn attempt(&mut self, part: impl FnOnce(&mut Data)) {
        if let Err(refused) = memory::guard(|| part(self)) {
            self.give_up_pass(refused);
        }
    }

    /// Contacts and rows may be half made, and what is kept for the next step, too: there are none.
    #[cold]
    #[inline(never)]
    fn give_up_pass(&mut self, refused: OutOfMemory) {
        self.contact.clear();
        self.ncon = 0;
        self.clear_constraints();
        self.scratch.forget();
        self.scratch.stop = Some(Stop::Memory(refused));
    }

    /// Ends the step if somebody has found that this has been asked for.
    #[inline(always)]
    pub(crate) fn stop_if_cancelled(&mut self) {
        if self.cancel.as_ref().is_some_and(CancelToken::is_cancelled) {
            self.scratch.stop = Some(Stop::Cancelled);
        }
    }

    /// Whether the step has to end.
    #[inline(always)]
    pub(crate) fn is_stopped(&self) -> bool {
        self.scratch.stop.is_some()
    }

    /// The error of a step that had to end.
    #[inline(always)]
    pub(crate) fn check_stop(&self) -> Result<(), StepError> {
        match &self.scratch.stop {
            None => Ok(()),
            Some(stop) => Err(stop.error(self.time)),
        }
    }

    /// The solver's matrix, or the rows of a dual solver, are too large: no constraint forces.
    #[cold]
    #[inline(never)]
    pub(crate) fn give_up_rows(&mut self, what: &'static str) {
        self.exceed(Warning::CnstrFull, what, self.budget.bytes);
        solve::release(self);
    }
}
