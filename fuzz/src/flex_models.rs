//! Random models with deformables: bytes are choices, so that every input is a model that makes sense,
//! or one that is refused for a reason.

use std::fmt::Write;

use corten_model::{Assets, Spec};
use corten_sim::{Data, Model, StepError};

/// Steps of each model.
const STEPS: usize = 4;
/// Degrees of freedom up to which a model is stepped.
const MAX_DOFS: usize = 1500;

/// Bytes, read as choices; what comes after the last follows from all before.
pub struct Choices<'a> {
    bytes: std::slice::Iter<'a, u8>,
    state: u64,
}

impl<'a> Choices<'a> {
    pub fn new(bytes: &'a [u8]) -> Choices<'a> {
        Choices { bytes: bytes.iter(), state: 0x9e37_79b9_7f4a_7c15 }
    }

    fn byte(&mut self) -> u8 {
        let given = self.bytes.next().copied();
        self.state =
            (self.state ^ u64::from(given.unwrap_or(0x5d))).wrapping_mul(0x0000_0100_0000_01b3);
        self.state ^= self.state >> 29;
        given.unwrap_or((self.state >> 40) as u8)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn word(&mut self, words: &[&'static str]) -> &'static str {
        words[self.below(words.len())]
    }

    /// From 0 to 1.
    fn share(&mut self) -> f64 {
        f64::from(self.byte()) / 255.0
    }

    /// Between two powers of ten.
    fn magnitude(&mut self, low: i32, high: i32) -> f64 {
        10f64.powf(f64::from(low) + self.share() * f64::from(high - low))
    }
}

/// The text of a model.
pub fn text(c: &mut Choices<'_>) -> String {
    let mut out = String::from("<mujoco>");
    option(c, &mut out);
    out.push_str("<worldbody>");
    geoms(c, &mut out);
    for k in 0..1 + c.below(2) {
        let moving = c.one_in(3);
        if moving {
            let joint =
                c.word(&["<freejoint/>", "<joint type='ball'/>", "<joint axis='0 1 0'/>", ""]);
            let _ =
                write!(out, "<body pos='0 0 {:.2}'>{joint}<geom size='.03' mass='.3'/>", c.share());
        }
        flexcomp(c, k, &mut out);
        if moving {
            out.push_str("</body>");
        }
    }
    out.push_str("</worldbody></mujoco>");
    out
}

fn option(c: &mut Choices<'_>, out: &mut String) {
    let (solver, cone) = (c.word(&["Newton", "CG", "PGS"]), c.word(&["pyramidal", "elliptic"]));
    let jacobian = c.word(&["auto", "dense", "sparse"]);
    let integrator = c.word(&["Euler", "RK4", "implicit", "implicitfast"]);
    let flex = c.word(&["mujoco", "textbook", "implicit", "textbook implicit"]);
    let timestep = c.magnitude(-4, -1);
    let wind = if c.one_in(4) { "density='1.2' viscosity='1e-4' wind='1 2 0'" } else { "" };
    let flag = c.word(&["", "", "spring", "damper", "contact", "midphase", "equality", "island"]);
    let flag = if flag.is_empty() { String::new() } else { format!("<flag {flag}='disable'/>") };
    let _ = write!(
        out,
        "<option solver='{solver}' cone='{cone}' jacobian='{jacobian}' integrator='{integrator}' \
         timestep='{timestep:e}' iterations='{}' noslip_iterations='{}' cortenforge:flex='{flex}' {wind}>\
         {flag}</option>",
        1 + c.below(20),
        c.below(8) / 6,
    );
}

fn geoms(c: &mut Choices<'_>, out: &mut String) {
    for _ in 0..c.below(4) {
        let shape = c.word(&[
            "type='plane' size='2 2 .1'",
            "type='sphere' size='.1'",
            "type='box' size='.1 .1 .05'",
            "type='capsule' size='.05 .1'",
            "type='cylinder' size='.05 .1'",
            "type='ellipsoid' size='.1 .05 .08'",
        ]);
        let place = format!("pos='{:.2} 0 {:.2}'", c.share() * 0.3, c.share() * 0.3);
        if c.one_in(2) || shape.contains("plane") {
            let _ = write!(out, "<geom {shape} {place}/>");
        } else {
            let _ = write!(out, "<body {place}><freejoint/><geom {shape} mass='.2'/></body>");
        }
    }
}

fn flexcomp(c: &mut Choices<'_>, number: usize, out: &mut String) {
    let dim = 1 + c.below(3);
    let shape = match dim {
        1 => c.word(&["grid", "circle", "direct"]),
        2 => c.word(&["grid", "square", "disc", "direct"]),
        _ => c.word(&["grid", "box", "cylinder", "ellipsoid", "direct"]),
    };
    let dof = if c.one_in(3) { c.word(&["radial", "trilinear", "quadratic"]) } else { "full" };
    let interpolated = dof == "trilinear" || dof == "quadratic";
    let count = |c: &mut Choices<'_>| 2 + c.below(if interpolated { 6 } else { 5 });
    let counts = [count(c), if dim > 1 { count(c) } else { 1 }, if dim > 2 { count(c) } else { 1 }];
    let radius = if c.one_in(8) { 0.0 } else { 0.002 + 0.02 * c.share() };
    let mass = c.magnitude(-3, 1);
    let _ = write!(
        out,
        "<flexcomp name='f{number}' type='{shape}' dim='{dim}' dof='{dof}' count='{} {} {}' \
         spacing='.06 .05 .07' pos='0 0 {:.2}' radius='{radius:.4}' mass='{mass:e}' rigid='{}' \
         euler='{} 0 {}'",
        counts[0],
        counts[1],
        counts[2],
        0.4 * c.share(),
        c.one_in(16),
        c.below(90),
        c.below(90),
    );
    if shape == "direct" {
        direct(c, dim, out);
    }
    out.push('>');
    pins(c, out);
    edge(c, dim, interpolated, out);
    elasticity(c, dim, out);
    contact(c, interpolated, out);
    out.push_str("</flexcomp>");
}

/// Points that may coincide or lie in a line or a plane, and elements that may be turned inside out.
fn direct(c: &mut Choices<'_>, dim: usize, out: &mut String) {
    let points = dim + 2 + c.below(6);
    out.push_str(" point='");
    for _ in 0..points {
        for axis in 0..3 {
            let flat = axis == 2 && dim == 2;
            let x = if flat { 0.0 } else { c.below(4) as f64 * 0.07 };
            let _ = write!(out, "{x:.2} ");
        }
    }
    out.push_str("' element='");
    for k in 0..points - dim {
        let mut corners: Vec<usize> = (k..=k + dim).collect();
        if c.one_in(2) {
            corners.swap(0, 1);
        }
        for corner in corners {
            let _ = write!(out, "{corner} ");
        }
    }
    out.push('\'');
}

fn pins(c: &mut Choices<'_>, out: &mut String) {
    match c.below(6) {
        0 => {
            let _ = write!(out, "<pin id='{}'/>", c.below(4));
        }
        1 => {
            let _ = write!(out, "<pin range='0 {}'/>", c.below(9));
        }
        2 if c.one_in(3) => out.push_str("<pin range='0 400'/>"),
        _ => {}
    }
}

fn edge(c: &mut Choices<'_>, dim: usize, interpolated: bool, out: &mut String) {
    let equality = !interpolated && c.one_in(2);
    let stiffness = if dim == 1 && c.one_in(2) {
        format!("stiffness='{:e}'", c.magnitude(-1, 6))
    } else {
        String::new()
    };
    let damping = if c.one_in(2) { c.magnitude(-3, 1) } else { 0.0 };
    let _ = write!(out, "<edge equality='{equality}' {stiffness} damping='{damping:e}'/>");
}

fn elasticity(c: &mut Choices<'_>, dim: usize, out: &mut String) {
    if dim == 1 || c.one_in(3) {
        return;
    }
    let (young, poisson) = (c.magnitude(1, 13), 0.45 * c.share());
    let damping = if c.one_in(2) { c.magnitude(-4, 0) } else { 0.0 };
    let shell = if dim == 2 {
        let kind = c.word(&["none", "bend", "stretch", "both"]);
        format!("thickness='{:e}' elastic2d='{kind}'", c.magnitude(-4, -1))
    } else {
        String::new()
    };
    let _ = write!(
        out,
        "<elasticity young='{young:e}' poisson='{poisson:.3}' damping='{damping:e}' {shell}/>"
    );
}

fn contact(c: &mut Choices<'_>, interpolated: bool, out: &mut String) {
    let own = if interpolated { "none" } else { c.word(&["none", "narrow", "bvh", "sap", "auto"]) };
    let _ = write!(
        out,
        "<contact selfcollide='{own}' internal='{}' condim='{}' margin='{:.3}' gap='{:.3}' solmix='{:.2}' \
         priority='{}' activelayers='{}' passive='{}' vertcollide='{}'/>",
        !interpolated && c.one_in(3),
        [1, 3, 4, 6][c.below(4)],
        0.01 * c.share(),
        0.005 * c.share(),
        c.share(),
        c.below(2),
        1 + c.below(2),
        c.one_in(4),
        c.one_in(4),
    );
}

/// Makes a model of the choices, moves and disturbs it.
pub fn flex(bytes: &[u8]) {
    let c = &mut Choices::new(bytes);
    let text = text(c);
    let assets = Assets::memory_only();
    let spec = match Spec::from_xml_str(&text, &assets) {
        Ok(spec) => spec,
        Err(errors) => return assert!(errors.has_errors(), "refused without an error:\n{text}"),
    };
    match corten_sim::compile_spec(&spec, &assets) {
        Ok(model) if model.nv <= MAX_DOFS => {
            let saved = spec.to_xml().unwrap_or_else(|e| panic!("cannot be saved: {e}\n{text}"));
            if let Err(errors) = Spec::from_xml_str(&saved, &assets) {
                panic!("saved text is refused:\n{errors}\n{saved}");
            }
            disturb(c, &model, &text);
        }
        Ok(_) => {}
        Err(errors) => assert!(errors.has_errors(), "refused without an error:\n{text}"),
    }
}

/// Steps from positions that may be far off, coincide, or be no numbers.
fn disturb(c: &mut Choices<'_>, model: &Model, text: &str) {
    let mut data = Data::new(model);
    let kind = c.below(6);
    for k in 0..model.nq {
        match kind {
            0 => {}
            1 => data.qpos[k] += 0.02 * (c.share() - 0.5),
            2 => data.qpos[k] += 0.5 * (c.share() - 0.5),
            3 => data.qpos[k] = 0.0,
            4 if c.one_in(50) => data.qpos[k] = f64::NAN,
            5 if c.one_in(50) => data.qpos[k] = 1e9,
            _ => {}
        }
    }
    for v in &mut data.qvel {
        *v = c.share() - 0.5;
    }
    for _ in 0..STEPS {
        let was_good = data.qpos.iter().chain(&data.qvel).all(|x| x.is_finite());
        match corten_sim::step(model, &mut data) {
            Ok(()) => assert!(was_good, "bad numbers without an error:\n{text}"),
            Err(error @ StepError::FlexBlowUp { flex, element, .. }) => {
                assert!(flex < model.nflex && element < model.nflexelem, "{error}\n{text}");
            }
            // All others are typed results too.
            Err(_) => {}
        }
    }
}
