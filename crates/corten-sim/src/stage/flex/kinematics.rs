//! Where vertices are, and boxes around elements.

use std::ops::Range;

use corten_math::array::MapInline;
use corten_math::{Mat3, Vec3, Wide, wide};
use corten_model::enums::DisableBit;

use super::Padded;
use super::basis::MAX_NODES;
use super::plan::{Carrier, Flex, Plan};
use crate::{Data, Model};

/// Frames of bodies.
#[derive(Clone, Copy)]
pub(crate) struct Frames<'a> {
    pub xpos: &'a [Vec3],
    pub xmat: &'a [Mat3],
}

impl Frames<'_> {
    /// A point of a body, which may be its origin.
    #[inline(always)]
    fn point(self, body: u32, local: Vec3, centered: bool) -> Vec3 {
        let body = body as usize;
        if centered { self.xpos[body] } else { self.xmat[body] * local + self.xpos[body] }
    }

    /// Positions of the nodes of a flex.
    pub fn nodes(self, m: &Model, plan: &Plan, flex: &Flex) -> [Vec3; MAX_NODES] {
        let mut positions = [Vec3::ZERO; MAX_NODES];
        for (x, node) in positions.iter_mut().zip(flex.nodes.range()) {
            *x = self.point(plan.node_body[node], m.flex_node[node], flex.centered);
        }
        positions
    }
}

/// `flexvert_xpos`.
pub(super) fn vertices(m: &Model, d: &mut Data) {
    let plan = &d.prepared.flexes;
    let memory = &mut d.scratch.flex;
    let frames = Frames { xpos: &d.xpos, xmat: &d.xmat };
    for flex in &plan.flexes {
        match flex.carrier {
            Carrier::Bodies => {
                for v in flex.vertices.range() {
                    let x = frames.point(plan.vertex_body[v], m.flex_vert[v], flex.centered);
                    d.flexvert_xpos[v] = x;
                    memory.position[v] = [x[0], x[1], x[2], 0.0];
                }
            }
            Carrier::Nodes(basis) => {
                let nodes = frames.nodes(m, plan, flex);
                let nodes = &nodes[..basis.nodes()];
                let position = &mut memory.position[flex.vertices.range()];
                interpolate(nodes, &plan.weights[flex.weights.range()], position);
                let positions = d.flexvert_xpos[flex.vertices.range()].iter_mut();
                for (x, &[a, b, c, _]) in positions.zip(&*position) {
                    *x = Vec3([a, b, c]);
                }
            }
        }
    }
}

/// `flexelem_aabb`, and `bvh_aabb_dyn` if it is used.
pub(super) fn bounds(m: &Model, d: &mut Data) {
    let plan = &d.prepared.flexes;
    let memory = &mut d.scratch.flex;
    let hierarchies = !m.opt.disabled(DisableBit::MidPhase);
    for flex in &plan.flexes {
        let radius = m.flex_radius[flex.id];
        let corners = &plan.corners[flex.corners.range()];
        let bounds = &mut d.flexelem_aabb[flex.elements.range()];
        element_bounds(flex.dim + 1, corners, &memory.position, radius, bounds);
        if hierarchies && let Some(tree) = hierarchy(m, flex) {
            let moving = tree.start.checked_sub(m.nbvhstatic).map(|at| at..at + tree.len());
            if let Some(range) = moving
                && let Some(boxes) = d.bvh_aabb_dyn.get_mut(range.clone())
                && let Some(ends) = memory.corners.get_mut(range)
            {
                let (nodes, children) = (&m.bvh_nodeid[tree.clone()], &m.bvh_child[tree]);
                refit(nodes, children, bounds, ends, boxes);
            }
        }
    }
}

/// The nodes of a flex's hierarchy.
fn hierarchy(m: &Model, flex: &Flex) -> Option<Range<usize>> {
    let first = usize::try_from(m.flex_bvhadr[flex.id]).ok()?;
    let count = usize::try_from(m.flex_bvhnum[flex.id]).ok()?;
    let end = first.checked_add(count).filter(|&end| end <= m.bvh_nodeid.len())?;
    Some(first..end)
}

wide! {
    /// Positions of vertices, sums of nodes by weights.
    fn interpolate(nodes: &[Vec3], weights: &[[f64; 4]], position: &mut [Padded]) {
        let fours = position.len().div_ceil(4);
        for (k, four) in position.chunks_mut(4).enumerate() {
            let mut sum = [Simd::splat(0.0); 3];
            for (n, node) in nodes.iter().enumerate() {
                let weight = Simd::load(weights[n * fours + k]);
                for axis in 0..3 {
                    sum[axis] += Simd::splat(node[axis]) * weight;
                }
            }
            let [x, y, z] = sum;
            let rows = Simd::transposed([x, y, z, Simd::splat(0.0)]);
            for (k, x) in four.iter_mut().enumerate() {
                *x = rows[k].store();
            }
        }
    }

    /// Boxes around elements that have so many corners each, wider by a radius.
    fn element_bounds(
        size: usize,
        corners: &[u32],
        position: &[Padded],
        radius: f64,
        bounds: &mut [[f64; 6]],
    ) {
        match size {
            2 => element_boxes::<Simd, 2>(corners.as_chunks().0, position, radius, bounds),
            3 => element_boxes::<Simd, 3>(corners.as_chunks().0, position, radius, bounds),
            _ => element_boxes::<Simd, 4>(corners.as_chunks().0, position, radius, bounds),
        }
    }

    /// Fits the boxes of a hierarchy, whose parents come before their children. `ends` holds their
    /// lowest and highest corners.
    fn refit(
        nodes: &[i32],
        children: &[[i32; 2]],
        elements: &[[f64; 6]],
        ends: &mut [[Padded; 2]],
        boxes: &mut [[f64; 6]],
    ) {
        for i in (0..boxes.len()).rev() {
            let (centre, half);
            if let Ok(element) = usize::try_from(nodes[i]) {
                let Some(bounds) = elements.get(element) else { continue };
                boxes[i] = *bounds;
                let [a, b, c, x, y, z] = *bounds;
                (centre, half) = (Simd::load([a, b, c, 0.0]), Simd::load([x, y, z, 0.0]));
            } else {
                let [a, b] = children[i].map_inline(|c| ends.get(c as usize).copied());
                let (Some([low_a, high_a]), Some([low_b, high_b])) = (a, b) else { continue };
                let low = Simd::load(low_a).min(Simd::load(low_b));
                let high = Simd::load(high_a).max(Simd::load(high_b));
                (centre, half) = centre_and_size(low, high);
                boxes[i] = side_by_side(centre, half);
            }
            ends[i] = [(centre - half).store(), (centre + half).store()];
        }
    }
}

#[inline(always)]
fn element_boxes<S: Wide, const N: usize>(
    corners: &[[u32; N]],
    position: &[Padded],
    radius: f64,
    bounds: &mut [[f64; 6]],
) {
    let radius = S::splat(radius);
    for (bounds, corners) in bounds.iter_mut().zip(corners) {
        let first = S::load(position[corners[0] as usize]);
        let (mut low, mut high) = (first, first);
        for c in 1..N {
            let x = S::load(position[corners[c] as usize]);
            low = low.min(x);
            high = high.max(x);
        }
        let (centre, half) = centre_and_size(low, high);
        *bounds = side_by_side(centre, half + radius);
    }
}

#[inline(always)]
fn centre_and_size<S: Wide>(low: S, high: S) -> (S, S) {
    let half = S::splat(0.5);
    ((high + low) * half, (high - low) * half)
}

#[inline(always)]
fn side_by_side<S: Wide>(centre: S, half: S) -> [f64; 6] {
    let ([a, b, c, _], [x, y, z, _]) = (centre.store(), half.store());
    [a, b, c, x, y, z]
}
