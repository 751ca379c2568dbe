//! What depends on the model alone, made once and shared by all data that use it.

use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Models in use at the same time whose data find each other's values.
const REMEMBERED: usize = 16;

/// The values in use. They are found by what they hold, so that models that are equal in what
/// matters share them, and a model that was changed does not.
#[derive(Debug)]
pub(crate) struct Shared<T>(Mutex<Vec<Weak<T>>>);

impl<T> Shared<T> {
    pub const fn new() -> Shared<T> {
        Shared(Mutex::new(Vec::new()))
    }

    /// A value in use that fits, or else a new one. Threads wait for each other meanwhile, so
    /// that no two make the same.
    pub fn find(&self, fits: impl Fn(&T) -> bool, make: impl FnOnce() -> T) -> Arc<T> {
        let mut in_use = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        in_use.retain(|old| old.strong_count() > 0);
        if let Some(old) = in_use.iter().filter_map(Weak::upgrade).find(|old| fits(old)) {
            return old;
        }
        let new = Arc::new(make());
        in_use.truncate(REMEMBERED - 1);
        in_use.insert(0, Arc::downgrade(&new));
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shared_while_in_use() {
        static NUMBERS: Shared<usize> = Shared::new();
        let find = |n: usize| NUMBERS.find(|&old| old == n, || n);
        let (a, b) = (find(1), find(2));
        assert!(Arc::ptr_eq(&a, &find(1)) && Arc::ptr_eq(&b, &find(2)) && !Arc::ptr_eq(&a, &b));
        let gone = Arc::downgrade(&b);
        drop(b);
        assert!(gone.upgrade().is_none());
        // Beyond the limit the oldest is forgotten, not lost to those who have it.
        let all: Vec<_> = (10..10 + REMEMBERED).map(find).collect();
        assert!(!Arc::ptr_eq(&a, &find(1)));
        assert!(Arc::ptr_eq(&all[REMEMBERED - 1], &find(9 + REMEMBERED)));
    }
}
