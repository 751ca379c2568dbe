//! What features may cost and must save, as ratios of instruction counts.
//!
//! `corten-bench costs` counts each side of every claim below and compares; with names, those claims
//! alone. Counts do not depend on the load of the machine, so a claim that fails has been broken.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use corten_model::Assets;
use corten_model::enums::{DisableBit, EnableBit, Integrator, Solver};
use corten_sim::Model;

use crate::instructions::{self, Folder, Work};
use crate::progress;
use crate::regime::{self, Own, Regime};

/// Steps until a scene is at rest, asleep if it may.
const SETTLING: usize = 300;
/// Boxes of the scenes that sleep.
const BOXES: usize = 100;
/// Sleepers between which the cost of one is measured.
const SLEEPERS: [usize; 2] = [100, 10_000];
/// Most instructions of a sleeping body per step.
const PER_SLEEPER: f64 = 60.0;
/// In place of the beginning of a model: nothing falls, and what floats is above the plane.
const FLOATING: &str =
    r#"<mujoco><option gravity="0 0 0"/><default><geom contype="2" conaffinity="1"/></default>"#;
/// Trees of four hinges each.
const TREES: usize = 50;

const HUMANOID: &str = include_str!("../../../scenes/humanoid.xml");
const QUADRUPED: &str = include_str!("../../../scenes/quadruped.xml");
const ARM: &str = include_str!("../../../scenes/arm_gripper.xml");
const STACK: &str = include_str!("../../../scenes/box_stack.xml");
const PILE: &str = include_str!("../../../scenes/mixed_pile.xml");
const MUSCLES: &str = include_str!("../../../scenes/muscle_arm.xml");

/// Scenes of the comparisons of one feature on and off.
const SCENES: [(&str, &str); 6] = [
    ("humanoid", HUMANOID),
    ("quadruped", QUADRUPED),
    ("arm", ARM),
    ("stack", STACK),
    ("pile", PILE),
    ("muscles", MUSCLES),
];

/// A ratio and its bound.
enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

/// One measured ratio of a claim.
struct Finding {
    what: String,
    ratio: f64,
    bound: Bound,
}

impl Finding {
    fn holds(&self) -> bool {
        match self.bound {
            Bound::AtLeast(bound) => self.ratio >= bound,
            Bound::AtMost(bound) => self.ratio <= bound,
        }
    }

    fn text(&self) -> String {
        let (word, bound) = match self.bound {
            Bound::AtLeast(bound) => ("at least", bound),
            Bound::AtMost(bound) => ("at most", bound),
        };
        let verdict = if self.holds() { "holds" } else { "BROKEN" };
        format!("{:64} {:9.3}, {word} {bound}: {verdict}", self.what, self.ratio)
    }
}

/// Name, and what measures it.
type Claim = (&'static str, fn(&Counter) -> anyhow::Result<Vec<Finding>>);

const CLAIMS: [Claim; 10] = [
    ("sleep-saves", sleep_saves),
    ("sleep-overhead", sleep_overhead),
    ("sleeper", sleeper),
    ("mass-matrix", mass_matrix),
    ("factor", factor),
    ("islands-sum", islands_sum),
    ("islands-overhead", islands_overhead),
    ("islands-save", islands_save),
    ("cg-pgs", cg_pgs),
    ("rk4", rk4),
];

/// Measures the claims with the given names, or all of them; the overhead of islands also on these
/// models.
pub fn run(names: &[String], models: Vec<PathBuf>) -> anyhow::Result<ExitCode> {
    if !instructions::available() {
        println!("valgrind is not installed: instructions are not counted");
        return Ok(ExitCode::SUCCESS);
    }
    let known = CLAIMS.map(|(name, _)| name);
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        bail!("no claim '{name}'; there are {}", known.join(", "));
    }
    let counter = Counter { folder: Folder::new()?, models };
    let chosen: Vec<&Claim> = CLAIMS
        .iter()
        .filter(|(name, _)| names.is_empty() || names.iter().any(|n| n == name))
        .collect();
    let bar = progress::bar(chosen.len());
    let mut broken = Vec::new();
    for (name, measure) in chosen {
        bar.set_message(*name);
        for finding in measure(&counter).context(*name)? {
            bar.suspend(|| println!("{name:17} {}", finding.text()));
            if !finding.holds() {
                broken.push(finding.what);
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if !broken.is_empty() {
        bail!("does not hold: {}", broken.join("; "));
    }
    Ok(ExitCode::SUCCESS)
}

/// Instructions per step from some states.
type CountSteps = fn(&Folder, &Model, &[Vec<f64>]) -> anyhow::Result<f64>;

/// Counts instructions of models at rest.
struct Counter {
    folder: Folder,
    /// Whose overhead of islands is measured besides that of our own scenes.
    models: Vec<PathBuf>,
}

impl Counter {
    fn step(&self, m: &Model) -> anyhow::Result<f64> {
        self.work(m, Work::Step)
    }

    fn work(&self, m: &Model, work: Work) -> anyhow::Result<f64> {
        instructions::settled(&self.folder, m, SETTLING, work)
    }

    /// A step with islands and one without, from the same states.
    fn islands(&self, mut m: Model, count: CountSteps) -> anyhow::Result<[f64; 2]> {
        set_islands(&mut m, true);
        let states = regime::states(&m, &mut Own::new(&m), Regime::Settled);
        let on = count(&self.folder, &m, &states)?;
        set_islands(&mut m, false);
        Ok([on, count(&self.folder, &m, &states)?])
    }
}

fn load(text: &str) -> anyhow::Result<Model> {
    Ok(corten_sim::load_model_str(text, &Assets::default())?)
}

/// The model with sleep or without.
fn sleeping(text: &str, enabled: bool) -> anyhow::Result<Model> {
    let mut m = load(text)?;
    let bit = EnableBit::Sleep.raw();
    m.opt.enableflags = if enabled { m.opt.enableflags | bit } else { m.opt.enableflags & !bit };
    Ok(m)
}

fn set_islands(m: &mut Model, enabled: bool) {
    let bit = DisableBit::Island.raw();
    m.opt.disableflags = if enabled { m.opt.disableflags & !bit } else { m.opt.disableflags | bit };
}

/// Boxes at rest on a plane, and a pendulum that never rests.
fn boxes(count: usize, policy: &str) -> String {
    let side = (count as f64).sqrt().ceil() as usize;
    let mut bodies = String::new();
    for i in 0..count {
        let (x, y) = (0.5 * (i % side) as f64, 0.5 * (i / side) as f64);
        bodies += &format!(
            r#"<body pos="{x} {y} .1" sleep="{policy}"><freejoint/><geom type="box" size=".1 .1 .1"/></body>"#
        );
    }
    format!(
        r#"<mujoco><worldbody><geom type="plane" size="20 20 .1"/>{bodies}
           <body pos="-2 0 2" sleep="never"><joint axis="0 1 0"/><geom pos=".5 0 0" size=".1"/></body>
           </worldbody></mujoco>"#
    )
}

/// Trees of four hinges each, without gravity; the first ones may never sleep.
fn trees(awake: usize) -> String {
    let link = r#"<body pos=".2 0 0"><joint axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 .2 0 0"/>"#;
    let mut bodies = String::new();
    for i in 0..TREES {
        let policy = if i < awake { "never" } else { "allowed" };
        let root =
            link.replacen(r#"pos=".2 0 0""#, &format!(r#"pos="0 {i} 0" sleep="{policy}""#), 1);
        bodies += &format!("{root}{}{}", link.repeat(3), "</body>".repeat(4));
    }
    format!(
        r#"<mujoco><option gravity="0 0 0"><flag sleep="enable"/></option>
           <worldbody>{bodies}</worldbody></mujoco>"#
    )
}

/// Towers of boxes of the given heights; if asked for, five boxes in a tray that a spring keeps shaking, so
/// that they slide and their contacts come and go.
fn towers(heights: &[usize], active: bool) -> String {
    let mut bodies = String::new();
    for (i, &height) in heights.iter().enumerate() {
        for k in 0..height {
            let z = 0.1 + 0.2 * k as f64;
            bodies += &format!(
                r#"<body pos="{i} 0 {z}"><freejoint/><geom type="box" size=".1 .1 .1"/></body>"#
            );
        }
    }
    if active {
        let walls: String = [
            (0.02, 0.3, 0.3, 0.0),
            (0.02, 0.3, -0.3, 0.0),
            (0.3, 0.02, 0.0, 0.3),
            (0.3, 0.02, 0.0, -0.3),
        ]
        .map(|(width, depth, x, y)| {
            format!(r#"<geom type="box" size="{width} {depth} .6" pos="{x} {y} .6"/>"#)
        })
        .concat();
        bodies += &format!(
            r#"<body pos="-3 0 .5"><joint type="slide" axis="1 0 0" stiffness="2e6" springref=".03"/>
               <geom type="box" size=".3 .3 .1" mass="2000"/>{walls}</body>"#
        );
        for k in 0..5 {
            let (x, z) = (-3.0 + 0.05 * f64::from(k % 2), 0.75 + 0.22 * f64::from(k));
            bodies += &format!(
                r#"<body pos="{x} 0 {z}"><freejoint/><geom type="box" size=".1 .1 .1"/></body>"#
            );
        }
    }
    format!(
        r#"<mujoco><worldbody><geom type="plane" size="20 20 .1" contype="1" conaffinity="1"/>{bodies}</worldbody></mujoco>"#
    )
}

fn sleep_saves(counter: &Counter) -> anyhow::Result<Vec<Finding>> {
    let scene = boxes(BOXES, "allowed");
    let off = counter.step(&sleeping(&scene, false)?)?;
    let on = counter.step(&sleeping(&scene, true)?)?;
    let what = format!("{BOXES} boxes asleep, one pendulum awake: without sleep / with");
    Ok(vec![Finding { what, ratio: off / on, bound: Bound::AtLeast(3.0) }])
}

fn sleep_overhead(counter: &Counter) -> anyhow::Result<Vec<Finding>> {
    let never = boxes(BOXES, "never");
    let scenes = [("boxes", &never[..]), ("humanoid", HUMANOID), ("quadruped", QUADRUPED)];
    let mut findings = Vec::new();
    for (name, text) in scenes {
        let off = counter.step(&sleeping(text, false)?)?;
        let mut on = sleeping(text, true)?;
        on.tree_sleep_policy.fill(corten_model::enums::SleepPolicy::AutoNever.raw());
        let ratio = counter.step(&on)? / off;
        let what = format!("{name}, all awake: with sleep / without");
        findings.push(Finding { what, ratio, bound: Bound::AtMost(1.02) });
    }
    Ok(findings)
}

fn sleeper(counter: &Counter) -> anyhow::Result<Vec<Finding>> {
    let [few, many] = SLEEPERS;
    // Asleep from the beginning, and without contacts: so many would take long to come to rest.
    let cost = |n: usize| {
        let floating = boxes(n, "init").replacen("<mujoco>", FLOATING, 1);
        instructions::settled(&counter.folder, &sleeping(&floating, true)?, 3, Work::Step)
    };
    let ratio = (cost(many)? - cost(few)?) / (many - few) as f64;
    let what = format!("a sleeping body, from {few} to {many}: instructions per step");
    Ok(vec![Finding { what, ratio, bound: Bound::AtMost(PER_SLEEPER) }])
}

/// What a stage costs with a part of the trees awake, as a share of what it costs with all of them.
fn shares(
    counter: &Counter,
    work: Work,
    name: &str,
    bound: fn(f64) -> f64,
) -> anyhow::Result<Vec<Finding>> {
    let whole = counter.work(&load(&trees(TREES))?, work)?;
    let mut findings = Vec::new();
    for part in [2, 5, 10] {
        let ratio = counter.work(&load(&trees(TREES / part))?, work)? / whole;
        let what = format!("{name} with one of {part} trees awake / all awake");
        findings.push(Finding { what, ratio, bound: Bound::AtMost(bound(1.0 / part as f64)) });
    }
    Ok(findings)
}

fn mass_matrix(counter: &Counter) -> anyhow::Result<Vec<Finding>> {
    shares(counter, Work::MassMatrix, "mass matrix", |share| share + 0.15)
}

fn factor(counter: &Counter) -> anyhow::Result<Vec<Finding>> {
    shares(counter, Work::Factor, "factor", |share| share + 0.15)
}

fn islands_sum(counter: &Counter) -> anyhow::Result<Vec<Finding>> {
    let cost = |heights: &[usize]| counter.step(&load(&towers(heights, false))?);
    let ratio = cost(&[10, 20])? / (cost(&[10])? + cost(&[20])?);
    let what = "towers of 10 and 20 boxes together / one after the other".to_owned();
    Ok(vec![Finding { what, ratio, bound: Bound::AtMost(1.05) }])
}

fn islands_overhead(counter: &Counter) -> anyhow::Result<Vec<Finding>> {
    let own = SCENES.into_iter().map(|(name, text)| Ok((name.to_owned(), load(text)?)));
    let mut findings = overheads(counter, "our scenes", own)?;
    let given = counter.models.iter().map(|file| {
        let model = corten_sim::load_model(file).with_context(|| file.display().to_string());
        model.map(|model| (crate::short(file), model))
    });
    findings.extend(overheads(counter, "the given models", given)?);
    Ok(findings)
}

/// What islands cost on each model, and on all of them.
fn overheads(
    counter: &Counter,
    of: &str,
    models: impl Iterator<Item = anyhow::Result<(String, Model)>>,
) -> anyhow::Result<Vec<Finding>> {
    let (mut findings, mut sums) = (Vec::new(), [0.0; 2]);
    for model in models {
        let (name, model) = model?;
        let [on, off] = counter.islands(model, instructions::own).with_context(|| name.clone())?;
        sums = [sums[0] + on, sums[1] + off];
        let what = format!("{name}: with islands / without");
        findings.push(Finding { what, ratio: on / off, bound: Bound::AtMost(1.05) });
    }
    if !findings.is_empty() {
        let what = format!("{of}, sum: with islands / without");
        findings.push(Finding { what, ratio: sums[0] / sums[1], bound: Bound::AtMost(1.02) });
    }
    Ok(findings)
}

fn islands_save(counter: &Counter) -> anyhow::Result<Vec<Finding>> {
    let scenes = [
        ("ten equal towers", towers(&[10; 10], false), 1.0),
        ("ten resting stacks and one active", towers(&[10; 10], true), 1.2),
    ];
    let mut findings = Vec::new();
    for (name, text, bound) in scenes {
        // How often the active group iterates differs from step to step, and so does whether it has new contacts.
        let [on, off] = counter.islands(load(&text)?, instructions::own_from_all)?;
        let what = format!("{name}: without islands / with");
        findings.push(Finding { what, ratio: off / on, bound: Bound::AtLeast(bound) });
    }
    Ok(findings)
}

fn cg_pgs(counter: &Counter) -> anyhow::Result<Vec<Finding>> {
    let cost = |solver: Solver| {
        let mut m = load(&towers(&[5; 5], false))?;
        m.opt.solver = solver;
        counter.step(&m)
    };
    let ratio = cost(Solver::Pgs)? / cost(Solver::Cg)?;
    let what = "a hundred contacts in towers: PGS / CG".to_owned();
    Ok(vec![Finding { what, ratio, bound: Bound::AtLeast(1.0) }])
}

fn rk4(counter: &Counter) -> anyhow::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for (name, text) in [("humanoid", HUMANOID), ("quadruped", QUADRUPED)] {
        let cost = |integrator: Integrator| {
            let mut m = load(text)?;
            m.opt.integrator = integrator;
            counter.step(&m)
        };
        let ratio = cost(Integrator::Rk4)? / cost(Integrator::Euler)?;
        let what = format!("{name}: Runge-Kutta / Euler");
        findings.push(Finding { what, ratio, bound: Bound::AtMost(4.2) });
    }
    Ok(findings)
}
