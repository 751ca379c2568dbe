//! Box-constrained quadratic programs by projected Newton (Tassa, Mansard, Todorov:
//! Control-limited differential dynamic programming, 2014).

use corten_math::MIN_VAL;
use pyo3::prelude::*;

use super::add_functions;
use super::matrix::{cholesky, cholesky_solve};
use super::vector::dot;
use crate::args::{List, ListOut, Matrix, MatrixOut, type_error};

const MAX_ITERATIONS: usize = 100;
/// Squared norm of the free gradient at which the minimum counts as found.
const MIN_GRADIENT: f64 = 1e-16;
const BACKTRACK: f64 = 0.5;
const MIN_STEP: f64 = 1e-22;
/// Fraction of the predicted improvement that a step must achieve.
const ARMIJO: f64 = 0.1;

struct Problem<'a> {
    n: usize,
    h: &'a [f64],
    g: &'a [f64],
    lower: Option<&'a [f64]>,
    upper: Option<&'a [f64]>,
}

/// Where the search ended: the free dimensions and the factor of their block of `H`.
struct Solution {
    free: Vec<usize>,
    factor: Vec<f64>,
    solved: bool,
}

impl Problem<'_> {
    fn times_h(&self, x: &[f64]) -> Vec<f64> {
        self.h.chunks_exact(self.n.max(1)).map(|row| dot(row, x)).collect()
    }

    fn value(&self, x: &[f64]) -> f64 {
        0.5 * dot(x, &self.times_h(x)) + dot(x, self.g)
    }

    fn clamp(&self, x: &mut [f64]) {
        for i in 0..self.n {
            if let Some(lower) = self.lower {
                x[i] = x[i].max(lower[i]);
            }
            if let Some(upper) = self.upper {
                x[i] = x[i].min(upper[i]);
            }
        }
    }

    /// A dimension is held at its bound when the gradient pushes it outwards.
    fn is_held(&self, i: usize, x: f64, gradient: f64) -> bool {
        self.lower.is_some_and(|l| x == l[i] && gradient > 0.0)
            || self.upper.is_some_and(|u| x == u[i] && gradient < 0.0)
    }

    /// Factor of the block of `H` that belongs to the free dimensions; `None` if not positive.
    fn factor(&self, free: &[usize]) -> Option<Vec<f64>> {
        let k = free.len();
        let mut block: Vec<f64> = free
            .iter()
            .flat_map(|&i| {
                free.iter().map(move |&j| if j <= i { self.h[i * self.n + j] } else { 0.0 })
            })
            .collect();
        (cholesky(&mut block, k, MIN_VAL) == k).then_some(block)
    }

    fn minimize(&self, x: &mut [f64]) -> Solution {
        let failed = |free| Solution { free, factor: Vec::new(), solved: false };
        if self.lower.is_none() && self.upper.is_none() {
            let free: Vec<usize> = (0..self.n).collect();
            let Some(factor) = self.factor(&free) else { return failed(free) };
            x.copy_from_slice(self.g);
            cholesky_solve(&factor, self.n, x);
            x.iter_mut().for_each(|x| *x = -*x);
            return Solution { free, factor, solved: true };
        }
        self.clamp(x);
        let mut held: Option<Vec<bool>> = None;
        let mut solution = Solution { free: Vec::new(), factor: Vec::new(), solved: true };
        for _ in 0..MAX_ITERATIONS {
            let gradient: Vec<f64> =
                self.times_h(x).iter().zip(self.g).map(|(a, b)| a + b).collect();
            let now: Vec<bool> = (0..self.n).map(|i| self.is_held(i, x[i], gradient[i])).collect();
            solution.free = (0..self.n).filter(|&i| !now[i]).collect();
            if solution.free.is_empty() {
                return solution;
            }
            if held.as_ref() != Some(&now) {
                match self.factor(&solution.free) {
                    Some(factor) => solution.factor = factor,
                    None => return failed(solution.free),
                }
            }
            let at_bounds: Vec<f64> =
                (0..self.n).map(|i| if now[i] { x[i] } else { 0.0 }).collect();
            held = Some(now);
            if solution.free.iter().map(|&i| gradient[i] * gradient[i]).sum::<f64>() < MIN_GRADIENT
            {
                return solution;
            }

            // Newton step of the free dimensions with the held ones at their bounds.
            let push = self.times_h(&at_bounds);
            let mut newton: Vec<f64> = solution.free.iter().map(|&i| push[i] + self.g[i]).collect();
            cholesky_solve(&solution.factor, solution.free.len(), &mut newton);
            let mut search = vec![0.0; self.n];
            for (&i, step) in solution.free.iter().zip(newton) {
                search[i] = -step - x[i];
            }
            let slope = dot(&search, &gradient);
            if slope >= 0.0 {
                return failed(solution.free);
            }
            let start = self.value(x);
            let mut step = 1.0;
            let candidate = loop {
                let mut candidate: Vec<f64> =
                    x.iter().zip(&search).map(|(x, s)| x + step * s).collect();
                self.clamp(&mut candidate);
                let value = self.value(&candidate);
                step *= BACKTRACK;
                if step < MIN_STEP {
                    x.copy_from_slice(&candidate);
                    return solution;
                }
                if (value - start) / (step * slope) >= ARMIJO {
                    break candidate;
                }
            };
            x.copy_from_slice(&candidate);
        }
        solution
    }
}

/// Minimises `½ xᵀ H x + gᵀ x` within bounds, starting at `res`; returns the number of free
/// dimensions, −1 on failure. `R` receives the factor of their block, `index` which they are.
#[pyfunction]
#[pyo3(signature = (res, R, index, H, g, lower, upper))]
fn mju_boxQP(
    res: ListOut<'_>,
    R: MatrixOut<'_>,
    index: Option<ListOut<'_, i32>>,
    H: Matrix,
    g: List,
    lower: Option<List>,
    upper: Option<List>,
) -> PyResult<i64> {
    let n = res.len();
    if R.rows * R.cols != n * (n + 7) {
        return Err(type_error(format!("R must have n*(n+7) = {} elements", n * (n + 7))));
    }
    if (H.rows, H.cols) != (n, n) {
        return Err(type_error("H must have shape (n, n)"));
    }
    g.expect("g", n)?;
    for (name, bound) in [("lower", &lower), ("upper", &upper)] {
        if let Some(bound) = bound {
            bound.expect(name, n)?;
        }
    }
    if let Some(index) = &index {
        index.expect("index", n)?;
    }
    let problem = Problem {
        n,
        h: &H.values,
        g: &g.0,
        lower: lower.as_ref().map(|b| b.0.as_slice()),
        upper: upper.as_ref().map(|b| b.0.as_slice()),
    };
    let mut x = res.get();
    let solution = problem.minimize(&mut x);
    res.set(&x);
    R.set(&solution.factor);
    if let Some(index) = index {
        index.set(&solution.free.iter().map(|&i| i as i32).collect::<Vec<_>>());
    }
    Ok(if solution.solved { solution.free.len() as i64 } else { -1 })
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module; mju_boxQP);
    Ok(())
}
