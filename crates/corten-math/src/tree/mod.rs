//! Matrices with the sparsity of a forest, factored without fill.

mod square;
mod symmetric;

pub use square::SquarePattern;
pub use symmetric::TreePattern;
