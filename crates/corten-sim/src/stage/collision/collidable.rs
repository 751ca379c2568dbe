//! What can collide, under one number, and what detection needs to know of it.

use std::ops::Range;

use corten_math::{Mat3, Vec3};
use corten_model::enums::EnableBit;

use crate::Model;

/// Something that can collide, by its place in the order in which contacts are reported: geoms come
/// first, and whatever is none follows them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub(super) struct Collidable(u32);

impl Collidable {
    #[inline]
    pub const fn geom(geom: usize) -> Collidable {
        Collidable(geom as u32)
    }

    /// The geom with a number of a model's lists.
    pub fn listed(m: &Model, geom: i32) -> Option<Collidable> {
        usize::try_from(geom).ok().filter(|&geom| geom < m.ngeom).map(Collidable::geom)
    }

    /// The place, for tables.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The place, for keys. The top bit is free: models number with `i32`.
    #[inline]
    pub const fn rank(self) -> u32 {
        self.0
    }

    /// The geom that this is.
    #[inline]
    pub fn as_geom(self, m: &Model) -> Option<usize> {
        (self.index() < m.ngeom).then_some(self.index())
    }
}

/// Bounds of collidables at the current poses.
#[derive(Clone, Copy)]
pub(super) struct Bounds<'a> {
    m: &'a Model,
    xpos: &'a [Vec3],
    xmat: &'a [Mat3],
    margin_override: Option<f64>,
}

impl<'a> Bounds<'a> {
    #[inline(always)]
    pub fn new(m: &'a Model, xpos: &'a [Vec3], xmat: &'a [Mat3]) -> Bounds<'a> {
        let margin_override = m.opt.enabled(EnableBit::Override).then_some(0.5 * m.opt.o_margin);
        Bounds { m, xpos, xmat, margin_override }
    }

    /// Centre and radius of a sphere that holds a collidable and its margin. Contacts reach as far
    /// as the larger margin of two; adding both is on the safe side. The sphere is larger by the
    /// part `inflation` of its radius and its distance from the origin; what has no bounds is
    /// everywhere.
    #[inline(always)]
    pub fn sphere(&self, c: Collidable, inflation: f64) -> (Vec3, f64) {
        let (m, g) = (self.m, c.index());
        let center = self.xpos[g];
        let [x, y, z] = center.0;
        let margin = self.margin_override.unwrap_or(m.geom_margin[g]);
        let radius = m.geom_rbound[g];
        let grown = if radius > 0.0 {
            radius + margin + inflation * (radius + x.abs() + y.abs() + z.abs())
        } else {
            f64::INFINITY
        };
        (center, grown)
    }

    /// Appends those among some that follow each other whose spheres meet a box. Rounding is monotonic, and
    /// loses none that is within the box.
    #[inline(always)]
    pub fn list_near(&self, run: Range<usize>, [low, high]: [Vec3; 2], near: &mut Vec<Collidable>) {
        let centers = self.xpos[run.clone()].iter();
        let sizes = self.m.geom_rbound[run.clone()].iter().zip(&self.m.geom_margin[run.clone()]);
        for (g, (center, (&radius, &margin))) in run.zip(centers.zip(sizes)) {
            let margin = self.margin_override.unwrap_or(margin);
            let r = if radius > 0.0 { radius + margin } else { f64::INFINITY };
            // Not what is apart: of a sphere that is nowhere, nothing is known.
            if !(0..3).any(|k| center[k] - r > high[k] || center[k] + r < low[k]) {
                near.push(Collidable::geom(g));
            }
        }
    }

    /// A point of the surface of a plane, its normal, and its margin, which is as good as any bound
    /// for that of a pair.
    #[inline(always)]
    pub fn half_space(&self, c: Collidable) -> (Vec3, Vec3, f64) {
        let (m, g) = (self.m, c.index());
        let margin = m.geom_margin[g].max(m.opt.o_margin).max(0.0);
        (self.xpos[g], self.xmat[g].col(2), margin)
    }
}

/// How a collidable behaves in contact, as its author says.
#[derive(Clone, Copy)]
pub(super) struct Surface<'a> {
    pub priority: i32,
    pub condim: i32,
    pub gap: f64,
    pub solmix: f64,
    pub solref: &'a [f64; 2],
    pub solimp: &'a [f64; 5],
    pub friction: &'a [f64; 3],
}

impl<'a> Surface<'a> {
    #[inline(always)]
    pub fn of(m: &'a Model, c: Collidable) -> Surface<'a> {
        Surface::of_geom(m, c.index())
    }

    #[inline(always)]
    pub fn of_geom(m: &'a Model, g: usize) -> Surface<'a> {
        Surface {
            priority: m.geom_priority[g],
            condim: m.geom_condim[g],
            gap: m.geom_gap[g],
            solmix: m.geom_solmix[g],
            solref: &m.geom_solref[g],
            solimp: &m.geom_solimp[g],
            friction: &m.geom_friction[g].0,
        }
    }

    pub fn of_flex(m: &'a Model, f: usize) -> Surface<'a> {
        Surface {
            priority: m.flex_priority[f],
            condim: m.flex_condim[f],
            gap: m.flex_gap[f],
            solmix: m.flex_solmix[f],
            solref: &m.flex_solref[f],
            solimp: &m.flex_solimp[f],
            friction: &m.flex_friction[f].0,
        }
    }
}
