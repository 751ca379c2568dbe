//! Resistance of shells against bending, edge by edge.
//!
//! The flat part is the outer product of cotangent weights (Wardetzky et al., "Discrete quadratic
//! curvature energies", 2007); a rest shape that is bent scales it by the cosine of the angle
//! between the triangles, and adds a cubic term (Garg et al., "Cubic shells", 2007).
//!
//! With the weights w of an edge and the areas A of its two triangles, the sum of D/ΣA (w·x)²/2 over
//! the edges is the energy ½ D κ² per area of a sheet that is bent into a cylinder of curvature κ
//! along or across its edges. A textbook has the flexural rigidity D = E t³/12(1 − ν²) of a plate;
//! MuJoCo 3.4.0 has μ t³/8, three quarters of it at ν = 0.

use corten_math::{Vec3, real};

use super::stretch::{Material, lame};
use super::topology::Flap;

/// Numbers per edge: a matrix between four vertices, and the cubic term.
pub(super) const STRIDE: usize = 17;

/// Cotangent of the angle at `p` between the directions to `q` and `r`.
fn cotangent(p: Vec3, q: Vec3, r: Vec3) -> f64 {
    let (a, b) = (q - p, r - p);
    a.dot(b) / a.cross(b).norm()
}

fn area(p: Vec3, q: Vec3, r: Vec3) -> f64 {
    (q - p).cross(r - p).norm() / 2.0
}

/// Cotangent weights of the four vertices: the ends of the edge, then those opposite to it.
fn weights([p0, p1, p2, p3]: [Vec3; 4]) -> ([f64; 4], [f64; 4]) {
    let cot = [
        cotangent(p0, p1, p2),
        cotangent(p0, p3, p1),
        cotangent(p1, p2, p0),
        cotangent(p1, p0, p3),
    ];
    let [a, b, c, d] = cot;
    (cot, [c + d, a + b, -(a + c), -(b + d)])
}

/// The flexural rigidity of a shell.
pub(super) fn rigidity(material: &Material) -> f64 {
    let Material { young, poisson, thickness, textbook } = *material;
    let cube = real::powi(thickness, 3);
    if textbook {
        young * cube / (12.0 * (1.0 - poisson * poisson))
    } else {
        lame(young, poisson).0 * cube / 8.0
    }
}

/// The coefficients of the edge between `p0` and `p1` of a shell with a flexural rigidity.
pub(super) fn edge([p0, p1, p2, p3]: [Vec3; 4], rigidity: f64) -> [f64; STRIDE] {
    let ([a, b, c, d], weight) = weights([p0, p1, p2, p3]);
    let areas = area(p0, p1, p2) + area(p1, p0, p3);
    let stiffness = rigidity / areas;
    let along = p1 - p0;
    let square = along.norm_squared();
    // Perpendicular to the edge, in each of the triangles.
    let first = (p2 - p0) * c + (p2 - p1) * a;
    let second = (p3 - p0) * d + (p3 - p1) * b;
    let cosine = -first.dot(second) / square;
    let mut out = [0.0; STRIDE];
    for (i, wi) in weight.iter().enumerate() {
        for (j, wj) in weight.iter().enumerate() {
            out[4 * i + j] = wi * wj * cosine * stiffness;
        }
    }
    let height = along.cross(p2 - p0).dot(p3 - p0);
    out[16] = height * (a - c) * (d - b) * stiffness / (square * square.sqrt());
    out
}

/// Whether the coefficients of a flap depend on which end comes first, while the edge lists them
/// the other way round.
pub(super) fn swapped(flap: &Flap, points: [Vec3; 4]) -> bool {
    let (_, [w0, w1, ..]) = weights(points);
    flap.ends[0] > flap.ends[1] && (w0 - w1).abs() > 1e-6 * (w0.abs() + w1.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An irregular flap; the last vertex out of the plane by `z`.
    fn flap(z: f64) -> [Vec3; 4] {
        [
            Vec3::new(0.0, 0.0, 0.0),
            Vec3::new(1.0, 0.1, 0.0),
            Vec3::new(0.3, 0.8, 0.0),
            Vec3::new(0.6, -0.7, z),
        ]
    }

    /// Rows of the matrix annihilate translations and, for a flat flap, all linear maps.
    #[test]
    fn a_flat_flap_is_at_rest_however_it_is_stretched() {
        let points = flap(0.0);
        let k = edge(points, 5.0e-3 / 8.0);
        for i in 0..4 {
            let force: Vec3 = (0..4).fold(Vec3::ZERO, |sum, j| sum + points[j] * k[4 * i + j]);
            let total: f64 = (0..4).map(|j| k[4 * i + j]).sum();
            assert!(force.norm() < 1e-12 && total.abs() < 1e-12);
        }
        assert_eq!(k[16], 0.0);
    }

    /// Two equilateral triangles: the cotangents are 1/√3, and so are the weights but for a sign.
    #[test]
    fn equilateral_triangles() {
        let h = 0.75f64.sqrt();
        let points = [Vec3::ZERO, Vec3::X, Vec3::new(0.5, h, 0.0), Vec3::new(0.5, -h, 0.0)];
        let k = edge(points, 1.0 / 8.0);
        let w = 2.0 / 3.0f64.sqrt();
        let expected = 3.0 / (24.0 * h) * w * w;
        for (i, sign) in [1.0, 1.0, -1.0, -1.0, 1.0, 1.0, -1.0, -1.0].into_iter().enumerate() {
            assert!((k[i] - sign * expected).abs() < 1e-12);
        }
    }

    /// At a right angle the quadratic part vanishes.
    #[test]
    fn the_quadratic_part_goes_with_the_cosine() {
        let points = [Vec3::ZERO, Vec3::X, Vec3::new(0.5, 1.0, 0.0), Vec3::new(0.2, 0.0, 1.0)];
        assert!(edge(points, 1.0 / 8.0)[..16].iter().all(|x| x.abs() < 1e-15));
    }
}
