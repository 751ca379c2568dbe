//! The macros with which field lists are declared once.

/// Declares a struct of array fields whose lengths are sizes of a model.
///
/// ```text
/// array_struct! {
///     pub struct Name { pub extra: Type, ... }
///     sizes { nq, nv, ... }                 // optional: sizes stored in the struct itself
///     fixed {                               // lengths follow from the model
///         qpos0: f64 [nq],                  // rows
///         body_pos: Vec3 [nbody],
///         key_mpos: f64 [nkey, nmocap * 3], // rows, scalars per row
///     }
///     dynamic { efc_pos: f64 [nefc], ... }  // lengths change while simulating
/// }
/// ```
///
/// Generates the struct, `Clone`, `resize(&mut self, sizes)` for the fixed arrays, the description
/// `ARRAYS`, and access by position in it with `array(i)` and `array_mut(i)`.
#[macro_export]
macro_rules! array_struct {
    (
        $(#[$meta:meta])*
        pub struct $Name:ident { $($(#[$xmeta:meta])* $xvis:vis $x:ident : $xty:ty,)* }
        sizes { $($(#[$smeta:meta])* $size:ident,)* }
        fixed($src:ident : &$Src:ty) {
            $($(#[$fmeta:meta])* $f:ident : $fty:ty [$rows:ident $(, $cols:ident $(* $mul:literal)?)?],)*
        }
        dynamic {
            $($(#[$dmeta:meta])* $d:ident : $dty:ty [$drows:ident $(, $dcols:ident)?],)*
        }
    ) => {
        $(#[$meta])*
        #[allow(non_snake_case)]
        pub struct $Name {
            $(
                #[doc = concat!("MuJoCo's `", stringify!($size), "`.")]
                $(#[$smeta])*
                pub $size: usize,
            )*
            $($(#[$xmeta])* $xvis $x: $xty,)*
            $(
                #[doc = concat!("MuJoCo's `", stringify!($f), "`, a row per `", stringify!($rows), "`.")]
                $(#[$fmeta])*
                pub $f: Vec<$fty>,
            )*
            $(
                #[doc = concat!("MuJoCo's `", stringify!($d), "`, a row per `", stringify!($drows), "`.")]
                $(#[$dmeta])*
                pub $d: Vec<$dty>,
            )*
        }

        // Not derived: a derived `clone` is compiled again in every crate that calls it.
        impl Clone for $Name {
            fn clone(&self) -> Self {
                Self {
                    $($size: self.$size,)*
                    $($x: self.$x.clone(),)*
                    $($f: corten_math::memory::copy_of(&self.$f),)*
                    $($d: corten_math::memory::copy_of(&self.$d),)*
                }
            }
        }

        impl $Name {
            /// The sizes stored in this struct, by name.
            pub const SIZES: &'static [&'static str] = &[$(stringify!($size)),*];

            /// Every array field, in declaration order.
            pub const ARRAYS: &'static [$crate::arrays::ArrayInfo] = &[
                $($crate::arrays::ArrayInfo {
                    name: stringify!($f),
                    scalar: <$fty as $crate::arrays::Cell>::SCALAR,
                    rows: stringify!($rows),
                    columns: $crate::array_struct!(@columns $fty $(, $cols $(* $mul)?)?),
                },)*
                $($crate::arrays::ArrayInfo {
                    name: stringify!($d),
                    scalar: <$dty as $crate::arrays::Cell>::SCALAR,
                    rows: stringify!($drows),
                    columns: $crate::array_struct!(@columns $dty $(, $dcols)?),
                },)*
            ];

            /// How many of [`Self::ARRAYS`], from the front, have lengths fixed by the model.
            pub const FIXED_ARRAYS: usize = [$(stringify!($f)),*].len();

            /// A size stored in this struct.
            pub fn size(&self, name: &str) -> Option<usize> {
                match name {
                    $(stringify!($size) => Some(self.$size),)*
                    _ => None,
                }
            }

            /// Sets a size stored in this struct; arrays keep their lengths until `resize`.
            pub fn set_size(&mut self, name: &str, value: usize) -> bool {
                match name {
                    $(stringify!($size) => self.$size = value,)*
                    _ => return false,
                }
                #[allow(unreachable_code)]
                true
            }

            /// The scalars of `ARRAYS[index]`.
            pub fn array(&self, index: usize) -> Option<$crate::arrays::ArrayRef<'_>> {
                let getters: &[fn(&Self) -> $crate::arrays::ArrayRef<'_>] = &[
                    $(|s| $crate::arrays::Cell::scalars(&s.$f[..]),)*
                    $(|s| $crate::arrays::Cell::scalars(&s.$d[..]),)*
                ];
                getters.get(index).map(|get| get(self))
            }

            /// The scalars of `ARRAYS[index]`, writable.
            pub fn array_mut(&mut self, index: usize) -> Option<$crate::arrays::ArrayMut<'_>> {
                let getters: &[fn(&mut Self) -> $crate::arrays::ArrayMut<'_>] = &[
                    $(|s| $crate::arrays::Cell::scalars_mut(&mut s.$f[..]),)*
                    $(|s| $crate::arrays::Cell::scalars_mut(&mut s.$d[..]),)*
                ];
                getters.get(index).map(|get| get(self))
            }

            /// Where the buffer of `ARRAYS[index]` is and how many scalars it holds: memory that
            /// views may point into. An array whose length changes while simulating is first
            /// made long enough for `count` scalars, with zeros.
            pub fn array_place(&mut self, index: usize, count: usize) -> Option<(*mut u8, usize)> {
                fn place<T: $crate::arrays::Cell>(values: &mut Vec<T>) -> (*mut u8, usize) {
                    let count = $crate::arrays::Cell::scalars(&values[..]).len();
                    (values.as_mut_ptr().cast(), count)
                }
                type Place<S> = fn(&mut S, usize) -> (*mut u8, usize);
                let places: &[Place<Self>] = &[
                    $(|s, _| place(&mut s.$f),)*
                    $(|s, count| {
                        let cell = <$dty as $crate::arrays::Cell>::scalars(
                            &[bytemuck::Zeroable::zeroed()],
                        ).len();
                        let rows = count.div_ceil(cell);
                        if s.$d.len() < rows {
                            s.$d.resize(rows, bytemuck::Zeroable::zeroed());
                        }
                        place(&mut s.$d)
                    },)*
                ];
                places.get(index).map(|get| get(self, count))
            }

            /// Replaces the content of `ARRAYS[index]`, an array whose length changes while
            /// simulating; `false` if there is none or the scalars are of another type.
            pub fn replace_dynamic(
                &mut self,
                index: usize,
                values: $crate::arrays::ArrayRef<'_>,
            ) -> bool {
                type Setter<S> = fn(&mut S, $crate::arrays::ArrayRef<'_>) -> Option<()>;
                let setters: &[Setter<Self>] = &[
                    $(|s, values| {
                        s.$d = $crate::arrays::Cell::from_scalars(values)?;
                        Some(())
                    },)*
                ];
                let dynamic = index.checked_sub(Self::FIXED_ARRAYS).and_then(|i| setters.get(i));
                dynamic.is_some_and(|set| set(self, values).is_some())
            }

            /// Position of a field in [`Self::ARRAYS`].
            pub fn array_index(name: &str) -> Option<usize> {
                Self::ARRAYS.iter().position(|a| a.name == name)
            }

            /// Gives every fixed array the length that the model's sizes ask for; new elements
            /// are zero.
            pub(crate) fn resize_arrays(&mut self, $src: &$Src) {
                $($crate::arrays::resize(&mut self.$f, $src.$rows $(* $src.$cols $(* $mul)?)?);)*
            }
        }
    };
    (@columns $ty:ty) => { <$ty as $crate::arrays::Cell>::COLUMNS };
    (@columns $ty:ty, $cols:ident) => { $crate::arrays::Columns::Sized(stringify!($cols), 1) };
    (@columns $ty:ty, $cols:ident * $mul:literal) => {
        $crate::arrays::Columns::Sized(stringify!($cols), $mul)
    };
}

/// Declares a struct of scalars and small vectors with default values, readable by name.
#[macro_export]
macro_rules! record {
    (
        $(#[$meta:meta])*
        pub struct $Name:ident { $($(#[$fmeta:meta])* $f:ident : $ty:ty = $default:expr,)* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $Name { $($(#[$fmeta])* pub $f: $ty,)* }

        impl Default for $Name {
            fn default() -> $Name {
                $Name { $($f: $default,)* }
            }
        }

        impl $Name {
            /// Field names in declaration order.
            pub const FIELDS: &'static [&'static str] = &[$(stringify!($f)),*];

            /// Whether a field is a vector, and its scalars.
            pub fn field(&self, name: &str) -> Option<($crate::arrays::Columns, $crate::arrays::ArrayRef<'_>)> {
                match name {
                    $(stringify!($f) => Some((
                        <$ty as $crate::arrays::RecordField>::COLUMNS,
                        $crate::arrays::RecordField::scalars(&self.$f),
                    )),)*
                    _ => None,
                }
            }

            /// Writes a field; integers that stand for none of its values are refused.
            pub fn set_field(
                &mut self,
                name: &str,
                values: $crate::arrays::ArrayRef<'_>,
            ) -> Result<(), $crate::spec::FieldError> {
                match name {
                    $(stringify!($f) => $crate::arrays::RecordField::assign(&mut self.$f, values),)*
                    _ => Err($crate::spec::FieldError::Unknown),
                }
            }
        }
    };
}
