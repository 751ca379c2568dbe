//! What a scene shows.

use bytemuck::{Pod, Zeroable};

use crate::enums::{Frame, Label, VisFlag};

/// Groups that can be shown and hidden (MuJoCo's `mjNGROUP`).
pub const NGROUP: usize = 6;

/// Switches per group.
pub type Groups = [u8; NGROUP];

/// What becomes part of a scene (MuJoCo's `mjvOption`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct VisOption {
    /// What is labelled: [`Label`].
    pub label: i32,
    /// Whose frames are shown: [`Frame`].
    pub frame: i32,
    /// Geoms by group.
    pub geomgroup: Groups,
    /// Sites by group.
    pub sitegroup: Groups,
    /// Joints by group.
    pub jointgroup: Groups,
    /// Tendons by group.
    pub tendongroup: Groups,
    /// Actuators by group.
    pub actuatorgroup: Groups,
    /// Flexes by group.
    pub flexgroup: Groups,
    /// Skins by group.
    pub skingroup: Groups,
    /// Switches, indexed by [`VisFlag`].
    pub flags: [u8; VisFlag::COUNT],
    #[doc(hidden)]
    pub pad: [u8; 3],
    /// Depth of the bounding volumes that are shown.
    pub bvh_depth: i32,
    /// Layer of the elements of three-dimensional flexes that are shown.
    pub flex_layer: i32,
}

/// MuJoCo's `mjv_defaultOption`.
impl Default for VisOption {
    fn default() -> VisOption {
        let groups = [1, 1, 1, 0, 0, 0];
        let mut flags = [0; VisFlag::COUNT];
        for flag in VisFlag::ALL {
            flags[*flag as usize] = flag.switch().1.into();
        }
        VisOption {
            label: Label::None.raw(),
            frame: Frame::None.raw(),
            geomgroup: groups,
            sitegroup: groups,
            jointgroup: groups,
            tendongroup: groups,
            actuatorgroup: groups,
            flexgroup: groups,
            skingroup: groups,
            flags,
            pad: [0; 3],
            bvh_depth: 1,
            flex_layer: 0,
        }
    }
}

impl VisOption {
    /// Whether a switch is on.
    #[inline]
    pub fn has(&self, flag: VisFlag) -> bool {
        self.flags[flag as usize] != 0
    }

    /// Turns a switch.
    pub fn set(&mut self, flag: VisFlag, on: bool) {
        self.flags[flag as usize] = on.into();
    }

    /// Whether any part of flexes is shown.
    pub fn shows_flexes(&self) -> bool {
        [VisFlag::FlexVert, VisFlag::FlexEdge, VisFlag::FlexFace, VisFlag::FlexSkin]
            .into_iter()
            .any(|flag| self.has(flag))
    }

    /// Whether these labels are shown.
    #[inline]
    pub fn labels(&self, what: Label) -> bool {
        self.label == what.raw()
    }

    /// Whether these frames are shown.
    #[inline]
    pub fn frames(&self, what: Frame) -> bool {
        self.frame == what.raw()
    }
}

/// Whether a group is shown; numbers outside of the range count as the nearest group.
#[inline]
pub fn group_shown(groups: &Groups, group: i32) -> bool {
    groups[group.clamp(0, NGROUP as i32 - 1) as usize] != 0
}
