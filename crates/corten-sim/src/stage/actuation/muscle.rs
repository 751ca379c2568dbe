//! The muscle model: activation dynamics, active and passive force.
//!
//! Length is normalised so that `lengthrange` maps to `range` and 1 is the optimal length;
//! velocity is in units of `vmax` optimal lengths per second. Answers to MuJoCo's
//! `mju_muscleGain`, `mju_muscleBias` and `mju_muscleDynamics`; the curves approximate the
//! FLV model (Zajac 1989), the time constants follow Millard et al. 2013.

use corten_math::MIN_VAL;

/// Parameters of the force curves, as stored in `actuator_gainprm` and `actuator_biasprm`.
#[derive(Clone, Copy, Debug)]
pub struct Muscle {
    range: [f64; 2],
    /// Peak active force at rest; negative asks for `scale / acc0`.
    force: f64,
    scale: f64,
    lmin: f64,
    lmax: f64,
    vmax: f64,
    /// Passive force at `lmax`, relative to the peak active force.
    fpmax: f64,
    /// Active force at saturating lengthening velocity, relative to the force at rest.
    fvmax: f64,
}

impl Muscle {
    pub fn new(prm: &[f64; 10]) -> Muscle {
        let [r0, r1, force, scale, lmin, lmax, vmax, fpmax, fvmax, _] = *prm;
        Muscle { range: [r0, r1], force, scale, lmin, lmax, vmax, fpmax, fvmax }
    }

    fn peak_force(&self, acc0: f64) -> f64 {
        if self.force < 0.0 { self.scale / acc0.max(MIN_VAL) } else { self.force }
    }

    /// Length at which the active force is largest.
    fn optimal_length(&self, lengthrange: [f64; 2]) -> f64 {
        (lengthrange[1] - lengthrange[0]) / (self.range[1] - self.range[0]).max(MIN_VAL)
    }

    fn normalized_length(&self, length: f64, lengthrange: [f64; 2]) -> f64 {
        let optimal = self.optimal_length(lengthrange);
        self.range[0] + (length - lengthrange[0]) / optimal.max(MIN_VAL)
    }

    /// Force per unit activation; negative, because muscles pull.
    pub fn gain(&self, length: f64, velocity: f64, lengthrange: [f64; 2], acc0: f64) -> f64 {
        let l = self.normalized_length(length, lengthrange);
        let v = velocity / (self.optimal_length(lengthrange) * self.vmax).max(MIN_VAL);
        -self.peak_force(acc0) * self.force_length(l) * self.force_velocity(v)
    }

    /// Derivative of [`Self::gain`] by velocity.
    pub fn gain_by_velocity(
        &self,
        length: f64,
        velocity: f64,
        lengthrange: [f64; 2],
        acc0: f64,
    ) -> f64 {
        let l = self.normalized_length(length, lengthrange);
        let scale = (self.optimal_length(lengthrange) * self.vmax).max(MIN_VAL);
        let slope = self.force_velocity_slope(velocity / scale);
        -self.peak_force(acc0) * self.force_length(l) * slope / scale
    }

    /// Passive force; zero below the optimal length, negative above.
    pub fn bias(&self, length: f64, lengthrange: [f64; 2], acc0: f64) -> f64 {
        let l = self.normalized_length(length, lengthrange);
        if l <= 1.0 {
            return 0.0;
        }
        -self.peak_force(acc0) * self.fpmax * self.passive_stretch(l)
    }

    /// Passive force of stretched fibres, relative to `fpmax`: a parabola up to one half at the
    /// middle between 1 and `lmax`, then straight on.
    pub(super) fn passive_stretch(&self, l: f64) -> f64 {
        let middle = 0.5 * (1.0 + self.lmax);
        let width = (middle - 1.0).max(MIN_VAL);
        if l <= middle {
            let x = (l - 1.0).max(0.0) / width;
            0.5 * x * x
        } else {
            0.5 + (l - middle) / width
        }
    }

    /// A bump of four parabolas: zero at `lmin` and `lmax`, one at 1, smooth in between.
    pub(super) fn force_length(&self, l: f64) -> f64 {
        let Muscle { lmin, lmax, .. } = *self;
        if !(lmin <= l && l <= lmax) {
            return 0.0;
        }
        let (rise, fall) = (0.5 * (lmin + 1.0), 0.5 * (1.0 + lmax));
        let half_square = |distance: f64, width: f64| {
            let x = distance / width.max(MIN_VAL);
            0.5 * x * x
        };
        if l <= rise {
            half_square(l - lmin, rise - lmin)
        } else if l <= 1.0 {
            1.0 - half_square(1.0 - l, 1.0 - rise)
        } else if l <= fall {
            1.0 - half_square(l - 1.0, fall - 1.0)
        } else {
            half_square(lmax - l, lmax - fall)
        }
    }

    /// Zero when shortening at full speed, one at rest, saturating at `fvmax` when lengthening.
    pub(super) fn force_velocity(&self, v: f64) -> f64 {
        let excess = self.fvmax - 1.0;
        if v <= -1.0 {
            0.0
        } else if v <= 0.0 {
            (v + 1.0) * (v + 1.0)
        } else if v <= excess {
            self.fvmax - (excess - v) * (excess - v) / excess.max(MIN_VAL)
        } else {
            self.fvmax
        }
    }

    /// Derivative of the force–velocity curve.
    pub(super) fn force_velocity_slope(&self, v: f64) -> f64 {
        let excess = self.fvmax - 1.0;
        if v <= -1.0 {
            0.0
        } else if v <= 0.0 {
            2.0 * v + 2.0
        } else if v <= excess {
            2.0 * (excess - v) / excess.max(MIN_VAL)
        } else {
            0.0
        }
    }
}

/// Rate of change of the activation. `prm`: time constants of activation and deactivation, and
/// the width over which the transition between them is smoothed.
pub fn activation_rate(ctrl: f64, act: f64, prm: &[f64; 10]) -> f64 {
    let level = 0.5 + 1.5 * act.clamp(0.0, 1.0);
    let (rising, falling) = (prm[0] * level, prm[1] / level);
    let excess = ctrl.clamp(0.0, 1.0) - act;
    let width = prm[2];
    let tau = if width < MIN_VAL {
        if excess > 0.0 { rising } else { falling }
    } else {
        falling + (rising - falling) * smoothstep(excess / width + 0.5)
    };
    excess / tau.max(MIN_VAL)
}

/// The quintic from 0 to 1 with two vanishing derivatives at both ends.
fn smoothstep(x: f64) -> f64 {
    if x <= 0.0 {
        0.0
    } else if x >= 1.0 {
        1.0
    } else {
        x * x * x * (3.0 * x * (2.0 * x - 5.0) + 10.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULT: [f64; 10] = [0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2, 0.0];
    const RANGE: [f64; 2] = [0.2, 0.5];

    fn length(normalized: f64) -> f64 {
        RANGE[0] + (normalized - DEFAULT[0]) * (RANGE[1] - RANGE[0]) / (DEFAULT[1] - DEFAULT[0])
    }

    /// `mju_muscleGain(0.3, -0.1, [.2, .5], 2, prm)` and `mju_muscleBias(0.6, …)`.
    #[test]
    fn values_of_mujoco() {
        let muscle = Muscle::new(&DEFAULT);
        assert!((muscle.gain(0.3, -0.1, RANGE, 2.0) - GAIN).abs() < 1e-12);
        assert!((muscle.bias(0.6, RANGE, 2.0) - BIAS).abs() < 1e-12);
        let smooth = [0.01, 0.04, 0.2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        assert!((activation_rate(0.5, 0.45, &smooth) - RATE).abs() < 1e-12);
    }
    const GAIN: f64 = -71.43111111111112;
    const BIAS: f64 = -16.25000000000002;
    const RATE: f64 = 3.556787923711746;

    #[test]
    fn peak_is_at_optimal_length_at_rest() {
        let muscle = Muscle::new(&DEFAULT);
        assert!((muscle.gain(length(1.0), 0.0, RANGE, 2.0) + 100.0).abs() < 1e-12);
        for l in [0.5, 1.6, 0.3, 2.0] {
            assert!(muscle.gain(length(l), 0.0, RANGE, 2.0).abs() < 1e-10);
        }
        assert_eq!(muscle.bias(length(0.9), RANGE, 2.0), 0.0);
        assert!((muscle.bias(length(1.3), RANGE, 2.0) + 65.0).abs() < 1e-10);
    }

    #[test]
    fn activation_is_faster_than_deactivation() {
        let prm = [0.01, 0.04, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        assert!((activation_rate(1.0, 0.5, &prm) - 0.5 / 0.0125).abs() < 1e-12);
        assert!((activation_rate(0.0, 0.5, &prm) + 0.5 / 0.032).abs() < 1e-12);
    }
}
