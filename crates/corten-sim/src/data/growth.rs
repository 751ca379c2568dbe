//! How much room vectors take when they grow.
//!
//! `Vec` doubles, which suits vectors that live for a moment. Those of a simulation grow to the
//! largest scene they have met and stay: what they have beyond is memory per environment.

use corten_math::memory;

/// Room for `n` elements, with some to spare: one part in sixteen.
fn generous(n: usize) -> usize {
    n + n / 16
}

/// Gives a vector so many elements; new ones are zero.
pub(crate) fn fit<T: Clone + Default>(v: &mut Vec<T>, n: usize) {
    if v.capacity() < n {
        v.clear();
        *v = memory::with_room(generous(n));
    }
    v.resize(n, T::default());
}

/// After a vector has been filled: gives back what doubling took too much, if its capacity is no
/// longer what it was before.
pub(crate) fn tighten<T>(v: &mut Vec<T>, before: usize) {
    if v.capacity() != before {
        let mut fitting = memory::with_room(generous(v.len()));
        fitting.append(v);
        *v = fitting;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_keep_little_to_spare() {
        let mut v = Vec::new();
        for n in [1600, 300, 1650, 1700] {
            fit(&mut v, n);
            assert_eq!((v.len(), v.capacity()), (n, 1700));
        }
        let before = v.capacity();
        v.extend([1.0; 60]);
        tighten(&mut v, before);
        assert_eq!((v.len(), v.capacity()), (1760, 1870));
        v.truncate(10);
        tighten(&mut v, 1870);
        assert_eq!(v.capacity(), 1870);
    }
}
