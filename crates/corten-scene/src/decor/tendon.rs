//! Tendons: straight segments from point to point, or a chain that hangs between two.

use corten_math::real::{exp, ln, powf};
use corten_math::{MIN_VAL, Vec3};
use corten_model::enums::{ConstraintType, DisableBit, ObjType, Transmission};

use super::{At, Painter, color, label, material};
use crate::enums::{Category, Label, VisFlag};
use crate::geom::Connector;
use crate::option::group_shown;

pub fn add(p: &mut Painter<'_>) {
    if !p.wants(Category::Dynamic) || !p.has(VisFlag::Tendon) {
        return;
    }
    for i in 0..p.m.ntendon {
        if !group_shown(&p.opt.tendongroup, p.m.tendon_group[i]) {
            continue;
        }
        match slack_length(p, i) {
            Some(length) => hanging(p, i, length),
            None => straight(p, i),
        }
    }
}

/// A segment of a tendon's path: its ends, and its width relative to the tendon's.
pub struct Segment {
    pub ends: [Vec3; 2],
    pub width: f64,
    /// Whether it is the first point of the path that it starts from.
    pub first: bool,
}

/// The segments of a tendon's path. Those inside of wrapping objects have half the width; a pulley
/// interrupts the path.
pub fn segments(p: &Painter<'_>, tendon: usize) -> Vec<Segment> {
    const PULLEY: i32 = -2;
    let points: &[Vec3] = bytemuck::cast_slice(&p.d.wrap_xpos);
    let objects: &[i32] = bytemuck::cast_slice(&p.d.wrap_obj);
    let (adr, num) = (p.d.ten_wrapadr[tendon], p.d.ten_wrapnum[tendon]);
    let (points, objects) = (points.span(adr, num), objects.span(adr, num));
    let mut found = Vec::with_capacity(points.len().saturating_sub(1));
    for (k, (ends, on)) in points.windows(2).zip(objects.windows(2)).enumerate() {
        if on.contains(&PULLEY) {
            continue;
        }
        let wrapped = on.iter().all(|object| *object >= 0);
        let width = p.m.tendon_width[tendon] * if wrapped { 0.5 } else { 1.0 };
        found.push(Segment { ends: [ends[0], ends[1]], width, first: k == 0 });
    }
    found
}

fn straight(p: &mut Painter<'_>, i: usize) {
    let (matid, own) = (p.m.tendon_matid[i], p.m.tendon_rgba[i]);
    let plain = matid == -1 && own == material::DEFAULT_RGBA;
    let rgba = if plain {
        let share = limit_impedance(p, ConstraintType::LimitTendon, i);
        color::mix(own, p.m.vis.rgba.constraint, share)
    } else {
        own
    };
    for segment in segments(p, i) {
        let mut geom = p.of(ObjType::Tendon, i, Category::Dynamic);
        let [from, to] = segment.ends;
        geom.connect(Connector::Capsule, segment.width, from, to);
        material::apply(p, &mut geom, matid, rgba);
        if p.has(VisFlag::Island) {
            geom.matid = -1;
            geom.rgba = color::island(island_dof(p, i), true);
        }
        if segment.first {
            label::put(p, &mut geom, Label::Tendon, ObjType::Tendon, i);
        }
        p.push(geom);
    }
}

/// First degree of freedom of the island that a tendon's constraint is in.
fn island_dof(p: &Painter<'_>, tendon: usize) -> Option<i32> {
    let row = p.d.tendon_efcadr.get(tendon).copied().filter(|_| p.d.nisland > 0)?;
    let island = *p.d.efc_island.at(row)?;
    p.d.island_dofadr.at(island).copied()
}

/// Impedance of the limit of a joint or tendon; zero while it is within its range.
pub fn limit_impedance(p: &Painter<'_>, kind: ConstraintType, id: usize) -> f64 {
    let d = p.d;
    let first = (d.ne + d.nf).min(d.nefc);
    let rows = first..(first + d.nl).min(d.nefc);
    let of_object = |row: &usize| {
        d.efc_type.get(*row) == Some(&kind.raw()) && d.efc_id.get(*row) == Some(&(id as i32))
    };
    rows.rev().find(of_object).and_then(|row| d.efc_KBIP.get(row)).map_or(0.0, |kbip| kbip[2])
}

/// The length of a string that hangs under gravity: a tendon between two sites that nothing but a
/// limit or a spring without force below its rest length acts on. `None` for all others.
fn slack_length(p: &Painter<'_>, i: usize) -> Option<f64> {
    let m = p.m;
    let [spring_low, spring_high] = m.tendon_lengthspring[i];
    let [low, high] = m.tendon_range[i];
    let stiffness = m.tendon_stiffness[i];
    let by_spring = stiffness > 0.0 && spring_low == 0.0 && spring_high > 0.0;
    let by_limit =
        stiffness == 0.0 && m.tendon_limited[i] == 1 && low == 0.0 && p.d.ten_length[i] < high;
    let hangs = !m.opt.disabled(DisableBit::Gravity)
        && m.opt.gravity.norm() > MIN_VAL
        && m.tendon_num[i] == 2
        && by_spring != by_limit
        && m.tendon_damping[i] == 0.0
        && m.tendon_frictionloss[i] == 0.0;
    let driven = |j: usize| {
        m.actuator_trntype[j] == Transmission::Tendon.raw() && m.actuator_trnid[j][0] == i as i32
    };
    (hangs && !(0..m.nu).any(driven)).then_some(if by_limit { high } else { spring_high })
}

fn hanging(p: &mut Painter<'_>, i: usize, length: f64) {
    let points: &[Vec3] = bytemuck::cast_slice(&p.d.wrap_xpos);
    let &[from, to] = points.span(p.d.ten_wrapadr[i], 2) else { return };
    let count = (p.m.vis.quality.numslices.saturating_add(1)).clamp(2, 100) as usize;
    let path = catenary(from, to, p.m.opt.gravity, length, count);
    for ends in path.windows(2) {
        let mut geom = p.of(ObjType::Tendon, i, Category::Dynamic);
        geom.connect(Connector::Capsule, p.m.tendon_width[i], ends[0], ends[1]);
        material::apply(p, &mut geom, p.m.tendon_matid[i], p.m.tendon_rgba[i]);
        label::put(p, &mut geom, Label::Tendon, ObjType::Tendon, i);
        p.push(geom);
    }
}

/// Points of a chain of some length that hangs between two points (MuJoCo's `mjv_catenary`): two if it
/// is taut, three if its ends are almost above each other, `count` otherwise.
pub fn catenary(from: Vec3, to: Vec3, gravity: Vec3, length: f64, count: usize) -> Vec<Vec3> {
    if from.distance(to) > length {
        return vec![from, to];
    }
    let up = (-gravity).normalized().0;
    let between = to - from;
    let (mut across, run) = (between - up * up.dot(between)).normalized();
    if run < MIN_VAL {
        across = Vec3::ZERO;
    }
    let (run, rise) = (between.dot(across), between.dot(up));

    // A bead on a string without weight.
    if length > 100.0 * run {
        let drop = -0.5 * ((length * length - run * run).sqrt() - rise);
        let aside = run * drop / (2.0 * drop - rise);
        return vec![from, from + up * drop + across * aside, to];
    }

    // y = c cosh((x − x0) / c) + y0, through both ends.
    let c = flatness(rise, run, length) * run;
    let x0 = -0.5 * (ln((length + rise) / (length - rise)) * c - run);
    let y0 = -cosh_sinh(x0 / c).0 * c;
    let mut path = Vec::with_capacity(count);
    path.push(from);
    for i in 1..count.saturating_sub(1) {
        let x = i as f64 * run / count as f64;
        let y = c * cosh_sinh((x - x0) / c).0 + y0;
        path.push(from + across * x + up * y);
    }
    path.push(to);
    path
}

/// Hyperbolic cosine and sine.
fn cosh_sinh(x: f64) -> (f64, f64) {
    let (grown, shrunk) = (exp(x), 1.0 / exp(x));
    (0.5 * (grown + shrunk), 0.5 * (grown - shrunk))
}

/// The parameter of the catenary divided by its horizontal extent, b: the root of
/// `1/√(2b sinh(1/2b) − 1) = 1/√(√(L² − v²)/h − 1)`, a form that is almost linear in b
/// (math.stackexchange.com/a/1002996), by Newton's method with step halving.
fn flatness(rise: f64, run: f64, length: f64) -> f64 {
    const TOLERANCE: f64 = 1e-9;
    let intercept = 1.0 / ((length * length - rise * rise).sqrt() / run - 1.0).sqrt();
    let residual = |b: f64| {
        let a = 0.5 / b;
        let (cosh, sinh) = cosh_sinh(a);
        let excess = 2.0 * b * sinh - 1.0;
        (1.0 / excess.sqrt() - intercept, (a * cosh - sinh) * powf(excess, -1.5))
    };
    let mut b = intercept / 24f64.sqrt();
    for _ in 0..50 {
        let (value, slope) = residual(b);
        if value.abs() < TOLERANCE {
            break;
        }
        let mut step = -value / slope;
        for _ in 0..10 {
            if residual(b + step).0.abs() < value.abs() {
                break;
            }
            step *= 0.5;
        }
        b += step;
    }
    b
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chain has its length, hangs below its ends, and its slope changes evenly with its length.
    #[test]
    fn a_chain_has_its_length() {
        let gravity = Vec3([0.0, 0.0, -9.81]);
        let (from, to) = (Vec3([0.0, 0.0, 1.0]), Vec3([1.0, 0.5, 1.3]));
        for length in [1.3, 2.0, 10.0] {
            let path = catenary(from, to, gravity, length, 4000);
            let sum: f64 = path.windows(2).map(|w| w[0].distance(w[1])).sum();
            assert!((sum - length).abs() < 5e-3 * length, "{sum} of {length}");
            assert!(path.iter().all(|x| x[2] < 1.3 + 1e-9));
        }
    }

    #[test]
    fn a_taut_string_is_straight() {
        let path = catenary(Vec3::ZERO, Vec3::X, Vec3([0.0, 0.0, -1.0]), 0.9, 20);
        assert_eq!(path, vec![Vec3::ZERO, Vec3::X]);
    }

    #[test]
    fn a_string_between_points_above_each_other_has_a_bead() {
        let path = catenary(Vec3::ZERO, Vec3::Z, Vec3([0.0, 0.0, -1.0]), 3.0, 20);
        assert_eq!(path.len(), 3);
        assert!((path[1] - Vec3([0.0, 0.0, -1.0])).norm() < 1e-12);
    }
}
