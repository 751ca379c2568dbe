//! Values that a callback may use while the engine holds their locks.

use std::cell::RefCell;

thread_local! {
    /// Address and pointer of what has been lent to callbacks on this thread, the innermost last.
    static LENT: RefCell<Vec<(usize, *mut u8)>> = const { RefCell::new(Vec::new()) };
}

/// Takes the last loan back, also when a callback panics.
struct Loan;

impl Drop for Loan {
    fn drop(&mut self) {
        LENT.with_borrow_mut(|lent| lent.pop());
    }
}

/// Runs `f` with `value`, which the caller does not use meanwhile, lent to this thread.
pub fn lend<T, R>(value: *const T, f: impl FnOnce() -> R) -> R {
    LENT.with_borrow_mut(|lent| lent.push((value as usize, value.cast_mut().cast())));
    let _loan = Loan;
    f()
}

/// The pointer under which the value at this address was lent.
pub(super) fn find(address: usize) -> Option<*mut u8> {
    LENT.with_borrow(|lent| lent.iter().rev().find(|loan| loan.0 == address).map(|loan| loan.1))
}

/// Whether this thread is inside of a callback.
pub fn is_lending() -> bool {
    LENT.with_borrow(|lent| !lent.is_empty())
}
