//! Bodies that overlap when a simulation starts.

use std::collections::BTreeMap;

use corten::{Diagnostic, Diagnostics, Model, Spec};

/// Penetrations up to this depth are how things rest on each other [m].
const DEPTH: f64 = 1e-3;
/// Larger models are not simulated for advice.
const MAX_DOFS: usize = 2000;
/// Pairs that are named; a wrong model may have thousands.
const MAX_PAIRS: usize = 10;

/// Pairs of bodies that penetrate each other in the initial pose.
pub fn overlaps(m: &Model, spec: &Spec) -> Diagnostics {
    let mut found = Diagnostics::new();
    if m.nv == 0 || m.nv > MAX_DOFS {
        return found;
    }
    let mut d = m.make_data();
    if d.forward(m).is_err() {
        return found;
    }
    let mut deepest: BTreeMap<[usize; 2], f64> = BTreeMap::new();
    for contact in d.contacts().iter().filter(|contact| contact.dist < -DEPTH) {
        let body = |geom: i32| usize::try_from(geom).ok().and_then(|g| m.geom_bodyid.get(g));
        let (Some(&a), Some(&b)) = (body(contact.geom[0]), body(contact.geom[1])) else { continue };
        let depth = deepest.entry([a as usize, b as usize]).or_default();
        *depth = depth.max(-contact.dist);
    }
    let count = deepest.len();
    let bodies: Vec<_> = m.bodies().collect();
    for ([a, b], depth) in deepest.into_iter().take(MAX_PAIRS) {
        let name = |body: usize| match m.body_name(bodies[body]) {
            Some(name) => format!("'{name}'"),
            None => format!("number {body}"),
        };
        let message = format!(
            "bodies {} and {} overlap by {:.1} mm in the initial pose",
            name(a),
            name(b),
            1e3 * depth
        );
        let hint = "move one of them, or exclude the pair from contact";
        // Models with keyframes are usually started from one of them.
        let item = match m.nkey {
            0 => Diagnostic::warning(message),
            _ => Diagnostic::note(message),
        };
        let item = item.hint(hint);
        // The one that moves is the one to look at.
        let place = m.body_name(bodies[a.max(b)]).and_then(|n| spec.find_body(n));
        found.push(match place {
            Some(key) => item.on("body", &spec.bodies[key]),
            None => item,
        });
    }
    if count > MAX_PAIRS {
        found.push(Diagnostic::note(format!("{} more pairs overlap", count - MAX_PAIRS)));
    }
    found.locate(&spec.sources);
    found
}
