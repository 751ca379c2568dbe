//! Light at vertices, by the equation of the fixed-function pipeline that MuJoCo draws with: ambient,
//! diffuse and specular parts, spots, attenuation; the eye is at the origin.

use corten_model::enums::LightType;
use corten_scene::Light;

use crate::linear::{Mat4, V3, add, dot, scale, sub, transform3, unit};

/// What a surface does with light.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Material {
    pub rgb: V3,
    pub emission: f32,
    pub specular: f32,
    /// Exponent of the specular part.
    pub shininess: f32,
}

/// A light as the eye sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EyeLight {
    /// Where it is, or the direction to it if it is directional.
    place: V3,
    directional: bool,
    spot: Option<Spot>,
    attenuation: V3,
    ambient: V3,
    diffuse: V3,
    specular: V3,
    /// Number among those that cast shadows.
    pub shadow: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Spot {
    direction: V3,
    cosine: f32,
    exponent: f32,
}

impl EyeLight {
    pub(crate) fn new(light: &Light, view: &Mat4, shadow: Option<usize>) -> EyeLight {
        let rows = view.rows();
        let turn = |v: V3| [0, 1, 2].map(|r| dot([rows[r][0], rows[r][1], rows[r][2]], v));
        let directional = light.kind == LightType::Directional.raw();
        let place = if directional {
            unit(turn(scale(light.dir, -1.0)))
        } else {
            transform3(&rows, light.pos)
        };
        let spot = (!directional && light.cutoff < 180.0).then(|| Spot {
            direction: unit(turn(light.dir)),
            cosine: light.cutoff.to_radians().cos(),
            exponent: light.exponent,
        });
        EyeLight {
            place,
            directional,
            spot,
            attenuation: if directional { [1.0, 0.0, 0.0] } else { light.attenuation },
            ambient: light.ambient,
            diffuse: light.diffuse,
            specular: light.specular,
            shadow,
        }
    }

    /// Light that a point of a surface sends to the eye.
    #[inline]
    fn reflected(&self, material: &Material, pos: V3, normal: V3, to_eye: V3) -> V3 {
        let (to_light, mut strength) = if self.directional {
            (self.place, 1.0)
        } else {
            let way = sub(self.place, pos);
            let distance = dot(way, way).sqrt();
            let [a, b, c] = self.attenuation;
            let fading = a + (b + c * distance) * distance;
            (unit(way), if fading > 0.0 { 1.0 / fading } else { 1.0 })
        };
        if let Some(spot) = self.spot {
            let cosine = -dot(to_light, spot.direction);
            if cosine < spot.cosine {
                return [0.0; 3];
            }
            if spot.exponent > 0.0 {
                strength *= power(cosine, spot.exponent);
            }
        }
        let slope = dot(normal, to_light);
        let mut out = [0.0; 3];
        for i in 0..3 {
            out[i] = self.ambient[i] * material.rgb[i];
        }
        if slope > 0.0 {
            for i in 0..3 {
                out[i] += slope * self.diffuse[i] * material.rgb[i];
            }
            if material.specular > 0.0 {
                let half = dot(normal, unit(add(to_light, to_eye)));
                let shine = power(half.max(0.0), material.shininess) * material.specular;
                for i in 0..3 {
                    out[i] += shine * self.specular[i];
                }
            }
        }
        scale(out, strength)
    }
}

/// `x` to the power of `y`; powers of nothing are nothing, but its zeroth power is one.
#[inline]
fn power(x: f32, y: f32) -> f32 {
    if y == 0.0 {
        1.0
    } else if x <= 0.0 {
        0.0
    } else {
        (y * x.log2()).exp2()
    }
}

/// All lights of a scene.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lights {
    pub lights: Vec<EyeLight>,
    /// Ambient light where there are no lights.
    pub ambient: f32,
    /// How many cast shadows.
    pub shadows: usize,
}

impl Lights {
    /// Colour of a point of a surface: by lights without shadows, into `base`; by each of the
    /// others, into `shadowed`. Each is kept within zero and one.
    #[inline]
    pub(crate) fn shine(
        &self,
        material: &Material,
        pos: V3,
        normal: V3,
        base: &mut [f32],
        shadowed: &mut [f32],
    ) {
        let to_eye = unit(scale(pos, -1.0));
        let own = material.emission + self.ambient;
        let mut sum = scale(material.rgb, own);
        for light in &self.lights {
            let colour = light.reflected(material, pos, normal, to_eye);
            match light.shadow {
                None => sum = add(sum, colour),
                Some(i) => {
                    for k in 0..3 {
                        shadowed[3 * i + k] = colour[k].clamp(0.0, 1.0);
                    }
                }
            }
        }
        for k in 0..3 {
            base[k] = sum[k].clamp(0.0, 1.0);
        }
    }
}
