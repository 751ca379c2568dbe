//! Fluid forces and their velocity derivatives: closed forms, differences, dissipation. Forces and
//! derivatives of many models are compared with MuJoCo in the Python tests.

use std::f64::consts::PI;

use corten_model::Assets;
use corten_model::enums::Integrator;
use corten_sim::{Data, Model, derivative, forward, load_model_str, step};

fn model(option: &str, bodies: &str) -> Model {
    let text = format!(r#"<mujoco><option {option}/><worldbody>{bodies}</worldbody></mujoco>"#);
    load_model_str(&text, &Assets::memory_only()).unwrap_or_else(|e| panic!("{e}"))
}

fn free(option: &str, geoms: &str) -> Model {
    model(option, &format!(r#"<body pos="0 0 1"><freejoint/>{geoms}</body>"#))
}

const SPHERE: &str = r#"<geom type="sphere" size="0.1" mass="1"/>"#;
const BOX: &str = r#"<geom type="box" size="0.1 0.05 0.025" mass="1"/>"#;
const FLAT: &str =
    r#"<geom type="ellipsoid" size="0.1 0.05 0.02" mass="1" fluidshape="ellipsoid"/>"#;
const VELOCITY: [f64; 6] = [1.2, -0.7, 0.3, 0.5, -1.1, 0.8];

fn moving(m: &Model, qvel: &[f64]) -> Data {
    let mut d = Data::new(m);
    d.qvel.copy_from_slice(qvel);
    forward(m, &mut d).unwrap();
    d
}

/// The derivative of passive forces alone, as a full matrix.
fn passive_derivative(m: &Model, qvel: &[f64]) -> Vec<f64> {
    let mut d = moving(m, qvel);
    d.qDeriv.fill(0.0);
    derivative::passive_velocity(m, &mut d);
    dense(m, &d)
}

fn dense(m: &Model, d: &Data) -> Vec<f64> {
    let mut full = vec![0.0; m.nv * m.nv];
    for i in 0..m.nv {
        let start = m.D_rowadr[i] as usize;
        for k in start..start + m.D_rownnz[i] as usize {
            full[i * m.nv + m.D_colind[k] as usize] = d.qDeriv[k];
        }
    }
    full
}

/// Sides of the box with the mass and the inertia of a body.
fn equivalent_box(mass: f64, inertia: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        (6.0 * (inertia[j] + inertia[k] - inertia[i]) / mass).sqrt()
    })
}

#[test]
fn no_fluid_no_force() {
    let m = free("", SPHERE);
    let d = moving(&m, &VELOCITY);
    assert_eq!(d.qfrc_fluid, [0.0; 6]);
    assert_eq!(d.qfrc_passive, [0.0; 6]);
    assert!(passive_derivative(&m, &VELOCITY).iter().all(|&x| x == 0.0));
}

/// The box of a uniform ball has sides of √(12/5) radii.
#[test]
fn boxes_of_equal_inertia() {
    let m = free(r#"density="1.2""#, SPHERE);
    let sides = equivalent_box(m.body_mass[1], m.body_inertia[1].0);
    for side in sides {
        assert!((side - 0.1 * 2.4f64.sqrt()).abs() < 1e-12);
    }
    let m = free(r#"density="1.2""#, BOX);
    let sides = equivalent_box(m.body_mass[1], m.body_inertia[1].0);
    let mut sorted = sides;
    sorted.sort_by(f64::total_cmp);
    for (side, want) in sorted.iter().zip([0.05, 0.1, 0.2]) {
        assert!((side - want).abs() < 1e-12);
    }
}

/// `−3π d β v` and `−π d³ β ω` with the mean side `d`, at any velocity.
#[test]
fn viscous_forces_of_the_box_model() {
    const VISCOSITY: f64 = 0.3;
    let m = free(r#"viscosity="0.3""#, SPHERE);
    let side = 0.1 * 2.4f64.sqrt();
    let linear = -3.0 * PI * side * VISCOSITY;
    let angular = -PI * side * side * side * VISCOSITY;
    for qvel in [VELOCITY, [0.0; 6], [0.0, 0.0, 5.0, 0.0, 0.0, 0.0]] {
        let d = moving(&m, &qvel);
        let slopes = passive_derivative(&m, &qvel);
        for k in 0..6 {
            let slope = if k < 3 { linear } else { angular };
            assert!((d.qfrc_fluid[k] - slope * qvel[k]).abs() < 1e-12);
            for i in 0..6 {
                let want = if i == k { slope } else { 0.0 };
                assert!((slopes[i * 6 + k] - want).abs() < 1e-12);
            }
        }
    }
}

/// `−ρ/2 A |v| v` and `−ρ d (d⁴ + d⁴)/64 |ω| ω` along one axis.
#[test]
fn quadratic_forces_of_the_box_model() {
    const DENSITY: f64 = 1.2;
    let m = free(r#"density="1.2""#, SPHERE);
    let d = 0.1 * 2.4f64.sqrt();
    let cases = [(2, -0.5 * DENSITY * d * d), (5, -DENSITY * d * 2.0 * d.powi(4) / 64.0)];
    for (axis, factor) in cases {
        let mut qvel = [0.0; 6];
        qvel[axis] = -1.5;
        let found = moving(&m, &qvel).qfrc_fluid;
        let slopes = passive_derivative(&m, &qvel);
        for k in 0..6 {
            let (force, slope) =
                if k == axis { (factor * 1.5 * -1.5, factor * 2.0 * 1.5) } else { (0.0, 0.0) };
            assert!((found[k] - force).abs() < 1e-12);
            assert!((slopes[k * 6 + k] - slope).abs() < 1e-12);
        }
    }
}

/// Viscous and quadratic parts add up, in force and derivative.
#[test]
fn parts_of_the_box_model_add_up() {
    let both = free(r#"density="1.2" viscosity="0.2""#, BOX);
    let parts = [free(r#"density="1.2""#, BOX), free(r#"viscosity="0.2""#, BOX)];
    let slopes = parts.each_ref().map(|m| passive_derivative(m, &VELOCITY));
    let forces = parts.each_ref().map(|m| moving(m, &VELOCITY).qfrc_fluid);
    for (k, x) in passive_derivative(&both, &VELOCITY).iter().enumerate() {
        assert!((x - slopes[0][k] - slopes[1][k]).abs() < 1e-12);
    }
    for (k, x) in moving(&both, &VELOCITY).qfrc_fluid.iter().enumerate() {
        assert!((x - forces[0][k] - forces[1][k]).abs() < 1e-12);
    }
}

fn variety() -> Vec<(&'static str, Model)> {
    let option = r#"density="1.2" viscosity="0.05" wind="0.4 -0.3 0.2""#;
    let two = r#"<geom type="ellipsoid" size="0.1 0.05 0.02" mass="0.5" fluidshape="ellipsoid" pos="-0.15 0 0"/>
                 <geom type="capsule" size="0.04 0.03" mass="0.5" fluidshape="ellipsoid" pos="0.15 0.1 0" euler="20 30 40"/>"#;
    let chain = r#"<body><joint axis="0 1 0"/><geom type="box" size=".2 .02 .05" pos=".2 0 0"/>
        <body pos=".4 0 0"><joint axis="0 0 1"/><geom type="capsule" size=".03 .2" pos=".2 0 0" euler="0 90 0" fluidshape="ellipsoid"/>
          <body pos=".4 0 0"><joint type="ball"/><geom type="ellipsoid" size=".1 .05 .02" pos=".1 0 0" fluidshape="ellipsoid"/></body>
        </body></body>"#;
    vec![
        ("sphere, box model", free(option, SPHERE)),
        ("box, box model", free(option, BOX)),
        ("flat ellipsoid", free(option, FLAT)),
        ("ball as ellipsoid", free(option, r#"<geom size=".1" mass="1" fluidshape="ellipsoid"/>"#)),
        ("two ellipsoids", free(option, two)),
        ("no viscosity", free(r#"density="1000""#, FLAT)),
        ("no density", free(r#"viscosity="1""#, FLAT)),
        ("chain", model(option, chain)),
    ]
}

/// Entry by entry against centred differences, at velocities off the axes.
#[test]
fn derivatives_agree_with_differences() {
    const H: f64 = 1e-6;
    for (name, m) in variety() {
        let qvel: Vec<f64> = VELOCITY[..m.nv].to_vec();
        let analytic = passive_derivative(&m, &qvel);
        for j in 0..m.nv {
            let force = |e: f64| {
                let mut v = qvel.clone();
                v[j] += e;
                moving(&m, &v).qfrc_fluid
            };
            let (plus, minus) = (force(H), force(-H));
            for i in 0..m.nv {
                let difference = (plus[i] - minus[i]) / (2.0 * H);
                let error = (analytic[i * m.nv + j] - difference).abs();
                assert!(error < 1e-5, "{name} ({i}, {j}): {error:.1e}");
            }
        }
    }
}

/// At rest only the viscous part is left, and nothing divides by the speed.
#[test]
fn derivatives_at_rest_and_along_one_axis() {
    for (name, m) in variety() {
        let mut m = m;
        m.opt.wind = corten_math::Vec3::ZERO;
        for k in 0..=m.nv {
            let mut qvel = vec![0.0; m.nv];
            if k < m.nv {
                qvel[k] = 0.7;
            }
            let slopes = passive_derivative(&m, &qvel);
            assert!(slopes.iter().all(|x| x.is_finite()), "{name}");
            if k == m.nv {
                assert!((0..m.nv).all(|i| slopes[i * m.nv + i] <= 0.0), "{name}");
            }
        }
    }
    // A free body at rest in its own axes: the diagonal is Stokes', and nothing else is left.
    for shape in [SPHERE, FLAT] {
        let m = free(r#"density="1.2" viscosity=".3""#, shape);
        let slopes = passive_derivative(&m, &[0.0; 6]);
        for (i, row) in slopes.chunks(6).enumerate() {
            for (j, x) in row.iter().enumerate() {
                assert!(if i == j { *x < -1e-6 } else { *x == 0.0 }, "({i}, {j}): {x}");
            }
        }
        // Stokes: the drag of all axes is one number, that of rotations another.
        assert!(slopes[0] == slopes[7] && slopes[7] == slopes[14]);
        assert!((slopes[21] - slopes[28]).abs() < 1e-15 && (slopes[28] - slopes[35]).abs() < 1e-15);
    }
}

/// The fast implicit integrator takes the symmetric part of each ellipsoid's derivative, the full
/// one all of it.
#[test]
fn symmetry_depends_on_the_integrator() {
    let mut m = free(r#"density="1.2""#, FLAT);
    let asymmetry = |m: &Model| {
        let a = passive_derivative(m, &VELOCITY);
        let pairs = (0..3).flat_map(|i| (3..6).map(move |j| (i, j)));
        pairs.fold(0.0, |w: f64, (i, j)| w.max((a[i * 6 + j] - a[j * 6 + i]).abs()))
    };
    m.opt.integrator = Integrator::Implicit;
    assert!(asymmetry(&m) > 1e-4);
    m.opt.integrator = Integrator::ImplicitFast;
    assert!(asymmetry(&m) < 1e-15);
}

/// Kinetic energy only falls.
#[test]
fn drag_dissipates() {
    for integrator in [Integrator::Implicit, Integrator::ImplicitFast] {
        let mut m = free(r#"density="1.2" gravity="0 0 0" timestep="0.002""#, SPHERE);
        m.opt.integrator = integrator;
        m.opt.enableflags |= corten_model::enums::EnableBit::Energy.raw();
        let mut d = Data::new(&m);
        d.qvel.copy_from_slice(&[1.0, -0.5, 0.3, 0.5, -1.1, 0.8]);
        let mut last = f64::INFINITY;
        for _ in 0..1000 {
            step(&m, &mut d).unwrap();
            assert!(d.energy[1] <= last + 1e-12);
            last = d.energy[1];
        }
    }
}

/// Bodies without mass, written into a model by a program, feel no fluid.
#[test]
fn massless_bodies_are_skipped() {
    for geom in [SPHERE, FLAT] {
        let mut m = free(r#"density="1.2" viscosity="0.1""#, geom);
        m.body_mass[1] = 1e-20;
        let d = moving(&m, &VELOCITY);
        assert_eq!(d.qfrc_fluid, [0.0; 6]);
        assert!(passive_derivative(&m, &VELOCITY).iter().all(|&x| x == 0.0));
    }
}

/// One ellipsoid on a body silences the box model of the whole body; coefficients without the shape
/// count for nothing; defaults reach geoms.
#[test]
fn choice_of_the_model() {
    let mixed = free(
        r#"density="1.2""#,
        &format!(r#"<geom type="sphere" size="0.05" mass="0.5" pos="-.2 0 0"/>{FLAT}"#),
    );
    assert_eq!(mixed.geom_fluid[0], [0.0; 12]);
    assert_eq!(mixed.geom_fluid[1][0], 1.0);

    let plain = free(r#"density="1.2""#, SPHERE);
    let unused = r#"<geom type="sphere" size="0.1" mass="1" fluidcoef="1 .5 2 .5 .5"/>"#;
    let unused = free(r#"density="1.2""#, unused);
    assert_eq!(unused.geom_fluid[0], [0.0; 12]);
    assert_eq!(moving(&plain, &VELOCITY).qfrc_fluid, moving(&unused, &VELOCITY).qfrc_fluid);
    let none = free(r#"density="1.2""#, &FLAT.replace(r#""ellipsoid"/>"#, r#""none"/>"#));
    let absent = free(r#"density="1.2""#, &FLAT.replace(r#"fluidshape="ellipsoid""#, ""));
    assert_eq!(passive_derivative(&none, &VELOCITY), passive_derivative(&absent, &VELOCITY));

    let text = r#"<mujoco><default><geom fluidshape="ellipsoid" fluidcoef="1 .5 2 .5 .25"/></default>
      <worldbody><body><freejoint/><geom size=".1"/></body></worldbody></mujoco>"#;
    let m = load_model_str(text, &Assets::memory_only()).unwrap();
    assert_eq!(m.geom_fluid[0][..6], [1.0, 1.0, 0.5, 2.0, 0.5, 0.25]);
}

/// A word that is no shape is an error; coefficients that are left out keep their defaults.
#[test]
fn attributes_are_checked() {
    let load = |attribute: &str| {
        let text = format!(
            r#"<mujoco><worldbody><body><freejoint/><geom size=".1" {attribute}/></body></worldbody></mujoco>"#
        );
        load_model_str(&text, &Assets::memory_only())
    };
    assert!(load(r#"fluidshape="box""#).is_err());
    let m = load(r#"fluidshape="ellipsoid" fluidcoef="0.7 0.6""#).unwrap();
    assert_eq!(m.geom_fluid[0][1..6], [0.7, 0.6, 1.5, 1.0, 1.0]);
}
