//! Tendon paths, lengths, Jacobians, velocities, and the bias force of their inertia.
//!
//! Reads poses (and velocities for `bias`); writes `ten_*` and `wrap_*`. Answers to MuJoCo's
//! `mj_tendon`, `mj_tendonDot` and `mj_tendonBias`.
//!
//! A fixed tendon has the length Σ c·q over some joints. A spatial tendon is a string through
//! sites, bent by round geoms; its length is Σ |leg| / divisor, and a leg of direction u between
//! points p and q changes at the rate u·(q̇ − ṗ). Tangent points on an obstacle count as fixed to
//! it: the path is shortest, so moving them along the obstacle has no first-order effect.

mod path;
mod pattern;
mod wrap;

use std::sync::Arc;

use corten_math::{MIN_VAL, Vec3, wide};
use corten_model::Model;
use corten_model::enums::{JacobianType, JointType, ObjType, SleepState};

pub(crate) use pattern::{Pattern, Row};

use self::path::{Leg, Link, Piece};
use crate::chain::{self, BodyPoint};
use crate::support::tendon_row;
use crate::{Data, sleep};

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

/// Paths, lengths and Jacobians.
pub fn tendon(m: &Model, d: &mut Data) {
    if m.ntendon == 0 {
        return;
    }
    if !d.scratch.tendon.is_of(m) {
        d.scratch.tendon = Pattern::shared(m, &d.scratch.structure);
    }
    let pattern = Arc::clone(&d.scratch.tendon);
    let mut row = std::mem::take(&mut d.scratch.tendon_row);
    d.ten_J_rowadr.copy_from_slice(&pattern.rowadr);
    d.ten_J_colind.resize(pattern.colind.len(), 0);
    d.ten_J.resize(pattern.colind.len(), 0.0);
    let filter = sleep::filters(m, d);
    let keep_zeros = keeps_sparse(m);
    let mut points = 0;
    for i in 0..m.ntendon {
        d.ten_length[i] = 0.0;
        d.ten_J_rownnz[i] = 0;
        if filter && sleep::state(m, d, ObjType::Tendon, i) == SleepState::Asleep {
            continue;
        }
        d.ten_wrapadr[i] = points as i32;
        if path::is_fixed(m, i) {
            fixed(m, d, i, &mut row);
        } else {
            d.ten_length[i] = spatial(m, d, pattern.pieces(i), &mut row, keep_zeros, &mut points);
        }
        d.ten_wrapnum[i] = points as i32 - d.ten_wrapadr[i];

        let start = pattern.rowadr[i] as usize;
        let columns = pattern.columns(i);
        let room = start..start + columns.len();
        let (colind, values) = (&mut d.ten_J_colind[room.clone()], &mut d.ten_J[room]);
        let count = row.take(columns, keep_zeros, colind, values);
        d.ten_J_rownnz[i] = count as i32;
    }
    d.scratch.tendon_row = row;
}

fn fixed(m: &Model, d: &mut Data, tendon: usize, row: &mut Row) {
    let sparse = keeps_sparse(m);
    for (joint, coefficient) in path::joints(m, tendon) {
        let (Some(q), Some(dof)) =
            (chain::index(m.jnt_qposadr[joint], m.nq), chain::index(m.jnt_dofadr[joint], m.nv))
        else {
            continue;
        };
        d.ten_length[tendon] += coefficient * d.qpos[q];
        // A joint listed twice counts once, with its last coefficient, in MuJoCo's dense form.
        if sparse {
            row.add(dof, coefficient);
        } else {
            row.set(dof, coefficient);
        }
    }
}

wide! {
    /// Follows the path of a tendon: adds its points and its derivative, returns its length.
    fn spatial(
        m: &Model,
        d: &mut Data,
        pieces: &[Piece],
        row: &mut Row,
        keep_zeros: bool,
        points: &mut usize,
    ) -> f64 {
        let mut length = 0.0;
        for piece in pieces {
            match piece {
                Piece::Pulley => add_point(d, points, PULLEY, Vec3::ZERO),
                Piece::Leg(leg) => {
                    length += add_leg(m, d, leg, row, keep_zeros, points);
                    if leg.last {
                        add_point(d, points, SITE, d.site_xpos[leg.sites[1]]);
                    }
                }
            }
        }
        length
    }
}

/// Adds a leg's points to the path and its derivative to `row`; returns its share of the length.
#[inline(always)]
fn add_leg(
    m: &Model,
    d: &mut Data,
    leg: &Leg,
    row: &mut Row,
    keep_zeros: bool,
    points: &mut usize,
) -> f64 {
    let [start, end] = leg.sites.map(|s| d.site_xpos[s]);
    let weight = 1.0 / leg.divisor;
    add_point(d, points, SITE, start);
    let touch = leg.around.as_ref().and_then(|a| Some((a, a.touch(m, d, [start, end])?)));
    let Some((around, touch)) = touch else {
        return add_straight(d, &leg.link, [start, end], weight, row, keep_zeros) / leg.divisor;
    };
    let [first, second] = touch.points;
    add_point(d, points, around.geom as i32, first);
    add_point(d, points, around.geom as i32, second);
    let before = add_straight(d, &around.links[0], [start, first], weight, row, keep_zeros);
    let after = add_straight(d, &around.links[1], [second, end], weight, row, keep_zeros);
    (before + touch.length + after) / leg.divisor
}

/// Returns the distance between two points, and adds its derivative: a unit force along the
/// string pulls at both ends, so that the entry of a dof is the power of that force.
///
/// What moves both ends does not change their distance. Where zeros are kept, its entries are.
#[inline(always)]
fn add_straight(
    d: &Data,
    link: &Link,
    ends: [Vec3; 2],
    weight: f64,
    row: &mut Row,
    keep_zeros: bool,
) -> f64 {
    let gap = ends[1] - ends[0];
    if link.bodies[0] == link.bodies[1] {
        return gap.norm();
    }
    let (direction, distance) = gap.normalized();
    let force = direction * weight;
    let s = &*d.scratch.structure;
    let [both, first, second] = link.dofs(s);
    if keep_zeros {
        both.iter().for_each(|&dof| row.add(dof as usize, 0.0));
    }
    for (dofs, end, force) in [(first, 0, -force), (second, 1, force)] {
        if dofs.is_empty() {
            continue;
        }
        let root = s.bodies[link.bodies[end] as usize].root;
        let torque = (ends[end] - d.subtree_com[root as usize]).cross(force);
        for &dof in dofs {
            let axis = &d.cdof[dof as usize];
            row.add(dof as usize, axis.rot().dot(torque) + axis.lin().dot(force));
        }
    }
    distance
}

#[inline(always)]
fn add_point(d: &mut Data, points: &mut usize, object: i32, position: Vec3) {
    let obj = d.wrap_obj.as_flattened_mut().get_mut(*points);
    let xpos = d.wrap_xpos.as_flattened_mut().as_chunks_mut::<3>().0.get_mut(*points);
    if let (Some(obj), Some(xpos)) = (obj, xpos) {
        (*obj, *xpos) = (object, position.0);
        *points += 1;
    }
}

/// Tendon velocities.
pub fn velocity(m: &Model, d: &mut Data) {
    for i in 0..m.ntendon {
        d.ten_velocity[i] = times_row(d, i, &d.qvel);
    }
}

/// One row of `ten_J` times a vector over dofs.
pub(crate) fn times_row(d: &Data, tendon: usize, vector: &[f64]) -> f64 {
    let row = tendon_row(d, tendon);
    let columns = d.ten_J_colind[row.clone()].iter();
    columns.zip(&d.ten_J[row]).map(|(&dof, j)| j * vector[dof as usize]).sum()
}

/// Adds the bias force of tendon armature, `Jᵀ a J̇ q̇`, to `qfrc_bias`.
pub fn bias(m: &Model, d: &mut Data) {
    let filter = sleep::filters(m, d);
    for i in 0..m.ntendon {
        let armature = m.tendon_armature[i];
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
    for piece in d.scratch.tendon.pieces(tendon) {
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
