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
mod room;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use corten_geom::Workspace;
use corten_math::{Four, Mat3, Number, Quat, Vec3};

use super::filter::{Candidate, Rules};
use super::narrow::Narrow;
use plane::{Plane, clear_failing, separate};
use room::{Layout, Place, measure, stay};

const WORLDS: usize = Four::LANES;

type Truths = <Four as Number>::Mask;

/// What is kept of every distance: more than the tolerance of any search.
const KEPT: f64 = 1e-5;

/// Steps for which a clearance should hold to be worth its making. After one that did not, the next
/// one has to wait, at most so long. Arms that move freely keep theirs for 60 steps and more, legged
/// robots on their feet for less than ten.
const WORTH: u32 = 24;
const LONGEST_WAIT: u32 = 512;

/// Poses of four worlds at which nothing touched, and how far bodies may move from there.
#[derive(Clone, Debug, Default)]
pub struct Clearance {
    /// What may touch; nothing is known without.
    layout: Option<Arc<Layout>>,
    /// Of each mover.
    places: Vec<Place>,
    /// Pairs that are near in one of the worlds, in order.
    planes: Vec<Plane>,
    /// Centres of spheres, while they are needed.
    centers: Vec<Vec3<Four>>,
    /// Worlds that something is known of.
    open: [bool; WORLDS],
    /// Whether the places do not cover all of these.
    stale: bool,
    paces: [Pace; WORLDS],
}

/// When to look for another clearance of a world.
#[derive(Clone, Copy, Debug)]
struct Pace {
    /// Steps for which the last one has held.
    held: u32,
    /// Steps to let pass before the next one, and how many they were in the beginning.
    left: u32,
    wait: u32,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace { held: WORTH, left: 0, wait: 0 }
    }
}

impl Pace {
    /// Whether it is time to look for another one.
    fn is_due(&mut self) -> bool {
        if self.left > 0 {
            self.left -= 1;
            return false;
        }
        self.wait = if self.held >= WORTH { 0 } else { (4 * self.wait + WORTH).min(LONGEST_WAIT) };
        (self.left, self.held) = (self.wait, 0);
        true
    }
}

/// Frames of the bodies of four worlds.
#[derive(Clone, Copy)]
pub(crate) struct Frames<'a> {
    pub xpos: &'a [Vec3<Four>],
    pub xquat: &'a [Quat<Four>],
    pub xmat: &'a [Mat3<Four>],
}

impl Frames<'_> {
    #[inline(always)]
    fn point(&self, body: u32, local: Vec3) -> Vec3<Four> {
        self.xmat[body as usize] * Vec3::of(local) + self.xpos[body as usize]
    }
}

impl Clearance {
    /// Which of four worlds cannot have contacts.
    pub(crate) fn holds(&mut self, frames: Frames<'_>) -> [bool; WORLDS] {
        let Some(layout) = &self.layout else { return [false; WORLDS] };
        if self.open == [false; WORLDS] {
            return self.open;
        }
        if self.stale || !stay(&layout.movers, &self.places, frames) {
            self.measure(frames);
            self.stale = false;
        }
        let mut holds = separate(&self.planes, frames);
        for ((holds, open), pace) in holds.iter_mut().zip(self.open).zip(&mut self.paces) {
            *holds &= open;
            pace.held = pace.held.saturating_add((*holds).into());
        }
        holds
    }

    /// Forgets everything, since the model has changed.
    pub(crate) fn forget(&mut self) {
        *self = Clearance::default();
    }

    /// Takes the place of another one of the same model; working memory stays in its place.
    pub(crate) fn exchange(&mut self, other: &mut Clearance) {
        std::mem::swap(self, other);
        std::mem::swap(&mut self.centers, &mut other.centers);
        match (&self.layout, &other.layout) {
            (None, Some(layout)) => self.layout = Some(layout.clone()),
            (Some(layout), None) => other.layout = Some(layout.clone()),
            _ => {}
        }
    }

    /// Gives bodies room anew, by the distances between spheres as they are.
    fn measure(&mut self, frames: Frames<'_>) {
        let Some(layout) = &self.layout else { return };
        self.places.resize(layout.movers.len(), Place::NOWHERE);
        self.centers.resize(layout.spheres.len(), Vec3([Four::default(); 3]));
        let near = measure(layout, &self.planes, frames, &mut self.places, &mut self.centers);
        for lane in 0..WORLDS {
            self.open[lane] &= !near[lane];
        }
        for place in &mut self.places {
            for lane in (0..WORLDS).filter(|&lane| !self.open[lane]) {
                place.room.0[lane] = f64::INFINITY;
            }
        }
    }

    /// Looks for a clearance of a world in which nothing touches, at the poses in its lane.
    pub(super) fn renew(
        &mut self,
        narrow: &Narrow<'_>,
        pairs: &[Candidate],
        rules: &Rules,
        convex: &mut Workspace,
        frames: Frames<'_>,
        lane: usize,
    ) {
        if !self.paces[lane].is_due() {
            return;
        }
        let layout = self
            .layout
            .get_or_insert_with(|| Arc::new(Layout::new(narrow.model(), pairs, rules)))
            .clone();
        self.open[lane] = false;
        if layout.movers.iter().any(|mover| mover.reach.is_infinite()) {
            return;
        }
        clear_failing(&mut self.planes, frames, lane);
        let mut next = 0;
        for (place, (c, pair)) in pairs.iter().zip(&layout.pairs).enumerate() {
            let place = place as u32;
            while self.planes.get(next).is_some_and(|plane| plane.pair < place) {
                next += 1;
            }
            let known = self.planes.get_mut(next).filter(|plane| plane.pair == place);
            if narrow.is_far(c, pair) {
                if let Some(plane) = known {
                    plane.clear(lane);
                }
                continue;
            }
            match known {
                Some(plane) if plane.is_set(lane) => continue,
                Some(_) => {}
                None => self.planes.insert(next, narrow.plane(place, c, rules)),
            }
            let Some(axis) = narrow.separate(c, pair, convex) else { return };
            narrow.set_plane(&mut self.planes[next], c, pair, rules, axis, frames, lane);
        }
        self.planes.retain(|plane| (0..WORLDS).any(|lane| plane.is_set(lane)));
        self.open[lane] = true;
        self.stale = true;
    }
}
