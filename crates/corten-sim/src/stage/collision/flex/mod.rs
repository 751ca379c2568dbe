//! Contacts of flexes: with geoms, with each other, and with themselves.
//!
//! Reads positions of vertices, boxes of elements and their hierarchies; appends to `contact`.
//! Answers to the parts of `mj_collision` that concern flexes, and gives MuJoCo's contacts in
//! MuJoCo's order: pairs of a body and a flex after those of the body with others, by geom and
//! element; then pairs of flexes, by elements; then each flex with itself, in the order in which a
//! walk through its hierarchy ([`tree`]) or a sweep ([`order`]) finds elements that may meet.
//! [`neighbours`] remembers which elements of a sheet can be near each other. [`element`] tests one
//! pair, unless [`separation`] proves it apart.

mod element;
mod neighbours;
mod order;
mod separation;
mod tree;

use corten_math::Vec3;
use corten_model::enums::{DisableBit, EnableBit, FlexSelf, GeomType};

use super::collidable::Surface;
use super::filter::{Candidate, Rules};
use super::narrow::{self, Narrow, Oriented};
use super::parameters::Parameters;
use crate::prepared::span::Span;
use crate::stage::flex::{Flex, Plan};
use crate::{Contact, Model};
use neighbours::Neighbours;
use order::Sweep;
use tree::{Aabb, Tree, apart_from_ball};

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    stack: Vec<[u32; 2]>,
    /// Elements, or pairs of them, to be tested.
    found: Vec<[u32; 2]>,
    sweep: Sweep,
    neighbours: Neighbours,
}

impl Scratch {
    /// The flexes may be those of another model.
    pub fn forget_neighbours(&mut self) {
        self.neighbours = Neighbours::default();
    }
}

/// The sequence in which pairs of elements of one flex are tested.
enum Order<'a> {
    Ascending,
    Walk(Tree<'a>),
    /// A sweep along an axis.
    Sweep(usize),
}

/// Contacts, as long as there is room for them.
struct Found<'a> {
    contacts: &'a mut Vec<Contact>,
    is_full: bool,
}

impl Found<'_> {
    fn extend(&mut self, narrow: &Narrow<'_>, more: impl ExactSizeIterator<Item = Contact>) {
        self.is_full |= !narrow.has_room(self.contacts, more.len());
        if !self.is_full {
            self.contacts.extend(more);
        }
    }
}

/// What tests of flexes read.
pub(super) struct Flexes<'a> {
    m: &'a Model,
    plan: &'a Plan,
    /// `flexvert_xpos`, `flexelem_aabb`, `bvh_aabb_dyn`.
    vertices: &'a [Vec3],
    element_boxes: &'a [Aabb],
    tree_boxes: &'a [Aabb],
    narrow: &'a Narrow<'a>,
    midphase: bool,
}

/// What is known of two sides before they are tested.
#[derive(Clone, Copy)]
struct Pair<'a> {
    margin: f64,
    surfaces: [Surface<'a>; 2],
    /// Instead of what the surfaces say.
    gap: Option<f64>,
    dim: Option<i32>,
}

impl<'a> Pair<'a> {
    fn new(m: &Model, margins: [f64; 2], surfaces: [Surface<'a>; 2]) -> Pair<'a> {
        let margin = if m.opt.enabled(EnableBit::Override) {
            m.opt.o_margin
        } else {
            margins[0].max(margins[1])
        };
        Pair { margin, surfaces, gap: None, dim: None }
    }

    fn parameters(&self, m: &Model) -> Parameters {
        let mixed = Parameters::mixed(m, &self.surfaces[0], &self.surfaces[1]);
        Parameters {
            gap: self.gap.unwrap_or(mixed.gap),
            dim: self.dim.unwrap_or(mixed.dim),
            ..mixed
        }
    }
}

/// Whether contact masks match.
fn match_masks([type1, affinity1]: [i32; 2], [type2, affinity2]: [i32; 2]) -> bool {
    type1 & affinity2 != 0 || type2 & affinity1 != 0
}

impl<'a> Flexes<'a> {
    pub fn new(
        m: &'a Model,
        plan: &'a Plan,
        vertices: &'a [Vec3],
        [element_boxes, tree_boxes]: [&'a [Aabb]; 2],
        narrow: &'a Narrow<'a>,
    ) -> Flexes<'a> {
        let midphase = !m.opt.disabled(DisableBit::MidPhase);
        Flexes { m, plan, vertices, element_boxes, tree_boxes, narrow, midphase }
    }

    /// Tests the candidates among geoms and all that flexes can touch; `false` if there is no room for
    /// all contacts.
    pub fn collide_all(
        &self,
        candidates: &[Candidate],
        rules: &Rules,
        work: &mut narrow::Scratch,
        memory: &mut Scratch,
        contacts: &mut Vec<Contact>,
    ) -> bool {
        let m = self.m;
        let out = &mut Found { contacts, is_full: false };
        let mut candidates = candidates;
        for body in 0..m.nbody {
            if m.body_geomnum[body] <= 0 {
                continue;
            }
            let masks = [m.body_contype[body], m.body_conaffinity[body]];
            for flex in &self.plan.flexes {
                if !match_masks(masks, self.masks(flex)) {
                    continue;
                }
                let before = candidates.partition_point(|c| rules.lower_body(c) as usize <= body);
                self.geoms(&candidates[..before], rules, work, out);
                candidates = &candidates[before..];
                self.body(body, flex, work, memory, out);
            }
        }
        self.geoms(candidates, rules, work, out);
        for (k, first) in self.plan.flexes.iter().enumerate() {
            for second in &self.plan.flexes[k + 1..] {
                if match_masks(self.masks(first), self.masks(second)) {
                    self.two(first, second, work, memory, out);
                }
            }
        }
        for flex in &self.plan.flexes {
            let [contype, conaffinity] = self.masks(flex);
            if !flex.rigid && contype & conaffinity != 0 {
                self.internal(flex, work, out);
                self.itself(flex, work, memory, out);
            }
        }
        !out.is_full
    }

    /// Candidates among geoms.
    fn geoms(
        &self,
        candidates: &[Candidate],
        rules: &Rules,
        work: &mut narrow::Scratch,
        out: &mut Found<'_>,
    ) {
        if !out.is_full {
            out.is_full = !self.narrow.collide_all(candidates, rules, work, out.contacts);
        }
    }

    fn masks(&self, flex: &Flex) -> [i32; 2] {
        [self.m.flex_contype[flex.id], self.m.flex_conaffinity[flex.id]]
    }

    /// Boxes of the elements of a flex.
    #[inline(always)]
    fn boxes(&self, flex: &Flex) -> &'a [Aabb] {
        &self.element_boxes[flex.elements.range()]
    }

    fn tree(&self, flex: &Flex) -> Option<Tree<'a>> {
        if self.midphase { Tree::of(self.m, flex.id, self.tree_boxes) } else { None }
    }

    /// Whether an element takes part: of solids, those of the outer layers.
    fn is_active(&self, flex: &Flex, element: usize) -> bool {
        let layer = self.m.flex_elemlayer[flex.elements.range()][element];
        flex.dim < 3 || layer < self.m.flex_activelayers[flex.id]
    }

    /// A body and a flex.
    fn body(
        &self,
        body: usize,
        flex: &Flex,
        work: &mut narrow::Scratch,
        memory: &mut Scratch,
        out: &mut Found<'_>,
    ) {
        let m = self.m;
        let geoms = Span::within(m.body_geomadr[body], m.body_geomnum[body], m.ngeom);
        for geom in geoms.unwrap_or_default().range() {
            let is_plane = m.geom_type[geom] == GeomType::Plane.raw();
            let matches =
                match_masks([m.geom_contype[geom], m.geom_conaffinity[geom]], self.masks(flex));
            // With hierarchies, MuJoCo has planes meet a flex whatever their own masks say.
            if !(matches || is_plane && self.midphase) {
                continue;
            }
            let pair = Pair::new(
                m,
                [m.geom_margin[geom], m.flex_margin[flex.id]],
                [Surface::of_geom(m, geom), Surface::of_flex(m, flex.id)],
            );
            if is_plane {
                self.plane(geom, flex, &pair, out);
                continue;
            }
            self.elements_near(geom, flex, pair.margin, memory);
            for &[element, _] in &memory.found {
                self.geom_element(geom, body as u32, flex, element as usize, &pair, work, out);
            }
        }
    }

    /// Finds the elements whose boxes meet that of a geom, in ascending order.
    fn elements_near(&self, geom: usize, flex: &Flex, margin: f64, memory: &mut Scratch) {
        let Scratch { stack, found, .. } = memory;
        let pose = self.narrow.pose(geom);
        let radius = self.m.geom_rbound[geom] + margin;
        let ball_meets = |b: &Aabb| !apart_from_ball(pose.pos, radius, b);
        found.clear();
        let Some(tree) = self.tree(flex) else {
            let boxes = self.boxes(flex).iter().enumerate();
            found.extend(boxes.filter(|(_, b)| ball_meets(b)).map(|(e, _)| [e as u32; 2]));
            return;
        };
        let geom_box = Oriented { aabb: &self.m.geom_aabb[geom], pos: &pose.pos, mat: &pose.mat };
        let box_meets = |b: &Aabb| {
            let (pos, mat) = (&Vec3::ZERO, &corten_math::Mat3::IDENTITY);
            !narrow::boxes_apart(geom_box, Oriented { aabb: b, pos, mat }, margin)
        };
        let count = self.boxes(flex).len();
        tree.query(
            stack,
            |b| ball_meets(b) && box_meets(b),
            |element, _| {
                if element < count {
                    found.push([element as u32; 2]);
                }
            },
        );
        found.sort_unstable();
    }

    /// Two flexes.
    fn two(
        &self,
        first: &Flex,
        second: &Flex,
        work: &mut narrow::Scratch,
        memory: &mut Scratch,
        out: &mut Found<'_>,
    ) {
        let m = self.m;
        let pair = Pair::new(
            m,
            [first, second].map(|f| m.flex_margin[f.id]),
            [first, second].map(|f| Surface::of_flex(m, f.id)),
        );
        let flexes = [first, second];
        let Scratch { stack, found, .. } = memory;
        if let (Some(a), Some(b)) = (self.tree(first), self.tree(second)) {
            found.clear();
            a.pairs(&b, false, pair.margin, stack, |a, b| found.push([a as u32, b as u32]));
            found.sort_unstable();
            for pair_of in found.iter() {
                self.elements(flexes, pair_of.map(|e| e as usize), &pair, work, out);
            }
        } else {
            for a in 0..self.boxes(first).len() {
                for b in 0..self.boxes(second).len() {
                    self.elements(flexes, [a, b], &pair, work, out);
                }
            }
        }
    }

    /// Neighbours within a flex, and tetrahedra that turn inside out.
    fn internal(&self, flex: &Flex, work: &mut narrow::Scratch, out: &mut Found<'_>) {
        let m = self.m;
        if m.flex_internal[flex.id] == 0 {
            return;
        }
        let pair = self.self_pair(flex);
        let listed =
            Span::within(m.flex_evpairadr[flex.id], m.flex_evpairnum[flex.id], m.nflexevpair);
        for ids in &m.flex_evpair[listed.unwrap_or_default().range()] {
            if let [Ok(element), Ok(vertex)] = ids.map(usize::try_from) {
                self.element_vertex(flex, element, vertex, &pair, work, out);
            }
        }
        if flex.dim == 3 {
            let pair = Pair { gap: Some(0.0), dim: Some(1), ..pair };
            for element in 0..self.boxes(flex).len() {
                self.tetrahedron(flex, element, &pair, work, out);
            }
        }
    }

    fn self_pair(&self, flex: &Flex) -> Pair<'a> {
        let surface = Surface::of_flex(self.m, flex.id);
        Pair::new(self.m, [self.m.flex_margin[flex.id]; 2], [surface; 2])
    }

    /// Elements of a flex that are no neighbours. There is no margin, which would make them touch
    /// for good.
    fn itself(
        &self,
        flex: &Flex,
        work: &mut narrow::Scratch,
        memory: &mut Scratch,
        out: &mut Found<'_>,
    ) {
        let Some(order) = self.order_of(flex) else { return };
        let pair = self.self_pair(flex);
        let tree_margin = pair.margin;
        let pair = Pair { margin: 0.0, gap: Some(0.0), ..pair };
        let mut test = |a: usize, b: usize| self.elements([flex; 2], [a, b], &pair, work, out);
        let Scratch { stack, sweep, found, neighbours } = memory;
        let boxes = self.boxes(flex);
        // Elements of a solid have too many neighbours.
        if flex.dim < 3
            && let Some(near) =
                neighbours.near(flex.id, boxes, sweep, |a, b| !self.are_joined(flex, [a, b]))
        {
            found.clear();
            found.extend(near.iter().filter(|pair| self.may_touch(flex, pair.map(|e| e as usize))));
            match order {
                Order::Ascending => order::ascend(found),
                Order::Sweep(axis) => order::arrange(boxes, axis, found),
                Order::Walk(tree) if !found.is_empty() => {
                    return tree.pairs(&tree, true, tree_margin, stack, test);
                }
                Order::Walk(_) => {}
            }
            found.iter().for_each(|&[a, b]| test(a as usize, b as usize));
            return;
        }
        let active = |e: &usize| self.is_active(flex, *e);
        match order {
            Order::Ascending => {
                for a in (0..boxes.len()).filter(active) {
                    (a + 1..boxes.len()).filter(active).for_each(|b| test(a, b));
                }
            }
            Order::Walk(tree) => tree.pairs(&tree, true, tree_margin, stack, test),
            Order::Sweep(axis) => {
                let ids = (0..boxes.len()).filter(active).map(|e| e as u32);
                sweep.pairs(boxes, ids, axis, test);
            }
        }
    }

    /// In which sequence the elements of a flex meet each other; `None` if they do not.
    fn order_of(&self, flex: &Flex) -> Option<Order<'a>> {
        let mode = FlexSelf::from_raw(self.m.flex_selfcollide[flex.id])?;
        Some(match (mode, self.tree(flex)) {
            (FlexSelf::None, _) => return None,
            (FlexSelf::Narrow, _) | (_, None) => Order::Ascending,
            (FlexSelf::Bvh, Some(tree)) => Order::Walk(tree),
            (FlexSelf::Auto, Some(tree)) if flex.dim == 3 => Order::Walk(tree),
            (_, Some(tree)) => {
                let root = tree.root();
                Order::Sweep(if root[3] > root[4] && root[3] > root[5] {
                    0
                } else if root[4] > root[5] {
                    1
                } else {
                    2
                })
            }
        })
    }
}
