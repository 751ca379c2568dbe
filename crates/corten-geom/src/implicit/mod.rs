//! Shapes given by their signed distance: those of MuJoCo's SDF plugins.
//!
//! Exact for the torus; for others, distances are combined from those of simpler shapes by minima
//! and maxima, which vanish on the surface and have the right sign, but are bounds elsewhere
//! (Quilez, "Distance functions"). Gradients are difference quotients, except for the torus.

mod gear;
mod screw;

pub use gear::Gear;
pub use screw::{Bolt, Nut};

use corten_math::{MIN_VAL, Vec3};

use crate::DistanceField;

fn union(a: f64, b: f64) -> f64 {
    a.min(b)
}

fn intersection(a: f64, b: f64) -> f64 {
    a.max(b)
}

fn subtraction(a: f64, b: f64) -> f64 {
    a.max(-b)
}

/// Distance from the z-axis.
fn across(p: Vec3) -> f64 {
    (p[0] * p[0] + p[1] * p[1]).sqrt()
}

/// A ring around the z-axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Torus {
    /// Of the circle in the middle of the tube.
    pub radius: f64,
    /// Of the tube.
    pub tube: f64,
}

impl DistanceField for Torus {
    fn distance(&self, p: Vec3) -> f64 {
        let q = across(p) - self.radius;
        (q * q + p[2] * p[2]).sqrt() - self.tube
    }

    fn gradient(&self, p: Vec3) -> Vec3 {
        let across = across(p);
        let q = across - self.radius;
        let from_circle = (q * q + p[2] * p[2]).sqrt().max(MIN_VAL);
        let out = [p[0] / across, p[1] / across];
        Vec3::new(q * out[0] / from_circle, q * out[1] / from_circle, p[2] / from_circle)
    }

    fn bounds(&self) -> [f64; 6] {
        let out = self.radius + self.tube;
        [0.0, 0.0, 0.0, out, out, self.tube]
    }
}

/// A sphere without the cap above a height, with a wall of constant thickness and a round rim.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bowl {
    /// Of the rim.
    pub height: f64,
    /// Of the sphere.
    pub radius: f64,
    /// Half of the wall's.
    pub thickness: f64,
}

impl DistanceField for Bowl {
    fn distance(&self, p: Vec3) -> f64 {
        let Bowl { height, radius, thickness } = *self;
        let width = (radius * radius - height * height).sqrt();
        let (x, z) = (across(p), p[2]);
        let from_middle = if height * x < width * z {
            let (dx, dz) = (x - width, z - height);
            (dx * dx + dz * dz).sqrt()
        } else {
            ((x * x + z * z).sqrt() - radius).abs()
        };
        from_middle - thickness
    }

    fn bounds(&self) -> [f64; 6] {
        let out = self.radius + self.thickness;
        [0.0, 0.0, 0.0, out, out, out]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point on a surface, along rays from inside to outside of the bounds, and how fast the
    /// distance grows there.
    fn slopes(field: &dyn DistanceField) -> Vec<f64> {
        let b = field.bounds();
        let mut found = Vec::new();
        for i in 0..60 {
            let turn = 0.37 + f64::from(i);
            let z = 0.9 * b[5] * (2.0 * f64::from(i) / 59.0 - 1.0);
            let at = |t: f64| Vec3::new(t * turn.cos() * b[3], t * turn.sin() * b[4], z);
            let values: Vec<f64> =
                (0..2000).map(|k| field.distance(at(f64::from(k) * 6e-4))).collect();
            for (k, pair) in values.windows(2).enumerate() {
                if pair[0] < 0.0 && pair[1] >= 0.0 && pair[1] - pair[0] < 1e-2 {
                    let p = at((k as f64 + 0.5) * 6e-4);
                    found.push(field.gradient(p).norm());
                }
            }
        }
        found
    }

    /// Near the surface, distances grow at a rate of about one, or less where shapes are cut by
    /// cones and threads.
    #[test]
    fn surfaces_are_inside_the_bounds_and_have_finite_slopes() {
        let fields: [(&dyn DistanceField, f64); 5] = [
            (&Torus { radius: 0.35, tube: 0.15 }, 0.999),
            (&Bowl { height: 0.4, radius: 1.0, thickness: 0.02 }, 0.999),
            (&Bolt { radius: 0.26 }, 0.5),
            (&Nut { radius: 0.26 }, 0.5),
            (&Gear::default(), 0.2),
        ];
        for (field, least) in fields {
            let slopes = slopes(field);
            assert!(slopes.len() > 10, "{field:?} {}", slopes.len());
            for slope in slopes {
                assert!(slope > least && slope < 3.0, "{field:?} {slope}");
            }
            let b = field.bounds();
            let corner = Vec3::new(b[3], b[4], b[5]) * 1.01;
            assert!(field.distance(corner) > 0.0, "{field:?}");
        }
    }

    #[test]
    fn torus_and_bowl_have_their_closed_forms() {
        let torus = Torus { radius: 0.35, tube: 0.15 };
        assert!((torus.distance(Vec3::new(0.0, 0.6, 0.0)) - 0.1).abs() < 1e-15);
        assert!((torus.distance(Vec3::ZERO) - 0.2).abs() < 1e-15);
        let p = Vec3::new(0.3, 0.1, 0.12);
        let quotient = {
            let h = 1e-6;
            Vec3(std::array::from_fn(|k| {
                let (mut a, mut b) = (p, p);
                a[k] -= h;
                b[k] += h;
                (torus.distance(b) - torus.distance(a)) / (2.0 * h)
            }))
        };
        assert!((torus.gradient(p) - quotient).norm() < 1e-8);
        let bowl = Bowl { height: 0.6, radius: 1.0, thickness: 0.05 };
        assert!((bowl.distance(Vec3::new(0.0, 0.0, -1.2)) - 0.15).abs() < 1e-15);
        assert!((bowl.distance(Vec3::new(0.8, 0.0, 0.6)) + 0.05).abs() < 1e-15);
        assert!((bowl.distance(Vec3::new(0.8, 0.0, 1.0)) - 0.35).abs() < 1e-15);
    }
}
