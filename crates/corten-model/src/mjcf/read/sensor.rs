//! Sensors.

use super::Reader;
use super::value::{apply, misread, read, require, require_text, text};
use crate::diagnostic::Diagnostic;
use crate::enums::{ContactDataField, ObjType, SensorType};
use crate::mjcf::attr::{Keyword as _, Misread, words};
use crate::mjcf::forest::Elem;
use crate::sensor::{Attachment, ContactReduction};
use crate::spec::Sensor;

impl Reader<'_> {
    pub(super) fn sensor(&mut self, section: Elem<'_>) {
        for elem in section.children() {
            let Some(type_) = SensorType::from_xml_name(elem.name()) else { continue };
            let mut sensor = Sensor { type_, source: elem.source(), ..Default::default() };
            apply(&mut self.diags, elem, &mut sensor);
            self.attachment(elem, type_.info().attachment, &mut sensor);
            self.spec.sensors.insert(sensor);
        }
    }

    fn attachment(&mut self, elem: Elem<'_>, attachment: Attachment, sensor: &mut Sensor) {
        match attachment {
            Attachment::Nothing => {}
            Attachment::Plugin => self.plugin_sensor(elem, sensor),
            Attachment::One(target) => {
                sensor.objtype = target.objtype();
                let attr = sensor.objtype.xml_name();
                sensor.objname = require_text(&mut self.diags, elem, attr);
            }
            Attachment::CamProjection => {
                (sensor.objtype, sensor.reftype) = (ObjType::Site, ObjType::Camera);
                sensor.objname = require_text(&mut self.diags, elem, "site");
                sensor.refname = require_text(&mut self.diags, elem, "camera");
            }
            Attachment::InsideSite => {
                sensor.reftype = ObjType::Site;
                sensor.refname = require_text(&mut self.diags, elem, "site");
                self.object(elem, sensor);
            }
            Attachment::Frame { relative } => {
                self.object(elem, sensor);
                if relative {
                    self.reference(elem, sensor);
                }
            }
            Attachment::Distance => {
                let first = self.exactly_one(elem, ["geom1", "body1"]);
                let second = self.exactly_one(elem, ["geom2", "body2"]);
                (sensor.objtype, sensor.objname) = first;
                (sensor.reftype, sensor.refname) = second;
            }
            Attachment::Contact => self.contact_sensor(elem, sensor),
            Attachment::Tactile => {
                (sensor.objtype, sensor.reftype) = (ObjType::Mesh, ObjType::Geom);
                sensor.objname = require_text(&mut self.diags, elem, "mesh");
                sensor.refname = require_text(&mut self.diags, elem, "geom");
            }
            Attachment::User => self.user_sensor(elem, sensor),
        }
    }

    fn plugin_sensor(&mut self, elem: Elem<'_>, sensor: &mut Sensor) {
        sensor.plugin = self.plugin_use(elem);
        for (kind, name) in [("objtype", "objname"), ("reftype", "refname")] {
            let found = (self.objtype(elem, kind), text(elem, name).unwrap_or_default());
            if elem.attr(kind).is_some() != elem.attr(name).is_some() {
                self.error(elem, format!("'{kind}' and '{name}' must be given together"));
            }
            match kind {
                "objtype" => (sensor.objtype, sensor.objname) = found,
                _ => (sensor.reftype, sensor.refname) = found,
            }
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
        given.into_iter().next().unwrap_or((ObjType::Unknown, String::new()))
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
