//! Selecting and pulling bodies from a page.

use corten_math::Vec3;
use corten_model::enums::ObjType;
use corten_scene::{
    Mouse, Perturb, Scene, VisOption, apply_perturb_force, apply_perturb_pose, init_perturb,
    move_perturb, select,
};
use corten_sim::{Data, Model};
use serde_json::{Value, json};

use crate::command::View;
use crate::describe::name;

/// What is selected and pulled, and by which geom it was found.
#[derive(Debug, Default)]
pub struct Pulling {
    pub pert: Perturb,
    geom: i32,
    /// Body that has a force of ours.
    pulled: Option<usize>,
}

impl Pulling {
    pub fn select(
        &mut self,
        m: &Model,
        d: &Data,
        opt: &VisOption,
        scene: &mut Scene,
        view: &View,
        x: f64,
        y: f64,
    ) {
        scene.camera = [view.camera(); 2];
        scene.enabletransform = 0;
        let found = select(m, d, opt, view.aspect, x, y, scene).ok().flatten();
        self.pert = Perturb::default();
        self.geom = -1;
        let Some(found) = found else { return };
        let body = usize::try_from(found.body).unwrap_or(0).min(m.nbody.saturating_sub(1));
        self.pert.select = body as i32;
        self.pert.flexselect = found.flex;
        self.pert.skinselect = found.skin;
        self.pert.localpos = d.xmat[body].tmul(found.point - d.xpos[body]);
        self.geom = found.geom;
    }

    pub fn select_body(&mut self, m: &Model, id: i32) {
        let body = usize::try_from(id).ok().filter(|b| (1..m.nbody).contains(b));
        let localpos = body.map_or(Vec3::ZERO, |b| m.body_ipos[b]);
        self.pert =
            Perturb { select: body.map_or(0, |b| b as i32), localpos, ..Perturb::default() };
        self.geom = -1;
    }

    /// Begins to pull or turn.
    pub fn start(&mut self, m: &Model, d: &Data, scene: &mut Scene, view: &View, bits: i32) {
        scene.camera = [view.camera(); 2];
        if self.pert.select > 0 && init_perturb(m, d, scene, &mut self.pert).is_ok() {
            self.pert.active = bits & 3;
        }
    }

    pub fn drag(
        &mut self,
        m: &Model,
        d: &Data,
        scene: &mut Scene,
        view: &View,
        action: i32,
        dx: f64,
        dy: f64,
    ) {
        scene.camera = [view.camera(); 2];
        if let Some(action) = Mouse::from_raw(action).filter(|a| *a != Mouse::None)
            && self.pert.active != 0
            && dx.is_finite()
            && dy.is_finite()
        {
            // A view that fits no camera leaves the goal where it is.
            let _ = move_perturb(m, d, action, dx, dy, scene, &mut self.pert);
        }
    }

    pub fn release(&mut self) {
        self.pert.active = 0;
    }

    /// Acts on the simulation, before a step or while paused. Says whether a pose was changed.
    pub fn act(&mut self, m: &Model, d: &mut Data, paused: bool) -> bool {
        if let Some(body) = self.pulled.take()
            && let Some(applied) = d.xfrc_applied.get_mut(body)
        {
            *applied = corten_math::Spatial::ZERO;
        }
        let Some(body) = usize::try_from(self.pert.select).ok().filter(|_| self.pert.active != 0)
        else {
            return false;
        };
        let moved = apply_perturb_pose(m, d, &self.pert, paused).is_ok() && paused;
        if !paused && apply_perturb_force(m, d, &self.pert).is_ok() {
            self.pulled = Some(body);
        }
        moved
    }

    /// The numbers of what is selected.
    pub fn describe(&self, m: &Model, d: &Data) -> Value {
        let Some(body) =
            usize::try_from(self.pert.select).ok().filter(|b| (1..m.nbody).contains(b))
        else {
            return Value::Null;
        };
        let point = d.xmat[body] * self.pert.localpos + d.xpos[body];
        let velocity = corten_sim::support::object_velocity(m, d, ObjType::Body, body, false);
        let velocity = velocity.unwrap_or(corten_math::Spatial::ZERO);
        let geom = usize::try_from(self.geom).ok().filter(|g| *g < m.ngeom);
        json!({
            "body": body, "name": name(m, ObjType::Body, body), "mass": m.body_mass[body],
            "geom": geom.map(|g| name(m, ObjType::Geom, g)),
            "pos": d.xpos[body].0, "quat": d.xquat[body].0, "point": point.0,
            "linvel": velocity.lin().0, "angvel": velocity.rot().0,
            "force": &d.xfrc_applied[body].0, "active": self.pert.active,
        })
    }
}
