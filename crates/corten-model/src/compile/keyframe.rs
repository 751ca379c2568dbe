//! Keyframes: what is not given takes its reference value.

use super::context::Context;
use super::pose::unit;
use crate::Model;
use crate::enums::JointType;
use crate::spec::Keyframe;

pub(super) fn write(cx: &mut Context, m: &mut Model) {
    let spec = cx.spec;
    let mut keys: Vec<Option<&Keyframe>> = spec.keys.values().map(Some).collect();
    let requested = usize::try_from(spec.sizes.nkey).unwrap_or(0);
    if keys.len() < requested {
        keys.resize(requested, None);
    }
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
    let empty = Keyframe::default();
    for (i, key) in keys.iter().enumerate() {
        let k = key.unwrap_or(&empty);
        m.key_time[i] = k.time;
        let mut row = |name: &str, given: &[f64], default: &[f64], out: &mut [f64]| {
            let n = default.len();
            let target = &mut out[i * n..][..n];
            if given.is_empty() {
                target.copy_from_slice(default);
            } else if given.len() == n {
                target.copy_from_slice(given);
            } else {
                let message = format!("'{name}' has {} values, expected {n}", given.len());
                cx.error("key", k, message);
            }
        };
        row("qpos", &k.qpos, &m.qpos0, &mut m.key_qpos);
        row("qvel", &k.qvel, &vec![0.0; m.nv], &mut m.key_qvel);
        row("act", &k.act, &vec![0.0; m.na], &mut m.key_act);
        row("mpos", &k.mpos, &mpos, &mut m.key_mpos);
        row("mquat", &k.mquat, &mquat, &mut m.key_mquat);
        row("ctrl", &k.ctrl, &vec![0.0; m.nu], &mut m.key_ctrl);

        let normalize = |q: &mut [f64]| {
            let (unit, norm) = unit([q[0], q[1], q[2], q[3]]);
            q.copy_from_slice(if norm == 0.0 { &[1.0, 0.0, 0.0, 0.0] } else { &unit });
        };
        for j in 0..m.njnt {
            let offset = match JointType::from_raw(m.jnt_type[j]) {
                Some(JointType::Free) => 3,
                Some(JointType::Ball) => 0,
                _ => continue,
            };
            let at = i * m.nq + m.jnt_qposadr[j] as usize + offset;
            normalize(&mut m.key_qpos[at..at + 4]);
        }
        for mocap in 0..m.nmocap {
            let at = 4 * (i * m.nmocap + mocap);
            normalize(&mut m.key_mquat[at..at + 4]);
        }
    }
}
