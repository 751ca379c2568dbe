//! Rows of elastic forces that are implicit. Not in MuJoCo.
//!
//! A force f(x, v) with stiffness K and damping B, taken at the end of a step where `v⁺ = v + h a` and
//! `x⁺ = x + h v⁺`, is to first order
//!
//! ```text
//! f(x⁺, v⁺) = f(x, v) − h K v − (h² K + h B) a.
//! ```
//!
//! `f(x, v)` is a passive force as always. With `K = Σ k jᵀj` and `B = Σ b jᵀj` over rows `j`, the rest is
//! the force of quadratic rows of regularisation `R = 1 / (h² k + h b)` and reference acceleration
//! `−h k R (j v)`. The solver then minimises with the inertia `M + h B + h² K`; islands connect what is
//! elastic, and inverse dynamics finds the same forces. For small steps the rows vanish.
//!
//! K is made of what is certain to be positive semidefinite, so that the step is stable for any stiffness:
//!
//! - strain: with `e` the squared lengths of the edges of an element, `2 Σ Kₑ (∂e/2)(∂e/2)ᵀ` for its
//!   stiffness `Kₑ = L D Lᵀ` (Gauss and Newton's part of the Hessian), and what tension adds across edges;
//! - bending: the matrix of each hinge, and a bound of its cubic term: with `a, b, c` the edges from one
//!   vertex, `2 |δa · (δb × c)| ≤ |c| (|δa|² + |δb|²)`, and so on around;
//! - bricks: their matrix, in the frame that turns with them;
//! - edges: springs and dampers along them, and tension across.

use corten_math::{MIN_VAL, Vec3};
use corten_model::enums::{ConstraintType, DisableBit};

use super::Given;
use super::assembly::{Constraints, Row};
use crate::Model;
use crate::solve::rows::{Kind, MAX_RANK};
use crate::stage::flex::{self, Basis, Carrier, Flex};

/// Impedance that goes with the rows; nothing depends on it.
const IMPEDANCE: f64 = 0.5;

/// Pivots below this part of the largest entry count as zero.
const SMALL_PIVOT: f64 = 1e-13;

/// Stiffness and damping of a row.
#[derive(Clone, Copy)]
struct Gain {
    stiffness: f64,
    damping: f64,
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// Tension by edge: force per length.
    tension: Vec<f64>,
    /// A stiffness matrix, then its factor: `D` on the diagonal, `L` below.
    factor: Vec<f64>,
    /// Points that a block moves, and what each row has of them, row by row.
    points: Vec<(Vec3, usize)>,
    shares: Vec<Vec3>,
}

/// Rows of all flexes.
pub(super) fn elastic(m: &Model, given: &Given<'_>, memory: &mut Scratch, rows: &mut Constraints) {
    let on = [DisableBit::Spring, DisableBit::Damper].map(|bit| !m.opt.disabled(bit));
    if !flex::is_implicit(m) || on == [false; 2] {
        return;
    }
    let mut stage = Elastic { m, given, on, memory, rows };
    stage.memory.tension.clear();
    stage.memory.tension.resize(m.nflexedge, 0.0);
    for flex in given.flexes.flexes.iter().filter(|flex| !flex.rigid) {
        match flex.carrier {
            Carrier::Bodies => {
                // Other laws stay explicit.
                let [bends, strained] = flex::has_mujoco_laws(m, flex);
                if flex.dim > 1 && strained && flex::is_elastic(m, flex) {
                    stage.strain(flex);
                }
                if bends {
                    stage.bending(flex);
                }
                stage.edges(flex);
                stage.across(flex);
            }
            Carrier::Nodes(basis) if flex.dim > 1 && flex::is_elastic(m, flex) => {
                stage.brick(flex, basis);
            }
            Carrier::Nodes(_) => {}
        }
    }
}

struct Elastic<'a, 'g> {
    m: &'a Model,
    given: &'a Given<'g>,
    /// Whether springs and dampers act.
    on: [bool; 2],
    memory: &'a mut Scratch,
    rows: &'a mut Constraints,
}

impl Elastic<'_, '_> {
    /// A gain, without what is switched off.
    fn gain(&self, stiffness: f64, damping: f64) -> Gain {
        let [springs, dampers] = self.on;
        Gain {
            stiffness: if springs { stiffness } else { 0.0 },
            damping: if dampers { damping } else { 0.0 },
        }
    }

    fn strain(&mut self, flex: &Flex) {
        let (plan, m) = (self.given.flexes, self.m);
        let damping = m.flex_damping[flex.id];
        let ends = flex::ends_of_edges(flex.dim);
        let (corners, edges) = (flex.dim + 1, ends.len());
        let all_corners = &plan.corners[flex.corners.range()];
        let all_edges = &plan.element_edges[flex.element_edges.range()];
        for (element, upper) in m.flex_stiffness[flex.elements.range()].iter().enumerate() {
            let vertices = &all_corners[corners * element..][..corners];
            let edges_of = &all_edges[edges * element..][..edges];
            self.memory.set_symmetric(edges, upper);
            for i in 0..edges {
                let tension = (0..edges).map(|j| {
                    let edge = edges_of[j] as usize;
                    let (now, rest) = (self.given.flexedge_length[edge], m.flexedge_length0[edge]);
                    self.memory.factor[edges * i.max(j) + i.min(j)] * (now * now - rest * rest)
                });
                self.memory.tension[edges_of[i] as usize] += tension.sum::<f64>();
            }
            self.begin_vertices(vertices);
            self.memory.decompose(edges);
            let along = |[a, b]: [usize; 2]| {
                self.given.flexvert_xpos[vertices[a] as usize]
                    - self.given.flexvert_xpos[vertices[b] as usize]
            };
            let mut gains = [Gain { stiffness: 0.0, damping: 0.0 }; MAX_RANK];
            let mut rank = 0;
            for k in 0..edges {
                let pivot = self.memory.factor[edges * k + k];
                if pivot == 0.0 {
                    continue;
                }
                let mut share = [Vec3::ZERO; 4];
                for (i, &ends) in ends.iter().enumerate().skip(k) {
                    let l = if i == k { 1.0 } else { self.memory.factor[edges * i + k] };
                    let pull = along(ends) * l;
                    share[ends[0]] += pull;
                    share[ends[1]] -= pull;
                }
                self.memory.shares.extend_from_slice(&share[..corners]);
                // MuJoCo switches strain off by both flags only.
                gains[rank] = Gain { stiffness: 2.0 * pivot, damping: 2.0 * pivot * damping };
                rank += 1;
            }
            self.close(flex, &gains[..rank]);
        }
    }

    fn bending(&mut self, flex: &Flex) {
        let plan = self.given.flexes;
        let damping = self.m.flex_damping[flex.id];
        for hinge in &plan.hinges[flex.hinges.range()] {
            let coefficients = &self.m.flex_bending[hinge.edge as usize];
            self.memory.factor.clear();
            self.memory.factor.extend_from_slice(&coefficients[..16]);
            self.memory.decompose(4);
            for k in 0..4 {
                let pivot = self.memory.factor[5 * k];
                if pivot == 0.0 {
                    continue;
                }
                let mut weights = [0.0; 4];
                weights[k] = 1.0;
                for i in k + 1..4 {
                    weights[i] = self.memory.factor[4 * i + k];
                }
                let gain = self.gain(pivot, damping * pivot);
                self.push_isotropic(flex, &hinge.vertices, &weights, gain);
            }
            let cubic = coefficients[16].abs();
            if cubic != 0.0 {
                let x = hinge.vertices.map(|v| self.given.flexvert_xpos[v as usize]);
                let length = [1, 2, 3].map(|k| (x[k] - x[0]).norm());
                for k in 0..3 {
                    let others = length[(k + 1) % 3] + length[(k + 2) % 3];
                    let vertices = [hinge.vertices[0], hinge.vertices[k + 1]];
                    let gain = self.gain(cubic * others, 0.0);
                    self.push_isotropic(flex, &vertices, &[-1.0, 1.0], gain);
                }
            }
        }
    }

    /// Springs and dampers along edges.
    fn edges(&mut self, flex: &Flex) {
        let gain = self.gain(self.m.flex_edgestiffness[flex.id], self.m.flex_edgedamping[flex.id]);
        if gain.stiffness == 0.0 && gain.damping == 0.0 {
            return;
        }
        let (m, given) = (self.m, self.given);
        given.flexedge_J.for_each_soft(m, flex.id, |edge, columns, values| {
            let (now, rest) = (given.flexedge_length[edge], m.flexedge_length0[edge]);
            self.memory.tension[edge] += gain.stiffness * (now - rest) / now.max(MIN_VAL);
            let (col, val) = (self.rows.columns.len(), self.rows.values.len());
            self.rows.columns.extend(columns.iter().map(|&dof| dof as u32));
            self.rows.values.extend_from_slice(values);
            if self.rows.close(m, Kind::Equality, 1, col, val) {
                self.rows.push(&row(m, flex, gain));
            }
        });
    }

    /// Edges under tension resist to be turned.
    fn across(&mut self, flex: &Flex) {
        for edge in flex.edges.range() {
            let tension = self.memory.tension[edge];
            if tension > 0.0 && self.m.flexedge_rigid[edge] == 0 {
                let ends = self.given.flexes.ends[edge];
                let gain = self.gain(tension, 0.0);
                self.push_isotropic(flex, &ends, &[-1.0, 1.0], gain);
            }
        }
    }

    fn brick(&mut self, flex: &Flex, basis: Basis) {
        let nodes = basis.nodes();
        let n = 3 * nodes;
        let matrix: &[f64] = bytemuck::cast_slice(&self.m.flex_stiffness[flex.elements.range()]);
        let Some(matrix) = matrix.get(..n * n) else { return };
        let frames = flex::Frames { xpos: self.given.xpos, xmat: self.given.xmat };
        let place = frames.brick(self.m, self.given.flexes, flex, basis);
        self.memory.factor.clear();
        self.memory.factor.extend(matrix.iter().map(|x| -x));
        self.memory.decompose(n);
        let damping = self.m.flex_damping[flex.id];
        let mut at = 0;
        while at < n {
            self.memory.begin();
            let bodies = &self.given.flexes.node_body[flex.nodes.range()];
            let points = place.position().iter().zip(bodies).map(|(&x, &body)| (x, body as usize));
            self.memory.points.extend(points);
            let mut gains = [Gain { stiffness: 0.0, damping: 0.0 }; MAX_RANK];
            let mut rank = 0;
            while at < n && rank < MAX_RANK {
                let pivot = self.memory.factor[(n + 1) * at];
                if pivot != 0.0 {
                    let entry = |i: usize| match i.cmp(&at) {
                        std::cmp::Ordering::Less => 0.0,
                        std::cmp::Ordering::Equal => 1.0,
                        std::cmp::Ordering::Greater => self.memory.factor[n * i + at],
                    };
                    for node in 0..nodes {
                        let local = Vec3([0, 1, 2].map(|k| entry(3 * node + k)));
                        self.memory.shares.push(place.rotation * local);
                    }
                    gains[rank] = self.gain(pivot, damping * pivot);
                    rank += 1;
                }
                at += 1;
            }
            self.close(flex, &gains[..rank]);
        }
    }

    /// Starts a block over vertices.
    fn begin_vertices(&mut self, vertices: &[u32]) {
        self.memory.begin();
        let bodies = &self.given.flexes.vertex_body;
        let points = vertices.iter().map(|&v| v as usize);
        let points = points.map(|v| (self.given.flexvert_xpos[v], bodies[v] as usize));
        self.memory.points.extend(points);
    }

    /// A weighted sum of vertices, along each axis of the world.
    fn push_isotropic(&mut self, flex: &Flex, vertices: &[u32], weights: &[f64], gain: Gain) {
        self.begin_vertices(vertices);
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            self.memory.shares.extend(weights.iter().map(|&w| axis * w));
        }
        self.close(flex, &[gain; 3]);
    }

    /// Ends a block: what its rows have of the points becomes what they have of degrees of freedom.
    fn close(&mut self, flex: &Flex, gains: &[Gain]) {
        let Scratch { points, shares, .. } = &*self.memory;
        let (chains, rows) = (self.given.chains, &mut *self.rows);
        let (col, val) = (rows.columns.len(), rows.values.len());
        let acts = |gain: &Gain| gain.stiffness > 0.0 || gain.damping > 0.0;
        if points.is_empty() || !gains.iter().any(acts) {
            return;
        }
        for &(_, body) in points {
            rows.columns.extend_from_slice(chains.structure.chain(body));
        }
        rows.columns[col..].sort_unstable();
        let mut kept = col;
        for k in col..rows.columns.len() {
            if kept == col || rows.columns[kept - 1] != rows.columns[k] {
                rows.columns[kept] = rows.columns[k];
                kept += 1;
            }
        }
        rows.columns.truncate(kept);
        let width = kept - col;
        let acting =
            || gains.iter().zip(shares.chunks_exact(points.len())).filter(|(g, _)| acts(g));
        let rank = acting().count();
        rows.values.resize(val + rank * width, 0.0);
        for (p, &(point, body)) in points.iter().enumerate() {
            chains.for_each_dof(point, body, |dof, translation, _| {
                let Ok(place) = rows.columns[col..].binary_search(&(dof as u32)) else { return };
                for (r, (_, share)) in acting().enumerate() {
                    rows.values[val + r * width + place] += share[p].dot(translation);
                }
            });
        }
        if rows.close(self.m, Kind::Equality, rank, col, val) {
            for (&gain, _) in acting() {
                rows.push(&row(self.m, flex, gain));
            }
        }
    }
}

/// The parameters of a row.
fn row(m: &Model, flex: &Flex, Gain { stiffness, damping }: Gain) -> Row {
    let h = m.opt.timestep;
    let r = 1.0 / (h * (h * stiffness + damping)).max(MIN_VAL);
    Row {
        kind: ConstraintType::FlexStiffness,
        id: flex.id,
        count: 1,
        frictionloss: 0.0,
        pos: 0.0,
        margin: 0.0,
        kbip: [0.0, h * stiffness * r, IMPEDANCE, 0.0],
        r,
    }
}

impl Scratch {
    fn begin(&mut self) {
        self.points.clear();
        self.shares.clear();
    }

    /// A symmetric matrix, given by the rows of its upper triangle.
    fn set_symmetric(&mut self, n: usize, upper: &[f64]) {
        self.factor.clear();
        self.factor.resize(n * n, 0.0);
        let mut at = 0;
        for i in 0..n {
            for j in i..n {
                self.factor[n * j + i] = upper[at];
                self.factor[n * i + j] = upper[at];
                at += 1;
            }
        }
    }

    /// `L D Lᵀ` of a matrix that is positive semidefinite but for rounding, in its place. Where a pivot is
    /// zero, so is its column.
    fn decompose(&mut self, n: usize) {
        let a = &mut self.factor[..n * n];
        let largest = (0..n).map(|i| a[n * i + i]).fold(0.0, f64::max);
        for k in 0..n {
            let pivot = a[n * k + k];
            if !(pivot > SMALL_PIVOT * largest) || !pivot.is_finite() {
                for i in k..n {
                    a[n * i + k] = 0.0;
                }
                continue;
            }
            for i in k + 1..n {
                let l = a[n * i + k] / pivot;
                for j in k + 1..=i {
                    // Column k still holds what L is to be multiplied by.
                    a[n * i + j] -= l * a[n * j + k];
                }
            }
            for i in k + 1..n {
                a[n * i + k] /= pivot;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_give_back_their_matrix() {
        // Of rank two.
        let (u, v) = ([1.0, -2.0, 0.5, 0.0], [0.0, 1.0, 1.0, -3.0]);
        let matrix: Vec<f64> = (0..16).map(|k| u[k / 4] * u[k % 4] + v[k / 4] * v[k % 4]).collect();
        let mut memory = Scratch { factor: matrix.clone(), ..Scratch::default() };
        memory.decompose(4);
        let l = |i: usize, k: usize| match i.cmp(&k) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => 1.0,
            std::cmp::Ordering::Greater => memory.factor[4 * i + k],
        };
        for i in 0..4 {
            for j in 0..4 {
                let sum: f64 = (0..4).map(|k| l(i, k) * memory.factor[5 * k] * l(j, k)).sum();
                assert!((sum - matrix[4 * i + j]).abs() < 1e-12, "{i} {j}");
            }
        }
        let pivots = (0..4).filter(|k| memory.factor[5 * k] != 0.0).count();
        assert_eq!(pivots, 2);
    }
}
