//! Declaration of spec elements: the fields every element has, and its defaults in one place.

use corten_math::Vec3;

use super::{DefaultClass, Key, OriginId, Source};

/// Declares an element: its fields with MuJoCo's names and defaults, plus `name`, the default
/// class it was made from, where it was written, and which compiler settings apply to it.
macro_rules! element {
    (
        $(#[$meta:meta])*
        pub struct $Name:ident { $($(#[$fmeta:meta])* $f:ident : $ty:ty = $default:expr,)* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $Name {
            /// Empty if it has none.
            pub name: String,
            /// The default class whose values this element started from; `None` is `main`.
            pub class: Option<$crate::spec::Key<$crate::spec::DefaultClass>>,
            /// Where the file has it.
            pub source: $crate::spec::Source,
            /// The model this element came from, which determines its compiler settings.
            pub origin: $crate::spec::OriginId,
            $(
                #[doc = concat!("MuJoCo's `", stringify!($f), "`.")]
                $(#[$fmeta])*
                pub $f: $ty,
            )*
        }

        impl Default for $Name {
            fn default() -> $Name {
                $Name {
                    name: String::new(),
                    class: None,
                    source: $crate::spec::Source::NONE,
                    origin: $crate::spec::OriginId::MAIN,
                    $($f: $default,)*
                }
            }
        }

        $crate::spec::field::fields!($Name { name, $($f),* });

        impl $crate::spec::Element for $Name {
            fn name(&self) -> &str {
                &self.name
            }
            fn source(&self) -> $crate::spec::Source {
                self.source
            }
            fn origin(&self) -> $crate::spec::OriginId {
                self.origin
            }
            fn header(&mut self) -> $crate::spec::element::Header<'_> {
                $crate::spec::element::Header {
                    name: &mut self.name,
                    class: &mut self.class,
                    source: &mut self.source,
                    origin: &mut self.origin,
                }
            }
        }
    };
}
pub(crate) use element;

/// What every element has in common.
pub trait Element {
    fn name(&self) -> &str;
    fn source(&self) -> Source;
    fn origin(&self) -> OriginId;
    fn header(&mut self) -> Header<'_>;
}

/// The fields that every element has.
pub struct Header<'a> {
    pub name: &'a mut String,
    pub class: &'a mut Option<Key<DefaultClass>>,
    pub source: &'a mut Source,
    pub origin: &'a mut OriginId,
}

/// An orientation written otherwise than as a quaternion; when present it takes precedence over
/// the `quat` beside it. Angles are in the unit of the element's compiler settings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Orientation {
    /// None of the alternatives: the quaternion counts.
    #[default]
    Quat,
    /// Axis (not necessarily of unit length), then angle.
    AxisAngle([f64; 4]),
    /// X axis and Y axis; the latter need not be orthogonal to the former.
    XyAxes([f64; 6]),
    /// Z axis, reached by the minimal rotation.
    ZAxis(Vec3),
    /// Three angles about the axes of `eulerseq`.
    Euler(Vec3),
}

/// MuJoCo's default solver reference: time constant and damping ratio.
pub const SOLREF: [f64; 2] = [0.02, 1.0];
/// MuJoCo's default solver impedance: dmin, dmax, width, midpoint, power.
pub const SOLIMP: [f64; 5] = [0.9, 0.95, 0.001, 0.5, 2.0];
