//! Reproducible and evenly spread numbers: the same on every machine.

use crate::array;
use crate::{Mat3, Quat, Vec3};

/// Element of the van der Corput sequence: the digits of `index` mirrored at the point. For several
/// coprime bases, the sequence of Halton, which fills space evenly.
///
/// # Panics
///
/// If `base` is zero.
pub fn halton(index: i32, base: i32) -> f64 {
    let (mut rest, mut weight, mut sum) = (index.max(0), 1.0 / f64::from(base), 0.0);
    while rest > 0 {
        sum += weight * f64::from(rest % base);
        weight /= f64::from(base);
        rest /= base;
    }
    sum
}

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A whole number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n.max(1) as u64) as usize
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [`low`, `high`).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A unit vector, uniform on the sphere (rejection from the cube).
    pub fn direction(&mut self) -> Vec3 {
        loop {
            let v = Vec3(array::from_fn(|_| self.between(-1.0, 1.0)));
            if (0.01..1.0).contains(&v.norm_squared()) {
                return v.normalized().0;
            }
        }
    }

    /// A rotation by a uniform angle about a uniform axis.
    pub fn rotation(&mut self) -> Mat3 {
        let angle = self.between(0.0, std::f64::consts::TAU);
        Quat::from_axis_angle(self.direction(), angle).to_mat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First outputs of the reference implementation for seed 1234567.
    #[test]
    fn follows_the_reference() {
        let mut random = Random(1_234_567);
        assert_eq!(random.bits(), 6_457_827_717_110_365_317);
        assert_eq!(random.bits(), 3_203_168_211_198_807_973);
        assert_eq!(random.bits(), 9_817_491_932_198_370_423);
    }
}
