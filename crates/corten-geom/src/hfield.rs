//! Height fields: a grid of heights over a rectangle, and contacts of a convex shape with it.
//!
//! Each grid cell is cut into two triangles; a triangle and the field's base bound a prism, and
//! the shape is collided with every prism under its bounding box. Answers to `mjc_ConvexHField`
//! and `mjc_HFieldElem` in MuJoCo's `engine_collision_convex.c`.

use corten_math::Vec3;

use crate::ccd::{self, Options, Workspace};
use crate::contact::HitBuffer;
use crate::convex;
use crate::shape::{Geometry, Pose, Shape};

/// A height field, borrowed from model arrays.
#[derive(Clone, Copy, Debug)]
pub struct HeightField<'a> {
    pub nrow: usize,
    pub ncol: usize,
    /// Half-lengths in x and y, height of a unit sample, depth of the base.
    pub size: [f64; 4],
    /// Samples, row by row; rows run along x, row numbers along y.
    pub data: &'a [f32],
}

impl HeightField<'_> {
    /// The sample of a grid point; zero outside.
    #[inline]
    pub fn sample(&self, row: usize, col: usize) -> f64 {
        let inside = row < self.nrow && col < self.ncol;
        let value = inside.then(|| self.data.get(row * self.ncol + col)).flatten();
        value.map_or(0.0, |&v| v.into())
    }

    /// Grid spacing along x and y.
    #[inline]
    pub fn spacing(&self) -> [f64; 2] {
        let [sx, sy, ..] = self.size;
        [
            (2.0 * sx) / self.ncol.saturating_sub(1) as f64,
            (2.0 * sy) / self.nrow.saturating_sub(1) as f64,
        ]
    }

    /// Whether there is at least one cell.
    pub fn has_cells(&self) -> bool {
        self.nrow > 1 && self.ncol > 1 && self.data.len() / self.ncol >= self.nrow
    }
}

/// Contacts of a height field at `frame` with a convex shape; appended to `out` until it is full.
///
/// `shape` is posed in the world, carries the margin and its bounding radius.
pub fn collide(
    field: &HeightField<'_>,
    frame: &Pose,
    shape: &Shape<'_>,
    margin: f64,
    options: &Options,
    out: &mut HitBuffer,
    ws: &mut Workspace,
) {
    if !field.has_cells() {
        return;
    }
    let [sx, sy, top, base] = field.size;
    let mut shape = shape.relative_to(frame);
    let beyond = |min: Vec3, max: Vec3| {
        min[0] > sx || max[0] < -sx || min[1] > sy || max[1] < -sy || min[2] > top || max[2] < -base
    };
    let center = shape.pose.pos;
    let radius = Vec3::splat(shape.rbound + margin);
    if beyond(center - radius, center + radius) {
        return;
    }
    let (min, max) = bounds(&mut shape);
    if beyond(min - Vec3::splat(margin), max + Vec3::splat(margin)) {
        return;
    }

    // Cells under the bounding box.
    let cell = |x: f64, half: f64, count: usize| (x + half) / (2.0 * half) * (count - 1) as f64;
    let number = |cell: f64, count: usize| (cell.max(0.0) as usize).min(count - 1);
    let low = |x: f64, half: f64, count: usize| number(cell(x, half, count).floor(), count);
    let high = |x: f64, half: f64, count: usize| number(cell(x, half, count).ceil(), count);
    let (cmin, cmax) = (low(min[0], sx, field.ncol), high(max[0], sx, field.ncol));
    let (rmin, rmax) = (low(min[1], sy, field.nrow), high(max[1], sy, field.nrow));
    let [dx, dy] = field.spacing();

    let mut corners = [Vec3::new(0.0, 0.0, -base); 6];
    // Moves the prism on by one grid point: the oldest of its three columns makes room.
    let advance = |corners: &mut [Vec3; 6], row: usize, col: usize| {
        corners.copy_within(1..3, 0);
        corners.copy_within(4..6, 3);
        let (x, y) = (dx * col as f64 - sx, dy * row as f64 - sy);
        corners[2] = Vec3::new(x, y, -base);
        corners[5] = Vec3::new(x, y, field.sample(row, col) * top + margin);
    };
    for row in rmin..rmax {
        advance(&mut corners, row + 1, cmin);
        advance(&mut corners, row, cmin);
        for col in cmin + 1..=cmax {
            for row in [row + 1, row] {
                advance(&mut corners, row, col);
                if corners[3..].iter().all(|c| c[2] < min[2]) {
                    continue;
                }
                let mut prism = Shape::new(Pose::IDENTITY, Geometry::Prism { corners }, 0.0);
                let found = if options.portals {
                    convex::overlap(&mut prism, &mut shape, 0.0, options, ws)
                } else {
                    let dist = ccd::query(&mut prism, &mut shape, options, 1, 0.0, ws);
                    let deepest = ws.points.first().filter(|_| dist < 0.0);
                    deepest.map(|&(x1, x2)| convex::hit(dist, x1, x2))
                };
                if let Some(mut hit) = found {
                    hit.normal = frame.mat * hit.normal;
                    hit.pos = frame.point(hit.pos);
                    if !out.push(hit) {
                        return;
                    }
                }
            }
        }
    }
}

/// Axis-aligned bounds; those of a flex element leave out its radius.
fn bounds(shape: &mut Shape<'_>) -> (Vec3, Vec3) {
    if let Geometry::Simplex { corners, count, .. } = &shape.geometry {
        let corners = &corners[..(*count).clamp(1, 4)];
        let first = (corners[0], corners[0]);
        return corners.iter().fold(first, |(lo, hi), &c| (lo.min(c), hi.max(c)));
    }
    let (mut min, mut max) = (Vec3::ZERO, Vec3::ZERO);
    for (k, axis) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
        max[k] = shape.bare_support(axis)[k];
        min[k] = shape.bare_support(-axis)[k];
    }
    (min, max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use corten_math::Mat3;

    fn flat(data: &[f32]) -> HeightField<'_> {
        HeightField { nrow: 5, ncol: 5, size: [1.0, 1.0, 0.5, 0.1], data }
    }

    #[test]
    fn a_ball_on_flat_ground_sinks_by_its_overlap() {
        let data = [1.0f32; 25];
        let pose = Pose::new(Vec3::new(0.1, 0.05, 0.69), Mat3::IDENTITY);
        let ball = Shape::bounded(pose, Geometry::Sphere { radius: 0.2 }, 0.0, 0.2);
        let (mut out, mut ws) = (HitBuffer::new(), Workspace::default());
        collide(&flat(&data), &Pose::IDENTITY, &ball, 0.0, &Options::default(), &mut out, &mut ws);
        let deepest = out.iter().map(|h| h.dist).fold(f64::MAX, f64::min);
        assert!((deepest + 0.01).abs() < 1e-9, "{deepest}");
    }

    #[test]
    fn malformed_fields_are_empty() {
        let ball = Shape::new(Pose::IDENTITY, Geometry::Sphere { radius: 0.2 }, 0.0);
        let (mut out, mut ws) = (HitBuffer::new(), Workspace::default());
        let data = [0.0f32; 3];
        for (nrow, ncol) in [(0, 0), (1, 5), (5, 5), (usize::MAX, usize::MAX)] {
            let field = HeightField { nrow, ncol, ..flat(&data) };
            collide(&field, &Pose::IDENTITY, &ball, 0.0, &Options::default(), &mut out, &mut ws);
        }
        assert!(out.is_empty());
        let data = [f32::NAN; 25];
        let shape = Shape::new(
            Pose::new(Vec3::splat(f64::NAN), Mat3::ZERO),
            Geometry::Box { size: Vec3::splat(f64::INFINITY) },
            f64::NAN,
        );
        collide(&flat(&data), &Pose::IDENTITY, &shape, 0.1, &Options::default(), &mut out, &mut ws);
    }
}
