//! Resistance of triangles and tetrahedra to strain.
//!
//! Green's strain of a linear element is linear in the squares of its edge lengths, so the energy is a
//! quadratic form of their elongations e = L² − L₀²; `flex_stiffness` holds it (upper triangle).
//! Damping is a multiple of the change of the elongation over the last step (Kharevych et al. 2006,
//! *Geometric, variational integrators for computer animation*, section 5.2). All of it counts as
//! spring force, as in MuJoCo.

use corten_math::Vec3;

use super::plan::{Flex, Plan};
use crate::support::Chains;
use crate::{Data, Model};

/// Edges of a triangle and of a tetrahedron, by corners.
const TRIANGLE: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];
const TETRAHEDRON: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [2, 3], [0, 3], [1, 3]];

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
    memory.force[flex.vertices.range()].fill(Vec3::ZERO);
    let element = Elements {
        plan,
        flex,
        stiffness: &m.flex_stiffness[flex.elements.range()],
        position: &d.flexvert_xpos,
        elongation: &memory.elongation,
    };
    match flex.dim {
        2 => element.add_forces(&TRIANGLE, &mut memory.force),
        _ => element.add_forces(&TETRAHEDRON, &mut memory.force),
    }
    let chains =
        Chains { structure: &d.prepared.structure, subtree_com: &d.subtree_com, cdof: &d.cdof };
    for v in flex.vertices.range() {
        let (body, force) = (plan.vertex_body[v] as usize, memory.force[v]);
        if m.body_simple[body] == SLIDES {
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
    let edges = length.iter().zip(velocity).zip(rest);
    for (e, ((&now, &rate), &rest)) in elongation.iter_mut().zip(edges) {
        let before = now - rate * h;
        *e = now * now - rest * rest + (now * now - before * before) * damping;
    }
}

struct Elements<'a> {
    plan: &'a Plan,
    flex: &'a Flex,
    stiffness: &'a [[f64; 21]],
    position: &'a [Vec3],
    elongation: &'a [f64],
}

impl Elements<'_> {
    /// The gradient of the energy by a vertex is the sum over its edges of the tension, the stiffness
    /// times the elongations, times the vector along the edge.
    #[inline(always)]
    fn add_forces<const E: usize>(&self, ends: &[[usize; 2]; E], force: &mut [Vec3]) {
        let corners = self.plan.corners[self.flex.corners.range()].chunks_exact(self.flex.dim + 1);
        let edges = self.plan.element_edges[self.flex.element_edges.range()].as_chunks::<E>().0;
        for ((stiffness, corners), edges) in self.stiffness.iter().zip(corners).zip(edges) {
            let mut elongation = [0.0; E];
            for (e, &edge) in elongation.iter_mut().zip(edges) {
                *e = self.elongation[edge as usize];
            }
            let tension = symmetric_product(stiffness, &elongation);
            let mut x = [Vec3::ZERO; 4];
            for (x, &corner) in x.iter_mut().zip(corners) {
                *x = self.position[corner as usize];
            }
            let mut sum = [Vec3::ZERO; 4];
            for (&[a, b], &tension) in ends.iter().zip(&tension) {
                let pull = (x[a] - x[b]) * tension;
                sum[a] -= pull;
                sum[b] += pull;
            }
            for (&corner, sum) in corners.iter().zip(sum) {
                force[corner as usize] += sum;
            }
        }
    }
}

/// A symmetric matrix, given by the rows of its upper triangle, times a vector.
#[inline(always)]
fn symmetric_product<const N: usize>(upper: &[f64; 21], x: &[f64; N]) -> [f64; N] {
    let mut result = [0.0; N];
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
