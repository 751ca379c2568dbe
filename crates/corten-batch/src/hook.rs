//! What a task adds to the physics: rewards, ends of episodes, controls, initial states.
//!
//! Hooks run on the batch's threads, right after (controls: right before) the step of a world, on
//! the `Data` that holds all results of that step. As after any step, positions and velocities are
//! those at the end of it, derived quantities such as `xpos` and sensors those at its beginning.
//! Every matching closure is a hook.

use corten_sim::{Data, Model};

/// The reward of a world after a step.
pub trait RewardFn: Send + Sync {
    /// The reward in the present state.
    fn compute(&self, model: &Model, data: &Data) -> f64;
}

impl<F: Fn(&Model, &Data) -> f64 + Send + Sync> RewardFn for F {
    fn compute(&self, model: &Model, data: &Data) -> f64 {
        self(model, data)
    }
}

/// Whether an episode is over after a step.
pub trait DoneFn: Send + Sync {
    /// Whether the episode is over.
    fn is_done(&self, model: &Model, data: &Data) -> bool;
}

impl<F: Fn(&Model, &Data) -> bool + Send + Sync> DoneFn for F {
    fn is_done(&self, model: &Model, data: &Data) -> bool {
        self(model, data)
    }
}

/// Sets controls and applied forces of a world before a step.
pub trait ControlFn: Send + Sync {
    /// Sets the controls of a world before a step.
    fn control(&self, model: &Model, data: &mut Data, world: usize);
}

impl<F: Fn(&Model, &mut Data, usize) + Send + Sync> ControlFn for F {
    fn control(&self, model: &Model, data: &mut Data, world: usize) {
        self(model, data, world);
    }
}

/// Changes the state of a world that has just been reset, for example at random.
pub trait ResetFn: Send + Sync {
    /// Changes a world after its reset.
    fn reset(&self, model: &Model, data: &mut Data, world: usize);
}

impl<F: Fn(&Model, &mut Data, usize) + Send + Sync> ResetFn for F {
    fn reset(&self, model: &Model, data: &mut Data, world: usize) {
        self(model, data, world);
    }
}
