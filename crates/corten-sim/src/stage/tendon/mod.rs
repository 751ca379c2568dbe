//! Tendon paths, lengths, Jacobians, velocities, and the bias force of their inertia.
//!
//! Reads poses (and velocities for `bias`); writes `ten_*` and `wrap_*`. Answers to MuJoCo's
//! `mj_tendon`, `mj_tendonDot` and `mj_tendonBias`.
//!
//! A fixed tendon has the length Σ c·q over some joints. A spatial tendon is a string through
//! sites, bent by round geoms; its length is Σ |leg| / divisor, and a leg of direction u between
//! points p and q changes at the rate u·(q̇ − ṗ). Tangent points on an obstacle count as fixed to
//! it: the path is shortest, so moving them along the obstacle has no first-order effect.

mod legs;
mod path;
mod pattern;
mod wrap;

use std::iter::Zip;
use std::ops::Range;
use std::slice::IterMut;
use std::sync::Arc;

use corten_math::{MIN_VAL, Spatial, Vec3, wide};
use corten_model::Model;
use corten_model::enums::{JacobianType, JointType, ObjType, SleepState};

pub(crate) use pattern::Pattern;

use self::legs::Runs;
use self::path::{Leg, Piece, Pull};
use self::pattern::{Parts, Span, Summand};
use crate::chain::{self, BodyPoint};
use crate::support::tendon_row;
use crate::{Data, sleep, support};

/// Point on the path that is not on a geom.
const SITE: i32 = -1;
/// Interruption of the path.
const PULLEY: i32 = -2;

/// MuJoCo keeps Jacobians sparse from this number of dofs on, if the choice is left to it.
const SPARSE_FROM: usize = 60;

/// Whether MuJoCo would keep Jacobians sparse. It then regards as connected what the structure
/// connects, otherwise what a nonzero entry connects; islands follow that.
pub(crate) fn keeps_sparse(m: &Model) -> bool {
    match JacobianType::from_raw(m.opt.jacobian) {
        Some(JacobianType::Sparse) => true,
        Some(JacobianType::Dense) => false,
        _ => m.nv >= SPARSE_FROM,
    }
}

/// Working memory of this stage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    runs: Vec<Runs>,
    /// Whether each tendon sleeps; empty if all are awake.
    asleep: Vec<bool>,
    /// Entries of the row at hand that a path has touched.
    touched: Vec<bool>,
}

/// Paths, lengths and Jacobians.
pub fn tendon(m: &Model, d: &mut Data) {
    if m.ntendon == 0 {
        return;
    }
    if !d.scratch.tendon.is_of(m) {
        d.scratch.tendon = Pattern::shared(m, &d.scratch.structure);
        d.scratch.tendons.runs.clear();
    }
    let pattern = Arc::clone(&d.scratch.tendon);
    let mut memory = std::mem::take(&mut d.scratch.tendons);
    memory.asleep.clear();
    if sleep::filters(m, d) {
        let asleep = |i| sleep::state(m, d, ObjType::Tendon, i) == SleepState::Asleep;
        memory.asleep.extend((0..m.ntendon).map(asleep));
    }
    memory.runs.resize(pattern.batches.len(), Runs::default());
    legs::run(m, d, &pattern.batches, &memory.asleep, &mut memory.runs);
    let Memory { runs, asleep, touched } = &mut memory;
    if keeps_sparse(m) {
        rows(m, d, &pattern, runs, asleep, Touched(touched));
    } else {
        rows(m, d, &pattern, runs, asleep, Nonzero);
    }
    d.scratch.tendons = memory;
}

wide! {
    /// Points, lengths and Jacobians, from the runs of all legs.
    fn rows[E: Entries](
        m: &Model,
        d: &mut Data,
        pattern: &Pattern,
        runs: &[Runs],
        asleep: &[bool],
        entries: E,
    ) {
        let n = m.ntendon;
        d.ten_J_rowadr.copy_from_slice(&pattern.rowadr);
        d.ten_J_colind.resize(pattern.colind.len(), 0);
        d.ten_J.clear();
        d.ten_J.resize(pattern.colind.len(), 0.0);
        let wrap_obj = d.wrap_obj.as_flattened_mut();
        let wrap_xpos = d.wrap_xpos.as_flattened_mut().as_chunks_mut().0;
        let most = wrap_obj.len().min(wrap_xpos.len());
        let mut path = Path {
            pattern,
            runs,
            subtree_com: &d.subtree_com,
            cdof: &d.cdof,
            room: wrap_obj.iter_mut().zip(wrap_xpos),
            values: &mut d.ten_J,
            entries,
        };
        path.entries.begin(pattern.colind.len());
        let (parts, colind) = (&pattern.parts[..n], &mut d.ten_J_colind[..pattern.colind.len()]);
        let (lengths, rownnz) = (&mut d.ten_length[..n], &mut d.ten_J_rownnz[..n]);
        let (wrapadr, wrapnum) = (&mut d.ten_wrapadr[..n], &mut d.ten_wrapnum[..n]);
        for i in 0..n {
            if asleep.get(i) == Some(&true) {
                (lengths[i], rownnz[i]) = (0.0, 0);
                continue;
            }
            let points = most - path.room.len();
            let Parts { columns, pieces, summands } = parts[i];
            lengths[i] = if summands.is_empty() {
                path.follow(&pattern.pieces[pieces.range()])
            } else {
                path.sum(m, &d.qpos, &pattern.summands[summands.range()])
            };
            wrapadr[i] = points as i32;
            wrapnum[i] = (most - path.room.len() - points) as i32;
            rownnz[i] = path.keep(columns.range(), colind) as i32;
        }
    }
}

/// Which entries a row keeps.
trait Entries {
    /// There may be so many, of all rows.
    fn begin(&mut self, most: usize);
    /// A path depends on these dofs.
    fn touch(&mut self, pattern: &Pattern, terms: Span);
    fn keeps(&self, slot: usize, value: f64) -> bool;
    /// Enters a joint of a fixed tendon.
    fn enter(&mut self, values: &mut [f64], slot: usize, coefficient: f64);
}

/// Those that are not zero.
struct Nonzero;

/// Those that the path depends on, be they zero.
struct Touched<'a>(&'a mut Vec<bool>);

impl Entries for Nonzero {
    #[inline(always)]
    fn begin(&mut self, _: usize) {}

    #[inline(always)]
    fn touch(&mut self, _: &Pattern, _: Span) {}

    #[inline(always)]
    fn keeps(&self, _: usize, value: f64) -> bool {
        value != 0.0
    }

    /// A joint listed twice counts once, with its last coefficient, in MuJoCo's dense form.
    #[inline(always)]
    fn enter(&mut self, values: &mut [f64], slot: usize, coefficient: f64) {
        values[slot] = coefficient;
    }
}

impl Entries for Touched<'_> {
    #[inline(always)]
    fn begin(&mut self, most: usize) {
        self.0.clear();
        self.0.resize(most, false);
    }

    #[inline(always)]
    fn touch(&mut self, pattern: &Pattern, terms: Span) {
        for term in &pattern.terms[terms.range()] {
            self.0[term.slot as usize] = true;
        }
    }

    #[inline(always)]
    fn keeps(&self, slot: usize, _: f64) -> bool {
        self.0[slot]
    }

    #[inline(always)]
    fn enter(&mut self, values: &mut [f64], slot: usize, coefficient: f64) {
        values[slot] += coefficient;
        self.0[slot] = true;
    }
}

/// The path of a tendon while it is followed.
struct Path<'a, E> {
    pattern: &'a Pattern,
    runs: &'a [Runs],
    subtree_com: &'a [Vec3],
    cdof: &'a [Spatial],
    /// Where points of paths are to be written, of all tendons.
    room: Zip<IterMut<'a, i32>, IterMut<'a, [f64; 3]>>,
    /// All rows of the Jacobian, zero at first.
    values: &'a mut [f64],
    entries: E,
}

impl<E: Entries> Path<'_, E> {
    /// Moves the entries of a row that are to be kept to its beginning, writes their columns, and
    /// tells how many there are.
    #[inline(always)]
    fn keep(&mut self, row: Range<usize>, colind: &mut [i32]) -> usize {
        let (start, mut next) = (row.start, row.start);
        let columns = &self.pattern.colind[..colind.len()];
        for slot in row {
            let value = self.values[slot];
            (colind[next], self.values[next]) = (columns[slot], value);
            next += usize::from(self.entries.keeps(slot, value));
        }
        next - start
    }

    /// The terms of a fixed tendon; returns its length.
    #[inline(always)]
    fn sum(&mut self, m: &Model, qpos: &[f64], summands: &[Summand]) -> f64 {
        let mut length = 0.0;
        for summand in summands {
            let slot = summand.slot as usize;
            let coefficient = m.wrap_prm[summand.entry as usize];
            length += coefficient * qpos[summand.qpos as usize];
            self.entries.enter(self.values, slot, coefficient);
        }
        length
    }

    /// The pieces of a spatial tendon; returns its length.
    #[inline(always)]
    fn follow(&mut self, pieces: &[Piece]) -> f64 {
        let mut length = 0.0;
        for piece in pieces {
            match piece {
                Piece::Pulley => self.add_point(PULLEY, Vec3::ZERO),
                Piece::Leg(leg) => length += self.add_leg(leg),
            }
        }
        length
    }

    /// Adds a leg's points and its derivative; returns its share of the length.
    #[inline(always)]
    fn add_leg(&mut self, leg: &Leg) -> f64 {
        let [batch, lane] = leg.run.map(|at| at as usize);
        let (runs, lane) = (&self.runs[batch], lane % 4);
        self.add_point(SITE, runs.points[0].lane(lane));
        let mut length = runs.distances[0].0[lane];
        let mut pulls = leg.pulls;
        if let Some(around) = &leg.around
            && runs.touches.0[lane] != 0.0
        {
            self.add_point(around.geom as i32, runs.points[1].lane(lane));
            self.add_point(around.geom as i32, runs.points[2].lane(lane));
            length = length + runs.around.0[lane] + runs.distances[1].0[lane];
            pulls = around.pulls;
        }
        if leg.last {
            self.add_point(SITE, runs.points[3].lane(lane));
        }
        let weight = 1.0 / leg.divisor;
        for pull in &self.pattern.pulls[pulls.range()] {
            self.pull(pull, runs, lane, weight);
        }
        length / leg.divisor
    }

    /// Adds the derivative of the length of a straight piece by what moves one of its ends: a unit
    /// force along the string pulls there, so that the entry of a dof is the power of that force.
    #[inline(always)]
    fn pull(&mut self, pull: &Pull, runs: &Runs, lane: usize, weight: f64) {
        self.entries.touch(self.pattern, pull.carried);
        self.entries.touch(self.pattern, pull.terms);
        let weight = if pull.begins { -weight } else { weight };
        let force = runs.directions[pull.piece as usize % 2].lane(lane) * weight;
        let point = runs.points[pull.point as usize % 4].lane(lane);
        let torque = (point - self.subtree_com[pull.root as usize]).cross(force);
        for term in &self.pattern.terms[pull.terms.range()] {
            let axis = &self.cdof[term.dof as usize];
            let power = axis.rot().dot(torque) + axis.lin().dot(force);
            self.values[term.slot as usize] += power;
        }
    }

    #[inline(always)]
    fn add_point(&mut self, object: i32, position: Vec3) {
        if let Some((obj, xpos)) = self.room.next() {
            (*obj, *xpos) = (object, position.0);
        }
    }
}

/// Tendon velocities.
pub fn velocity(m: &Model, d: &mut Data) {
    let n = m.ntendon;
    let rows = d.ten_J_rowadr[..n].iter().zip(&d.ten_J_rownnz[..n]);
    let (colind, entries, qvel) = (&d.ten_J_colind[..], &d.ten_J[..], &d.qvel[..]);
    for (velocity, (&start, &count)) in d.ten_velocity[..n].iter_mut().zip(rows) {
        let row = start as usize..start as usize + count as usize;
        *velocity = support::times_row(colind, entries, row, qvel);
    }
}

/// Adds the bias force of tendon armature, `Jᵀ a J̇ q̇`, to `qfrc_bias`.
pub fn bias(m: &Model, d: &mut Data) {
    if !support::any_nonzero(&m.tendon_armature) {
        return;
    }
    let filter = sleep::filters(m, d);
    for (i, &armature) in m.tendon_armature.iter().enumerate() {
        if armature == 0.0
            || path::is_fixed(m, i)
            || (filter && sleep::state(m, d, ObjType::Tendon, i) == SleepState::Asleep)
        {
            continue;
        }
        let force = armature * velocity_product_acceleration(m, d, i);
        for k in tendon_row(d, i) {
            d.qfrc_bias[d.ten_J_colind[k] as usize] += force * d.ten_J[k];
        }
    }
}

/// `J̇ q̇`: the second derivative of a spatial tendon's length at zero joint acceleration.
///
/// For a leg of unit direction u between p and q, with relative velocity v = q̇ − ṗ and relative
/// acceleration a at zero joint acceleration: u·a + u̇·v, where u̇ = (v − (u·v) u) / |q − p|.
/// Around a geom the tangent points move as well; MuJoCo refuses armature there.
fn velocity_product_acceleration(m: &Model, d: &Data, tendon: usize) -> f64 {
    let mut total = 0.0;
    let pattern = &d.scratch.tendon;
    for piece in &pattern.pieces[pattern.parts[tendon].pieces.range()] {
        let Piece::Leg(leg) = piece else { continue };
        let ends = leg.sites.map(|s| BodyPoint { body: m.site_bodyid[s], point: d.site_xpos[s] });
        if leg.around.is_some() || ends[0].body == ends[1].body {
            continue;
        }
        let (direction, length) = (ends[1].point - ends[0].point).normalized();
        let velocity = point_velocity(m, d, ends[1]) - point_velocity(m, d, ends[0]);
        let turn = if length > MIN_VAL {
            (velocity - direction * direction.dot(velocity)) * (1.0 / length)
        } else {
            Vec3::ZERO
        };
        let acceleration = free_acceleration(m, d, ends[1]) - free_acceleration(m, d, ends[0]);
        total += (direction.dot(acceleration) + turn.dot(velocity)) / leg.divisor;
    }
    total
}

fn point_velocity(m: &Model, d: &Data, at: BodyPoint) -> Vec3 {
    let Some(body) = chain::index(at.body, m.nbody) else { return Vec3::ZERO };
    d.cvel[body].motion_at(at.point, chain::reference(m, d, at.body)).lin()
}

/// Acceleration of a point at zero joint acceleration: Σ over dofs of (d/dt column) q̇.
fn free_acceleration(m: &Model, d: &Data, at: BodyPoint) -> Vec3 {
    let offset = at.point - chain::reference(m, d, at.body);
    let velocity = point_velocity(m, d, at);
    chain::dofs(m, at.body).fold(Vec3::ZERO, |sum, dof| {
        let cdof = &d.cdof[dof];
        let turns = chain::index(m.dof_jntid[dof], m.njnt).is_some_and(|joint| {
            match JointType::from_raw(m.jnt_type[joint]) {
                Some(JointType::Ball) => true,
                Some(JointType::Free) => dof as i32 >= m.jnt_dofadr[joint] + 3,
                _ => false,
            }
        });
        // `cdof_dot` of a quaternion dof is taken before the joint's own rotation; the column
        // moves with the body.
        let rate = match chain::index(m.dof_bodyid[dof], m.nbody) {
            Some(body) if turns => d.cvel[body].cross_motion(cdof),
            _ => d.cdof_dot[dof],
        };
        sum + (chain::point_motion(&rate, offset) + cdof.rot().cross(velocity)) * d.qvel[dof]
    })
}
