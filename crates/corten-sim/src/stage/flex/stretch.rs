//! Resistance of triangles and tetrahedra to strain.
//!
//! Green's strain of a linear element is linear in the squares of its edge lengths, so the energy is a
//! quadratic form of their elongations e = L² − L₀²; `flex_stiffness` holds it (upper triangle).
//! Damping is a multiple of the change of the elongation over the last step (Kharevych et al. 2006,
//! *Geometric, variational integrators for computer animation*, section 5.2). All of it counts as
//! spring force, as in MuJoCo.

use corten_math::array::MapInline;
use corten_math::fours::map_fours;
use corten_math::{Number, Vec3, Wide, wide};

use super::plan::Flex;
use super::{Padded, gather};
use crate::support::Chains;
use crate::{Data, Model};

/// Edges of a triangle and of a tetrahedron, by corners.
const TRIANGLE: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];
const TETRAHEDRON: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [2, 3], [0, 3], [1, 3]];

/// The corners that edges of triangles or tetrahedra join.
pub(crate) fn ends_of_edges(dim: usize) -> &'static [[usize; 2]] {
    if dim == 2 { &TRIANGLE } else { &TETRAHEDRON }
}

/// Value of `body_simple` for a body that only slides.
const SLIDES: u8 = 2;

/// Adds the forces on bodies.
pub(super) fn add(m: &Model, d: &mut Data, flex: usize) {
    let plan = &d.prepared.flexes;
    let flex = &plan.flexes[flex];
    let memory = &mut d.scratch.flex;
    let edges = flex.edges.range();
    let motion = [&d.flexedge_length[edges.clone()], &d.flexedge_velocity[edges.clone()]];
    elongations(m, flex, motion, &mut memory.elongation[edges]);
    memory.force[flex.vertices.range()].fill([0.0; 4]);
    let stiffness = &m.flex_stiffness[flex.elements.range()];
    let shape = Deformed { position: &memory.position, elongation: &memory.elongation };
    let corners = &plan.corners[flex.corners.range()];
    let edges = &plan.element_edges[flex.element_edges.range()];
    match flex.dim {
        2 => triangle_forces(
            stiffness,
            corners.as_chunks().0,
            edges.as_chunks().0,
            shape,
            &mut memory.force,
        ),
        _ => tetrahedron_forces(
            stiffness,
            corners.as_chunks().0,
            edges.as_chunks().0,
            shape,
            &mut memory.force,
        ),
    }
    let chains =
        Chains { structure: &d.prepared.structure, subtree_com: &d.subtree_com, cdof: &d.cdof };
    // MuJoCo takes slides for those along the axes of the world.
    let along_world = |body: usize| m.body_simple[body] == SLIDES && !super::is_textbook(m);
    if flex.of_points {
        let vertices = flex.vertices.range();
        let points = plan.points[vertices.clone()].iter().zip(&memory.force[vertices]);
        return super::add_to_points(points, 1.0, &mut d.qfrc_spring);
    }
    for v in flex.vertices.range() {
        let [x, y, z, _] = memory.force[v];
        let (body, force) = (plan.vertex_body[v] as usize, Vec3([x, y, z]));
        if along_world(body) {
            let dofs = chains.structure.bodies[body].dofs();
            for (qfrc, force) in d.qfrc_spring[dofs].iter_mut().zip(force.0) {
                *qfrc += force;
            }
        } else {
            chains.apply([force, Vec3::ZERO], d.flexvert_xpos[v], body, &mut d.qfrc_spring);
        }
    }
}

fn elongations(m: &Model, flex: &Flex, [length, velocity]: [&[f64]; 2], elongation: &mut [f64]) {
    let h = m.opt.timestep;
    let damping = if h > 0.0 { m.flex_damping[flex.id] / h } else { 0.0 };
    let rest = &m.flexedge_length0[flex.edges.range()];
    damped_elongations([h, damping], [length, velocity, rest], elongation);
}

/// Where vertices are, and how much longer edges are than at rest, in squares.
#[derive(Clone, Copy)]
struct Deformed<'a> {
    position: &'a [Padded],
    elongation: &'a [f64],
}

wide! {
    fn damped_elongations(
        scalars: [f64; 2],
        edges: [&[f64]; 3],
        elongation: &mut [f64],
    ) {
        let scalars = [Simd::splat(scalars[0]), Simd::splat(scalars[1])];
        map_fours::<Simd, 3, 1>(edges, [elongation], |edge| [damped_elongation(scalars, edge)]);
    }

    fn triangle_forces(
        stiffness: &[[f64; 21]],
        corners: &[[u32; 3]],
        edges: &[[u32; 3]],
        shape: Deformed<'_>,
        force: &mut [Padded],
    ) {
        let element = Elements { ends: &TRIANGLE, stiffness, corners, edges, shape };
        element.add_forces::<Simd>(force);
    }

    fn tetrahedron_forces(
        stiffness: &[[f64; 21]],
        corners: &[[u32; 4]],
        edges: &[[u32; 6]],
        shape: Deformed<'_>,
        force: &mut [Padded],
    ) {
        let element = Elements { ends: &TETRAHEDRON, stiffness, corners, edges, shape };
        element.add_forces::<Simd>(force);
    }
}

/// From length, its rate and its value at rest.
#[inline(always)]
fn damped_elongation<T: Number>([h, damping]: [T; 2], [now, rate, rest]: [T; 3]) -> T {
    let before = now - rate * h;
    now * now - rest * rest + (now * now - before * before) * damping
}

/// Elements of `N` corners and `E` edges.
struct Elements<'a, const N: usize, const E: usize> {
    /// The corners that edges join.
    ends: &'a [[usize; 2]; E],
    stiffness: &'a [[f64; 21]],
    corners: &'a [[u32; N]],
    edges: &'a [[u32; E]],
    shape: Deformed<'a>,
}

impl<const N: usize, const E: usize> Elements<'_, N, E> {
    /// Adds to the forces on vertices, one element after the other.
    #[inline(always)]
    fn add_forces<S: Wide>(&self, force: &mut [Padded]) {
        let count = self.stiffness.len().min(self.corners.len()).min(self.edges.len());
        for start in (0..count).step_by(4) {
            // The last is repeated if there are fewer than four.
            let at = [0, 1, 2, 3].map_inline(|k| (start + k).min(count - 1));
            let pulls = self.forces::<S>(|k| at[k]);
            // Element by element, in their order.
            let mut rows = [[S::splat(0.0); 4]; N];
            for c in 0..N {
                let [x, y, z] = pulls[c].0;
                rows[c] = S::transposed([x, y, z, S::splat(0.0)]);
            }
            for k in 0..4.min(count - start) {
                for c in 0..N {
                    let sum = &mut force[self.corners[at[k]][c] as usize];
                    *sum = (S::load(*sum) + rows[c][k]).store();
                }
            }
        }
    }

    /// Forces on the corners of elements, one per lane. The gradient of the energy by a vertex is the
    /// sum over its edges of the tension, the stiffness times the elongations, times the vector along
    /// the edge.
    #[inline(always)]
    fn forces<T: Number>(&self, element: impl Fn(usize) -> usize) -> [Vec3<T>; N] {
        let stiffness = T::gather(self.stiffness, &element);
        let mut elongation = [T::splat(0.0); E];
        for e in 0..E {
            elongation[e] =
                T::from_lanes(|k| self.shape.elongation[self.edges[element(k)][e] as usize]);
        }
        let tension = symmetric_product(&stiffness, &elongation);
        let mut x = [Vec3::of(Vec3::ZERO); N];
        for c in 0..N {
            x[c] = gather(self.shape.position, |k| self.corners[element(k)][c] as usize);
        }
        let mut sum = [Vec3::of(Vec3::ZERO); N];
        for e in 0..E {
            let [a, b] = self.ends[e];
            let pull = (x[a] - x[b]) * tension[e];
            sum[a] -= pull;
            sum[b] += pull;
        }
        sum
    }
}

/// A symmetric matrix, given by the rows of its upper triangle, times a vector.
#[inline(always)]
pub(crate) fn symmetric_product<T: Number, const N: usize>(upper: &[T; 21], x: &[T; N]) -> [T; N] {
    let mut result = [T::splat(0.0); N];
    let mut at = 0;
    for i in 0..N {
        result[i] += upper[at] * x[i];
        at += 1;
        for j in i + 1..N {
            result[i] += upper[at] * x[j];
            result[j] += upper[at] * x[i];
            at += 1;
        }
    }
    result
}
