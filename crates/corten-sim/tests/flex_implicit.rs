//! Elastic forces at the end of the step, `cortenforge:flex="implicit"`.

use corten_math::Vec3;
use corten_model::enums::{ConstraintType, EnableBit};
use corten_model::{Assets, Spec};
use corten_sim::inverse::inverse;
use corten_sim::{Data, Model, StepError, forward, load_model_str, step};

fn model(flex: &str, timestep: f64, options: &str, body: &str) -> Model {
    let text = format!(
        "<mujoco>
           <option timestep='{timestep}' cortenforge:flex='{flex}' {options}/>
           <worldbody>{body}</worldbody></mujoco>"
    );
    load_model_str(&text, &Assets::new()).unwrap_or_else(|e| panic!("{e}"))
}

const WEIGHTLESS: &str = "gravity='0 0 0'";

fn sheet(elasticity: &str) -> String {
    format!(
        "<flexcomp name='sheet' type='grid' dim='2' count='6 5 1' spacing='.1 .1 .1' pos='0 0 .5'
           radius='.01' mass='.3'>
           <elasticity {elasticity}/><contact selfcollide='none'/></flexcomp>"
    )
}

fn solid(dof: &str, young: f64, damping: f64) -> String {
    let count = if dof == "full" { "4 3 3" } else { "6 6 6" };
    format!(
        "<flexcomp name='solid' type='grid' dim='3' count='{count}' spacing='.1 .1 .1' pos='0 0 .5'
           radius='.01' mass='.5' dof='{dof}'>
           <elasticity young='{young}' poisson='.2' damping='{damping}'/>
           <contact selfcollide='none' internal='false'/></flexcomp>"
    )
}

fn rope(stiffness: f64, damping: f64) -> String {
    format!(
        "<flexcomp name='rope' type='grid' dim='1' count='8 1 1' spacing='.1 .1 .1' pos='0 0 .5'
           radius='.01' mass='.2'><pin id='0'/>
           <edge stiffness='{stiffness}' damping='{damping}'/><contact selfcollide='none'/></flexcomp>"
    )
}

/// Numbers that look random, from -1 to 1.
fn noise() -> impl FnMut() -> f64 {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

fn shaken(m: &Model, amount: f64) -> Data {
    let mut d = Data::new(m);
    let mut noise = noise();
    for q in &mut d.qpos {
        *q += amount * noise();
    }
    d
}

/// Energy of motion.
fn kinetic(m: &Model, d: &Data) -> f64 {
    let masses = (0..m.nv).map(|k| m.body_mass[m.dof_bodyid[k] as usize]);
    masses.zip(&d.qvel).map(|(mass, v)| 0.5 * mass * v * v).sum()
}

/// Energy of strain: a quarter of the form of the elongations of squared edge lengths.
fn strain(m: &Model, d: &Data) -> f64 {
    let edges = if m.flex_dim[0] == 2 { 3 } else { 6 };
    let elongation = |edge: i32| {
        let (now, rest) = (d.flexedge_length[edge as usize], m.flexedge_length0[edge as usize]);
        now * now - rest * rest
    };
    let mut energy = 0.0;
    for (upper, edges_of) in m.flex_stiffness.iter().zip(m.flex_elemedge.chunks_exact(edges)) {
        let mut at = 0;
        for i in 0..edges {
            for j in i..edges {
                let twice = if i == j { 1.0 } else { 2.0 };
                energy +=
                    0.25 * twice * upper[at] * elongation(edges_of[i]) * elongation(edges_of[j]);
                at += 1;
            }
        }
    }
    energy
}

/// Steps until something goes wrong.
fn run(m: &Model, d: &mut Data, steps: usize) -> Result<(), StepError> {
    (0..steps).try_for_each(|_| step(m, d))
}

fn fastest(d: &Data) -> f64 {
    d.qvel.iter().fold(0.0, |most: f64, v| most.max(v.abs()))
}

/// 42B AC3: a shell of young 1e12 and thickness 0.01 is stable at steps of 0.01, where explicit forces
/// blow up, and says which flex and element did.
#[test]
fn stiff_shells_are_stable() {
    for elastic2d in ["bend", "stretch", "both"] {
        let body =
            sheet(&format!("young='1e12' poisson='.3' thickness='.01' elastic2d='{elastic2d}'"));
        let m = model("implicit", 0.01, WEIGHTLESS, &body);
        let mut d = shaken(&m, 1e-3);
        run(&m, &mut d, 500).unwrap_or_else(|e| panic!("{elastic2d}: {e}"));
        assert!(fastest(&d) < 1.0, "{elastic2d}: {}", fastest(&d));
        for x in &d.flexvert_xpos {
            assert!((*x - Vec3::new(0.0, 0.0, 0.5)).norm() < 2.0, "{elastic2d}: {x:?}");
        }

        let m = model("mujoco", 0.01, WEIGHTLESS, &body);
        let mut d = shaken(&m, 1e-3);
        match run(&m, &mut d, 100) {
            Err(StepError::FlexBlowUp { flex: 0, ref name, element, step, .. }) => {
                assert_eq!(name, "'sheet'");
                assert!(element < m.nflexelem && step < 100);
            }
            other => panic!("{elastic2d}: {other:?}"),
        }
    }
}

/// The stiff shell lies on the ground, which carries its weight.
#[test]
fn stiff_shells_rest_on_the_ground() {
    let elasticity = "young='1e12' poisson='.3' thickness='.01' elastic2d='both'";
    let ground = "<geom type='plane' size='3 3 .1'/>";
    let m = model("implicit", 0.01, "", &(ground.to_owned() + &sheet(elasticity)));
    let mut d = Data::new(&m);
    run(&m, &mut d, 500).unwrap();
    assert!(fastest(&d) < 1e-3, "{}", fastest(&d));
    let weight = 9.81 * m.body_mass.iter().sum::<f64>();
    let push: f64 = (0..d.ncon).map(|c| corten_sim::solve::contact_force(&m, &d, c)[0]).sum();
    assert!((push / weight - 1.0).abs() < 1e-3, "{push} {weight}");
    for x in &d.flexvert_xpos {
        assert!(x[2] > 0.0 && x[2] < 0.02, "{x:?}");
    }
}

fn materials() -> [(&'static str, String); 7] {
    [
        (
            "bending",
            sheet("young='1e5' poisson='.3' thickness='.02' elastic2d='bend' damping='.01'"),
        ),
        ("shell", sheet("young='1e4' poisson='.3' thickness='.01' elastic2d='both' damping='.01'")),
        ("solid", solid("full", 1e4, 0.01)),
        ("trilinear", solid("trilinear", 1e4, 0.01)),
        ("quadratic", solid("quadratic", 1e4, 0.01)),
        ("rope", rope(200.0, 0.5)),
        (
            "turned",
            format!(
                "<body euler='30 20 50'><joint type='ball'/>
               <geom size='.1' mass='1'/>{}</body>",
                solid("full", 1e4, 0.01)
            ),
        ),
    ]
}

/// For small steps implicit forces are those of always: the difference is of first order.
#[test]
fn small_steps_converge_to_the_explicit_result() {
    for (name, body) in materials() {
        let difference = |h: f64| {
            let end = |flex: &str| {
                let m = model(flex, h, WEIGHTLESS, &body);
                let mut d = shaken(&m, 1e-3);
                run(&m, &mut d, (0.008 / h).round() as usize)
                    .unwrap_or_else(|e| panic!("{name}: {e}"));
                d.qpos.to_vec()
            };
            let (a, b) = (end("textbook implicit"), end("textbook"));
            a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        let [coarse, fine] = [1e-4, 5e-5].map(difference);
        assert!(fine > 0.0 && coarse < 3e-4, "{name}: {coarse} {fine}");
        let order = (coarse / fine).log2();
        assert!((order - 1.0).abs() < 0.15, "{name}: order {order}, {coarse} {fine}");
    }
}

/// Without gravity, a shaken body has less energy with every step, at any step size.
#[test]
fn energy_does_not_grow() {
    for (name, body) in [
        ("shell", sheet("young='1e9' poisson='.3' thickness='.01' elastic2d='stretch'")),
        ("solid", solid("full", 1e9, 0.0)),
    ] {
        for h in [1e-3, 1e-2, 1e-1] {
            let m = model("implicit", h, WEIGHTLESS, &body);
            let mut d = shaken(&m, 1e-3);
            forward(&m, &mut d).unwrap();
            let first = strain(&m, &d) + kinetic(&m, &d);
            let mut last = first;
            for _ in 0..100 {
                step(&m, &mut d).unwrap();
                forward(&m, &mut d).unwrap();
                let energy = strain(&m, &d) + kinetic(&m, &d);
                assert!(
                    energy <= last * (1.0 + 1e-3) + 1e-6 * first,
                    "{name} {h}: {last} {energy}"
                );
                last = energy;
            }
        }
    }
}

/// With small steps little energy is lost.
#[test]
fn energy_is_kept_by_small_steps() {
    let m = model("implicit", 2e-5, WEIGHTLESS, &solid("full", 1e4, 0.0));
    let mut d = shaken(&m, 1e-3);
    forward(&m, &mut d).unwrap();
    let first = strain(&m, &d) + kinetic(&m, &d);
    run(&m, &mut d, 200).unwrap();
    forward(&m, &mut d).unwrap();
    let last = strain(&m, &d) + kinetic(&m, &d);
    assert!((last / first - 1.0).abs() < 0.03, "{first} {last}");
}

/// Rows are internal: they change neither momentum nor angular momentum by pushing from outside.
#[test]
fn rows_have_no_resultant() {
    for (name, body) in materials().into_iter().take(5) {
        let m = model("implicit", 0.01, WEIGHTLESS, &body);
        let mut d = shaken(&m, 1e-3);
        let mut noise = noise();
        d.qvel.iter_mut().for_each(|v| *v = noise());
        forward(&m, &mut d).unwrap();
        assert!(d.efc_type.iter().all(|&t| t == ConstraintType::FlexStiffness.raw()), "{name}");
        let size = d.qfrc_constraint.iter().fold(0.0, |most: f64, f| most.max(f.abs()));
        assert!(size > 0.0, "{name}");
        for axis in 0..3 {
            let sum: f64 = d.qfrc_constraint.iter().skip(axis).step_by(3).sum();
            assert!(sum.abs() < 1e-9 * size * m.nv as f64, "{name}: {sum} {size}");
        }
    }
}

/// Inverse dynamics of the acceleration that forward dynamics finds needs no force.
#[test]
fn inverse_dynamics_agrees() {
    for (name, body) in materials() {
        let m = model("implicit", 0.01, "", &body);
        let mut d = shaken(&m, 1e-3);
        let mut noise = noise();
        d.qvel.iter_mut().for_each(|v| *v = 0.1 * noise());
        forward(&m, &mut d).unwrap();
        let size = d.qfrc_passive.iter().fold(0.0, |most: f64, f| most.max(f.abs()));
        inverse(&m, &mut d).unwrap();
        let left = d.qfrc_inverse.iter().fold(0.0, |most: f64, f| most.max(f.abs()));
        assert!(left < 1e-6 * size, "{name}: {left} {size}");
    }
}

/// What is elastic is one island.
#[test]
fn islands_see_what_is_elastic() {
    let sheet = sheet("young='1e5' thickness='.01' elastic2d='bend'");
    let two = format!("{}<body pos='3 0 0'>{sheet}</body>", solid("full", 1e4, 0.0));
    let m = model("implicit", 0.01, "", &two);
    let mut d = Data::new(&m);
    forward(&m, &mut d).unwrap();
    assert_eq!(d.nisland, 2);
}

#[test]
fn flags_switch_rows_off() {
    let body = sheet("young='1e5' thickness='.01' elastic2d='bend'");
    let text = |flags: &str| {
        format!(
            "<mujoco><option cortenforge:flex='implicit'><flag {flags}/></option>
             <worldbody>{body}</worldbody></mujoco>"
        )
    };
    let rows = |flags: &str| {
        let m = load_model_str(&text(flags), &Assets::new()).unwrap();
        let mut d = Data::new(&m);
        forward(&m, &mut d).unwrap();
        d.nefc
    };
    assert!(rows("") > 0);
    assert_eq!(rows("spring='disable'"), 0);
    assert_eq!(rows("constraint='disable'"), 0);
}

#[test]
fn the_words_are_read_and_saved() {
    for (text, words) in [("implicit", "implicit"), ("implicit textbook", "textbook implicit")] {
        let m = model(text, 0.01, "", &sheet("young='1e5' thickness='.01' elastic2d='bend'"));
        assert!(m.opt.enabled(EnableBit::ImplicitFlex));
        assert_eq!(m.opt.enabled(EnableBit::TextbookFlex), text != "implicit");
        let text = format!("<mujoco><option cortenforge:flex='{text}'/></mujoco>");
        let spec = Spec::from_xml_str(&text, &Assets::new()).unwrap_or_else(|e| panic!("{e}"));
        let saved = spec.to_xml().unwrap();
        assert!(saved.contains(&format!("cortenforge:flex=\"{words}\"")), "{saved}");
    }
    let bad = "<mujoco><option cortenforge:flex='implicit text'/></mujoco>";
    let error = load_model_str(bad, &Assets::new()).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("'text'") && error.contains("textbook, implicit"), "{error}");
}
