//! Worlds that went bad: why, and everything needed to see it again.

use corten_model::arrays::{ArrayRef, UnpackError};
use corten_model::container::{self, ContainerError, Entry, Values};
use corten_model::enums::StateBit;
use corten_sim::state::{self, StateError};
use corten_sim::{Data, Model, StepError};

/// The signature of the states kept here: whatever a step depends on.
pub const SIGNATURE: u32 = StateBit::Integration.raw() as u32;

/// Why a world stopped.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
// The messages say what the fields are.
#[allow(missing_docs)]
pub enum Cause {
    #[error(transparent)]
    Step(#[from] StepError),
    /// A defect of the engine or of a hook, or nonsense in the model's arrays.
    #[error("the engine failed: {0}")]
    Panic(String),
}

/// A world that stopped, and the state from which it can be made to stop again.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Number of the world.
    pub world: usize,
    /// Why it stopped.
    pub cause: Cause,
    /// State and inputs before the call that failed, all that a step depends on; empty if there was no memory for it
    /// either.
    pub state: Vec<f64>,
    /// Steps that the call was to take.
    pub steps: usize,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "world {}: {}", self.world, self.cause)
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}

/// A failure with its model: a file that shows it anywhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Dump {
    /// The world's own model, with the parameters in which it differs.
    pub model: Model,
    /// Number of the world.
    pub world: usize,
    /// The message of the cause.
    pub cause: String,
    /// State and inputs before the call that failed.
    pub state: Vec<f64>,
    /// Steps that the call was to take.
    pub steps: usize,
}

/// Why bytes are not a dump.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
// The messages say what the fields are.
#[allow(missing_docs)]
pub enum DumpError {
    #[error(transparent)]
    Container(#[from] ContainerError),
    #[error(transparent)]
    Model(#[from] UnpackError),
    #[error("the file holds a model but no failure: '{0}' is missing or of the wrong type")]
    NoFailure(&'static str),
    #[error(transparent)]
    State(#[from] StateError),
}

impl Dump {
    /// The failure of a world of this model.
    pub fn new(model: Model, failure: &Failure) -> Dump {
        Dump {
            model,
            world: failure.world,
            cause: failure.cause.to_string(),
            state: failure.state.clone(),
            steps: failure.steps,
        }
    }

    /// The dump as a file of named arrays: the model's, and `failure.*`.
    pub fn to_bytes(&self) -> Vec<u8> {
        let entries = self.model.pack();
        let counts = [self.world as i32, self.steps as i32];
        let own = [
            ("failure.state", ArrayRef::F64(&self.state)),
            ("failure.world", ArrayRef::I32(&counts[..1])),
            ("failure.steps", ArrayRef::I32(&counts[1..])),
            ("failure.cause", ArrayRef::U8(self.cause.as_bytes())),
        ];
        let model = entries.iter().map(|e| (e.name.as_str(), e.values.as_ref()));
        container::write(model.chain(own))
    }

    /// Reads a dump.
    pub fn from_bytes(bytes: &[u8]) -> Result<Dump, DumpError> {
        let entries = container::read(bytes)?;
        let model = Model::unpack(&entries)?;
        let dump = Dump {
            world: count(&entries, "failure.world")?,
            steps: count(&entries, "failure.steps")?,
            cause: match find(&entries, "failure.cause")? {
                Values::U8(text) => String::from_utf8_lossy(text).into_owned(),
                _ => return Err(DumpError::NoFailure("failure.cause")),
            },
            state: match find(&entries, "failure.state")? {
                Values::F64(state) => state.clone(),
                _ => return Err(DumpError::NoFailure("failure.state")),
            },
            model,
        };
        let (expected, found) = (state::size(&dump.model, SIGNATURE)?, dump.state.len());
        if expected != found {
            return Err(StateError::Length { expected, found }.into());
        }
        Ok(dump)
    }

    /// The world as it was before the call that failed.
    pub fn data(&self) -> Result<Data, StateError> {
        let mut d = Data::new(&self.model);
        state::set(&self.model, &mut d, &self.state, SIGNATURE)?;
        Ok(d)
    }

    /// Repeats the call that failed; the error is the same as then.
    pub fn replay(&self) -> Result<Result<(), StepError>, StateError> {
        let mut d = self.data()?;
        Ok((0..self.steps).try_for_each(|_| corten_sim::step(&self.model, &mut d)))
    }
}

fn find<'a>(entries: &'a [Entry], name: &'static str) -> Result<&'a Values, DumpError> {
    let entry = entries.iter().find(|e| e.name == name).ok_or(DumpError::NoFailure(name))?;
    Ok(&entry.values)
}

fn count(entries: &[Entry], name: &'static str) -> Result<usize, DumpError> {
    match find(entries, name)? {
        Values::I32(v) if v.len() == 1 => {
            usize::try_from(v[0]).map_err(|_| DumpError::NoFailure(name))
        }
        _ => Err(DumpError::NoFailure(name)),
    }
}
