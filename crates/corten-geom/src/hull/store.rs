//! Facets, ridges and vertices of a hull under construction, and the two lists that order them.
//!
//! Everything refers to everything by index into a [`Pool`]. Slot 0 of the facets and of the
//! vertices is the end of the respective list and belongs to no polyhedron. The order of both
//! lists is part of the result, so that every operation that moves an element says where to.

use corten_math::memory::Grow;
use std::ops::{Index, IndexMut};

use corten_math::Vec3;

use super::{HullError, Tolerance};

/// No element.
pub(super) const NONE: u32 = u32::MAX;
/// In place of a neighbour: more than two facets share this edge.
pub(super) const DUPLICATE: u32 = u32::MAX - 1;
/// In place of a neighbour: the facet beyond this edge will be merged away.
pub(super) const MERGE: u32 = u32::MAX - 2;
/// End of the list of facets, and of the list of vertices.
pub(super) const TAIL: u32 = 0;

pub(super) type Step<T = ()> = Result<T, HullError>;

/// Elements with stable indices; released slots are used again, with their allocations.
pub(super) struct Pool<T> {
    items: Vec<T>,
    free: Vec<u32>,
}

impl<T: Default> Pool<T> {
    pub fn new() -> Pool<T> {
        Pool { items: Vec::new(), free: Vec::new() }
    }

    /// A slot in whatever state its last user left it.
    fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.items.grow_push(T::default());
            (self.items.len() - 1) as u32
        })
    }

    fn release(&mut self, id: u32) {
        self.free.grow_push(id);
    }
}

impl<T> Index<u32> for Pool<T> {
    type Output = T;
    #[inline]
    fn index(&self, id: u32) -> &T {
        &self.items[id as usize]
    }
}

impl<T> IndexMut<u32> for Pool<T> {
    #[inline]
    fn index_mut(&mut self, id: u32) -> &mut T {
        &mut self.items[id as usize]
    }
}

/// A side of the polyhedron: a triangle (`simplicial`), or several triangles merged because
/// rounding cannot tell their planes apart.
///
/// The first fields are those that the searches for the facet above a point touch.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(super) struct Facet {
    /// Outward unit normal; points above have `normal · x + offset > 0`.
    pub normal: Vec3,
    pub offset: f64,
    pub next: u32,
    pub previous: u32,
    pub visit: u32,
    pub is_new: bool,
    /// The interior point is not clearly below.
    pub flipped: bool,
    /// Seen from the point being added, or merged into another facet: to be deleted.
    pub visible: bool,
    pub simplicial: bool,
    pub neighbors: Vec<u32>,
    /// Descending; `neighbors[i]` of a triangle lies opposite `vertices[i]`.
    pub vertices: Vec<u32>,
    /// Edges towards non-triangles; triangles may have none.
    pub ridges: Vec<u32>,
    /// Whether there ever was a ridge.
    pub had_ridges: bool,
    /// Points above; the furthest is last.
    pub outside: Vec<u32>,
    /// Points within rounding, or slightly below.
    pub coplanar: Vec<u32>,
    pub furthest: f64,
    /// Centroid of the vertices projected into the plane.
    pub center: Option<Vec3>,
    /// Largest distance of a point or vertex that was merged into the facet.
    pub max_outside: f64,
    /// Number of creation.
    pub serial: u32,
    /// What a deleted facet was replaced by.
    pub replace: u32,
    /// Ring of new facets with the same coplanar horizon facet.
    pub same_cycle: u32,
    /// For a horizon facet, the last of that ring.
    pub new_cycle: u32,
    pub merges: u16,
    pub has_plane: bool,
    /// Orientation of the descending vertices.
    pub top: bool,
    pub new_merge: bool,
    pub coplanar_horizon: bool,
    pub merge_horizon: bool,
    pub seen: bool,
    pub tested: bool,
    pub keep_center: bool,
    pub degenerate: bool,
    pub redundant: bool,
    pub dup_ridge: bool,
    pub merge_ridge: bool,
    pub merge_ridge2: bool,
    pub cycle_done: bool,
    pub not_furthest: bool,
    pub tri_coplanar: bool,
}

impl Facet {
    #[inline]
    pub fn distance(&self, p: Vec3) -> f64 {
        self.offset + p[0] * self.normal[0] + p[1] * self.normal[1] + p[2] * self.normal[2]
    }

    /// An empty facet that keeps the allocations of this one.
    fn recycled(&mut self) -> Facet {
        let cleared = |list: &mut Vec<u32>| {
            list.clear();
            std::mem::take(list)
        };
        Facet {
            neighbors: cleared(&mut self.neighbors),
            vertices: cleared(&mut self.vertices),
            ridges: cleared(&mut self.ridges),
            outside: cleared(&mut self.outside),
            coplanar: cleared(&mut self.coplanar),
            next: NONE,
            previous: NONE,
            replace: NONE,
            same_cycle: NONE,
            new_cycle: NONE,
            simplicial: true,
            is_new: true,
            ..Facet::default()
        }
    }
}

/// An edge between two facets of which at least one is not a triangle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ridge {
    /// Descending.
    pub vertices: [u32; 2],
    pub top: u32,
    pub bottom: u32,
    /// Whether the facet on the side is a triangle in its original state.
    pub simplicial_top: bool,
    pub simplicial_bottom: bool,
    pub nonconvex: bool,
    pub tested: bool,
}

impl Ridge {
    #[inline]
    pub fn other(&self, facet: u32) -> u32 {
        if self.top == facet { self.bottom } else { self.top }
    }

    /// The vertex that is not `vertex`.
    pub fn other_vertex(&self, vertex: u32) -> u32 {
        if self.vertices[0] == vertex { self.vertices[1] } else { self.vertices[0] }
    }
}

/// A corner of the polyhedron; later ones have larger indices.
#[derive(Clone, Debug, Default)]
pub(super) struct Vertex {
    pub point: u32,
    pub next: u32,
    pub previous: u32,
    pub visit: u32,
    /// Facets around; maintained from the first merge on.
    pub neighbors: Vec<u32>,
    pub seen: bool,
    /// Belongs to a new facet, hence is in the new part of the list.
    pub is_new: bool,
    /// Lost a ridge in a merge: may be superfluous.
    pub lost_ridge: bool,
    pub deleted: bool,
    pub partitioned: bool,
    /// First of the facets waiting for their neighbour at this vertex, with its stamp.
    pub waiting: (u32, u32),
}

/// Sequence of a merge among others: the first kind is merged first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Coplanar,
    Concave,
    ConcaveCoplanar,
    Flip,
    DupRidge,
    Degenerate,
    Redundant,
    Mirror,
    CoplanarHorizon,
}

/// `facet` is to be merged into a neighbour, usually `neighbor`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Merge {
    pub kind: Kind,
    pub facet: u32,
    pub neighbor: u32,
    pub distance: f64,
}

/// `from` is to be renamed to `to` because two ridges of a facet have the same vertices.
#[derive(Clone, Copy, Debug)]
pub(super) struct VertexMerge {
    pub from: u32,
    pub to: u32,
    pub distance: f64,
    pub ridges: [u32; 2],
}

/// A hull under construction.
pub(super) struct Builder<'a> {
    pub points: &'a [Vec3],
    pub tolerance: Tolerance,
    pub interior: Vec3,
    /// The first simplex is nearly flat: points near a facet count as above it.
    pub narrow: bool,

    pub facets: Pool<Facet>,
    pub ridges: Pool<Ridge>,
    pub vertices: Pool<Vertex>,
    pub facet_list: u32,
    /// No facet before this one has outside points.
    pub facet_next: u32,
    pub new_facets: u32,
    pub visible_facets: u32,
    pub vertex_list: u32,
    pub new_vertices: u32,
    pub facet_count: u32,
    pub visible_count: u32,
    pub vertex_count: u32,
    pub deleted_vertices: Vec<u32>,
    /// Whether `Vertex::neighbors` is maintained.
    pub vertex_neighbors: bool,
    serial: u32,
    /// Facets from this serial on are of the current cone.
    pub first_new: u32,
    pub visit: u32,
    pub vertex_visit: u32,

    /// Largest distance of a point above its facet.
    pub max_outside: f64,
    /// What merges before the current point can explain of [`Builder::max_outside`].
    pub explained_outside_at_start: f64,
    /// Lowest distance of a vertex below its facet.
    pub min_vertex: f64,
    /// Whether points are to be compared with all new facets.
    pub search_all: bool,
    /// The new facets are known to be not sharp, see [`Builder::best_facet`].
    pub not_sharp: bool,
    pub repartitioned: u32,
    pub merge_count: u32,
    pub facet_merges: Vec<Merge>,
    pub degenerate_merges: Vec<Merge>,
    pub vertex_merges: Vec<VertexMerge>,

    /// Facets that wait for a neighbour, with the next of their vertex.
    pub waiting: Vec<(u32, u32)>,
    pub waiting_stamp: u32,
    /// Stack of the search among coplanar facets.
    pub coplanar_stack: Vec<u32>,
    /// Remaining merges, renames and repartitions, which bounds loops that rounding might keep
    /// alive.
    pub budget: u64,
}

impl<'a> Builder<'a> {
    pub fn new(points: &'a [Vec3], tolerance: Tolerance) -> Builder<'a> {
        let mut b = Builder {
            points,
            interior: Vec3::ZERO,
            narrow: false,
            facets: Pool::new(),
            ridges: Pool::new(),
            vertices: Pool::new(),
            facet_list: TAIL,
            facet_next: NONE,
            new_facets: TAIL,
            visible_facets: NONE,
            vertex_list: TAIL,
            new_vertices: TAIL,
            facet_count: 0,
            visible_count: 0,
            vertex_count: 0,
            deleted_vertices: Vec::new(),
            vertex_neighbors: false,
            serial: 0,
            first_new: 0,
            visit: 0,
            vertex_visit: 0,
            max_outside: 0.0,
            explained_outside_at_start: 0.0,
            min_vertex: -tolerance.round,
            search_all: false,
            not_sharp: false,
            repartitioned: NONE,
            merge_count: 0,
            facet_merges: Vec::new(),
            degenerate_merges: Vec::new(),
            vertex_merges: Vec::new(),
            waiting: Vec::new(),
            waiting_stamp: 0,
            coplanar_stack: Vec::new(),
            budget: 1000 + 200 * points.len() as u64,
            tolerance,
        };
        b.add_facet_slot();
        b.add_vertex(NONE);
        b
    }

    /// Uses one unit of the bound on corrections.
    pub fn spend(&mut self) -> Step {
        self.budget = self.budget.checked_sub(1).ok_or(HullError::Rounding)?;
        Ok(())
    }

    #[inline]
    pub fn position(&self, vertex: u32) -> Vec3 {
        self.points[self.vertices[vertex].point as usize]
    }

    // Facets.

    /// A facet outside the list.
    pub fn add_facet_slot(&mut self) -> u32 {
        let id = self.facets.take();
        let slot = &mut self.facets[id];
        *slot = slot.recycled();
        slot.serial = self.serial;
        slot.max_outside = self.tolerance.round;
        self.serial += 1;
        id
    }

    /// Number that the next facet will have.
    pub fn next_serial(&self) -> u32 {
        self.serial
    }

    pub fn append_facet(&mut self, f: u32) {
        if self.new_facets == TAIL {
            self.new_facets = f;
            // The visible facets are at or before the new ones.
            if self.visible_facets == TAIL {
                self.visible_facets = f;
            }
        }
        if self.facet_next == TAIL {
            self.facet_next = f;
        }
        self.link_facet_before(f, TAIL);
    }

    pub fn remove_facet(&mut self, f: u32) {
        let (next, previous) = (self.facets[f].next, self.facets[f].previous);
        for start in [&mut self.new_facets, &mut self.facet_next, &mut self.visible_facets] {
            if *start == f {
                *start = next;
            }
        }
        if previous == NONE {
            self.facet_list = next;
        } else {
            self.facets[previous].next = next;
        }
        self.facets[next].previous = previous;
        self.facet_count -= 1;
    }

    /// Moves a facet to the end of the list.
    pub fn move_facet_last(&mut self, f: u32) {
        self.remove_facet(f);
        self.append_facet(f);
    }

    /// Inserts `f` before `at`; starts of lists that equal `at` move to `f`.
    pub fn prepend_facet(&mut self, f: u32, at: u32) {
        self.link_facet_before(f, at);
        if self.facet_next == at {
            self.facet_next = f;
        }
    }

    fn link_facet_before(&mut self, f: u32, at: u32) {
        let previous = self.facets[at].previous;
        self.facets[f].previous = previous;
        self.facets[f].next = at;
        self.facets[at].previous = f;
        if previous == NONE {
            self.facet_list = f;
        } else {
            self.facets[previous].next = f;
        }
        self.facet_count += 1;
    }

    /// Takes a facet out of the polyhedron; it goes to the front of the visible facets, where its
    /// points are collected later.
    pub fn retire(&mut self, f: u32, replace: u32) {
        self.remove_facet(f);
        let at = if self.visible_facets == NONE { TAIL } else { self.visible_facets };
        self.prepend_facet(f, at);
        self.visible_facets = f;
        self.visible_count += 1;
        let facet = &mut self.facets[f];
        facet.visible = true;
        facet.replace = replace;
        facet.ridges.clear();
        facet.neighbors.clear();
    }

    pub fn delete_facet(&mut self, f: u32) {
        self.remove_facet(f);
        self.facets.release(f);
    }

    /// The living facet that took the place of `f`, or [`NONE`].
    pub fn replacement(&self, f: u32) -> Step<u32> {
        let mut at = f;
        for _ in 0..=self.serial {
            if at == NONE || !self.facets[at].visible {
                return Ok(at);
            }
            at = self.facets[at].replace;
        }
        Err(HullError::Rounding)
    }

    // Ridges.

    pub fn add_ridge(&mut self, ridge: Ridge) -> u32 {
        let id = self.ridges.take();
        self.ridges[id] = ridge;
        id
    }

    pub fn delete_ridge(&mut self, r: u32) {
        self.ridges.release(r);
    }

    pub fn attach_ridge(&mut self, f: u32, r: u32) {
        self.facets[f].ridges.push(r);
        self.facets[f].had_ridges = true;
    }

    // Vertices.

    pub fn add_vertex(&mut self, point: u32) -> u32 {
        let id = self.vertices.take();
        self.vertices[id] =
            Vertex { point, next: NONE, previous: NONE, waiting: (0, NONE), ..Vertex::default() };
        id
    }

    pub fn append_vertex(&mut self, v: u32) {
        if self.new_vertices == TAIL {
            self.new_vertices = v;
        }
        let previous = self.vertices[TAIL].previous;
        let vertex = &mut self.vertices[v];
        vertex.is_new = true;
        vertex.previous = previous;
        vertex.next = TAIL;
        self.vertices[TAIL].previous = v;
        if previous == NONE {
            self.vertex_list = v;
        } else {
            self.vertices[previous].next = v;
        }
        self.vertex_count += 1;
    }

    pub fn remove_vertex(&mut self, v: u32) {
        let (next, previous) = (self.vertices[v].next, self.vertices[v].previous);
        if self.new_vertices == v {
            self.new_vertices = next;
        }
        if previous == NONE {
            self.vertex_list = next;
        } else {
            self.vertices[previous].next = next;
        }
        self.vertices[next].previous = previous;
        self.vertex_count -= 1;
    }

    /// Moves vertices that are not new to the new end of the list.
    pub fn renew_vertices(&mut self, vertices: &[u32]) {
        for &v in vertices {
            if !self.vertices[v].is_new {
                self.remove_vertex(v);
                self.append_vertex(v);
            }
        }
    }

    pub fn renew_vertices_of(&mut self, f: u32) {
        let list = std::mem::take(&mut self.facets[f].vertices);
        self.renew_vertices(&list);
        self.facets[f].vertices = list;
    }

    /// Marks a vertex as gone from the polyhedron; its point is partitioned with those of the
    /// visible facets.
    pub fn drop_vertex(&mut self, v: u32) {
        self.vertices[v].deleted = true;
        self.deleted_vertices.push(v);
    }

    /// Facets around every vertex, in the order of the list of facets.
    pub fn need_vertex_neighbors(&mut self) {
        if self.vertex_neighbors {
            return;
        }
        let mut f = self.facet_list;
        while f != TAIL {
            let facet = &self.facets[f];
            if !facet.visible {
                for &v in &facet.vertices {
                    self.vertices[v].neighbors.push(f);
                }
            }
            f = facet.next;
        }
        self.vertex_neighbors = true;
    }

    // Iteration. Lists change while they are walked, so that these take one step at a time.

    /// Whether `f` is a facet rather than the end of the list.
    #[inline]
    pub fn is_facet(f: u32) -> bool {
        f != NONE && f != TAIL
    }

    /// The facet if it belongs to the visible ones.
    #[inline]
    pub fn while_visible(&self, f: u32) -> Option<u32> {
        (f != NONE && self.facets[f].visible).then_some(f)
    }

    pub fn next_visit(&mut self) -> u32 {
        self.visit += 1;
        self.visit
    }

    pub fn next_vertex_visit(&mut self) -> u32 {
        self.vertex_visit += 1;
        self.vertex_visit
    }

    /// Ends the treatment of a point: nothing is new or visible any more.
    pub fn reset_lists(&mut self, reset_visible: bool) {
        let mut v = self.new_vertices;
        while v != NONE && v != TAIL {
            self.vertices[v].is_new = false;
            v = self.vertices[v].next;
        }
        self.new_vertices = NONE;
        self.first_new = 0;
        let mut f = self.new_facets;
        while Self::is_facet(f) {
            let facet = &mut self.facets[f];
            facet.is_new = false;
            facet.dup_ridge = false;
            f = facet.next;
        }
        self.new_facets = NONE;
        if reset_visible {
            let mut at = self.visible_facets;
            while let Some(f) = self.while_visible(at) {
                let facet = &mut self.facets[f];
                facet.replace = NONE;
                facet.visible = false;
                at = facet.next;
            }
            self.visible_count = 0;
        }
        self.visible_facets = NONE;
    }
}

/// Removes the first `x`; the last element takes its place.
pub(super) fn remove(list: &mut Vec<u32>, x: u32) -> bool {
    let found = list.iter().position(|&y| y == x);
    if let Some(i) = found {
        list.swap_remove(i);
    }
    found.is_some()
}

/// Removes the first `x`; the order stays.
pub(super) fn remove_sorted(list: &mut Vec<u32>, x: u32) {
    if let Some(i) = list.iter().position(|&y| y == x) {
        list.remove(i);
    }
}

pub(super) fn replace(list: &mut [u32], old: u32, new: u32) -> Step {
    match list.iter_mut().find(|x| **x == old) {
        Some(x) => *x = new,
        None => return Err(HullError::Rounding),
    }
    Ok(())
}
