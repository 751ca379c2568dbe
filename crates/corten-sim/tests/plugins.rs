//! Plugins: those of MuJoCo against closed forms, those of a user from text to trajectory.

use corten_model::{Assets, Spec};
use corten_sim::extend::{
    Capabilities, Config, ConfigError, DistanceField, Outcome, Plugin, PluginInstance, PluginKind,
    Registry, Setting,
};
use corten_sim::{Data, Model, StepError, forward, load_model_str, state, step};

fn load(text: &str) -> Model {
    load_model_str(text, &Assets::memory_only()).unwrap_or_else(|e| panic!("{e}"))
}

fn errors(text: &str) -> String {
    load_model_str(text, &Assets::memory_only()).map(|_| ()).unwrap_err().to_string()
}

fn servo(config: &str, attributes: &str) -> String {
    format!(
        r#"<mujoco><extension><plugin plugin="mujoco.pid"/></extension>
          <worldbody><body><joint name="slide" type="slide"/><geom size=".1" mass="2"/></body></worldbody>
          <actuator><plugin plugin="mujoco.pid" joint="slide" {attributes}>{config}</plugin></actuator>
        </mujoco>"#
    )
}

fn keys(pairs: &[(&str, f64)]) -> String {
    pairs.iter().map(|(k, v)| format!(r#"<config key="{k}" value="{v}"/>"#)).collect()
}

#[test]
fn a_servo_adds_its_three_terms() {
    let m = load(&servo(&keys(&[("kp", 40.0), ("ki", 10.0), ("kd", 3.0)]), r#"actdim="1""#));
    let mut d = Data::new(&m);
    d.qpos[0] = 0.2;
    d.qvel[0] = -0.4;
    d.ctrl[0] = 0.5;
    d.act[0] = 0.07;
    forward(&m, &mut d).unwrap();
    let (error, h) = (0.3, m.opt.timestep);
    let integral = 0.07 + error * h;
    assert!((d.actuator_force[0] - (40.0 * error + 3.0 * 0.4 + 10.0 * integral)).abs() < 1e-12);
    step(&m, &mut d).unwrap();
    assert!((d.act[0] - integral).abs() < 1e-15);
}

/// The force of the integral stays within `imax`, and the target moves no faster than `slewmax`.
#[test]
fn a_servo_keeps_to_its_limits() {
    let config = keys(&[("kp", 1.0), ("ki", 50.0), ("imax", 2.0), ("slewmax", 3.0)]);
    let m = load(&servo(&config, r#"actdim="2""#));
    let mut d = Data::new(&m);
    d.ctrl[0] = 10.0;
    step(&m, &mut d).unwrap();
    assert_eq!(d.act[1], 10.0, "the first target is taken as it is");
    d.ctrl[0] = 20.0;
    for k in 1..200 {
        step(&m, &mut d).unwrap();
        let target = 10.0 + 3.0 * m.opt.timestep * f64::from(k);
        assert!((d.act[1] - target).abs() < 1e-9, "{k}");
        assert!(d.act[0].abs() <= 2.0 / 50.0 + 1e-15);
    }
    assert!((d.act[0] - 0.04).abs() < 1e-15);
}

#[test]
fn configurations_that_make_no_sense_are_errors_with_a_place() {
    let expect = |text: &str, needle: &str| {
        let found = errors(text);
        assert!(found.contains(needle), "{needle}: {found}");
        assert!(found.contains(":"), "{found}");
    };
    expect(&servo(&keys(&[("ki", 1.0)]), ""), "write actdim=\"1\"");
    expect(&servo(&keys(&[("kp", 1.0), ("slewmax", -1.0)]), r#"actdim="1""#), "negative");
    expect(&servo(&keys(&[("kq", 1.0)]), ""), "has no attribute 'kq'");
    expect(&servo(r#"<config key="kp" value="much"/>"#, ""), "not a number");
    expect(&servo(&keys(&[("kp", 1.0), ("kp", 2.0)]), ""), "given twice");
    let other = servo(&keys(&[("kp", 1.0)]), "");
    expect(&other.replace("<plugin plugin=\"mujoco.pid\"/>", ""), "is not declared");
    expect(&other.replace("mujoco.pid", "mujoco.pit"), "did you mean: mujoco.pid");
    expect(
        &other.replace("joint=\"slide\" >", "joint=\"slide\" instance=\"x\">"),
        "cannot configure",
    );
    let named = |instance: &str| {
        servo("", &format!("instance=\"{instance}\"")).replace(
            "<plugin plugin=\"mujoco.pid\"/>",
            "<plugin plugin=\"mujoco.pid\"><instance name=\"fast\"/></plugin>",
        )
    };
    load(&named("fast"));
    expect(&named("fest"), "did you mean: fast");
    let touch = other.replace("mujoco.pid", "mujoco.sensor.touch_grid");
    expect(&touch, "does not support actuators");
    // MuJoCo overruns its memory on an instance that nothing uses.
    let unused = "<mujoco><extension><plugin plugin='mujoco.pid'><instance name='a'/></plugin></extension></mujoco>";
    expect(unused, "no actuator uses it");
}

/// Torques of a bent cable are the derivative of its energy, and add up to none.
#[test]
fn a_cable_resists_bending_and_twist() {
    let m = load(
        r#"<mujoco><option gravity="0 0 0"/>
          <extension><plugin plugin="mujoco.elasticity.cable"/></extension>
          <worldbody><composite type="cable" curve="s" count="6 1 1" size="1" initial="free">
            <plugin plugin="mujoco.elasticity.cable">
              <config key="twist" value="1e6"/><config key="bend" value="4e6"/>
            </plugin>
            <joint kind="main" damping="0"/><geom type="capsule" size=".01"/>
          </composite></worldbody></mujoco>"#,
    );
    assert_eq!((m.nplugin, m.npluginstate), (1, 0));
    let polar = std::f64::consts::PI * 1e-8 / 2.0;
    let stiffness = [1e6 * polar, 4e6 * polar / 2.0, 4e6 * polar / 2.0];
    let mut d = Data::new(&m);
    for k in 0..m.nv {
        d.qvel[k] = 0.05 * (1.7 * k as f64).sin();
    }
    let rate = d.qvel.clone();
    corten_sim::support::integrate_pos(&m, &mut d.qpos, &rate, 1.0);
    let energy = |d: &Data| -> f64 {
        let turns =
            d.qpos[7..].chunks(4).map(|q| corten_math::Quat::from_slice(q).to_velocity(1.0));
        turns.map(|w| (0..3).map(|k| 0.5 * stiffness[k] * w[k] * w[k] / 0.2).sum::<f64>()).sum()
    };
    d.qvel.fill(0.0);
    forward(&m, &mut d).unwrap();
    let force = d.qfrc_passive.clone();
    assert!(force[6..].iter().any(|f| f.abs() > 1e-3), "{force:?}");
    for k in 0..m.nv {
        let h = 1e-6;
        let mut along = vec![0.0; m.nv];
        along[k] = 1.0;
        let moved = |h: f64| {
            let mut d = d.clone();
            corten_sim::support::integrate_pos(&m, &mut d.qpos, &along, h);
            energy(&d)
        };
        let slope = -(moved(h) - moved(-h)) / (2.0 * h);
        // Exact for turns about a principal axis of the section; otherwise the next order in the
        // angle is missing, as in MuJoCo.
        let scale = force.iter().fold(0.0f64, |a, f| a.max(f.abs()));
        assert!((force[k] - slope).abs() < 0.03 * scale, "{k}: {} {slope}", force[k]);
    }
    // What the links do to each other moves the whole by nothing.
    assert!(force[..6].iter().all(|f| f.abs() < 1e-12), "{:?}", &force[..6]);
}

#[test]
fn a_touch_grid_sums_to_the_weight_that_it_carries() {
    let m = load(
        r#"<mujoco><extension><plugin plugin="mujoco.sensor.touch_grid"/></extension>
          <worldbody>
            <geom name="floor" type="plane" size="1 1 .1"/><site name="eye" pos="0 0 .3" zaxis="0 0 1"/>
            <body pos=".05 .02 .05"><freejoint/><geom type="box" size=".1 .1 .05" mass="2"/></body>
          </worldbody>
          <sensor><plugin plugin="mujoco.sensor.touch_grid" objtype="site" objname="eye">
            <config key="size" value="7 5"/><config key="fov" value="60 60"/><config key="nchannel" value="3"/>
          </plugin></sensor></mujoco>"#,
    );
    assert_eq!(m.nsensordata, 7 * 5 * 3);
    let mut d = Data::new(&m);
    for _ in 0..500 {
        step(&m, &mut d).unwrap();
    }
    forward(&m, &mut d).unwrap();
    let sum =
        |channel: usize| -> f64 { d.sensordata[35 * channel..35 * (channel + 1)].iter().sum() };
    // On the body of the site acts the weight, downwards.
    assert!((sum(0) + 2.0 * 9.81).abs() < 1e-3, "{}", sum(0));
    assert!(sum(1).abs() < 1e-3 && sum(2).abs() < 1e-3);
    assert!(d.sensordata[..35].iter().filter(|f| **f != 0.0).count() > 1, "in several cells");
}

/// A counter in `plugin_state`, an oscillator in it that pushes, and a shape.
struct Clockwork;

struct Running {
    start: usize,
    force: f64,
    breaks_at: f64,
}

#[derive(Debug)]
struct Ball(f64);

impl DistanceField for Ball {
    fn distance(&self, p: corten_math::Vec3) -> f64 {
        p.norm() - self.0
    }

    fn bounds(&self) -> [f64; 6] {
        [0.0, 0.0, 0.0, self.0, self.0, self.0]
    }
}

impl PluginKind for Clockwork {
    fn name(&self) -> &str {
        "test.clockwork"
    }

    fn attributes(&self) -> &[&str] {
        &["force", "breaks_at"]
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::PASSIVE | Capabilities::SENSOR | Capabilities::SDF
    }

    fn state_size(&self, _: &Config) -> Result<usize, ConfigError> {
        Ok(2)
    }

    fn sensor_size(&self, _: &Config) -> Result<usize, ConfigError> {
        Ok(1)
    }

    fn field(&self, _: &Config) -> Result<Box<dyn DistanceField>, ConfigError> {
        Ok(Box::new(Ball(0.1)))
    }
}

impl Plugin for Clockwork {
    fn instance(&self, s: &Setting<'_>) -> Result<Box<dyn PluginInstance>, ConfigError> {
        Ok(Box::new(Running {
            start: s.model.plugin_stateadr[s.instance] as usize,
            force: s.config.number("force")?.ok_or("'force' is missing")?,
            breaks_at: s.config.number("breaks_at")?.unwrap_or(1e9),
        }))
    }
}

impl PluginInstance for Running {
    fn reset(&self, _: &Model, state: &mut [f64]) {
        state[1] = 1.0;
    }

    fn passive(&self, _: &Model, d: &mut Data) -> Outcome {
        d.qfrc_passive[0] += self.force * d.plugin_state[self.start + 1];
        if d.time > self.breaks_at { Err("the spring broke".into()) } else { Ok(()) }
    }

    fn sensors(&self, m: &Model, d: &mut Data) -> Outcome {
        if let Some(&at) = m.sensor_adr.first() {
            d.sensordata[at as usize] = d.plugin_state[self.start];
        }
        Ok(())
    }

    fn advance(&self, m: &Model, d: &mut Data) -> Outcome {
        d.plugin_state[self.start] += 1.0;
        d.plugin_state[self.start + 1] += m.opt.timestep * d.qpos[0];
        Ok(())
    }
}

fn clockwork(breaks_at: f64) -> (Registry, String) {
    let text = format!(
        r#"<mujoco><option gravity="0 0 0"/>
          <extension><plugin plugin="test.clockwork"><instance name="c"><config key="force" value="-2"/>
            <config key="breaks_at" value="{breaks_at}"/></instance></plugin></extension>
          <worldbody><body><joint type="slide"/><geom size=".1" mass="1"/><plugin instance="c"/></body></worldbody>
          <sensor><plugin instance="c"/></sensor>
        </mujoco>"#
    );
    (Registry::new().with_plugin(Clockwork).unwrap(), text)
}

#[test]
fn a_plugin_of_the_users_own_runs_and_its_state_is_kept() {
    let (registry, text) = clockwork(1e9);
    let m = registry.load_str(&text, &Assets::memory_only()).unwrap();
    assert_eq!((m.npluginstate, m.plugin_state_names()), (2, "test.clockwork".to_owned()));
    let mut d = Data::new(&m);
    assert_eq!(d.plugin_state, [0.0, 1.0]);
    for _ in 0..10 {
        step(&m, &mut d).unwrap();
    }
    assert_eq!((d.plugin_state[0], d.sensordata[0]), (10.0, 9.0));
    let signature = corten_model::enums::StateBit::Integration.raw() as u32;
    let mut saved = vec![0.0; state::size(&m, signature).unwrap()];
    state::get(&m, &d, &mut saved, signature).unwrap();
    let mut copy = d.clone();
    let mut other = Data::new(&m);
    state::set(&m, &mut other, &saved, signature).unwrap();
    for d in [&mut d, &mut copy, &mut other] {
        for _ in 0..50 {
            step(&m, d).unwrap();
        }
    }
    assert_eq!(d.qpos[0].to_bits(), copy.qpos[0].to_bits());
    assert_eq!(d.qpos[0].to_bits(), other.qpos[0].to_bits());
    assert_eq!(d.plugin_state, other.plugin_state);
    d.reset(&m).unwrap();
    assert_eq!(d.plugin_state, [0.0, 1.0]);
}

trait Kinds {
    fn plugin_state_names(&self) -> String;
}

impl Kinds for Model {
    fn plugin_state_names(&self) -> String {
        self.extension_names.plugins.join(" ")
    }
}

#[test]
fn a_plugin_that_fails_ends_the_step_by_name() {
    let (registry, text) = clockwork(0.0035);
    let m = registry.load_str(&text, &Assets::memory_only()).unwrap();
    let mut d = Data::new(&m);
    step(&m, &mut d).unwrap();
    step(&m, &mut d).unwrap();
    let before = d.clone();
    let error = step(&m, &mut d).unwrap_err();
    assert_eq!(
        error,
        StepError::Extension {
            time: d.time,
            name: "plugin 'test.clockwork', instance 'c'".into(),
            message: "the spring broke".into()
        }
    );
    assert_eq!((d.qpos.clone(), d.plugin_state.clone()), (before.qpos, before.plugin_state));
    assert!(forward(&m, &mut d).is_err());
    d.reset(&m).unwrap();
    step(&m, &mut d).unwrap();
}

/// A file knows its plugins by name; a loader without them gives a model whose steps say so.
#[test]
fn saved_models_find_their_plugins_again() {
    let (registry, text) = clockwork(1e9);
    let m = registry.load_str(&text, &Assets::memory_only()).unwrap();
    let file = m.to_bytes();
    let same = registry.load_bytes(&file).unwrap();
    let (mut a, mut b) = (Data::new(&m), Data::new(&same));
    for _ in 0..20 {
        step(&m, &mut a).unwrap();
        step(&same, &mut b).unwrap();
    }
    assert_eq!(a.qpos[0].to_bits(), b.qpos[0].to_bits());
    let stranger = Model::from_bytes(&file).unwrap();
    let error = step(&stranger, &mut Data::new(&stranger)).unwrap_err().to_string();
    assert!(error.contains("test.clockwork") && error.contains("registry"), "{error}");
    let error = load_model_str(&text, &Assets::memory_only()).unwrap_err().to_string();
    assert!(error.contains("there is no plugin 'test.clockwork'"), "{error}");
}

/// What elements ask for survives writing, reading and attaching.
#[test]
fn plugins_are_written_and_attached() {
    let text = servo(&keys(&[("kp", 40.0), ("kd", 3.0)]), r#"name="drive""#).replace(
        "<plugin plugin=\"mujoco.pid\"/>",
        "<plugin plugin=\"mujoco.pid\"/><plugin plugin=\"mujoco.elasticity.cable\"/>",
    );
    let spec = Spec::from_xml_str(&text, &Assets::memory_only()).unwrap();
    let again = Spec::from_xml_str(&spec.to_xml().unwrap(), &Assets::memory_only()).unwrap();
    let (a, b) = (load(&text), corten_sim::compile_spec(&again, &Assets::new()).unwrap());
    assert_eq!(
        (&a.plugin, &a.plugin_attr, &a.actuator_plugin),
        (&b.plugin, &b.plugin_attr, &b.actuator_plugin)
    );
    let named = text.replace(
        "<plugin plugin=\"mujoco.pid\"/>",
        "<plugin plugin=\"mujoco.pid\"><instance name=\"fast\"><config key=\"kp\" value=\"7\"/></instance></plugin>",
    );
    let named = named
        .replace(&keys(&[("kp", 40.0), ("kd", 3.0)]), "")
        .replace("plugin=\"mujoco.pid\" joint", "instance=\"fast\" joint");
    let parent = r#"<mujoco><asset><model name="arm" file="arm.xml"/></asset>
        <worldbody><frame><attach model="arm" prefix="l_"/></frame><frame pos="0 1 0"><attach model="arm" prefix="r_"/></frame>
        </worldbody></mujoco>"#;
    let mut assets = Assets::memory_only();
    assets.insert("arm.xml", named.as_bytes().to_vec());
    let m = load_model_str(parent, &assets).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((m.nplugin, m.nu), (2, 2));
    let name = |i| m.object_names.name(corten_model::enums::ObjType::Plugin, i);
    assert_eq!((name(0), name(1)), (Some("l_fast"), Some("r_fast")));
    assert_eq!(m.actuator_plugin, [0, 1]);
    let mut d = Data::new(&m);
    d.ctrl.fill(0.5);
    forward(&m, &mut d).unwrap();
    assert_eq!(d.actuator_force, [3.5, 3.5]);
}

/// A shape of the user's own lies on a plane as a sphere of its size does.
#[test]
fn a_shape_of_the_users_own_collides() {
    let text = r#"<mujoco><extension><plugin plugin="test.clockwork"><instance name="c">
          <config key="force" value="0"/></instance></plugin></extension>
        <asset><mesh name="m"><plugin instance="c"/></mesh></asset>
        <worldbody><geom type="plane" size="1 1 .1"/>
          <body pos="0 0 .1"><freejoint/><geom type="sdf" mesh="m" mass="1"><plugin instance="c"/></geom></body>
        </worldbody></mujoco>"#;
    let registry = Registry::new().with_plugin(Clockwork).unwrap();
    let m = registry.load_str(text, &Assets::memory_only()).unwrap_or_else(|e| panic!("{e}"));
    let volume = 4.0 / 3.0 * std::f64::consts::PI * 1e-3;
    assert!(m.nmeshvert > 1000 && (m.geom_aabb[1][5] - 0.1).abs() < 1e-3, "{volume}");
    let mut d = Data::new(&m);
    for _ in 0..1000 {
        step(&m, &mut d).unwrap();
    }
    assert!(d.ncon > 0 && (d.qpos[2] - 0.1).abs() < 2e-3, "{}", d.qpos[2]);
}
