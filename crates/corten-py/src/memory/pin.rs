//! Buffers that are not freed while somebody looks at them.
//!
//! A [`Pin`] names the start of a heap buffer. When Rust frees or moves a pinned buffer, for
//! instance because a `Vec` grows, the [`Allocator`] keeps the old memory as it is and frees it
//! with the last pin. Views that hold a pin therefore never dangle, whatever the engine does with
//! the array they were made of: they then show the values of the time before the move.
//!
//! Pins are kept in a table of buckets by address. Freeing memory costs one look at a counter
//! unless the bucket of that address is in use; nothing is looked up while simulating, since
//! stepping neither allocates nor frees.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A pinned buffer, in the list of its bucket.
struct Node {
    start: usize,
    /// Number of pins.
    pins: usize,
    /// The layout under which the owner of the buffer has freed it.
    retired: Option<Layout>,
    next: *mut Node,
}

struct Bucket {
    /// Length of the list.
    count: AtomicUsize,
    list: Mutex<List>,
}

struct List(*mut Node);

// SAFETY: nodes are reached through the lock of their bucket only.
unsafe impl Send for List {}

/// A power of two; few simulations have as many arrays in view.
const BUCKETS: usize = 1024;

static TABLE: [Bucket; BUCKETS] =
    [const { Bucket { count: AtomicUsize::new(0), list: Mutex::new(List(ptr::null_mut())) } };
        BUCKETS];

fn bucket(start: usize) -> &'static Bucket {
    // Buffers are at least 16 bytes apart, large ones a page: mix both.
    &TABLE[((start >> 4) ^ (start >> 12) ^ (start >> 20)) % BUCKETS]
}

impl Bucket {
    fn lock(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Marks the buffer as freed by its owner, if it is pinned.
    fn retire(&self, start: usize, layout: Layout) -> bool {
        if self.count.load(Ordering::Acquire) == 0 {
            return false;
        }
        match self.lock().find(start) {
            Some(node) => {
                node.retired = Some(layout);
                true
            }
            None => false,
        }
    }

    fn is_pinned(&self, start: usize) -> bool {
        self.count.load(Ordering::Acquire) != 0 && self.lock().find(start).is_some()
    }
}

impl List {
    fn find(&mut self, start: usize) -> Option<&mut Node> {
        let mut at = self.0;
        while !at.is_null() {
            // SAFETY: nodes in the list are alive, and only reached under the lock, which the
            // exclusive reference to the list stands for.
            let node = unsafe { &mut *at };
            if node.start == start {
                return Some(node);
            }
            at = node.next;
        }
        None
    }

    /// Takes a node out of the list.
    fn unlink(&mut self, start: usize) -> Option<Box<Node>> {
        let mut link: *mut *mut Node = &mut self.0;
        // SAFETY: as in `find`; every node was made by `Box::into_raw` and leaves the list here.
        unsafe {
            while !(*link).is_null() {
                let node = *link;
                if (*node).start == start {
                    *link = (*node).next;
                    return Some(Box::from_raw(node));
                }
                link = &mut (*node).next;
            }
        }
        None
    }
}

/// Keeps the buffer at one address from being freed.
#[derive(Debug)]
pub struct Pin(usize);

impl Pin {
    /// Pins the buffer that starts here: call it while the buffer cannot be freed.
    pub fn new(start: *const u8) -> Pin {
        let start = start as usize;
        let bucket = bucket(start);
        // Memory is requested outside of the lock, which the allocator takes.
        let fresh = Box::new(Node { start, pins: 1, retired: None, next: ptr::null_mut() });
        let mut list = bucket.lock();
        let unused = match list.find(start) {
            Some(node) => {
                node.pins += 1;
                Some(fresh)
            }
            None => {
                let node = Box::into_raw(fresh);
                // SAFETY: just made, and not shared yet.
                unsafe { (*node).next = list.0 };
                list.0 = node;
                bucket.count.fetch_add(1, Ordering::Release);
                None
            }
        };
        drop(list);
        drop(unused);
        Pin(start)
    }
}

impl Drop for Pin {
    fn drop(&mut self) {
        let bucket = bucket(self.0);
        let mut list = bucket.lock();
        let last = match list.find(self.0) {
            Some(node) => {
                node.pins -= 1;
                node.pins == 0
            }
            None => false,
        };
        let node = if last { list.unlink(self.0) } else { None };
        if node.is_some() {
            bucket.count.fetch_sub(1, Ordering::Release);
        }
        drop(list);
        if let Some(layout) = node.and_then(|n| n.retired) {
            // SAFETY: the owner freed this block with this layout, and `retire` kept it from the
            // system's allocator; no pin is left.
            unsafe { System.dealloc(self.0 as *mut u8, layout) }
        }
    }
}

/// The system's allocator, which leaves pinned buffers alone.
pub struct Allocator;

// SAFETY: memory comes from the system's allocator and goes back to it once, when its owner has
// freed it and no pin is left; to keep memory for longer is always sound.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let address = start as usize;
        if !bucket(address).is_pinned(address) {
            // SAFETY: the caller's contract.
            return unsafe { System.realloc(start, layout, size) };
        }
        // SAFETY: the caller's contract makes the new layout valid; the blocks do not overlap,
        // and both are at least as long as what is copied.
        unsafe {
            let new = System.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !new.is_null() {
                ptr::copy_nonoverlapping(start, new, layout.size().min(size));
                self.dealloc(start, layout);
            }
            new
        }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        let address = start as usize;
        if !bucket(address).retire(address, layout) {
            // SAFETY: the caller's contract.
            unsafe { System.dealloc(start, layout) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_leaves_the_pinned_buffer_alone() {
        let mut values = vec![1.5f64; 64];
        let old = values.as_ptr();
        let (first, second) = (Pin::new(old.cast()), Pin::new(old.cast()));
        values.resize(1 << 16, 2.5);
        assert_ne!(values.as_ptr(), old);
        drop(values);
        drop(first);
        // SAFETY: the second pin keeps the buffer.
        assert!(unsafe { std::slice::from_raw_parts(old, 64) }.iter().all(|&x| x == 1.5));
        assert!(bucket(old as usize).is_pinned(old as usize));
        drop(second);
        assert!(!bucket(old as usize).is_pinned(old as usize));
    }

    #[test]
    fn unpinned_memory_is_not_kept() {
        let values = vec![0u8; 100];
        let start = values.as_ptr() as usize;
        drop(Pin::new(values.as_ptr()));
        drop(values);
        assert!(!bucket(start).is_pinned(start));
    }

    #[test]
    fn threads_pin_and_free_at_once() {
        std::thread::scope(|scope| {
            for t in 0..4u64 {
                scope.spawn(move || {
                    for i in 0..2000 {
                        let mut values = vec![t * 10_000 + i; 32];
                        let start = values.as_ptr();
                        let pin = Pin::new(start.cast());
                        values.reserve(1000);
                        drop(values);
                        // SAFETY: pinned.
                        let seen = unsafe { std::slice::from_raw_parts(start, 32) };
                        assert!(seen.iter().all(|&x| x == t * 10_000 + i));
                        drop(pin);
                    }
                });
            }
        });
    }
}
