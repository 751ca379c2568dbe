//! Geoms: shape, pose in the body, bounds, mass; and the placement that sites share.

use corten_math::Vec3;

use super::context::Context;
use super::fluid;
use super::hfield::HFieldPlan;
use super::inertia::{self, Solid};
use super::mesh::MeshPlan;
use super::orientation;
use super::pose::{EPS, Pose, rotation_to, unit_quat, unit3};
use crate::diagnostic::Diagnostic;
use crate::enums::{GeomInertia, GeomType, ObjType};
use crate::names::Names;
use crate::spec::{Element, Geom, Key, Site};

#[derive(Clone, Debug)]
pub(super) struct GeomPlan {
    pub key: Key<Geom>,
    pub body: usize,
    pub pose: Pose,
    pub size: Vec3,
    /// Mesh that the geom shows, or that it was fitted to.
    pub mesh: Option<usize>,
    pub hfield: Option<usize>,
    pub matid: Option<usize>,
    pub aabb: [f64; 6],
    pub rbound: f64,
    pub mass: f64,
    pub inertia: Vec3,
    pub fluid: [f64; 12],
}

impl GeomPlan {
    pub fn new(key: Key<Geom>, body: usize) -> GeomPlan {
        GeomPlan {
            key,
            body,
            pose: Pose::IDENTITY,
            size: Vec3::ZERO,
            mesh: None,
            hfield: None,
            matid: None,
            aabb: [0.0; 6],
            rbound: 0.0,
            mass: 0.0,
            inertia: Vec3::ZERO,
            fluid: [0.0; 12],
        }
    }
}

/// How many sizes a shape needs to be positive.
fn size_count(kind: GeomType) -> usize {
    match kind {
        GeomType::Sphere => 1,
        GeomType::Capsule | GeomType::Cylinder => 2,
        GeomType::Ellipsoid | GeomType::Box => 3,
        _ => 0,
    }
}

pub(super) fn check_size(
    cx: &mut Context,
    kind: &str,
    element: &impl Element,
    shape: GeomType,
    size: Vec3,
) {
    if shape == GeomType::Plane {
        if size[2] <= 0.0 {
            cx.error(kind, element, "the third size of a plane must be positive");
        }
        return;
    }
    for k in 0..size_count(shape) {
        if size[k] <= 0.0 {
            cx.error(kind, element, format!("size {k} must be positive"));
            return;
        }
    }
}

pub(super) fn check_site_type(cx: &mut Context, site: &Site) {
    if matches!(site.type_, GeomType::Mesh | GeomType::HField | GeomType::Plane) {
        cx.error("site", site, "a site cannot be a mesh, a height field or a plane");
    }
}

/// Pose and size of a shape given by two end points; `None` if it is not.
pub(super) fn between(
    cx: &mut Context,
    kind: &str,
    element: &impl Element,
    fromto: Option<[f64; 6]>,
    shape: GeomType,
    pos: Vec3,
    mut size: Vec3,
) -> Option<(Pose, Vec3)> {
    let ends = fromto?;
    if !matches!(
        shape,
        GeomType::Capsule | GeomType::Cylinder | GeomType::Ellipsoid | GeomType::Box
    ) {
        cx.error(kind, element, "'fromto' needs a capsule, cylinder, box or ellipsoid");
    }
    if pos != Vec3::ZERO {
        cx.error(kind, element, "'pos' and 'fromto' cannot both be given");
    }
    let (from, to) = (Vec3::from_slice(&ends[..3]), Vec3::from_slice(&ends[3..]));
    let (axis, length) = unit3(from - to);
    size[1] = length / 2.0;
    if size[1] < EPS {
        cx.error(kind, element, "the points of 'fromto' are too close to each other");
    }
    if matches!(shape, GeomType::Ellipsoid | GeomType::Box) {
        size[2] = size[1];
        size[1] = size[0];
    }
    Some((Pose { pos: (from + to) / 2.0, quat: rotation_to(axis) }, size))
}

pub(super) fn compile(
    cx: &mut Context,
    plan: &mut GeomPlan,
    with_mass: bool,
    is_static: bool,
    names: &Names,
    meshes: &[MeshPlan],
    hfields: &[HFieldPlan],
) {
    let spec = cx.spec;
    let geom = &spec.geoms[plan.key];
    check(cx, geom, is_static);
    let mesh = match geom.meshname.as_str() {
        "" => None,
        name => cx.resolve(names, ObjType::Mesh, name, "geom", geom),
    };
    if !geom.hfieldname.is_empty() {
        plan.hfield = cx.resolve(names, ObjType::HField, &geom.hfieldname, "geom", geom);
    }
    let of_mesh = mesh.map_or("", |m| &spec.meshes[meshes[m].key].material);
    let discarded = spec.compiler.discardvisual;
    let own = if discarded || geom.material.is_empty() { of_mesh } else { &geom.material };
    plan.matid = cx.material(names, own, "geom", geom);

    let placed = between(cx, "geom", geom, geom.fromto, geom.type_, geom.pos, geom.size);
    let (mut pose, mut size) = match placed {
        Some(placed) => placed,
        None => {
            let quat = orientation::resolve(cx, "geom", geom, unit_quat(geom.quat), &geom.alt);
            (Pose { pos: geom.pos, quat }, geom.size)
        }
    };

    // A broken mesh has been reported where it is defined.
    let shape = mesh.and_then(|m| meshes[m].shape.clone());
    plan.mesh = mesh;
    if let Some(shape) = &shape {
        if geom.fromto.is_some() {
            cx.error("geom", geom, "'fromto' cannot be used with a mesh");
        }
        let mut center = Vec3::ZERO;
        if matches!(geom.type_, GeomType::Mesh | GeomType::Sdf) {
            size = shape.min.abs().max(shape.max.abs());
            if geom.typeinertia == GeomInertia::Shell {
                cx.error("geom", geom, "the inertia of a mesh is chosen in the mesh asset");
            }
        } else {
            (size, center) = fit(cx, geom, shape, size);
        }
        let pos = shape.quat.rotate(center) + shape.pos;
        pose = pose.then(&Pose { pos, quat: shape.quat });
    }
    let hfield = plan.hfield.and_then(|h| hfields.get(h));
    match geom.type_ {
        GeomType::HField => {
            if let Some(h) = hfield {
                size = Vec3::new(h.size[0], h.size[1], 0.25 * h.size[2] + 0.5 * h.size[3]);
            }
        }
        GeomType::Mesh | GeomType::Sdf => {}
        kind => check_size(cx, "geom", geom, kind, size),
    }
    (plan.pose, plan.size) = (pose, size);

    let is_mesh = matches!(geom.type_, GeomType::Mesh | GeomType::Sdf);
    let mesh_shape = shape.as_deref().filter(|_| is_mesh);
    if size.0.iter().any(|s| s.is_nan()) {
        cx.error("geom", geom, "a size is not a number");
    }
    (plan.aabb, plan.rbound) = bounds(geom.type_, size, mesh_shape, hfield);
    if with_mass {
        set_mass(cx, plan, mesh_shape);
    }
    if geom.fluid_ellipsoid {
        plan.fluid = fluid::coefficients(geom.type_, size, geom.fluid_coefs);
    }
}

fn check(cx: &mut Context, geom: &Geom, is_static: bool) {
    if !matches!(geom.condim, 1 | 3 | 4 | 6) {
        cx.error("geom", geom, format!("condim is {}, but must be 1, 3, 4 or 6", geom.condim));
    }
    super::contact::check_compliance(cx, "geom", geom, [geom.stiffness, geom.dissipation]);
    if geom.type_.raw() > GeomType::Sdf.raw() {
        cx.error("geom", geom, "this type is for drawing only");
    }
    let is_mesh = matches!(geom.type_, GeomType::Mesh | GeomType::Sdf);
    if is_mesh && geom.meshname.is_empty() {
        cx.error("geom", geom, "a mesh geom must name its mesh");
    }
    if (geom.type_ == GeomType::HField) == geom.hfieldname.is_empty() {
        cx.error("geom", geom, "a height field geom, and no other, must name its hfield");
    }
    if geom.type_ == GeomType::Plane && !is_static {
        cx.error("geom", geom, "planes are only allowed in static bodies");
    }
}

/// Size and centre of a shape fitted to a mesh, by its inertia box or by its bounding box.
fn fit(
    cx: &mut Context,
    geom: &Geom,
    mesh: &corten_geom::mesh::Mesh,
    mut size: Vec3,
) -> (Vec3, Vec3) {
    let mut center = Vec3::ZERO;
    let aabb = cx.spec.compiler.fitaabb;
    let half = if aabb {
        center = (mesh.min + mesh.max) / 2.0;
        mesh.max - center
    } else {
        mesh.inertia_box
    };
    match (geom.type_, aabb) {
        (GeomType::Sphere, false) => size[0] = (half[0] + half[1] + half[2]) / 3.0,
        (GeomType::Sphere, true) => size[0] = half[0].max(half[1]).max(half[2]),
        (GeomType::Capsule, false) => {
            size[0] = (half[0] + half[1]) / 2.0;
            size[1] = (half[2] - size[0] / 2.0).max(0.0);
        }
        (GeomType::Capsule, true) => {
            size[0] = half[0].max(half[1]);
            size[1] = half[2] - size[0];
        }
        (GeomType::Cylinder, false) => {
            size[0] = (half[0] + half[1]) / 2.0;
            size[1] = half[2];
        }
        (GeomType::Cylinder, true) => {
            size[0] = half[0].max(half[1]);
            size[1] = half[2];
        }
        (GeomType::Ellipsoid | GeomType::Box, _) => size = half,
        _ => cx.error("geom", geom, "this type cannot be fitted to a mesh"),
    }
    (size * geom.fitscale, center)
}

/// Bounding box (centre, half sizes) and bounding radius in the geom's own frame.
fn bounds(
    kind: GeomType,
    size: Vec3,
    mesh: Option<&corten_geom::mesh::Mesh>,
    hfield: Option<&HFieldPlan>,
) -> ([f64; 6], f64) {
    /// Extent of an infinite plane.
    const INFINITE: f64 = 1e10;
    let (min, max, radius) = match (kind, mesh, hfield) {
        (GeomType::HField, _, Some(h)) => (
            Vec3::new(-h.size[0], -h.size[1], -h.size[3]),
            Vec3::new(h.size[0], h.size[1], h.size[2]),
            (h.size[0] * h.size[0]
                + h.size[1] * h.size[1]
                + (h.size[2] * h.size[2]).max(h.size[3] * h.size[3]))
            .sqrt(),
        ),
        (GeomType::Mesh | GeomType::Sdf, Some(m), _) => {
            (m.min, m.max, m.min.abs().max(m.max.abs()).norm())
        }
        (GeomType::Plane, ..) => (Vec3::splat(-INFINITE), Vec3::new(INFINITE, INFINITE, 0.0), 0.0),
        _ => {
            let half = match kind {
                GeomType::Sphere => Vec3::splat(size[0]),
                GeomType::Capsule => Vec3::new(size[0], size[0], size[0] + size[1]),
                GeomType::Cylinder => Vec3::new(size[0], size[0], size[1]),
                _ => size,
            };
            let radius = match kind {
                GeomType::Sphere => size[0],
                GeomType::Capsule => size[0] + size[1],
                GeomType::Cylinder => (size[0] * size[0] + size[1] * size[1]).sqrt(),
                GeomType::Ellipsoid => size[0].max(size[1]).max(size[2]),
                GeomType::Box => size.norm(),
                _ => 0.0,
            };
            (-half, half, radius)
        }
    };
    let (center, half) = ((max + min) / 2.0, (max - min) / 2.0);
    ([center[0], center[1], center[2], half[0], half[1], half[2]], radius)
}

fn set_mass(cx: &mut Context, plan: &mut GeomPlan, mesh: Option<&corten_geom::mesh::Mesh>) {
    let geom = &cx.spec.geoms[plan.key];
    let shape = match mesh {
        Some(m) => Solid::Mesh(m),
        None => Solid::Primitive(geom.type_, plan.size, geom.typeinertia),
    };
    let volume = shape.measure();
    let mut density = geom.density;
    match geom.mass.filter(|mass| !mass.is_nan()) {
        Some(mass) if mass != 0.0 => {
            if volume > EPS {
                plan.mass = mass;
                density = mass / volume;
            }
        }
        Some(_) => density = 0.0,
        None => plan.mass = density * volume,
    }
    if plan.mass != 0.0 {
        plan.inertia = shape.inertia(plan.mass);
    }
    if plan.mass < 0.0 || density < 0.0 || plan.inertia.0.iter().any(|&i| i < 0.0) {
        cx.error("geom", geom, "mass, density and inertia cannot be negative");
    }
    if !plan.mass.is_finite() || !inertia::is_finite(plan.inertia) {
        let item = Diagnostic::warning("mass or inertia is not finite");
        cx.diagnostics.push(item.on("geom", geom));
    }
}
