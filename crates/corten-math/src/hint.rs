//! What the compiler cannot know about branches.
//!
//! A step of a small model runs through most of its code once: what counts is that the common
//! path lies in one piece, without jumps.

/// Marks the branch from which it is called as rare: its code is moved out of the common path.
#[cold]
#[inline(always)]
pub fn rare() {}

/// The condition, said to be mostly false.
#[inline(always)]
pub fn rarely(condition: bool) -> bool {
    if condition {
        rare();
    }
    condition
}
