//! Attachments of bodies that have orientations of their own, four by four.

use corten_model::Model;
use corten_model::enums::SameFrame;

/// Four of a kind, and their bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Attached {
    pub at: [u32; 4],
    pub bodies: [u32; 4],
}

/// Inertial frames, geoms and sites that neither coincide with a frame of their body nor are aligned
/// with one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Turned {
    pub fours: [Vec<Attached>; 3],
    /// Those of each kind before this one are among the fours.
    pub end: [u32; 3],
    /// What the model says about each frame.
    same: [Vec<u8>; 3],
}

impl Turned {
    /// Given the attachments of each kind, all of them or none, with their bodies.
    pub fn new(m: &Model, kinds: [Vec<[u32; 2]>; 3]) -> Turned {
        let same = flags(m);
        let mut turned = Turned { same: same.map(<[u8]>::to_vec), ..Turned::default() };
        for (kind, mut attached) in kinds.into_iter().enumerate() {
            attached.retain(|&[k, _]| is_turned(same[kind][k as usize]));
            attached.sort_unstable();
            let (fours, rest) = attached.as_chunks::<4>();
            turned.fours[kind] = fours.iter().map(Attached::new).collect();
            if !fours.is_empty() {
                turned.end[kind] = rest.first().map_or(u32::MAX, |&[k, _]| k);
            }
        }
        turned
    }

    /// Whether there are some, and the model still says what it said.
    #[inline]
    pub fn fit(&self, m: &Model) -> bool {
        self.fours.iter().any(|fours| !fours.is_empty())
            && self.same.iter().zip(flags(m)).all(|(old, new)| old == new)
            && self.fours[2].iter().all(|sites| sites.are_on_their_bodies(&m.site_bodyid))
    }
}

impl Attached {
    fn new(four: &[[u32; 2]; 4]) -> Attached {
        Attached { at: four.map(|[k, _]| k), bodies: four.map(|[_, body]| body) }
    }

    fn are_on_their_bodies(&self, bodies: &[i32]) -> bool {
        let place = |k: u32| bodies.get(k as usize).map(|&body| body as u32);
        self.at.iter().zip(&self.bodies).all(|(&k, &body)| place(k) == Some(body))
    }
}

/// Whether this flag says that an attachment has an orientation of its own.
#[inline(always)]
pub(crate) fn is_turned(same: u8) -> bool {
    matches!(SameFrame::from_raw(same.into()), None | Some(SameFrame::None))
}

fn flags(m: &Model) -> [&[u8]; 3] {
    [&m.body_sameframe, &m.geom_sameframe, &m.site_sameframe]
}
