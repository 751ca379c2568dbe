//! The kinematic tree as arrays: addresses, ancestors, simple bodies, bounding volumes.

use corten_geom::bvh::{self, Element};
use corten_math::memory::{self, Gather, Grow};
use corten_math::{Quat, Vec3};

use super::context::{Context, id};
use super::joint;
use super::name::UserSizes;
use super::pose::{EPS, Pose, close, same_rotation};
use super::tree::Tree;
use crate::ModelArrays;
use crate::enums::{JointType, ObjType, SameFrame, SleepPolicy, WrapType};

pub(super) fn tree(cx: &mut Context, m: &mut ModelArrays, tree: &Tree, users: &UserSizes) {
    sizes(cx, m, tree, users);
    bodies(cx, m, tree);
    joints(cx, m, tree);
    geoms(cx, m, tree);
    sites(cx, m, tree);
    cameras(cx, m, tree);
    lights(cx, m, tree);
    trees(cx, m, tree);
}

fn sizes(cx: &Context, m: &mut ModelArrays, tree: &Tree, users: &UserSizes) {
    let kinds = || tree.joints.iter().map(|j| cx.spec.joints[j.key].type_);
    m.nbody = tree.bodies.len();
    m.njnt = tree.joints.len();
    m.ngeom = tree.geoms.len();
    m.nsite = tree.sites.len();
    m.ncam = tree.cameras.len();
    m.nlight = tree.lights.len();
    m.nq = kinds().map(joint::coordinates).sum();
    m.nv = kinds().map(joint::dofs).sum();
    m.nmocap = tree.bodies.iter().filter(|b| cx.spec.bodies[b.key].mocap).count();
    m.nuserdata = usize::try_from(cx.spec.sizes.nuserdata).unwrap_or(0);
    (m.nuser_body, m.nuser_jnt, m.nuser_geom) = (users.body, users.jnt, users.geom);
    (m.nuser_site, m.nuser_cam) = (users.site, users.cam);
    m.resize();
}

fn copy_user(target: &mut [f64], width: usize, row: usize, values: &[f64]) {
    if let Some(target) = target.get_mut(width * row..width * row + values.len()) {
        target.copy_from_slice(values);
    }
}

/// An index, or −1 for an empty list.
fn first(list: &[usize]) -> i32 {
    id(list.first().copied())
}

fn bodies(cx: &Context, m: &mut ModelArrays, tree: &Tree) {
    let mut mocap = 0;
    let mut dofadr = 0;
    for (b, plan) in tree.bodies.iter().enumerate() {
        let source = &cx.spec.bodies[plan.key];
        m.body_parentid[b] = plan.parent as i32;
        m.body_rootid[b] = if plan.parent == 0 { b as i32 } else { m.body_rootid[plan.parent] };
        m.body_weldid[b] = plan.weld as i32;
        m.body_mocapid[b] = -1;
        if source.mocap {
            m.body_mocapid[b] = mocap;
            mocap += 1;
        }
        m.body_jntnum[b] = plan.joints.len() as i32;
        m.body_jntadr[b] = first(&plan.joints);
        m.body_dofnum[b] = plan.dofnum as i32;
        m.body_dofadr[b] = if plan.dofnum > 0 { dofadr as i32 } else { -1 };
        dofadr += plan.dofnum;
        m.body_geomnum[b] = plan.geoms.len() as i32;
        m.body_geomadr[b] = first(&plan.geoms);
        (m.body_pos[b], m.body_quat[b]) = (plan.pose.pos, plan.pose.quat);
        (m.body_ipos[b], m.body_iquat[b]) = (plan.ipose.pos, plan.ipose.quat);
        (m.body_mass[b], m.body_inertia[b]) = (plan.mass, plan.inertia);
        m.body_gravcomp[b] = source.gravcomp;
        copy_user(&mut m.body_user, m.nuser_body, b, &source.userdata);
        for &g in &plan.geoms {
            let geom = &cx.spec.geoms[tree.geoms[g].key];
            m.body_contype[b] |= geom.contype;
            m.body_conaffinity[b] |= geom.conaffinity;
            m.body_margin[b] = m.body_margin[b].max(geom.margin);
        }
        m.body_sameframe[b] = if plan.ipose.is_close(&Pose::IDENTITY) {
            SameFrame::Body.raw() as u8
        } else if same_rotation(plan.ipose.quat, Quat::IDENTITY) {
            SameFrame::BodyRot.raw() as u8
        } else {
            SameFrame::None.raw() as u8
        };
    }
    simple(cx, m, tree);
}

/// Bodies whose own block of the mass matrix is diagonal: with inertial and body frame equal, no
/// children, fixed to nothing that moves, and joints along the axes through the centre.
fn simple(cx: &Context, m: &mut ModelArrays, tree: &Tree) {
    for (b, plan) in tree.bodies.iter().enumerate() {
        let parent = plan.parent;
        let on_static = m.body_parentid[parent] == 0 && m.body_dofnum[parent] == 0;
        let mut level = u8::from(
            m.body_sameframe[b] == SameFrame::Body.raw() as u8
                && (m.body_rootid[b] == b as i32 || on_static),
        );
        if parent > 0 {
            m.body_simple[parent] = 0;
        }
        let mut rotates = false;
        let mut slides = true;
        for &j in &plan.joints {
            let joint = &tree.joints[j];
            let kind = cx.spec.joints[joint.key].type_;
            let aligned = joint.axis.0.iter().filter(|x| x.abs() > EPS).count() == 1;
            let directed = matches!(kind, JointType::Hinge | JointType::Slide);
            if rotates || !close(joint.pos, Vec3::ZERO) || (directed && !aligned) {
                level = 0;
            }
            rotates |= matches!(kind, JointType::Ball | JointType::Hinge);
            slides &= kind == JointType::Slide;
        }
        // Level 2: translation only.
        if level > 0 && plan.dofnum > 0 && slides {
            level = 2;
        }
        m.body_simple[b] = level;
    }
}

fn joints(cx: &Context, m: &mut ModelArrays, tree: &Tree) {
    let mut last_dof = memory::filled(-1, m.nbody);
    let (mut qpos, mut dof) = (0, 0);
    for (b, body) in tree.bodies.iter().enumerate() {
        let mut last = if b == 0 { -1 } else { last_dof[body.parent] };
        for &j in &body.joints {
            let plan = &tree.joints[j];
            let s = &cx.spec.joints[plan.key];
            m.jnt_type[j] = s.type_.raw();
            m.jnt_group[j] = s.group;
            m.jnt_limited[j] = plan.limited.into();
            m.jnt_actfrclimited[j] = plan.actfrclimited.into();
            m.jnt_actgravcomp[j] = s.actgravcomp.into();
            (m.jnt_qposadr[j], m.jnt_dofadr[j]) = (qpos as i32, dof as i32);
            m.jnt_bodyid[j] = b as i32;
            (m.jnt_pos[j], m.jnt_axis[j]) = (plan.pos, plan.axis);
            m.jnt_stiffness[j] = s.stiffness;
            m.jnt_range[j] = plan.range;
            m.jnt_actfrcrange[j] = s.actfrcrange;
            m.jnt_solref[j] = s.solref_limit;
            m.jnt_solimp[j] = s.solimp_limit;
            m.jnt_margin[j] = s.margin;
            copy_user(&mut m.jnt_user, m.nuser_jnt, j, &s.userdata);
            let n = joint::coordinates(s.type_);
            let (reference, spring) = match s.type_ {
                JointType::Free => {
                    let (p, q) = (body.pose.pos.0, body.pose.quat.0);
                    let pose = [p[0], p[1], p[2], q[0], q[1], q[2], q[3]];
                    (pose, pose)
                }
                JointType::Ball => {
                    let identity = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
                    (identity, identity)
                }
                JointType::Slide | JointType::Hinge => ([plan.qpos0; 7], [plan.spring0; 7]),
            };
            m.qpos0[qpos..qpos + n].copy_from_slice(&reference[..n]);
            m.qpos_spring[qpos..qpos + n].copy_from_slice(&spring[..n]);
            qpos += n;
            for _ in 0..joint::dofs(s.type_) {
                m.dof_bodyid[dof] = b as i32;
                m.dof_jntid[dof] = j as i32;
                m.dof_parentid[dof] = last;
                last = dof as i32;
                m.dof_solref[dof] = s.solref_friction;
                m.dof_solimp[dof] = s.solimp_friction;
                m.dof_frictionloss[dof] = s.frictionloss;
                m.dof_armature[dof] = s.armature;
                m.dof_damping[dof] = s.damping;
                dof += 1;
            }
        }
        last_dof[b] = last;
    }
    // Rows of the older mass matrix format: each dof followed by its ancestors.
    let mut depth = memory::zeroed(m.nv);
    let mut address = 0;
    for i in 0..m.nv {
        depth[i] = 1 + usize::try_from(m.dof_parentid[i]).map_or(0, |p| depth[p]);
        m.dof_Madr[i] = address;
        address += depth[i];
    }
}

/// How the frame of an element relates to the frames of its body.
fn same_frame(pose: &Pose, inertial: &Pose) -> u8 {
    let kind = if pose.is_close(&Pose::IDENTITY) {
        SameFrame::Body
    } else if same_rotation(pose.quat, Quat::IDENTITY) {
        SameFrame::BodyRot
    } else if pose.is_close(inertial) {
        SameFrame::Inertia
    } else if same_rotation(pose.quat, inertial.quat) {
        SameFrame::InertiaRot
    } else {
        SameFrame::None
    };
    kind.raw() as u8
}

fn geoms(cx: &Context, m: &mut ModelArrays, tree: &Tree) {
    for (g, plan) in tree.geoms.iter().enumerate() {
        let s = &cx.spec.geoms[plan.key];
        m.geom_type[g] = s.type_.raw();
        m.geom_contype[g] = s.contype;
        m.geom_conaffinity[g] = s.conaffinity;
        m.geom_condim[g] = s.condim;
        m.geom_bodyid[g] = plan.body as i32;
        m.geom_dataid[g] = id(plan.mesh.or(plan.hfield));
        m.geom_matid[g] = id(plan.matid);
        m.geom_group[g] = s.group;
        m.geom_priority[g] = s.priority;
        m.geom_sameframe[g] = same_frame(&plan.pose, &tree.bodies[plan.body].ipose);
        m.geom_solmix[g] = s.solmix;
        m.geom_solref[g] = s.solref;
        m.geom_solimp[g] = s.solimp;
        m.geom_size[g] = plan.size;
        m.geom_aabb[g] = plan.aabb;
        m.geom_rbound[g] = plan.rbound;
        (m.geom_pos[g], m.geom_quat[g]) = (plan.pose.pos, plan.pose.quat);
        m.geom_friction[g] = s.friction;
        m.geom_margin[g] = s.margin;
        m.geom_gap[g] = s.gap;
        m.geom_compliance[g] = [s.stiffness, s.dissipation];
        m.geom_fluid[g] = plan.fluid;
        m.geom_rgba[g] = s.rgba;
        copy_user(&mut m.geom_user, m.nuser_geom, g, &s.userdata);
    }
    for (b, plan) in tree.bodies.iter().enumerate() {
        let tree = body_tree(cx, tree, b);
        m.body_bvhnum[b] = tree.nodeid.len() as i32;
        m.body_bvhadr[b] = if tree.nodeid.is_empty() { -1 } else { m.nbvhstatic as i32 };
        append_bvh(m, &tree);
        debug_assert!(plan.geoms.len() * 2 >= tree.nodeid.len());
    }
}

/// The tree of boxes of the geoms that can collide, in the inertial frame of the body.
fn body_tree(cx: &Context, tree: &Tree, b: usize) -> bvh::Bvh {
    let body = &tree.bodies[b];
    let inverse = body.ipose.quat.conjugate();
    let elements: Vec<Element> = body
        .geoms
        .iter()
        .filter(|&&g| {
            let s = &cx.spec.geoms[tree.geoms[g].key];
            s.contype != 0 || s.conaffinity != 0
        })
        .map(|&g| {
            let geom = &tree.geoms[g];
            let offset = geom.pose.pos - body.ipose.pos;
            let (center, half) =
                (Vec3::from_slice(&geom.aabb[..3]), Vec3::from_slice(&geom.aabb[3..]));
            let mut min = Vec3::splat(f64::MAX);
            let mut max = Vec3::splat(-f64::MAX);
            for corner in 0..8 {
                let sign = |bit: usize| if corner & bit != 0 { 1.0 } else { -1.0 };
                let v = center + half.component_mul(Vec3::new(sign(1), sign(2), sign(4)));
                let v = inverse.rotate(geom.pose.quat.rotate(v) + offset);
                min = min.min(v);
                max = max.max(v);
            }
            Element { id: g as i32, pos: inverse.rotate(offset), min, max }
        })
        .gather();
    bvh::build(&elements)
}

/// Adds a tree at the end of the static ones.
pub(super) fn append_bvh(m: &mut ModelArrays, tree: &bvh::Bvh) {
    m.bvh_aabb.grow_extend_from_slice(&tree.aabb);
    m.bvh_child.grow_extend_from_slice(&tree.child);
    m.bvh_depth.grow_extend_from_slice(&tree.depth);
    m.bvh_nodeid.grow_extend_from_slice(&tree.nodeid);
    m.nbvhstatic += tree.nodeid.len();
    m.nbvh = m.nbvhstatic;
}

fn sites(cx: &Context, m: &mut ModelArrays, tree: &Tree) {
    for (i, plan) in tree.sites.iter().enumerate() {
        let s = &cx.spec.sites[plan.key];
        m.site_type[i] = s.type_.raw();
        m.site_bodyid[i] = plan.body as i32;
        m.site_matid[i] = id(plan.matid);
        m.site_group[i] = s.group;
        m.site_sameframe[i] = same_frame(&plan.pose, &tree.bodies[plan.body].ipose);
        m.site_size[i] = plan.size;
        (m.site_pos[i], m.site_quat[i]) = (plan.pose.pos, plan.pose.quat);
        m.site_rgba[i] = s.rgba;
        copy_user(&mut m.site_user, m.nuser_site, i, &s.userdata);
    }
}

fn cameras(cx: &mut Context, m: &mut ModelArrays, tree: &Tree) {
    let names = body_names(cx, tree);
    for (i, plan) in tree.cameras.iter().enumerate() {
        let s = &cx.spec.cameras[plan.key];
        m.cam_bodyid[i] = plan.body as i32;
        m.cam_mode[i] = s.mode.raw();
        m.cam_targetbodyid[i] = -1;
        if !s.targetbody.is_empty() {
            let target = cx.resolve(&names, ObjType::Body, &s.targetbody, "camera", s);
            m.cam_targetbodyid[i] = id(target);
        }
        (m.cam_pos[i], m.cam_quat[i]) = (plan.pose.pos, plan.pose.quat);
        m.cam_orthographic[i] = s.orthographic.into();
        m.cam_fovy[i] = plan.fovy;
        m.cam_ipd[i] = s.ipd;
        m.cam_resolution[i] = s.resolution.map(|x| x as i32);
        m.cam_sensorsize[i] = s.sensor_size;
        m.cam_intrinsic[i] = plan.intrinsic;
        copy_user(&mut m.cam_user, m.nuser_cam, i, &s.userdata);
    }
}

fn lights(cx: &mut Context, m: &mut ModelArrays, tree: &Tree) {
    let names = body_names(cx, tree);
    let mut textures = crate::names::Names::default();
    if !cx.spec.compiler.discardvisual {
        let list = cx.spec.textures.values().map(|t| match t.name.as_str() {
            "" => super::asset_path::stem(&t.file).to_owned(),
            name => name.to_owned(),
        });
        textures.set(ObjType::Texture, list.collect());
    }
    for (i, plan) in tree.lights.iter().enumerate() {
        let s = &cx.spec.lights[plan.key];
        m.light_bodyid[i] = plan.body as i32;
        m.light_mode[i] = s.mode.raw();
        m.light_targetbodyid[i] = -1;
        if !s.targetbody.is_empty() {
            let target = cx.resolve(&names, ObjType::Body, &s.targetbody, "light", s);
            m.light_targetbodyid[i] = id(target);
        }
        m.light_texid[i] = -1;
        if !s.texture.is_empty() {
            m.light_texid[i] = id(cx.resolve(&textures, ObjType::Texture, &s.texture, "light", s));
        }
        m.light_type[i] = s.type_.raw();
        m.light_castshadow[i] = s.castshadow.into();
        m.light_active[i] = s.active.into();
        (m.light_pos[i], m.light_dir[i]) = (plan.pos, plan.dir);
        m.light_bulbradius[i] = s.bulbradius;
        m.light_intensity[i] = s.intensity;
        m.light_range[i] = s.range;
        m.light_attenuation[i] = s.attenuation;
        m.light_cutoff[i] = s.cutoff;
        m.light_exponent[i] = s.exponent;
        m.light_ambient[i] = s.ambient;
        m.light_diffuse[i] = s.diffuse;
        m.light_specular[i] = s.specular;
    }
}

fn body_names(cx: &Context, tree: &Tree) -> crate::names::Names {
    let mut names = crate::names::Names::default();
    let list = tree.bodies.iter().map(|b| cx.spec.bodies[b.key].name.clone());
    names.set(ObjType::Body, list.gather());
    names
}

/// Kinematic trees, and the sleep policies chosen for them.
fn trees(cx: &mut Context, m: &mut ModelArrays, tree: &Tree) {
    let mut count = 0;
    for i in 0..m.nv {
        count += i32::from(m.dof_parentid[i] == -1);
        m.dof_treeid[i] = count - 1;
    }
    m.ntree = count as usize;
    m.resize();
    for b in 0..m.nbody {
        let weld = m.body_weldid[b] as usize;
        m.body_treeid[b] = match usize::try_from(m.body_dofadr[weld]) {
            Ok(dof) => m.dof_treeid[dof],
            Err(_) => -1,
        };
    }
    for (b, plan) in tree.bodies.iter().enumerate().skip(1) {
        let body = &cx.spec.bodies[plan.key];
        if body.sleep != SleepPolicy::Auto {
            let id = m.body_treeid[b];
            if id == -1 || id == m.body_treeid[b - 1] {
                cx.error("body", body, "only the moving root of a tree can have a sleep policy");
            } else {
                m.tree_sleep_policy[id as usize] = body.sleep.raw();
            }
        }
    }
}

/// Bodies on a tendon with inertia are not simple after all; then counts simple dofs.
pub(super) fn finish_simple(m: &mut ModelArrays) {
    for t in 0..m.ntendon {
        if m.tendon_armature[t] == 0.0 {
            continue;
        }
        let start = m.tendon_adr[t] as usize;
        for w in start..start + m.tendon_num[t] as usize {
            let Ok(object) = usize::try_from(m.wrap_objid[w]) else { continue };
            let body = match WrapType::from_raw(m.wrap_type[w]) {
                Some(WrapType::Site) => m.site_bodyid[object],
                Some(WrapType::Sphere | WrapType::Cylinder) => m.geom_bodyid[object],
                _ => continue,
            };
            m.body_simple[body as usize] = 0;
        }
    }
    let mut count = 0;
    for i in (0..m.nv).rev() {
        let simple = m.body_simple[m.dof_bodyid[i] as usize] != 0;
        count = if simple { count + 1 } else { 0 };
        m.dof_simplenum[i] = count;
    }
}
