//! Actuators: the shortcuts reduce to gain, bias and dynamics parameters.
//!
//! Answers to `mjs_setTo*` and `mjXReader::OneActuator`.

use super::Reader;
use super::value::{apply, apply_except, present, read, text};
use crate::diagnostic::Diagnostic;
use crate::enums::{Bias, Dynamics, Gain, Limited, Transmission};
use crate::mjcf::forest::Elem;
use crate::spec::Actuator;

/// Attributes of the general form, which shortcuts do not have.
const GENERAL_ONLY: &[&str] = &["dyntype", "gaintype", "biastype", "dynprm", "gainprm", "biasprm"];

impl Reader<'_> {
    pub(super) fn actuator(&mut self, section: Elem<'_>) {
        for elem in section.children() {
            let class = self.class_of(elem);
            let mut actuator = self.spec.defaults[class].actuator.clone();
            (actuator.class, actuator.source) = (Some(class), elem.source());
            self.one_actuator(elem, &mut actuator);
            self.spec.actuators.insert(actuator);
        }
    }

    pub(super) fn one_actuator(&mut self, elem: Elem<'_>, actuator: &mut Actuator) {
        self.transmission(elem, actuator);
        let shortcut: fn(&mut Self, Elem<'_>, &mut Actuator) -> Result<(), &'static str> =
            match elem.name() {
                "general" => {
                    apply(&mut self.diags, elem, actuator);
                    let custom = elem.attr("gaintype").is_some_and(|attr| attr.value() == "custom");
                    if custom && actuator.gain_model.is_empty() {
                        let item = Diagnostic::error("the gain type 'custom' needs a model");
                        self.report(elem, item.hint("name it in 'cortenforge:gain_model'"));
                    }
                    return;
                }
                "plugin" => {
                    apply(&mut self.diags, elem, actuator);
                    actuator.plugin = self.plugin_use(elem);
                    return;
                }
                "motor" => Self::motor,
                "position" => Self::servo,
                "intvelocity" => Self::intvelocity,
                "velocity" => Self::velocity,
                "damper" => Self::damper,
                "cylinder" => Self::cylinder,
                "muscle" => Self::muscle,
                "adhesion" => Self::adhesion,
                _ => return,
            };
        apply_except(&mut self.diags, elem, actuator, GENERAL_ONLY);
        if let Err(message) = shortcut(self, elem, actuator) {
            self.error(elem, message);
        }
    }

    fn transmission(&mut self, elem: Elem<'_>, actuator: &mut Actuator) {
        let mut given = 0;
        for (kind, named) in Transmission::targets() {
            if let Some(target) = text(elem, named.attribute) {
                given += 1;
                actuator.target = target;
                actuator.trntype = kind;
            }
        }
        if given > 1 {
            let names: Vec<&str> = Transmission::targets().map(|(_, t)| t.attribute).collect();
            let item = Diagnostic::error("more than one transmission target");
            self.report(elem, item.expected(format!("at most one of {}", names.join(", "))));
        }
        let kind = actuator.trntype;
        let undecided = kind == Transmission::Undefined;
        let crank = present(elem, "cranklength") || elem.attr("slidersite").is_some();
        if crank && kind != Transmission::SliderCrank && !undecided {
            let message = "'cranklength' and 'slidersite' belong to a slider-crank transmission";
            self.report(elem, Diagnostic::error(message).hint("give 'cranksite' as the target"));
        }
        if elem.attr("refsite").is_some() && kind != Transmission::Site && !undecided {
            let message = "'refsite' belongs to a site transmission";
            self.report(elem, Diagnostic::error(message).hint("give 'site' as the target"));
        }
    }

    /// A number that the author may have given.
    fn number(&mut self, elem: Elem<'_>, name: &str) -> Option<f64> {
        let mut value = 0.0;
        read(&mut self.diags, elem, name, &mut value).then_some(value)
    }

    fn motor(&mut self, _: Elem<'_>, actuator: &mut Actuator) -> Result<(), &'static str> {
        actuator.gainprm[0] = 1.0;
        actuator.dyntype = Dynamics::None;
        actuator.gaintype = Gain::Fixed;
        actuator.biastype = Bias::None;
        Ok(())
    }

    fn intvelocity(&mut self, elem: Elem<'_>, actuator: &mut Actuator) -> Result<(), &'static str> {
        // MuJoCo passes over what is wrong here, and leaves the rest as it was.
        if let Err(what) = self.servo(elem, actuator) {
            self.report(elem, Diagnostic::warning(what));
        }
        actuator.dyntype = Dynamics::Integrator;
        actuator.actlimited = Limited::True;
        if actuator.inheritrange > 0.0 && actuator.actrange != [0.0; 2] {
            return Err("'actrange' and 'inheritrange' cannot both be given");
        }
        Ok(())
    }

    /// Force `kp·(ctrl − length) − kv·velocity`; a damping ratio is kept with the opposite sign
    /// of a damping coefficient.
    fn servo(&mut self, elem: Elem<'_>, actuator: &mut Actuator) -> Result<(), &'static str> {
        let kp = self.number(elem, "kp").unwrap_or(actuator.gainprm[0]);
        let kv = self.number(elem, "kv");
        let dampratio = self.number(elem, "dampratio");
        let timeconst = self.number(elem, "timeconst");
        if let Some(inheritrange) = self.number(elem, "inheritrange") {
            actuator.inheritrange = inheritrange;
        }
        actuator.gainprm[0] = kp;
        actuator.biasprm[1] = -kp;
        if kv.is_some() && dampratio.is_some() {
            return Err("'kv' and 'dampratio' cannot both be given");
        }
        if let Some(kv) = kv {
            if kv < 0.0 {
                return Err("'kv' cannot be negative");
            }
            actuator.biasprm[2] = -kv;
        }
        if let Some(dampratio) = dampratio {
            if dampratio < 0.0 {
                return Err("'dampratio' cannot be negative");
            }
            actuator.biasprm[2] = dampratio;
        }
        if let Some(timeconst) = timeconst {
            if timeconst < 0.0 {
                return Err("'timeconst' cannot be negative");
            }
            actuator.dynprm[0] = timeconst;
            actuator.dyntype =
                if timeconst == 0.0 { Dynamics::None } else { Dynamics::FilterExact };
        }
        if actuator.inheritrange > 0.0 && actuator.ctrlrange != [0.0; 2] {
            return Err("'ctrlrange' and 'inheritrange' cannot both be given");
        }
        actuator.gaintype = Gain::Fixed;
        actuator.biastype = Bias::Affine;
        Ok(())
    }

    /// Force `kv·(ctrl − velocity)`.
    fn velocity(&mut self, elem: Elem<'_>, actuator: &mut Actuator) -> Result<(), &'static str> {
        let kv = self.number(elem, "kv").unwrap_or(actuator.gainprm[0]);
        actuator.biasprm = [0.0; crate::spec::NPRM];
        actuator.gainprm[0] = kv;
        actuator.biasprm[2] = -kv;
        actuator.dyntype = Dynamics::None;
        actuator.gaintype = Gain::Fixed;
        actuator.biastype = Bias::Affine;
        Ok(())
    }

    /// Force `−kv·velocity·ctrl`.
    fn damper(&mut self, elem: Elem<'_>, actuator: &mut Actuator) -> Result<(), &'static str> {
        let kv = self.number(elem, "kv").unwrap_or(0.0);
        actuator.gainprm = [0.0; crate::spec::NPRM];
        actuator.gainprm[2] = -kv;
        actuator.ctrllimited = Limited::True;
        actuator.dyntype = Dynamics::None;
        actuator.gaintype = Gain::Affine;
        actuator.biastype = Bias::None;
        if kv < 0.0 {
            return Err("'kv' cannot be negative");
        }
        if actuator.ctrlrange.iter().any(|&limit| limit < 0.0) {
            return Err("'ctrlrange' of a damper cannot be negative");
        }
        Ok(())
    }

    fn cylinder(&mut self, elem: Elem<'_>, actuator: &mut Actuator) -> Result<(), &'static str> {
        if let Some(timeconst) = self.number(elem, "timeconst") {
            actuator.dynprm[0] = timeconst;
        }
        let mut bias = [0.0; 3];
        if read(&mut self.diags, elem, "bias", &mut bias) {
            // MuJoCo keeps the constant term alone.
            actuator.biasprm[0] = bias[0];
        }
        if let Some(area) = self.number(elem, "area") {
            actuator.gainprm[0] = area;
        }
        if let Some(diameter) = self.number(elem, "diameter").filter(|&d| d >= 0.0) {
            actuator.gainprm[0] = std::f64::consts::PI / 4.0 * diameter * diameter;
        }
        actuator.dyntype = Dynamics::Filter;
        actuator.gaintype = Gain::Fixed;
        actuator.biastype = Bias::Affine;
        Ok(())
    }

    /// Parameters that still have the value of a general actuator take that of a muscle.
    fn muscle(&mut self, elem: Elem<'_>, actuator: &mut Actuator) -> Result<(), &'static str> {
        /// Value of a general actuator, and of a muscle, for the first gain parameters: range
        /// (2), force, scale, lmin, lmax, vmax, fpmax, fvmax.
        const GAIN: [(f64, f64); 9] = [
            (1.0, 0.75),
            (0.0, 1.05),
            (0.0, -1.0),
            (0.0, 200.0),
            (0.0, 0.5),
            (0.0, 1.6),
            (0.0, 1.5),
            (0.0, 1.3),
            (0.0, 1.2),
        ];
        /// Likewise for activation and deactivation time.
        const DYNAMICS: [(f64, f64); 2] = [(1.0, 0.01), (0.0, 0.04)];
        let settle = |value: &mut f64, (general, muscle): (f64, f64)| {
            if *value == general {
                *value = muscle;
            }
        };
        actuator.gainprm.iter_mut().zip(GAIN).for_each(|(value, pair)| settle(value, pair));
        actuator.dynprm.iter_mut().zip(DYNAMICS).for_each(|(value, pair)| settle(value, pair));

        let given = |value: f64| (value >= 0.0).then_some(value);
        let mut pair = [0.0; 2];
        if read(&mut self.diags, elem, "timeconst", &mut pair) {
            for (slot, value) in actuator.dynprm.iter_mut().zip(pair) {
                *slot = given(value).unwrap_or(*slot);
            }
        }
        if let Some(tausmooth) = self.number(elem, "tausmooth") {
            actuator.dynprm[2] = tausmooth;
        }
        if actuator.dynprm[2] < 0.0 {
            return Err("'tausmooth' cannot be negative");
        }
        if read(&mut self.diags, elem, "range", &mut pair) {
            for (slot, value) in actuator.gainprm.iter_mut().zip(pair) {
                *slot = given(value).unwrap_or(*slot);
            }
        }
        let scalars = ["force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"];
        for (i, name) in scalars.into_iter().enumerate() {
            if let Some(value) = self.number(elem, name).and_then(given) {
                actuator.gainprm[2 + i] = value;
            }
        }
        let (gain, bias) = (&actuator.gainprm, &mut actuator.biasprm);
        bias[..GAIN.len()].copy_from_slice(&gain[..GAIN.len()]);
        actuator.dyntype = Dynamics::Muscle;
        actuator.gaintype = Gain::Muscle;
        actuator.biastype = Bias::Muscle;
        Ok(())
    }

    fn adhesion(&mut self, elem: Elem<'_>, actuator: &mut Actuator) -> Result<(), &'static str> {
        if let Some(gain) = self.number(elem, "gain") {
            actuator.gainprm[0] = gain;
        }
        actuator.ctrllimited = Limited::True;
        actuator.gaintype = Gain::Fixed;
        actuator.biastype = Bias::None;
        if actuator.gainprm[0] < 0.0 {
            return Err("'gain' cannot be negative");
        }
        if actuator.ctrlrange.iter().any(|&limit| limit < 0.0) {
            return Err("'ctrlrange' of an adhesion actuator cannot be negative");
        }
        Ok(())
    }
}
