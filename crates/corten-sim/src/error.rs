use corten_math::memory::OutOfMemory;

/// Why a step could not give a valid result. The `Data` stays usable: reset it, or restore a
/// saved state.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
// The messages say what the fields are.
#[allow(missing_docs)]
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
    /// A position, velocity or acceleration of a vertex or node of a flex is not finite or too large.
    /// `flex` and `element` are those that moved away most from their shape at rest.
    #[error(
        "time {time} (step {step}): flex {name} blew up at element {element}: {quantity} {index} ({place}) \
         is not finite or exceeds 1e10; try a smaller timestep, a softer material, more damping, or \
         cortenforge:flex=\"implicit\""
    )]
    FlexBlowUp {
        time: f64,
        step: u64,
        flex: usize,
        name: String,
        element: usize,
        quantity: &'static str,
        index: usize,
        place: String,
    },
    /// The mass matrix cannot be inverted: what a degree of freedom moves has no inertia.
    #[error(
        "time {time}: the mass matrix is singular at degree of freedom {index} ({place}); \
         give what it moves mass, or the joint armature"
    )]
    SingularInertia { time: f64, index: usize, place: String },
    /// The machine refused memory. The step was not taken: positions, velocities, activations and time are as
    /// they were.
    #[error("time {time}: {cause}")]
    Memory { time: f64, cause: OutOfMemory },
    /// What the step needs is more than the data's [`Budget`](crate::Budget), or than the machine has.
    /// The step was not taken: positions, velocities, activations and time are as they were.
    #[error(
        "time {time}: {what} would take more than {limit} bytes; if this is meant, raise the budget of \
         the data (the limit 'data_bytes' of the model)"
    )]
    Limit { time: f64, what: &'static str, limit: usize },
    /// Somebody asked to end, by the data's [`CancelToken`](crate::CancelToken). The step was not taken.
    #[error("time {time}: cancelled")]
    Cancelled { time: f64 },
    /// An extension of the model, such as a plugin or a hook, could not do its part. The step was not
    /// taken, unless it failed while its own state advanced.
    #[error("time {time}: {name}: {message}")]
    Extension { time: f64, name: String, message: String },
    /// A constraint row is not finite.
    #[error("time {time}: constraint row {index} ({place}) is not finite")]
    BadConstraint { time: f64, index: usize, place: String },
    /// Under `CgStrict`: conjugate gradients stopped at the limit of iterations, short of the
    /// tolerance, in a problem that this row belongs to. The state has not advanced, unless it was in
    /// a later stage of Runge-Kutta.
    #[error(
        "time {time}: conjugate gradients did not converge within {iterations} iterations, in a \
         problem with constraint row {index} ({place})"
    )]
    SolverFailed { time: f64, iterations: i32, index: usize, place: String },
    /// A control is not finite or too large; all controls counted as zero in this step.
    #[error("time {time}: control {index} ({place}) is not finite or exceeds 1e10")]
    BadControl { time: f64, index: usize, place: String },
    /// The matrix `M − h ∂f/∂v` of `implicitfast` cannot be factored.
    #[error(
        "time {time}: the matrix of implicitfast is singular at degree of freedom {index} \
         ({place}): a velocity derivative of the forces outweighs the inertia"
    )]
    CholeskyFailed { time: f64, index: usize, place: String },
    /// The matrix `M − h ∂f/∂v` of `implicit` cannot be factored.
    #[error(
        "time {time}: the matrix of implicit is singular at degree of freedom {index} \
         ({place}): a velocity derivative of the forces outweighs the inertia"
    )]
    LuSingular { time: f64, index: usize, place: String },
}
