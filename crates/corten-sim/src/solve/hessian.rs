//! The Hessian `H = M + Jᵀ W J` of Newton's method, its factor and solves.
//!
//! Elimination runs from the last degree of freedom to the first, so that the mass matrix of a
//! tree factors without fill. A constraint between two branches or trees makes its columns a
//! clique; the *elimination tree* `parent(i) = max {j < i : Lᵢⱼ ≠ 0}` then has every clique, and
//! every row of the factor, on one path from a node to the root (Liu, *The role of elimination
//! trees in sparse factorization*, 1990). Nodes are renumbered depth first, which changes neither
//! fill nor result. Row `i` is stored as the contiguous piece of its path from the topmost
//! ancestor that it can meet down to itself: a skyline along the tree, indexed by depth. Rows `i`
//! and `j` of one path overlap in a contiguous piece, so every elimination step is one
//! multiply-add over slices; and a vector is solved on a stack that is indexed by depth. Neither
//! needs an index per entry.
//!
//! Every row is followed by [`PAD`] spare entries, so that kernels work on whole groups of
//! [`LANES`] numbers without a remainder: what they do beyond the diagonal stays there.
//!
//! When active rows change, the matrix is changed accordingly and factored anew. Updating the factor
//! row by row instead costs as much per changed row as a factorisation of a typical robot.

use super::cost::{CONE, ConeHessian, QUADRATIC, cone_hessian};
use super::problem::{Inertia, Problem};
use super::rows::{Block, Jacobian, Kind, MAX_RANK};
use corten_math::{MIN_VAL, wide};

/// No parent, no successor.
const NONE: u32 = u32::MAX;

/// Numbers that a kernel treats together.
const LANES: usize = 4;

/// Spare entries after each row.
const PAD: usize = LANES - 1;

/// Rows of an unbranched piece of a path that are eliminated together, so that each row above is
/// read and written once for all of them.
const TOGETHER: usize = 4;

#[derive(Clone, Debug, Default)]
pub struct Hessian {
    n: usize,
    /// Degree of freedom of each node, and the reverse.
    order: Vec<u32>,
    place: Vec<u32>,
    nodes: Vec<Node>,
    /// Where the mass matrix goes.
    pieces: Vec<Piece>,
    value: Vec<f64>,
    /// Inverse pivots.
    diaginv: Vec<f64>,
    nonzeros: usize,
    symbolic: Symbolic,
    key: Key,
    plan: Plan,
    /// The rows that are eliminated together, group by group.
    panel: Vec<[f64; LANES]>,
    /// The matrix before it was factored, and the states that it belongs to; none if it has parts
    /// that depend on more than states.
    assembled: Vec<f64>,
    states: Vec<i32>,
    /// `W J` of one block, with every piece of its columns padded to whole groups, row by row.
    weighted: Vec<[f64; LANES]>,
    /// Right-hand side by node, and one number per depth.
    x: Vec<f64>,
    stack: Vec<f64>,
}

/// Where the products of each block go.
#[derive(Clone, Debug, Default)]
struct Plan {
    blocks: Vec<BlockPlan>,
    pieces: Vec<ColumnPiece>,
    /// For each column, where its row would start if it reached up to the root.
    rows: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct BlockPlan {
    /// First piece and first row in the plan.
    piece: u32,
    row: u32,
    npiece: u32,
    /// Groups in a padded row.
    groups: u32,
}

/// Columns of a block that are consecutive on their path.
#[derive(Clone, Copy, Debug)]
struct ColumnPiece {
    /// Position in the columns of the block.
    column: u32,
    len: u32,
    depth: u32,
    /// First group in a padded row.
    group: u32,
}

/// A row of the factor, in depth-first order.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// Entries are `value[start..=start + depth - top]`, the diagonal last.
    start: u32,
    /// Depth of the first entry.
    top: u32,
    depth: u32,
    parent: u32,
}

impl Node {
    /// Entries left of the diagonal.
    #[inline(always)]
    fn len(&self) -> usize {
        (self.depth - self.top) as usize
    }

    #[inline(always)]
    fn start(&self) -> usize {
        self.start as usize
    }
}

/// Consecutive entries of the mass matrix that stay consecutive.
#[derive(Clone, Copy, Debug)]
struct Piece {
    from: u32,
    to: u32,
    len: u32,
}

/// What the analysis depends on.
#[derive(Clone, Debug, Default)]
struct Key {
    dofs: Vec<i32>,
    /// Number of columns of each block, then the columns.
    columns: Vec<u32>,
}

impl Key {
    fn matches(&self, dofs: &[i32], rows: &Jacobian<'_>) -> bool {
        let mut rest = &self.columns[..];
        for b in rows.blocks {
            let columns = rows.columns_of(b);
            match rest.split_first() {
                Some((&n, after)) if n == b.ncol && after.starts_with(columns) => {
                    rest = &after[columns.len()..];
                }
                _ => return false,
            }
        }
        rest.is_empty() && self.dofs == dofs
    }

    fn set(&mut self, dofs: &[i32], rows: &Jacobian<'_>) {
        self.dofs.clear();
        self.dofs.extend_from_slice(dofs);
        self.columns.clear();
        for b in rows.blocks {
            self.columns.push(b.ncol);
            self.columns.extend_from_slice(rows.columns_of(b));
        }
    }
}

/// Working memory of the symbolic analysis.
#[derive(Clone, Debug, Default)]
struct Symbolic {
    /// Elimination tree, by degree of freedom.
    parent: Vec<u32>,
    depth: Vec<u32>,
    top: Vec<u32>,
    ancestor: Vec<u32>,
    /// Edges of the graph, in lists by their lower end.
    head: Vec<u32>,
    next: Vec<u32>,
    upper: Vec<u32>,
    /// Last edge down from a node, to drop repetitions.
    last: Vec<u32>,
}

impl Hessian {
    /// Number of stored entries.
    pub fn nonzeros(&self) -> usize {
        self.nonzeros
    }

    /// Finds where the factor can have entries, whichever rows become active. From step to step
    /// this often stays the same.
    pub fn analyze(&mut self, n: usize, inertia: &Inertia<'_>, rows: &Jacobian<'_>) {
        let dofs = inertia.dofs.unwrap_or_default();
        if self.n == n && self.key.matches(dofs, rows) {
            return;
        }
        self.key.set(dofs, rows);
        self.n = n;
        let s = &mut self.symbolic;
        s.eliminate(n, inertia, rows);
        s.reach(n, inertia, rows);
        self.order_depth_first();
        self.lay_out(inertia);
        self.plan(rows);
    }

    /// Numbers the nodes so that every subtree is consecutive.
    fn order_depth_first(&mut self) {
        let (n, parent) = (self.n, &self.symbolic.parent);
        // Sizes of subtrees, then the next free place within each.
        let next = &mut self.symbolic.ancestor;
        next.clear();
        next.resize(n, 1);
        for i in (0..n).rev() {
            if parent[i] != NONE {
                next[parent[i] as usize] += next[i];
            }
        }
        self.place.clear();
        self.order.clear();
        self.order.resize(n, 0);
        let mut root = 0;
        for i in 0..n {
            let size = next[i];
            let free = if parent[i] == NONE { &mut root } else { &mut next[parent[i] as usize] };
            let place = *free;
            *free += size;
            next[i] = place + 1;
            self.place.push(place);
            self.order[place as usize] = i as u32;
        }
    }

    /// Addresses of the rows, and of the entries of the mass matrix in them.
    fn lay_out(&mut self, inertia: &Inertia<'_>) {
        let s = &self.symbolic;
        self.nodes.clear();
        let (mut start, mut deepest) = (0, 0);
        self.nonzeros = 0;
        for &i in &self.order {
            let (i, parent) = (i as usize, s.parent[i as usize]);
            let parent = if parent == NONE { NONE } else { self.place[parent as usize] };
            let node = Node { start, top: s.top[i], depth: s.depth[i], parent };
            self.nodes.push(node);
            start += (node.len() + 1 + PAD) as u32;
            deepest = deepest.max(node.depth as usize);
            self.nonzeros += node.len() + 1;
        }
        self.value.clear();
        self.value.resize(start as usize + LANES, 0.0);
        self.stack.clear();
        self.stack.resize(deepest + 1 + LANES, 0.0);
        self.x.clear();
        self.x.resize(self.n, 0.0);
        self.diaginv.clear();
        self.diaginv.resize(self.n, 0.0);

        self.pieces.clear();
        for i in 0..self.n {
            let node = self.nodes[self.place[i] as usize];
            let (from, columns, shift) = inertia.row(i);
            let first = self.pieces.len();
            for (k, &c) in columns.iter().enumerate() {
                let to = node.start + s.depth[c as usize - shift] - node.top;
                match self.pieces[first..].last_mut() {
                    Some(p) if p.to + p.len == to => p.len += 1,
                    _ => self.pieces.push(Piece { from: (from + k) as u32, to, len: 1 }),
                }
            }
        }
    }

    fn plan(&mut self, rows: &Jacobian<'_>) {
        let plan = &mut self.plan;
        plan.blocks.clear();
        plan.pieces.clear();
        plan.rows.clear();
        for b in rows.blocks {
            let (piece, row) = (plan.pieces.len(), plan.rows.len() as u32);
            let mut group = 0;
            for (t, &c) in rows.columns_of(b).iter().enumerate() {
                let node = self.nodes[self.place[c as usize] as usize];
                plan.rows.push(node.start - node.top);
                match plan.pieces[piece..].last_mut() {
                    Some(p) if p.depth + p.len == node.depth => p.len += 1,
                    last => {
                        group += last.map_or(0, |p| groups_of(p.len));
                        let (column, depth) = (t as u32, node.depth);
                        plan.pieces.push(ColumnPiece { column, len: 1, depth, group });
                    }
                }
            }
            let groups = plan.pieces[piece..].last();
            let groups = groups.map_or(0, |p| p.group + groups_of(p.len));
            let npiece = (plan.pieces.len() - piece) as u32;
            plan.blocks.push(BlockPlan { piece: piece as u32, row, npiece, groups });
        }
    }

    /// Builds `H` for the given states and factors it. Returns how many pivots had to be
    /// raised to the smallest divisor: 0 for a positive definite matrix.
    pub fn factor(&mut self, problem: &Problem<'_>, jar: &[f64], state: &[i32]) -> usize {
        build(self, problem, jar, state);
        factor(self)
    }

    /// [`Self::factor`] of the same problem at other states.
    pub fn refactor(&mut self, problem: &Problem<'_>, jar: &[f64], state: &[i32]) -> usize {
        if !change(self, problem, jar, state) {
            build(self, problem, jar, state);
        }
        factor(self)
    }

    /// `x ← H⁻¹ x`.
    pub fn solve(&mut self, x: &mut [f64]) {
        solve(self, x);
    }
}

impl Symbolic {
    fn link(&mut self, low: u32, high: u32) {
        self.next.push(self.head[low as usize]);
        self.head[low as usize] = self.upper.len() as u32;
        self.upper.push(high);
    }

    /// The elimination tree of the graph of `M` and of all blocks' cliques.
    fn eliminate(&mut self, n: usize, inertia: &Inertia<'_>, rows: &Jacobian<'_>) {
        self.parent.clear();
        for i in 0..n {
            let (_, columns, shift) = inertia.row(i);
            let before = columns.len().checked_sub(2).map(|k| columns[k] as usize - shift);
            self.parent.push(before.map_or(NONE, |c| c as u32));
        }
        self.last.clear();
        self.last.extend_from_slice(&self.parent);
        self.head.clear();
        self.head.resize(n, NONE);
        self.next.clear();
        self.upper.clear();
        // Consecutive columns are enough: elimination connects the rest of a clique.
        for b in rows.blocks {
            for pair in rows.columns_of(b).windows(2) {
                let (low, high) = (pair[0], pair[1]);
                if self.last[high as usize] != low {
                    self.last[high as usize] = low;
                    self.link(low, high);
                }
            }
        }
        if self.upper.is_empty() {
            return;
        }
        for i in 0..n {
            if self.parent[i] != NONE {
                self.link(self.parent[i], i as u32);
            }
        }
        self.parent.fill(NONE);
        self.ancestor.clear();
        self.ancestor.resize(n, NONE);
        for j in (0..n as u32).rev() {
            let mut edge = self.head[j as usize];
            while edge != NONE {
                // Up to the root of the subtree so far, which gets `j` as its parent.
                let mut i = self.upper[edge as usize];
                while i != j {
                    let up = std::mem::replace(&mut self.ancestor[i as usize], j);
                    if up == NONE {
                        self.parent[i as usize] = j;
                        break;
                    }
                    i = up;
                }
                edge = self.next[edge as usize];
            }
        }
    }

    /// Depths, and how far up each row reaches.
    fn reach(&mut self, n: usize, inertia: &Inertia<'_>, rows: &Jacobian<'_>) {
        self.depth.clear();
        for i in 0..n {
            let parent = self.parent[i];
            let depth = if parent == NONE { 0 } else { self.depth[parent as usize] + 1 };
            self.depth.push(depth);
        }
        self.top.clear();
        for i in 0..n {
            let (_, columns, shift) = inertia.row(i);
            self.top.push(self.depth[columns[0] as usize - shift]);
        }
        for b in rows.blocks {
            let columns = rows.columns_of(b);
            let Some(&first) = columns.first() else { continue };
            let top = self.depth[first as usize];
            for &c in columns {
                let t = &mut self.top[c as usize];
                *t = (*t).min(top);
            }
        }
        for i in (0..n).rev() {
            let parent = self.parent[i];
            if parent != NONE && self.top[i] <= self.depth[parent as usize] {
                let top = self.top[i];
                let t = &mut self.top[parent as usize];
                *t = (*t).min(top);
            }
        }
    }
}

wide! {
    /// `M + Jᵀ W J`.
    fn build(h: &mut Hessian, problem: &Problem<'_>, jar: &[f64], state: &[i32]) {
        h.value.fill(0.0);
        for p in &h.pieces {
            let (from, to, len) = (p.from as usize, p.to as usize, p.len as usize);
            let from = &problem.inertia.matrix[from..from + len];
            for (to, from) in h.value[to..to + len].iter_mut().zip(from) {
                *to = *from;
            }
        }
        let rows = &problem.rows.jacobian;
        let mut cones = false;
        for (b, plan) in rows.blocks.iter().zip(&h.plan.blocks) {
            // Limits and friction of joints.
            if b.rank == 1 && b.ncol == 1 {
                if state[b.row as usize] == QUADRATIC {
                    let (d, v) = (problem.rows.d[b.row as usize], rows.values[b.val as usize]);
                    let piece = h.plan.pieces[plan.piece as usize];
                    h.value[(h.plan.rows[plan.row as usize] + piece.depth) as usize] += d * v * v;
                }
                continue;
            }
            let (w, any) = weights(problem, b, jar, state);
            cones |= b.kind == Kind::Elliptic && state[b.row as usize] == CONE;
            if any {
                h.plan.add(&mut h.value, &mut h.weighted, rows, b, plan, &w);
            }
        }
        h.states.clear();
        if !cones {
            h.states.extend_from_slice(state);
            h.assembled.clear();
            h.assembled.extend_from_slice(&h.value);
        }
    }

    /// Turns the matrix of other states into that of the given ones, if possible.
    fn change(h: &mut Hessian, problem: &Problem<'_>, jar: &[f64], state: &[i32]) -> bool {
        let rows = &problem.rows.jacobian;
        let cone = |b: &Block| b.kind == Kind::Elliptic && state[b.row as usize] == CONE;
        if h.states.len() != state.len() || rows.blocks.iter().any(cone) {
            return false;
        }
        for (b, plan) in rows.blocks.iter().zip(&h.plan.blocks) {
            let range = b.rows();
            if h.states[range.clone()] == state[range] {
                continue;
            }
            let (old, _) = weights(problem, b, jar, &h.states);
            let (mut w, _) = weights(problem, b, jar, state);
            for (w, old) in w.iter_mut().flatten().zip(old.iter().flatten()) {
                *w -= old;
            }
            h.plan.add(&mut h.assembled, &mut h.weighted, rows, b, plan, &w);
        }
        h.states.copy_from_slice(state);
        h.value.copy_from_slice(&h.assembled);
        true
    }

    /// `H = Lᵀ D L` in place: rows of `L` without its unit diagonal, zeros from there on; inverse
    /// pivots apart.
    fn factor(h: &mut Hessian) -> usize {
        let mut raised = 0;
        let mut end = h.n;
        while end > 0 {
            let mut first = end - 1;
            while end - first < TOGETHER
                && first > 0
                && h.nodes[first].parent == first as u32 - 1
                && h.nodes[first - 1].top == h.nodes[first].top
            {
                first -= 1;
            }
            raised += match end - first {
                1 => eliminate::<1>(h, first),
                2 => eliminate::<2>(h, first),
                3 => eliminate::<3>(h, first),
                _ => eliminate::<TOGETHER>(h, first),
            };
            end = first;
        }
        raised
    }

    fn solve(h: &mut Hessian, x: &mut [f64]) {
        for (to, &i) in h.x.iter_mut().zip(&h.order) {
            *to = x[i as usize];
        }
        h.stack.fill(0.0);
        // Up the tree, the stack collects what ancestors will have to subtract.
        for p in (0..h.n).rev() {
            let (node, x) = (h.nodes[p], &mut h.x[p]);
            let groups = groups(node.len());
            let xi = *x - h.stack[node.depth as usize];
            *x = xi * h.diaginv[p];
            let row = chunks(&h.value, node.start(), groups);
            let stack = chunks_mut(&mut h.stack, node.top as usize, groups);
            for (s, l) in stack.iter_mut().zip(row) {
                for k in 0..LANES {
                    s[k] += l[k] * xi;
                }
            }
            // The next branch finds nothing of this one.
            if h.nodes[p.saturating_sub(1)].depth >= node.depth {
                let next = h.nodes[p.saturating_sub(1)].depth as usize;
                h.stack[node.depth as usize..=next].fill(0.0);
            }
        }
        // Down the tree, it holds their solution.
        for ((node, from), &i) in h.nodes.iter().zip(&h.x).zip(&h.order) {
            let xi = *from - dot(&h.value[node.start()..], &h.stack[node.top as usize..], node.len());
            h.stack[node.depth as usize] = xi;
            x[i as usize] = xi;
        }
    }
}

/// Product of the first `n` numbers of a row and of the stack. The last ones on the stack have
/// just been stored: a wide load of several recent stores has to wait for all of them to reach the
/// cache, so these are taken one by one.
#[inline(always)]
fn dot(row: &[f64], stack: &[f64], n: usize) -> f64 {
    const RECENT: usize = 16;
    let older = n.saturating_sub(RECENT) / LANES * LANES;
    let (row, stack) = (&row[..n], &stack[..n]);
    let mut sum = [0.0; LANES];
    let groups =
        row[..older].as_chunks::<LANES>().0.iter().zip(stack[..older].as_chunks::<LANES>().0);
    for (l, s) in groups {
        for k in 0..LANES {
            sum[k] += l[k] * s[k];
        }
    }
    let older_sum = (sum[0] + sum[2]) + (sum[1] + sum[3]);
    row[older..].iter().zip(&stack[older..]).fold(older_sum, |sum, (l, s)| sum + l * s)
}

/// Groups of [`LANES`] that cover `n` numbers.
#[inline(always)]
fn groups(n: usize) -> usize {
    n.div_ceil(LANES)
}

#[inline(always)]
fn chunks(x: &[f64], start: usize, groups: usize) -> &[[f64; LANES]] {
    &x[start..].as_chunks().0[..groups]
}

#[inline(always)]
fn chunks_mut(x: &mut [f64], start: usize, groups: usize) -> &mut [[f64; LANES]] {
    &mut x[start..].as_chunks_mut().0[..groups]
}

#[inline(always)]
fn groups_of(n: u32) -> u32 {
    groups(n as usize) as u32
}

/// Second derivative of the cost by the stored rows of a block, and whether it is not zero.
#[inline(always)]
fn weights(problem: &Problem<'_>, b: &Block, jar: &[f64], state: &[i32]) -> (ConeHessian, bool) {
    let (cones, d) = (problem.rows.jacobian.cones, problem.rows.d);
    let active = |i: usize| if state[i] == QUADRATIC { d[i] } else { 0.0 };
    let range = b.rows();
    let mut w = [[0.0; MAX_RANK]; MAX_RANK];
    let mut any = false;
    match b.kind {
        Kind::Pyramid => {
            let friction = &cones[b.cone as usize].friction;
            for k in 1..b.rank as usize {
                let edge = range.start + 2 * (k - 1);
                let (plus, minus) = (active(edge), active(edge + 1));
                let mu = friction[k - 1];
                w[0][0] += plus + minus;
                w[0][k] = mu * (plus - minus);
                w[k][0] = w[0][k];
                w[k][k] = mu * mu * (plus + minus);
            }
            any = w[0][0] != 0.0;
        }
        Kind::Elliptic if state[range.start] == CONE => {
            w = cone_hessian(&cones[b.cone as usize], &d[range.clone()], &jar[range]);
            any = true;
        }
        _ => {
            for (k, i) in range.enumerate() {
                w[k][k] = active(i);
                any |= w[k][k] != 0.0;
            }
        }
    }
    (w, any)
}

impl Plan {
    /// `H += Jᵀ W J` for one block.
    #[inline(always)]
    fn add(
        &self,
        value: &mut [f64],
        weighted: &mut Vec<[f64; LANES]>,
        rows: &Jacobian<'_>,
        b: &Block,
        plan: &BlockPlan,
        w: &ConeHessian,
    ) {
        let pieces = &self.pieces[plan.piece as usize..][..plan.npiece as usize];
        let targets = &self.rows[plan.row as usize..][..b.ncol as usize];
        let values = rows.values_of(b);
        let groups = plan.groups as usize;
        if let ([piece], [target], [v]) = (pieces, targets, values) {
            value[(target + piece.depth) as usize] += w[0][0] * v * v;
            return;
        }
        match b.rank {
            _ if b.ncol == 0 => {}
            1 => add_block::<1>(value, weighted, pieces, targets, values, groups, w),
            3 => add_block::<3>(value, weighted, pieces, targets, values, groups, w),
            4 => add_block::<4>(value, weighted, pieces, targets, values, groups, w),
            _ => add_block::<MAX_RANK>(value, weighted, pieces, targets, values, groups, w),
        }
    }
}

/// `H += Jᵀ W J` for one block of at most `R` rows.
#[inline(always)]
fn add_block<const R: usize>(
    value: &mut [f64],
    weighted: &mut Vec<[f64; LANES]>,
    pieces: &[ColumnPiece],
    targets: &[u32],
    values: &[f64],
    width: usize,
    w: &ConeHessian,
) {
    let n = targets.len();
    let rank = if R == MAX_RANK { values.len() / n } else { R };
    let row = |r: usize| if r < rank { &values[r * n..][..n] } else { &values[..0] };
    let rows: [&[f64]; R] = std::array::from_fn(row);

    weighted.clear();
    weighted.resize(R * width, [0.0; LANES]);
    for p in pieces {
        for g in 0..groups(p.len as usize) {
            let at = p.column as usize + g * LANES;
            let end = (at + LANES).min((p.column + p.len) as usize);
            let mut v = [[0.0; LANES]; R];
            for r in 0..rank {
                if let Some(four) = rows[r][at..end].first_chunk::<LANES>() {
                    v[r] = *four;
                } else {
                    v[r].iter_mut().zip(&rows[r][at..end]).for_each(|(v, x)| *v = *x);
                }
            }
            for r in 0..R {
                let mut sum = [0.0; LANES];
                for q in 0..R {
                    for k in 0..LANES {
                        sum[k] += w[r][q] * v[q][k];
                    }
                }
                weighted[r * width + p.group as usize + g] = sum;
            }
        }
    }

    let weighted: [&[[f64; LANES]]; R] = std::array::from_fn(|r| &weighted[r * width..][..width]);
    for (q, piece) in pieces.iter().enumerate() {
        for k in 0..piece.len as usize {
            let t = piece.column as usize + k;
            let v: [f64; R] = std::array::from_fn(|r| if r < rank { rows[r][t] } else { 0.0 });
            let target = targets[t] as usize;
            for p in &pieces[..q] {
                let count = groups(p.len as usize);
                add_scaled_rows(value, target + p.depth as usize, &weighted, p.group, count, &v);
            }
            let to = target + piece.depth as usize;
            add_scaled_rows(value, to, &weighted, piece.group, groups(k + 1), &v);
        }
    }
}

/// `value[to..] += Σᵣ factors[r] · rows[r]`, over some groups from `first` on.
#[inline(always)]
fn add_scaled_rows<const R: usize>(
    value: &mut [f64],
    to: usize,
    rows: &[&[[f64; LANES]]; R],
    first: u32,
    groups: usize,
    factors: &[f64; R],
) {
    let target = chunks_mut(value, to, groups);
    let rows: [&[[f64; LANES]]; R] = std::array::from_fn(|r| &rows[r][first as usize..][..groups]);
    for g in 0..groups {
        let mut sum = target[g];
        for r in 0..R {
            for k in 0..LANES {
                sum[k] += factors[r] * rows[r][g][k];
            }
        }
        target[g] = sum;
    }
}

/// Finishes the `N` rows from `first` on, a piece of a path with a common top, and takes them out
/// of all rows above them. Returns how many pivots were raised.
#[inline(always)]
fn eliminate<const N: usize>(h: &mut Hessian, first: usize) -> usize {
    let mut raised = 0;
    let nodes: [Node; N] = std::array::from_fn(|k| h.nodes[first + k]);
    let (top, common) = (nodes[0].top, nodes[0].len());
    h.panel.clear();
    h.panel.resize((nodes[N - 1].len() / LANES + 1) * N, [0.0; LANES]);
    let panel = h.panel.as_chunks_mut::<N>().0;
    let mut inverses = [0.0; N];

    for i in (0..N).rev() {
        // What this row loses to those below it.
        let (group, lane) = (nodes[i].len() / LANES, nodes[i].len() % LANES);
        let below = panel[group];
        let factors: [f64; N] = std::array::from_fn(|k| below[k][lane] * inverses[k]);
        let row = chunks(&h.value, nodes[i].start(), group + 1);
        for (row, entries) in row.iter().zip(panel.iter_mut()) {
            let mut sum = *row;
            for k in i + 1..N {
                for l in 0..LANES {
                    sum[l] -= factors[k] * entries[k][l];
                }
            }
            entries[i] = sum;
        }
        let mut pivot = panel[group][i][lane];
        if pivot < MIN_VAL || pivot.is_nan() {
            pivot = MIN_VAL;
            raised += 1;
        }
        inverses[i] = 1.0 / pivot;
        h.diaginv[first + i] = inverses[i];
    }

    for i in 0..N {
        let (start, len) = (nodes[i].start(), nodes[i].len());
        let row = chunks_mut(&mut h.value, start, groups(len));
        for (row, entries) in row.iter_mut().zip(&*panel) {
            for l in 0..LANES {
                row[l] = entries[i][l] * inverses[i];
            }
        }
        h.value[start + len..][..LANES].copy_from_slice(&[0.0; LANES]);
    }

    let mut parent = nodes[0].parent;
    for s in (0..common).rev() {
        let ancestor = h.nodes[parent as usize];
        parent = ancestor.parent;
        let column = &panel[s / LANES];
        let factors: [f64; N] = std::array::from_fn(|k| column[k][s % LANES] * inverses[k]);
        if factors.iter().fold(true, |zero, &f| zero & (f == 0.0)) {
            continue;
        }
        let from = ancestor.start() + (top - ancestor.top) as usize;
        let target = chunks_mut(&mut h.value, from, s / LANES + 1);
        for (to, entries) in target.iter_mut().zip(&*panel) {
            let mut sum = *to;
            for k in 0..N {
                for l in 0..LANES {
                    sum[l] -= factors[k] * entries[k][l];
                }
            }
            *to = sum;
        }
    }
    raised
}
