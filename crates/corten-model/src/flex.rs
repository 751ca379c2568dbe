//! Laws of flexes: which there are, and the coefficients of MuJoCo's.

use corten_math::Vec3;

use crate::compile::{bending_coefficients, stretch_coefficients};

/// Declares the laws that an attribute chooses from.
macro_rules! laws {
    ($($(#[$meta:meta])* $Name:ident { $($(#[$vmeta:meta])* $variant:ident = $raw:literal $word:literal,)* })*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[repr(i32)]
        pub enum $Name { $($(#[$vmeta])* $variant = $raw,)* }

        impl $Name {
            /// All of them, with their words in MJCF.
            pub const ALL: &[($Name, &str)] = &[$(($Name::$variant, $word),)*];

            /// The number that stands for it in arrays.
            pub const fn raw(self) -> i32 {
                self as i32
            }

            /// The one that a number stands for.
            pub const fn from_raw(raw: i32) -> Option<$Name> {
                match raw {
                    $($raw => Some($Name::$variant),)*
                    _ => None,
                }
            }

            /// The one of a word; no word is MuJoCo's.
            pub fn from_word(word: &str) -> Option<$Name> {
                let known = $Name::ALL.iter().find(|(_, name)| *name == word);
                known.map(|(law, _)| *law).or_else(|| word.is_empty().then(Self::default))
            }

            /// All words.
            pub fn words() -> String {
                $Name::ALL.iter().map(|(_, word)| *word).collect::<Vec<_>>().join(", ")
            }
        }
    )*};
}

laws! {
    /// How a surface resists bending.
    FlexBendingType {
        /// MuJoCo's quadratic and cubic forms (Wardetzky, Garg).
        #[default]
        Cotangent = 0 "cotangent",
        /// Springs at the angles between triangles (Bridson).
        Bridson = 1 "bridson",
    }
    /// How triangles and tetrahedra resist strain.
    FlexElasticityType {
        /// MuJoCo's (St Venant and Kirchhoff).
        #[default]
        Linear = 0 "linear",
        /// Rubber and tissue.
        NeoHookean = 1 "neo_hookean",
    }
}

/// The coefficients of MuJoCo's law of bending for a hinge `[h0, h1, a, b]` with a flexural rigidity.
pub fn cotangent_bending(rest: [Vec3; 4], rigidity: f64) -> [f64; 17] {
    bending_coefficients(rest, rigidity)
}

/// The coefficients of MuJoCo's law of elasticity for a triangle or tetrahedron of a material `[young, poisson, thickness]`, with the
/// constants of a textbook.
pub fn linear_elasticity(rest: &[Vec3], material: [f64; 3]) -> [f64; 21] {
    stretch_coefficients(rest, material)
}
