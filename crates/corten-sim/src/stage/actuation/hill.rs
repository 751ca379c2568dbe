//! Hill muscles with pennate fibres, as a hook for actuators of user type. Not in MuJoCo.
//!
//! MuJoCo's muscle pulls along the line of the actuator. Here the fibres lie at an angle to that
//! line, behind a tendon that does not stretch. Their thickness is constant, so that with the
//! optimal length `l₀`, the angle `α₀` at that length, the tendon's slack length `lₛ` and the length
//! `l` of the whole,
//!
//! ```text
//! fibre sin α = l₀ sin α₀,    fibre cos α = l − lₛ,    fibre velocity = v cos α,
//! ```
//!
//! and the force along the line is `F (a · FL · FV + FP) cos α`, with the curves of
//! [`super::muscle`]. At full activation and optimal length that is `F cos α₀`. A muscle shorter than
//! its tendon is slack. Zajac, "Muscle and tendon: properties, models, scaling, and application to
//! biomechanics and motor control" (1989), sections 2 and 3.
//!
//! An actuator takes part with `gaintype="user" biastype="user"`; `dyntype="muscle"` gives it
//! activation dynamics.

use corten_math::real::{cos, sin};

use super::muscle::Muscle;
use crate::extend::{Hook, Outcome, Slopes};
use crate::{Data, Model};

/// One muscle; lengths in metres, forces in newtons.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HillMuscle {
    /// Isometric force of the fibres at optimal length and full activation.
    pub max_force: f64,
    /// Optimal length of the fibres.
    pub optimal_length: f64,
    /// Length of the tendon in series.
    pub slack_length: f64,
    /// Angle between fibres and tendon at optimal length, in radians.
    pub pennation: f64,
    /// Shortest and longest fibres that give active force, in optimal lengths.
    pub lengths: [f64; 2],
    /// Shortening velocity without force, in optimal lengths per second.
    pub max_velocity: f64,
    /// Passive force at the longest fibre, relative to `max_force`.
    pub passive: f64,
    /// Largest force while lengthening, relative to `max_force`.
    pub eccentric: f64,
}

impl Default for HillMuscle {
    /// The curves of MuJoCo's default muscle.
    fn default() -> HillMuscle {
        HillMuscle {
            max_force: 1000.0,
            optimal_length: 0.1,
            slack_length: 0.2,
            pennation: 0.0,
            lengths: [0.5, 1.6],
            max_velocity: 1.5,
            passive: 1.3,
            eccentric: 1.2,
        }
    }
}

/// State of the fibres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fibers {
    /// In optimal lengths.
    pub length: f64,
    /// In `max_velocity` optimal lengths per second; positive when lengthening.
    pub velocity: f64,
    /// Cosine of the angle to the tendon.
    pub cos: f64,
}

impl HillMuscle {
    /// Fibres of a muscle of this length and velocity; `None` if it is slack.
    pub fn fibers(&self, length: f64, velocity: f64) -> Option<Fibers> {
        let along = length - self.slack_length;
        let thickness = self.optimal_length * sin(self.pennation);
        let fiber = (along * along + thickness * thickness).sqrt();
        if !(along > 0.0 && self.optimal_length > 0.0 && self.max_velocity > 0.0) {
            return None;
        }
        let cos = along / fiber;
        Some(Fibers {
            length: fiber / self.optimal_length,
            velocity: velocity * cos / (self.optimal_length * self.max_velocity),
            cos,
        })
    }

    /// Length of the whole at which the fibres have their optimal length.
    pub fn rest_length(&self) -> f64 {
        self.slack_length + self.optimal_length * cos(self.pennation)
    }

    fn curves(&self) -> Muscle {
        let [lmin, lmax] = self.lengths;
        let (vmax, passive, eccentric) = (self.max_velocity, self.passive, self.eccentric);
        Muscle::new(&[0.0, 1.0, 1.0, 0.0, lmin, lmax, vmax, passive, eccentric, 0.0])
    }

    /// Active force along the line per unit activation; negative, because muscles pull.
    pub fn gain(&self, length: f64, velocity: f64) -> f64 {
        let Some(f) = self.fibers(length, velocity) else { return 0.0 };
        let curves = self.curves();
        -self.max_force * curves.force_length(f.length) * curves.force_velocity(f.velocity) * f.cos
    }

    /// Passive force along the line.
    pub fn bias(&self, length: f64) -> f64 {
        let Some(f) = self.fibers(length, 0.0) else { return 0.0 };
        -self.max_force * self.passive * self.curves().passive_stretch(f.length) * f.cos
    }

    /// Derivative of [`Self::gain`] by velocity.
    pub fn gain_by_velocity(&self, length: f64, velocity: f64) -> f64 {
        let Some(f) = self.fibers(length, velocity) else { return 0.0 };
        let curves = self.curves();
        let by_velocity = f.cos / (self.optimal_length * self.max_velocity);
        let slope = curves.force_velocity_slope(f.velocity) * by_velocity;
        -self.max_force * curves.force_length(f.length) * slope * f.cos
    }
}

/// Hill muscles of a model, by actuator; other actuators of user type keep the neutral answers.
#[derive(Clone, Debug, Default)]
pub struct HillMuscles {
    muscles: Vec<Option<HillMuscle>>,
}

impl HillMuscles {
    pub fn new(muscles: impl IntoIterator<Item = (usize, HillMuscle)>) -> HillMuscles {
        let mut all = HillMuscles::default();
        for (actuator, muscle) in muscles {
            if all.muscles.len() <= actuator {
                all.muscles.resize(actuator + 1, None);
            }
            all.muscles[actuator] = Some(muscle);
        }
        all
    }

    pub fn get(&self, actuator: usize) -> Option<&HillMuscle> {
        self.muscles.get(actuator)?.as_ref()
    }
}

impl Hook for HillMuscles {
    fn gain(&self, _: &Model, d: &mut Data, i: usize) -> Outcome<Option<f64>> {
        let gain = |muscle: &HillMuscle| muscle.gain(d.actuator_length[i], d.actuator_velocity[i]);
        Ok(self.get(i).map(gain))
    }

    fn bias(&self, _: &Model, d: &mut Data, i: usize) -> Outcome<Option<f64>> {
        Ok(self.get(i).map(|muscle| muscle.bias(d.actuator_length[i])))
    }

    fn slopes(&self, _: &Model, d: &Data, i: usize) -> Slopes {
        self.get(i).map_or_else(Slopes::default, |muscle| Slopes {
            gain: muscle.gain_by_velocity(d.actuator_length[i], d.actuator_velocity[i]),
            bias: 0.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PENNATE: HillMuscle = HillMuscle {
        max_force: 800.0,
        optimal_length: 0.12,
        slack_length: 0.25,
        pennation: 0.4,
        lengths: [0.5, 1.6],
        max_velocity: 8.0,
        passive: 1.3,
        eccentric: 1.4,
    };

    #[test]
    fn peak_force_is_that_of_the_fibres_along_the_tendon() {
        let l = PENNATE.rest_length();
        assert!((PENNATE.gain(l, 0.0) + 800.0 * cos(0.4)).abs() < 1e-10);
        assert_eq!(PENNATE.bias(l), 0.0);
        let straight = HillMuscle { pennation: 0.0, ..PENNATE };
        assert!((straight.gain(straight.rest_length(), 0.0) + 800.0).abs() < 1e-10);
    }

    /// Without pennation and with the tendon's length taken off, the model is MuJoCo's.
    #[test]
    fn straight_fibres_are_the_plain_muscle() {
        let hill = HillMuscle { pennation: 0.0, ..PENNATE };
        let plain = Muscle::new(&[0.0, 1.0, 800.0, 0.0, 0.5, 1.6, 8.0, 1.3, 1.4, 0.0]);
        let range = [0.25, 0.25 + 0.12];
        for (l, v) in [(0.33, 0.1), (0.37, -0.4), (0.43, 0.7), (0.31, 0.0)] {
            assert!((hill.gain(l, v) - plain.gain(l, v, range, 1.0)).abs() < 1e-10);
            assert!((hill.bias(l) - plain.bias(l, range, 1.0)).abs() < 1e-10);
        }
    }

    #[test]
    fn slope_agrees_with_differences() {
        const H: f64 = 1e-6;
        for l in [0.31, 0.36, 0.4] {
            for v in [-0.8, -0.2, 0.1, 0.35, 0.9] {
                let difference = (PENNATE.gain(l, v + H) - PENNATE.gain(l, v - H)) / (2.0 * H);
                assert!((PENNATE.gain_by_velocity(l, v) - difference).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn slack_muscles_and_odd_parameters_give_no_force() {
        assert_eq!(PENNATE.gain(0.2, 0.1), 0.0);
        assert_eq!(PENNATE.bias(0.2), 0.0);
        let odd = HillMuscle { optimal_length: 0.0, ..PENNATE };
        assert_eq!((odd.gain(0.3, 0.1), odd.bias(0.3)), (0.0, 0.0));
    }
}
