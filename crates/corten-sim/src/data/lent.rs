//! Working memory that keeps nothing from one use to the next: the data of a model lend it to each
//! other.
//!
//! Where a stage works on much more than it leaves behind, memory of its own for each of many
//! simulations would hold nothing but old numbers. Of what is lent there are as many as ever were
//! in use at the same time, each as large as its largest use, until the last data are gone. So a
//! step allocates nothing once every one of these has met the largest scene, not just its own data.
//! To lend takes a lock, twice, and hands memory from core to core: it is for large models only,
//! whose stages take a hundred times as long.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::shared::Shared;
use super::structure::Structure;
use crate::solve::Conjugate;
use crate::stage::collision::Search;

/// What the data of models with one structure lend to each other. Where too many models are in use
/// to remember all, new data of an old one may have a pool of their own.
#[derive(Debug, Default)]
pub(crate) struct Lent {
    structure: Arc<Structure>,
    pub search: Pool<Search>,
    pub conjugate: Pool<Conjugate>,
}

impl Lent {
    pub fn shared(structure: &Arc<Structure>) -> Arc<Lent> {
        static IN_USE: Shared<Lent> = Shared::new();
        let fits = |old: &Lent| Arc::ptr_eq(&old.structure, structure);
        IN_USE.find(fits, || Lent { structure: Arc::clone(structure), ..Lent::default() })
    }
}

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
    fn what_is_put_back_is_lent_again() {
        let pool = Pool::<Vec<i32>>::default();
        let (mut a, b) = (pool.take(), pool.take());
        a.push(1);
        pool.put(b);
        pool.put(a);
        assert_eq!(*pool.take(), [1]);
        assert!(pool.take().is_empty());
        assert!(pool.idle().is_empty());
    }

    #[test]
    fn data_of_one_structure_share() {
        let structure = || Arc::new(Structure::default());
        let (a, b) = (structure(), structure());
        let lent = Lent::shared(&a);
        assert!(Arc::ptr_eq(&lent, &Lent::shared(&a)));
        assert!(!Arc::ptr_eq(&lent, &Lent::shared(&b)));
    }
}
