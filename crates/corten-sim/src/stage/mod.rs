//! One module per stage of the forward computation.

pub mod acceleration;
pub mod actuation;
pub mod body_force;
pub mod collision;
pub mod constraint;
pub mod energy;
pub mod inertia;
pub mod kinematics;
pub mod passive;
pub mod sensor;
pub mod tendon;
pub mod transmission;
pub mod velocity;
