//! Pairs whose bounding spheres meet, among those that are too many to try one by one.
//!
//! [`Sweep`] finds them, and a sort in two steps, the first of linear time, brings them in order.
//! Where bodies sleep, or many are static, only what is active, and what rests near it, takes part.

use corten_math::memory::Grow;
use corten_math::{Mat3, Vec3};

use super::admitted::{Admitted, Awake};
use super::collidable::{Bounds, Collidable};
use super::crowds::Crowds;
use super::filter::{Candidate, Rules, Source};
use super::method::Method;
use super::sweep::Sweep;

use crate::Model;

/// Bounding spheres are larger by this part of their radius and distance from the origin, so that
/// rounding loses no pair; exact tests follow.
const INFLATION: f64 = 1e-12;

/// Pairs are few if there are this many times more bodies.
const FEW: usize = 8;

/// Fills memory that is written before it is read.
const NOTHING: Candidate = Candidate {
    first: NOBODY,
    second: NOBODY,
    source: Source::SingleGeom,
    method: Method::Nothing,
};
const NOBODY: Collidable = Collidable::geom(0);

/// Working memory of a search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    /// Bounding sphere per collidable, grown by its margin: centre and radius.
    spheres: Vec<(Vec3, f64)>,
    /// What is neither asleep nor static, and what is near it, where that is not everything.
    active: Vec<Collidable>,
    near: Vec<Collidable>,
    crowds: Crowds,
    sweep: Sweep,
    found: Vec<Candidate>,
    /// Where the candidates of each body start in `list`.
    starts: Vec<u32>,
    /// The pairs in order: the first `count`, the rest is left over.
    list: Vec<Candidate>,
    count: usize,
    /// Whether the search stopped at the most pairs that it was to find.
    cut_off: bool,
}

impl Search {
    /// The pairs whose bounding spheres meet, `max_pairs` or few more; `order` is that of the sweep, at
    /// best from the last time. Pairs at rest are left out.
    pub(super) fn run(
        &mut self,
        m: &Model,
        admitted: &Admitted,
        order: &mut Vec<u32>,
        poses: (&[Vec3], &[Mat3]),
        awake: Awake<'_>,
        max_pairs: usize,
    ) -> &[Candidate] {
        let Admitted { rules, bounded, planes, .. } = admitted;
        let bounds = Bounds::new(m, poses.0, poses.1);
        let is_active = |c: Collidable| rules.is_active(awake.states, c);
        let selective = !awake.states.is_empty() || admitted.many_static;
        self.spheres.resize(m.ngeom, (Vec3::ZERO, 0.0));
        if selective {
            self.select(&bounds, admitted, awake);
        }
        if !selective || planes.iter().any(|&plane| is_active(plane)) {
            bound(&mut self.spheres, &bounds, bounded);
        }
        let Search { spheres, active, near, crowds, sweep, found, cut_off, .. } = self;
        let (active, near) = if selective { (&*active, &*near) } else { (bounded, bounded) };
        found.clear();
        *cut_off = false;
        'planes: for &plane in planes {
            let (origin, normal, margin) = bounds.half_space(plane);
            for &c in if is_active(plane) { bounded } else { active } {
                let (center, radius) = spheres[c.index()];
                if (center - origin).dot(normal) <= radius + margin {
                    found.grow_extend(rules.admit(plane, c));
                    if found.len() > max_pairs {
                        *cut_off = true;
                        break 'planes;
                    }
                }
            }
        }

        sweep.clear();
        // Room for all, so that those which come near later need no more.
        sweep.reserve(near.len());
        order.grow_reserve(near.len().saturating_sub(order.len()));
        for &c in crowds.select(near, spheres, rules) {
            let (center, radius) = spheres[c.index()];
            sweep.add(c, center, radius);
        }
        sweep.pairs(order, |c1, c2| {
            let ((center1, r1), (center2, r2)) = (spheres[c1.index()], spheres[c2.index()]);
            let r = r1 + r2;
            if (center2 - center1).norm_squared() <= r * r {
                found.grow_extend(rules.admit(c1, c2));
                *cut_off |= found.len() > max_pairs;
            }
            !*cut_off
        });
        self.sort(m, rules);
        &self.list[..self.count]
    }

    /// Lists what is active, and with it what rests within the box around all of it; bounds both.
    fn select(&mut self, bounds: &Bounds<'_>, admitted: &Admitted, awake: Awake<'_>) {
        let Search { spheres, active, near, .. } = self;
        admitted.list_active(awake, active);
        bound(spheres, bounds, active);
        let (mut low, mut high) = (Vec3::splat(f64::INFINITY), Vec3::splat(f64::NEG_INFINITY));
        for c in &*active {
            let (center, radius) = spheres[c.index()];
            low = low.min(center - Vec3::splat(radius));
            high = high.max(center + Vec3::splat(radius));
        }
        near.clear();
        for run in &admitted.runs {
            bounds.list_near(run.clone(), [low, high], near);
        }
        bound(spheres, bounds, near);
    }

    /// Whether the last run found all pairs.
    pub(super) fn is_complete(&self) -> bool {
        !self.cut_off
    }

    /// Orders what was found: by the lower body in linear time, then within each body; few at once.
    fn sort(&mut self, m: &Model, rules: &Rules) {
        let Search { list, found, starts, .. } = self;
        if found.len() < m.nbody / FEW {
            list.clone_from(found);
            rules.list_pairs(m, list);
            rules.sort(list);
            self.count = list.len();
            return;
        }
        let lower = |c: &Candidate| rules.lower_body(c) as usize;
        starts.clear();
        starts.grow_resize(m.nbody + 1, 0);
        for c in found.iter() {
            starts[lower(c) + 1] += 1;
        }
        for b in 0..m.nbody {
            starts[b + 1] += starts[b];
        }
        if list.len() < found.len() {
            list.grow_resize(found.len(), NOTHING);
        }
        for c in found.iter() {
            let place = &mut starts[lower(c)];
            list[*place as usize] = *c;
            *place += 1;
        }
        // Each start has moved to the end of its group.
        let mut start = 0;
        for &end in &starts[..m.nbody] {
            list[start..end as usize].sort_unstable_by_key(|c| rules.rank(c));
            start = end as usize;
        }
        self.count = found.len();
        if m.npair > 0 {
            list.truncate(self.count);
            rules.list_pairs(m, list);
            rules.sort(list);
            self.count = list.len();
        }
    }
}

/// Bounding spheres at the current poses.
fn bound(spheres: &mut [(Vec3, f64)], bounds: &Bounds<'_>, collidables: &[Collidable]) {
    for &c in collidables {
        spheres[c.index()] = bounds.sphere(c, INFLATION);
    }
}
