//! What is under the mouse.

use corten_geom::ray::Ray;
use corten_math::Vec3;
use corten_sim::ray::{self, FlexParts};
use corten_sim::stage::flex::nearest_node;
use corten_sim::{Data, Model};

use super::room::camera_in_model;
use crate::decor::At;
use crate::enums::VisFlag;
use crate::error::SceneError;
use crate::option::VisOption;
use crate::scene::Scene;
use crate::update::check_data;
use crate::view::average_camera;

/// What was selected; ids are −1 where it is something else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Selection {
    /// Body that it belongs to.
    pub body: i32,
    /// Where it was hit; for flexes and skins, the nearest vertex or node.
    pub point: Vec3,
    /// Geom of the model.
    pub geom: i32,
    /// Flex.
    pub flex: i32,
    /// Skin.
    pub skin: i32,
}

/// A candidate and its distance.
type Hit = (f64, Selection);

/// The geom, flex or skin at a place of the image, `relx` and `rely` from 0 to 1 from the left and from
/// below (MuJoCo's `mjv_select`).
pub fn select(
    m: &Model,
    d: &Data,
    opt: &VisOption,
    aspectratio: f64,
    relx: f64,
    rely: f64,
    scene: &Scene,
) -> Result<Option<Selection>, SceneError> {
    check_data(m, d)?;
    let (pos, direction) = view_ray(scene, aspectratio, relx, rely)?;
    let candidates = [
        geom(m, d, opt, pos, direction),
        flex(m, d, opt, pos, direction),
        skin(m, opt, scene, pos, direction),
    ];
    // Of equal distances, the first counts.
    let nearest = candidates.into_iter().flatten().reduce(|a, b| if b.0 < a.0 { b } else { a });
    Ok(nearest.map(|(_, selection)| selection))
}

/// Start and direction of what is seen at a place of the image.
fn view_ray(
    scene: &Scene,
    aspectratio: f64,
    relx: f64,
    rely: f64,
) -> Result<(Vec3, Vec3), SceneError> {
    let camera = average_camera(&scene.camera)?;
    let head = camera_in_model(scene)?;
    let left = head.up.cross(head.forward).normalized().0;
    let height = f64::from(camera.frustum_top - camera.frustum_bottom);
    let upwards = f64::from(camera.frustum_bottom) + rely * height;
    let sideways =
        -(f64::from(camera.frustum_center) + (2.0 * relx - 1.0) * 0.5 * aspectratio * height);
    let offset = head.up * upwards + left * sideways;
    Ok(if camera.orthographic != 0 {
        (head.headpos + offset, head.forward)
    } else {
        let near = f64::from(camera.frustum_near);
        (head.headpos, (head.forward * near + offset).normalized().0)
    })
}

fn geom(m: &Model, d: &Data, opt: &VisOption, pos: Vec3, direction: Vec3) -> Option<Hit> {
    let among = ray::Selection {
        geomgroup: Some(&opt.geomgroup),
        flg_static: opt.has(VisFlag::Static),
        bodyexclude: -1,
    };
    let hit = ray::cast(m, d, pos, direction, &among)?;
    let selection = Selection {
        body: m.geom_bodyid[hit.geom],
        point: pos + direction * hit.dist,
        geom: hit.geom as i32,
        flex: -1,
        skin: -1,
    };
    Some((hit.dist, selection))
}

fn flex(m: &Model, d: &Data, opt: &VisOption, pos: Vec3, direction: Vec3) -> Option<Hit> {
    let parts = FlexParts {
        vertices: opt.has(VisFlag::FlexVert),
        edges: opt.has(VisFlag::FlexEdge),
        faces: opt.has(VisFlag::FlexFace),
        skin: opt.has(VisFlag::FlexSkin),
        layer: opt.flex_layer,
    };
    if !opt.shows_flexes() {
        return None;
    }
    let mut best: Option<Hit> = None;
    for i in 0..m.nflex {
        let Some(hit) = ray::flex(m, d, i, &parts, pos, direction) else { continue };
        if best.is_some_and(|(dist, _)| hit.dist >= dist) {
            continue;
        }
        if let Some((body, point)) = flex_carrier(m, d, i, hit.vertex) {
            let selection = Selection { body, point, geom: -1, flex: i as i32, skin: -1 };
            best = Some((hit.dist, selection));
        }
    }
    best
}

/// The body that carries a vertex of a flex, and where it is; for interpolated flexes, the node that
/// moves it most.
fn flex_carrier(m: &Model, d: &Data, flex: usize, vertex: i32) -> Option<(i32, Vec3)> {
    let vertex = usize::try_from(vertex).ok()?;
    let Some(node) = nearest_node(m, flex, vertex) else {
        let vertex = usize::try_from(m.flex_vertadr[flex]).ok()?.checked_add(vertex)?;
        return Some((*m.flex_vertbodyid.get(vertex)?, *d.flexvert_xpos.get(vertex)?));
    };
    let body = *m.flex_nodebodyid.get(node)?;
    let pos = *d.xpos.at(body)?;
    let centred = m.flex_centered[flex] != 0;
    let point = if centred { pos } else { *d.xmat.at(body)? * *m.flex_node.get(node)? + pos };
    Some((body, point))
}

fn skin(m: &Model, opt: &VisOption, scene: &Scene, pos: Vec3, direction: Vec3) -> Option<Hit> {
    if !opt.has(VisFlag::Skin) {
        return None;
    }
    let mut best: Option<Hit> = None;
    for i in 0..m.nskin {
        let vert = scene.skin.vert.span(m.skin_vertadr[i], m.skin_vertnum[i]);
        let face = m.skin_face.span(m.skin_faceadr[i], m.skin_facenum[i]);
        let Some(hit) = ray::skin(face, vert, &Ray::new(pos, direction)) else { continue };
        if best.is_some_and(|(dist, _)| hit.dist >= dist) {
            continue;
        }
        if let (Some(body), Some(point)) = (heaviest_bone(m, i, hit.vertex), vert.at(hit.vertex)) {
            let point = Vec3(point.map(f64::from));
            let selection = Selection { body, point, geom: -1, flex: -1, skin: i as i32 };
            best = Some((hit.dist, selection));
        }
    }
    best
}

/// The body whose bone has the largest weight for a vertex of a skin.
fn heaviest_bone(m: &Model, skin: usize, vertex: i32) -> Option<i32> {
    let first = usize::try_from(m.skin_boneadr[skin]).ok()?;
    let count = usize::try_from(m.skin_bonenum[skin]).ok()?;
    let mut best: Option<(f32, i32)> = None;
    for bone in first..first.saturating_add(count).min(m.nskinbone) {
        let (adr, num) = (m.skin_bonevertadr[bone], m.skin_bonevertnum[bone]);
        let weights = m.skin_bonevertweight.span(adr, num);
        for (id, weight) in m.skin_bonevertid.span(adr, num).iter().zip(weights) {
            if *id == vertex && best.is_none_or(|(most, _)| *weight > most) {
                best = Some((*weight, m.skin_bonebodyid[bone]));
            }
        }
    }
    best.map(|(_, body)| body)
}
