//! Soft bodies: tetrahedra.

use corten_math::Vec3;

use crate::body::holds_particles;
use crate::error::positive;
use crate::mesh::{check_corners, sides, surface};
use crate::{Constraint, Deformable, Material, Measure, SoftError};

/// A solid of tetrahedra. Edges resist stretching, tetrahedra keep their volume.
#[derive(Clone, Debug, PartialEq)]
pub struct SoftBody {
    /// Particles and constraints.
    pub body: Deformable,
    /// The tetrahedra, all of positive volume.
    pub tetrahedra: Vec<[u32; 4]>,
}

holds_particles!(SoftBody);

/// A material by the name of what is made of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftBodyPreset {
    /// Name.
    pub name: &'static str,
    /// What it is made of.
    pub material: Material,
}

macro_rules! presets {
    ($($(#[$doc:meta])* $constant:ident;)*) => {
        impl SoftBodyPreset {
            $($(#[$doc])* pub const $constant: SoftBodyPreset =
                SoftBodyPreset { name: Material::$constant.name, material: Material::$constant };)*

            /// All of them.
            pub const ALL: [SoftBodyPreset; 6] = [$(SoftBodyPreset::$constant),*];
        }
    };
}

presets! {
    /// A rubber ball.
    RUBBER;
    /// A jelly.
    GELATIN;
    /// Fat and skin.
    SOFT_TISSUE;
    /// A relaxed muscle.
    MUSCLE;
    /// A sponge.
    FOAM;
    /// Hard rubber.
    STIFF;
}

impl SoftBodyPreset {
    /// The preset of a name.
    pub fn by_name(name: &str) -> Option<SoftBodyPreset> {
        SoftBodyPreset::ALL.into_iter().find(|p| p.name == name)
    }
}

impl SoftBody {
    /// A solid at rest in the shape it is given. Tetrahedra of negative volume are turned around. Stiffness of an edge is
    /// `E Σ V / L²` over its tetrahedra, as of the edges of a [`Cloth`](crate::Cloth); that of a volume the bulk modulus `K / V`.
    pub fn new(
        vertices: Vec<Vec3>,
        mut tetrahedra: Vec<[u32; 4]>,
        material: Material,
    ) -> Result<SoftBody, SoftError> {
        material.check()?;
        check_corners("tetrahedron", &tetrahedra, vertices.len())?;
        let (mut volumes, mut mass) = (Vec::new(), vec![0.0; vertices.len()]);
        let mut kept = Vec::new();
        for (index, corners) in tetrahedra.iter_mut().enumerate() {
            let volume = volume(&vertices, *corners);
            if !(volume.abs() > 0.0) {
                return Err(SoftError::Degenerate { what: "tetrahedron", index });
            }
            if volume < 0.0 {
                corners.swap(2, 3);
            }
            let rest = volume.abs();
            for &corner in &*corners {
                mass[corner as usize] += material.density * rest / 4.0;
            }
            let measure = Measure::Volume { corners: *corners, rest };
            kept.push(Constraint { measure, compliance: rest / material.bulk_modulus() });
            volumes.push(rest);
        }
        let mut constraints = Vec::new();
        for same in sides(&tetrahedra).chunk_by(|a, b| a.ends == b.ends) {
            let ends = same[0].ends;
            let length = vertices[ends[0] as usize].distance(vertices[ends[1] as usize]);
            let volume: f64 = same.iter().map(|s| volumes[s.element as usize]).sum();
            let compliance = length * length / (material.young * volume);
            constraints.push(Constraint::distance(ends, length, compliance));
        }
        constraints.append(&mut kept);
        let mut body = Deformable::new(vertices, &mass, constraints, material, 0.0)?;
        body.surface = surface(&tetrahedra);
        Ok(SoftBody { body, tetrahedra })
    }

    /// A box of `count` vertices at a distance of `spacing`, from `origin` along the axes; five tetrahedra per cell, in mirror images of
    /// each other.
    pub fn grid(
        origin: Vec3,
        count: [usize; 3],
        spacing: f64,
        preset: &SoftBodyPreset,
    ) -> Result<SoftBody, SoftError> {
        positive("spacing", spacing)?;
        let n = count.map(|n| n.max(2));
        let total = n[0].saturating_mul(n[1]).saturating_mul(n[2]);
        if total > u32::MAX as usize {
            return Err(SoftError::TooMany { count: total, limit: u32::MAX as usize });
        }
        let place = |k: usize| {
            let [x, y, z] =
                [k % n[0], k / n[0] % n[1], k / (n[0] * n[1])].map(|i| i as f64 * spacing);
            origin + Vec3::new(x, y, z)
        };
        let mut tetrahedra = Vec::new();
        for cell in 0..(n[0] - 1) * (n[1] - 1) * (n[2] - 1) {
            let (x, y) = (cell % (n[0] - 1), cell / (n[0] - 1) % (n[1] - 1));
            let z = cell / ((n[0] - 1) * (n[1] - 1));
            let odd = (x + y + z) % 2;
            // Corner of the cell by its bits, mirrored in every other cell.
            let at = |bits: usize| {
                let dx = (bits & 1) ^ odd;
                (((z + (bits >> 2)) * n[1] + y + (bits >> 1 & 1)) * n[0] + x + dx) as u32
            };
            let cut = [[0, 3, 5, 6], [1, 0, 3, 5], [2, 0, 3, 6], [4, 0, 5, 6], [7, 3, 5, 6]];
            tetrahedra.extend(cut.map(|corners| corners.map(at)));
        }
        SoftBody::new((0..total).map(place).collect(), tetrahedra, preset.material)
    }

    /// The same with a skin of some thickness, which is how far contacts stay from the particles.
    pub fn with_radius(mut self, radius: f64) -> Result<SoftBody, SoftError> {
        self.body.radius = crate::error::not_negative("radius", radius)?;
        Ok(self)
    }

    /// The volume of all tetrahedra now, m³.
    pub fn volume(&self) -> f64 {
        self.tetrahedra.iter().map(|&corners| volume(&self.body.position, corners)).sum()
    }
}

fn volume(vertices: &[Vec3], corners: [u32; 4]) -> f64 {
    let [p, q, r, s] = corners.map(|c| vertices[c as usize]);
    (q - p).cross(r - p).dot(s - p) / 6.0
}
