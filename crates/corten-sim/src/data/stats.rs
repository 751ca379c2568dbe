/// Islands with solver statistics of their own; further islands are solved but not recorded.
pub const NISLAND: usize = 20;
/// Iterations recorded per island.
pub const NSOLVER: usize = 200;
pub const NWARNING: usize = 8;
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
    pub nactive: i32,
    pub nchange: i32,
    /// Line search evaluations.
    pub neval: i32,
    pub nupdate: i32,
}

/// Statistics of the iterations, island by island. Islands rarely need more than a few: rows grow
/// with the longest of them, up to [`NSOLVER`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolverStats {
    /// Iterations for which each island has room.
    stride: usize,
    stats: Vec<SolverStat>,
}

impl SolverStats {
    /// Keeps the statistics of an iteration, if MuJoCo has room for it.
    pub(crate) fn record(&mut self, island: usize, iteration: usize, stat: SolverStat) {
        if island >= NISLAND || iteration >= NSOLVER {
            return;
        }
        if iteration >= self.stride {
            self.widen((2 * iteration).clamp(8, NSOLVER));
        }
        let slot = island * self.stride + iteration;
        if self.stats.len() <= slot {
            let rows = (island + 1) * self.stride;
            self.stats.reserve_exact(rows - self.stats.len());
            self.stats.resize(rows, SolverStat::default());
        }
        self.stats[slot] = stat;
    }

    /// Gives every island room for so many iterations.
    fn widen(&mut self, stride: usize) {
        let islands = self.stats.len().checked_div(self.stride).unwrap_or(0);
        let mut wider = vec![SolverStat::default(); islands * stride];
        let old = self.stats.chunks(self.stride.max(1));
        for (to, from) in wider.chunks_mut(stride.max(1)).zip(old) {
            to[..from.len()].copy_from_slice(from);
        }
        (self.stride, self.stats) = (stride, wider);
    }

    /// What is recorded of an island, past the iterations of the last step too.
    pub fn island(&self, island: usize) -> &[SolverStat] {
        let rows = island * self.stride..(island + 1) * self.stride;
        self.stats.get(rows).unwrap_or_default()
    }

    /// All in MuJoCo's form: [`NISLAND`] rows of [`NSOLVER`] iterations. They stay in this form.
    pub fn in_full(&mut self) -> &mut Vec<SolverStat> {
        if self.stride != NSOLVER {
            self.widen(NSOLVER);
        }
        if self.stats.len() != NISLAND * NSOLVER {
            self.stats.resize(NISLAND * NSOLVER, SolverStat::default());
        }
        &mut self.stats
    }

    /// Statistics in MuJoCo's form.
    pub fn from_full(mut stats: Vec<SolverStat>) -> SolverStats {
        stats.resize(NISLAND * NSOLVER, SolverStat::default());
        SolverStats { stride: NSOLVER, stats }
    }

    pub(crate) fn clear(&mut self) {
        self.stats.fill(SolverStat::default());
    }
}

/// How often a warning was raised, and the object index or other detail of the last time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WarningStat {
    pub lastinfo: i32,
    pub number: i32,
}

/// Accumulated time and number of calls of one stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimerStat {
    pub duration: f64,
    pub number: i32,
}

impl WarningStat {
    pub fn raise(&mut self, info: usize) {
        self.lastinfo = info as i32;
        self.number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_grow_with_the_longest() {
        let stat = |gradient| SolverStat { gradient, ..SolverStat::default() };
        let mut stats = SolverStats::default();
        for (island, iteration) in [(0, 0), (2, 3), (1, 40), (2, 4), (2, 199), (0, 1)] {
            stats.record(island, iteration, stat((1000 * island + iteration) as f64 + 1.0));
        }
        stats.record(NISLAND, 0, stat(-1.0));
        stats.record(0, NSOLVER, stat(-1.0));
        assert_eq!(stats.island(2)[4].gradient, 2005.0);
        assert_eq!(stats.island(2)[5], SolverStat::default());
        assert!(stats.island(3).is_empty());
        let full = stats.in_full();
        assert_eq!(full.len(), NISLAND * NSOLVER);
        let found = full.iter().map(|s| s.gradient).filter(|&g| g != 0.0);
        assert!(found.eq([1.0, 2.0, 1041.0, 2004.0, 2005.0, 2200.0]));
    }
}
