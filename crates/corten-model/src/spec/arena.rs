//! Storage with handles that stay valid: a key is never reused, so a stale key finds nothing
//! rather than a stranger.

use corten_math::memory::Grow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// Handle to an element of an [`Arena`].
pub struct Key<T> {
    index: u32,
    marker: PhantomData<fn() -> T>,
}

impl<T> Key<T> {
    pub(crate) const fn new(index: u32) -> Key<T> {
        Key { index, marker: PhantomData }
    }

    /// Position in the order of insertion; unique within the arena.
    #[inline]
    pub const fn index(self) -> usize {
        self.index as usize
    }
}

impl<T> Clone for Key<T> {
    fn clone(&self) -> Key<T> {
        *self
    }
}
impl<T> Copy for Key<T> {}
impl<T> PartialEq for Key<T> {
    fn eq(&self, other: &Key<T>) -> bool {
        self.index == other.index
    }
}
impl<T> Eq for Key<T> {}
impl<T> PartialOrd for Key<T> {
    fn partial_cmp(&self, other: &Key<T>) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Key<T> {
    fn cmp(&self, other: &Key<T>) -> std::cmp::Ordering {
        self.index.cmp(&other.index)
    }
}
impl<T> Hash for Key<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.index.hash(state);
    }
}
impl<T> fmt::Debug for Key<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.index)
    }
}

/// Elements in order of insertion, addressed by [`Key`].
#[derive(Clone, Debug, PartialEq)]
pub struct Arena<T> {
    slots: Vec<Option<T>>,
    live: usize,
}

impl<T> Default for Arena<T> {
    fn default() -> Arena<T> {
        Arena { slots: Vec::new(), live: 0 }
    }
}

impl<T> Arena<T> {
    /// Appends an element. Panics beyond 2^32 elements, which no memory holds.
    pub fn insert(&mut self, value: T) -> Key<T> {
        let index = u32::try_from(self.slots.len()).expect("fewer than 2^32 elements");
        self.slots.grow_push(Some(value));
        self.live += 1;
        Key::new(index)
    }

    /// Takes an element out; its key stays dead for good.
    pub fn remove(&mut self, key: Key<T>) -> Option<T> {
        let taken = self.slots.get_mut(key.index())?.take();
        self.live -= usize::from(taken.is_some());
        taken
    }

    pub fn get(&self, key: Key<T>) -> Option<&T> {
        self.slots.get(key.index())?.as_ref()
    }

    pub fn get_mut(&mut self, key: Key<T>) -> Option<&mut T> {
        self.slots.get_mut(key.index())?.as_mut()
    }

    pub fn contains(&self, key: Key<T>) -> bool {
        self.get(key).is_some()
    }

    /// Number of live elements.
    pub fn len(&self) -> usize {
        self.live
    }

    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Number of keys ever given out; every key index is below it.
    pub fn capacity(&self) -> usize {
        self.slots.len()
    }

    /// The key of the live element at this insertion index.
    pub fn key(&self, index: usize) -> Option<Key<T>> {
        self.slots.get(index)?.as_ref().map(|_| Key::new(index as u32))
    }

    pub fn keys(&self) -> impl DoubleEndedIterator<Item = Key<T>> + '_ {
        self.iter().map(|(key, _)| key)
    }

    pub fn values(&self) -> impl DoubleEndedIterator<Item = &T> + '_ {
        self.slots.iter().flatten()
    }

    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut T> + '_ {
        self.slots.iter_mut().flatten()
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Key<T>, &T)> + '_ {
        let keyed = self.slots.iter().enumerate();
        keyed.filter_map(|(i, slot)| slot.as_ref().map(|value| (Key::new(i as u32), value)))
    }
}

impl<T> Index<Key<T>> for Arena<T> {
    type Output = T;
    fn index(&self, key: Key<T>) -> &T {
        self.get(key).expect("key of a live element")
    }
}

impl<T> IndexMut<Key<T>> for Arena<T> {
    fn index_mut(&mut self, key: Key<T>) -> &mut T {
        self.get_mut(key).expect("key of a live element")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removed_keys_are_not_reused() {
        let mut arena = Arena::default();
        let first = arena.insert('a');
        let second = arena.insert('b');
        assert_eq!(arena.remove(first), Some('a'));
        assert_eq!(arena.remove(first), None);
        let third = arena.insert('c');
        assert_ne!(third, first);
        assert_eq!(arena.get(first), None);
        assert_eq!(arena[second], 'b');
        assert_eq!(arena.len(), 2);
        assert_eq!(arena.keys().collect::<Vec<_>>(), [second, third]);
    }
}
