//! Edges: lengths, their Jacobian, and springs and dampers along them.
//!
//! An edge of unit direction u from p to q changes its length at the rate u·(q̇ − ṗ). Where vertices
//! are points, whose velocities are degrees of freedom, ±u is its row of the Jacobian: only the
//! directions are kept.

use corten_math::array::MapInline;
use corten_math::fours::padded;
use corten_math::memory::{self, Grow};
use corten_math::{MIN_VAL, Number, Spatial, SquarePattern, Vec3, Wide, for_each_four, wide};

use std::ops::Range;

use super::plan::{FIXED, Flex, Plan};
use super::{Padded, Scratch, gather};
use crate::prepared::structure::POINT;
use crate::stage::constraint::{AllEdges, Constraints, is_sparse};
use crate::support::Chains;
use crate::{Data, Model, support};

/// Whether something acts along the edges of a flex; otherwise they have lengths only.
pub(crate) fn act(m: &Model, flex: usize) -> bool {
    m.flex_edgeequality[flex] != 0
        || m.flex_edgedamping[flex] != 0.0
        || m.flex_edgestiffness[flex] != 0.0
        || m.flex_damping[flex] != 0.0
}

/// Unit vectors along edges, by component.
#[derive(Clone, Debug, Default)]
pub(super) struct Directions([Vec<f64>; 3]);

impl Directions {
    pub fn new(edges: usize) -> Directions {
        Directions([memory::zeroed(edges), memory::zeroed(edges), memory::zeroed(edges)])
    }

    #[inline(always)]
    fn at(&self, edge: usize) -> [f64; 3] {
        self.0.each_ref().map_inline(|component| component[edge])
    }
}

/// Rows of the Jacobian of edge lengths by the velocities of dofs.
#[derive(Clone, Copy)]
pub(crate) struct EdgeRows<'a> {
    plan: &'a Plan,
    memory: &'a Scratch,
}

impl<'a> EdgeRows<'a> {
    pub fn new(plan: &'a Plan, memory: &'a Scratch) -> EdgeRows<'a> {
        EdgeRows { plan, memory }
    }

    /// Calls `visit` with the columns and entries of the row of an edge.
    #[inline(always)]
    fn visit_row(self, flex: &Flex, edge: usize, visit: impl FnOnce(&[i32], &[f64])) {
        let row = self.plan.rows.range(edge);
        let columns = &self.plan.rows.columns[row.clone()];
        if flex.of_points {
            let [x, y, z] = self.memory.direction.at(edge);
            let [a, b] = self.plan.ends[edge].map_inline(|v| self.plan.points[v as usize].dof);
            // Dofs ascend; a fixed vertex comes last and is left out.
            let entries = if b < a { [x, y, z, -x, -y, -z] } else { [-x, -y, -z, x, y, z] };
            visit(columns, &entries[..columns.len().min(2 * POINT)]);
        } else {
            visit(columns, &self.memory.jacobian[row]);
        }
    }

    /// Flexes whose edges have rows.
    fn flexes(self, m: &Model) -> impl Iterator<Item = &'a Flex> {
        self.plan.flexes.iter().filter(|flex| flex.has_edges() && act(m, flex.id))
    }

    /// Calls `visit(edge, columns, entries)` for every row.
    pub fn for_each(self, m: &Model, mut visit: impl FnMut(usize, &[i32], &[f64])) {
        for flex in self.flexes(m) {
            for edge in flex.edges.range() {
                self.visit_row(flex, edge, |columns, entries| visit(edge, columns, entries));
            }
        }
    }

    /// Appends the rows of all edges of a flex to those of a step, but for their parameters, if none of
    /// them is rigid or without entries; returns the edges.
    pub fn append_all(
        self,
        m: &Model,
        flex: usize,
        rows: &mut Constraints,
    ) -> Option<Range<usize>> {
        let (at, flex) = self.plan.flexes.iter().enumerate().find(|(_, own)| own.id == flex)?;
        let edges = flex.edges.range();
        let complete = flex.has_edges()
            && act(m, flex.id)
            && m.flexedge_rigid[edges.clone()].iter().all(|&rigid| rigid == 0)
            && self.plan.rows.all_have_entries(edges.clone());
        if !complete {
            return None;
        }
        let first = rows.blocks.len();
        let entries = self.plan.rows.entries(&edges);
        self.plan.rows.append(edges.clone(), rows);
        if flex.of_points {
            rows.values.grow_reserve(entries.len());
            for edge in edges.clone() {
                self.visit_row(flex, edge, |_, entries| rows.values.extend_from_slice(entries));
            }
        } else {
            rows.values.grow_extend_from_slice(&self.memory.jacobian[entries]);
        }
        rows.all_edges.push(AllEdges::new(at, first..rows.blocks.len()));
        Some(edges)
    }

    /// The same for the edges of one flex that are not rigid.
    pub fn for_each_soft(
        self,
        m: &Model,
        flex: usize,
        mut visit: impl FnMut(usize, &[i32], &[f64]),
    ) {
        for flex in self.flexes(m).filter(|other| other.id == flex) {
            for edge in soft(m, flex) {
                self.visit_row(flex, edge, |columns, entries| visit(edge, columns, entries));
            }
        }
    }

    /// See [`add_damping`]; `dyads` is working memory.
    fn add_damping(
        self,
        m: &Model,
        square: &SquarePattern,
        dyads: &mut [[Padded; 2]],
        target: &mut [f64],
    ) {
        for flex in self.flexes(m) {
            let damping = m.flex_edgedamping[flex.id];
            // Implicit ones are rows of constraints.
            if damping == 0.0 || super::is_implicit(m) {
                continue;
            }
            if !flex.of_points {
                for edge in soft(m, flex) {
                    self.visit_row(flex, edge, |columns, entries| {
                        square.add_rank_one(target, entries, columns, -damping);
                    });
                }
                continue;
            }
            let vertices = flex.vertices.range();
            dyads[vertices.clone()].fill([[0.0; 4]; 2]);
            let edges = flex.edges.range();
            let rigid = &m.flexedge_rigid[edges.clone()];
            let along = self.memory.direction.0.each_ref().map_inline(|c| &c[edges.clone()]);
            sum_dyads(&self.plan.ends[edges], rigid, along, -damping, dyads);
            for (point, [[xx, xy, xz, yy], [yz, zz, ..]]) in
                self.plan.points[vertices.clone()].iter().zip(&dyads[vertices])
            {
                let block = point.block as usize;
                if point.dof != FIXED
                    && let Some(block) = target[block..].first_chunk_mut::<{ POINT * POINT }>()
                {
                    let sums = [xx, xy, xz, xy, yy, yz, xz, yz, zz];
                    block.iter_mut().zip(sums).for_each(|(entry, sum)| *entry += sum);
                }
            }
        }
    }
}

/// Adds the derivative of dampers along edges by velocities, `−b JᵀJ`, to `qDeriv`, where it falls on
/// its sparsity: between dofs of one chain.
pub(crate) fn add_damping(m: &Model, d: &mut Data) {
    let mut dyads = std::mem::take(&mut d.scratch.flex.dyads);
    let rows = EdgeRows::new(&d.prepared.flexes, &d.scratch.flex);
    rows.add_damping(m, &d.prepared.structure.square, &mut dyads, &mut d.qDeriv);
    d.scratch.flex.dyads = dyads;
}

/// Edges whose length can change.
fn soft<'a>(m: &'a Model, flex: &Flex) -> impl Iterator<Item = usize> + 'a {
    flex.edges.range().filter(|&edge| m.flexedge_rigid[edge] == 0)
}

/// `flexedge_length`, and rows of the Jacobian.
pub(super) fn lengths_and_rows(m: &Model, d: &mut Data) {
    let plan = &d.prepared.flexes;
    let memory = &mut d.scratch.flex;
    let chains =
        Chains { structure: &d.prepared.structure, subtree_com: &d.subtree_com, cdof: &d.cdof };
    for flex in plan.flexes.iter().filter(|flex| flex.has_edges()) {
        let edges = flex.edges.range();
        let along = memory.direction.0.each_mut().map_inline(|c| &mut c[edges.clone()]);
        let length = &mut d.flexedge_length[edges.clone()];
        lengths_and_directions(&plan.ends[edges.clone()], &memory.position, length, along);
        if !flex.of_points && act(m, flex.id) {
            let Scratch { direction, jacobian, .. } = memory;
            fill_rows(plan, chains, edges, &d.flexvert_xpos, direction, jacobian);
        }
    }
    if is_sparse(m) {
        publish_pattern(m, d);
    }
}

wide! {
    /// Rows of the Jacobian where vertices are no points.
    fn fill_rows(
        plan: &Plan,
        chains: Chains<'_>,
        edges: Range<usize>,
        vertices: &[Vec3],
        direction: &Directions,
        jacobian: &mut [f64],
    ) {
        for edge in edges {
            let ends = plan.ends[edge].map_inline(|v| vertices[v as usize]);
            let row = &mut jacobian[plan.rows.range(edge)];
            fill_row::<Simd>(plan, chains, edge, ends, Vec3(direction.at(edge)), row);
        }
    }

    /// Adds forces along edges, given their directions, that push the ends apart.
    fn push_ends(
        ends: &[[u32; 2]],
        push: &[f64],
        direction: [&[f64]; 3],
        force: &mut [Padded],
    ) {
        let n = ends.len();
        let direction = direction.map_inline(|component| &component[..n]);
        for start in (0..n).step_by(4) {
            let count = 4.min(n - start);
            let four = |of: &[f64]| {
                let of = &of[start..];
                Simd::load(of.first_chunk().copied().unwrap_or_else(|| padded(of)))
            };
            let along = Vec3(direction.map_inline(four)) * four(&push[..n]);
            let vertex = |end: usize| move |k: usize| ends[start + k][end] as usize;
            super::scatter(along, vertex(1), count, force);
            super::scatter(-along, vertex(0), count, force);
        }
    }

    fn lengths_and_directions(
        ends: &[[u32; 2]],
        position: &[Padded],
        length: &mut [f64],
        direction: [&mut [f64]; 3],
    ) {
        let [x, y, z] = direction;
        for_each_four!(ends.len(), at => length_and_direction::<Simd>(
            &ends[at..],
            position,
            [&mut length[at..], &mut x[at..], &mut y[at..], &mut z[at..]],
        ));
    }

    /// Adds `scale u uᵀ` of edges that are not rigid to the sums of both ends.
    fn sum_dyads(
        ends: &[[u32; 2]],
        rigid: &[u8],
        direction: [&[f64]; 3],
        scale: f64,
        sums: &mut [[Padded; 2]],
    ) {
        let [x, y, z] = direction;
        let scale = Simd::splat(scale);
        for (edge, (ends, &rigid)) in ends.iter().zip(rigid).enumerate() {
            if rigid != 0 {
                continue;
            }
            let [x, y, z] = [x[edge], y[edge], z[edge]];
            let first = Simd::load([x, x, x, y]) * scale * Simd::load([x, y, z, y]);
            let second = Simd::load([y, z, 0.0, 0.0]) * scale * Simd::load([z, z, 0.0, 0.0]);
            for end in ends {
                let [a, b] = &mut sums[*end as usize];
                *a = (Simd::load(*a) + first).store();
                *b = (Simd::load(*b) + second).store();
            }
        }
    }

    /// The rates u·(q̇ − ṗ).
    fn point_rates(
        ends: &[[u32; 2]],
        velocity: &[Padded],
        direction: [&[f64]; 3],
        rate: &mut [f64],
    ) {
        for_each_four!(ends.len(), at => point_rate::<Simd>(
            &ends[at..],
            velocity,
            direction.map_inline(|component| &component[at..]),
            &mut rate[at..],
        ));
    }
}

/// The vector from one end to the other of as many edges as `T` has lanes.
#[inline(always)]
fn difference<T: Number>(ends: &[[u32; 2]], of: &[Padded]) -> Vec3<T> {
    let ends = &ends[..T::LANES];
    gather::<T>(of, |k| ends[k][1] as usize) - gather(of, |k| ends[k][0] as usize)
}

#[inline(always)]
fn length_and_direction<T: Number>(
    ends: &[[u32; 2]],
    position: &[Padded],
    [length, x, y, z]: [&mut [f64]; 4],
) {
    let along = difference::<T>(ends, position);
    let norm = along.dot(along).sqrt();
    let unit = along * (T::splat(1.0) / norm);
    let short = norm.lt(T::splat(MIN_VAL));
    T::select(short, T::splat(1.0), unit[0]).put(x);
    T::select(short, T::splat(0.0), unit[1]).put(y);
    T::select(short, T::splat(0.0), unit[2]).put(z);
    norm.put(length);
}

#[inline(always)]
fn point_rate<T: Number>(
    ends: &[[u32; 2]],
    velocity: &[Padded],
    [x, y, z]: [&[f64]; 3],
    rate: &mut [f64],
) {
    let direction = Vec3([T::from_slice(x), T::from_slice(y), T::from_slice(z)]);
    direction.dot(difference::<T>(ends, velocity)).put(rate);
}

/// The row of an edge: the motion of its second end relative to the first, by each dof, along it.
#[inline(always)]
fn fill_row<S: Wide>(
    plan: &Plan,
    chains: Chains<'_>,
    edge: usize,
    ends: [Vec3; 2],
    direction: Vec3,
    row: &mut [f64],
) {
    let range = plan.rows.range(edge);
    let (dofs, moves) = (&plan.rows.columns[range.clone()], &plan.rows.moves[range]);
    let bodies = plan.ends[edge].map_inline(|v| plan.vertex_body[v as usize] as usize);
    let com = bodies.map_inline(|b| chains.subtree_com[chains.structure.bodies[b].root as usize]);
    let offset = [ends[0] - com[0], ends[1] - com[1]];
    for_each_four!(row.len(), at => fill_entry::<S>(
        chains.cdof,
        (&dofs[at..], &moves[at..]),
        (offset, direction),
        &mut row[at..],
    ));
}

/// Entries for as many dofs as `T` has lanes.
#[inline(always)]
fn fill_entry<T: Number>(
    cdof: &[Spatial],
    (dofs, moves): (&[i32], &[[bool; 2]]),
    (offset, direction): ([Vec3; 2], Vec3),
    row: &mut [f64],
) {
    let (dofs, moves) = (&dofs[..T::LANES], &moves[..T::LANES]);
    let axis = Spatial::<T>::gather(cdof, |k| dofs[k] as usize);
    let share = |end: usize| T::from_lanes(|k| f64::from(u8::from(moves[k][end])));
    let motion = axis.velocity_at(Vec3::of(offset[1])) * share(1)
        - axis.velocity_at(Vec3::of(offset[0])) * share(0);
    motion.dot(Vec3::of(direction)).put(row);
}

/// `flexedge_J_rownnz` and `flexedge_J_rowadr`: rows of one flex after the other, without those
/// that have none.
fn publish_pattern(m: &Model, d: &mut Data) {
    let plan = &d.prepared.flexes;
    let mut start = 0;
    for flex in &plan.flexes {
        let acts = flex.has_edges() && act(m, flex.id);
        for edge in flex.edges.range() {
            let count = if acts { plan.rows.range(edge).len() as i32 } else { 0 };
            d.flexedge_J_rownnz[edge] = count;
            d.flexedge_J_rowadr[edge] = if acts { start } else { 0 };
            start += count;
        }
    }
}

/// `flexedge_velocity`.
pub(super) fn velocities(m: &Model, d: &mut Data) {
    let plan = &d.prepared.flexes;
    let memory = &mut d.scratch.flex;
    for flex in &plan.flexes {
        let edges = flex.edges.range();
        let rates = &mut d.flexedge_velocity[edges.clone()];
        if !(flex.has_edges() && act(m, flex.id)) {
            rates.fill(0.0);
        } else if flex.of_points {
            for v in flex.vertices.range() {
                memory.velocity[v] = plan.points[v].velocity(&d.qvel);
            }
            let along = memory.direction.0.each_ref().map_inline(|c| &c[edges.clone()]);
            point_rates(&plan.ends[edges], &memory.velocity, along, rates);
        } else {
            for (rate, edge) in rates.iter_mut().zip(edges) {
                let row = plan.rows.range(edge);
                *rate = support::times_row(&plan.rows.columns, &memory.jacobian, row, &d.qvel);
            }
        }
    }
}

/// Adds the forces of springs and dampers along edges.
pub(super) fn spring_dampers(m: &Model, d: &mut Data, [springs, dampers]: [bool; 2]) {
    let (plan, memory) = (&d.prepared.flexes, &mut d.scratch.flex);
    for k in 0..plan.flexes.len() {
        let flex = &plan.flexes[k];
        if !flex.has_edges() || !act(m, flex.id) {
            continue;
        }
        let edges = flex.edges.range();
        let stiffness = if springs { m.flex_edgestiffness[flex.id] } else { 0.0 };
        if stiffness != 0.0 {
            let (rest, now) = (&m.flexedge_length0[..edges.end], &d.flexedge_length[..edges.end]);
            let pull = |edge: usize| stiffness * (rest[edge] - now[edge]);
            add_along(m, (plan, flex), pull, memory, &mut d.qfrc_spring);
        }
        let damping = if dampers { m.flex_edgedamping[flex.id] } else { 0.0 };
        if damping != 0.0 {
            let rate = &d.flexedge_velocity[..edges.end];
            let pull = |edge: usize| -damping * rate[edge];
            add_along(m, (plan, flex), pull, memory, &mut d.qfrc_damper);
        }
    }
}

/// Adds forces along the soft edges of a flex, which push its ends apart.
#[inline(always)]
fn add_along(
    m: &Model,
    (plan, flex): (&Plan, &Flex),
    push: impl Fn(usize) -> f64,
    memory: &mut Scratch,
    qfrc: &mut [f64],
) {
    if flex.of_points {
        let (edges, vertices) = (flex.edges.range(), flex.vertices.range());
        for edge in edges.clone() {
            memory.push[edge] = if m.flexedge_rigid[edge] == 0 { push(edge) } else { 0.0 };
        }
        memory.force[vertices.clone()].fill([0.0; 4]);
        let along = memory.direction.0.each_ref().map_inline(|c| &c[edges.clone()]);
        let ends = &plan.ends[edges.clone()];
        push_ends(ends, &memory.push[edges], along, &mut memory.force);
        let points = plan.points[vertices.clone()].iter().zip(&memory.force[vertices]);
        return super::add_to_points(points, 1.0, qfrc);
    }
    let rows = EdgeRows::new(plan, memory);
    for edge in soft(m, flex) {
        let force = push(edge);
        rows.visit_row(flex, edge, |columns, entries| {
            for (&dof, &x) in columns.iter().zip(entries) {
                qfrc[dof as usize] += x * force;
            }
        });
    }
}

/// Energy of springs along the edges of ropes; MuJoCo counts no other elasticity.
pub(crate) fn spring_energy(m: &Model, d: &Data) -> f64 {
    let rows = EdgeRows::new(&d.prepared.flexes, &d.scratch.flex);
    let energy = |flex: &Flex| {
        let stiffness = m.flex_edgestiffness[flex.id];
        let stretch = |edge: usize| m.flexedge_length0[edge] - d.flexedge_length[edge];
        soft(m, flex).map(|edge| 0.5 * stiffness * stretch(edge) * stretch(edge)).sum::<f64>()
    };
    rows.flexes(m).filter(|flex| flex.dim == 1).map(energy).sum()
}
