//! Signed distance between two geoms.
//!
//! Reads poses of geoms; writes nothing but working memory. Answers to `mj_geomDistance`: pairs
//! that collide by the convex algorithm, and boxes, are measured by it; other pairs by their contact
//! function with the largest distance as margin.

use corten_geom::{HitBuffer, Workspace, ccd};
use corten_math::array::MapInline;
use corten_math::{Mat3, Vec3};
use corten_model::enums::GeomType;

use crate::stage::collision::{self, shape};
use crate::{Data, Model};

/// Distance between two geoms, and the segment that it is measured along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeomDistance {
    /// Negative if the geoms overlap; never above the largest distance asked for.
    pub dist: f64,
    /// Nearest points on the first and second geom; both zero if none were found.
    pub fromto: [Vec3; 2],
}

/// What is near a geom, by the sphere around it.
pub(crate) struct Neighbourhood {
    center: Vec3,
    radius: f64,
}

impl Neighbourhood {
    pub fn new(m: &Model, d: &Data, geom: usize) -> Neighbourhood {
        Neighbourhood { center: d.geom_xpos[geom], radius: shape::radius(m, geom) }
    }

    /// Whether another geom is farther away than `distance`, and so clearly that rounding in the
    /// search for their distance cannot say otherwise.
    pub fn excludes(&self, m: &Model, d: &Data, geom: usize, distance: f64) -> bool {
        const CLEARLY: f64 = 1.0 + 1e-9;
        let reach = CLEARLY * (self.radius + shape::radius(m, geom) + distance.max(0.0));
        (d.geom_xpos[geom] - self.center).norm_squared() > reach * reach
    }
}

/// Distance between geoms `geom1` and `geom2`, at most `distmax`.
pub fn geom_distance(
    m: &Model,
    d: &mut Data,
    geom1: usize,
    geom2: usize,
    distmax: f64,
) -> GeomDistance {
    let Data { geom_xpos, geom_xmat, scratch, .. } = d;
    let memory = &mut scratch.collision;
    between(m, geom_xpos, geom_xmat, geom1, geom2, distmax, memory)
}

pub(crate) fn between(
    m: &Model,
    xpos: &[Vec3],
    xmat: &[Mat3],
    geom1: usize,
    geom2: usize,
    distmax: f64,
    memory: &mut collision::Scratch,
) -> GeomDistance {
    let none = GeomDistance { dist: distmax, fromto: [Vec3::ZERO; 2] };
    let kind = |g: usize| m.geom_type.get(g).and_then(|&t| GeomType::from_raw(t));
    let (Some(kind1), Some(kind2)) = (kind(geom1), kind(geom2)) else { return none };
    let flip = kind1 > kind2;
    let (first, second) = if flip { (geom2, geom1) } else { (geom1, geom2) };
    if uses_convex(kind1.min(kind2), kind1.max(kind2)) {
        return convex_distance(m, xpos, xmat, [geom1, geom2], distmax, memory.convex())
            .unwrap_or(none);
    }

    deepest(collision::touch(m, xpos, xmat, first, second, distmax, memory), flip, none)
}

/// Pairs of types, in order, that are measured by the convex algorithm.
fn uses_convex(kind1: GeomType, kind2: GeomType) -> bool {
    use GeomType::{Box, Capsule, Cylinder, Ellipsoid, Mesh, Sphere};
    matches!(
        (kind1, kind2),
        (Sphere | Capsule, Ellipsoid | Mesh)
            | (Capsule, Cylinder)
            | (Ellipsoid, Ellipsoid | Cylinder | Box | Mesh)
            | (Cylinder, Cylinder | Box | Mesh)
            | (Box, Box | Mesh)
            | (Mesh, Mesh)
    )
}

fn convex_distance(
    m: &Model,
    xpos: &[Vec3],
    xmat: &[Mat3],
    geoms: [usize; 2],
    distmax: f64,
    ws: &mut Workspace,
) -> Option<GeomDistance> {
    let [mut a, mut b] = geoms.map_inline(|g| shape::convex(m, None, g, &xpos[g], &xmat[g], 0.0));
    let options = ccd::Options {
        iterations: m.opt.ccd_iterations,
        tolerance: m.opt.ccd_tolerance,
        portals: false,
    };
    let dist = ccd::query(a.as_mut()?, b.as_mut()?, &options, 1, distmax, ws);
    Some(GeomDistance {
        dist: if dist < distmax { dist } else { distmax },
        fromto: ws.points.first().map_or([Vec3::ZERO; 2], |&(x1, x2)| [x1, x2]),
    })
}

/// The segment through the contact of smallest distance.
fn deepest(hits: &HitBuffer, flip: bool, none: GeomDistance) -> GeomDistance {
    let mut best = none;
    for hit in hits.iter() {
        if hit.dist < best.dist {
            let half = hit.normal * (0.5 * if flip { -hit.dist } else { hit.dist });
            best = GeomDistance { dist: hit.dist, fromto: [hit.pos - half, hit.pos + half] };
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{forward, load_model_str};

    /// The sensor between two bodies of many geoms reads the least distance of any two of them.
    #[test]
    fn what_is_not_near_is_not_nearest() {
        let crowd = |kinds: [&str; 2], turn: i32| {
            let geom = |k: i32| {
                let kind = kinds[(k % 2) as usize];
                format!(
                    "<frame euler='0 {} {}'><geom type='{kind}' size='.03 .05 .04' pos='.4 0 0'/></frame>",
                    turn * k,
                    31 * k
                )
            };
            (0..12).map(geom).collect::<String>()
        };
        for (offset, cutoff) in [(".3", 2.0), ("1.1", 2.0), ("1.6", 0.7)] {
            let text = format!(
                "<mujoco><worldbody><body name='a'><freejoint/>{}</body>
                 <body name='b' pos='{offset} .1 .2'><freejoint/>{}</body></worldbody>
                 <sensor><fromto body1='a' body2='b' cutoff='{cutoff}'/></sensor></mujoco>",
                crowd(["capsule", "box"], 17),
                crowd(["sphere", "cylinder"], 23),
            );
            let m = load_model_str(&text, &Default::default()).unwrap();
            let mut d = Data::new(&m);
            forward(&m, &mut d).unwrap();
            let mut best = GeomDistance { dist: cutoff, fromto: [Vec3::ZERO; 2] };
            let mut excluded = 0;
            for (first, second) in (0..12).flat_map(|first| (12..24).map(move |b| (first, b))) {
                let near = Neighbourhood::new(&m, &d, first);
                excluded += usize::from(near.excludes(&m, &d, second, best.dist));
                let found = geom_distance(&m, &mut d, first, second, cutoff);
                if found.dist < best.dist {
                    best = found;
                }
            }
            assert_eq!(d.sensordata[..], [best.fromto[0].0, best.fromto[1].0].concat());
            assert!(excluded > 20, "{excluded}");
        }
    }
}
