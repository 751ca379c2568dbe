//! Arrays whose lengths follow from the model stay where they are: views into them, as the Python
//! package hands out, must survive everything that computes.

use std::path::PathBuf;

use corten_model::enums::Integrator;
use corten_sim::{Data, constants, inverse};

fn places(d: &mut Data) -> Vec<(*mut u8, usize)> {
    (0..Data::FIXED_ARRAYS).filter_map(|i| d.array_place(i, 0)).collect()
}

#[test]
fn no_array_moves() {
    let scenes = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    for name in ["humanoid.xml", "mixed_pile.xml", "muscle_arm.xml", "linkage.xml"] {
        let mut m = corten_sim::load_model(scenes.join(name)).unwrap();
        let mut d = Data::new(&m);
        let before = places(&mut d);
        for integrator in Integrator::ALL {
            m.opt.integrator = *integrator;
            for _ in 0..20 {
                let _ = corten_sim::step(&m, &mut d);
            }
            corten_sim::forward(&m, &mut d).unwrap();
            inverse::inverse(&m, &mut d).unwrap();
            assert_eq!(places(&mut d), before, "{name}, {integrator:?}");
        }
        d.reset(&m).unwrap();
        d.reset_to_keyframe(&m, 0).unwrap();
        let model_before: Vec<_> =
            (0..corten_sim::Model::FIXED_ARRAYS).filter_map(|i| m.array_place(i, 0)).collect();
        constants::set_const(&mut m, &mut d).unwrap();
        let model_after: Vec<_> =
            (0..corten_sim::Model::FIXED_ARRAYS).filter_map(|i| m.array_place(i, 0)).collect();
        assert_eq!(places(&mut d), before, "{name}, reset");
        assert_eq!(model_after, model_before, "{name}, model");
    }
}
