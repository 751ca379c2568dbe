//! Skins: a drawn surface whose vertices follow bodies.

use super::asset_path::{AssetDir, read};
use super::context::{Context, id};
use super::pose::unit;
use crate::assets::extension;
use crate::enums::ObjType;
use crate::names::Names;
use crate::spec::Skin;

#[derive(Clone, Debug, Default)]
pub(super) struct SkinPlan {
    pub matid: i32,
    pub group: i32,
    pub rgba: [f32; 4],
    pub inflate: f32,
    pub vert: Vec<f32>,
    pub texcoord: Vec<f32>,
    pub face: Vec<i32>,
    pub bodyid: Vec<i32>,
    pub bindpos: Vec<[f32; 3]>,
    pub bindquat: Vec<[f32; 4]>,
    pub vertid: Vec<Vec<i32>>,
    pub vertweight: Vec<Vec<f32>>,
}

pub(super) fn compile(cx: &mut Context, names: &Names) -> Vec<SkinPlan> {
    let spec = cx.spec;
    spec.skins
        .values()
        .map(|skin| match one(cx, skin, names) {
            Ok(plan) => plan,
            Err(message) => {
                if !message.is_empty() {
                    cx.error("skin", skin, message);
                }
                SkinPlan::default()
            }
        })
        .collect()
}

fn one(cx: &mut Context, source: &Skin, names: &Names) -> Result<SkinPlan, String> {
    let mut skin = source.clone();
    if !source.file.is_empty() {
        let lists = [source.vert.len(), source.face.len(), source.bodyname.len()];
        if lists != [0; 3] || !source.texcoord.is_empty() || !source.vertid.is_empty() {
            return Err("the skin is given both in a file and in the model".into());
        }
        if !extension(&source.file).eq_ignore_ascii_case(".skn") {
            return Err(format!("'{}' is not a .skn file", source.file));
        }
        let Some(bytes) = read(cx, "skin", source, &source.file, AssetDir::Mesh) else {
            return Err(String::new());
        };
        read_skn(&bytes, &mut skin)
            .map_err(|what| format!("cannot read '{}': {what}", source.file))?;
    }

    let bones = skin.bodyname.len();
    if skin.vert.is_empty() || skin.face.is_empty() || bones == 0 {
        return Err("a skin needs vertices, faces and bones".into());
    }
    if !skin.vert.len().is_multiple_of(3) || !skin.face.len().is_multiple_of(3) {
        return Err("vertex and face data must hold multiples of 3 numbers".into());
    }
    let nvert = skin.vert.len() / 3;
    if !skin.texcoord.is_empty() && skin.texcoord.len() != 2 * nvert {
        return Err("there must be one texture coordinate per vertex".into());
    }
    if skin.bindpos.len() != 3 * bones
        || skin.bindquat.len() != 4 * bones
        || skin.vertid.len() != bones
        || skin.vertweight.len() != bones
    {
        return Err("every bone needs a bind position, a bind quaternion and vertices".into());
    }
    let bodyid = skin
        .bodyname
        .iter()
        .map(|name| id(cx.resolve(names, ObjType::Body, name, "skin", source)))
        .collect();
    let matid = id(cx.material(names, &skin.material, "skin", source));

    // Weights of each vertex add up to one.
    let mut total = vec![0f32; nvert];
    for (ids, weights) in skin.vertid.iter().zip(&skin.vertweight) {
        if ids.is_empty() || ids.len() != weights.len() {
            return Err("'vertid' and 'vertweight' of a bone must have the same length".into());
        }
        for (&v, &w) in ids.iter().zip(weights) {
            let Some(sum) = usize::try_from(v).ok().and_then(|v| total.get_mut(v)) else {
                return Err(format!("vertex {v} of a bone does not exist"));
            };
            *sum += w;
        }
    }
    if let Some(v) = total.iter().position(|&w| f64::from(w) <= corten_math::MIN_VAL) {
        return Err(format!("vertex {v} must have positive total weight"));
    }
    for (ids, weights) in skin.vertid.iter().zip(&mut skin.vertweight) {
        for (&v, w) in ids.iter().zip(weights) {
            *w /= total[v as usize];
        }
    }
    let bindquat = skin
        .bindquat
        .as_chunks::<4>()
        .0
        .iter()
        .map(|q| unit(q.map(f64::from)).0.map(|x| x as f32))
        .collect();
    Ok(SkinPlan {
        matid,
        group: skin.group,
        rgba: skin.rgba,
        inflate: skin.inflate,
        vert: skin.vert,
        texcoord: skin.texcoord,
        face: skin.face,
        bodyid,
        bindpos: skin.bindpos.as_chunks::<3>().0.to_vec(),
        bindquat,
        vertid: skin.vertid,
        vertweight: skin.vertweight,
    })
}

/// MuJoCo's binary skin format: four counts, vertices, texture coordinates, faces, then bones.
fn read_skn(bytes: &[u8], skin: &mut Skin) -> Result<(), String> {
    /// Bytes of a bone's name.
    const NAME: usize = 40;
    let mut at = 0;
    let mut take = |n: usize| -> Result<&[u8], String> {
        let end = at + n;
        let part = bytes.get(at..end).ok_or("the file ends early")?;
        at = end;
        Ok(part)
    };
    fn ints(bytes: &[u8]) -> Vec<i32> {
        bytes.as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b)).collect()
    }
    fn floats(bytes: &[u8]) -> Vec<f32> {
        bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
    }
    let counts = ints(take(16)?);
    if counts.iter().any(|&n| !(0..=i32::MAX / 64).contains(&n)) {
        return Err("a count in the header is negative or too large".into());
    }
    let [nvert, ntexcoord, nface, nbone] = [0, 1, 2, 3].map(|i| counts[i] as usize);
    skin.vert = floats(take(12 * nvert)?);
    skin.texcoord = floats(take(8 * ntexcoord)?);
    skin.face = ints(take(12 * nface)?);
    for _ in 0..nbone {
        let name = take(NAME)?;
        let end = name.iter().take(NAME - 1).position(|&b| b == 0).unwrap_or(NAME - 1);
        skin.bodyname.push(String::from_utf8_lossy(&name[..end]).into_owned());
        skin.bindpos.extend(floats(take(12)?));
        skin.bindquat.extend(floats(take(16)?));
        let count = ints(take(4)?)[0];
        if !(1..=i32::MAX / 16).contains(&count) {
            return Err("the vertex count of a bone must be positive".into());
        }
        skin.vertid.push(ints(take(4 * count as usize)?));
        skin.vertweight.push(floats(take(4 * count as usize)?));
    }
    if at != bytes.len() {
        return Err("bytes after the last bone".into());
    }
    Ok(())
}
