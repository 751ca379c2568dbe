//! The macro `flexcomp`: a flex with the bodies and joints that carry it.
//!
//! Answers to MuJoCo's `mjXReader::OneFlexcomp` and `mjCFlexcomp::Make`.

use corten_math::memory::{self, Gather, Grow};
use std::sync::Arc;

use corten_geom::{gmsh, mesh};
use corten_math::{MIN_VAL, Quat, Vec3};

use super::Reader;
use super::body::Scope;
use super::value::{apply_except, apply_part, missing, orientation, read, require_text};
use crate::assets::{file_name, join};
use crate::compile::{orientation::quaternion, unit};
use crate::diagnostic::Diagnostic;
use crate::enums::{EqualityType, GeomType, JointType};
use crate::flexcomp::{Dofs, Kind, Pins, Points, ShapeSizes};
use crate::mjcf::attr::keywords;
use crate::mjcf::forest::Elem;
use crate::spec::{Body, Equality, Flex, Geom, Joint, Key, Orientation, PluginUse, Spec};

keywords! {
    Kind {
        "grid" Kind::Grid, "box" Kind::Box, "cylinder" Kind::Cylinder,
        "ellipsoid" Kind::Ellipsoid, "square" Kind::Square, "disc" Kind::Disc,
        "circle" Kind::Circle, "mesh" Kind::Mesh, "gmsh" Kind::Gmsh, "direct" Kind::Direct,
    }
    Dofs {
        "full" Dofs::Full, "radial" Dofs::Radial, "trilinear" Dofs::Trilinear,
        "quadratic" Dofs::Quadratic,
    }
}

/// Group of the spheres around vertices.
const VERTEX_GROUP: i32 = 4;
/// Parts of the mass of a quadratic brick, per axis: Simpson's rule.
const NODE_WEIGHTS: [f64; 3] = [1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0];

/// Attributes of `flexcomp` that are not those of a flex, or mean something else there.
const OWN: &[&str] = &["element", "texcoord", "body", "vertex", "node", "elemtexcoord"];

struct Flexcomp {
    kind: Kind,
    dofs: Dofs,
    count: [i32; 3],
    spacing: [f64; 3],
    scale: Vec3,
    mass: f64,
    inertiabox: f64,
    rigid: bool,
    pos: Vec3,
    quat: Quat,
    origin: Vec3,
    pins: Pins,
    /// Points, elements and texture coordinates that were written.
    given: Points,
    /// Properties of the flex.
    flex: Flex,
    /// The constraint that keeps lengths of edges, if there is one.
    equality: Option<Equality>,
    /// The plugin that its bodies share.
    plugin: PluginUse,
}

/// What is wrong; nothing if it has been reported.
type Failure = Option<Box<Diagnostic>>;

fn refuse(item: Diagnostic) -> Failure {
    Some(Box::new(item))
}

fn fail(message: impl Into<String>) -> Failure {
    refuse(Diagnostic::error(message))
}

impl Reader<'_> {
    #[inline(never)]
    pub(super) fn flexcomp(&mut self, elem: Elem<'_>, scope: Scope) {
        let made = self
            .read_flexcomp(elem)
            .and_then(|comp| Ok((self.flexcomp_points(elem, &comp)?, comp)))
            .and_then(|(points, comp)| self.make_flexcomp(elem, scope, comp, points));
        if let Err(Some(item)) = made {
            self.report(elem, *item);
        }
    }

    fn read_flexcomp(&mut self, elem: Elem<'_>) -> Result<Flexcomp, Failure> {
        let before = self.diags.errors().count();
        let diags = &mut self.diags;
        let mut comp = Flexcomp {
            kind: Kind::Grid,
            dofs: Dofs::Full,
            count: [10; 3],
            spacing: [0.02; 3],
            scale: Vec3::splat(1.0),
            mass: 1.0,
            inertiabox: 0.005,
            rigid: false,
            pos: Vec3::ZERO,
            quat: Quat::IDENTITY,
            origin: Vec3::ZERO,
            pins: Pins::default(),
            given: Points::default(),
            flex: Flex { source: elem.source(), ..Default::default() },
            equality: None,
            plugin: PluginUse::default(),
        };
        require_text(diags, elem, "name");
        apply_except(diags, elem, &mut comp.flex, OWN);
        read(diags, elem, "type", &mut comp.kind);
        read(diags, elem, "dof", &mut comp.dofs);
        read(diags, elem, "count", &mut comp.count);
        read(diags, elem, "spacing", &mut comp.spacing);
        read(diags, elem, "scale", &mut comp.scale);
        read(diags, elem, "mass", &mut comp.mass);
        read(diags, elem, "inertiabox", &mut comp.inertiabox);
        read(diags, elem, "rigid", &mut comp.rigid);
        read(diags, elem, "pos", &mut comp.pos);
        read(diags, elem, "quat", &mut comp.quat);
        let mut point: Vec<f64> = Vec::new();
        read(diags, elem, "point", &mut point);
        read(diags, elem, "element", &mut comp.given.element);
        read(diags, elem, "texcoord", &mut comp.given.texcoord);
        if !read(diags, elem, "origin", &mut comp.origin)
            && comp.kind == Kind::Mesh
            && comp.flex.dim == 3
        {
            missing(diags, elem, "origin");
        }
        let mut alt = Orientation::Quat;
        orientation(diags, elem, &mut alt);
        self.flexcomp_parts(elem, &mut comp);
        let shared = format!("flexcomp_{}", comp.flex.name);
        comp.plugin = self.shared_plugin(elem, shared).unwrap_or_default();
        if self.diags.errors().count() > before {
            return Err(None);
        }
        if alt != Orientation::Quat {
            comp.quat = quaternion(comp.quat, &alt, &self.spec.compiler).map_err(fail)?;
        } else if (comp.quat.0.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() > 1e-6 {
            let item = Diagnostic::warning("'quat' is not of unit length, and stretches the flex");
            self.report(elem, item.hint("MuJoCo 3.4.0 does not normalize it here"));
        }
        if !point.len().is_multiple_of(3) {
            return Err(fail("'point' must hold multiples of 3 numbers"));
        }
        comp.given.point = point.as_chunks::<3>().0.iter().map(|&x| Vec3(x)).gather();
        Ok(comp)
    }

    fn flexcomp_parts(&mut self, elem: Elem<'_>, comp: &mut Flexcomp) {
        for child in elem.children() {
            let diags = &mut self.diags;
            apply_part(diags, child, &mut comp.flex);
            match child.name() {
                "edge" => {
                    let mut equality = Equality {
                        type_: EqualityType::Flex,
                        source: elem.source(),
                        ..Default::default()
                    };
                    apply_except(diags, child, &mut equality, &["name", "active"]);
                    let mut wanted = false;
                    read(diags, child, "equality", &mut wanted);
                    comp.equality = wanted.then_some(equality);
                }
                "pin" => {
                    let pins = &mut comp.pins;
                    let lists = [
                        ("id", &mut pins.id),
                        ("range", &mut pins.range),
                        ("grid", &mut pins.grid),
                        ("gridrange", &mut pins.gridrange),
                    ];
                    for (name, list) in lists {
                        let mut more: Vec<i32> = Vec::new();
                        read(diags, child, name, &mut more);
                        list.extend(more);
                    }
                }
                _ => {}
            }
        }
    }

    /// Points and elements, before they are scaled and placed.
    fn flexcomp_points(&mut self, elem: Elem<'_>, comp: &Flexcomp) -> Result<Points, Failure> {
        comp.check()?;
        let mut points = match comp.kind {
            Kind::Direct => Points { dim: comp.flex.dim as usize, ..comp.given.clone() },
            Kind::Mesh => {
                let (bytes, path) = self.flexcomp_file(elem)?;
                if comp.flex.dim < 2 {
                    return Err(fail("a mesh is of dimension 2 or 3"));
                }
                let format = mesh::Format::detect(&path, "").filter(|&f| f != mesh::Format::Msh);
                let format = format.ok_or_else(|| {
                    let item = Diagnostic::error(format!("'{path}' is not a mesh for a flex"));
                    refuse(item.expected("a file of type .obj or .stl"))
                })?;
                let source = mesh::load(&bytes, format, false)
                    .map_err(|e| fail(format!("cannot read '{path}': {e}")))?;
                Points::from_mesh(&source, comp.flex.dim as usize, comp.origin)
            }
            Kind::Gmsh => {
                let (bytes, path) = self.flexcomp_file(elem)?;
                let found = gmsh::read(&bytes);
                Points::from_gmsh(found.map_err(|e| fail(format!("cannot read '{path}': {e}")))?)
            }
            _ => self.flexcomp_shape(elem, comp)?.points(),
        };
        if points.texcoord.is_empty() {
            points.texcoord.clone_from(&comp.given.texcoord);
        }
        if points.point.is_empty() || points.element.is_empty() {
            return Err(fail("there are no points or no elements"));
        }
        let width = points.dim + 1;
        if !points.element.len().is_multiple_of(width) {
            return Err(fail(format!("'element' needs {width} points per element")));
        }
        // A body and three joints each.
        let count = points.point.len();
        let limits = self.context.limits();
        if count > limits.points {
            let message = format!("{count} points are more than {}", limits.points);
            return Err(refuse(Diagnostic::error(message).beyond("points")));
        }
        if !self.context.take_elements(4 * count) {
            let limit = limits.elements;
            let message = format!("{count} points would create more than {limit} elements");
            return Err(refuse(Diagnostic::error(message).beyond("elements")));
        }
        let last = points.point.len() as i32 - 1;
        match points.element.iter().position(|i| !(0..=last).contains(i)) {
            None => Ok(points),
            Some(at) => {
                let (e, i) = (at / width, points.element[at]);
                let item = Diagnostic::error(format!("element {e} has point {i}"));
                Err(refuse(item.expected(format!("points from 0 to {last}"))))
            }
        }
    }

    /// Sizes of a shape by formula.
    fn flexcomp_shape(&mut self, elem: Elem<'_>, comp: &Flexcomp) -> Result<ShapeSizes, Failure> {
        let hollow = matches!(comp.kind, Kind::Box | Kind::Cylinder | Kind::Ellipsoid);
        let dim = match comp.kind {
            Kind::Square | Kind::Disc => 2,
            _ => comp.flex.dim as usize,
        };
        if comp.kind == Kind::Circle && dim > 1 {
            let item = Diagnostic::warning("a circle of this dimension is a grid");
            self.report(elem, item.hint("a circle has dim=\"1\""));
        }
        if hollow && dim == 1 {
            let message = "triangles of this shape are taken for segments, as in MuJoCo 3.4.0";
            self.report(elem, Diagnostic::warning(message).hint("use dim=\"2\" or dim=\"3\""));
        }
        let count = comp.count.map(|n| n as usize);
        if !hollow && dim == 2 && count[2] != 1 {
            let item = Diagnostic::error(format!("a sheet cannot have {} layers", count[2]));
            return Err(refuse(item.hint("make the third number of 'count' 1")));
        }
        let needed = match dim {
            _ if hollow => [2; 3],
            1 if comp.kind == Kind::Circle => [4, 1, 1],
            1 => [2, 1, 1],
            2 => [2, 2, 1],
            _ => [2; 3],
        };
        if (0..3).any(|k| count[k] < needed[k]) {
            let item = Diagnostic::error("'count' is too small for an element");
            return Err(refuse(item.expected(format!("at least {needed:?}"))));
        }
        let axes = if hollow { 3 } else { dim };
        let points = count[..axes].iter().try_fold(1usize, |n, &k| n.checked_mul(k));
        let limit = self.context.limits().points;
        if points.is_none_or(|n| n > limit) {
            let message = format!("'count' would create more than {limit} points");
            return Err(refuse(Diagnostic::error(message).beyond("points")));
        }
        Ok(ShapeSizes {
            kind: comp.kind,
            dim,
            count,
            spacing: comp.spacing,
            texcoord: comp.given.texcoord.is_empty() && !comp.flex.material.is_empty(),
        })
    }

    /// The contents of the file, and its path.
    fn flexcomp_file(&mut self, elem: Elem<'_>) -> Result<(Arc<Vec<u8>>, String), Failure> {
        let Some(file) = elem.attr("file").map(|attr| attr.value().into_owned()) else {
            missing(&mut self.diags, elem, "file");
            return Err(None);
        };
        let meshdir = &self.spec.compiler.meshdir;
        let mut file = self.resolve_file(elem, &file, meshdir);
        if self.spec.strippath {
            file = file_name(&file).to_owned();
        }
        let path = join(meshdir, &file);
        let bytes = self.context.assets.read(&self.spec.modelfiledir, &path, self.context.limits());
        Ok((bytes.map_err(|e| fail(e.to_string()))?, path))
    }

    fn make_flexcomp(
        &mut self,
        elem: Elem<'_>,
        scope: Scope,
        mut comp: Flexcomp,
        mut points: Points,
    ) -> Result<(), Failure> {
        if comp.equality.is_some() && comp.flex.stretches() {
            let item = Diagnostic::error("edges cannot be both constrained and elastic");
            let hint = "leave out edge equality=\"true\", or elastic2d=\"stretch\" and \"both\"";
            return Err(refuse(item.hint(hint)));
        }
        comp.flex.dim = points.dim as i32;
        comp.flex.flatskin |= matches!(comp.kind, Kind::Box | Kind::Cylinder)
            || (comp.kind == Kind::Grid && points.dim == 3);
        if comp.kind.is_given() {
            points.point.iter_mut().for_each(|x| *x = x.component_mul(comp.scale));
        }
        points.place(comp.pos, comp.quat);
        if self.is_displaced(scope) {
            let item = Diagnostic::warning("the pose of the frame around a flexcomp has no effect");
            self.report(elem, item.hint("as in MuJoCo 3.4.0; put it into a body with that pose"));
        }
        let grid = (comp.kind == Kind::Grid).then(|| comp.count.map(|n| n as usize));
        let count = points.point.len();
        let mut pinned = if comp.rigid {
            vec![true; count]
        } else {
            comp.pins.flags(count, points.dim, grid).map_err(fail)?
        };
        if comp.dofs == Dofs::Radial {
            pinned[0] = true;
        }
        let body = self.flexcomp_parent(scope, &comp, &pinned);
        let parent = self.spec.bodies[body].name.clone();
        comp.flex.elem.grow_clone_from(&points.element);
        comp.flex.texcoord.grow_clone_from(&points.texcoord);
        comp.flex.elemtexcoord.grow_clone_from(&points.elemtexcoord);
        if pinned.iter().all(|&pinned| pinned) {
            comp.flex.vert = points.point.iter().flat_map(|x| x.0).gather();
            comp.flex.vertbody = vec![parent];
            self.spec.flexes.insert(comp.flex);
            return Ok(());
        }
        comp.flex.elem = self.flexcomp_vertices(body, &parent, &mut comp, &points, &pinned)?;
        if comp.dofs.order() > 0 {
            self.flexcomp_nodes(body, &parent, &mut comp, points.bounds(), &pinned);
        }
        if let Some(mut equality) = comp.equality {
            equality.name1.clone_from(&comp.flex.name);
            self.spec.equalities.insert(equality);
        }
        self.spec.flexes.insert(comp.flex);
        Ok(())
    }

    /// Whether a frame around this scope has a pose.
    fn is_displaced(&self, scope: Scope) -> bool {
        let mut frame = scope.frame;
        while let Some(at) = frame.and_then(|key| self.spec.frames.get(key)) {
            if at.pos != Vec3::ZERO || at.quat != Quat::IDENTITY || at.alt != Orientation::Quat {
                return true;
            }
            frame = at.frame;
        }
        false
    }

    /// The body that carries what is pinned. It needs a name, for the flex to refer to it, and a
    /// place of its own where its surroundings will be replaced by copies.
    fn flexcomp_parent(&mut self, scope: Scope, comp: &Flexcomp, pinned: &[bool]) -> Key<Body> {
        let attached = comp.dofs.order() > 0 || pinned.contains(&true);
        let mut body = scope.body;
        if scope.template && attached {
            body = self.spec.bodies.insert(Body {
                parent: Some(scope.body),
                class: Some(scope.class),
                source: comp.flex.source,
                ..Default::default()
            });
            self.spec.bodies[scope.body].bodies.push(body);
        }
        let name = &mut self.spec.bodies[body].name;
        if name.is_empty() {
            *name = format!("{}_parent", comp.flex.name);
        }
        body
    }

    /// Bodies of the vertices that move on their own; the elements, without unused points.
    fn flexcomp_vertices(
        &mut self,
        body: Key<Body>,
        parent: &str,
        comp: &mut Flexcomp,
        points: &Points,
        pinned: &[bool],
    ) -> Result<Vec<i32>, Failure> {
        let used = if comp.kind.is_given() { points.used() } else { vec![true; pinned.len()] };
        let interpolated = comp.dofs.order() > 0;
        let keep_positions = interpolated || pinned.iter().any(|&pinned| pinned);
        let mass = comp.mass / points.point.len() as f64;
        let mut renumbered = memory::with_room(used.len());
        for (i, &point) in points.point.iter().enumerate() {
            renumbered.push(comp.flex.vertbody.len() as i32);
            if !used[i] {
                continue;
            }
            let fixed = pinned[i] || interpolated;
            if keep_positions {
                comp.flex.vert.grow_extend(if fixed { point.0 } else { [0.0; 3] });
            }
            if fixed {
                comp.flex.vertbody.grow_push(parent.to_owned());
                continue;
            }
            let name = format!("{}_{i}", comp.flex.name);
            let axes = match comp.dofs {
                Dofs::Radial => {
                    let (axis, length) = unit(point.0);
                    if length == 0.0 {
                        let message =
                            format!("point {i} is at the origin, where radial has no direction");
                        return Err(fail(message));
                    }
                    vec![Vec3(axis)]
                }
                _ => vec![Vec3::X, Vec3::Y, Vec3::Z],
            };
            self.point_body(body, comp, &name, point, mass, &axes, Some(VERTEX_GROUP));
            comp.flex.vertbody.grow_push(name);
        }
        Ok(points.element.iter().map(|&i| renumbered[i as usize]).gather())
    }

    /// Bodies of the nodes of a brick around all points.
    fn flexcomp_nodes(
        &mut self,
        body: Key<Body>,
        parent: &str,
        comp: &mut Flexcomp,
        (low, high): (Vec3, Vec3),
        pinned: &[bool],
    ) {
        let order = comp.dofs.order();
        let keep_positions = pinned.iter().any(|&pinned| pinned);
        let size = high - low;
        let mut positions = Vec::new();
        for i in 0..=order {
            for j in 0..=order {
                for k in 0..=order {
                    let step = Vec3([i, j, k].map(|n| n as f64 / order as f64));
                    let pos = low + step.component_mul(size);
                    let fixed = pinned.get(comp.flex.nodebody.len()).copied().unwrap_or(false);
                    positions.extend(if fixed { pos.0 } else { [0.0; 3] });
                    if fixed {
                        comp.flex.nodebody.push(parent.to_owned());
                        continue;
                    }
                    let mass = match order {
                        1 => comp.mass / 8.0,
                        _ => comp.mass * NODE_WEIGHTS[i] * NODE_WEIGHTS[j] * NODE_WEIGHTS[k],
                    };
                    let name = format!("{}_{i}_{j}_{k}", comp.flex.name);
                    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
                    self.point_body(body, comp, &name, pos, mass, &axes, None);
                    comp.flex.nodebody.push(name);
                }
            }
        }
        if keep_positions {
            comp.flex.node = positions;
        }
    }

    /// A body that slides along some axes, with a sphere around it if wanted.
    #[allow(clippy::too_many_arguments)]
    fn point_body(
        &mut self,
        parent: Key<Body>,
        comp: &Flexcomp,
        name: &str,
        pos: Vec3,
        mass: f64,
        axes: &[Vec3],
        sphere_group: Option<i32>,
    ) {
        let source = comp.flex.source;
        let class = self.spec.bodies[parent].class.unwrap_or(Spec::MAIN_CLASS);
        let inertia = mass * (2.0 * comp.inertiabox * comp.inertiabox) / 3.0;
        let key = self.spec.bodies.insert(Body {
            name: name.to_owned(),
            parent: Some(parent),
            class: Some(class),
            source,
            pos,
            ipos: Some(Vec3::ZERO),
            mass,
            inertia: Vec3::splat(inertia),
            explicitinertial: true,
            plugin: comp.plugin.clone(),
            ..Default::default()
        });
        self.spec.bodies[parent].bodies.push(key);
        if comp.flex.vertcollide {
            let default = &self.spec.defaults[class].geom;
            let mut geom = Geom {
                body: Some(key),
                class: Some(class),
                source,
                type_: GeomType::Sphere,
                group: sphere_group.unwrap_or(default.group),
                ..default.clone()
            };
            geom.size[0] = comp.flex.radius;
            let geom = self.spec.geoms.insert(geom);
            self.spec.bodies[key].geoms.push(geom);
        }
        for &axis in axes {
            let joint = self.spec.joints.insert(Joint {
                body: Some(key),
                class: Some(class),
                source,
                type_: JointType::Slide,
                pos: Vec3::ZERO,
                axis,
                ..self.spec.defaults[class].joint.clone()
            });
            self.spec.bodies[key].joints.push(joint);
        }
    }
}

impl Flexcomp {
    /// Checks what does not depend on the points.
    fn check(&self) -> Result<(), Failure> {
        let flex = &self.flex;
        if !(1..=3).contains(&flex.dim) {
            let item = Diagnostic::error(format!("a flex cannot have dimension {}", flex.dim));
            return Err(refuse(item.expected("1, 2 or 3")));
        }
        let least = if self.dofs == Dofs::Radial && flex.dim == 3 { 2 } else { 1 };
        if self.count.iter().any(|&n| n < least) {
            let item = Diagnostic::error("'count' is too small");
            return Err(refuse(item.expected(format!("at least {least}"))));
        }
        let least = 2.0 * flex.radius + flex.margin;
        if !self.kind.is_given() && self.spacing.iter().any(|&x| x < least) {
            let item = Diagnostic::error("'spacing' is smaller than the vertices");
            return Err(refuse(item.expected(format!(
                "at least {least}, twice the radius and the margin, along all axes"
            ))));
        }
        if self.scale.0.iter().any(|&x| x < MIN_VAL) {
            return Err(fail("'scale' must be positive"));
        }
        if self.mass < MIN_VAL || self.inertiabox < MIN_VAL {
            return Err(fail("'mass' and 'inertiabox' must be positive"));
        }
        Ok(())
    }
}
