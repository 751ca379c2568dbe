//! Colours of pixels: what vertices carry, interpolated in perspective, times texture and shadow, and
//! lost in fog.

use corten_math::array::MapInline;
use corten_math::{F32x8, Wide};

use crate::draw::{Draw, View};
use crate::geometry::{Chunk, SUBPIXEL, Triangle};
use crate::linear::{V3, along};
use crate::raster::LANES;
use crate::shadow::ShadowMap;

/// Fog that begins and is complete at distances from the eye.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fog {
    pub start: f32,
    pub end: f32,
    pub rgb: V3,
}

/// All that pixels of a pass depend on.
pub(crate) struct Shader<'a> {
    pub view: &'a View,
    pub draws: &'a [Draw<'a>],
    pub fog: Option<Fog>,
    pub shadows: &'a [ShadowMap],
    /// Row of the view that measures distance from the eye.
    pub depth_row: [f32; 4],
}

/// Eight numbers that change linearly on the image: at the tile's origin, and their slopes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slopes {
    start: [f32; LANES],
    dx: [f32; LANES],
    dy: [f32; LANES],
}

/// A triangle, ready to be asked for the colours of its pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup {
    pub draw: u32,
    /// Of the reciprocal distance.
    inverse: [f32; 3],
    start: usize,
}

/// Colours and opacities of eight pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Colours<S: Wide> {
    pub rgb: [F32x8<S>; 3],
    pub alpha: F32x8<S>,
}

impl Shader<'_> {
    /// Prepares a triangle; what it carries goes to `slopes`.
    #[inline(always)]
    pub(crate) fn prepare<S: Wide>(
        &self,
        chunk: &Chunk,
        t: &Triangle,
        origin: [usize; 2],
        slopes: &mut Vec<Slopes>,
    ) -> Setup {
        let x = t.x.map_inline(|x| x as f32 / SUBPIXEL - origin[0] as f32);
        let y = t.y.map_inline(|y| y as f32 / SUBPIXEL - origin[1] as f32);
        let (x1, x2, y1, y2) = (x[1] - x[0], x[2] - x[0], y[1] - y[0], y[2] - y[0]);
        let scale = 1.0 / (x1 * y2 - x2 * y1);
        // Slopes of the shares of the second and third corner.
        let (s1, s2) = ([y2 * scale, -x2 * scale], [-y1 * scale, x1 * scale]);
        let inverse = t.v.map_inline(|v| chunk.inverse[v as usize]);
        let (d1, d2) = (inverse[1] - inverse[0], inverse[2] - inverse[0]);
        let (ix, iy) = (d1 * s1[0] + d2 * s2[0], d1 * s1[1] + d2 * s2[1]);
        let stride = self.view.stride();
        let start = slopes.len();
        let corners = t.v.map_inline(|v| &chunk.carried[v as usize * stride..][..stride]);
        let [a, b, c] = corners.map_inline(|carried| carried.as_chunks::<LANES>().0);
        for ((a, b), c) in a.iter().zip(b).zip(c) {
            let a = F32x8::<S>::load(a) * F32x8::splat(inverse[0]);
            let d1 = F32x8::load(b) * F32x8::splat(inverse[1]) - a;
            let d2 = F32x8::load(c) * F32x8::splat(inverse[2]) - a;
            let dx = d1 * F32x8::splat(s1[0]) + d2 * F32x8::splat(s2[0]);
            let dy = d1 * F32x8::splat(s1[1]) + d2 * F32x8::splat(s2[1]);
            let start = a - dx * F32x8::splat(x[0]) - dy * F32x8::splat(y[0]);
            slopes.push(Slopes { start: start.store(), dx: dx.store(), dy: dy.store() });
        }
        let at_origin = inverse[0] - ix * x[0] - iy * y[0];
        Setup { draw: t.draw, inverse: [at_origin, ix, iy], start }
    }
}

/// Groups of numbers whose values at the first pixel of a row are computed together: all that are
/// carried where no more than seven lights cast shadows.
const TOGETHER: usize = 4;

/// What a triangle carries at eight pixels of a row.
struct Row<'a, S: Wide> {
    slopes: &'a [Slopes],
    /// The first pixel.
    place: [f32; 2],
    /// Numbers there, as many as are computed together, and how they change.
    first: [[f32; LANES]; TOGETHER],
    change: [[f32; LANES]; TOGETHER],
    /// Distances from the eye.
    w: F32x8<S>,
}

impl<S: Wide> Row<'_, S> {
    #[inline(always)]
    fn new<'a>(setup: &Setup, slopes: &'a [Slopes], place: [f32; 2]) -> Row<'a, S> {
        let [start, ix, iy] = setup.inverse;
        let at_first = start + ix * place[0] + iy * place[1];
        let inverse = F32x8::splat(at_first) + F32x8::splat(ix) * F32x8::count();
        let (mut first, mut change) = ([[0.0; LANES]; TOGETHER], [[0.0; LANES]; TOGETHER]);
        let [x, y] = place.map_inline(F32x8::<S>::splat);
        for ((first, change), slopes) in first.iter_mut().zip(&mut change).zip(slopes) {
            let Slopes { start, dx, dy } = slopes;
            *first = (F32x8::load(start) + F32x8::load(dx) * x + F32x8::load(dy) * y).store();
            *change = *dx;
        }
        Row { slopes, place, first, change, w: F32x8::splat(1.0) / inverse }
    }

    /// The `k`-th number at the first pixel, and how it changes; both divided by the distance.
    #[inline(always)]
    fn line(&self, k: usize) -> [f32; 2] {
        let (first, change) = (self.first.as_flattened(), self.change.as_flattened());
        if let (Some(&first), Some(&change)) = (first.get(k), change.get(k)) {
            return [first, change];
        }
        let (Slopes { start, dx, dy }, lane) = (&self.slopes[k / LANES], k % LANES);
        [start[lane] + dx[lane] * self.place[0] + dy[lane] * self.place[1], dx[lane]]
    }

    /// The `k`-th number.
    #[inline(always)]
    fn get(&self, k: usize) -> F32x8<S> {
        let [first, dx] = self.line(k);
        (F32x8::splat(first) + F32x8::splat(dx) * F32x8::count()) * self.w
    }

    /// Three numbers, beginning with the `k`-th.
    #[inline(always)]
    fn three(&self, k: usize) -> [F32x8<S>; 3] {
        [self.get(k), self.get(k + 1), self.get(k + 2)]
    }

    /// Whether a number is zero along the row.
    #[inline(always)]
    fn is_zero(&self, k: usize) -> bool {
        self.line(k) == [0.0; 2]
    }
}

/// Colours of `count` pixels of a row, beginning at a place in the tile.
#[inline(always)]
pub(crate) fn colours<S: Wide>(
    shader: &Shader<'_>,
    setup: &Setup,
    slopes: &[Slopes],
    x: usize,
    y: usize,
    count: usize,
) -> Colours<S> {
    let view = shader.view;
    let draw = &shader.draws[setup.draw as usize];
    let slopes = &slopes[setup.start..setup.start + view.stride() / LANES];
    let row = Row::<S>::new(setup, slopes, [x as f32 + 0.5, y as f32 + 0.5]);
    let mut rgb = row.three(0);
    let mut alpha = row.get(3);
    let paint = texture(draw, setup, &row, view.texture_at(), count);
    if let Some([r, g, b, a]) = paint {
        rgb = [rgb[0] * r, rgb[1] * g, rgb[2] * b];
        alpha = alpha * a;
    }
    let needs_world = shader.fog.is_some() || (draw.lit && !shader.shadows.is_empty());
    if !needs_world {
        return Colours { rgb, alpha };
    }
    let world = row.three(view.world_at());
    let mut clear = F32x8::splat(1.0);
    if let Some(fog) = &shader.fog {
        let distance = along(&shader.depth_row, &world);
        let range = F32x8::splat(fog.end - fog.start);
        clear = ((F32x8::splat(fog.end) + distance) / range).unit();
        for k in 0..3 {
            let fog = F32x8::splat(fog.rgb[k]);
            rgb[k] = fog + (rgb[k] - fog) * clear;
        }
    }
    if draw.lit {
        // Surfaces whose texture is translucent take no light that has shadows.
        let takes = clear.only(alpha.ge(F32x8::splat(0.99)));
        for (i, map) in shader.shadows.iter().enumerate() {
            let at = 4 + 3 * i;
            if (at..at + 3).all(|k| row.is_zero(k)) {
                continue;
            }
            let lit = map.lit(&world) * takes;
            for k in 0..3 {
                let mut light = row.get(at + k) * lit;
                if let Some(paint) = &paint {
                    light = light * paint[k];
                }
                rgb[k] = rgb[k] + light;
            }
        }
    }
    Colours { rgb, alpha }
}

/// Colours of the texture, if there is one.
#[inline(always)]
fn texture<S: Wide>(
    draw: &Draw,
    setup: &Setup,
    row: &Row<S>,
    at: usize,
    count: usize,
) -> Option<[F32x8<S>; 4]> {
    let paint = draw.paint.as_ref()?;
    let [_, ix, iy] = setup.inverse;
    let place = row.three(at);
    // The quotient of two linear functions changes by (S' − s I') w.
    let (ix, iy) = (F32x8::splat(ix), F32x8::splat(iy));
    let (mut dx, mut dy) = (place, place);
    for k in 0..3 {
        let (slopes, lane) = (&row.slopes[(at + k) / LANES], (at + k) % LANES);
        dx[k] = (F32x8::splat(slopes.dx[lane]) - place[k] * ix) * row.w;
        dy[k] = (F32x8::splat(slopes.dy[lane]) - place[k] * iy) * row.w;
    }
    Some(paint.texture.look(place, dx, dy, count))
}
