//! What of a model can change while its simulation runs and is seen.

use corten_sim::Model;

macro_rules! looks {
    ($($field:ident)*) => {
        /// Copies colours, sizes, lights, options and the like; both are the same model.
        pub(crate) fn copy_looks(from: &Model, to: &mut Model) {
            $( to.$field.clone_from(&from.$field); )*
        }
    };
}

looks! {
    opt vis stat
    body_mocapid
    geom_type geom_matid geom_group geom_size geom_rgba geom_dataid geom_rbound
    site_type site_matid site_group site_size site_rgba
    mat_texid mat_texuniform mat_texrepeat mat_emission mat_specular mat_shininess mat_reflectance
    mat_metallic mat_roughness mat_rgba
    cam_fovy cam_ipd cam_resolution cam_sensorsize cam_intrinsic
    light_type light_active light_castshadow light_cutoff light_exponent light_attenuation
    light_ambient light_diffuse light_specular light_bulbradius light_range light_intensity
    jnt_group jnt_limited jnt_range jnt_axis jnt_pos
    tendon_group tendon_matid tendon_width tendon_rgba tendon_limited tendon_range
    actuator_group actuator_ctrllimited actuator_ctrlrange
    skin_matid skin_rgba skin_inflate skin_group
    flex_matid flex_rgba flex_group flex_radius
}
