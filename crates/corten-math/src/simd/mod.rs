//! One binary for all processors: kernels compiled twice, chosen at run time.
//!
//! [`wide!`](crate::wide) compiles a function for the baseline of the target, where it computes with
//! [`Four`](crate::Four), and once more for a processor with registers for four numbers, or eight of
//! single precision: AVX2 on x86-64, pairs of NEON registers on AArch64. Multiplications and additions stay separate
//! instructions, and sums keep the order in which the source writes them: both versions give the same
//! bits.
//!
//! The environment variable `CORTEN_SIMD=baseline` selects the baseline.
//!
//! Without the feature `portable`, kernels are compiled for processors like the one that compiles alone,
//! which takes half of the time; a program for another target has both versions in any case. [`check`] tells
//! where such a program has come to a processor that it was not compiled for.
//!
//! # Safety
//!
//! Arithmetic with an AVX register on a processor without AVX is undefined behaviour. The type of the
//! register is private to this module, and generic code learns it from a [`Native`] only, which exists
//! once the processor has been found to have AVX2, and with it BMI. A processor does not lose its
//! registers.

#[cfg(all(native_kernels, target_arch = "x86_64"))]
mod avx;
#[cfg(all(native_kernels, target_arch = "x86_64"))]
mod avx_eights;
#[cfg(all(native_kernels, target_arch = "aarch64"))]
mod neon;

use crate::Wide;

#[cfg(all(native_kernels, target_arch = "x86_64"))]
use avx::Register;
#[cfg(all(native_kernels, target_arch = "aarch64"))]
use neon::Register;

/// A function that [`wide!`](crate::wide) compiles, for some types of arguments.
#[doc(hidden)]
pub trait Kernel<Arguments> {
    type Output;

    /// Must be inlined, so that it is compiled for the processor that the caller is compiled for.
    fn run<Simd: Wide>(arguments: Arguments) -> Self::Output;
}

/// The proof that the processor has wide registers.
#[cfg(native_kernels)]
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Native(());

#[cfg(native_kernels)]
impl Native {
    /// `None` if the baseline is to be used.
    #[inline(always)]
    pub fn detect() -> Option<Native> {
        native::is_used().then_some(Native(()))
    }

    /// Where there is no baseline.
    ///
    /// # Panics
    ///
    /// Where [`check`] is an error.
    #[inline(always)]
    pub fn require() -> Native {
        Native::detect().unwrap_or_else(|| panic!("{OtherProcessor}"))
    }

    #[inline(always)]
    pub fn run<Arguments, K: Kernel<Arguments>>(self, arguments: Arguments) -> K::Output {
        K::run::<Register>(arguments)
    }
}

/// Whether kernels compute with wide registers here, not with the baseline.
pub fn is_native() -> bool {
    #[cfg(native_kernels)]
    return native::is_used();
    #[cfg(not(native_kernels))]
    false
}

/// The program was compiled for processors that this one is not like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "compiled for processors with AVX2, as the one that compiled it: this one is without, or \
     CORTEN_SIMD=baseline forbids its use; compile here, or with the feature 'portable'"
)]
pub struct OtherProcessor;

/// Whether kernels can run here. To be asked at the start of a program that is compiled without the feature
/// `portable`: its kernels panic on other processors.
pub fn check() -> Result<(), OtherProcessor> {
    if cfg!(baseline_kernels) || is_native() { Ok(()) } else { Err(OtherProcessor) }
}

/// A question that every kernel asks: one comparison, once the answer is known.
#[cfg(native_kernels)]
mod native {
    use std::sync::atomic::{AtomicU8, Ordering};

    const YES: u8 = 2;
    const NO: u8 = 1;
    const UNKNOWN: u8 = 0;

    static ANSWER: AtomicU8 = AtomicU8::new(UNKNOWN);

    #[inline(always)]
    pub fn is_used() -> bool {
        ANSWER.load(Ordering::Relaxed) == YES || ask()
    }

    #[cold]
    fn ask() -> bool {
        let mut answer = ANSWER.load(Ordering::Relaxed);
        if answer == UNKNOWN {
            let baseline = std::env::var_os("CORTEN_SIMD").is_some_and(|value| value == "baseline");
            answer = if !baseline && is_available() { YES } else { NO };
            ANSWER.store(answer, Ordering::Relaxed);
        }
        answer == YES
    }

    /// Whether the processor has the registers and the operating system saves them.
    fn is_available() -> bool {
        #[cfg(target_arch = "x86_64")]
        return std::arch::is_x86_feature_detected!("avx2");
        #[cfg(target_arch = "aarch64")]
        true
    }
}

/// Compiles functions for the baseline and for wide registers, and calls the version that fits the
/// processor. In the body, `Simd` is the type of the registers, a [`Wide`](crate::Wide).
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
            struct Body;

            impl $(<$($generic)*>)? $crate::simd::Kernel<($($type,)*)> for Body {
                type Output = $crate::wide!(@output $($result)?);

                #[inline(always)]
                fn run<Simd: $crate::Wide>(($($argument,)*): ($($type,)*)) -> Self::Output $body
            }

            $crate::version_that_fits!(
                [$($($generic)*)?] ($($argument: $type),*) -> [$crate::wide!(@output $($result)?)]
            )
        }
    )*};
    (@output) => { () };
    (@output $result:ty) => { $result };
}

/// The versions of a kernel's `Body` that this program has, and the call of the one that fits the processor.
#[cfg(all(native_kernels, baseline_kernels))]
#[doc(hidden)]
#[macro_export]
macro_rules! version_that_fits {
    ([$($generic:tt)*] ($($argument:ident: $type:ty),*) -> [$result:ty]) => {{
        if let Some(processor) = $crate::simd::Native::detect() {
            return $crate::native_version!(
                [$($generic)*] (processor, $($argument: $type),*) -> [$result]
            );
        }
        $crate::baseline_version!([$($generic)*] ($($argument: $type),*) -> [$result])
    }};
}

#[cfg(all(native_kernels, not(baseline_kernels)))]
#[doc(hidden)]
#[macro_export]
macro_rules! version_that_fits {
    ([$($generic:tt)*] ($($argument:ident: $type:ty),*) -> [$result:ty]) => {{
        let processor = $crate::simd::Native::require();
        $crate::native_version!([$($generic)*] (processor, $($argument: $type),*) -> [$result])
    }};
}

#[cfg(not(native_kernels))]
#[doc(hidden)]
#[macro_export]
macro_rules! version_that_fits {
    ($($kernel:tt)*) => { $crate::baseline_version!($($kernel)*) };
}

/// The call of a kernel's `Body`, compiled for wide registers.
#[cfg(native_kernels)]
#[doc(hidden)]
#[macro_export]
macro_rules! native_version {
    ([$($generic:tt)*] ($processor:ident, $($argument:ident: $type:ty),*) -> [$result:ty]) => {{
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2"))]
        fn native<$($generic)*>(
            processor: $crate::simd::Native,
            $($argument: $type),*
        ) -> $result {
            processor.run::<_, Body>(($($argument,)*))
        }

        // SAFETY: `Native` proves that the processor has the features.
        #[allow(unused_unsafe)]
        unsafe {
            native($processor, $($argument),*)
        }
    }};
}

/// The call of a kernel's `Body`, compiled for the baseline.
#[cfg(baseline_kernels)]
#[doc(hidden)]
#[macro_export]
macro_rules! baseline_version {
    ([$($generic:tt)*] ($($argument:ident: $type:ty),*) -> [$result:ty]) => {{
        // Not inlined: what is left is a jump, without registers to be saved.
        #[inline(never)]
        fn baseline<$($generic)*>($($argument: $type),*) -> $result {
            <Body as $crate::simd::Kernel<_>>::run::<$crate::Four>(($($argument,)*))
        }
        baseline($($argument),*)
    }};
}

#[cfg(test)]
mod tests {
    use crate::{Four, Wide};

    fn sum_of_squares_in<S: Wide>(x: &[f64]) -> f64 {
        let mut sum = S::splat(0.0);
        for x in x.as_chunks::<4>().0 {
            let x = S::load(*x);
            sum += x * x;
        }
        sum.store().iter().sum()
    }

    crate::wide! {
        /// Sum of squares in four lanes.
        fn sum_of_squares(x: &[f64]) -> f64 {
            sum_of_squares_in::<Simd>(x)
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
        assert_eq!(sum_of_squares_in::<Four>(&x).to_bits(), expected.to_bits());
    }
}
