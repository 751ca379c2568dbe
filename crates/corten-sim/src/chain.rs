//! The degrees of freedom above a body, and what they do to a point of it.
//!
//! A body is moved by its own dofs and by those of its ancestors. Walking `dof_parentid` from the
//! last of them gives all, in descending order.

use corten_math::{Spatial, Vec3};

use crate::{Data, Model};

/// An id read from a model array, if it is a valid index.
#[inline]
pub(crate) fn index(id: i32, len: usize) -> Option<usize> {
    usize::try_from(id).ok().filter(|&i| i < len)
}

/// The last dof that moves a body.
#[inline]
pub(crate) fn last_dof(m: &Model, body: i32) -> Option<usize> {
    let weld = index(*m.body_weldid.get(index(body, m.nbody)?)?, m.nbody)?;
    if m.body_dofnum[weld] <= 0 {
        return None;
    }
    index(m.body_dofadr[weld].saturating_add(m.body_dofnum[weld] - 1), m.nv)
}

/// The next dof towards the root; always a smaller index.
#[inline]
pub(crate) fn parent_dof(m: &Model, dof: usize) -> Option<usize> {
    index(m.dof_parentid[dof], dof)
}

/// All dofs that move a body, descending.
pub(crate) fn dofs(m: &Model, body: i32) -> impl Iterator<Item = usize> + '_ {
    std::iter::successors(last_dof(m, body), |&dof| parent_dof(m, dof))
}

/// Centre of mass to which the spatial quantities of a body refer.
#[inline]
pub(crate) fn reference(m: &Model, d: &Data, body: i32) -> Vec3 {
    root_center(m, &d.subtree_com, body)
}

#[inline]
fn root_center(m: &Model, subtree_com: &[Vec3], body: i32) -> Vec3 {
    index(body, m.nbody)
        .and_then(|b| index(m.body_rootid[b], m.nbody))
        .map_or(Vec3::ZERO, |root| subtree_com[root])
}

/// A point fixed to a body.
#[derive(Clone, Copy)]
pub(crate) struct BodyPoint {
    pub body: i32,
    pub point: Vec3,
}

/// Calls `visit(dof, [moves a, moves b])` for every dof that moves either body, descending.
#[inline]
pub(crate) fn for_each_of_two(m: &Model, a: i32, b: i32, mut visit: impl FnMut(usize, [bool; 2])) {
    let mut next = [last_dof(m, a), last_dof(m, b)];
    while let Some(dof) = next[0].max(next[1]) {
        let moves = next.map(|n| n == Some(dof));
        for (n, moves) in next.iter_mut().zip(moves) {
            if moves {
                *n = parent_dof(m, dof);
            }
        }
        visit(dof, moves);
    }
}

/// Calls `visit(dof, motion)` for every dof that moves either body, descending: `motion` is the
/// velocity of the second point minus that of the first under a unit dof velocity.
#[inline]
pub(crate) fn for_each_difference(
    m: &Model,
    subtree_com: &[Vec3],
    cdof: &[Spatial],
    ends: [BodyPoint; 2],
    mut visit: impl FnMut(usize, Vec3),
) {
    let offset = ends.map(|end| end.point - root_center(m, subtree_com, end.body));
    for_each_of_two(m, ends[0].body, ends[1].body, |dof, moves| {
        visit(dof, motion_difference(&cdof[dof], offset, moves));
    });
}

/// Velocity of the second point minus that of the first, where each is moved or not.
#[inline]
pub(crate) fn motion_difference(cdof: &Spatial, offset: [Vec3; 2], moves: [bool; 2]) -> Vec3 {
    let mut motion = Vec3::ZERO;
    if moves[1] {
        motion = cdof.velocity_at(offset[1]);
    }
    if moves[0] {
        motion -= cdof.velocity_at(offset[0]);
    }
    motion
}
