"""Flexes through the drop-in: arrays in MuJoCo's form, and rollouts."""
import pathlib
import warnings

import mujoco
import numpy as np
import pytest

import corten.mujoco as corten
from corten import ModelWarning
from corten.mujoco import rollout

SCENES = pathlib.Path(__file__).resolve().parents[2] / "corten-sim/tests/flex"
NAMES = ["lines", "sheets", "solids", "bricks"]


def model(mj, name, jacobian=mujoco.mjtJacobian.mjJAC_AUTO):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m = mj.MjModel.from_xml_path(str(SCENES / f"{name}.xml"))
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    m.opt.jacobian, m.opt.timestep = jacobian, 1e-5
    return m


def shaken(mj, m):
    rng = np.random.default_rng(3)
    d = mj.MjData(m)
    d.qpos[:] += 0.003 * rng.standard_normal(m.nq)
    d.qvel[:] = 0.3 * rng.standard_normal(m.nv)
    return d


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("jacobian", [mujoco.mjtJacobian.mjJAC_DENSE, mujoco.mjtJacobian.mjJAC_SPARSE])
def test_edge_jacobian(name, jacobian):
    """In MuJoCo's layout, up to the entries in use."""
    found = []
    for mj in (mujoco, corten):
        m = model(mj, name, jacobian)
        d = shaken(mj, m)
        for stage in (mj.mj_kinematics, mj.mj_comPos, mj.mj_flex):
            stage(m, d)
        sparse = jacobian == mujoco.mjtJacobian.mjJAC_SPARSE
        rows = np.array(d.flexedge_J).ravel()
        assert np.shape(d.flexedge_J) in ((m.nflexedge, m.nv), (m.nflexedge * m.nv,))
        result = [np.array(d.flexvert_xpos), np.array(d.flexedge_length), np.array(d.flexelem_aabb), np.array(d.bvh_aabb_dyn)]
        if sparse:
            used = int(np.sum(d.flexedge_J_rownnz))
            result += [rows[:used], np.array(d.flexedge_J_colind).ravel()[:used], d.flexedge_J_rowadr, d.flexedge_J_rownnz]
        else:
            result.append(rows)
        found.append(result)
    for want, got in zip(*found):
        np.testing.assert_allclose(np.ravel(got), np.ravel(want), atol=1e-13)


@pytest.mark.parametrize("name", NAMES)
def test_kept_views_follow(name):
    m = model(corten, name)
    d = shaken(corten, m)
    corten.mj_forward(m, d)
    rows = d.flexedge_J
    corten.mj_step(m, d)
    corten.mj_forward(m, d)
    np.testing.assert_array_equal(rows, d.flexedge_J)


@pytest.mark.parametrize("name", NAMES)
def test_rollouts_have_the_bits_of_steps(name):
    m = model(corten, name)
    d = shaken(corten, m)
    size = corten.mj_stateSize(m, corten.mjtState.mjSTATE_FULLPHYSICS)
    start = np.zeros(size)
    corten.mj_getState(m, d, start, corten.mjtState.mjSTATE_FULLPHYSICS)
    states, _ = rollout.rollout(m, [corten.MjData(m) for _ in range(2)], np.tile(start, (6, 1)), nstep=5)
    for _ in range(5):
        corten.mj_step(m, d)
    end = np.zeros(size)
    corten.mj_getState(m, d, end, corten.mjtState.mjSTATE_FULLPHYSICS)
    for world in states:
        np.testing.assert_array_equal(world[-1], end)


def test_collisions_are_announced():
    with pytest.warns(ModelWarning, match="flexes do not collide"):
        corten.MjModel.from_xml_path(str(SCENES / "lines.xml"))
