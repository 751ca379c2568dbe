//! Binary models: what is written is read back, and no damage goes further than an error.

use corten_sim::{Model, load_model};

fn scene() -> Model {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/pendulum.xml");
    load_model(path).expect("a scene of the repository")
}

/// The 64-bit FNV-1a hash that closes a file.
fn sign(file: &mut [u8]) {
    let body = file.len() - 8;
    let hash = file[..body].iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &b| {
        (hash ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    file[body..].copy_from_slice(&hash.to_le_bytes());
}

#[test]
fn a_saved_model_is_the_same_model() {
    let model = scene();
    let path = std::env::temp_dir().join(format!("corten-model-{}.cfa", std::process::id()));
    model.save(&path).unwrap();
    let read = Model::load(&path).unwrap();
    assert!(read.to_bytes() == model.to_bytes());
    std::fs::write(&path, b"<mujoco/>").unwrap();
    let error = Model::load(&path).unwrap_err().to_string();
    assert!(error.contains("XML") && error.contains("corten-model"), "{error}");
    std::fs::remove_file(&path).unwrap();
    assert!(Model::load(&path).is_err());
}

#[test]
fn damage_is_an_error_and_never_a_panic() {
    let good = scene().to_bytes();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |n: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    for _ in 0..300 {
        let mut bad = good.clone();
        let at = random(bad.len());
        bad[at] ^= 1 << random(8);
        assert!(Model::from_bytes(&bad).is_err());
        assert!(Model::from_bytes(&good[..random(good.len())]).is_err());
    }
    // With a checksum that fits, the content itself must be looked at: the layout of the file
    // early on, sizes and arrays after it.
    for round in 0..600 {
        let mut bad = good.clone();
        for _ in 0..=random(3) {
            let at = if round % 2 == 0 {
                random(bad.len() - 8)
            } else {
                random(4000.min(bad.len() - 8))
            };
            bad[at] = random(256) as u8;
        }
        sign(&mut bad);
        let _ = Model::from_bytes(&bad);
    }
}
