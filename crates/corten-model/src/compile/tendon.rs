//! Tendons and their paths.

use super::context::{Context, id};
use super::joint::{check_limited, is_limited};
use super::name::UserSizes;
use super::tree::Tree;
use crate::ModelArrays;
use crate::diagnostic::Diagnostic;
use crate::enums::{GeomType, ObjType, WrapType};
use crate::names::Names;
use crate::spec::{Tendon, WrapTarget};
use corten_math::memory::Grow;

pub(super) struct TendonPlan<'a> {
    source: &'a Tendon,
    pub limited: bool,
    pub range: [f64; 2],
    actfrclimited: bool,
    matid: i32,
    path: Vec<Station>,
}

#[derive(Clone, Copy)]
struct Station {
    kind: WrapType,
    obj: i32,
    prm: f64,
}

pub(super) fn compile<'a>(cx: &mut Context<'a>, names: &Names, tree: &Tree) -> Vec<TendonPlan<'a>> {
    let spec = cx.spec;
    let mut plans = Vec::new();
    for tendon in spec.tendons.values() {
        let path = path(cx, tendon, names, tree);
        check_path(cx, tendon, &path);
        check_limited(cx, "tendon", tendon, "", tendon.limited, tendon.range);
        check_limited(
            cx,
            "tendon",
            tendon,
            "actuatorfrc",
            tendon.actfrclimited,
            tendon.actfrcrange,
        );
        let limited = is_limited(tendon.limited, tendon.range);
        let actfrclimited = is_limited(tendon.actfrclimited, tendon.actfrcrange);
        if limited && tendon.range[0] >= tendon.range[1] {
            cx.error("tendon", tendon, "range[0] must be smaller than range[1]");
        }
        let [low, high] = tendon.actfrcrange;
        if actfrclimited && (low >= high || low > 0.0 || high < 0.0) {
            cx.error("tendon", tendon, "'actuatorfrcrange' must be increasing and contain 0");
        }
        if tendon.springlength[0] > tendon.springlength[1] {
            cx.error("tendon", tendon, "springlength[0] must not be larger than springlength[1]");
        }
        let matid = id(cx.material(names, &tendon.material, "tendon", tendon));
        let range = tendon.range;
        plans.grow_push(TendonPlan { source: tendon, limited, range, actfrclimited, matid, path });
    }
    plans
}

fn path(cx: &mut Context, tendon: &Tendon, names: &Names, tree: &Tree) -> Vec<Station> {
    let spec = cx.spec;
    let mut out = Vec::with_capacity(tendon.path.len());
    for wrap in &tendon.path {
        let mut find = |kind: ObjType, name: &str| {
            let found = names.id(kind, name);
            match found {
                Some(found) => cx.check_moved(kind, found, name, "tendon", tendon),
                None => cx.diagnostics.push(
                    super::context::unknown(names, kind, name).on("tendon", tendon).at(wrap.source),
                ),
            }
            id(found)
        };
        let station = match &wrap.target {
            WrapTarget::Joint { joint, coef } => {
                Station { kind: WrapType::Joint, obj: find(ObjType::Joint, joint), prm: *coef }
            }
            WrapTarget::Site { site } => {
                Station { kind: WrapType::Site, obj: find(ObjType::Site, site), prm: 0.0 }
            }
            WrapTarget::Pulley { divisor } => {
                if *divisor < 0.0 {
                    let what = Diagnostic::error("the divisor of a pulley cannot be negative");
                    cx.diagnostics.push(what.on("pulley", tendon).at(wrap.source));
                }
                Station { kind: WrapType::Pulley, obj: -1, prm: *divisor }
            }
            WrapTarget::Geom { geom, sidesite } => {
                let obj = find(ObjType::Geom, geom);
                let side = if sidesite.is_empty() { -1 } else { find(ObjType::Site, sidesite) };
                let shape = usize::try_from(obj).ok().map(|g| spec.geoms[tree.geoms[g].key].type_);
                let kind = match shape {
                    Some(GeomType::Cylinder) => WrapType::Cylinder,
                    Some(GeomType::Sphere) | None => WrapType::Sphere,
                    Some(_) => {
                        let what = format!("geom '{geom}' is neither a sphere nor a cylinder");
                        cx.diagnostics
                            .push(Diagnostic::error(what).on("tendon", tendon).at(wrap.source));
                        WrapType::Sphere
                    }
                };
                Station { kind, obj, prm: f64::from(side) }
            }
        };
        out.push(station);
    }
    out
}

fn check_path(cx: &mut Context, tendon: &Tendon, path: &[Station]) {
    let Some(first) = path.first() else {
        cx.error("tendon", tendon, "the path is empty");
        return;
    };
    let fixed = first.kind == WrapType::Joint;
    if !fixed && path.len() < 2 {
        cx.error("tendon", tendon, "a spatial path needs at least two objects");
    }
    if !fixed && tendon.width <= 0.0 {
        cx.error("tendon", tendon, "'width' must be positive");
    }
    if !fixed && tendon.armature < 0.0 {
        cx.error("tendon", tendon, "'armature' cannot be negative");
    }
    let kind = |i: usize| path.get(i).map(|s| s.kind);
    for (i, station) in path.iter().enumerate() {
        let before = i.checked_sub(1).and_then(kind);
        let after = kind(i + 1);
        let end = |k: Option<WrapType>| matches!(k, None | Some(WrapType::Pulley));
        let problem = match station.kind {
            WrapType::Joint if !fixed => Some("a spatial path cannot contain joints"),
            WrapType::Joint => None,
            _ if fixed => Some("a fixed path can contain only joints"),
            WrapType::Pulley if before == Some(WrapType::Pulley) => {
                Some("a pulley cannot follow a pulley")
            }
            WrapType::Pulley if after.is_none() => Some("the path cannot end with a pulley"),
            WrapType::Site if end(before) && end(after) => {
                Some("a site needs a neighbour that is not a pulley")
            }
            WrapType::Site
                if after == Some(WrapType::Site)
                    && station.obj >= 0
                    && station.obj == path[i + 1].obj =>
            {
                Some("a site is repeated")
            }
            WrapType::Sphere | WrapType::Cylinder
                if before != Some(WrapType::Site) || after != Some(WrapType::Site) =>
            {
                Some("a wrapping geom must be between two sites")
            }
            WrapType::Sphere | WrapType::Cylinder if tendon.armature > 0.0 => {
                Some("a tendon with armature cannot wrap around geoms")
            }
            _ => None,
        };
        if let Some(problem) = problem {
            let source = tendon.path.get(i).map_or(tendon.source, |w| w.source);
            cx.diagnostics.push(Diagnostic::error(problem).on("tendon", tendon).at(source));
        }
    }
}

pub(super) fn write(m: &mut ModelArrays, tendons: &[TendonPlan], users: &UserSizes) {
    m.ntendon = tendons.len();
    m.nuser_tendon = users.tendon;
    m.nwrap = tendons.iter().map(|t| t.path.len()).sum();
    m.resize();
    let mut address = 0;
    for (i, plan) in tendons.iter().enumerate() {
        let s = plan.source;
        m.tendon_adr[i] = address as i32;
        m.tendon_num[i] = plan.path.len() as i32;
        m.tendon_matid[i] = plan.matid;
        m.tendon_group[i] = s.group;
        m.tendon_limited[i] = plan.limited.into();
        m.tendon_actfrclimited[i] = plan.actfrclimited.into();
        m.tendon_width[i] = s.width;
        m.tendon_solref_lim[i] = s.solref_limit;
        m.tendon_solimp_lim[i] = s.solimp_limit;
        m.tendon_solref_fri[i] = s.solref_friction;
        m.tendon_solimp_fri[i] = s.solimp_friction;
        m.tendon_range[i] = s.range;
        m.tendon_actfrcrange[i] = s.actfrcrange;
        m.tendon_margin[i] = s.margin;
        m.tendon_stiffness[i] = s.stiffness;
        m.tendon_damping[i] = s.damping;
        m.tendon_armature[i] = s.armature;
        m.tendon_frictionloss[i] = s.frictionloss;
        m.tendon_lengthspring[i] = s.springlength;
        m.tendon_rgba[i] = s.rgba;
        m.tendon_user[users.tendon * i..][..s.userdata.len()].copy_from_slice(&s.userdata);
        for station in &plan.path {
            m.wrap_type[address] = station.kind.raw();
            m.wrap_objid[address] = station.obj;
            m.wrap_prm[address] = station.prm;
            address += 1;
        }
    }
}
