//! The rows while they are collected.

use corten_math::{MIN_VAL, Vec3};
use corten_model::Model;
use corten_model::enums::ConstraintType;

use super::impedance::{self, Impedance};
use super::is_sparse;
use crate::Data;
use crate::solve::rows::{Block, Cone, Jacobian, Kind, Run, push_runs};

/// All rows of a step: the Jacobian in blocks, and the parameters of each row.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    pub blocks: Vec<Block>,
    pub columns: Vec<u32>,
    pub runs: Vec<Run>,
    pub values: Vec<f64>,
    pub cones: Vec<Cone>,
    rows: Vec<Row>,
    /// Degrees of freedom that move one body relative to another.
    pub(super) chain: Vec<Link>,
}

/// One row, complete but for its Jacobian and what depends on velocity.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub kind: ConstraintType,
    pub id: usize,
    pub pos: f64,
    pub margin: f64,
    pub frictionloss: f64,
    /// `K`, `B`, impedance and its derivative.
    pub kbip: [f64; 4],
    /// Regularisation.
    pub r: f64,
}

/// Softness of the rows of one constraint object.
#[derive(Clone, Copy)]
pub(super) struct Softness {
    pub impedance: Impedance,
    pub reference: [f64; 2],
}

impl Softness {
    pub fn new(m: &Model, solref: [f64; 2], solimp: [f64; 5]) -> Softness {
        Softness { impedance: Impedance::new(solimp), reference: impedance::reference(m, solref) }
    }
}

/// A degree of freedom in the difference of two points' Jacobians: how it moves the point on the
/// first and on the second body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub dof: u32,
    pub on: [bool; 2],
}

impl Constraints {
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.columns.clear();
        self.runs.clear();
        self.values.clear();
        self.cones.clear();
        self.rows.clear();
    }

    /// Number of rows so far.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    pub fn jacobian(&self) -> Jacobian<'_> {
        Jacobian {
            blocks: &self.blocks,
            columns: &self.columns,
            runs: &self.runs,
            values: &self.values,
            cones: &self.cones,
        }
    }

    /// Closes a block whose columns and values have been appended since `col` and `val`. An
    /// empty one leaves no trace: without columns in the sparse form, all zero in the dense
    /// form, as MuJoCo decides. Returns whether the block stays.
    pub(super) fn close(
        &mut self,
        m: &Model,
        kind: Kind,
        rank: usize,
        col: usize,
        val: usize,
    ) -> bool {
        let zero = self.values[val..].iter().all(|&v| v == 0.0);
        if zero && !is_sparse(m) {
            self.columns.truncate(col);
            self.values.truncate(val);
        } else if rank == 1 && !zero && !is_sparse(m) {
            self.drop_zeros(col, val);
        }
        let empty = self.columns.len() == col;
        if !empty {
            self.push_block(kind, rank, col, val, 0);
        }
        !empty
    }

    /// Drops the zeros of a single row: its columns decide which trees it connects.
    pub(super) fn drop_zeros(&mut self, col: usize, val: usize) {
        let mut kept = 0;
        for k in 0..self.columns.len() - col {
            if self.values[val + k] != 0.0 {
                self.columns[col + kept] = self.columns[col + k];
                self.values[val + kept] = self.values[val + k];
                kept += 1;
            }
        }
        self.columns.truncate(col + kept);
        self.values.truncate(val + kept);
    }

    pub(super) fn push_block(
        &mut self,
        kind: Kind,
        rank: usize,
        col: usize,
        val: usize,
        cone: usize,
    ) {
        let run = self.runs.len();
        push_runs(&self.columns[col..], &mut self.runs);
        self.blocks.push(Block {
            kind,
            rank: rank as u32,
            row: self.rows.len() as u32,
            col: col as u32,
            ncol: (self.columns.len() - col) as u32,
            run: run as u32,
            nrun: (self.runs.len() - run) as u32,
            val: val as u32,
            cone: cone as u32,
        });
    }

    /// A block of one row and one column.
    pub(super) fn push_single(&mut self, kind: Kind, column: usize, value: f64) {
        let (col, val) = (self.columns.len(), self.values.len());
        self.columns.push(column as u32);
        self.values.push(value);
        self.push_block(kind, 1, col, val, 0);
    }

    /// A row with its own regularisation; `distance` is where the impedance is evaluated.
    pub(super) fn push_row(
        &mut self,
        softness: &Softness,
        kind: ConstraintType,
        id: usize,
        [pos, margin]: [f64; 2],
        distance: f64,
        frictionloss: f64,
        inverse_inertia: f64,
    ) {
        let friction = matches!(kind, ConstraintType::FrictionDof | ConstraintType::FrictionTendon);
        let (imp, slope) = softness.impedance.at(distance);
        let (k, b) = softness.impedance.gains(softness.reference, friction);
        self.rows.push(Row {
            kind,
            id,
            pos,
            margin,
            frictionloss,
            kbip: [k, b, imp, slope],
            r: impedance::regularization(imp, inverse_inertia),
        });
    }

    pub(super) fn push(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Copies the rows into the public arrays.
    pub(super) fn publish(&self, d: &mut Data) {
        fn fill<T>(to: &mut Vec<T>, rows: &[Row], f: impl Fn(&Row) -> T) {
            to.clear();
            to.extend(rows.iter().map(f));
        }
        let rows = &self.rows;
        fill(&mut d.efc_type, rows, |r| r.kind.raw());
        fill(&mut d.efc_id, rows, |r| r.id as i32);
        fill(&mut d.efc_pos, rows, |r| r.pos);
        fill(&mut d.efc_margin, rows, |r| r.margin);
        fill(&mut d.efc_frictionloss, rows, |r| r.frictionloss);
        fill(&mut d.efc_KBIP, rows, |r| r.kbip);
        fill(&mut d.efc_R, rows, |r| r.r);
        fill(&mut d.efc_D, rows, |r| 1.0 / r.r);
        // The inverse inertia that gives R with this impedance, whatever R was adjusted to.
        fill(&mut d.efc_diagApprox, rows, |r| r.r * r.kbip[2] / (1.0 - r.kbip[2]));
        let n = rows.len();
        for v in [&mut d.efc_vel, &mut d.efc_aref, &mut d.efc_b, &mut d.efc_force] {
            v.resize(n, 0.0);
        }
        d.efc_state.resize(n, 0);
        d.efc_J.clear();
        d.efc_J_colind.clear();
        d.efc_J_rownnz.clear();
        d.efc_J_rowadr.clear();
        d.efc_J_rowsuper.clear();
        d.efc_AR.clear();
        d.efc_AR_rownnz.clear();
        d.efc_AR_rowadr.clear();
        d.efc_AR_colind.clear();
    }
}

/// The degrees of freedom, ascending, that move either of two bodies.
pub(super) fn chain(d: &Data, bodies: [usize; 2], out: &mut Vec<Link>) {
    out.clear();
    let [a, b] = bodies.map(|body| d.scratch.structure.chain(body));
    // Common ancestors come first in both.
    let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    out.extend(a[..common].iter().map(|&dof| Link { dof, on: [true, true] }));
    let (mut a, mut b) = (&a[common..], &b[common..]);
    while let (Some((&first, rest_a)), Some((&second, rest_b))) = (a.split_first(), b.split_first())
    {
        if first < second {
            out.push(Link { dof: first, on: [true, false] });
            a = rest_a;
        } else {
            out.push(Link { dof: second, on: [false, true] });
            b = rest_b;
        }
    }
    out.extend(a.iter().map(|&dof| Link { dof, on: [true, false] }));
    out.extend(b.iter().map(|&dof| Link { dof, on: [false, true] }));
}

/// Velocity of the point at `offset` from the centre of mass of its tree, per unit velocity of a
/// degree of freedom.
#[inline]
pub(super) fn point_velocity(d: &Data, dof: usize, offset: Vec3) -> Vec3 {
    let axis = &d.cdof[dof];
    axis.lin() + axis.rot().cross(offset)
}

/// From the centre of mass of a body's tree to a point.
#[inline]
pub(super) fn offset(d: &Data, body: usize, point: Vec3) -> Vec3 {
    point - d.subtree_com[d.scratch.structure.bodies[body].root as usize]
}

/// A divisor that cannot be zero.
pub(super) fn at_least_min(x: f64) -> f64 {
    x.max(MIN_VAL)
}
