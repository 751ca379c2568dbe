//! One module per stage of the forward computation.
//!
//! The functions of [`mod@crate::step`] run them in order. Whoever calls a stage by itself sees to it
//! that the data has taken up the model: it was made for it, or stepped with it last, or
//! [`crate::Data::bind`] was called.

pub mod acceleration;
pub mod actuation;
pub mod body_force;
pub mod collision;
pub mod constraint;
pub mod energy;
pub mod flex;
pub mod inertia;
pub mod kinematics;
pub mod passive;
mod point;
pub mod sensor;
pub mod tendon;
pub mod transmission;
pub mod velocity;
