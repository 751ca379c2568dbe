//! Bodies of particles.

use corten_math::Vec3;

use crate::error::{expect, not_negative};
use crate::{Constraint, ConstraintSet, Material, SoftError};

/// Indices of particles are 32 bits wide.
const MAX_PARTICLES: usize = u32::MAX as usize;

/// All that the solver knows of a body. It is a [`DeformableBody`] itself: a body of the user's own is one with his particles
/// and constraints, or a type around it.
#[derive(Clone, Debug, PartialEq)]
pub struct Deformable {
    /// Positions, m.
    pub position: Vec<Vec3>,
    /// Velocities, m/s.
    pub velocity: Vec<Vec3>,
    /// Inverse masses, 1/kg; zero holds a particle where it is.
    pub inverse_mass: Vec<f64>,
    /// What holds the particles together.
    pub constraints: ConstraintSet,
    /// Triangles of the surface, for display.
    pub surface: Vec<[u32; 3]>,
    /// What the body is made of.
    pub material: Material,
    /// Half the thickness: how far the surface is from the particles, m.
    pub radius: f64,
    /// Time for which no particle has moved, s; the body sleeps from a threshold of the solver on.
    pub still: f64,
}

impl Deformable {
    /// Particles at rest with some masses in kg, and constraints between them. A mass of zero or infinity holds its particle.
    pub fn new(
        position: Vec<Vec3>,
        mass: &[f64],
        constraints: Vec<Constraint>,
        material: Material,
        radius: f64,
    ) -> Result<Deformable, SoftError> {
        let count = position.len();
        if count > MAX_PARTICLES {
            return Err(SoftError::TooMany { count, limit: MAX_PARTICLES });
        }
        if mass.len() != count {
            return Err(SoftError::Length { what: "mass", found: mass.len(), expected: count });
        }
        material.check()?;
        not_negative("radius", radius)?;
        for &m in mass {
            expect(m >= 0.0, "mass", m, "a number that is not negative")?;
        }
        if let Some(x) = position.iter().find(|x| !x.is_finite()) {
            expect(false, "position", x.norm(), "a finite number")?;
        }
        let inverse = |&m: &f64| if m == 0.0 { 0.0 } else { 1.0 / m };
        Ok(Deformable {
            velocity: vec![Vec3::ZERO; count],
            inverse_mass: mass.iter().map(inverse).collect(),
            constraints: ConstraintSet::new(count, constraints)?,
            surface: Vec::new(),
            position,
            material,
            radius,
            still: 0.0,
        })
    }

    /// Whether arrays and constraints belong together, as they do unless somebody has changed them.
    pub fn check(&self) -> Result<(), SoftError> {
        let expected = self.position.len();
        let lengths = [
            ("velocity", self.velocity.len()),
            ("inverse_mass", self.inverse_mass.len()),
            ("constraints", self.constraints.particles()),
        ];
        match lengths.into_iter().find(|&(_, found)| found != expected) {
            Some((what, found)) => Err(SoftError::Length { what, found, expected }),
            None => Ok(()),
        }
    }
}

/// Something that [`XpbdSolver`](crate::XpbdSolver) can step. The two required methods give its particles and constraints;
/// everything else follows.
pub trait DeformableBody {
    /// Particles and constraints.
    fn deformable(&self) -> &Deformable;

    /// Particles and constraints, to change.
    fn deformable_mut(&mut self) -> &mut Deformable;

    /// Number of particles.
    fn len(&self) -> usize {
        self.deformable().position.len()
    }

    /// Whether there are no particles.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Positions of the particles.
    fn positions(&self) -> &[Vec3] {
        &self.deformable().position
    }

    /// Velocities of the particles.
    fn velocities(&self) -> &[Vec3] {
        &self.deformable().velocity
    }

    /// Inverse masses of the particles.
    fn inverse_masses(&self) -> &[f64] {
        &self.deformable().inverse_mass
    }

    /// What holds the particles together.
    fn constraints(&self) -> &[Constraint] {
        self.deformable().constraints.as_slice()
    }

    /// What the body is made of.
    fn material(&self) -> &Material {
        &self.deformable().material
    }

    /// How far the surface is from the particles.
    fn radius(&self) -> f64 {
        self.deformable().radius
    }

    /// Holds a particle where it is; `false` if there is none of that number.
    fn pin(&mut self, particle: usize) -> bool {
        let body = self.deformable_mut();
        let Some(w) = body.inverse_mass.get_mut(particle) else { return false };
        *w = 0.0;
        body.velocity[particle] = Vec3::ZERO;
        true
    }

    /// Wakes the body. One that was given a velocity wakes by itself.
    fn wake(&mut self) {
        self.deformable_mut().still = 0.0;
    }

    /// Sum of the masses of particles that move, kg.
    fn mass(&self) -> f64 {
        self.inverse_masses().iter().filter(|&&w| w > 0.0).map(|w| 1.0 / w).sum()
    }

    /// Momentum of the particles that move.
    fn momentum(&self) -> Vec3 {
        moving(self.deformable()).fold(Vec3::ZERO, |sum, (_, v, m)| sum + v * m)
    }

    /// Angular momentum of the particles that move, about the origin.
    fn angular_momentum(&self) -> Vec3 {
        moving(self.deformable()).fold(Vec3::ZERO, |sum, (x, v, m)| sum + x.cross(v) * m)
    }

    /// Kinetic energy, J.
    fn kinetic_energy(&self) -> f64 {
        moving(self.deformable()).map(|(_, v, m)| 0.5 * m * v.norm_squared()).sum()
    }

    /// Energy of the constraints that have a compliance, J.
    fn elastic_energy(&self) -> f64 {
        let body = self.deformable();
        let soft = self.constraints().iter().filter(|c| c.compliance > 0.0);
        soft.filter_map(|c| {
            let value = c.gradient(&body.position)?.value;
            Some(value * value / (2.0 * c.compliance))
        })
        .sum()
    }
}

/// Position, velocity and mass of the particles that move.
fn moving(body: &Deformable) -> impl Iterator<Item = (Vec3, Vec3, f64)> {
    let particles = body.position.iter().zip(&body.velocity).zip(&body.inverse_mass);
    particles.filter(|&(_, &w)| w > 0.0).map(|((&x, &v), w)| (x, v, 1.0 / w))
}

impl DeformableBody for Deformable {
    fn deformable(&self) -> &Deformable {
        self
    }

    fn deformable_mut(&mut self) -> &mut Deformable {
        self
    }
}

/// A body that holds its particles in the field `body`.
macro_rules! holds_particles {
    ($type:ty) => {
        impl $crate::DeformableBody for $type {
            fn deformable(&self) -> &$crate::Deformable {
                &self.body
            }

            fn deformable_mut(&mut self) -> &mut $crate::Deformable {
                &mut self.body
            }
        }
    };
}

pub(crate) use holds_particles;
