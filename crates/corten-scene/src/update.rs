//! Makes a scene from a state: the table of contents.

use corten_model::enums::LightType;
use corten_sim::{Data, Model};

use crate::camera::Camera;
use crate::decor::{Painter, flex_surfaces, skin_surfaces};
use crate::enums::{Category, VisFlag};
use crate::error::SceneError;
use crate::geom::float3;
use crate::interact::camera_in_model;
use crate::light::{Light, MAX_LIGHT};
use crate::option::VisOption;
use crate::perturb::Perturb;
use crate::scene::Scene;
use crate::view::update_camera;

/// Shows a state: geoms, cameras, lights, flexes and skins (MuJoCo's `mjv_updateScene`).
///
/// `catmask` has bits of [`Category`]. Infinite planes follow the cameras that the scene had before.
/// Where there is no room for all geoms, [`Scene::status`] is 1 afterwards.
///
/// ```
/// use corten_scene::{Camera, Category, Scene, VisOption, update_scene};
///
/// let text = "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>";
/// let model = corten_sim::load_model_str(text, &Default::default())?;
/// let mut data = model.make_data();
/// data.forward(&model)?;
/// let mut scene = Scene::new(&model, 1000);
/// let mut camera = Camera::free(&model);
/// let everything = Category::All.raw();
/// update_scene(&model, &data, &VisOption::default(), None, Some(&mut camera), everything, &mut scene)?;
/// assert_eq!(scene.geoms.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn update_scene(
    m: &Model,
    d: &Data,
    opt: &VisOption,
    pert: Option<&Perturb>,
    camera: Option<&mut Camera>,
    catmask: i32,
    scene: &mut Scene,
) -> Result<(), SceneError> {
    check_sizes(m, d, scene)?;
    scene.geoms.clear();
    scene.status = 0;
    painter(m, d, opt, pert.unwrap_or(&Perturb::default()), catmask, scene).plugins();
    add_geoms(m, d, opt, pert, catmask, scene)?;
    if let Some(camera) = camera {
        update_camera(m, d, camera, scene)?;
    }
    make_lights(m, d, scene)?;
    if opt.shows_flexes() {
        flex_surfaces(m, d, opt, scene);
    }
    if opt.has(VisFlag::Skin) {
        skin_surfaces(m, d, opt, scene);
    }
    Ok(())
}

/// Adds the geoms of a state to those that the scene has (MuJoCo's `mjv_addGeoms`).
pub fn add_geoms(
    m: &Model,
    d: &Data,
    opt: &VisOption,
    pert: Option<&Perturb>,
    catmask: i32,
    scene: &mut Scene,
) -> Result<(), SceneError> {
    check_sizes(m, d, scene)?;
    painter(m, d, opt, pert.unwrap_or(&Perturb::default()), catmask, scene).all();
    Ok(())
}

fn painter<'a>(
    m: &'a Model,
    d: &'a Data,
    opt: &'a VisOption,
    pert: &'a Perturb,
    catmask: i32,
    scene: &'a mut Scene,
) -> Painter<'a> {
    let hidden = if opt.has(VisFlag::Static) { 0 } else { Category::Static.raw() };
    Painter { m, d, opt, pert, catmask: catmask & !hidden, scene, unit: m.stat.meansize }
}

/// Sets the lights of a scene: the one at the camera, then those of the model that are on (MuJoCo's
/// `mjv_makeLights`).
pub fn make_lights(m: &Model, d: &Data, scene: &mut Scene) -> Result<(), SceneError> {
    check_data(m, d)?;
    scene.lights.clear();
    if m.vis.headlight.active != 0 {
        let head = camera_in_model(scene)?;
        scene.lights.push(Light {
            id: -1,
            headlight: 1,
            texid: -1,
            kind: LightType::Directional.raw(),
            bulbradius: 0.02,
            range: 10.0,
            pos: float3(head.headpos),
            dir: float3(head.forward),
            ambient: m.vis.headlight.ambient,
            diffuse: m.vis.headlight.diffuse,
            specular: m.vis.headlight.specular,
            ..Light::default()
        });
    }
    let room = MAX_LIGHT - scene.lights.len();
    let active = (0..m.nlight).filter(|i| m.light_active[*i] != 0).take(room);
    scene.lights.extend(active.map(|i| model_light(m, d, i)));
    Ok(())
}

fn model_light(m: &Model, d: &Data, i: usize) -> Light {
    let mut light = Light {
        id: i as i32,
        kind: m.light_type[i],
        texid: m.light_texid[i],
        castshadow: m.light_castshadow[i],
        bulbradius: m.light_bulbradius[i],
        intensity: m.light_intensity[i],
        range: m.light_range[i],
        ambient: m.light_ambient[i],
        diffuse: m.light_diffuse[i],
        specular: m.light_specular[i],
        pos: float3(d.light_xpos[i]),
        dir: float3(d.light_xdir[i]),
        ..Light::default()
    };
    if light.kind == LightType::Spot.raw() {
        light.attenuation = m.light_attenuation[i];
        light.exponent = m.light_exponent[i];
        light.cutoff = m.light_cutoff[i];
    }
    light
}

/// Brings the skins of a scene to the present state, and nothing else (MuJoCo's `mjv_updateSkin`).
pub fn update_skin(m: &Model, d: &Data, scene: &mut Scene) -> Result<(), SceneError> {
    check_sizes(m, d, scene)?;
    skin_surfaces(m, d, &VisOption::default(), scene);
    Ok(())
}

/// Brings the flexes of a scene to the present state, and nothing else.
pub fn update_flex(
    m: &Model,
    d: &Data,
    opt: &VisOption,
    scene: &mut Scene,
) -> Result<(), SceneError> {
    check_sizes(m, d, scene)?;
    flex_surfaces(m, d, opt, scene);
    Ok(())
}

/// Whether the data was made for a model of these sizes.
pub(crate) fn check_data(m: &Model, d: &Data) -> Result<(), SceneError> {
    let sizes = [
        ("bodies", d.xpos.len(), m.nbody),
        ("joints", d.xanchor.len(), m.njnt),
        ("geoms", d.geom_xpos.len(), m.ngeom),
        ("sites", d.site_xpos.len(), m.nsite),
        ("cameras", d.cam_xpos.len(), m.ncam),
        ("lights", d.light_xpos.len(), m.nlight),
        ("tendons", d.ten_length.len(), m.ntendon),
        ("actuators", d.ctrl.len(), m.nu),
        ("equality constraints", d.eq_active.len(), m.neq),
        ("flex vertices", d.flexvert_xpos.len(), m.nflexvert),
        ("degrees of freedom", d.qvel.len(), m.nv),
        ("positions", d.qpos.len(), m.nq),
        ("mocap bodies", d.mocap_pos.len(), m.nmocap),
    ];
    match sizes.into_iter().find(|(_, data, model)| data != model) {
        Some((what, data, model)) => Err(SceneError::OtherModel { what, data, model }),
        None => Ok(()),
    }
}

/// Whether model, data and scene belong together.
fn check_sizes(m: &Model, d: &Data, scene: &Scene) -> Result<(), SceneError> {
    check_data(m, d)?;
    let sizes = [
        ("flexes", scene.flex.faceadr.len(), m.nflex),
        ("flex vertices", scene.flex.vert.len(), m.nflexvert),
        ("skins", scene.skin.vertadr.len(), m.nskin),
        ("skin vertices", scene.skin.vert.len(), m.nskinvert),
    ];
    match sizes.into_iter().find(|(_, scene, model)| scene != model) {
        Some((what, scene, model)) => Err(SceneError::OtherScene { what, scene, model }),
        None => Ok(()),
    }
}
