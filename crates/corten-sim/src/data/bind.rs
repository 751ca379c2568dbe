use corten_math::memory;
use std::sync::Arc;

use super::Data;
use super::scratch::Scratch;
use crate::prepared::Prepared;
use crate::stage::{flex, tendon};
use crate::{Model, StepError, sleep};
use corten_math::array::MapInline;

impl Data {
    /// Takes up the structure of a model, which may be another one than that of the last step, or
    /// have changed since. Functions that run the engine do so by themselves; a single stage expects
    /// that it has been done.
    ///
    /// The model must have the sizes of the one that the data was made for. Where its kinematic
    /// structure differs, the data has no contacts and constraints until they are computed anew.
    #[inline(always)]
    pub fn bind(&mut self, m: &Model) -> Result<(), StepError> {
        match m.prepared_before() {
            Some(prepared) if Arc::ptr_eq(prepared, &self.prepared) => Ok(()),
            _ => self.rebind(m),
        }
    }

    #[cold]
    #[inline(never)]
    fn rebind(&mut self, m: &Model) -> Result<(), StepError> {
        let taken_up = memory::guard(|| self.take_up(m, m.prepared()));
        taken_up.unwrap_or_else(|cause| Err(StepError::Memory { time: self.time, cause }))
    }

    fn take_up(&mut self, m: &Model, prepared: &Arc<Prepared>) -> Result<(), StepError> {
        if Arc::ptr_eq(prepared, &self.prepared) {
            return Ok(());
        }
        let [own, given] = [&self.prepared, prepared].map_inline(|p| &p.inputs.sizes);
        if let Some((size, data, model)) = own.difference(given) {
            return Err(StepError::OtherSizes { size, data, model });
        }
        // What may be refused memory comes first.
        if self.prepared.has_layout_of(prepared) {
            self.scratch.flex = flex::Scratch::new(m, &prepared.flexes);
            self.scratch.tendons = tendon::Scratch::default();
            self.scratch.collision.forget_model();
        } else {
            let threads = self.scratch.threads.clone();
            self.scratch = Scratch { threads, ..Scratch::new(m, prepared) };
            self.contact.clear();
            self.ncon = 0;
            self.clear_constraints();
            sleep::update(m, self);
        }
        self.prepared = prepared.clone();
        Ok(())
    }
}
