//! The rows while they are collected.

use corten_math::{MIN_VAL, Vec3};
use corten_model::enums::ConstraintType;

use super::impedance::{self, Impedance};
use super::is_sparse;
use crate::solve::rows::{Block, Cone, Jacobian, Kind, Run, push_runs};
use crate::{Data, Model};

/// All rows of a step: the Jacobian in blocks, and the parameters of each row.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    pub blocks: Vec<Block>,
    pub columns: Vec<u32>,
    pub runs: Vec<Run>,
    pub values: Vec<f64>,
    pub cones: Vec<Cone>,
    rows: Rows,
    softness: Softness,
    /// Degrees of freedom that move one body relative to another.
    pub(super) chain: Vec<Link>,
    /// The columns of the last contact in turn: which of its bodies they move, and how many.
    pub(super) sides: Vec<(u8, u32)>,
}

/// The rows of the last step, apart, so that they can be taken out without being copied.
#[derive(Clone, Debug, Default)]
pub struct KeptRows(Option<Box<Constraints>>);

impl KeptRows {
    /// To be followed by [`Self::put`].
    pub fn take(&mut self) -> Box<Constraints> {
        self.0.take().unwrap_or_default()
    }

    pub fn put(&mut self, rows: Box<Constraints>) {
        self.0 = Some(rows);
    }

    pub fn get_mut(&mut self) -> &mut Constraints {
        self.0.get_or_insert_default()
    }

    pub fn jacobian(&self) -> Jacobian<'_> {
        self.0.as_deref().map_or(Jacobian::EMPTY, Constraints::jacobian)
    }
}

/// Parameters of the rows: the public arrays, while they are filled.
#[derive(Clone, Debug, Default)]
struct Rows {
    /// Number of rows; the arrays are at least as long while rows are collected.
    count: usize,
    kind: Vec<i32>,
    id: Vec<i32>,
    pos: Vec<f64>,
    margin: Vec<f64>,
    frictionloss: Vec<f64>,
    kbip: Vec<[f64; 4]>,
    r: Vec<f64>,
    d: Vec<f64>,
    diagonal: Vec<f64>,
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

impl Rows {
    /// Exchanges the rows with the public arrays.
    #[inline(always)]
    fn exchange(&mut self, d: &mut Data) {
        use std::mem::swap;
        swap(&mut self.kind, &mut d.efc_type);
        swap(&mut self.id, &mut d.efc_id);
        swap(&mut self.pos, &mut d.efc_pos);
        swap(&mut self.margin, &mut d.efc_margin);
        swap(&mut self.frictionloss, &mut d.efc_frictionloss);
        swap(&mut self.kbip, &mut d.efc_KBIP);
        swap(&mut self.r, &mut d.efc_R);
        swap(&mut self.d, &mut d.efc_D);
        swap(&mut self.diagonal, &mut d.efc_diagApprox);
    }

    /// The same length for all arrays.
    fn resize(&mut self, n: usize) {
        self.kind.resize(n, 0);
        self.id.resize(n, 0);
        self.kbip.resize(n, [0.0; 4]);
        for v in [
            &mut self.pos,
            &mut self.margin,
            &mut self.frictionloss,
            &mut self.r,
            &mut self.d,
            &mut self.diagonal,
        ] {
            v.resize(n, 0.0);
        }
    }

    /// The same row `N` times.
    #[inline(always)]
    fn push<const N: usize>(&mut self, row: &Row) {
        #[inline(always)]
        fn set<T: Copy, const N: usize>(array: &mut [T], start: usize, value: T) {
            if let Some(place) = array.get_mut(start..start + N) {
                place.fill(value);
            }
        }
        let start = self.count;
        self.count += N;
        if self.count > self.kind.len() {
            self.resize(self.count.next_power_of_two());
        }
        set::<_, N>(&mut self.kind, start, row.kind.raw());
        set::<_, N>(&mut self.id, start, row.id as i32);
        set::<_, N>(&mut self.pos, start, row.pos);
        set::<_, N>(&mut self.margin, start, row.margin);
        set::<_, N>(&mut self.frictionloss, start, row.frictionloss);
        set::<_, N>(&mut self.kbip, start, row.kbip);
        set::<_, N>(&mut self.r, start, row.r);
        set::<_, N>(&mut self.d, start, 1.0 / row.r);
        // The inverse inertia that gives R with this impedance, whatever R was adjusted to.
        let imp = row.kbip[2];
        set::<_, N>(&mut self.diagonal, start, row.r * imp / (1.0 - imp));
    }
}

/// Softness of the rows of one constraint object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Softness {
    /// What it was made from.
    solref: [f64; 2],
    solimp: [f64; 5],
    pub impedance: Impedance,
    /// Stiffness and damping.
    pub gains: (f64, f64),
}

impl Default for Softness {
    fn default() -> Softness {
        let impedance = Impedance::new([0.0; 5]);
        Softness { solref: [f64::NAN; 2], solimp: [f64::NAN; 5], impedance, gains: (0.0, 0.0) }
    }
}

impl Softness {
    /// Makes it differ from all parameters.
    fn forget(&mut self) {
        self.solref = [f64::NAN; 2];
    }

    fn new(m: &Model, solref: [f64; 2], solimp: [f64; 5]) -> Softness {
        let impedance = Impedance::new(solimp);
        let reference = impedance::reference(m, solref);
        let gains = impedance.gains(reference, false);
        Softness { solref, solimp, impedance, gains }
    }
}

/// Where columns of a block are stored.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Columns {
    pub col: usize,
    pub ncol: usize,
    pub run: usize,
    pub nrun: usize,
}

/// A degree of freedom in the difference of two points' Jacobians: how it moves the point on the
/// first and on the second body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub dof: u32,
    pub on: [bool; 2],
}

impl Constraints {
    /// Starts to collect rows, in the memory of the public arrays; while there are no rows, that
    /// memory stays here.
    pub(super) fn begin(&mut self, d: &mut Data) {
        self.blocks.clear();
        self.columns.clear();
        self.runs.clear();
        self.values.clear();
        self.cones.clear();
        // Options may have changed since the last step.
        self.softness.forget();
        self.rows.count = 0;
        if !d.efc_type.is_empty() {
            self.rows.exchange(d);
            self.rows.resize(self.rows.kind.len());
        }
    }

    /// Number of rows so far.
    pub fn count(&self) -> usize {
        self.rows.count
    }

    /// Softness from the parameters of an object; most objects of a model share them.
    #[inline(always)]
    pub(super) fn softness(
        &mut self,
        m: &Model,
        solref: &[f64; 2],
        solimp: &[f64; 5],
    ) -> &Softness {
        let last = &self.softness;
        let pairs = last.solref.iter().zip(solref).chain(last.solimp.iter().zip(solimp));
        if !pairs.fold(true, |same, (a, b)| same & (a == b)) {
            self.softness = Softness::new(m, *solref, *solimp);
        }
        &self.softness
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
        let (ncol, nrun) = (self.columns.len() - col, self.runs.len() - run);
        self.push_columns_block(kind, rank, Columns { col, ncol, run, nrun }, val, cone);
    }

    /// A block on columns that are there already.
    #[inline(always)]
    pub(super) fn push_columns_block(
        &mut self,
        kind: Kind,
        rank: usize,
        Columns { col, ncol, run, nrun }: Columns,
        val: usize,
        cone: usize,
    ) {
        self.blocks.push(Block {
            kind,
            rank: rank as u32,
            row: self.count() as u32,
            col: col as u32,
            ncol: ncol as u32,
            run: run as u32,
            nrun: nrun as u32,
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
        m: &Model,
        (solref, solimp): (&[f64; 2], &[f64; 5]),
        kind: ConstraintType,
        id: usize,
        [pos, margin]: [f64; 2],
        distance: f64,
        frictionloss: f64,
        inverse_inertia: f64,
    ) {
        let row = self.row(m, (solref, solimp), kind, id, distance);
        let r = impedance::regularization(row.kbip[2], inverse_inertia);
        self.rows.push::<1>(&Row { pos, margin, frictionloss, r, ..row });
    }

    /// A row with the softness of its object at a distance, and nothing else.
    #[inline(always)]
    pub(super) fn row(
        &mut self,
        m: &Model,
        (solref, solimp): (&[f64; 2], &[f64; 5]),
        kind: ConstraintType,
        id: usize,
        distance: f64,
    ) -> Row {
        let friction = matches!(kind, ConstraintType::FrictionDof | ConstraintType::FrictionTendon);
        let softness = self.softness(m, solref, solimp);
        let (imp, slope) = softness.impedance.at(distance);
        // Rows of friction have no position to restore.
        let (k, b) = softness.gains;
        let kbip = [if friction { 0.0 } else { k }, b, imp, slope];
        Row { kind, id, pos: 0.0, margin: 0.0, frictionloss: 0.0, kbip, r: 0.0 }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, row: &Row) {
        self.rows.push::<1>(row);
    }

    /// The same row `count` times.
    #[inline(always)]
    pub(super) fn push_equal(&mut self, row: &Row, count: usize) {
        if count == 4 {
            return self.rows.push::<4>(row);
        }
        for _ in 0..count {
            self.rows.push::<1>(row);
        }
    }

    /// Hands the rows over to the public arrays.
    pub(super) fn publish(&mut self, d: &mut Data) {
        let n = self.count();
        if n > 0 || !d.efc_type.is_empty() {
            // Cut to size after the swap, whose wide loads of lengths just stored would not be
            // forwarded.
            self.rows.exchange(d);
            d.efc_type.truncate(n);
            d.efc_id.truncate(n);
            d.efc_KBIP.truncate(n);
            for v in [
                &mut d.efc_pos,
                &mut d.efc_margin,
                &mut d.efc_frictionloss,
                &mut d.efc_R,
                &mut d.efc_D,
                &mut d.efc_diagApprox,
            ] {
                v.truncate(n);
            }
        }
        if n == 0 && d.efc_force.is_empty() {
            // As after the last step; without rows there is no matrix either.
            return;
        }
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
    let [a, b] = bodies.map(|body| d.prepared.structure.chain(body));
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

/// From the centre of mass of a body's tree to a point.
#[inline]
pub(super) fn offset(d: &Data, body: usize, point: Vec3) -> Vec3 {
    point - d.subtree_com[d.prepared.structure.bodies[body].root as usize]
}

/// A divisor that cannot be zero.
pub(super) fn at_least_min(x: f64) -> f64 {
    x.max(MIN_VAL)
}
