//! Constants of the reference pose, recomputed from models that MuJoCo compiled.

mod support;

use std::path::Path;

use corten_model::ModelArrays;
use corten_model::enums::{EnableBit, EqualityType};
use corten_sim::{Data, constants};
use support::Golden;

/// Spoils everything that `set_const` is to find.
fn forget(m: &mut ModelArrays) {
    for weights in [
        &mut m.body_subtreemass,
        &mut m.dof_M0,
        &mut m.dof_invweight0,
        &mut m.dof_length,
        &mut m.tendon_length0,
        &mut m.tendon_invweight0,
        &mut m.actuator_length0,
        &mut m.actuator_acc0,
    ] {
        weights.fill(-1.0);
    }
    m.body_invweight0.fill([-1.0; 2]);
    m.cam_pos0.fill(Default::default());
    m.cam_poscom0.fill(Default::default());
    m.cam_mat0.fill(Default::default());
    m.light_pos0.fill(Default::default());
    m.light_poscom0.fill(Default::default());
    m.light_dir0.fill(Default::default());
    for i in 0..m.neq {
        if m.eq_type[i] == EqualityType::Connect.raw() {
            m.eq_data[i][3..6].fill(0.0);
        }
    }
    m.tendon_treenum.fill(-1);
    m.tendon_treeid.fill([-1; 2]);
    m.tree_bodyadr.fill(-1);
    m.tree_bodynum.fill(-1);
    m.tree_dofadr.fill(-1);
    m.tree_dofnum.fill(-1);
    m.ngravcomp = 99;
}

#[test]
fn constants_of_every_scene() {
    let crate_root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = crate_root.join("tests/golden");
    let mut checked = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let scene = crate_root.join("../../scenes").join(path.file_stem().unwrap());
        if !scene.with_extension("xml").exists() {
            continue;
        }
        let golden = Golden::read(&path);
        let mut m = golden.model();
        let (stat, flags) = (m.stat.clone(), m.opt.enableflags);
        m.opt.enableflags &= !EnableBit::Sleep.raw();
        forget(&mut m);
        let mut d = Data::new(&m);
        constants::set_const(&mut m, &mut d).unwrap();
        // The author may have fixed the statistics.
        (m.stat, m.opt.enableflags) = (stat, flags);
        for (field, error) in golden.compare_model(&m).fields {
            // Degenerate polygons have no normal in MuJoCo.
            assert!(
                error <= 1e-9 || field == "mesh_polynormal",
                "{}: {field} {error:.1e}",
                path.display()
            );
        }
        checked += 1;
    }
    assert!(checked > 10);
}
