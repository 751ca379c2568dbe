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
        let prepared = m.prepared();
        if Arc::ptr_eq(prepared, &self.prepared) {
            return Ok(());
        }
        self.rebind(m, prepared)
    }

    #[cold]
    #[inline(never)]
    fn rebind(&mut self, m: &Model, prepared: &Arc<Prepared>) -> Result<(), StepError> {
        let [own, given] = [&self.prepared, prepared].map_inline(|p| &p.inputs.sizes);
        if let Some((size, data, model)) = own.difference(given) {
            return Err(StepError::OtherSizes { size, data, model });
        }
        let same_layout = self.prepared.has_layout_of(prepared);
        self.prepared = prepared.clone();
        if same_layout {
            self.scratch.tendons = tendon::Scratch::default();
            self.scratch.flex = flex::Scratch::new(m, &prepared.flexes);
            self.scratch.collision.forget_model();
        } else {
            let threads = self.scratch.threads.clone();
            self.scratch = Scratch { threads, ..Scratch::new(m, prepared) };
            self.contact.clear();
            self.ncon = 0;
            self.clear_constraints();
            sleep::update(m, self);
        }
        Ok(())
    }
}
