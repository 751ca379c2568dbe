//! Arrays of `Data`, one row per world.

use corten_math::memory;
use corten_model::arrays::{ArrayMut, ArrayRef, ScalarKind};
use corten_model::container::Values;
use corten_sim::Data;

/// One array field of all worlds.
#[derive(Debug)]
pub struct Column {
    /// Position in `Data::ARRAYS`; `None` for the time.
    pub field: Option<usize>,
    /// Scalars per world.
    pub width: usize,
    pub values: Values,
}

/// One row of a column, or several neighbouring ones.
pub type Rows<'a> = ArrayMut<'a>;

impl Column {
    /// The column of an array field, with the content that it has in `d`; `None` if there is no
    /// such field or its length is not fixed by the model.
    pub fn new(d: &mut Data, name: &str, worlds: usize) -> Option<Column> {
        if name == "time" {
            return Some(Column {
                field: None,
                width: 1,
                values: Values::F64(vec![d.time; worlds]),
            });
        }
        let field = Data::array_index(name).filter(|&i| i < Data::FIXED_ARRAYS)?;
        let one = d.array(field)?;
        let values = match one {
            ArrayRef::F64(v) => Values::F64(memory::repeated(v, worlds)),
            ArrayRef::F32(v) => Values::F32(memory::repeated(v, worlds)),
            ArrayRef::I32(v) => Values::I32(memory::repeated(v, worlds)),
            ArrayRef::U8(v) => Values::U8(memory::repeated(v, worlds)),
        };
        Some(Column { field: Some(field), width: one.len(), values })
    }

    pub fn name(&self) -> &'static str {
        self.field.map_or("time", |i| Data::ARRAYS[i].name)
    }

    /// The column cut into pieces of `worlds` rows.
    pub fn pieces(&mut self, worlds: usize) -> Box<dyn Iterator<Item = Rows<'_>> + '_> {
        let n = (worlds * self.width).max(1);
        match &mut self.values {
            Values::F64(v) => Box::new(v.chunks_mut(n).map(ArrayMut::F64)),
            Values::F32(v) => Box::new(v.chunks_mut(n).map(ArrayMut::F32)),
            Values::I32(v) => Box::new(v.chunks_mut(n).map(ArrayMut::I32)),
            Values::U8(v) => Box::new(v.chunks_mut(n).map(ArrayMut::U8)),
        }
    }

    /// Where the scalars are, and how many: memory that does not move while the batch lives.
    pub fn place(&mut self) -> (*mut u8, usize) {
        match &mut self.values {
            Values::F64(v) => (v.as_mut_ptr().cast(), v.len()),
            Values::F32(v) => (v.as_mut_ptr().cast(), v.len()),
            Values::I32(v) => (v.as_mut_ptr().cast(), v.len()),
            Values::U8(v) => (v.as_mut_ptr(), v.len()),
        }
    }

    pub fn kind(&self) -> ScalarKind {
        match self.values {
            Values::F64(_) => ScalarKind::F64,
            Values::F32(_) => ScalarKind::F32,
            Values::I32(_) => ScalarKind::I32,
            Values::U8(_) => ScalarKind::U8,
        }
    }
}

/// Where a column's rows come from and go to: `Data`'s array, and the scalars per row.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    pub field: Option<usize>,
    pub width: usize,
}

/// Copies row `i` into the data.
pub fn load(slot: Slot, rows: &Rows<'_>, i: usize, d: &mut Data) {
    let range = i * slot.width..(i + 1) * slot.width;
    match slot.field {
        None => {
            if let Rows::F64(v) = rows {
                d.time = v[i];
            }
        }
        Some(field) => match (d.array_mut(field), rows) {
            (Some(ArrayMut::F64(to)), Rows::F64(from)) => to.copy_from_slice(&from[range]),
            (Some(ArrayMut::F32(to)), Rows::F32(from)) => to.copy_from_slice(&from[range]),
            (Some(ArrayMut::I32(to)), Rows::I32(from)) => to.copy_from_slice(&from[range]),
            (Some(ArrayMut::U8(to)), Rows::U8(from)) => to.copy_from_slice(&from[range]),
            _ => {}
        },
    }
}

/// Copies the data's array into row `i`.
pub fn store(slot: Slot, rows: &mut Rows<'_>, i: usize, d: &Data) {
    let range = i * slot.width..(i + 1) * slot.width;
    match slot.field {
        None => {
            if let Rows::F64(v) = rows {
                v[i] = d.time;
            }
        }
        Some(field) => match (rows, d.array(field)) {
            (Rows::F64(to), Some(ArrayRef::F64(from))) => to[range].copy_from_slice(from),
            (Rows::F32(to), Some(ArrayRef::F32(from))) => to[range].copy_from_slice(from),
            (Rows::I32(to), Some(ArrayRef::I32(from))) => to[range].copy_from_slice(from),
            (Rows::U8(to), Some(ArrayRef::U8(from))) => to[range].copy_from_slice(from),
            _ => {}
        },
    }
}

/// What a world's future depends on, besides its model.
pub const STATE: [&str; 6] = ["time", "qpos", "qvel", "act", "qacc_warmstart", "plugin_state"];

/// What is given to a world from outside.
pub const INPUT: [&str; 7] =
    ["ctrl", "qfrc_applied", "xfrc_applied", "eq_active", "mocap_pos", "mocap_quat", "userdata"];
