//! What is attached to bodies, ready to be placed.

use corten_model::Model;
use corten_model::enums::SameFrame;

/// Four of a kind, and their bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FourAttached {
    pub at: [u32; 4],
    pub bodies: [u32; 4],
}

/// Inertial frames, geoms and sites.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Attached {
    /// Those that neither coincide with a frame of their body nor are aligned with one.
    pub fours: [Vec<FourAttached>; 3],
    /// All others, each with its body.
    pub rest: [Vec<[u32; 2]>; 3],
    /// What the model says about each frame, and about the bodies of sites.
    same: [Vec<u8>; 3],
    site_bodies: Vec<i32>,
}

impl Attached {
    /// Given all attachments of each kind with their bodies, in ascending order.
    pub fn new(m: &Model, kinds: [Vec<[u32; 2]>; 3]) -> Attached {
        let same = flags(m);
        let mut sorted = Attached {
            same: same.map(<[u8]>::to_vec),
            site_bodies: m.site_bodyid.clone(),
            ..Attached::default()
        };
        for (kind, attached) in kinds.into_iter().enumerate() {
            let is_turned = |&[k, _]: &[u32; 2]| {
                let flag = SameFrame::from_raw(same[kind][k as usize].into());
                matches!(flag, None | Some(SameFrame::None))
            };
            let (turned, aligned): (Vec<_>, Vec<_>) = attached.into_iter().partition(is_turned);
            let (fours, left) = turned.as_chunks::<4>();
            sorted.fours[kind] = fours.iter().map(FourAttached::new).collect();
            sorted.rest[kind] = [&aligned, left].concat();
        }
        sorted
    }

    /// Whether the model still says what it said.
    #[inline]
    pub fn fit(&self, m: &Model) -> bool {
        self.same.iter().zip(flags(m)).all(|(old, new)| old == new)
            && self.site_bodies == m.site_bodyid
    }
}

impl FourAttached {
    fn new(four: &[[u32; 2]; 4]) -> FourAttached {
        FourAttached { at: four.map(|[k, _]| k), bodies: four.map(|[_, body]| body) }
    }
}

fn flags(m: &Model) -> [&[u8]; 3] {
    [&m.body_sameframe, &m.geom_sameframe, &m.site_sameframe]
}
