//! What depends on the structure of the model alone.

use corten_math::memory;
use corten_model::ModelArrays;
use corten_model::enums::{SleepPolicy, Transmission, WrapType};

use super::ConstantsError;

use crate::chain::index;

pub(super) fn set(m: &mut ModelArrays) -> Result<(), ConstantsError> {
    subtree_masses(m);
    m.ngravcomp = m.body_gravcomp.iter().filter(|&&g| g > 0.0).count();
    trees(m);
    tendon_trees(m);
    sleep_policies(m)
}

fn subtree_masses(m: &mut ModelArrays) {
    m.body_subtreemass.copy_from_slice(&m.body_mass);
    for b in (1..m.nbody).rev() {
        if let Some(parent) = index(m.body_parentid[b], b) {
            m.body_subtreemass[parent] += m.body_subtreemass[b];
        }
    }
}

/// Which bodies and dofs belong to which tree.
fn trees(m: &mut ModelArrays) {
    for b in 0..m.nbody {
        let weld = index(m.body_weldid[b], m.nbody).unwrap_or(0);
        let first = if m.body_dofnum[weld] > 0 { index(m.body_dofadr[weld], m.nv) } else { None };
        m.body_treeid[b] = first.map_or(-1, |dof| m.dof_treeid[dof]);
    }
    m.tree_bodynum.fill(0);
    m.tree_dofnum.fill(0);
    let mut first_seen = -1;
    for b in 1..m.nbody {
        let tree = m.body_treeid[b];
        if tree > first_seen {
            first_seen += 1;
            set_at(&mut m.tree_bodyadr, first_seen, b as i32);
        }
        if tree >= 0 {
            count_at(&mut m.tree_bodynum, first_seen);
        }
    }
    let mut first_seen = -1;
    for dof in 0..m.nv {
        if m.dof_treeid[dof] > first_seen {
            first_seen += 1;
            set_at(&mut m.tree_dofadr, first_seen, dof as i32);
        }
        count_at(&mut m.tree_dofnum, first_seen);
    }
}

fn set_at(array: &mut [i32], at: i32, value: i32) {
    if let Some(i) = index(at, array.len()) {
        array[i] = value;
    }
}

fn count_at(array: &mut [i32], at: i32) {
    if let Some(i) = index(at, array.len()) {
        array[i] += 1;
    }
}

/// The tree of what a tendon's path refers to, one after the other.
fn path_trees(m: &ModelArrays, tendon: usize) -> impl Iterator<Item = usize> + '_ {
    let start = usize::try_from(m.tendon_adr[tendon]).unwrap_or(0).min(m.nwrap);
    let count = usize::try_from(m.tendon_num[tendon]).unwrap_or(0).min(m.nwrap - start);
    (start..start + count).filter_map(|w| {
        let owners = match WrapType::from_raw(m.wrap_type[w])? {
            WrapType::Joint => &m.jnt_bodyid,
            WrapType::Site => &m.site_bodyid,
            WrapType::Sphere | WrapType::Cylinder => &m.geom_bodyid,
            WrapType::Pulley | WrapType::None => return None,
        };
        let body = index(owners[index(m.wrap_objid[w], owners.len())?], m.nbody)?;
        index(m.body_treeid[body], m.ntree)
    })
}

/// The first two trees of each tendon, and the number of all.
fn tendon_trees(m: &mut ModelArrays) {
    let mut seen = memory::filled(usize::MAX, m.ntree);
    for t in 0..m.ntendon {
        let (mut ids, mut count) = ([-1; 2], 0);
        for tree in path_trees(m, t) {
            if std::mem::replace(&mut seen[tree], t) != t {
                if let Some(id) = ids.get_mut(count) {
                    *id = tree as i32;
                }
                count += 1;
            }
        }
        (m.tendon_treeid[t], m.tendon_treenum[t]) = (ids, count as i32);
    }
}

/// Trees whose policy was left open: those that actuators, flexes or springs between trees may
/// move never sleep, all others may.
fn sleep_policies(m: &mut ModelArrays) -> Result<(), ConstantsError> {
    fn keep_awake(policy: &mut i32) {
        if *policy == SleepPolicy::Auto.raw() {
            *policy = SleepPolicy::AutoNever.raw();
        }
    }
    let mut policies = m.tree_sleep_policy.clone();
    let mut keep_body_awake = |body: i32| {
        if let Some(tree) =
            index(body, m.nbody).and_then(|b| index(m.body_treeid[b], policies.len()))
        {
            keep_awake(&mut policies[tree]);
        }
    };
    for i in 0..m.nu {
        let [target, _] = m.actuator_trnid[i];
        let owner = |owners: &[i32]| index(target, owners.len()).map_or(-1, |k| owners[k]);
        match Transmission::from_raw(m.actuator_trntype[i]) {
            Some(Transmission::Joint | Transmission::JointInParent) => {
                keep_body_awake(owner(&m.jnt_bodyid));
            }
            Some(Transmission::Site | Transmission::SliderCrank) => {
                keep_body_awake(owner(&m.site_bodyid));
            }
            Some(Transmission::Body) => keep_body_awake(target),
            _ => {}
        }
    }
    m.flex_vertbodyid.iter().chain(&m.flex_nodebodyid).for_each(|&b| keep_body_awake(b));
    for i in 0..m.nu {
        if m.actuator_trntype[i] == Transmission::Tendon.raw()
            && let Some(t) = index(m.actuator_trnid[i][0], m.ntendon)
        {
            path_trees(m, t).for_each(|tree| keep_awake(&mut policies[tree]));
        }
    }
    let mut result = Ok(());
    for t in 0..m.ntendon {
        let trees = m.tendon_treenum[t];
        let passive = m.tendon_stiffness[t] != 0.0 || m.tendon_damping[t] != 0.0;
        if trees < 2 || (trees == 2 && !passive) {
            continue;
        }
        for tree in path_trees(m, t) {
            let policy = SleepPolicy::from_raw(policies[tree]);
            if matches!(policy, Some(SleepPolicy::Allowed | SleepPolicy::Init)) && result.is_ok() {
                let body = super::body_name(m, m.tree_bodyadr[tree]);
                result =
                    Err(ConstantsError::SleeplessTendon { body, tendon: t, trees: trees as usize });
            }
            keep_awake(&mut policies[tree]);
        }
    }
    for policy in &mut policies {
        if *policy == SleepPolicy::Auto.raw() {
            *policy = SleepPolicy::AutoAllowed.raw();
        }
    }
    m.tree_sleep_policy.copy_from_slice(&policies);
    result
}
