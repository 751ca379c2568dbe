//! What follows from the model alone: the pieces of all paths, and which degrees of freedom can
//! move a tendon, the sparsity of `ten_J`.
//!
//! It is found once, and shared by all data of a model. Where a tendon does not touch a geom on its
//! way, a part of its row is in use. Memory is proportional to the dofs above the bodies involved.

use std::sync::Arc;

use corten_model::Model;

use super::keeps_sparse;
use super::path::{self, Piece};
use crate::chain;
use crate::data::shared::Shared;
use crate::data::structure::Structure;

/// Paths, and compressed rows over degrees of freedom, ascending within a row: all that can ever
/// be nonzero.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Pattern {
    pub rowadr: Vec<i32>,
    pub rownnz: Vec<i32>,
    pub colind: Vec<i32>,
    pieces: Vec<Piece>,
    /// Where the pieces of each tendon end.
    ends: Vec<u32>,
    source: Source,
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

/// A row of the Jacobian while it is added up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    /// Per dof; zero and `false` between uses.
    values: Vec<f64>,
    touched: Vec<bool>,
}

impl Row {
    pub fn new(nv: usize) -> Row {
        Row { values: vec![0.0; nv], touched: vec![false; nv] }
    }

    #[inline(always)]
    pub fn add(&mut self, dof: usize, value: f64) {
        self.values[dof] += value;
        self.touched[dof] = true;
    }

    #[inline]
    pub fn set(&mut self, dof: usize, value: f64) {
        self.values[dof] = value;
        self.touched[dof] = true;
    }

    /// Moves the entries of some columns to where a matrix keeps them, and tells how many there
    /// are: those that are not zero or, if zeros are kept, those that have been touched.
    pub fn take(
        &mut self,
        columns: &[i32],
        keep_zeros: bool,
        colind: &mut [i32],
        values: &mut [f64],
    ) -> usize {
        let mut count = 0;
        for &dof in columns {
            let value = std::mem::take(&mut self.values[dof as usize]);
            let touched = std::mem::take(&mut self.touched[dof as usize]);
            (colind[count], values[count]) = (dof, value);
            count += usize::from(value != 0.0 || keep_zeros && touched);
        }
        count
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
        let mut seen = vec![usize::MAX; m.nv];
        for tendon in 0..m.ntendon {
            let start = pattern.colind.len();
            let mut visit = |dof: usize| {
                if seen[dof] != tendon {
                    seen[dof] = tendon;
                    pattern.colind.push(dof as i32);
                }
            };
            if path::is_fixed(m, tendon) {
                for (joint, _) in path::joints(m, tendon) {
                    if let Some(dof) = chain::index(m.jnt_dofadr[joint], m.nv) {
                        visit(dof);
                    }
                }
            } else {
                let first = pattern.pieces.len();
                pattern.pieces.extend(path::pieces(m, structure, tendon));
                for piece in &pattern.pieces[first..] {
                    let Piece::Leg(leg) = piece else { continue };
                    let around = leg.around.iter().flat_map(|a| a.links);
                    for link in around.chain([leg.link]) {
                        if link.bodies[0] == link.bodies[1] {
                            continue;
                        }
                        let [both, first, second] = link.dofs(structure);
                        let both = if pattern.source.sparse { both } else { &[] };
                        for dof in both.iter().chain(first).chain(second) {
                            visit(*dof as usize);
                        }
                    }
                }
            }
            pattern.ends.push(pattern.pieces.len() as u32);
            pattern.colind[start..].sort_unstable();
            pattern.rowadr.push(start as i32);
            pattern.rownnz.push((pattern.colind.len() - start) as i32);
        }
        pattern
    }

    /// Whether a model's tendons are still those that the pattern was made from.
    pub fn is_of(&self, m: &Model) -> bool {
        self.ends.len() == m.ntendon && self.source.is_of(m)
    }

    /// The path of a spatial tendon.
    pub fn pieces(&self, tendon: usize) -> &[Piece] {
        let start = if tendon > 0 { self.ends[tendon - 1] } else { 0 };
        &self.pieces[start as usize..self.ends[tendon] as usize]
    }

    /// The columns of a tendon's row that can be nonzero.
    pub fn columns(&self, tendon: usize) -> &[i32] {
        let start = self.rowadr[tendon] as usize;
        &self.colind[start..start + self.rownnz[tendon] as usize]
    }
}
