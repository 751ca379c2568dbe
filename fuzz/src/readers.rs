//! One function per reader: arbitrary bytes in, no panic, no hang, no absurd allocation.
//!
//! What a reader accepts goes on to the next stage: text is written and read again, models are
//! compiled and stepped, as long as they are small enough for that to be quick.

use corten_geom::mesh::{self, Format};
use corten_model::arrays::{MjbError, UnpackError, is_mjb};
use corten_model::{Assets, Spec, container};
use corten_sim::{Data, Model};

/// Sizes up to which an accepted model is compiled and stepped.
const MAX_ELEMENTS: usize = 300;
/// Pixels or samples that a model may ask for without a file.
const MAX_SAMPLES: i64 = 1 << 22;
const STEPS: usize = 3;
/// Steps that finding the length ranges of actuators may take.
const MAX_LENGTH_RANGE_STEPS: f64 = 10_000.0;

/// Text of a model.
pub fn mjcf(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let assets = Assets::memory_only();
    match Spec::from_xml_str_with_warnings(&text, &assets) {
        Ok((spec, _)) => {
            if let Ok(written) = spec.to_xml()
                && let Err(errors) = Spec::from_xml_str(&written, &assets)
            {
                panic!("written text is refused:\n{errors}\n{written}");
            }
            simulate(&spec, &assets);
        }
        Err(errors) => {
            assert!(errors.has_errors(), "refused without an error");
            let _ = errors.to_string();
        }
    }
}

/// Text of a robot: the same reader, entered through another root element.
pub fn urdf(bytes: &[u8]) {
    mjcf(bytes);
}

pub fn obj(bytes: &[u8]) {
    mesh_file(bytes, Format::Obj, "m.obj");
}

pub fn stl(bytes: &[u8]) {
    mesh_file(bytes, Format::Stl, "m.stl");
}

pub fn msh(bytes: &[u8]) {
    mesh_file(bytes, Format::Msh, "m.msh");
}

fn mesh_file(bytes: &[u8], format: Format, name: &str) {
    for mirrored in [false, true] {
        let _ = mesh::load(bytes, format, mirrored);
    }
    with_asset(bytes, name, |name| {
        format!(
            r#"<mujoco><asset><mesh name="m" file="{name}"/></asset><worldbody>
               <body><freejoint/><geom type="mesh" mesh="m"/></body>
               <geom type="mesh" mesh="m" pos=".1 .2 .3"/></worldbody></mujoco>"#
        )
    });
}

/// A mesh of Gmsh, as vertices that move on their own and as a brick.
pub fn gmsh(bytes: &[u8]) {
    let _ = corten_geom::gmsh::read(bytes);
    let mut assets = Assets::memory_only();
    assets.insert("m.msh", bytes);
    for dof in ["full", "trilinear"] {
        let text = format!(
            r#"<mujoco><worldbody><flexcomp name="f" type="gmsh" file="m.msh" dof="{dof}">
               <contact selfcollide="none"/><elasticity young="1e3" poisson=".1"/></flexcomp>
               </worldbody></mujoco>"#
        );
        if let Ok(spec) = Spec::from_xml_str(&text, &assets) {
            simulate(&spec, &assets);
        }
    }
}

/// An image, as a texture, as the faces of a cube and as a height field.
pub fn png(bytes: &[u8]) {
    with_asset(bytes, "i.png", |name| {
        format!(
            r#"<mujoco><asset><hfield name="h" file="{name}" size="1 1 1 1"/>
               <texture name="t" type="2d" file="{name}"/>
               <texture name="c" type="cube" file="{name}" gridsize="3 4" gridlayout=".U..LFRB.D.."/>
               </asset><worldbody><geom type="hfield" hfield="h"/>
               <body pos="0 0 1"><freejoint/><geom size=".2"/></body></worldbody></mujoco>"#
        )
    });
}

/// MuJoCo's binary height field.
pub fn hfield(bytes: &[u8]) {
    with_asset(bytes, "h.bin", |name| {
        format!(
            r#"<mujoco><asset><hfield name="h" file="{name}" size="1 1 1 1"/></asset><worldbody>
               <geom type="hfield" hfield="h"/>
               <body pos="0 0 1"><freejoint/><geom size=".2"/></body></worldbody></mujoco>"#
        )
    });
}

/// A binary model. The checksum is made right first: an author of hostile files would do so too.
pub fn model(bytes: &[u8]) {
    let _ = container::read(bytes);
    let Some(body) = bytes.len().checked_sub(8) else { return };
    let mut sealed = bytes[..body].to_vec();
    let hash = sealed.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &b| {
        (hash ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    sealed.extend(hash.to_le_bytes());
    if let Ok(model) = Model::from_bytes(&sealed) {
        step(&model);
    }
}

/// A binary model of MuJoCo. Its size of all arrays is made right first, as an author of hostile files would.
pub fn mjb(bytes: &[u8]) {
    if let Err(error) = Model::from_bytes(bytes)
        && let Some(expected) = expected_buffer(&error)
    {
        let mut sealed = bytes.to_vec();
        sealed[NBUFFER_AT..NBUFFER_AT + 8].copy_from_slice(&expected.to_le_bytes());
        accept(&sealed);
    } else {
        accept(bytes);
    }
}

/// Where `nbuffer` stands: after five numbers of the header, the sizes of 32 bits, and `narena`.
const NBUFFER_AT: usize = 4 * (5 + Model::SIZES.len() + 2) + 8;

fn expected_buffer(error: &UnpackError) -> Option<u64> {
    match error {
        UnpackError::Mjb(MjbError::Buffer { expected, .. }) => Some(*expected),
        _ => None,
    }
}

fn accept(bytes: &[u8]) {
    if !is_mjb(bytes) {
        return;
    }
    if let Ok(model) = Model::from_bytes(bytes) {
        // What only CortenForge has is refused; all else is written as it was read.
        if let Ok(written) = model.to_mjb() {
            assert!(Model::from_bytes(&written).is_ok(), "a written file is refused");
        }
        step(&model);
    }
}

fn with_asset(bytes: &[u8], name: &str, xml: impl Fn(&str) -> String) {
    let mut assets = Assets::memory_only();
    assets.insert(name, bytes);
    match Spec::from_xml_str(&xml(name), &assets) {
        Ok(spec) => simulate(&spec, &assets),
        Err(errors) => panic!("the text around the asset is refused:\n{errors}"),
    }
}

fn simulate(spec: &Spec, assets: &Assets) {
    let elements = spec.bodies.len()
        + spec.geoms.len()
        + spec.joints.len()
        + spec.sites.len()
        + spec.tendons.len()
        + spec.actuators.len()
        + spec.sensors.len()
        + spec.meshes.len();
    let area = |w: i32, h: i32| i64::from(w.max(0)) * i64::from(h.max(0));
    let samples: i64 = spec.textures.values().map(|t| 6 * area(t.width, t.height)).sum::<i64>()
        + spec.hfields.values().map(|h| area(h.nrow, h.ncol)).sum::<i64>();
    let range = &spec.compiler.lr_opt;
    let range_steps = spec.actuators.len() as f64 * range.inttotal / range.timestep;
    if elements > MAX_ELEMENTS || samples > MAX_SAMPLES || range_steps > MAX_LENGTH_RANGE_STEPS {
        return;
    }
    match corten_sim::compile_spec(spec, assets) {
        Ok(model) => step(&model),
        Err(errors) => {
            assert!(errors.has_errors(), "refused without an error");
            let _ = errors.to_string();
        }
    }
}

fn step(model: &Model) {
    if model.nv > MAX_ELEMENTS || model.ngeom > MAX_ELEMENTS || model.nsensordata > MAX_ELEMENTS {
        return;
    }
    let mut data = Data::new(model);
    for _ in 0..STEPS {
        // Bad numbers are a typed result.
        let _ = corten_sim::step(model, &mut data);
    }
}
