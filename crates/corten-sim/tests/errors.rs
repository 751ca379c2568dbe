//! Simulations that go bad: a typed result with the cause by name and time, MuJoCo's counters,
//! automatic reset by the flag, and data that can be used again.

use corten_model::Assets;
use corten_model::enums::{DisableBit, Integrator, Warning};
use corten_sim::{Data, Model, StepError, load_model_str, step};

fn model(body: &str) -> Model {
    load_model_str(&format!("<mujoco>{body}</mujoco>"), &Assets::default()).unwrap()
}

fn two_bodies() -> Model {
    model(
        r#"<worldbody><geom name="floor" type="plane" size="5 5 .1"/>
             <body name="ball" pos="0 0 .09"><freejoint name="root"/><geom name="skin" size=".1"/></body>
             <body name="arm" pos="2 0 1"><joint name="elbow" axis="0 1 0" range="-1 1" limited="true"/>
               <geom name="bone" size=".1" pos=".3 0 0"/></body></worldbody>
           <equality><connect name="hold" body1="ball" body2="arm" anchor="0 0 0" active="false"/></equality>"#,
    )
}

fn run(m: &Model, d: &mut Data, steps: usize) {
    for _ in 0..steps {
        step(m, d).unwrap();
    }
}

fn count(d: &Data, warning: Warning) -> i32 {
    d.warning[warning.raw() as usize].number
}

/// Steps a spoiled simulation with and without automatic reset. With it, MuJoCo's counter is 1
/// afterwards, since the reset clears the first count, and the data goes on from the start.
fn expect(
    mut m: Model,
    warning: Warning,
    spoil: impl Fn(&mut Model, &mut Data),
    check: impl Fn(&StepError),
) {
    for reset in [true, false] {
        m.opt.disableflags = if reset { 0 } else { DisableBit::AutoReset.raw() };
        let mut d = Data::new(&m);
        run(&m, &mut d, 5);
        let mut bad = m.clone();
        spoil(&mut bad, &mut d);
        let error = step(&bad, &mut d).unwrap_err();
        check(&error);
        assert!(error.to_string().contains("time 0.01"), "{error}");
        assert_eq!(count(&d, warning), if reset { 1 } else { 2 }, "{error}");
        if reset {
            assert!(d.time < 0.005, "reset before the step went on");
        }
        // Whatever happened, a reset makes the data good again.
        d.reset(&m).unwrap();
        run(&m, &mut d, 5);
        let mut fresh = Data::new(&m);
        run(&m, &mut fresh, 5);
        assert_eq!(d.qpos, fresh.qpos);
    }
}

#[test]
fn bad_positions_and_velocities_name_joint_and_body() {
    for value in [f64::NAN, f64::INFINITY, 1e11] {
        expect(
            two_bodies(),
            Warning::BadQpos,
            |_, d| d.qpos[7] = value,
            |e| {
                assert!(matches!(e, StepError::BadPosition { index: 7, .. }), "{e}");
                assert!(e.to_string().contains("joint 'elbow' of body 'arm'"), "{e}");
            },
        );
        expect(
            two_bodies(),
            Warning::BadQvel,
            |_, d| d.qvel[3] = value,
            |e| {
                assert!(matches!(e, StepError::BadVelocity { index: 3, .. }), "{e}");
                assert!(e.to_string().contains("joint 'root' of body 'ball'"), "{e}");
            },
        );
    }
}

#[test]
fn bad_forces_show_in_the_acceleration() {
    expect(
        two_bodies(),
        Warning::BadQacc,
        |_, d| d.qfrc_applied[6] = 1e300,
        |e| {
            assert!(matches!(e, StepError::BadAcceleration { index: 6, .. }), "{e}");
            assert!(e.to_string().contains("joint 'elbow' of body 'arm'"), "{e}");
        },
    );
}

#[test]
fn a_singular_mass_matrix_names_the_joint() {
    expect(
        two_bodies(),
        Warning::BadQacc,
        |m, _| {
            m.body_mass[2] = 0.0;
            m.body_inertia[2] = Default::default();
        },
        |e| {
            assert!(matches!(e, StepError::SingularInertia { index: 6, .. }), "{e}");
            assert!(e.to_string().contains("joint 'elbow' of body 'arm'"), "{e}");
        },
    );
}

#[test]
fn rows_that_are_not_finite_name_their_constraint() {
    expect(
        two_bodies(),
        Warning::BadQacc,
        |m, d| {
            d.eq_active[0] = 1;
            m.eq_solref[0] = [f64::NEG_INFINITY, -1.0];
        },
        |e| {
            assert!(matches!(e, StepError::BadConstraint { .. }), "{e}");
            assert!(e.to_string().contains("equality 'hold'"), "{e}");
        },
    );
    expect(
        two_bodies(),
        Warning::BadQacc,
        |m, _| m.geom_solref.iter_mut().for_each(|s| *s = [f64::NEG_INFINITY, -1.0]),
        |e| {
            let text = e.to_string();
            assert!(text.contains("contact of geom 'floor' of body 'world'"), "{e}");
            assert!(text.contains("and geom 'skin' of body 'ball'"), "{e}");
        },
    );
    expect(
        two_bodies(),
        Warning::BadQacc,
        |m, d| {
            d.qpos[7] = 1.5;
            m.jnt_solref[1] = [f64::NEG_INFINITY, -1.0];
        },
        |e| assert!(e.to_string().contains("limit of joint 'elbow'"), "{e}"),
    );
}

#[test]
fn an_explosion_names_the_contact_that_drives_it() {
    expect(
        two_bodies(),
        Warning::BadQacc,
        |m, _| m.geom_solref.iter_mut().for_each(|s| *s = [-1e14, -1.0]),
        |e| {
            assert!(matches!(e, StepError::BadAcceleration { index: 2, .. }), "{e}");
            let text = e.to_string();
            assert!(text.contains("joint 'root' of body 'ball', through contact of"), "{e}");
            assert!(text.contains("geom 'floor'") && text.contains("geom 'skin'"), "{e}");
        },
    );
}

#[test]
fn a_singular_implicit_step_names_the_joint() {
    for integrator in [Integrator::Implicit, Integrator::ImplicitFast] {
        let mut m = model(
            r#"<option timestep=".5" gravity="0 0 0"/><worldbody><body name="cart">
               <joint name="rail" type="slide"/><geom size=".1" mass="1"/></body></worldbody>"#,
        );
        m.opt.integrator = integrator;
        let mut d = Data::new(&m);
        run(&m, &mut d, 2);
        // M − h ∂f/∂v = 1 + 0.5·(−2) = 0.
        m.dof_damping[0] = -2.0;
        d.qvel[0] = 1.0;
        let error = step(&m, &mut d).unwrap_err();
        let expected = match integrator {
            Integrator::Implicit => matches!(error, StepError::LuSingular { index: 0, .. }),
            _ => matches!(error, StepError::CholeskyFailed { index: 0, .. }),
        };
        assert!(expected, "{error:?}");
        assert!(error.to_string().contains("joint 'rail' of body 'cart'"), "{error}");
        // The next step finds the position that came of it, counts it and resets.
        m.dof_damping[0] = 0.0;
        assert!(matches!(step(&m, &mut d), Err(StepError::BadPosition { .. })));
        assert_eq!(count(&d, Warning::BadQpos), 1);
        run(&m, &mut d, 3);
    }
}
