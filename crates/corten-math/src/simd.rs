//! One binary for all x86-64 processors: kernels compiled twice, chosen at run time.
//!
//! [`wide!`](crate::wide) compiles a function for the baseline of the target and once more for
//! processors with AVX2, whose registers hold four numbers. Multiplications and additions stay
//! separate instructions, and sums keep the order in which the source writes them: both versions
//! give the same bits.

/// Whether the processor has AVX2 and the operating system saves its registers.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn avx2() -> bool {
    known::ANSWER.load(std::sync::atomic::Ordering::Relaxed) == known::YES || known::ask()
}

/// The answer to a question that every kernel asks: one comparison, once it is known.
#[cfg(target_arch = "x86_64")]
mod known {
    use std::sync::atomic::{AtomicU8, Ordering};

    pub const YES: u8 = 2;
    const NO: u8 = 1;
    const UNKNOWN: u8 = 0;

    pub static ANSWER: AtomicU8 = AtomicU8::new(UNKNOWN);

    #[cold]
    pub fn ask() -> bool {
        let mut answer = ANSWER.load(Ordering::Relaxed);
        if answer == UNKNOWN {
            answer = if std::arch::is_x86_feature_detected!("avx2") { YES } else { NO };
            ANSWER.store(answer, Ordering::Relaxed);
        }
        answer == YES
    }
}

/// Compiles functions for the baseline and for AVX2, and calls the version that fits the
/// processor.
///
/// What the body calls gains from it as far as it is inlined.
#[macro_export]
macro_rules! wide {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident $([$($generic:tt)*])? (
            $($argument:ident: $type:ty),* $(,)?
        ) $(-> $result:ty)? $body:block
    )*) => {$(
        $(#[$attribute])*
        $visibility fn $name $(<$($generic)*>)? ($($argument: $type),*) $(-> $result)? {
            #[inline(always)]
            fn body $(<$($generic)*>)? ($($argument: $type),*) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,bmi1,bmi2")]
                fn avx2 $(<$($generic)*>)? ($($argument: $type),*) $(-> $result)? {
                    body($($argument),*)
                }

                // By itself: what is left is a jump, without registers to be saved.
                #[inline(never)]
                fn baseline $(<$($generic)*>)? ($($argument: $type),*) $(-> $result)? {
                    body($($argument),*)
                }

                if $crate::simd::avx2() {
                    // SAFETY: the processor has just been found to have the features that the
                    // function is compiled for; BMI comes with every AVX2.
                    unsafe { avx2($($argument),*) }
                } else {
                    baseline($($argument),*)
                }
            }
            #[cfg(not(target_arch = "x86_64"))]
            body($($argument),*)
        }
    )*};
}

#[cfg(test)]
mod tests {
    crate::wide! {
        /// Sum of squares in four lanes.
        fn sum_of_squares(x: &[f64]) -> f64 {
            let mut lanes = [0.0; 4];
            for x in x.as_chunks::<4>().0 {
                for k in 0..4 {
                    lanes[k] += x[k] * x[k];
                }
            }
            lanes.iter().sum()
        }
    }

    #[test]
    fn both_versions_give_the_same_bits() {
        let x: Vec<f64> = (0..64).map(|k| (k as f64 * 0.37).sin()).collect();
        let mut lanes = [0.0; 4];
        for (k, x) in x.iter().enumerate() {
            lanes[k % 4] += x * x;
        }
        let expected: f64 = lanes.iter().sum();
        assert_eq!(sum_of_squares(&x).to_bits(), expected.to_bits());
    }
}
