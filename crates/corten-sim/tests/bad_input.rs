//! Numbers that make no sense: MuJoCo's counters and reset, a typed cause, never a panic.
//! The counters themselves are compared with MuJoCo's in the Python tests.

use corten_model::Assets;
use corten_model::enums::{DisableBit, Integrator, Solver, Warning};
use corten_sim::{Data, Model, StepError, load_model_str, step};

const TEXT: &str = r#"<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body name="base" pos="0 0 .1"><freejoint name="root"/><geom type="box" size=".1 .1 .1"/>
      <body name="arm" pos=".2 0 0">
        <joint name="elbow" axis="0 1 0" damping=".1" range="-60 60"/><geom type="capsule" size=".03 .1"/>
      </body>
    </body>
    <body pos="1 0 .3"><joint name="ball" type="ball" stiffness="1"/><geom size=".1" pos="0 0 -.2"/></body>
    <body name="handle" mocap="true" pos="2 0 1"><geom size=".1"/></body>
    <body name="held" pos="2 0 1.3"><freejoint/><geom size=".1"/></body>
  </worldbody>
  <equality><weld body1="handle" body2="held"/></equality>
  <actuator>
    <motor name="limited" joint="elbow" ctrlrange="-1 1" ctrllimited="true"/>
    <motor name="open" joint="elbow"/>
    <general joint="elbow" dyntype="integrator"/>
  </actuator>
  <sensor><jointpos joint="elbow"/></sensor>
</mujoco>"#;

const BAD: [f64; 5] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e11, -1e300];

fn model() -> Model {
    load_model_str(TEXT, &Assets::memory_only()).unwrap_or_else(|e| panic!("{e}"))
}

fn running(m: &Model) -> Data {
    let mut d = Data::new(m);
    for _ in 0..3 {
        step(m, &mut d).unwrap();
    }
    d
}

fn count(d: &Data, warning: Warning) -> i32 {
    d.warning[warning.raw() as usize].number
}

#[test]
fn positions() {
    let m = model();
    for bad in BAD {
        let mut d = running(&m);
        d.qpos[7] = bad;
        let error = step(&m, &mut d).unwrap_err();
        let StepError::BadPosition { index, ref place, .. } = error else { panic!("{error}") };
        assert_eq!((index, place.as_str()), (7, "joint 'elbow' of body 'arm'"));
        // The reset came first, then the step.
        assert_eq!(count(&d, Warning::BadQpos), 1);
        assert_eq!(d.time, m.opt.timestep);
        assert!(d.qpos.iter().all(|x| x.is_finite()));
    }
}

#[test]
fn velocities() {
    let m = model();
    for bad in BAD {
        let mut d = running(&m);
        d.qvel[8] = bad;
        let error = step(&m, &mut d).unwrap_err();
        assert!(matches!(error, StepError::BadVelocity { index: 8, .. }), "{error}");
        assert_eq!(count(&d, Warning::BadQvel), 1);
        assert_eq!(d.time, m.opt.timestep);
    }
}

/// A bad control makes all controls count as zero; nothing is reset. Within limits nothing is bad.
#[test]
fn controls() {
    let m = model();
    for bad in BAD {
        let mut d = running(&m);
        let before = d.time;
        d.ctrl.copy_from_slice(&[1.0, bad, 1.0]);
        let error = step(&m, &mut d).unwrap_err();
        let StepError::BadControl { index, ref place, .. } = error else { panic!("{error}") };
        assert_eq!((index, place.as_str()), (1, "actuator 'open'"));
        assert_eq!(count(&d, Warning::BadCtrl), 1);
        assert!(d.time > before && d.actuator_force.iter().all(|&f| f == 0.0));

        let mut d = running(&m);
        d.ctrl[0] = bad;
        assert_eq!(step(&m, &mut d).is_err(), bad.is_nan());
        if !bad.is_nan() {
            assert_eq!(d.actuator_force[0].abs(), 1.0);
        }
    }
}

#[test]
fn forces_and_targets() {
    let m = model();
    let inputs: [fn(&mut Data, f64); 6] = [
        |d, x| d.qfrc_applied[2] = x,
        |d, x| bytemuck::cast_slice_mut::<_, f64>(&mut d.xfrc_applied)[6] = x,
        |d, x| d.mocap_pos[0][1] = x,
        |d, x| bytemuck::cast_slice_mut::<_, f64>(&mut d.mocap_quat)[2] = x,
        |d, x| d.act[0] = x,
        |d, x| d.time = x,
    ];
    let solvers = Solver::ALL.iter().cycle();
    for (k, (integrator, solver)) in Integrator::ALL.iter().zip(solvers).enumerate() {
        let mut m = m.clone();
        m.opt.integrator = *integrator;
        m.opt.solver = *solver;
        if k % 2 == 1 {
            m.opt.disableflags |= DisableBit::AutoReset.raw();
        }
        for set in inputs {
            for bad in BAD {
                let mut d = running(&m);
                set(&mut d, bad);
                for _ in 0..3 {
                    // Not every bad number has a consequence; none may be a panic.
                    let _ = step(&m, &mut d);
                }
                d.reset(&m).unwrap();
                step(&m, &mut d).unwrap();
            }
        }
    }
    let mut d = running(&m);
    d.qfrc_applied[2] = f64::NAN;
    let error = step(&m, &mut d).unwrap_err();
    assert!(matches!(error, StepError::BadAcceleration { .. }), "{error}");
    assert_eq!(count(&d, Warning::BadQacc), 1);
}

/// MuJoCo refuses such bodies in a file; a program can still write them into the arrays.
#[test]
fn bodies_without_inertia() {
    for integrator in Integrator::ALL {
        for (mass, inertia) in [(0.0, 0.0), (-1.0, -1.0), (f64::NAN, 1.0), (f64::INFINITY, 1.0)] {
            let mut m = model();
            m.opt.integrator = *integrator;
            m.body_mass[2] = mass;
            m.body_inertia[2] = corten_math::Vec3::splat(inertia);
            m.body_subtreemass[2] = mass;
            let mut d = Data::new(&m);
            for _ in 0..5 {
                let _ = step(&m, &mut d);
            }
        }
    }
}

#[test]
fn a_joint_without_inertia_is_named() {
    let mut m = model();
    m.opt.disableflags |= DisableBit::Constraint.raw();
    m.body_mass[2] = 0.0;
    m.body_inertia[2] = corten_math::Vec3::ZERO;
    let mut d = Data::new(&m);
    let error = step(&m, &mut d).unwrap_err();
    let StepError::SingularInertia { ref place, .. } = error else { panic!("{error}") };
    assert_eq!(place, "joint 'elbow' of body 'arm'");
    assert_eq!(count(&d, Warning::BadQacc), 1);
}

/// Without automatic reset the bad numbers stay, and each step says so.
#[test]
fn without_reset_the_numbers_stay() {
    let mut m = model();
    m.opt.disableflags |= DisableBit::AutoReset.raw();
    let mut d = running(&m);
    d.qvel[0] = f64::NAN;
    assert!(matches!(step(&m, &mut d), Err(StepError::BadVelocity { index: 0, .. })));
    // MuJoCo raises the counter twice: before the reset that does not take place, and after.
    assert_eq!(count(&d, Warning::BadQvel), 2);
    assert!(d.qpos[0].is_nan());
    assert!(matches!(step(&m, &mut d), Err(StepError::BadPosition { index: 0, .. })));
    assert_eq!((count(&d, Warning::BadQpos), count(&d, Warning::BadQvel)), (2, 4));
}
