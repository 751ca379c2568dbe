//! Bounding hierarchies of flexes.
//!
//! Answers to the parts of `mj_collideTree` that concern flexes.

use corten_math::Vec3;

use crate::Model;
use crate::chain::index;
use crate::prepared::span::Span;

/// Centre and half sizes of a box along the world's axes.
pub(super) type Aabb = [f64; 6];

/// Whether two boxes are farther apart than a margin along an axis of the world.
#[inline(always)]
pub(super) fn apart(a: &Aabb, b: &Aabb, margin: f64) -> bool {
    let before = |a: &Aabb, b: &Aabb, k: usize| a[k] + a[k + 3] + margin < b[k] - b[k + 3];
    before(a, b, 0)
        || before(a, b, 1)
        || before(a, b, 2)
        || before(b, a, 0)
        || before(b, a, 1)
        || before(b, a, 2)
}

/// Whether two boxes overlap along all axes of the world; those that are nowhere do not.
#[inline(always)]
pub(super) fn overlap(a: &Aabb, b: &Aabb) -> bool {
    let reaches = |a: &Aabb, b: &Aabb, k: usize| a[k] + a[k + 3] >= b[k] - b[k + 3];
    (0..3).all(|k| reaches(a, b, k) && reaches(b, a, k))
}

/// Whether a box is outside of a ball's bounding box.
#[inline(always)]
pub(super) fn apart_from_ball(center: Vec3, radius: f64, b: &Aabb) -> bool {
    let mut apart = false;
    for k in 0..3 {
        apart |= center[k] + radius < b[k] - b[k + 3] || center[k] - radius > b[k] + b[k + 3];
    }
    apart
}

/// The hierarchy of a flex, in the layout of `bvh_child` and `bvh_nodeid`. Children come after
/// their parents: those that do not are disregarded, so that every walk ends.
#[derive(Clone, Copy)]
pub(super) struct Tree<'a> {
    child: &'a [[i32; 2]],
    node: &'a [i32],
    boxes: &'a [Aabb],
}

impl<'a> Tree<'a> {
    /// That of a flex, with the boxes of all moving hierarchies; `None` if it has none.
    pub fn of(m: &'a Model, flex: usize, boxes: &'a [Aabb]) -> Option<Tree<'a>> {
        let nodes = Span::within(m.flex_bvhadr[flex], m.flex_bvhnum[flex], m.nbvh)?;
        let moving = nodes.range().start.checked_sub(m.nbvhstatic)?;
        let tree = Tree {
            child: &m.bvh_child[nodes.range()],
            node: &m.bvh_nodeid[nodes.range()],
            boxes: boxes.get(moving..)?.get(..nodes.range().len())?,
        };
        (!nodes.is_empty()).then_some(tree)
    }

    /// The box around all.
    pub fn root(&self) -> &'a Aabb {
        &self.boxes[0]
    }

    fn is_leaf(&self, node: usize) -> bool {
        self.child[node] == [-1; 2]
    }

    fn children(&self, node: usize) -> impl Iterator<Item = usize> + use<'a> {
        let count = self.node.len();
        let children = self.child[node].into_iter();
        children.filter_map(move |c| index(c, count).filter(|&c| c > node))
    }

    /// Calls `found(element, bounds)` for the leaves whose box passes a test that no box fails if one
    /// within it passes.
    pub fn query(
        &self,
        stack: &mut Vec<[u32; 2]>,
        passes: impl Fn(&Aabb) -> bool,
        mut found: impl FnMut(usize, &'a Aabb),
    ) {
        stack.clear();
        stack.push([0; 2]);
        while let Some([node, _]) = stack.pop() {
            let node = node as usize;
            if !passes(&self.boxes[node]) {
                continue;
            }
            if self.is_leaf(node) {
                if let Ok(element) = usize::try_from(self.node[node]) {
                    found(element, &self.boxes[node]);
                }
            } else {
                stack.extend(self.children(node).map(|child| [child as u32; 2]));
            }
        }
    }

    /// Calls `found` for pairs of elements whose boxes may meet, in MuJoCo's order: depth first, with
    /// the last child first. `margin` is that of boxes above the leaves. Of a tree and itself, each
    /// pair comes once.
    pub fn pairs(
        &self,
        other: &Tree<'_>,
        is_self: bool,
        margin: f64,
        stack: &mut Vec<[u32; 2]>,
        mut found: impl FnMut(usize, usize),
    ) {
        stack.clear();
        stack.push([0; 2]);
        while let Some([a, b]) = stack.pop() {
            if is_self && a > b {
                continue;
            }
            let (a, b) = (a as usize, b as usize);
            let leaves = [self.is_leaf(a), other.is_leaf(b)];
            if leaves == [true; 2] {
                if let (Ok(first), Ok(second)) =
                    (usize::try_from(self.node[a]), usize::try_from(other.node[b]))
                {
                    found(first, second);
                }
                continue;
            }
            let (box_a, box_b) = (&self.boxes[a], &other.boxes[b]);
            if apart(box_a, box_b, margin) {
                continue;
            }
            let open_first = match leaves {
                [false, true] => true,
                [true, false] => false,
                _ => precedence(box_a) > precedence(box_b),
            };
            if open_first {
                stack.extend(self.children(a).map(|child| [child as u32, b as u32]));
            } else {
                stack.extend(other.children(b).map(|child| [a as u32, child as u32]));
            }
        }
    }
}

/// Which of two boxes is opened first. MuJoCo computes the surface of a box whose corners were at its
/// centre and at its half sizes; only the order of what is found depends on it.
fn precedence(b: &Aabb) -> f64 {
    let [x, y, z] = [b[3] - b[0], b[4] - b[1], b[5] - b[2]];
    x * y + y * z + z * x
}
