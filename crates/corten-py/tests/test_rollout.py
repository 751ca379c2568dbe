"""Trajectories in parallel."""
import numpy as np
import pytest

import corten.mujoco as corten
from corten.mujoco import rollout
from scenes import EVERYTHING, PENDULUM, load, reference


def inputs(mj, m, nbatch, nstep):
    rng = np.random.default_rng(1)
    state = np.zeros((nbatch, corten.mj_stateSize(load(EVERYTHING), corten.mjtState.mjSTATE_FULLPHYSICS)))
    d = mj.MjData(m)
    for row in state:
        d.qvel[:] = 0.2 * rng.standard_normal(m.nv)
        mj.mj_getState(m, d, row, mj.mjtState.mjSTATE_FULLPHYSICS.value)
    return state, rng.uniform(-1, 1, (nbatch, nstep, m.nu))


def test_like_mujoco():
    mujoco = pytest.importorskip("mujoco")
    from mujoco import rollout as expected
    a, b = reference(EVERYTHING), load(EVERYTHING)
    start, control = inputs(mujoco, a, 5, 20)
    want = expected.rollout(a, mujoco.MjData(a), start, control)
    found = rollout.rollout(b, corten.MjData(b), start, control)
    for x, y in zip(want, found):
        assert x.shape == y.shape
        np.testing.assert_allclose(y, x, atol=1e-6)


def test_threads_change_nothing():
    m = load(EVERYTHING)
    start, control = inputs(corten, m, 7, 15)
    alone = rollout.rollout(m, corten.MjData(m), start, control)
    many = rollout.rollout(m, [corten.MjData(m) for _ in range(3)], start, control)
    with rollout.Rollout(nthread=2) as pool:
        models = [load(EVERYTHING) for _ in range(7)]
        several = pool.rollout(models, [corten.MjData(m) for _ in range(2)], start, control)
    for x, y, z in zip(alone, many, several):
        np.testing.assert_array_equal(x, y)
        np.testing.assert_array_equal(x, z)
    with pytest.raises(RuntimeError, match="after"):
        pool.rollout(m, corten.MjData(m), start, control)


def test_shapes():
    m = load(PENDULUM)
    d = corten.MjData(m)
    n = corten.mj_stateSize(m, corten.mjtState.mjSTATE_FULLPHYSICS)
    state, sensors = rollout.rollout(m, d, np.zeros(n), nstep=3)
    assert state.shape == (1, 3, n) and sensors.shape == (1, 3, 0)
    np.testing.assert_allclose(state[0, :, 0], [0.002, 0.004, 0.006])
    out = np.zeros((2, 3, n))
    assert rollout.rollout(m, d, np.zeros((2, n)), nstep=3, state=out)[0] is out and out[1, 2, 0] > 0
    with pytest.raises(ValueError, match="trailing dimension of initial_state"):
        rollout.rollout(m, d, np.zeros((2, n + 1)), nstep=3)
    with pytest.raises(ValueError, match="control_spec"):
        rollout.rollout(m, d, np.zeros(n), nstep=1, control_spec=2)
    with pytest.raises(ValueError, match="dimension 0 inferred as 2"):
        rollout.rollout(m, d, np.zeros((2, n)), state=np.zeros((3, 1, n)))
    with pytest.raises(ValueError, match="data of its own"):
        rollout.rollout(m, [d, d], np.zeros((2, n)), nstep=1)


def test_bad_numbers_stop_one_trajectory_only():
    m = load(PENDULUM)
    n = corten.mj_stateSize(m, corten.mjtState.mjSTATE_FULLPHYSICS)
    start = np.zeros((3, n))
    start[1, 1] = np.nan
    state, _ = rollout.rollout(m, corten.MjData(m), start, nstep=4)
    np.testing.assert_array_equal(state[0], state[2])
    assert state[0, 3, 0] == pytest.approx(0.008) and np.all(state[1, 1:] == state[1, :1])
