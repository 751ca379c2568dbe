//! Bodies of particles as parts of a model.
//!
//! A particle becomes a body that slides along three axes and carries a sphere, so that contacts, state, copies, files and batches have it like any
//! other; a particle that is held becomes a body without joints. The constraints between them are a `numeric` of a reserved name, and the
//! particles a `tuple` of the same name.

use corten_math::Vec3;
use corten_soft::{Constraint, ConstraintSet, DeformableBody};

use crate::ModelArrays;
use crate::enums::{GeomType, JointType, ObjType};
use crate::spec::{Body, Geom, Joint, Key, Numeric, Source, Spec, Tuple};

/// What the names of the reserved elements begin with.
pub const SOFT_PREFIX: &str = "cortenforge:soft:";
/// Group of the spheres.
const GROUP: i32 = 4;
/// Numbers ahead of the constraints: relaxation time.
const HEADER: usize = 1;
/// Numbers per constraint.
const STRIDE: usize = 10;
/// Least inertia of a particle, kg m²: the compiler refuses bodies below 1e-15. A strand of hair has less by its mass and radius; particles do not
/// turn, so that it has no part in their motion.
const LEAST_INERTIA: f64 = 1e-14;

/// Why a body cannot become a part of a model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RegisterError {
    #[error("a deformable body needs a name")]
    NoName,
    #[error("there is a deformable body named '{0}' already")]
    NameTaken(String),
    #[error("the model has no such parent body")]
    NoParent,
    #[error("a deformable body needs a radius above zero: particles touch by spheres")]
    NoRadius,
    #[error(transparent)]
    Soft(#[from] corten_soft::SoftError),
}

impl Spec {
    /// Adds a body of particles to a body of the model, usually [`Spec::WORLD`]: positions are in its frame. Particles are named `NAME_0`, `NAME_1`, …
    /// Collision constraints are left out: contacts take their place.
    pub fn register_deformable(
        &mut self,
        parent: Key<Body>,
        name: &str,
        body: &dyn DeformableBody,
    ) -> Result<(), RegisterError> {
        self.register_deformable_at(parent, name, body, Source::NONE)
    }

    pub(crate) fn register_deformable_at(
        &mut self,
        parent: Key<Body>,
        name: &str,
        body: &dyn DeformableBody,
        source: Source,
    ) -> Result<(), RegisterError> {
        let reserved = format!("{SOFT_PREFIX}{name}");
        if name.is_empty() {
            return Err(RegisterError::NoName);
        }
        if self.numerics.values().any(|numeric| numeric.name == reserved) {
            return Err(RegisterError::NameTaken(name.to_owned()));
        }
        if self.bodies.get(parent).is_none() {
            return Err(RegisterError::NoParent);
        }
        body.deformable().check()?;
        if !(body.radius() > 0.0) {
            return Err(RegisterError::NoRadius);
        }
        let mut objname = Vec::with_capacity(body.len());
        for (i, (&pos, &w)) in body.positions().iter().zip(body.inverse_masses()).enumerate() {
            let particle = format!("{name}_{i}");
            self.add_particle(parent, &particle, pos, w, body, source);
            objname.push(particle);
        }
        let mut data = vec![body.material().damping];
        for constraint in body.constraints() {
            data.extend(constraint.to_numbers().into_iter().flatten());
        }
        let count = objname.len();
        self.numerics.insert(Numeric {
            name: reserved.clone(),
            source,
            data,
            ..Numeric::default()
        });
        self.tuples.insert(Tuple {
            name: reserved,
            source,
            objtype: vec![ObjType::Body; count],
            objname,
            objprm: vec![0.0; count],
            ..Tuple::default()
        });
        Ok(())
    }

    fn add_particle(
        &mut self,
        parent: Key<Body>,
        name: &str,
        pos: Vec3,
        inverse_mass: f64,
        of: &dyn DeformableBody,
        source: Source,
    ) {
        let moves = inverse_mass > 0.0;
        let mass = if moves { 1.0 / inverse_mass } else { 0.0 };
        let key = self.bodies.insert(Body {
            name: name.to_owned(),
            parent: Some(parent),
            source,
            pos,
            ipos: moves.then_some(Vec3::ZERO),
            mass,
            // It does not turn.
            inertia: Vec3::splat((mass * of.radius() * of.radius()).max(LEAST_INERTIA)),
            explicitinertial: moves,
            ..Body::default()
        });
        self.bodies[parent].bodies.push(key);
        let friction = Vec3::new(of.material().friction, 0.005, 0.0001);
        // Touches what has the usual `contype`, and no other particle.
        let geom = self.geoms.insert(Geom {
            body: Some(key),
            source,
            type_: GeomType::Sphere,
            size: Vec3::new(of.radius(), 0.0, 0.0),
            contype: 0,
            mass: Some(0.0),
            group: GROUP,
            friction,
            ..Geom::default()
        });
        self.bodies[key].geoms.push(geom);
        for axis in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().filter(|_| moves) {
            let joint = self.joints.insert(Joint {
                body: Some(key),
                source,
                type_: JointType::Slide,
                axis,
                ..Joint::default()
            });
            self.bodies[key].joints.push(joint);
        }
    }
}

/// A body of particles in a compiled model.
#[derive(Clone, Debug, PartialEq)]
pub struct SoftPlan {
    /// Its name.
    pub name: String,
    /// Bodies of the particles.
    pub bodies: Vec<u32>,
    /// What holds them together.
    pub constraints: ConstraintSet,
    /// Relaxation time, s.
    pub damping: f64,
}

impl ModelArrays {
    /// The bodies of particles of the model; one whose numbers make no sense is left out.
    pub fn soft_bodies(&self) -> Vec<SoftPlan> {
        (0..self.nnumeric).filter_map(|i| self.soft_body(i)).collect()
    }

    pub(crate) fn soft_body(&self, numeric: usize) -> Option<SoftPlan> {
        let full = self.object_names.name(ObjType::Numeric, numeric)?;
        let at = full.find(SOFT_PREFIX)?;
        let tuple =
            (0..self.ntuple).find(|&t| self.object_names.name(ObjType::Tuple, t) == Some(full))?;
        let range = |start: i32, count: i32, len: usize| {
            let (start, count) = (usize::try_from(start).ok()?, usize::try_from(count).ok()?);
            Some(start..start.checked_add(count).filter(|&end| end <= len)?)
        };
        let ids = range(self.tuple_adr[tuple], self.tuple_size[tuple], self.tuple_objid.len())?;
        let body = |&id: &i32| usize::try_from(id).ok().filter(|&id| id < self.nbody);
        let bodies: Option<Vec<u32>> =
            self.tuple_objid[ids].iter().map(|id| body(id).map(|id| id as u32)).collect();
        let bodies = bodies?;
        let (start, size) = (self.numeric_adr[numeric], self.numeric_size[numeric]);
        let data = &self.numeric_data[range(start, size, self.numeric_data.len())?];
        let (header, rest) = data.split_at_checked(HEADER)?;
        let (rows, over) = rest.as_chunks::<STRIDE>();
        let constraints: Option<Vec<Constraint>> =
            rows.iter().map(Constraint::from_numbers).collect();
        let constraints = ConstraintSet::new(bodies.len(), constraints?).ok()?;
        let damping = header.first().copied().filter(|x| *x >= 0.0)?;
        let name = full[..at].to_owned() + &full[at + SOFT_PREFIX.len()..];
        over.is_empty().then_some(SoftPlan { name, bodies, constraints, damping })
    }
}
