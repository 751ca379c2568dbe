//! `cortenforge:flex="textbook"`: elasticity against closed forms, where MuJoCo 3.4.0 has others.

use corten_math::{Quat, Vec3};
use corten_model::enums::EnableBit;
use corten_model::{Assets, Spec};
use corten_sim::{Data, Model, forward, load_model_str};

const YOUNG: f64 = 2e4;
const POISSON: f64 = 0.3;

fn model(body: &str, textbook: bool) -> Model {
    let form = if textbook { "cortenforge:flex='textbook'" } else { "" };
    let text = format!(
        "<mujoco><option gravity='0 0 0' {form}><flag contact='disable'/></option>
         <worldbody>{body}</worldbody></mujoco>"
    );
    load_model_str(&text, &Assets::new()).unwrap_or_else(|e| panic!("{e}"))
}

/// Elastic forces on the vertices, or nodes, whose bodies slide along the axes of the world, when
/// they are moved from `x` to `place(x)`; with their places at rest.
fn forces(m: &Model, place: impl Fn(Vec3) -> Vec3) -> Vec<(Vec3, Vec3)> {
    let mut d = Data::new(m);
    let bodies: Vec<usize> = (1..m.nbody).filter(|&b| m.body_dofnum[b] == 3).collect();
    for &b in &bodies {
        let x = m.body_pos[b];
        let q = m.jnt_qposadr[m.body_jntadr[b] as usize] as usize;
        let moved = place(x) - x;
        d.qpos[q..q + 3].copy_from_slice(&moved.0);
    }
    forward(m, &mut d).unwrap();
    let force = |&b: &usize| {
        let dof = m.body_dofadr[b] as usize;
        (m.body_pos[b], Vec3::from_slice(&d.qfrc_passive[dof..]))
    };
    bodies.iter().map(force).collect()
}

/// Sum of the forces on what lies at the largest x.
fn pull(forces: &[(Vec3, Vec3)]) -> Vec3 {
    let end = forces.iter().map(|(x, _)| x[0]).fold(f64::MIN, f64::max);
    forces.iter().filter(|(x, _)| x[0] > end - 1e-9).fold(Vec3::ZERO, |sum, (_, f)| sum + *f)
}

/// Stretches along x, with the lateral contraction of a free rod.
fn uniaxial(strain: f64) -> impl Fn(Vec3) -> Vec3 {
    move |x| {
        Vec3::new(x[0] * (1.0 + strain), x[1], x[2]).component_mul(Vec3::new(
            1.0,
            1.0 - POISSON * strain,
            1.0 - POISSON * strain,
        ))
    }
}

fn solid(dof: &str) -> String {
    format!(
        "<flexcomp name='f' type='grid' dim='3' dof='{dof}' count='5 5 5' spacing='.1 .1 .1' mass='1'>
           <elasticity young='{YOUNG}' poisson='{POISSON}'/>
           <contact selfcollide='none' internal='false'/></flexcomp>"
    )
}

/// A patch test: the stress of a rod under tension is `E ε`, and zero across. Small strains: the
/// second order is below one in a thousand.
#[test]
fn solids_under_tension_follow_hooke() {
    let (strain, area) = (1e-5, 0.4 * 0.4);
    for dof in ["full", "trilinear", "quadratic"] {
        let m = model(&solid(dof), true);
        let found = forces(&m, uniaxial(strain));
        let pull = pull(&found);
        let expected = -YOUNG * strain * area;
        assert!((pull[0] / expected - 1.0).abs() < 1e-3, "{dof}: {pull:?} {expected}");
        // Nothing is left on the inside, and nothing across.
        for (x, force) in &found {
            if x[0].abs() < 0.19 {
                assert!(force.norm() < 1e-3 * expected.abs(), "{dof}: {x:?} {force:?}");
            }
        }
        // MuJoCo's formulas give something else.
        let theirs = self::pull(&forces(&model(&solid(dof), false), uniaxial(strain)));
        assert!((theirs[0] / expected - 1.0).abs() > 0.1, "{dof}: {theirs:?}");
    }
}

fn sheet(elastic2d: &str, points: &str) -> String {
    format!(
        "<flexcomp name='f' dim='2' mass='1' {points}>
           <elasticity young='{YOUNG}' poisson='{POISSON}' thickness='.02' elastic2d='{elastic2d}'/>
           <contact selfcollide='none' internal='false'/></flexcomp>"
    )
}

const GRID: &str = "type='grid' count='6 5 1' spacing='.1 .1 .1'";

#[test]
fn sheets_under_tension_follow_hooke() {
    let strain = 1e-5;
    let found = forces(&model(&sheet("stretch", GRID), true), uniaxial(strain));
    let (pull, expected) = (pull(&found), -YOUNG * strain * 0.4 * 0.02);
    assert!((pull[0] / expected - 1.0).abs() < 1e-3, "{pull:?} {expected}");
    for (x, force) in found.iter().filter(|(x, _)| x[0].abs() < 0.24) {
        assert!(force.norm() < 1e-3 * expected.abs(), "{x:?} {force:?}");
    }
}

/// Energy of a sheet of `n` by `m` squares that is bent by `z = ½ κ x²`: forces are linear.
fn bending_energy([n, m]: [usize; 2], curvature: f64) -> f64 {
    let grid = format!("type='grid' count='{} {} 1' spacing='.1 .1 .1'", n + 1, m + 1);
    let z = |x: Vec3| 0.5 * curvature * x[0] * x[0];
    let place = |x: Vec3| Vec3::new(x[0], x[1], z(x));
    let found = forces(&model(&sheet("bend", &grid), true), place);
    found.iter().map(|(x, force)| -0.5 * force[2] * z(*x)).sum()
}

/// What one more square costs, away from borders: `½ D κ²` per area, the energy of a plate.
#[test]
fn bent_sheets_have_the_energy_of_plates() {
    let curvature = 0.1;
    let at = |size| bending_energy(size, curvature);
    let found = at([6, 6]) - at([6, 5]) - at([5, 6]) + at([5, 5]);
    let rigidity = YOUNG * 0.02f64.powi(3) / (12.0 * (1.0 - POISSON * POISSON));
    let expected = 0.5 * rigidity * curvature * curvature * 0.01;
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
}

/// A flat mesh without symmetry rests in its plane, however the triangles list their vertices.
#[test]
fn flat_irregular_sheets_are_at_rest() {
    let points = "type='direct' point='0 0 0  .31 .02 0  .05 .27 0  .36 .33 0  .6 .11 0'
                  element='1 0 2  3 1 2  4 1 3'";
    let largest = |textbook| {
        let found = forces(&model(&sheet("bend", points), textbook), |x| x);
        found.iter().map(|(_, force)| force.norm()).fold(0.0, f64::max)
    };
    assert!(largest(true) < 1e-12, "{}", largest(true));
    assert!(largest(false) > 1e-6, "{}", largest(false));
}

/// Under a body that is turned, slides are turned, too: so are the forces along them.
#[test]
fn forces_turn_with_the_parent() {
    let turn = Quat::from_axis_angle(Vec3::Z, std::f64::consts::FRAC_PI_2);
    for elastic2d in ["stretch", "bend"] {
        let flexcomp = sheet(elastic2d, GRID);
        let turned = format!("<body quat='{} 0 0 {}'>{flexcomp}</body>", turn.0[0], turn.0[3]);
        let shear =
            |x: Vec3| Vec3::new(x[0] + 0.1 * x[1], x[1], 0.2 * x[0] * x[1] + 0.3 * x[1] * x[1]);
        let straight = forces(&model(&flexcomp, true), shear);
        let found = forces(&model(&turned, true), shear);
        let size = straight.iter().map(|(_, f)| f.norm()).fold(0.0, f64::max);
        assert!(size > 1e-3);
        for ((_, a), (_, b)) in straight.iter().zip(&found) {
            assert!((*a - *b).norm() < 1e-9 * size, "{elastic2d}: {a:?} {b:?}");
        }
    }
}

#[test]
fn the_option_is_saved() {
    let text =
        "<mujoco><option cortenforge:flex='textbook'><flag energy='enable'/></option></mujoco>";
    let spec = Spec::from_xml_str(text, &Assets::new()).unwrap_or_else(|e| panic!("{e}"));
    let saved = spec.to_xml().unwrap();
    assert!(saved.contains("cortenforge:flex=\"textbook\""), "{saved}");
    let again = Spec::from_xml_str(&saved, &Assets::new()).unwrap_or_else(|e| panic!("{e}"));
    assert!(again.option.enabled(EnableBit::TextbookFlex));
    assert!(again.option.enabled(EnableBit::Energy));
    let plain = Spec::from_xml_str("<mujoco><option timestep='.1'/></mujoco>", &Assets::new());
    assert!(!plain.unwrap_or_else(|e| panic!("{e}")).to_xml().unwrap().contains("cortenforge"));
    let wrong = "<mujoco><option cortenforge:flex='exact'/></mujoco>";
    assert!(Spec::from_xml_str(wrong, &Assets::new()).is_err());
}
