//! Users may write into the arrays of a model: no number there may cause a panic, whether it was
//! there when the data was made or came later, asleep or awake.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use corten_model::arrays::ArrayMut;
use corten_model::enums::{EnableBit, Solver};
use corten_sim::{Data, Model};

const POISON: [i32; 5] = [-1, -7, 3, 1 << 20, i32::MAX];
const STEPS: usize = 6;

/// Sets one element, or all, of an array of integers; `false` if there is nothing to set.
fn poison(m: &mut Model, array: usize, value: i32, at: Option<usize>) -> bool {
    match m.array_mut(array) {
        Some(ArrayMut::I32(v)) if !v.is_empty() => match at {
            Some(at) => {
                let i = at % v.len();
                v[i] = value;
            }
            None => v.fill(value),
        },
        _ => return false,
    }
    true
}

#[test]
fn integers_of_the_model_can_be_anything() {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut panics = Vec::new();
    let mut tried = 0;
    for scene in ["mixed_pile.xml", "tendon_finger.xml", "linkage.xml"] {
        let mut good = corten_sim::load_model(dir.join(scene)).unwrap();
        good.opt.enableflags |= EnableBit::Sleep.raw();
        for (array, info) in Model::ARRAYS.iter().enumerate() {
            for (k, &value) in POISON.iter().enumerate() {
                let place = if k % 2 == 0 { Some(array * 31 + k) } else { None };
                let mut bad = good.clone();
                if !poison(&mut bad, array, value, place) {
                    continue;
                }
                bad.opt.solver = [Solver::Newton, Solver::Pgs, Solver::Cg][k % 3];
                for late in [false, true] {
                    tried += 1;
                    let outcome = catch_unwind(AssertUnwindSafe(|| {
                        let mut d = Data::new(if late { &good } else { &bad });
                        // Half of the trees asleep.
                        for tree in (0..d.tree_asleep.len()).step_by(2) {
                            d.tree_asleep[tree] = tree as i32;
                        }
                        corten_sim::sleep::update(if late { &good } else { &bad }, &mut d);
                        for _ in 0..STEPS {
                            let _ = corten_sim::step(&bad, &mut d);
                        }
                        d.reset(&bad).unwrap();
                    }));
                    if outcome.is_err() {
                        panics.push(format!("{scene}: {} = {value}, late {late}", info.name));
                    }
                }
            }
        }
    }
    assert!(tried > 1000, "{tried}");
    assert!(panics.is_empty(), "{} of {tried}:\n{}", panics.len(), panics.join("\n"));
}
