//! What is attached to bodies, ready to be placed.

use corten_math::memory::{Gather, Grow};
use corten_model::ModelArrays;
use corten_model::enums::SameFrame;

/// Four of a kind, and their bodies; the last may be repeated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FourAttached {
    pub at: [u32; 4],
    pub bodies: [u32; 4],
}

/// Attachments of one kind, each with its body, by what they have in common with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Placed {
    /// Those with orientations of their own: four at a time, and what may be left.
    pub fours: Vec<FourAttached>,
    pub turned: Vec<[u32; 2]>,
    /// Those that coincide with the frame, or the inertial frame.
    pub on_body: Vec<[u32; 2]>,
    pub on_inertia: Vec<[u32; 2]>,
    /// Those that are aligned with the frame, or the inertial frame.
    pub along_body: Vec<[u32; 2]>,
    pub along_inertia: Vec<[u32; 2]>,
}

/// Inertial frames, geoms and sites.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Attached {
    pub kinds: [Placed; 3],
}

impl Attached {
    /// Given all attachments of each kind with their bodies, in ascending order.
    pub fn new(m: &ModelArrays, [bodies, geoms, sites]: [Vec<[u32; 2]>; 3]) -> Attached {
        Attached {
            kinds: [
                Placed::new(&bodies, &m.body_sameframe),
                Placed::new(&geoms, &m.geom_sameframe),
                Placed::new(&sites, &m.site_sameframe),
            ],
        }
    }
}

impl Placed {
    fn new(attached: &[[u32; 2]], same: &[u8]) -> Placed {
        let mut placed = Placed::default();
        for &[k, body] in attached {
            let list = match SameFrame::from_raw(same[k as usize].into()) {
                Some(SameFrame::Body) => &mut placed.on_body,
                Some(SameFrame::Inertia) => &mut placed.on_inertia,
                Some(SameFrame::BodyRot) => &mut placed.along_body,
                Some(SameFrame::InertiaRot) => &mut placed.along_inertia,
                None | Some(SameFrame::None) => &mut placed.turned,
            };
            list.grow_push([k, body]);
        }
        // Where fewer than four are left, the last is placed several times; a single one by itself.
        let fours = placed.turned.chunks(4).filter(|four| four.len() > 1);
        placed.fours = fours.map(FourAttached::new).gather();
        let single = placed.turned.len() % 4 == 1;
        placed.turned = placed.turned.last().filter(|_| single).copied().into_iter().collect();
        placed
    }
}

impl FourAttached {
    fn new(four: &[[u32; 2]]) -> FourAttached {
        let four: [[u32; 2]; 4] = std::array::from_fn(|k| four[k.min(four.len() - 1)]);
        FourAttached { at: four.map(|[k, _]| k), bodies: four.map(|[_, body]| body) }
    }
}
