//! Sensors of contacts: touch, and the contact sensor with its selection and reduction.

use std::cmp::Ordering;

use corten_math::array::MapInline;
use corten_math::{MIN_VAL, Spatial, Vec3};
use corten_model::enums::{ContactDataField, GeomType, ObjType};
use corten_model::sensor::ContactReduction;

use super::measure::Reading;
use super::{Sensor, contains};
use crate::chain::index;
use crate::support::contact_force;
use crate::{Contact, Data, Model, ray};

/// A contact that matches a sensor.
#[derive(Clone, Copy, Debug)]
struct Match {
    /// Smaller comes first.
    order: f64,
    contact: usize,
    /// The sensor looks from the second geom.
    flipped: bool,
}

/// Working memory of contact sensors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    matches: Vec<Match>,
}

/// Sum of the normal forces of contacts on the site's body whose force line meets the site.
pub(super) fn touch(m: &Model, d: &Data, sensor: &Sensor) -> Option<f64> {
    let zone = sensor.site(m, d)?;
    let site = sensor.object(m.nsite)?;
    let kind = GeomType::from_raw(m.site_type[site])?;
    let mut total = 0.0;
    for (i, contact) in d.contact[..d.ncon].iter().enumerate() {
        let bodies = bodies(m, contact);
        let body = zone.body as i32;
        if contact.efc_address < 0 || !bodies.contains(&body) {
            continue;
        }
        let normal_force = contact_force(m, d, i)[0];
        if normal_force <= 0.0 {
            continue;
        }
        let (normal, _) = (contact.frame.row(0) * normal_force).normalized();
        let line = if bodies[1] == body { -normal } else { normal };
        let size = m.site_size[site];
        if ray::primitive_geom(zone.pos, *zone.mat, size, contact.pos, line, kind).is_some() {
            total += normal_force;
        }
    }
    Some(total)
}

/// The contact sensor: fields of the selected contacts, one slot after the other.
pub(super) fn measure(m: &Model, d: &mut Data, sensor: &Sensor) -> Reading {
    let none_else = Reading::from([]);
    sensor.output(d).fill(0.0);
    let [fields, reduce, _] = m.sensor_intprm[sensor.id];
    let size: usize = ContactDataField::chosen(fields).map(|f| f.width()).sum();
    if size == 0 {
        return none_else;
    }
    let reduction = ContactReduction::from_raw(reduce).unwrap_or(ContactReduction::None);
    d.scratch.contact_sensor.matches.clear();
    for i in 0..d.ncon {
        let contact = &d.contact[i];
        if let Some(flipped) = matches(m, d, sensor, contact) {
            let order = match reduction {
                ContactReduction::MinDist => contact.dist,
                ContactReduction::MaxForce => {
                    let force = Vec3::from_slice(&contact_force(m, d, i));
                    -force.dot(force)
                }
                ContactReduction::None | ContactReduction::NetForce => 0.0,
            };
            d.scratch.contact_sensor.matches.push(Match { order, contact: i, flipped });
        }
    }
    let matches = &mut d.scratch.contact_sensor.matches;
    let (count, found) = (matches.len(), matches.len() as f64);
    if reduction == ContactReduction::NetForce {
        let wrench = net_wrench(m, d, &d.scratch.contact_sensor.matches);
        fill_slot(fields, sensor.output(d), |field| wrench.field(field, found));
        return none_else;
    }
    matches.sort_unstable_by(|a, b| {
        let order = a.order.partial_cmp(&b.order).unwrap_or(Ordering::Equal);
        order.then(a.contact.cmp(&b.contact))
    });
    for k in 0..count {
        let seen = Seen::new(m, d, &d.scratch.contact_sensor.matches[k]);
        let Some(slot) = sensor.output(d).chunks_exact_mut(size).nth(k) else { break };
        fill_slot(fields, slot, |field| seen.field(field, found));
    }
    none_else
}

fn fill_slot(fields: i32, slot: &mut [f64], value: impl Fn(ContactDataField) -> Vec3) {
    let mut rest = slot;
    for field in ContactDataField::chosen(fields) {
        let size = field.width();
        let Some((head, tail)) = std::mem::take(&mut rest).split_at_mut_checked(size) else {
            return;
        };
        head.copy_from_slice(&value(field).0[..size]);
        rest = tail;
    }
}

/// One contact as a sensor reports it.
struct Seen {
    contact: Contact,
    force: Vec3,
    torque: Vec3,
    flipped: bool,
}

impl Seen {
    fn new(m: &Model, d: &Data, one: &Match) -> Seen {
        let wrench = contact_force(m, d, one.contact);
        Seen {
            contact: d.contact[one.contact],
            force: Vec3::from_slice(&wrench),
            torque: Vec3::from_slice(&wrench[3..]),
            flipped: one.flipped,
        }
    }

    /// Seen from the second geom, the frame turns by half a turn about its last axis; the force
    /// is the opposite one, so that only its last component changes sign.
    fn field(&self, field: ContactDataField, found: f64) -> Vec3 {
        let wrench = |mut v: Vec3| {
            if self.flipped {
                v[2] = -v[2];
            }
            v
        };
        let axis = |v: Vec3| if self.flipped { -v } else { v };
        match field {
            ContactDataField::Found => Vec3::splat(found),
            ContactDataField::Force => wrench(self.force),
            ContactDataField::Torque => wrench(self.torque),
            ContactDataField::Dist => Vec3::splat(self.contact.dist),
            ContactDataField::Pos => self.contact.pos,
            ContactDataField::Normal => axis(self.contact.frame.row(0)),
            ContactDataField::Tangent => axis(self.contact.frame.row(1)),
        }
    }
}

/// The total of several contacts, in world axes, about their force-weighted centre.
struct NetWrench {
    point: Vec3,
    force: Vec3,
    torque: Vec3,
}

impl NetWrench {
    fn field(&self, field: ContactDataField, found: f64) -> Vec3 {
        match field {
            ContactDataField::Found => Vec3::splat(found),
            ContactDataField::Force => self.force,
            ContactDataField::Torque => self.torque,
            ContactDataField::Dist => Vec3::ZERO,
            ContactDataField::Pos => self.point,
            ContactDataField::Normal => Vec3::X,
            ContactDataField::Tangent => Vec3::Y,
        }
    }
}

fn net_wrench(m: &Model, d: &Data, matches: &[Match]) -> NetWrench {
    // Force and torque in the contact's frame, as exerted on the second geom the sensor sees.
    let local = |one: &Match| {
        let sign = if one.flipped { -1.0 } else { 1.0 };
        let wrench = contact_force(m, d, one.contact).map(|x| sign * x);
        Spatial::new(Vec3::from_slice(&wrench[3..]), Vec3::from_slice(&wrench))
    };
    let (mut point, mut weight) = (Vec3::ZERO, 0.0);
    for one in matches {
        let size = local(one).lin().norm();
        point += d.contact[one.contact].pos * size;
        weight += size;
    }
    point *= 1.0 / weight.max(MIN_VAL);
    let (mut force, mut torque) = (Vec3::ZERO, Vec3::ZERO);
    for one in matches {
        let contact = &d.contact[one.contact];
        let wrench = local(one);
        let push = contact.frame.tmul(wrench.lin());
        force += push;
        torque += contact.frame.tmul(wrench.rot());
        torque += (contact.pos - point).cross(push);
    }
    NetWrench { point, force, torque }
}

/// Bodies of a contact's geoms; −1 for a flex.
fn bodies(m: &Model, contact: &Contact) -> [i32; 2] {
    contact.geom.map_inline(|g| index(g, m.ngeom).map_or(-1, |g| m.geom_bodyid[g]))
}

/// Whether a contact matches the sensor's objects and, if so, whether the sensor sees it from
/// the second geom.
fn matches(m: &Model, d: &Data, sensor: &Sensor, contact: &Contact) -> Option<bool> {
    let specs = [sensor.object, sensor.reference];
    let given = specs.map(|(kind, _)| kind != ObjType::Unknown);
    if given == [false; 2] {
        return Some(false);
    }
    if sensor.object.0 == ObjType::Site {
        let zone = sensor.site(m, d)?;
        let site = sensor.object(m.nsite)?;
        if !contains(&zone, m.site_size[site], m.site_type[site], contact.pos) {
            return None;
        }
    }
    let bodies = bodies(m, contact);
    // fits[s][g]: specification s applies to side g of the contact.
    let fits = specs.map(|s| [0, 1].map_inline(|g| applies(m, s, bodies[g], contact.geom[g])));
    if fits.contains(&[false; 2]) {
        return None;
    }
    match given {
        [true, true] => {
            let (regular, reverse) = (fits[0][0] && fits[1][1], fits[0][1] && fits[1][0]);
            (regular || reverse).then_some(!regular)
        }
        [true, false] => Some(!fits[0][0]),
        _ => Some(!fits[1][1]),
    }
}

/// Whether a sensor's object is, or contains, one side of a contact.
fn applies(m: &Model, (kind, id): (ObjType, i32), body: i32, geom: i32) -> bool {
    match kind {
        // A site has selected contacts by position already.
        ObjType::Unknown | ObjType::Site => true,
        ObjType::Geom => id == geom,
        ObjType::Body => id == body,
        ObjType::Xbody => {
            // Parents precede their children.
            let mut ancestor = body;
            while ancestor > id {
                match index(ancestor, m.nbody).map(|b| m.body_parentid[b]) {
                    Some(parent) if parent < ancestor => ancestor = parent,
                    _ => return false,
                }
            }
            ancestor == id
        }
        _ => false,
    }
}
