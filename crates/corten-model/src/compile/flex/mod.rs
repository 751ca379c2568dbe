//! Flexes: references resolved, topology and stiffness in the reference pose.
//!
//! Answers to MuJoCo's `mjCFlex::Compile`.

mod bending;
mod interpolated;
mod stretch;
mod topology;
mod write;

use corten_geom::bvh::{self, Bvh};
use corten_math::Vec3;
use corten_math::memory::{self, Gather, Grow};

use super::context::Context;
use super::pose::Pose;
use super::tree::Tree;
use crate::diagnostic::Diagnostic;
use crate::enums::{EnableBit, FlexSelf, ObjType};
use crate::flex::{FlexBendingType, FlexElasticityType};
use crate::names::Names;
use crate::spec::{Element, Flex};
use topology::{Border, Edges, Flap};
pub(super) use write::write;

/// Most elements of a flex: addresses of their numbers are 32-bit integers.
const MAX_ELEMENTS: usize = i32::MAX as usize / (4 * stretch::STRIDE);

/// Coefficients of a hinge with a flexural rigidity.
pub(crate) fn bending_coefficients(rest: [Vec3; 4], rigidity: f64) -> [f64; bending::STRIDE] {
    bending::edge(rest, rigidity)
}

/// Coefficients of an element of a material `[young, poisson, thickness]`, by the textbook.
pub(crate) fn stretch_coefficients(rest: &[Vec3], material: [f64; 3]) -> [f64; stretch::STRIDE] {
    let [young, poisson, thickness] = material;
    stretch::element(rest, &stretch::Material { young, poisson, thickness, textbook: true })
}

/// A flex with everything that follows from it.
pub(super) struct FlexPlan<'a> {
    source: &'a Flex,
    matid: i32,
    /// One body carries all vertices.
    pub(super) rigid: bool,
    /// Vertices, or nodes, are at the origins of their bodies.
    centered: bool,
    /// Degree of interpolation between nodes; zero for none.
    order: usize,
    vertbodyid: Vec<i32>,
    nodebodyid: Vec<i32>,
    elem: Vec<i32>,
    elemtexcoord: Vec<i32>,
    edges: Edges,
    edge_rigid: Vec<bool>,
    /// Of flexes that resist bending.
    flaps: Vec<Flap>,
    /// Empty for none.
    stiffness: Vec<f64>,
    /// Empty for none.
    bending: Vec<[f64; bending::STRIDE]>,
    border: Border,
    tree: Bvh,
    vert0: Vec<Vec3>,
    node0: Vec<Vec3>,
    /// Vertices in the world.
    rest: Vec<Vec3>,
    laws: (FlexBendingType, FlexElasticityType),
}

pub(super) fn compile<'a>(cx: &mut Context<'a>, names: &Names, tree: &Tree) -> Vec<FlexPlan<'a>> {
    let spec = cx.spec;
    if spec.flexes.is_empty() {
        return Vec::new();
    }
    let poses = world_poses(tree);
    let mut plans = Vec::new();
    for flex in spec.flexes.values() {
        match one(cx, flex, names, tree, &poses) {
            Ok(plan) => plans.push(plan),
            Err(Some(item)) => cx.diagnostics.push(item.on("flex", flex)),
            Err(None) => {}
        }
    }
    plans
}

/// Poses of bodies in the reference configuration.
fn world_poses(tree: &Tree) -> Vec<Pose> {
    let mut poses: Vec<Pose> = memory::with_room(tree.bodies.len());
    for (b, body) in tree.bodies.iter().enumerate() {
        let pose = match b {
            0 => Pose::IDENTITY,
            _ => poses[body.parent].then(&body.pose),
        };
        poses.push(pose);
    }
    poses
}

/// What is wrong; nothing if it has been reported.
type Failure = Option<Box<Diagnostic>>;

fn refuse(item: Diagnostic) -> Failure {
    Some(Box::new(item))
}

fn fail(message: impl Into<String>) -> Failure {
    refuse(Diagnostic::error(message))
}

fn one<'a>(
    cx: &mut Context<'a>,
    flex: &'a Flex,
    names: &Names,
    tree: &Tree,
    poses: &[Pose],
) -> Result<FlexPlan<'a>, Failure> {
    let shape = check_shape(flex)?;
    let laws = laws(cx, flex, &shape)?;
    let matid = super::context::id(cx.material(names, &flex.material, "flex", flex));
    let (vertbodyid, nodebodyid) = bodies(cx, flex, names, tree, &shape)?;
    let rigid = !shape.interpolated() && vertbodyid.iter().all(|b| *b == vertbodyid[0]);
    let offsets = if shape.interpolated() { &flex.node } else { &flex.vert };
    let centered = offsets.iter().all(|&x| x == 0.0);

    let place = |bodies: &[usize], local: &[f64]| -> Vec<Vec3> {
        let at = |i: usize| local.get(3 * i..3 * i + 3).map_or(Vec3::ZERO, Vec3::from_slice);
        let world = |(i, &b): (usize, &usize)| poses[b].pos + poses[b].quat.rotate(at(i));
        bodies.iter().enumerate().map(world).gather()
    };
    let (vert, node0) = (place(&vertbodyid, &flex.vert), place(&nodebodyid, &flex.node));

    let mut elem = memory::copy_of(&flex.elem);
    if shape.dim == 3 {
        orient(&mut elem, &vert);
    }
    let edges = topology::edges(&elem, shape.dim);
    let flaps = if flex.bends() { topology::flaps(&elem, &edges) } else { Vec::new() };
    let stiffness = stiffness(flex, &shape, &elem, &vert, &node0, is_textbook(cx))?;
    let bending = bend(cx, flex, &flaps, &vert)?;
    let border = topology::border(&elem, shape.dim);
    let boxes = bounding_tree(flex, &elem, &border.layer, &vert);
    let vert0 = box_coordinates(&boxes, flex.radius, &vert);
    if shape.interpolated() && is_flat(&vert) {
        let item = Diagnostic::error("an interpolated flex cannot be flat");
        return Err(refuse(item.hint("give it an extent along every axis, or use full dofs")));
    }
    let weld = |v: i32| tree.bodies[vertbodyid[v as usize]].weld;
    let edge_rigid = edges
        .edge
        .iter()
        .map(|&[a, b]| rigid || (!shape.interpolated() && weld(a) == weld(b)))
        .gather();
    let as_ids = |bodies: Vec<usize>| bodies.into_iter().map(|b| b as i32).gather();
    Ok(FlexPlan {
        source: flex,
        matid,
        rigid,
        centered,
        order: shape.order,
        // Vertices between nodes have no body of their own.
        vertbodyid: if shape.interpolated() {
            memory::filled(-1, vert.len())
        } else {
            as_ids(vertbodyid)
        },
        nodebodyid: as_ids(nodebodyid),
        elemtexcoord: element_texcoords(flex, &shape, &elem),
        elem,
        edges,
        edge_rigid,
        flaps,
        stiffness,
        bending,
        border,
        tree: boxes,
        vert0,
        node0,
        rest: vert,
        laws,
    })
}

/// Sizes that have been checked.
struct Counts {
    dim: usize,
    verts: usize,
    elems: usize,
    /// Degree of interpolation between nodes; zero for none.
    order: usize,
}

impl Counts {
    fn interpolated(&self) -> bool {
        self.order > 0
    }
}

/// Checks what can be told without looking at other elements.
fn check_shape(flex: &Flex) -> Result<Counts, Failure> {
    let dim = match flex.dim {
        1..=3 => flex.dim as usize,
        dim => {
            let item = Diagnostic::error(format!("a flex cannot have dimension {dim}"));
            return Err(refuse(item.expected("1, 2 or 3")));
        }
    };
    if flex.elem.is_empty() {
        return Err(fail("a flex needs elements"));
    }
    if !flex.elem.len().is_multiple_of(dim + 1) || flex.elem.len() / (dim + 1) > MAX_ELEMENTS {
        let message = format!("{} numbers do not make elements", flex.elem.len());
        let item = Diagnostic::error(message);
        return Err(refuse(item.expected(format!("{} vertices per element", dim + 1))));
    }
    if flex.vertbody.is_empty() {
        return Err(fail("a flex needs the bodies of its vertices"));
    }
    if !flex.vert.len().is_multiple_of(3) || !flex.node.len().is_multiple_of(3) {
        return Err(fail("positions must be given as multiples of 3 numbers"));
    }
    if flex.edgestiffness > 0.0 && dim > 1 {
        let item = Diagnostic::error("edges of a surface or solid cannot have stiffness");
        return Err(refuse(item.hint("use 'elasticity'; stiffness of edges is for dimension 1")));
    }
    if !(0..4).contains(&flex.elastic2d) {
        return Err(fail("'elastic2d' must be from 0 to 3"));
    }
    let order = interpolation(flex)?;
    let verts = if flex.vert.is_empty() { flex.vertbody.len() } else { flex.vert.len() / 3 };
    if verts < dim + 1 {
        return Err(fail(format!("{verts} vertices are not enough for one element")));
    }
    check_elements(flex, dim, verts)?;
    let texcoords = flex.texcoord.len();
    if texcoords != 0 && flex.elemtexcoord.is_empty() && texcoords != 2 * verts {
        let message = format!("{texcoords} texture coordinates for {verts} vertices");
        return Err(refuse(Diagnostic::error(message).expected("two per vertex")));
    }
    if flex.young > 0.0 && !(0.0..0.5).contains(&flex.poisson) {
        let message = format!("Poisson's ratio cannot be {}", flex.poisson);
        return Err(refuse(Diagnostic::error(message).expected("at least 0 and less than 0.5")));
    }
    if flex.young > 0.0 && flex.bends() && flex.thickness < 0.0 {
        let item = Diagnostic::error("resistance to bending needs a thickness");
        return Err(refuse(item.hint("give 'thickness' in 'elasticity'")));
    }
    Ok(Counts { dim, verts, elems: flex.elem.len() / (dim + 1), order })
}

/// The laws that a flex names. One that has nothing to act upon is a warning.
fn laws(
    cx: &mut Context,
    flex: &Flex,
    shape: &Counts,
) -> Result<(FlexBendingType, FlexElasticityType), Failure> {
    let unknown = |attribute: &str, word: &str, known: String| {
        let item = Diagnostic::error(format!("there is no {attribute} '{word}'"));
        refuse(item.expected(known))
    };
    let (bending, elasticity) = (&flex.bending_model, &flex.elasticity_model);
    let bending_law = FlexBendingType::from_word(bending)
        .ok_or_else(|| unknown("bending model", bending, FlexBendingType::words()))?;
    let elasticity_law = FlexElasticityType::from_word(elasticity)
        .ok_or_else(|| unknown("elasticity model", elasticity, FlexElasticityType::words()))?;
    let mut warn = |message: &str, hint: &str| {
        let item = Diagnostic::warning(message).hint(hint);
        cx.diagnostics.push(item.on("flex", flex));
    };
    let acts = flex.young > 0.0 && !shape.interpolated();
    if bending_law != FlexBendingType::default() && !(acts && flex.bends()) {
        warn(
            "'cortenforge:bending_model' has no effect on a flex that does not resist bending",
            "give 'young', 'thickness' and elastic2d=\"bend\" or \"both\" in 'elasticity' to a flex of dimension 2 with full dofs",
        );
    }
    let strained = shape.dim == 3 || (shape.dim == 2 && flex.stretches() && flex.thickness > 0.0);
    if elasticity_law != FlexElasticityType::default() && !(acts && strained) {
        warn(
            "'cortenforge:elasticity_model' has no effect on a flex that does not resist strain",
            "give 'young' in 'elasticity' to a flex of dimension 3 with full dofs, or with 'thickness' and elastic2d=\"stretch\" or \"both\" of dimension 2",
        );
    }
    Ok((bending_law, elasticity_law))
}

/// The degree of interpolation that the number of nodes tells.
fn interpolation(flex: &Flex) -> Result<usize, Failure> {
    let order = match flex.nodebody.len() {
        0 => return Ok(0),
        8 => 1,
        27 => 2,
        n => {
            let item = Diagnostic::error(format!("a flex cannot have {n} nodes"));
            return Err(refuse(item.expected("8 or 27")));
        }
    };
    if !flex.node.is_empty() && flex.node.len() != 3 * flex.nodebody.len() {
        let message = format!("{} numbers for {} nodes", flex.node.len(), flex.nodebody.len());
        return Err(refuse(Diagnostic::error(message).expected("three per node")));
    }
    if flex.selfcollide != FlexSelf::None {
        let item = Diagnostic::error("an interpolated flex cannot collide with itself");
        return Err(refuse(item.hint("write selfcollide=\"none\" in 'contact'")));
    }
    if flex.internal {
        let item = Diagnostic::error("an interpolated flex cannot have internal collisions");
        return Err(refuse(item.hint("write internal=\"false\" in 'contact'")));
    }
    // The matrix of the brick takes the place of those of the elements.
    let numbers = (3 * flex.nodebody.len()).pow(2);
    let (least, found) =
        (numbers.div_ceil(stretch::STRIDE), flex.elem.len() / (flex.dim as usize + 1));
    if flex.young > 0.0 && found < least {
        let message = format!("{found} elements are too few for {} nodes", flex.nodebody.len());
        return Err(refuse(Diagnostic::error(message).expected(format!("at least {least}"))));
    }
    Ok(order)
}

fn check_elements(flex: &Flex, dim: usize, verts: usize) -> Result<(), Failure> {
    for (e, vertices) in flex.elem.chunks_exact(dim + 1).enumerate() {
        for (i, v) in vertices.iter().enumerate() {
            if usize::try_from(*v).map_or(true, |v| v >= verts) {
                let message = format!("element {e} has vertex {v}, which does not exist");
                let item = Diagnostic::error(message);
                return Err(refuse(item.expected(format!("from 0 to {}", verts - 1))));
            }
            if vertices[..i].contains(v) {
                return Err(fail(format!("element {e} has vertex {v} twice")));
            }
        }
    }
    Ok(())
}

/// Bodies of vertices, one each, and of nodes.
fn bodies(
    cx: &mut Context,
    flex: &Flex,
    names: &Names,
    tree: &Tree,
    shape: &Counts,
) -> Result<(Vec<usize>, Vec<usize>), Failure> {
    if flex.vertbody.len() != shape.verts && flex.vertbody.len() != 1 {
        let message = format!("{} bodies for {} vertices", flex.vertbody.len(), shape.verts);
        return Err(refuse(Diagnostic::error(message).expected("one body, or one per vertex")));
    }
    let mut resolve = |list: &[String]| -> Option<Vec<usize>> {
        // One finding per flex: the names are often made by a program, and all wrong.
        let mut out: Vec<usize> = memory::with_room(list.len());
        for (i, name) in list.iter().enumerate() {
            let same = i > 0 && list[i - 1] == *name;
            out.push(match same {
                true => out[i - 1],
                false => cx.resolve(names, ObjType::Body, name, "flex", flex)?,
            });
        }
        Some(out)
    };
    let (verts, nodes) = (resolve(&flex.vertbody), resolve(&flex.nodebody));
    let (Some(mut verts), Some(nodes)) = (verts, nodes) else { return Err(None) };
    // A hinge by angles pushes whatever its vertices move with.
    let slides = FlexBendingType::from_word(&flex.bending_model).unwrap_or_default()
        == FlexBendingType::Cotangent;
    if flex.bends()
        && slides
        && let Some(&body) = verts.iter().find(|&&b| tree.bodies[b].joints.len() != 3)
    {
        let name = cx.spec.bodies[tree.bodies[body].key].name();
        let message =
            format!("body '{name}' of a flex that resists bending must have three joints");
        return Err(refuse(
            Diagnostic::error(message).hint("do not pin it, or use elastic2d=\"stretch\""),
        ));
    }
    if verts.len() == 1 {
        verts.grow_resize(shape.verts, verts[0]);
    }
    Ok((verts, nodes))
}

/// Swaps two vertices where needed, so that the face 0, 1, 2 of every tetrahedron looks outward.
fn orient(elem: &mut [i32], vert: &[Vec3]) {
    for vertices in elem.as_chunks_mut::<4>().0 {
        let [a, b, c, d] = vertices.map(|v| vert[v as usize]);
        if (b - a).cross(c - a).dot(d - a) > 0.0 {
            vertices.swap(1, 2);
        }
    }
}

/// Stiffness of elements against stretching, or of the brick of nodes; empty for none.
fn stiffness(
    flex: &Flex,
    shape: &Counts,
    elem: &[i32],
    vert: &[Vec3],
    node: &[Vec3],
    textbook: bool,
) -> Result<Vec<f64>, Failure> {
    if flex.young.is_nan() || flex.young <= 0.0 {
        return Ok(Vec::new());
    }
    let material = material(flex, textbook);
    let mut out = Vec::new();
    if shape.interpolated() {
        out = interpolated::matrix(node[node.len() - 1] - node[0], &material, shape.order);
    } else if shape.dim == 3 || (shape.dim == 2 && flex.stretches() && flex.thickness > 0.0) {
        out.grow_reserve_exact(stretch::STRIDE * shape.elems);
        let mut points = [Vec3::ZERO; 4];
        for vertices in elem.chunks_exact(shape.dim + 1) {
            let points = &mut points[..vertices.len()];
            points.iter_mut().zip(vertices).for_each(|(p, &v)| *p = vert[v as usize]);
            out.extend(stretch::element(points, &material));
        }
    }
    if let Some(at) = out.iter().position(|x| !x.is_finite()) {
        let message = match shape.interpolated() {
            true => "the brick of nodes has no volume".to_owned(),
            false => format!("element {} has no extent", at / stretch::STRIDE),
        };
        return Err(fail(message));
    }
    out.grow_resize(stretch::STRIDE * shape.elems, 0.0);
    Ok(out)
}

fn material(flex: &Flex, textbook: bool) -> stretch::Material {
    let Flex { young, poisson, thickness, .. } = *flex;
    stretch::Material { young, poisson, thickness, textbook }
}

/// Whether the model asks for correct formulas where those of MuJoCo 3.4.0 are questionable.
fn is_textbook(cx: &Context) -> bool {
    cx.spec.option.enabled(EnableBit::TextbookFlex)
}

/// Coefficients of bending per edge; empty for none.
fn bend(
    cx: &mut Context,
    flex: &Flex,
    flaps: &[Flap],
    vert: &[Vec3],
) -> Result<Vec<[f64; bending::STRIDE]>, Failure> {
    if !flex.bends() || flex.young.is_nan() || flex.young <= 0.0 {
        return Ok(Vec::new());
    }
    let textbook = is_textbook(cx);
    let rigidity = bending::rigidity(&material(flex, textbook));
    let mut swapped = false;
    let mut out = memory::with_room(flaps.len());
    for flap in flaps {
        let [e0, e1] = flap.ends;
        let [a, b] = flap.opposite;
        if b < 0 {
            out.push([0.0; bending::STRIDE]);
            continue;
        }
        // MuJoCo has the ends as the first triangle lists them, and applies the coefficients to
        // those in ascending order.
        let ends = if textbook { [e0.min(e1), e0.max(e1)] } else { [e0, e1] };
        let points = [ends[0], ends[1], a, b].map(|v| vert[v as usize]);
        swapped |= !textbook && bending::swapped(flap, points);
        let coefficients = bending::edge(points, rigidity);
        if coefficients.iter().any(|x| !x.is_finite()) {
            return Err(fail(format!("a triangle at the edge from {e0} to {e1} has no area")));
        }
        out.push(coefficients);
    }
    if swapped {
        let message = "some edges bend with their ends exchanged, as in MuJoCo 3.4.0";
        let item = Diagnostic::warning(message);
        cx.diagnostics.push(
            item.hint(
                "list vertices so that the first triangle of each edge has the smaller one first",
            )
            .on("flex", flex),
        );
    }
    Ok(out)
}

/// Boxes around the elements that can collide.
fn bounding_tree(flex: &Flex, elem: &[i32], layer: &[i32], vert: &[Vec3]) -> Bvh {
    let width = flex.dim as usize + 1;
    let radius = Vec3::splat(flex.radius);
    let active = |e: usize| flex.dim < 3 || layer[e] < flex.activelayers;
    let boxes: Vec<bvh::Element> = elem
        .chunks_exact(width)
        .enumerate()
        .filter(|&(e, _)| active(e))
        .map(|(e, vertices)| {
            let first = vert[vertices[0] as usize];
            let (mut low, mut high) = (first, first);
            for &v in &vertices[1..] {
                (low, high) = (low.min(vert[v as usize]), high.max(vert[v as usize]));
            }
            let (center, half) = ((high + low) * 0.5, (high - low) * 0.5 + radius);
            bvh::Element { id: e as i32, pos: center, min: center - half, max: center + half }
        })
        .gather();
    bvh::build(&boxes)
}

/// Positions of vertices in the box around all of them: from 0 to 1 along each axis, and not a
/// number where the box has no extent.
fn box_coordinates(tree: &Bvh, radius: f64, vert: &[Vec3]) -> Vec<Vec3> {
    let Some(whole) = tree.aabb.first() else { return vec![Vec3::ZERO; vert.len()] };
    let along = |x: Vec3, k: usize| (x[k] - whole[k]) / (2.0 * (whole[k + 3] - radius)) + 0.5;
    vert.iter().map(|&x| Vec3([0, 1, 2].map(|k| along(x, k)))).gather()
}

/// Whether the box around all points has no volume.
fn is_flat(points: &[Vec3]) -> bool {
    let start = (Vec3::splat(f64::MAX), Vec3::splat(-f64::MAX));
    let (low, high) = points.iter().fold(start, |(low, high), &x| (low.min(x), high.max(x)));
    let size = (high - low).0;
    let largest = size.iter().fold(0.0, |a: f64, &x| a.max(x));
    !size.iter().all(|&x| x > 1e-9 * largest)
}

/// Texture coordinates of elements: those given; else, with coordinates per vertex, three vertices
/// of each element as listed one after the other, like MuJoCo.
fn element_texcoords(flex: &Flex, shape: &Counts, elem: &[i32]) -> Vec<i32> {
    if flex.texcoord.is_empty() {
        return memory::copy_of(elem);
    }
    let mut out = match flex.elemtexcoord.is_empty() {
        true => flex.elem[..flex.elem.len().min(3 * shape.elems)].to_vec(),
        false => memory::copy_of(&flex.elemtexcoord),
    };
    out.grow_resize(elem.len(), 0);
    out
}
