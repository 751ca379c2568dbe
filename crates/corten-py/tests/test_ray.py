"""Worlds on the actors of a local Ray: the same bits for any number of them, with one that is killed in the middle."""
import pathlib, sys

import numpy as np
import pytest

ray = pytest.importorskip("ray")
import corten  # noqa: E402

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"


@pytest.fixture(scope="module")
def example():
    """The example, and a cluster of this machine."""
    sys.path.insert(0, str(EXAMPLES))
    try:
        import ray_rollout
        ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False,
                 runtime_env={"env_vars": {"PYTHONPATH": str(EXAMPLES)}})
        yield ray_rollout
        ray.shutdown()
    finally:
        sys.path.remove(str(EXAMPLES))


def alone(example, model, worlds, segments, steps):
    """What every world does by itself."""
    data, rows = corten.mujoco.MjData(model), []
    for world in range(worlds):
        corten.mujoco.mj_resetData(model, data)
        row = []
        for segment in range(segments):
            for control in example.controls(model, 0, world, segment, steps):
                data.ctrl[:] = control
                corten.mujoco.mj_step(model, data)
                row.append(data.qpos.copy())
        rows.append(row)
    return np.array(rows)


def test_the_same_for_any_number_of_actors(example, monkeypatch):
    killed, kill = [], example.os.kill
    monkeypatch.setattr(example.os, "kill", lambda process, how: (killed.append(process), kill(process, how)))
    model = corten.load_model(example.SCENE)
    expected = alone(example, model, 10, 4, 15)
    for actors, lose in ((2, False), (4, False), (2, True), (4, True)):
        found = example.rollout(model, 10, actors, 4, 15, lose=lose)
        np.testing.assert_array_equal(found, expected, err_msg=f"{actors} actors, one killed: {lose}")
    assert len(set(killed)) == 2
