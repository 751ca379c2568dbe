//! Where vertices of meshes are on the image, eight of them at a time.

use corten_math::{F32x8, I32x8, wide};

use crate::draw::View;
use crate::geometry::SUBPIXEL;
use crate::linear::V4;
use crate::mesh::Block;
use crate::raster::LANES;

/// How far, in pixels, triangles may reach beyond the image before they are cut.
const GUARD: f32 = 8192.0;

/// Planes that need cutting; the others only tell that nothing is visible.
pub(crate) const CUT: i32 = 0b1000_0111;
pub(crate) const NEAR: i32 = 1;
pub(crate) const FAR: i32 = 2;
/// Beyond the guard band.
pub(crate) const WIDE: i32 = 4;
const SIDES: [i32; 4] = [8, 16, 32, 64];
/// Behind the clipping plane of a mirror.
pub(crate) const BEHIND: i32 = 128;

/// A vertex on the image.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Corner {
    pub x: i32,
    pub y: i32,
    /// Depth: one at the near plane, zero at the far plane.
    pub z: f32,
    /// Reciprocal of the distance from the eye.
    pub inverse: f32,
    /// Bits of the planes of the frustum that it is beyond of.
    pub outside: i32,
}

/// The guard band in normalised coordinates.
pub(crate) fn guards(view: &View) -> [f32; 2] {
    [1.0 + 2.0 * GUARD / view.width as f32, 1.0 + 2.0 * GUARD / view.height as f32]
}

wide! {
    /// Brings vertices to the image by the rows of a matrix; those behind a plane, if there is one,
    /// are marked.
    pub(crate) fn corners_of(
        rows: &[V4; 4],
        plane: Option<V4>,
        view: &View,
        blocks: &[Block],
        corners: &mut [[Corner; LANES]],
    ) {
        for (corners, block) in corners.iter_mut().zip(blocks) {
            let p = [F32x8::load(&block[0]), F32x8::load(&block[1]), F32x8::load(&block[2])];
            let clip = [row(&rows[0], p), row(&rows[1], p), row(&rows[2], p), row(&rows[3], p)];
            let behind = match plane {
                Some(plane) => I32x8::splat(BEHIND).only(row(&plane, p).lt(F32x8::splat(0.0))),
                None => I32x8::splat(0),
            };
            *corners = project(clip, view, behind);
        }
    }
}

/// A linear function of points.
#[inline(always)]
fn row(row: &V4, [x, y, z]: [F32x8; 3]) -> F32x8 {
    let [a, b, c, d] =
        [F32x8::splat(row[0]), F32x8::splat(row[1]), F32x8::splat(row[2]), F32x8::splat(row[3])];
    a * x + b * y + c * z + d
}

/// Where a point of the frustum is on the image.
pub(crate) fn corner_at(clip: V4, view: &View) -> Corner {
    let clip = [
        F32x8::splat(clip[0]),
        F32x8::splat(clip[1]),
        F32x8::splat(clip[2]),
        F32x8::splat(clip[3]),
    ];
    project(clip, view, I32x8::splat(0))[0]
}

/// Where points are on the image, and what they are beyond of.
#[inline(always)]
fn project([x, y, z, w]: [F32x8; 4], view: &View, behind: I32x8) -> [Corner; LANES] {
    let [gx, gy] = guards(view);
    let zero = F32x8::splat(0.0);
    let negative = zero - w;
    // A NaN is beyond every plane.
    let wide = (F32x8::splat(gx) * w).ge(x.abs()) & (F32x8::splat(gy) * w).ge(y.abs());
    let inside = [
        (w.ge(z), NEAR),
        (z.ge(zero), FAR),
        (wide, WIDE),
        (x.ge(negative), SIDES[0]),
        (w.ge(x), SIDES[1]),
        (y.ge(negative), SIDES[2]),
        (w.ge(y), SIDES[3]),
    ];
    let mut outside = behind | I32x8::splat(127);
    for (inside, bit) in inside {
        outside = outside - I32x8::splat(bit).only(inside);
    }
    let inverse = F32x8::splat(1.0) / w;
    let (x, y) = (fixed(x * inverse, view.width), fixed(y * inverse, view.height));
    let (z, inverse, outside) = ((z * inverse).store(), inverse.store(), outside.store());
    let mut corners = [Corner::default(); LANES];
    for (l, corner) in corners.iter_mut().enumerate() {
        *corner = Corner { x: x[l], y: y[l], z: z[l], inverse: inverse[l], outside: outside[l] };
    }
    corners
}

/// Numbers as places on the image, rounded to the nearest; far beyond, as far as it goes.
#[inline(always)]
fn fixed(x: F32x8, size: usize) -> [i32; LANES] {
    let one = F32x8::splat(1.0);
    let place = (x + one) * F32x8::splat(0.5 * SUBPIXEL) * F32x8::splat(size as f32);
    // Adding and subtracting this rounds numbers of up to 22 bits to whole ones.
    let round = F32x8::splat(12_582_912.0);
    let near = place.abs().lt(F32x8::splat(4_194_304.0));
    let most = F32x8::splat((1 << 24) as f32);
    let place = near.choose((place + round) - round, place);
    place.max(F32x8::splat(0.0) - most).min(most).truncated().store()
}
