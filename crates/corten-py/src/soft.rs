//! Bodies of particles: what `corten.soft` is made of.
//!
//! A body is stepped by a solver of its own, or becomes a part of a spec (`SpecBase::register_deformable`). Arrays are handed out as copies: a body
//! has no other memory than that of its [`Deformable`].

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use corten_math::Vec3;
use corten_soft::{
    CapsuleChain, ChainPreset, Cloth, ClothPreset, Constraint, ConstraintType, Deformable,
    DeformableBody, Material, Measure, SoftBody, SoftBodyPreset, SoftError, XpbdSolver,
};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use crate::args::{List, Vector, type_error};
use crate::interrupt::PAUSE;
use crate::memory::In;
use crate::run::protect;

fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> PyErr {
    let known: Vec<&str> = known.collect();
    PyValueError::new_err(format!("there is no {what} '{name}': there are {}", known.join(", ")))
}

/// An array of rows of `N` numbers.
struct Rows<T, const N: usize>(Vec<[T; N]>);

impl<'a, 'py, T: Element + Copy, const N: usize> FromPyObject<'a, 'py> for Rows<T, N> {
    type Error = PyErr;

    fn extract(obj: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let given: In<T> = obj.extract()?;
        if given.shape.len() != 2 || given.shape[1] != N {
            let shape = given.shape;
            return Err(type_error(format!(
                "expected an array of shape (n, {N}), found {shape:?}"
            )));
        }
        Ok(Rows(given.values.as_chunks::<N>().0.to_vec()))
    }
}

impl Rows<f64, 3> {
    fn points(self) -> Vec<Vec3> {
        self.0.into_iter().map(Vec3).collect()
    }
}

/// Indices of particles. NumPy's default integers are 64 bits wide.
fn indices<const N: usize>(rows: Rows<i64, N>) -> PyResult<Vec<[u32; N]>> {
    let whole = |row: [i64; N]| {
        let mut indices = [0; N];
        for (to, from) in indices.iter_mut().zip(row) {
            *to = u32::try_from(from)
                .map_err(|_| PyIndexError::new_err(format!("there is no particle {from}")))?;
        }
        Ok(indices)
    };
    rows.0.into_iter().map(whole).collect()
}

/// Young's modulus, Poisson's ratio, density, friction and relaxation time, in SI units.
#[pyclass(name = "Material", module = "corten.soft", frozen, eq, from_py_object)]
#[derive(Clone, PartialEq)]
pub struct PyMaterial(Material);

#[pymethods]
impl PyMaterial {
    #[new]
    #[pyo3(signature = (young, poisson, density, friction=0.5, damping=0.0))]
    fn new(young: f64, poisson: f64, density: f64, friction: f64, damping: f64) -> PyResult<Self> {
        let material = Material::new(young, poisson, density, friction).with_damping(damping);
        material.check().map_err(value_error)?;
        Ok(PyMaterial(material))
    }

    /// One of the materials that are known by name.
    #[staticmethod]
    fn named(name: &str) -> PyResult<PyMaterial> {
        let names = Material::ALL.iter().map(|m| m.name);
        Material::by_name(name).map(PyMaterial).ok_or_else(|| unknown("material", name, names))
    }

    /// Names of all materials.
    #[staticmethod]
    fn names() -> Vec<&'static str> {
        Material::ALL.iter().map(|m| m.name).collect()
    }

    #[getter]
    fn young(&self) -> f64 {
        self.0.young
    }

    #[getter]
    fn poisson(&self) -> f64 {
        self.0.poisson
    }

    #[getter]
    fn density(&self) -> f64 {
        self.0.density
    }

    #[getter]
    fn friction(&self) -> f64 {
        self.0.friction
    }

    #[getter]
    fn damping(&self) -> f64 {
        self.0.damping
    }

    fn __repr__(&self) -> String {
        let Material { young, poisson, density, friction, damping, .. } = self.0;
        format!("Material({young:e}, {poisson}, {density}, friction={friction}, damping={damping})")
    }
}

/// A material, or the name of one.
struct OfMaterial(Material);

impl<'a, 'py> FromPyObject<'a, 'py> for OfMaterial {
    type Error = PyErr;

    fn extract(obj: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match obj.extract::<String>() {
            Ok(name) => Ok(OfMaterial(PyMaterial::named(&name)?.0)),
            Err(_) => Ok(OfMaterial(obj.extract::<PyMaterial>()?.0)),
        }
    }
}

/// What is held at zero between one to four particles, and how firmly: the energy is `value² / 2 compliance`.
#[pyclass(name = "Constraint", module = "corten.soft", frozen, eq, from_py_object)]
#[derive(Clone, PartialEq)]
pub struct PyConstraint(Constraint);

fn held(measure: Measure, compliance: f64) -> PyConstraint {
    PyConstraint(Constraint { measure, compliance })
}

#[pymethods]
impl PyConstraint {
    /// Keeps two particles at a distance.
    #[staticmethod]
    #[pyo3(signature = (ends, rest, compliance=0.0))]
    fn distance(ends: [u32; 2], rest: f64, compliance: f64) -> PyConstraint {
        held(Measure::Distance { ends, rest }, compliance)
    }

    /// Keeps the angle between the segments of three particles in a row; zero is straight.
    #[staticmethod]
    #[pyo3(signature = (points, rest=0.0, compliance=0.0))]
    fn angle(points: [u32; 3], rest: f64, compliance: f64) -> PyConstraint {
        held(Measure::Angle { points, rest }, compliance)
    }

    /// Keeps the angle between two triangles with a common edge; zero is flat.
    #[staticmethod]
    #[pyo3(signature = (hinge, wings, rest=0.0, compliance=0.0))]
    fn dihedral(hinge: [u32; 2], wings: [u32; 2], rest: f64, compliance: f64) -> PyConstraint {
        held(Measure::Dihedral { hinge, wings, rest }, compliance)
    }

    /// Keeps the volume of a tetrahedron.
    #[staticmethod]
    #[pyo3(signature = (corners, rest, compliance=0.0))]
    fn volume(corners: [u32; 4], rest: f64, compliance: f64) -> PyConstraint {
        held(Measure::Volume { corners, rest }, compliance)
    }

    /// Keeps the length of a triangle along a direction, in multiples of its edges 0→1 and 0→2 at rest.
    #[staticmethod]
    #[pyo3(signature = (corners, along, compliance=0.0))]
    fn stretch(corners: [u32; 3], along: [f64; 2], compliance: f64) -> PyConstraint {
        held(Measure::Stretch { corners, along }, compliance)
    }

    /// Keeps two directions of a triangle at right angles.
    #[staticmethod]
    #[pyo3(signature = (corners, warp, weft, compliance=0.0))]
    fn shear(corners: [u32; 3], warp: [f64; 2], weft: [f64; 2], compliance: f64) -> PyConstraint {
        held(Measure::Shear { corners, warp, weft }, compliance)
    }

    /// Keeps the torsion of four particles in a row.
    #[staticmethod]
    #[pyo3(signature = (points, rest=0.0, compliance=0.0))]
    fn twist(points: [u32; 4], rest: f64, compliance: f64) -> PyConstraint {
        held(Measure::Twist { points, rest }, compliance)
    }

    /// Keeps a particle above the plane `normal · x = offset`, which may move. Contacts take its place in a model.
    #[staticmethod]
    #[pyo3(signature = (particle, normal, offset, friction=0.0, velocity=Vector([0.0; 3])))]
    fn collision(
        particle: u32,
        normal: Vector<3>,
        offset: f64,
        friction: f64,
        velocity: Vector<3>,
    ) -> PyConstraint {
        let (normal, velocity) = (normal.vec3(), velocity.vec3());
        held(Measure::Collision { particle, normal, offset, friction, velocity }, 0.0)
    }

    /// `distance`, `bending`, `volume`, `stretch`, `shear`, `twist` or `collision`.
    #[getter]
    fn kind(&self) -> &'static str {
        match self.0.kind() {
            ConstraintType::Distance => "distance",
            ConstraintType::Bending => "bending",
            ConstraintType::Volume => "volume",
            ConstraintType::Stretch => "stretch",
            ConstraintType::Shear => "shear",
            ConstraintType::Twist => "twist",
            ConstraintType::Collision => "collision",
        }
    }

    /// The particles that it relates.
    #[getter]
    fn particles(&self) -> Vec<u32> {
        let (all, count) = self.0.particles();
        all[..count].to_vec()
    }

    #[getter]
    fn compliance(&self) -> f64 {
        self.0.compliance
    }

    /// How far it is from zero at these positions of all particles; None where that is not defined.
    fn value(&self, positions: Rows<f64, 3>) -> PyResult<Option<f64>> {
        let positions = positions.points();
        let last = self.particles().into_iter().max().unwrap_or(0);
        if last as usize >= positions.len() {
            return Err(PyIndexError::new_err(format!("there is no particle {last}")));
        }
        Ok(self.0.gradient(&positions).map(|gradient| gradient.value))
    }

    fn __repr__(&self) -> String {
        let (kind, particles) = (self.kind(), self.particles());
        format!("<{kind} of particles {particles:?}, compliance {:e}>", self.0.compliance)
    }
}

/// Particles, and constraints between them. A mass of zero holds its particle.
#[pyclass(name = "Deformable", module = "corten.soft", frozen, subclass, weakref)]
pub struct PyDeformable {
    body: Mutex<Deformable>,
}

impl From<Deformable> for PyDeformable {
    fn from(body: Deformable) -> PyDeformable {
        PyDeformable { body: Mutex::new(body) }
    }
}

impl PyDeformable {
    /// The body. Whoever holds it must not run Python code, which might ask for it again.
    pub fn lock(&self) -> MutexGuard<'_, Deformable> {
        self.body.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn vectors<'py>(py: Python<'py>, x: &[Vec3]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let flat: Vec<f64> = x.iter().flat_map(|x| x.0).collect();
    PyArray1::from_vec(py, flat).reshape([x.len(), 3])
}

#[pymethods]
impl PyDeformable {
    #[new]
    #[pyo3(signature = (positions, masses, constraints, material, radius=0.0))]
    fn new(
        positions: Rows<f64, 3>,
        masses: List,
        constraints: Vec<PyConstraint>,
        material: OfMaterial,
        radius: f64,
    ) -> PyResult<PyDeformable> {
        let constraints = constraints.into_iter().map(|c| c.0).collect();
        let body = Deformable::new(positions.points(), &masses.0, constraints, material.0, radius);
        Ok(body.map_err(value_error)?.into())
    }

    fn __len__(&self) -> usize {
        self.lock().len()
    }

    /// Positions of the particles, a copy. What is assigned replaces them.
    #[getter]
    fn get_positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let positions = self.lock().position.clone();
        vectors(py, &positions)
    }

    #[setter]
    fn set_positions(&self, positions: Rows<f64, 3>) -> PyResult<()> {
        replace(&mut self.lock().position, positions.points(), "positions")
    }

    /// Velocities of the particles, a copy. What is assigned replaces them.
    #[getter]
    fn get_velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let velocities = self.lock().velocity.clone();
        vectors(py, &velocities)
    }

    #[setter]
    fn set_velocities(&self, velocities: Rows<f64, 3>) -> PyResult<()> {
        replace(&mut self.lock().velocity, velocities.points(), "velocities")
    }

    /// Inverse masses, zero of particles that are held.
    #[getter]
    fn inverse_masses<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let inverse_masses = self.lock().inverse_mass.clone();
        PyArray1::from_vec(py, inverse_masses)
    }

    #[getter]
    fn constraints(&self) -> Vec<PyConstraint> {
        self.lock().constraints().iter().map(|&c| PyConstraint(c)).collect()
    }

    /// Triangles of the surface, for display.
    #[getter]
    fn surface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let corners = self.lock().surface.as_flattened().to_vec();
        let triangles = corners.len() / 3;
        PyArray1::from_vec(py, corners).reshape([triangles, 3])
    }

    #[getter]
    fn material(&self) -> PyMaterial {
        PyMaterial(*self.lock().material())
    }

    /// How far the surface is from the particles, m.
    #[getter]
    fn get_radius(&self) -> f64 {
        self.lock().radius
    }

    #[setter]
    fn set_radius(&self, radius: f64) -> PyResult<()> {
        if !(radius >= 0.0 && radius.is_finite()) {
            return Err(value_error("radius must be a number that is not negative"));
        }
        self.lock().radius = radius;
        Ok(())
    }

    /// Sum of the masses of particles that move, kg.
    #[getter]
    fn mass(&self) -> f64 {
        self.lock().mass()
    }

    /// Momentum of the particles that move.
    #[getter]
    fn momentum(&self) -> [f64; 3] {
        self.lock().momentum().0
    }

    /// Angular momentum of the particles that move, about the origin.
    #[getter]
    fn angular_momentum(&self) -> [f64; 3] {
        self.lock().angular_momentum().0
    }

    /// Kinetic energy, J.
    #[getter]
    fn kinetic_energy(&self) -> f64 {
        self.lock().kinetic_energy()
    }

    /// Energy of the constraints that have a compliance, J.
    #[getter]
    fn elastic_energy(&self) -> f64 {
        self.lock().elastic_energy()
    }

    /// Holds particles where they are.
    #[pyo3(signature = (*particles))]
    fn pin(&self, particles: Vec<usize>) -> PyResult<()> {
        let mut body = self.lock();
        for particle in particles {
            if !body.pin(particle) {
                let message = format!("there is no particle {particle}: there are {}", body.len());
                return Err(PyIndexError::new_err(message));
            }
        }
        Ok(())
    }

    /// Adds a constraint, such as a plane to lie on.
    fn add_constraint(&self, constraint: PyConstraint) -> PyResult<()> {
        self.lock().constraints.push(constraint.0).map_err(value_error)
    }

    /// Wakes the body. One that was given a velocity wakes by itself.
    fn wake(&self) {
        self.lock().wake();
    }

    /// Particles and constraints of their own, in the same state.
    fn copy(&self) -> PyDeformable {
        self.lock().clone().into()
    }

    fn __repr__(&self) -> String {
        let body = self.lock();
        format!("<{} particles, {} constraints>", body.len(), body.constraints().len())
    }
}

fn replace(old: &mut Vec<Vec3>, new: Vec<Vec3>, what: &str) -> PyResult<()> {
    if new.len() != old.len() {
        let message = format!("{what} must have shape ({}, 3)", old.len());
        return Err(PyValueError::new_err(message));
    }
    if new.iter().any(|x| !x.is_finite()) {
        return Err(PyValueError::new_err(format!("{what} must be finite")));
    }
    *old = new;
    Ok(())
}

/// A body as an object of a class that adds nothing to it but the ways to make one.
fn of_class<C>(class: C, body: Deformable) -> PyClassInitializer<C>
where
    C: pyo3::PyClass<BaseType = PyDeformable>,
{
    PyClassInitializer::from(PyDeformable::from(body)).add_subclass(class)
}

/// A sheet of triangles that resists stretching and bending; with `weave`, the direction of its threads, also shear.
#[pyclass(name = "Cloth", module = "corten.soft", extends = PyDeformable, frozen)]
pub struct PyCloth;

fn woven(cloth: Result<Cloth, SoftError>, weave: Option<Vector<3>>) -> PyResult<Deformable> {
    let cloth = cloth.map_err(value_error)?;
    let cloth = match weave {
        Some(warp) => cloth.woven(warp.vec3()).map_err(value_error)?,
        None => cloth,
    };
    Ok(cloth.body)
}

#[pymethods]
impl PyCloth {
    #[new]
    #[pyo3(signature = (vertices, triangles, thickness, material, weave=None))]
    fn new(
        vertices: Rows<f64, 3>,
        triangles: Rows<i64, 3>,
        thickness: f64,
        material: OfMaterial,
        weave: Option<Vector<3>>,
    ) -> PyResult<PyClassInitializer<PyCloth>> {
        let cloth = Cloth::new(vertices.points(), indices(triangles)?, thickness, material.0);
        Ok(of_class(PyCloth, woven(cloth, weave)?))
    }

    /// A rectangle of `count` vertices along x and y.
    #[staticmethod]
    #[pyo3(signature = (origin, count, spacing, preset, weave=None))]
    fn grid(
        py: Python<'_>,
        origin: Vector<3>,
        count: [usize; 2],
        spacing: f64,
        preset: &str,
        weave: Option<Vector<3>>,
    ) -> PyResult<Py<PyCloth>> {
        let preset = ClothPreset::by_name(preset)
            .ok_or_else(|| unknown("cloth", preset, ClothPreset::ALL.iter().map(|p| p.name)))?;
        let cloth = Cloth::grid(origin.vec3(), count, spacing, &preset);
        Py::new(py, of_class(PyCloth, woven(cloth, weave)?))
    }

    /// Names of the presets.
    #[staticmethod]
    fn presets() -> Vec<&'static str> {
        ClothPreset::ALL.iter().map(|p| p.name).collect()
    }
}

/// A solid of tetrahedra that resists stretching and keeps its volume.
#[pyclass(name = "SoftBody", module = "corten.soft", extends = PyDeformable, frozen)]
pub struct PySoftBody;

fn skinned(body: Result<SoftBody, SoftError>, radius: f64) -> PyResult<Deformable> {
    let body = body.and_then(|body| body.with_radius(radius));
    Ok(body.map_err(value_error)?.body)
}

#[pymethods]
impl PySoftBody {
    #[new]
    #[pyo3(signature = (vertices, tetrahedra, material, radius=0.0))]
    fn new(
        vertices: Rows<f64, 3>,
        tetrahedra: Rows<i64, 4>,
        material: OfMaterial,
        radius: f64,
    ) -> PyResult<PyClassInitializer<PySoftBody>> {
        let body = SoftBody::new(vertices.points(), indices(tetrahedra)?, material.0);
        Ok(of_class(PySoftBody, skinned(body, radius)?))
    }

    /// A box of `count` vertices along the axes; the radius is a fifth of the spacing unless it is given.
    #[staticmethod]
    #[pyo3(signature = (origin, count, spacing, preset, radius=None))]
    fn grid(
        py: Python<'_>,
        origin: Vector<3>,
        count: [usize; 3],
        spacing: f64,
        preset: &str,
        radius: Option<f64>,
    ) -> PyResult<Py<PySoftBody>> {
        let names = SoftBodyPreset::ALL.iter().map(|p| p.name);
        let preset =
            SoftBodyPreset::by_name(preset).ok_or_else(|| unknown("soft body", preset, names))?;
        let body = SoftBody::grid(origin.vec3(), count, spacing, &preset);
        let body = skinned(body, radius.unwrap_or(0.2 * spacing))?;
        Py::new(py, of_class(PySoftBody, body))
    }

    /// Names of the presets.
    #[staticmethod]
    fn presets() -> Vec<&'static str> {
        SoftBodyPreset::ALL.iter().map(|p| p.name).collect()
    }
}

/// Particles in a row with the stiffness of a round rod; `bending` is the part of its bending stiffness that is there.
#[pyclass(name = "CapsuleChain", module = "corten.soft", extends = PyDeformable, frozen)]
pub struct PyCapsuleChain;

fn twisted(chain: Result<CapsuleChain, SoftError>, twist: bool) -> PyResult<Deformable> {
    let chain = chain.map_err(value_error)?;
    let chain = if twist { chain.with_twist().map_err(value_error)? } else { chain };
    Ok(chain.body)
}

#[pymethods]
impl PyCapsuleChain {
    #[new]
    #[pyo3(signature = (points, radius, material, bending=1.0, twist=false))]
    fn new(
        points: Rows<f64, 3>,
        radius: f64,
        material: OfMaterial,
        bending: f64,
        twist: bool,
    ) -> PyResult<PyClassInitializer<PyCapsuleChain>> {
        let chain = CapsuleChain::new(points.points(), radius, material.0, bending);
        Ok(of_class(PyCapsuleChain, twisted(chain, twist)?))
    }

    /// A straight chain of some segments.
    #[staticmethod]
    #[pyo3(signature = (start, end, segments, preset, twist=false))]
    fn straight(
        py: Python<'_>,
        start: Vector<3>,
        end: Vector<3>,
        segments: usize,
        preset: &str,
        twist: bool,
    ) -> PyResult<Py<PyCapsuleChain>> {
        let preset = ChainPreset::by_name(preset)
            .ok_or_else(|| unknown("chain", preset, ChainPreset::ALL.iter().map(|p| p.name)))?;
        let chain = CapsuleChain::preset(start.vec3(), end.vec3(), segments, &preset);
        Py::new(py, of_class(PyCapsuleChain, twisted(chain, twist)?))
    }

    /// Names of the presets.
    #[staticmethod]
    fn presets() -> Vec<&'static str> {
        ChainPreset::ALL.iter().map(|p| p.name).collect()
    }
}

/// Steps bodies by extended position-based dynamics. It has settings and working memory, no state of a body.
#[pyclass(name = "XpbdSolver", module = "corten.soft", frozen)]
pub struct PyXpbdSolver {
    solver: Mutex<XpbdSolver>,
}

impl PyXpbdSolver {
    fn lock(&self) -> MutexGuard<'_, XpbdSolver> {
        self.solver.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyXpbdSolver {
    #[new]
    #[pyo3(signature = (substeps=10, iterations=1, damping=0.0, sleep_speed=0.0, sleep_after=0.5))]
    fn new(
        substeps: usize,
        iterations: usize,
        damping: f64,
        sleep_speed: f64,
        sleep_after: f64,
    ) -> PyXpbdSolver {
        let solver = XpbdSolver::new(substeps).with_iterations(iterations);
        let solver = solver.with_damping(damping).with_sleep(sleep_speed, sleep_after);
        PyXpbdSolver { solver: Mutex::new(solver) }
    }

    /// Advances a body by `count` steps of `dt` seconds.
    #[pyo3(signature = (body, dt, gravity=Vector([0.0, 0.0, -9.81]), count=1))]
    fn step(
        &self,
        py: Python<'_>,
        body: &PyDeformable,
        dt: f64,
        gravity: Vector<3>,
        count: usize,
    ) -> PyResult<()> {
        let gravity = gravity.vec3();
        let mut left = count;
        while left > 0 {
            // Handlers of signals may ask for the body: its lock is free while they run.
            let run = || -> Result<usize, SoftError> {
                let (mut solver, mut body) = (self.lock(), body.lock());
                let begun = Instant::now();
                while left > 0 && begun.elapsed() < PAUSE {
                    solver.step(&mut *body, gravity, dt)?;
                    left -= 1;
                }
                Ok(left)
            };
            left = protect(py, run)?.map_err(value_error)?;
            py.check_signals()?;
        }
        Ok(())
    }

    /// Whether the solver lets the body rest until something wakes it.
    fn is_asleep(&self, py: Python<'_>, body: &PyDeformable) -> PyResult<bool> {
        protect(py, || self.lock().is_asleep(&*body.lock()))
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyMaterial>()?;
    module.add_class::<PyConstraint>()?;
    module.add_class::<PyDeformable>()?;
    module.add_class::<PyCloth>()?;
    module.add_class::<PySoftBody>()?;
    module.add_class::<PyCapsuleChain>()?;
    module.add_class::<PyXpbdSolver>()
}
