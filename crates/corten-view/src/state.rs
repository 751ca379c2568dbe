//! Numbers that a page shows next to the picture.

use corten_model::enums::{JointType, Warning};
use corten_scene::{Camera, Scene, VisOption};
use corten_sim::{Data, Model};
use serde_json::{Value, json};

use crate::mail::Mailbox;

/// How the simulation runs.
#[derive(Clone, Debug)]
pub struct Pace {
    /// Whether it runs.
    pub playing: bool,
    /// Simulated time per time that is asked for.
    pub speed: f64,
    /// What it is.
    pub measured: f64,
    /// Why it stopped by itself.
    pub failure: Option<String>,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace { playing: false, speed: 1.0, measured: 0.0, failure: None }
    }
}

/// An abstract camera, and how many there were before.
pub fn camera(camera: &Camera, serial: u32) -> Value {
    json!({
        "serial": serial, "type": camera.kind, "fixed": camera.fixedcamid,
        "tracked": camera.trackbodyid, "lookat": camera.lookat.0, "distance": camera.distance,
        "azimuth": camera.azimuth, "elevation": camera.elevation,
    })
}

/// Adds what is drawn over the scene, and what pages have to load again.
pub(crate) fn overlays(numbers: &mut Value, mail: &Mailbox) {
    let over = &mail.overlays;
    let images: Vec<_> = over.images.iter().map(|image| image.rect).collect();
    numbers["overlays"] = json!({
        "texts": over.texts, "figures": over.figures, "images": images, "set": mail.images_set,
    });
    numbers["versions"] = json!(mail.versions);
}

/// See the module.
pub fn numbers(
    m: &Model,
    d: &Data,
    pace: &Pace,
    opt: &VisOption,
    scene: &Scene,
    selection: Value,
) -> Value {
    let scalar = |i: &usize| {
        let kind = JointType::from_raw(m.jnt_type[*i]);
        matches!(kind, Some(JointType::Hinge | JointType::Slide))
    };
    let joints: Vec<f64> = (0..m.njnt)
        .filter(scalar)
        .map(|i| usize::try_from(m.jnt_qposadr[i]).ok().and_then(|a| d.qpos.get(a)).copied())
        .map(Option::unwrap_or_default)
        .collect();
    let warnings: Vec<(&str, i32)> = Warning::ALL
        .iter()
        .filter_map(|w| Some((w.mj_name(), d.warning.get(w.raw() as usize)?.number)))
        .filter(|(_, number)| *number > 0)
        .collect();
    json!({
        "kind": "state",
        "time": d.time,
        "playing": pace.playing, "speed": pace.speed, "measured": pace.measured,
        "failure": pace.failure,
        "ncon": d.ncon, "nefc": d.nefc, "niter": d.solver_niter.first(), "nisland": d.nisland,
        "energy": &d.energy[..],
        "equalities": &d.eq_active[..],
        "ctrl": &d.ctrl[..], "joints": joints, "sensors": &d.sensordata[..],
        "selection": selection, "warnings": warnings,
        "opt": {
            "label": opt.label, "frame": opt.frame, "vis": &opt.flags[..], "render": &scene.flags[..],
            "groups": {
                "geom": opt.geomgroup, "site": opt.sitegroup, "joint": opt.jointgroup,
                "tendon": opt.tendongroup, "actuator": opt.actuatorgroup, "flex": opt.flexgroup,
                "skin": opt.skingroup,
            },
            "disable": m.opt.disableflags, "enable": m.opt.enableflags,
            "actuators_off": m.opt.disableactuator,
        },
    })
}
