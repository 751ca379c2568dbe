//! Functions under the names that MuJoCo's users look for; each is another one in other words.

use corten_sim::{sleep, support};

use crate::enums::{ObjType, SleepState};
use crate::math::{Mat3, Spatial, Vec3};
use crate::{Data, Model};

pub use corten_sim::derivative::rotation::quat_integrate as mjd_quat_integrate;
pub use corten_sim::derivative::{
    actuators as mjd_actuator_vel, passive_velocity as mjd_passive_vel,
    smooth_velocity as mjd_smooth_vel, transition as mjd_transition,
    transition_fd as mjd_transition_fd, transition_hybrid as mjd_transition_hybrid,
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
        assert_eq!(object_velocity_local(&model, &data, 0, point, &Mat3::IDENTITY), Spatial::ZERO);
    }
}
