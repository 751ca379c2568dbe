//! Symmetric matrices that are banded except for some dense last rows.

use corten_math::MIN_VAL;
use pyo3::prelude::*;

use super::add_functions;
use crate::args::{List, ListOut, Matrix, MatrixOut, type_error};

/// Layout of the lower triangle: `nband` entries for each of the first rows, ending with the
/// diagonal, then the dense rows in full.
struct Band {
    total: usize,
    band: usize,
    /// Number of banded rows.
    sparse: usize,
}

impl Band {
    fn new(ntotal: i32, nband: i32, ndense: i32) -> PyResult<Band> {
        let size = |name: &str, x: i32| {
            usize::try_from(x).map_err(|_| type_error(format!("{name} must not be negative")))
        };
        let (total, band) = (size("ntotal", ntotal)?, size("nband", nband)?);
        let dense = size("ndense", ndense)?;
        if dense > total || (band == 0 && dense < total) {
            return Err(type_error("ndense must not exceed ntotal, and nband must be positive"));
        }
        Ok(Band { total, band, sparse: total - dense })
    }

    fn len(&self) -> usize {
        self.sparse * self.band + (self.total - self.sparse) * self.total
    }

    fn expect(&self, name: &str, found: usize) -> PyResult<()> {
        if found == self.len() {
            return Ok(());
        }
        Err(type_error(format!(
            "{name} must have (ntotal-ndense)*nband + ndense*ntotal = {} elements, found {found}",
            self.len()
        )))
    }

    /// First column of row `i` that is stored.
    fn start(&self, i: usize) -> usize {
        if i < self.sparse { (i + 1).saturating_sub(self.band) } else { 0 }
    }

    /// Where entry `(i, j)` of the lower triangle is stored; `start(i) ≤ j ≤ i`.
    fn at(&self, i: usize, j: usize) -> usize {
        if i < self.sparse {
            (i + 1) * self.band - 1 - (i - j)
        } else {
            self.sparse * self.band + (i - self.sparse) * self.total + j
        }
    }

    /// Rows below the diagonal of column `j` that have an entry in it.
    fn below(&self, j: usize) -> impl Iterator<Item = usize> {
        let banded = j + 1..self.sparse.min(j + self.band);
        banded.chain(self.sparse.max(j + 1)..self.total)
    }
}

/// Where the diagonal entry of row `i` is in a banded matrix.
#[pyfunction]
fn mju_bandDiag(i: i32, ntotal: i32, nband: i32, ndense: i32) -> PyResult<usize> {
    let layout = Band::new(ntotal, nband, ndense)?;
    let i = usize::try_from(i).ok().filter(|&i| i < layout.total);
    i.map(|i| layout.at(i, i)).ok_or_else(|| type_error("i must be from 0 to ntotal-1"))
}

/// A banded matrix as a full one; with `flg_sym` the upper triangle, too.
#[pyfunction]
fn mju_band2Dense(
    res: MatrixOut<'_>,
    mat: List,
    ntotal: i32,
    nband: i32,
    ndense: i32,
    flg_sym: i32,
) -> PyResult<()> {
    let layout = Band::new(ntotal, nband, ndense)?;
    let n = layout.total;
    layout.expect("mat", mat.0.len())?;
    res.expect("res", n, n)?;
    let mut dense = vec![0.0; n * n];
    for i in 0..n {
        for j in layout.start(i)..=i {
            let x = mat.0[layout.at(i, j)];
            dense[i * n + j] = x;
            if flg_sym != 0 {
                dense[j * n + i] = x;
            }
        }
    }
    res.set(&dense);
    Ok(())
}

/// A full matrix as a banded one.
#[pyfunction]
fn mju_dense2Band(
    res: ListOut<'_>,
    mat: Matrix,
    ntotal: i32,
    nband: i32,
    ndense: i32,
) -> PyResult<()> {
    let layout = Band::new(ntotal, nband, ndense)?;
    let n = layout.total;
    layout.expect("res", res.len())?;
    if (mat.rows, mat.cols) != (n, n) {
        return Err(type_error("mat must have ntotal rows and columns"));
    }
    let mut band = res.get();
    for i in 0..n {
        for j in layout.start(i)..=i {
            band[layout.at(i, j)] = mat.values[i * n + j];
        }
    }
    res.set(&band);
    Ok(())
}

/// Products of a banded matrix with vectors.
#[pyfunction]
fn mju_bandMulMatVec(
    res: ListOut<'_>,
    mat: Matrix,
    vec: Matrix,
    ntotal: i32,
    nband: i32,
    ndense: i32,
    nvec: i32,
    flg_sym: i32,
) -> PyResult<()> {
    let layout = Band::new(ntotal, nband, ndense)?;
    let n = layout.total;
    layout.expect("mat", mat.values.len())?;
    res.expect("res", n)?;
    if nvec != 1 || vec.values.len() != n {
        return Err(type_error("vec must be one vector of ntotal elements, and nvec must be 1"));
    }
    let mut product = vec![0.0; n];
    for i in 0..n {
        for j in layout.start(i)..=i {
            let x = mat.values[layout.at(i, j)];
            product[i] += x * vec.values[j];
            if flg_sym != 0 && j < i {
                product[j] += x * vec.values[i];
            }
        }
    }
    res.set(&product);
    Ok(())
}

/// Factors in place after adding `diagadd + diagmul * diagonal` to the diagonal; returns the
/// smallest pivot, 0 if the matrix is singular.
#[pyfunction]
fn mju_cholFactorBand(
    mat: ListOut<'_>,
    ntotal: i32,
    nband: i32,
    ndense: i32,
    diagadd: f64,
    diagmul: f64,
) -> PyResult<f64> {
    let layout = Band::new(ntotal, nband, ndense)?;
    layout.expect("mat", mat.len())?;
    let mut a = mat.get();
    // What columns before `j` contribute to entry (i, j).
    let left = |a: &[f64], i: usize, j: usize| -> f64 {
        let first = layout.start(i).max(layout.start(j));
        (first..j).map(|k| a[layout.at(i, k)] * a[layout.at(j, k)]).sum()
    };
    let mut smallest = f64::INFINITY;
    for j in 0..layout.total {
        let diagonal = layout.at(j, j);
        let pivot = diagadd + diagmul * a[diagonal] + a[diagonal] - left(&a, j, j);
        smallest = smallest.min(pivot);
        if pivot < MIN_VAL {
            mat.set(&a);
            return Ok(0.0);
        }
        let root = pivot.sqrt();
        for i in layout.below(j) {
            let at = layout.at(i, j);
            a[at] = (a[at] - left(&a, i, j)) * (1.0 / root);
        }
        a[diagonal] = root;
    }
    mat.set(&a);
    Ok(if smallest.is_finite() { smallest } else { -1.0 })
}

/// Solves with the factor that `mju_cholFactorBand` made.
#[pyfunction]
fn mju_cholSolveBand(
    res: ListOut<'_>,
    mat: List,
    vec: List,
    ntotal: i32,
    nband: i32,
    ndense: i32,
) -> PyResult<()> {
    let layout = Band::new(ntotal, nband, ndense)?;
    layout.expect("mat", mat.0.len())?;
    res.expect("res", layout.total)?;
    vec.expect("vec", layout.total)?;
    let (l, mut x) = (&mat.0, vec.0);
    for i in 0..layout.total {
        let left: f64 = (layout.start(i)..i).map(|k| l[layout.at(i, k)] * x[k]).sum();
        x[i] = (x[i] - left) / l[layout.at(i, i)];
    }
    for i in (0..layout.total).rev() {
        let below: f64 = layout.below(i).map(|j| l[layout.at(j, i)] * x[j]).sum();
        x[i] = (x[i] - below) / l[layout.at(i, i)];
    }
    res.set(&x);
    Ok(())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module;
        mju_bandDiag, mju_band2Dense, mju_dense2Band, mju_bandMulMatVec, mju_cholFactorBand,
        mju_cholSolveBand,
    );
    Ok(())
}
