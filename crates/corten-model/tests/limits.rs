//! Texts that ask for more than a machine has: refused at once, with the limit.

use std::time::{Duration, Instant};

use corten_model::{Assets, Spec, compile};

/// What a text is refused with.
fn refusal(text: &str) -> String {
    let start = Instant::now();
    let assets = Assets::memory_only();
    let result = Spec::from_xml_str(text, &assets).and_then(|spec| compile(&spec, &assets));
    let errors = result.map(|_| ()).expect_err(text).to_string();
    assert!(start.elapsed() < Duration::from_secs(20), "{errors}");
    errors
}

fn world(content: &str) -> String {
    format!("<mujoco><worldbody>{content}</worldbody></mujoco>")
}

#[test]
fn nesting_is_bounded() {
    for (open, close) in
        [("<body>", "</body>"), ("<frame>", "</frame>"), ("<replicate count='1'>", "</replicate>")]
    {
        let text = |n: usize| world(&(open.repeat(n) + "<geom size='1'/>" + &close.repeat(n)));
        assert!(refusal(&text(100_000)).contains("500 deep"));
        let spec = Spec::from_xml_str(&text(490), &Assets::memory_only()).unwrap();
        let again = Spec::from_xml_str(&spec.to_xml().unwrap(), &Assets::memory_only()).unwrap();
        assert_eq!(again.geoms.len(), 1);
    }
    let classes: String = (0..100_000).map(|i| format!("<default class='c{i}'>")).collect();
    assert!(refusal(&format!("<mujoco>{classes}")).contains("500 deep"));
}

#[test]
fn copies_are_bounded_together() {
    let geom = "<geom size='1'/>";
    let many = format!("<replicate count='1000000000'>{geom}</replicate>");
    assert!(refusal(&world(&many)).contains("5000000 elements"));
    // A copy has two elements: its frame or body, and the geom. Either alone would do.
    let [few, rest] =
        [100, 2_499_901].map(|count| format!("<replicate count='{count}'>{geom}</replicate>"));
    let several = few + &rest;
    assert!(refusal(&world(&several)).contains("5000000 elements"));
}

#[test]
fn sizes_that_are_numbers_are_bounded() {
    let geom = "<geom name='g' size='1'/><site name='s'/>";
    let huge = 2_000_000_000;
    for size in ["nuser_body", "nuser_geom", "nuserdata", "nkey"] {
        let text = format!("<mujoco><size {size}='{huge}'/><worldbody>{geom}</worldbody></mujoco>");
        assert!(refusal(&text).contains(size), "{size}");
    }
    for sensor in [
        format!("<user dim='{huge}' objtype='site' objname='s'/>"),
        format!("<contact geom1='g' num='{huge}' data='found force'/>"),
    ] {
        let text =
            format!("<mujoco><worldbody>{geom}</worldbody><sensor>{sensor}</sensor></mujoco>");
        assert!(refusal(&text).contains("at most 16777216"));
    }
    for asset in [
        format!("<texture name='t' type='2d' builtin='flat' width='{huge}' height='{huge}'/>"),
        format!("<texture name='t' type='cube' builtin='flat' width='{huge}'/>"),
        format!("<hfield name='h' nrow='{huge}' ncol='{huge}' size='1 1 1 1'/>"),
        format!("<mesh name='m' builtin='wedge' params='{huge} {huge} 90 90 0'/>"),
        format!("<mesh name='m' builtin='plate' params='{huge} {huge}'/>"),
        format!("<mesh name='m' builtin='cone' params='{huge} 1'/>"),
    ] {
        let errors = refusal(&format!("<mujoco><asset>{asset}</asset></mujoco>"));
        let known = ["too large", "too many", "more than"];
        assert!(known.iter().any(|what| errors.contains(what)), "{errors}");
    }
}

/// Names that differ in a number collide in MuJoCo's hash table. Five times as many may take five
/// times as long, not twenty-five; a second of grace is for a busy machine.
#[test]
fn many_similar_names_take_linear_time() {
    let assets = Assets::memory_only();
    let seconds = |count: usize| {
        let sites: String = (0..count).map(|i| format!("<site name='s{i}'/>")).collect();
        let text = world(&sites);
        let start = Instant::now();
        let spec = Spec::from_xml_str(&text, &assets).unwrap();
        let model = compile(&spec, &assets).unwrap().into_model();
        assert_eq!(model.nsite, count);
        start.elapsed().as_secs_f64()
    };
    let (few, many) = (seconds(20_000), seconds(100_000));
    assert!(many < 12.0 * few + 1.0, "{few} and {many} s");
}
