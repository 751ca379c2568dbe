//! Edges: lengths, their Jacobian, and springs and dampers along them.
//!
//! An edge of unit direction u from p to q changes its length at the rate u·(q̇ − ṗ).

use corten_math::Vec3;
use corten_math::array::MapInline;

use super::Memory;
use super::plan::{Flex, Plan};
use crate::chain;
use crate::stage::constraint::is_sparse;
use crate::support::Chains;
use crate::{Data, Model, support};

/// Whether something acts along the edges of a flex; otherwise they have lengths only.
pub(crate) fn act(m: &Model, flex: usize) -> bool {
    m.flex_edgeequality[flex] != 0
        || m.flex_edgedamping[flex] != 0.0
        || m.flex_edgestiffness[flex] != 0.0
        || m.flex_damping[flex] != 0.0
}

/// Rows of the Jacobian of edge lengths by the velocities of dofs.
#[derive(Clone, Copy)]
pub(crate) struct EdgeRows<'a> {
    plan: &'a Plan,
    jacobian: &'a [f64],
}

impl<'a> EdgeRows<'a> {
    pub fn new(plan: &'a Plan, memory: &'a Memory) -> EdgeRows<'a> {
        EdgeRows { plan, jacobian: &memory.jacobian }
    }

    /// Columns and entries.
    #[inline(always)]
    fn row(self, edge: usize) -> (&'a [i32], &'a [f64]) {
        let row = self.plan.rows.range(edge);
        (&self.plan.rows.columns[row.clone()], &self.jacobian[row])
    }

    /// Flexes whose edges have rows.
    fn flexes(self, m: &Model) -> impl Iterator<Item = &'a Flex> {
        self.plan.flexes.iter().filter(|flex| flex.has_edges() && act(m, flex.id))
    }

    /// Calls `visit(edge, columns, entries)` for every row.
    pub fn for_each(self, m: &Model, mut visit: impl FnMut(usize, &[i32], &[f64])) {
        for edge in self.flexes(m).flat_map(|flex| flex.edges.range()) {
            let (columns, entries) = self.row(edge);
            visit(edge, columns, entries);
        }
    }

    /// The same for the edges of one flex that are not rigid.
    pub fn for_each_soft(
        self,
        m: &Model,
        flex: usize,
        mut visit: impl FnMut(usize, &[i32], &[f64]),
    ) {
        for flex in self.flexes(m).filter(|other| other.id == flex) {
            for edge in soft(m, flex) {
                let (columns, entries) = self.row(edge);
                visit(edge, columns, entries);
            }
        }
    }
}

/// Edges whose length can change.
fn soft<'a>(m: &'a Model, flex: &Flex) -> impl Iterator<Item = usize> + 'a {
    flex.edges.range().filter(|&edge| m.flexedge_rigid[edge] == 0)
}

/// `flexedge_length`, and rows of the Jacobian.
pub(super) fn lengths_and_rows(m: &Model, d: &mut Data) {
    let plan = &d.prepared.flexes;
    let chains =
        Chains { structure: &d.prepared.structure, subtree_com: &d.subtree_com, cdof: &d.cdof };
    for flex in plan.flexes.iter().filter(|flex| flex.has_edges()) {
        let acts = act(m, flex.id);
        for edge in flex.edges.range() {
            let ends = plan.ends[edge].map_inline(|v| d.flexvert_xpos[v as usize]);
            let (direction, length) = (ends[1] - ends[0]).normalized();
            d.flexedge_length[edge] = length;
            if acts {
                let row = &mut d.scratch.flex.jacobian[plan.rows.range(edge)];
                fill_row(plan, chains, edge, ends, direction, row);
            }
        }
    }
    if is_sparse(m) {
        publish_pattern(m, d);
    }
}

#[inline(always)]
fn fill_row(
    plan: &Plan,
    chains: Chains<'_>,
    edge: usize,
    ends: [Vec3; 2],
    direction: Vec3,
    row: &mut [f64],
) {
    let range = plan.rows.range(edge);
    let places = plan.rows.columns[range.clone()].iter().zip(&plan.rows.moves[range]);
    if plan.rows.slides[edge] {
        for (x, (&dof, moves)) in row.iter_mut().zip(places) {
            let along = direction.dot(chains.cdof[dof as usize].lin());
            *x = match moves {
                [false, true] => along,
                [true, false] => -along,
                _ => 0.0,
            };
        }
    } else {
        let bodies = plan.ends[edge].map_inline(|v| plan.vertex_body[v as usize] as usize);
        let com =
            bodies.map_inline(|b| chains.subtree_com[chains.structure.bodies[b].root as usize]);
        let offset = [ends[0] - com[0], ends[1] - com[1]];
        for (x, (&dof, &moves)) in row.iter_mut().zip(places) {
            let axis = &chains.cdof[dof as usize];
            *x = chain::motion_difference(axis, offset, moves).dot(direction);
        }
    }
}

/// `flexedge_J_rownnz` and `flexedge_J_rowadr`: rows of one flex after the other, without those
/// that have none.
fn publish_pattern(m: &Model, d: &mut Data) {
    let plan = &d.prepared.flexes;
    let mut start = 0;
    for flex in &plan.flexes {
        let acts = flex.has_edges() && act(m, flex.id);
        for edge in flex.edges.range() {
            let count = if acts { plan.rows.range(edge).len() as i32 } else { 0 };
            d.flexedge_J_rownnz[edge] = count;
            d.flexedge_J_rowadr[edge] = if acts { start } else { 0 };
            start += count;
        }
    }
}

/// `flexedge_velocity`.
pub(super) fn velocities(m: &Model, d: &mut Data) {
    let plan = &d.prepared.flexes;
    for flex in &plan.flexes {
        if !(flex.has_edges() && act(m, flex.id)) {
            d.flexedge_velocity[flex.edges.range()].fill(0.0);
            continue;
        }
        for edge in flex.edges.range() {
            let row = plan.rows.range(edge);
            d.flexedge_velocity[edge] =
                support::times_row(&plan.rows.columns, &d.scratch.flex.jacobian, row, &d.qvel);
        }
    }
}

/// Adds the forces of springs and dampers along edges.
pub(super) fn spring_dampers(m: &Model, d: &mut Data, [springs, dampers]: [bool; 2]) {
    let rows = EdgeRows::new(&d.prepared.flexes, &d.scratch.flex);
    for flex in rows.flexes(m) {
        let stiffness = if springs { m.flex_edgestiffness[flex.id] } else { 0.0 };
        let damping = if dampers { m.flex_edgedamping[flex.id] } else { 0.0 };
        if stiffness == 0.0 && damping == 0.0 {
            continue;
        }
        for edge in soft(m, flex) {
            let spring = stiffness * (m.flexedge_length0[edge] - d.flexedge_length[edge]);
            let damper = -damping * d.flexedge_velocity[edge];
            let (columns, entries) = rows.row(edge);
            for (&dof, &x) in columns.iter().zip(entries) {
                d.qfrc_spring[dof as usize] += x * spring;
                d.qfrc_damper[dof as usize] += x * damper;
            }
        }
    }
}

/// Energy of springs along the edges of ropes; MuJoCo counts no other elasticity.
pub(crate) fn spring_energy(m: &Model, d: &Data) -> f64 {
    let rows = EdgeRows::new(&d.prepared.flexes, &d.scratch.flex);
    let energy = |flex: &Flex| {
        let stiffness = m.flex_edgestiffness[flex.id];
        let stretch = |edge: usize| m.flexedge_length0[edge] - d.flexedge_length[edge];
        soft(m, flex).map(|edge| 0.5 * stiffness * stretch(edge) * stretch(edge)).sum::<f64>()
    };
    rows.flexes(m).filter(|flex| flex.dim == 1).map(energy).sum()
}
