//! Mass and inertia of shapes and bodies.

use corten_math::memory::Gather;
use std::f64::consts::PI;

use corten_geom::mesh::Mesh;
use corten_math::real::powf;
use corten_math::{MIN_VAL, Vec3};

use super::context::Context;
use super::geom::GeomPlan;
use super::orientation;
use super::pose::{EPS, Pose, point_inertia, principal, rotated_inertia, unit_quat};
use crate::ModelArrays;
use crate::enums::{GeomInertia, GeomType};
use crate::spec::{Body, Orientation};

/// Inertial properties of a body; no pose while nothing determines it.
#[derive(Clone, Debug)]
pub(super) struct Inertial {
    pub pose: Option<Pose>,
    pub mass: f64,
    pub inertia: Vec3,
}

pub(super) fn is_finite(v: Vec3) -> bool {
    v.0.iter().all(|x| x.is_finite())
}

/// A homogeneous body, or a homogeneous surface.
pub(super) enum Solid<'a> {
    Mesh(&'a Mesh),
    Primitive(GeomType, Vec3, GeomInertia),
}

impl Solid<'_> {
    /// Volume, or area of a shell.
    pub fn measure(&self) -> f64 {
        let (kind, s, shell) = match *self {
            Solid::Mesh(mesh) => return mesh.measure,
            Solid::Primitive(kind, size, inertia) => (kind, size, inertia == GeomInertia::Shell),
        };
        let (r, height) = (s[0], 2.0 * s[1]);
        match (kind, shell) {
            (GeomType::Sphere, false) => 4.0 * PI * r * r * r / 3.0,
            (GeomType::Sphere, true) => 4.0 * PI * r * r,
            (GeomType::Capsule, false) => PI * (r * r * height + 4.0 * r * r * r / 3.0),
            (GeomType::Capsule, true) => 4.0 * PI * r * r + 2.0 * PI * r * height,
            (GeomType::Cylinder, false) => PI * r * r * height,
            (GeomType::Cylinder, true) => 2.0 * PI * r * r + 2.0 * PI * r * height,
            (GeomType::Ellipsoid, false) => 4.0 * PI * s[0] * s[1] * s[2] / 3.0,
            (GeomType::Ellipsoid, true) => {
                // Thomsen's approximation of the surface, within 1.1%.
                const P: f64 = 1.6075;
                let sum = powf(s[0] * s[1], P) + powf(s[1] * s[2], P) + powf(s[2] * s[0], P);
                4.0 * PI * powf(sum / 3.0, 1.0 / P)
            }
            (GeomType::Box | GeomType::HField, false) => s[0] * s[1] * s[2] * 8.0,
            (GeomType::Box | GeomType::HField, true) => {
                8.0 * (s[0] * s[1] + s[1] * s[2] + s[2] * s[0])
            }
            _ => 0.0,
        }
    }

    /// Principal moments at this mass; the axes are those of the shape.
    pub fn inertia(&self, mass: f64) -> Vec3 {
        let (kind, s, shell) = match *self {
            Solid::Mesh(mesh) => return solid_box(mass, mesh.inertia_box),
            Solid::Primitive(kind, size, inertia) => (kind, size, inertia == GeomInertia::Shell),
        };
        match (kind, shell) {
            (GeomType::Sphere, false) => Vec3::splat(2.0 * mass * s[0] * s[0] / 5.0),
            (GeomType::Sphere, true) => Vec3::splat(2.0 * mass * s[0] * s[0] / 3.0),
            (GeomType::Capsule, false) => solid_capsule(mass, s[0], s[1]),
            (GeomType::Capsule, true) => capsule_shell(mass, s[0], s[1]),
            (GeomType::Cylinder, false) => {
                let (r, height) = (s[0], 2.0 * s[1]);
                let across = mass * (3.0 * r * r + height * height) / 12.0;
                Vec3::new(across, across, mass * r * r / 2.0)
            }
            (GeomType::Cylinder, true) => cylinder_shell(mass, s[0], s[1]),
            (GeomType::Ellipsoid, false) => solid_ellipsoid(mass, s),
            (GeomType::Ellipsoid, true) => ellipsoid_shell(mass, s),
            (GeomType::Box | GeomType::HField, false) => solid_box(mass, s),
            (GeomType::Box | GeomType::HField, true) => box_shell(mass, s),
            _ => Vec3::ZERO,
        }
    }
}

fn sums_of_squares(s: Vec3) -> Vec3 {
    let q = s.component_mul(s);
    Vec3::new(q[1] + q[2], q[0] + q[2], q[0] + q[1])
}

fn solid_box(mass: f64, half: Vec3) -> Vec3 {
    Vec3(sums_of_squares(half).0.map(|q| mass * q / 3.0))
}

fn solid_ellipsoid(mass: f64, s: Vec3) -> Vec3 {
    Vec3(sums_of_squares(s).0.map(|q| mass * q / 5.0))
}

/// A cylinder and two hemispheres, displaced by half the height.
fn solid_capsule(mass: f64, r: f64, half: f64) -> Vec3 {
    let height = 2.0 * half;
    let ball = mass * 4.0 * r / (4.0 * r + 3.0 * height);
    let cylinder = mass - ball;
    let ball_inertia = 2.0 * ball * r * r / 5.0;
    let across = cylinder * (3.0 * r * r + height * height) / 12.0
        + (ball_inertia + ball * height * (3.0 * r + 2.0 * height) / 8.0);
    Vec3::new(across, across, cylinder * r * r / 2.0 + ball_inertia)
}

fn capsule_shell(mass: f64, r: f64, half: f64) -> Vec3 {
    let height = 2.0 * half;
    let (ball_area, cylinder_area) = (4.0 * PI * r * r, 2.0 * PI * r * height);
    let ball = mass * ball_area / (ball_area + cylinder_area);
    let cylinder = mass - ball;
    let ball_inertia = 2.0 * ball * r * r / 3.0;
    // A hemispherical shell balances at half its radius.
    let (com, pos) = (r / 2.0, half + r / 2.0);
    let across = cylinder * (6.0 * r * r + height * height) / 12.0
        + (ball_inertia + ball * (pos * pos - com * com));
    Vec3::new(across, across, cylinder * r * r + ball_inertia)
}

fn cylinder_shell(mass: f64, r: f64, half: f64) -> Vec3 {
    let height = 2.0 * half;
    let (disk_area, side_area) = (PI * r * r, 2.0 * PI * r * height);
    let disk = mass * disk_area / (2.0 * disk_area + side_area);
    let side = mass - 2.0 * disk;
    let disk_across = disk * r * r / 4.0 + disk * half * half;
    let across = side * (6.0 * r * r + height * height) / 12.0 + 2.0 * disk_across;
    Vec3::new(across, across, side * r * r + 2.0 * (disk * r * r / 2.0))
}

/// The difference of two solid ellipsoids whose semi-axes differ by `THICKNESS`.
fn ellipsoid_shell(mass: f64, s: Vec3) -> Vec3 {
    const THICKNESS: f64 = 1e-6;
    let outer = s + Vec3::splat(THICKNESS);
    let inner_volume = 4.0 * PI * s[0] * s[1] * s[2] / 3.0;
    let outer_volume = 4.0 * PI * outer[0] * outer[1] * outer[2] / 3.0;
    let density = mass / (outer_volume - inner_volume);
    solid_ellipsoid(outer_volume * density, outer) - solid_ellipsoid(inner_volume * density, s)
}

/// Three pairs of plates.
fn box_shell(mass: f64, s: Vec3) -> Vec3 {
    let l = s * 2.0;
    let area = [l[0] * l[1], l[1] * l[2], l[2] * l[0]];
    let total = 2.0 * (area[0] + area[1] + area[2]);
    let plate = area.map(|a| mass * a / total);
    let q = s.component_mul(s);
    let [lx, ly, lz] = [l[0] * l[0], l[1] * l[1], l[2] * l[2]];
    Vec3::new(
        2.0 * (plate[0] * q[2]
            + plate[2] * q[1]
            + plate[0] * ly / 12.0
            + plate[1] * (ly + lz) / 12.0
            + plate[2] * lz / 12.0),
        2.0 * (plate[0] * q[2]
            + plate[1] * q[0]
            + plate[0] * lx / 12.0
            + plate[1] * lz / 12.0
            + plate[2] * (lx + lz) / 12.0),
        2.0 * (plate[1] * q[0]
            + plate[2] * q[1]
            + plate[0] * (lx + ly) / 12.0
            + plate[1] * ly / 12.0
            + plate[2] * lx / 12.0),
    )
}

/// What the author gives in an `inertial` element.
pub(super) fn explicit(cx: &mut Context, body: &Body) -> Inertial {
    let mut iquat = unit_quat(body.iquat);
    let mut inertia = body.inertia;
    if let Some(full) = body.fullinertia {
        if body.ialt != Orientation::Quat {
            cx.error("body", body, "'fullinertia' and an inertial orientation exclude each other");
        }
        if inertia != Vec3::ZERO {
            cx.error("body", body, "'fullinertia' and 'diaginertia' exclude each other");
        }
        match principal(full) {
            Some((moments, axes)) => (inertia, iquat) = (moments, axes),
            None => cx.error("body", body, "'fullinertia' must have positive eigenvalues"),
        }
    }
    iquat = orientation::resolve(cx, "inertial", body, iquat, &body.ialt);
    let pose = body.ipos.map(|pos| Pose { pos, quat: iquat });
    Inertial { pose, mass: body.mass, inertia }
}

/// Replaces inertial properties by those of the geoms that have mass, if any.
pub(super) fn from_geoms(cx: &mut Context, body: &Body, geoms: &[&GeomPlan], out: &mut Inertial) {
    let massive: Vec<&&GeomPlan> = geoms.iter().filter(|g| g.mass > EPS).gather();
    match massive[..] {
        [] => {}
        [only] => {
            *out = Inertial { pose: Some(only.pose), mass: only.mass, inertia: only.inertia };
        }
        _ => {
            let mut mass = 0.0;
            let mut moment = Vec3::ZERO;
            for g in &massive {
                mass += g.mass;
                moment += g.pose.pos * g.mass;
            }
            let pos = moment / mass;
            let mut total = [0.0; 6];
            for g in &massive {
                let own = rotated_inertia(g.inertia, g.pose.quat);
                let shift = point_inertia(g.mass, (g.pose.pos - pos).0);
                for k in 0..6 {
                    total[k] = total[k] + own[k] + shift[k];
                }
            }
            match principal(total) {
                Some((inertia, quat)) => {
                    *out = Inertial { pose: Some(Pose { pos, quat }), mass, inertia };
                }
                None => cx.error("body", body, "the inertia of the geoms is not positive"),
            }
        }
    }
}

/// Lower bounds, sign, and the triangle inequality of principal moments.
pub(super) fn check(cx: &mut Context, body: &Body, inertial: &mut Inertial) {
    let compiler = cx.spec.compiler_of(body);
    inertial.mass = inertial.mass.max(compiler.boundmass);
    inertial.inertia = inertial.inertia.max(Vec3::splat(compiler.boundinertia));
    let i = inertial.inertia;
    if inertial.mass < 0.0 || i.0.iter().any(|&x| x < 0.0) {
        cx.error("body", body, "mass and inertia cannot be negative");
        return;
    }
    if i[0] + i[1] < i[2] || i[0] + i[2] < i[1] || i[1] + i[2] < i[0] {
        if compiler.balanceinertia {
            inertial.inertia = Vec3::splat((i[0] + i[1] + i[2]) / 3.0);
        } else {
            let message = format!(
                "principal moments of inertia {} {} {} violate A + B >= C",
                i[0], i[1], i[2]
            );
            cx.diagnostics.push(
                crate::diagnostic::Diagnostic::error(message)
                    .on("body", body)
                    .hint("correct them, or set balanceinertia=\"true\" in 'compiler'"),
            );
        }
    }
}

/// Adds the inertia of a body to that of the body it is fused with.
///
/// `other_pose` is the pose of the other body in the first. MuJoCo composes it with the inertial
/// pose in the wrong order (the body pose inside the inertial frame) and takes the axes of the
/// other inertia as if the two bodies were parallel. Both follow here: fused models are compared
/// with its results. They agree with the true sum for parallel axes.
pub(super) fn accumulate(
    first: (f64, Vec3, Pose),
    other: (f64, Vec3, Pose),
    other_pose: Pose,
) -> Option<(f64, Vec3, Pose)> {
    let parts = [
        (first.0, first.1, first.2),
        (other.0, other.1, Pose { pos: other.2.then(&other_pose).pos, quat: other.2.quat }),
    ];
    let mass = parts[0].0 + parts[1].0;
    if mass < MIN_VAL {
        return Some((0.0, Vec3::ZERO, Pose::IDENTITY));
    }
    let pos = (parts[0].2.pos * parts[0].0 + parts[1].2.pos * parts[1].0) / mass;
    let mut total = [0.0; 6];
    for (mass, inertia, pose) in parts {
        let own = rotated_inertia(inertia, pose.quat);
        let shift = point_inertia(mass, (pose.pos - pos).0);
        for k in 0..6 {
            total[k] += own[k] + shift[k];
        }
    }
    let (inertia, quat) = principal(total)?;
    Some((mass, inertia, Pose { pos, quat }))
}

/// Scales masses and inertias to a total mass, unless that is not positive.
pub(super) fn set_total_mass(m: &mut ModelArrays, target: f64) {
    if target <= 0.0 {
        return;
    }
    let total: f64 = m.body_mass.iter().skip(1).sum();
    let scale = (target / total.max(MIN_VAL)).max(MIN_VAL);
    for b in 1..m.nbody {
        m.body_mass[b] *= scale;
        m.body_inertia[b] *= scale;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: Vec3, b: Vec3) {
        assert!((a - b).norm() < 1e-9 * b.norm().max(1.0), "{a:?} {b:?}");
    }

    /// Limits that relate shapes to each other.
    #[test]
    fn degenerate_shapes_agree() {
        let of = |kind, size, shell: bool| {
            let inertia = if shell { GeomInertia::Shell } else { GeomInertia::Volume };
            Solid::Primitive(kind, size, inertia)
        };
        for shell in [false, true] {
            let ball = of(GeomType::Sphere, Vec3::splat(0.3), shell);
            let capsule = of(GeomType::Capsule, Vec3::new(0.3, 0.0, 0.0), shell);
            close(ball.inertia(2.0), capsule.inertia(2.0));
            assert!((ball.measure() - capsule.measure()).abs() < 1e-12);
        }
        let ball = of(GeomType::Sphere, Vec3::splat(0.3), false);
        let ellipsoid = of(GeomType::Ellipsoid, Vec3::splat(0.3), false);
        close(ball.inertia(2.0), ellipsoid.inertia(2.0));
        // A cube of plates: I = 5/9·m·a² for half size... side 2a gives 10/9·m·a².
        let cube = of(GeomType::Box, Vec3::splat(0.5), true);
        close(cube.inertia(1.0), Vec3::splat(10.0 / 9.0 * 0.25));
    }

    #[test]
    fn two_halves_of_a_box_make_the_box() {
        let half = solid_box(1.0, Vec3::new(0.5, 1.0, 1.0));
        let at = |x: f64| Pose { pos: Vec3::new(x, 0.0, 0.0), ..Pose::IDENTITY };
        let (mass, inertia, pose) =
            accumulate((1.0, half, at(-0.5)), (1.0, half, at(0.0)), at(0.5)).unwrap();
        assert_eq!(mass, 2.0);
        assert!(pose.pos.norm() < 1e-12);
        close(inertia, solid_box(2.0, Vec3::splat(1.0)));
    }
}
