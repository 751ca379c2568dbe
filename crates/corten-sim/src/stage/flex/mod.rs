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
mod distortion;
mod edge;
mod interpolated;
mod kinematics;
mod law;
mod plan;
mod stretch;

use corten_math::memory;
use corten_math::{Number, Vec3, Wide};
use corten_model::enums::EnableBit;

pub(crate) use basis::Basis;
pub(crate) use bending::{cotangent_product, volume_gradient};
pub(crate) use distortion::worst_element;
pub(crate) use edge::{EdgeRows, act, add_damping, spring_energy};
pub(crate) use kinematics::Frames;
pub(crate) use law::{bend_by, strain_by};
pub(crate) use plan::{Carrier, Flex, Plan, material};
pub(crate) use stretch::{ends_of_edges, symmetric_product};

use self::edge::Directions;
use self::plan::PointVertex;
use crate::extend::flex::{BridsonBending, FlexBendingType, FlexElasticityType, NeoHookean};
use crate::{Data, Model};

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Entries of the edge Jacobian, as in [`Plan::rows`], where they do not follow from directions.
    jacobian: Vec<f64>,
    /// By edge.
    direction: Directions,
    /// By edge: how much longer it is than at rest, in squares.
    elongation: Vec<f64>,
    /// By edge: the force that a spring or damper pushes its ends apart with.
    push: Vec<f64>,
    /// By vertex: vectors, filled up with a zero, so that they are loaded as one.
    position: Vec<Padded>,
    velocity: Vec<Padded>,
    force: Vec<Padded>,
    /// By vertex: sums of dyads, the upper triangle row by row.
    dyads: Vec<[Padded; 2]>,
    /// By node of the hierarchies of all flexes: lowest and highest corner.
    corners: Vec<[Padded; 2]>,
    law: law::Scratch,
}

/// A vector and a zero.
type Padded = [f64; 4];

/// Vectors for as many lanes as `T` has.
#[inline(always)]
fn gather<T: Number>(of: &[Padded], at: impl Fn(usize) -> usize) -> Vec3<T> {
    let [x, y, z, _] = T::from_records(|lane| of[at(lane)]);
    Vec3([x, y, z])
}

/// Adds forces on vertices that are points, times a sign, to those on their degrees of freedom.
#[inline(always)]
fn add_to_points<'a>(
    forces: impl Iterator<Item = (&'a PointVertex, &'a Padded)>,
    sign: f64,
    qfrc: &mut [f64],
) {
    for (point, force) in forces {
        if let Some(dofs) = point.dofs()
            && let Some(qfrc) = qfrc[dofs].first_chunk_mut::<3>()
        {
            for axis in 0..3 {
                qfrc[axis] += sign * force[axis];
            }
        }
    }
}

/// Adds vectors in lanes to the forces on vertices, of which `count` lanes have one.
#[inline(always)]
fn scatter<S: Wide>(
    vector: Vec3<S>,
    vertex: impl Fn(usize) -> usize,
    count: usize,
    force: &mut [Padded],
) {
    let [x, y, z] = vector.0;
    let rows = S::transposed([x, y, z, S::splat(0.0)]);
    for k in 0..count {
        let sum = &mut force[vertex(k)];
        *sum = (S::load(*sum) + rows[k]).store();
    }
}

impl Scratch {
    pub fn new(m: &Model, plan: &Plan) -> Scratch {
        let (edges, vertices) = (plan.ends.len(), plan.vertex_body.len());
        let follows = plan.flexes.iter().all(|flex| flex.of_points || !flex.has_edges());
        Scratch {
            jacobian: memory::zeroed(if follows { 0 } else { plan.rows.len() }),
            direction: Directions::new(edges),
            elongation: memory::zeroed(edges),
            push: memory::zeroed(edges),
            position: memory::zeroed(vertices),
            velocity: memory::zeroed(vertices),
            force: memory::zeroed(vertices),
            dyads: memory::filled([[0.0; 4]; 2], vertices),
            corners: memory::filled([[0.0; 4]; 2], if m.nflex > 0 { m.nbvhdynamic } else { 0 }),
            law: law::Scratch::default(),
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

/// Whether elastic forces are those at the end of a step.
pub(crate) fn is_implicit(m: &Model) -> bool {
    m.opt.enabled(EnableBit::ImplicitFlex)
}

/// Whether strain causes forces. MuJoCo looks at the first element.
pub(crate) fn is_elastic(m: &Model, flex: &Flex) -> bool {
    m.flex_stiffness[flex.elements.range()].first().is_some_and(|k| k[0] != 0.0)
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
        let elastic = is_elastic(m, flex);
        match flex.carrier {
            Carrier::Bodies => {
                bend(m, d, k, [springs, dampers]);
                strain(m, d, k, elastic, springs);
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

/// Whether a flex bends, or is strained, by MuJoCo's law.
pub(crate) fn has_mujoco_laws(m: &Model, flex: &Flex) -> [bool; 2] {
    let own = m.extensions().laws();
    let bends = flex.bending_law.is_empty() && own.is_none_or(|own| own.bending(flex.id).is_none());
    let strained =
        flex.elasticity_law.is_empty() && own.is_none_or(|own| own.elasticity(flex.id).is_none());
    [bends, strained]
}

/// Forces of hinges, by the law of the flex.
fn bend(m: &Model, d: &mut Data, flex: usize, which: [bool; 2]) {
    let of = &d.prepared.flexes.flexes[flex];
    if let Some(own) = m.extensions().laws().and_then(|laws| laws.bending(of.id)) {
        return own.add(m, d, flex, which);
    }
    let own = of.bending_law.range();
    match FlexBendingType::from_raw(m.flex_bending_model[of.id]) {
        Some(FlexBendingType::Bridson) if !own.is_empty() => {
            let prepared = d.prepared.clone();
            bend_by(&BridsonBending, &prepared.flexes.bending_law[own], m, d, flex, which);
        }
        _ => bending::add(m, d, flex, which),
    }
}

/// Forces of elements, by the law of the flex.
fn strain(m: &Model, d: &mut Data, flex: usize, elastic: bool, springs: bool) {
    let of = &d.prepared.flexes.flexes[flex];
    if let Some(own) = m.extensions().laws().and_then(|laws| laws.elasticity(of.id)) {
        if springs {
            own.add(m, d, flex);
        }
        return;
    }
    if !elastic {
        return;
    }
    let own = of.elasticity_law.range();
    match FlexElasticityType::from_raw(m.flex_elasticity_model[of.id]) {
        Some(FlexElasticityType::NeoHookean) if !own.is_empty() => {
            if springs {
                let prepared = d.prepared.clone();
                let coefficients = &prepared.flexes.elasticity_law[own];
                strain_by(&NeoHookean::default(), coefficients, m, d, flex);
            }
        }
        _ => stretch::add(m, d, flex),
    }
}
