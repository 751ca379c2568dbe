//! Contact pairs, equality constraints, tendons.

use super::Reader;
use super::value::{apply, read, read_as, require, require_text, text};
use crate::diagnostic::Diagnostic;
use crate::enums::{EqualityType, ObjType};
use crate::equality::EqualityForm;
use crate::mjcf::attr::upto;
use crate::mjcf::forest::Elem;
use crate::spec::{Equality, Exclude, Wrap, WrapTarget};

impl Reader<'_> {
    pub(super) fn contact(&mut self, section: Elem<'_>) {
        for elem in section.children() {
            match elem.name() {
                "pair" => {
                    let class = self.class_of(elem);
                    let mut pair = self.spec.defaults[class].pair.clone();
                    (pair.class, pair.source) = (Some(class), elem.source());
                    self.one_pair(elem, &mut pair);
                    self.spec.pairs.insert(pair);
                }
                "exclude" => {
                    let mut exclude = Exclude { source: elem.source(), ..Default::default() };
                    apply(&mut self.diags, elem, &mut exclude);
                    require_text(&mut self.diags, elem, "body1");
                    require_text(&mut self.diags, elem, "body2");
                    self.spec.excludes.insert(exclude);
                }
                _ => {}
            }
        }
    }

    pub(super) fn equality(&mut self, section: Elem<'_>) {
        for elem in section.children() {
            let Some(type_) = EqualityType::from_xml_name(elem.name()) else { continue };
            let class = self.class_of(elem);
            let mut equality = self.spec.defaults[class].equality.clone();
            (equality.class, equality.source) = (Some(class), elem.source());
            equality.type_ = type_;
            apply(&mut self.diags, elem, &mut equality);
            match type_.info().form {
                EqualityForm::Frames => self.rigid(elem, &mut equality),
                EqualityForm::Coupling(kind) => self.coupling(elem, &mut equality, kind.xml_name()),
                EqualityForm::Flex => {
                    equality.name1 = require_text(&mut self.diags, elem, "flex");
                }
                EqualityForm::Removed => continue,
            }
            self.spec.equalities.insert(equality);
        }
    }

    /// Connect and weld, between two bodies or between two sites.
    fn rigid(&mut self, elem: Elem<'_>, equality: &mut Equality) {
        let weld = equality.type_ == EqualityType::Weld;
        let diags = &mut self.diags;
        let mut anchor = [0.0; 3];
        let has_anchor = read(diags, elem, "anchor", &mut anchor);
        let mut has_relpose = false;
        if weld {
            let mut relpose: [f64; 7] = std::array::from_fn(|i| equality.data[3 + i]);
            has_relpose = read(diags, elem, "relpose", &mut relpose);
            equality.data[3..10].copy_from_slice(&relpose);
            read(diags, elem, "torquescale", &mut equality.data[10]);
        }
        let [site1, site2, body1, body2] =
            ["site1", "site2", "body1", "body2"].map(|name| text(elem, name));
        let by_sites = site1.is_some() || site2.is_some();
        let by_bodies = body1.is_some() || body2.is_some() || has_anchor || has_relpose;
        let complete_bodies = body1.is_some() && (weld || has_anchor);
        let expected = if weld {
            "body1 (and optionally body2, anchor, relpose), or site1 and site2"
        } else {
            "body1 and anchor (and optionally body2), or site1 and site2"
        };
        if by_sites && by_bodies {
            let item = Diagnostic::error("attributes for bodies and for sites are mixed");
            self.report(elem, item.expected(expected));
        } else if let (Some(site1), Some(site2)) = (site1, site2) {
            equality.objtype = ObjType::Site;
            (equality.name1, equality.name2) = (site1, site2);
        } else if complete_bodies {
            equality.objtype = ObjType::Body;
            equality.data[..3].copy_from_slice(&anchor);
            equality.name1 = body1.unwrap_or_default();
            equality.name2 = body2.unwrap_or_default();
        } else {
            let item = Diagnostic::error("it is not said what to constrain");
            self.report(elem, item.expected(expected));
        }
    }

    /// A polynomial relation between two joints or two tendons.
    fn coupling(&mut self, elem: Elem<'_>, equality: &mut Equality, kind: &str) {
        equality.name1 = require_text(&mut self.diags, elem, &format!("{kind}1"));
        equality.name2 = text(elem, &format!("{kind}2")).unwrap_or_default();
        let mut coefs: [f64; 5] = std::array::from_fn(|i| equality.data[i]);
        read_as::<upto, _>(&mut self.diags, elem, "polycoef", &mut coefs);
        equality.data[..5].copy_from_slice(&coefs);
    }

    pub(super) fn tendon(&mut self, section: Elem<'_>) {
        for elem in section.children() {
            if !matches!(elem.name(), "spatial" | "fixed") {
                continue;
            }
            let class = self.class_of(elem);
            let mut tendon = self.spec.defaults[class].tendon.clone();
            (tendon.class, tendon.source) = (Some(class), elem.source());
            self.one_tendon(elem, &mut tendon);
            for stop in elem.children() {
                if let Some(target) = self.wrap(stop) {
                    tendon.path.push(Wrap { target, source: stop.source() });
                }
            }
            self.spec.tendons.insert(tendon);
        }
    }

    fn wrap(&mut self, elem: Elem<'_>) -> Option<WrapTarget> {
        let diags = &mut self.diags;
        Some(match elem.name() {
            "site" => WrapTarget::Site { site: require_text(diags, elem, "site") },
            "geom" => WrapTarget::Geom {
                geom: require_text(diags, elem, "geom"),
                sidesite: text(elem, "sidesite").unwrap_or_default(),
            },
            "pulley" => {
                let mut divisor = 0.0;
                require(diags, elem, "divisor", &mut divisor);
                WrapTarget::Pulley { divisor }
            }
            "joint" => {
                let joint = require_text(diags, elem, "joint");
                let mut coef = 0.0;
                require(diags, elem, "coef", &mut coef);
                WrapTarget::Joint { joint, coef }
            }
            _ => return None,
        })
    }
}
