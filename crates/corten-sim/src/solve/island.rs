//! Constraint islands: groups of trees that no constraint connects, solved one by one.
//!
//! Reads the rows of [`crate::stage::constraint`]; writes `tree_island`, `dof_island`,
//! `efc_island`, the `island_*` and `map_*` arrays, and the blocks of each island with columns in
//! the island's own numbering. Answers to `mj_island`: an island is a connected set of trees,
//! numbered by its first tree, which equals MuJoCo's flood fill.

use corten_math::TreePattern;
use corten_model::enums::DisableBit;

use super::rows::{Block, Run};
use crate::stage::constraint::Constraints;
use crate::{Data, Model};

/// The rows of all islands, island by island.
#[derive(Clone, Debug, Default)]
pub struct IslandRows {
    pub blocks: Vec<Block>,
    /// Blocks of island `i` are `blocks[start[i]..start[i + 1]]`.
    pub start: Vec<usize>,
    /// As in [`Constraints`], in the numbering of the island.
    pub columns: Vec<u32>,
    pub runs: Vec<Run>,
    /// One island spans everything: its rows are those of [`Constraints`], and the fields above
    /// have no meaning.
    pub whole: bool,
    /// Island of each block in the order of rows.
    of_block: Vec<u32>,
    /// Trees as a union-find forest; a root is the smallest tree of its set.
    union: Vec<u32>,
    /// Tree of each degree of freedom; empty if the model's own numbers make no sense.
    trees: Vec<u32>,
}

/// Partitions trees into islands.
pub fn find(m: &Model, d: &mut Data) {
    d.nisland = 0;
    d.nidof = 0;
    let unknown = d.scratch.islands.trees.len() != m.nv;
    if m.opt.disabled(DisableBit::Island) || d.nefc == 0 || unknown {
        clear(m, d);
        return;
    }
    let mut islands = std::mem::take(&mut d.scratch.islands);
    let rows = d.scratch.constraint.take();
    islands.whole = m.ntree == 1 || {
        islands.unite(m, &rows);
        islands.number_trees(m, d, &rows);
        d.nisland == 1 && d.tree_island.iter().all(|&island| island == 0)
    };
    if islands.whole {
        unite_all(m, d);
    } else {
        place_dofs(d, &islands.trees);
        islands.place_rows(d, &rows);
    }
    d.scratch.islands = islands;
    d.scratch.constraint.put(rows);
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
        v.resize(n, -1);
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
    /// Degrees of freedom of a tree are consecutive, and those of a row of the mass matrix belong
    /// to one tree; otherwise there are no islands.
    pub fn new(m: &Model, mass: &TreePattern) -> IslandRows {
        let valid = |dof: usize, &tree: &i32| {
            let tree = u32::try_from(tree).ok().filter(|&t| (t as usize) < m.ntree)?;
            let before = dof.checked_sub(1).map_or(0, |i| m.dof_treeid[i]);
            let root = mass.columns(dof)[0] as usize;
            (before <= tree as i32 && m.dof_treeid[root] == tree as i32).then_some(tree)
        };
        let trees: Option<Vec<u32>> = if mass.size() == m.nv {
            m.dof_treeid.iter().enumerate().map(|(dof, tree)| valid(dof, tree)).collect()
        } else {
            None
        };
        IslandRows { trees: trees.unwrap_or_default(), ..IslandRows::default() }
    }

    fn root(&mut self, tree: u32) -> u32 {
        let mut root = tree;
        while self.union[root as usize] != root {
            root = self.union[root as usize];
        }
        let mut t = tree;
        while self.union[t as usize] != root {
            t = std::mem::replace(&mut self.union[t as usize], root);
        }
        root
    }

    /// Joins the trees that a block connects. Columns are ascending, so a tree's come together.
    fn unite(&mut self, m: &Model, rows: &Constraints) {
        self.union.clear();
        self.union.extend(0..m.ntree as u32);
        let jacobian = rows.jacobian();
        for b in &rows.blocks {
            let columns = jacobian.columns_of(b);
            let (Some(&first), Some(&last)) = (columns.first(), columns.last()) else { continue };
            let tree = self.trees[first as usize];
            if self.trees[last as usize] == tree {
                continue;
            }
            let mut root = self.root(tree);
            let mut at = tree;
            for &c in columns {
                let next = self.trees[c as usize];
                if next == at {
                    continue;
                }
                at = next;
                let other = self.root(next);
                let (low, high) = (root.min(other), root.max(other));
                self.union[high as usize] = low;
                root = low;
            }
        }
    }

    /// Islands in the order of their first trees; trees without rows belong to none.
    fn number_trees(&mut self, m: &Model, d: &mut Data, rows: &Constraints) {
        clear(m, d);
        // Mark the sets that have rows, then number them.
        const MARKED: i32 = i32::MAX;
        self.of_block.clear();
        for b in &rows.blocks {
            let tree = self.block_tree(m, d, rows, b);
            self.of_block.push(tree as u32);
            let root = self.root(tree as u32) as usize;
            d.tree_island[root] = MARKED;
        }
        let mut nisland = 0;
        for tree in 0..m.ntree {
            let root = self.root(tree as u32) as usize;
            if root == tree {
                if d.tree_island[tree] == MARKED {
                    d.tree_island[tree] = nisland;
                    nisland += 1;
                }
            } else {
                d.tree_island[tree] = d.tree_island[root];
            }
        }
        d.nisland = nisland as usize;
        for v in per_island(d) {
            v.resize(nisland as usize, 0);
        }
        group(&d.tree_island, &mut d.island_ntree, &mut d.island_itreeadr, &mut d.map_itree2tree);
        for of in &mut self.of_block {
            *of = d.tree_island[*of as usize] as u32;
        }
    }

    /// A tree that the block acts on.
    fn block_tree(&self, m: &Model, d: &Data, rows: &Constraints, b: &Block) -> usize {
        if let Some(&dof) = rows.jacobian().columns_of(b).first() {
            return self.trees[dof as usize] as usize;
        }
        // A contact within one rigid group: no column is left, but the group moves.
        let body = usize::try_from(d.efc_id[b.rows().start])
            .ok()
            .and_then(|c| usize::try_from(d.contact.get(c)?.geom[0]).ok())
            .and_then(|g| usize::try_from(*m.geom_bodyid.get(g)?).ok());
        let dof = body.and_then(|b| d.prepared.structure.chain(b).first());
        dof.map_or(0, |&dof| self.trees[dof as usize] as usize)
    }

    /// Rows and blocks by island, keeping their order.
    fn place_rows(&mut self, d: &mut Data, rows: &Constraints) {
        self.start.clear();
        self.start.resize(d.nisland + 1, 0);
        for (b, &island) in rows.blocks.iter().zip(&self.of_block) {
            let (range, island) = (b.rows(), island as usize);
            let count = range.len() as i32;
            if range.start < d.ne {
                d.island_ne[island] += count;
            } else if range.start < d.ne + d.nf {
                d.island_nf[island] += count;
            }
            d.island_nefc[island] += count;
            self.start[island + 1] += 1;
        }
        let mut total = 0;
        for i in 0..d.nisland {
            d.island_iefcadr[i] = total;
            total += std::mem::take(&mut d.island_nefc[i]);
            self.start[i + 1] += self.start[i];
        }

        self.blocks.clear();
        self.blocks.extend_from_slice(&rows.blocks);
        self.columns.clear();
        self.columns.extend_from_slice(&rows.columns);
        self.runs.clear();
        self.runs.extend_from_slice(&rows.runs);
        let mut renamed = 0;
        // `start` and the number of rows serve as write positions; `start` ends one island ahead.
        for (b, &of) in rows.blocks.iter().zip(&self.of_block) {
            let (range, island) = (b.rows(), of as usize);
            let row = d.island_nefc[island];
            let first = d.island_iefcadr[island] + row;
            d.island_nefc[island] += range.len() as i32;
            for (k, efc) in range.enumerate() {
                let iefc = first + k as i32;
                d.efc_island[efc] = of as i32;
                d.map_efc2iefc[efc] = iefc;
                d.map_iefc2efc[iefc as usize] = efc as i32;
            }
            let at = &mut self.start[island];
            self.blocks[*at] = Block { row: row as u32, ..*b };
            *at += 1;

            // Blocks that follow each other may share columns, and all that follow are new.
            if b.col < renamed {
                continue;
            }
            renamed = b.col + b.ncol;
            // Degrees of freedom of one tree stay together, those of two may come closer.
            let first = d.island_idofadr[island];
            let mut columns = &mut self.columns[b.col as usize..(b.col + b.ncol) as usize];
            for run in &mut self.runs[b.run as usize..(b.run + b.nrun) as usize] {
                let start = (d.map_dof2idof[run.start as usize] - first) as u32;
                let here;
                (here, columns) = columns.split_at_mut(run.len as usize);
                for c in here {
                    *c = *c - run.start + start;
                }
                run.start = start;
            }
        }
        self.start.rotate_right(1);
        self.start[0] = 0;
    }
}

fn place_dofs(d: &mut Data, trees: &[u32]) {
    for (island, &tree) in d.dof_island.iter_mut().zip(trees) {
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
