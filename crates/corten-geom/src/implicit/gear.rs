//! A spur gear with involute teeth.

use std::f64::consts::PI;

use corten_math::Vec3;
use corten_math::real::{acos, atan2, cos, tan};

use super::{across, intersection, subtraction};
use crate::DistanceField;

/// A gear around the z-axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gear {
    /// By which it is turned, in radians.
    pub angle: f64,
    /// Of the pitch circle.
    pub diameter: f64,
    /// Their number.
    pub teeth: f64,
    /// Along z.
    pub thickness: f64,
    /// Of the hole; negative for one that leaves a rim of usual width.
    pub inner_diameter: f64,
}

impl Default for Gear {
    fn default() -> Gear {
        Gear { angle: 0.0, diameter: 2.8, teeth: 25.0, thickness: 0.2, inner_diameter: -1.0 }
    }
}

fn smooth_union(a: f64, b: f64, k: f64) -> f64 {
    let h = (0.5 + 0.5 * (b - a) / k).clamp(0.0, 1.0);
    b * (1.0 - h) + a * h - k * h * (1.0 - h)
}

fn smooth_intersection(a: f64, b: f64, k: f64) -> f64 {
    let blend = smooth_union(subtraction(a, b), subtraction(b, a), k);
    subtraction(intersection(a, b), blend)
}

/// The remainder with the sign of the divisor.
fn modulo(x: f64, y: f64) -> f64 {
    x - y * (x / y).floor()
}

impl Gear {
    /// Distance in the plane of the gear.
    fn outline(&self, p: Vec3) -> f64 {
        let (d, n) = (self.diameter, self.teeth);
        let pressure_angle = 3.096e-5 * n * n - 6.557e-3 * n + 0.551;
        let pitch_radius = d / 2.0;
        let rho = across(p);
        // Teeth per length of diameter; what they rise above the pitch circle, and their depth.
        let diametral_pitch = n / d;
        let circular_pitch = PI / diametral_pitch;
        let addendum = 1.0 / diametral_pitch;
        let outer = (d + 2.0 * addendum) / 2.0;
        let depth = 2.2 / diametral_pitch;
        let mut inner = outer - depth - 0.14 * d;
        if self.inner_diameter >= 0.0 {
            inner = self.inner_diameter / 2.0;
        }
        if inner - rho > 0.0 {
            return inner - rho;
        }
        if outer - rho < -0.2 {
            return rho - outer;
        }

        let base = d * cos(pressure_angle) / 2.0;
        let angle = atan2(p[1], p[0]) + self.angle;
        let stride = circular_pitch / pitch_radius;
        let at_pitch = acos(base / pitch_radius);
        let involute = tan(at_pitch) - at_pitch;
        let shift = stride / 2.0 - 2.0 * involute;
        let one = modulo(angle + shift / 2.0, stride) - shift / 2.0;
        let other = modulo(-angle - shift + shift / 2.0, stride) - shift / 2.0;

        // Distances to the involutes of the base circle that bound a tooth.
        let [mut flank, mut opposite] = [-1.0e6; 2];
        if base < rho {
            let turn = acos(base / rho);
            let tangent = (rho * rho - base * base).sqrt();
            flank = tangent - base * (one + turn);
            opposite = tangent - base * (other + turn);
        }
        let walls = intersection(one - (stride - shift), other - (stride - shift));
        let teeth = intersection(walls, intersection(flank, opposite));
        let teeth = smooth_intersection(rho - outer, teeth, 0.0035 * d);
        let wheel = smooth_union(rho - (outer - depth), teeth, base - outer + depth);
        subtraction(wheel, rho - inner)
    }
}

impl DistanceField for Gear {
    fn distance(&self, p: Vec3) -> f64 {
        let (side, end) = (self.outline(p), p[2].abs() - self.thickness / 2.0);
        let (out, up) = (side.max(0.0), end.max(0.0));
        side.max(end).min(0.0) + (out * out + up * up).sqrt()
    }

    fn bounds(&self) -> [f64; 6] {
        let out = self.diameter / 2.0 * 1.25;
        [0.0, 0.0, 0.0, out, out, self.thickness / 2.0 * 1.1]
    }
}
