//! The legs of a spatial tendon, as the author listed them.

use std::ops::Range;

use corten_model::ModelArrays;
use corten_model::enums::WrapType;

use super::legs::RunIndex;
use super::wrap::WrapShape;
use crate::chain::index;
use crate::prepared::span::Span;

/// One entry of a spatial tendon's path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Piece {
    /// The path is interrupted; later legs count by a new divisor.
    Pulley,
    Leg(Leg),
}

/// From one site to the next, possibly around a geom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Leg {
    pub sites: [usize; 2],
    pub around: Option<Around>,
    /// The leg's length counts divided by this.
    pub divisor: f64,
    /// Whether the path ends here, or is interrupted by a pulley.
    pub last: bool,
    /// Where its run is computed.
    pub place: RunIndex,
}

impl Leg {
    /// The shape of the obstacle, and whether there is a site beside it.
    pub fn kind(&self) -> (Option<WrapShape>, bool) {
        let around = self.around.as_ref();
        (around.map(|a| a.shape), around.is_some_and(|a| a.side.is_some()))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Around {
    pub geom: usize,
    pub shape: WrapShape,
    pub side: Option<usize>,
}

/// An end of a straight piece of string, which pulls at what moves it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pull {
    /// Where the point and the force are, among the numbers of all runs.
    pub point: u32,
    pub force: u32,
    /// Where the run tells whether the obstacle is touched, and which answer makes the pull act.
    pub touch: u32,
    pub when: f64,
    /// Minus one where the piece begins, one where it ends.
    pub sign: f64,
    /// The top of the tree.
    pub root: u32,
    /// Dofs that move this end of the piece alone, one after the other, and the places of the first
    /// among all dofs and among the entries of all rows.
    pub count: u32,
    pub dof: u32,
    pub slot: u32,
    /// Slots of dofs that move both ends; they carry the string along without changing its length,
    /// and count where zeros are kept.
    pub carried: Span,
}

impl Pull {
    #[inline(always)]
    pub fn dofs(&self) -> Range<usize> {
        self.dof as usize..self.dof as usize + self.count as usize
    }

    #[inline(always)]
    pub fn slots(&self) -> Range<usize> {
        self.slot as usize..self.slot as usize + self.count as usize
    }
}

/// The pieces of one tendon's path. A path that refers to objects that do not exist ends there.
struct Pieces<'a> {
    m: &'a ModelArrays,
    kinds: &'a [i32],
    objects: &'a [i32],
    parameters: &'a [f64],
    at: usize,
    divisor: f64,
}

/// Index range of a tendon's entries in the `wrap_*` arrays.
pub(crate) fn entries(m: &ModelArrays, tendon: usize) -> Range<usize> {
    let clip = |x: i32| usize::try_from(x).unwrap_or(0).min(m.nwrap);
    let start = clip(m.tendon_adr[tendon]);
    start..(start + clip(m.tendon_num[tendon])).min(m.nwrap)
}

/// Whether a tendon is a linear combination of joint positions.
pub(crate) fn is_fixed(m: &ModelArrays, tendon: usize) -> bool {
    m.wrap_type[entries(m, tendon)].first() == Some(&WrapType::Joint.raw())
}

/// Entry and joint of each term of a fixed tendon.
pub(crate) fn joints(m: &ModelArrays, tendon: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    entries(m, tendon).filter_map(|w| Some((w, index(m.wrap_objid[w], m.njnt)?)))
}

/// The path of a spatial tendon.
pub(crate) fn pieces(m: &ModelArrays, tendon: usize) -> impl Iterator<Item = Piece> + '_ {
    let range = entries(m, tendon);
    Pieces {
        m,
        kinds: &m.wrap_type[range.clone()],
        objects: &m.wrap_objid[range.clone()],
        parameters: &m.wrap_prm[range],
        at: 0,
        divisor: 1.0,
    }
}

impl Pieces<'_> {
    fn kind(&self, i: usize) -> Option<WrapType> {
        self.kinds.get(i).and_then(|&k| WrapType::from_raw(k))
    }

    fn site(&self, i: usize) -> Option<usize> {
        let id = index(*self.objects.get(i)?, self.m.nsite)?;
        (self.kind(i)? == WrapType::Site).then_some(id)
    }

    fn around(&self, i: usize, shape: WrapShape) -> Option<Around> {
        let geom = index(self.objects[i], self.m.ngeom)?;
        index(self.m.geom_bodyid[geom], self.m.nbody)?;
        // Rounded to the nearest: less than −1/2 is none.
        let side = self.parameters[i] + 0.5;
        let side = (side > 0.0 && side < self.m.nsite as f64).then_some(side as usize);
        Some(Around { geom, shape, side })
    }

    fn leg(&mut self) -> Option<Leg> {
        let start = self.at;
        let (end, shape) = match self.kind(start + 1)? {
            WrapType::Sphere => (start + 2, Some(WrapShape::Sphere)),
            WrapType::Cylinder => (start + 2, Some(WrapShape::Cylinder)),
            _ => (start + 1, None),
        };
        let sites = [self.site(start)?, self.site(end)?];
        for site in sites {
            index(self.m.site_bodyid[site], self.m.nbody)?;
        }
        let around = match shape {
            Some(shape) => Some(self.around(start + 1, shape)?),
            None => None,
        };
        self.at = end;
        let last = end + 1 == self.kinds.len() || self.kind(end + 1) == Some(WrapType::Pulley);
        Some(Leg { sites, around, divisor: self.divisor, last, place: RunIndex::default() })
    }
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        while self.at + 1 < self.kinds.len() {
            if self.kind(self.at) == Some(WrapType::Pulley) {
                self.divisor = self.parameters[self.at];
                self.at += 1;
                return Some(Piece::Pulley);
            }
            if self.kind(self.at + 1) == Some(WrapType::Pulley) {
                self.at += 1;
                continue;
            }
            return self.leg().map(Piece::Leg);
        }
        None
    }
}
