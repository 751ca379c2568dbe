//! Proof that two convex shapes are apart, from an axis that separated them a moment ago.
//!
//! Most pairs that come close stay apart, along nearly the same axis from step to step. Two
//! support values along the remembered axis then replace a run of GJK. A positive gap is a proof,
//! so what is remembered decides about time, never about contacts.

use corten_math::{MIN_VAL, Vec3};

use crate::extremes::Hint;

/// Gap that counts as proof: far above rounding, so that the reference algorithm agrees.
const GAP: f64 = 1e-6;

/// What is remembered of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Separation {
    /// Unit vector from the second shape towards the first; zero if unknown.
    axis: Vec3,
    /// Where searches on meshes along the axis ended.
    hints: [Hint; 2],
    /// How much farther than the shapes their bounds reach, if these proved nothing the last time;
    /// else zero.
    slack: f32,
}

impl Separation {
    /// Of a vector of any length.
    pub fn new(axis: Vec3) -> Separation {
        let norm = axis.norm();
        let is_axis = norm > MIN_VAL && norm < f64::INFINITY;
        let axis = if is_axis { axis * (1.0 / norm) } else { Vec3::ZERO };
        Separation { axis, hints: [Hint::NONE; 2], slack: 0.0 }
    }

    /// Unit vector from the second shape towards the first; zero if unknown.
    pub fn axis(&self) -> Vec3 {
        self.axis
    }

    /// Whether an axis is remembered, and it separates two shapes. `offset` runs from the second
    /// shape's origin to the first's. `bounds` tells how far the shapes reach at most, the first one
    /// against the axis plus the second one along it, each measured from its origin; `reaches`, if
    /// there is more to know, how far they do. Both may start searches on meshes at the hints, and
    /// leave there where they ended.
    #[inline(always)]
    pub fn holds(
        &mut self,
        offset: Vec3,
        bounds: impl FnOnce(Vec3, &mut [Hint; 2]) -> f64,
        reaches: Option<impl FnOnce(Vec3, &mut [Hint; 2]) -> f64>,
    ) -> bool {
        let axis = self.axis;
        if axis == Vec3::ZERO {
            return false;
        }
        let apart = |reach: f64| reach - axis.dot(offset) < -GAP;
        // Where bounds were of no use, they will be none again until the shapes have moved as far
        // apart as the bounds overlapped.
        let slack = std::mem::take(&mut self.slack);
        let Some(reaches) = reaches else { return apart(bounds(axis, &mut self.hints)) };
        if slack > 0.0 {
            let reach = reaches(axis, &mut self.hints);
            if !apart(reach) {
                return apart(bounds(axis, &mut self.hints));
            }
            if !apart(reach + f64::from(slack)) {
                self.slack = slack;
            }
            return true;
        }
        let bound = bounds(axis, &mut self.hints);
        if apart(bound) {
            return true;
        }
        let reach = reaches(axis, &mut self.hints);
        self.slack = (bound - reach) as f32;
        apart(reach)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ccd::{Options, Workspace, query};
    use crate::shape::{Geometry, Pose, Shape};
    use corten_math::{Mat3, Quat};

    /// Whether an axis separates two primitives.
    fn holds(axis: Vec3, a: &Shape<'_>, b: &Shape<'_>) -> bool {
        let reach = |s: &Shape<'_>, dir: Vec3| s.geometry.reach(s.pose.mat.tmul(dir));
        let offset = a.pose.pos - b.pose.pos;
        let bounds = |axis: Vec3, _: &mut [Hint; 2]| reach(a, -axis) + reach(b, axis);
        Separation::new(axis).holds(offset, bounds, Some(bounds))
    }

    #[test]
    fn agrees_with_the_distance_of_boxes() {
        let size = Vec3::new(0.3, 0.2, 0.1);
        let turned = Quat::from_axis_angle(Vec3::Z, 0.4).to_mat();
        for gap in [-0.1, -1e-3, 1e-3, 0.1] {
            let at = |x: f64, mat: Mat3| Pose::new(Vec3::new(x, 0.0, 0.0), mat);
            let mut a = Shape::new(at(0.0, Mat3::IDENTITY), Geometry::Box { size }, 0.0);
            // Reach of the turned box along −x.
            let reach = 0.3 * 0.4f64.cos() + 0.2 * 0.4f64.sin();
            let mut b = Shape::new(at(0.3 + reach + gap, turned), Geometry::Box { size }, 0.0);
            assert_eq!(holds(Vec3::new(-2.0, 0.0, 0.0), &a, &b), gap > 0.0);
            let mut ws = Workspace::default();
            let dist = query(&mut a, &mut b, &Options::default(), 1, 0.0, &mut ws);
            assert_eq!(dist < 0.0, gap < 0.0);
            if gap > 0.0 {
                assert!(holds(ws.axis, &a, &b) && !holds(-ws.axis, &a, &b));
            }
        }
    }

    #[test]
    fn unknown_and_non_finite_axes_prove_nothing() {
        let far = Pose::new(Vec3::new(10.0, 0.0, 0.0), Mat3::IDENTITY);
        let a = Shape::new(Pose::IDENTITY, Geometry::Sphere { radius: 1.0 }, 0.0);
        let b = Shape::new(far, Geometry::Sphere { radius: 1.0 }, 0.0);
        for axis in [Vec3::ZERO, Vec3::splat(f64::NAN), Vec3::splat(f64::INFINITY), Vec3::X] {
            assert!(!holds(axis, &a, &b));
        }
        assert!(holds(-Vec3::X, &a, &b));
    }

    /// Bounds are not asked while they cannot help, and asked again when they can.
    #[test]
    fn bounds_are_asked_where_they_help() {
        let mut separation = Separation::new(Vec3::X);
        let mut asked = |distance: f64| {
            let (mut bounds, mut reaches) = (0, 0);
            let holds = separation.holds(
                Vec3::new(distance, 0.0, 0.0),
                |_, _| (bounds += 1, 1.5).1,
                Some(|_: Vec3, _: &mut [Hint; 2]| (reaches += 1, 1.0).1),
            );
            (holds, bounds, reaches)
        };
        assert_eq!(asked(1.2), (true, 1, 1));
        assert_eq!(asked(1.3), (true, 0, 1));
        assert_eq!(asked(1.6), (true, 0, 1));
        assert_eq!(asked(1.6), (true, 1, 0));
        assert_eq!(asked(1.2), (true, 1, 1));
        assert_eq!(asked(0.9), (false, 1, 1));
    }
}
