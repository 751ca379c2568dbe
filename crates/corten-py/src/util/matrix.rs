//! Dense and sparse matrices.

use corten_math::MIN_VAL;
use pyo3::prelude::*;

use super::add_functions;
use super::vector::dot;
use crate::args::{List, ListOut, Matrix, MatrixOut, type_error};

/// res = mat * vec.
#[pyfunction]
fn mju_mulMatVec(res: ListOut<'_>, mat: Matrix, vec: List) -> PyResult<()> {
    res.expect("res", mat.rows)?;
    vec.expect("vec", mat.cols)?;
    res.set(&(0..mat.rows).map(|i| dot(mat.row(i), &vec.0)).collect::<Vec<_>>());
    Ok(())
}

/// res = matᵀ * vec.
#[pyfunction]
fn mju_mulMatTVec(res: ListOut<'_>, mat: Matrix, vec: List) -> PyResult<()> {
    res.expect("res", mat.cols)?;
    vec.expect("vec", mat.rows)?;
    let mut sum = vec![0.0; mat.cols];
    for i in 0..mat.rows {
        for (s, &x) in sum.iter_mut().zip(mat.row(i)) {
            *s += x * vec.0[i];
        }
    }
    res.set(&sum);
    Ok(())
}

/// vec1ᵀ * mat * vec2, for a square matrix.
#[pyfunction]
fn mju_mulVecMatVec(vec1: List, mat: Matrix, vec2: List) -> PyResult<f64> {
    vec1.expect("vec1", mat.rows)?;
    vec2.expect("vec2", mat.cols)?;
    if mat.rows != mat.cols {
        return Err(type_error("mat must be square"));
    }
    Ok((0..mat.rows).map(|i| vec1.0[i] * dot(mat.row(i), &vec2.0)).sum())
}

fn transposed(mat: &Matrix) -> Matrix {
    let mut values = vec![0.0; mat.values.len()];
    for i in 0..mat.rows {
        for (j, &x) in mat.row(i).iter().enumerate() {
            values[j * mat.rows + i] = x;
        }
    }
    Matrix { rows: mat.cols, cols: mat.rows, values }
}

/// `a bᵀ`.
fn product_with_transpose(a: &Matrix, b: &Matrix) -> Vec<f64> {
    (0..a.rows).flat_map(|i| (0..b.rows).map(move |j| dot(a.row(i), b.row(j)))).collect()
}

/// res = matᵀ.
#[pyfunction]
fn mju_transpose(res: MatrixOut<'_>, mat: Matrix) -> PyResult<()> {
    res.expect("res", mat.cols, mat.rows)?;
    res.set(&transposed(&mat).values);
    Ok(())
}

/// The symmetric part of a matrix.
#[pyfunction]
fn mju_symmetrize(res: MatrixOut<'_>, mat: Matrix) -> PyResult<()> {
    square("mat", &mat)?;
    res.expect("res", mat.rows, mat.cols)?;
    let n = mat.rows;
    let value = |i: usize, j: usize| 0.5 * (mat.values[i * n + j] + mat.values[j * n + i]);
    let values: Vec<f64> = (0..n * n).map(|k| value(k / n, k % n)).collect();
    res.set(&values);
    Ok(())
}

/// The identity matrix.
#[pyfunction]
fn mju_eye(mat: MatrixOut<'_>) -> PyResult<()> {
    let n = mat.rows;
    mat.expect("mat", n, n)?;
    mat.set(&(0..n * n).map(|k| if k / n == k % n { 1.0 } else { 0.0 }).collect::<Vec<_>>());
    Ok(())
}

/// res = mat1 * mat2.
#[pyfunction]
fn mju_mulMatMat(res: MatrixOut<'_>, mat1: Matrix, mat2: Matrix) -> PyResult<()> {
    inner("mat1", mat1.cols, "mat2", mat2.rows)?;
    res.expect("res", mat1.rows, mat2.cols)?;
    res.set(&product_with_transpose(&mat1, &transposed(&mat2)));
    Ok(())
}

/// res = mat1 * mat2ᵀ.
#[pyfunction]
fn mju_mulMatMatT(res: MatrixOut<'_>, mat1: Matrix, mat2: Matrix) -> PyResult<()> {
    inner("mat1", mat1.cols, "mat2", mat2.cols)?;
    res.expect("res", mat1.rows, mat2.rows)?;
    res.set(&product_with_transpose(&mat1, &mat2));
    Ok(())
}

/// res = mat1ᵀ * mat2.
#[pyfunction]
fn mju_mulMatTMat(res: MatrixOut<'_>, mat1: Matrix, mat2: Matrix) -> PyResult<()> {
    inner("mat1", mat1.rows, "mat2", mat2.rows)?;
    res.expect("res", mat1.cols, mat2.cols)?;
    res.set(&product_with_transpose(&transposed(&mat1), &transposed(&mat2)));
    Ok(())
}

/// `matᵀ diag mat`; without `diag`, `matᵀ mat`.
#[pyfunction]
#[pyo3(signature = (res, mat, diag))]
fn mju_sqrMatTD(res: MatrixOut<'_>, mat: Matrix, diag: Option<List>) -> PyResult<()> {
    res.expect("res", mat.cols, mat.cols)?;
    if let Some(diag) = &diag {
        diag.expect("diag", mat.rows)?;
    }
    let columns = transposed(&mat);
    let weighted = |column: &[f64]| match &diag {
        Some(diag) => column.iter().zip(&diag.0).map(|(x, d)| x * d).collect::<Vec<_>>(),
        None => column.to_vec(),
    };
    let mut values = Vec::with_capacity(mat.cols * mat.cols);
    for i in 0..mat.cols {
        let left = weighted(columns.row(i));
        values.extend((0..mat.cols).map(|j| dot(&left, columns.row(j))));
    }
    res.set(&values);
    Ok(())
}

/// Factors `mat = L Lᵀ` in place, lower triangle; returns the rank. Pivots below `mindiag` are
/// raised to it.
#[pyfunction]
fn mju_cholFactor(mat: MatrixOut<'_>, mindiag: f64) -> PyResult<usize> {
    let n = mat.rows;
    mat.expect("mat", n, n)?;
    let mut a = mat.get();
    let rank = cholesky(&mut a, n, mindiag);
    mat.set(&a);
    Ok(rank)
}

/// In-place factorisation of the leading `n × n` block of a row-major matrix; the rank.
pub fn cholesky(a: &mut [f64], n: usize, min_pivot: f64) -> usize {
    let mut rank = n;
    for j in 0..n {
        let (above, below) = a.split_at_mut((j + 1) * n);
        let row = &mut above[j * n..];
        let mut pivot = row[j] - dot(&row[..j], &row[..j]);
        if pivot < min_pivot {
            pivot = min_pivot;
            rank -= 1;
        }
        row[j] = pivot.sqrt();
        let inverse = 1.0 / row[j];
        for lower in below.chunks_exact_mut(n).take(n - j - 1) {
            lower[j] = (lower[j] - dot(&lower[..j], &row[..j])) * inverse;
        }
    }
    rank
}

/// Solves with a factor made by [`cholesky`].
pub fn cholesky_solve(factor: &[f64], n: usize, x: &mut [f64]) {
    for i in 0..n {
        x[i] = (x[i] - dot(&factor[i * n..i * n + i], &x[..i])) / factor[i * n + i];
    }
    for i in (0..n).rev() {
        let above: f64 = (i + 1..n).map(|j| factor[j * n + i] * x[j]).sum();
        x[i] = (x[i] - above) / factor[i * n + i];
    }
}

/// Solves with the factor that `mju_cholFactor` made.
#[pyfunction]
fn mju_cholSolve(res: ListOut<'_>, mat: Matrix, vec: List) -> PyResult<()> {
    square("mat", &mat)?;
    res.expect("res", mat.rows)?;
    vec.expect("vec", mat.rows)?;
    let mut x = vec.0;
    cholesky_solve(&mat.values, mat.rows, &mut x);
    res.set(&x);
    Ok(())
}

/// Rank-one change of a factor: that of `L Lᵀ ± x xᵀ`, column by column with plane rotations;
/// returns the rank. `x` is used up.
#[pyfunction]
fn mju_cholUpdate(mat: MatrixOut<'_>, x: ListOut<'_>, flg_plus: i32) -> PyResult<usize> {
    let n = mat.rows;
    mat.expect("mat", n, n)?;
    x.expect("x", n)?;
    let (mut l, mut v) = (mat.get(), x.get());
    let sign = if flg_plus != 0 { 1.0 } else { -1.0 };
    let mut rank = n;
    for k in 0..n {
        if v[k] == 0.0 {
            continue;
        }
        let old = l[k * n + k];
        let mut square = old * old + sign * v[k] * v[k];
        if square < MIN_VAL {
            square = MIN_VAL;
            rank -= 1;
        }
        let new = square.sqrt();
        let (c, s) = (new / old, v[k] / old);
        l[k * n + k] = new;
        for i in k + 1..n {
            let entry = (l[i * n + k] + sign * s * v[i]) * (1.0 / c);
            l[i * n + k] = entry;
            v[i] = c * v[i] - s * entry;
        }
    }
    mat.set(&l);
    x.set(&v);
    Ok(rank)
}

/// Compresses a matrix to its nonzeros; 1 if there is not enough room for them.
#[pyfunction]
fn mju_dense2sparse(
    res: ListOut<'_>,
    mat: Matrix,
    rownnz: ListOut<'_, i32>,
    rowadr: ListOut<'_, i32>,
    colind: ListOut<'_, i32>,
) -> PyResult<i32> {
    rownnz.expect("rownnz", mat.rows)?;
    rowadr.expect("rowadr", mat.rows)?;
    colind.expect("colind", res.len())?;
    if res.len() == 0 {
        return Ok(1);
    }
    let (mut values, mut columns) = (Vec::new(), Vec::new());
    let (mut counts, mut starts) = (rownnz.get(), rowadr.get());
    let mut full = false;
    'rows: for i in 0..mat.rows {
        counts[i] = 0;
        starts[i] = values.len() as i32;
        for (j, &x) in mat.row(i).iter().enumerate() {
            if x == 0.0 {
                continue;
            }
            if values.len() == res.len() {
                full = true;
                break 'rows;
            }
            values.push(x);
            columns.push(j as i32);
            counts[i] += 1;
        }
    }
    res.set(&values);
    colind.set(&columns);
    rownnz.set(&counts);
    rowadr.set(&starts);
    Ok(full.into())
}

/// Expands sparse rows.
#[pyfunction]
fn mju_sparse2dense(
    res: MatrixOut<'_>,
    mat: List,
    rownnz: List<i32>,
    rowadr: List<i32>,
    colind: List<i32>,
) -> PyResult<()> {
    rownnz.expect("rownnz", res.rows)?;
    rowadr.expect("rowadr", res.rows)?;
    let mut dense = vec![0.0; res.rows * res.cols];
    for i in 0..res.rows {
        for k in 0..rownnz.0[i].max(0) {
            let at = usize::try_from(i64::from(rowadr.0[i]) + i64::from(k)).ok();
            let entry = at.and_then(|at| Some((*mat.0.get(at)?, *colind.0.get(at)?)));
            let place = entry
                .and_then(|(x, j)| Some((x, usize::try_from(j).ok().filter(|&j| j < res.cols)?)));
            let Some((x, j)) = place else {
                return Err(type_error(format!("row {i} refers to entries outside of the arrays")));
            };
            dense[i * res.cols + j] = x;
        }
    }
    res.set(&dense);
    Ok(())
}

fn square(name: &str, mat: &Matrix) -> PyResult<()> {
    if mat.rows == mat.cols {
        return Ok(());
    }
    Err(type_error(format!("{name} must be square, found {} by {}", mat.rows, mat.cols)))
}

fn inner(name1: &str, size1: usize, name2: &str, size2: usize) -> PyResult<()> {
    if size1 == size2 {
        return Ok(());
    }
    Err(type_error(format!(
        "the inner dimensions of {name1} and {name2} must agree, found {size1} and {size2}"
    )))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module;
        mju_mulMatVec, mju_mulMatTVec, mju_mulVecMatVec, mju_transpose, mju_symmetrize, mju_eye,
        mju_mulMatMat, mju_mulMatMatT, mju_mulMatTMat, mju_sqrMatTD, mju_cholFactor,
        mju_cholSolve, mju_cholUpdate, mju_dense2sparse, mju_sparse2dense,
    );
    Ok(())
}
