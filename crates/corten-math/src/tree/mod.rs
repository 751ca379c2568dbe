//! Matrices with the sparsity of a forest, factored without fill.

mod ancestors;
mod factor;
mod pattern;
mod product;
mod solve;
mod square;

pub use ancestors::{AncestorAxes, AxisStack};
pub use factor::Factored;
pub use pattern::TreePattern;
pub use square::SquarePattern;

/// Longest row whose ancestors are kept on the stack while multiplying.
const STACK: usize = 64;

/// The length of a kernel's rows as a type. Kernels make their working memory themselves: wide loads
/// of memory that a caller clears in narrower stores would not be forwarded.
#[derive(Clone, Copy)]
struct Reach<const N: usize>;

/// Runs an expression with `$N` bound to the constant that equals `$n`, so that loops over short rows
/// unroll.
macro_rules! by_length {
    ($n:expr, $N:ident => $short:expr, _ => $long:expr) => {
        match $n {
            1 => {
                const $N: usize = 1;
                $short
            }
            2 => {
                const $N: usize = 2;
                $short
            }
            3 => {
                const $N: usize = 3;
                $short
            }
            4 => {
                const $N: usize = 4;
                $short
            }
            5 => {
                const $N: usize = 5;
                $short
            }
            6 => {
                const $N: usize = 6;
                $short
            }
            7 => {
                const $N: usize = 7;
                $short
            }
            8 => {
                const $N: usize = 8;
                $short
            }
            9 => {
                const $N: usize = 9;
                $short
            }
            10 => {
                const $N: usize = 10;
                $short
            }
            11 => {
                const $N: usize = 11;
                $short
            }
            12 => {
                const $N: usize = 12;
                $short
            }
            13 => {
                const $N: usize = 13;
                $short
            }
            14 => {
                const $N: usize = 14;
                $short
            }
            15 => {
                const $N: usize = 15;
                $short
            }
            16 => {
                const $N: usize = 16;
                $short
            }
            _ => $long,
        }
    };
}

use by_length;
