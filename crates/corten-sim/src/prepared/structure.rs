//! The kinematic forest in the form in which the recursive passes read it.
//!
//! Every index of the model is checked here, so the passes stay in bounds whatever is written into
//! the model's index arrays later; objects with indices that make no sense are left out.

use corten_math::memory::{self, Gather, Grow};
use std::ops::Range;

use corten_math::{Quat, SquarePattern, TreePattern, Vec3};
use corten_model::ModelArrays;
use corten_model::enums::{JointType, SameFrame};

use super::attached::Attached;
use crate::awake::Selection;

/// Indices of one body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Body {
    /// Smaller than the body's own index; zero for the world.
    pub parent: u32,
    /// The top of the kinematic tree, to whose centre of mass spatial quantities refer.
    pub root: u32,
    joints: [u32; 2],
    dofs: [u32; 2],
    chain: [u32; 2],
    geoms: [u32; 2],
    /// Whether the only joint is free.
    pub free: bool,
}

impl Body {
    #[inline]
    pub fn joints(&self) -> Range<usize> {
        self.joints[0] as usize..self.joints[1] as usize
    }

    #[inline]
    pub fn dofs(&self) -> Range<usize> {
        self.dofs[0] as usize..self.dofs[1] as usize
    }

    #[inline]
    pub fn geoms(&self) -> Range<usize> {
        self.geoms[0] as usize..self.geoms[1] as usize
    }
}

/// Indices of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Joint {
    pub kind: JointType,
    pub qpos: u32,
    pub dof: u32,
    /// Place among the hinges, if it is one.
    pub hinge: u32,
}

impl Joint {
    #[inline]
    pub fn qpos(&self) -> usize {
        self.qpos as usize
    }

    #[inline]
    pub fn dof(&self) -> usize {
        self.dof as usize
    }
}

/// Consecutive bodies that are points: see [`Structure::points`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PointRun {
    pub bodies: Range<usize>,
    /// Addresses of the first body; every body has three of each.
    pub joint: usize,
    pub qpos: usize,
    pub dof: usize,
}

/// Joints, positions and degrees of freedom of a point.
pub(crate) const POINT: usize = 3;

impl PointRun {
    #[inline(always)]
    pub fn joints(&self) -> Range<usize> {
        self.joint..self.joint + POINT * self.bodies.len()
    }

    #[inline(always)]
    pub fn qpos(&self) -> Range<usize> {
        self.qpos..self.qpos + POINT * self.bodies.len()
    }

    #[inline(always)]
    pub fn dofs(&self) -> Range<usize> {
        self.dof..self.dof + POINT * self.bodies.len()
    }
}

/// Widths of a joint in positions and velocities.
pub(crate) const fn joint_width(kind: JointType) -> (usize, usize) {
    match kind {
        JointType::Free => (7, 6),
        JointType::Ball => (4, 3),
        JointType::Slide | JointType::Hinge => (1, 1),
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Structure {
    pub bodies: Vec<Body>,
    /// Bodies that slide along the three axes of the world, carry nothing, and hang on what does not
    /// move, such as the vertices of a cloth: their orientation is that of the world, their mass
    /// matrix diagonal, and nothing has to be summed over a tree.
    pub points: Vec<PointRun>,
    /// All other bodies but the world; empty if there are no points.
    pub not_points: Vec<i32>,
    pub joints: Vec<Joint>,
    /// Addresses of the angles of hinges.
    pub hinges: Vec<u32>,
    /// Body of every degree of freedom.
    pub dof_body: Vec<u32>,
    /// Tree of every degree of freedom; empty if the model's own numbers make no sense.
    pub dof_tree: Vec<u32>,
    /// Degrees of freedom of every tree, from the first up to, without, the second.
    pub tree_dofs: Vec<[u32; 2]>,
    chain: Vec<u32>,
    /// What is attached to bodies; `None` if a site has no body.
    pub attached: Option<Attached>,
    /// Sparsity of the mass matrix.
    pub mass: TreePattern,
    /// Sparsity of derivatives by velocity; empty if that of the model lacks entries for its fill.
    pub square: SquarePattern,
}

/// Whether a pattern has a place for every entry of the mass matrix.
fn holds(square: &SquarePattern, mass: &TreePattern) -> bool {
    let held = |i: usize| mass.columns(i).iter().all(|&j| square.find(i, j as usize).is_some());
    (0..mass.size()).all(held)
}

impl Structure {
    pub fn new(m: &ModelArrays) -> Structure {
        // Without its joints a body still has a place; one bad joint makes all addresses doubtful.
        let mut joints: Vec<Joint> =
            (0..m.njnt).map(|j| model_joint(m, j)).gather_some().unwrap_or_default();
        let mut hinges = Vec::new();
        for joint in joints.iter_mut().filter(|joint| joint.kind == JointType::Hinge) {
            joint.hinge = hinges.len() as u32;
            hinges.grow_push(joint.qpos);
        }
        let mass = TreePattern::new(&m.M_rownnz, &m.M_rowadr, &m.M_colind)
            .filter(|p| p.size() == m.nv)
            .unwrap_or_else(|| TreePattern::diagonal(m.nv.min(m.nC)));
        let dof_tree = dof_trees(m, &mass).unwrap_or_default();
        let mut s = Structure {
            bodies: memory::with_room(m.nbody),
            points: Vec::new(),
            not_points: Vec::new(),
            dof_body: memory::zeroed(m.nv),
            tree_dofs: tree_dofs(&dof_tree, m.ntree),
            dof_tree,
            chain: Vec::new(),
            attached: None,
            square: SquarePattern::from_rows(&m.D_rownnz, &m.D_rowadr, &m.D_colind)
                .filter(|p| p.size() == m.nv && p.entries() == m.nD && holds(p, &mass))
                .unwrap_or_default(),
            mass,
            joints,
            hinges,
        };
        for b in 0..m.nbody {
            s.add_body(m, b);
        }
        s.find_points(m);
        s.attached = s.attached(m).map(|attached| Attached::new(m, attached));
        s
    }

    fn add_body(&mut self, m: &ModelArrays, b: usize) {
        let parent = below(m.body_parentid[b], b);
        let root = below(m.body_rootid[b], b + 1);
        let joints = range(m.body_jntadr[b], m.body_jntnum[b], self.joints.len());
        let dofs = range(m.body_dofadr[b], m.body_dofnum[b], m.nv);
        let geoms = range(m.body_geomadr[b], m.body_geomnum[b], m.ngeom);

        // The chain of a body without degrees of freedom is that of its parent.
        let above = self.bodies.get(parent as usize).map_or([0, 0], |p| p.chain);
        let chain = if dofs[0] == dofs[1] {
            above
        } else {
            let start = self.chain.len() as u32;
            self.chain.grow_extend_from_within(above[0] as usize..above[1] as usize);
            self.chain.grow_extend(dofs[0]..dofs[1]);
            [start, self.chain.len() as u32]
        };
        let own = &self.joints[joints[0] as usize..joints[1] as usize];
        let free = matches!(own, [joint] if joint.kind == JointType::Free
            && [joint.dof, joint.dof + 6] == dofs);
        for dof in dofs[0]..dofs[1] {
            self.dof_body[dof as usize] = b as u32;
        }
        self.bodies.push(Body { parent, root, joints, dofs, chain, geoms, free });
    }

    fn find_points(&mut self, m: &ModelArrays) {
        let mut carries = memory::filled(false, m.nbody);
        for body in &self.bodies[1.min(m.nbody)..] {
            carries[body.parent as usize] = true;
        }
        // Bodies that stay in the orientation of the world.
        let mut upright = memory::filled(true, m.nbody);
        for (b, body) in self.bodies.iter().enumerate().skip(1) {
            let turned = m.body_quat[b] != Quat::IDENTITY || !upright[body.parent as usize];
            upright[b] = !turned && body.joints().is_empty() && m.body_mocapid[b] < 0;
            let parent_rests = upright[body.parent as usize];
            let own_frame =
                SameFrame::from_raw(m.body_sameframe[b].into()) == Some(SameFrame::Body);
            let slides = own_frame && self.slides_along_axes(m, body);
            if turned || !parent_rests || carries[b] || !slides {
                self.not_points.grow_push(b as i32);
                continue;
            }
            let first = self.joints[body.joints().start];
            let next = (b, body.joints().start, first.qpos(), first.dof());
            match self.points.last_mut() {
                Some(run)
                    if next
                        == (run.bodies.end, run.joints().end, run.qpos().end, run.dofs().end) =>
                {
                    run.bodies.end += 1;
                }
                _ => {
                    let (b, joint, qpos, dof) = next;
                    self.points.push(PointRun { bodies: b..b + 1, joint, qpos, dof });
                }
            }
        }
        if self.points.is_empty() {
            self.not_points = Vec::new();
        }
    }

    /// Whether a body has three slides, along x, y and z.
    fn slides_along_axes(&self, m: &ModelArrays, body: &Body) -> bool {
        let (joints, dofs) = (body.joints(), body.dofs());
        let first = match self.joints.get(joints.start) {
            Some(first) if joints.len() == POINT && dofs == (first.dof()..first.dof() + POINT) => {
                *first
            }
            _ => return false,
        };
        let axes = [Vec3::X, Vec3::Y, Vec3::Z];
        joints.clone().zip(axes).enumerate().all(|(k, (j, axis))| {
            let joint = &self.joints[j];
            joint.kind == JointType::Slide
                && joint.qpos() == first.qpos() + k
                && joint.dof() == first.dof() + k
                && m.jnt_axis[j] == axis
        })
    }

    /// Inertial frames, geoms and sites, each with its body; `None` if a site has none.
    fn attached(&self, m: &ModelArrays) -> Option<[Vec<[u32; 2]>; 3]> {
        let bodies = || (0u32..).zip(&self.bodies);
        let body = |b: i32| u32::try_from(b).ok().filter(|&b| (b as usize) < m.nbody);
        let sites = (0u32..).zip(&m.site_bodyid).map(|(s, &b)| Some([s, body(b)?]));
        Some([
            bodies().skip(1).map(|(b, _)| [b, b]).gather(),
            bodies().flat_map(|(b, body)| body.geoms().map(move |g| [g as u32, b])).gather(),
            sites.collect::<Option<_>>()?,
        ])
    }

    /// Points, and a selection of the other bodies if there are any points.
    #[inline(always)]
    pub fn apart(&self) -> (&[PointRun], Option<Selection<'_>>) {
        let rest = (!self.points.is_empty()).then(|| Selection::of(&self.not_points));
        (&self.points, rest)
    }

    /// The degrees of freedom that move a body, in ascending order.
    #[inline]
    pub fn chain(&self, body: usize) -> &[u32] {
        let [start, end] = self.bodies[body].chain;
        &self.chain[start as usize..end as usize]
    }

    /// A degree of freedom and those that move it, in ascending order.
    pub fn ancestors(&self, dof: usize) -> &[u32] {
        let chain = self.chain(self.dof_body[dof] as usize);
        &chain[..chain.partition_point(|&other| other as usize <= dof)]
    }

    /// The degrees of freedom that move both of two bodies, the first alone, the second alone.
    #[inline]
    pub fn branches(&self, bodies: [usize; 2]) -> [&[u32]; 3] {
        let [first, second] = bodies.map(|body| self.chain(body));
        let common = first.iter().zip(second).take_while(|(a, b)| a == b).count();
        [&first[..common], &first[common..], &second[common..]]
    }
}

/// The tree of every degree of freedom. Those of a tree are consecutive, and those of a row of the mass
/// matrix belong to one tree; `None` otherwise.
fn dof_trees(m: &ModelArrays, mass: &TreePattern) -> Option<Vec<u32>> {
    let tree_of = |dof: usize| {
        let tree = m.dof_treeid[dof];
        let before = dof.checked_sub(1).map_or(0, |i| m.dof_treeid[i]);
        let root = mass.columns(dof)[0] as usize;
        let valid = before <= tree && m.dof_treeid[root] == tree;
        u32::try_from(tree).ok().filter(|&t| (t as usize) < m.ntree && valid)
    };
    if mass.size() == m.nv { (0..m.nv).map(tree_of).gather_some() } else { None }
}

/// The degrees of freedom of every tree, which are consecutive.
fn tree_dofs(dof_tree: &[u32], ntree: usize) -> Vec<[u32; 2]> {
    let mut dofs = memory::zeroed::<[u32; 2]>(ntree);
    for (dof, &tree) in (0..).zip(dof_tree) {
        let [start, end] = &mut dofs[tree as usize];
        if *start == *end {
            *start = dof;
        }
        *end = dof + 1;
    }
    dofs
}

/// A joint of the model, if its indices make sense.
pub(crate) fn model_joint(m: &ModelArrays, j: usize) -> Option<Joint> {
    let kind = JointType::from_raw(m.jnt_type[j])?;
    let (nq, nv) = joint_width(kind);
    let (qpos, dof) = (u32::try_from(m.jnt_qposadr[j]).ok()?, u32::try_from(m.jnt_dofadr[j]).ok()?);
    (qpos as usize + nq <= m.nq && dof as usize + nv <= m.nv).then_some(Joint {
        kind,
        qpos,
        dof,
        hinge: 0,
    })
}

fn below(index: i32, end: usize) -> u32 {
    u32::try_from(index).ok().filter(|&i| (i as usize) < end).unwrap_or(0)
}

fn range(start: i32, len: i32, size: usize) -> [u32; 2] {
    match (u32::try_from(start), u32::try_from(len)) {
        (Ok(start), Ok(len)) if start as usize + len as usize <= size => [start, start + len],
        _ => [0, 0],
    }
}
