//! Contacts between geoms, and of flexes (module `flex`): broad phase, bounding tests, narrow phase, contact parameters.
//!
//! Reads poses of geoms and the awake state of bodies; writes `contact` and `ncon`, and forgets
//! all constraint rows. Answers to `mj_collision`.
//!
//! Which pairs may ever touch is part of the model's structure. `filter` condenses it into rules
//! per `collidable`, and `admitted` lists the pairs if they are few; `broad`
//! turns them into candidates for the current poses, in the order in which contacts are reported;
//! `narrow` tests each candidate by its `method` and writes its contacts with the parameters
//! mixed by `parameters`. Where a contact is so shallow that rounding in MuJoCo's bounding tests
//! decides, `mujoco_bounds` repeats them. Worlds side by side need not look for contacts as long as
//! `clearance` says that there can be none.

mod admitted;
mod broad;
mod clearance;
mod collidable;
mod crowds;
mod filter;
mod flex;
mod hulls;
mod method;
mod mujoco_bounds;
mod narrow;
mod pair_cache;
mod parameters;
mod search;
pub(crate) mod shape;
mod sweep;
mod table;

use corten_geom::{HitBuffer, Workspace};
use corten_math::array::MapInline;
use corten_math::{Mat3, Vec3};
use corten_model::enums::{DisableBit, EnableBit, Timer};

use crate::data::budget::Costs;
use crate::data::growth::tighten;
use crate::{Data, Hook, Model, sleep, timer};

pub(crate) use admitted::Admitted;
pub use clearance::Clearance;
pub(crate) use clearance::Frames;
pub(crate) use hulls::SharedHulls;
pub use pair_cache::SavedPairs;
pub(crate) use search::Search;

/// Exchanges the hints in the data for those given: for data that several simulations share.
pub fn swap_saved_pairs(d: &mut Data, saved: &mut SavedPairs) {
    let narrow = &mut d.scratch.collision.narrow;
    narrow.pairs.swap_saved(&mut narrow.convex.supports, saved);
}

/// Working memory of collision detection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    broad: broad::Broad,
    narrow: narrow::Scratch,
    flex: flex::Scratch,
    hulls: hulls::InUse,
}

impl Scratch {
    /// Hulls and lists of elements may be those of another model.
    pub fn forget_model(&mut self) {
        self.hulls = hulls::InUse::default();
        self.flex.forget_neighbours();
    }

    /// Working memory of convex queries.
    pub fn convex(&mut self) -> &mut Workspace {
        &mut self.narrow.convex
    }
}

/// Contact points of one pair of geoms, ordered by type, whatever filters say.
pub(crate) fn touch<'w>(
    m: &Model,
    xpos: &[Vec3],
    xmat: &[Mat3],
    first: usize,
    second: usize,
    margin: f64,
    memory: &'w mut Scratch,
) -> &'w HitBuffer {
    let work = &mut memory.narrow;
    work.hits.clear();
    let poses = mujoco_bounds::Poses { geom_xpos: xpos, geom_xmat: xmat, xipos: &[], ximat: &[] };
    let method = method::Method::of(m.geom_type[first], m.geom_type[second]);
    narrow::Narrow::new(m, poses, memory.hulls.get(), None)
        .touch(method, first, second, margin, None, work);
    &work.hits
}

/// Tells a clearance what may touch, once detection has found out.
pub(crate) fn set_clearance_pairs(m: &Model, d: &Data, clearance: &mut Clearance) {
    if !clearance.has_pairs()
        && let Some((pairs, rules)) = d.prepared.admitted(m).pairs()
    {
        clearance.set_pairs(m, pairs, rules);
    }
}

/// Looks for a clearance of the world in a lane, with the poses of geoms in its data. If there is
/// one, it has no contacts.
pub(crate) fn search_clearance(
    m: &Model,
    d: &mut Data,
    clearance: &mut Clearance,
    frames: Frames<'_>,
    lane: usize,
) -> bool {
    let Data { scratch, prepared, geom_xpos, geom_xmat, xipos, ximat, .. } = d;
    let Scratch { narrow: work, hulls, .. } = &mut scratch.collision;
    let Some((pairs, rules)) = prepared.admitted(m).pairs() else { return false };
    let poses = mujoco_bounds::Poses { geom_xpos, geom_xmat, xipos, ximat };
    let narrow = narrow::Narrow::new(m, poses, hulls.get(), None);
    clearance.search(&narrow, pairs, rules, &mut work.convex, frames, lane)
}

/// Whether contacts are of no interest.
pub(crate) fn is_disabled(m: &Model) -> bool {
    m.opt.disabled(DisableBit::Constraint) || m.opt.disabled(DisableBit::Contact)
}

/// Leaves a world without contacts.
pub(crate) fn clear(d: &mut Data) {
    d.contact.clear();
    d.ncon = 0;
    d.clear_constraints();
}

/// Finds all contacts.
pub fn collision(m: &Model, d: &mut Data) {
    let room = d.contact.capacity();
    clear(d);
    d.scratch.stop = None;
    if is_disabled(m) || m.nbody + m.nflex < 2 {
        return;
    }
    let timer = timer::start(d);
    let broad_timer = timer::start(d);

    let max_pairs = d.max_pairs(size_of::<filter::Candidate>());
    let sleeping = sleep::filters(m, d);
    let Data { contact, scratch, prepared, geom_xpos, geom_xmat, xipos, ximat, body_awake, .. } = d;
    let bodies = &d.body_awake_ind[..d.nbody_awake.min(d.body_awake_ind.len())];
    let (flexvert_xpos, flexelem_aabb, bvh_aabb_dyn) =
        (&d.flexvert_xpos, &d.flexelem_aabb, &d.bvh_aabb_dyn);
    let (hooks, timers) = (&d.hooks, &mut d.timer);
    let Scratch { broad, narrow: work, flex: flex_work, hulls } = &mut scratch.collision;
    let hulls = hulls.update(m, &prepared.hulls);
    let (admitted, pool) = (prepared.admitted(m), &prepared.pools.search);
    let sleeping = if sleeping { &body_awake[..] } else { &[] };
    // Listed pairs of static bodies are at rest even if nobody sleeps.
    let listed = m.npair > 0 && m.opt.enabled(EnableBit::Sleep);
    let awake = (listed || !sleeping.is_empty()).then_some(&body_awake[..]);
    let poses = (&geom_xpos[..], &geom_xmat[..]);
    let sleepers = admitted::Awake { states: sleeping, bodies };
    let candidates = broad.candidates(m, admitted, poses, sleepers, pool, max_pairs);
    broad_timer.stop_by(hooks, timers, Timer::ColBroad);
    let narrow_timer = timer::start_by(hooks);
    let poses = mujoco_bounds::Poses { geom_xpos, geom_xmat, xipos, ximat };
    let costs = Costs { m, structure: &prepared.structure, bytes: d.budget.bytes };
    let narrow = narrow::Narrow::new(m, poses, hulls, awake).within(costs, d.cancel.as_ref());
    work.pairs.begin();
    work.convex.supports.begin_round();
    work.bounds.begin();
    let complete = if m.nflex == 0 {
        narrow.collide_all(candidates, &admitted.rules, work, contact)
    } else {
        let boxes = [&flexelem_aabb[..], &bvh_aabb_dyn[..]];
        flex::Flexes::new(m, &prepared.flexes, flexvert_xpos, boxes, &narrow).collide_all(
            candidates,
            &admitted.rules,
            work,
            flex_work,
            contact,
        )
    };
    work.pairs.end();
    let complete = broad.put_back(pool) && complete;
    d.stop_if_cancelled();
    d.keep_to_budget(m, !complete && !d.is_stopped());
    if let Some(hook) = d.hooks.get() {
        filter(m, d, &*hook);
    }
    tighten(&mut d.contact, room);
    d.ncon = d.contact.len();
    narrow_timer.stop(d, Timer::ColNarrow);
    timer.stop(d, Timer::PosCollision);
}

fn is_listed(m: &Model, [a, b]: [i32; 2]) -> bool {
    let mut pairs = m.pair_geom1.iter().zip(&m.pair_geom2);
    pairs.any(|(&g1, &g2)| (g1, g2) == (a, b) || (g1, g2) == (b, a))
}

/// Drops the contacts that the user rejects. While asked, the user may look at all of them and
/// write to them, so none is borrowed then.
fn filter(m: &Model, d: &mut Data, hook: &dyn Hook) {
    d.ncon = d.contact.len();
    let mut kept = 0;
    for i in 0..d.contact.len() {
        let Some(geom) = d.contact.get(i).map(|c| c.geom) else { break };
        if !is_listed(m, geom) && rejects(m, d, hook, geom) {
            continue;
        }
        if i < d.contact.len() {
            d.contact.swap(kept, i);
            kept += 1;
        }
    }
    d.contact.truncate(kept);
}

fn rejects(m: &Model, d: &mut Data, hook: &dyn Hook, geom: [i32; 2]) -> bool {
    match geom.map_inline(usize::try_from) {
        [Ok(a), Ok(b)] => hook.rejects(m, d, [a, b]),
        _ => false,
    }
}
