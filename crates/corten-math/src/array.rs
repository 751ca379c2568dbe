//! Arrays made element by element, always inlined.
//!
//! `core`'s [`array::map`](https://doc.rust-lang.org/std/primitive.array.html#method.map) and `array::from_fn` are
//! generic functions without a hint: where a crate is compiled in several codegen units, as users' release builds are,
//! each becomes a chain of calls, and a register that passes through it goes through memory.

use std::mem::{ManuallyDrop, MaybeUninit};

/// `[f(0), f(1), …]`.
#[inline(always)]
pub fn from_fn<T, const N: usize>(mut f: impl FnMut(usize) -> T) -> [T; N] {
    let mut array = [const { MaybeUninit::uninit() }; N];
    for k in 0..N {
        array[k] = MaybeUninit::new(f(k));
    }
    // SAFETY: every element has just been written, and `[MaybeUninit<T>; N]` has the layout of
    // `[T; N]`. Should `f` panic, the elements made so far are forgotten, which is safe.
    unsafe { (&raw const array).cast::<[T; N]>().read() }
}

/// `array::map`, always inlined.
pub trait MapInline<T, const N: usize> {
    /// `[f(a), f(b), …]` of `[a, b, …]`.
    fn map_inline<U>(self, f: impl FnMut(T) -> U) -> [U; N];
}

impl<T, const N: usize> MapInline<T, N> for [T; N] {
    #[inline(always)]
    fn map_inline<U>(self, mut f: impl FnMut(T) -> U) -> [U; N] {
        let from = ManuallyDrop::new(self);
        let from = (&raw const *from).cast::<T>();
        let mut array = [const { MaybeUninit::uninit() }; N];
        for k in 0..N {
            // SAFETY: `k < N`; each element is read once, and not dropped where it was. Should `f`
            // panic, the rest is forgotten, which is safe.
            array[k] = MaybeUninit::new(f(unsafe { from.add(k).read() }));
        }
        // SAFETY: as in `from_fn`.
        unsafe { (&raw const array).cast::<[U; N]>().read() }
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    #[test]
    fn elements_are_moved_once() {
        let counter = Rc::new(());
        let array: [Rc<()>; 5] = from_fn(|_| counter.clone());
        let mapped = array.map_inline(|rc| (Rc::strong_count(&rc), rc));
        assert!(mapped.iter().all(|(count, _)| *count == 6));
        drop(mapped);
        assert_eq!(Rc::strong_count(&counter), 1);
        assert_eq!([1, 2, 3].map_inline(|x| x * x), [1, 4, 9]);
        let mut numbers = [1.0, 2.0];
        let [a, b] = numbers.each_mut().map_inline(|x| x);
        std::mem::swap(a, b);
        assert_eq!(numbers, [2.0, 1.0]);
    }
}
