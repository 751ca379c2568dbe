//! Colours of pixels: what vertices carry, interpolated in perspective, times texture and shadow, and
//! lost in fog.

use corten_math::wide;

use crate::draw::{Draw, View};
use crate::geometry::{Chunk, SUBPIXEL, Triangle};
use crate::linear::V3;
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

/// A number that changes linearly on the image: at the tile's origin, and its slopes.
pub(crate) type Slope = [f32; 3];

/// A triangle, ready to be asked for the colours of its pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup {
    pub draw: u32,
    inverse: Slope,
    start: usize,
}

/// Colours and opacities of eight pixels.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Colours {
    pub rgb: [[f32; LANES]; 3],
    pub alpha: [f32; LANES],
}

impl Shader<'_> {
    /// Prepares a triangle; what it carries goes to `slopes`.
    pub(crate) fn prepare(
        &self,
        chunk: &Chunk,
        t: &Triangle,
        origin: [usize; 2],
        slopes: &mut Vec<Slope>,
    ) -> Setup {
        let x = t.x.map(|x| x as f32 / SUBPIXEL - origin[0] as f32);
        let y = t.y.map(|y| y as f32 / SUBPIXEL - origin[1] as f32);
        let (x1, x2, y1, y2) = (x[1] - x[0], x[2] - x[0], y[1] - y[0], y[2] - y[0]);
        let scale = 1.0 / (x1 * y2 - x2 * y1);
        // Slopes of the shares of the second and third corner.
        let (s1, s2) = ([y2 * scale, -x2 * scale], [-y1 * scale, x1 * scale]);
        let plane = |v: [f32; 3]| {
            let (d1, d2) = (v[1] - v[0], v[2] - v[0]);
            let (dx, dy) = (d1 * s1[0] + d2 * s2[0], d1 * s1[1] + d2 * s2[1]);
            [v[0] - dx * x[0] - dy * y[0], dx, dy]
        };
        let inverse = t.v.map(|v| chunk.inverse[v as usize]);
        let stride = self.view.stride();
        let [a, b, c] = t.v.map(|v| &chunk.carried[v as usize * stride..][..stride]);
        let start = slopes.len();
        slopes.reserve(stride);
        for k in 0..stride {
            slopes.push(plane([a[k] * inverse[0], b[k] * inverse[1], c[k] * inverse[2]]));
        }
        Setup { draw: t.draw, inverse: plane(inverse), start }
    }

    /// Colours of `count` pixels of a row, beginning at a place in the tile.
    #[inline]
    pub(crate) fn colours(
        &self,
        setup: &Setup,
        slopes: &[Slope],
        x: usize,
        y: usize,
        count: usize,
    ) -> Colours {
        let slopes = &slopes[setup.start..setup.start + self.view.stride()];
        colours(self, setup, slopes, x, y, count)
    }
}

#[inline(always)]
fn along(slope: &Slope, x: f32, y: f32) -> [f32; LANES] {
    let start = slope[0] + slope[2] * y + slope[1] * x;
    let mut out = [start; LANES];
    for l in 0..LANES {
        out[l] += slope[1] * l as f32;
    }
    out
}

#[inline(always)]
fn times(mut a: [f32; LANES], b: &[f32; LANES]) -> [f32; LANES] {
    for l in 0..LANES {
        a[l] *= b[l];
    }
    a
}

/// A number that vertices carry, at eight pixels.
#[inline(always)]
fn carried(slopes: &[Slope], k: usize, px: f32, py: f32, w: &[f32; LANES]) -> [f32; LANES] {
    times(along(&slopes[k], px, py), w)
}

wide! {
    fn colours(
        shader: &Shader<'_>,
        setup: &Setup,
        slopes: &[Slope],
        x: usize,
        y: usize,
        count: usize,
    ) -> Colours {
        let view = shader.view;
        let draw = &shader.draws[setup.draw as usize];
        let (px, py) = (x as f32 + 0.5, y as f32 + 0.5);
        let mut w = along(&setup.inverse, px, py);
        for l in 0..LANES {
            w[l] = 1.0 / w[l];
        }
        let mut rgb = [
            carried(slopes, 0, px, py, &w),
            carried(slopes, 1, px, py, &w),
            carried(slopes, 2, px, py, &w),
        ];
        let mut alpha = carried(slopes, 3, px, py, &w);
        let paint = textures(draw, setup, slopes, view.texture_at(), [px, py], &w, count);
        if let Some(paint) = &paint {
            for k in 0..3 {
                rgb[k] = times(rgb[k], &paint.rgb[k]);
            }
            alpha = times(alpha, &paint.alpha);
        }
        let needs_world = shader.fog.is_some() || (draw.lit && !shader.shadows.is_empty());
        if !needs_world {
            return Colours { rgb, alpha };
        }
        let at = view.world_at();
        let world = [
            carried(slopes, at, px, py, &w),
            carried(slopes, at + 1, px, py, &w),
            carried(slopes, at + 2, px, py, &w),
        ];
        let mut clear = [1.0; LANES];
        if let Some(fog) = &shader.fog {
            let [a, b, c, d] = shader.depth_row;
            for l in 0..LANES {
                let distance = -(a * world[0][l] + b * world[1][l] + c * world[2][l] + d);
                clear[l] = ((fog.end - distance) / (fog.end - fog.start)).clamp(0.0, 1.0);
            }
            for k in 0..3 {
                for l in 0..LANES {
                    rgb[k][l] = fog.rgb[k] + (rgb[k][l] - fog.rgb[k]) * clear[l];
                }
            }
        }
        if draw.lit {
            for (i, map) in shader.shadows.iter().enumerate() {
                let lit = map.lit(&world, count);
                for k in 0..3 {
                    let mut light = times(carried(slopes, 4 + 3 * i + k, px, py, &w), &lit);
                    if let Some(paint) = &paint {
                        light = times(light, &paint.rgb[k]);
                    }
                    for l in 0..LANES {
                        // Surfaces whose texture is translucent take no light that has shadows.
                        let opaque = if alpha[l] >= 0.99 { 1.0 } else { 0.0 };
                        rgb[k][l] += light[l] * clear[l] * opaque;
                    }
                }
            }
        }
        Colours { rgb, alpha }
    }
}

/// Colours of the texture, if there is one.
#[inline(always)]
fn textures(
    draw: &Draw,
    setup: &Setup,
    slopes: &[Slope],
    at: usize,
    [px, py]: [f32; 2],
    w: &[f32; LANES],
    count: usize,
) -> Option<Colours> {
    let paint = draw.paint.as_ref()?;
    let mut out = Colours::default();
    let [_, ix, iy] = setup.inverse;
    let place = [
        carried(slopes, at, px, py, w),
        carried(slopes, at + 1, px, py, w),
        carried(slopes, at + 2, px, py, w),
    ];
    for l in 0..count.min(LANES) {
        let here = [place[0][l], place[1][l], place[2][l]];
        // The quotient of two linear functions changes by (S' − s I') w.
        let (mut dx, mut dy) = ([0.0; 3], [0.0; 3]);
        for k in 0..3 {
            dx[k] = (slopes[at + k][1] - here[k] * ix) * w[l];
            dy[k] = (slopes[at + k][2] - here[k] * iy) * w[l];
        }
        let texel = if paint.texture.is_cube() {
            paint.texture.look(here, dx, dy)
        } else {
            paint.texture.sample(here[0], here[1], [dx[0], dx[1]], [dy[0], dy[1]])
        };
        for k in 0..3 {
            out.rgb[k][l] = texel[k];
        }
        out.alpha[l] = texel[3];
    }
    Some(out)
}
