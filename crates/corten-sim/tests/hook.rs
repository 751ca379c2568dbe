//! User code inside of a step: each hook at MuJoCo's callback point.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use corten_model::Assets;
use corten_model::enums::{DisableBit, Integrator, Stage};
use corten_sim::extend::{Outcome, Slopes};
use corten_sim::{Data, Hook, Hooks, Model, StepError, forward, load_model_str, step};

/// Two hinges, actuators of user type, user sensors of every stage, two spheres that touch.
fn model() -> Model {
    let text = r#"<mujoco>
      <option gravity="0 0 0"/>
      <worldbody>
        <body><joint name="a" axis="0 1 0" damping="0.1"/><geom size="0.1" pos="0 0 -1"/></body>
        <body pos="0 0.15 0"><joint name="b" axis="0 1 0"/><geom size="0.1" pos="0 0 -1"/></body>
      </worldbody>
      <actuator>
        <general joint="a" dyntype="user" gaintype="user" biastype="user"/>
        <general joint="b" dyntype="user" actdim="2" gaintype="fixed" gainprm="2"/>
        <motor joint="b"/>
      </actuator>
      <sensor>
        <user dim="2" needstage="pos"/><user dim="1" needstage="vel" cutoff="0.5"/><user dim="1" needstage="acc"/>
      </sensor>
    </mujoco>"#;
    load_model_str(text, &Assets::memory_only()).unwrap_or_else(|e| panic!("{e}"))
}

#[derive(Default)]
struct Probe {
    controls: AtomicUsize,
}

impl Hook for Probe {
    fn control(&self, _: &Model, d: &mut Data) -> Outcome {
        self.controls.fetch_add(1, Ordering::Relaxed);
        d.ctrl[2] = 0.25;
        Ok(())
    }

    fn passive(&self, _: &Model, d: &mut Data) -> Outcome {
        d.qfrc_passive[1] += 3.0;
        Ok(())
    }

    fn sensor(&self, m: &Model, d: &mut Data, stage: Stage) -> Outcome {
        for i in (0..m.nsensor).filter(|&i| m.sensor_needstage[i] == stage.raw()) {
            d.sensordata[m.sensor_adr[i] as usize] = 10.0 * (1.0 + i as f64);
        }
        Ok(())
    }

    fn activation_rate(&self, _: &Model, d: &mut Data, i: usize) -> Outcome<Option<f64>> {
        if i == 1 {
            d.act_dot[1] = 0.5;
            d.act_dot[2] = 0.75;
        }
        Ok(Some(-4.0 * d.act[0]))
    }

    fn gain(&self, _: &Model, d: &mut Data, i: usize) -> Outcome<Option<f64>> {
        Ok(Some(1.5 - 0.2 * d.actuator_velocity[i]))
    }

    fn bias(&self, _: &Model, d: &mut Data, i: usize) -> Outcome<Option<f64>> {
        Ok(Some(-0.7 * d.actuator_length[i] - 0.3 * d.actuator_velocity[i]))
    }

    fn slopes(&self, _: &Model, _: &Data, _: usize) -> Slopes {
        Slopes { gain: -0.2, bias: -0.3 }
    }

    fn rejects(&self, _: &Model, _: &mut Data, geoms: [usize; 2]) -> bool {
        geoms == [0, 1]
    }
}

fn state(m: &Model) -> Data {
    let mut d = Data::new(m);
    d.qpos.copy_from_slice(&[0.2, 0.1]);
    d.qvel.copy_from_slice(&[0.4, -0.3]);
    d.act.copy_from_slice(&[0.6, 0.2, 0.3]);
    d
}

#[test]
fn without_a_hook_user_types_are_neutral() {
    let m = model();
    let mut d = state(&m);
    forward(&m, &mut d).unwrap();
    // Gain 1, bias 0, no rates.
    assert_eq!(d.actuator_force, [0.6, 0.6, 0.0]);
    assert_eq!(d.act_dot, [0.0; 3]);
    assert_eq!(d.sensordata, [0.0; 4]);
    assert_eq!(d.ncon, 1);
}

#[test]
fn every_hook_is_heard() {
    let m = model();
    let mut d = state(&m);
    d.hooks = Hooks::new(Probe::default());
    forward(&m, &mut d).unwrap();
    let force = (1.5 - 0.2 * 0.4) * 0.6 - 0.7 * 0.2 - 0.3 * 0.4;
    assert!((d.actuator_force[0] - force).abs() < 1e-15);
    assert_eq!(d.actuator_force[1..], [0.6, 0.25]);
    assert_eq!(d.act_dot, [-2.4, 0.5, 0.75]);
    assert_eq!(d.qfrc_passive, [-0.1 * 0.4, 3.0]);
    // Cutoffs hold for what the hook writes.
    assert_eq!(d.sensordata, [10.0, 0.0, 0.5, 30.0]);
    assert_eq!(d.ncon, 0);
}

/// Once per evaluation of the dynamics: four times in a Runge-Kutta step, never without actuation.
#[test]
fn controls_are_asked_for_at_every_evaluation() {
    for (integrator, disabled, calls) in [
        (Integrator::Euler, false, 1),
        (Integrator::Rk4, false, 4),
        (Integrator::ImplicitFast, false, 1),
        (Integrator::Euler, true, 0),
    ] {
        let mut m = model();
        m.opt.integrator = integrator;
        if disabled {
            m.opt.disableflags |= DisableBit::Actuation.raw();
        }
        let probe = Arc::new(Probe::default());
        let mut d = state(&m);
        d.hooks = probe.clone().into();
        step(&m, &mut d).unwrap();
        assert_eq!(probe.controls.load(Ordering::Relaxed), calls, "{integrator:?}");
    }
}

/// The slopes of user forces enter the velocity derivative as those of built-in ones do.
#[test]
fn implicit_integrators_use_the_slopes() {
    let mut m = model();
    m.opt.integrator = Integrator::Implicit;
    let mut d = state(&m);
    d.hooks = Hooks::new(Probe::default());
    step(&m, &mut d).unwrap();
    let expected = -0.1 + -0.2 * 0.6 - 0.3;
    let diagonal = m.D_rowadr[0] as usize;
    assert!((d.qDeriv[diagonal] - expected).abs() < 1e-15, "{}", d.qDeriv[diagonal]);
}

#[test]
fn copies_share_the_hook_and_resets_keep_it() {
    let m = model();
    let probe = Arc::new(Probe::default());
    let mut d = state(&m);
    d.hooks = probe.clone().into();
    let mut copy = d.clone();
    d.reset(&m).unwrap();
    for data in [&mut d, &mut copy] {
        step(&m, data).unwrap();
    }
    assert_eq!(probe.controls.load(Ordering::Relaxed), 2);
}

/// A hook that cannot go on ends the step, by its name, and leaves the state as it was.
#[test]
fn failures_name_the_hook_and_keep_the_state() {
    struct Broken;
    impl Hook for Broken {
        fn name(&self) -> &str {
            "broken"
        }

        fn passive(&self, _: &Model, d: &mut Data) -> Outcome {
            if d.time > 0.0 { Err("no more".into()) } else { Ok(()) }
        }
    }
    for integrator in [Integrator::Euler, Integrator::ImplicitFast, Integrator::Rk4] {
        let mut m = model();
        m.opt.integrator = integrator;
        m.set_hook(Hooks::new(Broken));
        let mut d = state(&m);
        if integrator != Integrator::Rk4 {
            step(&m, &mut d).unwrap();
        }
        let (qpos, time) = (d.qpos.clone(), d.time);
        let error = step(&m, &mut d).unwrap_err();
        assert!(matches!(&error, StepError::Extension { name, .. } if name == "broken"), "{error}");
        assert!(error.to_string().contains("no more"));
        assert_eq!((d.qpos.clone(), d.time), (qpos, time), "{integrator:?}");
        d.hooks = Hooks::default();
        step(&m, &mut d).unwrap();
    }
}
