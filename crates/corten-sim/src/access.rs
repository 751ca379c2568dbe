//! The engine as methods, and results by the objects they belong to.
//!
//! An object is found by name once (`model.body("torso")?`), and its id then reads and writes the
//! arrays without further lookup. Methods carry the names of the arrays that they index.
//!
//! # Panics
//!
//! An id of another model may be out of the arrays' range, which panics as any index does.

use corten_math::{Mat3, Quat, Spatial, Vec3};
use corten_model::Spec;
use corten_model::enums::Stage;
use corten_model::ids::{
    ActuatorId, BodyId, CameraId, EqualityId, GeomId, JointId, KeyId, SensorId, SiteId, TendonId,
};

use crate::sleep::SleepError;
use crate::step::{forward, forward_skip, step};
use crate::{Contact, Data, Model, StepError, compile_spec, integrate, inverse};

impl Model {
    /// A model with nothing but the world.
    pub fn empty() -> Model {
        match compile_spec(&Spec::new(), &Default::default()) {
            Ok(model) => model,
            Err(errors) => unreachable!("an empty spec is valid: {errors}"),
        }
    }

    /// A simulation of the model, in the reference pose.
    pub fn make_data(&self) -> Data {
        Data::new(self)
    }

    /// [`make_data`](Self::make_data), unless a tree that is to start asleep cannot. Loading a model
    /// has checked that; policies may have been written to since.
    pub fn try_make_data(&self) -> Result<Data, SleepError> {
        let mut data = Data::new(self);
        match data.sleep_error.take() {
            Some(error) => Err(error),
            None => Ok(data),
        }
    }
}

impl Data {
    /// Advances the simulation by one time step; see [`step`](fn@crate::step).
    ///
    /// ```
    /// let model = corten_sim::Model::empty();
    /// let mut data = model.make_data();
    /// data.step(&model)?;
    /// data.forward_skip_sensors(&model)?;
    /// data.integrate(&model)?;
    /// assert_eq!(data.time, 2.0 * model.opt.timestep);
    /// data.reset(&model)?;
    /// assert_eq!(data.time, 0.0);
    /// assert!(!data.reset_to_keyframe(&model, 0)?, "there is none");
    /// # Ok::<(), corten_sim::StepError>(())
    /// ```
    pub fn step(&mut self, m: &Model) -> Result<(), StepError> {
        step(m, self)
    }

    /// Everything that follows from the state and the controls, without advancing time.
    pub fn forward(&mut self, m: &Model) -> Result<(), StepError> {
        forward(m, self)
    }

    /// [`forward`](Self::forward) without reading sensors.
    pub fn forward_skip_sensors(&mut self, m: &Model) -> Result<(), StepError> {
        forward_skip(m, self, Stage::None, false)
    }

    /// Advances time, positions and velocities by the accelerations of the last forward pass.
    pub fn integrate(&mut self, m: &Model) -> Result<(), StepError> {
        self.bind(m)?;
        integrate::advance(m, self);
        Ok(())
    }

    /// [`integrate`](Self::integrate) for velocities that the caller has already advanced: activations
    /// advance by their rates, positions by `qvel` as it is, and time.
    pub fn integrate_without_velocity(&mut self, m: &Model) -> Result<(), StepError> {
        self.bind(m)?;
        integrate::advance_without_velocity(m, self);
        Ok(())
    }

    /// The forces that would cause the accelerations in `qacc`, as `qfrc_inverse`.
    pub fn inverse(&mut self, m: &Model) -> Result<(), StepError> {
        inverse::inverse(m, self)
    }

    /// Resets, then loads a keyframe.
    pub fn reset_to(&mut self, m: &Model, key: KeyId) -> Result<(), StepError> {
        self.reset_to_keyframe(m, key.index()).map(drop)
    }

    /// The contacts of the last collision detection.
    pub fn contacts(&self) -> &[Contact] {
        &self.contact[..self.ncon]
    }

    /// A joint's position: an angle, a distance, a quaternion, or seven numbers of a free joint.
    pub fn qpos_of(&self, joint: JointId) -> &[f64] {
        &self.qpos[joint.qpos()]
    }

    /// See [`qpos_of`](Self::qpos_of).
    pub fn qpos_of_mut(&mut self, joint: JointId) -> &mut [f64] {
        &mut self.qpos[joint.qpos()]
    }

    /// A joint's velocity, a number per degree of freedom.
    pub fn qvel_of(&self, joint: JointId) -> &[f64] {
        &self.qvel[joint.qvel()]
    }

    /// See [`qvel_of`](Self::qvel_of).
    pub fn qvel_of_mut(&mut self, joint: JointId) -> &mut [f64] {
        &mut self.qvel[joint.qvel()]
    }

    /// A joint's acceleration, a number per degree of freedom.
    pub fn qacc_of(&self, joint: JointId) -> &[f64] {
        &self.qacc[joint.qvel()]
    }

    /// Force or torque that the user applies to a joint, a number per degree of freedom.
    pub fn qfrc_applied_of(&mut self, joint: JointId) -> &mut [f64] {
        &mut self.qfrc_applied[joint.qvel()]
    }

    /// Torque and force that the user applies to a body, at its centre of mass, in world axes.
    pub fn xfrc_applied_mut(&mut self, body: BodyId) -> &mut Spatial {
        &mut self.xfrc_applied[body.index()]
    }

    /// What a sensor reads.
    pub fn sensor(&self, sensor: SensorId) -> &[f64] {
        &self.sensordata[sensor.data()]
    }

    /// Sets the control of an actuator.
    pub fn set_ctrl(&mut self, actuator: ActuatorId, value: f64) {
        self.ctrl[actuator.index()] = value;
    }

    /// Switches an equality constraint on or off.
    pub fn set_eq_active(&mut self, equality: EqualityId, active: bool) {
        self.eq_active[equality.index()] = active.into();
    }
}

/// Declares methods that read one row of an array.
macro_rules! rows {
    ($($(#[$meta:meta])* $field:ident($object:ident: $Id:ident) -> $Value:ty;)*) => {
        impl Data {
            $(
                $(#[$meta])*
                pub fn $field(&self, $object: $Id) -> $Value {
                    self.$field[$object.index()]
                }
            )*
        }
    };
}

rows! {
    /// Position of a body's frame in the world.
    xpos(body: BodyId) -> Vec3;
    /// Orientation of a body's frame in the world.
    xquat(body: BodyId) -> Quat;
    /// Orientation of a body's frame in the world, as a matrix.
    xmat(body: BodyId) -> Mat3;
    /// Position of a body's centre of mass in the world.
    xipos(body: BodyId) -> Vec3;
    /// Centre of mass of a body and all that hangs on it.
    subtree_com(body: BodyId) -> Vec3;
    /// Where a joint is anchored in the world.
    xanchor(joint: JointId) -> Vec3;
    /// Axis of a joint in the world.
    xaxis(joint: JointId) -> Vec3;
    /// Position of a geom in the world.
    geom_xpos(geom: GeomId) -> Vec3;
    /// Orientation of a geom in the world.
    geom_xmat(geom: GeomId) -> Mat3;
    /// Position of a site in the world.
    site_xpos(site: SiteId) -> Vec3;
    /// Orientation of a site in the world.
    site_xmat(site: SiteId) -> Mat3;
    /// Position of a camera in the world.
    cam_xpos(camera: CameraId) -> Vec3;
    /// Orientation of a camera in the world.
    cam_xmat(camera: CameraId) -> Mat3;
    /// Length of a tendon.
    ten_length(tendon: TendonId) -> f64;
    /// Velocity of a tendon's length.
    ten_velocity(tendon: TendonId) -> f64;
    /// Control of an actuator.
    ctrl(actuator: ActuatorId) -> f64;
    /// Force of an actuator.
    actuator_force(actuator: ActuatorId) -> f64;
    /// Length of an actuator.
    actuator_length(actuator: ActuatorId) -> f64;
    /// Velocity of an actuator's length.
    actuator_velocity(actuator: ActuatorId) -> f64;
}
