//! Derivatives of fluid forces by velocity, in the frame of the immersed part.
//!
//! The forces are in `stage::passive::fluid`; symbols follow it. Answers to
//! `mjd_inertiaBoxFluid` and `mjd_ellipsoidFluid`.

use std::f64::consts::PI;

use corten_math::{MIN_VAL, Mat3, Mat6, Spatial, Vec3};

use crate::Model;
use crate::stage::passive::fluid::{Ellipsoid, FluidShape, Immersed, InertiaBox};

/// Derivative of force by velocity, both local; its symmetric part if asked for. As in MuJoCo, the
/// interaction coefficient, which is 0 or 1, does not scale it.
pub(super) fn local_derivative(m: &Model, part: &Immersed, symmetric: bool) -> Mat6 {
    match &part.shape {
        FluidShape::InertiaBox(shape) => inertia_box(shape, &part.velocity, m),
        FluidShape::Ellipsoid(shape) => {
            let derivative = ellipsoid(shape, &part.velocity, m);
            if symmetric { derivative.symmetrized() } else { derivative }
        }
    }
}

fn inertia_box(shape: &InertiaBox, v: &Spatial, m: &Model) -> Mat6 {
    let (spin, drift) = shape.viscous(m.opt.viscosity);
    let (torque, force) = shape.quadratic(m.opt.density);
    let mut result = Mat6::ZERO;
    for i in 0..6 {
        let (linear, quadratic) = if i < 3 { (spin, torque[i]) } else { (drift, force[i - 3]) };
        result.0[i][i] = -(linear + 2.0 * quadratic * v[i].abs());
    }
    result
}

fn ellipsoid(shape: &Ellipsoid, v: &Spatial, m: &Model) -> Mat6 {
    let (density, viscosity) = (m.opt.density, m.opt.viscosity);
    let (spin, flow) = (v.rot(), v.lin());

    // p × x with p = diag(w) x: the derivative by x is [p]× − [x]× diag(w).
    let self_cross =
        |weights: Vec3, x: Vec3| weights.component_mul(x).skew() - x.skew() * Mat3::diag(weights);
    let mass = shape.virtual_mass * density;
    let inertia = shape.virtual_inertia * density;
    let added_torque_by_spin = self_cross(inertia, spin);
    let added_torque_by_flow = self_cross(mass, flow);
    // (diag(mass) flow) × spin.
    let added_force_by_spin = mass.component_mul(flow).skew();
    let added_force_by_flow = Mat3::ZERO - spin.skew() * Mat3::diag(mass);

    // k spin × flow.
    let magnus = shape.magnus_lift * density * shape.volume();
    let lift_by_spin = flow.skew() * -magnus;
    let lift_by_flow = spin.skew() * magnus;

    Mat6::from_blocks(
        &(added_torque_by_spin + drag_torque(shape, spin, density, viscosity)),
        &added_torque_by_flow,
        &(added_force_by_spin + lift_by_spin),
        &(added_force_by_flow
            + lift_by_flow
            + kutta_lift(shape, flow, density)
            + drag_force(shape, flow, density, viscosity)),
    )
}

fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_rows(b * a[0], b * a[1], b * a[2])
}

/// Derivative of `−(c + ρ |w∘ω|) ω`.
fn drag_torque(shape: &Ellipsoid, spin: Vec3, density: f64, viscosity: f64) -> Mat3 {
    let weights = shape.moment_weights();
    let diameter = shape.sphere_diameter();
    let linear = viscosity * PI * diameter * diameter * diameter;
    let norm = weights.component_mul(spin).norm();
    let gradient =
        weights.component_mul(weights).component_mul(spin) * -(density / MIN_VAL.max(norm));
    Mat3::diag(Vec3::splat(gradient.dot(spin) - linear)) + outer(spin, gradient)
}

/// Derivative of `−(c + ρ |v| (A b + (A_max − A) s)) v`, where the projected area
/// `A = π √(denominator / numerator)` depends on the direction of `v`.
fn drag_force(shape: &Ellipsoid, v: Vec3, density: f64, viscosity: f64) -> Mat3 {
    let (numerator, denominator) = shape.projection(v);
    let area = PI * (denominator / MIN_VAL.max(numerator)).sqrt();
    let area_scale = PI / MIN_VAL.max((numerator * numerator * numerator * denominator).sqrt());
    let speed = v.norm();

    let linear = viscosity * 3.0 * PI * shape.sphere_diameter();
    let quadratic =
        density * (area * shape.blunt_drag + shape.slender_drag * (shape.max_area() - area));
    let by_area = density * speed * (shape.blunt_drag - shape.slender_drag);

    let [a, b, c] = shape.normal_weights().0;
    let [xx, yy, zz] = v.component_mul(v).0;
    let area_gradient = Vec3([
        a * v[0] * (b * yy * (a - b) + c * zz * (a - c)),
        b * v[1] * (a * xx * (b - a) + c * zz * (b - c)),
        c * v[2] * (a * xx * (c - a) + b * yy * (c - b)),
    ]) * area_scale;

    let speed_part = outer(v, v) + Mat3::diag(Vec3::splat(v.norm_squared()));
    speed_part * -(quadratic / MIN_VAL.max(speed))
        - outer(v, area_gradient * by_area)
        - Mat3::diag(Vec3::splat(linear))
}

/// Derivative of the Kutta lift. With weights `w`, numerator `n = w·v²`, denominator `e = w²·v²`
/// and `u = |v|²`, the lift is `K g(v)`, `g = ((w∘v) × v) × v`, `K = πkρ √(n / (e u))`; the components
/// of `g` are `−v_i g_i` with `g_i = w_i u − n`.
fn kutta_lift(shape: &Ellipsoid, v: Vec3, density: f64) -> Mat3 {
    let w = shape.normal_weights();
    let (n, e) = shape.projection(v);
    let u = v.norm_squared();
    let scale = PI * shape.kutta_lift * density / MIN_VAL.max((e * n * u).sqrt());
    let cosine = n / MIN_VAL.max(u);
    let ratio = n / MIN_VAL.max(e);
    let g = w * u - Vec3::splat(n);
    // K = scale · n. Its gradient, divided by scale: ∂n/2·(1) − n/2 (∂e/e + ∂u/u).
    let mut result = Mat3::ZERO;
    for i in 0..3 {
        for j in 0..3 {
            let direction = 2.0 * n * (w[j] - w[i]);
            let amplitude = (w[j] * w[j] * ratio - w[j] + cosine) * g[i];
            result[(i, j)] = v[i] * v[j] * (direction + amplitude);
        }
        result[(i, i)] -= g[i] * n;
    }
    result * scale
}

#[cfg(test)]
mod tests {
    use super::*;

    fn medium() -> Model {
        let mut m = Model::default();
        (m.opt.density, m.opt.viscosity) = (1.3, 0.7);
        m
    }

    fn part(shape: FluidShape, velocity: Spatial) -> Immersed<'static> {
        Immersed { shape, frame: &Mat3::IDENTITY, pos: Vec3::ZERO, velocity }
    }

    fn plate() -> Ellipsoid {
        Ellipsoid {
            interaction: 1.0,
            blunt_drag: 0.5,
            slender_drag: 0.25,
            angular_drag: 1.5,
            kutta_lift: 1.0,
            magnus_lift: 0.9,
            virtual_mass: Vec3::new(0.1, 0.2, 0.7),
            virtual_inertia: Vec3::new(0.3, 0.25, 0.05),
            size: Vec3::new(0.5, 0.3, 0.1),
        }
    }

    /// Central differences of the forces themselves.
    #[test]
    fn derivatives_agree_with_differences() {
        let m = medium();
        let v = Spatial([0.4, -1.1, 0.7, 1.3, -0.6, 0.9]);
        let shapes: [fn() -> FluidShape; 2] = [
            || FluidShape::Ellipsoid(plate()),
            || FluidShape::InertiaBox(InertiaBox { size: Vec3::new(0.4, 0.7, 0.2) }),
        ];
        for shape in shapes {
            let analytic = local_derivative(&m, &part(shape(), v), false);
            for j in 0..6 {
                let force = |step: f64| {
                    let mut v = v;
                    v[j] += step;
                    match shape() {
                        FluidShape::InertiaBox(s) => s.force(&v, &m),
                        FluidShape::Ellipsoid(s) => s.force(&v, &m),
                    }
                };
                let h = 1e-5;
                let difference = (force(h) - force(-h)) * (0.5 / h);
                for i in 0..6 {
                    assert!((analytic.0[i][j] - difference[i]).abs() < 1e-8, "({i}, {j})");
                }
            }
        }
    }
}
