//! Which degrees of freedom can move a tendon: the sparsity of `ten_J`.
//!
//! It follows from the model alone, and is found once; where a tendon does not touch a geom on its
//! way, a part of it is in use. Memory is proportional to the dofs above the bodies involved.

use corten_model::Model;

use super::path::{self, Piece};
use crate::chain;

/// Compressed rows over degrees of freedom, ascending within a row: all that can ever be nonzero.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pattern {
    pub rowadr: Vec<i32>,
    pub rownnz: Vec<i32>,
    pub colind: Vec<i32>,
    pub row: Row,
    /// What the pattern was made from, to notice edits of the model.
    source: [Vec<i32>; 4],
}

/// A row of the Jacobian while it is added up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    /// Per dof: its entry, and whether it has been touched. Zero and `false` between uses.
    entries: Vec<(f64, bool)>,
}

impl Row {
    #[inline]
    pub fn add(&mut self, dof: usize, value: f64) {
        let entry = &mut self.entries[dof];
        *entry = (entry.0 + value, true);
    }

    #[inline]
    pub fn set(&mut self, dof: usize, value: f64) {
        self.entries[dof] = (value, true);
    }

    /// Takes the entry of a dof, if it has been touched.
    #[inline]
    pub fn take(&mut self, dof: usize) -> Option<f64> {
        let (value, touched) = std::mem::take(&mut self.entries[dof]);
        touched.then_some(value)
    }
}

impl Pattern {
    pub fn new(m: &Model) -> Pattern {
        let mut pattern = Pattern {
            row: Row { entries: vec![(0.0, false); m.nv] },
            source: source(m).map(<[i32]>::to_vec),
            ..Pattern::default()
        };
        let mut seen = vec![usize::MAX; m.nv];
        for tendon in 0..m.ntendon {
            let start = pattern.colind.len();
            for_each_dof(m, tendon, |dof| {
                if seen[dof] != tendon {
                    seen[dof] = tendon;
                    pattern.colind.push(dof as i32);
                }
            });
            pattern.colind[start..].sort_unstable();
            pattern.rowadr.push(start as i32);
            pattern.rownnz.push((pattern.colind.len() - start) as i32);
        }
        pattern
    }

    /// Follows edits of the tendon paths.
    pub fn refresh(&mut self, m: &Model) {
        let current = source(m);
        if self.row.entries.len() != m.nv || self.source.iter().zip(current).any(|(a, b)| a != b) {
            *self = Pattern::new(m);
        }
    }
}

fn source(m: &Model) -> [&[i32]; 4] {
    [&m.wrap_type, &m.wrap_objid, &m.tendon_adr, &m.tendon_num]
}

/// Calls `visit` for every dof that can move a tendon, some of them several times.
fn for_each_dof(m: &Model, tendon: usize, mut visit: impl FnMut(usize)) {
    if path::is_fixed(m, tendon) {
        for (joint, _) in path::joints(m, tendon) {
            if let Some(dof) = chain::index(m.jnt_dofadr[joint], m.nv) {
                visit(dof);
            }
        }
        return;
    }
    for piece in path::pieces(m, tendon) {
        let Piece::Leg(leg) = piece else { continue };
        let ends = leg.sites.map(|s| m.site_bodyid[s]);
        let obstacle = leg.around.map(|a| m.geom_bodyid[a.geom]);
        let pairs = [
            Some([ends[0], ends[1]]),
            obstacle.map(|o| [ends[0], o]),
            obstacle.map(|o| [o, ends[1]]),
        ];
        for [a, b] in pairs.into_iter().flatten() {
            if a != b {
                chain::dofs(m, a).chain(chain::dofs(m, b)).for_each(&mut visit);
            }
        }
    }
}
