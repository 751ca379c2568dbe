//! How constraints are solved, and how contacts yield.
//!
//! A [`ContactSolver`] takes the rows of a step and fills `qacc`, `efc_force`, `efc_state` and `qfrc_constraint`. The model's options choose
//! between [`LcpSolver`] (MuJoCo's Newton, conjugate gradients and projected Gauss-Seidel) and [`XpbdSolver`] at every step
//! ([`ContactSolverType`]). A solver of the user's own works on a [`ContactProblem`].

use corten_model::enums::Solver;

use super::Outcome;
use crate::solve::rows::{Jacobian, Kind};
use crate::{Data, Model, solve};

/// Solves for accelerations under the constraints of a step.
pub trait ContactSolver: Send + Sync {
    /// Called once rows, reference accelerations and `qacc_smooth` are there, also where there are no rows.
    fn solve(&self, m: &Model, d: &mut Data) -> Outcome;

    /// Makes the options of a model choose this solver, if they can; whether they do.
    fn choose(&self, m: &mut Model) -> bool {
        let _ = m;
        false
    }
}

/// Which solver a model asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactSolverType {
    /// MuJoCo's convex problem, by one of its methods.
    Lcp(Solver),
    /// Extended position-based dynamics.
    Xpbd,
}

impl Default for ContactSolverType {
    fn default() -> ContactSolverType {
        ContactSolverType::Lcp(Solver::Newton)
    }
}

impl ContactSolverType {
    /// What a model's options say.
    pub fn of(m: &Model) -> ContactSolverType {
        match m.opt.solver {
            Solver::Xpbd => ContactSolverType::Xpbd,
            solver => ContactSolverType::Lcp(solver),
        }
    }

    /// Sets a model's option; data may be in the middle of a simulation.
    pub fn set(self, m: &mut Model) {
        m.opt.solver = match self {
            ContactSolverType::Lcp(solver) => solver,
            ContactSolverType::Xpbd => Solver::Xpbd,
        };
    }
}

/// The solver of the model's options: MuJoCo's convex problem by Newton's method, conjugate gradients or projected Gauss-Seidel,
/// with its results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LcpSolver;

impl ContactSolver for LcpSolver {
    #[inline(always)]
    fn solve(&self, m: &Model, d: &mut Data) -> Outcome {
        solve::constraint(m, d);
        Ok(())
    }

    fn choose(&self, m: &mut Model) -> bool {
        if m.opt.solver == Solver::Xpbd {
            m.opt.solver = Solver::Newton;
        }
        true
    }
}

/// Extended position-based dynamics on all rows, whatever the model's options say (see `cortenforge:solver="xpbd"`).
///
/// Soft constraints are implicit springs with the stiffness and damping that `solref` and `solimp` give them at rest; friction is Coulomb's. Results are
/// not MuJoCo's: stable at long steps, and losing more energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XpbdSolver {
    /// Parts of a step.
    pub substeps: usize,
    /// Passes over all rows in each of them, at most.
    pub iterations: usize,
}

impl Default for XpbdSolver {
    fn default() -> XpbdSolver {
        XpbdSolver { substeps: 1, iterations: 50 }
    }
}

impl XpbdSolver {
    /// With that many substeps.
    pub fn new(substeps: usize) -> XpbdSolver {
        XpbdSolver { substeps, ..XpbdSolver::default() }
    }
}

impl ContactSolver for XpbdSolver {
    fn solve(&self, m: &Model, d: &mut Data) -> Outcome {
        solve::constraint_by_positions(m, d, self.substeps, self.iterations);
        Ok(())
    }

    fn choose(&self, m: &mut Model) -> bool {
        m.opt.solver = Solver::Xpbd;
        m.opt.xpbd_substeps = i32::try_from(self.substeps).unwrap_or(i32::MAX);
        m.opt.iterations = i32::try_from(self.iterations).unwrap_or(i32::MAX);
        true
    }
}

/// What a row of a [`ContactProblem`] is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowInfo {
    /// Between which forces it may choose.
    pub bound: RowBound,
    /// Violation: position less margin.
    pub position: f64,
    /// Its rate.
    pub velocity: f64,
    /// The acceleration that it asks for.
    pub reference: f64,
    /// Regularisation: the force is `(reference − acceleration) / R` where no bound holds.
    pub regularization: f64,
}

/// Forces that a row may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RowBound {
    /// Any: equalities.
    Free,
    /// Up to a size in either direction: friction loss.
    Within(f64),
    /// Not negative: limits, frictionless contacts, edges of pyramids.
    Pushing,
    /// The normal row of an elliptic contact, with the coefficients of the friction rows that follow.
    Normal {
        /// How many rows follow.
        count: usize,
        /// Their coefficients.
        friction: [f64; 5],
    },
    /// A friction row of an elliptic contact.
    Tangent,
}

/// The rows of a step, for solvers of the user's own.
pub struct ContactProblem<'a> {
    d: &'a mut Data,
}

impl<'a> ContactProblem<'a> {
    /// The problem of data whose rows are known.
    pub fn new(d: &'a mut Data) -> ContactProblem<'a> {
        ContactProblem { d }
    }

    fn jacobian(&self) -> Jacobian<'_> {
        self.d.scratch.constraint.jacobian()
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.d.nefc
    }

    /// Calls `visit` with the number and description of every row.
    pub fn for_each_row(&self, mut visit: impl FnMut(usize, RowInfo)) {
        if self.rows() == 0 {
            return;
        }
        let (d, jacobian) = (&*self.d, self.jacobian());
        for b in jacobian.blocks {
            let rows = b.rows();
            for i in rows.clone() {
                let bound = match b.kind {
                    Kind::Equality => RowBound::Free,
                    Kind::Friction => RowBound::Within(d.efc_frictionloss[i]),
                    Kind::Elliptic if i == rows.start => RowBound::Normal {
                        count: rows.len() - 1,
                        friction: jacobian.cones[b.cone as usize].friction,
                    },
                    Kind::Elliptic => RowBound::Tangent,
                    Kind::Inequality | Kind::Pyramid => RowBound::Pushing,
                };
                visit(
                    i,
                    RowInfo {
                        bound,
                        position: d.efc_pos[i] - d.efc_margin[i],
                        velocity: d.efc_vel[i],
                        reference: d.efc_aref[i],
                        regularization: d.efc_R[i],
                    },
                );
            }
        }
    }

    /// `J·x`, by row; panics where `x` is shorter than the velocities or `y` than the rows.
    pub fn mul(&self, x: &[f64], y: &mut [f64]) {
        solve::mul_jacobian(self.d, x, y);
    }

    /// `Jᵀ·f`, by degree of freedom; panics where `f` is shorter than the rows or `y` than the velocities.
    pub fn mul_transposed(&self, f: &[f64], y: &mut [f64]) {
        solve::mul_jacobian_transposed(self.d, f, y);
    }

    /// `x ← M⁻¹ x`.
    pub fn solve_inertia(&self, x: &mut [f64]) {
        solve::solve_inertia(self.d, x);
    }

    /// Acceleration without constraints.
    pub fn smooth_acceleration(&self) -> &[f64] {
        &self.d.qacc_smooth
    }

    /// The answer: forces of the rows, and what follows from them.
    pub fn finish(self, force: &[f64]) -> Outcome {
        if force.len() != self.rows() {
            return Err(format!("{} forces for {} rows", force.len(), self.rows()).into());
        }
        solve::set_forces(self.d, force);
        Ok(())
    }
}

/// Stiffness and dissipation of a contact, as `cortenforge:stiffness` and `cortenforge:dissipation` give them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compliance {
    /// N/m.
    pub stiffness: f64,
    /// s/m: the force is `k x (1 + d ẋ)` at the depth `x`.
    pub dissipation: f64,
}

/// `solref` and `solimp` that come near a [`Compliance`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FittedContact {
    /// In its direct form, stiffness and damping per unit of inertia.
    pub solref: [f64; 2],
    /// A constant impedance.
    pub solimp: [f64; 5],
    /// Largest deviation of the force from that of the law, over the load, at depths from half to one and a half of that at rest
    /// and rates up to `speed`.
    pub misfit: f64,
}

impl Compliance {
    /// Parameters of MuJoCo with this stiffness exactly, and this damping at a load in N, of a body of a mass in kg that touches something
    /// that does not move; `speed` is the largest rate of depth that [`FittedContact::misfit`] looks at.
    ///
    /// A contact of MuJoCo with a constant impedance `i` gives a body the acceleration `(1 − i) a₀ + i aref`: with `aref = −(K x + B ẋ)`, a spring of
    /// `K i m/(1 − i)` and a damper of `B i m/(1 − i)` on a mass that appears `1/(1 − i)` times as large. `solref` sets `K i² = −solref[0]` and
    /// `B i = −solref[1]`; a small impedance keeps the mass what it is. The spring and damper are linear, while the damping of the law grows
    /// with the depth.
    pub fn fit(&self, mass: f64, load: f64, speed: f64) -> FittedContact {
        let (Compliance { stiffness: k, dissipation: d }, impedance) = (*self, 0.01);
        let per = (1.0 - impedance) / mass;
        let damping = load * d;
        let depth = load / k;
        let mut misfit: f64 = 0.0;
        for x in [0.5 * depth, depth, 1.5 * depth] {
            for rate in [-speed, 0.0, speed] {
                let law = k * x * (1.0 + d * rate).max(0.0);
                let fitted = (k * x + damping * rate).max(0.0);
                misfit = misfit.max((fitted - law).abs() / load);
            }
        }
        FittedContact {
            solref: [-k * per, -damping * per],
            solimp: [impedance, impedance, 0.001, 0.5, 2.0],
            misfit,
        }
    }
}
