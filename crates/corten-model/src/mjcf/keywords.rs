//! The words of MJCF for enumerated values.

use super::attr::{Codec, Keyword, Misread, Value, keywords};
use crate::Options;
use crate::enums::*;
use crate::sensor::ContactReduction;

keywords! {
    bool { "false" false, "true" true, }
    Limited { "false" Limited::False, "true" Limited::True, "auto" Limited::Auto, }
    AlignFree { "false" AlignFree::False, "true" AlignFree::True, "auto" AlignFree::Auto, }
    InertiaFromGeom {
        "false" InertiaFromGeom::False, "true" InertiaFromGeom::True, "auto" InertiaFromGeom::Auto,
    }
    SleepPolicy {
        "auto" SleepPolicy::Auto, "never" SleepPolicy::Never, "allowed" SleepPolicy::Allowed,
        "init" SleepPolicy::Init,
    }
    JointType {
        "free" JointType::Free, "ball" JointType::Ball, "slide" JointType::Slide,
        "hinge" JointType::Hinge,
    }
    GeomType {
        "plane" GeomType::Plane, "hfield" GeomType::HField, "sphere" GeomType::Sphere,
        "capsule" GeomType::Capsule, "ellipsoid" GeomType::Ellipsoid,
        "cylinder" GeomType::Cylinder, "box" GeomType::Box, "mesh" GeomType::Mesh,
        "sdf" GeomType::Sdf,
    }
    CamLightMode {
        "fixed" CamLightMode::Fixed, "track" CamLightMode::Track,
        "trackcom" CamLightMode::TrackCom, "targetbody" CamLightMode::TargetBody,
        "targetbodycom" CamLightMode::TargetBodyCom,
    }
    LightType {
        "spot" LightType::Spot, "directional" LightType::Directional, "point" LightType::Point,
        "image" LightType::Image,
    }
    TextureRole {
        "rgb" TextureRole::Rgb, "occlusion" TextureRole::Occlusion,
        "roughness" TextureRole::Roughness, "metallic" TextureRole::Metallic,
        "normal" TextureRole::Normal, "opacity" TextureRole::Opacity,
        "emissive" TextureRole::Emissive, "rgba" TextureRole::Rgba, "orm" TextureRole::Orm,
    }
    Integrator {
        "Euler" Integrator::Euler, "RK4" Integrator::Rk4, "implicit" Integrator::Implicit,
        "implicitfast" Integrator::ImplicitFast,
        "implicitspringdamper" Integrator::ImplicitSpringDamper,
    }
    Cone { "pyramidal" Cone::Pyramidal, "elliptic" Cone::Elliptic, }
    JacobianType {
        "dense" JacobianType::Dense, "sparse" JacobianType::Sparse, "auto" JacobianType::Auto,
    }
    Solver { "PGS" Solver::Pgs, "CG" Solver::Cg, "Newton" Solver::Newton, }
    TextureType {
        "2d" TextureType::Flat, "cube" TextureType::Cube, "skybox" TextureType::Skybox,
    }
    ColorSpace {
        "auto" ColorSpace::Auto, "linear" ColorSpace::Linear, "sRGB" ColorSpace::Srgb,
    }
    TextureBuiltin {
        "none" TextureBuiltin::None, "gradient" TextureBuiltin::Gradient,
        "checker" TextureBuiltin::Checker, "flat" TextureBuiltin::Flat,
    }
    TextureMark {
        "none" TextureMark::None, "edge" TextureMark::Edge, "cross" TextureMark::Cross,
        "random" TextureMark::Random,
    }
    Dynamics {
        "none" Dynamics::None, "integrator" Dynamics::Integrator, "filter" Dynamics::Filter,
        "filterexact" Dynamics::FilterExact, "muscle" Dynamics::Muscle, "user" Dynamics::User,
    }
    Gain {
        "fixed" Gain::Fixed, "affine" Gain::Affine, "muscle" Gain::Muscle, "user" Gain::User,
        "custom" Gain::User,
    }
    Bias { "none" Bias::None, "affine" Bias::Affine, "muscle" Bias::Muscle, "user" Bias::User, }
    Stage { "none" Stage::None, "pos" Stage::Pos, "vel" Stage::Vel, "acc" Stage::Acc, }
    SensorDataType {
        "real" SensorDataType::Real, "positive" SensorDataType::Positive,
        "axis" SensorDataType::Axis, "quaternion" SensorDataType::Quaternion,
    }
    ContactDataField {
        "found" ContactDataField::Found, "force" ContactDataField::Force,
        "torque" ContactDataField::Torque, "dist" ContactDataField::Dist,
        "pos" ContactDataField::Pos, "normal" ContactDataField::Normal,
        "tangent" ContactDataField::Tangent,
    }
    LengthRangeMode {
        "none" LengthRangeMode::None, "muscle" LengthRangeMode::Muscle,
        "muscleuser" LengthRangeMode::MuscleUser, "all" LengthRangeMode::All,
    }
    GeomInertia { "false" GeomInertia::Volume, "true" GeomInertia::Shell, }
    MeshInertia {
        "convex" MeshInertia::Convex, "legacy" MeshInertia::Legacy, "exact" MeshInertia::Exact,
        "shell" MeshInertia::Shell,
    }
    MeshBuiltin {
        "none" MeshBuiltin::None, "sphere" MeshBuiltin::Sphere,
        "hemisphere" MeshBuiltin::Hemisphere, "cone" MeshBuiltin::Cone,
        "supertorus" MeshBuiltin::Supertorus, "supersphere" MeshBuiltin::Supersphere,
        "wedge" MeshBuiltin::Wedge, "plate" MeshBuiltin::Plate,
    }
    FlexSelf {
        "none" FlexSelf::None, "narrow" FlexSelf::Narrow, "bvh" FlexSelf::Bvh,
        "sap" FlexSelf::Sap, "auto" FlexSelf::Auto,
    }
    ContactReduction {
        "none" ContactReduction::None, "mindist" ContactReduction::MinDist,
        "maxforce" ContactReduction::MaxForce, "netforce" ContactReduction::NetForce,
    }
    ObjType {
        "body" ObjType::Body, "xbody" ObjType::Xbody, "joint" ObjType::Joint,
        "dof" ObjType::Dof, "geom" ObjType::Geom, "site" ObjType::Site,
        "camera" ObjType::Camera, "light" ObjType::Light, "flex" ObjType::Flex,
        "mesh" ObjType::Mesh, "skin" ObjType::Skin, "hfield" ObjType::HField,
        "texture" ObjType::Texture, "material" ObjType::Material, "pair" ObjType::Pair,
        "exclude" ObjType::Exclude, "equality" ObjType::Equality, "tendon" ObjType::Tendon,
        "actuator" ObjType::Actuator, "sensor" ObjType::Sensor, "numeric" ObjType::Numeric,
        "text" ObjType::Text, "tuple" ObjType::Tuple, "key" ObjType::Key,
        "plugin" ObjType::Plugin,
    }
}

/// `none` or `ellipsoid`.
pub struct FluidShape;

impl Codec<bool> for FluidShape {
    fn read(field: &mut bool, text: &str) -> Result<(), Misread> {
        *field = match text {
            "none" => false,
            "ellipsoid" => true,
            _ => {
                return Err(Misread::new(
                    format!("'{text}' is not a keyword here"),
                    "none, ellipsoid",
                ));
            }
        };
        Ok(())
    }
    fn write(field: &bool) -> String {
        if *field { "ellipsoid" } else { "none" }.to_owned()
    }
}

/// MuJoCo's solvers, of which the strict one is a variant.
pub struct SolverName;

impl Codec<Solver> for SolverName {
    fn read(field: &mut Solver, text: &str) -> Result<(), Misread> {
        let solver = Solver::from_word(text).map_err(|wrong| match OwnSolver::of_word(text) {
            Some(_) => Misread { did_you_mean: Some("cortenforge:solver"), ..wrong },
            None => wrong,
        })?;
        // Attributes come in any order: a solver of ours stays what it is.
        if (*field, solver) != (Solver::CgStrict, Solver::Cg) && *field != Solver::Xpbd {
            *field = solver;
        }
        Ok(())
    }
    fn write(field: &Solver) -> String {
        let name = match field {
            Solver::CgStrict => Solver::Cg,
            Solver::Xpbd => Solver::Newton,
            other => *other,
        };
        name.word().to_owned()
    }
}

/// Solvers that MuJoCo lacks; no text for the others.
pub struct OwnSolver;

impl OwnSolver {
    const WORDS: [(&'static str, Solver); 2] =
        [("cgstrict", Solver::CgStrict), ("xpbd", Solver::Xpbd)];

    fn of_word(text: &str) -> Option<Solver> {
        let known = OwnSolver::WORDS.iter().find(|(word, _)| *word == text);
        known.map(|(_, solver)| *solver)
    }
}

impl Codec<Solver> for OwnSolver {
    fn read(field: &mut Solver, text: &str) -> Result<(), Misread> {
        let wrong = || Misread::new(format!("'{text}' is not a keyword here"), "cgstrict, xpbd");
        *field = OwnSolver::of_word(text).ok_or_else(wrong)?;
        Ok(())
    }
    fn write(field: &Solver) -> String {
        let own = OwnSolver::WORDS.iter().find(|(_, solver)| solver == field);
        own.map_or("", |(word, _)| word).to_owned()
    }
}

/// Formulas of flexes and when their forces act, flags of options: words side by side; no text for those
/// of MuJoCo.
pub struct FlexFormulas;

impl FlexFormulas {
    const WORDS: [(&'static str, EnableBit); 2] =
        [("textbook", EnableBit::TextbookFlex), ("implicit", EnableBit::ImplicitFlex)];
}

impl Codec<i32> for FlexFormulas {
    fn read(field: &mut i32, text: &str) -> Result<(), Misread> {
        let known = |word: &str| FlexFormulas::WORDS.iter().find(|(name, _)| *name == word);
        let mut flags = 0;
        for word in text.split_whitespace().filter(|_| text != "mujoco") {
            let Some((_, bit)) = known(word) else {
                let message = format!("'{word}' is not a keyword here");
                return Err(Misread::new(message, "textbook, implicit, or both; mujoco"));
            };
            flags |= bit.raw();
        }
        let all = FlexFormulas::WORDS.iter().fold(0, |all, (_, bit)| all | bit.raw());
        *field = *field & !all | flags;
        Ok(())
    }
    fn write(field: &i32) -> String {
        let set = FlexFormulas::WORDS.iter().filter(|(_, bit)| field & bit.raw() != 0);
        set.map(|(name, _)| *name).collect::<Vec<_>>().join(" ")
    }
}

/// A whole number from one to `MOST`.
pub struct Count<const MOST: i32>;

/// How often bodies of particles and the rest of a model are solved for in turn.
pub type CouplingIterations = Count<{ Options::MOST_COUPLING_ITERATIONS }>;

/// Parts of a step that the solver by positions works with.
pub type XpbdSubsteps = Count<{ Options::MOST_XPBD_SUBSTEPS }>;

impl<const MOST: i32> Codec<i32> for Count<MOST> {
    fn read(field: &mut i32, text: &str) -> Result<(), Misread> {
        let mut count = 0;
        Value::read(&mut count, text)?;
        if !(1..=MOST).contains(&count) {
            let expected = format!("a whole number from 1 to {MOST}");
            return Err(Misread::new(format!("{count} is out of range"), expected));
        }
        *field = count;
        Ok(())
    }
    fn write(field: &i32) -> String {
        Value::write(field)
    }
}

/// A boolean kept as an integer.
pub struct Flag;

impl Codec<i32> for Flag {
    fn read(field: &mut i32, text: &str) -> Result<(), Misread> {
        *field = i32::from(bool::from_word(text)?);
        Ok(())
    }
    fn write(field: &i32) -> String {
        (*field != 0).word().to_owned()
    }
}

/// Which stiffnesses of a shell follow from its material.
pub struct Elastic2d;

impl Elastic2d {
    const WORDS: [&'static str; 4] = ["none", "bend", "stretch", "both"];
}

impl Codec<i32> for Elastic2d {
    fn read(field: &mut i32, text: &str) -> Result<(), Misread> {
        let found = Elastic2d::WORDS.iter().position(|word| *word == text);
        *field = found.map(|i| i as i32).ok_or_else(|| {
            let message = format!("'{text}' is not a keyword here");
            Misread::new(message, Elastic2d::WORDS.join(", "))
        })?;
        Ok(())
    }
    fn write(field: &i32) -> String {
        let word = usize::try_from(*field).ok().and_then(|i| Elastic2d::WORDS.get(i));
        word.map_or_else(String::new, |word| (*word).to_owned())
    }
}
