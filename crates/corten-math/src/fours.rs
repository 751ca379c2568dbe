//! Loops over arrays, four numbers at a time.

use crate::Wide;
use crate::array::MapInline;

/// Element by element, what `value` makes of those of some arrays, into other arrays. The rest is
/// computed with zeros next to it.
#[inline(always)]
pub fn map_fours<S: Wide, const N: usize, const M: usize>(
    from: [&[f64]; N],
    to: [&mut [f64]; M],
    value: impl Fn([S; N]) -> [S; M],
) {
    let n = to[0].len();
    let from = from.map_inline(|from| from[..n].as_chunks::<4>());
    let to = to.map_inline(|to| to[..n].as_chunks_mut::<4>());
    for b in 0..n / 4 {
        let values = value(load_block(&from, b));
        for k in 0..M {
            to[k].0[b] = values[k].store();
        }
    }
    if !n.is_multiple_of(4) {
        let values = value(load_rest(&from));
        for k in 0..M {
            write_first(&values[k].store(), to[k].1);
        }
    }
}

/// The sums of `terms` over the elements of some arrays: one sum for each lane, and the lanes are added
/// at the end. Terms of zeros must be zero.
#[inline(always)]
pub fn sum_fours<S: Wide, const N: usize, const M: usize>(
    from: [&[f64]; N],
    terms: impl Fn([S; N]) -> [S; M],
) -> [f64; M] {
    let n = from[0].len();
    let from = from.map_inline(|from| from[..n].as_chunks::<4>());
    let mut lanes = [S::splat(0.0); M];
    for b in 0..n / 4 {
        let terms = terms(load_block(&from, b));
        for k in 0..M {
            lanes[k] += terms[k];
        }
    }
    if !n.is_multiple_of(4) {
        let terms = terms(load_rest(&from));
        for k in 0..M {
            lanes[k] += terms[k];
        }
    }
    let mut sums = [0.0; M];
    for k in 0..M {
        sums[k] = lanes[k].sum();
    }
    sums
}

/// Arrays as fours and a rest.
type Chunks<'a, const N: usize> = [(&'a [[f64; 4]], &'a [f64]); N];

// Without `map`, which is not inlined for arrays of registers.
#[inline(always)]
fn load_block<S: Wide, const N: usize>(from: &Chunks<'_, N>, b: usize) -> [S; N] {
    let mut loaded = [S::default(); N];
    for k in 0..N {
        loaded[k] = S::load(from[k].0[b]);
    }
    loaded
}

#[inline(always)]
fn load_rest<S: Wide, const N: usize>(from: &Chunks<'_, N>) -> [S; N] {
    let mut loaded = [S::default(); N];
    for k in 0..N {
        loaded[k] = S::load(padded(from[k].1));
    }
    loaded
}

/// Calls a function for the indices from 0 to `$n`: for four at once, of which it gets the first, with
/// the type of the registers in front of its other type parameters; one by one, with `f64`, if there
/// are fewer than four. The last four overlap with those before, so that calls must not depend on each
/// other.
#[macro_export]
macro_rules! for_each_four {
    ($n:expr, $at:ident => $function:ident::<$Simd:ident $(, $generic:ident)*> $arguments:tt) => {{
        let n: usize = $n;
        if n < 4 {
            for $at in 0..n {
                $function::<f64 $(, $generic)*> $arguments;
            }
        } else {
            let mut start = 0;
            while start < n {
                let $at = start.min(n - 4);
                $function::<$Simd $(, $generic)*> $arguments;
                start += 4;
            }
        }
    }};
}

/// Fewer than four numbers, and zeros. In registers: a load of four numbers that have just been
/// stored one by one waits until all of them are in the cache (no store forwarding).
#[inline(always)]
pub fn padded<T: Copy + Default>(rest: &[T]) -> [T; 4] {
    let zero = T::default();
    match *rest {
        [a, b, c, ..] => [a, b, c, zero],
        [a, b] => [a, b, zero, zero],
        [a] => [a, zero, zero, zero],
        [] => [zero; 4],
    }
}

/// The first numbers of `from`, fewer than four. One by one: the compiler would make a loop a masked
/// store, which is slow.
#[inline(always)]
pub fn write_first<T: Copy>(from: &[T; 4], to: &mut [T]) {
    match to {
        [a] => *a = from[0],
        [a, b] => [*a, *b] = [from[0], from[1]],
        [a, b, c] => [*a, *b, *c] = [from[0], from[1], from[2]],
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Four, Number, wide};

    fn numbers(n: usize) -> Vec<f64> {
        (0..n).map(|k| (k as f64 * 0.7).sin() + 2.0).collect()
    }

    fn check_maps_and_sums<S: Wide>() {
        for n in 0..14 {
            let (x, y) = (numbers(n), numbers(n + 3));
            let (mut sums, mut ratios) = (vec![0.0; n], vec![0.0; n]);
            map_fours::<S, 2, 2>([&x, &y[3..]], [&mut sums, &mut ratios], |[a, b]| [a + b, a / b]);
            for k in 0..n {
                assert_eq!([sums[k], ratios[k]], [x[k] + y[k + 3], x[k] / y[k + 3]]);
            }
            let mut lanes = [0.0; 4];
            x.iter().enumerate().for_each(|(k, x)| lanes[k % 4] += x * x);
            let [sum] = sum_fours::<S, 1, 1>([&x], |[x]| [x * x]);
            assert_eq!(sum, (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]));
        }
    }

    fn count<T: Number>(at: usize, seen: &mut [usize]) {
        seen[at..at + T::LANES].iter_mut().for_each(|times| *times += 1);
    }

    fn check_indices<S: Wide>() {
        for n in 0..14 {
            let mut seen = vec![0; n];
            for_each_four!(n, at => count::<S>(at, &mut seen));
            assert!(seen.iter().all(|&times| times > 0));
            assert!(n % 4 > 0 || seen.iter().all(|&times| times == 1));
        }
    }

    wide! {
        fn check_registers() {
            check_maps_and_sums::<Simd>();
            check_indices::<Simd>();
        }
    }

    #[test]
    fn each_element_is_computed() {
        check_registers();
        check_maps_and_sums::<Four>();
        check_indices::<Four>();
    }
}
