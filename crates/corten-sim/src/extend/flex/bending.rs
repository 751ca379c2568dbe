use std::f64::consts::{PI, TAU};

use corten_math::{Vec3, dihedral};
use corten_model::flex::cotangent_bending;

use super::{FlexBendingModel, FlexBendingType, FlexMaterial, HingeCoefficients, HingeState};
use crate::stage::flex::{cotangent_product as product, volume_gradient};

/// MuJoCo's: a quadratic form of the four vertices, made of the cotangents of angles at rest (Wardetzky et al. 2007,
/// *Discrete quadratic curvature energies*), and a cubic term where the surface is curved at rest (Garg et al. 2007, *Cubic
/// shells*): the gradient of the volume that the four vertices span. Coefficients are the matrix, 4 × 4, and the factor of
/// the volume. For small angles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CotangentBending;

impl FlexBendingModel for CotangentBending {
    fn precompute(&self, rest: &[Vec3; 4], material: &FlexMaterial) -> HingeCoefficients {
        cotangent_bending(*rest, material.plate_stiffness())
    }

    fn built_in(&self) -> Option<FlexBendingType> {
        Some(FlexBendingType::Cotangent)
    }

    #[inline(always)]
    fn gradient(&self, coefficients: &HingeCoefficients, hinge: &HingeState) -> [Vec3; 4] {
        let mut gradient = product(coefficients, &hinge.position);
        let volume = volume_gradient(&hinge.position);
        for (gradient, volume) in gradient.iter_mut().zip(volume) {
            *gradient += volume * coefficients[16];
        }
        gradient
    }

    #[inline(always)]
    fn damping(&self, coefficients: &HingeCoefficients, hinge: &HingeState) -> [Vec3; 4] {
        let mut force = product(coefficients, &hinge.velocity);
        force.iter_mut().for_each(|force| *force *= hinge.damping);
        force
    }

    fn energy(&self, coefficients: &HingeCoefficients, x: &[Vec3; 4]) -> f64 {
        let flat: f64 = product(coefficients, x).iter().zip(x).map(|(g, &x)| g.dot(x)).sum();
        let six_volumes = (x[1] - x[0]).dot((x[2] - x[0]).cross(x[3] - x[0]));
        0.5 * flat + coefficients[16] * six_volumes
    }
}

/// Springs at the angles between triangles: `½ k (θ − θ₀)²` with the stiffness `k = D L² / ΣA` of a plate, for angles of any size
/// (R. Bridson, S. Marino, R. Fedkiw, "Simulation of clothing with folds and wrinkles", 2003). Near a flat rest shape it agrees with
/// [`CotangentBending`]. Coefficients are `k` and `θ₀`.
///
/// Explicit springs must not turn a hinge too far in one step: `k` is at most [`Self::TURN`] `/ (h² Σ w |∇θ|²)`, with the step `h` and the
/// inverse masses `w`, and the relaxation time at most `h`. Limiting the hinge rather than each of its four forces keeps momentum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BridsonBending;

impl BridsonBending {
    /// Which part of its deviation a hinge alone may lose in one step. A vertex has some twelve hinges, whose stiffnesses add up; beyond
    /// 4 in sum, an explicit step gains energy.
    pub const TURN: f64 = 0.25;

    /// Derivative of the energy by the angle over the deviation, the deviation, and the gradient of the angle.
    fn turn(c: &HingeCoefficients, x: &[Vec3; 4]) -> Option<(f64, [Vec3; 4])> {
        let d = dihedral(x[0], x[1], x[2], x[3])?;
        let deviation = d.angle - c[1];
        let deviation = if deviation > PI {
            deviation - TAU
        } else if deviation < -PI {
            deviation + TAU
        } else {
            deviation
        };
        Some((deviation, d.gradient))
    }

    fn stiffness(c: &HingeCoefficients, hinge: &HingeState, gradient: &[Vec3; 4]) -> f64 {
        let squares = hinge.inverse_mass.iter().zip(gradient);
        let mobility: f64 = squares.map(|(w, g)| w * g.norm_squared()).sum();
        let limit = BridsonBending::TURN / (hinge.timestep * hinge.timestep * mobility);
        if limit < c[0] { limit } else { c[0] }
    }
}

impl FlexBendingModel for BridsonBending {
    fn precompute(&self, rest: &[Vec3; 4], material: &FlexMaterial) -> HingeCoefficients {
        let mut c = [0.0; 17];
        if let Some(d) = dihedral(rest[0], rest[1], rest[2], rest[3]) {
            let edge = rest[1] - rest[0];
            let area = |apex: Vec3| 0.5 * edge.cross(apex - rest[0]).norm();
            let areas = area(rest[2]) + area(rest[3]);
            c[0] = material.plate_stiffness() * edge.norm_squared() / areas;
            c[1] = d.angle;
        }
        c
    }

    fn gradient(&self, c: &HingeCoefficients, hinge: &HingeState) -> [Vec3; 4] {
        let Some((deviation, gradient)) = BridsonBending::turn(c, &hinge.position) else {
            return [Vec3::ZERO; 4];
        };
        let torque = BridsonBending::stiffness(c, hinge, &gradient) * deviation;
        gradient.map(|g| g * torque)
    }

    fn damping(&self, c: &HingeCoefficients, hinge: &HingeState) -> [Vec3; 4] {
        let Some((_, gradient)) = BridsonBending::turn(c, &hinge.position) else {
            return [Vec3::ZERO; 4];
        };
        let rate: f64 = gradient.iter().zip(hinge.velocity).map(|(g, v)| g.dot(v)).sum();
        let time = hinge.damping.min(hinge.timestep);
        let torque = BridsonBending::stiffness(c, hinge, &gradient) * time * rate;
        gradient.map(|g| g * torque)
    }

    fn energy(&self, c: &HingeCoefficients, position: &[Vec3; 4]) -> f64 {
        let deviation = BridsonBending::turn(c, position).map_or(0.0, |(deviation, _)| deviation);
        0.5 * c[0] * deviation * deviation
    }

    fn built_in(&self) -> Option<FlexBendingType> {
        Some(FlexBendingType::Bridson)
    }

    fn uses_masses(&self) -> bool {
        true
    }
}
