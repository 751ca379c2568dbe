//! Constraint islands: groups of trees that no constraint connects, solved one by one.
//!
//! Reads the rows of [`crate::stage::constraint`]; writes `tree_island`, `dof_island`,
//! `efc_island`, the `island_*` and `map_*` arrays, and the blocks of each island with columns in
//! the island's own numbering. Answers to `mj_island`: an island is a connected set of trees,
//! numbered by its first tree, which equals MuJoCo's flood fill.

use corten_math::memory::Grow;
use std::ops::Range;
use std::sync::Arc;

use corten_model::enums::DisableBit;

use super::disjoint::DisjointSets;
use super::problem::Part;
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
    pub spans: Vec<Span>,
    /// Island of each block in the order of rows.
    of_block: Vec<u32>,
    /// Trees that are connected.
    connected: DisjointSets,
}

/// Rows that follow each other in the whole and in their island.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    island: u32,
    start: u32,
    island_start: u32,
    len: u32,
}

impl Span {
    /// In the order of all rows.
    #[inline]
    pub fn rows(&self) -> Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }

    /// In the order of islands.
    #[inline]
    pub fn island_rows(&self) -> Range<usize> {
        self.island_start as usize..(self.island_start + self.len) as usize
    }
}

/// Partitions trees into islands.
pub fn find(m: &Model, d: &mut Data) {
    d.nisland = 0;
    d.nidof = 0;
    let unknown = d.prepared.structure.dof_tree.len() != m.nv;
    if m.opt.disabled(DisableBit::Island) || d.nefc == 0 || unknown {
        clear(m, d);
        return;
    }
    let whole = m.ntree == 1 || {
        clear(m, d);
        number_trees(m, d);
        d.nisland == 1 && d.tree_island.iter().all(|&island| island == 0)
    };
    if whole {
        unite_all(m, d);
    } else {
        place_dofs(d);
        place_rows(d);
    }
}

/// The single island of all trees.
fn unite_all(m: &Model, d: &mut Data) {
    fn fill(of: &mut Vec<i32>, maps: [&mut Vec<i32>; 2], n: usize) {
        let [first, second] = maps;
        of.clear();
        of.resize(n, 0);
        first.clear();
        first.extend(0..n as i32);
        second.clone_from(first);
    }
    d.nisland = 1;
    d.nidof = m.nv;
    d.tree_island.clear();
    d.tree_island.resize(m.ntree, 0);
    d.map_itree2tree.clear();
    d.map_itree2tree.extend(0..m.ntree as i32);
    fill(&mut d.dof_island, [&mut d.map_dof2idof, &mut d.map_idof2dof], m.nv);
    fill(&mut d.efc_island, [&mut d.map_efc2iefc, &mut d.map_iefc2efc], d.nefc);
    let (ntree, nv, nefc) = (m.ntree as i32, m.nv as i32, d.nefc as i32);
    let single = [ntree, 0, nv, 0, 0, d.ne as i32, d.nf as i32, nefc, 0];
    for (v, x) in per_island(d).into_iter().zip(single) {
        v.clear();
        v.push(x);
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

    /// Joins the trees that blocks connect. What the edges of a flex connect is known.
    fn unite(&mut self, m: &Model, prepared: &Prepared, rows: &Constraints) {
        self.connected.reset(m.ntree);
        let mut done = 0;
        for edges in &rows.all_edges {
            self.unite_blocks(&prepared.structure.dof_tree, rows, done..edges.blocks.start);
            for &[tree, first] in edges.connected(&prepared.flexes) {
                self.connected.join(tree, first);
            }
            done = edges.blocks.end;
        }
        self.unite_blocks(&prepared.structure.dof_tree, rows, done..rows.blocks.len());
    }

    /// Joins the trees that some blocks connect. Columns are ascending, so a tree's come together.
    fn unite_blocks(&mut self, trees: &[u32], rows: &Constraints, blocks: Range<usize>) {
        let jacobian = rows.jacobian();
        let mut previous = [u32::MAX; 2];
        for b in &rows.blocks[blocks] {
            // Contacts of one pair share their columns.
            if std::mem::replace(&mut previous, [b.col, b.ncol]) == [b.col, b.ncol] {
                continue;
            }
            let columns = jacobian.columns_of(b);
            let (Some(&first), Some(&last)) = (columns.first(), columns.last()) else { continue };
            let tree = trees[first as usize];
            if trees[last as usize] == tree {
                continue;
            }
            let mut at = tree;
            for &c in columns {
                let next = trees[c as usize];
                if next != at {
                    at = next;
                    self.connected.join(tree, next);
                }
            }
        }
    }
}

/// Islands in the order of their first trees; trees without rows belong to none.
fn number_trees(m: &Model, d: &mut Data) {
    let (structure, rows) = (&d.prepared.structure, &*d.scratch.constraint);
    let islands = Arc::make_mut(&mut d.scratch.islands);
    islands.unite(m, &d.prepared, rows);
    // Mark the sets that have rows, then number them.
    const MARKED: i32 = i32::MAX;
    islands.of_block.clear();
    for edges in &rows.all_edges {
        let firsts =
            edges.connected(&d.prepared.flexes).iter().filter(|[tree, first]| tree == first);
        for &[tree, _] in firsts {
            d.tree_island[islands.connected.first(tree) as usize] = MARKED;
        }
    }
    let mut edges = rows.all_edges.iter();
    let mut next = edges.next();
    let mut marked = u32::MAX;
    for (k, b) in rows.blocks.iter().enumerate() {
        let dof = match rows.jacobian().columns_of(b).first() {
            Some(&dof) => Some(dof),
            None => group_dof(m, structure, &d.contact, d.efc_id[b.rows().start]),
        };
        let tree = dof.map_or(0, |dof| structure.dof_tree[dof as usize]);
        islands.of_block.grow_push(tree);
        while next.is_some_and(|edges| edges.blocks.end <= k) {
            next = edges.next();
        }
        if tree != marked && !next.is_some_and(|edges| edges.blocks.contains(&k)) {
            let root = islands.connected.first(tree) as usize;
            d.tree_island[root] = MARKED;
            marked = tree;
        }
    }
    let mut nisland = 0;
    for tree in 0..m.ntree {
        let root = islands.connected.first(tree as u32) as usize;
        if root == tree {
            if d.tree_island[tree] == MARKED {
                d.tree_island[tree] = nisland;
                nisland += 1;
            }
        } else {
            d.tree_island[tree] = d.tree_island[root];
        }
    }
    for of in &mut islands.of_block {
        *of = d.tree_island[*of as usize] as u32;
    }
    d.nisland = nisland as usize;
    for v in per_island(d) {
        v.resize(nisland as usize, 0);
    }
    group(&d.tree_island, &mut d.island_ntree, &mut d.island_itreeadr, &mut d.map_itree2tree);
}

/// A degree of freedom of a contact within one rigid group: no column is left, but the group moves.
fn group_dof(m: &Model, structure: &Structure, contacts: &[Contact], id: i32) -> Option<u32> {
    let contact = contacts.get(usize::try_from(id).ok()?)?;
    let body = index(m.geom_bodyid[index(contact.geom[0], m.ngeom)?], m.nbody)?;
    structure.chain(body).first().copied()
}

/// Rows and blocks by island, keeping their order.
fn place_rows(d: &mut Data) {
    let rows = &*d.scratch.constraint;
    let IslandRows { blocks, columns, runs, parts, spans, of_block, .. } =
        Arc::make_mut(&mut d.scratch.islands);
    parts.clear();
    parts.grow_extend(d.island_idofadr.iter().zip(&d.island_nv).map(|(&first, &nv)| Part {
        dofs: first as usize..(first + nv) as usize,
        ..Part::default()
    }));
    for (b, &island) in rows.blocks.iter().zip(&*of_block) {
        let (range, part) = (b.rows(), &mut parts[island as usize]);
        if range.start < d.ne {
            part.ne += range.len();
        } else if range.start < d.ne + d.nf {
            part.nf += range.len();
        }
        part.rows.end += range.len();
        part.blocks.end += 1;
    }
    // From lengths to ranges that are empty so far and grow below.
    let (mut row, mut block) = (0, 0);
    for (island, part) in parts.iter_mut().enumerate() {
        let (nrow, nblock) = (part.rows.end, part.blocks.end);
        (part.rows, part.blocks) = (row..row, block..block);
        d.island_ne[island] = part.ne as i32;
        d.island_nf[island] = part.nf as i32;
        d.island_nefc[island] = nrow as i32;
        d.island_iefcadr[island] = row as i32;
        row += nrow;
        block += nblock;
    }

    blocks.clear();
    blocks.grow_extend_from_slice(&rows.blocks);
    columns.clear();
    columns.grow_extend_from_slice(&rows.columns);
    runs.clear();
    runs.grow_extend_from_slice(&rows.runs);
    spans.clear();
    let mut renamed = 0;
    for (b, &of) in rows.blocks.iter().zip(&*of_block) {
        let (range, part) = (b.rows(), &mut parts[of as usize]);
        blocks[part.blocks.end] = Block { row: part.rows.len() as u32, ..*b };
        part.blocks.end += 1;
        match spans.last_mut() {
            Some(span) if span.island == of && span.rows().end == range.start => {
                span.len += range.len() as u32;
            }
            _ => {
                let [start, island_start, len] =
                    [range.start, part.rows.end, range.len()].map(|n| n as u32);
                spans.push(Span { island: of, start, island_start, len });
            }
        }
        part.rows.end += range.len();

        // Blocks that follow each other may share columns, and all that follow are new.
        if b.col < renamed {
            continue;
        }
        renamed = b.col + b.ncol;
        // Degrees of freedom of one tree stay together, those of two may come closer.
        let mut columns = &mut columns[b.col as usize..(b.col + b.ncol) as usize];
        for run in &mut runs[b.run as usize..(b.run + b.nrun) as usize] {
            let start = (d.map_dof2idof[run.start as usize] - part.dofs.start as i32) as u32;
            let here;
            (here, columns) = columns.split_at_mut(run.len as usize);
            for c in here {
                *c = *c - run.start + start;
            }
            run.start = start;
        }
    }
    for span in &*spans {
        d.efc_island[span.rows()].fill(span.island as i32);
        count_from(span.island_start, &mut d.map_efc2iefc[span.rows()]);
        count_from(span.start, &mut d.map_iefc2efc[span.island_rows()]);
    }
}

/// Ascending numbers.
fn count_from(first: u32, numbers: &mut [i32]) {
    for (number, n) in numbers.iter_mut().zip(first as i32..) {
        *number = n;
    }
}

fn place_dofs(d: &mut Data) {
    for (island, &tree) in d.dof_island.iter_mut().zip(&d.prepared.structure.dof_tree) {
        *island = d.tree_island[tree as usize];
    }
    group(&d.dof_island, &mut d.island_nv, &mut d.island_idofadr, &mut d.map_idof2dof);
    for (i, &dof) in d.map_idof2dof.iter().enumerate() {
        d.map_dof2idof[dof as usize] = i as i32;
    }
    d.nidof = d.island_nv.iter().map(|&n| n as usize).sum();
    for (first, &adr) in d.island_dofadr.iter_mut().zip(&d.island_idofadr) {
        *first = d.map_idof2dof[adr as usize];
    }
}

/// Sorts objects by island, keeping their order; those without an island come last.
fn group(of: &[i32], count: &mut [i32], start: &mut [i32], sorted: &mut [i32]) {
    count.fill(0);
    for &island in of {
        if island >= 0 {
            count[island as usize] += 1;
        }
    }
    let mut total = 0;
    for (s, c) in start.iter_mut().zip(count.iter_mut()) {
        *s = total;
        total += std::mem::take(c);
    }
    for (object, &island) in of.iter().enumerate() {
        let at = match usize::try_from(island) {
            Ok(i) => {
                count[i] += 1;
                start[i] + count[i] - 1
            }
            Err(_) => {
                total += 1;
                total - 1
            }
        };
        sorted[at as usize] = object as i32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grouping_is_stable() {
        let of = [1, -1, 0, 1, 0, -1];
        let (mut count, mut start, mut sorted) = ([0; 2], [0; 2], [0; 6]);
        group(&of, &mut count, &mut start, &mut sorted);
        assert_eq!((count, start), ([2, 2], [0, 2]));
        assert_eq!(sorted, [2, 4, 0, 3, 1, 5]);
    }
}
