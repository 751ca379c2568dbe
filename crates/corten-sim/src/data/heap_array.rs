use corten_math::memory;
use std::ops::{Deref, DerefMut};

/// `[T; N]` in a heap buffer of its own, which stays where it is for the life of the value.
///
/// Whoever looks at the buffer from outside, as a Python view does, points past the struct that
/// holds the array, and so does not depend on the references to that struct.
#[derive(Clone, Debug, PartialEq)]
pub struct HeapArray<T, const N: usize>(Vec<T>);

impl<T, const N: usize> HeapArray<T, N> {
    /// Where the elements are.
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.0.as_mut_ptr()
    }
}

impl<T: Clone + Default, const N: usize> Default for HeapArray<T, N> {
    fn default() -> Self {
        HeapArray(memory::filled(T::default(), N))
    }
}

impl<T, const N: usize> Deref for HeapArray<T, N> {
    type Target = [T; N];

    #[inline(always)]
    fn deref(&self) -> &[T; N] {
        let Some(elements) = self.0.first_chunk() else { unreachable!("made with N elements") };
        elements
    }
}

impl<T, const N: usize> DerefMut for HeapArray<T, N> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T; N] {
        let Some(elements) = self.0.first_chunk_mut() else { unreachable!("made with N elements") };
        elements
    }
}
