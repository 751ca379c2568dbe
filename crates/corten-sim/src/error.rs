/// Why a step could not give a valid result. The `Data` stays usable: reset it, or restore a
/// saved state.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The data was made for a model of other sizes.
    #[error(
        "the data was made for another model: its {size} is {data}, the given model's is {model}"
    )]
    OtherSizes { size: &'static str, data: usize, model: usize },
    /// A position is not finite or too large.
    #[error("time {time}: position {index} ({place}) is not finite or exceeds 1e10")]
    BadPosition { time: f64, index: usize, place: String },
    /// A velocity is not finite or too large.
    #[error("time {time}: velocity {index} ({place}) is not finite or exceeds 1e10")]
    BadVelocity { time: f64, index: usize, place: String },
    /// An acceleration is not finite or too large: the simulation is unstable.
    #[error(
        "time {time}: acceleration {index} ({place}) is not finite or exceeds 1e10; \
         the simulation is unstable, try a smaller timestep or softer constraints"
    )]
    BadAcceleration { time: f64, index: usize, place: String },
    /// The mass matrix cannot be inverted: what a degree of freedom moves has no inertia.
    #[error(
        "time {time}: the mass matrix is singular at degree of freedom {index} ({place}); \
         give what it moves mass, or the joint armature"
    )]
    SingularInertia { time: f64, index: usize, place: String },
    /// A constraint row is not finite.
    #[error("time {time}: constraint row {index} ({place}) is not finite")]
    BadConstraint { time: f64, index: usize, place: String },
    /// A control is not finite or too large; all controls counted as zero in this step.
    #[error("time {time}: control {index} ({place}) is not finite or exceeds 1e10")]
    BadControl { time: f64, index: usize, place: String },
    /// The matrix `M − h ∂f/∂v` of an implicit integrator cannot be inverted.
    #[error(
        "time {time}: the implicit integrator's matrix is singular at degree of freedom {index} \
         ({place}): a velocity derivative of the forces outweighs the inertia"
    )]
    SingularStep { time: f64, index: usize, place: String },
}
