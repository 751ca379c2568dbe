//! Rows of bodies of particles.
//!
//! A step of extended position-based dynamics ends where each constraint `C` of compliance `α` and relaxation time `τ` pulls with the force
//! `f = −(C⁺ + τ Ċ⁺)/α` at the end of the step. To first order, with the acceleration `a` that the solver looks for,
//!
//! ```text
//! f = −(C + (h + τ) J v + h (h + τ) J a)/α     ⇒     R = α/(h (h + τ)),   K·imp = 1/(h (h + τ)),   B = 1/h
//! ```
//!
//! an equality row: constraints of particles and contacts with rigid bodies are solved together, and a body that lies on cloth feels what holds the
//! cloth. With `coupling_iterations` above one, constraints are linearised again about the predicted positions `x₀ + h v⁺`, `C ≈ C(xₖ) + J (x − xₖ)`, and solved again: Newton's
//! method on the implicit step.

use corten_math::Vec3;
use corten_model::ModelArrays;
use corten_model::enums::ConstraintType;
use corten_model::soft::SoftPlan;
use corten_soft::Gradient;

use super::Given;
use super::assembly::{Constraints, Row};
use crate::solve::rows::Kind;
use crate::support::Chains;
use crate::{Data, Model};

/// Impedance of the rows; nothing depends on it.
const IMPEDANCE: f64 = 0.5;
/// Part of the inverse inertia of a row that its regularisation is at least: what is held exactly stays solvable.
const LEAST: f64 = 1e-6;

/// All bodies of particles of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Softs {
    bodies: Vec<SoftPlan>,
}

impl Softs {
    pub fn new(m: &ModelArrays) -> Softs {
        Softs { bodies: if m.nnumeric == 0 { Vec::new() } else { m.soft_bodies() } }
    }

    pub fn name(&self, id: usize) -> Option<&str> {
        Some(&self.bodies.get(id)?.name)
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Positions about which constraints are linearised, body by body; empty for the present ones.
    point: Vec<Vec3>,
    /// Velocity at the end of the step, as predicted.
    velocity: Vec<f64>,
    /// Positions of the particles of one body.
    present: Vec<Vec3>,
    /// Entries of a row.
    entries: Vec<(u32, f64)>,
}

/// Rows of all bodies.
#[cold]
#[inline(never)]
pub(super) fn soft(
    m: &Model,
    given: &Given<'_>,
    softs: &Softs,
    memory: &mut Scratch,
    rows: &mut Constraints,
) {
    let mut first = 0;
    for (id, body) in softs.bodies.iter().enumerate() {
        let end = first + body.bodies.len();
        memory.present.clear();
        memory.present.extend(body.bodies.iter().map(|&b| given.xpos[b as usize]));
        let predicted = memory.point.len() >= end;
        for constraint in body.constraints.as_slice() {
            let points = if predicted { &memory.point[first..end] } else { &memory.present[..] };
            let Some(gradient) = constraint.gradient(points) else { continue };
            let mut pos = gradient.value;
            if predicted {
                // The plane that touches there, at the present positions.
                for k in 0..gradient.count {
                    let i = gradient.particles[k];
                    pos -= gradient.by[k].dot(points[i] - memory.present[i]);
                }
            }
            let Scratch { present, entries, .. } = &mut *memory;
            collect(given.chains, &body.bodies, present, &gradient, entries);
            push(m, rows, id, entries, pos, constraint.compliance, body.damping, given);
        }
        first = end;
    }
}

/// The entries of a row, ascending.
fn collect(
    chains: Chains<'_>,
    bodies: &[u32],
    position: &[Vec3],
    gradient: &Gradient,
    entries: &mut Vec<(u32, f64)>,
) {
    entries.clear();
    for k in 0..gradient.count {
        let i = gradient.particles[k];
        chains.for_each_dof(position[i], bodies[i] as usize, |dof, translation, _| {
            entries.push((dof as u32, translation.dot(gradient.by[k])));
        });
    }
    entries.sort_by_key(|&(dof, _)| dof);
    // What moves several particles has one entry.
    entries.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    entries.retain(|&(_, value)| value != 0.0);
}

fn push(
    m: &Model,
    rows: &mut Constraints,
    id: usize,
    entries: &[(u32, f64)],
    pos: f64,
    compliance: f64,
    damping: f64,
    given: &Given<'_>,
) {
    if entries.is_empty() || entries.iter().any(|(_, value)| !value.is_finite()) {
        return;
    }
    if let Some(awake) = given.awake
        && !entries.iter().any(|&(dof, _)| awake.tree[m.dof_treeid[dof as usize] as usize] != 0)
    {
        return;
    }
    let weight: f64 = entries.iter().map(|&(dof, x)| x * x * m.dof_invweight0[dof as usize]).sum();
    let h = m.opt.timestep.max(corten_math::MIN_VAL);
    let per = 1.0 / (h * (h + damping));
    let (col, val) = (rows.columns.len(), rows.values.len());
    rows.columns.extend(entries.iter().map(|&(dof, _)| dof));
    rows.values.extend(entries.iter().map(|&(_, value)| value));
    rows.push_block(Kind::Equality, 1, col, val, 0);
    rows.push(&Row {
        kind: ConstraintType::SoftBody,
        id,
        count: 1,
        frictionloss: 0.0,
        pos,
        margin: 0.0,
        kbip: [per / IMPEDANCE, 1.0 / h, IMPEDANCE, 0.0],
        r: (compliance * per).max(LEAST * weight),
    });
}

/// Takes note of where particles will be at the end of the step, for the next rows.
pub(crate) fn predict(m: &Model, d: &mut Data) {
    let (h, memory) = (m.opt.timestep, &mut d.scratch.soft);
    memory.velocity.clear();
    memory.velocity.extend(d.qvel.iter().zip(&d.qacc).map(|(v, a)| v + h * a));
    memory.point.clear();
    let chains =
        Chains { structure: &d.prepared.structure, subtree_com: &d.subtree_com, cdof: &d.cdof };
    for &body in d.prepared.softs.bodies.iter().flat_map(|soft| &soft.bodies) {
        let at = d.xpos[body as usize];
        let mut end = at;
        chains.for_each_dof(at, body as usize, |dof, translation, _| {
            end += translation * (h * memory.velocity[dof]);
        });
        memory.point.push(end);
    }
}

/// Rows are about present positions again.
pub(crate) fn forget_prediction(d: &mut Data) {
    d.scratch.soft.point.clear();
}
