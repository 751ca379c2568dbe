//! Programs of the documentation that are no part of an example; `documents.rs` looks for them here.

use corten::extend::contact::XpbdSolver as ContactXpbd;
use corten::extend::flex::{BridsonBending, NeoHookean};
use corten::extend::{ActuatorGainModel, DistanceField, GainInput};
use corten::prelude::*;
use corten::sim::{MujocoSim, SimBuilder};
use corten::soft::{
    Cloth, ClothPreset, Constraint, Deformable, DeformableBody, Material, XpbdSolver,
};

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[derive(Clone, Debug)]
struct Fan {
    torque: f64,
    drag: f64,
}

impl ActuatorGainModel for Fan {
    fn force(&self, at: &GainInput<'_>) -> f64 {
        self.torque * at.drive - self.drag * at.velocity * at.velocity.abs()
    }
    fn force_by_velocity(&self, at: &GainInput<'_>) -> f64 {
        -2.0 * self.drag * at.velocity.abs()
    }
}

#[test]
fn a_fan_reaches_the_speed_of_its_drag() -> Outcome {
    let mut model = load_model(
        r#"<mujoco><worldbody><body><joint name="hub" axis="0 0 1"/>
        <geom type="cylinder" size=".2 .02" mass="1"/></body></worldbody>
        <actuator><motor joint="hub"/></actuator></mujoco>"#,
    )?;
    model.set_actuator_gain(0, Fan { torque: 3.0, drag: 0.2 })?;
    let mut data = model.make_data();
    data.ctrl[0] = 1.0;
    while data.time < 2.0 {
        data.step(&model)?;
    }
    assert!((data.qvel[0] - (3.0f64 / 0.2).sqrt()).abs() < 1e-6, "{}", data.qvel[0]);
    Ok(())
}

#[derive(Debug)]
struct Ball(f64);

impl DistanceField for Ball {
    fn distance(&self, p: Vec3) -> f64 {
        p.norm() - self.0
    }
    fn bounds(&self) -> [f64; 6] {
        [0.0, 0.0, 0.0, self.0, self.0, self.0]
    }
}

#[test]
fn a_ball_is_as_far_as_its_surface() {
    let ball = Ball(0.5);
    assert_eq!(ball.distance(Vec3::new(0.0, 2.0, 0.0)), 1.5);
    assert_eq!(ball.bounds()[3..], [0.5; 3]);
}

#[test]
fn simulations_of_other_laws_are_built() -> Outcome {
    let model = load_model(
        r#"<mujoco><worldbody><flexcomp name="sheet" type="grid" count="3 3 1" spacing=".1 .1 .1" dim="2" mass=".1">
        <elasticity young="1e4" poisson=".3" thickness=".01" elastic2d="both"/></flexcomp></worldbody></mujoco>"#,
    )?;
    let again = model.clone();
    {
        let mut sim: MujocoSim = SimBuilder::new().build(model)?; // what step() does, bit by bit
        sim.step()?;
        assert!(sim.data().time > 0.0);
    }
    type XpbdSolver = ContactXpbd;
    let model = again;
    let mut soft = SimBuilder::new()
        .bending(BridsonBending)
        .elasticity(NeoHookean::new(3e4, 1e5))
        .contact_solver(XpbdSolver::new(4))
        .build(model)?;
    soft.step()?;
    assert!(soft.data().time > 0.0);
    Ok(())
}

#[test]
fn a_flag_hangs_from_its_corners() -> Outcome {
    let mut flag = Cloth::grid(Vec3::ZERO, [20, 20], 0.05, &ClothPreset::COTTON)?;
    flag.pin(0);
    flag.pin(19);
    let mut solver = XpbdSolver::new(10).with_damping(0.5).with_sleep(1e-3, 0.5);
    for _ in 0..200 {
        solver.step(&mut flag, Vec3::new(0.0, 0.0, -9.81), 0.01)?;
    }
    assert!(flag.positions()[0] == Vec3::ZERO && flag.positions()[390][2] < -0.5);
    Ok(())
}

#[test]
fn a_pendulum_keeps_its_length() -> Outcome {
    let rod = Constraint::distance([0, 1], 1.0, 0.0);
    let ground = Constraint::collision(1, Vec3::Z, -2.0, 0.5);
    let points = vec![Vec3::ZERO, Vec3::X];
    // A mass of zero holds its particle.
    let mut pendulum =
        Deformable::new(points, &[0.0, 1.0], vec![rod, ground], Material::STEEL, 0.0)?;
    XpbdSolver::new(20).step(&mut pendulum, Vec3::new(0.0, 0.0, -9.81), 0.01)?;
    assert!((pendulum.positions()[1].norm() - 1.0).abs() < 1e-4);
    Ok(())
}
