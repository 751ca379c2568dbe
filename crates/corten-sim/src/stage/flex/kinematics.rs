//! Where vertices are, and boxes around elements.

use corten_math::array::MapInline;
use corten_math::transpose::{self, Chunk};
use corten_math::{Mat3, Number, Spatial, Vec3, wide};
use corten_model::enums::DisableBit;

use super::basis::MAX_NODES;
use super::plan::{Carrier, Flex, Plan};
use crate::chain::index;
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
    let frames = Frames { xpos: &d.xpos, xmat: &d.xmat };
    for flex in &plan.flexes {
        match flex.carrier {
            Carrier::Bodies => {
                for v in flex.vertices.range() {
                    d.flexvert_xpos[v] =
                        frames.point(plan.vertex_body[v], m.flex_vert[v], flex.centered);
                }
            }
            Carrier::Nodes(basis) => {
                let nodes = frames.nodes(m, plan, flex);
                let nodes = &nodes[..basis.nodes()];
                let weights = plan.weights[flex.weights.range()].chunks_exact(nodes.len());
                for (x, weights) in d.flexvert_xpos[flex.vertices.range()].iter_mut().zip(weights) {
                    let mut sum = Vec3::ZERO;
                    for (node, &weight) in nodes.iter().zip(weights) {
                        sum += *node * weight;
                    }
                    *x = sum;
                }
            }
        }
    }
}

/// `flexelem_aabb`, and `bvh_aabb_dyn` if it is used.
pub(super) fn bounds(m: &Model, d: &mut Data) {
    let plan = &d.prepared.flexes;
    let hierarchies = !m.opt.disabled(DisableBit::MidPhase);
    for flex in &plan.flexes {
        let radius = m.flex_radius[flex.id];
        let corners = &plan.corners[flex.corners.range()];
        let bounds = &mut d.flexelem_aabb[flex.elements.range()];
        element_bounds(flex.dim + 1, corners, &d.flexvert_xpos, radius, bounds);
        if hierarchies {
            refit(m, flex, &d.flexelem_aabb, &mut d.bvh_aabb_dyn);
        }
    }
}

wide! {
    /// Boxes around elements that have so many corners each, wider by a radius.
    fn element_bounds(
        size: usize,
        corners: &[u32],
        position: &[Vec3],
        radius: f64,
        bounds: &mut [[f64; 6]],
    ) {
        for chunk in transpose::fours::<f64>(0..bounds.len()) {
            match chunk {
                Chunk::Four(at) => {
                    let corner = |k: usize, c: usize| corners[size * at[k] + c] as usize;
                    let bounds_of_four = element_box::<Simd>(size, corner, position, radius);
                    Spatial(bounds_of_four).store(bytemuck::cast_slice_mut(bounds), at);
                }
                Chunk::One(i) => {
                    let corner = |_: usize, c: usize| corners[size * i + c] as usize;
                    bounds[i] = element_box::<f64>(size, corner, position, radius);
                }
            }
        }
    }
}

#[inline(always)]
fn element_box<T: Number>(
    size: usize,
    corner: impl Fn(usize, usize) -> usize,
    position: &[Vec3],
    radius: f64,
) -> [T; 6] {
    let first = Vec3::<T>::gather(position, |k| corner(k, 0)).0;
    let (mut low, mut high) = (first, first);
    for c in 1..size {
        let x = Vec3::<T>::gather(position, |k| corner(k, c)).0;
        for axis in 0..3 {
            low[axis] = low[axis].min(x[axis]);
            high[axis] = high[axis].max(x[axis]);
        }
    }
    let mut bounds = centre_and_size(Vec3(low), Vec3(high));
    for half in &mut bounds[3..] {
        *half += T::splat(radius);
    }
    bounds
}

#[inline(always)]
fn centre_and_size<T: Number>(low: Vec3<T>, high: Vec3<T>) -> [T; 6] {
    let half = T::splat(0.5);
    let ([a, b, c], [x, y, z]) = (((high + low) * half).0, ((high - low) * half).0);
    [a, b, c, x, y, z]
}

/// Fits the boxes of a flex's hierarchy, whose parents come before their children.
fn refit(m: &Model, flex: &Flex, elements: &[[f64; 6]], boxes: &mut [[f64; 6]]) {
    let Ok(first) = usize::try_from(m.flex_bvhadr[flex.id]) else { return };
    let count = usize::try_from(m.flex_bvhnum[flex.id]).unwrap_or(0);
    let Some(nodes) = m.bvh_nodeid.get(first..first.saturating_add(count)) else { return };
    let children = &m.bvh_child[first..first + count];
    let Some(boxes) =
        first.checked_sub(m.nbvhstatic).and_then(|start| boxes.get_mut(start..start + count))
    else {
        return;
    };
    let elements = &elements[flex.elements.range()];
    for i in (0..count).rev() {
        if let Ok(element) = usize::try_from(nodes[i]) {
            if let Some(bounds) = elements.get(element) {
                boxes[i] = *bounds;
            }
        } else if let [Some(a), Some(b)] = children[i].map_inline(|c| index(c, count)) {
            let [a, b] = [boxes[a], boxes[b]].map_inline(|bounds| {
                let (c, s) = (Vec3::from_slice(&bounds), Vec3::from_slice(&bounds[3..]));
                (c - s, c + s)
            });
            boxes[i] = centre_and_size(a.0.min(b.0), a.1.max(b.1));
        }
    }
}
