//! A model, its data and the laws of its physics as one value.
//!
//! [`Sim`] names its laws in its type, and [`SimBuilder`] puts them together:
//!
//! ```
//! use corten_sim::extend::contact::XpbdSolver;
//! use corten_sim::extend::flex::{BridsonBending, NeoHookean};
//! use corten_sim::sim::{MujocoSim, SimBuilder};
//! # let text = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>";
//! # let model = corten_sim::load_model_str(text, &Default::default()).unwrap();
//!
//! let mut plain: MujocoSim = SimBuilder::new().build(model.clone())?;
//! plain.step()?;
//!
//! let mut soft = SimBuilder::new()
//!     .bending(BridsonBending)
//!     .elasticity(NeoHookean::new(3e4, 1e5))
//!     .contact_solver(XpbdSolver::new(4))
//!     .build(model)?;
//! soft.step()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A step of a `Sim` is [`crate::step()`] on its model: there is one pipeline. Laws of the engine are choices of the model's arrays and options, which a
//! step looks at once per flex; a law of the user's own is called once per flex through a table, and its loops over hinges and elements are compiled for it.
//! A law that is not named stays what the model says.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::extend::contact::{ContactSolver, LcpSolver, XpbdSolver};
use crate::extend::flex::{
    BridsonBending, CotangentBending, FlexBendingModel, FlexElasticityModel, LinearElastic,
    NeoHookean,
};
use crate::extend::{ActuatorGainModel, DefaultGain, GainError};
use crate::{Data, Model, StepError};

/// MuJoCo's physics: what [`crate::step()`] does.
pub type MujocoSim = Sim<CotangentBending, LinearElastic, DefaultGain, LcpSolver>;

/// Cloth that folds and contacts by positions, for animation.
pub type AnimationSim = Sim<BridsonBending, LinearElastic, DefaultGain, XpbdSolver>;

/// Rubber and tissue, for soft robots and biomechanics.
pub type SoftBodySim = Sim<CotangentBending, NeoHookean, DefaultGain, LcpSolver>;

/// A simulation whose laws are part of its type.
#[derive(Clone, Debug)]
pub struct Sim<B = CotangentBending, E = LinearElastic, A = DefaultGain, C = LcpSolver> {
    model: Arc<Model>,
    data: Data,
    laws: PhantomData<(B, E, A, C)>,
}

impl<B, E, A, C> Sim<B, E, A, C> {
    /// The model, with its laws.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The state.
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// The state, to change.
    pub fn data_mut(&mut self) -> &mut Data {
        &mut self.data
    }

    /// Advances the simulation by one time step.
    pub fn step(&mut self) -> Result<(), StepError> {
        crate::step(&self.model, &mut self.data)
    }

    /// Everything that follows from the state and the controls, without advancing time.
    pub fn forward(&mut self) -> Result<(), StepError> {
        crate::forward(&self.model, &mut self.data)
    }

    /// Starts again from the reference pose.
    pub fn reset(&mut self) -> Result<(), StepError> {
        self.data.reset(&self.model)
    }

    /// Model and data, for functions that take both.
    pub fn into_parts(self) -> (Arc<Model>, Data) {
        (self.model, self.data)
    }
}

/// Puts a [`Sim`] together. Each setter changes the type.
#[derive(Clone, Debug)]
pub struct SimBuilder<B = CotangentBending, E = LinearElastic, A = DefaultGain, C = LcpSolver> {
    bending: Option<B>,
    elasticity: Option<E>,
    actuators: Option<A>,
    contact_solver: Option<C>,
}

impl SimBuilder {
    /// With the laws that the model names, which are MuJoCo's unless it says otherwise.
    pub fn new() -> SimBuilder {
        SimBuilder { bending: None, elasticity: None, actuators: None, contact_solver: None }
    }
}

impl Default for SimBuilder {
    fn default() -> SimBuilder {
        SimBuilder::new()
    }
}

impl<B, E, A, C> SimBuilder<B, E, A, C> {
    /// The law of bending of all surfaces that resist it.
    pub fn bending<L: FlexBendingModel + Clone + 'static>(self, law: L) -> SimBuilder<L, E, A, C> {
        let SimBuilder { elasticity, actuators, contact_solver, .. } = self;
        SimBuilder { bending: Some(law), elasticity, actuators, contact_solver }
    }

    /// The law of elasticity of all flexes that resist strain.
    pub fn elasticity<L: FlexElasticityModel + Clone + 'static>(
        self,
        law: L,
    ) -> SimBuilder<B, L, A, C> {
        let SimBuilder { bending, actuators, contact_solver, .. } = self;
        SimBuilder { bending, elasticity: Some(law), actuators, contact_solver }
    }

    /// The gain of all actuators.
    pub fn actuators<L: ActuatorGainModel + Clone + 'static>(
        self,
        law: L,
    ) -> SimBuilder<B, E, L, C> {
        let SimBuilder { bending, elasticity, contact_solver, .. } = self;
        SimBuilder { bending, elasticity, actuators: Some(law), contact_solver }
    }

    /// The solver of constraints.
    pub fn contact_solver<L: ContactSolver + Clone + 'static>(
        self,
        law: L,
    ) -> SimBuilder<B, E, A, L> {
        let SimBuilder { bending, elasticity, actuators, .. } = self;
        SimBuilder { bending, elasticity, actuators, contact_solver: Some(law) }
    }
}

impl<B, E, A, C> SimBuilder<B, E, A, C>
where
    B: FlexBendingModel + Clone + 'static,
    E: FlexElasticityModel + Clone + 'static,
    A: ActuatorGainModel + Clone + 'static,
    C: ContactSolver + Clone + 'static,
{
    /// The simulation of a model, in its reference pose. Fails where an actuator does not fit the gain.
    pub fn build(self, mut model: Model) -> Result<Sim<B, E, A, C>, GainError> {
        for flex in 0..model.nflex {
            if let Some(law) = &self.bending {
                match law.built_in() {
                    Some(choice) => model.flex_bending_model[flex] = choice.raw(),
                    // A flex without hinges has nothing to bend.
                    None => drop(model.set_flex_bending(flex, law.clone())),
                }
            }
            if let Some(law) = &self.elasticity {
                match law.built_in() {
                    Some(choice) => model.flex_elasticity_model[flex] = choice.raw(),
                    None if resists_strain(&model, flex) => {
                        drop(model.set_flex_elasticity(flex, law.clone()));
                    }
                    None => {}
                }
            }
        }
        if let Some(gain) = &self.actuators {
            for actuator in 0..model.nu {
                model.set_actuator_gain(actuator, gain.clone())?;
            }
        }
        if let Some(solver) = self.contact_solver
            && !solver.choose(&mut model)
        {
            model.set_contact_solver(solver);
        }
        let data = Data::new(&model);
        Ok(Sim { model: Arc::new(model), data, laws: PhantomData })
    }
}

/// Whether a flex resists strain. MuJoCo looks at the first element.
fn resists_strain(m: &Model, flex: usize) -> bool {
    let first = usize::try_from(m.flex_elemadr[flex]).ok();
    first.and_then(|at| m.flex_stiffness.get(at)).is_some_and(|k| k[0] != 0.0)
}
