"""Calls of the Python interface in any order, with resets, writes and changes of options between them: no
call ends in a failure of the engine, and a reset leads to where fresh data are."""
import os
import random

import numpy as np
import pytest

from corten import mujoco as MJ

SCENES = os.path.join(os.path.dirname(__file__), "..", "..", "..", "scenes")
NAMES = ["humanoid", "arm_gripper", "mixed_pile", "linkage", "sensors", "muscle_arm"]

PLAIN = [
    "mj_step", "mj_step1", "mj_step2", "mj_forward", "mj_inverse", "mj_fwdPosition", "mj_fwdVelocity", "mj_fwdActuation",
    "mj_fwdAcceleration", "mj_fwdConstraint", "mj_kinematics", "mj_comPos", "mj_camlight", "mj_flex", "mj_tendon",
    "mj_transmission", "mj_crb", "mj_makeM", "mj_factorM", "mj_comVel", "mj_passive", "mj_collision", "mj_makeConstraint",
    "mj_referenceConstraint", "mj_island", "mj_projectConstraint", "mj_sensorPos", "mj_sensorVel", "mj_sensorAcc",
    "mj_energyPos", "mj_energyVel", "mj_checkPos", "mj_checkVel", "mj_checkAcc", "mj_Euler", "mj_implicit",
    "mj_compareFwdInv", "mj_invConstraint", "mj_subtreeVel", "mj_rnePostConstraint", "mj_fwdKinematics", "mj_invPosition",
    "mj_invVelocity", "mj_resetData",
]
VALUES = [0.0, 0.1, -3.0, 1e6, 1e200, float("nan"), float("inf")]


def more(m, d, rng):
    """Calls that take or show arrays."""
    cost = np.zeros(1)
    calls = {
        "constraintUpdate": lambda: MJ.mj_constraintUpdate(m, d, np.full(d.nefc, -0.5), cost, 1),
        "mulJacVec": lambda: MJ.mj_mulJacVec(m, d, np.zeros(d.nefc), np.ones(m.nv)),
        "mulJacTVec": lambda: MJ.mj_mulJacTVec(m, d, np.zeros(m.nv), np.ones(d.nefc)),
        "efc_J": lambda: d.efc_J.sum(),
        "efc_AR": lambda: d.efc_AR.sum(),
        "iefc_J": lambda: d.iefc_J.sum(),
        "contact": lambda: [c.dist for c in d.contact],
        "contactForce": lambda: MJ.mj_contactForce(m, d, rng.randrange(d.ncon + 1), np.zeros(6)),
        "copy": lambda: MJ.MjData.__copy__(d),
        "forwardSkip": lambda: MJ.mj_forwardSkip(m, d, rng.randrange(3), rng.randrange(2)),
        "inverseSkip": lambda: MJ.mj_inverseSkip(m, d, rng.randrange(3), rng.randrange(2)),
        "keyframe": lambda: MJ.mj_resetDataKeyframe(m, d, rng.randrange(-1, 2)),
        "RungeKutta": lambda: MJ.mj_RungeKutta(m, d, 4),
        "nstep": lambda: MJ.mj_step(m, d, nstep=3),
    }
    return rng.choice(list(calls.items()))


def disturb(m, d, rng):
    """Writes to data and options; what was written, for the report."""
    kind = rng.randrange(8)
    value = rng.choice(VALUES)
    if kind < 4:
        field = ["qvel", "qpos", "ctrl", "qacc"][kind]
        getattr(d, field)[...] = value
        return f"{field} = {value}"
    if kind == 4:
        m.opt.solver = rng.randrange(3)
        return f"solver {m.opt.solver}"
    if kind == 5:
        m.opt.noslip_iterations = rng.choice([0, 3])
        return f"noslip {m.opt.noslip_iterations}"
    if kind == 6:
        m.opt.integrator = rng.randrange(4)
        return f"integrator {m.opt.integrator}"
    m.opt.disableflags ^= rng.choice([1 << 0, 1 << 4, 1 << 8, 1 << 14, 1 << 18])
    return f"disable {m.opt.disableflags}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_any_order_of_calls(name):
    path = os.path.join(SCENES, f"{name}.xml")
    for seed in range(40):
        rng = random.Random(f"{name} {seed}")
        m = MJ.MjModel.from_xml_path(path)
        d = MJ.MjData(m)
        history = []
        for _ in range(25):
            if rng.random() < 0.25:
                history.append(disturb(m, d, rng))
                continue
            if rng.random() < 0.25:
                called, call = more(m, d, rng)
            else:
                called = rng.choice(PLAIN)
                call = lambda called=called: getattr(MJ, called)(m, d)
            history.append(called)
            try:
                call()
            except RuntimeError as error:
                pytest.fail(f"seed {seed}: {error} after {history}")
            except (MJ.FatalError, ValueError, IndexError):
                pass
        fresh = MJ.MjData(m)
        MJ.mj_resetData(m, d)
        MJ.mj_forward(m, d)
        MJ.mj_forward(m, fresh)
        assert np.array_equal(d.qacc, fresh.qacc, equal_nan=True), f"seed {seed}: {history}"


def test_rows_after_a_reset():
    m = MJ.MjModel.from_xml_path(os.path.join(SCENES, "humanoid.xml"))
    d = MJ.MjData(m)
    MJ.mj_forward(m, d)
    assert d.nefc > 0
    MJ.mj_resetData(m, d)
    MJ.mj_invConstraint(m, d)
    MJ.mj_constraintUpdate(m, d, np.zeros(d.nefc), None, 1)
    assert not d.qfrc_constraint.any()
