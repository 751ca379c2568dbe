//! Gain models of actuators: the built-in ones as they were, others against closed forms.

use corten_model::enums::{Gain, Integrator};
use corten_model::{Assets, Spec};
use corten_sim::extend::{
    ActuatorGainModel, AffineGain, DcMotorGain, DefaultGain, FixedGain, GainDispatch, GainError,
    GainInput, MuscleGain, Registry, SeriesElasticGain,
};
use corten_sim::{Data, Model, StepError, forward, load_model_str, state, step};

fn load(text: &str) -> Model {
    load_model_str(text, &Assets::memory_only()).unwrap_or_else(|e| panic!("{e}"))
}

fn driven(general: &str) -> String {
    format!(
        r#"<mujoco><option gravity="0 0 0"/>
          <worldbody><body><joint name="j" type="slide" damping="0"/><geom size=".1" mass="1.5"/></body></worldbody>
          <actuator><general name="a" joint="j" {general}/></actuator></mujoco>"#
    )
}

const ELASTIC: &str = r#"gaintype="custom" cortenforge:gain_model="series_elastic"
    cortenforge:gain_params="1000 10 0.5""#;

fn at(length: f64, velocity: f64, drive: f64, act: &[f64]) -> GainInput<'_> {
    GainInput { length, velocity, drive, act, time: 1.0, timestep: 0.002 }
}

/// The gains of the engine through the trait, bit by bit: EXT-04.
#[test]
fn built_in_gains_are_those_of_the_engine() {
    let muscle = "0.75 1.05 400 200 0.5 1.6 1.5 1.3 1.2";
    let m = load(&format!(
        r#"<mujoco><worldbody><body><joint name="j" axis="0 1 0"/><geom size=".1" pos="1 0 0"/></body></worldbody>
          <actuator>
            <general joint="j" gainprm="3.7"/>
            <general joint="j" gaintype="affine" gainprm="1.1 -0.3 0.7" dyntype="filter" dynprm="0.1"/>
            <general joint="j" gaintype="muscle" dyntype="muscle" gainprm="{muscle}" lengthrange="-1 1"
              dynprm="0.01 0.04"/>
          </actuator></mujoco>"#
    ));
    let mut d = Data::new(&m);
    for k in 0..200 {
        let t = f64::from(k);
        d.qpos[0] = 0.9 * (0.7 * t).sin();
        d.qvel[0] = 2.0 * (1.3 * t).cos();
        d.ctrl.copy_from_slice(&[(0.2 * t).sin(), 0.3, 0.8]);
        d.act.copy_from_slice(&[(0.9 * t).cos(), 0.5 + 0.5 * (0.4 * t).sin()]);
        forward(&m, &mut d).unwrap();
        let drives = [d.ctrl[0], d.act[0], d.act[1]];
        for i in 0..3 {
            let input = at(d.actuator_length[i], d.actuator_velocity[i], drives[i], &[]);
            let gain = DefaultGain::of(&m, i).unwrap();
            assert_eq!(gain.force(&input).to_bits(), d.actuator_force[i].to_bits(), "{i}");
            let single: &dyn ActuatorGainModel = match &gain {
                DefaultGain::Fixed(gain) => gain,
                DefaultGain::Affine(gain) => gain,
                DefaultGain::Muscle(gain) => gain,
            };
            assert_eq!(single.force(&input).to_bits(), d.actuator_force[i].to_bits());
        }
    }
}

/// The slope that implicit integrators use is the derivative of the force: EXT-04, EXT-05.
#[test]
fn slopes_agree_with_differences() {
    let prm = [0.75, 1.05, 400.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2, 0.0];
    let models: [&dyn ActuatorGainModel; 5] = [
        &FixedGain { gain: 3.0 },
        &AffineGain { prm: [1.1, -0.3, 0.7, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0] },
        &MuscleGain { prm, lengthrange: [-1.0, 1.0], acc0: 1.0 },
        &SeriesElasticGain { k_spring: 1000.0, damping: 10.0, gear_ratio: 0.5 },
        &DcMotorGain { torque_constant: 0.3, resistance: 2.0, time_constant: 0.004 },
    ];
    for model in models {
        for (length, velocity, drive) in [(0.3, -0.4, 0.7), (-0.2, 0.15, -1.2), (0.6, 0.31, 0.2)] {
            let force = |v: f64| model.force(&at(length, v, drive, &[0.4]));
            let h = 1e-6;
            let quotient = (force(velocity + h) - force(velocity - h)) / (2.0 * h);
            let slope = model.force_by_velocity(&at(length, velocity, drive, &[0.4]));
            assert!(
                (slope - quotient).abs() < 1e-6 * (1.0 + slope.abs()),
                "{model:?} {slope} {quotient}"
            );
        }
    }
}

/// A spring and a damper between motor and joint: EXT-05. With the motor held, the joint oscillates as
/// a damped mass does.
#[test]
fn a_series_elastic_actuator_is_a_spring_and_a_damper() {
    let mut m = load(&driven(ELASTIC));
    assert_eq!((m.na, m.actuator_actnum[0], m.actuator_gaintype[0]), (1, 1, Gain::User.raw()));
    let mut d = Data::new(&m);
    (d.qpos[0], d.qvel[0], d.ctrl[0], d.act[0], d.time) = (0.02, -0.3, 0.1, 0.08, 1.0);
    forward(&m, &mut d).unwrap();
    let (x, v) = (0.5 * 0.1, 0.5 * (0.1 - 0.08) / m.opt.timestep);
    let expected = 1000.0 * (x - 0.02) + 10.0 * (v + 0.3);
    assert!((d.actuator_force[0] - expected).abs() < 1e-10, "{}", d.actuator_force[0]);

    m.opt.timestep = 1e-4;
    m.opt.integrator = Integrator::Rk4;
    let mut d = Data::new(&m);
    d.qpos[0] = 0.01;
    while d.time < 0.2 {
        step(&m, &mut d).unwrap();
    }
    let (rate, damping) = ((1000.0f64 / 1.5).sqrt(), 10.0 / 3.0);
    let frequency = (rate * rate - damping * damping).sqrt();
    let t = d.time;
    let exact = 0.01
        * (-damping * t).exp()
        * ((frequency * t).cos() + damping / frequency * (frequency * t).sin());
    assert!((d.qpos[0] - exact).abs() < 1e-7, "{} {exact}", d.qpos[0]);
}

/// Implicit integrators take the damping in: a step that an explicit one would not survive.
#[test]
fn implicit_integrators_use_the_slope_of_a_gain_model() {
    let stiff = ELASTIC.replace("1000 10 0.5", "100 4000 1");
    for integrator in [Integrator::Implicit, Integrator::ImplicitFast] {
        let mut m = load(&driven(&stiff));
        m.opt.integrator = integrator;
        let mut d = Data::new(&m);
        d.qvel[0] = 1.0;
        step(&m, &mut d).unwrap();
        let diagonal = m.D_rowadr[0] as usize;
        assert_eq!(d.qDeriv[diagonal], -4000.0);
        // (m + h d) v⁺ = m v, with the spring at rest.
        let expected = 1.5 / (1.5 + m.opt.timestep * 4000.0);
        assert!((d.qvel[0] - expected).abs() < 1e-12, "{integrator:?} {}", d.qvel[0]);
    }
}

/// A motor that turns freely under constant voltage reaches `V / K`; its current decays with the
/// mechanical time constant `m R / K²`.
#[test]
fn a_dc_motor_reaches_its_no_load_speed() {
    let motor = r#"gaintype="custom" cortenforge:gain_model="dc_motor"
        cortenforge:gain_params="0.8 2 0.001""#;
    let mut m = load(&driven(motor));
    m.opt.integrator = Integrator::Implicit;
    m.opt.timestep = 1e-4;
    let mut d = Data::new(&m);
    d.ctrl[0] = 4.0;
    let tau = 1.5 * 2.0 / 0.64;
    while d.time < tau {
        step(&m, &mut d).unwrap();
    }
    let speed = 5.0 * (1.0 - (-1.0f64).exp());
    assert!((d.qvel[0] / speed - 1.0).abs() < 1e-3, "{} {speed}", d.qvel[0]);
    let current = (4.0 - 0.8 * d.qvel[0]) / 2.0;
    assert!((d.act[0] / current - 1.0).abs() < 1e-3);
    // However long the step, the current does not overshoot.
    m.opt.timestep = 0.05;
    let mut d = Data::new(&m);
    d.ctrl[0] = 4.0;
    for _ in 0..400 {
        step(&m, &mut d).unwrap();
        assert!(d.act[0] <= 2.0 + 1e-12 && d.act[0] >= 0.0, "{}", d.act[0]);
    }
    assert!((d.qvel[0] - 5.0).abs() < 0.1, "{}", d.qvel[0]);
}

#[test]
fn gains_can_be_exchanged() {
    let mut m = load(&driven(r#"gainprm="2""#));
    let force = |m: &Model| {
        let mut d = Data::new(m);
        d.ctrl[0] = 3.0;
        forward(m, &mut d).unwrap();
        d.actuator_force[0]
    };
    assert_eq!(force(&m), 6.0);
    m.set_actuator_gain(0, FixedGain { gain: 5.0 }).unwrap();
    assert_eq!(force(&m), 15.0);
    assert_eq!(force(&m.clone()), 15.0, "copies have it too");
    m.set_actuator_gain(0, Gain::Fixed).unwrap();
    assert_eq!(force(&m), 6.0);
    assert!(matches!(m.actuator_gain(0), Some(GainDispatch::Builtin(Gain::Fixed))));
    let elastic = SeriesElasticGain { k_spring: 1.0, damping: 1.0, gear_ratio: 1.0 };
    assert_eq!(
        m.set_actuator_gain(0, elastic),
        Err(GainError::Activations { actuator: 0, found: 0, needed: 1 })
    );
    assert_eq!(m.set_actuator_gain(1, elastic), Err(GainError::Actuator { actuator: 1, count: 1 }));
    let mut m = load(&driven(ELASTIC));
    m.set_actuator_gain(0, elastic).unwrap();
}

/// Activations are state: saving, restoring and copies continue the same way; built-in dynamics can
/// drive a gain model.
#[test]
fn activations_of_gain_models_are_part_of_the_state() {
    let m = load(&driven(&format!(r#"{ELASTIC} dyntype="filter" dynprm="0.05""#)));
    assert_eq!((m.na, m.actuator_actnum[0]), (2, 2));
    let mut d = Data::new(&m);
    d.ctrl[0] = 0.3;
    for _ in 0..40 {
        step(&m, &mut d).unwrap();
    }
    // The filter drives the motor; the other activation is where it was.
    let filtered = 0.3 * (1.0 - (1.0f64 - 0.002 / 0.05).powi(40));
    assert!((d.act[1] - filtered).abs() < 1e-12, "{:?}", d.act);
    assert!(d.act[0] < d.act[1] && d.act[0] > 0.9 * d.act[1]);
    let signature = corten_model::enums::StateBit::Integration.raw() as u32;
    let mut saved = vec![0.0; state::size(&m, signature).unwrap()];
    state::get(&m, &d, &mut saved, signature).unwrap();
    let mut other = Data::new(&m);
    state::set(&m, &mut other, &saved, signature).unwrap();
    for _ in 0..40 {
        step(&m, &mut d).unwrap();
        step(&m, &mut other).unwrap();
    }
    assert_eq!(d.qpos[0].to_bits(), other.qpos[0].to_bits());
}

#[test]
fn models_name_their_gains_in_text_and_in_files() {
    let text = driven(ELASTIC);
    let spec = Spec::from_xml_str(&text, &Assets::memory_only()).unwrap();
    let written = spec.to_xml().unwrap();
    assert!(written.contains("cortenforge:gain_model=\"series_elastic\""), "{written}");
    let again = load(&written);
    let m = load(&text);
    let file = Model::from_bytes(&m.to_bytes()).unwrap();
    for m in [&m, &again, &file] {
        let gain = format!("{:?}", m.extensions().gain(0));
        assert!(
            gain.contains("SeriesElasticGain { k_spring: 1000.0, damping: 10.0, gear_ratio: 0.5 }"),
            "{gain}"
        );
    }
    let errors = |general: &str| {
        let found = load_model_str(&driven(general), &Assets::memory_only());
        found.map(|_| ()).unwrap_err().to_string()
    };
    for (general, needle) in [
        (r#"gaintype="custom""#, "needs a model"),
        (r#"gaintype="custom" gain_model="dc_motor""#, "did you mean: cortenforge:gain_model"),
        (r#"gaintype="custom" cortenforge:gain_model="series""#, "there is no gain model 'series'"),
        (
            r#"cortenforge:gain_model="dc_motor" cortenforge:gain_params="1 1 1""#,
            "needs the gain type 'custom'",
        ),
        (
            r#"gaintype="custom" cortenforge:gain_model="dc_motor" cortenforge:gain_params="1""#,
            "3 expected",
        ),
        (
            r#"gaintype="custom" cortenforge:gain_model="dc_motor" cortenforge:gain_params="1 0 1""#,
            "positive",
        ),
        (
            r#"gaintype="custom" cortenforge:gain_model="dc_motor" cortenforge:gain_params="1 1 nan""#,
            "'time_constant' is NaN",
        ),
        (
            r#"gaintype="custom" cortenforge:gain_model="series_elastic" cortenforge:gain_params="inf 1 1""#,
            "'k_spring' is inf",
        ),
        (
            r#"actdim="3" gaintype="custom" cortenforge:gain_model="dc_motor" cortenforge:gain_params="1 1 1""#,
            "must be 1",
        ),
    ] {
        let found = errors(general);
        assert!(found.contains(needle), "{needle}: {found}");
    }
}

#[test]
fn a_registry_adds_gains_by_name() {
    #[derive(Debug)]
    struct Fan(f64);
    impl ActuatorGainModel for Fan {
        fn force(&self, at: &GainInput<'_>) -> f64 {
            at.drive - self.0 * at.velocity * at.velocity.abs()
        }
        fn force_by_velocity(&self, at: &GainInput<'_>) -> f64 {
            -2.0 * self.0 * at.velocity.abs()
        }
    }
    let make = |params: &[f64]| params.first().map(|x| Fan(*x)).ok_or_else(|| "one number".into());
    let registry = Registry::new().with_gain("fan", make).unwrap();
    let text =
        driven(r#"gaintype="custom" cortenforge:gain_model="fan" cortenforge:gain_params="0.25""#);
    let m = registry.load_str(&text, &Assets::memory_only()).unwrap();
    let mut d = Data::new(&m);
    d.ctrl[0] = 4.0;
    while d.time < 10.0 {
        step(&m, &mut d).unwrap();
    }
    assert!((d.qvel[0] - 4.0).abs() < 1e-3, "terminal velocity {}", d.qvel[0]);
    assert!(registry.with_gain("fan", |_: &[f64]| Ok(Fan(1.0))).is_err());
}

/// A force that is no number is told of the gain that gave it, not of the joint that it would have moved.
#[test]
fn a_gain_without_a_finite_force_ends_the_step_by_name() {
    #[derive(Debug)]
    struct Root;
    impl ActuatorGainModel for Root {
        fn force(&self, at: &GainInput<'_>) -> f64 {
            at.drive.sqrt()
        }
        fn force_by_velocity(&self, _: &GainInput<'_>) -> f64 {
            0.0
        }
    }
    let mut m = load(&driven(""));
    m.set_actuator_gain(0, Root).unwrap();
    let mut d = Data::new(&m);
    d.ctrl[0] = 4.0;
    step(&m, &mut d).unwrap();
    let before = (d.time, d.qpos.clone(), d.qvel.clone());
    d.ctrl[0] = -4.0;
    let name = "gain model of actuator 'a'".to_owned();
    let message = "the force is NaN".to_owned();
    assert_eq!(step(&m, &mut d), Err(StepError::Extension { time: d.time, name, message }));
    assert_eq!((d.time, d.qpos.clone(), d.qvel.clone()), before);
    d.ctrl[0] = 4.0;
    step(&m, &mut d).unwrap();
}
