//! Materials.

use super::context::{Context, id};
use crate::Model;
use crate::enums::ObjType;
use crate::names::Names;
use crate::spec::{Key, Material, TEXTURE_ROLES};

pub(super) struct MaterialPlan<'a> {
    source: &'a Material,
    texid: [i32; TEXTURE_ROLES],
}

pub(super) fn compile<'a>(cx: &mut Context<'a>, names: &Names) -> Vec<MaterialPlan<'a>> {
    let spec = cx.spec;
    let keys: Vec<Key<Material>> = spec.materials.keys().collect();
    keys.into_iter()
        .map(|key| {
            let source = &spec.materials[key];
            let texid = std::array::from_fn(|role| match source.textures[role].as_str() {
                "" => -1,
                name => id(cx.resolve(names, ObjType::Texture, name, "material", source)),
            });
            MaterialPlan { source, texid }
        })
        .collect()
}

pub(super) fn write(m: &mut Model, materials: &[MaterialPlan]) {
    m.nmat = materials.len();
    m.resize();
    for (i, plan) in materials.iter().enumerate() {
        let s = plan.source;
        m.mat_texid[i] = plan.texid;
        m.mat_texuniform[i] = s.texuniform.into();
        m.mat_texrepeat[i] = s.texrepeat;
        m.mat_emission[i] = s.emission;
        m.mat_specular[i] = s.specular;
        m.mat_shininess[i] = s.shininess;
        m.mat_reflectance[i] = s.reflectance;
        m.mat_metallic[i] = s.metallic;
        m.mat_roughness[i] = s.roughness;
        m.mat_rgba[i] = s.rgba;
    }
}
