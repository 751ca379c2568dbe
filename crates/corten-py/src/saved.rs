//! Simulations as bytes, for pickling: every array, size, contact and statistic.

use corten_model::arrays::{ArrayMut, ArrayRef};
use corten_model::container::{self, Entry, Values};
use corten_sim::stage::constraint;
use corten_sim::{Data, Model, solve};

use crate::lists::List;

/// Prefixes of entries that are no arrays of the data.
const SIZE: &str = "size.";

pub fn to_bytes(d: &Data) -> Vec<u8> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut push = |name: String, values: Values| entries.push(Entry { name, values });
    for size in Data::SIZES {
        push(format!("{SIZE}{size}"), Values::F64(vec![d.size(size).unwrap_or(0) as f64]));
    }
    push("time".into(), Values::F64(vec![d.time]));
    push("energy".into(), Values::F64(d.energy.to_vec()));
    push("solver_fwdinv".into(), Values::F64(d.solver_fwdinv.to_vec()));
    push("solver_niter".into(), Values::I32(d.solver_niter.to_vec()));
    push("solver_nnz".into(), Values::I32(d.solver_nnz.to_vec()));
    for list in List::ALL {
        let (count, columns) = list.pack(d);
        push(format!("{}.count", list.name()), Values::I32(vec![count as i32]));
        for (field, values) in columns {
            push(format!("{}.{field}", list.name()), Values::F64(values));
        }
    }
    for (i, info) in Data::ARRAYS.iter().enumerate() {
        if let Some(values) = d.array(i) {
            push(info.name.into(), crate::fields::copied(values, values.len()));
        }
    }
    container::write(entries.iter().map(|e| (e.name.as_str(), e.values.as_ref())))
}

/// The data that was saved, for the model it belongs to; an explanation if they do not fit.
pub fn from_bytes(m: &Model, file: &[u8]) -> Result<Data, String> {
    let entries = container::read(file).map_err(|e| e.to_string())?;
    let mut d = Data::new(m);
    restore(&mut d, &entries)?;
    if d.nefc > 0 {
        // The solver's form of the constraints is not saved: make it again from the restored
        // poses and contacts, then return to the restored values.
        constraint::make(m, &mut d);
        solve::island::find(m, &mut d);
        solve::project(m, &mut d);
        restore(&mut d, &entries)?;
    }
    Ok(d)
}

/// Sets everything that was saved.
fn restore(d: &mut Data, entries: &[Entry]) -> Result<(), String> {
    let find = |name: &str| entries.iter().find(|e| e.name == name).map(|e| e.values.as_ref());
    let missing = |name: &str| format!("the saved data has no valid entry '{name}'");
    for size in Data::SIZES {
        let name = format!("{SIZE}{size}");
        match find(&name) {
            Some(ArrayRef::F64([value])) => d.set_size(size, *value as usize),
            _ => return Err(missing(&name)),
        };
    }
    match find("time") {
        Some(ArrayRef::F64([time])) => d.time = *time,
        _ => return Err(missing("time")),
    }
    copy(ArrayMut::F64(&mut d.energy[..]), find("energy")).ok_or_else(|| missing("energy"))?;
    copy(ArrayMut::F64(&mut d.solver_fwdinv[..]), find("solver_fwdinv"))
        .ok_or_else(|| missing("solver_fwdinv"))?;
    copy(ArrayMut::I32(&mut d.solver_niter[..]), find("solver_niter"))
        .ok_or_else(|| missing("solver_niter"))?;
    copy(ArrayMut::I32(&mut d.solver_nnz[..]), find("solver_nnz"))
        .ok_or_else(|| missing("solver_nnz"))?;
    for list in List::ALL {
        let count = match find(&format!("{}.count", list.name())) {
            Some(ArrayRef::I32([count])) => usize::try_from(*count).unwrap_or(0),
            _ => return Err(missing(list.name())),
        };
        let column = |field: &str| match find(&format!("{}.{field}", list.name())) {
            Some(ArrayRef::F64(values)) => Some(values),
            _ => None,
        };
        list.unpack(d, count, &column).ok_or_else(|| missing(list.name()))?;
    }
    for (i, info) in Data::ARRAYS.iter().enumerate() {
        let values = find(info.name).ok_or_else(|| missing(info.name))?;
        let fits = if i < Data::FIXED_ARRAYS {
            d.array_mut(i).is_some_and(|to| copy(to, Some(values)).is_some())
        } else {
            d.replace_dynamic(i, values)
        };
        if !fits {
            return Err(missing(info.name));
        }
    }
    Ok(())
}

fn copy(to: ArrayMut<'_>, from: Option<ArrayRef<'_>>) -> Option<()> {
    fn slice<T: Copy>(to: &mut [T], from: &[T]) -> Option<()> {
        (to.len() == from.len()).then(|| to.copy_from_slice(from))
    }
    match (to, from?) {
        (ArrayMut::F64(to), ArrayRef::F64(from)) => slice(to, from),
        (ArrayMut::F32(to), ArrayRef::F32(from)) => slice(to, from),
        (ArrayMut::I32(to), ArrayRef::I32(from)) => slice(to, from),
        (ArrayMut::U8(to), ArrayRef::U8(from)) => slice(to, from),
        _ => None,
    }
}
