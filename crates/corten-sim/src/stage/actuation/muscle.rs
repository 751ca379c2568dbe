//! The muscle model: activation dynamics, active and passive force.
//!
//! Length is normalised so that `lengthrange` maps to `range` and 1 is the optimal length;
//! velocity is in units of `vmax` optimal lengths per second. Answers to MuJoCo's
//! `mju_muscleGain`, `mju_muscleBias` and `mju_muscleDynamics`; the curves approximate the
//! FLV model (Zajac 1989), the time constants follow Millard et al. 2013.

use corten_math::{MIN_VAL, Mask, Number};

/// Parameters of the force curves, as stored in `actuator_gainprm` and `actuator_biasprm`; of
/// several muscles side by side, if `T` has lanes.
#[derive(Clone, Copy, Debug)]
pub struct Muscle<T = f64> {
    range: [T; 2],
    /// Peak active force at rest; negative asks for `scale / acc0`.
    force: T,
    scale: T,
    lmin: T,
    lmax: T,
    vmax: T,
    /// Passive force at `lmax`, relative to the peak active force.
    fpmax: T,
    /// Active force at saturating lengthening velocity, relative to the force at rest.
    fvmax: T,
}

/// Length in optimal lengths, the optimal length itself, and the peak active force.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured<T> {
    length: T,
    optimal_length: T,
    peak_force: T,
}

impl<T: Number> Measured<T> {
    /// Whether one of the muscles is beyond its optimal length, or of no length.
    #[inline(always)]
    pub fn is_stretched(self) -> bool {
        let one = T::splat(1.0);
        one.le(one).and_not(self.length.le(one)).any()
    }
}

impl<T: Number> Muscle<T> {
    #[inline(always)]
    pub fn new(prm: &[f64; 10]) -> Muscle<T> {
        Muscle::from_lanes(|_| prm)
    }

    /// The parameters of each lane.
    #[inline(always)]
    pub(super) fn from_lanes<'a>(prm: impl Fn(usize) -> &'a [f64; 10]) -> Muscle<T> {
        let [r0, r1, force, scale] = T::from_records(|k| prm(k).as_chunks::<4>().0[0]);
        let [lmin, lmax, vmax, fpmax] = T::from_records(|k| prm(k).as_chunks::<4>().0[1]);
        let fvmax = T::from_lanes(|k| prm(k)[8]);
        Muscle { range: [r0, r1], force, scale, lmin, lmax, vmax, fpmax, fvmax }
    }

    #[inline(always)]
    fn peak_force(&self, acc0: T) -> T {
        let scaled = self.scale / acc0.max(T::splat(MIN_VAL));
        T::select(self.force.lt(T::splat(0.0)), scaled, self.force)
    }

    /// Length at which the active force is largest.
    #[inline(always)]
    fn optimal_length(&self, lengthrange: [T; 2]) -> T {
        let width = (self.range[1] - self.range[0]).max(T::splat(MIN_VAL));
        (lengthrange[1] - lengthrange[0]) / width
    }

    #[inline(always)]
    fn normalized_length(&self, length: T, lengthrange: [T; 2]) -> T {
        let optimal = self.optimal_length(lengthrange);
        self.range[0] + (length - lengthrange[0]) / optimal.max(T::splat(MIN_VAL))
    }

    /// A muscle's length and strength in terms of its curves.
    #[inline(always)]
    pub(super) fn measure(&self, length: T, lengthrange: [T; 2], acc0: T) -> Measured<T> {
        Measured {
            length: self.normalized_length(length, lengthrange),
            optimal_length: self.optimal_length(lengthrange),
            peak_force: self.peak_force(acc0),
        }
    }

    /// Force per unit activation; negative, because muscles pull.
    #[inline(always)]
    pub fn gain(&self, length: T, velocity: T, lengthrange: [T; 2], acc0: T) -> T {
        self.active(self.measure(length, lengthrange, acc0), velocity)
    }

    #[inline(always)]
    pub(super) fn active(&self, at: Measured<T>, velocity: T) -> T {
        let scale = (at.optimal_length * self.vmax).max(T::splat(MIN_VAL));
        -at.peak_force * self.force_length(at.length) * self.force_velocity(velocity / scale)
    }

    /// Passive force; zero below the optimal length, negative above.
    #[inline(always)]
    pub fn bias(&self, length: T, lengthrange: [T; 2], acc0: T) -> T {
        self.passive(self.measure(length, lengthrange, acc0))
    }

    #[inline(always)]
    pub(super) fn passive(&self, at: Measured<T>) -> T {
        let force = -at.peak_force * self.fpmax * self.passive_stretch(at.length);
        T::select(at.length.le(T::splat(1.0)), T::splat(0.0), force)
    }

    /// Passive force of stretched fibres, relative to `fpmax`: a parabola up to one half at the
    /// middle between 1 and `lmax`, then straight on.
    #[inline(always)]
    pub(super) fn passive_stretch(&self, l: T) -> T {
        let (one, half) = (T::splat(1.0), T::splat(0.5));
        let middle = half * (one + self.lmax);
        let width = (middle - one).max(T::splat(MIN_VAL));
        let x = (l - one).max(T::splat(0.0)) / width;
        T::select(l.le(middle), half * x * x, half + (l - middle) / width)
    }

    /// A bump of four parabolas: zero at `lmin` and `lmax`, one at 1, smooth in between.
    #[inline(always)]
    pub(super) fn force_length(&self, l: T) -> T {
        let (one, half) = (T::splat(1.0), T::splat(0.5));
        let Muscle { lmin, lmax, .. } = *self;
        let (rise, fall) = (half * (lmin + one), half * (one + lmax));
        let (low, left, right) = (l.le(rise), l.le(one), l.le(fall));
        // From the end of the parabola at hand that is flat.
        let left_distance = T::select(low, l - lmin, one - l);
        let right_distance = T::select(right, l - one, lmax - l);
        let left_width = T::select(low, rise - lmin, one - rise);
        let right_width = T::select(right, fall - one, lmax - fall);
        let distance = T::select(left, left_distance, right_distance);
        let width = T::select(left, left_width, right_width);
        let x = distance / width.max(T::splat(MIN_VAL));
        let parabola = half * x * x;
        let bump = T::select(left.or(right).and_not(low), one - parabola, parabola);
        T::select(lmin.le(l).and(l.le(lmax)), bump, T::splat(0.0))
    }

    /// Zero when shortening at full speed, one at rest, saturating at `fvmax` when lengthening.
    #[inline(always)]
    pub(super) fn force_velocity(&self, v: T) -> T {
        let (zero, one) = (T::splat(0.0), T::splat(1.0));
        let excess = self.fvmax - one;
        let below = excess - v;
        let lengthening = self.fvmax - below * below / excess.max(T::splat(MIN_VAL));
        let lengthening = T::select(v.le(excess), lengthening, self.fvmax);
        let shortening = T::select(v.le(-one), zero, (v + one) * (v + one));
        T::select(v.le(zero), shortening, lengthening)
    }
}

impl Muscle {
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
    rate(ctrl, act, [prm[0], prm[1], prm[2]])
}

/// [`activation_rate`] of several muscles.
#[inline(always)]
pub(super) fn rate<T: Number>(ctrl: T, act: T, [rise, fall, width]: [T; 3]) -> T {
    let smallest = T::splat(MIN_VAL);
    let level = T::splat(0.5) + T::splat(1.5) * act.clamp_unit();
    let (rising, falling) = (rise * level, fall / level);
    let excess = ctrl.clamp_unit() - act;
    let mut tau = T::select(T::splat(0.0).lt(excess), rising, falling);
    let smooth = smallest.le(width);
    if smooth.any() {
        let share = smoothstep(excess / width + T::splat(0.5));
        tau = T::select(smooth, falling + (rising - falling) * share, tau);
    }
    excess / tau.max(smallest)
}

/// The quintic from 0 to 1 with two vanishing derivatives at both ends.
#[inline(always)]
fn smoothstep<T: Number>(x: T) -> T {
    let x = x.clamp_unit();
    x * x * x * (T::splat(3.0) * x * (T::splat(2.0) * x - T::splat(5.0)) + T::splat(10.0))
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
        let muscle = Muscle::<f64>::new(&DEFAULT);
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
        let muscle = Muscle::<f64>::new(&DEFAULT);
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
