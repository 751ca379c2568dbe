//! Text: names of objects, labels of bodies and islands.

use corten_model::enums::{GeomType, ObjType};

use super::{At, Painter};
use crate::enums::{Label, VisFlag};
use crate::geom::{Geom, float3, float9};

/// The object's name, or its kind and number.
pub fn name(p: &Painter<'_>, kind: ObjType, id: usize) -> String {
    let names = &p.m.object_names;
    names.name(kind, id).map_or_else(|| format!("{} {id}", kind.xml_name()), str::to_owned)
}

/// Labels a geom with an object's name if such labels are shown.
pub fn put(p: &Painter<'_>, geom: &mut Geom, label: Label, kind: ObjType, id: usize) {
    if p.opt.labels(label) {
        geom.set_label(&name(p, kind, id));
    }
}

/// Names of bodies, where no inertia boxes carry them.
pub fn of_bodies(p: &mut Painter<'_>) {
    let selection_only = p.opt.labels(Label::Selection);
    if p.has(VisFlag::Inertia) || !(selection_only || p.opt.labels(Label::Body)) {
        return;
    }
    for body in 1..p.m.nbody {
        let id = body as i32;
        if (selection_only && p.pert.select != id) || !p.wants(p.category(id)) {
            continue;
        }
        let mut geom = p.decor(ObjType::Unknown, body);
        geom.kind = GeomType::Label.raw();
        geom.pos = float3(p.d.xpos[body]);
        geom.mat = float9(p.d.xmat[body]);
        geom.set_label(&name(p, ObjType::Body, body));
        p.push(geom);
    }
}

/// The island of each body that is in one.
pub fn of_islands(p: &mut Painter<'_>) {
    if !p.opt.labels(Label::Island) || p.d.nisland == 0 {
        return;
    }
    for body in 1..p.m.nbody {
        let Some(island) = island_of(p, body) else { continue };
        let mut geom = p.decor(ObjType::Unknown, body);
        geom.kind = GeomType::Label.raw();
        geom.pos = float3(p.d.xipos[body]);
        geom.mat = float9(p.d.ximat[body]);
        geom.set_label(&island.to_string());
        p.push(geom);
    }
}

/// The island of the body that carries this one.
pub fn island_of(p: &Painter<'_>, body: usize) -> Option<i32> {
    let weld = p.m.body_weldid[body];
    p.m.body_dofnum.at(weld).filter(|n| **n > 0)?;
    let dof = *p.m.body_dofadr.at(weld)?;
    p.d.dof_island.at(dof).copied().filter(|island| *island >= 0)
}

/// A number with three significant digits, as C's `%.3g` writes it.
pub fn three_digits(x: f64) -> String {
    if !x.is_finite() {
        let text = if x.is_nan() { "nan" } else { "inf" };
        return if x.is_sign_negative() { format!("-{text}") } else { text.to_owned() };
    }
    let scientific = format!("{x:.2e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..3).contains(&exponent) {
        trim(&format!("{x:.*}", (2 - exponent) as usize))
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", trim(digits), exponent.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::three_digits;

    #[test]
    fn numbers_are_written_as_in_c() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (12.345, "12.3"),
            (999.6, "1e+03"),
            (123456.0, "1.23e+05"),
            (0.00012345, "0.000123"),
            (0.000012345, "1.23e-05"),
            (0.5, "0.5"),
            (100.0, "100"),
            (-2.5, "-2.5"),
        ];
        for (x, text) in cases {
            assert_eq!(three_digits(x), text);
        }
    }
}
