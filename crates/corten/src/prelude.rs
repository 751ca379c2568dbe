//! What most programs need: `use corten::prelude::*;`.

pub use crate::enums::{DisableBit, EnableBit, Integrator, Solver, StateBit};
pub use crate::math::{Mat3, Quat, Spatial, Vec3};
pub use crate::{
    ActuatorId, Assets, BatchSim, BodyId, Contact, Data, Diagnostics, GeomId, Hook, Hooks, JointId,
    Model, Outcome, Registry, SensorId, SiteId, Spec, StepError, UnknownName, compile, load_file,
    load_model, rollout,
};
