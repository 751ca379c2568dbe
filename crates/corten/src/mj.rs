//! Functions under the names that MuJoCo's users look for; each is another one in other words.
//!
//! ```
//! use corten::mj::*;
//! use corten::prelude::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut model = load_model(
//!     "<mujoco><option><flag sleep='enable'/></option><worldbody>
//!        <body><joint/><geom size='.1' pos='1 0 0'/></body>
//!        <body><freejoint/><geom size='.1'/></body>
//!      </worldbody></mujoco>",
//! )?;
//! model.opt.disableflags |= (corten::DISABLE_CONTACT | corten::DISABLE_GRAVITY) as i32;
//! let mut data = model.make_data();
//! data.qvel[0] = 0.5;
//! for _ in 0..20 {
//!     data.step(&model)?;
//! }
//! assert_eq!(mj_sleep_state(&model, &data, 2), corten::enums::SleepState::Asleep);
//! assert!(mj_tree_awake(&data, 0) && !mj_tree_awake(&data, 1));
//! // The world counts as awake.
//! assert_eq!((mj_nbody_awake(&data), mj_nisland(&data)), (2, 0));
//!
//! // A torque about the joint's axis and a force along it, seen from the joint.
//! let mut qfrc = vec![0.0; model.nv];
//! mj_apply_ft(&data, Vec3::new(0.0, 0.0, 7.0), Vec3::new(0.0, 0.0, 3.0), Vec3::ZERO, 1, &mut qfrc);
//! assert!((qfrc[0] - 3.0).abs() < 1e-12);
//!
//! // ∂v⁺/∂v of a hinge without damping.
//! let next = mjd_transition(&model, &mut data, &Default::default())?;
//! assert!((next.a[next.a.len() / 2 + model.nv] - 1.0).abs() < 1e-9);
//! # Ok(())
//! # }
//! ```

use corten_sim::{sleep, support};

use crate::enums::{ObjType, SleepState};
use crate::math::{Mat3, Spatial, Vec3};
use crate::{Data, Model};

pub use corten_sim::derivative::rotation::{
    cross as mjd_cross, quat_integrate as mjd_quat_integrate,
};
pub use corten_sim::derivative::{
    actuators as mjd_actuator_vel, bias_velocity as mjd_rne_vel,
    passive_velocity as mjd_passive_vel, smooth_velocity as mjd_smooth_vel,
    transition as mjd_transition, transition_fd as mjd_transition_fd,
    transition_hybrid as mjd_transition_hybrid,
};
pub use support::apply_force as mj_apply_ft;

/// Whether a body sleeps, is awake, or cannot move.
pub fn mj_sleep_state(m: &Model, d: &Data, body: usize) -> SleepState {
    sleep::state(m, d, ObjType::Body, body)
}

/// Whether a kinematic tree is awake.
pub fn mj_tree_awake(d: &Data, tree: usize) -> bool {
    d.tree_awake.get(tree).is_some_and(|&awake| awake != 0)
}

/// Number of bodies that are awake or static.
pub fn mj_nbody_awake(d: &Data) -> usize {
    d.nbody_awake
}

/// Number of constraint islands.
pub fn mj_nisland(d: &Data) -> usize {
    d.nisland
}

/// Jacobian of a world point that is fixed to a body, `6 × nv` and row-major: rotation, then
/// translation.
pub fn mj_jac_point(d: &Data, body: usize, point: Vec3) -> Vec<f64> {
    let mut jac = vec![0.0; 6 * d.qvel.len()];
    let (rotation, translation) = jac.split_at_mut(3 * d.qvel.len());
    support::jac(d, Some(translation), Some(rotation), point, body);
    jac
}

/// [`mj_jac_point`] of a body's centre of mass.
pub fn mj_jac_body_com(d: &Data, body: usize) -> Vec<f64> {
    mj_jac_point(d, body, d.xipos[body])
}

/// [`mj_jac_point`] of a geom's centre.
pub fn mj_jac_geom(m: &Model, d: &Data, geom: usize) -> Vec<f64> {
    mj_jac_point(d, m.geom_bodyid[geom] as usize, d.geom_xpos[geom])
}

/// Jacobians of a site, `3 × nv` each: translation, and rotation.
pub fn mj_jac_site(m: &Model, d: &Data, site: usize) -> (Vec<f64>, Vec<f64>) {
    let mut rotation = mj_jac_point(d, m.site_bodyid[site] as usize, d.site_xpos[site]);
    let translation = rotation.split_off(rotation.len() / 2);
    (translation, rotation)
}

/// Velocity of a world point that is fixed to a body, in the axes of `rot`: angular, then linear.
/// The world's is zero, and so is that of a body that does not exist.
pub fn object_velocity_local(m: &Model, d: &Data, body: usize, point: Vec3, rot: &Mat3) -> Spatial {
    match m.body_rootid.get(body) {
        Some(&root) if body > 0 => {
            d.cvel[body].motion_at(point, d.subtree_com[root as usize]).in_frame(rot)
        }
        _ => Spatial::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jacobian_maps_joint_velocities_to_the_velocity_of_a_point() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/double_pendulum.xml");
        let model = crate::load_file(file).unwrap();
        let mut data = model.make_data();
        data.qpos.fill(0.3);
        data.qvel.fill(1.5);
        data.forward(&model).unwrap();
        let (body, point) = (model.nbody - 1, Vec3::new(0.1, 0.2, 0.3));
        let jac = mj_jac_point(&data, body, point);
        let expected = object_velocity_local(&model, &data, body, point, &Mat3::IDENTITY);
        for (row, expected) in jac.chunks(model.nv).zip(expected.0) {
            let velocity: f64 = row.iter().zip(&data.qvel).map(|(a, b)| a * b).sum();
            assert!((velocity - expected).abs() < 1e-12, "{velocity} {expected}");
        }
        assert!(expected.lin().norm() > 0.1);
        assert_eq!(mj_jac_body_com(&data, body), mj_jac_point(&data, body, data.xipos[body]));
        assert_eq!(object_velocity_local(&model, &data, 0, point, &Mat3::IDENTITY), Spatial::ZERO);
    }

    #[test]
    fn jacobians_of_geoms_and_sites_are_those_of_their_points() {
        let model = crate::load_model(
            "<mujoco><worldbody><body><joint axis='1 0 0'/><geom size='.1' pos='0 1 0'/>
               <body pos='0 1 .5'><joint type='ball'/><geom size='.1' pos='.2 .1 0'/>
                 <body pos='.3 0 0'><joint axis='0 0 1'/><geom size='.1'/>
                   <site name='s' pos='.1 .2 .3'/></body></body></body></worldbody></mujoco>",
        )
        .unwrap();
        let mut data = model.make_data();
        data.qpos.copy_from_slice(&[0.4, 0.8, 0.1, -0.3, 0.5, -0.7]);
        data.forward(&model).unwrap();
        let (translation, rotation) = mj_jac_site(&model, &data, 0);
        let point = mj_jac_point(&data, 3, data.site_xpos[0]);
        assert_eq!([rotation, translation].concat(), point);
        assert!(point.iter().filter(|x| **x != 0.0).count() > 15);
        let geom = mj_jac_geom(&model, &data, 1);
        assert_eq!(geom, mj_jac_point(&data, 2, data.geom_xpos[1]));
        assert_ne!(geom, mj_jac_body_com(&data, 3));
    }

    /// The parts of `qDeriv` add up to the whole.
    #[test]
    fn velocity_derivatives_have_three_parts() {
        let model = crate::load_model(
            "<mujoco><worldbody><body><joint name='a' damping='2'/><geom size='.1' pos='1 0 0'/>
               <body pos='1 0 0'><joint axis='0 1 0'/><geom size='.1' pos='0 0 1'/></body></body>
             </worldbody><actuator><velocity joint='a' kv='3'/></actuator></mujoco>",
        )
        .unwrap();
        let mut data = model.make_data();
        data.qpos.fill(0.3);
        data.qvel.fill(1.5);
        data.forward(&model).unwrap();
        mjd_smooth_vel(&model, &mut data, true);
        let whole = data.qDeriv.clone();
        let mut sum = vec![0.0; whole.len()];
        for part in [mjd_actuator_vel, mjd_passive_vel, mjd_rne_vel] {
            data.qDeriv.fill(0.0);
            part(&model, &mut data);
            assert!(data.qDeriv.iter().any(|x| *x != 0.0));
            sum.iter_mut().zip(&data.qDeriv).for_each(|(sum, x)| *sum += x);
        }
        assert!(whole.iter().zip(&sum).all(|(a, b)| (a - b).abs() < 1e-13), "{whole:?} {sum:?}");
        assert_eq!(mjd_cross(Vec3::new(1.0, 2.0, 3.0), Vec3::ZERO).0, Mat3::ZERO);
    }
}
