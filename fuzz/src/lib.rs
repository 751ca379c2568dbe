//! What each fuzz target does with its input; the engine's tests run the same functions on the
//! kept inputs (`seeds/`, `regressions/`), so that a finding stays fixed.

mod flex_models;
mod readers;

pub use flex_models::flex;
pub use readers::*;
