//! Trajectories from many initial states.

use corten_batch::rollout::{Inputs, Outputs, PHYSICS};
use corten_batch::{Pool, rollout as batch};

use crate::enums::StateBit;
use crate::{Data, Model, state};

/// States and sensors along trajectories.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectories {
    /// Number of trajectories.
    pub count: usize,
    /// Steps of each.
    pub steps: usize,
    /// States after every step, row-major: trajectory, step, `time qpos qvel act ...`.
    pub states: Vec<f64>,
    /// Sensor readings, row-major: trajectory, step, `sensordata`.
    pub sensordata: Vec<f64>,
}

impl Trajectories {
    /// The state of a trajectory after a step: `time qpos qvel act ...`.
    pub fn state(&self, trajectory: usize, step: usize) -> &[f64] {
        let width = self.states.len() / (self.count * self.steps).max(1);
        &self.states[(trajectory * self.steps + step) * width..][..width]
    }

    /// The sensor readings of a trajectory in a step.
    pub fn sensors(&self, trajectory: usize, step: usize) -> &[f64] {
        let width = self.sensordata.len() / (self.count * self.steps).max(1);
        &self.sensordata[(trajectory * self.steps + step) * width..][..width]
    }
}

/// Inputs of a rollout that do not fit the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RolloutError {
    /// The initial states are not a whole number of states; this is the length of one.
    States(usize),
    /// There is not one control vector per trajectory and step; this many numbers are needed.
    Controls(usize),
    /// User code panicked.
    Panicked,
}

impl std::fmt::Display for RolloutError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RolloutError::States(n) => write!(f, "initial states must be rows of {n} numbers"),
            RolloutError::Controls(n) => write!(f, "controls must be {n} numbers"),
            RolloutError::Panicked => f.write_str("user code panicked in a trajectory"),
        }
    }
}

impl std::error::Error for RolloutError {}

/// Follows trajectories of `steps` steps from initial states, on several threads (all if zero).
///
/// An initial state is a row of `time qpos qvel act ...`, as [`state::get`] returns it for
/// [`StateBit::FullPhysics`]. Controls are rows of `ctrl` by trajectory and step; without any, they
/// are zero. The number of threads does not change any bit of the results.
///
/// ```
/// use corten::prelude::*;
///
/// let model = load_model(
///     "<mujoco><worldbody><body><joint/><geom size='.1' pos='1 0 0'/></body></worldbody></mujoco>",
/// )?;
/// // Rows of time, qpos, qvel: two pendulums, at rest and turning.
/// let paths = rollout(&model, &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0], &[], 10, 1)?;
/// assert_eq!((paths.count, paths.state(1, 9).len()), (2, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn rollout(
    model: &Model,
    initial: &[f64],
    controls: &[f64],
    steps: usize,
    threads: usize,
) -> Result<Trajectories, RolloutError> {
    let width = state::size(model, PHYSICS).unwrap_or(1).max(1);
    if !initial.len().is_multiple_of(width) {
        return Err(RolloutError::States(width));
    }
    let count = initial.len() / width;
    let control = match controls.len() {
        0 => None,
        n if n == count * steps * model.nu => Some(controls),
        _ => return Err(RolloutError::Controls(count * steps * model.nu)),
    };
    let pool = Pool::new(threads);
    let mut datas: Vec<Box<Data>> =
        (0..pool.width().min(count)).map(|_| Box::new(Data::new(model))).collect();
    let mut paths = Trajectories {
        count,
        steps,
        states: vec![0.0; count * steps * width],
        sensordata: vec![0.0; count * steps * model.nsensordata],
    };
    let inputs = Inputs {
        steps,
        control_spec: StateBit::Ctrl.raw() as u32,
        initial,
        warmstart: None,
        control,
    };
    let outputs = Outputs { state: &mut paths.states, sensordata: &mut paths.sensordata };
    // Enough pieces for every thread to have several.
    let chunk = (count / (4 * datas.len().max(1))).max(1);
    match batch::rollout(&pool, |_| model, &mut datas, count, chunk, inputs, outputs) {
        true => Ok(paths),
        false => Err(RolloutError::Panicked),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trajectories_are_those_of_single_steps_on_any_number_of_threads() {
        let model = crate::load_model(
            "<mujoco><worldbody><body><joint name='j'/><geom size='.1' pos='1 0 0'/></body></worldbody>\
             <actuator><motor joint='j'/></actuator><sensor><jointpos joint='j'/></sensor></mujoco>",
        )
        .unwrap();
        let initial: Vec<f64> = (0..6).flat_map(|i| [0.0, 0.1 * f64::from(i), 0.0]).collect();
        let controls: Vec<f64> = (0..6 * 20).map(|i| f64::from(i % 7)).collect();
        let paths = rollout(&model, &initial, &controls, 20, 1).unwrap();
        assert_eq!(paths, rollout(&model, &initial, &controls, 20, 2).unwrap());
        for k in 0..6 {
            let mut data = model.make_data();
            data.qpos[0] = initial[3 * k + 1];
            for t in 0..20 {
                data.ctrl[0] = controls[20 * k + t];
                data.step(&model).unwrap();
                assert_eq!(paths.state(k, t), [data.time, data.qpos[0], data.qvel[0]]);
                assert_eq!(paths.sensors(k, t), data.sensordata);
            }
        }
        assert_eq!(rollout(&model, &[0.0; 4], &[], 1, 1), Err(RolloutError::States(3)));
        assert_eq!(rollout(&model, &[0.0; 3], &[0.0], 2, 1), Err(RolloutError::Controls(2)));
    }
}
