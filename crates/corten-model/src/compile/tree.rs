//! The kinematic tree: bodies in depth-first order and what is attached to them, with poses
//! resolved into their bodies and inertias determined.

use corten_math::memory::{self, Gather, Grow};
use corten_math::{Quat, Vec3};

use super::context::Context;
use super::geom::{self, GeomPlan};
use super::hfield::HFieldPlan;
use super::inertia;
use super::joint::{self, JointPlan};
use super::mesh::MeshPlan;
use super::orientation;
use super::pose::{EPS, Pose, unit_quat, unit3};
use crate::enums::{AlignFree, InertiaFromGeom, JointType};
use crate::names::Names;
use crate::spec::{Body, Camera, Frame, Key, Light, Site, Spec};

/// A body with everything that follows from its elements.
#[derive(Clone, Debug)]
pub(super) struct BodyPlan {
    pub key: Key<Body>,
    pub parent: usize,
    pub children: Vec<usize>,
    pub joints: Vec<usize>,
    pub geoms: Vec<usize>,
    pub sites: Vec<usize>,
    pub cameras: Vec<usize>,
    pub lights: Vec<usize>,
    pub pose: Pose,
    /// Inertial frame.
    pub ipose: Pose,
    pub mass: f64,
    pub inertia: Vec3,
    pub dofnum: usize,
    /// Nearest ancestor, including itself, that can move against its parent.
    pub weld: usize,
}

#[derive(Clone, Debug)]
pub(super) struct SitePlan {
    pub key: Key<Site>,
    pub body: usize,
    pub pose: Pose,
    pub size: Vec3,
    pub matid: Option<usize>,
}

#[derive(Clone, Debug)]
pub(super) struct CameraPlan {
    pub key: Key<Camera>,
    pub body: usize,
    pub pose: Pose,
    pub fovy: f64,
    pub intrinsic: [f32; 4],
}

#[derive(Clone, Debug)]
pub(super) struct LightPlan {
    pub key: Key<Light>,
    pub body: usize,
    pub pos: Vec3,
    pub dir: Vec3,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    pub bodies: Vec<BodyPlan>,
    pub joints: Vec<JointPlan>,
    pub geoms: Vec<GeomPlan>,
    pub sites: Vec<SitePlan>,
    pub cameras: Vec<CameraPlan>,
    pub lights: Vec<LightPlan>,
}

/// All bodies, parents before children, siblings in document order.
pub(super) fn depth_first(spec: &Spec) -> Vec<Key<Body>> {
    let mut order = memory::with_room(spec.bodies.len());
    let mut visited = vec![false; spec.bodies.capacity()];
    let mut stack = vec![Spec::WORLD];
    while let Some(key) = stack.pop() {
        let Some(body) = spec.bodies.get(key) else { continue };
        // A spec edited by a program may hold a body twice.
        if std::mem::replace(&mut visited[key.index()], true) {
            continue;
        }
        order.push(key);
        stack.extend(body.bodies.iter().rev());
    }
    order
}

/// Poses of all frames in their bodies.
struct Frames(Vec<Option<Pose>>);

impl Frames {
    fn resolve(cx: &mut Context) -> Frames {
        let spec = cx.spec;
        let mut own: Vec<Option<Pose>> = memory::filled(None, spec.frames.capacity());
        for (key, frame) in spec.frames.iter() {
            let quat = orientation::resolve(cx, "frame", frame, frame.quat, &frame.alt);
            own[key.index()] = Some(Pose { pos: frame.pos, quat });
        }
        let mut out = Frames(memory::filled(None, own.len()));
        for key in spec.frames.keys() {
            // Enclosing frames from the inside out, up to one that is known.
            let mut chain = Vec::new();
            let mut at = Some(key);
            while let Some(k) = at {
                if out.0[k.index()].is_some() || chain.contains(&k) {
                    break;
                }
                chain.push(k);
                at = spec.frames.get(k).and_then(|f: &Frame| f.frame);
            }
            while let Some(k) = chain.pop() {
                let Some(frame) = spec.frames.get(k) else { continue };
                let mut pose = own[k.index()].unwrap_or_default();
                if let Some(outer) = out.of(frame.frame) {
                    pose = outer.then(&pose);
                }
                out.0[k.index()] = Some(Pose { pos: pose.pos, quat: unit_quat(pose.quat) });
            }
        }
        out
    }

    fn of(&self, frame: Option<Key<Frame>>) -> Option<Pose> {
        self.0.get(frame?.index()).copied().flatten()
    }

    /// A pose inside an optional frame, in the body.
    fn place(&self, frame: Option<Key<Frame>>, pose: Pose) -> Pose {
        self.of(frame).map_or(pose, |f| f.then(&pose))
    }
}

pub(super) fn compile(
    cx: &mut Context,
    names: &Names,
    meshes: &[MeshPlan],
    hfields: &[HFieldPlan],
) -> Tree {
    let spec = cx.spec;
    let frames = Frames::resolve(cx);
    let mut tree = skeleton(spec);
    if !tree.bodies[0].joints.is_empty() {
        let joint = &spec.joints[tree.joints[tree.bodies[0].joints[0]].key];
        cx.error("joint", joint, "the world cannot move: joints belong into its child bodies");
    }
    for b in 0..tree.bodies.len() {
        compile_body(cx, &mut tree, b, &frames, names, meshes, hfields);
    }
    tree
}

/// Bodies and elements in order, without content.
fn skeleton(spec: &Spec) -> Tree {
    let order = depth_first(spec);
    let mut tree = Tree::default();
    let mut index = memory::zeroed(spec.bodies.capacity());
    for (b, &key) in order.iter().enumerate() {
        index[key.index()] = b;
        let body = &spec.bodies[key];
        let parent = body.parent.map_or(0, |p| index[p.index()]);
        if b > 0 {
            tree.bodies[parent].children.grow_push(b);
        }
        let mut plan = BodyPlan {
            key,
            parent,
            children: Vec::new(),
            joints: Vec::new(),
            geoms: Vec::new(),
            sites: Vec::new(),
            cameras: Vec::new(),
            lights: Vec::new(),
            pose: Pose::IDENTITY,
            ipose: Pose::IDENTITY,
            mass: 0.0,
            inertia: Vec3::ZERO,
            dofnum: 0,
            weld: 0,
        };
        for &key in body.joints.iter().filter(|&&k| spec.joints.contains(k)) {
            plan.joints.push(tree.joints.len());
            tree.joints.grow_push(JointPlan::new(key, b));
        }
        for &key in body.geoms.iter().filter(|&&k| spec.geoms.contains(k)) {
            plan.geoms.grow_push(tree.geoms.len());
            tree.geoms.grow_push(GeomPlan::new(key, b));
        }
        for &key in body.sites.iter().filter(|&&k| spec.sites.contains(k)) {
            plan.sites.push(tree.sites.len());
            let pose = Pose::IDENTITY;
            tree.sites.grow_push(SitePlan { key, body: b, pose, size: Vec3::ZERO, matid: None });
        }
        for &key in body.cameras.iter().filter(|&&k| spec.cameras.contains(k)) {
            plan.cameras.push(tree.cameras.len());
            let pose = Pose::IDENTITY;
            tree.cameras.grow_push(CameraPlan {
                key,
                body: b,
                pose,
                fovy: 45.0,
                intrinsic: [0.0; 4],
            });
        }
        for &key in body.lights.iter().filter(|&&k| spec.lights.contains(k)) {
            plan.lights.push(tree.lights.len());
            tree.lights.push(LightPlan { key, body: b, pos: Vec3::ZERO, dir: Vec3::ZERO });
        }
        tree.bodies.grow_push(plan);
    }
    tree
}

fn compile_body(
    cx: &mut Context,
    tree: &mut Tree,
    b: usize,
    frames: &Frames,
    names: &Names,
    meshes: &[MeshPlan],
    hfields: &[HFieldPlan],
) {
    let spec = cx.spec;
    let body = &spec.bodies[tree.bodies[b].key];
    let compiler = spec.compiler_of(body);
    let parent_weld = tree.bodies[tree.bodies[b].parent].weld;
    tree.bodies[b].weld = match (b, tree.bodies[b].joints.is_empty()) {
        (0, _) => 0,
        (_, true) => parent_weld,
        (_, false) => b,
    };

    let quat = orientation::resolve(cx, "body", body, unit_quat(body.quat), &body.alt);
    let own = Pose { pos: body.pos, quat };

    // Geoms, in the body frame; then the inertia, which may come from them.
    let use_geoms =
        b > 0 && (!body.explicitinertial || compiler.inertiafromgeom == InertiaFromGeom::True);
    for i in 0..tree.bodies[b].geoms.len() {
        let g = tree.bodies[b].geoms[i];
        let is_static = tree.bodies[b].weld == 0;
        let mut plan = tree.geoms[g].clone();
        let source = &spec.geoms[plan.key];
        let range = compiler.inertiagrouprange;
        let counts = use_geoms && (range[0]..=range[1]).contains(&source.group);
        geom::compile(cx, &mut plan, counts, is_static, names, meshes, hfields);
        plan.pose = frames.place(source.frame, plan.pose);
        tree.geoms[g] = plan;
    }
    let mut inertial = inertia::explicit(cx, body);
    if b > 0
        && (compiler.inertiafromgeom == InertiaFromGeom::True
            || (body.ipos.is_none() && compiler.inertiafromgeom == InertiaFromGeom::Auto))
    {
        let range = compiler.inertiagrouprange;
        let geoms: Vec<&GeomPlan> = tree.bodies[b]
            .geoms
            .iter()
            .map(|&g| &tree.geoms[g])
            .filter(|g| (range[0]..=range[1]).contains(&spec.geoms[g.key].group))
            .gather();
        inertia::from_geoms(cx, body, &geoms, &mut inertial);
    }
    // A body without mass has its inertial frame where the body is in its parent, as in MuJoCo.
    let mut ipose = inertial.pose.unwrap_or(own);
    if b > 0 {
        inertia::check(cx, body, &mut inertial);
    }
    let mut pose = frames.place(body.frame, own);

    // A free body may take its inertial frame as its body frame.
    let mut inverse = None;
    if let [j] = tree.bodies[b].joints[..] {
        let joint = &spec.joints[tree.joints[j].key];
        let align = match joint.align {
            AlignFree::True => true,
            AlignFree::False => false,
            AlignFree::Auto => compiler.alignfree,
        };
        if joint.type_ == JointType::Free && align && tree.bodies[b].children.is_empty() {
            pose = pose.then(&ipose);
            inverse = Some(ipose.inverse());
            ipose = Pose::IDENTITY;
        }
    }
    if let Some(inverse) = inverse {
        for i in 0..tree.bodies[b].geoms.len() {
            let g = tree.bodies[b].geoms[i];
            tree.geoms[g].pose = inverse.then(&tree.geoms[g].pose);
        }
    }

    let plan = &mut tree.bodies[b];
    (plan.pose, plan.ipose) = (pose, ipose);
    (plan.mass, plan.inertia) = (inertial.mass, inertial.inertia);

    compile_joints(cx, tree, b, frames);
    compile_sites(cx, tree, b, frames, names);
    compile_cameras(cx, tree, b, frames);
    compile_lights(cx, tree, b, frames);
    if let Some(inverse) = inverse {
        let plan = tree.bodies[b].clone();
        for &s in &plan.sites {
            tree.sites[s].pose = inverse.then(&tree.sites[s].pose);
        }
        // MuJoCo compiles cameras and lights a second time where it looks for bodies to fuse, and then
        // forgets that their body's frame has moved.
        if compiler.fusestatic {
            return;
        }
        for &c in &plan.cameras {
            tree.cameras[c].pose = inverse.then(&tree.cameras[c].pose);
        }
        for &l in &plan.lights {
            let light = &mut tree.lights[l];
            light.pos = inverse.then(&Pose { pos: light.pos, quat: Quat::IDENTITY }).pos;
            light.dir = inverse.quat.rotate(light.dir);
        }
    }
}

fn compile_joints(cx: &mut Context, tree: &mut Tree, b: usize, frames: &Frames) {
    let spec = cx.spec;
    let body = &spec.bodies[tree.bodies[b].key];
    let mut ball = false;
    let mut dofs = 0;
    let joints = tree.bodies[b].joints.clone();
    for &j in &joints {
        let source = &spec.joints[tree.joints[j].key];
        joint::compile(cx, &mut tree.joints[j], frames.of(source.frame));
        dofs += joint::dofs(source.type_);
        match source.type_ {
            JointType::Ball | JointType::Hinge if ball => {
                cx.error("joint", source, "a ball joint cannot be followed by another rotation");
            }
            JointType::Ball => ball = true,
            JointType::Free if joints.len() > 1 => {
                cx.error("joint", source, "a free joint must be the only joint of its body");
            }
            _ => {}
        }
    }
    if dofs > 6 {
        cx.error("body", body, format!("the joints have {dofs} degrees of freedom, more than 6"));
    }
    tree.bodies[b].dofnum = dofs;
    if body.mocap && (dofs > 0 || b == 0 || tree.bodies[b].parent != 0) {
        cx.error("body", body, "a mocap body must be a child of the world without joints");
    }
}

/// Free joints belong into children of the world, once static bodies are fused.
pub(super) fn check_free_joints(cx: &mut Context, tree: &Tree) {
    for joint in &tree.joints {
        let source = &cx.spec.joints[joint.key];
        if source.type_ == JointType::Free && tree.bodies[joint.body].parent != 0 {
            cx.error("joint", source, "a free joint belongs into a child of the world");
        }
    }
}

fn compile_sites(cx: &mut Context, tree: &mut Tree, b: usize, frames: &Frames, names: &Names) {
    let spec = cx.spec;
    for &s in &tree.bodies[b].sites {
        let site = &spec.sites[tree.sites[s].key];
        geom::check_site_type(cx, site);
        let (pose, size) =
            match geom::between(cx, "site", site, site.fromto, site.type_, site.pos, site.size) {
                Some(placed) => placed,
                None => {
                    let quat = orientation::resolve(cx, "site", site, site.quat, &site.alt);
                    (Pose { pos: site.pos, quat }, site.size)
                }
            };
        geom::check_size(cx, "site", site, site.type_, size);
        let pose = frames.place(site.frame, pose);
        let plan = &mut tree.sites[s];
        plan.pose = Pose { pos: pose.pos, quat: unit_quat(pose.quat) };
        plan.size = size;
        plan.matid = cx.material(names, &site.material, "site", site);
    }
}

fn compile_cameras(cx: &mut Context, tree: &mut Tree, b: usize, frames: &Frames) {
    let spec = cx.spec;
    for &c in &tree.bodies[b].cameras {
        let camera = &spec.cameras[tree.cameras[c].key];
        let quat = orientation::resolve(cx, "camera", camera, camera.quat, &camera.alt);
        let pose = frames.place(camera.frame, Pose { pos: camera.pos, quat });
        let plan = &mut tree.cameras[c];
        plan.pose = Pose { pos: pose.pos, quat: unit_quat(pose.quat) };
        (plan.fovy, plan.intrinsic) = (camera.fovy, camera.intrinsic);
        if camera.fovy >= 180.0 {
            cx.error("camera", camera, "'fovy' must be below 180 degrees");
        }
        let twice = |a: [f32; 2], b: [f32; 2]| (0..2).any(|k| a[k] != 0.0 && b[k] != 0.0);
        if twice(camera.principal_length, camera.principal_pixel) {
            cx.error("camera", camera, "the principal point is given in length and in pixels");
        }
        if twice(camera.focal_length, camera.focal_pixel) {
            cx.error("camera", camera, "the focal length is given in length and in pixels");
        }
        if camera.sensor_size[0] > 0.0 && camera.sensor_size[1] > 0.0 {
            let density: [f32; 2] =
                std::array::from_fn(|k| camera.resolution[k] / camera.sensor_size[k]);
            for k in 0..2 {
                plan.intrinsic[k] = camera.focal_pixel[k] / density[k] + camera.focal_length[k];
                plan.intrinsic[k + 2] =
                    camera.principal_pixel[k] / density[k] + camera.principal_length[k];
            }
            // In single precision, as sizes and focal lengths are, and by the C library as in MuJoCo: no state
            // depends on the last bit.
            let half = (camera.sensor_size[1] / 2.0).atan2(plan.intrinsic[1]);
            plan.fovy = f64::from(half) * 360.0 / std::f64::consts::PI;
        } else {
            plan.intrinsic[0] = spec.visual.map.znear;
            plan.intrinsic[1] = spec.visual.map.znear;
        }
    }
}

fn compile_lights(cx: &mut Context, tree: &mut Tree, b: usize, frames: &Frames) {
    let spec = cx.spec;
    for &l in &tree.bodies[b].lights {
        let light = &spec.lights[tree.lights[l].key];
        let (mut pos, mut dir) = (light.pos, light.dir);
        if let Some(frame) = frames.of(light.frame) {
            pos = frame.then(&Pose { pos, quat: Quat::IDENTITY }).pos;
            dir = frame.quat.rotate(dir);
        }
        let (dir, norm) = unit3(dir);
        if norm < EPS {
            cx.error("light", light, "the direction is zero");
        }
        (tree.lights[l].pos, tree.lights[l].dir) = (pos, dir);
    }
}

/// Every moving body needs mass and inertia, its own or of a body welded to it.
pub(super) fn check_masses(cx: &mut Context, tree: &Tree) {
    let enough = |b: &BodyPlan| {
        b.mass >= corten_math::MIN_VAL && b.inertia.0.iter().all(|&i| i >= corten_math::MIN_VAL)
    };
    // Whether a body or a static descendant is massive; children come after parents.
    let mut massive: Vec<bool> = tree.bodies.iter().map(enough).collect();
    for b in (1..tree.bodies.len()).rev() {
        if massive[b] && tree.bodies[b].joints.is_empty() {
            massive[tree.bodies[b].parent] = true;
        }
    }
    for (b, plan) in tree.bodies.iter().enumerate().skip(1) {
        if !plan.joints.is_empty() && !massive[b] {
            let body = &cx.spec.bodies[plan.key];
            cx.diagnostics.push(
                crate::diagnostic::Diagnostic::error(
                    "a moving body needs mass and inertia larger than 1e-15",
                )
                .on("body", body)
                .hint("give it an 'inertial' element, or a geom with mass"),
            );
        }
    }
}
