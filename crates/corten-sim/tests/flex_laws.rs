//! Laws of bending and elasticity: forces against energies, against each other, and in models.

use corten_math::{Mat3, Random, Vec3};
use corten_model::{Assets, Spec};
use corten_sim::extend::flex::{
    BridsonBending, CotangentBending, ElementState, FlexBendingModel, FlexBendingType,
    FlexElasticityModel, FlexElasticityType, FlexMaterial, HingeState, Lame, LinearElastic,
    NeoHookean, StrainEnergy,
};
use corten_sim::{Data, Model, forward, load_model_str, step};

const G: f64 = 9.81;
const MATERIAL: FlexMaterial = FlexMaterial { young: 2.0, poisson: 0.3, thickness: 0.1 };
/// Heavy enough that nothing is limited.
const HEAVY: [f64; 4] = [1e-9; 4];

fn hinge(position: [Vec3; 4]) -> HingeState {
    HingeState {
        position,
        velocity: [Vec3::ZERO; 4],
        inverse_mass: HEAVY,
        timestep: 1e-3,
        damping: 0.0,
    }
}

fn near(random: &mut Random, rest: [Vec3; 4], size: f64) -> [Vec3; 4] {
    rest.map(|x| x + Vec3(std::array::from_fn(|_| random.between(-size, size))))
}

/// A flap that is bent at rest.
fn bent() -> [Vec3; 4] {
    [
        Vec3::new(0.0, 0.0, 0.0),
        Vec3::new(1.0, 0.1, 0.0),
        Vec3::new(0.3, 0.8, 0.1),
        Vec3::new(0.6, -0.7, 0.3),
    ]
}

fn tetrahedron() -> [Vec3; 4] {
    [
        Vec3::new(0.1, 0.0, 0.2),
        Vec3::new(1.0, 0.1, 0.0),
        Vec3::new(0.2, 0.9, 0.1),
        Vec3::new(0.3, 0.2, 1.1),
    ]
}

fn sum(v: &[Vec3]) -> Vec3 {
    v.iter().fold(Vec3::ZERO, |sum, &v| sum + v)
}

fn moment(x: &[Vec3], f: &[Vec3]) -> Vec3 {
    x.iter().zip(f).fold(Vec3::ZERO, |sum, (&x, &f)| sum + x.cross(f))
}

/// The derivative of `energy` by every component of the points.
fn slope<const N: usize>(x: [Vec3; N], energy: impl Fn(&[Vec3; N]) -> f64) -> [Vec3; N] {
    let h = 1e-5;
    std::array::from_fn(|i| {
        Vec3(std::array::from_fn(|k| {
            let (mut up, mut down) = (x, x);
            up[i][k] += h;
            down[i][k] -= h;
            (energy(&up) - energy(&down)) / (2.0 * h)
        }))
    })
}

fn assert_close(found: &[Vec3], expected: &[Vec3], tolerance: f64) {
    let scale = expected.iter().map(|x| x.norm()).fold(1e-3, f64::max);
    for (a, b) in found.iter().zip(expected) {
        assert!((*a - *b).norm() < tolerance * scale, "{a:?} for {b:?}");
    }
}

#[test]
fn bending_forces_are_derivatives_of_energies() {
    let laws: [&dyn FlexBendingModel; 2] = [&CotangentBending, &BridsonBending];
    let mut random = Random(1);
    for law in laws {
        let c = law.precompute(&bent(), &MATERIAL);
        for _ in 0..20 {
            let x = near(&mut random, bent(), 0.2);
            let force = law.gradient(&c, &hinge(x));
            assert_close(&force, &slope(x, |x| law.energy(&c, x)), 1e-6);
            assert!(sum(&force).norm() < 1e-14 && moment(&x, &force).norm() < 1e-3);
        }
    }
}

#[test]
fn bridson_feels_no_rigid_motion_and_keeps_momentum() {
    let mut random = Random(2);
    let c = BridsonBending.precompute(&bent(), &MATERIAL);
    for _ in 0..20 {
        let turn = random.rotation();
        let shift = random.direction();
        let moved = bent().map(|x| turn * x + shift);
        let force = BridsonBending.gradient(&c, &hinge(moved));
        assert!(force.iter().all(|f| f.norm() < 1e-13));
        let x = near(&mut random, bent(), 0.3);
        // Limited or not.
        for inverse_mass in [HEAVY, [1e6, 2e6, 3e6, 0.0]] {
            let spin = random.direction();
            let velocity = x.map(|x| spin.cross(x) + shift);
            let state = HingeState { inverse_mass, velocity, damping: 0.1, ..hinge(x) };
            let force = BridsonBending.gradient(&c, &state);
            assert!(sum(&force).norm() < 1e-12 && moment(&x, &force).norm() < 1e-12);
            // No damping of rigid motion.
            let damping = BridsonBending.damping(&c, &state);
            assert!(damping.iter().all(|f| f.norm() < 1e-13));
        }
    }
}

/// Near a flat rest shape both laws are the same quadratic form.
#[test]
fn bridson_and_cotangent_agree_for_small_angles() {
    let mut flat = bent();
    flat.iter_mut().for_each(|x| x[2] = 0.0);
    let a = CotangentBending.precompute(&flat, &MATERIAL);
    let b = BridsonBending.precompute(&flat, &MATERIAL);
    let mut random = Random(3);
    let x = flat.map(|x| x + Vec3::Z * random.between(-1e-4, 1e-4));
    let (a, b) = (CotangentBending.gradient(&a, &hinge(x)), BridsonBending.gradient(&b, &hinge(x)));
    let normal = |f: [Vec3; 4]| f.map(|f| Vec3::Z * f[2]);
    assert!(a[0].norm() > 1e-9);
    let scale = a.iter().map(|f| f.norm()).fold(0.0, f64::max);
    for (a, b) in normal(a).iter().zip(normal(b)) {
        assert!((*a - b).norm() < 1e-3 * scale, "{a:?} {b:?}");
    }
}

fn forces_of<const N: usize>(
    law: &dyn FlexElasticityModel,
    rest: &[Vec3; N],
    position: &[Vec3; N],
    velocity: &[Vec3; N],
    damping: f64,
) -> ([Vec3; N], f64) {
    let c = law.precompute(rest, &MATERIAL);
    let element = ElementState { rest, position, velocity, damping };
    let mut forces = [Vec3::ZERO; N];
    law.forces(&c, &element, &mut forces);
    (forces, law.energy(&c, &element))
}

/// The example of the documentation: the same energy as that of the linear law.
struct StVenant;

impl StVenant {
    fn strain(f: &Mat3) -> Mat3 {
        (f.tmul_mat(f) - Mat3::IDENTITY) * 0.5
    }
}

impl StrainEnergy for StVenant {
    fn density(&self, f: &Mat3, k: &Lame) -> f64 {
        let e = StVenant::strain(f);
        let square: f64 = e.0.iter().map(|x| x * x).sum();
        k.mu * square + 0.5 * k.lambda * e.trace() * e.trace()
    }

    fn stress(&self, f: &Mat3, k: &Lame) -> Mat3 {
        let e = StVenant::strain(f);
        *f * (e * (2.0 * k.mu) + Mat3::IDENTITY * (k.lambda * e.trace()))
    }
}

fn check_elements<const N: usize>(rest: [Vec3; N], law: &dyn FlexElasticityModel, squeezed: f64) {
    let mut random = Random(4);
    let still = [Vec3::ZERO; N];
    for _ in 0..20 {
        let mut x = rest;
        x.iter_mut().for_each(|x| *x += random.direction() * 0.15);
        x.iter_mut().for_each(|x| x[0] *= squeezed);
        let (force, _) = forces_of(law, &rest, &x, &still, 0.0);
        let gradient = slope(x, |x| forces_of(law, &rest, x, &still, 0.0).1);
        assert_close(&force, &gradient.map(|g| -g), 1e-6);
        let scale = force.iter().map(|f| f.norm()).fold(1.0, f64::max);
        assert!(sum(&force).norm() < 1e-12 * scale && moment(&x, &force).norm() < 1e-12 * scale);
        // Rigid motion: no force; damping feels neither shift nor spin, and takes energy otherwise.
        let (turn, shift) = (random.rotation(), random.direction());
        let moved = rest.map(|x| turn * x + shift);
        assert!(forces_of(law, &rest, &moved, &still, 0.0).0.iter().all(|f| f.norm() < 1e-12));
        let spin = x.map(|x| shift.cross(x) + shift);
        let (with, _) = forces_of(law, &rest, &x, &spin, 0.5);
        assert_close(&with, &force, 1e-11);
        let mut shaken = still;
        shaken.iter_mut().for_each(|v| *v = random.direction());
        let (with, _) = forces_of(law, &rest, &x, &shaken, 0.5);
        let power: f64 = (0..N).map(|i| (with[i] - force[i]).dot(shaken[i])).sum();
        assert!(power <= 1e-12, "damping gives energy: {power}");
    }
}

#[test]
fn elastic_forces_are_derivatives_of_energies() {
    let [a, b, c, _] = tetrahedron();
    for law in [&LinearElastic as &dyn FlexElasticityModel, &NeoHookean::default(), &StVenant] {
        check_elements(tetrahedron(), law, 1.0);
        check_elements([a, b, c], law, 1.0);
    }
    // Flattened, and turned inside out.
    check_elements(tetrahedron(), &NeoHookean::default(), 0.05);
    check_elements(tetrahedron(), &NeoHookean::default(), -0.7);
}

/// The energy density of St Venant and Kirchhoff, as a matrix of edges and by strain: two ways to the same forces.
#[test]
fn a_material_of_ones_own_is_as_good_as_a_built_in_one() {
    let (mut random, still) = (Random(5), [Vec3::ZERO; 4]);
    let rest = tetrahedron();
    for _ in 0..10 {
        let x = near(&mut random, rest, 0.3);
        let (a, ea) = forces_of(&LinearElastic, &rest, &x, &still, 0.0);
        let (b, eb) = forces_of(&StVenant, &rest, &x, &still, 0.0);
        assert_close(&a, &b, 1e-12);
        assert!((ea - eb).abs() < 1e-12 * ea.abs().max(1.0));
        let [r, y, v] = [rest, x, still].map(|x| [x[0], x[1], x[2]]);
        assert_close(
            &forces_of(&LinearElastic, &r, &y, &v, 0.0).0,
            &forces_of(&StVenant, &r, &y, &v, 0.0).0,
            1e-12,
        );
    }
}

/// One per cent of strain: Hooke's law of a textbook, which the linear law with a textbook's constants is.
#[test]
fn small_strains_follow_hooke() {
    let still = [Vec3::ZERO; 4];
    let rest = tetrahedron();
    for stretch in [0.99, 1.01] {
        for (kind, x) in [
            ("tension", rest.map(|x| Vec3::new(x[0] * stretch, x[1], x[2]))),
            ("shear", rest.map(|x| Vec3::new(x[0] + (stretch - 1.0) * x[1], x[1], x[2]))),
        ] {
            let (linear, _) = forces_of(&LinearElastic, &rest, &x, &still, 0.0);
            let (rubber, _) = forces_of(&NeoHookean::default(), &rest, &x, &still, 0.0);
            let scale = linear.iter().map(|f| f.norm()).fold(0.0, f64::max);
            for (a, b) in linear.iter().zip(rubber) {
                assert!((*a - b).norm() < 0.05 * scale, "{kind}: {a:?} {b:?}");
            }
            let [r, y, v] = [rest, x, still].map(|x| [x[0], x[1], x[2]]);
            let (linear, _) = forces_of(&LinearElastic, &r, &y, &v, 0.0);
            let (rubber, _) = forces_of(&NeoHookean::default(), &r, &y, &v, 0.0);
            let scale = linear.iter().map(|f| f.norm()).fold(0.0, f64::max);
            for (a, b) in linear.iter().zip(rubber) {
                assert!((*a - b).norm() < 0.05 * scale, "sheet, {kind}: {a:?} {b:?}");
            }
        }
    }
    // Constants of its own instead of those of the flex.
    let Lame { mu, lambda } = Lame::new(&MATERIAL, 3);
    let x = near(&mut Random(6), rest, 0.1);
    let own = forces_of(&NeoHookean::new(mu, lambda), &rest, &x, &still, 0.0);
    assert_eq!(own, forces_of(&NeoHookean::default(), &rest, &x, &still, 0.0));
}

fn sheet(name: &str, attributes: &str, z: f64, young: f64) -> String {
    format!(
        r#"<flexcomp name="{name}" type="grid" count="5 5 1" spacing=".1 .1 .1" pos="0 0 {z}" dim="2" mass=".5" radius=".001" {attributes}>
            <contact selfcollide="none" contype="0" conaffinity="0"/>
            <elasticity young="{young}" poisson=".3" thickness=".01" elastic2d="bend" damping=".01"/></flexcomp>"#
    )
}

fn load(worldbody: &str) -> Model {
    let text =
        format!("<mujoco><option timestep='.002'/><worldbody>{worldbody}</worldbody></mujoco>");
    load_model_str(&text, &Assets::new()).unwrap_or_else(|e| panic!("{e}"))
}

/// Two flexes side by side each follow their own law, as they do alone.
#[test]
fn laws_are_chosen_flex_by_flex() {
    let bridson = r#"cortenforge:bending_model="bridson""#;
    let both = load(&(sheet("a", "", 0.0, 1e4) + &sheet("b", bridson, 1.0, 1e4)));
    assert_eq!(both.flex_bending_model, [0, 1]);
    let forces = |m: &Model, vertices: usize, offset: usize| {
        let mut d = Data::new(m);
        let mut random = Random(7);
        let noise: Vec<f64> = (0..vertices * 3).map(|_| random.between(-0.03, 0.03)).collect();
        for (k, q) in d.qpos.iter_mut().enumerate() {
            *q = noise[k % noise.len()];
        }
        forward(m, &mut d).unwrap();
        d.qfrc_spring[offset..offset + 75].to_vec()
    };
    let alone = [load(&sheet("a", "", 0.0, 1e4)), load(&sheet("b", bridson, 1.0, 1e4))];
    for (k, m) in alone.iter().enumerate() {
        let (one, two) = (forces(m, 25, 0), forces(&both, 25, 75 * k));
        let size = one.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
        assert!(size > 1e-3 && one.iter().zip(&two).all(|(a, b)| (a - b).abs() < 1e-9 * size));
    }
    let [a, b] = [forces(&alone[0], 25, 0), forces(&alone[1], 25, 0)];
    assert_ne!(a, b);
    // Chosen at run time.
    let mut m = alone[0].clone();
    m.flex_bending_model[0] = FlexBendingType::Bridson.raw();
    let (c, b) = (forces(&m, 25, 0), b);
    assert!(b.iter().zip(&c).all(|(b, c)| (b - c).abs() < 1e-9 * b.abs().max(1e-3)));
    m.flex_bending_model[0] = FlexBendingType::Cotangent.raw();
    assert_eq!(forces(&m, 25, 0), a);
}

/// However stiff: hinges are limited to what a step can bear.
#[test]
fn a_stiff_sheet_by_angles_stays_finite() {
    for young in [1e6, 1e9, 1e12] {
        let text = format!(
            r#"<flexcomp name="a" type="grid" count="5 5 1" spacing=".1 .1 .1" dim="2" mass=".5" radius=".001" cortenforge:bending_model="bridson">
            <edge equality="true"/><contact selfcollide="none" contype="0" conaffinity="0"/>
            <elasticity young="{young}" poisson=".3" thickness=".01" elastic2d="bend" damping=".01"/></flexcomp>"#
        );
        let mut m = load(&text);
        m.opt.timestep = 0.01;
        let mut d = Data::new(&m);
        let mut random = Random(8);
        d.qpos.iter_mut().skip(2).step_by(3).for_each(|q| *q = random.between(-0.01, 0.01));
        for _ in 0..500 {
            step(&m, &mut d).unwrap();
        }
        // Falls as a whole.
        let fallen = -G * 5.0;
        for v in d.qvel.chunks_exact(3) {
            let off = Vec3::new(v[0], v[1], v[2] - fallen).norm();
            assert!(off < 1.0, "{young}: {off}");
        }
    }
}

/// A pinned cloth by angles, whose corners belong to the world, hangs without stretching apart.
#[test]
fn a_cloth_by_angles_may_be_pinned() {
    let text = r#"<flexcomp name="a" type="grid" count="6 6 1" spacing=".05 .05 .05" dim="2" mass=".1" radius=".001" cortenforge:bending_model="bridson">
        <edge equality="true"/><pin id="0 5"/><contact selfcollide="none"/>
        <elasticity young="1e5" poisson=".3" thickness=".002" elastic2d="bend" damping=".01"/></flexcomp>"#;
    let m = load(text);
    let mut d = Data::new(&m);
    for _ in 0..1000 {
        step(&m, &mut d).unwrap();
    }
    let low = d.flexvert_xpos.iter().map(|x| x[2]).fold(0.0, f64::min);
    assert!(low < -0.15 && low > -0.5, "{low}");
}

fn cube(law: &str, poisson: f64) -> Model {
    load(&format!(
        r#"<flexcomp name="c" type="grid" count="4 4 4" spacing=".05 .05 .05" dim="3" mass=".5" radius=".001" {law}>
        <pin gridrange="0 0 0 3 3 0"/><contact selfcollide="none" internal="false"/>
        <elasticity young="2e4" poisson="{poisson}" damping=".001"/></flexcomp>"#
    ))
}

fn volume(m: &Model, d: &Data) -> f64 {
    m.flex_elem
        .chunks_exact(4)
        .map(|e| {
            let [a, b, c, x] = [0, 1, 2, 3].map(|k| d.flexvert_xpos[e[k] as usize]);
            ((b - a).cross(c - a).dot(x - a) / 6.0).abs()
        })
        .sum()
}

#[test]
fn a_rubber_cube_under_its_weight_keeps_its_volume() {
    for (poisson, limit) in [(0.3, 0.06), (0.45, 0.02)] {
        let mut m = cube(r#"cortenforge:elasticity_model="neo_hookean""#, poisson);
        m.opt.timestep = 2e-4;
        m.opt.gravity = Vec3::new(4.0, 0.0, -9.81);
        let mut d = Data::new(&m);
        forward(&m, &mut d).unwrap();
        let rest = volume(&m, &d);
        assert!((rest - 0.15f64.powi(3)).abs() < 1e-9);
        for _ in 0..8000 {
            step(&m, &mut d).unwrap();
        }
        let change = (volume(&m, &d) / rest - 1.0).abs();
        let moved = d.qpos.iter().fold(0.0, |a: f64, q| a.max(q.abs()));
        assert!(change < limit && moved > 1e-3, "{poisson}: {change}, {moved}");
        assert!(d.qvel.iter().all(|v| v.abs() < 0.02), "{poisson}: still moving");
    }
}

/// Elements that start inside out find back.
#[test]
fn an_inverted_element_turns_back() {
    let mut m = cube(r#"cortenforge:elasticity_model="neo_hookean""#, 0.3);
    (m.opt.timestep, m.opt.gravity) = (5e-5, Vec3::ZERO);
    let mut d = Data::new(&m);
    // The middle of the top, below the layer under it.
    let body = d.qpos.len() - 3 * 6;
    d.qpos[body + 2] = -0.08;
    forward(&m, &mut d).unwrap();
    let side = |d: &Data, e: &[i32]| {
        let [a, b, c, x] = [0, 1, 2, 3].map(|k| d.flexvert_xpos[e[k] as usize]);
        (b - a).cross(c - a).dot(x - a)
    };
    let inverted = |d: &Data| m.flex_elem.chunks_exact(4).filter(|e| side(d, e) > 0.0).count();
    assert!(inverted(&d) > 0);
    for _ in 0..10000 {
        step(&m, &mut d).unwrap();
    }
    assert!(inverted(&d) == 0 && d.qpos.iter().all(|q| q.abs() < 0.02), "{:?}", d.qpos);
}

/// A sheet of rubber stretches under its weight; the law of the membrane acts.
#[test]
fn a_rubber_sheet_stretches() {
    let text = |law: &str| {
        format!(
            r#"<flexcomp name="a" type="grid" count="4 9 1" spacing=".05 .05 .05" dim="2" mass=".2" radius=".001" euler="90 0 0" {law}>
            <pin gridrange="0 8 3 8"/><contact selfcollide="none"/>
            <elasticity young="1e4" poisson="0" thickness=".005" elastic2d="stretch" damping=".02"/></flexcomp>"#
        )
    };
    let mut m = load(&text(r#"cortenforge:elasticity_model="neo_hookean""#));
    assert_eq!(m.flex_elasticity_model, [FlexElasticityType::NeoHookean.raw()]);
    m.opt.timestep = 2e-4;
    let mut d = Data::new(&m);
    for _ in 0..20000 {
        step(&m, &mut d).unwrap();
    }
    let z = |v: &Vec3| v[2];
    let (low, high) = (
        d.flexvert_xpos.iter().map(z).fold(f64::MAX, f64::min),
        d.flexvert_xpos.iter().map(z).fold(f64::MIN, f64::max),
    );
    // ρ g L² / 2E of the sheet, with masses at the vertices, in the linear limit.
    let (length, width) = (0.4, 0.15);
    let stretch = 0.2 * 9.81 * length / (2.0 * 1e4 * 0.005 * width);
    let found = high - low - length;
    assert!((found / stretch - 1.0).abs() < 0.15, "{found} for {stretch}");
}

#[test]
fn laws_are_saved_and_loaded() {
    let laws = r#"cortenforge:bending_model="bridson" cortenforge:elasticity_model="neo_hookean""#;
    let text = format!(
        r#"<mujoco><worldbody><flexcomp name="a" type="grid" count="3 3 1" spacing=".1 .1 .1" dim="2" mass="1" {laws}>
        <contact selfcollide="none"/><elasticity young="1e4" poisson=".3" thickness=".01" elastic2d="both"/></flexcomp></worldbody></mujoco>"#
    );
    let assets = Assets::new();
    let (spec, warnings) = Spec::from_xml_str_with_warnings(&text, &assets).unwrap();
    assert_eq!(warnings.iter().count(), 0, "{warnings}");
    let written = spec.to_xml().unwrap();
    assert!(written.contains(r#"cortenforge:bending_model="bridson""#), "{written}");
    let (m, again) =
        (load_model_str(&text, &assets).unwrap(), load_model_str(&written, &assets).unwrap());
    for m in [&m, &again, &Model::from_bytes(&m.to_bytes()).unwrap()] {
        assert_eq!((&m.flex_bending_model[..], &m.flex_elasticity_model[..]), (&[1][..], &[1][..]));
        assert_eq!(m.flex_material, [[1e4, 0.3, 0.01]]);
    }
    assert_eq!(m.flex_rest, again.flex_rest);
}

#[test]
fn wrong_laws_are_told() {
    let wrong = |attribute: &str, expected: &[&str]| {
        let text =
            format!("<mujoco><worldbody>{}</worldbody></mujoco>", sheet("a", attribute, 0.0, 1e4));
        let error = load_model_str(&text, &Assets::new()).unwrap_err().to_string();
        assert!(expected.iter().all(|text| error.contains(text)), "{error}");
    };
    wrong(r#"cortenforge:bending_model="bridsen""#, &["bridsen", "cotangent, bridson"]);
    wrong(r#"cortenforge:elasticity_model="rubber""#, &["rubber", "linear, neo_hookean"]);
    wrong(r#"bending_model="bridson""#, &["unknown attribute", "cortenforge:bending_model"]);
    wrong(r#"elasticity_model="linear""#, &["cortenforge:elasticity_model"]);
    // Known, but nothing to act upon.
    let text = format!(
        "<mujoco><worldbody>{}</worldbody></mujoco>",
        sheet("a", r#"cortenforge:elasticity_model="neo_hookean""#, 0.0, 1e4)
    );
    let (spec, warnings) = Spec::from_xml_str_with_warnings(&text, &Assets::new()).unwrap();
    let loaded = corten_sim::build(&spec, &Assets::new(), warnings).unwrap();
    assert!(loaded.warnings.to_string().contains("no effect"), "{}", loaded.warnings);
}

/// A law of the user's own that repeats a built-in one gives the bits of it, in copies of the model too.
#[test]
fn laws_of_ones_own_act_in_steps() {
    let mut linear = cube("", 0.3);
    let mut own = cube(r#"cortenforge:elasticity_model="neo_hookean""#, 0.3);
    (linear.opt.timestep, own.opt.timestep) = (2e-4, 2e-4);
    let run = |m: &Model| {
        let mut d = Data::new(m);
        (0..50).for_each(|_| step(m, &mut d).unwrap());
        d.qpos
    };
    let rubber = run(&own);
    assert_ne!(rubber, run(&linear));
    own.flex_elasticity_model[0] = FlexElasticityType::Linear.raw();
    own.set_flex_elasticity(0, NeoHookean::default()).unwrap();
    assert_eq!(run(&own.clone()), rubber);
    own.set_flex_elasticity(0, StVenant).unwrap();
    assert_ne!(run(&own), rubber);
    let mut sheet = load(&sheet("a", "", 0.0, 1e4));
    sheet.opt.gravity = Vec3::ZERO;
    sheet.set_flex_bending(0, BridsonBending).unwrap();
    assert!(sheet.set_flex_bending(1, BridsonBending).is_err());
    assert!(own.set_flex_bending(0, BridsonBending).is_err());
    let mut d = Data::new(&sheet);
    d.qpos[2] = 0.05;
    forward(&sheet, &mut d).unwrap();
    let by_law = d.qfrc_spring.clone();
    sheet.clear_laws();
    sheet.flex_bending_model[0] = FlexBendingType::Bridson.raw();
    forward(&sheet, &mut d).unwrap();
    assert_eq!(d.qfrc_spring, by_law);
}
