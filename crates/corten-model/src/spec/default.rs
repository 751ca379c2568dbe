//! Default classes: prototypes that elements start from.

use super::{
    Actuator, Camera, Equality, Geom, Joint, Key, Light, Material, Mesh, Pair, Site, Source, Tendon,
};

/// A default class. It starts as a copy of its parent's prototypes; elements of the class start
/// as copies of its own, so later changes to a class do not reach existing elements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DefaultClass {
    pub name: String,
    pub source: Source,
    pub parent: Option<Key<DefaultClass>>,
    pub children: Vec<Key<DefaultClass>>,
    pub joint: Joint,
    pub geom: Geom,
    pub site: Site,
    pub camera: Camera,
    pub light: Light,
    pub mesh: Mesh,
    pub material: Material,
    pub pair: Pair,
    pub equality: Equality,
    pub tendon: Tendon,
    pub actuator: Actuator,
}
