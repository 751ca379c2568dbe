//! Flexes in motion: against MuJoCo 3.4.0 (`tools/golden_flex.py`), and by what holds for every
//! elastic body.

mod support;

use std::path::PathBuf;

use corten_math::{Quat, Vec3};
use corten_model::Assets;
use corten_model::enums::{DisableBit, EnableBit, Integrator};
use corten_sim::stage::flex::for_each_edge_row;
use corten_sim::{Data, Model, forward, inverse, load_model, step};
use support::{Golden, error, to_f64};

const SCENES: [&str; 5] = ["lines", "sheets", "solids", "bricks", "shell"];
const INTEGRATORS: [Integrator; 4] =
    [Integrator::Euler, Integrator::Rk4, Integrator::Implicit, Integrator::ImplicitFast];

fn path(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/flex").join(file)
}

fn scene(name: &str) -> Model {
    let mut m = load_model(path(&format!("{name}.xml"))).unwrap_or_else(|e| panic!("{e}"));
    m.opt.disableflags |= DisableBit::Contact.raw();
    m.opt.enableflags |= EnableBit::Energy.raw();
    (m.opt.timestep, m.opt.tolerance, m.opt.iterations) = (1e-5, 1e-16, 300);
    m
}

fn size(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |a: f64, x| a.max(x.abs()))
}

/// Largest deviation of a field that is allowed, relative to its largest number or 1.
fn tolerance(field: &str) -> f64 {
    match field {
        "qacc" | "qacc_smooth" | "qfrc_constraint" => 1e-8,
        _ => 1e-11,
    }
}

#[test]
fn stages_are_those_of_mujoco() {
    for name in SCENES {
        let (m, golden) = (scene(name), Golden::read(&path(&format!("{name}.run.cfa"))));
        let states = golden.states();
        assert_eq!(states.len(), 3);
        for k in states {
            let mut d = golden.data(&m, k);
            forward(&m, &mut d).unwrap();
            let expected = |name: &str| golden.get(&format!("state{k}.{name}"));
            let mut compared = 0;
            for (i, info) in Data::ARRAYS.iter().enumerate() {
                let Some(want) = expected(&format!("out.{}", info.name)) else { continue };
                let mut e = error(&want, &to_f64(d.array(i).unwrap()));
                if info.name.starts_with("qfrc_") {
                    // Near rest, elastic forces are small differences of large terms: they are
                    // measured by those of the shaken state.
                    let shaken = golden.get(&format!("state2.out.{}", info.name)).unwrap();
                    e *= size(&want).max(1.0) / size(&want).max(size(&shaken)).max(1.0);
                }
                assert!(e <= tolerance(info.name), "{name}, state {k}: {} {e:.1e}", info.name);
                compared += 1;
            }
            assert!(compared >= 20, "{compared}");
            let (want, got) = (expected("out.energy").unwrap(), &d.energy[..]);
            assert!(error(&want, got) < 1e-12, "{name}, state {k}: {want:?} {got:?}");
            let [mut forwards, mut backwards] = [vec![0.0; m.nflexedge], vec![0.0; m.nv]];
            for_each_edge_row(&m, &d, |edge, columns, entries| {
                for (&dof, x) in columns.iter().zip(entries) {
                    forwards[edge] += x * f64::from(dof);
                    backwards[dof as usize] += x * edge as f64;
                }
            });
            assert!(error(&expected("J_ramp").unwrap(), &forwards) < 1e-12, "{name}");
            assert!(error(&expected("JT_ramp").unwrap(), &backwards) < 1e-12, "{name}");
            d.qacc.copy_from_slice(&expected("out.qacc").unwrap());
            inverse::inverse(&m, &mut d).unwrap();
            assert!(error(&expected("qfrc_inverse").unwrap(), &d.qfrc_inverse) < 1e-8, "{name}");
        }
    }
}

#[test]
fn integrators_are_those_of_mujoco() {
    for name in SCENES {
        let (mut m, golden) = (scene(name), Golden::read(&path(&format!("{name}.run.cfa"))));
        for (k, integrator) in INTEGRATORS.into_iter().enumerate() {
            m.opt.integrator = integrator;
            let mut d = golden.data(&m, 2);
            for _ in 0..20 {
                step(&m, &mut d).unwrap();
            }
            for (field, found) in [("qpos", &d.qpos), ("qvel", &d.qvel)] {
                let want = golden.get(&format!("integrator{k}.{field}")).unwrap();
                let e = error(&want, found);
                assert!(e < 1e-9, "{name}, {integrator:?}: {field} {e:.1e}");
            }
        }
    }
}

/// A free body of each kind, without gravity.
const FREE: [&str; 4] = [
    r#"<flexcomp name="f" type="grid" dim="1" count="5 1 1" spacing=".1 .1 .1">
        <edge stiffness="200" damping=".3"/></flexcomp>"#,
    r#"<flexcomp name="f" type="grid" dim="2" count="4 4 1" spacing=".1 .1 .1">
        <elasticity young="1e4" poisson=".2" thickness=".01" damping=".01" elastic2d="both"/></flexcomp>"#,
    r#"<flexcomp name="f" type="grid" dim="3" count="3 3 3" spacing=".1 .12 .1">
        <elasticity young="1e4" poisson=".2" damping=".01"/></flexcomp>"#,
    r#"<flexcomp name="f" type="grid" dim="3" dof="trilinear" count="3 3 3" spacing=".1 .1 .1">
        <elasticity young="1e4" poisson=".2" damping=".01"/><contact selfcollide="none"/></flexcomp>"#,
];

fn free(body: &str) -> Model {
    let text = format!(
        r#"<mujoco><option gravity="0 0 0" timestep="1e-4"/><worldbody>{body}</worldbody></mujoco>"#
    );
    let mut m = corten_sim::load_model_str(&text, &Assets::new()).unwrap_or_else(|e| panic!("{e}"));
    m.opt.disableflags |= DisableBit::Contact.raw();
    m
}

/// Bodies of vertices or nodes, which all have three slides.
fn points(m: &Model) -> Vec<usize> {
    (1..m.nbody).filter(|&b| m.body_dofnum[b] == 3).collect()
}

/// Data with every point where `motion` takes it from its place at rest.
fn displaced(m: &Model, motion: impl Fn(Vec3) -> Vec3) -> Data {
    let mut d = Data::new(m);
    forward(m, &mut d).unwrap();
    for b in points(m) {
        let shift = motion(d.xpos[b]) - d.xpos[b];
        let q = m.jnt_qposadr[m.body_jntadr[b] as usize] as usize;
        d.qpos[q..q + 3].copy_from_slice(&shift.0);
    }
    d
}

#[test]
fn rigid_motion_causes_no_force() {
    for body in FREE {
        let m = free(body);
        let turn = Quat::from_axis_angle(Vec3([0.6, 0.0, 0.8]), 1.1);
        let mut d = displaced(&m, |x| turn.rotate(x) + Vec3([0.3, -0.2, 0.5]));
        d.qvel.fill(0.0);
        forward(&m, &mut d).unwrap();
        // Against the force of a stretch by one part in a hundred.
        let mut stretched = displaced(&m, |x| x.component_mul(Vec3([1.01, 1.0, 1.0])));
        forward(&m, &mut stretched).unwrap();
        let size = |d: &Data| size(&d.qfrc_passive);
        assert!(size(&stretched) > 1e-3);
        assert!(size(&d) < 1e-8 * size(&stretched), "{:e}", size(&d) / size(&stretched));
    }
}

/// Internal forces of a free body add up to nothing, and do not turn it.
#[test]
fn momentum_is_kept() {
    for body in FREE {
        let m = free(body);
        let wave = |x: Vec3| {
            Vec3([
                0.01 * (9.0 * x[1]).sin(),
                0.008 * (7.0 * x[2] + 5.0 * x[0]).sin(),
                0.01 * x[0] * x[1],
            ])
        };
        let mut d = displaced(&m, |x| x + wave(x));
        for (k, v) in d.qvel.iter_mut().enumerate() {
            *v = 0.1 * (1.3 * k as f64).sin();
        }
        let momentum = |d: &Data| {
            points(&m).iter().fold(Vec3::ZERO, |sum, &b| {
                let v = m.body_dofadr[b] as usize;
                sum + Vec3::from_slice(&d.qvel[v..]) * m.body_mass[b]
            })
        };
        let before = momentum(&d);
        forward(&m, &mut d).unwrap();
        let (mut torque, mut scale) = (Vec3::ZERO, 0.0);
        for b in points(&m) {
            let force = Vec3::from_slice(&d.qfrc_spring[m.body_dofadr[b] as usize..]);
            torque += d.xpos[b].cross(force);
            scale += force.norm();
        }
        // A linear force in a frame that follows the centre of a brick alone turns it a little.
        assert!(torque.norm() < 1e-12 * scale || m.flex_interp[0] != 0, "{torque:?} {scale}");
        for _ in 0..50 {
            step(&m, &mut d).unwrap();
        }
        assert!((momentum(&d) - before).norm() < 1e-13 * (1.0 + scale));
    }
}

/// The force of edge springs is minus the gradient of their energy.
#[test]
fn springs_follow_from_their_energy() {
    let mut m = scene("lines");
    m.opt.disableflags |= DisableBit::Gravity.raw() | DisableBit::Damper.raw();
    let golden = Golden::read(&path("lines.run.cfa"));
    let mut d = golden.data(&m, 2);
    d.qvel.fill(0.0);
    forward(&m, &mut d).unwrap();
    let force = d.qfrc_spring.clone();
    assert!(force.iter().any(|f| f.abs() > 0.1));
    let h = 1e-6;
    for k in 0..m.nv {
        let mut energy = [0.0; 2];
        for (energy, sign) in energy.iter_mut().zip([1.0, -1.0]) {
            let mut moved = d.clone();
            // All joints of the scene have one degree of freedom.
            moved.qpos[k] += sign * h;
            forward(&m, &mut moved).unwrap();
            *energy = moved.energy[0];
        }
        let slope = (energy[0] - energy[1]) / (2.0 * h);
        assert!((force[k] + slope).abs() < 1e-6, "{k}: {} {slope}", force[k]);
    }
}

/// Elastic forces have a symmetric derivative, as those that follow from an energy do.
#[test]
fn elastic_forces_follow_from_an_energy() {
    for body in &FREE[1..3] {
        let m = free(body);
        let mut d =
            displaced(&m, |x| x + Vec3([0.02 * x[1], 0.01 * x[0] * x[0], 0.1 * x[0] * x[1]]));
        let h = 1e-6;
        let mut slopes = vec![vec![0.0; m.nv]; m.nv];
        for (k, slopes) in slopes.iter_mut().enumerate() {
            for sign in [1.0, -1.0] {
                let before = d.qpos[k];
                d.qpos[k] += sign * h;
                forward(&m, &mut d).unwrap();
                d.qpos[k] = before;
                slopes.iter_mut().zip(&d.qfrc_spring).for_each(|(s, f)| *s += sign * f / (2.0 * h));
            }
        }
        let scale = slopes.iter().flatten().fold(0.0, |a: f64, x| a.max(x.abs()));
        for i in 0..m.nv {
            for j in 0..i {
                assert!((slopes[i][j] - slopes[j][i]).abs() < 1e-7 * scale, "{i} {j}");
            }
        }
    }
}

/// Springs and dampers are switched off by their flags; edges keep their lengths.
#[test]
fn flags_act_on_flexes() {
    let golden = Golden::read(&path("lines.run.cfa"));
    for (flag, springs, dampers) in
        [(DisableBit::Spring, false, true), (DisableBit::Damper, true, false)]
    {
        let mut m = scene("lines");
        m.opt.disableflags |= flag.raw();
        m.dof_damping.fill(0.0);
        let mut d = golden.data(&m, 2);
        forward(&m, &mut d).unwrap();
        assert_eq!([size(&d.qfrc_spring) > 0.0, size(&d.qfrc_damper) > 0.0], [springs, dampers]);
        assert!(d.ne > 0 && size(&d.flexedge_length) > 0.0);
        m.opt.disableflags |= DisableBit::Equality.raw();
        forward(&m, &mut d).unwrap();
        assert_eq!(d.ne, 0);
    }
}

/// Trees of flexes stay awake where others fall asleep.
#[test]
fn flexes_never_sleep() {
    let mut m = scene("lines");
    m.opt.enableflags |= EnableBit::Sleep.raw();
    // Whatever may sleep does so at once.
    (m.opt.gravity, m.opt.sleep_tolerance) = (Vec3::ZERO, 1e9);
    let mut d = Data::new(&m);
    for _ in 0..50 {
        step(&m, &mut d).unwrap();
    }
    assert_eq!(d.ntree_awake, m.ntree);
}

/// Indices that make no sense leave a flex out, and nothing panics.
#[test]
fn broken_indices_do_no_harm() {
    for name in SCENES {
        let base = scene(name);
        for bad in [-1, i32::MAX, 1_000_000] {
            type Pick = fn(&mut Model) -> &mut i32;
            let picks: [Pick; 8] = [
                |m| &mut m.flex_edge[0][1],
                |m| &mut m.flex_elem[0],
                |m| &mut m.flex_vertadr[0],
                |m| &mut m.flex_vertnum[0],
                |m| &mut m.flex_elemnum[0],
                |m| &mut m.flex_dim[0],
                |m| &mut m.flex_interp[0],
                |m| &mut m.flex_vertbodyid[0],
            ];
            for pick in picks {
                let mut m = base.clone();
                *pick(&mut m) = bad;
                let mut d = Data::new(&m);
                let _ = step(&m, &mut d);
                let _ = step(&base, &mut d);
                let _ = step(&m, &mut d);
            }
        }
    }
}
