//! Materials.

use super::context::{Context, id};
use crate::ModelArrays;
use crate::enums::ObjType;
use crate::names::Names;
use crate::spec::{Key, Material, OriginId, TEXTURE_ROLES};

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
            // MuJoCo looks up the textures of the default class first: they must exist even where
            // the material has its own, and an empty name does not take them away.
            let class = &spec.class(source.class).material;
            let from_class = source.origin == OriginId::MAIN;
            let texid = std::array::from_fn(|role| {
                let (inherited, own) = (&class.textures[role], &source.textures[role]);
                let mut found = -1;
                for name in [inherited, own] {
                    let repeated = !from_class || inherited == own;
                    if name.is_empty() || (std::ptr::eq(name, inherited) && repeated) {
                        continue;
                    }
                    found = id(cx.resolve(names, ObjType::Texture, name, "material", source));
                }
                found
            });
            MaterialPlan { source, texid }
        })
        .collect()
}

pub(super) fn write(m: &mut ModelArrays, materials: &[MaterialPlan]) {
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
