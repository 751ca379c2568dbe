//! Bounding volume hierarchies: binary trees of axis-aligned boxes, split at the median.
//!
//! Answers to MuJoCo's `mjCBoundingVolumeHierarchy`; nodes are numbered in depth-first order.

use corten_math::Vec3;
use corten_math::array::MapInline;
use corten_math::memory::{Gather, Grow};

/// Something to be found: its box and the point by which it is sorted, in the axes of the tree.
#[derive(Clone, Copy, Debug)]
pub struct Element {
    pub id: i32,
    pub pos: Vec3,
    pub min: Vec3,
    pub max: Vec3,
}

/// A tree; `child` is −1 at leaves, `nodeid` −1 at inner nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bvh {
    /// Centre and half sizes.
    pub aabb: Vec<[f64; 6]>,
    pub child: Vec<[i32; 2]>,
    pub nodeid: Vec<i32>,
    pub depth: Vec<i32>,
}

/// Positions and sizes closer than this count as equal.
const EPS: f64 = 1e-14;

/// Builds the tree of `elements`.
pub fn build(elements: &[Element]) -> Bvh {
    let mut tree = Bvh::default();
    if elements.is_empty() {
        return tree;
    }
    let nodes = 2 * elements.len() - 1;
    tree.aabb.grow_reserve_exact(nodes);
    tree.child.grow_reserve_exact(nodes);
    tree.nodeid.grow_reserve_exact(nodes);
    tree.depth.grow_reserve_exact(nodes);
    let leaves = elements.iter().map(Leaf::new).gather();
    let mut order: Vec<(i64, u32)> = (0..elements.len() as u32).map(|i| (0, i)).gather();
    Builder { leaves, tree: &mut tree }.split(&mut order, 0);
    tree
}

/// What sorting and bounding look at.
struct Leaf {
    /// Lower bounds, and upper bounds with opposite sign: one operation extends both.
    bounds: [f64; 6],
    /// Position in multiples of EPS, which makes "equal within EPS" an order.
    keys: [i64; 3],
    id: i32,
}

impl Leaf {
    fn new(e: &Element) -> Leaf {
        let ([a, b, c], [x, y, z]) = (e.min.0, e.max.0);
        Leaf {
            bounds: [a, b, c, -x, -y, -z],
            keys: e.pos.0.map_inline(|x| (x / EPS + 0.5).floor() as i64),
            id: e.id,
        }
    }
}

struct Builder<'a> {
    leaves: Vec<Leaf>,
    tree: &'a mut Bvh,
}

impl Builder<'_> {
    /// Adds the node of some elements; the first of each pair is free for the key to sort by.
    fn split(&mut self, order: &mut [(i64, u32)], depth: i32) -> i32 {
        let mut bounds = [f64::MAX; 6];
        for &(_, i) in order.iter() {
            let leaf = &self.leaves[i as usize].bounds;
            for k in 0..6 {
                bounds[k] = if leaf[k] < bounds[k] { leaf[k] } else { bounds[k] };
            }
        }
        let [a, b, c, x, y, z] = bounds;
        let (mut min, mut max) = (Vec3::new(a, b, c), -Vec3::new(x, y, z));
        for k in 0..3 {
            if (min[k] - max[k]).abs() < EPS {
                min[k] -= EPS;
                max[k] += EPS;
            }
        }
        let (center, half) = ((max + min) / 2.0, (max - min) / 2.0);
        let tree = &mut *self.tree;
        let index = tree.nodeid.len();
        tree.aabb.push([center[0], center[1], center[2], half[0], half[1], half[2]]);
        tree.child.push([-1, -1]);
        tree.depth.push(depth);
        if let [(_, only)] = order {
            tree.nodeid.push(self.leaves[*only as usize].id);
            return index as i32;
        }
        tree.nodeid.push(-1);

        let edges = max - min;
        let mut axis = 0;
        if edges[1] >= edges[0] + EPS {
            axis = 1;
        }
        if edges[2] >= edges[axis] + EPS {
            axis = 2;
        }
        // Elements at equal positions keep their order.
        let middle = order.len() / 2;
        for (key, i) in order.iter_mut() {
            *key = self.leaves[*i as usize].keys[axis];
        }
        order.select_nth_unstable(middle);
        let (low, high) = order.split_at_mut(middle);
        let low = self.split(low, depth + 1);
        let high = self.split(high, depth + 1);
        self.tree.child[index] = [low, high];
        index as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_a_leaf_inside_its_ancestors() {
        let elements: Vec<Element> = (0..37)
            .map(|i| {
                let pos = Vec3::new((i * 7 % 11) as f64, (i * 5 % 13) as f64, (i % 3) as f64);
                Element { id: i, pos, min: pos - Vec3::splat(0.5), max: pos + Vec3::splat(0.5) }
            })
            .collect();
        let tree = build(&elements);
        assert_eq!(tree.nodeid.len(), 2 * 37 - 1);
        let mut leaves: Vec<i32> = tree.nodeid.iter().copied().filter(|&i| i >= 0).collect();
        leaves.sort_unstable();
        assert_eq!(leaves, (0..37).collect::<Vec<_>>());
        for (node, children) in tree.child.iter().enumerate() {
            for &c in children {
                if c >= 0 {
                    for k in 0..3 {
                        let (a, b) = (&tree.aabb[node], &tree.aabb[c as usize]);
                        assert!((a[k] - b[k]).abs() + b[k + 3] <= a[k + 3] + 1e-12);
                    }
                }
            }
        }
    }
}
