//! Which pairs of geoms may touch at all.
//!
//! A pair is admitted if its bodies and its geoms have matching collision masks, its bodies are
//! not welded together, not parent and child (unless one is static) and not excluded, and if the
//! author did not list the pair explicitly. Answers to `filterBodyPair`, `canCollide2` and the
//! bit masks of `mj_collideGeoms`; sleeping is checked pair by pair, when it matters.

use corten_math::memory::{self, Gather};
use corten_model::enums::{DisableBit, GeomType, SleepState};

use super::collidable::Collidable;
use super::method::Method;
use super::pair_cache::Key;
use crate::Model;

/// The part of a collidable that decides about admission.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rule {
    body: u32,
    weld: i32,
    weld_parent: i32,
    contype: i32,
    conaffinity: i32,
    body_contype: i32,
    body_conaffinity: i32,
    kind: i32,
    /// Whether the body has other geoms.
    multi_geom: bool,
    /// Whether the body is part of an excluded pair.
    excluded: bool,
}

/// Where a candidate comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// Two bodies of one geom each.
    SingleGeom,
    /// Bodies with several geoms: oriented boxes are tested before the geoms.
    MultiGeom,
    /// Listed by the author.
    Pair(u32),
}

/// Two collidables to test, geoms ordered by type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub first: Collidable,
    pub second: Collidable,
    pub source: Source,
    pub method: Method,
}

/// The rules of a model.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rules {
    of: Vec<Rule>,
    /// Signatures of body pairs, ascending.
    excluded: Vec<u32>,
    /// Geom pairs listed by the author, the smaller index first, ascending.
    listed: Vec<(Collidable, Collidable)>,
    filter_parent: bool,
    midphase: bool,
}

impl Rules {
    pub fn new(m: &Model) -> Rules {
        let body_of = |b: i32| usize::try_from(b).ok().filter(|&b| b < m.nbody).unwrap_or(0);
        let weld = |b: usize| body_of(m.body_weldid[b]);
        let rule = |g: usize| {
            let b = body_of(m.geom_bodyid[g]);
            Rule {
                body: b as u32,
                weld: weld(b) as i32,
                weld_parent: weld(body_of(m.body_parentid[weld(b)])) as i32,
                contype: m.geom_contype[g],
                conaffinity: m.geom_conaffinity[g],
                body_contype: m.body_contype[b],
                body_conaffinity: m.body_conaffinity[b],
                kind: m.geom_type[g],
                multi_geom: m.body_geomnum[b] != 1,
                excluded: false,
            }
        };
        let mut of: Vec<Rule> = (0..m.ngeom).map(rule).gather();
        let mut excluded: Vec<u32> = m.exclude_signature.iter().map(|&s| s as u32).collect();
        excluded.sort_unstable();
        let mut bodies = memory::filled(false, m.nbody);
        for &signature in &excluded {
            for body in [signature >> 16, signature & 0xffff] {
                if let Some(body) = bodies.get_mut(body as usize) {
                    *body = true;
                }
            }
        }
        for rule in &mut of {
            rule.excluded = bodies.get(rule.body as usize).is_some_and(|&excluded| excluded);
        }
        let pairs = m.pair_geom1.iter().zip(&m.pair_geom2);
        let pairs = pairs
            .filter_map(|(&a, &b)| Some((Collidable::listed(m, a)?, Collidable::listed(m, b)?)));
        let mut listed: Vec<_> = pairs.map(|(a, b)| (a.min(b), a.max(b))).collect();
        listed.sort_unstable();
        Rules {
            of,
            excluded,
            listed,
            filter_parent: !m.opt.disabled(DisableBit::FilterParent),
            midphase: !m.opt.disabled(DisableBit::MidPhase),
        }
    }

    #[inline]
    pub fn body(&self, c: Collidable) -> u32 {
        self.of[c.index()].body
    }

    /// The lower of a candidate's bodies.
    pub fn lower_body(&self, c: &Candidate) -> u32 {
        self.body(c.first).min(self.body(c.second))
    }

    /// Whether something could touch anything: it has a mask and a type that collides.
    pub fn collides(&self, c: Collidable) -> bool {
        let g = &self.of[c.index()];
        (g.contype | g.conaffinity != 0)
            && (g.body_contype | g.body_conaffinity != 0)
            && (GeomType::Plane.raw()..=GeomType::Sdf.raw()).contains(&g.kind)
    }

    /// The first of the bodies that are fixed to that of a collidable.
    #[inline]
    pub fn weld(&self, c: Collidable) -> i32 {
        self.of[c.index()].weld
    }

    /// Whether the body is fixed to the world.
    pub fn is_static(&self, c: Collidable) -> bool {
        self.of[c.index()].weld == 0
    }

    /// Whether the body can move and is not asleep, so that it may touch what rests; `awake` is the state
    /// of each body, empty if none sleeps.
    #[inline(always)]
    pub fn is_active(&self, awake: &[i32], c: Collidable) -> bool {
        let state = awake.get(self.body(c) as usize);
        state != Some(&SleepState::Asleep.raw()) && !self.is_static(c)
    }

    pub fn is_plane(&self, c: Collidable) -> bool {
        self.of[c.index()].kind == GeomType::Plane.raw()
    }

    /// The candidate made of two collidables, if they may touch.
    #[inline]
    pub fn admit(&self, c1: Collidable, c2: Collidable) -> Option<Candidate> {
        let (a, b) = (&self.of[c1.index()], &self.of[c2.index()]);
        if a.weld == b.weld
            || a.contype & b.conaffinity == 0 && b.contype & a.conaffinity == 0
            || a.body_contype & b.body_conaffinity == 0 && b.body_contype & a.body_conaffinity == 0
            || self.filter_parent
                && a.weld != 0
                && b.weld != 0
                && (a.weld == b.weld_parent || b.weld == a.weld_parent)
            // Half spaces and height fields do not meet each other.
            || a.kind.max(b.kind) <= GeomType::HField.raw()
        {
            return None;
        }
        if a.excluded && b.excluded {
            let (low, high) = (a.body.min(b.body), a.body.max(b.body));
            let signature = (low << 16).wrapping_add(high);
            if self.excluded.binary_search(&signature).is_ok() {
                return None;
            }
        }
        if !self.listed.is_empty() && self.listed.binary_search(&(c1.min(c2), c1.max(c2))).is_ok() {
            return None;
        }
        let source =
            if a.multi_geom || b.multi_geom { Source::MultiGeom } else { Source::SingleGeom };
        let source = if self.midphase { source } else { Source::SingleGeom };
        Some(self.ordered(c1, c2, source))
    }

    /// Appends the pairs that the author listed.
    pub fn list_pairs(&self, m: &Model, list: &mut Vec<Candidate>) {
        for (k, (&a, &b)) in m.pair_geom1.iter().zip(&m.pair_geom2).enumerate() {
            if let (Some(a), Some(b)) = (Collidable::listed(m, a), Collidable::listed(m, b)) {
                list.push(self.ordered(a, b, Source::Pair(k as u32)));
            }
        }
    }

    /// Two collidables by type; equal types by body.
    #[inline]
    pub fn ordered(&self, c1: Collidable, c2: Collidable, source: Source) -> Candidate {
        let (a, b) = (&self.of[c1.index()], &self.of[c2.index()]);
        let swap = match source {
            Source::Pair(_) => a.kind > b.kind,
            _ => (a.kind, a.body) > (b.kind, b.body),
        };
        let (first, second) = if swap { (c2, c1) } else { (c1, c2) };
        let kind = |c: Collidable| self.of[c.index()].kind;
        Candidate { first, second, source, method: Method::of(kind(first), kind(second)) }
    }

    /// Position of a candidate among those of one body: second body, then the geoms. With boxes
    /// tested first, geoms are ordered as reported; otherwise as a loop over the geoms of the
    /// first body and then of the second finds them.
    #[inline]
    pub fn rank(&self, c: &Candidate) -> (u32, Collidable, Collidable) {
        let (b1, b2) = (self.body(c.first), self.body(c.second));
        let (g1, g2) = match c.source {
            Source::MultiGeom => (c.first, c.second),
            _ if b1 < b2 => (c.first, c.second),
            _ => (c.second, c.first),
        };
        (b1.max(b2), g1, g2)
    }

    /// Puts candidates in their order.
    pub fn sort(&self, candidates: &mut [Candidate]) {
        candidates.sort_unstable_by_key(|c| self.order(c));
    }

    /// Position of a candidate among all: by bodies; listed pairs first, in the author's order;
    /// then by rank.
    pub fn order(&self, c: &Candidate) -> Key {
        let (b1, b2) = (self.body(c.first), self.body(c.second));
        let bodies = u64::from(b1.min(b2)) << 32 | u64::from(b1.max(b2));
        match c.source {
            Source::Pair(pair) => (bodies, pair.into()),
            _ => {
                let (_, c1, c2) = self.rank(c);
                // Ranks leave the top bit free.
                (bodies, 1 << 63 | u64::from(c1.rank()) << 32 | u64::from(c2.rank()))
            }
        }
    }
}
