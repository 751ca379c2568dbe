use std::sync::Arc;

use super::contact::ContactSolver;
use super::flex::{ElementCoefficients, FlexBendingModel, FlexElasticityModel, HingeCoefficients};
use crate::stage::flex::{self, material};
use crate::{Data, Model};

/// Laws of the user's own: of flexes, and of constraints.
#[derive(Clone, Default)]
pub(crate) struct Laws {
    /// By flex, as far as there are any.
    bending: Vec<Option<Arc<dyn BendingOfFlex>>>,
    elasticity: Vec<Option<Arc<dyn ElasticityOfFlex>>>,
    pub solver: Option<Arc<dyn ContactSolver>>,
}

/// A law of bending with the coefficients of a flex. The call through the table is one per flex and step: what it leads to is compiled for the law.
pub(crate) trait BendingOfFlex: Send + Sync {
    fn add(&self, m: &Model, d: &mut Data, flex: usize, which: [bool; 2]);
}

/// A law of elasticity with the coefficients of a flex.
pub(crate) trait ElasticityOfFlex: Send + Sync {
    fn add(&self, m: &Model, d: &mut Data, flex: usize);
}

struct Coefficients<L, C> {
    law: L,
    coefficients: Vec<C>,
}

impl<B: FlexBendingModel> BendingOfFlex for Coefficients<B, HingeCoefficients> {
    fn add(&self, m: &Model, d: &mut Data, flex: usize, which: [bool; 2]) {
        if self.coefficients.len() == d.prepared.flexes.flexes[flex].hinges.range().len() {
            flex::bend_by(&self.law, &self.coefficients, m, d, flex, which);
        }
    }
}

impl<E: FlexElasticityModel> ElasticityOfFlex for Coefficients<E, ElementCoefficients> {
    fn add(&self, m: &Model, d: &mut Data, flex: usize) {
        if self.coefficients.len() == d.prepared.flexes.flexes[flex].elements.range().len() {
            flex::strain_by(&self.law, &self.coefficients, m, d, flex);
        }
    }
}

/// The model has no flex of that number whose vertices move on their own and that has hinges or elements for a law to act upon.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("flex {flex} has no {what}: the model has {count} flexes")]
pub struct NoSuchFlex {
    flex: usize,
    what: &'static str,
    count: usize,
}

impl Laws {
    pub fn bending(&self, flex: usize) -> Option<&dyn BendingOfFlex> {
        self.bending.get(flex)?.as_deref()
    }

    pub fn elasticity(&self, flex: usize) -> Option<&dyn ElasticityOfFlex> {
        self.elasticity.get(flex)?.as_deref()
    }
}

fn put<T: ?Sized>(list: &mut Vec<Option<Arc<T>>>, at: usize, value: Arc<T>) {
    if list.len() <= at {
        list.resize_with(at + 1, || None);
    }
    list[at] = Some(value);
}

impl Model {
    /// Lets a flex resist bending by a law of the user's own, made for its rest shape and material. The law goes with the model and its copies, not
    /// into files.
    pub fn set_flex_bending(
        &mut self,
        flex: usize,
        law: impl FlexBendingModel + 'static,
    ) -> Result<(), NoSuchFlex> {
        let plan = &self.prepared().flexes;
        let of = plan.flexes.iter().find(|of| of.id == flex && !of.hinges.range().is_empty());
        let none = NoSuchFlex { flex, what: "hinges", count: self.nflex };
        let material = of.map(|of| material(self, of.id)).ok_or_else(|| none.clone())?;
        let hinges = &plan.hinges[of.ok_or(none)?.hinges.range()];
        let rest = |v: u32| self.flex_rest[v as usize];
        let coefficients =
            hinges.iter().map(|h| law.precompute(&h.vertices.map(rest), &material)).collect();
        let own = Arc::new(Coefficients { law, coefficients });
        self.change_laws(|laws| put(&mut laws.bending, flex, own));
        Ok(())
    }

    /// The same for the resistance to strain.
    pub fn set_flex_elasticity(
        &mut self,
        flex: usize,
        law: impl FlexElasticityModel + 'static,
    ) -> Result<(), NoSuchFlex> {
        let plan = &self.prepared().flexes;
        let fits = |id: usize, dim: usize, edges: bool| id == flex && dim > 1 && edges;
        let of = plan.flexes.iter().find(|of| fits(of.id, of.dim, of.has_edges()));
        let Some(of) = of else {
            return Err(NoSuchFlex { flex, what: "triangles or tetrahedra", count: self.nflex });
        };
        let material = material(self, of.id);
        let elements = plan.corners[of.corners.range()].chunks_exact(of.dim + 1);
        let mut rest = Vec::new();
        let coefficients = elements.map(|element| {
            rest.clear();
            rest.extend(element.iter().map(|&v| self.flex_rest[v as usize]));
            law.precompute(&rest, &material)
        });
        let coefficients = coefficients.collect();
        let own = Arc::new(Coefficients { law, coefficients });
        self.change_laws(|laws| put(&mut laws.elasticity, flex, own));
        Ok(())
    }

    /// Solves constraints with a solver of the user's own in place of that of the options. It goes with the model and its copies, not into files.
    pub fn set_contact_solver(&mut self, solver: impl ContactSolver + 'static) {
        self.change_laws(|laws| laws.solver = Some(Arc::new(solver)));
    }

    /// Takes all laws of the user's own away.
    pub fn clear_laws(&mut self) {
        self.change_laws(|laws| *laws = Laws::default());
    }
}
