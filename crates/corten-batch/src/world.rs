//! One world on one thread: loaded into a `Data`, advanced, and written back.

use corten_math::memory::{self, OutOfMemory};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use corten_sim::lanes::{self, LaneGroup};
use corten_sim::stage::collision::{Clearance, SavedPairs, swap_saved_pairs};
use corten_sim::stage::{body_force, velocity};
use corten_sim::{Data, Model, StepError, state};

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
    pub late: LateResults,
}

/// Results that no stage of a step computes unless a sensor asks for them, but an output does.
#[derive(Clone, Copy)]
pub struct LateResults {
    /// Accelerations and forces of bodies.
    body_forces: bool,
    /// Momentum of subtrees.
    momentum: bool,
}

impl LateResults {
    /// What arrays of these names need.
    pub fn of(names: impl Iterator<Item = &'static str>) -> LateResults {
        let mut late = LateResults { body_forces: false, momentum: false };
        for name in names {
            late.body_forces |= matches!(name, "cacc" | "cfrc_int" | "cfrc_ext");
            late.momentum |= matches!(name, "subtree_linvel" | "subtree_angmom");
        }
        late
    }

    fn compute(self, m: &Model, d: &mut Data) {
        if self.body_forces {
            body_force::body_forces(m, d);
        }
        if self.momentum {
            velocity::subtree_velocities(m, d);
        }
    }
}

/// Neighbouring worlds: a job of one thread.
pub struct Piece<'a> {
    pub first: usize,
    pub rows: Vec<Rows<'a>>,
    pub own: &'a mut [Data],
    pub saved_pairs: &'a mut [SavedPairs],
    /// Of every group of worlds that may go side by side.
    pub clearances: &'a mut [Clearance],
    pub states: &'a mut [f64],
    pub rewards: &'a mut [f64],
    pub terminated: &'a mut [bool],
    pub truncated: &'a mut [bool],
    pub errors: &'a mut [Option<Failure>],
}

impl<'r> Piece<'r> {
    /// Visits all worlds; with `stepping`, those that step go side by side where they can.
    pub fn each(
        mut self,
        context: &Context<'_>,
        worker: &mut Worker,
        width: usize,
        stepping: bool,
        visit: &impl Fn(&mut World<'_, '_>, &mut Stage<'_>),
    ) {
        let mut i = 0;
        while i < self.rewards.len() {
            if stepping && self.step_group(context, worker, width, i) {
                i += lanes::WORLDS;
            } else {
                self.one(context, worker, width, i, visit);
                i += 1;
            }
        }
    }

    /// The part of world `i` in all arrays; `none` stands in for saved_pairs that the world has no use for.
    fn world<'a>(&'a mut self, i: usize, width: usize, none: &'a mut SavedPairs) -> World<'a, 'r> {
        World {
            index: self.first + i,
            saved_pairs: self.saved_pairs.get_mut(i).unwrap_or(none),
            row: i,
            rows: &mut self.rows,
            state: &mut self.states[i * width..(i + 1) * width],
            reward: &mut self.rewards[i],
            terminated: &mut self.terminated[i],
            truncated: &mut self.truncated[i],
            failure: &mut self.errors[i],
        }
    }

    fn one(
        &mut self,
        context: &Context<'_>,
        worker: &mut Worker,
        width: usize,
        i: usize,
        visit: &impl Fn(&mut World<'_, '_>, &mut Stage<'_>),
    ) {
        let model = match &mut worker.model {
            Some(own) if !context.parameters.is_empty() => {
                for parameter in context.parameters {
                    parameter.apply(self.first + i, own);
                }
                own
            }
            _ => context.model,
        };
        let own = std::mem::take(&mut self.own);
        let data = own.get_mut(i).unwrap_or(&mut worker.data);
        let mut none = SavedPairs::default();
        let mut world = self.world(i, width, &mut none);
        guarded(&mut Stage { context, model, data }, &mut world, visit);
        self.own = own;
    }

    /// Steps the worlds from `i` on side by side, if there are enough of them that are well and
    /// share their model; tells whether it did. Should the engine panic, they are left as they were.
    fn step_group(
        &mut self,
        context: &Context<'_>,
        worker: &mut Worker,
        width: usize,
        i: usize,
    ) -> bool {
        let m = context.model;
        let indices = i..i + lanes::WORLDS;
        if !self.errors.get(indices.clone()).is_some_and(|e| e.iter().all(Option::is_none))
            || !context.parameters.is_empty()
            || !self.own.is_empty()
            || !lanes::supported(m, &worker.data)
        {
            return false;
        }
        let Ok(mut group) = LaneGroup::take_or_make(m, &mut worker.data) else { return false };
        let LaneGroup { others: [a, b, c], lanes } = &mut *group;
        let mut datas = [&mut worker.data, a, b, c];
        let mut none = SavedPairs::default();
        let mut clearance = Clearance::default();
        let run = catch_unwind(AssertUnwindSafe(|| {
            for (data, i) in datas.iter_mut().zip(indices.clone()) {
                Stage { context, model: m, data }.begin(&mut self.world(i, width, &mut none));
            }
            let clearance = self.clearances.get_mut(i / lanes::WORLDS).unwrap_or(&mut clearance);
            lanes.swap_clearance(clearance);
            let results = context.steps_of_group(lanes, &mut datas);
            lanes.swap_clearance(clearance);
            results
        }));
        let results = match run {
            Ok(results) => results,
            // One by one they need less.
            Err(panic) if panic.is::<OutOfMemory>() => return false,
            Err(_) => {
                worker.data = Data::new(m);
                return false;
            }
        };
        for ((data, i), result) in datas.into_iter().zip(indices).zip(results) {
            let mut world = self.world(i, width, &mut none);
            let finish = |world: &mut World<'_, '_>, stage: &mut Stage<'_>| {
                stage.finish(world, result.clone());
            };
            guarded(&mut Stage { context, model: m, data }, &mut world, &finish);
        }
        group.give_back(&mut worker.data);
        true
    }
}

impl Context<'_> {
    /// All steps of a group; a world that fails steps no further, and leaves the others to
    /// themselves.
    fn steps_of_group(
        &self,
        scratch: &mut lanes::LaneScratch,
        worlds: &mut [&mut Data; lanes::WORLDS],
    ) -> [Result<(), StepError>; lanes::WORLDS] {
        let task = self.task;
        let hooks =
            task.reward.is_some() || task.termination.is_some() || task.truncation.is_some();
        // Otherwise nobody sees more of the data than state, inputs and sensors.
        let outputs = self.slots.len() > self.inputs.end + 1;
        let mut results = [const { Ok(()) }; lanes::WORLDS];
        for left in (0..self.steps).rev() {
            if results.iter().all(Result::is_err) {
                break;
            }
            if results.iter().all(Result::is_ok) {
                results = lanes::step(self.model, scratch, worlds, left == 0 && (hooks || outputs));
            } else {
                for (result, d) in results.iter_mut().zip(worlds.iter_mut()) {
                    if result.is_ok() {
                        *result = corten_sim::step(self.model, d);
                    }
                }
            }
        }
        results
    }
}

/// Does something with a world; a panic is its failure.
fn guarded(
    stage: &mut Stage<'_>,
    world: &mut World<'_, '_>,
    visit: &impl Fn(&mut World<'_, '_>, &mut Stage<'_>),
) {
    let panic = catch_unwind(AssertUnwindSafe(|| visit(world, stage))).err();
    if let Some(panic) = panic {
        if let Some(&cause) = panic.downcast_ref::<OutOfMemory>() {
            let time = stage.data.time;
            return stage.fail(world, StepError::Memory { time, cause }.into());
        }
        // Results may be half written, arrays out of place: this data is not used again.
        let (hooks, cancel) = (stage.data.hooks.clone(), stage.data.cancel.clone());
        *stage.data = Data::new(stage.model);
        (stage.data.hooks, stage.data.cancel) = (hooks, cancel);
        stage.fail(world, Cause::Panic(reason(panic.as_ref())));
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
    pub saved_pairs: &'a mut SavedPairs,
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
        self.begin(world);
        let Stage { context, model, .. } = *self;
        let result = (0..context.steps).try_for_each(|_| corten_sim::step(model, self.data));
        self.finish(world, result);
    }

    /// Puts a world and its controls into the data.
    fn begin(&mut self, world: &mut World<'_, '_>) {
        let Stage { context, model, .. } = *self;
        self.load(world);
        if let Some(hook) = &context.task.control {
            hook.control(model, self.data, world.index);
            self.store(world, context.inputs.clone());
        }
        swap_saved_pairs(self.data, world.saved_pairs);
    }

    /// Takes a world and its results from the data.
    fn finish(&mut self, world: &mut World<'_, '_>, result: Result<(), StepError>) {
        let Stage { context, model, .. } = *self;
        swap_saved_pairs(self.data, world.saved_pairs);
        match result {
            Err(StepError::Cancelled { .. }) => {
                // No failure: it has got as far as its last whole step.
                self.store(world, 0..context.inputs.start);
                return self.publish(world);
            }
            Err(error) => return self.fail(world, error.into()),
            Ok(()) => {}
        }
        context.late.compute(model, self.data);
        // Only user code changes inputs.
        if self.data.hooks.is_some() {
            self.store(world, context.inputs.clone());
        }
        self.store(world, 0..context.inputs.start);
        self.store(world, context.inputs.end..context.slots.len());
        self.publish(world);
        let (m, d) = (model, &*self.data);
        let task = context.task;
        *world.reward = task.reward.as_ref().map_or(0.0, |f| f.compute(m, d));
        *world.terminated = task.termination.as_ref().is_some_and(|f| f.is_done(m, d));
        *world.truncated = task.truncation.as_ref().is_some_and(|f| f.is_done(m, d));
    }

    pub fn forward(&mut self, world: &mut World<'_, '_>) {
        self.load(world);
        if let Err(error) = corten_sim::forward(self.model, self.data) {
            self.fail(world, error.into());
            return;
        }
        self.context.late.compute(self.model, self.data);
        self.store(world, self.context.inputs.end..self.context.slots.len());
        self.publish(world);
    }

    pub fn reset(&mut self, world: &mut World<'_, '_>) {
        let Stage { context, model, .. } = *self;
        let result = match context.keyframe {
            Some(key) => self.data.reset_to_keyframe(model, key).map(drop),
            None => self.data.reset(model),
        };
        if let Err(error) = result {
            self.fail(world, error.into());
            return;
        }
        if let Some(hook) = &context.task.reset {
            hook.reset(model, self.data, world.index);
        }
        *world.failure = None;
        *world.reward = 0.0;
        (*world.terminated, *world.truncated) = (false, false);
        self.store(world, 0..context.slots.len());
        self.publish(world);
    }

    /// Records a failure from the state in the world's rows.
    fn fail(&mut self, world: &mut World<'_, '_>, cause: Cause) {
        self.load(world);
        let size = state::size(self.model, SIGNATURE).unwrap_or(0);
        let mut state = memory::guard(|| memory::zeroed(size)).unwrap_or_default();
        // The size is the signature's own, if there is memory.
        let _ = state::get(self.model, self.data, &mut state, SIGNATURE);
        let steps = self.context.steps;
        *world.failure = Some(Failure { world: world.index, cause, state, steps });
        *world.reward = 0.0;
        *world.terminated = true;
    }

    /// Puts a world's state and inputs into the data.
    fn load(&mut self, world: &World<'_, '_>) {
        let slots = self.context.slots[..self.context.inputs.end].iter();
        for (slot, rows) in slots.zip(world.rows.iter()).filter(|(slot, _)| slot.width > 0) {
            table::load(*slot, rows, world.row, self.data);
        }
    }

    /// Writes a range of columns back to the world's rows.
    fn store(&self, world: &mut World<'_, '_>, columns: Range<usize>) {
        let slots = self.context.slots[columns.clone()].iter();
        let rows = slots.zip(&mut world.rows[columns]).filter(|(slot, _)| slot.width > 0);
        for (slot, rows) in rows {
            table::store(*slot, rows, world.row, self.data);
        }
    }

    /// Writes positions and velocities to the results of the batch.
    fn publish(&self, world: &mut World<'_, '_>) {
        let (qpos, qvel) = world.state.split_at_mut(self.data.qpos.len());
        qpos.copy_from_slice(&self.data.qpos);
        qvel.copy_from_slice(&self.data.qvel);
    }
}
