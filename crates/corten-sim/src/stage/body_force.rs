//! Accelerations of bodies, and the forces that act on and between them.
//!
//! Reads `qacc` and the constraint forces; writes `cacc` (gravity included, as an upward
//! acceleration of the world), `cfrc_ext` (applied forces, contacts, connects and welds) and
//! `cfrc_int` (what the parent exerts on the body). Only sensors and users ask for them. Answers to
//! `mj_rnePostConstraint`.

use corten_math::array::MapInline;
use corten_math::{Spatial, Vec3, wide};
use corten_model::enums::{ConstraintType, EqualityType, ObjType};

use crate::stage::acceleration::has_applied_forces;
use crate::stage::velocity::{moving_forces, world_acceleration};
use crate::{Data, Model, support};

/// `cacc`, `cfrc_int` and `cfrc_ext`.
pub fn body_forces(m: &Model, d: &mut Data) {
    if m.nbody == 0 {
        return;
    }
    d.cfrc_ext.fill(Spatial::ZERO);
    applied(d);
    contacts(m, d);
    equalities(m, d);
    internal(m, d);
}

wide! {
    /// `cacc`, and `cfrc_int` from it and `cfrc_ext`.
    fn internal(m: &Model, d: &mut Data) {
        let (n, nv) = (m.nbody, m.nv);
        let nodes = &d.prepared.structure.bodies[..n];
        let (cdof, cdof_dot) = (&d.cdof[..nv], &d.cdof_dot[..nv]);
        let (qvel, qacc) = (&d.qvel[..nv], &d.qacc[..nv]);
        let (cinert, cvel, external) = (&d.cinert[..n], &d.cvel[..n], &d.cfrc_ext[..n]);
        let (cacc, force) = (&mut d.cacc[..n], &mut d.cfrc_int[..n]);
        cacc[0] = world_acceleration(m);
        force[0] = Spatial::ZERO;
        for i in 1..n {
            let node = &nodes[i];
            let own = node.dofs();
            let mut acc = cacc[node.parent as usize];
            for k in own {
                acc += cdof_dot[k] * qvel[k] + cdof[k] * qacc[k];
            }
            cacc[i] = acc;
        }
        moving_forces::<Simd, f64>(1..n, cinert, cvel, cacc, force);
        for (f, external) in force.iter_mut().zip(external).skip(1) {
            *f -= *external;
        }
        for i in (1..n).rev() {
            let f = force[i];
            force[nodes[i].parent as usize] += f;
        }
    }
}

/// Adds a force and torque at a world point, scaled, to the external force of a body.
fn add(d: &mut Data, body: usize, point: Vec3, force: Vec3, torque: Vec3, scale: f64) {
    let Some(node) = d.prepared.structure.bodies.get(body).filter(|_| body > 0) else { return };
    let com = d.subtree_com[node.root as usize];
    d.cfrc_ext[body] += support::wrench_at(com, point, force, torque) * scale;
}

fn applied(d: &mut Data) {
    if !has_applied_forces(d) {
        return;
    }
    for i in 1..d.xfrc_applied.len() {
        let applied = d.xfrc_applied[i];
        if applied != Spatial::ZERO {
            // The first half is the force here.
            add(d, i, d.xipos[i], applied.rot(), applied.lin(), 1.0);
        }
    }
}

fn contacts(m: &Model, d: &mut Data) {
    for c in 0..d.ncon {
        let con = d.contact[c];
        let [Ok(g1), Ok(g2)] = con.geom.map_inline(usize::try_from) else { continue };
        if con.efc_address < 0 || g1 >= m.ngeom || g2 >= m.ngeom {
            continue;
        }
        let local = support::contact_force(m, d, c);
        let force = con.frame.tmul(Vec3::from_slice(&local));
        let torque = con.frame.tmul(Vec3::from_slice(&local[3..]));
        add(d, m.geom_bodyid[g1] as usize, con.pos, force, torque, -1.0);
        add(d, m.geom_bodyid[g2] as usize, con.pos, force, torque, 1.0);
    }
}

/// Connects and welds; the rows of one constraint follow each other.
fn equalities(m: &Model, d: &mut Data) {
    let mut row = 0;
    while row < d.ne.min(d.efc_id.len()) {
        let id = d.efc_id[row] as usize;
        if id >= m.neq || d.efc_type[row] != ConstraintType::Equality.raw() {
            row += 1;
            continue;
        }
        let weld = match EqualityType::from_raw(m.eq_type[id]) {
            Some(EqualityType::Connect) => false,
            Some(EqualityType::Weld) => true,
            _ => {
                row += 1;
                continue;
            }
        };
        let count = if weld { 6 } else { 3 };
        let Some(rows) = d.efc_force.get(row..row + count) else { return };
        let force = Vec3::from_slice(rows);
        let torque = if weld { Vec3::from_slice(&rows[3..]) } else { Vec3::ZERO };
        row += count;

        // A connect keeps the anchor in both bodies, a weld the one of its second body first.
        let data = &m.eq_data[id];
        let anchors = [Vec3::from_slice(data), Vec3::from_slice(&data[3..])];
        let anchors = if weld { [anchors[1], anchors[0]] } else { anchors };
        let objects = [m.eq_obj1id[id], m.eq_obj2id[id]];
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let Ok(object) = usize::try_from(objects[side]) else { continue };
            let (body, offset) = if m.eq_objtype[id] == ObjType::Body.raw() {
                (object, anchors[side])
            } else if object < m.nsite {
                (m.site_bodyid[object] as usize, m.site_pos[object])
            } else {
                continue;
            };
            if body < m.nbody {
                let point = d.xmat[body] * offset + d.xpos[body];
                add(d, body, point, force, torque, sign);
            }
        }
    }
}
