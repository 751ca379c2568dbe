//! The rows while they are collected.

use corten_math::memory::Grow;
use std::ops::Range;

use corten_math::MIN_VAL;
use corten_math::array::MapInline;
use corten_model::enums::ConstraintType;

use super::impedance::{self, Impedance};
use super::{Given, elastic, is_sparse};
use crate::prepared::structure::Structure;
use crate::solve::rows::{Block, Cone, Jacobian, Kind, Run, push_runs};
use crate::stage::flex::Plan;
use crate::{Data, Model};

/// All rows of a step: the Jacobian in blocks, and the parameters of each row.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    pub blocks: Vec<Block>,
    pub columns: Vec<u32>,
    pub runs: Vec<Run>,
    pub values: Vec<f64>,
    pub cones: Vec<Cone>,
    /// Flexes of which all edges have rows.
    pub all_edges: Vec<AllEdges>,
    /// How often rows have been collected, and blocks and columns as they were the time before.
    pub number: u64,
    last_blocks: Vec<Block>,
    last_columns: Vec<u32>,
    /// Parameters of the rows, to be published when all are there.
    rows: Vec<Row>,
    count: usize,
    softness: Softness,
    /// Degrees of freedom that move one body relative to another.
    pub(super) chain: Vec<Link>,
    /// The columns of the last contact in turn: which of its bodies they move, and how many.
    pub(super) sides: Vec<(u8, u32)>,
    elastic: elastic::Scratch,
}

/// All edges of a flex, in order.
#[derive(Clone, Debug)]
pub struct AllEdges {
    /// Among those of the plan.
    flex: usize,
    pub blocks: Range<usize>,
}

impl AllEdges {
    /// Of a flex of the plan.
    pub(crate) fn new(flex: usize, blocks: Range<usize>) -> AllEdges {
        AllEdges { flex, blocks }
    }

    /// The edges, one to each block.
    pub(crate) fn edges(&self, plan: &Plan) -> Range<usize> {
        plan.flexes.get(self.flex).map_or(0..0, |flex| flex.edges.range())
    }

    /// Trees that they move, and the first of those that they connect each with.
    pub(crate) fn connected<'a>(&self, plan: &'a Plan) -> &'a [[u32; 2]] {
        plan.flexes.get(self.flex).map_or(&[], |flex| &plan.connected[flex.connected.range()])
    }
}

/// Rows that are equal but for their Jacobian and what depends on velocity.
// In this order, what is mostly constant lies side by side: a number that is stored together with a
// zero takes an instruction that valgrind does not know.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Row {
    pub kind: ConstraintType,
    pub id: usize,
    /// How many follow each other.
    pub count: usize,
    pub frictionloss: f64,
    pub pos: f64,
    pub margin: f64,
    /// `K`, `B`, impedance and its derivative.
    pub kbip: [f64; 4],
    /// Regularisation.
    pub r: f64,
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

    /// A row at a distance, and nothing else.
    #[inline(always)]
    pub(super) fn row(&self, kind: ConstraintType, id: usize, distance: f64) -> Row {
        let friction = matches!(kind, ConstraintType::FrictionDof | ConstraintType::FrictionTendon);
        let (imp, slope) = self.impedance.at(distance);
        // Rows of friction have no position to restore.
        let (k, b) = self.gains;
        let kbip = [if friction { 0.0 } else { k }, b, imp, slope];
        Row { kind, id, pos: 0.0, margin: 0.0, frictionloss: 0.0, kbip, r: 0.0, count: 1 }
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
    /// Starts to collect rows.
    pub(super) fn begin(&mut self) {
        self.number += 1;
        fn swap<T>(v: &mut Vec<T>, last: &mut Vec<T>) {
            std::mem::swap(v, last);
            v.clear();
            // As much room for both, so that they grow at the same time.
            v.reserve(last.capacity());
        }
        swap(&mut self.blocks, &mut self.last_blocks);
        swap(&mut self.columns, &mut self.last_columns);
        self.runs.clear();
        self.values.clear();
        self.cones.clear();
        // Options may have changed since the last step.
        self.all_edges.clear();
        self.softness.forget();
        self.rows.clear();
        self.count = 0;
    }

    /// Adds the rows of elastic forces that are implicit.
    pub(super) fn add_elastic(&mut self, m: &Model, given: &Given<'_>) {
        let mut memory = std::mem::take(&mut self.elastic);
        elastic::elastic(m, given, &mut memory, self);
        self.elastic = memory;
    }

    /// Whether blocks and columns are as they were the time before, number by number.
    pub fn is_as_before(&self) -> bool {
        let bytes = |blocks| bytemuck::cast_slice::<Block, u8>(blocks);
        bytes(&self.blocks) == bytes(&self.last_blocks) && self.columns == self.last_columns
    }

    /// Number of rows so far.
    pub fn count(&self) -> usize {
        self.count
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
        // All at once: most are the same.
        let mut same = true;
        for k in 0..2 {
            same &= last.solref[k] == solref[k];
        }
        for k in 0..5 {
            same &= last.solimp[k] == solimp[k];
        }
        if !same {
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
        if !is_sparse(m) {
            if self.values[val..].iter().all(|&v| v == 0.0) {
                self.columns.truncate(col);
                self.values.truncate(val);
            } else if rank == 1 {
                self.drop_zeros(col, val);
            }
        }
        let empty = self.columns.len() == col;
        if !empty {
            self.push_block(kind, rank, col, val, 0);
        }
        !empty
    }

    /// Drops the zeros of a single row: its columns decide which trees it connects.
    fn drop_zeros(&mut self, col: usize, val: usize) {
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
        self.blocks.grow_push(Block {
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
        self.push(&Row { pos, margin, frictionloss, r, ..row });
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
        self.softness(m, solref, solimp).row(kind, id, distance)
    }

    #[inline(always)]
    pub(super) fn push(&mut self, row: &Row) {
        self.count += row.count;
        self.rows.grow_push(*row);
    }
}

/// Writes the parameters of the rows into the public arrays.
pub(super) fn publish(d: &mut Data) {
    let rows = &*d.scratch.constraint;
    let n = rows.count;
    if n == 0 && d.efc_type.is_empty() && d.efc_force.is_empty() {
        // As after the last step; without rows there is no matrix either.
        return;
    }
    set_len(&mut d.efc_type, n, 0);
    set_len(&mut d.efc_id, n, 0);
    set_len(&mut d.efc_state, n, 0);
    set_len(&mut d.efc_KBIP, n, [0.0; 4]);
    for v in [
        &mut d.efc_pos,
        &mut d.efc_margin,
        &mut d.efc_frictionloss,
        &mut d.efc_R,
        &mut d.efc_D,
        &mut d.efc_diagApprox,
        &mut d.efc_vel,
        &mut d.efc_aref,
        &mut d.efc_b,
        &mut d.efc_force,
    ] {
        set_len(v, n, 0.0);
    }
    d.efc_J.clear();
    d.efc_J_colind.clear();
    d.efc_J_rownnz.clear();
    d.efc_J_rowadr.clear();
    d.efc_J_rowsuper.clear();
    d.efc_AR.clear();
    d.efc_AR_rownnz.clear();
    d.efc_AR_rowadr.clear();
    d.efc_AR_colind.clear();
    // Of one length, so that it is checked once.
    let mut arrays = RowArrays {
        kind: &mut d.efc_type[..n],
        id: &mut d.efc_id[..n],
        pos: &mut d.efc_pos[..n],
        margin: &mut d.efc_margin[..n],
        frictionloss: &mut d.efc_frictionloss[..n],
        kbip: &mut d.efc_KBIP[..n],
        r: &mut d.efc_R[..n],
        d: &mut d.efc_D[..n],
        diagonal: &mut d.efc_diagApprox[..n],
    };
    let mut at = 0;
    for row in &rows.rows {
        if row.count == 4 {
            arrays.set::<4>(at, row);
        } else {
            (at..at + row.count).for_each(|at| arrays.set::<1>(at, row));
        }
        at += row.count;
    }
}

/// Mostly there are as many rows as in the last step.
#[inline(always)]
fn set_len<T: Copy>(v: &mut Vec<T>, n: usize, zero: T) {
    if v.len() != n {
        v.grow_resize(n, zero);
    }
}

/// The public arrays that hold the parameters of rows.
struct RowArrays<'a> {
    kind: &'a mut [i32],
    id: &'a mut [i32],
    pos: &'a mut [f64],
    margin: &'a mut [f64],
    frictionloss: &'a mut [f64],
    kbip: &'a mut [[f64; 4]],
    r: &'a mut [f64],
    d: &'a mut [f64],
    diagonal: &'a mut [f64],
}

impl RowArrays<'_> {
    /// The same row `N` times from `at` on.
    #[inline(always)]
    fn set<const N: usize>(&mut self, at: usize, row: &Row) {
        #[inline(always)]
        fn set<T: Copy, const N: usize>(array: &mut [T], at: usize, value: T) {
            if let Some(place) = array.get_mut(at..at + N) {
                for k in 0..N {
                    place[k] = value;
                }
            }
        }
        set::<_, N>(self.kind, at, row.kind.raw());
        set::<_, N>(self.id, at, row.id as i32);
        set::<_, N>(self.pos, at, row.pos);
        set::<_, N>(self.margin, at, row.margin);
        set::<_, N>(self.frictionloss, at, row.frictionloss);
        set::<_, N>(self.kbip, at, row.kbip);
        set::<_, N>(self.r, at, row.r);
        set::<_, N>(self.d, at, 1.0 / row.r);
        // The inverse inertia that gives R with this impedance, whatever R was adjusted to.
        let imp = row.kbip[2];
        set::<_, N>(self.diagonal, at, row.r * imp / (1.0 - imp));
    }
}

/// The degrees of freedom, ascending, that move either of two bodies.
pub(super) fn chain(structure: &Structure, bodies: [usize; 2], out: &mut Vec<Link>) {
    out.clear();
    let [a, b] = bodies.map_inline(|body| structure.chain(body));
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

/// A divisor that cannot be zero.
pub(super) fn at_least_min(x: f64) -> f64 {
    x.max(MIN_VAL)
}
