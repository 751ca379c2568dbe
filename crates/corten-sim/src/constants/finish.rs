//! The end of compilation: from a draft to a complete model.

use corten_math::MIN_VAL;
use corten_math::memory;
use corten_model::enums::{DisableBit, EnableBit, JointType, ObjType};
use corten_model::{Diagnostic, Diagnostics, Draft, Places};

use super::{length_range, set_const};
use crate::extend::{Extensions, display_name};
use crate::{Data, Model, Registry, support};

/// Completes a compiled model by running the engine in its reference pose.
pub fn finish(draft: Draft) -> Result<Model, Diagnostics> {
    finish_with(draft, &Registry::new())
}

/// [`finish`], with the extensions of a registry.
pub fn finish_with(draft: Draft, registry: &Registry) -> Result<Model, Diagnostics> {
    let (springdamper, stat, length_range) =
        (draft.springdamper.clone(), draft.stat.clone(), draft.length_range.clone());
    let places = draft.places.clone();
    let limits = draft.limits;
    let mut m = Model::bare(draft.into_model());
    m.limits = limits;
    install(&mut m, registry, &places)?;
    let options = m.opt.clone();
    // Contacts and sleep have no part in constants.
    m.opt.disableflags |= DisableBit::Contact.raw();
    m.opt.enableflags &= !EnableBit::Sleep.raw();

    let mut d = Data::new(&m);
    let nq = m.nq;
    let mut keys = memory::copy_of(&m.key_qpos);
    for qpos in keys.chunks_exact_mut(nq.max(1)) {
        support::normalize_quat(&m, qpos);
    }
    m.key_qpos.copy_from_slice(&keys);

    let error = |e: &dyn std::error::Error, (kind, index)| {
        places.locate(Diagnostic::error(e.to_string()), kind, index)
    };
    set_const(&mut m, &mut d)
        .map_err(|e| error(&e, e.subject().unwrap_or((ObjType::Unknown, 0))))?;
    set_spring_dampers(&mut m, &springdamper);

    m.opt.disableflags = [
        DisableBit::FrictionLoss,
        DisableBit::Contact,
        DisableBit::Spring,
        DisableBit::Damper,
        DisableBit::Gravity,
        DisableBit::Actuation,
        DisableBit::Sensor,
    ]
    .into_iter()
    .fold(0, |flags, bit| flags | bit.raw());
    if length_range.timestep > 0.0 {
        m.opt.timestep = length_range.timestep;
    }
    length_range::set_all(&mut m, &length_range)
        .map_err(|(actuator, e)| error(&e, (ObjType::Actuator, actuator)))?;
    m.opt = options;

    m.stat.meaninertia = stat.meaninertia.unwrap_or(m.stat.meaninertia);
    m.stat.meanmass = stat.meanmass.unwrap_or(m.stat.meanmass);
    m.stat.meansize = stat.meansize.unwrap_or(m.stat.meansize);
    m.stat.extent = stat.extent.unwrap_or(m.stat.extent);
    m.stat.center = stat.center.unwrap_or(m.stat.center);

    // Trees that start asleep must be able to: making data tells.
    if m.opt.enabled(EnableBit::Sleep)
        && let Some(e) = Data::new(&m).sleep_error
    {
        return Err(error(&e, (ObjType::Body, e.root())));
    }
    Ok(m)
}

/// Gives the model its extensions; what they refuse are errors of its author.
fn install(m: &mut Model, registry: &Registry, places: &Places) -> Result<(), Diagnostics> {
    let (extensions, refused) = Extensions::new(m, registry);
    m.install(extensions);
    let mut errors = Diagnostics::new();
    for why in refused {
        let message = match why.kind {
            ObjType::Plugin => format!("{}: {}", display_name(m, why.index), why.message),
            _ => why.message,
        };
        errors.append(places.locate(Diagnostic::error(message), why.kind, why.index));
    }
    if errors.has_errors() { Err(errors) } else { Ok(()) }
}

/// Stiffness and damping of joints whose author gave a time constant and a damping ratio: those
/// of a mass–spring–damper with the joint's effective inertia in the reference pose.
fn set_spring_dampers(m: &mut Model, springdamper: &[[f64; 2]]) {
    for (j, &[timeconst, dampratio]) in springdamper.iter().enumerate() {
        if timeconst <= 0.0 || dampratio <= 0.0 {
            continue;
        }
        let width = match JointType::from_raw(m.jnt_type[j]) {
            Some(JointType::Free) => 6,
            Some(JointType::Ball) => 3,
            _ => 1,
        };
        let start = usize::try_from(m.jnt_dofadr[j]).unwrap_or(0).min(m.nv);
        let dofs = start..(start + width).min(m.nv);
        let compliance: f64 = m.dof_invweight0[dofs.clone()].iter().sum();
        let inertia = width as f64 / compliance.max(MIN_VAL);
        let rate = timeconst * dampratio;
        m.jnt_stiffness[j] = inertia / (rate * rate).max(MIN_VAL);
        m.dof_damping[dofs].fill(2.0 * inertia / timeconst.max(MIN_VAL));
    }
}
