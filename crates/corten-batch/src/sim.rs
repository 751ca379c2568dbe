//! Worlds that advance together, each on its own.

use corten_math::memory::{self, Gather, Grow, OutOfMemory};
use std::sync::Arc;

use corten_model::arrays::ScalarKind;
use corten_model::enums::EnableBit;
use corten_sim::stage::collision::{Clearance, SavedPairs};
use corten_sim::{CancelToken, Data, Hooks, Model, constants, lanes};

use crate::failure::{Dump, Failure};
use crate::hook::{ControlFn, DoneFn, ResetFn, RewardFn};
use crate::parameters::{self, Parameter, ParameterError};
use crate::pool::Pool;
use crate::table::{self, Column, Rows, Slot};
use crate::world::{Context, LateResults, Piece, Stage, Task, Worker, World};

/// What happens to a world that failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// It is reset by the next call that steps.
    #[default]
    Reset,
    /// It keeps its last valid state until it is reset.
    Stop,
}

/// A mistake in using a batch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
// The messages say what the fields are.
#[allow(missing_docs)]
pub enum BatchError {
    #[error("data has no array '{0}' of a length that the model fixes")]
    Unknown(String),
    #[error("the mask has {found} entries, the batch {expected} worlds")]
    Mask { expected: usize, found: usize },
    #[error("there is no keyframe {0}")]
    Keyframe(usize),
    #[error("{worlds} worlds are more than {limit}, the limit 'worlds' of the model")]
    Worlds { worlds: usize, limit: usize },
    #[error("{worlds} worlds: {cause}")]
    Memory { worlds: usize, cause: OutOfMemory },
}

/// What a step of all worlds gave; everything by world.
#[derive(Clone, Copy, Debug)]
pub struct BatchResult<'a> {
    /// Positions, then velocities: rows of `nq + nv` numbers.
    pub states: &'a [f64],
    /// Rewards of the last step.
    pub rewards: &'a [f64],
    /// The episode is over: by the termination hook, or because the world failed.
    pub terminated: &'a [bool],
    /// The episode was cut off by the truncation hook.
    pub truncated: &'a [bool],
    /// Why a world has stopped; `None` as long as it is well.
    pub errors: &'a [Option<Failure>],
}

/// Results of the last step, by world.
#[derive(Default)]
struct Outcome {
    states: Vec<f64>,
    rewards: Vec<f64>,
    terminated: Vec<bool>,
    truncated: Vec<bool>,
    errors: Vec<Option<Failure>>,
}

/// What a world takes: its rows of the arrays, the numbers of its last step, and its data if it has one
/// of its own.
fn bytes_per_world(m: &Model, d: &Data) -> usize {
    let number = size_of::<f64>();
    let arrays = || (0..Data::FIXED_ARRAYS).filter_map(|i| d.array(i));
    let all: usize = arrays().map(|array| array.len() * number).sum();
    let names = table::STATE.iter().chain(&table::INPUT).chain(&["sensordata"]);
    let kept = names.filter_map(|name| d.array(Data::array_index(name)?));
    let rows: usize = kept.map(|array| array.len() * number).sum();
    let own = if m.opt.enabled(EnableBit::Sleep) { all + size_of::<Data>() } else { 0 };
    let result = (m.nq + m.nv + 4) * number + size_of::<Option<Failure>>();
    rows + own + result + size_of::<SavedPairs>() + size_of::<Clearance>() / lanes::WORLDS
}

/// Many worlds of one model.
///
/// ```
/// # use std::sync::Arc;
/// # use corten_batch::BatchSim;
/// # let text = "<mujoco><worldbody><body><joint name='hinge' type='hinge'/><geom size='.1' pos='1 0 0'/></body>
/// # </worldbody></mujoco>";
/// # let model = corten_sim::load_model_str(text, &Default::default()).unwrap();
/// let mut batch = BatchSim::new(Arc::new(model), 64)
///     .with_reward(|_: &_, d: &corten_sim::Data| d.qpos[0].cos())
///     .with_truncation(|_: &_, d: &corten_sim::Data| d.time > 1.0);
/// for (world, qpos) in batch.f64_mut("qpos").unwrap().iter_mut().enumerate() {
///     *qpos = 0.01 * world as f64;
/// }
/// let result = batch.step_all();
/// assert_eq!(result.states.len(), 64 * 2);
/// assert!(result.errors.iter().all(|e| e.is_none()));
/// ```
pub struct BatchSim {
    model: Arc<Model>,
    worlds: usize,
    pool: Pool,
    workers: Vec<Worker>,
    /// One `Data` per world, if trees may sleep; empty otherwise.
    own: Vec<Data>,
    /// What collision detection remembers of each world, unless it has a `Data`.
    saved_pairs: Vec<SavedPairs>,
    /// The room between bodies in every group of worlds that may go side by side.
    clearances: Vec<Clearance>,
    /// State, then inputs, then outputs.
    columns: Vec<Column>,
    inputs: std::ops::Range<usize>,
    parameters: Vec<Parameter>,
    task: Task,
    outcome: Outcome,
    steps: usize,
    keyframe: Option<usize>,
    on_failure: OnFailure,
    cancel: Option<CancelToken>,
}

impl BatchSim {
    /// `worlds` worlds in the reference pose, on one thread per core.
    ///
    /// # Panics
    /// If there are too many: [`Self::try_new`] tells instead.
    pub fn new(model: Arc<Model>, worlds: usize) -> BatchSim {
        match BatchSim::try_new(model, worlds) {
            Ok(batch) => batch,
            Err(error) => panic!("{error}"),
        }
    }

    /// [`Self::new`], or why there cannot be so many worlds: the model's limit, or the machine's memory.
    pub fn try_new(model: Arc<Model>, worlds: usize) -> Result<BatchSim, BatchError> {
        let limit = model.limits.worlds;
        if worlds > limit {
            return Err(BatchError::Worlds { worlds, limit });
        }
        let made = memory::guard(|| {
            let d = Data::new(&model);
            memory::probe(worlds.saturating_mul(bytes_per_world(&model, &d)))?;
            Ok(BatchSim::made_of(model, d, worlds))
        });
        made.flatten().map_err(|cause| BatchError::Memory { worlds, cause })
    }

    fn made_of(model: Arc<Model>, mut d: Data, worlds: usize) -> BatchSim {
        let names = || table::STATE.iter().chain(&table::INPUT).chain(&["sensordata"]);
        let columns: Vec<Column> =
            names().filter_map(|name| Column::new(&mut d, name, worlds)).collect();
        let inputs = table::STATE.len()..table::STATE.len() + table::INPUT.len();
        let (mut own, mut saved_pairs) = (Vec::new(), Vec::new());
        if model.opt.enabled(EnableBit::Sleep) {
            own.grow_resize(worlds, d);
        } else {
            saved_pairs.resize(worlds, SavedPairs::default());
        }
        let start: Vec<f64> = model.qpos0.iter().copied().chain(memory::zeroed(model.nv)).gather();
        let outcome = Outcome {
            states: memory::repeated(&start, worlds),
            rewards: vec![0.0; worlds],
            terminated: vec![false; worlds],
            truncated: vec![false; worlds],
            errors: vec![None; worlds],
        };
        let batch = BatchSim {
            worlds,
            pool: Pool::none(),
            workers: Vec::new(),
            own,
            saved_pairs,
            clearances: vec![Clearance::default(); worlds.div_ceil(lanes::WORLDS)],
            columns,
            inputs,
            parameters: Vec::new(),
            task: Task::default(),
            outcome,
            steps: 1,
            keyframe: None,
            on_failure: OnFailure::default(),
            cancel: None,
            model,
        };
        batch.with_threads(0)
    }

    /// Threads to work on, zero for one per core; no more than there are worlds, and than the model's
    /// limit allows. No result depends on it.
    pub fn with_threads(mut self, threads: usize) -> BatchSim {
        let most = self.worlds.clamp(1, self.model.limits.threads.max(1));
        self.pool = Pool::new(Pool::number(threads).min(most));
        let width = self.pool.width().min(self.worlds.max(1));
        self.workers.truncate(width);
        while self.workers.len() < width {
            let model = (!self.parameters.is_empty()).then(|| Box::new((*self.model).clone()));
            let mut data = Data::new(&self.model);
            data.cancel.clone_from(&self.cancel);
            if let Some(first) = self.workers.first() {
                data.hooks = first.data.hooks.clone();
            }
            self.workers.grow_push(Worker { data, model });
        }
        self
    }

    /// User code inside of every step of every world.
    pub fn with_hooks(mut self, hooks: Hooks) -> BatchSim {
        let datas = self.workers.iter_mut().map(|w| &mut w.data).chain(&mut self.own);
        datas.for_each(|d| d.hooks = hooks.clone());
        self
    }

    /// Whoever may end a call that steps: each world then has got as far as its last whole step.
    pub fn with_cancel(mut self, token: CancelToken) -> BatchSim {
        let datas = self.workers.iter_mut().map(|w| &mut w.data).chain(&mut self.own);
        datas.for_each(|d| d.cancel = Some(token.clone()));
        self.cancel = Some(token);
        self
    }

    /// Whoever may end a call that steps.
    pub fn cancel(&self) -> Option<&CancelToken> {
        self.cancel.as_ref()
    }

    /// Steps that [`Self::step_all`] takes with the same controls; one unless said otherwise.
    pub fn with_steps(mut self, steps: usize) -> BatchSim {
        self.steps = steps;
        self
    }

    /// What happens to worlds that fail.
    pub fn with_failure_policy(mut self, policy: OnFailure) -> BatchSim {
        self.on_failure = policy;
        self
    }

    /// Worlds start from this keyframe, also now.
    pub fn with_keyframe(mut self, keyframe: usize) -> Result<BatchSim, BatchError> {
        if keyframe >= self.model.nkey {
            return Err(BatchError::Keyframe(keyframe));
        }
        self.keyframe = Some(keyframe);
        self.reset_all();
        Ok(self)
    }

    /// Adds an array of `Data` to those that every world keeps, as a result of its last step.
    pub fn with_output(mut self, name: &str) -> Result<BatchSim, BatchError> {
        self.add_output(name)?;
        Ok(self)
    }

    /// [`Self::with_output`] of a batch that is in use: zero until the next step.
    pub fn add_output(&mut self, name: &str) -> Result<(), BatchError> {
        if self.column(name).is_none() {
            let column = Column::new(&mut Data::new(&self.model), name, self.worlds);
            self.columns.push(column.ok_or_else(|| BatchError::Unknown(name.into()))?);
        }
        Ok(())
    }

    /// Rewards of every step.
    pub fn with_reward(mut self, reward: impl RewardFn + 'static) -> BatchSim {
        self.task.reward = Some(Box::new(reward));
        self
    }

    /// When an episode is over.
    pub fn with_termination(mut self, done: impl DoneFn + 'static) -> BatchSim {
        self.task.termination = Some(Box::new(done));
        self
    }

    /// When an episode is cut off.
    pub fn with_truncation(mut self, done: impl DoneFn + 'static) -> BatchSim {
        self.task.truncation = Some(Box::new(done));
        self
    }

    /// Controls that follow from the state.
    pub fn with_control(mut self, control: impl ControlFn + 'static) -> BatchSim {
        self.task.control = Some(Box::new(control));
        self
    }

    /// A hook that sees every world after it was reset, also now.
    pub fn with_reset(mut self, reset: impl ResetFn + 'static) -> BatchSim {
        self.task.reset = Some(Box::new(reset));
        self.reset_all();
        self
    }

    /// The model of all worlds.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Number of worlds.
    pub fn len(&self) -> usize {
        self.worlds
    }

    /// Whether there are no worlds.
    pub fn is_empty(&self) -> bool {
        self.worlds == 0
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.workers.len()
    }

    /// Steps that [`Self::step_all`] takes.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// See [`with_steps`](Self::with_steps).
    pub fn set_steps(&mut self, steps: usize) {
        self.steps = steps;
    }

    /// Names of the arrays that every world keeps: state, inputs, outputs.
    pub fn arrays(&self) -> impl Iterator<Item = &'static str> {
        self.columns.iter().map(Column::name)
    }

    fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.name() == name)
    }

    /// An array of real numbers of all worlds, one row per world.
    pub fn f64(&self, name: &str) -> Option<&[f64]> {
        match &self.columns[self.column(name)?].values {
            corten_model::container::Values::F64(v) => Some(v),
            _ => None,
        }
    }

    /// An array of integers of all worlds, one row per world.
    pub fn i32(&self, name: &str) -> Option<&[i32]> {
        match &self.columns[self.column(name)?].values {
            corten_model::container::Values::I32(v) => Some(v),
            _ => None,
        }
    }

    /// [`Self::f64`], writable.
    pub fn f64_mut(&mut self, name: &str) -> Option<&mut [f64]> {
        let column = self.column(name)?;
        match &mut self.columns[column].values {
            corten_model::container::Values::F64(v) => Some(v),
            _ => None,
        }
    }

    /// Number of arrays, parameters included.
    pub fn array_count(&self) -> usize {
        self.columns.len() + self.parameters.len()
    }

    /// The number of an array of all worlds, or of a parameter, and its scalar type.
    pub fn array_index(&self, name: &str) -> Option<(usize, ScalarKind)> {
        if let Some(column) = self.column(name) {
            return Some((column, self.columns[column].kind()));
        }
        let parameter = self.parameters.iter().position(|p| p.name() == name)?;
        Some((self.columns.len() + parameter, ScalarKind::F64))
    }

    /// Where an array is, and the number of scalars: memory that views may point into, since it
    /// does not move while the batch lives.
    pub fn array_place(&mut self, index: usize) -> Option<(*mut u8, usize)> {
        if let Some(column) = self.columns.get_mut(index) {
            return Some(column.place());
        }
        let values = self.parameters.get_mut(index.checked_sub(self.columns.len())?)?.values_mut();
        Some((values.as_mut_ptr().cast(), values.len()))
    }

    /// What the last step gave.
    pub fn result(&self) -> BatchResult<'_> {
        let Outcome { states, rewards, terminated, truncated, errors } = &self.outcome;
        BatchResult { states, rewards, terminated, truncated, errors }
    }

    /// Lets a parameter differ between worlds, and gives access to its rows: an array of real
    /// numbers of the model (`body_mass`, `geom_friction`, `actuator_gainprm`, `dof_damping`, ...)
    /// or of its options (`opt.gravity`, `opt.timestep`). Rows start with the model's own value.
    ///
    /// As when such an array of a model is changed, constants that were derived from it stay as
    /// they are until [`Self::derive_constants`].
    pub fn parameter(&mut self, name: &str) -> Result<&mut [f64], ParameterError> {
        let index = match self.parameters.iter().position(|p| p.name() == name) {
            Some(index) => index,
            None => {
                self.parameters.push(Parameter::new(&self.model, name, self.worlds)?);
                for worker in &mut self.workers {
                    worker.model.get_or_insert_with(|| Box::new((*self.model).clone()));
                }
                self.parameters.len() - 1
            }
        };
        Ok(self.parameters[index].values_mut())
    }

    /// Sets a parameter of one world.
    pub fn set_parameter(
        &mut self,
        world: usize,
        name: &str,
        values: &[f64],
    ) -> Result<(), ParameterError> {
        let worlds = self.worlds;
        if world >= worlds {
            return Err(ParameterError::World { world, worlds });
        }
        let all = self.parameter(name)?;
        let (expected, found) = (all.len() / worlds, values.len());
        if found != expected {
            return Err(ParameterError::Length { name: name.into(), expected, found });
        }
        all[world * expected..(world + 1) * expected].copy_from_slice(values);
        Ok(())
    }

    /// Names of the parameters that may differ between worlds.
    pub fn parameters(&self) -> impl Iterator<Item = String> {
        self.parameters.iter().map(Parameter::name)
    }

    /// Recomputes, for every world, what follows from its parameters: masses of subtrees, inverse
    /// inertias that scale constraints, accelerations of actuators and so on. Whatever then
    /// differs from the shared model becomes a parameter.
    pub fn derive_constants(&mut self) -> Result<(), ParameterError> {
        let mut d = Data::new(&self.model);
        for world in 0..self.worlds {
            let mut own = self.world_model(world);
            let before = own.clone();
            constants::set_const(&mut own, &mut d)
                .map_err(|e| ParameterError::Constants { world, cause: e.to_string() })?;
            for name in parameters::differences(&before, &own) {
                self.parameter(&name)?;
            }
            for parameter in &mut self.parameters {
                parameter.take(world, &own);
            }
        }
        Ok(())
    }

    /// The model of one world, with its parameters.
    pub fn world_model(&self, world: usize) -> Model {
        let mut model = (*self.model).clone();
        for parameter in &self.parameters {
            parameter.apply(world, &mut model);
        }
        model
    }

    /// The failure of a world with its model, if it has failed.
    pub fn dump(&self, world: usize) -> Option<Dump> {
        let failure = self.outcome.errors.get(world)?.as_ref()?;
        Some(Dump::new(self.world_model(world), failure))
    }

    /// Advances every world that has not failed. Failed worlds are reset instead, or stay as they
    /// are under [`OnFailure::Stop`].
    pub fn step_all(&mut self) -> BatchResult<'_> {
        let reset = self.on_failure == OnFailure::Reset;
        self.each(true, |world, stage| {
            if world.failure.is_none() {
                stage.step(world);
            } else if reset {
                stage.reset(world);
            } else {
                *world.reward = 0.0;
            }
        });
        self.result()
    }

    /// Advances the flagged worlds that have not failed; the others are not touched.
    pub fn step_where(&mut self, mask: &[bool]) -> Result<BatchResult<'_>, BatchError> {
        if mask.len() != self.worlds {
            return Err(BatchError::Mask { expected: self.worlds, found: mask.len() });
        }
        self.each(false, |world, stage| {
            if mask[world.index] && world.failure.is_none() {
                stage.step(world);
            }
        });
        Ok(self.result())
    }

    /// Computes everything that follows from states and inputs, sensors among it, without
    /// advancing time.
    pub fn forward_all(&mut self) {
        self.each(false, |world, stage| stage.forward(world));
    }

    /// [`Self::forward_all`] of the flagged worlds; the results of the others stay as they are.
    pub fn forward_where(&mut self, mask: &[bool]) -> Result<(), BatchError> {
        if mask.len() != self.worlds {
            return Err(BatchError::Mask { expected: self.worlds, found: mask.len() });
        }
        self.each(false, |world, stage| {
            if mask[world.index] {
                stage.forward(world);
            }
        });
        Ok(())
    }

    /// Brings one world back to the start.
    pub fn reset(&mut self, world: usize) {
        let mut mask = vec![false; self.worlds];
        if let Some(entry) = mask.get_mut(world) {
            *entry = true;
            self.reset_masked(&mask);
        }
    }

    /// Brings all worlds back to the start.
    pub fn reset_all(&mut self) {
        self.each(false, |world, stage| stage.reset(world));
    }

    /// Brings the flagged worlds back to the start; the others are not touched.
    pub fn reset_where(&mut self, mask: &[bool]) -> Result<(), BatchError> {
        if mask.len() != self.worlds {
            return Err(BatchError::Mask { expected: self.worlds, found: mask.len() });
        }
        self.reset_masked(mask);
        Ok(())
    }

    fn reset_masked(&mut self, mask: &[bool]) {
        self.each(false, |world, stage| {
            if mask[world.index] {
                stage.reset(world);
            }
        });
    }

    /// Visits every world, on all threads; to step those that are well, or for something else.
    fn each(&mut self, stepping: bool, visit: impl Fn(&mut World<'_, '_>, &mut Stage<'_>) + Sync) {
        let width = self.model.nq + self.model.nv;
        // Several pieces per thread, so that a slow world delays the end but little.
        let mut piece = self.worlds.div_ceil(8 * self.workers.len()).max(1);
        if stepping && self.worlds >= lanes::WORLDS * self.workers.len() {
            piece = piece.next_multiple_of(lanes::WORLDS);
        }
        let slots: Vec<Slot> =
            self.columns.iter().map(|c| Slot { field: c.field, width: c.width }).collect();
        let late = LateResults::of(self.columns.iter().map(Column::name));
        let mut columns: Vec<_> = self.columns.iter_mut().map(|c| c.pieces(piece)).collect();
        let (mut own, mut saved_pairs) =
            (self.own.chunks_mut(piece), self.saved_pairs.chunks_mut(piece));
        let mut clearances = self.clearances.chunks_mut(piece.div_ceil(lanes::WORLDS));
        let Outcome { states, rewards, terminated, truncated, errors } = &mut self.outcome;
        let mut states = states.chunks_mut((piece * width).max(1));
        let mut done = terminated.chunks_mut(piece).zip(truncated.chunks_mut(piece));
        let rewards = rewards.chunks_mut(piece).zip(errors.chunks_mut(piece)).enumerate();
        let pieces: Vec<Piece<'_>> = rewards
            .map(|(i, (rewards, errors))| {
                let (terminated, truncated) = done.next().unwrap_or_default();
                Piece {
                    first: i * piece,
                    rows: columns
                        .iter_mut()
                        .map(|c| c.next().unwrap_or(Rows::U8(&mut [])))
                        .collect(),
                    own: own.next().unwrap_or_default(),
                    saved_pairs: saved_pairs.next().unwrap_or_default(),
                    clearances: clearances.next().unwrap_or_default(),
                    states: states.next().unwrap_or_default(),
                    rewards,
                    terminated,
                    truncated,
                    errors,
                }
            })
            .collect();
        let context = Context {
            model: &self.model,
            slots: &slots,
            inputs: self.inputs.clone(),
            parameters: &self.parameters,
            task: &self.task,
            steps: self.steps,
            keyframe: self.keyframe,
            late,
        };
        let cancel = self.cancel.as_ref();
        self.pool.run(&mut self.workers, pieces.into_iter(), cancel, |worker, piece| {
            piece.each(&context, worker, width, stepping, &visit);
            None
        });
    }
}
