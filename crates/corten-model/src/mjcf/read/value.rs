//! Attributes to values, with findings where that fails.

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::mjcf::attr::{Attributes, Codec, Misread, Value, words};
use crate::mjcf::forest::Elem;
use crate::spec::Orientation;
use crate::xml::AttrRef;

/// Reads all attributes that the table of `T` knows; others are somebody else's business.
pub fn apply<T: Attributes>(diags: &mut Diagnostics, elem: Elem<'_>, target: &mut T) {
    apply_except(diags, elem, target, &[]);
}

/// [`apply`] with attributes left out.
pub fn apply_except<T: Attributes>(
    diags: &mut Diagnostics,
    elem: Elem<'_>,
    target: &mut T,
    except: &[&str],
) {
    for attr in elem.attrs() {
        let name = attr.name();
        if except.contains(&name) {
            continue;
        }
        if let Some(entry) = T::attr(name) {
            let text = attr.value();
            match (entry.read)(target, &text) {
                Ok(()) => warn_of_nan(diags, elem, attr, &text),
                Err(why) => misread(diags, elem, attr, why),
            }
        }
    }
}

/// Reads the attributes of a child that hold values of `target`, in its table as
/// `child/attribute`.
pub fn apply_part<T: Attributes>(diags: &mut Diagnostics, child: Elem<'_>, target: &mut T) {
    let part = child.name();
    for attr in child.attrs() {
        let entry = T::ATTRS.iter().find(|entry| {
            entry.name.strip_prefix(part).and_then(|rest| rest.strip_prefix('/'))
                == Some(attr.name())
        });
        if let Some(entry) = entry {
            let text = attr.value();
            match (entry.read)(target, &text) {
                Ok(()) => warn_of_nan(diags, child, attr, &text),
                Err(why) => misread(diags, child, attr, why),
            }
        }
    }
}

/// A NaN is taken as given, like MuJoCo does, which warns as well.
fn warn_of_nan(diags: &mut Diagnostics, elem: Elem<'_>, attr: AttrRef<'_>, text: &str) {
    let is_nan = |word: &str| word.trim_start_matches(['+', '-']).eq_ignore_ascii_case("nan");
    if attr.name() != "name" && words(text).any(is_nan) {
        let message = format!("attribute '{}' contains 'nan'", attr.name());
        diags.push(Diagnostic::warning(message).at(elem.attr_source(attr)).element(elem.name()));
    }
}

/// Reports a value that cannot be read.
pub fn misread(diags: &mut Diagnostics, elem: Elem<'_>, attr: AttrRef<'_>, why: Misread) {
    diags.push(
        Diagnostic::error(format!("attribute '{}': {}", attr.name(), why.message))
            .at(elem.attr_source(attr))
            .element(elem.name())
            .marking(attr.name().chars().count())
            .expected(why.expected)
            .did_you_mean(why.did_you_mean),
    );
}

/// Reads one attribute into `target`; whether it is there and holds something.
pub fn read<V: Value>(diags: &mut Diagnostics, elem: Elem<'_>, name: &str, target: &mut V) -> bool {
    read_by(diags, elem, name, |text| target.read(text))
}

/// [`read`] for a list that may be shorter than its target.
pub fn read_as<C: Codec<V>, V>(
    diags: &mut Diagnostics,
    elem: Elem<'_>,
    name: &str,
    target: &mut V,
) -> bool {
    read_by(diags, elem, name, |text| C::read(target, text))
}

fn read_by(
    diags: &mut Diagnostics,
    elem: Elem<'_>,
    name: &str,
    parse: impl FnOnce(&str) -> Result<(), Misread>,
) -> bool {
    let Some(attr) = elem.attr(name) else { return false };
    let text = attr.value();
    match parse(&text) {
        Ok(()) => warn_of_nan(diags, elem, attr, &text),
        Err(why) => misread(diags, elem, attr, why),
    }
    words(&text).next().is_some()
}

/// [`read`], with an error if the attribute is absent or blank.
pub fn require<V: Value>(
    diags: &mut Diagnostics,
    elem: Elem<'_>,
    name: &str,
    target: &mut V,
) -> bool {
    let found = read(diags, elem, name, target);
    if !found {
        missing(diags, elem, name);
    }
    found
}

/// The text of an attribute, with an error if it is absent.
pub fn require_text(diags: &mut Diagnostics, elem: Elem<'_>, name: &str) -> String {
    match elem.attr(name) {
        Some(attr) => attr.value().into_owned(),
        None => {
            missing(diags, elem, name);
            String::new()
        }
    }
}

/// The text of an attribute.
pub fn text(elem: Elem<'_>, name: &str) -> Option<String> {
    elem.attr(name).map(|attr| attr.value().into_owned())
}

pub fn missing(diags: &mut Diagnostics, elem: Elem<'_>, name: &str) {
    diags.push(
        Diagnostic::error(format!("required attribute '{name}' is missing"))
            .at(elem.source())
            .element(elem.name())
            .marking(elem.name().chars().count() + 1),
    );
}

/// Whether an attribute that is a list is there and not blank.
pub fn present(elem: Elem<'_>, name: &str) -> bool {
    elem.attr(name).is_some_and(|attr| words(&attr.value()).next().is_some())
}

/// Reads an alternative orientation; how many orientations were given, `quat` included.
pub fn orientation(diags: &mut Diagnostics, elem: Elem<'_>, alt: &mut Orientation) -> usize {
    let mut given = usize::from(elem.attr("quat").is_some());
    let mut axisangle = [0.0; 4];
    if read(diags, elem, "axisangle", &mut axisangle) {
        given += 1;
        *alt = Orientation::AxisAngle(axisangle);
    }
    let mut xyaxes = [0.0; 6];
    if read(diags, elem, "xyaxes", &mut xyaxes) {
        given += 1;
        *alt = Orientation::XyAxes(xyaxes);
    }
    let mut vector = corten_math::Vec3::ZERO;
    if read(diags, elem, "zaxis", &mut vector) {
        given += 1;
        *alt = Orientation::ZAxis(vector);
    }
    if read(diags, elem, "euler", &mut vector) {
        given += 1;
        *alt = Orientation::Euler(vector);
    }
    if given > 1 {
        diags.push(
            Diagnostic::error("more than one orientation")
                .at(elem.source())
                .element(elem.name())
                .expected("one of quat, axisangle, xyaxes, zaxis, euler"),
        );
    }
    given
}
