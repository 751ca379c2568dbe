//! Simulations whose laws are part of their type.

use std::path::PathBuf;
use std::process::Command;

use corten_math::{Mat3, Vec3};
use corten_model::Assets;
use corten_model::arrays::ArrayRef;
use corten_model::enums::Solver;
use corten_sim::extend::contact::{LcpSolver, XpbdSolver};
use corten_sim::extend::flex::{
    BridsonBending, CotangentBending, FlexBendingModel, FlexBendingType, FlexElasticityType,
    FlexMaterial, HingeCoefficients, HingeState, Lame, LinearElastic, NeoHookean, StrainEnergy,
};
use corten_sim::extend::{ActuatorGainModel, DefaultGain, GainInput};
use corten_sim::sim::{AnimationSim, MujocoSim, Sim, SimBuilder, SoftBodySim};
use corten_sim::{Data, Model, load_model, load_model_str, step};

fn model() -> Model {
    let text = r#"<mujoco><option timestep=".001"/><worldbody><geom type="plane" size="2 2 1"/>
      <flexcomp name="cloth" type="grid" count="5 5 1" spacing=".1 .1 .1" pos="0 0 .3" dim="2" mass=".2" radius=".01">
        <edge equality="true"/><contact selfcollide="none"/>
        <elasticity young="2e4" poisson=".2" thickness=".005" elastic2d="bend" damping=".005"/></flexcomp>
      <flexcomp name="cube" type="grid" count="3 3 3" spacing=".08 .08 .08" pos="1 0 .4" dim="3" mass=".5" radius=".01">
        <contact selfcollide="none" internal="false"/><elasticity young="2e4" poisson=".3" damping=".002"/></flexcomp>
      <body pos="-1 0 .5"><joint name="j" axis="0 1 0"/><geom type="capsule" size=".05" fromto="0 0 0 .3 0 0"/></body>
    </worldbody><actuator><motor joint="j"/></actuator></mujoco>"#;
    load_model_str(text, &Assets::new()).unwrap_or_else(|e| panic!("{e}"))
}

fn run<B, E, A, C>(sim: &mut Sim<B, E, A, C>, steps: usize) -> Vec<f64> {
    for _ in 0..steps {
        sim.step().unwrap();
    }
    sim.data().qpos.clone()
}

fn default_laws_by_name(m: &Model) -> MujocoSim {
    SimBuilder::new()
        .bending(CotangentBending)
        .elasticity(LinearElastic)
        .contact_solver(LcpSolver)
        .build(m.clone())
        .unwrap()
}

/// Without a law named, a `Sim` is `step`, bit by bit.
#[test]
fn the_default_is_mujocos_physics() {
    let m = model();
    let mut sim: MujocoSim = SimBuilder::new().build(m.clone()).unwrap();
    let mut named = default_laws_by_name(&m);
    let mut d = Data::new(&m);
    (0..300).for_each(|_| step(&m, &mut d).unwrap());
    assert_eq!(run(&mut sim, 300), d.qpos);
    assert_eq!(run(&mut named, 300), d.qpos);
    sim.reset().unwrap();
    assert_eq!(run(&mut sim, 300), d.qpos);
    assert_eq!(sim.model().opt.solver, Solver::Newton);
    let (m, d) = sim.into_parts();
    assert!((d.time - 300.0 * m.opt.timestep).abs() < 1e-12);
}

fn own_scenes() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for dir in ["scenes", "scenes/flex"] {
        let entries = std::fs::read_dir(root.join(dir)).unwrap();
        files.extend(entries.map(|entry| entry.unwrap().path()));
    }
    files.retain(|path| path.extension().is_some_and(|e| e == "xml"));
    assert!(files.len() >= 20, "{files:?}");
    files
}

/// Models of a corpus (`CORTEN_CORPUS`, or next to the repository) whose line in its list passes; none without one.
fn public_models(chosen: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let corpus = std::env::var_os("CORTEN_CORPUS").map_or(beside, PathBuf::from);
    let Ok(list) = std::fs::read_to_string(corpus.join("MODELS.txt")) else {
        eprintln!("no corpus at hand: only our own scenes are checked");
        return Vec::new();
    };
    let names = list.lines().filter(|line| chosen(line));
    names.filter_map(|line| line.split_whitespace().next()).map(|name| corpus.join(name)).collect()
}

fn is_rigid(line: &str) -> bool {
    line.contains("nflex=0") && line.contains("nplugin=0")
}

fn same_bits(a: Option<ArrayRef<'_>>, b: Option<ArrayRef<'_>>) -> bool {
    match (a, b) {
        (Some(ArrayRef::F64(a)), Some(ArrayRef::F64(b))) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
        }
        (a, b) => a == b,
    }
}

/// Asserts that every array of the data has the same bits through `MujocoSim` and through `step`.
fn assert_bits_of_a_step(files: &[PathBuf]) {
    let check = |path: &PathBuf| {
        let m = load_model(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut sim = default_laws_by_name(&m);
        let mut d = Data::new(&m);
        for (i, u) in d.ctrl.iter_mut().enumerate() {
            *u = 0.1 * (i as f64).sin();
        }
        sim.data_mut().ctrl.copy_from_slice(&d.ctrl);
        for _ in 0..5 {
            assert_eq!(step(&m, &mut d).is_ok(), sim.step().is_ok(), "{}", path.display());
        }
        for (i, info) in Data::ARRAYS.iter().enumerate() {
            let same = same_bits(d.array(i), sim.data().array(i));
            assert!(same, "{}: {}", path.display(), info.name);
        }
    };
    std::thread::scope(|scope| {
        for half in files.chunks(files.len().div_ceil(2).max(1)) {
            scope.spawn(move || half.iter().for_each(check));
        }
    });
}

/// What a comparison with MuJoCo finds through `MujocoSim` is what it finds through `step`, on our scenes and on public models
/// with flexes or plugins.
#[test]
fn every_model_has_the_bits_of_a_step() {
    let mut files = own_scenes();
    files.extend(public_models(|line| !is_rigid(line)));
    assert_bits_of_a_step(&files);
}

/// The same of the rigid public models: minutes without optimisation.
#[test]
#[ignore = "loads every rigid model of a corpus; with `--profile quick`"]
fn every_rigid_model_has_the_bits_of_a_step() {
    let files = public_models(is_rigid);
    assert!(files.len() > 100, "the corpus is not at hand");
    assert_bits_of_a_step(&files);
    println!("{} models", files.len());
}

#[test]
fn aliases_are_what_the_setters_give() {
    let builder = || SimBuilder::new().bending(BridsonBending);
    let mut animation: AnimationSim =
        builder().contact_solver(XpbdSolver::new(2)).build(model()).unwrap();
    assert!(
        animation.model().flex_bending_model.iter().all(|&k| k == FlexBendingType::Bridson.raw())
    );
    assert_eq!(
        (animation.model().opt.solver, animation.model().opt.xpbd_substeps),
        (Solver::Xpbd, 2)
    );
    let mut soft: SoftBodySim =
        SimBuilder::new().elasticity(NeoHookean::default()).build(model()).unwrap();
    let choice = FlexElasticityType::NeoHookean.raw();
    assert!(soft.model().flex_elasticity_model.iter().all(|&k| k == choice));
    let mut bridson: Sim<BridsonBending, LinearElastic, DefaultGain, LcpSolver> =
        builder().build(model()).unwrap();
    let mut plain: MujocoSim = SimBuilder::new().build(model()).unwrap();
    let ends = [
        run(&mut animation, 400),
        run(&mut soft, 400),
        run(&mut bridson, 400),
        run(&mut plain, 400),
    ];
    for (i, a) in ends.iter().enumerate() {
        assert!(a.iter().all(|q| q.is_finite()));
        assert!(ends[..i].iter().all(|b| a != b), "{i} is as another");
    }
}

#[test]
fn laws_mix() {
    let mut sim = SimBuilder::new()
        .elasticity(NeoHookean::new(8e3, 1e4))
        .contact_solver(XpbdSolver::new(4))
        .build(model())
        .unwrap();
    assert!(run(&mut sim, 300).iter().all(|q| q.is_finite()));
}

#[derive(Clone, Debug)]
struct Weak;

impl ActuatorGainModel for Weak {
    fn force(&self, at: &GainInput<'_>) -> f64 {
        0.5 * at.drive
    }

    fn force_by_velocity(&self, _: &GainInput<'_>) -> f64 {
        0.0
    }
}

#[test]
fn gains_are_those_of_all_actuators() {
    let force = |d: &Data| d.actuator_force[0];
    let mut sim = SimBuilder::new().actuators(Weak).build(model()).unwrap();
    sim.data_mut().ctrl[0] = 2.0;
    sim.forward().unwrap();
    assert_eq!(force(sim.data()), 1.0);
}

/// Picks a law of bending per episode: the dynamics differ.
#[test]
fn laws_can_be_randomised() {
    let mut ends = Vec::new();
    for episode in 0..4 {
        let m = model();
        let end = if episode % 2 == 0 {
            run(&mut SimBuilder::new().bending(CotangentBending).build(m).unwrap(), 200)
        } else {
            run(&mut SimBuilder::new().bending(BridsonBending).build(m).unwrap(), 200)
        };
        ends.push(end);
    }
    assert_eq!((&ends[0], &ends[1]), (&ends[2], &ends[3]));
    assert_ne!(ends[0], ends[1]);
}

/// A law that only this file knows.
#[derive(Clone)]
struct Crease;

impl FlexBendingModel for Crease {
    fn precompute(&self, rest: &[Vec3; 4], material: &FlexMaterial) -> HingeCoefficients {
        BridsonBending.precompute(rest, material)
    }

    fn gradient(&self, c: &HingeCoefficients, hinge: &HingeState) -> [Vec3; 4] {
        BridsonBending.gradient(c, hinge).map(|g| g * 2.0)
    }

    fn damping(&self, c: &HingeCoefficients, hinge: &HingeState) -> [Vec3; 4] {
        BridsonBending.damping(c, hinge)
    }

    fn energy(&self, c: &HingeCoefficients, position: &[Vec3; 4]) -> f64 {
        2.0 * BridsonBending.energy(c, position)
    }

    fn uses_masses(&self) -> bool {
        true
    }
}

#[derive(Clone)]
struct Gel;

impl StrainEnergy for Gel {
    fn density(&self, f: &Mat3, k: &Lame) -> f64 {
        NeoHookean::default().density(f, k)
    }

    fn stress(&self, f: &Mat3, k: &Lame) -> Mat3 {
        NeoHookean::default().stress(f, k)
    }
}

/// The loops over hinges and elements are compiled for the law: the code of this test has functions of its own for them, without a call through a
/// table.
#[test]
fn no_indirect_call_in_the_loops() {
    let mut sim = SimBuilder::new().bending(Crease).elasticity(Gel).build(model()).unwrap();
    assert!(run(&mut sim, 50).iter().all(|q| q.is_finite()));
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return;
    }
    let exe = std::env::current_exe().unwrap();
    let output = Command::new("objdump").args(["-d", "--no-show-raw-insn"]).arg(exe).output();
    let output = output.expect("objdump of binutils is needed");
    let text = String::from_utf8_lossy(&output.stdout);
    let (mut inside, mut found, mut indirect) = (false, [false; 2], Vec::new());
    for line in text.lines() {
        if line.ends_with(">:") {
            let which = [line.contains("7bend_by"), line.contains("9strain_by")];
            inside = which.contains(&true);
            found = [found[0] || which[0], found[1] || which[1]];
        } else if inside
            && line.contains("call")
            // Through a table: not by an address that the linker or a register has.
            && line.split_once('*').is_some_and(|(_, to)| to.contains("(%r") && !to.contains("(%rip)"))
        {
            indirect.push(line.to_owned());
        }
    }
    assert!(found == [true; 2], "the loops are not there: {found:?}");
    assert!(indirect.is_empty(), "{indirect:?}");
}
