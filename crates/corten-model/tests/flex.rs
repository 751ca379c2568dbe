//! Flexes: what authors are told, copies, and size.

use corten_model::{Assets, Diagnostics, ModelArrays, Spec, compile};

fn compiled(xml: &str, assets: &Assets) -> Result<(ModelArrays, Diagnostics), Diagnostics> {
    let (spec, mut warnings) = Spec::from_xml_str_with_warnings(xml, assets)?;
    let draft = compile(&spec, assets)?;
    warnings.append(draft.warnings.clone());
    Ok((draft.into_model(), warnings))
}

fn load(inside: &str) -> ModelArrays {
    let xml = format!("<mujoco><worldbody>{inside}</worldbody></mujoco>");
    compiled(&xml, &Assets::memory_only()).unwrap_or_else(|e| panic!("{e}")).0
}

fn warnings(inside: &str) -> String {
    let xml = format!("<mujoco><worldbody>{inside}</worldbody></mujoco>");
    compiled(&xml, &Assets::memory_only()).unwrap_or_else(|e| panic!("{e}")).1.to_string()
}

fn refused(xml: &str) -> String {
    let error = compiled(xml, &Assets::memory_only()).expect_err(xml).to_string();
    assert!(error.contains("<string>:1:"), "no place: {error}");
    error
}

fn comp(attributes: &str, children: &str) -> String {
    format!(r#"<flexcomp name="f" {attributes}>{children}</flexcomp>"#)
}

#[test]
fn errors_of_flexcomp_say_what_to_do() {
    let quiet = r#"<contact selfcollide="none"/>"#;
    let cases = [
        (r#"count="3 3 3""#, "", "layers"),
        (r#"count="3 1 1""#, "", "too small"),
        (r#"count="0 3 1""#, "", "too small"),
        (r#"dim="4""#, "", "dimension 4"),
        (r#"count="3 3 1" spacing=".005 1 1""#, "", "'spacing'"),
        (r#"count="3 3 1" mass="0""#, "", "'mass'"),
        (r#"type="box" dim="3" count="1 3 3""#, "", "too small"),
        (r#"dim="3" count="9000 9000 9000""#, "", "more than"),
        (r#"type="mesh""#, "", "'file' is missing"),
        (r#"type="mesh" dim="3" file="a.obj""#, "", "'origin' is missing"),
        (r#"type="gmsh" file="a.msh""#, "", "a.msh"),
        (r#"type="direct" point="0 0 0 1 0 0""#, "", "no points or no elements"),
        (r#"type="direct" point="0 0" element="0 1 2""#, "", "multiples of 3"),
        (r#"type="direct" point="0 0 0 1 0 0 0 1 0" element="0 1 5""#, "", "point 5"),
        (r#"count="3 3 1""#, r#"<pin id="9"/>"#, "'id' of a pin"),
        (r#"count="3 3 1""#, r#"<pin grid="1"/>"#, "2 numbers per point"),
        (r#"type="disc" count="3 3 1""#, r#"<pin grid="1 1"/>"#, "grids"),
        (
            r#"count="3 3 1""#,
            r#"<edge equality="true"/><elasticity elastic2d="both"/>"#,
            "both constrained and elastic",
        ),
        (
            r#"count="3 3 1""#,
            r#"<pin id="0"/><elasticity young="1" thickness=".1" elastic2d="bend"/>"#,
            "three joints",
        ),
        (r#"count="3 3 1""#, r#"<elasticity young="1" elastic2d="bend"/>"#, "thickness"),
        (r#"count="3 3 1""#, r#"<elasticity young="1" poisson=".5"/>"#, "Poisson"),
        (r#"count="3 3 1""#, r#"<edge stiffness="1"/>"#, "'elasticity'"),
        (r#"count="3 3 3" dim="3" dof="trilinear""#, "", "selfcollide=\"none\""),
        (r#"count="5 5 1" dof="trilinear""#, quiet, "flat"),
        (r#"count="3 3 3" dim="3" dof="radial""#, "", ""),
    ];
    for (attributes, children, expected) in cases {
        let xml = format!("<mujoco><worldbody>{}</worldbody></mujoco>", comp(attributes, children));
        if expected.is_empty() {
            continue;
        }
        let error = refused(&xml);
        assert!(error.contains(expected), "{attributes} {children}: {error}");
    }
}

#[test]
fn errors_of_flex_say_what_to_do() {
    let cases = [
        (r#"element="0 1 2""#, "'body' is missing"),
        (r#"body="a""#, "'element' is missing"),
        (r#"body="a" element=" ""#, "'element' is missing"),
        (r#"body="a" vertex="0 0 0 1 0 0 0 1 0" element="0 1""#, "3 vertices per element"),
        (r#"body="a" vertex="0 0 0 1 0 0 0 1 0" element="0 1 3""#, "vertex 3"),
        (r#"body="a" vertex="0 0 0 1 0 0 0 1 0" element="0 1 1""#, "twice"),
        (r#"body="a" vertex="0 0 0 1 0 0" element="0 1 1""#, "not enough"),
        (r#"body="a a" vertex="0 0 0 1 0 0 0 1 0" element="0 1 2""#, "one per vertex"),
        (r#"body="b" vertex="0 0 0 1 0 0 0 1 0" element="0 1 2""#, "no body named 'b'"),
        (r#"body="a" vertex="0 0 0 1 0 0 0 1 0" element="0 1 2" node="a a""#, "8 or 27"),
        (r#"body="a" vertex="0 0 0 1 0 0 0 1 0" element="0 1 2" texcoord="0 0""#, "two per vertex"),
        (
            r#"body="a" vertex="0 0 0 1 0 0 0 1 0" element="0 1 2" material="m""#,
            "no material named 'm'",
        ),
    ];
    for (attributes, expected) in cases {
        let xml = format!(
            r#"<mujoco><worldbody><body name="a"/></worldbody><deformable><flex {attributes}/></deformable></mujoco>"#
        );
        let error = refused(&xml);
        assert!(error.contains(expected), "{attributes}: {error}");
    }
    let rigid = r#"<mujoco><worldbody><flexcomp name="f" count="3 3 1" rigid="true"/></worldbody>
        <equality><flex flex="f"/></equality></mujoco>"#;
    let error = compiled(rigid, &Assets::memory_only()).unwrap_err().to_string();
    assert!(error.contains("rigid already") && error.contains("<string>:2:"), "{error}");
}

/// 3.4.0 takes the truth value of the flag before; where there is none, what is written counts.
#[test]
fn passive_takes_the_flag_before_it() {
    let passive = |outer: &str, inner: &str| {
        let xml = format!(
            r#"<mujoco><worldbody><body name="a"/></worldbody><deformable>
            <flex body="a" vertex="0 0 0 1 0 0 0 1 0" element="0 1 2" {outer}><contact {inner}/></flex>
            </deformable></mujoco>"#
        );
        compiled(&xml, &Assets::memory_only()).unwrap().0.flex_passive[0]
    };
    assert_eq!(passive("", r#"passive="true""#), 1);
    assert_eq!(passive(r#"flatskin="true""#, r#"passive="false""#), 1);
    assert_eq!(passive(r#"flatskin="true""#, r#"internal="false" passive="true""#), 0);
    assert_eq!(passive(r#"flatskin="true""#, ""), 0);
}

#[test]
fn frames_have_no_effect_and_a_warning() {
    let cloth = comp(r#"count="3 3 1""#, "");
    let plain = load(&cloth);
    let framed = format!(r#"<frame pos="1 0 0">{cloth}</frame>"#);
    assert_eq!(load(&framed).body_pos, plain.body_pos);
    assert!(warnings(&framed).contains("frame"));
    assert_eq!(warnings(&format!("<frame>{cloth}</frame>")), "");
}

#[test]
fn unnamed_parents_get_a_name() {
    let m = load(&format!("<body>{}</body>", comp(r#"count="3 3 1""#, r#"<pin id="0"/>"#)));
    assert_eq!((m.nflex, m.nbody), (1, 2 + 8));
    assert_eq!(m.flex_vertbodyid[0], 1);
}

/// Copies have their own bodies, names and constraints, also where they are pinned.
#[test]
fn replicated_flexes() {
    let pinned =
        comp(r#"count="4 3 1" spacing=".1 .1 .1""#, r#"<pin id="0"/><edge equality="true"/>"#);
    let m = load(&format!(r#"<replicate count="3" offset="0 0 1">{pinned}</replicate>"#));
    assert_eq!((m.nflex, m.neq, m.nv), (3, 3, 3 * 33));
    assert_eq!(m.flex_edgeequality, [1; 3]);
    for f in 0..3 {
        let start = m.flex_vertadr[f] as usize;
        let bodies = &m.flex_vertbodyid[start..start + 12];
        // The pinned vertex is on a body that the copy's pose applies to.
        assert_eq!(m.body_pos[bodies[0] as usize][2], f as f64);
        assert!(bodies.windows(2).all(|pair| pair[0] < pair[1]));
    }
    let free = comp(r#"count="12 1 1" dim="1""#, "");
    let m = load(&format!(r#"<replicate count="2" offset="1 0 0">{free}</replicate>"#));
    assert_eq!((m.nflex, m.nbody), (2, 25));
    // Names of vertices with a suffix are no others' names: 'f_1' and '0' make 'f_10'.
    let beside = format!("{free}<replicate count=\"2\"><body/></replicate>");
    assert_eq!(load(&beside).nflex, 1);
}

#[test]
fn attached_flexes_bring_their_constraints() {
    let cloth = comp(r#"count="3 3 1" pos="0 0 1""#, r#"<edge equality="true"/><pin id="4"/>"#);
    let child = format!(r#"<mujoco model="c"><worldbody>{cloth}</worldbody></mujoco>"#);
    let main = r#"<mujoco><asset><model name="c" file="c.xml"/></asset><worldbody>
        <frame pos="0 0 2"><attach model="c" prefix="a_"/></frame></worldbody></mujoco>"#;
    let mut assets = Assets::memory_only();
    assets.insert("c.xml", child.into_bytes());
    let (m, found) = compiled(main, &assets).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((m.nflex, m.neq, m.flex_edgeequality[0]), (1, 1, 1));
    assert!(found.to_string().contains("keep their names"), "{found}");
    // The pinned vertex moves with the frame.
    let body = m.flex_vertbodyid[4] as usize;
    assert_eq!(m.body_pos[body][2] + m.flex_vert[4][2], 3.0);
}

/// MuJoCo writes past the end of an array where the elements are just as many as its limit.
#[test]
fn a_brick_needs_room_for_its_matrix() {
    let bar = |count: usize| {
        let contact = r#"<contact selfcollide="none"/><elasticity young="1"/>"#;
        let count = format!(r#"count="{count} 2 2" dim="3" dof="trilinear""#);
        format!("<mujoco><worldbody>{}</worldbody></mujoco>", comp(&count, contact))
    };
    assert!(refused(&bar(5)).contains("at least 28"));
    assert!(compiled(&bar(6), &Assets::memory_only()).is_ok());
}

/// Compilation grows with the number of elements, not with its square.
#[test]
fn large_cloths_compile_quickly() {
    let start = std::time::Instant::now();
    let m = load(&comp(r#"count="300 300 1""#, r#"<edge equality="true"/>"#));
    assert_eq!((m.nflexvert, m.nflexelem), (90_000, 2 * 299 * 299));
    assert_eq!(m.nflexedge, 2 * 300 * 299 + 299 * 299);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

/// Static bodies are fused whatever flexes there are, but for those that carry vertices. (MuJoCo 3.4.0
/// fuses these too, and then misses them.)
#[test]
fn static_bodies_are_fused_beside_a_flex() {
    let cloth = |pin: &str| {
        format!(
            "<flexcomp name='f' type='grid' count='3 3 1' spacing='.1 .1 .1' dim='2' mass='1' radius='.01'>{pin}\
             </flexcomp>"
        )
    };
    let statics = "<body name='a'><geom size='.1'/></body><body name='b'><geom size='.1'/></body>";
    let bodies = |content: &str| {
        let text = format!(
            "<mujoco><compiler fusestatic='true'/><worldbody>{content}</worldbody></mujoco>"
        );
        let assets = Assets::memory_only();
        let spec = Spec::from_xml_str(&text, &assets).unwrap();
        compile(&spec, &assets).unwrap().into_model().nbody
    };
    // The world, and nine vertices.
    assert_eq!(bodies(&format!("{statics}{}", cloth(""))), 10);
    let holder = format!("<body name='p'>{}</body>", cloth("<pin id='0'/>"));
    assert_eq!(bodies(&format!("{statics}{holder}")), 10);
}
