//! Orientations written as axis and angle, two axes, one axis, or Euler angles.

use corten_math::real::sin_cos;
use corten_math::{Quat, Vec3};

use super::context::Context;
use super::pose::{EPS, multiply, rotation_of, rotation_to, unit_quat, unit3};
use crate::spec::{Compiler, Element, Orientation};

/// The quaternion of an element: its alternative if it has one, otherwise `quat` as it is.
pub(super) fn resolve(
    cx: &mut Context,
    kind: &str,
    element: &impl Element,
    quat: Quat,
    alternative: &Orientation,
) -> Quat {
    match quaternion(quat, alternative, cx.spec.compiler_of(element)) {
        Ok(quat) => quat,
        Err(what) => {
            cx.error(kind, element, what);
            Quat::IDENTITY
        }
    }
}

/// The quaternion that an orientation stands for under some settings.
pub(crate) fn quaternion(
    quat: Quat,
    alternative: &Orientation,
    compiler: &Compiler,
) -> Result<Quat, &'static str> {
    let radians =
        |angle: f64| if compiler.degree { angle / 180.0 * std::f64::consts::PI } else { angle };
    match *alternative {
        Orientation::Quat => Ok(quat),
        Orientation::AxisAngle([x, y, z, angle]) => {
            let (axis, norm) = unit3(Vec3::new(x, y, z));
            if norm < EPS {
                return Err("the axis of 'axisangle' is too short");
            }
            let (s, c) = sin_cos(radians(angle) / 2.0);
            Ok(Quat([c, s * axis[0], s * axis[1], s * axis[2]]))
        }
        Orientation::XyAxes(a) => {
            let (x, norm) = unit3(Vec3::from_slice(&a[..3]));
            if norm < EPS {
                return Err("the x axis of 'xyaxes' is too short");
            }
            let y = Vec3::from_slice(&a[3..]);
            let (y, norm) = unit3(y - x * x.dot(y));
            if norm < EPS {
                return Err("the y axis of 'xyaxes' is too short or parallel to the x axis");
            }
            let (z, norm) = unit3(x.cross(y));
            if norm < EPS {
                return Err("the axes of 'xyaxes' are parallel");
            }
            Ok(rotation_of(x, y, z))
        }
        Orientation::ZAxis(axis) => {
            let (z, norm) = unit3(axis);
            if norm < EPS {
                return Err("'zaxis' is too short");
            }
            Ok(rotation_to(z))
        }
        Orientation::Euler(angles) => {
            let mut q = Quat::IDENTITY;
            for (angle, axis) in angles.0.into_iter().zip(compiler.eulerseq) {
                let (s, c) = sin_cos(radians(angle) / 2.0);
                let mut turn = [c, 0.0, 0.0, 0.0];
                match axis.to_ascii_lowercase() {
                    b'x' => turn[1] = s,
                    b'y' => turn[2] = s,
                    b'z' => turn[3] = s,
                    _ => return Err("'eulerseq' may hold only x, y, z, X, Y and Z"),
                }
                // Lower case turns about moving axes, upper case about fixed ones.
                q = if axis.is_ascii_lowercase() {
                    multiply(q, Quat(turn))
                } else {
                    multiply(Quat(turn), q)
                };
            }
            Ok(unit_quat(q))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(alternative: Orientation) -> Result<Quat, &'static str> {
        quaternion(Quat::IDENTITY, &alternative, &Compiler::default())
    }

    #[test]
    fn a_quarter_turn_in_all_forms() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let expected = [half, 0.0, 0.0, half];
        for form in [
            Orientation::AxisAngle([0.0, 0.0, 2.0, 90.0]),
            Orientation::XyAxes([0.0, 1.0, 0.0, -1.0, 0.3, 0.0]),
            Orientation::Euler(Vec3::new(0.0, 0.0, 90.0)),
        ] {
            let q = of(form).unwrap();
            for k in 0..4 {
                assert!((q.0[k] - expected[k]).abs() < 1e-12, "{form:?}");
            }
        }
    }

    #[test]
    fn degenerate_axes_are_refused() {
        assert!(of(Orientation::ZAxis(Vec3::ZERO)).is_err());
        assert!(of(Orientation::XyAxes([1.0, 0.0, 0.0, 2.0, 0.0, 0.0])).is_err());
        assert!(of(Orientation::AxisAngle([0.0; 4])).is_err());
    }
}
