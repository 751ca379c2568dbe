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
    summands: Vec<Summand>,
    ends: Vec<End>,
    source: Source,
}

/// A degree of freedom, and its place in the row of a tendon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Term {
    pub dof: u32,
    pub slot: u32,
}

/// A joint of a fixed tendon: the address of its position, its place in the row, and the entry of
/// the path that holds its coefficient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Summand {
    pub qpos: u32,
    pub slot: u32,
    pub entry: u32,
}

/// Where the parts of a tendon end, those of the next begin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct End {
    columns: u32,
    pieces: u32,
    summands: u32,
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
        let pairs = self.parameters.iter().zip(&m.wrap_prm);
        self.sparse == keeps_sparse(m)
            && self.parameters.len() == m.wrap_prm.len()
            && pairs.fold(0, |differ, (a, b)| differ | (a ^ b.to_bits())) == 0
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
fn slot(columns: &[u32], dof: u32) -> u32 {
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
    fn add(&mut self, pieces: &[Straight]) -> [u32; 2] {
        let start = self.pattern.pulls.len() as u32;
        for (piece, &Straight { bodies, points }) in pieces.iter().enumerate() {
            if bodies[0] == bodies[1] {
                continue;
            }
            let [both, first, second] = self.structure.branches(bodies);
            let carried = self.add_terms(if self.pattern.source.sparse { both } else { &[] });
            for (k, dofs) in [first, second].into_iter().enumerate() {
                let terms = self.add_terms(dofs);
                if terms[0] < terms[1] || carried[0] < carried[1] {
                    let root = self.structure.bodies[bodies[k]].root;
                    let (piece, point) = (piece as u32, points[k]);
                    let pull = Pull { point, piece, begins: k == 0, root, terms, carried };
                    self.pattern.pulls.push(pull);
                }
            }
        }
        [start, self.pattern.pulls.len() as u32]
    }

    fn add_terms(&mut self, dofs: &[u32]) -> [u32; 2] {
        let start = self.pattern.terms.len() as u32;
        self.pattern.terms.extend(dofs.iter().map(|&dof| Term { dof, slot: 0 }));
        self.dofs.extend(dofs);
        [start, self.pattern.terms.len() as u32]
    }

    fn finish(self) {
        let count = self.dofs.len();
        let columns = ascending(self.dofs.into_iter());
        let first = self.pattern.terms.len() - count;
        for term in &mut self.pattern.terms[first..] {
            term.slot = slot(&columns, term.dof);
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
            pattern.rowadr.push(pattern.colind.len() as i32);
            if path::is_fixed(m, tendon) {
                pattern.add_fixed(m, tendon);
            } else {
                pattern.add_spatial(m, structure, tendon);
            }
            pattern.ends.push(End {
                columns: pattern.colind.len() as u32,
                pieces: pattern.pieces.len() as u32,
                summands: pattern.summands.len() as u32,
            });
        }
        pattern.batches = Batch::all(&mut pattern);
        pattern
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
            slot: slot(&columns, dof as u32),
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
        let ends = &self.ends;
        self.pieces.iter_mut().enumerate().filter_map(move |(at, piece)| {
            while ends.get(tendon).is_some_and(|end| at as u32 >= end.pieces) {
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
        self.ends.len() == m.ntendon && self.source.is_of(m)
    }

    /// Whether a tendon is a linear combination of joint positions.
    #[inline]
    pub fn is_fixed(&self, tendon: usize) -> bool {
        let [start, end] = self.ends(tendon);
        start.summands < end.summands
    }

    /// The path of a spatial tendon, as a range of pieces.
    #[inline]
    pub fn path(&self, tendon: usize) -> Range<usize> {
        let [start, end] = self.ends(tendon);
        start.pieces as usize..end.pieces as usize
    }

    /// The terms of a fixed tendon.
    #[inline]
    pub fn summands(&self, tendon: usize) -> &[Summand] {
        let [start, end] = self.ends(tendon);
        &self.summands[start.summands as usize..end.summands as usize]
    }

    /// Where the columns of a tendon's row are that can be nonzero.
    #[inline]
    pub fn row(&self, tendon: usize) -> Range<usize> {
        let [start, end] = self.ends(tendon);
        start.columns as usize..end.columns as usize
    }

    #[inline]
    fn ends(&self, tendon: usize) -> [End; 2] {
        let start = if tendon > 0 { self.ends[tendon - 1] } else { End::default() };
        [start, self.ends[tendon]]
    }
}
