//! Deformable objects.

use super::element::{SOLIMP, SOLREF, element};
use crate::enums::FlexSelf;

element! {
    /// A deformable object: vertices that move with bodies, and elements between them, which are
    /// segments, triangles or tetrahedra. Vertices belong to one body each, or follow the nodes of
    /// a brick by interpolation.
    pub struct Flex {
        contype: i32 = 1,
        conaffinity: i32 = 1,
        condim: i32 = 3,
        priority: i32 = 0,
        friction: [f64; 3] = [1.0, 0.005, 0.0001],
        solmix: f64 = 1.0,
        solref: [f64; 2] = SOLREF,
        solimp: [f64; 5] = SOLIMP,
        margin: f64 = 0.0,
        gap: f64 = 0.0,
        /// Of the elements, which have one vertex more.
        dim: i32 = 2,
        radius: f64 = 0.005,
        /// Whether elements collide with what holds them together, so that they keep their
        /// orientation.
        internal: bool = false,
        flatskin: bool = false,
        selfcollide: FlexSelf = FlexSelf::Auto,
        /// Has an effect in `flexcomp` alone, where it gives every body a sphere.
        vertcollide: bool = false,
        /// Contacts push by a spring instead of a constraint.
        passive: bool = false,
        /// Layers of tetrahedra, from the outside, that collide.
        activelayers: i32 = 1,
        group: i32 = 0,
        edgestiffness: f64 = 0.0,
        edgedamping: f64 = 0.0,
        rgba: [f32; 4] = [0.5, 0.5, 0.5, 1.0],
        material: String = String::new(),
        young: f64 = 0.0,
        poisson: f64 = 0.0,
        damping: f64 = 0.0,
        thickness: f64 = -1.0,
        /// Which stiffnesses of a shell follow from its material: none (0), bending (1),
        /// stretching (2), both (3).
        elastic2d: i32 = 0,
        /// The law of bending ([`crate::flex::FlexBendingType`]); empty for MuJoCo's. Not in MuJoCo.
        bending_model: String = String::new(),
        /// The law of elasticity ([`crate::flex::FlexElasticityType`]); empty for MuJoCo's. Not in MuJoCo.
        elasticity_model: String = String::new(),
        /// Names of the bodies of the nodes: none, 8 or 27.
        nodebody: Vec<String> = Vec::new(),
        /// Names of the bodies of the vertices; one alone carries all of them.
        vertbody: Vec<String> = Vec::new(),
        /// Positions of nodes in their bodies; empty for their origins.
        node: Vec<f64> = Vec::new(),
        /// Positions of vertices in their bodies; empty for their origins.
        vert: Vec<f64> = Vec::new(),
        elem: Vec<i32> = Vec::new(),
        texcoord: Vec<f32> = Vec::new(),
        elemtexcoord: Vec<i32> = Vec::new(),
    }
}

impl Flex {
    /// Whether the flex is a shell that resists bending.
    pub fn bends(&self) -> bool {
        self.dim == 2 && matches!(self.elastic2d, 1 | 3)
    }

    /// Whether a shell of this kind resists stretching.
    pub fn stretches(&self) -> bool {
        matches!(self.elastic2d, 2 | 3)
    }
}
