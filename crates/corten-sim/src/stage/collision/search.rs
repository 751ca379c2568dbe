//! Pairs whose bounding spheres meet, among those that are too many to try one by one.
//!
//! [`Sweep`] finds them, and a sort in two steps, the first of linear time, brings them in order.

use corten_math::{Mat3, Vec3};
use corten_model::enums::EnableBit;

use super::admitted::Admitted;
use super::filter::{Candidate, Rules, Source};
use super::method::Method;
use super::sweep::Sweep;

use crate::Model;

/// Bounding spheres are larger by this part of their radius and distance from the origin, so that
/// rounding loses no pair; exact tests follow.
const INFLATION: f64 = 1e-12;

/// Fills memory that is written before it is read.
const NOTHING: Candidate =
    Candidate { first: 0, second: 0, source: Source::SingleGeom, method: Method::Nothing };

/// Working memory of a search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    /// Bounding sphere per geom, grown by its margin: centre and radius.
    spheres: Vec<[f64; 4]>,
    sweep: Sweep,
    found: Vec<Candidate>,
    /// Where the candidates of each body start in `list`.
    starts: Vec<u32>,
    /// The pairs in order: the first `count`, the rest is left over.
    list: Vec<Candidate>,
    count: usize,
}

impl Search {
    /// The pairs whose bounding spheres meet; `order` is that of the sweep, at best from the last
    /// time.
    pub(super) fn run(
        &mut self,
        m: &Model,
        admitted: &Admitted,
        order: &mut Vec<u32>,
        xpos: &[Vec3],
        xmat: &[Mat3],
    ) -> &[Candidate] {
        let Admitted { rules, bounded, planes, .. } = admitted;
        self.bound(m, bounded, xpos);
        let Search { spheres, sweep, found, .. } = self;
        found.clear();
        for &plane in planes {
            let (origin, normal) = (xpos[plane as usize], xmat[plane as usize].col(2));
            // The plane's own margin is as good as any bound for it.
            let margin = m.geom_margin[plane as usize].max(m.opt.o_margin).max(0.0);
            for &g in bounded {
                let [x, y, z, radius] = spheres[g as usize];
                if (Vec3::new(x, y, z) - origin).dot(normal) <= radius + margin {
                    found.extend(rules.admit(plane, g));
                }
            }
        }

        sweep.clear();
        for &g in bounded {
            let [x, y, z, radius] = spheres[g as usize];
            sweep.add(g, Vec3::new(x, y, z), radius);
        }
        sweep.pairs(order, |g1, g2| {
            let [x1, y1, z1, r1] = spheres[g1 as usize];
            let [x2, y2, z2, r2] = spheres[g2 as usize];
            let (x, y, z, r) = (x2 - x1, y2 - y1, z2 - z1, r1 + r2);
            if x * x + y * y + z * z <= r * r {
                found.extend(rules.admit(g1, g2));
            }
        });
        self.sort(m, rules);
        &self.list[..self.count]
    }

    /// Bounding spheres at the current poses. Contacts reach as far as the larger margin of two
    /// geoms; adding both is on the safe side. Geoms without bounds are everywhere.
    fn bound(&mut self, m: &Model, bounded: &[u32], xpos: &[Vec3]) {
        self.spheres.resize(m.ngeom, [0.0; 4]);
        let margin_override = m.opt.enabled(EnableBit::Override).then_some(0.5 * m.opt.o_margin);
        for &g in bounded {
            let g = g as usize;
            let [x, y, z] = xpos[g].0;
            let margin = margin_override.unwrap_or(m.geom_margin[g]);
            let radius = m.geom_rbound[g];
            let radius = if radius > 0.0 {
                radius + margin + INFLATION * (radius + x.abs() + y.abs() + z.abs())
            } else {
                f64::INFINITY
            };
            self.spheres[g] = [x, y, z, radius];
        }
    }

    /// Orders what was found: by the lower body in linear time, then within each body.
    fn sort(&mut self, m: &Model, rules: &Rules) {
        let Search { list, found, starts, .. } = self;
        let lower = |c: &Candidate| rules.body(c.first).min(rules.body(c.second)) as usize;
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
