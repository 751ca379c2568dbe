//! Eight single-precision numbers at once: two SSE registers, which every x86-64 has, or arrays.

#[cfg(target_arch = "x86_64")]
pub use sse::F32x8;

#[cfg(not(target_arch = "x86_64"))]
pub use array::F32x8;

impl F32x8 {
    /// Numbers side by side.
    pub const LANES: usize = 8;
}

#[cfg(target_arch = "x86_64")]
mod sse {
    use std::arch::x86_64::{
        __m128, _mm_add_ps, _mm_cmpeq_ps, _mm_cmpge_ps, _mm_cvtss_f32, _mm_max_ps, _mm_max_ss,
        _mm_movehl_ps, _mm_movemask_ps, _mm_mul_ps, _mm_set_ps, _mm_set1_ps, _mm_shuffle_ps,
        _mm_sub_ps,
    };

    /// Eight numbers side by side.
    #[derive(Clone, Copy, Debug)]
    pub struct F32x8([__m128; 2]);

    /// Evaluates an expression of intrinsics.
    macro_rules! sse {
        ($value:expr) => {
            // SAFETY: the intrinsics of this module touch registers alone and need nothing but
            // SSE, which is part of x86-64.
            unsafe { $value }
        };
    }

    impl F32x8 {
        /// The numbers of an array.
        #[inline(always)]
        pub fn load(x: &[f32; 8]) -> F32x8 {
            let [a, b, c, d, e, f, g, h] = *x;
            sse!(F32x8([_mm_set_ps(d, c, b, a), _mm_set_ps(h, g, f, e)]))
        }

        /// Each number times a factor.
        #[inline(always)]
        pub fn times(self, factor: f32) -> F32x8 {
            let F32x8([low, high]) = self;
            sse!({
                let factor = _mm_set1_ps(factor);
                F32x8([_mm_mul_ps(low, factor), _mm_mul_ps(high, factor)])
            })
        }

        /// Sums.
        #[inline(always)]
        pub fn plus(self, other: F32x8) -> F32x8 {
            sse!(F32x8([_mm_add_ps(self.0[0], other.0[0]), _mm_add_ps(self.0[1], other.0[1])]))
        }

        /// One number in all places.
        #[inline(always)]
        pub fn splat(x: f32) -> F32x8 {
            sse!(F32x8([_mm_set1_ps(x); 2]))
        }

        /// Differences.
        #[inline(always)]
        pub fn minus(self, other: F32x8) -> F32x8 {
            sse!(F32x8([_mm_sub_ps(self.0[0], other.0[0]), _mm_sub_ps(self.0[1], other.0[1])]))
        }

        /// Lane by lane.
        #[inline(always)]
        pub fn product(self, other: F32x8) -> F32x8 {
            sse!(F32x8([_mm_mul_ps(self.0[0], other.0[0]), _mm_mul_ps(self.0[1], other.0[1])]))
        }

        /// One bit per lane that is not below that of another.
        #[inline(always)]
        pub fn not_below(self, other: F32x8) -> u32 {
            let (F32x8([low, high]), F32x8([low2, high2])) = (self, other);
            sse!(bits(_mm_cmpge_ps(low, low2), _mm_cmpge_ps(high, high2)))
        }

        /// The largest; any of them if one is NaN.
        #[inline(always)]
        pub fn max(self) -> f32 {
            let F32x8([low, high]) = self;
            sse!({
                let four = _mm_max_ps(low, high);
                let two = _mm_max_ps(four, _mm_movehl_ps(four, four));
                _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps::<1>(two, two)))
            })
        }

        /// One bit per lane that holds exactly `value`.
        #[inline(always)]
        pub fn equal(self, value: f32) -> u32 {
            let F32x8([low, high]) = self;
            sse!({
                let value = _mm_set1_ps(value);
                bits(_mm_cmpeq_ps(low, value), _mm_cmpeq_ps(high, value))
            })
        }

        /// One bit per lane that holds `value` or more.
        #[inline(always)]
        pub fn at_least(self, value: f32) -> u32 {
            let F32x8([low, high]) = self;
            sse!({
                let value = _mm_set1_ps(value);
                bits(_mm_cmpge_ps(low, value), _mm_cmpge_ps(high, value))
            })
        }
    }

    #[inline(always)]
    fn bits(low: __m128, high: __m128) -> u32 {
        sse!((_mm_movemask_ps(low) | _mm_movemask_ps(high) << 4) as u32)
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod array {
    /// Eight numbers side by side.
    #[derive(Clone, Copy, Debug)]
    pub struct F32x8([f32; 8]);

    impl F32x8 {
        /// The numbers of an array.
        pub fn load(x: &[f32; 8]) -> F32x8 {
            F32x8(*x)
        }

        /// Each number times a factor.
        pub fn times(self, factor: f32) -> F32x8 {
            F32x8(self.0.map(|x| x * factor))
        }

        /// Sums.
        pub fn plus(self, other: F32x8) -> F32x8 {
            F32x8(std::array::from_fn(|k| self.0[k] + other.0[k]))
        }

        /// One number in all places.
        pub fn splat(x: f32) -> F32x8 {
            F32x8([x; 8])
        }

        /// Differences.
        pub fn minus(self, other: F32x8) -> F32x8 {
            F32x8(std::array::from_fn(|k| self.0[k] - other.0[k]))
        }

        /// Lane by lane.
        pub fn product(self, other: F32x8) -> F32x8 {
            F32x8(std::array::from_fn(|k| self.0[k] * other.0[k]))
        }

        /// One bit per lane that is not below that of another.
        pub fn not_below(self, other: F32x8) -> u32 {
            (0..8).map(|k| u32::from(self.0[k] >= other.0[k]) << k).sum()
        }

        /// The largest; any of them if one is NaN.
        pub fn max(self) -> f32 {
            self.0.into_iter().fold(f32::NEG_INFINITY, |a, b| if a > b { a } else { b })
        }

        /// One bit per lane that holds exactly `value`.
        pub fn equal(self, value: f32) -> u32 {
            (0..8).map(|k| u32::from(self.0[k] == value) << k).sum()
        }

        /// One bit per lane that holds `value` or more.
        pub fn at_least(self, value: f32) -> u32 {
            (0..8).map(|k| u32::from(self.0[k] >= value) << k).sum()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_and_arrays_agree() {
        let mut seed = 7u32;
        for _ in 0..200 {
            let mut random = || -> [f32; 8] {
                std::array::from_fn(|_| {
                    seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
                    (seed >> 28) as f32 - 8.0
                })
            };
            let (x, y) = (random(), random());
            let fast = F32x8::load(&x).times(1.5).plus(F32x8::load(&y));
            let plain = array::F32x8::load(&x).times(1.5).plus(array::F32x8::load(&y));
            let max = fast.max();
            assert_eq!(max, plain.max());
            assert_eq!(fast.equal(max), plain.equal(max));
            assert_eq!(fast.at_least(max - 3.0), plain.at_least(max - 3.0));
            let fast = fast.minus(F32x8::splat(1.0)).product(F32x8::load(&y));
            let plain = plain.minus(array::F32x8::splat(1.0)).product(array::F32x8::load(&y));
            let bits = fast.not_below(F32x8::load(&x));
            assert_eq!(bits, plain.not_below(array::F32x8::load(&x)));
            assert_eq!(fast.max(), plain.max());
        }
    }
}
