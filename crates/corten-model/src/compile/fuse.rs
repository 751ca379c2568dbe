//! Fusion of static bodies with their parents (`fusestatic`).
//!
//! A body without joints disappears unless something refers to it; its elements and children
//! move to its parent, its inertia too, unless the parent is the world.
//!
//! MuJoCo 3.4.0 goes on to look up names in the numbering from before the fusion. Two consequences
//! are part of its models: geoms and sites that moved are mistaken for others (see
//! [`Context::resolve`]), and a body with a name stays while a reference leads past the end of the
//! shortened list.

use corten_math::memory::Grow;
use std::collections::HashSet;

use super::context::{Context, Moved};
use super::inertia;
use super::pose::Pose;
use super::tree::Tree;
use crate::enums::ObjType;

pub(super) fn fuse_static(cx: &mut Context, tree: &mut Tree) {
    let Referenced { named, measured, carrying } = referenced(cx, tree);
    let n = tree.bodies.len();
    let last_named = named.iter().rposition(|&named| named).unwrap_or(0);
    let mut gone = vec![false; n];
    let mut remaining = n;
    // In tree order: when a body is fused its children are judged next, already in the parent.
    for b in 1..n {
        let body = &cx.spec.bodies[tree.bodies[b].key];
        let lost = last_named > b && last_named >= remaining;
        if (!body.name.is_empty() && (named[b] || measured[b] || carrying[b] || lost))
            || !tree.bodies[b].joints.is_empty()
            || body.mocap
        {
            continue;
        }
        gone[b] = true;
        remaining -= 1;
        fuse(cx, tree, b);
    }
    renumber(tree, &gone);
    if remaining < n && !cx.spec.compiler.discardvisual {
        let spec = cx.spec;
        cx.moved = Some(Moved {
            geoms: tree.geoms.iter().map(|g| spec.geoms[g.key].name.as_str()).collect(),
            sites: tree.sites.iter().map(|s| spec.sites[s.key].name.as_str()).collect(),
        });
    }
}

/// Why bodies stay.
struct Referenced {
    /// Other elements refer to them.
    named: Vec<bool>,
    /// Their interaction force is measured.
    measured: Vec<bool>,
    /// Vertices or nodes of a flex are on them. MuJoCo does not look, and then misses the body.
    carrying: Vec<bool>,
}

fn referenced(cx: &Context, tree: &Tree) -> Referenced {
    let spec = cx.spec;
    let vertices = spec.flexes.values().flat_map(|f| f.vertbody.iter().chain(&f.nodebody));
    let flexes: HashSet<&str> = vertices.map(String::as_str).collect();
    let mut names: HashSet<&str> = HashSet::new();
    names.extend(spec.cameras.values().map(|c| c.targetbody.as_str()));
    names.extend(spec.lights.values().map(|l| l.targetbody.as_str()));
    names.extend(spec.skins.values().flat_map(|s| s.bodyname.iter().map(String::as_str)));
    names.extend(spec.excludes.values().flat_map(|e| [e.bodyname1.as_str(), e.bodyname2.as_str()]));
    for eq in spec.equalities.values().filter(|e| e.objtype == ObjType::Body) {
        names.extend([eq.name1.as_str(), eq.name2.as_str()]);
    }
    for a in spec.actuators.values().filter(|a| a.trntype == crate::enums::Transmission::Body) {
        names.insert(&a.target);
    }
    let is_body = |kind: ObjType| matches!(kind, ObjType::Body | ObjType::Xbody);
    let mut measured: HashSet<&str> = HashSet::new();
    for s in spec.sensors.values() {
        if is_body(s.objtype) {
            names.insert(&s.objname);
        }
        if is_body(s.reftype) {
            names.insert(&s.refname);
        }
        if s.type_.info().keeps_body {
            measured.insert(&s.objname);
        }
    }
    for tuple in spec.tuples.values() {
        for (&kind, name) in tuple.objtype.iter().zip(&tuple.objname) {
            if is_body(kind) {
                names.insert(name);
            }
        }
    }
    names.remove("");
    measured.remove("");
    let site = |s: usize| spec.sites[tree.sites[s].key].name.as_str();
    let bodies = || tree.bodies.iter();
    let name = |key| spec.bodies[key].name.as_str();
    Referenced {
        named: bodies().map(|b| names.contains(name(b.key))).collect(),
        measured: bodies().map(|b| b.sites.iter().any(|&s| measured.contains(site(s)))).collect(),
        carrying: bodies().map(|b| flexes.contains(name(b.key))).collect(),
    }
}

fn fuse(cx: &mut Context, tree: &mut Tree, b: usize) {
    let body = tree.bodies[b].clone();
    let p = body.parent;
    if p != 0 && body.mass >= corten_math::MIN_VAL {
        let parent = &tree.bodies[p];
        let sum = inertia::accumulate(
            (parent.mass, parent.inertia, parent.ipose),
            (body.mass, body.inertia, body.ipose),
            body.pose,
        );
        match sum {
            Some((mass, inertia, ipose)) => {
                let parent = &mut tree.bodies[p];
                (parent.mass, parent.inertia, parent.ipose) = (mass, inertia, ipose);
            }
            None => {
                let source = &cx.spec.bodies[body.key];
                cx.error("body", source, "the inertia of the fused bodies is not positive");
            }
        }
    }

    // Children take the place of the body among its siblings.
    for &c in &body.children {
        let child = &mut tree.bodies[c];
        child.pose = body.pose.then(&child.pose);
        child.parent = p;
    }
    let siblings = &mut tree.bodies[p].children;
    if let Some(at) = siblings.iter().position(|&s| s == b) {
        siblings.splice(at..=at, body.children.iter().copied());
    }
    for &g in &body.geoms {
        tree.geoms[g].pose = body.pose.then(&tree.geoms[g].pose);
        tree.geoms[g].body = p;
    }
    for &s in &body.sites {
        tree.sites[s].pose = body.pose.then(&tree.sites[s].pose);
        tree.sites[s].body = p;
    }
    for &c in &body.cameras {
        tree.cameras[c].pose = body.pose.then(&tree.cameras[c].pose);
        tree.cameras[c].body = p;
    }
    for &l in &body.lights {
        let light = &mut tree.lights[l];
        light.pos = body.pose.then(&Pose { pos: light.pos, ..Pose::IDENTITY }).pos;
        light.dir = body.pose.quat.rotate(light.dir);
        light.body = p;
    }
    let parent = &mut tree.bodies[p];
    parent.geoms.extend(&body.geoms);
    parent.sites.extend(&body.sites);
    parent.cameras.extend(&body.cameras);
    parent.lights.extend(&body.lights);
}

/// Numbers bodies and elements anew, in depth-first order.
fn renumber(tree: &mut Tree, gone: &[bool]) {
    let old = std::mem::take(tree);
    let mut index = vec![0; gone.len()];
    let mut stack = vec![0];
    while let Some(b) = stack.pop() {
        let new = tree.bodies.len();
        index[b] = new;
        let mut body = old.bodies[b].clone();
        stack.extend(body.children.iter().rev());
        body.children.clear();
        body.parent = index[body.parent];
        body.weld = match (new, body.joints.is_empty()) {
            (0, _) => 0,
            (_, false) => new,
            (_, true) => tree.bodies[body.parent].weld,
        };
        if new > 0 {
            tree.bodies[body.parent].children.push(new);
        }
        macro_rules! renumber {
            ($($list:ident),*) => {$(
                for i in &mut body.$list {
                    let mut element = old.$list[*i].clone();
                    element.body = new;
                    *i = tree.$list.len();
                    tree.$list.grow_push(element);
                }
            )*};
        }
        renumber!(joints, geoms, sites, cameras, lights);
        tree.bodies.grow_push(body);
    }
}
