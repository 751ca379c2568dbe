//! Rotations, poses and spatial vectors.

use corten_math::real::{cos, sin};
use corten_math::{MIN_VAL, Quat, Spatial, Vec3, eig3};
use corten_sim::derivative::rotation;
use pyo3::prelude::*;

use super::add_functions;
use crate::args::{List, MatrixOut, Vector, VectorOut};
use crate::errors::fatal;

/// A vector turned by a quaternion.
#[pyfunction]
fn mju_rotVecQuat(res: VectorOut<'_, 3>, vec: Vector<3>, quat: Vector<4>) {
    res.set(quat.quat().rotate(vec.vec3()).0);
}

/// The inverse of a unit quaternion.
#[pyfunction]
fn mju_negQuat(res: VectorOut<'_, 4>, quat: Vector<4>) {
    res.set(quat.quat().conjugate().0);
}

/// The product of two quaternions.
#[pyfunction]
fn mju_mulQuat(res: VectorOut<'_, 4>, quat1: Vector<4>, quat2: Vector<4>) {
    res.set((quat1.quat() * quat2.quat()).0);
}

/// The product of a quaternion and a vector taken as one without real part.
#[pyfunction]
fn mju_mulQuatAxis(res: VectorOut<'_, 4>, quat: Vector<4>, axis: Vector<3>) {
    res.set(quat.quat().mul_axis(axis.vec3()).0);
}

/// The quaternion of a rotation about an axis of unit length.
#[pyfunction]
fn mju_axisAngle2Quat(res: VectorOut<'_, 4>, axis: Vector<3>, angle: f64) {
    res.set(Quat::from_axis_angle(axis.vec3(), angle).0);
}

/// The angular velocity that turns by a quaternion within a time.
#[pyfunction]
fn mju_quat2Vel(res: VectorOut<'_, 3>, quat: Vector<4>, dt: f64) {
    res.set(quat.quat().to_velocity(dt).0);
}

/// The rotation from `qb` to `qa` as a vector: axis times angle.
#[pyfunction]
fn mju_subQuat(res: VectorOut<'_, 3>, qa: Vector<4>, qb: Vector<4>) {
    res.set(qa.quat().difference(qb.quat()).0);
}

/// The rotation matrix of a quaternion.
#[pyfunction]
fn mju_quat2Mat(res: VectorOut<'_, 9>, quat: Vector<4>) {
    res.set(quat.quat().to_mat().0);
}

/// The quaternion of a rotation matrix.
#[pyfunction]
fn mju_mat2Quat(quat: VectorOut<'_, 4>, mat: Vector<9>) {
    quat.set(mat.mat3().to_quat().0);
}

/// Time derivative of a rotation under an angular velocity in the world frame.
#[pyfunction]
fn mju_derivQuat(res: VectorOut<'_, 4>, quat: Vector<4>, vel: Vector<3>) {
    let [x, y, z] = vel.0;
    res.set((Quat([0.0, x, y, z]) * quat.quat()).0.map(|x| 0.5 * x));
}

/// Turns a quaternion by an angular velocity for a time.
#[pyfunction]
fn mju_quatIntegrate(quat: VectorOut<'_, 4>, vel: Vector<3>, scale: f64) {
    quat.set(Quat(quat.get()).integrated(vel.vec3(), scale).0);
}

/// A quaternion that turns the z axis towards a vector.
#[pyfunction]
fn mju_quatZ2Vec(quat: VectorOut<'_, 4>, vec: Vector<3>) {
    quat.set(Quat::from_z_to(vec.vec3()).0);
}

/// Rotates `quat` towards the rotational part of a matrix; returns the number of iterations.
///
/// Each iteration turns by the torque that the matrix' columns exert on the current axes (Müller,
/// Bender, Chentanez, Macklin: A robust method to extract the rotational part of deformations,
/// 2016).
#[pyfunction]
fn mju_mat2Rot(quat: VectorOut<'_, 4>, mat: Vector<9>) -> i32 {
    /// Turn below which the rotation counts as found.
    const SMALL_TURN: f64 = 1e-9;
    const MAX_ITERATIONS: i32 = 500;
    let target = mat.mat3();
    let mut q = Quat(quat.get());
    let mut iterations = 0;
    while iterations < MAX_ITERATIONS {
        let axes = q.to_mat();
        let mut torque = Vec3::ZERO;
        let mut alignment = 0.0;
        for i in 0..3 {
            torque += axes.col(i).cross(target.col(i));
            alignment += axes.col(i).dot(target.col(i));
        }
        let (axis, angle) = (torque * (1.0 / (alignment.abs() + MIN_VAL))).normalized();
        if angle < SMALL_TURN {
            break;
        }
        q = (Quat::from_axis_angle(axis, angle) * q).normalized();
        iterations += 1;
    }
    quat.set(q.0);
    iterations
}

/// A rotation from three Euler angles; lower case letters turn about moving axes, upper case
/// letters about fixed ones.
#[pyfunction]
fn mju_euler2Quat(quat: VectorOut<'_, 4>, euler: Vector<3>, seq: &str) -> PyResult<()> {
    let letters: Vec<char> = seq.chars().collect();
    if letters.len() != 3 {
        return Err(fatal("mju_euler2Quat: seq must contain exactly 3 characters"));
    }
    let mut q = Quat::IDENTITY;
    for (i, (letter, angle)) in letters.into_iter().zip(euler.0).enumerate() {
        let (c, s) = (cos(angle / 2.0), sin(angle / 2.0));
        let turn = match letter.to_ascii_lowercase() {
            'x' => Quat([c, s, 0.0, 0.0]),
            'y' => Quat([c, 0.0, s, 0.0]),
            'z' => Quat([c, 0.0, 0.0, s]),
            _ => {
                return Err(fatal(format!(
                    "mju_euler2Quat: seq[{i}] is '{letter}', should be one of x, y, z, X, Y, Z"
                )));
            }
        };
        q = if letter.is_ascii_lowercase() { q * turn } else { turn * q };
    }
    quat.set(q.0);
    Ok(())
}

/// The product of two poses.
#[pyfunction]
fn mju_mulPose(
    posres: VectorOut<'_, 3>,
    quatres: VectorOut<'_, 4>,
    pos1: Vector<3>,
    quat1: Vector<4>,
    pos2: Vector<3>,
    quat2: Vector<4>,
) {
    let q1 = quat1.quat();
    quatres.set((q1 * quat2.quat()).normalized().0);
    posres.set((q1.rotate(pos2.vec3()) + pos1.vec3()).0);
}

/// The inverse of a pose.
#[pyfunction]
fn mju_negPose(
    posres: VectorOut<'_, 3>,
    quatres: VectorOut<'_, 4>,
    pos: Vector<3>,
    quat: Vector<4>,
) {
    let inverse = quat.quat().conjugate();
    quatres.set(inverse.0);
    posres.set((-inverse.rotate(pos.vec3())).0);
}

/// A point moved by a pose.
#[pyfunction]
fn mju_trnVecPose(res: VectorOut<'_, 3>, pos: Vector<3>, quat: Vector<4>, vec: Vector<3>) {
    res.set((quat.quat().rotate(vec.vec3()) + pos.vec3()).0);
}

/// res = mat * vec, for a 3x3 matrix.
#[pyfunction]
fn mju_mulMatVec3(res: VectorOut<'_, 3>, mat: Vector<9>, vec: Vector<3>) {
    res.set((mat.mat3() * vec.vec3()).0);
}

/// res = matᵀ * vec, for a 3x3 matrix.
#[pyfunction]
fn mju_mulMatTVec3(res: VectorOut<'_, 3>, mat: Vector<9>, vec: Vector<3>) {
    res.set(mat.mat3().tmul(vec.vec3()).0);
}

/// Moves a spatial motion or force to another point, and optionally into another frame.
#[pyfunction]
#[pyo3(signature = (res, vec, flg_force, newpos, oldpos, rotnew2old))]
fn mju_transformSpatial(
    res: VectorOut<'_, 6>,
    vec: Vector<6>,
    flg_force: i32,
    newpos: Vector<3>,
    oldpos: Vector<3>,
    rotnew2old: Option<Vector<9>>,
) {
    let (v, to, from) = (Spatial(vec.0), newpos.vec3(), oldpos.vec3());
    let moved = if flg_force != 0 { v.force_at(to, from) } else { v.motion_at(to, from) };
    res.set(rotnew2old.map_or(moved, |frame| moved.in_frame(&frame.mat3())).0);
}

/// Eigenvalues of a symmetric 3x3 matrix, largest first, its eigenvectors, and them as a quaternion; returns the number of rotations.
#[pyfunction]
fn mju_eig3(
    eigval: VectorOut<'_, 3>,
    eigvec: VectorOut<'_, 9>,
    quat: VectorOut<'_, 4>,
    mat: Vector<9>,
) -> i32 {
    let found = eig3(&mat.mat3());
    eigval.set(found.values.0);
    eigvec.set(found.vectors.0);
    quat.set(found.rotation.0);
    0
}

/// Derivatives of `mju_subQuat` with respect to both rotations, in their tangent spaces.
#[pyfunction]
#[pyo3(signature = (qa, qb, Da, Db))]
fn mjd_subQuat(
    qa: List,
    qb: List,
    Da: Option<MatrixOut<'_>>,
    Db: Option<MatrixOut<'_>>,
) -> PyResult<()> {
    qa.expect("qa", 4)?;
    qb.expect("qb", 4)?;
    let (a, b) = rotation::sub_quat(Quat::from_slice(&qa.0), Quat::from_slice(&qb.0));
    for (name, out, values) in [("Da", Da, a), ("Db", Db, b)] {
        if let Some(out) = out {
            out.expect(name, 3, 3)?;
            out.set(&values.0);
        }
    }
    Ok(())
}

/// Derivatives of `mju_quatIntegrate` with respect to rotation, velocity and scale.
#[pyfunction]
fn mjd_quatIntegrate(
    vel: Vector<3>,
    scale: f64,
    Dquat: VectorOut<'_, 9>,
    Dvel: VectorOut<'_, 9>,
    Dscale: VectorOut<'_, 3>,
) {
    let (by_rotation, by_velocity, by_scale) = rotation::quat_integrate(vel.vec3(), scale);
    Dquat.set(by_rotation.0);
    Dvel.set(by_velocity.0);
    Dscale.set(by_scale.0);
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module;
        mju_rotVecQuat, mju_negQuat, mju_mulQuat, mju_mulQuatAxis, mju_axisAngle2Quat,
        mju_quat2Vel, mju_subQuat, mju_quat2Mat, mju_mat2Quat, mju_derivQuat, mju_quatIntegrate,
        mju_quatZ2Vec, mju_mat2Rot, mju_euler2Quat, mju_mulPose, mju_negPose, mju_trnVecPose,
        mju_mulMatVec3, mju_mulMatTVec3, mju_transformSpatial, mju_eig3, mjd_subQuat,
        mjd_quatIntegrate,
    );
    Ok(())
}
