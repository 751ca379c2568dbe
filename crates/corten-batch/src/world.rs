//! One world on one thread: loaded into a `Data`, advanced, and written back.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use corten_sim::stage::collision::{Hints, exchange_hints};
use corten_sim::{Data, Model, state};

use crate::failure::{Cause, Failure, SIGNATURE};
use crate::hook::{ControlFn, DoneFn, ResetFn, RewardFn};
use crate::parameters::Parameter;
use crate::table::{self, Rows, Slot};

/// What a task adds to the physics.
#[derive(Default)]
pub struct Task {
    pub reward: Option<Box<dyn RewardFn>>,
    pub termination: Option<Box<dyn DoneFn>>,
    pub truncation: Option<Box<dyn DoneFn>>,
    pub control: Option<Box<dyn ControlFn>>,
    pub reset: Option<Box<dyn ResetFn>>,
}

/// What one thread owns. Aligned so that two threads never share a cache line.
#[repr(align(128))]
pub struct Worker {
    pub data: Data,
    /// A private copy of the model, once parameters differ between worlds.
    pub model: Option<Box<Model>>,
}

/// What all worlds share during a call.
pub struct Context<'a> {
    pub model: &'a Model,
    pub slots: &'a [Slot],
    pub inputs: Range<usize>,
    pub parameters: &'a [Parameter],
    pub task: &'a Task,
    pub steps: usize,
    pub keyframe: Option<usize>,
}

/// Neighbouring worlds: a job of one thread.
pub struct Piece<'a> {
    pub first: usize,
    pub rows: Vec<Rows<'a>>,
    pub own: &'a mut [Data],
    pub hints: &'a mut [Hints],
    pub states: &'a mut [f64],
    pub rewards: &'a mut [f64],
    pub terminated: &'a mut [bool],
    pub truncated: &'a mut [bool],
    pub errors: &'a mut [Option<Failure>],
}

impl Piece<'_> {
    pub fn each(
        mut self,
        context: &Context<'_>,
        worker: &mut Worker,
        width: usize,
        visit: &impl Fn(&mut World<'_, '_>, &mut Stage<'_>),
    ) {
        for i in 0..self.rewards.len() {
            let index = self.first + i;
            let model = match &mut worker.model {
                Some(own) if !context.parameters.is_empty() => {
                    for parameter in context.parameters {
                        parameter.apply(index, own);
                    }
                    own
                }
                _ => context.model,
            };
            let data = self.own.get_mut(i).unwrap_or(&mut worker.data);
            let mut none = Hints::default();
            let mut world = World {
                index,
                hints: self.hints.get_mut(i).unwrap_or(&mut none),
                row: i,
                rows: &mut self.rows,
                state: &mut self.states[i * width..(i + 1) * width],
                reward: &mut self.rewards[i],
                terminated: &mut self.terminated[i],
                truncated: &mut self.truncated[i],
                failure: &mut self.errors[i],
            };
            let mut stage = Stage { context, model, data };
            let panic = catch_unwind(AssertUnwindSafe(|| visit(&mut world, &mut stage))).err();
            if let Some(panic) = panic {
                // Results may be half written, arrays out of place: this data is not used again.
                let hooks = stage.data.hooks.clone();
                *stage.data = Data::new(stage.model);
                stage.data.hooks = hooks;
                stage.fail(&mut world, Cause::Panic(reason(panic.as_ref())));
            }
        }
    }
}

fn reason(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown reason").into()
}

/// One world's part of all arrays.
pub struct World<'a, 'r> {
    pub index: usize,
    /// What collision detection remembers of it.
    pub hints: &'a mut Hints,
    /// Its row in the piece.
    pub row: usize,
    pub rows: &'a mut [Rows<'r>],
    pub state: &'a mut [f64],
    pub reward: &'a mut f64,
    pub terminated: &'a mut bool,
    pub truncated: &'a mut bool,
    pub failure: &'a mut Option<Failure>,
}

/// Where a world is computed: its model, and the data it is loaded into.
pub struct Stage<'a> {
    pub context: &'a Context<'a>,
    pub model: &'a Model,
    pub data: &'a mut Data,
}

impl Stage<'_> {
    /// Steps a world. If that fails, its rows keep the state and the inputs before the step.
    pub fn step(&mut self, world: &mut World<'_, '_>) {
        let Stage { context, model, .. } = *self;
        self.load(world);
        if let Some(hook) = &context.task.control {
            hook.control(model, self.data, world.index);
            self.store(world, context.inputs.clone());
        }
        exchange_hints(self.data, world.hints);
        let result = (0..context.steps).try_for_each(|_| corten_sim::step(model, self.data));
        exchange_hints(self.data, world.hints);
        if let Err(error) = result {
            self.fail(world, error.into());
            return;
        }
        self.store(world, 0..context.slots.len());
        let (m, d) = (model, &*self.data);
        let task = context.task;
        *world.reward = task.reward.as_ref().map_or(0.0, |f| f.compute(m, d));
        *world.terminated = task.termination.as_ref().is_some_and(|f| f.is_done(m, d));
        *world.truncated = task.truncation.as_ref().is_some_and(|f| f.is_done(m, d));
    }

    pub fn forward(&mut self, world: &mut World<'_, '_>) {
        self.load(world);
        corten_sim::forward(self.model, self.data);
        self.store(world, self.context.inputs.end..self.context.slots.len());
    }

    pub fn reset(&mut self, world: &mut World<'_, '_>) {
        let Stage { context, model, .. } = *self;
        match context.keyframe {
            Some(key) => {
                self.data.reset_to_keyframe(model, key);
            }
            None => self.data.reset(model),
        }
        if let Some(hook) = &context.task.reset {
            hook.reset(model, self.data, world.index);
        }
        *world.failure = None;
        *world.reward = 0.0;
        (*world.terminated, *world.truncated) = (false, false);
        self.store(world, 0..context.slots.len());
    }

    /// Records a failure from the state in the world's rows.
    fn fail(&mut self, world: &mut World<'_, '_>, cause: Cause) {
        self.load(world);
        let mut state = vec![0.0; state::size(self.model, SIGNATURE).unwrap_or(0)];
        // The size is the signature's own.
        let _ = state::get(self.model, self.data, &mut state, SIGNATURE);
        let steps = self.context.steps;
        *world.failure = Some(Failure { world: world.index, cause, state, steps });
        *world.reward = 0.0;
        *world.terminated = true;
    }

    /// Puts a world's state and inputs into the data.
    fn load(&mut self, world: &World<'_, '_>) {
        let slots = self.context.slots[..self.context.inputs.end].iter();
        for (slot, rows) in slots.zip(world.rows.iter()) {
            table::load(*slot, rows, world.row, self.data);
        }
    }

    /// Writes a range of columns back to the world's rows.
    fn store(&self, world: &mut World<'_, '_>, columns: Range<usize>) {
        let slots = &self.context.slots[columns.clone()];
        for (slot, rows) in slots.iter().zip(&mut world.rows[columns]) {
            table::store(*slot, rows, world.row, self.data);
        }
        let (qpos, qvel) = world.state.split_at_mut(self.data.qpos.len());
        qpos.copy_from_slice(&self.data.qpos);
        qvel.copy_from_slice(&self.data.qvel);
    }
}
