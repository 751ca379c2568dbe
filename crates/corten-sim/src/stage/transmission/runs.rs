//! Actuators by the kind of their transmission.

use corten_math::memory::Gather;
use std::ops::Range;

use corten_model::ModelArrays;
use corten_model::enums::{JointType, Transmission};

use crate::chain::index;
use crate::prepared::structure::{Joint, Structure};

/// How rows of the moment matrix are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// On a hinge or a slide.
    ScalarJoint,
    Tendon,
    SliderCrank,
    /// One by one.
    Other,
}

/// Consecutive actuators of one kind.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    pub kind: Kind,
    pub actuators: Range<usize>,
}

/// A hinge or slide: the address of its position, and its degree of freedom.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ScalarJoint {
    pub qpos: u32,
    pub dof: u32,
}

/// All actuators of a model, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Runs {
    runs: Vec<Run>,
    /// The joint of each actuator; without meaning for those of other kinds.
    joints: Vec<ScalarJoint>,
}

impl Runs {
    pub fn new(m: &ModelArrays, s: &Structure) -> Runs {
        let joints: Vec<Option<ScalarJoint>> = (0..m.nu).map(|i| scalar_joint(m, s, i)).gather();
        let mut runs: Vec<Run> = Vec::new();
        for (i, joint) in joints.iter().enumerate() {
            let kind = if joint.is_some() { Kind::ScalarJoint } else { kind(m, i) };
            match runs.last_mut() {
                Some(run) if run.kind == kind => run.actuators.end = i + 1,
                _ => runs.push(Run { kind, actuators: i..i + 1 }),
            }
        }
        Runs { runs, joints: joints.into_iter().map(Option::unwrap_or_default).collect() }
    }

    /// How many runs there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// Whether all of them are on hinges and slides.
    pub fn are_on_scalar_joints(&self) -> bool {
        self.runs.iter().all(|run| run.kind == Kind::ScalarJoint)
    }

    #[inline]
    pub(super) fn get(&self, run: usize) -> Run {
        self.runs[run].clone()
    }

    /// The joints of some actuators of a run.
    #[inline]
    pub fn joints(&self, actuators: Range<usize>) -> &[ScalarJoint] {
        &self.joints[actuators]
    }
}

fn scalar_joint(m: &ModelArrays, s: &Structure, actuator: usize) -> Option<ScalarJoint> {
    const KINDS: [i32; 2] = [Transmission::Joint.raw(), Transmission::JointInParent.raw()];
    let target = index(m.actuator_trnid[actuator][0], s.joints.len())?;
    let &Joint { kind, qpos, dof, .. } = &s.joints[target];
    let scalar = matches!(kind, JointType::Hinge | JointType::Slide);
    (scalar && KINDS.contains(&m.actuator_trntype[actuator])).then_some(ScalarJoint { qpos, dof })
}

/// The kind of an actuator that is not on a hinge or a slide.
fn kind(m: &ModelArrays, actuator: usize) -> Kind {
    match Transmission::from_raw(m.actuator_trntype[actuator]) {
        Some(Transmission::Tendon) if index(m.actuator_trnid[actuator][0], m.ntendon).is_some() => {
            Kind::Tendon
        }
        Some(Transmission::SliderCrank) => Kind::SliderCrank,
        _ => Kind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cover_all_actuators_in_order() {
        let mut m = ModelArrays::default();
        (m.nu, m.njnt, m.nq, m.nv, m.ntendon, m.nsite) = (7, 2, 5, 4, 1, 1);
        m.resize();
        m.jnt_type.copy_from_slice(&[JointType::Hinge.raw(), JointType::Ball.raw()]);
        (m.jnt_qposadr[1], m.jnt_dofadr[1]) = (1, 1);
        use Transmission::{Joint, Site, SliderCrank, Tendon};
        for (i, (kind, target)) in [
            (Joint, 0),
            (Joint, 1),
            (Joint, 0),
            (Tendon, 0),
            (Tendon, 3),
            (SliderCrank, 0),
            (Site, 0),
        ]
        .into_iter()
        .enumerate()
        {
            (m.actuator_trntype[i], m.actuator_trnid[i]) = (kind.raw(), [target, 0]);
        }
        let runs = Runs::new(&m, &Structure::new(&m));
        let found: Vec<_> = runs.runs.iter().map(|run| (run.kind, run.actuators.clone())).collect();
        let expected = [
            (Kind::ScalarJoint, 0..1),
            (Kind::Other, 1..2),
            (Kind::ScalarJoint, 2..3),
            (Kind::Tendon, 3..4),
            (Kind::Other, 4..5),
            (Kind::SliderCrank, 5..6),
            (Kind::Other, 6..7),
        ];
        assert_eq!(found, expected);
    }
}
