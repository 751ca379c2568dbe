//! Elasticity of flexes whose vertices are interpolated between nodes.
//!
//! The brick's rotation is that of its deformation gradient at the centre; in the rotated frame the
//! force is linear in the displacements of the nodes, by one matrix for the whole flex (the
//! corotational method). `flex_stiffness` holds the matrix, (3n)² numbers for n nodes.

use corten_math::array::MapInline;
use corten_math::{MIN_VAL, Mat3, Quat, Vec3};
use corten_model::enums::ObjType;

use super::basis::{Basis, MAX_NODES};
use super::kinematics::Frames;
use super::plan::{Flex, Plan};
use crate::support::Chains;
use crate::{Data, Model, support};

/// Centre of the brick, in its own coordinates.
const CENTRE: Vec3 = Vec3([0.5; 3]);

/// Where a brick is.
pub(crate) struct Brick {
    position: [Vec3; MAX_NODES],
    nodes: usize,
    /// The mean position of the nodes.
    centre: Vec3,
    pub rotation: Mat3,
}

impl Brick {
    /// Positions of its nodes.
    pub fn position(&self) -> &[Vec3] {
        &self.position[..self.nodes]
    }
}

impl Frames<'_> {
    /// Where the brick of a flex is.
    pub fn brick(self, m: &Model, plan: &Plan, flex: &Flex, basis: Basis) -> Brick {
        let position = self.nodes(m, plan, flex);
        let nodes = basis.nodes();
        let mut centre = Vec3::ZERO;
        for x in &position[..nodes] {
            centre += *x * (1.0 / nodes as f64);
        }
        let mut x = position;
        x[..nodes].iter_mut().for_each(|x| *x -= centre);
        let rotation = rotation(&basis.gradient(CENTRE, &x[..nodes])).to_mat();
        Brick { position, nodes, centre, rotation }
    }
}

/// Adds the forces on bodies.
pub(super) fn add(
    m: &Model,
    d: &mut Data,
    flex: usize,
    basis: Basis,
    [springs, dampers]: [bool; 2],
) {
    let plan = &d.prepared.flexes;
    let flex = &plan.flexes[flex];
    let n = basis.nodes();
    let matrix: &[f64] = bytemuck::cast_slice(&m.flex_stiffness[flex.elements.range()]);
    let Some(matrix) = matrix.get(..9 * n * n) else { return };
    let bodies = &plan.node_body[flex.nodes.range()];
    let textbook = super::is_textbook(m);
    let brick = Frames { xpos: &d.xpos, xmat: &d.xmat }.brick(m, plan, flex, basis);
    let (position, rotation) = (brick.position(), brick.rotation);
    let mut x = [Vec3::ZERO; MAX_NODES];
    let x = &mut x[..n];
    x.iter_mut().zip(position).for_each(|(x, position)| *x = *position - brick.centre);

    let mut force = [[Vec3::ZERO; MAX_NODES]; 2];
    let rest = &m.flex_node0[flex.nodes.range()];
    if springs {
        let mut displacement = [Vec3::ZERO; MAX_NODES];
        for ((u, x), rest) in displacement.iter_mut().zip(&*x).zip(rest) {
            *u = rotation.tmul(*x) + CENTRE - *rest;
        }
        product(matrix, &displacement[..n], &mut force[0]);
    }
    if dampers {
        let mut velocity = [Vec3::ZERO; MAX_NODES];
        for ((v, &body), &point) in velocity.iter_mut().zip(bodies).zip(position) {
            let body = body as usize;
            *v = rotation.tmul(if textbook {
                super::point_velocity(d, body, point)
            } else {
                node_velocity(m, d, flex, body)
            });
        }
        product(matrix, &velocity[..n], &mut force[1]);
        let damping = m.flex_damping[flex.id];
        force[1].iter_mut().for_each(|force| *force *= damping);
    }

    let chains =
        Chains { structure: &d.prepared.structure, subtree_com: &d.subtree_com, cdof: &d.cdof };
    let qfrc = [&mut d.qfrc_spring, &mut d.qfrc_damper];
    for ((qfrc, force), on) in qfrc.into_iter().zip(&force).zip([springs, dampers]) {
        if !on {
            continue;
        }
        for (((force, &body), x), &position) in force.iter().zip(bodies).zip(&*x).zip(position) {
            let force = rotation * *force;
            if textbook {
                chains.apply([force, Vec3::ZERO], position, body as usize, qfrc);
            } else if flex.centered {
                let dofs = chains.structure.bodies[body as usize].dofs();
                for (qfrc, force) in qfrc[dofs].iter_mut().zip(force.0) {
                    *qfrc += force;
                }
            } else {
                // MuJoCo applies the force at the node's place in the rotated frame.
                let point = rotation.tmul(*x) + CENTRE;
                chains.apply([force, Vec3::ZERO], point, body as usize, qfrc);
            }
        }
    }
}

/// Velocity of a node. As in MuJoCo, that of the first three degrees of freedom of its body, or of
/// the centre of mass of the body if nodes are not at the origins of their bodies.
fn node_velocity(m: &Model, d: &Data, flex: &Flex, body: usize) -> Vec3 {
    if !flex.centered {
        let velocity = support::object_velocity(m, d, ObjType::Body, body, false);
        return velocity.map_or(Vec3::ZERO, |v| v.lin());
    }
    let mut velocity = Vec3::ZERO;
    let dofs = d.prepared.structure.bodies[body].dofs();
    velocity.0.iter_mut().zip(&d.qvel[dofs]).for_each(|(v, x)| *v = *x);
    velocity
}

fn product(matrix: &[f64], x: &[Vec3], result: &mut [Vec3]) {
    let x: &[f64] = bytemuck::cast_slice(x);
    let result: &mut [f64] = bytemuck::cast_slice_mut(result);
    for (result, row) in result.iter_mut().zip(matrix.chunks_exact(x.len())) {
        *result = row.iter().zip(x).map(|(a, x)| a * x).sum();
    }
}

/// The rotation in a deformation gradient, by turning towards it until nothing is left to turn
/// (Müller et al. 2016, *A robust method to extract the rotational part of deformations*).
fn rotation(gradient: &Mat3) -> Quat {
    /// Turns at most, and the angle that ends them.
    const MAX_TURNS: usize = 500;
    const SMALL: f64 = 1e-9;
    let columns = [0, 1, 2].map_inline(|j| gradient.col(j));
    let mut quat = Quat::IDENTITY;
    for _ in 0..MAX_TURNS {
        let mat = quat.to_mat();
        let (mut turn, mut agreement) = (Vec3::ZERO, 0.0);
        for (j, &column) in columns.iter().enumerate() {
            turn += mat.col(j).cross(column);
            agreement += mat.col(j).dot(column);
        }
        let (axis, angle) = (turn * (1.0 / (agreement.abs() + MIN_VAL))).normalized();
        if angle < SMALL {
            break;
        }
        quat = (Quat::from_axis_angle(axis, angle) * quat).normalized();
    }
    quat
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rotation times a symmetric positive matrix gives back the rotation.
    #[test]
    fn rotations_are_found() {
        let stretch = Mat3::from_rows(
            Vec3([1.2, 0.1, -0.05]),
            Vec3([0.1, 0.8, 0.2]),
            Vec3([-0.05, 0.2, 1.1]),
        );
        for (axis, angle) in
            [([1.0, 0.0, 0.0], 0.0), ([0.6, 0.0, 0.8], 0.7), ([0.0, 1.0, 0.0], 2.9)]
        {
            let expected = Quat::from_axis_angle(Vec3(axis), angle).to_mat();
            let columns = [0, 1, 2].map(|j| expected * stretch.col(j));
            let gradient = Mat3::from_columns(columns[0], columns[1], columns[2]);
            let found = rotation(&gradient).to_mat();
            for j in 0..3 {
                assert!((found.col(j) - expected.col(j)).norm() < 1e-8, "{angle}");
            }
        }
    }
}
