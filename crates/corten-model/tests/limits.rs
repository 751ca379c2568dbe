//! Texts that ask for more than a machine has: refused at once, with the limit.

use std::time::{Duration, Instant};

use corten_model::{Assets, Diagnostics, Limits, ReadOptions, Spec, compile};

/// What a text is refused with.
fn refusal(text: &str) -> String {
    refusals(text, &Assets::memory_only(), Limits::default()).to_string()
}

fn refusals(text: &str, assets: &Assets, limits: Limits) -> Diagnostics {
    let start = Instant::now();
    let options = ReadOptions { limits, ..ReadOptions::MUJOCO };
    let spec = Spec::read_str(text, assets, options);
    let result = spec.and_then(|(spec, _)| compile(&spec, assets));
    let errors = result.map(|_| ()).expect_err(text);
    assert!(start.elapsed() < Duration::from_secs(10), "{errors}");
    errors
}

/// The limit that a text meets.
fn limit(text: &str, assets: &Assets, limits: Limits) -> &'static str {
    let errors = refusals(text, assets, limits);
    errors.iter().find_map(|item| item.limit).unwrap_or_else(|| panic!("{errors}"))
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
    assert!(refusal(&world(&many)).contains("1000000 elements"));
    // A copy has two elements: its frame or body, and the geom. Either alone would do.
    let [few, rest] =
        [100, 499_901].map(|count| format!("<replicate count='{count}'>{geom}</replicate>"));
    let several = few + &rest;
    assert!(refusal(&world(&several)).contains("1000000 elements"));
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

/// Copies of copies: the product is known before anything is made.
#[test]
fn nested_copies_are_refused_by_their_product() {
    let (open, close) = ("<replicate count='10'>", "</replicate>");
    let nested = |n: usize| world(&(open.repeat(n) + "<geom size='1'/>" + &close.repeat(n)));
    let start = Instant::now();
    let assets = Assets::memory_only();
    assert_eq!(limit(&nested(12), &assets, Limits::default()), "elements");
    assert_eq!(limit(&nested(200), &assets, Limits::default()), "elements");
    let bodies = "<replicate count='10'><body>".repeat(12) + &"</body></replicate>".repeat(12);
    assert_eq!(limit(&world(&bodies), &assets, Limits::default()), "elements");
    assert!(start.elapsed() < Duration::from_secs(1));
    // One replicate after the other, and within a limit.
    let few = Limits { elements: 50, ..Limits::default() };
    let twice = world(&format!("{open}<site/>{close}{open}<site/>{close}"));
    let three = world(&format!("{open}<site/>{close}").repeat(3));
    assert!(
        Spec::read_str(&twice, &assets, ReadOptions { limits: few, ..ReadOptions::MUJOCO }).is_ok()
    );
    assert_eq!(limit(&three, &assets, few), "elements");
}

/// Thirteen files, each of which attaches the next ten times.
fn nested_attachments(levels: usize) -> (Assets, String) {
    let mut assets = Assets::memory_only();
    let attach = |k: usize| format!("<attach model='a' body='z' prefix='p{k}'/>");
    let content = |level: usize| {
        let next = level + 1;
        let inside: String = (0..10).map(attach).collect();
        format!(
            "<mujoco><asset><model name='a' file='y{next}.xml'/></asset>\
             <worldbody><body name='z'>{inside}</body></worldbody></mujoco>"
        )
    };
    for level in 1..levels {
        assets.insert(&format!("y{level}.xml"), content(level).into_bytes());
    }
    let last = "<mujoco><worldbody><body name='z'><geom size='1'/></body></worldbody></mujoco>";
    assets.insert(&format!("y{levels}.xml"), last.as_bytes());
    (assets, content(0))
}

#[test]
fn attached_elements_are_counted() {
    let (assets, text) = nested_attachments(12);
    assert_eq!(limit(&text, &assets, Limits::default()), "elements");
    let (assets, text) = nested_attachments(2);
    assert_eq!(Spec::from_xml_str(&text, &assets).unwrap().geoms.len(), 100);
    let few = Limits { elements: 1000, ..Limits::default() };
    assert_eq!(limit(&text, &assets, few), "elements");
}

/// A model that names another twice, which does likewise: two to the number of levels.
#[test]
fn files_of_models_are_counted() {
    let mut assets = Assets::memory_only();
    for level in 0..15 {
        let next = level + 1;
        let text = format!(
            "<mujoco><asset><model name='a' file='m{next}.xml'/><model name='b' file='m{next}.xml'/>\
             </asset></mujoco>"
        );
        assets.insert(&format!("m{level}.xml"), text.into_bytes());
    }
    assets.insert("m15.xml", *b"<mujoco/>");
    let text = "<mujoco><asset><model name='a' file='m0.xml'/></asset></mujoco>";
    assert_eq!(limit(text, &assets, Limits::default()), "files");
}

/// Each file includes the next three times, under other spellings of its name.
#[test]
fn a_file_is_included_once_under_all_its_names() {
    let mut assets = Assets::memory_only();
    for level in 0..40 {
        let next = level + 1;
        let spellings =
            ["", "./", "sub/../"].map(|dir| format!("<include file='{dir}x{next}.xml'/>"));
        let text = format!("<mujoco>{}</mujoco>", spellings.concat());
        assets.insert(&format!("x{level}.xml"), text.into_bytes());
    }
    assets.insert("x40.xml", *b"<mujoco><option/></mujoco>");
    let errors = refusals("<mujoco><include file='x0.xml'/></mujoco>", &assets, Limits::default());
    assert_eq!(errors.iter().filter(|e| e.message.contains("included already")).count(), 80);
}

#[test]
fn images_and_points_are_counted_before_they_are_made() {
    let assets = Assets::memory_only();
    let asset = |text: &str| format!("<mujoco><asset>{text}</asset></mujoco>");
    let texture = "<texture name='t' type='2d' builtin='flat' width='26000' height='26000'/>";
    let field = "<hfield name='h' nrow='16384' ncol='16384' size='1 1 1 1'/>";
    for text in [texture, field] {
        assert_eq!(limit(&asset(text), &assets, Limits::default()), "image_bytes");
    }
    let sphere = "<mesh name='m' builtin='supersphere' params='1400 1 1'/>";
    assert_eq!(limit(&asset(sphere), &assets, Limits::default()), "points");
    let grid = "<flexcomp name='f' type='grid' count='100 100 100' spacing='1 1 1' dim='3'/>";
    assert_eq!(limit(&world(grid), &assets, Limits::default()), "points");

    // Two that fit one by one.
    let small = |name: &str| {
        format!("<texture name='{name}' type='2d' builtin='flat' width='100' height='100'/>")
    };
    let limits = Limits { image_bytes: 50_000, ..Limits::default() };
    assert_eq!(limit(&asset(&(small("a") + &small("b"))), &assets, limits), "image_bytes");
    let spec =
        Spec::read_str(&asset(&small("a")), &assets, ReadOptions { limits, ..ReadOptions::MUJOCO });
    assert!(compile(&spec.unwrap().0, &assets).is_ok());
}

/// The mass matrix of a chain grows with the square of its length.
#[test]
fn long_chains_are_bounded() {
    let cable = |n: usize| {
        world(&format!(
            "<composite type='cable' curve='s' count='{n} 1 1' size='1 1 1'>\
             <geom type='capsule' size='.01'/></composite>"
        ))
    };
    let assets = Assets::memory_only();
    assert_eq!(limit(&cable(20_000), &assets, Limits::default()), "model_bytes");
    assert!(compile(&Spec::from_xml_str(&cable(500), &assets).unwrap(), &assets).is_ok());
    let few = Limits { elements: 1000, ..Limits::default() };
    assert_eq!(limit(&cable(500), &assets, few), "elements");
}

/// Regular files that claim to have no content, and would block.
#[test]
#[cfg(target_os = "linux")]
fn files_of_the_system_are_not_waited_for() {
    let text = "<mujoco><include file='/proc/kmsg'/></mujoco>";
    let errors = refusals(text, &Assets::new(), Limits::default()).to_string();
    assert!(errors.contains("empty"), "{errors}");
    let asset = |text: &str| format!("<mujoco><asset>{text}</asset></mujoco>");
    for text in [
        "<mesh name='m' file='/proc/kmsg' content_type='model/obj'/>",
        "<texture name='t' type='2d' file='/proc/kmsg' content_type='image/png'/>",
        "<hfield name='h' size='1 1 1 1' file='/proc/kmsg' content_type='image/png'/>",
        "<model name='a' file='/proc/kmsg'/>",
    ] {
        refusals(&asset(text), &Assets::new(), Limits::default());
    }
}

#[test]
fn large_files_are_refused() {
    let file = std::env::temp_dir().join(format!("corten-limits-{}.xml", std::process::id()));
    std::fs::write(&file, "<mujoco/>").unwrap();
    let text = format!("<mujoco><include file='{}'/></mujoco>", file.display());
    let limits = Limits { file_bytes: 5, ..Limits::default() };
    let errors = refusals(&text, &Assets::new(), limits).to_string();
    std::fs::remove_file(&file).unwrap();
    assert!(errors.contains("'file_bytes', 5"), "{errors}");
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
