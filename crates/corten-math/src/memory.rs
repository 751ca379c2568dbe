//! Arrays whose sizes a model, a state or a call decides.
//!
//! Where the machine refuses memory, the standard library's vectors end the process. Those made and grown here unwind
//! instead, with [`OutOfMemory`], up to the call of the library that needed them; [`guard`] makes an error of it there. A
//! refusal is rare and may come from anywhere, and whoever meets it has nothing to do but to give up: so the functions in
//! between need no results of their own, only the order that any panic asks of them. Nothing is printed, since nothing is
//! wrong. Arrays that no input makes large, a few kilobytes, are ordinary vectors.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, Hash};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use bytemuck::Zeroable;
use bytemuck::allocation::try_zeroed_vec;

/// The machine has no room for so many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the machine has no memory for {0} more bytes")]
pub struct OutOfMemory(pub usize);

/// What `f` returns, or what it could not get. Other panics go on.
#[inline(always)]
pub fn guard<R>(f: impl FnOnce() -> R) -> Result<R, OutOfMemory> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|payload| match payload.downcast::<OutOfMemory>() {
        Ok(refused) => *refused,
        Err(panic) => resume_unwind(panic),
    })
}

/// Gives up a call for want of so many bytes.
#[cold]
#[inline(never)]
fn refuse(bytes: usize) -> ! {
    resume_unwind(Box::new(OutOfMemory(bytes)))
}

/// Whether the machine has room for so many bytes, found out by asking for them and giving them
/// back. For what consists of many parts, and is better not begun.
pub fn probe(bytes: usize) -> Result<(), OutOfMemory> {
    let mut probe: Vec<u8> = Vec::new();
    let result = probe.try_reserve_exact(bytes);
    std::hint::black_box(&mut probe);
    result.map_err(|_| OutOfMemory(bytes))
}

fn bytes<T>(count: usize) -> usize {
    count.saturating_mul(size_of::<T>())
}

/// An empty vector with room for so many elements.
pub fn with_room<T>(count: usize) -> Vec<T> {
    let mut v = Vec::new();
    if v.try_reserve_exact(count).is_err() {
        refuse(bytes::<T>(count));
    }
    v
}

/// So many zeros, which take no memory until they are touched.
pub fn zeroed<T: Zeroable>(count: usize) -> Vec<T> {
    try_zeroed_vec(count).unwrap_or_else(|()| refuse(bytes::<T>(count)))
}

/// `vec![value; count]`.
pub fn filled<T: Clone>(value: T, count: usize) -> Vec<T> {
    let mut v = with_room(count);
    v.resize(count, value);
    v
}

/// A vector of a slice's elements.
pub fn copy_of<T: Clone>(elements: &[T]) -> Vec<T> {
    let mut v = with_room(elements.len());
    v.extend_from_slice(elements);
    v
}

/// So many copies of a slice, one after the other.
pub fn repeated<T: Copy>(elements: &[T], count: usize) -> Vec<T> {
    let mut v = with_room(elements.len().saturating_mul(count));
    for _ in 0..count {
        v.extend_from_slice(elements);
    }
    v
}

/// Vectors that grow with what input asks for: each method is that of [`Vec`] without the prefix.
pub trait Grow<T> {
    /// [`Vec::reserve`].
    fn grow_reserve(&mut self, more: usize);
    /// [`Vec::reserve_exact`].
    fn grow_reserve_exact(&mut self, more: usize);
    /// [`Vec::push`].
    fn grow_push(&mut self, element: T);
    /// [`Vec::extend`].
    fn grow_extend(&mut self, elements: impl IntoIterator<Item = T>);
    /// [`Vec::extend_from_slice`].
    fn grow_extend_from_slice(&mut self, elements: &[T])
    where
        T: Clone;
    /// [`Vec::extend_from_within`].
    fn grow_extend_from_within(&mut self, range: Range<usize>)
    where
        T: Clone;
    /// [`Vec::resize`].
    fn grow_resize(&mut self, count: usize, value: T)
    where
        T: Clone;
    /// [`Vec::clone_from`](Clone::clone_from).
    fn grow_clone_from(&mut self, elements: &[T])
    where
        T: Clone;
}

impl<T> Grow<T> for Vec<T> {
    #[inline(always)]
    fn grow_reserve(&mut self, more: usize) {
        if more > self.capacity() - self.len() {
            make_room(self, more);
        }
    }

    fn grow_reserve_exact(&mut self, more: usize) {
        if self.try_reserve_exact(more).is_err() {
            refuse(bytes::<T>(more));
        }
    }

    #[inline(always)]
    fn grow_push(&mut self, element: T) {
        if self.len() == self.capacity() {
            make_room(self, 1);
        }
        self.push(element);
    }

    #[inline(always)]
    fn grow_extend(&mut self, elements: impl IntoIterator<Item = T>) {
        let elements = elements.into_iter();
        let (least, most) = elements.size_hint();
        self.grow_reserve(least);
        if most == Some(least) {
            self.extend(elements);
        } else {
            elements.for_each(|element| self.grow_push(element));
        }
    }

    #[inline(always)]
    fn grow_extend_from_slice(&mut self, elements: &[T])
    where
        T: Clone,
    {
        self.grow_reserve(elements.len());
        self.extend_from_slice(elements);
    }

    #[inline(always)]
    fn grow_extend_from_within(&mut self, range: Range<usize>)
    where
        T: Clone,
    {
        self.grow_reserve(range.len());
        self.extend_from_within(range);
    }

    #[inline(always)]
    fn grow_resize(&mut self, count: usize, value: T)
    where
        T: Clone,
    {
        self.grow_reserve(count.saturating_sub(self.len()));
        self.resize(count, value);
    }

    #[inline(always)]
    fn grow_clone_from(&mut self, elements: &[T])
    where
        T: Clone,
    {
        self.clear();
        self.grow_extend_from_slice(elements);
    }
}

#[cold]
#[inline(never)]
fn make_room<T>(v: &mut Vec<T>, more: usize) {
    // Where there is no room for a share of those that may follow, there may be for these.
    if v.try_reserve(more).is_err() && v.try_reserve_exact(more).is_err() {
        refuse(bytes::<T>(more));
    }
}

/// Iterators over as much as input asks for.
pub trait Gather: Iterator + Sized {
    /// [`Iterator::collect`] into a vector.
    #[inline]
    fn gather(self) -> Vec<Self::Item> {
        let mut v = Vec::new();
        v.grow_extend(self);
        v
    }

    /// [`Iterator::collect`] into an optional vector.
    #[inline]
    fn gather_some<T>(self) -> Option<Vec<T>>
    where
        Self: Iterator<Item = Option<T>>,
    {
        let mut v = Vec::new();
        v.grow_reserve(self.size_hint().0);
        for element in self {
            v.grow_push(element?);
        }
        Some(v)
    }

    /// [`Iterator::collect`] into a vector, up to the first error.
    #[inline]
    fn gather_ok<T, E>(self) -> Result<Vec<T>, E>
    where
        Self: Iterator<Item = Result<T, E>>,
    {
        let mut v = Vec::new();
        v.grow_reserve(self.size_hint().0);
        for element in self {
            v.grow_push(element?);
        }
        Ok(v)
    }

    /// [`Iterator::collect`] into a map.
    fn gather_map<K: Eq + Hash, V>(self) -> HashMap<K, V>
    where
        Self: Iterator<Item = (K, V)>,
    {
        let mut map = map_with_room(self.size_hint().0);
        for (key, value) in self {
            insert(&mut map, key, value);
        }
        map
    }
}

impl<I: Iterator> Gather for I {}

/// [`VecDeque::push_back`].
pub fn push_back<T>(queue: &mut VecDeque<T>, element: T) {
    if queue.len() == queue.capacity() && queue.try_reserve(1).is_err() {
        refuse(bytes::<T>(1));
    }
    queue.push_back(element);
}

/// An empty map with room for so many entries.
pub fn map_with_room<K: Eq + Hash, V, S: BuildHasher + Default>(count: usize) -> HashMap<K, V, S> {
    let mut map = HashMap::default();
    reserve_entries(&mut map, count);
    map
}

/// [`HashMap::insert`].
pub fn insert<K: Eq + Hash, V, S: BuildHasher>(
    map: &mut HashMap<K, V, S>,
    key: K,
    value: V,
) -> Option<V> {
    reserve_entries(map, 1);
    map.insert(key, value)
}

/// [`HashMap::reserve`].
pub fn reserve_entries<K: Eq + Hash, V, S: BuildHasher>(map: &mut HashMap<K, V, S>, more: usize) {
    if map.capacity() - map.len() < more && map.try_reserve(more).is_err() {
        refuse(bytes::<(K, V)>(more));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_has_is_an_error() {
        let words = usize::MAX / 8;
        let refused = Err(OutOfMemory(words * 8));
        assert_eq!(probe(usize::MAX / 4), Err(OutOfMemory(usize::MAX / 4)));
        assert_eq!(guard(|| filled(1u64, words)), refused);
        assert_eq!(guard(|| zeroed::<u64>(words)), refused);
        assert_eq!(guard(|| repeated(&[1u64], words)), refused);
        assert_eq!(guard(|| std::iter::repeat_n(1u64, words).gather()), refused);
        let mut v = vec![1u64, 2];
        assert!(guard(|| v.grow_resize(words, 0)).is_err());
        assert!(guard(|| v.grow_reserve(usize::MAX)).is_err());
        assert!(guard(|| v.grow_extend(std::iter::repeat_n(1, words))).is_err());
        assert_eq!(v, [1, 2], "as it was");
        let mut map = HashMap::from([(1, 2)]);
        assert!(guard(|| reserve_entries(&mut map, usize::MAX)).is_err());
        assert_eq!(map.len(), 1);
        assert_eq!(probe(1 << 10), Ok(()));
    }

    #[test]
    fn what_there_is_room_for_is_as_usual() {
        assert_eq!(guard(|| filled(7u8, 3)), Ok(vec![7; 3]));
        assert_eq!(guard(|| zeroed(3)), Ok(vec![0.0; 3]));
        assert_eq!(repeated(&[1, 2], 2), [1, 2, 1, 2]);
        let mut v = (0..10).filter(|k| k % 2 == 1).gather();
        assert_eq!(v, [1, 3, 5, 7, 9]);
        v.grow_extend(0..2);
        v.grow_reserve_exact(1);
        v.grow_push(8);
        v.grow_extend_from_slice(&[4, 4]);
        v.grow_extend_from_within(0..1);
        assert_eq!(v, [1, 3, 5, 7, 9, 0, 1, 8, 4, 4, 1]);
        v.grow_resize(2, 0);
        assert_eq!(copy_of(&v), [1, 3]);
        v.grow_clone_from(&[2; 3]);
        assert_eq!(v, [2; 3]);
        assert_eq!([Some(1), Some(2)].into_iter().gather_some(), Some(vec![1, 2]));
        assert_eq!([Some(1), None].into_iter().gather_some(), None);
        assert_eq!([Ok(1), Err("no")].into_iter().gather_ok(), Err("no"));
        assert_eq!([Ok::<_, ()>(1)].into_iter().gather_ok(), Ok(vec![1]));
        assert_eq!([(1, 2)].into_iter().gather_map(), HashMap::from([(1, 2)]));
        let mut queue = VecDeque::new();
        push_back(&mut queue, 3);
        assert_eq!(queue, [3]);
        let mut map: HashMap<i32, i32> = map_with_room(10);
        assert!(map.capacity() >= 10);
        assert_eq!((insert(&mut map, 1, 2), insert(&mut map, 1, 3)), (None, Some(2)));
    }

    #[test]
    fn other_panics_go_on() {
        let panic = catch_unwind(|| guard(|| resume_unwind(Box::new("a defect"))));
        assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"a defect"));
    }
}
