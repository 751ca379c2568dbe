//! What collision detection remembers decides about time, never about contacts: at every state, the
//! same bits with the memory of the last step, of another moment, of another simulation, and of none.

use std::path::PathBuf;

use corten_model::enums::{EnableBit, StateBit};
use corten_sim::stage::{collision, kinematics};
use corten_sim::{Contact, Data, Model, load_model, load_model_str, state};

const WHOLE: u32 = StateBit::Integration.raw() as u32;

fn scenes() -> Vec<(String, Model)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "xml"));
    paths.sort();
    let mut scenes: Vec<(String, Model)> =
        paths.iter().map(|path| (path.display().to_string(), load_model(path).unwrap())).collect();
    for (name, bodies) in [("pile", 24), ("large pile", 150)] {
        let mut m = load_model_str(&pile(bodies), &Default::default()).unwrap();
        scenes.push((name.to_owned(), m.clone()));
        m.opt.enableflags |= EnableBit::MultiCcd.raw();
        scenes.push((format!("{name}, several points per pair"), m));
    }
    scenes
}

/// Shapes of every convex type falling on a plane and hills; many of them do not fit in the table of
/// pairs that small scenes have.
fn pile(bodies: usize) -> String {
    let mut random = 1u64;
    let mut uniform = move || {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let mut stone = String::new();
    for _ in 0..40 {
        let v = [uniform(), uniform(), uniform()];
        let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        stone += &v.map(|x| format!("{:.4} ", 0.12 * x / norm)).concat();
    }
    let shapes = [
        "type='mesh' mesh='stone'",
        "type='mesh' mesh='brick'",
        "type='capsule' size='.06 .08'",
        "type='ellipsoid' size='.06 .1 .14'",
        "type='cylinder' size='.08 .1'",
        "type='box' size='.1 .08 .06'",
        "type='sphere' size='.1'",
    ];
    let mut text = format!(
        "<mujoco><asset><mesh name='stone' vertex='{stone}'/>
        <mesh name='brick' vertex='-.1 -.1 -.05 .1 -.1 -.05 -.1 .1 -.05 .1 .1 -.05 -.1 -.1 .05 .1 -.1
        .05 -.1 .1 .05 .1 .1 .05 0 .11 .04 0 -.11 .04'/>
        <hfield name='hills' nrow='3' ncol='4' size='1 1 .2 .1' elevation='0 1 0 1 1 0 1 0 0 1 0 1'/>
        </asset><worldbody><geom type='plane' size='5 5 1'/>
        <geom type='hfield' hfield='hills' pos='0 0 -.05'/>"
    );
    for k in 0..bodies {
        let (x, y, z) = (0.3 * uniform(), 0.3 * uniform(), 0.3 + 0.06 * k as f64);
        let turn = [uniform(), uniform(), uniform()].map(|x| format!("{:.3} ", 90.0 * x)).concat();
        text += &format!(
            "<body pos='{x:.3} {y:.3} {z:.3}' euler='{turn}'><freejoint/><geom {}/></body>",
            shapes[k % shapes.len()]
        );
    }
    text + "</worldbody></mujoco>"
}

fn detect(m: &Model, d: &mut Data) -> Vec<Contact> {
    kinematics::kinematics(m, d);
    collision::collision(m, d);
    d.contact.to_vec()
}

fn restored(m: &Model, d: &mut Data, saved: &[f64]) -> Vec<Contact> {
    state::set(m, d, saved, WHOLE).unwrap();
    detect(m, d)
}

#[test]
fn contacts_do_not_depend_on_what_is_remembered() {
    let mut contacts = 0;
    for (name, m) in scenes() {
        let large = m.nv > 200;
        let mut warm = Data::new(&m);
        let mut elsewhere = Data::new(&m);
        let mut saved = vec![0.0; state::size(&m, WHOLE).unwrap()];
        let mut hints = collision::SavedPairs::default();
        for k in 0..if large { 12 } else { 40 } {
            for _ in 0..if large { 25 } else { 10 } {
                corten_sim::step(&m, &mut warm).unwrap();
            }
            state::get(&m, &warm, &mut saved, WHOLE).unwrap();
            // The memory of a trajectory, of an earlier moment, of none, after a reset; what is taken from
            // one simulation into another.
            let expected = detect(&m, &mut warm);
            contacts += expected.len();
            let what = |how: &str| format!("{name}, {how}, after {k} rounds");
            assert_eq!(restored(&m, &mut elsewhere, &saved), expected, "{}", what("earlier"));
            assert_eq!(restored(&m, &mut elsewhere, &saved), expected, "{}", what("again"));
            assert_eq!(restored(&m, &mut Data::new(&m), &saved), expected, "{}", what("cold"));
            let mut reset = warm.clone();
            reset.reset(&m).unwrap();
            assert_eq!(restored(&m, &mut reset, &saved), expected, "{}", what("reset"));
            collision::swap_saved_pairs(&mut elsewhere, &mut hints);
            assert_eq!(restored(&m, &mut elsewhere, &saved), expected, "{}", what("exchanged"));
        }
    }
    println!("{contacts} contacts");
    assert!(contacts > 3000);
}
