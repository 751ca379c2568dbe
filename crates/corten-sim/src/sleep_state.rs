//! Whether an object takes part in the computation while parts of the model sleep (MuJoCo's
//! `mj_sleepState`).

use corten_model::Model;
use corten_model::enums::{EnableBit, ObjType, SensorType, SleepState, Transmission};

use crate::Data;

/// Whether anything is asleep that could be left out.
pub(crate) fn filtering(m: &Model, d: &Data) -> bool {
    m.opt.enabled(EnableBit::Sleep) && d.ntree_awake < m.ntree
}

/// State of an object with a body of its own; objects without one are always awake.
pub(crate) fn object(m: &Model, d: &Data, kind: i32, id: i32) -> SleepState {
    let Ok(id) = usize::try_from(id) else { return SleepState::Awake };
    let body = match ObjType::from_raw(kind) {
        Some(ObjType::Body | ObjType::Xbody) => Some(id),
        Some(ObjType::Joint) => owner(&m.jnt_bodyid, id),
        Some(ObjType::Site) => owner(&m.site_bodyid, id),
        Some(ObjType::Dof) => owner(&m.dof_bodyid, id),
        Some(ObjType::Geom) => owner(&m.geom_bodyid, id),
        Some(ObjType::Camera) => owner(&m.cam_bodyid, id),
        Some(ObjType::Light) => owner(&m.light_bodyid, id),
        Some(ObjType::Tendon) => return tendon(m, d, id),
        Some(ObjType::Actuator) => return actuator(m, d, id),
        _ => None,
    };
    body.and_then(|b| d.body_awake.get(b))
        .and_then(|&s| SleepState::from_raw(s))
        .unwrap_or(SleepState::Awake)
}

fn owner(bodies: &[i32], id: usize) -> Option<usize> {
    bodies.get(id).and_then(|&b| usize::try_from(b).ok())
}

/// A tendon sleeps when all trees it spans do; between more than two trees it never sleeps.
pub(crate) fn tendon(m: &Model, d: &Data, id: usize) -> SleepState {
    let (Some(&count), Some(trees)) = (m.tendon_treenum.get(id), m.tendon_treeid.get(id)) else {
        return SleepState::Awake;
    };
    let awake = |tree: i32| {
        usize::try_from(tree).ok().and_then(|t| d.tree_awake.get(t)).is_none_or(|&a| a != 0)
    };
    match count {
        0 => SleepState::Static,
        1 | 2 if trees.iter().take(count as usize).all(|&t| !awake(t)) => SleepState::Asleep,
        _ => SleepState::Awake,
    }
}

/// An actuator sleeps with what it moves.
pub(crate) fn actuator(m: &Model, d: &Data, id: usize) -> SleepState {
    let Some(&[target, other]) = m.actuator_trnid.get(id) else { return SleepState::Awake };
    let state = |kind: ObjType, id: i32| object(m, d, kind.raw(), id);
    match Transmission::from_raw(m.actuator_trntype[id]) {
        Some(Transmission::Joint | Transmission::JointInParent) => state(ObjType::Joint, target),
        Some(Transmission::Tendon) => state(ObjType::Tendon, target),
        Some(Transmission::Site) => state(ObjType::Site, target),
        Some(Transmission::Body) => state(ObjType::Body, target),
        Some(Transmission::SliderCrank) => {
            let awake =
                [target, other].iter().any(|&s| state(ObjType::Site, s) == SleepState::Awake);
            if awake { SleepState::Awake } else { SleepState::Asleep }
        }
        _ => SleepState::Awake,
    }
}

/// A sensor sleeps with the objects it measures; what looks at the whole world never does.
pub(crate) fn sensor(m: &Model, d: &Data, id: usize) -> SleepState {
    let (kind, reference) = (m.sensor_objtype[id], m.sensor_reftype[id]);
    let site = ObjType::Site.raw();
    match SensorType::from_raw(m.sensor_type[id]) {
        Some(SensorType::User | SensorType::Plugin | SensorType::Rangefinder) => {
            return SleepState::Awake;
        }
        Some(SensorType::Contact) if kind == site || reference == site => {
            return SleepState::Awake;
        }
        _ => {}
    }
    let unknown = ObjType::Unknown.raw();
    let measured = object(m, d, kind, m.sensor_objid[id]);
    let relative_to = object(m, d, reference, m.sensor_refid[id]);
    let asleep = match (kind == unknown, reference == unknown) {
        (true, true) => false,
        (true, false) => relative_to == SleepState::Asleep,
        (false, true) => measured == SleepState::Asleep,
        (false, false) => measured != SleepState::Awake && relative_to != SleepState::Awake,
    };
    if asleep { SleepState::Asleep } else { SleepState::Awake }
}
