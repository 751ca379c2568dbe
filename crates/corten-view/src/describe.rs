//! What a page has to know of a model before the first frame.

use corten_model::enums::{DisableBit, EnableBit, JointType, ObjType, TextureRole, TextureType};
use corten_scene::{Camera, Frame, Geom, Label, Light, RenderFlag, VisFlag};
use corten_sim::Model;
use serde_json::{Value, json};

/// Everything that stays the same while simulating.
pub fn describe(m: &Model) -> Value {
    let free = Camera::free(m);
    json!({
        "name": m.name,
        "sizes": {
            "nq": m.nq, "nv": m.nv, "nu": m.nu, "na": m.na, "nbody": m.nbody, "ngeom": m.ngeom,
            "njnt": m.njnt, "ncam": m.ncam, "nsensordata": m.nsensordata,
        },
        "timestep": m.opt.timestep,
        "extent": m.stat.extent,
        "center": m.stat.center.0,
        "camera": {
            "lookat": free.lookat.0, "distance": free.distance, "azimuth": free.azimuth,
            "elevation": free.elevation, "fovy": m.vis.global.fovy,
            "orthographic": m.vis.global.orthographic,
        },
        "znear": f64::from(m.vis.map.znear) * m.stat.extent,
        "zfar": f64::from(m.vis.map.zfar) * m.stat.extent,
        "fog": (
            m.vis.rgba.fog,
            f64::from(m.vis.map.fogstart) * m.stat.extent,
            f64::from(m.vis.map.fogend) * m.stat.extent,
        ),
        "bodies": names(m, ObjType::Body, m.nbody),
        "parents": m.body_parentid,
        "geoms": names(m, ObjType::Geom, m.ngeom),
        "keys": names(m, ObjType::Key, m.nkey),
        "sites": names(m, ObjType::Site, m.nsite),
        "cameras": names(m, ObjType::Camera, m.ncam),
        "fovy": m.cam_fovy,
        "joints": joints(m),
        "actuators": actuators(m),
        "sensors": sensors(m),
        "materials": materials(m),
        "textures": textures(m),
        "meshes": m.nmesh,
        "hfields": (0..m.nhfield).map(|i| json!({
            "size": m.hfield_size[i], "nrow": m.hfield_nrow[i], "ncol": m.hfield_ncol[i],
        })).collect::<Vec<_>>(),
        "flexes": (0..m.nflex).map(|i| json!({
            "dim": m.flex_dim[i], "vertices": m.flex_vertnum[i], "edges": m.flex_edgenum[i],
        })).collect::<Vec<_>>(),
        "skins": (0..m.nskin).map(|i| json!({
            "vertices": (m.skin_vertadr[i], m.skin_vertnum[i]), "faces": m.skin_facenum[i],
        })).collect::<Vec<_>>(),
        "equalities": names(m, ObjType::Equality, m.neq),
        "layout": { "geom": size_of::<Geom>(), "light": size_of::<Light>() },
        "vis": VisFlag::ALL.iter().map(|f| f.switch()).collect::<Vec<_>>(),
        "render": RenderFlag::ALL.iter().map(|f| f.switch()).collect::<Vec<_>>(),
        "labels": Label::ALL.iter().map(|l| l.title()).collect::<Vec<_>>(),
        "frames": Frame::ALL.iter().map(|f| f.title()).collect::<Vec<_>>(),
        "disable": DisableBit::ALL.iter()
            .map(|b| (plain(b.mj_name(), "mjDSBL_"), b.raw())).collect::<Vec<_>>(),
        "enable": EnableBit::ALL.iter().filter(|b| b.mj_name().starts_with("mj"))
            .map(|b| (plain(b.mj_name(), "mjENBL_"), b.raw())).collect::<Vec<_>>(),
    })
}

fn plain(name: &str, prefix: &str) -> String {
    name.trim_start_matches(prefix).to_lowercase()
}

/// Names in id order; kind and number where there is none.
fn names(m: &Model, kind: ObjType, count: usize) -> Vec<String> {
    (0..count).map(|i| name(m, kind, i)).collect()
}

/// The name of an object, or its kind and number.
pub fn name(m: &Model, kind: ObjType, i: usize) -> String {
    let own = m.object_names.name(kind, i).map(str::to_owned);
    own.unwrap_or_else(|| format!("{} {i}", kind.xml_name()))
}

/// Hinges and slides, which a slider can move.
fn joints(m: &Model) -> Vec<Value> {
    let scalar = |i: &usize| {
        let kind = JointType::from_raw(m.jnt_type[*i]);
        matches!(kind, Some(JointType::Hinge | JointType::Slide))
    };
    let one = |i: usize| {
        let slide = m.jnt_type[i] == JointType::Slide.raw();
        let limited = m.jnt_limited[i] != 0;
        let free = if slide { m.stat.extent } else { std::f64::consts::PI };
        let range = if limited { m.jnt_range[i] } else { [-free, free] };
        json!({
            "id": i, "name": name(m, ObjType::Joint, i), "range": range, "slide": slide,
            "qpos": m.jnt_qposadr[i], "group": m.jnt_group[i],
        })
    };
    (0..m.njnt).filter(scalar).map(one).collect()
}

fn actuators(m: &Model) -> Vec<Value> {
    let one = |i: usize| {
        let limited = m.actuator_ctrllimited[i] != 0;
        let range = if limited { m.actuator_ctrlrange[i] } else { [-1.0, 1.0] };
        let group = m.actuator_group[i];
        json!({ "name": name(m, ObjType::Actuator, i), "range": range, "group": group })
    };
    (0..m.nu).map(one).collect()
}

fn sensors(m: &Model) -> Vec<Value> {
    let one = |i: usize| {
        let (adr, dim) = (m.sensor_adr[i], m.sensor_dim[i]);
        json!({ "name": name(m, ObjType::Sensor, i), "adr": adr, "dim": dim })
    };
    (0..m.nsensor).map(one).collect()
}

fn materials(m: &Model) -> Vec<Value> {
    let one = |i: usize| {
        let roles = &m.mat_texid[i];
        let by = |role: TextureRole| roles[role.raw() as usize];
        let texture = [TextureRole::Rgb, TextureRole::Rgba].map(by).into_iter().find(|t| *t >= 0);
        json!({
            "texture": texture.unwrap_or(-1), "repeat": m.mat_texrepeat[i],
            "uniform": m.mat_texuniform[i] != 0, "metallic": m.mat_metallic[i],
            "roughness": m.mat_roughness[i],
        })
    };
    (0..m.nmat).map(one).collect()
}

fn textures(m: &Model) -> Vec<Value> {
    let one = |i: usize| {
        let kind = match TextureType::from_raw(m.tex_type[i]) {
            Some(TextureType::Cube) => "cube",
            Some(TextureType::Skybox) => "skybox",
            _ => "2d",
        };
        json!({
            "kind": kind, "width": m.tex_width[i], "height": m.tex_height[i],
            "channels": m.tex_nchannel[i],
        })
    };
    (0..m.ntex).map(one).collect()
}
