//! Bolts and nuts that fit each other.

use std::f64::consts::PI;

use corten_math::Vec3;
use corten_math::real::{atan2, sin};

use super::{across, intersection, subtraction, union};
use crate::DistanceField;

/// Turns of the thread per unit of length.
const TURNS: f64 = 12.0;
const SIDES: f64 = 6.0;

fn half_sqrt2() -> f64 {
    2f64.sqrt() / 2.0
}

/// A thread around the z-axis: a triangle wave that climbs with the angle, spun around.
fn thread(p: Vec3, beyond: f64) -> f64 {
    let turn = p[2] * TURNS - atan2(p[1], p[0]) / PI / 2.0;
    let triangle = (turn - turn.floor() - 0.5).abs();
    (beyond - triangle / TURNS) * half_sqrt2()
}

/// A hexagonal head of unit width and half unit height below the origin, whose edges a cone takes
/// off.
fn head(p: Vec3, beyond: f64) -> f64 {
    let sides = SIDES / PI / 2.0;
    let angle = -(atan2(p[1], p[0]) * sides + 0.5).floor() / sides;
    let (s, c) = (sin(angle), sin(angle + PI * 0.5));
    let side = c * p[0] + -s * p[1] - 0.5;
    let flat = intersection(side, (p[2] + 0.25).abs() - 0.25);
    intersection(flat, (p[2] + beyond - 0.22) * half_sqrt2())
}

/// A bolt of unit length with a hexagonal head, along the z-axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bolt {
    /// Of the thread.
    pub radius: f64,
}

impl DistanceField for Bolt {
    fn distance(&self, p: Vec3) -> f64 {
        let beyond = across(p) - self.radius;
        let cut = subtraction(thread(p, beyond), 0.5 - (p[2] + 0.5).abs());
        let cone = (p[2] - beyond) * half_sqrt2();
        let shaft = subtraction(cut, cone + 1.0 * half_sqrt2());
        union(shaft, head(p, beyond))
    }

    fn bounds(&self) -> [f64; 6] {
        [0.0, 0.0, 0.0, 0.6, 0.6, 1.0]
    }
}

/// A hexagonal nut around the z-axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nut {
    /// Of the thread.
    pub radius: f64,
}

impl DistanceField for Nut {
    fn distance(&self, p: Vec3) -> f64 {
        let beyond = across(p) - self.radius;
        let cone = (p[2] - beyond) * half_sqrt2();
        let hole = subtraction(thread(p, beyond), cone + 0.5 * half_sqrt2());
        let hole = union(hole, -cone - 0.05 * half_sqrt2());
        subtraction(head(p, beyond), hole)
    }

    fn bounds(&self) -> [f64; 6] {
        [0.0, 0.0, 0.0, 0.6, 0.6, 1.0]
    }
}
