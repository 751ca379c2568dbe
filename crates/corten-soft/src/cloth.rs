//! Cloth: triangles with a thickness.

use corten_math::{Vec3, dihedral};

use crate::body::holds_particles;
use crate::error::positive;
use crate::mesh::{check_corners, sides};
use crate::{Constraint, Deformable, Material, Measure, SoftError};

/// A sheet of triangles. Edges resist stretching, hinges between triangles resist bending.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloth {
    /// Particles and constraints.
    pub body: Deformable,
    /// Thickness of the sheet, m.
    pub thickness: f64,
}

holds_particles!(Cloth);

/// A material and a thickness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClothPreset {
    /// Name.
    pub name: &'static str,
    /// What it is made of.
    pub material: Material,
    /// Thickness, m.
    pub thickness: f64,
}

macro_rules! presets {
    ($($(#[$doc:meta])* $constant:ident, $name:literal, $thickness:literal;)*) => {
        impl ClothPreset {
            $($(#[$doc])* pub const $constant: ClothPreset =
                ClothPreset { name: $name, material: Material::$constant, thickness: $thickness };)*

            /// All of them.
            pub const ALL: [ClothPreset; 6] = [$(ClothPreset::$constant),*];
        }
    };
}

presets! {
    /// A shirt.
    COTTON, "cotton", 5e-4;
    /// A scarf.
    SILK, "silk", 2e-4;
    /// A jacket.
    LEATHER, "leather", 1.5e-3;
    /// A mat.
    RUBBER, "rubber", 2e-3;
    /// A sheet of paper.
    PAPER, "paper", 1e-4;
    /// The skin of a balloon.
    MEMBRANE, "membrane", 3e-4;
}

impl ClothPreset {
    /// The preset of a name.
    pub fn by_name(name: &str) -> Option<ClothPreset> {
        ClothPreset::ALL.into_iter().find(|p| p.name == name)
    }
}

impl Cloth {
    /// A sheet at rest in the shape it is given. Stiffness of an edge is that of A. Van Gelder, "Approximate simulation of elastic
    /// membranes by triangulated spring meshes", 1998: `E t ΣA / L²` over its triangles; that of a hinge `D L² / ΣA` with the
    /// stiffness `D` of a plate, which is the energy of a sheet that is bent into a cylinder along rows of edges.
    pub fn new(
        vertices: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
        thickness: f64,
        material: Material,
    ) -> Result<Cloth, SoftError> {
        positive("thickness", thickness)?;
        material.check()?;
        check_corners("triangle", &triangles, vertices.len())?;
        let areas = areas(&vertices, &triangles)?;
        let mut mass = vec![0.0; vertices.len()];
        for (triangle, area) in triangles.iter().zip(&areas) {
            for &corner in triangle {
                mass[corner as usize] += material.density * thickness * area / 3.0;
            }
        }
        let (mut edges, mut hinges) = (Vec::new(), Vec::new());
        for same in sides(&triangles).chunk_by(|a, b| a.ends == b.ends) {
            let ends = same[0].ends;
            let at = |i: u32| vertices[i as usize];
            let length = at(ends[0]).distance(at(ends[1]));
            let area: f64 = same.iter().map(|s| areas[s.element as usize]).sum();
            let compliance = length * length / (material.young * thickness * area);
            edges.push(Constraint::distance(ends, length, compliance));
            if let [a, b] = same {
                let wings = [a.opposite, b.opposite];
                let flat = dihedral(at(ends[0]), at(ends[1]), at(wings[0]), at(wings[1]));
                let rest = flat.map_or(0.0, |d| d.angle);
                let stiffness = material.plate_stiffness(thickness) * length * length / area;
                let measure = Measure::Dihedral { hinge: ends, wings, rest };
                hinges.push(Constraint { measure, compliance: 1.0 / stiffness });
            }
        }
        edges.append(&mut hinges);
        let mut body = Deformable::new(vertices, &mass, edges, material, 0.5 * thickness)?;
        body.surface = triangles;
        Ok(Cloth { body, thickness })
    }

    /// A rectangle in the plane `z = origin[2]`, of `count` vertices at a distance of `spacing`, from `origin` along x and y. Diagonals
    /// alternate, so that no direction is preferred.
    pub fn grid(
        origin: Vec3,
        count: [usize; 2],
        spacing: f64,
        preset: &ClothPreset,
    ) -> Result<Cloth, SoftError> {
        positive("spacing", spacing)?;
        let [nx, ny] = count.map(|n| n.max(2));
        let total = nx.saturating_mul(ny);
        if total > u32::MAX as usize {
            return Err(SoftError::TooMany { count: total, limit: u32::MAX as usize });
        }
        let place = |k: usize| {
            origin + Vec3::new((k % nx) as f64 * spacing, (k / nx) as f64 * spacing, 0.0)
        };
        let mut triangles = Vec::new();
        for y in 0..ny - 1 {
            for x in 0..nx - 1 {
                let at = |dx: usize, dy: usize| ((y + dy) * nx + x + dx) as u32;
                let [a, b, c, d] = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)];
                let cut =
                    if (x + y) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
                triangles.extend(cut);
            }
        }
        Cloth::new((0..total).map(place).collect(), triangles, preset.thickness, preset.material)
    }

    /// The same woven: instead of springs along the edges, each triangle resists strain along the thread that `warp` is the direction of
    /// and across it, with `E`, and the angle between the two, with the shear modulus (D. Baraff, A. Witkin, "Large steps in cloth
    /// simulation", 1998). Triangles across which `warp` stands are refused.
    pub fn woven(mut self, warp: Vec3) -> Result<Cloth, SoftError> {
        let body = &mut self.body;
        let areas = areas(&body.position, &body.surface)?;
        let (young, shear) = (body.material.young, body.material.shear_modulus());
        let mut threads = Vec::new();
        for (index, (&corners, &area)) in body.surface.iter().zip(&areas).enumerate() {
            let degenerate = SoftError::Degenerate { what: "warp of triangle", index };
            let [p, q, r] = corners.map(|c| body.position[c as usize]);
            let (e1, e2) = (q - p, r - p);
            let normal = e1.cross(e2) * (0.5 / area);
            let along = warp - normal * normal.dot(warp);
            if !(along.norm() > 1e-6 * warp.norm()) {
                return Err(degenerate);
            }
            let along = along * (1.0 / along.norm());
            let across = normal.cross(along);
            // Multiples of the edges: with `n = e1 × e2 / 2A`, `u = (u × e2 · n) e1 / 2A + (e1 × u · n) e2 / 2A`.
            let of = |u: Vec3| {
                [u.cross(e2).dot(normal) / (2.0 * area), e1.cross(u).dot(normal) / (2.0 * area)]
            };
            let (warp, weft) = (of(along), of(across));
            let volume = area * self.thickness;
            let compliance = 1.0 / (young * volume);
            for along in [warp, weft] {
                threads
                    .push(Constraint { measure: Measure::Stretch { corners, along }, compliance });
            }
            let compliance = 1.0 / (shear * volume);
            threads
                .push(Constraint { measure: Measure::Shear { corners, warp, weft }, compliance });
        }
        body.constraints.retain(|c| !matches!(c.measure, Measure::Distance { .. }));
        threads.into_iter().try_for_each(|c| body.constraints.push(c))?;
        Ok(self)
    }
}

fn areas(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Vec<f64>, SoftError> {
    let area = |(index, corners): (usize, &[u32; 3])| {
        let [p, q, r] = corners.map(|c| vertices[c as usize]);
        let area = 0.5 * (q - p).cross(r - p).norm();
        if area > 0.0 { Ok(area) } else { Err(SoftError::Degenerate { what: "triangle", index }) }
    };
    triangles.iter().enumerate().map(area).collect()
}
