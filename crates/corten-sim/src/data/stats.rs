use corten_math::memory::Grow;

/// Islands with solver statistics of their own; further islands are solved but not recorded.
pub const NISLAND: usize = 20;
/// Iterations recorded per island.
pub const NSOLVER: usize = 200;
/// Kinds of warnings.
pub const NWARNING: usize = 8;
/// Timers.
pub const NTIMER: usize = 15;

/// What one solver iteration did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolverStat {
    /// Cost reduction, scaled.
    pub improvement: f64,
    /// Gradient norm, scaled.
    pub gradient: f64,
    /// Slope at the end of the line search.
    pub lineslope: f64,
    /// Rows that are not satisfied.
    pub nactive: i32,
    /// Rows whose state changed.
    pub nchange: i32,
    /// Line search evaluations.
    pub neval: i32,
    /// Rows that changed the Hessian.
    pub nupdate: i32,
}

/// Statistics of the iterations, island by island. Few islands need more than a few: each has room
/// for little more than it has needed, up to [`NSOLVER`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolverStats {
    islands: Vec<Vec<SolverStat>>,
    /// All in MuJoCo's form, once somebody has asked for that; then the islands are empty.
    full: Vec<SolverStat>,
    /// How often conjugate gradients stopped at the limit of iterations, short of the tolerance,
    /// since the last reset. MuJoCo does not tell.
    pub unconverged: u64,
    /// Whether [`Self::take_message`] has spoken.
    told: bool,
}

impl SolverStats {
    /// Keeps the statistics of an iteration, if MuJoCo has room for it.
    pub(crate) fn record(&mut self, island: usize, iteration: usize, stat: SolverStat) {
        if island >= NISLAND || iteration >= NSOLVER {
            return;
        }
        if let Some(slot) = self.full.get_mut(island * NSOLVER + iteration) {
            *slot = stat;
            return;
        }
        if self.islands.len() <= island {
            self.islands.resize_with(island + 1, Vec::new);
        }
        let stats = &mut self.islands[island];
        if stats.len() <= iteration {
            let room = (iteration + iteration / 4).clamp(8, NSOLVER).max(iteration + 1);
            stats.grow_reserve_exact(room - stats.len());
            stats.resize(room, SolverStat::default());
        }
        stats[iteration] = stat;
    }

    /// What there is to tell about solves that did not converge, once in the life of the data.
    pub fn take_message(&mut self) -> Option<String> {
        if self.unconverged == 0 || std::mem::replace(&mut self.told, true) {
            return None;
        }
        Some(
            "conjugate gradients stopped at the limit of iterations, short of the tolerance; raise \
             iterations or tolerance, or use Newton's method"
                .into(),
        )
    }

    /// What is recorded of an island, past the iterations of the last step too.
    pub fn island(&self, island: usize) -> &[SolverStat] {
        match self.full.get(island * NSOLVER..(island + 1) * NSOLVER) {
            Some(stats) => stats,
            None => self.islands.get(island).map_or(&[], |stats| stats),
        }
    }

    /// All in MuJoCo's form: [`NISLAND`] rows of [`NSOLVER`] iterations. They stay in this form.
    pub fn in_full(&mut self) -> &mut Vec<SolverStat> {
        self.full.resize(NISLAND * NSOLVER, SolverStat::default());
        for (to, from) in self.full.chunks_mut(NSOLVER).zip(self.islands.drain(..)) {
            to[..from.len()].copy_from_slice(&from);
        }
        &mut self.full
    }

    /// Statistics in MuJoCo's form.
    pub fn from_full(mut stats: Vec<SolverStat>) -> SolverStats {
        stats.resize(NISLAND * NSOLVER, SolverStat::default());
        SolverStats { full: stats, ..SolverStats::default() }
    }

    pub(crate) fn clear(&mut self) {
        self.islands.iter_mut().for_each(|stats| stats.fill(SolverStat::default()));
        self.full.fill(SolverStat::default());
        self.unconverged = 0;
    }
}

/// How often a warning was raised, and the object index or other detail of the last time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WarningStat {
    /// Index or other detail of the last time.
    pub lastinfo: i32,
    /// How often.
    pub number: i32,
}

/// Accumulated time and number of calls of one stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimerStat {
    /// Sum of times, in the unit of the clock.
    pub duration: f64,
    /// How often.
    pub number: i32,
}

impl WarningStat {
    /// Counts one more, with its detail.
    pub fn raise(&mut self, info: usize) {
        self.lastinfo = info as i32;
        self.number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn islands_have_room_for_what_they_need() {
        let stat = |gradient| SolverStat { gradient, ..SolverStat::default() };
        let mut stats = SolverStats::default();
        for (island, iteration) in [(0, 0), (2, 3), (1, 40), (2, 4), (2, 199), (0, 1)] {
            stats.record(island, iteration, stat((1000 * island + iteration) as f64 + 1.0));
        }
        stats.record(NISLAND, 0, stat(-1.0));
        stats.record(0, NSOLVER, stat(-1.0));
        assert_eq!(stats.island(2)[4].gradient, 2005.0);
        assert_eq!(stats.island(2)[5], SolverStat::default());
        assert_eq!([0, 1, 2].map(|island| stats.island(island).len()), [8, 50, NSOLVER]);
        assert!(stats.island(3).is_empty());
        let full = stats.in_full();
        assert_eq!(full.len(), NISLAND * NSOLVER);
        let found = full.iter().map(|s| s.gradient).filter(|&g| g != 0.0);
        assert!(found.eq([1.0, 2.0, 1041.0, 2004.0, 2005.0, 2200.0]));
        stats.record(3, 7, stat(5.0));
        assert_eq!((stats.island(3)[7].gradient, stats.island(2)[199].gradient), (5.0, 2200.0));
    }
}
