//! What follows from the model alone: the pieces of all paths, and which degrees of freedom can
//! move a tendon, the sparsity of `ten_J`.
//!
//! It is found once, and shared by all data of a model. Where a tendon does not touch a geom on its
//! way, a part of its row is in use. Memory is proportional to the dofs above the bodies involved.

use std::ops::Range;
use std::sync::Arc;

use corten_model::Model;

use super::keeps_sparse;
use super::legs::Batch;
use super::path::{self, Leg, Piece, Pull};
use crate::chain;
use crate::data::shared::Shared;
use crate::data::structure::Structure;

/// Paths, and compressed rows over degrees of freedom, ascending within a row: all that can ever
/// be nonzero.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Pattern {
    pub rowadr: Vec<i32>,
    pub colind: Vec<i32>,
    /// Of all spatial tendons, and the same by kind.
    pub pieces: Vec<Piece>,
    pub batches: Vec<Batch>,
    pub pulls: Vec<Pull>,
    pub terms: Vec<Term>,
    /// Of all fixed tendons.
    pub summands: Vec<Summand>,
    /// One per tendon.
    pub parts: Vec<Parts>,
    source: Source,
}

/// A degree of freedom, and its place among the entries of all rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Term {
    pub dof: u32,
    pub slot: u32,
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
    /// The path of a spatial tendon.
    pub pieces: Span,
    /// The terms of a fixed tendon.
    pub summands: Span,
}

/// A part of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    fn new(range: Range<usize>) -> Span {
        Span { start: range.start as u32, end: range.end as u32 }
    }

    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }

    #[inline(always)]
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// What a pattern is made from, to notice edits of the model.
#[derive(Clone, Debug, Default, PartialEq)]
struct Source {
    indices: [Vec<i32>; 6],
    parameters: Vec<u64>,
    /// Whether rows have entries for dofs that carry the string along.
    sparse: bool,
}

impl Source {
    fn new(m: &Model) -> Source {
        Source {
            indices: indices(m).map(<[i32]>::to_vec),
            parameters: m.wrap_prm.iter().map(|x| x.to_bits()).collect(),
            sparse: keeps_sparse(m),
        }
    }

    fn is_of(&self, m: &Model) -> bool {
        self.sparse == keeps_sparse(m)
            && self.parameters == bytemuck::cast_slice::<f64, u64>(&m.wrap_prm)
            && self.indices.iter().zip(indices(m)).all(|(a, b)| a == b)
    }
}

fn indices(m: &Model) -> [&[i32]; 6] {
    [&m.wrap_type, &m.wrap_objid, &m.tendon_adr, &m.tendon_num, &m.site_bodyid, &m.geom_bodyid]
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

/// A straight piece of string between two bodies, and which points of a leg it joins.
struct Straight {
    bodies: [usize; 2],
    points: [u32; 2],
}

/// The row of a spatial tendon while its pulls are collected.
struct RowOfPulls<'a> {
    structure: &'a Structure,
    pattern: &'a mut Pattern,
    /// All that occur; the slots of terms are found in the end.
    dofs: Vec<u32>,
}

impl RowOfPulls<'_> {
    /// Adds the pulls of some pieces of string that move something, and tells where they are.
    fn add(&mut self, pieces: &[Straight]) -> Span {
        let start = self.pattern.pulls.len();
        for (piece, &Straight { bodies, points }) in pieces.iter().enumerate() {
            if bodies[0] == bodies[1] {
                continue;
            }
            let [both, first, second] = self.structure.branches(bodies);
            let carried = self.add_terms(if self.pattern.source.sparse { both } else { &[] });
            for (k, dofs) in [first, second].into_iter().enumerate() {
                let terms = self.add_terms(dofs);
                if !terms.is_empty() || !carried.is_empty() {
                    let root = self.structure.bodies[bodies[k]].root;
                    let (piece, point) = (piece as u32, points[k]);
                    let pull = Pull { point, piece, begins: k == 0, root, terms, carried };
                    self.pattern.pulls.push(pull);
                }
            }
        }
        Span::new(start..self.pattern.pulls.len())
    }

    fn add_terms(&mut self, dofs: &[u32]) -> Span {
        let start = self.pattern.terms.len();
        self.pattern.terms.extend(dofs.iter().map(|&dof| Term { dof, slot: 0 }));
        self.dofs.extend(dofs);
        Span::new(start..self.pattern.terms.len())
    }

    fn finish(self) {
        let count = self.dofs.len();
        let columns = ascending(self.dofs.into_iter());
        let first = self.pattern.terms.len() - count;
        for term in &mut self.pattern.terms[first..] {
            term.slot = self.pattern.colind.len() as u32 + place(&columns, term.dof);
        }
        self.pattern.colind.extend(columns.iter().map(|&dof| dof as i32));
    }
}

impl Pattern {
    /// The pattern of a model: that of earlier data, if one in use is the same.
    pub fn shared(m: &Model, structure: &Structure) -> Arc<Pattern> {
        static IN_USE: Shared<Pattern> = Shared::new();
        let new = Pattern::new(m, structure);
        IN_USE.find(|old| *old == new, || new.clone())
    }

    fn new(m: &Model, structure: &Structure) -> Pattern {
        if m.ntendon == 0 {
            return Pattern::default();
        }
        let mut pattern = Pattern { source: Source::new(m), ..Pattern::default() };
        for tendon in 0..m.ntendon {
            let [columns, pieces, summands] = pattern.lengths();
            pattern.rowadr.push(columns as i32);
            if path::is_fixed(m, tendon) {
                pattern.add_fixed(m, tendon);
            } else {
                pattern.add_spatial(m, structure, tendon);
            }
            let ends = pattern.lengths();
            pattern.parts.push(Parts {
                columns: Span::new(columns..ends[0]),
                pieces: Span::new(pieces..ends[1]),
                summands: Span::new(summands..ends[2]),
            });
        }
        pattern.batches = Batch::all(&mut pattern);
        pattern
    }

    fn lengths(&self) -> [usize; 3] {
        [self.colind.len(), self.pieces.len(), self.summands.len()]
    }

    fn add_fixed(&mut self, m: &Model, tendon: usize) {
        let joints: Vec<[usize; 3]> = path::joints(m, tendon)
            .filter_map(|(entry, joint)| {
                let qpos = chain::index(m.jnt_qposadr[joint], m.nq)?;
                Some([entry, qpos, chain::index(m.jnt_dofadr[joint], m.nv)?])
            })
            .collect();
        let columns = ascending(joints.iter().map(|&[.., dof]| dof as u32));
        self.summands.extend(joints.iter().map(|&[entry, qpos, dof]| Summand {
            qpos: qpos as u32,
            slot: self.colind.len() as u32 + place(&columns, dof as u32),
            entry: entry as u32,
        }));
        self.colind.extend(columns.iter().map(|&dof| dof as i32));
    }

    fn add_spatial(&mut self, m: &Model, structure: &Structure, tendon: usize) {
        let mut pieces: Vec<Piece> = path::pieces(m, tendon).collect();
        let mut row = RowOfPulls { structure, pattern: self, dofs: Vec::new() };
        for piece in &mut pieces {
            let Piece::Leg(leg) = piece else { continue };
            let [start, end] = leg.sites.map(|site| m.site_bodyid[site] as usize);
            leg.pulls = row.add(&[Straight { bodies: [start, end], points: [0, 3] }]);
            if let Some(around) = &mut leg.around {
                let geom = m.geom_bodyid[around.geom] as usize;
                around.pulls = row.add(&[
                    Straight { bodies: [start, geom], points: [0, 1] },
                    Straight { bodies: [geom, end], points: [2, 3] },
                ]);
            }
        }
        row.finish();
        self.pieces.append(&mut pieces);
    }

    /// All legs, each with its tendon.
    pub fn legs(&mut self) -> impl Iterator<Item = (u32, &mut Leg)> {
        let mut tendon = 0;
        let parts = &self.parts;
        self.pieces.iter_mut().enumerate().filter_map(move |(at, piece)| {
            while parts.get(tendon).is_some_and(|parts| at as u32 >= parts.pieces.end) {
                tendon += 1;
            }
            match piece {
                Piece::Leg(leg) => Some((tendon as u32, leg)),
                Piece::Pulley => None,
            }
        })
    }

    /// Whether a model's tendons are still those that the pattern was made from.
    pub fn is_of(&self, m: &Model) -> bool {
        self.parts.len() == m.ntendon && self.source.is_of(m)
    }
}
