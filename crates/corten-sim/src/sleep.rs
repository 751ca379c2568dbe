//! Sleeping: kinematic trees at rest are left out of the computation.
//!
//! `tree_asleep` is the truth: a negative value is an awake tree's countdown, from
//! `FULLY_AWAKE` to −1; a non-negative value is the next tree in the cycle of trees that fell
//! asleep together. Everything else here ([`update`]) is derived from it. Answers to MuJoCo's
//! `engine_sleep.c`.
//!
//! The hooks, in the order in which a step meets them: [`wake`] inside the kinematics, after
//! body poses are known; `wake_by_tendon`, `wake_by_contact`, `wake_by_equality` in the
//! position stage; [`fall_asleep`] when the state is advanced, before velocities change.
//!
//! Two departures from MuJoCo, which stops with an error or misbehaves there: equalities between
//! tendons wake the trees they couple, and sleeping is off under the Runge-Kutta integrator,
//! whose intermediate states would wake what just fell asleep.

use std::ops::Range;

use corten_math::array::MapInline;
use corten_math::hint::rarely;
use corten_model::enums::{
    EnableBit, EqualityType, Integrator, ObjType, SensorType, SleepPolicy, SleepState, Stage,
    Transmission,
};
use corten_model::sensor::Attachment;

use crate::stage::{inertia, kinematics, tendon};
use crate::{Data, Model, check, sleepers, step};

/// Awake counter of a tree that has just moved: one below the number of quiet steps it needs.
const FULLY_AWAKE: i32 = -11;

/// Awake counter of a tree that may fall asleep with its island.
const READY: i32 = -1;

/// Trees that are looked at together.
const TREES: usize = 32;

/// Why a tree marked `sleep="init"` cannot start asleep: the first such tree, by the index and the
/// name of its root body.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
// The messages say what the fields are.
#[allow(missing_docs)]
pub enum SleepError {
    /// A constraint ties the tree to one that starts awake.
    #[error(
        "the tree of body {body} is marked sleep=\"init\", but a constraint ties it to that of \
         body {partner}, which starts awake; mark both, or none"
    )]
    InitSleepMixedIsland { tree: usize, root: usize, body: String, partner: String },
    /// No other tree keeps it awake: islands are off although there are constraints, or
    /// `sleep_tolerance` lets nothing sleep.
    #[error(
        "the tree of body {body} is marked sleep=\"init\", but cannot sleep: islands are disabled, \
         or sleep_tolerance lets nothing sleep"
    )]
    InitSleepInvalidTree { tree: usize, root: usize, body: String },
}

impl SleepError {
    /// The root body of the tree.
    pub fn root(&self) -> usize {
        match self {
            SleepError::InitSleepMixedIsland { root, .. }
            | SleepError::InitSleepInvalidTree { root, .. } => *root,
        }
    }
}

/// Whether trees may sleep at all.
#[inline]
pub fn enabled(m: &Model) -> bool {
    rarely(m.opt.enabled(EnableBit::Sleep)) && m.opt.integrator != Integrator::Rk4
}

/// Whether some tree sleeps, so that stages have something to skip.
#[inline]
pub fn filters(m: &Model, d: &Data) -> bool {
    rarely(d.ntree_awake < m.ntree && enabled(m))
}

/// Sleep state after a reset: everything awake but the trees marked `sleep="init"`. What static
/// bodies carry is computed once here, since the stages skip it from then on.
pub(crate) fn reset(m: &Model, d: &mut Data) -> Result<(), SleepError> {
    d.tree_asleep.fill(FULLY_AWAKE);
    let mut result = Ok(());
    if m.opt.enabled(EnableBit::Sleep) {
        update_with(m, d, SleepState::Awake);
        if enabled(m) && (0..m.ntree).any(|t| starts_asleep(m, t)) {
            step::forward_bound(m, d, Stage::None, step::Outputs::All);
            result = sleep_initially(m, d);
            d.qacc_smooth.fill(0.0);
            d.qfrc_smooth.fill(0.0);
            d.clear_constraints();
        } else {
            kinematics::kinematics(m, d);
            inertia::centers_of_mass(m, d);
            kinematics::cameras_and_lights(m, d);
            tendon::tendon(m, d);
        }
    }
    update(m, d);
    result
}

fn starts_asleep(m: &Model, tree: usize) -> bool {
    m.tree_sleep_policy[tree] == SleepPolicy::Init.raw()
}

fn sleep_initially(m: &Model, d: &mut Data) -> Result<(), SleepError> {
    for tree in 0..m.ntree {
        d.tree_asleep[tree] = if starts_asleep(m, tree) { READY } else { FULLY_AWAKE };
    }
    fall_asleep(m, d);
    let awake = |&t: &usize| starts_asleep(m, t) && d.tree_asleep[t] < 0;
    let Some(tree) = (0..m.ntree).find(awake) else { return Ok(()) };
    let root_body = |tree: usize| {
        let root = m.tree_bodyadr[tree] as usize;
        (root, check::name(m, ObjType::Body, root))
    };
    let (root, body) = root_body(tree);
    let tied = |&t: &usize| d.tree_island[t] == d.tree_island[tree] && !starts_asleep(m, t);
    let partner = (0..m.ntree).filter(|_| d.nisland > 0 && d.tree_island[tree] >= 0).find(tied);
    Err(match partner {
        Some(partner) => {
            let partner = root_body(partner).1;
            SleepError::InitSleepMixedIsland { tree, root, body, partner }
        }
        None => SleepError::InitSleepInvalidTree { tree, root, body },
    })
}

/// Index lists of what is awake, from `tree_asleep`.
pub fn update(m: &Model, d: &mut Data) {
    update_with(m, d, SleepState::Static);
}

/// Index lists, with a choice of state for static bodies.
fn update_with(m: &Model, d: &mut Data, fixed: SleepState) {
    d.ntree_awake = 0;
    for tree in 0..m.ntree {
        let awake = d.tree_asleep[tree] < 0;
        d.tree_awake[tree] = awake.into();
        d.ntree_awake += usize::from(awake);
    }
    let mocap = |root: i32| m.body_mocapid.get(root as usize).is_some_and(|&id| id >= 0);
    let asleep =
        |d: &Data, body: i32| d.body_awake.get(body as usize) == Some(&SleepState::Asleep.raw());
    let (mut nbody, mut nparent) = (0, 0);
    for b in 0..m.nbody {
        let state = match usize::try_from(m.body_treeid[b]) {
            Ok(tree) if d.tree_awake.get(tree).is_some_and(|&a| a != 0) => SleepState::Awake,
            Ok(_) => SleepState::Asleep,
            // Mocap bodies move at the user's will.
            Err(_) if mocap(m.body_rootid[b]) => SleepState::Awake,
            Err(_) => fixed,
        };
        d.body_awake[b] = state.raw();
        if state != SleepState::Asleep {
            d.body_awake_ind[nbody] = b as i32;
            nbody += 1;
        }
        if b > 0 && !asleep(d, m.body_parentid[b]) {
            d.parent_awake_ind[nparent] = b as i32;
            nparent += 1;
        }
    }
    (d.nbody_awake, d.nparent_awake) = (nbody, nparent);
    if enabled(m) {
        d.scratch.sleepers.reserve(m);
        let asleep = |body: usize| d.body_awake[body] == SleepState::Asleep.raw();
        d.scratch.sleepers.update(&d.prepared.structure, asleep);
    }
    d.nv_awake = 0;
    for dof in 0..m.nv {
        let Some(&tree) = m.body_treeid.get(m.dof_bodyid[dof] as usize) else { continue };
        if d.tree_awake.get(tree as usize).is_some_and(|&a| a != 0) {
            d.dof_awake_ind[d.nv_awake] = dof as i32;
            d.nv_awake += 1;
        }
    }
}

/// Wakes trees that the user disturbed: forces or velocities that are not bitwise zero, or a
/// changed pose, which the kinematics reports by setting `tree_awake` of a sleeping tree. Wakes
/// everything once sleeping is disabled.
pub fn wake(m: &Model, d: &mut Data) -> bool {
    let mut woke = false;
    if !enabled(m) {
        if d.ntree_awake < m.ntree {
            d.tree_asleep.fill(FULLY_AWAKE);
            woke = true;
        }
    } else if sleepers::are_disturbed(m, d) {
        for tree in 0..m.ntree {
            if d.tree_asleep[tree] >= 0 && (d.tree_awake[tree] != 0 || !undisturbed(m, d, tree)) {
                woke |= wake_tree(&mut d.tree_asleep, tree, FULLY_AWAKE);
            }
        }
    }
    updated(m, d, woke)
}

/// Wakes sleeping trees that touch awake ones. A woken tree takes over the counter of the tree
/// that woke it, so that a settled pile can go back to sleep together.
pub(crate) fn wake_by_contact(m: &Model, d: &mut Data) -> bool {
    if !filters(m, d) {
        return false;
    }
    let mut woke = false;
    for c in 0..d.ncon {
        let [Ok(g1), Ok(g2)] = d.contact[c].geom.map_inline(usize::try_from) else { continue };
        let tree = |g: usize| m.body_treeid.get(*m.geom_bodyid.get(g)? as usize).copied();
        let trees = [g1, g2].map_inline(|g| tree(g).unwrap_or(-1));
        woke |= wake_partner(d, trees);
    }
    updated(m, d, woke)
}

/// Wakes sleeping trees tied to awake ones by a tendon at its limit.
pub(crate) fn wake_by_tendon(m: &Model, d: &mut Data) -> bool {
    if !filters(m, d) {
        return false;
    }
    let mut woke = false;
    for t in 0..m.ntendon {
        if m.tendon_treenum[t] == 2 && tendon_limit_active(m, d, t) {
            woke |= wake_partner(d, m.tendon_treeid[t]);
        }
    }
    updated(m, d, woke)
}

/// Whether a tendon is within the margin of one of its limits.
pub(crate) fn tendon_limit_active(m: &Model, d: &Data, t: usize) -> bool {
    let ([low, high], length, margin) = (m.tendon_range[t], d.ten_length[t], m.tendon_margin[t]);
    m.tendon_limited[t] != 0 && (length - low < margin || high - length < margin)
}

/// Wakes the sleeping one of two trees, if the other is awake.
fn wake_partner(d: &mut Data, trees: [i32; 2]) -> bool {
    let [Ok(a), Ok(b)] = trees.map(usize::try_from) else { return false };
    if a.max(b) >= d.tree_awake.len() {
        return false;
    }
    if (d.tree_awake[a] != 0) == (d.tree_awake[b] != 0) {
        return false;
    }
    let (awake, sleeping) = if d.tree_awake[a] != 0 { (a, b) } else { (b, a) };
    // Woken earlier in this sweep by another partner: only the smaller counter is kept.
    let counter = d.tree_asleep[awake].min(READY);
    wake_tree(&mut d.tree_asleep, sleeping, counter)
}

/// Wakes trees coupled by an active equality to an awake tree, or to a tree of another cycle.
pub(crate) fn wake_by_equality(m: &Model, d: &mut Data) -> bool {
    if !filters(m, d) {
        return false;
    }
    let mut woke = false;
    for eq in 0..m.neq {
        if d.eq_active[eq] == 0 {
            continue;
        }
        let trees = coupled_trees(m, eq);
        let awake = |t: i32| d.tree_awake.get(t as usize).is_some_and(|&a| a != 0);
        let asleep = |t: i32| d.tree_awake.get(t as usize) == Some(&0);
        let Some(&first) = trees.iter().find(|&&t| asleep(t)) else { continue };
        let apart = |t: i32| {
            asleep(t) && cycle(&d.tree_asleep, t as usize) != cycle(&d.tree_asleep, first as usize)
        };
        if trees.iter().any(|&t| awake(t) || apart(t)) {
            for tree in trees {
                if asleep_now(d, tree) {
                    woke |= wake_tree(&mut d.tree_asleep, tree as usize, FULLY_AWAKE);
                }
            }
        }
    }
    updated(m, d, woke)
}

fn asleep_now(d: &Data, tree: i32) -> bool {
    d.tree_asleep.get(tree as usize).is_some_and(|&next| next >= 0)
}

/// The trees that an equality couples; −1 for none. Flex equalities couple none: their trees
/// never sleep.
fn coupled_trees(m: &Model, eq: usize) -> [i32; 4] {
    let of_body = |b: i32| m.body_treeid.get(b as usize).copied().unwrap_or(-1);
    let objects = [m.eq_obj1id[eq], m.eq_obj2id[eq]];
    let pair = |f: &dyn Fn(usize) -> i32| {
        let [a, b] = objects.map(|id| usize::try_from(id).map_or(-1, f));
        [a, b, -1, -1]
    };
    match equality_objects(m, eq) {
        Some(ObjType::Body) => pair(&|b| of_body(b as i32)),
        Some(ObjType::Site) => pair(&|s| m.site_bodyid.get(s).map_or(-1, |&b| of_body(b))),
        Some(ObjType::Joint) => pair(&|j| m.jnt_bodyid.get(j).map_or(-1, |&b| of_body(b))),
        Some(ObjType::Tendon) => {
            let mut trees = [-1; 4];
            for (slot, id) in trees.chunks_mut(2).zip(objects) {
                if let Some(t) = usize::try_from(id).ok().filter(|&t| t < m.ntendon) {
                    let known = (m.tendon_treenum[t].max(0) as usize).min(2);
                    slot[..known].copy_from_slice(&m.tendon_treeid[t][..known]);
                }
            }
            trees
        }
        _ => [-1; 4],
    }
}

fn updated(m: &Model, d: &mut Data, changed: bool) -> bool {
    if changed {
        update(m, d);
    }
    changed
}

/// Counts down the trees that are at rest and puts islands to sleep whose trees are all ready;
/// velocity and acceleration of a sleeping tree are zero. Returns how many fell asleep; if any
/// did, the caller recomputes what depends on velocity, then calls [`update`].
pub fn fall_asleep(m: &Model, d: &mut Data) -> usize {
    // Rows without islands leave open who touches whom.
    if !enabled(m) || (d.nefc > 0 && d.nisland == 0) {
        return 0;
    }
    let mut some_ready = false;
    for first in (0..m.ntree).step_by(TREES) {
        let trees = first..(first + TREES).min(m.ntree);
        // The sign of all of them: none is awake.
        if d.tree_asleep[trees.clone()].iter().fold(0, |any, tree| any | tree) >= 0 {
            continue;
        }
        for tree in trees {
            if d.tree_asleep[tree] < 0 {
                let counter = if at_rest(m, d, tree) {
                    (d.tree_asleep[tree] + 1).min(READY)
                } else {
                    FULLY_AWAKE
                };
                some_ready |= counter == READY;
                d.tree_asleep[tree] = counter;
            }
        }
    }
    if !some_ready {
        return 0;
    }
    let mut slept = 0;
    let mut constrained = 0;
    for island in 0..d.nisland {
        let start = d.island_itreeadr[island] as usize;
        let end = start + d.island_ntree[island] as usize;
        constrained = end;
        let ready = |&tree: &i32| d.tree_asleep[tree as usize] == READY;
        if d.map_itree2tree[start..end].iter().all(ready) {
            for i in start..end {
                let next = if i + 1 < end { i + 1 } else { start };
                let next = d.map_itree2tree[next];
                sleep_tree(m, d, d.map_itree2tree[i] as usize, next);
            }
            slept += end - start;
        }
    }
    for i in constrained..m.ntree {
        let tree = if d.nisland > 0 { d.map_itree2tree[i] as usize } else { i };
        if d.tree_asleep[tree] == READY {
            sleep_tree(m, d, tree, tree as i32);
            slept += 1;
        }
    }
    slept
}

fn sleep_tree(m: &Model, d: &mut Data, tree: usize, next: i32) {
    d.tree_asleep[tree] = next;
    let dofs = tree_dofs(m, tree);
    d.qvel[dofs.clone()].fill(0.0);
    d.qacc[dofs].fill(0.0);
}

fn tree_dofs(m: &Model, tree: usize) -> Range<usize> {
    objects(m.tree_dofadr[tree], m.tree_dofnum[tree], m.nv)
}

/// A range of objects, within the `n` that exist.
fn objects(start: i32, count: i32, n: usize) -> Range<usize> {
    let start = (start.max(0) as usize).min(n);
    start..(start + count.max(0) as usize).min(n)
}

/// Policy allows sleep, and no force is applied to the tree.
fn may_sleep(m: &Model, d: &Data, tree: usize) -> bool {
    let policy = m.tree_sleep_policy[tree];
    if policy == SleepPolicy::Never.raw() || policy == SleepPolicy::AutoNever.raw() {
        return false;
    }
    let bodies = objects(m.tree_bodyadr[tree], m.tree_bodynum[tree], m.nbody);
    d.xfrc_applied[bodies].iter().all(|f| bitwise_zero(&f.0))
        && bitwise_zero(&d.qfrc_applied[tree_dofs(m, tree)])
}

/// Slow enough to count down: each velocity times its lever arm is below the tolerance.
fn at_rest(m: &Model, d: &Data, tree: usize) -> bool {
    let tolerance = m.opt.sleep_tolerance;
    if tolerance == 0.0 {
        return undisturbed(m, d, tree);
    }
    may_sleep(m, d, tree)
        && tree_dofs(m, tree).all(|i| m.dof_length[i] * d.qvel[i].abs() < tolerance)
}

fn undisturbed(m: &Model, d: &Data, tree: usize) -> bool {
    may_sleep(m, d, tree) && bitwise_zero(&d.qvel[tree_dofs(m, tree)])
}

/// Negative zero counts as a change: it shows that someone wrote.
fn bitwise_zero(values: &[f64]) -> bool {
    values.iter().fold(0, |bits, x| bits | x.to_bits()) == 0
}

/// Wakes a tree and its whole cycle, giving each the counter; an awake tree takes over a smaller
/// counter. Returns whether a tree changed from sleeping to awake.
fn wake_tree(tree_asleep: &mut [i32], tree: usize, counter: i32) -> bool {
    if tree_asleep[tree] < 0 {
        tree_asleep[tree] = tree_asleep[tree].min(counter);
        return false;
    }
    let mut current = tree;
    // A cycle visits each tree once; anything else ends at the first awake or missing tree.
    while let Some(&next) = tree_asleep.get(current).filter(|&&next| next >= 0) {
        tree_asleep[current] = counter;
        current = next as usize;
    }
    true
}

/// The smallest tree of a sleeping tree's cycle; `None` if it is not in a cycle (MuJoCo's
/// `mj_sleepCycle`).
pub fn cycle(tree_asleep: &[i32], tree: usize) -> Option<usize> {
    let (mut current, mut smallest) = (tree, tree);
    for _ in 0..tree_asleep.len() {
        current = usize::try_from(*tree_asleep.get(current)?).ok()?;
        smallest = smallest.min(current);
        if current == tree {
            return Some(smallest);
        }
    }
    None
}

/// Sleep state of any object (MuJoCo's `mj_sleepState`); objects that do not exist are static,
/// kinds that cannot sleep are awake.
pub fn state(m: &Model, d: &Data, kind: ObjType, id: usize) -> SleepState {
    AwakeFlags { body: &d.body_awake, tree: &d.tree_awake }.state(m, kind, id)
}

/// Which bodies and trees are awake.
#[derive(Clone, Copy)]
pub(crate) struct AwakeFlags<'a> {
    pub body: &'a [i32],
    pub tree: &'a [i32],
}

impl AwakeFlags<'_> {
    /// See [`state`].
    pub fn state(self, m: &Model, kind: ObjType, id: usize) -> SleepState {
        let body = match kind {
            ObjType::Body | ObjType::Xbody => Some(id as i32),
            ObjType::Joint => m.jnt_bodyid.get(id).copied(),
            ObjType::Dof => m.dof_bodyid.get(id).copied(),
            ObjType::Geom => m.geom_bodyid.get(id).copied(),
            ObjType::Site => m.site_bodyid.get(id).copied(),
            ObjType::Camera => m.cam_bodyid.get(id).copied(),
            ObjType::Light => m.light_bodyid.get(id).copied(),
            ObjType::Equality if id < m.neq => return equality_state(m, self, id),
            ObjType::Tendon if id < m.ntendon => return tendon_state(m, self, id),
            ObjType::Actuator if id < m.nu => return actuator_state(m, self, id),
            ObjType::Sensor if id < m.nsensor => return sensor_state(m, self, id),
            _ => return SleepState::Awake,
        };
        body.and_then(|b| self.body.get(b as usize))
            .and_then(|&raw| SleepState::from_raw(raw))
            .unwrap_or(SleepState::Static)
    }
}

fn state_of(m: &Model, flags: AwakeFlags<'_>, kind: ObjType, id: i32) -> SleepState {
    usize::try_from(id).map_or(SleepState::Static, |id| flags.state(m, kind, id))
}

/// Awake if any part is awake; otherwise asleep, even if all parts are static.
fn any_awake(states: [SleepState; 2]) -> SleepState {
    if states.contains(&SleepState::Awake) { SleepState::Awake } else { SleepState::Asleep }
}

fn tendon_state(m: &Model, flags: AwakeFlags<'_>, t: usize) -> SleepState {
    let awake = |k: usize| {
        let tree = m.tendon_treeid[t][k];
        if flags.tree.get(tree as usize).is_some_and(|&a| a != 0) {
            SleepState::Awake
        } else {
            SleepState::Asleep
        }
    };
    match m.tendon_treenum[t] {
        0 => SleepState::Static,
        1 => awake(0),
        2 => any_awake([awake(0), awake(1)]),
        _ => SleepState::Awake,
    }
}

fn actuator_state(m: &Model, flags: AwakeFlags<'_>, u: usize) -> SleepState {
    let [first, second] = m.actuator_trnid[u];
    let kind = Transmission::from_raw(m.actuator_trntype[u]);
    match kind.and_then(|kind| Some((kind, kind.target()?.objtype))) {
        Some((Transmission::SliderCrank, sites)) => {
            any_awake([first, second].map_inline(|s| state_of(m, flags, sites, s)))
        }
        Some((_, target)) => state_of(m, flags, target, first),
        None => SleepState::Awake,
    }
}

/// The type of the objects that an equality relates.
fn equality_objects(m: &Model, eq: usize) -> Option<ObjType> {
    let given = ObjType::from_raw(m.eq_objtype[eq]).unwrap_or(ObjType::Unknown);
    EqualityType::from_raw(m.eq_type[eq])?.objects(given)
}

fn equality_state(m: &Model, flags: AwakeFlags<'_>, eq: usize) -> SleepState {
    match equality_objects(m, eq) {
        Some(kind) => any_awake(
            [m.eq_obj1id[eq], m.eq_obj2id[eq]].map_inline(|id| state_of(m, flags, kind, id)),
        ),
        None => SleepState::Awake,
    }
}

/// Never static: a sensor that cannot sleep is awake.
fn sensor_state(m: &Model, flags: AwakeFlags<'_>, s: usize) -> SleepState {
    let kinds = [m.sensor_objtype[s], m.sensor_reftype[s]]
        .map_inline(|raw| ObjType::from_raw(raw).unwrap_or(ObjType::Unknown));
    let Some(info) = SensorType::from_raw(m.sensor_type[s]).map(SensorType::info) else {
        return SleepState::Awake;
    };
    // A site as the volume in which contacts count sees what moves there.
    let volume = info.attachment == Attachment::Contact && kinds.contains(&ObjType::Site);
    if info.sees_world || volume {
        return SleepState::Awake;
    }
    let object = state_of(m, flags, kinds[0], m.sensor_objid[s]);
    let reference = state_of(m, flags, kinds[1], m.sensor_refid[s]);
    let awake_unless_asleep =
        |s| if s == SleepState::Asleep { SleepState::Asleep } else { SleepState::Awake };
    match kinds.map(|k| k == ObjType::Unknown) {
        [true, true] => SleepState::Awake,
        [true, false] => awake_unless_asleep(reference),
        [false, true] => awake_unless_asleep(object),
        [false, false] => any_awake([object, reference]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waking_one_tree_wakes_its_cycle() {
        let mut asleep = [3, FULLY_AWAKE, 2, 4, 0];
        assert_eq!(cycle(&asleep, 4), Some(0));
        assert_eq!(cycle(&asleep, 2), Some(2));
        assert!(wake_tree(&mut asleep, 3, -5));
        assert_eq!(asleep, [-5, FULLY_AWAKE, 2, -5, -5]);
        assert!(!wake_tree(&mut asleep, 0, -3));
        assert!(!wake_tree(&mut asleep, 0, -7));
        assert_eq!(asleep[0], -7);
    }

    #[test]
    fn broken_cycles_end() {
        let mut asleep = [1, 2, 1];
        assert_eq!(cycle(&asleep, 0), None);
        assert!(wake_tree(&mut asleep, 0, -1));
        let mut outside = [7];
        assert_eq!(cycle(&outside, 0), None);
        assert!(wake_tree(&mut outside, 0, -1));
    }
}
