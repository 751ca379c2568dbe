//! Shapes that are given by their signed distance alone.

use std::fmt::Debug;

use corten_math::Vec3;

/// Step of the difference quotients that stand for missing gradients.
const STEP: f64 = 1e-8;

/// A shape given by the signed distance to its surface, in its own frame.
///
/// The distance is negative inside, and should have a slope of about one near the surface.
/// Collisions walk along the gradient, so it has to be finite everywhere.
pub trait DistanceField: Debug + Send + Sync {
    /// Signed distance of a point to the surface.
    fn distance(&self, point: Vec3) -> f64;

    /// Gradient of [`Self::distance`]: by forward differences, unless there is a formula.
    fn gradient(&self, point: Vec3) -> Vec3 {
        let here = self.distance(point);
        let mut gradient = Vec3::ZERO;
        for axis in 0..3 {
            let mut moved = point;
            moved[axis] += STEP;
            gradient[axis] = (self.distance(moved) - here) / STEP;
        }
        gradient
    }

    /// Centre and half-lengths of a box around the surface.
    fn bounds(&self) -> [f64; 6];
}
