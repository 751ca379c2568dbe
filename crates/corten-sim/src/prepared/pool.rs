//! Working memory that keeps nothing from one use to the next: the data of a model take it from a
//! common pool.
//!
//! Where a stage works on much more than it leaves behind, memory of its own for each of many
//! simulations would hold nothing but old numbers. A pool holds as many values as ever were in use
//! at the same time, each as large as its largest use. So a step allocates nothing once every one
//! of these has met the largest scene, not just its own data. To take one locks a mutex, twice, and
//! hands memory from core to core: it is for large models only, whose stages take a hundred times
//! as long.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Values of one kind that nobody uses at the moment.
#[derive(Debug)]
pub(crate) struct Pool<T>(Mutex<Vec<Box<T>>>);

impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool(Mutex::default())
    }
}

impl<T: Default> Pool<T> {
    /// The value that was put back last, with whatever it holds, or a new one.
    pub fn take(&self) -> Box<T> {
        self.idle().pop().unwrap_or_default()
    }

    pub fn put(&self, value: Box<T>) {
        self.idle().push(value);
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Box<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_back_is_taken_again() {
        let pool = Pool::<Vec<i32>>::default();
        let (mut a, b) = (pool.take(), pool.take());
        a.push(1);
        pool.put(b);
        pool.put(a);
        assert_eq!(*pool.take(), [1]);
        assert!(pool.take().is_empty());
        assert!(pool.idle().is_empty());
    }
}
