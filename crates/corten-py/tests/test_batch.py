"""Batches of worlds."""
import threading

import numpy as np
import pytest

import corten
from scenes import EVERYTHING, PENDULUM


@pytest.fixture(params=[1, 2, 8])
def threads(request):
    return request.param


def test_equals_single_simulations(threads):
    m = corten.load_model(EVERYTHING)
    rng = np.random.default_rng(3)
    batch = corten.BatchSim(m, 11, threads=threads, outputs=["xpos"])
    assert len(batch) == 11 and batch.qpos.shape == (11, m.nq) and batch.xpos.shape == (11, m.nbody, 3)
    assert batch.time.shape == (11,) and batch.eq_active.dtype == np.uint8
    batch.qvel = 0.2 * rng.standard_normal((11, m.nv))
    start, controls = batch.qvel.copy(), rng.uniform(-1, 1, (5, 11, m.nu))
    for control in controls:
        batch.ctrl[:] = control
        batch.step(4)
    for world in range(11):
        d = m.make_data()
        d.qvel[:] = start[world]
        for control in controls:
            d.ctrl[:] = control[world]
            d.step(4)
        for name in ("qpos", "qvel", "act", "time", "sensordata", "xpos", "qacc_warmstart"):
            np.testing.assert_array_equal(getattr(batch, name)[world], getattr(d, name), err_msg=name)


def test_resets():
    m = corten.load_model(PENDULUM)
    batch = corten.BatchSim(m, 4, threads=2)
    batch.step(10)
    batch.reset(batch.time > 1)
    assert (batch.time > 0).all()
    batch.reset(1)
    batch.reset([3])
    np.testing.assert_array_equal(batch.time > 0, [True, False, True, False])
    batch.reset()
    assert not batch.time.any()
    with pytest.raises(ValueError, match="mask"):
        batch.reset(np.array([True]))
    with pytest.raises(AttributeError):
        batch.qposs = 1
    with pytest.raises(ValueError, match="keyframe"):
        corten.BatchSim(m, 4, keyframe="nowhere")
    with pytest.raises(ValueError, match="efc_pos"):
        corten.BatchSim(m, 4, outputs=["efc_pos"])


def test_a_failing_world_stops_alone(tmp_path):
    m = corten.load_model(PENDULUM)
    batch = corten.BatchSim(m, 3)
    batch.step(5)
    batch.qvel[1] = np.nan
    batch.step(5)
    assert list(batch.failed) == [False, True, False]
    assert "velocity 0" in batch.failures[1]
    np.testing.assert_allclose(batch.time, [0.02, 0.01, 0.02])
    batch.save_failure(1, tmp_path / "failure.cfa")
    with pytest.raises(ValueError, match="not failed"):
        batch.dump(0)
    failure = corten.load_failure(tmp_path / "failure.cfa")
    assert failure.cause == batch.failures[1] and failure.steps == 5
    assert failure.data.time == pytest.approx(0.01) and np.isnan(failure.data.qvel).all()
    with pytest.raises(corten.StepError, match="velocity 0"):
        failure.replay()
    batch.reset(batch.failed)
    batch.step()
    assert not batch.failed.any()

    for stop in (False, True):
        again = corten.BatchSim(m, 2, on_failure="stop") if stop else corten.BatchSim(m, 2)
        again.qpos[0] = np.inf
        again.step()
        assert list(again.failed) == [True, False]
        again.step()
        assert list(again.failed) == [stop, False]
        assert again.time[0] == 0 and again.time[1] > 0
        again.step()
        assert (again.time[0] == 0) == stop


def test_parameters_differ_between_worlds():
    m = corten.load_model(EVERYTHING)
    batch = corten.BatchSim(m, 3, threads=2)
    batch.parameter("body_mass")[2] *= 1.5
    batch.parameter("opt.gravity")[1] = [0, 0, -1.6]
    batch.parameter("dof_damping")[:] += 0.1
    assert batch.parameter("opt.timestep").shape == (3,)
    batch.derive_constants()
    assert "body_subtreemass" in batch.parameter_names()
    batch.step(50)
    for world in range(3):
        d = batch.model_of(world).make_data()
        d.step(50)
        np.testing.assert_array_equal(batch.qpos[world], d.qpos)
    assert not np.array_equal(batch.qpos[0], batch.qpos[1])
    np.testing.assert_array_equal(m.opt.gravity, batch.model_of(0).opt.gravity)
    with pytest.raises(ValueError, match="no array"):
        batch.parameter("mass")
    with pytest.raises(ValueError, match="structure"):
        batch.parameter("body_parentid")
    with pytest.raises(IndexError):
        batch.model_of(3)


def test_views_outlive_the_batch():
    batch = corten.BatchSim(corten.load_model(PENDULUM), 100)
    qpos, mass = batch.qpos, batch.parameter("body_mass")
    batch.step()
    expected = qpos.copy()
    del batch
    np.testing.assert_array_equal(qpos, expected)
    mass[:] = 0


def test_other_threads_run_meanwhile():
    batch = corten.BatchSim(corten.load_model(EVERYTHING), 64, threads=1)
    stepping = threading.Thread(target=batch.step, args=(200,))
    stepping.start()
    turns = 0
    while stepping.is_alive():
        turns += 1
    stepping.join()
    assert turns > 10


def test_the_newer_names():
    """`mujoco.batch` of MuJoCo 4: bind, expand, status, error, rollout."""
    import corten.mujoco as mujoco
    from corten.mujoco.batch import Batch, SimulationError
    m = mujoco.MjModel.from_xml_string(
        "<mujoco><worldbody><body><joint name='j'/><geom size='.1' pos='1 0 0'/></body></worldbody>"
        "<actuator><motor joint='j'/></actuator></mujoco>")
    batch = Batch(m, nsim=3, nthread=2)
    qpos, ctrl, xipos = batch.bind("qpos"), batch.bind("ctrl"), batch.bind("xipos")
    batch.expand("body_mass")[1] *= 2
    ctrl[:, 0] = 1, 1, 2
    batch.step(nstep=5)
    assert qpos.shape == (3, 1) and xipos.shape == (3, 2, 3) and len(set(qpos[:, 0])) == 3
    before = qpos.copy()
    batch.step(ids=[1])
    assert np.array_equal(qpos[[0, 2]], before[[0, 2]]) and qpos[1] != before[1]
    d = mujoco.MjData(m)
    d.ctrl[0] = 1
    mujoco.mj_step(m, d, 5)
    assert qpos[0, 0] == d.qpos[0] == batch.get_data(0).qpos[0]
    recorded = batch.rollout(4, control=np.zeros((1, 1, 1)), record=("qpos", "qvel"))
    assert recorded["qvel"].shape == (3, 4, 1) and np.array_equal(recorded["qpos"][:, -1], qpos)
    batch.qvel = np.nan
    with pytest.raises(SimulationError):
        batch.step(ids=[2])
    assert batch.status.tolist() == [0, 0, 1] and batch.error(2) and not batch.error(0)
    batch.reset()
    assert not qpos.any()
