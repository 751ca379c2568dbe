//! What follows from the model alone: which bodies carry a flex, weights of interpolated vertices,
//! edges and the sparsity of their Jacobian.
//!
//! Indices are checked here; a flex whose indices make no sense is left out.

use corten_math::memory::{self, Gather, Grow};
use std::ops::Range;

use corten_math::Vec3;
use corten_model::ModelArrays;

use super::basis::Basis;
use crate::chain::index;
use crate::extend::flex::{
    BridsonBending, ElementCoefficients, FlexBendingModel, FlexBendingType, FlexElasticityModel,
    FlexElasticityType, FlexMaterial, HingeCoefficients, NeoHookean,
};
use crate::prepared::span::Span;
use crate::prepared::structure::{POINT, Structure};
use crate::solve::disjoint::DisjointSets;
use crate::solve::rows::{Block, Kind, Run, push_runs};
use crate::stage::constraint::Constraints;

/// All flexes of a model. Vertices, nodes, edges and elements have the model's numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Plan {
    pub flexes: Vec<Flex>,
    /// Bodies of vertices; of those that are interpolated, the world.
    pub vertex_body: Vec<u32>,
    pub node_body: Vec<u32>,
    /// Where vertices of flexes [of points](Flex::of_points) move; of others, nowhere.
    pub points: Vec<PointVertex>,
    /// Weights of the nodes of interpolated flexes: node by node those of all vertices, in fours.
    pub weights: Vec<[f64; 4]>,
    /// Vertices of elements, in the layout of `flex_elem`.
    pub corners: Vec<u32>,
    /// Bodies of these vertices.
    pub corner_body: Vec<u32>,
    /// Edges of elements, in the layout of `flex_elemedge`.
    pub element_edges: Vec<u32>,
    /// Vertices at the ends of edges, and the rows of their Jacobian.
    pub ends: Vec<[u32; 2]>,
    pub rows: SparseRows,
    /// Trees that edges move, and the first of those that they connect each with.
    pub connected: Vec<[u32; 2]>,
    /// Inner edges of surfaces that resist bending.
    pub hinges: Vec<Hinge>,
    /// Coefficients of hinges, and of elements, of flexes with other laws than MuJoCo's.
    pub bending_law: Vec<HingeCoefficients>,
    pub elasticity_law: Vec<ElementCoefficients>,
}

/// One flex.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Flex {
    pub id: usize,
    pub dim: usize,
    /// What its vertices follow.
    pub carrier: Carrier,
    /// Whether vertices, or nodes, are the origins of their bodies.
    pub centered: bool,
    /// Whether all of it is one rigid body.
    pub rigid: bool,
    /// Whether every vertex is a [`PointVertex`]: then edges have directions, and rows of the Jacobian
    /// are made of them when they are needed.
    pub of_points: bool,
    pub vertices: Span,
    pub nodes: Span,
    pub edges: Span,
    pub elements: Span,
    /// Its parts of [`Plan::corners`], [`Plan::element_edges`], [`Plan::weights`], [`Plan::hinges`].
    pub corners: Span,
    pub element_edges: Span,
    pub weights: Span,
    pub hinges: Span,
    /// Its part of [`Plan::connected`].
    pub connected: Span,
    /// Its parts of [`Plan::bending_law`] and [`Plan::elasticity_law`]: empty with MuJoCo's laws.
    pub bending_law: Span,
    pub elasticity_law: Span,
}

/// A vertex whose body is a [point](Structure::points), or never moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PointVertex {
    /// The first of three, or [`FIXED`].
    pub dof: u32,
    /// Start of the nine entries of derivatives by velocity between these dofs.
    pub block: u32,
}

/// No degree of freedom.
pub(crate) const FIXED: u32 = u32::MAX;

impl PointVertex {
    const NOWHERE: PointVertex = PointVertex { dof: FIXED, block: 0 };

    /// The vertex of a body; `None` if it needs the general treatment.
    fn new(structure: &Structure, is_point: &[bool], body: usize) -> Option<PointVertex> {
        if structure.chain(body).is_empty() {
            return Some(PointVertex::NOWHERE);
        }
        let dof = structure.bodies[body].dofs().start;
        let square = &structure.square;
        if !is_point[body] || square.size() < dof + POINT {
            return None;
        }
        let block = square.row(dof).start;
        let whole =
            (0..POINT).all(|k| square.row(dof + k) == (block + POINT * k..block + POINT * (k + 1)));
        whole.then_some(PointVertex { dof: dof as u32, block: block as u32 })
    }

    /// Its velocity, zero if it is fixed, and a zero.
    #[inline(always)]
    pub fn velocity(self, qvel: &[f64]) -> [f64; 4] {
        let velocity = self.dofs().and_then(|dofs| qvel[dofs].first_chunk::<POINT>());
        velocity.map_or([0.0; 4], |&[x, y, z]| [x, y, z, 0.0])
    }

    /// Its degrees of freedom, if it has any.
    #[inline(always)]
    pub fn dofs(self) -> Option<Range<usize>> {
        (self.dof != FIXED).then_some(self.dof as usize..self.dof as usize + POINT)
    }
}

/// What the vertices of a flex follow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Carrier {
    /// A body each.
    Bodies,
    /// Nodes, whose positions are interpolated.
    Nodes(Basis),
}

impl Flex {
    /// Whether edges have lengths and rows of the Jacobian.
    pub fn has_edges(&self) -> bool {
        !self.rigid && self.carrier == Carrier::Bodies
    }
}

/// An edge between two triangles: its ends, and the vertices opposite to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hinge {
    pub edge: u32,
    pub vertices: [u32; 4],
}

/// Compressed rows over degrees of freedom, ascending within a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SparseRows {
    /// Entries of row `i` are those from `start[i]` to `start[i + 1]`.
    start: Vec<u32>,
    pub columns: Vec<i32>,
    /// Which ends of the edge each entry moves.
    pub moves: Vec<[bool; 2]>,
    /// The same columns as runs, in the form of `start`.
    run_start: Vec<u32>,
    runs: Vec<Run>,
}

impl SparseRows {
    #[inline(always)]
    pub fn range(&self, row: usize) -> Range<usize> {
        self.start[row] as usize..self.start[row + 1] as usize
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Entries of consecutive rows.
    pub fn entries(&self, rows: &Range<usize>) -> Range<usize> {
        self.start[rows.start] as usize..self.start[rows.end] as usize
    }

    /// Whether none of consecutive rows is empty.
    pub fn all_have_entries(&self, rows: Range<usize>) -> bool {
        self.start[rows.start..=rows.end].windows(2).all(|ends| ends[0] < ends[1])
    }

    /// Appends consecutive rows, as many blocks of equalities, to those of a step; all but their values.
    pub fn append(&self, rows: Range<usize>, to: &mut Constraints) {
        let row = to.count();
        let (col, val, run) = (to.columns.len(), to.values.len(), to.runs.len());
        to.columns.grow_extend(self.columns[self.entries(&rows)].iter().map(|&dof| dof as u32));
        let start = &self.start[rows.start..=rows.end];
        let run_start = &self.run_start[rows.start..=rows.end];
        to.runs.grow_extend_from_slice(
            &self.runs[run_start[0] as usize..run_start[rows.len()] as usize],
        );
        to.blocks.grow_extend((0..rows.len()).map(|k| {
            let (entry, first) = (start[k] - start[0], run_start[k] - run_start[0]);
            Block {
                kind: Kind::Equality,
                rank: 1,
                row: (row + k) as u32,
                col: col as u32 + entry,
                ncol: start[k + 1] - start[k],
                run: run as u32 + first,
                nrun: run_start[k + 1] - run_start[k],
                val: val as u32 + entry,
                cone: 0,
            }
        }));
    }

    fn new(structure: &Structure, bodies: impl Iterator<Item = Option<[usize; 2]>>) -> SparseRows {
        let mut rows = SparseRows { start: vec![0], run_start: vec![0], ..SparseRows::default() };
        let mut columns = Vec::new();
        for bodies in bodies {
            let first = rows.columns.len();
            if let Some(bodies) = bodies {
                rows.push_chains(structure, bodies);
            }
            rows.start.grow_push(rows.columns.len() as u32);
            columns.clear();
            columns.extend(rows.columns[first..].iter().map(|&dof| dof as u32));
            push_runs(&columns, &mut rows.runs);
            rows.run_start.grow_push(rows.runs.len() as u32);
        }
        rows
    }

    /// The degrees of freedom that move either of two bodies.
    fn push_chains(&mut self, structure: &Structure, bodies: [usize; 2]) {
        let [common, mut first, mut second] = structure.branches(bodies);
        self.extend(common, [true, true]);
        while let (Some(a), Some(b)) = (first.first(), second.first()) {
            if a < b {
                self.extend(&first[..1], [true, false]);
                first = &first[1..];
            } else {
                self.extend(&second[..1], [false, true]);
                second = &second[1..];
            }
        }
        self.extend(first, [true, false]);
        self.extend(second, [false, true]);
    }

    fn extend(&mut self, dofs: &[u32], moves: [bool; 2]) {
        self.columns.grow_extend(dofs.iter().map(|&dof| dof as i32));
        self.moves.grow_resize(self.columns.len(), moves);
    }
}

impl Plan {
    pub fn new(m: &ModelArrays, structure: &Structure) -> Plan {
        if m.nflex == 0 {
            return Plan::default();
        }
        let bodies = |ids: &[i32]| -> Vec<u32> {
            ids.iter().map(|&b| index(b, m.nbody).unwrap_or(0) as u32).gather()
        };
        let mut plan = Plan {
            vertex_body: bodies(&m.flex_vertbodyid),
            node_body: bodies(&m.flex_nodebodyid),
            corners: memory::zeroed(m.flex_elem.len()),
            element_edges: memory::zeroed(m.flex_elemedge.len()),
            ends: memory::zeroed(m.nflexedge),
            points: memory::filled(PointVertex::NOWHERE, m.nflexvert),
            ..Plan::default()
        };
        let mut is_point = memory::filled(false, m.nbody);
        for body in structure.points.iter().flat_map(|run| run.bodies.clone()) {
            is_point[body] = true;
        }
        for id in 0..m.nflex {
            if let Some(mut flex) = plan.flex(m, id) {
                flex.of_points = plan.find_points(structure, &is_point, &flex);
                plan.flexes.push(flex);
            }
        }
        plan.corner_body = plan
            .corners
            .iter()
            .map(|&v| plan.vertex_body.get(v as usize).map_or(0, |&b| b))
            .gather();
        let mut moved = memory::filled(None, m.nflexedge);
        for flex in plan.flexes.iter().filter(|flex| flex.has_edges()) {
            for edge in flex.edges.range() {
                moved[edge] = Some(plan.ends[edge].map(|v| plan.vertex_body[v as usize] as usize));
            }
        }
        plan.rows = SparseRows::new(structure, moved.into_iter());
        for k in 0..plan.flexes.len() {
            plan.flexes[k].connected = plan.connect(structure, k);
        }
        plan
    }

    /// Finds out which trees the edges of a flex connect.
    fn connect(&mut self, structure: &Structure, flex: usize) -> Span {
        let start = self.connected.len();
        let flex = &self.flexes[flex];
        if flex.has_edges() && !structure.dof_tree.is_empty() {
            let rows = &self.rows;
            let trees_of = |edge: usize| {
                rows.columns[rows.range(edge)].iter().map(|&dof| structure.dof_tree[dof as usize])
            };
            let mut trees: Vec<u32> = flex.edges.range().flat_map(trees_of).gather();
            trees.sort_unstable();
            trees.dedup();
            let place = |tree: u32| trees.binary_search(&tree).unwrap_or(0) as u32;
            let mut sets = DisjointSets::default();
            sets.reset(trees.len());
            for edge in flex.edges.range() {
                let mut places = trees_of(edge).map(place);
                let Some(first) = places.next() else { continue };
                places.for_each(|other| sets.join(first, other));
            }
            let roots = (0..trees.len() as u32).map(|k| sets.first(k));
            let pairs = roots.zip(&trees).map(|(root, &tree)| [tree, trees[root as usize]]);
            self.connected.extend(pairs);
        }
        Span::new(start..self.connected.len())
    }

    fn flex(&mut self, m: &ModelArrays, id: usize) -> Option<Flex> {
        let dim = usize::try_from(m.flex_dim[id]).ok().filter(|dim| (1..=3).contains(dim))?;
        let vertices = Span::within(m.flex_vertadr[id], m.flex_vertnum[id], m.nflexvert)?;
        let edges = Span::within(m.flex_edgeadr[id], m.flex_edgenum[id], m.nflexedge)?;
        let elements = Span::within(m.flex_elemadr[id], m.flex_elemnum[id], m.nflexelem)?;
        let nodes = Span::within(m.flex_nodeadr[id], m.flex_nodenum[id], m.nflexnode)?;
        let count = m.flex_elemnum[id];
        let corners = count.checked_mul(dim as i32 + 1)?;
        let corners = Span::within(m.flex_elemdataadr[id], corners, m.flex_elem.len())?;
        let element_edges = count.checked_mul(EDGES_OF_ELEMENT[dim])?;
        let element_edges =
            Span::within(m.flex_elemedgeadr[id], element_edges, m.flex_elemedge.len())?;
        let valid = |ids: &[i32]| ids.iter().all(|&b| index(b, m.nbody).is_some());
        let carrier = match m.flex_interp[id] {
            0 if valid(&m.flex_vertbodyid[vertices.range()]) => Carrier::Bodies,
            0 => return None,
            order => Carrier::Nodes(Basis::new(order, nodes.range().len())?),
        };
        if !valid(&m.flex_nodebodyid[nodes.range()]) {
            return None;
        }
        let mut flex = Flex {
            id,
            dim,
            carrier,
            centered: m.flex_centered[id] != 0,
            rigid: m.flex_rigid[id] != 0,
            of_points: false,
            vertices,
            nodes,
            edges,
            elements,
            corners,
            element_edges,
            weights: Span::default(),
            hinges: Span::default(),
            connected: Span::default(),
            bending_law: Span::default(),
            elasticity_law: Span::default(),
        };
        self.renumber(m, &flex)?;
        flex.weights = self.weights(&m.flex_vert0[vertices.range()], carrier);
        flex.hinges = self.hinges(m, &flex);
        flex.bending_law = self.bending_law(m, &flex);
        flex.elasticity_law = self.elasticity_law(m, &flex);
        Some(flex)
    }

    /// Whether all vertices of a flex are points; enters where.
    fn find_points(&mut self, structure: &Structure, is_point: &[bool], flex: &Flex) -> bool {
        let vertices = flex.vertices.range();
        let point = |&body: &u32| PointVertex::new(structure, is_point, body as usize);
        let bodies = &self.vertex_body[vertices.clone()];
        let points: Option<Vec<_>> = bodies.iter().map(point).gather_some();
        let Some(points) = points.filter(|_| flex.has_edges()) else { return false };
        self.points[vertices].copy_from_slice(&points);
        // An edge between two vertices of one body has no row.
        self.ends[flex.edges.range()].iter().all(|ends| {
            let [a, b] = ends.map(|v| self.points[v as usize].dof);
            a != b || a == FIXED
        })
    }

    /// Numbers of the model for those that count within the flex.
    fn renumber(&mut self, m: &ModelArrays, flex: &Flex) -> Option<()> {
        fn place(own: i32, of: Span) -> Option<u32> {
            let range = of.range();
            Some((range.start + index(own, range.len())?) as u32)
        }
        for at in flex.corners.range() {
            self.corners[at] = place(m.flex_elem[at], flex.vertices)?;
        }
        for at in flex.element_edges.range() {
            self.element_edges[at] = place(m.flex_elemedge[at], flex.edges)?;
        }
        for at in flex.edges.range() {
            let [a, b] = m.flex_edge[at];
            self.ends[at] = [place(a, flex.vertices)?, place(b, flex.vertices)?];
        }
        Some(())
    }

    fn weights(&mut self, coordinates: &[Vec3], carrier: Carrier) -> Span {
        let start = self.weights.len();
        if let Carrier::Nodes(basis) = carrier {
            for node in 0..basis.nodes() {
                self.weights.grow_extend(coordinates.chunks(4).map(|four| {
                    let weight = |at: &Vec3| basis.weight(*at, node);
                    [0, 1, 2, 3].map(|k| four.get(k).map_or(0.0, weight))
                }));
            }
        }
        Span::new(start..self.weights.len())
    }

    fn hinges(&mut self, m: &ModelArrays, flex: &Flex) -> Span {
        let start = self.hinges.len();
        if flex.dim == 2 && flex.has_edges() {
            let vertices = flex.vertices.range();
            for edge in flex.edges.range() {
                let flaps = m.flex_edgeflap[edge].map(|v| index(v, vertices.len()));
                let [Some(a), Some(b)] = flaps else { continue };
                let [p, q] = self.ends[edge];
                let [a, b] = [a, b].map(|v| (vertices.start + v) as u32);
                self.hinges.grow_push(Hinge { edge: edge as u32, vertices: [p, q, a, b] });
            }
        }
        Span::new(start..self.hinges.len())
    }

    /// Coefficients of hinges by the law of a flex, if it is not MuJoCo's.
    fn bending_law(&mut self, m: &ModelArrays, flex: &Flex) -> Span {
        let start = self.bending_law.len();
        if FlexBendingType::from_raw(m.flex_bending_model[flex.id])
            == Some(FlexBendingType::Bridson)
        {
            let material = material(m, flex.id);
            for hinge in &self.hinges[flex.hinges.range()] {
                let rest = hinge.vertices.map(|v| m.flex_rest[v as usize]);
                self.bending_law.push(BridsonBending.precompute(&rest, &material));
            }
        }
        Span::new(start..self.bending_law.len())
    }

    /// Coefficients of elements by the law of a flex, if it is not MuJoCo's.
    fn elasticity_law(&mut self, m: &ModelArrays, flex: &Flex) -> Span {
        let start = self.elasticity_law.len();
        let law = FlexElasticityType::from_raw(m.flex_elasticity_model[flex.id]);
        if law == Some(FlexElasticityType::NeoHookean) && flex.dim > 1 && flex.has_edges() {
            let material = material(m, flex.id);
            let mut rest = [Vec3::ZERO; 4];
            for element in self.corners[flex.corners.range()].chunks_exact(flex.dim + 1) {
                for (x, &v) in rest.iter_mut().zip(element) {
                    *x = m.flex_rest[v as usize];
                }
                let rest = &rest[..element.len()];
                self.elasticity_law.push(NeoHookean::default().precompute(rest, &material));
            }
        }
        Span::new(start..self.elasticity_law.len())
    }
}

/// Of what a flex is made.
pub(crate) fn material(m: &ModelArrays, flex: usize) -> FlexMaterial {
    let [young, poisson, thickness] = m.flex_material[flex];
    FlexMaterial { young, poisson, thickness }
}

/// How many edges an element has, by dimension.
const EDGES_OF_ELEMENT: [i32; 4] = [0, 1, 3, 6];
