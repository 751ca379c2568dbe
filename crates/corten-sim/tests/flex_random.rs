//! Random models with deformables, of the generator that is also fuzzed: nothing panics, hangs or goes bad
//! without a typed error; threads and repetition change no bit.

#[path = "../../../fuzz/src/flex_models.rs"]
mod flex_models;

use corten_math::Random;
use corten_model::Assets;
use corten_sim::{Data, Model, load_model_str, step};
use flex_models::Choices;

fn bytes(seed: u64) -> Vec<u8> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (seed + 1));
    (0..64).map(|_| random.below(256) as u8).collect()
}

#[test]
fn random_models_do_no_harm() {
    for seed in 0..250 {
        flex_models::flex(&bytes(seed));
    }
}

fn bits(m: &Model, threads: usize) -> Vec<u64> {
    let mut d = Data::new(m);
    d.set_threads(threads);
    for _ in 0..5 {
        let _ = step(m, &mut d);
    }
    let all = [&d.qpos, &d.qvel, &d.qacc].into_iter().flatten();
    all.map(|x| x.to_bits()).collect()
}

#[test]
fn threads_change_no_bit() {
    let mut compared = 0;
    for seed in 0..60 {
        let text = flex_models::text(&mut Choices::new(&bytes(seed)));
        let Ok(m) = load_model_str(&text, &Assets::memory_only()) else { continue };
        if m.nv == 0 || m.nv > 600 {
            continue;
        }
        let one = bits(&m, 1);
        assert!([1, 2, 8].into_iter().all(|threads| bits(&m, threads) == one), "{text}");
        compared += 1;
    }
    assert!(compared > 20, "{compared}");
}
