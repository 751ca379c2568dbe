//! Keyframes: what is not given takes its reference value.
//!
//! Vectors may be shorter than the state: elements may have been attached since they were
//! written. As in MuJoCo, the missing tail takes the author's values (joint references in the
//! author's unit, poses without frames), before compilation.

use corten_math::memory::{self, Gather};
use std::borrow::Cow;
use std::collections::HashMap;

use super::context::Context;
use super::pose::unit;
use super::tree::Tree;
use crate::ModelArrays;
use crate::enums::JointType;
use crate::spec::{AttachedKeyframe, Keyframe, Spec};

pub(super) fn write(cx: &mut Context, m: &mut ModelArrays, tree: &Tree) {
    let spec = cx.spec;
    let mut keys: Vec<Cow<Keyframe>> = spec.keys.values().map(Cow::Borrowed).collect();
    let requested = usize::try_from(spec.sizes.nkey).unwrap_or(0);
    if keys.len() < requested {
        keys.resize(requested, Cow::Owned(Keyframe::default()));
    }
    if !spec.attached_keys.is_empty() {
        let places = Places::of(spec, m, tree);
        keys.extend(spec.attached_keys.iter().map(|key| Cow::Owned(places.assemble(key, m))));
    }
    let written = Written::of(spec, tree);
    m.nkey = keys.len();
    m.resize();

    let mut mpos = vec![0.0; 3 * m.nmocap];
    let mut mquat = vec![0.0; 4 * m.nmocap];
    for b in 0..m.nbody {
        if let Ok(mocap) = usize::try_from(m.body_mocapid[b]) {
            mpos[3 * mocap..][..3].copy_from_slice(&m.body_pos[b].0);
            mquat[4 * mocap..][..4].copy_from_slice(&m.body_quat[b].0);
        }
    }
    for (i, k) in keys.iter().enumerate() {
        let k: &Keyframe = k;
        m.key_time[i] = k.time;
        let mut row =
            |name: &str, given: &[f64], default: &[f64], tail: &[f64], out: &mut [f64]| {
                let n = default.len();
                let target = &mut out[i * n..][..n];
                if given.is_empty() {
                    target.copy_from_slice(default);
                } else if given.len() <= n {
                    target.copy_from_slice(tail);
                    target[..given.len()].copy_from_slice(given);
                } else {
                    let message = format!("'{name}' has {} values, expected {n}", given.len());
                    cx.error("key", k, message);
                }
            };
        let zeros = |n: usize| memory::zeroed(n);
        row("qpos", &k.qpos, &m.qpos0, &written.qpos, &mut m.key_qpos);
        row("qvel", &k.qvel, &zeros(m.nv), &zeros(m.nv), &mut m.key_qvel);
        row("act", &k.act, &zeros(m.na), &zeros(m.na), &mut m.key_act);
        row("mpos", &k.mpos, &mpos, &written.mpos, &mut m.key_mpos);
        row("mquat", &k.mquat, &mquat, &written.mquat, &mut m.key_mquat);
        row("ctrl", &k.ctrl, &zeros(m.nu), &zeros(m.nu), &mut m.key_ctrl);

        // A zero quaternion is the identity in a position, and stays what it is for a mocap body.
        let normalize = |q: &mut [f64], zero: [f64; 4]| {
            let (unit, norm) = unit([q[0], q[1], q[2], q[3]]);
            q.copy_from_slice(if norm == 0.0 { &zero } else { &unit });
        };
        for j in 0..m.njnt {
            let offset = match JointType::from_raw(m.jnt_type[j]) {
                Some(JointType::Free) => 3,
                Some(JointType::Ball) => 0,
                _ => continue,
            };
            let at = i * m.nq + m.jnt_qposadr[j] as usize + offset;
            normalize(&mut m.key_qpos[at..at + 4], [1.0, 0.0, 0.0, 0.0]);
        }
        for mocap in 0..m.nmocap {
            let at = 4 * (i * m.nmocap + mocap);
            normalize(&mut m.key_mquat[at..at + 4], [0.0; 4]);
        }
    }
}

/// The reference state as the author wrote it.
struct Written {
    qpos: Vec<f64>,
    mpos: Vec<f64>,
    mquat: Vec<f64>,
}

impl Written {
    fn of(spec: &Spec, tree: &Tree) -> Written {
        let qpos = tree.joints.iter().flat_map(|plan| spec.written_reference(plan.key)).gather();
        let (mut mpos, mut mquat) = (Vec::new(), Vec::new());
        for plan in &tree.bodies {
            let body = &spec.bodies[plan.key];
            if body.mocap {
                mpos.extend(body.pos.0);
                mquat.extend(body.quat.0);
            }
        }
        Written { qpos, mpos, mquat }
    }
}

/// Where the values of elements stand in the state.
struct Places {
    /// Addresses of position and velocity, by joint.
    joints: HashMap<usize, (usize, usize)>,
    /// Index and address of activation, by actuator.
    actuators: HashMap<usize, (usize, usize)>,
    /// Mocap index, by body.
    mocap: HashMap<usize, usize>,
}

impl Places {
    fn of(spec: &Spec, m: &ModelArrays, tree: &Tree) -> Places {
        let address = |adr: i32| usize::try_from(adr).unwrap_or(0);
        let joints = tree.joints.iter().enumerate().map(|(j, plan)| {
            (plan.key.index(), (address(m.jnt_qposadr[j]), address(m.jnt_dofadr[j])))
        });
        let actuators = spec
            .actuators
            .keys()
            .enumerate()
            .map(|(i, key)| (key.index(), (i, address(m.actuator_actadr[i]))));
        let mocap = tree.bodies.iter().enumerate().filter_map(|(b, plan)| {
            Some((plan.key.index(), usize::try_from(m.body_mocapid[b]).ok()?))
        });
        Places {
            joints: joints.gather_map(),
            actuators: actuators.gather_map(),
            mocap: mocap.gather_map(),
        }
    }

    /// A full keyframe from values per element.
    fn assemble(&self, key: &AttachedKeyframe, m: &ModelArrays) -> Keyframe {
        let mut full = Keyframe { name: key.name.clone(), time: key.time, ..Default::default() };
        full.source = key.source;
        fn put(target: &mut [f64], at: usize, values: &[f64]) {
            if let Some(slot) = target.get_mut(at..at + values.len()) {
                slot.copy_from_slice(values);
            }
        }
        if let Some(values) = &key.qpos {
            full.qpos = memory::copy_of(&m.qpos0);
            for (joint, share) in values {
                if let Some(&(qpos, _)) = self.joints.get(&joint.index()) {
                    put(&mut full.qpos, qpos, share);
                }
            }
        }
        if let Some(values) = &key.qvel {
            full.qvel = vec![0.0; m.nv];
            for (joint, share) in values {
                if let Some(&(_, dof)) = self.joints.get(&joint.index()) {
                    put(&mut full.qvel, dof, share);
                }
            }
        }
        if let Some(values) = &key.act {
            full.act = vec![0.0; m.na];
            for (actuator, share) in values {
                if let Some(&(_, act)) = self.actuators.get(&actuator.index()) {
                    put(&mut full.act, act, share);
                }
            }
        }
        if let Some(values) = &key.ctrl {
            full.ctrl = vec![0.0; m.nu];
            for (actuator, value) in values {
                if let Some(&(index, _)) = self.actuators.get(&actuator.index()) {
                    put(&mut full.ctrl, index, &[*value]);
                }
            }
        }
        // Mocap bodies without a value keep the compiled pose.
        let poses = |width: usize, of: &dyn Fn(usize, &mut [f64])| {
            let mut out = vec![0.0; width * m.nmocap];
            for b in 0..m.nbody {
                if let Ok(mocap) = usize::try_from(m.body_mocapid[b]) {
                    of(b, &mut out[width * mocap..][..width]);
                }
            }
            out
        };
        if let Some(values) = &key.mpos {
            full.mpos = poses(3, &|b, slot| slot.copy_from_slice(&m.body_pos[b].0));
            for (body, share) in values {
                if let Some(&mocap) = self.mocap.get(&body.index()) {
                    put(&mut full.mpos, 3 * mocap, share);
                }
            }
        }
        if let Some(values) = &key.mquat {
            full.mquat = poses(4, &|b, slot| slot.copy_from_slice(&m.body_quat[b].0));
            for (body, share) in values {
                if let Some(&mocap) = self.mocap.get(&body.index()) {
                    put(&mut full.mquat, 4 * mocap, share);
                }
            }
        }
        full
    }
}
