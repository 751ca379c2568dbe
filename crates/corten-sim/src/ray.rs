//! Rays against the geoms of a model.
//!
//! Reads poses of geoms, and of bodies for several rays at once; writes nothing. Answers to
//! `mj_ray`, `mj_multiRay`, `mj_rayMesh`, `mj_rayHfield`, `mju_rayGeom`,
//! `mju_rayFlex` and `mju_raySkin`.
//!
//! Distances are in units of the ray's direction vector. A direction that is zero or NaN
//! hits nothing. Signed distance fields measure their distance in units of length.

use corten_math::memory;
use std::f64::consts::PI;

use corten_geom::ray::{self, FlexSurface, Ray};
pub use corten_geom::ray::{FlexParts, VertexHit, skin};
use corten_geom::{HeightField, Pose, field};
use corten_math::array;
use corten_math::real::atan2;
use corten_math::{MIN_VAL, Mat3, Vec3};
use corten_model::enums::GeomType;

use crate::stage::collision::shape;
use crate::{Data, Model};

/// Number of geom groups that a selection distinguishes.
pub const NGROUP: usize = 6;

/// Which geoms a ray may hit. Invisible ones (alpha zero) are never hit.
#[derive(Clone, Copy, Debug)]
pub struct Selection<'a> {
    /// A nonzero entry admits the group; all are admitted if absent.
    pub geomgroup: Option<&'a [u8; NGROUP]>,
    /// Whether geoms that cannot move are hit.
    pub flg_static: bool,
    /// Body whose geoms are ignored; none if negative.
    pub bodyexclude: i32,
}

impl Default for Selection<'_> {
    fn default() -> Self {
        Selection { geomgroup: None, flg_static: true, bodyexclude: -1 }
    }
}

impl Selection<'_> {
    fn admits(&self, m: &Model, geom: usize) -> bool {
        let body = m.geom_bodyid[geom];
        if body == self.bodyexclude {
            return false;
        }
        let rgba = match usize::try_from(m.geom_matid[geom]) {
            Ok(material) => m.mat_rgba.get(material),
            Err(_) => m.geom_rgba.get(geom),
        };
        if rgba.is_some_and(|c| c[3] == 0.0) {
            return false;
        }
        let weld = usize::try_from(body).ok().and_then(|b| m.body_weldid.get(b));
        if !self.flg_static && weld == Some(&0) {
            return false;
        }
        let group = m.geom_group[geom].clamp(0, NGROUP as i32 - 1) as usize;
        self.geomgroup.is_none_or(|groups| groups[group] != 0)
    }
}

/// A geom in the way of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// Distance from the start of the ray.
    pub dist: f64,
    /// The geom that is hit.
    pub geom: usize,
}

/// The nearest geom along a ray.
pub fn cast(
    m: &Model,
    d: &Data,
    pnt: Vec3,
    vec: Vec3,
    selection: &Selection<'_>,
) -> Option<RayHit> {
    let ray = valid(pnt, vec)?;
    let mut best = None;
    for geom in (0..m.ngeom).filter(|&g| selection.admits(m, g)) {
        if passes_by(m, d, geom, &ray) {
            continue;
        }
        closer(&mut best, geom, geom_distance(m, d, geom, &ray));
    }
    best
}

fn valid(pnt: Vec3, vec: Vec3) -> Option<Ray> {
    (vec.norm() >= MIN_VAL).then(|| Ray::new(pnt, vec))
}

fn closer(best: &mut Option<RayHit>, geom: usize, dist: Option<f64>) {
    if let Some(dist) = dist
        && best.is_none_or(|b| dist < b.dist)
    {
        *best = Some(RayHit { dist, geom });
    }
}

/// Whether the sphere around a geom is beside a ray or behind it, and so clearly that rounding cannot say
/// otherwise.
#[inline(always)]
fn passes_by(m: &Model, d: &Data, geom: usize, ray: &Ray) -> bool {
    const ROUNDING: f64 = 1e-9;
    let radius = shape::radius(m, geom);
    let center = d.geom_xpos[geom] - ray.origin;
    let (along, squared) = (ray.dir.dot(center), ray.dir.norm_squared());
    // By Pythagoras, from the centre to the ray's line or, if the sphere is behind it, to its origin.
    let outside = center.norm_squared() * (1.0 - ROUNDING) - radius * radius;
    if along < 0.0 { outside > 0.0 } else { outside * squared > along * along }
}

/// Distance along a ray to one geom, whatever its visibility.
fn geom_distance(m: &Model, d: &Data, geom: usize, ray: &Ray) -> Option<f64> {
    let pose = Pose::new(d.geom_xpos[geom], d.geom_xmat[geom]);
    match GeomType::from_raw(m.geom_type[geom])? {
        GeomType::Mesh => {
            let mesh = shape::triangles(m, m.geom_dataid[geom])?;
            ray::mesh(&pose, m.geom_size[geom], &mesh, ray)
        }
        GeomType::HField => {
            let field: HeightField<'_> = shape::height_field(m, geom)?;
            ray::height_field(&pose, &field, ray)
        }
        GeomType::Sdf => {
            let found = shape::field(m, geom, pose)?;
            field::march(&found.field, &pose, m.geom_size[geom], ray)
        }
        kind => primitive(&pose, m.geom_size[geom], kind, ray),
    }
}

fn primitive(pose: &Pose, size: Vec3, kind: GeomType, ray: &Ray) -> Option<f64> {
    match kind {
        GeomType::Plane => ray::plane(pose, size, ray),
        GeomType::Sphere => ray::sphere(pose.pos, size[0] * size[0], ray),
        GeomType::Capsule => ray::capsule(pose, size[0], size[1], ray),
        GeomType::Ellipsoid => ray::ellipsoid(pose, size, ray),
        GeomType::Cylinder => ray::cylinder(pose, size[0], size[1], ray),
        GeomType::Box => ray::cuboid(pose, size, ray),
        _ => None,
    }
}

/// Distance along a ray to a primitive shape; meshes and height fields are missed.
pub fn primitive_geom(
    pos: Vec3,
    mat: Mat3,
    size: Vec3,
    pnt: Vec3,
    vec: Vec3,
    kind: GeomType,
) -> Option<f64> {
    primitive(&Pose::new(pos, mat), size, kind, &Ray::new(pnt, vec))
}

/// Distance along a ray to one mesh geom; `None` for a geom of another type.
pub fn mesh(m: &Model, d: &Data, geom: usize, pnt: Vec3, vec: Vec3) -> Option<f64> {
    one(m, d, geom, pnt, vec, GeomType::Mesh)
}

/// Distance along a ray to one height field geom; `None` for a geom of another type.
pub fn height_field(m: &Model, d: &Data, geom: usize, pnt: Vec3, vec: Vec3) -> Option<f64> {
    one(m, d, geom, pnt, vec, GeomType::HField)
}

fn one(m: &Model, d: &Data, geom: usize, pnt: Vec3, vec: Vec3, kind: GeomType) -> Option<f64> {
    if m.geom_type.get(geom) != Some(&kind.raw()) {
        return None;
    }
    geom_distance(m, d, geom, &valid(pnt, vec)?)
}

/// The nearest point of a flex along a ray, among the parts that are drawn.
pub fn flex(
    m: &Model,
    d: &Data,
    id: usize,
    parts: &FlexParts,
    pnt: Vec3,
    vec: Vec3,
) -> Option<VertexHit> {
    let dim = usize::try_from(*m.flex_dim.get(id)?).ok().filter(|d| (1..=3).contains(d))?;
    let vert = run(&d.flexvert_xpos, m.flex_vertadr[id], m.flex_vertnum[id])?;
    let elems = m.flex_elemnum[id];
    let surface = FlexSurface {
        dim,
        radius: m.flex_radius[id],
        vert,
        edge: run(&m.flex_edge, m.flex_edgeadr[id], m.flex_edgenum[id])?,
        elem: run(&m.flex_elem, m.flex_elemdataadr[id], elems.checked_mul(dim as i32 + 1)?)?,
        layer: run(&m.flex_elemlayer, m.flex_elemadr[id], elems)?,
    };
    ray::flex(&surface, parts, &valid(pnt, vec)?)
}

/// `all[adr..][..num]`.
fn run<T>(all: &[T], adr: i32, num: i32) -> Option<&[T]> {
    all.get(usize::try_from(adr).ok()?..)?.get(..usize::try_from(num).ok()?)
}

/// Azimuth and polar angle of a vector.
fn angles(v: Vec3) -> [f64; 2] {
    [atan2(v[1], v[0]), atan2((v[0] * v[0] + v[1] * v[1]).sqrt(), v[2])]
}

/// What the rays from one point can see of a geom.
#[derive(Clone, Copy)]
enum Window {
    Hidden,
    /// Lower and upper bounds of azimuth and polar angle.
    Visible([f64; 2], [f64; 2]),
}

/// Every direction.
const EVERYWHERE: Window = Window::Visible([-PI, 0.0], [PI, PI]);

/// The nearest geom along each of several rays from one point; geoms farther than `cutoff` are
/// missed.
///
/// Geoms are first narrowed down to those whose bounding box covers the ray's direction, and bodies
/// to those whose bounding sphere it meets. As in MuJoCo, that sphere is placed without the
/// rotation of the body, so that geoms of a body whose box is off-centre may be missed.
pub fn cast_many(
    m: &Model,
    d: &Data,
    pnt: Vec3,
    vecs: &[Vec3],
    selection: &Selection<'_>,
    cutoff: f64,
) -> Vec<Option<RayHit>> {
    let root =
        |body: usize| usize::try_from(m.body_bvhadr[body]).ok().and_then(|a| m.bvh_aabb.get(a));
    let geoms = |body: usize| {
        let first = usize::try_from(m.body_geomadr[body]).unwrap_or(0);
        let count = usize::try_from(m.body_geomnum[body]).unwrap_or(0);
        first.min(m.ngeom)..first.saturating_add(count).min(m.ngeom)
    };
    let mut windows = memory::filled(Window::Hidden, m.ngeom);
    for body in 0..m.nbody {
        for geom in geoms(body).filter(|&g| selection.admits(m, g)) {
            windows[geom] =
                if root(body).is_some() { window(m, d, pnt, geom, cutoff) } else { EVERYWHERE };
        }
    }

    let cast_one = |&vec: &Vec3| {
        let ray = valid(pnt, vec)?;
        let direction = angles(vec);
        let mut best = None;
        for body in 0..m.nbody {
            if let Some(aabb) = root(body) {
                let half = Vec3::from_slice(&aabb[3..]);
                let center = Vec3::from_slice(aabb) + d.xipos[body];
                if ray::sphere(center, half.dot(half), &ray).is_none() {
                    continue;
                }
            }
            for geom in geoms(body) {
                let Window::Visible(low, high) = windows[geom] else { continue };
                let within = |k: usize| low[k] <= direction[k] && direction[k] <= high[k];
                if root(body).is_none() || (within(0) && within(1)) {
                    closer(&mut best, geom, geom_distance(m, d, geom, &ray));
                }
            }
        }
        best
    };
    vecs.iter().map(cast_one).collect()
}

/// The directions from `pnt` in which a geom's bounding box lies.
fn window(m: &Model, d: &Data, pnt: Vec3, geom: usize, cutoff: f64) -> Window {
    let pose = Pose::new(d.geom_xpos[geom], d.geom_xmat[geom]);
    if pose.pos.distance(pnt) > cutoff + m.geom_rbound[geom] {
        return Window::Hidden;
    }
    let aabb = &m.geom_aabb[geom];
    let (center, half) = (Vec3::from_slice(aabb), Vec3::from_slice(&aabb[3..]));
    let inside = (pose.mat.tmul(pnt - pose.pos) - center).abs();
    if (0..3).all(|k| inside[k] <= half[k]) {
        return EVERYWHERE;
    }
    let (mut low, mut high) = ([f64::MAX; 2], [f64::MIN; 2]);
    for corner in 0..8 {
        let sign = Vec3(array::from_fn(|k| if corner >> k & 1 == 1 { 1.0 } else { -1.0 }));
        let angle = angles(pose.point(center + half.component_mul(sign)) - pnt);
        for k in 0..2 {
            low[k] = low[k].min(angle[k]);
            high[k] = high[k].max(angle[k]);
        }
    }
    // A box across the azimuth's jump from −π to π.
    if high[0] - low[0] > PI { EVERYWHERE } else { Window::Visible(low, high) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A geom that a ray passes by is one that it does not meet.
    #[test]
    fn the_nearest_geom_is_that_of_each_geom_by_itself() {
        let text = "<mujoco><worldbody><geom type='plane' size='3 3 .1' pos='0 0 -1'/>
            <geom type='sphere' size='.3' pos='.5 .2 .1'/>
            <geom type='capsule' size='.1 .4' pos='-.6 .3 .2' euler='40 20 0'/>
            <geom type='ellipsoid' size='.1 .2 .4' pos='.1 -.8 .3' euler='0 70 10'/>
            <geom type='cylinder' size='.2 .3' pos='-.4 -.5 .1' euler='30 0 50'/>
            <geom type='box' size='.2 .3 .1' pos='.7 -.3 .4' euler='10 20 30'/>
            </worldbody></mujoco>";
        let m = crate::load_model_str(text, &Default::default()).unwrap();
        let mut d = Data::new(&m);
        crate::forward(&m, &mut d).unwrap();
        let [mut hits, mut passed] = [0; 2];
        for i in 0..5000 {
            let a = f64::from(i);
            let from =
                Vec3::new(1.5 * (1.3 * a).sin(), 1.5 * (1.7 * a).cos(), 0.8 * (0.7 * a).sin());
            let to = Vec3::new((2.1 * a).cos(), (0.9 * a).sin(), 0.5 * (1.1 * a).cos());
            let ray = Ray::new(from, (to - from) * (0.1 + (0.3 * a).sin().abs()));
            let mut best = None;
            for geom in 0..m.ngeom {
                closer(&mut best, geom, geom_distance(&m, &d, geom, &ray));
                passed += usize::from(passes_by(&m, &d, geom, &ray));
            }
            hits += usize::from(best.is_some());
            assert_eq!(cast(&m, &d, ray.origin, ray.dir, &Selection::default()), best, "{i}");
        }
        assert!(hits > 2000 && passed > 5000, "{hits} {passed}");
    }
}
