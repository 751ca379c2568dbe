//! Typed indices of a model's objects.

use crate::ModelArrays;
use crate::enums::ObjType;

/// Declares an index type per kind of object, with lookup in both directions on [`ModelArrays`].
macro_rules! ids {
    ($($(#[$meta:meta])* $Id:ident, $kind:ident, $id:ident, $name:ident;)*) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $Id(usize);

            impl $Id {
                /// Row of the object in arrays of its kind.
                #[inline]
                pub const fn index(self) -> usize {
                    self.0
                }
            }

            impl From<$Id> for usize {
                fn from(id: $Id) -> usize {
                    id.0
                }
            }
        )*

        impl ModelArrays {
            $(
                /// The object of this kind with this name.
                pub fn $id(&self, name: &str) -> Option<$Id> {
                    self.object_names.id(ObjType::$kind, name).map($Id)
                }

                /// The name of the object; `None` if it has none.
                pub fn $name(&self, id: $Id) -> Option<&str> {
                    self.object_names.name(ObjType::$kind, id.0)
                }
            )*
        }
    };
}

ids! {
    /// A row of `body_*` and `x*` arrays.
    BodyId, Body, body_id, body_name;
    /// A row of `jnt_*` arrays.
    JointId, Joint, joint_id, joint_name;
    /// A row of `geom_*` arrays.
    GeomId, Geom, geom_id, geom_name;
    /// A row of `site_*` arrays.
    SiteId, Site, site_id, site_name;
    /// A row of `cam_*` arrays.
    CameraId, Camera, camera_id, camera_name;
    /// A row of `light_*` arrays.
    LightId, Light, light_id, light_name;
    /// A row of `mesh_*` arrays.
    MeshId, Mesh, mesh_id, mesh_name;
    /// A row of `hfield_*` arrays.
    HFieldId, HField, hfield_id, hfield_name;
    /// A row of `mat_*` arrays.
    MaterialId, Material, material_id, material_name;
    /// A row of `tex_*` arrays.
    TextureId, Texture, texture_id, texture_name;
    /// A row of `eq_*` arrays.
    EqualityId, Equality, equality_id, equality_name;
    /// A row of `tendon_*` and `ten_*` arrays.
    TendonId, Tendon, tendon_id, tendon_name;
    /// A row of `actuator_*` arrays, and of `ctrl`.
    ActuatorId, Actuator, actuator_id, actuator_name;
    /// A row of `sensor_*` arrays.
    SensorId, Sensor, sensor_id, sensor_name;
    /// A row of `key_*` arrays.
    KeyId, Key, key_id, key_name;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_are_inverse() {
        let mut m = ModelArrays::default();
        m.object_names.set(ObjType::Body, vec!["world".into(), String::new(), "torso".into()]);
        let torso = m.body_id("torso").unwrap();
        assert_eq!(torso.index(), 2);
        assert_eq!(m.body_name(torso), Some("torso"));
        assert_eq!(m.body_id(""), None);
        assert_eq!(m.geom_id("torso"), None);
    }
}
