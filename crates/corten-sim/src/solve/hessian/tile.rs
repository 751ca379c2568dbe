//! Tiles of four by four numbers, and the kernels on them that both forms of the Hessian use.

use super::super::rows::MAX_RANK;
use corten_math::MIN_VAL;

/// Rows and columns of a tile.
pub const LANES: usize = 4;

/// Numbers that the processor treats together.
pub type Four = [f64; LANES];

/// Four rows of four columns.
pub type Tile = [Four; LANES];

pub const ZERO: Tile = [[0.0; LANES]; LANES];

#[derive(Clone, Copy, Debug, Default)]
pub struct Pivots {
    pub value: Four,
    pub inverse: Four,
}

/// A limit or the friction of a joint: one row with one entry.
#[derive(Clone, Copy, Debug)]
pub struct Single {
    pub row: u32,
    pub place: u32,
    pub value: f64,
}

/// Numbers of rows for which there are kernels; others take the next larger one.
pub const RANKS: [usize; 4] = [1, 3, 4, MAX_RANK];

/// Takes a row of `K` lanes out of the row of tiles above it: `target −= Lₛₜᵀ Dₛ Lₛ`, with `last`
/// the tile `Lₛₜ`. `pairs` are the numbers of the tiles that meet, in `target` and in `tiles`; with
/// `wide`, the target has more than two rows.
#[inline(always)]
pub fn subtract<const K: usize>(
    target: &mut [Tile],
    tiles: &[Tile],
    last: &Tile,
    d: &Four,
    wide: bool,
    pairs: impl Iterator<Item = (usize, usize)> + Clone,
) {
    let mut factors = ZERO;
    for k in 0..K {
        for i in 0..LANES {
            factors[k][i] = d[k] * last[k][i];
        }
    }
    // Two rows at a time, whose factors fit into the registers.
    for (to, from) in pairs.clone() {
        subtract_tile::<K, 0>(&mut target[to], &tiles[from], &factors);
    }
    if wide {
        for (to, from) in pairs {
            subtract_tile::<K, 2>(&mut target[to], &tiles[from], &factors);
        }
    }
}

#[inline(always)]
fn subtract_tile<const K: usize, const FIRST: usize>(to: &mut Tile, tile: &Tile, factors: &Tile) {
    let [mut a, mut b] = [to[FIRST], to[FIRST + 1]];
    for k in 0..K {
        for i in 0..LANES {
            a[i] -= factors[k][FIRST] * tile[k][i];
            b[i] -= factors[k][FIRST + 1] * tile[k][i];
        }
    }
    [to[FIRST], to[FIRST + 1]] = [a, b];
}

/// Factors the diagonal tile of a row with `N` lanes, the last of its tiles, and divides the given
/// others by it. Returns how many pivots were raised.
#[inline(always)]
pub fn finish<const N: usize>(
    row: &mut [Tile],
    pivots: &mut Pivots,
    others: impl Iterator<Item = usize>,
) -> usize {
    let [left @ .., diagonal] = row else { return 0 };
    let mut raised = 0;
    let mut a: [[f64; N]; N] = std::array::from_fn(|k| std::array::from_fn(|i| diagonal[k][i]));
    let mut l = [[0.0; N]; N];
    let mut inverse = [0.0; N];
    for k in (0..N).rev() {
        let mut pivot = a[k][k];
        if !(pivot >= MIN_VAL) {
            pivot = MIN_VAL;
            raised += 1;
        }
        inverse[k] = 1.0 / pivot;
        pivots.value[k] = pivot;
        pivots.inverse[k] = inverse[k];
        for i in 0..k {
            l[k][i] = a[k][i] * inverse[k];
            for j in 0..=i {
                a[i][j] -= l[k][i] * a[k][j];
            }
        }
    }
    for k in 0..N {
        diagonal[k] = std::array::from_fn(|i| if i < k { l[k][i] } else { 0.0 });
    }
    for other in others {
        let tile = &mut left[other];
        for k in (0..N).rev() {
            for m in k + 1..N {
                for i in 0..LANES {
                    tile[k][i] -= l[m][k] * tile[m][i];
                }
            }
        }
        for k in 0..N {
            for i in 0..LANES {
                tile[k][i] *= inverse[k];
            }
        }
    }
    raised
}

/// The products of the rows of a block with `x`, in four sums each.
#[inline(always)]
pub fn dot_block<const R: usize>(
    from: &[Four],
    tiles: impl Iterator<Item = usize>,
    x: &[Four],
    to: &mut [Four],
) {
    let mut sums = [[0.0; LANES]; R];
    for (tile, row) in tiles.zip(from.as_chunks::<R>().0) {
        let x = x[tile];
        for r in 0..R {
            for k in 0..LANES {
                sums[r][k] += row[r][k] * x[k];
            }
        }
    }
    if let Some(to) = to.first_chunk_mut::<R>() {
        *to = sums;
    }
}

/// Adds the forces of the constraint rows of a block.
#[inline(always)]
pub fn add_block_force<const R: usize>(
    from: &[Four],
    tiles: impl Iterator<Item = usize>,
    sums: &mut [Four],
    forces: &[f64; R],
) {
    for (tile, row) in tiles.zip(from.as_chunks::<R>().0) {
        let sum = &mut sums[tile];
        for r in 0..R {
            for k in 0..LANES {
                sum[k] += row[r][k] * forces[r];
            }
        }
    }
}

/// `H += Jᵀ W J` for one block of at most `R` rows in `n` tiles. The product of its tiles `i` and
/// `j ≤ i` belongs to `target(i, j)`.
#[inline(always)]
pub fn add_block<const R: usize>(
    matrix: &mut [Tile],
    from: &[Four],
    weighted: &mut [Four],
    n: usize,
    w: &[[f64; R]; R],
    target: impl Fn(usize, usize) -> usize,
) {
    let (plain, weighted) =
        (&from.as_chunks::<R>().0[..n], &mut weighted.as_chunks_mut::<R>().0[..n]);
    for (i, v) in plain.iter().enumerate() {
        for r in 0..R {
            let mut sum = [0.0; LANES];
            for q in 0..R {
                for k in 0..LANES {
                    sum[k] += w[r][q] * v[q][k];
                }
            }
            weighted[i][r] = sum;
        }
        for (j, weighted) in weighted[..=i].iter().enumerate() {
            let tile = &mut matrix[target(i, j)];
            for lane in 0..LANES {
                let mut sum = tile[lane];
                for r in 0..R {
                    for k in 0..LANES {
                        sum[k] += v[r][lane] * weighted[r][k];
                    }
                }
                tile[lane] = sum;
            }
        }
    }
}
