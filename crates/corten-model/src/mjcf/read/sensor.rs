//! Sensors.

use super::Reader;
use super::value::{apply, misread, read, require, require_text, text};
use crate::diagnostic::Diagnostic;
use crate::enums::{ContactDataField, ObjType, SensorType};
use crate::mjcf::attr::{Keyword as _, Misread, words};
use crate::mjcf::forest::Elem;
use crate::mjcf::keywords::ContactReduction;
use crate::spec::Sensor;

/// What a sensor is attached to, and how that is said.
pub(in crate::mjcf) enum Attachment {
    /// One object, named by the attribute.
    One(&'static str, ObjType),
    /// Any object with a frame, perhaps relative to another.
    Frame {
        relative: bool,
    },
    /// A site seen by a camera.
    CamProjection,
    /// An object inside the volume of a site.
    InsideSite,
    /// Two geoms or bodies.
    Distance,
    Contact,
    Tactile,
    User,
    Nothing,
}

use Attachment::{
    CamProjection, Contact, Distance, Frame, InsideSite, Nothing, One, Tactile, User,
};

const SITE: Attachment = One("site", ObjType::Site);
const JOINT: Attachment = One("joint", ObjType::Joint);
const TENDON: Attachment = One("tendon", ObjType::Tendon);
const ACTUATOR: Attachment = One("actuator", ObjType::Actuator);
const BODY: Attachment = One("body", ObjType::Body);

/// Every sensor: XML name, type, attachment.
pub(in crate::mjcf) const SENSORS: &[(&str, SensorType, Attachment)] = &[
    ("touch", SensorType::Touch, SITE),
    ("accelerometer", SensorType::Accelerometer, SITE),
    ("velocimeter", SensorType::Velocimeter, SITE),
    ("gyro", SensorType::Gyro, SITE),
    ("force", SensorType::Force, SITE),
    ("torque", SensorType::Torque, SITE),
    ("magnetometer", SensorType::Magnetometer, SITE),
    ("rangefinder", SensorType::Rangefinder, SITE),
    ("camprojection", SensorType::CamProjection, CamProjection),
    ("jointpos", SensorType::JointPos, JOINT),
    ("jointvel", SensorType::JointVel, JOINT),
    ("tendonpos", SensorType::TendonPos, TENDON),
    ("tendonvel", SensorType::TendonVel, TENDON),
    ("actuatorpos", SensorType::ActuatorPos, ACTUATOR),
    ("actuatorvel", SensorType::ActuatorVel, ACTUATOR),
    ("actuatorfrc", SensorType::ActuatorFrc, ACTUATOR),
    ("jointactuatorfrc", SensorType::JointActFrc, JOINT),
    ("tendonactuatorfrc", SensorType::TendonActFrc, TENDON),
    ("ballquat", SensorType::BallQuat, JOINT),
    ("ballangvel", SensorType::BallAngVel, JOINT),
    ("jointlimitpos", SensorType::JointLimitPos, JOINT),
    ("jointlimitvel", SensorType::JointLimitVel, JOINT),
    ("jointlimitfrc", SensorType::JointLimitFrc, JOINT),
    ("tendonlimitpos", SensorType::TendonLimitPos, TENDON),
    ("tendonlimitvel", SensorType::TendonLimitVel, TENDON),
    ("tendonlimitfrc", SensorType::TendonLimitFrc, TENDON),
    ("framepos", SensorType::FramePos, Frame { relative: true }),
    ("framequat", SensorType::FrameQuat, Frame { relative: true }),
    ("framexaxis", SensorType::FrameXAxis, Frame { relative: true }),
    ("frameyaxis", SensorType::FrameYAxis, Frame { relative: true }),
    ("framezaxis", SensorType::FrameZAxis, Frame { relative: true }),
    ("framelinvel", SensorType::FrameLinVel, Frame { relative: true }),
    ("frameangvel", SensorType::FrameAngVel, Frame { relative: true }),
    ("framelinacc", SensorType::FrameLinAcc, Frame { relative: false }),
    ("frameangacc", SensorType::FrameAngAcc, Frame { relative: false }),
    ("subtreecom", SensorType::SubtreeCom, BODY),
    ("subtreelinvel", SensorType::SubtreeLinVel, BODY),
    ("subtreeangmom", SensorType::SubtreeAngMom, BODY),
    ("insidesite", SensorType::InsideSite, InsideSite),
    ("distance", SensorType::GeomDist, Distance),
    ("normal", SensorType::GeomNormal, Distance),
    ("fromto", SensorType::GeomFromTo, Distance),
    ("contact", SensorType::Contact, Contact),
    ("e_potential", SensorType::PotentialEnergy, Nothing),
    ("e_kinetic", SensorType::KineticEnergy, Nothing),
    ("clock", SensorType::Clock, Nothing),
    ("tactile", SensorType::Tactile, Tactile),
    ("user", SensorType::User, User),
];

impl Reader<'_> {
    pub(super) fn sensor(&mut self, section: Elem<'_>) {
        for elem in section.children() {
            let found = SENSORS.iter().find(|(name, ..)| *name == elem.name());
            let Some((_, type_, attachment)) = found else { continue };
            let mut sensor = Sensor { type_: *type_, source: elem.source(), ..Default::default() };
            apply(&mut self.diags, elem, &mut sensor);
            self.attachment(elem, attachment, &mut sensor);
            self.spec.sensors.insert(sensor);
        }
    }

    fn attachment(&mut self, elem: Elem<'_>, attachment: &Attachment, sensor: &mut Sensor) {
        match *attachment {
            One(attr, objtype) => {
                sensor.objtype = objtype;
                sensor.objname = require_text(&mut self.diags, elem, attr);
            }
            CamProjection => {
                (sensor.objtype, sensor.reftype) = (ObjType::Site, ObjType::Camera);
                sensor.objname = require_text(&mut self.diags, elem, "site");
                sensor.refname = require_text(&mut self.diags, elem, "camera");
            }
            InsideSite => {
                sensor.reftype = ObjType::Site;
                sensor.refname = require_text(&mut self.diags, elem, "site");
                self.object(elem, sensor);
            }
            Frame { relative } => {
                self.object(elem, sensor);
                if relative {
                    self.reference(elem, sensor);
                }
            }
            Distance => {
                let first = self.exactly_one(elem, ["geom1", "body1"]);
                let second = self.exactly_one(elem, ["geom2", "body2"]);
                (sensor.objtype, sensor.objname) = first;
                (sensor.reftype, sensor.refname) = second;
            }
            Contact => self.contact_sensor(elem, sensor),
            Tactile => {
                (sensor.objtype, sensor.reftype) = (ObjType::Mesh, ObjType::Geom);
                sensor.objname = require_text(&mut self.diags, elem, "mesh");
                sensor.refname = require_text(&mut self.diags, elem, "geom");
            }
            User => self.user_sensor(elem, sensor),
            Nothing => {}
        }
    }

    fn objtype(&mut self, elem: Elem<'_>, name: &str) -> ObjType {
        let Some(attr) = elem.attr(name) else { return ObjType::Unknown };
        ObjType::from_word(&attr.value()).unwrap_or_else(|why| {
            misread(&mut self.diags, elem, attr, why);
            ObjType::Unknown
        })
    }

    fn object(&mut self, elem: Elem<'_>, sensor: &mut Sensor) {
        require_text(&mut self.diags, elem, "objtype");
        sensor.objtype = self.objtype(elem, "objtype");
        sensor.objname = require_text(&mut self.diags, elem, "objname");
    }

    fn reference(&mut self, elem: Elem<'_>, sensor: &mut Sensor) {
        if elem.attr("reftype").is_some() {
            sensor.reftype = self.objtype(elem, "reftype");
            sensor.refname = require_text(&mut self.diags, elem, "refname");
        } else if let Some(name) = text(elem, "refname") {
            self.error(elem, format!("'refname' is '{name}' but 'reftype' is missing"));
        }
    }

    /// A geom or a body, but not both.
    fn exactly_one(&mut self, elem: Elem<'_>, [geom, body]: [&str; 2]) -> (ObjType, String) {
        match (text(elem, geom), text(elem, body)) {
            (Some(name), None) => (ObjType::Geom, name),
            (None, Some(name)) => (ObjType::Body, name),
            _ => {
                self.error(elem, format!("exactly one of '{geom}' and '{body}' must be given"));
                (ObjType::Unknown, String::new())
            }
        }
    }

    /// At most one of several ways to name an object.
    fn at_most_one(&mut self, elem: Elem<'_>, ways: &[(&str, ObjType)]) -> (ObjType, String) {
        let given: Vec<_> =
            ways.iter().filter_map(|(attr, kind)| Some((*kind, text(elem, attr)?))).collect();
        if given.len() > 1 {
            let names: Vec<&str> = ways.iter().map(|(attr, _)| *attr).collect();
            self.error(elem, format!("at most one of {} can be given", names.join(", ")));
        }
        given.into_iter().next().unwrap_or_default_object()
    }

    fn contact_sensor(&mut self, elem: Elem<'_>, sensor: &mut Sensor) {
        (sensor.objtype, sensor.objname) = self.at_most_one(
            elem,
            &[
                ("site", ObjType::Site),
                ("body1", ObjType::Body),
                ("subtree1", ObjType::Xbody),
                ("geom1", ObjType::Geom),
            ],
        );
        (sensor.reftype, sensor.refname) = self.at_most_one(
            elem,
            &[("body2", ObjType::Body), ("subtree2", ObjType::Xbody), ("geom2", ObjType::Geom)],
        );
        sensor.intprm = [1 << ContactDataField::Found.raw(), 0, 1];
        if let Some(attr) = elem.attr("data") {
            match data_fields(&attr.value()) {
                Ok(Some(bits)) => sensor.intprm[0] = bits,
                Ok(None) => {}
                Err(why) => misread(&mut self.diags, elem, attr, why),
            }
        }
        let mut reduction = ContactReduction::None;
        read(&mut self.diags, elem, "reduce", &mut reduction);
        sensor.intprm[1] = reduction as i32;
        read(&mut self.diags, elem, "num", &mut sensor.intprm[2]);
        if sensor.intprm[2] <= 0 {
            self.error(elem, "'num' must be positive");
        }
    }

    fn user_sensor(&mut self, elem: Elem<'_>, sensor: &mut Sensor) {
        match (text(elem, "objtype"), text(elem, "objname")) {
            (Some(kind), Some(name)) => match ObjType::from_word(&kind) {
                Ok(kind) => (sensor.objtype, sensor.objname) = (kind, name),
                // What is measured is the user's own affair.
                Err(why) => {
                    let message = format!("{}: the sensor has no object", why.message);
                    self.report(elem, Diagnostic::warning(message).did_you_mean(why.did_you_mean));
                }
            },
            (None, None) => {}
            _ => {
                let item = Diagnostic::error("'objtype' and 'objname' must be given together");
                self.report(elem, item);
            }
        }
        require(&mut self.diags, elem, "dim", &mut sensor.dim);
        read(&mut self.diags, elem, "needstage", &mut sensor.needstage);
        read(&mut self.diags, elem, "datatype", &mut sensor.datatype);
    }
}

trait DefaultObject {
    fn unwrap_or_default_object(self) -> (ObjType, String);
}

impl DefaultObject for Option<(ObjType, String)> {
    fn unwrap_or_default_object(self) -> (ObjType, String) {
        self.unwrap_or((ObjType::Unknown, String::new()))
    }
}

/// The bits of the data fields, which must be in order; `None` if there are none.
fn data_fields(text: &str) -> Result<Option<i32>, Misread> {
    let expected = || {
        let names: Vec<&str> = ContactDataField::WORDS.iter().map(|(word, _)| *word).collect();
        format!("in this order: {}", names.join(", "))
    };
    let (mut bits, mut last) = (0, -1);
    for word in words(text) {
        let field = ContactDataField::from_word(word)?.raw();
        if field == last {
            return Err(Misread::new(format!("'{word}' is given twice"), expected()));
        }
        if field < last {
            return Err(Misread::new(format!("'{word}' is out of order"), expected()));
        }
        bits |= 1 << field;
        last = field;
    }
    Ok((bits != 0).then_some(bits))
}
