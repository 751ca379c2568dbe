//! What follows from the model alone: the pieces of all paths, and which degrees of freedom can
//! move a tendon, the sparsity of `ten_J`.
//!
//! Where a tendon does not touch a geom on its way, a part of its row is in use. Memory is
//! proportional to the dofs above the bodies involved.

use corten_math::memory::Grow;
use corten_model::ModelArrays;

use super::legs::{Batch, RunIndex};
use super::path::{self, Leg, Piece, Pull};
use crate::chain;
use crate::prepared::span::Span;
use crate::prepared::structure::Structure;
use crate::stage::constraint::is_sparse;

/// Paths, and compressed rows over degrees of freedom, ascending within a row: all that can ever
/// be nonzero.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Pattern {
    pub rowadr: Vec<i32>,
    pub colind: Vec<i32>,
    /// How many columns each row has.
    pub rownnz: Vec<i32>,
    /// Of all spatial tendons, and the same by kind.
    pub pieces: Vec<Piece>,
    pub batches: Vec<Batch>,
    pub pulls: Vec<Pull>,
    /// Slots of dofs that carry pieces of string along.
    pub carried: Vec<u32>,
    /// Of all fixed tendons.
    pub summands: Vec<Summand>,
    /// One per tendon.
    pub parts: Vec<Parts>,
    /// Whether rows have entries for dofs that carry the string along.
    sparse: bool,
}

/// A joint of a fixed tendon: the address of its position, its place among the entries of all rows,
/// and the entry of the path that holds its coefficient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Summand {
    pub qpos: u32,
    pub slot: u32,
    pub entry: u32,
}

/// What belongs to a tendon.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Parts {
    /// The columns of its row that can be nonzero.
    pub columns: Span,
    /// The path of a spatial tendon, and what it pulls at.
    pub pieces: Span,
    pub pulls: Span,
    /// The terms of a fixed tendon.
    pub summands: Span,
}

/// Each number once, in ascending order.
fn ascending(numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The place of a dof among the columns of a row.
fn place(columns: &[u32], dof: u32) -> u32 {
    columns.binary_search(&dof).unwrap_or(0) as u32
}

/// A straight piece of string between two bodies.
struct Straight {
    /// Which of the leg's pieces, and which of its points it joins.
    piece: u32,
    points: [u32; 2],
    bodies: [usize; 2],
    /// It is there if the leg touches the obstacle, or if it does not.
    when: f64,
}

/// The row of a spatial tendon while its pulls are collected.
struct RowOfPulls<'a> {
    structure: &'a Structure,
    pattern: &'a mut Pattern,
    /// All that occur; slots are dofs until the end.
    dofs: Vec<u32>,
    /// The first pull and the first carried dof of the row.
    first: [usize; 2],
}

impl<'a> RowOfPulls<'a> {
    fn new(structure: &'a Structure, pattern: &'a mut Pattern) -> RowOfPulls<'a> {
        let first = [pattern.pulls.len(), pattern.carried.len()];
        RowOfPulls { structure, pattern, dofs: Vec::new(), first }
    }

    /// Adds the pulls of a piece of string, if it moves something.
    fn add(&mut self, place: RunIndex, straight: &Straight) {
        let Straight { piece, points, bodies, when } = *straight;
        if bodies[0] == bodies[1] {
            return;
        }
        let [both, first, second] = self.structure.branches(bodies);
        let mut carried = self.add_carried(if self.pattern.sparse { both } else { &[] });
        for (k, dofs) in [first, second].into_iter().enumerate() {
            self.dofs.extend(dofs);
            let mut runs = dofs.chunk_by(|a, b| a + 1 == *b).peekable();
            // Dofs that are carried along need a pull, be it of no other.
            let none = (runs.peek().is_none() && !carried.is_empty()).then_some(&[][..]);
            for run in runs.chain(none) {
                let dof = run.first().copied().unwrap_or(0);
                self.pattern.pulls.grow_push(Pull {
                    point: place.of_point(points[k]),
                    force: place.of_force(piece),
                    touch: place.of_touch(),
                    when,
                    sign: if k == 0 { -1.0 } else { 1.0 },
                    root: self.structure.bodies[bodies[k]].root,
                    count: run.len() as u32,
                    dof,
                    slot: dof,
                    carried: std::mem::take(&mut carried),
                });
            }
        }
    }

    fn add_carried(&mut self, dofs: &[u32]) -> Span {
        let start = self.pattern.carried.len();
        self.pattern.carried.extend(dofs);
        self.dofs.extend(dofs);
        Span::new(start..self.pattern.carried.len())
    }

    fn finish(self) {
        let columns = ascending(self.dofs.into_iter());
        let start = self.pattern.colind.len() as u32;
        let [pulls, carried] = self.first;
        for pull in &mut self.pattern.pulls[pulls..] {
            pull.slot = start + place(&columns, pull.dof);
        }
        for slot in &mut self.pattern.carried[carried..] {
            *slot = start + place(&columns, *slot);
        }
        self.pattern.colind.extend(columns.iter().map(|&dof| dof as i32));
    }
}

impl Pattern {
    pub fn new(m: &ModelArrays, structure: &Structure) -> Pattern {
        if m.ntendon == 0 {
            return Pattern::default();
        }
        let mut pattern = Pattern { sparse: is_sparse(m), ..Pattern::default() };
        for tendon in 0..m.ntendon {
            let start = pattern.pieces.len();
            if !path::is_fixed(m, tendon) {
                pattern.pieces.grow_extend(path::pieces(m, tendon));
            }
            let pieces = Span::new(start..pattern.pieces.len());
            pattern.parts.grow_push(Parts { pieces, ..Parts::default() });
        }
        pattern.batches = Batch::all(&mut pattern);
        for tendon in 0..m.ntendon {
            let [columns, pulls, summands] = pattern.lengths();
            if path::is_fixed(m, tendon) {
                pattern.add_fixed(m, tendon);
            } else {
                pattern.add_spatial(m, structure, tendon);
            }
            let ends = pattern.lengths();
            pattern.rowadr.push(columns as i32);
            pattern.rownnz.push((ends[0] - columns) as i32);
            let parts = &mut pattern.parts[tendon];
            parts.columns = Span::new(columns..ends[0]);
            parts.pulls = Span::new(pulls..ends[1]);
            parts.summands = Span::new(summands..ends[2]);
        }
        pattern
    }

    fn lengths(&self) -> [usize; 3] {
        [self.colind.len(), self.pulls.len(), self.summands.len()]
    }

    fn add_fixed(&mut self, m: &ModelArrays, tendon: usize) {
        let joints: Vec<[usize; 3]> = path::joints(m, tendon)
            .filter_map(|(entry, joint)| {
                let qpos = chain::index(m.jnt_qposadr[joint], m.nq)?;
                Some([entry, qpos, chain::index(m.jnt_dofadr[joint], m.nv)?])
            })
            .collect();
        let columns = ascending(joints.iter().map(|&[.., dof]| dof as u32));
        self.summands.grow_extend(joints.iter().map(|&[entry, qpos, dof]| Summand {
            qpos: qpos as u32,
            slot: self.colind.len() as u32 + place(&columns, dof as u32),
            entry: entry as u32,
        }));
        self.colind.extend(columns.iter().map(|&dof| dof as i32));
    }

    fn add_spatial(&mut self, m: &ModelArrays, structure: &Structure, tendon: usize) {
        const TOUCHES: f64 = 1.0;
        let pieces = self.pieces[self.parts[tendon].pieces.range()].to_vec();
        let mut row = RowOfPulls::new(structure, self);
        for piece in pieces {
            let Piece::Leg(Leg { sites, around, place, .. }) = piece else { continue };
            let [start, end] = sites.map(|site| m.site_bodyid[site] as usize);
            let (points, bodies) = ([0, 3], [start, end]);
            row.add(place, &Straight { piece: 0, points, bodies, when: 0.0 });
            if let Some(around) = around {
                let geom = m.geom_bodyid[around.geom] as usize;
                for (piece, points, bodies) in
                    [(0, [0, 1], [start, geom]), (1, [2, 3], [geom, end])]
                {
                    row.add(place, &Straight { piece, points, bodies, when: TOUCHES });
                }
            }
        }
        row.finish();
    }

    /// All legs, each with its tendon.
    pub fn legs(&mut self) -> impl Iterator<Item = (u32, &mut Leg)> {
        let mut tendon = 0;
        let parts = &self.parts;
        self.pieces.iter_mut().enumerate().filter_map(move |(at, piece)| {
            while parts.get(tendon).is_some_and(|parts| at >= parts.pieces.end()) {
                tendon += 1;
            }
            match piece {
                Piece::Leg(leg) => Some((tendon as u32, leg)),
                Piece::Pulley => None,
            }
        })
    }
}
