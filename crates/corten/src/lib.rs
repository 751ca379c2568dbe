//! A physics engine for robots, contacts, tendons and muscles. It loads MuJoCo's models and gives
//! MuJoCo 3.4.0's results.
//!
//! A [`Model`] is what stays constant, a [`Data`] is one simulation of it: state, inputs, and the
//! results of every stage, under MuJoCo's names.
//!
//! ```
//! use corten::prelude::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let model = load_model(
//!     r#"<mujoco>
//!          <worldbody>
//!            <geom type="plane" size="1 1 .1"/>
//!            <body name="ball" pos="0 0 1"><freejoint/><geom name="ball" size=".1"/></body>
//!          </worldbody>
//!        </mujoco>"#,
//! )?;
//! let ball = model.body("ball")?;
//! let mut data = model.make_data();
//! while data.time < 1.0 {
//!     data.step(&model)?;
//! }
//! assert!((data.xpos(ball)[2] - 0.1).abs() < 1e-3, "it has come to rest on the plane");
//! # Ok(())
//! # }
//! ```
//!
//! | to | use |
//! |---|---|
//! | load a model | [`load_model`] from text, [`load_file`]; errors are [`Diagnostics`] |
//! | build or edit one | [`Spec`], then [`compile`] |
//! | find objects by name | [`model.body("torso")`](ModelArrays::body), `joint`, `geom`, `sensor`, ... |
//! | simulate | [`Data::step`], [`Data::forward`], [`Data::inverse`] |
//! | read results | fields of [`Data`], or [`data.xpos(body)`](Data::xpos), [`data.sensor(id)`](Data::sensor), ... |
//! | run your own code in a step | [`extend`]: [`Hook`], plugins in a [`Registry`] |
//! | choose the laws of physics | [`sim::SimBuilder`], or the setters of [`Model`] |
//! | simulate cloth and soft bodies of particles | [`soft`], alone or in a [`Spec`] |
//! | save and restore | [`state`], or `data.clone()` |
//! | linearise | [`derivative`], [`jacobian`] |
//! | find MuJoCo's names | [`mj`], fields of [`Model`] and [`Data`], [`DISABLE_CONTACT`] and its like |
//! | ask about geometry | [`ray`], [`distance`] |
//! | run many simulations | [`BatchSim`], [`rollout`](fn@rollout) |
//!
//! The programs in this crate's `examples` folder show one feature each; `hello` is the first.

#![deny(missing_docs)]

mod flags;
mod load;
pub mod mj;
pub mod prelude;
mod rollouts;

#[doc(no_inline)]
pub use corten_batch::{
    BatchError, BatchResult, BatchSim, Cause, Dump, DumpError, Failure, OnFailure, ParameterError,
    Pool,
};
pub use corten_model::ids::{
    ActuatorId, BodyId, CameraId, EqualityId, GeomId, HFieldId, JointId, KeyId, LightId,
    MaterialId, MeshId, SensorId, SiteId, TendonId, TextureId, UnknownName,
};
pub use corten_model::mjcf::grammar;
pub use corten_model::{
    Assets, Diagnostic, Diagnostics, Limits, ModelArrays, Options, ReadOptions, Spec, diagnostic,
    enums, lint, spec,
};
pub use corten_sim::extend::{self, Extensions, Hook, Hooks, Outcome, Registry, Slopes};
pub use corten_sim::sleep::SleepError;
pub use corten_sim::support::{contact_force, subtree_velocities};
pub use corten_sim::{
    Budget, Contact, Data, Loaded, Model, OnExcess, SolverStat, SolverStats, StepError, Stopwatch,
    TimerStat, WarningStat, derivative, distance, forward, inverse, ray, sim, state, step,
};
#[doc(no_inline)]
pub use corten_soft as soft;
pub use flags::*;
pub use load::{compile, compile_with, load_file, load_file_with, load_model, load_model_with};
pub use rollouts::{RolloutError, Trajectories, rollout};

/// Jacobians of points fixed to bodies, and velocities of objects.
pub mod jacobian {
    pub use corten_sim::support::{
        jac, jac_body, jac_body_com, jac_geom, jac_site, jac_subtree_com, object_acceleration,
        object_velocity,
    };
}

/// Vectors, rotations and spatial vectors, in MuJoCo's order of components.
pub mod math {
    pub use corten_math::{Inertia, Mat3, Quat, Spatial, Vec3};
}
