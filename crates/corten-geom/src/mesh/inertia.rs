//! Volume, area, centre of mass and inertia of triangle meshes.
//!
//! A mesh is a sum of tetrahedra from a reference point to its faces (or of the faces themselves,
//! for shells), signed by orientation so that concave parts cancel. Second moments of simplices
//! are polynomial in their corners; see Tonon, "Explicit exact formulas for the 3-D tetrahedron
//! inertia tensor" (2004). Sums run in face order: principal axes of symmetric meshes are decided
//! by their last bits.

use corten_math::{MIN_VAL, Mat3, Vec3};

use super::MassDistribution;

/// Area, unit normal and centre of a triangle; the normal of a degenerate triangle is not
/// normalised and its area zero.
pub(super) fn triangle(a: Vec3, b: Vec3, c: Vec3) -> (f64, Vec3, Vec3) {
    let center = Vec3(std::array::from_fn(|k| (a[k] + b[k] + c[k]) / 3.0));
    let normal = (b - a).cross(c - a);
    let length = normal.norm();
    if length < MIN_VAL {
        return (0.0, normal, center);
    }
    (0.5 * length, normal / length, center)
}

fn corners(vert: &[Vec3], face: [i32; 3]) -> [Vec3; 3] {
    face.map(|i| vert[i as usize])
}

/// Mean of the surface, and its area.
pub(super) fn face_centroid(vert: &[Vec3], faces: &[[i32; 3]]) -> (Vec3, f64) {
    let mut sum = Vec3::ZERO;
    let mut total = 0.0;
    for &face in faces {
        let [a, b, c] = corners(vert, face);
        let (area, _, center) = triangle(a, b, c);
        sum += center * area;
        total += area;
    }
    if total >= MIN_VAL {
        sum = sum / total;
    }
    (sum, total)
}

/// Measure (volume, or area of shells) and centre of mass, from pyramids with their apex at the
/// surface centroid `apex`.
pub(super) fn center_of_mass(
    vert: &[Vec3],
    faces: &[[i32; 3]],
    apex: Vec3,
    mass: MassDistribution,
) -> (f64, Vec3) {
    let mut total = 0.0;
    let mut sum = Vec3::ZERO;
    for &face in faces {
        let [a, b, c] = corners(vert, face);
        let (area, normal, center) = triangle(a, b, c);
        let measure = match mass {
            MassDistribution::Shell => area,
            MassDistribution::Legacy => ((center - apex).dot(normal) * area / 3.0).abs(),
            _ => (center - apex).dot(normal) * area / 3.0,
        };
        total += measure;
        for k in 0..3 {
            sum[k] += measure * (center[k] * 3.0 / 4.0 + apex[k] / 4.0);
        }
    }
    if total >= MIN_VAL {
        sum = sum / total;
    }
    (total, sum)
}

/// Inertia matrix at unit density about `com`, and the measure summed from there.
pub(super) fn inertia(
    vert: &[Vec3],
    faces: &[[i32; 3]],
    com: Vec3,
    mass: MassDistribution,
) -> (Mat3, f64) {
    const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
    let denominator = if mass == MassDistribution::Shell { 12.0 } else { 20.0 };
    let mut moment = [0.0; 6];
    let mut total = 0.0;
    for &face in faces {
        let [d, e, f] = corners(vert, face).map(|v| v - com);
        let (area, normal, center) = triangle(d, e, f);
        let measure = match mass {
            MassDistribution::Shell => area,
            MassDistribution::Legacy => (center.dot(normal) * area / 3.0).abs(),
            _ => center.dot(normal) * area / 3.0,
        };
        total += measure;
        let weight = measure / denominator;
        for (m, (i, j)) in moment.iter_mut().zip(PAIRS) {
            *m += weight
                * (2.0 * (d[i] * d[j] + e[i] * e[j] + f[i] * f[j])
                    + d[i] * e[j]
                    + d[j] * e[i]
                    + d[i] * f[j]
                    + d[j] * f[i]
                    + e[i] * f[j]
                    + e[j] * f[i]);
        }
    }
    let [xx, yy, zz, xy, xz, yz] = moment;
    (Mat3([yy + zz, -xy, -xz, -xy, xx + zz, -yz, -xz, -yz, xx + yy]), total)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box of half sizes 1, 2, 3 centred at (4, 5, 6).
    fn sample() -> (Vec<Vec3>, Vec<[i32; 3]>) {
        let vert = (0..8)
            .map(|i| {
                let sign = |bit: i32| if i & bit != 0 { 1.0 } else { -1.0 };
                Vec3::new(4.0 + sign(1), 5.0 + 2.0 * sign(2), 6.0 + 3.0 * sign(4))
            })
            .collect();
        let quads =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let faces = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        (vert, faces)
    }

    #[test]
    fn box_has_its_closed_form() {
        let (vert, faces) = sample();
        let (apex, area) = face_centroid(&vert, &faces);
        assert!((area - 88.0).abs() < 1e-12);
        let (volume, com) = center_of_mass(&vert, &faces, apex, MassDistribution::Exact);
        assert!((volume - 48.0).abs() < 1e-12);
        assert!((com - Vec3::new(4.0, 5.0, 6.0)).norm() < 1e-13);
        let (i, _) = inertia(&vert, &faces, com, MassDistribution::Exact);
        let expected = Mat3::diag(Vec3::new(13.0, 10.0, 5.0) * (48.0 / 3.0));
        for k in 0..9 {
            assert!((i.0[k] - expected.0[k]).abs() < 1e-11);
        }
    }

    #[test]
    fn shell_of_a_box_has_its_closed_form() {
        let (vert, faces) = sample();
        let com = Vec3::new(4.0, 5.0, 6.0);
        let (i, area) = inertia(&vert, &faces, com, MassDistribution::Shell);
        assert!((area - 88.0).abs() < 1e-12);
        // About x: faces ±x contribute A(y²+z²)/3, faces ±y A(b² + c²/3), faces ±z A(c² + b²/3).
        let (b, c) = (2.0f64, 3.0f64);
        let (ax, ay, az) = (48.0, 24.0, 16.0);
        let xx =
            ax * (b * b + c * c) / 3.0 + ay * (b * b + c * c / 3.0) + az * (c * c + b * b / 3.0);
        assert!((i.0[0] - xx).abs() < 1e-10);
    }
}
