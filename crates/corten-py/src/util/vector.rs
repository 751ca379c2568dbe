//! Vectors of three and of any number of elements.

use corten_math::{MIN_VAL, Vec3};
use pyo3::prelude::*;

use super::add_functions;
use crate::args::{List, ListOut, Vector, VectorOut, same_size};

/// Declares functions whose result is a 3-vector.
macro_rules! vec3_functions {
    ($($(#[$meta:meta])* $name:ident($($arg:ident),*; $($number:ident),*) = $result:expr;)*) => {$(
        $(#[$meta])*
        #[pyfunction]
        fn $name(res: VectorOut<'_, 3>, $($arg: Vector<3>,)* $($number: f64,)*) {
            $(let $arg = $arg.vec3();)*
            let result: Vec3 = $result;
            res.set(result.0);
        }
    )*};
}

vec3_functions! {
    /// res = data.
    mju_copy3(data;) = data;
    /// res = vec * scl.
    mju_scl3(vec; scl) = vec * scl;
    /// res = vec1 + vec2.
    mju_add3(vec1, vec2;) = vec1 + vec2;
    /// res = vec1 - vec2.
    mju_sub3(vec1, vec2;) = vec1 - vec2;
    /// res = vec1 + vec2 * scl.
    mju_addScl3(vec1, vec2; scl) = vec1 + vec2 * scl;
    /// res = a × b.
    mju_cross(a, b;) = a.cross(b);
}

/// Declares functions that change a 3-vector.
macro_rules! vec3_updates {
    ($($(#[$meta:meta])* $name:ident($res:ident; $($arg:ident),*; $($number:ident),*) = $result:expr;)*) => {$(
        $(#[$meta])*
        #[pyfunction]
        fn $name(res: VectorOut<'_, 3>, $($arg: Vector<3>,)* $($number: f64,)*) {
            $(let $arg = $arg.vec3();)*
            let $res = Vec3(res.get());
            let result: Vec3 = $result;
            res.set(result.0);
        }
    )*};
}

vec3_updates! {
    /// res += vec.
    mju_addTo3(r; vec;) = r + vec;
    /// res -= vec.
    mju_subFrom3(r; vec;) = r - vec;
    /// res += vec * scl.
    mju_addToScl3(r; vec; scl) = r + vec * scl;
}

/// Fills a vector with zeros.
#[pyfunction]
fn mju_zero3(res: VectorOut<'_, 3>) {
    res.set([0.0; 3]);
}

/// Fills a vector with zeros.
#[pyfunction]
fn mju_zero4(res: VectorOut<'_, 4>) {
    res.set([0.0; 4]);
}

/// The identity quaternion.
#[pyfunction]
fn mju_unit4(res: VectorOut<'_, 4>) {
    res.set([1.0, 0.0, 0.0, 0.0]);
}

/// res = data.
#[pyfunction]
fn mju_copy4(res: VectorOut<'_, 4>, data: Vector<4>) {
    res.set(data.0);
}

/// The scalar product.
#[pyfunction]
fn mju_dot3(vec1: Vector<3>, vec2: Vector<3>) -> f64 {
    vec1.vec3().dot(vec2.vec3())
}

/// The distance of two points.
#[pyfunction]
fn mju_dist3(pos1: Vector<3>, pos2: Vector<3>) -> f64 {
    pos1.vec3().distance(pos2.vec3())
}

/// The length of a vector.
#[pyfunction]
fn mju_norm3(vec: Vector<3>) -> f64 {
    vec.vec3().norm()
}

/// Scales to unit length and returns the previous length; x if too short.
#[pyfunction]
fn mju_normalize3(vec: VectorOut<'_, 3>) -> f64 {
    let (unit, norm) = Vec3(vec.get()).normalized();
    vec.set(unit.0);
    norm
}

/// Scales to unit length and returns the previous length; the identity if too short.
#[pyfunction]
fn mju_normalize4(vec: VectorOut<'_, 4>) -> f64 {
    let q = corten_math::Quat(vec.get());
    vec.set(q.normalized().0);
    q.norm()
}

/// Fills a vector with zeros.
#[pyfunction]
fn mju_zero(res: ListOut<'_>) {
    res.set(&vec![0.0; res.len()]);
}

/// Fills a vector with a number.
#[pyfunction]
fn mju_fill(res: ListOut<'_>, val: f64) {
    res.set(&vec![val; res.len()]);
}

/// res = vec.
#[pyfunction]
fn mju_copy(res: ListOut<'_>, vec: List) -> PyResult<()> {
    same_size("res", res.len(), "vec", vec.0.len())?;
    res.set(&vec.0);
    Ok(())
}

/// The sum of all elements.
#[pyfunction]
fn mju_sum(vec: List) -> f64 {
    vec.0.iter().sum()
}

/// The sum of absolute values.
#[pyfunction]
fn mju_L1(vec: List) -> f64 {
    vec.0.iter().map(|x| x.abs()).sum()
}

/// res = vec * scl.
#[pyfunction]
fn mju_scl(res: ListOut<'_>, vec: List, scl: f64) -> PyResult<()> {
    same_size("res", res.len(), "vec", vec.0.len())?;
    res.set(&vec.0.iter().map(|x| x * scl).collect::<Vec<_>>());
    Ok(())
}

/// `res = f(a, b)`, element by element.
fn combine(res: &ListOut<'_>, a: &[f64], b: &List, f: impl Fn(f64, f64) -> f64) -> PyResult<()> {
    same_size("res", res.len(), "vec1", a.len())?;
    same_size("res", res.len(), "vec2", b.0.len())?;
    res.set(&a.iter().zip(&b.0).map(|(&a, &b)| f(a, b)).collect::<Vec<_>>());
    Ok(())
}

/// res = vec1 + vec2.
#[pyfunction]
fn mju_add(res: ListOut<'_>, vec1: List, vec2: List) -> PyResult<()> {
    combine(&res, &vec1.0, &vec2, |a, b| a + b)
}

/// res = vec1 - vec2.
#[pyfunction]
fn mju_sub(res: ListOut<'_>, vec1: List, vec2: List) -> PyResult<()> {
    combine(&res, &vec1.0, &vec2, |a, b| a - b)
}

/// res = vec1 + vec2 * scl.
#[pyfunction]
fn mju_addScl(res: ListOut<'_>, vec1: List, vec2: List, scl: f64) -> PyResult<()> {
    combine(&res, &vec1.0, &vec2, |a, b| a + b * scl)
}

/// res += vec.
#[pyfunction]
fn mju_addTo(res: ListOut<'_>, vec: List) -> PyResult<()> {
    combine(&res, &res.get(), &vec, |a, b| a + b)
}

/// res -= vec.
#[pyfunction]
fn mju_subFrom(res: ListOut<'_>, vec: List) -> PyResult<()> {
    combine(&res, &res.get(), &vec, |a, b| a - b)
}

/// res += vec * scl.
#[pyfunction]
fn mju_addToScl(res: ListOut<'_>, vec: List, scl: f64) -> PyResult<()> {
    combine(&res, &res.get(), &vec, |a, b| a + b * scl)
}

/// Scales to unit length and returns the previous length; the first axis if too short.
#[pyfunction]
fn mju_normalize(res: ListOut<'_>) -> f64 {
    let mut values = res.get();
    let norm = dot(&values, &values).sqrt();
    if norm < MIN_VAL {
        values.fill(0.0);
        if let Some(first) = values.first_mut() {
            *first = 1.0;
        }
    } else {
        for x in &mut values {
            *x *= 1.0 / norm;
        }
    }
    res.set(&values);
    norm
}

/// The length of a vector.
#[pyfunction]
fn mju_norm(res: List) -> f64 {
    dot(&res.0, &res.0).sqrt()
}

/// The scalar product.
#[pyfunction]
fn mju_dot(vec1: List, vec2: List) -> PyResult<f64> {
    same_size("vec1", vec1.0.len(), "vec2", vec2.0.len())?;
    Ok(dot(&vec1.0, &vec2.0))
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Whether all elements are zero.
#[pyfunction]
fn mju_isZero(vec: List) -> i32 {
    vec.0.iter().all(|&x| x == 0.0).into()
}

/// Sorts numbers in place, smallest first.
#[pyfunction]
fn mju_insertionSort(list: ListOut<'_>) {
    let mut values = list.get();
    values.sort_by(f64::total_cmp);
    list.set(&values);
}

/// Sorts whole numbers in place, smallest first.
#[pyfunction]
fn mju_insertionSortInt(list: ListOut<'_, i32>) {
    let mut values = list.get();
    values.sort_unstable();
    list.set(&values);
}

/// res = vec, from single precision.
#[pyfunction]
fn mju_f2n(res: ListOut<'_>, vec: List<f32>) -> PyResult<()> {
    same_size("res", res.len(), "vec", vec.0.len())?;
    res.set(&vec.0.iter().map(|&x| x.into()).collect::<Vec<_>>());
    Ok(())
}

/// res = vec, to single precision.
#[pyfunction]
fn mju_n2f(res: ListOut<'_, f32>, vec: List) -> PyResult<()> {
    same_size("res", res.len(), "vec", vec.0.len())?;
    res.set(&vec.0.iter().map(|&x| x as f32).collect::<Vec<_>>());
    Ok(())
}

/// res = vec, from double precision.
#[pyfunction]
fn mju_d2n(res: ListOut<'_>, vec: List) -> PyResult<()> {
    mju_copy(res, vec)
}

/// res = vec, to double precision.
#[pyfunction]
fn mju_n2d(res: ListOut<'_>, vec: List) -> PyResult<()> {
    mju_copy(res, vec)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module;
        mju_copy3, mju_scl3, mju_add3, mju_sub3, mju_addScl3, mju_cross, mju_addTo3, mju_subFrom3,
        mju_addToScl3, mju_zero3, mju_zero4, mju_unit4, mju_copy4, mju_dot3, mju_dist3, mju_norm3,
        mju_normalize3, mju_normalize4, mju_zero, mju_fill, mju_copy, mju_sum, mju_L1, mju_scl,
        mju_add, mju_sub, mju_addScl, mju_addTo, mju_subFrom, mju_addToScl, mju_normalize,
        mju_norm, mju_dot, mju_isZero, mju_insertionSort, mju_insertionSortInt, mju_f2n, mju_n2f,
        mju_d2n, mju_n2d,
    );
    Ok(())
}
