//! Resistance of surfaces to bending.
//!
//! Between two triangles acts a quadratic form of the four vertices, made of the cotangents of
//! angles at rest (Wardetzky et al. 2007, *Discrete quadratic curvature energies*), and a cubic term
//! where the surface is curved at rest (Garg et al. 2007, *Cubic shells*): the gradient of the volume
//! that the four vertices span. `flex_bending` holds the matrix, 4 × 4, and the factor of the
//! volume.
//!
//! As in MuJoCo, forces and velocities of a vertex are those of the first three degrees of freedom of
//! its body, as if these were slides along the axes of the world.

use corten_math::Vec3;
use corten_math::array::MapInline;

use crate::{Data, Model};

/// Adds the forces on bodies.
pub(super) fn add(m: &Model, d: &mut Data, flex: usize, [springs, dampers]: [bool; 2]) {
    let plan = &d.prepared.flexes;
    let flex = &plan.flexes[flex];
    let bodies = &d.prepared.structure.bodies;
    let damping = m.flex_damping[flex.id];
    for hinge in &plan.hinges[flex.hinges.range()] {
        let coefficients = &m.flex_bending[hinge.edge as usize];
        let dofs = hinge.vertices.map_inline(|v| {
            let dofs = bodies[plan.vertex_body[v as usize] as usize].dofs();
            dofs.start..dofs.end.min(dofs.start + 3)
        });
        if springs {
            let x = hinge.vertices.map_inline(|v| d.flexvert_xpos[v as usize]);
            let mut force = product(coefficients, &x);
            let volume = volume_gradient(&x);
            for (force, volume) in force.iter_mut().zip(volume) {
                *force += volume * coefficients[16];
            }
            subtract(&mut d.qfrc_spring, &dofs, &force);
        }
        if dampers && damping != 0.0 {
            let velocity = dofs.clone().map_inline(|dofs| {
                let mut v = Vec3::ZERO;
                v.0.iter_mut().zip(&d.qvel[dofs]).for_each(|(v, x)| *v = *x);
                v
            });
            let force = product(coefficients, &velocity).map_inline(|force| force * damping);
            subtract(&mut d.qfrc_damper, &dofs, &force);
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

#[inline(always)]
fn subtract(qfrc: &mut [f64], dofs: &[std::ops::Range<usize>; 4], force: &[Vec3; 4]) {
    for (dofs, force) in dofs.iter().zip(force) {
        for (qfrc, force) in qfrc[dofs.clone()].iter_mut().zip(force.0) {
            *qfrc -= force;
        }
    }
}
