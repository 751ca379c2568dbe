//! Constraint islands: groups of trees that no constraint connects, solved one by one.
//!
//! Reads the rows of [`crate::stage::constraint`]; writes `tree_island`, `dof_island`,
//! `efc_island`, the `island_*` and `map_*` arrays, and the blocks of each island with columns in
//! the island's own numbering. Answers to `mj_island`: an island is a connected set of trees,
//! numbered by its first tree, which equals MuJoCo's flood fill.
//!
//! Where the blocks of a step have the columns of those of the step before, as in a scene at rest, so
//! have the islands their rows: they are published again, and not looked for.

use corten_math::memory::Grow;
use std::ops::Range;
use std::sync::Arc;

use corten_math::array::MapInline;
use corten_model::enums::DisableBit;

use super::disjoint::DisjointSets;
use super::problem::{Part, blocks_before_cones};
use super::rows::{Block, Jacobian, Run};
use crate::chain::index;
use crate::prepared::Prepared;
use crate::prepared::structure::Structure;
use crate::stage::constraint::Constraints;
use crate::{Contact, Data, Model};

/// The rows of all islands, island by island.
#[derive(Clone, Debug, Default)]
pub struct IslandRows {
    blocks: Vec<Block>,
    /// As in [`Constraints`], in the numbering of the island.
    columns: Vec<u32>,
    runs: Vec<Run>,
    /// Each island, unless one spans everything, whose rows are those of [`Constraints`].
    pub parts: Vec<Part>,
    /// Which rows went where, in their own order; all rows, unless one island spans everything.
    pub rows: Vec<Span>,
    /// Which degrees of freedom went where, island by island; in the end those of none.
    dofs: Vec<Span>,
    /// Where the degrees of freedom of all islands start, if they follow each other as in their islands.
    in_place: Option<usize>,
    /// Island of each tree, negative for none.
    of_tree: Vec<i32>,
    /// Trees island by island, and where those of each start.
    trees: Vec<i32>,
    tree_starts: Vec<i32>,
    /// The first degree of freedom of each tree in the numbering of its island.
    tree_places: Vec<u32>,
    groups: Vec<Group>,
    /// Trees that are connected.
    connected: DisjointSets,
    made_for: Option<MadeFor>,
}

/// The rows that islands were made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MadeFor {
    /// [`Constraints::number`].
    number: u64,
    /// Rows of equalities, and of friction.
    counts: [usize; 2],
}

/// Blocks that follow each other and have the same columns.
#[derive(Clone, Copy, Debug)]
struct Group {
    /// Where the next one starts.
    end: u32,
    /// One of the trees that they connect.
    tree: u32,
}

/// Island of a tree without one.
const NONE: i32 = -1;
/// Island of a tree that has one, until it is known.
const MARKED: i32 = i32::MAX;

/// Rows or degrees of freedom that follow each other in the whole and in their island.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    island: i32,
    start: u32,
    island_start: u32,
    len: u32,
}

impl Span {
    /// In the order of all.
    #[inline]
    pub fn range(&self) -> Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }

    /// In the order of islands.
    #[inline]
    pub fn island_range(&self) -> Range<usize> {
        self.island_start as usize..(self.island_start + self.len) as usize
    }
}

/// Partitions trees into islands.
pub fn find(m: &Model, d: &mut Data) {
    let was_whole = d.island_nv == [m.nv as i32] && d.island_ntree == [m.ntree as i32];
    d.nisland = 0;
    d.nidof = 0;
    let unknown = d.prepared.structure.dof_tree.len() != m.nv;
    if m.opt.disabled(DisableBit::Island) || d.nefc == 0 || unknown {
        clear(m, d);
        return;
    }
    if m.ntree == 1 {
        return unite_all(m, d, was_whole);
    }
    let rows = &*d.scratch.constraint;
    let islands = Arc::make_mut(&mut d.scratch.islands);
    let still_hold = islands.still_hold(rows, [d.ne, d.nf]);
    if !still_hold {
        islands.divide(m, &d.prepared, rows, [d.ne, d.nf], (&d.contact, &d.efc_id));
    }
    let counts = islands.counts();
    if islands.parts.is_empty() {
        unite_all(m, d, was_whole);
    } else if still_hold && is_published(m, d) {
        [d.nisland, d.nidof] = counts;
    } else {
        publish(m, d);
    }
}

/// Whether the public arrays are there, which were written with the islands that still hold.
fn is_published(m: &Model, d: &Data) -> bool {
    d.island_nv.len() == d.scratch.islands.parts.len()
        && d.tree_island.len() == m.ntree
        && d.dof_island.len() == m.nv
        && d.efc_island.len() == d.nefc
}

/// The single island of all trees; where it was so before, arrays of the same lengths say so already.
fn unite_all(m: &Model, d: &mut Data, was_whole: bool) {
    fn fill(of: &mut Vec<i32>, maps: [&mut Vec<i32>; 2], n: usize) {
        of.clear();
        of.grow_resize(n, 0);
        for map in maps {
            map.clear();
            map.grow_extend(0..n as i32);
        }
    }
    d.nisland = 1;
    d.nidof = m.nv;
    if !was_whole || d.dof_island.len() != m.nv || d.tree_island.len() != m.ntree {
        d.tree_island.clear();
        d.tree_island.grow_resize(m.ntree, 0);
        d.map_itree2tree.clear();
        d.map_itree2tree.grow_extend(0..m.ntree as i32);
        fill(&mut d.dof_island, [&mut d.map_dof2idof, &mut d.map_idof2dof], m.nv);
    }
    if !was_whole || d.efc_island.len() != d.nefc {
        fill(&mut d.efc_island, [&mut d.map_efc2iefc, &mut d.map_iefc2efc], d.nefc);
    }
    let (ntree, nv, nefc) = (m.ntree as i32, m.nv as i32, d.nefc as i32);
    let single = [ntree, 0, nv, 0, 0, d.ne as i32, d.nf as i32, nefc, 0];
    for (v, x) in per_island(d).into_iter().zip(single) {
        v.clear();
        v.grow_push(x);
    }
}

/// No islands.
fn clear(m: &Model, d: &mut Data) {
    // All are written together: what holds for the first entries holds for the others.
    let blank = |v: &[i32], n: usize| v.len() == n && v.first().is_none_or(|&island| island == -1);
    let dofs = [&d.dof_island, &d.map_dof2idof, &d.map_idof2dof];
    let clear = d.nefc == 0
        && d.efc_island.is_empty()
        && d.island_nv.is_empty()
        && dofs.iter().all(|v| blank(v, m.nv))
        && [&d.tree_island, &d.map_itree2tree].iter().all(|v| blank(v, m.ntree));
    if clear {
        return;
    }
    for (v, n) in [
        (&mut d.tree_island, m.ntree),
        (&mut d.map_itree2tree, m.ntree),
        (&mut d.dof_island, m.nv),
        (&mut d.map_dof2idof, m.nv),
        (&mut d.map_idof2dof, m.nv),
        (&mut d.efc_island, d.nefc),
        (&mut d.map_efc2iefc, d.nefc),
        (&mut d.map_iefc2efc, d.nefc),
    ] {
        v.clear();
        v.grow_resize(n, -1);
    }
    forget(d);
}

/// To be called when arrays are zeroed: what they say of islands no longer holds.
pub(crate) fn forget(d: &mut Data) {
    for v in per_island(d) {
        v.clear();
    }
}

fn per_island(d: &mut Data) -> [&mut Vec<i32>; 9] {
    [
        &mut d.island_ntree,
        &mut d.island_itreeadr,
        &mut d.island_nv,
        &mut d.island_idofadr,
        &mut d.island_dofadr,
        &mut d.island_ne,
        &mut d.island_nf,
        &mut d.island_nefc,
        &mut d.island_iefcadr,
    ]
}

/// Writes the public arrays.
fn publish(m: &Model, d: &mut Data) {
    let islands = &*d.scratch.islands;
    [d.nisland, d.nidof] = islands.counts();
    d.tree_island.clone_from(&islands.of_tree);
    d.map_itree2tree.clone_from(&islands.trees);
    for (spans, n, of, to_island, from_island) in [
        (&islands.dofs, m.nv, &mut d.dof_island, &mut d.map_dof2idof, &mut d.map_idof2dof),
        (&islands.rows, d.nefc, &mut d.efc_island, &mut d.map_efc2iefc, &mut d.map_iefc2efc),
    ] {
        for v in [&mut *of, &mut *to_island, &mut *from_island] {
            v.grow_resize(n, -1);
        }
        for span in spans {
            of[span.range()].fill(span.island);
            count_from(span.island_start, &mut to_island[span.range()]);
            count_from(span.start, &mut from_island[span.island_range()]);
        }
    }
    forget(d);
    for k in 0..d.nisland {
        let islands = &*d.scratch.islands;
        let Part { dofs, rows, ne, nf, .. } = &islands.parts[k];
        let [tree, next_tree] = [islands.tree_starts[k], islands.tree_starts[k + 1]];
        let first_dof = d.map_idof2dof[dofs.start];
        let [nv, idofadr, ne, nf, nefc, iefcadr] =
            [dofs.len(), dofs.start, *ne, *nf, rows.len(), rows.start].map_inline(|n| n as i32);
        let values = [next_tree - tree, tree, nv, idofadr, first_dof, ne, nf, nefc, iefcadr];
        per_island(d).into_iter().zip(values).for_each(|(v, x)| v.grow_push(x));
    }
}

/// Ascending numbers.
fn count_from(first: u32, numbers: &mut [i32]) {
    for (number, n) in numbers.iter_mut().zip(first as i32..) {
        *number = n;
    }
}

impl IslandRows {
    /// The rows of all islands.
    pub fn jacobian<'a>(&'a self, rows: &'a Constraints) -> Jacobian<'a> {
        Jacobian {
            blocks: &self.blocks,
            columns: &self.columns,
            runs: &self.runs,
            values: &rows.values,
            cones: &rows.cones,
        }
    }

    /// Which degrees of freedom went where, without those outside of all islands.
    pub fn constrained_dofs(&self) -> impl Iterator<Item = &Span> {
        self.dofs.iter().take_while(|span| span.island != NONE)
    }

    /// The degrees of freedom of all islands as a range of all, if they are in the same order there.
    pub fn dofs_in_place(&self) -> Option<Range<usize>> {
        self.in_place.map(|start| start..start + self.counts()[1])
    }

    /// How many islands there are, and degrees of freedom in them.
    fn counts(&self) -> [usize; 2] {
        [self.parts.len(), self.parts.last().map_or(0, |part| part.dofs.end)]
    }

    /// Whether the rows are arranged as those that the islands were made for. Then they are now
    /// the islands of these rows.
    fn still_hold(&mut self, rows: &Constraints, counts: [usize; 2]) -> bool {
        let before = rows.number.checked_sub(1).map(|number| MadeFor { number, counts });
        let hold = self.made_for.is_some() && self.made_for == before && rows.is_as_before();
        if hold {
            self.made_for = Some(MadeFor { number: rows.number, counts });
        }
        hold
    }

    /// Finds the islands of rows, of which so many are equalities and friction; without parts if
    /// there is one of all trees.
    fn divide(
        &mut self,
        m: &Model,
        prepared: &Prepared,
        rows: &Constraints,
        counts: [usize; 2],
        contacts: (&[Contact], &[i32]),
    ) {
        let structure = &prepared.structure;
        let complete = self.group(m, prepared, rows, contacts);
        // What contacts have to say is not in the columns, and what connects edges is in the model.
        self.made_for = (complete && rows.all_edges.is_empty())
            .then_some(MadeFor { number: rows.number, counts });
        self.number_trees();
        self.parts.clear();
        let count = self.tree_starts.len() - 1;
        if count == 1 && self.tree_starts[1] as usize == m.ntree {
            return;
        }
        self.parts.grow_resize(count, Part::default());
        self.place_dofs(structure);
        self.place_rows(rows, counts, structure);
    }

    /// Finds the blocks that share their columns, and joins the trees that they connect; marks one tree
    /// of each group. `false` if the columns do not tell all.
    fn group(
        &mut self,
        m: &Model,
        prepared: &Prepared,
        rows: &Constraints,
        (contacts, efc_id): (&[Contact], &[i32]),
    ) -> bool {
        let structure = &prepared.structure;
        let IslandRows { groups, connected, of_tree, .. } = self;
        connected.reset(m.ntree);
        groups.clear();
        of_tree.clear();
        of_tree.grow_resize(m.ntree, NONE);
        for edges in &rows.all_edges {
            for &[tree, first] in edges.connected(&prepared.flexes) {
                connected.join(tree, first);
            }
        }
        let mut edges = rows.all_edges.iter();
        let mut next = edges.next();
        let (mut last, mut complete) = ([u32::MAX; 2], true);
        for (k, b) in rows.blocks.iter().enumerate() {
            let end = k as u32 + 1;
            if let Some(group) = groups.last_mut().filter(|_| last == [b.col, b.ncol]) {
                group.end = end;
                continue;
            }
            while next.is_some_and(|edges| edges.blocks.end <= k) {
                next = edges.next();
            }
            let runs = rows.jacobian().runs_of(b);
            let dof = match runs.first() {
                Some(run) => {
                    last = [b.col, b.ncol];
                    Some(run.start)
                }
                None => {
                    (last, complete) = ([u32::MAX; 2], false);
                    group_dof(m, structure, contacts, efc_id[b.rows().start])
                }
            };
            let tree = dof.map_or(0, |dof| structure.dof_tree[dof as usize]);
            of_tree[tree as usize] = MARKED;
            groups.grow_push(Group { end, tree });
            if next.is_some_and(|edges| edges.blocks.contains(&k)) {
                continue;
            }
            for run in runs {
                let mut dof = run.start;
                while dof < run.start + run.len {
                    let other = structure.dof_tree[dof as usize];
                    if other != tree {
                        connected.join(tree, other);
                    }
                    dof = structure.tree_dofs[other as usize][1];
                }
            }
        }
        complete
    }

    /// Numbers the sets of trees that are marked, in the order of their first trees, and sorts trees by
    /// island. Trees without rows belong to none.
    fn number_trees(&mut self) {
        let IslandRows { connected, of_tree, trees, tree_starts, .. } = self;
        for tree in 0..of_tree.len() {
            if of_tree[tree] == MARKED {
                of_tree[connected.first(tree as u32) as usize] = MARKED;
            }
        }
        let mut count = 0;
        for tree in 0..of_tree.len() {
            let root = connected.first(tree as u32) as usize;
            if root != tree {
                of_tree[tree] = of_tree[root];
            } else if of_tree[tree] == MARKED {
                of_tree[tree] = count;
                count += 1;
            }
        }
        sort_by_island(of_tree, count as usize, tree_starts, trees);
    }

    /// Degrees of freedom by island, keeping their order.
    fn place_dofs(&mut self, structure: &Structure) {
        let IslandRows { dofs, in_place, trees, tree_places, of_tree, parts, .. } = self;
        dofs.clear();
        tree_places.grow_resize(of_tree.len(), 0);
        let mut at = 0;
        for &tree in &*trees {
            let [start, end] = structure.tree_dofs[tree as usize];
            let island = of_tree[tree as usize];
            if let Some(part) = parts.get_mut(island as usize) {
                if part.dofs.is_empty() {
                    part.dofs = at..at;
                }
                tree_places[tree as usize] = (at - part.dofs.start) as u32;
                part.dofs.end += (end - start) as usize;
            }
            push_span(dofs, Span { island, start, island_start: at as u32, len: end - start });
            at += (end - start) as usize;
        }
        let mut constrained = dofs.iter().take_while(|span| span.island != NONE);
        let first = constrained.next().map(|span| span.start);
        *in_place = first
            .filter(|&first| constrained.all(|span| span.start - span.island_start == first))
            .map(|first| first as usize);
    }

    /// Rows and blocks by island, keeping their order.
    fn place_rows(&mut self, all: &Constraints, [ne, nf]: [usize; 2], structure: &Structure) {
        let IslandRows { blocks, columns, runs, parts, rows, of_tree, tree_places, groups, .. } =
            self;
        let mut first = 0;
        for group in &*groups {
            let own = &all.blocks[first..group.end as usize];
            first = group.end as usize;
            let part = &mut parts[of_tree[group.tree as usize] as usize];
            let range = rows_of(own);
            if range.start < ne {
                part.ne += range.len();
            } else if range.start < ne + nf {
                part.nf += range.len();
            }
            part.rows.end += range.len();
            part.blocks.end += own.len();
        }
        // From lengths to ranges that are empty so far and grow below.
        let (mut row, mut block) = (0, 0);
        for part in parts.iter_mut() {
            let (nrow, nblock) = (part.rows.end, part.blocks.end);
            (part.rows, part.blocks) = (row..row, block..block);
            row += nrow;
            block += nblock;
        }

        blocks.clear();
        blocks.grow_extend_from_slice(&all.blocks);
        columns.clear();
        columns.grow_extend_from_slice(&all.columns);
        runs.clear();
        runs.grow_extend_from_slice(&all.runs);
        rows.clear();
        let (mut first, mut renamed) = (0, 0);
        for group in &*groups {
            let own = &all.blocks[first..group.end as usize];
            first = group.end as usize;
            let island = of_tree[group.tree as usize];
            let part = &mut parts[island as usize];
            let range = rows_of(own);
            let to = &mut blocks[part.blocks.end..part.blocks.end + own.len()];
            let (first_row, first_own_row) = (range.start as u32, part.rows.len() as u32);
            for (to, b) in to.iter_mut().zip(own) {
                *to = Block { row: b.row - first_row + first_own_row, ..*b };
            }
            let [start, len, island_start] =
                [range.start, range.len(), part.rows.end].map(|n| n as u32);
            push_span(rows, Span { island, start, island_start, len });
            part.rows.end += range.len();
            part.blocks.end += own.len();

            // Blocks may share columns with those before them, and all that follow are new.
            let Some(b) = own.first().filter(|b| b.col >= renamed) else { continue };
            renamed = b.col + b.ncol;
            // Degrees of freedom of one tree stay together, those of two may come closer.
            let mut columns = &mut columns[b.col as usize..(b.col + b.ncol) as usize];
            for run in &mut runs[b.run as usize..(b.run + b.nrun) as usize] {
                let tree = structure.dof_tree[run.start as usize] as usize;
                let start = tree_places[tree] + run.start - structure.tree_dofs[tree][0];
                let here;
                (here, columns) = columns.split_at_mut(run.len as usize);
                for c in here {
                    *c = *c - run.start + start;
                }
                run.start = start;
            }
        }
        for part in parts {
            part.cones = blocks_before_cones(&blocks[part.blocks.clone()]);
        }
    }
}

/// The constraint rows of blocks that follow each other.
fn rows_of(blocks: &[Block]) -> Range<usize> {
    match blocks {
        [first, .., last] => first.row as usize..last.rows().end,
        [only] => only.rows(),
        [] => 0..0,
    }
}

/// Appends a span, to the last one if it continues that.
fn push_span(spans: &mut Vec<Span>, span: Span) {
    match spans.last_mut() {
        Some(last)
            if last.island == span.island
                && last.start + last.len == span.start
                && last.island_start + last.len == span.island_start =>
        {
            last.len += span.len;
        }
        _ => spans.grow_push(span),
    }
}

/// A degree of freedom of a contact within one rigid group: no column is left, but the group moves.
fn group_dof(m: &Model, structure: &Structure, contacts: &[Contact], id: i32) -> Option<u32> {
    let contact = contacts.get(usize::try_from(id).ok()?)?;
    let body = index(m.geom_bodyid[index(contact.geom[0], m.ngeom)?], m.nbody)?;
    structure.chain(body).first().copied()
}

/// Sorts objects by one of `count` islands, keeping their order; those without an island come last.
/// Finds where each island starts, and where the last one ends.
fn sort_by_island(of: &[i32], count: usize, starts: &mut Vec<i32>, sorted: &mut Vec<i32>) {
    starts.clear();
    starts.grow_resize(count + 1, 0);
    for &island in of.iter().filter(|&&island| island >= 0) {
        starts[island as usize + 1] += 1;
    }
    for island in 0..count {
        starts[island + 1] += starts[island];
    }
    let mut outside = starts[count];
    sorted.grow_resize(of.len(), 0);
    for (object, &island) in (0..).zip(of) {
        let at = if island >= 0 { &mut starts[island as usize] } else { &mut outside };
        sorted[*at as usize] = object;
        *at += 1;
    }
    // Each start has moved to the end of its island.
    starts.copy_within(..count, 1);
    starts[0] = 0;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorting_is_stable() {
        let of = [1, -1, 0, 1, 0, -1];
        let (mut starts, mut sorted) = (Vec::new(), Vec::new());
        sort_by_island(&of, 2, &mut starts, &mut sorted);
        assert_eq!(starts, [0, 2, 4]);
        assert_eq!(sorted, [2, 4, 0, 3, 1, 5]);
    }
}
