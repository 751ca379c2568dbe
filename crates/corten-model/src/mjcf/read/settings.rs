//! Sections that hold settings: compiler, option, size, visual, statistic.

use super::Reader;
use super::value::{apply, apply_except, misread, read};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::enums::{DisableBit, EnableBit};
use crate::mjcf::attr::{Misread, read_list};
use crate::mjcf::forest::Elem;

/// Highest actuator group that can be disabled: groups are bits of a signed integer.
const MAX_DISABLED_GROUP: i32 = 30;

pub(in crate::mjcf) const DISABLE_FLAGS: [(&str, DisableBit); 19] = [
    ("constraint", DisableBit::Constraint),
    ("equality", DisableBit::Equality),
    ("frictionloss", DisableBit::FrictionLoss),
    ("limit", DisableBit::Limit),
    ("contact", DisableBit::Contact),
    ("spring", DisableBit::Spring),
    ("damper", DisableBit::Damper),
    ("gravity", DisableBit::Gravity),
    ("clampctrl", DisableBit::ClampCtrl),
    ("warmstart", DisableBit::WarmStart),
    ("filterparent", DisableBit::FilterParent),
    ("actuation", DisableBit::Actuation),
    ("refsafe", DisableBit::RefSafe),
    ("sensor", DisableBit::Sensor),
    ("midphase", DisableBit::MidPhase),
    ("eulerdamp", DisableBit::EulerDamp),
    ("autoreset", DisableBit::AutoReset),
    ("nativeccd", DisableBit::NativeCcd),
    ("island", DisableBit::Island),
];

pub(in crate::mjcf) const ENABLE_FLAGS: [(&str, EnableBit); 6] = [
    ("override", EnableBit::Override),
    ("energy", EnableBit::Energy),
    ("fwdinv", EnableBit::FwdInv),
    ("invdiscrete", EnableBit::InvDiscrete),
    ("multiccd", EnableBit::MultiCcd),
    ("sleep", EnableBit::Sleep),
];

/// Reads an attribute that holds one of two words; the second one means `true`.
fn choice(diags: &mut Diagnostics, elem: Elem<'_>, name: &str, words: [&str; 2]) -> Option<bool> {
    let attr = elem.attr(name)?;
    let value = attr.value();
    let found = words.iter().position(|word| *word == value);
    if found.is_none() {
        let message = format!("'{value}' is not a keyword here");
        misread(diags, elem, attr, Misread::new(message, words.join(", ")));
    }
    found.map(|i| i == 1)
}

impl Reader<'_> {
    pub(crate) fn compiler(&mut self, elem: Elem<'_>) {
        let compiler = &mut self.spec.compiler;
        let diags = &mut self.diags;
        // The general directory comes first: the special ones override it.
        if let Some(dir) = elem.attr("assetdir") {
            compiler.meshdir = dir.value().into_owned();
            compiler.texturedir = compiler.meshdir.clone();
        }
        apply(diags, elem, compiler);
        if let Some(degree) = choice(diags, elem, "angle", ["radian", "degree"]) {
            compiler.degree = degree;
        }
        read(diags, elem, "strippath", &mut self.spec.strippath);
        if choice(diags, elem, "coordinate", ["local", "global"]) == Some(true) {
            diags.push(
                Diagnostic::error("global coordinates are no longer supported")
                    .at(elem.source())
                    .element(elem.name())
                    .hint("load and save the model with MuJoCo 2.3.3 or older to convert it"),
            );
        }
        if let Some(attr) = elem.attr("eulerseq") {
            match <[u8; 3]>::try_from(attr.value().as_bytes()) {
                Ok(seq) => {
                    compiler.eulerseq = seq;
                    // An error only where angles are given in it.
                    if !seq.iter().all(|c| b"xyzXYZ".contains(c)) {
                        let message = format!("'{}' is not a sequence of axes", attr.value());
                        let item = Diagnostic::warning(message).element(elem.name());
                        diags.push(item.at(elem.attr_source(attr)));
                    }
                }
                Err(_) => {
                    let message = format!("'{}' is not a sequence of axes", attr.value());
                    let expected = "three letters out of x, y, z, X, Y, Z";
                    misread(diags, elem, attr, Misread::new(message, expected));
                }
            }
        }
        for child in elem.children() {
            if child.name() == "lengthrange" {
                apply(&mut self.diags, child, &mut self.spec.compiler.lr_opt);
            }
        }
    }

    pub(crate) fn option(&mut self, elem: Elem<'_>) {
        let option = &mut self.spec.option;
        apply(&mut self.diags, elem, option);
        if let Some(attr) = elem.attr("actuatorgroupdisable") {
            let expected = || format!("group numbers from 0 to {MAX_DISABLED_GROUP}");
            match read_list::<i32>(&attr.value()) {
                Err(why) => misread(&mut self.diags, elem, attr, why),
                Ok(groups) => {
                    for group in groups {
                        if (0..=MAX_DISABLED_GROUP).contains(&group) {
                            option.disableactuator |= 1 << group;
                        } else {
                            let why =
                                Misread::new(format!("group {group} out of range"), expected());
                            misread(&mut self.diags, elem, attr, why);
                        }
                    }
                }
            }
        }
        for flag in elem.children() {
            if flag.name() == "flag" {
                self.flags(flag);
            }
        }
    }

    fn flags(&mut self, elem: Elem<'_>) {
        let mut set = |flags: &mut i32, name: &str, bit: i32, inverted: bool| {
            if let Some(on) = choice(&mut self.diags, elem, name, ["disable", "enable"]) {
                *flags = if on != inverted { *flags | bit } else { *flags & !bit };
            }
        };
        let option = &mut self.spec.option;
        for (name, bit) in DISABLE_FLAGS {
            set(&mut option.disableflags, name, bit.raw(), true);
        }
        for (name, bit) in ENABLE_FLAGS {
            set(&mut option.enableflags, name, bit.raw(), false);
        }
    }

    pub(crate) fn size(&mut self, elem: Elem<'_>) {
        let sizes = &mut self.spec.sizes;
        let diags = &mut self.diags;
        apply(diags, elem, sizes);
        if let Some(attr) = elem.attr("memory") {
            match parse_memory(&attr.value()) {
                Ok(Some(bytes)) => sizes.memory = bytes,
                Ok(None) => {}
                Err(why) => misread(diags, elem, attr, why),
            }
        }
        let mut nstack = -1i32;
        if read(diags, elem, "nstack", &mut nstack) {
            sizes.nstack = nstack.into();
        }
        for attr in elem.attrs() {
            let name = attr.name();
            let value = match name {
                "nstack" => nstack,
                "njmax" => sizes.njmax,
                "nconmax" => sizes.nconmax,
                "nuser_body" => sizes.nuser_body,
                "nuser_jnt" => sizes.nuser_jnt,
                "nuser_geom" => sizes.nuser_geom,
                "nuser_site" => sizes.nuser_site,
                "nuser_cam" => sizes.nuser_cam,
                "nuser_tendon" => sizes.nuser_tendon,
                "nuser_actuator" => sizes.nuser_actuator,
                "nuser_sensor" => sizes.nuser_sensor,
                _ => continue,
            };
            if value < -1 {
                let why = Misread::new(format!("{value} is too small"), "-1 or more");
                misread(diags, elem, attr, why);
            }
            if matches!(name, "nstack" | "njmax") && value != -1 && sizes.memory != -1 {
                let message = format!("'memory' and '{name}' cannot both be given");
                let item = Diagnostic::error(message).at(elem.attr_source(attr));
                diags.push(item.element(elem.name()).hint("'memory' replaces the older sizes"));
            }
        }
    }

    pub(super) fn visual(&mut self, elem: Elem<'_>) {
        for child in elem.children() {
            let visual = &mut self.spec.visual;
            let diags = &mut self.diags;
            match child.name() {
                "global" => {
                    apply(diags, child, &mut visual.global);
                    if visual.global.realtime <= 0.0 {
                        self.error(child, "'realtime' must be greater than 0");
                    }
                }
                "quality" => apply(diags, child, &mut visual.quality),
                "headlight" => apply(diags, child, &mut visual.headlight),
                "map" => {
                    apply(diags, child, &mut visual.map);
                    if visual.map.znear <= 0.0 {
                        self.error(child, "'znear' must be greater than 0");
                    }
                }
                "scale" => apply(diags, child, &mut visual.scale),
                "rgba" => apply(diags, child, &mut visual.rgba),
                _ => {}
            }
        }
    }

    pub(super) fn statistic(&mut self, elem: Elem<'_>) {
        let stat = &mut self.spec.stat;
        apply_except(&mut self.diags, elem, stat, &[]);
        if stat.extent.is_some_and(|extent| extent <= 0.0) {
            self.error(elem, "'extent' must be greater than 0");
        }
    }
}

/// Bytes with an optional binary suffix; `None` for the explicit default of −1.
fn parse_memory(text: &str) -> Result<Option<i64>, Misread> {
    let trimmed = text.trim();
    if trimmed == "-1" {
        return Ok(None);
    }
    let digits = trimmed.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match trimmed[digits.len()..].to_ascii_uppercase().as_str() {
        "" => Some(0),
        "K" => Some(10),
        "M" => Some(20),
        "G" => Some(30),
        "T" => Some(40),
        "P" => Some(50),
        "E" => Some(60),
        _ => None,
    };
    let bytes = digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse::<i64>().ok());
    let total = bytes.flatten().zip(shift).and_then(|(n, shift)| n.checked_mul(1i64 << shift));
    match total {
        Some(total) => Ok(Some(total)),
        None => Err(Misread::new(
            format!("'{trimmed}' is not a size in bytes"),
            "a whole number with an optional suffix K, M, G, T, P, E",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_memory;

    #[test]
    fn memory_sizes() {
        assert_eq!(parse_memory("10M").unwrap(), Some(10 << 20));
        assert_eq!(parse_memory(" 7 ").unwrap(), Some(7));
        assert_eq!(parse_memory("-1").unwrap(), None);
        for bad in ["", "M", "-5", "1.5M", "1KB", "9999999999E", "99999999999999999999"] {
            assert!(parse_memory(bad).is_err(), "{bad}");
        }
    }
}
