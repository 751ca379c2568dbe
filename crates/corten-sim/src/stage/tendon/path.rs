//! The legs of a spatial tendon, as the author listed them.

use corten_math::Vec3;
use corten_model::Model;
use corten_model::enums::WrapType;

use super::wrap::{Obstacle, Shape, Touch};
use crate::Data;

/// One entry of a spatial tendon's path.
pub(crate) enum Piece {
    /// The path is interrupted; later legs count by a new divisor.
    Pulley,
    Leg(Leg),
}

/// From one site to the next, possibly around a geom.
#[derive(Clone, Copy)]
pub(crate) struct Leg {
    pub sites: [usize; 2],
    pub around: Option<Around>,
    /// The leg's length counts divided by this.
    pub divisor: f64,
    /// Whether the path ends here, or is interrupted by a pulley.
    pub last: bool,
}

#[derive(Clone, Copy)]
pub(crate) struct Around {
    pub geom: usize,
    pub shape: Shape,
    pub side: Option<usize>,
}

impl Around {
    pub fn touch(&self, m: &Model, d: &Data, ends: [Vec3; 2]) -> Option<Touch> {
        Obstacle {
            shape: self.shape,
            center: d.geom_xpos[self.geom],
            frame: d.geom_xmat[self.geom],
            radius: m.geom_size[self.geom][0],
        }
        .touch(ends[0], ends[1], self.side.map(|s| d.site_xpos[s]))
    }
}

/// The pieces of one tendon's path. A path that refers to objects that do not exist ends there.
pub(crate) struct Pieces<'a> {
    m: &'a Model,
    kinds: &'a [i32],
    objects: &'a [i32],
    parameters: &'a [f64],
    at: usize,
    divisor: f64,
}

/// Index range of a tendon's entries in the `wrap_*` arrays.
pub(crate) fn entries(m: &Model, tendon: usize) -> std::ops::Range<usize> {
    let clip = |x: i32| usize::try_from(x).unwrap_or(0).min(m.nwrap);
    let start = clip(m.tendon_adr[tendon]);
    start..(start + clip(m.tendon_num[tendon])).min(m.nwrap)
}

/// Whether a tendon is a linear combination of joint positions.
pub(crate) fn is_fixed(m: &Model, tendon: usize) -> bool {
    m.wrap_type[entries(m, tendon)].first() == Some(&WrapType::Joint.raw())
}

/// Joint and coefficient of each entry of a fixed tendon.
pub(crate) fn joints(m: &Model, tendon: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
    entries(m, tendon).filter_map(|w| {
        let joint = usize::try_from(m.wrap_objid[w]).ok().filter(|&j| j < m.njnt)?;
        Some((joint, m.wrap_prm[w]))
    })
}

pub(crate) fn pieces(m: &Model, tendon: usize) -> Pieces<'_> {
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
        let id = usize::try_from(*self.objects.get(i)?).ok()?;
        (self.kind(i)? == WrapType::Site && id < self.m.nsite).then_some(id)
    }

    fn around(&self, i: usize, shape: Shape) -> Option<Around> {
        let geom = usize::try_from(self.objects[i]).ok().filter(|&g| g < self.m.ngeom)?;
        // Rounded to the nearest: less than −1/2 is none.
        let side = self.parameters[i] + 0.5;
        let side = (side > 0.0 && side < self.m.nsite as f64).then_some(side as usize);
        Some(Around { geom, shape, side })
    }

    fn leg(&mut self) -> Option<Leg> {
        let start = self.at;
        let (end, around) = match self.kind(start + 1)? {
            WrapType::Sphere => (start + 2, Some(self.around(start + 1, Shape::Sphere)?)),
            WrapType::Cylinder => (start + 2, Some(self.around(start + 1, Shape::Cylinder)?)),
            _ => (start + 1, None),
        };
        let sites = [self.site(start)?, self.site(end)?];
        self.at = end;
        let last = end + 1 == self.kinds.len() || self.kind(end + 1) == Some(WrapType::Pulley);
        Some(Leg { sites, around, divisor: self.divisor, last })
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
