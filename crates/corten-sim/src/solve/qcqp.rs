//! Friction forces of one contact with its normal force given: a quadratic cost on an ellipsoid.
//!
//! Minimises `½ xᵀA x + xᵀb` subject to `Σ (xᵢ/dᵢ)² ≤ r²`. In the scaled variable `y = x/d` the
//! bound is a ball and the solution is `y(λ) = −(A + λ)⁻¹ b`; `λ ≥ 0` follows from
//! `|y(λ)|² = r²` by Newton's method, which approaches from below because the left side is convex
//! and decreasing in `λ`.

/// Largest number of unknowns: all friction directions of a contact.
pub const MAX: usize = 5;

/// Rank, and distance to the ball, below which MuJoCo stops.
const EPS: f64 = 1e-10;

/// The minimiser, and whether it lies on the ellipsoid. A singular matrix gives zero.
pub fn solve(a: &[[f64; MAX]; MAX], b: &[f64], d: &[f64], r: f64) -> ([f64; MAX], bool) {
    let n = b.len();
    let mut lambda = 0.0;
    let mut y = [0.0; MAX];
    for _ in 0..20 {
        let mut l = [[0.0; MAX]; MAX];
        for i in 0..n {
            for j in 0..=i {
                l[i][j] = a[i][j] * d[i] * d[j];
            }
            l[i][i] += lambda;
        }
        if !is_definite(&l, n) || !factor(&mut l, n) {
            return ([0.0; MAX], false);
        }
        for i in 0..n {
            y[i] = -b[i] * d[i];
        }
        substitute(&l, &mut y, n);
        let excess = y[..n].iter().map(|y| y * y).sum::<f64>() - r * r;
        if excess < EPS {
            break;
        }
        let mut z = y;
        substitute(&l, &mut z, n);
        let slope = -2.0 * (0..n).map(|i| y[i] * z[i]).sum::<f64>();
        let delta = -excess / slope;
        if delta < EPS || delta.is_nan() {
            break;
        }
        lambda += delta;
    }
    for i in 0..n {
        y[i] *= d[i];
    }
    (y, lambda != 0.0)
}

/// Two and three unknowns are judged by the determinant, as in MuJoCo's special cases.
fn is_definite(a: &[[f64; MAX]; MAX], n: usize) -> bool {
    let determinant = match n {
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

/// Cholesky factor of the lower triangle; `false` if the rank is not full.
fn factor(a: &mut [[f64; MAX]; MAX], n: usize) -> bool {
    let least = if n == 2 || n == 3 { 0.0 } else { EPS };
    for j in 0..n {
        let pivot = a[j][j] - (0..j).map(|k| a[j][k] * a[j][k]).sum::<f64>();
        if !(pivot > 0.0 && pivot >= least) {
            return false;
        }
        a[j][j] = pivot.sqrt();
        for i in j + 1..n {
            let dot: f64 = (0..j).map(|k| a[i][k] * a[j][k]).sum();
            a[i][j] = (a[i][j] - dot) / a[j][j];
        }
    }
    true
}

fn substitute(l: &[[f64; MAX]; MAX], x: &mut [f64; MAX], n: usize) {
    for i in 0..n {
        let dot: f64 = (0..i).map(|k| l[i][k] * x[k]).sum();
        x[i] = (x[i] - dot) / l[i][i];
    }
    for i in (0..n).rev() {
        let dot: f64 = (i + 1..n).map(|k| l[k][i] * x[k]).sum();
        x[i] = (x[i] - dot) / l[i][i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: &[&[f64]]) -> [[f64; MAX]; MAX] {
        let mut a = [[0.0; MAX]; MAX];
        for (i, row) in rows.iter().enumerate() {
            a[i][..row.len()].copy_from_slice(row);
        }
        a
    }

    #[test]
    fn inside_the_ellipsoid_it_is_the_free_minimum() {
        let a = matrix(&[&[2.0, 0.5], &[0.5, 1.0]]);
        let (x, active) = solve(&a, &[-0.2, 0.1], &[1.0, 1.0], 10.0);
        assert!(!active);
        assert!((2.0 * x[0] + 0.5 * x[1] - 0.2).abs() < 1e-14);
        assert!((0.5 * x[0] + x[1] + 0.1).abs() < 1e-14);
    }

    #[test]
    fn on_the_ellipsoid_the_gradient_is_normal_to_it() {
        let a = matrix(&[
            &[2.0, 0.5, 0.1, 0.0, 0.2],
            &[0.5, 1.0, 0.0, 0.1, 0.0],
            &[0.1, 0.0, 3.0, 0.2, 0.1],
            &[0.0, 0.1, 0.2, 1.5, 0.3],
            &[0.2, 0.0, 0.1, 0.3, 2.5],
        ]);
        let b = [5.0, -3.0, 2.0, 1.0, -4.0];
        let d = [0.8, 0.8, 0.5, 0.3, 0.3];
        for n in 2..=5 {
            let (x, active) = solve(&a, &b[..n], &d[..n], 1.0);
            assert!(active);
            let size: f64 = (0..n).map(|i| (x[i] / d[i]).powi(2)).sum();
            assert!((size - 1.0).abs() < 1e-6, "{n}: {size}");
            let multiplier: Vec<f64> = (0..n)
                .map(|i| {
                    let gradient = b[i] + (0..n).map(|j| a[i][j] * x[j]).sum::<f64>();
                    -gradient * d[i] * d[i] / x[i]
                })
                .collect();
            for k in &multiplier {
                assert!((k - multiplier[0]).abs() < 1e-6 * multiplier[0], "{multiplier:?}");
            }
        }
    }
}
