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
use corten_math::{Four, Mat3, Number, Quat, Vec3, Wide};

use super::filter::{Candidate, Rules};
use super::narrow::Narrow;
use plane::{Plane, clear_failing, separate};
use room::{Layout, Place, measure, stay};

use crate::Model;

const WORLDS: usize = Four::LANES;

/// What is kept of every distance: more than rounding, and than the tolerance of searches.
const KEPT: f64 = 1e-5;

/// Steps without detection that pay for the search of a clearance, and for how many searches at most
/// a world may save.
const PRICE: i32 = 12;
const SAVINGS: i32 = 4 * PRICE;

/// Steps for which a world that cannot pay has to wait, the first time and at most.
const SHORTEST_WAIT: u32 = 32;
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
    /// Worlds that something is known of. They stay open where a plane does not hold for the moment:
    /// all that is known is about poses, and may hold again.
    open: [bool; WORLDS],
    /// Whether the places do not cover all of these.
    stale: bool,
    paces: [Pace; WORLDS],
}

/// When to look for another clearance of a world: searches are paid with steps in which the last one
/// held. Arms that move freely can always pay, robots that run about on their feet can not.
#[derive(Clone, Copy, Debug)]
struct Pace {
    credit: i32,
    /// Steps to let pass, now and the next time.
    left: u32,
    wait: u32,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace { credit: SAVINGS, left: 0, wait: SHORTEST_WAIT }
    }
}

impl Pace {
    /// Whether to look for another one now.
    fn is_due(&mut self) -> bool {
        if self.left > 0 {
            self.left -= 1;
            return false;
        }
        if self.credit < PRICE {
            (self.left, self.wait) = (self.wait, (2 * self.wait).min(LONGEST_WAIT));
            self.credit = PRICE;
            return false;
        }
        self.credit -= PRICE;
        true
    }

    /// Counts a step in which it held.
    fn earn(&mut self) {
        self.credit += 1;
        if self.credit >= SAVINGS {
            (self.credit, self.wait) = (SAVINGS, SHORTEST_WAIT);
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
            if *holds {
                pace.earn();
            }
        }
        holds
    }

    /// Whether it is known what may touch.
    pub(crate) fn is_known(&self) -> bool {
        self.layout.is_some()
    }

    /// Takes up what may touch.
    pub(super) fn know(&mut self, m: &Model, pairs: &[Candidate], rules: &Rules) {
        self.layout = Some(Arc::new(Layout::new(m, pairs, rules)));
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

    /// Whether it is time to look for another clearance of a world.
    pub(crate) fn is_due(&mut self, lane: usize) -> bool {
        self.is_known() && self.paces[lane].is_due()
    }

    /// Looks for a clearance of a world, at the poses in its lane. If there is one, nothing touches.
    pub(super) fn renew(
        &mut self,
        narrow: &Narrow<'_>,
        pairs: &[Candidate],
        rules: &Rules,
        convex: &mut Workspace,
        frames: Frames<'_>,
        lane: usize,
    ) -> bool {
        self.open[lane] = false;
        let Some(layout) = self.layout.clone() else { return false };
        if layout.movers.iter().any(|mover| mover.reach.is_infinite()) {
            return false;
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
            let Some(axis) = narrow.separate(c, pair, convex) else { return false };
            narrow.set_plane(&mut self.planes[next], c, pair, axis, frames, lane);
        }
        self.planes.retain(|plane| (0..WORLDS).any(|lane| plane.is_set(lane)));
        self.open[lane] = true;
        self.stale = true;
        true
    }
}
