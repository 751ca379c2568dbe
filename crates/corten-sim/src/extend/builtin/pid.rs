//! `mujoco.pid`: a servo with proportional, integral and derivative terms.
//!
//! The force is `kp e + ki I + kd ė`, where `e` is the error of the actuator's length. The control
//! is the target, or the activation of built-in dynamics, whose rate is then part of `ė`. The
//! integral `I` and the last target, which limits the next by `slewmax`, are activations before that
//! of the dynamics, present if they are used. Their rates are such that they hold the right values
//! after an explicit step.

use corten_model::enums::Dynamics;
use corten_model::plugin::ConfigError;

use super::{PluginInstance, Setting};
use crate::extend::Outcome;
use crate::stage::actuation::{clip, next_activation};
use crate::{Data, Model};

pub(super) struct Pid {
    kp: f64,
    ki: f64,
    kd: f64,
    /// Largest integral.
    imax: Option<f64>,
    slewmax: Option<f64>,
    actuators: Vec<Servo>,
}

/// An actuator of an instance.
#[derive(Clone, Copy)]
struct Servo {
    id: usize,
    /// Its first activation, and the one that drives it.
    first: usize,
    input: Option<usize>,
}

/// What a servo aims at.
#[derive(Clone, Copy)]
struct Aim {
    target: f64,
    error: f64,
    integral: f64,
}

impl Pid {
    pub fn new(setting: &Setting<'_>) -> Result<Pid, ConfigError> {
        let number = |key| setting.config.number(key);
        let ki = number("ki")?.unwrap_or(0.0);
        let imax = number("imax")?.filter(|_| ki != 0.0).map(|force| force / ki);
        let slewmax = number("slewmax")?;
        if imax.is_some_and(|most| most < 0.0) {
            return Err("'imax' is negative".into());
        }
        if slewmax.is_some_and(|most| most < 0.0) {
            return Err("'slewmax' is negative".into());
        }
        let (kp, kd) = (number("kp")?.unwrap_or(0.0), number("kd")?.unwrap_or(0.0));
        let mut pid = Pid { kp, ki, kd, imax, slewmax, actuators: Vec::new() };
        for id in setting.actuators() {
            pid.actuators.push(pid.servo(setting.model, id)?);
        }
        if pid.actuators.is_empty() {
            return Err("no actuator uses it".into());
        }
        Ok(pid)
    }

    fn servo(&self, m: &Model, id: usize) -> Result<Servo, ConfigError> {
        let own = usize::from(self.ki != 0.0) + usize::from(self.slewmax.is_some());
        let dynamics = Dynamics::from_raw(m.actuator_dyntype[id]);
        let driven = match dynamics {
            Some(Dynamics::Filter | Dynamics::FilterExact | Dynamics::Integrator) => true,
            Some(Dynamics::None) => false,
            _ => {
                return Err(format!(
                    "the 'dyntype' of actuator {id} must be none, integrator, filter or filterexact"
                )
                .into());
            }
        };
        let (found, expected) = (m.actuator_actnum[id], own + usize::from(driven));
        if usize::try_from(found) != Ok(expected) {
            return Err(format!(
                "actuator {id} has {found} activations, {expected} expected: write actdim=\"{expected}\""
            )
            .into());
        }
        let first = m.actuator_actadr[id].max(0) as usize;
        if first + expected > m.na {
            return Err(format!("actuator {id} has activations that do not exist").into());
        }
        Ok(Servo { id, first, input: driven.then(|| first + own) })
    }

    /// Target, error and integral; `early` for the activation at the end of the step.
    fn aim(&self, m: &Model, d: &Data, servo: Servo, early: bool) -> Aim {
        let i = servo.id;
        let mut target = match servo.input {
            None if m.actuator_ctrllimited[i] != 0 => clip(d.ctrl[i], m.actuator_ctrlrange[i]),
            None => d.ctrl[i],
            Some(k) if early => next_activation(m, i, d.act[k], d.act_dot[k]),
            Some(k) => d.act[k],
        };
        let h = m.opt.timestep;
        if let Some(slewmax) = self.slewmax
            && d.time > 0.0
        {
            let last = d.act[servo.first + usize::from(self.ki != 0.0)];
            target = clip(target, [last - slewmax * h, last + slewmax * h]);
        }
        let error = target - d.actuator_length[i];
        let mut integral = 0.0;
        if self.ki != 0.0 {
            integral = d.act[servo.first] + error * h;
            if let Some(most) = self.imax {
                integral = clip(integral, [-most, most]);
            }
        }
        Aim { target, error, integral }
    }
}

impl PluginInstance for Pid {
    fn activation_rates(&self, m: &Model, d: &mut Data) -> Outcome {
        let h = m.opt.timestep;
        for &servo in &self.actuators {
            let aim = self.aim(m, d, servo, false);
            let mut k = servo.first;
            if self.ki != 0.0 {
                d.act_dot[k] = (aim.integral - d.act[k]) / h;
                k += 1;
            }
            if self.slewmax.is_some() {
                d.act_dot[k] = (aim.target - d.act[k]) / h;
            }
        }
        Ok(())
    }

    fn actuator_forces(&self, m: &Model, d: &mut Data) -> Outcome {
        for &servo in &self.actuators {
            let i = servo.id;
            let aim = self.aim(m, d, servo, m.actuator_actearly[i] != 0);
            let target_rate = servo.input.map_or(0.0, |k| d.act_dot[k]);
            let error_rate = target_rate - d.actuator_velocity[i];
            d.actuator_force[i] =
                self.kp * aim.error + self.kd * error_rate + self.ki * aim.integral;
        }
        Ok(())
    }
}
