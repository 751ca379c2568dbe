//! `mujoco.elasticity.cable`: bending and twist of a chain of bodies.
//!
//! Bodies of an instance follow each other in the chain, and turn against the one before by their
//! last three degrees of freedom. The curvature at such a joint is the logarithm `ω` of the body's
//! rotation against the one before; it costs `½ Δωᵀ K Δω / l`, with `Δω` the change from the
//! reference, `l` the distance of the two bodies, and `K = diag(G J, E I_y, E I_z)` of the cross
//! section. The moment acts on both neighbours. Sections of capsules, cylinders and boxes have
//! stiffness; others have none.

use std::f64::consts::PI;

use corten_math::real::powf;
use corten_math::{Quat, Vec3};
use corten_model::enums::{GeomType, JointType, SleepState};
use corten_model::plugin::ConfigError;

use super::{PluginInstance, Setting};
use crate::chain::index;
use crate::extend::Outcome;
use crate::extend::mark::{Mark, jet};
use crate::{Data, Model, sleep};

pub(super) struct Cable {
    links: Vec<Link>,
    /// The largest stress that pictures tell apart; zero: they show none.
    most: f64,
}

/// A body of a cable.
struct Link {
    body: usize,
    /// Twist, and bending about y and z.
    stiffness: Vec3,
    /// How it turns against the body before; `None` for the first.
    joint: Option<Joint>,
}

struct Joint {
    /// Where its quaternion stands in `qpos`.
    qpos: usize,
    /// Distance of the two bodies.
    length: f64,
    /// Curvature without stress.
    rest: Vec3,
}

impl Cable {
    pub fn new(setting: &Setting<'_>) -> Result<Cable, ConfigError> {
        let Setting { model: m, reference: d, config, .. } = *setting;
        let shear = config.number("twist")?.unwrap_or(0.0);
        let young = config.number("bend")?.unwrap_or(0.0);
        let most = config.number("vmax")?.unwrap_or(0.0);
        let flat = config.get("flat") == "true";
        let bodies = setting.bodies();
        let mut links: Vec<Link> = Vec::new();
        for &body in &bodies {
            let stiffness = section(m, body)?.component_mul(Vec3::new(shear, young, young));
            let joint = match links.last() {
                None => None,
                Some(before) if before.body + 1 != body => {
                    return Err(format!(
                        "bodies {} and {body} do not follow each other",
                        before.body
                    )
                    .into());
                }
                Some(before) => {
                    let qpos = last_quaternion(m, body)?;
                    let rest = if flat {
                        Vec3::ZERO
                    } else {
                        m.body_quat[body].difference(quaternion(d, qpos))
                    };
                    let length = d.xpos[body].distance(d.xpos[before.body]);
                    if length == 0.0 {
                        return Err(format!(
                            "bodies {} and {body} are at the same place",
                            before.body
                        )
                        .into());
                    }
                    Some(Joint { qpos, length, rest })
                }
            };
            links.push(Link { body, stiffness, joint });
        }
        Ok(Cable { links, most })
    }
}

/// Polar and second moments of area of a body's cross section: of the first geom.
fn section(m: &Model, body: usize) -> Result<Vec3, ConfigError> {
    let geom = index(m.body_geomadr[body], m.ngeom)
        .ok_or_else(|| ConfigError::new(format!("body {body} of the cable has no geom")))?;
    let size = m.geom_size[geom];
    Ok(match GeomType::from_raw(m.geom_type[geom]) {
        Some(GeomType::Cylinder | GeomType::Capsule) => {
            let fourth = PI * powf(size[0], 4.0);
            Vec3::new(fourth / 2.0, fourth / 4.0, fourth / 4.0)
        }
        Some(GeomType::Box) => {
            // Roark, torsion of a rectangle with half-sides a ≥ b.
            let (h, w) = (size[1], size[2]);
            let (a, b) = (h.max(w), h.min(w));
            let series = 1.0 - powf(b, 4.0) / powf(a, 4.0) / 12.0;
            let polar = a * powf(b, 3.0) * (16.0 / 3.0 - 3.36 * b / a * series);
            let bending = |along: f64, across: f64| powf(2.0 * along, 3.0) * 2.0 * across / 12.0;
            Vec3::new(polar, bending(w, h), bending(h, w))
        }
        _ => Vec3::ZERO,
    })
}

/// Where the quaternion of a body's last joint stands in `qpos`.
fn last_quaternion(m: &Model, body: usize) -> Result<usize, ConfigError> {
    let last = index(m.body_jntadr[body], m.njnt).and_then(|first| {
        let last = first + usize::try_from(m.body_jntnum[body]).ok()?.checked_sub(1)?;
        let adr = usize::try_from(*m.jnt_qposadr.get(last)?).ok()?;
        match JointType::from_raw(m.jnt_type[last])? {
            JointType::Ball => Some(adr),
            JointType::Free => Some(adr + 3),
            _ => None,
        }
    });
    last.filter(|adr| adr + 4 <= m.nq).ok_or_else(|| {
        format!("body {body} of the cable does not turn by a ball or free joint").into()
    })
}

fn quaternion(d: &Data, qpos: usize) -> Quat {
    Quat::from_slice(&d.qpos[qpos..qpos + 4])
}

impl Link {
    /// Rotation against the body before, and the moment that it makes in that body's frame.
    fn bend(&self, m: &Model, d: &Data) -> Option<(Quat, Vec3)> {
        let joint = self.joint.as_ref()?;
        let turn = m.body_quat[self.body] * quaternion(d, joint.qpos);
        Some((turn, self.moment(joint, turn)))
    }

    /// The moment of a rotation against the body before, in that body's frame.
    fn moment(&self, joint: &Joint, turn: Quat) -> Vec3 {
        let change = turn.to_velocity(1.0) - joint.rest;
        let moment = |k: usize| -self.stiffness[k] * change[k] / joint.length;
        Vec3::new(moment(0), moment(1), moment(2))
    }

    /// The same in its own frame, for the bodies' last orientations.
    fn stress(&self, d: &Data, before: &Link) -> Option<Vec3> {
        let joint = self.joint.as_ref()?;
        let turn = d.xquat[before.body].conjugate() * d.xquat[self.body];
        Some(turn.conjugate().rotate(self.moment(joint, turn)))
    }
}

impl PluginInstance for Cable {
    fn passive(&self, m: &Model, d: &mut Data) -> Outcome {
        let filter = sleep::filters(m, d);
        for (b, link) in self.links.iter().enumerate() {
            if link.stiffness.is_zero()
                || filter && d.body_awake[link.body] == SleepState::Asleep.raw()
            {
                continue;
            }
            let mut moment = Vec3::ZERO;
            if let Some((turn, from_before)) = link.bend(m, d) {
                moment += turn.conjugate().rotate(from_before);
            }
            if let Some((_, to_next)) = self.links.get(b + 1).and_then(|next| next.bend(m, d)) {
                moment -= to_next;
            }
            let torque = d.xquat[link.body].rotate(moment);
            d.apply_passive(link.body, Vec3::ZERO, torque, d.xpos[link.body]);
        }
        Ok(())
    }

    /// Bodies show the mean of the stresses at their two ends.
    fn marks(&self, m: &Model, d: &Data) -> Vec<Mark> {
        if self.most == 0.0 {
            return Vec::new();
        }
        let stresses: Vec<Vec3> =
            self.links.windows(2).filter_map(|pair| pair[1].stress(d, &pair[0])).collect();
        let at = |joint: Option<usize>| joint.and_then(|joint| stresses.get(joint).copied());
        let mark = |(b, link): (usize, &Link)| {
            let (before, after) = (at(b.checked_sub(1)), at(Some(b)));
            let mean = (before.or(after)? + after.or(before)?) * 0.5;
            let geom = index(m.body_geomadr[link.body], m.ngeom)?;
            Some(Mark::Color { geom, rgb: jet(mean.norm(), self.most) })
        };
        self.links.iter().enumerate().filter_map(mark).collect()
    }
}
