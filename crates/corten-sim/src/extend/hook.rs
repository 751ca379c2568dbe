//! User code inside of a step.
//!
//! A [`Hook`] answers for what a model leaves to its user: actuators of user type, user sensors,
//! additional passive forces, controls computed in the middle of a step, the choice of contacts.
//! Every method has a default that leaves MuJoCo's behaviour without callbacks; a method answers to
//! the callback named in its description. Hooks belong to a [`Data`], so simulations that run side
//! by side can have different ones; copies of the data share them. New data take the hook of their
//! model ([`Model::set_hook`]), so that batches and rollouts have it too.

use std::fmt;
use std::sync::Arc;

use corten_model::enums::Stage;

use super::Outcome;
use crate::{Data, Model};

/// Called by the stages at MuJoCo's callback points. State of its own must be behind a lock or an
/// atomic, because copies of one `Data` may step on several threads.
pub trait Hook: Send + Sync {
    /// What messages call it.
    fn name(&self) -> &str {
        "hook"
    }

    /// Sets controls and applied forces once velocities are known (`mjcb_control`).
    fn control(&self, m: &Model, d: &mut Data) -> Outcome {
        let _ = (m, d);
        Ok(())
    }

    /// Adds to `qfrc_passive` (`mjcb_passive`).
    fn passive(&self, m: &Model, d: &mut Data) -> Outcome {
        let _ = (m, d);
        Ok(())
    }

    /// Fills the user sensors of one stage; called if there are any (`mjcb_sensor`).
    fn sensor(&self, m: &Model, d: &mut Data, stage: Stage) -> Outcome {
        let _ = (m, d, stage);
        Ok(())
    }

    /// Rate of the activation of an actuator with user dynamics (`mjcb_act_dyn`). An actuator with
    /// several activations has them written to `act_dot`; what is returned counts for nothing then.
    fn activation_rate(&self, m: &Model, d: &mut Data, actuator: usize) -> Outcome<Option<f64>> {
        let _ = (m, d, actuator);
        Ok(None)
    }

    /// Gain of an actuator with user gain; 1 if not answered (`mjcb_act_gain`).
    fn gain(&self, m: &Model, d: &mut Data, actuator: usize) -> Outcome<Option<f64>> {
        let _ = (m, d, actuator);
        Ok(None)
    }

    /// Bias of an actuator with user bias; 0 if not answered (`mjcb_act_bias`).
    fn bias(&self, m: &Model, d: &mut Data, actuator: usize) -> Outcome<Option<f64>> {
        let _ = (m, d, actuator);
        Ok(None)
    }

    /// Derivatives of user gain and user bias by the actuator's velocity, which implicit integrators
    /// use; MuJoCo takes them as zero.
    fn slopes(&self, m: &Model, d: &Data, actuator: usize) -> Slopes {
        let _ = (m, d, actuator);
        Slopes::default()
    }

    /// The present time in any unit, which turns on the timers of the stages in `Data::timer`
    /// (`mjcb_time`).
    fn time(&self) -> Option<f64> {
        None
    }

    /// Whether two geoms that touch and that `contype` and `conaffinity` let collide get no contact
    /// all the same; pairs that the model lists are not asked about (`mjcb_contactfilter`, which is
    /// asked before masks of geoms are looked at).
    fn rejects(&self, m: &Model, d: &mut Data, geoms: [usize; 2]) -> bool {
        let _ = (m, d, geoms);
        false
    }
}

/// Derivatives of an actuator's gain and bias by its velocity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Slopes {
    /// Of the gain.
    pub gain: f64,
    /// Of the bias.
    pub bias: f64,
}

/// The hook of a simulation, if it has one.
#[derive(Clone, Default)]
pub struct Hooks(Option<Arc<dyn Hook>>);

impl Hooks {
    /// Calls a hook from now on.
    pub fn new(hook: impl Hook + 'static) -> Hooks {
        Hooks(Some(Arc::new(hook)))
    }

    /// The hook, as a handle of its own, so that it can be given the data it came from.
    #[inline]
    pub fn get(&self) -> Option<Arc<dyn Hook>> {
        self.0.clone()
    }

    /// The present time, if the hook tells it.
    pub(crate) fn time(&self) -> Option<f64> {
        self.0.as_ref()?.time()
    }

    /// Whether there is a hook.
    #[inline]
    pub fn is_some(&self) -> bool {
        self.0.is_some()
    }
}

impl<H: Hook + 'static> From<Arc<H>> for Hooks {
    fn from(hook: Arc<H>) -> Hooks {
        Hooks(Some(hook))
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_some() { "Hooks(1)" } else { "Hooks(0)" })
    }
}
