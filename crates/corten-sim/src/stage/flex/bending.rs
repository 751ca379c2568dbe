//! Resistance of surfaces to bending.
//!
//! Between two triangles acts a quadratic form of the four vertices, made of the cotangents of
//! angles at rest (Wardetzky et al. 2007, *Discrete quadratic curvature energies*), and a cubic term
//! where the surface is curved at rest (Garg et al. 2007, *Cubic shells*): the gradient of the volume
//! that the four vertices span. `flex_bending` holds the matrix, 4 × 4, and the factor of the
//! volume.
//!
//! As in MuJoCo, forces and velocities of a vertex are those of the first three degrees of freedom of
//! its body, as if these were slides along the axes of the world, unless a textbook is asked for.

use corten_math::Vec3;
use corten_math::array::MapInline;

use crate::support::Chains;
use crate::{Data, Model};

/// Adds the forces on bodies.
pub(super) fn add(m: &Model, d: &mut Data, flex: usize, [springs, dampers]: [bool; 2]) {
    let plan = &d.prepared.flexes;
    let flex = &plan.flexes[flex];
    let chains =
        Chains { structure: &d.prepared.structure, subtree_com: &d.subtree_com, cdof: &d.cdof };
    let damping = m.flex_damping[flex.id];
    let along_world = flex.of_points || !super::is_textbook(m);
    for hinge in &plan.hinges[flex.hinges.range()] {
        let coefficients = &m.flex_bending[hinge.edge as usize];
        let bodies = hinge.vertices.map_inline(|v| plan.vertex_body[v as usize] as usize);
        let dofs = bodies.map_inline(|body| {
            let dofs = chains.structure.bodies[body].dofs();
            dofs.start..dofs.end.min(dofs.start + 3)
        });
        let x = hinge.vertices.map_inline(|v| d.flexvert_xpos[v as usize]);
        let subtract = |qfrc: &mut [f64], force: &[Vec3; 4]| {
            for k in 0..4 {
                if along_world {
                    let qfrc = &mut qfrc[dofs[k].clone()];
                    qfrc.iter_mut().zip(force[k].0).for_each(|(qfrc, force)| *qfrc -= force);
                } else {
                    chains.apply([-force[k], Vec3::ZERO], x[k], bodies[k], qfrc);
                }
            }
        };
        if springs {
            let mut force = product(coefficients, &x);
            let volume = volume_gradient(&x);
            for (force, volume) in force.iter_mut().zip(volume) {
                *force += volume * coefficients[16];
            }
            subtract(&mut d.qfrc_spring, &force);
        }
        if dampers && damping != 0.0 {
            let mut velocity = [Vec3::ZERO; 4];
            for k in 0..4 {
                if along_world {
                    let v = &mut velocity[k].0;
                    v.iter_mut().zip(&d.qvel[dofs[k].clone()]).for_each(|(v, x)| *v = *x);
                } else {
                    velocity[k] = super::point_velocity(d, bodies[k], x[k]);
                }
            }
            let force = product(coefficients, &velocity).map_inline(|force| force * damping);
            subtract(&mut d.qfrc_damper, &force);
        }
    }
}

/// The matrix times four vectors.
#[inline(always)]
fn product(coefficients: &[f64; 17], x: &[Vec3; 4]) -> [Vec3; 4] {
    let mut result = [Vec3::ZERO; 4];
    for (i, sum) in result.iter_mut().enumerate() {
        for (j, &x) in x.iter().enumerate() {
            *sum += x * coefficients[4 * i + j];
        }
    }
    result
}

/// Gradient of six times the volume of a tetrahedron.
fn volume_gradient(x: &[Vec3; 4]) -> [Vec3; 4] {
    let [a, b, c] = [x[1] - x[0], x[2] - x[0], x[3] - x[0]];
    let [a, b, c] = [b.cross(c), c.cross(a), a.cross(b)];
    [-(a + b + c), a, b, c]
}
