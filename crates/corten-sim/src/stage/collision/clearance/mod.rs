//! How far bodies can move before any two of them can touch.
//!
//! Pairs of geoms that may touch are either far apart or near. Of the distance between spheres around
//! geoms that are far apart, half is given to each of the two bodies, or all of it if the other one
//! stands still. Of geoms that are near and do not touch, a plane between them is remembered, which
//! moves with one of the bodies. As long as no body has moved farther than the least it was given,
//! and all planes still separate what they did, there are no contacts, and nobody has to look for
//! them. If a body has moved farther, distances between spheres are taken anew.
//!
//! What is remembered are poses, not worlds: it holds for whatever state of the same model.

mod plane;
mod slack;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use corten_geom::Workspace;
use corten_math::{Four, Mat3, Number, Quat, Vec3, Wide};

use super::filter::{Candidate, Rules};
use super::narrow::Narrow;
use plane::{Plane, clear_failing, separate};
use slack::{Bounds, ReferencePose, measure, within_slack};

use crate::Model;

const WORLDS: usize = Four::LANES;

/// What is kept of every distance: more than rounding, and than the tolerance of searches.
const SAFETY_GAP: f64 = 1e-5;

/// Steps without detection that pay for the search of a clearance, and for how many searches at most
/// a world may save.
const SEARCH_COST: i32 = 12;
const MAX_CREDIT: i32 = 4 * SEARCH_COST;

/// Steps for which a world that cannot pay has to wait, the first time and at most.
const MIN_WAIT: u32 = 32;
const MAX_WAIT: u32 = 512;

/// Poses of four worlds at which nothing touched, and how far bodies may move from there.
#[derive(Clone, Debug, Default)]
pub struct Clearance {
    /// What may touch; nothing is known without.
    bounds: Option<Arc<Bounds>>,
    /// Of each body.
    references: Vec<ReferencePose>,
    /// Pairs that are near in one of the worlds, in order.
    planes: Vec<Plane>,
    /// Centres of spheres, while they are needed.
    centers: Vec<Vec3<Four>>,
    /// Worlds that something is known of. They stay open where a plane does not hold for the moment:
    /// all that is known is about poses, and may hold again.
    open: [bool; WORLDS],
    /// Whether the references do not cover all of these.
    stale: bool,
    budgets: [SearchBudget; WORLDS],
}

/// When to look for another clearance of a world: searches are paid with steps in which the last one
/// held. Arms that move freely can always pay, robots that run about on their feet can not.
#[derive(Clone, Copy, Debug)]
struct SearchBudget {
    credit: i32,
    /// Steps to let pass, now and the next time.
    left: u32,
    wait: u32,
}

impl Default for SearchBudget {
    fn default() -> SearchBudget {
        SearchBudget { credit: MAX_CREDIT, left: 0, wait: MIN_WAIT }
    }
}

impl SearchBudget {
    /// Whether to look for another one now.
    fn is_due(&mut self) -> bool {
        if self.left > 0 {
            self.left -= 1;
            return false;
        }
        if self.credit < SEARCH_COST {
            (self.left, self.wait) = (self.wait, (2 * self.wait).min(MAX_WAIT));
            self.credit = SEARCH_COST;
            return false;
        }
        self.credit -= SEARCH_COST;
        true
    }

    /// Counts a step in which it held.
    fn add_credit(&mut self) {
        self.credit += 1;
        if self.credit >= MAX_CREDIT {
            (self.credit, self.wait) = (MAX_CREDIT, MIN_WAIT);
        }
    }
}

/// Frames of the bodies of four worlds.
#[derive(Clone, Copy)]
pub(crate) struct Frames<'a> {
    pub xpos: &'a [Vec3<Four>],
    pub xquat: &'a [Quat<Four>],
    pub xmat: &'a [Mat3<Four>],
}

impl<'a> Frames<'a> {
    #[inline(always)]
    fn of<S: Wide>(self, body: u32) -> BodyFrame<'a, S> {
        let body = body as usize;
        BodyFrame {
            pos: bytemuck::cast_ref(&self.xpos[body]),
            quat: bytemuck::cast_ref(&self.xquat[body]),
            mat: bytemuck::cast_ref(&self.xmat[body]),
        }
    }
}

/// One of [`Frames`], to compute with.
struct BodyFrame<'a, S> {
    pos: &'a Vec3<S>,
    quat: &'a Quat<S>,
    mat: &'a Mat3<S>,
}

impl<S: Wide> BodyFrame<'_, S> {
    #[inline(always)]
    fn point(&self, local: Vec3) -> Vec3<S> {
        *self.mat * Vec3::of(local) + *self.pos
    }
}

impl Clearance {
    /// Which of four worlds cannot have contacts.
    pub(crate) fn holds(&mut self, frames: Frames<'_>) -> [bool; WORLDS] {
        let Some(bounds) = &self.bounds else { return [false; WORLDS] };
        if self.open == [false; WORLDS] {
            return self.open;
        }
        if self.stale || !within_slack(&bounds.moving, &self.references, frames) {
            self.measure(frames);
            self.stale = false;
        }
        let mut holds = separate(&self.planes, frames);
        for ((holds, open), budget) in holds.iter_mut().zip(self.open).zip(&mut self.budgets) {
            *holds &= open;
            if *holds {
                budget.add_credit();
            }
        }
        holds
    }

    /// Whether it is known what may touch.
    pub(crate) fn has_pairs(&self) -> bool {
        self.bounds.is_some()
    }

    /// Sets which pairs may touch.
    pub(super) fn set_pairs(&mut self, m: &Model, pairs: &[Candidate], rules: &Rules) {
        self.bounds = Some(Arc::new(Bounds::new(m, pairs, rules)));
    }

    /// Forgets everything, since the model has changed.
    pub(crate) fn reset(&mut self) {
        *self = Clearance::default();
    }

    /// Exchanges what is known with another clearance of the same model; working memory stays.
    pub(crate) fn swap(&mut self, other: &mut Clearance) {
        std::mem::swap(self, other);
        std::mem::swap(&mut self.centers, &mut other.centers);
        match (&self.bounds, &other.bounds) {
            (None, Some(bounds)) => self.bounds = Some(bounds.clone()),
            (Some(bounds), None) => other.bounds = Some(bounds.clone()),
            _ => {}
        }
    }

    /// Measures slack anew, by the distances between spheres as they are.
    fn measure(&mut self, frames: Frames<'_>) {
        let Some(bounds) = &self.bounds else { return };
        self.references.resize(bounds.moving.len(), ReferencePose::UNSET);
        self.centers.resize(bounds.spheres.len(), Vec3([Four::default(); 3]));
        let near = measure(bounds, &self.planes, frames, &mut self.references, &mut self.centers);
        for lane in 0..WORLDS {
            self.open[lane] &= !near[lane];
        }
        for reference in &mut self.references {
            for lane in (0..WORLDS).filter(|&lane| !self.open[lane]) {
                reference.slack.0[lane] = f64::INFINITY;
            }
        }
    }

    /// Whether it is time to look for another clearance of a world.
    pub(crate) fn is_due(&mut self, lane: usize) -> bool {
        self.has_pairs() && self.budgets[lane].is_due()
    }

    /// Looks for a clearance of a world, at the poses in its lane. If there is one, nothing touches.
    pub(super) fn search(
        &mut self,
        narrow: &Narrow<'_>,
        pairs: &[Candidate],
        rules: &Rules,
        convex: &mut Workspace,
        frames: Frames<'_>,
        lane: usize,
    ) -> bool {
        self.open[lane] = false;
        let Some(bounds) = self.bounds.clone() else { return false };
        if bounds.moving.iter().any(|body| body.reach.is_infinite()) {
            return false;
        }
        clear_failing(&mut self.planes, frames, lane);
        let mut next = 0;
        for (number, (c, pair)) in pairs.iter().zip(&bounds.pairs).enumerate() {
            let number = number as u32;
            while self.planes.get(next).is_some_and(|plane| plane.pair < number) {
                next += 1;
            }
            let known = self.planes.get_mut(next).filter(|plane| plane.pair == number);
            if narrow.is_far(c, pair) {
                if let Some(plane) = known {
                    plane.clear(lane);
                }
                continue;
            }
            match known {
                Some(plane) if plane.is_set(lane) => continue,
                Some(_) => {}
                None => self.planes.insert(next, narrow.plane(number, c, rules)),
            }
            let Some(axis) = narrow.separate(c, pair, convex) else { return false };
            narrow.set_plane(&mut self.planes[next], c, pair, axis, frames, lane);
        }
        self.planes.retain(|plane| (0..WORLDS).any(|lane| plane.is_set(lane)));
        self.open[lane] = true;
        self.stale = true;
        true
    }
}
