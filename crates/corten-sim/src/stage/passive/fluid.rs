//! Forces of the surrounding medium.
//!
//! Two models, after MuJoCo's documentation ("Fluid forces"). Bodies without fluid geoms feel
//! the medium as the box that has their mass and inertia would: Stokes viscosity of a sphere of the
//! box's mean size, and quadratic drag on its faces. Geoms with fluid coefficients feel it as
//! ellipsoids: added mass, Magnus and Kutta lift, viscous and quadratic drag, after
//! Andersen, Pesavento, Wang (2005), *Unsteady aerodynamics of fluttering and tumbling plates*.
//!
//! All forces are computed in the local frame, for the velocity relative to the wind.

use std::f64::consts::PI;

use corten_math::array;
use corten_math::{MIN_VAL, Mat3, Spatial, Vec3, wide};
use corten_model::enums::GeomType;

use crate::{Data, Model, awake, support};

/// Whether there is a medium.
pub(crate) fn present(m: &Model) -> bool {
    m.opt.viscosity != 0.0 || m.opt.density != 0.0
}

/// A part of a body that the medium acts on.
pub(crate) struct Immersed<'a> {
    pub shape: FluidShape,
    /// Orientation and position of the part.
    pub frame: &'a Mat3,
    pub pos: Vec3,
    /// Velocity relative to the medium, in the part's frame.
    pub velocity: Spatial,
}

pub(crate) enum FluidShape {
    InertiaBox(InertiaBox),
    Ellipsoid(Ellipsoid),
}

/// Calls `visit` for every immersed part of a body.
#[inline(always)]
pub(crate) fn for_each_part(m: &Model, d: &Data, body: usize, mut visit: impl FnMut(Immersed<'_>)) {
    let s = &d.prepared.structure;
    if m.body_mass[body] < MIN_VAL || s.chain(body).is_empty() {
        return;
    }
    let node = &s.bodies[body];
    let com = d.subtree_com[node.root as usize];
    let has_ellipsoids = m.geom_fluid[node.geoms()].iter().any(|fluid| fluid[0] > 0.0);
    for part in if has_ellipsoids { node.geoms() } else { 0..1 } {
        let (shape, frame, pos) = if !has_ellipsoids {
            let shape = InertiaBox::new(m.body_inertia[body], m.body_mass[body]);
            (FluidShape::InertiaBox(shape), &d.ximat[body], d.xipos[body])
        } else if m.geom_fluid[part][0] != 0.0 {
            (FluidShape::Ellipsoid(Ellipsoid::new(m, part)), &d.geom_xmat[part], d.geom_xpos[part])
        } else {
            continue;
        };
        let at_part = d.cvel[body].motion_at(pos, com);
        let relative = Spatial::new(at_part.rot(), at_part.lin() - m.opt.wind);
        visit(Immersed { shape, frame, pos, velocity: relative.in_frame(frame) });
    }
}

/// `qfrc_fluid`, by way of one spatial force per body.
pub(super) fn fluid(m: &Model, d: &mut Data) {
    for i in awake::bodies!(m, d).iter() {
        d.scratch.body_frc[i] = body_force(m, d, i);
    }
    project(m, d);
}

wide! {
    /// The force on the body at an index, about the centre of mass of its tree.
    fn body_force(m: &Model, d: &Data, at: usize) -> Spatial {
        let com = d.subtree_com[d.prepared.structure.bodies[at].root as usize];
        let mut total = Spatial::ZERO;
        for_each_part(m, d, at, |part| {
            let local = match &part.shape {
                FluidShape::InertiaBox(shape) => shape.force(&part.velocity, m),
                FluidShape::Ellipsoid(shape) => shape.force(&part.velocity, m),
            };
            let (torque, force) = (*part.frame * local.rot(), *part.frame * local.lin());
            total += support::wrench_at(com, part.pos, force, torque);
        });
        total
    }

    fn project(m: &Model, d: &mut Data) {
        project_body_forces!(m, d, qfrc_fluid);
    }
}

/// The box with the mass and inertia of a body.
pub(crate) struct InertiaBox {
    pub size: Vec3,
}

impl InertiaBox {
    fn new(inertia: Vec3, mass: f64) -> InertiaBox {
        let side = |a: f64, b: f64, c: f64| (MIN_VAL.max(b + c - a) / mass * 6.0).sqrt();
        let [x, y, z] = inertia.0;
        InertiaBox { size: Vec3([side(x, y, z), side(y, x, z), side(z, x, y)]) }
    }

    /// Coefficients of `−v` in torque and force of viscosity.
    pub fn viscous(&self, viscosity: f64) -> (f64, f64) {
        if viscosity > 0.0 {
            let diameter = (self.size[0] + self.size[1] + self.size[2]) / 3.0;
            (PI * diameter * diameter * diameter * viscosity, 3.0 * PI * diameter * viscosity)
        } else {
            (0.0, 0.0)
        }
    }

    /// Coefficients of `−|v|v`, component by component, in torque and force of drag.
    pub fn quadratic(&self, density: f64) -> (Vec3, Vec3) {
        if density <= 0.0 {
            return (Vec3::ZERO, Vec3::ZERO);
        }
        let pow4 = |x: f64| (x * x) * (x * x);
        let [a, b, c] = self.size.0;
        let torque =
            Vec3([a * (pow4(b) + pow4(c)), b * (pow4(a) + pow4(c)), c * (pow4(a) + pow4(b))]);
        (torque * (density / 64.0), Vec3([b * c, a * c, a * b]) * (0.5 * density))
    }

    pub fn force(&self, v: &Spatial, m: &Model) -> Spatial {
        let (spin, drift) = self.viscous(m.opt.viscosity);
        let (torque, force) = self.quadratic(m.opt.density);
        Spatial(array::from_fn(|i| {
            let (linear, quadratic) = if i < 3 { (spin, torque[i]) } else { (drift, force[i - 3]) };
            -(linear + quadratic * v[i].abs()) * v[i]
        }))
    }
}

/// A geom as an ellipsoid, with its coefficients.
pub(crate) struct Ellipsoid {
    pub interaction: f64,
    pub blunt_drag: f64,
    pub slender_drag: f64,
    pub angular_drag: f64,
    pub kutta_lift: f64,
    pub magnus_lift: f64,
    pub virtual_mass: Vec3,
    pub virtual_inertia: Vec3,
    /// Semi-axes.
    pub size: Vec3,
}

impl Ellipsoid {
    fn new(m: &Model, geom: usize) -> Ellipsoid {
        let c = &m.geom_fluid[geom];
        Ellipsoid {
            interaction: c[0],
            blunt_drag: c[1],
            slender_drag: c[2],
            angular_drag: c[3],
            kutta_lift: c[4],
            magnus_lift: c[5],
            virtual_mass: Vec3::from_slice(&c[6..]),
            virtual_inertia: Vec3::from_slice(&c[9..]),
            size: semi_axes(GeomType::from_raw(m.geom_type[geom]), m.geom_size[geom]),
        }
    }

    /// Largest, middle and smallest semi-axis.
    fn sorted(&self) -> (f64, f64, f64) {
        let [a, b, c] = self.size.0;
        let (max, min) = (a.max(b).max(c), a.min(b).min(c));
        (max, a + b + c - max - min, min)
    }

    /// Volume of the displaced medium.
    pub fn volume(&self) -> f64 {
        4.0 / 3.0 * PI * self.size[0] * self.size[1] * self.size[2]
    }

    /// Diameter of the sphere with the same mean semi-axis.
    pub fn sphere_diameter(&self) -> f64 {
        2.0 / 3.0 * (self.size[0] + self.size[1] + self.size[2])
    }

    /// Largest projected area.
    pub fn max_area(&self) -> f64 {
        let (max, mid, _) = self.sorted();
        PI * max * mid
    }

    /// Squares of the products of the other two semi-axes: the outward normal at the point that
    /// faces a flow `v` is proportional to their product with `v`, component by component.
    pub fn normal_weights(&self) -> Vec3 {
        let [a, b, c] = self.size.0;
        Vec3([(b * c) * (b * c), (c * a) * (c * a), (a * b) * (a * b)])
    }

    /// Coefficients of the angular velocity in the moment whose norm scales quadratic torque.
    pub fn moment_weights(&self) -> Vec3 {
        let (max, mid, _) = self.sorted();
        let pow4 = |x: f64| (x * x) * (x * x);
        let largest = 8.0 / 15.0 * PI * mid * pow4(max);
        Vec3(array::from_fn(|i| {
            let (b, c) = (self.size[(i + 1) % 3], self.size[(i + 2) % 3]);
            let own = 8.0 / 15.0 * PI * self.size[i] * pow4(b.max(c));
            self.angular_drag * own + self.slender_drag * (largest - own)
        }))
    }

    /// Numerator and squared denominator of the cosine between a flow and the normal of the
    /// cross-section it meets; their ratio gives the projected area.
    pub fn projection(&self, v: Vec3) -> (f64, f64) {
        let w = self.normal_weights();
        let squared = v.component_mul(v);
        (w.dot(squared), w.component_mul(w).dot(squared))
    }

    #[inline(never)]
    pub fn force(&self, v: &Spatial, m: &Model) -> Spatial {
        let (density, viscosity) = (m.opt.density, m.opt.viscosity);
        let (spin, flow) = (v.rot(), v.lin());

        // Momentum of the medium that moves along.
        let linear = self.virtual_mass.component_mul(flow) * density;
        let angular = self.virtual_inertia.component_mul(spin) * density;
        let mut torque = linear.cross(flow) + angular.cross(spin);
        let mut force = linear.cross(spin);

        force += spin.cross(flow) * (self.magnus_lift * density * self.volume());

        let (numerator, denominator) = self.projection(flow);
        let area = PI * (denominator / MIN_VAL.max(numerator)).sqrt();
        let speed = flow.norm();
        // The normal is not normalised: the cosine makes up for it.
        let cosine = numerator / MIN_VAL.max(speed * denominator);
        let circulation = self.normal_weights().component_mul(flow).cross(flow)
            * (self.kutta_lift * density * cosine * area);
        force += circulation.cross(flow);

        let diameter = self.sphere_diameter();
        let drag = viscosity * 3.0 * PI * diameter
            + density
                * speed
                * (area * self.blunt_drag + self.slender_drag * (self.max_area() - area));
        force -= flow * drag;

        let moment = self.moment_weights().component_mul(spin);
        let drag = viscosity * PI * diameter * diameter * diameter + density * moment.norm();
        torque -= spin * drag;
        Spatial::new(torque, force) * self.interaction
    }
}

/// Semi-axes of the ellipsoid that stands for a geom.
fn semi_axes(kind: Option<GeomType>, size: Vec3) -> Vec3 {
    match kind {
        Some(GeomType::Sphere) => Vec3::splat(size[0]),
        Some(GeomType::Capsule) => Vec3::new(size[0], size[0], size[1] + size[0]),
        Some(GeomType::Cylinder) => Vec3::new(size[0], size[0], size[1]),
        _ => size,
    }
}
