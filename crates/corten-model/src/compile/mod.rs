//! From a [`Spec`] to the flat arrays of a [`ModelArrays`], in passes.
//!
//! Answers to MuJoCo's `mjCModel::Compile` up to the creation of simulation data. Passes, in
//! order: names and tree order, meshes and height fields, the tree (frames, geoms, inertias,
//! joints), fusion of static bodies, removal of visual elements, other assets, everything that
//! refers to the tree, the arrays. Errors are collected; a pass continues past them with
//! harmless values so that one run reports as many as possible.

mod actuator;
mod arrays;
mod asset_path;
mod contact;
mod context;
mod custom;
mod discard;
mod equality;
mod flex;
mod fluid;
mod fuse;
mod geom;
mod hfield;
mod inertia;
mod joint;
mod keyframe;
mod layout;
mod limit;
mod material;
mod mesh;
mod name;
pub(crate) mod orientation;
mod parallel;
mod plugin;
mod png;
mod pose;
mod sensor;
mod skin;
mod sparsity;
mod tendon;
mod texture;
mod tree;

pub(crate) use flex::{bending_coefficients, stretch_coefficients};

use crate::ModelArrays;
use crate::arrays::arena_bytes;
use crate::assets::Assets;
use crate::diagnostic::{Diagnostic, Diagnostics, Subject};
use crate::enums::ObjType;
use crate::limits::Limits;
use crate::plugin::{Builtin, Catalog};
use crate::spec::{LengthRangeOptions, Source, SourceMap, Spec, StatisticOverride};
use corten_math::memory::Gather;
pub use parallel::in_parallel;

use context::Context;
pub(crate) use pose::{principal, unit};
pub(crate) use sparsity::check as check_sparsity;

/// A compiled model whose constants of the reference pose are still missing.
///
/// Everything is final that follows from the spec alone: sizes, tree, poses, inertias, assets,
/// references, names, sparsity patterns, keyframes, masses scaled to `settotalmass`. What MuJoCo
/// computes in `engine_setconst.c`, by running the engine, is zero and must be filled in from
/// the reference pose:
///
/// - without kinematics: `body_subtreemass`, `ngravcomp`, `tree_*` except the policies that the
///   author chose in `tree_sleep_policy`, `tendon_treenum`, `tendon_treeid`;
/// - at `qpos0`: `dof_M0`, `body_invweight0`, `dof_invweight0`, `tendon_length0`,
///   `tendon_invweight0`, `actuator_length0`, `actuator_acc0`, `cam_pos0`, `cam_poscom0`,
///   `cam_mat0`, `light_pos0`, `light_poscom0`, `light_dir0`, the relative poses in `eq_data` that
///   the author left open, damping coefficients of actuators given as damping ratios;
/// - `stat` and `dof_length`; `tendon_lengthspring` where it is (−1, −1), at `qpos_spring`;
/// - then, from those, stiffness and damping of joints with a [`springdamper`](Draft::springdamper)
///   and `actuator_lengthrange` by [`length_range`](Draft::length_range);
/// - last, the author's overrides of [`stat`](Draft::stat).
#[derive(Clone, Debug)]
pub struct Draft {
    model: ModelArrays,
    /// Per joint, time constant and damping ratio of its spring; zero where there is none.
    pub springdamper: Vec<[f64; 2]>,
    /// Statistics that the author fixed.
    pub stat: StatisticOverride,
    /// How the length ranges of actuators are found.
    pub length_range: LengthRangeOptions,
    /// What the author should know although the model compiles.
    pub warnings: Diagnostics,
    /// What data of the model may take.
    pub limits: Limits,
    /// Where the objects of the model were written.
    pub places: Places,
}

/// Where bodies, flexes, tendons, actuators and plugins were written, for errors that show only when the engine
/// runs.
#[derive(Clone, Debug, Default)]
pub struct Places {
    bodies: Vec<Source>,
    flexes: Vec<Source>,
    tendons: Vec<Source>,
    actuators: Vec<Source>,
    plugins: Vec<Source>,
    files: SourceMap,
}

impl Places {
    /// The finding at the place of an object of the model, spelled out.
    pub fn locate(&self, item: Diagnostic, kind: ObjType, index: usize) -> Diagnostics {
        let list = match kind {
            ObjType::Body => &self.bodies,
            ObjType::Flex => &self.flexes,
            ObjType::Tendon => &self.tendons,
            ObjType::Actuator => &self.actuators,
            ObjType::Plugin => &self.plugins,
            _ => return item.into(),
        };
        let mut item = match list.get(index) {
            Some(&source) => item.at(source).element(kind.xml_name()),
            None => item,
        };
        item.locate(&self.files);
        item.into()
    }
}

impl Draft {
    pub fn model(&self) -> &ModelArrays {
        &self.model
    }

    pub fn model_mut(&mut self) -> &mut ModelArrays {
        &mut self.model
    }

    /// The model as it is.
    pub fn into_model(self) -> ModelArrays {
        self.model
    }
}

/// What is wrong with the names in a spec of which some values could not be read: those given
/// twice, and references to nothing. Other findings could follow from what is missing.
pub(crate) fn check_names(spec: &Spec, assets: &Assets) -> Diagnostics {
    let mut names = Diagnostics::new();
    if let Err(findings) = compile(spec, assets) {
        names.append_about(Subject::Name, findings);
    }
    names
}

/// Compiles a spec; `assets` provides the files that it names.
pub fn compile(spec: &Spec, assets: &Assets) -> Result<Draft, Diagnostics> {
    compile_with(spec, assets, &Builtin)
}

/// [`compile`], with the extensions of a catalog.
pub fn compile_with(
    spec: &Spec,
    assets: &Assets,
    catalog: &dyn Catalog,
) -> Result<Draft, Diagnostics> {
    let mut cx = Context::new(spec, assets, catalog);
    let mut names = name::collect(&mut cx);
    let users = name::user_sizes(&mut cx);
    let plugins = plugin::compile(&mut cx, &mut names);
    let mut meshes = mesh::compile(&mut cx, &names, &plugins);
    let hfields = hfield::compile(&mut cx);
    let mut tree = tree::compile(&mut cx, &names, &meshes, &hfields);
    if spec.compiler.fusestatic {
        fuse::fuse_static(&mut cx, &mut tree);
    }
    tree::check_free_joints(&mut cx, &tree);
    if spec.compiler.discardvisual {
        discard::discard_visual(&cx, &mut tree, &mut meshes);
    }
    name::finish(&mut cx, &mut names, &tree, &meshes);

    let flexes = flex::compile(&mut cx, &names, &tree);
    let skins = skin::compile(&mut cx, &names);
    let (textures, materials) = if spec.compiler.discardvisual {
        Default::default()
    } else {
        (texture::compile(&mut cx), material::compile(&mut cx, &names))
    };
    let pairs = contact::pairs(&mut cx, &names, &tree);
    let excludes = contact::excludes(&mut cx, &names);
    let equalities = equality::compile(&mut cx, &names, &tree, &flexes);
    let tendons = tendon::compile(&mut cx, &names, &tree);
    let actuators = actuator::compile(&mut cx, &names, &tree, &tendons, &plugins);
    let sensors = sensor::compile(&mut cx, &names, &tree, &tendons, &meshes, &plugins);
    let carried = plugin::tree(&mut cx, &tree, &plugins);
    let custom = custom::compile(&mut cx, &names);
    limit::check_options(&mut cx);
    name::set_geoms_and_sites(spec, &mut names, &tree);
    tree::check_masses(&mut cx, &tree);
    limit::check(&mut cx, &users, &tree, &actuators, &sensors, &textures);
    if cx.diagnostics.has_errors() {
        return Err(cx.finish());
    }

    let mut model = ModelArrays {
        name: spec.modelname.clone(),
        opt: spec.option.clone(),
        vis: spec.visual.clone(),
        njmax: spec.sizes.njmax,
        nconmax: spec.sizes.nconmax,
        ..ModelArrays::default()
    };
    layout::tree(&mut cx, &mut model, &tree, &users);
    arrays::meshes(&mut model, &meshes);
    flex::write(&mut model, &flexes);
    arrays::hfields(&mut model, &hfields);
    arrays::skins(&mut model, &skins);
    arrays::textures(&mut model, &textures);
    material::write(&mut model, &materials);
    contact::write(&mut model, &pairs, &excludes);
    equality::write(&mut model, &equalities);
    tendon::write(&mut model, &tendons, &users);
    actuator::write(&mut model, &actuators, &users);
    sensor::write(&mut model, &sensors, &users);
    custom::write(&mut model, &custom);
    plugins.write(&mut model);
    carried.write(&mut model);
    layout::finish_simple(&mut model);
    model.narena = arena_bytes(&model, spec.sizes.memory, spec.sizes.nstack);
    sparsity::check_bytes(&model, spec.limits.model_bytes)?;
    sparsity::build(&mut model);
    keyframe::write(&mut cx, &mut model, &tree);
    name::write(spec, &mut model, &mut names, &pairs, &excludes);
    custom::check_soft_bodies(&mut cx, &model);
    name::write_paths(&cx, &mut model, &meshes, spec.compiler.discardvisual);
    inertia::set_total_mass(&mut model, spec.compiler.settotalmass);
    if cx.diagnostics.has_errors() {
        return Err(cx.finish());
    }
    Ok(Draft {
        model,
        springdamper: tree.joints.iter().map(|j| spec.joints[j.key].springdamper).gather(),
        stat: spec.stat.clone(),
        length_range: spec.compiler.lr_opt.clone(),
        limits: spec.limits,
        places: Places {
            bodies: tree.bodies.iter().map(|b| spec.bodies[b.key].source).gather(),
            flexes: spec.flexes.values().map(|f| f.source).collect(),
            tendons: spec.tendons.values().map(|t| t.source).collect(),
            actuators: spec.actuators.values().map(|a| a.source).gather(),
            plugins: plugins.places(),
            files: spec.sources.clone(),
        },
        warnings: cx.finish(),
    })
}
