//! Parameters of the model that differ between worlds.
//!
//! A parameter is one array of real numbers of the model, or one entry of its options, with a row
//! per world. The model itself stays shared: each thread has one private copy, into which it
//! writes the rows of the world that it is about to step. What a world costs is therefore its own
//! rows and nothing else.

use corten_model::arrays::ArrayRef;
use corten_model::spec::FieldError;
use corten_model::{Options, Statistic};
use corten_sim::Model;

/// Why a parameter cannot differ between worlds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
// The messages say what the fields are.
#[allow(missing_docs)]
pub enum ParameterError {
    #[error("the model has no array or option '{0}'; options are written 'opt.gravity'")]
    Unknown(String),
    #[error("'{0}' is part of the model's structure: only real numbers may differ between worlds")]
    Structure(String),
    #[error("'{name}' has {expected} numbers per world, {found} given")]
    Length { name: String, expected: usize, found: usize },
    #[error("there is no world {world}: the batch has {worlds}")]
    World { world: usize, worlds: usize },
    #[error("constants of world {world}: {cause}")]
    Constants { world: usize, cause: String },
}

/// Where a parameter is in a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Array(usize),
    Option(&'static str),
    Statistic(&'static str),
}

/// One parameter of all worlds.
#[derive(Debug)]
pub struct Parameter {
    target: Target,
    width: usize,
    values: Vec<f64>,
}

impl Parameter {
    /// A parameter by its name, with the model's own value in every world.
    pub fn new(m: &Model, name: &str, worlds: usize) -> Result<Parameter, ParameterError> {
        let unknown = || ParameterError::Unknown(name.into());
        let among = |fields: &[&'static str], field: &str| {
            fields.iter().copied().find(|f| *f == field).ok_or_else(unknown)
        };
        let target = match name.split_once('.') {
            Some(("opt", field)) => Target::Option(among(Options::FIELDS, field)?),
            Some(("stat", field)) => Target::Statistic(among(Statistic::FIELDS, field)?),
            _ => Target::Array(Model::array_index(name).ok_or_else(unknown)?),
        };
        let one = target.read(m).ok_or_else(|| ParameterError::Structure(name.into()))?;
        Ok(Parameter { target, width: one.len(), values: one.repeat(worlds) })
    }

    pub fn name(&self) -> String {
        self.target.name()
    }

    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    pub fn row(&self, world: usize) -> &[f64] {
        &self.values[world * self.width..(world + 1) * self.width]
    }

    pub fn row_mut(&mut self, world: usize) -> &mut [f64] {
        &mut self.values[world * self.width..(world + 1) * self.width]
    }

    /// Writes a world's row into a model.
    pub fn apply(&self, world: usize, m: &mut Model) {
        self.target.write(m, self.row(world));
    }

    /// Takes a world's row from a model.
    pub fn take(&mut self, world: usize, m: &Model) {
        if let Some(from) = self.target.read(m) {
            self.row_mut(world).copy_from_slice(from);
        }
    }
}

impl Target {
    fn name(self) -> String {
        match self {
            Target::Array(index) => Model::ARRAYS[index].name.into(),
            Target::Option(field) => format!("opt.{field}"),
            Target::Statistic(field) => format!("stat.{field}"),
        }
    }

    fn read(self, m: &Model) -> Option<&[f64]> {
        match self {
            Target::Array(index) => match m.array(index)? {
                ArrayRef::F64(v) => Some(v),
                _ => None,
            },
            Target::Option(name) => match m.opt.field(name)?.1 {
                ArrayRef::F64(v) => Some(v),
                _ => None,
            },
            Target::Statistic(name) => match m.stat.field(name)?.1 {
                ArrayRef::F64(v) => Some(v),
                _ => None,
            },
        }
    }

    /// Writes values that [`Target::read`] could have given.
    fn write(self, m: &mut Model, values: &[f64]) {
        let written = match self {
            Target::Array(index) => m
                .array_mut(index)
                .map_or(Err(FieldError::Unknown), |to| to.copy_from(ArrayRef::F64(values))),
            Target::Option(name) => m.opt.set_field(name, ArrayRef::F64(values)),
            Target::Statistic(name) => m.stat.set_field(name, ArrayRef::F64(values)),
        };
        debug_assert_eq!(written, Ok(()), "{}", self.name());
    }
}

/// Names of all parameters whose value differs between two models of the same structure.
pub fn differences(a: &Model, b: &Model) -> Vec<String> {
    let arrays = (0..Model::ARRAYS.len()).map(Target::Array);
    let options = Options::FIELDS.iter().map(|f| Target::Option(f));
    let statistics = Statistic::FIELDS.iter().map(|f| Target::Statistic(f));
    arrays
        .chain(options)
        .chain(statistics)
        .filter(|target| target.read(a) != target.read(b))
        .map(|target| target.name())
        .collect()
}
