//! What each fuzz target does with its input; the engine's tests run the same functions on the
//! kept inputs (`seeds/`, `regressions/`), so that a finding stays fixed.

mod readers;

pub use readers::*;
