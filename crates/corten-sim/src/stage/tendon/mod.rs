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

use corten_math::memory::Grow;
use std::ops::Range;

use corten_math::{MIN_VAL, Spatial, Vec3, wide};
use corten_model::enums::{JointType, ObjType, SleepState};

pub(crate) use pattern::Pattern;

use self::legs::{Poses, Runs};
use self::path::{Leg, Piece, Pull};
use self::pattern::Summand;
use crate::chain::{self, BodyPoint};
use crate::stage::constraint::is_sparse;
use crate::support::tendon_row;
use crate::{Data, Model, sleep, support};

/// Point on the path that is not on a geom.
const SITE: i32 = -1;
/// Interruption of the path.
const PULLEY: i32 = -2;

/// Working memory of this stage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
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
    d.scratch.tendons.asleep.clear();
    if sleep::filters(m, d) {
        for i in 0..m.ntendon {
            let asleep = sleep::state(m, d, ObjType::Tendon, i) == SleepState::Asleep;
            d.scratch.tendons.asleep.push(asleep);
        }
    }
    let Data { scratch, prepared, site_xpos, geom_xpos, geom_xmat, .. } = d;
    let (batches, Scratch { runs, asleep, .. }) = (&prepared.tendons.batches, &mut scratch.tendons);
    runs.grow_resize(batches.len(), Runs::default());
    legs::run(m, Poses { site_xpos, geom_xpos, geom_xmat }, batches, asleep, runs);
    if is_sparse(m) {
        rows(m, d, Touched);
    } else {
        rows(m, d, Nonzero);
    }
}

wide! {
    /// Points, lengths and Jacobians, from the runs of all legs.
    fn rows[E: Entries](m: &Model, d: &mut Data, entries: E) {
        let n = m.ntendon;
        let Scratch { runs, asleep, touched } = &mut d.scratch.tendons;
        let pattern = &d.prepared.tendons;
        let size = pattern.colind.len();
        d.ten_J_rowadr.copy_from_slice(&pattern.rowadr);
        d.ten_J_colind.resize(size, 0);
        d.ten_J.clear();
        d.ten_J.resize(size, 0.0);
        let (runs, asleep) = (bytemuck::cast_slice(runs), &asleep[..]);
        let objects = d.wrap_obj.as_flattened_mut();
        let positions = d.wrap_xpos.as_flattened_mut().as_chunks_mut().0;
        let room = objects.len().min(positions.len());
        let (objects, positions) = (&mut objects[..room], &mut positions[..room]);
        let mut points = Points { runs, objects, positions, count: 0 };
        let mut rows = PulledRows {
            pattern,
            runs,
            subtree_com: &d.subtree_com,
            cdof: &d.cdof,
            values: &mut d.ten_J,
            touched,
            entries,
        };
        rows.entries.begin(rows.touched, size);
        let (parts, lengths) = (&pattern.parts[..n], &mut d.ten_length[..n]);
        let (wrapadr, wrapnum) = (&mut d.ten_wrapadr[..n], &mut d.ten_wrapnum[..n]);
        for i in 0..n {
            if asleep.get(i) == Some(&true) {
                lengths[i] = 0.0;
                continue;
            }
            let start = points.count;
            lengths[i] = if parts[i].summands.is_empty() {
                points.follow(&pattern.pieces[parts[i].pieces.range()])
            } else {
                rows.sum(m, &d.qpos, &pattern.summands[parts[i].summands.range()])
            };
            (wrapadr[i], wrapnum[i]) = (start as i32, (points.count - start) as i32);
        }

        let (colind, rownnz) = (&mut d.ten_J_colind[..size], &mut d.ten_J_rownnz[..n]);
        if asleep.is_empty() {
            rows.pull(&pattern.pulls);
            if rows.entries.keep_all(rows.touched, rows.values) {
                colind.copy_from_slice(&pattern.colind);
                rownnz.copy_from_slice(&pattern.rownnz);
                return;
            }
        }
        for i in 0..n {
            rownnz[i] = 0;
            if asleep.get(i) != Some(&true) {
                if !asleep.is_empty() {
                    rows.pull(&pattern.pulls[parts[i].pulls.range()]);
                }
                rownnz[i] = rows.keep(parts[i].columns.range(), colind) as i32;
            }
        }
    }
}

/// Which entries a row keeps.
trait Entries {
    /// There may be so many, of all rows.
    fn begin(&self, touched: &mut Vec<bool>, most: usize);
    /// A path depends on the dofs of a pull.
    fn touch(&self, touched: &mut [bool], pattern: &Pattern, pull: &Pull);
    fn keeps(&self, touched: &[bool], slot: usize, value: f64) -> bool;
    /// Whether every one is kept.
    fn keep_all(&self, touched: &[bool], values: &[f64]) -> bool;
    /// Enters a joint of a fixed tendon.
    fn enter(&self, touched: &mut [bool], values: &mut [f64], slot: usize, coefficient: f64);
}

/// Those that are not zero.
struct Nonzero;

/// Those that the path depends on, be they zero.
struct Touched;

impl Entries for Nonzero {
    #[inline(always)]
    fn begin(&self, _: &mut Vec<bool>, _: usize) {}

    #[inline(always)]
    fn touch(&self, _: &mut [bool], _: &Pattern, _: &Pull) {}

    #[inline(always)]
    fn keeps(&self, _: &[bool], _: usize, value: f64) -> bool {
        value != 0.0
    }

    #[inline(always)]
    fn keep_all(&self, _: &[bool], values: &[f64]) -> bool {
        // One by one: a wide load of recent narrow stores is not forwarded.
        values.iter().all(|&value| value != 0.0)
    }

    /// A joint listed twice counts once, with its last coefficient, in MuJoCo's dense form.
    #[inline(always)]
    fn enter(&self, _: &mut [bool], values: &mut [f64], slot: usize, coefficient: f64) {
        values[slot] = coefficient;
    }
}

impl Entries for Touched {
    #[inline(always)]
    fn begin(&self, touched: &mut Vec<bool>, most: usize) {
        touched.clear();
        touched.resize(most, false);
    }

    #[inline(always)]
    fn touch(&self, touched: &mut [bool], pattern: &Pattern, pull: &Pull) {
        touched[pull.slots()].fill(true);
        for &slot in &pattern.carried[pull.carried.range()] {
            touched[slot as usize] = true;
        }
    }

    #[inline(always)]
    fn keeps(&self, touched: &[bool], slot: usize, _: f64) -> bool {
        touched[slot]
    }

    #[inline(always)]
    fn keep_all(&self, touched: &[bool], _: &[f64]) -> bool {
        touched.iter().fold(true, |all, &touched| all & touched)
    }

    #[inline(always)]
    fn enter(&self, touched: &mut [bool], values: &mut [f64], slot: usize, coefficient: f64) {
        values[slot] += coefficient;
        touched[slot] = true;
    }
}

/// Points of all paths.
struct Points<'a> {
    /// The numbers of all runs.
    runs: &'a [f64],
    /// What points are on, where they are, and how many there are so far.
    objects: &'a mut [i32],
    positions: &'a mut [[f64; 3]],
    count: usize,
}

impl Points<'_> {
    /// The pieces of a spatial tendon; returns its length.
    #[inline(always)]
    fn follow(&mut self, pieces: &[Piece]) -> f64 {
        let mut length = 0.0;
        for piece in pieces {
            match piece {
                Piece::Pulley => self.add([PULLEY], [Vec3::ZERO]),
                Piece::Leg(leg) => length += self.add_leg(leg),
            }
        }
        length
    }

    /// Adds a leg's points; returns its share of the length.
    #[inline(always)]
    fn add_leg(&mut self, leg: &Leg) -> f64 {
        let run = leg.place.run(self.runs);
        let start = run.point(0);
        if let Some(around) = &leg.around
            && run.touches()
        {
            let geom = around.geom as i32;
            self.add([SITE, geom, geom], [start, run.point(1), run.point(2)]);
        } else {
            self.add([SITE], [start]);
        }
        if leg.last {
            self.add([SITE], [run.point(3)]);
        }
        run.share()
    }

    /// Adds points if there is room for them, as there is in every sane model.
    #[inline(always)]
    fn add<const N: usize>(&mut self, objects: [i32; N], positions: [Vec3; N]) {
        if let Some(to_objects) = self.objects[self.count..].first_chunk_mut::<N>()
            && let Some(to_positions) = self.positions[self.count..].first_chunk_mut::<N>()
        {
            *to_objects = objects;
            for k in 0..N {
                to_positions[k] = positions[k].0;
            }
            self.count += N;
        }
    }
}

/// What pulls change.
struct PulledRows<'a, E> {
    pattern: &'a Pattern,
    /// The numbers of all runs.
    runs: &'a [f64],
    subtree_com: &'a [Vec3],
    cdof: &'a [Spatial],
    /// All rows of the Jacobian, zero at first.
    values: &'a mut [f64],
    /// Entries that a path has touched, if somebody asks.
    touched: &'a mut Vec<bool>,
    entries: E,
}

impl<E: Entries> PulledRows<'_, E> {
    /// Adds the derivative of the length of straight pieces by what moves one of their ends: a unit
    /// force along the string pulls there, so that the entry of a dof is the power of that force.
    ///
    /// The point's velocity comes first: it is exactly zero where a joint is anchored, while the sum
    /// of the powers of torque and force is zero but for rounding. Rows without any other entry do
    /// not exist.
    #[inline(always)]
    fn pull(&mut self, pulls: &[Pull]) {
        for pull in pulls {
            if self.runs[pull.touch as usize] != pull.when {
                continue;
            }
            self.entries.touch(self.touched, self.pattern, pull);
            let force = legs::vector(self.runs, pull.force);
            let point = legs::vector(self.runs, pull.point);
            let offset = point - self.subtree_com[pull.root as usize];
            let sign = pull.sign;
            for (value, axis) in self.values[pull.slots()].iter_mut().zip(&self.cdof[pull.dofs()]) {
                *value += sign * axis.velocity_at(offset).dot(force);
            }
        }
    }

    /// Enters the coefficients of a fixed tendon; returns its length.
    #[inline(always)]
    fn sum(&mut self, m: &Model, qpos: &[f64], summands: &[Summand]) -> f64 {
        let mut length = 0.0;
        for summand in summands {
            let slot = summand.slot as usize;
            let coefficient = m.wrap_prm[summand.entry as usize];
            length += coefficient * qpos[summand.qpos as usize];
            self.entries.enter(self.touched, self.values, slot, coefficient);
        }
        length
    }

    /// Moves the entries of a row that are to be kept to its beginning, writes their columns, and
    /// tells how many there are.
    #[inline(always)]
    fn keep(&mut self, row: Range<usize>, colind: &mut [i32]) -> usize {
        let (start, mut next) = (row.start, row.start);
        let columns = &self.pattern.colind[..colind.len()];
        for slot in row {
            let value = self.values[slot];
            (colind[next], self.values[next]) = (columns[slot], value);
            next += usize::from(self.entries.keeps(self.touched, slot, value));
        }
        next - start
    }
}

/// Tendon velocities.
pub fn velocity(m: &Model, d: &mut Data) {
    if m.ntendon > 0 {
        velocities(m, d);
    }
}

#[inline(never)]
fn velocities(m: &Model, d: &mut Data) {
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
    if m.ntendon > 0 && support::any_nonzero(&m.tendon_armature) {
        armature_bias(m, d);
    }
}

#[inline(never)]
fn armature_bias(m: &Model, d: &mut Data) {
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
    let pattern = &d.prepared.tendons;
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
        sum + (rate.velocity_at(offset) + cdof.rot().cross(velocity)) * d.qvel[dof]
    })
}
