//! Pairs that touch within rounding of what their bounds allow.
//!
//! MuJoCo drops pairs by bounding volumes before it looks at shapes: body by body in a sweep whose
//! keys are single precision, then node by node of the bodies' box trees. A volume holds its
//! shapes, so these tests cannot drop a pair whose shapes overlap by more than rounding; our own
//! candidates come from other tests. For shapes that merely touch, rounding decides, and to reach
//! the same decision the same sums are repeated here, for such pairs alone. Answers to
//! `makeAAMM`, `mj_SAP`, `mj_collideTree` and `mj_collideOBB`.

use corten_math::array;
use corten_math::array::MapInline;
use corten_math::{Mat3, Vec3, eig3};
use corten_model::enums::{EnableBit, GeomType};

use super::collidable::Collidable;
use super::filter::{Candidate, Rules, Source};

use crate::Model;

/// Half sizes from here on are infinite.
const INFINITE: f64 = 1e10;

/// Twice the relative spacing of single precision: bound on the error of a sweep's keys.
const KEY_ROUNDING: f64 = 2.4e-7;

/// Poses that bounding tests read.
#[derive(Clone, Copy)]
pub(super) struct Poses<'a> {
    pub geom_xpos: &'a [Vec3],
    pub geom_xmat: &'a [Mat3],
    pub xipos: &'a [Vec3],
    pub ximat: &'a [Mat3],
}

/// Working memory: what the current detection has computed so far.
#[derive(Clone, Debug, Default)]
pub(super) struct BoundsCheck {
    /// Axes of the sweep, as rows.
    frame: Option<Mat3>,
    stack: Vec<[i32; 2]>,
}

/// An oriented box: centre and half sizes in a frame.
#[derive(Clone, Copy)]
struct Oriented<'a> {
    aabb: &'a [f64; 6],
    pos: Vec3,
    mat: &'a Mat3,
}

/// Depth up to which boxes around shapes may seem apart by rounding.
pub(super) const BOX_ROUNDING: f64 = 1e-9;

impl BoundsCheck {
    /// Starts a detection.
    pub fn begin(&mut self) {
        self.frame = None;
    }

    /// Whether MuJoCo looks at the shapes of a pair at all, of which contacts were found. `sure` says
    /// that the shapes overlap by more than [`BOX_ROUNDING`].
    pub fn passes_mujoco_bounds(
        &mut self,
        m: &Model,
        poses: &Poses<'_>,
        rules: &Rules,
        c: &Candidate,
        margin: f64,
        sure: bool,
    ) -> bool {
        let swap = rules.body(c.first) > rules.body(c.second);
        let ordered = if swap { [c.second, c.first] } else { [c.first, c.second] };
        let bodies = ordered.map_inline(|c| rules.body(c) as usize);
        let geoms = ordered.map_inline(Collidable::index);
        let overlapping = || spheres_overlap(m, poses.geom_xpos, geoms, margin);
        let boxed = || sure || boxes_meet(m, poses, geoms, margin);
        match c.source {
            Source::Pair(_) => true,
            Source::SingleGeom => overlapping() || self.swept(m, poses, bodies),
            Source::MultiGeom => {
                (overlapping() || self.swept(m, poses, bodies))
                    && boxed()
                    && (sure || self.trees_meet(m, poses, bodies, geoms.map_inline(|g| g as i32)))
            }
        }
    }

    /// Whether the sweep finds two bodies; those in contact with everything need no sweep.
    fn swept(&mut self, m: &Model, poses: &Poses<'_>, bodies: [usize; 2]) -> bool {
        if bodies.iter().any(|&b| is_everywhere(m, b)) {
            return true;
        }
        let frame = self.frame.get_or_insert_with(|| sweep_frame(m, poses.geom_xpos));
        let [(low1, high1), (low2, high2)] =
            bodies.map_inline(|b| extent(m, poses.geom_xpos, frame, b));
        // Ends are sorted by single precision value, ties by body, the lower end first; the first
        // body has the smaller number.
        let [l1, h1, l2, h2] = [low1[0], high1[0], low2[0], high2[0]].map_inline(|x| x as f32);
        l1 <= h2 && l2 < h1 && (1..3).all(|k| !(low1[k] > high2[k]) && !(low2[k] > high1[k]))
    }

    /// Whether a walk down the two box trees arrives at a pair of geoms.
    fn trees_meet(
        &mut self,
        m: &Model,
        poses: &Poses<'_>,
        bodies: [usize; 2],
        geoms: [i32; 2],
    ) -> bool {
        let root = bodies.map_inline(|b| usize::try_from(m.body_bvhadr[b]).ok());
        let [Some(root1), Some(root2)] = root else { return true };
        let margin = match m.opt.enabled(EnableBit::Override) {
            true => m.opt.o_margin,
            false => m.body_margin[bodies[0]].max(m.body_margin[bodies[1]]),
        };
        let pair = FramePair::new(
            bodies.map_inline(|b| poses.xipos[b]),
            bodies.map_inline(|b| &poses.ximat[b]),
        );
        let node = |root: usize, i: i32| {
            let i = root.checked_add(usize::try_from(i).ok()?)?;
            Some((m.bvh_aabb.get(i)?, m.bvh_child.get(i)?, *m.bvh_nodeid.get(i)?))
        };
        // Trees visit each pair of nodes at most once; damaged ones might not end.
        let nodes = bodies.map_inline(|b| m.body_bvhnum[b].max(0) as usize);
        let mut visits = nodes[0].saturating_mul(nodes[1]);
        self.stack.clear();
        self.stack.push([0, 0]);
        while let Some([i1, i2]) = self.stack.pop() {
            let (Some((aabb1, child1, id1)), Some((aabb2, child2, id2))) =
                (node(root1, i1), node(root2, i2))
            else {
                return true;
            };
            if visits == 0 {
                return true;
            }
            visits -= 1;
            let leaf = [child1, child2].map_inline(|c| c[0] < 0 && c[1] < 0);
            if leaf == [true, true] {
                if [id1, id2] == geoms {
                    return true;
                }
                continue;
            }
            if !pair.meet([aabb1, aabb2], margin) {
                continue;
            }
            // The measure by which one of two inner nodes is opened first is theirs.
            let measure = |b: &[f64; 6]| {
                let (x, y, z) = (b[3] - b[0], b[4] - b[1], b[5] - b[2]);
                x * y + y * z + z * x
            };
            if leaf[1] || !leaf[0] && measure(aabb1) > measure(aabb2) {
                self.stack.extend(child1.iter().filter(|&&c| c != -1).map(|&c| [c, i2]));
            } else {
                self.stack.extend(child2.iter().filter(|&&c| c != -1).map(|&c| [i1, c]));
            }
        }
        false
    }
}

/// Whether bounding spheres overlap by more than the rounding of a sweep: then so do their shadows
/// on any axis.
fn spheres_overlap(m: &Model, xpos: &[Vec3], [g1, g2]: [usize; 2], margin: f64) -> bool {
    let reach = m.geom_rbound[g1] + m.geom_rbound[g2] + margin;
    let extent = |p: Vec3| p[0].abs() + p[1].abs() + p[2].abs();
    let rounding = KEY_ROUNDING * (extent(xpos[g1]) + extent(xpos[g2]) + reach);
    let surely = reach - rounding;
    surely > 0.0 && (xpos[g1] - xpos[g2]).norm_squared() < surely * surely
}

fn geoms_of(m: &Model, body: usize) -> std::ops::Range<usize> {
    let start = usize::try_from(m.body_geomadr[body]).unwrap_or(0).min(m.ngeom);
    let count = usize::try_from(m.body_geomnum[body]).unwrap_or(0).min(m.ngeom - start);
    start..start + count
}

/// The world, and what is fixed to it and has a plane.
fn is_everywhere(m: &Model, body: usize) -> bool {
    body == 0
        || m.body_weldid[body] == 0
            && geoms_of(m, body).any(|g| m.geom_type[g] == GeomType::Plane.raw())
}

/// Principal axes of the geoms outside the world.
fn sweep_frame(m: &Model, xpos: &[Vec3]) -> Mat3 {
    let loose = || (0..m.ngeom).filter(|&g| m.geom_bodyid[g] != 0).map(|g| xpos[g]);
    let scale = 1.0 / loose().count() as f64;
    let center = loose().fold(Vec3::ZERO, |sum, p| sum + p) * scale;
    let mut covariance = Mat3::ZERO;
    for p in loose() {
        let d = p - center;
        for i in 0..3 {
            for k in 0..3 {
                covariance[(i, k)] += d[i] * d[k];
            }
        }
    }
    eig3(&Mat3(covariance.0.map_inline(|x| x * scale))).vectors
}

/// Lower and upper ends of a body's bounding spheres along the rows of `frame`.
fn extent(m: &Model, xpos: &[Vec3], frame: &Mat3, body: usize) -> (Vec3, Vec3) {
    let own_margin = !m.opt.enabled(EnableBit::Override);
    let mut bounds = (Vec3::splat(f64::MAX), Vec3::splat(-f64::MAX));
    for g in geoms_of(m, body) {
        let margin = if own_margin { m.geom_margin[g] } else { 0.5 * m.opt.o_margin };
        for k in 0..3 {
            let center = xpos[g].dot(frame.row(k));
            bounds.0[k] = bounds.0[k].min(center - m.geom_rbound[g] - margin);
            bounds.1[k] = bounds.1[k].max(center + m.geom_rbound[g] + margin);
        }
    }
    bounds
}

/// Whether the boxes of two geoms meet, each along the face normals of both.
fn boxes_meet(m: &Model, poses: &Poses<'_>, geoms: [usize; 2], margin: f64) -> bool {
    let boxes = geoms.map_inline(|g| Oriented {
        aabb: &m.geom_aabb[g],
        pos: poses.geom_xpos[g],
        mat: &poses.geom_xmat[g],
    });
    let centers = boxes.map_inline(|b| *b.mat * Vec3::from_slice(b.aabb) + b.pos);
    meet(boxes.map_inline(|b| b.aabb), margin, |j, k| {
        let normal = boxes[j].mat.col(k);
        array::from_fn(|i| {
            let along = array::from_fn(|l| boxes[i].mat.col(l).dot(normal));
            (centers[i].dot(normal), along)
        })
    })
}

/// Two body frames, with the products that all boxes in them share.
struct FramePair {
    /// Axis `l` of frame `i` along axis `k` of frame `j`, at `[i][j][k][l]`.
    product: [[[[f64; 3]; 3]; 2]; 2],
    offset: [[[f64; 3]; 2]; 2],
}

impl FramePair {
    fn new(pos: [Vec3; 2], mat: [&Mat3; 2]) -> FramePair {
        let each = |f: &dyn Fn(usize, usize, usize) -> f64| -> [[[f64; 3]; 2]; 2] {
            array::from_fn(|i| array::from_fn(|j| array::from_fn(|k| f(i, j, k))))
        };
        FramePair {
            product: array::from_fn(|i| {
                array::from_fn(|j| {
                    array::from_fn(|k| array::from_fn(|l| mat[i].col(l).dot(mat[j].col(k))))
                })
            }),
            offset: each(&|i, j, k| pos[i].dot(mat[j].col(k))),
        }
    }

    fn meet(&self, aabb: [&[f64; 6]; 2], margin: f64) -> bool {
        meet(aabb, margin, |j, k| {
            array::from_fn(|i| {
                let p = self.product[i][j][k];
                let b = aabb[i];
                let center = b[0] * p[0] + b[1] * p[1] + b[2] * p[2] + self.offset[i][j][k];
                (center, p)
            })
        })
    }
}

/// The test itself. `along(j, k)` tells, for face normal `k` of box `j`, where the centres of both
/// boxes are and how far their axes go.
fn meet(
    aabb: [&[f64; 6]; 2],
    margin: f64,
    along: impl Fn(usize, usize) -> [(f64, [f64; 3]); 2],
) -> bool {
    let infinite = aabb.map_inline(|b| [3, 4, 5].map_inline(|k| b[k] >= INFINITE));
    if infinite.contains(&[true; 3]) {
        return true;
    }
    (0..2).filter(|&j| infinite[1 - j] == [false; 3]).all(|j| {
        (0..3).all(|k| {
            let sides = along(j, k);
            let reach = |i: usize| {
                let (b, p) = (aabb[i], sides[i].1);
                (b[3] * p[0]).abs() + (b[4] * p[1]).abs() + (b[5] * p[2]).abs()
            };
            !(reach(0) + reach(1) + margin < (sides[1].0 - sides[0].0).abs())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spheres of radius 1 in a row, one per body.
    fn stack(row: &[f64]) -> (Model, Vec<Vec3>) {
        let n = row.len() + 1;
        let mut m = Model::default();
        (m.nbody, m.ngeom) = (n, n - 1);
        m.resize();
        for b in 1..n {
            m.body_weldid[b] = b as i32;
            m.body_geomnum[b] = 1;
            m.body_geomadr[b] = b as i32 - 1;
            m.geom_bodyid[b - 1] = b as i32;
            m.geom_type[b - 1] = GeomType::Sphere.raw();
            m.geom_rbound[b - 1] = 1.0;
        }
        (m, row.iter().map(|&x| Vec3::new(x, 0.0, 0.0)).collect())
    }

    fn swept(row: &[f64], bodies: [usize; 2]) -> bool {
        let (m, xpos) = stack(row);
        let xmat = vec![Mat3::IDENTITY; xpos.len()];
        let poses = Poses { geom_xpos: &xpos, geom_xmat: &xmat, xipos: &[], ximat: &[] };
        BoundsCheck::default().swept(&m, &poses, bodies)
    }

    /// Along the sweep axis, keys are single precision and the end of the body with the smaller
    /// number comes first.
    #[test]
    fn keys_of_the_sweep_are_rounded() {
        assert!(swept(&[0.0, 1.9], [1, 2]));
        assert!(!swept(&[0.0, 2.1], [1, 2]));
        // Overlaps below the spacing of single precision count as touching.
        let rising = swept(&[0.0, 2.0 - 1e-9], [1, 2]);
        let falling = swept(&[2.0 - 1e-9, 0.0], [1, 2]);
        assert_ne!(rising, falling);
        for (x, expected) in [(2.0 - 1e-9, false), (1.9, true)] {
            let (m, xpos) = stack(&[0.0, x]);
            assert_eq!(spheres_overlap(&m, &xpos, [0, 1], 0.0), expected);
        }
    }

    #[test]
    fn infinite_boxes_meet_everything_across_their_plane() {
        let slab = [0.0, 0.0, -0.5, 1e10, 1e10, 0.5];
        let cube = [0.0, 0.0, 0.0, 0.1, 0.1, 0.1];
        for (z, expected) in [(0.05, true), (0.11, false), (-5.0, false)] {
            let far = Vec3::new(1e5, -3e4, z);
            let pair = FramePair::new([Vec3::ZERO, far], [&Mat3::IDENTITY; 2]);
            assert_eq!(pair.meet([&slab, &cube], 0.0), expected, "{z}");
            assert!(pair.meet([&[1e10; 6], &cube], 0.0));
        }
    }
}
