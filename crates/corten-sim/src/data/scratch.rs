//! Working memory of the stages, kept in `Data` so that stepping allocates nothing.

use corten_math::memory;
use std::sync::Arc;

use corten_math::array;
use corten_math::{AncestorAxes, Spatial};

use super::budget::{self, Stop};
use crate::prepared::Prepared;
use crate::sleepers::Sleepers;
use crate::solve::{SolverScratch, island::IslandRows, island_threads::Threads};
use crate::stage::constraint::{Constraints, SoftMemory};
use crate::stage::{actuation, collision, flex, sensor, tendon};
use crate::{Model, derivative, integrate, inverse, lanes};

/// One block per stage that needs working memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Sines and cosines of half the angles of hinges.
    pub half_angle: [Vec<f64>; 2],
    /// Axes along the current path of a walk over dofs.
    pub ancestors: AncestorAxes,
    /// Spatial accelerations and forces of the recursive passes, one per body.
    pub body_acc: Vec<Spatial>,
    pub body_frc: Vec<Spatial>,
    /// Vectors over degrees of freedom.
    pub dof: [Vec<f64>; 4],
    /// The acceleration over a step, from which velocities follow.
    pub step_acc: Vec<f64>,
    pub runge_kutta: integrate::Scratch,
    pub derivative: derivative::Scratch,
    pub inverse: inverse::Scratch,
    pub sleepers: Sleepers,
    pub tendons: tendon::Scratch,
    pub flex: flex::Scratch,
    pub soft: SoftMemory,
    /// One number per dof, zero between uses.
    pub transmission: Vec<f64>,
    pub actuation: actuation::Scratch,
    pub collision: collision::Scratch,
    pub contact_sensor: sensor::Scratch,
    /// Constraint rows, by constraint and by island; shared with the threads that solve islands.
    pub constraint: Arc<Constraints>,
    pub islands: Arc<IslandRows>,
    pub solver: SolverScratch,
    /// Threads that solve islands.
    pub threads: Threads,
    /// What ended the step before it was done.
    pub stop: Option<Stop>,
    /// Memory that contacts and rows have been found to have.
    pub proven_bytes: usize,
    /// Worlds that step side by side with this one.
    pub lane_group: lanes::KeptGroup,
}

impl Scratch {
    /// Forgets what stages keep from step to step, after one of them has not come to its end: the next pass makes it
    /// anew. The state at the beginning of the step stays, and so does memory whose size follows from the model.
    pub fn forget(&mut self) {
        let kept = std::mem::take(self);
        *self = Scratch {
            half_angle: kept.half_angle,
            ancestors: kept.ancestors,
            body_acc: kept.body_acc,
            body_frc: kept.body_frc,
            dof: kept.dof,
            step_acc: kept.step_acc,
            transmission: kept.transmission,
            flex: kept.flex,
            runge_kutta: kept.runge_kutta,
            threads: kept.threads.clone(),
            proven_bytes: kept.proven_bytes,
            ..Scratch::default()
        };
        self.transmission.fill(0.0);
    }

    pub fn new(m: &Model, prepared: &Prepared) -> Scratch {
        let structure = &prepared.structure;
        Scratch {
            islands: Arc::default(),
            ancestors: AncestorAxes::new(structure.mass.width()),
            sleepers: Sleepers::default(),
            tendons: tendon::Scratch::default(),
            flex: flex::Scratch::new(m, &prepared.flexes),
            soft: SoftMemory::default(),
            half_angle: array::from_fn(|_| memory::zeroed(structure.hinges.len())),
            body_acc: memory::zeroed(m.nbody),
            body_frc: memory::zeroed(m.nbody),
            dof: array::from_fn(|_| memory::zeroed(m.nv)),
            step_acc: memory::zeroed(m.nv),
            runge_kutta: integrate::Scratch::default(),
            derivative: derivative::Scratch::default(),
            inverse: inverse::Scratch::default(),
            transmission: memory::zeroed(m.nv),
            actuation: actuation::Scratch::default(),
            collision: collision::Scratch::default(),
            contact_sensor: sensor::Scratch::default(),
            constraint: Arc::default(),
            solver: SolverScratch::default(),
            threads: Threads::default(),
            stop: None,
            proven_bytes: budget::SMALL,
            lane_group: lanes::KeptGroup::default(),
        }
    }
}
