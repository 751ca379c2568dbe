//! Pairs whose bounding spheres meet, among those that are too many to try one by one.
//!
//! [`Sweep`] finds them, and a sort in two steps, the first of linear time, brings them in order.

use corten_math::{Mat3, Vec3};

use super::admitted::Admitted;
use super::collidable::{Bounds, Collidable};
use super::filter::{Candidate, Rules, Source};
use super::method::Method;
use super::sweep::Sweep;

use crate::Model;

/// Bounding spheres are larger by this part of their radius and distance from the origin, so that
/// rounding loses no pair; exact tests follow.
const INFLATION: f64 = 1e-12;

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
    /// best from the last time.
    pub(super) fn run(
        &mut self,
        m: &Model,
        admitted: &Admitted,
        order: &mut Vec<u32>,
        xpos: &[Vec3],
        xmat: &[Mat3],
        max_pairs: usize,
    ) -> &[Candidate] {
        let Admitted { rules, bounded, planes, .. } = admitted;
        let bounds = Bounds::new(m, xpos, xmat);
        self.bound(&bounds, m.ngeom, bounded);
        let Search { spheres, sweep, found, cut_off, .. } = self;
        found.clear();
        *cut_off = false;
        'planes: for &plane in planes {
            let (origin, normal, margin) = bounds.half_space(plane);
            for &c in bounded {
                let (center, radius) = spheres[c.index()];
                if (center - origin).dot(normal) <= radius + margin {
                    found.extend(rules.admit(plane, c));
                    if found.len() > max_pairs {
                        *cut_off = true;
                        break 'planes;
                    }
                }
            }
        }

        sweep.clear();
        for &c in bounded {
            let (center, radius) = spheres[c.index()];
            sweep.add(c, center, radius);
        }
        sweep.pairs(order, |c1, c2| {
            let ((center1, r1), (center2, r2)) = (spheres[c1.index()], spheres[c2.index()]);
            let r = r1 + r2;
            if (center2 - center1).norm_squared() <= r * r {
                found.extend(rules.admit(c1, c2));
                *cut_off |= found.len() > max_pairs;
            }
            !*cut_off
        });
        self.sort(m, rules);
        &self.list[..self.count]
    }

    /// Whether the last run found all pairs.
    pub(super) fn is_complete(&self) -> bool {
        !self.cut_off
    }

    /// Bounding spheres at the current poses, of some among `count` collidables.
    fn bound(&mut self, bounds: &Bounds<'_>, count: usize, bounded: &[Collidable]) {
        self.spheres.resize(count, (Vec3::ZERO, 0.0));
        for &c in bounded {
            self.spheres[c.index()] = bounds.sphere(c, INFLATION);
        }
    }

    /// Orders what was found: by the lower body in linear time, then within each body.
    fn sort(&mut self, m: &Model, rules: &Rules) {
        let Search { list, found, starts, .. } = self;
        let lower = |c: &Candidate| rules.lower_body(c) as usize;
        starts.clear();
        starts.resize(m.nbody + 1, 0);
        for c in found.iter() {
            starts[lower(c) + 1] += 1;
        }
        for b in 0..m.nbody {
            starts[b + 1] += starts[b];
        }
        if list.len() < found.len() {
            list.resize(found.len(), NOTHING);
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
            list.sort_unstable_by_key(|c| rules.order(c));
            self.count = list.len();
        }
    }
}
