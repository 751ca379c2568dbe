//! Masses and inertias that do not fit the shapes.

use corten_math::Vec3;

use crate::ModelArrays;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::enums::{GeomType, InertiaFromGeom, ObjType};
use crate::spec::Spec;

/// The radius of gyration of a rigid shape is at most its radius; shapes are often coarse, so
/// that some more is let pass.
const LARGEST_RATIO: f64 = 3.0;
/// A radius of gyration this much smaller than the shape is a point mass, or a wrong unit.
const SMALLEST_RATIO: f64 = 0.01;

/// Inertia that no distribution of the mass within the shapes of a body can have.
pub(super) fn sizes(m: &ModelArrays, spec: &Spec, found: &mut Diagnostics) {
    for b in 1..m.nbody {
        let (mass, geoms) = (m.body_mass[b], m.body_geomnum[b]);
        if mass <= 0.0 || geoms <= 0 || m.body_dofnum[b] == 0 {
            continue;
        }
        let start = m.body_geomadr[b].max(0) as usize;
        let reach = (start..start + geoms as usize)
            .map(|g| (m.geom_pos[g] - m.body_ipos[b]).norm() + m.geom_rbound[g])
            .fold(0.0, f64::max);
        let Vec3(inertia) = m.body_inertia[b];
        let gyration = (inertia.into_iter().fold(0.0, f64::max) / mass).sqrt();
        let name = m.object_names.name(ObjType::Body, b).unwrap_or_default();
        let Some(key) = spec.find_body(name).filter(|_| !name.is_empty() && reach > 0.0) else {
            continue;
        };
        let numbers = format!("gyration radius {gyration:.3e} m, shapes reach {reach:.3e} m");
        let message = if gyration > LARGEST_RATIO * reach {
            format!("the inertia is too large for the shapes of this body ({numbers})")
        } else if gyration < SMALLEST_RATIO * reach {
            format!("the inertia is that of a point compared with the shapes ({numbers})")
        } else {
            continue;
        };
        let hint = "check units: kg, m and kg m^2";
        found.push(Diagnostic::warning(message).on("body", &spec.bodies[key]).hint(hint));
    }
}

/// Bodies whose mass comes from their shapes, where shapes for sight count beside those for
/// contact.
pub(super) fn counted_twice(spec: &Spec, found: &mut Diagnostics) {
    for body in spec.bodies.values().skip(1) {
        let compiler = spec.compiler_of(body);
        let inferred = match compiler.inertiafromgeom {
            InertiaFromGeom::True => true,
            InertiaFromGeom::Auto => !body.explicitinertial,
            InertiaFromGeom::False => false,
        };
        if !inferred {
            continue;
        }
        let [low, high] = compiler.inertiagrouprange;
        let heavy = || {
            let geoms = body.geoms.iter().filter_map(|&key| spec.geoms.get(key));
            geoms.filter(|g| g.mass.unwrap_or(g.density) > 0.0 && (low..=high).contains(&g.group))
        };
        let seen = |g: &&crate::spec::Geom| g.contype == 0 && g.conaffinity == 0;
        let visual = heavy().find(|g| seen(g) && g.type_ == GeomType::Mesh);
        if let Some(visual) = visual.filter(|_| heavy().any(|g| !seen(&g))) {
            let message = "a mesh that is only seen adds to the mass of its body, beside the \
                           shapes for contact";
            let hint = "give it mass=\"0\", or the body an 'inertial'";
            found.push(Diagnostic::note(message).on("geom", visual).hint(hint));
        }
    }
}
