//! Run-time description of flat arrays: what drives copying, saving, Python views and tests.

use bytemuck::Pod;
use corten_math::{Inertia, Mat3, Quat, Spatial, Vec3};

use crate::enums::{Cone, Integrator, JacobianType, Solver};
use crate::spec::FieldError;

/// The scalar type behind an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarKind {
    F64,
    F32,
    I32,
    U8,
}

/// How many scalars one row of an array has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Columns {
    /// One scalar: the array is one-dimensional.
    One,
    /// A fixed number, as in a position.
    Fixed(usize),
    /// A model size times a factor, as in a keyframe's `nq` positions.
    Sized(&'static str, usize),
}

/// Name, type and shape of one array field.
#[derive(Clone, Copy, Debug)]
pub struct ArrayInfo {
    pub name: &'static str,
    pub scalar: ScalarKind,
    /// The size that counts the rows.
    pub rows: &'static str,
    pub columns: Columns,
}

/// The scalars of an array field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArrayRef<'a> {
    F64(&'a [f64]),
    F32(&'a [f32]),
    I32(&'a [i32]),
    U8(&'a [u8]),
}

/// The scalars of an array field, writable.
#[derive(Debug)]
pub enum ArrayMut<'a> {
    F64(&'a mut [f64]),
    F32(&'a mut [f32]),
    I32(&'a mut [i32]),
    U8(&'a mut [u8]),
}

impl ArrayRef<'_> {
    pub fn len(&self) -> usize {
        match self {
            ArrayRef::F64(s) => s.len(),
            ArrayRef::F32(s) => s.len(),
            ArrayRef::I32(s) => s.len(),
            ArrayRef::U8(s) => s.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The type of the scalars.
    pub fn kind(&self) -> ScalarKind {
        match self {
            ArrayRef::F64(_) => ScalarKind::F64,
            ArrayRef::F32(_) => ScalarKind::F32,
            ArrayRef::I32(_) => ScalarKind::I32,
            ArrayRef::U8(_) => ScalarKind::U8,
        }
    }
}

impl ArrayMut<'_> {
    /// Copies scalars of the same type and number.
    pub fn copy_from(self, values: ArrayRef<'_>) -> Result<(), FieldError> {
        fn copy<T: Copy>(to: &mut [T], from: &[T]) -> Result<(), FieldError> {
            if to.len() != from.len() {
                return Err(FieldError::Length { expected: to.len(), found: from.len() });
            }
            to.copy_from_slice(from);
            Ok(())
        }
        match (self, values) {
            (ArrayMut::F64(to), ArrayRef::F64(from)) => copy(to, from),
            (ArrayMut::F32(to), ArrayRef::F32(from)) => copy(to, from),
            (ArrayMut::I32(to), ArrayRef::I32(from)) => copy(to, from),
            (ArrayMut::U8(to), ArrayRef::U8(from)) => copy(to, from),
            _ => Err(FieldError::Type("numbers of the type of the field")),
        }
    }
}

/// One element of an array field: a scalar, a math type, or a fixed array of scalars.
pub trait Cell: Pod {
    const SCALAR: ScalarKind;
    const COLUMNS: Columns;
    fn scalars(cells: &[Self]) -> ArrayRef<'_>;
    fn scalars_mut(cells: &mut [Self]) -> ArrayMut<'_>;

    /// Elements made of scalars; `None` if they are of another type or do not fill the last one.
    fn from_scalars(values: ArrayRef<'_>) -> Option<Vec<Self>> {
        let cells = match (Self::SCALAR, values) {
            (ScalarKind::F64, ArrayRef::F64(v)) => bytemuck::try_cast_slice(v),
            (ScalarKind::F32, ArrayRef::F32(v)) => bytemuck::try_cast_slice(v),
            (ScalarKind::I32, ArrayRef::I32(v)) => bytemuck::try_cast_slice(v),
            (ScalarKind::U8, ArrayRef::U8(v)) => bytemuck::try_cast_slice(v),
            _ => return None,
        };
        cells.ok().map(<[Self]>::to_vec)
    }
}

macro_rules! scalar_cell {
    ($($scalar:ty, $kind:ident);*) => {$(
        impl Cell for $scalar {
            const SCALAR: ScalarKind = ScalarKind::$kind;
            const COLUMNS: Columns = Columns::One;
            fn scalars(cells: &[Self]) -> ArrayRef<'_> {
                ArrayRef::$kind(cells)
            }
            fn scalars_mut(cells: &mut [Self]) -> ArrayMut<'_> {
                ArrayMut::$kind(cells)
            }
        }

        impl<const N: usize> Cell for [$scalar; N] {
            const SCALAR: ScalarKind = ScalarKind::$kind;
            const COLUMNS: Columns = Columns::Fixed(N);
            fn scalars(cells: &[Self]) -> ArrayRef<'_> {
                ArrayRef::$kind(cells.as_flattened())
            }
            fn scalars_mut(cells: &mut [Self]) -> ArrayMut<'_> {
                ArrayMut::$kind(cells.as_flattened_mut())
            }
        }
    )*};
}

scalar_cell!(f64, F64; f32, F32; i32, I32; u8, U8);

macro_rules! math_cell {
    ($($ty:ty, $n:literal);*) => {$(
        impl Cell for $ty {
            const SCALAR: ScalarKind = ScalarKind::F64;
            const COLUMNS: Columns = Columns::Fixed($n);
            fn scalars(cells: &[Self]) -> ArrayRef<'_> {
                ArrayRef::F64(bytemuck::cast_slice(cells))
            }
            fn scalars_mut(cells: &mut [Self]) -> ArrayMut<'_> {
                ArrayMut::F64(bytemuck::cast_slice_mut(cells))
            }
        }
    )*};
}

math_cell!(Vec3, 3; Quat, 4; Mat3, 9; Spatial, 6; Inertia, 10);

/// A field of a record: a cell, or an enumeration that is an integer outside.
pub trait RecordField {
    /// Whether it is a vector.
    const COLUMNS: Columns;
    /// Its scalars.
    fn scalars(&self) -> ArrayRef<'_>;
    /// Takes new scalars, all or none.
    fn assign(&mut self, values: ArrayRef<'_>) -> Result<(), FieldError>;
}

impl<T: Cell> RecordField for T {
    const COLUMNS: Columns = T::COLUMNS;

    fn scalars(&self) -> ArrayRef<'_> {
        T::scalars(std::slice::from_ref(self))
    }

    fn assign(&mut self, values: ArrayRef<'_>) -> Result<(), FieldError> {
        T::scalars_mut(std::slice::from_mut(self)).copy_from(values)
    }
}

macro_rules! enum_fields {
    ($($Enum:ty),*) => {$(
        impl RecordField for $Enum {
            const COLUMNS: Columns = Columns::One;

            fn scalars(&self) -> ArrayRef<'_> {
                ArrayRef::I32(bytemuck::cast_slice(std::slice::from_ref(self)))
            }

            fn assign(&mut self, values: ArrayRef<'_>) -> Result<(), FieldError> {
                match values {
                    ArrayRef::I32(&[raw]) => {
                        let known = <$Enum>::from_raw(raw);
                        *self = known.ok_or(FieldError::Variant(i64::from(raw)))?;
                        Ok(())
                    }
                    ArrayRef::I32(v) => Err(FieldError::Length { expected: 1, found: v.len() }),
                    _ => Err(FieldError::Type("a whole number")),
                }
            }
        }
    )*};
}

enum_fields!(Integrator, Cone, JacobianType, Solver);
