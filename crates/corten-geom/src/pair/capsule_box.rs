//! A capsule against a box: the nearest point of the capsule's segment, and a second one where
//! the segment runs along the box.
//!
//! Each of the two points then acts as a ball. The first comes from a search over the ends of the
//! segment (against faces) and over the twelve edges; how the segment passes the nearest feature
//! decides where the second one goes: as far along the segment as the box extends beneath it.

use corten_math::array;
use corten_math::{MIN_VAL, Vec3};

use super::Posed;
use super::sphere::ball_box;
use crate::HitBuffer;

/// Bound on the relative error of a few sums: far above what is possible.
const ROUNDING: f64 = 1e-9;

/// The feature of the box nearest to the segment. Corners are numbered by the signs of their
/// coordinates, bit `k` for axis `k`.
#[derive(Clone, Copy)]
enum Feature {
    /// An end of the segment (`sign`) over a face; `axis` is `None` if it lies inside the box.
    Face {
        sign: f64,
        axis: Option<usize>,
    },
    Corner {
        corner: usize,
    },
    /// The inside of an edge along `axis`, at `at` ∈ [−1, 1], between `corner` and its neighbour.
    Edge {
        corner: usize,
        axis: usize,
        at: f64,
    },
}

/// A capsule's segment in the frame of the box.
struct Segment {
    center: Vec3,
    axis: Vec3,
    half_length: f64,
    /// Half the segment.
    half: Vec3,
    /// Signs of `half`, one bit per axis.
    octant: usize,
}

pub fn capsule_box(capsule: &Posed, cuboid: &Posed, margin: f64, out: &mut HitBuffer) {
    let half_length = capsule.size()[1];
    let axis = cuboid.mat.tmul(capsule.axis());
    let half = axis * half_length;
    let segment = Segment {
        center: cuboid.mat.tmul(capsule.pos() - cuboid.pos()),
        axis,
        half_length,
        half,
        octant: (0..3).map(|k| ((half[k] > 0.0) as usize) << k).sum(),
    };
    let size = cuboid.size();
    // A face of the box may separate the two, by more than rounding.
    let reach = capsule.size()[0] + margin;
    let apart = |k: usize| {
        let (center, half) = (segment.center[k].abs(), half[k].abs());
        center - half - size[k] - reach > ROUNDING * (center + half)
    };
    if apart(0) || apart(1) || apart(2) {
        return;
    }
    let farthest = margin + 2.0 * (capsule.size()[0] + half_length + size[0] + size[1] + size[2]);
    let Some((first, feature)) = segment.nearest(size, farthest) else { return };

    let mut contact = |at: f64| {
        let center = *cuboid.mat * (segment.center + segment.half * at) + cuboid.pos();
        if let Some(hit) = ball_box(center, capsule.size()[0], cuboid, margin) {
            out.push(hit);
        }
    };
    contact(first);
    if let Some(offset) = segment.second(size, first, feature)
        && !offset.is_nan()
    {
        contact(offset + first);
    }
}

impl Segment {
    /// Position on the segment, in [−1, 1], nearest to the box, and the feature it faces.
    fn nearest(&self, size: Vec3, farthest: f64) -> Option<(f64, Feature)> {
        let mut best = None;
        let mut best_dist = farthest;

        for sign in [-1.0, 1.0] {
            let end = self.center + self.half * sign;
            let mut clamped = end;
            let (mut outside, mut axis) = (0, None);
            for k in 0..3 {
                let bound = if end[k] < -size[k] {
                    -size[k]
                } else if end[k] > size[k] {
                    size[k]
                } else {
                    continue;
                };
                outside += 1;
                axis = Some(k);
                clamped[k] = bound;
            }
            if outside > 1 {
                continue;
            }
            let dist = (clamped - end).norm_squared();
            if dist < best_dist {
                best_dist = dist;
                best = Some((sign, Feature::Face { sign, axis }));
            }
        }

        for axis in 0..3 {
            for corner in (0..8).filter(|corner| corner >> axis & 1 == 0) {
                let Some((on_edge, on_segment, dist)) = self.nearest_to_edge(size, axis, corner)
                else {
                    continue;
                };
                // The slack keeps the first of several numerically equal edges.
                if dist < best_dist - MIN_VAL {
                    best_dist = dist;
                    let feature = match on_edge.side {
                        Side::Low => Feature::Corner { corner },
                        Side::High => Feature::Corner { corner: corner | 1 << axis },
                        Side::Inside => Feature::Edge { corner, axis, at: on_edge.at },
                    };
                    best = Some((on_segment, feature));
                }
            }
        }
        best
    }

    /// Nearest points of one edge and the segment, each in [−1, 1], and their squared distance;
    /// `None` for parallel lines.
    fn nearest_to_edge(
        &self,
        size: Vec3,
        axis: usize,
        corner: usize,
    ) -> Option<(OnEdge, f64, f64)> {
        let mut middle =
            Vec3(array::from_fn(|k| if corner >> k & 1 == 1 { size[k] } else { -size[k] }));
        middle[axis] = 0.0;
        let offset = middle - self.center;

        let a = size[axis] * size[axis];
        let b = -size[axis] * self.half[axis];
        let c = self.half_length * self.half_length;
        let u = -size[axis] * offset[axis];
        let v = self.half.dot(offset);
        let det = a * c - b * b;
        if det.abs() < MIN_VAL {
            return None;
        }
        let inv_det = 1.0 / det;
        let mut on_edge = OnEdge::clamp((c * u - b * v) * inv_det, Side::Inside);
        let mut on_segment = match on_edge.side {
            Side::Inside => (a * v - b * u) * inv_det,
            Side::High => (v - b) * (1.0 / c),
            Side::Low => (v + b) * (1.0 / c),
        };
        if on_segment > 1.0 {
            on_segment = 1.0;
            on_edge = OnEdge::clamp((u - b) * (1.0 / a), on_edge.side);
        } else if on_segment < -1.0 {
            on_segment = -1.0;
            on_edge = OnEdge::clamp((u + b) * (1.0 / a), on_edge.side);
        }

        let mut between = offset + self.half * -on_segment;
        between[axis] += size[axis] * on_edge.at;
        Some((on_edge, on_segment, between.norm_squared()))
    }

    /// Offset from the first position on the segment to the second, if there is one.
    fn second(&self, size: Vec3, first: f64, feature: Feature) -> Option<f64> {
        // How much of the segment, in units of its half length, spans the box along one axis.
        let span = |k: usize| 2.0 * size[k] / self.half[k].abs();
        match feature {
            Feature::Corner { corner } => {
                let relative = self.octant ^ corner;
                // Pointing into the corner or away from it.
                if relative == 0 || relative == 7 {
                    return None;
                }
                // One axis differs in sign from the other two.
                let (direction, odd, ahead, behind) = if relative.count_ones() == 1 {
                    (1.0, relative, 1.0 - first, 1.0 + first)
                } else {
                    (-1.0, 7 - relative, 1.0 + first, 1.0 - first)
                };
                let k = odd.trailing_zeros() as usize;
                if self.axis[k] * self.axis[k] > 0.5 {
                    // Along the edge.
                    Some(ahead.min(span(k)) * direction)
                } else {
                    // Across the face.
                    Some(behind.min(span((k + 1) % 3)).min(span((k + 2) % 3)) * -direction)
                }
            }
            Feature::Edge { corner, axis, at } => {
                let relative = (self.octant ^ corner) & !(1 << axis);
                // Both or none: the segment meets the edge head-on.
                if relative.count_ones() != 1 {
                    return None;
                }
                // Of the two faces at the edge, the one to which the segment is more parallel;
                // `across` lies in it.
                let (k1, k2) = ((axis + 1) % 3, (axis + 2) % 3);
                let across = if self.axis[k1].abs() > self.axis[k2].abs() { k1 } else { k2 };
                let forward = relative >> across & 1 == 1;
                let (direction, length) =
                    if forward { (1.0, 1.0 - first) } else { (-1.0, 1.0 + first) };
                let towards_high = (self.octant >> axis & 1 == 1) == forward;
                let rest = if towards_high { 1.0 - at } else { 1.0 + at };
                let along = size[axis] * rest / self.half[axis].abs();
                Some(length.min(span(across)).min(along) * direction)
            }
            Feature::Face { axis: None, .. } => None,
            Feature::Face { sign, axis: Some(face) } => {
                // From this end towards the other, until leaving the face.
                let end = self.center + self.half * sign;
                let mut length = 2.0;
                for k in (0..3).filter(|&k| k != face) {
                    for bound in [size[k], -size[k]] {
                        let exit = (bound - end[k]) / self.half[k] * -sign;
                        if exit > 0.0 && exit < length {
                            length = exit;
                        }
                    }
                }
                Some(length * -sign)
            }
        }
    }
}

/// Position on an edge, in [−1, 1], and the side where it was clamped last. Clamping the segment
/// afterwards may move the position back inside; the edge still counts as met at that corner.
#[derive(Clone, Copy)]
struct OnEdge {
    at: f64,
    side: Side,
}

#[derive(Clone, Copy)]
enum Side {
    Low,
    Inside,
    High,
}

impl OnEdge {
    fn clamp(x: f64, otherwise: Side) -> OnEdge {
        if x > 1.0 {
            OnEdge { at: 1.0, side: Side::High }
        } else if x < -1.0 {
            OnEdge { at: -1.0, side: Side::Low }
        } else {
            OnEdge { at: x, side: otherwise }
        }
    }
}
