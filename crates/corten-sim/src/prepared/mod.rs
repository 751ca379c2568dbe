//! What follows from the structure of a model: made once, and shared by all of its data.
//!
//! Structure is what says which objects there are and how they hang together: types, addresses,
//! parents, masks. Parameters, such as masses, sizes and gains, are read from the model where they
//! are needed. [`crate::Model::prepared`] tells what is current; data hold on to it
//! ([`crate::Data::bind`]), so that a model that is changed in the middle of a step keeps its
//! structure until the next one.

pub(crate) mod attached;
mod inputs;
mod pool;
pub(crate) mod span;
pub(crate) mod structure;

use std::sync::OnceLock;

use corten_model::ModelArrays;

pub(crate) use inputs::{Inputs, Which};
pub(crate) use pool::Pool;

use self::structure::Structure;
use crate::Model;
use crate::data::budget;
use crate::solve::Conjugate;
use crate::stage::collision::{Admitted, Search, SharedHulls};
use crate::stage::constraint::{Compliant, Softs};
use crate::stage::{actuation, flex, sensor, tendon, transmission};

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    /// What all of this was made from.
    pub inputs: Inputs,
    pub structure: Structure,
    /// Paths of tendons and the sparsity of their Jacobian.
    pub tendons: tendon::Pattern,
    pub transmissions: transmission::Runs,
    pub flexes: flex::Plan,
    pub actuators: actuation::Kinds,
    pub sensors: sensor::Plan,
    /// Contacts by stiffness and dissipation.
    pub compliant: Compliant,
    /// Bodies of particles.
    pub softs: Softs,
    /// Made when contacts are looked for.
    admitted: OnceLock<Admitted>,
    pub hulls: SharedHulls,
    pub pools: Pools,
    /// The most bytes that a contact with its rows can take.
    pub contact_cost: usize,
}

/// Working memory that data take while they use it.
#[derive(Debug, Default)]
pub(crate) struct Pools {
    pub search: Pool<Search>,
    pub conjugate: Pool<Conjugate>,
}

impl Prepared {
    /// What follows from a model that may have been another one before.
    pub fn new(m: &ModelArrays, old: Option<&Prepared>) -> Prepared {
        let structure = Structure::new(m);
        Prepared {
            inputs: Inputs::new(m),
            tendons: tendon::Pattern::new(m, &structure),
            transmissions: transmission::Runs::new(m, &structure),
            flexes: flex::Plan::new(m, &structure),
            actuators: actuation::Kinds::new(m),
            sensors: sensor::Plan::new(m),
            compliant: Compliant::new(m),
            softs: Softs::new(m),
            contact_cost: budget::largest_cost(m, &structure),
            structure,
            admitted: OnceLock::new(),
            hulls: old.map_or_else(SharedHulls::default, |old| SharedHulls::after(&old.hulls)),
            pools: Pools::default(),
        }
    }

    /// The pairs of geoms that may touch.
    #[inline]
    pub fn admitted(&self, m: &Model) -> &Admitted {
        self.admitted.get_or_init(|| Admitted::new(m))
    }

    /// Whether working memory of data that use this also fits another one.
    pub fn has_layout_of(&self, other: &Prepared) -> bool {
        self.structure == other.structure && self.inputs.dof_treeid == other.inputs.dof_treeid
    }
}
