//! The legs of a spatial tendon, as the author listed them.

use corten_model::Model;
use corten_model::enums::WrapType;

use super::wrap::Shape;
use crate::chain::index;
use crate::data::structure::Structure;

/// One entry of a spatial tendon's path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Piece {
    /// The path is interrupted; later legs count by a new divisor.
    Pulley,
    Leg(Leg),
}

impl Piece {
    /// All straight pieces of string that there can be.
    pub fn links(&mut self) -> impl Iterator<Item = &mut Link> {
        let leg = match self {
            Piece::Pulley => None,
            Piece::Leg(leg) => Some(leg),
        };
        leg.into_iter().flat_map(|leg| {
            let around = leg.around.iter_mut().flat_map(|around| &mut around.links);
            around.chain([&mut leg.link])
        })
    }
}

/// From one site to the next, possibly around a geom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Leg {
    pub sites: [usize; 2],
    /// The bodies of the two sites.
    pub link: Link,
    pub around: Option<Around>,
    /// The leg's length counts divided by this.
    pub divisor: f64,
    /// Whether the path ends here, or is interrupted by a pulley.
    pub last: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Around {
    pub geom: usize,
    pub shape: Shape,
    pub side: Option<usize>,
    /// The bodies of the first site and the geom, of the geom and the second site.
    pub links: [Link; 2],
}

/// Two bodies with a straight piece of string between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Link {
    pub bodies: [u32; 2],
    /// The tops of their trees.
    pub roots: [u32; 2],
    /// Where, among the terms of the [pattern](super::Pattern), those of dofs begin that move both
    /// bodies, the first alone, the second alone, and where they end. Dofs that move both carry
    /// the string along without changing its length: they count where zeros are kept.
    pub terms: [u32; 4],
}

impl Link {
    fn new(structure: &Structure, bodies: [usize; 2]) -> Link {
        Link {
            bodies: bodies.map(|body| body as u32),
            roots: bodies.map(|body| structure.bodies[body].root),
            terms: [0; 4],
        }
    }

    /// The dofs that move both bodies, the first alone, the second alone; none if string between
    /// points of one body.
    pub fn dofs<'a>(&self, structure: &'a Structure) -> [&'a [u32]; 3] {
        let [first, second] = self.bodies;
        if first == second {
            [&[]; 3]
        } else {
            structure.branches([first as usize, second as usize])
        }
    }
}

/// The pieces of one tendon's path. A path that refers to objects that do not exist ends there.
struct Pieces<'a> {
    m: &'a Model,
    structure: &'a Structure,
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

/// Entry and joint of each term of a fixed tendon.
pub(crate) fn joints(m: &Model, tendon: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    entries(m, tendon).filter_map(|w| Some((w, index(m.wrap_objid[w], m.njnt)?)))
}

/// The path of a spatial tendon.
pub(crate) fn pieces<'a>(
    m: &'a Model,
    structure: &'a Structure,
    tendon: usize,
) -> impl Iterator<Item = Piece> + 'a {
    let range = entries(m, tendon);
    Pieces {
        m,
        structure,
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

    fn around(&self, i: usize, shape: Shape, ends: [usize; 2]) -> Option<Around> {
        let geom = index(self.objects[i], self.m.ngeom)?;
        let body = index(self.m.geom_bodyid[geom], self.m.nbody)?;
        // Rounded to the nearest: less than −1/2 is none.
        let side = self.parameters[i] + 0.5;
        let side = (side > 0.0 && side < self.m.nsite as f64).then_some(side as usize);
        let links = [[ends[0], body], [body, ends[1]]].map(|b| Link::new(self.structure, b));
        Some(Around { geom, shape, side, links })
    }

    fn leg(&mut self) -> Option<Leg> {
        let start = self.at;
        let (end, shape) = match self.kind(start + 1)? {
            WrapType::Sphere => (start + 2, Some(Shape::Sphere)),
            WrapType::Cylinder => (start + 2, Some(Shape::Cylinder)),
            _ => (start + 1, None),
        };
        let sites = [self.site(start)?, self.site(end)?];
        let body = |site: usize| index(self.m.site_bodyid[site], self.m.nbody);
        let bodies = [body(sites[0])?, body(sites[1])?];
        let around = match shape {
            Some(shape) => Some(self.around(start + 1, shape, bodies)?),
            None => None,
        };
        self.at = end;
        let last = end + 1 == self.kinds.len() || self.kind(end + 1) == Some(WrapType::Pulley);
        let link = Link::new(self.structure, bodies);
        Some(Leg { sites, link, around, divisor: self.divisor, last })
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
