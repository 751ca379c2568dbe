//! Scalars, muscles, friction pyramids, names of types.

use corten_math::real::{cos, exp, ln, sin};
use corten_math::{MIN_VAL, halton};
use corten_model::enums::{ObjType, Warning};
use corten_sim::stage::actuation::muscle::{Muscle, activation_rate};
use pyo3::prelude::*;

use super::add_functions;
use crate::args::{List, ListOut, Text, Vector, type_error};

/// The smaller of two numbers.
#[pyfunction]
fn mju_min(a: f64, b: f64) -> f64 {
    if a <= b { a } else { b }
}

/// The larger of two numbers.
#[pyfunction]
fn mju_max(a: f64, b: f64) -> f64 {
    if a >= b { a } else { b }
}

/// The number within limits that is nearest to `x`.
#[pyfunction]
fn mju_clip(x: f64, min: f64, max: f64) -> f64 {
    if x < min {
        min
    } else if x > max {
        max
    } else {
        x
    }
}

/// -1, 0 or 1.
#[pyfunction]
fn mju_sign(x: f64) -> f64 {
    if x < 0.0 {
        -1.0
    } else if x > 0.0 {
        1.0
    } else {
        0.0
    }
}

/// The nearest integer; halves go up.
#[pyfunction]
fn mju_round(x: f64) -> i32 {
    if x - x.floor() < x.ceil() - x { x.floor() as i32 } else { x.ceil() as i32 }
}

/// Whether a number is NaN or too large.
#[pyfunction]
fn mju_isBad(x: f64) -> i32 {
    const LARGEST: f64 = 1e10;
    (x.is_nan() || x.abs() > LARGEST).into()
}

/// The quintic from 0 to 1 with two vanishing derivatives at both ends.
#[pyfunction]
fn mju_sigmoid(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * x * (3.0 * x * (2.0 * x - 5.0) + 10.0)
}

/// An element of the low-discrepancy sequence of Halton: the digits of `index`, mirrored at the
/// point.
#[pyfunction]
fn mju_Halton(index: i32, base: i32) -> PyResult<f64> {
    if base < 2 {
        return Err(type_error("base must be at least 2"));
    }
    Ok(halton(index, base))
}

/// Position after `dt` of a unit mass on a spring and a damper.
#[pyfunction]
fn mju_springDamper(pos0: f64, vel0: f64, Kp: f64, Kv: f64, dt: f64) -> f64 {
    let discriminant = Kv * Kv - 4.0 * Kp;
    let half = 0.5 * Kv;
    let w = 0.5 * discriminant.abs().sqrt();
    if discriminant > MIN_VAL {
        let (r1, r2) = (w - half, -w - half);
        let c1 = (pos0 * r2 - vel0) / (r2 - r1);
        let c2 = (pos0 * r1 - vel0) / (r1 - r2);
        c1 * exp(r1 * dt) + c2 * exp(r2 * dt)
    } else if discriminant >= -MIN_VAL {
        exp(-half * dt) * (pos0 + (vel0 + half * pos0) * dt)
    } else {
        let c2 = (vel0 + half * pos0) / w;
        exp(-half * dt) * (pos0 * cos(w * dt) + c2 * sin(w * dt))
    }
}

fn padded<const N: usize>(prm: &Vector<N>) -> [f64; 10] {
    std::array::from_fn(|i| prm.0.get(i).copied().unwrap_or(0.0))
}

/// Active force of a muscle per unit of activation.
#[pyfunction]
fn mju_muscleGain(len: f64, vel: f64, lengthrange: Vector<2>, acc0: f64, prm: Vector<9>) -> f64 {
    Muscle::new(&padded(&prm)).gain(len, vel, lengthrange.0, acc0)
}

/// Passive force of a muscle.
#[pyfunction]
fn mju_muscleBias(len: f64, lengthrange: Vector<2>, acc0: f64, prm: Vector<9>) -> f64 {
    Muscle::new(&padded(&prm)).bias(len, lengthrange.0, acc0)
}

/// Rate of change of a muscle's activation.
#[pyfunction]
fn mju_muscleDynamics(ctrl: f64, act: f64, prm: Vector<3>) -> f64 {
    activation_rate(ctrl, act, &padded(&prm))
}

fn check_pyramid(pyramid: usize, force: usize, mu: usize) -> PyResult<()> {
    if pyramid != 2 * mu {
        return Err(type_error("pyramid must have twice as many elements as mu"));
    }
    if force != mu + 1 {
        return Err(type_error("force must have one element more than mu"));
    }
    Ok(())
}

/// Forces along the edges of a friction pyramid from a contact force.
///
/// MuJoCo's Python function takes the number of friction coefficients for the dimension of the
/// contact, so the last tangent is left alone; so does this one.
#[pyfunction]
fn mju_encodePyramid(pyramid: ListOut<'_>, force: List, mu: List) -> PyResult<()> {
    check_pyramid(pyramid.len(), force.0.len(), mu.0.len())?;
    let tangents = mu.0.len().saturating_sub(1);
    let share = force.0[0] / tangents as f64;
    let mut edges = pyramid.get();
    for i in 0..tangents {
        let difference = share.min(force.0[i + 1] / mu.0[i]);
        edges[2 * i] = 0.5 * (share + difference);
        edges[2 * i + 1] = 0.5 * (share - difference);
    }
    pyramid.set(&edges);
    Ok(())
}

/// A contact force from forces along the edges of a friction pyramid; see `mju_encodePyramid`
/// about the last tangent.
#[pyfunction]
fn mju_decodePyramid(force: ListOut<'_>, pyramid: List, mu: List) -> PyResult<()> {
    check_pyramid(pyramid.0.len(), force.len(), mu.0.len())?;
    let mut result = force.get();
    if mu.0.len() == 1 {
        result[0] = pyramid.0[0];
    } else {
        let tangents = mu.0.len().saturating_sub(1);
        result[0] = pyramid.0[..2 * tangents].iter().sum();
        for i in 0..tangents {
            result[i + 1] = (pyramid.0[2 * i] - pyramid.0[2 * i + 1]) * mu.0[i];
        }
    }
    force.set(&result);
    Ok(())
}

/// The element name of an object type.
#[pyfunction]
fn mju_type2Str(r#type: i32) -> Option<&'static str> {
    type_names().find(|(kind, _)| kind.raw() == r#type).map(|(_, name)| name)
}

/// The object type of an element name; 0 if there is none.
#[pyfunction]
fn mju_str2Type(str: Text) -> i32 {
    let mut readable = type_names().filter(|(kind, _)| *kind != ObjType::Frame);
    readable.find(|(_, name)| *name == &*str).map_or(0, |(kind, _)| kind.raw())
}

fn type_names() -> impl Iterator<Item = (ObjType, &'static str)> {
    [
        (ObjType::Body, "body"),
        (ObjType::Xbody, "xbody"),
        (ObjType::Joint, "joint"),
        (ObjType::Dof, "dof"),
        (ObjType::Geom, "geom"),
        (ObjType::Site, "site"),
        (ObjType::Camera, "camera"),
        (ObjType::Light, "light"),
        (ObjType::Flex, "flex"),
        (ObjType::Mesh, "mesh"),
        (ObjType::Skin, "skin"),
        (ObjType::HField, "hfield"),
        (ObjType::Texture, "texture"),
        (ObjType::Material, "material"),
        (ObjType::Pair, "pair"),
        (ObjType::Exclude, "exclude"),
        (ObjType::Equality, "equality"),
        (ObjType::Tendon, "tendon"),
        (ObjType::Actuator, "actuator"),
        (ObjType::Sensor, "sensor"),
        (ObjType::Numeric, "numeric"),
        (ObjType::Text, "text"),
        (ObjType::Tuple, "tuple"),
        (ObjType::Key, "key"),
        (ObjType::Plugin, "plugin"),
        (ObjType::Frame, "frame"),
    ]
    .into_iter()
}

/// A number of bytes with the largest suffix that divides it.
#[pyfunction]
fn mju_writeNumBytes(nbytes: u64) -> String {
    for (power, suffix) in [(6, 'E'), (5, 'P'), (4, 'T'), (3, 'G'), (2, 'M'), (1, 'K')] {
        let unit = 1u64 << (10 * power);
        if nbytes >= unit && nbytes.is_multiple_of(unit) {
            return format!("{}{suffix}", nbytes / unit);
        }
    }
    nbytes.to_string()
}

/// What a warning means.
#[pyfunction]
fn mju_warningText(warning: i32, info: u64) -> String {
    let unstable = |what: &str, place: &str| {
        format!("{what} is not finite or huge at {place} {info}: the simulation is unstable.")
    };
    match Warning::from_raw(warning) {
        Some(Warning::Inertia) => {
            format!("The inertia matrix is nearly singular at DOF {info}: check the model.")
        }
        Some(Warning::ContactFull) => format!("Too many contacts (ncon = {info})."),
        Some(Warning::CnstrFull) => format!("Too many constraints (nefc = {info})."),
        Some(Warning::VgeomFull) => format!("Too many visual geoms: raise maxgeom above {info}."),
        Some(Warning::BadQpos) => unstable("QPOS", "DOF"),
        Some(Warning::BadQvel) => unstable("QVEL", "DOF"),
        Some(Warning::BadQacc) => unstable("QACC", "DOF"),
        Some(Warning::BadCtrl) => unstable("CTRL", "ACTUATOR"),
        _ => format!("Unknown warning type {warning}."),
    }
}

/// A sample of the standard normal distribution, by the polar method.
#[pyfunction]
#[pyo3(signature = (num2))]
fn mju_standardNormal(py: Python<'_>, num2: Option<f64>) -> PyResult<f64> {
    let _ = num2;
    let random = py.import("random")?.getattr("random")?;
    loop {
        let uniform = || -> PyResult<f64> { Ok(2.0 * random.call0()?.extract::<f64>()? - 1.0) };
        let (x, y) = (uniform()?, uniform()?);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return Ok(x * (-2.0 * ln(square) / square).sqrt());
        }
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module;
        mju_min, mju_max, mju_clip, mju_sign, mju_round, mju_isBad, mju_sigmoid, mju_Halton,
        mju_springDamper, mju_muscleGain, mju_muscleBias, mju_muscleDynamics, mju_encodePyramid,
        mju_decodePyramid, mju_type2Str, mju_str2Type, mju_writeNumBytes, mju_warningText,
        mju_standardNormal,
    );
    Ok(())
}
