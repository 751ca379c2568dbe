//! `mujoco.sensor.touch_grid`: contact forces on a patch of a sphere around a site.
//!
//! Contacts of the site's body, and of what is welded to it, fall into cells by azimuth and
//! elevation as seen along the site's negative z-axis. Each channel holds the sum of one component of
//! force or torque in the site's frame, in the order z, x, y.

use corten_math::memory;
use std::f64::consts::PI;

use corten_math::real::{atan2, powf, sin_cos};
use corten_math::{Mat3, Vec3};
use corten_model::enums::ObjType;
use corten_model::plugin::{self, ConfigError};

use super::{PluginInstance, Setting};
use crate::chain::index;
use crate::extend::{Mark, Outcome};
use crate::support::contact_force;
use crate::{Contact, Data, Model};

pub(super) struct TouchGrid {
    channels: usize,
    /// Bounds of the cells, in radians.
    azimuth: Vec<f64>,
    elevation: Vec<f64>,
    sensors: Vec<Patch>,
}

/// A sensor of the instance.
struct Patch {
    id: usize,
    site: usize,
    /// Its place in `sensordata`.
    start: usize,
}

impl TouchGrid {
    pub fn new(setting: &Setting<'_>) -> Result<TouchGrid, ConfigError> {
        let m = setting.model;
        let grid = plugin::TouchGrid::new(setting.config)?;
        let mut sensors = Vec::new();
        for id in setting.sensors() {
            if m.sensor_objtype[id] != ObjType::Site.raw() {
                return Err(format!("sensor {id} must be attached to a site").into());
            }
            let site = index(m.sensor_objid[id], m.nsite);
            let start = usize::try_from(m.sensor_adr[id]).ok();
            let start = start.filter(|start| start + grid.values() <= m.nsensordata);
            let (Some(site), Some(start)) = (site, start) else {
                return Err(format!("sensor {id} has no site or no place for its readings").into());
            };
            sensors.push(Patch { id, site, start });
        }
        let [azimuth, elevation] = [0, 1].map(|k| bounds(grid.size[k], grid.fov[k], grid.gamma));
        Ok(TouchGrid { channels: grid.channels, azimuth, elevation, sensors })
    }

    fn read(&self, m: &Model, d: &mut Data, patch: &Patch) {
        let cells = (self.azimuth.len() - 1) * (self.elevation.len() - 1);
        let out = patch.start..patch.start + self.channels * cells;
        d.sensordata[out.clone()].fill(0.0);
        let frame = d.site_xmat[patch.site];
        for i in 0..d.ncon.min(d.contact.len()) {
            let contact = d.contact[i];
            let Some(touch) = self.touch(m, d, patch, &contact) else { continue };
            let at = patch.start + touch.cell;
            let wrench = in_frame(&contact_force(m, d, i), &contact, |v| frame.tmul(v));
            for (channel, &value) in wrench.iter().take(self.channels).enumerate() {
                d.sensordata[at + channel * cells] += touch.sign * value;
            }
        }
    }

    /// Where a contact touches a patch.
    fn touch(&self, m: &Model, d: &Data, patch: &Patch, contact: &Contact) -> Option<Touch> {
        let weld_of = |body: i32| index(body, m.nbody).map_or(-1, |b| m.body_weldid[b]);
        let weld = weld_of(*m.site_bodyid.get(patch.site)?);
        // Flexes have no body to compare.
        let bodies = contact.geom.map(|geom| index(geom, m.ngeom).map_or(-1, |g| m.geom_bodyid[g]));
        if !bodies.iter().any(|&body| body >= 0 && weld_of(body) == weld) {
            return None;
        }
        let place = d.site_xmat[patch.site].tmul(contact.pos - d.site_xpos[patch.site]);
        let [azimuth, elevation] = angles(place);
        let (x, y) = (cell(&self.azimuth, azimuth)?, cell(&self.elevation, elevation)?);
        Some(Touch {
            cell: y * (self.azimuth.len() - 1) + x,
            distance: place.norm(),
            // Forces act on the second body: turned around where that is not the sensor's.
            sign: if weld < bodies[0].max(bodies[1]) { -1.0 } else { 1.0 },
        })
    }

    /// The box of a cell whose contacts are at a distance.
    fn mark(&self, d: &Data, patch: &Patch, [x, y]: [usize; 2], distance: f64) -> Mark {
        /// Thickness relative to the distance.
        const THICKNESS: f64 = 0.02;
        let side = |bounds: &[f64], k: usize| {
            (0.5 * (bounds[k + 1] + bounds[k]), 0.5 * distance * (bounds[k + 1] - bounds[k]))
        };
        let ((azimuth, width), (elevation, height)) =
            (side(&self.azimuth, x), side(&self.elevation, y));
        let (frame, origin) = (d.site_xmat[patch.site], d.site_xpos[patch.site]);
        let ((sa, ca), (se, ce)) = (sin_cos(azimuth), sin_cos(elevation));
        let way = Vec3::new(ce * sa, se, -ce * ca) * (distance * (1.0 - THICKNESS));
        // Elevation turns around x, then azimuth around −y.
        let rows =
            |rows: [[f64; 3]; 3]| Mat3::from_rows(Vec3(rows[0]), Vec3(rows[1]), Vec3(rows[2]));
        let around_y = rows([[ca, 0.0, -sa], [0.0, 1.0, 0.0], [sa, 0.0, ca]]);
        let around_x = rows([[1.0, 0.0, 0.0], [0.0, ce, -se], [0.0, se, ce]]);
        Mark::Box {
            sensor: patch.id,
            size: Vec3::new(width, height, distance * THICKNESS),
            pos: origin + frame * way,
            mat: frame * around_y * around_x,
            rgba: [1.0; 4],
        }
    }

    /// Mean distances of the contacts in cells; zero where there are none.
    fn distances(&self, m: &Model, d: &Data, patch: &Patch) -> Vec<f64> {
        let cells = (self.azimuth.len() - 1) * (self.elevation.len() - 1);
        let mut sums = memory::filled((0.0, 0.0), cells);
        for contact in d.contact.iter().take(d.ncon) {
            if let Some(touch) = self.touch(m, d, patch, contact) {
                let (sum, count) = &mut sums[touch.cell];
                (*sum, *count) = (*sum + touch.distance, *count + 1.0);
            }
        }
        sums.iter().map(|&(sum, count)| if count > 0.0 { sum / count } else { 0.0 }).collect()
    }
}

impl PluginInstance for TouchGrid {
    fn sensors(&self, m: &Model, d: &mut Data) -> Outcome {
        for patch in &self.sensors {
            self.read(m, d, patch);
        }
        Ok(())
    }

    /// Cells of the first sensor that feel something, in colours of their readings relative to the
    /// largest normal force.
    fn marks(&self, m: &Model, d: &Data) -> Vec<Mark> {
        let Some(patch) = self.sensors.first() else { return Vec::new() };
        let (columns, rows) = (self.azimuth.len() - 1, self.elevation.len() - 1);
        let cells = columns * rows;
        let readings = &d.sensordata[patch.start..patch.start + self.channels * cells];
        let largest = readings[..cells].iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        if largest == 0.0 {
            return Vec::new();
        }
        let distances = self.distances(m, d, patch);
        let places = (0..columns).flat_map(|x| (0..rows).map(move |y| [x, y]));
        let felt = places.filter(|&[x, y]| distances[y * columns + x] != 0.0);
        let box_of = |[x, y]: [usize; 2]| {
            let cell = y * columns + x;
            let mut mark = self.mark(d, patch, [x, y], distances[cell]);
            if let Mark::Box { rgba, .. } = &mut mark {
                for (channel, value) in readings.chunks_exact(cells).take(3).enumerate() {
                    rgba[channel] = (value[cell].abs() / largest) as f32;
                }
            }
            mark
        };
        felt.map(box_of).collect()
    }
}

/// A contact on a patch.
struct Touch {
    cell: usize,
    /// From the site.
    distance: f64,
    /// Of the force on the sensor's body.
    sign: f64,
}

/// A contact's force and torque in a frame, each as z, x, y.
fn in_frame(wrench: &[f64; 6], contact: &Contact, to_frame: impl Fn(Vec3) -> Vec3) -> [f64; 6] {
    let [f, t] = [0, 3].map(|k| to_frame(contact.frame.tmul(Vec3::from_slice(&wrench[k..k + 3]))));
    [f[2], f[0], f[1], t[2], t[0], t[1]]
}

/// Azimuth and elevation of a point: zero on the negative z-axis, growing towards x and y.
fn angles(p: Vec3) -> [f64; 2] {
    let [x, y, z] = p.0;
    [atan2(x, -z), atan2(y, (x * x + z * z).sqrt())]
}

/// The cell that holds a value; none outside of the grid.
fn cell(bounds: &[f64], x: f64) -> Option<usize> {
    let above = bounds.partition_point(|&bound| bound < x);
    (above < bounds.len()).then(|| above.checked_sub(1)).flatten()
}

/// Bounds of cells over plus and minus so many degrees, denser in the middle.
fn bounds(cells: usize, degrees: f64, gamma: f64) -> Vec<f64> {
    let step = 2.0 / cells as f64;
    let mut at = -1.0;
    let mut bounds = Vec::with_capacity(cells + 1);
    for _ in 0..=cells {
        let bent = if gamma == 0.0 { at } else { gamma * powf(at, 5.0) + (1.0 - gamma) * at };
        bounds.push(bent * (degrees * PI / 180.0));
        at += step;
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_half_open_and_cover_the_grid() {
        let bounds = bounds(4, 90.0, 0.0);
        assert_eq!(bounds.len(), 5);
        assert!((bounds[0] + PI / 2.0).abs() < 1e-15 && bounds[2] == 0.0);
        assert_eq!(cell(&bounds, bounds[0]), None);
        assert_eq!(cell(&bounds, bounds[0] + 1e-9), Some(0));
        assert_eq!(cell(&bounds, 0.0), Some(1));
        assert_eq!(cell(&bounds, bounds[4]), Some(3));
        assert_eq!(cell(&bounds, 2.0), None);
        assert_eq!(cell(&bounds, f64::NAN), None);
    }
}
