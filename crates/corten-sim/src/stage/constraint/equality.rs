//! Rows of equality constraints: connect, weld, joint and tendon couplings, edges of flexes.
//!
//! Answers to `mj_instantiateEquality`. Residual first, in the order of the two objects:
//! `connect` is the difference of two points (3 rows); `weld` adds the imaginary part of
//! `conj(q₂)·q₁·rel`, times the torque scale (6 rows); couplings are
//! `y − y₀ − poly(x − x₀)` (1 row); a flex gives `L − L₀` of each edge that is not rigid (1 row
//! each). Parameters of the polynomial in `eq_data[0..5]`.

use corten_math::memory::Grow;
use corten_math::{Number, Quat, Spatial, Vec3, for_each_four, wide};
use corten_model::enums::{ConstraintType, DisableBit, EqualityType, ObjType};

use super::assembly::{Constraints, Link, Row, chain};
use super::{Given, impedance, is_sparse};
use crate::Model;
use crate::prepared::structure::Joint;
use crate::solve::rows::Kind;

pub(super) fn equality(
    m: &Model,
    given: &Given<'_>,
    tendon_efcadr: &mut [i32],
    rows: &mut Constraints,
) {
    if m.opt.disabled(DisableBit::Equality) {
        return;
    }
    for eq in 0..m.neq {
        if given.eq_active[eq] == 0 || given.asleep(m, ObjType::Equality, eq) {
            continue;
        }
        let Some(kind) = EqualityType::from_raw(m.eq_type[eq]) else { continue };
        match kind {
            EqualityType::Connect => point_pair(m, given, rows, eq, false),
            EqualityType::Weld => point_pair(m, given, rows, eq, true),
            EqualityType::Joint => joint_coupling(m, given, rows, eq),
            EqualityType::Tendon => tendon_coupling(m, given, tendon_efcadr, rows, eq),
            EqualityType::Flex => flex_edges(m, given, rows, eq),
            EqualityType::Distance => {}
        }
    }
}

/// A frame to be connected: its body, and its position and orientation in the world.
struct Anchor {
    body: usize,
    point: Vec3,
    orientation: Quat,
}

/// The two frames of a connect or weld; `None` if an object does not exist.
fn anchors(m: &Model, d: &Given<'_>, eq: usize, weld: bool) -> Option<[Anchor; 2]> {
    let data = &m.eq_data[eq];
    let ids = [m.eq_obj1id[eq], m.eq_obj2id[eq]];
    let anchor = |side: usize| {
        let id = usize::try_from(ids[side]).ok()?;
        if m.eq_objtype[eq] == ObjType::Site.raw() {
            let body = usize::try_from(*m.site_bodyid.get(id)?).ok().filter(|&b| b < m.nbody)?;
            let orientation = d.xquat[body] * m.site_quat[id];
            return Some(Anchor { body, point: d.site_xpos[id], orientation });
        }
        if id >= m.nbody {
            return None;
        }
        // A weld stores its anchors the other way round, and the relative pose of the second
        // body in the frame of the first.
        let slot = if weld { 1 - side } else { side };
        let local = Vec3::from_slice(&data[3 * slot..]);
        let relative = if side == 0 { Quat::from_slice(&data[6..]) } else { Quat::IDENTITY };
        Some(Anchor {
            body: id,
            point: d.xmat[id] * local + d.xpos[id],
            orientation: if weld { d.xquat[id] * relative } else { d.xquat[id] },
        })
    };
    Some([anchor(0)?, anchor(1)?])
}

fn point_pair(m: &Model, d: &Given<'_>, rows: &mut Constraints, eq: usize, weld: bool) {
    let Some([first, second]) = anchors(m, d, eq, weld) else { return };
    let (col, val) = (rows.columns.len(), rows.values.len());
    let bodies = [first.body, second.body];
    chain(d.chains.structure, bodies, &mut rows.chain);
    let links = &rows.chain;
    let n = links.len();
    let rank = if weld { 6 } else { 3 };
    rows.values.resize(val + rank * n, 0.0);
    let offsets = [&first, &second].map(|anchor| d.chains.offset(anchor.body, anchor.point));
    let back = second.orientation.conjugate();
    let torque_scale = m.eq_data[eq][10];
    rows.columns.extend(links.iter().map(|link| link.dof));
    let (linear, angular) = rows.values[val..].split_at_mut(3 * n);
    relative_velocities(d.chains.cdof, links, offsets, linear);
    if weld {
        for (k, link) in links.iter().enumerate() {
            let on = |side: usize| if link.on[side] { 1.0 } else { 0.0 };
            let axis = d.chains.cdof[link.dof as usize].rot() * (on(0) - on(1));
            let turn = back.mul_axis(axis) * first.orientation;
            for i in 0..3 {
                angular[i * n + k] = 0.5 * turn.0[i + 1] * torque_scale;
            }
        }
    }
    if !rows.close(m, Kind::Equality, rank, col, val) {
        return;
    }
    let position = first.point - second.point;
    let mut residual = [position[0], position[1], position[2], 0.0, 0.0, 0.0];
    if weld {
        let turn = back * first.orientation;
        for i in 0..3 {
            residual[3 + i] = turn.0[i + 1] * torque_scale;
        }
    }
    // One impedance for all rows, at the norm of the residual.
    let distance = residual.iter().map(|x| x * x).sum::<f64>().sqrt();
    let softness = (&m.eq_solref[eq], &m.eq_solimp[eq]);
    let row = rows.row(m, softness, ConstraintType::Equality, eq, distance);
    for (i, &pos) in residual[..rank].iter().enumerate() {
        let weight = |b: usize| m.body_invweight0[b][i / 3];
        let inverse_inertia = weight(first.body) + weight(second.body);
        rows.push(&Row { pos, r: impedance::regularization(row.kbip[2], inverse_inertia), ..row });
    }
}

wide! {
    /// Velocity of the first point relative to the second, per unit velocity of each linked degree of
    /// freedom: three rows.
    fn relative_velocities(
        axes: &[Spatial],
        links: &[Link],
        offsets: [Vec3; 2],
        rows: &mut [f64],
    ) {
        let n = links.len();
        let (x, rest) = rows.split_at_mut(n);
        let (y, z) = rest.split_at_mut(n);
        for_each_four!(n, at => relative_velocity::<Simd>(
            axes,
            &links[at..],
            offsets,
            [&mut x[at..], &mut y[at..], &mut z[at..]],
        ));
    }
}

/// Velocity of one point relative to another, by as many dofs as `T` has lanes.
#[inline(always)]
fn relative_velocity<T: Number>(
    axes: &[Spatial],
    links: &[Link],
    offsets: [Vec3; 2],
    [x, y, z]: [&mut [f64]; 3],
) {
    let links = &links[..T::LANES];
    let axis = Spatial::<T>::gather(axes, |k| links[k].dof as usize);
    let v = axis.velocity_at(Vec3::of(offsets[0])) * share(links, 0)
        - axis.velocity_at(Vec3::of(offsets[1])) * share(links, 1);
    v[0].put(x);
    v[1].put(y);
    v[2].put(z);
}

/// One for the dofs that move the point of this side, zero for the others.
#[inline(always)]
fn share<T: Number>(links: &[Link], side: usize) -> T {
    T::from_lanes(|k| f64::from(u8::from(links[k].on[side])))
}

/// Residual of `y = y0 + poly(x − x0)` and its derivative by `x`.
fn polynomial(data: &[f64; 11], y: f64, x: Option<f64>) -> (f64, f64) {
    let Some(x) = x else { return (y - data[0], 0.0) };
    let (x2, x3) = (x * x, x * x * x);
    let value = data[1] * x + data[2] * x2 + data[3] * x3 + data[4] * x2 * x2;
    let slope = data[1] + 2.0 * data[2] * x + 3.0 * data[3] * x2 + 4.0 * data[4] * x3;
    (y - data[0] - value, slope)
}

fn joint_coupling(m: &Model, d: &Given<'_>, rows: &mut Constraints, eq: usize) {
    let joint = |id: i32| d.chains.structure.joints.get(usize::try_from(id).ok()?);
    let Some(first) = joint(m.eq_obj1id[eq]) else { return };
    let second = joint(m.eq_obj2id[eq]);
    let displacement = |j: &Joint| d.qpos[j.qpos()] - m.qpos0[j.qpos()];
    let (pos, slope) = polynomial(&m.eq_data[eq], displacement(first), second.map(displacement));
    let (col, val) = (rows.columns.len(), rows.values.len());
    let mut entries = [(first.dof, 1.0), (0, 0.0)];
    let mut count = 1;
    if let Some(second) = second {
        if second.dof == first.dof {
            entries[0].1 -= slope;
        } else {
            entries[1] = (second.dof, -slope);
            entries.sort_unstable_by_key(|e| e.0);
            count = 2;
        }
    }
    for &(column, value) in &entries[..count] {
        rows.columns.push(column);
        rows.values.push(value);
    }
    if rows.close(m, Kind::Equality, 1, col, val) {
        let weight = |j: &Joint| m.dof_invweight0[j.dof()];
        let inverse_inertia = weight(first) + second.map_or(0.0, weight);
        push_coupling(m, rows, eq, pos, inverse_inertia);
    }
}

fn tendon_coupling(
    m: &Model,
    d: &Given<'_>,
    tendon_efcadr: &mut [i32],
    rows: &mut Constraints,
    eq: usize,
) {
    let tendon = |id: i32| usize::try_from(id).ok().filter(|&t| t < m.ntendon);
    let Some(first) = tendon(m.eq_obj1id[eq]) else { return };
    let second = tendon(m.eq_obj2id[eq]);
    for t in [Some(first), second].into_iter().flatten() {
        // MuJoCo records the equality here, not the row.
        if tendon_efcadr[t] == -1 {
            tendon_efcadr[t] = eq as i32;
        }
    }
    let displacement = |t: usize| d.ten_length[t] - m.tendon_length0[t];
    let (pos, slope) = polynomial(&m.eq_data[eq], displacement(first), second.map(displacement));
    let (col, val) = (rows.columns.len(), rows.values.len());
    let (c1, v1) = d.ten_J.row(first);
    let (c2, v2) = second.map_or((&[][..], &[][..]), |t| d.ten_J.row(t));
    let (mut i, mut j) = (0, 0);
    while i < c1.len() || j < c2.len() {
        let next = |c: &[i32], k: usize| c.get(k).copied().unwrap_or(i32::MAX);
        let column = next(c1, i).min(next(c2, j));
        let mut value = 0.0;
        if next(c1, i) == column {
            value += v1[i];
            i += 1;
        }
        if next(c2, j) == column {
            value -= slope * v2[j];
            j += 1;
        }
        rows.columns.push(column as u32);
        rows.values.push(value);
    }
    if rows.close(m, Kind::Equality, 1, col, val) {
        let weight = |t: usize| m.tendon_invweight0[t];
        push_coupling(m, rows, eq, pos, weight(first) + second.map_or(0.0, weight));
    }
}

fn flex_edges(m: &Model, d: &Given<'_>, rows: &mut Constraints, eq: usize) {
    let Ok(flex) = usize::try_from(m.eq_obj1id[eq]) else { return };
    let softness = *rows.softness(m, &m.eq_solref[eq], &m.eq_solimp[eq]);
    let row = |edge: usize| {
        let pos = d.flexedge_length[edge] - m.flexedge_length0[edge];
        let row = softness.row(ConstraintType::Equality, eq, pos);
        let r = impedance::regularization(row.kbip[2], m.flexedge_invweight0[edge]);
        Row { pos, r, ..row }
    };
    // In sparse form an edge has its row whatever the entries are.
    if is_sparse(m)
        && let Some(edges) = d.flexedge_J.append_all(m, flex, rows)
    {
        return edges.for_each(|edge| rows.push(&row(edge)));
    }
    d.flexedge_J.for_each_soft(m, flex, |edge, columns, values| {
        let (col, val) = (rows.columns.len(), rows.values.len());
        rows.columns.grow_extend(columns.iter().map(|&dof| dof as u32));
        rows.values.grow_extend_from_slice(values);
        if rows.close(m, Kind::Equality, 1, col, val) {
            rows.push(&row(edge));
        }
    });
}

fn push_coupling(m: &Model, rows: &mut Constraints, eq: usize, pos: f64, inverse_inertia: f64) {
    let softness = (&m.eq_solref[eq], &m.eq_solimp[eq]);
    let kind = ConstraintType::Equality;
    rows.push_row(m, softness, kind, eq, [pos, 0.0], pos, 0.0, inverse_inertia);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coupling_slope_is_the_derivative() {
        let data = [0.1, 0.5, -0.3, 0.2, 0.7, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let (x, h) = (0.4, 1e-6);
        let value = |x| polynomial(&data, 0.0, Some(x)).0;
        let slope = -(value(x + h) - value(x - h)) / (2.0 * h);
        assert!((slope - polynomial(&data, 0.0, Some(x)).1).abs() < 1e-9);
        assert_eq!(polynomial(&data, 0.3, None), (0.3 - 0.1, 0.0));
    }
}
