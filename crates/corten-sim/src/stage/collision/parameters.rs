//! Parameters of a contact, mixed from its two sides or taken from an explicit pair.
//!
//! Answers to `mj_contactParam` and the `mj_assign*` family.

use corten_math::MIN_VAL;
use corten_math::array;
use corten_math::array::MapInline;
use corten_model::enums::EnableBit;

use super::collidable::{Collidable, Surface};
use crate::Model;

/// Smallest friction coefficient; friction cones divide by it.
const MIN_FRICTION: f64 = 1e-5;

/// What all contacts of one pair share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Parameters {
    pub dim: i32,
    pub gap: f64,
    pub solref: [f64; 2],
    pub solreffriction: [f64; 2],
    pub solimp: [f64; 5],
    pub friction: [f64; 5],
}

/// Distance below which two collidables get contacts.
#[inline]
pub(super) fn margin(m: &Model, first: Collidable, second: Collidable, pair: Option<usize>) -> f64 {
    if m.opt.enabled(EnableBit::Override) {
        m.opt.o_margin
    } else if let Some(pair) = pair {
        m.pair_margin[pair]
    } else {
        maximum(m.geom_margin[first.index()], m.geom_margin[second.index()])
    }
}

impl Parameters {
    /// For a pair that the author listed.
    pub fn of_pair(m: &Model, pair: usize) -> Parameters {
        Parameters {
            dim: m.pair_dim[pair],
            gap: m.pair_gap[pair],
            solref: m.pair_solref[pair],
            solreffriction: m.pair_solreffriction[pair],
            solimp: m.pair_solimp[pair],
            friction: m.pair_friction[pair],
        }
        .overridden(m)
    }

    /// For two collidables that happen to meet: the one of higher priority decides; otherwise the
    /// larger dimension and friction, and a weighted mean of the rest.
    #[inline]
    pub fn mixed(m: &Model, a: &Surface<'_>, b: &Surface<'_>) -> Parameters {
        let gap = maximum(a.gap, b.gap);
        let single = |s: &Surface<'_>| (s.condim, *s.solref, *s.solimp, *s.friction);
        let (dim, solref, solimp, friction) = if a.priority > b.priority {
            single(a)
        } else if a.priority < b.priority {
            single(b)
        } else {
            let mix = mix(a.solmix, b.solmix);
            let blend = |x: f64, y: f64| mix * x + (1.0 - mix) * y;
            let (ref_a, ref_b) = (a.solref, b.solref);
            // Positive: time constant and damping ratio. Negative: stiffness and damping, of
            // which the stronger one holds.
            let solref = if ref_a[0] > 0.0 && ref_b[0] > 0.0 {
                array::from_fn(|k| blend(ref_a[k], ref_b[k]))
            } else {
                array::from_fn(|k| minimum(ref_a[k], ref_b[k]))
            };
            (
                a.condim.max(b.condim),
                solref,
                array::from_fn(|k| blend(a.solimp[k], b.solimp[k])),
                array::from_fn(|k| maximum(a.friction[k], b.friction[k])),
            )
        };
        let [slide, spin, roll] = friction;
        Parameters {
            dim,
            gap,
            solref,
            solreffriction: [0.0; 2],
            solimp,
            friction: [slide, slide, spin, roll, roll],
        }
        .overridden(m)
    }

    fn overridden(mut self, m: &Model) -> Parameters {
        if m.opt.enabled(EnableBit::Override) {
            self.solref = m.opt.o_solref;
            self.solreffriction = m.opt.o_solref;
            self.solimp = m.opt.o_solimp;
            self.friction = m.opt.o_friction;
        }
        self.friction = self.friction.map_inline(|f| maximum(MIN_FRICTION, f));
        // The constraint stage knows these dimensions only.
        self.dim = match self.dim {
            ..=1 => 1,
            2 | 3 => 3,
            4 => 4,
            5.. => 6,
        };
        self
    }
}

/// Weight of the first side.
fn mix(a: f64, b: f64) -> f64 {
    match (a >= MIN_VAL, b >= MIN_VAL) {
        (true, true) if a == b => 0.5,
        (true, true) => a / (a + b),
        (false, false) => 0.5,
        (false, true) => 0.0,
        (true, false) => 1.0,
    }
}

// A comparison and a selection, unlike `f64::max` and `f64::min`, which also look for NaN.
#[inline]
pub(super) fn maximum(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[inline]
fn minimum(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}
