//! What fills in when a matrix is factored.
//!
//! Degrees of freedom that occur in the same rows of the mass matrix and in the same constraints
//! form a *segment*; structure is found for segments, not for single degrees of freedom. Column
//! structures of the factor follow from those of the children in the elimination tree (Liu, *The
//! role of elimination trees in sparse factorization*, 1990).

use super::super::problem::Inertia;
use super::super::rows::Run;
use super::order::Cliques;
use corten_math::memory::Grow;

/// No segment, no tile.
pub const NONE: u32 = u32::MAX;

/// Degrees of freedom without a difference in structure.
#[derive(Clone, Debug, Default)]
pub struct Segments {
    /// First degree of freedom of each, then their number.
    start: Vec<u32>,
    /// Segment of each degree of freedom; before that, whether one starts there.
    of: Vec<u32>,
    pub weight: Vec<u32>,
    parent: Vec<u32>,
    leaf: Vec<bool>,
    pub cliques: Cliques,
}

impl Segments {
    pub fn find<'a>(
        &mut self,
        n: usize,
        inertia: &Inertia<'_>,
        shapes: impl Iterator<Item = &'a [Run]> + Clone,
    ) {
        self.of.clear();
        self.of.grow_resize(n + 1, 0);
        let parent = |i: usize| {
            let (_, columns, shift) = inertia.row(i);
            columns.len().checked_sub(2).map(|k| columns[k] as usize - shift)
        };
        for i in 0..n {
            let above = parent(i);
            if above.map(|p| p + 1) != Some(i) {
                self.of[i] = 1;
                if let Some(p) = above {
                    self.of[p + 1] = 1;
                }
            }
        }
        for run in shapes.clone().flatten() {
            self.of[run.start as usize] = 1;
            self.of[(run.start + run.len) as usize] = 1;
        }
        self.start.clear();
        for (i, of) in self.of[..n].iter_mut().enumerate() {
            if *of != 0 {
                self.start.grow_push(i as u32);
            }
            *of = self.start.len() as u32 - 1;
        }
        self.start.push(n as u32);
        self.weight.clear();
        self.weight.grow_extend(self.start.windows(2).map(|w| w[1] - w[0]));

        self.parent.clear();
        self.leaf.clear();
        self.leaf.resize(self.weight.len(), true);
        for s in 0..self.weight.len() {
            let above = parent(self.start[s] as usize).map_or(NONE, |p| self.of[p]);
            self.parent.grow_push(above);
            if above != NONE {
                self.leaf[above as usize] = false;
            }
        }

        self.cliques.clear();
        for leaf in (0..self.weight.len()).filter(|&s| self.leaf[s]) {
            let mut s = leaf as u32;
            while s != NONE {
                self.cliques.push(s);
                s = self.parent[s as usize];
            }
            self.cliques.close();
        }
        for runs in shapes {
            for run in runs {
                let last = self.of[(run.start + run.len - 1) as usize];
                (self.of[run.start as usize]..=last).for_each(|s| self.cliques.push(s));
            }
            self.cliques.close();
        }
    }

    pub fn dofs(&self, s: u32) -> std::ops::Range<u32> {
        self.start[s as usize]..self.start[s as usize + 1]
    }
}

/// Structure of the factor by segments, numbered against the order of elimination.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// Segment of each number, and the reverse.
    pub segment: Vec<u32>,
    number: Vec<u32>,
    /// Those above each, ascending: a piece of `above`.
    range: Vec<[u32; 2]>,
    above: Vec<u32>,
    pub parent: Vec<u32>,
    pub multiplications: u64,
    pub nonzeros: usize,
    /// Lists of cliques by their last number, and of children.
    clique: Vec<u32>,
    next_clique: Vec<u32>,
    pub child: Vec<u32>,
    pub next_child: Vec<u32>,
    met: Vec<u32>,
    pub stack: Vec<u32>,
}

impl Structure {
    /// With segments numbered as in `self.segment`; `false`, and not to its end, if there are more
    /// entries than `max_nonzeros`.
    pub fn find(&mut self, segments: &Segments, max_nonzeros: usize) -> bool {
        let n = self.segment.len();
        self.number.clear();
        self.number.grow_resize(n, 0);
        for (number, &s) in self.segment.iter().enumerate() {
            self.number[s as usize] = number as u32;
        }
        for v in [&mut self.clique, &mut self.child, &mut self.next_child, &mut self.met] {
            v.clear();
            v.grow_resize(n, NONE);
        }
        self.next_clique.clear();
        for (c, clique) in segments.cliques.iter().enumerate() {
            let last = clique.iter().map(|&s| self.number[s as usize]).max().unwrap_or(0);
            let head = std::mem::replace(&mut self.clique[last as usize], c as u32);
            self.next_clique.grow_push(head);
        }
        self.range.clear();
        self.range.grow_resize(n, [0; 2]);
        self.parent.clear();
        self.parent.grow_resize(n, NONE);
        self.above.clear();
        self.multiplications = 0;
        self.nonzeros = 0;
        for p in (0..n).rev() {
            let from = self.above.len();
            let mut c = self.clique[p];
            while c != NONE {
                for &s in segments.cliques.get(c as usize) {
                    let q = self.number[s as usize];
                    if q != p as u32 && self.met[q as usize] != p as u32 {
                        self.met[q as usize] = p as u32;
                        self.above.grow_push(q);
                    }
                }
                c = self.next_clique[c as usize];
            }
            let mut c = self.child[p];
            while c != NONE {
                for k in self.range[c as usize][0]..self.range[c as usize][1] {
                    let q = self.above[k as usize];
                    if q != p as u32 && self.met[q as usize] != p as u32 {
                        self.met[q as usize] = p as u32;
                        self.above.grow_push(q);
                    }
                }
                c = self.next_child[c as usize];
            }
            let above = &mut self.above[from..];
            above.sort_unstable();
            if let Some(&parent) = above.last() {
                self.parent[p] = parent;
                let head = std::mem::replace(&mut self.child[parent as usize], p as u32);
                self.next_child[p] = head;
            }
            let weight = |number: usize| segments.weight[self.segment[number] as usize] as usize;
            let own = weight(p);
            let width: usize = above.iter().map(|&q| weight(q as usize)).sum();
            self.multiplications += (own * (width + own) * (width + own) / 2) as u64;
            self.nonzeros += own * width + own * (own + 1) / 2;
            self.range[p] = [from as u32, self.above.len() as u32];
            if self.nonzeros > max_nonzeros {
                return false;
            }
        }
        true
    }

    pub fn above(&self, number: usize) -> &[u32] {
        &self.above[self.range[number][0] as usize..self.range[number][1] as usize]
    }
}
