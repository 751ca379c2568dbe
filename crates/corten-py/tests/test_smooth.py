"""Everything outside of contacts, on random models that combine all features, against MuJoCo."""
import numpy as np
import pytest

import corten.mujoco as corten
import smooth_models

mujoco = pytest.importorskip("mujoco")
from solution import converge

POSITION = """xpos xquat xmat xipos ximat xanchor xaxis geom_xpos geom_xmat site_xpos site_xmat cam_xpos cam_xmat light_xpos light_xdir
subtree_com cdof cinert ten_length wrap_xpos wrap_obj ten_wrapadr ten_wrapnum actuator_length crb qM""".split()
VELOCITY = "cvel cdof_dot ten_velocity actuator_velocity qfrc_bias".split()
PASSIVE = "qfrc_spring qfrc_damper qfrc_gravcomp qfrc_fluid qfrc_passive".split()
FORCE = "act_dot actuator_force qfrc_actuator qfrc_smooth qacc_smooth qacc energy sensordata".split()
INPUTS = "qpos qvel act ctrl qfrc_applied xfrc_applied mocap_pos mocap_quat".split()


def error(a, b):
    a, b = np.asarray(a, float), np.asarray(b, float)
    assert a.shape == b.shape
    return np.abs(a - b).max(initial=0) / max(1, np.abs(a).max(initial=0))


def pair(seed, constraints=False, integrator=0):
    """The same model in the same random state, in both packages; solvers run to convergence."""
    xml = smooth_models.model(seed, constraints)
    a, b = (mujoco.MjModel.from_xml_string(xml), corten.MjModel.from_xml_string(xml))
    for m in (a, b):
        converge(m)
        m.opt.integrator = integrator
    da, db = mujoco.MjData(a), corten.MjData(b)
    rng = np.random.default_rng(seed)
    mujoco.mj_integratePos(a, da.qpos, 0.5 * rng.standard_normal(a.nv), 1.0)
    da.qvel[:] = rng.standard_normal(a.nv)
    da.act[:] = rng.uniform(0, 1, a.na)
    da.ctrl[:] = rng.uniform(-1, 1, a.nu)
    da.qfrc_applied[:] = 0.1 * rng.standard_normal(a.nv)
    da.xfrc_applied[:] = 0.1 * rng.standard_normal((a.nbody, 6))
    da.mocap_pos[:] = rng.standard_normal((a.nmocap, 3))
    da.mocap_quat[:] = rng.standard_normal((a.nmocap, 4))
    for f in INPUTS:
        getattr(db, f)[:] = getattr(da, f)
    return da, db


def check(da, db, fields, tolerance):
    worst = {f: error(getattr(da, f), getattr(db, f)) for f in fields}
    assert max(worst.values()) < tolerance, {f: e for f, e in worst.items() if not e < tolerance}


@pytest.mark.parametrize("seed", range(40))
def test_forward_and_inverse(seed):
    da, db = pair(seed, constraints=seed % 2 == 1)
    for mj, d in ((mujoco, da), (corten, db)):
        mj.mj_forward(d.model, d)
        mj.mj_rnePostConstraint(d.model, d)
    check(da, db, POSITION, 1e-12)
    check(da, db, VELOCITY + PASSIVE, 1e-10)
    check(da, db, FORCE + ["cacc", "cfrc_int", "cfrc_ext"], 1e-9)
    for mj, d in ((mujoco, da), (corten, db)):
        mj.mj_inverse(d.model, d)
    # Stiff constraints turn the last digits of the solver's solution into forces.
    check(da, db, ["qfrc_inverse"], 1e-6 if da.nefc else 1e-9)


@pytest.mark.parametrize("integrator", range(4))
@pytest.mark.parametrize("seed", range(100, 110))
def test_steps(seed, integrator):
    da, db = pair(seed, constraints=seed % 2 == 1, integrator=integrator)
    for _ in range(3):
        for mj, d in ((mujoco, da), (corten, db)):
            mj.mj_step(d.model, d)
    check(da, db, ["qpos", "qvel", "act", "sensordata"], 1e-9)


@pytest.mark.parametrize("integrator", [2, 3])
@pytest.mark.parametrize("seed", range(200, 220))
def test_velocity_derivative(seed, integrator):
    da, db = pair(seed, integrator=integrator)
    for mj, d in ((mujoco, da), (corten, db)):
        mj.mj_step(d.model, d)
    check(da, db, ["qDeriv", "qfrc_fluid"], 1e-10)


@pytest.mark.parametrize("seed", range(300, 312))
def test_discrete_inverse(seed):
    for integrator in (0, 2, 3):
        da, db = pair(seed, integrator=integrator)
        for mj, d in ((mujoco, da), (corten, db)):
            d.model.opt.enableflags |= int(mj.mjtEnableBit.mjENBL_INVDISCRETE)
            mj.mj_forward(d.model, d)
            mj.mj_inverse(d.model, d)
        check(da, db, ["qfrc_inverse"], 1e-9)


@pytest.mark.parametrize("seed", range(400, 412))
@pytest.mark.parametrize("centered", [0, 1])
def test_transition_matrices(seed, centered):
    """Differences divide rounding by the step, so that they agree less closely than what they are made of."""
    matrices = []
    for mj, d in zip((mujoco, corten), pair(seed, integrator=seed % 4 if seed % 4 != 1 else 0)):
        m = d.model
        n = 2 * m.nv + m.na
        out = [np.zeros(s) for s in ((n, n), (n, m.nu), (m.nsensordata, n), (m.nsensordata, m.nu))]
        mj.mj_forward(m, d)
        mj.mjd_transitionFD(m, d, 1e-6, centered, *out)
        matrices.append(out)
    for a, b in zip(*matrices):
        assert error(a, b) < 1e-6


@pytest.mark.parametrize("seed", range(500, 508))
def test_inverse_derivatives(seed):
    matrices = []
    for mj, d in zip((mujoco, corten), pair(seed)):
        m = d.model
        shapes = [(m.nv, m.nv)] * 3 + [(m.nv, m.nsensordata)] * 3 + [(m.nv, m.nM)]
        out = [np.zeros(s) for s in shapes]
        mj.mj_forward(m, d)
        mj.mjd_inverseFD(m, d, 1e-6, 0, *out)
        matrices.append(out)
    for a, b in zip(*matrices):
        assert error(a, b) < 1e-6
