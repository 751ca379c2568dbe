//! Chains of capsules: ropes, cables, hair.

use std::f64::consts::PI;

use corten_math::{Vec3, real};

use crate::body::holds_particles;
use crate::error::positive;
use crate::{Constraint, Deformable, Material, Measure, SoftError};

/// Particles in a row with round cross section. Stretching and bending have the stiffness of a rod, `E A` and `E I`.
#[derive(Clone, Debug, PartialEq)]
pub struct CapsuleChain {
    /// Particles and constraints.
    pub body: Deformable,
}

holds_particles!(CapsuleChain);

/// A material and a radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChainPreset {
    /// Name.
    pub name: &'static str,
    /// What it is made of.
    pub material: Material,
    /// Radius of the cross section, m.
    pub radius: f64,
    /// Part of a rod's bending stiffness that is there: strands slide, links turn freely.
    pub bending: f64,
}

impl ChainPreset {
    /// A rope of nylon, 10 mm.
    pub const ROPE: ChainPreset =
        ChainPreset { name: "rope", material: Material::ROPE, radius: 0.005, bending: 0.01 };
    /// A cable of thin steel wires, 6 mm.
    pub const STEEL_CABLE: ChainPreset = ChainPreset {
        name: "steel_cable",
        material: Material::STEEL,
        radius: 0.003,
        bending: 0.02,
    };
    /// A hair, 0.08 mm.
    pub const HAIR: ChainPreset =
        ChainPreset { name: "hair", material: Material::HAIR, radius: 4e-5, bending: 1.0 };
    /// A chain of steel links, 6 mm.
    pub const CHAIN: ChainPreset =
        ChainPreset { name: "chain", material: Material::STEEL, radius: 0.006, bending: 0.0 };
    /// All of them.
    pub const ALL: [ChainPreset; 4] =
        [ChainPreset::ROPE, ChainPreset::STEEL_CABLE, ChainPreset::HAIR, ChainPreset::CHAIN];

    /// The preset of a name.
    pub fn by_name(name: &str) -> Option<ChainPreset> {
        ChainPreset::ALL.into_iter().find(|p| p.name == name)
    }
}

impl CapsuleChain {
    /// A chain through some points, at rest as it is given.
    pub fn new(
        points: Vec<Vec3>,
        radius: f64,
        material: Material,
        bending: f64,
    ) -> Result<CapsuleChain, SoftError> {
        positive("radius", radius)?;
        material.check()?;
        let (area, inertia) = (PI * radius * radius, PI * real::powi(radius, 4) / 4.0);
        let mut mass = vec![0.0; points.len()];
        let mut constraints = Vec::new();
        let mut lengths = Vec::new();
        for (i, ends) in points.windows(2).enumerate() {
            let length = ends[0].distance(ends[1]);
            if !(length > 0.0) {
                return Err(SoftError::Degenerate { what: "segment", index: i });
            }
            let half = 0.5 * material.density * area * length;
            mass[i] += half;
            mass[i + 1] += half;
            let compliance = length / (material.young * area);
            constraints.push(Constraint::distance([i as u32, i as u32 + 1], length, compliance));
            lengths.push(length);
        }
        let stiffness = bending * material.young * inertia;
        if stiffness > 0.0 {
            for (i, l) in lengths.windows(2).enumerate() {
                let of = |rest| Measure::Angle { points: [0, 1, 2].map(|k| i as u32 + k), rest };
                let free = Constraint { measure: of(0.0), compliance: 0.0 };
                let rest = free.gradient(&points).map_or(0.0, |g| g.value);
                let compliance = 0.5 * (l[0] + l[1]) / stiffness;
                constraints.push(Constraint { measure: of(rest), compliance });
            }
        }
        let body = Deformable::new(points, &mass, constraints, material, radius)?;
        Ok(CapsuleChain { body })
    }

    /// A straight chain of some segments.
    pub fn straight(
        start: Vec3,
        end: Vec3,
        segments: usize,
        radius: f64,
        material: Material,
        bending: f64,
    ) -> Result<CapsuleChain, SoftError> {
        let segments = segments.max(1);
        let at = |i| start + (end - start) * (i as f64 / segments as f64);
        CapsuleChain::new((0..=segments).map(at).collect(), radius, material, bending)
    }

    /// A straight chain with the numbers of a preset.
    pub fn preset(
        start: Vec3,
        end: Vec3,
        segments: usize,
        preset: &ChainPreset,
    ) -> Result<CapsuleChain, SoftError> {
        let ChainPreset { material, radius, bending, .. } = *preset;
        CapsuleChain::straight(start, end, segments, radius, material, bending)
    }

    /// The same with resistance to torsion, of a rod's stiffness `G I_p`. It acts where the chain is bent.
    pub fn with_twist(mut self) -> Result<CapsuleChain, SoftError> {
        let body = &mut self.body;
        let polar = PI * real::powi(body.radius, 4) / 2.0;
        let stiffness = body.material.shear_modulus() * polar;
        for i in 0..body.position.len().saturating_sub(3) {
            let of = |rest| Measure::Twist { points: [0, 1, 2, 3].map(|k| i as u32 + k), rest };
            let free = Constraint { measure: of(0.0), compliance: 0.0 };
            let Some(rest) = free.gradient(&body.position).map(|g| g.value) else { continue };
            let length = body.position[i + 1].distance(body.position[i + 2]);
            let compliance = length / stiffness;
            body.constraints.push(Constraint { measure: of(rest), compliance })?;
        }
        Ok(self)
    }
}
