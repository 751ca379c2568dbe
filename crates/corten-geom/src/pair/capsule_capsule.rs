//! Two capsules: nearest points of their segments.

use corten_math::{MIN_VAL, Vec3};

use super::sphere::{Ball, balls};
use super::{Posed, clip};
use crate::{Hit, HitBuffer};

/// One point, or up to two for parallel segments that face each other.
///
/// With points `p₁ + x₁ a₁` and `p₂ + x₂ a₂`, `|x| ≤ 1`, the squared distance is stationary where
/// `[A B; B C] x = [u; v]`. Out-of-range solutions are clamped one segment after the other.
pub fn capsule_capsule(first: &Posed, second: &Posed, margin: f64, out: &mut HitBuffer) {
    let segments = Segments::new(first, second);
    let Segments { a, b, c, u, v, .. } = segments;
    let det = a * c - b * b;
    if !(det.abs() >= MIN_VAL) {
        return parallel(first, second, margin, out);
    }
    let mut x1 = (c * u - b * v) / det;
    let mut x2 = (a * v - b * u) / det;
    if x1 > 1.0 {
        x1 = 1.0;
        x2 = (v - b) / c;
    } else if x1 < -1.0 {
        x1 = -1.0;
        x2 = (v + b) / c;
    }
    if x2 > 1.0 {
        x2 = 1.0;
        x1 = clip((u - b) / a, -1.0, 1.0);
    } else if x2 < -1.0 {
        x2 = -1.0;
        x1 = clip((u + b) / a, -1.0, 1.0);
    }
    if let Some(hit) = segments.contact(x1, x2, margin) {
        out.push(hit);
    }
}

/// The ends of the first segment against the second, then the other way round, until two points are
/// found. Apart, so that others keep their numbers in registers.
#[cold]
#[inline(never)]
fn parallel(first: &Posed, second: &Posed, margin: f64, out: &mut HitBuffer) {
    let segments = Segments::new(first, second);
    let Segments { a, b, c, u, v, .. } = segments;
    let mut contact = |x1: f64, x2: f64| {
        let hit = segments.contact(x1, x2, margin);
        hit.is_some_and(|hit| out.push(hit))
    };
    let mut count = 0;
    count += contact(1.0, clip((v - b) / c, -1.0, 1.0)) as usize;
    count += contact(-1.0, clip((v + b) / c, -1.0, 1.0)) as usize;
    if count < 2 {
        count += contact(clip((u - b) / a, -1.0, 1.0), 1.0) as usize;
    }
    if count < 2 {
        contact(clip((u + b) / a, -1.0, 1.0), -1.0);
    }
}

/// The segments of two capsules, and what their nearest points depend on.
struct Segments<'a> {
    first: &'a Posed<'a>,
    second: &'a Posed<'a>,
    a1: Vec3,
    a2: Vec3,
    a: f64,
    b: f64,
    c: f64,
    u: f64,
    v: f64,
}

impl<'a> Segments<'a> {
    #[inline(always)]
    fn new(first: &'a Posed<'a>, second: &'a Posed<'a>) -> Segments<'a> {
        let a1 = first.axis() * first.size()[1];
        let a2 = second.axis() * second.size()[1];
        let offset = first.pos() - second.pos();
        Segments {
            first,
            second,
            a1,
            a2,
            a: a1.norm_squared(),
            b: -a1.dot(a2),
            c: a2.norm_squared(),
            u: -a1.dot(offset),
            v: a2.dot(offset),
        }
    }

    /// Contact of the balls at two points.
    #[inline(always)]
    fn contact(&self, x1: f64, x2: f64, margin: f64) -> Option<Hit> {
        let (first, second) = (self.first, self.second);
        let ball1 = Ball { center: self.a1 * x1 + first.pos(), ..Ball::of(first) };
        let ball2 = Ball { center: self.a2 * x2 + second.pos(), ..Ball::of(second) };
        balls(ball1, ball2, margin)
    }
}
