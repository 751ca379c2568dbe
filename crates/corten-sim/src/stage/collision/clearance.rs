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

use std::sync::Arc;

use corten_geom::{Hint, Separation, Workspace, ccd};
use corten_math::{Four, Mask, Mat3, Number, Quat, Vec3, wide};
use corten_model::Model;
use corten_model::enums::GeomType;

use super::filter::{Candidate, Rules, Source};
use super::method::Method;
use super::narrow::Narrow;
use super::parameters;

const WORLDS: usize = Four::LANES;

type Truths = <Four as Number>::Mask;

/// What is kept of every distance: more than the tolerance of any search.
const KEPT: f64 = 1e-5;

/// Distances between spheres below which a pair gets a plane, in parts of the radii.
const NEAR: f64 = 0.25;

/// Distances between spheres below which a pair must have one.
const NEAREST: f64 = 0.05;

/// Distances between boxes that are as good as those between shapes, in parts of the radii.
const FAIR: f64 = 0.1;

/// Steps for which a clearance should hold to be worth its making; after some that did not, the
/// next one has to wait, at most so long.
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
    /// Whether the places are of earlier worlds than these.
    stale: bool,
    paces: [Pace; WORLDS],
}

/// What may touch, in any world of a model.
#[derive(Clone, Debug, Default)]
struct Layout {
    /// Bodies that move and have geoms that may touch something.
    movers: Vec<Mover>,
    spheres: Vec<Sphere>,
    pairs: Vec<Pair>,
}

/// A body, and the farthest of its points from its origin.
#[derive(Clone, Copy, Debug)]
struct Mover {
    body: u32,
    reach: f64,
}

/// A geom's bounds, with the centre in the frame of its body.
#[derive(Clone, Copy, Debug)]
struct Sphere {
    body: u32,
    center: Vec3,
}

/// Bounds of a pair of geoms.
#[derive(Clone, Copy, Debug)]
struct Pair {
    /// The first of them, unless it is a plane: then this is its normal in the frame of its body.
    first: Bound,
    second: u32,
    /// Where spheres touch, or their distance from the plane's origin along its normal.
    radii: f64,
    margin: f64,
    movers: [Option<u32>; 2],
}

#[derive(Clone, Copy, Debug)]
enum Bound {
    Sphere(u32),
    /// Above the point of a body.
    HalfSpace {
        body: u32,
        point: Vec3,
        normal: Vec3,
    },
}

/// Where a mover was, and how far it may move from there.
#[derive(Clone, Copy, Debug)]
struct Place {
    pos: Vec3<Four>,
    quat: Quat<Four>,
    /// Square of the distance; infinite in worlds of which nothing is known.
    room: Four,
}

/// A plane that moves with the body `under` and has the geom of another body `over` it.
///
/// With its normal `n`, and `u` the same in the frame of the other body, no point of a geom with the
/// centre `c` and the radius `r` is lower than `c·u − h − r |u − u₀|` above the origin of its body, if
/// it reached no lower than `h` below its centre where the normal was `u₀`.
#[derive(Clone, Copy, Debug)]
struct Plane {
    /// Place of the pair among all.
    pair: u32,
    under: u32,
    over: u32,
    center: Vec3,
    radius: f64,
    /// In the frame of the body under it, and of the one over it at that time.
    normal: Vec3<Four>,
    seen: Vec3<Four>,
    /// How far both geoms reach towards each other: one from the origin of its body, the other one
    /// from its centre. Below all numbers in worlds where the pair is far apart.
    reach: Four,
}

/// When to look for another clearance of a world.
#[derive(Clone, Copy, Debug)]
struct Pace {
    /// Steps for which the last one has held.
    held: u32,
    /// Steps to let pass, of a number that grows.
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

impl Place {
    /// Where a body has not moved farther than it may.
    ///
    /// A point at the distance `r` from the origin moves at most `|Δx| + r |ΔR|`. The norm of `ΔR` is
    /// `2 sin(θ/2)` for a rotation by `θ`, that of the difference of its quaternions `2 sin(θ/4)` or
    /// more, so that `|ΔR| ≤ 2 |Δq|`. The square of a sum is at most twice the sum of the squares.
    #[inline(always)]
    fn holds(&self, mover: &Mover, frames: Frames<'_>) -> Truths {
        let body = mover.body as usize;
        let shift = frames.xpos[body] - self.pos;
        let [a, b, c, d] = frames.xquat[body].0;
        let [e, f, g, h] = self.quat.0;
        let [a, b, c, d] = [a - e, b - f, c - g, d - h];
        let turn = (a * a + b * b) + (c * c + d * d);
        let weight = Four::of(8.0 * mover.reach * mover.reach);
        (Four::of(2.0) * shift.dot(shift) + weight * turn).below(self.room)
    }
}

impl Plane {
    /// Where it separates the pair.
    #[inline(always)]
    fn holds(&self, frames: Frames<'_>) -> Truths {
        let (under, over) = (self.under as usize, self.over as usize);
        let normal = frames.xmat[under] * self.normal;
        let seen = frames.xmat[over].tmul(normal);
        let turn = seen - self.seen;
        let height = normal.dot(frames.xpos[over] - frames.xpos[under])
            + seen.dot(Vec3::of(self.center))
            - self.reach;
        let lost = Four::of(self.radius * self.radius) * turn.dot(turn);
        Four::of(0.0).below(height).and(lost.below(height * height))
    }

    /// Says nothing about a pair in a world, which is far apart there.
    fn clear(&mut self, lane: usize) {
        for k in 0..3 {
            self.normal.0[k].0[lane] = 0.0;
            self.seen.0[k].0[lane] = 0.0;
        }
        self.reach.0[lane] = f64::NEG_INFINITY;
    }

    fn is_set(&self, lane: usize) -> bool {
        self.reach.0[lane] != f64::NEG_INFINITY
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
            pace.held += u32::from(*holds);
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
        let nowhere = Place {
            pos: Vec3([Four::default(); 3]),
            quat: Quat([Four::default(); 4]),
            room: Four::default(),
        };
        self.places.resize(layout.movers.len(), nowhere);
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

wide! {
    /// Whether no body has moved farther than it may.
    fn stay(movers: &[Mover], places: &[Place], frames: Frames<'_>) -> bool {
        let mut holds = Four::of(0.0).below(Four::of(1.0));
        for (mover, place) in movers.iter().zip(places) {
            holds = holds.and(place.holds(mover, frames));
        }
        holds.all()
    }

    /// In which worlds all planes hold.
    fn separate(planes: &[Plane], frames: Frames<'_>) -> [bool; WORLDS] {
        let mut holds = Four::of(0.0).below(Four::of(1.0));
        for plane in planes {
            holds = holds.and(plane.holds(frames));
        }
        [holds.lane(0), holds.lane(1), holds.lane(2), holds.lane(3)]
    }

    /// Clears the planes that do not hold in a world, or not for long.
    fn clear_failing(planes: &mut [Plane], frames: Frames<'_>, lane: usize) {
        for plane in planes {
            let doubtful = Plane { radius: 2.0 * plane.radius, ..*plane };
            if !doubtful.holds(frames).lane(lane) {
                plane.clear(lane);
            }
        }
    }

    /// [`Clearance::measure`]; tells in which worlds a pair without plane is near.
    fn measure(
        layout: &Layout,
        planes: &[Plane],
        frames: Frames<'_>,
        places: &mut [Place],
        centers: &mut [Vec3<Four>],
    ) -> [bool; WORLDS] {
        for (center, sphere) in centers.iter_mut().zip(&layout.spheres) {
            *center = frames.point(sphere.body, sphere.center);
        }
        for (place, mover) in places.iter_mut().zip(&layout.movers) {
            let body = mover.body as usize;
            let room = Four::of(f64::INFINITY);
            *place = Place { pos: frames.xpos[body], quat: frames.xquat[body], room };
        }
        let mut near = Four::of(0.0).below(Four::of(0.0));
        let mut next = 0;
        let (zero, infinite) = (Four::of(0.0), Four::of(f64::INFINITY));
        for (number, pair) in layout.pairs.iter().enumerate() {
            let center = centers[pair.second as usize];
            let apart = match pair.first {
                Bound::Sphere(first) => {
                    let between = center - centers[first as usize];
                    between.dot(between).sqrt()
                }
                Bound::HalfSpace { body, point, normal } => {
                    let normal = frames.xmat[body as usize] * Vec3::of(normal);
                    normal.dot(center - frames.point(body, point))
                }
            };
            let mut distance = apart - Four::of(pair.radii + pair.margin);
            if let Some(plane) = planes.get(next)
                && plane.pair as usize == number
            {
                next += 1;
                let lowest = Four::of(f64::MIN);
                distance = Four::select(plane.reach.below(lowest), distance, infinite);
            }
            // What is not a number is near.
            let far = Four::of(NEAREST * pair.radii + KEPT).below(distance);
            near = near.or(zero.at_most(zero).and_not(far));
            let share = if pair.movers.contains(&None) { 1.0 } else { 0.5 };
            let room = Four::of(share) * (distance - Four::of(KEPT));
            let room = room * room;
            for mover in pair.movers {
                if let Some(mover) = mover {
                    let known = &mut places[mover as usize].room;
                    *known = Four::select(room.below(*known), room, *known);
                }
            }
        }
        [near.lane(0), near.lane(1), near.lane(2), near.lane(3)]
    }
}

impl Layout {
    fn new(m: &Model, pairs: &[Candidate], rules: &Rules) -> Layout {
        let mut moves = vec![false; m.nbody];
        for b in 1..m.nbody {
            let parent = usize::try_from(m.body_parentid[b]).unwrap_or(0).min(b);
            moves[b] = moves[parent] || m.body_jntnum[b] > 0 || m.body_mocapid[b] >= 0;
        }
        let mut geoms: Vec<u32> = pairs.iter().flat_map(|c| [c.first, c.second]).collect();
        geoms.sort_unstable();
        geoms.dedup();
        let mut reach = vec![None; m.nbody];
        for &geom in &geoms {
            let body = rules.body(geom) as usize;
            let far = m.geom_pos[geom as usize].norm() + radius(m, geom);
            reach[body] = Some(far.max(reach[body].unwrap_or(0.0)));
        }
        let mover = |(body, reach): (usize, &Option<f64>)| {
            Some(Mover { body: body as u32, reach: reach.filter(|_| moves[body])? })
        };
        let movers: Vec<Mover> = reach.iter().enumerate().filter_map(mover).collect();
        let sphere =
            |&geom: &u32| Sphere { body: rules.body(geom), center: m.geom_pos[geom as usize] };
        let place = |geom: u32| geoms.binary_search(&geom).unwrap_or(0) as u32;
        let of_body = |geom: u32| {
            let body = rules.body(geom);
            movers.binary_search_by_key(&body, |mover| mover.body).ok().map(|place| place as u32)
        };
        let pair = |c: &Candidate| {
            let first = c.first as usize;
            let is_plane = m.geom_type[first] == GeomType::Plane.raw();
            let own = if is_plane { 0.0 } else { radius(m, c.first) };
            Pair {
                first: match is_plane {
                    true => Bound::HalfSpace {
                        body: rules.body(c.first),
                        point: m.geom_pos[first],
                        normal: m.geom_quat[first].to_mat().col(2),
                    },
                    false => Bound::Sphere(place(c.first)),
                },
                second: place(c.second),
                radii: own + radius(m, c.second),
                margin: margin(m, c),
                movers: [of_body(c.first), of_body(c.second)],
            }
        };
        Layout {
            pairs: pairs.iter().map(pair).collect(),
            spheres: geoms.iter().map(sphere).collect(),
            movers,
        }
    }
}

/// The radius around a geom's centre; without bounds it reaches everywhere.
fn radius(m: &Model, geom: u32) -> f64 {
    let radius = m.geom_rbound[geom as usize];
    if radius > 0.0 { radius } else { f64::INFINITY }
}

fn margin(m: &Model, c: &Candidate) -> f64 {
    let pair = match c.source {
        Source::Pair(pair) => Some(pair as usize),
        _ => None,
    };
    parameters::margin(m, c.first as usize, c.second as usize, pair).max(0.0)
}

impl Narrow<'_> {
    /// Whether the bounds of two geoms are far apart.
    fn is_far(&self, c: &Candidate, pair: &Pair) -> bool {
        let offset = self.offset(c.first as usize, c.second as usize);
        let far = (1.0 + NEAR) * pair.radii + pair.margin;
        match pair.first {
            Bound::Sphere(_) => offset.norm_squared() >= far * far,
            Bound::HalfSpace { .. } => -self.axes(c.first as usize)[2].dot(offset) >= far,
        }
    }

    /// Unit vector from the second of two geoms towards the first that separates them; `None` if they
    /// are too near, or nothing but their bounds is known. Whatever axis is tried, what it shows is a
    /// proof.
    fn separate(&self, c: &Candidate, pair: &Pair, convex: &mut Workspace) -> Option<Vec3> {
        let (first, second) = (c.first as usize, c.second as usize);
        let offset = self.offset(first, second);
        let [hint1, hint2] = &mut [Hint::NONE; 2];
        if let Bound::HalfSpace { .. } = pair.first {
            let axis = -self.axes(first)[2];
            let distance = axis.dot(offset) - self.reach(second, axis, hint2) - pair.margin;
            return (distance > 2.0 * KEPT).then_some(axis);
        }
        if matches!(c.method, Method::DistanceField | Method::HeightField) {
            return None;
        }
        let (mut best, mut separating) = (0.0, None);
        for axis in self.axes(first).into_iter().chain(self.axes(second)) {
            let axis = if axis.dot(offset) < 0.0 { -axis } else { axis };
            let reach = self.bound(first, -axis, hint1) + self.bound(second, axis, hint2);
            let distance = axis.dot(offset) - reach - pair.margin;
            if distance > best {
                (best, separating) = (distance, Some(axis));
            }
        }
        if best < FAIR * pair.radii {
            let (mut a, mut b) = (self.convex(first, 0.0), self.convex(second, 0.0));
            ccd::query(a.as_mut()?, b.as_mut()?, &self.options(), 1, f64::MAX, convex);
            let axis = Separation::new(convex.axis).axis();
            let reach = self.reach(first, -axis, hint1) + self.reach(second, axis, hint2);
            let distance = axis.dot(offset) - reach - pair.margin;
            if distance > best {
                (best, separating) = (distance, Some(axis));
            }
        }
        separating.filter(|_| best > 2.0 * KEPT)
    }

    /// The plane of a pair. It moves with the larger geom: the other one may turn more.
    fn plane(&self, pair: u32, c: &Candidate, rules: &Rules) -> Plane {
        let m = self.model();
        let on_first = m.geom_type[c.first as usize] == GeomType::Plane.raw()
            || radius(m, c.first) >= radius(m, c.second);
        let (under, over) = if on_first { (c.first, c.second) } else { (c.second, c.first) };
        Plane {
            pair,
            under: rules.body(under),
            over: rules.body(over),
            center: m.geom_pos[over as usize],
            radius: radius(m, over),
            normal: Vec3([Four::default(); 3]),
            seen: Vec3([Four::default(); 3]),
            reach: Four([f64::NEG_INFINITY; WORLDS]),
        }
    }

    /// Puts the plane of a pair between its geoms in one world, across an axis.
    fn set_plane(
        &self,
        plane: &mut Plane,
        c: &Candidate,
        pair: &Pair,
        rules: &Rules,
        axis: Vec3,
        frames: Frames<'_>,
        lane: usize,
    ) {
        let (first, second) = (c.first as usize, c.second as usize);
        let on_first = plane.under == rules.body(c.first);
        let (normal, under, over) =
            if on_first { (-axis, first, second) } else { (axis, second, first) };
        let frame = |body: u32| Mat3(frames.xmat[body as usize].0.map(|x| x.0[lane]));
        let origin = Vec3(frames.xpos[plane.under as usize].0.map(|x| x.0[lane]));
        let own = match pair.first {
            Bound::HalfSpace { .. } => 0.0,
            Bound::Sphere(_) => self.reach(under, normal, &mut Hint::NONE.clone()),
        };
        let below = own + normal.dot(self.origin(under) - origin);
        let above = self.reach(over, -normal, &mut Hint::NONE.clone());
        let (local, seen) = (frame(plane.under).tmul(normal), frame(plane.over).tmul(normal));
        for k in 0..3 {
            plane.normal.0[k].0[lane] = local[k];
            plane.seen.0[k].0[lane] = seen[k];
        }
        plane.reach.0[lane] = below + above + pair.margin + KEPT;
    }
}
