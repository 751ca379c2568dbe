"""MuJoCo's binary models: written here and loaded there, and the reverse."""
import pathlib

import corten.mujoco as corten
import numpy as np
import pytest

SCENES = sorted((pathlib.Path(__file__).parents[3] / "scenes").rglob("*.xml"))


def loads(module, path):
    try:
        return module.MjModel.from_xml_path(str(path))
    except Exception:
        return None


def arrays(m):
    for name in dir(m):
        if not name.startswith("_") and isinstance(getattr(m, name), (np.ndarray, bytes, int)):
            yield name, getattr(m, name)


@pytest.mark.parametrize("path", SCENES[:: max(1, len(SCENES) // 40)], ids=lambda p: p.stem)
def test_both_directions(path, tmp_path):
    mujoco = pytest.importorskip("mujoco")
    theirs, ours = loads(mujoco, path), loads(corten, path)
    if theirs is None or ours is None:
        pytest.skip("one of the two does not load it")
    file = str(tmp_path / "model.mjb")
    # Written there, read here: every array, and the same simulation as from the text.
    mujoco.mj_saveModel(theirs, file)
    read = corten.MjModel.from_binary_path(file)
    for name, value in arrays(theirs):
        if hasattr(read, name) and name not in ("narena",):
            np.testing.assert_array_equal(getattr(read, name), value, err_msg=name)
    assert [read.body(i).name for i in range(read.nbody)] == [theirs.body(i).name for i in range(theirs.nbody)]
    want, found = corten.MjData(ours), corten.MjData(read)
    for _ in range(5):
        corten.mj_step(ours, want)
        corten.mj_step(read, found)
    np.testing.assert_allclose(found.qpos, want.qpos, rtol=1e-6, atol=1e-8)
    # Written here, read there.
    corten.mj_saveModel(ours, file)
    again = mujoco.MjModel.from_binary_path(file)
    for name, value in arrays(ours):
        if hasattr(again, name) and name not in ("narena", "nbuffer"):
            np.testing.assert_array_equal(getattr(again, name), value, err_msg=name)
    want, found = mujoco.MjData(theirs), mujoco.MjData(again)
    for _ in range(5):
        mujoco.mj_step(theirs, want)
        mujoco.mj_step(again, found)
    np.testing.assert_allclose(found.qpos, want.qpos, rtol=1e-6, atol=1e-8)


def test_sizes_and_damage(tmp_path):
    m = corten.MjModel.from_xml_string("<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>")
    buffer = np.zeros(corten.mj_sizeModel(m), np.uint8)
    corten.mj_saveModel(m, None, buffer)
    good = buffer.tobytes()
    assert corten.MjModel.from_binary_path("m.mjb", {"m.mjb": good}).nq == 1
    for bad in (good[:100], good[:-1], good + b"\0", good[:8] + b"\1" + good[9:]):
        with pytest.raises(ValueError):
            corten.MjModel.from_binary_path("m.mjb", {"m.mjb": bad})
    corten.mj_saveModel(m, str(tmp_path / "m.cfa"))
    assert (tmp_path / "m.cfa").read_bytes().startswith(b"CORTENAR")
    with pytest.raises(corten.FatalError):
        corten.mj_saveModel(m, None, buffer[:-1])
