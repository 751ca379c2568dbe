"""How solutions of the constraint solvers are compared with MuJoCo's.

Every stage before the solver is compared at the model's own options. Solutions are compared converged, at a tolerance far
below what a double can resolve in the cost; and at the model's own options by MuJoCo's own cost, since there the tolerance
decides which of many good solutions an engine ends with.
"""
import mujoco
import numpy as np

PGS, CG, NEWTON = 0, 1, 2


def converge(m, solver=None):
    """Options at which a solver ends at the solution; by default the model's own solver."""
    m.opt.solver = m.opt.solver if solver is None else solver
    m.opt.tolerance = 1e-16
    m.opt.iterations = {PGS: 5000, CG: 1000, NEWTON: 300}[int(m.opt.solver)]


def cost(m, d, qacc):
    """MuJoCo's objective at `qacc`, in data whose rows are made."""
    qacc = np.array(qacc, dtype=float)
    x, force, residual, rows = qacc - d.qacc_smooth, np.zeros(m.nv), np.zeros(d.nefc), np.zeros(1)
    mujoco.mj_mulM(m, d, force, x)
    mujoco.mj_mulJacVec(m, d, residual, qacc)
    mujoco.mj_constraintUpdate(m, d, residual - d.efc_aref, rows, 0)
    return float(rows[0] + 0.5 * x @ force)


def excess_cost(m, d, theirs, ours, *others):
    """Cost of the solution `ours` above the lowest one known, by what is allowed: twice what MuJoCo's solution `theirs`
    leaves, or ten times the tolerance. `d` is data of MuJoCo's model `m` whose rows are made."""
    found, own, *rest = (cost(m, d, x) for x in (ours, theirs, *others))
    low = min(found, own, *rest)
    scale = 1 / (m.stat.meaninertia * max(1, m.nv))
    rounding = 1e-12 * max(1, abs(low)) * scale
    return scale * (found - low) / max(2 * scale * (own - low), 10 * m.opt.tolerance, rounding)
