//! Two capsules: nearest points of their segments.

use corten_math::MIN_VAL;

use super::sphere::{Ball, balls};
use super::{Posed, clip};
use crate::HitBuffer;

/// One point, or up to two for parallel segments that face each other.
///
/// With points `p₁ + x₁ a₁` and `p₂ + x₂ a₂`, `|x| ≤ 1`, the squared distance is stationary where
/// `[A B; B C] x = [u; v]`. Out-of-range solutions are clamped one segment after the other.
pub fn capsule_capsule(first: &Posed, second: &Posed, margin: f64, out: &mut HitBuffer) {
    let a1 = first.axis() * first.size()[1];
    let a2 = second.axis() * second.size()[1];
    let offset = first.pos() - second.pos();
    let a = a1.norm_squared();
    let b = -a1.dot(a2);
    let c = a2.norm_squared();
    let u = -a1.dot(offset);
    let v = a2.dot(offset);
    let det = a * c - b * b;

    let mut contact = |x1: f64, x2: f64| {
        let ball1 = Ball { center: a1 * x1 + first.pos(), ..Ball::of(first) };
        let ball2 = Ball { center: a2 * x2 + second.pos(), ..Ball::of(second) };
        let hit = balls(ball1, ball2, margin);
        hit.is_some_and(|hit| out.push(hit))
    };

    if det.abs() >= MIN_VAL {
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
        contact(x1, x2);
        return;
    }

    // Parallel segments: the ends of the first against the second, then the other way round,
    // until two points are found.
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
