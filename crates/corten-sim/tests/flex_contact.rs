//! Contacts of flexes against MuJoCo 3.4.0 (`tools/golden_flex_contact.py`).

mod support;

use std::path::PathBuf;

use corten_model::enums::{Cone, DisableBit, EnableBit, JacobianType, Solver};
use corten_sim::{Contact, Model, forward, load_model, solve, step};
use support::{Golden, error};

const SCENES: [&str; 4] = ["drape", "tangle", "crossing", "cushion"];

fn path(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/flex_contact").join(file)
}

fn scene(name: &str, variant: usize) -> Model {
    let mut m = load_model(path(&format!("{name}.xml"))).unwrap_or_else(|e| panic!("{e}"));
    match variant {
        0 => {}
        1 => {
            (m.opt.cone, m.opt.impratio) = (Cone::Elliptic, 2.0);
            m.opt.disableflags |= DisableBit::MidPhase.raw();
        }
        2 => {
            (m.opt.cone, m.opt.jacobian) = (Cone::Elliptic, JacobianType::Dense);
            m.opt.solver = Solver::Cg;
            m.opt.disableflags |= DisableBit::Island.raw();
            for (k, dim) in m.flex_condim.iter_mut().enumerate() {
                *dim = [3, 4, 6, 1][k % 4];
            }
        }
        _ => {
            m.opt.enableflags |= EnableBit::Override.raw();
            (m.opt.o_margin, m.opt.noslip_iterations) = (0.002, 3);
            m.opt.disableflags |= DisableBit::Island.raw();
        }
    }
    (m.opt.tolerance, m.opt.iterations) = (1e-16, 300);
    m
}

/// A field of all contacts, as numbers, and the deviation that is allowed.
fn field(name: &str, contacts: &[Contact]) -> (Vec<f64>, f64) {
    fn all<const N: usize>(contacts: &[Contact], of: impl Fn(&Contact) -> [f64; N]) -> Vec<f64> {
        contacts.iter().flat_map(of).collect()
    }
    let ids = |of: fn(&Contact) -> [i32; 2]| all(contacts, |c| of(c).map(f64::from));
    match name {
        "dist" => (all(contacts, |c| [c.dist]), 1e-9),
        "pos" => (all(contacts, |c| c.pos.0), 1e-7),
        "frame" => (all(contacts, |c| c.frame.0), 1e-6),
        "includemargin" => (all(contacts, |c| [c.includemargin]), 1e-15),
        "friction" => (all(contacts, |c| c.friction), 1e-15),
        "solref" => (all(contacts, |c| c.solref), 1e-15),
        "solimp" => (all(contacts, |c| c.solimp), 1e-15),
        "dim" => (all(contacts, |c| [c.dim.into()]), 0.0),
        "geom" => (ids(|c| c.geom), 0.0),
        "flex" => (ids(|c| c.flex), 0.0),
        "elem" => (ids(|c| c.elem), 0.0),
        "vert" => (ids(|c| c.vert), 0.0),
        "exclude" => (all(contacts, |c| [c.exclude.into()]), 0.0),
        "efc_address" => (all(contacts, |c| [c.efc_address.into()]), 0.0),
        _ => panic!("{name}"),
    }
}

const FIELDS: [&str; 14] = [
    "geom",
    "flex",
    "elem",
    "vert",
    "dim",
    "exclude",
    "efc_address",
    "dist",
    "pos",
    "frame",
    "includemargin",
    "friction",
    "solref",
    "solimp",
];

/// 42A-iv AC1..AC7, 42A-v AC1..AC5: contacts in order, with their sides and parameters; rows,
/// solution and sensors.
#[test]
fn contacts_rows_and_solution_are_those_of_mujoco() {
    let mut failures = Vec::new();
    for name in SCENES {
        let golden = Golden::read(&path(&format!("{name}.cfa")));
        for variant in 0..4 {
            let m = scene(name, variant);
            let mut d = golden.data(&m, variant);
            forward(&m, &mut d).unwrap();
            let mut check = |what: &str, found: &[f64], allowed: f64| {
                let expected = golden.get(&format!("state{variant}.{what}")).unwrap();
                let e = error(&expected, found);
                if !(e <= allowed) {
                    failures.push(format!("{name} {variant}: {what} {e:.1e}"));
                }
            };
            for name in FIELDS {
                let (found, allowed) = field(name, &d.contact[..d.ncon]);
                check(&format!("contact.{name}"), &found, allowed);
            }
            let ramp = |n: usize| (0..n).map(|k| k as f64).collect::<Vec<_>>();
            let mut forwards = vec![0.0; d.nefc];
            solve::mul_jacobian(&d, &ramp(m.nv), &mut forwards);
            check("J_ramp", &forwards, 1e-6);
            for (name, found, allowed) in [
                ("efc_pos", &d.efc_pos, 1e-9),
                ("efc_margin", &d.efc_margin, 1e-15),
                ("efc_R", &d.efc_R, 1e-7),
                ("efc_D", &d.efc_D, 1e-7),
                ("efc_aref", &d.efc_aref, 1e-7),
                ("qfrc_spring", &d.qfrc_spring, 1e-9),
                ("qfrc_passive", &d.qfrc_passive, 1e-9),
                ("qfrc_constraint", &d.qfrc_constraint, 1e-6),
                ("qacc", &d.qacc, 1e-6),
                ("sensordata", &d.sensordata, 1e-6),
            ] {
                check(&format!("out.{name}"), found, allowed);
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for name in SCENES {
        let mut m = scene(name, 0);
        (m.opt.tolerance, m.opt.iterations) = (1e-8, 50);
        let golden = Golden::read(&path(&format!("{name}.cfa")));
        let run = |threads: usize| {
            let mut d = golden.data(&m, 0);
            d.set_threads(threads);
            let mut ncon = 0;
            for _ in 0..10 {
                step(&m, &mut d).unwrap();
                ncon += d.ncon;
            }
            assert!(ncon > 100);
            let all = [&d.qpos, &d.qvel, &d.efc_force].into_iter().flatten();
            all.map(|x| x.to_bits()).collect::<Vec<_>>()
        };
        let one = run(1);
        assert!([1, 2, 8].into_iter().all(|threads| run(threads) == one), "{name}");
    }
}
