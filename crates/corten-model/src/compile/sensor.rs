//! Sensors: what they are attached to, which stage they need, how many numbers they give.

use super::context::{Context, id};
use super::mesh::MeshPlan;
use super::name::UserSizes;
use super::tendon::TendonPlan;
use super::tree::Tree;
use crate::ModelArrays;
use crate::enums::{
    ContactDataField, GeomType, JointType, ObjType, SensorDataType, SensorType, Stage,
};
use crate::names::Names;
use crate::spec::Sensor;

pub(super) struct SensorPlan<'a> {
    source: &'a Sensor,
    obj: Option<usize>,
    reference: Option<usize>,
    datatype: SensorDataType,
    needstage: Stage,
    pub dim: usize,
}

pub(super) fn compile<'a>(
    cx: &mut Context<'a>,
    names: &Names,
    tree: &Tree,
    tendons: &[TendonPlan],
    meshes: &[MeshPlan],
) -> Vec<SensorPlan<'a>> {
    let spec = cx.spec;
    let mut plans = Vec::new();
    for s in spec.sensors.values() {
        if s.noise < 0.0 || s.cutoff < 0.0 {
            cx.error("sensor", s, "'noise' and 'cutoff' cannot be negative");
        }
        let mut find = |kind: ObjType, name: &str| match kind {
            ObjType::Unknown => None,
            _ => cx.resolve(names, kind, name, "sensor", s),
        };
        let obj = find(s.objtype, &s.objname);
        let reference = find(s.reftype, &s.refname);
        check(cx, s, obj, reference, tree, tendons);
        let datatype = match s.type_ {
            SensorType::User => s.datatype,
            kind => data_type(kind),
        };
        let needstage = match s.type_ {
            SensorType::User => s.needstage,
            kind => need_stage(kind),
        };
        if s.cutoff > 0.0
            && (datatype == SensorDataType::Quaternion
                || (datatype == SensorDataType::Axis && s.type_ != SensorType::GeomNormal))
        {
            cx.error("sensor", s, "'cutoff' cannot apply to an axis or a quaternion");
        }
        let dim = dimension(cx, s, obj, meshes);
        plans.push(SensorPlan { source: s, obj, reference, datatype, needstage, dim });
    }
    plans
}

fn data_type(kind: SensorType) -> SensorDataType {
    use SensorType as S;
    match kind {
        S::Touch | S::Rangefinder | S::InsideSite => SensorDataType::Positive,
        S::FrameXAxis | S::FrameYAxis | S::FrameZAxis | S::GeomNormal => SensorDataType::Axis,
        S::BallQuat | S::FrameQuat => SensorDataType::Quaternion,
        _ => SensorDataType::Real,
    }
}

fn need_stage(kind: SensorType) -> Stage {
    use SensorType as S;
    match kind {
        S::Touch
        | S::Accelerometer
        | S::Force
        | S::Torque
        | S::ActuatorFrc
        | S::JointActFrc
        | S::TendonActFrc
        | S::JointLimitFrc
        | S::TendonLimitFrc
        | S::FrameLinAcc
        | S::FrameAngAcc
        | S::Contact
        | S::Tactile => Stage::Acc,
        S::Velocimeter
        | S::Gyro
        | S::JointVel
        | S::TendonVel
        | S::ActuatorVel
        | S::BallAngVel
        | S::JointLimitVel
        | S::TendonLimitVel
        | S::FrameLinVel
        | S::FrameAngVel
        | S::SubtreeLinVel
        | S::SubtreeAngMom => Stage::Vel,
        _ => Stage::Pos,
    }
}

fn dimension(cx: &mut Context, s: &Sensor, obj: Option<usize>, meshes: &[MeshPlan]) -> usize {
    if s.type_ == SensorType::User && s.dim < 0 {
        cx.error("sensor", s, "'dim' cannot be negative");
    }
    s.data_size().unwrap_or_else(|| {
        let shape = obj.and_then(|m| meshes.get(m)).and_then(|m| m.shape.as_ref());
        shape.map_or(0, |m| 3 * m.vert.len())
    })
}

fn check(
    cx: &mut Context,
    s: &Sensor,
    obj: Option<usize>,
    reference: Option<usize>,
    tree: &Tree,
    tendons: &[TendonPlan],
) {
    use SensorType as S;
    let spatial = |kind: ObjType| {
        matches!(
            kind,
            ObjType::Body | ObjType::Xbody | ObjType::Geom | ObjType::Site | ObjType::Camera
        )
    };
    let spec = cx.spec;
    let joint_type = || {
        (s.objtype == ObjType::Joint)
            .then(|| obj.map(|j| spec.joints[tree.joints[j].key].type_))
            .flatten()
    };
    let is_hfield = |kind: ObjType, i: Option<usize>| {
        kind == ObjType::Geom
            && i.is_some_and(|g| spec.geoms[tree.geoms[g].key].type_ == GeomType::HField)
    };
    let body_or_geom = |kind: ObjType| matches!(kind, ObjType::Body | ObjType::Geom);
    let problem = match s.type_ {
        S::Touch
        | S::Accelerometer
        | S::Velocimeter
        | S::Gyro
        | S::Force
        | S::Torque
        | S::Magnetometer
        | S::Rangefinder
        | S::CamProjection
            if s.objtype != ObjType::Site =>
        {
            Some("this sensor must be attached to a site")
        }
        S::CamProjection => match reference.filter(|_| s.reftype == ObjType::Camera) {
            Some(c) if spec.cameras[tree.cameras[c].key].resolution.contains(&0.0) => {
                Some("the camera needs a resolution")
            }
            Some(_) => None,
            None => Some("this sensor needs a camera"),
        },
        S::JointPos | S::JointVel | S::JointActFrc => match joint_type() {
            Some(JointType::Slide | JointType::Hinge) => None,
            _ => Some("this sensor must be attached to a slide or hinge joint"),
        },
        S::BallQuat | S::BallAngVel => match joint_type() {
            Some(JointType::Ball) => None,
            _ => Some("this sensor must be attached to a ball joint"),
        },
        S::JointLimitPos | S::JointLimitVel | S::JointLimitFrc => match obj {
            Some(j) if s.objtype == ObjType::Joint && tree.joints[j].limited => None,
            _ => Some("this sensor must be attached to a joint with limits"),
        },
        S::TendonPos | S::TendonVel | S::TendonActFrc if s.objtype != ObjType::Tendon => {
            Some("this sensor must be attached to a tendon")
        }
        S::TendonLimitPos | S::TendonLimitVel | S::TendonLimitFrc => match obj {
            Some(t) if s.objtype == ObjType::Tendon && tendons[t].limited => None,
            _ => Some("this sensor must be attached to a tendon with limits"),
        },
        S::ActuatorPos | S::ActuatorVel | S::ActuatorFrc if s.objtype != ObjType::Actuator => {
            Some("this sensor must be attached to an actuator")
        }
        S::FramePos
        | S::FrameQuat
        | S::FrameXAxis
        | S::FrameYAxis
        | S::FrameZAxis
        | S::FrameLinVel
        | S::FrameAngVel
        | S::FrameLinAcc
        | S::FrameAngAcc
        | S::InsideSite
            if !spatial(s.objtype) =>
        {
            Some("this sensor must be attached to a body, geom, site or camera")
        }
        S::SubtreeCom | S::SubtreeLinVel | S::SubtreeAngMom if s.objtype != ObjType::Body => {
            Some("this sensor must be attached to a body")
        }
        S::InsideSite if s.reftype != ObjType::Site => Some("this sensor needs a site"),
        S::GeomDist | S::GeomNormal | S::GeomFromTo => {
            if !body_or_geom(s.objtype) || !body_or_geom(s.reftype) {
                Some("this sensor must be attached to two bodies or geoms")
            } else if s.objtype == s.reftype && obj == reference && obj.is_some() {
                Some("the two bodies or geoms must be different")
            } else if is_hfield(s.objtype, obj) || is_hfield(s.reftype, reference) {
                Some("distances to height fields are not supported")
            } else {
                None
            }
        }
        S::Contact => contact_problem(s),
        S::Tactile if s.objtype != ObjType::Mesh || s.reftype != ObjType::Geom => {
            Some("this sensor needs a mesh and a geom")
        }
        S::User if s.datatype == SensorDataType::Axis && s.dim != 3 => {
            Some("datatype 'axis' requires dim 3")
        }
        S::User if s.datatype == SensorDataType::Quaternion && s.dim != 4 => {
            Some("datatype 'quaternion' requires dim 4")
        }
        S::Plugin => Some("plugin sensors are not supported"),
        _ => None,
    };
    if let Some(problem) = problem {
        cx.error("sensor", s, problem);
    } else if s.reftype != ObjType::Unknown && !spatial(s.reftype) {
        cx.error("sensor", s, "the reference must be a body, geom, site or camera");
    }
}

fn contact_problem(s: &Sensor) -> Option<&'static str> {
    let [fields, reduce, slots] = s.intprm;
    let known = (1 << ContactDataField::ALL.len()) - 1;
    let criterion = |kind: ObjType| {
        matches!(kind, ObjType::Body | ObjType::Xbody | ObjType::Geom | ObjType::Unknown)
    };
    if !criterion(s.objtype) && s.objtype != ObjType::Site {
        Some("the first criterion must be a body, geom or site")
    } else if !criterion(s.reftype) {
        Some("the second criterion must be a body or geom")
    } else if fields <= 0 || fields & !known != 0 {
        Some("unknown or missing data fields")
    } else if !(0..=3).contains(&reduce) {
        Some("unknown reduction")
    } else if slots <= 0 {
        Some("'num' must be positive")
    } else {
        None
    }
}

pub(super) fn write(m: &mut ModelArrays, sensors: &[SensorPlan], users: &UserSizes) {
    m.nsensor = sensors.len();
    m.nsensordata = sensors.iter().map(|s| s.dim).sum();
    m.nuser_sensor = users.sensor;
    m.resize();
    let mut address = 0;
    for (i, plan) in sensors.iter().enumerate() {
        let s = plan.source;
        m.sensor_type[i] = s.type_.raw();
        m.sensor_datatype[i] = plan.datatype.raw();
        m.sensor_needstage[i] = plan.needstage.raw();
        m.sensor_objtype[i] = s.objtype.raw();
        m.sensor_objid[i] = id(plan.obj);
        m.sensor_reftype[i] = s.reftype.raw();
        m.sensor_refid[i] = id(plan.reference);
        m.sensor_intprm[i] = s.intprm;
        m.sensor_dim[i] = plan.dim as i32;
        m.sensor_adr[i] = address as i32;
        m.sensor_cutoff[i] = s.cutoff;
        m.sensor_noise[i] = s.noise;
        m.sensor_plugin[i] = -1;
        m.sensor_user[users.sensor * i..][..s.userdata.len()].copy_from_slice(&s.userdata);
        address += plan.dim;
    }
}
