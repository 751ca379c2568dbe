//! The element that is farthest from its shape at rest: where a flex that goes bad goes bad first.

use corten_math::MIN_VAL;

use super::plan::{Carrier, Flex, Plan};
use crate::{Data, Model};

/// The flex that has a vertex or a node on a body, and among the elements that the body moves the one
/// whose edges differ most from their lengths at rest; the first of several.
pub(crate) fn worst_element(m: &Model, d: &Data, body: usize) -> Option<(usize, usize)> {
    let plan = &d.prepared.flexes;
    let body = body as u32;
    let carries = |flex: &&Flex| match flex.carrier {
        Carrier::Bodies => plan.vertex_body[flex.vertices.range()].contains(&body),
        Carrier::Nodes(_) => plan.node_body[flex.nodes.range()].contains(&body),
    };
    let flex = plan.flexes.iter().find(carries)?;
    let corners = plan.corners[flex.corners.range()].chunks_exact(flex.dim + 1);
    let moved = corners.enumerate().filter(|(_, corners)| {
        flex.carrier != Carrier::Bodies
            || corners.iter().any(|&v| plan.vertex_body[v as usize] == body)
    });
    let mut worst: Option<(usize, f64)> = None;
    for (element, _) in moved {
        let distortion = distortion(m, d, plan, flex, element);
        if worst.is_none_or(|(_, most)| distortion > most) {
            worst = Some((element, distortion));
        }
    }
    worst.map(|(element, _)| (flex.id, element))
}

/// The largest relative change of length among the edges of an element; infinite if it has none that is
/// a number.
fn distortion(m: &Model, d: &Data, plan: &Plan, flex: &Flex, element: usize) -> f64 {
    let edges = &plan.element_edges[flex.element_edges.range()];
    let count = edges.len() / flex.elements.range().len().max(1);
    let edges = &edges[element * count..][..count];
    let change = edges.iter().map(|&edge| {
        let [p, q] = plan.ends[edge as usize].map(|v| d.flexvert_xpos[v as usize]);
        let rest = m.flexedge_length0[edge as usize];
        let change = ((q - p).norm() - rest).abs() / rest.max(MIN_VAL);
        if change.is_nan() { f64::INFINITY } else { change }
    });
    change.fold(0.0, f64::max)
}
