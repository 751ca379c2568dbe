//! Jacobians of points.

use corten_math::Vec3;
use corten_sim::{Data, Model, support};
use pyo3::prelude::*;

use super::index;
use crate::args::{MatrixOut, Vector};
use crate::data::PyData;
use crate::model::PyModel;
use crate::run::read;
use crate::util::add_functions;

/// Computes up to two `3 × nv` matrices and writes them to the arrays that were given.
fn fill(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    first: (&str, Option<MatrixOut<'_>>),
    second: (&str, Option<MatrixOut<'_>>),
    compute: impl FnOnce(&Model, &Data, Option<&mut [f64]>, Option<&mut [f64]>) + Send,
) -> PyResult<()> {
    let nv = m.read(py)?.nv;
    for (name, out) in [&first, &second] {
        if let Some(out) = out {
            out.expect(name, 3, nv)?;
        }
    }
    let wanted = [first.1.is_some(), second.1.is_some()];
    let [a, b] = read(py, m, d, move |m, d| {
        let [mut a, mut b] = wanted.map(|on| on.then(|| vec![0.0; 3 * nv]));
        compute(m, d, a.as_deref_mut(), b.as_deref_mut());
        [a, b]
    })?;
    for (out, values) in [(first.1, a), (second.1, b)] {
        if let (Some(out), Some(values)) = (out, values) {
            out.set(&values);
        }
    }
    Ok(())
}

/// Jacobian of a point in the world that is fixed to a body.
#[pyfunction]
#[pyo3(signature = (m, d, jacp, jacr, point, body))]
fn mj_jac(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    jacp: Option<MatrixOut<'_>>,
    jacr: Option<MatrixOut<'_>>,
    point: Vector<3>,
    body: i32,
) -> PyResult<()> {
    let body = index("body", body, m.read(py)?.nbody)?;
    let point: Vec3 = point.vec3();
    fill(py, m, d, ("jacp", jacp), ("jacr", jacr), move |_, d, p, r| {
        support::jac(d, p, r, point, body);
    })
}

/// Declares functions that give the Jacobian of an object.
macro_rules! object_jacobians {
    ($($(#[$doc:meta])* $name:ident($object:ident of $count:ident) = |$m:ident, $d:ident, $p:ident, $r:ident| $f:expr;)*) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = (m, d, jacp, jacr, $object))]
        fn $name(
            py: Python<'_>,
            m: &PyModel,
            d: &PyData,
            jacp: Option<MatrixOut<'_>>,
            jacr: Option<MatrixOut<'_>>,
            $object: i32,
        ) -> PyResult<()> {
            let $object = index(stringify!($object), $object, m.read(py)?.$count)?;
            fill(py, m, d, ("jacp", jacp), ("jacr", jacr), move |$m, $d, $p, $r| $f)
        }
    )*};
}

object_jacobians! {
    /// Jacobian of a body's frame.
    mj_jacBody(body of nbody) = |_m, d, p, r| support::jac_body(d, p, r, body);
    /// Jacobian of a body's centre of mass.
    mj_jacBodyCom(body of nbody) = |_m, d, p, r| support::jac_body_com(d, p, r, body);
    /// Jacobian of a geom.
    mj_jacGeom(geom of ngeom) = |m, d, p, r| support::jac_geom(m, d, p, r, geom);
    /// Jacobian of a site.
    mj_jacSite(site of nsite) = |m, d, p, r| support::jac_site(m, d, p, r, site);
}

/// Jacobian of the centre of mass of a body's subtree.
#[pyfunction]
#[pyo3(signature = (m, d, jacp, body))]
fn mj_jacSubtreeCom(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    jacp: Option<MatrixOut<'_>>,
    body: i32,
) -> PyResult<()> {
    let body = index("body", body, m.read(py)?.nbody)?;
    fill(py, m, d, ("jacp", jacp), ("", None), move |m, d, p, _| {
        if let Some(p) = p {
            support::jac_subtree_com(m, d, p, body);
        }
    })
}

/// Jacobians of a point and of an axis that are fixed to a body.
#[pyfunction]
#[pyo3(signature = (m, d, jacPoint, jacAxis, point, axis, body))]
fn mj_jacPointAxis(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    jacPoint: Option<MatrixOut<'_>>,
    jacAxis: Option<MatrixOut<'_>>,
    point: Vector<3>,
    axis: Vector<3>,
    body: i32,
) -> PyResult<()> {
    let body = index("body", body, m.read(py)?.nbody)?;
    let (point, axis) = (point.vec3(), axis.vec3());
    fill(py, m, d, ("jacPoint", jacPoint), ("jacAxis", jacAxis), move |_, d, p, a| {
        support::jac_point_axis(d, p, a, point, axis, body);
    })
}

/// Time derivative of the Jacobian of a point.
#[pyfunction]
#[pyo3(signature = (m, d, jacp, jacr, point, body))]
fn mj_jacDot(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    jacp: Option<MatrixOut<'_>>,
    jacr: Option<MatrixOut<'_>>,
    point: Vector<3>,
    body: i32,
) -> PyResult<()> {
    let body = index("body", body, m.read(py)?.nbody)?;
    let point = point.vec3();
    fill(py, m, d, ("jacp", jacp), ("jacr", jacr), move |m, d, p, r| {
        support::jac_dot(m, d, p, r, point, body);
    })
}

/// Matrix that maps joint velocities to the angular momentum of a subtree.
#[pyfunction]
fn mj_angmomMat(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    mat: MatrixOut<'_>,
    body: i32,
) -> PyResult<()> {
    let body = index("body", body, m.read(py)?.nbody)?;
    fill(py, m, d, ("mat", Some(mat)), ("", None), move |m, d, mat, _| {
        if let Some(mat) = mat {
            support::angular_momentum_matrix(m, d, mat, body);
        }
    })
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module;
        mj_jac, mj_jacBody, mj_jacBodyCom, mj_jacGeom, mj_jacSite, mj_jacSubtreeCom,
        mj_jacPointAxis, mj_jacDot, mj_angmomMat,
    );
    Ok(())
}
