//! Flexes with other laws than MuJoCo's: forces on vertices, and how they reach degrees of freedom.

use corten_math::Vec3;
use corten_math::array::MapInline;

use crate::extend::flex::{
    ElementCoefficients, FlexBendingModel, FlexElasticityModel, FlexElements, HingeCoefficients,
    HingeState,
};
use crate::support::Chains;
use crate::{Data, Model};

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// By vertex of the model.
    force: Vec<Vec3>,
    velocity: Vec<Vec3>,
}

/// Adds forces of hinges, with a row of coefficients per hinge.
pub(crate) fn bend_by<B: FlexBendingModel>(
    law: &B,
    coefficients: &[HingeCoefficients],
    m: &Model,
    d: &mut Data,
    flex: usize,
    [springs, dampers]: [bool; 2],
) {
    let plan = &d.prepared.flexes;
    let flex = &plan.flexes[flex];
    let chains =
        Chains { structure: &d.prepared.structure, subtree_com: &d.subtree_com, cdof: &d.cdof };
    let damping = m.flex_damping[flex.id];
    let uses_masses = law.uses_masses();
    for (hinge, coefficients) in plan.hinges[flex.hinges.range()].iter().zip(coefficients) {
        let bodies = hinge.vertices.map_inline(|v| plan.vertex_body[v as usize] as usize);
        let x = hinge.vertices.map_inline(|v| d.flexvert_xpos[v as usize]);
        let subtract = |qfrc: &mut [f64], force: &[Vec3; 4]| {
            for k in 0..4 {
                chains.apply([-force[k], Vec3::ZERO], x[k], bodies[k], qfrc);
            }
        };
        let mut state = HingeState {
            position: x,
            velocity: [Vec3::ZERO; 4],
            inverse_mass: [0.0; 4],
            timestep: m.opt.timestep,
            damping,
        };
        if uses_masses {
            state.inverse_mass = bodies.map_inline(|body| m.body_invweight0[body][0]);
        }
        if springs {
            subtract(&mut d.qfrc_spring, &law.gradient(coefficients, &state));
        }
        if dampers && damping != 0.0 {
            for k in 0..4 {
                state.velocity[k] = super::point_velocity(d, bodies[k], x[k]);
            }
            subtract(&mut d.qfrc_damper, &law.damping(coefficients, &state));
        }
    }
}

/// Adds forces of elements, with a row of coefficients per element.
pub(crate) fn strain_by<E: FlexElasticityModel>(
    law: &E,
    coefficients: &[ElementCoefficients],
    m: &Model,
    d: &mut Data,
    flex: usize,
) {
    let vertices = d.prepared.flexes.flexes[flex].vertices.range();
    let damping = m.flex_damping[d.prepared.flexes.flexes[flex].id];
    let count = d.flexvert_xpos.len();
    d.scratch.flex.law.force.resize(count, Vec3::ZERO);
    d.scratch.flex.law.velocity.resize(count, Vec3::ZERO);
    if damping != 0.0 {
        for v in vertices.clone() {
            let body = d.prepared.flexes.vertex_body[v] as usize;
            d.scratch.flex.law.velocity[v] = super::point_velocity(d, body, d.flexvert_xpos[v]);
        }
    }
    let plan = &d.prepared.flexes;
    let flex = &plan.flexes[flex];
    let memory = &mut d.scratch.flex.law;
    memory.force[vertices.clone()].fill(Vec3::ZERO);
    law.add_forces(&mut FlexElements {
        dim: flex.dim,
        coefficients,
        corners: &plan.corners[flex.corners.range()],
        position: &d.flexvert_xpos,
        velocity: if damping != 0.0 { &memory.velocity } else { &[] },
        rest: &m.flex_rest,
        force: &mut memory.force,
        timestep: m.opt.timestep,
        damping,
    });
    let chains =
        Chains { structure: &d.prepared.structure, subtree_com: &d.subtree_com, cdof: &d.cdof };
    for v in vertices {
        let (body, force) = (plan.vertex_body[v] as usize, memory.force[v]);
        chains.apply([force, Vec3::ZERO], d.flexvert_xpos[v], body, &mut d.qfrc_spring);
    }
}
