//! Tactile sensors: the faces of their mesh, coloured by what they feel.

use corten_math::{MIN_VAL, Vec3};
use corten_model::enums::{ObjType, SensorType};

use super::{At, Painter};
use crate::enums::VisFlag;

pub fn add(p: &mut Painter<'_>) {
    if !p.has(VisFlag::ContactPoint) {
        return;
    }
    for id in 0..p.m.nsensor {
        if p.m.sensor_type[id] == SensorType::Tactile.raw() {
            one(p, id);
        }
    }
}

fn one(p: &mut Painter<'_>, id: usize) -> Option<()> {
    let m = p.m;
    let (mesh, geom) = (m.sensor_objid[id], m.sensor_refid[id]);
    let (pos, mat) = (*p.d.geom_xpos.at(geom)?, *p.d.geom_xmat.at(geom)?);
    let (vertadr, vertnum) = (*m.mesh_vertadr.at(mesh)?, *m.mesh_vertnum.at(mesh)?);
    let vertices = m.mesh_vert.span(vertadr, vertnum);
    let faces = m.mesh_face.span(*m.mesh_faceadr.at(mesh)?, *m.mesh_facenum.at(mesh)?);
    let readings = p.d.sensordata.span(m.sensor_adr[id], m.sensor_dim[id]);
    let count = vertices.len().max(1);
    let channels = (readings.len() / count).min(3);
    let largest = readings.iter().take(count).fold(0.0, |most: f64, x| most.max(x.abs()));
    if largest == 0.0 || *m.geom_rbound.at(geom)? < MIN_VAL {
        return None;
    }
    for face in faces {
        let mut rgba = [0.0, 0.0, 0.0, 1.0];
        for (r, channel) in readings.chunks_exact(count).take(channels).enumerate() {
            let felt = face.iter().filter_map(|v| channel.at(*v)).filter(|x| **x != 0.0);
            let (sum, n) = felt.fold((0.0, 0.0), |(sum, n), x| (sum + x.abs() / largest, n + 1.0));
            rgba[r] = if n > 0.0 { (sum / n) as f32 } else { 0.0 };
        }
        if rgba[..3] == [0.0; 3] {
            rgba[3] = 0.1;
        }
        let corner = |v: i32| vertices.at(v).map(|x| mat * Vec3(x.map(f64::from)) + pos);
        let [Some(a), Some(b), Some(c)] = face.map(corner) else { continue };
        let mut geom = p.decor(ObjType::Sensor, id);
        geom.triangle([a, b, c], rgba);
        p.push(geom);
    }
    Some(())
}
