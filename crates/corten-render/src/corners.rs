//! Where vertices of meshes are on the image, and which faces may be seen, eight of them at a time.

use corten_math::array::MapInline;
use corten_math::{F32x8, Four, I32x8, Mask32x8, Wide, wide};

use crate::draw::View;
use crate::geometry::{SUBPIXEL, margins};
use crate::linear::{V4, along};
use crate::mesh::{Block, FaceBlock};
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

/// Eight vertices on the image, as [`Corner`] has them; places are whole numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Eight {
    x: [f32; LANES],
    y: [f32; LANES],
    z: [f32; LANES],
    inverse: [f32; LANES],
    outside: [i32; LANES],
}

/// The vertices of a mesh on the image.
#[derive(Debug, Default)]
pub(crate) struct Corners {
    x: Vec<[f32; LANES]>,
    y: Vec<[f32; LANES]>,
    z: Vec<[f32; LANES]>,
    inverse: Vec<[f32; LANES]>,
    outside: Vec<[i32; LANES]>,
}

impl Corners {
    /// Has room for so many eights.
    pub(crate) fn fit(&mut self, eights: usize) {
        if self.x.len() < eights {
            for numbers in [&mut self.x, &mut self.y, &mut self.z, &mut self.inverse] {
                numbers.resize(eights, [0.0; LANES]);
            }
            self.outside.resize(eights, [0; LANES]);
        }
    }

    /// One of them.
    #[inline(always)]
    pub(crate) fn get(&self, i: u32) -> Corner {
        let i = i as usize;
        Corner {
            x: self.x.as_flattened()[i] as i32,
            y: self.y.as_flattened()[i] as i32,
            z: self.z.as_flattened()[i],
            inverse: self.inverse.as_flattened()[i],
            outside: self.outside.as_flattened()[i],
        }
    }

    #[inline(always)]
    fn set(&mut self, i: usize, eight: Eight) {
        self.x[i] = eight.x;
        self.y[i] = eight.y;
        self.z[i] = eight.z;
        self.inverse[i] = eight.inverse;
        self.outside[i] = eight.outside;
    }
}

wide! {
    /// Brings vertices, by eights from the given one on, to the image by the rows of a matrix; those
    /// behind a plane, if there is one, are marked.
    pub(crate) fn corners_of(
        rows: &[V4; 4],
        plane: Option<V4>,
        view: &View,
        blocks: &[Block],
        first: usize,
        corners: &mut Corners,
    ) {
        for (i, block) in blocks.iter().enumerate() {
            let p = [F32x8::<Simd>::load(&block[0]), F32x8::load(&block[1]), F32x8::load(&block[2])];
            let clip = [along(&rows[0], &p), along(&rows[1], &p), along(&rows[2], &p), along(&rows[3], &p)];
            let behind = match plane {
                Some(plane) => I32x8::splat(BEHIND).only(along(&plane, &p).lt(F32x8::splat(0.0))),
                None => I32x8::splat(0),
            };
            corners.set(first + i, project(clip, view, behind));
        }
    }

    /// Which of eight faces each may be seen from the right side and cover a sample, or need to be cut:
    /// one bit each. Those that are left out are not to be drawn for sure; of the others, some.
    pub(crate) fn candidates(
        corners: &Corners,
        faces: &[FaceBlock],
        view: &View,
        positive: Option<bool>,
        found: &mut Vec<u32>,
    ) {
        found.clear();
        let (x, y) = (corners.x.as_flattened(), corners.y.as_flattened());
        let outside = corners.outside.as_flattened();
        let sign = F32x8::<Simd>::splat(if positive == Some(false) { -1.0 } else { 1.0 });
        for face in faces {
            let [a, b, c] = face.each_ref().map_inline(I32x8::load);
            let (oa, ob, oc) =
                (I32x8::gather(outside, a), I32x8::gather(outside, b), I32x8::gather(outside, c));
            let beyond = oa & ob & oc & I32x8::splat(!WIDE);
            let apart = beyond.equal(I32x8::splat(0));
            let cut = ((oa | ob | oc) & I32x8::splat(CUT)).gt(I32x8::splat(0));
            let (ax, ay) = (F32x8::gather(x, a), F32x8::gather(y, a));
            let (bx, by) = (F32x8::gather(x, b), F32x8::gather(y, b));
            let (cx, cy) = (F32x8::gather(x, c), F32x8::gather(y, c));
            // Of faces that are not cut, differences are exact, each product is off by at most 2⁻²⁴ of
            // it, and so is their difference.
            let (p, q) = ((bx - ax) * (cy - ay), (cx - ax) * (by - ay));
            let (area, size) = ((p - q) * sign, p.abs() + q.abs());
            let margin = size * F32x8::splat(1.0 / (1 << 22) as f32);
            let zero = F32x8::splat(0.0);
            let turned_right = match positive {
                Some(_) => (zero - margin).lt(area),
                None => zero.lt(size),
            };
            let columns = reaches(ax.min(bx).min(cx), ax.max(bx).max(cx), view, view.width);
            let rows = reaches(ay.min(by).min(cy), ay.max(by).max(cy), view, view.height);
            found.push((apart & (cut | (turned_right & columns & rows))).lanes());
        }
    }
}

/// Where a point of the frustum is on the image.
pub(crate) fn corner_at(clip: V4, view: &View) -> Corner {
    let clip = [
        F32x8::<Four>::splat(clip[0]),
        F32x8::splat(clip[1]),
        F32x8::splat(clip[2]),
        F32x8::splat(clip[3]),
    ];
    let Eight { x, y, z, inverse, outside } = project(clip, view, I32x8::splat(0));
    Corner { x: x[0] as i32, y: y[0] as i32, z: z[0], inverse: inverse[0], outside: outside[0] }
}

/// Where points are on the image, and what they are beyond of.
#[inline(always)]
fn project<S: Wide>([x, y, z, w]: [F32x8<S>; 4], view: &View, behind: I32x8<S>) -> Eight {
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
    Eight {
        x: fixed(x * inverse, view.width).store(),
        y: fixed(y * inverse, view.height).store(),
        z: (z * inverse).store(),
        inverse: inverse.store(),
        outside: outside.store(),
    }
}

/// Numbers as places on the image, rounded to the nearest; far beyond, as far as it goes.
#[inline(always)]
fn fixed<S: Wide>(x: F32x8<S>, size: usize) -> F32x8<S> {
    let one = F32x8::splat(1.0);
    let place = (x + one) * F32x8::splat(0.5 * SUBPIXEL) * F32x8::splat(size as f32);
    // Adding and subtracting this rounds numbers of up to 22 bits to whole ones.
    let round = F32x8::splat(12_582_912.0);
    let near = place.abs().lt(F32x8::splat(4_194_304.0));
    let most = F32x8::splat((1 << 24) as f32);
    let place = near.choose((place + round) - round, place);
    place.max(F32x8::splat(0.0) - most).min(most).truncated().numbers()
}

/// Whether pixels from the least to the largest place have a sample, as [`pixels`] tells for one face.
///
/// [`pixels`]: crate::geometry::pixels
#[inline(always)]
fn reaches<S: Wide>(least: F32x8<S>, most: F32x8<S>, view: &View, size: usize) -> Mask32x8<S> {
    let [low, high] = margins(view);
    let pixel = F32x8::splat(1.0 / SUBPIXEL);
    let first = ((least + F32x8::splat(low as f32)) * pixel).floor().max(F32x8::splat(0.0));
    let last = ((most + F32x8::splat(high as f32)) * pixel).floor();
    last.min(F32x8::splat(size as f32 - 1.0)).ge(first)
}
