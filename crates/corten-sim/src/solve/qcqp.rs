//! Friction forces of one contact with its normal force given: a quadratic cost on an ellipsoid.
//!
//! Minimises `½ xᵀA x + xᵀb` subject to `Σ (xᵢ/dᵢ)² ≤ r²`. In the scaled variable `y = x/d` the
//! bound is a ball and the solution is `y(λ) = −(A + λ)⁻¹ b`; `λ ≥ 0` follows from
//! `|y(λ)|² = r²` by Newton's method, which approaches from below because the left side is convex
//! and decreasing in `λ`.

/// Rank, and distance to the ball, below which MuJoCo stops.
const EPS: f64 = 1e-10;

/// The minimiser, and whether it lies on the ellipsoid. A singular matrix gives zero.
#[inline(always)]
pub fn solve<const N: usize>(
    a: &[[f64; N]; N],
    b: &[f64; N],
    d: &[f64; N],
    r: f64,
) -> ([f64; N], bool) {
    let mut lambda = 0.0;
    let mut y = [0.0; N];
    for _ in 0..20 {
        let mut l = [[0.0; N]; N];
        for i in 0..N {
            for j in 0..=i {
                l[i][j] = a[i][j] * d[i] * d[j];
            }
            l[i][i] += lambda;
        }
        if !is_definite(&l) {
            return ([0.0; N], false);
        }
        let Some(inverse) = factor(&mut l) else { return ([0.0; N], false) };
        for i in 0..N {
            y[i] = -b[i] * d[i];
        }
        substitute(&l, &inverse, &mut y);
        let excess = dot(&y, &y) - r * r;
        if excess < EPS {
            break;
        }
        let mut z = y;
        substitute(&l, &inverse, &mut z);
        let slope = -2.0 * dot(&y, &z);
        let delta = -excess / slope;
        if delta < EPS || delta.is_nan() {
            break;
        }
        lambda += delta;
    }
    for i in 0..N {
        y[i] *= d[i];
    }
    (y, lambda != 0.0)
}

#[inline(always)]
fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    let mut sum = 0.0;
    for i in 0..N {
        sum += a[i] * b[i];
    }
    sum
}

/// Two and three unknowns are judged by the determinant, as in MuJoCo's special cases.
#[inline(always)]
fn is_definite<const N: usize>(a: &[[f64; N]; N]) -> bool {
    let determinant = match N {
        2 => a[0][0] * a[1][1] - a[1][0] * a[1][0],
        3 => {
            a[0][0] * (a[1][1] * a[2][2] - a[2][1] * a[2][1])
                + a[1][0] * (a[2][0] * a[2][1] - a[1][0] * a[2][2])
                + a[2][0] * (a[1][0] * a[2][1] - a[2][0] * a[1][1])
        }
        _ => return true,
    };
    determinant >= EPS
}

/// Cholesky factor of the lower triangle, and the inverse of its diagonal; `None` if the rank is not
/// full.
#[inline(always)]
fn factor<const N: usize>(a: &mut [[f64; N]; N]) -> Option<[f64; N]> {
    let least = if N == 2 || N == 3 { 0.0 } else { EPS };
    let mut inverse = [0.0; N];
    for j in 0..N {
        let mut pivot = a[j][j];
        for k in 0..j {
            pivot -= a[j][k] * a[j][k];
        }
        if !(pivot > 0.0 && pivot >= least) {
            return None;
        }
        inverse[j] = 1.0 / pivot.sqrt();
        for i in j + 1..N {
            for k in 0..j {
                a[i][j] -= a[i][k] * a[j][k];
            }
            a[i][j] *= inverse[j];
        }
    }
    Some(inverse)
}

#[inline(always)]
fn substitute<const N: usize>(l: &[[f64; N]; N], inverse: &[f64; N], x: &mut [f64; N]) {
    for i in 0..N {
        for k in 0..i {
            x[i] -= l[i][k] * x[k];
        }
        x[i] *= inverse[i];
    }
    for i in (0..N).rev() {
        for k in i + 1..N {
            x[i] -= l[k][i] * x[k];
        }
        x[i] *= inverse[i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The upper left corner, and the first elements.
    fn corner<const N: usize, const M: usize>(a: &[[f64; M]; M]) -> [[f64; N]; N] {
        std::array::from_fn(|i| first(&a[i]))
    }

    fn first<const N: usize>(x: &[f64]) -> [f64; N] {
        std::array::from_fn(|j| x[j])
    }

    #[test]
    fn inside_the_ellipsoid_it_is_the_free_minimum() {
        let a = [[2.0, 0.5], [0.5, 1.0]];
        let (x, active) = solve(&a, &[-0.2, 0.1], &[1.0, 1.0], 10.0);
        assert!(!active);
        assert!((2.0 * x[0] + 0.5 * x[1] - 0.2).abs() < 1e-14);
        assert!((0.5 * x[0] + x[1] + 0.1).abs() < 1e-14);
    }

    #[test]
    fn on_the_ellipsoid_the_gradient_is_normal_to_it() {
        on_the_ellipsoid::<2>();
        on_the_ellipsoid::<3>();
        on_the_ellipsoid::<4>();
        on_the_ellipsoid::<5>();
    }

    fn on_the_ellipsoid<const N: usize>() {
        let a = corner::<N, 5>(&[
            [2.0, 0.5, 0.1, 0.0, 0.2],
            [0.5, 1.0, 0.0, 0.1, 0.0],
            [0.1, 0.0, 3.0, 0.2, 0.1],
            [0.0, 0.1, 0.2, 1.5, 0.3],
            [0.2, 0.0, 0.1, 0.3, 2.5],
        ]);
        let b = first::<N>(&[5.0, -3.0, 2.0, 1.0, -4.0]);
        let d = first::<N>(&[0.8, 0.8, 0.5, 0.3, 0.3]);
        let (x, active) = solve(&a, &b, &d, 1.0);
        assert!(active);
        let size: f64 = (0..N).map(|i| (x[i] / d[i]).powi(2)).sum();
        assert!((size - 1.0).abs() < 1e-6, "{N}: {size}");
        let multiplier: [f64; N] = std::array::from_fn(|i| {
            let gradient = b[i] + (0..N).map(|j| a[i][j] * x[j]).sum::<f64>();
            -gradient * d[i] * d[i] / x[i]
        });
        for k in &multiplier {
            assert!((k - multiplier[0]).abs() < 1e-6 * multiplier[0], "{multiplier:?}");
        }
    }
}
