//! Of what flexes are made: laws of bending and of elasticity.
//!
//! A law sees one hinge or one element at a time: its coefficients, made once from the rest shape and the
//! material, and the positions of its vertices. How forces reach degrees of freedom is no concern of it.
//! [`FlexBendingType`] and [`FlexElasticityType`] choose between those of the engine, flex by flex
//! (`flex_bending_model`, `flex_elasticity_model`); a law of the user's own is set with
//! `Model::set_flex_bending` and `Model::set_flex_elasticity`.
//!
//! A material of one's own needs its energy density and the derivative of it:
//!
//! ```
//! use corten_math::Mat3;
//! use corten_sim::extend::flex::{Lame, StrainEnergy};
//!
//! /// The energy of St Venant and Kirchhoff: `μ E:E + λ/2 tr²E` with Green's strain `E = (FᵀF − 1)/2`.
//! struct StVenant;
//!
//! impl StVenant {
//!     fn strain(f: &Mat3) -> Mat3 {
//!         (f.tmul_mat(f) - Mat3::IDENTITY) * 0.5
//!     }
//! }
//!
//! impl StrainEnergy for StVenant {
//!     fn density(&self, f: &Mat3, k: &Lame) -> f64 {
//!         let e = StVenant::strain(f);
//!         let square: f64 = e.0.iter().map(|x| x * x).sum();
//!         k.mu * square + 0.5 * k.lambda * e.trace() * e.trace()
//!     }
//!
//!     fn stress(&self, f: &Mat3, k: &Lame) -> Mat3 {
//!         let e = StVenant::strain(f);
//!         *f * (e * (2.0 * k.mu) + Mat3::IDENTITY * (k.lambda * e.trace()))
//!     }
//! }
//! ```

mod bending;
mod hyperelastic;
mod linear;

use corten_math::{Vec3, real};

pub use bending::{BridsonBending, CotangentBending};
pub use corten_model::flex::{FlexBendingType, FlexElasticityType};
pub use hyperelastic::{Lame, NeoHookean, StrainEnergy};
pub use linear::LinearElastic;

/// Coefficients of a hinge.
pub type HingeCoefficients = [f64; 17];
/// Coefficients of a triangle or tetrahedron.
pub type ElementCoefficients = [f64; 21];

/// Of what a flex is made, in SI units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlexMaterial {
    /// Young's modulus.
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Of a sheet.
    pub thickness: f64,
}

impl FlexMaterial {
    /// Resistance of a plate to bending, `E t³ / 12(1 − ν²)`.
    pub fn plate_stiffness(&self) -> f64 {
        self.young * real::powi(self.thickness, 3) / (12.0 * (1.0 - self.poisson * self.poisson))
    }
}

/// Two triangles with a common edge: its ends, then the vertices opposite to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HingeState {
    /// Where the vertices are.
    pub position: [Vec3; 4],
    /// How they move; zero where only positions are asked for.
    pub velocity: [Vec3; 4],
    /// Inverse masses, zero of vertices that do not move; of laws that [ask](FlexBendingModel::uses_masses) for them.
    pub inverse_mass: [f64; 4],
    /// Length of the step.
    pub timestep: f64,
    /// `damping` of the flex: relaxation time.
    pub damping: f64,
}

/// How surfaces resist bending, hinge by hinge.
pub trait FlexBendingModel: Send + Sync {
    /// Coefficients of a hinge at rest.
    fn precompute(&self, rest: &[Vec3; 4], material: &FlexMaterial) -> HingeCoefficients;

    /// Gradient of the energy by the positions: springs push against it.
    fn gradient(&self, coefficients: &HingeCoefficients, hinge: &HingeState) -> [Vec3; 4];

    /// What dampers push against; called where the flex has damping.
    fn damping(&self, coefficients: &HingeCoefficients, hinge: &HingeState) -> [Vec3; 4];

    /// Energy of a hinge.
    fn energy(&self, coefficients: &HingeCoefficients, position: &[Vec3; 4]) -> f64;

    /// The choice of `flex_bending_model` that stands for this law, if there is one.
    fn built_in(&self) -> Option<FlexBendingType> {
        None
    }

    /// Whether inverse masses of vertices are needed.
    fn uses_masses(&self) -> bool {
        false
    }
}

/// A triangle or tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementState<'a> {
    /// Corners at rest.
    pub rest: &'a [Vec3],
    /// Corners now.
    pub position: &'a [Vec3],
    /// Their velocities; zero if there is no damping.
    pub velocity: &'a [Vec3],
    /// `damping` of the flex: relaxation time.
    pub damping: f64,
}

/// How triangles and tetrahedra resist strain.
pub trait FlexElasticityModel: Send + Sync {
    /// Coefficients of an element with these corners at rest.
    fn precompute(&self, rest: &[Vec3], material: &FlexMaterial) -> ElementCoefficients;

    /// Forces on the corners, springs and dampers together.
    fn forces(
        &self,
        coefficients: &ElementCoefficients,
        element: &ElementState<'_>,
        forces: &mut [Vec3],
    );

    /// Energy of an element.
    fn energy(&self, coefficients: &ElementCoefficients, element: &ElementState<'_>) -> f64;

    /// Adds the forces of all elements of a flex, one after the other.
    fn add_forces(&self, flex: &mut FlexElements<'_>) {
        let corners = flex.dim + 1;
        let (mut x, mut v, mut rest) = ([Vec3::ZERO; 4], [Vec3::ZERO; 4], [Vec3::ZERO; 4]);
        let moves = !flex.velocity.is_empty();
        for (c, element) in flex.coefficients.iter().zip(flex.corners.chunks_exact(corners)) {
            for (k, &vertex) in element.iter().enumerate() {
                let vertex = vertex as usize;
                (x[k], rest[k]) = (flex.position[vertex], flex.rest[vertex]);
                v[k] = if moves { flex.velocity[vertex] } else { Vec3::ZERO };
            }
            let state = ElementState {
                rest: &rest[..corners],
                position: &x[..corners],
                velocity: &v[..corners],
                damping: flex.damping,
            };
            let mut force = [Vec3::ZERO; 4];
            self.forces(c, &state, &mut force[..corners]);
            for (&vertex, force) in element.iter().zip(force) {
                flex.force[vertex as usize] += force;
            }
        }
    }

    /// The choice of `flex_elasticity_model` that stands for this law, if there is one.
    fn built_in(&self) -> Option<FlexElasticityType> {
        None
    }
}

/// All elements of a flex. Vertices and edges have the model's numbers.
#[derive(Debug)]
pub struct FlexElements<'a> {
    /// 2 for triangles, 3 for tetrahedra.
    pub dim: usize,
    /// By element.
    pub coefficients: &'a [ElementCoefficients],
    /// Vertices of elements, `dim + 1` each.
    pub corners: &'a [u32],
    /// By vertex.
    pub position: &'a [Vec3],
    /// By vertex; may be empty where there is no damping.
    pub velocity: &'a [Vec3],
    /// By vertex.
    pub rest: &'a [Vec3],
    /// By vertex: what is added to.
    pub force: &'a mut [Vec3],
    /// Length of the step.
    pub timestep: f64,
    /// `damping` of the flex: relaxation time.
    pub damping: f64,
}
