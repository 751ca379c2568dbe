//! Comparison with reference data, field by field and stage by stage.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::path::Path;

use corten_model::arrays::{ArrayMut, ArrayRef};
use corten_model::container::{self, Entry, Values};
use corten_sim::stage::{constraint, inertia};
use corten_sim::{Data, Model, forward, inverse, solve};

/// Reference data of one model, as written by `tools/golden.py`.
pub struct Golden {
    entries: BTreeMap<String, Values>,
}

/// Largest deviation per field, in the order of computation.
#[derive(Default)]
pub struct Report {
    pub fields: Vec<(String, f64)>,
}

impl Report {
    pub fn add(&mut self, field: &str, error: f64) {
        match self.fields.iter_mut().find(|(f, _)| f == field) {
            Some((_, worst)) => *worst = max_or_nan(*worst, error),
            None => self.fields.push((field.to_owned(), error)),
        }
    }

    pub fn get(&self, field: &str) -> f64 {
        self.fields.iter().find(|(f, _)| f == field).map_or(f64::NAN, |(_, e)| *e)
    }
}

fn max_or_nan(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// `max |a − b| / max(1, max |a|)`; infinite if lengths differ.
pub fn error(expected: &[f64], found: &[f64]) -> f64 {
    if expected.len() != found.len() {
        return f64::INFINITY;
    }
    let scale = expected.iter().fold(1.0f64, |s, x| s.max(x.abs()));
    expected.iter().zip(found).fold(0.0, |e, (a, b)| max_or_nan(e, (a - b).abs())) / scale
}

pub fn to_f64(values: ArrayRef<'_>) -> Vec<f64> {
    match values {
        ArrayRef::F64(v) => v.to_vec(),
        ArrayRef::F32(v) => v.iter().map(|&x| x.into()).collect(),
        ArrayRef::I32(v) => v.iter().map(|&x| x.into()).collect(),
        ArrayRef::U8(v) => v.iter().map(|&x| x.into()).collect(),
    }
}

/// The materialised constraint Jacobian as nefc x nv.
fn dense_jacobian(m: &Model, d: &Data) -> Vec<f64> {
    if !constraint::is_sparse(m) {
        return d.efc_J.clone();
    }
    let mut dense = vec![0.0; d.nefc * m.nv];
    for row in 0..d.nefc {
        let start = d.efc_J_rowadr[row] as usize;
        for k in start..start + d.efc_J_rownnz[row] as usize {
            dense[row * m.nv + d.efc_J_colind[k] as usize] = d.efc_J[k];
        }
    }
    dense
}

/// What the solver decides: compared where it has converged.
const SOLVED: [&str; 8] = [
    "efc_force",
    "efc_state",
    "qfrc_constraint",
    "qacc",
    "sensordata",
    "cacc",
    "cfrc_int",
    "cfrc_ext",
];

/// Objective of the constraint solvers at `qacc`.
fn objective(m: &Model, d: &mut Data, qacc: &[f64]) -> f64 {
    let mut residual = vec![0.0; d.nefc];
    solve::mul_jacobian(d, qacc, &mut residual);
    residual.iter_mut().zip(&d.efc_aref).for_each(|(r, aref)| *r -= aref);
    let x: Vec<f64> = qacc.iter().zip(&d.qacc_smooth).map(|(a, free)| a - free).collect();
    let mut force = vec![0.0; x.len()];
    inertia::mul(d, &x, &mut force);
    let gauss: f64 = x.iter().zip(&force).map(|(x, f)| 0.5 * x * f).sum();
    gauss + solve::constraint_update(m, d, &residual)
}

/// How far the cost of the solution in `d` is above the lowest one known, by what is allowed: twice
/// what MuJoCo's solution `theirs` leaves, or ten times the solver's tolerance. `best` is
/// MuJoCo's converged solution.
fn excess_cost(m: &Model, d: &Data, theirs: &[f64], best: &[f64]) -> f64 {
    let mut at = d.clone();
    let [theirs, ours, best] = [theirs, &d.qacc, best].map(|x| objective(m, &mut at, x));
    let scale = 1.0 / (m.stat.meaninertia * m.nv.max(1) as f64);
    let low = theirs.min(ours).min(best);
    let rounding = 1e-12 * low.abs().max(1.0) * scale;
    let allowed = (2.0 * scale * (theirs - low)).max(10.0 * m.opt.tolerance).max(rounding);
    scale * (ours - low) / allowed
}

impl Golden {
    pub fn read(path: &Path) -> Golden {
        let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let entries = container::read(&bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Golden { entries: entries.into_iter().map(|e| (e.name, e.values)).collect() }
    }

    pub fn get(&self, name: &str) -> Option<Vec<f64>> {
        self.entries.get(name).map(|v| to_f64(v.as_ref()))
    }

    /// The model as MuJoCo compiled it.
    pub fn model(&self) -> Model {
        let entries: Vec<Entry> = self
            .entries
            .iter()
            .filter_map(|(name, values)| {
                let name = name.strip_prefix("model.")?.to_owned();
                Some(Entry { name, values: values.clone() })
            })
            .collect();
        Model::unpack(&entries).unwrap()
    }

    /// Deviation of every model array from the reference.
    pub fn compare_model(&self, m: &Model) -> Report {
        let mut report = Report::default();
        // MuJoCo's Python shows these two colours as empty arrays.
        let hidden = ["vis.rgba.bv", "vis.rgba.bvactive"];
        for entry in m.pack().into_iter().filter(|e| !hidden.contains(&e.name.as_ref())) {
            if let Some(expected) = self.get(&format!("model.{}", entry.name)) {
                report.add(&entry.name, error(&expected, &to_f64(entry.values.as_ref())));
            }
        }
        report
    }

    pub fn states(&self) -> Vec<usize> {
        (0..16).filter(|k| self.entries.contains_key(&format!("state{k}.in.qpos"))).collect()
    }

    /// Fresh data with the inputs of one reference state.
    pub fn data(&self, m: &Model, state: usize) -> Data {
        let mut d = Data::new(m);
        let prefix = format!("state{state}.in.");
        for (name, values) in &self.entries {
            let Some(field) = name.strip_prefix(&prefix) else { continue };
            let index = Data::array_index(field).unwrap();
            match (d.array_mut(index).unwrap(), values.as_ref()) {
                (ArrayMut::F64(to), ArrayRef::F64(from)) => to.copy_from_slice(from),
                (ArrayMut::U8(to), ArrayRef::U8(from)) => to.copy_from_slice(from),
                _ => panic!("unexpected type of {field}"),
            }
        }
        d
    }

    /// Runs `forward` and `inverse` from every reference state at the model's own options, and
    /// `forward` once more with the solver converged for the [`SOLVED`] fields; reports the
    /// deviation of every field, and of the solution at the model's own options as
    /// [`excess_cost`].
    pub fn compare_forward(&self, m: &Model) -> Report {
        let mut converged = m.clone();
        (converged.opt.tolerance, converged.opt.iterations) = (1e-16, 300);
        let mut report = Report::default();
        for k in self.states() {
            let (mut own, mut solved) = (self.data(m, k), self.data(m, k));
            forward(m, &mut own).unwrap();
            forward(&converged, &mut solved).unwrap();
            let expected = |name: &str| self.get(&format!("state{k}.{name}"));
            for (i, info) in Data::ARRAYS.iter().enumerate() {
                // Without islands MuJoCo leaves these fields undefined.
                let islands = expected("out.island_nv").is_some_and(|v| !v.is_empty());
                let undefined = matches!(info.name, "tree_island" | "dof_island" | "efc_island");
                if info.name == "efc_J" || (undefined && !islands) {
                    continue;
                }
                let d = if SOLVED.contains(&info.name) { &solved } else { &own };
                if let Some(want) = expected(&format!("out.{}", info.name)) {
                    report.add(info.name, error(&want, &to_f64(d.array(i).unwrap())));
                }
            }
            constraint::materialize_jacobian(m, &mut own);
            report.add("efc_J", error(&expected("out.efc_J").unwrap(), &dense_jacobian(m, &own)));
            report.add("energy", error(&expected("out.energy").unwrap(), &own.energy[..]));
            self.compare_contacts(&own, k, &mut report);
            let theirs = expected("own.qacc").unwrap();
            let best = expected("out.qacc").unwrap();
            report.add("excess_cost", excess_cost(m, &own, &theirs, &best));
            own.qacc.copy_from_slice(&theirs);
            inverse::inverse(m, &mut own).unwrap();
            let want = expected("inverse.qfrc_inverse").unwrap();
            report.add("qfrc_inverse", error(&want, &own.qfrc_inverse));
        }
        report
    }

    fn compare_contacts(&self, d: &Data, state: usize, report: &mut Report) {
        let want = |field: &str| self.get(&format!("state{state}.contact.{field}")).unwrap();
        let mut add = |field: &str, found: Vec<f64>| {
            report.add(&format!("contact.{field}"), error(&want(field), &found));
        };
        let contacts = &d.contact[..d.ncon];
        add("dist", contacts.iter().map(|c| c.dist).collect());
        add("pos", contacts.iter().flat_map(|c| c.pos.0).collect());
        add("frame", contacts.iter().flat_map(|c| c.frame.0).collect());
        add("includemargin", contacts.iter().map(|c| c.includemargin).collect());
        add("friction", contacts.iter().flat_map(|c| c.friction).collect());
        add("solref", contacts.iter().flat_map(|c| c.solref).collect());
        add("solreffriction", contacts.iter().flat_map(|c| c.solreffriction).collect());
        add("solimp", contacts.iter().flat_map(|c| c.solimp).collect());
        add("mu", contacts.iter().map(|c| c.mu).collect());
        add("exclude", contacts.iter().map(|c| c.exclude.into()).collect());
        add("efc_address", contacts.iter().map(|c| c.efc_address.into()).collect());
        add("dim", contacts.iter().map(|c| c.dim.into()).collect());
        add("geom", contacts.iter().flat_map(|c| c.geom.map(f64::from)).collect());
    }

    /// Simulates from the first reference state; deviation at the end.
    pub fn compare_trajectory(&self, m: &Model) -> Report {
        let mut d = self.states().first().map_or_else(|| Data::new(m), |&k| self.data(m, k));
        let steps = self.get("traj.steps").unwrap()[0] as usize;
        for _ in 0..steps {
            // Bad numbers show up in the comparison.
            let _ = corten_sim::step(m, &mut d);
        }
        let mut report = Report::default();
        for (field, found) in [("qpos", &d.qpos), ("qvel", &d.qvel), ("act", &d.act)] {
            let want = self.get(&format!("traj.{field}")).unwrap();
            report.add(&format!("traj.{field}"), error(&want, found));
        }
        report
    }
}
