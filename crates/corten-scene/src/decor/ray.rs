//! Rays of rangefinders, and the shortest lines between geoms that sensors measure.

use corten_math::Vec3;
use corten_model::enums::{ObjType, SensorType};

use super::{At, Painter};
use crate::enums::VisFlag;
use crate::geom::Connector;

pub fn add(p: &mut Painter<'_>) {
    if !p.has(VisFlag::Rangefinder) {
        return;
    }
    for i in 0..p.m.nsensor {
        let ends = match SensorType::from_raw(p.m.sensor_type[i]) {
            Some(SensorType::Rangefinder) => rangefinder(p, i),
            Some(SensorType::GeomFromTo) => shortest_line(p, i),
            _ => None,
        };
        if let Some(ends) = ends {
            let rgba = p.m.vis.rgba.rangefinder;
            p.push_connector(p.decor(ObjType::Sensor, i), Connector::Line, 3.0, ends, rgba);
        }
    }
}

fn rangefinder(p: &Painter<'_>, i: usize) -> Option<[Vec3; 2]> {
    let distance = *p.d.sensordata.at(p.m.sensor_adr[i])?;
    let site = p.m.sensor_objid[i];
    let (pos, mat) = (*p.d.site_xpos.at(site)?, p.d.site_xmat.at(site)?);
    (distance >= 0.0).then(|| [pos, pos + mat.col(2) * distance])
}

fn shortest_line(p: &Painter<'_>, i: usize) -> Option<[Vec3; 2]> {
    let numbers = p.d.sensordata.span(p.m.sensor_adr[i], 6);
    (numbers.iter().any(|x| *x != 0.0))
        .then(|| [Vec3::from_slice(numbers), Vec3::from_slice(&numbers[3..])])
}
