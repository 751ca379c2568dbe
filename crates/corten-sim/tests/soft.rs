//! Bodies of particles in a model, in contact with rigid bodies.

use corten_math::Vec3;
use corten_model::{Assets, Spec};
use corten_sim::{Data, Model, compile_spec, load_model_str, solve, step};
use corten_soft::{
    ChainPreset, Cloth, ClothPreset, Constraint, Deformable, DeformableBody, Material, Measure,
    SoftBodyPreset,
};

const G: f64 = 9.81;

fn load(text: &str) -> Model {
    load_model_str(text, &Assets::new()).unwrap_or_else(|e| panic!("{e}"))
}

fn run(m: &Model, d: &mut Data, seconds: f64) {
    for _ in 0..(seconds / m.opt.timestep).round() as usize {
        step(m, d).unwrap();
    }
}

/// The largest relative deviation of distances.
fn stretch(m: &Model, d: &Data) -> f64 {
    let mut worst: f64 = 0.0;
    for soft in m.soft_bodies() {
        let x: Vec<Vec3> = soft.bodies.iter().map(|&b| d.xpos[b as usize]).collect();
        for c in soft.constraints.as_slice() {
            if let (Measure::Distance { rest, .. }, Some(g)) = (c.measure, c.gradient(&x)) {
                worst = worst.max(g.value.abs() / rest);
            }
        }
    }
    worst
}

/// Force on the box, by its contacts.
fn carried(m: &Model, d: &Data, geom: i32) -> f64 {
    let mut force = 0.0;
    for (i, contact) in d.contact[..d.ncon].iter().enumerate() {
        let sign = match contact.geom {
            [_, second] if second == geom => 1.0,
            [first, _] if first == geom => -1.0,
            _ => continue,
        };
        let f = solve::contact_force(m, d, i);
        let world = (0..3).fold(Vec3::ZERO, |sum, k| sum + contact.frame.row(k) * f[k]);
        force += sign * world[2];
    }
    force
}

const CLOTH: &str = r#"<cortenforge:deformable name="cloth" type="cloth" preset="cotton" count="9 9" spacing=".05" pos="-.2 -.2 .02" radius=".01"/>"#;

/// A box on cloth that covers a plane, and on cloth that hangs free between its pinned corners: contacts carry its weight, as those with a rigid
/// surface do, and constraints hold.
#[test]
fn a_box_on_cloth_feels_its_weight() {
    let scene = |soft: &str, plane: bool| {
        let plane = if plane { r#"<geom type="plane" size="1 1 1"/>"# } else { "" };
        load(&format!(
            r#"<mujoco><option timestep=".002"/><worldbody>{plane}{soft}
            <body pos="0 0 .075"><joint type="free" damping="1"/><geom name="box" type="box" size=".08 .08 .04" mass=".2"/></body></worldbody></mujoco>"#
        ))
    };
    let on_plane = scene(CLOTH, true);
    let leather = CLOTH.replace("cotton", "leather");
    let hung = scene(&leather.replace("radius", r#"pin="0 8 72 80" radius"#), false);
    let rigid = scene("", true);
    let mut forces = Vec::new();
    for m in [&rigid, &on_plane, &hung] {
        let mut d = Data::new(m);
        run(m, &mut d, 4.0);
        let geom = (0..m.ngeom).find(|&g| m.geom_size[g] == Vec3::new(0.08, 0.08, 0.04)).unwrap();
        forces.push(carried(m, &d, geom as i32));
        assert!(stretch(m, &d) < 0.05, "{}", stretch(m, &d));
        assert!(d.qvel.iter().all(|v| v.abs() < 0.05));
    }
    for force in &forces {
        assert!((force / (0.2 * G) - 1.0).abs() < 0.01, "{forces:?}");
    }
}

/// Cloth over a sphere comes to rest, and its edges keep their length.
#[test]
fn cloth_on_a_sphere_comes_to_rest() {
    let m = load(
        r#"<mujoco><option timestep=".004"/><worldbody><geom size=".15"/>
        <cortenforge:deformable name="cloth" type="cloth" preset="leather" count="9 9" spacing=".05" pos="-.2 -.2 .17" radius=".01"/></worldbody></mujoco>"#,
    );
    let mut d = Data::new(&m);
    run(&m, &mut d, 5.0);
    let fastest = d.qvel.iter().fold(0.0, |a: f64, v| a.max(v.abs()));
    assert!(fastest < 1e-3, "{fastest}");
    assert!(d.ncon > 0 && stretch(&m, &d) < 0.01, "{}", stretch(&m, &d));
    // Draped: the rim hangs below the top.
    let low = d.xpos[1..].iter().map(|x| x[2]).fold(f64::MAX, f64::min);
    assert!(low < 0.14, "{low}");
}

/// One particle on a slope: its friction is that of the material, or of the plane if that is larger.
#[test]
fn friction_is_that_of_the_material() {
    let speed = |friction: f64| {
        let material = Material::new(1e6, 0.3, 1000.0, friction);
        let body = Deformable::new(vec![Vec3::new(0.0, 0.0, 0.02)], &[0.1], vec![], material, 0.02)
            .unwrap();
        let text = r#"<mujoco><option gravity="5 0 -8.4" cone="elliptic"/><worldbody><geom type="plane" size="9 9 1" friction=".05"/></worldbody></mujoco>"#;
        let (mut spec, _) = Spec::from_xml_str_with_warnings(text, &Assets::new()).unwrap();
        spec.register_deformable(Spec::WORLD, "p", &body).unwrap();
        let m = compile_spec(&spec, &Assets::new()).unwrap();
        let mut d = Data::new(&m);
        run(&m, &mut d, 1.0);
        d.qvel[0]
    };
    assert!(speed(0.9).abs() < 0.01, "{}", speed(0.9));
    assert!((speed(0.2) - (5.0 - 0.2 * 8.4)).abs() < 0.1, "{}", speed(0.2));
    assert!(speed(0.01) > 4.0);
}

/// A pendulum of one rigid constraint swings with the period of a pendulum; more iterations keep its length better.
#[test]
fn iterations_make_constraints_exact() {
    let rod = Constraint::distance([0, 1], 1.0, 0.0);
    let points = vec![Vec3::ZERO, Vec3::X];
    let body = Deformable::new(points, &[0.0, 1.0], vec![rod], Material::STEEL, 0.01).unwrap();
    let longest = |iterations: i32| {
        let mut spec = Spec::default();
        spec.option.coupling_iterations = iterations;
        spec.option.timestep = 0.01;
        spec.register_deformable(Spec::WORLD, "p", &body).unwrap();
        let m = compile_spec(&spec, &Assets::new()).unwrap();
        let mut d = Data::new(&m);
        let mut worst: f64 = 0.0;
        for _ in 0..100 {
            step(&m, &mut d).unwrap();
            let length = Vec3::new(1.0 + d.qpos[0], d.qpos[1], d.qpos[2]).norm();
            worst = worst.max((length - 1.0).abs());
        }
        worst
    };
    let errors = [1, 2, 4].map(longest);
    assert!(
        errors[0] < 0.02 && errors[1] < 0.2 * errors[0] && errors[2] <= errors[1],
        "{errors:?}"
    );
}

/// A soft cube holds up a rigid plate; a rope hangs and carries a weight through contact of the same list.
#[test]
fn soft_bodies_and_chains_meet_rigid_ones() {
    let m = load(
        r#"<mujoco><option timestep=".002" cortenforge:coupling_iterations="2"/><worldbody><geom type="plane" size="1 1 1"/>
        <cortenforge:deformable name="cube" type="soft" preset="rubber" count="4 4 4" spacing=".05" pos="-.075 -.075 .011" radius=".01"/>
        <cortenforge:deformable name="rope" type="chain" preset="rope" count="11" pos="1 0 1" end="1.5 0 1" pin="0 10"/>
        <body pos="0 0 .25"><freejoint/><geom name="plate" type="box" size=".15 .15 .02" mass="1"/></body></worldbody></mujoco>"#,
    );
    assert_eq!(m.soft_bodies().len(), 2);
    let mut d = Data::new(&m);
    run(&m, &mut d, 2.0);
    let plate = m.ngeom as i32 - 1;
    assert!(d.qpos.iter().all(|q| q.is_finite()));
    assert!((carried(&m, &d, plate) / G - 1.0).abs() < 0.02, "{}", carried(&m, &d, plate));
    assert!(d.qpos[m.nq - 5] > 0.15, "the plate is at {}", d.qpos[m.nq - 5]);
}

#[test]
fn they_are_part_of_files_copies_and_state() {
    let text =
        format!("<mujoco><worldbody><geom type='plane' size='1 1 1'/>{CLOTH}</worldbody></mujoco>");
    let (spec, warnings) = Spec::from_xml_str_with_warnings(&text, &Assets::new()).unwrap();
    assert_eq!(warnings.iter().count(), 0, "{warnings}");
    let first = load(&text);
    let models = [
        load(&spec.to_xml().unwrap()),
        Model::from_bytes(&first.to_bytes()).unwrap(),
        first.clone(),
    ];
    let ahead = |m: &Model| {
        let mut d = Data::new(m);
        run(m, &mut d, 0.2);
        d
    };
    let reference = ahead(&first);
    assert_eq!((first.nv, first.soft_bodies()[0].bodies.len()), (243, 81));
    for m in &models {
        assert_eq!(m.soft_bodies(), first.soft_bodies());
        assert_eq!(ahead(m).qpos, reference.qpos);
    }
    let (mut a, mut b) = (reference.clone(), reference);
    run(&first, &mut a, 0.1);
    run(&first, &mut b, 0.1);
    assert_eq!(a.qpos, b.qpos);
    a.reset(&first).unwrap();
    run(&first, &mut a, 0.3);
    assert_eq!(a.qpos, b.qpos);
    // MuJoCo has particles, but nothing that holds them.
    let (plain, lost) = spec.without_extensions();
    let plain = plain.to_xml().unwrap();
    assert!(!plain.contains("cortenforge") && lost.iter().count() == 1, "{lost}");
}

/// As an element, each of them falls onto a plane and stays whole; strands of hair have less inertia than the compiler takes from bodies.
#[test]
fn every_preset_is_an_element() {
    let names = |all: &[&str]| all.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    let cloths = names(&ClothPreset::ALL.map(|p| p.name));
    let solids = names(&SoftBodyPreset::ALL.map(|p| p.name));
    let chains = names(&ChainPreset::ALL.map(|p| p.name));
    for (kind, presets, shape) in [
        ("cloth", cloths, r#"count="4 4" spacing=".05""#),
        ("soft", solids, r#"count="3 3 3" spacing=".05""#),
        ("chain", chains, r#"count="8" end=".7 0 .1" twist="true""#),
    ] {
        for preset in presets {
            let m = load(&format!(
                r#"<mujoco><worldbody><geom type="plane" size="2 2 1"/>
                <cortenforge:deformable name="b" type="{kind}" preset="{preset}" pos="0 0 .1" {shape}/></worldbody></mujoco>"#
            ));
            let mut d = Data::new(&m);
            run(&m, &mut d, 0.4);
            let lowest = d.xpos.iter().skip(1).map(|x| x[2]).fold(f64::INFINITY, f64::min);
            assert!(d.ncon > 0 && lowest > -0.01, "{kind} {preset}: {lowest}");
        }
    }
}

#[test]
fn what_cannot_be_registered_is_told() {
    let refused = |attributes: &str| {
        let text = format!(
            "<mujoco><worldbody><cortenforge:deformable {attributes}/></worldbody></mujoco>"
        );
        load_model_str(&text, &Assets::new()).unwrap_err().to_string()
    };
    let good = r#"name="a" type="cloth" preset="silk" count="3 3""#;
    load(&format!("<mujoco><worldbody><cortenforge:deformable {good}/></worldbody></mujoco>"));
    assert!(refused(&good.replace("silk", "wool")).contains("cotton"));
    assert!(refused(&good.replace("3 3", "3")).contains("count"));
    assert!(refused(&good.replace("3 3", "99999 99999")).contains("too many"));
    assert!(refused(r#"type="cloth" preset="silk" count="3 3""#).contains("name"));
    assert!(refused(&format!(r#"{good} pin="9""#)).contains("particle 9"));
    assert!(refused(&format!(r#"{good} colour="red""#)).contains("colour"));
    assert!(refused(r#"name="a" type="chain" preset="rope" count="5""#).contains("end"));
    for radius in ["0", "-1", "nan", "inf"] {
        assert!(refused(&format!(r#"{good} radius="{radius}""#)).contains("'radius'"));
    }
    assert!(refused(&format!(r#"{good} weave="0 0 0""#)).contains("warp"));
    for attribute in [r#"end="1 0 0""#, r#"twist="true""#] {
        let text = format!(
            "<mujoco><worldbody><cortenforge:deformable {good} {attribute}/></worldbody></mujoco>"
        );
        let (_, warnings) = Spec::from_xml_str_with_warnings(&text, &Assets::new()).unwrap();
        assert!(warnings.to_string().contains("has no effect on this type"), "{warnings}");
    }
    // Their reserved names, by hand: nothing that does not make a body.
    for (numbers, particles) in [("0 1 2", "p"), ("-1", "p"), ("nan", "p"), ("0", "")] {
        let tuple = match particles {
            "" => String::new(),
            name => format!(
                r#"<tuple name="cortenforge:soft:x"><element objtype="body" objname="{name}"/></tuple>"#
            ),
        };
        let text = format!(
            r#"<mujoco><worldbody><body name="p"><joint type="slide"/><geom size=".1"/></body></worldbody>
            <custom><numeric name="cortenforge:soft:x" data="{numbers}"/>{tuple}</custom></mujoco>"#
        );
        let told = load_model_str(&text, &Assets::new()).unwrap_err().to_string();
        assert!(told.contains("deformable body"), "{told}");
    }
    for count in ["0", "5", "two"] {
        let text =
            format!(r#"<mujoco><option cortenforge:coupling_iterations="{count}"/></mujoco>"#);
        let told = load_model_str(&text, &Assets::new()).unwrap_err().to_string();
        assert!(told.contains("coupling_iterations"), "{told}");
    }
    for (iterations, substeps) in [(0, 1), (5, 1), (1, 0), (1, i32::MAX)] {
        let mut spec = Spec::default();
        (spec.option.coupling_iterations, spec.option.xpbd_substeps) = (iterations, substeps);
        let told = compile_spec(&spec, &Assets::new()).unwrap_err().to_string();
        assert!(told.contains("whole number from 1"), "{told}");
    }
    let cloth = Cloth::grid(Vec3::ZERO, [3, 3], 0.1, &ClothPreset::SILK).unwrap();
    let mut spec = Spec::default();
    spec.register_deformable(Spec::WORLD, "a", &cloth).unwrap();
    let again = spec.register_deformable(Spec::WORLD, "a", &cloth).unwrap_err();
    assert!(again.to_string().contains("already"));
    assert!(spec.register_deformable(Spec::WORLD, "", &cloth).is_err());
    let mut thin = cloth;
    thin.deformable_mut().radius = 0.0;
    assert!(spec.register_deformable(Spec::WORLD, "b", &thin).is_err());
}
