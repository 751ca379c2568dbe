//! States from which engines are timed, saved along a trajectory.

use corten_model::enums::StateBit;
use corten_sim::{Data, Model, state};

use crate::reference::ReferenceData;

/// Whatever a step depends on.
pub const ALL: i32 = StateBit::Integration.raw();
/// Steps replayed from each saved state.
pub const BURST: usize = 20;
/// Saved states per regime.
pub const STATES: usize = 5;
/// Steps after which a scene counts as settled.
const SETTLING: usize = 500;
/// Share of the control range of the noise in the active regime.
pub const CONTROL_NOISE: f64 = 0.3;
/// Share of the control range at which controls stay in the settled regime.
const CONTROL_REST: f64 = 0.1;

/// What a scene does while it is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Regime {
    /// From the first keyframe or the reference pose.
    Falling,
    /// After a second or so with constant controls.
    Settled,
    /// With control noise of 0.3 of the range, new every 20 steps.
    Active,
}

impl Regime {
    pub const ALL: [Regime; 3] = [Regime::Falling, Regime::Settled, Regime::Active];

    pub fn name(self) -> &'static str {
        match self {
            Regime::Falling => "falling",
            Regime::Settled => "settled",
            Regime::Active => "active",
        }
    }
}

/// A simulation along which states are saved.
pub trait Engine {
    fn start(&mut self);
    fn set_controls(&mut self, controls: &[f64]);
    fn advance(&mut self, steps: usize);
    fn save(&self) -> Vec<f64>;
    fn restore(&mut self, state: &[f64]);
}

/// Our own engine.
pub struct Own<'m> {
    pub model: &'m Model,
    pub data: Data,
}

impl<'m> Own<'m> {
    pub fn new(model: &'m Model) -> Own<'m> {
        Own { model, data: Data::new(model) }
    }
}

impl Engine for Own<'_> {
    fn start(&mut self) {
        if let Err(error) = self.data.reset_to_keyframe(self.model, 0) {
            unreachable!("the data is of this model: {error}");
        }
    }

    fn set_controls(&mut self, controls: &[f64]) {
        self.data.ctrl.copy_from_slice(controls);
    }

    fn advance(&mut self, steps: usize) {
        for _ in 0..steps {
            // A bad state shows in the deviation from the reference; here only time counts.
            let _ = corten_sim::step(self.model, &mut self.data);
        }
    }

    fn save(&self) -> Vec<f64> {
        let mut values = vec![0.0; state::size(self.model, ALL as u32).unwrap_or(0)];
        let _ = state::get(self.model, &self.data, &mut values, ALL as u32);
        values
    }

    fn restore(&mut self, values: &[f64]) {
        if let Err(error) = state::set(self.model, &mut self.data, values, ALL as u32) {
            unreachable!("states have the model's size: {error}");
        }
    }
}

impl Engine for ReferenceData<'_> {
    fn start(&mut self) {
        self.reset_to_keyframe(0);
    }

    fn set_controls(&mut self, controls: &[f64]) {
        self.set_state(controls, StateBit::Ctrl.raw());
    }

    fn advance(&mut self, steps: usize) {
        self.step(steps);
    }

    fn save(&self) -> Vec<f64> {
        self.state(ALL)
    }

    fn restore(&mut self, values: &[f64]) {
        self.set_state(values, ALL);
    }
}

/// States along a trajectory.
pub fn states(m: &Model, engine: &mut dyn Engine, regime: Regime) -> Vec<Vec<f64>> {
    let mut noise = Noise(0x9E37_79B9_7F4A_7C15);
    engine.start();
    match regime {
        Regime::Falling => {}
        Regime::Settled => {
            engine.set_controls(&controls(m, &mut noise, CONTROL_REST));
            engine.advance(SETTLING);
        }
        Regime::Active => {
            for _ in 0..SETTLING / BURST {
                engine.set_controls(&controls(m, &mut noise, CONTROL_NOISE));
                engine.advance(BURST);
            }
        }
    }
    (0..STATES)
        .map(|_| {
            if regime == Regime::Active {
                engine.set_controls(&controls(m, &mut noise, CONTROL_NOISE));
            }
            let state = engine.save();
            engine.advance(BURST);
            state
        })
        .collect()
}

/// Controls around the middle of their range, off by up to a share of it.
pub fn controls(m: &Model, noise: &mut Noise, share: f64) -> Vec<f64> {
    (0..m.nu)
        .map(|i| {
            let limited = m.actuator_ctrllimited[i] != 0;
            let [low, high] = if limited { m.actuator_ctrlrange[i] } else { [-1.0, 1.0] };
            0.5 * (low + high) + share * 0.5 * (high - low) * noise.uniform()
        })
        .collect()
}

/// Small deterministic generator (xorshift), so that every run replays the same controls.
pub struct Noise(pub u64);

impl Noise {
    /// Uniform in [−1, 1).
    pub fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
