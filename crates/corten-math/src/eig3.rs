use crate::array::MapInline;
use crate::{Mat3, Quat, Vec3};

/// Eigenvalues of a symmetric 3×3 matrix in decreasing order, and the rotation whose columns
/// are the eigenvectors.
#[derive(Clone, Copy, Debug)]
pub struct Eig3 {
    /// Eigenvalues, descending.
    pub values: Vec3,
    /// Eigenvectors as columns.
    pub vectors: Mat3,
    /// The rotation that has them as axes.
    pub rotation: Quat,
}

/// Off-diagonal magnitude below which the matrix counts as diagonal, and difference below which
/// two eigenvalues count as equal (equal ones keep their order, so that symmetric bodies keep
/// their axes).
const EPS: f64 = 1e-12;

/// cos 45°. The digits are MuJoCo's: the frame of its collision sweep is off unit length by their
/// error, which decides about spheres that touch exactly.
#[allow(clippy::approx_constant)]
const QUARTER_TURN: f64 = 0.707106781186548;

/// Bound on Jacobi sweeps; convergence is quadratic and takes fewer than ten.
const MAX_ITERATIONS: usize = 500;

/// Diagonalises a symmetric matrix by Jacobi rotations accumulated in a quaternion.
///
/// The rotation is not unique: which axis is rotated first and how ties are ordered decide the
/// result. Both follow MuJoCo (largest off-diagonal element first; a 90° turn about the third
/// axis for each exchange of neighbours), because inertial frames are part of a compiled model.
pub fn eig3(a: &Mat3) -> Eig3 {
    diagonalize(a, Quat::normalized)
}

/// [`eig3`] with the rounding of MuJoCo's compiler, which leaves quaternions alone that are nearly
/// of unit length. Inertias with equal moments amplify the last bits to different axes.
pub fn principal_axes(a: &Mat3) -> Eig3 {
    /// Deviation from unit length that is left alone.
    const NEARLY_UNIT: f64 = 1e-14;
    diagonalize(a, |q| {
        let norm = q.norm();
        if (norm - 1.0).abs() > NEARLY_UNIT { Quat(q.0.map_inline(|x| x / norm)) } else { q }
    })
}

fn diagonalize(a: &Mat3, unit: impl Fn(Quat) -> Quat) -> Eig3 {
    let mut q = Quat::IDENTITY;
    let mut values = Vec3::ZERO;
    for _ in 0..MAX_ITERATIONS {
        let v = q.to_mat();
        let d = v.tmul_mat(a) * v;
        values = Vec3([d.0[0], d.0[4], d.0[8]]);

        let off = |i, j| d[(i, j)].abs();
        let (i, j, axis) = if off(0, 1) > off(0, 2) && off(0, 1) > off(1, 2) {
            (0, 1, 2)
        } else if off(0, 2) > off(1, 2) {
            (0, 2, 1)
        } else {
            (1, 2, 0)
        };
        // Written so that a NaN ends the loop.
        if !(off(i, j) >= EPS) {
            break;
        }

        // 2×2 symmetric Schur decomposition: t is the tangent of the rotation angle.
        let tau = (d[(j, j)] - d[(i, i)]) / (2.0 * d[(i, j)]);
        let t = if tau >= 0.0 {
            1.0 / (tau + (1.0 + tau * tau).sqrt())
        } else {
            -1.0 / (-tau + (1.0 + tau * tau).sqrt())
        };
        let c = 1.0 / (1.0 + t * t).sqrt();
        if c > 1.0 - EPS {
            break;
        }
        let half_sin = (0.5 - 0.5 * c).sqrt();
        let sign = if (tau >= 0.0) == (axis == 1) { 1.0 } else { -1.0 };
        let mut r = [0.0; 4];
        r[axis + 1] = sign * half_sin;
        r[0] = (1.0 - half_sin * half_sin).sqrt();
        q = unit(q * unit(Quat(r)));
    }

    for i in [0, 1, 0] {
        if values[i] + EPS < values[i + 1] {
            values.0.swap(i, i + 1);
            let mut r = [QUARTER_TURN, 0.0, 0.0, 0.0];
            r[(i + 2) % 3 + 1] = QUARTER_TURN;
            q = unit(q * Quat(r));
        }
    }
    Eig3 { values, vectors: q.to_mat(), rotation: q }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reconstructs_the_matrix() {
        let a = Mat3([2.0, 0.3, -0.4, 0.3, 1.0, 0.7, -0.4, 0.7, 3.0]);
        let e = eig3(&a);
        let b = e.vectors * Mat3::diag(e.values) * e.vectors.transpose();
        for i in 0..9 {
            // Rotations stop at an angle of about √(2·EPS): vectors carry half the digits of
            // values.
            assert!((a.0[i] - b.0[i]).abs() < 4e-6);
        }
        assert!(e.values[0] >= e.values[1] && e.values[1] >= e.values[2]);
    }

    #[test]
    fn equal_eigenvalues_keep_the_axes() {
        let e = eig3(&Mat3::diag(Vec3::new(2.0, 2.0, 1.0)));
        assert_eq!(e.rotation, Quat::IDENTITY);
    }

    #[test]
    fn non_finite_input_terminates() {
        let e = eig3(&Mat3([f64::NAN; 9]));
        assert!(e.values[0].is_nan());
    }
}
