//! Deformable bodies: ropes, cloth and solids made of vertices that bodies or nodes carry.
//!
//! Reads poses of bodies; writes `flexvert_xpos flexelem_aabb bvh_aabb_dyn flexedge_length`, rows of
//! the edge Jacobian (`flexedge_J*`), `flexedge_velocity`, and forces of elasticity into
//! `qfrc_spring` and `qfrc_damper`. Answers to `mj_flex` and the parts of `mj_passive` that concern
//! flexes.
//!
//! Rows of the edge Jacobian have few entries at places that are known beforehand ([`Plan`]), six
//! where both ends slide freely; they are kept in this form, and written out for those who ask
//! ([`for_each_edge_row`]).

mod basis;
mod bending;
mod edge;
mod interpolated;
mod kinematics;
mod plan;
mod stretch;

use corten_math::Vec3;

pub(crate) use edge::{EdgeRows, act, spring_energy};
pub(crate) use plan::Plan;

use self::plan::Carrier;
use crate::{Data, Model};

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    /// Entries of the edge Jacobian, as in [`Plan::rows`].
    jacobian: Vec<f64>,
    /// By edge: how much longer it is than at rest, in squares.
    elongation: Vec<f64>,
    /// By vertex.
    force: Vec<Vec3>,
}

impl Memory {
    pub fn new(plan: &Plan) -> Memory {
        Memory {
            jacobian: vec![0.0; plan.rows.len()],
            elongation: vec![0.0; plan.ends.len()],
            force: vec![Vec3::ZERO; plan.vertex_body.len()],
        }
    }
}

/// Positions of vertices, bounds of elements, lengths of edges and their Jacobian.
pub fn flex(m: &Model, d: &mut Data) {
    if m.nflex > 0 {
        kinematics::vertices(m, d);
        kinematics::bounds(m, d);
        edge::lengths_and_rows(m, d);
    }
}

/// Velocities of edges.
pub fn velocity(m: &Model, d: &mut Data) {
    if m.nflex > 0 {
        edge::velocities(m, d);
    }
}

/// Calls `visit(edge, columns, entries)` for every row of the Jacobian of edge lengths; edges that
/// nothing acts along have none.
pub fn for_each_edge_row(m: &Model, d: &Data, visit: impl FnMut(usize, &[i32], &[f64])) {
    EdgeRows::new(&d.prepared.flexes, &d.scratch.flex).for_each(m, visit);
}

/// Adds forces of elasticity; whether there may be any.
pub(crate) fn passive(m: &Model, d: &mut Data, springs: bool, dampers: bool) -> bool {
    for k in 0..d.prepared.flexes.flexes.len() {
        let flex = &d.prepared.flexes.flexes[k];
        if flex.dim == 1 || flex.rigid {
            continue;
        }
        // MuJoCo looks at the first element.
        let elastic = m.flex_stiffness[flex.elements.range()].first().is_some_and(|k| k[0] != 0.0);
        match flex.carrier {
            Carrier::Bodies => {
                bending::add(m, d, k, [springs, dampers]);
                if elastic {
                    stretch::add(m, d, k);
                }
            }
            Carrier::Nodes(basis) if elastic => {
                interpolated::add(m, d, k, basis, [springs, dampers]);
            }
            Carrier::Nodes(_) => {}
        }
    }
    edge::spring_dampers(m, d, [springs, dampers]);
    m.nflex > 0
}
