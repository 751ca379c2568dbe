//! The mass matrix of a small problem, in tiles: the lower triangle, row by row.

use super::super::problem::Inertia;
use super::columns::{ROWS, before};
use super::tile::{LANES, Tile, ZERO};
use crate::data::growth::fit;

/// The tiles, diagonal ones in full; where the numbers of the mass matrix go is remembered.
#[derive(Clone, Debug, Default)]
pub struct Mass {
    pub tiles: Vec<Tile>,
    /// Tiles left of the diagonal that can differ from zero.
    pub own: [u32; ROWS],
    /// Where the numbers go: fours of entries, and the rest one by one. For these degrees of
    /// freedom of a problem that is a part, and this number of them.
    fours: Vec<[u32; 2]>,
    ones: Vec<[u32; 2]>,
    dofs: Vec<i32>,
    copied: usize,
}

/// First tile of a row.
#[inline(always)]
pub fn row(t: usize) -> usize {
    t * (t + 1) / 2
}

impl Mass {
    /// Takes over the mass matrix of `n` degrees of freedom, in `size` rows of tiles. Returns whether
    /// they are those of the last time.
    #[inline(always)]
    pub fn load(&mut self, n: usize, size: usize, inertia: &Inertia<'_>) -> bool {
        fit(&mut self.tiles, row(size));
        let dofs = inertia.dofs.unwrap_or_default();
        let known = self.copied == n && self.dofs == dofs;
        if !known {
            self.dofs.clear();
            self.dofs.extend_from_slice(dofs);
            self.copied = n;
            self.place(n, size, inertia);
        }
        let entries = self.tiles.as_flattened_mut().as_flattened_mut();
        for &[from, to] in &self.fours {
            let (from, to) = (from as usize, to as usize);
            entries[to..to + LANES].copy_from_slice(&inertia.matrix[from..from + LANES]);
        }
        for &[from, to] in &self.ones {
            entries[to as usize] = inertia.matrix[from as usize];
        }
        for t in 0..size {
            let tile = &mut self.tiles[row(t) + t];
            for k in 1..LANES {
                for i in 0..k {
                    tile[i][k] = tile[k][i];
                }
            }
        }
        known
    }

    /// Finds where the numbers of the mass matrix go.
    #[inline(always)]
    fn place(&mut self, n: usize, size: usize, inertia: &Inertia<'_>) {
        let Mass { tiles, own, fours, ones, .. } = self;
        tiles.fill(ZERO);
        own[..size].fill(0);
        fours.clear();
        ones.clear();
        for (first, piece) in inertia.pieces(n) {
            let shift = first - piece.start;
            for i in piece {
                let (t, k) = (i / LANES, i % LANES);
                let line = ((row(t) * LANES + k) * LANES) as u32;
                let columns = inertia.pattern.columns(i + shift);
                let mut from = inertia.pattern.row(i + shift).start as u32;
                let (mut at, mut set) = (0, 0);
                while let Some(&column) = columns.get(at) {
                    let (tile, lane) = ((column - shift as u32) / 4, (column - shift as u32) % 4);
                    let to = line + tile * (LANES * LANES) as u32 + lane;
                    set |= 1 << tile;
                    // Columns ascend, so the last one tells whether there are gaps. What is copied
                    // from beyond the diagonal is written over when that tile is completed.
                    let rest = columns.len() - at;
                    let last = column as usize + rest.min(LANES) - 1;
                    let four = lane == 0
                        && columns[at + rest.min(LANES) - 1] as usize == last
                        && (rest >= LANES || from as usize + LANES <= inertia.matrix.len());
                    (if four { &mut *fours } else { &mut *ones }).push([from, to]);
                    let step = if four { LANES } else { 1 };
                    at += step;
                    from += step as u32;
                }
                own[t % ROWS] |= set & before(t);
            }
        }
    }
}
