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
