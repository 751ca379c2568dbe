//! What a body is made of.

use corten_math::real;

use crate::SoftError;
use crate::error::{expect, not_negative, positive};

/// An isotropic material, in SI units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Name of a preset, or the user's.
    pub name: &'static str,
    /// Young's modulus, Pa.
    pub young: f64,
    /// Poisson's ratio, from −1 to below 0.5.
    pub poisson: f64,
    /// kg/m³.
    pub density: f64,
    /// Coefficient of sliding friction against other bodies.
    pub friction: f64,
    /// Relaxation time in seconds: stress is `E·(strain + damping·rate)` (Kelvin and Voigt).
    pub damping: f64,
}

impl Material {
    /// A material of the user's own, without damping.
    pub const fn new(young: f64, poisson: f64, density: f64, friction: f64) -> Material {
        Material { name: "custom", young, poisson, density, friction, damping: 0.0 }
    }

    /// The same with another relaxation time.
    pub const fn with_damping(self, damping: f64) -> Material {
        Material { damping, ..self }
    }

    /// The preset of a name.
    pub fn by_name(name: &str) -> Option<Material> {
        Material::ALL.into_iter().find(|m| m.name == name)
    }

    /// Resistance to shear, `E / 2(1 + ν)`.
    pub fn shear_modulus(&self) -> f64 {
        self.young / (2.0 * (1.0 + self.poisson))
    }

    /// Resistance to compression from all sides, `E / 3(1 − 2ν)`.
    pub fn bulk_modulus(&self) -> f64 {
        self.young / (3.0 * (1.0 - 2.0 * self.poisson))
    }

    /// Resistance to bending of a plate of some thickness, `E t³ / 12(1 − ν²)`.
    pub fn plate_stiffness(&self, thickness: f64) -> f64 {
        self.young * real::powi(thickness, 3) / (12.0 * (1.0 - self.poisson * self.poisson))
    }

    /// Whether the numbers describe a material.
    pub fn check(&self) -> Result<(), SoftError> {
        positive("young", self.young)?;
        positive("density", self.density)?;
        not_negative("friction", self.friction)?;
        not_negative("damping", self.damping)?;
        let ok = self.poisson > -1.0 && self.poisson < 0.5;
        expect(ok, "poisson", self.poisson, "a number above -1 and below 0.5")?;
        Ok(())
    }
}

macro_rules! materials {
    ($($(#[$doc:meta])* $constant:ident, $name:literal, $young:literal, $poisson:literal, $density:literal, $friction:literal, $damping:literal;)*) => {
        impl Material {
            $($(#[$doc])* pub const $constant: Material =
                Material::new($young, $poisson, $density, $friction).named($name).with_damping($damping);)*

            /// All presets.
            pub const ALL: [Material; 14] = [$(Material::$constant),*];
        }
    };
}

impl Material {
    const fn named(self, name: &'static str) -> Material {
        Material { name, ..self }
    }
}

// Typical values of handbooks; of fabrics and tissues they scatter by a factor of ten. Moduli of fabrics are effective
// ones of the sheet, far below those of the fibre.
materials! {
    /// Woven cotton.
    COTTON, "cotton", 1e6, 0.3, 500.0, 0.5, 2e-3;
    /// Woven silk.
    SILK, "silk", 5e5, 0.3, 400.0, 0.25, 1e-3;
    /// Leather.
    LEATHER, "leather", 5e7, 0.4, 900.0, 0.6, 4e-3;
    /// Natural rubber.
    RUBBER, "rubber", 1.5e6, 0.49, 1100.0, 0.9, 2e-3;
    /// Paper.
    PAPER, "paper", 2e9, 0.2, 800.0, 0.4, 1e-4;
    /// Thin elastic film, such as latex.
    MEMBRANE, "membrane", 1e6, 0.45, 950.0, 0.6, 1e-3;
    /// Gelatin.
    GELATIN, "gelatin", 1e4, 0.45, 1000.0, 0.3, 5e-3;
    /// Fat and skin.
    SOFT_TISSUE, "soft_tissue", 5e3, 0.45, 1050.0, 0.4, 1e-2;
    /// Relaxed muscle across its fibres.
    MUSCLE, "muscle", 5e4, 0.45, 1060.0, 0.4, 1e-2;
    /// Soft polyurethane foam.
    FOAM, "foam", 1e5, 0.1, 50.0, 0.7, 1e-2;
    /// Hard rubber or soft plastic.
    STIFF, "stiff", 1e8, 0.4, 1200.0, 0.4, 1e-4;
    /// Laid nylon rope.
    ROPE, "rope", 5e8, 0.3, 900.0, 0.5, 1e-3;
    /// Steel.
    STEEL, "steel", 2e11, 0.3, 7850.0, 0.4, 1e-5;
    /// Human hair.
    HAIR, "hair", 4e9, 0.38, 1320.0, 0.3, 1e-4;
}
