//! Keyframes of a model that is edited: which value belongs to which element.
//!
//! A keyframe as written is a vector per part of the state. When elements are copied or deleted,
//! its values are dealt out to the elements, and put together again when the model is compiled or
//! written. Answers to `StoreKeyframes`, `ExpandKeyframe` and `RestoreState` in `user_model.cc`.

use std::collections::HashMap;

use corten_math::{Quat, Vec3};

use super::references::Namespace;
use super::{
    Actuator, AttachError, AttachedKeyframe, Body, Joint, Key, Keyframe, Orientation, Spec,
};
use crate::compile::orientation::quaternion;
use crate::enums::{Dynamics, JointType};

impl Spec {
    /// Adds a variant of each keyframe whose values are known by element, so that they stay
    /// with the elements when these are copied. They must fit the model as it is now.
    pub(super) fn deal_keys(&mut self, names: Namespace<'_>) -> Result<(), AttachError> {
        if self.keys.is_empty() {
            return Ok(());
        }
        let layout = StateLayout::of(self);
        let variant = |key: &Keyframe| {
            let attached = layout.split(key)?;
            Ok(AttachedKeyframe { name: names.apply(&key.name), ..attached })
        };
        let variants: Result<Vec<_>, AttachError> = self.keys.values().map(variant).collect();
        self.attached_keys.extend(variants?);
        Ok(())
    }

    /// Completes keyframes that elements have been added to: with the values that the author
    /// wrote for them, as MuJoCo does.
    pub(super) fn expand_keys(&mut self) {
        if self.keys.is_empty() {
            return;
        }
        let full = self.complete_keys();
        self.keys.values_mut().zip(full).for_each(|(key, full)| *key = full);
    }

    /// The keyframes of this model as full vectors.
    fn complete_keys(&self) -> Vec<Keyframe> {
        let layout = StateLayout::of(self);
        let qpos: Vec<f64> =
            layout.joints.iter().flat_map(|j| self.written_reference(j.0)).collect();
        let bodies = || layout.mocap.iter().filter_map(|&body| self.bodies.get(body));
        let mpos: Vec<f64> = bodies().flat_map(|body| body.pos.0).collect();
        let mquat: Vec<f64> = bodies().flat_map(|body| body.quat.0).collect();
        let nv = layout.joints.iter().map(|j| j.2).sum();
        let na = layout.actuators.iter().map(|a| a.1).sum();
        let full = |key: &Keyframe| {
            let complete = |values: &[f64], full: &[f64]| {
                let missing = full.get(values.len()..).filter(|_| !values.is_empty());
                [values, missing.unwrap_or_default()].concat()
            };
            Keyframe {
                qpos: complete(&key.qpos, &qpos),
                qvel: complete(&key.qvel, &vec![0.0; nv]),
                act: complete(&key.act, &vec![0.0; na]),
                ctrl: complete(&key.ctrl, &vec![0.0; layout.actuators.len()]),
                mpos: complete(&key.mpos, &mpos),
                mquat: complete(&key.mquat, &mquat),
                ..key.clone()
            }
        };
        self.keys.values().map(full).collect()
    }

    /// All keyframes as full vectors, in the order in which they are compiled.
    pub(crate) fn all_keys(&self) -> Vec<Keyframe> {
        let mut keys = if self.keys.is_empty() { Vec::new() } else { self.complete_keys() };
        if !self.attached_keys.is_empty() {
            keys.extend(self.complete_attached_keys());
        }
        keys
    }

    /// As in MuJoCo, the removal of a body makes actuators forget the values that keyframes dealt
    /// out to them before.
    pub(super) fn forget_activations(&mut self) {
        for key in &mut self.attached_keys {
            key.act.iter_mut().for_each(Vec::clear);
            key.ctrl.iter_mut().for_each(Vec::clear);
        }
    }

    /// Lets keyframes whose values are known by element be keyframes like any other, and completes
    /// those that elements were added to, as compiling does in MuJoCo. For after it succeeded.
    pub fn settle_keys(&mut self) {
        for key in self.complete_attached_keys() {
            self.keys.insert(key);
        }
        self.attached_keys.clear();
        self.expand_keys();
        self.compiled_joints = self.joints.capacity();
    }

    /// The keyframes of attached models as full vectors. Positions that they do not give are
    /// those of the reference configuration.
    fn complete_attached_keys(&self) -> Vec<Keyframe> {
        let layout = StateLayout::of(self);
        self.attached_keys.iter().map(|key| layout.join(self, key)).collect()
    }

    /// Position of a joint in the reference configuration.
    fn reference(&self, key: Key<Joint>) -> Vec<f64> {
        let Some(joint) = self.joints.get(key) else { return Vec::new() };
        match joint.type_ {
            JointType::Slide => vec![joint.ref_],
            JointType::Hinge if self.compiler_of(joint).degree => vec![joint.ref_.to_radians()],
            JointType::Hinge => vec![joint.ref_],
            JointType::Ball => vec![1.0, 0.0, 0.0, 0.0],
            JointType::Free => {
                let (pos, quat) = joint.body.map_or_else(Default::default, |b| self.pose(b));
                [&pos.0[..], &quat.0[..]].concat()
            }
        }
    }

    /// Position of a joint in the reference configuration, in the author's words: angles in the
    /// author's unit, poses without frames. As in MuJoCo, which learns the type of a joint when it
    /// compiles, a joint that was never compiled stands at the values of the type of its default
    /// class, the rest zero.
    pub(crate) fn written_reference(&self, key: Key<Joint>) -> Vec<f64> {
        let Some(joint) = self.joints.get(key) else { return Vec::new() };
        let known = key.index() < self.compiled_joints;
        let type_ = if known { joint.type_ } else { self.class(joint.class).joint.type_ };
        let values = match type_ {
            JointType::Slide | JointType::Hinge => vec![joint.ref_],
            JointType::Ball => vec![1.0, 0.0, 0.0, 0.0],
            JointType::Free => {
                let body = joint.body.and_then(|body| self.bodies.get(body));
                let (pos, quat) = body.map_or_else(Default::default, |b| (b.pos, b.quat));
                [&pos.0[..], &quat.0[..]].concat()
            }
        };
        let mut whole = vec![0.0; widths(joint.type_).0];
        whole.iter_mut().zip(values).for_each(|(to, from)| *to = from);
        whole
    }

    /// Pose of a body in its parent, frames included.
    fn pose(&self, key: Key<Body>) -> (Vec3, Quat) {
        let Some(body) = self.bodies.get(key) else { return Default::default() };
        let turn = |quat, alt: &Orientation, compiler| quaternion(quat, alt, compiler);
        let mut pos = body.pos;
        let mut quat = turn(body.quat, &body.alt, self.compiler_of(body)).unwrap_or_default();
        let mut outer = body.frame;
        // Bounded, in case a program made frames contain each other.
        for _ in 0..self.frames.capacity() {
            let Some(frame) = outer.and_then(|key| self.frames.get(key)) else { break };
            let compiler = self.compiler_of(frame);
            let around = turn(frame.quat, &frame.alt, compiler).unwrap_or_default();
            pos = frame.pos + around.rotate(pos);
            quat = around * quat;
            outer = frame.frame;
        }
        (pos, quat.normalized())
    }
}

/// Which part of the state belongs to which element: joints and mocap bodies in the order of
/// the tree, actuators in their own.
pub(super) struct StateLayout {
    joints: Vec<(Key<Joint>, usize, usize)>,
    actuators: Vec<(Key<Actuator>, usize)>,
    mocap: Vec<Key<Body>>,
}

impl StateLayout {
    pub(super) fn of(spec: &Spec) -> StateLayout {
        let mut layout =
            StateLayout { joints: Vec::new(), actuators: Vec::new(), mocap: Vec::new() };
        let mut pending = vec![Spec::WORLD];
        while let Some(key) = pending.pop() {
            let Some(body) = spec.bodies.get(key) else { continue };
            if body.mocap {
                layout.mocap.push(key);
            }
            for &joint in &body.joints {
                let Some(type_) = spec.joints.get(joint).map(|joint| joint.type_) else { continue };
                let (nq, nv) = widths(type_);
                layout.joints.push((joint, nq, nv));
            }
            pending.extend(body.bodies.iter().rev());
        }
        for (key, actuator) in spec.actuators.iter() {
            let stateful = usize::from(actuator.dyntype != Dynamics::None);
            let dim = usize::try_from(actuator.actdim).ok().filter(|&n| n > 0);
            layout.actuators.push((key, dim.unwrap_or(stateful)));
        }
        layout
    }

    /// A keyframe from its values by element. Velocities, activations and controls that are
    /// missing are zero.
    pub(super) fn join(&self, spec: &Spec, key: &AttachedKeyframe) -> Keyframe {
        fn collect<T>(
            order: impl Iterator<Item = (Key<T>, usize)>,
            values: &Shares<T>,
            missing: impl Fn(Key<T>) -> Vec<f64>,
        ) -> Vec<f64> {
            let Some(values) = values else { return Vec::new() };
            let values: HashMap<Key<T>, &Vec<f64>> = values.iter().map(|(k, v)| (*k, v)).collect();
            let mut out = Vec::new();
            for (key, _) in order {
                match values.get(&key) {
                    Some(share) => out.extend_from_slice(share),
                    None => out.extend_from_slice(&missing(key)),
                }
            }
            out
        }
        fn lists<T, const N: usize>(values: &Option<Vec<(Key<T>, [f64; N])>>) -> Shares<T> {
            Some(values.as_ref()?.iter().map(|(key, v)| (*key, v.to_vec())).collect())
        }
        let controls: Shares<Actuator> =
            key.ctrl.as_ref().map(|list| list.iter().map(|(k, v)| (*k, vec![*v])).collect());
        let sizes: HashMap<Key<Joint>, usize> = self.joints.iter().map(|j| (j.0, j.2)).collect();
        let states: HashMap<Key<Actuator>, usize> = self.actuators.iter().copied().collect();
        let mocap = |n: usize| self.mocap.iter().map(move |&body| (body, n));
        Keyframe {
            name: key.name.clone(),
            source: key.source,
            time: key.time,
            qpos: collect(self.joints.iter().map(|j| (j.0, j.1)), &key.qpos, |j| spec.reference(j)),
            qvel: collect(self.joints.iter().map(|j| (j.0, j.2)), &key.qvel, |j| {
                vec![0.0; sizes[&j]]
            }),
            act: collect(self.actuators.iter().copied(), &key.act, |a| vec![0.0; states[&a]]),
            ctrl: collect(self.actuators.iter().map(|a| (a.0, 1)), &controls, |_| vec![0.0]),
            mpos: collect(mocap(3), &lists(&key.mpos), |b| spec.pose(b).0.0.to_vec()),
            mquat: collect(mocap(4), &lists(&key.mquat), |b| spec.pose(b).1.0.to_vec()),
            ..Default::default()
        }
    }

    /// The values of a keyframe by element.
    pub(super) fn split(&self, key: &Keyframe) -> Result<AttachedKeyframe, AttachError> {
        let joints = |size: fn(&(Key<Joint>, usize, usize)) -> usize| {
            self.joints.iter().map(move |joint| (joint.0, size(joint))).collect::<Vec<_>>()
        };
        let mocap = |n: usize| self.mocap.iter().map(|&body| (body, n)).collect::<Vec<_>>();
        let controls: Vec<_> = self.actuators.iter().map(|&(actuator, _)| (actuator, 1)).collect();
        let deal = |field, values: &[f64]| Dealt { key: &key.name, field, values: values.to_vec() };
        let ctrl = deal("ctrl", &key.ctrl).by(&controls)?;
        let mpos = deal("mpos", &key.mpos).by(&mocap(3))?;
        let mquat = deal("mquat", &key.mquat).by(&mocap(4))?;
        Ok(AttachedKeyframe {
            source: key.source,
            time: key.time,
            qpos: deal("qpos", &key.qpos).by(&joints(|j| j.1))?,
            qvel: deal("qvel", &key.qvel).by(&joints(|j| j.2))?,
            act: deal("act", &key.act).by(&self.actuators)?,
            ctrl: ctrl.map(|list| list.into_iter().map(|(k, v)| (k, v[0])).collect()),
            mpos: mpos.map(|list| list.into_iter().map(|(k, v)| (k, [v[0], v[1], v[2]])).collect()),
            mquat: mquat
                .map(|list| list.into_iter().map(|(k, v)| (k, [v[0], v[1], v[2], v[3]])).collect()),
            ..Default::default()
        })
    }
}

/// Numbers of positions and of velocities of a joint.
fn widths(type_: JointType) -> (usize, usize) {
    match type_ {
        JointType::Free => (7, 6),
        JointType::Ball => (4, 3),
        JointType::Slide | JointType::Hinge => (1, 1),
    }
}

/// A vector of a keyframe, to be dealt out to elements.
struct Dealt<'a> {
    key: &'a str,
    field: &'static str,
    values: Vec<f64>,
}

/// The share of each element; `None` if there are no values at all.
type Shares<T> = Option<Vec<(Key<T>, Vec<f64>)>>;

impl Dealt<'_> {
    fn by<T>(self, sizes: &[(Key<T>, usize)]) -> Result<Shares<T>, AttachError> {
        if self.values.is_empty() {
            return Ok(None);
        }
        let expected: usize = sizes.iter().map(|(_, size)| size).sum();
        if self.values.len() != expected {
            return Err(AttachError::KeyframeSize {
                key: self.key.to_owned(),
                field: self.field,
                found: self.values.len(),
                expected,
            });
        }
        let mut rest = self.values.as_slice();
        let mut shares = Vec::with_capacity(sizes.len());
        for &(key, size) in sizes {
            let (share, tail) = rest.split_at(size);
            rest = tail;
            if size > 0 {
                shares.push((key, share.to_vec()));
            }
        }
        Ok(Some(shares))
    }
}
