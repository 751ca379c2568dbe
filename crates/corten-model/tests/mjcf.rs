//! Reading and writing MJCF and URDF: models survive the round trip, mistakes are reported
//! where they are, and no text whatsoever makes the reader panic.

use corten_math::Random;
use corten_model::{Assets, Diagnostics, Spec, compile};

/// Models that together use every element and nearly every attribute.
const MODELS: [(&str, &str); 7] = [
    ("attach.xml", include_str!("models/attach.xml")),
    ("replicate.xml", include_str!("models/replicate.xml")),
    ("cable.xml", include_str!("models/cable.xml")),
    ("frames.xml", include_str!("models/frames.xml")),
    ("actuators.xml", include_str!("models/actuators.xml")),
    ("sensors.xml", include_str!("models/sensors.xml")),
    ("everything.xml", include_str!("models/everything.xml")),
];

fn assets() -> Assets {
    let mut assets = Assets::memory_only();
    assets.insert("child.xml", include_str!("models/child.xml").as_bytes());
    assets.insert("inc.xml", include_str!("models/inc.xml").as_bytes());
    assets
}

fn read(text: &str) -> Result<Spec, Diagnostics> {
    Spec::from_xml_str(text, &assets())
}

/// Error messages with their places.
fn errors(text: &str) -> Vec<String> {
    let findings = read(text).expect_err(text);
    let place = |item: &corten_model::Diagnostic| {
        let place = item.place.as_ref().map(|p| format!("{}:{}", p.line, p.column));
        format!("{} {}", place.unwrap_or_default(), item.message)
    };
    findings.errors().map(place).collect()
}

#[test]
fn models_survive_writing_and_reading() {
    for (name, text) in MODELS {
        let spec = read(text).unwrap_or_else(|findings| panic!("{name}: {findings}"));
        let written = spec.to_xml().unwrap();
        let again = read(&written).unwrap_or_else(|f| panic!("{name}: {f}\n{written}"));
        assert_eq!(written, again.to_xml().unwrap(), "{name}");

        let model = |spec: &Spec| {
            let draft = compile(spec, &assets()).unwrap_or_else(|f| panic!("{name}: {f}"));
            draft.into_model()
        };
        let (first, second) = (model(&spec), model(&again));
        for (a, b) in first.pack().iter().zip(second.pack()) {
            assert_eq!(a.name, b.name);
            // Angles of attached models change their unit, which costs the last bits.
            let same =
                name == "attach.xml" || format!("{:?}", a.values) == format!("{:?}", b.values);
            assert!(same, "{name}: {} differs", a.name);
        }
    }
}

#[test]
fn copies_get_the_names_that_mujoco_gives() {
    let spec = read(include_str!("models/replicate.xml")).unwrap();
    let joints: Vec<&str> = spec.joints.values().map(|j| j.name.as_str()).collect();
    assert_eq!(joints.len(), 12);
    assert_eq!((joints[0], joints[11]), ("j-00", "j-11"));
    // The inner copies carry both suffixes.
    assert!(spec.geoms.values().any(|g| g.name == "g1-07"));
    // One of each per copy, and the originals are gone.
    assert_eq!(spec.sensors.len(), 24);
    assert_eq!(spec.actuators.len(), 12);
    assert_eq!(spec.excludes.len(), 12);
    assert!(spec.find_body("b").is_none());

    let spec = read(include_str!("models/attach.xml")).unwrap();
    assert!(spec.find_body("A_cb").is_some() && spec.find_body("C_cc").is_some());
    let keys: Vec<&str> = spec.attached_keys.iter().map(|k| k.name.as_str()).collect();
    assert_eq!(keys, ["A_home", "B_home", "C_home"]);
}

#[test]
fn a_sensor_without_object_is_copied_with_every_copy() {
    // As MuJoCo does: such a sensor refers to nothing that could be missing.
    let spec = read(
        r#"<mujoco><worldbody><replicate count="3"><body name="b"/></replicate></worldbody>
        <sensor><clock name="c"/></sensor></mujoco>"#,
    )
    .unwrap();
    let names: Vec<&str> = spec.sensors.values().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["c", "c0", "c1", "c01", "c2", "c02", "c12", "c012"]);
}

#[test]
fn all_mistakes_of_a_file_are_reported_where_they_are() {
    let found = errors(
        r#"<mujoco>
  <option timestp="0.1" gravity="0 0"/>
  <worldbody>
    <bdy/>
    <body>
      <joint type="hing"/>
      <geom size="1 2 3 4" rgba="1 1 1 x" quat="0 0 0 0"/>
      <geom class="none" euler="1 2 3" zaxis="0 0 1"/>
    </body>
    <joint/>
  </worldbody>
  <sensor>
    <jointpos/>
    <contact data="force found"/>
  </sensor>
</mujoco>"#,
    );
    assert_eq!(
        found,
        [
            "2:11 unknown attribute 'timestp'",
            "4:5 unknown element 'bdy' in 'worldbody'",
            "2:25 attribute 'gravity': too few values: 2",
            "13:5 required attribute 'joint' is missing",
            "14:14 attribute 'data': 'found' is out of order",
            "6:14 attribute 'type': 'hing' is not a keyword here",
            "7:13 attribute 'size': too many values: 4",
            "7:28 attribute 'rgba': 'x' is not a number",
            "7:43 attribute 'quat': zero quaternion",
            "8:13 unknown default class 'none'",
            "8:7 more than one orientation",
            "10:5 the world cannot have joints",
        ]
    );
}

#[test]
fn advice_goes_with_the_mistake() {
    let text = r#"<mujoco><worldbody><geom typ="sphere"/></worldbody></mujoco>"#;
    let findings = read(text).unwrap_err();
    let item = findings.errors().next().unwrap();
    assert_eq!(item.did_you_mean.as_deref(), Some("type"));
    let shown = findings.to_string();
    assert!(shown.contains("<string>:1:26") && shown.contains("^^^"), "{shown}");
    assert!(findings.iter().any(|item| item.did_you_mean.as_deref() == Some("type")));
}

#[test]
fn unsupported_features_are_named() {
    let rope = r#"<mujoco><worldbody><composite type="rope"/></worldbody></mujoco>"#;
    assert!(errors(rope)[0].contains("no longer exists"));
}

#[test]
fn what_has_no_effect_is_a_warning() {
    let text = r#"<mujoco><worldbody>text<frame color="red"><geom size="1"
        cortenforge:solver="xpbd"/></frame></worldbody></mujoco><more/>"#;
    let (_, warnings) = Spec::from_xml_str_with_warnings(text, &Assets::new()).unwrap();
    let messages: Vec<&str> = warnings.iter().map(|item| item.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "content after the root element is ignored",
            "text between elements is ignored",
            "unknown attribute 'color' is ignored",
            "extension attribute 'cortenforge:solver' has no effect here",
        ]
    );
}

#[test]
fn an_extension_is_written_where_it_is_in_use() {
    for (attribute, written) in [
        (r#"solver="PGS""#, r#"<option solver="PGS"/>"#),
        (r#"solver="CG""#, r#"<option solver="CG"/>"#),
        (
            r#"cortenforge:solver="cgstrict""#,
            r#"<option solver="CG" cortenforge:solver="cgstrict"/>"#,
        ),
    ] {
        let text = format!("<mujoco><option {attribute}/><worldbody/></mujoco>");
        let (spec, warnings) = Spec::from_xml_str_with_warnings(&text, &Assets::new()).unwrap();
        assert_eq!(warnings.iter().count(), 0, "{warnings}");
        let again = spec.to_xml().unwrap();
        assert!(again.contains(written), "{again}");
        let (read, _) = Spec::from_xml_str_with_warnings(&again, &Assets::new()).unwrap();
        assert_eq!(read.option.solver, spec.option.solver);
    }
}

#[test]
fn names_are_checked_although_values_are_wrong() {
    let text = r#"<mujoco><worldbody><body name="a"><joint name="hip" tipe="hinge"/><geom size="x"/></body>
        <body name="a"><geom size="1"/></body></worldbody><actuator><motor joint="hipp"/></actuator></mujoco>"#;
    let found = errors(text);
    let expected =
        ["'tipe'", "not a number", "given to more than one body", "no joint named 'hipp'"];
    assert_eq!(found.len(), expected.len(), "{found:?}");
    assert!(expected.iter().all(|text| found.iter().any(|f| f.contains(text))), "{found:?}");
    // What refers to an element that could not be read is not to blame.
    let text = r#"<mujoco><worldbody><body><jiont name="hip"/><geom size="1"/></body></worldbody>
        <actuator><motor joint="hip"/></actuator></mujoco>"#;
    assert_eq!(errors(text).len(), 1);
}

/// MuJoCo 3.4.0 checks the names in bodies next to the world, and leaves them out.
#[test]
fn bodies_outside_of_the_world_are_ignored() {
    let text = r#"<mujoco><body><geom type="cone"/></body><frame/><replicate/></mujoco>"#;
    let (spec, warnings) = Spec::from_xml_str_with_warnings(text, &Assets::new()).unwrap();
    assert_eq!((spec.bodies.values().count(), spec.geoms.values().count()), (1, 0));
    let messages: Vec<&str> = warnings.iter().map(|item| item.message.as_str()).collect();
    let ignored = ["body", "frame", "replicate"];
    assert_eq!(messages, ignored.map(|name| format!("'{name}' outside of 'worldbody' is ignored")));
    assert!(errors("<mujoco><body colour='1'/></mujoco>")[0].contains("'colour'"));
    assert!(errors("<mujoco><geom/></mujoco>")[0].contains("unknown element 'geom'"));
}

#[test]
fn includes_chain_and_cycles_are_refused() {
    let mut assets = Assets::memory_only();
    assets.insert("a.xml", *b"<mujoco><include file='b.xml'/></mujoco>");
    assets.insert("b.xml", *b"<mujoco>\n<worldbody>\n<geom sise='1'/></worldbody></mujoco>");
    let text = "<mujoco>\n  <include file='a.xml'/>\n</mujoco>";
    let findings = Spec::from_xml_str(text, &assets).unwrap_err();
    let item = findings.errors().next().unwrap();
    assert_eq!(item.place.as_ref().unwrap().to_string(), "b.xml:3:7");
    let chain: Vec<String> = item.include_chain.iter().map(|p| p.to_string()).collect();
    assert_eq!(chain, ["a.xml:1:9", "<string>:2:3"]);

    let mut assets = Assets::memory_only();
    assets.insert("a.xml", *b"<mujoco><include file='b.xml'/></mujoco>");
    assets.insert("b.xml", *b"<mujoco><include file='a.xml'/></mujoco>");
    assert!(Spec::from_xml_str(text, &assets).unwrap_err().to_string().contains("already"));
    assert!(Spec::from_xml_str(text, &Assets::memory_only()).is_err());
}

#[test]
fn defaults_are_inherited_and_frames_bring_a_class() {
    let spec = read(
        r#"<mujoco><default><geom size="1 2 3" group="1"/>
          <default class="a"><geom group="2"/><default class="b"><geom condim="1"/></default></default>
        </default><worldbody>
          <geom/>
          <body childclass="a"><geom/><geom class="b" group="5"/><geom class="main"/>
            <frame childclass="b"><geom/></frame>
          </body>
        </worldbody></mujoco>"#,
    )
    .unwrap();
    let seen: Vec<(i32, i32)> = spec.geoms.values().map(|g| (g.group, g.condim)).collect();
    assert_eq!(seen, [(1, 3), (2, 3), (5, 1), (1, 3), (2, 1)]);
    assert!(spec.geoms.values().all(|g| g.size.0 == [1.0, 2.0, 3.0]));
}

#[test]
fn robots_become_trees() {
    let spec = read(
        r#"<robot name="r"><mujoco><compiler fusestatic="false"/></mujoco>
        <material name="red"><color rgba="1 0 0 1"/></material>
        <link name="base"/>
        <link name="arm"><inertial><origin xyz="1 2 3"/><mass value="2"/>
          <inertia ixx="1" iyy="2" izz="2" ixy="0" ixz="0" iyz="0"/></inertial>
          <visual><geometry><sphere radius="1"/></geometry><material name="red"/></visual>
          <collision name="c"><origin rpy="0 0 1.5"/><geometry><box size="1 2 4"/></geometry></collision>
          <collision name="c"><geometry><mesh filename="package://x/m.stl" scale="2 2 2"/></geometry></collision>
        </link>
        <link name="tool"/>
        <joint name="j" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 1"/>
          <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="-5"/><dynamics damping=".1"/>
          <mimic joint="k"/></joint>
        <joint name="p" type="planar"><parent link="arm"/><child link="tool"/><axis xyz="0 0 1"/></joint>
        <gazebo/></robot>"#,
    )
    .unwrap();
    let names: Vec<&str> = spec.bodies.values().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["world", "base", "arm", "tool"]);
    let joints: Vec<&str> = spec.joints.values().map(|j| j.name.as_str()).collect();
    assert_eq!(joints, ["j", "p_TX", "p_TY", "p_RZ"]);
    let joint = spec.joints.values().next().unwrap();
    assert_eq!((joint.range, joint.actfrcrange, joint.damping), ([-1.0, 1.0], [-5.0, 5.0], 0.1));
    // Visual shapes are discarded, but their colour stays.
    let geoms: Vec<_> = spec.geoms.values().collect();
    assert_eq!(geoms.len(), 2);
    assert_eq!(geoms[0].size.0, [0.5, 1.0, 2.0]);
    assert_eq!(geoms[0].rgba, [1.0, 0.0, 0.0, 1.0]);
    assert_eq!((geoms[0].name.as_str(), geoms[1].name.as_str()), ("c", ""));
    assert_eq!(spec.meshes.values().next().unwrap().file, "m.stl");
    assert!(!spec.compiler.fusestatic && spec.compiler.discardvisual && !spec.compiler.degree);

    let looped = r#"<robot><link name="a"/><link name="b"/>
        <joint name="1" type="fixed"><parent link="a"/><child link="b"/></joint>
        <joint name="2" type="fixed"><parent link="b"/><child link="a"/></joint></robot>"#;
    assert!(errors(looped)[0].contains("loop"));
}

#[test]
fn nesting_is_bounded_and_deep_trees_do_not_overflow() {
    let nested = |n: usize| {
        let open = "<body><geom size='1'/>".repeat(n);
        format!("<mujoco><worldbody>{open}{}</worldbody></mujoco>", "</body>".repeat(n))
    };
    let spec = read(&nested(497)).unwrap();
    assert_eq!(spec.bodies.len(), 498);
    spec.to_xml().unwrap();
    assert!(errors(&nested(600))[0].contains("deep"));

    // A cable nests deeper than any text could; copying it must not recurse either.
    let spec = read(
        r#"<mujoco><worldbody><replicate count="2"><composite type="cable" prefix="c" curve="s"
        count="20000 1 1" size="1"><joint kind="main"/><geom type="capsule" size=".001"/></composite>
        </replicate></worldbody></mujoco>"#,
    )
    .unwrap();
    assert_eq!(spec.bodies.len(), 2 * 19_999 + 1);
    assert!(spec.to_xml().is_err());
}

#[test]
fn huge_requests_are_refused() {
    let copies = r#"<mujoco><worldbody><replicate count="2000000000"><geom size="1"/></replicate>
        </worldbody></mujoco>"#;
    assert!(errors(copies)[0].contains("more than"));
    let field = r#"<mujoco><asset><hfield name="h" nrow="2000000000" ncol="2000000000" size="1 1 1 1"/>
        </asset></mujoco>"#;
    assert!(errors(field)[0].contains("the height field would take more than"));
}

/// One random edit of a text, anywhere a character begins.
fn mutate(text: &str, random: &mut Random) -> String {
    const PIECES: [&str; 24] = [
        "\"",
        "<",
        ">",
        "/>",
        "&#0;",
        "&",
        "nan",
        "inf",
        "-1",
        "1e999",
        "999999999999",
        "0",
        "",
        " 1 2 3 4 5 6 7 8 9",
        "name=\"x\"",
        "<geom/>",
        "</body>",
        "<body>",
        "é",
        "\u{0}",
        "class=\"k\"",
        "count=\"-3\"",
        "<!--",
        "]]>",
    ];
    let starts: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
    let at = starts[random.below(starts.len())];
    let end = starts[random.below(starts.len())];
    let (low, high) = (at.min(end), at.max(end));
    let piece = PIECES[random.below(PIECES.len())];
    match random.below(5) {
        0 => format!("{}{piece}{}", &text[..at], &text[at..]),
        1 => {
            let next = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
            format!("{}{piece}{}", &text[..at], &text[next..])
        }
        2 => format!("{}{}", &text[..low], &text[high..]),
        3 => format!("{}{}", &text[..high.min(low + 200)], &text[low..]),
        _ => {
            // Replaces a whole attribute value.
            let value = text[at..].find('"').map(|i| at + i + 1);
            let close = value.and_then(|v| text[v..].find('"').map(|i| (v, v + i)));
            match close {
                Some((v, c)) => format!("{}{piece}{}", &text[..v], &text[c..]),
                None => text.to_owned(),
            }
        }
    }
}

#[test]
fn no_text_makes_the_reader_panic() {
    let mut random = Random(7);
    let assets = assets();
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..120 {
        for (_, text) in MODELS {
            let mut text = text.to_owned();
            for _ in 0..=round % 3 {
                text = mutate(&text, &mut random);
            }
            match Spec::from_xml_str_with_warnings(&text, &assets) {
                Ok((spec, _)) => {
                    accepted += 1;
                    let _ = spec.to_xml();
                }
                Err(findings) => {
                    refused += 1;
                    assert!(findings.has_errors());
                    let _ = findings.to_string();
                }
            }
        }
    }
    // Both kinds occur, or the edits would be too tame or too wild to tell anything.
    assert!(accepted > 50 && refused > 50, "{accepted} accepted, {refused} refused");
}

/// Every setting, whatever its value, is written and read again.
#[test]
fn all_settings_survive_writing_and_reading() {
    use corten_model::arrays::ArrayRef;
    let mut spec = Spec::new();
    let mut salt = 0.0;
    macro_rules! alter_all {
        ($($record:expr, $Type:ident;)*) => {$(
            for name in corten_model::$Type::FIELDS {
                salt += 0.125;
                let all = $record.clone();
                let altered = match all.field(name).unwrap().1 {
                    ArrayRef::F64(v) => {
                        let v: Vec<f64> = v.iter().map(|x| x + salt).collect();
                        $record.set_field(name, ArrayRef::F64(&v))
                    }
                    ArrayRef::F32(v) => {
                        let v: Vec<f32> = v.iter().map(|x| x + salt as f32).collect();
                        $record.set_field(name, ArrayRef::F32(&v))
                    }
                    // Choices have the values 0 and 1 at least.
                    ArrayRef::I32(v) => {
                        let v: Vec<i32> = v.iter().map(|x| i32::from(*x != 1)).collect();
                        $record.set_field(name, ArrayRef::I32(&v))
                    }
                    ArrayRef::U8(v) => {
                        let v: Vec<u8> = v.iter().map(|x| u8::from(*x != 1)).collect();
                        $record.set_field(name, ArrayRef::U8(&v))
                    }
                };
                altered.unwrap();
                assert_ne!($record.field(name), all.field(name), "{name}");
            }
        )*};
    }
    alter_all! {
        spec.option, Options;
        spec.visual.global, VisualGlobal;
        spec.visual.quality, VisualQuality;
        spec.visual.headlight, VisualHeadlight;
        spec.visual.map, VisualMap;
        spec.visual.scale, VisualScale;
        spec.visual.rgba, VisualRgba;
    }
    // Numbers that have a range.
    spec.option.xpbd_substeps = 7;
    spec.option.coupling_iterations = 3;
    spec.stat.extent = Some(3.0);
    spec.stat.meaninertia = Some(4.0);
    spec.stat.meanmass = Some(5.0);
    spec.stat.meansize = Some(6.0);
    spec.stat.center = Some(corten_math::Vec3([7.0, 8.0, 9.0]));
    let again = read(&spec.to_xml().unwrap()).unwrap();
    assert_eq!(spec.option, again.option);
    assert_eq!(spec.visual, again.visual);
    assert_eq!(spec.stat, again.stat);
}

/// A name inside of `replicate` may come again after it, not before.
#[test]
fn names_before_a_replicate_are_taken() {
    let world = |text: String| format!("<mujoco><worldbody>{text}</worldbody></mujoco>");
    for element in [
        "<camera name='c'/>",
        "<geom name='c' size='1'/>",
        "<site name='c'/>",
        "<light name='c'/>",
        "<body name='c'/>",
        "<body><joint name='c'/><geom size='1'/></body>",
    ] {
        let copies = format!("<replicate count='2'>{element}</replicate>");
        let before = world(format!("{element}{copies}"));
        assert!(errors(&before)[0].contains("'c' of a"), "{before}");
        let after = world(format!("{copies}{element}"));
        assert!(Spec::from_xml_str(&after, &Assets::memory_only()).is_ok(), "{after}");
        let nested = world(format!("<replicate count='2'>{element}{copies}</replicate>"));
        assert!(errors(&nested)[0].contains("'c' of a"), "{nested}");
    }
}

/// MuJoCo looks for the geom of a copied tendon together with a side site, also where there is none.
#[test]
fn copied_tendons_around_geoms_need_side_sites() {
    let text = |inside: &str, side: &str| {
        format!(
            "<mujoco><worldbody><geom name='g2' type='cylinder' size='.1 .1'/>\
             <geom name='g20' type='box' size='.1 .1 .1'/><site name='a' pos='1 0 0'/>\
             <site name='b' pos='0 1 0'/><site name='s'/>\
             <replicate count='1'><body><freejoint/><geom size='.1'/>{inside}</body></replicate>\
             </worldbody><tendon><spatial name='t'><site site='a'/><geom geom='g2' {side}/>\
             <site site='b'/></spatial></tendon></mujoco>"
        )
    };
    let tendons = |text: String| {
        let spec = Spec::from_xml_str(&text, &Assets::memory_only()).unwrap();
        compile(&spec, &Assets::memory_only()).unwrap().into_model().ntendon
    };
    assert_eq!(tendons(text("", "")), 1);
    assert_eq!(tendons(text("", "sidesite='s'")), 1);
    let whole = |side: &str| {
        format!(
            "<mujoco><worldbody><replicate count='2'><body><joint/>\
             <geom name='g' type='cylinder' size='.1 .1'/><site name='a' pos='1 0 0'/>\
             <site name='b' pos='0 1 0'/><site name='s'/></body></replicate></worldbody>\
             <tendon><spatial name='t'><site site='a'/><geom geom='g' {side}/><site site='b'/>\
             </spatial></tendon></mujoco>"
        )
    };
    assert_eq!(tendons(whole("sidesite='s'")), 2);
    assert_eq!(tendons(whole("")), 0);
}
