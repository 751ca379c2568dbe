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

use corten_math::{MIN_VAL, Vec3};
use corten_model::Model;
use corten_model::enums::{JacobianType, JointType, ObjType, SleepState};

pub(crate) use pattern::Pattern;

use self::path::{Leg, Piece};
use self::pattern::Row;
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
    let mut pattern = std::mem::take(&mut d.scratch.tendon);
    pattern.refresh(m);
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
            fixed(m, d, i, &mut pattern.row);
        } else {
            spatial(m, d, i, &mut pattern.row, &mut points);
        }
        d.ten_wrapnum[i] = points as i32 - d.ten_wrapadr[i];

        let start = pattern.rowadr[i] as usize;
        let mut end = start;
        for &dof in &pattern.colind[start..start + pattern.rownnz[i] as usize] {
            if let Some(value) = pattern.row.take(dof as usize)
                && (keep_zeros || value != 0.0)
            {
                (d.ten_J_colind[end], d.ten_J[end]) = (dof, value);
                end += 1;
            }
        }
        d.ten_J_rownnz[i] = (end - start) as i32;
    }
    d.scratch.tendon = pattern;
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

fn spatial(m: &Model, d: &mut Data, tendon: usize, row: &mut Row, points: &mut usize) {
    for piece in path::pieces(m, tendon) {
        match piece {
            Piece::Pulley => add_point(d, points, PULLEY, Vec3::ZERO),
            Piece::Leg(leg) => {
                d.ten_length[tendon] += add_leg(m, d, &leg, row, points);
                if leg.last {
                    add_point(d, points, SITE, d.site_xpos[leg.sites[1]]);
                }
            }
        }
    }
}

/// Adds a leg's points to the path and its derivative to `row`; returns its share of the length.
#[inline]
fn add_leg(m: &Model, d: &mut Data, leg: &Leg, row: &mut Row, points: &mut usize) -> f64 {
    let [start, end] =
        leg.sites.map(|s| BodyPoint { body: m.site_bodyid[s], point: d.site_xpos[s] });
    let touch = leg.around.and_then(|a| {
        a.touch(m, d, [start.point, end.point]).map(|t| (a.geom, m.geom_bodyid[a.geom], t))
    });
    let weight = 1.0 / leg.divisor;
    add_point(d, points, SITE, start.point);
    let Some((geom, body, touch)) = touch else {
        add_straight(m, d, [start, end], weight, row);
        return start.point.distance(end.point) / leg.divisor;
    };
    let on_geom = touch.points.map(|point| BodyPoint { body, point });
    for point in touch.points {
        add_point(d, points, geom as i32, point);
    }
    add_straight(m, d, [start, on_geom[0]], weight, row);
    add_straight(m, d, [on_geom[1], end], weight, row);
    (start.point.distance(touch.points[0]) + touch.length + touch.points[1].distance(end.point))
        / leg.divisor
}

/// Adds the derivative of the distance between two points, unless one body carries both.
fn add_straight(m: &Model, d: &Data, ends: [BodyPoint; 2], weight: f64, row: &mut Row) {
    if ends[0].body == ends[1].body {
        return;
    }
    let (direction, _) = (ends[1].point - ends[0].point).normalized();
    let offset = ends.map(|end| end.point - chain::reference(m, d, end.body));
    let motion = |dof: u32, end: usize| chain::point_motion(&d.cdof[dof as usize], offset[end]);
    let s = &*d.scratch.structure;
    let [first, second] =
        ends.map(|end| chain::index(end.body, m.nbody).map_or(&[][..], |body| s.chain(body)));
    // What both ends have above them moves both.
    let common = first.iter().zip(second).take_while(|(a, b)| a == b).count();
    for &dof in &first[..common] {
        row.add(dof as usize, weight * (motion(dof, 1) - motion(dof, 0)).dot(direction));
    }
    for &dof in &first[common..] {
        row.add(dof as usize, weight * (-motion(dof, 0)).dot(direction));
    }
    for &dof in &second[common..] {
        row.add(dof as usize, weight * motion(dof, 1).dot(direction));
    }
}

fn add_point(d: &mut Data, points: &mut usize, object: i32, position: Vec3) {
    let obj = d.wrap_obj.as_flattened_mut().get_mut(*points);
    let xpos = d.wrap_xpos.as_flattened_mut().get_mut(3 * *points..3 * *points + 3);
    if let (Some(obj), Some(xpos)) = (obj, xpos) {
        *obj = object;
        xpos.copy_from_slice(&position.0);
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
    for piece in path::pieces(m, tendon) {
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
