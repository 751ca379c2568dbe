//! Deformable bodies: ropes, cloth and solids made of vertices that bodies or nodes carry.
//!
//! Reads poses of bodies; writes `flexvert_xpos flexelem_aabb bvh_aabb_dyn flexedge_length`, rows of
//! the edge Jacobian (`flexedge_J*`), `flexedge_velocity`, and forces of elasticity into
//! `qfrc_spring` and `qfrc_damper`. Answers to `mj_flex` and the parts of `mj_passive` that concern
//! flexes.
//!
//! Rows of the edge Jacobian have few entries at places that are known beforehand (`Plan`), six
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
use corten_model::enums::EnableBit;

pub(crate) use basis::Basis;
pub(crate) use edge::{EdgeRows, act, spring_energy};
pub(crate) use plan::{Carrier, Flex, Plan};

use self::edge::Directions;
use crate::{Data, Model};

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    /// Entries of the edge Jacobian, as in [`Plan::rows`], where they do not follow from directions.
    jacobian: Vec<f64>,
    /// By edge.
    direction: Directions,
    /// By edge: how much longer it is than at rest, in squares.
    elongation: Vec<f64>,
    /// By vertex.
    force: Vec<Vec3>,
    velocity: Vec<Vec3>,
}

impl Memory {
    pub fn new(plan: &Plan) -> Memory {
        let (edges, vertices) = (plan.ends.len(), plan.vertex_body.len());
        let follows = plan.flexes.iter().all(|flex| flex.of_points || !flex.has_edges());
        Memory {
            jacobian: vec![0.0; if follows { 0 } else { plan.rows.len() }],
            direction: Directions::new(edges),
            elongation: vec![0.0; edges],
            force: vec![Vec3::ZERO; vertices],
            velocity: vec![Vec3::ZERO; vertices],
        }
    }
}

/// The node of an interpolated flex that moves a vertex most, among the nodes of all flexes; `None`
/// for other flexes.
pub fn nearest_node(m: &Model, flex: usize, vertex: usize) -> Option<usize> {
    let count = usize::try_from(*m.flex_nodenum.get(flex)?).ok()?;
    let basis = Basis::new(*m.flex_interp.get(flex)?, count)?;
    let first = usize::try_from(m.flex_vertadr[flex]).ok()?;
    let at = *m.flex_vert0.get(first.checked_add(vertex)?)?;
    let (mut best, mut weight) = (None, 0.0);
    for node in 0..count {
        let own = basis.weight(at, node);
        if own > weight {
            (best, weight) = (Some(node), own);
        }
    }
    usize::try_from(m.flex_nodeadr[flex]).ok()?.checked_add(best?)
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

/// Whether the model asks for correct formulas where those of MuJoCo 3.4.0 are questionable.
fn is_textbook(m: &Model) -> bool {
    m.opt.enabled(EnableBit::TextbookFlex)
}

/// Velocity of a point of a body.
fn point_velocity(d: &Data, body: usize, point: Vec3) -> Vec3 {
    let root = d.prepared.structure.bodies[body].root as usize;
    d.cvel[body].velocity_at(point - d.subtree_com[root])
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
