//! The angle between two triangles that share an edge.

use crate::{MIN_VAL, Vec3, real};

/// The angle of a hinge and its gradient by the four points `[h0, h1, a, b]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dihedral {
    /// Zero where the wings lie in one plane on either side of the hinge; in `(−π, π]`.
    pub angle: f64,
    /// Derivatives by the points, in their order.
    pub gradient: [Vec3; 4],
}

/// The angle about the edge from `h0` to `h1` between the triangles with the points `a` and `b`; none
/// where a triangle has no area.
///
/// Gradients as in R. Bridson, S. Marino, R. Fedkiw, "Simulation of clothing with folds and wrinkles",
/// 2003, section 4: those of the wings are the normals over the heights of the triangles, those of the hinge
/// follow from lever arms along it, so that the sum of all and of their moments vanishes.
pub fn dihedral(h0: Vec3, h1: Vec3, a: Vec3, b: Vec3) -> Option<Dihedral> {
    let edge = h1 - h0;
    let length = edge.norm();
    let (na, nb) = ((a - h0).cross(a - h1), (b - h1).cross(b - h0));
    let (sa, sb) = (na.norm_squared(), nb.norm_squared());
    if !(length > MIN_VAL && sa > MIN_VAL * MIN_VAL && sb > MIN_VAL * MIN_VAL) {
        return None;
    }
    let axis = edge * (1.0 / length);
    let angle = real::atan2(nb.cross(na).dot(axis), na.dot(nb));
    let (ga, gb) = (na * (1.0 / sa), nb * (1.0 / sb));
    let gradient = [
        ga * (a - h1).dot(axis) + gb * (b - h1).dot(axis),
        -(ga * (a - h0).dot(axis) + gb * (b - h0).dot(axis)),
        ga * length,
        gb * length,
    ];
    Some(Dihedral { angle, gradient })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    fn random_points(random: &mut Random) -> [Vec3; 4] {
        std::array::from_fn(|_| Vec3(std::array::from_fn(|_| random.between(-0.5, 0.5))))
    }

    #[test]
    fn a_right_angle() {
        let (h0, h1) = (Vec3::ZERO, Vec3::Y);
        let flat = dihedral(h0, h1, Vec3::X, -Vec3::X).unwrap();
        assert_eq!(flat.angle, 0.0);
        let folded = dihedral(h0, h1, Vec3::X, Vec3::Z).unwrap();
        assert!((folded.angle.abs() - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
        assert!(dihedral(h0, h1, Vec3::Y * 0.5, Vec3::Z).is_none());
    }

    #[test]
    fn gradients_are_those_of_the_angle() {
        let mut random = Random(5);
        for _ in 0..200 {
            let x = random_points(&mut random);
            let at = |x: [Vec3; 4]| dihedral(x[0], x[1], x[2], x[3]).unwrap();
            let d = at(x);
            let smallest = d.gradient.iter().map(|g| g.norm()).fold(0.0, f64::max);
            if smallest > 50.0 || d.angle.abs() > 3.0 {
                continue;
            }
            for point in 0..4 {
                for axis in 0..3 {
                    let h = 1e-6;
                    let (mut up, mut down) = (x, x);
                    up[point][axis] += h;
                    down[point][axis] -= h;
                    let slope = (at(up).angle - at(down).angle) / (2.0 * h);
                    assert!(
                        (slope - d.gradient[point][axis]).abs()
                            < 1e-5 * (1.0 + smallest * smallest)
                    );
                }
            }
            let sum = d.gradient.iter().fold(Vec3::ZERO, |s, &g| s + g);
            let moment = x.iter().zip(d.gradient).fold(Vec3::ZERO, |s, (&x, g)| s + x.cross(g));
            assert!(
                sum.norm() < 1e-12 * (1.0 + smallest) && moment.norm() < 1e-12 * (1.0 + smallest)
            );
        }
    }
}
