//! Sensors: what they are attached to, which stage they need, how many numbers they give.

use super::context::{Context, id};
use super::mesh::MeshPlan;
use super::name::UserSizes;
use super::plugin::Plugins;
use super::tendon::TendonPlan;
use super::tree::Tree;
use crate::ModelArrays;
use crate::enums::{
    ContactDataField, GeomType, JointType, ObjType, SensorDataType, SensorType, Stage,
};
use crate::names::Names;
use crate::plugin::Capabilities;
use crate::sensor::{Attachment, ContactReduction, SensorSize, Target};
use crate::spec::{Sensor, Spec};

pub(super) struct SensorPlan<'a> {
    source: &'a Sensor,
    obj: Option<usize>,
    reference: Option<usize>,
    datatype: SensorDataType,
    needstage: Stage,
    pub dim: usize,
    plugin: Option<usize>,
}

pub(super) fn compile<'a>(
    cx: &mut Context<'a>,
    names: &Names,
    tree: &Tree,
    tendons: &[TendonPlan],
    meshes: &[MeshPlan],
    plugins: &Plugins,
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
        check(cx, s, [obj, reference], tree, tendons);
        let info = s.type_.info();
        let datatype = info.datatype.unwrap_or(s.datatype);
        let mut needstage = info.stage.unwrap_or(s.needstage);
        if s.cutoff > 0.0
            && (datatype == SensorDataType::Quaternion
                || (datatype == SensorDataType::Axis && info.attachment != Attachment::Distance))
        {
            cx.error("sensor", s, "'cutoff' cannot apply to an axis or a quaternion");
        }
        let mut dim = dimension(cx, s, obj, meshes);
        let mut plugin = None;
        if s.type_ == SensorType::Plugin {
            plugin = plugins.resolve(cx, &s.plugin, Capabilities::SENSOR, "sensor", s);
            if let Some(instance) = plugin {
                let reading = plugins.reading(cx, instance, s);
                (dim, needstage) = (reading.dim, reading.stage);
            }
        }
        plans.push(SensorPlan { source: s, obj, reference, datatype, needstage, dim, plugin });
    }
    plans
}

fn dimension(cx: &mut Context, s: &Sensor, obj: Option<usize>, meshes: &[MeshPlan]) -> usize {
    if s.type_.info().size == SensorSize::Given && s.dim < 0 {
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
    objects: [Option<usize>; 2],
    tree: &Tree,
    tendons: &[TendonPlan],
) {
    let contact = s.type_.info().attachment == Attachment::Contact;
    if let Some(problem) = contact.then(|| contact_problem(s)).flatten() {
        cx.error("sensor", s, problem);
    } else if let Some(problem) = attachment_problem(cx.spec, s, objects, tree, tendons) {
        cx.error("sensor", s, problem);
    } else if s.reftype != ObjType::Unknown && !has_frame(s.reftype) {
        cx.error("sensor", s, "the reference must be a body, geom, site or camera");
    }
}

fn has_frame(kind: ObjType) -> bool {
    use ObjType::{Body, Camera, Geom, Site, Xbody};
    matches!(kind, Body | Xbody | Geom | Site | Camera)
}

/// What is wrong with the objects and parameters of a sensor.
fn attachment_problem(
    spec: &Spec,
    s: &Sensor,
    objects: [Option<usize>; 2],
    tree: &Tree,
    tendons: &[TendonPlan],
) -> Option<&'static str> {
    const NO_FRAME: &str = "this sensor must be attached to a body, geom, site or camera";
    const NO_SITE: &str = "this sensor must be attached to a site";
    let require = |holds: bool, problem: &'static str| (!holds).then_some(problem);
    match s.type_.info().attachment {
        // Contacts: `contact_problem`.
        Attachment::Nothing | Attachment::Contact => None,
        Attachment::One(target) => target_problem(spec, s, target, objects[0], tree, tendons),
        Attachment::Frame { .. } => require(has_frame(s.objtype), NO_FRAME),
        Attachment::CamProjection => match objects[1] {
            _ if s.objtype != ObjType::Site => Some(NO_SITE),
            Some(c) if s.reftype == ObjType::Camera => {
                let resolution = spec.cameras[tree.cameras[c].key].resolution;
                require(!resolution.contains(&0.0), "the camera needs a resolution")
            }
            _ => Some("this sensor needs a camera"),
        },
        Attachment::InsideSite => require(has_frame(s.objtype), NO_FRAME)
            .or(require(s.reftype == ObjType::Site, "this sensor needs a site")),
        Attachment::Distance => distance_problem(spec, s, objects, tree),
        Attachment::Tactile => require(
            s.objtype == ObjType::Mesh && s.reftype == ObjType::Geom,
            "this sensor needs a mesh and a geom",
        ),
        Attachment::User => match (s.datatype, s.dim) {
            (SensorDataType::Axis, 3) | (SensorDataType::Quaternion, 4) => None,
            (SensorDataType::Axis, _) => Some("datatype 'axis' requires dim 3"),
            (SensorDataType::Quaternion, _) => Some("datatype 'quaternion' requires dim 4"),
            (SensorDataType::Real | SensorDataType::Positive, _) => None,
        },
        Attachment::Plugin => require(s.plugin.active, "the plugin of this sensor is missing"),
    }
}

fn target_problem(
    spec: &Spec,
    s: &Sensor,
    target: Target,
    object: Option<usize>,
    tree: &Tree,
    tendons: &[TendonPlan],
) -> Option<&'static str> {
    let object = object.filter(|_| s.objtype == target.objtype());
    let joint_type = || object.map(|j| spec.joints[tree.joints[j].key].type_);
    let of_type = s.objtype == target.objtype();
    let (holds, problem) = match target {
        Target::Site => (of_type, "this sensor must be attached to a site"),
        Target::ScalarJoint => (
            matches!(joint_type(), Some(JointType::Slide | JointType::Hinge)),
            "this sensor must be attached to a slide or hinge joint",
        ),
        Target::BallJoint => {
            (joint_type() == Some(JointType::Ball), "this sensor must be attached to a ball joint")
        }
        Target::LimitedJoint => (
            object.is_some_and(|j| tree.joints[j].limited),
            "this sensor must be attached to a joint with limits",
        ),
        Target::Tendon => (of_type, "this sensor must be attached to a tendon"),
        Target::LimitedTendon => (
            object.is_some_and(|t| tendons[t].limited),
            "this sensor must be attached to a tendon with limits",
        ),
        Target::Actuator => (of_type, "this sensor must be attached to an actuator"),
        Target::Subtree => (of_type, "this sensor must be attached to a body"),
    };
    (!holds).then_some(problem)
}

fn distance_problem(
    spec: &Spec,
    s: &Sensor,
    [obj, reference]: [Option<usize>; 2],
    tree: &Tree,
) -> Option<&'static str> {
    let body_or_geom = |kind: ObjType| matches!(kind, ObjType::Body | ObjType::Geom);
    let is_hfield = |kind: ObjType, i: Option<usize>| {
        kind == ObjType::Geom
            && i.is_some_and(|g| spec.geoms[tree.geoms[g].key].type_ == GeomType::HField)
    };
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

fn contact_problem(s: &Sensor) -> Option<String> {
    let [fields, reduce, slots] = s.intprm;
    let known = (1 << ContactDataField::ALL.len()) - 1;
    let criterion = |kind: ObjType| {
        matches!(kind, ObjType::Body | ObjType::Xbody | ObjType::Geom | ObjType::Unknown)
    };
    if !criterion(s.objtype) && s.objtype != ObjType::Site {
        Some("the first criterion must be a body, geom or site".into())
    } else if !criterion(s.reftype) {
        Some("the second criterion must be a body or geom".into())
    } else if fields <= 0 {
        Some(format!("no data fields: intprm[0] is {fields}"))
    } else if fields & known == 0 {
        Some(format!("no known data fields: intprm[0] is {fields}"))
    } else if fields & !known != 0 {
        Some(format!("unknown data fields: intprm[0] is {fields}"))
    } else if ContactReduction::from_raw(reduce).is_none() {
        Some(format!("unknown reduction: intprm[1] is {reduce}"))
    } else if slots <= 0 {
        Some("num (intprm[2]) must be positive".into())
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
        m.sensor_plugin[i] = id(plan.plugin);
        m.sensor_user[users.sensor * i..][..s.userdata.len()].copy_from_slice(&s.userdata);
        address += plan.dim;
    }
}
