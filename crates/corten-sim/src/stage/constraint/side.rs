//! Contacts whose sides are carried by several bodies.
//!
//! A point of a deformable moves with the bodies around it, each to a share `wᵢ`: its Jacobian is
//! `Σ wᵢ Jᵢ`, with `Jᵢ` that of the same world point fixed to body `i`. A contact relates two such
//! points; a rigid side is one body with weight one. Answers to `mj_vertBodyWeight`,
//! `mj_elemBodyWeight` and `mj_jacSum`.

use corten_math::array;
use corten_math::memory::Grow;
use corten_math::{MIN_VAL, Vec3};

use super::assembly::{Columns, Constraints};
use crate::chain::index;
use crate::prepared::span::Span;
use crate::solve::rows::push_runs;
use crate::stage::flex::Basis;
use crate::support::Chains;
use crate::{Contact, Model};

/// Most bodies of one side: the nodes that a flex interpolates quadratically, 3³.
const MAX_BODIES: usize = 27;

/// Nodes with smaller weights do not take part; nor do those with negative ones.
const MIN_WEIGHT: f64 = 1e-5;

/// One side of a contact: its bodies, and the share of each in the relative motion, which is negative
/// for the first side.
#[derive(Clone, Debug)]
pub(super) struct ContactSide {
    count: usize,
    shares: [(usize, f64); MAX_BODIES],
    /// The inverse mass that the point meets, approximately: the mean over its bodies.
    pub inverse_mass: f64,
}

/// Up to four vertices of a flex, by their numbers in the model, and weights that add up to one.
struct Vertices {
    ids: [usize; 4],
    weights: [f64; 4],
    count: usize,
}

impl ContactSide {
    fn new() -> ContactSide {
        ContactSide { count: 0, shares: [(0, 0.0); MAX_BODIES], inverse_mass: 0.0 }
    }

    fn push(&mut self, body: usize, share: f64) {
        if let Some(slot) = self.shares.get_mut(self.count) {
            *slot = (body, share);
            self.count += 1;
        }
    }

    /// A side of a contact, with `positions` those of the vertices of flexes; `None` if what it names
    /// does not exist.
    pub fn of(
        m: &Model,
        positions: &[Vec3],
        contact: &Contact,
        side: usize,
    ) -> Option<ContactSide> {
        let sign = if side == 0 { -1.0 } else { 1.0 };
        let mut made = ContactSide::new();
        if let Some(body) = body(m, contact, side) {
            made.push(body, sign);
            made.inverse_mass = m.body_invweight0[body][0];
            return Some(made);
        }
        let flex = index(contact.flex[side], m.nflex)?;
        let vertices = Vertices::of(m, positions, contact, side)?;
        let near = vertices.ids.iter().zip(&vertices.weights).take(vertices.count);
        if m.flex_interp[flex] == 0 {
            for (&vertex, &weight) in near {
                let body = index(*m.flex_vertbodyid.get(vertex)?, m.nbody)?;
                made.push(body, sign * weight);
                made.inverse_mass += m.body_invweight0[body][0] * weight;
            }
            return Some(made);
        }
        let nodes = Span::within(m.flex_nodeadr[flex], m.flex_nodenum[flex], m.nflexnode)?;
        let basis = Basis::new(m.flex_interp[flex], nodes.range().len())?;
        let mut place = Vec3::ZERO;
        for (&vertex, &weight) in near {
            place += *m.flex_vert0.get(vertex)? * weight;
        }
        for (k, node) in nodes.range().enumerate() {
            let body = index(m.flex_nodebodyid[node], m.nbody)?;
            let weight = basis.weight(place, k);
            if weight >= MIN_WEIGHT {
                made.inverse_mass += m.body_invweight0[body][0] * weight;
            }
            // MuJoCo changes the sign of the first side's coordinates, not of its weights.
            let share = basis.weight(place * sign, k);
            if share >= MIN_WEIGHT {
                made.push(body, share);
            }
        }
        Some(made)
    }

    /// Bodies and weights.
    pub fn shares(&self) -> &[(usize, f64)] {
        &self.shares[..self.count]
    }
}

/// The body that carries a side alone: that of a geom, or of a vertex.
#[inline]
pub(super) fn body(m: &Model, contact: &Contact, side: usize) -> Option<usize> {
    if let Some(geom) = index(contact.geom[side], m.ngeom) {
        return index(m.geom_bodyid[geom], m.nbody);
    }
    let flex = index(contact.flex[side], m.nflex).filter(|&flex| m.flex_interp[flex] == 0)?;
    let vertex = m.flex_vertadr[flex].checked_add(index(contact.vert[side], m.nflexvert)? as i32)?;
    index(m.flex_vertbodyid[index(vertex, m.nflexvert)?], m.nbody)
}

impl Vertices {
    fn of(m: &Model, positions: &[Vec3], contact: &Contact, side: usize) -> Option<Vertices> {
        let flex = index(contact.flex[side], m.nflex)?;
        let first = index(m.flex_vertadr[flex], m.nflexvert)?;
        let mut vertices = Vertices { ids: [0; 4], weights: [1.0; 4], count: 0 };
        if let Ok(vertex) = usize::try_from(contact.vert[side]) {
            vertices.ids[0] = first.checked_add(vertex)?;
            vertices.count = 1;
            return Some(vertices);
        }
        let corners = usize::try_from(m.flex_dim[flex]).ok().filter(|dim| *dim <= 3)? + 1;
        let element = usize::try_from(contact.elem[side]).ok()?.checked_mul(corners)?;
        let start = usize::try_from(m.flex_elemdataadr[flex]).ok()?.checked_add(element)?;
        let mut total = 0.0;
        for &vertex in m.flex_elem.get(start..start + corners)? {
            // A vertex that its own element touches is not part of what it touches.
            if vertex == contact.vert[1 - side] {
                continue;
            }
            let vertex = first.checked_add(usize::try_from(vertex).ok()?)?;
            // The nearer a vertex, the larger its share.
            let distance = (contact.pos - *positions.get(vertex)?).norm();
            vertices.ids[vertices.count] = vertex;
            vertices.weights[vertices.count] = 1.0 / distance.max(MIN_VAL);
            total += vertices.weights[vertices.count];
            vertices.count += 1;
        }
        let scale = 1.0 / total;
        vertices.weights.iter_mut().for_each(|weight| *weight *= scale);
        Some(vertices)
    }
}

/// Appends columns and values of the velocity of the second side relative to the first, in the
/// contact frame, in `dim` rows. `None`, and nothing appended, if nothing moves either side.
pub(super) fn push_relative_velocity(
    chains: Chains<'_>,
    rows: &mut Constraints,
    contact: &Contact,
    sides: &[ContactSide; 2],
    dim: usize,
) -> Option<Columns> {
    let (col, run, val) = (rows.columns.len(), rows.runs.len(), rows.values.len());
    for &(body, _) in sides.iter().flat_map(ContactSide::shares) {
        rows.columns.grow_extend_from_slice(chains.structure.chain(body));
    }
    let ncol = ascending(&mut rows.columns[col..]);
    rows.columns.truncate(col + ncol);
    if ncol == 0 {
        return None;
    }
    rows.values.grow_resize(val + dim * ncol, 0.0);
    let (columns, values) = (&rows.columns[col..], &mut rows.values[val..]);
    let frame: [Vec3; 3] = array::from_fn(|i| contact.frame.row(i));
    for &(body, share) in sides.iter().flat_map(ContactSide::shares) {
        let mut at = 0;
        chains.for_each_dof(contact.pos, body, |dof, translation, rotation| {
            at += columns[at..].iter().take_while(|&&column| column < dof as u32).count();
            let along = frame.iter().map(|axis| axis.dot(translation));
            let about = frame.iter().map(|axis| axis.dot(rotation));
            for (row, velocity) in along.chain(about).take(dim).enumerate() {
                values[row * ncol + at] += share * velocity;
            }
        });
    }
    push_runs(columns, &mut rows.runs);
    Some(Columns { col, ncol, run, nrun: rows.runs.len() - run })
}

/// Sorts columns and moves repeated ones to the end; how many differ.
fn ascending(columns: &mut [u32]) -> usize {
    columns.sort_unstable();
    let mut count = 0;
    for k in 0..columns.len() {
        if count == 0 || columns[count - 1] != columns[k] {
            columns[count] = columns[k];
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use corten_math::Mat3;
    use corten_model::Assets;
    use corten_model::enums::Solver;

    use super::*;
    use crate::stage::constraint;
    use crate::{Data, load_model_str, step, support};

    /// Two arms on a cart, a pendulum, loose bodies.
    const TREES: &str = r#"<mujoco>
        <option jacobian="dense" cone="elliptic"/>
        <worldbody>
          <body name="cart"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>
            <geom size=".1"/>
            <body pos=".3 0 0"><joint axis="0 1 0"/><geom size=".1" pos=".1 0 .2"/>
              <body pos="0 .2 0"><joint type="ball"/><geom size=".1" pos="0 .1 .1"/></body></body>
            <body pos="-.3 0 0"><joint axis="1 0 1"/><geom size=".1" pos="0 0 .2"/></body></body>
          <body pos="2 0 0"><joint axis="0 1 0" pos="0 0 1"/><geom size=".1"/></body>
          <body pos="0 2 0"><freejoint/><geom size=".1"/></body>
          <body pos="0 2 1"><freejoint/><geom size=".1"/></body>
        </worldbody></mujoco>"#;

    /// The model with a flex that has vertices at these bodies and one element of all of them.
    fn with_flex(text: &str, bodies: &[i32]) -> Model {
        let mut m = load_model_str(text, &Assets::new()).unwrap();
        (m.nflex, m.nflexvert, m.nflexelem, m.nflexelemdata) = (1, bodies.len(), 1, bodies.len());
        m.resize();
        m.flex_dim[0] = bodies.len() as i32 - 1;
        (m.flex_vertnum[0], m.flex_elemnum[0]) = (bodies.len() as i32, 1);
        m.flex_vertbodyid.copy_from_slice(bodies);
        for (k, vertex) in m.flex_elem.iter_mut().enumerate() {
            *vertex = k as i32;
        }
        m
    }

    fn data(m: &Model) -> Data {
        let mut d = Data::new(m);
        for (k, v) in d.qvel.iter_mut().enumerate() {
            *v = (k as f64).sin();
        }
        step(m, &mut d).unwrap();
        step::position(m, &mut d).unwrap();
        step::velocity(m, &mut d).unwrap();
        d
    }

    fn contact(d: &mut Data, geom: [i32; 2], dim: i32) {
        let axis = Vec3::new(0.3, -0.5, 0.8).normalized().0;
        let side = axis.cross(Vec3::X).normalized().0;
        d.contact = vec![Contact {
            pos: Vec3::new(0.2, 0.5, 0.7),
            frame: Mat3::from_rows(axis, side, axis.cross(side)),
            dist: -0.01,
            dim,
            geom,
            flex: [-1, 0],
            elem: [-1, 0],
            friction: [0.8, 0.8, 0.1, 0.02, 0.01],
            solref: [0.02, 1.0],
            solimp: [0.9, 0.95, 0.001, 0.5, 2.0],
            ..Contact::default()
        }];
        d.ncon = 1;
    }

    /// Rows of a contact in the world's order of dofs, from dense Jacobians of points.
    fn expected(d: &Data, shares: &[(usize, f64)], dim: usize) -> Vec<f64> {
        let nv = d.qvel.len();
        let con = &d.contact[0];
        let mut rows = vec![0.0; dim * nv];
        for &(body, weight) in shares {
            let [mut jacp, mut jacr] = [(); 2].map(|()| vec![0.0; 3 * nv]);
            support::jac(d, Some(&mut jacp), Some(&mut jacr), con.pos, body);
            for row in 0..dim {
                let jac = if row < 3 { &jacp } else { &jacr };
                for k in 0..nv {
                    let column = Vec3::new(jac[k], jac[nv + k], jac[2 * nv + k]);
                    rows[row * nv + k] += weight * con.frame.row(row % 3).dot(column);
                }
            }
        }
        rows
    }

    #[test]
    fn rows_are_weighted_sums_of_point_jacobians() {
        // Bodies of one tree and of several, with and without common ancestors, the world.
        for (vertices, geom) in
            [(&[3, 5][..], 3), (&[2, 4, 6], 1), (&[3, 4, 5, 7], 4), (&[6, 6], 5), (&[0, 2, 3], 6)]
        {
            for dim in [1, 3, 4, 6] {
                let m = with_flex(TREES, vertices);
                let mut d = data(&m);
                contact(&mut d, [geom, -1], dim);
                let pos = d.contact[0].pos;
                let mut weights = Vec::new();
                for (k, place) in d.flexvert_xpos.iter_mut().enumerate() {
                    let distance = 0.1 + 0.05 * k as f64;
                    *place = pos + Vec3::new(0.0, distance, 0.0);
                    weights.push(1.0 / distance);
                }
                let total: f64 = weights.iter().sum();
                let mut shares = vec![(m.geom_bodyid[geom as usize] as usize, -1.0)];
                let bodies = vertices.iter().map(|&b| b as usize);
                shares.extend(bodies.zip(weights.iter().map(|w| w / total)));
                constraint::make(&m, &mut d);
                constraint::materialize_jacobian(&m, &mut d);
                assert_eq!(d.nefc, dim as usize);
                let expected = expected(&d, &shares, dim as usize);
                for (found, expected) in d.efc_J.iter().zip(&expected) {
                    assert!((found - expected).abs() < 1e-14, "{found} {expected}");
                }
            }
        }
    }

    /// A side that is a flex with one body as all its vertices is that body.
    #[test]
    fn one_body_in_several_parts_is_one_body() {
        let m = with_flex(TREES, &[6, 6]);
        let [parts, whole] = [-1, 5].map(|geom| {
            let mut d = data(&m);
            contact(&mut d, [1, geom], 3);
            step::rows_of_contacts(&m, &mut d);
            step::velocity(&m, &mut d).unwrap();
            step::dynamics(&m, &mut d).unwrap();
            assert_eq!(m.geom_bodyid[5], 6);
            assert_ne!(d.qacc, d.qacc_smooth);
            d.qacc.clone()
        });
        for (a, b) in parts.iter().zip(&whole) {
            assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{a} {b}");
        }
    }

    /// Two equal bodies that carry a contact in halves get half of its force each, which is that
    /// of the one-dimensional problem `f (J M⁻¹ Jᵀ + R) = aref − J a₀`.
    #[test]
    fn halves_share_the_force() {
        const TWINS: &str = r#"<mujoco><option cone="elliptic"/><worldbody><geom type="plane" size="1 1 1"/>
            <body pos="0 0 1"><freejoint/><geom size=".1" mass="2"/></body>
            <body pos="1 0 1"><freejoint/><geom size=".1" mass="2"/></body>
            </worldbody></mujoco>"#;
        for solver in [Solver::Newton, Solver::Cg, Solver::Pgs] {
            let mut m = with_flex(TWINS, &[1, 2]);
            (m.opt.solver, m.opt.tolerance, m.opt.iterations) = (solver, 1e-15, 1000);
            let mut d = Data::new(&m);
            crate::forward(&m, &mut d).unwrap();
            let free = d.qacc_smooth.clone();
            contact(&mut d, [0, -1], 1);
            d.contact[0].frame = Mat3::from_rows(Vec3::Z, Vec3::X, Vec3::Y);
            d.contact[0].pos = Vec3::new(0.5, 0.0, 1.0);
            d.flexvert_xpos.copy_from_slice(&[Vec3::new(0.0, 0.0, 1.0), Vec3::new(1.0, 0.0, 1.0)]);
            step::rows_of_contacts(&m, &mut d);
            step::velocity(&m, &mut d).unwrap();
            step::dynamics(&m, &mut d).unwrap();
            // Vertical motion only, of the mean of both; turning about y lifts the point, too.
            let inertia = 0.4 * 2.0 * 0.1 * 0.1;
            let inverse_mass = 2.0 * 0.25 * (1.0 / 2.0 + 0.5 * 0.5 / inertia);
            let force = (d.efc_aref[0] - free[2]) / (inverse_mass + d.efc_R[0]);
            assert!(force > 0.0 && d.nefc == 1);
            assert!((d.efc_force[0] / force - 1.0).abs() < 1e-9, "{solver:?}");
            for dof in [2, 8] {
                let expected = free[dof] + 0.5 * force / 2.0;
                assert!((d.qacc[dof] - expected).abs() < 1e-8 * force, "{solver:?}");
            }
        }
    }
}
