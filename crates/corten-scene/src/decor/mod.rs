//! What fills a scene: one module per kind of thing that is shown.

mod actuator;
mod bounds;
mod camera;
mod color;
mod connect;
mod contact;
mod equality;
mod flex;
mod force;
mod frame;
mod geom;
mod inertia;
mod joint;
mod label;
mod light;
mod material;
mod plugin;
mod pull;
mod ray;
mod site;
mod skin;
mod slider_crank;
mod tactile;
mod tendon;

pub(crate) use flex::surfaces as flex_surfaces;
pub(crate) use skin::surfaces as skin_surfaces;
pub use tendon::catenary;

use bytemuck::Zeroable;
use corten_math::{Mat3, Vec3};
use corten_model::enums::{GeomType, ObjType};
use corten_sim::{Data, Model};

use crate::enums::{Category, VisFlag};
use crate::geom::{Connector, Geom};
use crate::option::VisOption;
use crate::perturb::Perturb;
use crate::scene::Scene;

/// What is shown, and where it goes.
pub(crate) struct Painter<'a> {
    pub m: &'a Model,
    pub d: &'a Data,
    pub opt: &'a VisOption,
    pub pert: &'a Perturb,
    /// Bits of [`Category`].
    pub catmask: i32,
    pub scene: &'a mut Scene,
    /// Mean size of bodies, which decoration is measured by.
    pub unit: f64,
}

impl Painter<'_> {
    /// Adds what plugins show, which comes before all else.
    pub fn plugins(&mut self) {
        plugin::boxes(self);
    }

    /// Adds everything, in MuJoCo's order.
    pub fn all(&mut self) {
        flex::add(self);
        skin::add(self);
        geom::add(self);
        site::add(self);
        tendon::add(self);
        slider_crank::add(self);
        if self.wants(Category::Decor) {
            self.decoration();
        }
    }

    fn decoration(&mut self) {
        frame::of_geoms(self);
        frame::of_sites(self);
        bounds::of_bodies(self);
        bounds::of_flexes(self);
        bounds::of_meshes(self);
        bounds::of_octrees(self);
        tactile::add(self);
        inertia::add(self);
        pull::add(self);
        frame::of_bodies(self);
        pull::selected_point(self);
        label::of_bodies(self);
        joint::add(self);
        actuator::add(self);
        label::of_islands(self);
        camera::add(self);
        light::add(self);
        connect::centres_of_mass(self);
        connect::joints(self);
        ray::add(self);
        force::add(self);
        equality::add(self);
        contact::add(self);
    }

    /// Whether a category is asked for.
    pub fn wants(&self, category: Category) -> bool {
        self.catmask & category.raw() != 0
    }

    /// Whether a switch is on.
    pub fn has(&self, flag: VisFlag) -> bool {
        self.opt.has(flag)
    }

    /// A geom for an object of the model.
    pub fn of(&self, kind: ObjType, id: usize, category: Category) -> Geom {
        Geom { objtype: kind.raw(), objid: id as i32, category: category.raw(), ..blank() }
    }

    /// A decorative geom for an object of the model.
    pub fn decor(&self, kind: ObjType, id: usize) -> Geom {
        self.of(kind, id, Category::Decor)
    }

    /// Adds a geom, as long as there is room.
    pub fn push(&mut self, geom: Geom) {
        let segid = self.scene.geoms.len();
        if segid >= self.scene.maxgeom {
            self.scene.status = 1;
            return;
        }
        self.scene.geoms.push(Geom { segid: segid as i32, ..geom });
    }

    /// Adds a connector of one colour.
    pub fn push_connector(
        &mut self,
        geom: Geom,
        kind: Connector,
        width: f64,
        [from, to]: [Vec3; 2],
        rgba: [f32; 4],
    ) {
        let mut geom = Geom { rgba, ..geom };
        geom.connect(kind, width, from, to);
        self.push(geom);
    }

    /// Adds a shape of one colour.
    pub fn push_shape(
        &mut self,
        mut geom: Geom,
        kind: GeomType,
        size: Vec3,
        (pos, mat): (Vec3, Mat3),
        rgba: [f32; 4],
    ) {
        geom.init(kind.raw(), Some(size), Some(pos), Some(mat), Some(rgba));
        self.push(geom);
    }

    /// Whether a body can move. Mocap bodies can; those welded to the world cannot.
    pub fn category(&self, body: i32) -> Category {
        let fixed =
            self.m.body_weldid.at(body) == Some(&0) && self.m.body_mocapid.at(body) == Some(&-1);
        if fixed { Category::Static } else { Category::Dynamic }
    }

    /// The point of a body that is selected, in the world.
    pub fn selected(&self) -> Option<Vec3> {
        let body = self.pert.select;
        let (mat, pos) = (self.d.xmat.at(body)?, self.d.xpos.at(body)?);
        Some(*mat * self.pert.localpos + *pos)
    }
}

/// A geom before anything is known of it.
fn blank() -> Geom {
    let mut geom = Geom::zeroed();
    geom.init(GeomType::None.raw(), None, None, None, None);
    geom
}

/// Rows of an array by numbers that stand in another one, and may be −1 or wrong.
pub(crate) trait At<T> {
    fn at(&self, index: i32) -> Option<&T>;

    /// `num` rows from `adr` on; empty if they do not exist.
    fn span(&self, adr: i32, num: i32) -> &[T];
}

impl<T> At<T> for [T] {
    fn at(&self, index: i32) -> Option<&T> {
        self.get(usize::try_from(index).ok()?)
    }

    fn span(&self, adr: i32, num: i32) -> &[T] {
        let (Ok(adr), Ok(num)) = (usize::try_from(adr), usize::try_from(num)) else { return &[] };
        self.get(adr..).and_then(|rest| rest.get(..num)).unwrap_or(&[])
    }
}
