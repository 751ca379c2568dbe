//! Typed indices of a model's objects, found by name.

use crate::ModelArrays;
use crate::diagnostic::closest;
use crate::enums::ObjType;

/// No object of a kind has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no {kind} is named '{name}'{}", advice(.did_you_mean, *.count, .kind))]
pub struct UnknownName {
    /// What was looked for: `body`, `joint`, ...
    pub kind: &'static str,
    /// The name that was asked for.
    pub name: String,
    /// A name that exists and is spelled much the same.
    pub did_you_mean: Option<String>,
    /// Objects of the kind in the model, named or not.
    pub count: usize,
}

fn advice(did_you_mean: &Option<String>, count: usize, kind: &str) -> String {
    match did_you_mean {
        Some(name) => format!("; did you mean '{name}'?"),
        None if count == 0 => format!("; the model has no {kind}"),
        None => String::new(),
    }
}

/// Declares an index type per kind of object, with lookup in both directions on [`ModelArrays`].
macro_rules! ids {
    ($($(#[$meta:meta])* $Id:ident, $kind:ident, $size:ident, $find:ident, $all:ident, $name:ident;)*) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $Id(u32);

            impl $Id {
                /// Row of the object in arrays of its kind.
                #[inline]
                pub const fn index(self) -> usize {
                    self.0 as usize
                }

                fn new(_: &ModelArrays, index: usize) -> $Id {
                    $Id(index as u32)
                }
            }
        )*

        lookup! { $($Id, $kind, $size, $find, $all, $name;)* }
    };
}

/// Lookup of ids by name, of all ids, and of the name of an id.
macro_rules! lookup {
    ($($Id:ident, $kind:ident, $size:ident, $find:ident, $all:ident, $name:ident;)*) => {
        $(
            impl From<$Id> for usize {
                fn from(id: $Id) -> usize {
                    id.index()
                }
            }
        )*

        impl ModelArrays {
            $(
                #[doc = concat!("The ", stringify!($find), " with this name.")]
                pub fn $find(&self, name: &str) -> Result<$Id, UnknownName> {
                    match self.object_names.id(ObjType::$kind, name) {
                        Some(index) => Ok($Id::new(self, index)),
                        None => Err(self.unknown(ObjType::$kind, stringify!($find), name, self.$size)),
                    }
                }

                #[doc = concat!("Every ", stringify!($find), " of the model, in order.")]
                pub fn $all(&self) -> impl ExactSizeIterator<Item = $Id> + Clone + '_ {
                    (0..self.$size).map(|index| $Id::new(self, index))
                }

                #[doc = concat!("The name of a ", stringify!($find), "; `None` if it has none.")]
                pub fn $name(&self, id: $Id) -> Option<&str> {
                    self.object_names.name(ObjType::$kind, id.index())
                }
            )*
        }
    };
}

ids! {
    /// A row of `body_*` and `x*` arrays.
    BodyId, Body, nbody, body, bodies, body_name;
    /// A row of `geom_*` arrays.
    GeomId, Geom, ngeom, geom, geoms, geom_name;
    /// A row of `site_*` arrays.
    SiteId, Site, nsite, site, sites, site_name;
    /// A row of `cam_*` arrays.
    CameraId, Camera, ncam, camera, cameras, camera_name;
    /// A row of `light_*` arrays.
    LightId, Light, nlight, light, lights, light_name;
    /// A row of `mesh_*` arrays.
    MeshId, Mesh, nmesh, mesh, meshes, mesh_name;
    /// A row of `hfield_*` arrays.
    HFieldId, HField, nhfield, hfield, hfields, hfield_name;
    /// A row of `mat_*` arrays.
    MaterialId, Material, nmat, material, materials, material_name;
    /// A row of `tex_*` arrays.
    TextureId, Texture, ntex, texture, textures, texture_name;
    /// A row of `eq_*` arrays.
    EqualityId, Equality, neq, equality, equalities, equality_name;
    /// A row of `tendon_*` and `ten_*` arrays.
    TendonId, Tendon, ntendon, tendon, tendons, tendon_name;
    /// A row of `actuator_*` arrays, and of `ctrl`.
    ActuatorId, Actuator, nu, actuator, actuators, actuator_name;
    /// A row of `key_*` arrays.
    KeyId, Key, nkey, keyframe, keyframes, keyframe_name;
}

lookup! {
    JointId, Joint, njnt, joint, joints, joint_name;
    SensorId, Sensor, nsensor, sensor, sensors, sensor_name;
}

/// A row of `jnt_*` arrays, and the joint's share of `qpos` and of `qvel`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointId {
    index: u32,
    qpos: [u32; 2],
    qvel: [u32; 2],
}

impl JointId {
    fn new(m: &ModelArrays, index: usize) -> JointId {
        // A share ends where that of the next joint starts.
        let share = |start: &[i32], end: usize| {
            let end = start.get(index + 1).map_or(end as u32, |&next| next as u32);
            [start[index] as u32, end]
        };
        JointId {
            index: index as u32,
            qpos: share(&m.jnt_qposadr, m.nq),
            qvel: share(&m.jnt_dofadr, m.nv),
        }
    }

    /// Row of the joint in `jnt_*` arrays.
    #[inline]
    pub const fn index(self) -> usize {
        self.index as usize
    }

    /// Where `qpos` holds the joint's position: seven numbers of a free joint, four of a ball.
    #[inline]
    pub const fn qpos(self) -> std::ops::Range<usize> {
        self.qpos[0] as usize..self.qpos[1] as usize
    }

    /// Where `qvel`, `qacc` and `qfrc_*` hold the joint's degrees of freedom.
    #[inline]
    pub const fn qvel(self) -> std::ops::Range<usize> {
        self.qvel[0] as usize..self.qvel[1] as usize
    }
}

/// A row of `sensor_*` arrays, and the sensor's share of `sensordata`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SensorId {
    index: u32,
    first: u32,
    count: u32,
}

impl SensorId {
    fn new(m: &ModelArrays, index: usize) -> SensorId {
        SensorId {
            index: index as u32,
            first: m.sensor_adr[index] as u32,
            count: m.sensor_dim[index] as u32,
        }
    }

    /// Row of the sensor in `sensor_*` arrays.
    #[inline]
    pub const fn index(self) -> usize {
        self.index as usize
    }

    /// Where `sensordata` holds the reading.
    #[inline]
    pub const fn data(self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

impl ModelArrays {
    fn unknown(&self, kind: ObjType, word: &'static str, name: &str, count: usize) -> UnknownName {
        let names = self.object_names.all(kind).iter().map(String::as_str);
        let did_you_mean = closest(name, names.filter(|n| !n.is_empty())).map(str::to_owned);
        UnknownName { kind: word, name: name.to_owned(), did_you_mean, count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_are_inverse() {
        let mut m = ModelArrays { nbody: 3, ..ModelArrays::default() };
        m.object_names.set(ObjType::Body, vec!["world".into(), String::new(), "torso".into()]);
        let torso = m.body("torso").unwrap();
        assert_eq!(torso.index(), 2);
        assert_eq!(m.body_name(torso), Some("torso"));
        let names: Vec<_> = m.bodies().map(|b| m.body_name(b)).collect();
        assert_eq!(names, [Some("world"), None, Some("torso")]);
        assert!(m.body("").is_err());
        let error = m.body("torzo").unwrap_err().to_string();
        assert_eq!(error, "no body is named 'torzo'; did you mean 'torso'?");
        let error = m.geom("torso").unwrap_err().to_string();
        assert_eq!(error, "no geom is named 'torso'; the model has no geom");
    }

    #[test]
    fn joints_and_sensors_know_their_share() {
        let m = ModelArrays {
            njnt: 3,
            nq: 12,
            nv: 10,
            jnt_qposadr: vec![0, 7, 8],
            jnt_dofadr: vec![0, 6, 7],
            nsensor: 2,
            sensor_adr: vec![0, 3],
            sensor_dim: vec![3, 1],
            ..ModelArrays::default()
        };
        let joints: Vec<_> = m.joints().map(|j| (j.qpos(), j.qvel())).collect();
        assert_eq!(joints, [(0..7, 0..6), (7..8, 6..7), (8..12, 7..10)]);
        assert!(m.sensors().map(SensorId::data).eq([0..3, 3..4]));
    }
}
