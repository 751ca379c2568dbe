//! Elements as tags: what differs from a default class, in the words of the schema.

use super::text::{Tag, Writer};
use crate::enums::{Bias, ContactDataField, Dynamics, Gain, ObjType};
use crate::mjcf::attr::{Keyword, Value as _};
use crate::sensor::{Attachment, ContactReduction};
use crate::spec::*;

/// Adds an orientation, if it differs.
pub(super) fn set_orientation(tag: &mut Tag, alt: &Orientation, base: &Orientation) {
    if alt == base {
        return;
    }
    match alt {
        Orientation::Quat => {}
        Orientation::AxisAngle(values) => drop(tag.set("axisangle", values.write())),
        Orientation::XyAxes(values) => drop(tag.set("xyaxes", values.write())),
        Orientation::ZAxis(values) => drop(tag.set("zaxis", values.write())),
        Orientation::Euler(values) => drop(tag.set("euler", values.write())),
    }
}

/// Names of attributes that must not stand beside an alternative orientation.
pub(super) fn unless_oriented(alt: &Orientation, base: &Orientation) -> &'static [&'static str] {
    if alt == base { &[] } else { &["quat"] }
}

pub(super) fn geom_tag(geom: &Geom, base: &Geom) -> Tag {
    let mut tag = Tag::new("geom");
    tag.diff_except(geom, base, unless_oriented(&geom.alt, &base.alt));
    set_orientation(&mut tag, &geom.alt, &base.alt);
    tag
}

pub(super) fn site_tag(site: &Site, base: &Site) -> Tag {
    let mut tag = Tag::new("site");
    tag.diff_except(site, base, unless_oriented(&site.alt, &base.alt));
    set_orientation(&mut tag, &site.alt, &base.alt);
    tag
}

pub(super) fn camera_tag(camera: &Camera, base: &Camera) -> Tag {
    let mut tag = Tag::new("camera");
    // User data is not inherited, and these go together.
    tag.diff_except(
        camera,
        base,
        &[
            "user",
            "fovy",
            "sensorsize",
            "resolution",
            "focal",
            "focalpixel",
            "principal",
            "principalpixel",
            if camera.alt == base.alt { "" } else { "quat" },
        ],
    );
    if !camera.userdata.is_empty() {
        tag.set("user", camera.userdata.write());
    }
    set_orientation(&mut tag, &camera.alt, &base.alt);
    let lengths = [
        ("focal", camera.focal_length, base.focal_length),
        ("focalpixel", camera.focal_pixel, base.focal_pixel),
        ("principal", camera.principal_length, base.principal_length),
        ("principalpixel", camera.principal_pixel, base.principal_pixel),
    ];
    let optics =
        lengths.iter().any(|(_, own, base)| own != base) || camera.sensor_size != base.sensor_size;
    for (name, own, base) in lengths {
        if own != base {
            tag.set(name, own.write());
        }
    }
    if optics {
        tag.set("sensorsize", camera.sensor_size.write());
    } else if camera.fovy != base.fovy {
        tag.set("fovy", camera.fovy.write());
    }
    if optics || camera.resolution != base.resolution {
        tag.set("resolution", camera.resolution.write());
    }
    tag
}

pub(super) fn write_material(w: &mut Writer, mut tag: Tag, material: &Material, base: &Material) {
    tag.diff(material, base);
    w.element(&tag, |w| {
        let pairs = material.textures.iter().zip(&base.textures).enumerate();
        for (role, (texture, inherited)) in pairs {
            if texture != inherited
                && let Some(role) = crate::enums::TextureRole::from_raw(role as i32)
            {
                w.leaf(Tag::new("layer").set("role", role.word()).set("texture", texture));
            }
        }
    });
}

pub(super) fn tendon_tag(name: &'static str, tendon: &Tendon, base: &Tendon) -> Tag {
    let mut tag = Tag::new(name);
    let except: &[&str] = if name == "fixed" { &["width", "material", "rgba"] } else { &[] };
    tag.diff_except(tendon, base, except);
    if tendon.springlength != base.springlength {
        tag.set("springlength", tendon.springlength.write());
    }
    tag
}

pub(super) fn wrap_tag(target: &WrapTarget) -> Tag {
    match target {
        WrapTarget::Site { site } => {
            let mut tag = Tag::new("site");
            tag.set("site", site);
            tag
        }
        WrapTarget::Geom { geom, sidesite } => {
            let mut tag = Tag::new("geom");
            tag.set("geom", geom).set_text("sidesite", sidesite);
            tag
        }
        WrapTarget::Joint { joint, coef } => {
            let mut tag = Tag::new("joint");
            tag.set("joint", joint).set("coef", coef.to_string());
            tag
        }
        WrapTarget::Pulley { divisor } => {
            let mut tag = Tag::new("pulley");
            tag.set("divisor", divisor.to_string());
            tag
        }
    }
}

/// An actuator in its general form. Only servos can take over the range of their target, so one
/// that does is written as a servo.
pub(super) fn actuator_tag(actuator: &Actuator, base: &Actuator) -> Tag {
    if actuator.plugin.active {
        let mut tag = Tag::new("plugin");
        tag.diff_except(actuator, base, &["gaintype", "biastype", "gainprm", "biasprm"]);
        return tag;
    }
    let servo = actuator.inheritrange != base.inheritrange
        && actuator.gaintype == Gain::Fixed
        && actuator.biastype == Bias::Affine;
    if !servo {
        let mut tag = Tag::new("general");
        tag.diff(actuator, base);
        return tag;
    }
    let integrated = actuator.dyntype == Dynamics::Integrator;
    let mut tag = Tag::new(if integrated { "intvelocity" } else { "position" });
    tag.diff_except(
        actuator,
        base,
        &[
            "actdim",
            "dyntype",
            "gaintype",
            "biastype",
            "dynprm",
            "gainprm",
            "biasprm",
            "actearly",
            "actlimited",
            if integrated { "" } else { "actrange" },
        ],
    );
    tag.set("inheritrange", actuator.inheritrange.to_string());
    tag.set("kp", actuator.gainprm[0].to_string());
    let damping = actuator.biasprm[2];
    if damping > 0.0 {
        tag.set("dampratio", damping.to_string());
    } else {
        tag.set("kv", (-damping).to_string());
    }
    if actuator.dyntype == Dynamics::FilterExact {
        tag.set("timeconst", actuator.dynprm[0].to_string());
    }
    tag
}

pub(super) fn sensor_tag(sensor: &Sensor) -> Tag {
    let info = sensor.type_.info();
    let mut tag = Tag::new(info.xml_name);
    tag.diff(sensor, &Sensor::default());
    let objtype = sensor.objtype.word();
    match info.attachment {
        Attachment::Nothing => {}
        Attachment::Plugin => {
            if sensor.objtype != ObjType::Unknown {
                tag.set("objtype", objtype).set("objname", &sensor.objname);
            }
            if sensor.reftype != ObjType::Unknown {
                tag.set("reftype", sensor.reftype.word()).set("refname", &sensor.refname);
            }
        }
        Attachment::One(target) => {
            tag.set(target.objtype().xml_name(), &sensor.objname);
        }
        Attachment::CamProjection => {
            tag.set("site", &sensor.objname).set("camera", &sensor.refname);
        }
        Attachment::InsideSite => {
            tag.set("site", &sensor.refname);
            tag.set("objtype", objtype).set("objname", &sensor.objname);
        }
        Attachment::Frame { relative } => {
            tag.set("objtype", objtype).set("objname", &sensor.objname);
            if relative && sensor.reftype != ObjType::Unknown {
                tag.set("reftype", sensor.reftype.word()).set("refname", &sensor.refname);
            }
        }
        Attachment::Distance => {
            tag.set(&numbered(sensor.objtype, 1), &sensor.objname);
            tag.set(&numbered(sensor.reftype, 2), &sensor.refname);
        }
        Attachment::Contact => {
            if sensor.objtype != ObjType::Unknown {
                tag.set(&numbered(sensor.objtype, 1), &sensor.objname);
            }
            if sensor.reftype != ObjType::Unknown {
                tag.set(&numbered(sensor.reftype, 2), &sensor.refname);
            }
            let [fields, reduction, slots] = sensor.intprm;
            let words: Vec<&str> = ContactDataField::chosen(fields).map(Keyword::word).collect();
            tag.set("data", words.join(" "));
            let reduction = ContactReduction::from_raw(reduction);
            tag.set("reduce", reduction.unwrap_or(ContactReduction::None).word());
            tag.set("num", slots.to_string());
        }
        Attachment::Tactile => {
            tag.set("geom", &sensor.refname).set("mesh", &sensor.objname);
        }
        Attachment::User => {
            if sensor.objtype != ObjType::Unknown {
                tag.set("objtype", objtype).set("objname", &sensor.objname);
            }
            tag.set("dim", sensor.dim.to_string());
            tag.set("needstage", sensor.needstage.word());
            tag.set("datatype", sensor.datatype.word());
        }
    }
    tag
}

/// The attribute that names an object of a contact or distance sensor.
fn numbered(kind: ObjType, number: usize) -> String {
    match kind {
        ObjType::Site => "site".to_owned(),
        ObjType::Xbody => format!("subtree{number}"),
        kind => format!("{}{number}", kind.word()),
    }
}
