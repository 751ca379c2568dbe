//! Small dense factorisations, row-major, in place.

use crate::MIN_VAL;

/// Replaces the lower triangle of a symmetric `n × n` matrix by its Cholesky factor; pivots below
/// `min_pivot` are raised to it. `false` if there was such a pivot.
pub fn cholesky(a: &mut [f64], n: usize, min_pivot: f64) -> bool {
    let mut full_rank = true;
    for j in 0..n {
        let (above, rest) = a.split_at_mut(j * n + j);
        let row_j = &above[j * n..];
        let mut pivot = rest[0] - row_j.iter().map(|x| x * x).sum::<f64>();
        if pivot.is_nan() || pivot <= min_pivot {
            pivot = min_pivot.max(MIN_VAL);
            full_rank = false;
        }
        let root = pivot.sqrt();
        a[j * n + j] = root;
        let inverse = 1.0 / root;
        for i in j + 1..n {
            let (head, tail) = a.split_at_mut(i * n);
            let row_j = &head[j * n..j * n + j];
            let dot: f64 = tail[..j].iter().zip(row_j).map(|(x, y)| x * y).sum();
            tail[j] = (tail[j] - dot) * inverse;
        }
    }
    full_rank
}

/// Solves `L Lᵀ x = b` in place.
pub fn cholesky_solve(factor: &[f64], n: usize, x: &mut [f64]) {
    for i in 0..n {
        let row = &factor[i * n..i * n + i];
        let dot: f64 = row.iter().zip(&x[..i]).map(|(l, x)| l * x).sum();
        x[i] = (x[i] - dot) / factor[i * n + i];
    }
    for i in (0..n).rev() {
        x[i] /= factor[i * n + i];
        let xi = x[i];
        for (x, l) in x[..i].iter_mut().zip(&factor[i * n..]) {
            *x -= l * xi;
        }
    }
}

/// Replaces a square matrix by the factors of `P A = L U` with partial pivoting, `L` with unit
/// diagonal; `pivots[k]` is the row exchanged with row `k`. `false` if the matrix is singular.
pub fn lu(a: &mut [f64], n: usize, pivots: &mut [usize]) -> bool {
    let mut regular = true;
    for k in 0..n {
        let pivot =
            (k..n).max_by(|&i, &j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs())).unwrap_or(k);
        pivots[k] = pivot;
        if pivot != k {
            for c in 0..n {
                a.swap(k * n + c, pivot * n + c);
            }
        }
        let diagonal = a[k * n + k];
        if diagonal.is_nan() || diagonal.abs() < MIN_VAL {
            regular = false;
            continue;
        }
        let (head, tail) = a.split_at_mut((k + 1) * n);
        let row_k = &head[k * n..];
        for row in tail.chunks_exact_mut(n) {
            let scale = row[k] / diagonal;
            row[k] = scale;
            for (x, u) in row[k + 1..].iter_mut().zip(&row_k[k + 1..]) {
                *x -= scale * u;
            }
        }
    }
    regular
}

/// Solves `A x = b` in place with the factors of [`lu`].
pub fn lu_solve(factors: &[f64], n: usize, pivots: &[usize], x: &mut [f64]) {
    for k in 0..n {
        x.swap(k, pivots[k]);
    }
    for i in 0..n {
        let dot: f64 = factors[i * n..i * n + i].iter().zip(&*x).map(|(l, x)| l * x).sum();
        x[i] -= dot;
    }
    for i in (0..n).rev() {
        let row = &factors[i * n..(i + 1) * n];
        let dot: f64 = row[i + 1..].iter().zip(&x[i + 1..]).map(|(u, x)| u * x).sum();
        x[i] = (x[i] - dot) / row[i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(n: usize) -> (Vec<f64>, Vec<f64>) {
        let a = (0..n * n).map(|k| ((k * k) as f64).sin()).collect();
        (a, (0..n).map(|i| (i as f64).cos()).collect())
    }

    fn residual(a: &[f64], x: &[f64], b: &[f64]) -> f64 {
        let n = x.len();
        (0..n).fold(0.0, |worst, i| {
            let ax: f64 = a[i * n..(i + 1) * n].iter().zip(x).map(|(a, x)| a * x).sum();
            f64::max(worst, (ax - b[i]).abs())
        })
    }

    #[test]
    fn lu_solves_general_systems() {
        let (a, b) = example(9);
        let (mut factors, mut pivots, mut x) = (a.clone(), [0; 9], b.clone());
        assert!(lu(&mut factors, 9, &mut pivots));
        lu_solve(&factors, 9, &pivots, &mut x);
        assert!(residual(&a, &x, &b) < 1e-12);
    }

    #[test]
    fn cholesky_solves_definite_systems() {
        let (c, b) = example(9);
        let mut a = vec![0.0; 81];
        for i in 0..9 {
            for j in 0..9 {
                a[9 * i + j] = (0..9).map(|k| c[9 * i + k] * c[9 * j + k]).sum();
            }
        }
        let (mut factor, mut x) = (a.clone(), b.clone());
        assert!(cholesky(&mut factor, 9, 0.0));
        cholesky_solve(&factor, 9, &mut x);
        assert!(residual(&a, &x, &b) < 1e-9);
    }

    #[test]
    fn deficient_matrices_are_reported() {
        assert!(!cholesky(&mut [1.0, 1.0, 1.0, 1.0], 2, 0.0));
        assert!(!lu(&mut [1.0, 1.0, 1.0, 1.0], 2, &mut [0; 2]));
        assert!(!lu(&mut [f64::NAN; 4], 2, &mut [0; 2]));
    }
}
