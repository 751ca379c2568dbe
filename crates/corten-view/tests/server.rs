//! The server as tabs see it: what they get, what they can do, and who is kept out.

mod page;

use corten_view::{Options, ServerError, Service, Session, Shown, obey};
use page::{Place, Tab};
use serde_json::Value;

const MODEL: &str = r#"
<mujoco model="tested">
  <worldbody>
    <geom type="plane" size="2 2 .1"/>
    <body name="ball" pos="0 0 1"><freejoint/><geom size=".1"/></body>
    <body name="arm" pos="1 0 1"><joint name="hinge" axis="0 1 0" damping=".1"/><geom type="capsule" size=".05 .2"/></body>
  </worldbody>
  <actuator><motor name="push" joint="hinge" ctrlrange="-1 1"/></actuator>
  <sensor><jointpos joint="hinge"/></sensor>
  <keyframe><key name="turned" qpos="0 0 2 1 0 0 0 .5"/></keyframe>
</mujoco>"#;

fn compile(text: &str) -> corten_sim::Model {
    corten_sim::load_model_str(text, &corten_model::Assets::default()).expect("a model")
}

fn model() -> corten_sim::Model {
    compile(MODEL)
}

fn serve(session: &Session) -> (Service, Place) {
    let service = Service::start(&Options::default(), session.handle()).expect("a server");
    let place = Place::of(service.url());
    (service, place)
}

fn near(value: &Value, wanted: f64) -> bool {
    value.as_f64().is_some_and(|x| (x - wanted).abs() < 1e-9)
}

#[test]
fn only_those_with_the_token_from_this_server_look() {
    let session = Session::start(model(), false);
    let (_service, place) = serve(&session);
    let own = format!("/?token={}", place.token);
    // Without the page there is a line that says how to make it.
    let (status, text) = place.get(&own, &[]);
    assert_eq!(status, if corten_view::is_built() { 200 } else { 404 });
    assert!(corten_view::is_built() || String::from_utf8_lossy(&text).contains("./tools/web"));
    let asset = |path: &str| format!("{path}?token={}", place.token);
    for path in ["/", "/?token=", "/?token=0", "/asset/mesh/0", "/asset/mesh/0?token=1"] {
        assert_eq!(place.status(path, &[]), 403, "{path}");
    }
    for headers in [
        [("Origin", "http://evil.example")],
        [("Origin", "null")],
        [("Origin", "http://127.0.0.1:1")],
        [("Host", "evil.example")],
    ] {
        assert_eq!(place.status(&own, &headers), 403, "{headers:?}");
        assert_eq!(place.status(&asset("/asset/mesh/0"), &headers), 403, "{headers:?}");
    }
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        assert_eq!(Tab::open(&place, origin).err(), Some(403));
    }
    let stranger = Place { token: "0".repeat(32), ..place.clone() };
    assert_eq!(Tab::open(&stranger, &format!("http://{}", place.host)).err(), Some(403));
    for path in ["/asset/mesh/999999", "/asset/mesh/0", "/asset/nothing/0", "/asset/image/0"] {
        assert_eq!(place.status(&asset(path), &[]), 404, "{path}");
    }
    assert_eq!(place.status(&asset("/asset/mesh/-1"), &[]), 400);
    for path in ["/missing.js", "/../Cargo.toml", "/%2e%2e/Cargo.toml", "/assets/../../src/lib.rs"]
    {
        assert_eq!(place.status(path, &[]), 404, "{path}");
    }
}

#[test]
fn a_busy_port_is_said() {
    let session = Session::start(model(), false);
    let (_service, place) = serve(&session);
    let port = place.host.rsplit_once(':').expect("a port").1.parse().expect("a number");
    let options = Options { port, ..Options::default() };
    match Service::start(&options, session.handle()) {
        Err(error @ ServerError::Busy { .. }) => {
            assert!(error.to_string().contains("is in use: choose another one"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn tabs_steer_one_simulation_and_a_reload_keeps_it() {
    let session = Session::start(model(), false);
    let (_service, place) = serve(&session);
    let mut tab = Tab::new(&place);
    assert_eq!(tab.model["name"], "tested");
    assert_eq!(tab.model["bodies"], serde_json::json!(["world", "ball", "arm"]));
    tab.send(r#"{"do":"step","count":5}"#);
    tab.until(|state| near(&state["time"], 0.01));
    tab.send(r#"{"do":"step","count":-2}"#);
    tab.until(|state| near(&state["time"], 0.006));
    tab.send(r#"{"do":"step","count":2}"#);
    tab.until(|state| near(&state["time"], 0.01));
    tab.send(r#"{"do":"vis","id":14,"on":true}"#);
    tab.send(r#"{"do":"play","on":true}"#);
    tab.until(|state| state["time"].as_f64() > Some(0.1));
    tab.send(r#"{"do":"ctrl","id":0,"value":1.0}"#);
    tab.until(|state| state["joints"][0].as_f64() > Some(0.01));
    // A second tab, while the first goes away: as a reload does.
    drop(tab);
    let mut tab = Tab::new(&place);
    assert!(tab.state["time"].as_f64() > Some(0.1) && tab.state["opt"]["vis"][14] == 1);
    let mut other = Tab::new(&place);
    other.send(r#"{"do":"play","on":false}"#);
    tab.until(|state| state["playing"] == false);
    tab.send(r#"{"do":"key","id":0}"#);
    other.until(|state| state["joints"][0] == 0.5);
    other.send(r#"{"do":"reset"}"#);
    tab.until(|state| state["time"] == 0.0 && state["joints"][0] == 0.0);
}

#[test]
fn a_body_is_selected_and_pulled() {
    let session = Session::start(model(), false);
    let (_service, place) = serve(&session);
    let mut tab = Tab::new(&place);
    let view = r#""view":{"pos":[0,-3,1],"forward":[0,1,0],"up":[0,0,1],"half":0.4,"aspect":1.5}"#;
    tab.send(&format!(r#"{{"do":"select",{view},"x":0.5,"y":0.5}}"#));
    tab.until(|state| state["selection"]["name"] == "ball");
    tab.send(r#"{"do":"play","on":true}"#);
    tab.send(&format!(r#"{{"do":"pull",{view},"bits":1}}"#));
    tab.send(&format!(r#"{{"do":"move",{view},"action":3,"dx":0.0,"dy":-0.5}}"#));
    tab.until(|state| state["selection"]["force"][2].as_f64() > Some(0.0));
    tab.until(|state| state["selection"]["pos"][2].as_f64() > Some(1.05));
    tab.send(r#"{"do":"release"}"#);
    tab.until(|state| {
        state["selection"]["active"] == 0 && near(&state["selection"]["force"][2], 0.0)
    });
}

#[test]
fn nonsense_is_answered_and_a_flood_ends_one_tab_only() {
    let session = Session::start(model(), false);
    let (_service, place) = serve(&session);
    let mut tab = Tab::new(&place);
    for nonsense in [
        "nonsense",
        "{}",
        r#"{"do":"fly"}"#,
        r#"{"do":"ctrl","id":-1,"value":0}"#,
        r#"{"do":"ctrl","id":0,"value":"x"}"#,
    ] {
        tab.send(nonsense);
    }
    for void in [
        r#"{"do":"ctrl","id":99,"value":1}"#,
        r#"{"do":"key","id":99}"#,
        r#"{"do":"joint","id":0,"value":1}"#,
        r#"{"do":"label","id":99}"#,
        r#"{"do":"select_body","id":77}"#,
        r#"{"do":"speed","factor":-1e300}"#,
        r#"{"do":"seek","index":5}"#,
        r#"{"do":"reload"}"#,
    ] {
        tab.send(void);
    }
    tab.send(r#"{"do":"step","count":1}"#);
    tab.until(|state| near(&state["time"], 0.002));
    assert_eq!(tab.errors.len(), 5, "{:?}", tab.errors);
    // Longer than any command: the server closes that tab.
    tab.send(&"x".repeat(1 << 20));
    assert!(!tab.comes_to(|_| false));
    assert!(near(&Tab::new(&place).state["time"], 0.002));
}

#[test]
fn clients_that_are_killed_leave_the_others_alone() {
    let session = Session::start(model(), true);
    let (_service, place) = serve(&session);
    for _ in 0..20 {
        // Gone in the middle of what they are sent.
        drop(Tab::open(&place, &format!("http://{}", place.host)));
    }
    let mut tab = Tab::new(&place);
    let time = tab.state["time"].as_f64();
    tab.until(|state| state["time"].as_f64() > time);
    drop(tab);
    while session.handle().tabs().0 > 0 {
        std::thread::yield_now();
    }
    assert!(session.handle().tabs().1.is_some());
}

#[test]
fn a_recording_is_gone_through() {
    let model = model();
    let times: Vec<f64> = (0..50).map(|i| f64::from(i) * 0.1).collect();
    let recorded = times.clone();
    let restore = move |d: &mut corten_sim::Data, i: usize| {
        d.time = recorded[i];
        d.qpos[7] = i as f64;
        Ok(())
    };
    let session = Session::film(model, times, Box::new(restore));
    let (_service, place) = serve(&session);
    let mut tab = Tab::new(&place);
    assert_eq!(tab.state["film"]["count"], 50);
    tab.send(r#"{"do":"seek","index":20}"#);
    tab.until(|state| state["joints"][0] == 20.0 && near(&state["time"], 2.0));
    tab.send(r#"{"do":"step","count":-3}"#);
    tab.until(|state| state["joints"][0] == 17.0);
    tab.send(r#"{"do":"ctrl","id":0,"value":1.0}"#);
    tab.send(r#"{"do":"seek","index":1000}"#);
    tab.until(|state| state["joints"][0] == 49.0 && state["ctrl"][0] == 0.0);
    tab.send(r#"{"do":"speed","factor":100.0}"#);
    tab.send(r#"{"do":"play","on":true}"#);
    tab.until(|state| state["playing"] == true);
    tab.until(|state| state["playing"] == false && state["joints"][0] == 49.0);
}

#[test]
fn a_model_is_loaded_again() {
    let loads = std::sync::atomic::AtomicUsize::new(0);
    let load = move || match loads.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
        0 => Ok(model()),
        1 => Err("line 3: what is this?".to_owned()),
        _ => Ok(compile("<mujoco model='second'/>")),
    };
    let session = Session::load(Box::new(load), false).expect("a model");
    let (_service, place) = serve(&session);
    let mut tab = Tab::new(&place);
    tab.send(r#"{"do":"reload"}"#);
    tab.until(|state| state["failure"] == "line 3: what is this?");
    assert_eq!(tab.model["name"], "tested");
    tab.send(r#"{"do":"reload"}"#);
    tab.until(|state| state["joints"] == serde_json::json!([]));
    assert_eq!(tab.model["name"], "second");
    assert!(Session::load(Box::new(|| Err("no".to_owned())), false).is_err());
}

#[test]
fn an_owner_shows_its_own_simulation() {
    let mut model = model();
    let mut data = model.make_data();
    let session = Session::passive(model.clone());
    let (_service, place) = serve(&session);
    let handle = session.handle();
    let mut tab = Tab::new(&place);
    for _ in 0..5 {
        data.step(&model).expect("a step");
    }
    handle.exchange(&model, &data, Shown::default());
    tab.until(|state| near(&state["time"], 0.01));
    tab.send(r#"{"do":"ctrl","id":0,"value":0.5}"#);
    while data.ctrl[0] != 0.5 {
        let answer = handle.exchange(&model, &data, Shown::default());
        for command in &answer.commands {
            obey(&mut model, &mut data, command);
        }
    }
    tab.send(r#"{"do":"pressed","code":32}"#);
    assert_eq!(handle.next_key(std::time::Duration::from_secs(60)), Some(32));
    tab.send(r#"{"do":"quit"}"#);
    while !handle.has_ended() {
        std::thread::yield_now();
    }
}
