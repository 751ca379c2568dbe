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

use corten_math::array::MapInline;
use corten_math::{Number, Vec3, wide};

use super::plan::Hinge;
use super::{Padded, gather, scatter};
use crate::support::Chains;
use crate::{Data, Model};

/// Adds the forces on bodies.
pub(super) fn add(m: &Model, d: &mut Data, flex: usize, [springs, dampers]: [bool; 2]) {
    let flex = &d.prepared.flexes.flexes[flex];
    let damping = if dampers { m.flex_damping[flex.id] } else { 0.0 };
    if flex.hinges.is_empty() {
        return;
    }
    if !flex.of_points {
        return add_by_bodies(m, d, flex.id, [springs, damping != 0.0]);
    }
    let plan = &d.prepared.flexes;
    let hinges = &plan.hinges[flex.hinges.range()];
    let vertices = flex.vertices.range();
    let memory = &mut d.scratch.flex;
    if springs {
        let shape =
            Hinges { hinges, coefficients: &m.flex_bending, x: &memory.position, factor: None };
        memory.force[vertices.clone()].fill([0.0; 4]);
        point_forces(&shape, &mut memory.force);
        let points = plan.points[vertices.clone()].iter().zip(&memory.force[vertices.clone()]);
        super::add_to_points(points, -1.0, &mut d.qfrc_spring);
    }
    if damping != 0.0 {
        for v in vertices.clone() {
            memory.velocity[v] = plan.points[v].velocity(&d.qvel);
        }
        let factor = Some(damping);
        let shape = Hinges { hinges, coefficients: &m.flex_bending, x: &memory.velocity, factor };
        memory.force[vertices.clone()].fill([0.0; 4]);
        point_forces(&shape, &mut memory.force);
        let points = plan.points[vertices.clone()].iter().zip(&memory.force[vertices]);
        super::add_to_points(points, -1.0, &mut d.qfrc_damper);
    }
}

/// What forces of hinges between points follow from.
struct Hinges<'a> {
    hinges: &'a [Hinge],
    coefficients: &'a [[f64; 17]],
    /// Positions or velocities of vertices.
    x: &'a [Padded],
    /// Of the linear force, if the cubic term does not count.
    factor: Option<f64>,
}

wide! {
    /// Adds minus the forces on vertices.
    fn point_forces(shape: &Hinges<'_>, force: &mut [Padded]) {
        let count = shape.hinges.len();
        for start in (0..count).step_by(4) {
            // The last is repeated if there are fewer than four.
            let at = [0, 1, 2, 3].map_inline(|k| (start + k).min(count - 1));
            let pulls = shape.force::<Simd>(at);
            for v in 0..4 {
                let vertex = |k: usize| shape.hinges[at[k]].vertices[v] as usize;
                scatter(pulls[v], vertex, 4.min(count - start), force);
            }
        }
    }
}

impl Hinges<'_> {
    /// Minus the forces of as many hinges as `T` has lanes.
    #[inline(always)]
    fn force<T: Number>(&self, at: [usize; 4]) -> [Vec3<T>; 4] {
        let coefficients = T::gather(self.coefficients, |k| self.hinges[at[k]].edge as usize);
        let mut x = [Vec3::of(Vec3::ZERO); 4];
        for v in 0..4 {
            x[v] = gather(self.x, |k| self.hinges[at[k]].vertices[v] as usize);
        }
        let mut force = cotangent_product(&coefficients, &x);
        match self.factor {
            None => {
                let volume = volume_gradient(&x);
                for v in 0..4 {
                    force[v] += volume[v] * coefficients[16];
                }
            }
            Some(factor) => {
                for v in 0..4 {
                    force[v] *= T::splat(factor);
                }
            }
        }
        force
    }
}

/// [`add`] where vertices are not points.
fn add_by_bodies(m: &Model, d: &mut Data, flex: usize, [springs, dampers]: [bool; 2]) {
    let plan = &d.prepared.flexes;
    let Some(flex) = plan.flexes.iter().find(|other| other.id == flex) else { return };
    let chains =
        Chains { structure: &d.prepared.structure, subtree_com: &d.subtree_com, cdof: &d.cdof };
    let damping = m.flex_damping[flex.id];
    let along_world = !super::is_textbook(m);
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
            let mut force = cotangent_product(coefficients, &x);
            let volume = volume_gradient(&x);
            for (force, volume) in force.iter_mut().zip(volume) {
                *force += volume * coefficients[16];
            }
            subtract(&mut d.qfrc_spring, &force);
        }
        if dampers {
            let mut velocity = [Vec3::ZERO; 4];
            for k in 0..4 {
                if along_world {
                    let v = &mut velocity[k].0;
                    v.iter_mut().zip(&d.qvel[dofs[k].clone()]).for_each(|(v, x)| *v = *x);
                } else {
                    velocity[k] = super::point_velocity(d, bodies[k], x[k]);
                }
            }
            let force =
                cotangent_product(coefficients, &velocity).map_inline(|force| force * damping);
            subtract(&mut d.qfrc_damper, &force);
        }
    }
}

/// The matrix times four vectors.
#[inline(always)]
pub(crate) fn cotangent_product<T: Number>(
    coefficients: &[T; 17],
    x: &[Vec3<T>; 4],
) -> [Vec3<T>; 4] {
    let mut result = [Vec3::of(Vec3::ZERO); 4];
    for i in 0..4 {
        for j in 0..4 {
            result[i] += x[j] * coefficients[4 * i + j];
        }
    }
    result
}

/// Gradient of six times the volume of a tetrahedron.
#[inline(always)]
pub(crate) fn volume_gradient<T: Number>(x: &[Vec3<T>; 4]) -> [Vec3<T>; 4] {
    let [a, b, c] = [x[1] - x[0], x[2] - x[0], x[3] - x[0]];
    let [a, b, c] = [b.cross(c), c.cross(a), a.cross(b)];
    [-(a + b + c), a, b, c]
}
