//! One binary for all processors: kernels compiled twice, chosen at run time.
//!
//! [`wide!`](crate::wide) compiles a function for the baseline of the target, where it computes with
//! [`Four`](crate::Four), and once more for a processor with registers for four numbers: AVX2 on
//! x86-64, pairs of NEON registers on AArch64. Multiplications and additions stay separate
//! instructions, and sums keep the order in which the source writes them: both versions give the same
//! bits.
//!
//! The environment variable `CORTEN_SIMD=baseline` selects the baseline.
//!
//! # Safety
//!
//! Arithmetic with an AVX register on a processor without AVX is undefined behaviour. The type of the
//! register is private to this module, and given to generic code in one place only: [`Arguments`], after
//! the processor has been found to have AVX2. Whatever code learns about the type there runs after
//! that, and a processor does not lose its registers.

#[cfg(target_arch = "x86_64")]
mod avx;
#[cfg(target_arch = "aarch64")]
mod neon;

use crate::Wide;

#[cfg(target_arch = "x86_64")]
use avx::Register;
#[cfg(target_arch = "aarch64")]
use neon::Register;

/// A function that [`wide!`](crate::wide) compiles, for some types of arguments.
#[doc(hidden)]
pub trait Kernel<Arguments> {
    type Output;

    /// Must be inlined, so that it is compiled for the processor that the caller is compiled for.
    fn run<Simd: Wide>(arguments: Arguments) -> Self::Output;
}

/// A tuple of arguments that kernels are called with. Each is passed by itself, in a register.
#[doc(hidden)]
pub trait Arguments: Sized {
    /// Calls the version of a kernel that fits the processor.
    fn dispatch<K: Kernel<Self>>(self) -> K::Output;
}

macro_rules! arguments {
    ($($name:ident $type:ident)*) => {
        impl<$($type),*> Arguments for ($($type,)*) {
            #[inline(always)]
            fn dispatch<Body: Kernel<Self>>(self) -> Body::Output {
                let ($($name,)*) = self;

                #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
                if native::is_used() {
                    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2"))]
                    fn native<$($type,)* Body: Kernel<($($type,)*)>>($($name: $type),*) -> Body::Output {
                        Body::run::<Register>(($($name,)*))
                    }

                    // SAFETY: on x86-64, the processor has been found to have AVX2, and with it BMI.
                    #[allow(unused_unsafe)]
                    return unsafe { native::<$($type,)* Body>($($name),*) };
                }

                // Not inlined: what is left is a jump, without registers to be saved.
                #[inline(never)]
                fn baseline<$($type,)* Body: Kernel<($($type,)*)>>($($name: $type),*) -> Body::Output {
                    Body::run::<crate::Four>(($($name,)*))
                }
                baseline::<$($type,)* Body>($($name),*)
            }
        }
    };
}

arguments!();
arguments!(a A);
arguments!(a A b B);
arguments!(a A b B c C);
arguments!(a A b B c C d D);
arguments!(a A b B c C d D e E);
arguments!(a A b B c C d D e E f F);
arguments!(a A b B c C d D e E f F g G);
arguments!(a A b B c C d D e E f F g G h H);

/// Whether kernels compute with wide registers here, not with the baseline.
pub fn is_native() -> bool {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    return native::is_used();
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    false
}

/// A question that every kernel asks: one comparison, once the answer is known.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
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

            $crate::simd::Arguments::dispatch::<Body>(($($argument,)*))
        }
    )*};
    (@output) => { () };
    (@output $result:ty) => { $result };
}

#[cfg(test)]
mod tests {
    use crate::{Four, Wide};

    fn sum_of_squares_in<S: Wide>(x: &[f64]) -> f64 {
        let mut sum = S::of(0.0);
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
