//! Contacts and statistics: lists of small records inside of a simulation.
//!
//! Python sees the memory of a list as a structured NumPy array; [`Item::LAYOUT`] says where the
//! fields of an element are.

use std::mem::offset_of;
use std::sync::atomic::Ordering;

use corten_sim::{
    Contact, Data, NISLAND, NSOLVER, SolverStat, SolverStats, TimerStat, WarningStat,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::data::PyData;
use crate::memory::{Room, Scalar};

/// One element of a list, with its fields by name.
trait Item: Clone + Default {
    /// Names of all fields.
    const FIELDS: &'static [&'static str];

    /// Name, NumPy type, number of values (zero for a number) and offset of each field.
    const LAYOUT: &'static [(&'static str, &'static str, usize, usize)];

    /// The numbers of a field; `None` for an unknown name.
    fn get(&self, field: &str) -> Option<Numbers>;
    /// Writes a field; the caller has checked the length.
    fn set(&mut self, field: &str, values: &[f64]);
}

/// The numbers of one field.
struct Numbers {
    values: [f64; 9],
    count: usize,
}

impl Numbers {
    fn new(given: &[f64]) -> Numbers {
        let mut values = [0.0; 9];
        values[..given.len()].copy_from_slice(given);
        Numbers { values, count: given.len() }
    }
}

macro_rules! item {
    ($Type:ty { $($real:ident),* ; $($vector:ident [$n:literal]),* ; $($int:ident),* ; $($ints:ident [$k:literal]),* }) => {
        impl Item for $Type {
            const FIELDS: &'static [&'static str] = &[
                $(stringify!($real),)* $(stringify!($vector),)* $(stringify!($int),)*
                $(stringify!($ints),)*
            ];

            const LAYOUT: &'static [(&'static str, &'static str, usize, usize)] = &[
                $((stringify!($real), "f8", 0, offset_of!($Type, $real)),)*
                $((stringify!($vector), "f8", $n, offset_of!($Type, $vector)),)*
                $((stringify!($int), "i4", 0, offset_of!($Type, $int)),)*
                $((stringify!($ints), "i4", $k, offset_of!($Type, $ints)),)*
            ];

            fn get(&self, field: &str) -> Option<Numbers> {
                match field {
                    $(stringify!($real) => Some(Numbers::new(&[self.$real])),)*
                    $(stringify!($vector) => {
                        let values: [f64; $n] = bytemuck::cast(self.$vector);
                        Some(Numbers::new(&values))
                    })*
                    $(stringify!($int) => Some(Numbers::new(&[self.$int.into()])),)*
                    $(stringify!($ints) => {
                        let values: [i32; $k] = self.$ints;
                        Some(Numbers::new(&values.map(f64::from)))
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
            List::Solver => columns(d.solver.clone().in_full()),
            List::Warning => columns(&d.warning[..]),
            List::Timer => columns(&d.timer[..]),
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
            List::Solver => d.solver = SolverStats::from_full(items(count, column)?),
            List::Warning => *d.warning = items(count, column)?.try_into().ok()?,
            List::Timer => *d.timer = items(count, column)?.try_into().ok()?,
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

    /// Bytes of one element, and where its fields are.
    fn layout(self) -> Layout {
        fn of<T: Item>() -> Layout {
            (size_of::<T>(), T::LAYOUT.to_vec())
        }
        match self {
            List::Contact => of::<Contact>(),
            List::Solver => of::<SolverStat>(),
            List::Warning => of::<WarningStat>(),
            List::Timer => of::<TimerStat>(),
        }
    }
}

type Layout = (usize, Vec<(&'static str, &'static str, usize, usize)>);

/// Number of elements.
#[pyfunction]
fn list_len(py: Python<'_>, d: &PyData, list: &str) -> PyResult<usize> {
    Ok(List::parse(list)?.len(&*d.data.read_attached(py)?))
}

/// Bytes of one element, and name, type, number of values and offset of each of its fields.
#[pyfunction]
fn list_layout(list: &str) -> PyResult<Layout> {
    Ok(List::parse(list)?.layout())
}

/// The memory of all elements.
#[pyfunction]
fn list_memory<'py>(py: Python<'py>, d: &PyData, list: &str) -> PyResult<Bound<'py, PyAny>> {
    let list = List::parse(list)?;
    let size = list.len(&*d.data.read_attached(py)?) * list.layout().0;
    match list {
        List::Contact => {
            d.contacts_shown.store(true, Ordering::Relaxed);
            let room = |d: &mut Data| Some(Room::bytes(&mut d.contact));
            d.kept_view(py, Data::ARRAYS.len(), Scalar::U8, &[size], room)
        }
        List::Solver => {
            let room = |d: &mut Data| Some(Room::bytes(d.solver.in_full()));
            d.kept_view(py, Data::ARRAYS.len() + 1, Scalar::U8, &[size], room)
        }
        List::Warning => {
            let room = |d: &mut Data| Some(Room::array_bytes(&mut d.warning));
            d.kept_view(py, Data::ARRAYS.len() + 2, Scalar::U8, &[size], room)
        }
        List::Timer => {
            let room = |d: &mut Data| Some(Room::array_bytes(&mut d.timer));
            d.kept_view(py, Data::ARRAYS.len() + 3, Scalar::U8, &[size], room)
        }
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(list_len, module)?)?;
    module.add_function(wrap_pyfunction!(list_layout, module)?)?;
    module.add_function(wrap_pyfunction!(list_memory, module)?)
}
