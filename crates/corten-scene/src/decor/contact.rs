//! Contacts: discs, frames and arrows of their forces.

use corten_math::{MIN_VAL, Mat3, Vec3};
use corten_model::enums::{GeomType, ObjType};
use corten_sim::{Contact, support};

use super::force::length_per_force;
use super::label::three_digits;
use super::{At, Painter, color, frame};
use crate::enums::{Frame, Label, VisFlag};
use crate::geom::{Connector, float3, float9};

pub fn add(p: &mut Painter<'_>) {
    let (points, forces) = (p.has(VisFlag::ContactPoint), p.has(VisFlag::ContactForce));
    let frames = p.opt.frames(Frame::Contact);
    if !points && !forces && !frames {
        return;
    }
    let d = p.d;
    for (i, contact) in d.contacts().iter().enumerate() {
        if points {
            disc(p, i, contact);
        }
        if frames {
            frame::push(p, i, contact.pos, contact.frame.transpose(), 0.5);
        }
        if forces && contact.efc_address >= 0 {
            arrows(p, i, contact);
        }
    }
}

/// A disc in the tangent plane, as thick as the penetration is deep.
fn disc(p: &mut Painter<'_>, i: usize, contact: &Contact) {
    let scale = &p.m.vis.scale;
    let width = f64::from(scale.contactwidth) * p.unit;
    let height = (f64::from(scale.contactheight) * p.unit).max(-contact.dist / 2.0);
    let axes = &contact.frame;
    let mut geom = p.decor(ObjType::Unknown, i);
    geom.kind = GeomType::Cylinder.raw();
    geom.size = [width as f32, width as f32, height as f32];
    geom.pos = float3(contact.pos);
    geom.mat = float9(Mat3::from_columns(axes.row(1), axes.row(2), axes.row(0)));
    geom.rgba = if contact.efc_address < 0 {
        p.m.vis.rgba.contactgap
    } else if p.has(VisFlag::Island) {
        color::island(island_dof(p, contact), true)
    } else {
        p.m.vis.rgba.contactpoint
    };
    if p.opt.labels(Label::ContactPoint) {
        let [first, second] = [0, 1].map(|side| side_name(p, contact, side));
        geom.set_label(&format!("{first} | {second}"));
    }
    p.push(geom);
}

/// First degree of freedom of the contact's island.
fn island_dof(p: &Painter<'_>, contact: &Contact) -> Option<i32> {
    let island = p.d.efc_island.at(contact.efc_address).filter(|_| p.d.nisland > 0)?;
    p.d.island_dofadr.at(*island).copied()
}

/// Bytes that each side has in a label.
const SIDE: usize = 47;

/// What touches on one side: a geom, or an element or vertex of a flex.
fn side_name(p: &Painter<'_>, contact: &Contact, side: usize) -> String {
    let name = |kind: ObjType, id: i32| {
        let id = usize::try_from(id).ok()?;
        p.m.object_names.name(kind, id).map(str::to_owned)
    };
    let (geom, flex) = (contact.geom[side], contact.flex[side]);
    let mut text = if geom >= 0 {
        name(ObjType::Geom, geom).unwrap_or_else(|| format!("g{geom}"))
    } else {
        let flex = name(ObjType::Flex, flex).unwrap_or_else(|| format!("f{flex}"));
        match contact.elem[side] {
            elem @ 0.. => format!("{flex}.e{elem}"),
            _ => format!("{flex}.v{}", contact.vert[side]),
        }
    };
    let cut = (0..=SIDE.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.truncate(cut.unwrap_or(0));
    text
}

/// The force as one arrow, or normal and friction force apart. It points to the side with the higher
/// number, flexes after all bodies; both ways between two bodies other than the world.
fn arrows(p: &mut Painter<'_>, i: usize, contact: &Contact) {
    let wrench = support::contact_force(p.m, p.d, i);
    let mut force = Vec3::from_slice(&wrench);
    if contact.dim < 3 {
        force = Vec3([force[0], 0.0, 0.0]);
    }
    if force.norm() < MIN_VAL {
        return;
    }
    let carrier = |side: usize| match contact.geom[side] {
        geom @ 0.. => p.m.geom_bodyid.at(geom).copied().unwrap_or(0),
        _ => p.m.nbody as i32 + contact.flex[side],
    };
    let [first, second] = [0, 1].map(carrier);
    let factor = length_per_force(p) * if first > second { -1.0 } else { 1.0 };
    let split = p.has(VisFlag::ContactSplit) && contact.dim > 1;
    let parts = if split {
        [Some(Vec3([force[0], 0.0, 0.0])), Some(Vec3([0.0, force[1], force[2]]))]
    } else {
        [Some(force), None]
    };
    let both_ways = first > 0 && second > 0 && !split;
    let kind = if both_ways { Connector::Arrow2 } else { Connector::Arrow };
    let width = f64::from(p.m.vis.scale.forcewidth) * p.unit;
    let colors = [p.m.vis.rgba.contactforce, p.m.vis.rgba.contactfriction];
    for (k, (part, rgba)) in parts.into_iter().zip(colors).enumerate() {
        let Some(part) = part else { continue };
        let mut geom = p.decor(ObjType::Unknown, i);
        if k == 0 && p.opt.labels(Label::ContactForce) {
            geom.set_label(&three_digits(force.norm()));
        }
        let to = contact.pos + contact.frame.tmul(part) * factor;
        p.push_connector(geom, kind, width, [contact.pos, to], rgba);
    }
}
