//! Contacts and statistics: lists of small records inside of a simulation.

use corten_model::container::Values;
use corten_sim::{Contact, Data, NISLAND, NSOLVER, SolverStat, TimerStat, WarningStat};
use pyo3::exceptions::{PyAttributeError, PyIndexError, PyValueError};
use pyo3::prelude::*;

use crate::data::PyData;
use crate::fields;
use crate::memory::In;

/// One element of a list, with its fields by name.
trait Item: Clone + Default {
    /// Names of all fields.
    const FIELDS: &'static [&'static str];

    /// The numbers of a field, and how many there are; `None` for an unknown name. `integer` says
    /// how they are presented.
    fn get(&self, field: &str) -> Option<Field>;
    /// Writes a field; the caller has checked the length.
    fn set(&mut self, field: &str, values: &[f64]);
}

struct Field {
    integer: bool,
    scalar: bool,
    values: [f64; 9],
    count: usize,
}

impl Field {
    fn new(integer: bool, scalar: bool, given: &[f64]) -> Field {
        let mut values = [0.0; 9];
        values[..given.len()].copy_from_slice(given);
        Field { integer, scalar, values, count: given.len() }
    }
}

macro_rules! item {
    ($Type:ty { $($real:ident),* ; $($vector:ident [$n:literal]),* ; $($int:ident),* ; $($ints:ident [$k:literal]),* }) => {
        impl Item for $Type {
            const FIELDS: &'static [&'static str] = &[
                $(stringify!($real),)* $(stringify!($vector),)* $(stringify!($int),)*
                $(stringify!($ints),)*
            ];

            fn get(&self, field: &str) -> Option<Field> {
                match field {
                    $(stringify!($real) => Some(Field::new(false, true, &[self.$real])),)*
                    $(stringify!($vector) => {
                        let values: [f64; $n] = bytemuck::cast(self.$vector);
                        Some(Field::new(false, false, &values))
                    })*
                    $(stringify!($int) => Some(Field::new(true, true, &[self.$int.into()])),)*
                    $(stringify!($ints) => {
                        let values: [i32; $k] = self.$ints;
                        Some(Field::new(true, false, &values.map(f64::from)))
                    })*
                    _ => None,
                }
            }

            fn set(&mut self, field: &str, values: &[f64]) {
                match field {
                    $(stringify!($real) => self.$real = values[0],)*
                    $(stringify!($vector) => {
                        let given: [f64; $n] = std::array::from_fn(|i| values[i]);
                        self.$vector = bytemuck::cast(given);
                    })*
                    $(stringify!($int) => self.$int = values[0] as i32,)*
                    $(stringify!($ints) => self.$ints = std::array::from_fn(|i| values[i] as i32),)*
                    _ => {}
                }
            }
        }
    };
}

item!(Contact {
    dist, includemargin, mu;
    pos [3], frame [9], friction [5], solref [2], solreffriction [2], solimp [5];
    dim, exclude, efc_address;
    geom [2], flex [2], elem [2], vert [2]
});
item!(SolverStat { improvement, gradient, lineslope; ; nactive, nchange, neval, nupdate; });
item!(WarningStat { ; ; lastinfo, number; });
item!(TimerStat { duration; ; number; });

/// Contacts, or one kind of statistics.
#[derive(Clone, Copy)]
pub enum List {
    Contact,
    Solver,
    Warning,
    Timer,
}

/// MuJoCo lists solver statistics for every island and iteration it could record.
const SOLVER_STATS: usize = NISLAND * NSOLVER;

/// The fields of all elements, as numbers, field by field.
type Columns = Vec<(&'static str, Vec<f64>)>;

fn columns<T: Item>(items: &[T]) -> (usize, Columns) {
    let column = |field: &'static str| {
        let numbers = |item: &T| item.get(field).map(|f| f.values[..f.count].to_vec());
        (field, items.iter().filter_map(numbers).flatten().collect())
    };
    (items.len(), T::FIELDS.iter().map(|field| column(field)).collect())
}

fn items<'a, T: Item>(count: usize, column: &dyn Fn(&str) -> Option<&'a [f64]>) -> Option<Vec<T>> {
    let sample = T::default();
    let widths: Option<Vec<_>> = T::FIELDS
        .iter()
        .map(|field| {
            let (values, width) = (column(field)?, sample.get(field)?.count);
            (values.len() == count * width).then_some((*field, values, width))
        })
        .collect();
    let widths = widths?;
    let item = |i: usize| {
        let mut item = T::default();
        for (field, values, width) in &widths {
            item.set(field, &values[i * width..(i + 1) * width]);
        }
        item
    };
    Some((0..count).map(item).collect())
}

impl List {
    pub const ALL: [List; 4] = [List::Contact, List::Solver, List::Warning, List::Timer];

    pub fn name(self) -> &'static str {
        match self {
            List::Contact => "contact",
            List::Solver => "solver",
            List::Warning => "warning",
            List::Timer => "timer",
        }
    }

    fn parse(name: &str) -> PyResult<List> {
        let found = List::ALL.into_iter().find(|list| list.name() == name);
        found.ok_or_else(|| PyValueError::new_err(format!("no list '{name}'")))
    }

    /// Number of elements and all their fields.
    pub fn pack(self, d: &Data) -> (usize, Columns) {
        match self {
            List::Contact => columns(&d.contact),
            List::Solver => columns(&d.solver),
            List::Warning => columns(&d.warning),
            List::Timer => columns(&d.timer),
        }
    }

    /// Restores what [`List::pack`] returned; `None` if it does not fit.
    pub fn unpack<'a>(
        self,
        d: &mut Data,
        count: usize,
        column: &dyn Fn(&str) -> Option<&'a [f64]>,
    ) -> Option<()> {
        match self {
            List::Contact => d.contact = items(count, column)?,
            List::Solver => d.solver = items(count, column)?,
            List::Warning => d.warning = items(count, column)?.try_into().ok()?,
            List::Timer => d.timer = items(count, column)?.try_into().ok()?,
        }
        Some(())
    }

    fn len(self, d: &Data) -> usize {
        match self {
            List::Contact => d.ncon.min(d.contact.len()),
            List::Solver => SOLVER_STATS,
            List::Warning => d.warning.len(),
            List::Timer => d.timer.len(),
        }
    }

    fn get(self, d: &Data, index: usize, field: &str) -> Option<Field> {
        match self {
            List::Contact => d.contact.get(index).copied().unwrap_or_default().get(field),
            List::Solver => d.solver.get(index).copied().unwrap_or_default().get(field),
            List::Warning => d.warning.get(index).copied().unwrap_or_default().get(field),
            List::Timer => d.timer.get(index).copied().unwrap_or_default().get(field),
        }
    }

    fn set(self, d: &mut Data, index: usize, field: &str, values: &[f64]) {
        match self {
            List::Contact => d.contact.get_mut(index).map(|c| c.set(field, values)),
            List::Solver => d.solver.get_mut(index).map(|c| c.set(field, values)),
            List::Warning => d.warning.get_mut(index).map(|c| c.set(field, values)),
            List::Timer => d.timer.get_mut(index).map(|c| c.set(field, values)),
        };
    }
}

fn unknown(list: &str, field: &str) -> PyErr {
    PyAttributeError::new_err(format!("elements of '{list}' have no attribute '{field}'"))
}

fn out_of_range(list: &str, index: usize, len: usize) -> PyErr {
    PyIndexError::new_err(format!("index {index} is out of range: '{list}' has {len} elements"))
}

/// Number of elements.
#[pyfunction]
fn list_len(py: Python<'_>, d: &PyData, list: &str) -> PyResult<usize> {
    Ok(List::parse(list)?.len(&d.data.read_attached(py)))
}

/// A field of all elements, as a read-only array.
#[pyfunction]
fn list_column<'py>(
    py: Python<'py>,
    d: &PyData,
    list: &str,
    field: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let kind = List::parse(list)?;
    let data = d.data.read_attached(py);
    let n = kind.len(&data);
    // An element past the end has default values: it tells type and width of an empty list.
    let sample = kind.get(&data, usize::MAX, field).ok_or_else(|| unknown(list, field))?;
    let mut values = Vec::with_capacity(n * sample.count);
    for i in 0..n {
        if let Some(found) = kind.get(&data, i, field) {
            values.extend_from_slice(&found.values[..found.count]);
        }
    }
    drop(data);
    let shape = if sample.scalar { vec![n] } else { vec![n, sample.count] };
    fields::frozen_values(py, numbers(values, sample.integer), &shape)
}

/// A field of one element: a number, or a read-only array.
#[pyfunction]
fn list_get<'py>(
    py: Python<'py>,
    d: &PyData,
    list: &str,
    index: usize,
    field: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let kind = List::parse(list)?;
    let data = d.data.read_attached(py);
    let n = kind.len(&data);
    if index >= n {
        return Err(out_of_range(list, index, n));
    }
    let found = kind.get(&data, index, field).ok_or_else(|| unknown(list, field))?;
    drop(data);
    match (found.scalar, found.integer) {
        (true, true) => Ok((found.values[0] as i64).into_pyobject(py)?.into_any()),
        (true, false) => Ok(found.values[0].into_pyobject(py)?.into_any()),
        _ => {
            let values = numbers(found.values[..found.count].to_vec(), found.integer);
            fields::frozen_values(py, values, &[found.count])
        }
    }
}

/// Writes a field of one element.
#[pyfunction]
fn list_set(
    py: Python<'_>,
    d: &PyData,
    list: &str,
    index: usize,
    field: &str,
    value: In,
) -> PyResult<()> {
    let kind = List::parse(list)?;
    let mut data = d.data.write_attached(py);
    let n = kind.len(&data);
    if index >= n {
        return Err(out_of_range(list, index, n));
    }
    let found = kind.get(&data, index, field).ok_or_else(|| unknown(list, field))?;
    if value.values.len() != found.count {
        return Err(PyValueError::new_err(format!(
            "'{field}' has {} values, {} were given",
            found.count,
            value.values.len()
        )));
    }
    kind.set(&mut data, index, field, &value.values);
    Ok(())
}

fn numbers(values: Vec<f64>, integer: bool) -> Values {
    if integer {
        Values::I32(values.into_iter().map(|x| x as i32).collect())
    } else {
        Values::F64(values)
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(list_len, module)?)?;
    module.add_function(wrap_pyfunction!(list_column, module)?)?;
    module.add_function(wrap_pyfunction!(list_get, module)?)?;
    module.add_function(wrap_pyfunction!(list_set, module)?)
}
